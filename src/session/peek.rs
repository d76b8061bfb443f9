//! A look into a session without reading it: what it is called, how much was said, and what was said last.
//!
//! For lists. Of a file that is opened once, the beginning and the end are looked at, and what lies between only where
//! messages are counted. A message that was taken back is counted all the same, and a line that is damaged is none. The
//! surprise: lines are told apart by how they begin and almost none is read as what it is, for a list of a thousand sessions
//! has to be there at once.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::entry::{self, Line};
use super::load;
use crate::protocol::{EntryBody, Message, Origin, SessionHead, UserMessage};

/// How lines of messages begin that a person would call so. The writer keeps this order of names.
const SPOKEN: [&[u8]; 2] = [USER, br#"{"type":"message","role":"assistant""#];
const USER: &[u8] = br#"{"type":"message","role":"user""#;
/// The longest of these beginnings.
const BEGINNING: u64 = 36;
const TITLE: &[u8] = br#"{"type":"title""#;
/// What may take back the first that was said.
const UNSAYING: [&[u8]; 2] = [br#"{"type":"rewind""#, br#"{"type":"redo""#];

/// What is read of every file: its head is one short line, and the first prompt stands behind it.
const START_BYTES: u64 = 64 * 1024;
/// Where the first thing that the user said is looked for when it is not found there; a long prompt is read to its end.
const FURTHER_BYTES: [u64; 2] = [256 * 1024, 8 * 1024 * 1024];
/// Where a title that was given later is looked for, from the end: the writer says it again before it is further away.
const TITLE_TAIL_BYTES: u64 = 64 * 1024;
/// What the line of a reminder has near its end, how near, and how long such a line is at most.
const REMINDER: &[u8] = br#""origin":"reminder""#;
const REMINDER_TAIL: usize = 80;
const REMINDER_BYTES: u64 = 4 * 1024;
/// Where the last messages are looked for, from the end.
const LAST_BYTES: u64 = 256 * 1024;
/// What is read at once where messages are counted.
const BLOCK_BYTES: usize = 256 * 1024;

/// Whether the messages are counted, for which the whole file is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// What a look has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// The first line.
    pub(super) head: SessionHead,
    /// A line of what it is called: its title where it was given one, else the first thing that the user said.
    pub(super) title: Option<String>,
    /// How many messages of the user and of the model it holds, where they were counted.
    pub(super) spoken: Option<usize>,
}

/// Looks into the file; `None` where it has no head.
pub(super) fn look(path: &Path, counting: Counting) -> Option<Seen> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut start = Vec::new();
    read_on(&mut file, &mut start, START_BYTES).ok()?;
    let head = head(&start)?;
    let said = said(&mut file, &mut start, length);
    let title = last_title(&mut file, &start, length).or(said);
    let title =
        title.and_then(|title| title.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned));
    let spoken = match counting {
        Counting::Yes => count(&mut file).ok(),
        Counting::No => None,
    };
    Some(Seen { head, title, spoken })
}

/// What the first of these lines says.
pub(super) fn head(start: &[u8]) -> Option<SessionHead> {
    let Line::Entry(entry) = entry::from_line(lines(start).next()?.trim_ascii_end()) else { return None };
    if let EntryBody::Session(head) = entry.body { Some(head) } else { None }
}

/// The first bytes of a file, among which is its head if it has one.
pub(super) fn start(path: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    read_on(&mut File::open(path).ok()?, &mut start, START_BYTES).ok()?;
    Some(start)
}

/// The first thing that the user said. More of the file is read into `start` where it is not there.
fn said(file: &mut File, start: &mut Vec<u8>, length: u64) -> Option<String> {
    let unsaid = lines(start).any(|line| UNSAYING.iter().any(|beginning| line.starts_with(beginning)));
    let first = || lines(start).filter(|line| line.starts_with(USER)).find_map(words);
    if let Some(said) = Some(()).filter(|()| !unsaid).and_then(|()| first()) {
        return Some(said);
    }
    for bytes in FURTHER_BYTES {
        read_on(file, start, bytes).ok()?;
        let history = load::parse(start).history;
        let said = history.all().find_map(|slot| match &slot.message {
            Message::User(user) => by_a_person(user),
            Message::Assistant(_) | Message::Tool(_) => None,
        });
        // what is cut off in the middle of a prompt may be the first one
        let is_cut = lines(start).last().is_some_and(|line| line.starts_with(USER) && !line.ends_with(b"\n"));
        if said.is_some() || !is_cut || start.len() as u64 >= length {
            return said;
        }
    }
    None
}

fn words(line: &[u8]) -> Option<String> {
    let Line::Entry(entry) = entry::from_line(line.strip_suffix(b"\n")?) else { return None };
    match entry.body {
        EntryBody::Message(Message::User(user)) => by_a_person(&user),
        _ => None,
    }
}

