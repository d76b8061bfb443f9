//! What is in force and not said by anybody: the model, the mode, the directories of the workspace. The file hears of each
//! change, so that a resume knows.
//!
//! The surprise: directories are told to the model in a message of their own and not in the system prompt, which is the same
//! bytes as long as the session lives.

use super::{Conversation, OpenQuestion};
use crate::permission::{Mode, Verdict};
use crate::protocol::{
    Answer, Asked, Begin, Entry, EntryBody, History, Message, Origin, QuestionId, SessionHead, Topic,
    UserMessage,
};
use crate::session::entry::VERSION;

/// What the model is told of directories that the user has added.
const ADDED: &str = "The user has added to the workspace what is listed here: you may read and edit what is in these \
                     directories, as in the working directory. Relative paths still start in the working directory.";

impl Conversation {
    /// Another model or mode than the file says is in force from here on.
    pub(super) fn note_other_settings(&mut self) {
        let (history, model) = (&self.parts.history, self.parts.agent.model());
        if history.is_empty() {
            return;
        }
        let other_model = (history.model() != Some(model)).then(|| model.clone());
        let other_mode = self.other_mode();
        if other_model.is_some() || other_mode.is_some() {
            self.record(EntryBody::Settings {
                model: other_model,
                permission_mode: other_mode,
                directories: None,
            });
        }
    }

    /// What was said, with the head of its session, which a conversation that began here has in its file alone.
    #[must_use]
    pub fn with_head(&self) -> History {
        let mut history = self.parts.history.clone();
        let id = if history.head().is_none() { self.parts.log.id() } else { None };
        if let Some(id) = id {
            let timestamp = history.all().next().map_or(0, |first| first.timestamp);
            let head = SessionHead {
                version: VERSION,
                id,
                cwd: self.bench().root().to_string_lossy().into_owned(),
                model: self.parts.agent.model().clone(),
                clawd_version: env!("CARGO_PKG_VERSION").to_owned(),
                parent: None,
            };
            history.apply(&Entry { timestamp, body: EntryBody::Session(head) });
        }
        history
    }

    /// Before a run: the mode that it begins in, where the file does not know it yet. As long as nothing is said it keeps none.
    pub(super) fn note_mode(&mut self) {
        if let Some(mode) = self.other_mode() {
            let (model, directories) = (None, None);
            self.record(EntryBody::Settings { model, permission_mode: Some(mode), directories });
        }
    }

    /// The mode in force by its name, where the file says another.
    fn other_mode(&self) -> Option<String> {
        let (was, mode) = (self.parts.history.permission_mode(), self.mode().name());
        (was.unwrap_or(Mode::default().name()) != mode).then(|| mode.to_owned())
    }

    /// Before anything else is said: which directories belong to the workspace now. The file keeps it, and the model hears of
    /// those that are new.
    pub(super) fn tell_directories(&mut self) {
        let Some(directories) = self.other_directories() else { return };
        let known = self.parts.history.directories();
        let new: Vec<String> = directories.iter().filter(|path| !known.contains(path)).cloned().collect();
        let (model, permission_mode) = (None, None);
        self.record(EntryBody::Settings { model, permission_mode, directories: Some(directories) });
        if !new.is_empty() {
            let text = format!("{ADDED}\n- {}", new.join("\n- "));
            self.record(EntryBody::Message(Message::User(UserMessage::new(Origin::Note, text))));
        }
    }

    /// What may be read and edited beside the working directory, where the file says otherwise. A name that is no text
    /// cannot be kept.
    fn other_directories(&self) -> Option<Vec<String>> {
        let policy = self.parts.policy.snapshot();
        let added = policy.scope.workspace.iter().skip(1);
        let added: Vec<String> = added.filter_map(|path| Some(path.to_str()?.to_owned())).collect();
        (added != self.parts.history.directories()).then_some(added)
    }
}

impl Conversation {
    /// Answers the open questions that the rules answer now.
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

/// The mode in which the work begins, if this approves a plan that still waits for it.
pub(super) fn begins_in(open: &OpenQuestion, answer: &Answer) -> Option<Mode> {
    match &open.question.asked {
        Asked::Choice(choice) if choice.topic == Topic::Plan && !open.reply.is_closed() => {
            Begin::of(answer)?.mode.parse().ok()
        }
        Asked::Choice(_) | Asked::Approval(_) => None,
    }
}
