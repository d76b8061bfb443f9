//! What stands on the host's disk, while a command runs, in the place of a protected path that is not there.
//!
//! Nothing can be laid over a path that does not exist, and a path that does not exist can be made: so it is made here,
//! empty, and put away afterwards. Of the least harmful kind: an empty directory, which git does not see, or, where git
//! itself would read it, a file that changes nothing. The surprise: several commands rely on one stub, and taking it
//! away takes what was laid over it away from all of them. So each holds a lock on it, and whoever can have it alone
//! takes it away. One that was left by somebody who was killed is known by its odd mode, and used and taken away.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{Timespec, poll};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::super::plan::Profile;
use super::super::steps::{Kind, nearest};
use super::links::Links;
use super::{Failure, Named, bare, kind_of};
use crate::os::file::read_regular;
use crate::os::identity::Identity;

/// Nobody makes an empty directory that nobody may write, or such a file.
const DIRECTORY_MODE: u32 = 0o555;
const FILE_MODE: u32 = 0o444;
/// How often it may have been taken away while we reached for it, or be locked by whoever takes it away. The pauses for
/// the latter double, from a millisecond: a second in all.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(1);
/// A longer configuration is not read.
const MOST_BYTES: u64 = 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Directory,
    /// A file that says this.
    File(&'static str),
}

/// What is to be put away after one command: its stubs, and what must not be left in a work tree.
#[derive(Default)]
pub(super) struct Stubs {
    all: Vec<Stub>,
    /// Work trees that the command may write, each with the repositories that its index names.
    trees: Vec<(PathBuf, Links)>,
}

struct Stub {
    path: PathBuf,
    shape: Shape,
    /// Open, and locked together with others.
    held: File,
}

impl Stubs {
    /// One for each protected path that is not there, in a directory that is.
    pub(super) fn make(profile: &Profile) -> Result<Self, Failure> {
        let is_tree = |root: &&PathBuf| kind_of(&root.join(".git")) != Kind::Absent;
        let trees: Vec<PathBuf> = profile.writable.iter().filter(is_tree).cloned().collect();
        // what a helper left that was killed
        for tree in &trees {
            bare::defuse(tree);
        }
        let trees = trees.into_iter().map(|tree| (tree.clone(), Links::of(&tree))).collect();
        let mut stubs = Self { all: Vec::new(), trees };
        for path in profile.protected.iter().filter(|path| !is_closed_above(profile, path)) {
            let Some(shape) = nearest(&profile.writable, path).and_then(|_| shape_of(path)) else { continue };
            match Stub::hold(path, shape).named(format_args!("{}, which must be protected", path.display())) {
                Ok(stub) => stubs.all.extend(stub),
                Err(failure) => {
                    stubs.put_away();
                    return Err(failure);
                }
            }
        }
        Ok(stubs)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.trees.is_empty()
    }

    /// Takes away those that nobody else relies on.
    pub(super) fn put_away(self) {
        self.check_trees();
        for stub in self.all {
            stub.put_away();
        }
    }

    /// Looks whether git would take a work tree itself for a repository, and sees to it that it does not.
    #[expect(clippy::print_stderr, reason = "it belongs to what the command has to say")]
    pub(super) fn check_trees(&self) {
        for moved in self.trees.iter().filter_map(|(tree, _)| bare::defuse(tree)) {
            eprintln!(
                "clawd: moved HEAD to {}, because git would treat the directory as a repository and run its \
                 configuration",
                moved.display()
            );
        }
        for moved in self.trees.iter().flat_map(|(tree, links)| links.defuse(tree)) {
            eprintln!(
                "clawd: moved .git to {}, because git would run commands from its configuration",
                moved.display()
            );
        }
    }
}

/// Whether it lies in a directory that is protected as a whole.
fn is_closed_above(profile: &Profile, path: &Path) -> bool {
    let mut above = profile.protected.iter().filter(|above| path != *above && path.starts_with(above));
    above.any(|above| nearest(&profile.writable, above).is_some())
}

