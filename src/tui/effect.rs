//! All that the screen can want: closed, plain, comparable. Carried out by the runner, in order.

use crate::conversation::GoOn;
use crate::protocol::{Answer, JobId, QuestionId};

/// One wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Say this.
    Submit(String),
    /// Ask once more without saying anything.
    Again,
    /// Stop the run.
    Abort,
    /// Take the last queued message back.
    TakeBack,
    /// Answer a question.
    Answer(QuestionId, Answer),
    /// Keep these rules for this project, from now on.
    Remember(Vec<String>),
    /// Tell which rules are in force.
    ListRules,
    /// Take back a rule that was kept for this project.
    Forget(String),
    /// Answer the turn-limit question.
    GoOn(GoOn),
    /// The command that runs is to go on in the background.
    MoveForeground,
    /// Look at the background commands.
    ListTasks,
    /// Look at what a background command has printed last.
    ShowTask(JobId),
    /// End a background command.
    EndTask(JobId),
    /// The next permission mode.
    NextMode,
    /// A new session.
    Clear,
    /// Ask the endpoint for its models.
    ListModels,
    /// Stop asking for them.
    StopListing,
    /// Another model from now on.
    SwitchModel(String),
    /// Tell what is in force.
    Status,
    /// Keep a line of the input's history: the line as it goes into the file, without its time.
    KeepInput(String),
    /// The answer to the trust question.
    Trust(TrustAnswer),
    /// Go on with this session; none begins a new one.
    Resume(Option<String>),
    /// The choice of the first-run screen.
    Endpoint(EndpointChoice),
    /// Hand the terminal to the shell until it comes back.
    Suspend,
    /// Draw everything below the history anew.
    Redraw,
    /// Leave.
    Quit,
}

/// The answer to the trust question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    /// Trust the directory, and remember it.
    Trust,
    /// Look only: leave out what it brings, this time.
    LookOnly,
}

/// The choice of the first-run screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointChoice {
    /// This address, with this key where it needs one.
    Url {
        /// Up to and including `/v1`.
        url: String,
        /// The key; none for a local server.
        key: Option<String>,
    },
    /// The built-in demonstration.
    Demo,
}
