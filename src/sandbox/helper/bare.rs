//! The root of a work tree that a command has made look like a repository itself.
//!
//! Git takes a directory with `HEAD`, `objects` and `refs` (or `HEAD` and `commondir`) for a repository where its `.git` is
//! none, and obeys the `config` beside them. A command can write all of these, and spoil `.git/HEAD`; so `HEAD` is moved
//! away once the command has ended. No work tree needs both layouts. The surprise: nothing stands there while the command
//! runs, since with a file named `HEAD` git calls `git diff HEAD` ambiguous.

use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "HEAD";
/// How its new name begins.
const MOVED: &str = "HEAD.moved-by-clawd";
/// As many names are tried.
const NAMES: u32 = 100;

/// Moves `HEAD` away where a work tree has the layout of a repository; gives its new path.
pub(super) fn defuse(root: &Path) -> Option<PathBuf> {
    if !is_layout(root) || fs::symlink_metadata(root.join(".git")).is_err() {
        return None;
    }
    (0..NAMES)
        .map(|number| root.join(if number == 0 { MOVED.to_owned() } else { format!("{MOVED}.{number}") }))
        .filter(|new| fs::symlink_metadata(new).is_err())
        .find(|new| fs::rename(root.join(HEAD), new).is_ok())
}

/// Whether git may take the directory for a repository.
pub(in crate::sandbox) fn is_layout(root: &Path) -> bool {
    let is_there = |name: &str| fs::symlink_metadata(root.join(name)).is_ok();
    is_there(HEAD) && (is_there("commondir") || (is_there("objects") && is_there("refs")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_work_tree_that_looks_like_a_repository_loses_its_head() {
        let check = |names: &[&str], expected: bool| {
            let dir = tempfile::tempdir().unwrap();
            for name in names {
                fs::create_dir_all(dir.path().join(name)).unwrap();
            }
            let moved = defuse(dir.path());
            assert_eq!(moved.is_some(), expected, "{names:?}");
            assert_eq!(dir.path().join(HEAD).exists(), names.contains(&HEAD) && !expected, "{names:?}");
        };
        check(&[".git", "HEAD", "objects", "refs"], true);
        check(&[".git", "HEAD", "commondir"], true);
        check(&[".git", "HEAD", "commondir", "HEAD.moved-by-clawd"], true);
        check(&[".git", "HEAD", "objects"], false);
        check(&[".git", "objects", "refs"], false);
        check(&["HEAD", "objects", "refs"], false);
    }
}
