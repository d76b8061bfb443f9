//! Pieces of an answer become events and, at the end, the answer.
//!
//! Pure: data of events goes in, in order; how the bytes were cut before makes no difference. What a piece may look like
//! is `chunk`'s. The surprising decision: the end of the body proves nothing. An answer is complete only if the
//! endpoint gave a reason for its end or sent `[DONE]`, so that half an answer is never taken for one.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::calls::{Calls, Piece};
use super::chunk::{self, CallDelta, Choice, Chunk, Delta, FunctionDelta};
use super::ending::{Ending, agree, native_ending};
use super::heard::{End, Heard, PLAIN_REASONING};
use super::loose::List;
use super::opaque::Opaque;
use crate::chat::request::models::Ability;
use crate::chat::{ChatEvent, Completion};
use crate::protocol::{AssistantMessage, CallForm, ModelId, NoticeKind, StopReason, ToolSpec, Usage};
use crate::text::units;

/// An answer that grows.
#[derive(Debug, Default)]
pub struct Accumulator {
    opening: Opening,
    heard: Heard,
    opaque: Opaque,
    calls: Calls,
    /// Whether a piece of a call has come that was not told.
    untold_call: bool,
    refused: bool,
    usage: Option<Usage>,
    ending: Option<Ending>,
    /// What the endpoint said went wrong, as it said it.
    failure: Option<String>,
    /// The choice that is read, by its index: the first one, or else the first that comes.
    choice: Option<u64>,
    /// Lines that could not be read.
    skipped: u32,
    /// Characters that could not.
    replaced: u32,
}

/// The name of the field in which thoughts stand as text where their details come too.
const TOLD_REASONING: &str = "reasoning";

/// How an answer is to be read: what is known of who gives it.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Which texts count as calls.
    pub text_calls: TextCalls,
    /// What may be called.
    pub tools: Arc<[ToolSpec]>,
    /// What an answer begins with.
    pub opening: Opening,
    /// Whether the model is known to write thoughts that no tag opens.
    pub thinks: Ability,
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

/// What an answer came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished<E = Incomplete> {
    /// What has not been told yet.
    pub events: Vec<ChatEvent>,
    /// The answer, or why there is none.
    pub completion: Result<Completion, E>,
    /// What the next answer of this model will begin with, by the looks of this one.
    pub opening: Opening,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incomplete {
    /// It stopped without a finish reason and without `[DONE]`.
    Truncated {
        /// How many lines could not be read.
        skipped: u32,
    },
    /// The endpoint reported an error, given as it came (mostly JSON).
    Failed(String),
    /// The model's window was full.
    WindowFull,
}

impl Accumulator {
    /// An answer that is read in this way.
    #[must_use]
    pub fn new(reading: Reading) -> Self {
        Self { opening: reading.opening, heard: Heard::new(reading), ..Self::default() }
    }

    /// Takes the data of one event, or a whole answer. What cannot be read is counted and passed over.
    pub fn push(&mut self, data: &str) {
        if data.starts_with('[') || !self.read(data) {
            self.read_all(data);
        }
    }

    /// So many characters of the body could not be read, and were replaced before it came here.
    pub fn note_replaced(&mut self, count: u32) {
        self.replaced = self.replaced.saturating_add(count);
    }

    /// The endpoint said that `data` is an error.
    pub fn fail(&mut self, data: &str) {
        if self.ending.is_none() {
            self.failure.get_or_insert_with(|| data.to_owned());
        }
    }

    /// The endpoint sent `[DONE]`: an answer that has no finish reason ends normally. Where nothing could be read it is broken.
    pub(in crate::chat) fn end(&mut self) {
        if self.skipped == 0 || !self.is_blank() {
            self.ending.get_or_insert(Ending::Stop(StopReason::EndTurn));
        }
    }

