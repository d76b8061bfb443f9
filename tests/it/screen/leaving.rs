//! All the ways in which the program ends, and where it does not begin.

use crate::endpoint::{Endpoint, Gate, calls, text};
use crate::harness::{Clawd, Signal};

use super::{assert_ends, chat, lasting, open, say, wait_for_process, wait_for_rest};

#[test]
fn term_and_hup_end_it_in_order_while_a_command_runs() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let endpoint = Endpoint::script([calls([lasting()]), text("Gone on.")]);
        let clawd = Clawd::new(&endpoint).arg("--yolo");
        let pty = open(&clawd);
        say(&pty, "go");
        let child = wait_for_process(&pty);
        pty.signal(signal);
        assert_eq!(pty.wait_exit().code, code);
        pty.assert_terminal_restored();
        assert_ends(child);
        // what was said is kept, and the call has its answer
        let pty = open(&clawd.again().args(["--yolo", "-c"]));
        say(&pty, "go on");
        pty.wait_for("Gone on.");
        assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant tool user");
        endpoint.finish();
    }
}

#[test]
fn term_ends_it_at_rest_and_over_a_page() {
    let endpoint = Endpoint::script([]);
    for page in [false, true] {
        let pty = chat(&endpoint);
        if page {
            pty.key("ctrl-o");
            pty.wait_until("the page", vt100::Screen::alternate_screen);
        }
        pty.signal(Signal::TERM);
        assert_eq!(pty.wait_exit().code, 143);
        pty.assert_terminal_restored();
    }
    endpoint.finish();
}

#[test]
fn term_while_an_answer_streams_keeps_the_text() {
    let endpoint = Endpoint::script([text("Half of it").hold(&Gate::new()), text("Gone on.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    pty.wait_for("Half of it");
    pty.signal(Signal::TERM);
    assert_eq!(pty.wait_exit().code, 143);
    pty.assert_terminal_restored();
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("Half of it");
    say(&pty, "go on");
    pty.wait_for("Gone on.");
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant user");
    endpoint.finish();
}

#[test]
fn leaving_while_a_command_runs_ends_it() {
    let endpoint = Endpoint::script([calls([lasting()])]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "go");
    let child = wait_for_process(&pty);
    say(&pty, "/exit");
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
    assert_ends(child);
    endpoint.finish();
}

#[test]
fn what_a_command_leaves_in_the_background_ends_with_the_program() {
    let command = super::bash("sleep 600 & echo began $!");
    let endpoint = Endpoint::script([calls([command]), text("Left running.")]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "go");
    let child = wait_for_process(&pty);
    pty.wait_for("Left running.");
    wait_for_rest(&pty);
    super::leave(&pty);
    assert_ends(child);
    endpoint.finish();
}

#[test]
fn the_last_line_says_how_to_go_on() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    super::leave(&pty);
    let shown = pty.screen_text();
    let last = shown.lines().rev().find(|line| !line.trim().is_empty()).unwrap();
    let (_, id) = last.split_once("clawd -r ").unwrap_or_else(|| panic!("{shown}"));
    let pty = open(&clawd.again().args(["-r", id.trim()]));
    pty.wait_for("An answer.");
    super::leave(&pty);
    endpoint.finish();
}

#[test]
fn without_a_terminal_it_says_so_in_one_line() {
    let endpoint = Endpoint::script([]);
    let output = Clawd::new(&endpoint).run().expect_code(2);
    assert_eq!(output.stdout, "");
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    assert!(output.stderr.starts_with("Error: "), "{}", output.stderr);
    endpoint.finish();
}
