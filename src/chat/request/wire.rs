//! A request as the JSON text that goes out.
//!
//! It only writes; what comes back is read by [`crate::chat::answer::accumulate`]. A history is sendable as it is (see
//! [`crate::protocol::History`]), so nothing is repaired here but what chat-completions itself forbids: two user messages
//! in a row, an image in a tool's answer, a message that says nothing. What a model's thoughts and a provider's own fields
//! say is for that model alone: another one does not get them back. The surprising decision: `messages` stands last and
//! each message's text is kept beside it, so that a longer conversation is the same bytes and then some more. Endpoints
//! cache by prefix, and a request of a thousand messages is a join.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use super::call_ids;
use super::dialect::{
    AskUsage, CallIds, Dialect, EchoReasoning, Effort, Extras, Images, MessageForm, NoText, OfferTools,
    OutputLimit, Signatures, Streaming, SystemRole, Temperature, Thoughtless, ToolNameField,
};
use super::messages::{Messages, join, text_value};
use crate::chat::{ChatRequest, RequestMessage};
use crate::protocol::ToolSpec;
use crate::protocol::history::{Masked, WireForm};
use crate::protocol::{
    AssistantMessage, Content, Message, ModelId, Part, Reasoning, Slot, ToolCall, ToolMessage, UserMessage,
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
    /// More fields of the body; they win over the ones above, and over what is known of the endpoint.
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
pub(in crate::chat) const FIXED: [&str; 3] = ["messages", "tools", "stream"];

/// Between a tool's answer and the images that go out behind it. JSON has no line feed of its own here.
const IMAGES_FOLLOW: char = '\n';

/// Stands for an image where none are taken.
const UNSEEN: &str = "[image omitted: this model does not support images]";

/// The field of thoughts where they must be there and are not, and what stands in it.
const PLACEHOLDER: (&str, &str) = ("reasoning_content", "(omitted)");

/// Google's guide to thought signatures: a call that another model made passes with these words in their place.
const WAIVER: &str = "skip_thought_signature_validator";

/// The body of `request`, in `dialect`.
pub fn body(request: &ChatRequest, options: &WireOptions, dialect: Dialect, images: &ImageSource) -> String {
    let mut body = head(request, options, dialect);
    // The closing brace comes back at the end.
    body.pop();
    if offers_tools(request, dialect) {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.push_str(",\"tools\":");
        body.push_str(&Value::Array(tools).to_string());
    }
    body.push_str(",\"messages\":[");
    let mut messages = Messages::behind(body, dialect.after_tools);
    match dialect.system {
        _ if request.system.is_empty() => {}
        SystemRole::System => {
            messages.push(&json!({ "role": "system", "content": &*request.system }).to_string());
        }
        SystemRole::InFirstUser => messages.push_user(&quote(&request.system)),
    }
    let writer = Writer { form: dialect.message, model: &request.model, images };
    for message in &request.messages {
        match message {
            RequestMessage::Text(text) => messages.push_user(&quote(text)),
            RequestMessage::Kept(slot, masked) => writer.write(slot, *masked, &mut messages),
        }
    }
    messages.finish() + "}"
}

/// How the answer to `request` is asked for in `dialect`.
pub(in crate::chat) fn wanted(request: &ChatRequest, options: &WireOptions, dialect: Dialect) -> Delivery {
    match dialect.streaming {
        _ if options.delivery == Delivery::Whole => Delivery::Whole,
        Streaming::On => Delivery::Streamed,
        Streaming::WithoutTools if !offers_tools(request, dialect) => Delivery::Streamed,
        Streaming::WithoutTools | Streaming::Off => Delivery::Whole,
    }
}

/// Whether tools go out with `request` in `dialect`.
pub(in crate::chat) fn offers_tools(request: &ChatRequest, dialect: Dialect) -> bool {
    !request.tools.is_empty() && dialect.tools == OfferTools::Offered
}

/// The effort that is asked for in `dialect`, where one is.
pub(in crate::chat) fn effort(options: &WireOptions, dialect: Dialect) -> Option<&str> {
    match dialect.effort {
        Effort::AsSet => options.reasoning_effort.as_deref(),
        Effort::LeftOut => None,
        Effort::Fixed(level) => Some(level.name()),
    }
}

/// The field of the output limit in `dialect`, where there is one.
pub(in crate::chat) fn limit_field(dialect: Dialect) -> Option<&'static str> {
    match dialect.output_limit {
        OutputLimit::MaxTokens => Some("max_tokens"),
        OutputLimit::MaxCompletionTokens => Some("max_completion_tokens"),
        OutputLimit::LeftOut => None,
    }
}

