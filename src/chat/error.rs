//! What can go wrong with a request, sorted by what the caller does about it.
//!
//! Not by where it arose: a refused connection and a 503 are one case, a 429 for a rate and a 429 for an empty
//! account are two.

use std::time::Duration;

use crate::protocol::ModelId;

/// A request that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ChatError {
    /// What to do about it.
    pub remedy: Remedy,
    /// What, why and how to mend it: one line, sanitised, without keys.
    pub message: String,
    /// The HTTP status of the answer, or the one that an error inside a good answer stands for.
    pub status: Option<u16>,
    /// How far it came: decides how often it is asked again.
    pub stage: Stage,
    /// For which model it was too long, where that is what is wrong.
    pub too_long: Option<TooLong>,
}

/// A request that a model refused for its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLong {
    /// Which model: a fallback model's window says nothing of the first one's.
    pub model: ModelId,
    /// How it is known.
    pub evidence: Evidence,
}

/// How it is known that a request was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The endpoint named the length.
    Named,
    /// A proxy or an empty error let it be guessed.
    Guessed,
}

/// How far a failed request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// No connection: refused, no such name, no trust.
    Connect,
    /// The endpoint said no, or the connection ended before an answer began.
    Request,
    /// The answer had begun and broke.
    Stream,
    /// Nothing came for too long.
    Silence,
}

/// What to do about a failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Send it again. From [`Retry`](super::Retry) it comes only with a pause that nobody waits for unasked.
    Retry {
        /// Not before this pause, where the endpoint said so.
        after: Option<Duration>,
    },
    /// Send it with another key.
    NextKey,
    /// Send it to another model.
    NextModel,
    /// It was too long: compact the conversation and send it again.
    Compact,
    /// Nothing.
    GiveUp,
}

impl ChatError {
    /// An error of the request itself, before any status.
    #[must_use]
    pub fn new(remedy: Remedy, message: impl Into<String>) -> Self {
        Self { remedy, message: message.into(), status: None, stage: Stage::Request, too_long: None }
    }

    /// The same, at another stage.
    #[must_use]
    pub fn at(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }

    /// The same, too long for a model.
    #[must_use]
    pub fn too_long_for(self, model: impl Into<ModelId>, evidence: Evidence) -> Self {
        Self { too_long: Some(TooLong { model: model.into(), evidence }), ..self }
    }

    /// The same, with the status of the answer.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }
}
