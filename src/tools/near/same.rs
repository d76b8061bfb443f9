//! Whether two file names are the same to a reader: case, the kind of whitespace, quote and dash, and the Unicode normal form
//! do not count.
//!
//! Screenshots of macOS have U+202F before `PM`, names from a Mac have their accents as separate characters, and a model
//! that saw such a name writes it as it reads.

use unicode_normalization::UnicodeNormalization;

/// Whether a reader would take one name for the other.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(other);
    }
    let folded = |name: &str| name.chars().map(plain).flat_map(char::to_lowercase).nfc().collect::<String>();
    folded(one) == folded(other)
}

/// The characters of `name` that look like none, as `U+202F`, and are not in `but`.
pub(super) fn unseen(name: &str, but: &str) -> Vec<String> {
    let mut unseen: Vec<String> = Vec::new();
    for c in name.chars().filter(|c| (*c != ' ' && c.is_whitespace()) || is_mark(*c)) {
        let number = format!("U+{:04X}", u32::from(c));
        if !but.contains(c) && !unseen.contains(&number) {
            unseen.push(number);
        }
    }
    unseen
}

fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}'..='\u{2015}' => '-',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

/// Accents, the marks of kana, and those jamo of a Korean syllable that are not its first.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}' | '\u{1160}'..='\u{11ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_alike_is_the_same() {
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!((is_same(one, other), is_same(other, one)), (expected, expected), "{one} {other}");
        };
        check("README.md", "readme.MD", true);
        check("Shot at 9.41.00\u{202f}PM.png", "Shot at 9.41.00 PM.png", true);
        check("caf\u{e9}.txt", "cafe\u{301}.txt", true);
        check("CAF\u{c9}.txt", "cafe\u{301}.txt", true);
        check("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", true);
        check("\u{304c}", "\u{304b}\u{3099}", true);
        check("Ann\u{2019}s \u{2013} notes", "ann's - notes", true);
        check("caf\u{e9}", "cafe", false);
        check("\u{65e5}", "\u{4e2d}", false);
        check("a\u{301}", "e\u{301}", false);
        check("cafe\u{301}", "caf\u{e0}", false);
        check("e\u{300}", "\u{e9}", false);
        check("a", "b", false);
        check("", "a", false);
    }

    #[test]
    fn what_cannot_be_seen_is_told_by_number() {
        assert_eq!(unseen("9\u{202f}PM \u{202f}", "9 PM"), ["U+202F"]);
        assert_eq!(unseen("cafe\u{301}", "caf\u{e9}"), ["U+0301"]);
        assert!(unseen("9\u{202f}PM", "8\u{202f}PM").is_empty() && unseen("a b", "").is_empty());
    }
}
