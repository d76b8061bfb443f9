//! Answers to commands that only look: lines, and what is to be copied.

use super::Runner;
use crate::app::copied as find_copied;
use crate::conversation::Conversation;
use crate::tui::effect::Tell;
use crate::tui::msg::Reply;

impl Runner {
    /// The lines of an answer.
    pub(super) fn tell(&self, conversation: &Conversation, what: Tell) -> Vec<String> {
        match what {
            Tell::Context => self.app.context(conversation),
            Tell::Cost => self.app.cost(conversation),
            Tell::Config => self.app.settings(conversation),
            Tell::Memory => self.app.memory(conversation),
        }
    }
}

/// What is to be copied, or why there is nothing.
pub(super) fn copied(conversation: &Conversation, block: Option<usize>) -> Vec<Reply> {
    match find_copied(conversation.history(), block) {
        Ok(copy) => vec![Reply::Copied { text: copy.text, said: copy.said }],
        Err(why) => vec![Reply::Said(why)],
    }
}
