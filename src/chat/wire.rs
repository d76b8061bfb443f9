//! A request as the JSON text that goes out.
//!
//! It only writes; what comes back is read by [`super::accumulate`]. A history is sendable as it is (see
//! [`crate::protocol::History`]), so nothing is repaired here but what chat-completions itself forbids: two user messages
//! in a row, an image in a tool's answer, a message that says nothing. The surprising decision: `messages` stands last and
//! each message's text is kept beside it, so that a longer conversation is the same bytes and then some more. Endpoints
//! cache by prefix, and a request of a thousand messages is a join.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use super::compat::{AskUsage, Dialect, EchoReasoning, NoText, OutputLimit};
use super::{ChatRequest, RequestMessage};
use crate::protocol::ToolDefinition;
use crate::protocol::history::{Masked, WireForm};
use crate::protocol::{
    AssistantMessage, Content, Message, Part, Reasoning, Slot, ToolCall, ToolMessage, UserMessage,
};

/// Gives the bytes of an image by its [`Part::Image`]'s `file`; none where it is gone.
pub type ImageSource = dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync;

/// What goes into a request beside the conversation.
#[derive(Debug, Clone, Default)]
pub struct WireOptions {
    /// Sent only where set.
    pub temperature: Option<f64>,
    /// Sent only where set.
    pub reasoning_effort: Option<String>,
    /// Tokens; sent only where set.
    pub max_output_tokens: Option<u32>,
    /// How answers come, whatever `extra_body` says.
    pub delivery: Delivery,
    /// More fields of the body; they win over the ones above.
    pub extra_body: Map<String, Value>,
}

/// How answers come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// As they are made.
    #[default]
    Streamed,
    /// In one piece.
    Whole,
}

/// Of a masked result, this many characters are sent from each end.
const PREVIEW_CHARS: usize = 250;

/// Fields that `extra_body` cannot replace: the conversation, and whether it is streamed.
const FIXED: [&str; 3] = ["messages", "tools", "stream"];

/// Between user messages that are sent as one: a blank line, as JSON writes it.
const BLANK_LINE: &str = r"\n\n";

/// Between a tool's answer and the images that go out behind it. JSON has no line feed of its own here.
const IMAGES_FOLLOW: char = '\n';

/// The body of `request`, in `dialect`.
pub fn body(request: &ChatRequest, options: &WireOptions, dialect: Dialect, images: &ImageSource) -> String {
    let mut body = head(request, options, dialect);
    // The closing brace comes back at the end.
    body.pop();
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.push_str(",\"tools\":");
        body.push_str(&Value::Array(tools).to_string());
    }
    body.push_str(",\"messages\":[");
    let mut messages = Messages { json: body, ..Messages::default() };
    if !request.system.is_empty() {
        messages.push(&json!({ "role": "system", "content": &*request.system }).to_string());
    }
    let writer = Writer { dialect, fingerprint: dialect.fingerprint(), images };
    for message in &request.messages {
        match message {
            RequestMessage::Text(text) => messages.push_user(&quote(text)),
            RequestMessage::Kept(slot, masked) => writer.write(slot, *masked, &mut messages),
        }
    }
    messages.finish()
}

fn head(request: &ChatRequest, options: &WireOptions, dialect: Dialect) -> String {
    let mut head = Map::new();
    let mut set = |name: &str, value: Value| head.insert(name.to_owned(), value);
    set("model", request.model.as_str().into());
    set("stream", (options.delivery == Delivery::Streamed).into());
    if (options.delivery, dialect.usage) == (Delivery::Streamed, AskUsage::Yes) {
        set("stream_options", json!({ "include_usage": true }));
    }
    if let Some(temperature) = options.temperature {
        set("temperature", temperature.into());
    }
    if let Some(effort) = &options.reasoning_effort {
        set("reasoning_effort", effort.as_str().into());
    }
    if let Some(limit) = options.max_output_tokens {
        let name = match dialect.output_limit {
            OutputLimit::MaxTokens => "max_tokens",
            OutputLimit::MaxCompletionTokens => "max_completion_tokens",
        };
        set(name, limit.into());
    }
    let extra = options.extra_body.iter().filter(|(name, _)| !FIXED.contains(&name.as_str()));
    for (name, value) in extra {
        set(name, value.clone());
    }
    Value::Object(head).to_string()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name.as_str(),
            "description": tool.description,
            "parameters": tool.parameters,
        },
    })
}

