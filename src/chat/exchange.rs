//! One request and its answer, or as many requests as it takes to find out how this endpoint wants it written.
//!
//! A refusal of something that can be left out or put otherwise is no failure: it is learnt ([`crate::chat::request::refused`]) and the
//! request goes out again at once, told to the user only where he loses something. It retries nothing and knows no other key
//! or model. The body is read a piece at a time, and only when the observer has taken the one before. The surprising
//! decision: what was learnt is looked up anew for each try, so that requests side by side learn from each other.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::classify::{self, Asked};
use super::endpoint;
use super::head::{keeps_line, packed, refusal};
use super::openai::OpenAiChatService;
use super::{CallForm, ChatError, ChatEvent, ChatObserver, ChatRequest, Completion, Remedy, Stage};
use crate::chat::answer::accumulate::{Finished, Incomplete, Reading};
use crate::chat::answer::body::{Body, Fault, Progress};
use crate::chat::request::dialect::{AskUsage, Dialect, Quirk, Streaming};
use crate::chat::request::estimate::{self, Estimate};
use crate::chat::request::memory::Arrival;
use crate::chat::request::models;
use crate::chat::request::refused::{self, Sent, TEACHING, Teaching};
use crate::chat::request::wire::{self, Delivery};
use crate::protocol::{NoticeKind, Usage};
use crate::text::sanitize::sanitize_line;

/// So many lessons for one request; whoever refuses more refuses something else.
const MAX_LESSONS: usize = 6;

/// Behind the end of an answer, so long for the end of its body: only then the connection can be used again.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// Behind the reason for the end, so long for the counts and the mark of the end, which some endpoints never send.
const LAST_COUNTS: Duration = Duration::from_secs(2);

/// Deltas that lie ready are told as one, up to so many bytes of body: the screen should not wait for a whole flood.
const BATCH_BYTES: usize = 256 * 1024;

/// The settings that a person is told of when the time is up.
pub(super) const FIRST_BYTE_SETTING: &str = "first_byte_timeout_secs";
const IDLE_SETTING: &str = "request_timeout_secs";

/// A request that is to be answered.
pub(super) struct Exchange<'a> {
    pub(super) service: &'a OpenAiChatService,
    pub(super) request: &'a ChatRequest,
    pub(super) observer: &'a dyn ChatObserver,
    pub(super) asked: Asked<'a>,
}

/// A try that failed.
struct Failure {
    error: ChatError,
    /// What the endpoint said, where it said it before anything of an answer was shown.
    said: Option<(u16, String)>,
    came: Came,
}

/// What came behind a good head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    /// Not a byte.
    Nothing,
    /// Something, or there was no good head.
    Something,
}

