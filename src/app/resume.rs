//! Sessions of this directory for somebody who chooses one on the screen, and the conversation that goes over to one of them.
//!
//! The one that is left stays as it is saved; nothing of it is lost but the commands that it left running. The surprise: a
//! session is taken before the present one is let go, and in a value of its own, for that reads a file that may be large; so
//! whatever goes wrong leaves everything as it was, and nobody waits for it.

use std::path::PathBuf;
use std::sync::Arc;

use super::begin::{Taken, resumed};
use super::facts::Facts;
use super::sessions::age;
use super::{App, rewind};
use crate::cli::{Onward, Session};
use crate::conversation::{Conversation, Fresh};
use crate::error::{Error, Kind};
use crate::permission::{Mode, Policy};
use crate::protocol::{Message, ModelId, SessionId};
use crate::session::{Opened, SessionError, SessionPlace, index, peek};
use crate::text::redact::Hide;
use crate::text::sanitize::sanitize_line;
use crate::text::units;

/// Bytes of sessions that are gone through for the number of their messages: some 50 ms. Beyond it a list tells sizes.
const COUNTED: u64 = 64 * 1024 * 1024;
/// Messages of which a preview is made.
const LAST: usize = 4;
/// Lines of a message in a preview.
const LINES: usize = 3;
/// Characters of a title: more is no title.
const TITLE: usize = 200;

/// A session that can be picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// Its ID.
    pub id: String,
    /// What it is called: what was said first in it, where it was given no name.
    pub title: String,
    /// When it was written last, and how much was said.
    pub about: String,
}

/// The sessions of a directory, to be looked at beside everything else.
#[derive(Debug, Clone)]
pub struct SessionList {
    project: PathBuf,
    /// The one that goes on now: nobody chooses it.
    present: Option<SessionId>,
    now_ms: u64,
}

/// A session that is to be taken, beside everything else.
#[derive(Debug, Clone)]
pub struct Taking {
    sessions: SessionPlace,
    /// Its ID, or the beginning of it.
    id: String,
    onward: Onward,
    is_kept: bool,
    present: Option<SessionId>,
    /// For the head of a copy, where the head of the original names none.
    model: ModelId,
    now_ms: u64,
}

/// A session that is read, and ours to write.
#[derive(Debug)]
pub struct TakenSession(pub(super) Box<Opened>);

/// What became of a wish to go on with a session.
#[derive(Debug)]
pub enum Picked<T> {
    /// It goes on.
    Taken(T),
    /// Another process has it: only a fork of it can go on here.
    Held,
}

impl SessionList {
    /// All in which something was said, the one that was written last first. Reads files.
    #[must_use]
    pub fn list(&self) -> Vec<Pick> {
        let others = index::list(&self.project).into_iter();
        let others = others.filter(|session| Some(&session.id) != self.present.as_ref()).collect();
        let pick = |glance: index::Glance| {
            let much = glance.spoken.map_or_else(
                || units::bytes(glance.bytes),
                |count| units::counted(count as u64, "message", "messages"),
            );
            Some(Pick {
                id: glance.session.id.to_string(),
                title: glance.title?,
                about: format!("{} · {much}", age(self.now_ms.saturating_sub(glance.modified_ms))),
            })
        };
        index::glances(others, COUNTED).into_iter().filter_map(pick).collect()
    }

    /// The last that was said in one. Reads its file.
    #[must_use]
    pub fn preview(&self, id: &str) -> Vec<String> {
        let session = index::list(&self.project).into_iter().find(|session| session.id.as_str() == id);
        let last = session.map(|session| peek::last(&session.path, LAST)).unwrap_or_default();
        last.iter().flat_map(lines).collect()
    }
}

/// Refuses during a run what would take the conversation away from it.
///
/// # Errors
/// During a run, or while the user is asked whether it continues.
pub fn at_rest(conversation: &Conversation) -> Result<(), Error> {
    if conversation.is_at_rest() {
        return Ok(());
    }
    Err(Error::new(Kind::Usage, "cannot do this during a run").hint("try again when the run has finished"))
}

/// The first lines of a message, the user's behind the sign of the input.
fn lines(message: &Message) -> Vec<String> {
    let (sign, text) = match message {
        Message::User(user) => ("❯ ", user.words()),
        Message::Assistant(said) => ("  ", said.text.clone()),
        Message::Tool(_) => return Vec::new(),
    };
    let written = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let line = |(index, line): (usize, &str)| format!("{}{line}", if index == 0 { sign } else { "  " });
    written.take(LINES).enumerate().map(line).collect()
}

impl Taking {
    /// Takes it. Reads all of its file.
    ///
    /// # Errors
    /// Where there is none, or it cannot be opened.
    pub fn take(self) -> Result<Picked<TakenSession>, Error> {
        let session = self.sessions.find(&self.id).map_err(|error| Error::on_screen(&error))?;
        if Some(&session.id) == self.present.as_ref() {
            return Err(Error::new(Kind::Usage, "this session is already open here"));
        }
        let opened = match self.onward {
            _ if !self.is_kept => self.sessions.look_into(&session).map(|opened| self.as_wished(opened)),
            Onward::Same => self.sessions.resume(&session),
            Onward::Fork => {
                let named = index::head(&session.path).map(|head| head.model);
                let named = named.filter(|model| !model.as_str().is_empty());
                self.sessions.fork(&session, &named.unwrap_or(self.model), self.now_ms)
            }
        };
        match opened {
            Ok(opened) => Ok(Picked::Taken(TakenSession(Box::new(opened)))),
            Err(SessionError::InUse { .. }) => Ok(Picked::Held),
            Err(error) => Err(Error::on_screen(&error)),
        }
    }

