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
    /// A file's mode bits (up to 0o7777); [`SavedFile::LINK`] of a symbolic link; with the bits of its type for a directory and a
    /// pipe. 0 where no mode was saved.
    pub mode: u32,
    /// What the change left, where that is known.
    pub after: After,
    /// How many of the directories right above it did not exist either.
    pub above: usize,
    /// Where the file or directory was before that the change moved to `path`; nothing else is recorded of it then.
    pub from: Option<String>,
    /// Why its former bytes were not saved; `before` names nothing then.
    pub unsaved: Option<String>,
    /// The inode of the file.
    pub inode: Option<u64>,
    /// Whether it had other names.
    pub linked: bool,
}

/// What was at a path before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Was<'a> {
    /// Nothing.
    Nothing,
    /// Something whose bytes have this hash.
    Bytes(&'a str),
    /// What is there now was at this path.
    Moved(&'a str),
    /// Something whose bytes were not saved: why.
    Unsaved(&'a str),
}

/// What kind of file was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A directory, without what is in it.
    Directory,
    /// A named pipe.
    Pipe,
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
    /// The type bits of a directory.
    pub const DIRECTORY: u32 = 0o040_000;
    /// The type bits of a named pipe.
    pub const PIPE: u32 = 0o010_000;
    /// The type bits of a file: only with the mode 000, for 0 says that none was saved.
    const CLOSED: u32 = 0o100_000;
    /// In place of a hash where there is none: nothing is saved under it, so a version that does not know the other fields leaves
    /// the file alone.
    pub const NO_HASH: &'static str = "none";

    /// One of which nothing else is known.
    #[must_use]
    pub fn new(path: impl Into<String>, before: Option<String>, mode: u32) -> Self {
        let (after, above, from, unsaved, inode, linked) = (After::Unknown, 0, None, None, None, false);
        Self { path: path.into(), before, mode, after, above, from, unsaved, inode, linked }
    }

    /// A file whose bytes could not be saved.
    #[must_use]
    pub fn unsaved(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self { unsaved: Some(why.into()), ..Self::new(path, Some(Self::NO_HASH.to_owned()), 0) }
    }

    /// A file or directory (by its type bits) that was moved from `from` to `path`.
    #[must_use]
    pub fn moved(path: impl Into<String>, from: impl Into<String>, mode: u32) -> Self {
        Self { from: Some(from.into()), ..Self::new(path, Some(Self::NO_HASH.to_owned()), mode) }
    }

    /// What a file's mode bits are saved as.
    #[must_use]
    pub const fn file_mode(bits: u32) -> u32 {
        if bits == 0 { Self::CLOSED } else { bits }
    }

    /// Its mode bits, if they were saved.
    #[must_use]
    pub const fn bits(&self) -> Option<u32> {
        if self.mode == 0 { None } else { Some(self.mode & 0o7777) }
    }

    /// What kind of file it was.
    #[must_use]
    pub const fn kind(&self) -> SavedKind {
        match self.mode & 0o170_000 {
            0o120_000 => SavedKind::Link,
            Self::DIRECTORY => SavedKind::Directory,
            Self::PIPE => SavedKind::Pipe,
            _ => SavedKind::File,
        }
    }

    /// What was at the path.
    #[must_use]
    pub fn was(&self) -> Was<'_> {
        match (&self.from, &self.unsaved, &self.before) {
            (Some(from), _, _) => Was::Moved(from),
            (None, Some(why), _) => Was::Unsaved(why),
            (None, None, Some(hash)) => Was::Bytes(hash),
            (None, None, None) => Was::Nothing,
        }
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
