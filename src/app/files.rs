//! The project's files by name, for who types an `@path`.

use std::path::PathBuf;
use std::sync::Arc;

use super::App;
use crate::text::fuzzy::{Best, Entry, Query};
use crate::tools::index;

/// The names, as they were when they were listed. Cheap to copy.
#[derive(Debug, Clone)]
pub struct FileIndex {
    entries: Arc<[Entry]>,
}

impl FileIndex {
    /// Lists what lies below a directory; takes as long as that takes.
    pub async fn list(root: PathBuf) -> Self {
        Self { entries: index::list(root).await.into() }
    }

    /// The best for what is typed. A hundred thousand names take some milliseconds: not where keys are read.
    #[must_use]
    pub fn best(&self, typed: &str, most: usize) -> Best {
        Query::new(typed).best(&self.entries, most)
    }
}

impl App {
    /// The directory that paths are taken from.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        self.place.cwd.clone()
    }
}
