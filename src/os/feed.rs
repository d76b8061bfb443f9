//! A short program that is given its input and heard to its end, for what the program itself wants to know.
//!
//! Not for commands of a model or a user: nothing of this is shown, kept or listed. It is started with the environment that it
//! is given and no other, in the program's own process group, so that nobody takes it for the orphan of a command.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// What `program` prints, given `input`. An error where it does not end well, or not within `limit`.
#[expect(clippy::disallowed_methods, reason = "not a command of the user: only its output is used")]
pub fn feed(
    program: &Path,
    words: &[&OsStr],
    env: &[(&str, OsString)],
    input: Vec<u8>,
    limit: Duration,
) -> io::Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(words).env_clear().envs(env.iter().map(|(name, value)| (name, value))).current_dir("/");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (ended, still_runs) = sync_channel::<()>(0);
    thread::scope(|scope| {
        scope.spawn(move || {
            // who ends before it has read everything has its reasons
            stdin.and_then(|mut stdin| stdin.write_all(&input).ok())
        });
        scope.spawn(move || {
            if let (Err(RecvTimeoutError::Timeout), Some(pid)) = (still_runs.recv_timeout(limit), pid) {
                kill_process(pid, Signal::KILL).ok();
            }
        });
        let mut output = Vec::new();
        let read = stdout.map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut output));
        let status = child.wait();
        drop(ended);
        read?;
        if status?.success() { Ok(output) } else { Err(io::Error::other("it failed")) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, input: Vec<u8>, limit: Duration) -> io::Result<Vec<u8>> {
        let env = [("ODD", OsString::from("value"))];
        feed(Path::new("/bin/sh"), &["-c".as_ref(), script.as_ref()], &env, input, limit)
    }

    #[test]
    fn it_answers_to_what_it_is_given_however_long_that_is() {
        let long = vec![b'x'; 1 << 20];
        assert_eq!(sh("/bin/cat", long.clone(), Duration::from_mins(1)).unwrap(), long);
        let said = sh("echo $ODD ${HOME-none}", Vec::new(), Duration::from_mins(1)).unwrap();
        assert_eq!(said, b"value none\n");
        assert_eq!(sh("exit 0", long, Duration::from_mins(1)).unwrap(), b"");
    }

    #[test]
    fn what_fails_or_does_not_end_is_an_error() {
        assert!(sh("exit 3", Vec::new(), Duration::from_mins(1)).is_err());
        assert!(sh("while :; do :; done", Vec::new(), Duration::from_millis(20)).is_err());
        let none = feed(Path::new("/nowhere/x"), &[], &[], Vec::new(), Duration::from_mins(1));
        assert_eq!(none.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
