//! The body of an answer, whatever it turns out to be.
//!
//! Most are a stream of events, some are JSON (one answer, or a chunk on each line), a few are a web page; the first
//! character tells, for the content type often lies. Pure: bytes in, events and an answer out. The surprising decision: a body
//! has an end of its own, before the connection's, so that an endpoint which never hangs up keeps nobody waiting.

use super::accumulate::{Accumulator, Finished, Incomplete, Reading};
use super::sse::{EventTooLong, MAX_EVENT_BYTES, SseEvent, SseReader, lossy};
use super::values::JsonValues;
use crate::chat::request::memory::Arrival;
use crate::chat::{ChatEvent, Completion};
use crate::protocol::ModelId;

/// So many bytes of an answer are kept: a shelf of books.
pub(in crate::chat) const MAX_KEPT_BYTES: usize = 64 * 1024 * 1024;

/// So many bytes an answer may take on its way: a letter alone in its event takes two hundred, and signs of life take some.
pub(in crate::chat) const MAX_BODY_BYTES: usize = 1024 * 1024 * 1024;

/// So much of a body that is no answer is kept, to say what it is.
const MAX_ODD_BYTES: usize = 64 * 1024;

/// Of one of mere words a few sentences are.
const MAX_PLAIN_BYTES: usize = 2048;

/// The data that ends a stream.
const DONE: &str = "[DONE]";

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A body that arrives.
#[derive(Debug, Default)]
pub(in crate::chat) struct Body {
    accumulator: Accumulator,
    form: Form,
    bytes: usize,
    start: Start,
    done: bool,
    /// The first JSON value, where it is nothing of an answer.
    odd: Option<String>,
    /// Its beginning, while it may turn out to be mere words.
    plain: Vec<u8>,
}

/// Whether the answer has begun: signs of life do not count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Start {
    #[default]
    Awaited,
    Come,
    /// Come, and told.
    Told,
}

#[derive(Debug)]
enum Form {
    /// Nothing but space has come, or half a mark.
    Unknown(Vec<u8>),
    Events(SseReader),
    /// JSON values, mostly a single one.
    Json(JsonValues),
    /// A web page: its beginning is kept for the title.
    Page(Vec<u8>),
}

/// How far a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Progress {
    /// Nothing has come.
    Empty,
    /// Something has, and more must.
    Open,
    /// The answer is complete; counts may follow.
    Complete,
    /// Nothing of interest can follow.
    Done,
}

/// Why a body is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::chat) enum Fault {
    /// It has no byte.
    Empty,
    /// It is too large, or one of its events is.
    TooLarge(String),
    /// It is a web page.
    Page(String),
    /// It is JSON, but nobody's answer.
    Odd(String),
    /// It is mere words.
    Plain(String),
    /// It is the beginning of an answer, or an error.
    Incomplete(Incomplete),
}

impl Body {
    /// A body whose answer is read in this way.
    pub(in crate::chat) fn new(reading: Reading) -> Self {
        Self { accumulator: Accumulator::new(reading), ..Self::default() }
    }