    /// What can be told since the last time: at most one event for each run of text, thoughts or pieces of calls.
    pub fn take_events(&mut self) -> Vec<ChatEvent> {
        let mut events = self.heard.take_events();
        events.extend(std::mem::take(&mut self.untold_call).then_some(ChatEvent::Calling));
        events
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

    /// Whether nothing of an answer has come.
    pub(in crate::chat) fn is_blank(&self) -> bool {
        self.heard.is_blank() && self.calls.is_empty() && self.opaque.bytes() == 0
    }

    /// How many bytes are kept of it, about.
    pub(in crate::chat) fn kept(&self) -> usize {
        self.heard.bytes() + self.calls.bytes() + self.opaque.bytes()
    }

    /// The body has ended: the last events, and the answer of `model`.
    pub fn finish(mut self, model: &ModelId) -> Finished {
        let end = match self.ending {
            Some(Ending::Stop(StopReason::EndTurn | StopReason::ToolUse | StopReason::Refusal)) => {
                End::Reached
            }
            _ => End::CutOff,
        };
        let opening = self.heard.end(end);
        let mut events = self.take_events();
        let (given, skipped) = (self.opening, self.skipped);
        match self.complete(model) {
            Ok((completion, replaced)) => {
                events.extend(notice(skipped, "line", "lines", "skipped"));
                events.extend(notice(replaced, "character", "characters", "replaced"));
                Finished { events, completion: Ok(completion), opening }
            }
            // A broken answer is told as broken; that its last line was half a line goes without saying.
            Err(incomplete) => Finished { events, completion: Err(incomplete), opening: given },
        }
    }

    /// The answer, and how many of its characters were replaced.
    fn complete(self, model: &ModelId) -> Result<(Completion, u32), Incomplete> {
        if let Some(failure) = self.failure {
            return Err(Incomplete::Failed(failure));
        }
        let said = match self.ending {
            None => return Err(Incomplete::Truncated { skipped: self.skipped }),
            Some(Ending::Failed(reason)) => return Err(Incomplete::Failed(reason)),
            Some(Ending::WindowFull) => return Err(Incomplete::WindowFull),
            Some(Ending::Stop(_)) if self.refused => StopReason::Refusal,
            Some(Ending::Stop(reason)) => reason,
        };
        let mut tool_calls = self.calls.finish();
        let replaced = self.replaced.saturating_add(self.heard.replaced());
        let (heard, reasoning) = self.heard.into_said();
        let mut form = CallForm::Native;
        if tool_calls.is_empty() && !heard.calls.is_empty() {
            (tool_calls, form) = (heard.calls, CallForm::Text);
        }
        let message = AssistantMessage {
            text: heard.text,
            stop_reason: agree(said, &tool_calls),
            tool_calls,
            reasoning,
            extra: self.opaque.finish(),
            model: model.clone(),
            usage: self.usage,
        };
        Ok((Completion { message, cut: said == StopReason::MaxTokens, form }, replaced))
    }

    /// Reads `data` where it is one value in good order.
    fn read(&mut self, data: &str) -> bool {
        let chunk = serde_json::from_str(data);
        chunk.is_ok_and(|chunk| {
            self.take(chunk, data);
            true
        })
    }

    /// Reads `data` where it is a list, several values, or one that needs mending.
    fn read_all(&mut self, data: &str) {
        for value in serde_json::Deserializer::from_str(data).into_iter::<&RawValue>() {
            let list =
                value.as_ref().ok().and_then(|raw| serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok());
            let is_read = match (list, value) {
                (Some(list), _) => list.into_iter().all(|raw| self.read_mended(raw.get())),
                (None, Ok(raw)) => self.read_mended(raw.get()),
                (None, Err(_)) => false,
            };
            if !is_read {
                tracing::warn!(bytes = data.len(), "cannot parse a line of the response");
                self.skipped = self.skipped.saturating_add(1);
            }
        }
    }

    fn read_mended(&mut self, json: &str) -> bool {
        if self.read(json) {
            return true;
        }
        let (mended, halves) = chunk::mend_surrogates(json);
        // A field that stands there twice counts as it stands last.
        let once = || serde_json::from_str::<Value>(&mended).map(|value| value.to_string());
        let is_read = (halves > 0 && self.read(&mended)) || once().is_ok_and(|once| self.read(&once));
        if is_read {
            self.note_replaced(halves);
        }
        is_read
    }

    fn take(&mut self, chunk: Chunk<'_>, data: &str) {
        self.note_failure(chunk.error);
        if chunk.is_error() {
            self.fail(data);
        }
        self.note_usage(chunk.usage);
        if let Some(wrapped) = chunk.x_groq.get() {
            self.note_usage(wrapped.usage);
            self.note_failure(wrapped.error);
        }
        let Some(choices) = chunk.choices else { return };
        if self.choice.is_none() && choices.iter().any(|choice| choice.index.count() == Some(0)) {
            self.choice = Some(0);
        }
        for choice in choices.into_items() {
            let index = choice.index.count().or(self.choice).unwrap_or(0);
            if *self.choice.get_or_insert(index) == index {
                self.take_choice(choice);
            }
        }
    }

    fn take_choice(&mut self, choice: Choice<'_>) {
        self.note_usage(choice.usage);
        self.note_failure(choice.error);
        match (choice.delta.into_inner(), choice.message.into_inner()) {
            // A whole message behind its own pieces repeats them.
            (delta, Some(message))
                if self.is_blank() && delta.as_ref().is_none_or(|delta| delta.is_empty()) =>
            {
                self.take_delta(*message);
                if delta.is_none() {
                    self.ending = Some(Ending::Stop(StopReason::EndTurn));
                }
            }
            (Some(delta), _) => self.take_delta(*delta),
            (None, _) => {}
        }
        if let Some(ending) = native_ending(&choice.finish_reason, &choice.native_finish_reason) {
            self.ending = Some(ending);
        }
    }

    fn take_delta(&mut self, delta: Delta<'_>) {
        self.take_reasoning(&delta);
        let thoughts = self.opaque.push(delta.reasoning_details, delta.thinking_blocks);
        if !thoughts.is_empty() {
            self.heard.thoughts(TOLD_REASONING, &thoughts);
        }
        if delta.is_thought() {
            self.heard.marked_thought(&delta.content.text);
        } else {
            self.heard.content(&delta.content.text);
        }
        if !delta.refusal.text().is_empty() {
            self.refused = true;
            self.heard.text(delta.refusal.text());
        }
        // Some send each call in both forms.
        if let Some(function) = delta.function_call.get().filter(|_| delta.tool_calls.is_empty()) {
            self.take_function(function, Piece::default());
        }
        self.take_calls(delta.tool_calls);
    }

    /// The first field that says something: some endpoints send the same thoughts under two names.
    fn take_reasoning(&mut self, delta: &Delta<'_>) {
        let fields = [
            ("reasoning_content", delta.reasoning_content.text()),
            ("reasoning", delta.reasoning.text()),
            ("reasoning_text", delta.reasoning_text.text()),
            ("thinking", delta.thinking.text()),
            (PLAIN_REASONING, &delta.content.thoughts),
        ];
        if let Some((field, thought)) = fields.into_iter().find(|(_, thought)| !thought.is_empty()) {
            self.opaque.is_told();
            self.heard.thoughts(field, thought);
        }
    }

    fn take_calls(&mut self, pieces: List<CallDelta<'_>>) {
        // Whole calls side by side need no index: their place is one.
        let several = pieces.len() > 1;
        for (place, piece) in (0..).zip(pieces.into_items()) {
            let index = piece.index.count().or(several.then_some(place));
            let extra = [piece.extra_content, piece.provider_specific_fields];
            let function = piece.function.into_inner().unwrap_or_default();
            self.take_function(&function, Piece { id: piece.id.text(), index, extra, ..Piece::default() });
        }
    }

    fn take_function(&mut self, function: &FunctionDelta<'_>, piece: Piece<'_>) {
        self.heard.expect_no_calls();
        self.untold_call = true;
        let arguments = function.arguments.map(chunk::arguments).unwrap_or_default();
        self.calls.push(Piece { name: function.name.text(), arguments: &arguments, ..piece });
    }

    fn note_usage(&mut self, raw: Option<&RawValue>) {
        self.usage = raw.and_then(chunk::usage).or(self.usage);
    }

    fn note_failure(&mut self, raw: Option<&RawValue>) {
        if let Some(said) = chunk::failure(raw) {
            self.fail(said);
        }
    }
}

/// What a user should know of what was not read.
fn notice(count: u32, one: &str, many: &str, fate: &str) -> Option<ChatEvent> {
    let what = units::counted(u64::from(count), one, many);
    let text = format!("{what} of the response {fate}: not readable");
    (count > 0).then_some(ChatEvent::Notice { kind: NoticeKind::Endpoint, text })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::sse::SseReader;
    use super::*;
    use crate::protocol::{Reasoning, ToolCall};

    fn read(lines: &[&str]) -> Finished {
        read_as(Reading::default(), lines)
    }

    fn read_as(reading: Reading, lines: &[&str]) -> Finished {
        let mut accumulator = Accumulator::new(reading);
        for line in lines {
            accumulator.push(line);
        }
        accumulator.finish(&"m".into())
    }

    fn answer(lines: &[&str]) -> AssistantMessage {
        read(lines).completion.unwrap().message
    }

    fn delta(delta: &Value) -> String {
        json!({ "choices": [{ "delta": delta }] }).to_string()
    }

    const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

    #[test]
    fn text_is_joined_and_told_in_one_event() {
        let Finished { events, completion, .. } = read(&[
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
        check(r#"{"choices":[{"index":1,"delta":{"content":"y"}},{"index":0,"delta":{"content":"x"}}]}"#);
        check(r#"{"choices":[{"index":1,"delta":{"content":"x"}},{"index":2,"delta":{"content":"y"}}]}"#);
        check(r#"{"choices":{"delta":{"content":"x","tool_calls":7,"function_call":[]},"message":"no"}}"#);
        check(r#"{"choices":[{"delta":{"content":"no","content":"x"}}],"usage":7}"#);
        check(r#"{"choices":[{"delta":{"content":"x"}}]}{"choices":[]}"#);
        check(r#"[{"choices":[{"delta":{"content":"x"}}]}]"#);
        check(r#"{"choices":[{"delta":{},"message":{"content":"x"}}]}"#);
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
    fn an_answer_without_a_reason_is_no_answer() {
        #[track_caller]
        fn check(lines: &[&str], expected: &Incomplete) {
            assert_eq!(read(lines).completion.as_ref(), Err(expected), "{lines:?}");
        }
        let text = r#"{"choices":[{"delta":{"content":"x"},"finish_reason":""}]}"#;
        check(&[], &Incomplete::Truncated { skipped: 0 });
        check(&[text, "{\"choices"], &Incomplete::Truncated { skipped: 1 });
        check(
            &[text, r#"{"error":{"message":"m"}}"#, STOP],
            &Incomplete::Failed(r#"{"message":"m"}"#.into()),
        );
        let wrapped = r#"{"choices":[],"x_groq":{"error":"over capacity"}}"#;
        check(&[text, wrapped], &Incomplete::Failed("\"over capacity\"".into()));
        check(
            &[r#"{"object":"error","message":"m"}"#],
            &Incomplete::Failed(r#"{"object":"error","message":"m"}"#.into()),
        );
        check(&[r#"{"choices":[{"finish_reason":"error"}]}"#], &Incomplete::Failed("\"error\"".into()));
        let malformed =
            r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"MALFORMED_FUNCTION_CALL"}]}"#;
        check(&[malformed], &Incomplete::Failed("\"MALFORMED_FUNCTION_CALL\"".into()));
        check(
            &[r#"{"choices":[{"finish_reason":"model_context_window_exceeded"}]}"#],
            &Incomplete::WindowFull,
        );
    }

    #[test]
    fn a_line_that_cannot_be_read_is_passed_over_and_told() {
        let Finished { events, completion, .. } = read(&["{oops", "3", r#"{"choices":3}"#, STOP]);
        assert!(completion.is_ok());
        let text = "2 lines of the response skipped: not readable".to_owned();
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
    fn thoughts_that_come_as_details_alone_are_told_and_go_back_as_they_came() {
        let details = |index: u32, kind: &str, text: &str| json!({"reasoning_details":[{"type":"reasoning.text","index":index,kind:text}]});
        let alone = [details(0, "text", "a"), details(0, "text", "b"), details(1, "summary", "c")];
        let lines: Vec<String> = alone.iter().map(delta).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).chain([STOP]).collect();
        let message = answer(&lines);
        assert_eq!(message.reasoning, Some(Reasoning { field: "reasoning".into(), text: "abc".into() }));
        assert_eq!(message.extra["reasoning_details"][0]["text"], "ab");
        let mut both = details(0, "text", "a");
        both["reasoning"] = json!("a");
        let secret = json!({"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]});
        let message = answer(&[&delta(&both), &delta(&details(0, "text", "b")), &delta(&secret), STOP]);
        assert_eq!(message.reasoning.unwrap().text, "a", "never twice");
        assert_eq!(answer(&[&delta(&secret), STOP]).reasoning, None);
    }

    #[test]
    fn calls_side_by_side_need_neither_id_nor_index() {
        let call = json!({"function":{"name":"Read","arguments":""}});
        let legacy = delta(&json!({"function_call":{"name":"Read","arguments":"{}"}}));
        let both = json!({"function_call":{"name":"Read","arguments":"{"},
            "tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{"}}]});
        assert_eq!(answer(&[&delta(&both), STOP]).tool_calls, [ToolCall::new("a", "Read", "{")]);
        assert_eq!(answer(&[&delta(&json!({"tool_calls":[call, call]})), STOP]).tool_calls.len(), 2);
        assert_eq!(answer(&[&legacy, STOP]).stop_reason, StopReason::ToolUse);
    }

    #[test]
    fn a_call_that_the_limit_cut_is_marked() {
        let lines = [
            delta(&json!({"tool_calls":[{"id":"a","function":{"name":"Write","arguments":"{\"p"}}]})),
            r#"{"choices":[{"finish_reason":"length"}]}"#.to_owned(),
        ];
        let completion = read(&[&lines[0], &lines[1]]).completion.unwrap();
        assert!(completion.cut);
        assert_eq!(completion.message.stop_reason, StopReason::MaxTokens);
    }

    #[test]
    fn a_refusal_is_shown_as_the_text() {
        let message = answer(&[&delta(&json!({"content":null,"refusal":"I cannot"})), STOP]);
        assert_eq!((message.text.as_str(), message.stop_reason), ("I cannot", StopReason::Refusal));
    }

    #[test]
    fn what_no_text_can_hold_is_replaced_and_told() {
        let line = r#"{"choices":[{"delta":{"reasoning":"\u0000","content":"a\ud83db\u0000c",
            "tool_calls":[{"function":{"name":"Read","arguments":"{\"p\":\"\u0000\\ud83d\udead\"}"}}]}}]}"#;
        let mut accumulator = Accumulator::default();
        accumulator.note_replaced(1);
        accumulator.push(line);
        accumulator.push(STOP);
        let Finished { events, completion, .. } = accumulator.finish(&"m".into());
        let message = completion.unwrap().message;
        assert_eq!(message.text, "a\u{FFFD}b\u{FFFD}c");
        assert_eq!(message.reasoning.unwrap().text, "\u{FFFD}");
        // the last half was replaced with the one in the text: the line could not be read otherwise
        assert_eq!(message.tool_calls[0].arguments, "{\"p\":\"\\u0000\\ud83d\u{FFFD}\"}");
        let text = "5 characters of the response replaced: not readable".to_owned();
        assert_eq!(events.last(), Some(&ChatEvent::Notice { kind: NoticeKind::Endpoint, text }));
    }

    #[test]
    fn usage_is_found_wherever_it_stands() {
        #[track_caller]
        fn check(line: &str) {
            let first = delta(&json!({"content": "x"}));
            let message = answer(&[&first, line, r#"{"choices":[],"usage":null}"#, STOP]);
            assert_eq!(message.usage.unwrap().total_tokens, 5, "{line}");
        }
        check(r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#);
        check(r#"{"choices":[{"delta":{},"usage":{"prompt_tokens":3,"completion_tokens":2}}]}"#);
        check(r#"{"choices":[],"x_groq":{"id":"r","usage":{"prompt_tokens":3,"completion_tokens":2}}}"#);
        check(r#"{"usage":{"prompt_tokens":3,"completion_tokens":2}}"#);
        assert_eq!(answer(&[r#"{"choices":[{"delta":{"content":"x"}}],"usage":"?"}"#, STOP]).usage, None);
    }

    #[test]
    fn content_that_is_marked_as_a_thought_is_one() {
        let mark = json!({"google":{"thought":true}});
        let marked = |text: &str| delta(&json!({"content": text, "extra_content": mark}));
        let text =
            |text: &str| delta(&json!({"content": text, "extra_content": {"google":{"thought":false}}}));
        for lines in [
            [marked("hm"), marked(", hm"), text("yes")],
            [marked("<thought>hm"), marked(", hm"), text("</thought>yes")],
            [marked("<thought>h"), text("m, hm</tho"), text("ught>yes")],
        ] {
            let message = answer(&[&lines[0], &lines[1], &lines[2], STOP]);
            assert_eq!((message.text.as_str(), message.reasoning.unwrap().text.as_str()), ("yes", "hm, hm"));
        }
    }

    #[test]
    fn thoughts_among_the_parts_of_a_content_are_thoughts() {
        let thinking = json!({"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]});
        let text = json!({"content":[{"type":"text","text":"b"}]});
        let message = answer(&[&delta(&thinking), &delta(&text), &delta(&json!({"content":"c"})), STOP]);
        assert_eq!((message.text.as_str(), message.reasoning.unwrap().text.as_str()), ("bc", "a"));
    }

    #[test]
    fn the_signature_of_a_call_stays_with_it() {
        let call = json!({"index":0,"id":"a","type":"function","function":{"name":"Read","arguments":"{}"},
            "extra_content":{"google":{"thought_signature":"s"}},"unknown":1});
        let message = answer(&[&delta(&json!({"tool_calls":[call]})), STOP]);
        let extra = Value::Object(message.tool_calls[0].extra.clone());
        assert_eq!(extra, json!({"extra_content":{"google":{"thought_signature":"s"}}}));
    }

    #[test]
    fn what_begins_inside_of_thoughts_is_told_for_the_next_time() {
        #[track_caller]
        fn check(given: Opening, lines: &[&str], thoughts: &str, text: &str, next: Opening) {
            let reading = Reading { opening: given, thinks: Ability::Yes, ..Reading::default() };
            let Finished { completion, opening, .. } = read_as(reading, lines);
            let message = completion.unwrap().message;
            let reasoning = message.reasoning.map(|reasoning| reasoning.text).unwrap_or_default();
            assert_eq!(
                (reasoning.as_str(), message.text.as_str(), opening),
                (thoughts, text, next),
                "{lines:?}"
            );
        }
        let content = |text: &str| delta(&json!({"content": text}));
        let length = r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#;
        let (text, thoughts) = (Opening::Text, Opening::Thoughts);
        check(text, &[&content("hm\n</thi"), &content("nk>\n\nyes"), STOP], "hm\n", "yes", thoughts);
        check(thoughts, &[&content("hm</think>yes"), STOP], "hm", "yes", thoughts);
        check(thoughts, &[&content("yes"), STOP], "", "yes", text);
        check(thoughts, &[&content("hm"), length], "hm", "", thoughts);
        check(thoughts, &[&content("<think>hm</think>yes"), STOP], "hm", "yes", text);
        check(thoughts, &[&delta(&json!({"reasoning":"hm"})), &content("yes"), STOP], "hm", "yes", text);
        check(text, &[&content("<think></think>a\n</think>\nb"), STOP], "", "a\n</think>\nb", text);
        let native = delta(&json!({"reasoning":"hm","content":"a\n</think>\nb"}));
        check(text, &[&native, STOP], "hm", "a\n</think>\nb", text);
        check(text, &[&content("</think>\nyes"), STOP], "", "yes", text);
        assert_eq!(
            read_as(Reading { opening: thoughts, ..Reading::default() }, &[&content("hm")]).opening,
            thoughts
        );
    }

    #[test]
    fn text_that_was_taken_for_a_thought_is_told_as_text() {
        let mut accumulator = Accumulator::new(Reading { opening: Opening::Thoughts, ..Reading::default() });
        accumulator.push(&delta(&json!({"content":"ye"})));
        assert_eq!(accumulator.take_events(), [ChatEvent::Thinking("ye".into())]);
        accumulator.push(&delta(&json!({"content":"s"})));
        accumulator.push(STOP);
        assert_eq!(accumulator.finish(&"m".into()).events, [ChatEvent::Text("yes".into())]);
    }

    #[test]
    fn text_that_has_not_been_told_may_still_become_a_thought() {
        let mut accumulator = Accumulator::new(Reading { thinks: Ability::Yes, ..Reading::default() });
        accumulator.push(&delta(&json!({"content":"h"})));
        assert_eq!(accumulator.take_events(), [ChatEvent::Text("h".into())]);
        accumulator.push(&delta(&json!({"content":"m.\n</think>\n\nyes"})));
        let events = [ChatEvent::Thinking("m.\n".into()), ChatEvent::Text("yes".into())];
        assert_eq!(accumulator.take_events(), events);
    }

    fn reading(text_calls: TextCalls, opening: Opening) -> Reading {
        let parameters = json!({"type":"object","properties":{"p":{"type":"string"}},"required":["p"]});
        let tool = ToolSpec::new("Read", "", parameters);
        Reading { text_calls, tools: Arc::new([tool]), opening, thinks: Ability::Yes }
    }

    const CALL: &str = "<tool_call>\n{\"name\":\"Read\",\"arguments\":{\"p\":\"a\"}}\n</tool_call>";

    #[test]
    fn a_call_in_the_text_is_a_call_where_no_other_comes() {
        let text = delta(&json!({"content": format!("So:\n{CALL}\n")}));
        let tags = || reading(TextCalls::Tags, Opening::Text);
        let Finished { events, completion, .. } = read_as(tags(), &[&text, STOP]);
        let Completion { message, form, .. } = completion.unwrap();
        assert_eq!(events, [ChatEvent::Text("So:".into())]);
        assert_eq!(
            (message.text.as_str(), message.stop_reason, form),
            ("So:", StopReason::ToolUse, CallForm::Text)
        );
        assert_eq!(message.tool_calls, [ToolCall::new("text_call_1", "Read", r#"{"p":"a"}"#)]);
        let native = delta(&json!({"tool_calls":[{"id":"a","function":{"name":"Read","arguments":"{}"}}]}));
        for lines in [[&*text, &native, STOP], [&native, &text, STOP]] {
            let Finished { events, completion, .. } = read_as(tags(), &lines);
            let Completion { message, form, .. } = completion.unwrap();
            assert_eq!((message.text, form), (format!("So:\n{CALL}\n"), CallForm::Native));
            assert_eq!(message.tool_calls, [ToolCall::new("a", "Read", "{}")]);
            assert_eq!(events, [ChatEvent::Text(format!("So:\n{CALL}\n")), ChatEvent::Calling]);
        }
        let off = read_as(reading(TextCalls::Off, Opening::Text), &[&text, STOP]).completion.unwrap();
        assert_eq!((off.message.text, off.form), (format!("So:\n{CALL}\n"), CallForm::Native));
    }

    #[test]
    fn a_call_among_thoughts_is_none() {
        let tags = |opening| reading(TextCalls::Tags, opening);
        let lone = delta(&json!({"content": format!("{CALL}\n</think>\n\nyes")}));
        for opening in [Opening::Text, Opening::Thoughts] {
            let message = read_as(tags(opening), &[&lone, STOP]).completion.unwrap().message;
            assert_eq!((message.text.as_str(), message.tool_calls.len()), ("yes", 0));
            assert_eq!(message.reasoning.unwrap().text, format!("{CALL}\n"));
        }
        let forgotten = delta(&json!({"content": format!("So:\n\n{CALL}")}));
        let message = read_as(tags(Opening::Thoughts), &[&forgotten, STOP]).completion.unwrap().message;
        assert_eq!((message.text.as_str(), message.tool_calls.len()), ("So:", 1));
    }

    fn read_bytes(reading: Reading, parts: &[&[u8]]) -> Finished {
        let mut accumulator = Accumulator::new(reading);
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

    /// What a delta of the properties below says.
    fn any_delta() -> impl Strategy<Value = Value> {
        let word = prop_oneof![
            "[a-z<>/é😀 \n.]{0,5}",
            Just("<think>".to_owned()),
            Just("</think>".to_owned()),
            Just("\n</think>\n".to_owned()),
            Just(CALL.to_owned()),
            Just("\n<tool_call>".to_owned()),
            Just("{\"name\":\"Read\",\"arguments\":{\"p\":\"</tool_call>\"}}".to_owned()),
            Just("</tool_call>\n".to_owned()),
            Just("\n<function=Read>".to_owned()),
            Just("<parameter=p>\na\n</parameter>\n".to_owned()),
            Just("</function>".to_owned()),
            Just("\n```json\n".to_owned()),
            Just("\n```\n".to_owned()),
        ];
        prop_oneof![
            8 => word.prop_map(|text| json!({ "content": text })),
            1 => "[a-zé]{0,4}".prop_map(|text| json!({ "reasoning": text })),
            1 => (0..3, "[ab]?", "(Read|Grep)?", "[{}\"a:1]{0,4}").prop_map(|(index, id, name, arguments)| json!({
                "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }]
            })),
        ]
    }

    fn any_reading() -> impl Strategy<Value = Reading> {
        let calls = prop_oneof![Just(TextCalls::Off), Just(TextCalls::Tags), Just(TextCalls::All)];
        let opening = prop_oneof![3 => Just(Opening::Text), 1 => Just(Opening::Thoughts)];
        (calls, opening).prop_map(|(calls, opening)| reading(calls, opening))
    }

    /// All text of the answer, and its calls.
    fn sum(finished: &Finished) -> String {
        let events = finished.events.iter().map(|event| format!("{event:?}"));
        format!("{:?} {:?} {:?}", events.collect::<Vec<_>>(), finished.completion, finished.opening)
    }

    proptest! {
        #[test]
        fn where_the_body_is_cut_makes_no_difference(
            deltas in proptest::collection::vec(any_delta(), 0..10),
            reading in any_reading(),
            ends in any::<bool>(),
            cuts in proptest::collection::vec(any::<usize>(), 0..12),
        ) {
            let mut lines: Vec<String> = deltas.iter().map(delta).collect();
            lines.extend(ends.then(|| STOP.to_owned()));
            let body = lines.iter().fold(String::new(), |body, line| body + "data: " + line + "\r\n\r\n");
            let whole = read_bytes(reading.clone(), &[body.as_bytes()]);
            prop_assert_eq!(&read_bytes(reading, &cut(body.as_bytes(), &cuts)), &whole);
            prop_assert_eq!(whole.completion.is_ok(), ends);
            if let Ok(completion) = whole.completion {
                let mut ids: Vec<_> = completion.message.tool_calls.iter().map(|call| &call.id).collect();
                let count = ids.len();
                ids.sort_unstable();
                ids.dedup();
                prop_assert_eq!(ids.len(), count);
            }
        }

        #[test]
        fn where_the_text_is_cut_makes_no_difference(
            deltas in proptest::collection::vec(any_delta(), 0..10),
            reading in any_reading(),
        ) {
            let texts = deltas.iter().filter_map(|delta| delta.get("content")?.as_str());
            let text: String = texts.collect();
            let letters = text.chars().map(|letter| delta(&json!({ "content": letter.to_string() })));
            let letters: Vec<String> = letters.chain([STOP.to_owned()]).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            let whole = read_as(reading.clone(), &[&delta(&json!({ "content": text })), STOP]);
            prop_assert_eq!(sum(&read_as(reading, &letters)), sum(&whole), "{:?}", text);
        }

        #[test]
        fn what_is_told_as_it_comes_is_what_is_told_at_the_end(
            deltas in proptest::collection::vec(any_delta(), 0..10),
            reading in any_reading(),
        ) {
            let texts = deltas.iter().filter_map(|delta| delta.get("content")?.as_str());
            let mut accumulator = Accumulator::new(reading);
            let mut told = String::new();
            for text in texts {
                accumulator.push(&delta(&json!({ "content": text })));
                told.extend(accumulator.take_events().iter().filter_map(text_of));
            }
            accumulator.push(STOP);
            let Finished { events, completion, opening } = accumulator.finish(&"m".into());
            told.extend(events.iter().filter_map(text_of));
            let message = completion.unwrap().message;
            // What was told before it turned out to be a thought cannot be taken back.
            let untrue = told.strip_suffix(&message.text);
            let is_thought = |text: &str| text.trim().is_empty() || opening == Opening::Thoughts;
            prop_assert!(untrue.is_some_and(is_thought), "{:?} {:?}", told, message.text);
        }

        #[test]
        fn no_line_can_break_it(lines in proptest::collection::vec(".{0,40}", 0..6)) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            prop_assert!(read(&lines).completion.is_err());
        }
    }

    fn text_of(event: &ChatEvent) -> Option<&str> {
        if let ChatEvent::Text(text) = event { Some(text) } else { None }
    }
}
