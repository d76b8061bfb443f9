//! One row of styled text: cut to a width by cells, compared with the row before it, written as bytes.
//!
//! The last guard of the screen is here: whatever a span holds, no control character of it reaches the terminal; each
//! becomes U+FFFD. Nothing else is judged here, since texts come sanitised.

use std::borrow::Cow;

use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::link::Links;
use super::pen::Pen;

/// A live row as it stands on the screen: no control characters, no wider than the screen, no blanks at its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Row {
    runs: Vec<Run>,
    width: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    ink: Ink,
    text: String,
}

/// What a text is written with, and the link that it is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ink {
    pen: Pen,
    link: Option<u32>,
}

/// About as many bytes as a change of colour and the one back take.
const COLOUR: usize = 20;

/// The part of a row in which it differs from another: the columns from one up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) from: u16,
    until: u16,
    pub(super) erased: Erased,
}

/// Whether something of the other row would be left behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erased {
    Yes,
    No,
}

impl Ink {
    /// The ink for a text that follows: blanks on which none is seen are written with that which is at hand.
    fn at_hand(self, next: Self, text: &str) -> Self {
        let is_unseen = |ink: Self| !ink.pen.marks_blanks();
        let keeps = self.link == next.link && is_unseen(self) && is_unseen(next);
        if keeps && text.bytes().all(|byte| byte == b' ') { self } else { next }
    }

    fn inverted(self) -> Self {
        Self { pen: self.pen.inverted(), ..self }
    }

    /// Writes what leads from this ink to `next`.
    fn change_to(self, next: Self, links: &Links, out: &mut Vec<u8>) {
        self.pen.change_to(next.pen, out);
        links.change(self.link, next.link, out);
    }
}

