//! The session's own directory on disk: the private `/tmp`, and what its commands write to the caches of tools.
//!
//! `tmp` is one for all commands: what one leaves the next one finds. The layers of the caches are not: two overlays must
//! not share one, and two commands may run at once. So there are *slots*, numbered directories each under a lock, and a
//! command takes the first that is free; one after the other they all use slot 0 and find there what they downloaded.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::super::plan::Profile;
use super::{Failure, Named};

/// More commands than this at once have caches that end with them.
const SLOTS: usize = 16;

/// Two directories of an overlay on one disk.
pub(super) struct Layers {
    /// What was written.
    pub(super) upper: PathBuf,
    /// The kernel's own workshop.
    pub(super) work: PathBuf,
}

/// What of it one command uses.
pub(super) struct Scratch {
    pub(super) tmp: PathBuf,
    slot: Option<Slot>,
}

struct Slot {
    path: PathBuf,
    /// Held as long as anything lives inside, for the first process there inherits it.
    _lock: File,
}

impl Scratch {
    /// The parts that the profile asks for; `None` where it names no such directory.
    pub(super) fn prepare(profile: &Profile) -> Result<Option<Self>, Failure> {
        let Some(root) = &profile.scratch else { return Ok(None) };
        let prepare = || {
            let tmp = root.join("tmp");
            if make_private(&tmp)? {
                // as `/tmp` is everywhere; who may enter at all is decided a floor above
                fs::set_permissions(&tmp, Permissions::from_mode(0o1777))?;
            }
            let slot = if profile.caches.is_empty() { None } else { take_slot(&root.join("caches"))? };
            Ok::<_, io::Error>(Self { tmp, slot })
        };
        prepare().map(Some).named(format_args!("the directory {}", root.display()))
    }

    /// Where what is written to a cache goes; `None` if all slots are taken.
    pub(super) fn layers(&self, cache: &Path) -> io::Result<Option<Layers>> {
        let Some(slot) = &self.slot else { return Ok(None) };
        let place = slot.path.join(name_of(cache));
        let layers = Layers { upper: place.join("upper"), work: place.join("work") };
        make_private(&place)?;
        make_private(&layers.upper)?;
        make_private(&layers.work)?;
        Ok(Some(layers))
    }
}

/// Removes all of it. What commands and the kernel made there may be closed to its owner, and has to be opened first.
pub(super) fn remove(root: &Path) -> io::Result<()> {
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        fs::set_permissions(&directory, Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            // of a link it says that it is one
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(root)
}

/// The first slot that nobody uses; `None` where there is none, or where none can be held.
fn take_slot(caches: &Path) -> io::Result<Option<Slot>> {
    make_private(caches)?;
    for number in 0..SLOTS {
        let path = caches.join(number.to_string());
        make_private(&path)?;
        // not held for writing: what is may not be made read-only, and this may be done within the view's own mounts
        let name = path.join("lock");
        drop(File::create(&name)?);
        let lock = File::open(&name)?;
        match answer(flock(&lock, FlockOperation::NonBlockingLockExclusive))? {
            Answer::Ours => return Ok(Some(Slot { path, _lock: lock })),
            Answer::Anothers => {}
            Answer::NoLocks => return Ok(None),
        }
    }
    Ok(None)
}

/// Whose a lock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Ours,
    Anothers,
    /// There are none on this disk.
    NoLocks,
}

/// On a disk of the network a lock of one's own is to be had only for writing (flock(2), NFS: `EBADF`), or not at all.
/// Nothing is lost there: such a disk can hold no layers of an overlay either.
fn answer(locked: Result<(), Errno>) -> io::Result<Answer> {
    match locked {
        Ok(()) => Ok(Answer::Ours),
        Err(Errno::WOULDBLOCK) => Ok(Answer::Anothers),
        Err(Errno::BADF | Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(Answer::NoLocks),
        Err(error) => Err(error.into()),
    }
}

/// Makes a directory if it is not there, and tells whether it was not.
fn make_private(path: &Path) -> io::Result<bool> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// A path as the name of one file, another for each.
fn name_of(path: &Path) -> PathBuf {
    let mut name = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' => name.extend(b"%2f"),
            b'%' => name.extend(b"%25"),
            other => name.push(*other),
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_closed_to_its_owner_is_removed_too() {
        let dir = tempfile::tempdir().unwrap();
        let (root, kept) = (dir.path().join("scratch"), dir.path().join("kept"));
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(&kept, "").unwrap();
        std::os::unix::fs::symlink(dir.path(), root.join("a/link")).unwrap();
        for (path, mode) in [("a/b", 0o000), ("a", 0o555)] {
            fs::set_permissions(root.join(path), Permissions::from_mode(mode)).unwrap();
        }
        remove(&root).unwrap();
        assert!(!root.exists() && kept.exists());
    }

    #[test]
    fn a_disk_without_such_locks_has_no_slots_and_stops_no_command() {
        for (locked, expected) in [
            (Ok(()), Answer::Ours),
            (Err(Errno::WOULDBLOCK), Answer::Anothers),
            (Err(Errno::BADF), Answer::NoLocks),
            (Err(Errno::NOLCK), Answer::NoLocks),
            (Err(Errno::OPNOTSUPP), Answer::NoLocks),
        ] {
            assert_eq!(answer(locked).unwrap(), expected, "{locked:?}");
        }
        assert!(answer(Err(Errno::IO)).is_err());
    }

    #[test]
    fn each_cache_has_a_name_of_its_own() {
        for (path, expected) in [("/home/u/.cargo", "%2fhome%2fu%2f.cargo"), ("/a%2fb", "%2fa%252fb")] {
            assert_eq!(name_of(Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn commands_at_once_have_slots_of_their_own_and_one_after_the_other_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let profile =
            Profile { caches: vec!["/c".into()], scratch: Some(dir.path().to_owned()), ..Profile::default() };
        let take = || Scratch::prepare(&profile).unwrap().unwrap();
        let upper = |scratch: &Scratch| scratch.layers(Path::new("/c")).unwrap().unwrap().upper;
        let (first, second) = (take(), take());
        assert_ne!(upper(&first), upper(&second));
        let was = upper(&first);
        drop(first);
        assert_eq!(upper(&take()), was);
        let mode = fs::metadata(&take().tmp).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o1777);
    }
}
