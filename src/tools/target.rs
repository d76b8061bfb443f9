//! The file or directory that a call names: what was said, what it means, and how it is shown.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::near;
use crate::os::file::FileError;
use crate::os::paths::{self, PathBase};
use crate::os::pinned::Pinned;
use crate::protocol::FileAccess;
use crate::workbench::Workbench;

/// A path from the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Absolute, by words alone.
    pub(super) path: PathBuf,
    /// Where it leads, every link followed: what is judged, and the name under which the file is known. Its other name can
    /// hold it back as well.
    pub(super) resolved: PathBuf,
    /// As the user would name it: from the working directory where it lies below.
    pub(super) shown: String,
    /// The working directory.
    pub(super) cwd: PathBuf,
}

impl Target {
    /// Reads a path as a model writes it: see [`path_text`].
    pub(super) fn read(given: &str, base: PathBase<'_>) -> Result<Self, String> {
        Ok(Self::new(&path_text(given, base.home)?, base.cwd))
    }

    /// The same for a file that may be made: a path that ends in `/` is a directory's.
    pub(super) fn read_file(given: &str, base: PathBase<'_>) -> Result<Self, String> {
        let path = path_text(given, base.home)?;
        if path.ends_with('/') {
            return Err(format!("Error: {path} is a directory path; give a file name"));
        }
        Ok(Self::new(&path, base.cwd))
    }

    /// The path as it is, from `cwd` on.
    pub(super) fn new(given: &str, cwd: &Path) -> Self {
        let path = paths::absolute(cwd, Path::new(given));
        // a loop of links leads nowhere; opening it will say so
        let resolved = paths::resolve(&path).unwrap_or_else(|_| path.clone());
        let shown = shown_from(cwd, &path);
        Self { path, resolved, shown, cwd: cwd.to_owned() }
    }

    /// What is touched, under both its names.
    pub(super) fn access(&self) -> FileAccess {
        let is_a_link = self.path != self.resolved;
        let is_shared =
            std::fs::metadata(&self.resolved).is_ok_and(|file| file.is_file() && file.nlink() > 1);
        FileAccess { path: self.resolved.clone(), named: is_a_link.then(|| self.path.clone()), is_shared }
    }

    /// The file that was judged, held: whatever is put in its way from now on, this is the one that is opened.
    pub(super) fn pinned(&self) -> Result<Pinned, FileError> {
        Pinned::new(&self.resolved)
    }

    /// The path that was judged, if it still leads where it did: a link that was put there since would lead elsewhere.
    pub(super) fn judged(&self) -> Result<&Path, String> {
        match paths::resolve(&self.resolved) {
            Ok(now) if now != self.resolved => {
                Err(format!("Error: {} was replaced by a link to {}", self.shown, now.display()))
            }
            Ok(_) | Err(_) => Ok(&self.resolved),
        }
    }

    /// What the model is told when the file could not be read; a name that is like it is offered.
    pub(super) fn unreadable(&self, error: &FileError) -> String {
        if error.io_kind() == Some(std::io::ErrorKind::NotFound) {
            return self.missing();
        }
        format!("Error: {error}")
    }

    /// What the model is told when nothing is there, with the names beside it that it may have meant.
    pub(super) fn missing(&self) -> String {
        near::missing(self, None)
    }

    /// The same after a look through the workspace; what the rules hide is not named.
    pub(super) fn missing_in(&self, bench: &Workbench) -> String {
        near::missing(self, Some(bench))
    }
}

/// The path that a model means by `given`: without whitespace and quotes around it, with the home directory in full. URLs
/// and variables other than `HOME` are refused, as a file or directory would be made under their literal name.
pub(super) fn path_text(given: &str, home: Option<&Path>) -> Result<String, String> {
    let text = unquoted(given.trim());
    if text.is_empty() {
        return Err("Error: the path is empty".to_owned());
    }
    refuse_url(text)?;
    let path = expand_home(text, home)?;
    match variable(&path) {
        Some(name) => Err(format!(
            "Error: {name} in {path} is not expanded here (write the path in full, or ./{path} for a file of that name)"
        )),
        None => Ok(path),
    }
}

