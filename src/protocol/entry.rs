//! Entries: all that can change a history, and nothing else can.
//!
//! An entry is what the session file keeps as one line (its JSON is made in `session/entry.rs`), what the loop hands
//! up, and what [`super::History::apply`] takes. Positions (`to`, `messages`, `message`) count the *message entries of the
//! file* from 0, rewound ones included, so that they never shift.

use super::{Message, ModelId, SessionId, Usage};

/// One change, with its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// What changes.
    pub body: EntryBody,
}

/// What an entry changes.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryBody {
    /// The first entry of a file.
    Session(SessionHead),
    /// One more message.
    Message(Message),
    /// What came before is now told by a summary.
    Compaction {
        /// The summary, as the model gets it.
        summary: String,
        /// How many of the messages before it stay after the summary.
        kept: usize,
    },
    /// Tool results that are sent as a preview from here on.
    Masked {
        /// Their positions.
        messages: Vec<usize>,
    },
    /// Back to an earlier point.
    Rewind {
        /// How many message entries of the file stay: those from this position on no longer count.
        to: usize,
    },
    /// The same done by the program, for what got no answer: a redo does not know of it.
    Unsaid {
        /// As of a rewind.
        to: usize,
    },
    /// Undoes the last rewind, as long as nothing was said since.
    Redo,
    /// Files as they were before something of a message changed them.
    Checkpoint {
        /// Position of the message whose call changed them; of the one, still to come, that tells of the user's own command; of
        /// the last one before a rewind or a redo.
        message: usize,
        /// What changed them.
        by: ChangedBy,
        /// The files.
        files: Vec<SavedFile>,
    },
    /// Other settings from here on.
    Settings {
        /// The model, where it changes.
        model: Option<ModelId>,
        /// The permission mode by its outside name, where it changes.
        permission_mode: Option<String>,
        /// All directories that may be read and edited beside the working directory, where they change.
        directories: Option<Vec<String>>,
    },
    /// What a request cost whose answer is no message: an empty one, or a summary.
    Spent {
        /// Which model gave it.
        model: ModelId,
        /// What the endpoint counted.
        usage: Usage,
    },
    /// The session's title.
    Title(String),
}

/// The head of a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionHead {
    /// Version of the file's format; this program writes 1.
    pub version: u32,
    /// The session.
    pub id: SessionId,
    /// Where it was begun.
    pub cwd: String,
    /// With which model.
    pub model: ModelId,
    /// By which program version.
    pub clawd_version: String,
    /// What it was forked from.
    pub parent: Option<SessionId>,
}

/// One file before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFile {
    /// Absolute path.
    pub path: String,
    /// The hash of its former bytes in hex, and of a link's those of the path that it held; none where it did not exist.
    pub before: Option<String>,
    /// A file's mode bits (up to 0o7777); [`SavedFile::LINK`] of a symbolic link.
    pub mode: u32,
    /// What the change left, where that is known.
    pub after: After,
    /// How many of the directories right above it did not exist either.
    pub above: usize,
}

/// What a change left of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum After {
    /// It was not told.
    #[default]
    Unknown,
    /// No file.
    Nothing,
    /// Bytes with this hash, told as [`SavedFile::before`] is.
    Bytes(String),
}

impl SavedFile {
    /// The mode of a symbolic link.
    pub const LINK: u32 = 0o120_777;

    /// One of which nothing else is known.
    #[must_use]
    pub fn new(path: impl Into<String>, before: Option<String>, mode: u32) -> Self {
        Self { path: path.into(), before, mode, after: After::Unknown, above: 0 }
    }
}

/// What changed the files of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChangedBy {
    /// A tool that names its files, and saved them before.
    #[default]
    Tool,
    /// A command, whose changes were seen when it was over.
    Command,
    /// A rewind, which stands before it in the file.
    Rewind,
    /// A redo, which stands behind it once all is put back.
    Redo,
}

impl Entry {
    /// An entry of a message.
    #[must_use]
    pub fn message(timestamp: u64, message: Message) -> Self {
        Self { timestamp, body: EntryBody::Message(message) }
    }
}