/// The words of a message that somebody typed.
fn by_a_person(user: &UserMessage) -> Option<String> {
    match user.origin {
        Origin::User | Origin::Queued | Origin::Command | Origin::Shell => {
            Some(user.words()).filter(|words| !words.trim().is_empty())
        }
        Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook => None,
    }
}

/// The title that stands last, at the end of a file of which the beginning was read, or in that.
fn last_title(file: &mut File, start: &[u8], length: u64) -> Option<String> {
    let title = |line: &[u8]| match entry::from_line(line.strip_suffix(b"\n")?) {
        Line::Entry(entry) => match entry.body {
            EntryBody::Title(text) => Some(text).filter(|text| !text.trim().is_empty()),
            _ => None,
        },
        Line::Unknown { .. } | Line::Damaged => None,
    };
    let last = |lines: Lines<'_>| lines.filter(|line| line.starts_with(TITLE)).filter_map(title).last();
    let end = if length > start.len() as u64 { tail(file, TITLE_TAIL_BYTES)? } else { Vec::new() };
    last(lines(&end)).or_else(|| last(lines(start)))
}

/// How many messages of the user and of the model the file holds.
fn count(file: &mut File) -> io::Result<usize> {
    file.rewind()?;
    let mut reader = BufReader::with_capacity(BLOCK_BYTES, file);
    let (mut line, mut count) = (Vec::new(), 0);
    while reader.by_ref().take(BEGINNING).read_until(b'\n', &mut line)? > 0 {
        let is_spoken = SPOKEN.iter().any(|beginning| line.starts_with(beginning));
        if line.starts_with(USER) && !line.ends_with(b"\n") {
            reader.by_ref().take(REMINDER_BYTES).read_until(b'\n', &mut line)?;
        }
        count += usize::from(is_spoken && !is_reminder(&line));
        if !line.ends_with(b"\n") {
            reader.skip_until(b'\n')?;
        }
        line.clear();
    }
    Ok(count)
}

/// Whether it is a message that nobody said. Within a text the quotes are escaped, so this can only be the field itself.
fn is_reminder(line: &[u8]) -> bool {
    let end = line.get(line.len().saturating_sub(REMINDER_TAIL)..).unwrap_or(line);
    end.windows(REMINDER.len()).any(|part| part == REMINDER)
}

/// The last messages of the user and of the model, at most so many, the oldest first; fewer where they are long.
#[must_use]
pub fn last(path: &Path, most: usize) -> Vec<Message> {
    let Some(end) = File::open(path).ok().and_then(|mut file| tail(&mut file, LAST_BYTES)) else {
        return Vec::new();
    };
    let history = load::parse(&end).history;
    let spoken = history.messages().rev().filter(|message| match message {
        Message::User(user) => user.origin != Origin::Reminder,
        Message::Assistant(said) => !said.text.trim().is_empty(),
        Message::Tool(_) => false,
    });
    let mut last: Vec<Message> = spoken.take(most).cloned().collect();
    last.reverse();
    last
}

/// The whole lines among the last bytes of a file.
fn tail(file: &mut File, bytes: u64) -> Option<Vec<u8>> {
    let length = file.metadata().ok()?.len();
    let from = length.saturating_sub(bytes);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut end = Vec::with_capacity(usize::try_from(bytes).ok()?);
    file.take(bytes).read_to_end(&mut end).ok()?;
    if from > 0 {
        // what is cut in half at the beginning is no line
        let whole = end.iter().position(|&byte| byte == b'\n').map_or(end.len(), |at| at + 1);
        end.drain(..whole);
    }
    Some(end)
}

/// Reads on from where the file stands until `start` holds so many bytes, or the file ends.
fn read_on(file: &mut File, start: &mut Vec<u8>, bytes: u64) -> io::Result<()> {
    let more = bytes.saturating_sub(start.len() as u64);
    // room that is given at once is not moved as it grows, and is there again for the next file
    start.reserve_exact(usize::try_from(more.min(START_BYTES)).unwrap_or_default());
    file.take(more).read_to_end(start).map(drop)
}

/// The lines of a text, each with its end.
pub(super) fn lines(text: &[u8]) -> Lines<'_> {
    Lines(text)
}

