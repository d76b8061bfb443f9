//! What is at a path, and by what it is known again.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::files::{Hasher, hash_of};
use super::plan::Hand;
use crate::os::file::{FileError, Kind};
use crate::os::paths::hex;
use crate::os::pinned::Pinned;
use crate::os::put::{There, open_own, there};
use crate::protocol::{After, SavedFile, SavedKind, Was};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Present {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// The hash of its bytes, in hex.
        hash: String,
        /// Its mode bits.
        mode: u32,
        /// By which it is known again.
        mark: Mark,
    },
    /// A link that holds this path.
    Link(Vec<u8>),
    /// A directory with these mode bits.
    Directory(u32),
    /// A pipe with these mode bits.
    Pipe(u32),
    /// It cannot be told: why.
    Untold(String),
}

/// What changes whenever a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub(super) inode: u64,
    pub(super) size: u64,
    pub(super) modified: (i64, i64),
    pub(super) changed: (i64, i64),
    /// How many names it has.
    pub(super) links: u64,
    /// When it was made, where the system says so.
    pub(super) born: Option<SystemTime>,
}

impl Present {
    /// What is at `path`.
    pub fn at(path: &Path) -> Self {
        let place = match Pinned::new(path) {
            Ok(place) => place,
            // no link is followed: what is reached through one is not what was here
            Err(error) if is_nowhere(&error) || is_below_link(&error) => return Self::Nothing,
            Err(error) => return Self::Untold(error.to_string()),
        };
        let mode = || place.metadata().map_or(0, |meta| meta.permissions().mode() & 0o7777);
        match there(&place) {
            Ok(There::Nothing) => Self::Nothing,
            Ok(There::Link(path)) => Self::Link(path),
            Ok(There::Other(Kind::Directory)) => Self::Directory(mode()),
            Ok(There::Other(Kind::Fifo)) => Self::Pipe(mode()),
            Ok(There::File(_) | There::Other(_)) => {
                Self::of_file(&place).unwrap_or_else(|error| Self::Untold(error.to_string()))
            }
            Err(error) => Self::Untold(error.to_string()),
        }
    }

    fn of_file(place: &Pinned) -> Result<Self, FileError> {
        let (file, meta) = open_own(place)?;
        let failed = |source| FileError::Io { verb: "read", path: place.path().to_owned(), source };
        let hash = hash_file(file).map_err(failed)?;
        Ok(Self::File { hash, mode: meta.permissions().mode() & 0o7777, mark: Mark::of(&meta) })
    }

    /// The hash of what is there, if anything is.
    pub(super) fn hash(&self) -> Option<String> {
        match self {
            Self::File { hash, .. } => Some(hash.clone()),
            Self::Link(path) => Some(hex(&hash_of(path))),
            Self::Directory(_) | Self::Pipe(_) => Some(SavedFile::NO_HASH.to_owned()),
            Self::Nothing | Self::Untold(_) => None,
        }
    }

    pub(super) fn is(&self, wanted: &SavedFile) -> bool {
        let (kind, has_mode) = (wanted.kind(), |mode: u32| wanted.bits().is_none_or(|bits| bits == mode));
        match (self, wanted.was()) {
            (Self::Nothing, Was::Nothing) => true,
            (Self::Link(_), Was::Bytes(before)) => {
                kind == SavedKind::Link && self.hash().is_some_and(|hash| hash == before)
            }
            (Self::File { hash, mode, .. }, Was::Bytes(before)) => {
                kind == SavedKind::File && hash == before && has_mode(*mode)
            }
            (Self::Directory(mode), Was::Bytes(_)) => kind == SavedKind::Directory && has_mode(*mode),
            (Self::Pipe(mode), Was::Bytes(_)) => kind == SavedKind::Pipe && has_mode(*mode),
            _ => false,
        }
    }

    /// Whether `last`, the newest change that is known, has left it so, or has not come about.
    pub(super) fn hand(&self, last: &SavedFile) -> Hand {
        let after = match &last.after {
            After::Unknown => return Hand::Session,
            After::Nothing => None,
            After::Bytes(hash) => Some(hash),
        };
        let found = match self {
            Self::Nothing | Self::File { .. } | Self::Link(_) | Self::Directory(_) | Self::Pipe(_) => {
                self.hash()
            }
            Self::Untold(_) => return Hand::Other,
        };
        if found.as_ref() == after || found == last.before { Hand::Session } else { Hand::Other }
    }
}

impl Mark {
    /// When its bytes were written.
    pub(super) fn modified(&self) -> SystemTime {
        let (seconds, nanoseconds) = self.modified;
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let time = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
        let part = Duration::from_nanos(nanoseconds.unsigned_abs());
        time.and_then(|time| time.checked_add(part)).unwrap_or(UNIX_EPOCH)
    }

    pub(super) fn of(meta: &Metadata) -> Self {
        let (modified, changed) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
        Self {
            inode: meta.ino(),
            size: meta.len(),
            modified,
            changed,
            links: meta.nlink(),
            born: meta.created().ok(),
        }
    }
}

/// Whether there is no such directory.
pub(super) fn is_nowhere(error: &FileError) -> bool {
    matches!(error.io_kind(), Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

/// Whether a directory above the file is a link.
pub(super) fn is_below_link(error: &FileError) -> bool {
    matches!(error, FileError::Relinked { .. } | FileError::Circle { .. })
}

fn hash_file(mut file: File) -> io::Result<String> {
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = io::Read::read(&mut file, &mut buffer)?;
        match buffer.get(..count) {
            Some(read) if !read.is_empty() => hasher.update(read),
            _ => return Ok(hex(&hasher.hash())),
        }
    }
}
