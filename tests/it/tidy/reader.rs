//! The project as text: its files, and what a file names.
//!
//! No parser of Rust. Comments and literals are blanked, then words and `::` are read, which is all that a law about names
//! needs: `use` trees are spread out, `super` is resolved by the file's own path. What only tests see is told apart by its
//! place, so a law can speak of what is shipped.

use std::fs;
use std::path::Path;

/// What no law speaks of: what cargo writes.
const NOT_OURS: [&str; 2] = ["target", "Cargo.lock"];
/// The hidden directory that is ours; others belong to git, editors and whoever works here.
const OURS: &str = ".ci";

/// All files of a project.
pub(super) struct Tree(pub(super) Vec<File>);

/// One file.
pub(super) struct File {
    /// From the project's root, with `/`.
    pub(super) path: String,
    /// As it stands.
    pub(super) text: String,
}

/// A path that a file names, `use` trees spread out, as in `crate::tui::key::Key`.
pub(super) struct Named {
    /// `crate` and `super` are resolved: the first one is `crate` for the project's own.
    pub(super) segments: Vec<String>,
    /// From 1.
    pub(super) line: usize,
}

impl Tree {
    /// The project that this test belongs to.
    pub(super) fn of_this_project() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        collect(root, root, &mut files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self(files)
    }

    /// A tree of (path, text) pairs.
    pub(super) fn planted(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        Self(files.iter().map(file).collect())
    }

    /// The file at `path`; empty where there is none.
    pub(super) fn text(&self, path: &str) -> &str {
        self.0.iter().find(|file| file.path == path).map_or("", |file| &file.text)
    }

    /// The Rust files under `directory`.
    pub(super) fn rust<'a>(&'a self, directory: &'a str) -> impl Iterator<Item = &'a File> {
        self.0.iter().filter(move |file| file.path.starts_with(directory) && is_rust(&file.path))
    }

    /// The files of the program that are more than tests.
    pub(super) fn shipped(&self) -> Vec<&File> {
        let tests: Vec<String> = self.rust("src/").flat_map(File::test_files).collect();
        let is_test = |file: &File| tests.iter().any(|test| file.path.starts_with(test));
        self.rust("src/").filter(|file| !is_test(file)).collect()
    }
}

impl File {
    /// The path under `src/` as module names: `["tui", "key"]`. A program of its own is in no room, as `main.rs` is.
    pub(super) fn module(&self) -> Vec<String> {
        if self.path.starts_with("src/bin/") {
            return Vec::new();
        }
        let path = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        let names = path.split('/').filter(|name| !["mod", "lib", "main"].contains(name));
        names.map(str::to_owned).collect()
    }

    /// What stands before the tests at the file's foot.
    pub(super) fn before_tests(&self) -> &str {
        let mut length = 0;
        let mut lines = self.text.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            let opens = |next: &&str| next.contains("mod ") && next.trim_end().ends_with('{');
            let is_for_tests = line == "#[cfg(test)]\n" || line.starts_with("#[cfg(all(test, ");
            if is_for_tests && lines.peek().is_some_and(opens) {
                break;
            }
            length += line.len();
        }
        self.text.split_at(length).0
    }

    /// Everything that is named before the tests.
    pub(super) fn names(&self) -> Vec<Named> {
        names(self.before_tests(), &self.module())
    }

    /// Everything that is named, tests included.
    pub(super) fn all_names(&self) -> Vec<Named> {
        names(&self.text, &self.module())
    }

    /// Where the modules stand that this file has for tests alone: beginnings of paths.
    fn test_files(&self) -> Vec<String> {
        let directory = self.path.trim_end_matches(".rs").trim_end_matches("/mod");
        let mut lines = self.text.lines();
        let mut found = Vec::new();
        while let Some(line) = lines.next() {
            let declared = if line == "#[cfg(test)]" { lines.next().unwrap_or_default() } else { continue };
            if let Some(name) = declared.split_once("mod ").and_then(|(_, name)| name.strip_suffix(';')) {
                found.extend([format!("{directory}/{name}.rs"), format!("{directory}/{name}/")]);
            }
        }
        found
    }
}

impl Named {
    /// Whether `wanted` (`std::fs`, `Instant::now`) stands in it.
    pub(super) fn holds(&self, wanted: &str) -> bool {
        let wanted: Vec<&str> = wanted.split("::").collect();
        self.segments.windows(wanted.len()).any(|part| part.iter().eq(&wanted))
    }

