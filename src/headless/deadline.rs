//! When a headless run must have ended: `--timeout`, counted from the start of the program.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::protocol::{LoopError, LoopErrorType};

/// The end of the time that a run may take; none if it may take any.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Option<(Duration, Instant)>);

impl Deadline {
    /// So long from now on.
    #[must_use]
    pub fn after(timeout: Option<Duration>) -> Self {
        // a length beyond the clock is none
        Self(timeout.and_then(|timeout| Some((timeout, Instant::now().checked_add(timeout)?))))
    }

    /// Waits until it has passed, and says so.
    pub async fn passed(self) -> LoopError {
        let Some((timeout, at)) = self.0 else { return std::future::pending().await };
        sleep_until(at).await;
        let seconds = timeout.as_secs_f64();
        LoopError {
            kind: LoopErrorType::Timeout,
            message: format!("time limit reached after {seconds} s (try a larger --timeout)"),
        }
    }
}