fn head(request: &ChatRequest, options: &WireOptions, dialect: Dialect) -> String {
    let mut head = Map::new();
    let mut set = |name: &str, value: Value| head.insert(name.to_owned(), value);
    let wanted = wanted(request, options, dialect);
    set("model", request.model.as_str().into());
    set("stream", (wanted == Delivery::Streamed).into());
    if (wanted, dialect.usage) == (Delivery::Streamed, AskUsage::Yes) {
        set("stream_options", json!({ "include_usage": true }));
    }
    if let (Some(temperature), Temperature::Sent) = (options.temperature, dialect.temperature) {
        set("temperature", temperature.into());
    }
    if let Some(effort) = effort(options, dialect) {
        set("reasoning_effort", effort.into());
    }
    if let (Some(limit), Some(name)) = (options.max_output_tokens, limit_field(dialect)) {
        set(name, limit.into());
    }
    let extra = options.extra_body.iter().filter(|(name, _)| !FIXED.contains(&name.as_str()));
    for (name, value) in extra {
        set(name, value.clone());
    }
    Value::Object(head).to_string()
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name.as_str(),
            "description": tool.description,
            "parameters": tool.parameters,
        },
    })
}

/// Writes messages of the history.
struct Writer<'a> {
    form: MessageForm,
    /// Who is asked.
    model: &'a ModelId,
    images: &'a ImageSource,
}

