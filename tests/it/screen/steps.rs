//! The model's list of steps: the one being done, all of them, what has changed, and after a resume.

use serde_json::json;

use crate::endpoint::{Call, Endpoint, Gate, call, calls, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{chat, count_rows, leave, open, say, wait_for_rest};

/// A list of three steps, of which so many are done and the next is being done.
fn steps(done: usize) -> Call {
    let status = |index: usize| match index {
        _ if index < done => "completed",
        _ if index == done => "in_progress",
        _ => "pending",
    };
    let steps = ["read the parser", "write the tests", "run them"].into_iter().enumerate();
    let steps: Vec<_> =
        steps.map(|(index, step)| json!({"content": step, "status": status(index)})).collect();
    call("TodoWrite", json!({ "todos": steps }))
}

fn wait_for_unfolded(pty: &Pty) {
    pty.wait_for("ctrl+t to hide");
}

fn wait_for_folded(pty: &Pty) {
    pty.wait_until("the list folded", |screen| !screen.contents().contains("ctrl+t to hide"));
}

#[test]
fn a_run_shows_the_step_being_done_and_ctrl_t_all_of_them() {
    let (first, second) = (Gate::new(), Gate::new());
    let endpoint = Endpoint::script([
        calls([steps(0)]),
        text("Reading.").hold(&first).calls([steps(1)]),
        text("Writing.").hold(&second),
    ]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("▸ read the parser · 0/3");
    assert_eq!(endpoint.wait_for_request(2).tool_result("call_1").lines().next(), Some("0 of 3 done"));
    pty.key("ctrl-t");
    wait_for_unfolded(&pty);
    first.open();
    pty.wait_for("1 of 3 done · ctrl+t to hide");
    pty.key("ctrl-t");
    pty.wait_for("▸ write the tests · 1/3");
    second.open();
    wait_for_rest(&pty);
    pty.wait_until("no step at rest", |screen| !screen.contents().contains("1/3"));
    // once with the whole list, and not again where only the others changed
    assert_eq!((count_rows(&pty, "● todo  0 of 3 done"), count_rows(&pty, "● todo  1 of 3 done")), (1, 1));
    assert_eq!((count_rows(&pty, "☐ run them"), count_rows(&pty, "✓ read the parser")), (1, 1));
    pty.key("ctrl-t");
    wait_for_unfolded(&pty);
    pty.key("ctrl-t");
    wait_for_folded(&pty);
    say(&pty, "/todos");
    pty.wait_until("the list", |screen| screen.contents().contains("\n▸ write the tests"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_is_all_done_goes_away_with_the_run() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([calls([steps(2)]), calls([steps(3)]), text("All done.").hold(&gate)]);
    let pty = chat(&endpoint);
    pty.key("ctrl-t");
    pty.wait_for("no todo list yet");
    say(&pty, "go");
    pty.wait_for("All done.");
    pty.key("ctrl-t");
    pty.wait_for("3 of 3 done · ctrl+t to hide");
    gate.open();
    wait_for_rest(&pty);
    wait_for_folded(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_list_is_there_again_after_a_resume() {
    let endpoint = Endpoint::script([calls([steps(1)]), text("Half way.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    pty.wait_for("Half way.");
    wait_for_rest(&pty);
    leave(&pty);
    let pty = open(&clawd.arg("-c"));
    pty.wait_for("Half way.");
    pty.key("ctrl-t");
    pty.wait_for("1 of 3 done · ctrl+t to hide");
    assert!(pty.screen_text().contains("▸ write the tests"), "{}", pty.screen_text());
    leave(&pty);
    endpoint.finish();
}
