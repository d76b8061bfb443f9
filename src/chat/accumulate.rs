//! Pieces of an answer become events and, at the end, the answer.
//!
//! Pure: data of events goes in, in order; how the bytes were cut before makes no difference. What a piece may look like
//! is `chunk`'s. The surprising decision: the end of the body proves nothing. An answer is whole only if the
//! endpoint gave a reason for its end, so that half an answer is never taken for one.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::calls::{Calls, Piece};
use super::chunk::{self, CallDelta, Choice, Chunk, Delta, FunctionDelta, Loose};
use super::think_tags::{Kind, ThinkTags};
use super::{ChatEvent, Completion};
use crate::protocol::{
    AssistantMessage, CallForm, ModelId, NoticeKind, Reasoning, StopReason, ToolCall, ToolDefinition, Usage,
};

/// The field under which thoughts between tags are kept.
const PLAIN_REASONING: &str = "reasoning_content";

/// An answer that grows.
#[derive(Debug, Default)]
pub struct Accumulator {
    reading: Reading,
    text: String,
    tags: ThinkTags,
    reasoning: Option<Reasoning>,
    details: Vec<Value>,
    calls: Calls,
    refused: bool,
    usage: Option<Usage>,
    ending: Option<Ending>,
    /// What the endpoint said went wrong, as it said it.
    failure: Option<String>,
    /// The choice that is read, by its index: the first one that comes.
    choice: Option<u64>,
    /// Lines that could not be read.
    skipped: u32,
    /// Not yet taken.
    events: Vec<ChatEvent>,
}

/// How an answer is to be read: what is known of who gives it.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Which texts count as calls.
    pub text_calls: TextCalls,
    /// What may be called.
    pub tools: Arc<[ToolDefinition]>,
    /// What an answer begins with.
    pub opening: Opening,
}

/// Which texts count as calls where an endpoint sends none as calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextCalls {
    /// None.
    #[default]
    Off,
    /// `<tool_call>` and `<function=`.
    Tags,
    /// Fenced JSON too.
    All,
}

/// What an answer begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Opening {
    /// Text, or a tag that opens the thoughts.
    #[default]
    Text,
    /// Thoughts: their opening tag stands in the prompt, only the closing one comes.
    Thoughts,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incomplete {
    /// It stopped without a reason.
    Truncated {
        /// How many lines could not be read.
        skipped: u32,
    },
    /// The endpoint reported an error, given as it came (mostly JSON).
    Failed(String),
    /// The model's window was full.
    WindowFull,
}

/// How an answer says that it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Stop(StopReason),
    WindowFull,
    Failed,
}

impl Accumulator {
    /// An answer that is read in this way.
    #[must_use]
    pub fn new(reading: Reading) -> Self {
        Self { reading, ..Self::default() }
    }

    /// Takes the data of one event, or a whole answer. What cannot be read is counted and passed over.
    pub fn push(&mut self, data: &str) {
        if let Ok(chunk) = serde_json::from_str(data) {
            return self.take(chunk, data);
        }
        let mended = chunk::mend_surrogates(data);
        match serde_json::from_str(&mended) {
            Ok(chunk) => self.take(chunk, &mended),
            Err(error) => {
                tracing::warn!(%error, bytes = data.len(), "a line of the answer cannot be read");
                self.skipped += 1;
            }
        }
    }

    /// The endpoint said that `data` is an error.
    pub fn fail(&mut self, data: &str) {
        if self.ending.is_none() {
            self.failure.get_or_insert_with(|| data.to_owned());
        }
    }

    /// What can be told since the last time: at most one event for each run of text, thoughts or pieces of calls.
    pub fn take_events(&mut self) -> Vec<ChatEvent> {
        std::mem::take(&mut self.events)
    }

