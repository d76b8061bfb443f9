//! A match line by line, each piece of the old text bound to what the file has for it.
//!
//! Between them the bonds cover the whole match without a gap, so that what lies between two pieces that are kept is
//! exactly what goes. Blanks at the end of a line that only the file has belong to the line's last piece.

use std::ops::Range;

use super::fit::Grain;
use super::fold::{Folded, Level, Piece, fold};
use super::view::View;

/// A match.
#[derive(Debug)]
pub(super) struct Matched<'a> {
    /// Its lines.
    pub(super) rows: Vec<Row<'a>>,
    /// The quotes and dashes for which the file has others than the old text.
    marks: Vec<Vec<u8>>,
}

/// A line of a match.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// The old line without its end.
    pub(super) content: &'a str,
    /// Its indentation; empty where the match is exact.
    pub(super) lead: Bond<'a>,
    /// The rest, in pieces; in one where the match is exact.
    pub(super) body: Vec<Bond<'a>>,
    /// Bytes at the end of the last piece that are blanks which only the file has.
    pub(super) trail: usize,
    /// Where its line feed is in the view, if the old text has one.
    pub(super) feed: Option<Range<usize>>,
    /// Whether it is a line from its beginning.
    pub(super) begins_line: bool,
    /// Whether it stands there as written.
    pub(super) is_exact: bool,
}

/// A piece of the old text, and where the view has it.
#[derive(Debug)]
pub(super) struct Bond<'a> {
    /// As written.
    pub(super) old: &'a str,
    /// In the view.
    pub(super) seen: Range<usize>,
}

/// A line of the new text.
#[derive(Debug)]
pub(super) struct NewRow<'a> {
    /// Without its end.
    pub(super) content: &'a str,
    /// Its indentation; empty where the match is exact.
    pub(super) lead: &'a str,
    /// The rest, in pieces.
    pub(super) body: Vec<&'a str>,
    /// Whether it has a line feed.
    pub(super) feed: bool,
    /// Whether the old text stands in the file as written.
    pub(super) is_exact: bool,
}

impl Row<'_> {
    /// Where it begins in the view.
    pub(super) fn start(&self) -> usize {
        self.lead.seen.start
    }

    /// Where it ends, without its line feed.
    pub(super) fn end(&self) -> usize {
        self.body.last().unwrap_or(&self.lead).seen.end
    }
}

impl Matched<'_> {
    /// Whether new bytes have a quote or a dash of a kind that the file has otherwise.
    pub(super) fn clashes_with(&self, bytes: &[u8]) -> bool {
        let pieces = fold(bytes, Level::Typography).pieces;
        pieces.iter().any(|piece| piece.meaning.is_mark() && self.marks.contains(&of(piece)))
    }
}

/// The lines of what stands at `place` for the old text; none if it does not stand there after all.
pub(super) fn rows_of<'a>(
    view: &View<'_>,
    old: &'a str,
    place: &Range<usize>,
    grain: Grain,
) -> Option<Matched<'a>> {
    let mut matched = Matched { rows: Vec::new(), marks: Vec::new() };
    let mut from = place.start;
    for line in old.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let rest = view.part(from..place.end);
        let length = match grain {
            Grain::Exact => content.len(),
            Grain::Folded(_) => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
        };
        let seen = from..from + length;
        let feed = (content.len() < line.len()).then(|| seen.end..seen.end + 1);
        if feed.as_ref().is_some_and(|feed| view.part(feed.clone()) != b"\n") {
            return None;
        }
        from = seen.end + usize::from(feed.is_some());
        let mut row = match grain {
            Grain::Exact => exact(content, seen),
            Grain::Folded(level) => bind(view, content, seen, level, &mut matched.marks)?,
        };
        row.begins_line = row.start() == 0 || view.text.get(row.start() - 1) == Some(&b'\n');
        matched.rows.push(Row { feed, ..row });
    }
    (from == place.end).then_some(matched)
}

