//! The directory in which commands run: kept from one to the next as long as it lies in the workspace.
//!
//! No process lives here. Each command is a shell of its own, and says at its end where it was.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The shell's directory.
#[derive(Debug)]
pub struct Shell {
    root: PathBuf,
    places: Mutex<Places>,
}

#[derive(Debug)]
struct Places {
    /// Where the next command runs.
    cwd: PathBuf,
    /// Directories that count as workspace besides the root.
    added: Vec<PathBuf>,
    /// Where a command was before it went there: `cd -`.
    previous: Option<PathBuf>,
}

/// What became of the shell's directory after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// It is where the session is.
    Home,
    /// It is somewhere else in the workspace.
    Away,
    /// It left the workspace and was put back to where the session is.
    PutBack,
}

impl Shell {
    /// A shell in `root`, which is a directory without links.
    pub fn new(root: PathBuf) -> Self {
        Self { places: Mutex::new(Places { cwd: root.clone(), added: Vec::new(), previous: None }), root }
    }

    /// The session's own directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the next command runs.
    pub fn cwd(&self) -> PathBuf {
        self.places().cwd.clone()
    }

    /// Where `cd -` goes; none before the first `cd`.
    pub fn previous(&self) -> Option<PathBuf> {
        self.places().previous.clone()
    }

    /// A command's last directory before the one in which it ended.
    pub fn came_from(&self, directory: PathBuf) {
        self.places().previous = Some(directory);
    }

    /// All that counts as workspace.
    pub fn roots(&self) -> Vec<PathBuf> {
        std::iter::once(&self.root).chain(&self.places().added).cloned().collect()
    }

    /// Whether the path lies in what counts as workspace.
    pub fn holds(&self, path: &Path) -> bool {
        self.roots().iter().any(|root| path.starts_with(root))
    }

    /// One more directory that counts as workspace, without links.
    pub fn add(&self, directory: PathBuf) {
        self.places().added.push(directory);
    }

    /// A command ended in `directory`, a path without links.
    pub fn moved_to(&self, directory: PathBuf) -> Moved {
        let mut places = self.places();
        let inside = directory.starts_with(&self.root)
            || places.added.iter().any(|added| directory.starts_with(added));
        places.cwd = if inside { directory } else { self.root.clone() };
        match (inside, places.cwd == self.root) {
            (false, _) => Moved::PutBack,
            (true, true) => Moved::Home,
            (true, false) => Moved::Away,
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_is_kept_inside_the_workspace_only() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        let shell = Shell::new(root.clone());
        assert_eq!(shell.moved_to(root.join("sub")), Moved::Away);
        assert_eq!(shell.cwd(), root.join("sub"));
        assert_eq!(shell.moved_to(root.clone()), Moved::Home);
        assert_eq!(shell.moved_to("/".into()), Moved::PutBack);
        assert_eq!(shell.cwd(), root);
        shell.add("/".into());
        assert_eq!(shell.moved_to("/".into()), Moved::Away);
    }
}
