//! A key as the pure half of the screen knows it.
//!
//! The terminal's own event type stays in [`super::terminal`], which translates; so the model and its updates
//! name no terminal crate, and a test writes a key as a value.

/// One key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: KeyCode,
    /// What was held down with it. Shift is only set where the character does not already say so.
    pub mods: Mods,
}

/// The keys that `clawd` tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character, already shifted.
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and Tab, as terminals send it.
    BackTab,
    /// Rubs out to the left.
    Backspace,
    /// Rubs out to the right.
    Delete,
    /// Arrow.
    Left,
    /// Arrow.
    Right,
    /// Arrow.
    Up,
    /// Arrow.
    Down,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// A screen back.
    PageUp,
    /// A screen on.
    PageDown,
    /// Anything else: known, and without meaning here.
    Other,
}

/// Modifier keys, as a small set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mods(u8);

impl Mods {
    /// Nothing held.
    pub const NONE: Self = Self(0);
    /// Shift.
    pub const SHIFT: Self = Self(1);
    /// Control.
    pub const CTRL: Self = Self(2);
    /// Alt (Meta, Option).
    pub const ALT: Self = Self(4);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` is held.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Key {
    /// A key with nothing held.
    #[must_use]
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, mods: Mods::NONE }
    }

    /// A character with nothing held.
    #[must_use]
    pub const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    /// A character with Control.
    #[must_use]
    pub const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), mods: Mods::CTRL }
    }

    /// A character with Alt.
    #[must_use]
    pub const fn alt(c: char) -> Self {
        Self { code: KeyCode::Char(c), mods: Mods::ALT }
    }
}

/// A notch of the mouse's wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wheel {
    /// Away from the user.
    Up,
    /// Towards the user.
    Down,
}

impl Key {
    /// Its name as the help shows it.
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for (held, word) in [(Mods::CTRL, "Ctrl+"), (Mods::ALT, "Alt+"), (Mods::SHIFT, "Shift+")] {
            name.push_str(if self.mods.contains(held) { word } else { "" });
        }
        match self.code {
            KeyCode::Char(' ') => name.push_str("Space"),
            KeyCode::Char(c) if self.mods == Mods::NONE => name.push(c),
            KeyCode::Char(c) => name.extend(c.to_uppercase()),
            KeyCode::Enter => name.push_str("Enter"),
            KeyCode::Esc => name.push_str("Esc"),
            KeyCode::Tab => name.push_str("Tab"),
            KeyCode::BackTab => name.push_str("Shift+Tab"),
            KeyCode::Backspace => name.push_str("Backspace"),
            KeyCode::Delete => name.push_str("Delete"),
            KeyCode::Left => name.push_str("Left"),
            KeyCode::Right => name.push_str("Right"),
            KeyCode::Up => name.push_str("Up"),
            KeyCode::Down => name.push_str("Down"),
            KeyCode::Home => name.push_str("Home"),
            KeyCode::End => name.push_str("End"),
            KeyCode::PageUp => name.push_str("PgUp"),
            KeyCode::PageDown => name.push_str("PgDn"),
            KeyCode::Other => {}
        }
        name
    }
}
