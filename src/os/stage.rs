//! Changes of several files that come into force one after another, each with a way back.
//!
//! No file system has transactions, so this is the next best: all that needs room on the disk is done first
//! ([`Staged::replace`] and its like: the new bytes lie safe in temporary files), and what remains is to change names,
//! which needs none and can be undone. The surprise: a new file does not push the old one out. They change names, so
//! the old one is still there, with all that belongs to it, until the last of the changes stands.
//!
//! What a file holds is not looked at here; who stages a change knows what is to be lost. Files come [pinned](Pinned): from
//! the first step to the last they are those that were judged.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::file::{
    FileError, failed, filled, free_beside, kind_of, open_listed, open_to_write, twin, write_in_place,
};
use super::pinned::{Pinned, linked};

/// A change of one file, ready and not in force. Dropped before [`Staged::commit`] it has never been; dropped
/// after it, the old file is gone.
#[derive(Debug)]
pub struct Staged {
    /// What is done to which file, for errors.
    deed: (&'static str, PathBuf),
    steps: Vec<Step>,
    /// How many of them are done.
    done: usize,
    /// Names under which nothing stays.
    temps: Vec<TempPath>,
    /// Held open, so that no other process takes a temporary file for the rest of a crash.
    locks: Vec<File>,
    /// Last, for all the names above begin with them.
    held: Vec<Pinned>,
}

/// The least that can be done and undone.
#[derive(Debug)]
enum Step {
    /// A file gets a name that is free.
    Rename { from: PathBuf, to: PathBuf },
    /// Two files change names.
    Swap { new: PathBuf, old: PathBuf },
    /// What a [`Step::Swap`] became where the system cannot swap: the new file has the name, the old bytes are kept here.
    Pushed { path: PathBuf, old: Vec<u8> },
    /// The file itself is written.
    Overwrite { path: PathBuf, old: Vec<u8>, new: Vec<u8> },
}

impl Staged {
    /// Makes a file that must not exist yet, in a directory that does.
    pub fn create(place: &Pinned, bytes: &[u8]) -> Result<Self, FileError> {
        let mut staged = Self::new("make", place);
        let made = filled(place.way(), 0o666, bytes).map_err(failed("make", place.path()))?;
        staged.named(made, place.way());
        Ok(staged)
    }

    /// Puts the bytes in place of what a file (no link) holds; all else about it stays.
    pub fn replace(place: &Pinned, bytes: &[u8]) -> Result<Self, FileError> {
        let failed = failed("write", place.path());
        let mut staged = Self::new("write", place);
        let old = regular("write", place)?;
        // changing names asks only the directory: without this a read-only file would be overwritten
        open_to_write(place.way()).map_err(&failed)?;
        staged.content(place.way(), (place.way(), &old), bytes).map_err(failed)?;
        Ok(staged)
    }

    /// Removes a file (no link).
    pub fn remove(place: &Pinned) -> Result<Self, FileError> {
        let mut staged = Self::new("remove", place);
        regular("remove", place)?;
        staged.away(place.way()).map_err(failed("remove", place.path()))?;
        Ok(staged)
    }

    /// Gives a file (no link) a name that must be free, in a directory that exists, and these bytes where they are others.
    pub fn rename(from: &Pinned, to: &Pinned, bytes: Option<&[u8]>) -> Result<Self, FileError> {
        let failed = failed("move", from.path());
        let old = regular("move", from)?;
        if bytes.is_some() {
            open_to_write(from.way()).map_err(&failed)?;
        }
        let mut staged = Self::new("move", from);
        staged.held.push(to.clone());
        let (from, to) = (from.way(), to.way());
        let directory = to.parent().unwrap_or(Path::new("/"));
        if fs::metadata(directory).map_err(&failed)?.dev() != old.dev() {
            staged.across((from, &old), to, bytes).map_err(failed)?;
            return Ok(staged);
        }
        staged.steps.push(Step::Rename { from: from.to_owned(), to: to.to_owned() });
        if let Some(bytes) = bytes {
            staged.content(to, (from, &old), bytes).map_err(failed)?;
        }
        Ok(staged)
    }

    fn new(verb: &'static str, place: &Pinned) -> Self {
        let (deed, held) = ((verb, place.path().to_owned()), vec![place.clone()]);
        Self { deed, steps: Vec::new(), done: 0, temps: Vec::new(), locks: Vec::new(), held }
    }

