//! The loop: ask, record, run what was called, ask again.
//!
//! Every await that can last is raced with the token; what must survive an abort (the text that has arrived, the answers of
//! open calls) stands outside the dropped future. History changes in one place, [`Run::record`]. The presence of calls decides
//! whether it goes on, never the finish reason: many servers say `stop` and call tools.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::compact::{Flow, Room};
use super::guide;
use super::hush::{self, HushedApprover, HushedSink};
use super::loops::{self, Repetition};
use super::watcher::Watcher;
use super::{
    Agent, Attendance, ChatContext, LoopOptions, Nudging, Start, asked, batch, intent, mention, own, reminder,
};
use crate::chat::{ChatError, Completion, Remedy};
use crate::context;
use crate::protocol::{
    AgentEvent, CallForm, Carry, Draft, Entry, EntryBody, LoopError, LoopErrorType, LoopResult, Message,
    ModelId, NoticeKind, Origin, RunEnd, StopReason, ToolStatus, UserMessage, Waiting,
};
use crate::text::blank::is_blank;

/// Nudges in a row, without a tool call between them, at most (the outside contract).
const MAX_NUDGES: u32 = 2;
/// How often an empty answer is asked for again (the outside contract).
const EMPTY_RETRIES: u32 = 2;
/// Turns in a row with a failed tool before the model is told to stop retrying (the source design's D9).
const FAILURE_STREAK: u32 = 3;

const FAILURE_NOTE: &str = "Note: tool calls have failed in three consecutive turns. Do not repeat them. Try a different approach, or \
tell the user what is blocking you.";

const NUDGED: &str = "the model announced an action without doing it; asked it to";
const ANNOUNCED: &str = "the model announced an action without doing it";

const WRITTEN_AS_TEXT: &str = "the model wrote its calls as text; they are run as calls, and each requires approval unless everything is allowed (text_calls = \"off\" ignores them)";

/// One run: the loop's own copy of the conversation and what it counts.
pub(super) struct Run<'a> {
    pub(super) agent: &'a Agent,
    pub(super) context: ChatContext,
    pub(super) options: LoopOptions,
    pub(super) questions: super::host::Questions,
    pub(super) carry: Carry,
    text_calls: TextCalls,
    pub(super) budget_used: u32,
    pub(super) room: Room,
    began: Instant,
    final_message: String,
}

/// What came back from the endpoint.
pub(super) enum Reply {
    Answer(Box<Completion>),
    Aborted(Draft),
    Failed(ChatError),
    /// A budget was reached before anything came.
    OverBudget {
        used: String,
    },
}

/// Whether calls were written as text, and the user knows.
#[derive(PartialEq, Eq)]
enum TextCalls {
    Unseen,
    Told,
}

/// Whether the loop goes round once more.
enum Next {
    Again,
    End(RunEnd),
}

impl<'a> Run<'a> {
    pub(super) fn new(agent: &'a Agent, context: ChatContext, mut options: LoopOptions) -> Self {
        let redactor = context.bench.redactor();
        options.sink = HushedSink::around(options.sink, redactor);
        options.approver = HushedApprover::around(options.approver, redactor);
        Self {
            agent,
            context,
            options,
            questions: super::host::Questions::default(),
            carry: Carry::default(),
            text_calls: TextCalls::Unseen,
            budget_used: 0,
            room: Room::default(),
            began: Instant::now(),
            final_message: String::new(),
        }
    }

    /// Runs to the end, whatever it is.
    pub(super) async fn execute_loop(mut self, start: Start) -> LoopResult {
        let end = match start {
            Start::Own(command) => own::run(&mut self, &command).await,
            Start::Compact(wish) => self.compact(wish.as_deref()).await,
            Start::Prompt(_) | Start::Continue(_) => self.answer(start).await,
        };
        self.carry.metadata.duration += self.began.elapsed();
        tracing::debug!(?end, turns = self.carry.metadata.turns_count, "the run is over");
        LoopResult {
            end: hush::end(self.context.bench.redactor(), end),
            final_message: self.final_message,
            metadata: self.carry.metadata.clone(),
            carry: self.carry,
        }
    }

    /// Answers what was said, turn by turn. What cannot be answered is not recorded: it goes into the queue, which is given back.
    async fn answer(&mut self, start: Start) -> RunEnd {
        if self.options.budget.turns() == 0 {
            if let Start::Prompt(messages) = start {
                for message in messages {
                    self.context.inbox.push(message);
                }
            }
            return RunEnd::Failed(LoopError {
                kind: LoopErrorType::ChatDisabled,
                message: "chat is disabled: max_turns is 0 (try --max-turns -1)".to_owned(),
            });
        }
        self.begin(start).await;
        self.turns().await
    }

    async fn begin(&mut self, start: Start) {
        match start {
            Start::Prompt(messages) => self.record_all(messages).await,
            Start::Own(_) | Start::Compact(_) => {}
            Start::Continue(carry) => {
                self.carry = carry;
                loops::forgive(&mut self.carry);
            }
        }
    }

