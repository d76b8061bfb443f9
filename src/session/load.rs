//! Reading a session file, whatever happened to it.
//!
//! A line that is whole counts; a torn last line does not, and is cut off before anything is appended; a damaged line in the
//! middle is skipped and counted. Calls that are left open at the end are the caller's to close: the answers that say so are
//! entries like any other and go through the one writer.

use std::path::Path;

use super::SessionError;
use super::entry::{self, Line, VERSION};
use crate::protocol::{Entry, EntryBody, History};

/// What a session file holds.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The conversation.
    pub history: History,
    /// Lines in the middle that are no entries.
    pub damaged: usize,
    /// Where the whole lines end, in bytes; what stands behind it is torn.
    pub good_bytes: u64,
    /// Whether the file may be continued.
    pub writable: Writable,
}

/// Whether a file may be continued by this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writable {
    /// It may.
    #[default]
    Yes,
    /// A newer version wrote something into it that changes what the conversation is.
    NewerFormat,
}

/// Reads the file at `path`.
///
/// # Errors
/// Where it cannot be read at all.
pub fn load(path: &Path) -> Result<Loaded, SessionError> {
    let bytes = std::fs::read(path).map_err(|source| SessionError::Open { path: path.to_owned(), source })?;
    Ok(parse(&bytes))
}

/// Reads the bytes of a session file.
#[must_use]
pub fn parse(bytes: &[u8]) -> Loaded {
    let mut loaded = Loaded::default();
    let mut begin = 0_usize;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        begin += line.len();
        let Some(line) = line.strip_suffix(b"\n") else { continue };
        loaded.good_bytes = begin as u64;
        if !line.trim_ascii().is_empty() {
            loaded.take(entry::from_line(line));
        }
    }
    loaded
}

impl Loaded {
    fn take(&mut self, line: Line) {
        match line {
            Line::Entry(entry) => {
                if is_newer(&entry) {
                    self.writable = Writable::NewerFormat;
                }
                self.history.apply(&entry);
            }
            Line::Unknown { replay: true } => self.writable = Writable::NewerFormat,
            Line::Unknown { replay: false } => {}
            Line::Damaged => self.damaged += 1,
        }
    }
}

fn is_newer(entry: &Entry) -> bool {
    matches!(&entry.body, EntryBody::Session(head) if head.version > VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Message;

    fn lines(texts: &[&str]) -> Vec<u8> {
        texts
            .iter()
            .flat_map(|text| {
                let mut line = entry::to_line(&Entry::message(1, Message::user(*text))).into_bytes();
                line.push(b'\n');
                line
            })
            .collect()
    }

    #[test]
    fn a_file_cut_at_any_byte_gives_every_whole_line() {
        let bytes = lines(&["one", "two", "three"]);
        for cut in 0..=bytes.len() {
            let whole = bytes[..cut].split(|&byte| byte == b'\n').count() - 1;
            let loaded = parse(&bytes[..cut]);
            assert_eq!(loaded.history.len(), whole, "cut at {cut}");
            assert_eq!(loaded.damaged, 0);
            assert!(loaded.good_bytes <= cut as u64);
        }
    }

    const FIXTURES: [&[u8]; 3] = [
        include_bytes!("../../tests/fixtures/sessions/plain.jsonl"),
        include_bytes!("../../tests/fixtures/sessions/rich.jsonl"),
        include_bytes!("../../tests/fixtures/sessions/torn.jsonl"),
    ];

    /// All that counts of a conversation.
    fn state(history: &History) -> String {
        let view: Vec<_> =
            history.view().map(|(slot, masked)| (slot.position, &slot.message, masked)).collect();
        let about = (history.summary(), history.title(), history.model(), history.permission_mode());
        format!("{view:#?} {about:?} {:?} {}", history.open_calls(), history.positions())
    }

    #[test]
    fn what_a_prefix_of_the_file_gives_is_what_stood_in_memory_when_it_was_written() {
        for bytes in FIXTURES {
            let mut memory = Loaded::default();
            let mut written = 0;
            for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                for part in [1, line.len() / 2, line.len() - 1] {
                    let torn = parse(&bytes[..written + part]);
                    assert_eq!(state(&torn.history), state(&memory.history), "{part} bytes behind {written}");
                }
                written += line.len();
                if line.ends_with(b"\n") && line.len() > 1 {
                    memory.take(entry::from_line(line));
                }
                let whole = parse(&bytes[..written]);
                assert_eq!(state(&whole.history), state(&memory.history), "{written} bytes");
                assert_eq!(whole.damaged, memory.damaged);
            }
        }
    }

    #[test]
    fn a_damaged_line_in_the_middle_is_skipped_and_counted() {
        let mut bytes = lines(&["one"]);
        bytes.extend_from_slice(b"\0\0\0garbage\n");
        bytes.extend(lines(&["two"]));
        let loaded = parse(&bytes);
        assert_eq!((loaded.history.len(), loaded.damaged), (2, 1));
    }

    #[test]
    fn what_a_newer_version_wrote_is_not_continued() {
        let newer = br#"{"type":"session","version":2,"id":"s","timestamp":1}"#;
        assert_eq!(parse(&[newer.as_slice(), b"\n"].concat()).writable, Writable::NewerFormat);
        assert_eq!(parse(b"{\"type\":\"x\",\"replay\":true}\n").writable, Writable::NewerFormat);
        assert_eq!(parse(b"{\"type\":\"x\"}\n").writable, Writable::Yes);
    }
}