impl Writer<'_> {
    fn write(&self, slot: &Slot, masked: Masked, messages: &mut Messages) {
        match (&slot.message, masked) {
            (Message::User(_), _) => self.with_form(slot, |content| messages.push_user(content)),
            (Message::Assistant(message), _) if message.is_empty() => {}
            (Message::Assistant(_), _) => self.with_form(slot, |message| messages.push(message)),
            (Message::Tool(message), Masked::Yes) => {
                messages.push_tool(&self.tool_answer(message, &preview(&message.content.to_text())), "");
            }
            (Message::Tool(_), Masked::No) => self.with_form(slot, |form| {
                let (message, images) = form.split_once(IMAGES_FOLLOW).unwrap_or((form, ""));
                messages.push_tool(message, images);
            }),
        }
    }

    /// Gives `then` the message's form: the one kept beside it where that is of this kind.
    fn with_form(&self, slot: &Slot, then: impl FnOnce(&str)) {
        let kind = self.kind(&slot.message);
        let make = || WireForm { dialect: kind, json: self.form_of(&slot.message).into() };
        let form = slot.wire.get_or_init(make);
        if form.dialect == kind { then(&form.json) } else { then(&make().json) }
    }

    /// What the form of `message` depends on beside the message itself.
    fn kind(&self, message: &Message) -> u64 {
        match message {
            Message::Assistant(message) if has_private(message) && !self.is_own(message) => {
                !self.form.fingerprint()
            }
            Message::Assistant(_) | Message::User(_) | Message::Tool(_) => self.form.fingerprint(),
        }
    }

    /// Whether the model that is asked has said it: thoughts and extras are nobody else's business, and strict endpoints
    /// refuse those of another provider.
    fn is_own(&self, message: &AssistantMessage) -> bool {
        message.model == *self.model
    }

    fn form_of(&self, message: &Message) -> String {
        match message {
            Message::User(UserMessage { content, .. }) => self.user_content(content),
            Message::Assistant(message) => self.assistant(message),
            Message::Tool(message) => {
                let answer = self.tool_answer(message, &self.shown(&message.content).to_text());
                match self.images_of(message) {
                    images if images.is_empty() => answer,
                    images => format!("{answer}{IMAGES_FOLLOW}{images}"),
                }
            }
        }
    }

    /// What the model gets to see of `content`.
    fn shown<'c>(&self, content: &'c Content) -> Cow<'c, Content> {
        let unseen = |part: &Part| match part {
            Part::Text(_) => part.clone(),
            Part::Image { .. } => Part::Text(UNSEEN.into()),
        };
        match self.form.images {
            Images::Sent => Cow::Borrowed(content),
            Images::Told => Cow::Owned(Content(content.0.iter().map(unseen).collect())),
        }
    }

    /// A plain string where there is only text: some models echo the structure of parts.
    fn user_content(&self, content: &Content) -> String {
        let content = self.shown(content);
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
        self.shown(&message.content).0.iter().fold(String::new(), |parts, part| match part {
            Part::Text(_) => parts,
            Part::Image { file, mime, .. } => {
                let origin = text_value(&format!("Image returned by {}:", message.name));
                join(join(parts, &origin), &self.image(file, mime))
            }
        })
    }

    fn image(&self, file: &str, mime: &str) -> String {
        let Some(bytes) = (self.images)(file) else {
            return text_value(&format!("[image missing: its file {file} no longer exists]"));
        };
        let url = format!("data:{mime};base64,{}", BASE64.encode(bytes));
        json!({ "type": "image_url", "image_url": { "url": url } }).to_string()
    }

    fn assistant(&self, message: &AssistantMessage) -> String {
        let mut json = Map::new();
        json.insert("role".to_owned(), "assistant".into());
        match (message.text.as_str(), self.form.no_text) {
            ("", NoText::Omitted) => {}
            ("", NoText::Null) => drop(json.insert("content".to_owned(), Value::Null)),
            (text, _) => drop(json.insert("content".to_owned(), text.into())),
        }
        if !message.tool_calls.is_empty() {
            json.insert("tool_calls".to_owned(), self.calls(message));
        }
        if let Some((field, text)) = self.echoed(message) {
            json.insert(field.to_owned(), text.into());
        }
        if self.sends_extras_of(message) {
            add_missing(&mut json, &message.extra);
        }
        Value::Object(json).to_string()
    }

    /// The field of the thoughts and what stands in it, where the endpoint wants them back.
    fn echoed<'m>(&self, message: &'m AssistantMessage) -> Option<(&'m str, &'m str)> {
        let wanted = match self.form.reasoning {
            EchoReasoning::Never => false,
            EchoReasoning::WithCalls => !message.tool_calls.is_empty(),
            EchoReasoning::Always => true,
        };
        match message.reasoning.as_ref().filter(|_| self.is_own(message)) {
            _ if !wanted => None,
            Some(Reasoning { field, text }) => Some((field, text)),
            None => (self.form.thoughtless == Thoughtless::Placeholder).then_some(PLACEHOLDER),
        }
    }

    fn sends_extras_of(&self, message: &AssistantMessage) -> bool {
        self.form.extras == Extras::Sent && self.is_own(message)
    }

    fn calls(&self, message: &AssistantMessage) -> Value {
        let mut calls: Vec<Map<String, Value>> =
            message.tool_calls.iter().map(|call| bare_call(call, self.form.call_ids)).collect();
        if self.sends_extras_of(message) {
            for (json, call) in calls.iter_mut().zip(&message.tool_calls) {
                add_missing(json, &call.extra);
            }
        }
        let is_signed = calls.iter().any(|call| call.contains_key("extra_content"));
        // Of calls side by side only the first one is signed.
        if let (Some(first), Signatures::Waived, false) = (calls.first_mut(), self.form.signatures, is_signed)
        {
            let waiver = json!({ "google": { "thought_signature": WAIVER } });
            first.insert("extra_content".to_owned(), waiver);
        }
        Value::Array(calls.into_iter().map(Value::Object).collect())
    }

    fn tool_answer(&self, message: &ToolMessage, content: &str) -> String {
        let mut json = Map::new();
        json.insert("role".to_owned(), "tool".into());
        let id = call_ids::form(message.call_id.as_str(), self.form.call_ids);
        json.insert("tool_call_id".to_owned(), id.into());
        if self.form.tool_name == ToolNameField::Sent {
            json.insert("name".to_owned(), message.name.as_str().into());
        }
        json.insert("content".to_owned(), content.into());
        Value::Object(json).to_string()
    }
}

