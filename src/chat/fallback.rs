//! Other keys and other models, in turn: a decorator over services that differ in nothing but their key.
//!
//! It waits for nothing; that is [`super::retry`]'s, which belongs inside it. A key that was refused rests, in memory only,
//! while another one can be used; the key that works stays. The surprising decision: it remembers the key but not the
//! model. Which model goes on is the run's to say: the answer names it, and the next request asks for it.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::Instant;

use super::watch::Watch;
use super::{ChatError, ChatEvent, ChatObserver, ChatRequest, ChatService, Completion, Remedy};
use crate::protocol::{ModelId, NoticeKind};
use crate::text::units;

/// With these another model may help, once waiting did not.
const OVERLOADED: [u16; 3] = [429, 503, 529];

/// Too many requests.
const TOO_MANY: u16 = 429;

/// How long a key rests that was refused or asked too much, in minutes: the first time, the second, and so on.
const RESTS: [u64; 4] = [1, 5, 25, 60];

/// How long a key rests whose account is empty: the first time; each time twice as long.
const EMPTY_REST: Duration = Duration::from_hours(5);

/// No key rests longer.
const MAX_REST: Duration = Duration::from_hours(24);

/// Goes on with another key or another model.
#[derive(Debug)]
pub struct Fallback<S> {
    first: Keyed<S>,
    others: Vec<Keyed<S>>,
    models: Vec<ModelId>,
    state: Mutex<State>,
}

/// A service, and what to call its key.
#[derive(Debug)]
pub struct Keyed<S> {
    /// A variable, an option, a file: what a person is told. Never the key.
    pub name: String,
    /// Asks with this key.
    pub service: S,
}

/// What the keys have shown.
#[derive(Debug)]
struct State {
    /// Which key is asked: 0 is the first.
    current: usize,
    /// Of each key.
    rests: Vec<Rest>,
}

#[derive(Debug, Clone, Default)]
struct Rest {
    until: Option<Instant>,
    /// How often in a row it was refused or asked too much.
    refused: u32,
    /// How often in a row its account was empty.
    empty: u32,
}

/// What is wrong with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// It is not taken.
    Refused,
    /// Its account has nothing left.
    Empty,
    /// It asks too much; so long, where the endpoint said so.
    Busy(Option<Duration>),
}

/// How it goes on after an error.
enum Next<'a> {
    Key { blame: Blame, key: usize },
    Model(&'a ModelId),
    Nothing,
}

impl<S> Keyed<S> {
    /// `service` asks with the key of this name; the name is empty where it sends none.
    pub fn new(name: impl Into<String>, service: S) -> Self {
        Self { name: name.into(), service }
    }
}

impl<S> Fallback<S> {
    /// Asks `first`, then `others`, which have the further keys; and for the model of the request, then for `models`.
    pub fn new(first: Keyed<S>, others: Vec<Keyed<S>>, models: Vec<ModelId>) -> Self {
        let rests = vec![Rest::default(); others.len() + 1];
        Self { first, others, models, state: Mutex::new(State { current: 0, rests }) }
    }

