//! The input under vi's keys.

use super::{Composer, Escaped, Over};
use crate::tui::model::buffer::Went;
use crate::tui::model::vim::{Asks, Mode, Vim};

impl Composer {
    /// Turns vi's keys on or off; they begin with inserting.
    pub fn toggle_vim(&mut self) {
        self.vim = if self.vim.is_some() { None } else { Some(Vim::default()) };
    }

    /// The mode of vi's keys, where they are on and no search has the keys.
    #[must_use]
    pub fn vim_mode(&self) -> Option<Mode> {
        self.vim.as_ref().filter(|_| self.searching().is_none()).map(Vim::mode)
    }

    /// A character in vi's normal mode, on a screen of `columns`.
    pub fn press_vim(&mut self, key: char, columns: usize) {
        let Some(vim) = &mut self.vim else { return };
        let asks = vim.press(key, &mut self.buffer);
        self.over = Over::Dismissed;
        match asks {
            Asks::Nothing => {}
            Asks::Up(count) => {
                for _ in 0..count {
                    let _went: Went = self.up(columns);
                }
            }
            Asks::Down(count) => {
                for _ in 0..count {
                    let _went: Went = self.down(columns);
                }
            }
        }
    }

    /// Esc with vi's keys: closes what lies over the input, else ends inserting or drops what was begun.
    pub fn escape_vim(&mut self) -> Escaped {
        if self.escape() == Escaped::Closed {
            return Escaped::Closed;
        }
        let Some(vim) = &mut self.vim else { return Escaped::Nothing };
        if vim.mode() == Mode::Normal && !vim.is_pending() {
            return Escaped::Nothing;
        }
        vim.leave_insert(&mut self.buffer);
        Escaped::Closed
    }
}
