//! What goes into a conversation and what comes out of it: values, and the parts that it is made of.

use std::sync::Arc;

use crate::agent::{Agent, Attendance, Spending, TurnBudget};
use crate::os::clock::Clock;
use crate::permission::PolicyCell;
use crate::protocol::{AgentEvent, History, JobView, LoopResult, Question};
use crate::session::SharedLog;
use crate::workbench::Workbench;

/// What a conversation is made of.
pub struct Parts {
    /// Who answers.
    pub agent: Arc<Agent>,
    /// What was said so far.
    pub history: History,
    /// Where it is kept.
    pub log: SharedLog,
    /// The rules and the mode.
    pub policy: PolicyCell,
    /// What lives as long as the session.
    pub bench: Arc<Workbench>,
    /// How many turns a run gets.
    pub budget: TurnBudget,
    /// What the session may use.
    pub spending: Spending,
    /// Whether somebody is there to answer.
    pub attendance: Attendance,
    /// The time for entries.
    pub clock: Arc<dyn Clock>,
}

/// What happened in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// The run reports.
    Event(AgentEvent),
    /// The run asks; answer with [`super::Conversation::answer`].
    Asked(Question),
    /// The run is over.
    Ended(Box<Ended>),
    /// A command that runs beside the conversation began or ended; at rest as well as in a run.
    Jobs(JobNews),
}

/// What is new of the commands that run beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobNews {
    /// All that are remembered, oldest first.
    pub all: Vec<JobView>,
    /// Those that have ended since the last news; each is among them once.
    pub ended: Vec<JobView>,
}

/// A run that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// How.
    pub result: LoopResult,
    /// Prompts that were not answered and are no longer part of the conversation: they belong back into the input.
    pub given_back: Vec<String>,
    /// Whether what waited in the queue has started another run.
    pub followed: Followed,
    /// Whether the same can be asked once more.
    pub again: Again,
}

/// Whether there is something that can be asked once more without saying anything new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// What was said last has no answer that counts.
    Possible,
    /// All is answered, or nothing may be asked.
    Impossible,
}

/// Whether another run follows at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// The queue has started one.
    ByQueue,
    /// Nothing goes on.
    ByNothing,
}

/// What a conversation needs to begin anew.
pub struct Fresh {
    /// Who answers.
    pub agent: Arc<Agent>,
    /// Where it is kept.
    pub log: SharedLog,
    /// What lives as long as the new session.
    pub bench: Arc<Workbench>,
    /// What was said in it so far.
    pub history: History,
}

/// The answer to the turn-limit question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoOn {
    /// With a fresh budget.
    Yes,
    /// Not.
    Stop,
}
