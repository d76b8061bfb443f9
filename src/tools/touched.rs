//! Which files a conversation has touched, as its calls tell: what was changed, and what was only read.
//!
//! Not what the model still knows of them (that is `recall`). A call that failed touched nothing; what commands touched nobody
//! can tell.

use std::collections::HashMap;
use std::path::PathBuf;

use super::recall::{Deed, files_of};
use crate::os::paths::PathBase;
use crate::protocol::{History, Message, ToolCall, ToolStatus};

/// Files, in the order in which they were touched last, as they are named from the working directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// Those that were written, edited or patched.
    pub changed: Vec<String>,
    /// The others.
    pub read: Vec<String>,
}

/// The files of all that is not rewound; named from the working directory.
#[must_use]
pub fn touched(history: &History, base: PathBase<'_>) -> Touched {
    let mut calls: HashMap<&str, &ToolCall> = HashMap::new();
    let mut files: Vec<(PathBuf, Deed)> = Vec::new();
    let mut touch = |path: PathBuf, deed: Deed| {
        let before = files.iter().position(|(known, _)| *known == path).map(|at| files.remove(at));
        let changed = deed == Deed::Changed || before.is_some_and(|(_, deed)| deed == Deed::Changed);
        files.push((path, if changed { Deed::Changed } else { Deed::Read }));
    };
    for slot in history.all() {
        match &slot.message {
            Message::Assistant(answer) => {
                calls.extend(answer.tool_calls.iter().map(|call| (call.id.as_str(), call)));
            }
            Message::Tool(told) if told.status == ToolStatus::Success => {
                let call = calls.get(told.call_id.as_str());
                let of_call = call.and_then(|call| files_of(call, base));
                of_call.into_iter().flatten().for_each(|(path, deed)| touch(path, deed));
            }
            Message::User(user) => {
                user.attachments.iter().for_each(|file| touch(PathBuf::from(&file.path), Deed::Read));
            }
            Message::Tool(_) => {}
        }
    }
    let named = |wanted: Deed| {
        let of_kind = files.iter().filter(|(_, deed)| *deed == wanted);
        of_kind.map(|(path, _)| path.strip_prefix(base.cwd).unwrap_or(path).display().to_string()).collect()
    };
    Touched { changed: named(Deed::Changed), read: named(Deed::Read) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Map, Value, json};

    use super::*;
    use crate::protocol::{AssistantMessage, Entry, EntryBody, StopReason};

    fn history(calls: &[(&str, Value, ToolStatus)]) -> History {
        let mut history = History::new();
        for (number, (name, arguments, status)) in calls.iter().enumerate() {
            let call = ToolCall::new(number.to_string(), *name, arguments.to_string());
            let answer = AssistantMessage {
                text: String::new(),
                tool_calls: vec![call.clone()],
                reasoning: None,
                extra: Map::new(),
                model: "m".into(),
                usage: None,
                stop_reason: StopReason::ToolUse,
            };
            history.apply(&Entry::message(0, Message::Assistant(answer)));
            history.apply(&Entry::message(0, Message::tool(&call, *status, "x")));
        }
        history
    }

    #[test]
    fn files_are_told_by_what_was_done_to_them() {
        let read = |path: &str| ("Read", json!({"file_path": path}), ToolStatus::Success);
        let write = |path: &str, status| ("Write", json!({"file_path": path, "content": ""}), status);
        let mut history = history(&[
            read("a"),
            read("src/b"),
            write("c", ToolStatus::Failed),
            write("a", ToolStatus::Success),
            read("/elsewhere/d"),
            read("a"),
            ("Bash", json!({"command": "cat e"}), ToolStatus::Success),
        ]);
        let expected = Touched {
            changed: vec!["a".to_owned()],
            read: vec!["src/b".to_owned(), "/elsewhere/d".to_owned()],
        };
        assert_eq!(touched(&history, Path::new("/w").into()), expected);
        history.apply(&Entry { timestamp: 0, body: EntryBody::Compaction { summary: "S".into(), kept: 0 } });
        assert_eq!(touched(&history, Path::new("/w").into()), expected, "a summary does not hide them");
    }
}
