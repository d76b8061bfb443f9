//! `sandbox`: commands held so that what they may do is decided by the kernel and not by reading their text.

mod plan;

#[cfg(target_os = "linux")]
pub mod caps;

#[cfg(target_os = "linux")]
mod filter;

#[cfg(target_os = "linux")]
pub mod landlock;

#[cfg(target_os = "linux")]
pub mod seccomp;

#[cfg(target_os = "linux")]
pub mod thread;

use std::io;
use std::path::PathBuf;

use crate::os::process::Spawn;

pub use plan::{Network, Profile, protected_of};

/// How firmly this system can hold a command, the firmest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Namespaces of our own making.
    Namespaces,
    /// The same view, made by `bwrap`, which some systems let do what they refuse to others.
    Bubblewrap,
    /// A command that cannot write where it may not, in an otherwise open view.
    Landlock,
    /// Not at all.
    Nothing,
}

impl Tier {
    /// For the status line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Namespaces => "sandbox",
            Self::Bubblewrap => "sandbox (bwrap)",
            Self::Landlock => "sandbox (landlock)",
            Self::Nothing => "no sandbox",
        }
    }
}

/// Holds commands.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tier: Tier,
    /// Our own program, which is the helper as well.
    helper: PathBuf,
}

impl Sandbox {
    /// The firmest tier that works here. It is tried for real, which takes some milliseconds: ask once, and late.
    pub fn find() -> Self {
        Self::with(Tier::Nothing)
    }

    /// This tier, whether it works or not.
    pub fn with(tier: Tier) -> Self {
        Self { tier, helper: PathBuf::from("/proc/self/exe") }
    }

    /// Another program is the helper: for tests, which are not the program.
    #[must_use]
    pub fn helped_by(self, helper: impl Into<PathBuf>) -> Self {
        Self { helper: helper.into(), ..self }
    }

    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The same command, held.
    pub fn hold(&self, spawn: Spawn, profile: &Profile) -> io::Result<Spawn> {
        match self.tier {
            #[cfg(target_os = "linux")]
            Tier::Landlock => Ok(thread::hold(spawn, profile)),
            _ => Ok(spawn),
        }
    }
}