/// What is to stand there; `None` if nothing needs to.
fn shape_of(path: &Path) -> Option<Shape> {
    let parent = path.parent()?;
    if kind_of(parent) != Kind::Directory {
        return None;
    }
    let in_git = parent.join("HEAD").exists();
    let common = || super::super::git::common(parent);
    match path.file_name()?.to_str() {
        Some("config") if in_git => Some(Shape::File("")),
        // read only where the configuration says so
        Some("config.worktree") if in_git => mentions_worktrees(&common()).then_some(Shape::File("")),
        // this very directory, which is what git takes without it
        Some("commondir") if in_git => Some(Shape::File(".\n")),
        _ => Some(Shape::Directory),
    }
}

/// Whether this is a stub, whoever relies on it.
pub(super) fn is_one(path: &Path) -> bool {
    let odd = |meta: fs::Metadata| [DIRECTORY_MODE, FILE_MODE].contains(&(meta.mode() & 0o7777));
    let is_odd = fs::symlink_metadata(path).is_ok_and(odd);
    let shape = shape_of(path).filter(|_| is_odd);
    shape.is_some_and(|shape| open(path).is_ok_and(|file| shape.is_that_of(&file, path)))
}

fn mentions_worktrees(git: &Path) -> bool {
    let path = git.join("config");
    match read_regular(&path, MOST_BYTES) {
        Ok(config) => config.to_ascii_lowercase().windows(14).any(|window| window == b"worktreeconfig"),
        // a pipe says nothing; a file that cannot be read may say anything
        Err(_) => path.is_file(),
    }
}

impl Stub {
    /// Makes it, or takes part in one that is there; `None` if something else is.
    fn hold(path: &Path, shape: Shape) -> io::Result<Option<Self>> {
        for tried in 0..TRIES {
            match shape.make(path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            let held = match open(path) {
                Ok(held) => held,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                // not ours: a link, or nothing that we may read
                Err(_) => return Ok(None),
            };
            if !shape.is_that_of(&held, path) {
                return Ok(None);
            }
            // never waited for: a command may hold a lock on what looks like a stub for as long as it likes
            match flock(&held, FlockOperation::NonBlockingLockShared) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    pause(PAUSE * 2_u32.pow(tried));
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            let stub = Self { path: path.to_owned(), shape, held };
            if stub.is_still_there() {
                return Ok(Some(stub));
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    fn is_still_there(&self) -> bool {
        match (fs::symlink_metadata(&self.path), self.held.metadata()) {
            (Ok(now), Ok(then)) => Identity::of(&now) == Identity::of(&then),
            (Err(_), _) | (_, Err(_)) => false,
        }
    }

    fn put_away(self) {
        let alone = flock(&self.held, FlockOperation::NonBlockingLockExclusive).is_ok();
        if !alone || !self.is_still_there() {
            return;
        }
        // what cannot be taken away is found by the next command
        match self.shape {
            Shape::Directory => fs::remove_dir(&self.path).ok(),
            Shape::File(_) if self.shape.is_that_of(&self.held, &self.path) => {
                fs::remove_file(&self.path).ok()
            }
            Shape::File(_) => None,
        };
    }
}

impl Shape {
    fn make(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Directory => DirBuilder::new().mode(DIRECTORY_MODE).create(path)?,
            Self::File(text) => {
                let mut file = File::options().write(true).create_new(true).mode(FILE_MODE).open(path)?;
                file.write_all(text.as_bytes())?;
            }
        }
        // whatever the user's mask took away
        let mode = match self {
            Self::Directory => DIRECTORY_MODE,
            Self::File(_) => FILE_MODE,
        };
        fs::set_permissions(path, Permissions::from_mode(mode))
    }

    /// Whether this is a stub, of this shape, and unchanged.
    fn is_that_of(self, held: &File, path: &Path) -> bool {
        let Ok(meta) = held.metadata() else { return false };
        let mode = meta.mode() & 0o7777;
        match self {
            Self::Directory => {
                let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
                meta.is_dir() && mode == DIRECTORY_MODE && is_empty()
            }
            Self::File(text) => {
                let says = || fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes());
                meta.is_file() && mode == FILE_MODE && meta.len() == text.len() as u64 && says()
            }
        }
    }
}

/// A signal may end it sooner.
fn pause(length: Duration) {
    let length = Timespec { tv_sec: 0, tv_nsec: length.subsec_nanos().into() };
    poll(&mut [], Some(&length)).ok();
}

fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    File::options().read(true).custom_flags(flags.cast_signed()).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(dir: &Path) -> BTreeSet<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        fs::read_dir(dir).unwrap().map(name).collect()
    }

