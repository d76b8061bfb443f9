//! Stopped from outside, at every place where a run can wait: what was under way ends, and the session goes on.

use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Pid;
use serde_json::json;

use crate::endpoint::{Endpoint, Gate, call, calls, stall, status, text, thinking};
use crate::harness::{Clawd, Output, Running, Signal};
use crate::headless::{calling, expect_one_line, streaming, streaming_again, the};
use crate::watched::DEADLINE;

/// Stopping is a matter of milliseconds; on a loaded machine of a few seconds, and never of a time limit.
const SOON: Duration = Duration::from_secs(10);

/// Signals and waits for the end, which must come soon and be told.
fn stop(running: Running, signal: Signal, code: i32) -> Output {
    let begun = Instant::now();
    running.signal(signal);
    let output = running.wait().expect_code(code);
    assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
    let result = output.result();
    assert_eq!(
        (&result["success"], &result["error"]["type"]),
        (&json!(false), &json!("aborted")),
        "{output:#?}"
    );
    expect_one_line(&output, &["Error: interrupted"]);
    output
}

/// What the next run of the session asks: its roles.
fn goes_on(clawd: &Clawd, endpoint: &Endpoint, roles: &str) {
    endpoint.push(text("On it."));
    streaming_again(clawd).args(["-c", "go on"]).run().expect_code(0);
    let requests = endpoint.requests();
    assert_eq!(requests.last().unwrap().roles(), roles);
}

/// A place where a command tells something, and the test waits for it.
fn place_to_tell(clawd: &Clawd) -> std::path::PathBuf {
    let fifo = clawd.project().join("told");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    fifo
}

fn told(fifo: &Path) -> String {
    let (send, receive) = mpsc::channel();
    let fifo = fifo.to_owned();
    std::thread::spawn(move || send.send(std::fs::read_to_string(fifo).unwrap()));
    receive.recv_timeout(DEADLINE).expect("the command tells something")
}

/// Gone, or dead and only not yet buried by whoever inherited it.
fn is_gone(pid: &str) -> bool {
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| stat.rsplit(") ").next().unwrap().starts_with(['Z', 'X']))
}

#[test]
fn while_it_waits_for_the_head_of_an_answer() {
    let endpoint = Endpoint::script([stall()]);
    let clawd = streaming(&endpoint).arg("first");
    let running = clawd.spawn();
    endpoint.wait_for_request(1);
    let output = stop(running, Signal::INT, 130);
    assert_eq!(output.events_of("message").len(), 0);
    assert_eq!(endpoint.wait_for_hangup(), 1);
    goes_on(&clawd, &endpoint, "system user");
    assert_eq!(
        endpoint.requests()[1].last_text(),
        "first\n\ngo on",
        "nobody has an input for it to go back into"
    );
    endpoint.finish();
}

#[test]
fn in_the_middle_of_an_answer_the_text_is_kept() {
    let endpoint = Endpoint::script([thinking("hm").text("Hel").stall()]);
    let clawd = streaming(&endpoint).arg("first");
    let running = clawd.spawn();
    running.wait_for_event("text_delta");
    let output = stop(running, Signal::INT, 130);
    assert_eq!(the(&output, "message")["message"]["content"], "Hel");
    assert_eq!(output.result()["final_message"], "Hel");
    assert_eq!(endpoint.wait_for_hangup(), 1);
    goes_on(&clawd, &endpoint, "system user assistant user");
    assert_eq!(endpoint.requests()[1].messages()[2]["content"], "Hel");
    endpoint.finish();
}

#[test]
fn in_the_middle_of_thoughts_nothing_is_kept() {
    let endpoint = Endpoint::script([thinking("hm").stall()]);
    let clawd = streaming(&endpoint).arg("first");
    let running = clawd.spawn();
    running.wait_for_event("thinking_delta");
    stop(running, Signal::INT, 130);
    goes_on(&clawd, &endpoint, "system user");
    endpoint.finish();
}

#[test]
fn in_the_middle_of_a_call_the_text_before_it_is_kept_and_the_call_is_not() {
    let endpoint =
        Endpoint::script([text("I write.").calls([call("Bash", json!({"command": "touch never"}))]).stall()]);
    let clawd = streaming(&endpoint).args(["--yolo", "first"]);
    let running = clawd.spawn();
    running.wait_for_event("text_delta");
    stop(running, Signal::INT, 130);
    assert!(!clawd.project().join("never").exists());
    goes_on(&clawd, &endpoint, "system user assistant user");
    endpoint.finish();
}

#[test]
fn while_a_command_runs_it_and_all_it_started_are_ended() {
    let command = "echo half; sleep 60 & echo $! > told; wait";
    let endpoint = Endpoint::script([calls([
        call("Bash", json!({"command": command})),
        call("Bash", json!({"command": "touch never"})),
    ])]);
    let clawd = streaming(&endpoint).args(["--yolo", "first"]);
    let fifo = place_to_tell(&clawd);
    let running = clawd.spawn();
    let sleeper = told(&fifo);
    assert!(!is_gone(&sleeper));
    let output = stop(running, Signal::INT, 130);
    assert!(is_gone(&sleeper), "the child of the command");
    assert!(!clawd.project().join("never").exists());
    assert_eq!(output.events_of("tool_result").len(), 2);
    goes_on(&clawd, &endpoint, "system user assistant tool tool user");
    let second = &endpoint.requests()[1];
    let (half, never) = (second.tool_result("call_1"), second.tool_result("call_2"));
    assert!(half.contains("half") && half.contains("interrupted"), "{half}");
    assert!(never.starts_with("Error:") && never.contains("interrupted"), "{never}");
    endpoint.finish();
}

