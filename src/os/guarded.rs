//! Files that the user rules by: read only where nobody else can have written them.
//!
//! Not a matter of secrecy, as [`private_file`](super::paths::private_file) is: such a file may be read by anybody. The surprise:
//! what the user writes and what the program keeps of the user's yes are held to two measures. A text from an editor is
//! often writable by the user's own group, may be root's, and root may work on another's. What the program has made itself
//! was never any of that, so root gets no exception: somebody with fewer rights has written it.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::file::{FileError, open_regular, read_opened};

/// Who writes a file as long as all is well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user, with an editor.
    User,
    /// This program alone.
    Program,
}

/// The whole of a regular file of at most `max` bytes that nobody but its author can have written. It may be a link.
pub fn read_own(path: &Path, max: u64, author: Author) -> Result<Vec<u8>, FileError> {
    read_opened(open_own(path, author)?, path, max)
}

/// Opens such a file for reading and says what it is.
pub fn open_own(path: &Path, author: Author) -> Result<(File, Metadata), FileError> {
    let (file, meta) = open_regular(path)?;
    match author.stranger(meta.uid(), meta.mode(), rustix::process::geteuid().as_raw()) {
        Some(why) => Err(FileError::Untrusted { path: path.to_owned(), why }),
        None => Ok((file, meta)),
    }
}

impl Author {
    /// Why somebody else than `me` could have written a file of this owner and mode.
    fn stranger(self, owner: u32, mode: u32, me: u32) -> Option<&'static str> {
        match self {
            Self::User if mode & 0o002 != 0 => Some("anyone can write it (try chmod o-w)"),
            Self::User => (owner != me && owner != 0 && me != 0)
                .then_some("it belongs to another user (try chown, or your own copy)"),
            Self::Program if owner != me => Some("it belongs to another user (try removing it)"),
            Self::Program => (mode & 0o022 != 0).then_some("others can write it (try removing it)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_somebody_else_could_have_written_is_not_used() {
        let check = |author: Author, (owner, mode, me), expected: Option<&str>| {
            let why = author.stranger(owner, mode, me);
            assert_eq!(why.is_some(), expected.is_some(), "{author:?} {owner} {mode:o} {me}: {why:?}");
            assert!(why.unwrap_or_default().contains(expected.unwrap_or_default()), "{why:?}");
        };
        check(Author::User, (7, 0o100_644, 7), None);
        check(Author::User, (7, 0o100_664, 7), None);
        check(Author::User, (0, 0o100_644, 7), None);
        check(Author::User, (7, 0o100_644, 0), None);
        check(Author::User, (8, 0o100_600, 7), Some("another user"));
        check(Author::User, (7, 0o100_666, 7), Some("anyone can write it"));
        check(Author::User, (0, 0o100_602, 0), Some("anyone can write it"));
        check(Author::Program, (7, 0o100_600, 7), None);
        check(Author::Program, (7, 0o100_644, 7), None);
        check(Author::Program, (7, 0o100_664, 7), Some("others can write it"));
        check(Author::Program, (7, 0o100_602, 7), Some("others can write it"));
        check(Author::Program, (0, 0o100_600, 7), Some("another user"));
        check(Author::Program, (7, 0o100_600, 0), Some("another user"));
    }

    #[test]
    fn the_mode_on_disk_decides() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "x").unwrap();
        let read = |mode, author| {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            read_own(&path, 1, author).map_err(|error| error.to_string())
        };
        for author in [Author::User, Author::Program] {
            assert_eq!(read(0o600, author).unwrap(), b"x");
            let error = read(0o666, author).unwrap_err();
            assert!(error.starts_with("cannot trust ") && error.contains("/f: "), "{error}");
        }
        assert!(read(0o664, Author::User).is_ok() && read(0o664, Author::Program).is_err());
    }
}
