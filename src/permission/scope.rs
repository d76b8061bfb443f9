//! Where the workspace ends: the directories that a judgement knows.
//!
//! Pure: a path is looked at by its words. Whoever asks has followed the links already; the words of a command are
//! taken as they stand, which is why commands are never let through by their paths, only held back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::met::Names;
use super::script::UNKNOWN;

/// The directories that a judgement knows, absolute and without links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// Where the patterns of rules begin.
    pub project: PathBuf,
    /// What may be read and edited: the working directory and those added to it.
    pub workspace: Vec<PathBuf>,
    /// Temporary directories, under every name they have.
    pub temporary: Vec<PathBuf>,
    /// What held commands may write beside all these: what lies there may be theirs.
    pub writable: Vec<PathBuf>,
    /// The program's own directories, of configuration and of data.
    pub own: Vec<PathBuf>,
    /// The user's home, where there is one.
    pub home: Option<PathBuf>,
    /// Where long outputs of commands are kept, a directory for each session: `SESSION/output-….txt`.
    pub outputs: Option<PathBuf>,
    /// Follows the links in a path.
    pub links: Links,
    /// Tells what is there.
    pub exists: Exists,
    /// Finds what a pattern meets.
    pub names: Names,
    /// The environment of commands.
    pub variables: Variables,
}

/// The environment of commands, where it was handed in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variables(Option<Arc<BTreeMap<String, String>>>);

impl Variables {
    /// All of it. A value that is no text counts as one that nobody knows.
    pub fn new(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().unwrap_or_else(|_| UNKNOWN.to_string())))
        };
        Self(Some(Arc::new(all.into_iter().filter_map(text).collect())))
    }

    /// The same, with names of which nobody knows whether a command gets them, and the shell's last directory.
    #[must_use]
    pub fn or_unknown(self, names: impl IntoIterator<Item = String>) -> Self {
        let unknown = names.into_iter().chain(["OLDPWD".to_owned()]).map(|name| (name, UNKNOWN.to_string()));
        let known = self.0.map(Arc::unwrap_or_clone).into_iter().flatten();
        Self(Some(Arc::new(known.chain(unknown).collect())))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.as_ref()?.get(name).map(String::as_str)
    }

    /// Whether what is not among them is not set.
    pub(super) fn are_all(&self) -> bool {
        self.0.is_some()
    }
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing, or nothing that could be lost.
    Nothing,
    /// A file, or anything that is no directory.
    File,
    /// A directory.
    Directory,
}

/// Tells what stands at a path: handed in, as no file is looked at here. By itself it takes everything for a file.
#[derive(Clone, Copy)]
pub struct Exists(fn(&Path) -> Found);

impl Exists {
    /// `look` takes an absolute path.
    pub fn new(look: fn(&Path) -> Found) -> Self {
        Self(look)
    }

    pub(super) fn at(self, path: &Path) -> Found {
        (self.0)(path)
    }
}

impl Default for Exists {
    fn default() -> Self {
        Self(|_| Found::File)
    }
}

/// Two scopes differ by what they hold, not by how they look.
impl PartialEq for Exists {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Exists {}

impl fmt::Debug for Exists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exists")
    }
}

/// How the links in a path are followed: handed in, as no file is looked at here. By itself it follows none.
#[derive(Clone, Copy)]
pub struct Links(fn(&Path) -> PathBuf);

impl Links {
    /// `follow` takes an absolute path and gives one without links, `.` and `..`.
    pub fn new(follow: fn(&Path) -> PathBuf) -> Self {
        Self(follow)
    }

    pub(super) fn follow(self, path: &Path) -> PathBuf {
        (self.0)(path)
    }
}

impl Default for Links {
    fn default() -> Self {
        Self(clean)
    }
}

/// Two scopes differ by what they hold, not by how they look.
impl PartialEq for Links {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Links {}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Links")
    }
}

