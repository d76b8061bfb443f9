//! What a session may use: dollars and tokens, over all its runs.
//!
//! It is counted from the history, so a resume goes on where the session stood and a rewind gives nothing back. The surprising
//! decision: what has no known price costs nothing here. Nobody is stopped by a guess; whoever sets `max_cost` for such a
//! model is told that it cannot be kept.

use std::fmt;
use std::sync::Arc;

use crate::protocol::{History, ModelId, Price};
use crate::text::units;

/// The price of a model, where it is known.
pub type PriceList = dyn Fn(&ModelId) -> Option<Price> + Send + Sync;

/// What a session may use.
#[derive(Clone)]
pub struct Spending {
    /// Dollars; none where there is no limit.
    pub max_cost: Option<f64>,
    /// Tokens sent and received; none where there is no limit.
    pub max_tokens: Option<u64>,
    /// What models cost.
    pub prices: Arc<PriceList>,
    /// How often as much again was granted.
    pub granted: u32,
}

impl Spending {
    /// No limit, and no price known.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { max_cost: None, max_tokens: None, prices: Arc::new(|_| None), granted: 0 }
    }

    /// Of which limit how much is used, where one is reached: `$5.02 of $5.00`.
    #[must_use]
    pub fn reached(&self, history: &History) -> Option<String> {
        if self.max_cost.is_none() && self.max_tokens.is_none() {
            return None;
        }
        let times = u64::from(self.granted) + 1;
        let (cost, tokens) = self.used(history);
        let over_cost = self.max_cost.map(|limit| limit * f64::from(self.granted + 1));
        let over_cost = over_cost.filter(|limit| cost >= *limit);
        let over_tokens = self.max_tokens.map(|limit| limit.saturating_mul(times));
        let over_tokens = over_tokens.filter(|limit| tokens >= *limit);
        over_cost.map(|limit| format!("{} of {}", dollars(cost), dollars(limit))).or_else(|| {
            over_tokens.map(|limit| format!("{} of {} tokens", units::tokens(tokens), units::tokens(limit)))
        })
    }

    /// Grants as much again, as often as it takes for what is used to be within it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "neither is negative, and a float that is too large becomes the largest number"
    )]
    pub fn grant(&mut self, history: &History) {
        let (cost, tokens) = self.used(history);
        let for_cost = self.max_cost.map_or(0, |limit| (cost / limit) as u32);
        let for_tokens = self.max_tokens.and_then(|limit| tokens.checked_div(limit)).unwrap_or(0);
        let for_tokens = u32::try_from(for_tokens).unwrap_or(u32::MAX);
        self.granted = self.granted.max(for_cost).max(for_tokens).min(u32::MAX - 1);
        // the division may be rounded down
        if self.reached(history).is_some() {
            self.granted = (self.granted + 1).min(u32::MAX - 1);
        }
    }

    /// Dollars, of models whose price is known, and tokens.
    fn used(&self, history: &History) -> (f64, u64) {
        history.answers().fold((0.0, 0), |(cost, tokens), (model, usage)| {
            let usage = usage.unwrap_or_default();
            let price = (self.prices)(model).map_or(0.0, |price| price.of(usage));
            let both = usage.prompt_tokens.saturating_add(usage.completion_tokens);
            (cost + price, tokens + both.max(usage.total_tokens))
        })
    }
}

impl fmt::Debug for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { max_cost, max_tokens, prices: _, granted } = self;
        write!(f, "Spending({max_cost:?}, {max_tokens:?}, {granted} granted)")
    }
}

/// An amount of money: `$5.02`, and under a cent `$0.0042`.
#[must_use]
pub fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 0.01 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::protocol::{AssistantMessage, Entry, EntryBody, Message, StopReason, Usage};

    fn answer(model: &str, prompt_tokens: u64) -> Entry {
        let usage = Usage { prompt_tokens, completion_tokens: 100_000, ..Usage::default() };
        let message = AssistantMessage {
            text: "so".to_owned(),
            tool_calls: Vec::new(),
            reasoning: None,
            extra: Map::new(),
            model: model.into(),
            usage: Some(usage),
            stop_reason: StopReason::EndTurn,
        };
        Entry::message(0, Message::Assistant(message))
    }

    fn spending(max_cost: Option<f64>, max_tokens: Option<u64>) -> Spending {
        let price = Price { input: 1.0, output: 10.0, cached: 0.1 };
        let prices: Arc<PriceList> = Arc::new(move |model| (model.as_str() == "paid").then_some(price));
        Spending { max_cost, max_tokens, prices, granted: 0 }
    }

    /// Two answers: 2 dollars each where they are paid for, 1.1 million tokens each.
    fn two(model: &str) -> History {
        let mut history = History::new();
        (0..2).for_each(|_| history.apply(&answer(model, 1_000_000)));
        history
    }

    #[test]
    fn a_limit_is_reached_by_what_the_whole_session_used() {
        let check = |cost, tokens, expected: Option<&str>| {
            assert_eq!(spending(cost, tokens).reached(&two("paid")).as_deref(), expected);
        };
        check(None, None, None);
        check(Some(4.0), None, Some("$4.00 of $4.00"));
        check(Some(4.01), None, None);
        check(None, Some(2_200_000), Some("2.2M of 2.2M tokens"));
        check(None, Some(2_200_001), None);
        check(Some(0.001), Some(1), Some("$4.00 of $0.0010"));
    }

    #[test]
    fn what_has_no_price_costs_nothing() {
        assert_eq!(spending(Some(0.01), None).reached(&two("other")), None);
    }

    #[test]
    fn a_rewind_gives_nothing_back() {
        let mut history = two("paid");
        history.apply(&Entry { timestamp: 0, body: EntryBody::Rewind { to: 0 } });
        assert!(spending(Some(4.0), None).reached(&history).is_some());
    }

    #[test]
    fn as_much_again_is_granted_until_there_is_room() {
        let mut spending = spending(Some(1.5), None);
        spending.grant(&two("paid"));
        assert_eq!((spending.granted, spending.reached(&two("paid"))), (2, None));
        spending.grant(&two("paid"));
        assert_eq!(spending.granted, 2, "nothing is granted ahead");
    }

    #[test]
    fn a_tiny_limit_is_granted_in_one_step() {
        for (cost, tokens) in [(Some(1e-7), None), (None, Some(1)), (Some(1e-6), Some(1))] {
            let mut tiny = spending(cost, tokens);
            tiny.grant(&two("paid"));
            assert_eq!(tiny.reached(&two("paid")), None, "{cost:?} {tokens:?}");
        }
        let mut less_than_can_be_counted = spending(Some(1e-30), None);
        less_than_can_be_counted.grant(&two("paid"));
        assert_eq!(less_than_can_be_counted.granted, u32::MAX - 1);
    }

    #[test]
    fn requests_that_left_no_message_count() {
        let mut history = two("paid");
        let usage = Usage { prompt_tokens: 1_000_000, ..Usage::default() };
        let body = EntryBody::Spent { model: "paid".into(), usage };
        history.apply(&Entry { timestamp: 0, body });
        assert_eq!(spending(Some(5.0), None).reached(&history).as_deref(), Some("$5.00 of $5.00"));
    }

    #[test]
    fn money_is_told_in_dollars_and_cents() {
        let told: Vec<String> = [0.0, 0.0042, 0.01, 1.005, 12.0].into_iter().map(dollars).collect();
        assert_eq!(told, ["$0.00", "$0.0042", "$0.01", "$1.00", "$12.00"]);
    }
}
