//! Where characters begin in a text that is not UTF-8.
//!
//! In GBK, GB 18030, Big5 and Shift JIS the second byte of a character may look like an ASCII letter, a backslash or a
//! digit; what is found there is not there. Which encoding a file has is not known, so each that it could have is asked,
//! from the start of the line on: a line feed is a line feed in all of them. Where they disagree, that is the answer.

use memchr::memrchr;

/// Whether a character begins at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// It does.
    Surely,
    /// It depends on the encoding, which is not known.
    Perhaps,
    /// The place is within a character.
    Not,
}

/// The encodings that a text could have.
#[derive(Debug)]
pub(super) struct Letters {
    doubles: Vec<Double>,
    /// Whether it could be one in which every byte is a character.
    singles: bool,
}

/// An encoding in which some characters have two bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Double {
    /// GBK and Big5; GB 18030 has characters of four bytes besides.
    Gb,
    ShiftJis,
}

/// How a text looks in an encoding.
#[derive(Debug, Default, Clone, Copy)]
struct Look {
    /// Lines that are no UTF-8 and can be read in it.
    lines: usize,
    /// Characters whose second byte is none of ASCII.
    high: usize,
    /// Characters whose second byte is.
    low: usize,
    /// Characters whose first byte is a control in Latin-1: all that are usual in Shift JIS.
    early: usize,
    /// Other characters that are not ASCII.
    late: usize,
}

impl Letters {
    /// Looks at all lines of a text that are not UTF-8.
    pub(super) fn of(text: &[u8]) -> Self {
        let others = || text.split(|byte| *byte == b'\n').filter(|line| std::str::from_utf8(line).is_err());
        let total = others().count();
        let mut letters = Self { doubles: Vec::new(), singles: true };
        for double in [Double::Gb, Double::ShiftJis] {
            let mut look = Look::default();
            others().for_each(|line| double.look_at(line, &mut look));
            let (is_likely, is_sure) = match double {
                Double::Gb => (true, look.high >= 2 && look.high >= look.low),
                Double::ShiftJis => (look.early >= look.late, look.early >= 2),
            };
            // a broken character or two do not make it another encoding
            if is_likely && total > 0 && look.lines * 10 >= total * 9 {
                letters.doubles.push(double);
                letters.singles &= !is_sure;
            }
        }
        // bytes that are no character in the usual encodings of single bytes
        let is_free = |byte: &u8| matches!(byte, 0x81 | 0x90);
        letters.singles &= letters.doubles.is_empty() || !others().flatten().any(is_free);
        letters
    }

    /// Whether a character begins at `at`.
    pub(super) fn begins(&self, text: &[u8], at: usize) -> Begins {
        let before = text.get(..at).unwrap_or_default();
        let line = before.get(memrchr(b'\n', before).map_or(0, |feed| feed + 1)..).unwrap_or_default();
        if std::str::from_utf8(line).is_ok() {
            return Begins::Surely;
        }
        let says_yes = self.doubles.iter().filter(|double| double.is_whole(line)).count();
        let (yes, no) = (says_yes + usize::from(self.singles), self.doubles.len() - says_yes);
        match (yes, no) {
            (_, 0) => Begins::Surely,
            (0, _) => Begins::Not,
            _ => Begins::Perhaps,
        }
    }
}

impl Double {
    fn look_at(self, line: &[u8], look: &mut Look) {
        let (mut rest, mut seen) = (line, *look);
        while !rest.is_empty() {
            match (self.first(rest), rest.get(1)) {
                (Some(2), Some(second)) if second.is_ascii() => seen.low += 1,
                (Some(2..), _) => seen.high += 1,
                (Some(_), _) => {}
                (None, _) => return,
            }
            match rest.first() {
                Some(0x81..=0x9f) => seen.early += 1,
                Some(0x80..) => seen.late += 1,
                Some(..0x80) | None => {}
            }
            rest = rest.get(self.first(rest).unwrap_or(1)..).unwrap_or_default();
        }
        *look = Look { lines: seen.lines + 1, ..seen };
    }

