//! What a sandbox costs: `true`, from the call to its end, started bare and in each tier.
//!
//! `cargo bench --bench sandbox -- compare` starts them in turn, so that what else the machine does falls on all, and prints
//! the medians and what each tier takes more than bare. The limit: 6 ms more in namespaces.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]
#![expect(clippy::print_stdout, reason = "a comparison is read on the terminal")]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clawd::os::process::{Children, Exit, Spawn, adopt_orphans};
use clawd::sandbox::{Profile, Sandbox, Tier};
use divan::Bencher;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Rounds of a comparison.
const ROUNDS: usize = 300;

/// Secrets of a home with as many things in it as a lived-in one has.
const SECRETS: [&str; 5] = [".ssh", ".aws", ".gnupg", ".config/gh", ".netrc"];
const NEIGHBOURS: usize = 80;

const TIERS: [(&str, Tier); 4] = [
    ("bare", Tier::Nothing),
    ("landlock", Tier::Landlock),
    ("namespaces", Tier::Namespaces),
    ("bwrap", Tier::Bubblewrap),
];

fn main() {
    if std::env::args().any(|argument| argument == "compare") {
        compare();
    } else {
        divan::main();
    }
}

#[divan::bench(args = TIERS)]
fn command(bencher: Bencher<'_, '_>, (_, tier): (&str, Tier)) {
    let stage = Stage::new();
    if stage.time(tier).is_some() {
        bencher.bench_local(|| stage.time(tier));
    }
}

fn compare() {
    let stage = Stage::new();
    let here: Vec<_> = TIERS.into_iter().filter(|(_, tier)| stage.time(*tier).is_some()).collect();
    let mut took = vec![Vec::new(); here.len()];
    for _ in 0..ROUNDS {
        for ((_, tier), took) in here.iter().zip(&mut took) {
            took.extend(stage.time(*tier));
        }
    }
    let medians: Vec<Duration> = took.into_iter().map(median).collect();
    let bare = medians.first().copied().unwrap_or_default();
    for ((name, _), median) in here.iter().zip(medians) {
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
    profile: Profile,
    workspace: PathBuf,
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
        Self { runtime, profile, workspace, _directory: directory }
    }

    /// One start and its end; nothing where the tier does not work here.
    fn time(&self, tier: Tier) -> Option<Duration> {
        let sandbox = Sandbox::with(tier).helped_by(env!("CARGO_BIN_EXE_clawd"));
        self.runtime.block_on(async {
            let children = Children::new();
            let start = Instant::now();
            let spawn = sandbox.hold(Spawn::new(["/usr/bin/true"], &self.workspace), &self.profile);
            let finished = children.start(&spawn).ok()?.wait().await;
            let took = start.elapsed();
            children.end().await;
            (finished.exit == Exit::Code(0)).then_some(took)
        })
    }
}
