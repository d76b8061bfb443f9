//! More than fifty turns in one conversation: calls, failures, nudges, queued messages, a stop and a resume. The bytes that were
//! sent once stay as they were, and whatever the model answered is sent back.

use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, Gate, call, calls, empty, text};
use crate::harness::Clawd;

use super::{bash, leave, open, say, wait_for_rest};

const TURNS: usize = 55;
/// The turn in which the user stops the run: it follows a nudge.
const STOPPED: usize = 24;

/// What comes in a turn, counted from 1. The third and every tenth after it announces, every seventh fails.
fn turn(number: usize, gates: &[Gate]) -> Answer {
    let answer = match number {
        STOPPED => return empty().hold_head(&gates[number]),
        _ if number % 10 == 3 => return text("Let me check the file."),
        _ if number.is_multiple_of(7) => {
            calls([call("Read", json!({"file_path": format!("gone{number}.txt")}))])
        }
        _ => calls([bash(&format!("echo turn {number}")), call("Glob", json!({"pattern": "*.txt"}))]),
    };
    if is_queued_into(number) { answer.hold_head(&gates[number]) } else { answer }
}

/// Whether the user types while the answer of this turn is awaited.
fn is_queued_into(number: usize) -> bool {
    number % 10 == 8
}

/// Messages as they were sent, but for the system prompt, which the endpoint looks at itself.
fn sent(request: &crate::endpoint::Request) -> Vec<String> {
    request.messages().iter().map(Value::to_string).collect()
}

#[test]
fn what_was_sent_stays_as_it_was_over_fifty_turns() {
    let gates: Vec<Gate> = (0..=TURNS).map(|_| Gate::new()).collect();
    let script = (1..=TURNS).map(|number| turn(number, &gates));
    let endpoint = Endpoint::script(script.chain([text("All is done.")]));
    let clawd = Clawd::new(&endpoint).arg("--yolo");
    let pty = open(&clawd);
    say(&pty, "begin");
    let queue = |pty: &crate::pty::Pty, from: usize, to: usize| {
        for number in (from..=to).filter(|number| is_queued_into(*number)) {
            gates[number].wait_reached();
            say(pty, &format!("and this {number}"));
            pty.wait_for(&format!("queued: and this {number}"));
            gates[number].open();
        }
    };
    queue(&pty, 1, STOPPED);
    gates[STOPPED].wait_reached();
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    leave(&pty);
    let pty = open(&clawd.again().args(["-c", "--yolo"]));
    say(&pty, "something else, then");
    queue(&pty, STOPPED + 1, TURNS);
    pty.wait_for("All is done.");
    wait_for_rest(&pty);
    leave(&pty);
    let requests = endpoint.requests();
    assert_eq!(requests.len(), TURNS + 1);
    for (number, pair) in (1..).zip(requests.windows(2)) {
        let (before, after) = (sent(&pair[0]), sent(&pair[1]));
        // the nudge that was stopped is not sent again
        let owed = if number == STOPPED { &before[..before.len() - 1] } else { &before[..] };
        assert!(after.starts_with(owed), "request {} changed what was sent", number + 1);
    }
    let last = requests[TURNS].body.to_string();
    let count = |words: &str| last.matches(words).count();
    assert_eq!((count("Carry out the action"), count("and this "), count("something else, then")), (5, 5, 1));
    endpoint.finish();
}
