//! What counts as a repetition, as a failure and as an announcement, and what does not.

use serde_json::json;

use super::{kinds, look, run, run_in};
use crate::endpoint::{Answer, Endpoint, empty, status, text};
use crate::harness::{Clawd, Signal};
use crate::headless::{calling, expect_one_line, streaming, streaming_again, the};

fn edit(number: usize) -> Answer {
    let (old, new) = (format!("line {number}\n"), format!("line {}\n", number + 1));
    calling("Edit", json!({"file_path": "f.txt", "old_string": old, "new_string": new}))
}

fn bash(command: &str) -> Answer {
    calling("Bash", json!({"command": command}))
}

#[track_caller]
fn check_loops(answers: Vec<Answer>, expected: &[&str]) {
    let file = |clawd: Clawd| clawd.file("f.txt", "line 0\nother\n");
    let read = calling("Read", json!({"file_path": "f.txt"}));
    let script = [read].into_iter().chain(answers).chain([text("Done.")]);
    let (output, endpoint) = run_in(script, "go", 0, file);
    assert_eq!(kinds(&output), expected);
    let failed: Vec<_> =
        output.events_of("tool_result").into_iter().filter(|result| result["success"] == false).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    endpoint.finish();
}

#[test]
fn the_same_call_with_the_same_result_five_times_gets_a_hint_once() {
    let same = || calling("Bash", json!({"command": "echo same"}));
    let (output, endpoint) = run((0..20).map(|_| same()).chain([text("I stop.")]), 0);
    assert_eq!(kinds(&output), ["loop_detected"]);
    let hints: Vec<usize> =
        endpoint.requests().iter().map(|request| request.roles().matches("tool user").count()).collect();
    assert_eq!((hints[4], hints[5], hints[20]), (0, 1, 1), "behind the fifth result and no other");
    endpoint.finish();
}

#[test]
fn five_different_calls_are_no_loop() {
    let (output, endpoint) = run((0..8).map(look).chain([text("Done.")]), 0);
    assert_eq!(kinds(&output), [""; 0]);
    endpoint.finish();
}

#[test]
fn after_three_turns_with_a_failed_tool_the_model_is_told_once() {
    let fail = |number: usize| calling("Read", json!({"file_path": format!("gone{number}.txt")}));
    let (_, endpoint) = run((0..5).map(fail).chain([text("It is gone.")]), 0);
    let notes: Vec<usize> =
        endpoint.requests().iter().map(|request| request.roles().matches("tool user").count()).collect();
    assert_eq!(notes, [0, 0, 0, 1, 1, 1], "a note behind the third failure and no other");
    assert!(endpoint.requests()[3].last_text().contains("three"));
    endpoint.finish();
}

#[test]
fn a_turn_without_a_failure_ends_the_streak() {
    let fail = |number: usize| calling("Read", json!({"file_path": format!("gone{number}.txt")}));
    let (_, endpoint) = run([fail(0), fail(1), look(2), fail(3), fail(4), text("It is gone.")], 0);
    assert!(!endpoint.requests()[5].roles().contains("tool user"));
    endpoint.finish();
}

#[test]
fn eight_edits_each_followed_by_a_silent_command_are_no_loop() {
    check_loops((0..8).flat_map(|number| [edit(number), bash("true")]).collect(), &[]);
}

#[test]
fn a_command_that_changes_a_file_each_time_is_no_loop() {
    check_loops((0..8).map(|_| bash("echo x >> log.txt")).collect(), &[]);
}

#[test]
fn only_equal_calls_in_a_row_are_a_loop() {
    let same = |count: usize| (0..count).map(|_| bash("true")).collect::<Vec<_>>();
    check_loops([same(4), vec![bash("echo other")], same(4)].concat(), &[]);
    check_loops([same(4), vec![edit(0)], same(4)].concat(), &[]);
    check_loops([same(4), vec![edit(0)], same(5)].concat(), &["loop_detected"]);
}

#[test]
fn a_call_resets_the_count_of_nudges() {
    let announce = || text("Let me check.");
    let script = [announce(), look(1), announce(), announce(), look(2), announce(), text("Done.")];
    let (output, endpoint) = run(script, 0);
    assert_eq!(kinds(&output), ["nudge"; 4]);
    assert_eq!(output.result()["final_message"], "Done.");
    endpoint.finish();
}

