//! The terminal as it changes under the program: size, suspension, redraw.

use crate::endpoint::{Endpoint, Gate, deltas, text};
use crate::harness::{Clawd, Signal};
use crate::pty::{Pty, Size};

use rustix::process::{Pid, kill_process};

use super::{chat, count_rows, leave, say, wait_for_rest};

#[test]
fn a_resize_at_rest_keeps_what_stands() {
    let endpoint = Endpoint::script([text("An answer of some words.")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("An answer");
    wait_for_rest(&pty);
    for (columns, rows) in [(40, 12), (120, 40), (80, 24)] {
        pty.resize(Size::new(columns, rows));
        // the status line is drawn for the new width
        say_size(&pty);
    }
    assert_eq!(count_rows(&pty, "An answer of some words."), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_resize_while_an_answer_streams_loses_nothing() {
    let gates: Vec<Gate> = (0..3).map(|_| Gate::new()).collect();
    let line = |n: usize, i: usize| format!("- entry {n}-{i:02} ends.\n");
    let part = |n| (0..20).map(|i| line(n, i)).collect::<Vec<_>>().concat();
    let answer = gates
        .iter()
        .enumerate()
        .fold(text(&part(0)), |answer, (n, gate)| answer.hold(gate).text(&part(n + 1)));
    let endpoint = Endpoint::script([answer]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    for (n, (gate, (columns, rows))) in gates.iter().zip([(60, 20), (120, 30), (80, 24)]).enumerate() {
        pty.wait_for(&format!("entry {n}-19"));
        pty.resize(Size::new(columns, rows));
        gate.open();
    }
    pty.wait_for("entry 3-19");
    wait_for_rest(&pty);
    let all = pty.history();
    for n in 0..4 {
        for i in 0..20 {
            let needle = format!("entry {n}-{i:02} ends.");
            assert!(all.iter().any(|row| row.contains(&needle)), "{needle} is lost\n{}", all.join("\n"));
        }
    }
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_tiny_screen_is_survived_and_a_large_one_filled() {
    for (columns, rows) in [(1, 1), (20, 5), (500, 200)] {
        let endpoint = Endpoint::script([text("Through all sizes.")]);
        let pty = chat(&endpoint);
        pty.resize(Size::new(columns, rows));
        say(&pty, "go");
        endpoint.wait_for_request(1);
        pty.resize(Size::new(80, 24));
        pty.wait_until("rest", |screen| {
            screen.contents().contains("default") && !screen.contents().contains("interrupt")
        });
        say(&pty, "/status");
        pty.wait_for("permissions");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn the_program_begins_on_a_tiny_screen() {
    let endpoint = Endpoint::script([text("Seen.")]);
    let pty = Pty::spawn(&Clawd::new(&endpoint), Size::new(1, 1));
    pty.wait_until("its start", vt100::Screen::bracketed_paste);
    say(&pty, "go");
    endpoint.wait_for_request(1);
    pty.resize(Size::new(80, 24));
    pty.wait_for("default");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_storm_of_resizes_ends_with_the_last_size() {
    let lines: Vec<String> = (0..100).map(|n| format!("- row {n:03} of many.\n")).collect();
    let endpoint = Endpoint::script([deltas(lines.iter().map(String::as_str))]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    for n in 0..200 {
        pty.resize(Size::new(40 + n % 80, 10 + n % 30));
    }
    pty.resize(Size::new(100, 30));
    pty.wait_for("row 099 of many.");
    wait_for_rest(&pty);
    say_size(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_l_draws_anew() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.type_text("a draft");
    pty.wait_for("❯ a draft");
    let before = pty.raw_bytes().len();
    pty.key("ctrl-l");
    pty.type_text("!");
    pty.wait_for("❯ a draft!");
    let drawn = pty.raw_bytes();
    let drawn = String::from_utf8_lossy(drawn.get(before..).unwrap()).into_owned();
    assert!(drawn.contains("a draft"), "{drawn:?}");
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_z_gives_the_shell_its_terminal_and_fg_comes_back() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let pty = in_a_shell(&endpoint);
    pty.type_text("a draft");
    pty.wait_for("❯ a draft");
    pty.key("ctrl-z");
    pty.wait_for("Stopped");
    let gone = pty.screen_text();
    assert!(!gone.contains("❯ a draft"), "the live region is off\n{gone}");
    pty.type_text("echo in the $((40 + 2)) shell\r");
    pty.wait_for("in the 42 shell");
    pty.type_text("fg\r");
    pty.wait_for("❯ a draft");
    pty.key("ctrl-u");
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    leave_the_shell(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_z_while_a_run_goes_on_stops_the_program_and_the_run_goes_on_after() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("Half ").hold(&gate).text("and half.")]);
    let pty = in_a_shell(&endpoint);
    say(&pty, "go");
    pty.wait_for("Half");
    pty.key("ctrl-z");
    pty.wait_for("Stopped");
    gate.open();
    pty.type_text("fg\r");
    pty.wait_for("Half and half.");
    wait_for_rest(&pty);
    leave_the_shell(&pty);
    endpoint.finish();
}

#[test]
fn a_stop_and_a_continuation_from_outside_leave_it_usable() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let pty = chat(&endpoint);
    pty.signal(Signal::STOP);
    pty.signal(Signal::CONT);
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_stop_from_outside_gives_the_shell_its_terminal_and_fg_comes_back() {
    for signal in [Signal::STOP, Signal::TSTP] {
        let endpoint = Endpoint::script([text("An answer.")]);
        let pty = in_a_shell(&endpoint);
        pty.type_text("a draft");
        pty.wait_for("❯ a draft");
        // what a stopped program has not read is the shell's
        pty.wait_read();
        kill_process(job(&pty), signal).unwrap();
        pty.wait_for("Stopped");
        // as shells with line editing do before they prompt
        pty.type_text("stty sane; echo in the $((40 + 2)) shell\r\n");
        pty.wait_for("in the 42 shell");
        pty.type_text("fg\r");
        pty.wait_until("it to be back", |screen| {
            screen
                .contents()
                .rsplit_once("in the 42 shell")
                .is_some_and(|(_, after)| after.contains("❯ a draft"))
        });
        pty.key("ctrl-u");
        say(&pty, "go");
        pty.wait_for("An answer.");
        wait_for_rest(&pty);
        leave_the_shell(&pty);
        endpoint.finish();
    }
}

/// The one job of the shell.
pub(super) fn job(shell: &Pty) -> Pid {
    let shell = shell.pid().as_raw_nonzero();
    let jobs = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
    Pid::from_raw(jobs.trim().parse().unwrap()).unwrap()
}

/// The program as a job of a shell.
pub(super) fn in_a_shell(endpoint: &Endpoint) -> Pty {
    let pty = shell(endpoint);
    pty.type_text(&format!("{}\r", env!("CARGO_BIN_EXE_clawd")));
    pty.wait_for("default");
    // the answer to its question comes before whatever the test types next
    pty.wait_bytes("the question for the background", |bytes| bytes.contains("\x1b]11;?"));
    pty
}

/// A shell for the program to be a job of. Its own line editing is off, so that nothing but the program changes modes.
pub(super) fn shell(endpoint: &Endpoint) -> Pty {
    let shell = Clawd::new(endpoint).program("/bin/sh").arg("-i").env("PS1", "$ ").env("ENV", "");
    let pty = Pty::spawn(&shell, Size::new(80, 24));
    pty.wait_for("$ ");
    pty
}

pub(super) fn leave_the_shell(pty: &Pty) {
    pty.key("ctrl-d");
    pty.wait_until("the shell", |screen| screen.contents().trim_end().ends_with('$'));
    pty.type_text("exit\r");
    pty.wait_exit();
    pty.assert_terminal_restored();
}

/// The program has drawn for the size that the terminal has now.
fn say_size(pty: &Pty) {
    pty.type_text("x");
    pty.wait_for("❯ x");
    pty.key("backspace");
    pty.wait_until("an empty input", |screen| !screen.contents().contains("❯ x"));
}
