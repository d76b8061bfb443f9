//! What a command may do, as plain values: the profile that every tier enforces as far as it can.
//!
//! Not the enforcing, and nothing is looked up here: whether a path is there is found out by whoever holds the command.
//! The surprise: a profile lists what must *stay* as it is below a directory that may be written. What a command can change
//! there is run later by programs that nobody holds: hooks by git, servers by an assistant.

use std::path::{Path, PathBuf};

pub use crate::protocol::Network;

/// What stays as it is below every directory that a command may write, as [`Profile::protected`] has it.
///
/// `commondir` is in no ordinary repository; where it is, git takes hooks and configuration from the directory it names.
const PROTECTED: [&str; 6] =
    [".git/config", ".git/config.worktree", ".git/commondir", ".git/hooks", ".clawd", ".mcp.json"];

/// What a command may do. All paths are absolute and without links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Directories that may be written: the workspace, added directories, the temporary directory that the command is
    /// handed if that is not `/tmp`. None: read-only.
    pub writable: Vec<PathBuf>,
    /// What stays as it is though it lies below a writable directory; need not be there.
    pub protected: Vec<PathBuf>,
    /// The program's own directories, protected in every tier: where a tier knows no single files, nothing new can be made in
    /// a directory in which one of these lies.
    pub own: Vec<PathBuf>,
    /// What cannot be read either, where the tier can do that: secrets of the home, the program's own state.
    pub masked: Vec<PathBuf>,
    /// Caches of tools: the command may write them, and outside nothing of that is seen, where the tier can do that.
    pub caches: Vec<PathBuf>,
    /// A directory of the session's own, 0700, on a real disk: for the private `/tmp`, which lasts from command to
    /// command, and for what is written to caches. Without it both last as long as the command.
    pub scratch: Option<PathBuf>,
    /// To be seen though what lies around it is covered: a workspace below `/tmp` that may not be written.
    pub shown: Vec<PathBuf>,
    /// Whether it reaches more than its own loopback.
    pub network: Network,
}

impl Profile {
    /// Nothing may be written, nothing reached.
    pub fn read_only() -> Self {
        Self::default()
    }

    /// Only these directories may be written, and in them not what [`protected_of`] names.
    pub fn writing(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let writable: Vec<PathBuf> = roots.into_iter().collect();
        let protected = writable.iter().flat_map(|root| protected_of(root)).collect();
        Self { writable, protected, ..Self::default() }
    }
}

/// What stays as it is below a directory that may be written.
pub fn protected_of(root: &Path) -> impl Iterator<Item = PathBuf> {
    PROTECTED.iter().map(move |name| root.join(name))
}
