//! What comes before there is anybody to talk to: trust, an endpoint, a model, and then the conversation.

use super::{Choice, Done, Runner};
use crate::app::{First, Lasting, find_sandbox};
use crate::conversation::Attendance;
use crate::error::Error;
use crate::protocol::ModelId;
use crate::tui::effect::{Effect, EndpointChoice, TrustAnswer};
use crate::tui::model::setup::{FirstRun, Looking};
use crate::tui::msg::{Msg, Reply, SessionReply};

impl Runner {
    /// Opens the conversation, or asks what stands before it.
    pub fn open(&mut self) -> Vec<Msg> {
        self.look_for_draft();
        let mut replies = vec![Reply::InputHistory(self.app.input_history())];
        replies.extend(self.go_on_opening());
        replies.into_iter().map(Msg::Reply).collect()
    }

    pub(super) fn trust(&mut self, answer: TrustAnswer) -> Vec<Reply> {
        let kept = match answer {
            TrustAnswer::Trust => self.app.trust(Lasting::Remembered),
            TrustAnswer::LookOnly => {
                self.app.look_only();
                Ok(())
            }
        };
        let mut replies = failed(kept);
        replies.extend(self.go_on_opening());
        replies
    }

    pub(super) fn choose(&mut self, choice: EndpointChoice) -> Vec<Reply> {
        let chosen = match choice {
            EndpointChoice::Demo => self.app.go_demo(),
            EndpointChoice::Url { url, key } => self.app.choose_endpoint(&url, key.as_deref()),
        };
        match chosen {
            Ok(()) => {
                self.choice = Choice::OnScreen;
                self.go_on_opening()
            }
            Err(error) => self.ask_for_another(&error),
        }
    }

    /// The one thing that can be wanted of nobody: to be somebody.
    pub(super) fn without_conversation(&mut self, effect: Effect) -> Vec<Reply> {
        match effect {
            Effect::SwitchModel(name) => self.take_model(ModelId::from(name.as_str())),
            _ => Vec::new(),
        }
    }

    pub(super) fn take_model(&mut self, model: ModelId) -> Vec<Reply> {
        self.app.name_model(model);
        let mut replies = match self.choice {
            Choice::OnScreen => failed(self.app.keep_choice()),
            Choice::Configured => Vec::new(),
        };
        replies.extend(self.go_on_opening());
        replies
    }

    /// The endpoint does not do: says why, and shows what else there is.
    pub(super) fn ask_for_another(&mut self, error: &Error) -> Vec<Reply> {
        self.search_servers();
        let offer = FirstRun { servers: Vec::new(), looking: Looking::Yes };
        vec![Reply::Failed(error.to_string()), Reply::AskEndpoint(offer)]
    }

    pub(super) fn go_on_opening(&mut self) -> Vec<Reply> {
        match self.app.first() {
            First::Trust(question) => vec![Reply::AskTrust(Box::new(question))],
            First::Session => vec![Reply::Session(SessionReply::Wanted)],
            First::Reading => self.await_session(),
            First::Endpoint => {
                self.search_servers();
                vec![Reply::AskEndpoint(FirstRun { servers: Vec::new(), looking: Looking::Yes })]
            }
            First::Model => match self.app.model_search() {
                Ok(search) => {
                    self.search_model(search);
                    Vec::new()
                }
                Err(error) => self.ask_for_another(&error),
            },
            First::Nothing => self.begin(),
        }
    }

    fn begin(&mut self) -> Vec<Reply> {
        match self.app.begin(Attendance::Attended) {
            Ok(begun) => {
                let todos = begun.conversation.bench().todos().list();
                let policy = begun.conversation.policy();
                self.spawn(async { Done::Sandbox(find_sandbox(policy).await) });
                self.conversation = Some(begun.conversation);
                vec![Reply::Ready(Box::new(begun.facts)), Reply::Todos(todos)]
            }
            Err(error) => self.ask_for_another(&error),
        }
    }
}

fn failed(done: Result<(), Error>) -> Vec<Reply> {
    done.err().map(|error| Reply::Failed(error.to_string())).into_iter().collect()
}
