//! Puts a file back at its path: with these bytes and this mode, a link, a pipe, a directory, or nothing.
//!
//! Not a change of a file, which keeps all that it does not change (that is [`file`](super::file)), and no judge of what is lost:
//! the caller has looked at what is there, and saved it. Each is one step: the path has what it had or what it should have.
//!
//! A file is replaced by a new one, so that no other name of it changes; only one that is known to have had its other names
//! before is written itself. The surprise: a file that may not be written is replaced all the same. Its mode is one of
//! the things that are put back, so its directory decides. A directory, a socket or a device is never replaced.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempPath;

use super::attributes::{drop_access_list, has_attributes, is_mount_point};
use super::file::{FileError, Kind, failed, filled, free_beside, kind_of, open_listed};
use super::file::{open_to_write, remove_rest, same_owner, write_in_place};
use super::pinned::Pinned;
use super::stage::rename_to_free;

/// The grain of the clock by which the kernel notes times: 10 ms at most on Linux.
const GRAIN_MS: u64 = 20;

/// What stands at a place.
#[derive(Debug)]
pub enum There {
    /// Nothing.
    Nothing,
    /// A regular file.
    File(Metadata),
    /// A symbolic link, with the path that it holds.
    Link(Vec<u8>),
    /// Something else.
    Other(Kind),
}

/// What stands there now.
pub fn there(place: &Pinned) -> Result<There, FileError> {
    let failed = failed("look at", place.path());
    let meta = match place.metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(There::Nothing),
        Err(error) => return Err(failed(error)),
    };
    if meta.is_symlink() {
        let path = fs::read_link(place.way()).map_err(failed)?;
        return Ok(There::Link(path.into_os_string().into_vec()));
    }
    Ok(kind_of(&meta).map_or(There::File(meta), There::Other))
}

/// Puts a file with these bytes and mode bits in place of a file, a link, a pipe or nothing. A file with the inode `linked` that
/// has other names is written itself, and so changes under all of them.
pub fn put_file(place: &Pinned, bytes: &[u8], mode: u32, linked: Option<u64>) -> Result<(), FileError> {
    let failed = failed("write", place.path());
    let permissions = Permissions::from_mode(mode & 0o7777);
    let way = place.way();
    let made = match replaceable(place)? {
        There::File(old) => {
            let is_shared = old.nlink() > 1;
            let made = match linked {
                Some(inode) if is_shared && old.ino() == inode => None,
                _ => replacement(way, &old, bytes).map_err(&failed)?,
            };
            match made {
                None if !is_shared || linked == Some(old.ino()) => {
                    return overwrite(way, &old, bytes, permissions).map_err(failed);
                }
                made => made,
            }
        }
        There::Nothing | There::Link(_) | There::Other(_) => None,
    };
    let (file, temp) = match made {
        Some(made) => made,
        None => filled(way, 0o600, bytes).map_err(&failed)?,
    };
    // the mode says who may read it, not the list of the directory
    drop_access_list(&file);
    file.set_permissions(permissions).map_err(&failed)?;
    temp.persist(way).map_err(|error| failed(error.error))
}

/// Puts a link that holds this path in place of a file, a link, a pipe or nothing.
pub fn put_link(place: &Pinned, path: &[u8]) -> Result<(), FileError> {
    replaceable(place)?;
    let failed = failed("make", place.path());
    let temp = free_beside(place.way()).map_err(&failed)?;
    std::os::unix::fs::symlink(OsStr::from_bytes(path), &temp).map_err(&failed)?;
    temp.persist(place.way()).map_err(|error| failed(error.error))
}

/// Puts a pipe with these mode bits in place of a file, a link, a pipe or nothing.
pub fn put_pipe(place: &Pinned, mode: u32) -> Result<(), FileError> {
    replaceable(place)?;
    let failed = failed("make", place.path());
    let temp = free_beside(place.way()).map_err(&failed)?;
    make_pipe(&temp).map_err(&failed)?;
    fs::set_permissions(&temp, Permissions::from_mode(mode & 0o7777)).map_err(&failed)?;
    temp.persist(place.way()).map_err(|error| failed(error.error))
}