#[test]
fn a_text_that_ends_in_dots_announces() {
    for announcement in ["Working on it...", "Now the tests…", "One moment...", "正在检查文件……"]
    {
        let (output, endpoint) = run([text(announcement), text("Done.")], 0);
        assert_eq!(kinds(&output), ["nudge"], "{announcement}");
        endpoint.finish();
    }
}

#[test]
fn refused_calls_are_no_failed_tools() {
    let refused = |number: usize| bash(&format!("touch made{number}"));
    let endpoint = Endpoint::script((0..5).map(refused).chain([text("I may not.")]));
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    assert_eq!(output.events_of("permission_denied").len(), 5);
    assert_eq!(endpoint.requests()[5].roles().matches("tool user").count(), 0, "no note about failures");
    endpoint.finish();
}

#[test]
fn a_date_counts_from_the_local_clock_where_the_server_sends_none() {
    let (output, endpoint) = run([status(429).header("retry-after", "Fri, 01 Jan 2100 00:00:00 GMT")], 1);
    assert_eq!(output.result()["error"]["type"], "llm_error");
    expect_one_line(&output, &["429"]);
    endpoint.finish();
}

#[test]
fn without_turns_nothing_is_recorded() {
    let endpoint = Endpoint::script([]);
    let clawd = streaming(&endpoint).args(["--max-turns", "0", "go"]);
    let output = clawd.run();
    assert_eq!(output.result()["error"]["type"], "chat_disabled");
    assert!(!clawd.clawd_home().join("sessions").exists());
    endpoint.finish();
}

#[test]
fn a_nudge_that_was_stopped_is_not_sent_by_a_later_run() {
    let gate = crate::endpoint::Gate::new();
    let held = empty().hold_head(&gate);
    let endpoint = Endpoint::script([text("Let me check the file."), held, text("It is 4.")]);
    let clawd = streaming(&endpoint).arg("go");
    let running = clawd.spawn();
    gate.wait_reached();
    running.signal(Signal::INT);
    running.wait().expect_code(130);
    streaming_again(&clawd).args(["-c", "what is 2+2?"]).run().expect_code(0);
    let last = &endpoint.requests()[2];
    assert_eq!(
        (last.roles().as_str(), last.last_text().as_str()),
        ("system user assistant user", "what is 2+2?")
    );
    endpoint.finish();
}

#[test]
fn a_nudge_at_the_turn_limit_is_not_sent_by_a_later_run() {
    let endpoint = Endpoint::script([text("Let me check the file."), text("It is 4.")]);
    let clawd = streaming(&endpoint).args(["--max-turns", "1", "go"]);
    the(&clawd.run().expect_code(3), "turn_limit_reached");
    streaming_again(&clawd).args(["-c", "what is 2+2?"]).run().expect_code(0);
    assert_eq!(endpoint.requests()[1].last_text(), "what is 2+2?");
    endpoint.finish();
}

#[test]
fn requests_without_a_message_count_toward_the_budget_of_the_session() {
    let usage =
        |tokens: u64| json!({"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1});
    let endpoint = Endpoint::script([empty().usage(usage(2_000)), text("Here.").usage(usage(10))]);
    let clawd = streaming(&endpoint).home_file("config.toml", "max_tokens = 2010\n").arg("go");
    let output = clawd.run().expect_code(0);
    assert_eq!(output.result()["metadata"]["usage"]["prompt_tokens"], 2_010);
    let again = streaming_again(&clawd).args(["-c", "more"]).run().expect_code(3);
    assert_eq!(again.result()["error"]["type"], "max_turns_exceeded");
    assert!(again.stderr.contains("budget"), "{again:#?}");
    endpoint.finish();
}

#[test]
fn a_closing_tag_in_a_plain_answer_stays_in_it() {
    let answer = "A template ends with\n</think>\nand then comes the answer.";
    let (output, endpoint) = run([text(answer)], 0);
    assert_eq!(output.result()["final_message"], answer);
    endpoint.finish();
}
