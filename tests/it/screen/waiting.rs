//! What the screen says after a failure.

use crate::endpoint::{Endpoint, status, text};

use super::{chat, leave, say, wait_for_rest};

#[test]
fn after_a_failure_enter_asks_again() {
    let endpoint = Endpoint::script([status(400), text("Now it is answered.")]);
    let pty = chat(&endpoint);
    say(&pty, "a question");
    pty.wait_for("Error:");
    pty.wait_for("Enter on the empty input asks again");
    wait_for_rest(&pty);
    pty.key("enter");
    pty.wait_for("Now it is answered.");
    wait_for_rest(&pty);
    let (first, second) = (&endpoint.requests()[0], &endpoint.requests()[1]);
    assert_eq!((second.roles().as_str(), second.last_text().as_str()), ("system user", "a question"));
    assert!(first.raw == second.raw, "the same request");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn after_a_refusal_enter_asks_for_another_answer_in_its_place() {
    let refusal = text("I would rather not").finish("content_filter");
    let endpoint = Endpoint::script([refusal, text("Well then."), text("And on.")]);
    let pty = chat(&endpoint);
    say(&pty, "a question");
    pty.wait_for("Enter on the empty input asks again");
    wait_for_rest(&pty);
    pty.key("enter");
    pty.wait_for("Well then.");
    wait_for_rest(&pty);
    say(&pty, "more");
    pty.wait_for("And on.");
    wait_for_rest(&pty);
    let requests = endpoint.requests();
    assert_eq!((requests[1].roles(), requests[1].last_text()), ("system user".into(), "a question".into()));
    assert_eq!(requests[2].roles(), "system user assistant user");
    leave(&pty);
    endpoint.finish();
}