/// The lines of a new text.
pub(super) fn new_rows(new: &str, grain: Grain) -> Vec<NewRow<'_>> {
    let contents =
        new.split_inclusive('\n').map(|line| (line.strip_suffix('\n').unwrap_or(line), line.len()));
    let rows = contents.map(|(content, length)| (content, content.len() < length));
    let rows = rows.map(|(content, feed)| match grain {
        Grain::Exact => {
            let body = if content.is_empty() { Vec::new() } else { vec![content] };
            NewRow { content, lead: "", body, feed, is_exact: true }
        }
        Grain::Folded(level) => {
            let folded = fold(content.as_bytes(), level);
            let (lead, mut rest) = content.split_at_checked(folded.lead).unwrap_or(("", content));
            let mut body = Vec::new();
            for length in lengths(&folded) {
                let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
                body.push(piece);
                rest = after;
            }
            NewRow { content, lead, body, feed, is_exact: false }
        }
    });
    rows.collect()
}

fn exact(content: &str, seen: Range<usize>) -> Row<'_> {
    let lead = Bond { old: "", seen: seen.start..seen.start };
    let body = if content.is_empty() { Vec::new() } else { vec![Bond { old: content, seen }] };
    Row { content, lead, body, trail: 0, feed: None, begins_line: false, is_exact: true }
}

/// Binds the pieces of an old line to those of the file's.
fn bind<'a>(
    view: &View<'_>,
    content: &'a str,
    seen: Range<usize>,
    level: Level,
    marks: &mut Vec<Vec<u8>>,
) -> Option<Row<'a>> {
    let bytes = view.part(seen.clone());
    let (written, found) = (fold(content.as_bytes(), level), fold(bytes, level));
    let same = |(a, b): (&Piece, &Piece)| a.meaning == b.meaning;
    if written.pieces.len() != found.pieces.len() || !written.pieces.iter().zip(&found.pieces).all(same) {
        return None;
    }
    let (lead, mut rest) = content.split_at_checked(written.lead)?;
    let lead = Bond { old: lead, seen: seen.start..seen.start + found.lead };
    let (mut body, mut at) = (Vec::new(), lead.seen.end);
    let mut pieces = written.pieces.iter().zip(&found.pieces);
    for count in counts(&written) {
        let (mut length, start) = (0, at);
        for (piece, other) in pieces.by_ref().take(count) {
            let (a, b) = (rest.as_bytes().get(length..length + piece.length)?, at..at + other.length);
            if piece.meaning.is_mark() && a != view.part(b) {
                marks.push(of(piece));
            }
            length += piece.length;
            at += other.length;
        }
        let (old, after) = rest.split_at_checked(length)?;
        body.push(Bond { old, seen: start..at });
        rest = after;
    }
    if let Some(last) = body.last_mut() {
        last.seen.end = seen.end;
        let start = content.len() - rest.len() - last.old.len();
        last.old = content.get(start..)?;
    }
    let trail = if written.trail == 0 { found.trail } else { 0 };
    Some(Row { content, lead, body, trail, feed: None, begins_line: false, is_exact: false })
}

fn of(piece: &Piece) -> Vec<u8> {
    let mut bytes = Vec::new();
    piece.meaning.push_to(&mut bytes);
    bytes
}

/// How many pieces make one: those of a word do.
fn counts(line: &Folded) -> Vec<usize> {
    let groups = line.pieces.chunk_by(|a, b| a.meaning.is_word() && b.meaning.is_word());
    groups.map(<[Piece]>::len).collect()
}

/// The bytes of each such piece, blanks at the end being part of the last.
fn lengths(line: &Folded) -> Vec<usize> {
    let groups = line.pieces.chunk_by(|a, b| a.meaning.is_word() && b.meaning.is_word());
    let mut lengths: Vec<usize> = groups.map(|group| group.iter().map(|piece| piece.length).sum()).collect();
    if let Some(last) = lengths.last_mut() {
        *last += line.trail;
    }
    lengths
}
