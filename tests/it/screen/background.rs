//! Commands while they run: their output as it comes, Ctrl+B, `/tasks`, their end, and the program's.

use rustix::process::{Pid, test_kill_process};

use crate::endpoint::{Call, Endpoint, Gate, calls, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{
    assert_ends, bash, chat, count_rows, lasting, leave, open, say, wait_for_process, wait_for_rest,
};

/// Prints a line, waits for the file `go`, prints another.
fn waiting() -> Call {
    bash("echo began $$; until [ -e go ]; do sleep 0.05; done; echo and ended")
}

fn go(clawd: &Clawd) {
    std::fs::write(clawd.project().join("go"), "").unwrap();
}

/// A command that was moved to the background by Ctrl+B; its process, with the model's answer on the screen.
fn moved(endpoint: &Endpoint, pty: &Pty) -> Pid {
    say(pty, "go");
    let pid = wait_for_process(pty);
    pty.key("ctrl-b");
    pty.wait_for("It goes on.");
    let told = endpoint.wait_for_request(2).tool_result("call_1");
    assert!(told.contains("bash_1") && told.contains("began"), "{told}");
    pid
}

fn script(command: Call) -> Endpoint {
    Endpoint::script([calls([command]), text("It goes on.")])
}

fn yolo(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).arg("--yolo")
}

#[test]
fn output_is_seen_before_the_command_ends() {
    let endpoint = script(waiting());
    let clawd = yolo(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    wait_for_process(&pty);
    let shown = pty.screen_text();
    assert!(shown.contains("○ run") && shown.contains("esc to interrupt"), "{shown}");
    pty.wait_for("ctrl+b to background");
    assert!(!pty.screen_text().contains("and ended\n"), "it is still running");
    go(&clawd);
    pty.wait_for("It goes on.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).tool_result("call_1").lines().last(), Some("and ended"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn much_output_is_counted_as_it_comes() {
    let endpoint = script(bash("seq 1 300; until [ -e go ]; do sleep 0.05; done"));
    let clawd = yolo(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    pty.wait_for("1 KB · 300 lines");
    let shown = pty.screen_text();
    assert!(shown.contains("\n296\n") && !shown.contains("\n295\n"), "the last five\n{shown}");
    go(&clawd);
    pty.wait_for("It goes on.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_b_gives_the_model_its_turn_while_the_command_goes_on() {
    let endpoint = script(waiting());
    let clawd = yolo(&endpoint);
    let pty = open(&clawd);
    let pid = moved(&endpoint, &pty);
    wait_for_rest(&pty);
    assert!(test_kill_process(pid).is_ok(), "it runs on");
    assert_eq!(count_rows(&pty, "moved to the background: bash_1"), 1);
    pty.wait_for("· 1 task ·");
    go(&clawd);
    pty.wait_for("task bash_1 ended: exit 0 (");
    assert_ends(pid);
    pty.wait_until("no task at the bottom", |screen| !screen.contents().contains("1 task"));
    assert_eq!(count_rows(&pty, "task bash_1 ended"), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn tasks_shows_a_command_and_its_output_and_ends_it() {
    let endpoint = script(lasting());
    let pty = open(&yolo(&endpoint));
    let pid = moved(&endpoint, &pty);
    wait_for_rest(&pty);
    say(&pty, "/tasks");
    pty.wait_for("❯ bash_1  running");
    pty.key("enter");
    pty.wait_until("its output", |screen| {
        let text = screen.contents();
        text.contains("Esc: back to the list") && text.contains(&format!("began {}", pid.as_raw_nonzero()))
    });
    pty.key("esc");
    pty.wait_for("x: stop");
    pty.key("x");
    pty.wait_for("task bash_1 ended: killed");
    assert_ends(pid);
    pty.wait_for("bash_1  killed");
    pty.key("esc");
    pty.wait_until("the list closed", |screen| !screen.contents().contains("x: stop"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn tasks_opens_at_once_in_a_run() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([calls([lasting()]), text("It goes on.").hold(&gate)]);
    let pty = open(&yolo(&endpoint));
    let pid = moved(&endpoint, &pty);
    say(&pty, "/tasks");
    pty.wait_for("❯ bash_1  running");
    pty.key("x");
    pty.wait_for("task bash_1 ended: killed");
    assert_ends(pid);
    pty.key("esc");
    pty.wait_for("esc to interrupt");
    gate.open();
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn without_a_command_there_is_nothing_to_move_and_nothing_to_list() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.key("ctrl-b");
    pty.wait_for("no running command to move to the background");
    say(&pty, "/tasks");
    pty.wait_for("no background commands");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_task_outlives_an_abort_and_ends_with_the_program() {
    let endpoint = Endpoint::script([calls([lasting()]), text("It goes on.").hold(&Gate::new())]);
    let pty = open(&yolo(&endpoint));
    let pid = moved(&endpoint, &pty);
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    assert!(test_kill_process(pid).is_ok(), "an abort leaves it alone");
    leave(&pty);
    assert_ends(pid);
    endpoint.finish();
}
