//! Asking again, with patience: a decorator over any service.
//!
//! It knows nothing of HTTP: what may be asked again says the error's remedy, how often says how far it came. The
//! surprising decision: until an endpoint has answered once in this process, a connection that cannot be made is tried
//! again only once, for then it is more likely a wrong address than a bad moment. All pauses are of the steady clock.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::watch::Watch;
use super::{ChatError, ChatEvent, ChatObserver, ChatRequest, ChatService, Completion, Remedy, Stage};
use crate::text::units;

/// First pause in milliseconds; each one is twice as long as the one before.
const FIRST_PAUSE_MS: u64 = 500;

/// Longest pause of our own.
const MAX_PAUSE_MS: u64 = 30_000;

/// Longest pause that an endpoint may ask for; beyond it a person should decide.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// A stream that breaks thrice breaks for a reason.
const MAX_BREAKS: u32 = 2;

/// Silence has cost minutes by then.
const MAX_SILENCES: u32 = 1;

/// Before the first answer.
const MAX_REFUSED_CONNECTIONS: u32 = 1;

/// Asks again what may be asked again.
pub struct Retry<S> {
    inner: S,
    max_retries: u32,
    /// State of the generator of jitter.
    jitter: AtomicU64,
    first_answer: FirstAnswer,
    /// How a pause passes.
    sleep: Sleep,
}

/// Whether any endpoint has ever answered, be it by an error: one value for the whole process, in which clones share.
#[derive(Debug, Clone, Default)]
pub struct FirstAnswer(Arc<AtomicBool>);

type Sleep = fn(Duration) -> BoxFuture<'static, ()>;

/// The next try.
struct Next {
    attempt: u32,
    of: u32,
    delay: Duration,
}

/// How often what has been asked again, for one request.
#[derive(Debug, Default)]
struct Tally {
    connections: u32,
    requests: u32,
    streams: u32,
    silences: u32,
}

impl<S> Retry<S> {
    /// Asks `inner` at most `max_retries` times again. `seed` is for the jitter: any number will do, another one for each
    /// process. `first_answer` is the process's.
    pub fn new(inner: S, max_retries: u32, seed: u64, first_answer: FirstAnswer) -> Self {
        let sleep = |time| -> BoxFuture<'static, ()> { Box::pin(tokio::time::sleep(time)) };
        Self { inner, max_retries, jitter: AtomicU64::new(seed), first_answer, sleep }
    }

    /// The same with pauses that are told but not waited for: for tests with real sockets, whose time cannot be moved.
    #[cfg(test)]
    pub(super) fn hurried(self) -> Self {
        Self { sleep: |_| Box::pin(tokio::task::yield_now()), ..self }
    }

    /// Whether to try once more after `error`, and when. Counts it.
    fn next(&self, error: &ChatError, tally: &mut Tally) -> Option<Next> {
        let Remedy::Retry { after } = error.remedy else { return None };
        let (total, of) = (tally.total(), self.limit(error.stage));
        let count = tally.of(error.stage);
        if *count >= of || total >= self.max_retries || after.is_some_and(|after| after > MAX_WAIT) {
            return None;
        }
        *count += 1;
        Some(Next { attempt: *count, of, delay: after.unwrap_or_else(|| self.pause(total)) })
    }

    fn limit(&self, stage: Stage) -> u32 {
        let limit = match stage {
            Stage::Connect if !self.first_answer.has_come() => MAX_REFUSED_CONNECTIONS,
            Stage::Connect | Stage::Request => self.max_retries,
            Stage::Stream => MAX_BREAKS,
            Stage::Silence => MAX_SILENCES,
        };
        limit.min(self.max_retries)
    }

    /// The pause before the try after `tries` of them, give or take a fifth: so that many clients do not come back at once.
    fn pause(&self, tries: u32) -> Duration {
        let pause = FIRST_PAUSE_MS.saturating_mul(2_u64.saturating_pow(tries)).min(MAX_PAUSE_MS);
        let permille = 800 + self.random() % 401;
        Duration::from_millis((pause * permille / 1000).min(MAX_PAUSE_MS))
    }

    /// splitmix64: three lines, and good enough to spread pauses.
    fn random(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = self.jitter.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

impl<S: ChatService> ChatService for Retry<S> {
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        observer: &'a dyn ChatObserver,
    ) -> BoxFuture<'a, Result<Completion, ChatError>> {
        Box::pin(async move {
            let watch = Watch::new(observer);
            let mut tally = Tally::default();
            loop {
                let outcome = self.inner.chat(request, &watch).await;
                if !matches!(&outcome, Err(error) if error.stage == Stage::Connect) {
                    self.first_answer.note();
                }
                let error = match outcome {
                    Ok(completion) => return Ok(completion),
                    Err(error) => error,
                };
                let Some(Next { attempt, of, delay }) = self.next(&error, &mut tally) else {
                    return Err(given_up(error));
                };
                let (error, discard) = (error.message, watch.has_shown());
                watch.on(ChatEvent::Retry { attempt, of, delay, error, discard }).await;
                (self.sleep)(delay).await;
            }
        })
    }
}

