//! Which letters a terminal has, and what stands in the place of those that it has not.
//!
//! Not an encoding: the text of a conversation stays what it is, only what is shown is changed, letter by letter and at the
//! very end, so that nothing above knows of it. The surprise is that what cannot be shown is not passed on in the hope that it
//! can: in an eight-bit terminal the bytes of harmless letters are control characters.

use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::wrap::width;

/// Which letters a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Letters {
    /// All that there are.
    #[default]
    Unicode,
    /// Those of ASCII.
    Ascii,
}

/// Terminals that were built before the letters were; believed where no locale says otherwise.
const OLD: [&str; 8] = ["ansi", "cons25", "vt52", "vt100", "vt102", "vt220", "vt320", "vt420"];

/// Signs that the program itself draws, each with one that is as wide.
const SIGNS: [(char, char); 27] = [
    ('❯', '>'),
    ('●', '*'),
    ('○', 'o'),
    ('✗', 'x'),
    ('✓', 'v'),
    ('⊘', '!'),
    ('·', '-'),
    ('…', '~'),
    ('•', '-'),
    ('☐', '.'),
    ('▸', '>'),
    ('⏎', '/'),
    ('⋮', ':'),
    ('≡', '='),
    ('→', '>'),
    ('─', '-'),
    ('│', '|'),
    ('┼', '+'),
    ('‹', '<'),
    ('›', '>'),
    ('–', '-'),
    ('—', '-'),
    ('‘', '\''),
    ('’', '\''),
    ('“', '"'),
    ('”', '"'),
    ('\u{a0}', ' '),
];

/// A sign of life that moves, picture by picture.
const TURNING: [char; 4] = ['|', '/', '-', '\\'];

impl Letters {
    /// What is to be said where letters are missing.
    pub const MISSING: &str =
        "the locale is ASCII only, so other characters are shown as ? (try LANG=C.UTF-8)";

    /// Those of a terminal that calls itself `term` where the locale is `locale`: the first of `$LC_ALL`, `$LC_CTYPE` and
    /// `$LANG` that is set, empty where none is. Without a locale nearly every terminal is modern, however it is reached.
    #[must_use]
    pub fn of(locale: &str, term: &str) -> Self {
        let locale = locale.to_ascii_lowercase();
        let has_all = match locale.as_str() {
            "" => !OLD.contains(&term),
            _ => locale.contains("utf-8") || locale.contains("utf8"),
        };
        if has_all { Self::Unicode } else { Self::Ascii }
    }

    /// The text as this terminal can show it, in as many columns.
    #[must_use]
    pub fn text(self, text: &str) -> String {
        match self {
            Self::Unicode => text.to_owned(),
            Self::Ascii => {
                text.graphemes(true).fold(String::with_capacity(text.len()), |mut shown, letter| {
                    push(letter, &mut shown);
                    shown
                })
            }
        }
    }

    /// The lines as this terminal can show them.
    #[must_use]
    pub fn lines(self, lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
        match self {
            Self::Unicode => lines,
            Self::Ascii => lines.into_iter().map(|line| self.line(line)).collect(),
        }
    }

    fn line(self, mut line: Line<'static>) -> Line<'static> {
        line.spans =
            line.spans.iter().map(|span| Span::styled(self.text(&span.content), span.style)).collect();
        line
    }
}

fn push(letter: &str, shown: &mut String) {
    let sign = letter.chars().next().and_then(|first| {
        let own = SIGNS.iter().find(|(sign, _)| *sign == first).map(|(_, instead)| *instead);
        own.or_else(|| turning(first))
    });
    match sign {
        _ if letter.is_ascii() => shown.push_str(letter),
        Some(instead) => shown.push(instead),
        None => shown.extend(std::iter::repeat_n('?', width(letter))),
    }
}

/// One of the pictures of dots that stand for waiting.
fn turning(sign: char) -> Option<char> {
    let dots = u32::from(sign).checked_sub(0x2800).filter(|dots| *dots < 0x100)?;
    TURNING.get(usize::try_from(dots).unwrap_or_default() % TURNING.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_and_where_there_is_none_the_terminals_name() {
        let check = |locale: &str, term: &str, expected| {
            assert_eq!(Letters::of(locale, term), expected, "{locale} {term}");
        };
        check("C.UTF-8", "vt100", Letters::Unicode);
        check("de_DE.utf8", "xterm", Letters::Unicode);
        check("", "xterm-256color", Letters::Unicode);
        check("", "vt100", Letters::Ascii);
        check("C", "xterm-256color", Letters::Ascii);
        check("POSIX", "xterm", Letters::Ascii);
        check("en_US.ISO-8859-1", "xterm", Letters::Ascii);
        check("en_US", "xterm", Letters::Ascii);
    }

    #[test]
    fn what_cannot_be_shown_takes_as_many_columns_and_no_byte_beyond_ascii() {
        let check = |text: &str, expected: &str| {
            let shown = Letters::Ascii.text(text);
            assert_eq!((shown.as_str(), width(&shown)), (expected, width(text)), "{text}");
            assert!(shown.is_ascii());
            assert_eq!(Letters::Unicode.text(text), text);
        };
        check("❯ plain text", "> plain text");
        check("● run  a · b …", "* run  a - b ~");
        check("≡ 98.2k → 12.1k", "= 98.2k > 12.1k");
        check("汉字 e\u{301} 👩\u{200d}💻", "???? ? ??");
        check("ü\u{65b}", "?");
        assert_ne!(Letters::Ascii.text("⠋"), Letters::Ascii.text("⠙"), "it moves");
    }
}
