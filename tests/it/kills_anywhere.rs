//! The program killed (SIGKILL) behind any line that it prints, again and again in one session: whatever it had shown as done
//! is in the file, and each process that goes on from there sends what the strict endpoint takes.
//!
//! 70 kills, which with those of `kills` are a hundred; `CLAWD_TEST_KILLS=1000` makes as many. The surprise: a kill is as
//! early or late behind its line as a few thousand idle turns make it, for what is to be hit lies between two lines. Nothing
//! is decided by that time.

use std::path::Path;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, call, calls, text, thinking};
use crate::harness::Clawd;
use crate::headless::{streaming, streaming_again};
use crate::sessions::session_file;

/// How many kills are wanted.
const KILLS: &str = "CLAWD_TEST_KILLS";
const USUAL: usize = 70;

/// Kills of one session.
const A_SESSION: usize = 14;

/// Lines that are waited for: a whole run prints a few more.
const LINES: usize = 15;

/// Sessions that are killed at the same time.
const AT_ONCE: usize = 2;

/// What one process is told, if it lives to hear it.
fn answers(number: usize) -> [Answer; 3] {
    let glob = |name: &str| call("Glob", json!({"pattern": format!("{name}{number}")}));
    [
        thinking("so").text(&format!("Step {number}. ")).calls([glob("a")]),
        calls([glob("b"), call("Bash", json!({"command": format!("echo {number}")})), glob("c")]),
        text("Done ").text("so far."),
    ]
}

/// One process more in the session, which the first one begins, killed behind a line. What it had shown.
fn kill(clawd: &Clawd, endpoint: &Endpoint, is_first: bool, number: usize) -> Vec<Value> {
    for answer in answers(number) {
        endpoint.push(answer);
    }
    // an answer that was sent to a process that died before it was read is nobody's
    endpoint.allow_break();
    let onward: &[&str] = if is_first { &[] } else { &["-c"] };
    let prompt = format!("prompt {number}");
    let running = streaming_again(clawd).args(onward.iter().copied()).args(["--yolo", &prompt]).spawn();
    for _ in 0..=(number * 7) % LINES {
        if running.next_line().is_none() {
            break;
        }
    }
    // a small generator of numbers without a pattern
    let idle = number.wrapping_mul(2_654_435_761) % 50_000;
    (0..idle).for_each(|_| std::hint::spin_loop());
    // one that has ended in this moment is as good as killed
    kill_process(running.pid(), Signal::KILL).ok();
    let printed = running.wait().stdout;
    let whole = printed.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every message and every result that was shown is in the file, whole.
fn check_kept(file: &Path, shown: &[Value]) {
    let kept = std::fs::read_to_string(file).unwrap();
    let kept: Vec<Value> = kept.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let ids = |message: &Value| -> Vec<String> {
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        calls.map(|call| call["id"].to_string()).collect()
    };
    for event in shown {
        let is_there = match event["type"].as_str().unwrap() {
            "message" => {
                let message = &event["message"];
                let same = |entry: &&Value| {
                    entry["role"] == "assistant"
                        && entry["content"].as_str().unwrap_or_default()
                            == message["content"].as_str().unwrap_or_default()
                        && ids(entry) == ids(message)
                };
                kept.iter().any(|entry| same(&entry))
            }
            "tool_result" => kept
                .iter()
                .any(|entry| entry["tool_call_id"] == event["id"] && entry["content"] == event["content"]),
            _ => true,
        };
        assert!(is_there, "shown and not kept: {event}");
    }
}

/// So many kills of one session, from the given number on, and then a run to its end.
fn check(kills: std::ops::Range<usize>) {
    let endpoint = Endpoint::script([]).then_forever(text("On it."));
    let clawd = streaming(&endpoint);
    let mut shown = Vec::new();
    for number in kills.clone() {
        let is_first = number == kills.start;
        // the first lines stand before anything is kept, and a session without a word has no file
        let number = if is_first { 3 + number % 5 } else { number };
        shown.extend(kill(&clawd, &endpoint, is_first, number));
    }
    let file = session_file(&clawd);
    check_kept(&file, &shown);
    endpoint.allow_break();
    let output = streaming_again(&clawd).args(["-c", "go on"]).run().expect_code(0);
    assert_eq!(output.stderr, "", "nothing is damaged");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.ends_with('\n') && kept.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    check_kept(&file, &shown);
    assert_eq!(endpoint.take_violations(), [""; 0]);
}

#[test]
fn wherever_it_is_killed_what_was_shown_is_kept_and_the_session_goes_on() {
    let wanted = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(USUAL);
    let sessions: Vec<_> = (0..wanted).step_by(A_SESSION).map(|at| at..wanted.min(at + A_SESSION)).collect();
    let mut threads = Vec::new();
    for lane in 0..AT_ONCE {
        let mine: Vec<_> = sessions.iter().skip(lane).step_by(AT_ONCE).cloned().collect();
        threads.push(std::thread::spawn(move || mine.into_iter().for_each(check)));
    }
    for thread in threads {
        thread.join().unwrap();
    }
}
