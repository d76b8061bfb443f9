//! Files of the workspace that run later: looked at before a command and after it.
//!
//! What a command writes there (a hook, a task of the editor, instructions for an assistant) is carried out by somebody
//! else, outside of any sandbox, when nobody thinks of it any more. So a change is told. Not a guard: it tells what
//! happened. The surprise: nothing is read. Who wants to hide a change from its time and number can, in a sandbox
//! that lets them write those files at all; the likely ones cannot be written there.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::os::identity::Identity;
use crate::sandbox;

/// What runs later, below the workspace: of git, of direnv, of editors, of assistants, of hook managers. A directory stands for
/// all that is in it.
const RUN_LATER: [&str; 22] = [
    ".git",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/hooks/",
    ".git/info/attributes",
    ".gitmodules",
    ".gitattributes",
    ".envrc",
    ".husky/",
    ".pre-commit-config.yaml",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vscode/launch.json",
    ".idea/runConfigurations/",
    ".devcontainer/devcontainer.json",
    ".clawd/",
    ".mcp.json",
    ".claude/",
    ".cursor/",
    ".github/workflows/",
    ".cargo/config.toml",
];

/// Names by which a directory is a repository without `.git`.
const BARE: [&str; 3] = ["HEAD", "objects", "refs"];

/// As many entries of a directory are looked at.
const MOST_ENTRIES: usize = 1_000;

/// How a file is told from another, and from itself after a change.
type Look = (Identity, i64, i64);

/// The files as they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    root: PathBuf,
    seen: BTreeMap<String, Look>,
}

impl Watch {
    /// The files as they are; none where the program is ending. Looked at on a thread of its own, for it takes system calls by
    /// the dozen. Whoever stops waiting leaves nothing behind: a look ends by itself and changes nothing.
    pub async fn of(root: &Path) -> Option<Self> {
        let root = root.to_owned();
        tokio::task::spawn_blocking(move || Self::look(&root)).await.ok()
    }

    /// The names of those that have changed since, come or gone; by name. Looked at in the same way.
    pub async fn changed(self) -> Vec<String> {
        tokio::task::spawn_blocking(move || self.compare()).await.unwrap_or_default()
    }

    fn look(root: &Path) -> Self {
        #[cfg(test)]
        tests::LOOKS.with(|looks| looks.set(looks.get() + 1));
        let mut seen = BTreeMap::new();
        for name in RUN_LATER {
            match name.strip_suffix('/') {
                Some(directory) => look_into(root, directory, &mut seen),
                None => look(root, name, &mut seen),
            }
        }
        nested(root, &mut seen);
        Self { root: root.to_owned(), seen }
    }

    fn compare(&self) -> Vec<String> {
        let now = Self::look(&self.root);
        let names = self.seen.keys().chain(now.seen.keys().filter(|name| !self.seen.contains_key(*name)));
        let mut names: Vec<String> =
            names.filter(|name| self.seen.get(*name) != now.seen.get(*name)).cloned().collect();
        names.sort();
        names
    }
}

fn look(root: &Path, name: &str, seen: &mut BTreeMap<String, Look>) {
    let path = root.join(name);
    let Ok(meta) = fs::symlink_metadata(&path) else { return };
    // a command that goes on has its sandbox's placeholders here
    if sandbox::is_placeholder(&path) {
        return;
    }
    let is_whole = !meta.is_dir();
    // a directory's times change with whatever is made in it
    let at = if is_whole { (meta.ctime(), meta.ctime_nsec()) } else { (0, 0) };
    seen.insert(name.to_owned(), (Identity::of(&meta), at.0, at.1));
}

fn look_into(root: &Path, directory: &str, seen: &mut BTreeMap<String, Look>) {
    for name in entries(&root.join(directory)) {
        look(root, &format!("{directory}/{name}"), seen);
    }
}

/// Repositories one level below: git would take their hooks and configuration for its own there.
fn nested(root: &Path, seen: &mut BTreeMap<String, Look>) {
    if BARE.iter().all(|name| root.join(name).exists()) {
        look(root, "HEAD", seen);
    }
    for name in entries(root).filter(|name| name != ".git") {
        look(root, &format!("{name}/.git"), seen);
    }
}

fn entries(directory: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MOST_ENTRIES);
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// How often this thread has looked.
        pub(super) static LOOKS: Cell<usize> = const { Cell::new(0) };
    }

    fn workspace() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for path in [".git/hooks", ".git/objects", "src", ".vscode"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        for path in [".git/config", ".git/hooks/pre-commit", "src/a.rs", ".vscode/tasks.json"] {
            fs::write(dir.path().join(path), "old").unwrap();
        }
        dir
    }

    fn changed(change: impl FnOnce(&Path)) -> Vec<String> {
        let dir = workspace();
        let watch = Watch::look(dir.path());
        change(dir.path());
        watch.compare()
    }

    #[tokio::test]
    async fn it_is_looked_at_on_a_thread_that_nobody_waits_for() {
        let dir = workspace();
        let watch = Watch::of(dir.path()).await.unwrap();
        fs::write(dir.path().join(".envrc"), "new").unwrap();
        assert_eq!(watch.changed().await, [".envrc"]);
        assert_eq!(LOOKS.get(), 0);
        Watch::look(dir.path());
        assert_eq!(LOOKS.get(), 1, "the count counts");
    }

    #[test]
    fn what_runs_later_is_told_when_it_changes() {
        let write = |name: &'static str| {
            changed(move |root| {
                fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
                fs::write(root.join(name), "new").unwrap();
            })
        };
        for name in [
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/hooks/post-checkout",
            ".envrc",
            ".vscode/tasks.json",
            ".clawd/config.toml",
            ".mcp.json",
            ".github/workflows/ci.yml",
            ".husky/pre-push",
        ] {
            assert_eq!(write(name), [name], "{name}");
        }
        for name in ["src/a.rs", "README.md", ".git/index", ".git/objects/x"] {
            assert_eq!(write(name), [""; 0], "{name}");
        }
    }

    #[test]
    fn another_repository_in_place_of_ours_is_told() {
        let swapped = changed(|root| {
            fs::rename(root.join(".git"), root.join(".g2")).unwrap();
            fs::create_dir(root.join(".git")).unwrap();
        });
        assert!(swapped.contains(&".git".to_owned()), "{swapped:?}");
        let nested = changed(|root| fs::create_dir_all(root.join("sub/.git")).unwrap());
        assert_eq!(nested, ["sub/.git"]);
        let bare = changed(|root| {
            for name in ["objects", "refs"] {
                fs::create_dir(root.join(name)).unwrap();
            }
            fs::write(root.join("HEAD"), "ref: refs/heads/main").unwrap();
        });
        assert_eq!(bare, ["HEAD"]);
    }

    #[test]
    fn what_goes_and_what_only_changes_its_mode_is_told_too() {
        use std::os::unix::fs::PermissionsExt;
        let gone = changed(|root| fs::remove_file(root.join(".git/hooks/pre-commit")).unwrap());
        assert_eq!(gone, [".git/hooks/pre-commit"]);
        let mode = changed(|root| {
            let permissions = fs::Permissions::from_mode(0o755);
            fs::set_permissions(root.join(".git/hooks/pre-commit"), permissions).unwrap();
        });
        assert_eq!(mode, [".git/hooks/pre-commit"]);
    }
}