/// Makes the directory if there is none, and gives it these mode bits.
pub fn put_directory(place: &Pinned, mode: u32) -> Result<(), FileError> {
    let failed = failed("make", place.path());
    match there(place)? {
        There::Other(Kind::Directory) => {}
        There::Nothing => fs::create_dir(place.way()).map_err(&failed)?,
        There::File(_) | There::Link(_) | There::Other(_) => {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
    }
    fs::set_permissions(place.way(), Permissions::from_mode(mode & 0o7777)).map_err(failed)
}

/// Gives the file that is there these mode bits.
pub fn put_mode(place: &Pinned, mode: u32) -> Result<(), FileError> {
    set_mode(place.way(), mode).map_err(failed("write", place.path()))
}

/// Opens a file for reading; one that its mode closes to its owner is readable for that moment.
pub fn open_own(place: &Pinned) -> Result<(File, Metadata), FileError> {
    match place.open() {
        Err(error) if error.io_kind() == Some(io::ErrorKind::PermissionDenied) => {
            let failed = failed("read", place.path());
            let open = |way: &Path| Ok(open_listed(way)?.0);
            let file = open_with(place.way(), 0o400, open).map_err(&failed)?;
            let meta = file.metadata().map_err(failed)?;
            Ok((file, meta))
        }
        opened => opened,
    }
}

/// Removes a file, a link or a pipe.
pub fn put_nothing(place: &Pinned) -> Result<(), FileError> {
    match replaceable(place)? {
        There::Nothing => Ok(()),
        There::File(_) | There::Link(_) | There::Other(_) => {
            fs::remove_file(place.way()).map_err(failed("remove", place.path()))
        }
    }
}

/// Moves what is at one place to another where nothing is, within one file system.
pub fn put_moved(from: &Pinned, to: &Pinned) -> Result<(), FileError> {
    rename_to_free(from.way(), to.way()).map_err(failed("move", from.path()))
}

/// What is there, if it may be replaced.
fn replaceable(place: &Pinned) -> Result<There, FileError> {
    match there(place)? {
        There::Other(kind @ (Kind::Directory | Kind::Socket | Kind::Device | Kind::Proc)) => {
            Err(FileError::NotRegular { path: place.path().to_owned(), kind })
        }
        found @ (There::Nothing | There::File(_) | There::Link(_) | There::Other(Kind::Fifo)) => Ok(found),
    }
}

#[cfg(target_os = "linux")]
fn make_pipe(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, Mode, mkfifoat};
    Ok(mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR)?)
}

#[cfg(not(target_os = "linux"))]
fn make_pipe(_path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Takes away what a crash has left beside this place, if anything.
pub fn clear_rest(place: &Pinned) {
    remove_rest(place.way());
}

/// Whether what is there was made at this time (milliseconds since 1970) or later, bytes and all: not moved here, nor copied with its
/// time. Where the system does not say when a file was made, the time of its bytes decides.
pub fn is_new(place: &Pinned, since: u64) -> bool {
    let Ok(meta) = place.metadata() else { return false };
    meta.modified().is_ok_and(|time| is_since(time, since))
        && meta.created().map_or(true, |time| is_since(time, since))
}

/// Whether a file's time is `since` (milliseconds since 1970) or later.
pub fn is_since(time: SystemTime, since: u64) -> bool {
    // a file's times come from a clock that is some milliseconds behind
    time >= UNIX_EPOCH + Duration::from_millis(since.saturating_sub(GRAIN_MS))
}

/// How many of the directories right above this do not exist; where something else has such a name, there is none.
pub fn missing_above(path: &Path) -> usize {
    let is_missing = |directory: &&Path| match fs::symlink_metadata(directory) {
        Ok(meta) => !meta.is_dir(),
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    };
    path.ancestors().skip(1).take_while(is_missing).count()
}

/// A temporary file with these bytes and the owner of the old one; none where it would lack something of that.
fn replacement(way: &Path, old: &Metadata, bytes: &[u8]) -> io::Result<Option<(File, TempPath)>> {
    if has_attributes(way) || is_mount_point(way) {
        return Ok(None);
    }
    let made = match filled(way, 0o600, bytes) {
        // the directory is closed to us, the file is not
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        made => made?,
    };
    Ok(if same_owner(&made.0, old)? { Some(made) } else { None })
}

/// Writes the file itself.
fn overwrite(way: &Path, old: &Metadata, bytes: &[u8], permissions: Permissions) -> io::Result<()> {
    let mut file = match open_to_write(way) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_with(way, 0o200, open_to_write)?
        }
        opened => opened?,
    };
    write_in_place(&mut file, old.len(), bytes)?;
    file.set_permissions(permissions)
}

/// Opens a file that its mode closes to its owner: these bits are added to the mode for that moment.
fn open_with(way: &Path, bits: u32, open: impl Fn(&Path) -> io::Result<File>) -> io::Result<File> {
    let meta = fs::symlink_metadata(way)?;
    if !meta.is_file() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    set_mode(way, meta.mode() | bits)?;
    let opened = open(way);
    set_mode(way, meta.mode())?;
    opened
}

/// Gives a file these mode bits; no link is followed.
#[cfg(target_os = "linux")]
fn set_mode(way: &Path, mode: u32) -> io::Result<()> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::os::fd::AsRawFd;

    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = openat(CWD, way, flags, Mode::empty())?;
    let path = format!("/proc/self/fd/{}", held.as_raw_fd());
    fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))
}

