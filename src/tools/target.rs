//! The file or directory that a call names: what was said, what it means, and how it is shown.

use std::fs;
use std::path::{Path, PathBuf};

use crate::os::file::FileError;
use crate::os::paths;
use crate::text::nearest::nearest;

/// More names are not looked through for one that is like a wrong one.
const MOST_NAMES: usize = 10_000;

/// A path from the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Absolute, by words alone.
    pub(super) path: PathBuf,
    /// Where it leads, every link followed: what is judged, and the name under which the file is known.
    pub(super) resolved: PathBuf,
    /// As the user would name it: from the working directory where it lies below.
    pub(super) shown: String,
}

impl Target {
    pub(super) fn new(given: &str, cwd: &Path) -> Self {
        let path = paths::absolute(cwd, Path::new(given));
        // a loop of links leads nowhere; opening it will say so
        let resolved = paths::resolve(&path).unwrap_or_else(|_| path.clone());
        let shown = match path.strip_prefix(cwd) {
            Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => below.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        Self { path, resolved, shown }
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

    /// What the model is told when nothing is there.
    pub(super) fn missing(&self) -> String {
        match self.alike() {
            Some(name) => format!("Error: {} does not exist. Did you mean {name}?", self.shown),
            None => format!("Error: {} does not exist", self.shown),
        }
    }

    /// A name beside it that a slip could have turned into this one.
    fn alike(&self) -> Option<String> {
        let wanted = self.path.file_name()?.to_str()?;
        let entries = fs::read_dir(self.path.parent()?).ok()?.take(MOST_NAMES).flatten();
        let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let name = nearest(wanted, names.iter().map(String::as_str))?;
        Some(Path::new(&self.shown).with_file_name(name).display().to_string())
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

    #[test]
    fn a_slip_in_a_name_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        fs::write(dir.path().join("src/main.rs"), "").unwrap();
        let missing = |given: &str| Target::new(given, dir.path()).missing();
        assert_eq!(missing("src/mian.rs"), "Error: src/mian.rs does not exist. Did you mean src/main.rs?");
        assert_eq!(missing("other.txt"), "Error: other.txt does not exist");
    }
}
