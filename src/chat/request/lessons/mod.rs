//! Which words of a refusal mean what: a rule for each thing that endpoints refuse.
//!
//! A rule looks at what was said and at what was sent, and gives what the thing could be instead, the likelier first; none
//! where it is not meant. [`super::refused`] takes the first that was not tried before. Pure. The surprising decision: no
//! rule trusts a status, and none but those for a field's very name trusts a single word: `stream` alone says nothing,
//! "does not support streaming" does.

mod conversation;
mod head;

use super::complaint::Complaint;
use super::dialect::{Images, Quirk};
use super::refused::Sent;
use super::wire;
use crate::chat::RequestMessage;
use crate::protocol::history::Masked;
use crate::protocol::{Content, Message, Part};

pub(in crate::chat) use head::WANTS_STREAM;

/// Each rule, what is quite its own before what is vague.
pub(in crate::chat) const RULES: [fn(&Case<'_>) -> Vec<Quirk>; 15] = [
    head::no_thinking_beside_tools,
    head::counts,
    head::output_limit,
    head::temperature,
    conversation::call_ids,
    conversation::signatures,
    conversation::thoughts,
    conversation::tool_name,
    conversation::order_of_roles,
    conversation::system_role,
    head::streaming,
    head::tools,
    conversation::images,
    head::effort,
    conversation::no_text,
];

/// A refusal beside what it refuses.
pub(in crate::chat) struct Case<'a> {
    pub(in crate::chat) complaint: Complaint,
    pub(in crate::chat) sent: Sent<'a>,
}

impl Case<'_> {
    /// Whether it was not written so before.
    pub(in crate::chat) fn is_new(&self, quirk: Quirk) -> bool {
        self.sent.known.with(quirk) != self.sent.known && !self.sent.learnt.contains(&quirk)
    }

    fn says(&self, phrases: &[&str]) -> bool {
        self.complaint.says(phrases)
    }

    fn messages(&self) -> impl Iterator<Item = &Message> {
        self.sent.request.messages.iter().filter_map(|message| match message {
            RequestMessage::Kept(slot, Masked::No) => Some(&slot.message),
            RequestMessage::Kept(_, Masked::Yes) | RequestMessage::Text(_) => None,
        })
    }

    fn has_tools(&self) -> bool {
        wire::offers_tools(self.sent.request, self.sent.dialect)
    }

    fn has_images(&self) -> bool {
        let shows = |content: &Content| content.0.iter().any(|part| matches!(part, Part::Image { .. }));
        self.sent.dialect.message.images == Images::Sent
            && self.messages().any(|message| match message {
                Message::User(user) => shows(&user.content),
                Message::Tool(answer) => shows(&answer.content),
                Message::Assistant(_) => false,
            })
    }

    fn has_calls(&self) -> bool {
        self.messages()
            .any(|message| matches!(message, Message::Assistant(said) if !said.tool_calls.is_empty()))
    }

    fn has_calls_without_text(&self) -> bool {
        self.messages().any(|message| matches!(message, Message::Assistant(said) if said.text.is_empty()))
    }
}
