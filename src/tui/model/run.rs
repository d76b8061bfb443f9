//! The run that goes on, as the screen sees it: what it waits for, what arrives, what runs.

use super::call::{DoneCall, Label, RunningCall};
use super::live::Live;
use super::moment::Moment;
use crate::protocol::{CallId, Waiting};

/// A run that goes on.
#[derive(Debug)]
pub struct RunView {
    /// Since when.
    pub since: Moment,
    /// Turns that have begun.
    pub turns: u32,
    /// What it waits for.
    pub waiting: Waiting,
    /// Since when it waits for that.
    pub waiting_since: Moment,
    /// When something was heard last: a delta, or what is waited for.
    pub heard: Moment,
    /// The arriving answer.
    pub answer: Live,
    /// The arriving thoughts.
    pub thoughts: String,
    /// Since when it thinks.
    pub thinking_since: Moment,
    /// What the last answer called: some of it never begins to run.
    pub called: Vec<(CallId, Label)>,
    /// Calls that run.
    pub calls: Vec<RunningCall>,
    /// Calls that only looked, not yet told.
    pub explored: Vec<DoneCall>,
    /// Whether it was told to stop.
    pub stopping: Stopping,
}

/// Whether a run was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopping {
    /// It goes on.
    No,
    /// It was, and has not yet.
    Yes,
}

impl RunView {
    /// A run that begins now.
    #[must_use]
    pub fn begin(now: Moment) -> Self {
        Self {
            since: now,
            turns: 0,
            waiting: Waiting::Connecting,
            waiting_since: now,
            heard: now,
            answer: Live::default(),
            thoughts: String::new(),
            thinking_since: now,
            called: Vec::new(),
            calls: Vec::new(),
            explored: Vec::new(),
            stopping: Stopping::No,
        }
    }

    /// What a call of the last answer was to do.
    #[must_use]
    pub fn label(&self, id: &CallId) -> Option<Label> {
        self.called.iter().find(|(called, _)| called == id).map(|(_, label)| label.clone())
    }

    /// It waits for something else now; the same again does not begin anew, but is a sign of life.
    pub fn wait_for(&mut self, waiting: Waiting, now: Moment) {
        self.heard = now;
        if self.waiting != waiting {
            self.waiting = waiting;
            self.waiting_since = now;
        }
    }
}
