//! Saying something and reading the answer.

use crate::endpoint::{Endpoint, Gate, call, calls, deltas, text, thinking};
use crate::harness::Clawd;
use crate::pty::Pty;
use serde_json::json;

use super::{chat, count_rows, leave, open, say, usual, wait_for_rest};

#[test]
fn what_is_typed_is_sent_and_the_answer_streams() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("It is a ").hold(&gate).text("fold.")]);
    let pty = chat(&endpoint);
    say(&pty, "what is this?");
    pty.wait_for("It is a");
    pty.wait_for("esc to interrupt");
    assert!(!pty.screen_text().contains("fold."), "the rest has not come yet");
    gate.open();
    pty.wait_for("It is a fold.");
    wait_for_rest(&pty);
    assert_eq!(count_rows(&pty, "❯ what is this?"), 1);
    assert_eq!(endpoint.requests()[0].last_text(), "what is this?");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_conversation_goes_on_from_run_to_run() {
    let endpoint = Endpoint::script([text("First answer."), text("Second answer.")]);
    let pty = chat(&endpoint);
    say(&pty, "one");
    pty.wait_for("First answer.");
    wait_for_rest(&pty);
    say(&pty, "two");
    pty.wait_for("Second answer.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn markdown_is_drawn_and_its_marks_are_gone() {
    let source = "# A title\n\nSome **bold** words.\n\n- first\n- second\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let endpoint = Endpoint::script([text(source)]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("second");
    wait_for_rest(&pty);
    let shown = pty.screen_text();
    for gone in ["# A", "**", "```", "|---|"] {
        assert!(!shown.contains(gone), "{gone} is drawn, not shown\n{shown}");
    }
    for there in ["A title", "Some bold words.", "first", "second", "fn main() {}"] {
        assert!(shown.contains(there), "{there}\n{shown}");
    }
    leave(&pty);
    endpoint.finish();
}

#[test]
fn each_line_of_a_long_answer_stands_once_in_the_scrollback() {
    let lines: Vec<String> = (1..=200).map(|n| format!("- item {n} of the list.\n")).collect();
    let endpoint = Endpoint::script([deltas(lines.iter().map(String::as_str))]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("item 200 of");
    wait_for_rest(&pty);
    let history = pty.history();
    for n in 1..=200 {
        let needle = format!("item {n} of the list.");
        let rows = history.iter().filter(|row| row.contains(&needle)).count();
        assert_eq!(rows, 1, "{needle}");
    }
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_shells_lines_above_the_program_stay() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let program = env!("CARGO_BIN_EXE_clawd");
    let script = format!("seq 100 130; {program}; echo the shell again");
    let pty = Pty::spawn(&Clawd::new(&endpoint).program("/bin/sh").args(["-c", &script]), usual());
    pty.wait_for("❯");
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    pty.key("ctrl-d");
    pty.wait_for("the shell again");
    let history = pty.history().join("\n");
    for n in 100..=130 {
        assert!(history.contains(&n.to_string()), "{n}\n{history}");
    }
    endpoint.finish();
}

#[test]
fn thoughts_are_told_apart_from_the_answer() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([thinking("let me see").hold(&gate).text("So it is.")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("let me see");
    pty.wait_for("thinking");
    gate.open();
    pty.wait_for("So it is.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn calls_that_only_look_are_told_in_one_line() {
    let endpoint = Endpoint::script([
        calls([
            call("Read", json!({"file_path": "a.rs"})),
            call("Read", json!({"file_path": "b.rs"})),
            call("Grep", json!({"pattern": "fn"})),
        ]),
        text("Seen."),
    ]);
    let pty = open(&Clawd::new(&endpoint).file("a.rs", "fn a() {}\n").file("b.rs", "fn b() {}\n"));
    say(&pty, "look");
    pty.wait_for("Seen.");
    wait_for_rest(&pty);
    let shown = pty.screen_text();
    let line = shown.lines().find(|line| line.contains("explored")).unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("a.rs") && line.contains("b.rs"), "{line}");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_prompt_from_the_command_line_is_sent_at_once() {
    let endpoint = Endpoint::script([text("At once.")]);
    let pty = open(&Clawd::new(&endpoint).arg("explain this"));
    pty.wait_for("At once.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "explain this");
    assert_eq!(count_rows(&pty, "❯ explain this"), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_is_typed_before_the_program_is_ready_is_not_lost() {
    let endpoint = Endpoint::script([text("Here I am.")]);
    // no model is named: the endpoint is asked first
    let pty = Pty::spawn(&Clawd::new(&endpoint).without_env("CLAWD_MODEL"), usual());
    pty.wait_until("its start", vt100::Screen::bracketed_paste);
    say(&pty, "early words");
    pty.wait_for("Here I am.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "early words");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn code_is_printed_in_colours_and_a_link_leads_to_the_address_that_is_seen() {
    let source = "```rust\nfn main() {}\n```\n\nSee [the book](https://example.org/book).\n";
    let endpoint = Endpoint::script([text(source)]);
    // the terminal's own sixteen: what it answers about its background makes no difference
    let pty = open(&Clawd::new(&endpoint).home_file("config.toml", "[tui]\ntheme = \"ansi\"\n"));
    say(&pty, "go");
    pty.wait_for("the book (https://example.org/book).");
    wait_for_rest(&pty);
    let bytes = pty.raw_bytes();
    let raw = String::from_utf8_lossy(&bytes);
    assert!(raw.contains("\x1b[35mfn"), "a word of the language is magenta");
    let links = raw.matches(";https://example.org/book\x1b\\").count();
    assert_eq!((links, raw.matches("\x1b]8;;\x1b\\").count()), (2, 2), "words and address, each closed");
    leave(&pty);
    endpoint.finish();
}
