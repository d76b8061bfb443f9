//! What it takes to give the terminal back, where everybody can reach it.
//!
//! A static, not a field of the guard: a panic in any task and a signal must be able to restore the terminal while the
//! task that draws is stuck. Whoever comes first does it, once; from then on every write is refused, so that the
//! drawing task ends instead of drawing over the shell.

use std::io;
use std::os::fd::AsFd;
use std::panic;
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::stdio::stdout;
use tokio::sync::Notify;

use super::Multiplexer;
use crate::tui::screen::SAFE_ERASE;

/// Bracketed paste, focus events, kitty's keyboard flags (disambiguate): pushed without asking, since asking blocks
/// and terminals that do not know them ignore them.
const ENTER: &str = "\x1b[?2004h\x1b[?1004h\x1b[>1u";
const LEAVE: &str = "\x1b[<u\x1b[?1004l\x1b[?2004l";

/// tmux does not take kitty's flags for a request. Mode 1, not 2: from 3.5 on, mode 2 sends Ctrl with a letter in a
/// form that crossterm cannot read, and Ctrl+C with it.
const TMUX_ENTER: &str = "\x1b[>4;1m";
const TMUX_LEAVE: &str = "\x1b[>4;0m";

const ALTERNATE_ENTER: &str = "\x1b[?1049h";
const ALTERNATE_LEAVE: &str = "\x1b[?1049l";

/// How long the end waits for a frame that is being written, and for a terminal that reads nothing.
const PATIENCE: Duration = Duration::from_millis(100);

const NOT_OURS: &str = "the terminal was given back";

static HELD: Mutex<Held> = Mutex::new(Held::Free);
static WRITTEN: Condvar = Condvar::new();
static PANICKED: Notify = Notify::const_new();
static HOOK: Once = Once::new();

/// The state of the terminal that this process holds.
enum Held {
    /// Not ours: never taken, lent, or given back.
    Free,
    /// Ours, with what it takes to undo it.
    Ours { multiplexer: Multiplexer, surface: Surface, rows_above: u16, writer: Writer },
}

/// Which of the terminal's two screens is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surface {
    Inline,
    Alternate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    Idle,
    Writing,
}

/// Takes the terminal: raw mode, and all the modes that [`restore`] undoes. From now on a panic anywhere gives it
/// back before it is reported.
pub(super) fn take(multiplexer: Multiplexer) -> io::Result<()> {
    HOOK.call_once(restore_on_panic);
    enable_raw_mode()?;
    *held() = Held::Ours { multiplexer, surface: Surface::Inline, rows_above: 0, writer: Writer::Idle };
    let tmux = match multiplexer {
        Multiplexer::Tmux => TMUX_ENTER,
        Multiplexer::Other => "",
    };
    write(format!("{ENTER}{tmux}").as_bytes(), 0)
}

/// Sets again what a shell may have changed while it had the terminal and we did not know. The keyboard flags are a
/// stack, so ours are taken off first.
pub(super) fn take_again() -> io::Result<()> {
    disable_raw_mode()?;
    enable_raw_mode()?;
    let tmux = match *held() {
        Held::Ours { multiplexer: Multiplexer::Tmux, .. } => TMUX_ENTER,
        Held::Ours { multiplexer: Multiplexer::Other, .. } => "",
        Held::Free => return Err(io::Error::other(NOT_OURS)),
    };
    write(format!("{LEAVE}{ENTER}{tmux}").as_bytes(), 0)
}

/// Writes a frame after which the live region begins `rows` rows above the cursor.
pub(super) fn write(frame: &[u8], rows: u16) -> io::Result<()> {
    match &mut *held() {
        Held::Free => return Err(io::Error::other(NOT_OURS)),
        Held::Ours { writer, .. } => *writer = Writer::Writing,
    }
    let result = write_all(stdout(), frame, &|| matches!(*held(), Held::Ours { .. }));
    if let Held::Ours { writer, rows_above, .. } = &mut *held() {
        *writer = Writer::Idle;
        *rows_above = rows;
    }
    WRITTEN.notify_all();
    result
}

/// Shows one of the two screens.
pub(super) fn show(new: Surface) -> io::Result<()> {
    let switch = match new {
        Surface::Inline => ALTERNATE_LEAVE,
        Surface::Alternate => ALTERNATE_ENTER,
    };
    write(switch.as_bytes(), 0)?;
    if let Held::Ours { surface, .. } = &mut *held() {
        *surface = new;
    }
    Ok(())
}