    /// Whether it is `wanted` or something in it.
    pub(super) fn is_within(&self, wanted: &[String]) -> bool {
        self.segments.starts_with(wanted)
    }
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}

fn collect(root: &Path, directory: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if NOT_OURS.contains(&&*name) || (name.starts_with('.') && name != OURS) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            collect(root, &path, files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let path = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.push(File { path, text });
        }
    }
}

/// A word, a `::`, or a sign, each with its line.
type Token = (String, usize);

fn names(text: &str, module: &[String]) -> Vec<Named> {
    let tokens = tokens(&code(text));
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let begins = is_word(&tokens[at].0) && (at == 0 || tokens[at - 1].0 != "::");
        if begins && tokens.get(at + 1).is_some_and(|next| next.0 == "::") {
            at = spread(&tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    for named in &mut found {
        named.segments = resolved(std::mem::take(&mut named.segments), module);
    }
    found
}

/// Reads one path or `use` tree from `at` on; gives the place after it.
fn spread(tokens: &[Token], mut at: usize, before: &[String], found: &mut Vec<Named>) -> usize {
    let mut path = before.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.1);
    loop {
        match tokens.get(at).map(|token| token.0.as_str()) {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token.0 != "}") {
                    let next = spread(tokens, at, &path, found);
                    at = if next == at { at + 1 } else { next };
                }
                return at + 1;
            }
            Some(word) if is_word(word) => path.push(word.to_owned()),
            Some("*") => path.push("*".to_owned()),
            Some(_) | None => break,
        }
        at += 1;
        if tokens.get(at).is_none_or(|token| token.0 != "::") {
            break;
        }
        at += 1;
    }
    if path.len() > before.len() {
        found.push(Named { segments: path, line });
    }
    at
}

/// `super::x` in the module `a::b` is `crate::a::x`.
fn resolved(segments: Vec<String>, module: &[String]) -> Vec<String> {
    let own = |up: usize, skip: usize| {
        let home = &module[..module.len().saturating_sub(up)];
        let rest = segments.iter().skip(skip).cloned();
        std::iter::once("crate".to_owned()).chain(home.iter().cloned()).chain(rest).collect()
    };
    let ups = segments.iter().take_while(|segment| *segment == "super").count();
    match segments.first().map(String::as_str) {
        Some("super") => own(ups, ups),
        Some("self") => own(0, 1),
        _ => segments,
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn tokens(code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = if rest.starts_with("::") { 2 } else { word.max(first.len_utf8()) };
            let (token, after) = rest.split_at(length);
            tokens.push((token.to_owned(), number + 1));
            rest = after.trim_start();
        }
    }
    tokens
}

/// The text with comments and literals blanked, line for line.
pub(super) fn code(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = blanked.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let blank = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => block_comment(rest),
            [b'"', ..] => closed(rest, '"'),
            [b'r', b'"' | b'#', ..] if !in_word => raw_string(rest),
            [b'\'', b'\\', ..] => closed(rest, '\''),
            [b'\'', ..] if rest.chars().nth(2) == Some('\'') => {
                rest.chars().take(3).map(char::len_utf8).sum()
            }
            _ => 0,
        };
        let (seen, after) = rest.split_at(blank.max(first.len_utf8()));
        blanked.extend(seen.chars().map(|c| if blank == 0 || c == '\n' { c } else { ' ' }));
        rest = after;
    }
    blanked
}

/// How long the literal is that `rest` begins with, up to an unescaped `quote`.
fn closed(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

/// How long the raw string is that `rest` begins with; 0 where it begins with a raw identifier.
fn raw_string(rest: &str) -> usize {
    let hashes = rest.chars().skip(1).take_while(|c| *c == '#').count();
    let (start, body) = rest.split_at(1 + hashes);
    let end = format!("\"{}", "#".repeat(hashes));
    let Some(body) = body.strip_prefix('"') else { return 0 };
    body.find(&end).map_or(rest.len(), |at| start.len() + 1 + at + end.len())
}

/// How long the comment is that `rest` begins with; comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        let is_mark = match (before, c) {
            ('/', '*') => {
                depth += 1;
                true
            }
            ('*', '/') => {
                depth -= 1;
                true
            }
            _ => false,
        };
        if is_mark && depth == 0 {
            return at + 1;
        }
        before = if is_mark { ' ' } else { c };
    }
    rest.len()
}
