//! Edit: one text in a file for another, byte for byte.
//!
//! What an edit means is found in `matcher`; here the file is read, checked against what the model knows, and written.
//! The surprise: an edit that comes too late, because the file has changed, is answered with the present lines around
//! its place, and that counts as having read them. A second try then needs no second read.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use self::matcher::{Edited, Found, Refused, Which};
use self::refusal::{Refusal, height, line_of, view_text};
use super::change::{self, Before, Change, beside};
use super::schema::{self, Param};
use super::target::Target;
use super::{Prepared, Scene, Tool, ToolResult, changing, previewing};
use crate::os::paths::PathBase;
use crate::protocol::{Access, Display, FileChange, Preview, ToolSpec};
use crate::text::clip::{Keep, Limits, clip};
use crate::text::diff::{diff, unified_text};
use crate::workbench::files::{MOST_HASHED, hash_of};
use crate::workbench::{Image, Stale, Stamp, Workbench};

mod align;
mod find;
mod fit;
mod fold;
pub(super) mod indent;
mod letters;
pub mod matcher;
pub(super) mod nearest;
pub(super) mod refusal;
mod rows;
pub(super) mod view;

/// What the model gets to see of the diff: enough to notice an edit in the wrong place.
const DIFF: Limits = Limits { bytes: 8 * 1024, lines: 120 };

const PATH: Param =
    Param::text("file_path", "absolute or relative path").or(&["path", "filePath", "file", "filename"]);
const OLD: Param = Param::text("old_string", "exact text to replace").or(&[
    "oldString",
    "old_text",
    "oldText",
    "old_str",
    "old",
    "search",
]);
const NEW: Param = Param::text("new_string", "text to insert instead").or(&[
    "newString",
    "new_text",
    "newText",
    "new_str",
    "new",
    "replace",
]);
const ALL: Param = Param::flag("replace_all", "replace every occurrence").or(&["replaceAll", "all"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Edit;

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Edit".into(),
            description: "Replace text in a file that you have read. `old_string` must match exactly, without line numbers, and be unique \
         unless `replace_all` is set.".into(),
            parameters: schema::object(&[PATH, OLD, NEW], &[ALL]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let target = Target::read(&PATH.need_some(arguments)?, base)?;
        let which = if ALL.is_set(arguments)? { Which::All } else { Which::One };
        Ok(Box::new(Call { target, old: OLD.need(arguments)?, new: NEW.need(arguments)?, which }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    target: Target,
    old: String,
    new: String,
    which: Which,
}

/// A file and what it would be.
struct Plan {
    before: Image,
    edited: Edited,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Write(vec![self.target.access()])
    }

    fn preview<'a>(&'a self, bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        let (call, bench) = (self.clone(), Arc::clone(bench));
        Box::pin(previewing(move || {
            let Plan { before, edited } = call.plan(&bench)?;
            let change = Change { target: call.target, before: Before::Bytes(before), after: edited.bytes };
            Ok(Preview::Changes(vec![change.shown()]))
        }))
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.carry_out(scene).await.unwrap_or_else(|refused| refused) })
    }
}

impl Call {
    async fn carry_out(self, scene: Scene) -> Result<ToolResult, ToolResult> {
        let lock = scene.bench.files().lock(&self.target.resolved).await;
        let (call, bench) = (self.clone(), Arc::clone(&scene.bench));
        let plan = changing(&scene.cancel, move || call.plan(&bench)).await?;
        let (places, found) = (plan.edited.places, plan.edited.found);
        let (target, before) = (self.target.clone(), Before::Bytes(plan.before));
        let change = Change { target, before, after: plan.edited.bytes };
        let done = change::carry_out(&scene, vec![lock], vec![change]).await?;
        let changes: Vec<FileChange> = done.changes.into_iter().map(Change::shown).collect();
        let hunks = changes.first().map(hunks).unwrap_or_default();
        let note = done.note.map(|note| format!("\n{note}")).unwrap_or_default();
        let text = format!("{}\n{hunks}{note}", self.told(places, found));
        Ok(ToolResult::success(text, Display::Changes(changes)))
    }

