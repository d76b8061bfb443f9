//! Grep: a regular expression over files, with ripgrep's own engine in this process.
//!
//! The engine takes linear time whatever the expression, so it has no look-around; what it cannot read is explained.
//! The surprise: all files are searched although few may be told, for the answer is the first by name, not the first
//! that a thread happened to find.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use grep_regex::RegexMatcherBuilder;
use grep_searcher::Searcher;
use ignore::DirEntry;
use ignore::types::{Types, TypesBuilder};
use regex::bytes::RegexBuilder;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use self::hits::{Hits, Mode};
use self::search::{Search, Until};
use super::schema::{self, Param};
use super::target::Target;
use super::walk::{Ignored, Names, each_file, unsearchable};
use super::{Concurrency, Prepared, Scene, Tool, ToolResult, looking};
use crate::protocol::{Access, Display, Preview};
use crate::text::glob::GitGlob;
use crate::text::units;
use crate::workbench::Workbench;

mod hits;
mod search;

/// After this a search tells what it has: nobody waits longer for one.
const PATIENCE: Duration = Duration::from_mins(1);
/// Lines of context that make sense.
const MOST_CONTEXT: u64 = 100;

const PATTERN: Param = Param::text("pattern", "regex (Rust syntax)").or(&["regex", "query"]);
const PATH: Param = Param::text("path", "file or directory").or(&["file_path", "directory", "dir"]);
const GLOB: Param = Param::text("glob", "such as `*.rs`").or(&["include"]);
const TYPE: Param = Param::text("type", "such as `py`");
const MODE: Param = Param::one_of("output_mode", &["files_with_matches", "content", "count"]).or(&["mode"]);
const NO_CASE: Param = Param::flag("case_insensitive", "").or(&["-i", "ignore_case", "case-insensitive"]);
const BEFORE: Param = Param::integer("before", "lines of context").or(&["-B", "context", "-C"]);
const AFTER: Param = Param::integer("after", "").or(&["-A", "context", "-C"]);
const MULTILINE: Param = Param::flag("multiline", "`.` and matches span lines");
const HEAD_LIMIT: Param = Param::integer("head_limit", "lines of output").or(&["limit", "max_results"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Grep;

impl Tool for Grep {
    fn name(&self) -> &'static str {
        "Grep"
    }

    fn description(&self) -> String {
        "Search file contents with ripgrep; obeys .gitignore.".to_owned()
    }

    fn parameters(&self) -> Value {
        schema::object(&[PATTERN], &[PATH, GLOB, TYPE, MODE, NO_CASE, BEFORE, AFTER, MULTILINE, HEAD_LIMIT])
    }

    fn concurrency(&self) -> Concurrency {
        Concurrency::SideBySide
    }

    fn prepare(&self, arguments: &Map<String, Value>, cwd: &Path) -> Result<Box<dyn Prepared>, String> {
        let path = PATH.get_some(arguments)?.unwrap_or_else(|| ".".to_owned());
        let pattern = PATTERN.need(arguments)?;
        let search = search(&pattern, arguments)?;
        let limit = HEAD_LIMIT.number(arguments)?.filter(|limit| *limit > 0);
        Ok(Box::new(Call {
            pattern,
            search,
            which: Which::read(arguments)?,
            limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            target: Target::new(&path, cwd),
        }))
    }
}

fn search(pattern: &str, arguments: &Map<String, Value>) -> Result<Search, String> {
    let (no_case, over_lines) = (NO_CASE.is_set(arguments)?, MULTILINE.is_set(arguments)?);
    let mode = match MODE.get_some(arguments)?.as_deref() {
        Some("content") => Mode::Content,
        Some("count") => Mode::Count,
        _ => Mode::Files,
    };
    let mut matcher = RegexMatcherBuilder::new();
    matcher.case_insensitive(no_case).multi_line(true).dot_matches_new_line(over_lines);
    if !over_lines {
        matcher.line_terminator(Some(b'\n'));
    }
    let matcher = matcher.build(pattern).map_err(|error| explain(pattern, &error.to_string()))?;
    let within = RegexBuilder::new(pattern).case_insensitive(no_case).multi_line(true).build();
    let within = within.map_err(|error| explain(pattern, &error.to_string()))?;
    let context = |param: Param| {
        let lines = param.number(arguments)?.unwrap_or(0).min(MOST_CONTEXT);
        Ok::<usize, String>(usize::try_from(lines).unwrap_or(0))
    };
    Ok(Search { matcher, within, mode, before: context(BEFORE)?, after: context(AFTER)?, over_lines })
}

/// Why an expression cannot be read, and what to do about the usual causes.
fn explain(pattern: &str, error: &str) -> String {
    let reason = error.lines().last().unwrap_or(error).trim_start_matches("error: ");
    let hint = if error.contains("look-around") || error.contains("backreferences") {
        ": this engine has neither look-around nor backreferences"
    } else if pattern.contains(['{', '(', '[', '*', '+', '?', ')']) {
        ": to find such a character itself write `\\` before it"
    } else {
        ""
    };
    format!("Error: cannot read the pattern `{pattern}`: {reason}{hint}")
}

/// Which files below a directory are searched.
#[derive(Debug, Clone)]
struct Which {
    glob: Option<(GitGlob, Wanted)>,
    types: Option<Types>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Matching,
    Others,
}

impl Which {
    fn read(arguments: &Map<String, Value>) -> Result<Self, String> {
        let glob = GLOB.get_some(arguments)?;
        let glob = glob.as_deref().map(|glob| match glob.strip_prefix('!') {
            Some(glob) => (glob, Wanted::Others),
            None => (glob, Wanted::Matching),
        });
        let read = |(glob, wanted)| {
            GitGlob::new(glob).map(|glob| (glob, wanted)).map_err(|error| format!("Error: {error}"))
        };
        let types = TYPE.get_some(arguments)?.map(|name| types(&name)).transpose()?;
        Ok(Self { glob: glob.map(read).transpose()?, types })
    }

    fn takes(&self, path: &Path) -> bool {
        let by_name = self
            .glob
            .as_ref()
            .is_none_or(|(glob, wanted)| glob.matches(path, false) == (*wanted == Wanted::Matching));
        by_name && self.types.as_ref().is_none_or(|types| types.matched(path, false).is_whitelist())
    }
}

/// A type that ripgrep knows, else a file name's ending.
fn types(name: &str) -> Result<Types, String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let is_known = builder.definitions().iter().any(|known| known.name() == name);
    let unknown = |error: ignore::Error| format!("Error: there is no file type `{name}`: {error}");
    if !is_known {
        builder.add(name, &format!("*.{name}")).map_err(unknown)?;
    }
    builder.select(name).build().map_err(unknown)
}

