//! What the user did, translated from the terminal library's words into ours.

use crossterm::event::{self, Event, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};
use ratatui::layout::Size;

use super::background::Brightness;
use crate::tui::key::{Key, KeyCode, Mods, Wheel};

/// What the user did, in our words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(Key),
    /// An arrow so many times at once: what a terminal makes of the wheel, or of a key over a slow line.
    Burst(Key, u16),
    /// The wheel.
    Wheel(Wheel),
    /// Text pasted at once; its lines end in `\n`.
    Paste(String),
    /// A line that the terminal itself has edited, without its end.
    Line(String),
    /// The window's new size.
    Resize(Size),
    /// Whether the window has the keyboard.
    Focus(Focus),
    /// How bright the background is: an answer to [`super::Terminal::ask_background`].
    Background(Brightness),
}

/// Whether the window has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// It came.
    Gained,
    /// It went.
    Lost,
}

/// None for what has no meaning here.
pub(super) fn translate(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => Some(Input::Key(translate_key(key))),
        Event::Paste(text) => Some(Input::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))),
        Event::Resize(width, height) => Some(Input::Resize(Size::new(width, height))),
        Event::FocusGained => Some(Input::Focus(Focus::Gained)),
        Event::FocusLost => Some(Input::Focus(Focus::Lost)),
        Event::Mouse(mouse) => wheel(mouse.kind).map(Input::Wheel),
    }
}

/// Nothing else of the mouse has a meaning.
fn wheel(kind: MouseEventKind) -> Option<Wheel> {
    match kind {
        MouseEventKind::ScrollUp => Some(Wheel::Up),
        MouseEventKind::ScrollDown => Some(Wheel::Down),
        MouseEventKind::Down(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => None,
    }
}

fn translate_key(key: KeyEvent) -> Key {
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    if key.modifiers.intersects(KeyModifiers::SUPER.union(KeyModifiers::HYPER)) {
        return Key::plain(KeyCode::Other);
    }
    let mods = [
        (KeyModifiers::CONTROL, Mods::CTRL),
        (KeyModifiers::ALT, Mods::ALT),
        (KeyModifiers::META, Mods::ALT),
    ];
    let mods = (mods.iter().filter(|(theirs, _)| key.modifiers.contains(*theirs)))
        .fold(Mods::NONE, |all, (_, ours)| all.with(*ours));
    let code = match key.code {
        event::KeyCode::Char(c) if mods.contains(Mods::CTRL) => return Key { code: control(c, shift), mods },
        event::KeyCode::Char(c) if shift => return Key { code: KeyCode::Char(upper(c)), mods },
        event::KeyCode::Char(c) => return Key { code: KeyCode::Char(c), mods },
        event::KeyCode::BackTab => return Key { code: KeyCode::BackTab, mods },
        event::KeyCode::Tab if shift => return Key { code: KeyCode::BackTab, mods },
        event::KeyCode::Tab => KeyCode::Tab,
        event::KeyCode::Enter => KeyCode::Enter,
        event::KeyCode::Esc => KeyCode::Esc,
        event::KeyCode::Backspace => KeyCode::Backspace,
        event::KeyCode::Delete => KeyCode::Delete,
        event::KeyCode::Left => KeyCode::Left,
        event::KeyCode::Right => KeyCode::Right,
        event::KeyCode::Up => KeyCode::Up,
        event::KeyCode::Down => KeyCode::Down,
        event::KeyCode::Home => KeyCode::Home,
        event::KeyCode::End => KeyCode::End,
        event::KeyCode::PageUp => KeyCode::PageUp,
        event::KeyCode::PageDown => KeyCode::PageDown,
        _ => KeyCode::Other,
    };
    Key { code, mods: if shift { mods.with(Mods::SHIFT) } else { mods } }
}

/// The character held down with Control. Older terminals send four of these as one byte each, which crossterm reads
/// as digits; newer ones send the key and Shift.
fn control(c: char, shift: bool) -> KeyCode {
    KeyCode::Char(match c {
        '4' => '\\',
        '5' => ']',
        '6' => '^',
        '7' => '_',
        '-' if shift => '_',
        c if shift => upper(c),
        c => c,
    })
}

fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: event::KeyCode, modifiers: KeyModifiers, expected: Key) {
        assert_eq!(translate_key(KeyEvent::new(code, modifiers)), expected, "{code:?} with {modifiers:?}");
    }

    #[test]
    fn keys_come_in_our_words_whatever_the_terminal_sent() {
        use crossterm::event::KeyCode::{Char, Enter, F, Tab};
        let (none, ctrl, shift, alt) =
            (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::SHIFT, KeyModifiers::ALT);
        check(Char('a'), none, Key::char('a'));
        check(Char('A'), shift, Key::char('A'));
        check(Char('ß'), shift, Key::char('ß'));
        check(Char('c'), ctrl, Key::ctrl('c'));
        check(Char('c'), ctrl | shift, Key::ctrl('C'));
        check(Char('7'), ctrl, Key::ctrl('_'));
        check(Char('-'), ctrl | shift, Key::ctrl('_'));
        check(Char('j'), ctrl, Key::ctrl('j'));
        check(Char('b'), alt, Key::alt('b'));
        check(Char('c'), KeyModifiers::SUPER, Key::plain(KeyCode::Other));
        check(Enter, shift, Key { code: KeyCode::Enter, mods: Mods::SHIFT });
        check(Enter, alt, Key { code: KeyCode::Enter, mods: Mods::ALT });
        check(Tab, shift, Key::plain(KeyCode::BackTab));
        check(event::KeyCode::BackTab, shift, Key::plain(KeyCode::BackTab));
        check(F(5), none, Key::plain(KeyCode::Other));
    }

    #[test]
    fn a_key_let_go_and_the_mouse_mean_nothing() {
        let mut key = KeyEvent::new(event::KeyCode::Enter, KeyModifiers::NONE);
        key.kind = KeyEventKind::Release;
        assert_eq!(translate(Event::Key(key)), None);
    }

    #[test]
    fn pasted_lines_end_in_line_feeds() {
        let pasted = translate(Event::Paste("a\r\nb\rc\nd\r".to_owned()));
        assert_eq!(pasted, Some(Input::Paste("a\nb\nc\nd\n".to_owned())));
    }
}
