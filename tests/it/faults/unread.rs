//! An output that nobody reads: the program waits, and so does the endpoint; memory stays where it was.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};

use crate::harness::Clawd;
use crate::watched::{DEADLINE, Watched};

/// More than this is not sent: far beyond what may lie on the way.
const FLOOD: usize = 100 << 20;
/// By so much the program may grow, in kilobytes.
const GROWTH_KB: usize = 16 << 10;
/// How often in a row the same count means that the line is full.
const STILL: usize = 100;

/// How far the endpoint is.
#[derive(Default)]
struct Sent {
    asked: bool,
    bytes: usize,
}

/// Answers a first request with a flood, which it breaks off once nobody takes it any more and it is told to; and a second
/// one with a word.
fn serve(listener: &TcpListener, sent: &Watched<Sent>, enough: &Watched<bool>) {
    let (mut stream, _) = listener.accept().unwrap();
    read_request(&mut stream);
    sent.with(|sent| sent.asked = true);
    stream.write_all(HEAD).unwrap();
    stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
    let event = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "x".repeat(16 << 10)}}]}));
    let mut left = event.as_bytes();
    while sent.with(|sent| sent.bytes) < FLOOD && !enough.with(|enough| *enough) {
        // an error is the timeout: then it is looked again whether it is enough
        let written = stream.write(left).unwrap_or_default();
        sent.with(|sent| sent.bytes += written);
        left = if written == left.len() { event.as_bytes() } else { &left[written..] };
    }
    drop(stream);
    let (mut stream, _) = listener.accept().unwrap();
    read_request(&mut stream);
    let stop = json!({"choices": [{"delta": {"content": "Done."}, "finish_reason": "stop"}]});
    stream.write_all(HEAD).unwrap();
    stream.write_all(format!("data: {stop}\n\ndata: [DONE]\n\n").as_bytes()).unwrap();
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn read_request(stream: &mut TcpStream) {
    let (mut request, mut buffer) = (Vec::new(), [0; 8192]);
    loop {
        let count = stream.read(&mut buffer).unwrap();
        request.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() >= length.parse::<usize>().unwrap() {
            return;
        }
    }
}

/// A program whose standard output is a pipe that the test reads when it likes. Ended with the test.
struct Unread(Child);

impl Unread {
    fn start(clawd: &Clawd) -> Self {
        let (program, args, env) = clawd.parts();
        let child = Command::new(program)
            .args(args)
            .env_clear()
            .envs(env)
            .current_dir(clawd.project())
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    /// What it has in memory, in kilobytes.
    fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Reads all that it has to say, and its exit code.
    fn read_on(mut self) -> (String, Option<i32>) {
        let mut said = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        (said, self.0.wait().unwrap().code())
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        // none left is the usual case
        kill_process_group(Pid::from_child(&self.0), Signal::KILL).ok();
        self.0.wait().ok();
    }
}

/// Waits until the count of what was sent stays the same.
fn standstill(sent: &Watched<Sent>) -> usize {
    let (mut last, mut same) = (0, 0);
    while same < STILL {
        // what changes wakes it; the time is only for noticing that nothing does
        sent.wait(Duration::from_millis(2), |sent| (sent.bytes != last).then_some(()));
        let now = sent.with(|sent| sent.bytes);
        same = if now == last && now > 0 { same + 1 } else { 0 };
        last = now;
    }
    last
}

#[test]
fn a_signal_ends_a_run_whose_output_nobody_reads() {
    for (signal, expected) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sent, enough) = (Arc::new(Watched::<Sent>::default()), Arc::new(Watched::<bool>::default()));
        {
            let (sent, enough) = (Arc::clone(&sent), Arc::clone(&enough));
            // the second request never comes: it ends with the tests
            std::thread::spawn(move || serve(&listener, &sent, &enough));
        }
        let clawd = Clawd::alone()
            .env("CLAWD_BASE_URL", &format!("http://{address}/v1"))
            .env("CLAWD_MODEL", "mock-1")
            .args(["-p", "--output-format", "stream-json", "--no-session", "go"]);
        let mut running = Unread::start(&clawd);
        sent.wait(DEADLINE, |sent| sent.asked.then_some(())).expect("it asks");
        standstill(&sent);
        kill_process(Pid::from_child(&running.0), signal).unwrap();
        // its output is not read: only its end ends this
        assert_eq!(running.0.wait().unwrap().code(), Some(expected));
        enough.with(|enough| *enough = true);
    }
}

#[test]
fn while_nobody_reads_the_output_the_endpoint_waits_and_memory_stays() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sent, enough) = (Arc::new(Watched::<Sent>::default()), Arc::new(Watched::<bool>::default()));
    let serving = {
        let (sent, enough) = (Arc::clone(&sent), Arc::clone(&enough));
        std::thread::spawn(move || serve(&listener, &sent, &enough))
    };
    let clawd = Clawd::alone()
        .env("CLAWD_BASE_URL", &format!("http://{address}/v1"))
        .env("CLAWD_MODEL", "mock-1")
        .args(["-p", "--output-format", "stream-json", "--no-session", "go"]);
    let running = Unread::start(&clawd);
    sent.wait(DEADLINE, |sent| sent.asked.then_some(())).expect("it asks");
    let before = running.memory();
    let bytes = standstill(&sent);
    let grown = running.memory().saturating_sub(before);
    assert!(bytes < FLOOD, "{bytes} bytes were taken although nobody reads");
    assert!(grown <= GROWTH_KB, "it grew by {grown} kB from {before} kB over {bytes} bytes");
    enough.with(|enough| *enough = true);
    let (said, code) = running.read_on();
    serving.join().unwrap();
    let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!((code, &last["type"], &last["final_message"]), (Some(0), &json!("result"), &json!("Done.")));
    let retry = said.lines().find(|line| line.contains("\"type\":\"retry\"")).unwrap();
    assert!(retry.contains("\"discard\":true"), "{retry}");
}
