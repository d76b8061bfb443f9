//! Glob: files by name, newest first.
//!
//! A pattern without a slash matches at any depth, as in `.gitignore`; one that names a directory means what is in it.
//! The surprise: a pattern that repeats its `path` (`src/*.rs` in `src`) is taken as it was meant, for it is the slip that
//! models make most.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use self::newest::Newest;
use self::second::SecondLook;
use super::schema::{self, Param};
use super::target::{Target, expand_home, path_text};
use super::walk::{Ignored, Names, PATIENCE, SECOND_LOOK, Seen, Shown, Until, Walk, searching, unsearchable};
use super::{Prepared, Scene, Tool, ToolResult};
use crate::os::paths::PathBase;
use crate::protocol::{Access, Display, Preview, ToolSpec};
use crate::text::glob::GitGlob;
use crate::text::units;
use crate::workbench::Workbench;

mod newest;
mod second;

/// A longer pattern names no path that can exist.
const LONGEST: usize = 4096;

const PATTERN: Param = Param::text("pattern", "such as `src/**/*.rs`").or(&["glob", "query", "glob_pattern"]);
const PATH: Param =
    Param::text("path", "directory to search").or(&["directory", "dir", "dir_path", "file_path", "cwd"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Glob;

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Glob".into(),
            description: "Find files by glob pattern, newest first, at most 1000. Respects .gitignore."
                .into(),
            parameters: schema::object(&[PATTERN], &[PATH]),
            parallel: true,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let pattern = PATTERN.need_some(arguments)?;
        let path = PATH.get_some(arguments)?.unwrap_or_else(|| ".".to_owned());
        if pattern.len() > LONGEST {
            return Err(format!("Error: `pattern` is longer than {LONGEST} bytes"));
        }
        let full = expand_home(pattern.trim(), base.home)?;
        let (path, rest) = leave(&path_text(&path, base.home)?, &full);
        let target = Target::new(&path.to_string_lossy(), base.cwd);
        Ok(Box::new(Call { choice: Choice::read(&rest)?, pattern, target }))
    }
}

/// Moves the beginning of a pattern that leads out of `path` (`/…`, `../…`) into the path.
fn leave(path: &str, pattern: &str) -> (PathBuf, String) {
    let parts: Vec<&str> = pattern.split('/').collect();
    if !pattern.starts_with('/') && !parts.contains(&"..") {
        return (path.into(), pattern.to_owned());
    }
    let is_plain = |part: &&str| !has_wildcard(part);
    // the last part is a name to look for, not a directory
    let plain = parts.iter().take(parts.len().saturating_sub(1)).take_while(|part| is_plain(part)).count();
    let (directory, rest) = parts.split_at(plain);
    let directory = if directory == [""] { "/".to_owned() } else { directory.join("/") };
    (Path::new(path).join(directory), format!("/{}", rest.join("/")))
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '[', '{', '\\'])
}

/// The files that are meant.
#[derive(Debug, Clone)]
struct Choice {
    glob: GitGlob,
    which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Matching,
    /// `!pattern`.
    Others,
}

impl Choice {
    fn read(pattern: &str) -> Result<Self, String> {
        let (pattern, which) = match pattern.strip_prefix('!') {
            Some(pattern) => (pattern, Which::Others),
            None => (pattern, Which::Matching),
        };
        let glob = match pattern {
            "." | "./" | "/" => GitGlob::new("**"),
            // a directory: what is in it
            pattern if pattern.ends_with('/') => GitGlob::new(&format!("{pattern}**")),
            pattern => GitGlob::new(pattern),
        };
        Ok(Self { glob: glob.map_err(|error| format!("Error: {error}"))?, which })
    }

    /// The same, or if it is the name of a directory what is in that.
    fn looked_at(&self, root: &Path) -> Self {
        let pattern = self.glob.pattern().trim_start_matches("./").trim_start_matches('/');
        if has_wildcard(pattern) || !root.join(pattern).is_dir() {
            return self.clone();
        }
        let glob = GitGlob::new(&format!("/{pattern}/**"));
        Self { glob: glob.unwrap_or_else(|_| self.glob.clone()), which: self.which }
    }

