//! A look into a session without reading it: how much was said, and what was said last.
//!
//! For lists. Nothing here decides what counts: a message that was taken back is counted, and a line that is damaged is none.
//! The surprise: messages are counted without being read as such, for a list of a thousand sessions has to be there at once.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::load;
use crate::protocol::{Message, Origin};

/// How lines of messages begin that a person would call so. The writer keeps this order of names.
const SPOKEN: [&[u8]; 2] =
    [br#"{"type":"message","role":"user""#, br#"{"type":"message","role":"assistant""#];
/// What the line of a reminder has near its end, and how near.
const REMINDER: &[u8] = br#""origin":"reminder""#;
const REMINDER_TAIL: usize = 80;
/// Where the last messages are looked for, from the end.
const LAST_BYTES: u64 = 256 * 1024;

/// How many messages of the user and of the model a session's file holds.
///
/// # Errors
/// Where it cannot be read.
pub fn count(path: &Path) -> io::Result<usize> {
    let mut reader = BufReader::with_capacity(256 * 1024, File::open(path)?);
    let (mut line, mut count) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        count +=
            usize::from(SPOKEN.iter().any(|beginning| line.starts_with(beginning)) && !is_reminder(&line));
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
pub(super) fn tail(file: &mut File, bytes: u64) -> Option<Vec<u8>> {
    let length = file.metadata().ok()?.len();
    let from = length.saturating_sub(bytes);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end).ok()?;
    if from > 0 {
        // what is cut in half at the beginning is no line
        let whole = end.iter().position(|&byte| byte == b'\n').map_or(end.len(), |at| at + 1);
        end.drain(..whole);
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::super::entry;
    use super::*;
    use crate::protocol::{Entry, EntryBody, UserMessage};

    fn file(entries: &[EntryBody]) -> tempfile::NamedTempFile {
        let line = |body: &EntryBody| entry::to_line(&Entry { timestamp: 1, body: body.clone() }) + "\n";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), entries.iter().map(line).collect::<String>()).unwrap();
        file
    }

    fn user(text: &str) -> EntryBody {
        EntryBody::Message(Message::user(text))
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
            let counted = count(file.path()).unwrap();
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
        let file = file(&[reminder.clone(), user(r#"an "origin":"reminder""#), reminder, user("two")]);
        assert_eq!(count(file.path()).unwrap(), 2);
        assert_eq!(last(file.path(), 9).len(), 2);
        assert_eq!(super::super::index::title(file.path()).as_deref(), Some(r#"an "origin":"reminder""#));
    }

    #[test]
    fn a_title_counts_wherever_the_writer_leaves_it() {
        let long = "x".repeat(300_000);
        let title = |text: &str| EntryBody::Title(text.to_owned());
        let called = |entries: &[EntryBody]| super::super::index::title(file(entries).path());
        assert_eq!(called(&[user("first"), user(&long)]).as_deref(), Some("first"));
        assert_eq!(called(&[user("first"), user(&long), title("late")]).as_deref(), Some("late"));
        let twice = [title("early"), user(&long), title("late"), user("more")];
        assert_eq!(called(&twice).as_deref(), Some("late"));
        assert_eq!(called(&[user("first"), title("named")]).as_deref(), Some("named"));
    }
}
