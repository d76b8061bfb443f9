//! A helper that is started ahead of the command for which it makes a place, so that the command need not wait for that.
//!
//! Not a command: it holds nothing of the session's, and no task and no job knows of it. It waits at its standard input, a
//! socket, to be told the one command that it is for. It is told the whole of it ([`Told`]), so one that was made for
//! nothing in particular fits whatever comes. There is one at a time, made when a command of its kind has ended and nothing
//! has begun for a while: never before the first, and never while somebody waits for an answer.
//!
//! The surprise: nobody waits for it. One that is not ready, or gone, or cannot be told so much at once is as if it were not
//! there, and the command is started as ever. It ends with the line, so with us, however we end.

use std::ffi::{OsStr, OsString};
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::task::Poll;
use std::time::Duration;

use rustix::fs::{Access, access};
use rustix::process::Pid;
use tokio_util::sync::CancellationToken;

use super::family::{Family, MARK, roots};
use super::process::{Launched, Spawn, Started, Within, launch, next_mark};
use super::starter::Starter;

/// After a command has ended: by then its result is under way, and nothing is kept waiting by our starting something.
pub(super) const REST: Duration = Duration::from_millis(20);

/// The most that is told at once, in bytes; what a system takes as one argument.
pub const MOST: usize = 128 * 1024;

/// The command, as the helper is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub cwd: PathBuf,
    /// All of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// What the helper's arguments would be, had it been started for this command.
    pub words: Vec<OsString>,
}

impl Told {
    /// In one message; `None` if it cannot be said in one.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut say = |text: &[u8]| {
            bytes.extend_from_slice(text);
            bytes.push(0);
            !text.contains(&0)
        };
        let mut is_said = say(self.cwd.as_os_str().as_bytes());
        for (name, value) in &self.env {
            is_said &= !name.is_empty() && !name.as_bytes().contains(&b'=');
            is_said &= say(&[name.as_bytes(), b"=", value.as_bytes()].concat());
        }
        is_said &= say(b"");
        for word in &self.words {
            is_said &= say(word.as_bytes());
        }
        (is_said && bytes.len() <= MOST).then_some(bytes)
    }

    /// What such a message says; `None` if it is none.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut all = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let cwd = text(all.next()?).into();
        let mut env = Vec::new();
        loop {
            match all.next()? {
                [] => break,
                entry => {
                    let at = entry.iter().position(|byte| *byte == b'=')?;
                    env.push((text(entry.get(..at)?), text(entry.get(at + 1..)?)));
                }
            }
        }
        Some(Self { cwd, env, words: all.map(text).collect() })
    }
}

/// One that was started.
struct Ahead {
    /// Its program, and the words that it was started with.
    kind: (PathBuf, Vec<OsString>),
    launched: Option<Launched>,
    mark: String,
    line: OwnedFd,
    /// Cancelled when this is no longer the one that waits.
    taken: CancellationToken,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Begins,
    Ready,
    /// It has ended, or will.
    Gone,
}

/// The line: messages arrive whole and in order, and its end is heard.
#[cfg(target_os = "linux")]
mod line {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::io::Errno;
    use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};

    use super::Stage;

    pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
        Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
    }

    /// It says one word when it is ready, and nothing else ever; that stays where it is.
    pub(super) fn stage(line: &OwnedFd) -> Stage {
        match recv(line, &mut [0; 1], RecvFlags::DONTWAIT | RecvFlags::PEEK) {
            Ok((1.., _)) => Stage::Ready,
            Err(Errno::AGAIN | Errno::INTR) => Stage::Begins,
            Ok((0, _)) | Err(_) => Stage::Gone,
        }
    }

    /// Whether all of it could be said at once.
    pub(super) fn says(line: &OwnedFd, bytes: &[u8]) -> bool {
        // a line that ends with something unheard is torn, and so would be what is said now
        recv(line, &mut [0; 1], RecvFlags::DONTWAIT).ok();
        send(line, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) == Ok(bytes.len())
    }
}

/// Nothing holds commands here, so nothing is started ahead of them.
#[cfg(not(target_os = "linux"))]
mod line {
    use std::io;
    use std::os::fd::OwnedFd;

