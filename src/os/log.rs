//! The verbose log of `--debug`: one file, off unless asked for.
//!
//! Only this program's own lines go there; the libraries below it would log whole bodies. Those who log name turns, tools and
//! sizes, never a header; what they quote of an error goes through the redactor and the sanitiser, for a log is read in a
//! terminal. So does what is said of a crash: a panic may quote any text.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::borrow::Cow;
use std::io::{self, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tracing_subscriber::EnvFilter;

use super::paths::{Open, private_dir, private_file};
use crate::text::redact::{Hide, Redactor};
use crate::text::sanitize::sanitize;

/// What no line may hold; known once the configuration has been read.
static HIDDEN: Mutex<Option<Arc<Redactor>>> = Mutex::new(None);

/// Our own lines, all of them; nothing of anybody else.
const OURS: &str = "off,clawd=debug";

/// Begins to log into a file of its own in `directory`, named by the time; returns the file.
///
/// # Errors
/// Where it cannot be made.
pub fn begin(directory: &Path, now_ms: u64) -> io::Result<PathBuf> {
    private_dir(directory)?;
    let path = directory.join(format!("clawd-{now_ms}.log"));
    let file = private_file(&path, Open::Append)?;
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(OURS))
        .with_writer(Mutex::new(Clean(file)))
        .with_ansi(false)
        .try_init()
        .map_err(io::Error::other)?;
    Ok(path)
}

/// From now on no line of the log and no report of a crash holds what `redactor` hides.
pub fn hide(redactor: Arc<Redactor>) {
    *HIDDEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(redactor);
}

/// From now on a panic is reported on standard error in clean text.
pub fn report_panics() {
    panic::set_hook(Box::new(|info| {
        let name = thread::current().name().unwrap_or("unnamed").to_owned();
        let trace = Backtrace::capture();
        let trace =
            if trace.status() == BacktraceStatus::Captured { format!("{trace}\n") } else { String::new() };
        let report = clean(&format!("thread '{name}' {info}\n{trace}"));
        // there is nobody to tell that nobody can be told
        drop(io::stderr().write_all(report.as_bytes()));
    }));
}

/// Without secrets, and without anything that a terminal would obey.
fn clean(text: &str) -> String {
    let hidden = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
    let text = hidden.as_ref().map_or(Cow::Borrowed(text), |redactor| redactor.redact(text, Hide::All));
    sanitize(&text).into_owned()
}

/// A file that gets clean lines. The subscriber writes a line at once.
struct Clean<W>(W);

impl<W: Write> Write for Clean<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(clean(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_holds_no_secret_and_no_sequence() {
        hide(Arc::new(Redactor::new(
            ["sk-0123456789".to_owned()],
            [("DB_PASS".to_owned(), "correct horse battery".to_owned())],
        )));
        let mut file = Clean(Vec::new());
        file.write_all(b"a sk-0123456789 b correct horse battery \x1b]0;title\x07c\n").unwrap();
        assert_eq!(file.0, b"a [redacted key] b [secret: DB_PASS] c\n");
    }
}
