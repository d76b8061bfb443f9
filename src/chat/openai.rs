//! Chat-completions over HTTP, by way of `async_openai`: the only file that names it.
//!
//! The crate builds the request (address, head, body) and sends it through our own tower service; it does not read the
//! answer. Its stream would put every event into a queue without bound, forget the status of most errors, leave the
//! connection before the end of the body, and take a cut answer for a whole one. The surprising decision: so the service
//! hands the response out by the way of errors, the one way on which the crate passes things through untouched, and the
//! body is read here: a piece at a time, and only when the observer has taken the one before.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::Response;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};

use super::accumulate::{Finished, Incomplete, Reading, TextCalls};
use super::body::{Body, Fault, Progress};
use super::classify::{self, Asked, Refusal};
use super::endpoint::{self, Endpoint};
use super::memory::EndpointMemory;
use super::wire::{self, ImageSource, WireOptions};
use super::{ChatError, ChatEvent, ChatObserver, ChatRequest, ChatService, Completion, Remedy, Stage};

/// A connection that has not failed by now is taken for made: the wait is for the answer. Nothing tells when it is.
const CONNECTED: Duration = Duration::from_secs(1);

/// Behind the end of an answer, so long for the end of its body: only then the connection can be used again.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// Behind the reason for the end, so long for the counts and the mark of the end, which some endpoints never send.
const LAST_COUNTS: Duration = Duration::from_secs(2);

/// Deltas that lie ready are told as one, up to so many bytes of body: the screen should not wait for a whole flood.
const BATCH_BYTES: usize = 256 * 1024;

/// Of an error's body; its text is cut to much less.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// For an error's body. Its status is known by then.
const ERROR_BODY: Duration = Duration::from_secs(5);

/// The settings that a person is told of when the time is up.
const FIRST_BYTE_SETTING: &str = "first_byte_timeout_secs";
const IDLE_SETTING: &str = "request_timeout_secs";

/// All that a service needs.
#[derive(Clone)]
pub struct ChatServiceConfig {
    /// Whom to ask.
    pub endpoint: Endpoint,
    /// Makes the connections; see [`Endpoint::client`].
    pub http: reqwest::Client,
    /// What goes into every request.
    pub wire: WireOptions,
    /// Which texts count as calls while the endpoint sends none as calls.
    pub text_calls: TextCalls,
    /// What is known of the endpoint; one for all services that ask it.
    pub memory: Arc<EndpointMemory>,
    /// How long to wait.
    pub patience: Patience,
    /// Where images come from.
    pub images: Arc<ImageSource>,
}

/// How long to wait for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the first one. A local model may read a long prompt for minutes.
    pub first_byte: Duration,
    /// For each one after it; any byte counts.
    pub idle: Duration,
}

/// A chat-completions endpoint.
pub struct OpenAiChatService {
    client: Client<Head>,
    endpoint: Endpoint,
    wire: WireOptions,
    text_calls: TextCalls,
    memory: Arc<EndpointMemory>,
    patience: Patience,
    images: Arc<ImageSource>,
}

/// Makes the service for one endpoint and one key. Connects to nothing yet.
#[must_use]
pub fn create_chat_service(config: ChatServiceConfig) -> OpenAiChatService {
    let ChatServiceConfig { endpoint, http, wire, text_calls, memory, patience, images } = config;
    let head = Head { endpoint: endpoint.clone(), no_key: SecretString::default() };
    let sender = http.clone();
    let send = tower::service_fn(move |request: HttpRequestFactory| {
        let sender = sender.clone();
        async move {
            let response = sender.execute(request.build().await?).await?;
            Err::<Response, _>(OpenAIError::Boxed(Box::new(HandedOut(response))))
        }
    });
    let client = Client::build(http, head).with_http_service(send);
    OpenAiChatService { client, endpoint, wire, text_calls, memory, patience, images }
}

impl ChatService for OpenAiChatService {
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        observer: &'a dyn ChatObserver,
    ) -> BoxFuture<'a, Result<Completion, ChatError>> {
        let (host, key) = (self.endpoint.host(), self.endpoint.key_name());
        let asked = Asked { host, key, model: request.model.as_str() };
        let exchange = Exchange { service: self, request, observer, asked };
        Box::pin(async move { exchange.run().await.map_err(|error| self.endpoint.redact(error)) })
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self { first_byte: Duration::from_mins(10), idle: Duration::from_mins(2) }
    }
}

