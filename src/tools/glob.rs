//! Glob: files by name, newest first.
//!
//! A pattern without a slash matches at any depth, as in `.gitignore`. Only the newest paths are held in memory, however
//! many there are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use ignore::DirEntry;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::schema::{self, Param};
use super::target::Target;
use super::walk::{Ignored, Names, each_file, unsearchable};
use super::{Concurrency, Prepared, Scene, Tool, ToolResult, looking};
use crate::protocol::{Access, Display, Preview};
use crate::text::clip;
use crate::text::glob::GitGlob;
use crate::text::units;
use crate::workbench::Workbench;

/// Paths told at most.
const MOST_PATHS: usize = 1000;
/// The limit of a result, less room for what is said besides.
const MOST_BYTES: usize = clip::RESULT.bytes - 256;
/// Files looked at to see whether a pattern without matches is ignored.
const MOST_IGNORED: u64 = 20_000;

const PATTERN: Param = Param::text("pattern", "such as `src/**/*.rs`").or(&["glob", "query"]);
const PATH: Param = Param::text("path", "directory").or(&["directory", "dir", "file_path", "cwd"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Glob;

impl Tool for Glob {
    fn name(&self) -> &'static str {
        "Glob"
    }

    fn description(&self) -> String {
        "Find files by name, newest first; obeys .gitignore.".to_owned()
    }

    fn parameters(&self) -> Value {
        schema::object(&[PATTERN], &[PATH])
    }

    fn concurrency(&self) -> Concurrency {
        Concurrency::SideBySide
    }

    fn prepare(&self, arguments: &Map<String, Value>, cwd: &Path) -> Result<Box<dyn Prepared>, String> {
        let pattern = PATTERN.need_some(arguments)?;
        let path = PATH.get_some(arguments)?.unwrap_or_else(|| ".".to_owned());
        let (path, rest) = leave(&path, &pattern);
        let glob = GitGlob::new(&rest).map_err(|error| format!("Error: {error}"))?;
        Ok(Box::new(Call { pattern, glob, target: Target::new(&path.to_string_lossy(), cwd) }))
    }
}

/// Moves the beginning of a pattern that leads out of `path` (`/…`, `../…`) into the path.
fn leave(path: &str, pattern: &str) -> (PathBuf, String) {
    if !pattern.starts_with('/') && !pattern.starts_with("../") {
        return (path.into(), pattern.to_owned());
    }
    let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = pattern.split('/').collect();
    // the last part is a name to look for, not a directory
    let plain = parts.iter().take(parts.len().saturating_sub(1)).take_while(|part| is_plain(part)).count();
    let (directory, rest) = parts.split_at(plain);
    let directory = if directory == [""] { "/".to_owned() } else { directory.join("/") };
    (Path::new(path).join(directory), format!("/{}", rest.join("/")))
}

#[derive(Debug, Clone)]
struct Call {
    pattern: String,
    glob: GitGlob,
    target: Target,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Read(vec![self.target.resolved.clone()])
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async {
            match unsearchable(&self.target) {
                Some(error) => Err(error),
                None => Ok(Preview::Text(format!("Find {} in {}", self.pattern, self.target.path.display()))),
            }
        })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let cancel = scene.cancel.clone();
            match looking(&scene.cancel, move || self.find(&cancel)).await {
                Ok(result) | Err(result) => result,
            }
        })
    }
}

impl Call {
    fn find(&self, cancel: &CancellationToken) -> Result<ToolResult, String> {
        if let Some(error) = unsearchable(&self.target) {
            return Err(error);
        }
        if !self.target.resolved.is_dir() {
            return Err(format!("Error: {} is a file, not a directory", self.target.shown));
        }
        let names = Names::below(&self.target);
        let newest = Mutex::new(Newest::default());
        let visit = |entry: DirEntry| {
            if self.glob.matches_itself(names.relative(entry.path()), false) {
                let written = entry.metadata().ok().and_then(|meta| meta.modified().ok());
                let written = written.unwrap_or(SystemTime::UNIX_EPOCH);
                newest
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(written, names.shown(entry.path()));
            }
            ControlFlow::Continue(())
        };
        each_file(&self.target.resolved, Ignored::LeftOut, cancel, || visit);
        let newest = newest.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(if newest.count == 0 { self.nothing(&names, cancel) } else { newest.into_result() })
    }

