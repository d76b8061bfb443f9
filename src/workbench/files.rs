//! What the model knows of files: a stamp of each that was read or written in this session, and one lock for each that
//! is being changed.
//!
//! Paths here are resolved ones, so that a file is the same file under every name. The content's hash is compared, not
//! times: a change within the clock's resolution would be missed, and `touch` would count as one. Only files too large to
//! hash are compared by size, change time and inode.
//!
//! What an earlier process knew is found out on a thread of its own, for it means a look at hundreds of files; who asks for a file
//! meanwhile waits until that is done.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use tokio::sync::OwnedMutexGuard;

/// Larger files are not read to their end: 64 MiB are read and hashed in some fifty milliseconds.
pub const MOST_HASHED: u64 = 64 * 1024 * 1024;

/// What tells contents apart: BLAKE3, as no two contents share one that anybody could find, and as ten megabytes take it two
/// milliseconds where SHA-256 takes seven. A file is hashed before and after each change.
pub type Hash = [u8; 32];

/// The hash of these bytes.
pub fn hash_of(bytes: &[u8]) -> Hash {
    blake3::hash(bytes).into()
}

/// Makes the hash of what comes in pieces.
#[derive(Debug, Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    /// The next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The hash of all pieces until now.
    pub fn hash(&self) -> Hash {
        self.0.finalize().into()
    }
}

/// What a file held when it was seen; equal stamps mean the same content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// The hash of its bytes.
    Content(Hash),
    /// Of a file over [`MOST_HASHED`]: what the directory says of it.
    Outside {
        /// In bytes.
        size: u64,
        /// When it was changed last (ctime), in seconds and nanoseconds: no program can set it back.
        changed: (i64, i64),
        /// The file's number.
        inode: u64,
    },
}

impl Stamp {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::Content(hash_of(bytes))
    }

    /// Of bytes that were hashed as they were read.
    pub fn hashed(hasher: &Hasher) -> Self {
        Self::Content(hasher.hash())
    }

    /// Of an open file: reads it to its end unless it is too large.
    pub fn of_file(mut file: File, meta: &Metadata) -> io::Result<Self> {
        if meta.len() > MOST_HASHED {
            return Ok(Self::outside(meta));
        }
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = file.read(&mut buffer)?;
            if count == 0 {
                return Ok(Self::hashed(&hasher));
            }
            hasher.update(buffer.get(..count).unwrap_or_default());
        }
    }

    /// By what the directory says.
    pub fn outside(meta: &Metadata) -> Self {
        Self::Outside { size: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()), inode: meta.ino() }
    }
}

/// What a file held, with its hash: a large file is hashed once, and not by everybody who wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    bytes: Vec<u8>,
    hash: Hash,
}

impl Image {
    /// Of these bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        let hash = hash_of(&bytes);
        Self { bytes, hash }
    }

    /// Of these bytes and their hash, for whoever makes that beside other work.
    pub fn hashed(bytes: Vec<u8>, hash: Hash) -> Self {
        Self { bytes, hash }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes alone.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The hash of the bytes.
    pub fn hash(&self) -> &Hash {
        &self.hash
    }

    /// The stamp of a file that holds this.
    pub fn stamp(&self) -> Stamp {
        Stamp::Content(self.hash)
    }
}

/// Why a file must be read before it is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stale {
    /// It was never read in this session.
    #[error("it has not been read in this session (try Read first)")]
    Unread,
    /// It holds something else than when it was read.
    #[error("it has changed since it was read (try Read again)")]
    Changed,
}

type Recalled = Vec<(PathBuf, Stamp)>;

/// The files that the model knows.
#[derive(Debug, Default)]
pub struct Files {
    seen: Mutex<HashMap<PathBuf, Stamp>>,
    /// Finds out what was known before.
    recalling: Mutex<Option<JoinHandle<Recalled>>>,
    locks: Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>,
}

impl Files {
    /// The model has seen (any part of) the file, or has written it.
    pub fn note(&self, path: &Path, stamp: Stamp) {
        self.seen().insert(path.to_owned(), stamp);
    }

