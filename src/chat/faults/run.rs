//! Runs cases of the matrix and says what did not come out as told.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::server::Server;
use super::{Case, Counts, Kind, Outcome, Place, Point, Setup};
use crate::chat::answer::accumulate::TextCalls;
use crate::chat::testing::{Heard, request};
use crate::chat::{
    ApiKey, ChatError, ChatEvent, ChatObserver, ChatService, ChatServiceConfig, Completion, Connections,
    Endpoint, EndpointMemory, Fallback, FirstAnswer, Keyed, OpenAiChatService, Patience, RequestMessage,
    Retry, WireOptions, create_chat_service,
};
use crate::os::env::Env;
use crate::os::http::{Proxies, Roots};
use crate::protocol::{Entry, EntryBody, Message};
use crate::session::entry::{Line, from_line, to_line};

/// No case lasts so long: its own limits are far below it.
const DEADLINE: Duration = Duration::from_secs(30);

/// What is sent as a key; its number is behind it.
const KEY: &str = "sk-this-is-a-secret-";

/// So many run side by side.
const AT_ONCE: usize = 8;

type Stack = Fallback<Retry<OpenAiChatService>>;

/// Runs all of them; fails with all that went wrong.
pub(super) async fn check_all(cases: Vec<Case>) {
    let outcomes = stream::iter(cases).map(judged).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await;
    let failures: Vec<String> = outcomes.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{} cases:\n{}", failures.len(), failures.join("\n"));
}

/// What is wrong with a case.
async fn judged(case: Case) -> Option<String> {
    let name = format!("{} {}", case.row, case.name);
    let running = tokio::spawn(async move { timeout(DEADLINE, check(case)).await });
    let wrong = match running.await {
        Ok(Ok(wrong)) => wrong,
        Ok(Err(_elapsed)) => Some("it hangs".to_owned()),
        Err(panic) => Some(format!("it panics: {panic}")),
    };
    wrong.map(|wrong| format!("{name}: {wrong}"))
}

async fn check(case: Case) -> Option<String> {
    let first_answer = FirstAnswer::default();
    let server = Server::start(case.answers.clone()).await;
    if case.setup.warm {
        warm(&case.setup, &first_answer).await;
    }
    let stack = stack(&case.setup, &server, &first_answer);
    let mut server = Some(server);
    if case.setup.place == Place::Gone {
        server.take()?.close().await;
    }
    if let Outcome::Dropped { at } = case.expect.outcome {
        return check_dropped(&stack, server.as_ref()?, at).await;
    }
    let heard = Heard::default();
    let mut request = request();
    if case.setup.large {
        request.messages.push(RequestMessage::Text("long ".repeat(1 << 20).into()));
    }
    let outcome = stack.chat(&request, &heard).await;
    let mut wrong = Vec::new();
    match &outcome {
        Ok(completion) => wrong.extend(check_answer(&case.expect.outcome, completion, &heard)),
        Err(error) => wrong.extend(check_error(&case.expect.outcome, error)),
    }
    wrong.extend(check_told(&case, &heard));
    if let Some(server) = &server {
        let (requests, expected) = (server.requests().len(), case.answers.len());
        if requests != expected {
            wrong.push(format!("{requests} requests, not {expected}"));
        }
    }
    (!wrong.is_empty()).then(|| format!("{}\n    {outcome:?}\n    {:?}", wrong.join("; "), heard.events()))
}

fn check_answer(expected: &Outcome, completion: &Completion, heard: &Heard) -> Vec<String> {
    let message = &completion.message;
    let calls = message.tool_calls.iter().map(|call| format!("{}|{}|{}", call.id, call.name, call.arguments));
    let calls: Vec<String> = calls.collect();
    let mut wrong = Vec::new();
    match expected {
        Outcome::Says { text, stop, cut, usage } => {
            let counts = message.usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens));
            let counted = match usage {
                Counts::Any => true,
                Counts::Unknown => counts.is_none(),
                Counts::Are(prompt, answer) => counts == Some((*prompt, *answer)),
            };
            let same = message.text == *text && message.stop_reason == *stop && completion.cut == *cut;
            if !same || !calls.is_empty() || !counted {
                wrong.push(format!("it should say {text:?}, {stop:?}, cut: {cut}, {usage:?}"));
            }
        }
        Outcome::Calls(expected) if calls != *expected => {
            wrong.push(format!("the calls are {calls:?}, not {expected:?}"));
        }
        Outcome::CallCount(count) if calls.len() != *count => {
            wrong.push(format!("{} calls, not {count}", calls.len()));
        }
        Outcome::Calls(_) | Outcome::CallCount(_) => {}
        Outcome::Fails { .. } | Outcome::Dropped { .. } => wrong.push("it should fail".to_owned()),
    }
    if told_since_void(heard) != message.text {
        wrong.push("what was told is not what is kept".to_owned());
    }
    wrong.extend(check_storable(completion));
    wrong
}

