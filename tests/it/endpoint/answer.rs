//! Answers as a test writes them: free functions begin one, methods go on with it.
//!
//! Plain data; `plan` turns it into bytes and waits. A call of `text`, `thinking` or `delta` is one delta
//! on the wire, in the order written, and `hold`, `cut` and `reset` stand among them where they happen:
//! `text("Hel").hold(&gate).text("lo")`.

use serde_json::Value;

use super::gate::Gate;

/// One answer of the script.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(super) opening: Opening,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) writes: Writes,
    pub(super) cut_after: Option<usize>,
    pub(super) only_for: Option<String>,
}

/// What happens before the first byte of the head.
#[derive(Clone, Debug)]
pub(super) enum Opening {
    AtOnce,
    Held(Gate),
    Broken(Break),
}

/// How a connection ends before its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Break {
    /// an orderly end in the middle (FIN)
    Close,
    /// `connection reset by peer` (RST)
    Reset,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Completion(Completion),
    Plain { content_type: &'static str, bytes: Vec<u8> },
}

/// How the body is cut into writes; each is an HTTP chunk of its own, so the client sees the seams.
#[derive(Clone, Debug)]
pub(super) enum Writes {
    PerEvent,
    Every(usize),
    At(Vec<usize>),
}

#[derive(Clone, Debug)]
pub(super) struct Completion {
    pub(super) parts: Vec<Part>,
    pub(super) finish: Finish,
    pub(super) usage: Usage,
    pub(super) form: Form,
    pub(super) done: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Thinking(String),
    Call(Call),
    Delta(Value),
    Raw(String),
    Hold(Gate),
    Break(Break),
}

#[derive(Clone, Debug)]
pub(super) enum Finish {
    /// `tool_calls` after calls, else `stop`
    Natural,
    Named(String),
    Missing,
}

#[derive(Clone, Debug)]
pub(super) enum Usage {
    IfAsked,
    Given(Value),
    Never,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// a stream where the request says `stream`, else one JSON object
    AsAsked,
    Json,
}

/// One tool call; without a word about it, it gets the next id (`call_1`, `call_2`, … over the endpoint's
/// life) and its arguments travel in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) id: CallId,
    pub(super) pieces: Pieces,
}

#[derive(Clone, Debug)]
pub(super) enum CallId {
    Next,
    Given(String),
    Missing,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Pieces {
    Fragments,
    Whole,
}

/// A text answer of one delta.
pub(crate) fn text(text: &str) -> Answer {
    empty().text(text)
}

/// A text answer, one delta for each item.
pub(crate) fn deltas<'a>(texts: impl IntoIterator<Item = &'a str>) -> Answer {
    texts.into_iter().fold(empty(), Answer::text)
}

/// An answer that begins with thinking (`reasoning_content`).
pub(crate) fn thinking(text: &str) -> Answer {
    empty().thinking(text)
}

/// An answer of tool calls.
pub(crate) fn calls(calls: impl IntoIterator<Item = Call>) -> Answer {
    empty().calls(calls)
}

/// One call for `calls`.
#[expect(clippy::needless_pass_by_value, reason = "reads as `call(\"Read\", json!({…}))`")]
pub(crate) fn call(name: &str, arguments: Value) -> Call {
    Call {
        name: name.to_owned(),
        arguments: arguments.to_string(),
        id: CallId::Next,
        pieces: Pieces::Fragments,
    }
}

/// A well-formed stream that says nothing.
pub(crate) fn empty() -> Answer {
    let completion = Completion {
        parts: Vec::new(),
        finish: Finish::Natural,
        usage: Usage::IfAsked,
        form: Form::AsAsked,
        done: true,
    };
    Answer::new(200, Body::Completion(completion))
}

/// An HTTP status with an error object of the usual form; `body` puts another in its place.
pub(crate) fn status(status: u16) -> Answer {
    let error = serde_json::json!({"error": {"message": format!("scripted {status}"), "type": "scripted"}});
    plain(status, "application/json", error.to_string())
}

/// A 200 with any body and content type.
pub(crate) fn body(content_type: &'static str, bytes: impl Into<Vec<u8>>) -> Answer {
    plain(200, content_type, bytes)
}

/// A stream of exactly these bytes.
pub(crate) fn raw_sse(bytes: impl Into<Vec<u8>>) -> Answer {
    plain(200, "text/event-stream", bytes)
}

/// Silence: no byte, until the client gives up.
pub(crate) fn stall() -> Answer {
    empty().hold_head(&Gate::new())
}

/// The connection ends in good order, without a byte.
pub(crate) fn cut() -> Answer {
    Answer { opening: Opening::Broken(Break::Close), ..empty() }
}

/// The connection is reset, without a byte.
pub(crate) fn reset() -> Answer {
    Answer { opening: Opening::Broken(Break::Reset), ..empty() }
}

fn plain(status: u16, content_type: &'static str, bytes: impl Into<Vec<u8>>) -> Answer {
    Answer::new(status, Body::Plain { content_type, bytes: bytes.into() })
}

