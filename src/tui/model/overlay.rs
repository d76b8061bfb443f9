//! What lies over everything: a page to read, or a list to pick from.

use super::permissions::Permissions;
use super::picker::Picker;
use super::tasks::Tasks;

/// An overlay.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// A page on the alternate screen.
    Page(Page),
    /// The sessions of the directory.
    Sessions(Box<Picker>),
    /// The models of the endpoint.
    Models(Box<Picker>),
    /// The background commands.
    Tasks(Tasks),
    /// The rules in force.
    Permissions(Box<Permissions>),
}

/// A page on the alternate screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// What it shows.
    pub of: PageOf,
    /// Rows from the end: 0 is the last screen. More than there are is the beginning.
    pub up: usize,
}

impl Page {
    /// A page that begins where it is read from: the help at its beginning, the transcript at its end.
    #[must_use]
    pub fn open(of: PageOf) -> Self {
        match of {
            PageOf::Transcript => Self { of, up: 0 },
            PageOf::Help => Self { of, up: Self::TOP },
        }
    }

    /// Further up than any page goes, with room to count on.
    pub const TOP: usize = usize::MAX / 2;
}

/// What a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageOf {
    /// The whole transcript, with tool output unfolded.
    Transcript,
    /// Keys and commands.
    Help,
}
