//! What the reason means that an endpoint gives for the end of an answer.
//!
//! Everybody has words of their own, and some put them behind a word for who stopped it. Whatever nobody has heard of is
//! an end too: a run must not fail because a server says `eos` (one did).

use super::loose::Loose;
use crate::protocol::{StopReason, ToolCall};

/// How an answer says that it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Stop(StopReason),
    WindowFull,
    Failed,
    /// The model wrote a call that its server could not read: nothing came of the answer, and asking again may help.
    Void,
}

/// What `reason` means; none where it is not yet the end.
pub(super) fn ending(reason: &Loose<'_>) -> Option<Ending> {
    let name = match reason {
        Loose::Nothing => return None,
        Loose::Text(name) if name.is_empty() || name == "null" => return None,
        Loose::Text(name) => name.to_ascii_lowercase(),
        Loose::Count(_) | Loose::Odd => String::new(),
    };
    // Gemini says `content_filter: SAFETY`, and others the name of its type: `FinishReason.SAFETY`.
    let name = name.rsplit([':', '.']).next().unwrap_or_default().trim();
    Some(match name {
        "stop" | "end" | "eos" | "end_turn" | "stop_sequence" => Ending::Stop(StopReason::EndTurn),
        "tool_calls" | "tool_use" | "function_call" => Ending::Stop(StopReason::ToolUse),
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => Ending::Stop(StopReason::MaxTokens),
        "content_filter"
        | "refusal"
        | "sensitive"
        | "safety"
        | "recitation"
        | "blocklist"
        | "spii"
        | "prohibited_content"
        | "image_safety"
        | "image_prohibited_content"
        | "image_recitation" => Ending::Stop(StopReason::Refusal),
        "malformed_function_call" | "malformed_tool_call" | "unexpected_tool_call" => Ending::Void,
        "model_context_window_exceeded" => Ending::WindowFull,
        "error" | "network_error" | "insufficient_system_resource" | "abort" => Ending::Failed,
        unknown => {
            tracing::debug!(unknown, "an unknown finish reason is taken for the end");
            Ending::Stop(StopReason::EndTurn)
        }
    })
}

/// Calls decide whether tools run, not the reason: many endpoints say `stop` behind calls.
pub(super) fn agree(said: StopReason, calls: &[ToolCall]) -> StopReason {
    match (said, calls.is_empty()) {
        (StopReason::EndTurn, false) => StopReason::ToolUse,
        (StopReason::ToolUse, true) => StopReason::EndTurn,
        (said, _) => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_for_the_end_is_normalised() {
        #[track_caller]
        fn check(reason: &str, expected: Option<Ending>) {
            assert_eq!(ending(&serde_json::from_str(reason).unwrap()), expected, "{reason}");
        }
        let stop = |reason| Some(Ending::Stop(reason));
        check("null", None);
        check(r#""""#, None);
        check(r#""null""#, None);
        check(r#""eos""#, stop(StopReason::EndTurn));
        check(r#""end""#, stop(StopReason::EndTurn));
        check(r#""STOP""#, stop(StopReason::EndTurn));
        check(r#""never heard of""#, stop(StopReason::EndTurn));
        check("true", stop(StopReason::EndTurn));
        check(r#""tool_calls""#, stop(StopReason::ToolUse));
        check(r#""function_call""#, stop(StopReason::ToolUse));
        check(r#""length""#, stop(StopReason::MaxTokens));
        check(r#""model_length""#, stop(StopReason::MaxTokens));
        check(r#""content_filter""#, stop(StopReason::Refusal));
        check(r#""sensitive""#, stop(StopReason::Refusal));
        check(r#""SAFETY""#, stop(StopReason::Refusal));
        check(r#""content_filter: PROHIBITED_CONTENT""#, stop(StopReason::Refusal));
        check(r#""FinishReason.SPII""#, stop(StopReason::Refusal));
        check(r#""malformed_function_call""#, Some(Ending::Void));
        check(r#""function_call_filter: MALFORMED_FUNCTION_CALL""#, Some(Ending::Void));
        check(r#""function_call_filter: UNEXPECTED_TOOL_CALL""#, Some(Ending::Void));
        check(r#""model_context_window_exceeded""#, Some(Ending::WindowFull));
        check(r#""error""#, Some(Ending::Failed));
        check(r#""network_error""#, Some(Ending::Failed));
        check(r#""insufficient_system_resource""#, Some(Ending::Failed));
    }

    #[test]
    fn calls_decide_whether_tools_run() {
        let calls = [ToolCall::new("a", "Read", "{}")];
        assert_eq!(agree(StopReason::EndTurn, &calls), StopReason::ToolUse);
        assert_eq!(agree(StopReason::ToolUse, &[]), StopReason::EndTurn);
        assert_eq!(agree(StopReason::MaxTokens, &calls), StopReason::MaxTokens);
    }
}