/// Gives the terminal back as it was, if it is ours: the live region gone, the cursor shown where it began, every
/// mode undone. May be called by anyone at any time, and returns when it is done, whoever did it; a terminal that
/// reads nothing delays it by some 200 ms, then raw mode alone is left.
pub fn restore() {
    let writing = |state: &mut Held| matches!(state, Held::Ours { writer: Writer::Writing, .. });
    let waited = WRITTEN.wait_timeout_while(held(), PATIENCE, writing);
    let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
    let Held::Ours { multiplexer, surface, rows_above, .. } = *state else { return };
    *state = Held::Free;
    let end = Instant::now() + PATIENCE;
    if writable(stdout(), PATIENCE) {
        write_all(stdout(), &farewell(multiplexer, surface, rows_above), &|| Instant::now() < end).ok();
    }
    disable_raw_mode().ok();
}

/// Completes once a panic has happened in any thread or task; the terminal has been given back by then.
pub async fn panicked() {
    PANICKED.notified().await;
}

fn restore_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        restore();
        report(info);
        PANICKED.notify_one();
    }));
}

/// All that undoes what may have been set, from wherever a frame was cut off.
fn farewell(multiplexer: Multiplexer, surface: Surface, rows_above: u16) -> Vec<u8> {
    let mut bytes = b"\x1b[?2026l\x1b[m".to_vec();
    match surface {
        Surface::Alternate => bytes.extend_from_slice(ALTERNATE_LEAVE.as_bytes()),
        Surface::Inline if rows_above > 0 => {
            bytes.extend_from_slice(format!("\x1b[{rows_above}A").as_bytes());
        }
        Surface::Inline => {}
    }
    bytes.extend_from_slice(SAFE_ERASE);
    bytes.extend_from_slice(b"\x1b[?7h\x1b[?25h");
    match multiplexer {
        Multiplexer::Tmux => bytes.extend_from_slice(TMUX_LEAVE.as_bytes()),
        Multiplexer::Other => {}
    }
    bytes.extend_from_slice(LEAVE.as_bytes());
    bytes
}

fn held() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes everything, waiting for a slow reader without spinning, as long as `wanted` says so.
fn write_all(out: impl AsFd + Copy, mut bytes: &[u8], wanted: &dyn Fn() -> bool) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(out, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => while !writable(out, PATIENCE) && wanted() {},
            Err(error) => return Err(error.into()),
        }
        if !wanted() {
            return Err(io::Error::other(NOT_OURS));
        }
    }
    Ok(())
}

/// Waits until `out` takes bytes, or an end of it can be learned by writing; false when the time is over.
fn writable(out: impl AsFd, patience: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(out.as_fd(), PollFlags::OUT)];
    let time = patience.try_into().ok();
    !matches!(poll(&mut fds, time.as_ref()), Ok(0))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::thread;

    use rustix::fs::{OFlags, fcntl_setfl};

    use super::*;

    #[test]
    fn a_slow_reader_gets_every_byte() {
        let (mut reader, writer) = io::pipe().unwrap();
        fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
        let frame: Vec<u8> = (0..=255).cycle().take(1_000_000).collect();
        let read = thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            all
        });
        write_all(&writer, &frame, &|| true).unwrap();
        drop(writer);
        assert!(read.join().unwrap() == frame);
    }

    #[test]
    fn a_reader_that_is_gone_is_an_error() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        assert_eq!(write_all(&writer, b"x", &|| true).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn a_frame_is_given_up_when_the_terminal_is_no_longer_ours() {
        let (_reader, writer) = io::pipe().unwrap();
        fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
        assert!(write_all(&writer, &vec![0; 1_000_000], &|| false).is_err());
    }

    #[test]
    fn nothing_is_written_to_a_terminal_that_is_not_ours() {
        assert!(write(b"x", 0).is_err());
        restore();
    }

    #[test]
    fn the_farewell_undoes_all_that_was_set() {
        let bytes = String::from_utf8(farewell(Multiplexer::Tmux, Surface::Inline, 3)).unwrap();
        let expected = "\x1b[?2026l\x1b[m\x1b[3A\r\x1b[C\x1b[J\r\x1b[K\x1b[?7h\x1b[?25h\x1b[>4;0m\x1b[<u\x1b[?1004l\x1b[?2004l";
        assert_eq!(bytes, expected);
        let bytes = String::from_utf8(farewell(Multiplexer::Other, Surface::Alternate, 3)).unwrap();
        assert!(bytes.contains("\x1b[?1049l") && !bytes.contains("3A"));
    }
}
