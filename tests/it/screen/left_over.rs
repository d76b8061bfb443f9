//! A terminal whose program was killed (SIGKILL) with its modes set, which nobody could undo: what the next start makes of it. And the
//! signals that can be heard, after which nothing is left to be undone.
//!
//! The surprise: shells differ. One that edits lines itself mends the line before it asks for a command, so that nothing tells the
//! next start of the kill but what the terminal does. Here a script is the shell, for it loses nothing of what is typed.

use crate::endpoint::{Endpoint, Gate, text};
use crate::harness::{Clawd, Signal};
use crate::pty::{Kind, Pty, Size};

use super::terminal::job;
use super::{open, say};

const WITH_MOUSE: &str = "[tui]\nfullscreen = true\nmouse = true\n";
const WITHOUT: &str = "[tui]\nfullscreen = true\n";

/// What a shell does with the line when a program was killed.
const LEAVES_IT: &str = ":";
const MENDS_IT: &str = "stty sane";

/// A terminal in which the program was killed on the whole screen.
fn killed(kind: Kind, mend: &str, config: &str) -> (Endpoint, Clawd, Pty) {
    let endpoint = Endpoint::script([]);
    let script = format!("\"$0\"; {mend}; echo over; head -c 1 >/dev/null; \"$0\"; echo left");
    let clawd = Clawd::new(&endpoint).home_file("config.toml", config).program("/bin/sh");
    let clawd = clawd.args(["-c", &script, env!("CARGO_BIN_EXE_clawd")]);
    let pty = Pty::spawn_on(kind, &clawd, Size::new(100, 30));
    pty.wait_until("the whole screen", |screen| screen.alternate_screen() && screen.contents().contains('❯'));
    // by the time that a key is shown the terminal has answered all it was asked; none of that is left for whoever reads next
    pty.type_text("x");
    pty.wait_until("the key", |screen| screen.contents().contains("❯ x"));
    pty.wait_read();
    rustix::process::kill_process(job(&pty), Signal::KILL).unwrap();
    pty.wait_for("over");
    (endpoint, clawd, pty)
}

/// Starts the program once more in the same terminal, on the normal screen, and leaves it.
fn start_and_leave(clawd: &Clawd, pty: &Pty) {
    std::fs::write(clawd.clawd_home().join("config.toml"), "").unwrap();
    pty.type_text("\n");
    pty.wait_until("the second start", |screen| screen.contents().lines().any(|row| row.trim_end() == "❯"));
    for mode in [1000, 1006, 1047, 1049] {
        assert!(!pty.is_set(mode), "{mode} while it runs");
    }
    pty.key("ctrl-d");
    pty.wait_for("left");
    pty.wait_exit();
}

#[test]
fn mouse_wheel_keys_and_screen_are_back_with_the_next_start_where_the_line_tells_of_the_kill() {
    for kind in [Kind::Plain, Kind::Kitty] {
        for (config, left_over) in [(WITH_MOUSE, [1000, 1006]), (WITHOUT, [1049, 1049])] {
            let (endpoint, clawd, pty) = killed(kind, LEAVES_IT, config);
            assert!(left_over.iter().all(|mode| pty.is_set(*mode)), "nobody could undo them");
            assert_eq!(pty.is_set(1007), config == WITH_MOUSE, "the wheel");
            start_and_leave(&clawd, &pty);
            pty.assert_terminal_restored();
            endpoint.finish();
        }
    }
}

#[test]
fn mouse_and_screen_are_back_with_the_next_start_where_the_shell_has_mended_the_line() {
    let (endpoint, clawd, pty) = killed(Kind::Plain, MENDS_IT, WITH_MOUSE);
    assert!(pty.is_set(1000) && pty.is_set(1049), "nobody could undo them");
    start_and_leave(&clawd, &pty);
    for mode in [1000, 1004, 1006, 1049, 2004] {
        assert!(!pty.is_set(mode), "{mode}");
    }
    assert!(pty.is_set(25), "the cursor");
    endpoint.finish();
}

#[test]
fn what_can_be_heard_leaves_nothing_to_undo_mouse_and_all() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        for config in [WITH_MOUSE, WITHOUT, ""] {
            let endpoint = Endpoint::script([text("Half of it").hold(&Gate::new())]);
            let pty = open(&Clawd::new(&endpoint).home_file("config.toml", config));
            assert_eq!(pty.is_set(1000), config == WITH_MOUSE);
            say(&pty, "go");
            pty.wait_for("Half of it");
            pty.signal(signal);
            assert_eq!(pty.wait_exit().code, code);
            pty.assert_terminal_restored();
        }
    }
}
