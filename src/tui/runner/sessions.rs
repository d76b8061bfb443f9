//! What is wanted with sessions: the list and the last words of one beside everything else, the rest in its place.

use super::{Done, Runner, told};
use crate::app::{Onward, Picked};
use crate::conversation::Conversation;
use crate::tui::effect::{Onto, SessionWish};
use crate::tui::msg::{Reply, SessionReply};

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
            wish => match self.conversation.take() {
                Some(mut conversation) => {
                    let replies = self.session_of(&mut conversation, wish);
                    self.conversation = Some(conversation);
                    replies
                }
                None => match wish {
                    SessionWish::GoOn(onto) => self.pick_session(onto),
                    _ => Vec::new(),
                },
            },
        }
    }

    fn session_of(&mut self, conversation: &mut Conversation, wish: SessionWish) -> Vec<Reply> {
        match wish {
            SessionWish::List | SessionWish::Preview(_) | SessionWish::GoOn(Onto::New) => Vec::new(),
            SessionWish::GoOn(Onto::Session(id)) => self.go_over(conversation, id, Onward::Same),
            SessionWish::GoOn(Onto::ForkOf(id)) => self.go_over(conversation, id, Onward::Fork),
            SessionWish::Fork => vec![told(self.app.fork(conversation).map(Reply::Said))],
            SessionWish::AddDirectory(typed) => {
                vec![told(self.app.add_directory(conversation, &typed).map(Reply::Said))]
            }
            SessionWish::Rename(title) => vec![Reply::Said(self.app.rename(conversation, &title))],
        }
    }

    fn go_over(&mut self, conversation: &mut Conversation, id: String, onward: Onward) -> Vec<Reply> {
        match self.app.resume(conversation, &id, onward) {
            Ok(Picked::Held) => vec![Reply::Session(SessionReply::Held(id))],
            Ok(Picked::Taken(facts)) => {
                let todos = conversation.bench().todos().list();
                vec![Reply::Ready(Box::new(facts)), Reply::Todos(todos)]
            }
            Err(error) => vec![Reply::Failed(error.to_string())],
        }
    }

    /// Whatever does not go well leads back to the list.
    fn pick_session(&mut self, onto: Onto) -> Vec<Reply> {
        let (choice, id) = match onto {
            Onto::New => (None, String::new()),
            Onto::Session(id) => (Some((id.clone(), Onward::Same)), id),
            Onto::ForkOf(id) => (Some((id.clone(), Onward::Fork)), id),
        };
        match self.app.pick(choice) {
            Ok(Picked::Held) => vec![Reply::Session(SessionReply::Held(id))],
            Ok(Picked::Taken(())) => self.go_on_opening(),
            Err(error) => {
                let mut replies = vec![Reply::Failed(error.to_string())];
                replies.extend(self.go_on_opening());
                replies
            }
        }
    }
}
