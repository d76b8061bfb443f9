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

/// What tokens cost: dollars a million.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Of what is sent.
    pub input: f64,
    /// Of the answer.
    pub output: f64,
    /// Of what is sent and came from the endpoint's cache.
    pub cached: f64,
}

impl Price {
    /// What this costs, in dollars.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 tokens, more than any run uses")]
    pub fn of(&self, usage: Usage) -> f64 {
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let fresh = usage.prompt_tokens - cached;
        let parts = [(fresh, self.input), (cached, self.cached), (usage.completion_tokens, self.output)];
        parts.into_iter().map(|(tokens, price)| tokens as f64 * price / 1e6).sum()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_are_paid_once_and_at_their_own_price() {
        let price = Price { input: 2.0, output: 10.0, cached: 0.5 };
        let usage = Usage {
            prompt_tokens: 1_000_000,
            completion_tokens: 100_000,
            cached_tokens: 400_000,
            total_tokens: 0,
        };
        assert!((price.of(usage) - 2.4).abs() < 1e-9, "{}", price.of(usage));
        let odd = Usage { prompt_tokens: 10, cached_tokens: 1_000_000, ..Usage::default() };
        assert!((price.of(odd) - 5e-6).abs() < 1e-9, "no more is cached than was sent");
    }
}
