//! How a run ended, and what another run needs to go on from there.
//!
//! The agent keeps nothing between runs. What a continued run must know (totals, nudges, failures in a row) leaves
//! with the outcome as [`Carry`] and comes back with the next start: plain data.

use std::time::Duration;

use super::{ModelId, ToolName, Usage};

/// What a run leaves behind, beside the entries that it recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopResult {
    /// How it ended.
    pub end: RunEnd,
    /// All text of its last assistant message; empty where there was none.
    pub final_message: String,
    /// Counts.
    pub metadata: LoopMetadata,
    /// What a continued run must know.
    pub carry: Carry,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// The model said all.
    Done,
    /// The turns of its budget are used up, and another request would follow.
    TurnLimit {
        /// Turns since the run began, earlier budgets included.
        turns: u32,
    },
    /// The same call again and again: the user is asked as at the turn limit.
    Looping {
        /// Turns since the run began.
        turns: u32,
    },
    /// The session's budget of money or tokens is used up, and another request would follow: the user is asked.
    OverBudget {
        /// Of what how much is used: `$5.02 of $5.00`, `1.2M of 1M tokens`.
        used: String,
    },
    /// The user stopped it.
    Aborted,
    /// The user said No without words.
    Refused,
    /// It could not go on.
    Failed(LoopError),
}

/// Why a run could not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopError {
    /// Which kind.
    pub kind: LoopErrorType,
    /// What, why, and how to mend it: one line.
    pub message: String,
}

/// The kinds of failure; the names are the contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoopErrorType {
    /// Stopped by the user.
    Aborted,
    /// The turn limit (or the budget) is reached.
    MaxTurnsExceeded,
    /// `max_turns` is 0.
    ChatDisabled,
    /// It could not even begin.
    InitializationFailed,
    /// The endpoint or the model.
    LlmError,
    /// A tool asked to stop.
    ToolError,
    /// `--timeout` is over.
    Timeout,
}

impl LoopErrorType {
    /// The outside name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::MaxTurnsExceeded => "max_turns_exceeded",
            Self::ChatDisabled => "chat_disabled",
            Self::InitializationFailed => "initialization_failed",
            Self::LlmError => "llm_error",
            Self::ToolError => "tool_error",
            Self::Timeout => "timeout",
        }
    }
}

/// Counts over a run, earlier budgets included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopMetadata {
    /// Requests that got an answer.
    pub turns_count: u32,
    /// Calls that the model made.
    pub tool_calls_count: u32,
    /// What became of each of them, in the order in which they were made.
    pub tool_calls: Vec<CallSummary>,
    /// Sum over all requests; zero where the endpoint says nothing.
    pub usage: Usage,
    /// Tokens of the last request and its answer: what stands in the window. Zero where unknown.
    pub context_tokens: u64,
    /// Wall time.
    pub duration: Duration,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSummary {
    /// The tool.
    pub name: ToolName,
    /// Whether it succeeded.
    pub success: bool,
    /// How long it ran; zero if it did not.
    pub duration: Duration,
}

/// What a continued run must know of the one before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Carry {
    /// Counts so far.
    pub metadata: LoopMetadata,
    /// Nudges given since the last tool call.
    pub nudges: u32,
    /// Turns in a row with a failed tool; a refused call is none.
    pub failure_streak: u32,
    /// Equal calls with equal results in a row.
    pub same_call: Row,
    /// Equal answers, that is all their calls with their results, in a row.
    pub same_answer: Row,
    /// Whether the hint about repeated calls was given.
    pub loop_hinted: bool,
    /// Whether a call was denied: then no nudge is given.
    pub refused: bool,
    /// The model that answers now, where it is not the configured one.
    pub model: Option<ModelId>,
}

/// How often the same came one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Row {
    /// A hash of what came last.
    pub last: u64,
    /// How often.
    pub length: u32,
}

impl RunEnd {
    /// The contract's error type and message; none for a run that is done.
    #[must_use]
    pub fn error(&self) -> Option<LoopError> {
        let (kind, message) = match self {
            Self::Done => return None,
            Self::TurnLimit { turns } => {
                (LoopErrorType::MaxTurnsExceeded, format!("turn limit reached after {turns} turns"))
            }
            Self::Looping { turns } => (
                LoopErrorType::MaxTurnsExceeded,
                format!("stopped after {turns} turns: the model repeated the same call with the same result"),
            ),
            Self::OverBudget { used } => (
                LoopErrorType::MaxTurnsExceeded,
                format!(
                    "budget reached: {used} used (try a higher max_cost or max_tokens, by option or in config.toml)"
                ),
            ),
            Self::Aborted => (LoopErrorType::Aborted, "interrupted".to_owned()),
            Self::Refused => (LoopErrorType::Aborted, "a tool call was denied".to_owned()),
            Self::Failed(error) => return Some(error.clone()),
        };
        Some(LoopError { kind, message })
    }
}