#[derive(Debug, Clone)]
struct Call {
    pattern: String,
    search: Search,
    which: Which,
    limit: Option<usize>,
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
                None => {
                    Ok(Preview::Text(format!("Search {} for {}", self.target.path.display(), self.pattern)))
                }
            }
        })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let (bench, cancel) = (Arc::clone(&scene.bench), scene.cancel.clone());
            match looking(&scene.cancel, move || self.run_search(&bench, cancel)).await {
                Ok(result) | Err(result) => result,
            }
        })
    }
}

impl Call {
    fn run_search(&self, bench: &Workbench, cancel: CancellationToken) -> Result<ToolResult, String> {
        if let Some(error) = unsearchable(&self.target) {
            return Err(error);
        }
        let until = Until { cancel, deadline: Instant::now() + PATIENCE };
        if self.target.resolved.is_dir() {
            let (hits, left_out) = self.search_below(bench, &until);
            return Ok(self.told(&hits, &until, left_out));
        }
        let mut hits = Hits::default();
        let (path, shown) = (self.target.judged()?, &self.target.shown);
        let found = self.search.file(&mut self.search.searcher(), path, shown, &until);
        let found = found.map_err(|error| format!("Error: {error}"))?;
        if found.is_binary {
            return Err(format!("Error: {shown} is not a text file"));
        }
        hits.push(shown.clone(), found);
        Ok(self.told(&hits, &until, 0))
    }