    use super::Stage;

    pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn stage(_line: &OwnedFd) -> Stage {
        Stage::Gone
    }

    pub(super) fn says(_line: &OwnedFd, _bytes: &[u8]) -> bool {
        false
    }
}

impl Ahead {
    fn start(within: &Within, leave_terminal: Option<&Path>) -> io::Result<Self> {
        let (line, theirs) = line::pair()?;
        let mark = next_mark();
        let mut command = command(within);
        if leave_terminal.is_none() {
            command.process_group(0);
        }
        command.env(MARK, &mark).stdin(Stdio::from(theirs));
        let launched = Some(launch(command, None)?);
        let kind = (within.program.clone(), within.ahead.clone());
        Ok(Self { kind, launched, mark, line, taken: CancellationToken::new() })
    }

    fn stage(&self) -> Stage {
        line::stage(&self.line)
    }

    /// From here on it is this command; `None` if it cannot be told so.
    fn tell(mut self, file: &Path, spawn: &Spawn, within: &Within) -> Option<Started> {
        let mut env = spawn.env.clone();
        env.push((MARK.into(), OsString::from(&self.mark)));
        let arguments = spawn.argv.iter().skip(1).map(OsString::as_os_str);
        let words = within.words.iter().map(OsString::as_os_str).chain([file.as_os_str()]).chain(arguments);
        let told = Told { cwd: spawn.cwd.clone(), env, words: words.map(OsStr::to_owned).collect() };
        if !line::says(&self.line, &told.bytes()?) {
            return None;
        }
        let Launched { child, pipe, pid } = self.launched.take()?;
        Some(Started { child, pipe, family: Family::of_a_group(pid, self.mark.clone()), pid })
    }

    /// Ends it, and waits for that.
    async fn end(mut self) {
        let launched = self.launched.take();
        drop(self);
        if let Some(Launched { mut child, pid, .. }) = launched {
            child.wait().await.ok();
            roots().retain(|root| *root != pid);
        }
    }
}

impl Drop for Ahead {
    /// It hears that the line has ended. Whoever waits for orphans waits for it.
    fn drop(&mut self) {
        self.taken.cancel();
        if let Some(Launched { pid, .. }) = &self.launched {
            roots().retain(|root| root != pid);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "what it starts is noted where every process is")]
fn command(within: &Within) -> Command {
    let mut command = Command::new(&within.program);
    // of the session it is to know nothing, and no directory is to be kept in use by it
    command.args(&within.ahead).env_clear().current_dir("/");
    command
}

/// Where the one waits; clones are the same.
#[derive(Clone, Default)]
pub(super) struct Place(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    ahead: Option<Ahead>,
    /// Commands that have begun.
    begun: u64,
}

impl State {
    /// One that has ended is as if it had never been.
    fn that_is_there(&mut self) -> Option<&Ahead> {
        drop(self.ahead.take_if(|ahead| ahead.stage() == Stage::Gone));
        self.ahead.as_ref()
    }

    fn that_is_ready(&mut self) -> Option<&Ahead> {
        self.that_is_there().filter(|ahead| ahead.stage() == Stage::Ready)
    }
}

/// How many commands had begun, to tell whether one has since.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Begun(u64);

impl Place {
    /// A command begins, in the one that waits if it can; gives the number of the command too.
    pub(super) fn begin(
        &self,
        file: &Path,
        spawn: &Spawn,
        starter: Option<&Starter>,
    ) -> (Option<Started>, Begun) {
        let mut state = match self.0.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // one is being started
            Err(TryLockError::WouldBlock) => return (None, Begun(u64::MAX)),
        };
        state.begun += 1;
        let begun = Begun(state.begun);
        // one that waits was started with all our rights
        let within = spawn.within.as_ref().filter(|_| starter.is_none());
        let Some(within) = within else { return (None, begun) };
        // where one cannot go there, the usual way says so
        let can_go = || spawn.cwd.is_dir() && access(&spawn.cwd, Access::EXEC_OK).is_ok();
        let ahead = state.that_is_ready().filter(|_| can_go());
        let ahead = ahead.filter(|ahead| ahead.kind.0 == within.program && ahead.kind.1 == within.ahead);
        if ahead.is_none() {
            return (None, begun);
        }
        let ahead = state.ahead.take();
        drop(state);
        (ahead.and_then(|ahead| ahead.tell(file, spawn, within)), begun)
    }

