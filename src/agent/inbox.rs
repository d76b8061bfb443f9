//! What the user types while a run goes on.
//!
//! The loop *pulls* it before each request, so a message is either still here, to be taken back, or in the history: never
//! lost between the two. Not a channel: a channel could not be looked into.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::protocol::UserMessage;

/// A queue of messages that two sides share.
#[derive(Debug, Clone, Default)]
pub struct Inbox {
    waiting: Arc<Mutex<VecDeque<UserMessage>>>,
}

impl Inbox {
    /// Puts a message behind the others.
    pub fn push(&self, message: UserMessage) {
        self.lock().push_back(message);
    }

    /// Takes back the one that came last.
    #[must_use]
    pub fn take_back(&self) -> Option<UserMessage> {
        self.lock().pop_back()
    }

    /// Takes all, oldest first.
    #[must_use]
    pub fn drain(&self) -> Vec<UserMessage> {
        self.lock().drain(..).collect()
    }

    /// A copy of all that wait, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<UserMessage> {
        self.lock().iter().cloned().collect()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<UserMessage>> {
        // A holder never panics between two states of the queue, so a poisoned lock still guards a whole one.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
