//! What a repository needs beyond the directory it is checked out in, and what of that must stay as it is.
//!
//! In an ordinary repository all of it lies in `.git`, and the names that [`protected_of`] gives are enough. In a linked
//! worktree, and in a submodule, `.git` is a file that names a directory elsewhere, which a commit must be able to write.
//! A command could have written that file, and would have any directory made writable for the next one. So the directory
//! it names must name it in turn: what the command could not have written says so, or it is not believed.
//!
//! [`protected_of`]: super::protected_of

use std::fs;
use std::path::{Path, PathBuf};

use super::helper::bare::is_layout;
use super::plan::Profile;
use crate::os::file::read_regular;
use crate::text::git_config::{Entry, GitConfig};

/// What in the directory of a repository is obeyed by git, besides what every repository has.
const OBEYED: [&str; 4] = ["config", "config.worktree", "commondir", "hooks"];
/// How many directories are looked into for submodules; they may lie in one another.
const MODULES: usize = 200;
/// A longer file is none of git's.
const MOST_BYTES: u64 = 1024 * 1024;

/// The profile with what the repositories of its writable directories need.
pub(super) fn with_repositories(mut profile: Profile) -> Profile {
    protect_targets(&mut profile);
    for root in profile.writable.clone() {
        let git = root.join(".git");
        match fs::symlink_metadata(&git) {
            Ok(meta) if meta.is_dir() => protect_others(&git, &root, &mut profile),
            Ok(meta) if meta.is_file() => {
                if let Some(place) = elsewhere(&git, &root) {
                    protect_all(&place.common, &root, &mut profile);
                    profile.protected.extend(OBEYED.map(|name| place.own.join(name)));
                    profile.writable.push(place.common);
                } else if let Some(place) = named_by(&git, &root) {
                    // it can be written only where it lies in a directory that can: `git init --separate-git-dir ./store`
                    protect_all(&place, &root, &mut profile);
                }
                profile.protected.push(git);
            }
            Ok(_) => {
                if let Ok(place) = git.canonicalize() {
                    protect_all(&place, &root, &mut profile);
                }
                profile.protected.push(git);
            }
            Err(_) if is_layout(&root) => protect_all(&root, &root, &mut profile),
            Err(_) => {}
        }
    }
    profile.protected = profile.protected.into_iter().map(without_links).collect();
    profile
}

/// Protects what git obeys in the directory of a repository, and all that it leads to.
fn protect_all(place: &Path, root: &Path, profile: &mut Profile) {
    protect_others(place, root, profile);
    profile.protected.extend(OBEYED.map(|name| place.join(name)));
}

/// The same file by a path whose directories are no links: no other can be laid over.
fn without_links(path: PathBuf) -> PathBuf {
    let Some((parent, name)) = path.parent().zip(path.file_name()) else { return path };
    parent.canonicalize().map_or_else(|_| path.clone(), |parent| parent.join(name))
}

/// The directory from which a repository's directory takes its configuration.
pub(super) fn common(place: &Path) -> PathBuf {
    let named = line(&place.join("commondir")).and_then(|common| place.join(common).canonicalize().ok());
    named.unwrap_or_else(|| place.to_owned())
}

/// The directory of the repository whose work tree this is.
pub(super) fn directory_of(tree: &Path) -> Option<PathBuf> {
    let git = tree.join(".git");
    if git.is_dir() { git.canonicalize().ok() } else { named_by(&git, tree) }
}

/// The directory that a `.git` file names.
fn named_by(git: &Path, root: &Path) -> Option<PathBuf> {
    root.join(line(git)?.strip_prefix("gitdir: ")?).canonicalize().ok()
}

/// What a protected link leads to is protected as well: hooks that are kept in the workspace itself.
fn protect_targets(profile: &mut Profile) {
    let links = profile.protected.iter().filter(|path| path.is_symlink());
    let targets: Vec<PathBuf> = links.filter_map(|link| link.canonicalize().ok()).collect();
    profile.protected.extend(targets);
}

/// The directories that a `.git` file leads to: one's own, and the one shared with other worktrees.
struct Place {
    own: PathBuf,
    common: PathBuf,
}

fn elsewhere(git: &Path, root: &Path) -> Option<Place> {
    let own = named_by(git, root)?;
    let names_us = |path: PathBuf, us: &Path| path.canonicalize().is_ok_and(|path| path == us);
    if let Some(back) = line(&own.join("gitdir")) {
        let common = own.join(line(&own.join("commondir"))?).canonicalize().ok()?;
        // a worktree's directory lies in the one that it shares, two floors up
        let is_within = own.parent() == Some(common.join("worktrees").as_path());
        return (is_within && names_us(own.join(back), git)).then_some(Place { own, common });
    }
    let config = GitConfig::read(&text(&own.join("config"))?);
    let is_ours = config.value("core", "worktree").is_some_and(|worktree| names_us(own.join(worktree), root));
    is_ours.then(|| Place { common: own.clone(), own })
}

