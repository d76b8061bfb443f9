//! Answers of the fault matrix as bytes: status line, headers, body, and where it all breaks off.
//!
//! No server of manners: whatever can be written to a socket can be written here.

use std::time::Duration;

/// One answer, as it goes over the wire.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    version: &'static str,
    status: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    framing: Framing,
    writes: Writes,
    cut: Option<usize>,
    end: End,
    beginning: Beginning,
    /// In the place of all of it but the end.
    raw: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Framing {
    /// The end of the connection ends the body.
    Close,
    Length,
    /// So many bytes a chunk.
    Chunked(usize),
}

#[derive(Debug, Clone)]
enum Writes {
    AtOnce,
    Every(usize),
    /// Pieces of so many bytes with a pause behind each.
    Slow(usize, Duration),
}

/// When the answer begins.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Beginning {
    /// Behind the request.
    Asked,
    /// Behind its head, as gateways do to whom it is too large.
    Early,
}

/// What happens behind the last byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// An orderly end.
    Close,
    /// `connection reset by peer`.
    Reset,
    /// Silence, until the client hangs up.
    Stall,
}

/// What the server does.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Write(Vec<u8>),
    Pause(Duration),
}

/// `200 OK` with these bytes for an event stream.
pub(super) fn stream(body: impl Into<Vec<u8>>) -> Answer {
    Answer::new("200 OK", "text/event-stream", body.into())
}

/// A stream of these data, an event each, and `[DONE]`.
pub(super) fn events<'a>(data: impl IntoIterator<Item = &'a str>) -> Answer {
    stream(lines(data) + DONE)
}

/// An event of each.
pub(super) fn lines<'a>(data: impl IntoIterator<Item = &'a str>) -> String {
    data.into_iter().flat_map(|data| ["data: ", data, "\n\n"]).collect()
}

/// A whole answer: `Hello`, in two deltas.
pub(super) fn hello() -> Answer {
    events([HEL, LO, STOP])
}

/// The beginning of one, without its end.
pub(super) fn half() -> Answer {
    stream(format!("data: {HEL}\n\n"))
}

/// A delta of text, the rest of it, and the reason for the end.
pub(super) const HEL: &str = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}"#;
pub(super) const LO: &str = r#"{"choices":[{"index":0,"delta":{"content":"lo"}}]}"#;
pub(super) const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
pub(super) const DONE: &str = "data: [DONE]\n\n";

/// A status without a body.
pub(super) fn status(code: u16) -> Answer {
    Answer::new(&format!("{code} Whatever"), "application/json", Vec::new())
}

/// A status that says that one may ask again at once.
pub(super) fn busy(code: u16) -> Answer {
    status(code).json(r#"{"error":{"message":"busy"}}"#)
}

/// A refusal in the usual form.
pub(super) fn refused(code: u16, message: &str) -> Answer {
    status(code).json(&serde_json::json!({ "error": { "message": message } }).to_string())
}

/// `200 OK` with this body of this type.
pub(super) fn good(kind: &str, body: &str) -> Answer {
    Answer::new("200 OK", kind, body.into())
}

/// These bytes and nothing else, then the end.
pub(super) fn raw(bytes: impl Into<Vec<u8>>) -> Answer {
    Answer { raw: Some(bytes.into()), ..status(200) }
}

impl Answer {
    fn new(status: &str, kind: &str, body: Vec<u8>) -> Self {
        Self {
            version: "HTTP/1.1",
            status: status.to_owned(),
            headers: vec![("content-type".into(), kind.into()), ("connection".into(), "close".into())],
            body,
            framing: Framing::Close,
            writes: Writes::AtOnce,
            cut: None,
            end: End::Close,
            beginning: Beginning::Asked,
            raw: None,
        }
    }

    /// One more header.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without this header.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(super) fn version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    /// Another body.
    pub(super) fn json(self, body: &str) -> Self {
        Self { body: body.into(), ..self }
    }

    /// A web page.
    pub(super) fn html(self, body: &str) -> Self {
        self.without("content-type").header("content-type", "text/html").json(body)
    }

    pub(super) fn with_length(self) -> Self {
        Self { framing: Framing::Length, ..self }
    }

    pub(super) fn chunked(self, bytes: usize) -> Self {
        Self { framing: Framing::Chunked(bytes), ..self }
    }

    /// So many bytes in each write.
    pub(super) fn split(self, bytes: usize) -> Self {
        Self { writes: Writes::Every(bytes), ..self }
    }

    /// So many bytes in each write, and a pause behind it.
    pub(super) fn slow(self, bytes: usize, milliseconds: u64) -> Self {
        Self { writes: Writes::Slow(bytes, Duration::from_millis(milliseconds)), ..self }
    }

    /// Only so many bytes of the body.
    pub(super) fn cut(self, bytes: usize) -> Self {
        Self { cut: Some(bytes), ..self }
    }

    /// The bytes of the body up to these words.
    pub(super) fn cut_at(self, words: &str) -> Self {
        let text = String::from_utf8_lossy(&self.body).into_owned();
        self.cut(text.find(words).unwrap())
    }

    /// All of the body, and no end of it.
    pub(super) fn open_ended(self) -> Self {
        let bytes = self.body.len();
        self.cut(bytes)
    }

    /// Given before the request has been read.
    pub(super) fn early(self) -> Self {
        Self { beginning: Beginning::Early, ..self }
    }

    pub(super) fn is_early(&self) -> bool {
        self.beginning == Beginning::Early
    }

    pub(super) fn reset(self) -> Self {
        Self { end: End::Reset, ..self }
    }

    pub(super) fn stall(self) -> Self {
        Self { end: End::Stall, ..self }
    }

    pub(super) fn end(&self) -> End {
        self.end
    }

    /// What the server does, in order; its end is apart.
    pub(super) fn steps(&self) -> Vec<Step> {
        let bytes = self.raw.clone().unwrap_or_else(|| self.bytes());
        let in_pieces = |size: usize| bytes.chunks(size).map(<[u8]>::to_vec);
        match self.writes {
            Writes::AtOnce => vec![Step::Write(bytes)],
            Writes::Every(size) => in_pieces(size).map(Step::Write).collect(),
            Writes::Slow(size, pause) => {
                in_pieces(size).flat_map(|piece| [Step::Write(piece), Step::Pause(pause)]).collect()
            }
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut head = vec![format!("{} {}", self.version, self.status)];
        head.extend(self.headers.iter().map(|(name, value)| format!("{name}: {value}")));
        let head = head.join("\r\n") + "\r\n";
        let body = self.body.get(..self.cut.unwrap_or(self.body.len())).unwrap();
        match self.framing {
            Framing::Close => [format!("{head}\r\n").as_bytes(), body].concat(),
            Framing::Length => {
                let length = self.body.len();
                [format!("{head}content-length: {length}\r\n\r\n").as_bytes(), body].concat()
            }
            Framing::Chunked(size) => {
                let mut bytes = format!("{head}transfer-encoding: chunked\r\n\r\n").into_bytes();
                for chunk in body.chunks(size) {
                    bytes.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
                    bytes.extend(chunk);
                    bytes.extend(b"\r\n");
                }
                if self.cut.is_none() {
                    bytes.extend(b"0\r\n\r\n");
                }
                bytes
            }
        }
    }
}
