//! What is said while a run goes on.

use crate::endpoint::{Endpoint, Gate, status, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{bash, chat, count_rows, leave, open, say, wait_for_rest};

#[test]
fn a_queued_message_goes_with_the_next_request() {
    let gate = Gate::new();
    let endpoint =
        Endpoint::script([text("Looking.").hold(&gate).calls([bash("echo hello")]), text("All seen.")]);
    let pty = open(&Clawd::new(&endpoint).arg("--yolo"));
    say(&pty, "go");
    pty.wait_for("Looking.");
    say(&pty, "and also that");
    pty.wait_for("queued: and also that");
    say(&pty, "and this");
    pty.wait_for("queued: and this");
    gate.open();
    pty.wait_for("All seen.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    // adjacent messages of the user are one on the wire
    assert_eq!(request.roles(), "system user assistant tool user");
    assert_eq!(request.last_text(), "and also that\n\nand this");
    assert!(!pty.screen_text().contains("queued:"), "{}", pty.screen_text());
    assert_eq!((count_rows(&pty, "❯ and also that"), count_rows(&pty, "❯ and this")), (1, 1));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_queued_message_starts_the_next_run_after_a_final_answer() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("First").hold(&gate).text(" answer."), text("Second answer.")]);
    let pty = chat(&endpoint);
    say(&pty, "one");
    pty.wait_for("First");
    say(&pty, "two");
    pty.wait_for("queued: two");
    gate.open();
    pty.wait_for("Second answer.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.roles(), "system user assistant user");
    assert_eq!(request.last_text(), "two");
    assert!(!pty.screen_text().contains("queued:"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn up_takes_the_last_one_back() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("First").hold(&gate).text(" answer."), text("Second answer.")]);
    let pty = chat(&endpoint);
    say(&pty, "one");
    pty.wait_for("First");
    say(&pty, "two");
    pty.wait_for("queued: two");
    say(&pty, "three");
    pty.wait_for("queued: three");
    pty.key("up");
    pty.wait_until("it to be back", |screen| {
        let text = screen.contents();
        text.contains("❯ three") && !text.contains("queued: three") && text.contains("queued: two")
    });
    gate.open();
    pty.wait_for("Second answer.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).last_text(), "two");
    pty.wait_for("❯ three");
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_abort_puts_what_waits_back_into_the_input() {
    let endpoint = Endpoint::script([text("Half").hold(&Gate::new()), text("Later.")]);
    let pty = chat(&endpoint);
    say(&pty, "one");
    pty.wait_for("Half");
    say(&pty, "two");
    pty.wait_for("queued: two");
    say(&pty, "three");
    pty.wait_for("queued: three");
    pty.type_text("four");
    pty.wait_for("❯ four");
    pty.key("esc");
    pty.wait_for("Interrupted");
    pty.wait_for("❯ two");
    assert!(!pty.screen_text().contains("queued:"));
    pty.key("enter");
    pty.wait_for("Later.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).last_text(), "two\nthree\nfour");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_failure_puts_what_waits_back_into_the_input() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([status(400).hold_head(&gate)]);
    let pty = chat(&endpoint);
    say(&pty, "one");
    gate.wait_reached();
    say(&pty, "two");
    pty.wait_for("queued: two");
    gate.open();
    pty.wait_for("Error:");
    pty.wait_for("❯ two");
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

/// Waits until `shown` is on the screen and nothing is queued.
fn wait_for_the_last(pty: &Pty, shown: &str) {
    pty.wait_until(shown, |screen| {
        let text = screen.contents();
        text.contains(shown) && !text.contains("queued:")
    });
}

#[test]
fn what_follows_a_summary_in_the_queue_waits_for_it_and_takes_nothing_of_it_along() {
    let long = "It matters. ".repeat(300);
    let (gate, summary) = (Gate::new(), Gate::new());
    let endpoint = Endpoint::script([
        text(&long).text("One."),
        text("Two").hold(&gate).text("."),
        text("A summary").hold(&summary).text(" of all."),
        text("Fresh."),
    ]);
    let pty = chat(&endpoint);
    say(&pty, "first");
    pty.wait_for("One.");
    wait_for_rest(&pty);
    say(&pty, "second");
    gate.wait_reached();
    say(&pty, "/compact");
    pty.wait_for("queued: /compact");
    say(&pty, "/clear");
    pty.wait_for("queued: /clear");
    gate.open();
    summary.wait_reached();
    pty.wait_for("queued: /clear");
    summary.open();
    wait_for_the_last(&pty, "started a new session");
    endpoint.allow_break();
    say(&pty, "third");
    pty.wait_for("Fresh.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(4);
    assert_eq!(request.roles(), "system user");
    assert!(!request.body.to_string().contains("summary"), "{}", request.body);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_message_that_was_typed_after_a_command_waits_for_it() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("One").hold(&gate).text("."), text("Fresh.")]);
    let pty = chat(&endpoint);
    say(&pty, "first");
    gate.wait_reached();
    say(&pty, "/clear");
    pty.wait_for("queued: /clear");
    say(&pty, "second");
    pty.wait_for("queued: second");
    endpoint.allow_break();
    gate.open();
    pty.wait_for("Fresh.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.roles(), "system user");
    assert!(request.body.to_string().contains(r#""content":"second""#), "{}", request.body);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn commands_that_begin_a_run_are_carried_out_one_after_the_other() {
    let (gate, init) = (Gate::new(), Gate::new());
    let endpoint = Endpoint::script([
        text("One").hold(&gate).text("."),
        text("Written").hold(&init).text(" down."),
        text("Fresh."),
    ]);
    let clawd = Clawd::new(&endpoint).repository();
    let pty = open(&clawd);
    say(&pty, "first");
    gate.wait_reached();
    let lines = ["/init", "!echo ran > ran.txt", "!echo again >> ran.txt", "#use tabs", "/clear"];
    for (line, shown) in lines.iter().zip([lines[0], lines[1], lines[2], lines[3], "2 more queued"]) {
        say(&pty, line);
        pty.wait_for(shown);
    }
    gate.open();
    init.wait_reached();
    pty.wait_for("queued: !echo ran");
    assert!(!clawd.project().join("ran.txt").exists(), "the run of /init is still going on");
    init.open();
    wait_for_the_last(&pty, "started a new session");
    assert_eq!(
        (clawd.read("ran.txt"), clawd.read("AGENTS.md")),
        ("ran\nagain\n".to_owned(), "- use tabs\n".to_owned())
    );
    endpoint.allow_break();
    say(&pty, "next");
    pty.wait_for("Fresh.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(3).roles(), "system user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_command_that_only_looks_runs_at_once_and_another_waits() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("First").hold(&gate).text(" answer."), text("By another.")]);
    let pty = chat(&endpoint);
    say(&pty, "one");
    pty.wait_for("First");
    say(&pty, "/status");
    pty.wait_for("permissions");
    say(&pty, "/model mock-2");
    pty.wait_for("queued: /model mock-2");
    gate.open();
    pty.wait_for("First answer.");
    wait_for_rest(&pty);
    pty.wait_until("the other model", |screen| !screen.contents().contains("queued:"));
    say(&pty, "two");
    pty.wait_for("By another.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).body["model"], "mock-2");
    leave(&pty);
    endpoint.finish();
}
