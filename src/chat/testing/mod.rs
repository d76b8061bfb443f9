//! What the tests of this room share.

pub(crate) mod server;

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::{ChatEvent, ChatObserver, ChatRequest};
use crate::protocol::NoticeKind;

/// Keeps what it is told.
#[derive(Default)]
pub(crate) struct Heard(Mutex<Vec<ChatEvent>>);

impl ChatObserver for Heard {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(event);
        Box::pin(std::future::ready(()))
    }
}

impl Heard {
    /// All of it, oldest first.
    pub(crate) fn events(&self) -> Vec<ChatEvent> {
        self.0.lock().unwrap().clone()
    }

    /// The visible text.
    pub(crate) fn text(&self) -> String {
        let text = |event: ChatEvent| if let ChatEvent::Text(text) = event { Some(text) } else { None };
        self.events().into_iter().filter_map(text).collect()
    }

    /// `attempt/of` of each retry, with a `!` where something is void.
    pub(crate) fn retries(&self) -> Vec<String> {
        let retry = |event: ChatEvent| match event {
            ChatEvent::Retry { attempt, of, discard, .. } => {
                Some(format!("{attempt}/{of}{}", if discard { "!" } else { "" }))
            }
            _ => None,
        };
        self.events().into_iter().filter_map(retry).collect()
    }

    /// The notices.
    pub(crate) fn notices(&self) -> Vec<(NoticeKind, String)> {
        let notice = |event: ChatEvent| match event {
            ChatEvent::Notice { kind, text } => Some((kind, text)),
            _ => None,
        };
        self.events().into_iter().filter_map(notice).collect()
    }
}

/// A request that says nothing, to the model `a`.
pub(crate) fn request() -> ChatRequest {
    ChatRequest { model: "a".into(), system: "hi".into(), messages: Vec::new(), tools: Arc::new([]) }
}
