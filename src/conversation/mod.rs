//! The driver that every front end shares, and the value that the front end owns.
//!
//! A [`Conversation`] has the history, the queue and the phase. A front end calls it (submit, answer, abort, go on) and waits
//! for [`Conversation::next`]; it never sees a task, a channel or a token. The run works on a snapshot and reports entries, which
//! are applied here by the same reducer; when the run is over its snapshot is gone and this copy is the only one.
//!
//! It draws nothing and decides nothing about a call.

mod asked;
mod back;
mod drive;
mod jobs;
pub mod phase;
mod settings;
mod unsaid;
mod values;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::agent::{Agent, Inbox, Start};
use crate::permission::{Mode, Policy, PolicyCell};
use crate::protocol::history::interrupted;
use crate::protocol::{
    AgentEvent, Carry, Entry, EntryBody, History, LoopResult, Message, Origin, QuestionId, RunEnd,
    UserMessage,
};
use crate::session::SharedLog;
use crate::workbench::Workbench;

pub use crate::agent::Attendance;
pub use phase::Phase;
pub use unsaid::is_unanswered;
use unsaid::{Prompts, Retry};
pub use values::{Again, Ended, Followed, Fresh, GoOn, Happening, JobNews, Parts};

/// One conversation and the run that goes on in it, if any.
pub struct Conversation {
    parts: Parts,
    inbox: Inbox,
    phase: Phase,
    run: Option<drive::Running>,
    jobs: jobs::Watch,
    open: BTreeMap<QuestionId, asked::OpenQuestion>,
    /// What a change at rest has to tell, before anything else.
    untold: VecDeque<AgentEvent>,
    /// Where the run began, continued ones included: nothing before it is taken back.
    run_begins: usize,
    /// Where the last run ended.
    run_ends: Option<usize>,
    retry: Retry,
}