    /// The step that gives a temporary file its name.
    fn named(&mut self, (lock, temp): (File, TempPath), path: &Path) {
        self.steps.push(Step::Rename { from: temp.to_path_buf(), to: path.to_owned() });
        self.temps.push(temp);
        self.locks.push(lock);
    }

    /// The step that takes a file its name.
    fn away(&mut self, path: &Path) -> io::Result<()> {
        let aside = free_beside(path)?;
        self.steps.push(Step::Rename { from: path.to_owned(), to: aside.to_path_buf() });
        self.temps.push(aside);
        Ok(())
    }

    /// The step that gives the file at `path` new bytes; it is like `like`, and perhaps still has that name.
    fn content(&mut self, path: &Path, like: (&Path, &Metadata), bytes: &[u8]) -> io::Result<()> {
        let step = if let Some((lock, temp)) = twin(path, like, bytes)? {
            let step = Step::Swap { new: temp.to_path_buf(), old: path.to_owned() };
            self.temps.push(temp);
            self.locks.push(lock);
            step
        } else {
            Step::Overwrite { path: path.to_owned(), old: read(like.0)?, new: bytes.to_owned() }
        };
        self.steps.push(step);
        Ok(())
    }

    /// To another file system: a new file with the old one's mode and owner, and the old one goes.
    fn across(&mut self, from: (&Path, &Metadata), to: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
        let bytes = bytes.map_or_else(|| read(from.0), |bytes| Ok(bytes.to_owned()))?;
        let lost =
            || io::Error::new(io::ErrorKind::CrossesDevices, "its hard links or attributes would be lost");
        let made = twin(to, from, &bytes)?.ok_or_else(lost)?;
        self.named(made, to);
        self.away(from.0)
    }

    /// Brings the change into force. After an error [`Staged::put_back`] undoes what was done until then.
    pub fn commit(&mut self) -> Result<(), FileError> {
        let (verb, path) = &self.deed;
        for step in self.steps.iter_mut().skip(self.done) {
            step.take().map_err(failed(verb, path))?;
            self.done += 1;
        }
        Ok(())
    }

    /// Undoes what is done. After an error the temporary files stay: one of them may be the only copy.
    pub fn put_back(&mut self) -> Result<(), FileError> {
        while let Some(last) = self.done.checked_sub(1) {
            if let Err(error) = self.steps.get(last).map_or(Ok(()), Step::undo) {
                for temp in self.temps.drain(..) {
                    // there is nothing to keep where nothing lies
                    temp.keep().ok();
                }
                return Err(failed("restore", &self.deed.1)(error));
            }
            self.done = last;
        }
        Ok(())
    }
}

impl Step {
    fn take(&mut self) -> io::Result<()> {
        match self {
            Self::Rename { from, to } => rename_to_free(from, to),
            Self::Swap { new, old } => match swap(new, old) {
                Err(error) if is_unsupported(&error) => {
                    let bytes = read(old)?;
                    fs::rename(&*new, &*old)?;
                    *self = Self::Pushed { path: old.clone(), old: bytes };
                    Ok(())
                }
                swapped => swapped,
            },
            Self::Pushed { .. } => Ok(()),
            Self::Overwrite { path, new, .. } => overwrite(path, new),
        }
    }

    fn undo(&self) -> io::Result<()> {
        match self {
            Self::Rename { from, to } => rename_to_free(to, from),
            Self::Swap { new, old } => swap(new, old),
            Self::Pushed { path, old } => match twin(path, (path, &fs::metadata(path)?), old)? {
                Some((_lock, temp)) => temp.persist(path).map_err(|error| error.error),
                None => overwrite(path, old),
            },
            Self::Overwrite { path, old, .. } => overwrite(path, old),
        }
    }
}

fn regular(verb: &'static str, place: &Pinned) -> Result<Metadata, FileError> {
    let meta = place.metadata().map_err(failed(verb, place.path()))?;
    match kind_of(&meta) {
        Some(_) if meta.is_symlink() => Err(linked(place.path())),
        Some(kind) => Err(FileError::NotRegular { path: place.path().to_owned(), kind }),
        None => Ok(meta),
    }
}

/// What a file holds that is no link.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, _) = open_listed(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open_to_write(path)?;
    let size = file.metadata()?.len();
    write_in_place(&mut file, size, bytes)
}

