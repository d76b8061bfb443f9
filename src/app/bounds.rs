//! What commands of a session find while they are held: put together of the configuration and of what is where.
//!
//! Not the holding. Paths are followed to their ends here, for the kernel knows no other names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::App;
use crate::config::SandboxConfig;
use crate::error::{Error, Kind};
use crate::os::paths::{Paths, private_dir, resolve};
use crate::os::{listing, programs};
use crate::permission::{Enforced, Mode, Policy, SandboxBy, SandboxMode, Sandboxing, Sight, home_secrets};
use crate::project;
use crate::sandbox::{self, Tier};
use crate::workbench::Bounds;

/// Where tools keep what they could fetch or make again: below the home, unless a variable says otherwise.
const CACHES: [(&str, &str); 9] = [
    ("CARGO_HOME", ".cargo"),
    ("GOPATH", "go"),
    ("npm_config_cache", ".npm"),
    ("XDG_CACHE_HOME", ".cache"),
    ("GRADLE_USER_HOME", ".gradle"),
    ("", ".m2"),
    ("", ".local/share/pnpm"),
    ("", ".yarn"),
    ("", ".ivy2"),
];

/// What the program obeys in the directory of its configuration, besides what is private there.
const OWN_NAMES: [&str; 5] = ["AGENTS.md", "commands", "skills", "agents", "themes"];

impl App {
    pub(super) fn bounds(&self) -> Bounds {
        let real = |path: PathBuf| resolve(&path).ok().filter(|path| path.exists());
        let private = self.place.paths.as_ref().map(private).unwrap_or_default();
        let secrets = self.place.env.path("HOME").map(home_secrets).unwrap_or_default();
        Bounds {
            writable: self.writable_roots().filter(|path| path.exists()).collect(),
            own: self.place.paths.as_ref().map(|paths| self.own(paths)).unwrap_or_default(),
            masked: private.into_iter().chain(secrets).filter_map(real).collect(),
            caches: self.caches().filter_map(real).collect(),
            ..Bounds::default()
        }
    }

    /// What no command may write of the program's own, without links. A directory is made where a command could make it.
    fn own(&self, paths: &Paths) -> Vec<PathBuf> {
        let roots: Vec<PathBuf> = self.roots().into_iter().chain(self.writable_roots()).collect();
        for directory in [paths.config(), paths.data()] {
            if roots.iter().any(|root| directory.starts_with(root)) {
                // where it cannot be made, neither can what lies in it
                private_dir(directory).ok();
            }
        }
        let files = OWN_NAMES.iter().map(|name| paths.config().join(name)).chain(private(paths));
        let directories = [paths.config(), paths.data()].map(Path::to_owned);
        let own: BTreeSet<PathBuf> =
            directories.into_iter().chain(files).filter_map(|path| resolve(&path).ok()).collect();
        own.into_iter().collect()
    }

    /// What held commands may write beside the workspace, whether it is there yet or not.
    pub(super) fn writable_roots(&self) -> impl Iterator<Item = PathBuf> {
        self.config.sandbox.writable_roots.iter().filter_map(|path| resolve(path).ok())
    }

    fn caches(&self) -> impl Iterator<Item = PathBuf> {
        let env = &self.place.env;
        let home = env.path("HOME").map(Path::to_owned);
        CACHES.iter().filter_map(move |(variable, below)| {
            env.path(variable).map(Path::to_owned).or_else(|| Some(home.as_ref()?.join(below)))
        })
    }

    /// How a judgement sees the machine. Programs are looked up where the user's shell would, and believed where nobody but
    /// the user and the system could have put them.
    pub(super) fn sight(&self) -> Sight {
        let path = self.place.env.get("PATH").unwrap_or_default();
        Sight {
            follow: |path| resolve(path).unwrap_or_else(|_| path.to_owned()),
            program: |name, path| programs::program(name, path).or_else(|| programs::missing(name, path)),
            shim: programs::shim,
            names: listing::names,
            git_config: project::git_config,
            path: std::env::split_paths(path).collect(),
        }
    }

    pub(super) fn sandboxing(&self) -> Sandboxing {
        let wish = &self.config.sandbox;
        Sandboxing {
            mode: wish.mode.value,
            by: wish.by(),
            network: wish.network.value,
            auto_allow: wish.auto_allow.value,
            enforced: Enforced::new(|| sandbox::found().tier() != Tier::Nothing)
                .protecting(|| sandbox::found().tier() == Tier::Namespaces),
        }
    }
}

/// The error where the user asked for a sandbox that this system cannot provide: commands must not run without it then.
pub(super) fn require_sandbox(
    wish: &SandboxConfig,
    find: impl FnOnce() -> Result<(), String>,
) -> Result<(), Error> {
    if wish.mode.value == SandboxMode::Off || wish.by() == SandboxBy::Default {
        return Ok(());
    }
    find().map_err(|why| {
        let message = format!("cannot provide the sandbox `{}`: {why}", wish.mode.value);
        Error::new(Kind::Config, message).hint("try `clawd doctor`, or --sandbox off")
    })
}

/// Whether this system has a sandbox, and why not.
pub(super) fn found_sandbox() -> Result<(), String> {
    let found = sandbox::found();
    if found.tier() == Tier::Nothing { Err(found.refused().join("; ")) } else { Ok(()) }
}

/// What the status line says of the sandbox. Looks for it where nobody has yet, which takes a process and some milliseconds.
pub async fn find_sandbox(policy: Policy) -> String {
    let tier = tokio::task::spawn_blocking(|| sandbox::found().tier()).await.unwrap_or(Tier::Nothing);
    word(&policy.sandbox, policy.mode, tier).to_owned()
}

/// What stands between commands and the machine, in a word or two.
pub(super) fn word(wish: &Sandboxing, mode: Mode, tier: Tier) -> &'static str {
    if wish.is_wanted(mode) { tier.word() } else { "sandbox off" }
}

/// The same where it was looked for already.
#[must_use]
pub fn known_sandbox(policy: &Policy) -> Option<&'static str> {
    sandbox::known().map(|known| word(&policy.sandbox, policy.mode, known.tier()))
}

/// The program's own files that hold keys or what was said, or by which a command could let itself do more.
fn private(paths: &Paths) -> Vec<PathBuf> {
    vec![
        paths.config_file(),
        paths.credentials(),
        paths.trust(),
        paths.grants(),
        paths.history(),
        paths.logs(),
        paths.sessions(),
    ]
}
