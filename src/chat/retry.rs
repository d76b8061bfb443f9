//! Asking again, with patience: a decorator over any service.
//!
//! It knows nothing of HTTP: what may be asked again says the error's remedy, how often says how far it came. The
//! surprising decision: until the endpoint has answered once, a connection that cannot be made is tried again only once,
//! for then it is more likely a wrong address than a bad moment.

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
#[derive(Debug)]
pub struct Retry<S> {
    inner: S,
    max_retries: u32,
    /// State of the generator of jitter.
    jitter: AtomicU64,
    /// Whether the endpoint has ever answered, be it by an error.
    has_answered: AtomicBool,
}

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
    /// process.
    pub fn new(inner: S, max_retries: u32, seed: u64) -> Self {
        let (jitter, has_answered) = (AtomicU64::new(seed), AtomicBool::new(false));
        Self { inner, max_retries, jitter, has_answered }
    }

    /// What is decorated.
    pub fn inner(&self) -> &S {
        &self.inner
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
            Stage::Connect if !self.has_answered.load(Ordering::Relaxed) => MAX_REFUSED_CONNECTIONS,
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
                    self.has_answered.store(true, Ordering::Relaxed);
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
                tokio::time::sleep(delay).await;
            }
        })
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

/// The error as it leaves: nobody should ask again at once what was asked again often enough.
fn given_up(mut error: ChatError) -> ChatError {
    if let Remedy::Retry { after } = error.remedy {
        if let Some(after) = after.filter(|after| *after > MAX_WAIT) {
            error.message = format!("{}; it asks to wait {}", error.message, units::duration(after));
        }
        error.remedy = Remedy::GiveUp;
    }
    error
}

#[cfg(test)]
mod tests {
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
        let service = Retry::new(Scripted::new(answers), 5, 7);
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
        let service = Retry::new(Scripted::new(answers), 5, 7);
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
        let (retries, outcome, _) = play(vec![Answer::failure(after(7200)), Answer::text("hi")]).await;
        let error = outcome.unwrap_err();
        assert_eq!((retries.len(), error.remedy, error.status), (0, Remedy::GiveUp, Some(429)));
        assert_eq!(
            error.message,
            format!("busy; it asks to wait {}", units::duration(Duration::from_hours(2)))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_shown_of_a_broken_answer_is_void() {
        let broken = Answer::new().say("half").fail(error(Stage::Stream));
        let silent = Answer::failure(error(Stage::Stream));
        let (retries, ..) = play(vec![broken, silent, Answer::text("whole")]).await;
        assert_eq!(retries, ["1/2!", "2/2"]);
    }

    #[test]
    fn pauses_are_spread_and_capped() {
        let service = Retry::new((), 99, 1);
        let pauses: Vec<Duration> = (0..100).map(|_| service.pause(0)).collect();
        assert!(pauses.iter().all(|pause| (400..=600).contains(&pause.as_millis())));
        assert!(pauses.iter().min() < pauses.iter().max());
        assert!(service.pause(99) <= Duration::from_secs(30));
    }
}