    /// Takes the next bytes.
    pub(in crate::chat) fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.bytes += bytes.len();
        if self.bytes > MAX_BODY_BYTES {
            return Err(too_large(&format!("exceeds {} GB of transferred data", MAX_BODY_BYTES >> 30)));
        }
        let mut form = std::mem::take(&mut self.form);
        if let Form::Unknown(head) = &mut form {
            head.extend_from_slice(bytes);
            let head = std::mem::take(head);
            let begun = beginning(&head);
            form = Form::of(begun);
            self.read(&mut form, begun)?;
        } else {
            self.read(&mut form, bytes)?;
        }
        self.form = form;
        if self.accumulator.kept() > MAX_KEPT_BYTES {
            return Err(too_large(&format!("is larger than {} MB", MAX_KEPT_BYTES >> 20)));
        }
        Ok(())
    }

    /// What can be told since the last time.
    pub(in crate::chat) fn take_events(&mut self) -> Vec<ChatEvent> {
        let events = self.accumulator.take_events();
        match self.start {
            Start::Awaited | Start::Told => events,
            Start::Come => {
                self.start = Start::Told;
                begin(events)
            }
        }
    }

    /// Whether more has come than signs of life.
    pub(in crate::chat) fn has_begun(&self) -> bool {
        self.start != Start::Awaited
    }

    /// How it comes; none while that is open, or where it is a web page.
    pub(in crate::chat) fn arrival(&self) -> Option<Arrival> {
        match self.form {
            Form::Events(_) => Some(Arrival::Streamed),
            Form::Json(_) => Some(Arrival::Whole),
            Form::Unknown(_) | Form::Page(_) => None,
        }
    }

    /// How far it is.
    pub(in crate::chat) fn progress(&self) -> Progress {
        match self.bytes {
            0 => Progress::Empty,
            _ if self.done || self.accumulator.has_failed() => Progress::Done,
            _ if self.accumulator.has_ended() => Progress::Complete,
            _ => Progress::Open,
        }
    }

    /// It has ended: what it came to, as an answer of `model`.
    pub(in crate::chat) fn finish(mut self, model: &ModelId) -> Finished<Fault> {
        let last = match std::mem::take(&mut self.form) {
            Form::Unknown(_) if self.bytes == 0 => Err(Fault::Empty),
            Form::Unknown(_) => Ok(()),
            Form::Page(page) => Err(Fault::Page(lossy(&page).0.into_owned())),
            Form::Events(reader) => reader.finish(|event| self.take(&event)).map_err(Fault::from),
            Form::Json(values) => {
                let rest = values.finish();
                if !rest.is_empty() {
                    self.take_value(&rest);
                }
                Ok(())
            }
        };
        let Self { accumulator, start, odd, plain, .. } = self;
        let Finished { mut events, completion, opening } = accumulator.finish(model);
        if let Err(fault) = last {
            return Finished { events: Vec::new(), completion: Err(fault), opening };
        }
        if start != Start::Told && !events.is_empty() {
            events = begin(events);
        }
        let completion: Result<Completion, Fault> =
            completion.map_err(|incomplete| match (incomplete, odd) {
                (Incomplete::Truncated { skipped: 0 }, Some(json)) => Fault::Odd(json),
                (Incomplete::Truncated { skipped: 0 }, None)
                    if start == Start::Awaited && is_words(&plain) =>
                {
                    Fault::Plain(lossy(&plain).0.into_owned())
                }
                (incomplete, _) => Fault::Incomplete(incomplete),
            });
        Finished { events, completion, opening }
    }

    fn read(&mut self, form: &mut Form, bytes: &[u8]) -> Result<(), Fault> {
        match form {
            Form::Unknown(_) => {}
            Form::Events(reader) => {
                if self.start == Start::Awaited {
                    let room = MAX_PLAIN_BYTES.saturating_sub(self.plain.len());
                    self.plain.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
                }
                reader.push(bytes, |event| self.take(&event))?;
            }
            Form::Json(values) => {
                values.push(bytes, |value| self.take_value(value));
                if values.held() > MAX_EVENT_BYTES {
                    return Err(EventTooLong.into());
                }
            }
            Form::Page(page) => {
                let room = MAX_ODD_BYTES.saturating_sub(page.len());
                page.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
            }
        }
        Ok(())
    }

    fn take_value(&mut self, value: &[u8]) {
        let (data, replaced) = lossy(value);
        let is_first = self.start == Start::Awaited;
        self.take(&SseEvent { name: "".into(), data, replaced });
        if is_first && self.accumulator.is_blank() {
            let beginning = value.get(..MAX_ODD_BYTES).unwrap_or(value);
            self.odd = Some(lossy(beginning).0.into_owned());
        }
    }

    fn take(&mut self, event: &SseEvent<'_>) {
        if self.start == Start::Awaited {
            self.start = Start::Come;
        }
        if self.done {
            return;
        }
        match event.data.trim() {
            "" => {}
            DONE => {
                self.done = true;
                self.accumulator.end();
            }
            data => {
                self.accumulator.note_replaced(event.replaced);
                self.accumulator.push(data);
            }
        }
        if event.name == "error" && !self.done {
            self.accumulator.fail(&event.data);
        }
    }
}

