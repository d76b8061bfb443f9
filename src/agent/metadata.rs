//! What a run has used so far: turns, tokens, calls.

use super::turns::Run;
use crate::protocol::{AssistantMessage, CallSummary, EntryBody, NoticeKind};

const NO_USAGE: &str =
    "cannot enforce max_tokens: the endpoint does not report the usage (try max_turns, or --timeout)";

impl Run<'_> {
    /// Counts a turn.
    pub(super) async fn count(&mut self, message: &AssistantMessage) {
        self.check_usage(message).await;
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
        self.check_usage(answer).await;
        if let Some(usage) = answer.usage {
            self.carry.metadata.usage.add(usage);
            self.record_body(EntryBody::Spent { model: answer.model.clone(), usage }).await;
        }
    }

    /// Warns, once in a session, of a token budget that an answer without usage does not count toward.
    async fn check_usage(&self, answer: &AssistantMessage) {
        let is_limited = self.options.spending.max_tokens.is_some();
        if is_limited && answer.usage.is_none() && self.context.bench.warn_of_no_usage() {
            self.notice(NoticeKind::Endpoint, NO_USAGE).await;
        }
    }

    /// Notes what became of a call.
    pub(super) fn note_call(&mut self, call: CallSummary) {
        self.carry.metadata.tool_calls.push(call);
    }
}
