//! The terminal where nothing is drawn: whole lines in, plain text out.
//!
//! The terminal's own line discipline shows and edits what is typed, as it does for a shell without an editor; so a screen
//! reader speaks it as it speaks everything else, and an outer program that has an input line of its own (Emacs, a serial
//! console) stays in charge. Not one escape sequence is written. The surprise is what a paste is here: no bracket tells of
//! one, so lines that come closer together than a hand can type are one text, and sending it takes an Enter of its own.

use std::io;
use std::sync::mpsc::{Receiver as Wishes, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::layout::Size;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{InputModes, LocalModes, OutputModes, Termios, tcgetattr, tcgetwinsize};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::held;
use super::input::Input;
use super::{USUAL_SIZE, restore, until};
use crate::tui::key::{Key, KeyCode};

/// Lines closer together than this were typed by no hand.
const BURST: Duration = Duration::from_millis(20);

/// More than the line discipline keeps of a line (4,096 bytes on Linux).
const PIECE: usize = 8_192;

/// What the line discipline keeps of a line; the rest it drops without a word, so such a line is never sent at once.
const LONGEST: usize = 4_095;

/// Whether what is typed can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// It can.
    On,
    /// It cannot: it is a key.
    Off,
}

/// The terminal while it is ours; dropping it gives it back.
pub struct Lines {
    /// Told when there is something to read, once for each wish.
    ready: Receiver<()>,
    watch: SyncSender<()>,
    /// What was read and not yet taken.
    read: Vec<u8>,
    /// When the lines that were read are all that belong together.
    due: Option<Instant>,
    end: End,
}

/// What was read of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    No,
    /// Ctrl+D.
    Wished,
    /// There is nobody any more.
    Gone,
}

impl Lines {
    /// Takes the terminal as it is; from now on a panic anywhere gives it back before it is reported.
    pub fn enter() -> io::Result<Self> {
        held::take_lines()?;
        let (tell, ready) = channel(1);
        let (watch, wishes) = sync_channel(1);
        thread::Builder::new().name("lines".to_owned()).spawn(move || keep_watch(&wishes, &tell))?;
        let lines = Self { ready, watch, read: Vec::new(), due: None, end: End::No };
        lines.watch_on();
        Ok(lines)
    }

    /// The window's size, asked of the system.
    #[must_use]
    pub fn size(&self) -> Size {
        match tcgetwinsize(stdout()) {
            Ok(size) if size.ws_col > 0 => Size::new(size.ws_col, size.ws_row),
            Ok(_) | Err(_) => USUAL_SIZE,
        }
    }

    /// The next thing the user does; none once there can be no more. Safe to drop at any time.
    pub async fn next(&mut self) -> Option<io::Result<Input>> {
        loop {
            if self.due.is_some_and(|due| Instant::now() >= due) {
                self.due = None;
                match self.take() {
                    Taken::Input(input) => return Some(Ok(input)),
                    Taken::Nothing => {}
                    Taken::Gone => return None,
                }
            }
            let due = self.due;
            tokio::select! {
                biased;
                ready = self.ready.recv() => ready?,
                () = until(due) => continue,
            }
            self.drain();
            self.watch_on();
            self.due = Some(Instant::now() + BURST);
        }
    }

    /// Writes text whole.
    pub fn write(&self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        held::write(text.as_bytes(), 0)
    }

    /// Shows or hides what is typed from now on.
    pub fn echo(&self, echo: Echo) -> io::Result<()> {
        held::echo(echo)
    }

    /// Lends the terminal to another program: it is as the shell had it, and we read nothing.
    pub fn lend(&self) {
        restore();
    }

    /// Takes it back.
    pub fn take_back(&self) -> io::Result<()> {
        held::take_lines()
    }

    fn watch_on(&self) {
        // there is room for the one wish, and whoever ends takes the watch along
        self.watch.try_send(()).ok();
    }

    /// Reads all that is there: a read gives one line.
    fn drain(&mut self) {
        let mut piece = [0; PIECE];
        while self.end == End::No && can_read(PollFlags::IN) {
            match rustix::io::read(stdin(), &mut piece) {
                Ok(0) if can_read(PollFlags::HUP) => self.end = End::Gone,
                Ok(0) => self.end = End::Wished,
                Ok(count) => self.read.extend_from_slice(piece.get(..count).unwrap_or_default()),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => self.end = End::Gone,
            }
        }
    }

