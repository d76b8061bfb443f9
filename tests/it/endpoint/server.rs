//! The sockets: accepts, reads requests, plays plans, notices a client that hangs up.
//!
//! It decides nothing (that is `book`). One thread with a runtime of its own; dropping the `Server` ends
//! the runtime and with it every connection, whatever it was waiting for.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::answer::Break;
use super::book::{Book, Pages, Reply};
use super::http::{Incoming, take_request};
use super::plan::Step;

pub(super) struct Server {
    pub(super) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start(address: &str, book: Arc<Book>) -> Self {
        let listener = std::net::TcpListener::bind((address, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    // an error is the sender gone: an end too
                    _ = stopped => {}
                    () = accept(listener, book) => {}
                }
            });
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the endpoint's thread panicked");
        }
    }
}

async fn accept(listener: TcpListener, book: Arc<Book>) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let wire = Wire { stream, unread: Vec::new(), connection: book.with(Pages::connected) };
        connections.spawn(wire.serve(Arc::clone(&book)));
        while connections.try_join_next().is_some_and(|ended| ended.is_ok()) {}
    }
}

/// One connection, with what has been read of the next request.
struct Wire {
    stream: TcpStream,
    unread: Vec<u8>,
    connection: usize,
}

/// The client has closed its end, or the connection broke.
#[derive(Debug)]
struct Gone;

impl Wire {
    async fn serve(mut self, book: Arc<Book>) {
        while let Ok(request) = self.request().await {
            let reply = book.with(|pages| pages.reply(request, self.connection));
            let request = reply.request;
            match self.play(reply, &book).await {
                Ok(Some(Break::Reset)) => {
                    // an error here is a connection that is gone already
                    drop(self.stream.set_zero_linger());
                    return;
                }
                Ok(Some(Break::Close)) => return,
                Ok(None) => {}
                Err(Gone) => return book.with(|pages| pages.hangups.extend(request)),
            }
        }
    }

    async fn request(&mut self) -> Result<Incoming, Gone> {
        loop {
            if let Some(request) = take_request(&mut self.unread) {
                return Ok(request);
            }
            self.read().await?;
        }
    }

    async fn play(&mut self, reply: Reply, book: &Book) -> Result<Option<Break>, Gone> {
        let last = reply.steps.iter().rposition(|step| matches!(step, Step::Write(_)));
        for (at, step) in reply.steps.into_iter().enumerate() {
            match step {
                Step::Write(bytes) => {
                    if Some(at) == last {
                        // before the bytes, as the next request may come on another connection at once
                        book.with(|pages| pages.settle(reply.turn, reply.state));
                    }
                    self.write(&bytes).await?;
                }
                Step::Hold(gate) => {
                    tokio::select! {
                        biased;
                        gone = self.until_gone() => return Err(gone),
                        () = gate.pass() => {}
                    }
                }
                Step::Break(how) => return Ok(Some(how)),
            }
        }
        Ok(None)
    }

    async fn write(&mut self, mut bytes: &[u8]) -> Result<(), Gone> {
        let (mut reader, mut writer) = self.stream.split();
        while !bytes.is_empty() {
            tokio::select! {
                biased;
                read = reader.read_buf(&mut self.unread) => if matches!(read, Ok(0) | Err(_)) {
                    return Err(Gone);
                },
                written = writer.write(bytes) => {
                    let Ok(written) = written else { return Err(Gone) };
                    bytes = &bytes[written..];
                }
            }
        }
        // lets the client see this write before the next one, where it can
        tokio::task::yield_now().await;
        Ok(())
    }

    async fn until_gone(&mut self) -> Gone {
        loop {
            if let Err(gone) = self.read().await {
                return gone;
            }
        }
    }

    async fn read(&mut self) -> Result<(), Gone> {
        match self.stream.read_buf(&mut self.unread).await {
            Ok(0) | Err(_) => Err(Gone),
            Ok(_) => Ok(()),
        }
    }
}
