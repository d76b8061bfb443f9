//! Lines to values and back, field by field.

use super::lines::{
    AfterLine, AssistantLine, AttachmentLine, BodyLine, ByLine, CallLine, ContentLine, FileLine,
    FunctionLine, HeadLine, MessageLine, OriginLine, PartLine, StatusLine, StopLine, ToolLine, UserLine,
    function,
};
use crate::protocol::{
    After, AssistantMessage, Attachment, ChangedBy, Content, EntryBody, Message, Origin, Part, Reasoning,
    SavedFile, SessionHead, StopReason, ToolCall, ToolMessage, ToolStatus, UserMessage,
};

/// The field under which most providers send thoughts; another one is named beside the text.
const REASONING_FIELD: &str = "reasoning_content";

/// Pairs of variants that mean the same on both sides, both ways.
macro_rules! same_variants {
    ($ours:ident, $line:ident: $($variant:ident),+) => {
        impl From<$ours> for $line {
            fn from(value: $ours) -> Self {
                match value { $($ours::$variant => Self::$variant),+ }
            }
        }
        impl From<$line> for $ours {
            fn from(value: $line) -> Self {
                match value { $($line::$variant => Self::$variant),+ }
            }
        }
    };
}

same_variants!(Origin, OriginLine: User, Queued, Nudge, Note, Reminder, Hook, Command, Shell);
same_variants!(StopReason, StopLine: EndTurn, ToolUse, MaxTokens, Refusal, Error, Aborted);

impl From<&EntryBody> for BodyLine {
    fn from(body: &EntryBody) -> Self {
        match body {
            EntryBody::Session(head) => Self::Session(HeadLine {
                version: head.version,
                id: head.id.clone(),
                cwd: head.cwd.clone(),
                model: head.model.clone(),
                clawd_version: head.clawd_version.clone(),
                parent: head.parent.clone(),
            }),
            EntryBody::Message(message) => Self::Message(MessageLine::from(message)),
            EntryBody::Compaction { summary, kept } => {
                Self::Compaction { summary: summary.clone(), kept: *kept }
            }
            EntryBody::Masked { messages } => Self::Masked { messages: messages.clone() },
            EntryBody::Rewind { to } => Self::Rewind { to: *to, unsaid: false },
            EntryBody::Unsaid { to } => Self::Rewind { to: *to, unsaid: true },
            EntryBody::Redo => Self::Redo {},
            EntryBody::Checkpoint { message, by, files } => {
                let by = match by {
                    ChangedBy::Tool => None,
                    ChangedBy::Command => Some(ByLine::Command),
                    ChangedBy::Rewind => Some(ByLine::Rewind),
                    ChangedBy::Redo => Some(ByLine::Redo),
                };
                Self::Checkpoint { message: *message, by, files: files.iter().map(FileLine::from).collect() }
            }
            EntryBody::Settings { model, permission_mode, directories } => Self::Settings {
                model: model.clone(),
                permission_mode: permission_mode.clone(),
                directories: directories.clone(),
            },
            EntryBody::Spent { model, usage } => Self::Usage { model: model.clone(), usage: *usage },
            EntryBody::Title(text) => Self::Title { text: text.clone() },
        }
    }
}

impl From<BodyLine> for EntryBody {
    fn from(line: BodyLine) -> Self {
        match line {
            BodyLine::Session(head) => Self::Session(SessionHead {
                version: head.version,
                id: head.id,
                cwd: head.cwd,
                model: head.model,
                clawd_version: head.clawd_version,
                parent: head.parent,
            }),
            BodyLine::Message(message) => Self::Message(message.into()),
            BodyLine::Compaction { summary, kept } => Self::Compaction { summary, kept },
            BodyLine::Masked { messages } => Self::Masked { messages },
            BodyLine::Rewind { to, unsaid: false } => Self::Rewind { to },
            BodyLine::Rewind { to, unsaid: true } => Self::Unsaid { to },
            BodyLine::Redo {} => Self::Redo,
            BodyLine::Checkpoint { message, by, files } => {
                let by = by.map_or(ChangedBy::Tool, |by| match by {
                    ByLine::Command => ChangedBy::Command,
                    ByLine::Rewind => ChangedBy::Rewind,
                    ByLine::Redo => ChangedBy::Redo,
                });
                Self::Checkpoint { message, by, files: files.into_iter().map(SavedFile::from).collect() }
            }
            BodyLine::Settings { model, permission_mode, directories } => {
                Self::Settings { model, permission_mode, directories }
            }
            BodyLine::Usage { model, usage } => Self::Spent { model, usage },
            BodyLine::Title { text } => Self::Title(text),
        }
    }
}

impl From<&Message> for MessageLine {
    fn from(message: &Message) -> Self {
        match message {
            Message::User(user) => Self::User(UserLine {
                content: ContentLine::from(&user.content),
                origin: user.origin.into(),
                attachments: user.attachments.iter().map(AttachmentLine::from).collect(),
                timestamp: 0,
            }),
            Message::Assistant(answer) => Self::Assistant(AssistantLine::from(answer)),
            Message::Tool(answer) => Self::Tool(ToolLine {
                tool_call_id: answer.call_id.clone(),
                name: answer.name.clone(),
                content: ContentLine::from(&answer.content),
                is_error: answer.status.is_error(),
                status: match answer.status {
                    ToolStatus::Success | ToolStatus::Failed => None,
                    ToolStatus::Denied => Some(StatusLine::Denied),
                    ToolStatus::Interrupted => Some(StatusLine::Interrupted),
                },
                timestamp: 0,
            }),
        }
    }
}