    fn workspace() -> (tempfile::TempDir, Profile) {
        let dir = tempfile::tempdir().unwrap();
        let profile = Profile::writing([dir.path().to_owned()]);
        (dir, profile)
    }

    #[test]
    fn a_stub_is_there_as_long_as_somebody_relies_on_it() {
        let (dir, profile) = workspace();
        let first = Stubs::make(&profile).unwrap();
        let second = Stubs::make(&profile).unwrap();
        let both = BTreeSet::from([".clawd".to_owned(), ".mcp.json".to_owned()]);
        assert_eq!(names(dir.path()), both);
        first.put_away();
        assert_eq!(names(dir.path()), both);
        second.put_away();
        assert_eq!(names(dir.path()), BTreeSet::new());
    }

    #[test]
    fn one_that_was_left_behind_is_put_away_by_the_next() {
        let (dir, profile) = workspace();
        drop(Stubs::make(&profile).unwrap());
        assert_eq!(names(dir.path()).len(), 2, "somebody was killed");
        Stubs::make(&profile).unwrap().put_away();
        assert_eq!(names(dir.path()), BTreeSet::new());
    }

    #[test]
    fn one_that_somebody_keeps_locked_is_not_waited_for_without_end() {
        let (dir, profile) = workspace();
        drop(Stubs::make(&profile).unwrap());
        let locked = open(&dir.path().join(".clawd")).unwrap();
        flock(&locked, FlockOperation::LockExclusive).unwrap();
        let failure = Stubs::make(&profile).map(|_| ()).unwrap_err().to_string();
        assert!(failure.contains(".clawd, which must be protected: "), "{failure}");
        drop(locked);
        Stubs::make(&profile).unwrap().put_away();
        assert_eq!(names(dir.path()), BTreeSet::new());
    }

    #[test]
    fn what_was_there_stays() {
        let (dir, profile) = workspace();
        fs::create_dir(dir.path().join(".clawd")).unwrap();
        fs::write(dir.path().join(".mcp.json"), "{}").unwrap();
        let stubs = Stubs::make(&profile).unwrap();
        assert!(stubs.is_empty());
        stubs.put_away();
        assert_eq!(names(dir.path()).len(), 2);
    }

    #[test]
    fn what_somebody_else_put_in_its_place_stays() {
        let (dir, profile) = workspace();
        let stubs = Stubs::make(&profile).unwrap();
        let (server, own) = (dir.path().join(".mcp.json"), dir.path().join(".clawd"));
        fs::remove_dir(&server).unwrap();
        fs::write(&server, "{}").unwrap();
        fs::set_permissions(&own, Permissions::from_mode(0o755)).unwrap();
        fs::write(own.join("config.toml"), "").unwrap();
        stubs.put_away();
        assert_eq!(fs::read(&server).unwrap(), b"{}");
        assert!(own.join("config.toml").exists());
    }

    #[test]
    fn in_a_repository_git_reads_them_and_finds_nothing_new() {
        let (dir, profile) = workspace();
        let git = dir.path().join(".git");
        fs::create_dir(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let stubs = Stubs::make(&profile).unwrap();
        assert_eq!(fs::read_to_string(git.join("commondir")).unwrap(), ".\n");
        assert_eq!(fs::read_to_string(git.join("config")).unwrap(), "");
        assert!(git.join("hooks").is_dir() && !git.join("config.worktree").exists());
        stubs.put_away();
        assert_eq!(names(&git), BTreeSet::from(["HEAD".to_owned()]));
        fs::write(git.join("config"), "[extensions]\n\tworktreeConfig = true\n").unwrap();
        let stubs = Stubs::make(&profile).unwrap();
        assert!(git.join("config.worktree").is_file());
        stubs.put_away();
        assert_eq!(names(&git).len(), 2);
    }
}