    async fn turns(&mut self) -> RunEnd {
        loop {
            if self.options.token.is_cancelled() {
                return RunEnd::Aborted;
            }
            let queued = self.context.inbox.drain();
            self.record_all(queued).await;
            guide::tell(self).await;
            if let Some(used) = self.options.spending.reached(&self.context.history) {
                return RunEnd::OverBudget { used };
            }
            if self.make_room().await == Flow::Aborted {
                return RunEnd::Aborted;
            }
            match self.turn().await {
                Next::Again if self.budget_used >= self.options.budget.turns() => {
                    return RunEnd::TurnLimit { turns: self.carry.metadata.turns_count };
                }
                Next::Again => {}
                Next::End(end) => return end,
            }
        }
    }

    /// One request that gets an answer, and what it asks for.
    async fn turn(&mut self) -> Next {
        self.emit(AgentEvent::TurnStart {
            turn: self.carry.metadata.turns_count + 1,
            max_turns: self.options.budget.turns(),
        })
        .await;
        let mut completion = match self.ask_in_room().await {
            Reply::Answer(completion) => self.agent.parts.hooks.after_llm_call(*completion),
            Reply::Aborted(draft) => {
                if let Some(mut message) = draft.into_aborted(self.model()) {
                    hush::answer(self.context.bench.redactor(), &mut message);
                    self.final_message.clone_from(&message.text);
                    self.record(Message::Assistant(message)).await;
                }
                return Next::End(RunEnd::Aborted);
            }
            Reply::Failed(error) => return Next::End(failed(&error)),
            Reply::OverBudget { used } => return Next::End(RunEnd::OverBudget { used }),
        };
        hush::answer(self.context.bench.redactor(), &mut completion.message);
        self.count(&completion.message).await;
        tracing::debug!(
            turn = self.carry.metadata.turns_count,
            stop = ?completion.message.stop_reason,
            calls = completion.message.tool_calls.len(),
            "answer"
        );
        self.final_message.clone_from(&completion.message.text);
        if completion.message.tool_calls.is_empty() {
            self.decide_without_calls(completion).await
        } else {
            self.run_calls(completion).await
        }
    }

    /// Asks; an answer in which nothing stands is asked for again.
    pub(super) async fn ask_until_something_comes(&mut self) -> Reply {
        for attempt in 1..=EMPTY_RETRIES + 1 {
            let reply = self.ask().await;
            let Reply::Answer(completion) = reply else { return reply };
            let refused = completion.message.stop_reason == StopReason::Refusal;
            if refused || !is_blank(&completion.message.text) || !completion.message.tool_calls.is_empty() {
                return Reply::Answer(completion);
            }
            self.count_spent(&completion.message).await;
            if attempt <= EMPTY_RETRIES {
                if let Some(used) = self.options.spending.reached(&self.context.history) {
                    return Reply::OverBudget { used };
                }
                self.emit(AgentEvent::Retry {
                    attempt,
                    delay: Duration::ZERO,
                    error: "the model's answer was empty".to_owned(),
                    discard: true,
                })
                .await;
            }
        }
        Reply::Failed(ChatError::new(
            Remedy::GiveUp,
            "the model gave an empty answer three times (try again, or another model)",
        ))
    }

