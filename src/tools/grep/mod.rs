//! Grep: a regular expression over files, with ripgrep's own engine in this process.
//!
//! Not the program: the ignore files hold even against a `glob`, and hidden files are searched. The surprise: all files
//! are searched although few may be told, for the answer is the newest, not what a thread happened to find first.

use std::fs::{File, Metadata};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use self::expression::{Case, Expression, Span};
use self::hits::{Hits, MOST_OFFSET, Mode, Window};
use self::search::{Desk, Search, Searched};
use self::which::Which;
use super::glob::late;
use super::schema::{self, Param};
use super::target::Target;
use super::walk::{Ignored, Names, Seen, Shown, Tally, Unread, Until, Walk, searching, unsearchable};
use super::{Prepared, Scene, Tool, ToolResult};
use crate::os::file::open_listed;
use crate::os::paths::PathBase;
use crate::protocol::{Access, Display, Preview, ToolSpec};
use crate::text::sanitize::hidden_note;
use crate::text::units;
use crate::workbench::{Veil, Workbench};

mod bytes;
mod expression;
mod hits;
mod search;
mod second;
mod which;

/// Lines of context that make sense.
const MOST_CONTEXT: u64 = 100;

const PATTERN: Param = Param::text("pattern", "regular expression (Rust syntax)").or(&["regex", "query"]);
const PATH: Param =
    Param::text("path", "file or directory").or(&["file_path", "directory", "dir", "dir_path"]);
const GLOB: Param = Param::text("glob", "such as `*.rs`").or(&["include", "include_pattern", "file_pattern"]);
const TYPE: Param = Param::text("type", "such as `py`").or(&["file_type"]);
const MODE: Param =
    Param::one_of("output_mode", "default files_with_matches", &["files_with_matches", "content", "count"])
        .or(&["mode"]);
const NO_CASE: Param = Param::flag("case_insensitive", "ignore case").or(&[
    "-i",
    "ignore_case",
    "case-insensitive",
    "caseInsensitive",
]);
const BEFORE: Param = Param::integer("before", "lines before each match").or(&["-B", "context", "-C"]);
const AFTER: Param = Param::integer("after", "lines after each match").or(&["-A", "context", "-C"]);
const MULTILINE: Param = Param::flag("multiline", "matches may span lines").or(&["-U"]);
const HEAD_LIMIT: Param =
    Param::integer("head_limit", "maximum lines of output").or(&["limit", "max_results"]);
/// What models write that were taught it elsewhere; none is told of it.
const OFFSET: Param = Param::integer("offset", "");
const AS_TEXT: Param = Param::flag("fixed_strings", "").or(&["literal_text", "literal", "-F"]);

/// The part of a file that is not text.
const AFTER_NUL: &str = "the part after a NUL byte";

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Grep".into(),
            description: "Search file contents with ripgrep, newest files first. Lists matching files unless `output_mode` says otherwise. \
         Respects .gitignore. Escape literal ( and { as `\\(`, `\\{`.".into(),
            parameters: schema::object(&[PATTERN], &[PATH, GLOB, TYPE, MODE, NO_CASE, BEFORE, AFTER, MULTILINE, HEAD_LIMIT]),
            parallel: true,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let path = PATH.get_some(arguments)?.unwrap_or_else(|| ".".to_owned());
        let (globs, types) = (GLOB.get_some(arguments)?, TYPE.get_some(arguments)?);
        Ok(Box::new(Call {
            search: search(arguments)?,
            asked_for_lines: MULTILINE.is_set(arguments)?,
            which: Which::read(globs.as_deref(), types.as_deref())?,
            target: Target::read(&path, base)?,
        }))
    }
}

