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
use rustix::stdio::{stdin, stdout};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::sync::Notify;

use super::{Echo, Multiplexer, lines};
use crate::app::Mouse;
use crate::tui::screen::SAFE_ERASE;

/// Bracketed paste, focus events, kitty's keyboard flags (disambiguate): pushed without asking, since asking blocks
/// and terminals that do not know them ignore them.
const ENTER: &str = "\x1b[?2004h\x1b[?1004h\x1b[>1u";
const LEAVE: &str = "\x1b[<u\x1b[?1004l\x1b[?2004l";

/// tmux does not take kitty's flags for a request. Mode 1, not 2: from 3.5 on, mode 2 sends Ctrl with a letter in a
/// form that crossterm cannot read, and Ctrl+C with it.
const TMUX_ENTER: &str = "\x1b[>4;1m";
const TMUX_LEAVE: &str = "\x1b[>4;0m";

/// Kitty's keyboard flags are each screen's own. The cursor is both's: one that was hidden there is shown again here.
const ALTERNATE_ENTER: &str = "\x1b[?1049h\x1b[>1u";
const ALTERNATE_LEAVE: &str = "\x1b[<u\x1b[?25h\x1b[?1049l";

/// That the wheel does not come as arrow keys (`?1007`), which would walk through the input's history. What was set before is
/// kept by terminals that can; in the others it is on, as in most it is from the beginning.
const WHEEL_OFF: &str = "\x1b[?1007s\x1b[?1007l";
const WHEEL_BACK: &str = "\x1b[?1007h\x1b[?1007r";

/// Buttons and wheel, in the form that knows no widest screen.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Leaves the alternate screen of a program that was killed, without the cursor that goes with it: that stood on the other one long
/// ago. On the normal screen it is nothing.
const PLACE_BACK: &str = "\x1b[?1047l";

/// Takes off the keyboard flags that such a program has pushed, and ours with them: on the screen that is shown, then on the normal
/// one, where ours are pushed again.
const KEYS_OFF: &str = "\x1b[<2u";
const KEYS_BACK: &str = "\x1b[<2u\x1b[>1u";

/// The title goes onto the terminal's stack, and comes back from it; one without a stack is left with none.
const TITLE_KEEP: &str = "\x1b[22;2t";
const TITLE_BACK: &str = "\x1b]2;\x1b\\\x1b[23;2t";

/// How long the end waits for a frame that is being written, and for a terminal that reads nothing.
const PATIENCE: Duration = Duration::from_millis(100);

const NOT_OURS: &str = "the terminal was already released";

static HELD: Mutex<Held> = Mutex::new(Held::Free);
static WRITTEN: Condvar = Condvar::new();
static PANICKED: Notify = Notify::const_new();
static HOOK: Once = Once::new();

/// The state of the terminal that this process holds.
enum Held {
    /// Not ours: never taken, lent, or given back.
    Free,
    /// Ours, with what it takes to undo it.
    Ours { multiplexer: Multiplexer, surface: Surface, title: Title, rows_above: u16, writer: Writer },
    /// Ours for whole lines, with the line as the shell had it.
    Told { cooked: Termios, writer: Writer },
}

/// Which of the terminal's two screens is shown, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surface {
    Inline,
    /// The alternate screen, for a page.
    Page,
    /// The alternate screen, for everything.
    Full(Mouse),
}

impl Surface {
    fn enter(self) -> String {
        match self {
            Self::Inline => String::new(),
            Self::Page => ALTERNATE_ENTER.to_owned(),
            Self::Full(Mouse::Untouched) => [ALTERNATE_ENTER, WHEEL_OFF].concat(),
            Self::Full(Mouse::Reported) => [ALTERNATE_ENTER, MOUSE_ON].concat(),
        }
    }

    fn leave(self) -> String {
        match self {
            Self::Inline => String::new(),
            Self::Page => ALTERNATE_LEAVE.to_owned(),
            Self::Full(Mouse::Untouched) => [WHEEL_BACK, ALTERNATE_LEAVE].concat(),
            Self::Full(Mouse::Reported) => [MOUSE_OFF, ALTERNATE_LEAVE].concat(),
        }
    }
}

/// How the line was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// Edited by the system, as a shell gives it.
    AsUsual,
    /// As a program leaves it that was killed.
    LeftOver,
}

