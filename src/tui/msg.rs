//! All that can happen to the screen: closed, plain, comparable.

use super::key::{Key, Wheel};
use super::model::facts::Facts;
use super::model::setup::FirstRun;
use crate::app::{
    Arrived, Changes, InForce, Insight, ModelRow, Pick, Point, Preview, Switched, ThemeList, TrustQuestion,
};
use crate::conversation::Happening;
use crate::protocol::{JobId, JobView, Results, Todo};
use crate::text::fuzzy::Best;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    /// A key.
    Key(Key),
    /// The same key so many times at once, faster than any hand.
    Burst(Key, u16),
    /// The wheel.
    Wheel(Wheel),
    /// A paste, line ends as `\n`.
    Paste(String),
    /// A line that the terminal itself has edited.
    Line(String),
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
    /// Something for a page of its own.
    Report(ReportReply),
    /// Something about sessions.
    Session(SessionReply),
    /// Something about a rewind.
    Rewind(RewindReply),
    /// There is no endpoint: the first-run screen, as far as is known.
    AskEndpoint(FirstRun),
    /// A local server was found, or all were looked for.
    LocalServers(Vec<String>),
    /// A run has begun by what was wanted last: what follows it is for a run.
    RunBegins,
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
    /// This is to be copied, and to be said of it.
    Copied {
        /// What goes into the clipboard, byte for byte.
        text: String,
        /// What it is.
        said: String,
    },
    /// A conversation was begun anew.
    Cleared,
    /// The themes.
    Themes(ThemeList),
    /// A line to be remarked.
    Said(String),
    /// Lines to be shown.
    Lines(Vec<String>),
    /// Something did not work: what, why and how to mend it.
    Failed(String),
    /// Something for the input.
    Input(InputReply),
    /// What earlier sessions put into the input, oldest first, as lines of the history file.
    InputHistory(Vec<String>),
}

/// What an effect gave for a page of its own.
#[derive(Debug, Clone, PartialEq)]
pub enum ReportReply {
    /// What the examination has found so far.
    Begun {
        /// Lines.
        text: String,
    },
    /// The rest of it.
    More {
        /// Lines.
        text: String,
    },
    /// There is none: why.
    None(String),
    /// What tools have changed.
    Changes(Changes),
    /// What calls have given.
    Results(Results),
}

/// What an effect gave about sessions.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionReply {
    /// One is to be picked before there is a conversation.
    Wanted,
    /// Those of this directory but for the present one, the one that was written last first.
    Listed(Vec<Pick>),
    /// What was said last in one.
    Preview {
        /// Which.
        id: String,
        /// Lines, the oldest first.
        lines: Vec<String>,
    },
    /// Another process has this one.
    Held(String),
    /// This is probably where the one goes on that is being read.
    Ahead(Box<Facts>),
    /// The one that was to go on from the start cannot be read.
    Unread,
    /// The one that was to be opened is not: the present one stays.
    Stays,
}

/// What an effect gave about a rewind, or a redo.
#[derive(Debug, Clone, PartialEq)]
pub enum RewindReply {
    /// The messages that one can go back to, newest first.
    Points(Vec<Point>),
    /// What would change.
    Looked(Box<Preview>),
    /// It cannot be done: why.
    Refused(String),
    /// It is done.
    Arrived(Box<Arrived>),
}

/// What an effect gave for the input.
#[derive(Debug, Clone, PartialEq)]
pub enum InputReply {
    /// Paths that match what is typed of an `@path`.
    Paths {
        /// What was typed.
        typed: String,
        /// The best of them.
        best: Best,
    },
    /// An image, by its path: in the place of what was pasted, or where the cursor stands.
    Image {
        /// Where it lies.
        path: String,
        /// What stands for it now.
        pasted: Option<String>,
    },
    /// No image could be had: why.
    NoImage(String),
    /// What came back from the user's own editor, or why nothing did.
    Edited(Result<String, String>),
    /// The draft has changed, and it is time to keep it.
    DraftDue,
    /// A draft that was left behind, as a line of the history file.
    DraftLeft(String),
}
