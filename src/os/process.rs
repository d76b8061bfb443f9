//! Commands: started in a process group of their own, heard in order, ended with all they started.
//!
//! Standard output and error go into one pipe, so the order is the one in which they were written; standard
//! input is empty. [`Children::start`] gives a [`Running`], which owns the processes: drop it and they end.
//! What happens in between is told in `supervise`.
//!
//! The surprise: [`Running::wait`] returns when the program itself has exited, though a child of it may hold
//! the pipe for hours (`server &`). Such a [`Running`] is still good: it goes on reading, and can be kept
//! as a task. And no `pre_exec`, ever: it would turn every start from a cheap `posix_spawn` into a `fork`. Hence no
//! death signal of the kernel's either, which is a child's to ask for, ends with the thread that started it and is not
//! inherited: where the program is killed with SIGKILL, a [guard] ends its commands.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rustix::fs::{Access, access};
use rustix::process::Pid;
use tokio::process::{Child, ChildStdout};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::capture::{Capture, Keep, Tail};
use super::family::{Family, MARK, roots};
use super::guard;
use super::restrain::with_fewer_processes;
use super::supervise::{Life, Supervisor, Times};

pub use super::family::{adopt_orphans, end_orphans};
pub use super::running::{Exit, Finished, Running, Stage, signal_name};

/// How long [`Children::end`] may hold up the program's own end.
const END_WAIT: Duration = Duration::from_secs(2);

/// The guard of this process: as long as its input is open, the program lives.
static GUARD: OnceLock<Option<ChildStdin>> = OnceLock::new();

/// Numbers the commands of this process, see [`MARK`].
static STARTED: AtomicU64 = AtomicU64::new(0);

/// A program that is started in a command's place, to start the command in its turn and to end as it ends. What the command
/// leaves behind stays in this program's group, or below what does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within {
    pub program: PathBuf,
    /// Its first arguments; the command's file and arguments follow. It leaves the terminal by itself, with
    /// `setsid`, unless it leads a process group already.
    pub words: Vec<OsString>,
    /// Whether all processes of the command end with this one, because it has a PID namespace.
    pub contains: bool,
}

/// What to start.
pub struct Spawn {
    /// Program and arguments; a program without `/` is looked up in the `PATH` of `env`.
    pub argv: Vec<OsString>,
    pub cwd: PathBuf,
    /// All of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// TERM to all of it after this long, KILL two seconds later.
    pub limit: Option<Duration>,
    /// How much of the output is kept.
    pub keep: Keep,
    /// How many lines [`Tail`] has.
    pub live_lines: usize,
    pub within: Option<Within>,
}

impl Spawn {
    /// A command without a time limit, that keeps a moderate output in memory and shows five lines.
    pub fn new(argv: impl IntoIterator<Item = impl Into<OsString>>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            env: Vec::new(),
            limit: None,
            keep: Keep::default(),
            live_lines: 5,
            within: None,
        }
    }
}

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("cannot run `{program}`: program not found (try the full path, or fix PATH)")]
    NoProgram { program: String },
    #[error("cannot run `{program}`: the directory {} does not exist", .cwd.display())]
    NoDirectory { program: String, cwd: PathBuf },
    #[error("cannot run `{program}`: {source}")]
    Io { program: String, source: io::Error },
}

/// All commands of the program; clones are the same.
#[derive(Clone, Debug)]
pub struct Children {
    tasks: TaskTracker,
    stop: CancellationToken,
    /// The program that starts another in a new session, where there is a terminal to be kept from it.
    leave_terminal: Option<PathBuf>,
}

impl Default for Children {
    fn default() -> Self {
        Self::new()
    }
}

impl Children {
    /// No commands yet. Looks whether the program has a terminal: its commands must not get at it.
    pub fn new() -> Self {
        let leave_terminal = File::open("/dev/tty").ok().and_then(|_| setsid());
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        Self { tasks, stop, leave_terminal }
    }

