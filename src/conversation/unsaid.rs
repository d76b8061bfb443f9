//! What was said and got no answer: whether it can be asked again, and what goes back into the input.

use super::{Again, Conversation, Phase};
use crate::agent::{Attendance, Start, instructions_of};
use crate::protocol::{EntryBody, History, Message, Origin, RunEnd, StopReason, UserMessage};

/// Whether what was said last may be sent once more: after a failure, and where a resumed session ends with a message of the user.
/// What the user stopped is not.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Retry {
    is_allowed: bool,
    /// Whether the run that is going on answers a message.
    answers: bool,
}

impl Retry {
    /// For a session that an earlier process left so.
    pub(super) fn resumed(history: &History) -> Self {
        Self { is_allowed: is_unanswered(history), answers: false }
    }

    /// A run begins.
    pub(super) fn begin(&mut self, start: &Start) {
        self.answers = match start {
            Start::Prompt(_) | Start::Continue(_) => true,
            Start::Own(_) | Start::Compact(_) => false,
        };
    }

    /// It has ended. A command of the user's own, or a summary, changes nothing of what was said before it.
    pub(super) fn end(&mut self, end: &RunEnd, was: &Phase) {
        if self.answers {
            self.is_allowed = matches!(end, RunEnd::Failed(_)) && *was != Phase::Aborting;
        }
    }
}

/// Whether the conversation ends with a prompt of the user that has no answer.
#[must_use]
pub fn is_unanswered(history: &History) -> bool {
    match history.messages().rev().find(|message| is_asked(message)) {
        Some(Message::User(user)) => matches!(user.origin, Origin::User | Origin::Queued | Origin::Command),
        Some(Message::Assistant(_) | Message::Tool(_)) | None => false,
    }
}

/// Whether a message asks for an answer: what the user ran or noted does not.
fn is_asked(message: &Message) -> bool {
    match message {
        Message::User(user) => !matches!(user.origin, Origin::Shell | Origin::Note | Origin::Reminder),
        Message::Assistant(_) | Message::Tool(_) => true,
    }
}

/// What becomes of a message without an answer when the user has stopped the run.
enum Fate {
    /// Goes back into the input.
    GivenBack,
    /// Is never sent.
    Dropped,
    /// Is sent with the next prompt.
    Kept,
    /// The same, and so is all before it.
    KeptWithAllBefore,
}

/// What becomes of prompts without an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompts {
    /// They go back into the input.
    GivenBack,
    /// They stay: the run had ended by itself, or there is no input.
    Kept,
}

impl Prompts {
    /// Those of a run that was aborted.
    pub(super) fn after_abort(attendance: Attendance) -> Self {
        match attendance {
            Attendance::Attended => Self::GivenBack,
            Attendance::Unattended => Self::Kept,
        }
    }
}

impl Conversation {
    pub(super) fn can_be_asked_again(&self) -> Again {
        let unanswered = match self.parts.history.messages().rev().find(|message| is_asked(message)) {
            Some(Message::User(_) | Message::Tool(_)) => true,
            Some(Message::Assistant(answer)) => answer.stop_reason == StopReason::Refusal,
            None => false,
        };
        if self.retry.is_allowed && unanswered && self.parts.budget.turns() > 0 {
            Again::Possible
        } else {
            Again::Impossible
        }
    }

    /// Who asks again after a refusal wants another answer in its place, and not one behind it.
    pub(super) fn unsay_refusal(&mut self) {
        let refusal = self.parts.history.view().next_back().filter(|(slot, _)| match &slot.message {
            Message::Assistant(answer) => answer.stop_reason == StopReason::Refusal,
            Message::User(_) | Message::Tool(_) => false,
        });
        if let Some(to) = refusal.map(|(slot, _)| slot.position) {
            self.record(EntryBody::Unsaid { to });
        }
    }

    /// Takes out of the conversation what the stopped run has left without an answer: messages of the program, and prompts where
    /// they go back into the input. Gives the prompts.
    pub(super) fn unsay(&mut self, prompts: Prompts) -> Vec<String> {
        let (mut texts, mut to, mut kept) = (Vec::new(), None, Vec::new());
        for (slot, _) in self.parts.history.view().rev() {
            let Message::User(user) = &slot.message else { break };
            match self.fate(prompts, slot.position, user) {
                Fate::GivenBack => {
                    texts.push(user.words());
                    kept.retain(|(_, later)| !self.goes_with_its_prompt(later));
                    to = Some(slot.position);
                }
                Fate::Dropped => to = Some(slot.position),
                Fate::Kept => kept.push((slot.position, user.clone())),
                Fate::KeptWithAllBefore => break,
            }
        }
        if let Some(to) = to {
            self.record(EntryBody::Unsaid { to });
            for (_, message) in kept.into_iter().rev().filter(|(position, _)| *position > to) {
                self.record(EntryBody::Message(Message::User(message)));
            }
        }
        texts.reverse();
        texts
    }

    /// Whether the message is of instructions that an attached file brought: they are told again when it is attached again.
    fn goes_with_its_prompt(&self, message: &UserMessage) -> bool {
        let Some(name) = instructions_of(message) else { return false };
        self.parts.bench.guides().take_back(&name);
        true
    }

    /// Before another prompt: a nudge that a failed or killed run has left without an answer is not sent with it.
    pub(super) fn unsay_nudge(&mut self) {
        let nudge = self.parts.history.view().next_back().filter(|(slot, _)| match &slot.message {
            Message::User(user) => user.origin == Origin::Nudge,
            Message::Assistant(_) | Message::Tool(_) => false,
        });
        if let Some(to) = nudge.map(|(slot, _)| slot.position) {
            self.record(EntryBody::Unsaid { to });
        }
    }

    fn fate(&self, prompts: Prompts, position: usize, message: &UserMessage) -> Fate {
        let of_the_run = position >= self.run_begins;
        match message.origin {
            Origin::User | Origin::Queued | Origin::Command => match prompts {
                Prompts::GivenBack if of_the_run => Fate::GivenBack,
                Prompts::GivenBack | Prompts::Kept => Fate::KeptWithAllBefore,
            },
            Origin::Nudge => Fate::Dropped,
            // they belong to a file that was read, and are as true as before
            Origin::Note if instructions_of(message).is_some() => Fate::Kept,
            Origin::Note | Origin::Reminder | Origin::Hook if of_the_run => Fate::Dropped,
            Origin::Note | Origin::Reminder | Origin::Hook => Fate::Kept,
            Origin::Shell => Fate::KeptWithAllBefore,
        }
    }

    pub(super) fn empty_queue(&mut self) -> Vec<String> {
        self.inbox.drain().iter().map(UserMessage::words).collect()
    }
}
