//! The program on a screen: a pseudo-terminal, an emulator behind it, a user's hands before it.
//!
//! ```ignore
//! let mut pty = Pty::spawn(&Clawd::new(&endpoint), Size::new(80, 24));
//! pty.wait_for("❯");
//! pty.type_text("what is this?");
//! pty.key("enter");
//! pty.wait_for("esc to interrupt");
//! pty.key("ctrl-c");
//! pty.wait_until("the prompt alone", |screen| !screen.contents().contains("interrupt"));
//! pty.key("ctrl-d");
//! assert_eq!(pty.wait_exit().code, 0);
//! pty.assert_terminal_restored();
//! ```
//!
//! Every wait ends with bytes from the program, with its end, or with a failure that prints the screen. The
//! terminal answers queries as it reads them, with the cursor where it stands at that byte.

mod keys;
mod lost;
mod scan;
mod terminal;
mod typed;

#[cfg(test)]
mod tests;

use std::io::Read;
use std::num::NonZeroU16;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::termios::Termios;
use vt100::{Parser, Screen};

use scan::Scanner;
use terminal::Terminal;
use typed::Typed;

pub(crate) use lost::lose_the_terminal;
pub(crate) use terminal::Kind;

use crate::harness::Clawd;
use crate::watched::{DEADLINE, Watched};

/// Far more than a test prints.
const SCROLLBACK: usize = 20_000;

/// Bytes that a terminal takes at once, and one on a slow line each millisecond.
const USUAL: usize = 8_192;
const SLOW: usize = 256;

/// Columns and rows, in the order in which one says them.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    columns: NonZeroU16,
    rows: NonZeroU16,
}

impl Size {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        Self { columns: columns.try_into().unwrap(), rows: rows.try_into().unwrap() }
    }
}

impl From<Size> for PtySize {
    fn from(size: Size) -> Self {
        Self { rows: size.rows.get(), cols: size.columns.get(), pixel_width: 0, pixel_height: 0 }
    }
}

/// How the program ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exit {
    pub(crate) code: u32,
    /// in the system's words, such as `Killed`
    pub(crate) signal: Option<String>,
}

/// A program on a screen. Dropping it kills the program.
pub(crate) struct Pty {
    // held for its directories
    _clawd: Clawd,
    pid: Pid,
    master: Box<dyn MasterPty + Send>,
    tty: PathBuf,
    at_start: Termios,
    input: Typed,
    seen: Arc<Watched<Seen>>,
}

struct Seen {
    parser: Parser,
    scanner: Scanner,
    terminal: Terminal,
    raw: Vec<u8>,
    output: Output,
    exit: Option<Exit>,
}

#[derive(Clone, Copy, PartialEq)]
enum Output {
    Open,
    Ended,
}

impl Pty {
    /// Starts the program on a plain terminal.
    pub(crate) fn spawn(clawd: &Clawd, size: Size) -> Self {
        Self::spawn_on(Kind::Plain, clawd, size)
    }

    pub(crate) fn spawn_on(kind: Kind, clawd: &Clawd, size: Size) -> Self {
        let pair = native_pty_system().openpty(size.into()).unwrap();
        let tty = pair.master.tty_name().expect("the terminal has a name");
        let at_start = attributes(&tty);
        let child = pair.slave.spawn_command(command(clawd)).unwrap();
        // else the output would never end
        drop(pair.slave);
        let seen = Arc::new(Watched::new(Seen {
            parser: Parser::new(size.rows, size.columns, SCROLLBACK),
            scanner: Scanner::default(),
            terminal: Terminal::new(kind),
            raw: Vec::new(),
            output: Output::Open,
            exit: None,
        }));
        let input = Typed::into(pair.master.take_writer().unwrap());
        let piece = if kind == Kind::Slow { SLOW } else { USUAL };
        reader(pair.master.try_clone_reader().unwrap(), &seen, input.clone(), piece);
        let pid = Pid::from_raw(child.process_id().unwrap().cast_signed()).unwrap();
        reap(child, &seen);
        Self { _clawd: clawd.clone(), pid, master: pair.master, tty, at_start, input, seen }
    }

    /// Types characters, one after another, without `enter`.
    pub(crate) fn type_text(&self, text: &str) {
        self.send(text.as_bytes());
    }

    /// Presses a key by its name: `ctrl-c`, `alt-enter`, `shift-tab`, `up`.
    pub(crate) fn key(&self, key: &str) {
        let form = self.seen.with(|seen| keys::Form {
            unambiguous: seen.terminal.keyboard_flags() & 1 == 1,
            application_cursor: seen.terminal.is_set(1),
        });
        self.send(&keys::bytes(key, form));
    }

