//! What the readable forms tell, in order, and in which words: they differ in signs alone.

use serde_json::Value;

use crate::protocol::{History, Message, Origin, ToolCall, ToolStatus};

/// One thing to tell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// What stands for all that came before.
    Summary(String),
    /// The user's words.
    User(String),
    /// The model's thoughts.
    Thoughts(String),
    /// The model's words: Markdown.
    Answer(String),
    /// A call: the tool, what it was for, and what came of it.
    Call { tool: String, object: String, outcome: &'static str, output: String },
}

/// What stands above all: the title, and then facts, each with its name.
pub(super) struct Head {
    pub(super) title: String,
    pub(super) facts: Vec<(&'static str, String)>,
}

/// The arguments that say what a call is for, the first that is there.
const OBJECTS: [&str; 8] = ["file_path", "command", "pattern", "url", "path", "question", "id", "query"];

/// What stands above all.
pub(super) fn head(history: &History) -> Head {
    let said = history.messages().find_map(|message| match message {
        Message::User(user) if user.origin != Origin::Reminder => Some(user.content.to_text()),
        Message::User(_) | Message::Assistant(_) | Message::Tool(_) => None,
    });
    let first = said.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    let title = history.title().or(first).unwrap_or("Conversation").trim().to_owned();
    let mut facts = Vec::new();
    if let Some(head) = history.head() {
        facts.push(("session", head.id.to_string()));
        facts.push(("directory", head.cwd.clone()));
    }
    facts.extend(history.model().map(|model| ("model", model.to_string())));
    Head { title, facts }
}

/// What is told, in order.
pub(super) fn parts(history: &History) -> Vec<Part> {
    let mut parts: Vec<Part> =
        history.summary().map(|text| Part::Summary(text.to_owned())).into_iter().collect();
    let mut open: Vec<&ToolCall> = Vec::new();
    for message in history.messages() {
        match message {
            Message::User(user) => match user.origin {
                Origin::User | Origin::Queued | Origin::Command | Origin::Shell => {
                    parts.push(Part::User(user.content.to_text()));
                }
                Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook => {}
            },
            Message::Assistant(said) => {
                let thoughts = said.reasoning.iter().map(|thoughts| thoughts.text.trim().to_owned());
                parts.extend(thoughts.filter(|text| !text.is_empty()).map(Part::Thoughts));
                if !said.text.trim().is_empty() {
                    parts.push(Part::Answer(said.text.clone()));
                }
                open = said.tool_calls.iter().collect();
            }
            Message::Tool(answer) => {
                let call = open.iter().find(|call| call.id == answer.call_id);
                parts.push(Part::Call {
                    tool: answer.name.to_string(),
                    object: call.map(|call| object(&call.arguments)).unwrap_or_default(),
                    outcome: outcome(answer.status),
                    output: answer.content.to_text(),
                });
            }
        }
    }
    parts
}

fn object(arguments: &str) -> String {
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else { return String::new() };
    let text = |name: &&str| arguments.get(*name).and_then(Value::as_str);
    OBJECTS.iter().find_map(text).unwrap_or_default().to_owned()
}

/// What became of it, where that was not what was wanted.
fn outcome(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Success => "",
        ToolStatus::Failed => "failed",
        ToolStatus::Denied => "denied",
        ToolStatus::Interrupted => "interrupted",
    }
}
