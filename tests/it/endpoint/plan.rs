//! From an `Answer` to the steps that the server plays: write these bytes, wait here, break off. Pure.
//!
//! The last piece of a body carries the end of the HTTP message in the same write, so that a client which
//! hangs up at `[DONE]` does not look like one that hung up in the middle.

use serde_json::{Value, json};

use super::answer::{
    Answer, Body, Break, Call, CallId, Completion, Finish, Form, Opening, Part, Pieces, Usage, Writes,
};
use super::gate::Gate;

/// What an answer is made of, in order.
#[derive(Debug)]
pub(super) enum Step {
    Write(Vec<u8>),
    Hold(Gate),
    Break(Break),
}

/// What the request decides about its answer.
pub(super) struct Asked {
    pub(super) model: String,
    stream: bool,
    usage: bool,
}

impl Asked {
    pub(super) fn by(request: &Value) -> Self {
        Self {
            model: request["model"].as_str().unwrap_or("unnamed").to_owned(),
            stream: request["stream"] == true,
            usage: request["stream_options"]["include_usage"] == true,
        }
    }
}

/// The steps of an answer; `next_id` counts the calls without an id of their own.
pub(super) fn plan(answer: &Answer, asked: &Asked, next_id: &mut usize) -> Vec<Step> {
    let mut steps = match &answer.opening {
        Opening::AtOnce => Vec::new(),
        Opening::Held(gate) => vec![Step::Hold(gate.clone())],
        Opening::Broken(how) => return vec![Step::Break(*how)],
    };
    let (content_type, body) = body(answer, asked, next_id);
    let framing = if content_type == "text/event-stream" {
        Framing::Chunked
    } else {
        Framing::Length(body.iter().map(Step::len).sum())
    };
    steps.push(Step::Write(head(answer, content_type, framing)));
    let body = match answer.cut_after {
        Some(bytes) => cut(body, bytes),
        None => body,
    };
    steps.extend(frame(split(body, &answer.writes), framing));
    steps
}

/// Whether the client gets something that it must keep: a request after it has to carry it on.
pub(super) fn is_whole(answer: &Answer) -> bool {
    let Body::Completion(completion) = &answer.body else { return false };
    let speaks = completion.parts.iter().any(|part| match part {
        Part::Text(text) => !text.trim().is_empty(),
        Part::Call(_) => true,
        Part::Thinking(_) | Part::Delta(_) | Part::Raw(_) | Part::Hold(_) | Part::Break(_) => false,
    });
    let breaks = completion.parts.iter().any(|part| matches!(part, Part::Break(_) | Part::Raw(_)));
    let ends = match &completion.finish {
        Finish::Natural => true,
        Finish::Named(reason) => reason != "content_filter",
        Finish::Missing => completion.done,
    };
    let plainly = answer.status == 200 && !names_content_type(answer);
    let undisturbed = answer.cut_after.is_none() && !matches!(answer.opening, Opening::Broken(_));
    speaks && ends && plainly && undisturbed && !breaks
}

#[derive(Clone, Copy)]
enum Framing {
    Chunked,
    Length(usize),
}

impl Step {
    fn len(&self) -> usize {
        match self {
            Self::Write(bytes) => bytes.len(),
            Self::Hold(_) | Self::Break(_) => 0,
        }
    }
}