impl Conversation {
    /// A conversation at rest. Calls that an earlier process left open are answered first.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let jobs = jobs::Watch::of(&parts.bench);
        let mut conversation = Self {
            parts,
            jobs,
            inbox: Inbox::default(),
            phase: Phase::Idle,
            run: None,
            open: BTreeMap::new(),
            untold: VecDeque::new(),
            run_begins: 0,
            run_ends: None,
            retry: Retry::default(),
        };
        conversation.retry = Retry::resumed(&conversation.parts.history);
        conversation.close_open_calls();
        conversation.note_other_settings();
        conversation
    }

    /// What was said.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.parts.history
    }

    /// The agent that answers.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.parts.agent
    }

    /// Whether a run goes on.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Whether all that was said is in the session's file.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.parts.log.is_saved()
    }

    /// Says something: starts a run, or waits in the queue for the next request.
    pub fn submit(&mut self, text: String) {
        match self.phase {
            Phase::Idle => {
                self.unsay_nudge();
                self.tell_directories();
                self.start(Start::Prompt(vec![UserMessage::new(Origin::User, text)]));
            }
            Phase::Running | Phase::Aborting | Phase::AtLimit { .. } => {
                self.inbox.push(UserMessage::new(Origin::Queued, text));
            }
        }
    }

    /// Runs a command of the user's own, at rest; otherwise nothing happens.
    pub fn run_own(&mut self, command: String) {
        if self.phase == Phase::Idle {
            self.start(Start::Own(command));
        }
    }

    /// Makes the conversation take less room, at rest; else nothing happens. `wish` says what is to be kept above all.
    pub fn compact(&mut self, wish: Option<String>) {
        if self.phase == Phase::Idle {
            self.start(Start::Compact(wish));
        }
    }

    /// Tells the model something at rest, with the next message; else nothing happens.
    pub fn note(&mut self, text: String) {
        if self.phase == Phase::Idle {
            self.record(EntryBody::Message(Message::User(UserMessage::new(Origin::Note, text))));
        }
    }

    /// Asks once more without saying anything new, after a failure or where a resumed session ends with a message of the user.
    /// Returns whether it does: what the user stopped is not restarted.
    pub fn again(&mut self) -> bool {
        let can = self.can_be_asked_again() == Again::Possible && matches!(self.phase, Phase::Idle);
        if can {
            self.unsay_refusal();
            self.start(Start::Continue(Carry::default()));
        }
        can
    }

    /// Takes the last one back out of the queue.
    pub fn take_back(&mut self) -> Option<String> {
        self.inbox.take_back().map(|message| message.words())
    }

    /// Stops the run: the request is dropped, what runs is ended. Its end comes as [`Happening::Ended`].
    pub fn abort(&mut self) {
        self.stop(None);
    }

    /// Does the same for a cause other than the user's wish, in words such as `interrupted by SIGTERM`.
    pub fn abort_because(&mut self, words: &str) {
        self.stop(Some(words));
    }

    fn stop(&mut self, cause: Option<&str>) {
        if let Some(run) = &self.run {
            run.abort(cause);
            self.phase = Phase::Aborting;
            self.open.clear();
        }
    }

    /// Answers the question at a limit, of turns or of the budget. `Stop` gives back what waited in the queue.
    pub fn go_on(&mut self, decision: GoOn) -> Vec<String> {
        let Phase::AtLimit { carry } = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return Vec::new();
        };
        match decision {
            GoOn::Yes => {
                self.parts.spending.grant(&self.parts.history);
                self.start(Start::Continue(*carry));
                Vec::new()
            }
            GoOn::Stop => {
                self.unsay(Prompts::Kept);
                self.empty_queue()
            }
        }
    }

    /// The permission mode in force.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.parts.policy.snapshot().mode
    }

    /// Puts other rules or another mode in force, also for the calls of a run that goes on. Returns the open questions
    /// that are answered by it.
    pub fn set_policy(&mut self, policy: Policy) -> Vec<QuestionId> {
        self.parts.policy.swap(policy);
        self.note_other_settings();
        self.judge_again()
    }

    /// The rules in force, as they will be at any later moment.
    #[must_use]
    pub fn policy_cell(&self) -> &PolicyCell {
        &self.parts.policy
    }

    /// The rules in force, to be changed and put back with [`Conversation::set_policy`].
    #[must_use]
    pub fn policy(&self) -> Policy {
        (*self.parts.policy.snapshot()).clone()
    }

    /// Another agent (another model) from the next run on.
    pub fn set_agent(&mut self, agent: Arc<Agent>) {
        self.parts.log.name_model(agent.model());
        self.parts.agent = agent;
        self.note_other_settings();
    }

    /// Calls the session so, from now on.
    pub fn rename(&mut self, title: String) {
        self.record(EntryBody::Title(title));
    }

    /// Whatever is said from now on is written to `log`, a file with all that was said so far. At rest; otherwise nothing happens.
    pub fn go_on_in(&mut self, log: SharedLog) {
        if !self.is_at_rest() {
            return;
        }
        self.untold.extend(self.parts.log.sync());
        self.parts.log = log;
    }

    /// Continues with a new or another session, at rest; otherwise nothing happens. Nothing of the old one is lost: it stays in its
    /// file; what it left running ends.
    pub fn renew(&mut self, fresh: Fresh) {
        if !self.is_at_rest() {
            return;
        }
        self.untold.extend(self.parts.log.sync());
        self.inbox = Inbox::default();
        self.parts.history = fresh.history;
        self.parts.agent = fresh.agent;
        self.run_ends = None;
        self.parts.spending.granted = 0;
        self.parts.log = fresh.log;
        self.jobs = jobs::Watch::of(&fresh.bench);
        self.parts.bench = fresh.bench;
        self.retry = Retry::resumed(&self.parts.history);
        self.close_open_calls();
        self.note_other_settings();
    }

    /// Ends what goes on: the run, with its request and its commands, and whatever commands left running.
    pub async fn close(&mut self) {
        if self.run.is_some() {
            self.abort_because("interrupted by the end of the program");
            while self.run.is_some() {
                if let Happening::Ended(_) = self.next().await {
                    break;
                }
            }
        }
        self.run = None;
        // Nobody listens any more; a line that still waits has had its last chance.
        drop(self.parts.log.sync());
        self.parts.bench.end_all().await;
    }

    /// What lives as long as the session.
    #[must_use]
    pub fn bench(&self) -> &Arc<Workbench> {
        &self.parts.bench
    }

    /// Waits for what happens next; for ever where nothing goes on. Safe to drop at any await.
    pub async fn next(&mut self) -> Happening {
        loop {
            if let Some(event) = self.untold.pop_front() {
                return Happening::Event(event);
            }
            let upward = tokio::select! {
                biased;
                news = self.jobs.next() => return Happening::Jobs(news),
                upward = drive::next(&mut self.run) => upward,
            };
            match upward {
                drive::Upward::Event(event) => {
                    if let AgentEvent::Recorded(entry) = &*event {
                        self.parts.history.apply(entry);
                    }
                    return Happening::Event(*event);
                }
                drive::Upward::Ask(question, reply) => {
                    let id = question.id;
                    self.open.insert(id, asked::OpenQuestion { question: question.clone(), reply });
                    // The rules may have changed since it was judged.
                    if !self.judge_again().contains(&id) {
                        return Happening::Asked(question);
                    }
                }
                drive::Upward::Ended(result) => return Happening::Ended(Box::new(self.finish(*result))),
            }
        }
    }

    fn start(&mut self, start: Start) {
        self.note_mode();
        let now = self.parts.history.positions();
        let goes_on = matches!(start, Start::Continue(_)) && self.run_ends == Some(now);
        if !goes_on {
            self.run_begins = now;
        }
        self.retry.begin(&start);
        self.run = Some(drive::Running::start(&self.parts, self.inbox.clone(), start));
        self.phase = Phase::Running;
    }

    fn finish(&mut self, mut result: LoopResult) -> Ended {
        self.run = None;
        self.open.clear();
        let before = std::mem::replace(&mut self.phase, Phase::Idle);
        if before == Phase::Aborting && is_going_on(&result.end) {
            // It ended in the moment in which it was told to stop: nothing may follow.
            result.end = RunEnd::Aborted;
        }
        self.retry.end(&result.end, &before);
        self.close_open_calls();
        self.run_ends = Some(self.parts.history.positions());
        self.parts.log.relieve(&mut self.parts.history);
        let mut given_back = Vec::new();
        let mut followed = Followed::ByNothing;
        match &result.end {
            RunEnd::Done => {
                let queued = self.inbox.drain();
                if !queued.is_empty() {
                    self.start(Start::Prompt(queued));
                    followed = Followed::ByQueue;
                }
            }
            RunEnd::TurnLimit { .. } | RunEnd::Looping { .. } | RunEnd::OverBudget { .. }
                if self.parts.attendance == Attendance::Attended =>
            {
                self.phase = Phase::AtLimit { carry: Box::new(result.carry.clone()) };
            }
            RunEnd::Aborted => {
                given_back = self.unsay(Prompts::after_abort(self.parts.attendance));
                given_back.extend(self.empty_queue());
            }
            RunEnd::TurnLimit { .. }
            | RunEnd::Looping { .. }
            | RunEnd::OverBudget { .. }
            | RunEnd::Refused
            | RunEnd::Failed(_) => {
                given_back = self.empty_queue();
            }
        }
        let again = self.can_be_asked_again();
        Ended { result, given_back, followed, again }
    }

    /// Whatever ended a run or a process: each call gets its answer before anything else is said.
    fn close_open_calls(&mut self) {
        let answers: Vec<Message> = self.parts.history.open_calls().iter().map(interrupted).collect();
        for answer in answers {
            self.record(EntryBody::Message(answer));
        }
    }

    fn record(&mut self, body: EntryBody) {
        let entry = Entry { timestamp: self.parts.clock.now_ms(), body };
        self.untold.extend(self.parts.log.append(&entry));
        self.parts.history.apply(&entry);
    }
}

/// Whether something would follow this end.
fn is_going_on(end: &RunEnd) -> bool {
    match end {
        RunEnd::Done | RunEnd::TurnLimit { .. } | RunEnd::Looping { .. } | RunEnd::OverBudget { .. } => true,
        RunEnd::Aborted | RunEnd::Refused | RunEnd::Failed(_) => false,
    }
}
