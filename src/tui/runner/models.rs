//! What the endpoint is asked about its models, beside the conversation.
//!
//! The window is asked for behind the first answer of a model, when the connection stands and the model is loaded; before
//! that the only thing that matters is that first answer.

use super::{Done, Runner};
use crate::app::{Glimpse, ModelGlance, ModelList, ModelSearch, find_model, list_models, look_at_model};
use crate::conversation::Happening;
use crate::error::Error;
use crate::protocol::{AgentEvent, EntryBody, Message};
use crate::tui::msg::Reply;

/// What was found out.
pub(super) enum Found {
    /// The list that a picker waits for.
    List(Result<ModelList, Error>),
    /// What the endpoint has to choose from, where no model is named.
    Choice(Result<ModelList, Error>),
    /// What a look at the model in force has shown.
    Glimpse(Glimpse, Then),
}

/// What follows a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing.
    Nothing,
    /// What is in force is told.
    Status,
}

impl Runner {
    pub(super) fn start_listing(&mut self) -> Vec<Reply> {
        match self.app.model_search() {
            Ok(search) => {
                let asking = self.spawn(async move { Done::Models(Found::List(list_models(&search).await)) });
                self.listing = Some(asking);
                Vec::new()
            }
            Err(error) => vec![Reply::Unlisted(error.to_string())],
        }
    }

    pub(super) fn stop_listing(&mut self) -> Vec<Reply> {
        if let Some(asking) = self.listing.take() {
            asking.abort();
        }
        Vec::new()
    }

    /// Tells what is in force, as soon as the window is known or cannot be found out.
    pub(super) fn status(&mut self) -> Vec<Reply> {
        match self.app.model_glance() {
            Some(glance) => {
                self.look(glance, Then::Status);
                Vec::new()
            }
            None => self.told_status(),
        }
    }

    /// Behind the first answer of a model its window is asked for.
    pub(super) fn look_after(&mut self, happening: &Happening) {
        if is_answer(happening)
            && let Some(glance) = self.app.model_glance()
        {
            self.look(glance, Then::Nothing);
        }
    }

    /// One model is taken, among several the user chooses; where there is none, `find_model` knows what to say.
    pub(super) fn search_model(&mut self, search: ModelSearch) {
        self.spawn(async move {
            let found = match list_models(&search).await {
                Ok(list) if !list.models.is_empty() => Ok(list),
                Ok(_) | Err(_) => find_model(&search).await.map(ModelList::from),
            };
            Done::Models(Found::Choice(found))
        });
    }

    pub(super) fn take_found(&mut self, found: Found) -> Vec<Reply> {
        match found {
            Found::List(Ok(list)) if list.models.is_empty() => {
                vec![Reply::Unlisted(by_name("the endpoint reports no models"))]
            }
            Found::List(Ok(list)) => vec![Reply::Models(self.app.take_list(list))],
            Found::List(Err(error)) => vec![Reply::Unlisted(by_name(&error.to_string()))],
            Found::Choice(Ok(list)) => match self.app.take_list(list).as_slice() {
                [model] => self.take_model(model.name.as_str().into()),
                several => vec![Reply::Models(several.to_vec())],
            },
            Found::Choice(Err(error)) => self.ask_for_another(&error),
            Found::Glimpse(glimpse, then) => {
                let mut replies = vec![Reply::Insight(self.app.take_glimpse(glimpse))];
                if then == Then::Status {
                    replies.extend(self.told_status());
                }
                replies
            }
        }
    }

    fn look(&mut self, glance: ModelGlance, then: Then) {
        self.spawn(async move { Done::Models(Found::Glimpse(look_at_model(glance).await, then)) });
    }

    fn told_status(&self) -> Vec<Reply> {
        self.conversation.iter().map(|conversation| Reply::Lines(self.app.status(conversation))).collect()
    }
}

fn is_answer(happening: &Happening) -> bool {
    let Happening::Event(AgentEvent::Recorded(entry)) = happening else { return false };
    matches!(entry.body, EntryBody::Message(Message::Assistant(_)))
}

/// Why there is no list to choose from, and what there is instead.
fn by_name(why: &str) -> String {
    format!("{why}; use /model NAME to choose a model by name")
}
