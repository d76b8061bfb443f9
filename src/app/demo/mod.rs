//! `clawd demo`: a script plays the model; the loop, the tools, the questions and the files are real.
//!
//! The script is a [`ChatService`] like any other and knows no more than a model would: it reads the conversation and
//! answers it. So nothing here counts turns, and a refusal, an abort, a question in between or a rule that forbids a
//! call leads on to the next thing that makes sense. The surprising decision: it says first of all that it is a script.
//! `tour` reads off the conversation what was played, `script` says what comes next, `words` are its words, `sample`
//! is the project that it works on.

mod sample;
mod script;
#[cfg(test)]
mod tests;
mod tour;
mod words;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::chat::{ChatError, ChatObserver, ChatRequest, ChatService, Completion, RequestMessage, Scripted};
use crate::error::{Error, Kind};
use crate::protocol::{Message, ModelId};

pub(super) use sample::Sample;
pub use words::PROMPT;

/// The name under which the script stands on the screen.
pub(super) const MODEL: &str = "demo-script";

/// A word each so often: about the pace of a quick model, and slow enough to be read along.
const PACE: Duration = Duration::from_millis(25);

/// The script in the model's place.
///
/// # Errors
/// Where another model is wanted: there is only this one, and it must not speak under another's name.
pub(super) fn chat(model: &ModelId) -> Result<Arc<dyn ChatService>, Error> {
    if model.as_str() == MODEL { Ok(Arc::new(Script { pace: PACE })) } else { Err(alone()) }
}

/// There is no other model here.
pub(super) fn alone() -> Error {
    Error::new(Kind::Config, "the demo has only one model, its script")
        .hint("try `clawd --base-url URL --model NAME`")
}

/// Answers every conversation with the next part of the tour.
struct Script {
    pace: Duration,
}

impl ChatService for Script {
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        observer: &'a dyn ChatObserver,
    ) -> BoxFuture<'a, Result<Completion, ChatError>> {
        let player = Scripted::new([script::answer(kept(request))]).paced(self.pace);
        Box::pin(async move { player.chat(request, observer).await })
    }
}

fn kept(request: &ChatRequest) -> impl Iterator<Item = &Message> {
    request.messages.iter().filter_map(|message| match message {
        RequestMessage::Kept(slot, _) => Some(&slot.message),
        RequestMessage::Text(_) => None,
    })
}