impl Form {
    /// By the first character.
    fn of(begun: &[u8]) -> Self {
        match begun {
            _ if BYTE_ORDER_MARK.starts_with(begun) => Self::Unknown(begun.to_vec()),
            [b'{' | b'[', ..] => Self::Json(JsonValues::default()),
            [b'<', ..] => Self::Page(Vec::new()),
            _ => Self::Events(SseReader::default()),
        }
    }
}

impl Default for Form {
    fn default() -> Self {
        Self::Unknown(Vec::new())
    }
}

/// `head` without the space and the marks that it begins with.
fn beginning(head: &[u8]) -> &[u8] {
    let mut begun = head.trim_ascii_start();
    while let Some(rest) = begun.strip_prefix(BYTE_ORDER_MARK) {
        begun = rest.trim_ascii_start();
    }
    begun
}

/// Whether a body of which nothing was an event is one of words: none of its lines is a sign of life or an event's.
fn is_words(body: &[u8]) -> bool {
    let fields: [&[u8]; 5] = [b"", b"data", b"event", b"id", b"retry"];
    let is_field = |line: &[u8]| {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts.next().unwrap_or_default();
        parts.next().is_some() && fields.contains(&name)
    };
    !body.trim_ascii().is_empty() && !body.split(|byte| matches!(byte, b'\r' | b'\n')).any(is_field)
}

fn begin(events: Vec<ChatEvent>) -> Vec<ChatEvent> {
    std::iter::once(ChatEvent::Answering).chain(events).collect()
}

fn too_large(why: &str) -> Fault {
    let (kept, sent) = (MAX_KEPT_BYTES >> 20, MAX_BODY_BYTES >> 30);
    Fault::TooLarge(format!("the response {why} (limits: {kept} MB of content, {sent} GB transferred)"))
}

