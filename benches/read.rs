//! How fast Read shows a window of a file of 5 GB: the first, one a million lines on, and what a name that is not there costs.
//!
//! The whole call, as the loop makes it. The file is two million lines and a hole behind them, so that it costs little disk;
//! what is read of it lies in the system's cache, as a project's files do. The floor: 20 ms for the first window.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use clawd::protocol::{CallId, Tail, Terms, ToolStatus};
use clawd::tools::read::Read;
use clawd::tools::{NoHost, Scene, Tool};
use clawd::workbench::{Setup, Workbench};
use divan::{AllocProfiler, Bencher};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Bytes of the file.
const SIZE: u64 = 5 << 30;

/// Lines before the hole.
const LINES: usize = 2_000_000;

fn main() {
    divan::main();
}

#[divan::bench]
fn first_window(bencher: Bencher<'_, '_>) {
    bench(bencher, &json!({"file_path": "huge"}), ToolStatus::Success);
}

#[divan::bench]
fn window_a_million_lines_on(bencher: Bencher<'_, '_>) {
    bench(bencher, &json!({"file_path": "huge", "offset": 1_000_000}), ToolStatus::Success);
}

#[divan::bench]
fn a_name_that_is_not_there(bencher: Bencher<'_, '_>) {
    bench(bencher, &json!({"file_path": "src/huge.txt"}), ToolStatus::Failed);
}

fn bench(bencher: Bencher<'_, '_>, arguments: &Value, expected: ToolStatus) {
    let (directory, runtime) = (project(), Runtime::new().unwrap());
    let setup = Setup { root: directory.path().to_owned(), ..Setup::default() };
    let bench = Arc::new(Workbench::new(setup).unwrap());
    bencher.bench(|| {
        let prepared = Read.prepare(arguments.as_object().unwrap(), bench.path_base()).unwrap();
        let result = runtime.block_on(prepared.run(scene(&bench)));
        assert_eq!(result.status, expected);
        result
    });
}

fn scene(bench: &Arc<Workbench>) -> Scene {
    Scene {
        call: CallId::from("call"),
        bench: Arc::clone(bench),
        cancel: CancellationToken::new(),
        progress: Arc::new(watch::Sender::new(Tail::default())),
        terms: Terms::default(),
        host: Arc::new(NoHost),
    }
}

/// A directory with the large file and ten thousand small ones.
fn project() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..10_000 {
        File::create(directory.path().join(format!("file-{number}.txt"))).unwrap();
    }
    fill(&directory.path().join("huge"));
    directory
}

fn fill(path: &Path) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    for number in 0..LINES {
        writeln!(file, "line {number} of a log, as long as they are").unwrap();
    }
    file.into_inner().unwrap().set_len(SIZE).unwrap();
}
