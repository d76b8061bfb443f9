//! What goes wrong between the program and its terminal: what the screen's other tests do not show already.
//!
//! Rows of the fault matrix that stand elsewhere: a panic in any thread (`screen_layer::guard`), foreign sequences (`injection`), a
//! signal at every moment of the start (`edges`), terminals that lack something (`lacks`, `plain`), terminals within others
//! (`lacks`).

use std::time::Duration;

use vt100::Screen;

use super::terminal::{in_a_shell, job, leave_the_shell};
use super::{
    assert_ends, chat, count_rows, lasting, leave, open, say, usual, wait_for_process, wait_for_rest,
};
use crate::endpoint::{Endpoint, Gate, calls, deltas, text};
use crate::harness::{Clawd, Signal};
use crate::pty::{Kind, Pty, Size};

/// The program behind a redirection, started by a shell that has a terminal.
fn redirected(endpoint: &Endpoint, how: &str) -> Pty {
    let script = format!("exec {} {how}", env!("CARGO_BIN_EXE_clawd"));
    Pty::spawn(&Clawd::new(endpoint).program("/bin/sh").args(["-c", &script]), usual())
}

#[test]
fn u01_a_thousand_resizes_while_an_answer_streams_end_with_the_last_size() {
    let gate = Gate::new();
    let rows: Vec<String> = (0..100).map(|n| format!("- row {n:03} of many.\n")).collect();
    let first: String = rows[..50].concat();
    let rest: String = rows[50..].concat();
    let endpoint = Endpoint::script([text(&first).hold(&gate).text(&rest)]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    for n in 0..1_000 {
        pty.resize(Size::new(20 + n % 100, 5 + n % 40));
        if n == 500 {
            gate.open();
        }
    }
    pty.resize(Size::new(100, 30));
    pty.wait_for("row 099 of many.");
    wait_for_rest(&pty);
    pty.type_text("still here");
    pty.wait_for("❯ still here");
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn u02_a_terminal_that_says_it_has_no_size_is_taken_for_a_usual_one() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let script = format!("stty rows 0 cols 0; exec {}", env!("CARGO_BIN_EXE_clawd"));
    let pty = Pty::spawn(&Clawd::new(&endpoint).program("/bin/sh").args(["-c", &script]), usual());
    pty.wait_for("❯");
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn u03_without_a_terminal_on_both_sides_it_refuses_in_one_line() {
    for how in ["</dev/null", "<&-", ">out", ">/dev/null", "<&- >out"] {
        let endpoint = Endpoint::script([]);
        let pty = redirected(&endpoint, how);
        assert_eq!(pty.wait_exit().code, 2, "{how}");
        let shown = pty.screen_text();
        assert!(shown.starts_with("Error: standard "), "{how}: {shown}");
        assert!(!pty.raw_bytes().contains(&0x1b), "{how}");
        pty.assert_terminal_restored();
        endpoint.finish();
    }
}

#[test]
fn u04_a_terminal_that_can_do_nothing_or_says_nothing_is_told_lines() {
    for term in [None, Some("dumb"), Some(""), Some("unknown")] {
        let endpoint = Endpoint::script([text("An answer.")]);
        let clawd = Clawd::new(&endpoint).without_env("TERM");
        let clawd = term.into_iter().fold(clawd, |clawd, term| clawd.env("TERM", term));
        let pty = super::plain::begin(&clawd);
        super::plain::say(&pty, "go");
        pty.wait_for("An answer.");
        super::plain::leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn u05_stopped_and_continued_at_fifty_points_it_draws_anew_each_time() {
    let gates: Vec<Gate> = (0..50).map(|_| Gate::new()).collect();
    let answer = gates
        .iter()
        .enumerate()
        .fold(text("- begun\n"), |answer, (n, gate)| answer.hold(gate).text(&format!("- point {n:02}\n")));
    let endpoint = Endpoint::script([answer]);
    let pty = in_a_shell(&endpoint);
    say(&pty, "go");
    pty.wait_for("begun");
    for (n, gate) in gates.iter().enumerate() {
        let stops = count_rows(&pty, "Stopped");
        pty.key("ctrl-z");
        pty.wait_until("the shell", |screen| screen.contents().trim_end().ends_with('$'));
        assert!(count_rows(&pty, "Stopped") > stops, "stop {n}");
        gate.open();
        pty.type_text("fg\r");
        pty.wait_for(&format!("point {n:02}"));
        pty.wait_for("❯");
    }
    wait_for_rest(&pty);
    assert_eq!(count_rows(&pty, "point 31"), 1);
    leave_the_shell(&pty);
    endpoint.finish();
}

#[test]
fn u06_a_quit_signal_ends_it_as_the_others_do() {
    let endpoint = Endpoint::script([calls([lasting()]), text("Gone on.")]);
    let clawd = Clawd::new(&endpoint).arg("--yolo");
    let pty = open(&clawd);
    say(&pty, "go");
    let child = wait_for_process(&pty);
    pty.signal(Signal::QUIT);
    assert_eq!(pty.wait_exit().code, 131);
    pty.assert_terminal_restored();
    assert_ends(child);
    let pty = open(&clawd.again().args(["--yolo", "-c"]));
    say(&pty, "go on");
    pty.wait_for("Gone on.");
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant tool user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn u06_an_interrupt_signal_aborts_and_two_at_rest_leave() {
    let endpoint = Endpoint::script([calls([lasting()])]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "go");
    let child = wait_for_process(&pty);
    pty.signal(Signal::INT);
    pty.wait_for("Interrupted");
    assert_ends(child);
    wait_for_rest(&pty);
    pty.signal(Signal::INT);
    pty.wait_for("Press Ctrl+C again to exit");
    pty.signal(Signal::INT);
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
    endpoint.finish();
}

#[test]
fn u07_after_a_kill_the_next_start_and_end_leave_the_terminal_whole() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let pty = in_a_shell(&endpoint);
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    let clawd = job(&pty);
    rustix::process::kill_process(clawd, Signal::KILL).unwrap();
    pty.wait_for("Killed");
    // the line is as the program had it: it takes a line feed for the end of a line, and shows nothing
    pty.type_text(&format!("{} -c\n", env!("CARGO_BIN_EXE_clawd")));
    pty.wait_until("the second start", |screen| {
        let shown = screen.contents();
        let after = shown.rsplit("Killed").next().unwrap_or_default();
        after.lines().any(|row| row.trim_end() == "❯")
    });
    pty.type_text("it hears");
    pty.wait_for("❯ it hears");
    pty.key("ctrl-u");
    pty.wait_until("an empty input", |screen| !screen.contents().contains("it hears"));
    leave_the_shell(&pty);
    endpoint.finish();
}

#[test]
fn u09_a_slow_reader_gets_everything_and_the_program_waits_for_it() {
    let lines: Vec<String> = (0..2_000).map(|n| format!("- line {n:04}\n")).collect();
    let endpoint = Endpoint::script([deltas(lines.iter().map(String::as_str))]);
    let pty = Pty::spawn_on(Kind::Slow, &Clawd::new(&endpoint), usual());
    pty.wait_for("❯");
    say(&pty, "go");
    pty.wait_for("line 1999");
    wait_for_rest(&pty);
    let all = pty.history();
    for n in [0, 500, 1_000, 1_999] {
        let needle = format!("line {n:04}");
        assert_eq!(all.iter().filter(|row| row.contains(&needle)).count(), 1, "{needle}");
    }
    leave(&pty);
    endpoint.finish();
}

#[test]
fn u09_a_terminal_that_goes_away_ends_it() {
    for term in ["xterm-256color", "dumb"] {
        let endpoint = Endpoint::script([]);
        let exit = crate::pty::lose_the_terminal(&Clawd::new(&endpoint).env("TERM", term), "❯");
        assert_eq!(exit.code, 129, "{term}: {exit:?}");
        endpoint.finish();
    }
}

#[test]
fn u10_ctrl_c_at_every_moment_of_the_start_leaves_a_sane_terminal() {
    let endpoint = Endpoint::script([]);
    for wait in (0..20).map(|n| Duration::from_millis(5 * n)) {
        let pty = Pty::spawn(&Clawd::new(&endpoint), usual());
        std::thread::sleep(wait);
        pty.send(b"\x03");
        // either it ended the program, or it was a key like any other and one can leave
        pty.wait_exit_or("a prompt", |screen| screen.contents().contains('❯'));
        if pty.has_ended() {
            pty.assert_terminal_restored();
        } else {
            leave(&pty);
        }
    }
    endpoint.finish();
}

#[test]
fn u11_a_paste_of_a_megabyte_is_one_text_and_what_looks_like_its_end_is_text() {
    let line = format!("{}!touch made\n", "x".repeat(88));
    let whole = line.repeat(10_000);
    let endpoint = Endpoint::script([text("Read.")]);
    let clawd = Clawd::new(&endpoint).home_file("config.toml", "context_window = 10000000\n");
    let pty = open(&clawd);
    pty.paste(&whole);
    pty.wait_for("lines");
    pty.key("enter");
    pty.wait_for("Read.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text().trim_end(), whole.trim_end());
    // an end of the brackets inside: what follows is typed, and an Enter among it would send, so nothing may be run by it
    pty.send(b"\x1b[200~first\x1b[201~second\x1b[201~");
    pty.wait_for("firstsecond");
    assert!(!clawd.project().join("made").exists());
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn u12_random_bytes_send_nothing_and_break_nothing() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let pty = chat(&endpoint);
    // without Enter, and without the keys that leave, suspend, or open an editor
    let left_out = [b'\r', 0x03, 0x04, 0x07, 0x1a];
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed.to_le_bytes()[3]
    };
    let bytes: Vec<u8> =
        std::iter::repeat_with(&mut next).filter(|b| !left_out.contains(b)).take(20_000).collect();
    for piece in bytes.chunks(997) {
        pty.send(piece);
    }
    pty.send(&[0xff, 0xc3, 0x28, 0xe2, 0x82]);
    pty.wait_read();
    type_alone(&pty, "go");
    assert_eq!(endpoint.requests().len(), 0, "nothing was sent");
    pty.key("enter");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

/// Closes whatever lies over the input, empties it and types into it, however long each step takes.
#[track_caller]
fn type_alone(pty: &Pty, text: &str) {
    let is_alone = |screen: &Screen| {
        let row = format!("❯ {text}");
        !screen.alternate_screen() && screen.contents().lines().any(|line| line.trim_end() == row)
    };
    for _ in 0..20 {
        pty.key("esc");
        pty.wait_read();
        // silence tells an Esc from the beginning of another key
        std::thread::sleep(Duration::from_millis(300));
        pty.type_text(text);
        if pty.comes(Duration::from_secs(2), is_alone) {
            return;
        }
        pty.key("ctrl-c");
        pty.wait_read();
    }
    pty.wait_until("the text alone", is_alone);
}

#[test]
fn u13_the_cursor_stands_behind_letters_of_any_width() {
    for (typed, columns) in [("汉字", 4), ("ｱｲ", 2), ("e\u{301}", 1), ("שלום", 4), ("ок", 2)] {
        let endpoint = Endpoint::script([]);
        let pty = chat(&endpoint);
        pty.type_text(typed);
        pty.wait_for(typed);
        pty.wait_until("the cursor behind it", |screen| screen.cursor_position().1 == 2 + columns);
        pty.key("ctrl-u");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn u13_a_thousand_marks_on_a_letter_take_no_column() {
    let zalgo = format!("a{}b", "\u{301}".repeat(1_000));
    let endpoint = Endpoint::script([text(&format!("{zalgo} and the end."))]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("and the end.");
    wait_for_rest(&pty);
    let marks = String::from_utf8_lossy(&pty.raw_bytes()).chars().filter(|c| *c == '\u{301}').count();
    assert!(marks < 1_000, "{marks} marks were written");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn u16_a_megabyte_of_code_and_an_open_fence_are_drawn_and_keys_go_on() {
    let code = many(20_000, |n| format!("let value_{n:05} = {n}; // a line of code\n"));
    let table = many(10_000, |n| format!("| {n} | b |\n"));
    let list = many(1_000, |n| format!("{}- item\n", " ".repeat(2 * n)));
    let answer = format!("{list}\n\n| a | b |\n|---|---|\n{table}\n```rust\n{code}");
    let endpoint = Endpoint::script([text(&answer)]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("value_19999");
    wait_for_rest(&pty);
    pty.type_text("still here");
    pty.wait_for("❯ still here");
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn u17_in_the_background_it_stops_once_and_comes_back_with_fg() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let shell = Clawd::new(&endpoint).program("/bin/sh").arg("-i").env("PS1", "$ ").env("ENV", "");
    let pty = Pty::spawn(&shell, usual());
    pty.wait_for("$ ");
    pty.type_text(&format!("{} &\r", env!("CARGO_BIN_EXE_clawd")));
    pty.type_text("echo in the $((40 + 2)) shell\r");
    pty.wait_for("in the 42 shell");
    let before = ticks(job(&pty));
    std::thread::sleep(Duration::from_millis(500));
    let spent = ticks(job(&pty)) - before;
    assert!(spent < 20, "it does not spin: {spent} ticks");
    assert!(!pty.screen_text().contains('❯'), "the shell has its terminal");
    pty.type_text("fg\r");
    pty.wait_for("default");
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    leave_the_shell(&pty);
    endpoint.finish();
}

/// Processor time of a process so far, in the kernel's ticks.
fn ticks(pid: rustix::process::Pid) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum()
}

/// So many lines.
fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}