    /// Starts a command. Must be called inside a runtime that has its timers and its input and output on.
    pub fn start(&self, spawn: &Spawn) -> Result<Running, SpawnError> {
        let (keep, limit, live_lines) = (spawn.keep.clone(), spawn.limit, spawn.live_lines);
        let started = Instant::now();
        let Started { child, pipe, family, pid } = start(spawn, self.leave_terminal.as_deref())?;
        let (stop, unlimited) = (self.stop.child_token(), Arc::default());
        let capture = Arc::new(Mutex::new(Capture::new(keep)));
        let (tail_sender, tail) = watch::channel(Tail::default());
        let (life_sender, life) = watch::channel(Life::Running);
        let supervisor = Supervisor {
            pid,
            child,
            pipe: Some(pipe),
            family,
            capture: Arc::clone(&capture),
            tail: tail_sender,
            life: life_sender,
            stop: stop.clone(),
            unlimited: Arc::clone(&unlimited),
            times: Times::new(started, limit),
            live_lines,
            ending: None,
            buffer: Vec::new(),
        };
        self.tasks.spawn(supervisor.run());
        GUARD.get_or_init(start_guard);
        Ok(Running { pid, started, stop, unlimited, tail, life, capture })
    }

    /// Ends every command and all they started: TERM, and KILL after 300 ms; waits until it is done.
    ///
    /// What the kernel does not let go (a dead network disk) is left after two seconds.
    pub async fn end(&self) {
        self.stop.cancel();
        self.tasks.close();
        tokio::time::timeout(END_WAIT, self.tasks.wait()).await.ok();
    }
}

struct Started {
    child: Child,
    pipe: ChildStdout,
    family: Family,
    pid: Pid,
}

/// Starts the guard, once; a program without one is still a program.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts processes")]
fn start_guard() -> Option<ChildStdin> {
    let mut command = Command::new("/proc/self/exe");
    command
        .arg(guard::GUARD)
        .arg(std::process::id().to_string())
        .env_clear()
        .current_dir("/")
        .process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // noted as ours before it could be taken for an orphan
    let mut roots = roots();
    let mut child = command.spawn().ok()?;
    roots.extend(Pid::from_raw(child.id().cast_signed()));
    child.stdin.take()
}

/// A process cannot be known by its mark there.
#[cfg(not(target_os = "linux"))]
fn start_guard() -> Option<ChildStdin> {
    None
}

/// Where the system keeps `setsid`, if it has it.
fn setsid() -> Option<PathBuf> {
    ["/usr/bin/setsid", "/bin/setsid"].into_iter().map(PathBuf::from).find(|file| file.exists())
}

fn start(spawn: &Spawn, leave_terminal: Option<&Path>) -> Result<Started, SpawnError> {
    let program =
        spawn.argv.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(file) = find_program(spawn) else { return Err(SpawnError::NoProgram { program }) };
    launch(&file, spawn, leave_terminal).map_err(|source| {
        if spawn.cwd.is_dir() {
            SpawnError::Io { program, source }
        } else {
            SpawnError::NoDirectory { program, cwd: spawn.cwd.clone() }
        }
    })
}

/// Starts it, with both its outputs in one pipe.
fn launch(file: &Path, spawn: &Spawn, leave_terminal: Option<&Path>) -> io::Result<Started> {
    // checked first: `setsid` would report it in its own words, as if the command had
    access(file, Access::EXEC_OK)?;
    // no other process of ours has it, see `MARK`
    let mark = format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
    let (reader, writer) = io::pipe()?;
    let mut command = command(file, spawn, leave_terminal);
    command.env(MARK, &mark).stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let pipe = ChildStdout::from_std(OwnedFd::from(reader).into())?;
    // locked until the child is noted, or it could be taken for an orphan
    let mut roots = roots();
    let child = with_fewer_processes(|| tokio::process::Command::from(command).spawn())?;
    let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed())).ok_or(io::ErrorKind::NotFound)?;
    roots.push(pid);
    drop(roots);
    let is_contained = spawn.within.as_ref().is_some_and(|within| within.contains);
    let family = if is_contained { Family::of_a_group(pid, mark) } else { Family::new(pid, mark) };
    Ok(Started { child, pipe, family, pid })
}

/// The command, apart from the program's own process group; from its terminal too, if need be.
///
/// `sudo` or `ssh` would write their prompt over the screen, and be stopped when they read the answer. In a
/// session without a terminal they say what they lack. `setsid` becomes the program, so the number stays.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts processes")]
fn command(file: &Path, spawn: &Spawn, leave_terminal: Option<&Path>) -> Command {
    let outer = spawn.within.as_ref().map(|within| within.program.as_path()).or(leave_terminal);
    let mut command = Command::new(outer.unwrap_or(file));
    if leave_terminal.is_none() {
        command.process_group(0);
    }
    if let Some(within) = &spawn.within {
        command.args(&within.words);
    }
    if outer.is_some() {
        command.arg(file);
    } else {
        command.arg0(spawn.argv.first().map_or(OsStr::new(""), OsString::as_os_str));
    }
    let env = spawn.env.iter().map(|(name, value)| (name, value));
    command.args(spawn.argv.iter().skip(1)).current_dir(&spawn.cwd).env_clear().envs(env);
    command
}

