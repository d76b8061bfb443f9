//! Where the sessions of a directory are, and how one is begun, continued or forked.
//!
//! It makes IDs and heads; whether a session is wanted at all, and which, was decided by whoever calls it.

use std::path::PathBuf;

use super::load::{self, Writable};
use super::log::Held;
use super::{SessionError, SessionLog, SessionRef, SharedLog, entry, index};
use crate::protocol::{History, ModelId, SessionHead, SessionId};

/// The sessions of one working directory.
#[derive(Debug, Clone)]
pub struct SessionPlace {
    /// The directory of all projects' sessions; none where nothing is kept.
    pub all: Option<PathBuf>,
    /// This project's own directory below it.
    pub project: PathBuf,
    /// The working directory, for the head.
    pub cwd: PathBuf,
}

/// A session that is ready to be used.
#[derive(Debug)]
pub struct Opened {
    /// Which.
    pub id: SessionId,
    /// What was said so far.
    pub history: History,
    /// Where more is written.
    pub log: SharedLog,
    /// Things about the file that the user should know, a line each.
    pub warnings: Vec<String>,
}

/// A session that is ours to write and was not read yet.
#[derive(Debug)]
pub struct HeldSession {
    id: SessionId,
    held: Held,
}

impl SessionPlace {
    /// A new session; its file comes with its first entry.
    #[must_use]
    pub fn begin(&self, model: &ModelId, now_ms: u64) -> Opened {
        let head = self.head(model, None);
        let id = head.id.clone();
        let log = match self.all {
            Some(_) => SharedLog::new(SessionLog::create(&self.project, head, now_ms)),
            None => SharedLog::nothing(),
        };
        Opened { id, history: History::new(), log, warnings: Vec::new() }
    }

    /// Finds the session whose ID begins with `prefix`.
    ///
    /// # Errors
    /// Where there is none, several, or it belongs to another directory.
    pub fn find(&self, prefix: &str) -> Result<SessionRef, SessionError> {
        let all = self.all.as_ref().ok_or_else(|| SessionError::Unknown { id: prefix.to_owned() })?;
        index::find(all, &self.project, prefix)
    }

    /// The session that was written last.
    ///
    /// # Errors
    /// Where there is none.
    pub fn newest(&self) -> Result<SessionRef, SessionError> {
        index::newest(&self.project)
    }

    /// Goes on with a session. A file that this version must not continue opens for reading: then nothing more is kept.
    ///
    /// # Errors
    /// Where it cannot be opened, or another process writes it.
    pub fn resume(&self, session: &SessionRef) -> Result<Opened, SessionError> {
        self.hold(session)?.read()
    }

    /// Takes a session that is read later, beside everything else.
    ///
    /// # Errors
    /// Where it cannot be opened, or another process writes it.
    pub fn hold(&self, session: &SessionRef) -> Result<HeldSession, SessionError> {
        Ok(HeldSession { id: session.id.clone(), held: Held::take(&session.path, session.id.clone())? })
    }

    /// What a session says, for a conversation that is not kept. Its file stays as it is, whoever writes it.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn look_into(&self, session: &SessionRef) -> Result<Opened, SessionError> {
        let loaded = load::load(&session.path)?;
        let (id, warnings) = (session.id.clone(), damage(loaded.damaged));
        Ok(Opened { id, history: loaded.history, log: SharedLog::nothing(), warnings })
    }

    /// An ID that no session has.
    #[must_use]
    pub fn new_id() -> SessionId {
        uuid::Uuid::now_v7().to_string().into()
    }

    /// Goes on with a copy of a session under a new ID.
    ///
    /// # Errors
    /// Where it cannot be read, or the copy cannot be written.
    pub fn fork(&self, session: &SessionRef, model: &ModelId, now_ms: u64) -> Result<Opened, SessionError> {
        let head = self.head(model, Some(session.id.clone()));
        let id = head.id.clone();
        let (log, loaded) = SessionLog::fork(&session.path, &self.project, head, now_ms)?;
        Ok(Opened { id, history: loaded.history, log: SharedLog::new(log), warnings: damage(loaded.damaged) })
    }

    fn head(&self, model: &ModelId, parent: Option<SessionId>) -> SessionHead {
        SessionHead {
            version: entry::VERSION,
            id: Self::new_id(),
            cwd: self.cwd.to_string_lossy().into_owned(),
            model: model.clone(),
            clawd_version: env!("CARGO_PKG_VERSION").to_owned(),
            parent,
        }
    }
}

impl HeldSession {
    /// The end of it as a conversation of its own, where that tells what counts last and is enough for the caller. What stands
    /// before it is not looked at: nothing may be said in such a conversation.
    #[must_use]
    pub fn ending(&self, is_enough: impl Fn(&History) -> bool) -> Option<History> {
        self.held.ending(is_enough)
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(self) -> Result<Opened, SessionError> {
        let (log, loaded) = self.held.read()?;
        let mut warnings = damage(loaded.damaged);
        let log = match loaded.writable {
            Writable::Yes => SharedLog::new(log),
            Writable::NewerFormat => {
                warnings.push(
                    "a newer clawd wrote this session: it is read-only, and new messages are not saved"
                        .to_owned(),
                );
                SharedLog::nothing()
            }
        };
        Ok(Opened { id: self.id, history: loaded.history, log, warnings })
    }
}

fn damage(lines: usize) -> Vec<String> {
    match lines {
        0 => Vec::new(),
        1 => vec!["skipped one damaged line of the session file".to_owned()],
        n => vec![format!("skipped {n} damaged lines of the session file")],
    }
}
