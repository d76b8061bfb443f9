//! What is written in the input and not yet sent, kept for the case that the program ends without being asked.
//!
//! A file for each process, which holds it locked while it lives; so a file that can be locked was left behind by one that is
//! gone, and the next start in this directory takes what stands in it. It is private, and goes as soon as the input is
//! sent, cleared or empty.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::App;
use crate::os::paths::{Open, private_dir, private_file};
use crate::text::redact::{Hide, Redactor};

/// A longer draft is not kept: it is a paste that can be had again.
const LARGEST: usize = 1024 * 1024;

/// Keeps one process's draft; clones are the same.
#[derive(Clone)]
pub struct Drafts {
    /// None where nothing is kept on disk.
    directory: Option<PathBuf>,
    own: Arc<Mutex<Option<(PathBuf, File)>>>,
    redactor: Arc<Redactor>,
}

impl App {
    /// The drafts of this directory.
    #[must_use]
    pub fn drafts(&self) -> Drafts {
        let directory = self.keeps_sessions().then(|| self.sessions().project.join("drafts"));
        Drafts { directory, own: Arc::default(), redactor: Arc::clone(&self.place.redactor) }
    }
}

impl Drafts {
    /// Keeps a line in place of the one before; an empty one is none. A draft that cannot be kept disturbs nobody.
    pub fn keep(&self, line: &str) {
        let Some(directory) = &self.directory else { return };
        if line.is_empty() || line.len() > LARGEST {
            return self.forget();
        }
        let line = self.redactor.redact(line, Hide::Keys);
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.is_none() {
            *own = begin(directory).map_err(|error| tracing::warn!(%error, "cannot save the draft")).ok();
        }
        let written = own.as_mut().map_or(Ok(()), |(_, file)| put(file, line.as_bytes()));
        if let Err(error) = written {
            tracing::warn!(%error, "cannot save the draft");
        }
    }

    /// There is no draft any more.
    pub fn forget(&self) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((path, _held)) = own.take() {
            fs::remove_file(path).ok();
        }
    }

    /// Takes the newest draft that a process which is gone has left; the others go.
    #[must_use]
    pub fn take_left(&self) -> Option<String> {
        let files = fs::read_dir(self.directory.as_ref()?).ok()?.flatten().map(|entry| entry.path());
        let mut left: Vec<_> = files.filter_map(|path| Some((abandoned(&path)?, path))).collect();
        left.sort_by_key(|((written, _), _)| *written);
        for (_, path) in &left {
            drop(fs::remove_file(path));
        }
        left.pop().map(|((_, line), _)| line).filter(|line| !line.is_empty())
    }
}

fn begin(directory: &Path) -> io::Result<(PathBuf, File)> {
    private_dir(directory)?;
    let path = directory.join(std::process::id().to_string());
    // a process of this number may have left one
    drop(fs::remove_file(&path));
    let file = private_file(&path, Open::CreateNew)?;
    file.try_lock()?;
    Ok((path, file))
}

fn put(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// When it was written, and what stands in it, if nobody holds it.
fn abandoned(path: &Path) -> Option<(std::time::SystemTime, String)> {
    let file = private_file(path, Open::Read).ok()?;
    file.try_lock().ok()?;
    let written = file.metadata().and_then(|meta| meta.modified()).ok()?;
    let mut text = String::new();
    file.take(LARGEST as u64).read_to_string(&mut text).ok()?;
    Some((written, text))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn drafts(directory: &Path) -> Drafts {
        Drafts { directory: Some(directory.join("d")), own: Arc::default(), redactor: Arc::default() }
    }

    #[test]
    fn a_draft_is_left_by_who_ends_without_being_asked_and_taken_once() {
        let dir = tempfile::tempdir().unwrap();
        let gone = drafts(dir.path());
        gone.keep("a longer line");
        gone.keep("a line");
        assert_eq!(drafts(dir.path()).take_left(), None, "it is held");
        let file = fs::read_dir(dir.path().join("d")).unwrap().next().unwrap().unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        drop(gone);
        assert_eq!(drafts(dir.path()).take_left().as_deref(), Some("a line"));
        assert_eq!(drafts(dir.path()).take_left(), None);
    }

    #[test]
    fn what_was_sent_or_emptied_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        for empty in [true, false] {
            let draft = drafts(dir.path());
            draft.keep("a line");
            if empty {
                draft.keep("");
            } else {
                draft.forget();
            }
            drop(draft);
            assert_eq!(fs::read_dir(dir.path().join("d")).unwrap().count(), 0);
        }
    }
}
