//! The program on the whole screen (`--fullscreen`): its own scrolling, the wheel, and the normal screen afterwards.

use crate::endpoint::{Endpoint, Gate, text};
use crate::harness::{Clawd, Signal};
use crate::pty::{Kind, Pty, Size};

use super::terminal::{leave_the_shell, shell};
use super::{answer, bash, leave, say, usual, wait_for_rest};

pub(super) const QUIET: &str = "scrolled up";
const TOLD: &str = "new output below";

/// The program on the whole screen, at rest.
fn full(clawd: &Clawd) -> Pty {
    full_on(Kind::Plain, &clawd.again().arg("--fullscreen"))
}

fn full_on(kind: Kind, clawd: &Clawd) -> Pty {
    let pty = Pty::spawn_on(kind, clawd, usual());
    pty.wait_until("the alternate screen", |screen| {
        screen.alternate_screen() && screen.contents().contains("❯")
    });
    pty
}

/// So many entries of a list.
pub(super) fn entries(part: usize, count: usize) -> String {
    (0..count).map(|n| format!("- entry {part}-{n:02} ends.\n")).collect::<Vec<_>>().concat()
}

/// A session with an answer that is longer than the screen, at rest.
fn after_a_long_answer(clawd: &Clawd) -> Pty {
    let pty = full(clawd);
    say(&pty, "first words");
    pty.wait_for("entry 0-59");
    wait_for_rest(&pty);
    pty
}

/// What stands behind the sign of the input: the last row that has one.
pub(super) fn input(text: &str) -> String {
    let row = text.lines().rev().find(|row| row.starts_with('❯')).unwrap_or_default();
    row.trim_start_matches('❯').trim().to_owned()
}

fn first_row(pty: &Pty) -> String {
    pty.screen_text().lines().next().unwrap_or_default().to_owned()
}

fn wait_for_no(pty: &Pty, words: &str) {
    pty.wait_until(&format!("no {words:?}"), |screen| !screen.contents().contains(words));
}

#[test]
fn it_takes_the_whole_screen_and_gives_the_normal_one_back_as_it_was() {
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let pty = shell(&endpoint);
    pty.type_text("echo before it $((40 + 2))\r");
    pty.wait_for("before it 42");
    pty.type_text(&format!("{} --fullscreen\r", env!("CARGO_BIN_EXE_clawd")));
    pty.wait_until("the alternate screen", |screen| {
        screen.alternate_screen() && screen.contents().contains("❯")
    });
    assert!(!pty.screen_text().contains("before it"), "nothing of the shell is there");
    say(&pty, "go");
    pty.wait_for("entry 0-59");
    wait_for_rest(&pty);
    let rows: Vec<String> = pty.screen_text().lines().map(str::to_owned).collect();
    assert_eq!(rows.len(), 24, "the input stands at the bottom\n{}", rows.join("\n"));
    assert!(rows[22].starts_with('❯') && rows[23].contains("default"), "{}", rows.join("\n"));
    pty.key("ctrl-d");
    pty.wait_for("Resume with: clawd -r");
    let normal = pty.history().join("\n");
    assert!(normal.contains("before it 42") && !normal.contains("entry 0-"), "{normal}");
    pty.type_text("exit\r");
    pty.wait_exit();
    pty.assert_terminal_restored();
    endpoint.finish();
}

