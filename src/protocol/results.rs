//! The answers of calls by their calls, shared with the history and never copied.
//!
//! For whoever shows a conversation: a transcript keeps a line of most calls, and looks here for the rest when somebody wants
//! to see it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{CallId, History, Message, Slot};

/// The answers of all calls of a history, as it was at a moment.
#[derive(Debug, Clone, Default)]
pub struct Results(Arc<HashMap<CallId, Arc<Slot>>>);

impl Results {
    /// Those of `history`.
    #[must_use]
    pub fn of(history: &History) -> Self {
        let answers = history.results().map(|(call, slot)| (call.clone(), Arc::clone(slot)));
        Self(Arc::new(answers.collect()))
    }

    /// What a call has given, as text.
    #[must_use]
    pub fn text(&self, call: &CallId) -> Option<String> {
        match &self.0.get(call)?.message {
            Message::Tool(answer) => Some(answer.content.to_text()),
            Message::User(_) | Message::Assistant(_) => None,
        }
    }
}

/// The same look at the same history.
impl PartialEq for Results {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AssistantMessage, Content, Entry, StopReason, ToolCall, ToolMessage, ToolStatus};
    use super::*;

    #[test]
    fn an_answer_is_found_by_its_call_and_is_the_historys_own() {
        let mut history = History::new();
        let said = AssistantMessage {
            text: String::new(),
            tool_calls: vec![ToolCall::new("c", "Read", "{}")],
            reasoning: None,
            extra: serde_json::Map::default(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::ToolUse,
        };
        let answer = ToolMessage {
            call_id: "c".into(),
            name: "Read".into(),
            content: Content::text("1\ta"),
            status: ToolStatus::Success,
        };
        for message in [Message::user("go"), Message::Assistant(said), Message::Tool(answer)] {
            history.apply(&Entry::message(1, message));
        }
        let results = Results::of(&history);
        assert_eq!(results.text(&"c".into()).as_deref(), Some("1\ta"));
        assert_eq!(results.text(&"d".into()), None);
        let (_, slot) = history.results().next().unwrap();
        assert_eq!(Arc::strong_count(slot), 2, "shared, not copied");
    }
}
