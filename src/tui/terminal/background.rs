//! The terminal's answer to the question what colour is behind the letters (xterm's OSC 11).
//!
//! Nobody waits for it: a terminal may answer late, in pieces, or never. The library reads an answer as keys (Alt with `]`, then
//! letter by letter), so it is taken out of the keys again here: what can be its beginning is held back until the next key
//! decides, and is let go where it was none. Once there was an answer, nothing is held back any more.

use std::collections::VecDeque;
use std::mem::take;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The question. It ends as an answer does that old terminals understand.
pub(super) const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";

/// How bright the background is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brightness {
    /// Light letters are readable on it.
    Dark,
    /// Dark letters are.
    Light,
}

/// Listens for the answer among the keys.
#[derive(Debug, Default)]
pub(super) struct Listener {
    state: State,
    /// What is held back.
    held: Vec<Event>,
    /// What that says.
    said: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Nothing was asked, or it was answered.
    #[default]
    Deaf,
    /// An answer may begin.
    Waiting,
    /// The last key was Esc: it may have been the first byte of an answer cut in two.
    AfterEsc,
    /// An answer has begun.
    Answer,
    /// It is whole, and half of its end was there.
    Ending,
}

impl Listener {
    /// The question was asked.
    pub(super) fn asked(&mut self) {
        self.state = State::Waiting;
    }

    /// Whether an answer may still come.
    pub(super) fn is_waiting(&self) -> bool {
        self.state != State::Deaf
    }

    /// Takes an event: what is for others goes into `others`. Returns the answer once it is whole.
    pub(super) fn hear(&mut self, event: Event, others: &mut VecDeque<Event>) -> Option<Brightness> {
        let key = match &event {
            Event::Key(key) if key.kind != KeyEventKind::Release => *key,
            _ => {
                others.push_back(event);
                return None;
            }
        };
        match self.state {
            State::Deaf => others.push_back(event),
            State::Waiting | State::AfterEsc if self.begins(key) => {
                self.held.push(event);
                self.state = State::Answer;
            }
            State::Waiting | State::AfterEsc => {
                self.state = if is_esc(key) { State::AfterEsc } else { State::Waiting };
                others.push_back(event);
            }
            State::Answer => return self.go_on(event, key, others),
            State::Ending => {
                if key.code != KeyCode::Char('\\') {
                    others.push_back(event);
                }
                return self.end();
            }
        }
        None
    }

    fn begins(&self, key: KeyEvent) -> bool {
        let alone = KeyModifiers::ALT;
        let wanted = if self.state == State::AfterEsc { KeyModifiers::NONE } else { alone };
        key.code == KeyCode::Char(']') && (key.modifiers == wanted || key.modifiers == alone)
    }

    fn go_on(&mut self, event: Event, key: KeyEvent, others: &mut VecDeque<Event>) -> Option<Brightness> {
        let whole = brightness(&self.said).is_some();
        match (key.code, key.modifiers) {
            (KeyCode::Char('g'), KeyModifiers::CONTROL) | (KeyCode::Char('\\'), KeyModifiers::ALT)
                if whole =>
            {
                return self.end();
            }
            (KeyCode::Esc, _) if whole => self.state = State::Ending,
            (KeyCode::Char(c), KeyModifiers::NONE | KeyModifiers::SHIFT) if can_go_on(&self.said, c) => {
                self.said.push(c);
                self.held.push(event);
            }
            _ => {
                // what names a colour was never typed by anybody, also if its end is lost
                let letters = if self.said.starts_with(COLOUR) { Vec::new() } else { take(&mut self.held) };
                *self = Self { state: State::Waiting, ..Self::default() };
                others.extend(letters);
                return self.hear(event, others);
            }
        }
        None
    }

    fn end(&mut self) -> Option<Brightness> {
        let said = take(&mut self.said);
        *self = Self::default();
        brightness(&said)
    }
}

fn is_esc(key: KeyEvent) -> bool {
    key.code == KeyCode::Esc && key.modifiers == KeyModifiers::NONE
}

/// How an answer begins that names a colour.
const COLOUR: &str = "11;rgb";

/// More than the longest answer: `11;rgba:` and four numbers of four digits.
const LONGEST: usize = 32;

/// Whether an answer that has come so far can have this letter next.
fn can_go_on(said: &str, c: char) -> bool {
    let next = format!("{said}{c}");
    let value = next.strip_prefix("11;rgb:").or_else(|| next.strip_prefix("11;rgba:"));
    match value {
        Some(value) => next.len() < LONGEST && value.chars().all(|c| c.is_ascii_hexdigit() || c == '/'),
        None => "11;rgb:".starts_with(&next) || "11;rgba:".starts_with(&next),
    }
}

