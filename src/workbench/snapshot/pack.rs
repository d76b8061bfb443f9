//! Copies of files that a command may change, one behind the other in a file without a name.
//!
//! Most of them are never needed, and a file each would cost more than the copy. What a command has changed goes from here to
//! the images that the session names; all else goes with the program, however it ends, for no name leads to it. The
//! surprise: room is given back by holes, so only what is still wanted counts.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::super::files::{Hash, Image};
use crate::os::tree::make_hole;

/// As much is kept of one session, in bytes.
pub(super) const MOST: u64 = 1024 * 1024 * 1024;

/// The copies.
#[derive(Debug)]
pub(super) struct Pack {
    file: File,
    end: u64,
    /// Bytes that take room.
    held: u64,
}

/// One copy: where it is, and the hash of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    at: u64,
    size: u64,
    pub(super) hash: Hash,
}

impl Pack {
    /// In this file, which must be empty and for the user alone.
    pub(super) fn new(file: File) -> Self {
        Self { file, end: 0, held: 0 }
    }

    /// Keeps a copy; none where that would be too much.
    pub(super) fn keep(&mut self, image: &Image) -> io::Result<Option<Piece>> {
        let size = image.bytes().len() as u64;
        if self.held + size > MOST {
            return Ok(None);
        }
        self.file.write_all_at(image.bytes(), self.end)?;
        let piece = Piece { at: self.end, size, hash: *image.hash() };
        self.end += size;
        self.held += size;
        Ok(Some(piece))
    }

    /// The bytes of a copy.
    pub(super) fn read(&self, piece: &Piece) -> io::Result<Image> {
        let mut bytes = vec![0; usize::try_from(piece.size).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, piece.at)?;
        Ok(Image::hashed(bytes, piece.hash))
    }

    /// A copy is not wanted any more.
    pub(super) fn forget(&mut self, piece: &Piece) {
        if piece.size > 0 && make_hole(&self.file, piece.at, piece.size).is_ok() {
            self.held -= piece.size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_comes_back_as_it_was_and_room_is_given_back() {
        let mut pack = Pack::new(tempfile::tempfile().unwrap());
        let images = [b"one".to_vec(), Vec::new(), vec![7; 100_000]].map(Image::of);
        let pieces: Vec<Piece> = images.iter().map(|image| pack.keep(image).unwrap().unwrap()).collect();
        for (image, piece) in images.iter().zip(&pieces) {
            assert_eq!(pack.read(piece).unwrap(), *image);
            assert_eq!(piece.hash, *image.hash());
        }
        let held = pack.held;
        pack.forget(&pieces[2]);
        assert!(pack.held == held - 100_000 || !cfg!(target_os = "linux"));
        assert_eq!(pack.read(&pieces[0]).unwrap(), images[0]);
    }

    #[test]
    fn what_is_too_much_is_not_kept() {
        let mut pack = Pack::new(tempfile::tempfile().unwrap());
        pack.held = MOST - 2;
        assert_eq!(pack.keep(&Image::of(b"one".to_vec())).unwrap(), None);
        assert!(pack.keep(&Image::of(b"1".to_vec())).unwrap().is_some());
    }
}
