//! What a screen tells about the session before anything was said.

use std::time::Duration;

use crate::protocol::Message;

/// Facts that change seldom.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The model's name; empty until it is known.
    pub model: String,
    /// The endpoint's host and port; empty where nothing is sent anywhere.
    pub host: String,
    /// The working directory, with `~` for the home directory.
    pub cwd: String,
    /// The same, whole.
    pub root: String,
    /// The branch, where there is one.
    pub branch: Option<String>,
    /// The permission mode by its outside name.
    pub mode: String,
    /// What stands between commands and the machine, once it is known.
    pub sandbox: Option<String>,
    /// Instruction files that the model is told of.
    pub instructions: Vec<String>,
    /// The model's window in tokens, where it is known.
    pub window: Option<u64>,
    /// How long silence in the middle of an answer is borne; none where nothing is asked over a line.
    pub silence: Option<Duration>,
    /// What was said in an earlier process.
    pub resumed: Option<Resumed>,
    /// Remarks, a line each.
    pub remarks: Vec<String>,
}

/// A conversation that was begun earlier.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resumed {
    /// How many messages stand before those that are shown; none as long as they were not counted: then there are some.
    pub before: Option<usize>,
    /// The last ones, to be shown again.
    pub messages: Vec<Message>,
    /// Whether the last prompt has no answer.
    pub is_unanswered: bool,
}
