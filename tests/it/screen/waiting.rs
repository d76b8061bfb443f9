//! What the screen says while nothing comes, and after a failure. What it says after ten seconds is tested on a clock of
//! its own, in `tui::view::status`.

use serde_json::json;

use crate::endpoint::{Endpoint, Gate, call, calls, status, text, thinking};
use crate::harness::Clawd;

use super::{answer, bash, chat, lasting, leave, open, say, wait_for_process, wait_for_rest};

#[test]
fn a_retry_says_why() {
    let endpoint = Endpoint::script([status(503).header("retry-after", "50"), text("unheard")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_until("the cause beside the count", |screen| {
        let shown = screen.contents();
        let line = shown.lines().find(|line| line.contains("retry 1 of")).unwrap_or_default();
        line.contains("is unavailable") && line.contains("esc to interrupt")
    });
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    pty.key("ctrl-c");
    leave(&pty);
}

#[test]
fn what_comes_of_a_call_is_told_before_it_runs() {
    let gate = Gate::new();
    let write = call("Write", json!({"file_path": "a.txt", "content": "x".repeat(2_000)}));
    let endpoint = Endpoint::script([thinking("hm").calls([write]).hold(&gate), text("Written.")]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "go");
    gate.wait_reached();
    pty.wait_for("writing a tool call");
    gate.open();
    pty.wait_for("Written.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn after_a_failure_enter_asks_again() {
    let endpoint = Endpoint::script([status(400), text("Now it is answered.")]);
    let pty = chat(&endpoint);
    say(&pty, "a question");
    pty.wait_for("Error:");
    pty.wait_for("press Enter on an empty input to retry");
    wait_for_rest(&pty);
    pty.key("enter");
    pty.wait_for("Now it is answered.");
    wait_for_rest(&pty);
    let (first, second) = (&endpoint.requests()[0], &endpoint.requests()[1]);
    assert_eq!((second.roles().as_str(), second.last_text().as_str()), ("system user", "a question"));
    assert!(first.raw == second.raw, "the same request");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_the_user_stopped_is_not_restarted_by_enter() {
    let endpoint = Endpoint::script([calls([lasting()]), calls([bash("touch made")]), text("Later.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd.clone().arg("--yolo"));
    say(&pty, "go");
    wait_for_process(&pty);
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    pty.key("enter");
    leave(&pty);
    assert_eq!(endpoint.requests().len(), 1);
    // nor where the session is resumed, nor after a plain no
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("go");
    pty.key("enter");
    say(&pty, "next");
    answer(&pty, "Allow this command?", "n");
    wait_for_rest(&pty);
    pty.key("enter");
    say(&pty, "and now?");
    pty.wait_for("Later.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests().len(), 3);
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant tool user");
    assert_eq!(endpoint.wait_for_request(3).last_text(), "and now?");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_resumed_session_that_ends_with_a_message_is_answered_after_enter() {
    let endpoint = Endpoint::script([status(400), text("Now it is answered.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "a question");
    pty.wait_for("Error:");
    wait_for_rest(&pty);
    leave(&pty);
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("a question");
    pty.wait_for("Your last message has no answer: press Enter on an empty input to retry");
    pty.key("enter");
    pty.wait_for("Now it is answered.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!((request.roles().as_str(), request.last_text().as_str()), ("system user", "a question"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn after_a_refusal_enter_asks_for_another_answer_in_its_place() {
    let refusal = text("I would rather not").finish("content_filter");
    let endpoint = Endpoint::script([refusal, text("Well then."), text("And on.")]);
    let pty = chat(&endpoint);
    say(&pty, "a question");
    pty.wait_for("press Enter on an empty input to retry");
    wait_for_rest(&pty);
    pty.key("enter");
    pty.wait_for("Well then.");
    wait_for_rest(&pty);
    say(&pty, "more");
    pty.wait_for("And on.");
    wait_for_rest(&pty);
    let requests = endpoint.requests();
    assert_eq!((requests[1].roles(), requests[1].last_text()), ("system user".into(), "a question".into()));
    assert_eq!(requests[2].roles(), "system user assistant user");
    leave(&pty);
    endpoint.finish();
}
