//! A helper that is started ahead of the command for which it makes a place, so that the command need not wait for that.
//!
//! Not a command: it holds nothing of the session's, and no task and no job knows of it. It waits at its standard input, a
//! socket, to be told the one command that it is for. It is told the whole of it ([`Told`]), so one that was made for
//! nothing in particular fits whatever comes. There is one at a time, and only while commands are [expected](Expecting): made
//! when a command of its kind has ended and nothing has begun for a while, never before the first. So a program at rest has
//! none, and what was stopped leaves none behind.
//!
//! The surprise: nobody waits for it. One that is not ready, or gone, or cannot be told so much at once is as if it were not
//! there, and the command is started as ever. It ends with the line, so with us, however we end.

pub mod told;

use std::ffi::{OsStr, OsString};
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
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

use self::told::Told;
use super::family::{Family, MARK, roots};
use super::process::{Launched, Spawn, Started, Within, launch, next_mark};
use super::starter::Starter;

/// After a command has ended: by then its result is under way, and nothing is kept waiting by our starting something.
pub(super) const REST: Duration = Duration::from_millis(20);

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    program: PathBuf,
    words: Vec<OsString>,
}

impl Kind {
    /// Of the helper of such a command; none where it cannot be started ahead.
    pub(super) fn of(within: &Within) -> Option<Self> {
        let Within { program, ahead, .. } = within;
        (!ahead.is_empty()).then(|| Self { program: program.clone(), words: ahead.clone() })
    }
}

