//! What the model knew of files, and its list of steps, after a resume.
//!
//! A session keeps what was said, not what files held. So a file that was read, written or edited counts as known if nothing
//! has happened to it since that answer was kept; an edit that came too late and was answered with the present lines
//! counts too, and so does what a summary stands for now. The surprise: the time that tells is not that of the last write, which anyone can set, but that of the last
//! change of any kind.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::target::Target;
use super::{Tool, edit, patch, read, todo, write};
use crate::os::file::open_regular;
use crate::os::paths::PathBase;
use crate::protocol::{Access, History, Message, Slot, ToolCall, ToolMessage, ToolStatus};
use crate::workbench::{Stamp, Workbench};

/// The tools after which a file is known. Not those that are offered now: the model may have been another.
const KNOWING: [(&str, &dyn Tool); 4] = [
    ("Read", &read::Read),
    ("Write", &write::Write),
    ("Edit", &edit::Edit),
    ("ApplyPatch", &patch::ApplyPatch),
];

/// How the answer to an edit that came too late begins, after the file's name ...
const CHANGED: &str = " has changed since it was read";
/// ... and what it says where it shows the file.
const CURRENT_LINES: &str = " with the current lines ";
/// The same in sessions of earlier versions.
const PRESENT_LINES: &str = " by its present lines ";

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Read,
    Changed,
}

/// Notes the files that the model knows from `history` and that are as they were, and the list of steps that it leaves.
pub fn recall(history: &History, bench: &Workbench) {
    bench.todos().set(todo::of_history(history));
    let said: Vec<Arc<Slot>> = history.all().cloned().collect();
    if said.is_empty() {
        return;
    }
    let base = bench.path_base();
    let (root, home) = (base.cwd.to_owned(), base.home.map(Path::to_owned));
    bench.files().recall(move || {
        let known =
            known(&said, PathBase { cwd: &root, shell_cwd: &root, home: home.as_deref() }).into_iter();
        known.filter_map(|(path, at)| unchanged_since(&path, at).map(|stamp| (path, stamp))).collect()
    });
}

/// Each file with the time (in milliseconds since 1970) when the model knew it last.
fn known(said: &[Arc<Slot>], base: PathBase<'_>) -> HashMap<PathBuf, u64> {
    let mut calls: HashMap<&str, &ToolCall> = HashMap::new();
    // where a path leads is looked up on disk, and the same call comes again and again
    let mut files: HashMap<(&str, &str), Vec<PathBuf>> = HashMap::new();
    let mut known = HashMap::new();
    for slot in said {
        match &slot.message {
            Message::Assistant(answer) => {
                calls.extend(answer.tool_calls.iter().map(|call| (call.id.as_str(), call)));
            }
            Message::Tool(told) => {
                let Some(&call) = calls.get(told.call_id.as_str()) else { continue };
                let files = files.entry((call.name.as_str(), call.arguments.as_str())).or_insert_with(|| {
                    let files = files_of(call, base).unwrap_or_default().into_iter();
                    files.map(|(path, _)| path).collect()
                });
                for path in files.iter().filter(|path| makes_known(told, path, base.cwd)) {
                    known.insert(path.clone(), slot.timestamp);
                }
            }
            Message::User(user) => {
                let brought = user.attachments.iter().map(|file| PathBuf::from(&file.path));
                known.extend(brought.map(|path| (path, slot.timestamp)));
            }
        }
    }
    known
}

/// The files that a call was about, as the tool itself understands its arguments.
pub(super) fn files_of(call: &ToolCall, base: PathBase<'_>) -> Option<Vec<(PathBuf, Deed)>> {
    let (_, tool) = KNOWING.iter().find(|(name, _)| *name == call.name.as_str())?;
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    match tool.prepare(arguments.as_object()?, base).ok()?.access() {
        Access::Read(files) => Some(files.into_iter().map(|file| (file.path, Deed::Read)).collect()),
        Access::Write(files) => Some(files.into_iter().map(|file| (file.path, Deed::Changed)).collect()),
        Access::Nothing | Access::Exec(_) | Access::Fetch { .. } | Access::Mcp { .. } => None,
    }
}

