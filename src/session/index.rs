//! Which sessions there are.
//!
//! A directory listing and the first line of each file; there is no database that could disagree with the files. What is no
//! regular file, or has no head, is passed over.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::SessionError;
use super::entry::{self, Line};
use super::load;
use crate::protocol::{EntryBody, Message, Origin, SessionHead, SessionId};

/// A head is one short line; a longer first line is no head.
const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// Where the first thing that the user said is looked for.
const MAX_TITLE_BYTES: u64 = 256 * 1024;
/// Where a title that was given later is looked for, from the end: the writer says it again before it is further away.
const TITLE_TAIL_BYTES: u64 = 64 * 1024;

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
}

/// Looks at a session; `None` if it has no head.
#[must_use]
pub fn glance(session: SessionRef) -> Option<Glance> {
    let meta = std::fs::metadata(&session.path).ok()?;
    let modified = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Glance {
        head: head(&session.path)?,
        title: title(&session.path),
        modified_ms: u64::try_from(modified.as_millis()).unwrap_or(u64::MAX),
        bytes: meta.len(),
        session,
    })
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
    let mut line = Vec::new();
    let file = File::open(path).ok()?;
    BufReader::new(file).take(MAX_HEAD_BYTES).read_until(b'\n', &mut line).ok()?;
    let Line::Entry(entry) = entry::from_line(line.trim_ascii_end()) else { return None };
    if let EntryBody::Session(head) = entry.body { Some(head) } else { None }
}

/// What a session is called: its title where it was given one, else the first thing that the user said; none where nothing
/// was said. Looks at the beginning and at the end of the file alone.
#[must_use]
pub fn title(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut start = Vec::new();
    file.by_ref().take(MAX_TITLE_BYTES).read_to_end(&mut start).ok()?;
    if let Some(title) = last_title(&mut file) {
        return Some(title);
    }
    let history = load::parse(&start).history;
    let said = history.messages().find_map(|message| match message {
        Message::User(user) if user.origin != Origin::Reminder => Some(user.words()),
        Message::User(_) | Message::Assistant(_) | Message::Tool(_) => None,
    });
    let title = history.title().map(str::to_owned).or(said)?;
    title.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// A title in the last lines of a file of which the beginning was read.
fn last_title(file: &mut File) -> Option<String> {
    let read = file.stream_position().ok()?;
    let length = file.metadata().ok()?.len();
    if length <= read {
        return None;
    }
    // what was read already may hold an older one, so the whole tail counts
    let tail = super::peek::tail(file, TITLE_TAIL_BYTES)?;
    let history = load::parse(&tail).history;
    history.title().map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned)
}

fn matching(sessions: Vec<SessionRef>, prefix: &str) -> Vec<SessionRef> {
    let exact = sessions.iter().find(|session| session.id.as_str() == prefix).cloned();
    match exact {
        Some(session) => vec![session],
        None => sessions.into_iter().filter(|session| session.id.as_str().starts_with(prefix)).collect(),
    }
}
