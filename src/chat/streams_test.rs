//! What servers really send, read as a whole and in pieces.
//!
//! The answers are files (`tests/fixtures/streams`), each beside what it says; this file only compares. It does not know
//! one server from another. The surprising decision: what is wanted is what the server meant, also where that is not what it
//! wrote.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::classify::{self, Asked};
use super::{ChatError, ChatEvent, Completion, Remedy, Stage};
use crate::chat::answer::accumulate::{Finished, Incomplete, Opening, Reading, TextCalls};
use crate::chat::answer::body::{Body, Fault};
use crate::protocol::{StopReason, ToolCall, ToolSpec};

/// Bodies of more bytes than this are cut in two at every seventh byte alone.
const LONG: usize = 2048;

/// An answer and what it says.
struct Sample {
    /// `family/name`.
    name: String,
    body: Vec<u8>,
    want: Value,
}

/// What is told while an answer arrives, joined, and what it is in the end.
#[derive(Debug, PartialEq)]
struct Outcome {
    begun: usize,
    text: String,
    thoughts: String,
    notices: usize,
    completion: Result<Completion, Fault>,
}

#[test]
fn every_answer_says_what_its_server_meant() {
    let mut report = String::new();
    for sample in samples() {
        let problems = problems(&sample.want, read(&sample.want, [&*sample.body]));
        if !problems.is_empty() {
            report = report + "\n" + &sample.name + ": " + &problems.join("; ");
        }
    }
    assert_eq!(report, "");
}

#[test]
fn where_an_answer_is_cut_makes_no_difference() {
    let differs = |sample: &Sample| {
        let body = &*sample.body;
        let whole = read(&sample.want, [body]);
        let in_two = |at| read(&sample.want, <[&[u8]; 2]>::from(body.split_at(at)));
        // The long ones would take seconds each.
        let step = if body.len() > LONG { 7 } else { 1 };
        read(&sample.want, body.chunks(1)) != whole
            || (1..body.len()).step_by(step).any(|at| in_two(at) != whole)
    };
    let wrong: Vec<String> = samples().into_iter().filter(differs).map(|sample| sample.name).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// All of them, by name.
fn samples() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let mut samples = Vec::new();
    for family in listed(&root).into_iter().filter(|path| path.is_dir()) {
        for path in listed(&family) {
            let Some(name) = file_name(&path).strip_suffix(".want.json") else { continue };
            let body = |ending: &str| fs::read(family.join(name.to_owned() + ending)).ok();
            samples.push(Sample {
                name: format!("{}/{name}", file_name(&family)),
                body: body(".sse").or_else(|| body(".body.json")).expect(name),
                want: serde_json::from_slice(&fs::read(&path).unwrap()).expect(name),
            });
        }
    }
    assert!(samples.len() > 100, "{} answers under {}", samples.len(), root.display());
    samples
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

/// What is known of the endpoint before it answers.
fn reading(want: &Value) -> Reading {
    let known = &want["reading"];
    let tool = |name: &Value| ToolSpec::new(name.as_str().unwrap(), "", json!({"type": "object"}));
    Reading {
        text_calls: match known["text_calls"].as_str() {
            None => TextCalls::Off,
            Some("tags") => TextCalls::Tags,
            Some(other) => panic!("text_calls: {other}"),
        },
        tools: known["tools"].as_array().into_iter().flatten().map(tool).collect(),
        opening: if known["opening"] == "thoughts" { Opening::Thoughts } else { Opening::Text },
        thinks: (known["thinks"] == true).into(),
    }
}

fn read<'a>(want: &Value, parts: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut body = Body::new(reading(want));
    let mut events = Vec::new();
    for part in parts {
        body.push(part).unwrap();
        events.extend(body.take_events());
    }
    let Finished { events: last, completion, opening: _ } = body.finish(&"m".into());
    events.extend(last);
    let (text, thoughts) = (String::new(), String::new());
    let mut outcome = Outcome { begun: 0, text, thoughts, notices: 0, completion };
    for event in events {
        match event {
            ChatEvent::Answering => outcome.begun += 1,
            ChatEvent::Text(text) => outcome.text.push_str(&text),
            ChatEvent::Thinking(thought) => outcome.thoughts.push_str(&thought),
            ChatEvent::Notice { .. } => outcome.notices += 1,
            ChatEvent::Calling => {}
            ChatEvent::Connecting | ChatEvent::Sent | ChatEvent::Retry { .. } => unreachable!("{event:?}"),
        }
    }
    outcome
}

