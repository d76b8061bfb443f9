//! Where long outputs go: the session's own directory if it is kept, else a private one that goes with the session.
//!
//! The private directory also holds what a running command needs for itself. It is made at the first need.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::{NamedTempFile, TempDir};

use crate::os::paths::{Open, private_dir, private_file};
use crate::protocol::CallId;
use crate::sandbox;
use crate::text::redact::Redactor;

/// A file name may have 255 bytes; call ids are some 30.
const LONGEST_NAME: usize = 100;

/// Long outputs.
#[derive(Debug)]
pub struct Outputs {
    redactor: Arc<Redactor>,
    kept: Mutex<Option<PathBuf>>,
    scratch: Mutex<Option<TempDir>>,
}

impl Outputs {
    /// In `kept`, or in a private directory.
    pub(super) fn new(kept: Option<PathBuf>) -> Self {
        Self { redactor: Arc::default(), kept: Mutex::new(kept), scratch: Mutex::new(None) }
    }

    /// The same; what is written of outputs holds no secret.
    pub(super) fn hiding(mut self, redactor: Arc<Redactor>) -> Self {
        self.redactor = redactor;
        self
    }

    /// From now on in this directory: the session goes on under another ID. What was kept stays where it is, for it is named so.
    pub fn move_to(&self, directory: PathBuf) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(directory);
    }

    /// Whether what is kept here outlasts the program.
    pub(super) fn is_kept(&self) -> bool {
        self.kept().is_some()
    }

    fn kept(&self) -> Option<PathBuf> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes secrets out of outputs.
    pub fn redactor(&self) -> &Arc<Redactor> {
        &self.redactor
    }

    /// Where the output of a call goes, a name that is not taken; the file is not made, its directory only where it
    /// is a private one.
    pub fn path(&self, call: &CallId) -> io::Result<PathBuf> {
        let directory = self.directory()?;
        let name = file_name(call);
        let more = (2..).map(|number: u64| format!("{name}-{number}.txt"));
        let mut paths = std::iter::once(format!("{name}.txt")).chain(more).map(|name| directory.join(name));
        // names never run out
        Ok(paths.find(|path| !path.exists()).unwrap_or(directory))
    }

    /// Keeps a whole output, in a file that only the user can read.
    pub fn write(&self, call: &CallId, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path(call)?;
        if let Some(directory) = path.parent().filter(|directory| !directory.exists()) {
            private_dir(directory)?;
        }
        private_file(&path, Open::CreateNew)?.write_all(&starred(&self.redactor, bytes))?;
        Ok(path)
    }

    /// Keeps `bytes` under a name that is theirs alone, such as their hash: kept twice, they are there once. Gives the path
    /// by which they are found again: from the directory of the project's sessions on where the session is kept, else an
    /// absolute one.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<String> {
        let path = self.keep_whole(Path::new(name), bytes)?;
        let found = match self.kept().as_deref().and_then(Path::file_name) {
            Some(session) => Path::new(session).join(name),
            None => path,
        };
        found.into_os_string().into_string().map_err(|_path| io::Error::other("its path is not UTF-8"))
    }

    /// Keeps `bytes` under a name that is theirs alone, and gives the file's own path.
    pub fn keep_file(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        self.keep_whole(Path::new(name), bytes)
    }

    /// Keeps `bytes` in a file at `below` in the session's directory, unless it is there already; it appears there only once it
    /// is whole.
    pub(super) fn keep_whole(&self, below: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.directory()?.join(below);
        if path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64) {
            return Ok(path);
        }
        let mut draft = draft(path.parent().unwrap_or(&path))?;
        draft.write_all(bytes)?;
        draft.persist(&path)?;
        Ok(path)
    }

    /// The directory for what a line of the session only names; not made where it is the session's own.
    pub(super) fn directory(&self) -> io::Result<PathBuf> {
        match self.kept() {
            Some(kept) => Ok(kept),
            None => self.scratch(),
        }
    }

    /// The directory of all sessions, if this one is kept.
    pub(super) fn all_sessions(&self) -> Option<PathBuf> {
        Some(self.kept()?.parent()?.parent()?.to_owned())
    }

    /// A file that no name leads to, for the user alone, on the disk on which the session is kept; it goes with the program.
    pub(super) fn nameless(&self) -> io::Result<File> {
        match self.kept().as_deref().and_then(Path::parent).filter(|sessions| sessions.is_dir()) {
            Some(sessions) => tempfile::tempfile_in(sessions),
            None => tempfile::tempfile_in(self.scratch()?),
        }
    }

    /// Whether commands have this file in the `/tmp` of their sandbox.
    pub(crate) fn has_private(&self, path: &Path) -> bool {
        let scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let below = ["/tmp", "/var/tmp"].iter().find_map(|temporary| path.strip_prefix(temporary).ok());
        let place =
            below.zip(scratch.as_ref()).map(|(below, scratch)| scratch.path().join("tmp").join(below));
        place.is_some_and(|place| place.symlink_metadata().is_ok())
    }

    /// A directory that only the user can enter, and that goes with the session.
    pub fn scratch(&self) -> io::Result<PathBuf> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = scratch.as_ref().filter(|made| made.path().is_dir()) {
            return Ok(made.path().to_owned());
        }
        let permissions = std::fs::Permissions::from_mode(0o700);
        let made = tempfile::Builder::new().prefix("clawd-").permissions(permissions).tempdir()?;
        Ok(scratch.insert(made).path().to_owned())
    }
}

