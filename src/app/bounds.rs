//! What commands of a session find while they are held: put together of the configuration and of what is where.
//!
//! Not the holding. Paths are followed to their ends here, for the kernel knows no other names.

use std::path::{Path, PathBuf};

use super::App;
use crate::os::paths::{Paths, resolve};
use crate::os::{listing, programs};
use crate::permission::{Enforced, Mode, Policy, Sandboxing, Sight, home_secrets};
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

impl App {
    pub(super) fn bounds(&self) -> Bounds {
        let real = |path: PathBuf| resolve(&path).ok().filter(|path| path.exists());
        let own = self.place.paths.as_ref().map(own).unwrap_or_default();
        let secrets = self.place.env.path("HOME").map(home_secrets).unwrap_or_default();
        Bounds {
            writable: self.writable_roots().filter(|path| path.exists()).collect(),
            masked: own.into_iter().chain(secrets).filter_map(real).collect(),
            caches: self.caches().filter_map(real).collect(),
            ..Bounds::default()
        }
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
            program: programs::program,
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

/// The program's own files that hold keys, or by which a command could let itself do more.
fn own(paths: &Paths) -> Vec<PathBuf> {
    vec![paths.credentials(), paths.trust(), paths.grants(), paths.history(), paths.logs()]
}
