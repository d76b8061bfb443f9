//! The run, as its calls see it.
//!
//! A tool knows no loop. What it needs of one (a checkpoint before a change, a judgement on what it found on its way, an
//! answer of the user) it asks for here, and whoever runs it brings that along.

use futures_util::future::BoxFuture;

use crate::protocol::{Access, Answer, ChangedBy, Choice, ExecAccess, Hold, SavedFile};

/// The run, as a call that runs in it sees it.
pub trait Host: Send + Sync {
    /// Notes files as they were before `by` changed them; returns once that is kept (where a session is kept). A tool notes them
    /// before it changes them.
    fn checkpoint(&self, by: ChangedBy, files: Vec<SavedFile>) -> BoxFuture<'_, ()>;

    /// Notes that the call has changed files for which no checkpoint is needed.
    fn note_change(&self) {}

    /// Whether the rules in force let the call touch this as well, without a question.
    fn allows(&self, access: &Access) -> bool;

    /// Whether the run is in plan mode, at this moment.
    fn is_planning(&self) -> bool;

    /// Asks whether a command that the sandbox stopped may run once more with less around it; no where nobody is there.
    fn offer(&self, offer: Offer) -> BoxFuture<'_, bool>;

    /// Asks the user; `Answer::Unattended` where nobody is there. Dropped with the call.
    fn ask(&self, choice: Choice) -> BoxFuture<'_, Answer>;
}

/// A command that the sandbox stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What would run once more.
    pub exec: ExecAccess,
    /// What it was stopped in.
    pub why: String,
    /// How it would be held then.
    pub hold: Hold,
}

/// No run: nothing is kept or allowed, and nobody answers. For whoever runs a tool by itself, as the benches do.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn checkpoint(&self, _by: ChangedBy, _files: Vec<SavedFile>) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn allows(&self, _access: &Access) -> bool {
        false
    }

    fn is_planning(&self) -> bool {
        false
    }

    fn offer(&self, _offer: Offer) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(false))
    }

    fn ask(&self, _choice: Choice) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(Answer::Unattended))
    }
}
