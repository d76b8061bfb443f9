//! The answer that is just arriving.
//!
//! It stands *outside* the request's future: when that is dropped (an abort, a broken stream) what has arrived is
//! still here, and the loop decides what of it is kept. It is no message: only [`Draft::into_aborted`] or the
//! finished answer becomes one.

use serde_json::Map;

use super::{AssistantMessage, ModelId, StopReason};

/// What has arrived of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// Visible text so far.
    pub text: String,
    /// Whether thoughts have arrived.
    pub thinking: bool,
    /// Whether the answer broke off: the next one replaces it.
    broken: bool,
}

impl Draft {
    /// The answer broke off. Its text was shown, so it stays until another answer begins.
    pub fn break_off(&mut self) {
        self.broken = true;
    }

    /// Adds text.
    pub fn push(&mut self, text: &str) {
        self.begin();
        self.text.push_str(text);
    }

    /// Notes that thoughts have arrived.
    pub fn think(&mut self) {
        self.begin();
        self.thinking = true;
    }

    /// Drops an answer that broke off.
    fn begin(&mut self) {
        if self.broken {
            *self = Self::default();
        }
    }

    /// The text that an abort leaves behind, as a message; none where nothing was to be seen.
    #[must_use]
    pub fn into_aborted(self, model: ModelId) -> Option<AssistantMessage> {
        if self.text.trim().is_empty() {
            return None;
        }
        Some(AssistantMessage {
            text: self.text,
            tool_calls: Vec::new(),
            reasoning: None,
            extra: Map::new(),
            model,
            usage: None,
            stop_reason: StopReason::Aborted,
        })
    }
}