    /// Whether the answer has said why it ends; only counts may follow.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ending.is_some()
    }

    /// Whether the endpoint reported an error; nothing of interest can follow.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The body has ended: the last events, and the answer of `model`.
    pub fn finish(mut self, model: &ModelId) -> (Vec<ChatEvent>, Result<Completion, Incomplete>) {
        std::mem::take(&mut self.tags).finish(|kind, text| self.hear(kind, text));
        let mut events = self.take_events();
        let notice = self.notice();
        let completion = self.complete(model);
        // A broken answer is told as broken; that its last line was half a line goes without saying.
        events.extend(notice.filter(|_| completion.is_ok()));
        (events, completion)
    }

    fn complete(self, model: &ModelId) -> Result<Completion, Incomplete> {
        if let Some(failure) = self.failure {
            return Err(Incomplete::Failed(failure));
        }
        let said = match self.ending {
            None => return Err(Incomplete::Truncated { skipped: self.skipped }),
            Some(Ending::Failed) => return Err(Incomplete::Failed(String::new())),
            Some(Ending::WindowFull) => return Err(Incomplete::WindowFull),
            Some(Ending::Stop(_)) if self.refused => StopReason::Refusal,
            Some(Ending::Stop(reason)) => reason,
        };
        let tool_calls = self.calls.finish();
        let mut extra = Map::new();
        if !self.details.is_empty() {
            extra.insert("reasoning_details".to_owned(), Value::Array(self.details));
        }
        let message = AssistantMessage {
            text: self.text,
            stop_reason: agree(said, &tool_calls),
            tool_calls,
            reasoning: self.reasoning,
            extra,
            model: model.clone(),
            usage: self.usage,
        };
        let cut = said == StopReason::MaxTokens;
        Ok(Completion { message, cut, form: CallForm::Native })
    }

    fn take(&mut self, chunk: Chunk<'_>, data: &str) {
        self.note_usage(chunk.usage);
        self.note_usage(chunk.x_groq.and_then(|wrapped| wrapped.usage));
        self.note_failure(chunk.error);
        if chunk.object.text() == "error" {
            self.fail(data);
        }
        for choice in chunk.choices.into_iter().flatten().flatten() {
            let index = choice.index.count().or(self.choice).unwrap_or(0);
            if *self.choice.get_or_insert(index) == index {
                self.take_choice(choice);
            }
        }
    }

    fn take_choice(&mut self, choice: Choice<'_>) {
        self.note_usage(choice.usage);
        self.note_failure(choice.error);
        match (choice.delta, choice.message) {
            (Some(delta), _) => self.take_delta(delta),
            // A whole message behind its own pieces repeats them.
            (None, Some(message)) if self.is_blank() => {
                self.take_delta(message);
                self.ending = Some(Ending::Stop(StopReason::EndTurn));
            }
            (None, _) => {}
        }
        if let Some(ending) = ending(&choice.finish_reason) {
            self.ending = Some(ending);
        }
    }

    fn take_delta(&mut self, delta: Delta<'_>) {
        self.take_reasoning(&delta);
        if let Some(raw) = delta.reasoning_details {
            self.take_details(raw);
        }
        let mut tags = std::mem::take(&mut self.tags);
        tags.push(delta.content.text(), |kind, text| self.hear(kind, text));
        self.tags = tags;
        if !delta.refusal.text().is_empty() {
            self.refused = true;
            self.hear(Kind::Text, delta.refusal.text());
        }
        if let Some(function) = delta.function_call {
            self.take_function(&function, "", None);
        }
        self.take_calls(delta.tool_calls.unwrap_or_default());
    }

    /// The first field that says something: some endpoints send the same thoughts under two names.
    fn take_reasoning(&mut self, delta: &Delta<'_>) {
        let fields = [
            ("reasoning_content", &delta.reasoning_content),
            ("reasoning", &delta.reasoning),
            ("reasoning_text", &delta.reasoning_text),
            ("thinking", &delta.thinking),
        ];
        if let Some((field, thought)) = fields.into_iter().find(|(_, loose)| !loose.text().is_empty()) {
            self.think(field, thought.text());
        }
    }

    /// Opaque blocks, kept in order; the text of one block may come in pieces.
    fn take_details(&mut self, raw: &RawValue) {
        let Ok(blocks) = serde_json::from_str::<Vec<Value>>(raw.get()) else { return };
        for block in blocks {
            let before = self.details.last_mut();
            if !before.is_some_and(|last| continue_block(last, &block)) {
                self.details.push(block);
            }
        }
    }

    fn take_calls(&mut self, pieces: Vec<Option<CallDelta<'_>>>) {
        // Whole calls side by side need no index: their place is one.
        let several = pieces.len() > 1;
        for (place, piece) in (0..).zip(pieces) {
            let Some(piece) = piece else { continue };
            let index = piece.index.count().or(several.then_some(place));
            self.take_function(&piece.function.unwrap_or_default(), piece.id.text(), index);
        }
    }

    fn take_function(&mut self, function: &FunctionDelta<'_>, id: &str, index: Option<u64>) {
        let arguments = function.arguments.map(chunk::arguments).unwrap_or_default();
        if self.events.last() != Some(&ChatEvent::Calling) {
            self.events.push(ChatEvent::Calling);
        }
        self.calls.push(Piece { id, index, name: function.name.text(), arguments: &arguments });
    }

    fn hear(&mut self, kind: Kind, text: &str) {
        match kind {
            Kind::Thought => self.think(PLAIN_REASONING, text),
            Kind::Text if text.is_empty() => {}
            Kind::Text => {
                self.text.push_str(text);
                match self.events.last_mut() {
                    Some(ChatEvent::Text(last)) => last.push_str(text),
                    _ => self.events.push(ChatEvent::Text(text.to_owned())),
                }
            }
        }
    }

    fn think(&mut self, field: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let new = || Reasoning { field: field.to_owned(), text: String::new() };
        self.reasoning.get_or_insert_with(new).text.push_str(text);
        match self.events.last_mut() {
            Some(ChatEvent::Thinking(last)) => last.push_str(text),
            _ => self.events.push(ChatEvent::Thinking(text.to_owned())),
        }
    }

    fn note_usage(&mut self, raw: Option<&RawValue>) {
        self.usage = raw.and_then(chunk::usage).or(self.usage);
    }

    fn note_failure(&mut self, raw: Option<&RawValue>) {
        let said = raw.map(RawValue::get).unwrap_or_default();
        if !matches!(said, "" | "{}" | "\"\"" | "false" | "[]") {
            self.fail(said);
        }
    }

    fn is_blank(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty() && self.reasoning.is_none()
    }

    /// What a user should know of lines that were passed over.
    fn notice(&self) -> Option<ChatEvent> {
        let lines = match self.skipped {
            0 => return None,
            1 => "1 line".to_owned(),
            more => format!("{more} lines"),
        };
        let text = format!("{lines} of the endpoint's answer passed over: not to be read");
        Some(ChatEvent::Notice { kind: NoticeKind::Endpoint, text })
    }
}

