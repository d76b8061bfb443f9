//! The program itself on a terminal, as a person has it before them, and an endpoint that it can ask.
//!
//! No terminal emulator: what is waited for are words among the bytes. The surprise: the screen is read on a thread, so that what
//! the program draws never waits for whoever measures.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::json;

/// Keys of which the echo is timed.
const KEYS: usize = 100;

/// The program on a terminal.
pub(super) struct Program {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    screen: Receiver<Vec<u8>>,
    _terminal: Box<dyn MasterPty + Send>,
}

impl Program {
    /// Goes on with the last session on a terminal of its own.
    pub(super) fn start(project: &Path, home: &Path, url: &str) -> Self {
        let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_clawd"));
        command.args(["-c", "--base-url", url, "--model", "m"]);
        command.cwd(project);
        command.env("CLAWD_HOME", home);
        command.env("OPENAI_API_KEY", "none");
        command.env("TERM", "xterm-256color");
        let mut reader = pty.master.try_clone_reader().unwrap();
        let keyboard = pty.master.take_writer().unwrap();
        let (tell, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if tell.send(buffer.get(..read).unwrap().to_vec()).is_err() {
                    break;
                }
            }
        });
        let child = pty.slave.spawn_command(command).unwrap();
        Self { child, keyboard, screen, _terminal: pty.master }
    }

    pub(super) fn wait_for(&self, text: &str) {
        let mut seen = Vec::new();
        while !seen.windows(text.len()).any(|part| part == text.as_bytes()) {
            seen.extend(self.screen.recv().unwrap());
        }
    }

    /// Lets time pass, whatever is drawn.
    pub(super) fn pass(&self, time: Duration) {
        let end = Instant::now() + time;
        while self.screen.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok() {}
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.keyboard.write_all(bytes).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Sorted.
    pub(super) fn echoes(&mut self) -> Vec<Duration> {
        let mut times: Vec<Duration> = (0..KEYS).map(|_| self.echo()).collect();
        times.sort_unstable();
        times
    }

    /// From a sign that stands nowhere else to its echo.
    fn echo(&mut self) -> Duration {
        // no multiple of what lies between two words
        self.pass(Duration::from_millis(43));
        let typed = Instant::now();
        self.write(b"~");
        self.wait_for("~");
        let echoed = typed.elapsed();
        self.write(b"\x7f");
        echoed
    }

    /// The most bytes of memory that it had.
    pub(super) fn most_memory(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.process_id().unwrap())).unwrap();
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        most.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
    }

    pub(super) fn end(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// An endpoint whose answers never end: a word every ten milliseconds.
pub(super) fn endless_answers() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    url
}

#[expect(clippy::disallowed_methods, reason = "words come at their own pace")]
fn answer(mut stream: TcpStream) {
    let (mut reader, mut length) = (BufReader::new(stream.try_clone().unwrap()), 0);
    let (mut first, mut line) = (String::new(), String::new());
    reader.read_line(&mut first).unwrap();
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        let value =
            line.to_ascii_lowercase().strip_prefix("content-length:").map(|value| value.trim().parse());
        length = value.map_or(length, Result::unwrap);
        line.clear();
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink()).unwrap();
    if !first.starts_with("POST") {
        drop(stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"));
        return;
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let mut said = stream.write_all(head.as_bytes());
    let mut number = 0;
    while said.is_ok() {
        std::thread::sleep(Duration::from_millis(10));
        let end = if number % 40 == 39 { "\n\n" } else { " " };
        let choice = json!({"index": 0, "delta": {"content": format!("word{number}{end}")}});
        let chunk = json!({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]});
        said = stream.write_all(format!("data: {chunk}\n\n").as_bytes());
        number += 1;
    }
}
