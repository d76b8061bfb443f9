//! What a directory below the working directory has to say to the model, as it was found beside a file that is read.

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guide {
    /// It counts.
    Told {
        /// As a person would name the file.
        name: String,
        /// What it says.
        text: String,
    },
    /// Nobody has said yes to it.
    LeftOut {
        /// As a person would name the file.
        name: String,
    },
    /// It cannot be read.
    Unread {
        /// Which file and why, in a line.
        why: String,
    },
}
