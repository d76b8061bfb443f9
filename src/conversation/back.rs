//! Back to an earlier message, and forward again: at rest only, and what is written of it.
//!
//! Which files there are to put back, and how, is not known here; whoever does it says what it replaces before it touches
//! anything. The surprise: the order in which entries are written is what a kill may interrupt. It stands at the head of
//! `protocol/history/files.rs`.

use super::unsaid::Retry;
use super::{Conversation, Phase};
use crate::protocol::{ChangedBy, EntryBody, SavedFile};

/// Files of one entry: a session's line stays shorter than most long results.
const MOST_FILES: usize = 1_000;

impl Conversation {
    /// Whether nothing goes on, so that what was said can be taken back.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.phase == Phase::Idle
    }

    /// Takes back the message at `to` and all behind it. At rest; else nothing happens.
    pub fn rewind(&mut self, to: usize) {
        if self.is_at_rest() {
            self.retry = Retry::default();
            self.record(EntryBody::Rewind { to });
        }
    }

    /// The same for files alone: nothing that was said is taken back.
    pub fn rewind_files(&mut self) {
        self.rewind(self.parts.history.positions());
    }

    /// These files were changed by a command that was left running; as they were before.
    pub fn changed_beside(&mut self, mut files: Vec<SavedFile>) {
        let message = self.parts.history.positions().saturating_sub(1);
        while self.is_at_rest() && !files.is_empty() {
            let rest = files.split_off(files.len().min(MOST_FILES));
            self.record(EntryBody::Checkpoint { message, by: ChangedBy::Command, files });
            files = rest;
        }
    }

    /// These files, as they are now, are replaced by the rewind that was begun, or by a redo. To be told before they are
    /// touched.
    pub fn replaces(&mut self, by: ChangedBy, files: Vec<SavedFile>) {
        if self.is_at_rest() && !files.is_empty() {
            let message = self.parts.history.positions().saturating_sub(1);
            self.record(EntryBody::Checkpoint { message, by, files });
            self.untold.extend(self.parts.log.sync());
        }
    }

    /// Undoes the last rewind; its files are put back by now. At rest; else nothing happens.
    pub fn redo(&mut self) {
        if self.is_at_rest() && self.parts.history.redoable().is_some() {
            self.retry = Retry::default();
            self.record(EntryBody::Redo);
        }
    }
}
