//! All that the screen can want: closed, plain, comparable. Carried out by the runner, in order.

use crate::app::Way;
use crate::conversation::GoOn;
use crate::protocol::{Answer, JobId, QuestionId};

/// One wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Say this.
    Submit(String),
    /// Run this command for the user.
    RunOwn(String),
    /// Add this line to the project's instructions.
    Note(String),
    /// Put a summary in the place of what was said, and keep this above all.
    Compact(Option<String>),
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
    /// Paths for an `@path` of which this is typed.
    FindFiles(String),
    /// Edit this in the user's own editor.
    EditOutside(String),
    /// Keep the draft, as a line of the input's history without its time; an empty one is none.
    KeepDraft(String),
    /// Tell this, a line each.
    Tell(Tell),
    /// Find what is to be copied: the last answer, or its block of code with this number, from 1.
    Copy(Option<usize>),
    /// Hand this to the clipboard: the terminal's, and this machine's.
    Clipboard {
        /// It.
        text: String,
        /// What is said once the terminal has it.
        said: String,
    },
    /// Write the conversation into this file; without a name one is found.
    Export(String),
    /// Plan mode; where it is in force, back to the usual one.
    PlanMode,
    /// List the themes.
    ListThemes,
    /// Draw with this theme for now.
    ShowTheme(String),
    /// Draw with this theme from now on.
    KeepTheme(String),
    /// Keep a line of the input's history: the line as it goes into the file, without its time.
    KeepInput(String),
    /// The answer to the trust question.
    Trust(TrustAnswer),
    /// An image for the input.
    Image(ImageWish),
    /// Something for a page of its own.
    Report(ReportWish),
    /// Something with this session, or with another one.
    Session(SessionWish),
    /// Something with what was said earlier.
    Rewind(RewindWish),
    /// The choice of the first-run screen.
    Endpoint(EndpointChoice),
    /// Hand the terminal to the shell until it comes back.
    Suspend,
    /// Draw everything below the history anew.
    Redraw,
    /// Leave.
    Quit,
}

impl Effect {
    /// Whether queued commands must wait for its outcome: it begins or ends a run, or opens another session.
    #[must_use]
    pub fn defers_commands(&self) -> bool {
        matches!(
            self,
            Self::Submit(_)
                | Self::RunOwn(_)
                | Self::Compact(_)
                | Self::Again
                | Self::GoOn(_)
                | Self::Abort
                | Self::Session(SessionWish::GoOn(_))
        )
    }
}

/// What is wanted of images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageWish {
    /// The one that is in the clipboard.
    Paste,
    /// Whether a pasted path leads to one.
    Look {
        /// As it was pasted.
        pasted: String,
        /// The path that it means.
        path: String,
    },
}

/// What is wanted for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportWish {
    /// What works and what does not.
    Examine,
    /// What tools have changed since the session began.
    Changes,
    /// What calls have given.
    Results,
    /// Nobody waits any more.
    Stop,
}

/// What is wanted with sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionWish {
    /// Which there are in this directory.
    List,
    /// What was said last in the one with this ID.
    Preview(String),
    /// Go over to one.
    GoOn(Onto),
    /// Not to go over to the one that is being opened.
    Stay,
    /// The conversation goes on under a new ID.
    Fork,
    /// Call it so.
    Rename(String),
    /// This directory may be read and edited too; without a name it is told which may.
    AddDirectory(String),
}

/// What goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Onto {
    /// A new session.
    New,
    /// The one with this ID.
    Session(String),
    /// A copy of the one with this ID.
    ForkOf(String),
}

/// What is wanted with what was said earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindWish {
    /// The messages that one can go back to.
    List,
    /// What a rewind to the message at this position would change.
    Look(usize),
    /// Go.
    Go(Way),
}

/// What is told in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// What fills the model's window.
    Context,
    /// What was used.
    Cost,
    /// The settings.
    Config,
    /// The instruction files.
    Memory,
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
