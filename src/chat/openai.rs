//! Chat-completions over HTTP, by way of `async_openai`: the only file that names it.
//!
//! The crate builds the request (address, head, body) and sends it through our own tower service; it does not read the
//! answer. Its stream would put every event into a queue without bound, forget the status of most errors, leave the
//! connection before the end of the body, and take a cut answer for a whole one. The surprising decision: so the service
//! hands the response out by the way of errors, the one way on which the crate passes things through untouched, and what
//! becomes of it is decided in `exchange`.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures_util::future::BoxFuture;
use reqwest::Response;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::classify::{self, Asked};
use super::endpoint::{self, Endpoint};
use super::exchange::{Exchange, FIRST_BYTE_SETTING};
use super::{ChatError, ChatEvent, ChatObserver, ChatRequest, ChatService, Completion, Remedy};
use crate::chat::answer::accumulate::TextCalls;
use crate::chat::request::memory::{EndpointMemory, Line};
use crate::chat::request::wire::{ImageSource, WireOptions};

/// A connection that has not failed by now is taken for made: the wait is for the answer. Nothing tells when it is.
const CONNECTED: Duration = Duration::from_secs(1);

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
        let (host, key) = (self.endpoint.host(), self.endpoint.credential());
        let asked = Asked { host, base: self.endpoint.base(), key, model: request.model.as_str() };
        let exchange = Exchange { service: self, request, observer, asked };
        Box::pin(async move { exchange.run().await.map_err(|error| self.redact(error)) })
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self { first_byte: Duration::from_mins(10), idle: Duration::from_mins(2) }
    }
}

impl OpenAiChatService {
    /// What is known of the endpoint.
    pub(super) fn memory(&self) -> &EndpointMemory {
        &self.memory
    }

    /// What goes into every request.
    pub(super) fn wire(&self) -> &WireOptions {
        &self.wire
    }

    /// Where images come from.
    pub(super) fn images(&self) -> &ImageSource {
        &*self.images
    }

    /// Which texts count as calls while the endpoint sends none as calls.
    pub(super) fn text_calls(&self) -> TextCalls {
        self.text_calls
    }

    /// How long to wait.
    pub(super) fn patience(&self) -> Patience {
        self.patience
    }

    /// `error` without any secret in its text.
    pub(super) fn redact(&self, error: ChatError) -> ChatError {
        self.endpoint.redact(error)
    }

    /// Sends `body` and waits for the head of the answer, whatever it is. Some servers promise to keep a line open and close it
    /// behind the answer all the same: where that strikes this request, it goes out once more, and nobody is told.
    pub(super) async fn send(
        &self,
        body: String,
        asked: Asked<'_>,
        observer: &dyn ChatObserver,
    ) -> Result<Response, ChatError> {
        let body = RawValue::from_string(body).map_err(|error| {
            ChatError::new(Remedy::GiveUp, format!("cannot write the request as JSON: {error}"))
        })?;
        observer.on(ChatEvent::Connecting).await;
        let line = self.memory.take_line();
        let mut sent = self.send_once(&body, asked, observer).await;
        if let (Err(Unsent::HungUp(error)), Line::Used) = (&sent, line) {
            tracing::debug!(%error, "the connection was closed between two requests");
            sent = self.send_once(&body, asked, observer).await;
        }
        sent.map_err(ChatError::from)
    }

    async fn send_once(
        &self,
        body: &RawValue,
        asked: Asked<'_>,
        observer: &dyn ChatObserver,
    ) -> Result<Response, Unsent> {
        let chat = self.client.chat();
        let mut sending = Box::pin(timeout(self.patience.first_byte, chat.create_byot(body)));
        if let Ok(sent) = timeout(CONNECTED, &mut sending).await {
            let response = self.handed_out(sent, asked)?;
            observer.on(ChatEvent::Sent).await;
            return Ok(response);
        }
        observer.on(ChatEvent::Sent).await;
        // Whoever hangs up as late as this has had the request.
        self.handed_out(sending.await, asked).map_err(|unsent| Unsent::Otherwise(unsent.into()))
    }

