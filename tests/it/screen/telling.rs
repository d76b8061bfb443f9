//! Commands that look at the conversation, copy from it, or write it down.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;

use super::{answer, chat, leave, open, say, wait_for_rest};

const ANSWER: &str = "Try *this*:\n\n```sh\nls\t-l\n\n  cd ..\n```\n\nThat is all.";

#[test]
fn the_last_answer_and_its_code_are_copied_byte_for_byte() {
    let endpoint = Endpoint::script([text(ANSWER)]);
    let pty = chat(&endpoint);
    say(&pty, "/copy");
    pty.wait_for("nothing to copy: no answer yet");
    say(&pty, "how?");
    pty.wait_for("That is all.");
    wait_for_rest(&pty);
    say(&pty, "/copy");
    pty.wait_for("copied the last answer");
    say(&pty, "/copy 1");
    pty.wait_for("copied code block 1 of 1 (sh)");
    say(&pty, "/copy 2");
    pty.wait_for("no code block 2");
    leave(&pty);
    let raw = String::from_utf8_lossy(&pty.raw_bytes()).into_owned();
    let copied: Vec<&str> =
        raw.split("\x1b]52;c;").skip(1).map(|rest| rest.split('\x07').next().unwrap()).collect();
    // `base64` of the answer, and of the block with its last newline
    assert_eq!(
        copied,
        ["VHJ5ICp0aGlzKjoKCmBgYHNoCmxzCS1sCgogIGNkIC4uCmBgYAoKVGhhdCBpcyBhbGwu", "bHMJLWwKCiAgY2QgLi4K"]
    );
    endpoint.finish();
}

#[test]
fn a_conversation_is_exported_into_a_file_of_the_users_own_and_never_over_another() {
    let endpoint = Endpoint::script([text(ANSWER)]);
    let clawd = Clawd::new(&endpoint).file("taken.md", "mine");
    let pty = open(&clawd);
    say(&pty, "/export");
    pty.wait_for("the conversation is empty");
    say(&pty, "how?");
    pty.wait_for("That is all.");
    wait_for_rest(&pty);
    say(&pty, "/export talk.md");
    pty.wait_for("talk.md");
    pty.wait_for("exported to");
    say(&pty, "/export talk.json");
    pty.wait_for("talk.json");
    say(&pty, "/export talk.html");
    pty.wait_for("talk.html");
    say(&pty, "/export taken.md");
    // a long path breaks the line somewhere
    let said = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    pty.wait_until("the refusal", |screen| said(&screen.contents()).contains("already exists"));
    say(&pty, "/export talk.pdf");
    pty.wait_for("cannot export to .pdf: unknown format");
    say(&pty, "/export");
    pty.wait_until("two dated names", |screen| {
        screen.contents().contains("exported to") && screen.contents().contains("clawd-20")
    });
    leave(&pty);
    let read = |name: &str| std::fs::read_to_string(clawd.project().join(name)).unwrap();
    assert_eq!(read("taken.md"), "mine");
    assert!(read("talk.md").contains(&format!("## You\n\nhow?\n\n## Answer\n\n{ANSWER}\n")));
    assert!(read("talk.html").contains("Try *this*:"));
    let json: serde_json::Value = serde_json::from_str(&read("talk.json")).unwrap();
    assert_eq!(json["messages"].as_array().unwrap().len(), 2);
    let head = &json["session"];
    assert_eq!(head["cwd"], serde_json::json!(clawd.project()), "{head}");
    assert!(head["timestamp"].as_u64() <= json["messages"][0]["timestamp"].as_u64(), "{head}");
    let id = head["id"].as_str().unwrap();
    assert!(read("talk.md").contains(&format!("- session: {id}\n- directory: ")), "{}", read("talk.md"));
    let mode = std::fs::metadata(clawd.project().join("talk.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!clawd.project().join("talk.pdf").exists());
    endpoint.finish();
}

#[test]
fn commands_tell_what_fills_the_window_what_was_used_and_what_is_set() {
    let endpoint = Endpoint::script([text("Yes.")]);
    let clawd = Clawd::new(&endpoint).file("AGENTS.md", "Be brief.").home_file("AGENTS.md", "Go");
    let pty = open(&clawd.again().arg("--trust"));
    say(&pty, "/cost");
    pty.wait_for("no tokens used yet");
    say(&pty, "/memory");
    pty.wait_for("1 line, about 2 tokens");
    pty.wait_for("1 line, about 1 token\n");
    say(&pty, "well?");
    pty.wait_for("Yes.");
    wait_for_rest(&pty);
    say(&pty, "/context");
    pty.wait_for("tool results");
    say(&pty, "/cost");
    pty.wait_for("mock-1: 1 answer");
    say(&pty, "/config");
    pty.wait_for("your file:");
    let shown = pty.screen_text();
    assert!(shown.contains("output_lines = 8") && !shown.contains("test-key"), "{shown}");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn plan_mode_is_entered_and_left() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.wait_for("default");
    say(&pty, "/plan");
    pty.wait_until("plan mode", |screen| screen.contents().contains("· plan"));
    say(&pty, "/plan");
    pty.wait_until("the usual mode", |screen| screen.contents().contains("· default"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn init_has_the_model_write_the_instructions_and_asks_before_the_file_is_there() {
    let written = call("Write", json!({"file_path": "AGENTS.md", "content": "# Rows\n\nRun `make`.\n"}));
    let endpoint = Endpoint::script([calls([written]), text("It stands in AGENTS.md.")]);
    let clawd = Clawd::new(&endpoint).file("Makefile", "all:\n\ttrue\n");
    let pty = open(&clawd);
    say(&pty, "/init");
    answer(&pty, "1. Yes", "1");
    pty.wait_for("It stands in AGENTS.md.");
    wait_for_rest(&pty);
    assert!(
        endpoint.requests()[0].last_text().contains("AGENTS.md"),
        "{}",
        endpoint.requests()[0].last_text()
    );
    assert_eq!(clawd.read("AGENTS.md"), "# Rows\n\nRun `make`.\n");
    leave(&pty);
    endpoint.finish();
}