/// Whose the window's title is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Title {
    Theirs,
    Ours,
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
    *held() = Held::Ours {
        multiplexer,
        surface: Surface::Inline,
        title: Title::Theirs,
        rows_above: 0,
        writer: Writer::Idle,
    };
    let tmux = match multiplexer {
        Multiplexer::Tmux => TMUX_ENTER,
        Multiplexer::Other => "",
    };
    write(format!("{ENTER}{tmux}").as_bytes(), 0)
}

/// Takes the terminal for whole lines: nothing is written to it, and its own line editing stays, or comes where a program
/// before us has left it without.
pub(super) fn take_lines() -> io::Result<()> {
    HOOK.call_once(restore_on_panic);
    let cooked = lines::cooked()?;
    if !tcgetattr(stdin())?.local_modes.contains(LocalModes::ICANON) {
        tcsetattr(stdin(), OptionalActions::Now, &cooked)?;
    }
    *held() = Held::Told { cooked, writer: Writer::Idle };
    Ok(())
}

/// Shows or hides what is typed into a line.
pub(super) fn echo(echo: Echo) -> io::Result<()> {
    let mut line = tcgetattr(stdin())?;
    match (echo, &*held()) {
        (Echo::Off, _) => line.local_modes.remove(LocalModes::ECHO),
        (Echo::On, Held::Told { cooked, .. }) => {
            line.local_modes.set(LocalModes::ECHO, cooked.local_modes.contains(LocalModes::ECHO));
        }
        (Echo::On, Held::Free | Held::Ours { .. }) => return Ok(()),
    }
    Ok(tcsetattr(stdin(), OptionalActions::Now, &line)?)
}

/// Sets again what a shell may have changed while it had the terminal and we did not know. The keyboard flags are a
/// stack, so ours are taken off first.
pub(super) fn take_again() -> io::Result<()> {
    disable_raw_mode()?;
    enable_raw_mode()?;
    let tmux = match *held() {
        Held::Ours { multiplexer: Multiplexer::Tmux, .. } => TMUX_ENTER,
        Held::Ours { multiplexer: Multiplexer::Other, .. } => "",
        Held::Free | Held::Told { .. } => return Err(io::Error::other(NOT_OURS)),
    };
    write(format!("{LEAVE}{ENTER}{tmux}").as_bytes(), 0)
}

/// Writes a frame after which the live region begins `rows` rows above the cursor.
pub(super) fn write(frame: &[u8], rows: u16) -> io::Result<()> {
    put(frame, Some(rows))
}

/// Writes what changes nothing on the screen.
pub(super) fn write_aside(bytes: &[u8]) -> io::Result<()> {
    put(bytes, None)
}

fn put(bytes: &[u8], rows: Option<u16>) -> io::Result<()> {
    match &mut *held() {
        Held::Free => return Err(io::Error::other(NOT_OURS)),
        Held::Ours { writer, .. } | Held::Told { writer, .. } => *writer = Writer::Writing,
    }
    let result = write_all(stdout(), bytes, &|| !matches!(*held(), Held::Free));
    match &mut *held() {
        Held::Free => {}
        Held::Ours { writer, rows_above, .. } => {
            *writer = Writer::Idle;
            *rows_above = rows.unwrap_or(*rows_above);
        }
        Held::Told { writer, .. } => *writer = Writer::Idle,
    }
    WRITTEN.notify_all();
    result
}

/// Takes off what a program has left that was killed, as far as it is not set anew anyway. The mouse and the alternate screen are
/// nobody's who starts a program, so they are taken off in any case. Wheel and keys only where the line says that there was such a
/// program: a shell that mends the line, as bash does, may have keys of its own.
pub(super) fn take_off_left_over(line: Line) -> io::Result<()> {
    let all: &[&str] = match line {
        Line::AsUsual => &[MOUSE_OFF, PLACE_BACK],
        Line::LeftOver => &[MOUSE_OFF, WHEEL_BACK, KEYS_OFF, PLACE_BACK, KEYS_BACK],
    };
    write_aside(all.concat().as_bytes())
}

/// Sets the window's title; the shell's is kept for the end by terminals that can.
pub(super) fn set_title(text: &str) -> io::Result<()> {
    let keep = match &mut *held() {
        Held::Free | Held::Told { .. } => return Err(io::Error::other(NOT_OURS)),
        Held::Ours { title, .. } => match std::mem::replace(title, Title::Ours) {
            Title::Theirs => TITLE_KEEP,
            Title::Ours => "",
        },
    };
    write_aside(format!("{keep}\x1b]2;{text}\x1b\\").as_bytes())
}

