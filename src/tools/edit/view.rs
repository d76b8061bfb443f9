//! A file's bytes as the model knows them: lines that end in a line feed, without a byte order mark.
//!
//! Not a decoded text: the view is bytes as well, it only leaves out the mark and the carriage return before a line
//! feed, and knows for each of its places where that lies in the file. So what is found here can be cut out there, and
//! no byte outside is ever written anew.

use std::borrow::Cow;
use std::ops::Range;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The view of one file.
#[derive(Debug)]
pub struct View<'a> {
    /// The bytes as seen.
    pub text: Cow<'a, [u8]>,
    /// Where in `text` a line feed stands for carriage return and line feed; ascending.
    pairs: Vec<usize>,
    /// Length of the byte order mark before the text.
    bom: usize,
}

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eol {
    /// Line feed.
    Lf,
    /// Carriage return and line feed.
    CrLf,
}

impl Eol {
    /// Its bytes.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

impl<'a> View<'a> {
    /// Looks at a file.
    pub fn new(file: &'a [u8]) -> Self {
        let text = file.strip_prefix(BOM).unwrap_or(file);
        let bom = file.len() - text.len();
        if !text.windows(2).any(|pair| pair == b"\r\n") {
            return Self { text: Cow::Borrowed(text), pairs: Vec::new(), bom };
        }
        let mut seen = Vec::with_capacity(text.len());
        let mut pairs = Vec::new();
        for (at, &byte) in text.iter().enumerate() {
            if byte == b'\r' && text.get(at + 1) == Some(&b'\n') {
                pairs.push(seen.len());
            } else {
                seen.push(byte);
            }
        }
        Self { text: Cow::Owned(seen), pairs, bom }
    }

    /// Where a place of the view lies in the file; before a line end means before all of it.
    pub fn in_file(&self, at: usize) -> usize {
        self.bom + at + self.pairs.partition_point(|pair| *pair < at)
    }

    /// A stretch of the view in the file.
    pub fn range_in_file(&self, range: &Range<usize>) -> Range<usize> {
        self.in_file(range.start)..self.in_file(range.end)
    }

    /// How the lines within `range` end, in order.
    pub fn ends_within(&self, range: &Range<usize>) -> Vec<Eol> {
        let bytes = self.text.get(range.clone()).unwrap_or_default();
        let feeds = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        feeds.map(|(at, _)| self.end_at(range.start + at)).collect()
    }

    /// How the line ends in which `range` ends; for the last line without an end, how the line before it does.
    pub fn end_around(&self, range: &Range<usize>) -> Eol {
        let after = self.text.get(range.end..).unwrap_or_default();
        let before = self.text.get(..range.start).unwrap_or_default();
        let next = after.iter().position(|byte| *byte == b'\n').map(|at| range.end + at);
        let feed = next.or_else(|| before.iter().rposition(|byte| *byte == b'\n'));
        feed.map_or(Eol::Lf, |at| self.end_at(at))
    }

    /// Number from 1 of the line in which `at` lies.
    pub fn line_number(&self, at: usize) -> usize {
        1 + feeds(self.text.get(..at).unwrap_or_default())
    }

    fn end_at(&self, feed: usize) -> Eol {
        if self.pairs.binary_search(&feed).is_ok() { Eol::CrLf } else { Eol::Lf }
    }
}

/// How many line feeds there are.
pub fn feeds(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_no_mark_and_no_carriage_return_before_a_feed() {
        let view = View::new(b"\xef\xbb\xbfa\r\nb\nc\rd\r\n");
        assert_eq!(&*view.text, b"a\nb\nc\rd\n");
        assert_eq!((view.in_file(0), view.in_file(1), view.in_file(2)), (3, 4, 6));
        assert_eq!(view.range_in_file(&(0..view.text.len())), 3..13);
        assert_eq!(view.ends_within(&(0..8)), [Eol::CrLf, Eol::Lf, Eol::CrLf]);
        assert_eq!(view.line_number(4), 3);
    }

    #[test]
    fn a_line_without_an_end_takes_that_of_its_neighbour() {
        let view = View::new(b"a\r\nb\nc");
        assert_eq!(view.end_around(&(0..1)), Eol::CrLf);
        assert_eq!(view.end_around(&(2..3)), Eol::Lf);
        assert_eq!(view.end_around(&(4..5)), Eol::Lf);
        assert_eq!(View::new(b"a\r\nb").end_around(&(2..3)), Eol::CrLf);
        assert_eq!(View::new(b"a").end_around(&(0..1)), Eol::Lf);
    }
}
