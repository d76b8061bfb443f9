//! `sandbox`: commands held so that what they may do is decided by the kernel and not by reading their text.
//!
//! A [`Profile`] says what a command may do; a [`Sandbox`] turns a command into the same command, held, as firmly as this
//! system can ([`Tier`]). It judges nothing and asks nobody. May import: `protocol`, `text`, `os`.
//!
//! # What the first tier holds
//!
//! The command runs in user, mount, process, IPC and, without a network, network namespaces of its own, made by our own
//! program started again as a helper, and has no capability and no way to one. In there
//!
//! - nothing can be written, nor have its mode, owner or times changed, but the writable directories, `/tmp`, `/var/tmp`
//!   and `/dev/shm`, which are private;
//! - what is protected below a writable directory can be neither written nor moved, nor can a directory be moved that it
//!   lies in; what of it is not there cannot be made, and nothing is left on the disk of how that is done;
//! - what is masked is empty: files that hold secrets, `/run` with the sockets of services, every other local socket at
//!   which somebody listens;
//! - only its own processes are seen, can be told anything, or be looked into, and all of them end with the last by KILL;
//! - caches can be written, and outside nothing of that is seen;
//! - devices are the harmless ones;
//! - no address is reached but its own loopback, or with a network all of them.
//!
//! It ends as the command ends, by the same code or the same signal, and what the command leaves in the background lives
//! on in there.
//!
//! Each command has a view of its own.
//!
//! # What it does not hold
//!
//! - A repository that the command *makes*, `.git` in a directory that had none or any nested one, is the command's to
//!   fill: what in it runs later is found by comparing, not by holding. The same goes for a nested directory with the layout
//!   of a repository; the root of a work tree loses its `HEAD` once it has that layout and the command has ended.
//! - What is protected is so from the command's start; a command in the background from before keeps its own view.
//! - A link among the protected paths is pinned, and what it leads to protected where it lies in a writable directory.
//! - A local socket that begins to listen while the command runs, or was bound by a relative path, can be spoken with.
//! - With a network it is the host's own, abstract sockets and services on the loopback among it.
//! - Memory and time are not its affair; the user's other files are readable unless they are masked; a fault of the kernel
//!   undoes all of it.
//! - `bwrap` makes no overlays, so with it caches are read-only, but for tools that would stop, which are led to the private
//!   `/tmp`. It cannot pin a link; what it hides of files is a device
//!   that cannot be opened.
//! - A cache that is not there yet cannot be made: tools that stop without one are led to the private `/tmp`, and Maven, which
//!   listens to no variable, stops. More than sixteen commands at once begin with untouched caches.
//! - A stub that stands for an absent protected path is seen from outside while the command runs: an empty directory, or in
//!   `.git` a file that changes nothing. What is killed before it can put its stubs away leaves them to the next command.
//!
//! # What does not work in the first tier
//!
//! What it is not meant to stop, and does; `tests/it/everyday` runs what is listed here and in the next section, and all
//! else that is everyday.
//!
//! - Tracing: debuggers, `strace`, and the search for leaks at the end of a program with an address sanitizer
//!   (`ASAN_OPTIONS=detect_leaks=0` leaves that out).
//! - Maven in a home without a `~/.m2`.
//! - `.git/config` cannot be changed: `git config`, `git remote add`, `git submodule add`, `git push -u`.
//!
//! # What does not work in the second tier
//!
//! - A socket cannot be opened: servers and clients, also on the loopback and by a path, tests that start one, and what
//!   speaks to a process of its own that way (Gradle).
//! - `/tmp` cannot be written by that name, only what `TMPDIR` names: scripts and makefiles that say `/tmp`, and Java, which
//!   asks no variable.
//! - A terminal of one's own cannot be had: `script`, `tmux`, tests that open one.
//! - Installing below the home: `cargo install`, `npm install -g`, `go install`. Caches there are read and not written.
//! - Tracing, as in the first tier.
//! - Maven in a home without a `~/.m2`, as in the first tier.

mod plan;

#[cfg(target_os = "linux")]
pub mod caps;
#[cfg(target_os = "linux")]
pub mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
pub mod seccomp;

#[cfg(target_os = "linux")]
mod git;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod landlock_tier;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(target_os = "linux")]
mod steps;
#[cfg(target_os = "linux")]
mod words;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use crate::os::process::Spawn;

pub use plan::{Network, Profile, protected_of};

/// How the line begins that says why a command could not be held, on standard error.
pub const FAILED: &str = "clawd: cannot set up the sandbox";
/// The exit code that goes with it; `env`, `timeout` and their like use the same.
pub const FAILED_CODE: u8 = 125;

/// Runs the helper if these are the arguments of one; asked before anything else is done.
pub fn dispatch(arguments: &[OsString]) -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return helper::dispatch(arguments);
    #[cfg(not(target_os = "linux"))]
    None
}

/// The name under which every process finds its own program.
const OURSELVES: &str = "/proc/self/exe";
/// Where `bwrap` is, if it is there: never looked up in a `PATH` that somebody may have set.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";

/// Removes a session's [scratch](Profile::scratch) directory, when no command runs any more; a plain removal is stopped by
/// what is closed to its owner in there.
pub fn remove_scratch(root: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return helper::remove_scratch(root);
    #[cfg(not(target_os = "linux"))]
    std::fs::remove_dir_all(root)
}

