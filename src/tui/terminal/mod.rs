//! The terminal itself: taken, lent, given back; its events in our words; a frame written whole.
//!
//! What is drawn is [`super::screen`]'s business, when is [`super::frames`]'s. What surprises: the guard here is not
//! what gives the terminal back; that is [`restore`], which a panic or a signal may call from anywhere, once.

mod held;
mod input;

use std::future::pending;
use std::io;
use std::time::Duration;

use crossterm::event::{self, EventStream};
use futures_util::StreamExt;
use ratatui::layout::Size;
use rustix::event::poll;
use rustix::process::{Signal, kill_current_process_group};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};

use held::Surface;
pub use held::{panicked, restore};
use input::translate;
pub use input::{Focus, Input};

/// How long a stop signal may take to reach us, and a reading thread to notice that it is to end.
const GRACE: Duration = Duration::from_millis(20);

/// Where the size is not known.
const USUAL_SIZE: Size = Size::new(80, 24);

/// Why the screen cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Keys cannot be read.
    #[error("standard input is not a terminal (try `clawd -p` for a single answer)")]
    Input,
    /// Nothing can be shown.
    #[error("standard output is not a terminal (try `clawd -p` for a single answer)")]
    Output,
    /// The terminal cannot move its cursor.
    #[error("the terminal is dumb: TERM is `dumb` or empty (try `clawd -p`, or set TERM)")]
    Dumb,
}

/// Whether the screen can be used at all, given `$TERM`.
pub fn fit(term: Option<&str>) -> Result<(), Unfit> {
    match term {
        _ if !isatty(stdin()) => Err(Unfit::Input),
        _ if !isatty(stdout()) => Err(Unfit::Output),
        None | Some("" | "dumb") => Err(Unfit::Dumb),
        Some(_) => Ok(()),
    }
}

/// Which multiplexer stands between us and the window, as far as it matters for keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplexer {
    /// `$TMUX` is set.
    Tmux,
    /// None, or another.
    Other,
}

/// The terminal while it is ours; dropping it gives it back.
pub struct Terminal {
    multiplexer: Multiplexer,
    /// As the shell had it. Kept from the start: after a stop, what is found may be the shell's line editor's.
    cooked: Termios,
    events: Option<EventStream>,
}

impl Terminal {
    /// Takes the terminal: raw mode, bracketed paste, focus events, distinguishable keys; and from now on a panic
    /// anywhere gives it back before it is reported.
    pub fn enter(multiplexer: Multiplexer) -> io::Result<Self> {
        let mut terminal = Self { multiplexer, cooked: tcgetattr(stdin())?, events: None };
        terminal.take_back()?;
        Ok(terminal)
    }

    /// The window's size, asked of the system: for the start and after [`Self::take_back`]; later sizes come as
    /// [`Input::Resize`].
    #[must_use]
    pub fn size(&self) -> Size {
        match tcgetwinsize(stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Size::new(size.ws_col, size.ws_row),
            Ok(_) | Err(_) => USUAL_SIZE,
        }
    }

    /// The next thing the user does; none once there can be no more. Safe to drop at any time.
    pub async fn next(&mut self) -> Option<io::Result<Input>> {
        let Some(events) = &mut self.events else { return pending().await };
        loop {
            match events.next().await? {
                Ok(event) => {
                    if let Some(input) = translate(event) {
                        return Some(Ok(input));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Writes a whole frame, with one write if the terminal takes it. `rows_above` says how many rows above the
    /// cursor the live region begins afterwards, so that it can be taken off without the screen's help.
    /// An error ends the program: the terminal is gone, or no longer ours.
    pub fn write(&self, frame: &[u8], rows_above: u16) -> io::Result<()> {
        if frame.is_empty() {
            return Ok(());
        }
        held::write(frame, rows_above)
    }

    /// Shows the alternate screen, over the inline one, whose live region must have been left.
    pub fn show_alternate(&self) -> io::Result<()> {
        held::show(Surface::Alternate)
    }

    /// Shows the inline screen again.
    pub fn show_inline(&self) -> io::Result<()> {
        held::show(Surface::Inline)
    }

    /// Lends the terminal to another program, such as an editor: it is as the shell had it, and we read nothing.
    /// The screen must have been left. Takes some 40 ms.
    pub fn lend(&mut self) {
        // The event stream reads on a thread of its own, which would take keys from the other program. It ends when
        // the stream is dropped while the thread waits for input; the pause lets it get there, and the empty poll
        // gets its place only after the thread has left it.
        pause(GRACE);
        drop(self.events.take());
        event::poll(GRACE).ok();
        restore();
    }

    /// Takes the terminal back after [`Self::lend`]; the screen starts anew.
    pub fn take_back(&mut self) -> io::Result<()> {
        // In the background this stops us until we are in the foreground, so that it never disturbs the shell.
        tcsetattr(stdin(), OptionalActions::Now, &self.cooked)?;
        held::take(self.multiplexer)?;
        self.events.get_or_insert_with(EventStream::new);
        Ok(())
    }

    /// Stops the program as Ctrl+Z does elsewhere, and comes back when the shell continues it. The screen must have
    /// been left; it starts anew, where the shell left the cursor. The whole process group stops, since a wrapper
    /// around us must stop as well for the shell to notice.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        let sent = kill_current_process_group(Signal::TSTP);
        // The signal may reach another thread a little later; without a shell to wait for, nothing happens at all.
        pause(GRACE);
        self.take_back()?;
        Ok(sent?)
    }

    /// After a stop that came from outside and so could not be prepared: takes the terminal again where the shell has
    /// made it its own.
    pub fn take_again(&mut self) -> io::Result<Meanwhile> {
        if !tcgetattr(stdin())?.local_modes.contains(LocalModes::ICANON) {
            return Ok(Meanwhile::Ours);
        }
        tcsetattr(stdin(), OptionalActions::Now, &self.cooked)?;
        held::take_again()?;
        Ok(Meanwhile::Strange)
    }
}

/// What became of the terminal while we were stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meanwhile {
    /// Nobody touched it, or we gave it away ourselves and have it back.
    Ours,
    /// A shell had it: it is ours again, but what stands on it is not known.
    Strange,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn pause(time: Duration) {
    if let Ok(time) = time.try_into() {
        poll(&mut [], Some(&time)).ok();
    }
}
