//! `ApplyPatch`: several changes of several files at once, all or none.
//!
//! Offered in the place of Edit to models that were trained on its form. What the patch says is read in `parse`, where
//! its hunks belong is found in `hunks`, what comes of it in `plan`; here it is asked for, carried out and told. The
//! surprise: it is stricter than the programs that the form comes from. A hunk that fits in two places goes to neither.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use self::form::Deed;
use self::plan::{Named, Plan, plan};
use super::change::{self, Before, Change, Step};
use super::schema::{self, Param};
use super::target::Target;
use super::{Prepared, Scene, Tool, ToolResult, changing, previewing};
use crate::os::paths::PathBase;
use crate::protocol::{Access, Display, FileAccess, FileChange, Preview, ToolSpec};
use crate::text::clip::{Keep, Limits, clip};
use crate::text::diff::{diff, unified_text};
use crate::text::units;
use crate::workbench::Workbench;

mod form;
mod hunks;
mod lines;
mod parse;
mod place;
mod plan;
mod told;

/// What the model gets to see of the diffs: enough to notice a change in the wrong place.
const DIFFS: Limits = Limits { bytes: 8 * 1024, lines: 160 };

const PATCH: Param = Param::text("patch", "the patch; paths absolute or relative").or(&[
    "input",
    "patch_text",
    "patchText",
    "diff",
    "content",
]);

/// The form by example: models know it, and need only be told that it is this one.
const ABOUT: &str = "Apply a patch that edits, adds, deletes or moves files, all or none. Existing files must have been read first. Format:
*** Begin Patch
*** Update File: a.py
*** Move to: b.py
@@ class C
@@     def f(self):
 context
-old
+new
*** End of File
*** Add File: c.py
+line
*** Delete File: d.py
*** End Patch
`Move to`, `@@` (lines above the place, outer first) and `End of File` are optional. Begin each line with space, - or +; give 3 lines of context around each change.";

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct ApplyPatch;

impl Tool for ApplyPatch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "ApplyPatch".into(),
            description: ABOUT.into(),
            parameters: schema::object(&[PATCH], &[]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let patch = PATCH.need_some(arguments)?;
        let parts = parse::parse(&patch).map_err(|wrong| format!("Error: {wrong}; nothing was changed"))?;
        let target = |path: &str| {
            Target::read_file(path, base).map_err(|wrong| format!("{wrong}; nothing was changed"))
        };
        let named = parts.into_iter().map(|part| {
            let to = match &part.deed {
                Deed::Update { to, .. } => to.as_deref().map(target).transpose()?,
                Deed::Add(_) | Deed::Delete => None,
            };
            Ok(Named { target: target(&part.path)?, to, part })
        });
        Ok(Box::new(Call { parts: named.collect::<Result<_, String>>()? }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    parts: Vec<Named>,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        let mut files: Vec<FileAccess> = Vec::new();
        for file in self.targets().map(Target::access) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Access::Write(files)
    }

    fn preview<'a>(&'a self, bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        let (call, bench) = (self.clone(), Arc::clone(bench));
        Box::pin(previewing(move || {
            let plan = plan(&call.parts, &bench)?;
            Ok(Preview::Changes(plan.steps.into_iter().map(Step::shown).collect()))
        }))
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.carry_out(scene).await.unwrap_or_else(|refused| refused) })
    }
}

impl Call {
    async fn carry_out(self, scene: Scene) -> Result<ToolResult, ToolResult> {
        // in the order of their names, so that of two patches none waits for the other's
        let mut files = self.files();
        files.sort();
        let mut locks = Vec::with_capacity(files.len());
        for file in &files {
            locks.push(scene.bench.files().lock(file).await);
        }
        let bench = Arc::clone(&scene.bench);
        let Plan { steps, loose } = changing(&scene.cancel, move || plan(&self.parts, &bench)).await?;
        let (steps, note) = change::carry_out_steps(&scene, locks, steps).await?;
        let told: Vec<String> = steps.iter().map(what_became).collect();
        let edited: Vec<bool> = steps.iter().map(is_edit).collect();
        let changes: Vec<FileChange> = steps.into_iter().map(Step::shown).collect();
        let diffs: Vec<String> = changes
            .iter()
            .zip(edited)
            .filter(|(_, is_edit)| *is_edit)
            .map(|(change, _)| shown_diff(change, changes.len()))
            .collect();
        let diffs = clip(diffs.concat().trim_end_matches('\n'), DIFFS, Keep::HeadTail).text.into_owned();
        let all = [told.join("\n"), note_of_loose(&loose), diffs, note.unwrap_or_default()];
        let all: Vec<String> = all.into_iter().filter(|text| !text.is_empty()).collect();
        Ok(ToolResult::success(all.join("\n"), Display::Changes(changes)))
    }

