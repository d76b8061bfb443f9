//! Five hundred calls of each tool in one session: what the program holds at the end it held near the start.
//!
//! The program is looked at from inside, by a command of the model's own: its parent is the program. The first rounds are
//! left out, for what is made once (threads, the shell's file, the allocator's arenas) is made there.

use serde_json::{Value, json};

use crate::endpoint::{Call, Endpoint, call, calls, text};
use crate::harness::Output;
use crate::headless::{streaming, streaming_again};
use crate::sessions::session_file;
use crate::workshop::Workshop;

/// Calls in an answer, the look included; an answer may make 64.
const ROUND: usize = 64;

/// Rounds: eight times 63 calls are 504.
const ROUNDS: usize = 8;

/// Rounds that are not looked at.
const WARM: usize = 2;

/// What may be open at one look and not at another; a leak in every tenth call would be thirty.
const SLACK: u64 = 8;

/// What the program held at a moment.
#[derive(Debug)]
struct Held {
    descriptors: u64,
    threads: u64,
    children: u64,
    /// In kilobytes.
    memory: u64,
}

fn look() -> Call {
    // an ordinary user is not shown the descriptors of a program that keeps itself to itself: none, at every look
    let script = "cd /proc/$PPID && echo held $(ls fd 2>/dev/null | wc -l) $(ls task | wc -l) \
                  $(cat task/*/children 2>/dev/null | wc -w) $(awk '/^VmRSS/ {print $2}' status)";
    call("Bash", json!({"command": script}))
}

fn held(told: &str) -> Held {
    let numbers: Vec<u64> = told.split_whitespace().skip(1).map_while(|number| number.parse().ok()).collect();
    let [descriptors, threads, children, memory] = numbers[..] else { panic!("a look: {told}") };
    Held { descriptors, threads, children, memory }
}

/// Makes the calls in rounds, each followed by a look. All of them must succeed.
#[track_caller]
fn check(shop: &Workshop, first: Option<Call>, made: impl Fn(usize) -> Call) {
    let told = check_told(shop, first, made);
    let wrong: Vec<&String> = told.iter().filter(|told| told.starts_with("Error:")).collect();
    assert!(wrong.is_empty(), "{:?} of {}", wrong.first(), wrong.len());
}

/// The same for calls that may be refused; what each call was told.
#[track_caller]
fn check_told(shop: &Workshop, first: Option<Call>, made: impl Fn(usize) -> Call) -> Vec<String> {
    let round = |round: usize| {
        let calls = (0..ROUND - 1).map(|number| made(round * (ROUND - 1) + number));
        calls.chain([look()]).collect::<Vec<Call>>()
    };
    let told = shop.run(first.map(|call| vec![call]).into_iter().chain((0..ROUNDS).map(round))).told;
    let looks: Vec<Held> =
        told.iter().filter(|told| told.starts_with("held ")).map(|told| held(told)).collect();
    let (early, last) = (&looks[WARM], &looks[ROUNDS - 1]);
    // the look itself has a pipe open, and a command before it may still be ending
    let grown = |late: u64, early: u64| late > early + SLACK;
    assert!(!grown(last.descriptors, early.descriptors), "{looks:?}");
    assert!(!grown(last.children, early.children), "{looks:?}");
    // calls that only read run side by side, each on a thread; those threads rest for ten seconds
    assert!(last.threads <= ROUND as u64 + SLACK, "{looks:?}");
    // what was said stays in memory: three times its bytes, and 8 MB for the allocator
    let said = u64::try_from(told.iter().map(String::len).sum::<usize>()).unwrap() / 1024;
    assert!(last.memory <= early.memory + 8 * 1024 + 3 * said, "{looks:?}, {said} KB said");
    told
}

fn file(number: usize) -> String {
    format!("d{}/f{number}.txt", number % 7)
}

#[test]
fn reading_holds_on_to_nothing() {
    let shop = (0..50).fold(Workshop::new(), |shop, number| shop.file(&file(number), "one\ntwo\nthree\n"));
    check(&shop, None, |number| call("Read", json!({"file_path": file(number % 50)})));
}

#[test]
fn writing_holds_on_to_nothing() {
    check(&Workshop::new(), None, |number| {
        call("Write", json!({"file_path": file(number), "content": format!("{number}\n")}))
    });
}

#[test]
fn editing_holds_on_to_nothing() {
    let shop = Workshop::new().file("f", "line 0\nother\n");
    let edit = |number: usize| {
        let (old, new) = (format!("line {number}\n"), format!("line {}\n", number + 1));
        call("Edit", json!({"file_path": "f", "old_string": old, "new_string": new}))
    };
    check(&shop, Some(call("Read", json!({"file_path": "f"}))), edit);
    assert_eq!(shop.text("f"), format!("line {}\nother\n", (ROUND - 1) * ROUNDS));
}

