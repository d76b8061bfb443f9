//! How fast Read shows a window of a file of 5 GB: the first, one a million lines on, and what a name that is not there costs.
//!
//! The whole call, as the loop makes it. The file is two million lines and a hole behind them, so that it costs little disk;
//! what is read of it lies in the system's cache, as a project's files do. The floor: 20 ms for the first window.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use clawd::protocol::{CallId, Tail, ToolStatus};
use clawd::tools::read::Read;
use clawd::tools::{Scene, Tool, ToolResult};
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
    let world = project().zip(Runtime::new().ok());
    assert!(world.is_some(), "there is no room for the files");
    let Some((directory, runtime)) = world else { return };
    let setup = Setup { root: directory.path().to_owned(), ..Setup::default() };
    let Some(bench) = Workbench::new(setup).ok().map(Arc::new) else { return };
    bencher.bench(|| {
        let result = call(&runtime, &bench, arguments);
        assert!(result.is_some_and(|result| result.status == expected));
    });
}

fn call(runtime: &Runtime, bench: &Arc<Workbench>, arguments: &Value) -> Option<ToolResult> {
    let prepared = Read.prepare(arguments.as_object()?, bench.root()).ok()?;
    Some(runtime.block_on(prepared.run(Scene {
        call: CallId::from("call"),
        bench: Arc::clone(bench),
        cancel: CancellationToken::new(),
        progress: Arc::new(watch::Sender::new(Tail::default())),
    })))
}

/// A directory with the large file and ten thousand small ones.
fn project() -> Option<TempDir> {
    let directory = tempfile::tempdir().ok()?;
    for number in 0..10_000 {
        File::create(directory.path().join(format!("file-{number}.txt"))).ok()?;
    }
    fill(&directory.path().join("huge"))?;
    Some(directory)
}

fn fill(path: &Path) -> Option<()> {
    let mut file = BufWriter::new(File::create(path).ok()?);
    for number in 0..LINES {
        writeln!(file, "line {number} of a log, as long as they are").ok()?;
    }
    file.into_inner().ok()?.set_len(SIZE).ok()
}