    /// Every file that the patch changes, each once.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = Vec::new();
        for target in self.targets() {
            if !files.contains(&target.resolved) {
                files.push(target.resolved.clone());
            }
        }
        files
    }

    fn targets(&self) -> impl Iterator<Item = &Target> {
        self.parts.iter().flat_map(|named| std::iter::once(&named.target).chain(&named.to))
    }
}

fn what_became(step: &Step) -> String {
    match step {
        Step::Write(Change { target, before: Before::Nothing, after }) => {
            let lines = String::from_utf8_lossy(after).lines().count() as u64;
            format!("{} created ({})", target.shown, units::counted(lines, "line", "lines"))
        }
        Step::Write(change) => format!("{} edited", change.target.shown),
        Step::Remove(target, _) => format!("{} deleted", target.shown),
        Step::Move(change, to) => {
            let edited = if is_edit(step) { ", edited" } else { "" };
            format!("{} moved to {}{edited}", change.target.shown, to.shown)
        }
    }
}

/// Whether old lines became others, which is worth a diff.
fn is_edit(step: &Step) -> bool {
    match step {
        Step::Write(change) => !matches!(change.before, Before::Nothing),
        Step::Move(change, _) => {
            !matches!(&change.before, Before::Bytes(image) if image.bytes() == change.after)
        }
        Step::Remove(..) => false,
    }
}

fn note_of_loose(loose: &[usize]) -> String {
    if loose.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = loose.iter().map(ToString::to_string).collect();
    let hunks = if lines.len() == 1 { "The hunk at line" } else { "The hunks at lines" };
    format!("({hunks} {} matched ignoring whitespace or typography; verify the result)", lines.join(", "))
}

