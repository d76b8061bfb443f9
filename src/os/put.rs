//! A place is made what it once was: a file with these bytes and this mode, a link, or nothing.
//!
//! Not a change of a file, which keeps all that it does not change (that is [`file`](super::file)), and no judge of what is lost:
//! who puts something back has looked at what stands there, and kept it. In one step each: the place holds what it held or what
//! it shall hold. A file that stays one keeps owner, hard links and attributes.
//!
//! The surprise: a file that may not be written is replaced all the same. Its mode is one of the things that are put back, so it
//! tells nothing of who may; its directory does. A directory, a pipe or a device is never replaced.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::file::{FileError, Kind, failed, filled, free_beside, kind_of, open_listed, open_to_write};
use super::file::{remove_rest, twin, write_in_place};
use super::pinned::Pinned;

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

/// A file with these bytes and these mode bits, in the place of a file, a link or nothing.
pub fn put_file(place: &Pinned, bytes: &[u8], mode: u32) -> Result<(), FileError> {
    let failed = failed("write", place.path());
    let permissions = Permissions::from_mode(mode & 0o7777);
    let way = place.way();
    let made = match there(place)? {
        There::Other(kind) => return Err(FileError::NotRegular { path: place.path().to_owned(), kind }),
        There::Nothing | There::Link(_) => Some(filled(way, 0o600, bytes).map_err(&failed)?),
        There::File(old) => match twin(way, (way, &old), bytes).map_err(&failed)? {
            Some(made) => Some(made),
            None => return overwrite(way, &old, bytes, permissions).map_err(failed),
        },
    };
    if let Some((file, temp)) = made {
        file.set_permissions(permissions).map_err(&failed)?;
        temp.persist(way).map_err(|error| failed(error.error))?;
    }
    Ok(())
}

/// A link that holds this path, in the place of a file, a link or nothing.
pub fn put_link(place: &Pinned, path: &[u8]) -> Result<(), FileError> {
    if let There::Other(kind) = there(place)? {
        return Err(FileError::NotRegular { path: place.path().to_owned(), kind });
    }
    let failed = failed("make", place.path());
    let temp = free_beside(place.way()).map_err(&failed)?;
    std::os::unix::fs::symlink(OsStr::from_bytes(path), &temp).map_err(&failed)?;
    temp.persist(place.way()).map_err(|error| failed(error.error))
}

/// These mode bits for the file that stands there, which is one that may be read.
pub fn put_mode(place: &Pinned, mode: u32) -> Result<(), FileError> {
    let failed = failed("write", place.path());
    let (file, _) = open_listed(place.way()).map_err(&failed)?;
    file.set_permissions(Permissions::from_mode(mode & 0o7777)).map_err(failed)
}

/// Nothing, in the place of a file or a link.
pub fn put_nothing(place: &Pinned) -> Result<(), FileError> {
    match there(place)? {
        There::Other(kind) => Err(FileError::NotRegular { path: place.path().to_owned(), kind }),
        There::Nothing => Ok(()),
        There::File(_) | There::Link(_) => {
            fs::remove_file(place.way()).map_err(failed("remove", place.path()))
        }
    }
}

/// Takes away what a crash has left beside this place, if anything.
pub fn clear_rest(place: &Pinned) {
    remove_rest(place.way());
}

/// How many of the directories right above this do not exist; where something else has such a name, there is none.
pub fn missing_above(path: &Path) -> usize {
    let is_missing = |directory: &&Path| match fs::symlink_metadata(directory) {
        Ok(meta) => !meta.is_dir(),
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    };
    path.ancestors().skip(1).take_while(is_missing).count()
}

/// A file that no other can stand for.
fn overwrite(way: &Path, old: &Metadata, bytes: &[u8], permissions: Permissions) -> io::Result<()> {
    let mut file = open_at_any_rate(way, old)?;
    write_in_place(&mut file, old.len(), bytes)?;
    file.set_permissions(permissions)
}

/// Opens a file for writing, also one whose owner has closed it to himself.
fn open_at_any_rate(way: &Path, old: &Metadata) -> io::Result<File> {
    match open_to_write(way) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let (file, _) = open_listed(way)?;
            file.set_permissions(Permissions::from_mode(old.mode() & 0o7777 | 0o200))?;
            open_to_write(way)
        }
        opened => opened,
    }
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
            put_file(&one.at("f"), b"was", 0o4751).unwrap();
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
    fn a_hard_link_stays_one_even_where_it_may_not_be_written() {
        let world = World::new();
        world.file("f", 0o444);
        fs::hard_link(world.root.join("f"), world.root.join("g")).unwrap();
        put_file(&world.at("f"), b"was longer", 0o640).unwrap();
        assert_eq!(world.is("g"), "640 was longer");
    }

    #[test]
    fn a_directory_and_a_pipe_are_left_alone() {
        let world = World::new();
        fs::create_dir(world.root.join("dir")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, world.root.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
        for name in ["dir", "pipe"] {
            let place = world.at(name);
            for refused in [put_file(&place, b"x", 0o644), put_link(&place, b"x"), put_nothing(&place)] {
                assert!(matches!(refused, Err(FileError::NotRegular { .. })), "{refused:?}");
            }
        }
        assert_eq!(
            (world.is("dir").as_str(), world.is("pipe").as_str(), world.names()),
            ("Directory", "Fifo", 2)
        );
    }

    #[test]
    fn a_mode_is_put_back_alone() {
        let world = World::new();
        world.file("f", 0o644);
        put_mode(&world.at("f"), 0o755).unwrap();
        assert_eq!(world.is("f"), "755 f");
    }
}