impl Exchange<'_> {
    /// The answer.
    pub(super) async fn run(&self) -> Result<Completion, ChatError> {
        let mut lessons = 0;
        loop {
            let dialect = self.service.memory().dialect(&self.request.model);
            let mut asked = self.ask(dialect).await;
            if matches!(&asked, Err(failure) if failure.nothing_came()) {
                asked = self.ask_whole(dialect, asked).await;
            }
            let failure = match asked {
                Ok(completion) => {
                    self.note(&completion, dialect).await;
                    return Ok(completion);
                }
                Err(failure) => failure,
            };
            lessons += 1;
            if lessons > MAX_LESSONS || !self.learn(&failure, dialect).await {
                return Err(self.final_error(failure, dialect));
            }
        }
    }

    /// One try, written in `dialect`.
    async fn ask(&self, dialect: Dialect) -> Result<Completion, Failure> {
        let body = wire::body(self.request, self.service.wire(), dialect, self.service.images());
        let response = self.service.send(body, self.asked, self.observer).await?;
        let packed = packed(&response);
        if !response.status().is_success() {
            let mut refusal = refusal(response, self.service.memory()).await;
            if let Some(coding) = packed {
                refusal.body = format!("the error message is compressed (content-encoding: {coding})");
            }
            let error = classify::refusal(self.asked, &refusal);
            let said = Some((refusal.status, refusal.body));
            return Err(Failure { said, ..Failure::from(error) });
        }
        if let Some(coding) = packed {
            let host = self.asked.host;
            let message = format!(
                "{host} sent a compressed response (content-encoding: {coding}) that was not requested \
                 (disable compression in the server or its proxy)"
            );
            return Err(ChatError::new(Remedy::GiveUp, message).into());
        }
        self.read(response, wire::wanted(self.request, self.service.wire(), dialect)).await
    }

    /// Asks in one piece where a stream came without a byte, once for each model: some servers can say what is wrong only
    /// before a stream has begun. `nothing` is what stands where that tells no more.
    async fn ask_whole(
        &self,
        dialect: Dialect,
        nothing: Result<Completion, Failure>,
    ) -> Result<Completion, Failure> {
        let (memory, model) = (self.service.memory(), &self.request.model);
        let streamed = wire::wanted(self.request, self.service.wire(), dialect) == Delivery::Streamed;
        if !streamed || !memory.take_probe(model) {
            return nothing;
        }
        tracing::debug!(%model, "empty stream: retrying without streaming");
        let off = Quirk::Streaming(Streaming::Off);
        match self.ask(dialect.with(off)).await {
            // One that streams unasked has shown that it can.
            Ok(completion) if memory.arrival() == Some(Arrival::Whole) => {
                if memory.learn(model, off)
                    && let Some(text) = refused::loss(off, self.asked, self.service.wire(), "")
                {
                    self.notice(text).await;
                }
                Ok(completion)
            }
            Err(failure) if failure.wants_stream() => nothing,
            outcome => outcome,
        }
    }

    /// Whether `failure` is reason to write the request otherwise and send it again.
    async fn learn(&self, failure: &Failure, dialect: Dialect) -> bool {
        let (memory, model) = (self.service.memory(), &self.request.model);
        if failure.refusal().is_some() && memory.dialect(model) != dialect {
            // Another request has learnt something while this one was on its way.
            return true;
        }
        let Teaching::Lesson(quirk) = self.teaching(failure, dialect) else { return false };
        if memory.learn(model, quirk) {
            tracing::debug!(%model, ?quirk, "the endpoint requires a different request format");
            let refused = failure.refusal().map_or("", |(_, body)| body);
            if let Some(text) = refused::loss(quirk, self.asked, self.service.wire(), refused) {
                self.notice(text).await;
            }
        }
        true
    }

    fn teaching(&self, failure: &Failure, dialect: Dialect) -> Teaching {
        let Some((status, body)) = failure.refusal() else { return Teaching::Nothing };
        let (memory, model) = (self.service.memory(), &self.request.model);
        let sent = Sent {
            request: self.request,
            options: self.service.wire(),
            dialect,
            known: memory.known(model),
            learnt: &memory.lessons(model),
        };
        refused::teach(status, body, sent)
    }

    fn final_error(&self, failure: Failure, dialect: Dialect) -> ChatError {
        let of_user = match self.teaching(&failure, dialect) {
            Teaching::OfUser(name) => format!(" (`extra_body` sends {})", sanitize_line(&name)),
            Teaching::Nothing | Teaching::Lesson(_) => String::new(),
        };
        let ChatError { message, .. } = &failure.error;
        ChatError { message: format!("{message}{of_user}"), ..failure.error }
    }

    async fn notice(&self, text: String) {
        let text = self.service.redact(ChatError::new(Remedy::GiveUp, text)).message;
        self.observer.on(ChatEvent::Notice { kind: NoticeKind::Endpoint, text }).await;
    }

    /// What the answer shows of the endpoint.
    async fn note(&self, completion: &Completion, dialect: Dialect) {
        let memory = self.service.memory();
        if !completion.message.tool_calls.is_empty() && completion.form == CallForm::Native {
            memory.note_native_calls();
        }
        match completion.message.usage {
            Some(usage) => self.note_count(usage, dialect).await,
            None if dialect.usage == AskUsage::No && memory.note_no_counts(&self.request.model) => {
                let Asked { host, model, .. } = self.asked;
                self.notice(format!(
                    "{host} reports no token usage for {model}: usage and context size are unknown"
                ))
                .await;
            }
            None => {}
        }
    }

    async fn note_count(&self, usage: Usage, dialect: Dialect) {
        let estimate = Estimate::of(self.request, dialect);
        if self.service.memory().note_count(&self.request.model, &estimate, usage) {
            self.notice(estimate::notice(self.asked.host, self.asked.model, &estimate, usage)).await;
        }
    }

    async fn read(&self, mut response: Response, wanted: Delivery) -> Result<Completion, Failure> {
        let memory = self.service.memory();
        let mut body = Body::new(Reading {
            text_calls: memory.text_calls(self.service.text_calls()),
            tools: Arc::clone(&self.request.tools),
            opening: memory.opening(&self.request.model),
            thinks: models::writes_thoughts(self.request.model.as_str()).into(),
        });
        let keeps = keeps_line(&response);
        let mut shown = Shown::Nothing;
        let mut since = Instant::now();
        loop {
            let progress = body.progress();
            let (wait, setting) = self.wait(progress, wanted);
            let filled = fill(&mut body, &mut response, since + wait).await;
            self.tell(body.take_events(), &mut shown).await;
            match filled {
                Ok(Filled::More) => {}
                Ok(Filled::End) => {
                    if keeps {
                        memory.note_line();
                    }
                    break;
                }
                // The answer is whole: what went wrong behind it is nobody's trouble.
                Err(_) if matches!(body.progress(), Progress::Complete | Progress::Done) => break,
                Err(Stop::Silent) => return Err(classify::silence(self.asked, wait, setting).into()),
                Err(Stop::Broken(error)) => {
                    let cause = endpoint::causes(error).pop().unwrap_or_default();
                    return Err(classify::broken(self.asked, &cause).into());
                }
                Err(Stop::Fault(fault)) => return Err(self.fault(fault, body.has_begun(), shown)),
            }
            if progress != Progress::Done {
                since = Instant::now();
            }
        }
        if let Some(arrival) = body.arrival() {
            memory.note_arrival(arrival);
        }
        let begun = body.has_begun();
        let Finished { events, completion, opening } = body.finish(&self.request.model);
        self.tell(events, &mut shown).await;
        memory.note_opening(&self.request.model, opening);
        completion.map_err(|fault| self.fault(fault, begun, shown))
    }

    async fn tell(&self, events: Vec<ChatEvent>, shown: &mut Shown) {
        for event in events {
            if matches!(event, ChatEvent::Text(_) | ChatEvent::Thinking(_)) {
                *shown = Shown::Some;
            }
            self.observer.on(event).await;
        }
    }

    /// How long to wait in this state, and the setting to name where that was too short. An answer in one piece is made
    /// before its first byte goes out, or between that and the second one.
    fn wait(&self, progress: Progress, wanted: Delivery) -> (Duration, &'static str) {
        let patience = self.service.patience();
        match (progress, wanted) {
            (Progress::Empty, _) | (Progress::Open, Delivery::Whole) => {
                (patience.first_byte, FIRST_BYTE_SETTING)
            }
            (Progress::Open, Delivery::Streamed) => (patience.idle, IDLE_SETTING),
            (Progress::Complete, _) => (LAST_COUNTS, IDLE_SETTING),
            (Progress::Done, _) => (LAST_BYTES, IDLE_SETTING),
        }
    }

    fn fault(&self, fault: Fault, begun: bool, shown: Shown) -> Failure {
        let stage = if begun { Stage::Stream } else { Stage::Request };
        let said = |error: ChatError, raw: String| {
            let said = error.status.filter(|_| shown == Shown::Nothing).map(|status| (status, raw));
            Failure { said, ..Failure::from(error) }
        };
        match fault {
            Fault::TooLarge(message) => ChatError::new(Remedy::GiveUp, message).at(stage).into(),
            Fault::Page(page) => classify::page(self.asked, &page).into(),
            Fault::Plain(text) => classify::plain(self.asked, &text).into(),
            Fault::Odd(json) => said(classify::odd(self.asked, &json), json),
            Fault::Incomplete(Incomplete::Failed(raw)) => {
                said(classify::failure(self.asked, &raw, stage), raw)
            }
            Fault::Empty => {
                Failure { came: Came::Nothing, ..classify::broken(self.asked, "no data received").into() }
            }
            Fault::Incomplete(Incomplete::WindowFull) => classify::window_full(self.asked).into(),
            Fault::Incomplete(Incomplete::Truncated { skipped: 0 }) => {
                classify::broken(self.asked, "it ended without a finish reason").into()
            }
            Fault::Incomplete(Incomplete::Truncated { skipped }) => {
                let why = format!("it ended without a finish reason, and {skipped} lines were not readable");
                classify::broken(self.asked, &why).into()
            }
        }
    }
}

