//! What the repositories around a directory bring of configuration: the text that git would obey there.
//!
//! Nothing is interpreted. The user's own configuration, which is the user's affair, is not read. The surprise: every
//! repository above counts, and not only the nearest, because git passes over one that it takes for broken, and that is
//! easily made.

use std::path::{Path, PathBuf};

use crate::os::file::{FileError, read_regular};

/// A configuration is longer than this where somebody has a purpose with it.
const MAX_BYTES: u64 = 256 * 1024;

/// The text of all of it, for commands that run in `directory`, an absolute path without links. Empty where there is no
/// repository; `None` where something cannot be read, or where the directory is in the depths of a repository.
pub fn git_config(directory: &Path) -> Option<String> {
    let is_inside = directory.iter().any(|part| part.eq_ignore_ascii_case(".git"));
    if is_inside {
        return None;
    }
    let mut text = String::new();
    for above in directory.ancestors() {
        for place in places(above)? {
            for name in ["config", "config.worktree"] {
                text.push_str(&read(&place.join(name))?);
                text.push('\n');
            }
        }
    }
    Some(text)
}

/// The directories of a repository whose work tree begins here; none where there is none.
fn places(above: &Path) -> Option<Vec<PathBuf>> {
    let git = above.join(".git");
    if git.is_dir() {
        return with_common(git);
    }
    let line = read(&git)?;
    match line.trim() {
        "" => Some(Vec::new()),
        line => with_common(above.join(line.strip_prefix("gitdir:")?.trim())),
    }
}

/// A work tree beside the first one shares that one's configuration.
fn with_common(git: PathBuf) -> Option<Vec<PathBuf>> {
    let common = read(&git.join("commondir"))?;
    let shared = (!common.trim().is_empty()).then(|| git.join(common.trim()));
    Some([git].into_iter().chain(shared).collect())
}

/// A file's text; empty where there is no file.
fn read(path: &Path) -> Option<String> {
    match read_regular(path, MAX_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).ok(),
        Err(FileError::Io { source, .. })
            if matches!(source.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Some(String::new())
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A directory with these files in it.
    fn place(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for (path, text) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        (directory, root)
    }

    fn words(directory: &Path) -> Option<String> {
        git_config(directory).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn every_repository_above_is_read() {
        let (_directory, root) = place(&[
            ("a/.git/config", "one"),
            ("a/b/.git/config", "two"),
            ("a/b/.git/config.worktree", "three"),
            ("a/b/c/file", ""),
            ("d/file", ""),
        ]);
        assert_eq!(words(&root.join("a/b/c")).as_deref(), Some("two three one"));
        assert_eq!(words(&root.join("a")).as_deref(), Some("one"));
        assert_eq!(words(&root.join("d")).as_deref(), Some(""));
    }

    #[test]
    fn a_work_tree_and_a_submodule_are_followed() {
        let (_directory, root) = place(&[
            ("main/.git/config", "shared"),
            ("main/.git/worktrees/side/commondir", "../..\n"),
            ("main/.git/worktrees/side/config.worktree", "own"),
            ("side/.git", "gitdir: ../main/.git/worktrees/side\n"),
            ("main/.git/modules/sub/config", "sub"),
            ("main/sub/.git", "gitdir: ../.git/modules/sub\n"),
        ]);
        assert_eq!(words(&root.join("side")).as_deref(), Some("own shared"));
        assert_eq!(words(&root.join("main/sub")).as_deref(), Some("sub shared"));
    }

    #[test]
    fn what_cannot_be_told_is_not_told() {
        let (_directory, root) = place(&[
            ("big/.git/config", &"x".repeat(300_000)),
            ("odd/.git", "something else"),
            ("in/.git/hooks/x", ""),
            ("directory/.git/config/x", ""),
        ]);
        for path in ["big", "odd", "in/.git", "in/.git/hooks", "directory"] {
            assert_eq!(git_config(&root.join(path)), None, "{path}");
        }
    }
}
