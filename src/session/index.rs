//! Which sessions there are.
//!
//! A directory listing and a look into each file; there is no database that could disagree with the files. What is no
//! regular file, or has no head, is passed over.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::SessionError;
use super::peek::{self, Counting};
use crate::os::hands::{cores, side_by_side};
use crate::protocol::{SessionHead, SessionId};

/// Files for which another thread is worth its start.
const FILES_A_THREAD: usize = 32;
/// More threads than this only wait for the same disk.
const MOST_THREADS: usize = 8;

/// One session on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRef {
    /// Its ID.
    pub id: SessionId,
    /// Its file.
    pub path: PathBuf,
}

/// The session of this directory that was written last.
///
/// # Errors
/// Where there is none.
pub fn newest(project: &Path) -> Result<SessionRef, SessionError> {
    let mut sessions: Vec<(SystemTime, SessionRef)> = list(project)
        .into_iter()
        .filter_map(|session| Some((std::fs::metadata(&session.path).ok()?.modified().ok()?, session)))
        .collect();
    sessions.sort_by(|(a_time, a), (b_time, b)| (a_time, &a.id).cmp(&(b_time, &b.id)));
    let readable = |session: &SessionRef| head(&session.path).is_some();
    sessions.into_iter().rev().map(|(_, session)| session).find(readable).ok_or(SessionError::None)
}

/// The session whose ID begins with `prefix`, among those of this directory first, then among all.
///
/// # Errors
/// Where there is none, several, or it belongs to another directory.
pub fn find(all: &Path, project: &Path, prefix: &str) -> Result<SessionRef, SessionError> {
    let here = matching(list(project), prefix);
    match here.as_slice() {
        [one] => return Ok(one.clone()),
        [] => {}
        several => {
            return Err(SessionError::Ambiguous { id: prefix.to_owned(), count: several.len() });
        }
    }
    let unknown = || SessionError::Unknown { id: prefix.to_owned() };
    let projects = std::fs::read_dir(all).map_err(|_unreadable| unknown())?;
    let mut elsewhere = projects.flatten().flat_map(|project| matching(list(&project.path()), prefix));
    let found = elsewhere.find_map(|session| Some((head(&session.path)?, session)));
    let (head, session) = found.ok_or_else(unknown)?;
    Err(SessionError::Elsewhere { id: session.id.to_string(), cwd: head.cwd.into() })
}

/// The session whose ID begins with `prefix`, among those of this directory first, then among all, whosever they are.
///
/// # Errors
/// Where there is none, or several.
pub fn find_anywhere(all: &Path, project: &Path, prefix: &str) -> Result<SessionRef, SessionError> {
    let found = match matching(list(project), prefix) {
        here if here.is_empty() => directories(all).flat_map(|one| matching(list(&one), prefix)).collect(),
        here => here,
    };
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(SessionError::Unknown { id: prefix.to_owned() }),
        several => Err(SessionError::Ambiguous { id: prefix.to_owned(), count: several.len() }),
    }
}

/// The directories of all projects.
pub fn directories(all: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(all).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// What can be said of a session without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// Which.
    pub session: SessionRef,
    /// Its first line.
    pub head: SessionHead,
    /// What it is called; none where nothing was said.
    pub title: Option<String>,
    /// When it was written last, in milliseconds since 1970.
    pub modified_ms: u64,
    /// Its size.
    pub bytes: u64,
    /// How many messages of the user and of the model it holds, where they were counted.
    pub spoken: Option<usize>,
}

/// Looks at a session; `None` if it has no head.
#[must_use]
pub fn glance(session: SessionRef) -> Option<Glance> {
    dated(session)?.glance(Counting::No)
}

/// Looks at many, some at once. The one that was written last comes first; in the first `counted` bytes of them messages are
/// counted, which takes some 50 ms for 64 MB. What has no head is left out.
#[must_use]
pub fn glances(sessions: Vec<SessionRef>, counted: u64) -> Vec<Glance> {
    let mut dated: Vec<Dated> = sessions.into_iter().filter_map(dated).collect();
    dated.sort_by(|a, b| (b.modified_ms, &b.session.id).cmp(&(a.modified_ms, &a.session.id)));
    let mut left = counted;
    let count = |dated: Dated| {
        let counting = left.checked_sub(dated.bytes).map_or(Counting::No, |rest| {
            left = rest;
            Counting::Yes
        });
        (dated, if counted == 0 { Counting::No } else { counting })
    };
    let wanted: Vec<(Dated, Counting)> = dated.into_iter().map(count).collect();
    let threads = cores(MOST_THREADS).min(wanted.len() / FILES_A_THREAD);
    side_by_side(&wanted, threads, 1, |(dated, counting)| dated.glance(*counting))
        .into_iter()
        .flatten()
        .collect()
}

/// A file, and what its directory says of it.
struct Dated {
    session: SessionRef,
    modified_ms: u64,
    bytes: u64,
}

fn dated(session: SessionRef) -> Option<Dated> {
    let meta = std::fs::metadata(&session.path).ok()?;
    let modified = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let modified_ms = u64::try_from(modified.as_millis()).unwrap_or(u64::MAX);
    Some(Dated { session, modified_ms, bytes: meta.len() })
}

impl Dated {
    fn glance(&self, counting: Counting) -> Option<Glance> {
        let peek::Seen { head, title, spoken } = peek::look(&self.session.path, counting)?;
        let (modified_ms, bytes) = (self.modified_ms, self.bytes);
        Some(Glance { session: self.session.clone(), head, title, modified_ms, bytes, spoken })
    }
}

/// All sessions of a directory, in the order of their IDs: oldest first.
#[must_use]
pub fn list(project: &Path) -> Vec<SessionRef> {
    let Ok(entries) = std::fs::read_dir(project) else { return Vec::new() };
    let mut sessions: Vec<SessionRef> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let path = entry.path();
            let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
            Some(SessionRef { id: id.into(), path })
        })
        .collect();
    sessions.sort_by(|a, b| a.id.cmp(&b.id));
    sessions
}

/// What the first line of a session file says.
#[must_use]
pub fn head(path: &Path) -> Option<SessionHead> {
    peek::head(&peek::start(path)?)
}

fn matching(sessions: Vec<SessionRef>, prefix: &str) -> Vec<SessionRef> {
    if prefix.is_empty() {
        return Vec::new(); // it would fit every session
    }
    let exact = sessions.iter().find(|session| session.id.as_str() == prefix).cloned();
    match exact {
        Some(session) => vec![session],
        None => sessions.into_iter().filter(|session| session.id.as_str().starts_with(prefix)).collect(),
    }
}
