//! L21: too much of everything; and an answer that comes faster than anybody reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::answer::{Answer, STOP, events, good, status, stream};
use super::{Case, Kind, case};
use crate::chat::testing::request;
use crate::chat::{ChatEvent, ChatObserver, ChatService};

pub(super) fn cases() -> Vec<Case> {
    let said = |text: &str| serde_json::json!({"choices": [{"delta": {"content": text}}]}).to_string();
    let repeated = |text: &str, times: usize| -> Answer {
        let body = format!("data: {}\n\n", said(text)).repeat(times);
        stream(format!("{body}data: {STOP}\n\n"))
    };
    let (block, megabyte) = ("x".repeat(64 * 1024), "x".repeat(1 << 20));
    let one = said(&megabyte);
    vec![
        case("L21", "a delta of a megabyte", [events([one.as_str(), STOP])]).says(&megabyte),
        case("L21", "many large deltas", [repeated(&block, 80)]).says(&block.repeat(80)),
        case("L21", "very many deltas of one byte", [repeated("y", 20_000)]).says(&"y".repeat(20_000)),
        case("L21", "very many deltas of nothing", [repeated("", 20_000)]).says(""),
        case(
            "L21",
            "comments of five megabytes",
            [stream(
                format!(": {}\n\n", "z".repeat(70)).repeat(70_000)
                    + &format!("data: {}\n\ndata: {STOP}\n\n", said("Hello")),
            )],
        ),
        case("L21", "one event without an end", [stream(format!("data: {}", "x".repeat(17 << 20)))])
            .fails(Kind::GiveUp, None, &["one event of the response is larger than 8 MB"])
            .retries(&[]),
        case(
            "L21",
            "an answer of five megabytes that is no stream",
            [good(
                "application/json",
                &format!(r#"{{"choices":[{{"message":{{"content":"{}"}}}}]}}"#, megabyte.repeat(5)),
            )],
        )
        .says(&megabyte.repeat(5)),
        case("L21", "an error of nine megabytes", [status(400).json(&"no ".repeat(3 << 20))]).fails(
            Kind::GiveUp,
            400,
            &["no no no", "…"],
        ),
    ]
}

#[tokio::test]
async fn too_much_of_everything_is_read_or_refused() {
    super::check_all(cases()).await;
}

/// What the endpoint sends while nobody reads on.
const FLOOD: usize = 100 << 20;

/// So much may lie between the endpoint and an observer that holds still: the buffers of both sockets (some megabytes
/// each, as the system pleases) and what has been read and not told.
const UNDER_WAY: usize = 16 << 20;

/// Holds still from the first text on, until it is let go.
struct Still {
    go: watch::Receiver<bool>,
    holds: watch::Sender<bool>,
    told: AtomicUsize,
}

impl ChatObserver for Still {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        if let ChatEvent::Text(text) = event {
            self.told.fetch_add(text.len(), Ordering::Relaxed);
            self.holds.send_replace(true);
            let mut go = self.go.clone();
            return Box::pin(async move { drop(go.wait_for(|go| *go).await) });
        }
        Box::pin(std::future::ready(()))
    }
}

/// Writes the flood and counts; the count stops growing when the line is full.
async fn flood(listener: TcpListener, written: Arc<AtomicUsize>) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = vec![0; 64 * 1024];
    assert!(stream.read(&mut request).await.unwrap() > 0);
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let text = "x".repeat(32 * 1024);
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    while written.load(Ordering::Relaxed) < FLOOD {
        if stream.write_all(event.as_bytes()).await.is_err() {
            return;
        }
        written.fetch_add(event.len(), Ordering::Relaxed);
    }
    // The client may have had enough by now.
    drop(stream.write_all(format!("data: {STOP}\n\ndata: [DONE]\n\n").as_bytes()).await);
}

/// Waits until nothing more is written: the same count many times in a row, with the client's task running in between.
async fn standstill(written: &AtomicUsize) -> usize {
    let (mut last, mut same) = (0, 0);
    while same < 50 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        let now = written.load(Ordering::Relaxed);
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
    last
}

#[tokio::test]
async fn an_endpoint_is_not_read_faster_than_its_answer_is_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let written = Arc::new(AtomicUsize::new(0));
    let flooding = tokio::spawn(flood(listener, Arc::clone(&written)));
    let (release, go) = watch::channel(false);
    let (holds, mut held) = watch::channel(false);
    let asking = tokio::spawn(async move {
        let observer = Still { go, holds, told: AtomicUsize::new(0) };
        let outcome = super::run::service_at(address).chat(&request(), &observer).await;
        (outcome, observer.told.load(Ordering::Relaxed))
    });
    held.wait_for(|holds| *holds).await.unwrap();
    let under_way = standstill(&written).await;
    assert!(under_way < UNDER_WAY, "{under_way} bytes were written to an observer that holds still");
    release.send_replace(true);
    let (outcome, told) = asking.await.unwrap();
    match outcome {
        Ok(completion) => assert_eq!(completion.message.text.len(), told),
        Err(error) => assert!(error.message.contains("larger than"), "{error}"),
    }
    flooding.await.unwrap();
}
