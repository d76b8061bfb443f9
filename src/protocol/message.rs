//! Messages: what was said, by whom, in the form that every room shares.
//!
//! This is neither the wire nor the file. The wire form is made in `chat/wire.rs`, the file's line in
//! `session/entry.rs`. The surprising decision: an assistant message keeps all that the provider may want back
//! (`reasoning`, `extra`) although nothing here reads it.

use serde_json::{Map, Value};

use super::{CallId, ModelId, Text, ToolName, Usage};

/// One message of a conversation. The system prompt is no message: it belongs to the request.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From the user, or from the program in the user's place (see [`Origin`]).
    User(UserMessage),
    /// From the model.
    Assistant(AssistantMessage),
    /// The answer to one tool call.
    Tool(ToolMessage),
}

/// What a user message or a tool's answer consists of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content(pub Vec<Part>);

/// A piece of content.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text, exactly as it came.
    Text(Text),
    /// An image that lies in a file beside the session.
    Image {
        /// Where it lies: relative to the directory of the project's sessions, or absolute.
        file: String,
        /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        mime: String,
        /// Pixels; 0 where unknown.
        width: u32,
        /// Pixels; 0 where unknown.
        height: u32,
    },
}

/// Who put a user message there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// Typed by the user.
    #[default]
    User,
    /// Typed by the user while a run went on.
    Queued,
    /// The program: asks the model to carry out what it announced.
    Nudge,
    /// The program: says something about the run (failures, loops).
    Note,
    /// The program: a standing reminder.
    Reminder,
    /// A hook's text.
    Hook,
    /// Made from a custom command.
    Command,
    /// What the user's own `!command` printed.
    Shell,
}

/// A file that an `@path` of the message brought along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// As resolved.
    pub path: String,
    /// First and last line (from 1, inclusive) where only a part was asked for.
    pub lines: Option<(u32, u32)>,
    /// SHA-256 in hex: of the file's bytes as they were read, of a directory's tree as it was sent.
    pub hash: String,
}

/// A message in the user's place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UserMessage {
    /// What was said.
    pub content: Content,
    /// Who put it there.
    pub origin: Origin,
    /// What `@` brought.
    pub attachments: Vec<Attachment>,
}

/// The model's thoughts, under the name of the field in which they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reasoning {
    /// `reasoning_content`, `reasoning`, `reasoning_text` or `thinking`.
    pub field: String,
    /// The text.
    pub text: String,
}

/// An answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct AssistantMessage {
    /// What it said; may be empty where it calls tools.
    pub text: String,
    /// The calls it made, in order, ids unique.
    pub tool_calls: Vec<ToolCall>,
    /// Its thoughts, where the endpoint sent them.
    pub reasoning: Option<Reasoning>,
    /// Fields that the provider wants back unchanged.
    pub extra: Map<String, Value>,
    /// Which model said it.
    pub model: ModelId,
    /// What it cost, where the endpoint said so.
    pub usage: Option<Usage>,
    /// How it ended.
    pub stop_reason: StopReason,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Unique within the history.
    pub id: CallId,
    /// The tool's name as the model wrote it; it need not exist.
    pub name: ToolName,
    /// The arguments as text: valid JSON where it stands in a history.
    pub arguments: String,
    /// Fields beside `function` that the provider wants back unchanged, such as the signature of a thought.
    pub extra: Map<String, Value>,
}

impl ToolCall {
    /// A call that says nothing but what is to be called.
    pub fn new(id: impl Into<CallId>, name: impl Into<ToolName>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), extra: Map::new() }
    }
}

/// How the calls of an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CallForm {
    /// As calls; also where there are none.
    #[default]
    Native,
    /// As text that was taken for calls: a person should look at each.
    Text,
}

/// How an answer of the model ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// It had said all.
    EndTurn,
    /// It wants tools to run.
    ToolUse,
    /// It was cut at the output limit.
    MaxTokens,
    /// It refused, or a filter did.
    Refusal,
    /// The connection or the endpoint failed in the middle.
    Error,
    /// The user stopped it.
    Aborted,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolStatus {
    /// It did what it was asked.
    Success,
    /// It could not; the content says why.
    Failed,
    /// The user, a rule or a hook said no.
    Denied,
    /// The user stopped the run while it ran, or before it could.
    Interrupted,
}

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolMessage {
    /// Which call.
    pub call_id: CallId,
    /// Which tool.
    pub name: ToolName,
    /// What the model gets.
    pub content: Content,
    /// What became of it.
    pub status: ToolStatus,
}

impl Content {
    /// Content of one text.
    pub fn text(text: impl Into<String>) -> Self {
        let text: String = text.into();
        Self(vec![Part::Text(text.into())])
    }

    /// All texts, joined by a blank line; images are left out.
    #[must_use]
    pub fn to_text(&self) -> String {
        let texts: Vec<&str> = self
            .0
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Image { .. } => None,
            })
            .collect();
        texts.join("\n\n")
    }

    /// Whether there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|part| matches!(part, Part::Text(text) if text.is_empty()))
    }
}

impl UserMessage {
    /// A text from `origin`.
    pub fn new(origin: Origin, text: impl Into<String>) -> Self {
        Self { content: Content::text(text), origin, attachments: Vec::new() }
    }

    /// What was said, without what `@` or a command brought: the first text.
    #[must_use]
    pub fn words(&self) -> String {
        let first = self.content.0.iter().find_map(|part| match part {
            Part::Text(text) => Some(text.to_string()),
            Part::Image { .. } => None,
        });
        first.unwrap_or_default()
    }
}

impl AssistantMessage {
    /// Whether it says and asks nothing: such a message never enters a history.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.tool_calls.is_empty()
    }
}

impl Message {
    /// A user's text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(UserMessage::new(Origin::User, text))
    }

    /// The answer to `call`.
    pub fn tool(call: &ToolCall, status: ToolStatus, text: impl Into<String>) -> Self {
        Self::Tool(ToolMessage {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content: Content::text(text),
            status,
        })
    }
}

impl ToolStatus {
    /// Whether the model is told that it went wrong.
    #[must_use]
    pub fn is_error(self) -> bool {
        match self {
            Self::Success => false,
            Self::Failed | Self::Denied | Self::Interrupted => true,
        }
    }
}