/// One that was started.
struct Ahead {
    kind: Kind,
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
    fn start(kind: Kind, leave_terminal: Option<&Path>) -> io::Result<Self> {
        let (line, theirs) = line::pair()?;
        let mark = next_mark();
        let mut command = command(&kind);
        if leave_terminal.is_none() {
            command.process_group(0);
        }
        command.env(MARK, &mark).stdin(Stdio::from(theirs));
        let launched = Some(launch(command, None)?);
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
fn command(kind: &Kind) -> Command {
    let mut command = Command::new(&kind.program);
    // of the session it is to know nothing, and no directory is to be kept in use by it
    command.args(&kind.words).env_clear().current_dir("/");
    command
}

/// Where the one waits; clones are the same.
#[derive(Clone, Default)]
pub(super) struct Place(Arc<Shared>);

/// Where both are needed `waits` comes first.
#[derive(Default)]
struct Shared {
    /// Held while one is started, for as long as that takes.
    waits: Mutex<Option<Ahead>>,
    /// Held for nothing that takes time, so whoever counts never waits.
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// Of the command that began last, of those that had one.
    last: Option<Kind>,
    /// Who expects commands.
    expecting: usize,
    /// Commands that have begun.
    begun: u64,
}

impl Counts {
    /// What the next command would find if it is like the last, where some are expected and none has begun since.
    fn wanted_since(&self, begun: Begun) -> Option<Kind> {
        let is_quiet = Begun(self.begun) == begun;
        self.last.clone().filter(|_| is_quiet && self.expecting > 0)
    }
}

impl Shared {
    fn waits(&self) -> MutexGuard<'_, Option<Ahead>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that has ended is as if it had never been.
fn that_is_there(waits: &mut Option<Ahead>) -> Option<&Ahead> {
    drop(waits.take_if(|ahead| ahead.stage() == Stage::Gone));
    waits.as_ref()
}

fn that_is_ready(waits: &mut Option<Ahead>) -> Option<&Ahead> {
    that_is_there(waits).filter(|ahead| ahead.stage() == Stage::Ready)
}

/// For what one is started.
#[derive(Clone, Debug)]
pub(super) enum Need {
    /// The command after this one, if none has begun since and somebody expects it.
    After(Begun),
    /// Whatever comes, expected or not.
    Kind(Kind),
}

/// How many commands had begun, to tell whether one has since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Begun(u64);

impl Place {
    /// A command begins, in the one that waits if it can; gives the number of the command too.
    pub(super) fn begin(
        &self,
        file: &Path,
        spawn: &Spawn,
        starter: Option<&Starter>,
    ) -> (Option<Started>, Begun) {
        // one that waits was started with all our rights
        let within = spawn.within.as_ref().filter(|_| starter.is_none());
        let within = within.and_then(|within| Some((within, Kind::of(within)?)));
        let begun = self.count(within.as_ref().map(|(_, kind)| kind));
        (within.and_then(|(within, kind)| self.take(&kind, spawn)?.tell(file, spawn, within)), begun)
    }

    /// One more, of this kind if of any.
    fn count(&self, kind: Option<&Kind>) -> Begun {
        let mut counts = self.0.counts();
        counts.begun += 1;
        counts.last = kind.cloned().or(counts.last.take());
        Begun(counts.begun)
    }

    /// The one that waits, if it is ready and of this kind.
    fn take(&self, kind: &Kind, spawn: &Spawn) -> Option<Ahead> {
        let mut waits = match self.0.waits.try_lock() {
            Ok(waits) => waits,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // one is being started, or looked at: a command does not wait for that
            Err(TryLockError::WouldBlock) => return None,
        };
        // where one cannot go there, the usual way says so
        let can_go = || spawn.cwd.is_dir() && access(&spawn.cwd, Access::EXEC_OK).is_ok();
        let is_one = that_is_ready(&mut waits).is_some_and(|ahead| ahead.kind == *kind) && can_go();
        waits.take_if(|_| is_one)
    }

    /// Which was the last that has begun.
    pub(super) fn begun(&self) -> Begun {
        Begun(self.0.counts().begun)
    }

    /// From now on commands are expected, until this is dropped.
    pub(super) fn expect(&self) -> Expecting {
        self.0.counts().expecting += 1;
        Expecting(self.clone())
    }

    /// Starts one, if it is needed, none is there and not all is to end. Then it gives what has to be waited for, lest one
    /// that ends before its time be left in the table of processes.
    pub(super) fn make(
        &self,
        need: Need,
        leave_terminal: Option<&Path>,
        stop: &CancellationToken,
    ) -> Option<impl Future<Output = ()> + Send + use<>> {
        // held from the question until it is started: whoever ends all, or was the last to expect a command, has said so
        // before, or finds this one
        let mut waits = self.0.waits();
        let kind = match need {
            Need::After(begun) => self.0.counts().wanted_since(begun)?,
            Need::Kind(kind) => kind,
        };
        if stop.is_cancelled() || that_is_there(&mut waits).is_some() {
            return None;
        }
        // where none can be started the commands are started as ever
        let ahead = waits.insert(Ahead::start(kind, leave_terminal).ok()?);
        let pid = ahead.launched.as_ref()?.pid;
        Some(until_gone(Arc::downgrade(&self.0), pid, ahead.taken.clone()))
    }

    /// Whether one is ready.
    pub(super) fn is_ready(&self) -> bool {
        that_is_ready(&mut self.0.waits()).is_some()
    }

    /// Ends the one that waits.
    pub(super) async fn end(&self) {
        let ahead = self.0.waits().take();
        if let Some(ahead) = ahead {
            ahead.end().await;
        }
    }
}

/// As long as this lives commands are expected. When nobody expects any more the one that waits ends.
#[must_use = "commands are expected as long as this lives"]
#[derive(Debug)]
pub struct Expecting(Place);

impl Drop for Expecting {
    fn drop(&mut self) {
        let shared = &self.0.0;
        shared.counts().expecting -= 1;
        let mut waits = shared.waits();
        // asked only now: somebody may have begun to expect one, for whom it waits then
        let unused = waits.take_if(|_| shared.counts().expecting == 0);
        drop(waits);
        // it hears that it is not needed, and nobody waits for it here
        drop(unused);
    }
}

/// Until this one no longer waits: it is another's by then, or it has ended by itself and has been waited for.
async fn until_gone(shared: Weak<Shared>, pid: Pid, taken: CancellationToken) {
    let ended = poll_fn(|context| {
        let Some(shared) = shared.upgrade() else { return Poll::Ready(()) };
        let mut waits = shared.waits();
        let launched = waits.as_mut().and_then(|ahead| ahead.launched.as_mut());
        // whoever has taken it says so
        let Some(launched) = launched.filter(|launched| launched.pid == pid) else { return Poll::Pending };
        let ended = pin!(launched.child.wait()).poll(context).map(drop);
        if ended.is_ready() {
            *waits = None;
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

    fn kind(helper: &str) -> Kind {
        Kind::of(&spawn(&["true"], helper).within.unwrap()).unwrap()
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

    #[tokio::test]
    async fn the_next_command_is_told_to_the_one_that_waits() {
        adopt_orphans().unwrap();
        let children = Children::new();
        let _expecting = children.expect();
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

    fn make(place: &Place, need: Need) -> bool {
        // nobody has to hear of its end here
        place.make(need, None, &CancellationToken::new()).map(drop).is_some()
    }

    fn begin(place: &Place, spawn: &Spawn) -> (Option<Started>, Begun) {
        place.begin(Path::new("/usr/bin/true"), spawn, None)
    }

    #[tokio::test]
    async fn only_while_commands_are_expected_one_waits() {
        adopt_orphans().unwrap();
        let children = Children::new();
        let spawn = || spawn(&["true"], HELPER);
        let first = children.expect();
        run(&children, spawn()).await;
        ready(&children).await;
        let second = children.expect();
        drop(first);
        assert!(children.are_ahead(), "somebody still expects one");
        drop(second);
        assert!(!children.are_ahead());
        // nothing is made for a command that has ended when nobody expects another
        run(&children, spawn()).await;
        let _third = children.expect();
        ready(&children).await;
        assert_eq!(run(&children, spawn()).await.0, Exit::Code(7), "it was there before the first command");
        children.end().await;
    }

    #[tokio::test]
    async fn none_is_made_once_nobody_expects_it_or_another_command_has_begun() {
        adopt_orphans().unwrap();
        let (place, spawn) = (Place::default(), spawn(&["true"], HELPER));
        let (_, before) = begin(&place, &spawn);
        assert!(!make(&place, Need::After(before)), "nobody has expected it");
        let expecting = place.expect();
        let (_, last) = begin(&place, &spawn);
        assert!(!make(&place, Need::After(before)), "another has begun");
        drop(expecting);
        assert!(!make(&place, Need::After(last)), "the run is over");
        let _expecting = place.expect();
        assert!(make(&place, Need::After(last)));
        place.end().await;
    }

    #[tokio::test]
    async fn a_command_that_begins_while_one_is_started_is_counted_and_does_not_wait() {
        adopt_orphans().unwrap();
        let (place, first, second) = (Place::default(), spawn(&["true"], HELPER), spawn(&["true"], "read"));
        let _expecting = place.expect();
        let (_, before) = begin(&place, &first);
        let starting = place.0.waits();
        let (sender, begun) = std::sync::mpsc::channel();
        let there = place.clone();
        let thread = std::thread::spawn(move || sender.send(begin(&there, &second)).unwrap());
        let (started, last) = begun.recv_timeout(LONG).unwrap();
        thread.join().unwrap();
        assert!(started.is_none());
        assert_eq!((last, place.begun()), (Begun(2), Begun(2)));
        drop(starting);
        assert!(!make(&place, Need::After(before)), "it was counted");
        assert!(make(&place, Need::After(last)));
        let made = place.0.waits().as_ref().map(|ahead| ahead.kind.clone());
        assert_eq!(made, Some(kind("read")), "it was the last");
        place.end().await;
    }

    #[tokio::test]
    async fn one_that_ends_before_its_time_is_waited_for_at_once() {
        adopt_orphans().unwrap();
        let (place, stop) = (Place::default(), CancellationToken::new());
        let gone = place.make(Need::Kind(kind("printf r >&0; exit 3")), None, &stop).unwrap();
        let pid = place.0.waits().as_ref().unwrap().launched.as_ref().unwrap().pid;
        tokio::time::timeout(LONG, gone).await.unwrap();
        assert!(place.0.waits().is_none(), "no command has begun");
        assert_eq!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH));
        // whoever takes one waits for it, and it is theirs
        let gone = place.make(Need::Kind(kind(HELPER)), None, &stop).unwrap();
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