    /// Nothing was found; says so if that is because of an ignore file.
    fn nothing(&self, names: &Names, cancel: &CancellationToken) -> ToolResult {
        let looked_at = AtomicU64::new(0);
        let found = AtomicU64::new(0);
        let visit = |entry: DirEntry| {
            let matches = self.glob.matches_itself(names.relative(entry.path()), false);
            found.fetch_add(matches.into(), Ordering::Relaxed);
            if looked_at.fetch_add(1, Ordering::Relaxed) < MOST_IGNORED && !matches {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        each_file(&self.target.resolved, Ignored::Included, cancel, || visit);
        let mut text = format!("No file in {} matches {}", self.target.shown, self.pattern);
        if found.into_inner() > 0 {
            text.push_str(" but ignored ones (.gitignore): list those with Bash");
        }
        ToolResult::success(text, Display::Line("0 files".to_owned()))
    }
}

/// The newest of many paths.
#[derive(Debug, Default)]
struct Newest {
    /// The oldest of them on top; of the same age the last by name.
    paths: BinaryHeap<(Reverse<SystemTime>, String)>,
    count: u64,
}

impl Newest {
    fn push(&mut self, written: SystemTime, path: String) {
        self.count += 1;
        self.paths.push((Reverse(written), path));
        if self.paths.len() > MOST_PATHS {
            self.paths.pop();
        }
    }

    fn into_result(self) -> ToolResult {
        let count = self.count;
        let mut text = String::new();
        let mut shown = 0;
        for (_, path) in self.paths.into_sorted_vec() {
            if text.len() + path.len() > MOST_BYTES {
                break;
            }
            text.push_str(&path);
            text.push('\n');
            shown += 1;
        }
        let files = units::counted(count, "file", "files");
        if shown < count {
            let note = format!("[the newest {shown} of {files}: a narrower pattern finds the others]");
            text.push_str(&note);
        }
        ToolResult::success(text.trim_end_matches('\n'), Display::Line(files))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::Session;
    use super::*;

    #[test]
    fn a_pattern_that_leads_out_is_searched_where_it_leads() {
        let check = |pattern: &str, path: &str, rest: &str| {
            assert_eq!(leave("sub", pattern), (PathBuf::from(path), rest.to_owned()), "{pattern}");
        };
        check("src/*.rs", "sub", "src/*.rs");
        check("/w/src/*.rs", "/w/src", "/*.rs");
        check("/w/src/main.rs", "/w/src", "/main.rs");
        check("/*.rs", "/", "/*.rs");
        check("../../x/**/*.rs", "sub/../../x", "/**/*.rs");
    }

    #[test]
    fn only_the_newest_are_kept() {
        let mut newest = Newest::default();
        for second in 0..1500_u64 {
            newest
                .push(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(second), format!("f{second}"));
        }
        let text = newest.into_result().content.to_text();
        assert!(text.starts_with("f1499\nf1498\n"), "{text}");
        assert!(
            text.ends_with("f500\n[the newest 1000 of 1,500 files: a narrower pattern finds the others]")
        );
    }

    #[tokio::test]
    async fn files_are_listed_newest_first_without_ignored_ones() {
        let session = Session::with(&[
            (".gitignore", "*.log\nout/\n"),
            ("src/a.rs", ""),
            ("src/deep/b.rs", ""),
            (".hidden/c.rs", ""),
            ("out/d.rs", ""),
            (".git/e.rs", ""),
            ("x.log", ""),
        ]);
        for (name, seconds) in [("src/a.rs", 3), ("src/deep/b.rs", 9), (".hidden/c.rs", 6)] {
            let file = std::fs::File::options().write(true).open(session.path(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
        }
        let told = session.told(&Glob, json!({"pattern": "*.rs"})).await;
        assert_eq!(told, "src/deep/b.rs\n.hidden/c.rs\nsrc/a.rs");
        assert_eq!(
            session.told(&Glob, json!({"pattern": "*.rs", "path": "src"})).await,
            "src/deep/b.rs\nsrc/a.rs"
        );
        assert_eq!(session.told(&Glob, json!({"pattern": "src/*.{rs,py}"})).await, "src/a.rs");
        let absolute = format!("{}/src/**/b.*", session.root.display());
        assert_eq!(session.told(&Glob, json!({"pattern": absolute})).await, "src/deep/b.rs");
        let told = session.told(&Glob, json!({"pattern": "*.log"})).await;
        assert!(told.contains("but ignored ones"), "{told}");
        assert_eq!(session.told(&Glob, json!({"pattern": "*.c"})).await, "No file in . matches *.c");
    }

    #[tokio::test]
    async fn a_directory_that_is_not_there_is_an_error() {
        let session = Session::with(&[("src/a.rs", "")]);
        let error = session.error(&Glob, json!({"pattern": "*", "path": "scr"})).await;
        assert_eq!(error, "Error: scr does not exist. Did you mean src?");
        let error = session.error(&Glob, json!({"pattern": "*", "path": "src/a.rs"})).await;
        assert_eq!(error, "Error: src/a.rs is a file, not a directory");
        assert!(Glob.prepare(json!({"pattern": "[a"}).as_object().unwrap(), &session.root).is_err());
    }
}
