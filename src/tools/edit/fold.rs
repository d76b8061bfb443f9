//! Texts with what does not count left out: blanks, and on request the way a character is written.
//!
//! A line is cut into pieces, each with what it stands for: a run of blanks for one space, a curly quote for a straight
//! one, a decomposed letter for a composed one. Two lines are the same if their pieces are, and then piece answers to
//! piece, so that a place in one is known in the other. Only what is the same text to a reader is folded: no letter case,
//! no full-width forms, no ellipsis, and never blanks against none.

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// How many blanks (spaces and tabs) there are, and whether any stand at the ends of a line.
    Blanks,
    /// Besides: which quotes, dashes and spaces, how accents are composed, and which bytes it is that are no UTF-8.
    Typography,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// How many bytes it has.
    pub(super) length: usize,
    /// What it stands for.
    pub(super) meaning: Meaning,
}

/// What a piece stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// One space.
    Blank,
    /// A byte: ASCII, or any where only blanks are folded.
    Byte(u8),
    /// A character that is more than a byte, or has marks.
    Letter(String),
}

impl Meaning {
    /// As bytes of a folded text.
    pub(super) fn push_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Blank => out.push(b' '),
            Self::Byte(byte) => out.push(*byte),
            Self::Letter(text) => out.extend_from_slice(text.as_bytes()),
        }
    }

    /// How many bytes that are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Blank | Self::Byte(_) => 1,
            Self::Letter(text) => text.len(),
        }
    }

    /// Whether it is part of a word.
    pub(super) fn is_word(&self) -> bool {
        match self {
            Self::Blank => false,
            Self::Byte(byte) => !byte.is_ascii() || byte.is_ascii_alphanumeric() || *byte == b'_',
            Self::Letter(text) => text.chars().any(|letter| letter.is_alphanumeric() || letter == '\u{fffd}'),
        }
    }

    /// Whether it is a quote or a dash: the characters for which others are written.
    pub(super) fn is_mark(&self) -> bool {
        matches!(self, Self::Byte(b'"' | b'\'' | b'-'))
    }
}

/// A line in pieces, and the blanks around it.
#[derive(Debug, Default)]
pub(super) struct Folded {
    /// Bytes of the blanks before the first piece.
    pub(super) lead: usize,
    /// The pieces.
    pub(super) pieces: Vec<Piece>,
    /// Bytes of the blanks after the last piece; a line of nothing but blanks has none here.
    pub(super) trail: usize,
}

/// Cuts a line (without its end) into pieces.
pub(super) fn fold(line: &[u8], level: Level) -> Folded {
    let mut pieces = cut(line, level);
    let blank = |piece: Option<&Piece>| {
        piece.filter(|piece| piece.meaning == Meaning::Blank).map_or(0, |piece| piece.length)
    };
    let lead = blank(pieces.first());
    if lead > 0 {
        pieces.remove(0);
    }
    let trail = blank(pieces.last());
    if trail > 0 {
        pieces.pop();
    }
    Folded { lead, pieces, trail }
}

/// Puts what a line (without its end) folds to behind `out`, without the blanks at its ends.
pub(super) fn fold_onto(line: &[u8], level: Level, out: &mut Vec<u8>) {
    if level == Level::Typography && !line.is_ascii() {
        return fold(line, level).pieces.iter().for_each(|piece| piece.meaning.push_to(out));
    }
    let mut was_blank = false;
    for &byte in trim(line) {
        let is_blank = is_blank(byte);
        if !(is_blank && was_blank) {
            out.push(if is_blank { b' ' } else { byte });
        }
        was_blank = is_blank;
    }
}

/// Whether a byte is a space or a tab.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Without the blanks at the ends.
pub(super) fn trim(line: &[u8]) -> &[u8] {
    let start = line.iter().take_while(|byte| is_blank(**byte)).count();
    trim_end(line.get(start..).unwrap_or_default())
}

/// Without the blanks at the end.
pub(super) fn trim_end(line: &[u8]) -> &[u8] {
    let end = line.len() - line.iter().rev().take_while(|byte| is_blank(**byte)).count();
    line.get(..end).unwrap_or_default()
}

/// A text as it looks: full-width forms and the like as plain ones, characters without width left out.
pub(super) fn looks(text: &str) -> String {
    text.nfkc().map(plain).filter(|letter| !has_no_width(*letter)).collect()
}

