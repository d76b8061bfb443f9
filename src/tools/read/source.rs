//! The bytes of a file as they are read: hashed on the way, and no more of them once the call is to end.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read};

use tokio_util::sync::CancellationToken;

use super::window::Rest;
use crate::workbench::Stamp;
use crate::workbench::files::{Hasher, MOST_HASHED};

/// Bytes that are asked for at once; larger pieces are hardly read any faster, and from 128 KB on the allocator asks the system
/// for each.
const PIECE: usize = 64 * 1024;
/// The same of small files: most are, and many are read side by side. What form a file has is told by as many.
const SMALL_PIECE: usize = 8 * 1024;

/// An open file.
#[derive(Debug)]
pub(super) struct Source {
    buffer: BufReader<Hashed>,
    meta: Metadata,
}

#[derive(Debug)]
struct Hashed {
    file: File,
    /// None where the file is too large to be hashed.
    hash: Option<Hasher>,
    cancel: CancellationToken,
}

impl Source {
    /// Reading fails once `cancel` fires.
    pub(super) fn new(file: File, meta: Metadata, cancel: CancellationToken) -> Self {
        let hash = (meta.len() <= MOST_HASHED).then(Hasher::default);
        let piece = if meta.len() < SMALL_PIECE as u64 { SMALL_PIECE } else { PIECE };
        Self { buffer: BufReader::with_capacity(piece, Hashed { file, hash, cancel }), meta }
    }

    /// What to do behind a window: a file that is hashed must be read to its end.
    pub(super) fn rest(&self) -> Rest {
        if self.buffer.get_ref().hash.is_some() { Rest::Count } else { Rest::Leave }
    }

    /// All that is left of it.
    pub(super) fn all(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.buffer.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// What the file held; it was read to its end unless it is too large for that.
    pub(super) fn stamp(self) -> Stamp {
        self.buffer
            .into_inner()
            .hash
            .map_or_else(|| Stamp::outside(&self.meta), |hasher| Stamp::hashed(&hasher))
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.buffer.read(buffer)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.buffer.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.buffer.consume(count);
    }
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("interrupted"));
        }
        let count = self.file.read(buffer)?;
        if let Some(hash) = &mut self.hash {
            hash.update(buffer.get(..count).unwrap_or_default());
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> (Source, CancellationToken) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, bytes).unwrap();
        let (file, cancel) = (File::open(&path).unwrap(), CancellationToken::new());
        let meta = file.metadata().unwrap();
        (Source::new(file, meta, cancel.clone()), cancel)
    }

    #[test]
    fn what_was_read_to_its_end_has_the_stamp_of_its_bytes() {
        let bytes = vec![7; 3 * PIECE + 1];
        let (mut source, _) = source(&bytes);
        assert_eq!((source.rest(), source.all().unwrap() == bytes), (Rest::Count, true));
        assert_eq!(source.stamp(), Stamp::of(&bytes));
    }

    #[test]
    fn nothing_more_is_read_once_the_call_is_to_end() {
        let (mut source, cancel) = source(&vec![7; 3 * PIECE]);
        let count = source.fill_buf().unwrap().len();
        cancel.cancel();
        source.consume(count);
        assert!(source.fill_buf().is_err());
    }
}
