//! Plain mode: the same program where nothing may be drawn, as a screen reader or a dumb terminal has it.
//!
//! Not one escape is written in any of these tests: every terminal here is looked at as it is let go. What a line discipline
//! does is the system's own, so a key that is told here is the byte that a terminal sends, and Enter ends the line.

use serde_json::json;

use super::{GUARD, bash, count_rows, lasting, open};
use crate::endpoint::{Endpoint, Gate, call, calls, text};
use crate::harness::Clawd;
use crate::pty::Pty;

/// A terminal that can do no more than print.
pub(super) fn dumb(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).env("TERM", "dumb")
}

/// The program at its first prompt.
pub(super) fn begin(clawd: &Clawd) -> Pty {
    let pty = open(clawd);
    wait_for_prompt(&pty);
    pty
}

/// Blocks until the last line is the sign of the input line and nothing behind it.
pub(super) fn wait_for_prompt(pty: &Pty) {
    pty.wait_until("an empty input line", |screen| screen.contents().trim_end().ends_with('❯'));
}

/// Types a line and waits until the program has said something to it.
pub(super) fn say(pty: &Pty, words: &str) {
    let before = pty.raw_bytes().len() + words.len();
    pty.type_text(words);
    pty.wait_bytes("the echo", |all| all.len() >= before);
    pty.key("enter");
    pty.wait_bytes("an answer to the line", |all| all.len() > before + "\r\n".len());
}

/// Answers a question that has this in it, as somebody who has read it.
pub(super) fn answer(pty: &Pty, question: &str, line: &str) {
    pty.wait_for(question);
    wait_for_prompt(pty);
    std::thread::sleep(GUARD);
    say(pty, line);
}

/// Leaves by Ctrl+D: the line is as it was, and no escape was ever written.
pub(super) fn leave(pty: &Pty) {
    wait_for_prompt(pty);
    pty.key("ctrl-d");
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
    expect_no_escape(pty);
}

fn expect_no_escape(pty: &Pty) {
    let all = pty.raw_bytes();
    let place = all.iter().position(|byte| *byte == 0x1b);
    let around = place.map(|at| String::from_utf8_lossy(&all[at.saturating_sub(40)..]).into_owned());
    assert_eq!(around, None, "an escape was written");
}

