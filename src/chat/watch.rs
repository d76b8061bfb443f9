//! An observer that remembers whether the user has seen something of the answer.
//!
//! For the decorators: an answer that is asked for again must say whether what was told of it is void.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;

use super::{ChatEvent, ChatObserver};

/// Passes everything on.
pub(super) struct Watch<'a> {
    observer: &'a dyn ChatObserver,
    shown: AtomicBool,
}

impl<'a> Watch<'a> {
    pub(super) fn new(observer: &'a dyn ChatObserver) -> Self {
        Self { observer, shown: AtomicBool::new(false) }
    }

    /// Whether text or thoughts were told that still count.
    pub(super) fn has_shown(&self) -> bool {
        self.shown.load(Ordering::Relaxed)
    }
}

impl ChatObserver for Watch<'_> {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        match event {
            ChatEvent::Text(_) | ChatEvent::Thinking(_) => self.shown.store(true, Ordering::Relaxed),
            ChatEvent::Retry { discard: true, .. } => self.shown.store(false, Ordering::Relaxed),
            ChatEvent::Retry { discard: false, .. }
            | ChatEvent::Connecting
            | ChatEvent::Sent
            | ChatEvent::Answering
            | ChatEvent::Calling
            | ChatEvent::Notice { .. } => {}
        }
        self.observer.on(event)
    }
}