/// The program's file. Looked up here, since std forks instead of `posix_spawn` where `PATH` is set anew.
fn find_program(spawn: &Spawn) -> Option<PathBuf> {
    let program = spawn.argv.first().filter(|program| !program.is_empty())?;
    if Path::new(program).components().count() > 1 || program.as_encoded_bytes().contains(&b'/') {
        let file = spawn.cwd.join(program);
        return (file.exists() || !spawn.cwd.is_dir()).then_some(file);
    }
    let path = spawn.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    let runs = |file: &PathBuf| file.is_file() && access(file, Access::EXEC_OK).is_ok();
    std::env::split_paths(path.unwrap_or(OsStr::new("/usr/bin:/bin")))
        .map(|dir| spawn.cwd.join(dir).join(program))
        .find(runs)
}

#[cfg(test)]
mod tests {
    use super::super::capture::Mark;
    use super::*;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::PermissionsExt;

    fn bash(script: &str) -> Spawn {
        let env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        Spawn { env, ..Spawn::new(["bash", "--noprofile", "--norc", "-c", script], "/") }
    }

    fn children() -> Children {
        adopt_orphans().unwrap();
        Children::new()
    }

    fn started(script: &str) -> Running {
        children().start(&bash(script)).unwrap()
    }

    async fn run(script: &str) -> Finished {
        started(script).wait().await
    }

    fn text(finished: &Finished) -> String {
        String::from_utf8(finished.output.whole().unwrap()).unwrap()
    }

    /// Waits until the command has said so many lines, each a process number.
    async fn pids(running: &Running, count: usize) -> Vec<Pid> {
        let mut tail = running.tail();
        let view = tail.wait_for(|view| view.lines >= count as u64).await.unwrap();
        view.text.lines().map(|line| Pid::from_raw(line.parse().unwrap()).unwrap()).collect()
    }

    fn is_there(pid: Pid) -> bool {
        rustix::process::test_kill_process(pid).is_ok()
    }

