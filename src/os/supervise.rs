//! What goes on while a command runs: one task for each, from its start until nothing of it is left.
//!
//! Reading never waits for anyone: output goes into the capture and, at most twenty times a second, into a
//! cell that holds only the newest view. The task outlives the wish to see it: who aborts gets control back
//! at once, and the ending (TERM, then KILL) is carried out here.
//!
//! Three stages: the program itself runs; its last words are read, though a child may hold the pipe; and
//! if something lingers, it is looked after until it ends by itself or is told to.

use std::future;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStdout};
use tokio::sync::watch;
use tokio::time::{Duration, Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use super::capture::{Capture, Tail};
use super::family::Family;
use super::restrain::end_first;
use super::running::Exit;

/// From TERM to KILL at a time limit: test runners write their reports in this time.
const GRACE_LIMIT: Duration = Duration::from_secs(2);
/// From TERM to KILL when a person waits for the prompt.
const GRACE_ABORT: Duration = Duration::from_millis(300);
/// KILL again, for what was being born while the first one went round.
const KILL_AGAIN: Duration = Duration::from_millis(50);
/// After this long even KILL has not helped (a dead network disk): nobody waits any longer.
const GIVE_UP: Duration = Duration::from_secs(3);
/// Twenty views a second.
const VIEW: Duration = Duration::from_millis(50);
/// After the exit: silence that says "that was all", and how long it may take if there is no silence.
const IDLE: Duration = Duration::from_millis(100);
const IDLE_ALL: Duration = Duration::from_millis(200);
/// The same after an end by us: what was written is in the pipe already.
const IDLE_ENDED: Duration = Duration::from_millis(5);
/// How often a lingering family is looked at: nobody waits, and it costs a walk through the process table.
const LOOK: Duration = Duration::from_secs(1);
const LOOK_ENDING: Duration = Duration::from_millis(10);
/// When a new program may be told to end first, and again if it was too soon.
const END_FIRST: [Duration; 3] =
    [Duration::from_millis(2), Duration::from_millis(20), Duration::from_millis(200)];
/// As much as a pipe holds.
const BUFFER: usize = 64 * 1024;

/// Where a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Running,
    /// The program has exited; something it started has not.
    Exited {
        exit: Exit,
        elapsed: Duration,
    },
    /// Nothing is left.
    Over {
        exit: Exit,
        elapsed: Duration,
        /// Until nothing was left.
        all: Duration,
    },
}

impl Life {
    pub(super) fn exit(self) -> Option<Exit> {
        match self {
            Self::Running => None,
            Self::Exited { exit, .. } | Self::Over { exit, .. } => Some(exit),
        }
    }
}

/// Everything that is due at some time.
pub(super) struct Times {
    started: Instant,
    limit: Option<Instant>,
    /// When KILL is due, once TERM was sent.
    kill: Option<Instant>,
    /// When nobody waits any longer.
    give_up: Option<Instant>,
    /// When the program is to be told to end first, and how often that was tried.
    end_first: Option<Instant>,
    tried: usize,
    /// When a new view may be shown; `None` while there is nothing new.
    view: Option<Instant>,
    viewed: Instant,
}

impl Times {
    pub(super) fn new(started: Instant, limit: Option<Duration>) -> Self {
        let limit = limit.and_then(|limit| started.checked_add(limit));
        let end_first = END_FIRST.first().map(|wait| started + *wait);
        Self { started, limit, kill: None, give_up: None, end_first, tried: 0, view: None, viewed: started }
    }

    fn next(&self) -> Option<Instant> {
        [self.limit, self.kill, self.end_first, self.view].into_iter().flatten().min()
    }
}

/// Takes what is due out of its place.
fn take_due(at: &mut Option<Instant>, now: Instant) -> bool {
    at.take_if(|at| *at <= now).is_some()
}

/// The task's state.
pub(super) struct Supervisor {
    pub(super) pid: Pid,
    pub(super) child: Child,
    /// `None` once nobody holds the other end.
    pub(super) pipe: Option<ChildStdout>,
    pub(super) family: Family,
    pub(super) capture: Arc<Mutex<Capture>>,
    pub(super) tail: watch::Sender<Tail>,
    pub(super) life: watch::Sender<Life>,
    pub(super) stop: CancellationToken,
    /// Set: the time limit is no more.
    pub(super) unlimited: Arc<AtomicBool>,
    pub(super) times: Times,
    pub(super) live_lines: usize,
    /// Why we are ending it, if we are: [`Exit::TimedOut`] or [`Exit::Aborted`].
    pub(super) ending: Option<Exit>,
    pub(super) buffer: Vec<u8>,
}

enum Step {
    Stop,
    Exited(Exit),
    Due,
    Read,
}

impl Supervisor {
    pub(super) async fn run(mut self) {
        let exit = self.until_exit().await;
        self.family.root_is_reaped();
        self.times.limit = None;
        self.times.end_first = None;
        self.last_words().await;
        let exit = self.ending.unwrap_or(exit);
        let elapsed = self.times.started.elapsed();
        self.show();
        if self.pipe.is_some() || self.family.is_alive() {
            self.life.send_replace(Life::Exited { exit, elapsed });
            self.linger().await;
        }
        let all = self.times.started.elapsed();
        self.life.send_replace(Life::Over { exit, elapsed, all });
    }

