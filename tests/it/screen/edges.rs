//! At rest, nothing: no byte, no work. And start-ups that are broken off.

use std::time::Duration;

use crate::endpoint::{Endpoint, text};
use crate::harness::{Clawd, Signal};
use crate::pty::Pty;

use super::{chat, leave, say, usual, wait_for_rest};

/// Long enough for a timer that should not be there.
const WATCHED: Duration = Duration::from_secs(3);

#[test]
fn at_rest_nothing_is_written_and_nothing_is_done() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let pty = chat(&endpoint);
    say(&pty, "go");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    // the last frames of a run settle
    std::thread::sleep(Duration::from_millis(1500));
    let (written, spent) = (pty.raw_bytes().len(), ticks(&pty));
    std::thread::sleep(WATCHED);
    assert_eq!(pty.raw_bytes().len(), written, "bytes at rest");
    assert!(ticks(&pty) <= spent + 1, "{spent} ticks, then {}", ticks(&pty));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_interrupt_during_the_start_leaves_the_terminal_as_it_was() {
    let endpoint = Endpoint::script([]);
    for wait in (0..20).map(|n| Duration::from_millis(5 * n)) {
        let pty = Pty::spawn(&Clawd::new(&endpoint), usual());
        std::thread::sleep(wait);
        // before the program listens, the signal ends it; later it is a Ctrl+C, and a second leaves
        pty.signal(Signal::TERM);
        let exit = pty.wait_exit();
        assert!(exit.signal.is_some() || exit.code == 143, "{exit:?}");
        pty.assert_terminal_restored();
    }
    endpoint.finish();
}

/// Processor time of the program so far, in the kernel's ticks.
fn ticks(pty: &Pty) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pty.pid().as_raw_nonzero())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    // user and system time are the 14th and 15th of all, the name being the second
    fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum()
}
