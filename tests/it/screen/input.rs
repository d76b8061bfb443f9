//! The input line: lines, history, search, readline's keys, pastes, and how it is cleared and left.

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::pty::{Kind, Pty};

use super::{chat, leave, open, say, usual, wait_for_rest};

/// Does what is told, sends, and looks at what the model was sent.
fn check_sent(expected: &str, keys: impl Fn(&Pty)) {
    let endpoint = Endpoint::script([text("Received.")]);
    let pty = chat(&endpoint);
    keys(&pty);
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), expected);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_j_alt_enter_and_a_backslash_begin_a_new_line() {
    check_sent("one\ntwo\nthree\nfour", |pty| {
        pty.type_text("one");
        pty.key("ctrl-j");
        pty.type_text("two");
        pty.key("alt-enter");
        pty.type_text("three\\");
        pty.key("enter");
        pty.type_text("four");
        pty.wait_for("four");
    });
}

#[test]
fn shift_enter_begins_a_new_line_where_the_terminal_tells_it_apart() {
    let endpoint = Endpoint::script([text("Received.")]);
    let pty = Pty::spawn_on(Kind::Kitty, &Clawd::new(&endpoint), usual());
    pty.wait_for("❯");
    pty.type_text("one");
    pty.key("shift-enter");
    pty.type_text("two");
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "one\ntwo");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_keys_of_readline_edit_the_line() {
    check_sent("zero one two four", |pty| {
        pty.type_text("one two three");
        // the word before the cursor goes, the line's beginning and end are found
        pty.key("ctrl-w");
        pty.key("ctrl-a");
        pty.type_text("zero ");
        pty.key("ctrl-e");
        pty.type_text("fourfive");
        for _ in 0..4 {
            pty.key("backspace");
        }
        pty.wait_for("❯ zero one two four");
    });
}

#[test]
fn what_was_killed_comes_back_and_can_be_undone() {
    check_sent("one two", |pty| {
        pty.type_text("two");
        pty.key("ctrl-u");
        pty.type_text("one ");
        pty.key("ctrl-y");
        pty.wait_for("❯ one two");
        pty.key("ctrl-a");
        pty.key("alt-f");
        pty.key("ctrl-k");
        pty.wait_until("the rest killed", |screen| !screen.contents().contains("one two"));
        pty.key("ctrl-_");
        pty.wait_for("❯ one two");
        pty.key("ctrl-e");
        pty.key("alt-b");
        pty.key("alt-d");
        pty.type_text("two");
    });
}

