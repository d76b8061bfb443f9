//! A started program: its output as it comes, signals, its end.
//!
//! It runs in a process group of its own, which is killed at the deadline and when the test lets go of it.
//! Its end is the end of its output too: a child that outlives it with the pipe in hand fails the test.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

use super::{Clawd, Stdin, Stdout};
use crate::watched::{DEADLINE, Watched};

/// For a whole run.
const RUN_DEADLINE: Duration = Duration::from_mins(1);

/// A run that has ended.
#[derive(Debug)]
pub(crate) struct Output {
    /// none where a signal ended it
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Fails with all that was said unless the code is this one.
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "the exit code; {self:#?}");
        self
    }

    /// The lines of `stream-json`; a line of anything else is a failure.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.stdout.lines().map(event).collect()
    }

    /// The events of one `type`.
    pub(crate) fn events_of(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// The one `result` line, which is the last.
    pub(crate) fn result(&self) -> Value {
        let (events, results) = (self.events(), self.events_of("result"));
        assert_eq!(results.len(), 1, "one result; {self:#?}");
        assert_eq!(events.last(), results.last(), "the result is the last line; {self:#?}");
        results[0].clone()
    }
}

fn event(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("no event ({error}): {line}"))
}

/// A run that goes on. Dropping it kills it.
pub(crate) struct Running {
    clawd: Clawd,
    pid: Pid,
    seen: Arc<Watched<Seen>>,
    stdin: Option<ChildStdin>,
    read: Watched<usize>,
    started: Instant,
}

#[derive(Default)]
struct Seen {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    ended_outputs: usize,
    exit: Option<ExitStatus>,
}

impl Seen {
    fn stdout(&mut self) -> &mut Vec<u8> {
        &mut self.stdout
    }

    fn stderr(&mut self) -> &mut Vec<u8> {
        &mut self.stderr
    }

    fn says(&self) -> String {
        let (stdout, stderr) = (String::from_utf8_lossy(&self.stdout), String::from_utf8_lossy(&self.stderr));
        format!("exit: {:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}", self.exit)
    }
}