    /// Whether the start of a line ends where a character does; what cannot be read is passed over.
    fn is_whole(self, line: &[u8]) -> bool {
        let mut rest = line;
        while let Some(first) = rest.first() {
            // a character that is cut off by the end could go on there
            let is_cut = !first.is_ascii() && self.first(rest).is_none() && self.may_go_on(rest);
            if is_cut {
                return false;
            }
            rest = rest.get(self.first(rest).unwrap_or(1)..).unwrap_or_default();
        }
        true
    }

    /// How many bytes the first character has; none where these are no character.
    fn first(self, bytes: &[u8]) -> Option<usize> {
        let is_trail = |byte: u8| matches!(byte, 0x40..=0x7e | 0x80..=0xfe);
        match (self, bytes) {
            (Self::Gb, [0x81..=0xfe, 0x30..=0x39, 0x81..=0xfe, 0x30..=0x39, ..]) => Some(4),
            (_, [..=0x7f, ..]) | (Self::ShiftJis, [0xa1..=0xdf, ..]) => Some(1),
            (Self::Gb, [0x81..=0xfe, second, ..])
            | (Self::ShiftJis, [0x81..=0x9f | 0xe0..=0xfc, second, ..])
                if is_trail(*second) =>
            {
                Some(2)
            }
            (Self::Gb | Self::ShiftJis, _) => None,
        }
    }

    /// Whether these bytes are the beginning of a character and no more.
    fn may_go_on(self, bytes: &[u8]) -> bool {
        match (self, bytes) {
            (
                Self::Gb,
                [0x81..=0xfe] | [0x81..=0xfe, 0x30..=0x39] | [0x81..=0xfe, 0x30..=0x39, 0x81..=0xfe],
            )
            | (Self::ShiftJis, [0x81..=0x9f | 0xe0..=0xfc]) => true,
            (Self::Gb | Self::ShiftJis, _) => false,
        }
    }
}

/// Whether a text is UTF-8 but for a few bytes gone wrong, so that more UTF-8 does no harm in it.
pub(super) fn is_mostly_utf8(text: &[u8]) -> bool {
    let (mut good, mut stray) = (0_usize, 0_usize);
    for chunk in text.utf8_chunks() {
        good += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        stray += usize::from(!chunk.invalid().is_empty());
    }
    // one in five characters of GBK looks like UTF-8 by chance
    stray == 0 || good > 4 * stray
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], at: usize, expected: Begins) {
        assert_eq!(Letters::of(text).begins(text, at), expected, "{} {at}", text.escape_ascii());
    }

    #[test]
    fn the_second_byte_of_a_character_is_no_beginning() {
        // GBK: a character whose second byte is `A`, and one before `A`
        check(b"\x81A\nA\n", 1, Begins::Not);
        check(b"\x81A\nA\n", 3, Begins::Surely);
        check(b"\xd6\xd0\xce\xc4foo\n", 4, Begins::Surely);
        check(b"\xd6\xd0\xce\xc4foo\n", 3, Begins::Not);
        // Shift JIS: the second byte of these two is a backslash
        check(b"\x83\x5cn \x95\x5c\x8b\x4c\n", 1, Begins::Not);
        // GB 18030: four bytes, two of them digits
        check(b"\x81\x30\x81\x30 \xd6\xd0\xce\xc4\n", 1, Begins::Not);
        check(b"\x81\x30\x81\x30 \xd6\xd0\xce\xc4\n", 3, Begins::Not);
    }

    #[test]
    fn in_single_bytes_every_byte_is_one() {
        check(b"caf\xe9 foo\n", 5, Begins::Surely);
        check(b"caf\xe9\" foo\n", 4, Begins::Surely);
        check(b"caf\xe9foo\ncaf\xe9 foo\n", 4, Begins::Surely);
        check("ä foo".as_bytes(), 2, Begins::Surely);
    }

    #[test]
    fn what_could_be_either_is_not_decided() {
        check(b"pr\xe9nom = 1\n", 3, Begins::Perhaps);
    }

    #[test]
    fn a_few_stray_bytes_do_not_make_another_encoding() {
        assert!(is_mostly_utf8("äöüß".as_bytes()) && is_mostly_utf8(b"plain"));
        assert!(is_mostly_utf8(b"\xff \xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\x84"));
        assert!(!is_mostly_utf8(b"caf\xe9") && !is_mostly_utf8(b"\xff \xc3\xa4\xc3\xb6"));
    }
}
