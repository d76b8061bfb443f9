//! Files as they were before a tool changed them, each kept once under the hash of its bytes.
//!
//! They lie beside the session's long outputs and go where those go. The session's file names them in a checkpoint; who
//! rewinds finds here what to put back. The surprise: nothing is synced to disk. A crash of the program loses nothing,
//! and after a power cut the file in the workspace may be as young as its image.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::files::{Hash, Hasher, Image};
use super::outputs::{Outputs, draft};
use crate::os::paths::hex;

/// The directory of the images, in that of the session.
pub(super) const DIRECTORY: &str = "before";

/// As much of a large file as is copied at a time, in bytes.
const CHUNK: usize = 256 * 1024;

/// Before-images, content-addressed.
#[derive(Debug, Clone, Copy)]
pub struct Blobs<'a> {
    outputs: &'a Outputs,
}

impl<'a> Blobs<'a> {
    pub(super) fn new(outputs: &'a Outputs) -> Self {
        Self { outputs }
    }

    /// Keeps this and returns its hash in hex. What is kept already is not written again.
    pub fn keep(self, image: &Image) -> io::Result<String> {
        let (name, bytes) = (hex(image.hash()), image.bytes());
        self.outputs.keep_whole(&Path::new(DIRECTORY).join(&name), bytes)?;
        Ok(name)
    }

    /// Keeps all of an open file that is too large for memory, and returns its hash in hex.
    pub fn keep_file(self, mut file: File) -> io::Result<String> {
        let directory = self.outputs.directory()?.join(DIRECTORY);
        let mut draft = draft(&directory)?;
        let name = hex(&copy(&mut file, draft.as_file_mut())?);
        draft.persist(directory.join(&name))?;
        Ok(name)
    }

    /// Where the image of this hash (in hex) is, whether or not it is kept.
    pub fn path(self, hash: &str) -> io::Result<PathBuf> {
        Ok(self.outputs.directory()?.join(DIRECTORY).join(hash))
    }

    /// The image of this hash, where it is kept: in this session, or in one beside it, from which this may be a fork.
    pub fn find(self, hash: &str) -> Option<PathBuf> {
        let own = self.path(hash).ok()?;
        if own.is_file() {
            return Some(own);
        }
        let sessions = self.outputs.directory().ok()?.parent()?.read_dir().ok()?;
        let mut others = sessions.flatten().map(|session| session.path().join(DIRECTORY).join(hash));
        others.find(|path| path.is_file()).filter(|_| self.outputs.is_kept())
    }
}

fn copy(from: &mut File, to: &mut File) -> io::Result<Hash> {
    use std::io::Read;

    let mut hasher = Hasher::default();
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = from.read(&mut buffer)?;
        let read = buffer.get(..count).unwrap_or_default();
        if read.is_empty() {
            return Ok(hasher.hash());
        }
        hasher.update(read);
        to.write_all(read)?;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use super::super::files::hash_of;
    use super::*;

    #[test]
    fn an_image_is_kept_once_under_its_hash_and_for_the_user_alone() {
        let outputs = Outputs::new(None);
        let blobs = Blobs::new(&outputs);
        let image = Image::of(b"before".to_vec());
        let name = blobs.keep(&image).unwrap();
        assert_eq!(name, hex(&hash_of(b"before")));
        let path = blobs.path(&name).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        let number = path.metadata().unwrap().ino();
        assert_eq!(blobs.keep(&image).unwrap(), name);
        assert_eq!(path.metadata().unwrap().ino(), number);
        assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_large_file_is_kept_as_it_is() {
        let outputs = Outputs::new(None);
        let bytes: Vec<u8> = (0..CHUNK + 7).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), &bytes).unwrap();
        let blobs = Blobs::new(&outputs);
        let name = blobs.keep_file(File::open(dir.path().join("f")).unwrap()).unwrap();
        assert_eq!(name, hex(&hash_of(&bytes)));
        assert_eq!(fs::read(blobs.path(&name).unwrap()).unwrap(), bytes);
    }

    #[test]
    fn an_image_is_found_in_the_session_from_which_this_one_was_forked() {
        let project = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(Some(project.path().join("one")));
        let name = Blobs::new(&outputs).keep(&Image::of(b"before".to_vec())).unwrap();
        outputs.move_to(project.path().join("two"));
        let found = Blobs::new(&outputs).find(&name).unwrap();
        assert_eq!(fs::read(found).unwrap(), b"before");
        assert_eq!(Blobs::new(&outputs).find("00"), None);
    }

    #[test]
    fn half_an_image_is_none() {
        let outputs = Outputs::new(None);
        let blobs = Blobs::new(&outputs);
        // a directory opens, and cannot be read
        assert!(blobs.keep_file(File::open("/").unwrap()).is_err());
        assert_eq!(outputs.directory().unwrap().join(DIRECTORY).read_dir().unwrap().count(), 0);
    }
}
