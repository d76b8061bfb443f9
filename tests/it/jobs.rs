//! Commands in the background: read on, ended, moved there, and gone with the program however it ends.

use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde_json::json;

use crate::endpoint::{Call, Gate, call, calls, text};
use crate::harness::Signal;
use crate::pty::{Pty, Size};
use crate::workshop::{Workshop, named_file};

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

fn background(command: &str) -> Call {
    call("Bash", json!({"command": command, "run_in_background": true}))
}

fn output(id: &str) -> Call {
    call("BashOutput", json!({"id": id}))
}

fn kill(id: &str) -> Call {
    call("KillShell", json!({"id": id}))
}

#[test]
fn a_background_command_is_read_on_and_its_exit_code_follows_its_end() {
    let shop = Workshop::new();
    let told = shop.tell_all([
        background("echo one; echo $$ >pid; until [ -e go ]; do sleep 0.01; done; echo two; exit 3"),
        output("bash_1"),
        // its number is free once it was waited for
        bash("touch go; while kill -0 $(<pid) 2>/dev/null; do sleep 0.01; done"),
        output("bash_1"),
        output("bash_1"),
    ]);
    assert_eq!(
        told[0],
        "[running in the background: bash_1; use BashOutput to read its output, KillShell to stop it]"
    );
    assert!(told[1].starts_with("one\n[bash_1: running for "), "{}", told[1]);
    assert!(told[3].starts_with("two\n[bash_1: ended, exit code 3, after "), "{}", told[3]);
    assert!(told[4].starts_with("(no new output)\n[bash_1: ended before, exit code 3"), "{}", told[4]);
}

#[test]
fn a_background_command_that_fails_at_once_is_an_error_and_has_its_id_all_the_same() {
    let shop = Workshop::new();
    let run = shop.run([[
        background("no-such-server --port 1"),
        background("sleep 100"),
        output("bash_1"),
        kill("bash_1"),
    ]]);
    assert!(run.told[0].starts_with("Error: exit code 127 (a command was not found)"), "{}", run.told[0]);
    assert!(run.told[0].ends_with("\n[bash_1: ended, exit code 127, at once]"), "{}", run.told[0]);
    assert!(run.told[1].contains("in the background: bash_2"), "{}", run.told[1]);
    let again = "[bash_1: ended before, exit code 127 (a command was not found), after ";
    assert!(run.told[2].contains("no-such-server") && run.told[2].contains(again), "{}", run.told[2]);
    assert!(run.told[3].starts_with("(no new output)\n[bash_1: ended before"), "{}", run.told[3]);
    let results = run.output.events_of("tool_result");
    assert_eq!((&results[0]["success"], &results[1]["success"]), (&json!(false), &json!(true)));
}

#[test]
fn what_was_left_running_is_read_on_by_its_id() {
    let shop = Workshop::new();
    let told = shop.tell_all([
        bash("{ until [ -e go ]; do sleep 0.01; done; echo late; touch said; exec sleep 100; } & echo early"),
        bash("touch go; until [ -e said ]; do sleep 0.01; done"),
        output("bash_1"),
        kill("bash_1"),
        output("bash_1"),
    ]);
    assert_eq!(
        told[0],
        "early\n[still running: bash_1; use BashOutput to read its output, KillShell to stop it]"
    );
    assert!(
        told[2].starts_with(
            "late\n[bash_1: its shell has exited (exit code 0); a child process has been running"
        ),
        "{}",
        told[2]
    );
    assert!(told[3].starts_with("(no new output)\n[bash_1: ended, killed, after "), "{}", told[3]);
    assert!(told[4].contains("[bash_1: ended before, killed"), "{}", told[4]);
}

#[test]
fn an_id_that_is_not_there_is_told_with_those_that_are() {
    let shop = Workshop::new();
    let told = shop.tell_all([output("bash_1"), background("sleep 100"), kill("bash_2")]);
    assert_eq!(told[0], "Error: no background command has the ID `bash_1` (none is running)");
    assert_eq!(told[2], "Error: no background command has the ID `bash_2` (known: bash_1)");
}

#[test]
fn the_permission_is_the_same_as_in_the_foreground() {
    let shop = Workshop::in_mode("default").options(["--disallowed-tools", "Bash(rm:*)"]);
    let run = shop.run([[background("rm -r x"), background("make x"), output("bash_1"), kill("bash_1")]]);
    assert!(run.was_denied(0) && run.was_denied(1), "{:?}", run.told);
    assert!(!run.was_denied(2) && !run.was_denied(3), "{:?}", run.told);
}

#[test]
fn much_new_output_is_cut_in_the_middle_and_the_file_is_named() {
    let shop = Workshop::new();
    let told = shop.tell_all([
        background("until [ -e go ]; do sleep 0.01; done; seq 1 200000; touch said; exec sleep 100"),
        bash("touch go; until [ -e said ]; do sleep 0.01; done"),
        output("bash_1"),
    ]);
    let told = &told[2];
    assert!(told.len() <= 50 * 1024 && told.lines().count() <= 2000, "{}", told.len());
    assert!(told.starts_with("1\n2\n") && told.contains("\n200000\n"), "both ends are there");
    assert!(std::fs::read_to_string(named_file(told)).unwrap().starts_with("1\n2\n"));
}

