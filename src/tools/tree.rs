//! A directory as a tree: what an `@directory` of the user's brings. No tool that the model is offered.
//!
//! Ignore files count, as for Glob, and what the rules hide is not named. The surprise: the tree is as deep as fits on a few
//! screens, and a directory below that is one line with a count, so that the shape of a large project is seen whole.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::schema::{self, Param};
use super::target::Target;
use super::walk::{Ignored, Seen, Shown, Walk, searching};
use super::{Prepared, Scene, Tool, ToolResult};
use crate::os::paths::PathBase;
use crate::protocol::{Access, Display, Preview, ToolSpec};
use crate::text::units;
use crate::workbench::Workbench;

/// Lines of a tree: about what a model takes in as one thing.
const MOST_LINES: usize = 200;
/// Files that are looked at; more are counted as so many or more.
const MOST_FILES: usize = 50_000;

const PATH: Param = Param::text("file_path", "");

/// The tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree;

impl Tool for Tree {
    /// The name under which the rules judge it.
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Read".into(),
            description: "Show a directory as a tree.".into(),
            parameters: schema::object(&[PATH], &[]),
            parallel: true,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        Ok(Box::new(Call { target: Target::read(&PATH.need_some(arguments)?, base)? }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    target: Target,
}

/// A directory: what it holds by name; a file holds nothing.
#[derive(Debug, Default)]
struct Node {
    below: BTreeMap<String, Self>,
    files: usize,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Read(vec![self.target.access()])
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async { Ok(Preview::Text(format!("Read {}", self.target.path.display()))) })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let bench = Arc::clone(&scene.bench);
            let looked = searching(&scene.cancel, move |until| {
                let root = self.target.judged()?;
                let (ignored, shown) = (Ignored::LeftOut, Shown::Files);
                let walk = Walk { root, workspace: bench.root(), ignored, shown, depth: usize::MAX, until };
                Ok(drawn(&files(&walk, &bench)))
            });
            match looked.await {
                Ok(result) | Err(result) => result,
            }
        })
    }
}

fn files(walk: &Walk<'_>, bench: &Workbench) -> Vec<PathBuf> {
    let (found, veil) = (Mutex::new(Vec::new()), bench.veil());
    let visit = |seen: Seen<'_>| {
        if veil.as_ref().is_some_and(|veil| veil(seen.path)) {
            return ControlFlow::Continue(());
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.push(seen.relative.to_owned());
        if found.len() < MOST_FILES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    walk.each(|| visit);
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn drawn(files: &[PathBuf]) -> ToolResult {
    let mut root = Node::default();
    for file in files {
        root.put(file);
    }
    let count = units::counted(files.len() as u64, "file", "files");
    let more = if files.len() < MOST_FILES { "" } else { " or more" };
    let about = format!("{count}{more}");
    let deepest = files.iter().map(|file| file.components().count()).max().unwrap_or(0);
    let fits = (1..=deepest).rev().find(|depth| root.lines(*depth) <= MOST_LINES).unwrap_or(1);
    let mut lines = Vec::new();
    root.draw(fits, 0, &mut lines);
    let left = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if left > 0 {
        lines.push(format!("… {} more", units::count(left as u64)));
    }
    lines.push(format!("[{about}]"));
    ToolResult::success(lines.join("\n"), Display::Line(about))
}

impl Node {
    fn put(&mut self, file: &Path) {
        let mut node = self;
        for part in file.components() {
            if let Component::Normal(name) = part {
                node.files += 1;
                let name = name.to_string_lossy().escape_debug().to_string();
                node = node.below.entry(name).or_default();
            }
        }
    }

    fn lines(&self, depth: usize) -> usize {
        let below = |node: &Self| if depth > 1 { node.lines(depth - 1) } else { 0 };
        self.below.values().map(|node| 1 + below(node)).sum()
    }

    fn draw(&self, depth: usize, level: usize, lines: &mut Vec<String>) {
        for (name, node) in &self.below {
            let indent = "  ".repeat(level);
            if node.files == 0 {
                lines.push(format!("{indent}{name}"));
            } else if depth > 1 {
                lines.push(format!("{indent}{name}/"));
                node.draw(depth - 1, level + 1, lines);
            } else {
                let count = units::counted(node.files as u64, "file", "files");
                lines.push(format!("{indent}{name}/ ({count})"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::Session;
    use super::*;

    #[tokio::test]
    async fn a_directory_is_a_tree_without_what_is_ignored_or_hidden_by_a_rule() {
        let session = Session::with(&[
            (".gitignore", "target\n"),
            ("target/x", ""),
            ("src/a.rs", ""),
            ("src/deep/b.rs", ""),
            ("secret", ""),
        ]);
        session.bench.set_veils(Arc::new(|| Arc::new(|path| path.ends_with("secret"))));
        let told = session.told(&Tree, json!({"file_path": "."})).await;
        assert_eq!(told, ".gitignore\nsrc/\n  a.rs\n  deep/\n    b.rs\n[3 files]");
    }

    #[test]
    fn a_large_one_is_shown_as_deep_as_fits() {
        let files: Vec<PathBuf> =
            (0..30).flat_map(|dir| (0..30).map(move |file| format!("d{dir:02}/f{file}").into())).collect();
        let text = drawn(&files).content.to_text();
        assert!(
            text.starts_with("d00/ (30 files)\nd01/ (30 files)\n") && text.ends_with("[900 files]"),
            "{text}"
        );
        let flat: Vec<PathBuf> = (0..300).map(|file| format!("f{file:03}").into()).collect();
        assert!(drawn(&flat).content.to_text().ends_with("f199\n… 100 more\n[300 files]"));
    }
}