/// What a finish reason means; none where it is not yet the end. Whatever nobody has heard of is an end too.
fn ending(reason: &Loose<'_>) -> Option<Ending> {
    let name = match reason {
        Loose::Nothing => return None,
        Loose::Text(name) if name.is_empty() || name == "null" => return None,
        Loose::Text(name) => name.to_ascii_lowercase(),
        Loose::Count(_) | Loose::Odd => String::new(),
    };
    Some(match name.as_str() {
        "stop" | "end" | "eos" | "end_turn" | "stop_sequence" => Ending::Stop(StopReason::EndTurn),
        "tool_calls" | "tool_use" | "function_call" => Ending::Stop(StopReason::ToolUse),
        "length" | "max_tokens" | "max_output_tokens" => Ending::Stop(StopReason::MaxTokens),
        "content_filter" | "refusal" | "safety" | "recitation" | "prohibited_content" => {
            Ending::Stop(StopReason::Refusal)
        }
        "model_context_window_exceeded" => Ending::WindowFull,
        "error" | "network_error" | "insufficient_system_resource" => Ending::Failed,
        unknown => {
            tracing::debug!(unknown, "an unknown finish reason is taken for the end");
            Ending::Stop(StopReason::EndTurn)
        }
    })
}

/// Calls decide whether tools run, not the reason: many endpoints say `stop` behind calls.
fn agree(said: StopReason, calls: &[ToolCall]) -> StopReason {
    match (said, calls.is_empty()) {
        (StopReason::EndTurn, false) => StopReason::ToolUse,
        (StopReason::ToolUse, true) => StopReason::EndTurn,
        (said, _) => said,
    }
}

