//! What runs beside the conversation, as it is shown: values only.
//!
//! The processes themselves are the workbench's. The surprise: a job that has ended is still shown until its end was
//! told to the model, for a list from which things vanish by themselves answers nothing.

use std::time::Duration;

use super::JobId;

/// A command that runs, or ran, beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobView {
    /// Its name: `bash_1`, `bash_2`, … in the order in which a session began them.
    pub id: JobId,
    /// The command as it was given.
    pub command: String,
    /// The process number of its shell, which is that of its group.
    pub pid: u32,
    /// How it came to run there.
    pub why: Why,
    /// Where it stands.
    pub state: JobState,
    /// How long it has been running, or ran.
    pub since: Duration,
    /// Bytes printed so far.
    pub bytes: u64,
}

/// How a command came to run beside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The model asked for it (`run_in_background`).
    Asked,
    /// The same, and it had ended before its call was answered: whoever saw the call knows its end.
    AtOnce,
    /// The user moved it there while it ran (Ctrl+B).
    Moved,
    /// Its shell has exited and has left something running.
    LeftBehind,
}

/// Where a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// Something of it runs.
    Running,
    /// Nothing of it runs any more.
    Ended {
        /// In words: `exit code 0`, `ended by signal 9 (KILL)`, `killed`.
        how: String,
    },
}
