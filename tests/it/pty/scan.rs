//! Finds the escape sequences in what a program writes to its terminal, however the bytes are cut. Pure.
//!
//! It gives each one as text without the leading escape (`[?25l`, `]11;?`, `7`), since tests read better by
//! the sequence itself than by its parts. Bytes that are no sequence pass by.

#[derive(Default)]
pub(super) struct Scanner {
    state: State,
    sequence: Vec<u8>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    #[default]
    Ground,
    Escape,
    /// `ESC [ … final`
    Csi,
    /// OSC, DCS and their kin, up to BEL or `ESC \`
    Text,
    /// an escape within such a text
    TextEscape,
}

impl Scanner {
    /// One byte on; gives the sequence that ends with it.
    pub(super) fn step(&mut self, byte: u8) -> Option<String> {
        let before = self.state;
        self.state = next(before, byte);
        match (before, self.state) {
            (State::Ground, State::Ground) => return None,
            (State::TextEscape, State::Ground) if byte == b'\\' => {}
            (State::Text, State::Ground | State::TextEscape) => {}
            (_, State::Escape) if byte == ESCAPE => self.sequence.clear(),
            (State::TextEscape, _) => self.sequence = vec![byte],
            _ => self.sequence.push(byte),
        }
        let ended = self.state == State::Ground;
        ended.then(|| String::from_utf8_lossy(&std::mem::take(&mut self.sequence)).into_owned())
    }
}

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

fn next(state: State, byte: u8) -> State {
    match state {
        State::Ground if byte == ESCAPE => State::Escape,
        State::Ground => State::Ground,
        State::Csi => match byte {
            ESCAPE => State::Escape,
            0x40..=0x7e => State::Ground,
            _ => State::Csi,
        },
        State::Text => match byte {
            BELL => State::Ground,
            ESCAPE => State::TextEscape,
            _ => State::Text,
        },
        // anything but the terminator breaks the text off and begins anew
        State::TextEscape if byte == b'\\' => State::Ground,
        State::TextEscape | State::Escape => begin(byte),
    }
}

/// The state after an escape and this byte.
fn begin(byte: u8) -> State {
    match byte {
        b'[' => State::Csi,
        b']' | b'P' | b'_' | b'^' | b'X' => State::Text,
        // an intermediate: the final byte is still to come
        ESCAPE | 0x20..=0x2f => State::Escape,
        _ => State::Ground,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &str, expected: &[&str]) {
        let mut scanner = Scanner::default();
        let found: Vec<String> = bytes.bytes().filter_map(|byte| scanner.step(byte)).collect();
        assert_eq!(found, expected, "in {bytes:?}");
    }

    #[test]
    fn sequences_are_found_between_text() {
        check("plain ❯ text\r\n", &[]);
        check("a\x1b[?25lb\x1b[1;31mc\x1b[m", &["[?25l", "[1;31m", "[m"]);
        check("\x1b7\x1b8\x1b(B\x1b=", &["7", "8", "(B", "="]);
        check("\x1b[>4;2m\x1b[<u\x1b[2 q", &["[>4;2m", "[<u", "[2 q"]);
    }

    #[test]
    fn texts_end_with_a_bell_or_a_terminator() {
        check("\x1b]11;?\x07x\x1b[c", &["]11;?", "[c"]);
        check("\x1b]8;;file:///[c\x1b\\x\x1b[c", &["]8;;file:///[c", "[c"]);
        check("\x1bP+q\x1b\\", &["P+q"]);
    }

    #[test]
    fn an_escape_begins_anew() {
        check("\x1b[12\x1b[c\x1b\x1b[6n", &["[c", "[6n"]);
        check("\x1b]0;never ended\x1b[c", &["[c"]);
    }
}
