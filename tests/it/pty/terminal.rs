//! The terminal's side of the talk: which modes the program has set, what it asked, what it is told. Pure.
//!
//! Modes are followed by the sequences written, not by the picture: what a program must put back is what it
//! has switched, whether or not this terminal shows it.

use std::collections::BTreeMap;

/// What kind of terminal is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// as xterm: silent to the keyboard query, keys in the old forms
    Plain,
    /// asked anything, it says nothing: whoever tests that answers by hand
    Silent,
    /// as a console: it knows no bracketed paste
    Bare,
    /// as a slow line: a little at a time
    Slow,
    /// as kitty: answers it, and sends keys in the form that the program has asked for
    Kitty,
}

pub(super) struct Terminal {
    kind: Kind,
    /// private modes that the program has touched
    modes: BTreeMap<u16, bool>,
    /// pushed keyboard flags, of the normal and of the alternate screen
    keyboard: [Vec<u16>; 2],
    other: BTreeMap<Other, String>,
    queries: Vec<String>,
}

/// What is no private mode, and is put back by a sequence of its own.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Other {
    ScrollRegion,
    CursorStyle,
    ModifyOtherKeys,
    Keypad,
}

const ALTERNATE_SCREENS: [u16; 3] = [47, 1047, 1049];

impl Terminal {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            modes: BTreeMap::new(),
            keyboard: [vec![], vec![]],
            other: BTreeMap::new(),
            queries: vec![],
        }
    }

    /// Takes a sequence in, with the cursor's place (row and column from 0) at that moment; gives the reply.
    pub(super) fn take(&mut self, sequence: &str, cursor: (u16, u16)) -> Option<String> {
        self.follow(sequence);
        if !is_query(sequence) {
            return None;
        }
        self.queries.push(sequence.to_owned());
        self.reply(sequence, cursor)
    }

    /// What was asked, in order: `[6n`, `[c`, `[?u`, …
    pub(super) fn queries(&self) -> &[String] {
        &self.queries
    }

    pub(super) fn is_set(&self, mode: u16) -> bool {
        self.modes.get(&mode).copied().unwrap_or(is_set_at_start(mode))
    }

    /// Whether a paste comes in brackets.
    pub(super) fn brackets(&self) -> bool {
        self.kind != Kind::Bare && self.is_set(2004)
    }

    /// The keyboard flags in force; 0 where the terminal does not know them.
    pub(super) fn keyboard_flags(&self) -> u16 {
        match self.kind {
            Kind::Plain | Kind::Silent | Kind::Bare | Kind::Slow => 0,
            Kind::Kitty => self.keyboard[self.screen()].last().copied().unwrap_or(0),
        }
    }

    /// All that is not as it was at the start, in words.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let modes = self.modes.iter().filter(|(mode, set)| **set != is_set_at_start(**mode));
        let modes =
            modes.map(|(mode, set)| format!("{} left {}", name(*mode), if *set { "on" } else { "off" }));
        let keyboard = self.keyboard.iter().filter(|stack| !stack.is_empty());
        let keyboard = keyboard.map(|stack| format!("keyboard flags left pushed: {stack:?}"));
        let other =
            self.other.iter().map(|(what, sequence)| format!("{what:?} left as ESC{sequence} set it"));
        modes.chain(keyboard).chain(other).collect()
    }

    fn screen(&self) -> usize {
        usize::from(ALTERNATE_SCREENS.iter().any(|mode| self.is_set(*mode)))
    }

    fn follow(&mut self, sequence: &str) {
        if matches!(sequence, "=" | ">") {
            return self.put(Other::Keypad, sequence, sequence == ">");
        }
        let Some((marker, numbers, end)) = parts(sequence) else { return };
        match (marker, end) {
            (Some('?'), "h" | "l") => {
                for mode in numbers.split(';').filter_map(|mode| mode.parse().ok()) {
                    self.modes.insert(mode, end == "h");
                    // whichever of its names it was entered by
                    if ALTERNATE_SCREENS.contains(&mode) && end == "l" {
                        self.modes.extend(ALTERNATE_SCREENS.map(|name| (name, false)));
                    }
                }
            }
            (Some('>'), "m") if numbers == "4" || numbers.starts_with("4;") => {
                self.put(Other::ModifyOtherKeys, sequence, matches!(numbers, "4" | "4;0"));
            }
            (Some(marker), "u") => self.follow_keyboard(marker, numbers),
            (None, " q") => self.put(Other::CursorStyle, sequence, matches!(numbers, "" | "0")),
            (None, "r") => self.put(Other::ScrollRegion, sequence, numbers.is_empty()),
            _ => {}
        }
    }

    fn follow_keyboard(&mut self, marker: char, numbers: &str) {
        let screen = self.screen();
        let stack = &mut self.keyboard[screen];
        let first = numbers.split(';').next().and_then(|number| number.parse::<u16>().ok());
        match marker {
            '>' => stack.push(first.unwrap_or(0)),
            '<' => stack.truncate(stack.len().saturating_sub(usize::from(first.unwrap_or(1)))),
            '=' => {
                stack.pop();
                stack.extend(first.filter(|flags| *flags != 0));
            }
            _ => {}
        }
    }

    fn put(&mut self, what: Other, sequence: &str, as_at_start: bool) {
        if as_at_start {
            self.other.remove(&what);
        } else {
            self.other.insert(what, sequence.to_owned());
        }
    }

    fn reply(&self, query: &str, (row, column): (u16, u16)) -> Option<String> {
        if self.kind == Kind::Silent {
            return None;
        }
        let mode = query.strip_prefix("[?").and_then(|rest| rest.strip_suffix("$p"));
        match query {
            "[5n" => Some("\x1b[0n".to_owned()),
            "[6n" => Some(format!("\x1b[{};{}R", row + 1, column + 1)),
            "[c" | "[0c" => Some("\x1b[?62;22c".to_owned()),
            "[>c" | "[>0c" => Some("\x1b[>1;10;0c".to_owned()),
            "[?u" if self.kind == Kind::Kitty => Some(format!("\x1b[?{}u", self.keyboard_flags())),
            "]10;?" => Some("\x1b]10;rgb:cccc/cccc/cccc\x1b\\".to_owned()),
            "]11;?" => Some("\x1b]11;rgb:0000/0000/0000\x1b\\".to_owned()),
            _ => {
                let mode = mode?.parse().ok()?;
                Some(format!("\x1b[?{mode};{}$y", if self.is_set(mode) { 1 } else { 2 }))
            }
        }
    }
}

