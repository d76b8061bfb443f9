//! What the model is told.
//!
//! [`assemble`] makes a request of a history and a prompt, and nothing else: same in, same out, so that request *n* is a
//! byte prefix of request *n + 1*. The system prompt itself is made once a session (see [`prompt`]). How large a request is tells
//! [`size`], how much fits [`window`], what gives way [`plan`], and in which words it is told from then on [`summary`]. No clock,
//! no file.

pub mod prompt;

// When there is no more room.
pub mod plan;
pub mod size;
pub mod summary;
pub mod window;

use std::sync::Arc;

use crate::chat::{ChatRequest, RequestMessage};
use crate::protocol::{History, ModelId, ToolSpec};

/// What every request of a session begins with.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Which model is asked.
    pub model: ModelId,
    /// The system prompt.
    pub system: Arc<str>,
    /// The tools.
    pub tools: Arc<[ToolSpec]>,
}

/// The request for the next turn.
#[must_use]
pub fn assemble(history: &History, prompt: &Prompt) -> ChatRequest {
    let summary = history.summary().map(|text| RequestMessage::Text(text.into()));
    let kept = history.view().map(|(slot, masked)| RequestMessage::Kept(Arc::clone(slot), masked));
    ChatRequest {
        model: prompt.model.clone(),
        system: Arc::clone(&prompt.system),
        messages: summary.into_iter().chain(kept).collect(),
        tools: Arc::clone(&prompt.tools),
    }
}
