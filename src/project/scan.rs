//! A look at the directory: what it would bring, read and not acted on.
//!
//! Safe before any yes: it opens regular files alone, reads no more of them than could ever be used, and follows no
//! link out of the project.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::os::file::{FileError, open_regular};
use crate::os::guarded::{Author, open_own};
use crate::os::paths::resolve;
use crate::permission::is_secret;
use crate::workbench::ignored::is_version_control;

use super::branch::branch;
use super::brings::{Brings, brings};
use super::instructions::INSTRUCTIONS_MAX;

/// Instruction files; of a directory the first that is there counts.
pub const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CLAWDCODE.md"];

/// What a directory would bring.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scan {
    /// The repository's root, or the working directory where there is no repository; without links.
    pub root: PathBuf,
    /// The working directory, without links.
    pub cwd: PathBuf,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The user's own instructions.
    pub own: Option<Found>,
    /// The project's instructions, from the root down to the working directory.
    pub instructions: Vec<Found>,
    /// What it would bring beside plain text.
    pub brings: Brings,
    /// What could not be looked at, a line each.
    pub notes: Vec<String>,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// As a person would name it: from the root.
    pub name: String,
    /// Its text, as far as it could ever be used; given out by [`Scan::open`].
    pub(super) text: String,
    /// Its whole length in bytes.
    pub bytes: u64,
}

type Opened = Result<(File, Metadata), FileError>;

/// Looks at the working directory and those above it up to the repository's root. `own` is the user's own file.
pub fn scan(cwd: &Path, own: Option<&Path>) -> Scan {
    let cwd = resolve(cwd).unwrap_or_else(|_| cwd.to_owned());
    let root = cwd.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok()).unwrap_or(&cwd);
    let mut scan = Scan { root: root.to_owned(), cwd: cwd.clone(), branch: branch(root), ..Scan::default() };
    let own = own.map(|path| resolve(path).unwrap_or_else(|_| path.to_owned()));
    scan.own = own
        .as_ref()
        .and_then(|path| scan.look(open_own(path, Author::User), path, path.display().to_string()));
    let mut dirs: Vec<&Path> = cwd.ancestors().take_while(|dir| dir.starts_with(root)).collect();
    dirs.reverse();
    for dir in dirs {
        let found = scan.instructions_in(dir, own.as_deref());
        scan.instructions.extend(found);
    }
    scan.brings = brings(root, own.as_deref().and_then(Path::parent), &mut scan.notes);
    scan
}

/// What tells this directory from any other that stood or will stand at its path: a yes is not to a name.
///
/// Without the device's number, which another start of the system may change. Where the file system tells when the directory
/// was made, that too: numbers of directories that are gone are given again.
#[must_use]
pub fn identity(root: &Path) -> Option<String> {
    let meta = fs::metadata(root).ok()?;
    let made = meta.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    Some(match made {
        Some(made) => format!("{}:{}", meta.ino(), made.as_nanos()),
        None => meta.ino().to_string(),
    })
}

impl Scan {
    /// Whether there is nothing to trust.
    pub fn brings_nothing(&self) -> bool {
        self.instructions.is_empty() && self.brings.items.is_empty()
    }

    /// The project's instructions, by name.
    pub fn names(&self) -> Vec<String> {
        self.instructions.iter().map(|found| found.name.clone()).collect()
    }

    pub(super) fn instructions_in(&mut self, dir: &Path, own: Option<&Path>) -> Option<Found> {
        let path = NAMES.iter().map(|name| dir.join(name)).find(|path| path.exists())?;
        let name = path.strip_prefix(&self.root).unwrap_or(&path).display().to_string();
        let target = resolve(&path).unwrap_or_else(|_| path.clone());
        if own == Some(&target) {
            return None; // the user's own file is theirs, wherever it lies
        }
        if let Some(why) = self.forbidden(&path, &target) {
            self.notes.push(format!("{name} is ignored: it is a symlink {why}"));
            return None;
        }
        self.look(open_regular(&target), &target, name).map(|found| Found { path, ..found })
    }

    /// Why a link at `path` to `target` is not followed.
    fn forbidden(&self, path: &Path, target: &Path) -> Option<&'static str> {
        let Ok(below) = target.strip_prefix(&self.root) else { return Some("that leads out of the project") };
        if path == target {
            None
        } else if is_secret(below) {
            Some("to a file that may contain secrets")
        } else {
            below.iter().any(is_version_control).then_some("into version control data")
        }
    }

    /// The file, if it says anything.
    fn look(&mut self, opened: Opened, path: &Path, name: String) -> Option<Found> {
        let read = opened.and_then(|(file, meta)| {
            let text = beginning(file).map_err(|source| FileError::Io {
                verb: "read",
                path: path.to_owned(),
                source,
            })?;
            Ok((text, meta.len()))
        });
        match read {
            Ok((text, _)) if text.trim().is_empty() => None,
            Ok((text, bytes)) => Some(Found { path: path.to_owned(), name, text, bytes }),
            Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => None,
            Err(error) => {
                self.notes.push(format!("{name} is ignored: {error}"));
                None
            }
        }
    }
}

