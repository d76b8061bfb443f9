//! One run as a task, and the one channel out of it.
//!
//! The channel is bounded: a front end that does not keep up slows the run, and through it the endpoint; nothing piles up. The
//! task ends when the run does; dropping [`Running`] cancels it, so that no run outlives its conversation.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Parts;
use crate::agent::{Approver, Attendance, ChatContext, Inbox, LoopOptions, Sink, Start, StopCause};
use crate::protocol::{
    AgentEvent, Answer, Carry, LoopError, LoopErrorType, LoopMetadata, LoopResult, Question, RunEnd,
};
use crate::session::Recorder;

/// Events that may wait for the front end. Each holds at most one network read's worth of text.
const WAITING_EVENTS: usize = 64;

/// What comes up from a run.
pub(super) enum Upward {
    Event(Box<AgentEvent>),
    Ask(Question, oneshot::Sender<Answer>),
    Ended(Box<LoopResult>),
}

/// What comes next from a run; nothing ever where none goes on. Safe to drop.
pub(super) async fn next(run: &mut Option<Running>) -> Upward {
    match run {
        Some(run) => run.next().await,
        None => std::future::pending().await,
    }
}

/// A run that goes on.
pub(super) struct Running {
    task: JoinHandle<LoopResult>,
    token: CancellationToken,
    stop_cause: StopCause,
    events: mpsc::Receiver<Upward>,
}

impl Running {
    pub(super) fn start(parts: &Parts, inbox: Inbox, start: Start) -> Self {
        let (sender, events) = mpsc::channel(WAITING_EVENTS);
        let upward = Arc::new(UpwardSink { sender });
        let (token, stop_cause) = (CancellationToken::new(), StopCause::default());
        let approver: Arc<dyn Approver> = match parts.attendance {
            Attendance::Attended => Arc::clone(&upward) as Arc<dyn Approver>,
            Attendance::Unattended => Arc::new(Nobody),
        };
        let log = parts.log.clone();
        let last_word = Arc::clone(&upward);
        let options = LoopOptions {
            budget: parts.budget,
            spending: parts.spending.clone(),
            attendance: parts.attendance,
            token: token.clone(),
            stop_cause: stop_cause.clone(),
            sink: Arc::new(Recorder::new(parts.log.clone(), upward)),
            approver,
        };
        let context = ChatContext {
            history: parts.history.clone(),
            policy: parts.policy.clone(),
            bench: Arc::clone(&parts.bench),
            inbox,
        };
        let agent = Arc::clone(&parts.agent);
        let task = tokio::spawn(async move {
            let result = agent.chat(start, context, options).await;
            // Here, not where keys are read: a disk may take its time.
            if let Some(changed) = log.sync() {
                last_word.emit(changed).await;
            }
            result
        });
        Self { task, token, stop_cause, events }
    }

    /// Stops it, for a cause in words or because the user wants it.
    pub(super) fn abort(&self, cause: Option<&str>) {
        if let Some(words) = cause {
            self.stop_cause.set(words);
        }
        self.token.cancel();
    }

    /// What comes next; the end comes after everything else. Safe to drop at its await.
    async fn next(&mut self) -> Upward {
        if let Some(upward) = self.events.recv().await {
            return upward;
        }
        let result = (&mut self.task).await;
        Upward::Ended(Box::new(result.unwrap_or_else(|error| broken(&error.to_string()))))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.token.cancel();
    }
}

/// The run's way up. If nobody listens any more, what it says is of no use to anybody.
struct UpwardSink {
    sender: mpsc::Sender<Upward>,
}

impl Sink for UpwardSink {
    fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()> {
        Box::pin(async move { drop(self.sender.send(Upward::Event(Box::new(event))).await) })
    }
}

impl Approver for UpwardSink {
    fn approve(&self, question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            drop(self.sender.send(Upward::Ask(question, reply)).await);
            answer.await.unwrap_or(Answer::Unattended)
        })
    }
}

/// Nobody is there to ask.
struct Nobody;

impl Approver for Nobody {
    fn approve(&self, _question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(Answer::Unattended))
    }
}

/// The run's task panicked: a fault of ours, told as such; the conversation goes on.
fn broken(why: &str) -> LoopResult {
    LoopResult {
        end: RunEnd::Failed(LoopError {
            kind: LoopErrorType::LlmError,
            message: format!("internal error in clawd: {why} (please report it)"),
        }),
        final_message: String::new(),
        metadata: LoopMetadata::default(),
        carry: Carry::default(),
    }
}