pub(super) struct Lines<'a>(&'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (text, mut rest) = (self.0, self.0);
        let length = rest.skip_until(b'\n').ok().filter(|length| *length > 0)?;
        self.0 = rest;
        text.get(..length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Entry;

    fn file(entries: &[EntryBody]) -> tempfile::NamedTempFile {
        let line = |body: &EntryBody| entry::to_line(&Entry { timestamp: 1, body: body.clone() }) + "\n";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), entries.iter().map(line).collect::<String>()).unwrap();
        file
    }

    fn user(text: &str) -> EntryBody {
        EntryBody::Message(Message::user(text))
    }

    fn head() -> EntryBody {
        EntryBody::Session(SessionHead {
            version: 1,
            id: "s".into(),
            cwd: "/w".to_owned(),
            model: "m".into(),
            clawd_version: "0".to_owned(),
            parent: None,
        })
    }

    #[track_caller]
    fn check_called(entries: &[EntryBody], expected: Option<&str>) {
        let entries = [&[head()], entries].concat();
        assert_eq!(look(file(&entries).path(), Counting::No).unwrap().title.as_deref(), expected);
    }

    #[test]
    fn what_was_said_is_counted_and_what_tools_gave_is_not() {
        for (fixture, expected) in [
            (include_str!("../../tests/fixtures/sessions/plain.jsonl"), 4),
            (include_str!("../../tests/fixtures/sessions/rich.jsonl"), 0),
        ] {
            let spoken =
                |line: &&str| line.starts_with(r#"{"type":"message""#) && !line.contains(r#""role":"tool""#);
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), fixture).unwrap();
            let counted = look(file.path(), Counting::Yes).unwrap().spoken.unwrap();
            assert_eq!(counted, fixture.lines().filter(spoken).count());
            assert!(counted >= expected);
        }
    }

    #[test]
    fn the_last_words_are_found_behind_much_else() {
        let long = "x".repeat(300_000);
        let file = file(&[user("one"), user(&long), user("two"), user("three")]);
        let last_of = last;
        let last = |most| -> Vec<String> {
            let texts = last_of(file.path(), most).into_iter();
            texts
                .map(|message| match message {
                    Message::User(user) => user.words(),
                    other => panic!("{other:?}"),
                })
                .collect()
        };
        assert_eq!(last(1), ["three"]);
        assert_eq!(last(9), ["two", "three"], "what is cut in half is passed over");
        assert_eq!(last_of(Path::new("/nowhere"), 1), []);
    }

    #[test]
    fn a_reminder_is_no_title_and_nothing_that_was_said() {
        let reminder =
            EntryBody::Message(Message::User(UserMessage::new(Origin::Reminder, "<system-reminder>")));
        let first = r#"an "origin":"reminder""#;
        let file = file(&[head(), reminder.clone(), user(first), reminder, user("two")]);
        let seen = look(file.path(), Counting::Yes).unwrap();
        assert_eq!((seen.spoken, seen.title.as_deref()), (Some(2), Some(first)));
        assert_eq!(last(file.path(), 9).len(), 2);
    }

    #[test]
    fn a_title_counts_wherever_the_writer_leaves_it() {
        let long = "x".repeat(300_000);
        let title = |text: &str| EntryBody::Title(text.to_owned());
        check_called(&[user("first"), user(&long)], Some("first"));
        check_called(&[user("first"), user(&long), title("late")], Some("late"));
        check_called(&[title("early"), user(&long), title("late"), user("more")], Some("late"));
        check_called(&[user("first"), title("named")], Some("named"));
        check_called(&[title("early"), user("first"), user(&long)], Some("early"));
        check_called(&[user("first"), title(" ")], Some("first"));
    }

    #[test]
    fn without_a_title_it_is_called_by_the_first_that_a_person_said() {
        let long = "x".repeat(300_000);
        let note =
            EntryBody::Message(Message::User(UserMessage::new(Origin::Note, "a directory".to_owned())));
        check_called(&[], None);
        check_called(std::slice::from_ref(&note), None);
        check_called(&[note, user("first\nline"), user("second")], Some("first"));
        check_called(&[user(" \n "), user("\n two \n")], Some("two"));
        check_called(&[user(&format!("long {long}"))], Some(&format!("long {long}")));
        check_called(&[user("taken back"), EntryBody::Rewind { to: 0 }, user("instead")], Some("instead"));
        check_called(&[user("kept"), user("x"), EntryBody::Rewind { to: 1 }, EntryBody::Redo], Some("kept"));
        let gone = EntryBody::Compaction { summary: "s".to_owned(), kept: 0 };
        check_called(&[user("first"), gone, user("later")], Some("first"));
    }

    #[test]
    fn lines_are_counted_across_blocks_and_in_a_torn_file() {
        let all: Vec<EntryBody> = (0..50).map(|n| user(&"y".repeat(n * 2_000))).collect();
        let file = file(&[&[head()], all.as_slice()].concat());
        let bytes = std::fs::read(file.path()).unwrap();
        std::fs::write(file.path(), &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(look(file.path(), Counting::Yes).unwrap().spoken, Some(50));
        assert_eq!(lines(b"").count() + lines(b"a\n\nb").count(), 3);
        assert_eq!(BEGINNING, SPOKEN.iter().map(|beginning| beginning.len() as u64).max().unwrap());
    }

    #[test]
    fn what_has_no_head_is_no_session() {
        let path = file(&[user("first")]);
        assert_eq!(look(path.path(), Counting::No), None);
        assert_eq!(look(Path::new("/nowhere"), Counting::No), None);
    }
}