impl Row {
    /// The line cut to `width` cells, with the cell at column `cursor` painted as the cursor; of its links those in `links`.
    pub(super) fn fit(line: &Line<'_>, width: u16, cursor: Option<u16>, links: &Links) -> Self {
        let mut row = Self::default();
        'line: for (ink, text) in spans(line, links) {
            let from = row.width;
            // a letter a cell, and none that could join the one before it
            if text.is_ascii() && cursor.is_none_or(|col| col < from) {
                let room = text.get(..usize::from(width - from)).unwrap_or(&text);
                if !room.is_empty() {
                    row.push(ink, room, u16::try_from(room.len()).unwrap_or(u16::MAX));
                }
                if room.len() < text.len() {
                    break;
                }
                continue;
            }
            for glyph in text.graphemes(true) {
                let end = row.width.saturating_add(cells(glyph));
                if end > width {
                    break 'line;
                }
                let under_cursor = cursor.is_some_and(|col| (row.width..end).contains(&col));
                row.push(if under_cursor { ink.inverted() } else { ink }, glyph, cells(glyph));
            }
        }
        match cursor.filter(|col| (row.width..width).contains(col)) {
            Some(col) => {
                (row.width..col).for_each(|_| row.push(Ink::default(), " ", 1));
                row.push(Ink::default().inverted(), " ", 1);
            }
            None => row.drop_blank_end(),
        }
        row
    }

    /// Cells taken.
    pub(super) fn width(&self) -> u16 {
        self.width
    }

    /// What must be written so that this row stands where `old` does. Glyphs of several characters (flags, joined emoji)
    /// end what is taken to stand in its column, because terminals disagree on their width.
    pub(super) fn change_of(&self, old: &Self) -> Change {
        let from = self.same_start(old);
        let end = if self.width == old.width { self.same_end(old, from) } else { 0 };
        // what is written covers what stood there, if that took the columns that we think
        let covers =
            end > 0 || self.width >= old.width && old.glyphs_from(from).all(|(_, glyph)| is_one_cell(glyph));
        let erased = if covers { Erased::No } else { Erased::Yes };
        Change { from, until: self.width - end, erased }
    }

    /// Columns at the start that need not be written again where `old` stands.
    fn same_start(&self, old: &Self) -> u16 {
        (self.glyphs().zip(old.glyphs()))
            .take_while(|(new, old)| new == old && new.1.chars().nth(1).is_none())
            .map(|((_, glyph), _)| cells(glyph))
            .sum()
    }

    /// The same at the end, of rows of one width that are alike up to the column `from`; none where what differs may take
    /// other columns than we think.
    fn same_end(&self, old: &Self, from: u16) -> u16 {
        let room = self.width - from;
        let alike = (self.glyphs_from_end().zip(old.glyphs_from_end())).take_while(|(new, old)| new == old);
        let ends = alike.scan(0_u16, |end, ((_, glyph), _)| {
            *end += cells(glyph);
            (*end <= room).then_some(*end)
        });
        let end = ends.last().unwrap_or(0);
        let until = self.width - end;
        let mut unlike = self.part(from, until).chain(old.part(from, until));
        if unlike.all(|(_, glyph)| is_one_cell(glyph)) { end } else { 0 }
    }

    /// About as many bytes as the row takes.
    pub(super) fn bytes(&self) -> usize {
        self.runs.iter().map(|run| run.text.len() + if run.ink == Ink::default() { 0 } else { COLOUR }).sum()
    }

    /// How many of its bytes at the start are as in `old`.
    pub(super) fn same_bytes(&self, old: &Self) -> usize {
        let mut same = 0;
        for (new, old) in self.runs.iter().zip(&old.runs).take_while(|(new, old)| new.ink == old.ink) {
            let alike = new.text.bytes().zip(old.text.bytes()).take_while(|(new, old)| new == old).count();
            same += alike;
            if alike < new.text.len().max(old.text.len()) {
                break;
            }
        }
        same
    }

    /// Writes all of it, and leaves the plain style behind.
    pub(super) fn write(&self, links: &Links, out: &mut Vec<u8>) {
        write(self.runs.iter().map(|run| (run.ink, run.text.as_str())), links, out);
    }

    /// Writes what stands between two columns, and leaves the plain style behind.
    pub(super) fn write_part(&self, change: Change, links: &Links, out: &mut Vec<u8>) {
        write(self.part(change.from, change.until), links, out);
    }

    /// How often a terminal of `width` columns breaks this row before or at the cell in column `col`; past the
    /// row's end, in all.
    pub(super) fn breaks(&self, width: u16, col: u16) -> u16 {
        let (mut breaks, mut filled, mut passed) = (0, 0, 0_u16);
        for glyph in self.glyphs().map(|(_, glyph)| cells(glyph)) {
            if filled > 0 && filled + glyph > width {
                breaks += 1;
                filled = 0;
            }
            filled += glyph;
            passed += glyph;
            if passed > col {
                break;
            }
        }
        breaks
    }

    fn glyphs(&self) -> impl Iterator<Item = (Ink, &str)> {
        self.runs.iter().flat_map(|run| run.text.graphemes(true).map(|glyph| (run.ink, glyph)))
    }

    fn glyphs_from(&self, from: u16) -> impl Iterator<Item = (Ink, &str)> {
        let mut col = 0;
        self.glyphs().skip_while(move |(_, glyph)| {
            let before = col < from;
            col += cells(glyph);
            before
        })
    }

    fn part(&self, from: u16, until: u16) -> impl Iterator<Item = (Ink, &str)> {
        let mut col = from;
        self.glyphs_from(from).take_while(move |(_, glyph)| {
            let before = col;
            col += cells(glyph);
            before < until
        })
    }

    fn glyphs_from_end(&self) -> impl Iterator<Item = (Ink, &str)> {
        self.runs.iter().rev().flat_map(|run| run.text.graphemes(true).rev().map(|glyph| (run.ink, glyph)))
    }

    fn push(&mut self, ink: Ink, text: &str, cells: u16) {
        self.width += cells;
        match self.runs.last_mut() {
            Some(run) if run.ink == ink => run.text.push_str(text),
            Some(_) | None => self.runs.push(Run { ink, text: text.to_owned() }),
        }
    }

    /// Blanks that cannot be seen need no bytes, and would make the row break earlier than its text does.
    fn drop_blank_end(&mut self) {
        while let Some(run) = self.runs.last_mut().filter(|run| !run.ink.pen.marks_blanks()) {
            let text = run.text.trim_end_matches(' ').len();
            self.width -= u16::try_from(run.text.len() - text).unwrap_or(self.width);
            run.text.truncate(text);
            if text > 0 {
                break;
            }
            self.runs.pop();
        }
    }
}

/// Writes a line whole, of whatever width and with its links, and leaves the plain style behind.
pub(super) fn write_whole(line: &Line<'_>, links: &Links, out: &mut Vec<u8>) {
    write(spans(line, links), links, out);
}

fn write<T: AsRef<str>>(texts: impl Iterator<Item = (Ink, T)>, links: &Links, out: &mut Vec<u8>) {
    let mut last = Ink::default();
    for (ink, text) in texts {
        let ink = last.at_hand(ink, text.as_ref());
        last.change_to(ink, links, out);
        out.extend_from_slice(text.as_ref().as_bytes());
        last = ink;
    }
    links.change(last.link, None, out);
    last.pen.change_to(Pen::default(), out);
}

fn spans<'a>(line: &'a Line<'_>, links: &Links) -> impl Iterator<Item = (Ink, Cow<'a, str>)> {
    let style = line.style;
    line.spans.iter().map(move |span| {
        let style = style.patch(span.style);
        (Ink { pen: Pen::of(style), link: links.of(style) }, guarded(&span.content))
    })
}

fn guarded(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) {
        Cow::Owned(text.replace(char::is_control, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether all terminals give it one column, those too that count for the East.
fn is_one_cell(glyph: &str) -> bool {
    glyph.chars().nth(1).is_none() && glyph.width_cjk() == 1
}

fn cells(glyph: &str) -> u16 {
    u16::try_from(glyph.width()).unwrap_or(u16::MAX)
}