/// The visible text since the last that was declared void.
fn told_since_void(heard: &Heard) -> String {
    heard.events().into_iter().fold(String::new(), |told, event| match event {
        ChatEvent::Text(text) => told + &text,
        ChatEvent::Retry { discard: true, .. } => String::new(),
        _ => told,
    })
}

/// An answer comes back from a session's file as it was, and its calls can be told apart.
fn check_storable(completion: &Completion) -> Vec<String> {
    let message = completion.message.clone();
    let mut ids: Vec<_> = message.tool_calls.iter().map(|call| call.id.clone()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    let entry = Entry { timestamp: 1, body: EntryBody::Message(Message::Assistant(message)) };
    let line = to_line(&entry);
    let mut wrong = Vec::new();
    if line.contains('\n') || from_line(line.as_bytes()) != Line::Entry(Box::new(entry)) {
        wrong.push(format!("it cannot be kept: {line}"));
    }
    if ids.len() != count {
        wrong.push("two calls have one id".to_owned());
    }
    wrong
}

fn check_error(expected: &Outcome, error: &ChatError) -> Vec<String> {
    let mut wrong = check_line(&error.message);
    let Outcome::Fails { remedy, status, words } = expected else {
        wrong.push("it should not fail".to_owned());
        return wrong;
    };
    if (Kind::from(&error.remedy), error.status) != (*remedy, *status) {
        wrong.push(format!("it should be {remedy:?} with {status:?}"));
    }
    let missing = words.iter().filter(|word| !error.message.contains(*word));
    wrong.extend(missing.map(|word| format!("{word:?} is not said")));
    wrong
}

/// A line for a person.
fn check_line(line: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if line.chars().any(char::is_control) {
        wrong.push(format!("not one clean line: {line:?}"));
    }
    if line.len() > 2048 {
        wrong.push(format!("{} bytes are too many for a line", line.len()));
    }
    if line.contains(KEY) {
        wrong.push(format!("a key is said: {line:?}"));
    }
    wrong
}

fn check_told(case: &Case, heard: &Heard) -> Vec<String> {
    let mut wrong = Vec::new();
    let retries = heard.retries();
    if case.expect.retries.as_ref().is_some_and(|expected| retries != *expected) {
        wrong.push(format!("the retries are {retries:?}, not {:?}", case.expect.retries));
    }
    let mut delays = Vec::new();
    for event in heard.events() {
        if let ChatEvent::Retry { delay, error, .. } = event {
            delays.push(u64::try_from(delay.as_millis()).unwrap());
            wrong.extend(check_line(&error));
        }
    }
    if case.expect.delays.as_ref().is_some_and(|expected| delays != *expected) {
        wrong.push(format!("the delays are {delays:?}, not {:?}", case.expect.delays));
    }
    let notices = heard.notices();
    let expected = &case.expect.notices;
    let same = notices.len() == expected.len()
        && notices.iter().zip(expected).all(|(is, should)| is.0 == should.0 && is.1.contains(should.1));
    if !same {
        wrong.push(format!("the notices are not {expected:?}"));
    }
    wrong.extend(notices.iter().flat_map(|(_, text)| check_line(text)));
    wrong
}

/// Drops the answer there: the line is closed, and the next request gets its answer.
async fn check_dropped(stack: &Stack, server: &Server, at: Point) -> Option<String> {
    let (observer, request) = (Counting::until(at), request());
    tokio::select! {
        biased;
        outcome = stack.chat(&request, &observer) => return Some(format!("it ended before it was dropped: {outcome:?}")),
        () = observer.reached.notified() => {}
    }
    server.left_alone().await;
    let before = server.requests().len();
    let heard = Heard::default();
    let outcome = stack.chat(&request, &heard).await;
    let requests = server.requests().len();
    match outcome {
        Ok(completion) if completion.message.text == "Hello" && requests == before + 1 => None,
        outcome => Some(format!("the next request: {outcome:?}, {before} requests before, {requests} after")),
    }
}

/// Tells when it has seen enough, and then keeps whoever tells it waiting.
struct Counting {
    at: Point,
    seen: std::sync::Mutex<usize>,
    reached: Notify,
}

impl Counting {
    fn until(at: Point) -> Self {
        Self { at, seen: std::sync::Mutex::new(0), reached: Notify::new() }
    }
}

impl ChatObserver for Counting {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        let mut seen = self.seen.lock().unwrap();
        let enough = match (self.at, event) {
            (Point::Events(count), _) => {
                *seen += 1;
                *seen == count
            }
            (Point::Text(bytes), ChatEvent::Text(text)) => {
                *seen += text.len();
                *seen >= bytes
            }
            (Point::Text(_), _) => false,
        };
        if !enough {
            return Box::pin(std::future::ready(()));
        }
        self.reached.notify_one();
        Box::pin(std::future::pending())
    }
}