    fn take(&mut self) -> Taken {
        let wished = self.end == End::Wished;
        if self.end == End::Gone {
            return Taken::Gone;
        }
        self.end = End::No;
        match (self.read.last(), wished) {
            (None, true) => Taken::Input(Input::Key(Key::ctrl('d'))),
            (None, false) => Taken::Nothing,
            // a beginning that was sent without its end: the rest comes, or a second wish for the end
            (Some(last), false) if *last != b'\n' => Taken::Nothing,
            (Some(_), _) => Taken::Input(meant(&String::from_utf8_lossy(&std::mem::take(&mut self.read)))),
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        restore();
    }
}

enum Taken {
    Input(Input),
    Nothing,
    Gone,
}

/// The line as a shell has it. A program that was killed leaves it without editing, and some shells do not mend that: then what
/// is given back is the usual, not what was found.
pub(super) fn cooked() -> io::Result<Termios> {
    let mut line = tcgetattr(stdin())?;
    if !line.local_modes.contains(LocalModes::ICANON) {
        line.local_modes |=
            LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN | LocalModes::ECHO | LocalModes::ECHOE;
        line.input_modes |= InputModes::ICRNL | InputModes::IXON;
        line.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    }
    Ok(line)
}

/// What somebody means who sends this at once.
fn meant(text: &str) -> Input {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.contains('\n') || text.len() >= LONGEST {
        return Input::Paste(text.to_owned());
    }
    match pressed(text) {
        Some(key) => Input::Key(key),
        None => Input::Line(text.to_owned()),
    }
}

/// A key that cannot reach us alone: it comes with the Enter behind it.
fn pressed(line: &str) -> Option<Key> {
    let mut letters = line.chars();
    match (letters.next()?, letters.as_str()) {
        ('\x1b', "") => Some(Key::plain(KeyCode::Esc)),
        ('\x1b', "[Z") => Some(Key::plain(KeyCode::BackTab)),
        (c @ '\x01'..='\x1a', "") if c != '\t' => {
            Some(Key::ctrl(char::from(u8::try_from(c).ok()? - 1 + b'a')))
        }
        _ => None,
    }
}

/// Waits for input on a thread of its own, and takes none: what is not ours to read, such as the input of an editor that has the
/// terminal for a while, stays where it is.
fn keep_watch(wishes: &Wishes<()>, tell: &Sender<()>) {
    while wishes.recv().is_ok() {
        let mut fds = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
        while matches!(poll(&mut fds, None), Err(rustix::io::Errno::INTR)) {}
        if tell.blocking_send(()).is_err() {
            return;
        }
    }
}

fn can_read(flags: PollFlags) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
    let now = Duration::ZERO.try_into().ok();
    let [fd] = match poll(&mut fds, now.as_ref()) {
        Ok(_) => fds,
        Err(_) => return false,
    };
    fd.revents().intersects(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Input {
        Input::Line(text.to_owned())
    }

    #[test]
    fn one_line_is_typed_and_several_at_once_are_pasted() {
        assert_eq!(meant("hello\n"), line("hello"));
        assert_eq!(meant("\n"), line(""));
        assert_eq!(meant("half"), line("half"));
        assert_eq!(meant("!rm -r x\n/exit\n"), Input::Paste("!rm -r x\n/exit".to_owned()));
        assert_eq!(meant("\n\n"), Input::Paste("\n".to_owned()));
    }

    #[test]
    fn a_line_that_may_have_lost_its_end_is_not_sent_at_once() {
        let long = "x".repeat(LONGEST);
        assert_eq!(meant(&format!("{long}\n")), Input::Paste(long));
    }

    #[test]
    fn a_key_alone_before_enter_is_that_key() {
        assert_eq!(meant("\x1b\n"), Input::Key(Key::plain(KeyCode::Esc)));
        assert_eq!(meant("\x1b[Z\n"), Input::Key(Key::plain(KeyCode::BackTab)));
        assert_eq!(meant("\x0f\n"), Input::Key(Key::ctrl('o')));
        assert_eq!(meant("\t\n"), line("\t"));
        assert_eq!(meant("a\x0f\n"), line("a\x0f"));
    }
}
