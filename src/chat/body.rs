//! The body of an answer, whatever it turns out to be.
//!
//! Most are a stream of events, some are one JSON object, a few are a web page; the first character tells, for the
//! content type often lies. Pure: bytes in, events and an answer out. The surprising decision: a body has an end of its
//! own, before the connection's, so that an endpoint which never hangs up keeps nobody waiting.

use super::accumulate::{Accumulator, Incomplete, Reading};
use super::memory::Arrival;
use super::sse::{EventTooLong, SseReader};
use super::{ChatEvent, Completion};
use crate::protocol::ModelId;

/// An answer may have this many bytes: as event streams carry ten bytes for one of text, that is a book.
pub(super) const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// The data that ends a stream.
const DONE: &str = "[DONE]";

/// A body that arrives.
#[derive(Debug, Default)]
pub(super) struct Body {
    accumulator: Accumulator,
    form: Form,
    bytes: usize,
    start: Start,
    done: bool,
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

#[derive(Debug, Default)]
enum Form {
    /// Nothing but space has come.
    #[default]
    Unknown,
    Events(SseReader),
    /// One JSON value.
    Whole(Vec<u8>),
    /// A web page: kept for its title.
    Page(Vec<u8>),
}

/// How far a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
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
pub(super) enum Fault {
    /// It is too large, or one of its events is.
    TooLarge(String),
    /// It is a web page.
    Page(String),
    /// It is JSON, but nobody's answer.
    Odd(String),
    /// It is the beginning of an answer, or an error.
    Incomplete(Incomplete),
}

impl Body {
    /// A body whose answer is read in this way.
    pub(super) fn new(reading: Reading) -> Self {
        Self { accumulator: Accumulator::new(reading), ..Self::default() }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.bytes += bytes.len();
        if self.bytes > MAX_BODY_BYTES {
            let message = format!("the answer is larger than {} MB", MAX_BODY_BYTES / 1024 / 1024);
            return Err(Fault::TooLarge(message));
        }
        if matches!(self.form, Form::Unknown) {
            self.form = Form::of(bytes);
        }
        match &mut self.form {
            Form::Unknown => Ok(()),
            Form::Whole(all) | Form::Page(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            Form::Events(reader) => {
                let (accumulator, done) = (&mut self.accumulator, &mut self.done);
                let start = &mut self.start;
                reader.push(bytes, |event| {
                    if *start == Start::Awaited {
                        *start = Start::Come;
                    }
                    take(&event.name, &event.data, accumulator, done);
                })?;
                Ok(())
            }
        }
    }

    /// What can be told since the last time.
    pub(super) fn take_events(&mut self) -> Vec<ChatEvent> {
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
    pub(super) fn has_begun(&self) -> bool {
        self.start != Start::Awaited
    }

    /// How it comes; none while that is open, or where it is a web page.
    pub(super) fn arrival(&self) -> Option<Arrival> {
        match self.form {
            Form::Events(_) => Some(Arrival::Streamed),
            Form::Whole(_) => Some(Arrival::Whole),
            Form::Unknown | Form::Page(_) => None,
        }
    }

    /// How far it is.
    pub(super) fn progress(&self) -> Progress {
        match self.bytes {
            0 => Progress::Empty,
            _ if self.done || self.accumulator.has_failed() => Progress::Done,
            _ if self.accumulator.has_ended() => Progress::Complete,
            _ => Progress::Open,
        }
    }

    /// It has ended: the last events, and the answer of `model`.
    pub(super) fn finish(self, model: &ModelId) -> (Vec<ChatEvent>, Result<Completion, Fault>) {
        let (mut accumulator, mut done) = (self.accumulator, self.done);
        let mut whole = None;
        match self.form {
            Form::Unknown => {}
            Form::Page(page) => return (Vec::new(), Err(Fault::Page(lossy(&page)))),
            Form::Events(reader) => {
                let last = reader.finish(|event| take(&event.name, &event.data, &mut accumulator, &mut done));
                if let Err(fault) = last {
                    return (Vec::new(), Err(fault.into()));
                }
            }
            Form::Whole(json) => {
                let json = lossy(&json);
                accumulator.push(json.trim_start_matches('\u{FEFF}'));
                whole = Some(json);
            }
        }
        let (mut events, completion) = accumulator.finish(model);
        if self.start != Start::Told && !events.is_empty() {
            events = begin(events);
        }
        let completion = completion.map_err(|incomplete| match (incomplete, whole) {
            (Incomplete::Truncated { skipped: 0 }, Some(json)) => Fault::Odd(json),
            (incomplete, _) => Fault::Incomplete(incomplete),
        });
        (events, completion)
    }
}

impl Form {
    fn of(bytes: &[u8]) -> Self {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => Self::Unknown,
            Some(b'{' | b'[') => Self::Whole(Vec::new()),
            Some(b'<') => Self::Page(Vec::new()),
            Some(_) => Self::Events(SseReader::default()),
        }
    }
}

fn begin(events: Vec<ChatEvent>) -> Vec<ChatEvent> {
    std::iter::once(ChatEvent::Answering).chain(events).collect()
}

fn take(name: &str, data: &str, accumulator: &mut Accumulator, done: &mut bool) {
    match data.trim() {
        "" => {}
        _ if *done => {}
        DONE => *done = true,
        data => accumulator.push(data),
    }
    if name == "error" && !*done {
        accumulator.fail(data);
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl From<EventTooLong> for Fault {
    fn from(fault: EventTooLong) -> Self {
        Self::TooLarge(fault.to_string())
    }
}

#[cfg(test)]
mod tests {
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
        let (_, completion) = body(parts).finish(&"m".into());
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
        check(&["{\"error\":\"no\"}"], Err(Fault::Incomplete(Incomplete::Failed("\"no\"".into()))));
        check(&["{\"choices\":"], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 1 })));
        check(&[], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 0 })));
        check(&["ok"], Err(Fault::Incomplete(Incomplete::Truncated { skipped: 0 })));
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
        assert_eq!(whole.finish(&"m".into()).0, [begun, text]);
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
    fn what_comes_behind_the_end_is_not_read() {
        check(&[STOP, "\n\ndata: [DONE]\n\n", STOP, "\n\ndata: {\"error\":\"late\"}\n\n"], Ok("x"));
    }

    #[test]
    fn an_endless_answer_is_refused() {
        let block = format!(": {}\n", "x".repeat(1024 * 1024));
        let mut body = Body::default();
        let taken = (0..=64).take_while(|_| body.push(block.as_bytes()).is_ok()).count();
        assert_eq!(taken, 63);
    }
}