    /// The response, out of what the crate takes for an error.
    fn handed_out(
        &self,
        sent: Result<Result<IgnoredAny, OpenAIError>, Elapsed>,
        asked: Asked<'_>,
    ) -> Result<Response, Unsent> {
        let odd = |what: String| Err(Unsent::Otherwise(ChatError::new(Remedy::GiveUp, what)));
        match sent {
            Ok(Err(OpenAIError::Boxed(handed_out))) => match handed_out.downcast::<HandedOut>() {
                Ok(handed_out) => Ok(handed_out.0),
                Err(other) => odd(other.to_string()),
            },
            Ok(Err(OpenAIError::Reqwest(error))) => {
                let (connected, causes) = (!error.is_connect(), endpoint::causes(error));
                let error = classify::unsent(asked, &causes, connected);
                let hung_up = connected && classify::is_hung_up(&causes);
                Err(if hung_up { Unsent::HungUp(error) } else { Unsent::Otherwise(error) })
            }
            Ok(Err(other)) => odd(other.to_string()),
            Ok(Ok(IgnoredAny)) => odd("the request was not sent".to_owned()),
            Err(_elapsed) => {
                let error = classify::silence(asked, self.patience.first_byte, FIRST_BYTE_SETTING);
                Err(Unsent::Otherwise(error))
            }
        }
    }
}

/// Why there is no answer.
enum Unsent {
    /// The line was closed before the first byte of one.
    HungUp(ChatError),
    Otherwise(ChatError),
}

impl From<Unsent> for ChatError {
    fn from(unsent: Unsent) -> Self {
        match unsent {
            Unsent::HungUp(error) | Unsent::Otherwise(error) => error,
        }
    }
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
    use tokio::net::TcpListener;

    use super::super::testing::server::{HELLO, Then, chunked, good, serve, service};
    use super::super::testing::{Heard, request};
    use super::super::{FirstAnswer, Retry, Stage};
    use super::*;
    use crate::protocol::StopReason;

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

    /// How a second request fares whose line is closed once it has come, and what was told of both.
    async fn on_a_closed_line(first: String, more: Vec<(String, Then)>) -> (Heard, Option<String>, usize) {
        let lost = (String::new(), Then::HangUp);
        let (base_url, serving) = serve([vec![(first, Then::Next), lost], more].concat()).await;
        let inner = service(&base_url, Duration::from_mins(1));
        let service = Retry::new(inner, 5, 7, FirstAnswer::default()).hurried();
        let heard = Heard::default();
        assert!(service.chat(&request(), &heard).await.is_ok());
        let outcome = service.chat(&request(), &heard).await;
        (heard, outcome.ok().map(|completion| completion.message.text), serving.await.unwrap().len())
    }

    #[tokio::test]
    async fn a_line_that_is_closed_between_two_requests_costs_nothing() {
        let answer = chunked(&[HELLO, ""]);
        let (heard, said, requests) =
            on_a_closed_line(answer.clone(), vec![(answer.clone(), Then::HangUp)]).await;
        assert_eq!((said.as_deref(), requests, heard.retries()), (Some("Hello"), 3, vec![]));
        let connecting = heard.events().into_iter().filter(|event| *event == ChatEvent::Connecting);
        assert_eq!(connecting.count(), 2, "the second try is not told");
        // The fresh line is closed too: that one is told.
        let more = vec![(String::new(), Then::HangUp), (answer.clone(), Then::HangUp)];
        let (heard, said, requests) = on_a_closed_line(answer, more).await;
        assert_eq!((said.as_deref(), requests, heard.retries()), (Some("Hello"), 4, vec!["1/5".to_owned()]));
    }

    #[tokio::test]
    async fn a_fresh_line_that_is_closed_is_told() {
        let answers = vec![(good("text/event-stream", HELLO), Then::HangUp), (String::new(), Then::HangUp)];
        let (base_url, _serving) = serve(answers).await;
        let service = service(&base_url, Duration::from_mins(1));
        assert!(service.chat(&request(), &Heard::default()).await.is_ok());
        let error = service.chat(&request(), &Heard::default()).await.unwrap_err();
        assert_eq!((error.remedy, error.stage), (Remedy::Retry { after: None }, Stage::Request));
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
        assert!(
            error.message.contains("bad key [redacted key] (check the key in THE_KEY)"),
            "{}",
            error.message
        );
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
