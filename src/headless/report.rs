//! What a headless run prints, in one of three formats.
//!
//! `text`: the final message alone. `json`: the result object alone. `stream-json`: a line an event, each flushed. What a person
//! should know besides goes to standard error, a line each. What goes to standard output is handed over ([`Report::take`]) and not
//! written here: whoever writes it must be able to stop waiting for a reader.

use std::io::{self, Write};

use super::input::Piped;
use super::stream_json;
use crate::app::facts::Facts;
use crate::cli::OutputFormat;
use crate::conversation::Conversation;
use crate::protocol::{AgentEvent, LoopError, LoopResult, NoticeKind, SessionId};
use crate::text::sanitize::sanitize;

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The final message.
    Text,
    /// The result as one JSON object.
    Json,
    /// A JSON object a line.
    StreamJson,
}

/// Who reads the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A terminal, which must not be driven by what a model says.
    Person,
    /// A pipe or a file: every byte as it came.
    Program,
}

/// What is said at the start of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// The session.
    pub session_id: SessionId,
    /// The model.
    pub model: String,
    /// The working directory.
    pub cwd: String,
    /// The mode by its outside name.
    pub permission_mode: String,
    /// The tools by name.
    pub tools: Vec<String>,
    /// Remarks for the user: a notice and a line on standard error each.
    pub notices: Vec<(NoticeKind, String)>,
}

impl From<OutputFormat> for Format {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Text => Self::Text,
            OutputFormat::Json => Self::Json,
            OutputFormat::StreamJson => Self::StreamJson,
        }
    }
}

impl Scene {
    /// The scene of a conversation that is about to be talked to.
    pub fn of(
        session: &SessionId,
        facts: &Facts,
        conversation: &Conversation,
        mut notices: Vec<(NoticeKind, String)>,
        piped: &Piped,
    ) -> Self {
        if *piped == Piped::Silent {
            notices.push((
                NoticeKind::Info,
                "no data on standard input for 2 s: continuing without it".to_owned(),
            ));
        }
        Self {
            session_id: session.clone(),
            model: facts.model.clone(),
            cwd: conversation.bench().root().display().to_string(),
            permission_mode: conversation.mode().name().to_owned(),
            tools: conversation.agent().tools().names().map(str::to_owned).collect(),
            notices,
        }
    }
}

/// Prints a run.
pub struct Report {
    /// What has not been taken.
    out: Vec<u8>,
    format: Format,
    reader: Reader,
    scene: Scene,
}

impl Report {
    /// What is printed will be read by `reader`.
    pub fn new(reader: Reader, format: Format, scene: Scene) -> Self {
        Self { out: Vec::new(), format, reader, scene }
    }

    /// What is to be printed since the last time.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// The beginning of a run.
    pub fn begin(&mut self) {
        let remarks = self.scene.notices.clone();
        if self.format == Format::StreamJson {
            self.line(&stream_json::session_start(&self.scene));
        }
        for (kind, text) in remarks {
            remark(&text);
            if self.format == Format::StreamJson {
                self.line(&stream_json::notice(kind, &text));
            }
        }
    }

    /// One event.
    pub fn event(&mut self, event: &AgentEvent) {
        if let AgentEvent::Notice { kind, text } = event
            && is_remarked(*kind)
        {
            remark(text);
        }
        match (self.format, stream_json::event(event)) {
            (Format::StreamJson, Some(line)) => self.line(&line),
            (Format::StreamJson | Format::Text | Format::Json, _) => {}
        }
    }

    /// The end of a run. What went wrong is told by [`Report::tell_error`], once this is out.
    pub fn end(&mut self, result: &LoopResult) {
        match self.format {
            Format::Text if result.end.error().is_none() => {
                let text = result.final_message.trim_end();
                match self.reader {
                    Reader::Person => self.out.extend_from_slice(sanitize(text).as_bytes()),
                    Reader::Program => self.out.extend_from_slice(text.as_bytes()),
                }
                self.out.push(b'\n');
            }
            Format::Text => {}
            Format::Json => self.line(&stream_json::result(result, &self.scene.session_id)),
            Format::StreamJson => {
                if let Some(line) = stream_json::turn_limit(&result.end) {
                    self.line(&line);
                }
                self.line(&stream_json::result(result, &self.scene.session_id));
            }
        }
    }

    /// Says a line on standard error.
    pub fn tell(text: &str) {
        remark(text);
    }

    /// Says on standard error why a run failed.
    pub fn tell_error(result: &LoopResult) {
        if let Some(error) = result.end.error() {
            remark(&format!("Error: {}", error.message));
        }
    }

    fn line(&mut self, value: &serde_json::Value) {
        // A value of ours has no key that is no text, and memory takes all: neither can fail.
        drop(serde_json::to_writer(&mut self.out, value));
        self.out.push(b'\n');
    }
}

/// A run that could not even begin: nothing was sent.
///
/// # Errors
/// Where the output is closed.
pub fn not_begun<W: Write>(mut out: W, format: Format, error: &LoopError) -> io::Result<()> {
    match format {
        Format::Text => Ok(()),
        Format::Json | Format::StreamJson => {
            writeln!(out, "{}", stream_json::not_begun(error))?;
            out.flush()
        }
    }
}

/// A line on standard error. If that is closed there is nobody to tell.
fn remark(text: &str) {
    let line = sanitize(text).replace('\n', " ");
    writeln!(io::stderr(), "{line}").ok();
}

/// Whether who reads only the answer must know: it is less, or came from elsewhere, than was asked for.
fn is_remarked(kind: NoticeKind) -> bool {
    match kind {
        NoticeKind::CutOff
        | NoticeKind::NotSaved
        | NoticeKind::Fallback
        | NoticeKind::KeyRotated
        | NoticeKind::TextCalls
        | NoticeKind::NotAttached
        | NoticeKind::Endpoint => true,
        NoticeKind::Nudge
        | NoticeKind::LoopDetected
        | NoticeKind::Hook
        | NoticeKind::Trust
        | NoticeKind::Saved
        | NoticeKind::Info => false,
    }
}
