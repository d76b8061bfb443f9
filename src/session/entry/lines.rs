//! The lines as they stand in the file: names and shapes of the JSON, and nothing else.
//!
//! Every field that an older or newer version may leave out has its plain meaning as a default.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
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
    User {
        content: ContentLine,
        #[serde(default, deserialize_with = "known_or_default")]
        origin: OriginLine,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<AttachmentLine>,
    },
    Assistant(AssistantLine),
    Tool {
        tool_call_id: CallId,
        #[serde(default = "no_name")]
        name: ToolName,
        content: ContentLine,
        #[serde(default)]
        is_error: bool,
        /// Which kind of error, where it is not the tool's own.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known_or_default")]
        status: Option<StatusLine>,
    },
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

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum ContentLine {
    Text(String),
    Parts(Vec<PartLine>),
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
}