/// As much of a file as could be used; what is no UTF-8 is replaced.
fn beginning(file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(INSTRUCTIONS_MAX as u64 + 1).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A directory with these files; a name that ends in `/` is a directory.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path).unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
        }
        dir
    }

    #[test]
    fn instructions_are_found_from_the_root_down_one_a_directory() {
        let dir = tree(&[
            ("AGENTS.md", "above the root"),
            ("repo/.git/HEAD", "ref: refs/heads/main"),
            ("repo/AGENTS.md", "root"),
            ("repo/CLAUDE.md", "second to AGENTS.md"),
            ("repo/a/CLAWDCODE.md", "last name"),
            ("repo/a/b/CLAUDE.md", "deep"),
            ("repo/a/b/c/AGENTS.md", "below"),
            ("repo/other/AGENTS.md", "beside"),
        ]);
        let found = scan(&dir.path().join("repo/a/b"), None);
        assert_eq!(found.names(), ["AGENTS.md", "a/CLAWDCODE.md", "a/b/CLAUDE.md"]);
        assert_eq!(found.instructions[0].text, "root");
        assert_eq!(found.branch.as_deref(), Some("main"));
        assert_eq!(found.root, dir.path().canonicalize().unwrap().join("repo"));
        assert!(!found.brings_nothing());
    }

    #[test]
    fn without_a_repository_only_the_directory_itself_counts() {
        let dir = tree(&[("AGENTS.md", "above"), ("a/CLAUDE.md", "here")]);
        assert_eq!(scan(&dir.path().join("a"), None).names(), ["CLAUDE.md"]);
        assert!(scan(&dir.path().join("a/none"), None).brings_nothing());
    }

    #[test]
    fn the_users_own_file_is_never_the_projects() {
        let dir = tree(&[("AGENTS.md", "mine"), ("sub/AGENTS.md", " \n")]);
        let own = dir.path().join("AGENTS.md");
        let found = scan(dir.path(), Some(&own));
        assert_eq!((found.own.map(|own| own.text).as_deref(), found.instructions.len()), (Some("mine"), 0));
        assert!(scan(&dir.path().join("sub"), Some(&dir.path().join("none"))).own.is_none());
    }

    #[test]
    fn the_users_own_file_is_left_out_where_anyone_may_have_written_it() {
        let dir = tree(&[("home/AGENTS.md", "not mine"), ("repo/AGENTS.md", "theirs")]);
        let (own, theirs) = (dir.path().join("home/AGENTS.md"), dir.path().join("repo/AGENTS.md"));
        for path in [&own, &theirs] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
        }
        let found = scan(&dir.path().join("repo"), Some(&own));
        assert_eq!((found.own.is_none(), found.names()), (true, vec!["AGENTS.md".to_owned()]));
        let [note] = found.notes.try_into().unwrap();
        assert!(note.contains("home/AGENTS.md is ignored: cannot trust "), "{note}");
        assert!(note.ends_with(": anyone can write it (try chmod o-w)"), "{note}");
    }

    #[test]
    fn what_says_nothing_or_is_no_file_brings_nothing() {
        let dir = tree(&[("AGENTS.md", " \n"), ("a/AGENTS.md/", "")]);
        assert!(scan(dir.path(), None).brings_nothing());
        let found = scan(&dir.path().join("a"), None);
        assert!(found.brings_nothing());
        assert!(found.notes[0].starts_with("AGENTS.md is ignored: "), "{:?}", found.notes);
    }

    #[test]
    fn a_link_is_followed_within_the_project_alone() {
        let dir =
            tree(&[("secret", "key"), ("repo/.git/", ""), ("repo/docs/rules.md", "rules"), ("repo/a/", "")]);
        let repo = dir.path().join("repo");
        symlink("docs/rules.md", repo.join("CLAUDE.md")).unwrap();
        symlink("../../secret", repo.join("a/AGENTS.md")).unwrap();
        let found = scan(&repo.join("a"), None);
        assert_eq!(
            (found.names(), found.instructions[0].text.as_str()),
            (vec!["CLAUDE.md".to_owned()], "rules")
        );
        assert_eq!(found.notes, ["a/AGENTS.md is ignored: it is a symlink that leads out of the project"]);
    }

    #[test]
    fn a_directory_is_told_from_another_at_its_path() {
        let dir = tree(&[("a/", ""), ("b/", "")]);
        let of = |name: &str| identity(&dir.path().join(name)).unwrap();
        let (a, b) = (of("a"), of("b"));
        assert_ne!(a, b);
        fs::rename(dir.path().join("a"), dir.path().join("c")).unwrap();
        fs::rename(dir.path().join("b"), dir.path().join("a")).unwrap();
        assert_eq!((of("a"), of("c")), (b, a));
        assert_eq!(identity(&dir.path().join("none")), None);
    }

    #[test]
    fn no_more_is_read_than_could_be_used() {
        let long = "x".repeat(INSTRUCTIONS_MAX * 2);
        let dir = tree(&[("AGENTS.md", &long)]);
        let found = scan(dir.path(), None).instructions.remove(0);
        assert_eq!((found.text.len(), found.bytes), (INSTRUCTIONS_MAX + 1, long.len() as u64));
    }
}