impl Scope {
    /// The path below the workspace; `None` outside.
    pub fn inside<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        self.workspace.iter().find_map(|root| path.strip_prefix(root).ok())
    }

    /// The pattern of a rule that matches this path; `None` where it cannot be written as text.
    pub fn pattern_of(&self, path: &Path) -> Option<String> {
        match path.strip_prefix(&self.project) {
            Ok(below) => Some(format!("./{}", escaped(below.to_str()?))),
            Err(_) => Some(format!("//{}", escaped(path.strip_prefix("/").ok()?.to_str()?))),
        }
    }

    /// Whether the path is a kept output of a command, where the model was told to look, or an image that the user has pasted.
    pub fn is_output(&self, path: &Path) -> bool {
        let below = self.outputs.as_ref().and_then(|outputs| path.strip_prefix(outputs).ok());
        let mut names = below.into_iter().flat_map(Path::components).map(Component::as_os_str);
        let (_session, name, more) = (names.next(), names.next(), names.next());
        let is_kept = |name: &str| name.starts_with("output-") || name.starts_with("pasted-");
        name.is_some_and(|name| is_kept(&name.to_string_lossy())) && more.is_none()
    }

    /// Whether the path is one of the program's own, but for the outputs that the model may read.
    pub fn is_own(&self, path: &Path) -> bool {
        self.own.iter().any(|root| path.starts_with(root)) && !self.is_output(path)
    }

    /// Whether the path is in a temporary directory.
    pub fn is_temporary(&self, path: &Path) -> bool {
        self.temporary.iter().any(|root| path.starts_with(root))
    }

    /// Whether the path is where a command may have put it.
    pub fn is_commands(&self, path: &Path) -> bool {
        let is_below = |roots: &[PathBuf]| roots.iter().any(|root| path.starts_with(root));
        is_below(&self.workspace) || is_below(&self.temporary) || is_below(&self.writable)
    }

    /// The path that a word of a command run in `cwd` names, by words alone; `None` where only the shell knows.
    pub fn path_of(&self, cwd: &Path, word: &str) -> Option<PathBuf> {
        let known = [("$HOME", self.home.as_deref()), ("~", self.home.as_deref()), ("$PWD", Some(cwd))];
        let temporary = self.temporary.first().map(PathBuf::as_path);
        for (name, value) in known.into_iter().chain([("$TMPDIR", temporary)]) {
            match word.strip_prefix(name) {
                Some("") => return value.map(Path::to_owned),
                Some(rest) if rest.starts_with('/') => {
                    return value.map(|value| clean(&value.join(rest.trim_start_matches('/'))));
                }
                Some(_) | None => {}
            }
        }
        if word.contains('$') || (word.starts_with('~') && word != "~+" && !word.starts_with("~+/")) {
            return None;
        }
        let below = word.strip_prefix("~+").map_or(word, |below| below.trim_start_matches('/'));
        let path = of_process(cwd, &cwd.join(below));
        Some(clean(&of_process(cwd, &clean(&path))))
    }
}

/// Where `/proc/self/cwd` and `/proc/self/root` lead for a command that runs in `cwd`. Any process is taken for that command.
fn of_process(cwd: &Path, path: &Path) -> PathBuf {
    let Ok(below) = path.strip_prefix("/proc") else { return path.to_owned() };
    let mut parts = below.components();
    parts.next();
    while let Some(part) = parts.next() {
        let start = match part.as_os_str().to_str() {
            Some("cwd") => cwd,
            Some("root") => Path::new("/"),
            _ => continue,
        };
        return start.join(parts.as_path());
    }
    path.to_owned()
}

/// With a backslash before every sign that means something in a pattern.
fn escaped(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for c in path.chars() {
        if "*?[]{}!\\".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// Without `.` and `..`.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => clean.push(component),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_a_path_where_no_shell_is_needed_to_know_it() {
        let scope = Scope {
            temporary: vec![PathBuf::from("/tmp")],
            home: Some(PathBuf::from("/home/u")),
            ..Scope::default()
        };
        let check = |word: &str, expected: Option<&str>| {
            assert_eq!(scope.path_of(Path::new("/w/src"), word), expected.map(PathBuf::from), "{word}");
        };
        check("a/./b", Some("/w/src/a/b"));
        check("../x", Some("/w/x"));
        check("../../../..", Some("/"));
        check("/etc//hosts", Some("/etc/hosts"));
        check("~", Some("/home/u"));
        check("~/x", Some("/home/u/x"));
        check("$HOME/../v", Some("/home/v"));
        check("$HOMEWORK", None);
        check("$PWD", Some("/w/src"));
        check("$TMPDIR/x", Some("/tmp/x"));
        check("~other/x", None);
        check("a$B", None);
        check("~+", Some("/w/src"));
        check("~+/../x", Some("/w/x"));
        check("~-/x", None);
        check("/proc/self/cwd", Some("/w/src"));
        check("/proc/self/cwd/../x", Some("/w/x"));
        check("/proc/1/task/2/cwd/x", Some("/w/src/x"));
        check("/w/../proc/thread-self/cwd/x", Some("/w/src/x"));
        check("/proc/self/root/etc/../w/x", Some("/w/x"));
        check("/proc/self/status", Some("/proc/self/status"));
        check("/proc/cwd", Some("/proc/cwd"));
    }

    #[test]
    fn only_outputs_of_commands_are_outputs() {
        let scope = Scope { outputs: Some(PathBuf::from("/s")), ..Scope::default() };
        assert!(scope.is_output(Path::new("/s/id/output-call_1.txt")));
        assert!(scope.is_output(Path::new("/s/id/pasted-00ff.png")));
        for other in
            ["/s/id/image.png", "/s/output-x", "/s/id/output-x/y", "/s/id.jsonl", "/x/id/output-y", "/s"]
        {
            assert!(!scope.is_output(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn inside_is_by_whole_components() {
        let scope = Scope { workspace: vec![PathBuf::from("/w/a")], ..Scope::default() };
        assert_eq!(scope.inside(Path::new("/w/a/b")), Some(Path::new("b")));
        assert_eq!(scope.inside(Path::new("/w/a")), Some(Path::new("")));
        assert_eq!(scope.inside(Path::new("/w/ab")), None);
    }
}
