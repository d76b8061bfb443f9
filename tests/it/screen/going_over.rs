//! From one session to another without leaving: the list, a fork, a name, one more directory, what tools have changed.

use serde_json::json;

use crate::bad_input::files_below;
use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};

use super::{count_rows, leave, open, say, wait_for_rest};

/// Two sessions on disk, each with one question and one answer.
fn two_sessions(more: &[&str]) -> (Endpoint, Clawd) {
    let further = more.iter().map(|words| text(words));
    let endpoint = Endpoint::script([text("It is 19 %."), text("It is empty.")].into_iter().chain(further));
    let clawd = Clawd::new(&endpoint);
    for (question, expected) in [("what is the tax?", "It is 19 %."), ("and the cart?", "It is empty.")] {
        let pty = open(&clawd);
        say(&pty, question);
        pty.wait_for(expected);
        wait_for_rest(&pty);
        leave(&pty);
    }
    (endpoint, clawd)
}

/// The list has its last words too, so that they stand there is not enough.
fn wait_for_the_session(pty: &Pty) {
    pty.wait_until("the session", |screen| {
        let text = screen.contents();
        text.contains("❯ what is the tax?")
            && !text.contains("type to filter")
            && !text.contains("Enter to select")
    });
}

#[test]
fn another_session_is_picked_with_its_last_words_in_sight() {
    let (endpoint, clawd) = two_sessions(&["Said here.", "Still 19 %."]);
    let pty = open(&clawd);
    say(&pty, "hello");
    pty.wait_for("Said here.");
    wait_for_rest(&pty);
    say(&pty, "/resume");
    pty.wait_for("and the cart?");
    pty.wait_for("now · 2 messages");
    pty.wait_for("  It is empty.");
    assert!(!pty.screen_text().contains("❯ hello  "), "the present one is not offered");
    pty.type_text("tax");
    pty.wait_for("  It is 19 %.");
    pty.key("enter");
    wait_for_the_session(&pty);
    say(&pty, "still?");
    pty.wait_for("Still 19 %.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(4);
    assert_eq!(request.roles(), "system user assistant user");
    assert_eq!(request.last_text(), "still?");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn instructions_below_are_told_in_a_session_that_was_gone_over_to() {
    let (endpoint, clawd) = two_sessions(&[]);
    let clawd = clawd.file("sub/AGENTS.md", "Never hum.\n").file("sub/b.txt", "b\n");
    endpoint.push(calls([call("Read", json!({"file_path": "sub/b.txt"}))]));
    endpoint.push(text("Read."));
    let pty = open(&clawd.again().arg("--trust"));
    say(&pty, "/resume");
    pty.wait_for("  It is empty.");
    pty.key("enter");
    pty.wait_for("❯ and the cart?");
    say(&pty, "go on");
    pty.wait_for("sent to the model: sub/AGENTS.md");
    pty.wait_for("Read.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn resume_without_an_id_has_the_same_list() {
    let (endpoint, clawd) = two_sessions(&[]);
    let pty = Pty::spawn(&clawd.again().arg("-r"), super::usual());
    pty.wait_for("and the cart?");
    pty.key("down");
    pty.wait_for("  It is 19 %.");
    pty.key("enter");
    wait_for_the_session(&pty);
    leave(&pty);
    let nowhere = Clawd::new(&endpoint).arg("-r");
    let pty = Pty::spawn(&nowhere, super::usual());
    assert_eq!(pty.wait_exit().code, 2);
    endpoint.finish();
}

#[test]
fn a_session_that_another_process_has_is_said_so_and_can_be_forked() {
    let (endpoint, clawd) = two_sessions(&["Forked."]);
    let first = open(&clawd.again().arg("-c"));
    first.wait_for("It is empty.");
    let second = open(&clawd);
    say(&second, "/resume");
    second.wait_for("and the cart?");
    second.key("enter");
    second.wait_for("open in another clawd");
    second.key("enter");
    second.wait_for("❯ and the cart?");
    say(&second, "go on");
    second.wait_for("Forked.");
    wait_for_rest(&second);
    assert_eq!(endpoint.wait_for_request(3).roles(), "system user assistant user");
    leave(&second);
    leave(&first);
    endpoint.finish();
}

#[test]
fn a_fork_leaves_the_session_and_a_name_is_kept() {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "/fork");
    pty.wait_for("the conversation is empty");
    say(&pty, "first");
    pty.wait_for("One.");
    wait_for_rest(&pty);
    say(&pty, "/rename the tax of things");
    pty.wait_for("session renamed: the tax of things");
    say(&pty, "/fork");
    pty.wait_for("forked as");
    say(&pty, "second");
    pty.wait_for("Two.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant user");
    say(&pty, "/rename another");
    pty.wait_for("session renamed: another");
    leave(&pty);
    let listed = clawd.again().args(["sessions", "list"]).run().expect_code(0).stdout;
    assert!(listed.contains("the tax of things") && listed.contains("another"), "{listed}");
    assert_eq!(listed.lines().count(), 2);
    endpoint.finish();
}

#[test]
fn a_directory_that_is_added_may_be_edited_and_is_remembered() {
    let write = |path: &std::path::Path| {
        call("Write", json!({"file_path": path.to_str().unwrap(), "content": "new\n"}))
    };
    let beside = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let at = beside.path().canonicalize().unwrap();
    let endpoint = Endpoint::script([
        calls([write(&at.join("a"))]),
        text("Written."),
        calls([write(&at.join("b"))]),
        text("Again."),
    ]);
    let clawd = Clawd::new(&endpoint).args(["--permission-mode", "accept-edits"]);
    let pty = open(&clawd);
    say(&pty, "/add-dir nowhere");
    pty.wait_for("Error: cannot add");
    say(&pty, &format!("/add-dir {}", at.display()));
    pty.wait_for("to the workspace; the model learns");
    say(&pty, "write");
    pty.wait_for("Written.");
    wait_for_rest(&pty);
    assert_eq!(std::fs::read_to_string(at.join("a")).unwrap(), "new\n");
    let told = endpoint.requests()[0].last_text();
    let words = "added to the workspace";
    assert!(told.contains(words) && told.contains(at.to_str().unwrap()), "{told}");
    leave(&pty);
    // a later process knows it from the session, and one more from its option
    let added = other.path().to_str().unwrap();
    let pty = open(&clawd.again().args(["-c", "--permission-mode", "accept-edits", "--add-dir", added]));
    pty.wait_for("Written.");
    say(&pty, "again");
    pty.wait_for("Again.");
    wait_for_rest(&pty);
    assert_eq!(std::fs::read_to_string(at.join("b")).unwrap(), "new\n");
    let told = endpoint.requests()[2].last_text();
    assert!(told.contains(words) && told.contains(added) && !told.contains(at.to_str().unwrap()), "{told}");
    assert!(!endpoint.requests()[1].last_text().contains(words), "it is told once");
    leave(&pty);
    let pty = Pty::spawn(&clawd.again().args(["--add-dir", "/nowhere/at/all"]), super::usual());
    assert_eq!(pty.wait_exit().code, 2);
    assert!(pty.screen_text().contains("cannot add"), "{}", pty.screen_text());
    endpoint.finish();
}

#[test]
fn directories_of_one_session_are_not_those_of_another() {
    let (endpoint, clawd) = two_sessions(&["Seen.", "Again."]);
    for name in ["beside", "named"] {
        std::fs::create_dir(clawd.project().with_file_name(name)).unwrap();
    }
    let pty = open(&clawd.again().args(["-c", "--add-dir", "../named"]));
    say(&pty, "/add-dir ../beside");
    pty.wait_for("to the workspace; the model learns");
    say(&pty, "go");
    pty.wait_for("Seen.");
    wait_for_rest(&pty);
    say(&pty, "/resume");
    pty.wait_for("what is the tax?");
    pty.wait_for("  It is 19 %.");
    pty.key("enter");
    wait_for_the_session(&pty);
    say(&pty, "/add-dir");
    pty.wait_until("the directories", |screen| {
        let text = screen.contents().replace(char::is_whitespace, "");
        text.rsplit("workspace:").next().is_some_and(|roots| {
            roots.contains("/named") && !roots.contains("/beside") && roots.contains("addsadirectory)")
        })
    });
    say(&pty, "more");
    pty.wait_for("Again.");
    wait_for_rest(&pty);
    let last = endpoint.wait_for_request(4);
    let told = last
        .messages()
        .iter()
        .map(ToString::to_string)
        .filter(|text| text.contains("added to the workspace"));
    let told: Vec<String> = told.collect();
    assert!(told.len() == 1 && told[0].contains("/named") && !told[0].contains("/beside"), "{told:?}");
    leave(&pty);
    endpoint.finish();
}

/// The session is read beside the keys: whatever is typed meanwhile is meant for it.
#[test]
fn what_is_typed_while_a_session_opens_is_said_in_it() {
    let (endpoint, clawd) = two_sessions(&["Said there."]);
    let pty = open(&clawd);
    let files = files_below(&clawd.clawd_home().join("sessions"));
    let (first, _) = files.into_iter().find(|(_, text)| text.contains("what is the tax?")).unwrap();
    let id = first.file_stem().unwrap().to_str().unwrap().to_owned();
    pty.type_text(&format!("/resume {id}"));
    pty.key("enter");
    pty.type_text("and then?");
    pty.key("enter");
    pty.wait_for("Said there.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(3);
    assert_eq!(request.roles(), "system user assistant user");
    assert_eq!(request.last_text(), "and then?");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_tools_have_changed_is_a_page_also_later() {
    let edit = call("Edit", json!({"file_path": "a.txt", "old_string": "two", "new_string": "three"}));
    let read = call("Read", json!({"file_path": "a.txt"}));
    let endpoint = Endpoint::script([calls([read]), calls([edit]), text("Changed.")]);
    let clawd = Clawd::new(&endpoint).file("a.txt", "one\ntwo\n");
    let pty = open(&clawd.again().args(["--permission-mode", "accept-edits"]));
    say(&pty, "/diff");
    pty.wait_for("no tool or command changed a file");
    say(&pty, "go");
    pty.wait_for("Changed.");
    wait_for_rest(&pty);
    let changed = |pty: &Pty| {
        say(pty, "/diff");
        pty.wait_until("the page", |screen| {
            let text = screen.contents();
            screen.alternate_screen() && text.contains("1 file changed") && text.contains("2 + three")
        });
        pty.key("q");
        pty.wait_until("the end of the page", |screen| !screen.alternate_screen());
    };
    changed(&pty);
    // what was read is one line in the scrollback, and whole on the page
    assert_eq!(count_rows(&pty, "1\tone"), 0);
    pty.key("ctrl-o");
    pty.wait_until("what was read", |screen| screen.alternate_screen() && screen.contents().contains("one"));
    pty.key("q");
    pty.wait_until("the end of the page", |screen| !screen.alternate_screen());
    leave(&pty);
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("Changed.");
    changed(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_doctors_page_opens_from_within_and_can_be_left() {
    let endpoint = Endpoint::script([]).then_forever(text("Yes."));
    // paths are long in some places, and all of the page is to be seen
    let pty = Pty::spawn(&Clawd::new(&endpoint), Size::new(120, 60));
    pty.wait_for("❯");
    say(&pty, "/doctor");
    pty.wait_until("the page", |screen| {
        screen.alternate_screen() && screen.contents().contains("configuration")
    });
    pty.wait_for("reachable");
    pty.wait_for("Chat works");
    pty.key("q");
    pty.wait_until("the end of the page", |screen| !screen.alternate_screen());
    leave(&pty);
    drop(endpoint.take_violations());
    endpoint.finish();
}
