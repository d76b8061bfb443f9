//! What a terminal may lack, and that the program is whole in it all the same: a row each.
//!
//! Every row tells the same story: a prompt, an answer that streams, a paste of two lines, a question answered, a command for the
//! program, and leaving; and then what is special in it. What an endpoint may lack stands in `degraded`. GNU screen
//! is tested where it is installed, and otherwise said to be left out, as tmux is.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::{GUARD, bash, count_rows, leave, plain, wait_for_rest};
use crate::endpoint::{Endpoint, deltas, text};
use crate::harness::Clawd;
use crate::pty::{Kind, Pty, Size};

/// The programs that must be there, separated by commas: without them a test fails where it else would be left out.
const REQUIRE: &str = "CLAWD_TEST_REQUIRE";

/// A terminal, and what is special in it.
struct Row {
    kind: Kind,
    size: (u16, u16),
    /// The sign of the input line.
    sign: &'static str,
    clawd: fn(Clawd) -> Clawd,
    special: fn(&Pty),
}

const USUAL: Row =
    Row { kind: Kind::Plain, size: (80, 24), sign: "❯", clawd: |clawd| clawd, special: |_pty| {} };

/// The story, to its good end.
fn tell(row: &Row) {
    let endpoint = story();
    let clawd = (row.clawd)(Clawd::new(&endpoint)).args(["--sandbox", "off"]);
    let pty = Pty::spawn_on(row.kind, &clawd, Size::new(row.size.0, row.size.1));
    live_through(&pty, &endpoint, row.sign);
    assert!(clawd.project().join("made").exists());
    leave(&pty);
    (row.special)(&pty);
    endpoint.finish();
}

fn story() -> Endpoint {
    let streamed = deltas(["The ", "answer", ".\n\n", "- one\n", "- two\n"]);
    Endpoint::script([streamed, text("So.").calls([bash("touch made")]), text("Made.")])
}

fn live_through(pty: &Pty, endpoint: &Endpoint, sign: &str) {
    pty.wait_for(sign);
    pty.type_text("hello");
    pty.wait_for("hello");
    pty.key("enter");
    pty.wait_for("- two");
    wait_for_rest(pty);
    assert_eq!(count_rows(pty, "The answer."), 1);
    pty.paste("one\ntwo");
    pty.wait_for("two");
    pty.wait_until("all of the paste", |screen| screen.contents().lines().any(|row| row.trim() == "two"));
    std::thread::sleep(GUARD);
    pty.key("enter");
    pty.wait_for("3. No");
    assert_eq!(endpoint.requests()[1].last_text(), "one\ntwo");
    std::thread::sleep(GUARD);
    pty.key("1");
    pty.wait_for("Made.");
    wait_for_rest(pty);
}

/// All sequences of colours and attributes that were written, as lists of numbers.
fn inks(pty: &Pty) -> Vec<Vec<u16>> {
    let all = written(pty);
    let sequences = all.split("\x1b[").skip(1).filter_map(|rest| rest.split_once('m'));
    let sequences = sequences.map(|(numbers, _)| numbers);
    let sequences = sequences.filter(|numbers| numbers.chars().all(|c| c.is_ascii_digit() || c == ';'));
    sequences.map(|numbers| numbers.split(';').filter_map(|number| number.parse().ok()).collect()).collect()
}

fn written(pty: &Pty) -> String {
    String::from_utf8_lossy(&pty.raw_bytes()).into_owned()
}

#[test]
fn without_colour_there_are_attributes_alone() {
    tell(&Row {
        clawd: |clawd| clawd.env("NO_COLOR", "1"),
        special: |pty| {
            let inks = inks(pty);
            assert!(inks.iter().flatten().all(|number| *number < 30), "{inks:?}");
            assert!(inks.iter().flatten().any(|number| *number > 0), "there are attributes");
        },
        ..USUAL
    });
}

#[test]
fn with_sixteen_colours_no_other_is_asked_for() {
    tell(&Row {
        clawd: |clawd| clawd.env("TERM", "xterm"),
        special: |pty| {
            let inks = inks(pty);
            assert!(inks.iter().flatten().all(|number| !matches!(number, 38 | 48 | 58)), "{inks:?}");
            assert!(inks.iter().flatten().any(|number| (30..38).contains(number)), "there are colours");
        },
        ..USUAL
    });
}

fn expect_ascii(pty: &Pty) {
    assert!(pty.raw_bytes().is_ascii(), "{}", pty.screen_text());
    let told: String = pty.history().join("");
    assert!(told.contains("LANG=C.UTF-8"), "it is said, and how to mend it: {told}");
}

#[test]
fn without_unicode_in_the_locale_there_is_ascii_alone() {
    tell(&Row { sign: ">", clawd: |clawd| clawd.env("LANG", "C"), special: expect_ascii, ..USUAL });
}

#[test]
fn without_unicode_in_an_old_terminal_there_is_ascii_alone() {
    let old = |clawd: Clawd| clawd.without_env("LANG").env("TERM", "vt220");
    tell(&Row { sign: ">", clawd: old, special: expect_ascii, ..USUAL });
}

#[test]
fn without_unicode_the_whole_screen_is_ascii_alone() {
    let full = |clawd: Clawd| clawd.env("LANG", "C").arg("--fullscreen");
    let special = |pty: &Pty| {
        let all = written(pty);
        assert!(all.is_ascii() && all.contains("\x1b[?1049h"), "{all:?}");
        assert!(all.contains("LANG=C.UTF-8"), "it is said, and how to mend it: {all:?}");
    };
    tell(&Row { sign: ">", clawd: full, special, ..USUAL });
}

