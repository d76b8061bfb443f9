//! Which places of a growing text are code.
//!
//! No parser of Markdown: fences and the backticks of one line are followed, which is what tells a tag that a model writes
//! in earnest from one that it writes about. The surprising decision: the text is read only up to the places that are
//! asked for, so that an answer without a tag costs nothing.

use memchr::{memchr, memchr_iter};

/// Deeper than so many spaces a line is code without any fence.
const MAX_INDENT: usize = 3;

/// Fences have at least so many characters.
const MIN_FENCE: usize = 3;

/// What has been read of a text.
#[derive(Debug, Default)]
pub(in crate::chat) struct CodePlaces {
    /// Where the line begins that is being read.
    line: usize,
    /// Up to where it has been read.
    read: usize,
    /// Backticks in it so far.
    ticks: usize,
    fence: Option<Fence>,
}

/// An open fence.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Spot {
    /// The beginning of a line of prose.
    LineStart,
    /// Further on in such a line.
    InLine,
    /// In a fence or between backticks.
    Code,
}

impl CodePlaces {
    /// What the byte at `at` of `text` is. Neither may be before what was asked last; the text may have grown.
    pub(in crate::chat) fn spot(&mut self, text: &str, at: usize) -> Spot {
        self.read_to(text, at);
        if self.fence.is_some() {
            return Spot::Code;
        }
        let before = text.get(self.line..at).unwrap_or_default();
        if before.len() <= MAX_INDENT && before.bytes().all(|byte| byte == b' ') {
            Spot::LineStart
        } else if self.ticks % 2 == 1 {
            Spot::Code
        } else {
            Spot::InLine
        }
    }

    /// What stands before `at` is nobody's text: a line begins there.
    pub(in crate::chat) fn skip_to(&mut self, at: usize) {
        (self.line, self.read, self.ticks) = (at, at, 0);
    }

    fn read_to(&mut self, text: &str, at: usize) {
        let bytes = text.as_bytes();
        while let Some(length) = memchr(b'\n', bytes.get(self.read..at).unwrap_or_default()) {
            let end = self.read + length;
            self.end_line(text.get(self.line..end).unwrap_or_default());
            self.skip_to(end + 1);
        }
        self.ticks += memchr_iter(b'`', bytes.get(self.read..at).unwrap_or_default()).count();
        self.read = self.read.max(at);
    }

    fn end_line(&mut self, line: &str) {
        let line = line.trim_start();
        let Some(mark @ (b'`' | b'~')) = line.bytes().next() else { return };
        let length = line.bytes().take_while(|byte| *byte == mark).count();
        let rest = line.get(length..).unwrap_or_default();
        match self.fence {
            None if length >= MIN_FENCE && !(mark == b'`' && rest.contains('`')) => {
                self.fence = Some(Fence { mark, length });
            }
            Some(open) if open.mark == mark && length >= open.length && rest.trim().is_empty() => {
                self.fence = None;
            }
            None | Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each `X` of `text` is: `l`, `i` or `c`.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut places = CodePlaces::default();
        let spots = text.match_indices('X').map(|(at, _)| {
            // It is never asked for more than has come.
            match places.spot(text.get(..=at).unwrap(), at) {
                Spot::LineStart => 'l',
                Spot::InLine => 'i',
                Spot::Code => 'c',
            }
        });
        assert_eq!(spots.collect::<String>(), expected, "{text:?}");
    }

    #[test]
    fn fences_and_backticks_hold_code() {
        check("X X\n  X\n    X", "lili");
        check("```\nX\n```\nX", "cl");
        check("```rust X\nX\n``\nX\n```\nX", "cccl");
        check("~~~~\n```\nX\n~~~\nX\n~~~~~\nX", "ccl");
        check("- a\n\n  ```json\n  X\n  ```\nX", "cl");
        check("`X` X `` X\n`X", "ciic");
        check("```a`\nX", "l");
        check("`X\nX X", "cli");
        check("\u{e9}\r\nX", "l");
    }

    #[test]
    fn what_is_skipped_is_no_code() {
        let mut places = CodePlaces::default();
        let text = "a\n```\nb`\n X";
        assert_eq!(places.spot(text, 1), Spot::InLine);
        places.skip_to(9);
        assert_eq!(places.spot(text, 10), Spot::LineStart);
    }
}