/// Has one answer come, from an endpoint of its own.
async fn warm(setup: &Setup, first_answer: &FirstAnswer) {
    let server = Server::start(vec![super::answer::hello()]).await;
    let setup = Setup { place: Place::Here, ..setup.clone() };
    let outcome = stack(&setup, &server, first_answer).chat(&request(), &Heard::default()).await;
    assert!(outcome.is_ok(), "{outcome:?}");
}

/// The endpoint alone, without anything around it.
pub(super) fn service_at(address: SocketAddr) -> OpenAiChatService {
    service(&super::case("", "", []).setup, address, 1)
}

fn stack(setup: &Setup, server: &Server, first_answer: &FirstAnswer) -> Stack {
    let mut keyed = (1..=setup.keys).map(|number| {
        let service =
            Retry::new(service(setup, server.address, number), setup.max_retries, 7, first_answer.clone());
        Keyed::new(format!("KEY_{number}"), service.hurried())
    });
    let first = keyed.next().unwrap();
    Fallback::new(first, keyed.collect(), setup.models.iter().map(|&model| model.into()).collect())
}

fn service(setup: &Setup, address: SocketAddr, key: usize) -> OpenAiChatService {
    let proxy = format!("http://{address}");
    let (base_url, env) = match setup.place {
        Place::Here | Place::Gone => (format!("http://{address}/v1"), vec![]),
        Place::Bare => (format!("http://{address}"), vec![]),
        Place::Secure => (format!("https://{address}/v1"), vec![]),
        Place::Nowhere => ("http://endpoint.invalid/v1".to_owned(), vec![]),
        Place::BehindProxy { secure: false } => {
            ("http://endpoint.invalid/v1".to_owned(), vec![("HTTP_PROXY", proxy)])
        }
        Place::BehindProxy { secure: true } => {
            ("https://endpoint.invalid/v1".to_owned(), vec![("HTTPS_PROXY", proxy)])
        }
        Place::BehindGoneProxy => {
            ("https://endpoint.invalid/v1".to_owned(), vec![("HTTPS_PROXY", "http://127.0.0.1:1".to_owned())])
        }
    };
    let key = ApiKey { name: format!("KEY_{key}"), secret: format!("{KEY}{key}") };
    let endpoint = Endpoint::new(&base_url, Some(&key), &[]).unwrap();
    let proxies = Proxies::from_env(&Env::from_pairs(env));
    let connections = Connections { timeout: Duration::from_secs(10), proxies, roots: Roots::default() };
    let http = endpoint.client(connections).unwrap();
    let (first_byte, idle) = setup.patience;
    create_chat_service(ChatServiceConfig {
        memory: Arc::new(EndpointMemory::of_host(endpoint.host())),
        endpoint,
        http,
        wire: WireOptions::default(),
        text_calls: TextCalls::Off,
        patience: Patience { first_byte, idle },
        images: Arc::new(|_| None),
    })
}
