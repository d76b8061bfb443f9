//! What the system says of the terminal, and a line for somebody who waits in front of it.
//!
//! Not the terminal itself, which is taken by the screen: here nothing is changed and nothing is asked of the window, so
//! whoever prints a page may look. The line is written without any control sequence: a carriage return and spaces take it
//! off again, on a dumb terminal too.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;

use crate::text::units;

/// From then on it is said how long something has been waited for.
const LONG: Duration = Duration::from_secs(2);

/// What stands at our ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tty {
    /// Whether keys come from a terminal.
    pub input: bool,
    /// Whether what is printed goes to one.
    pub output: bool,
    /// Columns and rows of the window, where one of the ends has a window.
    pub size: Option<(u16, u16)>,
}

impl Tty {
    /// Looks at the three standard streams.
    #[must_use]
    pub fn look() -> Self {
        let sizes = [tcgetwinsize(io::stdout()), tcgetwinsize(io::stderr()), tcgetwinsize(io::stdin())];
        let known = sizes.into_iter().flatten().map(|size| (size.ws_col, size.ws_row));
        Self {
            input: io::stdin().is_terminal(),
            output: io::stdout().is_terminal(),
            size: known.into_iter().find(|(columns, rows)| *columns > 0 && *rows > 0),
        }
    }
}

/// A line on standard error that says what is waited for; nothing where that is no terminal. Dropping it takes it off.
#[derive(Debug)]
pub struct WaitingLine {
    shown: bool,
    now: RefCell<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    what: String,
    since: Instant,
    /// Columns that stand there.
    columns: usize,
}

impl Default for WaitingLine {
    fn default() -> Self {
        let now = Waiting { what: String::new(), since: Instant::now(), columns: 0 };
        Self { shown: io::stderr().is_terminal(), now: RefCell::new(now) }
    }
}

impl WaitingLine {
    /// How often it is worth drawing anew.
    pub const STEP: Duration = Duration::from_secs(1);

    /// From now on this is waited for: a few words of ASCII.
    pub fn turn_to(&self, what: &str) {
        let mut now = self.now.borrow_mut();
        what.clone_into(&mut now.what);
        now.since = Instant::now();
        self.write(&mut now);
    }

    /// Draws it as it is now.
    pub fn draw(&self) {
        self.write(&mut self.now.borrow_mut());
    }

    fn write(&self, now: &mut Waiting) {
        if !self.shown {
            return;
        }
        let took = now.since.elapsed();
        let long = if took < LONG { String::new() } else { format!(", {}", units::duration(took)) };
        let line = format!("  waiting for {}{long}", now.what);
        put(&format!("\r{line:width$}", width = now.columns));
        now.columns = line.len();
    }
}

impl Drop for WaitingLine {
    fn drop(&mut self) {
        let columns = self.now.get_mut().columns;
        if columns > 0 {
            put(&format!("\r{:columns$}\r", ""));
        }
    }
}

/// Nobody is told less where it cannot be written: it is a courtesy.
fn put(text: &str) {
    let mut err = io::stderr();
    drop(err.write_all(text.as_bytes()).and_then(|()| err.flush()));
}
