//! What keeps a command that runs wild from taking the program, and the machine, with it.
//!
//! Two measures, taken on a command's first process right after its start and inherited by all that it starts: when
//! memory runs out the kernel looks there first, and a user's commands may not fork without end. Not a sandbox, and on
//! purpose nothing more: a limit of address space breaks whatever reserves more than it uses (Go, Java, sanitizers), a
//! limit of file size breaks disk images that are mostly holes. The surprise: the kernel does not hold the superuser to
//! the number of processes, so there a fork bomb goes on until its time limit or its group is killed.

use rustix::process::Pid;

/// How many processes and threads a command may have beside all that run already: large builds with a compiler on each
/// core, a Java server and a browser under test stay below half of it.
#[cfg(target_os = "linux")]
const PROCESSES: u64 = 4096;

/// How much sooner than the program a command is ended when memory runs out, in thousandths of the memory (proc(5),
/// `oom_score_adj`); browsers give their pages the same.
#[cfg(target_os = "linux")]
const SOONER: i32 = 300;

/// Restrains the process; what cannot be set is left as it is, for a command without a limit is still a command.
#[cfg(target_os = "linux")]
pub(super) fn restrain(pid: Pid) {
    if let Some(adjusted) = own_adjustment().map(|own| (own + SOONER).min(1000)) {
        let file = format!("/proc/{}/oom_score_adj", pid.as_raw_nonzero());
        std::fs::write(file, adjusted.to_string()).ok();
    }
    limit_processes(pid);
}

/// Nothing of the kind is to be had.
#[cfg(not(target_os = "linux"))]
pub(super) fn restrain(_pid: Pid) {}

#[cfg(target_os = "linux")]
fn own_adjustment() -> Option<i32> {
    std::fs::read_to_string("/proc/self/oom_score_adj").ok()?.trim().parse().ok()
}

#[cfg(target_os = "linux")]
fn limit_processes(pid: Pid) {
    use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
    let now = getrlimit(Resource::Nproc);
    let Some(most) = running_now().map(|running| running + PROCESSES) else { return };
    if now.current.is_none_or(|current| current > most) {
        let limit = Rlimit { current: Some(most), maximum: now.maximum };
        prlimit(Some(pid), Resource::Nproc, limit).ok();
    }
}

/// All processes and threads of the machine (proc(5), `loadavg`), which are no fewer than the user's.
#[cfg(target_os = "linux")]
fn running_now() -> Option<u64> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}
