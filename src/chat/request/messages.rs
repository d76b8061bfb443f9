//! The list of messages as it goes out: what may still be joined waits.
//!
//! It takes messages that are JSON already and puts them in a row as chat-completions wants it: user messages side by side
//! are one, the answers of tools stand together and the images behind them follow in the user's place. What a message
//! says is [`super::wire`]'s. The surprising decision: nothing that was put in is ever changed, only added to at its end, so that
//! a longer conversation is the same bytes and then some more.

use serde_json::json;

use super::dialect::AfterTools;

/// Between user messages that are sent as one: a blank line, as JSON writes it.
const BLANK_LINE: &str = r"\n\n";

/// Stands between a tool's answer and a user where the endpoint wants the model to speak first.
const BRIDGE: &str = r#"{"role":"assistant","content":"I have the results."}"#;

/// The list of messages as it grows: what may still be joined waits.
#[derive(Debug, Default)]
pub(in crate::chat) struct Messages {
    json: String,
    last: Last,
    after_tools: AfterTools,
    user: Waiting,
    /// Parts of a user message that goes out behind the tools' answers, which must stand together.
    images: String,
}

/// What the message before was.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    #[default]
    None,
    Tool,
    Other,
}

/// User messages that are sent as one.
#[derive(Debug, Default)]
enum Waiting {
    #[default]
    Nothing,
    /// The inside of a JSON string.
    Text(String),
    /// The inside of a JSON list of parts.
    Parts(String),
}

impl Messages {
    /// Goes on behind `json`, which ends where the first message begins.
    pub(in crate::chat) fn behind(json: String, after_tools: AfterTools) -> Self {
        Self { json, after_tools, ..Self::default() }
    }

    /// Adds a message of its own that is no user's and no tool's.
    pub(in crate::chat) fn push(&mut self, message: &str) {
        self.flush();
        self.push_now(message, Last::Other);
    }

    /// Adds a tool's answer; images behind it wait until the last of the answers is out.
    pub(in crate::chat) fn push_tool(&mut self, message: &str, images: &str) {
        if !matches!(self.user, Waiting::Nothing) {
            self.flush();
        }
        self.push_now(message, Last::Tool);
        push_item(&mut self.images, images);
    }

    /// Adds what a user said: a JSON string or a JSON list of parts.
    pub(in crate::chat) fn push_user(&mut self, content: &str) {
        self.release_images();
        if let Some(text) = content.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            if text.is_empty() {
                return;
            }
            self.user = match std::mem::take(&mut self.user) {
                Waiting::Nothing => Waiting::Text(text.to_owned()),
                Waiting::Text(before) => Waiting::Text(before + BLANK_LINE + text),
                Waiting::Parts(parts) => Waiting::Parts(join(parts, &text_part(text))),
            };
        } else {
            self.push_parts(
                content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(content),
            );
        }
    }

    fn push_parts(&mut self, parts: &str) {
        self.user = match std::mem::take(&mut self.user) {
            Waiting::Nothing => Waiting::Parts(parts.to_owned()),
            Waiting::Text(before) => Waiting::Parts(join(text_part(&before), parts)),
            Waiting::Parts(before) => Waiting::Parts(join(before, parts)),
        };
    }

    fn release_images(&mut self) {
        let images = std::mem::take(&mut self.images);
        if !images.is_empty() {
            self.push_parts(&images);
        }
    }

    fn flush(&mut self) {
        self.release_images();
        let content = match std::mem::take(&mut self.user) {
            Waiting::Nothing => return,
            Waiting::Text(text) => format!("\"{text}\""),
            Waiting::Parts(parts) => format!("[{parts}]"),
        };
        if (self.last, self.after_tools) == (Last::Tool, AfterTools::Bridge) {
            self.push_now(BRIDGE, Last::Other);
        }
        self.push_now(&format!("{{\"role\":\"user\",\"content\":{content}}}"), Last::Other);
    }

    fn push_now(&mut self, message: &str, kind: Last) {
        if std::mem::replace(&mut self.last, kind) != Last::None {
            self.json.push(',');
        }
        self.json.push_str(message);
    }

    /// All that was written, to the end of the list.
    pub(in crate::chat) fn finish(mut self) -> String {
        self.flush();
        self.json.push(']');
        self.json
    }
}

/// A part of a list of content.
pub(in crate::chat) fn text_value(text: &str) -> String {
    json!({ "type": "text", "text": text }).to_string()
}

/// The same, of a text that is escaped already.
fn text_part(escaped: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":\"{escaped}\"}}")
}

/// `list` with `item` at its end.
pub(in crate::chat) fn join(mut list: String, item: &str) -> String {
    push_item(&mut list, item);
    list
}

fn push_item(list: &mut String, item: &str) {
    if !list.is_empty() && !item.is_empty() {
        list.push(',');
    }
    list.push_str(item);
}
