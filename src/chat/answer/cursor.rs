//! A place in a text that may still grow, and what stands there.
//!
//! It reads words, and says so where the text ends before it is clear whether one stands there. It never goes back, so
//! that a text which comes letter by letter costs no more than one that comes at once.

use std::ops::Range;

/// A text, and whether it may grow.
#[derive(Debug, Clone, Copy)]
pub(in crate::chat) struct Growing<'a> {
    pub(in crate::chat) text: &'a str,
    pub(in crate::chat) rest: Rest,
}

/// Whether more text can come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Rest {
    Open,
    Ended,
}

/// How a word compares with what stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Seen {
    /// It stands there.
    Whole,
    /// Its beginning does, and more may come.
    Half,
    /// Something else does, or nothing at the end.
    No,
}

/// The name in a tag.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::chat) enum Name {
    At(Range<usize>),
    Unfinished,
    /// No name stands there, or none that is short enough.
    No,
}

impl<'a> Growing<'a> {
    /// What follows behind `at`.
    pub(in crate::chat) fn behind(self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    /// What stands at `place`.
    pub(in crate::chat) fn part(self, place: Range<usize>) -> &'a str {
        self.text.get(place).unwrap_or_default()
    }

    /// How `word` compares with what stands at `at`.
    pub(in crate::chat) fn see(self, at: usize, word: &str) -> Seen {
        let there = self.behind(at);
        if there.starts_with(word) {
            Seen::Whole
        } else if self.rest == Rest::Open && word.starts_with(there) {
            Seen::Half
        } else {
            Seen::No
        }
    }

    /// The place behind the blank space at `at`.
    pub(in crate::chat) fn behind_blank(self, at: usize) -> usize {
        self.text.len() - self.behind(at).trim_start().len()
    }

    /// The name from `at` up to a `>`, of at most `longest` bytes.
    pub(in crate::chat) fn name(self, at: usize, longest: usize) -> Name {
        let there = self.behind(at);
        let name = there.get(..there.floor_char_boundary(longest)).unwrap_or_default();
        match name.find(['>', '\n', '<']) {
            Some(length) if length > 0 && name.get(length..).is_some_and(|end| end.starts_with('>')) => {
                Name::At(at..at + length)
            }
            Some(_) => Name::No,
            None if there.len() >= longest || self.rest == Rest::Ended => Name::No,
            None => Name::Unfinished,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_stand_there_in_half() {
        #[track_caller]
        fn check(text: &str, rest: Rest, expected: Seen) {
            assert_eq!(Growing { text, rest }.see(1, "ab"), expected, "{text:?} {rest:?}");
        }
        check("xabc", Rest::Open, Seen::Whole);
        check("xa", Rest::Open, Seen::Half);
        check("x", Rest::Open, Seen::Half);
        check("xac", Rest::Open, Seen::No);
        check("xa", Rest::Ended, Seen::No);
        check("", Rest::Open, Seen::Half);
    }

    #[test]
    fn blank_space_is_passed_over() {
        let text = Growing { text: "a \u{3000}\nb ", rest: Rest::Open };
        assert_eq!((text.behind_blank(0), text.behind_blank(1), text.behind_blank(7)), (0, 6, 8));
        assert_eq!((text.behind(6), text.part(6..7)), ("b ", "b"));
    }

    #[test]
    fn a_name_ends_with_its_tag() {
        #[track_caller]
        fn check(text: &str, expected: &Name) {
            assert_eq!(Growing { text, rest: Rest::Open }.name(0, 4), *expected, "{text:?}");
        }
        check("abc>", &Name::At(0..3));
        check("ab", &Name::Unfinished);
        check("", &Name::Unfinished);
        check("abcd>", &Name::No);
        check("a\n>", &Name::No);
        check("<a>", &Name::No);
        check(">", &Name::No);
        check("abéx>", &Name::No);
        assert_eq!(Growing { text: "ab", rest: Rest::Ended }.name(0, 4), Name::No);
    }
}
