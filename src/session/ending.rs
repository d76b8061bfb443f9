//! The end of a large session, known before the rest of it is read.
//!
//! Not [`super::load`]: nothing may be said in what comes from here, it is there to be shown while the whole is read. The
//! surprise is how little is needed: the reducer makes of a file's last lines what it makes of them behind all others, as long as
//! none of them reaches back.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::entry::{self, Line};
use super::peek::{head, lines};
use crate::protocol::{ChangedBy, Entry, EntryBody, History, Message, SessionHead};

/// So much of a file's end is looked at for what it says last, more where that is not enough. A file that is no longer than
/// the most of it is read as soon as its end.
const ENDING_BYTES: [u64; 3] = [64 * 1024, 256 * 1024, 1024 * 1024];
/// What is read of such a file for its first line.
const HEAD_BYTES: usize = 4 * 1024;

/// The end of a large conversation, as a conversation of its own: the last messages that count, and the model and the mode with
/// which it probably goes on. None where they are not enough, however far from the end they are looked for, or where
/// something else stands there: what takes back, a damaged line, a call without its answer.
pub(super) fn ending(file: &File, is_enough: impl Fn(&History) -> bool) -> Option<History> {
    let length = file.metadata().ok()?.len();
    if ENDING_BYTES.last().is_none_or(|most| length <= *most) {
        return None;
    }
    let mut start = vec![0; HEAD_BYTES];
    file.read_exact_at(&mut start, 0).ok()?;
    let head = head(&start).filter(|head| head.version <= entry::VERSION)?;
    for bytes in ENDING_BYTES {
        let from = length.checked_sub(bytes)?;
        let mut end = vec![0; usize::try_from(bytes).ok()?];
        file.read_exact_at(&mut end, from).ok()?;
        // what is cut in half at the beginning is no line
        let whole = end.iter().position(|&byte| byte == b'\n').map_or(end.len(), |at| at + 1);
        let history = told(&head, end.get(whole..)?)?;
        if is_enough(&history) {
            return Some(history).filter(|history| history.open_calls().is_empty());
        }
    }
    None
}

/// What these last lines say; none where not each of them says something by itself.
fn told(head: &SessionHead, end: &[u8]) -> Option<History> {
    let mut history = History::new();
    let mut take = |body| history.take(Entry { timestamp: 0, body });
    let (mut chosen, mut answered) = (None, None);
    take(EntryBody::Session(head.clone()));
    for line in lines(end) {
        let body = match part(line.strip_suffix(b"\n")?) {
            Part::Counts(body) => *body,
            Part::Nothing => continue,
            Part::Unclear => return None,
        };
        match &body {
            EntryBody::Message(Message::Assistant(said)) => answered = Some(said.model.clone()),
            EntryBody::Settings { model: Some(model), .. } => chosen = Some(model.clone()),
            _ => {}
        }
        take(body);
    }
    // a model that was chosen long ago has answered since
    let model = chosen.or(answered).filter(|model| !model.as_str().is_empty());
    take(EntryBody::Settings { model, permission_mode: None, directories: None });
    Some(history)
}

/// What a line is to the end of a conversation.
enum Part {
    /// It counts, whatever stands before the end.
    Counts(Box<EntryBody>),
    /// It changes nothing of what was said.
    Nothing,
    /// What it does is told only by what stands before the end.
    Unclear,
}

