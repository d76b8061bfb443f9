//! How long an edit takes, from the call to its answer: the file read and hashed, the place found, the change made,
//! written and told.
//!
//! The file has ten megabytes and lies in memory where the system has such a place, so that the figure is the program's
//! and not the disk's. The surprise to keep in mind: most of it is hashing and copying; finding is the least. The floor is
//! 30 ms for an exact edit.

#![expect(clippy::expect_used, reason = "a measurement that cannot begin has nothing to say")]

use std::path::PathBuf;
use std::sync::Arc;

use clawd::protocol::{CallId, Terms, ToolStatus};
use clawd::tools::edit::matcher::{Which, edit};
use clawd::tools::read::Read;
use clawd::tools::{NoHost, Scene, Tool, edit::Edit};
use clawd::workbench::{Setup, Workbench};
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Bytes of the file.
const SIZE: usize = 10 * 1024 * 1024;

fn main() {
    divan::main();
}

/// The whole call.
#[divan::bench]
fn a_call(bencher: Bencher<'_, '_>) {
    call(bencher, "\n", "\tneedle(one,  two);");
}

/// The whole call, in a file with line ends of two characters.
#[divan::bench]
fn a_call_with_crlf(bencher: Bencher<'_, '_>) {
    call(bencher, "\r\n", "\tneedle(one,  two);");
}

/// The whole call, the text found but for blanks.
#[divan::bench]
fn a_call_but_for_blanks(bencher: Bencher<'_, '_>) {
    call(bencher, "\n", "    needle(one, two);");
}

/// Finding and splicing alone.
#[divan::bench]
fn the_bytes_alone(bencher: Bencher<'_, '_>) {
    let file = file("\n");
    bencher.bench(|| {
        let edited = edit(black_box(file.as_bytes()), "needle(one,  two)", "needle(two)", Which::One);
        assert!(edited.is_ok());
        edited
    });
}

fn call(bencher: Bencher<'_, '_>, end: &str, old: &str) {
    let desk = Desk::new(&file(end));
    let new = old.replace("one", "three");
    // each call takes back what the one before did
    let mut texts = (old.to_owned(), new);
    bencher.bench_local(|| {
        desk.run(&Edit, &json!({"file_path": "f", "old_string": texts.0, "new_string": texts.1}));
        texts = (texts.1.clone(), texts.0.clone());
    });
}

/// Lines of code, and one among them that is wanted.
fn file(end: &str) -> String {
    let line = |number: usize| format!("\tlet value_{number} = compute(argument, {number});{end}");
    let mut text = String::with_capacity(SIZE + 100);
    let mut number = 0;
    while text.len() < SIZE {
        number += 1;
        let line = if number == 100_000 { format!("\tneedle(one,  two);{end}") } else { line(number) };
        text.push_str(&line);
    }
    text
}

/// A session in a directory of its own.
struct Desk {
    root: PathBuf,
    bench: Arc<Workbench>,
    runtime: Runtime,
    _directory: TempDir,
}

impl Desk {
    fn new(text: &str) -> Self {
        let directory = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a directory");
        let root = directory.path().canonicalize().expect("it is there");
        std::fs::write(root.join("f"), text).expect("it can be written");
        let setup = Setup { root: root.clone(), ..Setup::default() };
        let bench = Arc::new(Workbench::new(setup).expect("a workbench"));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let desk = Self { root, bench, runtime, _directory: directory };
        desk.run(&Read, &json!({"file_path": "f", "limit": 1}));
        desk
    }

    fn run(&self, tool: &dyn Tool, arguments: &Value) {
        let arguments = arguments.as_object().expect("an object");
        let call = tool.prepare(arguments, self.root.as_path().into()).expect("good arguments");
        let scene = Scene {
            call: CallId::from("call"),
            bench: Arc::clone(&self.bench),
            cancel: CancellationToken::new(),
            progress: Arc::new(watch::Sender::default()),
            terms: Terms::default(),
            host: Arc::new(NoHost),
        };
        let result = self.runtime.block_on(call.run(scene));
        assert_eq!(result.status, ToolStatus::Success, "{}", result.content.to_text());
    }
}
