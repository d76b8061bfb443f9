//! What is being written and not yet sent: in the user's own editor, and across an end that nobody asked for.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::bad_input::files_below;
use crate::endpoint::{Endpoint, Gate, text};
use crate::harness::Clawd;
use crate::watched::DEADLINE;

use super::{leave, open, say, wait_for_rest};

/// An editor that is a script: it is given the file as `$1`.
fn editor(clawd: Clawd, script: &str) -> Clawd {
    let clawd = clawd.file("editor.sh", script);
    let path = clawd.project().join("editor.sh");
    clawd.env("EDITOR", &format!("sh '{}'", path.display()))
}

#[test]
fn ctrl_c_in_the_editor_leaves_the_run_alone() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("One").hold(&gate).text(" is all.")]);
    // Ctrl+C goes to the whole foreground
    let script =
        "trap 'echo caught > caught.txt' INT; echo ready; until [ -e caught.txt ]; do sleep 0.05; done";
    let clawd = editor(Clawd::new(&endpoint), script);
    let pty = open(&clawd);
    say(&pty, "go");
    gate.wait_reached();
    pty.key("ctrl-g");
    pty.wait_for("ready");
    pty.key("ctrl-c");
    pty.wait_for("esc to interrupt");
    gate.open();
    pty.wait_for("One is all.");
    wait_for_rest(&pty);
    assert!(!pty.screen_text().contains("Interrupted"), "{}", pty.screen_text());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_g_edits_the_input_outside_and_the_exact_text_comes_back() {
    let endpoint = Endpoint::script([text("Received.")]);
    let script =
        "cp \"$1\" seen.txt; stty -a | grep -q ' icanon' && printf ' and\\n\\ttwo  日本\\n' >> \"$1\"";
    let clawd = editor(Clawd::new(&endpoint), script);
    let pty = open(&clawd);
    pty.type_text("one");
    pty.key("ctrl-g");
    pty.wait_for("two");
    assert_eq!(clawd.read("seen.txt"), "one");
    pty.type_text("!");
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "one and\n\ttwo  日本!");
    assert!(files_below(&clawd.project().parent().unwrap().join("tmp")).is_empty(), "no file is left");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_editor_that_fails_or_is_missing_loses_nothing() {
    let endpoint = Endpoint::script([]);
    for (clawd, said) in [
        (editor(Clawd::new(&endpoint), "echo gone > \"$1\"; exit 3"), "exited with code 3"),
        (Clawd::new(&endpoint), "no editor is set"),
    ] {
        let pty = open(&clawd);
        pty.type_text("a thought");
        pty.key("ctrl-g");
        pty.wait_for(said);
        pty.wait_for("❯ a thought");
        pty.key("ctrl-u");
        leave(&pty);
    }
    endpoint.finish();
}

fn drafts(clawd: &Clawd) -> Vec<String> {
    let sessions = clawd.clawd_home().join("sessions");
    let files = if sessions.exists() { files_below(&sessions) } else { Vec::new() };
    let drafts = files
        .into_iter()
        .filter(|(path, _)| path.parent().is_some_and(|at| at.ends_with(Path::new("drafts"))));
    drafts.filter_map(|(path, _)| std::fs::read_to_string(path).ok()).collect()
}

#[test]
fn a_draft_outlives_a_kill_and_goes_when_it_is_sent() {
    let endpoint = Endpoint::script([text("Received.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    pty.type_text("half a thought");
    // nothing is drawn when it is kept, so there is nothing on the screen to wait for
    let began = Instant::now();
    while !drafts(&clawd).iter().any(|draft| draft.contains("half a thought")) {
        assert!(began.elapsed() < DEADLINE, "the draft is not kept");
        std::thread::sleep(Duration::from_millis(10));
    }
    pty.signal(Signal::KILL);
    pty.wait_exit();
    let pty = open(&clawd);
    pty.wait_for("❯ half a thought");
    say(&pty, " more");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "half a thought more");
    assert_eq!(drafts(&clawd), Vec::<String>::new());
    leave(&pty);
    endpoint.finish();
}