/// Marker, numbers and the rest of a control sequence: `[?25l` is `?`, `25`, `l`.
fn parts(sequence: &str) -> Option<(Option<char>, &str, &str)> {
    let body = sequence.strip_prefix('[')?;
    let (marker, rest) = match body.chars().next() {
        Some(marker @ ('?' | '>' | '<' | '=')) => (Some(marker), body.strip_prefix(marker)?),
        _ => (None, body),
    };
    let end = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | ':'));
    Some((marker, rest.strip_suffix(end)?, end))
}

fn is_query(sequence: &str) -> bool {
    matches!(sequence, "[5n" | "[6n" | "[c" | "[0c" | "[>c" | "[>0c" | "[?u" | "[>q" | "[>0q")
        || sequence.ends_with("$p")
        || (sequence.starts_with(']') && sequence.ends_with(";?"))
}

/// Autowrap and the cursor are on in a terminal that nobody has touched, and the wheel is arrow keys on the alternate screen.
fn is_set_at_start(mode: u16) -> bool {
    matches!(mode, 7 | 25 | 1007)
}

fn name(mode: u16) -> String {
    let name = match mode {
        1 => "application cursor keys",
        7 => "autowrap",
        25 => "the cursor",
        47 | 1047 | 1049 => "the alternate screen",
        1000 | 1002 | 1003 | 1006 => "mouse reports",
        1004 => "focus reports",
        1007 => "the wheel as arrow keys",
        2004 => "bracketed paste",
        2026 => "synchronized update",
        _ => "a mode",
    };
    format!("{name} (?{mode})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(kind: Kind, sequences: &[&str]) -> Terminal {
        let mut terminal = Terminal::new(kind);
        for sequence in sequences {
            terminal.take(sequence, (0, 0));
        }
        terminal
    }

    #[test]
    fn what_was_put_back_is_not_left_over() {
        for (set, reset) in [
            ("[?2004h", "[?2004l"),
            ("[?1049h", "[?1049l"),
            ("[?25l", "[?25h"),
            ("[?7l", "[?7h"),
            ("[?1004h", "[?1004l"),
            ("[?1000;1006h", "[?1006;1000l"),
            ("[?1007l", "[?1007h"),
            ("[?2026h", "[?2026l"),
            ("[>1u", "[<u"),
            ("[>1u", "[<1u"),
            ("[=1;1u", "[=0;1u"),
            ("[>4;2m", "[>4;0m"),
            ("[>4;2m", "[>4m"),
            ("[1;20r", "[r"),
            ("[4 q", "[0 q"),
            ("[4 q", "[ q"),
            ("=", ">"),
        ] {
            assert_ne!(after(Kind::Plain, &[set]).leftovers(), [""; 0], "{set} is left over");
            assert_eq!(after(Kind::Plain, &[set, reset]).leftovers(), [""; 0], "{set} is undone by {reset}");
        }
        assert_eq!(after(Kind::Plain, &["[?2004l", "[?25h", "[2J", "[3;4H", "[K"]).leftovers(), [""; 0]);
    }

    #[test]
    fn leftovers_are_told_in_words() {
        let left = after(Kind::Plain, &["[?2004h", "[?25l", "[>5u"]).leftovers();
        assert_eq!(
            left,
            [
                "the cursor (?25) left off",
                "bracketed paste (?2004) left on",
                "keyboard flags left pushed: [5]"
            ]
        );
    }

    #[test]
    fn keyboard_flags_belong_to_their_screen() {
        let terminal = after(Kind::Kitty, &["[>1u", "[?1049h", "[>8u", "[?1049l"]);
        assert_eq!(terminal.keyboard_flags(), 1);
        assert_eq!(terminal.leftovers().len(), 2, "that of the alternate screen too");
        assert_eq!(after(Kind::Plain, &["[>1u"]).keyboard_flags(), 0);
    }

    #[test]
    fn queries_are_answered_and_recorded() {
        for (kind, query, expected) in [
            (Kind::Plain, "[6n", Some("\x1b[3;5R")),
            (Kind::Plain, "[5n", Some("\x1b[0n")),
            (Kind::Plain, "[c", Some("\x1b[?62;22c")),
            (Kind::Plain, "[>c", Some("\x1b[>1;10;0c")),
            (Kind::Plain, "[?u", None),
            (Kind::Kitty, "[?u", Some("\x1b[?0u")),
            (Kind::Plain, "[?25$p", Some("\x1b[?25;1$y")),
            (Kind::Plain, "[?2026$p", Some("\x1b[?2026;2$y")),
            (Kind::Plain, "]11;?", Some("\x1b]11;rgb:0000/0000/0000\x1b\\")),
            (Kind::Plain, "]10;?", Some("\x1b]10;rgb:cccc/cccc/cccc\x1b\\")),
            (Kind::Plain, "[>q", None),
        ] {
            let mut terminal = Terminal::new(kind);
            assert_eq!(terminal.take(query, (2, 4)).as_deref(), expected, "{query}");
            assert_eq!(terminal.queries(), [query]);
        }
        assert_eq!(after(Kind::Plain, &["[31m", "]0;title", "[H"]).queries(), [""; 0]);
    }
}