/// The hunks of one change, under its name where there are several.
fn shown_diff(change: &FileChange, of: usize) -> String {
    let (before, after) = change.before.as_deref().zip(change.after.as_deref()).unwrap_or_default();
    // carriage returns would only be noise
    let hunks = unified_text(&diff(&before.replace("\r\n", "\n"), &after.replace("\r\n", "\n")));
    if of == 1 { hunks } else { format!("--- {}\n{hunks}", change.path) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::Path;

    use futures_util::FutureExt;
    use serde_json::json;

    use super::super::edit::Edit;
    use super::super::read::Read;
    use super::super::testing::Session;
    use super::super::write::Write;
    use super::*;

    fn patch(body: &str) -> Value {
        json!({"patch": format!("*** Begin Patch\n{body}\n*** End Patch")})
    }

    /// A session with these files, all of them read.
    async fn known(files: &[(&str, &str)]) -> Session {
        let session = Session::with(files);
        for (name, _) in files {
            session.told(&Read, json!({"file_path": name})).await;
        }
        session
    }

    /// All files of the session with what they hold.
    fn held(session: &Session) -> Vec<(String, String)> {
        fn walk(session: &Session, below: &Path, out: &mut Vec<(String, String)>) {
            for entry in fs::read_dir(below).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    walk(session, &path, out);
                } else {
                    let name = path.strip_prefix(&session.root).unwrap().display().to_string();
                    out.push((name, fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let mut out = Vec::new();
        walk(session, &session.root, &mut out);
        out.sort();
        out
    }

    fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[tokio::test]
    async fn a_patch_does_all_that_it_says_and_tells_it() {
        let session = known(&[("a", "one\ntwo\n"), ("b", "b\n"), ("c", "c\nd\n"), ("e", "e\n")]).await;
        let body = "*** Update File: a\n@@\n one\n-two\n+2\n*** Delete File: b\n*** Update File: c\n*** Move to: sub/c\n\
                    @@\n-d\n+D\n*** Add File: n/new\n+x\n+y\n*** Update File: e\n*** Move to: f";
        let result = session.run(&ApplyPatch, &patch(body)).await;
        assert_eq!(
            result.content.to_text(),
            "a edited\nb deleted\nc moved to sub/c, edited\nn/new created (2 lines)\ne moved to f\n\
             --- a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- c → sub/c\n@@ -1,2 +1,2 @@\n c\n-d\n+D"
        );
        let expected = [("a", "one\n2\n"), ("f", "e\n"), ("n/new", "x\ny\n"), ("sub/c", "c\nD\n")];
        assert_eq!(held(&session), pairs(&expected));
        let Display::Changes(changes) = result.display else { panic!("changes") };
        let fates: Vec<(&str, bool, bool)> = changes
            .iter()
            .map(|file| (file.path.as_str(), file.before.is_some(), file.after.is_some()))
            .collect();
        let expected = [
            ("a", true, true),
            ("b", true, false),
            ("c → sub/c", true, true),
            ("n/new", false, true),
            ("e → f", true, true),
        ];
        assert_eq!(fates, expected);
        // one checkpoint names all of them, the new name of a move too
        let saved = session.checkpoints();
        let named: Vec<(&str, bool)> =
            saved.iter().map(|file| (file.path.rsplit('/').next().unwrap(), file.before.is_some())).collect();
        let expected =
            [("a", true), ("b", true), ("c", true), ("c", false), ("new", false), ("e", true), ("f", false)];
        assert_eq!(named, expected);
        // what was written is known
        session.told(&ApplyPatch, patch("*** Update File: sub/c\n@@\n-D\n+d\n*** Delete File: n/new")).await;
        session.told(&Edit, json!({"file_path": "f", "old_string": "e", "new_string": "x"})).await;
    }

    #[tokio::test]
    async fn of_a_patch_that_fails_nothing_stays() {
        let files = [("a", "one\n"), ("b", "b\n"), ("c", "c\n")];
        let first = "*** Update File: a\n@@\n-one\n+1\n*** Delete File: b\n*** Add File: n/new\n+x\n";
        for (last, why) in [
            ("*** Update File: c\n@@\n-x\n+y", "is not in c"),
            ("*** Update File: none\n@@\n-x\n+y", "none does not exist"),
            ("*** Delete File: none", "none does not exist"),
            ("*** Add File: c\n+x", "c exists already"),
            ("*** Update File: c\n*** Move to: a", "a exists already"),
            ("*** Update File: c\n*** Move to: c", "moved to itself"),
            ("*** Update File: c\n*** Move to: b", "b is deleted in this patch"),
            ("*** Update File: b\n@@\n-b", "b is gone by then"),
            ("*** Add File: n/new\n+y", "n/new exists already"),
            ("*** Delete File: n", "directory"),
            ("*** Add File: c/below\n+x", "Not a directory"),
            ("*** Add File: dir\n+x", "dir exists already"),
            ("*** Update File: c\n*** Move to: c/d", "Not a directory"),
        ] {
            let session = known(&files).await;
            fs::create_dir(session.path("dir")).unwrap();
            if last.ends_with(": n") {
                fs::create_dir(session.path("n")).unwrap();
            }
            let error = session.error(&ApplyPatch, patch(&format!("{first}{last}"))).await;
            assert!(error.contains(why), "{last}: {error}");
            assert_eq!(held(&session), pairs(&files), "{last}");
            assert_eq!(session.path("n").exists(), last.ends_with(": n"), "{last}: made directories go");
        }
    }

    #[tokio::test]
    async fn a_file_may_be_named_more_than_once() {
        let check = async |body: &str, expected: &[(&str, &str)]| {
            let session = known(&[("a", "1\n2\n3\n")]).await;
            let result = session.run(&ApplyPatch, &patch(body)).await;
            assert_eq!(held(&session), pairs(expected), "{body}: {}", result.content.to_text());
        };
        check("*** Update File: a\n@@\n-3\n+c\n*** Update File: ./a\n@@\n-1\n+a", &[("a", "a\n2\nc\n")])
            .await;
        check("*** Delete File: a\n*** Add File: a\n+new", &[("a", "new\n")]).await;
        check("*** Add File: b\n+x\n*** Update File: b\n@@\n-x\n+y", &[("a", "1\n2\n3\n"), ("b", "y\n")])
            .await;
        check("*** Update File: a\n*** Move to: b\n*** Update File: b\n@@\n-1", &[("b", "2\n3\n")]).await;
        check(
            "*** Update File: a\n*** Move to: b\n*** Update File: b\n*** Move to: c",
            &[("c", "1\n2\n3\n")],
        )
        .await;
        check("*** Update File: a\n*** Move to: b\n*** Delete File: b", &[]).await;
        check("*** Add File: b\n+x\n*** Update File: b\n*** Move to: c", &[("a", "1\n2\n3\n"), ("c", "x\n")])
            .await;
        check("*** Update File: a\n*** Move to: b\n*** Add File: a\n+x", &[("a", "1\n2\n3\n")]).await;
        check(
            "*** Update File: a\n*** Move to: b\n*** Update File: b\n*** Move to: a",
            &[("a", "1\n2\n3\n")],
        )
        .await;
    }

    #[tokio::test]
    async fn every_file_must_be_known_as_it_is() {
        let session = Session::with(&[("a", "one\n"), ("b", "1\n"), ("c", "1\n")]);
        let body = "*** Update File: a\n@@\n-one\n+2\n*** Delete File: b\n*** Update File: c\n*** Move to: d";
        let error = session.error(&ApplyPatch, patch(body)).await;
        assert_eq!(
            error,
            "Error: cannot edit a, b, c: they have not been read in this session: Read them first"
        );
        session.told(&Read, json!({"file_path": "a"})).await;
        session.told(&Read, json!({"file_path": "b"})).await;
        let error = session.error(&ApplyPatch, patch(body)).await;
        assert_eq!(error, "Error: cannot edit c: it has not been read in this session (try Read first)");
        session.told(&Read, json!({"file_path": "c"})).await;
        session.write("b", "other\n");
        let error = session.error(&ApplyPatch, patch(body)).await;
        assert_eq!(error, "Error: b has changed since it was read, nothing was changed: Read it again");
        session.told(&Read, json!({"file_path": "b"})).await;
        session.write("a", "0\none\n");
        let error = session.error(&ApplyPatch, patch(body)).await;
        assert!(error.ends_with("current lines (→ is a tab, · a space):\n2\tone"), "{error}");
        session.told(&ApplyPatch, patch(body)).await;
        assert_eq!(held(&session), pairs(&[("a", "0\n2\n"), ("d", "1\n")]));
    }

    #[tokio::test]
    async fn a_moved_file_is_the_same_file() {
        let session = known(&[("a", "1\n2\n"), ("b", "1\n")]).await;
        fs::set_permissions(session.path("a"), fs::Permissions::from_mode(0o751)).unwrap();
        let number = session.path("b").metadata().unwrap().ino();
        let body = "*** Update File: a\n*** Move to: c\n@@\n-2\n+two\n*** Update File: b\n*** Move to: d";
        session.told(&ApplyPatch, patch(body)).await;
        assert_eq!(session.path("c").metadata().unwrap().permissions().mode() & 0o777, 0o751);
        assert_eq!(session.path("d").metadata().unwrap().ino(), number);
    }

    #[tokio::test]
    async fn links_are_changed_through_but_neither_moved_nor_deleted() {
        let session = known(&[("real", "1\n")]).await;
        symlink("real", session.path("link")).unwrap();
        symlink("absent", session.path("dangling")).unwrap();
        let error = async |body: &str| session.error(&ApplyPatch, patch(body)).await;
        assert!(error("*** Delete File: link").await.contains("it is a link to"));
        assert!(error("*** Update File: link\n*** Move to: x").await.contains("it is a link to"));
        assert!(error("*** Add File: dangling\n+x").await.contains("does not exist"));
        assert!(error("*** Update File: real\n*** Move to: dangling").await.contains("does not exist"));
        assert!(error("*** Add File: link\n+x").await.contains("exists already"));
        let call = session.prepare(
            &ApplyPatch,
            &patch("*** Update File: link\n*** Move to: x\n@@\n-1\n*** Delete File: real"),
        );
        let link = FileAccess { named: Some(session.path("link")), ..session.path("real").into() };
        let plain = |name: &str| FileAccess::from(session.path(name));
        assert_eq!(call.access(), Access::Write(vec![link, plain("x"), plain("real")]));
        session.told(&ApplyPatch, patch("*** Update File: link\n@@\n-1\n+2")).await;
        assert_eq!((session.text("real").as_str(), session.path("link").is_symlink()), ("2\n", true));
    }

    #[tokio::test]
    async fn what_is_no_text_is_refused_and_what_changes_nothing_too() {
        let session = known(&[("latin", "x\n"), ("a", "1\n")]).await;
        for (bytes, line, why) in [
            (&b"a\0b\n"[..], "x", "binary"),
            (b"\xff\xfe\0\xd8", "x", "UTF-16"),
            (b"\xff\xfe\0\0a\0\0\0", "x", "UTF-32"),
            (b"caf\xe9\nx\n", "\u{e4}", "not UTF-8"),
        ] {
            session.write("latin", bytes);
            session.bench.files().note(&session.path("latin"), crate::workbench::Stamp::of(bytes));
            let error =
                session.error(&ApplyPatch, patch(&format!("*** Update File: latin\n@@\n+{line}"))).await;
            assert!(error.contains(why), "{error}");
            assert_eq!(session.bytes("latin"), bytes);
        }
        let error = session.error(&ApplyPatch, patch("*** Delete File: a\n*** Add File: a\n+1")).await;
        assert!(error.contains("changes nothing"), "{error}");
    }

    #[tokio::test]
    async fn a_file_in_utf_16_stays_in_utf_16() {
        let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let session = known(&[("f", "")]).await;
        let bytes = utf_16("\u{feff}one\r\ntwo\r\nthree");
        session.write("f", &bytes);
        session.bench.files().note(&session.path("f"), crate::workbench::Stamp::of(&bytes));
        session.told(&ApplyPatch, patch("*** Update File: f\n@@\n one\n-two\n+\u{1f600}\n+2")).await;
        assert_eq!(session.bytes("f"), utf_16("\u{feff}one\r\n\u{1f600}\r\n2\r\nthree"));
    }

    #[tokio::test]
    async fn what_does_not_fit_is_told_with_where_it_would() {
        let session = known(&[("f", "fn a() {\n\tone();\n}\nfn b() {\n\tone();\n}\n")]).await;
        let error = async |body: &str| {
            session.error(&ApplyPatch, patch(&format!("*** Update File: f\n{body}"))).await
        };
        assert_eq!(
            error("@@\n-\tone();").await,
            "Error: the hunk at line 3 of the patch fits f 2 times, at lines 2, 5: give more lines around it, or an \
             anchor (`@@ line of the file above it`); nothing was changed"
        );
        assert_eq!(
            error("@@\n fn a() {\n-\ttwo();").await,
            "Error: the hunk at line 3 of the patch is not in f; nothing was changed. Nearest (→ is a tab, · a space):\n\
             1\tfn a() {\n2\t→one();"
        );
        assert!(
            error("@@ fn c() {\n-\tone();").await.contains("an anchor that is not a line of f: `fn c() {`")
        );
        assert!(
            error("@@\n-fn b() {\n@@\n-fn a() {")
                .await
                .contains("fits f only at line 1, above the end of the hunk before")
        );
        let loose = session
            .told(&ApplyPatch, patch("*** Update File: f\n@@ fn b() {\n-    one();\n+    two();"))
            .await;
        assert!(
            loose.starts_with(
                "f edited\n(The hunk at line 3 matched ignoring whitespace or typography; verify the result)\n@@"
            ),
            "{loose}"
        );
        assert!(session.text("f").ends_with("fn b() {\n\ttwo();\n}\n"));
    }

    #[tokio::test]
    async fn a_preview_shows_all_changes_and_makes_none() {
        let session = known(&[("a", "1\n"), ("b", "1\n")]).await;
        let call = session.prepare(&ApplyPatch, &patch("*** Update File: a\n@@\n-1\n+2\n*** Delete File: b"));
        let change = |path: &str, after: Option<&str>| FileChange {
            path: path.into(),
            before: Some("1\n".into()),
            after: after.map(str::to_owned),
        };
        let expected = Preview::Changes(vec![change("a", Some("2\n")), change("b", None)]);
        assert_eq!(call.preview(&session.bench).await, Ok(expected));
        assert_eq!(held(&session), pairs(&[("a", "1\n"), ("b", "1\n")]));
    }

    #[tokio::test]
    async fn patches_and_edits_of_the_same_files_wait_for_each_other() {
        let session = known(&[("a", "a1\na2\na3\n"), ("b", "b1\nb2\nb3\n")]).await;
        let both = |first: &str, second: &str, line: &str| {
            patch(&format!(
                "*** Update File: {first}\n@@\n-{first}{line}\n+x\n*** Update File: {second}\n@@\n-{second}{line}\n+x"
            ))
        };
        let (one, two) = (both("a", "b", "1"), both("b", "a", "2"));
        let edit =
            |file: &str| json!({"file_path": file, "old_string": format!("{file}3"), "new_string": "x"});
        let (three, four) = (edit("a"), edit("b"));
        tokio::join!(
            session.run(&ApplyPatch, &one),
            session.run(&Edit, &three),
            session.run(&ApplyPatch, &two),
            session.run(&Edit, &four),
        );
        assert_eq!(held(&session), pairs(&[("a", "x\nx\nx\n"), ("b", "x\nx\nx\n")]));
    }

    #[tokio::test]
    async fn of_two_patches_none_waits_for_a_file_that_the_other_holds() {
        let session = known(&[("a", "1\n2\n"), ("b", "1\n2\n")]).await;
        let both = |first: &str, second: &str, line: &str| {
            patch(&format!("*** Update File: {first}\n@@\n-{line}\n*** Update File: {second}\n@@\n-{line}"))
        };
        let (one, two) = (both("a", "b", "1"), both("b", "a", "2"));
        let held_back = session.bench.files().lock(&session.path("a")).await;
        let (mut one, mut two) =
            (Box::pin(session.run(&ApplyPatch, &one)), Box::pin(session.run(&ApplyPatch, &two)));
        // both are under way now, each as far as it comes
        assert!((&mut one).now_or_never().is_none() && (&mut two).now_or_never().is_none());
        drop(held_back);
        let end = tokio::time::timeout(std::time::Duration::from_mins(1), async { tokio::join!(one, two) });
        end.await.expect("they do not wait for each other for ever");
        assert_eq!(held(&session), pairs(&[("a", ""), ("b", "")]));
    }

    #[tokio::test]
    async fn a_call_that_is_cancelled_before_it_writes_writes_nothing() {
        let session = known(&[("a", "1\n")]).await;
        session.cancel.cancel();
        session.run(&ApplyPatch, &patch("*** Update File: a\n@@\n-1\n+2\n*** Add File: b\n+x")).await;
        assert_eq!(held(&session), pairs(&[("a", "1\n")]));
    }

    #[tokio::test]
    async fn a_patch_that_is_none_is_refused_before_anything_is_opened() {
        let session = Session::new();
        let refused = |arguments: Value| {
            ApplyPatch.prepare(arguments.as_object().unwrap(), session.bench.path_base()).err().unwrap()
        };
        assert_eq!(
            refused(json!({"input": "*** Begin Patch\n*** Delete File: a"})),
            "Error: line 2 of the patch: expected `*** End Patch` (was the patch cut off?), but the patch ends here; \
             nothing was changed"
        );
        assert!(refused(json!({})).contains("`patch` (a string) is missing"));
    }

    /// The directory of descriptors is the system's own.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn five_hundred_patches_leave_no_descriptor_open() {
        let session = known(&[("a", "0\n"), ("b", "0\n")]).await;
        let open = || {
            let links = fs::read_dir("/proc/self/fd")
                .unwrap()
                .flatten()
                .filter_map(|entry| fs::read_link(entry.path()).ok());
            links.filter(|path| path.starts_with(&session.root)).count()
        };
        for number in 0..500 {
            let next = number + 1;
            let body = format!(
                "*** Update File: a\n@@\n-{number}\n+{next}\n*** Update File: b\n@@\n-{number}\n+{next}\n*** Add File: n{number}\n+x"
            );
            session.told(&ApplyPatch, patch(&body)).await;
        }
        assert_eq!((open(), session.text("a").as_str(), held(&session).len()), (0, "500\n", 502));
    }

    #[tokio::test]
    async fn its_own_write_counts_as_read() {
        let session = Session::new();
        session.told(&Write, json!({"file_path": "a", "content": "1\n"})).await;
        session.told(&ApplyPatch, patch("*** Update File: a\n@@\n-1\n+2")).await;
        assert_eq!(session.text("a"), "2\n");
    }
}
