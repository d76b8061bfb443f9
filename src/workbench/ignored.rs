//! Ignore files: which hold in a directory, and whether one of them names a path.
//!
//! As in ripgrep, `.rgignore` comes before `.ignore`, that before `.gitignore`, and that before git's own exclude file;
//! of files of one kind the nearest comes first. A repository within another is not subject to the `.gitignore` of the
//! outer one. The surprise: the user's own ignore file of git is not read, so that a search tells the same on every
//! machine; and a directory that is itself ignored, once it is asked for, is searched.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use crate::os::file::read_regular;

/// The names of ignore files.
pub const NAMES: [&str; 3] = [".rgignore", ".ignore", ".gitignore"];

/// Whether what has this name belongs to version control, and is never looked into.
#[must_use]
pub fn is_version_control(name: &OsStr) -> bool {
    [".git", ".hg", ".jj", ".svn"].iter().any(|known| name == *known)
}

/// A larger ignore file is none.
const MOST_BYTES: u64 = 1024 * 1024;

/// What makes an entry of a directory matter, in the order in which it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ripgrep,
    Ignore,
    Git,
    /// `.git/info/exclude`.
    Exclude,
}

const KINDS: [Kind; 4] = [Kind::Ripgrep, Kind::Ignore, Kind::Git, Kind::Exclude];

impl Kind {
    /// The entry that brings it.
    const fn name(self) -> &'static str {
        match self {
            Self::Ripgrep => ".rgignore",
            Self::Ignore => ".ignore",
            Self::Git => ".gitignore",
            Self::Exclude => ".git",
        }
    }

    const fn is_of_git(self) -> bool {
        match self {
            Self::Git | Self::Exclude => true,
            Self::Ripgrep | Self::Ignore => false,
        }
    }
}

/// The ignore files of a directory, and those of the directories above.
#[derive(Debug)]
pub struct Rules {
    own: Vec<(Kind, Gitignore)>,
    is_repository: bool,
    above: Option<Arc<Rules>>,
}

impl Rules {
    /// What the directories above `root` say about what lies below it.
    pub fn above(root: &Path, workspace: &Path) -> Option<Arc<Self>> {
        let in_repository = root.ancestors().any(is_repository);
        let mut above: Vec<&Path> = root.ancestors().skip(1).collect();
        above.reverse();
        let mut rules: Option<Arc<Self>> = None;
        for directory in above {
            if rules.as_ref().is_some_and(|rules| rules.against(directory, true).is_some()) {
                return None;
            }
            let counts = |kind: &Kind| {
                in_repository
                    || !kind.is_of_git()
                    || (directory.starts_with(workspace) && root.starts_with(workspace))
            };
            let kinds = KINDS.into_iter().filter(counts).filter(|kind| is_there(directory, *kind));
            rules = Self::with(rules, directory, kinds.collect());
        }
        rules.filter(|rules| rules.against(root, true).is_none())
    }

    /// What holds in `directory`; without its `names`, which cost nothing, it is looked for each of the ignore files.
    pub fn inside(
        above: Option<Arc<Self>>,
        directory: &Path,
        names: Option<impl Iterator<Item = OsString>>,
    ) -> Option<Arc<Self>> {
        let kinds = match names {
            Some(names) => names.filter_map(|name| kind_of(&name)).collect(),
            None => KINDS.into_iter().filter(|kind| is_there(directory, *kind)).collect(),
        };
        Self::with(above, directory, kinds)
    }

    /// The line that leaves the path out, if it is left out.
    pub fn against(&self, path: &Path, is_directory: bool) -> Option<&Glob> {
        for kind in KINDS {
            let mut next = Some(self);
            while let Some(rules) = next {
                for (_, own) in rules.own.iter().filter(|(own, _)| *own == kind) {
                    match own.matched(path, is_directory) {
                        Match::None => {}
                        Match::Ignore(glob) => return Some(glob),
                        Match::Whitelist(_) => return None,
                    }
                }
                let is_edge = rules.is_repository && kind.is_of_git();
                next = rules.above.as_deref().filter(|_| !is_edge);
            }
        }
        None
    }

    fn with(above: Option<Arc<Self>>, directory: &Path, kinds: Vec<Kind>) -> Option<Arc<Self>> {
        if kinds.is_empty() {
            return above;
        }
        let is_repository = kinds.contains(&Kind::Exclude);
        let read = |kind: Kind| {
            let file = match kind {
                Kind::Exclude => common_directory(directory).join("info/exclude"),
                Kind::Ripgrep | Kind::Ignore | Kind::Git => directory.join(kind.name()),
            };
            matcher(directory, &file).map(|matcher| (kind, matcher))
        };
        let own: Vec<(Kind, Gitignore)> = kinds.into_iter().filter_map(read).collect();
        if own.is_empty() && !is_repository {
            return above;
        }
        Some(Arc::new(Self { own, is_repository, above }))
    }
}

fn kind_of(name: &OsStr) -> Option<Kind> {
    // nearly every name ends here
    if !name.as_encoded_bytes().starts_with(b".") {
        return None;
    }
    KINDS.into_iter().find(|kind| name == kind.name())
}

fn is_there(directory: &Path, kind: Kind) -> bool {
    directory.join(kind.name()).symlink_metadata().is_ok()
}

