//! Can a request be sent? The rules of the strictest endpoints, on the body as it would go out.

use std::collections::HashSet;

use serde_json::Value;

use crate::chat::ChatRequest;
use crate::chat::request::compat::Dialect;
use crate::chat::request::wire::{self, WireOptions};

/// The body of a request.
pub(super) fn body(request: &ChatRequest) -> Value {
    serde_json::from_str(&text(request)).expect("a body is JSON")
}

/// The same as the bytes that go out.
pub(super) fn text(request: &ChatRequest) -> String {
    wire::body(request, &WireOptions::default(), Dialect::default(), &|_| None)
}

/// What of a body the next one must begin with: all of it, but a user's last message may grow.
pub(super) fn owed(text: &str) -> &str {
    let body: Value = serde_json::from_str(text).expect("a body is JSON");
    let asks = messages(&body).last().is_some_and(|message| message["role"] == "user");
    text.strip_suffix(if asks { "\"}]}" } else { "]}" }).expect("messages stand last")
}

/// The roles in order, parted by spaces.
pub(super) fn roles(body: &Value) -> String {
    messages(body).iter().filter_map(|message| message["role"].as_str()).collect::<Vec<_>>().join(" ")
}

/// What is wrong with a body; empty where it can be sent.
pub(super) fn faults(body: &Value) -> Vec<String> {
    let mut walk = Walk::default();
    for message in messages(body) {
        walk.step(message);
    }
    walk.expect(walk.open.is_empty(), "a call without an answer at the end");
    walk.expect(walk.previous == "user" || walk.previous == "tool", "nobody asks at the end");
    walk.faults
}

fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map_or(&[], Vec::as_slice)
}

#[derive(Default)]
struct Walk {
    faults: Vec<String>,
    ids: HashSet<String>,
    open: HashSet<String>,
    previous: String,
}

impl Walk {
    fn expect(&mut self, holds: bool, fault: &str) {
        if !holds {
            self.faults.push(fault.to_owned());
        }
    }

    fn step(&mut self, message: &Value) {
        let role = message["role"].as_str().unwrap_or_default().to_owned();
        let says = message["content"].as_str().is_some_and(|text| !text.is_empty());
        self.expect(self.previous.is_empty() == (role == "system"), "the system prompt comes first and once");
        self.expect(role == "tool" || self.open.is_empty(), "a call without an answer");
        match role.as_str() {
            "user" => {
                self.expect(self.previous != "user", "two user messages in a row");
                self.expect(says, "an empty user message");
            }
            "tool" => {
                let answered = self.open.remove(message["tool_call_id"].as_str().unwrap_or_default());
                self.expect(answered, "an answer without a call");
                self.expect(says, "an empty answer");
            }
            "assistant" => self.assistant(message, says),
            _ => {}
        }
        self.previous = role;
    }

    fn assistant(&mut self, message: &Value, says: bool) {
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        self.expect(says || !calls.is_empty(), "an assistant message that says nothing");
        self.expect(self.previous != "assistant", "two assistant messages in a row");
        for call in calls {
            let id = call["id"].as_str().unwrap_or_default().to_owned();
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            self.expect(serde_json::from_str::<Value>(arguments).is_ok(), "arguments that are no JSON");
            let is_new = !id.is_empty() && self.ids.insert(id.clone());
            self.expect(is_new, "an id that is empty or taken");
            self.open.insert(id);
        }
    }
}

#[test]
fn faults_are_found() {
    let check = |messages: &str, fault: &str| {
        let body: Value = serde_json::from_str(&format!("{{\"messages\":{messages}}}")).unwrap();
        assert_eq!(faults(&body).first().map_or("", String::as_str), fault, "{messages}");
    };
    let system = r#"{"role":"system","content":"s"}"#;
    let user = r#"{"role":"user","content":"u"}"#;
    let call = |id: &str| {
        format!(r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","function":{{"arguments":"{{}}"}}}}]}}"#)
    };
    let answer = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"r"}}"#);
    check(&format!("[{system},{user},{},{}]", call("1"), answer("1")), "");
    check(&format!("[{user}]"), "the system prompt comes first and once");
    check(&format!("[{system},{user},{user}]"), "two user messages in a row");
    check(&format!("[{system},{user},{},{user}]", call("1")), "a call without an answer");
    check(&format!("[{system},{user},{},{}]", call("1"), answer("2")), "an answer without a call");
    check(&format!("[{system},{user},{}]", call("1")), "a call without an answer at the end");
    check(&format!("[{system},{user},{}]", call("")), "an id that is empty or taken");
    check(&format!("[{system},{user},{{\"role\":\"assistant\"}}]"), "an assistant message that says nothing");
}
