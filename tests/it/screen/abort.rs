//! Esc and Ctrl+C while a run goes on: everywhere, at once, and nothing is lost.

use crate::endpoint::{Endpoint, Gate, calls, empty, status, text};
use crate::harness::Clawd;

use super::{
    answer, assert_ends, bash, chat, count_rows, lasting, leave, open, say, wait_for_process, wait_for_rest,
};

#[test]
fn an_answer_that_is_broken_off_is_kept_and_sent_later() {
    let endpoint = Endpoint::script([text("Half of it").hold(&Gate::new()), text("The other half.")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("Half of it");
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_hangup(), 1);
    say(&pty, "go on");
    pty.wait_for("The other half.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.roles(), "system user assistant user");
    assert_eq!(request.messages()[2]["content"], "Half of it");
    assert_eq!(count_rows(&pty, "Half of it"), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_prompt_without_an_answer_goes_back_into_the_input() {
    for key in ["esc", "ctrl-c"] {
        let gate = Gate::new();
        let endpoint = Endpoint::script([empty().hold(&gate), text("Now it is answered.")]);
        let pty = chat(&endpoint);
        say(&pty, "a question");
        gate.wait_reached();
        pty.wait_for("esc to interrupt");
        pty.key(key);
        pty.wait_for("Interrupted");
        wait_for_rest(&pty);
        pty.type_text("!");
        pty.wait_for("❯ a question!");
        pty.key("enter");
        pty.wait_for("Now it is answered.");
        let request = endpoint.wait_for_request(2);
        assert_eq!((request.roles().as_str(), request.last_text().as_str()), ("system user", "a question!"));
        wait_for_rest(&pty);
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn a_command_is_ended_with_the_run() {
    let endpoint = Endpoint::script([calls([lasting()]), text("Later.")]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "go");
    let pid = wait_for_process(&pty);
    pty.key("ctrl-c");
    pty.wait_for("Interrupted");
    assert_ends(pid);
    wait_for_rest(&pty);
    say(&pty, "what happened?");
    pty.wait_for("Later.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.roles(), "system user assistant tool user");
    let result = request.tool_result("call_1");
    assert!(result.to_lowercase().contains("interrupted"), "{result}");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_command_that_ignores_term_is_ended_too() {
    let command = bash("trap '' TERM; echo began $$; while :; do sleep 600; done");
    let endpoint = Endpoint::script([calls([command])]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "go");
    let pid = wait_for_process(&pty);
    pty.key("esc");
    pty.wait_for("Interrupted");
    assert_ends(pid);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_question_is_left_by_esc_and_by_ctrl_c() {
    for key in ["esc", "ctrl-c"] {
        let endpoint = Endpoint::script([calls([bash("touch made")]), text("Later.")]);
        let clawd = Clawd::new(&endpoint);
        let pty = open(&clawd);
        say(&pty, "go");
        answer(&pty, "Allow", key);
        pty.wait_for("Interrupted");
        wait_for_rest(&pty);
        assert!(!clawd.project().join("made").exists());
        say(&pty, "next");
        pty.wait_for("Later.");
        wait_for_rest(&pty);
        assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant tool user");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn the_words_of_a_refusal_are_left_too() {
    let endpoint = Endpoint::script([calls([bash("touch made")])]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    answer(&pty, "Allow", "3");
    pty.type_text("never mi");
    pty.wait_for("never mi");
    pty.key("ctrl-c");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_pause_before_a_retry_is_left_at_once() {
    let endpoint = Endpoint::script([status(429).header("retry-after", "50")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("retry 1 of");
    pty.key("esc");
    pty.wait_for("Interrupted");
    pty.wait_for("❯ go");
    leave_with_draft(&pty);
    endpoint.finish();
}

#[test]
fn a_run_that_looks_dead_is_left_at_once() {
    let endpoint = Endpoint::script([crate::endpoint::stall()]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    endpoint.wait_for_request(1);
    pty.wait_for("esc to interrupt");
    pty.key("esc");
    pty.wait_for("Interrupted");
    assert_eq!(endpoint.wait_for_hangup(), 1);
    leave_with_draft(&pty);
    endpoint.finish();
}

#[test]
fn the_turn_limit_asks_and_y_and_enter_go_on() {
    for key in ["y", "enter"] {
        let endpoint =
            Endpoint::script([calls([bash("echo one")]), calls([bash("echo two")]), text("Through.")]);
        let pty = open(&Clawd::new(&endpoint).args(["--yolo", "--max-turns", "2"]));
        say(&pty, "go");
        answer(&pty, "Turn limit reached", key);
        pty.wait_for("Through.");
        wait_for_rest(&pty);
        assert_eq!(endpoint.wait_for_request(3).roles(), "system user assistant tool assistant tool");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn the_turn_limit_stops_at_n_and_esc() {
    for key in ["n", "esc"] {
        let endpoint = Endpoint::script([calls([bash("echo one")]), text("Another run.")]);
        let pty = open(&Clawd::new(&endpoint).args(["--yolo", "--max-turns", "1"]));
        say(&pty, "go");
        answer(&pty, "Turn limit reached", key);
        pty.wait_until("the question to be gone", |screen| !screen.contents().contains("Go on?"));
        pty.wait_for("stopped at the turn limit after 1 turn");
        say(&pty, "next");
        pty.wait_for("Another run.");
        wait_for_rest(&pty);
        assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant tool user");
        leave(&pty);
        endpoint.finish();
    }
}

/// Leaves with the prompt back in the input: the first Ctrl+C clears it.
fn leave_with_draft(pty: &crate::pty::Pty) {
    wait_for_rest(pty);
    pty.key("ctrl-c");
    leave(pty);
}
