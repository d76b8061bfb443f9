//! What goes on in a conversation: one of four states that exclude each other.

use crate::protocol::Carry;

/// What goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Nothing: the next message starts a run.
    Idle,
    /// A run.
    Running,
    /// A run that was told to stop and has not yet.
    Aborting,
    /// Somebody must say whether it goes on.
    AtLimit {
        /// What the continued run must know.
        carry: Box<Carry>,
    },
}