fn head(answer: &Answer, content_type: &str, framing: Framing) -> Vec<u8> {
    let reason = if answer.status < 400 { "OK" } else { "Scripted Error" };
    let mut lines = vec![format!("HTTP/1.1 {} {reason}", answer.status)];
    if !names_content_type(answer) {
        lines.push(format!("content-type: {content_type}"));
    }
    lines.extend(answer.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    lines.push(match framing {
        Framing::Chunked => "transfer-encoding: chunked".to_owned(),
        Framing::Length(bytes) => format!("content-length: {bytes}"),
    });
    (lines.join("\r\n") + "\r\n\r\n").into_bytes()
}

fn names_content_type(answer: &Answer) -> bool {
    answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
}

fn body(answer: &Answer, asked: &Asked, next_id: &mut usize) -> (&'static str, Vec<Step>) {
    match &answer.body {
        Body::Plain { content_type, bytes } => (content_type, vec![Step::Write(bytes.clone())]),
        Body::Completion(completion) => match completion.form {
            Form::AsAsked if asked.stream => ("text/event-stream", stream(completion, asked, next_id)),
            Form::AsAsked | Form::Json => ("application/json", object(completion, asked, next_id)),
        },
    }
}

fn stream(completion: &Completion, asked: &Asked, next_id: &mut usize) -> Vec<Step> {
    let mut steps = vec![event(&chunk(asked, &json!({"role": "assistant", "content": ""}), None))];
    let mut index = 0;
    for part in &completion.parts {
        match part {
            Part::Text(text) => steps.push(event(&chunk(asked, &json!({"content": text}), None))),
            Part::Thinking(text) => {
                steps.push(event(&chunk(asked, &json!({"reasoning_content": text}), None)));
            }
            Part::Call(call) => {
                let deltas = call_deltas(call, index, next_id);
                steps.extend(
                    deltas.iter().map(|delta| event(&chunk(asked, &json!({"tool_calls": [delta]}), None))),
                );
                index += 1;
            }
            Part::Delta(delta) => steps.push(event(&chunk(asked, delta, None))),
            Part::Raw(bytes) => steps.push(Step::Write(bytes.clone().into_bytes())),
            Part::Hold(gate) => steps.push(Step::Hold(gate.clone())),
            Part::Break(how) => steps.push(Step::Break(*how)),
        }
    }
    if let Some(reason) = finish(completion) {
        steps.push(event(&chunk(asked, &json!({}), Some(&reason))));
    }
    if let Some(usage) = usage(completion, asked.usage) {
        let mut last = chunk(asked, &json!({}), None);
        last["choices"] = json!([]);
        last["usage"] = usage;
        steps.push(event(&last));
    }
    if completion.done {
        steps.push(Step::Write(b"data: [DONE]\n\n".to_vec()));
    }
    steps
}

fn event(chunk: &Value) -> Step {
    Step::Write(format!("data: {chunk}\n\n").into_bytes())
}

fn chunk(asked: &Asked, delta: &Value, finish: Option<&str>) -> Value {
    json!({
        "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0, "model": asked.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
}

/// As most servers do it: id and name first, then the arguments in pieces of a few characters.
fn call_deltas(call: &Call, index: usize, next_id: &mut usize) -> Vec<Value> {
    let id = call_id(call, next_id);
    let mut first =
        json!({"index": index, "type": "function", "function": {"name": call.name, "arguments": ""}});
    if let Some(id) = id {
        first["id"] = json!(id);
    }
    match call.pieces {
        Pieces::Whole => {
            first["function"]["arguments"] = json!(call.arguments);
            vec![first]
        }
        Pieces::Fragments => {
            let characters: Vec<char> = call.arguments.chars().collect();
            let fragments = characters.chunks(8).map(|piece| piece.iter().collect::<String>());
            let rest = fragments.map(|piece| json!({"index": index, "function": {"arguments": piece}}));
            std::iter::once(first).chain(rest).collect()
        }
    }
}

fn call_id(call: &Call, next_id: &mut usize) -> Option<String> {
    match &call.id {
        CallId::Next => {
            *next_id += 1;
            Some(format!("call_{next_id}"))
        }
        CallId::Given(id) => Some(id.clone()),
        CallId::Missing => None,
    }
}

fn finish(completion: &Completion) -> Option<String> {
    let calls = completion.parts.iter().any(|part| matches!(part, Part::Call(_)));
    match &completion.finish {
        Finish::Natural => Some(if calls { "tool_calls" } else { "stop" }.to_owned()),
        Finish::Named(reason) => Some(reason.clone()),
        Finish::Missing => None,
    }
}

fn usage(completion: &Completion, asked: bool) -> Option<Value> {
    match &completion.usage {
        Usage::IfAsked if asked => {
            Some(json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}))
        }
        Usage::Given(usage) => Some(usage.clone()),
        Usage::IfAsked | Usage::Never => None,
    }
}

/// The same as one object. Holds and breaks come before its first byte: it has no middle to stand in.
fn object(completion: &Completion, asked: &Asked, next_id: &mut usize) -> Vec<Step> {
    let (mut text, mut thinking) = (String::new(), String::new());
    let (mut calls, mut steps) = (Vec::new(), Vec::new());
    for part in &completion.parts {
        match part {
            Part::Text(delta) => text.push_str(delta),
            Part::Thinking(delta) => thinking.push_str(delta),
            Part::Call(call) => calls.push(json!({
                "id": call_id(call, next_id), "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })),
            Part::Hold(gate) => steps.push(Step::Hold(gate.clone())),
            Part::Break(how) => steps.push(Step::Break(*how)),
            Part::Delta(_) | Part::Raw(_) => panic!("a JSON answer has no deltas of its own making"),
        }
    }
    let mut message = json!({"role": "assistant", "content": text});
    if !thinking.is_empty() {
        message["reasoning_content"] = json!(thinking);
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let mut answer = json!({
        "id": "chatcmpl-scripted", "object": "chat.completion", "created": 0, "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish(completion)}],
    });
    if let Some(usage) = usage(completion, true) {
        answer["usage"] = usage;
    }
    steps.push(Step::Write(answer.to_string().into_bytes()));
    steps
}

/// Only the first `bytes` of the body, then the end of the connection.
fn cut(body: Vec<Step>, bytes: usize) -> Vec<Step> {
    let mut left = bytes;
    let mut kept = Vec::new();
    for step in body {
        if let Step::Write(mut piece) = step {
            piece.truncate(left);
            left -= piece.len();
            kept.push(Step::Write(piece));
        } else {
            kept.push(step);
        }
        if left == 0 {
            break;
        }
    }
    kept.push(Step::Break(Break::Close));
    kept
}

fn split(body: Vec<Step>, writes: &Writes) -> Vec<Step> {
    if matches!(writes, Writes::PerEvent) {
        return body;
    }
    let mut offset = 0;
    let mut steps = Vec::new();
    for step in joined(body) {
        let Step::Write(bytes) = step else {
            steps.push(step);
            continue;
        };
        let end = offset + bytes.len();
        let seams: Vec<usize> = match writes {
            Writes::PerEvent => Vec::new(),
            Writes::Every(size) => (offset + size..end).step_by(*size).collect(),
            Writes::At(offsets) => {
                offsets.iter().copied().filter(|at| (offset + 1..end).contains(at)).collect()
            }
        };
        let mut from = offset;
        for seam in seams.into_iter().chain([end]) {
            steps.push(Step::Write(bytes[from - offset..seam - offset].to_vec()));
            from = seam;
        }
        offset = end;
    }
    steps
}

/// Neighbouring writes made one, so that only the offsets say where the seams are.
fn joined(body: Vec<Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for step in body {
        match (steps.last_mut(), step) {
            (Some(Step::Write(before)), Step::Write(bytes)) => before.extend(bytes),
            (_, step) => steps.push(step),
        }
    }
    steps
}

fn frame(body: Vec<Step>, framing: Framing) -> Vec<Step> {
    let Framing::Chunked = framing else { return body };
    let mut steps: Vec<Step> = body
        .into_iter()
        .filter(|step| !matches!(step, Step::Write(bytes) if bytes.is_empty()))
        .map(|step| match step {
            Step::Write(bytes) => Step::Write(http_chunk(&bytes)),
            Step::Hold(_) | Step::Break(_) => step,
        })
        .collect();
    match steps.last_mut() {
        Some(Step::Break(_)) => {}
        Some(Step::Write(last)) => last.extend(b"0\r\n\r\n"),
        Some(Step::Hold(_)) | None => steps.push(Step::Write(b"0\r\n\r\n".to_vec())),
    }
    steps
}

fn http_chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}