/// Whether this answer tells what the file holds: a success does, and so does an error that shows its present lines.
fn makes_known(told: &ToolMessage, path: &Path, root: &Path) -> bool {
    match told.status {
        ToolStatus::Success => true,
        ToolStatus::Failed => {
            let text = told.content.to_text();
            let named = text.strip_prefix("Error: ").and_then(|text| text.split_once(CHANGED));
            named.is_some_and(|(name, rest)| {
                [CURRENT_LINES, PRESENT_LINES].iter().any(|shown| rest.contains(shown))
                    && Target::new(name, root).resolved == path
            })
        }
        ToolStatus::Denied | ToolStatus::Interrupted => false,
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
    use serde_json::json;

    use super::super::testing::Session;
    use super::*;
    use crate::protocol::{AssistantMessage, Content, Entry, StopReason};
    use crate::workbench::Setup;

    /// A history of one call, told this at that time.
    fn told(name: &str, arguments: &Value, timestamp: u64, (status, text): (ToolStatus, &str)) -> History {
        let call = ToolCall::new("1", name, arguments.to_string());
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
            ToolMessage { call_id: "1".into(), name: name.into(), content: Content::text(text), status };
        let mut history = History::new();
        history.apply(&Entry::message(timestamp, Message::Assistant(answer)));
        history.apply(&Entry::message(timestamp, Message::Tool(told)));
        history
    }

    /// Whether the file is known after that.
    fn knows(session: &Session, history: &History, name: &str) -> bool {
        let bench = Workbench::new(Setup { root: session.root.clone(), ..Setup::default() }).unwrap();
        recall(history, &bench);
        bench.files().check(&session.path(name), &Stamp::of(&session.bytes(name))).is_ok()
    }

    #[test]
    fn a_file_is_known_again_if_nothing_happened_to_it_since() {
        let session = Session::with(&[("a", "x"), ("b", "x")]);
        let read = |path: &str, at, status| {
            knows(&session, &told("Read", &json!({"file_path": path}), at, (status, "x")), "a")
        };
        assert!(!read("a", 1000, ToolStatus::Success), "it has changed since");
        assert!(!read("a", u64::MAX, ToolStatus::Failed), "the call failed");
        assert!(!read("b", u64::MAX, ToolStatus::Success), "it was another file");
        assert!(read("a", u64::MAX, ToolStatus::Success));
    }

    #[test]
    fn what_a_patch_wrote_is_known_again_whatever_tool_is_offered_now() {
        let session = Session::with(&[("a", "x"), ("b", "x")]);
        let patch =
            "*** Begin Patch\n*** Update File: old\n*** Move to: a\n*** Add File: b\n+x\n*** End Patch";
        let history = |status| told("ApplyPatch", &json!({"patch": patch}), u64::MAX, (status, "done"));
        for name in ["a", "b"] {
            assert!(knows(&session, &history(ToolStatus::Success), name), "{name}");
            assert!(!knows(&session, &history(ToolStatus::Failed), name), "{name}");
        }
    }

    #[tokio::test]
    async fn an_answer_that_shows_the_present_lines_makes_a_file_known() {
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** Update File: b\n@@\n-one\n+two\n*** End Patch";
        let calls: [(&dyn Tool, Value); 2] = [
            (&edit::Edit, json!({"file_path": "a", "old_string": "one", "new_string": "two"})),
            (&patch::ApplyPatch, json!({"patch": patch})),
        ];
        for (tool, arguments) in calls {
            let session = Session::with(&[("a", "one\n"), ("b", "one\n")]);
            for name in ["a", "b"] {
                session.told(&read::Read, json!({"file_path": name})).await;
            }
            session.write("a", "zero\none\n");
            let answer = session.error(tool, arguments.clone()).await;
            let history =
                told(tool.spec().name.as_str(), &arguments, u64::MAX, (ToolStatus::Failed, &answer));
            assert!(knows(&session, &history, "a"), "{answer}");
            assert!(!knows(&session, &history, "b"), "{answer}");
        }
    }
}