/// The brightness of a colour such as `11;rgb:1e1e/1e1e/1e1e`, weighted as the eye does (Rec. 709).
fn brightness(said: &str) -> Option<Brightness> {
    let value = said.strip_prefix("11;rgb:").or_else(|| said.strip_prefix("11;rgba:"))?;
    let parts: Option<Vec<u32>> = value.split('/').map(per_mille).collect();
    let parts = parts.filter(|parts| (3..=4).contains(&parts.len()))?;
    let sum: u32 = parts.iter().zip([2126, 7152, 722]).map(|(part, weight)| part * weight).sum();
    Some(if sum / 10_000 < 500 { Brightness::Dark } else { Brightness::Light })
}

/// A part of a colour: one to four hexadecimal digits, of as many as there are.
fn per_mille(digits: &str) -> Option<u32> {
    let length = u32::try_from(digits.len()).ok().filter(|length| (1..=4).contains(length))?;
    Some(u32::from_str_radix(digits, 16).ok()? * 1000 / (16_u32.pow(length) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The library's reading of bytes that are in one piece: `␛x` is Alt with x, a lone `␛` at the end of a piece is Esc.
    fn events(piece: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let mut alt = KeyModifiers::NONE;
        for (at, c) in piece.char_indices() {
            let (code, modifiers) = match c {
                '␛' if at + c.len_utf8() < piece.len() => {
                    alt = KeyModifiers::ALT;
                    continue;
                }
                '␛' => (KeyCode::Esc, KeyModifiers::NONE),
                '␇' => (KeyCode::Char('g'), KeyModifiers::CONTROL),
                c if c.is_ascii_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
                c => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            events.push(Event::Key(KeyEvent::new(
                code,
                modifiers | std::mem::replace(&mut alt, KeyModifiers::NONE),
            )));
        }
        events
    }

    fn hear(pieces: &[&str]) -> (Vec<Event>, Vec<Brightness>) {
        let mut listener = Listener::default();
        listener.asked();
        let (mut others, mut answers) = (VecDeque::new(), Vec::new());
        for event in pieces.iter().flat_map(|piece| events(piece)) {
            answers.extend(listener.hear(event, &mut others));
        }
        (others.into(), answers)
    }

    fn check(pieces: &[&str], others: &[&str], answers: &[Brightness]) {
        let expected: Vec<Event> = others.iter().flat_map(|piece| events(piece)).collect();
        assert_eq!(hear(pieces), (expected, answers.to_vec()), "{pieces:?}");
    }

    #[test]
    fn an_answer_is_taken_out_and_what_is_typed_around_it_is_kept() {
        use Brightness::{Dark, Light};
        check(&["␛]11;rgb:1e1e/1E1E/1e1e␛\\"], &[], &[Dark]);
        check(&["ab␛]11;rgb:ff/ff/ff␇cd"], &["abcd"], &[Light]);
        check(&["␛]11;rgba:f/f/f/f␇"], &[], &[Light]);
        check(&["x", "␛]11;rgb:0000/2b2b/3636␛\\", "y"], &["xy"], &[Dark]);
    }

    #[test]
    fn in_pieces_it_is_taken_out_as_well_but_for_an_esc_at_its_beginning() {
        let answer: Vec<char> = "␛]11;rgb:ffff/ffff/ffff␛\\".chars().collect();
        for cut in 1..answer.len() {
            let pieces: Vec<String> =
                [&answer[..cut], &answer[cut..]].iter().map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let others: &[&str] = if cut == 1 { &["␛"] } else { &[] };
            check(&[&pieces[..], &["z"]].concat(), &[others, &["z"]].concat(), &[Brightness::Light]);
        }
    }

    #[test]
    fn what_only_looks_like_one_is_let_go() {
        check(&["␛]12"], &["␛]12"], &[]);
        check(&["␛]␛]11;rgb:0/0/0␇"], &["␛]"], &[Brightness::Dark]);
        check(&["␛]11;r", "x"], &["␛]11;r", "x"], &[]);
        check(&["␛x]a"], &["␛x]a"], &[]);
    }

    #[test]
    fn half_an_answer_is_never_typed() {
        check(&["␛]11;rgb:1e1", "hello"], &["hello"], &[]);
        check(&["␛]11;rgb:zz␇"], &["zz␇"], &[]);
        let endless = format!("␛]11;rgb:{}", "f".repeat(100));
        assert!(hear(&[&endless]).0.len() < 100);
    }

    #[test]
    fn without_a_question_and_after_an_answer_all_is_typing() {
        let mut others = VecDeque::new();
        let mut listener = Listener::default();
        for event in events("␛]11;rgb:0/0/0␇") {
            assert_eq!(listener.hear(event, &mut others), None);
        }
        assert_eq!(Vec::from(others), events("␛]11;rgb:0/0/0␇"));
        check(&["␛]11;rgb:0/0/0␇␛]11;"], &["␛]11;"], &[Brightness::Dark]);
    }
}