/// The list of messages as it grows: what may still be joined waits.
#[derive(Default)]
struct Messages {
    json: String,
    any: bool,
    user: Waiting,
    /// Parts of a user message that goes out behind the tools' answers, which must stand together.
    images: String,
}

/// User messages that are sent as one.
#[derive(Default)]
enum Waiting {
    #[default]
    Nothing,
    /// The inside of a JSON string.
    Text(String),
    /// The inside of a JSON list of parts.
    Parts(String),
}

impl Messages {
    /// Adds a message of its own.
    fn push(&mut self, message: &str) {
        self.flush();
        self.push_now(message);
    }

    /// Adds a tool's answer; images behind it wait until the last of the answers is out.
    fn push_tool(&mut self, message: &str, images: &str) {
        if !matches!(self.user, Waiting::Nothing) {
            self.flush();
        }
        self.push_now(message);
        push_item(&mut self.images, images);
    }

    /// Adds what a user said: a JSON string or a JSON list of parts.
    fn push_user(&mut self, content: &str) {
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
        self.push_now(&format!("{{\"role\":\"user\",\"content\":{content}}}"));
    }

    fn push_now(&mut self, message: &str) {
        if std::mem::replace(&mut self.any, true) {
            self.json.push(',');
        }
        self.json.push_str(message);
    }

    fn finish(mut self) -> String {
        self.flush();
        self.json.push_str("]}");
        self.json
    }
}

/// Writes messages of the history.
struct Writer<'a> {
    dialect: Dialect,
    fingerprint: u64,
    images: &'a ImageSource,
}

impl Writer<'_> {
    fn write(&self, slot: &Slot, masked: Masked, messages: &mut Messages) {
        match (&slot.message, masked) {
            (Message::User(_), _) => self.with_form(slot, |content| messages.push_user(content)),
            (Message::Assistant(message), _) if message.is_empty() => {}
            (Message::Assistant(_), _) => self.with_form(slot, |message| messages.push(message)),
            (Message::Tool(message), Masked::Yes) => {
                messages.push_tool(&tool_answer(message, &preview(&message.content.to_text())), "");
            }
            (Message::Tool(_), Masked::No) => self.with_form(slot, |form| {
                let (message, images) = form.split_once(IMAGES_FOLLOW).unwrap_or((form, ""));
                messages.push_tool(message, images);
            }),
        }
    }

    /// Gives `then` the message's form: the one kept beside it where that is in this dialect.
    fn with_form(&self, slot: &Slot, then: impl FnOnce(&str)) {
        let make = || WireForm { dialect: self.fingerprint, json: self.form(&slot.message).into() };
        let form = slot.wire.get_or_init(make);
        if form.dialect == self.fingerprint { then(&form.json) } else { then(&make().json) }
    }

    fn form(&self, message: &Message) -> String {
        match message {
            Message::User(UserMessage { content, .. }) => self.user_content(content),
            Message::Assistant(message) => self.assistant(message),
            Message::Tool(message) => {
                let answer = tool_answer(message, &message.content.to_text());
                match self.images_of(message) {
                    images if images.is_empty() => answer,
                    images => format!("{answer}{IMAGES_FOLLOW}{images}"),
                }
            }
        }
    }

    /// A plain string where there is only text: some models echo the structure of parts.
    fn user_content(&self, content: &Content) -> String {
        if content.0.iter().all(|part| matches!(part, Part::Text(_))) {
            return quote(&content.to_text());
        }
        let parts = content.0.iter().fold(String::new(), |parts, part| match part {
            Part::Text(text) if text.is_empty() => parts,
            Part::Text(text) => join(parts, &text_value(text)),
            Part::Image { file, mime, .. } => join(parts, &self.image(file, mime)),
        });
        format!("[{parts}]")
    }

    fn images_of(&self, message: &ToolMessage) -> String {
        message.content.0.iter().fold(String::new(), |parts, part| match part {
            Part::Text(_) => parts,
            Part::Image { file, mime, .. } => {
                let origin = text_value(&format!("The image that {} gave:", message.name));
                join(join(parts, &origin), &self.image(file, mime))
            }
        })
    }

    fn image(&self, file: &str, mime: &str) -> String {
        let Some(bytes) = (self.images)(file) else {
            return text_value(&format!("[an image stood here; its file {file} is gone]"));
        };
        let url = format!("data:{mime};base64,{}", BASE64.encode(bytes));
        json!({ "type": "image_url", "image_url": { "url": url } }).to_string()
    }

    fn assistant(&self, message: &AssistantMessage) -> String {
        let mut json = Map::new();
        json.insert("role".to_owned(), "assistant".into());
        match (message.text.as_str(), self.dialect.no_text) {
            ("", NoText::Omitted) => {}
            ("", NoText::Null) => drop(json.insert("content".to_owned(), Value::Null)),
            (text, _) => drop(json.insert("content".to_owned(), text.into())),
        }
        if !message.tool_calls.is_empty() {
            let calls = message.tool_calls.iter().map(call).collect();
            json.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        if let Some(Reasoning { field, text }) = self.echoed(message) {
            json.insert(field.clone(), text.as_str().into());
        }
        for (name, value) in &message.extra {
            json.entry(name.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(json).to_string()
    }

    fn echoed<'a>(&self, message: &'a AssistantMessage) -> Option<&'a Reasoning> {
        let echo = match self.dialect.reasoning {
            EchoReasoning::Never => false,
            EchoReasoning::WithCalls => !message.tool_calls.is_empty(),
            EchoReasoning::Always => true,
        };
        message.reasoning.as_ref().filter(|_| echo)
    }
}

