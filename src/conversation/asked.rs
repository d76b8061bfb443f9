//! Questions of the run that wait for an answer: by the user, or by rules that changed meanwhile.

use tokio::sync::oneshot;

use super::Conversation;
use crate::permission::{Mode, Policy, Verdict};
use crate::protocol::{Answer, Asked, Begin, Question, QuestionId, Topic};

/// A question that waits, and the way back to the call that asked it.
pub(super) struct OpenQuestion {
    pub(super) question: Question,
    pub(super) reply: oneshot::Sender<Answer>,
}

impl Conversation {
    /// Answers a question. An answer to a question that is gone does nothing. A yes to a plan puts the mode in force in which the
    /// work begins, before the call hears of it.
    pub fn answer(&mut self, id: QuestionId, answer: Answer) {
        if let Some(open) = self.open.remove(&id) {
            if let Some(mode) = begins_in(&open, &answer) {
                let policy = self.policy();
                // a plan is shown while nothing else runs: no other question waits
                drop(self.set_policy(Policy { mode, ..policy }));
            }
            // The call may have ended in this moment; then nobody waits for the answer, and none is needed.
            drop(open.reply.send(answer));
        }
    }

    /// Answers the open questions that the rules in force now decide.
    pub(super) fn judge_again(&mut self) -> Vec<QuestionId> {
        let policy = self.parts.policy.snapshot();
        let mut answered = Vec::new();
        for (id, open) in &self.open {
            let approval = match &open.question.asked {
                Asked::Approval(approval) => approval,
                Asked::Choice(_) => continue,
            };
            match policy.judge(approval.form, &approval.tool, &approval.access) {
                Verdict::Ask { .. } => {}
                // an offer to run it with less around it is not answered by a rule that lets it run with more
                Verdict::Allow(terms) if !terms.hold.reaches(approval.hold) => {}
                Verdict::Allow(_) => answered.push((*id, Answer::Allow)),
                Verdict::Deny { reason } => answered.push((*id, Answer::Overruled { reason })),
            }
        }
        for (id, answer) in &answered {
            self.answer(*id, answer.clone());
        }
        answered.into_iter().map(|(id, _)| id).collect()
    }
}

/// The mode in which the work begins, where this is a yes to a plan that still waits for it.
fn begins_in(open: &OpenQuestion, answer: &Answer) -> Option<Mode> {
    match &open.question.asked {
        Asked::Choice(choice) if choice.topic == Topic::Plan && !open.reply.is_closed() => {
            Begin::of(answer)?.mode.parse().ok()
        }
        Asked::Choice(_) | Asked::Approval(_) => None,
    }
}
