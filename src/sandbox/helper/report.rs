//! What the process inside tells the one outside: that the command has ended and how, and whether something lives on.
//!
//! One message of six bytes through a pipe. The surprise: nothing is told of a failure but that there was one; the line
//! that says why has gone to standard error already, from where it was known.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Code(u8),
    Signal(i32),
}

/// The message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The command has ended, and nothing is left of it.
    Over(Ended),
    /// The command has ended, and something that it started has not.
    Lingering(Ended),
    /// The command has not begun.
    Failed,
}

/// The two ends: for reading, and for writing.
pub(super) fn channel() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// From here on this process hears and says nothing, so that nobody waits for it to fall silent.
pub(super) fn close_standard_streams() {
    let Ok(nowhere) = File::options().read(true).write(true).open("/dev/null") else { return };
    dup2_stdin(&nowhere).ok();
    dup2_stdout(&nowhere).ok();
    dup2_stderr(&nowhere).ok();
}

impl Report {
    /// Waits for it; `None` if whoever had it to give is gone.
    pub(super) fn read(from: OwnedFd) -> Option<Self> {
        let mut bytes = [0; 6];
        File::from(from).read_exact(&mut bytes).ok()?;
        let [kind, how, number @ ..] = bytes;
        let number = i32::from_ne_bytes(number);
        let ended = match how {
            0 => Ended::Code(u8::try_from(number).ok()?),
            _ => Ended::Signal(number),
        };
        match kind {
            b'o' => Some(Self::Over(ended)),
            b'l' => Some(Self::Lingering(ended)),
            _ => Some(Self::Failed),
        }
    }

    /// Told once; that nobody listens changes nothing.
    pub(super) fn write(self, to: OwnedFd) {
        let (kind, ended) = match self {
            Self::Over(ended) => (b'o', ended),
            Self::Lingering(ended) => (b'l', ended),
            Self::Failed => (b'f', Ended::Code(0)),
        };
        let (how, number) = match ended {
            Ended::Code(code) => (0, i32::from(code)),
            Ended::Signal(signal) => (1, signal),
        };
        let [a, b, c, d] = number.to_ne_bytes();
        File::from(to).write_all(&[kind, how, a, b, c, d]).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_arrives_as_it_was_sent() {
        let ends = [Ended::Code(0), Ended::Code(255), Ended::Signal(9), Ended::Signal(64)];
        let reports = ends.into_iter().flat_map(|ended| [Report::Over(ended), Report::Lingering(ended)]);
        for report in reports.chain([Report::Failed]) {
            let (reading, writing) = channel().unwrap();
            report.write(writing);
            assert_eq!(Report::read(reading), Some(report));
        }
        let (reading, writing) = channel().unwrap();
        drop(writing);
        assert_eq!(Report::read(reading), None, "nobody is there");
    }
}