impl From<EventTooLong> for Fault {
    fn from(fault: EventTooLong) -> Self {
        Self::TooLarge(fault.to_string())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STOP: &str = r#"data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#;

    fn body(parts: &[&str]) -> Body {
        let mut body = Body::default();
        for part in parts {
            body.push(part.as_bytes()).unwrap();
        }
        body
    }

    #[track_caller]
    fn check(parts: &[&str], expected: Result<&str, Fault>) {
        let completion = body(parts).finish(&"m".into()).completion;
        let text = completion.map(|completion| completion.message.text);
        assert_eq!(text, expected.map(str::to_owned), "{parts:?}");
    }

    #[test]
    fn the_first_character_tells_what_it_is() {
        let whole = r#"{"choices":[{"message":{"content":"x"}}]}"#;
        check(&["\n", STOP, "\n\n"], Ok("x"));
        check(&[": hello\n\n", STOP], Ok("x"));
        check(&["\u{FEFF}", whole], Ok("x"));
        check(&["\u{FEFF}{\"choices\"", ":[{\"message\":{\"content\":\"x\"}}]}"], Ok("x"));
        check(&["<html>"], Err(Fault::Page("<html>".into())));
        check(&["{\"ok\":true}"], Err(Fault::Odd("{\"ok\":true}".into())));
        let nothing_wrong = "{\"success\":true,\"errors\":[],\"message\":\"m\",\"code\":0}";
        check(&[nothing_wrong], Err(Fault::Odd(nothing_wrong.into())));
        check(&["{\"error\":\"no\"}"], Err(Fault::Incomplete(Incomplete::Failed("\"no\"".into()))));
        check(&["{\"choices\":"], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 1 })));
        check(&[], Err(Fault::Empty));
        check(&["\n"], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 0 })));
        check(&["o", "k, reset reason: none"], Err(Fault::Plain("ok, reset reason: none".into())));
        check(&[": alive\n\n"], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 0 })));
        check(&["id: 7\nevent: x\n"], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 0 })));
    }

    #[test]
    fn an_event_named_error_is_one() {
        let expected = Fault::Incomplete(Incomplete::Failed("{\"message\":\"m\"}".into()));
        check(&["event: error\ndata: {\"message\":\"m\"}\n\n"], Err(expected));
    }

    #[test]
    fn the_first_event_says_that_it_has_begun() {
        let (text, begun) = (ChatEvent::Text("x".into()), ChatEvent::Answering);
        let mut body = body(&[": wait\n\n"]);
        assert_eq!((body.take_events(), body.has_begun()), (vec![], false));
        body.push(b"data: {\"choices\":[]}\n\n").unwrap();
        assert_eq!((body.take_events(), body.has_begun()), (vec![begun.clone()], true));
        body.push(format!("{STOP}\n\n").as_bytes()).unwrap();
        assert_eq!(body.take_events(), std::slice::from_ref(&text));
        let mut whole = Body::default();
        whole.push(br#"{"choices":[{"message":{"content":"x"}}]}"#).unwrap();
        assert_eq!(whole.take_events(), [begun, text]);
    }

    #[test]
    fn it_knows_how_far_it_is() {
        assert_eq!(body(&[]).progress(), Progress::Empty);
        assert_eq!(body(&[": wait\n\n"]).progress(), Progress::Open);
        assert_eq!(body(&[STOP, "\n\n"]).progress(), Progress::Complete);
        assert_eq!(body(&[STOP, "\n\ndata: [DONE] \n\n"]).progress(), Progress::Done);
        assert_eq!(body(&["data: {\"error\":\"no\"}\n\n"]).progress(), Progress::Done);
    }

    #[test]
    fn done_ends_an_answer_without_a_finish_reason() {
        let half = r#"data: {"choices":[{"delta":{"content":"x"},"finish_reason":null}]}"#;
        let cut = Fault::Incomplete(Incomplete::Truncated { skipped: 0 });
        check(&[half, "\n\ndata: [DONE]\n\n"], Ok("x"));
        check(&["data: [DONE]\n\n"], Ok(""));
        check(&[half, "\n\n"], Err(cut));
        let unread = Fault::Incomplete(Incomplete::Truncated { skipped: 1 });
        check(&["data: {\"choi\n\ndata: [DONE]\n\n"], Err(unread));
        let error = "{\"error\":\"no\"}\n\ndata: [DONE]\n\n";
        let failed = Fault::Incomplete(Incomplete::Failed("\"no\"".into()));
        check(&[half, "\n\ndata: ", error], Err(failed));
    }

    #[test]
    fn what_comes_behind_the_end_is_not_read() {
        check(&[STOP, "\n\ndata: [DONE]\n\n", STOP, "\n\ndata: {\"error\":\"late\"}\n\n"], Ok("x"));
    }

    #[test]
    fn json_may_come_line_by_line() {
        let line = r#"{"choices":[{"delta":{"content":"x"}}]}"#;
        let stop = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
        check(&[line, "\n", line, "\n", stop, "\n[DONE]\n", line], Ok("xx"));
        check(&[line, stop], Ok("x"));
        check(&["[", line, ",\n", stop, "]"], Ok("x"));
        check(&["data: ", line, "\n", stop, "\n\n"], Ok("x"));
        check(&[line, "\n{\"cho"], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 1 })));
    }

    #[test]
    fn an_error_is_found_in_whatever_form_it_comes() {
        #[track_caller]
        fn fails(body: &str, said: &str) {
            check(&[body], Err(Fault::Incomplete(Incomplete::Failed(said.into()))));
            let begun = r#"data: {"choices":[{"delta":{"content":"x"}}]}"#;
            let behind = format!("{begun}\n\ndata: {body}\n\ndata: [DONE]\n\n");
            check(&[&behind], Err(Fault::Incomplete(Incomplete::Failed(said.into()))));
            let bare = format!("{begun}\n\n{body}\n");
            check(&[&bare], Err(Fault::Incomplete(Incomplete::Failed(said.into()))));
        }
        fails(r#"{"error":{"message":"m"}}"#, r#"{"message":"m"}"#);
        fails(r#"{"error":"m"}"#, r#""m""#);
        fails(r#"[{"error":{"code":400}}]"#, r#"{"code":400}"#);
        fails(r#"{"choices":[{"delta":{},"error":{"code":502}}]}"#, r#"{"code":502}"#);
        for whole in [
            r#"{"object":"error","message":"m"}"#,
            r#"{"type":"error","message":"m"}"#,
            r#"{"detail":"m"}"#,
            r#"{"errors":[{"message":"m"}]}"#,
            r#"{"code":"Throttling","message":"m","request_id":"r"}"#,
        ] {
            fails(whole, whole);
        }
        let line = "error: {\"code\":400}\n\ndata: [DONE]\n\n";
        check(&[line], Err(Fault::Incomplete(Incomplete::Failed("{\"code\":400}".into()))));
    }

    #[test]
    fn half_a_mark_decides_nothing() {
        check(&["\u{FEFF}", "data: {}", "\n\n", STOP], Ok("x"));
        let mut body = Body::default();
        for byte in "\u{FEFF}{\"choices\":[{\"message\":{\"content\":\"x\"}}]}".as_bytes() {
            body.push(&[*byte]).unwrap();
        }
        assert_eq!(body.finish(&"m".into()).completion.unwrap().message.text, "x");
    }

    #[test]
    fn an_answer_that_is_too_large_is_refused_with_both_limits() {
        let delta =
            |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
        let block = delta(&"x".repeat(1024 * 1024));
        let mut body = Body::default();
        let taken = (0..=64).take_while(|_| body.push(block.as_bytes()).is_ok()).count();
        assert_eq!(taken, 64);
        let Err(Fault::TooLarge(message)) = body.push(block.as_bytes()) else { panic!("it was taken") };
        assert!(message.contains("64 MB") && message.contains("1 GB"), "{message}");
    }

    #[test]
    fn a_value_that_never_ends_is_refused() {
        let mut body = body(&["{\"a\":\""]);
        let block = [b'x'; 16 * 1024];
        let taken = (0..=512).take_while(|_| body.push(&block).is_ok()).count();
        assert_eq!(taken, 511);
    }

    #[test]
    fn signs_of_life_may_take_more_than_an_answer() {
        let block = format!(": {}\n", "x".repeat(1024 * 1024 - 3));
        let mut body = Body::default();
        let taken = (0..=1024).take_while(|_| body.push(block.as_bytes()).is_ok()).count();
        assert_eq!(taken, 1024);
    }

    /// A piece of a body, as servers and worse write it.
    fn any_piece() -> impl Strategy<Value = Vec<u8>> {
        let known = [
            "data: {\"choices\":[{\"delta\":{\"content\":\"é<think>\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"reasoning\":\"\\ud83d\"}}]}\r\n\r\n",
            "{\"choices\":[{\"delta\":{\"content\":\"\\u0000}\"}}]}\n",
            "{\n  \"choices\": [ {\"message\": {\"content\": \"x\"}} ]\n}\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
            "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n",
            "data: {\"error\":{\"message\":\"m\"}}\n\n",
            "{\"detail\":\"m\"}\n",
            "error: {\"code\":400}\n\n",
            "event: error\ndata: m\n\n",
            "data: [DONE]\n\n",
            "data: {\"choices\"",
            ": wait\n\n",
            "[",
            "\r\n",
            "\u{FEFF}",
            "<html>",
        ];
        prop_oneof![
            6 => proptest::sample::select(known.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
            1 => proptest::collection::vec(any::<u8>(), 0..6),
        ]
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_alike_however_it_is_cut(
            pieces in proptest::collection::vec(any_piece(), 0..8),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let bytes = pieces.concat();
            let read = |parts: &[&[u8]]| {
                let mut body = Body::default();
                for part in parts {
                    body.push(part).unwrap();
                }
                (body.progress(), body.has_begun(), body.finish(&"m".into()))
            };
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.sort_unstable();
            let ends = cuts.iter().copied().chain([bytes.len()]);
            let parts: Vec<&[u8]> = [0].into_iter().chain(cuts.iter().copied()).zip(ends)
                .map(|(from, to)| &bytes[from..to])
                .collect();
            let whole = read(&[&bytes]);
            prop_assert_eq!(&read(&parts), &whole);
            let letters: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(&read(&letters), &whole);
        }
    }
}
