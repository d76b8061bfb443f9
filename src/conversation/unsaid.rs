//! What was said and got no answer: whether it can be asked again, and what goes back into the input.

use super::{Again, Conversation, Phase};
use crate::agent::{Attendance, Start};
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
        let is_allowed = match history.messages().rev().find(|message| is_asked(message)) {
            Some(Message::User(user)) => {
                matches!(user.origin, Origin::User | Origin::Queued | Origin::Command)
            }
            Some(Message::Assistant(_) | Message::Tool(_)) | None => false,
        };
        Self { is_allowed, answers: false }
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

/// Whether a message asks for an answer: what the user ran or noted does not.
fn is_asked(message: &Message) -> bool {
    match message {
        Message::User(user) => !matches!(user.origin, Origin::Shell | Origin::Note | Origin::Reminder),
        Message::Assistant(_) | Message::Tool(_) => true,
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

    /// Takes this run's prompts, where nothing was answered to them, out of the conversation; where nobody sits in front
    /// of an input they stay.
    pub(super) fn unsay(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        let mut to = None;
        for (slot, _) in self.parts.history.view().rev() {
            let Message::User(user) = &slot.message else { break };
            if slot.position < self.run_begins || self.parts.attendance == Attendance::Unattended {
                break;
            }
            match user.origin {
                Origin::User | Origin::Queued | Origin::Command => texts.push(user.words()),
                // it goes with the words that it stands before
                Origin::Reminder => {}
                Origin::Nudge | Origin::Note | Origin::Hook | Origin::Shell => break,
            }
            to = Some(slot.position);
        }
        if let Some(to) = to {
            self.record(EntryBody::Unsaid { to });
        }
        texts.reverse();
        texts
    }

    pub(super) fn empty_queue(&mut self) -> Vec<String> {
        self.inbox.drain().iter().map(UserMessage::words).collect()
    }
}
