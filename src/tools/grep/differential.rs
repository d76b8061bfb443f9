//! Grep held against a search that is as plain as can be: all paths listed, ignore lines tried one by one, every line matched
//! by itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use proptest::prelude::*;
use regex::Regex;
use serde_json::json;

use super::super::testing::Session;
use super::*;

/// A line of an ignore file, of the few forms that the plain search knows.
#[derive(Debug, Clone)]
struct IgnoreLine {
    turns_back: bool,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Name(&'static str),
    Ending(&'static str),
    Rooted(&'static str),
    Directory(&'static str),
    Below(&'static str, &'static str),
}

impl IgnoreLine {
    fn text(&self) -> String {
        let sign = if self.turns_back { "!" } else { "" };
        match &self.form {
            Form::Name(name) => format!("{sign}{name}\n"),
            Form::Ending(ending) => format!("{sign}*.{ending}\n"),
            Form::Rooted(name) => format!("{sign}/{name}\n"),
            Form::Directory(name) => format!("{sign}{name}/\n"),
            Form::Below(directory, name) => format!("{sign}{directory}/{name}\n"),
        }
    }

    /// Whether it names this path, which is told from the directory of the ignore file on.
    fn names(&self, path: &[&str], is_directory: bool) -> bool {
        let last = *path.last().unwrap();
        match &self.form {
            Form::Name(name) => last == *name,
            Form::Ending(ending) => last.ends_with(&format!(".{ending}")),
            Form::Rooted(name) => path == [*name],
            Form::Directory(name) => is_directory && last == *name,
            Form::Below(directory, name) => path == [*directory, *name],
        }
    }
}

/// A directory's ignore lines, by its path.
type Ignores = BTreeMap<Vec<&'static str>, Vec<IgnoreLine>>;

fn is_ignored(ignores: &Ignores, path: &[&'static str]) -> bool {
    (1..=path.len()).any(|depth| {
        let (part, is_directory) = (&path[..depth], depth < path.len());
        let lines = (0..depth).rev().find_map(|above| {
            let lines = ignores.get(&part[..above])?;
            lines.iter().rev().find(|line| line.names(&part[above..], is_directory))
        });
        lines.is_some_and(|line| !line.turns_back)
    })
}

#[derive(Debug, Clone)]
struct Content {
    lines: Vec<&'static str>,
    end: &'static str,
    is_ended: bool,
    written: u64,
}

impl Content {
    fn text(&self) -> String {
        let text = self.lines.join(self.end);
        if self.is_ended && !self.lines.is_empty() { text + self.end } else { text }
    }

    /// An unfinished empty line at the end is none.
    fn lines(&self) -> &[&'static str] {
        match self.lines.split_last() {
            Some((&"", rest)) if !self.is_ended => rest,
            _ => &self.lines,
        }
    }
}

type Tree = BTreeMap<Vec<&'static str>, Content>;

fn content(regex: &Regex, path: &str, lines: &[&str], before: usize, after: usize) -> Vec<String> {
    let matching: Vec<usize> = (0..lines.len()).filter(|at| regex.is_match(lines[*at])).collect();
    let mut told = Vec::new();
    let mut last = None;
    for (at, line) in lines.iter().enumerate() {
        let is_near = matching.iter().any(|hit| at + before >= *hit && at <= hit + after);
        if !is_near {
            continue;
        }
        if before + after > 0 && last.is_some_and(|last| last + 1 < at) {
            told.push("--".to_owned());
        }
        last = Some(at);
        let sign = if matching.contains(&at) { ':' } else { '-' };
        told.push(format!("{path}{sign}{}{sign}{line}", at + 1));
    }
    told
}

fn plain(
    tree: &Tree,
    ignores: &Ignores,
    regex: &Regex,
    mode: &str,
    (before, after): (usize, usize),
) -> String {
    let mut files: Vec<(&Vec<&str>, &Content)> = tree.iter().collect();
    files.retain(|(path, _)| !is_ignored(ignores, path));
    files.sort_by_key(|(path, content)| (Reverse(content.written), path.join("/")));
    let mut told: Vec<String> = Vec::new();
    for (path, file) in files {
        let path = path.join("/");
        let count = file.lines().iter().filter(|line| regex.is_match(line)).count();
        match mode {
            _ if count == 0 => {}
            "files_with_matches" => told.push(path),
            "count" => told.push(format!("{path}:{count}")),
            _ => {
                if before + after > 0 && !told.is_empty() {
                    told.push("--".to_owned());
                }
                told.extend(content(regex, &path, file.lines(), before, after));
            }
        }
    }
    told.join("\n")
}

const DIRECTORIES: &[&str] = &["d", "e", "out"];
const NAMES: &[&str] = &["a.x", "b.x", "c.y", "out"];

fn ignore_line() -> impl Strategy<Value = IgnoreLine> {
    let name = || prop::sample::select([DIRECTORIES, &["a.x", "c.y"]].concat());
    let form = prop_oneof![
        name().prop_map(Form::Name),
        prop::sample::select(vec!["x", "y"]).prop_map(Form::Ending),
        name().prop_map(Form::Rooted),
        name().prop_map(Form::Directory),
        (prop::sample::select(DIRECTORIES), name())
            .prop_map(|(directory, name)| Form::Below(directory, name)),
    ];
    (prop::bool::weighted(0.3), form).prop_map(|(turns_back, form)| IgnoreLine { turns_back, form })
}

fn directory() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&DIRECTORIES[..2]), 0..3)
}

fn tree() -> impl Strategy<Value = Tree> {
    let lines = prop::collection::vec(prop::sample::select(vec!["ab", "b", "", "cab", "Ab b"]), 0..7);
    let content = (lines, prop::sample::select(vec!["\n", "\r\n"]), any::<bool>(), 1..3_u64)
        .prop_map(|(lines, end, is_ended, written)| Content { lines, end, is_ended, written });
    let path = (directory(), prop::sample::select(NAMES)).prop_map(|(mut path, name)| {
        path.push(name);
        path
    });
    prop::collection::btree_map(path, content, 0..10)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_search_finds_what_a_plain_one_finds(
        tree in tree(),
        ignores in prop::collection::btree_map(directory(), prop::collection::vec(ignore_line(), 1..4), 0..3),
        pattern in prop::sample::select(vec!["b", "^b$", "^$", "", "a.*b", "(?i)AB", "c|b$", r"\bb"]),
        mode in prop::sample::select(vec!["files_with_matches", "count", "content"]),
        context in (0..3_usize, 0..3_usize),
    ) {
        let session = Session::new();
        for (path, content) in &tree {
            session.write(&path.join("/"), content.text());
            let file = File::options().write(true).open(session.path(&path.join("/"))).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(content.written)).unwrap();
        }
        for (path, lines) in &ignores {
            let directory = session.root.join(path.join("/"));
            fs::create_dir_all(&directory).unwrap();
            let text: String = lines.iter().map(IgnoreLine::text).collect();
            // not one of the files that are searched for
            fs::write(directory.join(".gitignore"), text).unwrap();
        }
        let arguments = json!({
            "pattern": pattern, "output_mode": mode, "before": context.0, "after": context.1, "glob": "!.gitignore",
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let told = runtime.block_on(session.told(&Grep, arguments));
        let expected = plain(&tree, &ignores, &Regex::new(pattern).unwrap(), mode, context);
        if expected.is_empty() {
            prop_assert!(told.starts_with("Nothing in ") || told.starts_with("No file in "), "{}", told);
        } else {
            prop_assert_eq!(told, expected);
        }
    }
}
