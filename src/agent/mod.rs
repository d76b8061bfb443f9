//! The loop; it holds no conversation.
//!
//! An [`Agent`] is made once ([`Agent::create`]) of a chat service, tools and a system prompt. [`Agent::chat`] takes a snapshot of
//! a conversation and runs until the model is done, the budget is used up, or somebody says stop; all that changes goes up
//! through the [`Sink`] as entries, and the snapshot dies with the run. So two runs of one agent never meet, and whoever
//! owns the conversation is its only owner. The surprising decision: the turn limit is an end of the run like any other;
//! going on is a new run with the [`Carry`] of the old one ([`Start::Continue`]).
//!
//! It knows no file, no screen and no configuration; how a call becomes an answer stands in `call.rs`, when to stop in
//! `turns.rs`.

mod asked;
mod batch;
pub mod budget;
mod call;
mod compact;
mod format;
mod guide;
mod host;
mod hush;
pub mod inbox;
pub mod intent;
mod loops;
mod mention;
mod metadata;
mod own;
mod reminder;
pub mod seams;
mod stop;
mod tags;
mod turns;
mod watcher;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::chat::ChatService;
use crate::context::Prompt;
use crate::context::window::Window;
use crate::os::clock::Clock;
use crate::permission::{Mode, PolicyCell};
use crate::protocol::{Carry, History, LoopError, LoopErrorType, LoopResult, ModelId, UserMessage};
use crate::tools::ToolRegistry;
use crate::workbench::Workbench;

pub use budget::{PriceList, Spending};
pub use guide::{instructions_of, told as instructions_told};
pub use inbox::Inbox;
pub use seams::{AgentHooks, Approver, HookVerdict, NoHooks, Sink};
pub use stop::StopCause;

/// The most turns a run gets before somebody is asked, whatever was configured.
pub const TURN_LIMIT: u32 = 100;

/// What an agent is made of.
pub struct AgentParts {
    /// The model.
    pub chat: Arc<dyn ChatService>,
    /// What it may call.
    pub tools: Arc<ToolRegistry>,
    /// Who looks over its shoulder.
    pub hooks: Arc<dyn AgentHooks>,
    /// The time for entries.
    pub clock: Arc<dyn Clock>,
    /// The system prompt: the same for the agent's whole life.
    pub system: Arc<str>,
    /// Which model to ask for.
    pub model: ModelId,
    /// How much fits into a request to it.
    pub window: Window,
    /// What to do when the model announces an action instead of doing it.
    pub nudging: Nudging,
}

/// What to do when the model announces an action instead of doing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nudging {
    /// Ask it to do it, at most twice a run.
    On,
    /// Take the announcement as its answer.
    Off,
}

/// The loop. Holds no conversation and no result of a run.
pub struct Agent {
    parts: AgentParts,
}

/// The conversation that a run works on, and what it works with.
pub struct ChatContext {
    /// A snapshot; the run's own copy, which dies with it.
    pub history: History,
    /// The rules and the mode as they are at each moment.
    pub policy: PolicyCell,
    /// What lives as long as the session.
    pub bench: Arc<Workbench>,
    /// What the user types while the run goes on.
    pub inbox: Inbox,
}

impl ChatContext {
    /// Whether plan mode is on, at this moment.
    fn is_planning(&self) -> bool {
        self.policy.snapshot().mode == Mode::Plan
    }
}

/// How a run goes.
#[derive(Clone)]
pub struct LoopOptions {
    /// How many turns it gets.
    pub budget: TurnBudget,
    /// What the session may use.
    pub spending: Spending,
    /// Whether somebody is there to answer.
    pub attendance: Attendance,
    /// Fires when the run is to stop.
    pub token: CancellationToken,
    /// Why it fires.
    pub stop_cause: StopCause,
    /// Takes what it reports.
    pub sink: Arc<dyn Sink>,
    /// Answers what it asks.
    pub approver: Arc<dyn Approver>,
}

/// How many turns a run gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnBudget {
    /// None: chat is disabled.
    Disabled,
    /// At most so many, and never more than [`TURN_LIMIT`].
    AtMost(u32),
}

/// Whether somebody is there to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attendance {
    /// A person sits in front of it.
    Attended,
    /// Nobody does.
    Unattended,
}

/// How a run begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// With something new to say.
    Prompt(Vec<UserMessage>),
    /// With a command of the user's own, which is no request.
    Own(String),
    /// With the wish that the conversation takes less room, and what is to be kept above all.
    Compact(Option<String>),
    /// With nothing new: after the turn limit, or once more after a failure.
    Continue(Carry),
}

impl TurnBudget {
    /// How many turns that makes; 0 where chat is disabled.
    #[must_use]
    pub fn turns(self) -> u32 {
        match self {
            Self::Disabled => 0,
            Self::AtMost(turns) => turns.min(TURN_LIMIT),
        }
    }
}

impl Agent {
    /// Makes an agent, complete or not at all.
    ///
    /// # Errors
    /// `initialization_failed` where no model is named: then nothing could ever be asked.
    pub fn create(parts: AgentParts) -> Result<Self, LoopError> {
        if parts.model.as_str().trim().is_empty() {
            return Err(LoopError {
                kind: LoopErrorType::InitializationFailed,
                message: "no model is set (try --model NAME, or `model = \"NAME\"` in config.toml)"
                    .to_owned(),
            });
        }
        Ok(Self { parts })
    }

    /// Runs until the model is done, the budget is used up, or the token fires. Never fails by its type: what went
    /// wrong is part of the result, and every call that was made has its answer by then.
    pub async fn chat(&self, start: Start, context: ChatContext, options: LoopOptions) -> LoopResult {
        turns::Run::new(self, context, options).execute_loop(start).await
    }

    /// Which model it asks for.
    #[must_use]
    pub fn model(&self) -> &ModelId {
        &self.parts.model
    }

    /// What each of its requests to `model` begins with.
    #[must_use]
    pub fn prompt(&self, model: ModelId) -> Prompt {
        let (system, tools) = (Arc::clone(&self.parts.system), self.parts.tools.definitions());
        Prompt { model, system, tools }
    }

    /// The system prompt of each of its requests.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.parts.system
    }

    /// The tools it offers, by name.
    #[must_use]
    pub fn tools(&self) -> &ToolRegistry {
        &self.parts.tools
    }
}
