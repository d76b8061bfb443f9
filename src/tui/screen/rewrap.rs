//! What is known of a terminal that is resized: whether it wraps its rows anew.
//!
//! Only what was measured counts as known; the terminal itself is never asked.

use std::time::Duration;

/// What the terminal does with the rows on its screen when its width changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrap {
    /// Leaves them, or it is not known: at worst a stale row stays, never is a line lost.
    Unknown,
    /// Wraps them anew, and the cursor stays on its character (tmux, alacritty).
    Follows,
    /// Wraps them anew, and a cursor on the first of several rows loses its place (xterm.js, kitty).
    Drifts,
}

impl Rewrap {
    /// What is known of a terminal from `$TERM`, `$TERM_PROGRAM` and whether `$TMUX` is set. Only what was
    /// measured counts as known.
    #[must_use]
    pub fn of(term: &str, term_program: &str, in_tmux: bool) -> Self {
        match (term, term_program) {
            _ if in_tmux => Self::Follows,
            (_, "vscode") | ("xterm-kitty", _) => Self::Drifts,
            ("alacritty", _) => Self::Follows,
            _ => Self::Unknown,
        }
    }

    /// For how long after a change of size nothing should be drawn, for [`super::super::frames::Frames`]: 60 ms where a
    /// cursor's place is computed, so that the terminal has settled; elsewhere frames may fall into a drag.
    #[must_use]
    pub fn settle(self) -> Duration {
        match self {
            Self::Unknown | Self::Follows => Duration::ZERO,
            Self::Drifts => Duration::from_millis(60),
        }
    }
}