/// Adds `block` to `last` where it goes on with it: the same type and index, a text or a summary more.
fn continue_block(last: &mut Value, block: &Value) -> bool {
    let (Value::Object(last), Value::Object(block)) = (last, block) else { return false };
    let same = |key: &str| last.get(key).is_some() && last.get(key) == block.get(key);
    if !same("index") || !same("type") {
        return false;
    }
    for (key, value) in block {
        match (key.as_str(), last.get_mut(key), value) {
            ("text" | "summary", Some(Value::String(text)), Value::String(more)) => text.push_str(more),
            (_, _, Value::Null) => {}
            _ => {
                last.insert(key.clone(), value.clone());
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::sse::SseReader;
    use super::*;

    type Outcome = (Vec<ChatEvent>, Result<Completion, Incomplete>);

    fn read(lines: &[&str]) -> Outcome {
        let mut accumulator = Accumulator::default();
        for line in lines {
            accumulator.push(line);
        }
        accumulator.finish(&"m".into())
    }

    fn answer(lines: &[&str]) -> AssistantMessage {
        read(lines).1.unwrap().message
    }

    fn delta(delta: &Value) -> String {
        json!({ "choices": [{ "delta": delta }] }).to_string()
    }

    const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

    #[test]
    fn text_is_joined_and_told_in_one_event() {
        let (events, completion) = read(&[
            r#"{"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"Hel"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"lo"}}]}"#,
            STOP,
            r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}"#,
        ]);
        let message = completion.unwrap().message;
        assert_eq!(events, [ChatEvent::Text("Hello".into())]);
        assert_eq!((message.text.as_str(), message.stop_reason), ("Hello", StopReason::EndTurn));
        assert_eq!(message.usage.unwrap().total_tokens, 5);
    }

    #[test]
    fn of_calls_it_is_told_that_they_come() {
        let piece = |arguments: &str| {
            delta(
                &json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "Read", "arguments": arguments}}]}),
            )
        };
        let mut accumulator = Accumulator::default();
        accumulator.push(&delta(&json!({"content": "x"})));
        accumulator.push(&piece("{\"p\""));
        accumulator.push(&piece(":1"));
        assert_eq!(accumulator.take_events(), [ChatEvent::Text("x".into()), ChatEvent::Calling]);
        accumulator.push(&piece("}"));
        assert_eq!(accumulator.take_events(), [ChatEvent::Calling]);
    }

    #[test]
    fn sloppy_pieces_are_read_all_the_same() {
        #[track_caller]
        fn check(piece: &str) {
            assert_eq!(answer(&[piece, STOP]).text, "x", "{piece}");
        }
        check(r#"{"choices":[{"delta":{"content":"x","role":null,"tool_calls":null}}],"usage":{}}"#);
        check(r#"{"choices":[null,{"index":"0","delta":{"content":"x"},"finish_reason":""}],"error":null}"#);
        check(
            r#"{"choices":[{"delta":{"content":[{"type":"text","text":"x"}]},"logprobs":[1]}],"usage":"none"}"#,
        );
        check(r#"{"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"y"}}]}"#);
        check(r#"{"choices":[{"index":0,"delta":{"content":"x"},"message":{"content":"x"}}],"error":{}}"#);
        check(r#"{"id":5,"object":null,"created":"now","choices":[{"delta":{"content":"x","refusal":7}}]}"#);
    }

    #[test]
    fn a_whole_answer_is_read_like_its_pieces() {
        let message = answer(&[
            r#"{"choices":[{"message":{"content":"x","tool_calls":[{"id":"a","type":"function",
            "function":{"name":"Read","arguments":{"p":1}}}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
        ]);
        assert_eq!((message.text.as_str(), message.stop_reason), ("x", StopReason::ToolUse));
        assert_eq!(message.tool_calls.first().unwrap().arguments, r#"{"p":1}"#);
        let repeated = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#;
        assert_eq!(answer(&[&delta(&json!({"content":"x"})), repeated]).text, "x");
    }

    #[test]
    fn the_reason_for_the_end_is_normalised() {
        #[track_caller]
        fn check(reason: &str, expected: StopReason) {
            let line = format!(r#"{{"choices":[{{"delta":{{"content":"x"}},"finish_reason":{reason}}}]}}"#);
            assert_eq!(answer(&[&line]).stop_reason, expected, "{reason}");
        }
        check(r#""eos""#, StopReason::EndTurn);
        check(r#""STOP""#, StopReason::EndTurn);
        check(r#""never heard of""#, StopReason::EndTurn);
        check("true", StopReason::EndTurn);
        check(r#""tool_calls""#, StopReason::EndTurn);
        check(r#""length""#, StopReason::MaxTokens);
        check(r#""content_filter""#, StopReason::Refusal);
    }

    #[test]
    fn an_answer_without_a_reason_is_no_answer() {
        #[track_caller]
        fn check(lines: &[&str], expected: &Incomplete) {
            assert_eq!(read(lines).1.as_ref(), Err(expected), "{lines:?}");
        }
        let text = r#"{"choices":[{"delta":{"content":"x"},"finish_reason":""}]}"#;
        check(&[], &Incomplete::Truncated { skipped: 0 });
        check(&[text, "{\"choices"], &Incomplete::Truncated { skipped: 1 });
        check(
            &[text, r#"{"error":{"message":"m"}}"#, STOP],
            &Incomplete::Failed(r#"{"message":"m"}"#.into()),
        );
        check(
            &[r#"{"object":"error","message":"m"}"#],
            &Incomplete::Failed(r#"{"object":"error","message":"m"}"#.into()),
        );
        check(&[r#"{"choices":[{"finish_reason":"error"}]}"#], &Incomplete::Failed(String::new()));
        check(
            &[r#"{"choices":[{"finish_reason":"model_context_window_exceeded"}]}"#],
            &Incomplete::WindowFull,
        );
    }

    #[test]
    fn a_line_that_cannot_be_read_is_passed_over_and_told() {
        let (events, completion) = read(&["{oops", r#"{"choices":3}"#, STOP]);
        assert!(completion.is_ok());
        let text = "2 lines of the endpoint's answer passed over: not to be read".to_owned();
        assert_eq!(events, [ChatEvent::Notice { kind: NoticeKind::Endpoint, text }]);
    }

    #[test]
    fn an_error_behind_the_end_does_not_void_the_answer() {
        assert_eq!(answer(&[&delta(&json!({"content":"x"})), STOP, r#"{"error":"late"}"#]).text, "x");
    }

    #[test]
    fn thoughts_are_kept_under_the_name_of_their_field() {
        let message = answer(&[
            &delta(&json!({"reasoning":"a","reasoning_content":""})),
            &delta(&json!({"reasoning":"b","thinking":"b"})),
            STOP,
        ]);
        assert_eq!(message.reasoning, Some(Reasoning { field: "reasoning".into(), text: "ab".into() }));
        let tagged = answer(&[&delta(&json!({"content":"<think>a</think>b"})), STOP]);
        assert_eq!(tagged.text, "b");
        assert_eq!(tagged.reasoning.unwrap().text, "a");
    }

    #[test]
    fn opaque_thoughts_are_kept_block_by_block() {
        let block = |text: &str| delta(&json!({"reasoning_details":[{"type":"t","index":0,"text":text}]}));
        let other = delta(&json!({"reasoning_details":[{"type":"t","index":1,"data":"x"}]}));
        let message = answer(&[&block("a"), &block("b"), &other, STOP]);
        let expected = json!([{"type":"t","index":0,"text":"ab"},{"type":"t","index":1,"data":"x"}]);
        assert_eq!(message.extra.get("reasoning_details"), Some(&expected));
    }

    #[test]
    fn calls_side_by_side_need_neither_id_nor_index() {
        let call = json!({"function":{"name":"Read","arguments":""}});
        let legacy = delta(&json!({"function_call":{"name":"Read","arguments":"{}"}}));
        assert_eq!(answer(&[&delta(&json!({"tool_calls":[call, call]})), STOP]).tool_calls.len(), 2);
        assert_eq!(answer(&[&legacy, STOP]).stop_reason, StopReason::ToolUse);
    }

    #[test]
    fn a_call_that_the_limit_cut_is_marked() {
        let lines = [
            delta(&json!({"tool_calls":[{"id":"a","function":{"name":"Write","arguments":"{\"p"}}]})),
            r#"{"choices":[{"finish_reason":"length"}]}"#.to_owned(),
        ];
        let completion = read(&[&lines[0], &lines[1]]).1.unwrap();
        assert!(completion.cut);
        assert_eq!(completion.message.stop_reason, StopReason::MaxTokens);
    }

    #[test]
    fn a_refusal_is_shown_as_the_text() {
        let message = answer(&[&delta(&json!({"content":null,"refusal":"I cannot"})), STOP]);
        assert_eq!((message.text.as_str(), message.stop_reason), ("I cannot", StopReason::Refusal));
    }

    #[test]
    fn half_a_character_costs_only_itself() {
        let line = r#"{"choices":[{"delta":{"content":"a\ud83db"}}]}"#;
        assert_eq!(answer(&[line, STOP]).text, "a\u{FFFD}b");
    }

    fn read_bytes(parts: &[&[u8]]) -> Outcome {
        let mut accumulator = Accumulator::default();
        let mut reader = SseReader::default();
        for part in parts {
            reader.push(part, |event| accumulator.push(&event.data)).unwrap();
        }
        reader.finish(|event| accumulator.push(&event.data)).unwrap();
        accumulator.finish(&"m".into())
    }

    fn cut<'a>(bytes: &'a [u8], at: &[usize]) -> Vec<&'a [u8]> {
        let mut places: Vec<usize> = at.iter().map(|place| place % (bytes.len() + 1)).collect();
        places.sort_unstable();
        let from = std::iter::once(0).chain(places.iter().copied());
        let to = places.iter().copied().chain(std::iter::once(bytes.len()));
        from.zip(to).map(|(from, to)| &bytes[from..to]).collect()
    }

    /// What a delta of the property below says.
    fn any_delta() -> impl Strategy<Value = Value> {
        prop_oneof![
            "[a-z<>/é😀 \n]{0,5}".prop_map(|text| json!({ "content": text })),
            "[a-zé]{0,4}".prop_map(|text| json!({ "reasoning": text })),
            Just(json!({ "content": "<think>" })),
            Just(json!({ "content": "</think>" })),
            (0..3, "[ab]?", "(Read|Grep)?", "[{}\"a:1]{0,4}").prop_map(|(index, id, name, arguments)| json!({
                "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }]
            })),
        ]
    }

    proptest! {
        #[test]
        fn where_the_body_is_cut_makes_no_difference(
            deltas in proptest::collection::vec(any_delta(), 0..8),
            ends in any::<bool>(),
            cuts in proptest::collection::vec(any::<usize>(), 0..12),
        ) {
            let mut lines: Vec<String> = deltas.iter().map(delta).collect();
            lines.extend(ends.then(|| STOP.to_owned()));
            let body = lines.iter().fold(String::new(), |body, line| body + "data: " + line + "\r\n\r\n");
            let whole = read_bytes(&[body.as_bytes()]);
            prop_assert_eq!(&read_bytes(&cut(body.as_bytes(), &cuts)), &whole);
            prop_assert_eq!(whole.1.is_ok(), ends);
            if let Ok(completion) = whole.1 {
                let mut ids: Vec<_> = completion.message.tool_calls.iter().map(|call| &call.id).collect();
                let count = ids.len();
                ids.sort_unstable();
                ids.dedup();
                prop_assert_eq!(ids.len(), count);
            }
        }

        #[test]
        fn no_line_can_break_it(lines in proptest::collection::vec(".{0,40}", 0..6)) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            prop_assert!(read(&lines).1.is_err());
        }
    }
}
