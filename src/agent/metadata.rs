//! What a run has used so far: turns, tokens, calls.

use super::turns::Run;
use crate::protocol::{AssistantMessage, CallSummary, EntryBody};

impl Run<'_> {
    /// Counts a turn.
    pub(super) fn count(&mut self, message: &AssistantMessage) {
        self.budget_used += 1;
        let metadata = &mut self.carry.metadata;
        metadata.turns_count += 1;
        if let Some(usage) = message.usage {
            metadata.usage.add(usage);
            metadata.context_tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        }
        if message.model != self.agent.parts.model {
            self.carry.model = Some(message.model.clone());
        }
    }

    /// Counts a request whose answer is no message.
    pub(super) async fn count_spent(&mut self, answer: &AssistantMessage) {
        if let Some(usage) = answer.usage {
            self.carry.metadata.usage.add(usage);
            self.record_body(EntryBody::Spent { model: answer.model.clone(), usage }).await;
        }
    }

    /// Notes what became of a call.
    pub(super) fn note_call(&mut self, call: CallSummary) {
        self.carry.metadata.tool_calls.push(call);
    }
}