/// Held commands leave directories in there that are closed to their owner; a plain removal stops at those.
impl Drop for Outputs {
    fn drop(&mut self) {
        let scratch = self.scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = scratch.take() {
            // what stays now is tried once more as `made` goes
            sandbox::remove_scratch(made.path()).ok();
        }
    }
}

/// A file for the user alone, in a directory that is made where it is missing; it goes unless it gets a name.
pub(super) fn draft(directory: &Path) -> io::Result<NamedTempFile> {
    if !directory.is_dir() {
        private_dir(directory)?;
    }
    tempfile::Builder::new().prefix(".draft-").tempfile_in(directory)
}

/// Bytes with stars in the place of secrets: as many, so that every other byte keeps its place.
fn starred<'a>(redactor: &Redactor, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    let mut out = Cow::Borrowed(bytes);
    for place in redactor.places(bytes) {
        if let Some(secret) = out.to_mut().get_mut(place) {
            secret.fill(b'*');
        }
    }
    out
}

/// The call's name with nothing in it that means something to a file system.
fn file_name(call: &CallId) -> String {
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    let name: String = call.as_str().chars().take(LONGEST_NAME).map(plain).collect();
    format!("output-{name}")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn an_output_is_for_the_user_alone_and_goes_with_the_session() {
        let outputs = Outputs::new(None);
        let path = outputs.write(&CallId::from("../call.1"), b"long").unwrap();
        assert_eq!(path.file_name().unwrap(), "output-___call_1.txt");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
        let again = outputs.write(&CallId::from("../call.1"), b"longer").unwrap();
        assert_eq!(again.file_name().unwrap(), "output-___call_1-2.txt");
        drop(outputs);
        assert!(!path.exists());
    }

    #[test]
    fn an_output_is_kept_without_secrets() {
        let redactor = Redactor::new(["sk-0123456789".to_owned()], []);
        let outputs = Outputs::new(None).hiding(Arc::new(redactor));
        let path = outputs.write(&CallId::from("call"), b"\xffa sk-0123456789 b").unwrap();
        assert_eq!(std::fs::read(path).unwrap(), b"\xffa ************* b");
    }

    #[test]
    fn what_is_closed_to_its_owner_goes_with_the_session_too() {
        let outputs = Outputs::new(None);
        let scratch = outputs.scratch().unwrap();
        std::fs::create_dir_all(scratch.join("upper/work")).unwrap();
        std::fs::set_permissions(scratch.join("upper"), std::fs::Permissions::from_mode(0o000)).unwrap();
        drop(outputs);
        assert!(!scratch.exists());
    }

    #[test]
    fn a_kept_session_keeps_its_outputs() {
        let dir = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(Some(dir.path().join("session")));
        let path = outputs.write(&CallId::from("call"), b"long").unwrap();
        drop(outputs);
        assert_eq!(std::fs::read(path).unwrap(), b"long");
    }

    #[test]
    fn what_is_kept_by_its_name_is_kept_once_and_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(Some(dir.path().join("session")));
        for _ in 0..2 {
            assert_eq!(outputs.keep("image-1.png", b"bytes").unwrap(), "session/image-1.png");
        }
        let path = dir.path().join("session/image-1.png");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        // the rest of a crash
        std::fs::write(&path, "by").unwrap();
        outputs.keep("image-1.png", b"bytes").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"bytes");
        let scratch = Outputs::new(None);
        let path = scratch.keep("image-1.png", b"bytes").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"bytes");
        drop(scratch);
        assert!(!Path::new(&path).exists());
    }
}
