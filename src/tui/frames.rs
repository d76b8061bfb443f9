//! When to draw: the one place that decides it.
//!
//! A state machine without a clock: moments come in, a deadline and a [`Pace`] come out. It draws nothing and owns no
//! timer; the loop around it sleeps until [`Frames::due`] and asks [`Frames::take`]. What surprises: at rest there is
//! no deadline at all, so an idle program wakes for nothing and writes nothing.
//!
//! What flows is drawn twenty times a second. Text that flows at that pace reads calmly, and costs less: of an answer of
//! 100 pieces of 20 bytes a second, ten seconds long, at 30 frames a second 5,384 bytes a KB went to the terminal, at 25
//! 5,082, at 20 4,640 to 4,705; the program took 0.25 s, 0.20 s and 0.19 to 0.20 s of a core.

use std::time::{Duration, Instant};

use super::screen::Pace;

/// 50 ms: one frame at 20 Hz; what a key does is drawn at once whatever flows.
const FRAME: Duration = Duration::from_millis(50);

/// Keys closer than this come from no hand: a paste without brackets, which would cost a frame a character.
const BURST: Duration = Duration::from_millis(4);

/// Frames no more than this apart are a flow, in which the real cursor stays away from the composer.
const FLOW: Duration = Duration::from_millis(300);

/// So long after a key the user counts as typing: then the real cursor is in the composer, for input methods.
const TYPING: Duration = Duration::from_secs(1);

/// Why something is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The user pressed a key or pasted: drawn at once, a burst of keys together.
    Key,
    /// A question, an abort, an end: drawn at once.
    Turn,
    /// Text or output arrived: drawn with what else arrives in the same 50 ms.
    Flow,
    /// A spinner or a clock shows its next picture at this moment.
    Tick(Instant),
    /// The window has a new size: drawn when it has kept it for a while.
    Resize,
}

/// What has been asked for and not yet drawn.
#[derive(Debug)]
pub struct Frames {
    settle: Duration,
    last: Option<Instant>,
    due: Option<Instant>,
    not_before: Option<Instant>,
    typing_until: Option<Instant>,
    flowing_until: Option<Instant>,
}

impl Frames {
    /// Nothing asked for yet. After a change of size nothing is drawn for the time `settle`.
    #[must_use]
    pub fn new(settle: Duration) -> Self {
        Self { settle, last: None, due: None, not_before: None, typing_until: None, flowing_until: None }
    }

    /// Notes that there is something to draw.
    pub fn ask(&mut self, cause: Cause, now: Instant) {
        let calm = self.last.map_or(now, |last| last + FRAME);
        let at = match cause {
            Cause::Key => {
                self.typing_until = Some(now + TYPING);
                self.last.map_or(now, |last| last + BURST).max(now)
            }
            Cause::Turn => now,
            Cause::Flow => {
                self.flowing_until = self.flowing_until.max(Some(now + FLOW));
                calm.max(now)
            }
            Cause::Tick(at) => {
                self.flowing_until = self.flowing_until.max(Some(at + FLOW));
                calm.max(at)
            }
            Cause::Resize => {
                self.not_before = Some(now + self.settle);
                calm.max(now)
            }
        };
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// The moment of the next frame; none while nothing is to be drawn.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.due.map(|due| self.not_before.map_or(due, |earliest| due.max(earliest)))
    }

    /// Whether what flows may as well wait: it would be drawn no sooner than with the frame that is due. To hear of each
    /// delta by itself would cost more than to draw it.
    #[must_use]
    pub fn flow_may_wait(&self, now: Instant) -> bool {
        let next = self.last.map(|last| last + FRAME);
        self.due.is_some_and(|due| now < due && next.is_some_and(|next| due <= next))
    }