    fn keyed(&self, key: usize) -> &Keyed<S> {
        key.checked_sub(1).and_then(|index| self.others.get(index)).unwrap_or(&self.first)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What comes after `error` of the key `key`. A key that must rest does so from now on.
    fn next<'a>(
        &self,
        error: &ChatError,
        key: usize,
        mut models: impl Iterator<Item = &'a ModelId>,
    ) -> Next<'a> {
        let blame = Blame::of(error).filter(|_| !self.others.is_empty());
        // That it asks a little too much another model mends as well, and the key is the right one.
        let passing = matches!(blame, Some(Blame::Busy(None)));
        let mut model = if wants_model(error) && (passing || blame.is_none()) { models.next() } else { None };
        if let (Some(blame), None) = (blame, model) {
            let mut state = self.state();
            state.rest(key, blame);
            if let Some(key) = state.usable_after(key) {
                return Next::Key { blame, key };
            }
            model = if wants_model(error) { models.next() } else { None };
        }
        model.map_or(Next::Nothing, Next::Model)
    }

    /// `error`, with the keys that rest and when the first of them is asked again.
    fn with_rests(&self, error: ChatError) -> ChatError {
        let now = Instant::now();
        let rests: Vec<(usize, Duration)> = {
            let state = self.state();
            let left = |(key, rest): (usize, &Rest)| Some((key, rest.left(now)?));
            state.rests.iter().enumerate().filter_map(left).collect()
        };
        let Some((soonest, left)) = rests.iter().min_by_key(|(_, left)| *left) else { return error };
        let names: Vec<&str> = rests.iter().map(|(key, _)| self.keyed(*key).name.as_str()).collect();
        let message = format!(
            "{error}; no other key is available: {} failed, {} can be used again in {}",
            names.join(" and "),
            self.keyed(*soonest).name,
            units::duration(*left),
        );
        ChatError { message, ..error }
    }

    fn notice(&self, blame: Blame, status: Option<u16>, from: usize, to: usize) -> String {
        let (from, to) = (&self.keyed(from).name, &self.keyed(to).name);
        let why = match blame {
            Blame::Refused => format!("the key in {from} was rejected"),
            Blame::Empty => format!("the key in {from} has no quota left"),
            Blame::Busy(None) => format!("the key in {from} is rate-limited"),
            Blame::Busy(Some(wait)) => {
                format!("the key in {from} is rate-limited for {}", units::duration(wait))
            }
        };
        format!("{why}{}; switching to {to}", numbered(status))
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
            let mut request = Cow::Borrowed(request);
            let mut key = self.state().choose();
            loop {
                let error = match self.keyed(key).service.chat(&request, &watch).await {
                    Ok(completion) => {
                        self.state().worked(key);
                        return Ok(completion);
                    }
                    Err(error) => error,
                };
                tracing::debug!(%error, key = self.keyed(key).name, model = %request.model, "no answer");
                let (kind, text) = match self.next(&error, key, &mut models) {
                    Next::Key { blame, key: next } => {
                        let text = self.notice(blame, error.status, key, next);
                        key = next;
                        (NoticeKind::KeyRotated, text)
                    }
                    Next::Model(model) => {
                        let text = give_way(&request.model, &error, model);
                        request.to_mut().model.clone_from(model);
                        (NoticeKind::Fallback, text)
                    }
                    Next::Nothing if Blame::of(&error).is_some() => return Err(self.with_rests(error)),
                    Next::Nothing => return Err(error),
                };
                if watch.has_shown() {
                    watch.on(void(&error)).await;
                }
                watch.on(ChatEvent::Notice { kind, text }).await;
            }
        })
    }
}

impl State {
    /// The key that worked last, unless it rests while another does not. Where all rest, the one that does so the
    /// shortest is asked all the same: its owner may have set it right, and nobody else can find out.
    fn choose(&mut self) -> usize {
        let now = Instant::now();
        if self.left(self.current, now).is_some() {
            let soonest = (0..self.rests.len()).min_by_key(|key| self.left(*key, now));
            self.current = self.usable_after(self.current).or(soonest).unwrap_or(self.current);
        }
        self.current
    }

    /// The next key behind `key` that does not rest.
    fn usable_after(&self, key: usize) -> Option<usize> {
        let now = Instant::now();
        let count = self.rests.len();
        (1..count).map(|step| (key + step) % count).find(|key| self.left(*key, now).is_none())
    }

    fn left(&self, key: usize, now: Instant) -> Option<Duration> {
        self.rests.get(key).and_then(|rest| rest.left(now))
    }

    fn worked(&mut self, key: usize) {
        self.current = key;
        if let Some(rest) = self.rests.get_mut(key) {
            *rest = Rest::default();
        }
    }

    fn rest(&mut self, key: usize, blame: Blame) {
        if let Some(rest) = self.rests.get_mut(key) {
            rest.begin(blame);
        }
    }
}

impl Rest {
    /// How long it still lasts.
    fn left(&self, now: Instant) -> Option<Duration> {
        self.until.and_then(|until| until.checked_duration_since(now)).filter(|left| !left.is_zero())
    }

    fn begin(&mut self, blame: Blame) {
        let now = Instant::now();
        if self.left(now).is_some() {
            // Of requests side by side each is refused: that is once. And nobody who asks early is punished for it.
            return;
        }
        let time = match blame {
            Blame::Busy(Some(wait)) => wait,
            Blame::Refused | Blame::Busy(None) => {
                let step = usize::try_from(self.refused).unwrap_or(usize::MAX).min(RESTS.len() - 1);
                self.refused = self.refused.saturating_add(1);
                Duration::from_mins(RESTS.get(step).copied().unwrap_or_default())
            }
            Blame::Empty => {
                let times = 2_u32.saturating_pow(self.empty);
                self.empty = self.empty.saturating_add(1);
                EMPTY_REST.saturating_mul(times)
            }
        };
        self.until = now.checked_add(time.min(MAX_REST));
    }
}

