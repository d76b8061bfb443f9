//! What keeps a command that runs wild from taking the program, and the machine, with it.
//!
//! Two measures, inherited by all that a command starts: a user's commands may not fork without end, and when memory
//! runs out the kernel looks there first. Not a sandbox, and on purpose nothing more: a limit of address space breaks
//! whatever reserves more than it uses (Go, Java, sanitizers), a limit of file size breaks disk images that are mostly
//! holes. The surprise: the kernel does not hold the superuser to the number of processes, so there a fork bomb goes on
//! until its time limit, when all of its group is killed at once.

#[cfg(target_os = "linux")]
use std::fs;
use std::io;

use rustix::process::Pid;

/// How many processes and threads a command may have beside all that run already: large builds with a compiler on each
/// core, a Java server and a browser under test stay below half of it.
#[cfg(target_os = "linux")]
const PROCESSES: u64 = 4096;

/// How much sooner than the program a command is ended when memory runs out, in thousandths of the memory (proc(5),
/// `oom_score_adj`); browsers give their pages the same.
#[cfg(target_os = "linux")]
const SOONER: i32 = 300;

/// Starts a command with a limit on its processes. It is this process's own for the moment of the start, as nothing
/// else gives it to a child before that runs; whoever calls sees to it that no two starts meet.
#[cfg(target_os = "linux")]
pub(super) fn with_fewer_processes<T>(start: impl FnOnce() -> T) -> T {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let own = getrlimit(Resource::Nproc);
    let most = running_now().map(|running| running + PROCESSES);
    let lower = most.filter(|most| own.current.is_none_or(|current| current > *most));
    let Some(most) = lower else { return start() };
    // what cannot be set is left as it is: a command without a limit is still a command
    setrlimit(Resource::Nproc, Rlimit { current: Some(most), ..own }).ok();
    let started = start();
    setrlimit(Resource::Nproc, own).ok();
    started
}

/// Nothing of the kind is to be had.
#[cfg(not(target_os = "linux"))]
pub(super) fn with_fewer_processes<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// Has the process, and what it starts from now on, ended before us when memory runs out. Refused while it is not yet
/// quite another program than we are: its memory then still counts as hidden, and its files as the superuser's.
#[cfg(target_os = "linux")]
pub(super) fn end_first(pid: Pid) -> io::Result<()> {
    let own = fs::read_to_string("/proc/self/oom_score_adj")?;
    let own: i32 = own.trim().parse().map_err(io::Error::other)?;
    let file = format!("/proc/{}/oom_score_adj", pid.as_raw_nonzero());
    fs::write(file, (own + SOONER).min(1000).to_string())
}

/// Nothing of the kind is to be had.
#[cfg(not(target_os = "linux"))]
pub(super) fn end_first(_pid: Pid) -> io::Result<()> {
    Ok(())
}

/// All processes and threads of the machine (proc(5), `loadavg`), which are no fewer than the user's.
#[cfg(target_os = "linux")]
fn running_now() -> Option<u64> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}
