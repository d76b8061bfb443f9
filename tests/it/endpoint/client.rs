//! A tiny raw HTTP client, to test the endpoint with: shows every chunk and how the connection ended.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::Endpoint;
use crate::watched::DEADLINE;

/// How the body ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    Whole,
    Closed,
    Reset,
}

/// An answer as the client saw it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) status: u16,
    pub(super) head: String,
    /// as the HTTP chunks brought it; a body of known length is one
    pub(super) chunks: Vec<Vec<u8>>,
    pub(super) end: End,
}

impl Seen {
    pub(super) fn body(&self) -> String {
        String::from_utf8_lossy(&self.chunks.concat()).into_owned()
    }

    /// The JSON of every `data:` line but `[DONE]`.
    pub(super) fn events(&self) -> Vec<Value> {
        let body = self.body();
        let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    /// The deltas, those that only say the role left out.
    pub(super) fn deltas(&self) -> Vec<Value> {
        let deltas = self.events().into_iter().map(|event| event["choices"][0]["delta"].clone());
        deltas
            .filter(|delta| {
                delta.is_object()
                    && delta["role"].is_null()
                    && *delta != Value::Object(serde_json::Map::new())
            })
            .collect()
    }

    /// What the deltas add up to under one name.
    pub(super) fn said(&self, name: &str) -> String {
        self.deltas().iter().filter_map(|delta| delta[name].as_str()).collect()
    }
}

pub(super) struct Client(BufReader<TcpStream>);

impl Client {
    pub(super) fn connect(endpoint: &Endpoint) -> Self {
        let address = endpoint.base_url().replace("http://", "").replace("/v1", "");
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        Self(BufReader::new(stream))
    }

    pub(super) fn get(&mut self, path: &str) -> Seen {
        self.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes());
        self.seen()
    }

    pub(super) fn chat(&mut self, body: &Value) -> Seen {
        self.send(body);
        self.seen()
    }

    pub(super) fn send(&mut self, body: &Value) {
        self.send_raw(body.to_string().as_bytes());
    }

    pub(super) fn send_raw(&mut self, body: &[u8]) {
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer k\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.write(&[head.as_bytes(), body].concat());
    }

    /// Reads one answer to its end, whatever that is.
    pub(super) fn seen(&mut self) -> Seen {
        let mut seen = Seen { status: 0, head: String::new(), chunks: Vec::new(), end: End::Whole };
        if let Err(error) = self.read(&mut seen) {
            seen.end = match error.kind() {
                ErrorKind::UnexpectedEof => End::Closed,
                ErrorKind::ConnectionReset => End::Reset,
                _ => panic!("reading the answer: {error}"),
            };
        }
        seen
    }

    /// Reads until the body so far contains the words, and leaves the rest.
    pub(super) fn read_until(&mut self, words: &str) {
        let mut seen = Vec::new();
        while super::http::find(&seen, words.as_bytes()).is_none() {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap();
            seen.extend(byte);
        }
    }

    /// Reads until the server closes the connection, in whatever way.
    pub(super) fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        if let Err(error) = self.0.read_to_end(&mut bytes) {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "the server neither speaks nor closes");
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    fn read(&mut self, seen: &mut Seen) -> std::io::Result<()> {
        while !seen.head.ends_with("\r\n\r\n") {
            if self.0.read_line(&mut seen.head)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        seen.status = seen.head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = seen.head.lines().find_map(|line| line.strip_prefix("content-length: "));
        match length.map(|length| length.parse().unwrap()) {
            Some(length) => self.read_exactly(length, seen),
            None => self.read_chunks(seen),
        }
    }

    fn read_chunks(&mut self, seen: &mut Seen) -> std::io::Result<()> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let size = usize::from_str_radix(line.trim(), 16).unwrap();
            if size > 0 {
                self.read_exactly(size, seen)?;
            }
            self.0.read_exact(&mut [0; 2])?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    fn read_exactly(&mut self, size: usize, seen: &mut Seen) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        let read = self.0.by_ref().take(size as u64).read_to_end(&mut bytes);
        let short = bytes.len() < size;
        seen.chunks.push(bytes);
        read?;
        if short { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}
