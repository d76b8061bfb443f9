//! A point in time as the pure half of the screen knows it: handed in with each message, never asked for.

use std::time::Duration;

/// Milliseconds since the program began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment(pub u64);

impl Moment {
    /// How long ago `earlier` was; nothing where it is still to come.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}
