//! The questions: a table of what is asked, when, and in which words. Pure.
//!
//! They are what a conversation consists of, as small as they can be: a word, calls, the answer to a call. The surprising
//! decision: calls are asked for in words first, as every run asks for them. Only a model that then makes none is forced to,
//! for a call that has to be forced will not come when it is needed.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use super::evidence::Evidence;
use crate::chat::{ChatRequest, Remedy, RequestMessage};
use crate::protocol::history::Masked;
use crate::protocol::{Content, Message, Slot, ToolCall, ToolMessage, ToolSpec, ToolStatus};

/// The most questions that are asked, as the page says before it asks them.
pub(super) const MOST: usize = PROBES.len();

/// Tokens of an answer: room to think about a word, and an end for a model that does not find one.
pub(super) const MOST_TOKENS: u32 = 1_000;

const SYSTEM: &str =
    "You are being checked by a program. Do exactly what is asked, in as few words as you can.";
const ASK_WORD: &str = "Say the one word: ready";
const ASK_CALLS: &str =
    "Call the tool `note` twice in this one answer: once with the word `one`, once with the word `two`.";
const ASK_CALL: &str = "Call the tool `note` with the word `one`.";
/// The tool that is offered; it exists nowhere else.
const TOOL: &str = "note";
/// What it answers.
const NOTED: &str = "noted";

/// What a question is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Probe {
    /// Whether it answers at all.
    Word,
    /// Whether it calls tools, and several at once.
    Calls,
    /// Whether it calls one when it has to.
    Forced,
    /// Whether it takes the answer to a call.
    After,
}

/// One question of the table.
pub(super) struct Question {
    /// What it is for.
    pub(super) probe: Probe,
    /// What is waited for, for whoever waits.
    pub(super) waits_for: &'static str,
    /// Whether it is asked after what has been heard.
    pub(super) is_due: fn(&Evidence) -> bool,
}

/// All questions, in order.
pub(super) const PROBES: [Question; 4] = [
    Question { probe: Probe::Word, waits_for: "an answer", is_due: |_| true },
    Question { probe: Probe::Calls, waits_for: "two tool calls", is_due: Evidence::speaks },
    Question {
        probe: Probe::Forced,
        waits_for: "a forced tool call",
        is_due: |evidence| {
            let failed = evidence.refusal(Probe::Calls).map(|error| &error.remedy);
            let by_chance = matches!(failed, Some(Remedy::Retry { .. }));
            by_chance || evidence.answered(Probe::Calls) && evidence.calls().is_empty()
        },
    },
    Question {
        probe: Probe::After,
        waits_for: "an answer to tool results",
        is_due: |evidence| !evidence.calls().is_empty() && evidence.calls().iter().all(is_sound),
    },
];

/// The request of a question.
pub(super) fn request(probe: Probe, evidence: &Evidence) -> ChatRequest {
    let asked = match probe {
        Probe::Word => ASK_WORD,
        Probe::Calls | Probe::After => ASK_CALLS,
        Probe::Forced => ASK_CALL,
    };
    let mut messages = vec![RequestMessage::Text(asked.into())];
    if probe == Probe::After
        && let Some(answer) = evidence.answer(Probe::Calls)
    {
        messages.push(kept(Message::Assistant(answer.message.clone())));
        messages.extend(answer.message.tool_calls.iter().map(|call| kept(Message::Tool(noted(call)))));
    }
    ChatRequest {
        model: evidence.model.clone(),
        system: SYSTEM.into(),
        messages,
        tools: if probe == Probe::Word { Arc::new([]) } else { Arc::new([tool()]) },
    }
}

/// What goes into the body of a question beside all that goes into every one.
pub(super) fn extra(probe: Probe) -> Map<String, Value> {
    match probe {
        Probe::Forced => Map::from_iter([("tool_choice".to_owned(), json!("required"))]),
        Probe::Word | Probe::Calls | Probe::After => Map::new(),
    }
}

/// Whether the arguments of a call can be sent back.
pub(super) fn is_sound(call: &ToolCall) -> bool {
    serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok()
}

fn tool() -> ToolSpec {
    let parameters =
        json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]});
    ToolSpec::new(TOOL, "Notes a word.", parameters)
}

fn noted(call: &ToolCall) -> ToolMessage {
    ToolMessage {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: Content::text(NOTED),
        status: ToolStatus::Success,
    }
}

fn kept(message: Message) -> RequestMessage {
    let slot = Slot { position: 0, timestamp: 0, message, wire: OnceLock::new(), weight: OnceLock::new() };
    RequestMessage::Kept(Arc::new(slot), Masked::No)
}

#[cfg(test)]
mod tests {
    use super::super::evidence::testing::{called, failed, said, seen};
    use super::*;

    /// Which questions are due, in order, where each is answered as given.
    fn asked(answers: &[(Probe, super::super::evidence::Heard)]) -> Vec<Probe> {
        let mut evidence = seen();
        let mut asked = Vec::new();
        for question in &PROBES {
            if !(question.is_due)(&evidence) {
                continue;
            }
            asked.push(question.probe);
            let answer = answers.iter().find(|(probe, _)| *probe == question.probe);
            evidence.heard.extend(answer.map(|(_, heard)| heard.clone()));
        }
        asked
    }

    #[test]
    fn a_question_is_asked_only_where_its_answer_says_something() {
        use Probe::{After, Calls, Forced, Word};
        assert_eq!(asked(&[(Word, failed(Word, 500))]), [Word]);
        assert_eq!(asked(&[(Word, said(Word, "ready")), (Calls, failed(Calls, 400))]), [Word, Calls]);
        assert_eq!(asked(&[(Word, said(Word, "ready")), (Calls, failed(Calls, 500))]), [Word, Calls, Forced]);
        assert_eq!(
            asked(&[(Word, said(Word, "ready")), (Calls, said(Calls, "one, two"))]),
            [Word, Calls, Forced]
        );
        assert_eq!(
            asked(&[(Word, said(Word, "ready")), (Calls, called(Calls, &["{\"word\":\"one\"}"]))]),
            [Word, Calls, After]
        );
        assert_eq!(
            asked(&[(Word, said(Word, "ready")), (Calls, called(Calls, &["{\"word\":"]))]),
            [Word, Calls]
        );
    }

    #[test]
    fn the_last_question_carries_on_the_calls() {
        let mut evidence = seen();
        evidence.heard = vec![called(Probe::Calls, &["{\"word\":\"one\"}", "{\"word\":\"two\"}"])];
        let first = request(Probe::Calls, &evidence);
        let last = request(Probe::After, &evidence);
        assert_eq!((first.messages.len(), last.messages.len()), (1, 4));
        assert_eq!((first.system, first.tools), (last.system, last.tools));
        assert!(request(Probe::Word, &evidence).tools.is_empty());
        assert_eq!(extra(Probe::Forced)["tool_choice"], "required");
    }
}
