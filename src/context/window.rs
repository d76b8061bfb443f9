//! How much fits: the model's window, as it is told and as the endpoint has shown it.
//!
//! The number may come late (the endpoint is asked for it in the background) or be wrong (a server was started with less), so it
//! stands in a cell that the program fills and the loop reads; a request that was refused for its length says more than
//! any table. What is kept free for the answer is decided here, and when to make room follows from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Kept free for the answer: so many of a hundred tokens ...
const RESERVE_PERCENT: u64 = 15;
/// ... but so many at least ...
const RESERVE_LEAST: u64 = 1_000;
/// ... and at most (an answer with a file in it) ...
const RESERVE_MOST: u64 = 16_000;
/// ... and never more than this share, for a window must have room for what is said in it.
const RESERVE_SHARE_PERCENT: u64 = 30;

/// The window of a model. Clones share it; nothing is known of it at first.
#[derive(Debug, Clone, Default)]
pub struct Window(Arc<Numbers>);

/// In tokens, 0 where unknown.
#[derive(Debug, Default)]
struct Numbers {
    told: AtomicU64,
    refused: AtomicU64,
}

impl Window {
    /// So many tokens fit, as far as anybody says.
    pub fn tell(&self, tokens: Option<u64>) {
        self.0.told.store(tokens.unwrap_or_default(), Ordering::Relaxed);
    }

    /// So many tokens were too many.
    pub fn refuse(&self, tokens: u64) {
        let lowest = |known: u64| Some(if known == 0 { tokens } else { known.min(tokens) });
        // the closure always gives a number
        self.0.refused.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lowest).ok();
    }

    /// How many tokens fit; none where nobody knows.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        let known = [&self.0.told, &self.0.refused].map(|number| number.load(Ordering::Relaxed));
        known.into_iter().filter(|&tokens| tokens > 0).min()
    }
}

/// How many of a window's tokens a request may have: the rest is for the answer.
#[must_use]
pub fn room(window: u64) -> u64 {
    let reserve = (window.saturating_mul(RESERVE_PERCENT) / 100).clamp(RESERVE_LEAST, RESERVE_MOST);
    window - reserve.min(window.saturating_mul(RESERVE_SHARE_PERCENT) / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_is_kept_for_the_answer() {
        let check = |window, expected| assert_eq!(room(window), expected, "{window}");
        check(128_000, 112_000);
        check(1_000_000, 984_000);
        check(32_000, 27_200);
        check(8_000, 6_800);
        check(4_000, 3_000);
        check(2_000, 1_400);
        check(0, 0);
    }

    #[test]
    fn what_was_refused_counts_where_it_is_less_than_what_is_told() {
        let window = Window::default();
        assert_eq!(window.tokens(), None);
        window.tell(Some(128_000));
        let shared = window.clone();
        assert_eq!(shared.tokens(), Some(128_000));
        window.refuse(9_000);
        window.refuse(12_000);
        assert_eq!(window.tokens(), Some(9_000));
        window.tell(None);
        assert_eq!(window.tokens(), Some(9_000));
        window.tell(Some(4_000));
        assert_eq!(window.tokens(), Some(4_000));
    }
}
