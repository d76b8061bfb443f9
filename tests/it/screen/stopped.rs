//! What the user has stopped is not sent later: messages of the program that the model has not answered. What was paid for stays.

use serde_json::json;

use crate::endpoint::{Answer, Endpoint, Gate, call, calls, empty, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{answer, bash, chat, leave, open, say, wait_for_rest};

const QUESTION: &str = "never mind, what is 2+2?";

/// An answer of which nothing comes before the run is stopped.
fn awaited(gate: &Gate) -> Answer {
    empty().hold_head(gate)
}

/// Stops the run while it waits for the answer behind the gate.
fn stop(pty: &Pty, gate: &Gate) {
    gate.wait_reached();
    pty.wait_for("esc to interrupt");
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(pty);
}

/// Goes on in the same process, or in another one.
fn go_on(pty: Pty, clawd: &Clawd, resumed: bool) -> Pty {
    if !resumed {
        return pty;
    }
    leave(&pty);
    open(&clawd.again().args(["-c", "--yolo"]))
}

/// The model is asked the question and nothing else, behind what was said before.
#[track_caller]
fn check_asked(pty: &Pty, endpoint: &Endpoint, number: usize, roles: &str) {
    say(pty, QUESTION);
    pty.wait_for("It is 4.");
    wait_for_rest(pty);
    let request = endpoint.wait_for_request(number);
    assert_eq!((request.roles().as_str(), request.last_text().as_str()), (roles, QUESTION));
}

#[test]
fn a_nudge_that_was_stopped_is_never_sent() {
    for resumed in [false, true] {
        let gate = Gate::new();
        let endpoint = Endpoint::script([text("Let me check the file."), awaited(&gate), text("It is 4.")]);
        let clawd = Clawd::new(&endpoint).arg("--yolo");
        let pty = open(&clawd);
        say(&pty, "go");
        stop(&pty, &gate);
        assert!(endpoint.wait_for_request(2).last_text().contains("Carry out"), "it was a nudge");
        let pty = go_on(pty, &clawd, resumed);
        check_asked(&pty, &endpoint, 3, "system user assistant user");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn a_nudge_at_the_turn_limit_is_not_sent_where_the_user_says_no() {
    for resumed in [false, true] {
        let endpoint = Endpoint::script([text("Let me check the file."), text("It is 4.")]);
        let clawd = Clawd::new(&endpoint).args(["--yolo", "--max-turns", "1"]);
        let pty = open(&clawd);
        say(&pty, "go");
        answer(&pty, "Turn limit reached", "n");
        pty.wait_for("stopped at the turn limit");
        let pty = go_on(pty, &clawd, resumed);
        check_asked(&pty, &endpoint, 2, "system user assistant user");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn a_nudge_that_was_stopped_after_the_turn_limit_is_not_sent() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("Let me check the file."), awaited(&gate), text("It is 4.")]);
    let pty = open(&Clawd::new(&endpoint).args(["--yolo", "--max-turns", "1"]));
    say(&pty, "go");
    answer(&pty, "Turn limit reached", "y");
    stop(&pty, &gate);
    check_asked(&pty, &endpoint, 3, "system user assistant user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_nudge_that_was_left_by_a_failure_is_not_sent_with_another_message() {
    let endpoint =
        Endpoint::script([text("Let me check the file."), crate::endpoint::status(400), text("It is 4.")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("Error:");
    wait_for_rest(&pty);
    check_asked(&pty, &endpoint, 3, "system user assistant user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn notes_about_the_run_that_were_stopped_are_never_sent() {
    let gone = |number: usize| calls([call("Read", json!({"file_path": format!("gone{number}.txt")}))]);
    let same = |_: usize| calls([bash("echo same")]);
    let makers: [(&dyn Fn(usize) -> Answer, usize); 2] = [(&gone, 3), (&same, 5)];
    for (turn, count) in makers {
        for resumed in [false, true] {
            let gate = Gate::new();
            let turns = (0..count).map(turn);
            let endpoint = Endpoint::script(turns.chain([awaited(&gate), text("It is 4.")]));
            let clawd = Clawd::new(&endpoint).arg("--yolo");
            let pty = open(&clawd);
            say(&pty, "go");
            stop(&pty, &gate);
            assert!(endpoint.wait_for_request(count + 1).last_text().starts_with("Note: "), "it was a note");
            let pty = go_on(pty, &clawd, resumed);
            let roles = format!("system user{} user", " assistant tool".repeat(count));
            check_asked(&pty, &endpoint, count + 2, &roles);
            leave(&pty);
            endpoint.finish();
        }
    }
}

#[test]
fn a_prompt_whose_file_brought_instructions_goes_back_into_the_input_with_them() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([awaited(&gate), text("It is 4."), text("Quietly.")]);
    let clawd = Clawd::new(&endpoint).file("sub/AGENTS.md", "Never hum.\n").file("sub/b.txt", "bbb\n");
    let pty = open(&clawd.arg("--trust"));
    say(&pty, "see @sub/b.txt now");
    stop(&pty, &gate);
    assert!(endpoint.wait_for_request(1).body.to_string().contains("Never hum."), "they were sent once");
    pty.wait_for("❯ see @sub/b.txt now");
    pty.key("ctrl-u");
    check_asked(&pty, &endpoint, 2, "system user");
    say(&pty, "see @sub/b.txt now");
    pty.wait_for("Quietly.");
    wait_for_rest(&pty);
    let sent = endpoint.wait_for_request(3).body.to_string();
    assert!(sent.contains("Never hum.") && sent.contains("bbb"), "they are told again: {sent}");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn instructions_beside_a_file_that_was_read_stay_with_it() {
    let gate = Gate::new();
    let read = calls([call("Read", json!({"file_path": "sub/b.txt"}))]);
    let endpoint = Endpoint::script([read, awaited(&gate), text("It is 4.")]);
    let clawd = Clawd::new(&endpoint).file("sub/AGENTS.md", "Never hum.\n").file("sub/b.txt", "bbb\n");
    let pty = open(&clawd.arg("--trust"));
    say(&pty, "go");
    stop(&pty, &gate);
    say(&pty, QUESTION);
    pty.wait_for("It is 4.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(3);
    let expected = format!(
        "<system-reminder>\n<project-instructions source=\"sub/AGENTS.md\">\nNever hum.\n</project-instructions>\n</system-reminder>\n\n{QUESTION}"
    );
    assert_eq!(request.last_text(), expected);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_summary_made_for_a_prompt_that_was_stopped_is_not_paid_for_again() {
    let gate = Gate::new();
    let long = "It matters. ".repeat(1_500);
    let endpoint = Endpoint::script([
        text(&long).text("One."),
        text(&long).text("Two."),
        text("All is well."),
        awaited(&gate),
        text("It is 4."),
    ]);
    let config = "context_window = 12000\nmax_retries = 0\n";
    let clawd = Clawd::new(&endpoint).home_file("config.toml", config);
    let pty = open(&clawd);
    for (words, end) in [("first", "One."), ("second", "Two.")] {
        say(&pty, words);
        pty.wait_for(end);
        wait_for_rest(&pty);
    }
    endpoint.allow_break();
    say(&pty, "third");
    stop(&pty, &gate);
    pty.wait_for("❯ third");
    pty.key("ctrl-u");
    say(&pty, QUESTION);
    pty.wait_for("It is 4.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(5);
    let sent = request.body.to_string();
    assert!(sent.contains("All is well.") && !sent.contains("third"), "{sent}");
    assert!(request.last_text().ends_with(QUESTION));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_model_that_repeats_itself_is_paused_with_its_cause_named() {
    let same = || calls([bash("echo same")]);
    for (key, answers) in [("y", 2), ("enter", 2), ("n", 1), ("esc", 1)] {
        let endpoint =
            Endpoint::script((0..15).map(|_| same()).chain((1..answers).map(|_| text("Through."))));
        let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
        say(&pty, "go");
        answer(&pty, "The model repeats itself: 15 turns, 15 calls", key);
        if answers == 2 {
            pty.wait_for("Through.");
            wait_for_rest(&pty);
            assert_eq!(endpoint.requests().len(), 16, "{key}");
        } else {
            pty.wait_for("stopped after 15 turns: the model was repeating itself");
        }
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn without_turns_the_prompt_goes_back_into_the_input() {
    let endpoint = Endpoint::script([]);
    let clawd = Clawd::new(&endpoint).args(["--max-turns", "0"]);
    let pty = open(&clawd);
    say(&pty, "a question");
    pty.wait_for("chat is disabled");
    pty.wait_for("❯ a question");
    pty.key("ctrl-c");
    leave(&pty);
    assert!(!clawd.clawd_home().join("sessions").exists(), "nothing is kept of it");
    endpoint.finish();
}
