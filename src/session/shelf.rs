//! Long results that stay in the session's file until somebody looks at them.
//!
//! It has a handle of its own on the file, not the writer's: the lock goes with that one, and a text that somebody still holds
//! must not keep a session closed. Where the file was removed meanwhile the handle still reads it; where it was cut or written
//! anew, a place no longer holds an answer's line, and then the text says so: nothing else of the conversation is lost, and who
//! has the writer is told once.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::entry::{self, Line};
use crate::os::identity::Identity;
use crate::protocol::{EntryBody, Message, Part, Place, Shelf, Text};

/// A text of so many bytes stays in the file until somebody looks at it. What is shorter is no longer than its place.
pub(super) const LONG: usize = 512;

/// By so many bytes at each end a line is known again.
const END: usize = 64;

/// What stands in the place of a text that can no longer be read.
const LOST: &str = "Error: cannot read this result: another program modified the session file";

/// Where the messages stand that a writer has written.
#[derive(Debug, Default)]
pub(super) struct Places {
    shelf: Option<FileShelf>,
    /// Position of the first of them.
    first: usize,
    /// Where the line of each stands.
    lines: Vec<Place>,
}

/// Whether a text could not be read, which is told once.
#[derive(Debug, Clone, Default)]
pub(super) struct Lost(Arc<AtomicBool>);

/// A file whose results stay in it.
#[derive(Debug, Clone)]
pub(super) struct FileShelf {
    pub(super) shelf: Shelf,
    pub(super) lost: Lost,
}

impl Places {
    /// Those of a file that is open and holds so many messages so far.
    pub(super) fn behind(path: &Path, file: &File, messages: usize) -> Self {
        Self { shelf: FileShelf::of(path, file), first: messages, lines: Vec::new() }
    }

    /// A line was written there.
    pub(super) fn note(&mut self, at: u64, line: &str) {
        if entry::is_message(line) {
            self.lines.push(place(at, line.trim_end().as_bytes()));
        }
    }

    /// The result at this position, to be read when somebody looks at it; none where this writer has not written it, or it is
    /// short.
    pub(super) fn result(&self, position: usize) -> Option<Text> {
        let &place = self.lines.get(position.checked_sub(self.first)?)?;
        let shelf = self.shelf.as_ref().filter(|_| place.bytes as usize >= LONG)?;
        Some(Text::away(&shelf.shelf, place))
    }

    /// Whether anything could not be read back.
    pub(super) fn take_lost(&self) -> bool {
        self.shelf.as_ref().is_some_and(|shelf| shelf.lost.take())
    }
}

impl Lost {
    /// Whether anything was lost since this was asked last.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl FileShelf {
    /// The shelf of a file that is open, by another handle on it; none where there can be none.
    pub(super) fn of(path: &Path, open: &File) -> Option<Self> {
        let again = File::open(path).ok()?;
        let [new, old] = [&again, open].map(|file| file.metadata().ok().map(|meta| Identity::of(&meta)));
        (new? == old?).then(|| Self::new(again, path.to_owned()))
    }

    fn new(file: File, path: PathBuf) -> Self {
        let lost = Lost::default();
        let note = lost.clone();
        let shelf = Shelf::new(move |place| match text(&file, place) {
            Ok(text) => text,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), at = place.at, "cannot read a result from \
                    the session file");
                note.0.store(true, Ordering::Relaxed);
                LOST.to_owned()
            }
        });
        Self { shelf, lost }
    }
}

/// The place of a line, without its newline, that begins there. It is known again by its two ends: in them are the call and the
/// time.
pub(super) fn place(at: u64, line: &[u8]) -> Place {
    let mut hasher = DefaultHasher::new();
    line.get(..END).unwrap_or(line).hash(&mut hasher);
    line.get(line.len().saturating_sub(END)..).unwrap_or(line).hash(&mut hasher);
    let mark = (hasher.finish() & u64::from(u32::MAX)).try_into().unwrap_or_default();
    // a longer line has none: nobody asks for a short one
    Place { at, bytes: line.len().try_into().unwrap_or_default(), mark }
}