impl Running {
    pub(super) fn start(clawd: &Clawd) -> Self {
        let stdin = if matches!(clawd.stdin, Stdin::Empty) { Stdio::null() } else { Stdio::piped() };
        let mut child = Command::new(&clawd.program)
            .args(&clawd.args)
            .env_clear()
            .envs(&clawd.env)
            .current_dir(clawd.project())
            .process_group(0)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", clawd.program.display()));
        let seen = Arc::new(Watched::<Seen>::default());
        let lines = match clawd.stdout {
            Stdout::All => usize::MAX,
            Stdout::Lines(lines) => lines,
        };
        read(child.stdout.take().unwrap(), &seen, Seen::stdout, lines);
        read(child.stderr.take().unwrap(), &seen, Seen::stderr, usize::MAX);
        let stdin = feed(child.stdin.take(), &clawd.stdin);
        let pid = Pid::from_child(&child);
        reap(child, &seen);
        let clawd = clawd.clone();
        Self { clawd, pid, seen, stdin, read: Watched::new(0), started: Instant::now() }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal to the program alone.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Writes to the standard input that `open_stdin` left open.
    pub(crate) fn write_stdin(&mut self, text: &str) {
        self.stdin.as_mut().expect("standard input is open").write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin.take();
    }

    /// The next line of standard output; `None` once it has ended.
    pub(crate) fn next_line(&self) -> Option<String> {
        let from = self.read.with(|read| *read);
        let line = self.look(DEADLINE, "a line", |seen| {
            let rest = &seen.stdout[from..];
            let line = rest.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
            (line.ends_with(b"\n") || seen.ended_outputs == 2).then(|| line.to_vec())
        });
        self.read.with(|read| *read += line.len());
        (!line.is_empty()).then(|| String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned())
    }

    /// Reads on to the next event of this `type`.
    pub(crate) fn wait_for_event(&self, kind: &str) -> Value {
        loop {
            let Some(line) = self.next_line() else { self.fail(&format!("no `{kind}` event came")) };
            let event = event(&line);
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// Blocks until standard error contains the text.
    pub(crate) fn wait_for_stderr(&self, text: &str) {
        let found = self.look(DEADLINE, &format!("{text:?} on standard error"), |seen| {
            let found = String::from_utf8_lossy(&seen.stderr).contains(text);
            (found || seen.ended_outputs == 2).then_some(found)
        });
        if !found {
            self.fail(&format!("{text:?} never stood on standard error"));
        }
    }

    /// Blocks until the program and its output have ended.
    pub(crate) fn wait(self) -> Output {
        // a test that followed a long run step by step may wait for its end as long as for any step
        let left = RUN_DEADLINE.saturating_sub(self.started.elapsed()).max(DEADLINE);
        self.look(left, "the end", |seen| (seen.exit.is_some() && seen.ended_outputs == 2).then_some(()));
        self.seen.with(|seen| {
            let exit = seen.exit.unwrap();
            Output {
                code: exit.code(),
                signal: exit.signal(),
                stdout: String::from_utf8_lossy(&seen.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&seen.stderr).into_owned(),
            }
        })
    }

    fn look<T>(&self, limit: Duration, what: &str, look: impl FnMut(&mut Seen) -> Option<T>) -> T {
        self.seen.wait(limit, look).unwrap_or_else(|| self.fail(&format!("waited {limit:?} for {what}")))
    }

    fn fail(&self, why: &str) -> ! {
        let says = self.seen.with(|seen| seen.says());
        panic!("{} {:?}: {why}\n{says}", self.clawd.program.display(), self.clawd.args);
    }
}

/// Kills the whole group, what the program left behind in it too, and sees the end before the world goes.
impl Drop for Running {
    fn drop(&mut self) {
        // none left is the usual case
        kill_process_group(self.pid, Signal::KILL).ok();
        self.seen.wait(DEADLINE, |seen| seen.exit);
    }
}

fn read(
    mut from: impl Read + Send + 'static,
    seen: &Arc<Watched<Seen>>,
    into: fn(&mut Seen) -> &mut Vec<u8>,
    lines: usize,
) {
    let seen = Arc::clone(seen);
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        let mut left = lines;
        while left > 0
            && let Ok(size @ 1..) = from.read(&mut buffer)
        {
            let bytes = &buffer[..size];
            left = left.saturating_sub(bytes.split(|byte| *byte == b'\n').count() - 1);
            seen.with(|seen| into(seen).extend(bytes));
        }
        drop(from);
        seen.with(|seen| seen.ended_outputs += 1);
    });
}

/// Gives back what stays open. A program need not read its input, so a broken pipe is no failure.
fn feed(pipe: Option<ChildStdin>, what: &Stdin) -> Option<ChildStdin> {
    let mut pipe = pipe?;
    match what {
        Stdin::Open => Some(pipe),
        Stdin::Empty => None,
        Stdin::Text(text) => {
            let text = text.clone();
            std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
            None
        }
    }
}

fn reap(mut child: Child, seen: &Arc<Watched<Seen>>) {
    let seen = Arc::clone(seen);
    std::thread::spawn(move || {
        let exit = child.wait().unwrap();
        seen.with(|seen| seen.exit = Some(exit));
    });
}

#[cfg(test)]
mod tests {
    use rustix::process::test_kill_process;

    use super::*;

    #[test]
    fn a_run_that_is_let_go_is_killed_with_its_children() {
        let clawd = Clawd::alone().program("/bin/sh").args(["-c", "exec 3<&0; cat <&3 & echo ready; wait"]);
        let mut running = clawd.open_stdin().spawn();
        assert_eq!(running.next_line().as_deref(), Some("ready"));
        // held open, so that nothing but the kill ends them
        let _stdin = running.stdin.take();
        let (pid, seen) = (running.pid(), Arc::clone(&running.seen));
        drop(running);
        assert!(test_kill_process(pid).is_err(), "the program is gone");
        // the child has the pipe in hand as long as it lives
        assert!(
            seen.wait(DEADLINE, |seen| (seen.ended_outputs == 2).then_some(())).is_some(),
            "its child too"
        );
    }
}
