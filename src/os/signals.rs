//! The signals that ask the program to stop, as values; and the one that says that it goes on.
//!
//! Not the keys: in raw mode Ctrl+C is a key press and comes with the input. The surprise: once somebody
//! listens, these signals no longer end the process, for as long as it lives; so listen only where the
//! answer is acted on.

use std::io;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::signal::unix::{self, SignalKind, signal};

/// A wish from outside that the program end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    HangUp,
    Quit,
}

impl Signal {
    /// The name of the signal.
    pub fn name(self) -> &'static str {
        match self {
            Self::HangUp => "SIGHUP",
            Self::Interrupt => "SIGINT",
            Self::Quit => "SIGQUIT",
            Self::Terminate => "SIGTERM",
        }
    }

    /// The exit code that says so to the shell: 128 and the signal's number.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::HangUp => 129,
            Self::Interrupt => 130,
            Self::Quit => 131,
            Self::Terminate => 143,
        }
    }
}

/// Listens; signals that come while nobody asks are remembered, each kind once.
#[derive(Debug)]
pub struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
    quit: unix::Signal,
    /// None where the program was started with it ignored, as `nohup` does.
    hang_up: Option<unix::Signal>,
}

impl Signals {
    /// Begins to listen. Must be called inside a runtime.
    pub fn listen() -> io::Result<Self> {
        // heard by nobody: a file that may not grow is an error of its write then, and does not end the program
        drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            hang_up: if is_ignored(SignalKind::hangup()) {
                None
            } else {
                Some(signal(SignalKind::hangup())?)
            },
        })
    }

    /// Drops what Ctrl+C and Ctrl+\ have sent to the whole foreground while another program had the terminal.
    pub async fn forget_keys(&mut self) {
        // the runtime delivers what the kernel has by the time a timer fires
        tokio::time::sleep(Duration::from_millis(1)).await;
        for signal in [&mut self.interrupt, &mut self.quit] {
            while signal.recv().now_or_never().flatten().is_some() {}
        }
    }

    /// The next signal. May be dropped and called again without losing one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            biased;
            () = heard(&mut self.hang_up) => Signal::HangUp,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.quit.recv() => Signal::Quit,
            _ = self.interrupt.recv() => Signal::Interrupt,
        }
    }
}

/// Hears when the process goes on after it was stopped.
#[derive(Debug)]
pub struct Continuations(unix::Signal);

impl Continuations {
    /// Begins to listen. Must be called inside a runtime.
    pub fn listen() -> io::Result<Self> {
        // there is no name for it
        signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())).map(Self)
    }

    /// The next time. May be dropped and called again without losing one.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}

/// Completes with the next signal; never where none is listened for.
async fn heard(signal: &mut Option<unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether the program was started with this signal ignored. Linux tells it as a mask (proc(5), `SigIgn`); elsewhere it
/// counts as not.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    u32::try_from(kind.as_raw_value() - 1).is_ok_and(|bit| mask & (1 << bit) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_signal_is_heard_and_has_its_exit_code() {
        let mut signals = Signals::listen().unwrap();
        for (sent, expected, code) in [
            (rustix::process::Signal::HUP, Signal::HangUp, 129),
            (rustix::process::Signal::INT, Signal::Interrupt, 130),
            (rustix::process::Signal::TERM, Signal::Terminate, 143),
            (rustix::process::Signal::QUIT, Signal::Quit, 131),
        ] {
            rustix::process::kill_process(rustix::process::getpid(), sent).unwrap();
            let heard = signals.next().await;
            assert_eq!((heard, heard.exit_code()), (expected, code));
        }
    }
}
