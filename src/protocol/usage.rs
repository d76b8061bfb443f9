//! Tokens, as the endpoint counted them.
//!
//! Not an estimate: where the endpoint says nothing there is no [`Usage`] at all, and nothing is made up. Cached
//! tokens are part of the prompt tokens (`OpenAI`'s convention), so they are shown beside them, never added.

use serde::{Deserialize, Serialize};

/// Token counts of one request, or the sum over several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of all that was sent, cached ones included.
    pub prompt_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub completion_tokens: u64,
    /// Both, as the endpoint said.
    pub total_tokens: u64,
    /// Those of the prompt tokens that came from the endpoint's cache.
    pub cached_tokens: u64,
}

impl Usage {
    /// Adds another request's counts. Saturating: a server that sends nonsense must not end a run.
    pub fn add(&mut self, other: Self) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
    }
}
