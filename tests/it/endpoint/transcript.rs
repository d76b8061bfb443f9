//! Is one request wire-valid? Pure: a body in, the rules that it breaks out.
//!
//! These are the rules that the strictest of the servers have between them, not those of any one: a client
//! that passes here is understood everywhere. What only two requests together can tell is in `ledger`.

use std::collections::HashSet;

use serde_json::Value;

/// How a conversation may begin.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Opening {
    #[default]
    System,
    SystemOrUser,
}

/// The rules broken by a request body, each as a sentence that names the place; empty when it is valid.
pub(super) fn faults(body: &Value, opening: Opening) -> Vec<String> {
    let mut faults = Vec::new();
    if body["model"].as_str().is_none_or(str::is_empty) {
        faults.push("the request names no model".to_owned());
    }
    faults.extend(tool_faults(body));
    match body["messages"].as_array() {
        Some(messages) if !messages.is_empty() => faults.extend(Walk::over(messages, opening)),
        _ => faults.push("the request has no messages".to_owned()),
    }
    faults
}

fn tool_faults(body: &Value) -> Vec<String> {
    let Some(tools) = body.get("tools") else { return Vec::new() };
    let Some(tools) = tools.as_array() else { return vec!["`tools` is no array".to_owned()] };
    if tools.is_empty() {
        return vec!["`tools` is present and empty".to_owned()];
    }
    let mut names = HashSet::new();
    tools
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap_or_default())
        .filter(|name| name.is_empty() || !names.insert(*name))
        .map(|name| format!("the tool name `{name}` is empty or not unique"))
        .collect()
}

/// One pass over the messages, with what is open at that place.
#[derive(Default)]
struct Walk<'a> {
    faults: Vec<String>,
    ids: HashSet<&'a str>,
    unanswered: Vec<&'a str>,
    previous: &'a str,
}

impl<'a> Walk<'a> {
    fn over(messages: &'a [Value], opening: Opening) -> Vec<String> {
        let mut walk = Self::default();
        for (at, message) in messages.iter().enumerate() {
            let role = message["role"].as_str().unwrap_or_default();
            if role != "tool" {
                walk.close_calls(at);
            }
            let by_user = opening == Opening::SystemOrUser && role == "user";
            if at == 0 && role != "system" && !by_user {
                walk.fault(at, "the first message is not the system message");
            }
            match role {
                "system" => walk.system(at, message),
                "user" => walk.user(at, message),
                "assistant" => walk.assistant(at, message),
                "tool" => walk.tool(at, message),
                other => walk.fault(at, &format!("`{other}` is no role")),
            }
            walk.previous = role;
        }
        walk.close_calls(messages.len());
        if !matches!(walk.previous, "user" | "tool") {
            walk.fault(messages.len() - 1, "the last message is neither the user's nor a tool's");
        }
        walk.faults
    }

    fn system(&mut self, at: usize, message: &Value) {
        if at > 0 {
            self.fault(at, "a second system message");
        }
        if is_empty(&message["content"]) {
            self.fault(at, "an empty system message");
        }
    }

    fn user(&mut self, at: usize, message: &Value) {
        if self.previous == "user" {
            self.fault(at, "two adjacent user messages");
        }
        if is_empty(&message["content"]) {
            self.fault(at, "an empty user message");
        }
    }

    fn assistant(&mut self, at: usize, message: &'a Value) {
        let calls = match message.get("tool_calls") {
            None | Some(Value::Null) => &[],
            Some(calls) => calls.as_array().map_or(&[][..], Vec::as_slice),
        };
        if calls.is_empty() && message.get("tool_calls").is_some_and(|calls| !calls.is_null()) {
            self.fault(at, "`tool_calls` is present and empty, or no array");
        }
        if calls.is_empty() && is_empty(&message["content"]) {
            self.fault(at, "an assistant message with neither content nor tool calls");
        }
        for call in calls {
            self.call(at, call);
        }
    }

    fn call(&mut self, at: usize, call: &'a Value) {
        let id = call["id"].as_str().unwrap_or_default();
        if id.is_empty() {
            self.fault(at, "a tool call without an id");
        } else if !self.ids.insert(id) {
            self.fault(at, &format!("the tool call id `{id}` is not unique"));
        }
        self.unanswered.push(id);
        if call["type"] != "function" || call["function"]["name"].as_str().is_none_or(str::is_empty) {
            self.fault(at, &format!("the tool call `{id}` names no function"));
        }
        let arguments = call["function"]["arguments"].as_str();
        if arguments.is_none_or(|json| serde_json::from_str::<Value>(json).is_err()) {
            self.fault(at, &format!("the arguments of the tool call `{id}` are not a string of valid JSON"));
        }
    }

    fn tool(&mut self, at: usize, message: &Value) {
        let id = message["tool_call_id"].as_str().unwrap_or_default();
        match self.unanswered.iter().position(|open| *open == id) {
            Some(place) => {
                self.unanswered.remove(place);
            }
            None => self.fault(at, &format!("an orphan tool message, for the id `{id}`")),
        }
        if !matches!(message["content"], Value::String(_) | Value::Array(_)) {
            self.fault(at, "a tool message without content");
        }
    }

    /// Before the next message that is no tool's, every call must have its result.
    fn close_calls(&mut self, at: usize) {
        for id in std::mem::take(&mut self.unanswered) {
            self.fault(at, &format!("the tool call `{id}` has no result before this place"));
        }
    }

    fn fault(&mut self, at: usize, what: &str) {
        self.faults.push(format!("messages[{at}]: {what}"));
    }
}