/// Whether something of the answer has been told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    Some,
}

impl Failure {
    /// What was refused, where another form of the request may help: length, quota and key are another's business.
    fn refusal(&self) -> Option<(u16, &str)> {
        match self.error.remedy {
            Remedy::GiveUp | Remedy::NextModel | Remedy::Retry { .. } => {
                let said = self.said.as_ref().map(|(status, body)| (*status, body.as_str()));
                said.filter(|(status, _)| TEACHING.contains(status))
            }
            Remedy::NextKey | Remedy::Compact => None,
        }
    }

    /// Whether it is an answer without a byte.
    fn nothing_came(&self) -> bool {
        self.came == Came::Nothing
    }

    /// Whether it was refused for not being asked for as a stream.
    fn wants_stream(&self) -> bool {
        self.refusal().is_some_and(|(status, body)| refused::wants_stream(status, body))
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Self {
        Self { error, said: None, came: Came::Something }
    }
}

enum Filled {
    More,
    End,
}

enum Stop {
    Silent,
    Broken(reqwest::Error),
    Fault(Fault),
}

/// Waits for bytes, and takes all that lie ready behind them.
async fn fill(body: &mut Body, response: &mut Response, deadline: Instant) -> Result<Filled, Stop> {
    let mut next = timeout_at(deadline, response.chunk()).await.map_err(|_elapsed| Stop::Silent)?;
    let mut taken = 0;
    while let Some(bytes) = next.map_err(Stop::Broken)? {
        body.push(&bytes).map_err(Stop::Fault)?;
        taken += bytes.len();
        let more = if taken < BATCH_BYTES { response.chunk().now_or_never() } else { None };
        let Some(ready) = more else { return Ok(Filled::More) };
        next = ready;
    }
    Ok(Filled::End)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::future::BoxFuture;
    use serde_json::{Value, json};
    use tokio::time::timeout;

    use super::super::openai::{Patience, create_chat_service};
    use super::super::testing::server::{HELLO, Then, config, good, refusal, serve};
    use super::super::testing::{Heard, request};
    use super::super::{ChatService, WireOptions};
    use super::*;
    use crate::chat::answer::accumulate::TextCalls;
    use crate::chat::request::dialect::OfferTools;
    use crate::chat::request::memory::EndpointMemory;
    use crate::protocol::ToolSpec;

    /// A server that waits longer waits for a request that will not come.
    const DEADLINE: Duration = Duration::from_secs(20);

    const NO_COUNTS: &str =
        r#"{"error":{"message":"Unrecognized request argument supplied: stream_options"}}"#;
    const NO_TOOLS: &str = r#"{"error":"\"a\" does not support tools"}"#;

    fn hello() -> String {
        good("text/event-stream", HELLO)
    }

    fn counting() -> String {
        let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}\n\n";
        good("text/event-stream", &HELLO.replace("data: [DONE]", &format!("{usage}data: [DONE]")))
    }