    async fn until_exit(&mut self) -> Exit {
        loop {
            let step = tokio::select! {
                biased;
                () = self.stop.cancelled(), if self.ending != Some(Exit::Aborted) => Step::Stop,
                status = self.child.wait() => Step::Exited(exit_of(status.ok())),
                () = due(self.times.next()) => Step::Due,
                () = read(&mut self.pipe, &mut self.buffer) => Step::Read,
            };
            match step {
                Step::Stop => self.end(Exit::Aborted, GRACE_ABORT),
                Step::Exited(exit) => return exit,
                Step::Due if self.given_up() => return Exit::Aborted,
                Step::Due => self.do_what_is_due(),
                Step::Read => self.take(),
            }
        }
    }

    /// What was written before the exit is in the pipe; the end of the pipe may never come.
    async fn last_words(&mut self) {
        let latest = Instant::now() + IDLE_ALL;
        while self.pipe.is_some() {
            let idle = if self.ending.is_some() { IDLE_ENDED } else { IDLE };
            let silent_at = (Instant::now() + idle).min(latest);
            let step = tokio::select! {
                biased;
                () = self.stop.cancelled(), if self.ending != Some(Exit::Aborted) => Step::Stop,
                read = timeout_at(silent_at, read(&mut self.pipe, &mut self.buffer)) => match read {
                    Ok(()) => Step::Read,
                    Err(_) => return,
                },
            };
            match step {
                Step::Stop => return,
                Step::Read | Step::Due | Step::Exited(_) => self.take(),
            }
        }
    }

    /// Reads on until nothing is left of the family, or until it has been ended.
    async fn linger(&mut self) {
        let mut look = self.next_look();
        loop {
            let next = self.times.next().map_or(look, |next| next.min(look));
            let step = tokio::select! {
                biased;
                () = self.stop.cancelled(), if self.ending != Some(Exit::Aborted) => Step::Stop,
                () = sleep_until(next) => Step::Due,
                () = read(&mut self.pipe, &mut self.buffer) => Step::Read,
            };
            match step {
                Step::Stop => {
                    self.end(Exit::Aborted, GRACE_ABORT);
                    look = self.next_look();
                }
                Step::Read => {
                    self.take();
                    if self.pipe.is_none() {
                        look = Instant::now();
                    }
                }
                Step::Due | Step::Exited(_) => self.do_what_is_due(),
            }
            if look <= Instant::now() {
                if self.is_over() {
                    return;
                }
                look = self.next_look();
            }
        }
    }

    fn next_look(&self) -> Instant {
        Instant::now() + if self.ending.is_some() { LOOK_ENDING } else { LOOK }
    }

    fn is_over(&mut self) -> bool {
        let unheard = self.pipe.is_none() || self.ending.is_some();
        self.given_up() || (unheard && !self.family.is_alive())
    }

    fn given_up(&self) -> bool {
        self.times.give_up.is_some_and(|give_up| give_up <= Instant::now())
    }

    /// Begins the end: TERM now, KILL after `grace`.
    fn end(&mut self, why: Exit, grace: Duration) {
        let kill = Instant::now() + grace;
        self.ending = Some(why);
        self.times.limit = None;
        self.times.kill = Some(self.times.kill.map_or(kill, |earlier| earlier.min(kill)));
        self.times.give_up = Some(kill + GIVE_UP);
        self.family.signal(Signal::TERM);
    }

    fn do_what_is_due(&mut self) {
        let now = Instant::now();
        if take_due(&mut self.times.limit, now) && !self.unlimited.load(Ordering::Relaxed) {
            self.end(Exit::TimedOut, GRACE_LIMIT);
        }
        if take_due(&mut self.times.kill, now) {
            self.family.signal(Signal::KILL);
            self.times.kill = Some(now + KILL_AGAIN);
        }
        if take_due(&mut self.times.end_first, now) && end_first(self.pid).is_err() {
            self.times.tried += 1;
            self.times.end_first = END_FIRST.get(self.times.tried).map(|wait| now + *wait);
        }
        if take_due(&mut self.times.view, now) {
            self.show();
        }
    }

    /// Keeps what was read.
    fn take(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        self.capture().push(&self.buffer);
        self.buffer.clear();
        // a moment after the last view; at once if that was long ago
        self.times.view.get_or_insert(self.times.viewed + VIEW);
    }

    fn show(&mut self) {
        let view = self.capture().tail(self.live_lines, self.times.started.elapsed());
        self.tail.send_replace(view);
        self.times.viewed = Instant::now();
        self.times.view = None;
    }

    fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Supervisor {
    /// The runtime goes down in the middle of it: nothing may outlive us.
    fn drop(&mut self) {
        if !matches!(*self.life.borrow(), Life::Over { .. }) {
            self.family.signal(Signal::KILL);
        }
    }
}

async fn due(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => future::pending().await,
    }
}

/// Fills the buffer, or closes the pipe at its end.
async fn read(pipe: &mut Option<ChildStdout>, buffer: &mut Vec<u8>) {
    let Some(open) = pipe else { return future::pending().await };
    buffer.reserve(BUFFER);
    if open.read_buf(buffer).await.map_or(true, |count| count == 0) {
        *pipe = None;
    }
}

/// `None`: somebody else waited for it; it has ended, nobody knows how.
fn exit_of(status: Option<ExitStatus>) -> Exit {
    let code = |status: ExitStatus| status.signal().map(Exit::Signal).or(status.code().map(Exit::Code));
    status.and_then(code).unwrap_or(Exit::Code(255))
}