/// Whether the file system, or the system, cannot rename in this way at all.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

#[cfg(target_os = "linux")]
fn rename(from: &Path, to: &Path, flags: rustix::fs::RenameFlags) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(rustix::fs::CWD, from, rustix::fs::CWD, to, flags)?)
}

#[cfg(target_os = "linux")]
fn swap(one: &Path, other: &Path) -> io::Result<()> {
    rename(one, other, rustix::fs::RenameFlags::EXCHANGE)
}

#[cfg(not(target_os = "linux"))]
fn swap(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Renames, but never over another file.
pub(super) fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    match rename(from, to, rustix::fs::RenameFlags::NOREPLACE) {
        Err(error) if is_unsupported(&error) => {}
        renamed => return renamed,
    }
    fs::hard_link(from, to)?;
    fs::remove_file(from)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn pin(path: &Path) -> Pinned {
        let directory = path.parent().unwrap().canonicalize().unwrap();
        Pinned::new(&directory.join(path.file_name().unwrap())).unwrap()
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    }

    /// A directory with these files, each with mode 0750 and an access time that a copy would not have.
    fn with(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in files {
            fs::write(dir.path().join(name), format!("old {name}")).unwrap();
            fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(0o750)).unwrap();
        }
        dir
    }

    fn identity(path: &Path) -> (u64, u32, Vec<u8>) {
        let meta = fs::metadata(path).unwrap();
        (meta.ino(), meta.mode() & 0o7777, fs::read(path).unwrap())
    }

    type Stage = fn(&Path) -> Result<Staged, FileError>;

    const CHANGES: [Stage; 6] = [
        |dir| Staged::create(&pin(&dir.join("new")), b"new"),
        |dir| Staged::replace(&pin(&dir.join("f")), b"new f"),
        |dir| Staged::remove(&pin(&dir.join("f"))),
        |dir| Staged::rename(&pin(&dir.join("f")), &pin(&dir.join("moved")), None),
        |dir| Staged::rename(&pin(&dir.join("f")), &pin(&dir.join("moved")), Some(b"new f")),
        |dir| {
            fs::hard_link(dir.join("f"), dir.join("link")).ok();
            Staged::replace(&pin(&dir.join("f")), b"longer than it was")
        },
    ];

    #[test]
    fn what_is_staged_is_not_there_until_it_is_committed() {
        for (number, stage) in CHANGES.iter().enumerate() {
            let dir = with(&["f"]);
            let before = identity(&dir.path().join("f"));
            drop(stage(dir.path()).unwrap());
            assert_eq!(identity(&dir.path().join("f")), before, "{number}");
            assert!(names(dir.path()).iter().all(|name| ["f", "link"].contains(&name.as_str())), "{number}");
        }
    }

    #[test]
    fn what_is_committed_stands_and_leaves_nothing_beside_it() {
        let check = |stage: Stage, expected: &[(&str, &str)]| {
            let dir = with(&["f"]);
            stage(dir.path()).unwrap().commit().unwrap();
            let held: Vec<_> = names(dir.path())
                .into_iter()
                .map(|name| (name.clone(), fs::read_to_string(dir.path().join(name)).unwrap()))
                .collect();
            let held: Vec<(&str, &str)> =
                held.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            assert_eq!(held, expected);
        };
        let [create, replace, remove, rename, change, linked] = CHANGES;
        check(create, &[("f", "old f"), ("new", "new")]);
        check(replace, &[("f", "new f")]);
        check(remove, &[]);
        check(rename, &[("moved", "old f")]);
        check(change, &[("moved", "new f")]);
        check(linked, &[("f", "longer than it was"), ("link", "longer than it was")]);
    }

    #[test]
    fn what_is_put_back_is_the_same_file_as_before() {
        for (number, stage) in CHANGES.iter().enumerate() {
            let dir = with(&["f"]);
            let before = identity(&dir.path().join("f"));
            let mut staged = stage(dir.path()).unwrap();
            staged.commit().unwrap();
            staged.put_back().unwrap();
            drop(staged);
            assert_eq!(identity(&dir.path().join("f")), before, "{number}");
            assert!(names(dir.path()).iter().all(|name| ["f", "link"].contains(&name.as_str())), "{number}");
        }
    }

    #[test]
    fn a_changed_file_keeps_its_mode_wherever_it_goes() {
        let dir = with(&["f", "g"]);
        let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().mode() & 0o7777;
        Staged::replace(&pin(&dir.path().join("f")), b"x").unwrap().commit().unwrap();
        Staged::rename(&pin(&dir.path().join("g")), &pin(&dir.path().join("h")), Some(b"x"))
            .unwrap()
            .commit()
            .unwrap();
        assert_eq!((mode("f"), mode("h")), (0o750, 0o750));
    }

    #[test]
    fn a_new_file_is_like_any_other_program_would_make_it() {
        let dir = with(&[]);
        Staged::create(&pin(&dir.path().join("ours")), b"x").unwrap().commit().unwrap();
        fs::write(dir.path().join("theirs"), "x").unwrap();
        let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().mode();
        assert_eq!(mode("ours"), mode("theirs"));
    }

    #[test]
    fn a_name_that_is_taken_by_then_is_not_taken_over() {
        for stage in [CHANGES[0], CHANGES[3], CHANGES[4]] {
            let dir = with(&["f"]);
            let mut staged = stage(dir.path()).unwrap();
            for name in ["new", "moved"] {
                fs::write(dir.path().join(name), "theirs").unwrap();
            }
            assert_eq!(staged.commit().unwrap_err().io_kind(), Some(io::ErrorKind::AlreadyExists));
            staged.put_back().unwrap();
            drop(staged);
            let held = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
            assert_eq!(
                (held("f"), held("new"), held("moved")),
                ("old f".into(), "theirs".into(), "theirs".into())
            );
        }
    }

    #[test]
    fn the_second_half_of_a_move_that_fails_takes_back_the_first() {
        let dir = with(&["f"]);
        let before = identity(&dir.path().join("f"));
        let mut staged =
            Staged::rename(&pin(&dir.path().join("f")), &pin(&dir.path().join("moved")), Some(b"x")).unwrap();
        let temp = names(dir.path()).into_iter().find(|name| name.starts_with(".clawd-")).unwrap();
        fs::remove_file(dir.path().join(temp)).unwrap();
        staged.commit().unwrap_err();
        assert_eq!(names(dir.path()), ["moved"]);
        staged.put_back().unwrap();
        assert_eq!((names(dir.path()), identity(&dir.path().join("f"))), (vec!["f".to_owned()], before));
    }

    #[test]
    fn what_cannot_be_put_back_is_not_thrown_away() {
        let dir = with(&["f"]);
        let mut staged = Staged::remove(&pin(&dir.path().join("f"))).unwrap();
        staged.commit().unwrap();
        fs::create_dir(dir.path().join("f")).unwrap();
        staged.put_back().unwrap_err();
        drop(staged);
        let kept = names(dir.path()).into_iter().find(|name| name.starts_with(".clawd-")).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join(kept)).unwrap(), "old f");
    }

    #[test]
    fn links_and_directories_are_not_staged() {
        let dir = with(&["f"]);
        std::os::unix::fs::symlink("f", dir.path().join("link")).unwrap();
        fs::create_dir(dir.path().join("dir")).unwrap();
        for name in ["link", "dir"] {
            let path = dir.path().join(name);
            Staged::replace(&pin(&path), b"x").unwrap_err();
            Staged::remove(&pin(&path)).unwrap_err();
            Staged::rename(&pin(&path), &pin(&dir.path().join("new")), None).unwrap_err();
        }
        assert_eq!(names(dir.path()), ["dir", "f", "link"]);
    }

    #[test]
    fn the_rest_of_a_crash_is_cleared_by_the_next_change() {
        let dir = with(&["f"]);
        let mut staged = Staged::remove(&pin(&dir.path().join("f"))).unwrap();
        staged.commit().unwrap();
        // a crash drops nothing
        staged.temps.drain(..).for_each(|temp| drop(temp.keep()));
        drop(staged);
        assert!(names(dir.path())[0].starts_with(".clawd-"));
        Staged::create(&pin(&dir.path().join("f")), b"x").unwrap().commit().unwrap();
        assert_eq!(names(dir.path()), ["f"]);
    }
}