/// Shows one of the two screens.
pub(super) fn show(new: Surface) -> io::Result<()> {
    let old = match *held() {
        Held::Ours { surface, .. } => surface,
        Held::Free | Held::Told { .. } => return Err(io::Error::other(NOT_OURS)),
    };
    if old == new {
        return Ok(());
    }
    // noted first: what is undone without having been done does no harm
    if new != Surface::Inline
        && let Held::Ours { surface, .. } = &mut *held()
    {
        *surface = new;
    }
    write([old.leave(), new.enter()].concat().as_bytes(), 0)?;
    if let Held::Ours { surface, .. } = &mut *held() {
        *surface = new;
    }
    Ok(())
}

/// Whether all is shown on the alternate screen.
pub(super) fn is_full() -> bool {
    matches!(*held(), Held::Ours { surface: Surface::Full(_), .. })
}

/// Gives the terminal back as it was, if it is ours: the live region gone, the cursor shown where it began, every
/// mode undone. May be called by anyone at any time, and returns when it is done, whoever did it; a terminal that
/// reads nothing delays it by some 200 ms, then raw mode alone is left.
pub fn restore() {
    let writing = |state: &mut Held| match state {
        Held::Free => false,
        Held::Ours { writer, .. } | Held::Told { writer, .. } => *writer == Writer::Writing,
    };
    let waited = WRITTEN.wait_timeout_while(held(), PATIENCE, writing);
    let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
    let (multiplexer, surface, title, rows_above) = match std::mem::replace(&mut *state, Held::Free) {
        Held::Free => return,
        Held::Told { cooked, .. } => {
            tcsetattr(stdin(), OptionalActions::Now, &cooked).ok();
            return;
        }
        Held::Ours { multiplexer, surface, title, rows_above, .. } => {
            (multiplexer, surface, title, rows_above)
        }
    };
    let end = Instant::now() + PATIENCE;
    if writable(stdout(), PATIENCE) {
        write_all(stdout(), &farewell(multiplexer, surface, title, rows_above), &|| Instant::now() < end)
            .ok();
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
fn farewell(multiplexer: Multiplexer, surface: Surface, title: Title, rows_above: u16) -> Vec<u8> {
    let mut bytes = b"\x1b[?2026l\x1b[m".to_vec();
    match surface {
        Surface::Page | Surface::Full(_) => bytes.extend_from_slice(surface.leave().as_bytes()),
        Surface::Inline if rows_above > 0 => {
            bytes.extend_from_slice(format!("\x1b[{rows_above}A").as_bytes());
        }
        Surface::Inline => {}
    }
    match surface {
        Surface::Inline | Surface::Page => bytes.extend_from_slice(SAFE_ERASE),
        // nothing of ours ever stood on the other screen
        Surface::Full(_) => {}
    }
    bytes.extend_from_slice(b"\x1b[?7h\x1b[?25h");
    match multiplexer {
        Multiplexer::Tmux => bytes.extend_from_slice(TMUX_LEAVE.as_bytes()),
        Multiplexer::Other => {}
    }
    match title {
        Title::Ours => bytes.extend_from_slice(TITLE_BACK.as_bytes()),
        Title::Theirs => {}
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
        let bytes =
            String::from_utf8(farewell(Multiplexer::Tmux, Surface::Inline, Title::Theirs, 3)).unwrap();
        let expected = "\x1b[?2026l\x1b[m\x1b[3A\r\x1b[C\x1b[J\r\x1b[K\x1b[?7h\x1b[?25h\x1b[>4;0m\x1b[<u\x1b[?1004l\x1b[?2004l";
        assert_eq!(bytes, expected);
        let bytes = String::from_utf8(farewell(Multiplexer::Other, Surface::Page, Title::Ours, 3)).unwrap();
        assert!(bytes.contains("\x1b[?1049l") && !bytes.contains("3A"));
        assert!(!bytes.contains("?1007") && !bytes.contains("?1000"));
        assert!(bytes.contains("\x1b]2;\x1b\\\x1b[23;2t"));
        for (mouse, undone) in [
            (Mouse::Untouched, "\x1b[?1007h\x1b[?1007r\x1b[<u\x1b[?25h\x1b[?1049l"),
            (Mouse::Reported, "\x1b[?1006l\x1b[?1000l\x1b[<u\x1b[?25h\x1b[?1049l"),
        ] {
            let bytes = farewell(Multiplexer::Other, Surface::Full(mouse), Title::Ours, 3);
            assert!(String::from_utf8(bytes).unwrap().contains(undone), "{mouse:?}");
        }
    }
}
