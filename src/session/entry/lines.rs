//! The lines as they stand in the file: names and shapes of the JSON, and nothing else.
//!
//! Every field that an older or newer version may leave out has its plain meaning as a default.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::protocol::{CallId, ModelId, SessionId, ToolName, Usage};

#[derive(Serialize, Deserialize)]
pub(super) struct Stamped {
    #[serde(flatten)]
    pub(super) body: BodyLine,
    #[serde(default)]
    pub(super) timestamp: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum BodyLine {
    Session(HeadLine),
    Message(MessageLine),
    Compaction {
        summary: String,
        #[serde(default)]
        kept: usize,
    },
    Masked {
        messages: Vec<usize>,
    },
    Rewind {
        to: usize,
        /// Whether the program did it, for what got no answer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unsaid: bool,
    },
    Redo {},
    Checkpoint {
        message: usize,
        /// What changed them, where it is no tool.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known_or_default")]
        by: Option<ByLine>,
        files: Vec<FileLine>,
    },
    Settings {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<ModelId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permission_mode: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directories: Option<Vec<String>>,
    },
    Usage {
        #[serde(default = "no_model")]
        model: ModelId,
        usage: Usage,
    },
    Title {
        text: String,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) struct HeadLine {
    pub(super) version: u32,
    pub(super) id: SessionId,
    #[serde(default)]
    pub(super) cwd: String,
    #[serde(default = "no_model")]
    pub(super) model: ModelId,
    #[serde(default)]
    pub(super) clawd_version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<SessionId>,
}

pub(super) fn no_model() -> ModelId {
    ModelId::from("")
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum MessageLine {
    User(UserLine),
    Assistant(AssistantLine),
    Tool(ToolLine),
}

#[derive(Serialize, Deserialize)]
pub(super) struct UserLine {
    pub(super) content: ContentLine,
    #[serde(default, deserialize_with = "known_or_default")]
    pub(super) origin: OriginLine,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) attachments: Vec<AttachmentLine>,
    #[serde(default, skip_serializing)]
    pub(super) timestamp: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ToolLine {
    pub(super) tool_call_id: CallId,
    #[serde(default = "no_name")]
    pub(super) name: ToolName,
    pub(super) content: ContentLine,
    #[serde(default)]
    pub(super) is_error: bool,
    /// Which kind of error, where it is not the tool's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known_or_default")]
    pub(super) status: Option<StatusLine>,
    #[serde(default, skip_serializing)]
    pub(super) timestamp: u64,
}

/// A message and its time, where the line begins as the writer begins it; then its fields are read where they stand. All other
/// lines are read by [`Stamped`], which has to gather them first: several times as much work, and a large session is messages.
pub(super) fn message(line: &[u8]) -> Option<(MessageLine, u64)> {
    let rest = line.strip_prefix(br#"{"type":"message","role":""#)?;
    if rest.starts_with(b"tool\"") {
        let read: ToolLine = serde_json::from_slice(line).ok()?;
        let at = read.timestamp;
        return Some((MessageLine::Tool(read), at));
    }
    if rest.starts_with(b"user\"") {
        let read: UserLine = serde_json::from_slice(line).ok()?;
        let at = read.timestamp;
        return Some((MessageLine::User(read), at));
    }
    if rest.starts_with(b"assistant\"") {
        let read: AssistantLine = serde_json::from_slice(line).ok()?;
        let at = read.timestamp;
        return Some((MessageLine::Assistant(read), at));
    }
    None
}

/// A [`ToolLine`] of which the content is not read.
#[derive(Deserialize)]
pub(super) struct ToolOutline<'a> {
    pub(super) tool_call_id: CallId,
    #[serde(default = "no_name")]
    pub(super) name: ToolName,
    #[serde(borrow)]
    pub(super) content: &'a RawValue,
    #[serde(default)]
    pub(super) is_error: bool,
    #[serde(default, deserialize_with = "known_or_default")]
    pub(super) status: Option<StatusLine>,
    #[serde(default)]
    pub(super) timestamp: u64,
}

/// The answer of a tool, where the line begins as the writer begins it, but for its content.
pub(super) fn tool_outline(line: &[u8]) -> Option<ToolOutline<'_>> {
    line.starts_with(br#"{"type":"message","role":"tool""#).then(|| serde_json::from_slice(line).ok())?
}

/// A value that only a newer version knows counts as none: a message is not lost for the name of its origin.
fn known_or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

fn no_name() -> ToolName {
    ToolName::from("")
}

#[derive(Serialize, Deserialize)]
pub(super) struct AssistantLine {
    #[serde(default)]
    pub(super) content: Option<ContentLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<CallLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<String>,
    /// The provider's own name of the field, where it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_field: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) extra: Map<String, Value>,
    #[serde(default = "no_model")]
    pub(super) model: ModelId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Usage>,
    #[serde(default, deserialize_with = "known_or_default")]
    pub(super) stop_reason: StopLine,
    #[serde(default, skip_serializing)]
    pub(super) timestamp: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct CallLine {
    pub(super) id: CallId,
    #[serde(rename = "type", default = "function")]
    pub(super) kind: String,
    pub(super) function: FunctionLine,
    /// What the provider wants back beside them.
    #[serde(flatten)]
    pub(super) extra: Map<String, Value>,
}

pub(super) fn function() -> String {
    "function".to_owned()
}

#[derive(Serialize, Deserialize)]
pub(super) struct FunctionLine {
    pub(super) name: ToolName,
    #[serde(default)]
    pub(super) arguments: String,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ContentLine {
    Text(String),
    Parts(Vec<PartLine>),
}

/// By its own kind, so that a long text is not gathered before it is known to be one.
impl<'de> Deserialize<'de> for ContentLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = ContentLine;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of parts")
    }

    fn visit_str<E>(self, text: &str) -> Result<ContentLine, E> {
        Ok(ContentLine::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<ContentLine, E> {
        Ok(ContentLine::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<ContentLine, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(parts)).map(ContentLine::Parts)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum PartLine {
    Text {
        text: String,
    },
    Image {
        file: String,
        #[serde(default)]
        mime: String,
        #[serde(default)]
        width: u32,
        #[serde(default)]
        height: u32,
    },
    #[serde(other)]
    Other,
}

#[derive(Serialize, Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum OriginLine {
    #[default]
    User,
    Queued,
    Nudge,
    Note,
    Reminder,
    Hook,
    Command,
    Shell,
}

#[derive(Serialize, Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(super) enum StopLine {
    #[default]
    EndTurn,
    ToolUse,
    MaxTokens,
    Refusal,
    Error,
    Aborted,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum StatusLine {
    Denied,
    Interrupted,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum ByLine {
    Command,
    Rewind,
    Redo,
}

#[derive(Serialize, Deserialize)]
pub(super) struct AttachmentLine {
    pub(super) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<(u32, u32)>,
    #[serde(default)]
    pub(super) hash: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct FileLine {
    pub(super) path: String,
    pub(super) before: Option<String>,
    #[serde(default)]
    pub(super) mode: u32,
    #[serde(default, skip_serializing_if = "AfterLine::is_unknown")]
    pub(super) after: AfterLine,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) above: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unsaved: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) inode: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) linked: bool,
}

/// A hash; `null` where no file was left; not there where it is not known.
#[derive(Serialize, Deserialize, Default, Clone)]
#[serde(from = "Option<String>", into = "Option<String>")]
pub(super) enum AfterLine {
    #[default]
    Unknown,
    Nothing,
    Bytes(String),
}

impl AfterLine {
    fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl From<Option<String>> for AfterLine {
    fn from(hash: Option<String>) -> Self {
        hash.map_or(Self::Nothing, Self::Bytes)
    }
}

impl From<AfterLine> for Option<String> {
    fn from(after: AfterLine) -> Self {
        match after {
            AfterLine::Unknown | AfterLine::Nothing => None,
            AfterLine::Bytes(hash) => Some(hash),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
