//! All that the screen knows. Plain data; nothing here names the terminal, the runtime or a clock.
//!
//! [`Model`] is sub-models; each has a file. It changes in `update`, is drawn by `view`, and neither can do the other's work.

pub mod answering;
pub mod aside;
pub mod buffer;
pub mod call;
pub mod choice;
pub mod complete;
pub mod composer;
pub mod draft;
pub mod facts;
pub mod history;
pub mod layout;
pub mod live;
pub mod moment;
pub mod overlay;
pub mod permissions;
pub mod picker;
pub mod question;
pub mod queue;
mod reach;
pub mod rewind;
pub mod run;
pub mod scroll;
pub mod sessions;
pub mod setup;
pub mod tasks;
pub mod themes;
pub mod todos;
pub mod transcript;
pub mod vim;

use std::time::Duration;

use answering::Answering;
use aside::Aside;
use composer::Composer;
use facts::{Facts, Meter};
use moment::Moment;
use overlay::Overlay;
use question::{Asking, Guard};
use queue::Queue;
use run::RunView;
use setup::{Choosing, Trusting};
use transcript::Transcript;

use super::key::Key;
use crate::protocol::RunEnd;

/// All that the screen knows.
#[derive(Debug)]
pub struct Model {
    /// Columns and rows of the terminal.
    pub size: Size,
    /// Facts for the head and the status line.
    pub facts: Facts,
    /// What has been counted.
    pub meter: Meter,
    /// What has the keys, overlays aside.
    pub stage: Stage,
    /// What lies over it.
    pub overlay: Option<Overlay>,
    /// The input line.
    pub composer: Composer,
    /// What has been said and done.
    pub transcript: Transcript,
    /// The run that goes on.
    pub run: Option<RunView>,
    /// What waits for its turn.
    pub queue: Queue,
    /// What stands beside the conversation.
    pub aside: Aside,
    /// What was just pressed, where that matters for the next key.
    pub recent: Recent,
    /// Whether another session is being opened: what is sent meanwhile waits for it.
    pub opens_session: bool,
    /// A prompt from the command line, to be sent as soon as there is somebody to send it to.
    pub first_prompt: Option<String>,
}

/// A size in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
}

/// What has the keys: one of states that exclude each other.
#[derive(Debug, Clone)]
pub enum Stage {
    /// Nothing is ready; keys go into the input.
    Opening,
    /// The trust question.
    Trusting(Trusting),
    /// The first-run screen.
    Choosing(Choosing),
    /// The input, at rest.
    Idle,
    /// The input, while a run goes on.
    Running,
    /// A permission question.
    Asking(Box<Asking>),
    /// A question of the model.
    Answering(Box<Answering>),
    /// The turn-limit question.
    AtLimit(AtLimit),
}

/// The question at a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtLimit {
    /// Which limit.
    pub limit: Limit,
    /// Calls so far.
    pub calls: u32,
    /// Wall time so far.
    pub took: Duration,
    /// When it takes keys.
    pub guard: Guard,
}

/// A limit that was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// Of a run's turns.
    Turns {
        /// Turns so far.
        turns: u32,
    },
    /// Of calls in a row that are equal.
    Repeats {
        /// Turns so far.
        turns: u32,
    },
    /// Of the session's money or tokens.
    Budget {
        /// Of what how much is used.
        used: String,
    },
}

impl Limit {
    /// The limit at which a run ended; none where it ended otherwise.
    #[must_use]
    pub fn of(end: &RunEnd) -> Option<Self> {
        match end {
            RunEnd::TurnLimit { turns } => Some(Self::Turns { turns: *turns }),
            RunEnd::Looping { turns } => Some(Self::Repeats { turns: *turns }),
            RunEnd::OverBudget { used } => Some(Self::Budget { used: used.clone() }),
            RunEnd::Done | RunEnd::Aborted | RunEnd::Refused | RunEnd::Failed(_) => None,
        }
    }
}

/// What was just pressed, where that matters for the next key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recent {
    /// The last printable key.
    pub printable: Option<Moment>,
    /// The last key, whatever it was.
    pub pressed: Option<Pressed>,
    /// Since when it waits, if it may be an auto-repeat.
    pub unsure: Option<Moment>,
    /// Ctrl+C on an empty input: a second one soon leaves.
    pub leave: Option<Moment>,
    /// Esc on an empty input: a second one soon goes back to an earlier message.
    pub back: Option<Moment>,
}

/// The longest delay before the first auto-repeat of a key: X11's is 660 ms.
const FIRST_REPEAT: Duration = Duration::from_millis(750);
/// The longest interval between auto-repeats, on a slow line as well. Two presses in a shorter time are typing.
const REPEAT: Duration = Duration::from_millis(400);
/// A possible auto-repeat that is not followed by another within this time was a press.
const LET_GO: Duration = Duration::from_millis(150);
/// The shortest interval between auto-repeats: two keys in a shorter time were typed ahead.
const FASTEST: Duration = Duration::from_millis(20);

/// A key, with the auto-repeats that followed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pressed {
    key: Key,
    first: Moment,
    last: Moment,
    repeats: Repeats,
}

/// Whether a key is an auto-repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeats {
    /// It came once.
    Not,
    /// It may be one, or a second press.
    Perhaps,
    /// It is one.
    Surely,
}