    /// One request, raced with the token. What has arrived stands outside the request's future.
    async fn ask(&self) -> Reply {
        let draft = Mutex::new(Draft::default());
        let mut request = context::assemble(&self.context.history, &self.agent.prompt(self.model()));
        request = self.agent.parts.hooks.before_llm_call(request);
        let watcher = Watcher { sink: &self.options.sink, draft: &draft };
        let answer = tokio::select! {
            biased;
            () = self.options.token.cancelled() => None,
            answer = self.agent.parts.chat.chat(&request, &watcher) => Some(answer),
        };
        match answer {
            None => Reply::Aborted(draft.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Some(Ok(completion)) => Reply::Answer(Box::new(completion)),
            Some(Err(error)) => Reply::Failed(error),
        }
    }

    /// No calls: the answer ends the run, but for a refusal, and for a nudge.
    async fn decide_without_calls(&mut self, completion: Completion) -> Next {
        let message = completion.message;
        let (text, stop) = (message.text.clone(), message.stop_reason);
        if stop == StopReason::Refusal {
            if !message.is_empty() {
                self.record(Message::Assistant(message)).await;
            }
            return Next::End(RunEnd::Failed(LoopError {
                kind: LoopErrorType::LlmError,
                message: "the model refused to answer (rephrase the request, or try another model)"
                    .to_owned(),
            }));
        }
        self.record(Message::Assistant(message)).await;
        if stop == StopReason::MaxTokens {
            self.notice(NoticeKind::CutOff, "the answer was cut at the output limit").await;
            return Next::End(RunEnd::Done);
        }
        if self.wants_nudge(&text) {
            self.nudge().await;
            return Next::Again;
        }
        Next::End(RunEnd::Done)
    }

    /// Runs all calls of an answer and decides what follows.
    async fn run_calls(&mut self, completion: Completion) -> Next {
        if completion.form == CallForm::Text {
            self.tell_of_text_calls().await;
        }
        let calls = asked::tidy(completion, &self.context.history);
        self.carry.nudges = 0;
        self.carry.metadata.tool_calls_count += u32::try_from(calls.asked.len()).unwrap_or(u32::MAX);
        self.record(Message::Assistant(calls.message)).await;
        self.emit(AgentEvent::Waiting(Waiting::Tools)).await;
        let outcome = batch::run(self, calls.asked).await;
        if self.options.token.is_cancelled() {
            return Next::End(RunEnd::Aborted);
        }
        if outcome.refused {
            return Next::End(RunEnd::Refused);
        }
        self.carry.refused |= outcome.answers.iter().any(|answered| answered.status == ToolStatus::Denied);
        match loops::note(&mut self.carry, &outcome.answers) {
            Repetition::Stop if self.options.attendance == Attendance::Attended => {
                return Next::End(RunEnd::Looping { turns: self.carry.metadata.turns_count });
            }
            Repetition::Hint => {
                self.notice(
                    NoticeKind::LoopDetected,
                    "the same call gave the same result five times in a row",
                )
                .await;
                self.record_all(vec![UserMessage::new(Origin::Note, loops::HINT)]).await;
            }
            Repetition::Stop | Repetition::None => {}
        }
        // a refused call did not fail: it never ran
        self.note_failures(outcome.answers.iter().any(|answered| answered.status == ToolStatus::Failed))
            .await;
        Next::Again
    }

    /// Once a run: a model that does so does it in each answer.
    async fn tell_of_text_calls(&mut self) {
        if std::mem::replace(&mut self.text_calls, TextCalls::Told) == TextCalls::Unseen {
            self.notice(NoticeKind::TextCalls, WRITTEN_AS_TEXT).await;
        }
    }

    async fn note_failures(&mut self, failed: bool) {
        self.carry.failure_streak = if failed { self.carry.failure_streak + 1 } else { 0 };
        if self.carry.failure_streak == FAILURE_STREAK {
            self.record_all(vec![UserMessage::new(Origin::Note, FAILURE_NOTE)]).await;
        }
    }

    fn wants_nudge(&self, text: &str) -> bool {
        self.agent.parts.nudging == Nudging::On
            && self.carry.nudges < MAX_NUDGES
            && !self.carry.refused
            && self.agent.parts.tools.names().next().is_some()
            && !self.context.is_planning()
            && self.context.inbox.is_empty()
            && intent::detect_incomplete_intent(text)
    }

    async fn nudge(&mut self) {
        self.carry.nudges += 1;
        let text = intent::nudge_for(&self.last_user_text());
        // at the limit it goes out only if the user lets the run continue
        let is_sent = self.budget_used < self.options.budget.turns();
        self.notice(NoticeKind::Nudge, if is_sent { NUDGED } else { ANNOUNCED }).await;
        self.record_all(vec![UserMessage::new(Origin::Nudge, text)]).await;
    }

    fn last_user_text(&self) -> String {
        let spoken = self.context.history.messages().rev().find_map(|message| match message {
            Message::User(user) if matches!(user.origin, Origin::User | Origin::Queued) => Some(user),
            Message::User(_) | Message::Assistant(_) | Message::Tool(_) => None,
        });
        spoken.map(UserMessage::words).unwrap_or_default()
    }

    pub(super) fn model(&self) -> ModelId {
        self.carry.model.clone().unwrap_or_else(|| self.agent.parts.model.clone())
    }

    pub(super) async fn record_all(&mut self, messages: Vec<UserMessage>) {
        for message in messages {
            let (message, left_out) = mention::attach(self, message).await;
            reminder::tell(self, message.origin).await;
            self.record(Message::User(message)).await;
            for text in left_out {
                self.notice(NoticeKind::NotAttached, &text).await;
            }
        }
    }

    pub(super) async fn record(&mut self, mut message: Message) {
        hush::message(self.context.bench.redactor(), &mut message);
        if let Message::User(user) = &message
            && matches!(user.origin, Origin::User | Origin::Queued | Origin::Command)
        {
            self.context.bench.snapshots().begin_message();
        }
        self.record_body(EntryBody::Message(message)).await;
    }

    /// The one place where a run changes the history: kept first, then shown, then counted here.
    pub(super) async fn record_body(&mut self, body: EntryBody) {
        let entry = Entry { timestamp: self.agent.parts.clock.now_ms(), body };
        self.emit(AgentEvent::Recorded(entry.clone())).await;
        self.context.history.apply(&entry);
    }

    pub(super) async fn emit(&self, event: AgentEvent) {
        self.options.sink.emit(event).await;
    }

    pub(super) async fn notice(&self, kind: NoticeKind, text: &str) {
        self.emit(AgentEvent::Notice { kind, text: text.to_owned() }).await;
    }
}

fn failed(error: &ChatError) -> RunEnd {
    RunEnd::Failed(LoopError { kind: LoopErrorType::LlmError, message: error.message.clone() })
}