    fn tooled() -> ChatRequest {
        let tool = ToolSpec::new("Read", "d", json!({}));
        ChatRequest { tools: Arc::new([tool]), ..request() }
    }

    /// What happened: the outcomes, what was heard, and the bodies of the requests.
    struct Played {
        outcomes: Vec<Result<Completion, ChatError>>,
        heard: Heard,
        bodies: Vec<Value>,
        memory: Arc<EndpointMemory>,
    }

    /// Asks for each of `requests` in turn, of a server that gives `answers` in turn.
    async fn play(answers: Vec<String>, requests: &[ChatRequest], wire: WireOptions) -> Played {
        let (base_url, serving) =
            serve(answers.into_iter().map(|answer| (answer, Then::HangUp)).collect()).await;
        let config = config(&base_url, Duration::from_mins(1));
        let memory = Arc::clone(&config.memory);
        let service = create_chat_service(super::super::ChatServiceConfig { wire, ..config });
        let (mut outcomes, heard) = (Vec::new(), Heard::default());
        for request in requests {
            outcomes.push(service.chat(request, &heard).await);
        }
        let sent = timeout(DEADLINE, serving).await.expect("each of the answers is asked for").unwrap();
        let body = |sent: &String| serde_json::from_str(sent.split_once("\r\n\r\n").unwrap().1).unwrap();
        Played { outcomes, heard, bodies: sent.iter().map(body).collect(), memory }
    }

    fn without(body: &Value, field: &str) -> Value {
        let mut body = body.clone();
        assert!(body.as_object_mut().unwrap().remove(field).is_some(), "{field} was there");
        body
    }