impl From<MessageLine> for Message {
    fn from(line: MessageLine) -> Self {
        match line {
            MessageLine::User(line) => Self::User(UserMessage {
                content: line.content.into(),
                origin: line.origin.into(),
                attachments: line.attachments.into_iter().map(Attachment::from).collect(),
            }),
            MessageLine::Assistant(answer) => Self::Assistant(answer.into()),
            MessageLine::Tool(line) => Self::Tool(ToolMessage {
                call_id: line.tool_call_id,
                name: line.name,
                content: line.content.into(),
                status: match (line.status, line.is_error) {
                    (Some(StatusLine::Denied), _) => ToolStatus::Denied,
                    (Some(StatusLine::Interrupted), _) => ToolStatus::Interrupted,
                    (None, true) => ToolStatus::Failed,
                    (None, false) => ToolStatus::Success,
                },
            }),
        }
    }
}

impl From<&AssistantMessage> for AssistantLine {
    fn from(answer: &AssistantMessage) -> Self {
        let other_field =
            |reasoning: &Reasoning| (reasoning.field != REASONING_FIELD).then(|| reasoning.field.clone());
        Self {
            content: Some(ContentLine::Text(answer.text.clone())),
            tool_calls: answer.tool_calls.iter().map(CallLine::from).collect(),
            reasoning_content: answer.reasoning.as_ref().map(|reasoning| reasoning.text.clone()),
            reasoning_field: answer.reasoning.as_ref().and_then(other_field),
            extra: answer.extra.clone(),
            model: answer.model.clone(),
            usage: answer.usage,
            stop_reason: answer.stop_reason.into(),
            timestamp: 0,
        }
    }
}

impl From<AssistantLine> for AssistantMessage {
    fn from(line: AssistantLine) -> Self {
        let field = line.reasoning_field.unwrap_or_else(|| REASONING_FIELD.to_owned());
        Self {
            text: line.content.map(|content| Content::from(content).to_text()).unwrap_or_default(),
            tool_calls: line.tool_calls.into_iter().map(ToolCall::from).collect(),
            reasoning: line.reasoning_content.map(|text| Reasoning { field, text }),
            extra: line.extra,
            model: line.model,
            usage: line.usage,
            stop_reason: line.stop_reason.into(),
        }
    }
}

impl From<&ToolCall> for CallLine {
    fn from(call: &ToolCall) -> Self {
        let function_line = FunctionLine { name: call.name.clone(), arguments: call.arguments.clone() };
        let extra = call.extra.clone();
        Self { id: call.id.clone(), kind: function(), function: function_line, extra }
    }
}

impl From<CallLine> for ToolCall {
    fn from(line: CallLine) -> Self {
        let FunctionLine { name, arguments } = line.function;
        Self { id: line.id, name, arguments, extra: line.extra }
    }
}

impl From<&Content> for ContentLine {
    fn from(content: &Content) -> Self {
        match content.0.as_slice() {
            [Part::Text(text)] => Self::Text(text.to_string()),
            parts => Self::Parts(parts.iter().map(PartLine::from).collect()),
        }
    }
}

impl From<ContentLine> for Content {
    fn from(line: ContentLine) -> Self {
        match line {
            ContentLine::Text(text) => Self::text(text),
            ContentLine::Parts(parts) => Self(parts.into_iter().filter_map(part).collect()),
        }
    }
}

impl From<&Part> for PartLine {
    fn from(part: &Part) -> Self {
        match part {
            Part::Text(text) => Self::Text { text: text.to_string() },
            Part::Image { file, mime, width, height } => {
                Self::Image { file: file.clone(), mime: mime.clone(), width: *width, height: *height }
            }
        }
    }
}

fn part(line: PartLine) -> Option<Part> {
    match line {
        PartLine::Text { text } => Some(Part::Text(text.into())),
        PartLine::Image { file, mime, width, height } => Some(Part::Image { file, mime, width, height }),
        PartLine::Other => None,
    }
}

impl From<&SavedFile> for FileLine {
    fn from(file: &SavedFile) -> Self {
        let SavedFile { path, before, mode, after, above, from, unsaved, inode, linked } = file.clone();
        let after = match after {
            After::Unknown => AfterLine::Unknown,
            After::Nothing => AfterLine::Nothing,
            After::Bytes(hash) => AfterLine::Bytes(hash),
        };
        Self { path, before, mode, after, above, from, unsaved, inode, linked }
    }
}

impl From<FileLine> for SavedFile {
    fn from(line: FileLine) -> Self {
        let FileLine { path, before, mode, after, above, from, unsaved, inode, linked } = line;
        let after = match after {
            AfterLine::Unknown => After::Unknown,
            AfterLine::Nothing => After::Nothing,
            AfterLine::Bytes(hash) => After::Bytes(hash),
        };
        Self { path, before, mode, after, above, from, unsaved, inode, linked }
    }
}

impl From<&Attachment> for AttachmentLine {
    fn from(attachment: &Attachment) -> Self {
        Self { path: attachment.path.clone(), lines: attachment.lines, hash: attachment.hash.clone() }
    }
}

impl From<AttachmentLine> for Attachment {
    fn from(line: AttachmentLine) -> Self {
        Self { path: line.path, lines: line.lines, hash: line.hash }
    }
}
