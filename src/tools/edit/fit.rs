//! The new text put in the old one's place: what they have in common stays as the file has it, what is new takes the
//! file's line ends and indentation.
//!
//! Nothing is written here; what comes out are changes in places of the view. The surprise: where the file's way is not
//! beyond doubt (which of two quotes is kept, how deep a new line is, which line end it has) there is no change at all
//! but the reason why.

use std::ops::Range;

use super::align::{Prefer, Step, steps};
use super::fold::Level;
use super::indent::{self, Pair};
use super::rows::{NewRow, Row, new_rows, rows_of};
use super::view::{Change, Eol, View};

/// Lines looked at to see how a file is indented.
const MOST_LOOKED_AT: usize = 20_000;

/// What in a match counted for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    /// The text stands there as written: line answers to line.
    Exact,
    /// The level was left out: within lines piece answers to piece.
    Folded(Level),
}

/// A match, and what is to come in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    /// The file.
    pub(super) view: &'a View<'a>,
    /// With line feeds only.
    pub(super) old: &'a str,
    /// With line feeds only.
    pub(super) new: &'a str,
    /// What counted for nothing.
    pub(super) grain: Grain,
    /// How lines end in a file that has no line end yet.
    pub(super) first_end: Eol,
}

/// Why a text that was found is not replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclear {
    /// How the new lines are to be indented follows no rule.
    Indent,
    /// The new text has quotes or dashes, and the file has others for those in the old text.
    Marks,
    /// What old and new have in common could be kept in two ways.
    Kept,
    /// A carriage return alone stands beside, and would become part of a line end, or be one.
    Returns,
    /// The place may be within a character.
    Letter,
    /// The new text begins with a byte order mark.
    ByteOrderMark,
}

/// The changes at one match, in order and apart.
pub(super) fn changes(job: &Job<'_>, place: &Range<usize>) -> Result<Vec<Change>, Unclear> {
    let (mut old, mut new) = (job.old, job.new);
    let text: &[u8] = &job.view.text;
    if place.end == text.len() && !text.ends_with(b"\n") && old.ends_with('\n') {
        // the file's last line has no end, and keeps none
        old = old.strip_suffix('\n').unwrap_or(old);
        new = new.strip_suffix('\n').unwrap_or(new);
    }
    let matched = rows_of(job.view, old, place, job.grain).ok_or(Unclear::Kept)?;
    let new_rows = new_rows(new, job.grain);
    let make = |prefer| {
        let edits = Edits::of(&matched.rows, &new_rows, place.end, prefer);
        Writer { job, rows: &matched.rows, place }.write(&edits.0)
    };
    let made = make(Prefer::First)?;
    match job.grain {
        Grain::Exact | Grain::Folded(Level::Blanks) => {}
        Grain::Folded(Level::Typography) => {
            let clashes = |change: &Change| matched.clashes_with(&change.bytes);
            if made.iter().any(clashes) {
                return Err(Unclear::Marks);
            }
            if after(job.view, place, &made) != after(job.view, place, &make(Prefer::Last)?) {
                return Err(Unclear::Kept);
            }
        }
    }
    Ok(made)
}

/// The match as it would be.
fn after(view: &View<'_>, place: &Range<usize>, changes: &[Change]) -> Vec<u8> {
    let (mut out, mut from) = (Vec::new(), place.start);
    for change in changes {
        out.extend_from_slice(view.part(from..change.range.start));
        out.extend_from_slice(&change.bytes);
        from = change.range.end;
    }
    out.extend_from_slice(view.part(from..place.end));
    out
}

/// A stretch of the view and what comes there.
struct Edit<'a> {
    range: Range<usize>,
    parts: Vec<Part<'a>>,
}