    #[tokio::test]
    async fn a_refused_field_is_gone_at_once_and_in_the_next_request_too() {
        let answers = vec![refusal(400, NO_COUNTS), counting(), counting()];
        let played = play(answers, &[request(), request()], WireOptions::default()).await;
        assert!(played.outcomes.iter().all(Result::is_ok));
        let without = without(&played.bodies[0], "stream_options");
        assert_eq!(played.bodies[1..], [without.clone(), without]);
        assert_eq!((played.heard.retries(), played.heard.notices()), (vec![], vec![]), "nothing is lost");
        assert_eq!(played.memory.learned(), ["a: token usage is not requested"]);
    }

    #[tokio::test]
    async fn counts_that_stay_away_are_told_of_once() {
        let answers = vec![refusal(400, NO_COUNTS), hello(), hello()];
        let played = play(answers, &[request(), request()], WireOptions::default()).await;
        let notices = played.heard.notices();
        assert_eq!(notices.len(), 1);
        assert!(
            notices[0].1.ends_with(" reports no token usage for a: usage and context size are unknown"),
            "{notices:?}"
        );
    }

    #[tokio::test]
    async fn the_same_refusal_again_is_final() {
        let answers = vec![refusal(400, NO_COUNTS), refusal(400, NO_COUNTS)];
        let played = play(answers, &[request()], WireOptions::default()).await;
        let error = played.outcomes[0].as_ref().unwrap_err();
        assert_eq!((error.status, &error.remedy), (Some(400), &Remedy::GiveUp));
        assert!(error.message.contains("supplied: stream_options"), "{error}");
        assert_eq!(played.bodies.len(), 2);
    }

    #[tokio::test]
    async fn several_lessons_come_one_after_the_other() {
        let said = |message: &str| refusal(400, &json!({ "error": { "message": message } }).to_string());
        let answers = vec![
            said("Unrecognized request argument supplied: stream_options"),
            said("Use 'max_completion_tokens': 'max_tokens' is not supported with this model"),
            said("temperature is not supported with this model"),
            said("reasoning_effort must be one of `low`, `medium`"),
            said("System role not supported"),
            said("this model does not support tools"),
            counting(),
        ];
        let wire = WireOptions {
            temperature: Some(0.5),
            reasoning_effort: Some("high".into()),
            max_output_tokens: Some(7),
            ..WireOptions::default()
        };
        let played = play(answers, &[tooled()], wire).await;
        assert!(played.outcomes[0].is_ok());
        let expected = json!({ "model": "a", "stream": true, "reasoning_effort": "medium", "max_completion_tokens": 7,
            "messages": [{ "role": "user", "content": "hi" }] });
        assert_eq!(played.bodies[6], expected);
        let lost: Vec<String> = played.heard.notices().into_iter().map(|(_, text)| text).collect();
        assert_eq!(lost.len(), 3, "{lost:?}");
        assert!(lost[1].ends_with("does not support reasoning_effort high: sending medium"), "{lost:?}");
    }

    #[tokio::test]
    async fn there_is_an_end_to_learning() {
        let said = |message: &str| refusal(400, &json!({ "error": { "message": message } }).to_string());
        let mut answers: Vec<String> = [
            "stream_options is not supported",
            "max_tokens is not supported",
            "max_completion_tokens is not supported",
            "temperature is not supported",
            "System role not supported",
            "this model does not support tools",
            "streaming is not supported",
        ]
        .map(said)
        .to_vec();
        answers.push(counting());
        let wire =
            WireOptions { temperature: Some(0.5), max_output_tokens: Some(7), ..WireOptions::default() };
        let played = play(answers, &[tooled(), tooled()], wire).await;
        let error = played.outcomes[0].as_ref().unwrap_err();
        assert!(error.message.contains("streaming is not supported"), "{error}");
        assert!(played.outcomes[1].is_ok());
    }