fn search(arguments: &Map<String, Value>) -> Result<Search, String> {
    let pattern = PATTERN.need(arguments)?;
    let pattern = if AS_TEXT.is_set(arguments)? { regex::escape(&pattern) } else { pattern };
    let case = if NO_CASE.is_set(arguments)? { Case::Ignored } else { Case::Counts };
    let span = if MULTILINE.is_set(arguments)? { Span::Lines } else { Span::Line };
    let mode = match MODE.get_some(arguments)?.as_deref() {
        Some("content") => Mode::Content,
        Some("count") => Mode::Count,
        _ => Mode::Files,
    };
    let number = |param: Param, most: u64| {
        let number = param.number(arguments)?.map(|number| usize::try_from(number.min(most)).unwrap_or(0));
        Ok::<Option<usize>, String>(number)
    };
    let offset = number(OFFSET, u64::MAX)?.unwrap_or(0);
    if offset > MOST_OFFSET {
        return Err(format!(
            "Error: `offset` is at most {MOST_OFFSET}: search for less, or in a smaller directory"
        ));
    }
    // as elsewhere, 0 is no limit
    let limit = number(HEAD_LIMIT, u64::MAX)?.filter(|limit| *limit > 0);
    Ok(Search {
        expression: Expression::new(&pattern, case, span)?,
        mode,
        before: number(BEFORE, MOST_CONTEXT)?.unwrap_or(0),
        after: number(AFTER, MOST_CONTEXT)?.unwrap_or(0),
        window: Window::new(offset, limit),
    })
}

#[derive(Debug, Clone)]
struct Call {
    search: Search,
    asked_for_lines: bool,
    which: Which,
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
                None => Ok(Preview::Text(format!(
                    "Search {} for {}",
                    self.target.path.display(),
                    self.search.expression.pattern()
                ))),
            }
        })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let bench = Arc::clone(&scene.bench);
            match searching(&scene.cancel, move |until| self.run_search(&bench, until)).await {
                Ok(result) | Err(result) => result,
            }
        })
    }
}

/// One way through the files of a directory.
struct Pass<'a> {
    which: &'a Which,
    names: &'a Names,
    veil: Option<Arc<Veil>>,
    /// Files that were searched, and those that a rule left out.
    searched: AtomicU64,
    veiled: AtomicU64,
    unread: Mutex<Unread>,
}

/// A file that is open, and what the system knows of it.
type Open = (File, Metadata);

impl Pass<'_> {
    /// Shows every file that is to be searched to `look`, together with what `desk` makes for each thread. An error is
    /// why the file was not searched.
    fn each<D>(
        &self,
        walk: &Walk<'_>,
        desk: impl Fn() -> D + Sync,
        look: impl Fn(&mut D, &Path, &dyn Fn() -> Result<Open, String>) -> Result<ControlFlow<()>, String> + Sync,
    ) -> Tally {
        walk.each(|| {
            let (mut desk, look) = (desk(), &look);
            move |seen: Seen<'_>| {
                let path = seen.path;
                if !seen.kind.is_file() || !self.which.takes(self.names, path, seen.relative) {
                    return ControlFlow::Continue(());
                }
                if self.veil.as_ref().is_some_and(|veil| veil(path)) {
                    self.veiled.fetch_add(1, Ordering::Relaxed);
                    return ControlFlow::Continue(());
                }
                self.searched.fetch_add(1, Ordering::Relaxed);
                let open = || open_listed(path).map_err(|error| error.to_string());
                look(&mut desk, path, &open).unwrap_or_else(|why| {
                    self.unread.lock().unwrap_or_else(PoisonError::into_inner).push(path, &why);
                    ControlFlow::Continue(())
                })
            }
        })
    }
}

impl Call {
    fn run_search(&self, bench: &Workbench, until: &Until) -> Result<ToolResult, String> {
        if let Some(error) = unsearchable(&self.target) {
            return Err(error);
        }
        let path = self.target.judged()?;
        if path.is_dir() {
            return Ok(self.below(path, bench, until));
        }
        let mut hits = self.hits();
        let shown = &self.target.shown;
        let opened = self.target.pinned().and_then(|file| file.open());
        let (file, meta) = opened.map_err(|error| format!("Error: {error}"))?;
        let mut notes = Vec::new();
        match self.search.file(&mut self.search.desk(), (file, &meta), until) {
            Ok(Searched::Text(found)) => {
                notes.extend(found.ends_at_nul.then(|| format!("[not searched: {shown}: {AFTER_NUL}]")));
                hits.push(SystemTime::UNIX_EPOCH, || shown.clone(), found);
            }
            Ok(Searched::Binary) => return Err(format!("Error: {shown} is not a text file")),
            Err(_) if until.is_late() => {}
            Err(why) => return Err(format!("Error: cannot search {shown}: {why}")),
        }
        notes.extend(until.is_late().then(late));
        Ok(self.told(
            &hits,
            || format!("Nothing in {shown} matches {}", self.search.expression.pattern()),
            notes,
        ))
    }

