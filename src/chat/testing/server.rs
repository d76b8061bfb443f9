//! A server on 127.0.0.1 that gives one answer after the other, and the service that asks it.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::super::endpoint::{ApiKey, Connections, Endpoint};
use super::super::openai::{ChatServiceConfig, OpenAiChatService, Patience, create_chat_service};
use crate::chat::answer::accumulate::TextCalls;
use crate::chat::request::memory::EndpointMemory;
use crate::chat::request::wire::WireOptions;
use crate::os::env::Env;
use crate::os::http::{Proxies, Roots};

/// A good answer.
pub(crate) const HELLO: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: [DONE]\n\n",
);

/// What the server does behind an answer.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Reads the next request from the same connection.
    Next,
    /// Hangs up.
    HangUp,
    /// Keeps the line open until the client hangs up.
    Wait,
}

/// Answers each request with the next of `answers`; gives back what it was asked.
pub(crate) async fn serve(answers: Vec<(String, Then)>) -> (String, JoinHandle<Vec<String>>) {
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

/// A good head before that body.
pub(crate) fn good(kind: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

/// A body in chunks.
pub(crate) fn chunked(parts: &[&str]) -> String {
    let chunks: Vec<String> = parts.iter().map(|part| format!("{:x}\r\n{part}\r\n", part.len())).collect();
    format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}", chunks.concat())
}

/// An error of that status.
pub(crate) fn refusal(status: u16, body: &str) -> String {
    format!("HTTP/1.1 {status} No\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// A service that asks the server at `base_url`, and gives up after `idle` of silence.
pub(crate) fn service(base_url: &str, idle: Duration) -> OpenAiChatService {
    create_chat_service(config(base_url, idle))
}

/// What [`service`] is made of.
pub(crate) fn config(base_url: &str, idle: Duration) -> ChatServiceConfig {
    let key = ApiKey { name: "THE_KEY".into(), secret: "sk-0123456789".into() };
    let endpoint = Endpoint::new(base_url, Some(&key), &[("x-team".into(), "core".into())]).unwrap();
    let proxies = Proxies::from_env(&Env::from_pairs(std::iter::empty::<(&str, &str)>()));
    let connections = Connections { timeout: Duration::from_secs(10), proxies, roots: Roots::default() };
    let http = endpoint.client(connections).unwrap();
    ChatServiceConfig {
        endpoint,
        http,
        wire: WireOptions::default(),
        text_calls: TextCalls::Off,
        memory: Arc::new(EndpointMemory::of_host("")),
        patience: Patience { first_byte: Duration::from_mins(1), idle },
        images: Arc::new(|_| None),
    }
}
