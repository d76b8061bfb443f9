//! Other keys and other models, in turn: a decorator over services that differ in nothing but their key.
//!
//! It waits for nothing; that is [`super::retry`]'s, which belongs inside it. The surprising decision: it remembers the key
//! that works but not the model. Which model goes on is the run's to say: the answer names it, and the next request asks
//! for it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::watch::Watch;
use super::{ChatError, ChatEvent, ChatObserver, ChatRequest, ChatService, Completion, Remedy};
use crate::protocol::{ModelId, NoticeKind};

/// With these another model may help, once waiting did not.
const OVERLOADED: [u16; 3] = [429, 503, 529];

/// Goes on with another key or another model.
#[derive(Debug)]
pub struct Fallback<S> {
    first: S,
    others: Vec<S>,
    /// Which of them is asked; 0 is the first.
    key: AtomicUsize,
    models: Vec<ModelId>,
}

impl<S> Fallback<S> {
    /// Asks `first`, then `others`, which have the further keys; and for the model of the request, then for `models`.
    pub fn new(first: S, others: Vec<S>, models: Vec<ModelId>) -> Self {
        Self { first, others, key: AtomicUsize::new(0), models }
    }

    fn service(&self, key: usize) -> &S {
        key.checked_sub(1).and_then(|index| self.others.get(index)).unwrap_or(&self.first)
    }
}

impl<S: ChatService> ChatService for Fallback<S> {
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        observer: &'a dyn ChatObserver,
    ) -> BoxFuture<'a, Result<Completion, ChatError>> {
        Box::pin(async move {
            let watch = Watch::new(observer);
            let mut models = self.models.iter().filter(|model| **model != request.model);
            let mut keys_left = self.others.len();
            let mut request = Cow::Borrowed(request);
            loop {
                let key = self.key.load(Ordering::Relaxed);
                let error = match self.service(key).chat(&request, &watch).await {
                    Ok(completion) => return Ok(completion),
                    Err(error) => error,
                };
                let (kind, text) = if error.remedy == Remedy::NextKey && keys_left > 0 {
                    keys_left -= 1;
                    self.key.store((key + 1) % (self.others.len() + 1), Ordering::Relaxed);
                    (NoticeKind::KeyRotated, format!("{error}; going on with the next key"))
                } else if wants_model(&error)
                    && let Some(model) = models.next()
                {
                    request.to_mut().model.clone_from(model);
                    (NoticeKind::Fallback, format!("{error}; going on with {model}"))
                } else {
                    return Err(error);
                };
                if watch.has_shown() {
                    watch.on(void(&error)).await;
                }
                watch.on(ChatEvent::Notice { kind, text }).await;
            }
        })
    }
}

fn wants_model(error: &ChatError) -> bool {
    match error.remedy {
        Remedy::NextModel => true,
        Remedy::Retry { .. } | Remedy::GiveUp => {
            error.status.is_some_and(|status| OVERLOADED.contains(&status))
        }
        Remedy::NextKey | Remedy::Compact => false,
    }
}

/// What was told of this answer does not count: it begins anew, at once.
fn void(error: &ChatError) -> ChatEvent {
    let (delay, error) = (Duration::ZERO, error.message.clone());
    ChatEvent::Retry { attempt: 1, of: 1, delay, error, discard: true }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{Answer, Scripted};
    use super::super::testing::{Heard, request};
    use super::*;

    fn failure(remedy: Remedy, status: u16) -> Answer {
        Answer::failure(ChatError::new(remedy, "no").with_status(status))
    }

    fn models() -> Vec<ModelId> {
        vec!["a".into(), "b".into(), "c".into()]
    }

    #[tokio::test]
    async fn the_next_key_stays_once_it_works() {
        let first = Scripted::new([failure(Remedy::NextKey, 401)]);
        let second = Scripted::new([Answer::text("one"), Answer::text("two")]);
        let (service, heard) = (Fallback::new(first, vec![second], Vec::new()), Heard::default());
        for expected in ["one", "two"] {
            assert_eq!(service.chat(&request(), &heard).await.unwrap().message.text, expected);
        }
        assert_eq!(heard.notices(), [(NoticeKind::KeyRotated, "no; going on with the next key".into())]);
    }

    #[tokio::test]
    async fn without_a_further_key_the_error_stands() {
        let keys = || Scripted::new([failure(Remedy::NextKey, 402)]);
        let (service, heard) = (Fallback::new(keys(), vec![keys()], models()), Heard::default());
        assert_eq!(service.chat(&request(), &heard).await.unwrap_err().remedy, Remedy::NextKey);
        assert_eq!(heard.notices().len(), 1);
    }

    #[tokio::test]
    async fn the_model_that_answers_is_named() {
        let answers = [failure(Remedy::NextModel, 404), failure(Remedy::GiveUp, 529), Answer::text("hi")];
        let (service, heard) =
            (Fallback::new(Scripted::new(answers), Vec::new(), models()), Heard::default());
        let completion = service.chat(&request(), &heard).await.unwrap();
        assert_eq!(completion.message.model, "c".into());
        let expected =
            ["no; going on with b", "no; going on with c"].map(|text| (NoticeKind::Fallback, text.into()));
        assert_eq!(heard.notices(), expected);
    }

    #[tokio::test]
    async fn another_model_does_not_help_against_everything() {
        for (remedy, status) in [(Remedy::Compact, 400), (Remedy::GiveUp, 400), (Remedy::GiveUp, 500)] {
            let script = Scripted::new([failure(remedy, status), Answer::text("hi")]);
            let service = Fallback::new(script, Vec::new(), models());
            assert!(service.chat(&request(), &Heard::default()).await.is_err(), "{status}");
        }
    }

    #[tokio::test]
    async fn what_the_first_model_said_is_void() {
        let busy = ChatError::new(Remedy::GiveUp, "busy").with_status(503);
        let script = Scripted::new([Answer::new().say("half").fail(busy), Answer::text("whole")]);
        let (service, heard) = (Fallback::new(script, Vec::new(), models()), Heard::default());
        assert_eq!(service.chat(&request(), &heard).await.unwrap().message.text, "whole");
        assert_eq!(heard.retries(), ["1/1!"]);
    }
}