fn call(call: &ToolCall) -> Value {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    let mut json = json!({
        "id": call.id.as_str(),
        "type": "function",
        "function": { "name": call.name.as_str(), "arguments": arguments },
    });
    for (name, value) in &call.extra {
        if json.get(name).is_none() {
            json[name] = value.clone();
        }
    }
    json
}

fn tool_answer(message: &ToolMessage, content: &str) -> String {
    json!({
        "role": "tool",
        "tool_call_id": message.call_id.as_str(),
        "name": message.name.as_str(),
        "content": content,
    })
    .to_string()
}

/// The two ends of a long text, and how much is missing between them.
fn preview(text: &str) -> String {
    let count = text.chars().count();
    let left_out = count.saturating_sub(2 * PREVIEW_CHARS);
    if left_out == 0 {
        return text.to_owned();
    }
    let first: String = text.chars().take(PREVIEW_CHARS).collect();
    let last: String = text.chars().skip(count - PREVIEW_CHARS).collect();
    format!(
        "{first}\n[shortened to save room: {left_out} characters of this old result are left out]\n{last}"
    )
}

fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

fn text_value(text: &str) -> String {
    json!({ "type": "text", "text": text }).to_string()
}

/// The same, of a text that is escaped already.
fn text_part(escaped: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":\"{escaped}\"}}")
}

fn join(mut list: String, item: &str) -> String {
    push_item(&mut list, item);
    list
}

