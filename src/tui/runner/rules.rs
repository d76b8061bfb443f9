//! Rules and the mode: put in force first, then kept, then told.
//!
//! In this order, because a question may wait: whoever says "don't ask again" is not asked again by the very next call,
//! even where the rule cannot be kept for the next time.

use super::Runner;
use crate::app::known_sandbox;
use crate::conversation::Conversation;
use crate::error::Error;
use crate::permission::{Mode, Policy};
use crate::protocol::{Answer, QuestionId};
use crate::tui::msg::Reply;

impl Runner {
    /// Rules for this project, from now on.
    pub(super) fn remember(&self, conversation: &mut Conversation, rules: &[String]) -> Vec<Reply> {
        let mut policy = conversation.policy();
        let kept = self.app.remember(&mut policy, rules);
        with_failure(put_in_force(conversation, policy), kept)
    }

    /// One less of them.
    pub(super) fn forget(&self, conversation: &mut Conversation, rule: &str) -> Vec<Reply> {
        let mut policy = conversation.policy();
        let forgotten = self.app.forget(&mut policy, rule);
        let mut replies = put_in_force(conversation, policy);
        replies.push(self.rules(conversation));
        with_failure(replies, forgotten)
    }

    /// What is in force.
    pub(super) fn rules(&self, conversation: &Conversation) -> Reply {
        Reply::Rules(Box::new(self.app.rules(&conversation.policy())))
    }
}

/// Plan mode, and from there the usual one.
pub(super) fn plan_mode(conversation: &mut Conversation) -> Vec<Reply> {
    let policy = conversation.policy();
    let mode = if policy.mode == Mode::Plan { Mode::Default } else { Mode::Plan };
    put_in_force(conversation, Policy { mode, ..policy })
}

/// Answers a question. A yes to a plan brings another mode along.
pub(super) fn answer(conversation: &mut Conversation, id: QuestionId, answer: Answer) -> Vec<Reply> {
    let before = conversation.mode();
    conversation.answer(id, answer);
    let mode = conversation.mode();
    if mode == before { Vec::new() } else { vec![Reply::Mode(mode.name().to_owned())] }
}

fn with_failure(mut replies: Vec<Reply>, done: Result<(), Error>) -> Vec<Reply> {
    replies.extend(done.err().map(|error| Reply::Failed(error.to_string())));
    replies
}

/// Another policy from here on. The questions that it answers are answered.
pub(super) fn put_in_force(conversation: &mut Conversation, policy: Policy) -> Vec<Reply> {
    let mode = policy.mode.name().to_owned();
    let sandbox = known_sandbox(&policy).map(|word| Reply::Sandbox(word.to_owned()));
    let answered = conversation.set_policy(policy).into_iter().map(|QuestionId(id)| id).collect();
    [Reply::Mode(mode), Reply::Answered(answered)].into_iter().chain(sandbox).collect()
}
