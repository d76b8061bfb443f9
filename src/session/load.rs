//! Reading a session file, whatever happened to it.
//!
//! A line that is whole counts; a torn last line does not, and is cut off before anything is appended; a damaged line in the
//! middle is skipped and counted. Calls that are left open at the end are the caller's to close: the answers that say so are
//! entries like any other and go through the one writer. The surprise: the file is never whole in memory, only what it says is.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::SessionError;
use super::entry::{self, Line, Outline, VERSION};
use super::shelf::{self, FileShelf, LONG, Lost};
use crate::protocol::{Content, Entry, EntryBody, History, Message, Part, Text, ToolMessage, ToolStatus};

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
    /// Whether what stays in the file could not be read when somebody looked at it.
    pub(super) lost: Lost,
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

/// What is read of a file at once.
const BLOCK_BYTES: usize = 256 * 1024;

/// Reads the file at `path`.
///
/// # Errors
/// Where it cannot be read at all.
pub fn load(path: &Path) -> Result<Loaded, SessionError> {
    let mut loaded = Loaded::default();
    let read = File::open(path).and_then(|file| loaded.read(path, &file, |_, _| {}));
    read.map_err(|source| SessionError::Open { path: path.to_owned(), source })?;
    Ok(loaded)
}

/// Reads the bytes of a session file.
#[must_use]
pub fn parse(bytes: &[u8]) -> Loaded {
    let mut loaded = Loaded::default();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        loaded.take_line(line, None, &mut |_, _| {});
    }
    loaded
}

impl Loaded {
    /// Reads a file from where it stands to its end, behind what was read so far. `seen` is shown each whole line that is not
    /// empty, with its end, and what it turned out to be. Long results stay where they are.
    pub(super) fn read(
        &mut self,
        path: &Path,
        file: &File,
        mut seen: impl FnMut(&[u8], &Line),
    ) -> io::Result<()> {
        let shelf = FileShelf::of(path, file);
        let mut reader = BufReader::with_capacity(BLOCK_BYTES, file);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            self.take_line(&line, shelf.as_ref(), &mut seen);
            line.clear();
        }
        self.lost = shelf.map(|shelf| shelf.lost).unwrap_or_default();
        Ok(())
    }

    fn take_line(&mut self, whole: &[u8], shelf: Option<&FileShelf>, seen: &mut impl FnMut(&[u8], &Line)) {
        let Some(line) = whole.strip_suffix(b"\n") else { return };
        let at = self.good_bytes;
        self.good_bytes += whole.len() as u64;
        if !line.trim_ascii().is_empty() {
            let shelved = shelf.and_then(|shelf| shelved(line, at, shelf));
            let line = shelved.unwrap_or_else(|| entry::from_line(line));
            seen(whole, &line);
            self.take(line);
        }
    }

    pub(super) fn take(&mut self, line: Line) {
        match line {
            Line::Entry(entry) => {
                if is_newer(&entry) {
                    self.writable = Writable::NewerFormat;
                }
                self.history.take(*entry);
            }
            Line::Unknown { replay: true } => self.writable = Writable::NewerFormat,
            Line::Unknown { replay: false } => {}
            Line::Damaged => self.damaged += 1,
        }
    }
}

/// A long result whose text stays at its place.
fn shelved(line: &[u8], at: u64, kept: &FileShelf) -> Option<Line> {
    let place = Some(shelf::place(at, line)).filter(|place| place.bytes > 0)?;
    let Outline { timestamp, call, name } = entry::outline(line, LONG)?;
    let answer = ToolMessage {
        call_id: call,
        name,
        content: Content(vec![Part::Text(Text::away(&kept.shelf, place))]),
        status: ToolStatus::Success,
    };
    Some(Line::Entry(Box::new(Entry::message(timestamp, Message::Tool(answer)))))
}

