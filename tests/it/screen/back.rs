//! Back to an earlier message by keys and by lines, on screens of every kind. What becomes of files is shown in `rewinding`.

use serde_json::json;

use super::plain::{begin, dumb};
use super::{leave, say, wait_for_rest};
use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};

/// A model that writes a file and says so, and then says one thing more.
fn writing() -> Endpoint {
    let written = call("Write", json!({"file_path": "notes.txt", "content": "a\nb\n"}));
    Endpoint::script([text("Hello."), calls([written]), text("Written.")])
}

/// A program in which two things were said, at rest.
fn talked(clawd: &Clawd, size: Size) -> Pty {
    let pty = Pty::spawn(&clawd.clone().arg("--yolo"), size);
    pty.wait_for("❯");
    for (words, answer) in [("hello", "Hello."), ("write notes", "Written.")] {
        say(&pty, words);
        pty.wait_for(answer);
        wait_for_rest(&pty);
    }
    pty
}

fn is_gone(pty: &Pty, words: &str) {
    pty.wait_until("the end of the list", |screen| !screen.contents().contains(words));
}

/// Goes to the newest message of the list, up to the question how far.
fn open_the_first(pty: &Pty) {
    pty.key("esc");
    pty.wait_for("Press Esc again to rewind");
    pty.key("esc");
    // the list may open before it is filled, and takes nothing then
    pty.wait_for("Enter to select");
    pty.key("enter");
    pty.wait_for("Press 1, 2 or 3");
}

#[test]
fn esc_twice_opens_the_list_and_each_esc_goes_a_step_back() {
    for size in [Size::new(80, 24), Size::new(40, 16)] {
        let endpoint = writing();
        let clawd = Clawd::new(&endpoint);
        let pty = talked(&clawd, size);
        open_the_first(&pty);
        pty.wait_for("notes.txt  created since");
        pty.key("enter");
        pty.key("esc");
        pty.wait_for("type to filter");
        pty.key("esc");
        is_gone(&pty, "type to filter");
        assert_eq!(clawd.read("notes.txt"), "a\nb\n", "nothing has happened");
        pty.type_text("half");
        pty.key("esc");
        pty.key("esc");
        pty.type_text(" a draft");
        pty.wait_for("❯ half a draft");
        pty.key("ctrl-c");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn a_digit_takes_it_back_and_the_words_are_in_the_input_again() {
    for options in [&[][..], &["--fullscreen"]] {
        let endpoint = writing();
        let clawd = Clawd::new(&endpoint).args(options.iter().copied());
        let pty = talked(&clawd, Size::new(100, 30));
        open_the_first(&pty);
        pty.key("1");
        pty.wait_for("Rewound to “write notes”: 1 file, conversation (4 messages). /redo undoes this");
        pty.wait_for("Everything above from “write notes” on is no longer part of the conversation.");
        assert!(!clawd.project().join("notes.txt").exists());
        pty.type_text(" twice");
        pty.wait_for("❯ write notes twice");
        endpoint.allow_break();
        endpoint.push(text("Twice."));
        pty.key("enter");
        pty.wait_for("Twice.");
        wait_for_rest(&pty);
        let request = endpoint.requests().last().unwrap().clone();
        assert_eq!(
            (request.roles().as_str(), request.last_text().as_str()),
            ("system user assistant user", "write notes twice")
        );
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn where_nothing_was_said_there_is_nothing_to_go_back_to() {
    let endpoint = Endpoint::script([]);
    let pty = super::chat(&endpoint);
    say(&pty, "/undo");
    pty.wait_for("no messages yet, nothing to rewind");
    say(&pty, "/redo");
    pty.wait_for("nothing to redo");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn in_plain_mode_a_number_picks_and_a_number_says_how_far() {
    let endpoint = writing();
    let clawd = dumb(&endpoint).arg("--yolo");
    let pty = begin(&clawd);
    for (words, answer) in [("hello", "Hello."), ("write notes", "Written.")] {
        super::plain::say(&pty, words);
        pty.wait_for(answer);
        super::plain::wait_for_prompt(&pty);
    }
    super::plain::say(&pty, "/rewind");
    pty.wait_for("1. write notes");
    super::plain::say(&pty, "1");
    pty.wait_for("notes.txt, created since, will be deleted");
    pty.wait_for("type 1, 2 or 3; Enter alone to go back");
    super::plain::say(&pty, "3");
    pty.wait_for("Rewound to “write notes”: 1 file.");
    assert!(!clawd.project().join("notes.txt").exists());
    super::plain::say(&pty, "/redo");
    pty.wait_for("Redone: 1 file");
    assert_eq!(clawd.read("notes.txt"), "a\nb\n");
    super::plain::leave(&pty);
    endpoint.finish();
}