/// `text` with a `~`, `$HOME` or `${HOME}` at its start replaced by the home directory.
pub(super) fn expand_home(text: &str, home: Option<&Path>) -> Result<String, String> {
    let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|name| text.strip_prefix(name));
    let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
        return Ok(text.to_owned());
    };
    let home = home.and_then(Path::to_str);
    let home = home
        .ok_or_else(|| format!("Error: the home directory in {text} is unknown: write the path in full"))?;
    Ok(format!("{}{rest}", home.trim_end_matches('/')))
}

/// Without one pair of quotes around it.
fn unquoted(text: &str) -> &str {
    let without = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(without).unwrap_or(text)
}

fn refuse_url(text: &str) -> Result<(), String> {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    let Some((_, rest)) = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return Ok(());
    };
    let try_this = match text.strip_prefix("file://") {
        Some(path) if path.starts_with('/') => format!("try {path}"),
        Some(_) => format!("try /{rest}"),
        None => "WebFetch reads pages".to_owned(),
    };
    Err(format!("Error: {text} is a URL, not a path ({try_this})"))
}

/// The variable that `path` begins with, as a shell would see it: `$NAME/` or `${NAME}`.
fn variable(path: &str) -> Option<&str> {
    let first = path.split_once('/')?.0;
    let name = first.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_name.then_some(first)
}

/// A path as the user would name it.
pub(super) fn shown_from(cwd: &Path, path: &Path) -> String {
    match path.strip_prefix(cwd) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_as_the_user_would_name_it() {
        let check = |given: &str, path: &str, shown: &str| {
            let target = Target::new(given, Path::new("/w/d"));
            assert_eq!((target.path.as_path(), target.shown.as_str()), (Path::new(path), shown));
        };
        check("a/../b", "/w/d/b", "b");
        check("/w/d/b/c", "/w/d/b/c", "b/c");
        check("../x", "/w/x", "/w/x");
        check(".", "/w/d", ".");
    }

    #[test]
    fn a_path_is_read_as_a_model_writes_it() {
        let check = |given: &str, expected: &str| {
            assert_eq!(path_text(given, Some(Path::new("/home/ann"))).as_deref(), Ok(expected), "{given:?}");
        };
        for given in ["a b.txt", " a b.txt\n", "\"a b.txt\"", "'a b.txt'\n", "`a b.txt`"] {
            check(given, "a b.txt");
        }
        check("~", "/home/ann");
        check("~/x", "/home/ann/x");
        check("\"~/x\"", "/home/ann/x");
        check("$HOME/x", "/home/ann/x");
        check("${HOME}/x/", "/home/ann/x/");
        for literal in [
            "./~/x",
            "~ann/x",
            "~x",
            "a/~",
            "$HOMER",
            "app/$id.tsx",
            "$id/x",
            "'a",
            "a'b'",
            "x:/y",
            "$RECYCLE.BIN/x",
        ] {
            check(literal, literal);
        }
    }

    #[test]
    fn a_path_that_would_be_made_under_a_wrong_name_is_refused() {
        let check = |given: &str, expected: &str| {
            assert_eq!(path_text(given, Some(Path::new("/home/ann"))), Err(format!("Error: {expected}")));
        };
        check("file:///tmp/x", "file:///tmp/x is a URL, not a path (try /tmp/x)");
        check("https://a.example/x", "https://a.example/x is a URL, not a path (WebFetch reads pages)");
        let full = "(write the path in full, or ./";
        check(
            "$OUT/x",
            &format!("$OUT in $OUT/x is not expanded here {full}$OUT/x for a file of that name)"),
        );
        check(
            "${PWD}/x",
            &format!("${{PWD}} in ${{PWD}}/x is not expanded here {full}${{PWD}}/x for a file of that name)"),
        );
        check("''", "the path is empty");
        assert_eq!(
            path_text("~/x", None),
            Err("Error: the home directory in ~/x is unknown: write the path in full".to_owned())
        );
    }

    #[test]
    fn a_link_that_came_since_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::new("f", &dir.path().canonicalize().unwrap());
        assert_eq!(target.judged(), Ok(target.resolved.as_path()));
        std::os::unix::fs::symlink("/etc/passwd", &target.path).unwrap();
        assert!(target.judged().unwrap_err().contains("was replaced by a link to /etc/passwd"));
    }
}
