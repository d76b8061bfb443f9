//! The events of `--output-format stream-json` (the outside contract): pure translation.
//!
//! Not every event has an outside form: what a run waits for and the newest lines of a running command are for a screen.

use serde_json::{Value, json};

use super::report::Scene;
use crate::protocol::{
    AgentEvent, AssistantMessage, CallSummary, EntryBody, LoopError, LoopResult, Message, NoticeKind, RunEnd,
    SessionId, ToolCall, Usage,
};

/// The first line.
pub(super) fn session_start(scene: &Scene) -> Value {
    json!({
        "type": "session_start",
        "session_id": scene.session_id.as_str(),
        "model": scene.model,
        "cwd": scene.cwd,
        "permission_mode": scene.permission_mode,
        "tools": scene.tools,
    })
}

/// The line of an event, where it has one.
pub(super) fn event(event: &AgentEvent) -> Option<Value> {
    let line = match event {
        AgentEvent::TurnStart { turn, max_turns } => {
            json!({ "type": "turn_start", "turn": turn, "max_turns": max_turns })
        }
        AgentEvent::ThinkingDelta(text) => json!({ "type": "thinking_delta", "text": text }),
        AgentEvent::TextDelta(text) => json!({ "type": "text_delta", "text": text }),
        AgentEvent::Recorded(entry) => match &entry.body {
            EntryBody::Message(Message::Assistant(answer)) => {
                json!({ "type": "message", "message": message(answer) })
            }
            EntryBody::Message(Message::User(_) | Message::Tool(_))
            | EntryBody::Session(_)
            | EntryBody::Compaction { .. }
            | EntryBody::Masked { .. }
            | EntryBody::Rewind { .. }
            | EntryBody::Unsaid { .. }
            | EntryBody::Redo
            | EntryBody::Checkpoint { .. }
            | EntryBody::Settings { .. }
            | EntryBody::Spent { .. }
            | EntryBody::Title(_) => return None,
        },
        AgentEvent::ToolStart { id, name, input } => {
            json!({ "type": "tool_start", "id": id.as_str(), "name": name.as_str(), "input": input })
        }
        AgentEvent::ToolResult { id, name, status, content, display, duration } => json!({
            "type": "tool_result",
            "id": id.as_str(),
            "name": name.as_str(),
            "success": !status.is_error(),
            "content": content.to_text(),
            "display": display.to_text(),
            "duration_ms": millis(*duration),
        }),
        AgentEvent::PermissionDenied { id, name, reason } => {
            json!({ "type": "permission_denied", "id": id.as_str(), "name": name.as_str(), "reason": reason })
        }
        AgentEvent::Retry { attempt, delay, error, discard } => json!({
            "type": "retry",
            "attempt": attempt,
            "delay_ms": millis(*delay),
            "error": error,
            "discard": discard,
        }),
        AgentEvent::Compaction { tokens_before, tokens_after } => {
            json!({ "type": "compaction", "tokens_before": tokens_before, "tokens_after": tokens_after })
        }
        AgentEvent::Notice { kind, text } => notice(*kind, text),
        AgentEvent::Waiting(_) | AgentEvent::Measured { .. } | AgentEvent::ToolProgress { .. } => {
            return None;
        }
    };
    Some(line)
}

/// A remark.
pub(super) fn notice(kind: NoticeKind, text: &str) -> Value {
    json!({ "type": "notice", "kind": kind.name(), "text": text })
}

/// The line before the last, where the turns were used up.
pub(super) fn turn_limit(end: &RunEnd) -> Option<Value> {
    match end {
        RunEnd::TurnLimit { turns } | RunEnd::Looping { turns } => {
            Some(json!({ "type": "turn_limit_reached", "turns": turns }))
        }
        RunEnd::Done | RunEnd::OverBudget { .. } | RunEnd::Aborted | RunEnd::Refused | RunEnd::Failed(_) => {
            None
        }
    }
}

/// The last line.
pub(super) fn result(result: &LoopResult, session: &SessionId) -> Value {
    let metadata = &result.metadata;
    let error = result.end.error();
    json!({
        "type": "result",
        "success": error.is_none(),
        "final_message": result.final_message,
        "error": error.map(|error| json!({ "type": error.kind.name(), "message": error.message })),
        "metadata": {
            "turns_count": metadata.turns_count,
            "tool_calls_count": metadata.tool_calls_count,
            "tool_calls": metadata.tool_calls.iter().map(summary).collect::<Vec<_>>(),
            "usage": usage(metadata.usage),
            "context_tokens": metadata.context_tokens,
            "duration_ms": millis(metadata.duration),
            "session_id": session.as_str(),
        },
    })
}

/// The only line of a run that could not begin.
pub(super) fn not_begun(error: &LoopError) -> Value {
    json!({
        "type": "result",
        "success": false,
        "final_message": "",
        "error": { "type": error.kind.name(), "message": error.message },
        "metadata": {
            "turns_count": 0,
            "tool_calls_count": 0,
            "tool_calls": [],
            "usage": usage(Usage::default()),
            "context_tokens": 0,
            "duration_ms": 0,
            "session_id": null,
        },
    })
}

fn summary(call: &CallSummary) -> Value {
    json!({ "name": call.name.as_str(), "success": call.success, "duration_ms": millis(call.duration) })
}

fn message(answer: &AssistantMessage) -> Value {
    let mut line = json!({ "role": "assistant", "content": answer.text });
    if !answer.tool_calls.is_empty()
        && let Some(fields) = line.as_object_mut()
    {
        fields.insert("tool_calls".to_owned(), answer.tool_calls.iter().map(call).collect());
    }
    line
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id.as_str(),
        "type": "function",
        "function": { "name": call.name.as_str(), "arguments": call.arguments },
    })
}

fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "cached_tokens": usage.cached_tokens,
    })
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