/// The text of the answer whose line stands there.
fn text(file: &File, wanted: Place) -> io::Result<String> {
    let mut line = vec![0; wanted.bytes as usize];
    file.read_exact_at(&mut line, wanted.at)?;
    let changed = || io::Error::new(io::ErrorKind::InvalidData, "the line has changed");
    if place(wanted.at, &line) != wanted {
        return Err(changed());
    }
    let Line::Entry(entry) = entry::from_line(&line) else { return Err(changed()) };
    let EntryBody::Message(Message::Tool(answer)) = entry.body else { return Err(changed()) };
    match <[Part; 1]>::try_from(answer.content.0) {
        Ok([Part::Text(text)]) => Ok(text.into()),
        Ok([Part::Image { .. }]) | Err(_) => Err(changed()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use proptest::prelude::*;
    use tempfile::NamedTempFile;

    use super::super::load;
    use super::*;
    use crate::protocol::{AssistantMessage, Entry, History, Results, StopReason, ToolCall, ToolStatus};

    /// A result of some 3 KB.
    fn long(number: usize) -> String {
        format!("result {number}\n").repeat(250)
    }

    fn said(calls: Vec<ToolCall>) -> EntryBody {
        EntryBody::Message(Message::Assistant(AssistantMessage {
            text: "I look.".to_owned(),
            tool_calls: calls,
            reasoning: None,
            extra: serde_json::Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::ToolUse,
        }))
    }

    /// So many calls with long results, a summary before this one.
    fn session(calls: usize, summary: Option<usize>) -> NamedTempFile {
        let mut bodies = vec![EntryBody::Message(Message::user("go"))];
        for number in 0..calls {
            if summary == Some(number) {
                bodies.push(EntryBody::Compaction { summary: "much".to_owned(), kept: 2 });
            }
            let call = ToolCall::new(format!("c{number}"), "Read", "{}");
            bodies.push(said(vec![call.clone()]));
            bodies.push(EntryBody::Message(Message::tool(&call, ToolStatus::Success, long(number))));
        }
        let line = |body| entry::to_line(&Entry { timestamp: 1, body }) + "\n";
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bodies.into_iter().map(line).collect::<String>()).unwrap();
        file
    }

    fn text_of(message: &Message) -> Option<&Text> {
        match message {
            Message::Tool(answer) => match answer.content.0.as_slice() {
                [Part::Text(text)] => Some(text),
                _ => None,
            },
            Message::User(_) | Message::Assistant(_) => None,
        }
    }

    fn texts(history: &History) -> Vec<&Text> {
        history.all().filter_map(|slot| text_of(&slot.message)).collect()
    }

    fn read_so_far(history: &History) -> usize {
        texts(history).iter().filter(|text| text.is_here()).count()
    }

    #[test]
    fn nothing_is_read_of_500_results_until_somebody_looks_and_then_only_that() {
        let file = session(500, Some(480));
        let loaded = load::load(file.path()).unwrap();
        assert_eq!((texts(&loaded.history).len(), read_so_far(&loaded.history)), (500, 0));
        let results = Results::of(&loaded.history);
        assert_eq!(results.text(&"c7".into()), Some(long(7)));
        assert_eq!(read_so_far(&loaded.history), 1);
        // what a request would send: the results behind the summary, and the one that it keeps
        let sent = loaded.history.messages().map(|message| format!("{message:?}").len()).sum::<usize>();
        assert!(sent > 21 * long(480).len());
        assert_eq!(read_so_far(&loaded.history), 22);
    }

    #[test]
    fn what_stands_before_a_summary_is_read_once_a_rewind_goes_there() {
        let file = session(20, Some(15));
        let mut history = load::load(file.path()).unwrap().history;
        history.apply(&Entry { timestamp: 2, body: EntryBody::Rewind { to: 21 } });
        assert_eq!((history.summary(), read_so_far(&history)), (None, 0));
        let told: Vec<String> = history
            .messages()
            .filter_map(|message| match message {
                Message::Tool(answer) => Some(answer.content.to_text()),
                Message::User(_) | Message::Assistant(_) => None,
            })
            .collect();
        assert_eq!(told, (0..10).map(long).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_that_is_removed_is_read_all_the_same() {
        let file = session(2, None);
        let loaded = load::load(file.path()).unwrap();
        drop(file);
        assert_eq!(texts(&loaded.history), [long(0).as_str(), long(1).as_str()].map(Text::from).each_ref());
        assert!(!loaded.lost.take());
    }

    #[test]
    fn a_file_that_was_changed_loses_what_stood_there_and_nothing_else() {
        let file = session(3, None);
        let loaded = load::load(file.path()).unwrap();
        let bytes = std::fs::read(file.path()).unwrap();
        let second = bytes.windows(8).position(|part| part == b"result 1").unwrap() as u64;
        let changed = OpenOptions::new().write(true).open(file.path()).unwrap();
        changed.write_all_at(b"\"\n\0", second).unwrap();
        let third = bytes.windows(8).position(|part| part == b"result 2").unwrap() as u64;
        changed.set_len(third).unwrap();
        let expected = [long(0).as_str(), LOST, LOST].map(Text::from);
        assert_eq!(texts(&loaded.history), expected.each_ref());
        assert!(loaded.lost.take(), "it is told");
        assert!(!loaded.lost.take(), "once");
        assert_eq!(loaded.history.len(), 7);
    }

    #[test]
    fn what_is_put_in_the_place_of_a_file_is_not_read_for_it() {
        let file = session(1, None);
        let open = File::open(file.path()).unwrap();
        let other = session(1, None);
        std::fs::rename(other.path(), file.path()).unwrap();
        assert!(FileShelf::of(file.path(), &open).is_none());
    }

    proptest! {
        /// Whether a line counts does not depend on whether its text is read.
        #[test]
        fn a_line_whose_text_stays_is_one_that_could_be_read(
            at in any::<prop::sample::Index>(),
            put in prop::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(b"\"\\{}[]u,d8\xc3\0".to_vec())], 0..4,
            ),
            cut in 0_usize..3,
            form in 0_usize..3,
            status in prop::sample::select(vec![ToolStatus::Success, ToolStatus::Failed, ToolStatus::Denied]),
        ) {
            let text = ["a\n\u{e4}\u{1f980}\"b", "\u{1}\\", "x"][form].repeat(9);
            let call = ToolCall::new("c", "Read", "{}");
            let entry = Entry::message(7, Message::tool(&call, status, text));
            let mut line = entry::to_line(&entry).into_bytes();
            let at = at.index(line.len());
            line.splice(at..(at + cut).min(line.len()), put);
            if let Some(outline) = entry::outline(&line, 4) {
                let Line::Entry(read) = entry::from_line(&line) else { panic!("{}", line.escape_ascii()) };
                let EntryBody::Message(Message::Tool(answer)) = read.body else { panic!("no answer") };
                prop_assert_eq!(
                    (outline.timestamp, outline.call, outline.name),
                    (read.timestamp, answer.call_id, answer.name)
                );
                prop_assert_eq!(answer.status, ToolStatus::Success);
                prop_assert!(matches!(answer.content.0.as_slice(), [Part::Text(_)]));
            }
        }
    }

    #[test]
    fn half_a_character_is_found_without_reading() {
        let line = |text: &str| {
            format!(r#"{{"type":"message","role":"tool","tool_call_id":"c","content":"{text}"}}"#)
        };
        for (text, stays) in [("aaaa", true), (r"\u00e4", true), (r"\ud800", false), (r"\uDC00x", false)] {
            let line = line(text).into_bytes();
            assert_eq!(entry::outline(&line, 4).is_some(), stays, "{text}");
        }
        assert_eq!(entry::from_line(line(r"\ud800").as_bytes()), Line::Damaged);
    }
}
