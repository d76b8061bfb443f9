//! What it costs to hold a command: `true`, from the call to its end, started bare, by a thread without rights, and in a room.
//!
//! `cargo bench --bench sandbox -- compare` starts them in turn, so that what else the machine does falls on all, and prints
//! the medians and what each tier takes more than bare. The marks: half a millisecond for the thread, two and a half for the
//! room that was made ahead, which is what a command finds that does not follow another at once. The surprise: the home must have rested. While files come and go in it each command has a thread of its own, which
//! costs a millisecond more, and is the second row.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]
#![expect(clippy::print_stdout, reason = "a comparison is read on the terminal")]

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clawd::os::process::{Children, Exit, Spawn, Within, adopt_orphans};
use clawd::sandbox::{Profile, Sandbox, Tier};
use divan::Bencher;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Rounds of a comparison.
const ROUNDS: usize = 300;

/// Secrets of a home with as many things in it as a lived-in one has.
const SECRETS: [&str; 5] = [".ssh", ".aws", ".gnupg", ".config/gh", ".netrc"];
const NEIGHBOURS: usize = 80;

/// How a command is held: in which tier, and by what that was there before it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct How(&'static str, Tier, Sandboxes);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sandboxes {
    /// One for all commands, as in a session.
    Kept,
    /// One for each.
    New,
    /// One for all commands, and each has been followed by a rest, as while a model answers.
    Rested,
}

const BARE: How = How("bare", Tier::Nothing, Sandboxes::Kept);
const THREAD: How = How("thread", Tier::Landlock, Sandboxes::Kept);
const NEW_THREAD: How = How("new thread", Tier::Landlock, Sandboxes::New);
const ROOM: How = How("room", Tier::Namespaces, Sandboxes::Kept);
const READY_ROOM: How = How("ready room", Tier::Namespaces, Sandboxes::Rested);
const BUBBLEWRAP: How = How("bwrap", Tier::Bubblewrap, Sandboxes::Kept);

/// Until what was made for the stage has rested.
const REST: Duration = Duration::from_millis(50);

fn main() {
    if std::env::args().any(|argument| argument == "compare") {
        compare();
    } else {
        divan::main();
    }
}

#[divan::bench]
fn bare(bencher: Bencher<'_, '_>) {
    bench(bencher, BARE);
}

#[divan::bench]
fn by_a_thread_without_rights(bencher: Bencher<'_, '_>) {
    bench(bencher, THREAD);
}

#[divan::bench]
fn in_a_room(bencher: Bencher<'_, '_>) {
    bench(bencher, ROOM);
}

#[divan::bench]
fn in_a_room_made_ahead(bencher: Bencher<'_, '_>) {
    bench(bencher, READY_ROOM);
}

fn bench(bencher: Bencher<'_, '_>, how: How) {
    let mut stage = Stage::new();
    if stage.time(how).is_some() {
        bencher.bench_local(|| stage.time(how));
    }
}

fn compare() {
    let mut stage = Stage::new();
    let all = [BARE, THREAD, NEW_THREAD, ROOM, READY_ROOM, BUBBLEWRAP];
    let here: Vec<How> = all.into_iter().filter(|how| stage.time(*how).is_some()).collect();
    let mut took = vec![Vec::new(); here.len()];
    for _ in 0..ROUNDS {
        for (how, took) in here.iter().zip(&mut took) {
            took.extend(stage.time(*how));
        }
    }
    let medians: Vec<Duration> = took.into_iter().map(median).collect();
    let bare = medians.first().copied().unwrap_or_default();
    for (How(name, ..), median) in here.iter().zip(medians) {
        let more = median.saturating_sub(bare);
        let ratio = median.as_secs_f64() / bare.as_secs_f64();
        println!("{name:12} {median:>10.1?}, {more:>10.1?} more: {ratio:.2}");
    }
}

fn median(mut took: Vec<Duration>) -> Duration {
    took.sort();
    took.get(took.len() / 2).copied().unwrap_or_default()
}

/// A workspace, a home with secrets, and a runtime to start commands in.
struct Stage {
    runtime: Runtime,
    children: Children,
    profile: Profile,
    workspace: PathBuf,
    sandboxes: Vec<(Tier, Sandbox)>,
    // held for its drop
    _directory: TempDir,
}

impl Stage {
    fn new() -> Self {
        adopt_orphans().unwrap();
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, home, scratch) = (root.join("workspace"), root.join("home"), root.join("scratch"));
        for path in [&workspace, &home.join(".config/git"), &scratch] {
            fs::create_dir_all(path).unwrap();
        }
        for secret in SECRETS {
            fs::create_dir_all(home.join(secret)).unwrap();
        }
        for number in 0..NEIGHBOURS {
            fs::write(home.join(format!(".file-{number}")), "").unwrap();
        }
        let masked = SECRETS.iter().map(|secret| home.join(secret)).collect();
        let profile = Profile { masked, scratch: Some(scratch), ..Profile::writing([workspace.clone()]) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { tokio::time::sleep(REST).await });
        Self {
            runtime,
            children: Children::new(),
            profile,
            workspace,
            sandboxes: Vec::new(),
            _directory: directory,
        }
    }

    fn sandbox(&mut self, tier: Tier) -> Sandbox {
        if let Some((_, sandbox)) = self.sandboxes.iter().find(|(of, _)| *of == tier) {
            return sandbox.clone();
        }
        let sandbox = Sandbox::with(tier).helped_by(env!("CARGO_BIN_EXE_clawd-hold"));
        self.sandboxes.push((tier, sandbox.clone()));
        sandbox
    }

    /// One start and its end; nothing where the tier cannot do it here.
    fn time(&mut self, How(_, tier, sandboxes): How) -> Option<Duration> {
        let sandbox = match sandboxes {
            Sandboxes::Kept | Sandboxes::Rested => self.sandbox(tier),
            Sandboxes::New => Sandbox::with(tier),
        };
        self.runtime.block_on(async {
            // what was never used has nothing ahead
            let unused = Children::new();
            let children = if sandboxes == Sandboxes::Rested { &self.children } else { &unused };
            let spawn = || sandbox.hold(Spawn::new(["/usr/bin/true"], &self.workspace), &self.profile);
            if sandboxes == Sandboxes::Rested {
                ready(children, spawn().ok()?.within.as_ref()?).await;
            }
            let took = once(children, spawn).await;
            unused.end().await;
            took
        })
    }
}

async fn once(children: &Children, spawn: impl Fn() -> io::Result<Spawn>) -> Option<Duration> {
    let start = Instant::now();
    let finished = children.start(spawn().ok()?).ok()?.wait().await;
    (finished.exit == Exit::Code(0)).then(|| start.elapsed())
}

/// Until the next command finds a room that is there, as it does after a rest.
async fn ready(children: &Children, within: &Within) {
    children.go_ahead(within);
    while !children.are_ahead() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