fn is_newer(entry: &Entry) -> bool {
    matches!(&entry.body, EntryBody::Session(head) if head.version > VERSION)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{After, AssistantMessage, ChangedBy, SavedFile, StopReason, ToolCall, Usage};

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
        let beside = (history.directories(), history.counted_from());
        let changed: Vec<_> = history.changed_files().collect();
        let said: Vec<_> = history.all().map(|slot| slot.position).collect();
        // what a rewind to anywhere would put back, and what a redo would
        let back: Vec<_> = (0..=history.positions()).map(|position| history.files_at(position)).collect();
        let whose = (history.head(), history.began_ms(), history.redoable());
        format!(
            "{view:#?} {about:?} {beside:?} {changed:?} {said:?} {back:?} {whose:?} {:?} {}",
            history.open_calls(),
            history.positions()
        )
    }

    /// Any entry that could stand anywhere, whether it makes sense there or not.
    fn any_entry() -> impl Strategy<Value = EntryBody> {
        let call = |id: usize| ToolCall::new(format!("call_{id}"), "Read", "{\"a\":1}");
        let said = move |text: String, ids: Vec<usize>| {
            EntryBody::Message(Message::Assistant(AssistantMessage {
                text,
                tool_calls: ids.into_iter().map(call).collect(),
                reasoning: None,
                extra: serde_json::Map::new(),
                model: "m".into(),
                usage: Some(Usage::default()),
                stop_reason: StopReason::EndTurn,
            }))
        };
        let status = prop::sample::select(vec![
            ToolStatus::Success,
            ToolStatus::Failed,
            ToolStatus::Denied,
            ToolStatus::Interrupted,
        ]);
        let answer = move |(id, status, text, times): (usize, ToolStatus, String, usize)| {
            EntryBody::Message(Message::tool(&call(id), status, text.repeat(times)))
        };
        // some are so long that they stay in the file
        let times = prop::sample::select(vec![1, 1, 2 * LONG]);
        let settings =
            (prop::option::of("[a-c]"), prop::option::of("[a-c]"), prop::option::of(vec("[a-c]", 0..3)));
        let saved = |path: String| {
            let before = (path == "a").then(|| "h".to_owned());
            let after = if path == "b" { After::Nothing } else { After::Bytes("i".to_owned()) };
            SavedFile { after, above: path.len(), ..SavedFile::new(path, before, 0o600) }
        };
        let by = prop::sample::select(vec![
            ChangedBy::Tool,
            ChangedBy::Command,
            ChangedBy::Rewind,
            ChangedBy::Redo,
        ]);
        prop_oneof![
            4 => ".{0,6}".prop_map(|text| EntryBody::Message(Message::user(text))),
            4 => (".{0,6}", vec(0..9_usize, 0..3)).prop_map(move |(text, ids)| said(text, ids)),
            6 => (0..9_usize, status, ".{0,6}", times).prop_map(answer),
            1 => (".{0,6}", 0..6_usize).prop_map(|(summary, kept)| EntryBody::Compaction { summary, kept }),
            1 => vec(0..12_usize, 0..4).prop_map(|messages| EntryBody::Masked { messages }),
            1 => (0..12_usize).prop_map(|to| EntryBody::Rewind { to }),
            1 => (0..12_usize).prop_map(|to| EntryBody::Unsaid { to }),
            1 => Just(EntryBody::Redo),
            1 => settings.prop_map(|(model, permission_mode, directories)| EntryBody::Settings {
                model: model.map(Into::into),
                permission_mode,
                directories,
            }),
            1 => ".{0,6}".prop_map(EntryBody::Title),
            1 => (0..12_usize, by, vec("[a-c]".prop_map(saved), 0..3))
                .prop_map(|(message, by, files)| EntryBody::Checkpoint { message, by, files }),
        ]
    }

    proptest! {
        /// What a later process reads is what this one had in mind, after each entry.
        #[test]
        fn the_file_says_what_the_memory_holds(entries in vec(any_entry(), 0..40)) {
            let (mut memory, mut file) = (History::new(), Vec::new());
            for body in entries {
                let entry = Entry { timestamp: 7, body };
                memory.apply(&entry);
                file.extend((entry::to_line(&entry) + "\n").into_bytes());
                let loaded = parse(&file);
                prop_assert_eq!(state(&loaded.history), state(&memory));
                prop_assert_eq!((loaded.damaged, loaded.good_bytes), (0, file.len() as u64));
            }
            let written = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(written.path(), &file).unwrap();
            let loaded = load(written.path()).unwrap();
            prop_assert_eq!(state(&loaded.history), state(&memory));
            prop_assert_eq!((loaded.damaged, loaded.good_bytes), (0, file.len() as u64));
        }
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