#[test]
fn a_command_that_does_not_listen_is_killed() {
    let command = "trap '' TERM INT; echo $$ > told; while :; do sleep 60; done";
    let endpoint = Endpoint::script([calling("Bash", json!({"command": command}))]);
    let clawd = streaming(&endpoint).args(["--yolo", "first"]);
    let fifo = place_to_tell(&clawd);
    let running = clawd.spawn();
    let deaf = told(&fifo);
    stop(running, Signal::INT, 130);
    assert!(is_gone(&deaf));
    goes_on(&clawd, &endpoint, "system user assistant tool user");
    endpoint.finish();
}

#[test]
fn in_the_pause_before_another_try() {
    let endpoint = Endpoint::script([status(500).header("retry-after", "50")]);
    let clawd = streaming(&endpoint).arg("first");
    let running = clawd.spawn();
    assert_eq!(running.wait_for_event("retry")["delay_ms"], 50_000);
    stop(running, Signal::INT, 130);
    goes_on(&clawd, &endpoint, "system user");
    endpoint.finish();
}

#[test]
fn after_an_answer_broke_off_its_text_is_kept_until_another_begins() {
    for (again, kept) in [("", "Half."), ("Other.", "Other.")] {
        let gate = Gate::new();
        let endpoint = Endpoint::script([text("Half.").cut(), text(again).hold(&gate).text("never")]);
        let clawd = streaming(&endpoint).arg("first");
        let running = clawd.spawn();
        running.wait_for_event("retry");
        gate.wait_reached();
        if !again.is_empty() {
            running.wait_for_event("text_delta");
        }
        let output = stop(running, Signal::INT, 130);
        assert_eq!(the(&output, "message")["message"]["content"], kept);
        assert_eq!(output.result()["final_message"], kept);
        goes_on(&clawd, &endpoint, "system user assistant user");
        assert_eq!(endpoint.requests()[2].messages()[2]["content"], kept);
        endpoint.finish();
    }
}

#[test]
fn after_tools_what_they_gave_is_kept() {
    let endpoint = Endpoint::script([calling("Glob", json!({"pattern": "*"})), stall()]);
    let clawd = streaming(&endpoint).arg("first");
    let running = clawd.spawn();
    endpoint.wait_for_request(2);
    stop(running, Signal::INT, 130);
    goes_on(&clawd, &endpoint, "system user assistant tool user");
    endpoint.finish();
}

#[test]
fn other_signals_end_with_codes_of_their_own() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let endpoint = Endpoint::script([text("Hel").stall()]);
        let clawd = streaming(&endpoint).arg("first");
        let running = clawd.spawn();
        running.wait_for_event("text_delta");
        stop(running, signal, code);
        goes_on(&clawd, &endpoint, "system user assistant user");
        endpoint.finish();
    }
}

#[test]
fn a_second_signal_does_no_harm() {
    let endpoint =
        Endpoint::script([calling("Bash", json!({"command": "trap '' TERM; echo $$ > told; sleep 60"}))]);
    let clawd = streaming(&endpoint).args(["--yolo", "first"]);
    let fifo = place_to_tell(&clawd);
    let running = clawd.spawn();
    told(&fifo);
    running.signal(Signal::INT);
    stop(running, Signal::INT, 130);
    goes_on(&clawd, &endpoint, "system user assistant tool user");
    endpoint.finish();
}

#[test]
fn while_it_waits_for_standard_input() {
    let endpoint = Endpoint::script([]);
    let mut running = Clawd::new(&endpoint).args(["-p"]).open_stdin().spawn();
    // once it reads, it listens: the pipe is empty only then
    running.write_stdin(&"x".repeat(1 << 17));
    running.signal(Signal::INT);
    running.wait().expect_code(130);
    endpoint.finish();
}

#[test]
fn as_text_an_abort_prints_nothing_but_its_line() {
    let endpoint = Endpoint::script([text("Hel").stall()]);
    let running = Clawd::new(&endpoint).args(["-p", "go"]).spawn();
    endpoint.wait_for_request(1);
    running.signal(Signal::INT);
    let output = running.wait().expect_code(130);
    assert_eq!(output.stdout, "");
    expect_one_line(&output, &["Error: interrupted"]);
}

#[test]
fn the_result_of_an_interrupted_call_names_the_cause() {
    let causes = [
        (Some(Signal::INT), 130, "interrupted by the user"),
        (Some(Signal::TERM), 143, "interrupted by SIGTERM"),
        (Some(Signal::HUP), 129, "interrupted by SIGHUP"),
        (None, 3, "interrupted by the time limit"),
    ];
    for (signal, code, cause) in causes {
        let endpoint = Endpoint::script([calls([
            call("Bash", json!({"command": "echo go > told; sleep 60"})),
            call("Bash", json!({"command": "echo never"})),
        ])]);
        let limit = if signal.is_none() { "5" } else { "600" };
        let clawd = streaming(&endpoint).args(["--yolo", "--timeout", limit, "first"]);
        let fifo = place_to_tell(&clawd);
        let running = clawd.spawn();
        told(&fifo);
        let output = match signal {
            Some(signal) => stop(running, signal, code),
            None => running.wait().expect_code(code),
        };
        let results = output.events_of("tool_result");
        assert_eq!(results.len(), 2);
        for result in results {
            let content = result["content"].as_str().unwrap();
            assert!(content.starts_with(&format!("Error: {cause}")), "{cause}: {content}");
        }
        endpoint.finish();
    }
}