impl Recent {
    /// The key that waited, if the next one shows that it was no auto-repeat.
    pub fn take_pressed(&mut self, next: Key, now: Moment) -> Option<Key> {
        let since = self.unsure.take()?;
        let waited = self.pressed.filter(|waited| waited.key != next || now.since(since) < FASTEST)?;
        self.pressed = None;
        Some(waited.key)
    }

    /// A key comes.
    pub fn press(&mut self, key: Key, now: Moment) {
        let again = self.pressed.filter(|pressed| pressed.key == key);
        let repeats = again.map_or(Repeats::Not, |again| match now.since(again.last) {
            gap if gap < REPEAT => Repeats::Surely,
            gap if gap < FIRST_REPEAT && again.repeats == Repeats::Not => Repeats::Perhaps,
            _ => Repeats::Not,
        });
        let first = again.filter(|_| repeats != Repeats::Not).map_or(now, |again| again.first);
        self.pressed = Some(Pressed { key, first, last: now, repeats });
    }

    /// Whether the key that came last is meant for a question with this guard: not in its first moments, and not if it is an
    /// auto-repeat of a key from before the question took keys. A possible auto-repeat waits: see [`Self::take_certain`].
    pub fn is_meant_for(&mut self, guard: &Guard, now: Moment) -> bool {
        let before = self.pressed.filter(|key| !guard.takes_keys(key.first)).map(|key| key.repeats);
        match before {
            _ if !guard.takes_keys(now) => false,
            Some(Repeats::Surely) => false,
            Some(Repeats::Perhaps) => {
                self.unsure = Some(now);
                false
            }
            Some(Repeats::Not) | None => true,
        }
    }

    /// How long the last key still waits for a repetition, if it does.
    #[must_use]
    pub fn is_unsure_for(&self, now: Moment) -> Option<Duration> {
        self.unsure.map(|since| LET_GO.saturating_sub(now.since(since)))
    }

    /// The key that waited, if it was not repeated in time: it was pressed.
    pub fn take_certain(&mut self, now: Moment) -> Option<Key> {
        self.is_unsure_for(now).filter(Duration::is_zero)?;
        self.unsure = None;
        self.pressed.take().map(|pressed| pressed.key)
    }

    /// The last key that means something else where it comes again soon.
    #[must_use]
    pub fn armed(self) -> Option<Moment> {
        self.leave.or(self.back)
    }
}

impl Stage {
    /// Whether there is somebody to talk to.
    #[must_use]
    pub fn has_conversation(&self) -> bool {
        match self {
            Self::Opening | Self::Trusting(_) | Self::Choosing(_) => false,
            Self::Idle | Self::Running | Self::Asking(_) | Self::Answering(_) | Self::AtLimit(_) => true,
        }
    }
}

/// After so long it is told that a session is being read: what is read sooner is seen to be.
const LONG_READING: u64 = 400;

impl Model {
    /// Whether there is a conversation that takes messages now.
    #[must_use]
    pub fn takes_messages(&self) -> bool {
        self.stage.has_conversation() && !self.opens_session
    }

    /// Whether the next queued command can run: no run, and nothing open that an earlier command asked for.
    #[must_use]
    pub fn runs_commands(&self) -> bool {
        matches!(self.stage, Stage::Idle) && self.overlay.is_none() && !self.opens_session
    }

    /// When it is told that the session is still being read, as long as it is: the program begins with its screen.
    #[must_use]
    pub fn tells_of_reading_at(&self) -> Option<Moment> {
        self.transcript.is_ahead().then_some(Moment(LONG_READING))
    }

    /// Whether the list of background commands is open.
    #[must_use]
    pub fn lists_tasks(&self) -> bool {
        matches!(self.overlay, Some(Overlay::Tasks(_)))
    }

    /// Whether something is shown that changes with time alone.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        let page = matches!(self.overlay, Some(Overlay::Page(_)));
        self.run.is_some() && !page && matches!(self.stage, Stage::Running)
    }

    /// Whether the transcript can be scrolled: not while something else is all there is.
    #[must_use]
    pub fn scrolls(&self) -> bool {
        self.overlay.is_none()
            && match self.stage {
                Stage::Trusting(_) | Stage::Choosing(_) => false,
                Stage::Opening
                | Stage::Idle
                | Stage::Running
                | Stage::Asking(_)
                | Stage::Answering(_)
                | Stage::AtLimit(_) => true,
            }
    }

    /// Whether Home and End scroll it: where nothing is written that they could move in.
    #[must_use]
    pub fn scrolls_by_end(&self) -> bool {
        self.is_written_in() && self.composer.is_empty()
    }

    /// Whether keys go into the input.
    #[must_use]
    pub fn is_written_in(&self) -> bool {
        self.overlay.is_none()
            && match self.stage {
                Stage::Opening | Stage::Idle | Stage::Running => true,
                Stage::Trusting(_)
                | Stage::Choosing(_)
                | Stage::Asking(_)
                | Stage::Answering(_)
                | Stage::AtLimit(_) => false,
            }
    }

    /// A screen on which nothing has happened.
    #[must_use]
    pub fn new(size: Size, composer: Composer) -> Self {
        Self {
            size,
            facts: Facts::default(),
            meter: Meter::default(),
            stage: Stage::Opening,
            overlay: None,
            composer,
            transcript: Transcript::default(),
            run: None,
            queue: Queue::default(),
            aside: Aside::default(),
            recent: Recent::default(),
            opens_session: false,
            first_prompt: None,
        }
    }
}
