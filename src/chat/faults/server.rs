//! A server on a bare socket: plays one answer for each request, and knows what it was asked.
//!
//! It reads requests only as far as it must to know where they end. A request beyond the last answer gets a 500, and is
//! counted.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::answer::{Answer, End, Step, refused};

/// For a client on this machine to read what it was sent.
const UNTIL_READ: Duration = Duration::from_millis(20);

/// A running server; it ends when it is dropped.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    seen: Arc<Seen>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<String>>,
    /// Connections on which an answer is being played.
    open: Mutex<usize>,
    changed: Notify,
}

impl Server {
    pub(super) async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let answers = Arc::new(Mutex::new(answers.into_iter()));
        let shared = Arc::clone(&seen);
        let serving = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (answers, seen) = (Arc::clone(&answers), Arc::clone(&shared));
                tokio::spawn(async move {
                    let mut stream = stream;
                    let early = answers.lock().unwrap().as_slice().first().is_some_and(Answer::is_early);
                    let Some(request) = read_request(&mut stream, early).await else { return };
                    seen.note(request);
                    let answer = answers.lock().unwrap().next();
                    let answer = answer.unwrap_or_else(|| refused(500, "no answer is left"));
                    play(&mut stream, &answer).await;
                    drop(stream);
                    seen.note_end();
                });
            }
        });
        Self { address, seen, serving }
    }

    /// Head and body of each request, oldest first.
    pub(super) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// Waits until the client has left every connection.
    pub(super) async fn left_alone(&self) {
        loop {
            let changed = self.seen.changed.notified();
            if *self.seen.open.lock().unwrap() == 0 {
                return;
            }
            changed.await;
        }
    }

    /// Ends it; nobody listens at its address any more.
    pub(super) async fn close(mut self) {
        self.serving.abort();
        drop((&mut self.serving).await);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Seen {
    fn note(&self, request: String) {
        self.requests.lock().unwrap().push(request);
        *self.open.lock().unwrap() += 1;
        self.changed.notify_waiters();
    }

    fn note_end(&self) {
        *self.open.lock().unwrap() -= 1;
        self.changed.notify_waiters();
    }
}

/// To its end, or to that of its head. None where the client says nothing, or nothing that is HTTP.
async fn read_request(stream: &mut TcpStream, head_alone: bool) -> Option<String> {
    let mut request = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let count = stream.read(&mut buffer).await.ok()?;
        request.extend_from_slice(buffer.get(..count)?);
        let text = String::from_utf8_lossy(&request);
        // The first byte of TLS: whoever speaks it gets its answer at once.
        if request.first() == Some(&0x16) {
            return Some("a handshake".to_owned());
        }
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if head_alone || body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Some(text.into_owned());
            }
        }
        if count == 0 {
            return None;
        }
    }
}

/// To the end of the answer, or until the client has gone.
async fn play(stream: &mut TcpStream, answer: &Answer) {
    stream.set_nodelay(true).unwrap();
    for step in answer.steps() {
        match step {
            Step::Write(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
            Step::Pause(time) => tokio::time::sleep(time).await,
        }
    }
    match answer.end() {
        End::Close => drop(stream.shutdown().await),
        End::Reset => {
            // A reset takes back what has not been read: what has been written should be.
            tokio::time::sleep(UNTIL_READ).await;
            return stream.set_zero_linger().unwrap();
        }
        End::Stall => {}
    }
    // Until the client closes too: an end with unread bytes would be a reset.
    let mut rest = vec![0; 64 * 1024];
    while stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
}