fn part(line: &[u8]) -> Part {
    let body = match entry::from_line(line) {
        Line::Entry(entry) => entry.body,
        Line::Unknown { replay: false } => return Part::Nothing,
        Line::Damaged if line.trim_ascii().is_empty() => return Part::Nothing,
        Line::Unknown { replay: true } | Line::Damaged => return Part::Unclear,
    };
    match body {
        EntryBody::Message(_) | EntryBody::Settings { .. } => Part::Counts(Box::new(body)),
        // which messages before it are kept is not known; those behind it count
        EntryBody::Compaction { summary, .. } => {
            Part::Counts(Box::new(EntryBody::Compaction { summary, kept: 0 }))
        }
        EntryBody::Title(_)
        | EntryBody::Spent { .. }
        | EntryBody::Masked { .. }
        | EntryBody::Checkpoint { by: ChangedBy::Tool | ChangedBy::Command, .. } => Part::Nothing,
        EntryBody::Checkpoint { by: ChangedBy::Rewind | ChangedBy::Redo, .. }
        | EntryBody::Rewind { .. }
        | EntryBody::Unsaid { .. }
        | EntryBody::Redo
        | EntryBody::Session(_) => Part::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use tempfile::NamedTempFile;

    use super::super::load;
    use super::*;
    use crate::protocol::{AssistantMessage, StopReason, ToolCall, ToolStatus};

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

    fn file(entries: &[EntryBody]) -> NamedTempFile {
        let line = |body: &EntryBody| entry::to_line(&Entry { timestamp: 1, body: body.clone() }) + "\n";
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), entries.iter().map(line).collect::<String>()).unwrap();
        file
    }

    fn answer(text: &str, calls: &[&ToolCall]) -> EntryBody {
        EntryBody::Message(Message::Assistant(AssistantMessage {
            text: text.to_owned(),
            tool_calls: calls.iter().copied().cloned().collect(),
            reasoning: None,
            extra: serde_json::Map::new(),
            model: "answering".into(),
            usage: None,
            stop_reason: StopReason::EndTurn,
        }))
    }

    /// The end of a large file with these entries and `torn` behind them, where two messages are enough.
    fn ending_of(entries: &[EntryBody], torn: &str) -> Option<History> {
        let before = [head(), user(&"x".repeat(1_200_000))];
        let file = file(&[&before, entries].concat());
        let mut bytes = std::fs::read(file.path()).unwrap();
        bytes.extend(torn.as_bytes());
        std::fs::write(file.path(), &bytes).unwrap();
        let ending = ending(file.as_file(), |history| history.len() >= 2)?;
        let whole = load::parse(&bytes).history;
        let last = |history: &History| -> Vec<Message> {
            let mut last: Vec<_> = history.messages().rev().take(ending.len()).cloned().collect();
            last.reverse();
            last
        };
        assert_eq!(last(&ending), last(&whole), "it is what the whole file says");
        Some(ending)
    }

    #[track_caller]
    fn check_no_ending(entries: &[EntryBody], torn: &str) {
        assert!(ending_of(entries, torn).is_none(), "{entries:?} {torn}");
    }

    #[test]
    fn the_end_of_a_large_file_is_what_the_whole_says_last() {
        let far = user(&"y".repeat(200_000));
        for entries in [
            vec![user("one"), answer("two", &[])],
            vec![user("one"), far.clone(), far],
            vec![
                user("one"),
                EntryBody::Title("t".to_owned()),
                EntryBody::Masked { messages: vec![0] },
                user("two"),
            ],
            vec![
                user("gone"),
                EntryBody::Compaction { summary: "s".to_owned(), kept: 1 },
                user("one"),
                user("two"),
            ],
        ] {
            assert!(ending_of(&entries, "").is_some_and(|ending| ending.len() >= 2), "{entries:?}");
        }
        let call = ToolCall::new("c", "Read", "{}");
        let given = EntryBody::Message(Message::tool(&call, ToolStatus::Success, "text"));
        let ending = ending_of(&[answer("", &[&call]), given], "\n{\"type\":\"new\"}\n").unwrap();
        assert_eq!(ending.len(), 2);
    }

    #[test]
    fn an_end_that_does_not_tell_what_counts_tells_nothing() {
        let said = [user("one"), answer("two", &[])];
        let with = |more: EntryBody| [said.as_slice(), &[more]].concat();
        let by = |by| EntryBody::Checkpoint { message: 0, by, files: Vec::new() };
        for taking_back in [
            EntryBody::Rewind { to: 1 },
            EntryBody::Unsaid { to: 1 },
            EntryBody::Redo,
            by(ChangedBy::Rewind),
            by(ChangedBy::Redo),
        ] {
            check_no_ending(&with(taking_back), "");
        }
        check_no_ending(&with(EntryBody::Compaction { summary: "s".to_owned(), kept: 9 }), "");
        check_no_ending(&with(answer("", &[&ToolCall::new("c", "Read", "{}")])), "");
        check_no_ending(&with(user(&"y".repeat(1_100_000))), "");
        check_no_ending(&[user("one")], "");
        for torn in ["{\"type\":\"mess", "damaged\n", "{\"type\":\"new\",\"replay\":true}\n"] {
            check_no_ending(&said, torn);
        }
        assert!(ending_of(&said, "").is_some(), "without any of that it tells");
        assert!(ending_of(&with(by(ChangedBy::Tool)), "").is_some(), "a change is no taking back");
    }

    #[test]
    fn only_a_large_file_with_a_head_has_an_end_of_its_own() {
        let said = [user(&"x".repeat(1_200_000)), user("one"), user("two")];
        let newer = match head() {
            EntryBody::Session(head) => EntryBody::Session(SessionHead { version: 2, ..head }),
            other => other,
        };
        let enough = |entries: &[EntryBody]| ending(file(entries).as_file(), |history| history.len() >= 2);
        assert!(enough(&[&[head()], said.as_slice()].concat()).is_some());
        assert!(enough(&[&[newer], said.as_slice()].concat()).is_none());
        assert!(enough(&said).is_none());
        assert!(enough(&[&[head()], &said[1..]].concat()).is_none());
    }

    #[test]
    fn the_model_is_the_one_that_was_chosen_last_else_the_one_that_answered() {
        let model = |entries: &[EntryBody]| ending_of(entries, "").unwrap().model().cloned().unwrap();
        let chosen = EntryBody::Settings {
            model: Some("chosen".into()),
            permission_mode: Some("plan".to_owned()),
            directories: None,
        };
        assert_eq!(model(&[user("one"), user("two")]), "m".into());
        assert_eq!(model(&[user("one"), answer("two", &[])]), "answering".into());
        let entries = [chosen, user("one"), answer("two", &[])];
        assert_eq!(model(&entries), "chosen".into());
        assert_eq!(ending_of(&entries, "").unwrap().permission_mode(), Some("plan"));
    }
}
