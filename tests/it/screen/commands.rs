//! Slash commands, the pages and the list of models.

use std::path::{Path, PathBuf};

use crate::endpoint::{Endpoint, calls, text};
use crate::harness::Clawd;

use super::{bash, chat, count_rows, leave, open, say, wait_for_rest};

#[test]
fn exit_leaves() {
    for words in ["/exit", "/quit"] {
        let endpoint = Endpoint::script([]);
        let pty = chat(&endpoint);
        say(&pty, words);
        assert_eq!(pty.wait_exit().code, 0);
        pty.assert_terminal_restored();
        endpoint.finish();
    }
}

#[test]
fn help_is_a_page_of_all_keys_and_commands() {
    let endpoint = Endpoint::script([]);
    for open_help in ["/help", "?"] {
        let pty = chat(&endpoint);
        pty.type_text(open_help);
        if open_help == "/help" {
            pty.key("enter");
        }
        pty.wait_until("the page", |screen| screen.alternate_screen() && screen.contents().contains("Ctrl+"));
        pty.key("end");
        pty.wait_for("/exit");
        pty.key("esc");
        pty.wait_until("the page to be closed", |screen| !screen.alternate_screen());
        pty.wait_for("❯");
        leave(&pty);
    }
    endpoint.finish();
}

#[test]
fn a_question_mark_within_words_is_one() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.type_text("why?");
    pty.wait_for("❯ why?");
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn clear_begins_a_new_session() {
    let endpoint = Endpoint::script([text("First."), text("Second.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "one");
    pty.wait_for("First.");
    wait_for_rest(&pty);
    say(&pty, "/clear");
    pty.wait_for("a new session");
    say(&pty, "two");
    pty.wait_for("Second.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!((request.roles().as_str(), request.last_text().as_str()), ("system user", "two"));
    leave(&pty);
    let files = session_files(&clawd.clawd_home().join("sessions"));
    assert_eq!(files.len(), 2, "{files:?}");
    endpoint.finish();
}

#[test]
fn a_model_is_taken_by_name() {
    let endpoint = Endpoint::script([text("First."), text("Second.")]);
    let pty = chat(&endpoint);
    say(&pty, "one");
    pty.wait_for("First.");
    wait_for_rest(&pty);
    say(&pty, "/model mock-2");
    pty.wait_for("mock-2");
    say(&pty, "two");
    pty.wait_for("Second.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.body["model"], "mock-2");
    assert_eq!(request.roles(), "system user assistant user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_model_is_taken_from_the_endpoints_list() {
    let endpoint = Endpoint::script([text("By another.")]).models(["mock-1", "tiny-7b", "large-70b"]);
    let pty = chat(&endpoint);
    say(&pty, "/model");
    pty.wait_for("large-70b");
    pty.type_text("tin");
    pty.wait_until("the list filtered", |screen| !screen.contents().contains("large-70b"));
    pty.key("enter");
    pty.wait_until("the list closed", |screen| {
        let text = screen.contents();
        text.contains("tiny-7b") && !text.contains("❯ tin")
    });
    say(&pty, "go");
    pty.wait_for("By another.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].body["model"], "tiny-7b");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_list_of_models_is_closed_by_esc() {
    let endpoint = Endpoint::script([text("By the same.")]).models(["mock-1", "tiny-7b"]);
    let pty = chat(&endpoint);
    say(&pty, "/model");
    pty.wait_for("tiny-7b");
    pty.key("esc");
    pty.wait_until("the list closed", |screen| !screen.contents().contains("tiny-7b"));
    say(&pty, "go");
    pty.wait_for("By the same.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].body["model"], "mock-1");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn status_tells_what_is_in_force() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    say(&pty, "/status");
    pty.wait_for("instructions");
    let shown = pty.screen_text();
    for words in
        ["mock-1", "127.0.0.1", "session", "default", "trust         not needed: nothing here requires trust"]
    {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(!shown.contains("test-key"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_unknown_command_names_the_nearest() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    say(&pty, "/modle");
    pty.wait_for("did you mean /model?");
    say(&pty, "/nothinglikeit");
    pty.wait_for("unknown command /nothinglikeit");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_path_is_no_command() {
    let endpoint = Endpoint::script([text("A path.")]);
    let pty = chat(&endpoint);
    say(&pty, "/usr/bin/env is what?");
    pty.wait_for("A path.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "/usr/bin/env is what?");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn tab_completes_a_command() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    pty.type_text("/sta");
    pty.wait_for("session, model, endpoint");
    pty.key("tab");
    pty.wait_for("❯ /status");
    pty.key("enter");
    pty.wait_for("permissions");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_transcript_unfolds_the_output_and_leaves_the_scrollback_alone() {
    let endpoint = Endpoint::script([calls([bash("seq 1001 1100")]), text("Counted.")]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "count");
    pty.wait_for("Counted.");
    wait_for_rest(&pty);
    assert_eq!(count_rows(&pty, "1050"), 0, "folded");
    let before = pty.history();
    pty.key("ctrl-o");
    pty.wait_until("the page", |screen| screen.alternate_screen() && screen.contents().contains("Counted."));
    for _ in 0..2 {
        pty.key("pageup");
    }
    pty.wait_for("1050");
    pty.key("q");
    pty.wait_until("the page to be closed", |screen| {
        !screen.alternate_screen() && screen.contents().contains("❯\n")
    });
    assert_eq!(pty.history(), before);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_transcript_is_searched_and_the_match_is_shown() {
    let endpoint = Endpoint::script([calls([bash("seq 1001 1100")]), text("Counted.")]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "count");
    pty.wait_for("Counted.");
    wait_for_rest(&pty);
    pty.key("ctrl-o");
    pty.wait_until("the page", |screen| screen.alternate_screen() && screen.contents().contains("Counted."));
    pty.type_text("/1042");
    pty.wait_for("/1042");
    pty.key("enter");
    pty.wait_for("match 1 of 1");
    pty.wait_until("the match turned over", |screen| {
        let row = screen.contents().lines().position(|line| line == "1042");
        let cell = row.and_then(|row| screen.cell(u16::try_from(row).unwrap(), 0));
        cell.is_some_and(vt100::Cell::inverse)
    });
    pty.type_text("/no such words");
    pty.key("enter");
    pty.wait_for("no match for no such words");
    pty.key("esc");
    pty.wait_for("q: close");
    pty.key("q");
    pty.wait_until("the page to be closed", |screen| !screen.alternate_screen());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_run_goes_on_behind_the_transcript() {
    let gate = crate::endpoint::Gate::new();
    let endpoint = Endpoint::script([text("One line.\n\n").hold(&gate).text("And a last line.")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("One line.");
    pty.key("ctrl-o");
    pty.wait_until("the page", |screen| screen.alternate_screen() && screen.contents().contains("One line."));
    gate.open();
    pty.wait_for("And a last line.");
    pty.key("q");
    pty.wait_until("the page to be closed", |screen| !screen.alternate_screen());
    pty.wait_for("And a last line.");
    wait_for_rest(&pty);
    assert_eq!((count_rows(&pty, "One line."), count_rows(&pty, "And a last line.")), (1, 1));
    leave(&pty);
    endpoint.finish();
}

fn session_files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { session_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect()
}