/// The one line of a small file.
fn line(path: &Path) -> Option<String> {
    let text = text(path)?;
    Some(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// The text of a regular file: a pipe would be waited for.
pub(super) fn text(path: &Path) -> Option<String> {
    String::from_utf8(read_regular(path, MOST_BYTES).ok()?).ok()
}

/// What leads the git of others astray: submodules, and worktrees that lie where the command may not write. One that
/// lies where it may, it may also remove.
fn protect_others(git: &Path, root: &Path, profile: &mut Profile) {
    protect_named(git, root, profile);
    let mut look = vec![git.join("modules")];
    for _ in 0..MODULES {
        let Some(directory) = look.pop() else { break };
        if directory.join("HEAD").exists() {
            profile.protected.extend(OBEYED.map(|name| directory.join(name)));
            look.push(directory.join("modules"));
        } else {
            look.extend(directories(&directory));
        }
    }
    for worktree in directories(&git.join("worktrees")) {
        let place = line(&worktree.join("gitdir")).map(PathBuf::from);
        let is_ours = place.is_some_and(|place| place.starts_with(root));
        if !is_ours {
            profile
                .protected
                .extend(["commondir", "config.worktree", "gitdir"].map(|name| worktree.join(name)));
        }
    }
}

/// What the configuration itself names, which may lie in the workspace: files that it includes, and the directory of hooks.
fn protect_named(git: &Path, root: &Path, profile: &mut Profile) {
    let config = GitConfig::read(&text(&git.join("config")).unwrap_or_default());
    for Entry { section, key, value, .. } in config.entries {
        let from = match (section.as_str(), key.as_str()) {
            ("include" | "includeif", "path") => git,
            ("core", "hookspath") => root,
            _ => continue,
        };
        if let Ok(named) = from.join(value).canonicalize() {
            profile.protected.push(named);
        }
    }
}

fn directories(of: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(of) else { return Vec::new() };
    let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    entries.filter_map(Result::ok).filter(is_directory).map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ground(tempfile::TempDir);

    impl Ground {
        fn new(files: &[(&str, &str)]) -> Self {
            let ground = Self(tempfile::tempdir().unwrap());
            for (name, text) in files {
                let path = ground.at(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text.replace("ROOT", ground.at("").to_str().unwrap().trim_end_matches('/')))
                    .unwrap();
            }
            ground
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        /// Whether the second path may be written, and the third stays as it is, with the first as the workspace.
        fn check(&self, workspace: &str, writable: &str, protected: &str) -> (bool, bool) {
            let profile = with_repositories(Profile::writing([self.at(workspace)]));
            let holds = |paths: &[PathBuf], name: &str| paths.contains(&self.at(name));
            (holds(&profile.writable, writable), holds(&profile.protected, protected))
        }
    }

    const WORKTREE: [(&str, &str); 5] = [
        ("wt/.git", "gitdir: ROOT/main/.git/worktrees/wt\n"),
        ("main/.git/HEAD", ""),
        ("main/.git/worktrees/wt/gitdir", "ROOT/wt/.git\n"),
        ("main/.git/worktrees/wt/commondir", "../..\n"),
        ("main/.git/worktrees/other/gitdir", "ROOT/other/.git\n"),
    ];

    #[test]
    fn a_worktree_writes_the_repository_that_it_belongs_to() {
        let ground = Ground::new(&WORKTREE);
        for protected in ["main/.git/hooks", "main/.git/worktrees/wt/commondir", "wt/.git"] {
            assert_eq!(ground.check("wt", "main/.git", protected), (true, true), "{protected}");
        }
        assert!(ground.check("wt", "main/.git", "main/.git/worktrees/other/commondir").1);
    }

    #[test]
    fn a_directory_that_does_not_name_the_worktree_in_turn_is_not_believed() {
        let mut forged = WORKTREE;
        forged[2] = ("main/.git/worktrees/wt/gitdir", "ROOT/somewhere/.git\n");
        let elsewhere = [
            ("wt/.git", "gitdir: fake\n"),
            ("wt/fake/gitdir", "../.git\n"),
            ("wt/fake/commondir", "ROOT/main/.git\n"),
            ("main/.git/HEAD", ""),
        ];
        for files in
            [&forged[..], &elsewhere[..], &[("wt/.git", "gitdir: ROOT/main/.git\n"), ("main/.git/HEAD", "")]]
        {
            assert_eq!(Ground::new(files).check("wt", "main/.git", "wt/.git"), (false, true));
        }
    }

    #[test]
    fn submodules_are_protected_from_outside_and_written_from_inside() {
        let ground = Ground::new(&[
            ("main/.git/HEAD", ""),
            ("main/.git/modules/libs/deep/HEAD", ""),
            (
                "main/.git/modules/libs/deep/config",
                "[Core]\nworkTree=\"../../../../sub\" # here\n[x]\nworktree = y\n",
            ),
            ("main/sub/.git", "gitdir: ../.git/modules/libs/deep\n"),
        ]);
        let own = "main/.git/modules/libs/deep";
        assert_eq!(ground.check("main", own, &format!("{own}/hooks")), (false, true));
        assert_eq!(ground.check("main/sub", own, &format!("{own}/config")), (true, true));
    }

    #[test]
    fn a_worktree_that_the_command_may_remove_is_its_own() {
        let ground =
            Ground::new(&[("main/.git/HEAD", ""), ("main/.git/worktrees/wt/gitdir", "ROOT/main/wt/.git\n")]);
        assert!(!ground.check("main", "", "main/.git/worktrees/wt/commondir").1);
    }

    #[test]
    fn hooks_that_are_kept_elsewhere_in_the_workspace_are_protected_there() {
        let ground = Ground::new(&[("main/.git/HEAD", ""), ("main/tools/hooks/pre-commit", "")]);
        std::os::unix::fs::symlink("../tools/hooks", ground.at("main/.git/hooks")).unwrap();
        assert!(ground.check("main", "", "main/tools/hooks").1);
    }
}
