//! The file or directory that a call names: what was said, what it means, and how it is shown.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::near;
use crate::os::file::FileError;
use crate::os::paths;
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
                Err(format!("Error: {} has just become a link to {}", self.shown, now.display()))
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
    fn a_link_that_came_since_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::new("f", &dir.path().canonicalize().unwrap());
        assert_eq!(target.judged(), Ok(target.resolved.as_path()));
        std::os::unix::fs::symlink("/etc/passwd", &target.path).unwrap();
        assert!(target.judged().unwrap_err().contains("has just become a link to /etc/passwd"));
    }
}