#[test]
fn all_of_them_end_with_the_program_however_it_ends() {
    let stubborn = "exec 9>pipe; (trap '' TERM HUP INT; sleep 100; sleep 100) & \
                    (setsid env -i /bin/bash -c 'sleep 100' &); echo up >&9; exec sleep 100";
    for signal in [None, Some((Signal::INT, 130)), Some((Signal::TERM, 143)), Some((Signal::HUP, 129))] {
        let shop = Workshop::new();
        let (pipe, up) = (shop.pipe("pipe"), Gate::new());
        shop.endpoint().push(calls([background(stubborn)]));
        shop.endpoint().push(text("so").hold(&up).text("done"));
        let running = shop.start();
        assert_eq!(pipe.next(), "up");
        up.wait_reached();
        if let Some((signal, _)) = signal {
            running.signal(signal);
        } else {
            up.open();
        }
        let code = signal.map_or(0, |(_, code)| code);
        running.wait().expect_code(code);
        pipe.wait_for_end();
    }
}

#[test]
fn esc_ends_the_foreground_command_and_leaves_the_background_alone() {
    let shop = Workshop::new();
    let (job, front) = (shop.pipe("job"), shop.pipe("front"));
    shop.endpoint().push(calls([background(
        "exec 9>job; echo up >&9; until [ -e go ]; do sleep 0.01; done; echo on >&9; exec sleep 100",
    )]));
    shop.endpoint().push(calls([bash("exec 9>front; echo up >&9; sleep 100")]));
    let pty = Pty::spawn(&shop.clawd().again().args(["--yolo", "go"]), Size::new(80, 24));
    assert_eq!((job.next().as_str(), front.next().as_str()), ("up", "up"));
    pty.key("esc");
    front.wait_for_end();
    pty.wait_for("interrupted");
    shop.write("go", "");
    assert_eq!(job.next(), "on", "it goes on");
    pty.key("ctrl-d");
    assert_eq!(pty.wait_exit().code, 0);
    job.wait_for_end();
}

/// Five hundred commands and a hundred jobs leave the program as it was.
#[test]
#[cfg(target_os = "linux")]
fn many_commands_and_jobs_cost_nothing_that_stays() {
    let shop = Workshop::new();
    let (first, left, ended, last) = (Gate::new(), Gate::new(), Gate::new(), Gate::new());
    let push = |calls: Vec<Call>| shop.endpoint().push(crate::endpoint::calls(calls));
    let many = |count: usize, command: &str| {
        for _ in 0..count / 50 {
            push((0..50).map(|_| bash(command)).collect());
        }
    };
    many(50, "true");
    shop.endpoint().push(text("so").hold(&first).calls([bash("true")]));
    many(250, "true");
    many(250, "cd .; (exit 3) | cat >&2");
    many(50, "sleep 100 &");
    many(50, "sleep 100 >/dev/null 2>&1 &");
    let ends = |from: usize| (from..from + 50).map(|id| kill(&format!("bash_{id}")));
    shop.endpoint().push(text("so").hold(&left).calls(ends(1)));
    push(ends(51).collect());
    shop.endpoint().push(text("so").hold(&ended).calls([bash("true")]));
    shop.endpoint().push(text("so").hold(&last).text("done"));
    let running = shop.start();
    let count = || Counted::of(running.pid());
    first.wait_reached();
    let before = count();
    first.open();
    // one by one: on a busy machine all of them together take longer than one may wait for one
    (3..=14).for_each(|number| drop(shop.endpoint().wait_for_request(number)));
    left.wait_reached();
    assert!(shop.told().last().unwrap().contains("[still running: bash_100;"), "{:?}", shop.told().last());
    let with_jobs = count();
    assert!(
        with_jobs.zombies == 0 && with_jobs.files <= before.files.map(|files| files + 50),
        "a pipe each: {with_jobs:?}, {before:?}"
    );
    left.open();
    drop(shop.endpoint().wait_for_request(16));
    ended.wait_reached();
    ended.open();
    last.wait_reached();
    let after = count();
    assert_eq!((after.files, after.zombies), (before.files, 0), "{after:?}, {before:?}");
    // those that wait for the next file to read come and go, more of them on a busy machine; one for each job would be fifty
    assert!(
        with_jobs.threads.max(after.threads) <= before.threads + 8,
        "{with_jobs:?} {after:?}, {before:?}"
    );
    last.open();
    running.wait().expect_code(0);
}

/// What a process has of what runs out.
#[derive(Debug)]
struct Counted {
    /// None where only the superuser may look.
    files: Option<usize>,
    threads: usize,
    zombies: usize,
}

impl Counted {
    fn of(pid: Pid) -> Self {
        let entries = |what: &str| {
            let entries = std::fs::read_dir(format!("/proc/{}/{what}", pid.as_raw_nonzero()));
            entries.map(Iterator::count).ok()
        };
        let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", pid.as_raw_nonzero()));
        let is_zombie = |child: &&str| {
            let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            stat.contains(") Z ")
        };
        let zombies = children.unwrap_or_default().split_whitespace().filter(is_zombie).count();
        Self { files: entries("fd"), threads: entries("task").unwrap(), zombies }
    }
}

/// The call of a command in the background comes back at once.
#[test]
fn a_background_command_holds_nobody_up() {
    let shop = Workshop::new();
    let begun = Instant::now();
    let told = shop.tell_all([background("sleep 100"), background("exec sleep 100")]);
    assert!(told[1].contains("bash_2"), "{told:?}");
    assert!(begun.elapsed() < Duration::from_secs(20));
}
