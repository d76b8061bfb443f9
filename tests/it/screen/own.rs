//! `!command` and `#note`: what the user does beside the model, and what the model is told of it.

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::sessions::session_file;

use super::{assert_ends, chat, leave, open, say, wait_for_process, wait_for_rest};

#[test]
fn a_command_of_the_users_own_runs_unasked_and_the_model_is_told_with_the_next_message() {
    let endpoint = Endpoint::script([text("I see.")]);
    let clawd = Clawd::new(&endpoint).env("OPENAI_API_KEY", "sk-hidden-hidden-hidden");
    let pty = open(&clawd);
    say(&pty, "!echo made > made.txt; echo \"key:${OPENAI_API_KEY:-none}:${CLAWD_API_KEY:-none}\"; exit 3");
    pty.wait_for("key:none:none");
    wait_for_rest(&pty);
    assert_eq!(clawd.read("made.txt"), "made\n");
    // the session knows what it changed, and that the message to come tells of it
    let lines = std::fs::read_to_string(session_file(&clawd)).unwrap();
    assert!(lines.contains(r#""type":"checkpoint","message":0,"by":"command""#), "{lines}");
    assert!(endpoint.requests().is_empty(), "nothing is asked of the model");
    // nor by Enter on the empty input
    pty.key("enter");
    say(&pty, "what was that?");
    pty.wait_for("I see.");
    wait_for_rest(&pty);
    let told = endpoint.requests()[0].last_text();
    assert!(told.starts_with("!echo made"), "{told}");
    assert!(told.contains("The user ran this command. Its output:\n"), "{told}");
    assert!(told.contains("exit code 3\nkey:none:none\n") && told.ends_with("what was that?"), "{told}");
    assert_eq!(endpoint.requests().len(), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_command_of_the_users_own_is_ended_by_esc() {
    let endpoint = Endpoint::script([]);
    let pty = chat(&endpoint);
    say(&pty, "!echo began $$; exec sleep 600");
    let pid = wait_for_process(&pty);
    pty.key("esc");
    pty.wait_for("Interrupted");
    assert_ends(pid);
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_pasted_exclamation_mark_is_a_message() {
    let endpoint = Endpoint::script([text("Received.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    pty.paste("!touch pasted.txt");
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].last_text(), "!touch pasted.txt");
    assert!(!clawd.project().join("pasted.txt").exists());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_note_goes_into_the_projects_instructions_and_to_the_model() {
    let endpoint = Endpoint::script([text("I see.")]);
    let clawd = Clawd::new(&endpoint).repository();
    let pty = open(&clawd);
    say(&pty, "#tests run with make check");
    // a long path breaks the line somewhere
    let said = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    pty.wait_until("the note to be told", |screen| {
        said(&screen.contents()).contains("AGENTS.md: - tests run with make check")
    });
    assert_eq!(clawd.read("AGENTS.md"), "- tests run with make check\n");
    say(&pty, "go");
    pty.wait_for("I see.");
    wait_for_rest(&pty);
    let told = endpoint.requests()[0].last_text();
    assert!(told.contains("- tests run with make check") && told.ends_with("go"), "{told}");
    leave(&pty);
    endpoint.finish();
}
