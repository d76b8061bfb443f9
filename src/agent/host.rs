//! What a running call may ask of its run.
//!
//! A checkpoint goes the way of every entry, up through the sink, so that it is written before the file changes; and a call
//! that finds more than it was allowed (a redirect to another host) has that judged by the rules of that moment. What it asks
//! of the user is counted with the run's own questions, so that an answer always finds the one it was meant for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::seams::{Approver, Sink};
use super::turns::Run;
use crate::os::clock::Clock;
use crate::permission::{PolicyCell, Verdict};
use crate::protocol::{
    Access, AgentEvent, Answer, Approval, Asked, CallForm, CallId, Choice, Entry, EntryBody, Message,
    Preview, Question, QuestionId, SavedFile, ToolCall, ToolName,
};
use crate::tools::{Host, Offer};

/// The run, as one of its calls sees it.
pub(super) struct RunHost {
    call: CallId,
    tool: ToolName,
    form: CallForm,
    /// Position of the message that made the call.
    message: usize,
    policy: PolicyCell,
    clock: Arc<dyn Clock>,
    sink: Arc<dyn Sink>,
    approver: Arc<dyn Approver>,
    questions: Questions,
}

/// Numbers the questions of a run, whoever asks them.
#[derive(Debug, Clone, Default)]
pub(super) struct Questions(Arc<AtomicU64>);

impl Questions {
    /// The next number, from 1.
    pub(super) fn next(&self) -> QuestionId {
        QuestionId(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl RunHost {
    pub(super) fn new(run: &Run<'_>, call: &ToolCall, form: CallForm) -> Self {
        let asking = run.context.history.view().rev().find(|(slot, _)| match slot.message {
            Message::Assistant(_) => true,
            Message::User(_) | Message::Tool(_) => false,
        });
        Self {
            call: call.id.clone(),
            tool: call.name.clone(),
            form,
            message: asking.map_or(0, |(slot, _)| slot.position),
            policy: run.context.policy.clone(),
            clock: Arc::clone(&run.agent.parts.clock),
            sink: Arc::clone(&run.options.sink),
            approver: Arc::clone(&run.options.approver),
            questions: run.questions.clone(),
        }
    }
}

impl Host for RunHost {
    fn checkpoint(&self, files: Vec<SavedFile>) -> BoxFuture<'_, ()> {
        let body = EntryBody::Checkpoint { message: self.message, files };
        self.sink.emit(AgentEvent::Recorded(Entry { timestamp: self.clock.now_ms(), body }))
    }

    fn allows(&self, access: &Access) -> bool {
        match self.policy.snapshot().judge(self.form, &self.tool, access) {
            Verdict::Allow(_) => true,
            Verdict::Ask { .. } | Verdict::Deny { .. } => false,
        }
    }

    fn offer(&self, offer: Offer) -> BoxFuture<'_, bool> {
        let Offer { exec, why, hold } = offer;
        let approval = Approval {
            call: self.call.clone(),
            tool: self.tool.clone(),
            access: Access::Exec(exec.clone()),
            form: self.form,
            preview: Preview::Command(exec),
            reason: Some(why),
            remember: None,
            careful: true,
            hold,
        };
        let asked =
            self.approver.approve(Question { id: self.questions.next(), asked: Asked::Approval(approval) });
        Box::pin(asked.map(|answer| match answer {
            Answer::Allow | Answer::AllowAlways | Answer::AllowWithNetwork => true,
            Answer::Deny { .. } | Answer::Chosen(_) | Answer::Overruled { .. } | Answer::Unattended => false,
        }))
    }

    fn ask(&self, choice: Choice) -> BoxFuture<'_, Answer> {
        self.approver.approve(Question { id: self.questions.next(), asked: Asked::Choice(choice) })
    }
}