fn bare_call(call: &ToolCall, ids: CallIds) -> Map<String, Value> {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    let mut json = Map::new();
    json.insert("id".to_owned(), call_ids::form(call.id.as_str(), ids).into());
    json.insert("type".to_owned(), "function".into());
    json.insert("function".to_owned(), json!({ "name": call.name.as_str(), "arguments": arguments }));
    json
}

/// Whether there is anything in it that goes back to its own model alone.
fn has_private(message: &AssistantMessage) -> bool {
    let of_calls = message.tool_calls.iter().any(|call| !call.extra.is_empty());
    message.reasoning.is_some() || !message.extra.is_empty() || of_calls
}

/// What `json` has already is ours to say.
fn add_missing(json: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (name, value) in extra {
        json.entry(name.clone()).or_insert_with(|| value.clone());
    }
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
        "{first}\n[truncated to save context: {left_out} characters of this old result omitted; call the \
         tool again if you need them]\n{last}"
    )
}

fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::dialect::{AfterTools, Quirk};
    use super::*;
    use crate::protocol::{Entry, History, Origin, StopReason, ToolStatus};

    const NO_TEXT_FIELD: Quirk = Quirk::NoText(NoText::Omitted);

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
        let tool = ToolSpec::new("Read", "d", json!({}));
        let request = ChatRequest { tools: Arc::new([tool]), system: "".into(), ..request(Vec::new()) };
        let expected =
            r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"#
                .to_owned()
                + r#""reasoning_effort":"low","max_completion_tokens":9,"top_k":3,"tools":[{"type":"function","function":"#
                + r#"{"name":"Read","description":"d","parameters":{}}}],"messages":[]}"#;
        assert_eq!(body(&request, &options, Dialect::of("api.openai.com", "m"), &no_images), expected);
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
                ["Image returned by Read:", "[image missing: its file a.png no longer exists]", "and?"]
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
        assert!(sent.starts_with(&("é".repeat(250) + "\n[truncated")));
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
            let dialect = Dialect::default().with(Quirk::Reasoning(reasoning)).with(NO_TEXT_FIELD);
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

    /// The messages of `history` as they go out in `dialect` to the model `m`.
    fn sent_in(dialect: Dialect, history: &History) -> Vec<Value> {
        messages(&body(&request(kept(history)), &WireOptions::default(), dialect, &|_| Some(b"png".to_vec())))
    }

    fn with(quirk: Quirk) -> Dialect {
        Dialect::default().with(quirk)
    }

    #[test]
    fn what_another_model_thought_is_not_told() {
        let reasoning = Some(Reasoning { field: "reasoning".into(), text: "hm".into() });
        let extra = json!({ "reasoning_details": [1] }).as_object().unwrap().clone();
        let mut call = ToolCall::new("x", "Read", "{}");
        call.extra = json!({ "extra_content": { "google": 1 }, "id": "no" }).as_object().unwrap().clone();
        let own = AssistantMessage { reasoning, extra, tool_calls: vec![call], ..assistant("", &[]) };
        let mut foreign = AssistantMessage { model: "other".into(), ..own.clone() };
        foreign.tool_calls[0].id = "y".into();
        let history = history([
            Message::Assistant(own),
            answer("x", Content::text("a")),
            Message::Assistant(foreign),
            answer("y", Content::text("b")),
        ]);
        let echoing = with(Quirk::Reasoning(EchoReasoning::Always));
        let shape = |message: &Value| {
            let call = &message["tool_calls"][0];
            (
                message["reasoning"].clone(),
                message["reasoning_details"].clone(),
                call["extra_content"].clone(),
            )
        };
        let (whole, nothing) =
            ((json!("hm"), json!([1]), json!({ "google": 1 })), (Value::Null, Value::Null, Value::Null));
        for _ in ["written", "kept"] {
            let all = sent_in(echoing, &history);
            assert_eq!((shape(&all[0]), shape(&all[2])), (whole.clone(), nothing.clone()));
            assert_eq!(all[0]["tool_calls"][0]["id"], "x", "what is ours to say stays ours");
        }
        let other = ChatRequest { model: "other".into(), ..request(kept(&history)) };
        let all = messages(&body(&other, &WireOptions::default(), echoing, &no_images));
        assert_eq!((shape(&all[0]), shape(&all[2])), (nothing, whole), "the kept form is not for everybody");
        let bare = sent_in(echoing.with(Quirk::Extras(Extras::LeftOut)), &history);
        assert_eq!(shape(&bare[0]), (json!("hm"), Value::Null, Value::Null));
    }

    #[test]
    fn thoughts_that_must_be_there_are_stood_in_for() {
        let calls = Message::Assistant(assistant("", &["x"]));
        let history =
            history([calls, answer("x", Content::text("a")), Message::Assistant(assistant("b", &[]))]);
        let dialect = Dialect::of("api.deepseek.com", "m");
        let all = sent_in(dialect, &history);
        assert_eq!(
            (&all[0]["reasoning_content"], &all[2]["reasoning_content"]),
            (&json!("(omitted)"), &Value::Null)
        );
    }

    #[test]
    fn calls_of_others_ask_to_pass_where_they_must() {
        let history = history([
            Message::Assistant(assistant("", &["x", "y"])),
            answer("x", Content::text("a")),
            answer("y", Content::text("b")),
        ]);
        let waiver = json!({ "google": { "thought_signature": "skip_thought_signature_validator" } });
        let calls = &sent_in(with(Quirk::Signatures(Signatures::Waived)), &history)[0]["tool_calls"];
        assert_eq!((&calls[0]["extra_content"], &calls[1]["extra_content"]), (&waiver, &Value::Null));
        assert_eq!(sent_in(Dialect::default(), &history)[0]["tool_calls"][0]["extra_content"], Value::Null);
    }

    #[test]
    fn ids_and_names_are_written_as_the_endpoint_takes_them() {
        let given = "functions.Read:0";
        let history =
            history([Message::Assistant(assistant("", &[given])), answer(given, Content::text("a"))]);
        for (form, length) in [(CallIds::AsGiven, 16), (CallIds::Short, 33), (CallIds::Nine, 9)] {
            let all = sent_in(with(Quirk::CallIds(form)), &history);
            let id = all[0]["tool_calls"][0]["id"].as_str().unwrap();
            assert_eq!((id.len(), &all[1]["tool_call_id"]), (length, &json!(id)), "{form:?}");
        }
        assert_eq!(sent_in(Dialect::default(), &history)[1]["name"], "Read");
        assert_eq!(sent_in(with(Quirk::ToolName(ToolNameField::LeftOut)), &history)[1]["name"], Value::Null);
    }

    #[test]
    fn the_system_prompt_may_stand_before_the_first_words() {
        let dialect = with(Quirk::System(SystemRole::InFirstUser));
        let history = history([Message::user("go"), Message::Assistant(assistant("a", &[]))]);
        let sent = body(&request(kept(&history)), &WireOptions::default(), dialect, &no_images);
        let sent: Value = serde_json::from_str(&sent).unwrap();
        assert_eq!(sent["messages"][0], json!({ "role": "user", "content": "be kind\n\ngo" }));
        assert_eq!(sent["messages"][1]["role"], "assistant");
    }

    #[test]
    fn a_word_of_the_model_bridges_a_tool_and_the_user() {
        let dialect = with(Quirk::AfterTools(AfterTools::Bridge));
        let calls = |id: &str| Message::Assistant(assistant("", &[id]));
        let history = history([
            calls("x"),
            answer("x", Content(vec![image()])),
            calls("y"),
            answer("y", Content::text("a")),
            calls("z"),
            answer("z", Content::text("b")),
            Message::user("go"),
        ]);
        let roles: Vec<Value> =
            sent_in(dialect, &history).iter().map(|message| message["role"].clone()).collect();
        assert_eq!(
            roles,
            [
                "assistant",
                "tool",
                "assistant",
                "user",
                "assistant",
                "tool",
                "assistant",
                "tool",
                "assistant",
                "user"
            ]
        );
        assert!(
            sent_in(Dialect::default(), &history)
                .iter()
                .all(|message| message["content"] != "I have the results.")
        );
    }

    #[test]
    fn images_that_nobody_sees_are_told_of() {
        let look = Content(vec![Part::Text("look".into()), image()]);
        let user = Message::User(UserMessage { content: look.clone(), ..UserMessage::default() });
        let history = history([user, Message::Assistant(assistant("", &["x"])), answer("x", look)]);
        let all = sent_in(with(Quirk::Images(Images::Told)), &history);
        let told = "look\n\n[image omitted: this model does not support images]";
        assert_eq!(all.len(), 3);
        assert_eq!((&all[0]["content"], &all[2]["content"]), (&json!(told), &json!(told)));
        assert_eq!(sent_in(Dialect::default(), &history).len(), 4, "the kept form is not taken for another");
    }

    #[test]
    fn the_head_is_written_as_the_endpoint_takes_it() {
        #[track_caller]
        fn check(quirk: Quirk, expected: &str) {
            let options = WireOptions {
                temperature: Some(1.0),
                reasoning_effort: Some("high".into()),
                max_output_tokens: Some(9),
                ..WireOptions::default()
            };
            let tool = ToolSpec::new("T", "d", json!({}));
            let request = ChatRequest { tools: Arc::new([tool]), system: "".into(), ..request(Vec::new()) };
            let sent: Value =
                serde_json::from_str(&body(&request, &options, with(quirk), &no_images)).unwrap();
            let fields: Vec<String> = sent
                .as_object()
                .unwrap()
                .iter()
                .filter(|(_, value)| value.is_number() || value.is_string() || value.is_boolean())
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let more = ["stream_options", "tools"].into_iter().filter(|name| sent.get(name).is_some());
            assert_eq!(fields.join(" ") + " +" + &more.collect::<Vec<_>>().join("+"), expected, "{quirk:?}");
        }
        let all = r#"model="m" stream=true temperature=1.0 reasoning_effort="high" max_tokens=9 +stream_options+tools"#;
        check(Quirk::Usage(AskUsage::Yes), all);
        check(Quirk::Usage(AskUsage::No), &all.replace("stream_options+", ""));
        check(Quirk::Tools(OfferTools::LeftOut), &all.replace("+tools", ""));
        check(Quirk::Temperature(Temperature::LeftOut), &all.replace("temperature=1.0 ", ""));
        check(Quirk::Effort(Effort::LeftOut), &all.replace("reasoning_effort=\"high\" ", ""));
        check(Quirk::Effort(Effort::Fixed(super::super::dialect::Level::Low)), &all.replace("high", "low"));
        check(Quirk::OutputLimit(OutputLimit::LeftOut), &all.replace("max_tokens=9 ", ""));
        let whole = all.replace("true", "false").replace("stream_options+", "");
        check(Quirk::Streaming(Streaming::Off), &whole);
        check(Quirk::Streaming(Streaming::WithoutTools), &whole);
    }

    #[test]
    fn without_tools_an_endpoint_may_stream_that_does_not_with_them() {
        let dialect = with(Quirk::Streaming(Streaming::WithoutTools));
        assert_eq!(wanted(&request(Vec::new()), &WireOptions::default(), dialect), Delivery::Streamed);
        assert_eq!(
            wanted(&request(Vec::new()), &WireOptions::default(), with(Quirk::Streaming(Streaming::Off))),
            Delivery::Whole
        );
    }

    fn any_message() -> impl Strategy<Value = Message> {
        prop_oneof![
            "[a\"\\\\é\n]{0,3}".prop_map(Message::user),
            Just(Message::User(UserMessage { content: Content(vec![image()]), ..UserMessage::default() })),
            ("[a\"]{0,2}", 0..3_usize, any::<bool>()).prop_map(|(text, calls, thinks)| {
                let reasoning = thinks.then(|| Reasoning { field: "reasoning".into(), text: "hm".into() });
                let message = assistant(&text, &["x", "y"][..calls.min(2)]);
                Message::Assistant(AssistantMessage { reasoning, ..message })
            }),
            ("[xy]", "[a\\\\]{0,2}").prop_map(|(id, text)| answer(&id, Content::text(text))),
            "[xy]".prop_map(|id| answer(&id, Content(vec![image()]))),
        ]
    }

    fn any_dialect() -> impl Strategy<Value = Dialect> {
        let quirks = [
            Quirk::Reasoning(EchoReasoning::WithCalls),
            Quirk::Reasoning(EchoReasoning::Always),
            Quirk::Thoughtless(Thoughtless::Placeholder),
            Quirk::NoText(NoText::Omitted),
            Quirk::ToolName(ToolNameField::LeftOut),
            Quirk::CallIds(CallIds::Nine),
            Quirk::CallIds(CallIds::Short),
            Quirk::Signatures(Signatures::Waived),
            Quirk::Images(Images::Told),
            Quirk::System(SystemRole::InFirstUser),
            Quirk::AfterTools(AfterTools::Bridge),
            Quirk::Streaming(Streaming::Off),
        ];
        proptest::sample::subsequence(quirks.to_vec(), 0..=quirks.len())
            .prop_map(|quirks| quirks.into_iter().fold(Dialect::default(), Dialect::with))
    }

    proptest! {
        #[test]
        fn a_longer_conversation_is_the_same_bytes_and_more(
            dialect in any_dialect(),
            said in proptest::collection::vec(any_message(), 0..10),
        ) {
            let mut history = History::new();
            let mut before = String::new();
            for message in said {
                // A request goes out where the model has the word: it answers, and more follows.
                let answers = matches!(message, Message::Assistant(ref answer) if !answer.is_empty());
                if answers && history.open_calls().is_empty() {
                    before = body(&request(kept(&history)), &WireOptions::default(), dialect, &no_images);
                }
                history.apply(&Entry::message(0, message));
                let now = body(&request(kept(&history)), &WireOptions::default(), dialect, &no_images);
                let common = before.strip_suffix("]}").unwrap_or_default();
                prop_assert!(now.starts_with(common), "{before}\n{now}");
                let all: Value = serde_json::from_str(&now).unwrap();
                let all = all["messages"].as_array().unwrap();
                for pair in all.windows(2) {
                    prop_assert!(pair[0]["role"] != "user" || pair[1]["role"] != "user", "{now}");
                    let bridged = dialect.after_tools == AfterTools::Anyone || pair[0]["role"] != "tool";
                    prop_assert!(bridged || pair[1]["role"] != "user", "{now}");
                }
                for message in all {
                    prop_assert!(message["content"] != "" && message["content"] != json!([]) || message["role"] == "tool");
                }
            }
        }
    }
}