    /// The model has seen what `find` gives. Where there is no thread for it nothing is known, and files are read again.
    pub fn recall(&self, find: impl FnOnce() -> Vec<(PathBuf, Stamp)> + Send + 'static) {
        drop(self.seen());
        *guard(&self.recalling) = Builder::new().name("recall".to_owned()).spawn(find).ok();
    }

    /// What the file held when the model saw it last.
    pub fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.seen().get(path).cloned()
    }

    /// Whether the model has seen any of the file.
    pub fn knows(&self, path: &Path) -> bool {
        self.seen().contains_key(path)
    }

    /// Whether the file, as it is `now`, is the one that the model knows.
    pub fn check(&self, path: &Path, now: &Stamp) -> Result<(), Stale> {
        match self.seen().get(path) {
            None => Err(Stale::Unread),
            Some(seen) if seen == now => Ok(()),
            Some(_) => Err(Stale::Changed),
        }
    }

    /// Nothing is known any more: the conversation in which it was is another one now.
    pub fn forget(&self) {
        *guard(&self.recalling) = None;
        guard(&self.seen).clear();
    }

    /// All that is known, once all of it is.
    fn seen(&self) -> MutexGuard<'_, HashMap<PathBuf, Stamp>> {
        let mut recalling = guard(&self.recalling);
        let mut seen = guard(&self.seen);
        if let Some(recalling) = recalling.take() {
            seen.extend(recalling.join().unwrap_or_default());
        }
        seen
    }

    /// Waits until nobody else changes the file; it stays locked while the guard lives.
    pub async fn lock(&self, path: &Path) -> OwnedMutexGuard<()> {
        let lock = Arc::clone(guard(&self.locks).entry(path.to_owned()).or_default());
        lock.lock_owned().await
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_file_is_known_by_its_content() {
        let files = Files::default();
        let path = Path::new("/w/a");
        assert_eq!(files.check(path, &Stamp::of(b"x")), Err(Stale::Unread));
        files.note(path, Stamp::of(b"x"));
        assert_eq!(files.check(path, &Stamp::of(b"x")), Ok(()));
        assert_eq!(files.check(path, &Stamp::of(b"y")), Err(Stale::Changed));
        assert_eq!(files.check(Path::new("/w/b"), &Stamp::of(b"x")), Err(Stale::Unread));
    }

    #[test]
    fn a_file_on_disk_has_the_stamp_of_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let bytes = vec![7; 200_000];
        std::fs::write(&path, &bytes).unwrap();
        let file = File::open(&path).unwrap();
        let meta = file.metadata().unwrap();
        assert_eq!(Stamp::of_file(file, &meta).unwrap(), Stamp::of(&bytes));
    }

    #[test]
    fn what_was_known_before_is_waited_for_and_forgotten_with_the_rest() {
        let files = Files::default();
        let path = Path::new("/w/a");
        let (tell, told) = std::sync::mpsc::channel::<()>();
        files.recall(move || {
            told.recv().ok();
            vec![("/w/a".into(), Stamp::of(b"x"))]
        });
        let waits = std::thread::scope(|scope| {
            let asked = scope.spawn(|| files.check(path, &Stamp::of(b"x")));
            tell.send(()).unwrap();
            asked.join().unwrap()
        });
        assert_eq!(waits, Ok(()));
        files.recall(|| vec![("/w/b".into(), Stamp::of(b"y"))]);
        files.forget();
        assert!(!files.knows(Path::new("/w/b")) && !files.knows(path));
    }

    #[test]
    fn one_file_is_changed_by_one_at_a_time() {
        let files = Files::default();
        let first = files.lock(Path::new("/w/a")).now_or_never().unwrap();
        assert!(files.lock(Path::new("/w/a")).now_or_never().is_none());
        assert!(files.lock(Path::new("/w/b")).now_or_never().is_some());
        drop(first);
        assert!(files.lock(Path::new("/w/a")).now_or_never().is_some());
    }
}