/// Something new.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// As written.
    Text(&'a str),
    /// An indentation, to be fitted.
    Indent(&'a str),
    /// Blanks of a line that has nothing else.
    Blank(&'a str),
    /// A line end.
    Feed,
}

/// What is to be done, before line ends and indentation are known.
struct Edits<'a>(Vec<Edit<'a>>);

impl<'a> Edits<'a> {
    fn of(rows: &[Row<'_>], new: &[NewRow<'a>], end: usize, prefer: Prefer) -> Self {
        let contents: Vec<&str> = rows.iter().map(|row| row.content).collect();
        let new_contents: Vec<&str> = new.iter().map(|row| row.content).collect();
        let mut edits = Self(Vec::new());
        for step in steps(&contents, &new_contents, prefer) {
            match step {
                Step::Keep { old, new: at } => {
                    if let (Some(row), Some(new)) = (rows.get(old), new.get(at)) {
                        edits.feed(row, new);
                    }
                }
                Step::Replace { old, new: at } => {
                    let (gone, come) = (rows.get(old.clone()).unwrap_or_default(), new.get(at));
                    let come = come.unwrap_or_default();
                    if gone.len() == come.len() {
                        gone.iter().zip(come).for_each(|(row, new)| edits.line(row, new, prefer));
                    } else {
                        edits.block(gone, come, rows.get(old.start).map_or(end, Row::start));
                    }
                }
            }
        }
        edits
    }

    /// Adds an edit; what touches the one before is one with it.
    fn push(&mut self, range: Range<usize>, parts: impl IntoIterator<Item = Part<'a>>) {
        match self.0.last_mut() {
            Some(last) if last.range.end == range.start => {
                last.range.end = range.end;
                last.parts.extend(parts);
            }
            _ => self.0.push(Edit { range, parts: parts.into_iter().collect() }),
        }
    }

    /// One line for one line: within it piece answers to piece.
    fn line(&mut self, row: &Row<'_>, new: &NewRow<'a>, prefer: Prefer) {
        if row.lead.old != new.lead {
            self.push(row.lead.seen.clone(), [lead(new, row.begins_line)]);
        }
        let pieces: Vec<&str> = row.body.iter().map(|bond| bond.old).collect();
        for step in steps(&pieces, &new.body, prefer) {
            let Step::Replace { old, new: at } = step else { continue };
            let come = new.body.get(at).unwrap_or_default();
            let range = match (row.body.get(old.start), row.body.get(old.clone()).unwrap_or_default()) {
                (Some(first), [.., last]) => first.seen.start..last.seen.end,
                (Some(next), []) => next.seen.start..next.seen.start,
                // behind the last piece: in place of the blanks that only the file has there
                (None, _) => row.end() - row.trail..row.end(),
            };
            let lone = row.body.get(old).and_then(|gone| if let [one] = gone { Some(one.old) } else { None });
            match (row.is_exact, lone, come) {
                (true, Some(old), [new]) => self.trimmed(range, old, new),
                (true | false, _, _) => self.push(range, come.iter().map(|text| Part::Text(text))),
            }
        }
        self.feed(row, new);
    }

    /// An exact piece without what it has in common with the new one at both ends.
    fn trimmed(&mut self, range: Range<usize>, old: &str, new: &'a str) {
        let same = |(a, b): &(char, char)| a == b;
        let length = |(letter, _): (char, char)| letter.len_utf8();
        let lead: usize = old.chars().zip(new.chars()).take_while(same).map(length).sum();
        let (old_rest, new_rest) = (old.get(lead..).unwrap_or(old), new.get(lead..).unwrap_or(new));
        let back = old_rest.chars().rev().zip(new_rest.chars().rev());
        let trail: usize = back.take_while(same).map(length).sum();
        let come = new_rest.get(..new_rest.len() - trail).unwrap_or(new_rest);
        self.push(range.start + lead..range.end - trail, [Part::Text(come)]);
    }

    /// Some lines for others, of which there are more or fewer. `at` is where they stand if none go.
    fn block(&mut self, gone: &[Row<'_>], come: &[NewRow<'a>], at: usize) {
        let (first, last) = (gone.first(), gone.last());
        // the line end stays if both have one
        let keeps_feed =
            last.is_some_and(|row| row.feed.is_some()) && come.last().is_some_and(|new| new.feed);
        let end = last.map_or(at, |row| match &row.feed {
            Some(feed) if !keeps_feed => feed.end,
            Some(_) | None => row.end(),
        });
        let keeps_lead = first
            .zip(come.first())
            .is_some_and(|(row, new)| row.lead.old == new.lead && !row.body.is_empty());
        let start = first.map_or(at, |row| if keeps_lead { row.lead.seen.end } else { row.start() });
        let begins_line = first.is_none_or(|row| row.begins_line);
        let mut parts = Vec::new();
        for (number, new) in come.iter().enumerate() {
            if number > 0 || !keeps_lead {
                parts.push(lead(new, number > 0 || begins_line));
            }
            parts.extend(new.body.iter().map(|text| Part::Text(text)));
            if new.feed && !(keeps_feed && number + 1 == come.len()) {
                parts.push(Part::Feed);
            }
        }
        self.push(start..end, parts);
    }

    /// The line end, where only one of them has it.
    fn feed(&mut self, row: &Row<'_>, new: &NewRow<'_>) {
        match &row.feed {
            Some(feed) if !new.feed => self.push(feed.clone(), []),
            None if new.feed => self.push(row.end()..row.end(), [Part::Feed]),
            Some(_) | None => {}
        }
    }
}

/// The beginning of a new line.
fn lead<'a>(new: &NewRow<'a>, begins_line: bool) -> Part<'a> {
    match (begins_line && !new.is_exact, new.body.is_empty()) {
        (true, true) => Part::Blank(new.lead),
        (true, false) => Part::Indent(new.lead),
        (false, _) => Part::Text(new.lead),
    }
}