    /// Reads the file, sees whether the model knows it, and makes the new bytes. Writes nothing.
    fn plan(&self, bench: &Workbench) -> Result<Plan, String> {
        let read = self.target.pinned().and_then(|file| file.read(MOST_HASHED));
        let bytes = read.map_err(|error| self.target.unreadable(&error))?;
        if !bench.files().knows(&self.target.resolved) {
            return Err(format!("Error: cannot edit {}: {}", self.target.shown, Stale::Unread));
        }
        let find = || matcher::edit(&bytes, &self.old, &self.new, self.which);
        let (edited, hash) = beside(bytes.len(), find, || hash_of(&bytes));
        let before = Image::hashed(bytes, hash);
        if bench.files().check(&self.target.resolved, &before.stamp()).is_err() {
            return Err(self.changed(bench, before.bytes(), before.stamp()));
        }
        change::is_real(bench, &self.target, &self.new, before.bytes())?;
        change::is_real(bench, &self.target, &self.old, before.bytes())?;
        match edited {
            Ok(edited) => Ok(Plan { before, edited }),
            Err(refused) => Err(self.refusal(before.bytes(), &refused)),
        }
    }

    fn told(&self, places: usize, found: Found) -> String {
        let places = match places {
            1 => String::new(),
            many => format!(" in {many} places"),
        };
        let note = match found {
            Found::Exactly => "",
            Found::ButForTrailing | Found::ButForBlanks => {
                " (matched ignoring whitespace; new_string was adjusted: verify the result)"
            }
            Found::ButForTypography => {
                " (matched ignoring quotes, dashes or similar characters; those of the file were preserved: verify the result)"
            }
        };
        format!("{} edited{places}{note}", self.target.shown)
    }

    /// The file has changed: says how it is now where the edit would have been, which counts as read.
    fn changed(&self, bench: &Workbench, file: &[u8], now: Stamp) -> String {
        let text = view_text(file);
        let lines = match line_of(&text, &self.old) {
            Some(line) => Some(nearest::lines_at(&text, line, height(&self.old), &self.old)),
            None => nearest::nearest_lines(&text, &self.old),
        };
        let head = format!("Error: {} has changed since it was read, nothing was edited", self.target.shown);
        match lines {
            Some(lines) => {
                bench.files().note(&self.target.resolved, now);
                format!("{head}. Retry with the current lines (→ is a tab, · a space):\n{lines}")
            }
            None => format!("{head}, and nothing in it is similar to `old_string` now: Read it again"),
        }
    }

    fn refusal(&self, file: &[u8], refused: &Refused) -> String {
        let (path, old, new) = (self.target.shown.as_str(), self.old.as_str(), self.new.as_str());
        Refusal { path, old, new, which: self.which }.words(file, refused)
    }
}

