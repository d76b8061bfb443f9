//! The time of day, as a parameter.
//!
//! For what is written down. Not a timer and not for durations: waiting is tokio's, and a span is measured where it is
//! needed, by the steady clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970; may jump when the machine's clock is set.
    fn now_ms(&self) -> u64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}
