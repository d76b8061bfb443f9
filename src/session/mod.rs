//! What is kept: one conversation, one file, one line an entry.
//!
//! [`entry`] is the form of a line, [`load`] reads a file whatever happened to it, [`log`] is the one writer, [`recorder`] puts
//! the writer between the loop and whoever watches it, [`index`] finds sessions, [`peek`] looks into one without
//! reading it, `ending` tells what a large one says last, `shelf` has what stays in the file until somebody looks at it, [`export`] makes a text of one for other eyes.
//! Nothing here interprets a conversation: what counts is decided by `protocol::History`. The surprising decision: there is no writer task. An append costs microseconds, so
//! the recorder does it in place, in the run's own task, and "written before shown" needs no acknowledgement.

mod ending;
pub mod entry;
pub mod export;
pub mod index;
pub mod load;
pub mod log;
pub mod peek;
pub mod place;
pub mod recorder;
mod shelf;

use std::path::{Path, PathBuf};

pub use index::{Glance, SessionRef};
pub use load::Loaded;
pub use log::{Saved, SessionLog};
pub use place::{HeldSession, Opened, SessionPlace};
pub use recorder::{Recorder, SharedLog};

/// What can go wrong with a session's file.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// It cannot be read or made.
    #[error("cannot open the session {path}: {source}")]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another process writes it.
    #[error(
        "session {id} is already open in another clawd process (try --fork-session to continue in a copy)"
    )]
    InUse {
        /// Which session.
        id: String,
    },
    /// None has this ID.
    #[error("no session has the ID {id} (try -r without an ID to choose one)")]
    Unknown {
        /// What was asked for.
        id: String,
    },
    /// Several begin like this.
    #[error("{count} sessions begin with {id} (use a longer prefix)")]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// How many.
        count: usize,
    },
    /// It belongs to another directory.
    #[error("session {id} belongs to another directory (try clawd -C {} -r {id})", quoted(cwd))]
    Elsewhere {
        /// Which session.
        id: String,
        /// Where it was begun.
        cwd: PathBuf,
    },
    /// A newer version wrote it.
    #[error("cannot resume the session {path}: a newer clawd wrote it (try updating)")]
    Newer {
        /// Which file.
        path: PathBuf,
    },
    /// The directory has none.
    #[error("no session in this directory to continue (try without -c or -r)")]
    None,
}

/// The path as a shell takes it, so that the line can be copied.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
