//! Which sessions there are.
//!
//! A directory listing and the first line of each file; there is no database that could disagree with the files. What is no
//! regular file, or has no head, is passed over.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::SessionError;
use super::entry::{self, Line};
use crate::protocol::{EntryBody, Message, SessionHead, SessionId};

/// A head is one short line; a longer first line is no head.
const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// Where the first thing that the user said is looked for.
const MAX_TITLE_BYTES: u64 = 256 * 1024;

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
/// was said. Looks at the beginning of the file alone.
#[must_use]
pub fn title(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(MAX_TITLE_BYTES).read_to_end(&mut start).ok()?;
    let history = super::load::parse(&start).history;
    let said = history.messages().find_map(|message| match message {
        Message::User(user) => Some(user.content.to_text()),
        Message::Assistant(_) | Message::Tool(_) => None,
    });
    let title = history.title().map(str::to_owned).or(said)?;
    title.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

fn matching(sessions: Vec<SessionRef>, prefix: &str) -> Vec<SessionRef> {
    let exact = sessions.iter().find(|session| session.id.as_str() == prefix).cloned();
    match exact {
        Some(session) => vec![session],
        None => sessions.into_iter().filter(|session| session.id.as_str().starts_with(prefix)).collect(),
    }
}
