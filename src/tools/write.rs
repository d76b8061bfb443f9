//! Write: a whole file, new or in place of an old one.
//!
//! An existing file must be known to the model as it is, lest something be lost that nobody has looked at. The bytes
//! are written as they were sent; a file that holds them already is not touched.

use std::fs;
use std::io;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::change::{self, Before, Change};
use super::schema::{self, Param};
use super::target::Target;
use super::{Prepared, Scene, Tool, ToolResult, changing, previewing};
use crate::os::file::FileError;
use crate::os::paths::PathBase;
use crate::protocol::{Access, Display, Preview, ToolSpec};
use crate::text::units;
use crate::workbench::{Image, Stamp, Workbench};

/// A larger old file is not read into memory, nor shown.
const MOST_HELD: u64 = 8 * 1024 * 1024;

const PATH: Param =
    Param::text("file_path", "absolute or relative path").or(&["path", "filePath", "file", "filename"]);
const CONTENT: Param =
    Param::text("content", "the complete new content").or(&["contents", "text", "file_text"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Write;

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Write".into(),
            description: "Create a file or replace its whole content. An existing file must have been read first.{{Edit|ApplyPatch: To change part of a file use }}\
         {{Edit:Edit.}}{{ApplyPatch:ApplyPatch.}}".into(),
            parameters: schema::object(&[PATH, CONTENT], &[]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let target = Target::read_file(&PATH.need_some(arguments)?, base)?;
        Ok(Box::new(Call { target, content: CONTENT.need(arguments)? }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    target: Target,
    content: String,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Write(vec![self.target.access()])
    }

    fn preview<'a>(&'a self, bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        let (call, bench) = (self.clone(), Arc::clone(bench));
        Box::pin(previewing(move || {
            let before = call.look_and_judge(&bench)?;
            Ok(Preview::Changes(vec![call.change(before).shown()]))
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
        let before = changing(&scene.cancel, move || call.look_and_judge(&bench)).await?;
        let verb = match &before {
            Before::Bytes(image) if image.bytes() == self.content.as_bytes() => return Ok(self.unchanged()),
            Before::Nothing => "created",
            Before::Bytes(_) | Before::Large(_) => "overwritten",
        };
        let done = change::carry_out(&scene, vec![lock], vec![self.change(before)]).await?;
        let lines = units::counted(self.content.lines().count() as u64, "line", "lines");
        let note = done.note.map(|note| format!("\n{note}")).unwrap_or_default();
        let text = format!("{} {verb} ({lines}){note}", self.target.shown);
        let shown = done.changes.into_iter().map(Change::shown).collect();
        Ok(ToolResult::success(text, Display::Changes(shown)))
    }

    /// There is nothing to do.
    fn unchanged(&self) -> ToolResult {
        let text = format!("{} unchanged (content is identical)", self.target.shown);
        ToolResult::success(text, Display::Line("unchanged".to_owned()))
    }

    /// Whether this may be written there, and what would be lost.
    fn look_and_judge(&self, bench: &Workbench) -> Result<Before, String> {
        let before = self.look(bench)?;
        let held = match &before {
            Before::Bytes(image) => image.bytes(),
            Before::Nothing | Before::Large(_) => &[],
        };
        change::is_real(bench, &self.target, &self.content, held)?;
        Ok(before)
    }

    /// Whether the file may be written, and what would be lost.
    fn look(&self, bench: &Workbench) -> Result<Before, String> {
        let told = |error: FileError| format!("Error: {error}");
        match fs::symlink_metadata(&self.target.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Before::Nothing),
            Ok(meta) if meta.is_symlink() && !self.target.path.exists() => {
                let target = self.target.resolved.clone();
                return Err(told(FileError::Dangling { path: self.target.path.clone(), target }));
            }
            Ok(_) | Err(_) => {}
        }
        let place = self.target.pinned().map_err(told)?;
        let (file, meta) = place.open().map_err(told)?;
        let failed = |error: io::Error| format!("Error: cannot read {}: {error}", self.target.shown);
        let (before, now) = if meta.len() > MOST_HELD {
            let now = Stamp::of_file(file, &meta).map_err(failed)?;
            (Before::Large(now.clone()), now)
        } else {
            let image = Image::of(place.read(MOST_HELD).map_err(told)?);
            let now = image.stamp();
            (Before::Bytes(image), now)
        };
        let check = bench.files().check(&self.target.resolved, &now);
        check.map_err(|stale| format!("Error: cannot overwrite {}: {stale}", self.target.shown))?;
        Ok(before)
    }

    fn change(&self, before: Before) -> Change {
        Change { target: self.target.clone(), before, after: self.content.clone().into_bytes() }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use serde_json::json;

    use super::super::read::Read;
    use super::super::testing::Session;
    use super::*;
    use crate::protocol::{FileAccess, FileChange};

    #[tokio::test]
    async fn a_new_file_is_made_with_the_directories_above_it() {
        let session = Session::new();
        let result = session.run(&Write, &json!({"path": "a/b/c.txt", "contents": "one\ntwo\n"})).await;
        assert_eq!(result.content.to_text(), "a/b/c.txt created (2 lines)");
        let change = FileChange { path: "a/b/c.txt".into(), before: None, after: Some("one\ntwo\n".into()) };
        assert_eq!(result.display, Display::Changes(vec![change]));
        assert_eq!(session.text("a/b/c.txt"), "one\ntwo\n");
        let again = session.told(&Write, json!({"file_path": "a/b/c.txt", "content": ""})).await;
        assert_eq!(
            (again.as_str(), session.text("a/b/c.txt").as_str()),
            ("a/b/c.txt overwritten (0 lines)", "")
        );
    }

    #[tokio::test]
    async fn an_existing_file_must_be_known_as_it_is() {
        let session = Session::with(&[("f", "old")]);
        let write = json!({"file_path": "f", "content": "new"});
        let error = session.error(&Write, write.clone()).await;
        assert_eq!(error, "Error: cannot overwrite f: it has not been read in this session (try Read first)");
        session.told(&Read, json!({"file_path": "f"})).await;
        session.write("f", "odd");
        let error = session.error(&Write, write.clone()).await;
        assert_eq!(error, "Error: cannot overwrite f: it has changed since it was read (try Read again)");
        session.told(&Read, json!({"file_path": "f"})).await;
        fs::set_permissions(session.path("f"), fs::Permissions::from_mode(0o750)).unwrap();
        session.told(&Write, write).await;
        assert_eq!(session.text("f"), "new");
        assert_eq!(session.path("f").metadata().unwrap().permissions().mode() & 0o777, 0o750);
    }

    #[tokio::test]
    async fn a_file_that_holds_it_already_is_not_touched() {
        let session = Session::with(&[("f", "same\n")]);
        session.told(&Read, json!({"file_path": "f"})).await;
        let written = || session.path("f").metadata().unwrap().modified().unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options().write(true).open(session.path("f")).unwrap().set_modified(long_ago).unwrap();
        let told = session.told(&Write, json!({"file_path": "f", "content": "same\n"})).await;
        assert_eq!(told, "f unchanged (content is identical)");
        assert_eq!((written(), session.checkpoints().len()), (long_ago, 0));
    }

    #[tokio::test]
    async fn a_link_is_followed_and_a_dangling_one_refused() {
        let session = Session::with(&[("real", "old")]);
        symlink("real", session.path("link")).unwrap();
        symlink("absent", session.path("dangling")).unwrap();
        session.told(&Read, json!({"file_path": "real"})).await;
        session.told(&Write, json!({"file_path": "link", "content": "new"})).await;
        assert_eq!(session.text("real"), "new");
        assert!(session.path("link").is_symlink());
        let error = session.error(&Write, json!({"file_path": "dangling", "content": "x"})).await;
        assert!(error.contains("does not exist"), "{error}");
        let call = session.prepare(&Write, &json!({"file_path": "link", "content": "x"}));
        let named = Some(session.path("link"));
        assert_eq!(call.access(), Access::Write(vec![FileAccess { named, ..session.path("real").into() }]));
    }

    #[tokio::test]
    async fn a_directory_is_not_overwritten_and_a_preview_writes_nothing() {
        let session = Session::with(&[("dir/f", "x")]);
        let error = session.error(&Write, json!({"file_path": "dir", "content": "x"})).await;
        assert!(error.contains("it is a directory"), "{error}");
        let arguments = json!({"file_path": "made/", "content": "x"});
        let refused = Write.prepare(arguments.as_object().unwrap(), Path::new("/").into()).err().unwrap();
        assert!(refused.contains("is a directory path"), "{refused}");
        let call = session.prepare(&Write, &json!({"file_path": "new", "content": "x"}));
        assert!(matches!(call.preview(&session.bench).await, Ok(Preview::Changes(_))));
        assert!(!session.path("new").exists());
    }
}