/// Makes bytes of what is new.
struct Writer<'a> {
    job: &'a Job<'a>,
    rows: &'a [Row<'a>],
    place: &'a Range<usize>,
}

impl Writer<'_> {
    fn write(&self, edits: &[Edit<'_>]) -> Result<Vec<Change>, Unclear> {
        let (indents, is_same) = self.indents(edits).ok_or(Unclear::Indent)?;
        let mut indents = indents.into_iter();
        let mut changes = Vec::new();
        for edit in edits {
            let ends = self.job.view.ends_within(&edit.range);
            let (mut bytes, mut feeds) = (Vec::new(), 0);
            for part in &edit.parts {
                match part {
                    Part::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                    Part::Indent(_) => bytes.extend(indents.next().unwrap_or_default()),
                    Part::Blank(blanks) if is_same => bytes.extend_from_slice(blanks.as_bytes()),
                    Part::Blank(_) => {}
                    Part::Feed => {
                        self.feed(&mut bytes, ends.get(feeds).or(ends.last()).copied(), &edit.range)?;
                        feeds += 1;
                    }
                }
            }
            let change = Change { range: edit.range.clone(), bytes };
            self.check_seams(&change)?;
            if self.job.view.part(change.range.clone()) != change.bytes || feeds > 0 {
                changes.push(change);
            }
        }
        Ok(changes)
    }

    /// The fitted indentations of all new lines in order, and whether they are as they were written.
    fn indents(&self, edits: &[Edit<'_>]) -> Option<(Vec<Vec<u8>>, bool)> {
        let parts = edits.iter().flat_map(|edit| &edit.parts);
        let wanted: Vec<&[u8]> = parts
            .filter_map(|part| if let Part::Indent(indent) = part { Some(indent.as_bytes()) } else { None })
            .collect();
        let rows = self.rows.iter().filter(|row| row.begins_line && !row.is_exact && !row.body.is_empty());
        let pairs: Vec<Pair<'_>> =
            rows.map(|row| (row.lead.old.as_bytes(), self.job.view.part(row.lead.seen.clone()))).collect();
        let is_same = pairs.iter().all(|(written, found)| written == found);
        let text = || self.job.view.text.split(|byte| *byte == b'\n').take(MOST_LOOKED_AT);
        let fit = |pairs: &[Pair<'_>]| indent::fit(pairs, &wanted, || indent::unit_of(text()));
        let fitted = fit(&pairs);
        // the old text may begin behind the indentation of its first line, or leave out that of all of them
        let fitted = match pairs.split_first() {
            Some(((b"", [_, ..]), others)) => match (fitted, fit(others)) {
                (Some(a), Some(b)) if a != b => None,
                (a, b) => a.or(b),
            },
            Some(_) | None => fitted,
        };
        Some((fitted?, is_same))
    }

    /// Ends a line as that which it replaces did, else as the one into which it is put; a whole line that comes behind
    /// another of the match as that one.
    fn feed(&self, bytes: &mut Vec<u8>, replaced: Option<Eol>, range: &Range<usize>) -> Result<(), Unclear> {
        let view = self.job.view;
        let behind_a_line = range.is_empty() && view.part(self.place.start..range.start).ends_with(b"\n");
        let before = || behind_a_line.then(|| view.end_at(range.start - 1));
        let end = match replaced.or_else(before) {
            Some(end) => end,
            None if view.line_around(range).contains(&b'\r') => return Err(Unclear::Returns),
            None => view.end_around(range).unwrap_or(self.job.first_end),
        };
        if end == Eol::Lf && bytes.last() == Some(&b'\r') {
            return Err(Unclear::Returns);
        }
        bytes.extend_from_slice(end.bytes());
        Ok(())
    }

    /// A carriage return alone must not come to stand before a line feed: they would be one line end.
    fn check_seams(&self, change: &Change) -> Result<(), Unclear> {
        let view = self.job.view;
        if view.has_returns_only() {
            return Ok(());
        }
        let before = change.range.start.checked_sub(1).and_then(|at| view.text.get(at)).copied();
        let feed_follows =
            view.text.get(change.range.end) == Some(&b'\n') && view.end_at(change.range.end) == Eol::Lf;
        let first = change.bytes.first().copied().or(feed_follows.then_some(b'\n'));
        let last = change.bytes.last().copied().or(before);
        let is_joined = before == Some(b'\r') && first == Some(b'\n');
        let joins = last == Some(b'\r') && feed_follows;
        if is_joined || joins { Err(Unclear::Returns) } else { Ok(()) }
    }
}
