//! What a person may grant a held command: the network for once, a second try outside after the sandbox has stopped it.

use std::net::TcpListener;

use crate::endpoint::{Call, Endpoint};
use crate::harness::Clawd;

use super::{Turns, bash, leave, open, say, wait_for_rest};

/// Fails wherever this home cannot be written, in the words of a program that the sandbox has stopped: a room may hide the
/// directory altogether, and then a shell has other words.
fn outside() -> Call {
    bash("echo tried >> tries; echo x > ~/made && echo through || { echo 'Read-only file system'; exit 1; }")
}

/// Makes the calls; `keys` answers the question of each. What the model was told.
fn told(
    clawd: &dyn Fn(&Endpoint) -> Clawd,
    calls: Vec<Call>,
    asked: &[(&[&str], &str)],
) -> (Clawd, Vec<String>) {
    let turns = Turns::of(calls);
    let endpoint = turns.endpoint("Done with it.");
    let clawd = clawd(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    for (turn, (words, key)) in asked.iter().enumerate() {
        assert!(turns.asked(turn, &endpoint, &pty).is_some(), "call {turn} is not asked");
        words.iter().for_each(|words| pty.wait_for(words));
        Turns::answer(turn, &endpoint, &pty, (key, None));
    }
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(asked.len() + 1);
    let told = (1..=asked.len()).map(|number| request.tool_result(&format!("call_{number}"))).collect();
    leave(&pty);
    endpoint.finish();
    (clawd, told)
}

/// The second question about a command, on a screen of its own.
fn check_offer(key: &str) -> (Clawd, String) {
    let ruled = |endpoint: &Endpoint| Clawd::new(endpoint).args(["--allowed-tools", "Bash"]);
    let words =
        ["Allow this command outside the sandbox?", "❯ 3. No, report the failure to the model", "1. Yes"];
    let (clawd, mut told) = told(&ruled, vec![outside()], &[(&words, key)]);
    (clawd, told.remove(0))
}

#[test]
fn the_fourth_answer_gives_a_command_the_network_and_the_next_one_none() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("(echo hello > /dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached || echo not");
    let offered: &[&str] = &["Allow this command?", "4. Yes, with network"];
    let asked = [(offered, "4"), (offered, "1"), (offered, "4")];
    let (_, told) = told(&Clawd::new, vec![bash(&connect), bash(&connect), bash(&connect)], &asked);
    assert_eq!(told, ["reached", "not", "reached"]);
    assert_eq!((0..3).filter(|_| listener.accept().is_ok()).count(), 2);
}

#[test]
fn what_the_sandbox_has_stopped_runs_outside_after_a_yes_and_that_is_what_is_told() {
    for key in ["1", "y"] {
        let (clawd, told) = check_offer(key);
        assert!(told.starts_with("through\n[second run, approved by the user: "), "{told}");
        assert_eq!(std::fs::read_to_string(clawd.home().join("made")).unwrap(), "x\n");
        assert_eq!(clawd.read("tries"), "tried\ntried\n");
    }
}

#[test]
fn what_the_sandbox_has_stopped_stays_failed_after_a_no_and_the_run_goes_on() {
    for key in ["3", "n", "enter"] {
        let (clawd, told) = check_offer(key);
        assert!(told.starts_with("Error: exit code 1\n"), "{told}");
        assert!(told.contains("Read-only file system") && told.contains("[sandboxed: only "), "{told}");
        assert!(!clawd.home().join("made").exists());
        assert_eq!(clawd.read("tries"), "tried\n");
    }
}
