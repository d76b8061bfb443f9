//! `/compact`, and the question at the end of a budget.

use serde_json::json;

use crate::endpoint::{Endpoint, Gate, call, calls, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{answer, chat, leave, open, say, wait_for_rest};

const LONG: &str = "It matters. ";

fn talk(pty: &Pty, words: &str, answer: &str) {
    say(pty, words);
    pty.wait_for(answer);
    wait_for_rest(pty);
}

#[test]
fn the_conversation_is_summarised_when_the_user_wants_it() {
    let long = LONG.repeat(300);
    let endpoint =
        Endpoint::script([text(&long).text("One."), text("Two."), text("All is well."), text("Three.")]);
    let pty = chat(&endpoint);
    say(&pty, "/compact");
    pty.wait_for("nothing to compact yet");
    talk(&pty, "first", "One.");
    talk(&pty, "second", "Two.");
    say(&pty, "/compact the names of the files");
    pty.wait_for("conversation summarized:");
    wait_for_rest(&pty);
    endpoint.allow_break();
    talk(&pty, "third", "Three.");
    let requests = endpoint.requests();
    assert!(
        requests[2].last_text().ends_with("preserve: the names of the files"),
        "{}",
        requests[2].last_text()
    );
    let sent = requests[3].body.to_string();
    assert!(sent.contains("All is well.") && sent.contains("third") && !sent.contains(LONG), "{sent}");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_summary_is_stopped_like_any_run_and_nothing_is_lost() {
    let gate = Gate::new();
    let long = LONG.repeat(300);
    let endpoint =
        Endpoint::script([text(&long).text("One."), text("Two."), text("All").hold(&gate), text("Three.")]);
    let pty = chat(&endpoint);
    talk(&pty, "first", "One.");
    talk(&pty, "second", "Two.");
    say(&pty, "/compact");
    pty.wait_for("summarizing the conversation");
    endpoint.wait_for_request(3);
    pty.key("esc");
    pty.wait_for("Interrupted");
    endpoint.wait_for_hangup();
    talk(&pty, "third", "Three.");
    let sent = endpoint.requests()[3].body.to_string();
    assert!(sent.contains(LONG) && !sent.contains("Write a summary"), "{sent}");
    gate.open();
    leave(&pty);
    endpoint.finish();
}

#[test]
fn at_the_end_of_a_budget_the_user_is_asked_and_grants_as_much_again() {
    let usage = json!({"prompt_tokens": 10_000, "completion_tokens": 1_000, "total_tokens": 11_000});
    let look = || calls([call("Glob", json!({"pattern": "*"}))]).usage(usage.clone());
    let endpoint = Endpoint::script([look(), look(), text("Done.").usage(usage.clone())]);
    let config = "max_cost = 1.0\n[prices.mock-1]\ninput = 100.0\noutput = 200.0\n";
    let pty = open(&Clawd::new(&endpoint).home_file("config.toml", config));
    say(&pty, "go");
    answer(&pty, "Budget reached: $1.20 of $1.00 used", "y");
    answer(&pty, "Budget reached: $2.40 of $2.00 used", "y");
    pty.wait_for("Done.");
    wait_for_rest(&pty);
    say(&pty, "/cost");
    pty.wait_for("$3.60");
    say(&pty, "more");
    answer(&pty, "Budget reached: $3.60 of $3.00 used", "n");
    pty.wait_for("❯");
    leave(&pty);
    endpoint.finish();
}
