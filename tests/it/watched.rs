//! A value that one thread changes and another waits for: how every wait in these tests is done.
//!
//! A wait ends with the event. The deadline is only for the failure, so it is generous.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// Generous: on a loaded machine a program takes seconds to start.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(crate) struct Watched<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Watched<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), changed: Condvar::new() }
    }

    /// Looks at the value, or changes it and wakes who waits.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let result = work(&mut self.value.lock().unwrap());
        self.changed.notify_all();
        result
    }

    /// Blocks until `look` finds something; `None` at the deadline.
    pub(crate) fn wait<R>(&self, limit: Duration, mut look: impl FnMut(&mut T) -> Option<R>) -> Option<R> {
        let deadline = Instant::now() + limit;
        let mut value = self.value.lock().unwrap();
        loop {
            if let Some(found) = look(&mut value) {
                return Some(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            value = self.changed.wait_timeout(value, left).unwrap().0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_wait_ends_with_the_event() {
        let watched = Arc::new(Watched::new(0));
        let other = Arc::clone(&watched);
        let thread = std::thread::spawn(move || (0..3).for_each(|_| other.with(|value| *value += 1)));
        assert_eq!(watched.wait(DEADLINE, |value| (*value == 3).then_some("three")), Some("three"));
        thread.join().unwrap();
    }

    #[test]
    fn a_wait_without_an_event_ends_at_its_deadline() {
        let watched = Watched::<bool>::default();
        assert_eq!(watched.wait(Duration::from_millis(1), |value| value.then_some(())), None);
    }
}