    /// Pastes as a terminal does: in brackets where the program asked for them, newlines as returns.
    pub(crate) fn paste(&self, text: &str) {
        let text = text.replace('\n', "\r");
        let bracketed = self.seen.with(|seen| seen.terminal.brackets());
        self.send(if bracketed { format!("\x1b[200~{text}\x1b[201~") } else { text }.as_bytes());
    }

    /// Turns the wheel by a notch, away from the user where it is `up`. As a terminal does: a report where the program asked for
    /// it, else three arrow keys on the alternate screen unless that was switched off, else nothing.
    pub(crate) fn wheel(&self, up: bool) {
        let (reported, as_arrows) = self.seen.with(|seen| {
            let terminal = &seen.terminal;
            (terminal.is_set(1000), terminal.is_set(1007) && terminal.is_set(1049))
        });
        let (button, arrow) = if up { (64, "\x1b[A") } else { (65, "\x1b[B") };
        if reported {
            self.send(format!("\x1b[<{button};5;5M").as_bytes());
        } else if as_arrows {
            self.send(arrow.repeat(3).as_bytes());
        }
    }

    /// Bytes as they are, such as a report of focus.
    pub(crate) fn send(&self, bytes: &[u8]) {
        assert!(self.input.send(bytes), "the terminal takes no more");
    }

    /// The screen first, then the program hears of it.
    pub(crate) fn resize(&self, size: Size) {
        self.seen.with(|seen| seen.parser.set_size(size.rows, size.columns));
        self.master.resize(size.into()).unwrap();
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Blocks until the text stands on the screen.
    pub(crate) fn wait_for(&self, text: &str) {
        // a long temporary directory moves the line breaks
        let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.wait_until(&format!("{text:?}"), |screen| joined(&screen.contents()).contains(&joined(text)));
    }

    /// Blocks until the screen is as the test wants it; `what` is for the failure's message.
    pub(crate) fn wait_until(&self, what: &str, wanted: impl Fn(&Screen) -> bool) {
        let found = self.seen.wait(DEADLINE, |seen| {
            let found = wanted(seen.parser.screen());
            (found || seen.output == Output::Ended).then_some(found)
        });
        match found {
            Some(true) => {}
            Some(false) => self.fail(&format!("the output ended before {what}")),
            None => self.fail(&format!("waited {DEADLINE:?} for {what}")),
        }
    }

    /// Blocks until the program has read all that was sent; what it makes of it may not be on the screen yet.
    pub(crate) fn wait_read(&self) {
        if !self.input.wait_read(&self.tty) {
            self.fail("the program does not read");
        }
    }

    /// Whether the screen comes to be as the test wants it within this time: for a test that tries again, not for a proof.
    pub(crate) fn comes(&self, within: Duration, wanted: impl Fn(&Screen) -> bool) -> bool {
        self.seen.wait(within, |seen| wanted(seen.parser.screen()).then_some(())).is_some()
    }

    /// Blocks until what was written is as the test wants it, sequences and all.
    pub(crate) fn wait_bytes(&self, what: &str, wanted: impl Fn(&str) -> bool) {
        let found = self.seen.wait(DEADLINE, |seen| {
            let found = wanted(&String::from_utf8_lossy(&seen.raw));
            (found || seen.output == Output::Ended).then_some(found)
        });
        if found != Some(true) {
            self.fail(&format!("waited for {what}"));
        }
    }

    /// What the screen shows, a line a row.
    pub(crate) fn screen_text(&self) -> String {
        self.seen.with(|seen| seen.parser.screen().contents())
    }

    /// All rows, those that have left the screen at the top first.
    pub(crate) fn history(&self) -> Vec<String> {
        self.seen.with(|seen| {
            let screen = seen.parser.screen_mut();
            let (rows, columns) = screen.size();
            let mut lines = Vec::new();
            let mut above = screen.scrollback_len();
            while above > 0 {
                screen.set_scrollback(above);
                let taken = above.min(usize::from(rows.get()));
                lines.extend(screen.rows(0, columns.get()).take(taken));
                above -= taken;
            }
            screen.set_scrollback(0);
            lines.extend(screen.rows(0, columns.get()));
            lines
        })
    }

    /// Every byte that the program has written.
    pub(crate) fn raw_bytes(&self) -> Vec<u8> {
        self.seen.with(|seen| seen.raw.clone())
    }

    /// Whether the program has switched this private mode on.
    pub(crate) fn is_set(&self, mode: u16) -> bool {
        self.seen.with(|seen| seen.terminal.is_set(mode))
    }

    /// What the program has asked the terminal, without the escape: `[6n`, `[c`, `[?u`.
    pub(crate) fn queries(&self) -> Vec<String> {
        self.seen.with(|seen| seen.terminal.queries().to_vec())
    }

    /// Blocks until the program has ended and all it wrote is on the screen.
    pub(crate) fn wait_exit(&self) -> Exit {
        let ended =
            self.seen.wait(DEADLINE, |seen| seen.exit.clone().filter(|_| seen.output == Output::Ended));
        ended.unwrap_or_else(|| self.fail(&format!("waited {DEADLINE:?} for the end")))
    }

    /// After the end: every mode that was set is as it was, on the screen's side and on the line's.
    pub(crate) fn assert_terminal_restored(&self) {
        assert!(self.seen.with(|seen| seen.exit.is_some()), "the program has ended first");
        let mut left = self.seen.with(|seen| seen.leftovers());
        let now = attributes(&self.tty);
        let line = |of: &Termios| (of.local_modes, of.input_modes, of.output_modes);
        if line(&now) != line(&self.at_start) {
            left.push(format!("the line left as {:?}, it was {:?}", line(&now), line(&self.at_start)));
        }
        if !left.is_empty() {
            self.fail(&format!("the terminal is not restored: {left:#?}"));
        }
    }

    /// Blocks until the screen is as the test wants it, or the program has ended.
    pub(crate) fn wait_exit_or(&self, what: &str, wanted: impl Fn(&Screen) -> bool) {
        let found = self.seen.wait(DEADLINE, |seen| {
            let ended = seen.exit.is_some() && seen.output == Output::Ended;
            (wanted(seen.parser.screen()) || ended).then_some(())
        });
        found.unwrap_or_else(|| self.fail(&format!("waited {DEADLINE:?} for the end or {what}")));
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.seen.with(|seen| seen.exit.is_some())
    }

    fn fail(&self, why: &str) -> ! {
        let (screen, exit, end) = self.seen.with(|seen| {
            let tail = &seen.raw[seen.raw.len().saturating_sub(400)..];
            (seen.parser.screen().contents(), seen.exit.clone(), tail.escape_ascii().to_string())
        });
        panic!("{why}\nexit: {exit:?}\n--- screen\n{screen}\n--- last bytes\n{end}\n---");
    }
}

/// Kills the program and its group, and sees the end before the directories go.
impl Drop for Pty {
    fn drop(&mut self) {
        // none left is the usual case
        kill_process_group(self.pid, Signal::KILL).ok();
        self.seen.wait(DEADLINE, |seen| seen.exit.clone());
    }
}

impl Seen {
    fn leftovers(&self) -> Vec<String> {
        let mut left = self.terminal.leftovers();
        let untouched = Parser::default().screen().attributes_formatted();
        if self.parser.screen().attributes_formatted() != untouched {
            left.push("colours or attributes left set".to_owned());
        }
        left
    }

