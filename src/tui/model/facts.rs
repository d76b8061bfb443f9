//! What the head and the status line tell: facts that the application found out, and what has been counted since.

pub use crate::app::facts::{Facts, Resumed};

/// What has been counted in this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Meter {
    /// Tokens of the last request and its answer.
    pub context: u64,
    /// Tokens of all requests.
    pub total: u64,
    /// Whether something could not be written to the session's file.
    pub unsaved: bool,
}
