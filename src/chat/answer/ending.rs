//! What the reason means that an endpoint gives for the end of an answer.
//!
//! Everybody has words of their own, and some put them behind a word for who stopped it. Whatever nobody has heard of is
//! an end too: a run must not fail because a server says `eos` (one did).

use serde_json::Value;

use super::loose::Loose;
use crate::protocol::{StopReason, ToolCall};

/// How an answer says that it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::chat) enum Ending {
    Stop(StopReason),
    WindowFull,
    /// Nothing came of it, for this reason: a JSON text. Asking again may help.
    Failed(String),
}

impl Ending {
    fn failed(why: &str) -> Self {
        Self::Failed(Value::from(why).to_string())
    }
}

/// What `reason` means; none where it is not yet the end.
pub(in crate::chat) fn ending(reason: &Loose<'_>) -> Option<Ending> {
    let name = match reason {
        Loose::Nothing => return None,
        Loose::Text(name) if name.is_empty() || name == "null" => return None,
        Loose::Text(name) => name.as_ref(),
        Loose::Count(_) | Loose::Odd => "",
    };
    // Gemini says `content_filter: SAFETY`, and others the name of its type: `FinishReason.SAFETY`.
    let word = name.rsplit([':', '.']).next().unwrap_or_default().trim().to_ascii_lowercase();
    Some(match word.as_str() {
        "stop" | "end" | "eos" | "end_turn" | "stop_sequence" => Ending::Stop(StopReason::EndTurn),
        "tool_calls" | "tool_use" | "function_call" => Ending::Stop(StopReason::ToolUse),
        "length" | "max_tokens" | "max_output_tokens" => Ending::Stop(StopReason::MaxTokens),
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
        "model_context_window_exceeded" | "model_length" => Ending::WindowFull,
        // The last three: the model wrote a call that its server could not read, and what it wanted is lost.
        "error"
        | "network_error"
        | "insufficient_system_resource"
        | "abort"
        | "malformed_function_call"
        | "malformed_tool_call"
        | "unexpected_tool_call" => Ending::failed(name),
        unknown => {
            tracing::debug!(unknown, "unknown finish reason, treated as the end");
            Ending::Stop(StopReason::EndTurn)
        }
    })
}

/// What both reasons mean: that of a gateway, and that of the provider behind it, which tells failures that are an end
/// for the gateway.
pub(in crate::chat) fn native_ending(reason: &Loose<'_>, native: &Loose<'_>) -> Option<Ending> {
    match (ending(reason)?, ending(native)) {
        (Ending::Stop(StopReason::EndTurn), Some(native @ (Ending::Failed(_) | Ending::WindowFull))) => {
            Some(native)
        }
        (common, _) => Some(common),
    }
}

/// Calls decide whether tools run, not the reason: many endpoints say `stop` behind calls.
pub(in crate::chat) fn agree(said: StopReason, calls: &[ToolCall]) -> StopReason {
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
        fn check(reason: &str, expected: Option<&Ending>) {
            let found = ending(&serde_json::from_str(reason).unwrap());
            assert_eq!(found.as_ref(), expected, "{reason}");
        }
        let [end, calls, limit, refusal] =
            [StopReason::EndTurn, StopReason::ToolUse, StopReason::MaxTokens, StopReason::Refusal]
                .map(Ending::Stop);
        check("null", None);
        check(r#""""#, None);
        check(r#""null""#, None);
        check(r#""eos""#, Some(&end));
        check(r#""end""#, Some(&end));
        check(r#""STOP""#, Some(&end));
        check(r#""never heard of""#, Some(&end));
        check("true", Some(&end));
        check(r#""tool_calls""#, Some(&calls));
        check(r#""function_call""#, Some(&calls));
        check(r#""length""#, Some(&limit));
        check(r#""content_filter""#, Some(&refusal));
        check(r#""sensitive""#, Some(&refusal));
        check(r#""SAFETY""#, Some(&refusal));
        check(r#""content_filter: PROHIBITED_CONTENT""#, Some(&refusal));
        check(r#""FinishReason.SPII""#, Some(&refusal));
        check(r#""model_context_window_exceeded""#, Some(&Ending::WindowFull));
        check(r#""model_length""#, Some(&Ending::WindowFull));
        for failed in [
            r#""error""#,
            r#""network_error""#,
            r#""insufficient_system_resource""#,
            r#""malformed_function_call""#,
            r#""function_call_filter: MALFORMED_FUNCTION_CALL""#,
            r#""function_call_filter: UNEXPECTED_TOOL_CALL""#,
        ] {
            check(failed, Some(&Ending::Failed(failed.to_owned())));
        }
    }

    #[test]
    fn a_failure_behind_a_gateway_is_one() {
        #[track_caller]
        fn check(reason: &str, native: &str, expected: Option<&Ending>) {
            let loose = |text: &str| Loose::Text(text.to_owned().into());
            let found = native_ending(&loose(reason), &loose(native));
            assert_eq!(found.as_ref(), expected, "{reason} {native}");
        }
        check("stop", "network_error", Some(&Ending::Failed("\"network_error\"".into())));
        check("stop", "STOP", Some(&Ending::Stop(StopReason::EndTurn)));
        check("length", "error", Some(&Ending::Stop(StopReason::MaxTokens)));
        check("", "error", None);
    }

    #[test]
    fn calls_decide_whether_tools_run() {
        let calls = [ToolCall::new("a", "Read", "{}")];
        assert_eq!(agree(StopReason::EndTurn, &calls), StopReason::ToolUse);
        assert_eq!(agree(StopReason::ToolUse, &[]), StopReason::EndTurn);
        assert_eq!(agree(StopReason::MaxTokens, &calls), StopReason::MaxTokens);
    }
}