    /// Where nothing is kept, a copy is one by its ID alone.
    fn as_wished(&self, opened: Opened) -> Opened {
        match self.onward {
            Onward::Same => opened,
            Onward::Fork => Opened { id: SessionPlace::new_id(), ..opened },
        }
    }
}

impl App {
    /// The sessions of this directory but for the present one.
    #[must_use]
    pub fn session_list(&self) -> SessionList {
        SessionList {
            project: self.shelf().project,
            present: self.session.clone(),
            now_ms: self.clock.now_ms(),
        }
    }

    /// A session of this directory, or a copy of it, by its ID.
    #[must_use]
    pub fn taking(&self, id: &str, onward: Onward) -> Taking {
        let onward = match self.cli.session {
            Session::Picked(Onward::Fork) => Onward::Fork,
            _ => onward,
        };
        Taking {
            sessions: self.shelf(),
            id: id.to_owned(),
            onward,
            is_kept: self.keeps_sessions(),
            present: self.session.clone(),
            model: self.model.clone().unwrap_or_else(|| ModelId::from("")),
            now_ms: self.clock.now_ms(),
        }
    }

    /// At the start: goes on with this session; without one a new one begins.
    pub fn pick(&mut self, taken: Option<TakenSession>) {
        self.cli.session = Session::New;
        self.taken = taken.map_or(Taken::Nothing, |TakenSession(opened)| Taken::Opened(opened));
        self.adopt_session_model();
    }

    /// Goes on with this session in the place of the present one.
    ///
    /// # Errors
    /// During a run, or if there can be no agent for it; then everything is as it was.
    pub fn resume(&mut self, conversation: &mut Conversation, taken: TakenSession) -> Result<Facts, Error> {
        at_rest(conversation)?;
        let before = (self.model.clone(), self.place.added.clone());
        let TakenSession(opened) = taken;
        self.taken = Taken::Opened(opened);
        self.adopt_session_model();
        let facts = self.go_over(conversation);
        if facts.is_err() {
            (self.model, self.place.added) = before;
            self.taken = Taken::Nothing;
        }
        facts
    }

    /// Puts the session that was taken in the place of the present one.
    fn go_over(&mut self, conversation: &mut Conversation) -> Result<Facts, Error> {
        let model = self.model.clone().unwrap_or_else(|| conversation.agent().model().clone());
        let opened = self.open_session(&model)?;
        self.forget_directories();
        self.adopt_directories(&opened.history);
        let bench = Arc::new(self.bench(&opened.id)?);
        let agent = Arc::new(self.agent(&model)?);
        self.furnish(&bench, conversation.policy_cell(), &opened.history);
        let mut remarks: Vec<String> =
            std::mem::take(&mut self.remarks).into_iter().map(|(_, text)| text).collect();
        remarks.extend(opened.warnings);
        remarks.extend(rewind::cut_off(&opened.history));
        let resumed = resumed(&opened.history);
        self.session = Some(opened.id);
        // before it is the present one, whose file would hear of it
        let policy = conversation.policy();
        if self.mode_after(&opened.history) == Mode::Plan {
            conversation.policy_cell().swap(Policy { mode: Mode::Plan, ..policy });
        }
        conversation.renew(Fresh { agent, log: opened.log, bench, history: opened.history });
        self.open_in(conversation);
        Ok(Facts { resumed, remarks, ..self.facts_in(conversation.mode()) })
    }

    /// The conversation goes on in a copy of its session under a new ID. Says so.
    ///
    /// # Errors
    /// During a run, where nothing is saved or was said, or if the copy cannot be made; then it continues where it was.
    pub fn fork(&mut self, conversation: &mut Conversation) -> Result<String, Error> {
        at_rest(conversation)?;
        let refuse = |why: &str| Error::new(Kind::Usage, why.to_owned());
        let present = self.session().cloned();
        let present = present.ok_or_else(|| refuse("cannot fork: this session is not saved"))?;
        if conversation.history().is_empty() {
            return Err(refuse("cannot fork: the conversation is empty"));
        }
        if !conversation.is_saved() {
            return Err(refuse("cannot fork: this session is not completely saved"));
        }
        let sessions = self.sessions();
        let model = conversation.agent().model().clone();
        let session = sessions.find(present.as_str()).map_err(|error| Error::session(&error))?;
        let forked = sessions.fork(&session, &model, self.clock.now_ms());
        let forked = forked.map_err(|error| Error::session(&error))?;
        conversation.bench().outputs().move_to(sessions.project.join(forked.id.as_str()));
        conversation.go_on_in(forked.log);
        self.session = Some(forked.id.clone());
        Ok(format!("forked as {}; to resume the original: clawd -r {present}", forked.id))
    }

    /// Calls the session so. Says so.
    pub fn rename(&self, conversation: &mut Conversation, title: &str) -> String {
        let title = sanitize_line(title.trim());
        let title: String = self.place.redactor.redact(&title, Hide::Keys).chars().take(TITLE).collect();
        conversation.rename(title.clone());
        format!("session renamed: {title}")
    }
}
