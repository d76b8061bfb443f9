//! Finds what an edit means and makes the new bytes of the file. Pure: bytes in, bytes out.
//!
//! Three steps and no more: the text exactly; else but for blanks; else but for quotes, dashes and how letters are
//! composed. A step that finds one place takes it, one that finds several refuses. Every looser step that other programs
//! take buys wrong writes. The surprise: within a match, what the old and the new text have in common is not written
//! either, so even mixed line ends and typeset quotes survive an edit around them.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

pub use super::find::{Found, LinesAt};
use super::find::{MOST_PLACES, exactly, loosely, whole_lines};
pub use super::fit::Unclear;
use super::fit::{Grain, Job, changes};
use super::fold::{Level, begins_with_mark};
use super::letters::is_mostly_utf8;
use super::view::Eol;
pub use super::view::{Change, NotText, View};

const MARK: char = '\u{feff}';

/// Which of the matches are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The only one.
    One,
    /// Each.
    All,
}

/// A file after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// How many places were replaced.
    pub places: usize,
    /// How they were found.
    pub found: Found,
}

/// Why a file was not edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The old text is empty.
    Empty,
    /// Old and new are the same.
    Same,
    /// They differ in line ends only.
    OnlyLineEnds,
    /// The file would be the same: old and new differ in nothing that the file has.
    NoChange,
    /// The file is no text that can be edited by bytes; says what it is.
    NotText(&'static str),
    /// The file is not UTF-8 and what is new is not ASCII.
    OtherEncoding,
    /// The old text is nowhere.
    Nowhere,
    /// It is in several places: the lines (from 1) where they begin, and how they were found.
    Several(Vec<usize>, Found),
    /// It is found, but what would come there is not beyond doubt; the line where it begins.
    Unclear(usize, Unclear),
}

impl From<NotText> for Refused {
    fn from(NotText(what): NotText) -> Self {
        Self::NotText(what)
    }
}

/// Replaces `old` by `new`, both in any line ends, in the bytes of a file.
pub fn edit(file: &[u8], old: &str, new: &str, which: Which) -> Result<Edited, Refused> {
    if old.is_empty() {
        return Err(Refused::Empty);
    }
    if old == new {
        return Err(Refused::Same);
    }
    let view = View::new(file)?;
    let texts = Texts::of(&view, old, new)?;
    let (places, found) = texts.find(&view, which)?;
    let grain = match found {
        Found::Exactly => Grain::Exact,
        Found::ButForTrailing | Found::ButForBlanks => Grain::Folded(Level::Blanks),
        Found::ButForTypography => Grain::Folded(Level::Typography),
    };
    let job = Job { view: &view, old: &texts.old, new: &texts.new, grain, first_end: texts.first_end };
    let mut all = Vec::new();
    for place in &places {
        let unclear = |why| Refused::Unclear(view.line_number(place.start), why);
        texts.check_mark(place).map_err(unclear)?;
        let made = changes(&job, place).map_err(unclear)?;
        check_letter(&view, place, &made).map_err(unclear)?;
        all.extend(made);
    }
    let bytes = finish(file, &view, &all)?;
    Ok(Edited { bytes, places: places.len(), found })
}

/// Where these whole lines (without their ends) stand, from line number `from` (from 0) on: all such places in order, in
/// whatever way they are there. Which to take is the caller's affair.
pub fn find_lines(view: &View<'_>, old: &[&str], from: usize) -> Vec<LinesAt> {
    whole_lines(view, &view.lines(), old, from)
}

/// The file with the changes, if they may be made and make a difference.
fn finish(file: &[u8], view: &View<'_>, changes: &[Change]) -> Result<Vec<u8>, Refused> {
    check_encoding(view, changes)?;
    let bytes = view.splice(file, changes);
    if bytes == file { Err(Refused::NoChange) } else { Ok(bytes) }
}