    /// Takes in what was written; gives what the terminal answers.
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut replies = Vec::new();
        self.raw.extend(bytes);
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let Some(sequence) = self.scanner.step(*byte) else { continue };
            self.parser.process(&bytes[from..=at]);
            from = at + 1;
            let reply = self.terminal.take(&sequence, self.parser.screen().cursor_position());
            replies.extend(reply.unwrap_or_default().into_bytes());
        }
        self.parser.process(&bytes[from..]);
        replies
    }
}

fn command(clawd: &Clawd) -> CommandBuilder {
    let (program, args, env) = clawd.parts();
    let mut command = CommandBuilder::new(program);
    command.args(args);
    command.cwd(clawd.project());
    command.env_clear();
    for (name, value) in env {
        command.env(name, value);
    }
    command
}

/// The line's settings, by a short look that does not become its owner.
fn attributes(tty: &PathBuf) -> Termios {
    let no_owner = rustix::fs::OFlags::NOCTTY.bits().cast_signed();
    let file = std::fs::OpenOptions::new().read(true).write(true).custom_flags(no_owner).open(tty).unwrap();
    rustix::termios::tcgetattr(&file).unwrap()
}

fn reader(mut from: Box<dyn Read + Send>, seen: &Arc<Watched<Seen>>, replies: Typed, piece: usize) {
    let seen = Arc::clone(seen);
    std::thread::spawn(move || {
        let mut buffer = vec![0; piece];
        // an error is the end too: the last one to hold the terminal has let go
        while let Ok(size @ 1..) = from.read(&mut buffer) {
            if piece == SLOW {
                std::thread::sleep(Duration::from_millis(1));
            }
            // sent before anybody can see what was asked
            if !seen.with(|seen| replies.answer(&seen.take(&buffer[..size]))) {
                break;
            }
        }
        seen.with(|seen| seen.output = Output::Ended);
    });
}

fn reap(mut child: Box<dyn portable_pty::Child + Send + Sync>, seen: &Arc<Watched<Seen>>) {
    let seen = Arc::clone(seen);
    std::thread::spawn(move || {
        let status = child.wait().unwrap();
        let exit = Exit { code: status.exit_code(), signal: status.signal().map(str::to_owned) };
        seen.with(|seen| seen.exit = Some(exit));
    });
}
