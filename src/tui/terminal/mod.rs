//! The terminal itself: taken, lent, given back; its events in our words; a frame written whole.
//!
//! What is drawn is [`super::screen`]'s business, when is [`super::frames`]'s. What surprises: the guard here is not
//! what gives the terminal back; that is [`restore`], which a panic or a signal may call from anywhere, once.

mod background;
mod burst;
mod clipboard;
mod held;
mod input;
mod lines;

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, EventStream};
use futures_util::StreamExt;
use futures_util::stream::{SelectAll, select_all};
use ratatui::layout::Size;
use rustix::event::poll;
use rustix::io::Errno;
use rustix::process::{Signal, kill_current_process_group};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{LocalModes, OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};

pub use background::Brightness;
use background::{Listener, QUESTION};
use burst::Bursts;
pub use burst::Pastes;
use held::{Line, Surface};
pub use held::{panicked, restore};
use input::translate;
pub use input::{Focus, Input};
pub use lines::{Echo, Lines};

use crate::app::Mouse;
use crate::tui::key::KeyCode;

/// How long a stop signal may take to reach us, and a reading thread to notice that it is to end.
const GRACE: Duration = Duration::from_millis(20);

/// An answer that is not there after this time will not come: a second is a slow way around the world.
const LONGEST_WAY: Duration = Duration::from_secs(1);

/// How long the rest of a burst is looked for. Not zero: asked so, the library does not look at what it has read already.
const AT_ONCE: Duration = Duration::from_millis(1);

/// What comes so soon after a burst is the rest of it.
const BURST: Duration = Duration::from_millis(50);

/// How long the end waits for it.
const LAST_WAIT: Duration = Duration::from_millis(100);

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
}

/// Whether somebody can be talked to at all.
pub fn fit() -> Result<(), Unfit> {
    if !isatty(stdin()) {
        Err(Unfit::Input)
    } else if !isatty(stdout()) {
        Err(Unfit::Output)
    } else {
        Ok(())
    }
}

/// Whether this error says that there is no terminal any more.
#[must_use]
pub fn is_gone(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::NXIO | Errno::PIPE))
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
    /// Asked only after it has called: each question in vain would spin for the lock that its reading thread holds.
    events: Option<SelectAll<EventStream>>,
    listener: Listener,
    /// Events that were held back and are let go.
    let_go: VecDeque<Event>,
    /// Where pastes are not told.
    bursts: Option<Bursts>,
    asked: Option<Instant>,
    /// That came between other events.
    answer: Option<Brightness>,
    last_burst: Option<Instant>,
    title: String,
}

impl Terminal {
    /// Takes the terminal: raw mode, bracketed paste, focus events, distinguishable keys; and from now on a panic
    /// anywhere gives it back before it is reported.
    pub fn enter(multiplexer: Multiplexer) -> io::Result<Self> {
        let mut terminal = Self {
            multiplexer,
            cooked: lines::cooked()?,
            events: None,
            listener: Listener::default(),
            let_go: VecDeque::new(),
            bursts: None,
            asked: None,
            answer: None,
            last_burst: None,
            title: String::new(),
        };
        let is_edited = tcgetattr(stdin())?.local_modes.contains(LocalModes::ICANON);
        terminal.take_back()?;
        held::take_off_left_over(if is_edited { Line::AsUsual } else { Line::LeftOver })?;
        Ok(terminal)
    }