fn push_item(list: &mut String, item: &str) {
    if !list.is_empty() && !item.is_empty() {
        list.push(',');
    }
    list.push_str(item);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{Entry, History, ModelId, Origin, StopReason, ToolStatus};

    fn no_images(_: &str) -> Option<Vec<u8>> {
        None
    }

    fn request(messages: Vec<RequestMessage>) -> ChatRequest {
        ChatRequest { model: "m".into(), system: "be kind".into(), messages, tools: Arc::new([]) }
    }

    fn kept(history: &History) -> Vec<RequestMessage> {
        history.view().map(|(slot, masked)| RequestMessage::Kept(Arc::clone(slot), masked)).collect()
    }

    fn history(messages: impl IntoIterator<Item = Message>) -> History {
        let mut history = History::new();
        for message in messages {
            history.apply(&Entry::message(0, message));
        }
        history
    }

    fn assistant(text: &str, calls: &[&str]) -> AssistantMessage {
        let call = |id: &&str| ToolCall::new(*id, "Read", "{}");
        AssistantMessage {
            text: text.to_owned(),
            tool_calls: calls.iter().map(call).collect(),
            reasoning: None,
            extra: Map::new(),
            model: ModelId::from("m"),
            usage: None,
            stop_reason: StopReason::EndTurn,
        }
    }

    fn answer(id: &str, content: Content) -> Message {
        let status = ToolStatus::Success;
        Message::Tool(ToolMessage { call_id: id.into(), name: "Read".into(), content, status })
    }

    fn image() -> Part {
        Part::Image { file: "a.png".into(), mime: "image/png".into(), width: 1, height: 1 }
    }

    #[track_caller]
    fn messages(body: &str) -> Vec<Value> {
        let body: Value = serde_json::from_str(body).unwrap();
        body["messages"].as_array().unwrap()[1..].to_vec()
    }

    #[track_caller]
    fn check(history: &History, expected: &Value) {
        let body = body(&request(kept(history)), &WireOptions::default(), Dialect::default(), &|_| {
            Some(b"png".to_vec())
        });
        assert_eq!(&Value::Array(messages(&body)), expected);
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let body = body(&request(Vec::new()), &WireOptions::default(), Dialect::default(), &no_images);
        assert_eq!(
            body,
            r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"be kind"}]}"#
        );
    }

    #[test]
    fn what_is_set_stands_before_the_conversation() {
        let extra = json!({ "temperature": 0.5, "top_k": 3, "messages": [], "stream": false });
        let options = WireOptions {
            delivery: Delivery::Streamed,
            temperature: Some(1.0),
            reasoning_effort: Some("low".into()),
            max_output_tokens: Some(9),
            extra_body: extra.as_object().unwrap().clone(),
        };
        let tool = ToolDefinition { name: "Read".into(), description: "d".into(), parameters: json!({}) };
        let request = ChatRequest { tools: Arc::new([tool]), system: "".into(), ..request(Vec::new()) };
        let expected =
            r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"#
                .to_owned()
                + r#""reasoning_effort":"low","max_completion_tokens":9,"top_k":3,"tools":[{"type":"function","function":"#
                + r#"{"name":"Read","description":"d","parameters":{}}}],"messages":[]}"#;
        assert_eq!(body(&request, &options, Dialect::of_host("api.openai.com"), &no_images), expected);
    }

    #[test]
    fn user_messages_in_a_row_are_one() {
        let nudge = Message::User(UserMessage::new(Origin::Nudge, "now\"!"));
        check(
            &history([Message::user("a"), Message::user(""), nudge, Message::Assistant(assistant("b", &[]))]),
            &json!([{ "role": "user", "content": "a\n\nnow\"!" }, { "role": "assistant", "content": "b" }]),
        );
    }

    #[test]
    fn a_text_outside_the_history_is_joined_too() {
        let mut all = vec![RequestMessage::Text("so far".into())];
        all.extend(kept(&history([Message::user("a")])));
        let body = body(&request(all), &WireOptions::default(), Dialect::default(), &no_images);
        assert_eq!(messages(&body), [json!({ "role": "user", "content": "so far\n\na" })]);
    }

    #[test]
    fn calls_and_their_answers_keep_their_names() {
        check(
            &history([Message::Assistant(assistant("", &["x"])), answer("x", Content::text("Error: no"))]),
            &json!([
                { "role": "assistant", "content": null, "tool_calls": [
                    { "id": "x", "type": "function", "function": { "name": "Read", "arguments": "{}" } }] },
                { "role": "tool", "tool_call_id": "x", "name": "Read", "content": "Error: no" },
            ]),
        );
    }

    #[test]
    fn images_go_out_as_parts_of_a_user_message() {
        let shown = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,cG5n" } });
        let content = Content(vec![Part::Text("look".into()), image()]);
        let look = Message::User(UserMessage { content, ..UserMessage::default() });
        check(
            &history([Message::user("a"), look, Message::user("b")]),
            &json!([{ "role": "user", "content": [
                { "type": "text", "text": "a" },
                { "type": "text", "text": "look" },
                shown,
                { "type": "text", "text": "b" },
            ]}]),
        );
    }

    #[test]
    fn images_of_tools_follow_the_last_of_the_answers() {
        let calls = Message::Assistant(assistant("", &["x", "y"]));
        let first = answer("x", Content(vec![Part::Text("seen".into()), image()]));
        let history = history([calls, first, answer("y", Content::text("ok")), Message::user("and?")]);
        for _ in ["written", "kept"] {
            let body =
                body(&request(kept(&history)), &WireOptions::default(), Dialect::default(), &no_images);
            let all = messages(&body);
            assert_eq!((&all[1]["content"], &all[2]["content"]), (&json!("seen"), &json!("ok")));
            let texts: Vec<&Value> =
                all[3]["content"].as_array().unwrap().iter().map(|part| &part["text"]).collect();
            assert_eq!(
                texts,
                ["The image that Read gave:", "[an image stood here; its file a.png is gone]", "and?"]
            );
        }
    }

    #[test]
    fn a_masked_answer_is_sent_as_its_ends() {
        let long = "é".repeat(300) + &"z".repeat(300);
        let mut history =
            history([Message::Assistant(assistant("", &["x"])), answer("x", Content::text(long))]);
        let body_of = |history: &History| {
            body(&request(kept(history)), &WireOptions::default(), Dialect::default(), &no_images)
        };
        assert!(body_of(&history).contains(&"é".repeat(300)));
        history
            .apply(&Entry { timestamp: 0, body: crate::protocol::EntryBody::Masked { messages: vec![1] } });
        let sent = messages(&body_of(&history))[1]["content"].as_str().unwrap().to_owned();
        assert!(sent.starts_with(&("é".repeat(250) + "\n[shortened")));
        assert!(sent.ends_with(&("]\n".to_owned() + &"z".repeat(250))));
        assert!(sent.contains(" 100 characters"));
        assert_eq!(preview(&"é".repeat(500)), "é".repeat(500));
    }

    #[test]
    fn thoughts_go_back_only_where_the_endpoint_wants_them() {
        let reasoning = Some(Reasoning { field: "reasoning".into(), text: "hm".into() });
        let extra = json!({ "reasoning_details": [1], "content": "no" }).as_object().unwrap().clone();
        let calling = AssistantMessage { reasoning, extra, ..assistant("", &["x"]) };
        let quiet = AssistantMessage { tool_calls: Vec::new(), text: "t".into(), ..calling.clone() };
        let history = history([Message::Assistant(quiet), Message::Assistant(calling)]);
        let echoed = |reasoning: EchoReasoning| -> Vec<bool> {
            let dialect = Dialect { reasoning, no_text: NoText::Omitted, ..Dialect::default() };
            let all = messages(&body(&request(kept(&history)), &WireOptions::default(), dialect, &no_images));
            assert_eq!(all[1]["reasoning_details"], json!([1]));
            all[..2].iter().map(|message| message["reasoning"] == "hm").collect()
        };
        assert_eq!(echoed(EchoReasoning::Never), [false, false]);
        assert_eq!(echoed(EchoReasoning::WithCalls), [false, true]);
        assert_eq!(echoed(EchoReasoning::Always), [true, true]);
        assert_eq!(
            echoed(EchoReasoning::Never),
            [false, false],
            "the kept form is not taken for another dialect"
        );
    }

    fn any_message() -> impl Strategy<Value = Message> {
        prop_oneof![
            "[a\"\\\\é\n]{0,3}".prop_map(Message::user),
            Just(Message::User(UserMessage { content: Content(vec![image()]), ..UserMessage::default() })),
            ("[a\"]{0,2}", 0..3_usize)
                .prop_map(|(text, calls)| Message::Assistant(assistant(&text, &["x", "y"][..calls.min(2)]))),
            ("[xy]", "[a\\\\]{0,2}").prop_map(|(id, text)| answer(&id, Content::text(text))),
            "[xy]".prop_map(|id| answer(&id, Content(vec![image()]))),
        ]
    }

    proptest! {
        #[test]
        fn a_longer_conversation_is_the_same_bytes_and_more(
            said in proptest::collection::vec(any_message(), 0..10)
        ) {
            let mut history = History::new();
            let mut before = String::new();
            for message in said {
                // A request goes out where the model has the word: it answers, and more follows.
                let answers = matches!(message, Message::Assistant(ref answer) if !answer.is_empty());
                if answers && history.open_calls().is_empty() {
                    before = body(&request(kept(&history)), &WireOptions::default(), Dialect::default(), &no_images);
                }
                history.apply(&Entry::message(0, message));
                let now = body(&request(kept(&history)), &WireOptions::default(), Dialect::default(), &no_images);
                let common = before.strip_suffix("]}").unwrap_or_default();
                prop_assert!(now.starts_with(common), "{before}\n{now}");
                for message in messages(&now) {
                    prop_assert!(message["content"] != "" && message["content"] != json!([]) || message["role"] == "tool");
                }
            }
        }
    }
}
