//! What a running call may ask of its run.
//!
//! A checkpoint goes the way of every entry, up through the sink, so that it is written before the file changes; and a call
//! that finds more than it was allowed (a redirect to another host) has that judged by the rules of that moment. What it asks
//! of the user is counted with the run's own questions, so that an answer always finds the one it was meant for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::seams::{Approver, Sink};
use super::turns::Run;
use crate::os::clock::Clock;
use crate::permission::{Mode, PolicyCell, Verdict};
use crate::protocol::{
    Access, AgentEvent, Answer, Approval, Asked, CallForm, CallId, ChangedBy, Choice, Entry, EntryBody, Hold,
    Message, Occasion, Preview, Question, QuestionId, SavedFile, ToolCall, ToolName,
};
use crate::tools::{Host, Offer};

/// The run, as one of its calls sees it.
pub(super) struct RunHost {
    call: CallId,
    tool: ToolName,
    form: CallForm,
    /// Position of the message that made the call, or that will tell of the user's own command.
    message: usize,
    policy: PolicyCell,
    clock: Arc<dyn Clock>,
    sink: Arc<dyn Sink>,
    approver: Arc<dyn Approver>,
    questions: Questions,
    /// Whether files were saved because the call changes them.
    changed: AtomicBool,
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
            changed: AtomicBool::new(false),
        }
    }
}

impl RunHost {
    /// Of a call that is the user's own: the message that tells of it is still to come.
    pub(super) fn of_the_user(run: &Run<'_>, call: &ToolCall) -> Self {
        Self { message: run.context.history.positions(), ..Self::new(run, call, CallForm::Native) }
    }

    /// Whether the call has changed a file so far.
    pub(super) fn has_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }
}

impl Host for RunHost {
    fn checkpoint(&self, by: ChangedBy, files: Vec<SavedFile>) -> BoxFuture<'_, ()> {
        self.changed.store(true, Ordering::Relaxed);
        let body = EntryBody::Checkpoint { message: self.message, by, files };
        self.sink.emit(AgentEvent::Recorded(Entry { timestamp: self.clock.now_ms(), body }))
    }

    fn note_change(&self) {
        self.changed.store(true, Ordering::Relaxed);
    }

    fn allows(&self, access: &Access) -> bool {
        match self.policy.snapshot().judge(self.form, &self.tool, access) {
            Verdict::Allow(_) => true,
            Verdict::Ask { .. } | Verdict::Deny { .. } => false,
        }
    }

    fn is_planning(&self) -> bool {
        self.policy.snapshot().mode == Mode::Plan
    }

    fn offer(&self, offer: Offer) -> BoxFuture<'_, bool> {
        let Offer { exec, why, hold } = offer;
        let (policy, freed) = (&self.policy, (hold == Hold::Free).then(|| exec.clone()));
        let rule = freed.as_ref().and_then(|exec| policy.outside_rule(exec));
        let approval = Approval {
            call: self.call.clone(),
            tool: self.tool.clone(),
            access: Access::Exec(exec.clone()),
            form: self.form,
            preview: Preview::Command(exec),
            reason: Some(why),
            remember: rule.into_iter().collect(),
            careful: true,
            hold,
            occasion: Occasion::Stopped,
        };
        let asked =
            self.approver.approve(Question { id: self.questions.next(), asked: Asked::Approval(approval) });
        Box::pin(asked.map(move |answer| match answer {
            Answer::Allow | Answer::AllowAlways | Answer::AllowWithNetwork => {
                if let Some(exec) = &freed {
                    policy.was_let_out(exec);
                }
                true
            }
            Answer::Deny { .. } | Answer::Chosen(_) | Answer::Overruled { .. } | Answer::Unattended => false,
        }))
    }

    fn ask(&self, choice: Choice) -> BoxFuture<'_, Answer> {
        self.approver.approve(Question { id: self.questions.next(), asked: Asked::Choice(choice) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::os::clock::SystemClock;
    use crate::permission::Policy;
    use crate::protocol::{ExecAccess, Network, Writes};

    /// Gives the same answer to all that it is asked, and keeps the questions.
    struct Desk {
        answer: Answer,
        asked: Mutex<Vec<Approval>>,
    }

    impl Approver for Desk {
        fn approve(&self, question: Question) -> BoxFuture<'_, Answer> {
            if let Asked::Approval(approval) = question.asked {
                self.asked.lock().unwrap().push(approval);
            }
            Box::pin(std::future::ready(self.answer.clone()))
        }
    }

    impl Sink for Desk {
        fn emit(&self, _event: AgentEvent) -> BoxFuture<'_, ()> {
            Box::pin(std::future::ready(()))
        }
    }

    /// What came of these offers, and what was asked.
    async fn offered(answer: Answer, commands: &[&str], hold: Hold) -> (Vec<bool>, Vec<Approval>) {
        let desk = Arc::new(Desk { answer, asked: Mutex::default() });
        let host = RunHost {
            call: CallId::from("1"),
            tool: ToolName::from("Bash"),
            form: CallForm::Native,
            message: 0,
            policy: PolicyCell::new(Policy::default()),
            clock: Arc::new(SystemClock),
            sink: Arc::clone(&desk) as Arc<dyn Sink>,
            approver: Arc::clone(&desk) as Arc<dyn Approver>,
            questions: Questions::default(),
            changed: AtomicBool::new(false),
        };
        let mut taken = Vec::new();
        for command in commands {
            let exec = ExecAccess { command: (*command).to_owned(), cwd: "/w".into() };
            taken.push(host.offer(Offer { exec, why: "it was stopped".to_owned(), hold }).await);
        }
        let asked = desk.asked.lock().unwrap().clone();
        (taken, asked)
    }

    const COMMANDS: [&str; 4] = ["docker ps", "docker build .", "docker run x", "gh pr list"];

    #[tokio::test]
    async fn an_offer_says_that_it_is_one_and_a_rule_comes_with_the_third() {
        let (taken, asked) = offered(Answer::Allow, &COMMANDS, Hold::Free).await;
        assert_eq!(taken, [true; 4]);
        let rules: Vec<String> = asked.iter().map(|approval| approval.remember.concat()).collect();
        assert_eq!(rules, ["", "", "Outside(docker:*)", ""]);
        let is_offer = |approval: &Approval| {
            approval.occasion == Occasion::Stopped && approval.careful && approval.hold == Hold::Free
        };
        assert!(asked.iter().all(is_offer), "{asked:?}");
    }

    #[tokio::test]
    async fn only_a_yes_is_taken_for_one_and_counted() {
        for answer in [
            Answer::Deny { words: None },
            Answer::Deny { words: Some("no".to_owned()) },
            Answer::Overruled { reason: String::new() },
            Answer::Unattended,
        ] {
            let (taken, asked) = offered(answer.clone(), &COMMANDS, Hold::Free).await;
            assert_eq!(taken, [false; 4], "{answer:?}");
            assert!(asked.iter().all(|approval| approval.remember.is_empty()), "{asked:?}");
        }
    }

    #[tokio::test]
    async fn the_network_is_offered_without_a_rule() {
        let hold = Hold::Held { writes: Writes::Workspace, network: Network::On };
        let (_, asked) = offered(Answer::Allow, &COMMANDS, hold).await;
        assert!(
            asked.iter().all(|approval| approval.remember.is_empty() && approval.hold == hold),
            "{asked:?}"
        );
    }
}
