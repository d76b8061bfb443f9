//! Plan mode as the model hears of it, its plan where nobody can approve it, and how it is taken back with a session. On the
//! screen it is in `screen::planning`.

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request, call, calls, text};
use crate::harness::Clawd;
use crate::headless::{calling, streaming, streaming_again, the};
use crate::sessions::session_file;

const PLANNING: [&str; 2] = ["--permission-mode", "plan"];
const OVER: &str = "Plan mode is off";

fn plan(words: &str) -> crate::endpoint::Answer {
    calling("ExitPlanMode", json!({"plan": words}))
}

/// What stands in the user's place, message by message.
fn said(request: &Request) -> Vec<String> {
    let users = request.messages().iter().filter(|message| message["role"] == "user");
    users.map(|message| message["content"].to_string()).collect()
}

/// Whether each of the user's messages has the reminder before its words.
fn reminded(request: &Request) -> Vec<bool> {
    let begins = |text: &String| text.trim_start_matches(['[', '"', '{']).contains("Plan mode is on");
    said(request).iter().map(begins).collect()
}

fn mode_of(output: &crate::harness::Output) -> Value {
    the(output, "session_start")["permission_mode"].clone()
}

#[test]
fn before_each_message_stands_that_nothing_is_to_be_changed() {
    let look = |pattern: &str| calling("Glob", json!({"pattern": pattern}));
    let endpoint = Endpoint::script([look("a"), text("One."), look("b"), text("Two.")]);
    let clawd = streaming(&endpoint).args(PLANNING).arg("first");
    clawd.run().expect_code(0);
    streaming_again(&clawd).args(PLANNING).args(["-c", "second"]).run().expect_code(0);
    let requests = endpoint.requests();
    assert_eq!(requests[0].roles(), "system user");
    let first = &said(&requests[0])[0];
    let (reminder, words) = first.split_once("</system-reminder>").expect("a reminder");
    assert!(reminder.contains("<system-reminder>") && reminder.contains("call ExitPlanMode with"), "{first}");
    assert!(words.contains("first"), "the words come last: {first}");
    assert_eq!(reminded(&requests[3]), [true, true]);
    for (before, after) in requests.iter().zip(&requests[1..]) {
        let open = before.raw.strip_suffix(b"]}").expect("messages stand last");
        assert!(after.raw.starts_with(open), "request {} begins as {}", after.number, before.number);
    }
    endpoint.finish();
}

#[test]
fn other_modes_say_nothing_and_the_end_of_plan_mode_is_told_once() {
    let endpoint = Endpoint::script([text("One."), text("Two."), text("Three."), text("Four.")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    streaming_again(&clawd).args(PLANNING).args(["-c", "second"]).run().expect_code(0);
    let usual = ["--permission-mode", "default", "-c"];
    streaming_again(&clawd).args(usual).arg("third").run().expect_code(0);
    streaming_again(&clawd).args(usual).arg("fourth").run().expect_code(0);
    let requests = endpoint.requests();
    assert_eq!(requests[0].last_text(), "first");
    assert_eq!(reminded(&requests[3]), [false, true, false, false]);
    let over: Vec<bool> = said(&requests[3]).iter().map(|text| text.contains(OVER)).collect();
    assert_eq!(over, [false, false, true, false]);
    assert_eq!(requests[3].last_text(), "fourth");
    endpoint.finish();
}

#[test]
fn a_reminder_names_no_tool_that_was_taken_away() {
    let endpoint = Endpoint::script([text("One.")]);
    let clawd = Clawd::new(&endpoint).args(PLANNING).args(["--disallowed-tools", "ExitPlanMode", "-p", "go"]);
    clawd.run().expect_code(0);
    let request = endpoint.wait_for_request(1);
    let told = request.last_text();
    assert!(told.contains("answer with a plan") && !told.contains("ExitPlanMode"), "{told}");
    assert!(!request.tool_names().contains(&"ExitPlanMode"));
    endpoint.finish();
}

#[test]
fn where_nobody_is_there_a_plan_is_an_error_and_the_run_goes_on() {
    let edit = call("Write", json!({"file_path": "a.txt", "content": "x"}));
    let endpoint = Endpoint::script([plan("# Do it"), calls([edit]), text("Here is the plan.")]);
    let clawd = streaming(&endpoint).args(PLANNING).arg("go");
    let output = clawd.run().expect_code(0);
    let requests = endpoint.requests();
    let told = requests[1].tool_result("call_1");
    assert!(told.starts_with("Error: no user can approve the plan"), "{told}");
    assert!(requests[2].tool_result("call_2").contains("plan mode is read-only"), "the mode stays");
    assert!(!clawd.project().join("a.txt").exists());
    assert_eq!(output.result()["success"], true);
    endpoint.finish();
}

#[test]
fn outside_plan_mode_there_is_nothing_to_approve() {
    for mode in ["default", "accept-edits", "bypass"] {
        let endpoint = Endpoint::script([plan("# Do it"), plan(" "), text("Done.")]);
        streaming(&endpoint).args(["--permission-mode", mode, "go"]).run().expect_code(0);
        let requests = endpoint.requests();
        assert_eq!(
            requests[1].tool_result("call_1"),
            "Error: plan mode is off: continue with the task",
            "{mode}"
        );
        assert_eq!(requests[2].tool_result("call_2"), "Error: `plan` is empty", "{mode}");
        endpoint.finish();
    }
}

#[test]
fn a_session_that_was_left_in_plan_mode_goes_on_in_it_unless_a_mode_is_named() {
    let endpoint = Endpoint::script(["One.", "Two.", "Three.", "Four."].map(text));
    let clawd = streaming(&endpoint).args(PLANNING).arg("first");
    clawd.run().expect_code(0);
    let id = session_file(&clawd).file_stem().unwrap().to_str().unwrap().to_owned();
    let on =
        |args: &[&str]| mode_of(&streaming_again(&clawd).args(args.iter().copied()).run().expect_code(0));
    assert_eq!(on(&["-c", "second"]), "plan");
    assert_eq!(on(&["-r", &id, "--permission-mode", "accept-edits", "third"]), "accept-edits");
    // a looser mode is not taken back
    assert_eq!(on(&["-r", &id, "fourth"]), "default");
    assert_eq!(reminded(&endpoint.requests()[1]), [true, true]);
    endpoint.finish();
}

#[test]
fn a_copy_of_a_session_is_in_plan_mode_as_that_was() {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = streaming(&endpoint).args(PLANNING).arg("first");
    clawd.run().expect_code(0);
    let fork = streaming_again(&clawd).args(["-c", "--fork-session", "second"]);
    assert_eq!(mode_of(&fork.run().expect_code(0)), "plan");
    endpoint.finish();
}

#[test]
fn plan_mode_is_tighter_than_what_the_file_wants() {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = streaming(&endpoint).args(PLANNING).arg("first");
    clawd.run().expect_code(0);
    let again = streaming_again(&clawd).home_file(".clawd/config.toml", "permission_mode = \"bypass\"\n");
    assert_eq!(mode_of(&again.args(["-c", "second"]).run().expect_code(0)), "plan");
    endpoint.finish();
}
