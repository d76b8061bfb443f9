//! What a run reports while it goes on.
//!
//! One closed enum for every front end. Only [`AgentEvent::Recorded`] changes a history; everything else is there
//! to be shown and may be dropped without loss. Events are plain data: no sender, no closure, no widget.

use std::time::Duration;

use serde_json::Value;

use super::{CallId, Content, Entry, FileChange, Todo, ToolName, ToolStatus, todo};

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// A request is about to be sent.
    TurnStart {
        /// From 1, over the whole run.
        turn: u32,
        /// The budget that this turn is counted against.
        max_turns: u32,
    },
    /// What the run waits for from now on.
    Waiting(Waiting),
    /// More of the model's thoughts.
    ThinkingDelta(String),
    /// More of its answer.
    TextDelta(String),
    /// The history changes: already written where a session is kept.
    Recorded(Entry),
    /// A call begins to run.
    ToolStart {
        /// Which call.
        id: CallId,
        /// Which tool.
        name: ToolName,
        /// Its arguments; the raw string where they are no valid JSON.
        input: Value,
    },
    /// The newest lines of a running call; the latest wins.
    ToolProgress {
        /// Which call.
        id: CallId,
        /// What it printed last.
        tail: Tail,
    },
    /// A call is over. In call order; its message was recorded just before.
    ToolResult {
        /// Which call.
        id: CallId,
        /// Which tool.
        name: ToolName,
        /// What became of it.
        status: ToolStatus,
        /// What the model gets.
        content: Content,
        /// What a person sees.
        display: Display,
        /// How long it ran.
        duration: Duration,
    },
    /// A call was refused; a [`AgentEvent::ToolResult`] follows, and no start came before.
    PermissionDenied {
        /// Which call.
        id: CallId,
        /// Which tool.
        name: ToolName,
        /// Why.
        reason: String,
    },
    /// A request failed and is sent again.
    Retry {
        /// Which try comes next, from 1.
        attempt: u32,
        /// After which pause.
        delay: Duration,
        /// What went wrong.
        error: String,
        /// Whether the deltas of this turn so far are void.
        discard: bool,
    },
    /// How many tokens the next request has, as far as the endpoint has counted.
    Measured {
        /// Those it counted, and an estimate of what came since.
        context: u64,
    },
    /// The conversation was summarised.
    Compaction {
        /// Tokens of a request before.
        tokens_before: u64,
        /// Tokens of a request after.
        tokens_after: u64,
    },
    /// Something worth a line.
    Notice {
        /// Which kind.
        kind: NoticeKind,
        /// In words.
        text: String,
    },
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// A connection to the endpoint.
    Connecting,
    /// The first byte of the answer.
    FirstByte,
    /// More of the answer.
    Answer,
    /// More of a call that the answer makes; told again with each piece that comes, for nothing else of it is.
    Call,
    /// A pause before the next try.
    Retry {
        /// Which try comes next, from 1.
        attempt: u32,
        /// Of how many.
        of: u32,
        /// After which pause.
        delay: Duration,
        /// What went wrong, in a line.
        error: String,
    },
    /// Tools.
    Tools,
    /// A summary of the conversation.
    Summary,
}

/// What kind of notice; the names are the contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoticeKind {
    /// The model announced an action without doing it and was asked to do it.
    Nudge,
    /// The same call with the same result, again and again.
    LoopDetected,
    /// Another model took over.
    Fallback,
    /// Another key is used.
    KeyRotated,
    /// The answer was cut at the output limit.
    CutOff,
    /// The model wrote its calls as text, and they were taken for calls.
    TextCalls,
    /// A hook said something.
    Hook,
    /// Something of the project was left out because the directory is not trusted.
    Trust,
    /// The session could not be written.
    NotSaved,
    /// The session could not be written and now is.
    Saved,
    /// The model's answer or the endpoint was odd, and what was done about it.
    Endpoint,
    /// A file that the user named with `@` was not attached.
    NotAttached,
    /// Anything else that a user should know.
    Info,
}

impl NoticeKind {
    /// The outside name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nudge => "nudge",
            Self::LoopDetected => "loop_detected",
            Self::Fallback => "fallback",
            Self::KeyRotated => "key_rotated",
            Self::CutOff => "cut_off",
            Self::TextCalls => "text_calls",
            Self::Hook => "hook",
            Self::Trust => "trust",
            Self::NotSaved => "not_saved",
            Self::Saved => "saved",
            Self::Endpoint => "endpoint",
            Self::NotAttached => "not_attached",
            Self::Info => "info",
        }
    }
}

/// The newest output of a running call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    /// The last lines, oldest first, not yet sanitised.
    pub lines: Vec<String>,
    /// Bytes printed so far.
    pub bytes: u64,
    /// Line ends printed so far.
    pub count: u64,
}

/// What a person sees of a call's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Display {
    /// One line, such as `42 lines` or `7 matches in 3 files`.
    Line(String),
    /// Several lines as printed.
    Text(String),
    /// A command's output and how it ended.
    Output {
        /// What it printed, cut in the middle when long.
        text: String,
        /// How it ended where that was not exit code 0: `exit 1`, `ended by signal 9`, `timed out after 2 m`.
        ended: Option<String>,
    },
    /// Files that changed.
    Changes(Vec<FileChange>),
    /// The list of steps as it is now.
    Todos(Vec<Todo>),
}

impl Display {
    /// The same in plain text, for those who draw nothing.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Line(text) | Self::Text(text) | Self::Output { text, ended: None } => text.clone(),
            Self::Output { text, ended: Some(how) } if text.is_empty() => how.clone(),
            Self::Output { text, ended: Some(how) } => format!("{text}\n{how}"),
            Self::Changes(files) => {
                let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
                format!("changed {}", names.join(", "))
            }
            Self::Todos(todos) => todo::to_text(todos),
        }
    }
}