/// Whether what is new can be written in the file's encoding.
pub fn check_encoding(view: &View<'_>, changes: &[Change]) -> Result<(), Refused> {
    let is_new = |change: &&Change| !change.bytes.is_ascii();
    let Some(first) = changes.iter().find(is_new) else { return Ok(()) };
    if view.is_utf16() || std::str::from_utf8(&view.text).is_ok() {
        return Ok(());
    }
    // a sign that stands for unknown bytes is not what anybody means to write
    let stands_for_bytes = memmem::find(&first.bytes, "\u{fffd}".as_bytes()).is_some();
    if is_mostly_utf8(&view.text) && !stands_for_bytes { Ok(()) } else { Err(Refused::OtherEncoding) }
}

/// Whether the end of the match may be replaced: not if a mark follows that belongs to its last letter.
fn check_letter(view: &View<'_>, place: &Range<usize>, changes: &[Change]) -> Result<(), Unclear> {
    let rest = view.part(place.end..view.text.len());
    let replaces_end = changes.last().is_some_and(|change| change.range.end == place.end);
    let ends_line = view.part(0..place.end).ends_with(b"\n");
    if replaces_end && !ends_line && begins_with_mark(rest) { Err(Unclear::Letter) } else { Ok(()) }
}

/// The texts of the model as the view has them: line feeds only, no byte order mark.
struct Texts {
    old: String,
    new: String,
    /// Whether the old text has the file's byte order mark before it, and so can only be at its beginning.
    is_first: bool,
    /// Whether the new text begins with a byte order mark that the old one has not.
    adds_mark: bool,
    /// How lines end where the file has none yet.
    first_end: Eol,
}

impl Texts {
    fn of(view: &View<'_>, old: &str, new: &str) -> Result<Self, Refused> {
        let is_first = view.has_mark() && old.starts_with(MARK);
        let bare = |text: &str| text.strip_prefix(MARK).filter(|_| is_first).unwrap_or(text).to_owned();
        let feeds = |text: String| {
            let text = if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text };
            if view.has_returns_only() { text.replace('\r', "\n") } else { text }
        };
        let first_end = if new.contains("\r\n") { Eol::CrLf } else { Eol::Lf };
        let adds_mark = new.starts_with(MARK) && !old.starts_with(MARK);
        let texts = Self { old: feeds(bare(old)), new: feeds(bare(new)), is_first, adds_mark, first_end };
        if texts.old.is_empty() {
            return Err(Refused::Empty);
        }
        if texts.old == texts.new {
            return Err(Refused::OnlyLineEnds);
        }
        Ok(texts)
    }

    /// The places that are meant, and how they were found.
    fn find(&self, view: &View<'_>, which: Which) -> Result<(Vec<Range<usize>>, Found), Refused> {
        let old = self.old.as_bytes();
        let (step, most) = match which {
            Which::One => (1, MOST_PLACES),
            Which::All => (old.len(), usize::MAX),
        };
        let steps = [
            (Found::Exactly, None),
            (Found::ButForBlanks, Some(Level::Blanks)),
            (Found::ButForTypography, Some(Level::Typography)),
        ];
        for (found, level) in steps {
            let mut hits = match level {
                None => exactly(view, old, step, most),
                Some(level) => loosely(view, &self.old, level),
            };
            if self.is_first {
                hits.places.retain(|place| place.start == 0);
            }
            let Some(first) = hits.places.first() else { continue };
            if hits.places.len() > 1 && !(which == Which::All && found == Found::Exactly) {
                return Err(several(view, hits.places.iter().map(|place| place.start), found));
            }
            if hits.is_unclear {
                return Err(Refused::Unclear(view.line_number(first.start), Unclear::Letter));
            }
            return Ok((hits.places, found));
        }
        Err(Refused::Nowhere)
    }

    /// A file gets no byte order mark by an edit, nor a second one.
    fn check_mark(&self, place: &Range<usize>) -> Result<(), Unclear> {
        if self.adds_mark && place.start == 0 { Err(Unclear::ByteOrderMark) } else { Ok(()) }
    }
}

fn several(view: &View<'_>, starts: impl Iterator<Item = usize>, found: Found) -> Refused {
    let (mut number, mut from) = (1, 0);
    let numbers = starts.map(|at| {
        number += memchr_iter(b'\n', view.part(from..at)).count();
        from = at;
        number
    });
    Refused::Several(numbers.collect(), found)
}

#[cfg(test)]
mod tests;