#[test]
fn up_and_down_walk_through_what_was_sent() {
    let endpoint = Endpoint::script([text("A."), text("B."), text("C.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "first thing");
    pty.wait_for("A.");
    wait_for_rest(&pty);
    say(&pty, "second thing");
    pty.wait_for("B.");
    wait_for_rest(&pty);
    pty.type_text("a draft");
    pty.key("up");
    pty.key("up");
    pty.wait_until("the older one", |screen| input(&screen.contents()) == "first thing");
    pty.key("down");
    pty.wait_until("the newer one", |screen| input(&screen.contents()) == "second thing");
    pty.key("down");
    pty.wait_until("the draft", |screen| input(&screen.contents()) == "a draft");
    pty.key("ctrl-u");
    leave(&pty);
    // and in a later session
    let pty = open(&clawd);
    pty.key("up");
    pty.wait_until("the newest one", |screen| input(&screen.contents()) == "second thing");
    pty.key("enter");
    pty.wait_for("C.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[2].last_text(), "second thing");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_r_searches_what_was_sent() {
    let endpoint = Endpoint::script([text("A."), text("B."), text("C.")]);
    let pty = chat(&endpoint);
    say(&pty, "mend the parser");
    pty.wait_for("A.");
    wait_for_rest(&pty);
    say(&pty, "write the tests");
    pty.wait_for("B.");
    wait_for_rest(&pty);
    pty.key("ctrl-r");
    pty.type_text("pars");
    pty.wait_until("the match", |screen| screen.contents().matches("mend the parser").count() == 2);
    pty.key("enter");
    pty.wait_until("the match in the input", |screen| input(&screen.contents()) == "mend the parser");
    pty.key("enter");
    pty.wait_for("C.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[2].last_text(), "mend the parser");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_long_paste_is_folded_and_sent_to_the_byte() {
    let lines: Vec<String> = (1..=100).map(|n| format!("line {n} \twith «signs»\n")).collect();
    let pasted = lines.concat();
    check_sent(&format!("look: {pasted}well?"), |pty| {
        pty.type_text("look: ");
        pty.paste(&pasted);
        pty.wait_for("[Pasted 100 lines]");
        pty.type_text("well?");
        pty.wait_for("well?");
        assert!(!pty.screen_text().contains("line 50"));
    });
}

#[test]
fn a_short_paste_stands_as_it_is_and_is_not_sent_by_its_line_ends() {
    check_sent("one\ntwo\nthree", |pty| {
        pty.paste("one\ntwo\nthree");
        pty.wait_for("three");
    });
}

#[test]
fn a_paste_begins_no_command() {
    check_sent("/exit", |pty| {
        pty.paste("/exit");
        pty.wait_for("❯ /exit");
    });
}

#[test]
fn a_paste_with_control_sequences_does_nothing_to_the_terminal() {
    let endpoint = Endpoint::script([text("Received.")]);
    let pty = chat(&endpoint);
    pty.paste("a\x1b]0;owned\x07b\x1b[31mc\u{9b}5md\u{202e}e");
    pty.wait_until("it to be in the input", |screen| input(&screen.contents()).starts_with('a'));
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    let raw = String::from_utf8_lossy(&pty.raw_bytes()).into_owned();
    for foreign in ["\x1b]0;", "\x1b[31m", "\u{9b}", "\u{202e}", "\x07"] {
        assert!(!raw.contains(foreign), "{foreign:?} reached the terminal");
    }
    leave(&pty);
    endpoint.finish();
}

#[test]
fn wide_and_composed_characters_can_be_typed_and_deleted() {
    check_sent("日本e\u{301}", |pty| {
        pty.type_text("日本語e\u{301}");
        pty.key("left");
        pty.key("backspace");
        pty.wait_until("it to be deleted", |screen| !screen.contents().contains("日本語"));
    });
}

#[test]
fn ctrl_c_clears_the_input_and_keeps_it_in_the_history() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.type_text("half a thought");
    pty.wait_for("❯ half a thought");
    pty.key("ctrl-c");
    pty.wait_until("an empty input", |screen| input(&screen.contents()).is_empty());
    pty.key("up");
    pty.wait_for("❯ half a thought");
    pty.key("ctrl-c");
    pty.wait_until("an empty input", |screen| input(&screen.contents()).is_empty());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_c_twice_on_an_empty_input_leaves() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.key("ctrl-c");
    pty.wait_for("Press Ctrl+C again to exit");
    pty.key("ctrl-c");
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
    endpoint.finish();
}

#[test]
fn another_key_between_takes_the_leaving_back() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.key("ctrl-c");
    pty.wait_for("Press Ctrl+C again to exit");
    pty.type_text("x");
    pty.wait_for("❯ x");
    pty.key("ctrl-c");
    pty.wait_until("an empty input", |screen| input(&screen.contents()).is_empty());
    pty.key("ctrl-c");
    pty.wait_for("Press Ctrl+C again to exit");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_d_deletes_where_there_is_something() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.type_text("ab");
    pty.key("ctrl-a");
    pty.key("ctrl-d");
    pty.wait_until("one to be gone", |screen| input(&screen.contents()) == "b");
    pty.key("ctrl-d");
    pty.wait_until("both to be gone", |screen| input(&screen.contents()).is_empty());
    leave(&pty);
    endpoint.finish();
}

/// What stands behind the last `❯`, in its row.
fn input(screen: &str) -> &str {
    let row = screen.lines().rev().find_map(|row| row.split_once('❯'));
    row.map(|(_, rest)| rest.trim()).unwrap_or_default()
}

#[test]
fn vis_keys_are_on_from_the_start_where_they_are_wanted() {
    let endpoint = Endpoint::script([text("Received.")]);
    let pty = open(&Clawd::new(&endpoint).home_file("config.toml", "[tui]\nvim = true\n"));
    pty.wait_for("INSERT");
    pty.type_text("abc d");
    pty.key("esc");
    pty.wait_for("NORMAL");
    pty.type_text("0dw");
    pty.wait_until("the word to be gone", |screen| !screen.contents().contains("abc"));
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "d");
    leave(&pty);
    endpoint.finish();
}
