//! The model, behind one trait.
//!
//! [`ChatService`] takes a request and an observer and gives the finished answer. Dropping the future *is* the
//! cancellation: the connection closes with it, and nothing runs on. The body is read only while the observer has
//! taken all that came before, so memory is bounded by the network's own flow control; there is no channel and
//! no task in this room. Retrying, other keys and other models are decorators over the same trait: a program asks a
//! [`Fallback`] over one [`Retry`] over one [`OpenAiChatService`] for each key.
//!
//! What is asked for stands in [`request`], what comes back in [`answer`], both pure; the files beside them are about who is
//! asked, and what is done when it fails. It knows no tool, no configuration file and no loop.

pub mod answer;
pub mod request;

// Who is asked, and what is done when it fails.
mod classify;
pub mod discover;
pub mod endpoint;
pub mod error;
mod exchange;
pub mod fallback;
mod head;
pub mod openai;
pub mod retry;
pub mod scripted;
mod watch;

#[cfg(test)]
mod faults;
#[cfg(test)]
mod streams_test;
#[cfg(test)]
pub(crate) mod testing;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::protocol::history::Masked;
use crate::protocol::{AssistantMessage, CallForm, ModelId, NoticeKind, Slot, ToolSpec};

pub use endpoint::{ApiKey, Connections, Endpoint};
pub use error::{ChatError, Evidence, Remedy, Stage, TooLong};
pub use fallback::{Fallback, Keyed};
pub use openai::{ChatServiceConfig, OpenAiChatService, Patience, create_chat_service};
pub use request::memory::{Arrival, EndpointMemory, Line};
pub use request::wire::{ImageSource, WireOptions};
pub use retry::{FirstAnswer, Retry};
pub use scripted::Scripted;

/// Something that answers chat requests.
pub trait ChatService: Send + Sync {
    /// Sends `request` and reads the answer to its end; `observer` is told what arrives and is waited for. Drop the
    /// future to cancel.
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        observer: &'a dyn ChatObserver,
    ) -> BoxFuture<'a, Result<Completion, ChatError>>;
}

/// Watches an answer arrive.
pub trait ChatObserver: Send + Sync {
    /// Takes one event. While this waits, nothing more is read from the endpoint.
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()>;
}

/// One request: plain data, made anew for each turn.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    /// Which model.
    pub model: ModelId,
    /// The system prompt: the same bytes in every request of a session.
    pub system: Arc<str>,
    /// What was said, oldest first.
    pub messages: Vec<RequestMessage>,
    /// What the model may call; the same in every request of a session.
    pub tools: Arc<[ToolSpec]>,
}

/// One message of a request.
#[derive(Debug, Clone)]
pub enum RequestMessage {
    /// A message of the history; its wire form is cached beside it.
    Kept(Arc<Slot>, Masked),
    /// A text in the user's place that is in no history (a summary, a request for one).
    Text(Arc<str>),
}

/// What arrives before the answer is complete.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// A connection is being made.
    Connecting,
    /// The request is out; nothing has come back.
    Sent,
    /// The answer has begun.
    Answering,
    /// More thoughts.
    Thinking(String),
    /// More text.
    Text(String),
    /// More of a call. Its pieces are not told, only that they come: a long one is no silence.
    Calling,
    /// It failed and is sent again after a pause.
    Retry {
        /// Which try comes next, from 1.
        attempt: u32,
        /// Of how many.
        of: u32,
        /// After which pause.
        delay: Duration,
        /// What went wrong, in a line.
        error: String,
        /// Whether text or thoughts of this answer have been reported and are void now.
        discard: bool,
    },
    /// Something that the user should know (another model, an odd answer).
    Notice {
        /// Which kind.
        kind: NoticeKind,
        /// In words.
        text: String,
    },
}

/// A finished answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The message. Call ids are as the endpoint gave them or made up, unique within this message; arguments
    /// are as they came, not yet checked.
    pub message: AssistantMessage,
    /// Whether the output limit cut it: then the arguments of its last call may be cut too.
    pub cut: bool,
    /// How its calls came.
    pub form: CallForm,
}