    /// How many directories deep a path that it takes can be.
    fn depth(&self) -> usize {
        let pattern = self.glob.pattern();
        match self.which {
            Which::Matching if pattern.contains('/') && !pattern.contains("**") => pattern.split('/').count(),
            Which::Matching | Which::Others => usize::MAX,
        }
    }

    fn takes(&self, names: &Names, seen: &Seen<'_>) -> bool {
        match self.which {
            Which::Others => !self.glob.matches(seen.relative, false),
            Which::Matching if self.glob.matches_itself(seen.relative, false) => true,
            Which::Matching => self.repeats(names, seen.path),
        }
    }

    /// Whether it matches from the working directory on.
    fn repeats(&self, names: &Names, path: &Path) -> bool {
        let pattern = self.glob.pattern();
        pattern.contains('/')
            && !pattern.starts_with(['/', '*'])
            && names.seen_from_above(path).is_some_and(|path| self.glob.matches_itself(path, false))
    }
}

#[derive(Debug, Clone)]
struct Call {
    pattern: String,
    choice: Choice,
    target: Target,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Read(vec![self.target.access()])
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
            let bench = Arc::clone(&scene.bench);
            match searching(&scene.cancel, move |until| self.find(bench.root(), until)).await {
                Ok(result) | Err(result) => result,
            }
        })
    }
}

impl Call {
    fn find(&self, workspace: &Path, until: &Until) -> Result<ToolResult, String> {
        if let Some(error) = unsearchable(&self.target) {
            return Err(error);
        }
        let root = self.target.judged()?;
        if !root.is_dir() {
            return Err(format!("Error: {} is a file, not a directory", self.target.shown));
        }
        let (names, choice) = (Names::below(&self.target), self.choice.looked_at(root));
        let newest = Mutex::new(Newest::default());
        let visit = |seen: Seen<'_>| {
            if choice.takes(&names, &seen) && is_file(&seen) {
                let written = seen.metadata().ok().and_then(|meta| meta.modified().ok());
                let mut newest = newest.lock().unwrap_or_else(PoisonError::into_inner);
                newest.push(written.unwrap_or(SystemTime::UNIX_EPOCH), || names.shown(seen.path));
            }
            ControlFlow::Continue(())
        };
        let (ignored, shown, depth) = (Ignored::LeftOut, Shown::Files, choice.depth());
        let walk = Walk { root, workspace, ignored, shown, depth, until };
        let tally = walk.each(|| visit);
        let newest = newest.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_late = until.is_late();
        let files = units::counted(newest.count, "file", "files");
        let mut parts = match newest.count {
            0 => vec![self.nothing(&names, &walk, is_late)],
            _ => vec![newest.print()],
        };
        if is_late {
            parts.push(late());
        }
        parts.extend(tally.unread.note(&names));
        Ok(ToolResult::success(parts.join("\n"), Display::Line(files)))
    }

    /// Nothing was found; says what was perhaps meant.
    fn nothing(&self, names: &Names, walk: &Walk<'_>, is_late: bool) -> String {
        let none = format!("No file in {} matches {}", self.target.shown, self.pattern);
        if is_late {
            return none;
        }
        let until = walk.until.sooner(SECOND_LOOK);
        let walk = Walk { ignored: Ignored::Included, shown: Shown::All, until: &until, ..*walk };
        let found = SecondLook::take(&walk, names, &self.choice.glob);
        found.hint().map_or_else(|| none.clone(), |hint| format!("{none}, but {hint}"))
    }
}

/// What a search says that ran out of time.
pub(super) fn late() -> String {
    format!("[stopped after {} s, there may be more: search a smaller directory]", PATIENCE.as_secs())
}

/// Whether it is a file, or a link to something else than a directory. Pipes and devices hold nothing to read.
fn is_file(seen: &Seen<'_>) -> bool {
    seen.kind.is_file() || (seen.kind.is_symlink() && !seen.path.is_dir())
}

#[cfg(test)]
mod tests;
