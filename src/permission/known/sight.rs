//! What the judgement of a command cannot see for itself: handed in as functions, as no file is looked at here.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::super::scope::clean;

/// How a judgement sees the machine. By itself it sees nothing, and so knows no command.
#[derive(Clone)]
pub struct Sight {
    /// An absolute path without links, `.` and `..`, as the system would follow it.
    pub follow: fn(&Path) -> PathBuf,
    /// The program of a name in these directories, the first that is there, as an absolute path; none where somebody
    /// else might have put it there.
    pub program: fn(&str, &[PathBuf]) -> Option<PathBuf>,
    /// The same where that first one is a version manager's shim: a script that starts the version that a file names.
    pub shim: fn(&str, &[PathBuf]) -> Option<PathBuf>,
    /// The names in a directory, that of a directory (or a link to one) with `/` at its end. Empty for what is no
    /// directory; `None` where they cannot be read or are too many.
    pub names: fn(&Path) -> Option<Vec<OsString>>,
    /// What a repository brings of its own configuration for commands in this directory: the text of its files, empty
    /// where there is no repository; `None` where it cannot be read.
    pub git_config: fn(&Path) -> Option<String>,
    /// Where commands are looked up, in order.
    pub path: Vec<PathBuf>,
}

impl Default for Sight {
    fn default() -> Self {
        Self {
            follow: clean,
            program: |_, _| None,
            shim: |_, _| None,
            names: |_| None,
            git_config: |_| None,
            path: Vec::new(),
        }
    }
}

/// Two differ by where they look, not by how.
impl PartialEq for Sight {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for Sight {}

impl fmt::Debug for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sight").field("path", &self.path).finish_non_exhaustive()
    }
}