/// Whether nothing of a character is seen, not even a space.
pub(super) fn has_no_width(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Whether a character looks like a space and is none.
pub(super) fn is_odd_space(letter: char) -> bool {
    letter != ' ' && plain(letter) == ' '
}

/// Whether a mark follows that belongs to the character before it.
pub(super) fn begins_with_mark(text: &[u8]) -> bool {
    let first = text.get(..text.len().min(4)).unwrap_or_default();
    let first = first.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    first.is_some_and(|letter| canonical_combining_class(letter) != 0)
}

fn cut(line: &[u8], level: Level) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut push = |length: usize, meaning: Meaning| match pieces.last_mut() {
        Some(last) if last.meaning == Meaning::Blank && meaning == Meaning::Blank => last.length += length,
        _ => pieces.push(Piece { length, meaning }),
    };
    match level {
        Level::Blanks => line.iter().for_each(|byte| push(1, of_byte(*byte))),
        Level::Typography => {
            for chunk in line.utf8_chunks() {
                letters(chunk.valid(), &mut push);
                if !chunk.invalid().is_empty() {
                    push(chunk.invalid().len(), Meaning::Letter('\u{fffd}'.to_string()));
                }
            }
        }
    }
    pieces
}

/// The characters of a text, each with the marks that compose with it.
fn letters(text: &str, push: &mut impl FnMut(usize, Meaning)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let marks = rest.chars().skip(1).take_while(|letter| joins_the_one_before(*letter));
        let length = first.len_utf8() + marks.map(char::len_utf8).sum::<usize>();
        let (letter, after) = rest.split_at(length);
        push(length, meaning(letter));
        rest = after;
    }
}

/// Whether a character may become one with what stands before it.
fn joins_the_one_before(letter: char) -> bool {
    !letter.is_ascii()
        && (canonical_combining_class(letter) != 0
            || is_nfc_quick(std::iter::once(letter)) == IsNormalized::Maybe)
}

fn of_byte(byte: u8) -> Meaning {
    if is_blank(byte) { Meaning::Blank } else { Meaning::Byte(byte) }
}

fn meaning(letter: &str) -> Meaning {
    if let &[byte] = letter.as_bytes() {
        return of_byte(byte);
    }
    let composed: String = letter.nfc().map(plain).collect();
    match composed.as_bytes() {
        &[byte] => of_byte(byte),
        _ => Meaning::Letter(composed),
    }
}

/// The character on a keyboard for which a typesetter has others.
fn plain(letter: char) -> char {
    match letter {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => '"',
        // hyphens, the dashes for figures, ranges and thoughts, the bar, and minus
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        // no-break, of every width, narrow, mathematical, ideographic
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(line: &[u8], level: Level) -> String {
        let mut out = Vec::new();
        fold_onto(line, level, &mut out);
        let pieces = fold(line, level);
        let mut by_pieces = Vec::new();
        pieces.pieces.iter().for_each(|piece| piece.meaning.push_to(&mut by_pieces));
        assert_eq!(out, by_pieces, "both ways fold alike");
        let lengths: usize = pieces.pieces.iter().map(|piece| piece.length).sum();
        assert_eq!(pieces.lead + lengths + pieces.trail, line.len(), "nothing is lost");
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn blanks_are_one_and_none_at_the_ends() {
        let check = |line: &str, expected: &str| {
            assert_eq!(folded(line.as_bytes(), Level::Blanks), expected);
            assert_eq!(folded(line.as_bytes(), Level::Typography), expected);
        };
        check("\t a \t b  ", "a b");
        check("  \t", "");
        check("", "");
        check("ab", "ab");
        assert_eq!(folded("a\u{a0}b".as_bytes(), Level::Blanks), "a\u{a0}b");
    }

    #[test]
    fn what_reads_the_same_is_the_same() {
        let check = |a: &str, b: &str| {
            assert_eq!(
                folded(a.as_bytes(), Level::Typography),
                folded(b.as_bytes(), Level::Typography),
                "{a} {b}"
            );
        };
        check("\u{201c}a\u{201d} \u{2018}b\u{2019}", "\"a\" 'b'");
        check("1\u{2013}2 \u{2014} \u{2212}3", "1-2 - -3");
        check("caf\u{e9}", "cafe\u{301}");
        check("\u{d55c}", "\u{1112}\u{1161}\u{11ab}");
        check("10\u{a0}km\u{3000} x", "10 km x");
        // two marks in either order, as they do not touch
        check("q\u{323}\u{307}", "q\u{307}\u{323}");
    }

    #[test]
    fn what_reads_otherwise_stays_apart() {
        let check = |a: &str, b: &str| {
            assert_ne!(
                folded(a.as_bytes(), Level::Typography),
                folded(b.as_bytes(), Level::Typography),
                "{a} {b}"
            );
        };
        check("...", "\u{2026}");
        check("\u{ff08}", "(");
        check("a\u{200b}b", "ab");
        check("a b", "ab");
        check("A", "a");
        check("\u{ab}a\u{bb}", "\"a\"");
        check("e\u{301}", "e");
        check("--", "\u{2014}");
    }

    #[test]
    fn bytes_that_are_no_text_are_one_sign_each() {
        assert_eq!(folded(b"caf\xe9 \xff", Level::Typography), "caf\u{fffd} \u{fffd}");
        assert!(begins_with_mark("\u{301}".as_bytes()));
        assert!(!begins_with_mark(b"\xcc") && !begins_with_mark(b"e") && !begins_with_mark(b""));
    }
}
