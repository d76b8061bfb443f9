//! One difference between two looks at the workspace.

use std::path::PathBuf;
use std::sync::Arc;

use super::git::Repo;
use super::tree::Known;
use crate::os::tree::Look;

/// One difference.
#[derive(Debug)]
pub(super) struct Change {
    /// Of what.
    pub(super) path: PathBuf,
    /// The repository that it was in.
    pub(super) repo: Option<Arc<Repo>>,
    pub(super) was: Option<Known>,
    pub(super) news: News,
}

/// A directory that has gone, or another mode, or is another one.
#[derive(Debug, Clone)]
pub(super) struct FolderChange {
    pub(super) path: PathBuf,
    pub(super) was: Look,
    pub(super) news: News,
}

/// All differences.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) changes: Vec<Change>,
    pub(super) folders: Vec<FolderChange>,
}

/// Whether it is one of the files, or of what is known of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    Changed,
    /// It may have been there before; now it is known.
    Learnt,
}