    /// Searches all files of the directory.
    fn below(&self, root: &Path, bench: &Workbench, until: &Until) -> ToolResult {
        let names = Names::below(&self.target);
        let pass = Pass {
            which: &self.which,
            names: &names,
            veil: bench.veil(),
            searched: AtomicU64::new(0),
            veiled: AtomicU64::new(0),
            unread: Mutex::default(),
        };
        let walk = Walk {
            root,
            workspace: bench.root(),
            ignored: Ignored::LeftOut,
            shown: Shown::Files,
            depth: usize::MAX,
            until,
        };
        let all = Mutex::new(self.hits());
        let search = |desk: &mut Desk, path: &Path, open: &dyn Fn() -> Result<Open, String>| {
            let (file, meta) = open()?;
            match self.search.file(desk, (file, &meta), until) {
                Ok(Searched::Text(found)) => {
                    if found.ends_at_nul {
                        pass.unread.lock().unwrap_or_else(PoisonError::into_inner).push(path, AFTER_NUL);
                    }
                    let written = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                    all.push(written, || names.shown(path), found);
                }
                Ok(Searched::Binary) => {}
                Err(_) if until.is_over() => return Ok(ControlFlow::Break(())),
                Err(why) => return Err(why),
            }
            Ok(ControlFlow::Continue(()))
        };
        let mut tally = pass.each(&walk, || self.search.desk(), search);
        let (searched, veiled) = (pass.searched.load(Ordering::Relaxed), pass.veiled.load(Ordering::Relaxed));
        let mut notes = Vec::new();
        if until.is_late() {
            notes.push(late());
        }
        if veiled > 0 {
            notes.push(format!(
                "[{} left out by the permission rules]",
                units::counted(veiled, "file", "files")
            ));
        }
        tally.unread.add(pass.unread.lock().unwrap_or_else(PoisonError::into_inner).clone());
        notes.extend(tally.unread.note(&names));
        let nothing = || self.nothing(&pass, &walk, searched, &tally);
        self.told(&all.into_inner().unwrap_or_else(PoisonError::into_inner), nothing, notes)
    }

    fn hits(&self) -> Hits {
        Hits::new(self.search.mode, self.search.window, self.search.before + self.search.after > 0)
    }

    fn told(&self, hits: &Hits, nothing: impl FnOnce() -> String, notes: Vec<String>) -> ToolResult {
        let (text, cut) = hits.print();
        let hidden = hidden_note(&text);
        let mut parts = vec![if hits.matches == 0 { nothing() } else { text }];
        parts.extend(cut);
        parts.extend(hidden);
        if let lines @ 1.. = hits.shortened() {
            let lines = units::counted(lines as u64, "long line is", "long lines are");
            parts.push(format!("[{lines} shown in part, with … where something is missing]"));
        }
        if self.search.expression.span == Span::NamedFeeds && !self.asked_for_lines {
            parts.push("[multiline search, because the pattern contains a line feed]".to_owned());
        }
        parts.extend(notes);
        parts.retain(|part| !part.is_empty());
        ToolResult::success(parts.join("\n"), Display::Line(hits.summary()))
    }

    /// Nothing was found; says what was perhaps meant.
    fn nothing(&self, pass: &Pass<'_>, walk: &Walk<'_>, searched: u64, tally: &Tally) -> String {
        let (shown, pattern) = (&self.target.shown, self.search.expression.pattern());
        let hint = || {
            let hint = if walk.until.is_over() {
                None
            } else {
                second::hint(pass, walk, &self.search.expression, tally)
            };
            hint.map(|hint| format!(", but {hint}")).unwrap_or_default()
        };
        match self.which.words() {
            Some(words) if searched == 0 => format!("No file in {shown} matches {words}{}", hint()),
            Some(words) => {
                let files = units::counted(searched, "file", "files");
                format!("Nothing in {shown} ({files} matching {words}) matches {pattern}{}", hint())
            }
            None => format!("Nothing in {shown} matches {pattern}{}", hint()),
        }
    }
}

#[cfg(test)]
mod differential;
#[cfg(test)]
mod tests;