/// Gives a file these mode bits.
#[cfg(not(target_os = "linux"))]
fn set_mode(way: &Path, mode: u32) -> io::Result<()> {
    let (file, _) = open_listed(way)?;
    file.set_permissions(Permissions::from_mode(mode & 0o7777))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    struct World {
        _dir: tempfile::TempDir,
        root: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap();
            Self { _dir: dir, root }
        }

        fn at(&self, name: &str) -> Pinned {
            Pinned::new(&self.root.join(name)).unwrap()
        }

        fn file(&self, name: &str, mode: u32) {
            let path = self.root.join(name);
            fs::write(&path, name).unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }

        /// Kind, mode and content.
        fn is(&self, name: &str) -> String {
            match there(&self.at(name)).unwrap() {
                There::Nothing => "nothing".to_owned(),
                There::File(meta) => {
                    let path = self.root.join(name);
                    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
                    format!("{:o} {}", meta.mode() & 0o7777, fs::read_to_string(path).unwrap())
                }
                There::Link(path) => format!("-> {}", String::from_utf8(path).unwrap()),
                There::Other(kind) => format!("{kind:?}"),
            }
        }

        fn names(&self) -> usize {
            fs::read_dir(&self.root).unwrap().count()
        }
    }

    #[test]
    fn whatever_file_or_link_stands_there_it_becomes_what_it_shall_be() {
        type Make = fn(&World);
        let stands: [Make; 6] = [
            |_| {},
            |world| world.file("f", 0o644),
            |world| world.file("f", 0o444),
            |world| world.file("f", 0),
            |world| symlink("nowhere", world.root.join("f")).unwrap(),
            |world| {
                world.file("other", 0o600);
                symlink("other", world.root.join("f")).unwrap();
            },
        ];
        for (number, make) in stands.into_iter().enumerate() {
            let world = || {
                let world = World::new();
                make(&world);
                let others = world.names() - usize::from(number > 0);
                (world, others)
            };
            let (one, others) = world();
            put_file(&one.at("f"), b"was", 0o4751, None).unwrap();
            assert_eq!((one.is("f").as_str(), one.names()), ("4751 was", others + 1), "{number}");
            let (one, others) = world();
            put_link(&one.at("f"), b"a/b").unwrap();
            assert_eq!((one.is("f").as_str(), one.names()), ("-> a/b", others + 1), "{number}");
            let (one, others) = world();
            put_nothing(&one.at("f")).unwrap();
            assert_eq!((one.is("f").as_str(), one.names()), ("nothing", others), "{number}");
            assert!(others == 0 || one.is("other") == "600 other", "the link was not followed");
        }
    }

    #[test]
    fn another_name_of_a_file_changes_only_where_it_was_one_before() {
        let check = |was_linked: bool, expected: &str| {
            let world = World::new();
            world.file("f", 0o444);
            fs::hard_link(world.root.join("f"), world.root.join("g")).unwrap();
            let inode = fs::metadata(world.root.join("f")).unwrap().ino();
            let linked = if was_linked { inode } else { inode + 1 };
            put_file(&world.at("f"), b"was longer", 0o640, Some(linked)).unwrap();
            assert_eq!((world.is("g").as_str(), world.names()), (expected, 2));
            assert_eq!(world.is("f").split_once(' ').unwrap().1, "was longer");
        };
        check(true, "640 was longer");
        check(false, "444 f");
    }

    #[test]
    fn a_pipe_is_replaced_and_a_directory_is_left_alone() {
        let world = World::new();
        fs::create_dir(world.root.join("dir")).unwrap();
        let place = world.at("dir");
        for refused in [put_file(&place, b"x", 0o644, None), put_link(&place, b"x"), put_nothing(&place)] {
            assert!(matches!(refused, Err(FileError::NotRegular { .. })), "{refused:?}");
        }
        let pipe = world.at("pipe");
        put_pipe(&pipe, 0o640).unwrap();
        assert_eq!(
            (world.is("dir").as_str(), world.is("pipe").as_str(), world.names()),
            ("Directory", "Fifo", 2)
        );
        assert_eq!(pipe.metadata().unwrap().mode() & 0o7777, 0o640);
        put_file(&pipe, b"x", 0o644, None).unwrap();
        assert_eq!(world.is("pipe"), "644 x");
        put_pipe(&pipe, 0o600).unwrap();
        put_nothing(&pipe).unwrap();
        assert_eq!((world.is("pipe").as_str(), world.names()), ("nothing", 1));
    }

    #[test]
    fn a_directory_is_made_and_gets_its_mode_and_nothing_is_moved_over_something() {
        let world = World::new();
        put_directory(&world.at("dir"), 0o750).unwrap();
        put_directory(&world.at("dir"), 0o700).unwrap();
        assert_eq!(world.at("dir").metadata().unwrap().mode() & 0o7777, 0o700);
        world.file("f", 0o644);
        put_directory(&world.at("f"), 0o700).unwrap_err();
        put_moved(&world.at("dir"), &world.at("f")).unwrap_err();
        put_moved(&world.at("f"), &world.at("dir")).unwrap_err();
        put_moved(&world.at("dir"), &world.at("other")).unwrap();
        put_moved(&world.at("f"), &world.at("other/f")).unwrap();
        assert_eq!((world.is("other/f").as_str(), world.names()), ("644 f", 1));
    }

    #[test]
    fn a_mode_is_put_back_alone() {
        let world = World::new();
        world.file("f", 0o644);
        put_mode(&world.at("f"), 0o755).unwrap();
        assert_eq!(world.is("f"), "755 f");
    }
}
