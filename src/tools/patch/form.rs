//! What a patch says, once it is read. Values only; how it is written is the affair of `parse`.

use std::fmt;

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The file, as it is named there.
    pub(super) path: String,
    /// The line of the patch (from 1) that names it.
    pub(super) line: usize,
    /// What becomes of it.
    pub(super) deed: Deed,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    /// It is made, with these lines.
    Add(Vec<String>),
    /// It goes.
    Delete,
    /// It is changed, and perhaps gets another name.
    Update {
        /// The new name.
        to: Option<String>,
        /// The changes, in order; none only where it gets another name.
        hunks: Vec<Hunk>,
    },
}

/// One place that changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunk {
    /// The line of the patch (from 1) where it begins.
    pub(super) line: usize,
    /// Lines of the file above the place, the outer one first.
    pub(super) anchors: Vec<String>,
    /// Its lines.
    pub(super) rows: Vec<Row>,
    /// How many of the last rows were wholly empty: perhaps blank lines of the file, perhaps only layout.
    pub(super) blank_tail: usize,
    /// Where it must lie.
    pub(super) pin: Pin,
}

/// Where a hunk must lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Pin {
    /// Anywhere.
    #[default]
    Free,
    /// At the end of the file.
    End,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    /// Is there and stays.
    Keep(String),
    /// Is there and goes.
    Remove(String),
    /// Comes.
    Add(String),
}

/// Why a text is no patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed {
    /// The line (from 1).
    pub(super) line: usize,
    /// What is wrong with it.
    pub(super) why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the patch: {}", self.line, self.why)
    }
}

impl Hunk {
    /// The lines that must be in the file, without `but` of the last ones.
    pub(super) fn old(&self, but: usize) -> Vec<&str> {
        let rows = self.rows.get(..self.rows.len().saturating_sub(but)).unwrap_or_default();
        rows.iter().filter_map(Row::old).collect()
    }

    /// The lines that come.
    pub(super) fn added(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| match row {
            Row::Add(text) => Some(text.as_str()),
            Row::Keep(_) | Row::Remove(_) => None,
        })
    }

    /// The lines that are there afterwards.
    pub(super) fn new_lines(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| match row {
            Row::Add(text) | Row::Keep(text) => Some(text.as_str()),
            Row::Remove(_) => None,
        })
    }

    /// Whether it says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.anchors.is_empty()
    }
}

impl Row {
    fn old(&self) -> Option<&str> {
        match self {
            Self::Keep(text) | Self::Remove(text) => Some(text),
            Self::Add(_) => None,
        }
    }
}
