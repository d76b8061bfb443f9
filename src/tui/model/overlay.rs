//! What lies over everything: a page to read, or a list to pick from.

use std::sync::Arc;

use super::buffer::Buffer;
use super::permissions::Permissions;
use super::picker::Picker;
use super::rewind::Rewind;
use super::sessions::Sessions;
use super::tasks::Tasks;
use super::themes::Themes;
use super::transcript::Cell;
use crate::protocol::{QuestionId, Results};

/// An overlay.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// A page on the alternate screen.
    Page(Page),
    /// The sessions of the directory.
    Sessions(Box<Sessions>),
    /// The way back to an earlier message.
    Rewind(Box<Rewind>),
    /// The models of the endpoint.
    Models(Box<Picker>),
    /// The background commands.
    Tasks(Tasks),
    /// The rules in force.
    Permissions(Box<Permissions>),
    /// The themes.
    Themes(Box<Themes>),
}

/// A page on the alternate screen.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it shows.
    pub of: PageOf,
    /// Rows from the end: 0 is the last screen. More than there are is the beginning.
    pub up: usize,
    /// What is searched for.
    pub search: Search,
    /// Where to look for it as the page is drawn next.
    pub seek: Option<Seek>,
    /// The match that was gone to.
    pub found: Option<Found>,
    /// What calls have given, where that is to be seen.
    pub results: Results,
    /// What was put together for this page alone.
    pub report: Arc<Report>,
}

/// What was put together for a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// It, so far.
    pub cells: Vec<Cell>,
    /// What is still waited for.
    pub awaited: Option<String>,
}

/// A search in a page.
#[derive(Debug, Clone)]
pub enum Search {
    /// None.
    Nothing,
    /// It is being typed.
    Typing(Box<Buffer>),
    /// For this.
    For(String),
}

/// Which match is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seek {
    /// The newest that stands on the screen or above it, else the next below.
    Newest,
    /// The next above, and from the first one the last.
    Older,
    /// The next below, and from the last one the first.
    Newer,
    /// The same as before: its row may be another one now, and the page stays where it is.
    Same,
}

/// A match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its row, counted from the last one, which is 0.
    pub up: usize,
    /// Which it is, from 1, the oldest first.
    pub number: usize,
    /// How many rows match.
    pub of: usize,
}

impl Page {
    /// A page at the place where reading starts: the transcript at its end, all others at their beginning.
    #[must_use]
    pub fn open(of: PageOf) -> Self {
        let up = match of {
            PageOf::Transcript => 0,
            PageOf::Help | PageOf::Report | PageOf::Question(_) => Self::TOP,
        };
        Self {
            of,
            up,
            search: Search::Nothing,
            seek: None,
            found: None,
            results: Results::default(),
            report: Arc::default(),
        }
    }

    /// The page of a report.
    #[must_use]
    pub fn report(report: Report) -> Self {
        Self { report: Arc::new(report), ..Self::open(PageOf::Report) }
    }

    /// Further up than any page goes, with room to count on.
    pub const TOP: usize = usize::MAX / 2;

    /// So many rows have come at the end: what is read stays where it is, and whoever is at the end of the transcript stays
    /// there. A report is read from its beginning.
    pub fn moved_by(&mut self, rows: usize) {
        if self.up > 0 || self.of == PageOf::Report {
            self.up = self.up.saturating_add(rows);
        }
        if let Some(found) = &mut self.found {
            found.up = found.up.saturating_add(rows);
        }
    }
}

impl Search {
    /// What is searched for, once it was typed.
    #[must_use]
    pub fn sought(&self) -> Option<&str> {
        match self {
            Self::For(text) => Some(text),
            Self::Nothing | Self::Typing(_) => None,
        }
    }
}

/// What a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageOf {
    /// The whole transcript, with tool output unfolded.
    Transcript,
    /// Keys and commands.
    Help,
    /// What was put together for it.
    Report,
    /// All of a permission question.
    Question(QuestionId),
}
