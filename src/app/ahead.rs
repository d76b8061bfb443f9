//! A session that is being read while the screen begins: what is shown of it meanwhile, and its arrival.
//!
//! Which session goes on, and that it is free, is known before there is a screen; to read it takes a millisecond for each
//! megabyte. The surprise: what is shown meanwhile comes from the file's end alone. It is true where nothing strange stands
//! there, but nothing begins with it: there is no conversation before all of the file was read, and what is shown then stands
//! in the place of all that was shown ahead.

use std::thread::{self, JoinHandle};

use super::begin::{SHOWN_AGAIN, Taken, is_spoken, resumed};
use super::facts::{Facts, Resumed};
use super::resume::TakenSession;
use super::{App, Showing};
use crate::config::Endpoint;
use crate::error::{Error, Kind};
use crate::protocol::History;
use crate::session::{HeldSession, Opened, SessionError, SessionRef};

/// When a session is read that is to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadSession {
    /// Before anything else.
    First,
    /// While the screen begins, where its end can be shown at once.
    Beside,
}

/// A session that is ours and is being read.
#[derive(Debug)]
pub(super) struct Coming {
    /// Its last messages alone.
    ending: History,
    reading: Reading,
}

/// The reading of a session; it goes on by itself.
#[derive(Debug)]
pub struct Reading(JoinHandle<Result<Opened, SessionError>>);

impl Reading {
    /// Waits until all of it is read.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn wait(self) -> Result<TakenSession, Error> {
        let lost = |_panic| Err(Error::new(Kind::Internal, "cannot read the session: internal error"));
        self.0.join().map_or_else(lost, |read| match read {
            Ok(opened) => Ok(TakenSession(Box::new(opened))),
            Err(error) => Err(Error::session(&error)),
        })
    }
}

impl Coming {
    /// Begins to read.
    fn read(ending: History, held: HeldSession) -> std::io::Result<Self> {
        let reading = thread::Builder::new().name("session".to_owned()).spawn(|| held.read())?;
        Ok(Self { ending, reading: Reading(reading) })
    }
}

impl App {
    /// Takes a session to go on with in its own file, and reads it at the time that the caller of [`App::open`] wished.
    pub(super) fn take_to_go_on(&self, session: &SessionRef) -> Result<Taken, SessionError> {
        let sessions = self.shelf();
        let held = sessions.hold(session)?;
        let is_beside = self.read_session == ReadSession::Beside && self.config.tui.showing == Showing::Drawn;
        let Some(ending) = is_beside.then(|| held.ending(is_enough)).flatten() else {
            return Ok(Taken::Opened(Box::new(held.read()?)));
        };
        match Coming::read(ending, held) {
            Ok(coming) => Ok(Taken::Coming(Box::new(coming))),
            // without a thread to spare it is read here
            Err(_no_thread) => Ok(Taken::Opened(Box::new(sessions.resume(session)?))),
        }
    }

    /// The session that is being read, once: its reading, which ends in [`App::pick`], and what can be shown of it meanwhile.
    pub fn coming(&mut self) -> Option<(Reading, Option<Facts>)> {
        let Taken::Coming(coming) = std::mem::take(&mut self.taken) else { return None };
        let Coming { ending, reading } = *coming;
        Some((reading, self.ahead(&ending)))
    }

    /// What will probably be told of a conversation with this end; nothing where something has to be asked first.
    fn ahead(&mut self, ending: &History) -> Option<Facts> {
        // what is decided here counts for the screen alone
        let before = (self.model.clone(), self.remarks.clone());
        ending.model().cloned().into_iter().for_each(|model| self.adopt_model(model));
        let facts = self.model.clone().filter(|_| self.config.endpoint != Endpoint::None).map(|model| {
            let texts = self.remarks.iter().map(|(_, text)| text.clone());
            Facts {
                resumed: resumed(ending).map(|resumed| Resumed { before: None, ..resumed }),
                remarks: texts
                    .chain(self.told.notes().iter().cloned())
                    .chain(self.unpriced(&model))
                    .collect(),
                ..self.facts_in(self.mode_after(ending))
            }
        });
        (self.model, self.remarks) = before;
        facts
    }
}

/// Whether no earlier message is among those that are shown again.
fn is_enough(ending: &History) -> bool {
    ending.messages().filter(|message| is_spoken(message)).count() >= SHOWN_AGAIN
}
