//! L17 to L20: tool calls in pieces of every cut, with arguments of every kind.
//!
//! Arguments leave this room as they came; what is no object becomes an error for the model in the loop, which the
//! integration tests hold against the real program.

use serde_json::{Value, json};

use super::answer::{Answer, events, good, stream};
use super::{Case, case};
use crate::protocol::StopReason;

pub(super) fn cases() -> Vec<Case> {
    [pieces(), arguments(), names(), many()].concat()
}

/// A stream of these `tool_calls` deltas, and the natural end.
fn calling(deltas: &[Value]) -> Answer {
    ending(deltas, "tool_calls")
}

fn ending(deltas: &[Value], reason: &str) -> Answer {
    let mut data: Vec<String> = deltas.iter().map(delta).collect();
    data.push(json!({"choices": [{"delta": {}, "finish_reason": reason}]}).to_string());
    events(data.iter().map(String::as_str))
}

fn delta(call: &Value) -> String {
    let calls = if call.is_array() { call.clone() } else { json!([call]) };
    json!({"choices": [{"delta": {"tool_calls": calls}}]}).to_string()
}

/// The first piece of a call.
fn first(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// A later one.
fn more(index: u64, arguments: &str) -> Value {
    json!({"index": index, "function": {"arguments": arguments}})
}

/// L17.
fn pieces() -> Vec<Case> {
    let one = [r#"a|Read|{"p":1}"#];
    let two = ["a|Read|{}", "b|Grep|{}"];
    let joined = |name: &str, deltas: &[Value], calls: &[&str]| {
        case("L17", name, [calling(deltas)]).calls(calls.iter().copied())
    };
    let letters: Vec<Value> = std::iter::once(first(0, "a", "Read", ""))
        .chain(r#"{"p":1}"#.chars().map(|letter| more(0, &letter.to_string())))
        .collect();
    let without = |mut call: Value, field: &str| {
        call.as_object_mut().unwrap().remove(field);
        call
    };
    vec![
        joined("a letter each", &letters, &one),
        joined("whole", &[first(0, "a", "Read", r#"{"p":1}"#)], &one),
        joined("without an index", &[without(first(0, "a", "Read", r#"{"p""#), "index"), json!({"function": {"arguments": ":1}"}})], &one),
        joined("an index that is always 0", &[first(0, "a", "Read", "{}"), first(0, "b", "Grep", "{}")], &two),
        joined("indexes from 1", &[first(1, "a", "Read", "{}"), first(2, "b", "Grep", "{}")], &two),
        joined("a gap between the indexes", &[first(0, "a", "Read", "{}"), first(7, "b", "Grep", "{}")], &two),
        joined("taking turns", &[first(0, "a", "Read", "{"), first(1, "b", "Grep", "{"), more(0, "}"), more(1, "}")], &two),
        joined("the id in each piece", &[first(0, "a", "Read", r#"{"p""#), json!({"index": 0, "id": "a", "function": {"arguments": ":1}"}})], &one),
        joined("the name in each piece", &[first(0, "a", "Read", r#"{"p""#), json!({"index": 0, "function": {"name": "Read", "arguments": ":1}"}})], &one),
        joined("the name in halves", &[first(0, "a", "Re", ""), json!({"index": 0, "function": {"name": "ad"}}), more(0, r#"{"p":1}"#)], &one),
        joined("one id for two", &[first(0, "a", "Read", "{}"), first(1, "a", "Grep", "{}")], &["a|Read|{}", "a_2|Grep|{}"]),
        joined("no id", &[without(first(0, "a", "Read", "{}"), "id")], &["call_1|Read|{}"]),
        joined("no ids, side by side", &[json!([without(first(0, "a", "Read", "{}"), "id"), without(first(1, "a", "Grep", "{}"), "id")])], &["call_1|Read|{}", "call_2|Grep|{}"]),
        joined("an empty id", &[first(0, "", "Read", "{}")], &["call_1|Read|{}"]),
        joined("an id that is null", &[json!({"index": 0, "id": null, "function": {"name": "Read", "arguments": "{}"}})], &["call_1|Read|{}"]),
        joined("an id that comes late", &[without(first(0, "a", "Read", ""), "id"), json!({"index": 0, "id": "a", "function": {"arguments": r#"{"p":1}"#}})], &one),
        joined("no name", &[first(0, "a", "", "{}")], &["a|unnamed|{}"]),
        joined("an object for arguments", &[json!({"index": 0, "id": "a", "function": {"name": "Read", "arguments": {"p": 1}}})], &one),
        joined("nulls between", &[json!([null]), first(0, "a", "Read", r#"{"p":1}"#), json!({"index": 0, "id": null, "function": null})], &one),
        case("L17", "the only call of the older form", [events([
            r#"{"choices":[{"delta":{"function_call":{"name":"Read","arguments":"{\"p\""}}}]}"#,
            r#"{"choices":[{"delta":{"function_call":{"arguments":":1}"}}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"function_call"}]}"#,
        ])])
        .calls([r#"call_1|Read|{"p":1}"#]),
        case("L17", "in an answer that is no stream", [good("application/json", r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{\"p\":1}"}}]},"finish_reason":"tool_calls"}]}"#)])
            .calls(one),
        case("L17", "each byte apart", [calling(&letters).split(1)]).calls(one),
    ]
}

/// L18.
fn arguments() -> Vec<Case> {
    let kept = |name: &str, arguments: &str| {
        case("L18", name, [calling(&[first(0, "a", "Write", arguments)])])
            .calls([format!("a|Write|{arguments}").as_str()])
    };
    let large = format!(r#"{{"content":"{}"}}"#, "x".repeat(5 << 20));
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let raw = |name: &str, arguments: &str, expected: &str| {
        let data = format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"Write","arguments":{arguments}}}}}]}}}}]}}"#
        );
        let stop = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;
        case("L18", name, [events([data.as_str(), stop])]).calls([format!("a|Write|{expected}").as_str()])
    };
    vec![
        kept("no JSON", "{oops"),
        kept("half an object", r#"{"file_path":"a.rs","content":"fn ma"#),
        kept("nothing", ""),
        kept("a list", "[1]"),
        kept("a text in a text", r#""{\"p\":1}""#),
        kept("not a number", r#"{"p":NaN}"#),
        kept("a key twice", r#"{"p":1,"p":2}"#),
        kept("five megabytes", &large),
        kept("ten thousand deep", &deep),
        raw("null", "null", ""),
        raw("half a character", r#""{\"p\":\"\ud83d\"}""#, r#"{"p":"\ud83d"}"#),
        raw("half a character, escaped twice", r#""{\"p\":\"\\ud83d\"}""#, r#"{"p":"\ud83d"}"#),
        raw("a zero byte", r#""{\"p\":\"\u0000\"}""#, r#"{"p":"\u0000"}"#),
    ]
}

/// L19.
fn names() -> Vec<Case> {
    let read = || first(0, "a", "Read", "{}");
    vec![
        case("L19", "a tool that nobody knows", [calling(&[first(0, "a", "Frobnicate", "{}")])])
            .calls(["a|Frobnicate|{}"]),
        case("L19", "a name in another case", [calling(&[first(0, "a", "read", "{}")])]).calls(["a|read|{}"]),
        case("L19", "a name with spaces", [calling(&[first(0, "a", " Read\n", "{}")])]).calls(["a|Read|{}"]),
        case("L19", "a call, and the reason is stop", [ending(&[read()], "stop")]).calls(["a|Read|{}"]),
        case("L19", "a call, and a reason that nobody knows", [ending(&[read()], "eos")])
            .calls(["a|Read|{}"]),
        case(
            "L19",
            "no call, and the reason is calls",
            [events([r#"{"choices":[{"delta":{"content":"Hello"},"finish_reason":"tool_calls"}]}"#])],
        )
        .stops(StopReason::EndTurn),
        case(
            "L19",
            "an empty list of calls",
            [events([
                r#"{"choices":[{"delta":{"content":"Hello","tool_calls":[]},"finish_reason":"tool_calls"}]}"#,
            ])],
        ),
    ]
}

/// L20.
fn many() -> Vec<Case> {
    let calls = |count: u64| {
        (0..count).map(|index| first(index, &format!("id{index}"), "Read", "{}")).collect::<Vec<_>>()
    };
    let in_one = json!({"choices": [{"delta": {"tool_calls": calls(1000)}, "finish_reason": "tool_calls"}]})
        .to_string();
    vec![
        case("L20", "a thousand calls", [calling(&calls(1000))]).call_count(1000),
        case("L20", "a thousand calls at once", [stream(format!("data: {in_one}\n\n"))]).call_count(1000),
        case("L20", "more than are even read", [calling(&calls(3000))]).call_count(1024),
        case(
            "L20",
            "a thousand calls of one id",
            [calling(&(0..1000).map(|index| first(index, "same", "Read", "{}")).collect::<Vec<_>>())],
        )
        .call_count(1000),
    ]
}

#[tokio::test]
async fn calls_are_put_together_from_any_pieces() {
    super::check_all([pieces(), names()].concat()).await;
}

#[tokio::test]
async fn arguments_leave_as_they_came() {
    super::check_all([arguments(), many()].concat()).await;
}
