//! Ends the commands of a program that was killed: a process beside it that waits for its end.
//!
//! A program that ends in any other way ends its commands itself. The guard has a pipe from the program, which the kernel
//! closes however that ends, and knows its commands by their [mark](super::family). The surprise: no death signal of the
//! kernel's would do, for a child alone can ask for it, and it comes when the thread ends that started the child.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Read};
use std::process::ExitCode;

use rustix::process::{Pid, Signal, kill_process};

use super::table::{self, Process, State};

/// The first word of the guard, which no user types.
pub(super) const GUARD: &str = "--guard-commands";

/// As often it looks again for what was started meanwhile.
const LOOKS: u32 = 20;

/// Runs the guard if these are the arguments of one.
pub fn dispatch(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, first, program] = arguments else { return None };
    let program = program.to_str().filter(|_| first == GUARD)?;
    // whatever is read there means nothing; the end is what is waited for
    io::stdin().read_to_end(&mut Vec::new()).ok();
    end_commands(&format!("{program}-"));
    Some(ExitCode::SUCCESS)
}

/// Kills all that bears such a mark, and all that was started by it.
fn end_commands(mark: &str) {
    let mut killed = HashSet::new();
    for _ in 0..LOOKS {
        let found = marked(&table::processes(), mark);
        let new: Vec<Pid> = found.into_iter().filter(|pid| killed.insert(*pid)).collect();
        if new.is_empty() {
            return;
        }
        for pid in new {
            // gone meanwhile, or not ours
            kill_process(pid, Signal::KILL).ok();
        }
    }
}

fn marked(all: &[Process], mark: &str) -> HashSet<Pid> {
    let alive: Vec<&Process> = all.iter().filter(|process| process.state == State::Alive).collect();
    let bears = |pid: Pid| table::mark_of(pid).is_some_and(|own| own.starts_with(mark));
    let mut found: HashSet<Pid> = alive.iter().map(|process| process.pid).filter(|pid| bears(*pid)).collect();
    loop {
        let before = found.len();
        let is_childs = |process: &&&Process| process.parent.is_some_and(|parent| found.contains(&parent));
        let children: Vec<Pid> = alive.iter().filter(is_childs).map(|process| process.pid).collect();
        found.extend(children);
        if found.len() == before {
            return found;
        }
    }
}