#[test]
fn searching_holds_on_to_nothing() {
    let shop = (0..50).fold(Workshop::new(), |shop, number| shop.file(&file(number), "one\ntwo\nthree\n"));
    check(&shop, None, |number| -> Call {
        let arguments: Value = match number % 3 {
            0 => return call("Glob", json!({"pattern": "**/*.txt"})),
            1 => json!({"pattern": "two"}),
            _ => json!({"pattern": "t.*e", "output_mode": "content", "head_limit": 5}),
        };
        call("Grep", arguments)
    });
}

#[test]
fn commands_leave_nothing_in_the_program() {
    let command = |number: usize| match number % 3 {
        0 => "true",
        1 => "echo one; echo two >&2",
        _ => "(sleep 0.01 &) ; seq 100",
    };
    check(&Workshop::new(), None, |number| call("Bash", json!({"command": command(number)})));
}

#[test]
fn steps_hold_on_to_nothing() {
    check(&Workshop::new(), None, |number| {
        let step = |at: usize| json!({"content": format!("step {}", number + at), "status": "pending"});
        call("TodoWrite", json!({"todos": (0..5).map(step).collect::<Vec<Value>>()}))
    });
}

#[test]
fn a_task_that_is_asked_again_and_again_holds_on_to_nothing() {
    // it ends with the program
    let first = call("Bash", json!({"command": "sleep 100", "run_in_background": true}));
    check(&Workshop::new(), Some(first), |_| call("BashOutput", json!({"id": "bash_1"})));
}

#[test]
fn what_is_refused_holds_on_to_nothing() {
    let first = call("Bash", json!({"command": "sleep 100", "run_in_background": true}));
    let told = check_told(&Workshop::new(), Some(first), |number| match number % 3 {
        0 => call("KillShell", json!({"id": "bash_1"})),
        // a private address is judged and refused
        1 => call("WebFetch", json!({"url": format!("http://127.0.0.1:9/{number}")})),
        // nobody is there to answer
        _ => call("AskUser", json!({"question": "which?", "options": ["a", "b"]})),
    });
    let refused = told.iter().filter(|told| told.starts_with("Error:")).count();
    assert!(refused >= ROUNDS * (ROUND - 1) * 2 / 3, "{refused}");
}

/// 500 turns of ten messages each, with three compactions, the last of them near the end.
fn five_thousand_messages(id: &str) -> String {
    let head = json!({"type": "session", "version": 1, "id": id, "cwd": "/w", "model": "mock-1"});
    let mut lines = vec![head];
    for turn in 0..500 {
        if [166, 333, 495].contains(&turn) {
            lines.push(json!({"type": "compaction", "summary": "Much was done. ".repeat(100), "kept": 4}));
        }
        let message =
            |role: &str, content: &str| json!({"type": "message", "role": role, "content": content});
        lines.push(message("user", &format!("Look at part {turn}.")));
        for step in 0..4 {
            let call = format!("old_{turn}_{step}");
            let function = json!({"name": "Read", "arguments": "{\"file_path\":\"a.rs\"}"});
            let mut asked = message("assistant", "I read it.");
            asked["tool_calls"] = json!([{"id": call, "type": "function", "function": function}]);
            let mut result = message("tool", &"fn sum(prices: &[f64]) -> f64\n".repeat(300));
            result["tool_call_id"] = json!(call);
            lines.extend([asked, result]);
        }
        lines.push(message("assistant", &"It adds up prices. ".repeat(30)));
    }
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

/// What a resume costs does not grow with what stands before the last summary, nor with how often it was done.
#[test]
fn five_thousand_messages_are_gone_on_with_twenty_times() {
    let endpoint = Endpoint::script([]);
    let told = |output: &Output| held(output.events_of("tool_result")[0]["content"].as_str().unwrap());
    let queue = || [calls([look()]), text("Seen.")].into_iter().for_each(|answer| endpoint.push(answer));
    let clawd = streaming(&endpoint).args(["--yolo", "begin"]);
    queue();
    let early = told(&clawd.run().expect_code(0));
    let id = "01900000-0000-7000-8000-00000000eeee";
    let file = session_file(&clawd).with_file_name(format!("{id}.jsonl"));
    std::fs::write(&file, five_thousand_messages(id)).unwrap();
    let mut late = Vec::new();
    for _ in 0..20 {
        queue();
        endpoint.allow_break();
        let output = streaming_again(&clawd).args(["--yolo", "-r", id, "go on"]).run().expect_code(0);
        assert_eq!(output.stderr, "");
        late.push(told(&output));
    }
    let last = late.last().unwrap();
    assert!(last.memory * 2 <= early.memory * 3, "{early:?} {late:?}");
    assert!(
        last.descriptors <= early.descriptors + SLACK && last.threads <= early.threads + SLACK,
        "{early:?} {late:?}"
    );
    let sent: Vec<usize> = endpoint.requests().iter().skip(2).map(|request| request.raw.len()).collect();
    assert!(sent.len() == 40 && sent[39] * 2 <= sent[0] * 3, "{sent:?}");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept.matches("{\"type\":\"message\"").count(), 5_000 + 20 * 4);
    endpoint.finish();
}
