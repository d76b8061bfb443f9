//! What the endpoint knows: the script, every request, every violation. Decides what a request gets.
//!
//! Shared by the server's thread, which changes it, and the test's, which waits for that.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::time::Instant;

use serde_json::{Value, json};

use super::answer::{Answer, Body, status};
use super::http::{Incoming, header};
use super::ledger::{AnswerState, Ledger, TurnId};
use super::plan::{self, Asked, Step};
use super::transcript::{self, Opening};
use crate::watched::Watched;

/// A chat request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// from 1, in the order of arrival
    pub(crate) number: usize,
    /// the connection it came on, from 1
    pub(crate) connection: usize,
    pub(crate) at: Instant,
    /// what stands behind the `?` of its address
    pub(crate) query: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) raw: Vec<u8>,
    /// `null` where `raw` is no JSON
    pub(crate) body: Value,
}

impl Request {
    /// The value of a header, whose name is given in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub(crate) fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The roles in order, as one line: `system user assistant tool`.
    pub(crate) fn roles(&self) -> String {
        self.messages().iter().filter_map(|message| message["role"].as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The content of the last message, parts of text joined.
    pub(crate) fn last_text(&self) -> String {
        self.messages().last().map(|message| content(&message["content"])).unwrap_or_default()
    }

    /// The content of the tool message that answers a call.
    pub(crate) fn tool_result(&self, id: &str) -> String {
        let result = self.messages().iter().find(|message| message["tool_call_id"] == id);
        content(&result.unwrap_or_else(|| panic!("no result for `{id}` in {}", self.roles()))["content"])
    }

    /// The names of the tools offered.
    pub(crate) fn tool_names(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
    }
}

fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// What the server plays for a request, and what it notes then.
pub(super) struct Reply {
    pub(super) steps: Vec<Step>,
    pub(super) request: Option<usize>,
    pub(super) turn: Option<TurnId>,
    pub(super) state: AnswerState,
}

pub(super) type Book = Watched<Pages>;

#[derive(Default)]
pub(super) struct Pages {
    pub(super) script: VecDeque<Answer>,
    pub(super) forever: Option<Answer>,
    pub(super) models: Vec<String>,
    /// answers to requests that are not for chat, by method and path
    pub(super) served: BTreeMap<String, Answer>,
    pub(super) requests: Vec<Request>,
    /// method and path of what was asked besides chat
    pub(super) others: Vec<String>,
    /// the headers of each of those
    pub(super) other_headers: Vec<Vec<(String, String)>>,
    pub(super) violations: Vec<String>,
    pub(super) connections: usize,
    /// requests whose answer the client did not wait for, until the test takes them
    pub(super) hangups: VecDeque<usize>,
    pub(super) ledger: Ledger,
    pub(super) opening: Opening,
    next_id: usize,
}

impl Pages {
    pub(super) fn of(script: VecDeque<Answer>) -> Self {
        Self { script, models: vec!["mock-1".to_owned()], ..Self::default() }
    }

    pub(super) fn connected(&mut self) -> usize {
        self.connections += 1;
        self.connections
    }

    pub(super) fn settle(&mut self, turn: Option<TurnId>, state: AnswerState) {
        if let Some(turn) = turn {
            self.ledger.settle(turn, state);
        }
    }

    pub(super) fn reply(&mut self, incoming: Incoming, connection: usize) -> Reply {
        let (path, query) = incoming.path.split_once('?').unwrap_or((&incoming.path, ""));
        match (incoming.method.as_str(), path) {
            ("POST", "/v1/chat/completions") => {
                let query = query.to_owned();
                self.chat(incoming, query, connection)
            }
            (_, path) => self.other(&incoming, path),
        }
    }

    fn chat(&mut self, incoming: Incoming, query: String, connection: usize) -> Reply {
        let body: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
        let number = self.requests.len() + 1;
        let (headers, raw, at) = (incoming.headers, incoming.body, Instant::now());
        self.requests.push(Request { number, connection, at, query, headers, raw, body: body.clone() });
        let faults =
            if body.is_null() { vec!["no JSON".to_owned()] } else { transcript::faults(&body, self.opening) };
        let accepted = if faults.is_empty() { self.ledger.accept(&body) } else { Err(faults) };
        let (answer, turn) = match accepted {
            Ok(turn) => (self.next_answer(number), Some(turn)),
            Err(faults) => (self.refuse(number, &faults), None),
        };
        let whole = turn.is_some() && plan::is_whole(&answer);
        Reply {
            steps: plan::plan(&answer, &Asked::by(&body), &mut self.next_id),
            request: Some(number),
            turn,
            state: if whole { AnswerState::Whole } else { AnswerState::Partial },
        }
    }

    fn refuse(&mut self, number: usize, faults: &[String]) -> Answer {
        self.violations.extend(faults.iter().map(|fault| format!("request {number}: {fault}")));
        error(400, &format!("this request is not valid: {}", faults.join("; ")))
    }

    fn next_answer(&mut self, number: usize) -> Answer {
        let request = &self.requests[number - 1];
        let last = request.last_text();
        let fits = |answer: &Answer| answer.only_for.as_deref().is_none_or(|words| last.contains(words));
        if let Some(place) = self.script.iter().position(fits) {
            return self.script.remove(place).unwrap();
        }
        if let Some(answer) = &self.forever {
            return answer.clone();
        }
        let roles = request.roles();
        self.violations
            .push(format!("request {number}: unexpected, the script has no answer for it ({roles})"));
        // a client that tries again need not take its time over it
        error(500, "the script has no answer for this request").header("retry-after-ms", "1")
    }

    fn other(&mut self, incoming: &Incoming, path: &str) -> Reply {
        let method = incoming.method.as_str();
        let served = self.served.get(&format!("{method} {path}")).cloned();
        self.others.push(format!("{method} {}", incoming.path));
        self.other_headers.push(incoming.headers.clone());
        let answer = if let Some(answer) = served {
            answer
        } else if (method, path) == ("GET", "/v1/models") {
            let data: Vec<Value> = self
                .models
                .iter()
                .map(|id| json!({"id": id, "object": "model", "owned_by": "script"}))
                .collect();
            status(200).body("application/json", &json!({"object": "list", "data": data}).to_string())
        } else {
            error(404, &format!("nothing at {method} {path}"))
        };
        let steps = plan::plan(&answer, &Asked::by(&Value::Null), &mut self.next_id);
        Reply { steps, request: None, turn: None, state: AnswerState::Partial }
    }

    /// The state of things, for a failure's message.
    pub(super) fn describe(&self) -> String {
        let mut text = format!("{} connections, {} chat requests:\n", self.connections, self.requests.len());
        for request in &self.requests {
            let (number, roles) = (request.number, request.roles());
            writeln!(text, "  {number} on connection {}: {roles}", request.connection).unwrap();
        }
        for other in &self.others {
            writeln!(text, "  besides: {other}").unwrap();
        }
        writeln!(
            text,
            "{} answers left in the script; violations: {:#?}",
            self.script.len(),
            self.violations
        )
        .unwrap();
        text
    }
}

fn error(code: u16, message: &str) -> Answer {
    let body = json!({"error": {"message": message, "type": "invalid_request_error"}}).to_string();
    Answer {
        body: Body::Plain { content_type: "application/json", bytes: body.into_bytes() },
        ..status(code)
    }
}