    /// Whether it is time to draw, and at which pace. The caller then draws, with all that has arrived.
    pub fn take(&mut self, now: Instant) -> Option<Pace> {
        self.due().filter(|due| *due <= now)?;
        let typing = self.typing_until.is_some_and(|until| now < until);
        let flowing = self.flowing_until.filter(|until| now < *until);
        self.last = Some(now);
        self.not_before = None;
        match flowing {
            Some(until) if !typing => {
                // One more frame brings the cursor back to the composer, unless the flow goes on.
                self.due = Some(until);
                Some(Pace::Busy)
            }
            Some(_) | None => {
                self.due = None;
                Some(Pace::Rest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// Asks at the given milliseconds, draws whenever a frame is due, and compares the frames drawn up to 5 s.
    fn check(asks: &[(u64, Cause)], expected: &[(u64, Pace)]) {
        let start = Instant::now();
        let mut frames = Frames::new(ms(60));
        let mut drawn = Vec::new();
        for at in 0..5_000 {
            let now = start + ms(at);
            for (_, cause) in asks.iter().filter(|(asked, _)| *asked == at) {
                frames.ask(*cause, now);
            }
            drawn.extend(frames.take(now).map(|pace| (at, pace)));
        }
        assert_eq!(drawn, expected);
        assert_eq!(frames.due(), None, "at rest nothing is due");
    }

    #[test]
    fn nothing_asked_for_is_never_due() {
        check(&[], &[]);
    }

    #[test]
    fn keys_and_questions_are_drawn_at_once() {
        let frames = [(3, Pace::Rest), (7, Pace::Rest), (8, Pace::Rest)];
        check(&[(3, Cause::Key), (7, Cause::Key), (8, Cause::Turn)], &frames);
    }

    #[test]
    fn a_burst_of_keys_is_drawn_together() {
        let keys: Vec<(u64, Cause)> = (10..20).map(|at| (at, Cause::Key)).collect();
        check(&keys, &[(10, Pace::Rest), (14, Pace::Rest), (18, Pace::Rest), (22, Pace::Rest)]);
    }

    #[test]
    fn a_flow_is_drawn_once_in_50_ms_and_rests_300_ms_after_its_end() {
        let deltas: Vec<(u64, Cause)> = (0..100).map(|at| (at, Cause::Flow)).collect();
        let frames = [(0, Pace::Busy), (50, Pace::Busy), (100, Pace::Busy)];
        check(&deltas, &[&frames[..], &[(399, Pace::Rest)]].concat());
    }

    #[test]
    fn what_flows_waits_for_the_frame_that_is_due_and_no_longer() {
        let start = Instant::now();
        let mut frames = Frames::new(ms(0));
        assert!(!frames.flow_may_wait(start), "nothing is due");
        frames.ask(Cause::Flow, start);
        assert!(!frames.flow_may_wait(start), "the first is drawn at once");
        assert_eq!(frames.take(start), Some(Pace::Busy));
        assert!(!frames.flow_may_wait(start + ms(1)), "the frame at the end of the flow is far");
        frames.ask(Cause::Flow, start + ms(5));
        assert!(frames.flow_may_wait(start + ms(6)));
        assert!(!frames.flow_may_wait(start + ms(50)), "it is time");
    }

    #[test]
    fn typing_into_a_flow_keeps_the_cursor_in_the_composer() {
        let asks =
            [(0, Cause::Flow), (10, Cause::Key), (20, Cause::Flow), (990, Cause::Flow), (1040, Cause::Flow)];
        let frames = [
            (0, Pace::Busy),
            (10, Pace::Rest),
            (60, Pace::Rest),
            (990, Pace::Rest),
            (1040, Pace::Busy),
            (1340, Pace::Rest),
        ];
        check(&asks, &frames);
    }

    #[test]
    fn nothing_is_drawn_until_the_window_has_kept_its_size() {
        let asks = [(0, Cause::Resize), (30, Cause::Resize), (40, Cause::Key), (70, Cause::Resize)];
        check(&asks, &[(130, Pace::Rest)]);
    }

    #[test]
    fn a_spinner_turns_at_its_moment_and_counts_as_a_flow() {
        let start = Instant::now();
        let mut frames = Frames::new(ms(0));
        frames.ask(Cause::Tick(start + ms(100)), start);
        assert_eq!(frames.due(), Some(start + ms(100)));
        assert_eq!(frames.take(start + ms(99)), None);
        assert_eq!(frames.take(start + ms(100)), Some(Pace::Busy));
        assert_eq!(frames.due(), Some(start + ms(400)));
    }
}