    /// Searches all files of the directory; also says how many a rule left out.
    fn search_below(&self, bench: &Workbench, until: &Until) -> (Hits, u64) {
        let names = Names::below(&self.target);
        let (all, left_out) = (Mutex::new(Hits::default()), AtomicU64::new(0));
        let visit = |searcher: &mut Searcher, entry: &DirEntry| {
            let path = entry.path();
            if !entry.file_type().is_some_and(|kind| kind.is_file())
                || !self.which.takes(names.relative(path))
            {
                return;
            }
            if bench.is_veiled(path) {
                left_out.fetch_add(1, Ordering::Relaxed);
                return;
            }
            let shown = names.shown(path);
            // what cannot be read is passed over, as ripgrep does
            if let Ok(found) = self.search.file(searcher, path, &shown, until) {
                all.lock().unwrap_or_else(PoisonError::into_inner).push(shown, found);
            }
        };
        each_file(&self.target.resolved, Ignored::LeftOut, &until.cancel, || {
            let mut searcher = self.search.searcher();
            move |entry| {
                visit(&mut searcher, &entry);
                if until.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
        });
        (all.into_inner().unwrap_or_else(PoisonError::into_inner), left_out.into_inner())
    }

    fn told(&self, hits: &Hits, until: &Until, left_out: u64) -> ToolResult {
        let mode = self.search.mode;
        let separate = self.search.before + self.search.after > 0;
        let (text, whole) = hits.print(mode, separate, self.limit);
        let mut parts = vec![if hits.matches == 0 { self.nothing() } else { text }];
        if !whole {
            parts.push(format!("[cut; in all {}]", hits.summary(mode)));
        }
        if Instant::now() >= until.deadline {
            parts.push(format!("[stopped after {} s: search a smaller directory]", PATIENCE.as_secs()));
        }
        if left_out > 0 {
            let files = units::counted(left_out, "file", "files");
            parts.push(format!("[{files} left out by the permission rules]"));
        }
        ToolResult::success(parts.join("\n"), Display::Line(hits.summary(mode)))
    }

    fn nothing(&self) -> String {
        let filtered = self.which.glob.is_some() || self.which.types.is_some();
        let of = if filtered { " (of the files that `glob` and `type` leave)" } else { "" };
        format!("Nothing in {}{of} matches {}", self.target.shown, self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::Session;
    use super::*;

    fn error(arguments: &Value) -> String {
        let arguments = arguments.as_object().unwrap();
        Grep.prepare(arguments, Path::new("/w")).err().unwrap()
    }

    #[test]
    fn an_expression_that_cannot_be_read_is_explained() {
        let check = |pattern: &str, expected: &str| {
            assert_eq!(
                error(&json!({"pattern": pattern})),
                format!("Error: cannot read the pattern `{pattern}`: {expected}")
            );
        };
        check("a(", "unclosed group: to find such a character itself write `\\` before it");
        check(
            "(?=a)",
            "look-around, including look-ahead and look-behind, is not supported: \
                this engine has neither look-around nor backreferences",
        );
    }

    #[test]
    fn files_are_chosen_by_name_and_type() {
        let check = |arguments: &Value, path: &str, expected: bool| {
            let which = Which::read(arguments.as_object().unwrap()).unwrap();
            assert_eq!(which.takes(Path::new(path)), expected, "{arguments} {path}");
        };
        check(&json!({"glob": "*.rs"}), "src/a.rs", true);
        check(&json!({"glob": "*.rs"}), "src/a.py", false);
        check(&json!({"glob": "!tests"}), "tests/a.rs", false);
        check(&json!({"glob": "!tests"}), "src/a.rs", true);
        check(&json!({"type": "py"}), "a/b.py", true);
        check(&json!({"type": "py"}), "a/b.rs", false);
        check(&json!({"type": "rs"}), "a/b.rs", true);
        check(&json!({"type": "rust", "glob": "src/**"}), "tests/b.rs", false);
    }

    fn session() -> Session {
        Session::with(&[
            (".gitignore", "out/\n"),
            ("a.txt", "todo one\nnothing\nTodo two\ntodo three\n"),
            ("src/b.rs", "fn b() {\r\n    todo!()\r\n}\r\n"),
            ("out/c.txt", "todo\n"),
            ("bin", "todo\0"),
        ])
    }

    #[tokio::test]
    async fn lines_are_told_as_ripgrep_does() {
        let session = session();
        let check = async |arguments: Value, expected: &str| {
            assert_eq!(session.told(&Grep, arguments.clone()).await, expected, "{arguments}");
        };
        check(json!({"pattern": "todo"}), "a.txt\nsrc/b.rs").await;
        let content = "a.txt:1:todo one\na.txt:4:todo three\nsrc/b.rs:2:    todo!()";
        check(json!({"pattern": "todo", "output_mode": "content"}), content).await;
        check(json!({"pattern": "todo", "output_mode": "count", "-i": true}), "a.txt:3\nsrc/b.rs:1").await;
        check(json!({"pattern": "\\)$", "output_mode": "content", "path": "src"}), "src/b.rs:2:    todo!()")
            .await;
        check(json!({"pattern": "todo", "path": "a.txt", "output_mode": "count"}), "a.txt:2").await;
        check(json!({"pattern": "todo", "glob": "*.rs"}), "src/b.rs").await;
        check(json!({"pattern": "todo", "type": "rust"}), "src/b.rs").await;
        check(json!({"pattern": "todo", "path": "out"}), "out/c.txt").await;
        check(json!({"pattern": "absent"}), "Nothing in . matches absent").await;
    }

    #[tokio::test]
    async fn context_and_matches_over_lines_are_told() {
        let session = session();
        let told = session
            .told(&Grep, json!({"pattern": "Todo", "output_mode": "content", "before": 1, "after": 1}))
            .await;
        assert_eq!(told, "a.txt-2-nothing\na.txt:3:Todo two\na.txt-4-todo three");
        let told = session
            .told(&Grep, json!({"pattern": "todo", "output_mode": "content", "-C": 1, "glob": "a.*"}))
            .await;
        assert_eq!(told, "a.txt:1:todo one\na.txt-2-nothing\na.txt-3-Todo two\na.txt:4:todo three");
        let arguments = json!({"pattern": "fn b.*todo", "output_mode": "content", "multiline": true});
        assert_eq!(session.told(&Grep, arguments).await, "src/b.rs:1:fn b() {\nsrc/b.rs:2:    todo!()");
    }

    #[tokio::test]
    async fn what_is_cut_is_told() {
        let session = session();
        let arguments = json!({"pattern": "todo", "output_mode": "content", "head_limit": "1"});
        assert_eq!(
            session.told(&Grep, arguments).await,
            "a.txt:1:todo one\n[cut; in all 3 matching lines in 2 files]"
        );
    }

    #[tokio::test]
    async fn what_a_rule_veils_is_left_out_and_counted() {
        let session = session();
        session.bench.set_veil(Arc::new(|path: &Path| path.ends_with("a.txt")));
        let told = session.told(&Grep, json!({"pattern": "todo"})).await;
        assert_eq!(told, "src/b.rs\n[1 file left out by the permission rules]");
    }

    #[tokio::test]
    async fn a_place_that_is_not_there_is_an_error() {
        let session = session();
        let error = session.error(&Grep, json!({"pattern": "x", "path": "a.tx"})).await;
        assert_eq!(error, "Error: a.tx does not exist. Did you mean a.txt?");
        let error = session.error(&Grep, json!({"pattern": "todo", "path": "bin"})).await;
        assert_eq!(error, "Error: bin is not a text file");
        let call = session.prepare(&Grep, &json!({"pattern": "x"}));
        assert_eq!(call.access(), Access::Read(vec![session.root.clone()]));
    }
}
