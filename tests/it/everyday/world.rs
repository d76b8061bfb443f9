//! Where the rows of a table run: a home with its caches, a session's scratch, and a workspace for each row.
//!
//! As the program has it: the workspace may be written, `/tmp` is the session's own, caches can be written and stay as they
//! are, secrets are covered, nobody is reached. Built among the compiler's results, for a temporary directory is covered by
//! the session's own. Of the developer's home nothing is seen, but for the compilers that some keep there.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use clawd::os::process::{Children, Exit, Spawn, adopt_orphans};
use clawd::sandbox::{Profile, Sandbox, Tier, remove_scratch};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::HELPER;
use super::row::{Home, Proof, Row};
use crate::in_view::place;

/// Where tools keep what they fetched; a home in which somebody has worked has them.
const CACHES: [&str; 6] = [".cargo", ".npm", ".cache", ".m2", ".gradle", "go"];
/// The same, as far down as their tools would make them.
const FILLED: [&str; 6] = [".cargo", ".npm", ".cache", ".m2/repository", ".gradle", "go"];

/// For one command; generous, for it is only for what hangs.
const LIMIT: Duration = Duration::from_mins(3);

/// Runs rows in one tier.
pub(super) struct World {
    root: PathBuf,
    sandbox: Sandbox,
    runtime: Runtime,
    // held for its drop
    _directory: TempDir,
}

/// How a command came out.
#[derive(Debug)]
pub(super) struct Came {
    pub(super) exit: Exit,
    /// Whether it shows what it is for.
    shows: bool,
    pub(super) said: String,
}

impl Came {
    pub(super) fn worked(&self) -> bool {
        self.exit.is_success() && self.shows
    }
}

impl World {
    pub(super) fn new(tier: Tier) -> Self {
        adopt_orphans().unwrap();
        let directory = place("day-").unwrap_or_else(|| tempfile::tempdir().unwrap());
        let root = directory.path().canonicalize().unwrap();
        for name in ["home/.ssh", "new-home", "scratch", "state"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::set_permissions(root.join("scratch"), Permissions::from_mode(0o700)).unwrap();
        furnish(&root.join("home"), Home::Used);
        furnish(&root.join("new-home"), Home::New);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { root, sandbox: Sandbox::with(tier).helped_by(HELPER), runtime, _directory: directory }
    }

    /// How it came out, and how long that took.
    pub(super) fn run(&self, row: &Row) -> (Came, Duration) {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let workspace = self.root.join(format!("row{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir(&workspace).unwrap();
        for (path, text) in row.files {
            let path = workspace.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let home = self.root.join(match row.home {
            Home::Used => "home",
            Home::New => "new-home",
        });
        let env = environment(&home);
        prepare(row, &workspace, &env);
        let spawn = Spawn {
            env: env.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            limit: Some(LIMIT),
            ..Spawn::new(["bash", "--noprofile", "--norc", "-c", row.command], &workspace)
        };
        let held = self.sandbox.hold(spawn, &self.profile(&workspace, &home));
        let begun = Instant::now();
        let (exit, said) = self.runtime.block_on(async {
            let children = Children::new();
            let finished = children.start(&held).unwrap().wait().await;
            children.end().await;
            let said = finished.output.whole().unwrap_or_default();
            (finished.exit, String::from_utf8_lossy(&said).into_owned())
        });
        let shows = match row.proof {
            Proof::Says(text) => said.contains(text),
            Proof::Makes(path) => workspace.join(path).metadata().is_ok_and(|meta| meta.len() > 0),
        };
        (Came { exit, shows, said }, begun.elapsed())
    }

    fn profile(&self, workspace: &Path, home: &Path) -> Profile {
        let at = |name: &str| self.root.join(name);
        Profile {
            masked: vec![home.join(".ssh"), at("state")],
            caches: CACHES.map(|name| home.join(name)).into_iter().filter(|path| path.exists()).collect(),
            scratch: Some(at("scratch")),
            ..Profile::writing([workspace.to_owned()])
        }
    }
}

/// What is closed to its owner in the scratch would stay.
impl Drop for World {
    fn drop(&mut self) {
        remove_scratch(&self.root.join("scratch")).ok();
    }
}

/// What a home has.
pub(super) fn furnish(home: &Path, kind: Home) {
    let caches: &[&str] = match kind {
        Home::Used => &FILLED,
        Home::New => &[],
    };
    for name in caches {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    let git = "[init]\n\tdefaultBranch = main\n";
    fs::write(home.join(".gitconfig"), git).unwrap();
}

/// What a command finds in its environment.
pub(super) fn environment(home: &Path) -> Vec<(String, OsString)> {
    let user_home = format!("-Duser.home={}", home.display());
    let own = [
        ("PATH", std::env::var_os("PATH").unwrap_or_default()),
        ("LANG", "C.UTF-8".into()),
        ("TERM", "dumb".into()),
        ("HOME", home.into()),
        // a home by another name than the system's is no home to Java
        ("MAVEN_OPTS", user_home.clone().into()),
        // a program that runs once is not worth being compiled well
        ("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC".into()),
        ("GRADLE_OPTS", user_home.into()),
        ("GIT_AUTHOR_NAME", "u".into()),
        ("GIT_AUTHOR_EMAIL", "u@x".into()),
        ("GIT_COMMITTER_NAME", "u".into()),
        ("GIT_COMMITTER_EMAIL", "u@x".into()),
        // a repository above is none of theirs
        ("GIT_CEILING_DIRECTORIES", home.parent().unwrap_or(home).into()),
        // Go looks further up, whatever Git is told, and what is found there may be somebody else's
        ("GOFLAGS", "-buildvcs=false".into()),
    ];
    let own = own.map(|(name, value)| (name.to_owned(), value));
    own.into_iter().chain(toolchain().into_iter().map(|(name, value)| (name, value.into()))).collect()
}

/// Where a compiler is that is kept in the developer's home.
fn toolchain() -> Vec<(String, String)> {
    let there = |name: &str| std::env::var(name).ok();
    let rustup = there("RUSTUP_HOME").or_else(|| Some(there("HOME")? + "/.rustup"));
    let rustup = rustup.filter(|path| Path::new(path).is_dir());
    let named = [("RUSTUP_HOME", rustup), ("RUSTUP_TOOLCHAIN", there("RUSTUP_TOOLCHAIN"))];
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// What comes before the command, held by nobody.
pub(super) fn prepare(row: &Row, workspace: &Path, env: &[(String, OsString)]) {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-c", row.before]).current_dir(workspace).env_clear();
    let output = command.envs(env.iter().cloned()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "before {}: {said}", row.name);
}
