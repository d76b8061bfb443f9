//! Permission questions: the answers, the keys that are not meant for them, the modes.

use crate::endpoint::{Endpoint, Gate, call, calls, text, thinking};
use std::time::Duration;

use crate::harness::Clawd;
use serde_json::json;

use super::{GUARD, answer, bash, chat, count_rows, leave, open, say, wait_for_rest};

fn touching() -> Endpoint {
    Endpoint::script([calls([bash("touch made")]), text("Done with it.")])
}

fn is_made(clawd: &Clawd) -> bool {
    clawd.project().join("made").exists()
}

fn check_yes(key: &str) {
    let endpoint = touching();
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    pty.wait_for("1. Yes");
    let shown = pty.screen_text();
    for words in ["touch made", "2. Yes, and don't ask again", "3. No, "] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(!is_made(&clawd), "not before the answer");
    answer(&pty, "Allow", key);
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    assert!(is_made(&clawd));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn one_lets_a_command_run() {
    check_yes("1");
}

#[test]
fn y_lets_a_command_run() {
    check_yes("y");
}

#[test]
fn enter_on_yes_lets_a_command_run() {
    check_yes("enter");
}

#[test]
fn an_auto_repeated_enter_lets_nothing_run() {
    let endpoint = touching();
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    pty.type_text("make it");
    pty.wait_for("make it");
    for _ in 0..50 {
        pty.key("enter");
        std::thread::sleep(Duration::from_millis(30));
    }
    pty.wait_for("1. Yes");
    assert!(!is_made(&clawd) && endpoint.requests().len() == 1);
    answer(&pty, "Allow", "y");
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    assert!(is_made(&clawd));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_long_command_shows_its_end_and_all_of_it_before_a_yes_counts() {
    let lines = (1..200).map(|number| format!("echo {number}")).collect::<Vec<_>>().join("\n") + "\n";
    let endpoint = Endpoint::script([calls([bash(&format!("{lines}touch made"))]), text("Done with it.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    pty.wait_for("(Yes expands it first)");
    assert!(pty.screen_text().contains("  touch made"), "{}", pty.screen_text());
    answer(&pty, "Allow", "1");
    pty.wait_for("q: close");
    pty.wait_for("echo 3");
    assert!(!pty.screen_text().contains("touch made"), "it begins at its beginning\n{}", pty.screen_text());
    pty.key("q");
    pty.wait_for("(Yes expands it first)");
    for _ in 0..30 {
        pty.key("1");
    }
    pty.wait_for("q: close");
    for _ in 0..20 {
        pty.key("pagedown");
    }
    pty.wait_for("touch made");
    assert!(!is_made(&clawd), "{}", pty.screen_text());
    pty.key("q");
    pty.wait_for("(Ctrl+O to expand)");
    pty.key("1");
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    assert!(is_made(&clawd));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_no_with_words_reaches_the_model_and_the_run_goes_on() {
    let endpoint = touching();
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    answer(&pty, "Allow", "3");
    pty.type_text("use a better name");
    pty.wait_for("use a better name");
    pty.key("enter");
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    let result = endpoint.wait_for_request(2).tool_result("call_1");
    assert!(result.contains("use a better name"), "{result}");
    assert!(!is_made(&clawd));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_no_without_words_ends_the_run() {
    let endpoint = Endpoint::script([calls([bash("touch made")]), text("Another matter.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    answer(&pty, "Allow", "n");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    assert!(!is_made(&clawd));
    say(&pty, "something else");
    pty.wait_for("Another matter.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant tool user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_blank_no_ends_the_run_too() {
    let endpoint = Endpoint::script([calls([bash("touch made")])]);
    let pty = chat(&endpoint);
    say(&pty, "make it");
    answer(&pty, "Allow", "3");
    pty.key("enter");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn dont_ask_again_holds_for_the_session_and_the_next_one() {
    let endpoint = Endpoint::script([
        calls([bash("touch made")]),
        text("First."),
        calls([bash("touch made")]),
        text("Second."),
        calls([bash("touch made")]),
        text("Third."),
    ]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    answer(&pty, "Allow", "2");
    pty.wait_for("First.");
    wait_for_rest(&pty);
    let grants = std::fs::read_to_string(clawd.clawd_home().join("grants.toml")).unwrap();
    assert!(grants.contains("touch"), "{grants}");
    assert!(!clawd.project().join(".clawd").exists(), "never in the project");
    say(&pty, "once more");
    pty.wait_for("Second.");
    wait_for_rest(&pty);
    leave(&pty);
    let pty = open(&clawd);
    say(&pty, "and in a later session");
    pty.wait_for("Third.");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn keys_pressed_as_a_question_comes_go_into_the_draft() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([
        thinking("hm").hold(&gate).calls([bash("touch made")]),
        text("Done with it."),
        text("And that too."),
    ]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    pty.wait_for("hm");
    pty.type_text("yy");
    gate.open();
    pty.wait_for("Allow");
    // still within the time in which no key counts
    pty.type_text("1y");
    std::thread::sleep(GUARD);
    assert!(!is_made(&clawd), "what was typed is no answer\n{}", pty.screen_text());
    pty.key("1");
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    pty.wait_for("❯ yy1y");
    pty.key("enter");
    pty.wait_for("And that too.");
    assert_eq!(endpoint.wait_for_request(3).last_text(), "yy1y");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_edit_shows_what_it_would_change() {
    let endpoint = Endpoint::script([
        calls([call("Read", json!({"file_path": "a.txt"}))]),
        calls([call(
            "Edit",
            json!({"file_path": "a.txt", "old_string": "old words", "new_string": "new words"}),
        )]),
        text("Edited."),
    ]);
    let clawd = Clawd::new(&endpoint).file("a.txt", "first\nold words\nlast\n");
    let pty = open(&clawd);
    say(&pty, "edit");
    pty.wait_for("Allow this edit?");
    let shown = pty.screen_text();
    assert!(shown.contains("- old words") && shown.contains("+ new words"), "{shown}");
    answer(&pty, "Allow", "1");
    pty.wait_for("Edited.");
    wait_for_rest(&pty);
    assert_eq!(clawd.read("a.txt"), "first\nnew words\nlast\n");
    assert_eq!(count_rows(&pty, "+ new words"), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn shift_tab_goes_through_the_modes() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    for mode in ["accept-edits", "plan", "default"] {
        pty.key("shift-tab");
        pty.wait_until(mode, |screen| screen.contents().lines().last().unwrap_or_default().contains(mode));
    }
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_word_for_the_sandbox_follows_the_mode() {
    let endpoint = Endpoint::script([]);
    let clawd = Clawd::new(&endpoint).args(["--permission-mode", "bypass"]);
    let pty = open(&clawd);
    let last = |screen: &vt100::Screen| screen.contents().lines().last().unwrap_or_default().to_owned();
    pty.wait_until("no sandbox", |screen| last(screen).contains("bypass · sandbox off"));
    pty.key("shift-tab");
    pty.wait_until("the usual mode held by what there is", |screen| {
        last(screen).contains("default · ") && !last(screen).contains("sandbox off")
    });
    leave(&pty);
    endpoint.finish();
}

#[test]
fn accept_edits_lets_an_edit_through_unasked() {
    let endpoint = Endpoint::script([
        calls([call("Write", json!({"file_path": "a.txt", "content": "new\n"}))]),
        text("Written."),
    ]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    pty.key("shift-tab");
    pty.wait_for("accept-edits");
    say(&pty, "write");
    pty.wait_for("Written.");
    wait_for_rest(&pty);
    assert_eq!(clawd.read("a.txt"), "new\n");
    assert_eq!(count_rows(&pty, "Allow"), 0);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_change_of_mode_answers_an_open_question() {
    let endpoint = Endpoint::script([
        calls([call("Write", json!({"file_path": "a.txt", "content": "new\n"}))]),
        text("Written."),
    ]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "write");
    answer(&pty, "Allow this edit?", "shift-tab");
    pty.wait_for("Written.");
    wait_for_rest(&pty);
    assert_eq!(clawd.read("a.txt"), "new\n");
    leave(&pty);
    endpoint.finish();
}