impl Answer {
    fn new(status: u16, body: Body) -> Self {
        Self {
            opening: Opening::AtOnce,
            status,
            headers: Vec::new(),
            body,
            writes: Writes::PerEvent,
            cut_after: None,
            only_for: None,
        }
    }

    /// One more delta of text.
    pub(crate) fn text(self, text: &str) -> Self {
        self.part(Part::Text(text.to_owned()))
    }

    /// One more delta of thinking.
    pub(crate) fn thinking(self, text: &str) -> Self {
        self.part(Part::Thinking(text.to_owned()))
    }

    /// Tool calls, after what has been said so far.
    pub(crate) fn calls(self, calls: impl IntoIterator<Item = Call>) -> Self {
        calls.into_iter().fold(self, |answer, call| answer.part(Part::Call(call)))
    }

    /// A `delta` object of the test's own making, for what only some servers say.
    pub(crate) fn delta(self, delta: Value) -> Self {
        self.part(Part::Delta(delta))
    }

    /// Bytes of the test's own making in the middle of a stream.
    pub(crate) fn raw(self, bytes: &str) -> Self {
        self.part(Part::Raw(bytes.to_owned()))
    }

    /// Here the stream waits until the test opens the gate.
    pub(crate) fn hold(self, gate: &Gate) -> Self {
        self.part(Part::Hold(gate.clone()))
    }

    /// Here the stream falls silent for good.
    pub(crate) fn stall(self) -> Self {
        self.hold(&Gate::new())
    }

    /// Here the connection ends, in good order but in the middle.
    pub(crate) fn cut(self) -> Self {
        self.part(Part::Break(Break::Close))
    }

    /// Here the connection is reset.
    pub(crate) fn reset(self) -> Self {
        self.part(Part::Break(Break::Reset))
    }

    /// Not even the head comes until the test opens the gate.
    pub(crate) fn hold_head(mut self, gate: &Gate) -> Self {
        self.opening = Opening::Held(gate.clone());
        self
    }

    /// The connection ends, in good order, after so many bytes of the body.
    pub(crate) fn cut_after(mut self, bytes: usize) -> Self {
        self.cut_after = Some(bytes);
        self
    }

    /// Another finish reason than the natural one.
    pub(crate) fn finish(mut self, reason: &str) -> Self {
        self.completion().finish = Finish::Named(reason.to_owned());
        self
    }

    pub(crate) fn no_finish(mut self) -> Self {
        self.completion().finish = Finish::Missing;
        self
    }

    /// The `usage` object, sent whether asked for or not.
    pub(crate) fn usage(mut self, usage: Value) -> Self {
        self.completion().usage = Usage::Given(usage);
        self
    }

    pub(crate) fn no_usage(mut self) -> Self {
        self.completion().usage = Usage::Never;
        self
    }

    /// The stream ends without `[DONE]`.
    pub(crate) fn no_done(mut self) -> Self {
        self.completion().done = false;
        self
    }

    /// One JSON object, although a stream was asked for.
    pub(crate) fn in_json(mut self) -> Self {
        self.completion().form = Form::Json;
        self
    }

    /// Sets a header in the place of any of that name; `content-type` too.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Another body, such as a gateway's page: `status(502).body("text/html", "<h1>Bad Gateway</h1>")`.
    pub(crate) fn body(mut self, content_type: &'static str, bytes: &str) -> Self {
        self.body = Body::Plain { content_type, bytes: bytes.as_bytes().to_vec() };
        self
    }

    /// The body comes in writes of so many bytes.
    pub(crate) fn dribble_bytes(mut self, bytes: usize) -> Self {
        assert!(bytes > 0, "a write has at least one byte");
        self.writes = Writes::Every(bytes);
        self
    }

    /// The body comes in writes that end at these offsets, and the rest.
    pub(crate) fn split_at(mut self, offsets: impl IntoIterator<Item = usize>) -> Self {
        let mut offsets: Vec<usize> = offsets.into_iter().collect();
        offsets.sort_unstable();
        self.writes = Writes::At(offsets);
        self
    }

    /// Only for a request whose last message contains these words: for runs that ask side by side. Such an
    /// answer waits in the script until its request comes; the others go on in order.
    pub(crate) fn only_for(mut self, words: &str) -> Self {
        self.only_for = Some(words.to_owned());
        self
    }

    fn part(mut self, part: Part) -> Self {
        self.completion().parts.push(part);
        self
    }

    fn completion(&mut self) -> &mut Completion {
        match &mut self.body {
            Body::Completion(completion) => completion,
            Body::Plain { .. } => panic!("an answer of plain bytes takes no deltas"),
        }
    }
}

impl Call {
    pub(crate) fn id(mut self, id: &str) -> Self {
        self.id = CallId::Given(id.to_owned());
        self
    }

    /// The call comes without an id, as from some local servers.
    pub(crate) fn no_id(mut self) -> Self {
        self.id = CallId::Missing;
        self
    }

    /// Arguments as they stand, valid JSON or not.
    pub(crate) fn raw_arguments(mut self, arguments: &str) -> Self {
        arguments.clone_into(&mut self.arguments);
        self
    }

    /// The whole call in one delta.
    pub(crate) fn whole(mut self) -> Self {
        self.pieces = Pieces::Whole;
        self
    }
}
