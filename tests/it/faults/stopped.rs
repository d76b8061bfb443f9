//! Stopped by SIGINT at fifty places of a run, one after another: each time the line to the endpoint is closed, nothing more is
//! asked, and the next prompt goes out with a valid history.

use serde_json::json;

use crate::endpoint::{Answer, Endpoint, Gate, empty, text};
use crate::harness::{Running, Signal};
use crate::headless::{calling, streaming, streaming_again};

/// What an answer consists of, piece by piece.
const PIECES: [Piece; 16] = [
    Piece::Thought("a "),
    Piece::Thought("b "),
    Piece::Thought("c"),
    Piece::Text("One"),
    Piece::Text(" two"),
    Piece::Text(" three"),
    Piece::Text(" four"),
    Piece::Text(" 五"),
    Piece::Text(" 🦀"),
    Piece::Text(" six."),
    Piece::Call(r#"{"id":"odd","function":{"name":"Wri","arguments":""}}"#),
    Piece::Call(r#"{"function":{"name":"te"}}"#),
    Piece::Call(r#"{"function":{"arguments":"{\"file_path\":"}}"#),
    Piece::Call(r#"{"function":{"arguments":"\"never.txt\","}}"#),
    Piece::Call(r#"{"function":{"arguments":"\"content\":\"x\"}"}}"#),
    Piece::Call(r#"{"index":1,"id":"odder","function":{"name":"Bash","arguments":"{\"comm"}}"#),
];

#[derive(Clone, Copy)]
enum Piece {
    Thought(&'static str),
    Text(&'static str),
    Call(&'static str),
}

/// The first `count` pieces, and then the gate.
fn beginning(count: usize, gate: &Gate) -> (Answer, String) {
    let mut shown = String::new();
    let answer = PIECES[..count].iter().fold(empty(), |answer, piece| match piece {
        Piece::Thought(text) => answer.thinking(text),
        Piece::Text(text) => {
            shown.push_str(text);
            answer.text(text)
        }
        Piece::Call(call) => {
            let call: serde_json::Value = serde_json::from_str(call).unwrap();
            answer.delta(json!({"tool_calls": [call]}))
        }
    });
    (answer.hold(gate), shown)
}

/// Reads on until so much text has been shown in the last turn: what was sent may not have arrived.
fn wait_for_text(running: &Running, expected: &str) {
    let mut shown = String::new();
    while shown != expected {
        shown.push_str(running.wait_for_event("text_delta")["text"].as_str().unwrap());
    }
}

/// Stops a run after `turns` whole turns and `count` pieces of the next answer.
fn check(turns: usize, count: usize) {
    let (gate, place) = (Gate::new(), format!("after {turns} turns and {count} pieces"));
    let (answer, shown) = beginning(count, &gate);
    let whole = (0..turns).map(|turn| calling("Glob", json!({"pattern": format!("{turn}.txt")})));
    let endpoint = Endpoint::script(whole.chain([answer]));
    let clawd = streaming(&endpoint).args(["--yolo", "first"]);
    let running = clawd.spawn();
    gate.wait_reached();
    wait_for_text(&running, &shown);
    running.signal(Signal::INT);
    let output = running.wait().expect_code(130);
    assert_eq!(output.result()["error"]["type"], "aborted", "{place}");
    assert_eq!(endpoint.wait_for_hangup(), turns + 1, "{place}");
    assert_eq!(endpoint.requests().len(), turns + 1, "{place}: nothing more is asked");
    assert!(!clawd.project().join("never.txt").exists(), "{place}");
    endpoint.push(text("On it."));
    streaming_again(&clawd).args(["-c", "go on"]).run().expect_code(0);
    let last = endpoint.requests().last().unwrap().clone();
    let kept = if shown.is_empty() { "" } else { " assistant" };
    let said = format!("system user{}{kept}", " assistant tool".repeat(turns));
    let expected = if said == "system user" { said } else { format!("{said} user") };
    assert_eq!(last.roles(), expected, "{place}");
    endpoint.finish();
}

#[test]
fn in_the_thoughts_and_the_text_of_a_first_answer() {
    (0..=8).for_each(|count| check(0, count));
}

#[test]
fn in_the_rest_of_a_first_answer() {
    (9..=PIECES.len()).for_each(|count| check(0, count));
}

#[test]
fn in_the_thoughts_and_the_text_of_a_second_answer() {
    (0..=8).for_each(|count| check(1, count));
}

#[test]
fn in_the_rest_of_a_second_answer() {
    (9..=PIECES.len()).for_each(|count| check(1, count));
}

#[test]
fn in_the_thoughts_and_the_text_of_a_third_answer() {
    (0..=8).for_each(|count| check(2, count));
}

#[test]
fn in_the_rest_of_a_third_answer() {
    (9..=PIECES.len()).for_each(|count| check(2, count));
}