impl FirstAnswer {
    fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<S> fmt::Debug for Retry<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("max_retries", &self.max_retries).finish_non_exhaustive()
    }
}

impl Tally {
    fn of(&mut self, stage: Stage) -> &mut u32 {
        match stage {
            Stage::Connect => &mut self.connections,
            Stage::Request => &mut self.requests,
            Stage::Stream => &mut self.streams,
            Stage::Silence => &mut self.silences,
        }
    }

    fn total(&self) -> u32 {
        self.connections + self.requests + self.streams + self.silences
    }
}

/// The error as it leaves: nobody should ask again at once what was asked again often enough. One that names a wait of more
/// than a minute keeps its remedy, and says when.
fn given_up(error: ChatError) -> ChatError {
    match error.remedy {
        Remedy::Retry { after: Some(after) } if after > MAX_WAIT => {
            let message = format!("{}; try again in {}", error.message, units::duration(after));
            ChatError { message, ..error }
        }
        Remedy::Retry { .. } => ChatError { remedy: Remedy::GiveUp, ..error },
        Remedy::NextKey | Remedy::NextModel | Remedy::Compact | Remedy::GiveUp => error,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::time::Instant;

    use super::super::scripted::{Answer, Scripted};
    use super::super::testing::{Heard, request};
    use super::*;

    fn error(stage: Stage) -> ChatError {
        ChatError::new(Remedy::Retry { after: None }, "busy").at(stage)
    }

    fn after(seconds: u64) -> ChatError {
        ChatError::new(Remedy::Retry { after: Some(Duration::from_secs(seconds)) }, "busy").with_status(429)
    }

    /// Plays `answers` and says what was announced, how it ended, and how long it took.
    async fn play(answers: Vec<Answer>) -> (Vec<String>, Result<Completion, ChatError>, Duration) {
        let service = Retry::new(Scripted::new(answers), 5, 7, FirstAnswer::default());
        let (heard, start) = (Heard::default(), Instant::now());
        let outcome = service.chat(&request(), &heard).await;
        (heard.retries(), outcome, start.elapsed())
    }

    #[track_caller]
    fn assert_about(time: Duration, seconds: f64) {
        let seconds = seconds * 0.8..=seconds * 1.2;
        assert!(seconds.contains(&time.as_secs_f64()), "{time:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_endpoint_is_asked_again_with_growing_pauses() {
        let mut answers = vec![Answer::failure(error(Stage::Request)); 5];
        answers.push(Answer::text("at last"));
        let (retries, outcome, time) = play(answers).await;
        assert_eq!(retries, ["1/5", "2/5", "3/5", "4/5", "5/5"]);
        assert_eq!(outcome.unwrap().message.text, "at last");
        assert_about(time, 0.5 + 1.0 + 2.0 + 4.0 + 8.0);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_has_an_end() {
        let (retries, outcome, _) = play(vec![Answer::failure(error(Stage::Request)); 9]).await;
        assert_eq!(retries.len(), 5);
        assert_eq!(outcome.unwrap_err().remedy, Remedy::GiveUp);
    }

    #[tokio::test(start_paused = true)]
    async fn each_stage_has_a_limit_of_its_own() {
        let limit = |stage: Stage| async move { play(vec![Answer::failure(error(stage)); 9]).await.0 };
        assert_eq!(limit(Stage::Connect).await, ["1/1"]);
        assert_eq!(limit(Stage::Stream).await, ["1/2", "2/2"]);
        assert_eq!(limit(Stage::Silence).await, ["1/1"]);
        let all =
            [Stage::Request, Stage::Stream, Stage::Silence, Stage::Connect, Stage::Request, Stage::Request];
        let mixed = all.map(|stage| Answer::failure(error(stage)));
        assert_eq!(play(mixed.to_vec()).await.0, ["1/5", "1/2", "1/1", "1/5", "2/5"]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_endpoint_that_has_answered_is_given_more_time_to_come_back() {
        let answers = [Answer::text("hi")].into_iter().chain(vec![Answer::failure(error(Stage::Connect)); 9]);
        let service = Retry::new(Scripted::new(answers), 5, 7, FirstAnswer::default());
        let heard = Heard::default();
        assert!(service.chat(&request(), &heard).await.is_ok());
        assert!(service.chat(&request(), &heard).await.is_err());
        assert_eq!(heard.retries().len(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn what_waiting_does_not_mend_is_not_asked_again() {
        for remedy in [Remedy::NextKey, Remedy::NextModel, Remedy::Compact, Remedy::GiveUp] {
            let (retries, outcome, _) =
                play(vec![Answer::failure(ChatError::new(remedy.clone(), "no"))]).await;
            assert_eq!((retries.len(), outcome.unwrap_err().remedy), (0, remedy));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_endpoint_says_how_long_to_wait_up_to_a_minute() {
        let (retries, _, time) = play(vec![Answer::failure(after(60)), Answer::text("hi")]).await;
        assert_eq!((retries.len(), time), (1, Duration::from_mins(1)));
        let (retries, outcome, time) = play(vec![Answer::failure(after(125 * 60)), Answer::text("hi")]).await;
        let error = outcome.unwrap_err();
        assert_eq!((retries.len(), error.status, time), (0, Some(429), Duration::ZERO));
        assert_eq!(error.message, "busy; try again in 2 h 5 m");
        assert_eq!(error.remedy, Remedy::Retry { after: Some(Duration::from_mins(125)) });
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_to_anyone_counts_for_the_whole_process() {
        let first_answer = FirstAnswer::default();
        let refused = || Scripted::new(vec![Answer::failure(error(Stage::Connect)); 9]);
        let retries = |service: Retry<Scripted>| async move {
            let heard = Heard::default();
            assert!(service.chat(&request(), &heard).await.is_err());
            heard.retries().len()
        };
        assert_eq!(retries(Retry::new(refused(), 5, 7, first_answer.clone())).await, 1);
        let other = Retry::new(Scripted::new([Answer::text("hi")]), 5, 7, first_answer.clone());
        assert!(other.chat(&request(), &Heard::default()).await.is_ok());
        assert_eq!(retries(Retry::new(refused(), 5, 7, first_answer)).await, 5);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_asked_again_where_that_is_not_wanted() {
        let service = Retry::new(
            Scripted::new([Answer::failure(after(1)), Answer::text("hi")]),
            0,
            7,
            FirstAnswer::default(),
        );
        assert!(service.chat(&request(), &Heard::default()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_shown_of_a_broken_answer_is_void() {
        let broken = Answer::new().say("half").fail(error(Stage::Stream));
        let silent = Answer::failure(error(Stage::Stream));
        let (retries, ..) = play(vec![broken, silent, Answer::text("whole")]).await;
        assert_eq!(retries, ["1/2!", "2/2"]);
    }

    fn any_failure() -> impl Strategy<Value = ChatError> {
        let stage = prop_oneof![
            Just(Stage::Connect),
            Just(Stage::Request),
            Just(Stage::Stream),
            Just(Stage::Silence)
        ];
        let wait = proptest::option::of((0_u64..200_000).prop_map(Duration::from_millis));
        (stage, wait, any::<u8>()).prop_map(|(stage, after, kind)| {
            let remedy = match kind {
                0..8 => Remedy::NextKey,
                8..16 => Remedy::Compact,
                _ => Remedy::Retry { after },
            };
            ChatError::new(remedy, "no").at(stage)
        })
    }

    proptest! {
        /// Whatever goes wrong, in whatever order.
        #[test]
        fn no_pause_is_over_its_cap_and_no_try_over_its_limit(
            failures in proptest::collection::vec(any_failure(), 0..12),
            max_retries in 0_u32..8,
            seed in any::<u64>(),
        ) {
            let script = failures.iter().cloned().map(Answer::failure).chain([Answer::text("hi")]);
            let service = Retry::new(Scripted::new(script), max_retries, seed, FirstAnswer::default());
            let heard = Heard::default();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            let (outcome, time) = runtime.unwrap().block_on(async {
                let start = Instant::now();
                (service.chat(&request(), &heard).await, start.elapsed())
            });
            let delays: Vec<Duration> = heard
                .events()
                .into_iter()
                .filter_map(|event| if let ChatEvent::Retry { delay, .. } = event { Some(delay) } else { None })
                .collect();
            prop_assert!(u32::try_from(delays.len()).unwrap() <= max_retries);
            prop_assert_eq!(service.inner.requests().len(), delays.len() + 1);
            prop_assert_eq!(outcome.is_ok(), service.inner.left() == 0);
            prop_assert_eq!(time.as_millis(), delays.iter().sum::<Duration>().as_millis());
            for (failure, delay) in failures.iter().zip(&delays) {
                let Remedy::Retry { after } = failure.remedy else { panic!("asked again after {failure:?}") };
                prop_assert!(after.map_or(*delay <= Duration::from_secs(30), |after| *delay == after));
                prop_assert!(*delay <= MAX_WAIT);
            }
        }
    }

    #[test]
    fn pauses_are_spread_and_capped() {
        let service = Retry::new((), 99, 1, FirstAnswer::default());
        let pauses: Vec<Duration> = (0..100).map(|_| service.pause(0)).collect();
        assert!(pauses.iter().all(|pause| (400..=600).contains(&pause.as_millis())));
        assert!(pauses.iter().min() < pauses.iter().max());
        assert!(service.pause(99) <= Duration::from_secs(30));
    }
}
