//! What was said and got no answer: whether it can be asked again, and what goes back into the input.

use super::{Again, Conversation};
use crate::agent::Attendance;
use crate::protocol::{EntryBody, Message, Origin, StopReason, UserMessage};

impl Conversation {
    pub(super) fn can_be_asked_again(&self) -> Again {
        // what the user ran or noted since asks for no answer
        let is_asked = |message: &&Message| match message {
            Message::User(user) => !matches!(user.origin, Origin::Shell | Origin::Note | Origin::Reminder),
            Message::Assistant(_) | Message::Tool(_) => true,
        };
        let unanswered = match self.parts.history.messages().rev().find(is_asked) {
            Some(Message::User(_) | Message::Tool(_)) => true,
            Some(Message::Assistant(answer)) => answer.stop_reason == StopReason::Refusal,
            None => false,
        };
        if unanswered && self.parts.budget.turns() > 0 { Again::Possible } else { Again::Impossible }
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