fn is_repository(directory: &Path) -> bool {
    is_there(directory, Kind::Exclude)
}

/// What the file says, if there is anything in it; lines that cannot be read are passed over.
fn matcher(directory: &Path, file: &Path) -> Option<Gitignore> {
    let bytes = read_regular(file, MOST_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(directory);
    for line in text.trim_start_matches('\u{feff}').lines() {
        drop(builder.add_line(Some(file.to_owned()), line));
    }
    builder.build().ok().filter(|matcher| !matcher.is_empty())
}

/// The git directory that a repository's work trees share: `.git`, or where that file leads.
fn common_directory(repository: &Path) -> PathBuf {
    let git = repository.join(".git");
    if !git.is_file() {
        return git;
    }
    let line = |file: &Path| fs_line(file);
    let own = line(&git).and_then(|line| Some(repository.join(line.strip_prefix("gitdir: ")?)));
    let Some(own) = own else { return git };
    line(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(common))
}

/// The first line of a small file.
fn fs_line(file: &Path) -> Option<String> {
    let text = String::from_utf8(read_regular(file, MOST_BYTES).ok()?).ok()?;
    text.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        directory
    }

    /// Whether `path` is left out for a search from `root` on.
    fn is_ignored(workspace: &Path, root: &str, path: &str) -> bool {
        let root = workspace.join(root);
        let mut rules = Rules::above(&root, workspace);
        let below = Path::new(path).strip_prefix(root.strip_prefix(workspace).unwrap()).unwrap();
        let mut place = root;
        for part in below {
            rules = Rules::inside(rules, &place, None::<std::iter::Empty<OsString>>);
            place.push(part);
            if rules.as_ref().is_some_and(|rules| rules.against(&place, place.is_dir()).is_some()) {
                return true;
            }
        }
        false
    }

    #[test]
    fn the_nearest_file_of_the_strongest_kind_decides() {
        let tree = tree(&[
            (".gitignore", "*.log\nout/\n/top\n"),
            (".ignore", "!kept.log\n*.tmp\n"),
            ("sub/.gitignore", "!back.log\n"),
            ("sub/.rgignore", "!x.tmp\nsecret\n"),
            ("sub/out/f", ""),
            ("sub/top", ""),
        ]);
        let check = |path: &str, expected: bool| {
            assert_eq!(is_ignored(tree.path(), "", path), expected, "{path}");
        };
        check("a.log", true);
        check("kept.log", false);
        check("sub/a.log", true);
        check("sub/back.log", false);
        check("sub/x.tmp", false);
        check("x.tmp", true);
        check("sub/secret", true);
        check("secret", false);
        check("sub/out/f", true);
        check("sub/top", false);
        check("top", true);
    }

    #[test]
    fn what_is_asked_for_by_name_is_searched_though_it_is_ignored() {
        let tree = tree(&[(".gitignore", "out\n*.js\n"), ("out/deep/a.js", ""), ("src/a.js", "")]);
        assert!(is_ignored(tree.path(), "", "out/deep/a.js"));
        assert!(!is_ignored(tree.path(), "out", "out/deep/a.js"));
        assert!(!is_ignored(tree.path(), "out/deep", "out/deep/a.js"));
        assert!(is_ignored(tree.path(), "src", "src/a.js"));
    }

    #[test]
    fn a_repository_is_not_subject_to_one_around_it() {
        let tree = tree(&[
            (".gitignore", "*.log\n"),
            (".ignore", "*.tmp\n"),
            (".git/info/exclude", "*.own\n"),
            ("inner/.git/HEAD", ""),
        ]);
        assert!(is_ignored(tree.path(), "", "a.own"));
        for root in ["", "inner"] {
            assert!(!is_ignored(tree.path(), root, "inner/a.log"));
            assert!(!is_ignored(tree.path(), root, "inner/a.own"));
            assert!(is_ignored(tree.path(), root, "inner/a.tmp"));
        }
    }

    #[test]
    fn without_a_repository_what_stands_above_the_workspace_does_not_count() {
        let tree = tree(&[(".gitignore", "*.rs\n"), ("w/.gitignore", "*.log\n"), ("w/sub/a.rs", "")]);
        let workspace = tree.path().join("w");
        assert!(!is_ignored(&workspace, "sub", "sub/a.rs"));
        assert!(is_ignored(&workspace, "sub", "sub/a.log"));
        fs::create_dir(tree.path().join(".git")).unwrap();
        assert!(is_ignored(&workspace, "", "sub/a.rs"));
    }

    #[test]
    fn a_work_tree_obeys_the_exclude_file_of_its_repository() {
        let tree = tree(&[
            ("main/.git/info/exclude", "*.own\n"),
            ("main/.git/worktrees/w/commondir", "../..\n"),
            ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
        ]);
        assert!(is_ignored(&tree.path().join("w"), "", "a.own"));
    }

    #[test]
    fn an_ignore_file_that_is_a_pipe_is_not_waited_for() {
        let tree = tree(&[]);
        let pipe = tree.path().join(".gitignore");
        rustix::fs::mkfifoat(rustix::fs::CWD, pipe, rustix::fs::Mode::RWXU).unwrap();
        assert!(!is_ignored(tree.path(), "", "a"));
    }
}
