//! Where the loop meets the world: three traits that a front end or a test replaces.
//!
//! They are all that the loop knows of whoever drives it. What it reports goes up through a [`Sink`] and is waited
//! for, so a slow screen slows the run and never fills a queue; what it asks goes through an [`Approver`]; what wants
//! to look over its shoulder is an [`AgentHooks`].

use futures_util::future::BoxFuture;

use crate::chat::{ChatRequest, Completion};
use crate::protocol::{AgentEvent, Answer, Question, ToolCall};
use crate::tools::ToolResult;

/// Takes what a run reports.
pub trait Sink: Send + Sync {
    /// Takes one event. A [`AgentEvent::Recorded`] is kept (where a session is kept) before this returns.
    fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()>;
}

/// Answers questions. Dropped with the call when the run is aborted.
pub trait Approver: Send + Sync {
    /// Asks, and waits for the answer.
    fn approve(&self, question: Question) -> BoxFuture<'_, Answer>;
}

/// Looks at, and may change, what passes at four points of the loop. The default does nothing.
pub trait AgentHooks: Send + Sync {
    /// Before a request is sent: may rewrite it.
    fn before_llm_call(&self, request: ChatRequest) -> ChatRequest {
        request
    }

    /// After an answer came: may rewrite it.
    fn after_llm_call(&self, completion: Completion) -> Completion {
        completion
    }

    /// Before a call runs.
    fn before_tool_execution(&self, _call: &ToolCall) -> HookVerdict {
        HookVerdict::Go
    }

    /// After a call ran: may rewrite its result.
    fn after_tool_execution(&self, _call: &ToolCall, result: ToolResult) -> ToolResult {
        result
    }
}

/// Whether a call may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// It may.
    Go,
    /// It may not; the model is told why, and the run goes on.
    Block(String),
}

/// Hooks that do nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl AgentHooks for NoHooks {}