#[test]
fn scrolling_up_pauses_the_words_appear_and_end_follows() {
    let gate = Gate::new();
    let parts = text(&entries(0, 60)).hold(&gate).text(&entries(1, 60));
    let endpoint = Endpoint::script([parts, text("Short.")]);
    let pty = full(&Clawd::new(&endpoint));
    say(&pty, "first words");
    pty.wait_for("entry 0-59");
    pty.key("pageup");
    pty.wait_for(QUIET);
    let first = first_row(&pty);
    gate.open();
    pty.wait_for(TOLD);
    wait_for_rest(&pty);
    assert_eq!(first_row(&pty), first, "what is read stays");
    assert!(!pty.screen_text().contains("entry 1-"));
    pty.key("end");
    pty.wait_for("entry 1-59");
    wait_for_no(&pty, TOLD);
    pty.key("home");
    pty.wait_for("❯ first words");
    pty.key("pagedown");
    wait_for_no(&pty, "❯ first words");
    say(&pty, "second words");
    pty.wait_for("Short.");
    wait_for_rest(&pty);
    wait_for_no(&pty, QUIET);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_wheel_never_walks_the_history_whatever_the_terminal_makes_of_it() {
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let pty = after_a_long_answer(&Clawd::new(&endpoint));
    assert!(
        !pty.is_set(1007) && !pty.is_set(1000),
        "no arrows for the wheel, and the mouse is the terminal's"
    );
    for draft in ["", "a draft"] {
        pty.type_text(draft);
        pty.wait_until("the draft", |screen| input(&screen.contents()) == draft);
        // a terminal that does as it was told sends nothing, others send arrows
        pty.wheel(true);
        for (bytes, paused) in [("\x1b[A", true), ("\x1b[B", false), ("\x1bOA", true), ("\x1bOB", false)] {
            pty.send(bytes.repeat(3).as_bytes());
            pty.wait_until(&format!("the scrolling of {bytes:?} over {draft:?}"), |screen| {
                screen.contents().contains(QUIET) == paused
            });
            assert_eq!(input(&pty.screen_text()), draft, "after {bytes:?}");
        }
    }
    pty.key("ctrl-u");
    wait_for_no(&pty, "a draft");
    pty.key("up");
    pty.wait_until("the history", |screen| input(&screen.contents()) == "first words");
    pty.key("ctrl-u");
    pty.wait_until("an empty input", |screen| input(&screen.contents()).is_empty());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_reported_wheel_scrolls_and_the_mouse_is_given_back() {
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let config = "[tui]\nfullscreen = true\nmouse = true\n";
    let clawd = Clawd::new(&endpoint).home_file("config.toml", config);
    let pty = full_on(Kind::Plain, &clawd);
    assert!(pty.is_set(1000) && pty.is_set(1006));
    say(&pty, "first words");
    pty.wait_for("entry 0-59");
    wait_for_rest(&pty);
    pty.wheel(true);
    pty.wait_for(QUIET);
    assert_eq!(input(&pty.screen_text()), "");
    pty.wheel(false);
    wait_for_no(&pty, QUIET);
    // a click is nothing
    pty.send(b"\x1b[<0;5;5M\x1b[<0;5;5m");
    pty.key("ctrl-o");
    pty.wait_for("q: close");
    pty.wheel(true);
    wait_for_no(&pty, "entry 0-59");
    pty.key("q");
    wait_for_no(&pty, "q: close");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_storm_of_resizes_and_every_size_end_with_a_whole_screen() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text(&entries(0, 60)).hold(&gate).text(&entries(1, 60))]);
    let pty = full(&Clawd::new(&endpoint));
    say(&pty, "first words");
    pty.wait_for("entry 0-59");
    for n in 0..100 {
        pty.resize(Size::new(20 + n % 80, 5 + n % 30));
        if n == 50 {
            gate.open();
        }
    }
    for (columns, rows) in [(1, 1), (500, 200), (3, 3), (100, 30)] {
        pty.resize(Size::new(columns, rows));
    }
    pty.wait_for("entry 1-59");
    wait_for_rest(&pty);
    pty.type_text("x");
    pty.wait_until("the input at the bottom", |screen| {
        let rows: Vec<String> = screen.rows(0, 100).collect();
        rows.len() == 30 && rows[28].starts_with("❯ x") && rows[29].contains("default")
    });
    let shown = pty.screen_text();
    let entries: Vec<&str> = shown.lines().filter(|row| row.contains("entry 1-")).collect();
    assert!(entries.len() >= 20 && entries.is_sorted(), "{shown}");
    pty.key("ctrl-u");
    wait_for_no(&pty, "❯ x");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn it_begins_on_the_smallest_screen_and_grows() {
    let endpoint = Endpoint::script([text("Seen.")]);
    let pty = Pty::spawn(&Clawd::new(&endpoint).arg("--fullscreen"), Size::new(1, 1));
    pty.wait_until("its start", vt100::Screen::alternate_screen);
    say(&pty, "go");
    endpoint.wait_for_request(1);
    pty.resize(Size::new(500, 200));
    pty.wait_for("Seen.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_signal_gives_the_terminal_back_at_rest_in_a_run_and_over_a_page() {
    for at in ["rest", "run", "page"] {
        for kind in [Kind::Plain, Kind::Kitty] {
            let endpoint = Endpoint::script([text("Half of it").hold(&Gate::new())]);
            let pty = full_on(kind, &Clawd::new(&endpoint).arg("--fullscreen"));
            if at == "run" {
                say(&pty, "go");
                pty.wait_for("Half of it");
            }
            if at == "page" {
                pty.key("ctrl-o");
                pty.wait_for("q: close");
            }
            pty.signal(Signal::TERM);
            assert_eq!(pty.wait_exit().code, 143);
            pty.assert_terminal_restored();
            assert!(!pty.is_set(1049));
        }
    }
}

#[test]
fn keys_are_told_apart_on_the_alternate_screen_too() {
    let endpoint = Endpoint::script([]);
    let pty = full_on(Kind::Kitty, &Clawd::new(&endpoint).arg("--fullscreen"));
    pty.type_text("one");
    pty.key("shift-enter");
    pty.type_text("two");
    pty.wait_until("two rows", |screen| {
        let text = screen.contents();
        text.contains("❯ one\n  two")
    });
    pty.key("ctrl-c");
    wait_for_no(&pty, "two");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_run_is_ended_and_another_answer_comes() {
    let endpoint = Endpoint::script([text("Half of it").hold(&Gate::new()), text("Whole.")]);
    let pty = full(&Clawd::new(&endpoint));
    say(&pty, "go");
    pty.wait_for("Half of it");
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    say(&pty, "again");
    pty.wait_for("Whole.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_question_is_answered_with_what_stands_above_it_still_to_be_read() {
    let endpoint = Endpoint::script([text(&entries(0, 60)).calls([bash("touch made")]), text("Done.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = full(&clawd);
    say(&pty, "first words");
    pty.wait_for("1. Yes");
    pty.key("pageup");
    pty.wait_for("scrolled up · PgDn: scroll down");
    assert!(pty.screen_text().contains("1. Yes"));
    answer(&pty, "Allow", "1");
    pty.wait_for(TOLD);
    wait_for_rest(&pty);
    pty.key("end");
    pty.wait_for("Done.");
    assert!(clawd.project().join("made").exists());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_page_and_a_list_open_over_it_and_close_onto_it() {
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let pty = after_a_long_answer(&Clawd::new(&endpoint));
    for (open, seen) in [("ctrl-o", "q: close"), ("?", "q: close")] {
        pty.key(open);
        pty.wait_for(seen);
        pty.key("q");
        wait_for_no(&pty, seen);
        assert!(pty.is_set(1049), "it is still the alternate screen");
        pty.wait_for("entry 0-59");
    }
    say(&pty, "/theme");
    pty.wait_for("colour-blind");
    pty.key("esc");
    wait_for_no(&pty, "colour-blind");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_z_shows_the_shell_its_screen_and_fg_comes_back_to_the_same_place() {
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let pty = shell(&endpoint);
    pty.type_text(&format!("{} --fullscreen\r", env!("CARGO_BIN_EXE_clawd")));
    pty.wait_until("the alternate screen", |screen| {
        screen.alternate_screen() && screen.contents().contains("❯")
    });
    say(&pty, "first words");
    pty.wait_for("entry 0-59");
    wait_for_rest(&pty);
    pty.key("pageup");
    pty.wait_for(QUIET);
    let first = first_row(&pty);
    pty.key("ctrl-z");
    pty.wait_for("Stopped");
    assert!(!pty.is_set(1049) && pty.is_set(1007) && !pty.screen_text().contains("entry"));
    pty.type_text("fg\r");
    pty.wait_until("it to be back", |screen| screen.alternate_screen() && screen.contents().contains(QUIET));
    assert_eq!(first_row(&pty), first);
    leave_the_shell(&pty);
    endpoint.finish();
}

#[test]
fn a_resumed_session_stands_at_its_end() {
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let clawd = Clawd::new(&endpoint);
    let pty = after_a_long_answer(&clawd);
    leave(&pty);
    let pty = full_on(Kind::Plain, &clawd.again().args(["--fullscreen", "-c"]));
    pty.wait_for("entry 0-59");
    pty.key("home");
    pty.wait_for("first words");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn at_rest_nothing_is_written_and_a_letter_costs_little() {
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let pty = after_a_long_answer(&Clawd::new(&endpoint));
    pty.type_text("a");
    pty.wait_for("❯ a");
    let before = pty.raw_bytes().len();
    pty.type_text("b");
    pty.wait_for("❯ ab");
    let written = pty.raw_bytes().len() - before;
    assert!(written < 120, "{written} bytes for a letter");
    pty.key("ctrl-u");
    wait_for_no(&pty, "❯ ab");
    leave(&pty);
    endpoint.finish();
}
