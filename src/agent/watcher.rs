//! Between the endpoint and the way up: what arrives is passed on, and kept where an abort can find it.
//!
//! Not the answer itself, which the endpoint's side puts together and gives back whole.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::seams::Sink;
use crate::chat::{ChatEvent, ChatObserver};
use crate::protocol::{AgentEvent, Draft, Waiting};

/// Passes on what arrives, and keeps the text where an abort can find it.
pub(super) struct Watcher<'a> {
    pub(super) sink: &'a Arc<dyn Sink>,
    pub(super) draft: &'a Mutex<Draft>,
}

impl Watcher<'_> {
    fn draft(&self, change: impl FnOnce(&mut Draft)) {
        change(&mut self.draft.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl ChatObserver for Watcher<'_> {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        let event = match event {
            ChatEvent::Connecting => AgentEvent::Waiting(Waiting::Connecting),
            ChatEvent::Sent => AgentEvent::Waiting(Waiting::FirstByte),
            ChatEvent::Answering => AgentEvent::Waiting(Waiting::Answer),
            ChatEvent::Calling => AgentEvent::Waiting(Waiting::Call),
            ChatEvent::Thinking(text) => {
                self.draft(Draft::think);
                AgentEvent::ThinkingDelta(text)
            }
            ChatEvent::Text(text) => {
                self.draft(|draft| draft.push(&text));
                AgentEvent::TextDelta(text)
            }
            ChatEvent::Retry { attempt, of, delay, error, discard } => {
                self.draft(Draft::break_off);
                return Box::pin(async move {
                    let waiting = Waiting::Retry { attempt, of, delay, error: error.clone() };
                    self.sink.emit(AgentEvent::Retry { attempt, delay, error, discard }).await;
                    self.sink.emit(AgentEvent::Waiting(waiting)).await;
                });
            }
            ChatEvent::Notice { kind, text } => AgentEvent::Notice { kind, text },
        };
        self.sink.emit(event)
    }
}