impl Blame {
    /// What `error` says of the key; none where it is not the key's.
    fn of(error: &ChatError) -> Option<Self> {
        match (&error.remedy, error.status) {
            (Remedy::NextKey, Some(401 | 403)) => Some(Self::Refused),
            (Remedy::NextKey, _) => Some(Self::Empty),
            (Remedy::Retry { after }, Some(TOO_MANY)) => Some(Self::Busy(*after)),
            (Remedy::GiveUp, Some(TOO_MANY)) => Some(Self::Busy(None)),
            (Remedy::Retry { .. } | Remedy::GiveUp | Remedy::NextModel | Remedy::Compact, _) => None,
        }
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

fn give_way(model: &ModelId, error: &ChatError, next: &ModelId) -> String {
    let why = match error.remedy {
        Remedy::NextModel => "is not available",
        _ if error.status == Some(TOO_MANY) => "is rate-limited",
        _ => "is overloaded",
    };
    format!("{model} {why}{}; switching to {next}", numbered(error.status))
}

fn numbered(status: Option<u16>) -> String {
    status.map_or_else(String::new, |status| format!(" ({status})"))
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

    const HOUR: Duration = Duration::from_hours(1);
    const MINUTE: Duration = Duration::from_mins(1);

    fn failure(remedy: Remedy, status: u16) -> Answer {
        Answer::failure(ChatError::new(remedy, "no").with_status(status))
    }

    fn refused() -> Answer {
        failure(Remedy::NextKey, 401)
    }

    fn busy(seconds: u64) -> Answer {
        failure(Remedy::Retry { after: Some(Duration::from_secs(seconds)) }, 429)
    }

    fn models() -> Vec<ModelId> {
        vec!["a".into(), "b".into(), "c".into()]
    }

    /// Keys `A`, `B`, … each with its script.
    fn keys(scripts: impl IntoIterator<Item = Vec<Answer>>, models: Vec<ModelId>) -> Fallback<Scripted> {
        let names = ["A", "B", "C"].into_iter();
        let mut keyed = names.zip(scripts).map(|(name, script)| Keyed::new(name, Scripted::new(script)));
        let first = keyed.next().unwrap();
        Fallback::new(first, keyed.collect(), models)
    }

    /// What was answered, or the error's message; and what was noticed meanwhile.
    async fn ask(service: &Fallback<Scripted>) -> (String, Vec<String>) {
        let heard = Heard::default();
        let outcome = service.chat(&request(), &heard).await;
        let said = outcome.map_or_else(|error| error.message, |completion| completion.message.text);
        (said, heard.notices().into_iter().map(|(_, text)| text).collect())
    }

    async fn expect(service: &Fallback<Scripted>, said: &str, notices: &[&str]) {
        let (answer, noticed) = ask(service).await;
        assert_eq!((answer.as_str(), noticed), (said, notices.iter().map(|&text| text.to_owned()).collect()));
    }

    fn left(service: &Fallback<Scripted>) -> Vec<usize> {
        std::iter::once(&service.first).chain(&service.others).map(|keyed| keyed.service.left()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_key_stays_once_it_works() {
        let service = keys(
            [vec![refused(), Answer::text("never")], vec![Answer::text("one"), Answer::text("two")]],
            Vec::new(),
        );
        expect(&service, "one", &["the key in A was rejected (401); switching to B"]).await;
        tokio::time::advance(48 * HOUR).await;
        expect(&service, "two", &[]).await;
    }

    #[tokio::test(start_paused = true)]
    async fn each_reason_to_take_another_key_is_told_in_its_own_words() {
        for (answer, notice) in [
            (failure(Remedy::NextKey, 403), "the key in A was rejected (403)"),
            (failure(Remedy::NextKey, 402), "the key in A has no quota left (402)"),
            (failure(Remedy::NextKey, 429), "the key in A has no quota left (429)"),
            (busy(578), "the key in A is rate-limited for 9 m 38 s (429)"),
            (failure(Remedy::GiveUp, 429), "the key in A is rate-limited (429)"),
        ] {
            let service = keys([vec![answer], vec![Answer::text("hi")]], Vec::new());
            expect(&service, "hi", &[&format!("{notice}; switching to B")]).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_rests_is_passed_over_while_another_can_be_used() {
        let service = keys(
            [vec![refused()], vec![refused(), Answer::text("never")], vec![Answer::text("hi"), refused()]],
            Vec::new(),
        );
        assert_eq!(ask(&service).await.0, "hi");
        tokio::time::advance(MINUTE / 2).await;
        // C fails too, while A and B still rest.
        let (error, notices) = ask(&service).await;
        assert_eq!(error, "no; no other key is available: A and B and C failed, A can be used again in 30 s");
        assert_eq!((notices.len(), left(&service)), (0, vec![0, 1, 0]));
    }

    #[tokio::test(start_paused = true)]
    async fn where_all_rest_the_error_says_which_and_how_long_and_the_first_is_asked_all_the_same() {
        let service = keys(
            [vec![failure(Remedy::NextKey, 402)], vec![refused(), refused(), Answer::text("mended")]],
            models(),
        );
        let expected = "no; no other key is available: A and B failed, B can be used again in 1 m";
        let notice = "the key in A has no quota left (402); switching to B";
        expect(&service, expected, &[notice]).await;
        // Whoever asks again at once is told the same, and rests no longer for it.
        expect(&service, expected, &[]).await;
        expect(&service, "mended", &[]).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_rests_longer_each_time() {
        async fn rests(answer: fn() -> Answer, times: usize) -> Vec<Duration> {
            let mut rests = Vec::new();
            let service = keys([Vec::new(), vec![refused(); 99]], Vec::new());
            for _ in 0..times {
                service.first.service.push(answer());
                service.state().current = 0;
                ask(&service).await;
                let left = service.state().left(0, Instant::now()).unwrap();
                rests.push(left);
                tokio::time::advance(left).await;
                service.state().rests[1] = Rest::default();
            }
            rests
        }
        let minutes =
            |counts: &[u64]| counts.iter().map(|count| Duration::from_mins(*count)).collect::<Vec<_>>();
        assert_eq!(rests(refused, 5).await, minutes(&[1, 5, 25, 60, 60]));
        assert_eq!(rests(|| failure(Remedy::GiveUp, 429), 3).await, minutes(&[1, 5, 25]));
        assert_eq!(
            rests(|| failure(Remedy::NextKey, 402), 4).await,
            [5 * HOUR, 10 * HOUR, 20 * HOUR, MAX_REST]
        );
        assert_eq!(rests(|| busy(578), 2).await, [Duration::from_secs(578); 2]);
        assert_eq!(rests(|| busy(u64::MAX), 1).await, [MAX_REST]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_wipes_the_slate() {
        let service =
            keys([vec![refused(), Answer::text("hi"), refused()], vec![refused(), refused()]], Vec::new());
        assert!(ask(&service).await.0.contains("A can be used again in 1 m"));
        tokio::time::advance(MINUTE).await;
        assert_eq!(ask(&service).await.0, "hi");
        assert!(ask(&service).await.0.contains("A can be used again in 1 m"), "not in 5");
    }

    #[tokio::test(start_paused = true)]
    async fn the_only_key_never_rests() {
        let service = keys([vec![refused(), refused(), Answer::text("mended")]], Vec::new());
        expect(&service, "no", &[]).await;
        expect(&service, "no", &[]).await;
        expect(&service, "mended", &[]).await;
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_further_key_the_error_stands() {
        let service = keys([vec![failure(Remedy::NextKey, 402)]], models());
        let error = service.chat(&request(), &Heard::default()).await.unwrap_err();
        assert_eq!((error.remedy, error.message.as_str()), (Remedy::NextKey, "no"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_gives_way_before_a_key_that_is_only_busy_and_after_one_that_must_wait() {
        let two = || vec![failure(Remedy::GiveUp, 429), Answer::text("hi")];
        let service = keys([two(), vec![Answer::text("other key")]], models());
        expect(&service, "hi", &["a is rate-limited (429); switching to b"]).await;
        let service = keys([vec![busy(578), Answer::text("hi")], vec![Answer::text("other key")]], models());
        expect(&service, "other key", &["the key in A is rate-limited for 9 m 38 s (429); switching to B"])
            .await;
        let service = keys([vec![busy(578), Answer::text("hi")]], models());
        expect(&service, "hi", &["a is rate-limited (429); switching to b"]).await;
    }

    #[tokio::test]
    async fn the_model_that_answers_is_named() {
        let answers = vec![failure(Remedy::NextModel, 404), failure(Remedy::GiveUp, 529), Answer::text("hi")];
        let (service, heard) = (keys([answers], models()), Heard::default());
        let completion = service.chat(&request(), &heard).await.unwrap();
        assert_eq!(completion.message.model, "c".into());
        let expected = ["a is not available (404); switching to b", "b is overloaded (529); switching to c"];
        assert_eq!(heard.notices(), expected.map(|text| (NoticeKind::Fallback, text.into())));
    }

    #[tokio::test]
    async fn another_model_does_not_help_against_everything() {
        for (remedy, status) in [(Remedy::Compact, 400), (Remedy::GiveUp, 400), (Remedy::GiveUp, 500)] {
            let service = keys([vec![failure(remedy, status), Answer::text("hi")]], models());
            assert!(service.chat(&request(), &Heard::default()).await.is_err(), "{status}");
        }
    }

    #[tokio::test]
    async fn what_the_first_model_said_is_void() {
        let busy = ChatError::new(Remedy::GiveUp, "busy").with_status(503);
        let script = vec![Answer::new().say("half").fail(busy), Answer::text("whole")];
        let (service, heard) = (keys([script], models()), Heard::default());
        assert_eq!(service.chat(&request(), &heard).await.unwrap().message.text, "whole");
        assert_eq!(heard.retries(), ["1/1!"]);
    }
}