fn is_empty(content: &Value) -> bool {
    match content {
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `expected` is a part of the one fault, or empty for a valid list.
    fn check(messages: &Value, expected: &str) {
        check_body(&json!({"model": "mock-1", "messages": messages}), expected);
    }

    fn check_body(body: &Value, expected: &str) {
        let faults = faults(body, Opening::System);
        if expected.is_empty() {
            assert_eq!(faults, [""; 0], "for {body}");
        } else {
            assert_eq!(faults.len(), 1, "one fault for {body}: {faults:?}");
            assert!(faults[0].contains(expected), "{faults:?} should say {expected:?}");
        }
    }

    fn system() -> Value {
        json!({"role": "system", "content": "be brief"})
    }

    fn user() -> Value {
        json!({"role": "user", "content": "go"})
    }

    fn said() -> Value {
        json!({"role": "assistant", "content": "done"})
    }

    fn called(ids: &[&str]) -> Value {
        called_with(ids, "{}")
    }

    fn called_with(ids: &[&str], arguments: &str) -> Value {
        let call =
            |id| json!({"id": id, "type": "function", "function": {"name": "Read", "arguments": arguments}});
        json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})
    }

    fn result(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": ""})
    }

    #[test]
    fn valid_transcripts_pass() {
        check(&json!([system(), user()]), "");
        check(&json!([system(), user(), said(), user()]), "");
        check(&json!([system(), user(), called(&["a"]), result("a")]), "");
        check(&json!([system(), user(), called(&["a", "b"]), result("b"), result("a"), said(), user()]), "");
        check(
            &json!([system(), user(), called(&["a"]), result("a"), called(&["b"]), result("b"), user()]),
            "",
        );
        let parts = json!({"role": "user", "content": [{"type": "text", "text": "see"}]});
        check(&json!([system(), parts]), "");
    }

    #[test]
    fn the_one_system_message_stands_first() {
        check(&json!([user()]), "not the system message");
        check(&json!([system(), user(), said(), system(), user()]), "a second system message");
        check(&json!([{"role": "system", "content": ""}, user()]), "empty system message");
    }

    #[test]
    fn user_messages_are_neither_adjacent_nor_empty() {
        check(&json!([system(), user(), user()]), "adjacent user");
        check(&json!([system(), {"role": "user", "content": ""}]), "empty user");
        check(&json!([system(), {"role": "user", "content": []}]), "empty user");
    }

    #[test]
    fn an_assistant_message_says_something() {
        for message in [
            json!({"role": "assistant", "content": ""}),
            json!({"role": "assistant", "content": null}),
            json!({"role": "assistant", "reasoning_content": "hm"}),
            json!({"role": "assistant", "content": null, "tool_calls": null}),
        ] {
            check(&json!([system(), user(), message, user()]), "neither content nor tool calls");
        }
        let bare = json!({"role": "assistant", "content": "x", "tool_calls": []});
        check(&json!([system(), user(), bare, user()]), "present and empty");
    }

    #[test]
    fn every_call_has_exactly_one_result() {
        check(&json!([system(), user(), called(&["a"]), user()]), "`a` has no result before");
        check(&json!([system(), user(), called(&["a", "b"]), result("a")]), "`b` has no result before");
        check(&json!([system(), user(), called(&["a"]), result("a"), result("a")]), "orphan");
        check(&json!([system(), user(), result("a")]), "orphan");
        check(&json!([system(), user(), called(&["a"]), result("a"), said(), result("a")]), "orphan");
        let late = json!([system(), user(), called(&["a"]), said(), result("a")]);
        assert_eq!(
            faults(&json!({"model": "m", "messages": late}), Opening::System).len(),
            2,
            "too late is missing and orphan"
        );
        let bare = json!({"role": "tool", "tool_call_id": "a"});
        check(&json!([system(), user(), called(&["a"]), bare]), "without content");
    }

    #[test]
    fn call_ids_are_there_and_unique_in_the_whole_transcript() {
        check(&json!([system(), user(), called(&["a", "a"]), result("a"), result("a")]), "not unique");
        let twice = json!([system(), user(), called(&["a"]), result("a"), called(&["a"]), result("a")]);
        check(&twice, "not unique");
        check(&json!([system(), user(), called(&[""]), result("")]), "without an id");
    }

    #[test]
    fn arguments_are_valid_json_in_a_string() {
        for (arguments, expected) in
            [(r#"{"a":1}"#, ""), (r#"{"a":"#, "not a string of valid"), ("", "not a string of valid")]
        {
            check(&json!([system(), user(), called_with(&["a"], arguments), result("a")]), expected);
        }
        let object = json!({"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "Read", "arguments": {}}}]});
        check(&json!([system(), user(), object, result("a")]), "not a string of valid");
        let nameless = json!({"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "", "arguments": "{}"}}]});
        check(&json!([system(), user(), nameless, result("a")]), "names no function");
    }

    #[test]
    fn the_last_message_asks_for_an_answer() {
        check(&json!([system(), user(), said()]), "the last message");
        check(&json!([system()]), "the last message");
        check(&json!([]), "no messages");
        check_body(&json!({"model": "m"}), "no messages");
    }

    #[test]
    fn only_the_four_roles_are_known() {
        check(&json!([system(), user(), {"role": "developer", "content": "x"}, user()]), "no role");
    }

    #[test]
    fn tools_are_left_out_or_named_once() {
        let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
        let body = |tools: Value| json!({"model": "m", "messages": [system(), user()], "tools": tools});
        check_body(&body(json!([tool("Read"), tool("Bash")])), "");
        check_body(&body(json!([])), "present and empty");
        check_body(&body(json!(null)), "no array");
        check_body(&body(json!([tool("Read"), tool("Read")])), "`Read` is empty or not unique");
        check_body(&body(json!([tool("")])), "is empty or not unique");
        check_body(&json!({"messages": [system(), user()]}), "names no model");
    }
}
