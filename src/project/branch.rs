//! The branch, from the files of git and without git.

use std::path::{Path, PathBuf};

use crate::os::file::read_regular;

/// `HEAD` and the `.git` file of a worktree hold one line.
const MAX_BYTES: u64 = 4096;

/// Digits of a commit that are shown where no branch is checked out; git shows seven too.
const SHORT_COMMIT: usize = 7;

/// The branch that is checked out below `root`, or the beginning of the commit; `None` where there is no repository.
pub(super) fn branch(root: &Path) -> Option<String> {
    let git = root.join(".git");
    let directory = if git.is_dir() { git } else { linked(root, &git)? };
    let head = read(&directory.join("HEAD"))?;
    if let Some(name) = head.strip_prefix("ref:") {
        let name = name.trim();
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        return (!name.is_empty() && name != ".invalid").then(|| name.to_owned());
    }
    let is_commit = head.len() >= SHORT_COMMIT && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| head.chars().take(SHORT_COMMIT).collect())
}

/// Where the `.git` file of a worktree or a submodule leads.
pub(super) fn linked(root: &Path, git: &Path) -> Option<PathBuf> {
    let line = read(git)?;
    Some(root.join(line.strip_prefix("gitdir:")?.trim()))
}

fn read(path: &Path) -> Option<String> {
    let bytes = read_regular(path, MAX_BYTES).ok()?;
    Some(String::from_utf8(bytes).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_branch_is_read_from_head() {
        let check = |head: &str, expected: Option<&str>| {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join(".git")).unwrap();
            fs::write(dir.path().join(".git/HEAD"), head).unwrap();
            assert_eq!(branch(dir.path()).as_deref(), expected, "{head:?}");
        };
        check("ref: refs/heads/main\n", Some("main"));
        check("ref: refs/heads/feature/größe\n", Some("feature/größe"));
        check("0123456789abcdef0123456789abcdef01234567\n", Some("0123456"));
        check("ref: refs/heads/.invalid\n", None);
        check("", None);
        check("nonsense", None);
    }

    #[test]
    fn a_worktree_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (work, real) = (dir.path().join("work"), dir.path().join("repo/.git/worktrees/work"));
        fs::create_dir(&work).unwrap();
        fs::create_dir_all(&real).unwrap();
        fs::write(real.join("HEAD"), "ref: refs/heads/side\n").unwrap();
        fs::write(work.join(".git"), "gitdir: ../repo/.git/worktrees/work\n").unwrap();
        assert_eq!(branch(&work).as_deref(), Some("side"));
        assert_eq!(branch(dir.path()), None);
    }
}
