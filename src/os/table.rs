//! The process table, as Linux tells it in `/proc`; elsewhere it is empty, and a process group is all that is known.
//!
//! Not a view for people: only what tells whose child a process is. The surprise: a process's environment is read as
//! well, for a mark in it outlives most ways to hide.

use rustix::process::Pid;

use super::family::MARK;

/// A line of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    pub(super) parent: Option<Pid>,
    pub(super) group: Option<Pid>,
    pub(super) session: Option<Pid>,
    pub(super) state: State,
    pub(super) began: Moment,
}

/// When a process began, in the kernel's ticks since the start of the machine (proc(5): `starttime`).
pub(super) type Moment = u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Alive,
    /// A zombie: nothing runs any more.
    Ended,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use super::{MARK, Moment, Pid, Process, State};

    /// The process table; empty where `/proc` is not mounted.
    pub(in crate::os) fn processes() -> Vec<Process> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
        let read = |pid| parse(&fs::read(format!("/proc/{pid}/stat")).ok()?);
        entries.filter_map(Result::ok).filter_map(number).filter_map(read).collect()
    }

    /// `PID (NAME) STATE PARENT GROUP SESSION …`; the name may hold anything, also `) `.
    pub(super) fn parse(stat: &[u8]) -> Option<Process> {
        let text = String::from_utf8_lossy(stat);
        let (pid, rest) = text.split_once(" (")?;
        let mut fields = rest.rsplit_once(") ")?.1.split(' ');
        let state = match fields.next()? {
            "Z" | "X" => State::Ended,
            _ => State::Alive,
        };
        // 0 is the kernel; -1 stands for the group of a process that is just being waited for
        let id = |field: &str| field.parse().ok().filter(|raw: &i32| *raw > 0).and_then(Pid::from_raw);
        let mut next = || fields.next().and_then(id);
        let (parent, group, session) = (next(), next(), next());
        // fifteen fields lie between
        let began = fields.nth(15).and_then(|began| began.parse().ok()).unwrap_or(0);
        Some(Process { parent, group, session, state, began, pid: id(pid)? })
    }

    /// When a process that is there began.
    pub(in crate::os) fn began(pid: Pid) -> Moment {
        let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok();
        stat.and_then(|stat| parse(&stat)).map_or(0, |process| process.began)
    }

    /// The mark of a process, if it has one that can be read.
    pub(in crate::os) fn mark_of(pid: Pid) -> Option<String> {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).ok()?;
        let mark =
            |variable: &[u8]| Some(variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?.to_vec());
        String::from_utf8(environment.split(|byte| *byte == 0).find_map(mark)?).ok()
    }

    /// The direct children of this process, those that have ended too; `None` where the kernel does not tell. One may
    /// be missing if its neighbour is reaped in that very moment (proc(5), `children`).
    pub(in crate::os) fn own_children() -> Option<Vec<Pid>> {
        let mut children = Vec::new();
        // each thread has those that it started, and one of them those that were adopted
        for thread in fs::read_dir("/proc/self/task").ok()? {
            let listed = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
            let numbers = listed.split_ascii_whitespace().map(str::parse);
            children.extend(numbers.filter_map(Result::ok).filter_map(Pid::from_raw));
        }
        Some(children)
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use super::{Moment, Pid, Process};

    pub(in crate::os) fn processes() -> Vec<Process> {
        Vec::new()
    }

    pub(in crate::os) fn began(_pid: Pid) -> Moment {
        0
    }

    pub(in crate::os) fn mark_of(_pid: Pid) -> Option<String> {
        None
    }

    /// Nobody is adopted there.
    pub(in crate::os) fn own_children() -> Option<Vec<Pid>> {
        Some(Vec::new())
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{began, mark_of, own_children, processes};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{began, mark_of, own_children, processes};

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::linux::parse;
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let check = |stat: &str, expected: Option<(i32, State)>| {
            let read =
                parse(stat.as_bytes()).map(|process| (process.pid.as_raw_nonzero().get(), process.state));
            assert_eq!(read, expected, "{stat}");
        };
        check("12 (sh) S 1 12 12 0 -1", Some((12, State::Alive)));
        check("12 (a) Z 9 (b) ) Z 1 12 12 0 -1", Some((12, State::Ended)));
        check("12 (tw\no) T 1 12 12 0", Some((12, State::Alive)));
        let long = "12 (sh) S 1 12 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 11 12";
        assert_eq!(parse(long.as_bytes()).unwrap().began, 98765);
        check("12 (sh", None);
        check("", None);
        for of_nobody in ["2 (kthreadd) S 0 0 0 0", "7 (gone) X 0 -1 -1 0"] {
            let read = parse(of_nobody.as_bytes()).unwrap();
            assert_eq!((read.parent, read.group, read.session), (None, None, None));
        }
    }

    #[test]
    fn this_process_is_in_the_table() {
        let me = rustix::process::getpid();
        assert!(processes().iter().any(|process| process.pid == me && process.state == State::Alive));
    }
}
