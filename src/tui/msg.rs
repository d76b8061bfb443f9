//! All that can happen to the screen: closed, plain, comparable.

use super::key::Key;
use super::model::facts::Facts;
use super::model::setup::FirstRun;
use crate::app::{InForce, Insight, ModelRow, Switched, TrustQuestion};
use crate::conversation::Happening;
use crate::protocol::{JobId, JobView, Todo};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    /// A key.
    Key(Key),
    /// A paste, line ends as `\n`.
    Paste(String),
    /// The terminal has another size.
    Resize {
        /// Columns.
        columns: u16,
        /// Rows.
        rows: u16,
    },
    /// The conversation.
    Happened(Box<Happening>),
    /// An effect has given something.
    Reply(Reply),
    /// Time has passed while something is shown that depends on it.
    Tick,
}

/// What an effect gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Facts for the head and the status line; the conversation is ready.
    Ready(Box<Facts>),
    /// The directory is not trusted: ask.
    AskTrust(Box<TrustQuestion>),
    /// A session is to be picked: ID and title, the newest first.
    PickSession(Vec<(String, String)>),
    /// There is no endpoint: the first-run screen, as far as is known.
    AskEndpoint(FirstRun),
    /// A local server was found, or all were looked for.
    LocalServers(Vec<String>),
    /// A queued message came back.
    TakenBack(String),
    /// Texts that go back into the input.
    GivenBack(Vec<String>),
    /// The mode is now this one.
    Mode(String),
    /// The questions with these numbers were answered by a change of the rules.
    Answered(Vec<u64>),
    /// The endpoint's models.
    Models(Vec<ModelRow>),
    /// The endpoint gave no list of models: why, and what to do.
    Unlisted(String),
    /// Another model is in force.
    Switched(Box<Switched>),
    /// Something was found out about the model in force.
    Insight(Insight),
    /// What stands between commands and the machine.
    Sandbox(String),
    /// The model's list of steps, as an earlier process left it.
    Todos(Vec<Todo>),
    /// The rules in force.
    Rules(Box<InForce>),
    /// The background commands.
    Tasks(Vec<JobView>),
    /// What a background command has printed last.
    TaskOutput {
        /// Which.
        id: JobId,
        /// Its last lines, as they came.
        text: String,
    },
    /// There was nothing that could go on in the background.
    NothingMoved,
    /// A conversation was begun anew.
    Cleared,
    /// Lines to be shown.
    Lines(Vec<String>),
    /// Something did not work: what, why and how to mend it.
    Failed(String),
    /// What earlier sessions put into the input, oldest first, as lines of the history file.
    InputHistory(Vec<String>),
}
