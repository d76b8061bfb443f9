//! What was heard, as plain data: all that the judgement rests on. Pure.

use std::time::Duration;

use super::probes::Probe;
use crate::app::known::Known;
use crate::chat::discover::ModelList;
use crate::chat::{Arrival, ChatError, Completion};
use crate::protocol::{ModelId, ToolCall};

/// What came of one question.
#[derive(Debug, Clone)]
pub(super) struct Heard {
    /// Which.
    pub(super) probe: Probe,
    /// Until it was over.
    pub(super) took: Duration,
    /// Until the answer began.
    pub(super) first: Option<Duration>,
    /// The answer, or why there is none.
    pub(super) answer: Result<Completion, ChatError>,
}

/// All that was heard of an endpoint.
#[derive(Debug)]
pub(super) struct Evidence {
    /// Host and port.
    pub(super) host: String,
    /// Where the key comes from; none where none is sent.
    pub(super) key: Option<String>,
    /// The model that was asked.
    pub(super) model: ModelId,
    /// The list of models, or why there is none.
    pub(super) list: Result<ModelList, ChatError>,
    /// Until it answered for the first time, where it did.
    pub(super) after: Option<Duration>,
    /// What came of the questions, in order.
    pub(super) heard: Vec<Heard>,
    /// How answers came.
    pub(super) arrival: Option<Arrival>,
    /// What was found out of the model.
    pub(super) known: Known,
    /// Tokens of the window, where the user has set it.
    pub(super) window: Option<u64>,
    /// What else came to light, a line each.
    pub(super) noticed: Vec<String>,
}

impl Evidence {
    /// What came of a question; none where it was not asked.
    pub(super) fn heard(&self, probe: Probe) -> Option<&Heard> {
        self.heard.iter().find(|heard| heard.probe == probe)
    }

    /// The answer to a question; none where there is none.
    pub(super) fn answer(&self, probe: Probe) -> Option<&Completion> {
        self.heard(probe)?.answer.as_ref().ok()
    }

    /// Why a question has no answer; none where it has one, or was not asked.
    pub(super) fn refusal(&self, probe: Probe) -> Option<&ChatError> {
        self.heard(probe)?.answer.as_ref().err()
    }

    /// Whether a question has an answer.
    pub(super) fn answered(&self, probe: Probe) -> bool {
        self.answer(probe).is_some()
    }

    /// The calls that were asked for in words.
    pub(super) fn calls(&self) -> &[ToolCall] {
        self.answer(Probe::Calls).map_or(&[], |answer| &answer.message.tool_calls)
    }

    /// Whether it has said something: an answer, or thoughts up to the limit.
    pub(super) fn speaks(&self) -> bool {
        self.answer(Probe::Word).is_some_and(|answer| {
            let message = &answer.message;
            !message.text.trim().is_empty() || message.reasoning.is_some() || answer.cut
        })
    }
}

#[cfg(test)]
pub(super) mod testing {
    //! Evidence for the tests of this room.

    use super::*;
    use crate::chat::Remedy;
    use crate::chat::discover::ListedModel;
    use crate::protocol::{AssistantMessage, CallForm, StopReason, Usage};
    use serde_json::Map;

    /// A list of two models, the first of which is asked; nothing was heard.
    pub(in crate::app::doctor) fn seen() -> Evidence {
        let listed =
            |name: &str| ListedModel { id: name.into(), known: crate::chat::discover::Known::default() };
        Evidence {
            host: "127.0.0.1:1234".to_owned(),
            key: None,
            model: "qwen3".into(),
            list: Ok(ModelList { models: vec![listed("qwen3"), listed("other")], server: None }),
            after: Some(Duration::from_millis(12)),
            heard: Vec::new(),
            arrival: Some(Arrival::Streamed),
            known: Known::default(),
            window: None,
            noticed: Vec::new(),
        }
    }

    /// An answer in words, with counts.
    pub(in crate::app::doctor) fn said(probe: Probe, text: &str) -> Heard {
        let message = AssistantMessage {
            text: text.to_owned(),
            tool_calls: Vec::new(),
            reasoning: None,
            extra: Map::new(),
            model: "qwen3".into(),
            usage: Some(Usage {
                prompt_tokens: 20,
                completion_tokens: 2,
                total_tokens: 22,
                cached_tokens: 0,
            }),
            stop_reason: StopReason::EndTurn,
        };
        let answer = Completion { message, cut: false, form: CallForm::Native };
        let (took, first) = (Duration::from_millis(1_200), Some(Duration::from_millis(340)));
        Heard { probe, took, first, answer: Ok(answer) }
    }

    /// An answer that calls the tool with each of these arguments.
    pub(in crate::app::doctor) fn called(probe: Probe, arguments: &[&str]) -> Heard {
        let mut heard = said(probe, "");
        if let Ok(answer) = &mut heard.answer {
            let call = |(at, text): (usize, &&str)| ToolCall::new(format!("c{at}"), "note", *text);
            answer.message.tool_calls = arguments.iter().enumerate().map(call).collect();
        }
        heard
    }

    /// A refusal with this status.
    pub(in crate::app::doctor) fn failed(probe: Probe, status: u16) -> Heard {
        let remedy = match status {
            401 => Remedy::NextKey,
            404 => Remedy::NextModel,
            500 => Remedy::Retry { after: None },
            _ => Remedy::GiveUp,
        };
        let error = ChatError::new(remedy, format!("refused ({status})")).with_status(status);
        Heard { answer: Err(error), ..said(probe, "") }
    }
}