/// Whether a sandbox has put this there, in the place of a protected path that is absent, for as long as a command runs.
pub fn is_placeholder(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return helper::is_placeholder(path);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// How firmly this system can hold a command, the firmest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Namespaces of our own making.
    Namespaces,
    /// The same view, made by `bwrap`, which some systems let do what they refuse to others; caches stay read-only.
    Bubblewrap,
    /// A command that cannot write where it may not, in an otherwise open view.
    Landlock,
    /// Not at all.
    Nothing,
}

impl Tier {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Nothing => "none",
        }
    }

    /// For the status line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Namespaces => "sandbox",
            Self::Bubblewrap => "sandbox (bwrap)",
            Self::Landlock => "sandbox (landlock)",
            Self::Nothing => "no sandbox",
        }
    }

    /// For `clawd doctor`.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Namespaces => {
                "commands can write only to the workspace and a private /tmp, and cannot see secrets or \
                 other processes"
            }
            Self::Bubblewrap => {
                "commands can write only to the workspace and a private /tmp, and cannot see secrets or \
                 other processes; bwrap makes tool caches read-only"
            }
            Self::Landlock => {
                "commands can write only to the workspace and their temporary directory, and cannot read \
                 secrets or open sockets; they can write .git/hooks, and change permissions and timestamps \
                 of your other files"
            }
            Self::Nothing => "no sandbox: more commands need approval",
        }
    }
}

/// Holds commands.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tier: Tier,
    helper: PathBuf,
    bubblewrap: PathBuf,
    /// Why no firmer tier was taken, a line each.
    refused: Vec<String>,
}

/// The sandbox of this system, looked for once, when it is asked for first.
pub fn found() -> &'static Sandbox {
    FOUND.get_or_init(Sandbox::find)
}

/// The same if it was looked for already.
pub fn known() -> Option<&'static Sandbox> {
    FOUND.get()
}

static FOUND: OnceLock<Sandbox> = OnceLock::new();

impl Sandbox {
    /// The firmest tier that works here. It is tried for real, which takes some milliseconds: ask once, and late.
    pub fn find() -> Self {
        Self::with(Tier::Nothing).or_firmer()
    }

    /// This tier, whether it works or not.
    pub fn with(tier: Tier) -> Self {
        Self { tier, helper: OURSELVES.into(), bubblewrap: BUBBLEWRAP.into(), refused: Vec::new() }
    }

    /// Another program is the helper: for tests, which are not the program.
    #[must_use]
    pub fn helped_by(self, helper: impl Into<PathBuf>) -> Self {
        Self { helper: helper.into(), ..self }
    }

    /// Another `bwrap`.
    #[must_use]
    pub fn wrapped_by(self, bubblewrap: impl Into<PathBuf>) -> Self {
        Self { bubblewrap: bubblewrap.into(), ..self }
    }

    /// The firmest tier that works with this helper, or this one.
    #[must_use]
    pub fn or_firmer(mut self) -> Self {
        for tier in [Tier::Namespaces, Tier::Bubblewrap, Tier::Landlock] {
            match self.attempt(tier) {
                Ok(()) => return Self { tier, ..self },
                Err(why) => self.refused.push(why),
            }
        }
        self
    }

    #[cfg(target_os = "linux")]
    fn attempt(&self, tier: Tier) -> Result<(), String> {
        match tier {
            Tier::Namespaces => namespaces::attempt(&self.helper, words::Maker::Ourselves),
            Tier::Bubblewrap if self.bubblewrap.exists() => {
                namespaces::attempt(&self.helper, words::Maker::Bubblewrap(self.bubblewrap.clone()))
            }
            Tier::Bubblewrap => Err(format!("cannot find {}", self.bubblewrap.display())),
            Tier::Landlock => landlock_tier::attempt(&self.helper),
            Tier::Nothing => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn attempt(&self, _tier: Tier) -> Result<(), String> {
        Err("this system is not Linux".to_owned())
    }

    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Why no firmer tier was taken, a line each.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// The same command, held.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn hold(&self, spawn: Spawn, profile: &Profile) -> Spawn {
        let maker = match self.tier {
            Tier::Namespaces => words::Maker::Ourselves,
            Tier::Bubblewrap => words::Maker::Bubblewrap(self.bubblewrap.clone()),
            Tier::Landlock => return landlock_tier::hold(spawn, profile, &self.helper),
            Tier::Nothing => return spawn,
        };
        namespaces::hold(spawn, profile, &self.helper, maker)
    }

    /// Puts away what a command that was killed has left of how it was held; for the end of a session, when no command
    /// runs any more.
    #[cfg(target_os = "linux")]
    pub fn tidy_up(&self, profile: &Profile) {
        match self.tier {
            Tier::Namespaces | Tier::Bubblewrap => helper::tidy_up(&git::with_repositories(profile.clone())),
            Tier::Landlock | Tier::Nothing => {}
        }
    }

    /// Nothing is left anywhere.
    #[cfg(not(target_os = "linux"))]
    pub fn tidy_up(&self, _profile: &Profile) {}

    /// Nothing holds a command here.
    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn hold(&self, spawn: Spawn, _profile: &Profile) -> Spawn {
        spawn
    }
}
