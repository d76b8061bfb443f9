//! What the model knew of files, and its list of steps, after a resume.
//!
//! A session keeps what was said, not what files held. So a file that was read, written or edited counts as known if nothing
//! has happened to it since that answer was kept. The surprise: the time that tells is not that of the last write, which
//! anyone can set, but that of the last change of any kind.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ToolRegistry, todo};
use crate::os::file::open_regular;
use crate::protocol::{Access, History, Message, ToolCall, ToolStatus};
use crate::workbench::{Stamp, Workbench};

/// The tools after which a file is known.
const KNOWING: [&str; 3] = ["Read", "Write", "Edit"];

/// Notes the files that the model knows from `history` and that are as they were, and the list of steps that it leaves.
pub fn recall(tools: &ToolRegistry, history: &History, bench: &Workbench) {
    bench.todos().set(todo::of_history(history));
    for (path, at) in known(tools, history, bench.root()) {
        if let Some(stamp) = unchanged_since(&path, at) {
            bench.files().note(&path, stamp);
        }
    }
}

/// Each file with the time (in milliseconds since 1970) when the model knew it last.
fn known(tools: &ToolRegistry, history: &History, root: &Path) -> HashMap<PathBuf, u64> {
    let mut calls: HashMap<&str, &ToolCall> = HashMap::new();
    let mut known = HashMap::new();
    for (slot, _) in history.view() {
        match &slot.message {
            Message::Assistant(answer) => {
                calls.extend(answer.tool_calls.iter().map(|call| (call.id.as_str(), call)));
            }
            Message::Tool(told) if told.status == ToolStatus::Success => {
                let call = calls.get(told.call_id.as_str());
                for path in call.and_then(|call| files_of(tools, call, root)).unwrap_or_default() {
                    known.insert(path, slot.timestamp);
                }
            }
            Message::Tool(_) | Message::User(_) => {}
        }
    }
    known
}

/// The files that a call was about, as the tool itself understands its arguments.
fn files_of(tools: &ToolRegistry, call: &ToolCall, root: &Path) -> Option<Vec<PathBuf>> {
    let tool = tools.get(call.name.as_str()).filter(|tool| KNOWING.contains(&tool.name()))?;
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    match tool.prepare(arguments.as_object()?, root).ok()?.access() {
        Access::Read(paths) | Access::Write(paths) => Some(paths),
        Access::Nothing | Access::Exec(_) | Access::Fetch { .. } => None,
    }
}

fn unchanged_since(path: &Path, at: u64) -> Option<Stamp> {
    let (file, meta) = open_regular(path).ok()?;
    let changed = meta.ctime().checked_mul(1000)? + meta.ctime_nsec() / 1_000_000;
    let is_older = u64::try_from(changed).is_ok_and(|changed| changed <= at);
    if is_older { Stamp::of_file(file, &meta).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::testing::Session;
    use super::*;
    use crate::os::http::Web;
    use crate::protocol::{AssistantMessage, Content, Entry, StopReason, ToolMessage};

    /// A history in which `path` was read, told at that time.
    fn read(path: &str, timestamp: u64, status: ToolStatus) -> History {
        let call = ToolCall::new("1", "Read", serde_json::json!({"file_path": path}).to_string());
        let answer = AssistantMessage {
            text: String::new(),
            tool_calls: vec![call],
            reasoning: None,
            extra: serde_json::Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::ToolUse,
        };
        let told =
            ToolMessage { call_id: "1".into(), name: "Read".into(), content: Content::text("x"), status };
        let mut history = History::new();
        history.apply(&Entry::message(timestamp, Message::Assistant(answer)));
        history.apply(&Entry::message(timestamp, Message::Tool(told)));
        history
    }

    #[test]
    fn a_file_is_known_again_if_nothing_happened_to_it_since() {
        let session = Session::with(&[("a", "x")]);
        let tools = ToolRegistry::built_in(&session.bench, Web::default(), &HashSet::new()).unwrap();
        let knows = |history: &History| {
            recall(&tools, history, &session.bench);
            session.bench.files().check(&session.path("a"), &Stamp::of(b"x")).is_ok()
        };
        assert!(!knows(&read("a", 1000, ToolStatus::Success)), "it has changed since");
        assert!(!knows(&read("a", u64::MAX, ToolStatus::Failed)), "the call failed");
        assert!(!knows(&read("b", u64::MAX, ToolStatus::Success)), "it is not there");
        assert!(knows(&read("a", u64::MAX, ToolStatus::Success)));
    }
}