/// What changed, as much of it as the model needs to notice an edit in the wrong place.
fn hunks(change: &FileChange) -> String {
    let (before, after) = change.before.as_deref().zip(change.after.as_deref()).unwrap_or_default();
    let mut changed = diff(before, after);
    // carriage returns would only be noise
    for line in changed.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
        line.text.truncate(line.text.trim_end_matches('\r').len());
    }
    clip(unified_text(&changed).trim_end_matches('\n'), DIFF, Keep::HeadTail).text.into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::read::Read;
    use super::super::testing::Session;
    use super::*;

    async fn read(session: &Session, name: &str) {
        session.told(&Read, json!({"file_path": name})).await;
    }

    #[tokio::test]
    async fn an_edit_is_told_as_a_diff() {
        let session = Session::with(&[("a.rs", "one\r\ntwo\r\nthree")]);
        read(&session, "a.rs").await;
        let edit = json!({"file_path": "a.rs", "oldString": "two", "new_text": "2\n2"});
        let result = session.run(&Edit, &edit).await;
        let told = "a.rs edited\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2\n three\n\\ No newline at end of file";
        assert_eq!(result.content.to_text(), told);
        assert_eq!(session.text("a.rs"), "one\r\n2\r\n2\r\nthree");
        let (before, after) = (Some("one\r\ntwo\r\nthree".into()), Some("one\r\n2\r\n2\r\nthree".into()));
        assert_eq!(result.display, Display::Changes(vec![FileChange { path: "a.rs".into(), before, after }]));
        // its own write counts as known
        let all = json!({"file_path": "a.rs", "old_string": "2", "new_string": "$&", "replace_all": "true"});
        assert!(session.told(&Edit, all).await.starts_with("a.rs edited in 2 places\n"));
        assert_eq!(session.text("a.rs"), "one\r\n$&\r\n$&\r\nthree");
    }

    #[tokio::test]
    async fn a_file_must_be_known_and_a_late_edit_shows_what_is_there_now() {
        let session = Session::with(&[("f", "a\nb\nc\n")]);
        let edit = json!({"file_path": "f", "old_string": "b", "new_string": "x"});
        let error = session.error(&Edit, edit.clone()).await;
        assert_eq!(error, "Error: cannot edit f: it has not been read in this session (try Read first)");
        read(&session, "f").await;
        session.write("f", "0\na\nb\nC\n");
        let error = session.error(&Edit, edit.clone()).await;
        assert!(error.ends_with("current lines (→ is a tab, · a space):\n3\tb"), "{error}");
        session.told(&Edit, edit).await;
        assert_eq!(session.text("f"), "0\na\nx\nC\n");
    }

    #[tokio::test]
    async fn what_is_not_there_is_answered_with_the_nearest_lines() {
        let session = Session::with(&[("f", "fn a() {\n\tlet b = 1;\n}\n")]);
        read(&session, "f").await;
        let edit = json!({"file_path": "f", "old_string": "fn a() {\n  let c = 1;", "new_string": "x"});
        let error = session.error(&Edit, edit).await;
        assert_eq!(
            error,
            "Error: `old_string` is not in f. Nearest (→ is a tab, · a space):\n1\tfn a() {\n2\t→let b = 1;"
        );
        let edit = json!({"file_path": "f", "old_string": "let z = 0;", "new_string": "let b = 1;"});
        assert!(
            session.error(&Edit, edit).await.contains("the file already contains `new_string`, at line 2")
        );
        let edit = json!({"file_path": "f", "old_string": "1\tfn a() {\n2\tlet", "new_string": "x"});
        let error = session.error(&Edit, edit).await;
        assert!(
            error.contains(": it contains the line numbers of Read")
                && error.ends_with("1\tfn a() {\n2\t→let b = 1;")
        );
        let edit = json!({"file_path": "f", "old_string": "\n", "new_string": ""});
        let error = session.error(&Edit, edit).await;
        assert!(error.contains("in f 3 times, at lines 1, 2, 3: give more"), "{error}");
        let edit = json!({"file_path": "f", "old_string": "", "new_string": "x"});
        assert!(session.error(&Edit, edit).await.contains("use Write"));
        assert_eq!(session.text("f"), "fn a() {\n\tlet b = 1;\n}\n");
    }

    #[tokio::test]
    async fn a_preview_shows_the_change_and_makes_none() {
        let session = Session::with(&[("f", "a\n")]);
        read(&session, "f").await;
        let call = session.prepare(&Edit, &json!({"file_path": "f", "old_string": "a", "new_string": "b"}));
        let change = FileChange { path: "f".into(), before: Some("a\n".into()), after: Some("b\n".into()) };
        assert_eq!(call.preview(&session.bench).await, Ok(Preview::Changes(vec![change])));
        assert_eq!(session.text("f"), "a\n");
    }

    #[tokio::test]
    async fn edits_of_one_file_at_the_same_time_lose_nothing() {
        let session = Session::with(&[("f", "a\nb\nc\nd\n")]);
        read(&session, "f").await;
        let edits =
            ["a", "b", "c", "d"].map(|old| json!({"file_path": "f", "old_string": old, "new_string": "x"}));
        futures_util::future::join_all(edits.iter().map(|edit| session.run(&Edit, edit))).await;
        assert_eq!(session.text("f"), "x\nx\nx\nx\n");
    }

    #[tokio::test]
    async fn a_call_without_its_arguments_is_told_what_is_missing() {
        let session = Session::new();
        let error = |arguments: Value| {
            Edit.prepare(arguments.as_object().unwrap(), session.bench.path_base()).err().unwrap()
        };
        assert_eq!(
            error(json!({"file_path": "f", "old_string": "a"})),
            "Error: `new_string` (a string) is missing"
        );
        assert_eq!(error(json!({})), "Error: `file_path` (a string) is missing: the call has no arguments");
    }
}
