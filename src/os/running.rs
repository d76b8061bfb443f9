//! A command that was started: what it said so far, how it ended, and the handle that ends it.
//!
//! Starting is the affair of `process`, what goes on meanwhile that of `supervise`; here stands what its owner can
//! see and do. The surprise: nearly everything can be asked of a shared reference and at any time, also after the
//! end, so that one owner may wait while another looks.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Pid;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::capture::{Capture, Mark, Output, Tail};
use super::supervise::Life;

/// How long [`Running::abort`] lets its caller wait: two frames, and a shell that obeys is gone by then.
const ABORT_WAIT: Duration = Duration::from_millis(30);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// Ended by us at its time limit.
    TimedOut,
    /// Ended by us because somebody wished it.
    Aborted,
}

impl Exit {
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

/// In words, such as `exit code 3` and `terminated by signal 9 (KILL)`.
impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => {
                write!(f, "terminated by signal {signal}")?;
                signal_name(*signal).map_or(Ok(()), |name| write!(f, " ({name})"))
            }
            Self::TimedOut => f.write_str("timed out"),
            Self::Aborted => f.write_str("killed"),
        }
    }
}

/// What is known once a command has exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub exit: Exit,
    pub output: Output,
    pub elapsed: Duration,
    /// Something it started still runs, or still holds its output open.
    pub lingering: bool,
}

/// Where a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its program runs.
    Running,
    /// Its program has exited; something that it started has not.
    Lingering(Exit),
    /// Nothing of it is left.
    Over(Exit),
}

/// A command that was started; owns its processes.
pub struct Running {
    pub(super) pid: Pid,
    pub(super) started: Instant,
    pub(super) stop: CancellationToken,
    /// Set: the time limit is no more.
    pub(super) unlimited: Arc<AtomicBool>,
    pub(super) tail: watch::Receiver<Tail>,
    pub(super) life: watch::Receiver<Life>,
    pub(super) capture: Arc<Mutex<Capture>>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("pid", &self.pid)
            .field("life", &*self.life.borrow())
            .finish_non_exhaustive()
    }
}

impl Running {
    /// The process number of the program itself, which is also that of its group.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// The last lines, at most twenty times a second; the newest replaces the one before.
    pub fn tail(&self) -> watch::Receiver<Tail> {
        self.tail.clone()
    }

    /// What is known now.
    pub fn so_far(&self) -> Output {
        self.capture().output()
    }

    /// What came after `mark`, its beginning and its end.
    pub fn output_since(&self, mark: Mark) -> Output {
        self.capture().output_since(mark)
    }

    /// How much it has printed.
    pub fn printed(&self) -> Mark {
        self.capture().end()
    }

    /// Where it stands.
    pub fn stage(&self) -> Stage {
        match *self.life.borrow() {
            Life::Running => Stage::Running,
            Life::Exited { exit, .. } => Stage::Lingering(exit),
            Life::Over { exit, .. } => Stage::Over(exit),
        }
    }

    /// How long it has been running; once nothing of it is left, how long it ran.
    pub fn elapsed(&self) -> Duration {
        match *self.life.borrow() {
            Life::Running | Life::Exited { .. } => self.started.elapsed(),
            Life::Over { all, .. } => all,
        }
    }

    /// From now on no time limit ends it. One that has passed already has.
    pub fn lift_limit(&self) {
        self.unlimited.store(true, Ordering::Relaxed);
    }

    /// TERM to everything at once, KILL after 300 ms; waits for nothing.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// How the program itself ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        self.life.borrow().exit()
    }

    /// Waits for the program itself, and for what it had written. May be dropped and called again.
    pub async fn wait(&mut self) -> Finished {
        let life = self.life.wait_for(|life| *life != Life::Running).await.map(|life| *life);
        match life {
            Ok(life) => self.finished(life),
            // the runtime is going down, and the processes with it
            Err(_) => self.finished(Life::Running),
        }
    }

    /// [`Running::wait`], and [`Running::abort`] as soon as `cancel` fires.
    pub async fn wait_or_abort(&mut self, cancel: &CancellationToken) -> Finished {
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            finished = self.wait() => return finished,
        }
        self.abort().await
    }

    /// Waits until nothing that the command started runs any more.
    pub fn over(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut life = self.life.clone();
        async move {
            // an error means that there is nobody left to wait for
            life.wait_for(|life| matches!(life, Life::Over { .. })).await.ok();
        }
    }

    /// TERM to everything at once, KILL after 300 ms; returns in 30 ms though it may take longer.
    pub async fn abort(&mut self) -> Finished {
        self.stop.cancel();
        match tokio::time::timeout(ABORT_WAIT, self.wait()).await {
            Ok(finished) => finished,
            Err(_) => self.finished(Life::Running),
        }
    }

    fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finished(&self, life: Life) -> Finished {
        let (elapsed, lingering) = match life {
            Life::Running => (self.started.elapsed(), true),
            Life::Exited { elapsed, .. } => (elapsed, true),
            Life::Over { elapsed, .. } => (elapsed, false),
        };
        Finished { exit: life.exit().unwrap_or(Exit::Aborted), output: self.so_far(), elapsed, lingering }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The name of a signal without its `SIG`; of those that one meets, for the numbers of the rest differ from system
/// to system.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "HUP",
        2 => "INT",
        3 => "QUIT",
        4 => "ILL",
        6 => "ABRT",
        8 => "FPE",
        9 => "KILL",
        11 => "SEGV",
        13 => "PIPE",
        14 => "ALRM",
        15 => "TERM",
        _ => return None,
    })
}
