//! Somebody swaps a directory for a link to another place while files in it are read and written: none of the other place's
//! is ever touched.
//!
//! A call whose path led outside when it was prepared is left out here: the rules would have been asked about that.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use super::edit::Edit;
use super::patch::ApplyPatch;
use super::read::Read;
use super::testing::Session;
use super::write::Write;
use super::{Prepared, Tool};
use crate::protocol::{Access, ToolStatus};
use crate::workbench::Stamp;

/// Tries for each kind of call.
const TRIES: usize = 330;

const SECRET: &str = "of the other place";

/// The directory `sub` of the session and a link to `outside` change places all the time.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<u64>>,
}

impl Swapper {
    fn start(root: &Path, outside: &Path) -> Self {
        let (directory, link) = (root.join("sub"), root.join("link"));
        std::os::unix::fs::symlink(outside, &link).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut swaps = 0;
            while !stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &directory, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
                // now and then long enough for a whole call to be done between two swaps
                for _ in 0..(swaps * 7919) % 20_000 {
                    std::hint::spin_loop();
                }
            }
            swaps
        });
        Self { stop, thread: Some(thread) }
    }

    fn stop(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

/// What lies there, with what it holds.
fn held(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut held: Vec<(PathBuf, Vec<u8>)> =
        entries.map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default())).collect();
    held.sort();
    held
}

/// A call whose paths lie inside, as the rules see it.
fn judged(session: &Session, tool: &dyn Tool, arguments: &Value) -> (Box<dyn Prepared>, Vec<PathBuf>) {
    loop {
        let call = session.prepare(tool, arguments);
        let (Access::Read(files) | Access::Write(files)) = call.access() else { panic!("a file") };
        let paths: Vec<PathBuf> = files.into_iter().map(|file| file.path).collect();
        if paths.iter().all(|path| path.starts_with(session.root.join("sub"))) {
            return (call, paths);
        }
        std::thread::yield_now();
    }
}

/// Runs the call, and says whether it did what it was asked.
async fn try_once(session: &Session, tool: &dyn Tool, arguments: &Value) -> bool {
    let (call, paths) = judged(session, tool, arguments);
    for path in paths {
        // both are known to the model, whichever of the two texts they hold
        let other = std::fs::read(&path).unwrap_or_default();
        if !other.starts_with(SECRET.as_bytes()) {
            session.bench.files().note(&path, Stamp::of(&other));
        }
    }
    let result = call.run(session.scene()).await;
    assert!(!format!("{result:?}").contains(SECRET), "{result:?}");
    result.status == ToolStatus::Success
}

#[tokio::test]
async fn whoever_swaps_a_directory_for_a_link_leads_no_tool_outside() {
    let session = Session::with(&[("sub/f", "a\n"), ("sub/g", "a\n")]);
    let other = tempfile::tempdir().unwrap();
    for name in ["f", "g"] {
        std::fs::write(other.path().join(name), SECRET).unwrap();
    }
    let before = held(other.path());
    let swapper = Swapper::start(&session.root, other.path());
    let mut done = [0_usize; 6];
    for number in 0..TRIES {
        let (from, to) = if number % 2 == 0 { ("a", "b") } else { ("b", "a") };
        let both = |from: &str, to: &str| {
            let part = |name: &str| format!("*** Update File: sub/{name}\n@@\n-{from}\n+{to}\n");
            json!({"patch": format!("*** Begin Patch\n{}{}*** End Patch", part("f"), part("g"))})
        };
        let name = format!("sub/new-{number}");
        let deep = format!("sub/deep-{number}/er/file");
        let calls: [(&dyn Tool, Value); 6] = [
            (&Read, json!({"file_path": "sub/f"})),
            (&Write, json!({"file_path": "sub/f", "content": format!("{from}\n")})),
            (&Edit, json!({"file_path": "sub/f", "old_string": from, "new_string": to})),
            (&ApplyPatch, both(from, to)),
            (&Write, json!({"file_path": name, "content": "new"})),
            (&Write, json!({"file_path": deep, "content": "new"})),
        ];
        for (kind, (tool, arguments)) in calls.iter().enumerate() {
            done[kind] += usize::from(try_once(&session, *tool, arguments).await);
        }
    }
    let swaps = swapper.stop();
    assert_eq!(held(other.path()), before, "the other place was changed");
    // else nothing was tried
    assert!(swaps > 100 && done.iter().all(|done| *done > 0), "{swaps} swaps, done: {done:?}");
}
