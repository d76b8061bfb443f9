//! What is wanted with sessions: lists, last words and the reading of one that is to go on beside everything else, the rest in
//! its place.
//!
//! The surprise: while one is being read, whatever is wanted of the conversation waits, for it is not said yet which
//! conversation is meant. What was typed is kept at once, whatever becomes of it.

use tokio::task::JoinError;

use super::{Done, Runner, told};
use crate::app::{Onward, Picked, TakenSession};
use crate::conversation::Conversation;
use crate::error::{Error, Kind};
use crate::tui::effect::{Effect, Onto, SessionWish};
use crate::tui::msg::{Reply, SessionReply};

/// A session that is being opened.
#[derive(Debug)]
pub(super) struct Going {
    id: String,
    /// Whether it is still wanted.
    wanted: bool,
    /// What is wanted of the conversation meanwhile.
    later: Vec<Effect>,
}

/// What became of it.
pub(super) type Read = Result<Picked<TakenSession>, Error>;

impl Runner {
    /// What needs no conversation, and what makes one.
    pub(super) fn session(&mut self, wish: SessionWish) -> Vec<Reply> {
        match wish {
            SessionWish::List => {
                let list = self.app.session_list();
                self.beside(move || Done::Session(SessionReply::Listed(list.list())));
                Vec::new()
            }
            SessionWish::Preview(id) => {
                let list = self.app.session_list();
                self.beside(move || {
                    let lines = list.preview(&id);
                    Done::Session(SessionReply::Preview { id, lines })
                });
                Vec::new()
            }
            SessionWish::GoOn(Onto::New) if self.conversation.is_some() => Vec::new(),
            SessionWish::GoOn(Onto::New) => {
                self.app.pick(None);
                self.go_on_opening()
            }
            SessionWish::GoOn(Onto::Session(id)) => self.open_session(id, Onward::Same),
            SessionWish::GoOn(Onto::ForkOf(id)) => self.open_session(id, Onward::Fork),
            wish => {
                let Some(mut conversation) = self.conversation.take() else { return Vec::new() };
                let replies = self.session_of(&mut conversation, wish);
                self.conversation = Some(conversation);
                replies
            }
        }
    }

    fn session_of(&mut self, conversation: &mut Conversation, wish: SessionWish) -> Vec<Reply> {
        match wish {
            SessionWish::List | SessionWish::Preview(_) | SessionWish::GoOn(_) | SessionWish::Stay => {
                Vec::new()
            }
            SessionWish::Fork => vec![told(self.app.fork(conversation).map(Reply::Said))],
            SessionWish::AddDirectory(typed) => {
                vec![told(self.app.add_directory(conversation, &typed).map(Reply::Said))]
            }
            SessionWish::Rename(title) => vec![Reply::Said(self.app.rename(conversation, &title))],
        }
    }

    /// Keeps back what is wanted while a session is being opened; gives what need not wait.
    pub(super) fn keep_back(&mut self, effect: Effect) -> Option<Effect> {
        let Some(going) = &mut self.going else { return Some(effect) };
        match &effect {
            Effect::Session(SessionWish::List | SessionWish::Preview(_))
            | Effect::KeepInput(_)
            | Effect::KeepDraft(_)
            | Effect::FindFiles(_) => return Some(effect),
            Effect::Session(SessionWish::Stay) => {
                going.wanted = false;
                return None;
            }
            Effect::Session(SessionWish::GoOn(onto)) => {
                if going.wanted && *onto == Onto::Session(going.id.clone()) {
                    return None;
                }
                going.wanted = false;
            }
            _ => {}
        }
        going.later.push(effect);
        None
    }

    /// The session that the program was begun with is being read: what it will probably show, and then it.
    pub(super) fn await_session(&mut self) -> Vec<Reply> {
        let Some((reading, ahead)) = self.app.coming() else { return Vec::new() };
        self.going = Some(Going { id: String::new(), wanted: true, later: Vec::new() });
        self.spawn(async {
            let read = tokio::task::spawn_blocking(|| reading.wait()).await;
            Done::Awaited(read.unwrap_or_else(|error| Err(unread(&error))))
        });
        let shown = |facts| Reply::Session(SessionReply::Ahead(Box::new(facts)));
        ahead.map(shown).into_iter().collect()
    }

    /// It is read. If it cannot be, the program ends as it does where a session cannot be opened.
    pub(super) fn take_awaited(&mut self, read: Result<TakenSession, Error>) -> Vec<Reply> {
        match read {
            Ok(taken) => self.take_read(Ok(Picked::Taken(taken))),
            Err(error) => {
                self.unread = Some(error);
                vec![Reply::Session(SessionReply::Unread)]
            }
        }
    }

    fn open_session(&mut self, id: String, onward: Onward) -> Vec<Reply> {
        let taking = self.app.taking(&id, onward);
        self.going = Some(Going { id, wanted: true, later: Vec::new() });
        self.spawn(async {
            let read = tokio::task::spawn_blocking(|| taking.take()).await;
            // whatever becomes of it, somebody waits
            Done::Read(read.unwrap_or_else(|error| Err(unread(&error))))
        });
        Vec::new()
    }

    /// The session is read, or cannot be. What waited for that follows.
    pub(super) fn take_read(&mut self, read: Read) -> Vec<Reply> {
        let Some(Going { id, wanted, later }) = self.going.take() else { return Vec::new() };
        let mut replies = match read {
            _ if !wanted => Vec::new(),
            Ok(Picked::Held) => vec![Reply::Session(SessionReply::Held(id))],
            Ok(Picked::Taken(taken)) => self.go_over(taken),
            Err(error) => self.not_opened(&error),
        };
        let is_ready = replies.iter().any(|reply| matches!(reply, Reply::Ready(_)));
        for effect in later {
            replies.extend(self.carry_out_now(effect));
        }
        // another one may be opened instead
        if !is_ready && self.going.is_none() {
            replies.push(Reply::Session(SessionReply::Stays));
        }
        replies
    }

    fn go_over(&mut self, taken: TakenSession) -> Vec<Reply> {
        let Some(mut conversation) = self.conversation.take() else {
            self.app.pick(Some(taken));
            return self.go_on_opening();
        };
        let gone = self.app.resume(&mut conversation, taken);
        let todos = conversation.bench().todos().list();
        self.conversation = Some(conversation);
        match gone {
            Ok(facts) => vec![Reply::Ready(Box::new(facts)), Reply::Todos(todos)],
            Err(error) => self.not_opened(&error),
        }
    }

    /// Before there is a conversation this leads back to the list.
    fn not_opened(&mut self, error: &Error) -> Vec<Reply> {
        let mut replies = vec![Reply::Failed(error.to_string())];
        if self.conversation.is_none() {
            replies.extend(self.go_on_opening());
        }
        replies
    }
}

fn unread(error: &JoinError) -> Error {
    Error::new(Kind::Internal, format!("cannot read the session: {error}"))
}