    /// Whether no other command has begun since.
    pub(super) fn is_quiet_since(&self, begun: Begun) -> bool {
        Begun(self.locked().begun) == begun
    }

    /// Starts one, if none is there and not all is to end. Then it gives what has to be waited for, lest one that ends
    /// before its time be left in the table of processes.
    pub(super) fn make(
        &self,
        within: &Within,
        leave_terminal: Option<&Path>,
        stop: &CancellationToken,
    ) -> Option<impl Future<Output = ()> + Send + use<>> {
        // held while it is started: whoever ends all has wished it before, or finds this one
        let mut state = self.locked();
        if stop.is_cancelled() || state.that_is_there().is_some() {
            return None;
        }
        // where none can be started the commands are started as ever
        let ahead = state.ahead.insert(Ahead::start(within, leave_terminal).ok()?);
        let pid = ahead.launched.as_ref()?.pid;
        Some(until_gone(Arc::downgrade(&self.0), pid, ahead.taken.clone()))
    }

    /// Whether one is ready.
    pub(super) fn is_ready(&self) -> bool {
        self.locked().that_is_ready().is_some()
    }

    /// Ends the one that waits.
    pub(super) async fn end(&self) {
        let ahead = self.locked().ahead.take();
        if let Some(ahead) = ahead {
            ahead.end().await;
        }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        locked(&self.0)
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Until this one no longer waits: it is another's by then, or it has ended by itself and has been waited for.
async fn until_gone(state: Weak<Mutex<State>>, pid: Pid, taken: CancellationToken) {
    let ended = poll_fn(|context| {
        let Some(state) = state.upgrade() else { return Poll::Ready(()) };
        let mut state = locked(&state);
        let launched = state.ahead.as_mut().and_then(|ahead| ahead.launched.as_mut());
        // whoever has taken it says so
        let Some(launched) = launched.filter(|launched| launched.pid == pid) else { return Poll::Pending };
        let ended = pin!(launched.child.wait()).poll(context).map(drop);
        if ended.is_ready() {
            state.ahead = None;
        }
        ended
    });
    tokio::select! {
        biased;
        () = taken.cancelled() => {}
        () = ended => {}
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").finish_non_exhaustive()
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::process::{Children, Exit, adopt_orphans};
    use super::*;

    /// Only for what would hang.
    const LONG: Duration = Duration::from_mins(1);

    /// Says that it is ready, and then what it is told, a line each; ends by a code of its own.
    const HELPER: &str =
        "printf r >&0; dd bs=262144 count=1 status=none | tr '\\0' '\\n'; [ $PIPESTATUS = 0 ] && exit 7";

    fn spawn(argv: &[&str], helper: &str) -> Spawn {
        // at a socket bash takes itself for one that somebody has logged in to
        let ahead = ["--norc", "-c", helper].map(OsString::from).into();
        // without one: the words, and then the command
        let words = ["-c", "printf '%s\\n' then \"$@\"", "--"].map(OsString::from).into();
        let within = Some(Within { program: "/bin/bash".into(), words, ahead });
        let env =
            [("PATH", "/usr/bin:/bin"), ("ODD", "a=b")].map(|(name, value)| (name.into(), value.into()));
        Spawn { env: env.into(), within, ..Spawn::new(argv.iter().copied(), "/usr") }
    }

    async fn run(children: &Children, spawn: Spawn) -> (Exit, String) {
        let finished = children.start(spawn).unwrap().wait().await;
        (finished.exit, String::from_utf8(finished.output.whole().unwrap()).unwrap())
    }

    async fn ready(children: &Children) {
        let begun = Instant::now();
        while !children.are_ahead() {
            assert!(begun.elapsed() < LONG);
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn what_is_told_is_heard() {
        let odd = || OsString::from_vec(b"odd \xff\n".to_vec());
        let told = Told {
            cwd: "/w d".into(),
            env: vec![("A".into(), odd()), ("B".into(), "a=b".into()), ("C".into(), "".into())],
            words: vec![odd(), "".into(), "x".into(), "".into()],
        };
        assert_eq!(Told::of(&told.bytes().unwrap()), Some(told.clone()));
        let least = Told { cwd: "/".into(), env: Vec::new(), words: Vec::new() };
        assert_eq!(Told::of(&least.bytes().unwrap()), Some(least));
        for name in ["", "A=B"] {
            let env = vec![(name.into(), "x".into())];
            assert_eq!(Told { env, ..told.clone() }.bytes(), None, "{name}");
        }
        for word in ["a\0b".to_owned(), "x".repeat(MOST)] {
            assert_eq!(Told { words: vec![word.into()], ..told.clone() }.bytes(), None);
        }
        for bytes in [&b""[..], b"/", b"/\0A=B\0", b"/\0AB\0\0"] {
            assert_eq!(Told::of(bytes), None, "{bytes:?}");
        }
    }

    #[tokio::test]
    async fn the_next_command_is_told_to_the_one_that_waits() {
        adopt_orphans().unwrap();
        let children = Children::new();
        let spawn = || spawn(&["true", "an argument"], HELPER);
        let file = ["/usr/bin/true", "/bin/true"].into_iter().find(|file| Path::new(file).exists()).unwrap();
        let then = format!("then\n{file}\nan argument\n");
        assert_eq!(run(&children, spawn()).await, (Exit::Code(0), then.clone()));
        ready(&children).await;
        let (exit, said) = run(&children, spawn()).await;
        let told: Vec<&str> = said.lines().collect();
        assert_eq!(exit, Exit::Code(7), "{said}");
        assert_eq!(told[..3], ["/usr", "PATH=/usr/bin:/bin", "ODD=a=b"]);
        assert!(told[3].starts_with("CLAWD_COMMAND_ID="), "{said}");
        assert_eq!(told[4..], ["", "-c", "printf '%s\\n' then \"$@\"", "--", file, "an argument"]);
        assert_eq!(run(&children, spawn()).await, (Exit::Code(0), then), "it was for one");
        children.end().await;
    }

    #[tokio::test]
    async fn one_that_ends_before_its_time_is_waited_for_at_once() {
        adopt_orphans().unwrap();
        let (place, within) = (Place::default(), spawn(&["true"], "printf r >&0; exit 3").within.unwrap());
        let gone = place.make(&within, None, &CancellationToken::new()).unwrap();
        let pid = place.locked().ahead.as_ref().unwrap().launched.as_ref().unwrap().pid;
        tokio::time::timeout(LONG, gone).await.unwrap();
        assert!(place.locked().ahead.is_none(), "no command has begun");
        assert_eq!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH));
        // whoever takes one waits for it, and it is theirs
        let within = spawn(&["true"], HELPER).within.unwrap();
        let gone = place.make(&within, None, &CancellationToken::new()).unwrap();
        place.end().await;
        tokio::time::timeout(LONG, gone).await.unwrap();
    }

    #[tokio::test]
    async fn one_that_is_not_ready_or_gone_or_of_another_kind_is_as_if_it_were_not_there() {
        adopt_orphans().unwrap();
        for helper in ["read", "exit 3"] {
            let children = Children::new();
            let spawn = || spawn(&["true"], helper);
            children.go_ahead(&spawn().within.unwrap());
            let (exit, said) = run(&children, spawn()).await;
            assert!(exit == Exit::Code(0) && said.starts_with("then\n"), "{helper}: {exit} {said}");
            children.end().await;
        }
        let children = Children::new();
        children.go_ahead(&spawn(&["true"], HELPER).within.unwrap());
        ready(&children).await;
        assert!(run(&children, spawn(&["true"], "read")).await.1.starts_with("then\n"));
        assert!(children.are_ahead(), "it waits for another");
        children.end().await;
        assert!(!children.are_ahead());
    }
}