#[test]
fn a_whole_run_is_told_line_by_line_and_each_line_once() {
    let gate = Gate::new();
    let answer = text("The first paragraph.\n\nThe second ")
        .hold(&gate)
        .text("one.\n\n- one\n- two\n\n```\nlet code = 1;\n```\n");
    let endpoint = Endpoint::script([answer]);
    let pty = begin(&dumb(&endpoint));
    say(&pty, "what is this?");
    pty.wait_for("esc to interrupt");
    pty.wait_for("The first paragraph.");
    gate.open();
    pty.wait_for("let code = 1;");
    wait_for_prompt(&pty);
    for line in ["what is this?", "The first paragraph.", "let code = 1;", "mode: default", "1 turn"] {
        assert_eq!(count_rows(&pty, line), 1, "{line}\n{}", pty.screen_text());
    }
    assert_eq!(pty.queries(), [""; 0]);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn lines_are_told_also_where_the_whole_screen_was_asked_for() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let pty = begin(&dumb(&endpoint).arg("--fullscreen"));
    say(&pty, "go");
    pty.wait_for("An answer.");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_question_is_answered_by_a_number_a_letter_or_words_behind_a_no() {
    let change = |name: &str| text("So.").calls([bash(&format!("touch {name}"))]);
    let endpoint = Endpoint::script([change("one"), change("two"), change("three"), text("Then not.")]);
    let clawd = dumb(&endpoint).args(["--sandbox", "off"]);
    let pty = begin(&clawd);
    say(&pty, "go");
    pty.wait_for("2. Yes, and don't ask again");
    answer(&pty, "touch one", "1");
    answer(&pty, "touch two", "y");
    answer(&pty, "touch three", "3 use another name");
    pty.wait_for("Then not.");
    assert!(pty.screen_text().contains("denied: run"), "{}", pty.screen_text());
    let made = |name: &str| clawd.project().join(name).exists();
    assert_eq!(["one", "two", "three"].map(made), [true, true, false]);
    assert!(endpoint.requests()[3].last_text().contains("use another name"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_edit_is_asked_for_in_words_and_enter_alone_allows_nothing() {
    let edit = call("Edit", json!({"file_path": "a.txt", "old_string": "old", "new_string": "new"}));
    let read = call("Read", json!({"file_path": "a.txt"}));
    let endpoint = Endpoint::script([calls([read]), calls([edit]), text("Changed.")]);
    let clawd = dumb(&endpoint).file("a.txt", "old\n");
    let pty = begin(&clawd);
    say(&pty, "go");
    answer(&pty, "Allow this edit?", "");
    pty.wait_until("the answers once more", |screen| screen.contents().matches("1. Yes").count() == 2);
    let shown = pty.screen_text();
    assert!(shown.contains("removed old") && shown.contains("added new"), "{shown}");
    assert_eq!(std::fs::read_to_string(clawd.project().join("a.txt")).unwrap(), "old\n");
    answer(&pty, "Allow this edit?", "1");
    pty.wait_for("Changed.");
    assert_eq!(std::fs::read_to_string(clawd.project().join("a.txt")).unwrap(), "new\n");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn words_that_answer_no_question_wait_as_a_draft() {
    let endpoint = Endpoint::script([calls([bash("touch made")]), text("First."), text("Second.")]);
    let pty = begin(&dumb(&endpoint).args(["--sandbox", "off"]));
    say(&pty, "go");
    answer(&pty, "touch made", "and then the tests");
    pty.wait_for("draft, 1 line, 18 characters: and then the tests");
    answer(&pty, "touch made", "1");
    pty.wait_for("First.");
    wait_for_prompt(&pty);
    say(&pty, "");
    pty.wait_for("Second.");
    assert_eq!(endpoint.requests()[2].last_text(), "and then the tests");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_c_and_esc_with_enter_end_a_run_and_what_it_started() {
    for key in ["ctrl-c", "esc"] {
        let endpoint = Endpoint::script([calls([lasting()]), text("Gone on.")]);
        let pty = begin(&dumb(&endpoint).arg("--yolo"));
        say(&pty, "go");
        pty.wait_for("running: run echo began");
        pty.key(key);
        if key == "esc" {
            pty.key("enter");
        }
        pty.wait_for("Interrupted");
        wait_for_prompt(&pty);
        say(&pty, "go on");
        pty.wait_for("Gone on.");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn ctrl_c_twice_at_an_empty_input_leaves() {
    let endpoint = Endpoint::script([]);
    let pty = begin(&dumb(&endpoint));
    pty.key("ctrl-c");
    pty.wait_for("Press Ctrl+C again to exit");
    pty.key("ctrl-c");
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
    expect_no_escape(&pty);
    endpoint.finish();
}

#[test]
fn commands_lists_and_pages_are_read_out() {
    let models = json!({"data": [{"id": "mock-1"}, {"id": "mock-2"}, {"id": "other"}]}).to_string();
    let list = crate::endpoint::status(200).body("application/json", &models);
    let endpoint = Endpoint::script([text("An answer.")]).serves("GET /v1/models", list);
    let pty = begin(&dumb(&endpoint));
    say(&pty, "/status");
    pty.wait_for("permissions");
    wait_for_prompt(&pty);
    say(&pty, "?");
    pty.wait_for("end of help");
    wait_for_prompt(&pty);
    say(&pty, "/model");
    pty.wait_for("1. mock-1");
    wait_for_prompt(&pty);
    say(&pty, "mock");
    pty.wait_for("2 of 3, matching mock");
    wait_for_prompt(&pty);
    say(&pty, "2");
    pty.wait_until("the other model", |screen| screen.contents().matches("mock-2").count() >= 3);
    wait_for_prompt(&pty);
    say(&pty, "/theme");
    pty.wait_for("colour-blind");
    wait_for_prompt(&pty);
    say(&pty, "");
    wait_for_prompt(&pty);
    say(&pty, "go");
    pty.wait_for("An answer.");
    assert_eq!(endpoint.requests()[0].body["model"], "mock-2");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn lines_that_come_at_once_are_one_draft_and_start_nothing() {
    let endpoint = Endpoint::script([text("Read.")]);
    let clawd = dumb(&endpoint);
    let pty = begin(&clawd);
    pty.type_text("!touch made\r/exit\rlast line\r");
    pty.wait_for("draft, 3 lines");
    wait_for_prompt(&pty);
    say(&pty, "");
    pty.wait_for("Read.");
    assert_eq!(endpoint.requests()[0].last_text(), "!touch made\n/exit\nlast line");
    assert!(!clawd.project().join("made").exists());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_line_is_continued_behind_a_backslash() {
    let endpoint = Endpoint::script([text("Read.")]);
    let pty = begin(&dumb(&endpoint));
    say(&pty, "one\\");
    wait_for_prompt(&pty);
    say(&pty, "two");
    pty.wait_for("Read.");
    assert_eq!(endpoint.requests()[0].last_text(), "one\ntwo");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_is_typed_while_a_run_goes_on_waits_for_its_turn() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("First").hold(&gate).text(" done."), text("Second done.")]);
    let pty = begin(&dumb(&endpoint));
    say(&pty, "one");
    pty.wait_for("esc to interrupt");
    say(&pty, "two");
    pty.wait_for("queued: two");
    gate.open();
    pty.wait_for("Second done.");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_turn_limit_is_a_question_here_too() {
    let read = || calls([call("Glob", json!({"pattern": "*"}))]);
    let endpoint = Endpoint::script([read(), text("Gone on.")]);
    let pty = begin(&dumb(&endpoint).args(["--max-turns", "1"]));
    say(&pty, "go");
    answer(&pty, "Turn limit reached", "y");
    pty.wait_for("Gone on.");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_session_goes_on_from_plain_mode_to_the_screen_and_back() {
    let endpoint = Endpoint::script([text("Said plainly."), text("Said on the screen."), text("Again.")]);
    let clawd = dumb(&endpoint);
    let pty = begin(&clawd);
    say(&pty, "first");
    pty.wait_for("Said plainly.");
    leave(&pty);
    let drawn = open(&clawd.again().env("TERM", "xterm-256color").arg("-c"));
    drawn.wait_for("Said plainly.");
    super::say(&drawn, "second");
    drawn.wait_for("Said on the screen.");
    super::wait_for_rest(&drawn);
    super::leave(&drawn);
    let pty = begin(&clawd.again().arg("-c"));
    pty.wait_for("Said on the screen.");
    say(&pty, "third");
    pty.wait_for("Again.");
    assert_eq!(endpoint.requests()[2].roles(), "system user assistant user assistant user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_setting_asks_for_it_on_any_terminal() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let pty = begin(&Clawd::new(&endpoint).home_file("config.toml", "[tui]\nplain = true\n"));
    say(&pty, "go");
    pty.wait_for("An answer.");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_key_for_an_endpoint_is_typed_unseen() {
    let models = json!({"data": [{"id": "mock-1"}]}).to_string();
    let list = crate::endpoint::status(200).body("application/json", &models);
    let endpoint = Endpoint::script([text("An answer.")]).serves("GET /v1/models", list);
    let clawd =
        dumb(&endpoint).without_env("CLAWD_BASE_URL").without_env("CLAWD_API_KEY").without_env("CLAWD_MODEL");
    let pty = open(&clawd);
    pty.wait_for("no server found");
    let row = |words: &str| {
        let shown = pty.screen_text();
        let row = shown.lines().rev().find(|row| row.contains(words)).unwrap().trim().to_owned();
        row.split('.').next().unwrap().to_owned()
    };
    say(&pty, &row("Enter a URL"));
    pty.wait_for("Endpoint URL");
    wait_for_prompt(&pty);
    say(&pty, &endpoint.base_url());
    pty.wait_for("it is not shown");
    wait_for_prompt(&pty);
    pty.type_text("sk-unseen");
    pty.key("enter");
    pty.wait_for("mode: default");
    wait_for_prompt(&pty);
    say(&pty, "go");
    pty.wait_for("An answer.");
    assert!(!String::from_utf8_lossy(&pty.raw_bytes()).contains("sk-unseen"));
    assert_eq!(endpoint.requests()[0].header("authorization"), Some("Bearer sk-unseen"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn signals_end_it_in_order() {
    use crate::harness::Signal;
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let endpoint = Endpoint::script([calls([lasting()])]);
        let pty = begin(&dumb(&endpoint).arg("--yolo"));
        say(&pty, "go");
        pty.wait_for("running: run echo began");
        pty.signal(signal);
        assert_eq!(pty.wait_exit().code, code);
        pty.assert_terminal_restored();
        endpoint.finish();
    }
}