/// What `outcome` says otherwise than `want`.
fn problems(want: &Value, outcome: Outcome) -> Vec<String> {
    let found = found(want, outcome);
    let wanted = wanted(want);
    let differ = wanted.iter().filter(|(what, value)| found.get(what.as_str()) != Some(value));
    differ.map(|(what, value)| format!("{what} should be {value} and is {}", found[what])).collect()
}

/// `want` with what it leaves out.
fn wanted(want: &Value) -> Map<String, Value> {
    let mut wanted = want.as_object().unwrap().clone();
    wanted.retain(|what, _| !["about", "reading"].contains(&what.as_str()));
    if want["error"].is_null() {
        let nothing_each = want["calls"].as_array().unwrap().iter().map(|_| json!({})).collect();
        wanted.entry("call_extra").or_insert(Value::Array(nothing_each));
        wanted.entry("extra").or_insert(json!({}));
        wanted.entry("notices").or_insert(json!(0));
    }
    wanted
}

/// `outcome` in the form of `want`.
fn found(want: &Value, outcome: Outcome) -> Value {
    let Completion { message, cut, form: _ } = match outcome.completion {
        Ok(completion) => completion,
        Err(fault) => {
            let error = told(fault);
            let named = want["error"].as_str().filter(|words| error.message.contains(words));
            return json!({ "error": named.unwrap_or(&error.message), "remedy": remedy(&error.remedy) });
        }
    };
    assert_eq!((message.text.as_str(), cut), (&*outcome.text, message.stop_reason == StopReason::MaxTokens));
    assert_eq!(message.reasoning.map(|reasoning| reasoning.text).unwrap_or_default(), outcome.thoughts);
    json!({
        "text": outcome.text,
        "thoughts": outcome.thoughts,
        "calls": message.tool_calls.iter().map(called).collect::<Vec<_>>(),
        "call_extra": message.tool_calls.iter().map(beside).collect::<Vec<_>>(),
        "stop": stop(message.stop_reason),
        "usage": message.usage.map(|usage| {
            [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, usage.cached_tokens]
        }),
        "error": null,
        "extra": message.extra,
        "notices": outcome.notices,
    })
}

/// A call's name and arguments; these as a text where they are no object, but that nothing is an empty one.
fn called(call: &ToolCall) -> Value {
    let arguments = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(arguments)) => Value::Object(arguments),
        _ if ["", "null"].contains(&call.arguments.trim()) => json!({}),
        _ => Value::String(call.arguments.clone()),
    };
    json!({ "name": call.name.as_str(), "arguments": arguments })
}

/// What a call keeps beside its function.
fn beside(call: &ToolCall) -> Value {
    Value::Object(call.extra.clone())
}

fn stop(reason: StopReason) -> &'static str {
    match reason {
        StopReason::EndTurn => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refusal => "refusal",
        StopReason::Error | StopReason::Aborted => unreachable!("{reason:?}"),
    }
}

/// What a person is told of `fault`.
fn told(fault: Fault) -> ChatError {
    let asked = Asked { host: "h", base: "http://h/v1", key: None, model: "m" };
    match fault {
        Fault::TooLarge(message) => ChatError::new(Remedy::GiveUp, message),
        Fault::Page(page) => classify::page(asked, &page),
        Fault::Plain(text) => classify::plain(asked, &text),
        Fault::Odd(json) => classify::odd(asked, &json),
        Fault::Incomplete(Incomplete::Failed(raw)) => classify::failure(asked, &raw, Stage::Stream),
        Fault::Incomplete(Incomplete::WindowFull) => classify::window_full(asked),
        Fault::Empty => classify::broken(asked, "no data received"),
        Fault::Incomplete(Incomplete::Truncated { .. }) => classify::broken(asked, "it ended"),
    }
}

fn remedy(remedy: &Remedy) -> &'static str {
    match remedy {
        Remedy::Retry { .. } => "retry",
        Remedy::NextKey => "next_key",
        Remedy::NextModel => "next_model",
        Remedy::Compact => "compact",
        Remedy::GiveUp => "give_up",
    }
}