    #[tokio::test]
    async fn an_endpoint_that_does_not_stream_answers_in_one_piece() {
        let refused = refusal(400, r#"{"error":{"message":"Streaming is not supported","param":"stream"}}"#);
        let whole = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9}}"#;
        let whole = || good("application/json", whole);
        let played =
            play(vec![refused, whole(), whole()], &[request(), request()], WireOptions::default()).await;
        assert!(played.outcomes.iter().all(|outcome| outcome.as_ref().unwrap().message.text == "Hello"));
        for body in &played.bodies[1..] {
            assert_eq!((&body["stream"], &body["stream_options"]), (&json!(false), &Value::Null));
        }
        assert!(
            played.heard.notices()[0]
                .1
                .ends_with("does not stream a: each answer is shown when it is complete")
        );
    }

    const WHOLE: &str =
        r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9}}"#;

    fn nothing() -> String {
        good("text/event-stream", "")
    }

    fn streams(played: &Played) -> Vec<bool> {
        played.bodies.iter().map(|body| body["stream"] == true).collect()
    }

    #[tokio::test]
    async fn what_a_stream_without_a_byte_hides_is_asked_for_in_one_piece() {
        let long = r#"{"error":{"message":"Requested tokens (900) exceed context window of 512","code":"context_length_exceeded"}}"#;
        for (refused, remedy) in [
            (refusal(400, long), Remedy::Compact),
            (refusal(401, "{}"), Remedy::NextKey),
            (refusal(503, "{}"), Remedy::Retry { after: None }),
        ] {
            let played = play(vec![nothing(), refused], &[request()], WireOptions::default()).await;
            assert_eq!(played.outcomes[0].as_ref().unwrap_err().remedy, remedy);
            assert_eq!(streams(&played), [true, false]);
            assert_eq!(played.heard.notices(), []);
            assert_eq!(played.memory.lessons(&"a".into()), []);
        }
    }

    #[tokio::test]
    async fn an_endpoint_whose_streams_are_empty_is_asked_in_one_piece_from_then_on() {
        let whole = || good("application/json", WHOLE);
        let requests = [request(), request()];
        let played = play(vec![nothing(), whole(), whole()], &requests, WireOptions::default()).await;
        assert!(played.outcomes.iter().all(|outcome| outcome.as_ref().unwrap().message.text == "Hello"));
        assert_eq!(streams(&played), [true, false, false]);
        let notices = played.heard.notices();
        assert!(
            notices.len() == 1
                && notices[0].1.ends_with("does not stream a: each answer is shown when it is complete"),
            "{notices:?}"
        );
        let played = play(vec![nothing(), counting(), counting()], &requests, WireOptions::default()).await;
        assert!(played.outcomes.iter().all(Result::is_ok));
        assert_eq!(streams(&played), [true, false, true], "it can stream");
        assert_eq!(played.heard.notices(), []);
    }

    #[tokio::test]
    async fn an_endpoint_that_sends_nothing_at_all_is_asked_in_one_piece_only_once() {
        let only_streams = || refusal(400, r#"{"error":{"message":"This model only support stream mode"}}"#);
        for second in [nothing(), only_streams()] {
            let requests = [request(), request()];
            let played = play(vec![nothing(), second, nothing()], &requests, WireOptions::default()).await;
            for outcome in &played.outcomes {
                let error = outcome.as_ref().unwrap_err();
                assert_eq!((&error.remedy, error.stage), (&Remedy::Retry { after: None }, Stage::Stream));
                assert!(error.message.ends_with(": no data received"), "{error}");
            }
            assert_eq!(streams(&played), [true, false, true]);
        }
    }

    #[tokio::test]
    async fn an_answer_in_one_piece_may_take_as_long_as_a_first_byte() {
        for (streaming, setting) in [(Streaming::Off, FIRST_BYTE_SETTING), (Streaming::On, IDLE_SETTING)] {
            let (base_url, _serving) = serve(vec![(good("application/json", "{"), Then::Wait)]).await;
            let mut config = config(&base_url, Duration::from_millis(20));
            config.patience = Patience { first_byte: Duration::from_millis(20), ..config.patience };
            if streaming == Streaming::Off {
                assert!(config.memory.learn(&"a".into(), Quirk::Streaming(streaming)));
            }
            let error = create_chat_service(config).chat(&request(), &Heard::default()).await.unwrap_err();
            assert_eq!(error.stage, Stage::Silence);
            assert!(error.message.contains(setting), "{error}");
        }
    }

    #[tokio::test]
    async fn a_refusal_inside_a_good_answer_teaches_too() {
        let error = format!("event: error\ndata: {NO_TOOLS}\n\n");
        let coded = "data: {\"error\":{\"message\":\"this model does not support tools\",\"code\":400}}\n\n";
        for refused in [good("text/event-stream", coded), good("text/event-stream", &error)] {
            let played = play(vec![refused, counting()], &[tooled()], WireOptions::default()).await;
            assert!(played.outcomes[0].is_ok(), "{:?}", played.outcomes);
            assert_eq!(without(&played.bodies[0], "tools"), played.bodies[1]);
        }
    }

    #[tokio::test]
    async fn what_has_begun_to_be_said_is_not_begun_anew() {
        let late = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n\
            data: {\"error\":{\"message\":\"this model does not support tools\",\"code\":400}}\n\n";
        let played = play(vec![good("text/event-stream", late)], &[tooled()], WireOptions::default()).await;
        assert!(played.outcomes[0].is_err());
        assert_eq!(played.memory.lessons(&"a".into()), []);
    }

    #[tokio::test]
    async fn a_conversation_that_is_too_long_is_no_lesson() {
        let long = r#"{"error":{"message":"maximum context length is 8192 tokens; this model does not support tools"}}"#;
        for (status, body, remedy) in [(400, long, Remedy::Compact), (401, NO_TOOLS, Remedy::NextKey)] {
            let played = play(vec![refusal(status, body)], &[tooled()], WireOptions::default()).await;
            assert_eq!(played.outcomes[0].as_ref().unwrap_err().remedy, remedy);
            assert_eq!(played.memory.lessons(&"a".into()), []);
        }
    }

    #[tokio::test]
    async fn what_the_user_sends_himself_stays_and_is_named() {
        let extra = json!({ "stream_options": { "include_usage": true } });
        let wire = WireOptions { extra_body: extra.as_object().unwrap().clone(), ..WireOptions::default() };
        let played = play(vec![refusal(400, NO_COUNTS)], &[request()], wire).await;
        let error = played.outcomes[0].as_ref().unwrap_err();
        assert!(error.message.ends_with(" (`extra_body` sends stream_options)"), "{error}");
    }

    #[tokio::test]
    async fn calls_that_come_as_calls_are_remembered() {
        let call = r#"{"choices":[{"message":{"tool_calls":[{"id":"x","function":{"name":"Read","arguments":"{}"}}]},"finish_reason":"stop"}]}"#;
        let played = play(vec![good("application/json", call)], &[tooled()], WireOptions::default()).await;
        assert_eq!(played.memory.text_calls(TextCalls::All), TextCalls::Off);
        let played = play(vec![hello()], &[tooled()], WireOptions::default()).await;
        assert_eq!(played.memory.text_calls(TextCalls::All), TextCalls::All);
    }

    #[tokio::test]
    async fn an_answer_that_nobody_can_unpack_is_told_so() {
        let packed = |status: u16| {
            format!("HTTP/1.1 {status} X\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n\u{1f}\u{8b}")
        };
        for (status, remedy) in
            [(200, Remedy::GiveUp), (400, Remedy::GiveUp), (503, Remedy::Retry { after: None })]
        {
            let played = play(vec![packed(status)], &[request()], WireOptions::default()).await;
            let error = played.outcomes[0].as_ref().unwrap_err();
            assert_eq!(error.remedy, remedy);
            assert!(
                error.message.contains("compressed") && error.message.contains("(content-encoding: gzip)"),
                "{error}"
            );
        }
        let plain = hello().replace("connection", "content-encoding: identity\r\nconnection");
        assert!(play(vec![plain], &[request()], WireOptions::default()).await.outcomes[0].is_ok());
    }

    /// Another request that learns a thing while this one is on its way.
    struct Meanwhile(Arc<EndpointMemory>, Mutex<Option<Quirk>>);

    impl ChatObserver for Meanwhile {
        fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
            if let Some(quirk) = self.1.lock().unwrap().take_if(|_| event == ChatEvent::Sent) {
                assert!(self.0.learn(&"a".into(), quirk));
            }
            Box::pin(std::future::ready(()))
        }
    }

    #[tokio::test]
    async fn requests_side_by_side_learn_from_each_other() {
        let answers = vec![(refusal(400, NO_TOOLS), Then::HangUp), (counting(), Then::HangUp)];
        let (base_url, _serving) = serve(answers).await;
        let config = config(&base_url, Duration::from_mins(1));
        let quirk = Quirk::Tools(OfferTools::LeftOut);
        let observer = Meanwhile(Arc::clone(&config.memory), Mutex::new(Some(quirk)));
        assert!(create_chat_service(config).chat(&tooled(), &observer).await.is_ok());
    }
}
