//! Pastes in a terminal that does not bracket them: lines that no hand can have typed.
//!
//! Only for terminals that are known to say nothing of a paste; elsewhere it would be a guess where there is knowledge. What is
//! guessed is one thing alone: whether an Enter sends or is the end of a pasted line. No other key waits, and an Enter of a
//! hand never does, since a hand is slower than this between two keys. What is guessed wrong costs an Enter more.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Keys closer together than this come from no hand; on a slow line pieces of a paste are closer than this too.
const GAP: Duration = Duration::from_millis(10);

/// Terminals without bracketed paste, by how they call themselves.
const BARE: [&str; 5] = ["linux", "ansi", "cons25", "vt", "screen"];

/// Whether a terminal says what is pasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pastes {
    /// It does.
    Bracketed,
    /// It does not.
    Bare,
}

impl Pastes {
    /// Those of a terminal that calls itself `term`, outside tmux.
    #[must_use]
    pub fn of(term: &str) -> Self {
        if BARE.iter().any(|bare| term.starts_with(bare)) { Self::Bare } else { Self::Bracketed }
    }
}

/// What was heard of a burst of keys.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    last: Option<Instant>,
    /// Whether a line of this burst has ended already.
    within: bool,
    /// An Enter behind a key that was no hand's, and until when it may turn out to be pasted.
    held: Option<(Event, Instant)>,
}

impl Bursts {
    /// When the Enter that is held back is one of a hand.
    pub(super) fn due(&self) -> Option<Instant> {
        self.held.as_ref().map(|(_, due)| *due)
    }

    /// That Enter, if it is.
    pub(super) fn let_go(&mut self, now: Instant) -> Option<Event> {
        self.held.take_if(|(_, due)| *due <= now).map(|(event, _)| event)
    }

    /// Takes an event; what it is goes into `out`.
    pub(super) fn take(&mut self, event: Event, now: Instant, out: &mut VecDeque<Event>) {
        let close = self.last.is_some_and(|last| now.saturating_duration_since(last) < GAP);
        self.within &= close;
        let is_key = matches!(&event, Event::Key(key) if key.kind != KeyEventKind::Release);
        if let Some((enter, _)) = self.held.take() {
            self.within = is_key && close;
            out.push_back(if self.within { new_line() } else { enter });
        }
        if is_key {
            self.last = Some(now);
        }
        match (is_enter(&event), self.within, close) {
            (true, true, _) => out.push_back(new_line()),
            (true, false, true) => self.held = Some((event, now + GAP)),
            (true, false, false) | (false, _, _) => out.push_back(event),
        }
    }
}

fn is_enter(event: &Event) -> bool {
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    matches!(event, Event::Key(key) if key.code == enter.code && key.modifiers == enter.modifiers)
}

/// The key that begins a new line.
fn new_line() -> Event {
    Event::Key(KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of keys at these milliseconds; `⏎` is Enter, and `↵` a new line.
    fn heard(keys: &[(u64, char)]) -> String {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let (mut bursts, mut out) = (Bursts::default(), VecDeque::new());
        for (ms, key) in keys {
            out.extend(bursts.let_go(at(*ms)));
            let code = if *key == '⏎' { KeyCode::Enter } else { KeyCode::Char(*key) };
            bursts.take(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)), at(*ms), &mut out);
        }
        out.extend(bursts.let_go(at(1_000_000)));
        out.iter().map(letter).collect()
    }

    fn letter(event: &Event) -> char {
        match event {
            Event::Key(KeyEvent { code: KeyCode::Enter, .. }) => '⏎',
            Event::Key(KeyEvent { code: KeyCode::Char(_), modifiers: KeyModifiers::CONTROL, .. }) => '↵',
            Event::Key(KeyEvent { code: KeyCode::Char(c), .. }) => *c,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lines_at_once_are_one_text_and_a_hands_enter_sends() {
        assert_eq!(heard(&[(0, 'a'), (0, '⏎'), (0, 'b'), (1, '⏎'), (1, 'c'), (2, '⏎')]), "a↵b↵c↵");
        assert_eq!(heard(&[(0, 'a'), (100, '⏎'), (200, 'b')]), "a⏎b");
        assert_eq!(heard(&[(0, 'a'), (0, '⏎')]), "a⏎", "one line is not known to be pasted");
        assert_eq!(heard(&[(0, 'a'), (0, '⏎'), (50, 'b')]), "a⏎b", "nothing came behind it in time");
        assert_eq!(heard(&[(0, 'a'), (0, '⏎'), (0, 'b'), (0, '⏎'), (500, '⏎')]), "a↵b↵⏎");
        assert_eq!(heard(&[(0, '⏎'), (0, '⏎'), (0, 'x')]), "⏎↵x");
    }

    #[test]
    fn only_terminals_that_are_known_to_be_bare_are_guessed_about() {
        for (term, pastes) in [
            ("linux", Pastes::Bare),
            ("vt220", Pastes::Bare),
            ("screen.xterm-256color", Pastes::Bare),
            ("xterm-256color", Pastes::Bracketed),
            ("tmux-256color", Pastes::Bracketed),
            ("something", Pastes::Bracketed),
        ] {
            assert_eq!(Pastes::of(term), pastes, "{term}");
        }
    }
}