#[test]
fn without_a_locale_a_modern_terminal_has_all_letters() {
    tell(&Row { clawd: |clawd| clawd.without_env("LANG"), ..USUAL });
}

#[test]
fn without_bracketed_paste_lines_that_come_at_once_are_one_text() {
    tell(&Row { kind: Kind::Bare, clawd: |clawd| clawd.env("TERM", "linux"), ..USUAL });
}

#[test]
fn without_bracketed_paste_the_whole_screen_has_them_as_one_text_too() {
    let full = |clawd: Clawd| clawd.env("TERM", "linux").arg("--fullscreen");
    tell(&Row { kind: Kind::Bare, clawd: full, ..USUAL });
}

#[test]
fn without_kitty_keys_and_with_them_it_is_the_same() {
    tell(&USUAL);
    tell(&Row { kind: Kind::Kitty, ..USUAL });
}

#[test]
fn without_synchronized_updates_the_picture_is_the_same() {
    tell(&Row {
        special: |pty| {
            let all = written(pty);
            let without = all.replace("\x1b[?2026h", "").replace("\x1b[?2026l", "");
            assert_ne!(all, without);
            let shown = |text: &str| {
                let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
                parser.process(text.as_bytes());
                parser.screen().contents()
            };
            assert_eq!(shown(&all), shown(&without));
        },
        ..USUAL
    });
}

#[test]
fn on_forty_columns_nothing_is_missing() {
    tell(&Row { size: (40, 12), ..USUAL });
}

#[test]
fn on_twenty_columns_nothing_is_missing() {
    tell(&Row { size: (20, 12), ..USUAL });
}

#[test]
fn with_reduced_motion_nothing_turns() {
    tell(&Row {
        clawd: |clawd| clawd.home_file("config.toml", "[tui]\nreduced_motion = true\n"),
        special: |pty| {
            let turning = written(pty).chars().any(|c| ('\u{2800}'..='\u{28ff}').contains(&c));
            assert!(!turning, "{}", pty.screen_text());
        },
        ..USUAL
    });
}

#[test]
fn where_a_window_says_that_it_is_an_editors_it_is_the_same() {
    tell(&Row { clawd: |clawd| clawd.env("TERM_PROGRAM", "vscode"), ..USUAL });
}

#[test]
fn in_plain_mode_the_same_story_is_told() {
    let endpoint = story();
    let clawd = plain::dumb(&endpoint).args(["--sandbox", "off"]);
    let pty = plain::begin(&clawd);
    plain::say(&pty, "hello");
    pty.wait_for("- two");
    plain::wait_for_prompt(&pty);
    pty.type_text("one\rtwo\r");
    pty.wait_for("draft, 2 lines");
    plain::wait_for_prompt(&pty);
    plain::say(&pty, "");
    plain::answer(&pty, "3. No", "1");
    pty.wait_for("Made.");
    assert_eq!(endpoint.requests()[1].last_text(), "one\ntwo");
    assert!(clawd.project().join("made").exists());
    plain::leave(&pty);
    endpoint.finish();
}

/// Whether this program is installed. Where it must be, its lack fails the test; else it is said.
#[expect(clippy::print_stdout, reason = "what was not run is said, never passed over")]
pub(super) fn is_there(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|directory| directory.join(name).is_file()) {
        return true;
    }
    let required = std::env::var(REQUIRE).unwrap_or_default();
    assert!(!required.split(',').any(|required| required == name), "{name} is required and not installed");
    println!("not run: {name} is not installed");
    false
}

/// The story inside another program that makes a terminal of its own. Says so and leaves it out where that is missing.
fn tell_inside(name: &str, arguments: impl Fn(&Clawd) -> Vec<String>) {
    if !is_there(name) {
        return;
    }
    let endpoint = story();
    let clawd = Clawd::new(&endpoint);
    let arguments = arguments(&clawd);
    // where GNU screen has its sockets, of which it would leave a directory behind
    let sockets = clawd.home().join("sockets");
    fs::create_dir(&sockets).unwrap();
    fs::set_permissions(&sockets, Permissions::from_mode(0o700)).unwrap();
    let outer = clawd.clone().env("SHELL", "/bin/sh").env("SCREENDIR", sockets.to_str().unwrap());
    let outer = outer.program(name).args(arguments.iter().map(String::as_str));
    let pty = Pty::spawn(&outer, Size::new(80, 24));
    live_through(&pty, &endpoint, "❯");
    assert!(clawd.project().join("made").exists());
    pty.key("ctrl-d");
    // how the terminal around it is left is that program's affair
    assert_eq!(pty.wait_exit().code, 0);
    endpoint.finish();
}

fn program() -> String {
    format!("exec {} --sandbox off", env!("CARGO_BIN_EXE_clawd"))
}

#[test]
fn in_tmux_nothing_is_missing() {
    tell_inside("tmux", |clawd| {
        let socket = clawd.home().join("tmux.socket").display().to_string();
        ["-u", "-f", "/dev/null", "-S", &socket, "new-session", &program()].map(str::to_owned).to_vec()
    });
}

#[test]
fn in_gnu_screen_nothing_is_missing() {
    tell_inside("screen", |_clawd| {
        ["-U", "-c", "/dev/null", "sh", "-c", &program()].map(str::to_owned).to_vec()
    });
}

#[test]
fn in_a_recorded_terminal_nothing_is_missing() {
    tell_inside("script", |_clawd| ["-q", "-e", "-c", &program(), "/dev/null"].map(str::to_owned).to_vec());
}
