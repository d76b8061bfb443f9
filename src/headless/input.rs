//! The prompt of a headless run: words of the command line, and standard input.
//!
//! Input that is piped follows the words after a blank line. Where there are words it need not come: it is waited for 2 s and then
//! left, because many callers pass on an input that nobody ever writes to or closes.

use std::io::{self, IsTerminal, Read};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How long the first byte of a piped input is waited for where there is a prompt without it (the outside contract).
const PATIENCE: Duration = Duration::from_secs(2);

/// What standard input gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piped {
    /// Nothing is piped.
    None,
    /// This.
    Text(String),
    /// Nothing came in time.
    Silent,
}

/// Reads standard input to its end, if it is piped. Blocks; `words` says whether there is a prompt without it.
///
/// # Errors
/// Where it cannot be read.
pub fn read_piped(words: Words) -> io::Result<Piped> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Ok(Piped::None);
    }
    if words == Words::Some && !readable_within(&stdin, PATIENCE)? {
        return Ok(Piped::Silent);
    }
    let mut bytes = Vec::new();
    stdin.lock().read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(if text.trim().is_empty() { Piped::None } else { Piped::Text(text) })
}

/// Whether the command line has a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// It has.
    Some,
    /// It has none.
    None,
}

/// Both together; none where there is neither.
#[must_use]
pub fn join(words: &str, piped: &Piped) -> Option<String> {
    let words = words.trim();
    let piped = match piped {
        Piped::Text(text) => text.trim_end(),
        Piped::None | Piped::Silent => "",
    };
    match (words.is_empty(), piped.is_empty()) {
        (true, true) => None,
        (true, false) => Some(piped.to_owned()),
        (false, true) => Some(words.to_owned()),
        (false, false) => Some(format!("{words}\n\n{piped}")),
    }
}

fn readable_within(stdin: &io::Stdin, patience: Duration) -> io::Result<bool> {
    let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
    let mut watched = [PollFd::new(stdin, PollFlags::IN)];
    loop {
        match poll(&mut watched, Some(&patience)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_input_are_joined_by_a_blank_line() {
        let text = |text: &str| Piped::Text(text.to_owned());
        assert_eq!(join("why?", &text("log\n")).as_deref(), Some("why?\n\nlog"));
        assert_eq!(join("", &text("  indented\n")).as_deref(), Some("  indented"));
        assert_eq!(join("why?", &Piped::Silent).as_deref(), Some("why?"));
        assert_eq!(join(" ", &Piped::None), None);
    }
}