/// One request and its answer.
struct Exchange<'a> {
    service: &'a OpenAiChatService,
    request: &'a ChatRequest,
    observer: &'a dyn ChatObserver,
    asked: Asked<'a>,
}

impl Exchange<'_> {
    async fn run(&self) -> Result<Completion, ChatError> {
        let dialect = self.service.memory.dialect(&self.request.model);
        let body = wire::body(self.request, &self.service.wire, dialect, &*self.service.images);
        let body = RawValue::from_string(body).map_err(|error| {
            ChatError::new(Remedy::GiveUp, format!("the request cannot be written as JSON: {error}"))
        })?;
        let response = self.send(&body).await?;
        if response.status().is_success() {
            return self.read(response).await;
        }
        Err(classify::refusal(self.asked, &refusal(response).await))
    }

    async fn send(&self, body: &RawValue) -> Result<Response, ChatError> {
        self.observer.on(ChatEvent::Connecting).await;
        let patience = self.service.patience.first_byte;
        let chat = self.service.client.chat();
        let mut sending = Box::pin(timeout(patience, chat.create_byot(body)));
        if let Ok(sent) = timeout(CONNECTED, &mut sending).await {
            let response = self.handed_out(sent)?;
            self.observer.on(ChatEvent::Sent).await;
            return Ok(response);
        }
        self.observer.on(ChatEvent::Sent).await;
        self.handed_out(sending.await)
    }

    /// The response, out of what the crate takes for an error.
    fn handed_out(
        &self,
        sent: Result<Result<IgnoredAny, OpenAIError>, Elapsed>,
    ) -> Result<Response, ChatError> {
        let odd = |what: String| Err(ChatError::new(Remedy::GiveUp, what));
        match sent {
            Ok(Err(OpenAIError::Boxed(handed_out))) => match handed_out.downcast::<HandedOut>() {
                Ok(handed_out) => Ok(handed_out.0),
                Err(other) => odd(other.to_string()),
            },
            Ok(Err(OpenAIError::Reqwest(error))) => {
                let connected = !error.is_connect();
                Err(classify::unsent(self.asked, &endpoint::causes(error), connected))
            }
            Ok(Err(other)) => odd(other.to_string()),
            Ok(Ok(IgnoredAny)) => odd("the request was not sent".to_owned()),
            Err(_elapsed) => {
                Err(classify::silence(self.asked, self.service.patience.first_byte, FIRST_BYTE_SETTING))
            }
        }
    }

    async fn read(&self, mut response: Response) -> Result<Completion, ChatError> {
        let mut body = Body::new(Reading {
            text_calls: self.service.memory.text_calls(self.service.text_calls),
            tools: Arc::clone(&self.request.tools),
            opening: self.service.memory.opening(&self.request.model),
        });
        let mut since = Instant::now();
        loop {
            let progress = body.progress();
            let (wait, setting) = self.wait(progress);
            let filled = fill(&mut body, &mut response, since + wait).await;
            self.tell(body.take_events()).await;
            match filled {
                Ok(Filled::More) => {}
                Ok(Filled::End) => break,
                // The answer is whole: what went wrong behind it is nobody's trouble.
                Err(_) if matches!(body.progress(), Progress::Complete | Progress::Done) => break,
                Err(Stop::Silent) => return Err(classify::silence(self.asked, wait, setting)),
                Err(Stop::Broken(error)) => {
                    let cause = endpoint::causes(error).pop().unwrap_or_default();
                    return Err(classify::broken(self.asked, &cause));
                }
                Err(Stop::Fault(fault)) => return Err(self.fault(fault, body.has_begun())),
            }
            if progress != Progress::Done {
                since = Instant::now();
            }
        }
        let begun = body.has_begun();
        let Finished { events, completion, opening: _ } = body.finish(&self.request.model);
        self.tell(events).await;
        completion.map_err(|fault| self.fault(fault, begun))
    }

    async fn tell(&self, events: Vec<ChatEvent>) {
        for event in events {
            self.observer.on(event).await;
        }
    }

    /// How long to wait in this state, and the setting to name where that was too short.
    fn wait(&self, progress: Progress) -> (Duration, &'static str) {
        match progress {
            Progress::Empty => (self.service.patience.first_byte, FIRST_BYTE_SETTING),
            Progress::Open => (self.service.patience.idle, IDLE_SETTING),
            Progress::Complete => (LAST_COUNTS, IDLE_SETTING),
            Progress::Done => (LAST_BYTES, IDLE_SETTING),
        }
    }

    fn fault(&self, fault: Fault, begun: bool) -> ChatError {
        let stage = if begun { Stage::Stream } else { Stage::Request };
        match fault {
            Fault::TooLarge(message) => ChatError::new(Remedy::GiveUp, message).at(stage),
            Fault::Page(page) => classify::page(self.asked, &page),
            Fault::Odd(json) => classify::odd(self.asked, &json),
            Fault::Incomplete(Incomplete::Failed(raw)) => classify::failure(self.asked, &raw, stage),
            Fault::Incomplete(Incomplete::WindowFull) => classify::window_full(self.asked),
            Fault::Incomplete(Incomplete::Truncated { skipped: 0 }) => {
                classify::broken(self.asked, "it ended without a finish reason")
            }
            Fault::Incomplete(Incomplete::Truncated { skipped }) => {
                let why = format!("it ended without a finish reason, and {skipped} lines could not be read");
                classify::broken(self.asked, &why)
            }
        }
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

async fn refusal(mut response: Response) -> Refusal {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let mut refusal = Refusal {
        status: response.status().as_u16(),
        retry_after: classify::retry_after(header),
        location: header("location").map(str::to_owned),
        body: String::new(),
    };
    let mut body = Vec::new();
    let deadline = Instant::now() + ERROR_BODY;
    while let Ok(Ok(Some(bytes))) = timeout_at(deadline, response.chunk()).await {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    refusal.body = String::from_utf8_lossy(&body).into_owned();
    refusal
}

/// What the crate is to put into the head of a request.
struct Head {
    endpoint: Endpoint,
    /// The key goes out with [`Endpoint::headers`].
    no_key: SecretString,
}

impl Config for Head {
    fn headers(&self) -> HeaderMap {
        self.endpoint.headers().clone()
    }

    fn url(&self, path: &str) -> String {
        self.endpoint.url(path)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        self.endpoint.query().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    fn api_base(&self) -> &str {
        self.endpoint.base()
    }

    fn api_key(&self) -> &SecretString {
        &self.no_key
    }
}

/// A response on its way out of the crate.
#[derive(Debug)]
struct HandedOut(Response);

impl fmt::Display for HandedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer that is read elsewhere")
    }
}

impl Error for HandedOut {}

impl fmt::Debug for OpenAiChatService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiChatService").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;

    use super::super::endpoint::{ApiKey, Connections};
    use super::super::testing::{Heard, request};
    use super::*;
    use crate::os::env::Env;
    use crate::os::http::Proxies;
    use crate::protocol::StopReason;

    const HELLO: &str = concat!(
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    );

    /// What the server does behind an answer.
    #[derive(Clone, Copy)]
    enum Then {
        /// Reads the next request from the same connection.
        Next,
        /// Hangs up.
        HangUp,
        /// Keeps the line open until the client hangs up.
        Wait,
    }

    /// Answers each request with the next of `answers`; gives back what it was asked.
    async fn serve(answers: Vec<(String, Then)>) -> (String, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let mut requests = Vec::new();
            let mut line = None;
            for (answer, then) in answers {
                let mut stream = match line.take() {
                    Some(stream) => stream,
                    None => listener.accept().await.unwrap().0,
                };
                requests.push(read_request(&mut stream).await);
                stream.write_all(answer.as_bytes()).await.unwrap();
                match then {
                    Then::Next => line = Some(stream),
                    Then::HangUp => drop(stream),
                    Then::Wait => assert_eq!(stream.read(&mut [0]).await.unwrap_or(0), 0),
                }
            }
            requests
        });
        (base_url, serving)
    }

    async fn read_request(stream: &mut TcpStream) -> String {
        let mut request = String::new();
        let mut buffer = [0; 4096];
        loop {
            let count = stream.read(&mut buffer).await.unwrap();
            request.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
            let Some((head, body)) = request.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if count == 0 || body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return request;
            }
        }
    }

    fn good(kind: &str, body: &str) -> String {
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
    }

    fn chunked(parts: &[&str]) -> String {
        let chunks: Vec<String> =
            parts.iter().map(|part| format!("{:x}\r\n{part}\r\n", part.len())).collect();
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}", chunks.concat())
    }

    fn service(base_url: &str, idle: Duration) -> OpenAiChatService {
        let key = ApiKey { name: "THE_KEY".into(), secret: "sk-0123456789".into() };
        let endpoint = Endpoint::new(base_url, Some(&key), &[("x-team".into(), "core".into())]).unwrap();
        let proxies = Proxies::from_env(&Env::from_pairs(std::iter::empty::<(&str, &str)>()));
        let connections = Connections { timeout: Duration::from_secs(10), proxies, ca_file: None };
        let http = endpoint.client(connections).unwrap();
        let patience = Patience { first_byte: Duration::from_mins(1), idle };
        create_chat_service(ChatServiceConfig {
            endpoint,
            http,
            wire: WireOptions::default(),
            text_calls: TextCalls::Off,
            memory: Arc::new(EndpointMemory::of_host("")),
            patience,
            images: Arc::new(|_| None),
        })
    }

    /// Asks once, and gives back what was heard beside the outcome.
    async fn ask(answer: String, then: Then) -> (Heard, Result<Completion, ChatError>) {
        let (base_url, _serving) = serve(vec![(answer, then)]).await;
        let heard = Heard::default();
        let outcome = service(&base_url, Duration::from_mins(1)).chat(&request(), &heard).await;
        (heard, outcome)
    }

    async fn refused(status: &str, headers: &str, body: &str) -> ChatError {
        let answer = format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n{body}");
        ask(answer, Then::HangUp).await.1.unwrap_err()
    }

    #[tokio::test]
    async fn an_answer_is_told_while_it_comes_and_given_whole() {
        let (base_url, serving) = serve(vec![(good("text/event-stream", HELLO), Then::HangUp)]).await;
        let heard = Heard::default();
        let completion = service(&base_url, Duration::from_mins(1)).chat(&request(), &heard).await.unwrap();
        assert_eq!(completion.message.text, "Hello");
        assert_eq!(completion.message.stop_reason, StopReason::EndTurn);
        let told = heard.events();
        assert_eq!(told[..3], [ChatEvent::Connecting, ChatEvent::Sent, ChatEvent::Answering]);
        assert_eq!(heard.text(), "Hello");
        let sent = serving.await.unwrap().remove(0);
        assert!(sent.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{sent}");
        assert!(sent.contains("authorization: Bearer sk-0123456789\r\nx-team: core\r\n"), "{sent}");
        assert!(sent.ends_with("\"messages\":[{\"role\":\"system\",\"content\":\"hi\"}]}"), "{sent}");
    }

    #[tokio::test]
    async fn the_next_request_goes_over_the_same_connection() {
        let answer = chunked(&[HELLO, ""]);
        let (base_url, serving) = serve(vec![(answer.clone(), Then::Next), (answer, Then::Next)]).await;
        let service = service(&base_url, Duration::from_mins(1));
        for _ in 0..2 {
            assert!(service.chat(&request(), &Heard::default()).await.is_ok());
        }
        assert_eq!(serving.await.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn an_endpoint_that_never_hangs_up_keeps_nobody_waiting() {
        let (_, outcome) = ask(good("text/event-stream", HELLO), Then::Wait).await;
        assert_eq!(outcome.unwrap().message.text, "Hello");
    }

    #[tokio::test]
    async fn an_answer_that_is_no_stream_is_read_too() {
        let whole = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"length"}]}"#;
        let (heard, outcome) = ask(good("application/json", whole), Then::HangUp).await;
        assert!(outcome.unwrap().cut);
        assert_eq!(heard.events()[2..], [ChatEvent::Answering, ChatEvent::Text("x".into())]);
    }

    #[tokio::test]
    async fn what_is_no_answer_is_told_so() {
        let page = "<html><title>Welcome</title></html>";
        let error = ask(good("text/html", page), Then::HangUp).await.1.unwrap_err();
        assert_eq!(error.remedy, Remedy::GiveUp);
        assert!(error.message.contains("a web page: Welcome (check base_url"), "{}", error.message);
        let said = r#"{"error":{"message":"busy","code":503}}"#;
        let error = ask(good("application/json", said), Then::HangUp).await.1.unwrap_err();
        assert_eq!((error.status, error.remedy), (Some(503), Remedy::Retry { after: None }));
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_none() {
        let half = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\ndata: {\"cho";
        for answer in [good("text/event-stream", half), chunked(&[half])] {
            let (heard, outcome) = ask(answer, Then::HangUp).await;
            let error = outcome.unwrap_err();
            assert_eq!((error.remedy, error.stage), (Remedy::Retry { after: None }, Stage::Stream));
            assert_eq!(heard.text(), "Hel");
        }
    }

    #[tokio::test]
    async fn a_refusal_keeps_its_status_its_wait_and_its_words() {
        let error = refused("429 Too Many Requests", "retry-after: 2\r\n", "slow down").await;
        assert_eq!(error.remedy, Remedy::Retry { after: Some(Duration::from_secs(2)) });
        assert_eq!((error.status, error.stage), (Some(429), Stage::Request));
        assert!(error.message.contains("slow down"), "{}", error.message);
        let error = refused("301 Moved", "location: https://x.example/\r\n", "").await;
        assert!(error.message.contains("https://x.example/"), "{}", error.message);
    }

    #[tokio::test]
    async fn the_key_is_never_said() {
        let error = refused("401 Unauthorized", "", r#"{"error":{"message":"bad key sk-0123456789"}}"#).await;
        assert_eq!(error.remedy, Remedy::NextKey);
        assert!(error.message.contains("bad key [secret] (check the key in THE_KEY)"), "{}", error.message);
    }

    #[tokio::test]
    async fn a_connection_that_breaks_before_the_answer_was_made_all_the_same() {
        let error = ask(String::new(), Then::HangUp).await.1.unwrap_err();
        assert_eq!((error.remedy, error.stage), (Remedy::Retry { after: None }, Stage::Request));
    }

    #[tokio::test]
    async fn nobody_there_is_told_by_name() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let heard = Heard::default();
        let service = service(&format!("http://{address}/v1"), Duration::from_mins(1));
        let error = service.chat(&request(), &heard).await.unwrap_err();
        assert_eq!(error.stage, Stage::Connect);
        assert!(error.message.starts_with(&format!("cannot reach {address}: connection refused")), "{error}");
        assert_eq!(heard.events(), [ChatEvent::Connecting]);
    }

    #[tokio::test]
    async fn silence_in_the_middle_ends_the_answer() {
        let begun = good("text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n");
        let (base_url, serving) = serve(vec![(begun, Then::Wait)]).await;
        let service = service(&base_url, Duration::from_millis(20));
        let error = service.chat(&request(), &Heard::default()).await.unwrap_err();
        assert_eq!((error.remedy, error.stage), (Remedy::Retry { after: None }, Stage::Silence));
        assert_eq!(serving.await.unwrap().len(), 1, "the connection is closed");
    }

    /// Tells when the answer begins.
    struct Begun(tokio::sync::Notify);

    impl ChatObserver for Begun {
        fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
            if event == ChatEvent::Answering {
                self.0.notify_one();
            }
            Box::pin(std::future::ready(()))
        }
    }

    #[tokio::test]
    async fn dropping_the_future_closes_the_connection() {
        let begun = good("text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n");
        let (base_url, serving) = serve(vec![(begun, Then::Wait)]).await;
        let service = service(&base_url, Duration::from_mins(1));
        let (request, observer) = (request(), Begun(tokio::sync::Notify::new()));
        tokio::select! {
            _ = service.chat(&request, &observer) => panic!("the answer has no end"),
            () = observer.0.notified() => {}
        }
        assert_eq!(serving.await.unwrap().len(), 1);
    }
}