    #[tokio::test]
    async fn both_outputs_come_in_the_order_in_which_they_were_written() {
        let finished = run("for i in 1 2 3; do echo out$i; echo err$i >&2; done").await;
        assert_eq!(text(&finished), "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
        assert_eq!((finished.exit, finished.lingering), (Exit::Code(0), false));
    }

    #[tokio::test]
    async fn the_way_it_ended_is_told() {
        for (script, expected) in [
            ("exit 0", Exit::Code(0)),
            ("exit 3", Exit::Code(3)),
            ("exit 255", Exit::Code(255)),
            ("no_such_command_anywhere 2>/dev/null", Exit::Code(127)),
            ("kill -KILL $$", Exit::Signal(9)),
            ("kill -SEGV $$", Exit::Signal(11)),
        ] {
            assert_eq!(run(script).await.exit, expected, "{script}");
        }
    }

    #[tokio::test]
    async fn a_command_has_no_input_and_only_the_environment_it_is_given() {
        assert_eq!(text(&run("cat; echo end").await), "end\n");
        let mut spawn = bash("echo ${ODD@Q} ${HOME-unset}");
        spawn.env.push(("ODD".into(), OsString::from_vec(vec![b'a', 0xff])));
        let finished = children().start(&spawn).unwrap().wait().await;
        assert_eq!(text(&finished), "$'a\\377' unset\n");
    }

    #[tokio::test]
    async fn bytes_come_as_they_are() {
        let finished = run(r"printf 'a\0\xff\x1b[31m\r\n'").await;
        assert_eq!(finished.output.whole().unwrap(), b"a\0\xff\x1b[31m\r\n");
    }

    #[tokio::test]
    async fn at_its_time_limit_a_command_ends_and_what_it_said_stays() {
        let spawn =
            Spawn { limit: Some(Duration::from_millis(200)), ..bash("echo $$; sleep 60; echo never") };
        let mut running = children().start(&spawn).unwrap();
        let sleeper = pids(&running, 1).await;
        let finished = running.wait().await;
        assert_eq!((finished.exit, text(&finished)), (Exit::TimedOut, format!("{}\n", running.pid())));
        running.over().await;
        assert!(!sleeper.into_iter().any(is_there));
    }

    #[tokio::test]
    async fn a_child_in_the_background_keeps_nobody_waiting_and_lives_on() {
        let mut running = started("sleep 60 & echo $!");
        let finished = running.wait().await;
        let sleeper = pids(&running, 1).await[0];
        assert_eq!((finished.exit, finished.lingering), (Exit::Code(0), true));
        assert!(is_there(sleeper));
        assert_eq!(running.abort().await.exit, Exit::Code(0), "it had ended by itself");
        running.over().await;
        assert!(!is_there(sleeper));
    }

    #[tokio::test]
    async fn a_background_child_that_holds_no_output_is_noticed_too() {
        let mut running = started("sleep 60 >/dev/null 2>&1 & echo $!");
        assert!(running.wait().await.lingering);
        let sleeper = pids(&running, 1).await[0];
        drop(running.abort().await);
        running.over().await;
        assert!(!is_there(sleeper));
    }

    #[tokio::test]
    async fn what_a_background_child_says_later_is_still_read() {
        let mut running = started("{ read < <(sleep 0.4); echo late; } & echo early");
        assert_eq!(text(&running.wait().await), "early\n");
        running.over().await;
        assert_eq!(running.so_far().whole().unwrap(), b"early\nlate\n");
        let early = Mark { bytes: 6, lines: 1 };
        assert_eq!(running.output_since(early).whole().unwrap(), b"late\n");
    }

    #[tokio::test]
    async fn an_abort_ends_everything_and_keeps_the_output() {
        let mut running = started("sleep 60 & echo $!; echo $$; wait; echo never");
        let all = pids(&running, 2).await;
        let finished = running.abort().await;
        assert_eq!((finished.exit, finished.output.lines), (Exit::Aborted, 2));
        running.over().await;
        assert!(!all.into_iter().any(is_there));
    }

    #[tokio::test]
    async fn who_ignores_term_is_killed_while_the_caller_goes_on() {
        let mut running = started("trap '' TERM; echo $$; while :; do sleep 60; done");
        let all = pids(&running, 1).await;
        let finished = running.abort().await;
        assert_eq!((finished.exit, finished.lingering), (Exit::Aborted, true));
        running.over().await;
        assert!(!all.into_iter().any(is_there));
    }

    #[tokio::test]
    async fn a_stopped_command_is_ended_too() {
        let mut running = started("echo $$; kill -STOP $$; sleep 60");
        let all = pids(&running, 1).await;
        assert_eq!(running.abort().await.exit, Exit::Aborted);
        running.over().await;
        assert!(!all.into_iter().any(is_there));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn leaving_the_group_saves_nobody() {
        let leavers = "setsid bash -c 'echo $$; exec sleep 60' & \
                       (setsid bash -c 'echo $$; exec sleep 60' &) ; \
                       (setsid bash -c '(trap \"\" TERM; echo $BASHPID; sleep 60; sleep 60) &' &); ";
        for end in ["wait", "exit 0", "kill -KILL $$"] {
            let mut running = started(&format!("{leavers} {end}"));
            let all = pids(&running, 3).await;
            assert!(all.iter().all(|pid| is_there(*pid)), "{end}");
            drop(running.abort().await);
            running.over().await;
            assert_eq!(all.into_iter().filter(|pid| is_there(*pid)).count(), 0, "{end}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn where_there_is_a_terminal_a_command_has_a_session_without_it() {
        let children = Children { leave_terminal: setsid(), ..children() };
        let script = "read -r pid _ _ _ group session terminal _ </proc/$$/stat; echo $pid; echo $group; \
                      echo $session; : </dev/tty; echo $?; exec sleep 60";
        let mut running = children.start(&bash(script)).unwrap();
        running.tail().wait_for(|view| view.lines >= 5).await.unwrap();
        let pid = running.pid();
        let finished = running.abort().await;
        assert_eq!(finished.exit, Exit::Aborted);
        let said = text(&finished);
        assert!(said.starts_with(&format!("{pid}\n{pid}\n{pid}\n")) && said.contains("/dev/tty"), "{said}");
        assert!(said.ends_with("\n1\n"), "{said}");
        running.over().await;
    }

    #[tokio::test]
    async fn a_dropped_handle_ends_the_command_and_end_waits_for_it() {
        let children = children();
        let running = children.start(&bash("trap '' TERM; echo $$; while :; do sleep 60; done")).unwrap();
        let all = pids(&running, 1).await;
        drop(running);
        children.end().await;
        assert!(!all.into_iter().any(is_there));
    }

    #[tokio::test]
    async fn one_command_ends_without_the_others() {
        let children = children();
        let one = children.start(&bash("(setsid bash -c 'echo $$; exec sleep 60' &); sleep 60")).unwrap();
        let mut two = children.start(&bash("(setsid bash -c 'echo $$; exec sleep 60' &); sleep 60")).unwrap();
        let (stays, goes) = (pids(&one, 1).await[0], pids(&two, 1).await[0]);
        drop(two.abort().await);
        two.over().await;
        assert!(is_there(stays) && !is_there(goes));
        children.end().await;
        assert!(!is_there(stays));
    }

    #[tokio::test]
    async fn a_wait_may_be_given_up_and_taken_up_again() {
        let mut running = started("read < <(sleep 0.2); echo done");
        {
            let first = running.wait();
            tokio::select! { biased; _ = first => unreachable!(), () = tokio::task::yield_now() => {} }
        }
        assert_eq!(text(&running.wait().await), "done\n");
    }

    #[tokio::test]
    async fn a_fired_token_aborts() {
        let mut running = started("echo $$; sleep 60");
        let (cancel, all) = (CancellationToken::new(), pids(&running, 1).await);
        cancel.cancel();
        assert_eq!(running.wait_or_abort(&cancel).await.exit, Exit::Aborted);
        running.over().await;
        assert!(!all.into_iter().any(is_there));
    }

    #[tokio::test]
    async fn a_flood_is_counted_and_only_its_ends_and_its_file_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("long/out.log");
        let mut spawn = bash("echo first; head -c 9000000 /dev/zero; echo; echo last");
        spawn.keep =
            Keep { head: 100, tail: 100, file: Some(file.clone()), file_max: 1_000_000, ..Keep::default() };
        let output = children().start(&spawn).unwrap().wait().await.output;
        assert_eq!((output.bytes, output.lines), (9_000_012, 3));
        assert!(output.head.starts_with(b"first\n\0") && output.tail.ends_with(b"\0\nlast\n"));
        assert_eq!((output.head.len(), output.tail.len()), (100, 100));
        assert_eq!(output.file.map(|file| file.bytes), Some(1_000_000));
        let meta = std::fs::metadata(&file).unwrap();
        assert_eq!((meta.len(), meta.permissions().mode() & 0o777), (1_000_000, 0o600));
    }

    #[tokio::test]
    async fn endless_output_does_not_delay_an_abort() {
        let mut running = started("exec yes");
        running.tail().wait_for(|view| view.bytes > 1_000_000).await.unwrap();
        assert_eq!(running.abort().await.exit, Exit::Aborted);
        running.over().await;
    }

    #[tokio::test]
    async fn what_cannot_be_started_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let check = |spawn: Spawn, expected: &str| {
            let error = children().start(&spawn).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        let gone = dir.path().join("gone");
        check(Spawn { cwd: gone, ..bash("true") }, "gone does not exist");
        check(Spawn::new(["no-such-program"], "/"), "cannot run `no-such-program`: program not found");
        check(Spawn::new(["./absent"], dir.path()), "program not found");
        check(Spawn::new(["/dev/null"], "/"), "cannot run `/dev/null`");
        check(Spawn::new([""; 0], "/"), "program not found");
    }

    #[test]
    fn a_command_within_another_program_is_handed_to_it() {
        let within =
            Within { program: "/helper".into(), words: vec!["hold".into(), "--".into()], contains: true };
        let spawn = Spawn { within: Some(within), ..bash("true") };
        for leave_terminal in [None, Some(Path::new("/usr/bin/setsid"))] {
            let command = command(Path::new("/bin/bash"), &spawn, leave_terminal);
            let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
            assert_eq!(
                words[..5],
                ["/helper", "hold", "--", "/bin/bash", "--noprofile"],
                "{leave_terminal:?}"
            );
        }
    }
}
