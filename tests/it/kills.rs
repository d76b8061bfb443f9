//! The program killed in the middle of a run (SIGKILL), at every place and after so many turns: each time the session
//! goes on with a valid history, and of what was said nothing is lost.

use std::fs::OpenOptions;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::bad_input::files_below;
use crate::endpoint::{Answer, Endpoint, Gate, call, calls, stall, text};
use crate::harness::Clawd;
use crate::headless::{calling, streaming, streaming_again};
use crate::watched::DEADLINE;

/// Where the kill falls, after some whole turns.
#[derive(Clone, Copy, Debug)]
enum Place {
    BeforeTheHead,
    InTheText,
    InTheCall,
    InTheTool,
    InTheSecondTool,
    BeforeTheNextRequestIsAnswered,
}

/// The roles that the next run must send: all that was said, and an answer for each call.
fn expected(place: Place, turns: usize) -> String {
    let turn = match place {
        Place::BeforeTheHead | Place::InTheText | Place::InTheCall => "",
        Place::InTheTool | Place::BeforeTheNextRequestIsAnswered => " assistant tool",
        Place::InTheSecondTool => " assistant tool tool",
    };
    let said = format!("system user{}{turn}", " assistant tool".repeat(turns));
    // a prompt without any answer and the next one are sent as one
    if said == "system user" { said } else { format!("{said} user") }
}

fn answers(place: Place) -> Vec<Answer> {
    let tell = json!({"command": "echo half; echo $$ > told; exec sleep 60"});
    match place {
        Place::BeforeTheHead => vec![stall()],
        Place::InTheText => vec![text("Never kept.").stall()],
        Place::InTheCall => {
            vec![text("Never kept.").calls([call("Bash", json!({"command": "touch x"}))]).stall()]
        }
        Place::InTheTool => vec![calling("Bash", tell)],
        Place::InTheSecondTool => {
            vec![calls([call("Bash", json!({"command": "echo first"})), call("Bash", tell)])]
        }
        Place::BeforeTheNextRequestIsAnswered => vec![calling("Glob", json!({"pattern": "last"})), stall()],
    }
}

fn fifo(clawd: &Clawd) -> PathBuf {
    let path = clawd.project().join("told");
    mknodat(CWD, &path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    path
}

fn told(fifo: &Path) -> Pid {
    let (send, receive) = mpsc::channel();
    let fifo = fifo.to_owned();
    std::thread::spawn(move || {
        let mut text = String::new();
        OpenOptions::new().read(true).open(fifo).unwrap().read_to_string(&mut text).unwrap();
        send.send(text)
    });
    let text = receive.recv_timeout(DEADLINE).expect("the command tells its number");
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

fn check(place: Place, turns: usize) {
    let whole = (0..turns).map(|turn| calling("Glob", json!({"pattern": format!("{turn}.txt")})));
    let endpoint = Endpoint::script(whole.chain(answers(place)));
    let clawd = streaming(&endpoint).args(["--yolo", "first"]);
    let fifo = fifo(&clawd);
    let running = clawd.spawn();
    let mut left_behind = None;
    match place {
        Place::BeforeTheHead => drop(endpoint.wait_for_request(turns + 1)),
        Place::InTheText | Place::InTheCall => drop(running.wait_for_event("text_delta")),
        Place::InTheTool | Place::InTheSecondTool => left_behind = Some(told(&fifo)),
        Place::BeforeTheNextRequestIsAnswered => drop(endpoint.wait_for_request(turns + 2)),
    }
    running.signal(Signal::KILL);
    assert_eq!(running.wait().signal, Some(9));
    if let Some(pid) = left_behind {
        // nobody was left to end it; it may have ended with its reader
        kill_process(pid, Signal::KILL).ok();
    }
    endpoint.push(text("On it."));
    let output = streaming_again(&clawd).args(["-c", "go on"]).run().expect_code(0);
    assert_eq!(output.stderr, "", "nothing is damaged");
    let request = endpoint.requests().last().unwrap().clone();
    assert_eq!(request.roles(), expected(place, turns), "{place:?} after {turns} turns");
    assert!(request.last_text().ends_with("go on"));
    assert!(!String::from_utf8_lossy(&request.raw).contains("Never kept"));
    check_results(place, &request.messages()[2..]);
    let files = files_below(&clawd.clawd_home().join("sessions"));
    assert!(files.iter().all(|(_, content)| content.ends_with('\n')), "whole lines");
    endpoint.finish();
}

fn check_results(place: Place, messages: &[Value]) {
    let results: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    let interrupted = results.iter().filter(|result| result.contains("interrupted")).count();
    let killed = matches!(place, Place::InTheTool | Place::InTheSecondTool);
    assert_eq!(interrupted, usize::from(killed), "{place:?}: {results:?}");
    if matches!(place, Place::InTheSecondTool) {
        assert!(results[results.len() - 2].contains("first"), "what was done before is known: {results:?}");
    }
}

#[test]
fn killed_before_the_head_of_an_answer() {
    (0..5).for_each(|turns| check(Place::BeforeTheHead, turns));
}

#[test]
fn killed_in_the_text_of_an_answer() {
    (0..5).for_each(|turns| check(Place::InTheText, turns));
}

#[test]
fn killed_in_a_call_that_was_arriving() {
    (0..5).for_each(|turns| check(Place::InTheCall, turns));
}

#[test]
fn killed_while_a_command_ran() {
    (0..5).for_each(|turns| check(Place::InTheTool, turns));
}

#[test]
fn killed_while_the_second_command_of_an_answer_ran() {
    (0..5).for_each(|turns| check(Place::InTheSecondTool, turns));
}

#[test]
fn killed_between_a_result_and_the_next_answer() {
    (0..5).for_each(|turns| check(Place::BeforeTheNextRequestIsAnswered, turns));
}

/// Twice in a row, the second time while it goes on from the first.
#[test]
fn killed_again_while_it_went_on() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([calling("Glob", json!({"pattern": "a"})), stall()]);
    let clawd = streaming(&endpoint).arg("first");
    let running = clawd.spawn();
    endpoint.wait_for_request(2);
    running.signal(Signal::KILL);
    running.wait();
    endpoint.push(text("Never kept.").hold(&gate));
    let running = streaming_again(&clawd).args(["-c", "second"]).spawn();
    running.wait_for_event("text_delta");
    running.signal(Signal::KILL);
    running.wait();
    endpoint.push(text("On it."));
    streaming_again(&clawd).args(["-c", "third"]).run().expect_code(0);
    let last = endpoint.requests().last().unwrap().clone();
    assert_eq!(
        (last.roles().as_str(), last.last_text().as_str()),
        ("system user assistant tool user", "second\n\nthird")
    );
    endpoint.finish();
}