    /// How this terminal tells of a paste.
    pub fn tell_pastes(&mut self, pastes: Pastes) {
        self.bursts = match pastes {
            Pastes::Bracketed => None,
            Pastes::Bare => Some(Bursts::default()),
        };
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
        loop {
            if let Some(background) = self.answer.take() {
                return Some(Ok(Input::Background(background)));
            }
            while let Some(event) = self.let_go.pop_front() {
                if let Some(input) = translate(event) {
                    return Some(self.burst(input));
                }
            }
            let Some(events) = &mut self.events else { return pending().await };
            let due = self.bursts.as_ref().and_then(Bursts::due);
            let event = tokio::select! {
                biased;
                event = events.next() => event?,
                () = until(due) => {
                    self.let_go.extend(self.bursts.as_mut().and_then(|bursts| bursts.let_go(Instant::now())));
                    continue;
                }
            };
            match event {
                Ok(event) => self.hear(event),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Takes an event when nothing is let go: what the user did is let go by it, at once or as soon as it is known what it is.
    fn hear(&mut self, event: Event) {
        let background = self.listener.hear(event, &mut self.let_go);
        self.answer = self.answer.or(background);
        if let Some(bursts) = &mut self.bursts {
            let now = Instant::now();
            for event in std::mem::take(&mut self.let_go) {
                bursts.take(event, now, &mut self.let_go);
            }
        }
    }

    /// An arrow together with those that came at once with it. On the alternate screen a terminal may tell of the wheel so.
    fn burst(&mut self, input: Input) -> io::Result<Input> {
        let Input::Key(key) = input else { return Ok(input) };
        if !matches!(key.code, KeyCode::Up | KeyCode::Down) || !held::is_full() {
            self.last_burst = None;
            return Ok(input);
        }
        let mut times = 1_u16;
        while self.has_next()? {
            let same = |event: &mut Event| translate(event.clone()) == Some(Input::Key(key));
            if self.let_go.pop_front_if(same).is_none() {
                break;
            }
            times = times.saturating_add(1);
        }
        let was_cut = self.last_burst.is_some_and(|last| last.elapsed() < BURST);
        if times == 1 && !was_cut {
            return Ok(input);
        }
        self.last_burst = Some(Instant::now());
        Ok(Input::Burst(key, times))
    }

    /// Whether an event is there already.
    fn has_next(&mut self) -> io::Result<bool> {
        while self.let_go.is_empty() && event::poll(AT_ONCE)? {
            self.hear(event::read()?);
        }
        Ok(!self.let_go.is_empty())
    }

    /// Asks what colour is behind the letters; an answer comes as [`Input::Background`], or never. A
    /// multiplexer is not asked: it knows its own colours at best.
    pub fn ask_background(&mut self) -> io::Result<()> {
        match self.multiplexer {
            Multiplexer::Tmux => return Ok(()),
            Multiplexer::Other if self.asked.is_some() => return Ok(()),
            Multiplexer::Other => {}
        }
        self.asked = Some(Instant::now());
        self.listener.asked();
        held::write_aside(QUESTION)
    }

    /// Sets the window's title to this clean text; nothing where it is so already.
    pub fn set_title(&mut self, text: &str) -> io::Result<()> {
        if self.title == text {
            return Ok(());
        }
        text.clone_into(&mut self.title);
        held::set_title(text)
    }

    /// Has the window or its desktop tell this clean text to whoever looks elsewhere (iTerm's OSC 9), and rings the bell
    /// for those that cannot. A multiplexer passes on what is wrapped for it, or drops it.
    pub fn notify(&self, text: &str) -> io::Result<()> {
        let told = format!("\x1b]9;{text}\x07");
        let told = match self.multiplexer {
            Multiplexer::Tmux => format!("\x1bPtmux;\x1b{told}\x1b\\"),
            Multiplexer::Other => told,
        };
        held::write_aside(format!("{told}\x07").as_bytes())
    }

    /// Gives an answer that is on its way the time to come, for the shell would read it as typed. One that has not
    /// come for long never will.
    pub async fn hear_out(&mut self) {
        while self.listener.is_waiting() && self.asked.is_some_and(|asked| asked.elapsed() < LONGEST_WAY) {
            let next = tokio::time::timeout(LAST_WAIT, self.next());
            if !matches!(next.await, Ok(Some(Ok(_)))) {
                return;
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

    /// Hands a text to the terminal's clipboard (OSC 52). Whether it takes it cannot be known.
    pub fn copy(&self, text: &str) -> io::Result<()> {
        held::write_aside(clipboard::osc52(text, self.multiplexer).as_bytes())
    }

    /// Shows the alternate screen for a page, over the inline one, whose live region must have been left.
    pub fn show_page(&self) -> io::Result<()> {
        held::show(Surface::Page)
    }

    /// Shows the alternate screen for everything: the wheel is reported, or nothing is heard of it.
    pub fn show_full(&self, mouse: Mouse) -> io::Result<()> {
        held::show(Surface::Full(mouse))
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
        self.title.clear();
        self.events.get_or_insert_with(|| select_all([EventStream::new()]));
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

/// Waits until then; for ever where there is nothing to wait for.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => pending().await,
    }
}

fn pause(time: Duration) {
    if let Ok(time) = time.try_into() {
        poll(&mut [], Some(&time)).ok();
    }
}
