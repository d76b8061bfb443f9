//! What of the tour has been played, read off the conversation. Pure.
//!
//! Nothing is remembered between requests: what stands in the conversation is all there is, as it is for a model. A
//! call that was interrupted counts as not played, so it is made again; one that was refused or failed is settled.

use serde_json::{Value, json};

use crate::protocol::{CallId, Message, Origin, StopReason, ToolCall, ToolMessage, ToolStatus};

/// The fault of the sample, and what mends it.
const FAULT: &str = "sum=$((sum + price))";
const MENDED: &str = "sum=$((sum + price * count))";

/// A call that the script makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Reads the code.
    ReadCart,
    /// Reads its test.
    ReadCheck,
    /// Searches for what calls it.
    Search,
    /// Puts the fault back, where an earlier tour has mended it.
    PutBack,
    /// Mends it.
    Mend,
    /// Runs the test.
    Check,
}

/// What the script does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Reads and searches.
    Look,
    /// Gives up: there is nothing to see.
    GiveUp,
    /// Puts the fault back.
    PutBack,
    /// Mends it.
    Mend,
    /// Runs the test.
    Check,
    /// Says what came of it.
    Close,
    /// Offers to play it again.
    Offer,
}

/// A call of the script with its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Played {
    pub(super) act: Act,
    pub(super) status: ToolStatus,
    pub(super) text: String,
}

/// The tour so far.
#[derive(Debug, Default)]
pub(super) struct Tour {
    played: Vec<Played>,
    /// How many of them were spoken about.
    told: usize,
    open: Vec<(CallId, Act)>,
    /// What the user has said since the script spoke last.
    pub(super) said: Option<String>,
    /// How the script's last words ended.
    last: Option<StopReason>,
    ending: Ending,
}

/// Whether the last word of a tour was spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Ending {
    #[default]
    Ahead,
    Spoken,
}

impl Tour {
    /// Reads the conversation, oldest message first.
    pub(super) fn read<'a>(messages: impl Iterator<Item = &'a Message>) -> Self {
        let mut tour = Self::default();
        for message in messages {
            tour.take(message);
        }
        tour
    }

    /// What comes next.
    pub(super) fn next(&self) -> Step {
        if self.ending == Ending::Spoken {
            return Step::Offer;
        }
        let Some(read) = self.settled(Act::ReadCart) else { return Step::Look };
        if read.status != ToolStatus::Success {
            return Step::GiveUp;
        }
        let is_mended = read.text.contains(MENDED);
        let put_back = self.settled(Act::PutBack).map(|played| played.status);
        if is_mended && put_back.is_none() {
            return Step::PutBack;
        }
        let has_fault = !is_mended || put_back == Some(ToolStatus::Success);
        if has_fault && self.settled(Act::Mend).is_none() {
            return Step::Mend;
        }
        if self.settled(Act::Check).is_none() { Step::Check } else { Step::Close }
    }

    /// The call with its answer, if it has been made and not interrupted.
    pub(super) fn settled(&self, act: Act) -> Option<&Played> {
        let settled = |played: &&Played| played.act == act && played.status != ToolStatus::Interrupted;
        self.played.iter().rev().find(settled)
    }

    /// Whether this call did what it was asked.
    pub(super) fn succeeded(&self, act: Act) -> bool {
        self.settled(act).is_some_and(|played| played.status == ToolStatus::Success)
    }

    /// The answers that came since the script spoke last.
    pub(super) fn news(&self) -> &[Played] {
        self.played.get(self.told..).unwrap_or_default()
    }

    /// Whether the user stopped the script in what it did last.
    pub(super) fn was_stopped(&self) -> bool {
        self.last == Some(StopReason::Aborted)
            || self.news().iter().any(|played| played.status == ToolStatus::Interrupted)
    }

    fn take(&mut self, message: &Message) {
        match message {
            Message::User(user) if is_spoken(user.origin) => {
                let text = user.content.to_text();
                if asks_again(&text) {
                    *self = Self::default();
                }
                self.said = Some(text);
            }
            Message::User(_) => {}
            Message::Assistant(answer) => {
                self.told = self.played.len();
                self.said = None;
                self.last = Some(answer.stop_reason);
                self.open = answer
                    .tool_calls
                    .iter()
                    .filter_map(|call| Some((call.id.clone(), Act::of(call)?)))
                    .collect();
                if answer.tool_calls.is_empty() && answer.stop_reason != StopReason::Aborted {
                    self.ending = Ending::Spoken;
                }
            }
            Message::Tool(answer) => self.answered(answer),
        }
    }

    fn answered(&mut self, answer: &ToolMessage) {
        let act = self.open.iter().find(|(id, _)| *id == answer.call_id).map(|(_, act)| *act);
        self.played.extend(act.map(|act| Played {
            act,
            status: answer.status,
            text: answer.content.to_text(),
        }));
    }
}

impl Act {
    const ALL: [Self; 6] =
        [Self::ReadCart, Self::ReadCheck, Self::Search, Self::PutBack, Self::Mend, Self::Check];

    /// The tool's name, and its arguments as they are sent.
    pub(super) fn call(self) -> (&'static str, Value) {
        let edit = |old, new| json!({"file_path": "cart.sh", "old_string": old, "new_string": new});
        match self {
            Self::ReadCart => ("Read", json!({"file_path": "cart.sh"})),
            Self::ReadCheck => ("Read", json!({"file_path": "check.sh"})),
            Self::Search => ("Grep", json!({"pattern": "total", "output_mode": "content"})),
            Self::PutBack => ("Edit", edit(MENDED, FAULT)),
            Self::Mend => ("Edit", edit(FAULT, MENDED)),
            Self::Check => ("Bash", json!({"command": "sh check.sh", "description": "run the cart test"})),
        }
    }

    fn of(call: &ToolCall) -> Option<Self> {
        Self::ALL.into_iter().find(|act| {
            let (tool, arguments) = act.call();
            let sent = serde_json::from_str::<Value>(&call.arguments);
            call.name.as_str() == tool && sent.is_ok_and(|sent| sent == arguments)
        })
    }
}

fn is_spoken(origin: Origin) -> bool {
    match origin {
        Origin::User | Origin::Queued | Origin::Command => true,
        Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook | Origin::Shell => false,
    }
}

/// Whether the user wants the tour from its beginning.
pub(super) fn asks_again(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_knows_its_own_calls_again() {
        for act in Act::ALL {
            let (tool, arguments) = act.call();
            let call = ToolCall::new("1", tool, arguments.to_string());
            assert_eq!(Act::of(&call), Some(act));
        }
        let other = ToolCall::new("1", "Bash", "{}");
        assert_eq!(Act::of(&other), None);
    }

    #[test]
    fn the_word_again_is_heard_in_a_sentence() {
        for text in ["again", "Again, please", "play it again."] {
            assert!(asks_again(text), "{text}");
        }
        for text in ["", "against", "once more"] {
            assert!(!asks_again(text), "{text}");
        }
    }
}
