//! Room for the next request: old results become previews, and where that is not enough, a summary takes the place of the past.
//!
//! It happens before a request that would leave no room for its answer, when the endpoint has refused one for its length, and
//! when the user wants it. None of it is a turn. Whatever fails on the way changes nothing: an entry is recorded only when
//! it is certain to make the conversation smaller, so an abort or a dead endpoint leaves it as it was. The surprising decision:
//! the summary is asked for behind the conversation itself, tools and all, for then the endpoint has read all but the last
//! lines of it already; only where that does not fit, or leads to nothing, the conversation is sent as a text of its own.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::turns::{Reply, Run};
use crate::chat::{
    ChatError, ChatEvent, ChatObserver, ChatRequest, Completion, Evidence, Remedy, RequestMessage,
};
use crate::context::plan::{self, Masking, Urgency};
use crate::context::size::{self, Parts, Scale, Size, Source};
use crate::context::summary::{self, Facts};
use crate::context::{self, window};
use crate::protocol::{AgentEvent, Draft, EntryBody, LoopError, LoopErrorType, NoticeKind, RunEnd, Waiting};
use crate::text::blank::is_blank;
use crate::text::redact::Hide;
use crate::tools::touched;

/// Tokens that asking for a summary and the summary itself may need beside the conversation.
const FOR_SUMMARY: u64 = 3_000;
/// Conversations shorter than this have nothing to give way (upstream refuses under four messages too).
const SHORTEST: usize = 4;
/// A masking is enough where it leaves so many of a hundred of the room free.
const FREE_PERCENT: u64 = 10;
/// After an attempt that did not help, the next comes when the conversation has grown by this part of the window.
const PAUSE_PART: u64 = 10;
/// A request is near the window where it is shorter by at most this part: an estimate may be wrong.
const NEAR_PART: u64 = 5;
/// Bytes that the user's own words may take behind a summary, as a part of what may be sent.
const WORDS_PART: u64 = 8;

/// What a run knows of its room.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Room {
    /// What every request begins with; weighed once.
    fixed: Option<Parts>,
    scale: Scale,
    /// Below this many tokens no other attempt is made.
    not_before: u64,
}

/// Whether the run can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Aborted,
}

/// What came of an attempt to make the conversation shorter.
enum Attempt {
    Done,
    Aborted,
    /// There is nothing that could give way.
    Nothing,
    /// Nothing has changed, and why.
    Failed(String),
}

/// In which form a summary is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Behind the conversation itself.
    Behind,
    /// With the conversation as a text, which has this part of the room.
    Apart { part: u64 },
}

/// Half of the room: an estimate may be wrong, and the answer needs some.
const APART: Form = Form::Apart { part: 2 };

/// Why there is no summary.
enum Trouble {
    Aborted,
    /// What was asked was too long.
    TooLong(String),
    /// What came is none.
    Useless(String),
    /// It cannot be had.
    Endpoint(String),
}

impl Form {
    /// In which form it is asked for, where a request may have so many tokens.
    fn fitting(size: &Size, window: u64) -> Self {
        if size.tokens + FOR_SUMMARY <= window { Self::Behind } else { APART }
    }

    /// In which form it is asked for after that; none where nothing else would help.
    fn after(self, trouble: &Trouble) -> Option<Self> {
        match (self, trouble) {
            (Self::Behind, Trouble::TooLong(_) | Trouble::Useless(_)) => Some(APART),
            // the window is far smaller than anybody knew
            (APART, Trouble::TooLong(_)) => Some(Self::Apart { part: 8 }),
            (_, Trouble::Aborted | Trouble::Endpoint(_))
            | (Self::Apart { .. }, Trouble::TooLong(_) | Trouble::Useless(_)) => None,
        }
    }
}

/// Which step makes a refused request shorter.
#[derive(Debug, Clone, Copy)]
enum Step {
    Mask,
    Summarise,
}

impl Run<'_> {
    /// Before a request: makes room where there is none. What fails is told, and the run goes on.
    pub(super) async fn make_room(&mut self) -> Flow {
        let size = self.size();
        if size.source == Source::Counted {
            self.emit(AgentEvent::Measured { context: size.tokens }).await;
        }
        let Some(window) = self.agent.parts.window.tokens() else { return Flow::On };
        let room = window::room(window);
        if size.tokens <= room || size.tokens < self.room.not_before {
            return Flow::On;
        }
        let masking = plan::masking(&self.context.history, &size, Urgency::Ahead { room });
        let enough = room - room * FREE_PERCENT / 100;
        if let Some(masking) =
            masking.as_ref().filter(|masking| size.tokens.saturating_sub(masking.frees) <= enough)
        {
            self.mask(masking).await;
            return Flow::On;
        }
        match self.summarise(None, Form::fitting(&size, window), room).await {
            Attempt::Done => {}
            Attempt::Aborted => return Flow::Aborted,
            Attempt::Nothing => self.mask_what_can_be(masking).await,
            Attempt::Failed(why) => {
                self.mask_what_can_be(masking).await;
                let text = format!("the conversation could not be summarised: {why} (the run continues)");
                self.notice(NoticeKind::Info, &text).await;
            }
        }
        let left = self.size().tokens;
        self.room.not_before = if left > room { left + window / PAUSE_PART } else { 0 };
        Flow::On
    }

    /// Asks; a request that is too long is made shorter and sent again: first masked, then summarised.
    pub(super) async fn ask_in_room(&mut self) -> Reply {
        let mut steps = [Step::Mask, Step::Summarise].into_iter();
        let (mut attempt, mut refused) = (0, None);
        loop {
            let error = match (self.ask_until_something_comes().await, refused) {
                (Reply::Failed(error), _) if error.remedy == Remedy::Compact => error,
                (Reply::Answer(answer), Some(tokens)) => {
                    // it was the length, then
                    self.agent.parts.window.refuse(tokens);
                    return Reply::Answer(answer);
                }
                (reply, _) => return reply,
            };
            refused = self.evident_length(&error);
            let mut why = (attempt > 0).then(|| "the shortened conversation was refused as well".to_owned());
            loop {
                let Some(step) = steps.next() else { return Reply::Failed(with_reason(error, why)) };
                match self.shorten(step).await {
                    Attempt::Done => break,
                    Attempt::Aborted => return Reply::Aborted(Draft::default()),
                    Attempt::Nothing => {}
                    Attempt::Failed(reason) => why = Some(reason),
                }
            }
            attempt += 1;
            let (delay, error) = (Duration::ZERO, error.message);
            self.emit(AgentEvent::Retry { attempt, delay, error, discard: true }).await;
        }
    }

    /// Tokens of a request whose refusal says how small the window of the agent's own model is; none where it was another
    /// model's, or where the length is only guessed and not near the known window.
    fn evident_length(&mut self, error: &ChatError) -> Option<u64> {
        let tokens = self.size().tokens;
        let too_long = error.too_long.as_ref().filter(|it| it.model == self.agent.parts.model)?;
        let counts = match too_long.evidence {
            Evidence::Named => true,
            Evidence::Guessed => {
                let near = |window: u64| tokens >= window - window / NEAR_PART;
                self.agent.parts.window.tokens().is_some_and(near)
            }
        };
        counts.then_some(tokens)
    }

    async fn shorten(&mut self, step: Step) -> Attempt {
        match step {
            Step::Mask => {
                let size = self.size();
                let Some(masking) = plan::masking(&self.context.history, &size, Urgency::Refused) else {
                    return Attempt::Nothing;
                };
                self.mask(&masking).await;
                Attempt::Done
            }
            // what was too long once is not sent again as it is
            Step::Summarise => {
                let refused = self.size().tokens;
                let window = self.agent.parts.window.tokens().map_or(refused, |window| window.min(refused));
                let room = window::room(window);
                self.summarise(None, APART, room).await
            }
        }
    }

    /// The user wants it, at rest.
    pub(super) async fn compact(&mut self, wish: Option<&str>) -> RunEnd {
        let size = self.size();
        let window = self.agent.parts.window.tokens().unwrap_or(size.tokens + FOR_SUMMARY);
        let attempt = if self.context.history.len() < SHORTEST {
            Attempt::Nothing
        } else {
            self.summarise(wish, Form::fitting(&size, window), window::room(window)).await
        };
        match attempt {
            Attempt::Done => RunEnd::Done,
            Attempt::Aborted => RunEnd::Aborted,
            Attempt::Nothing => {
                self.notice(NoticeKind::Info, "nothing to compact yet: the conversation is short").await;
                RunEnd::Done
            }
            Attempt::Failed(why) => RunEnd::Failed(LoopError {
                kind: LoopErrorType::LlmError,
                message: format!("could not compact: {why}; nothing was changed"),
            }),
        }
    }

    fn size(&mut self) -> Size {
        let prompt = || Parts::of_prompt(&self.agent.prompt(self.model()));
        let fixed = self.room.fixed.unwrap_or_else(prompt);
        let size = size::measure(&self.context.history, fixed, self.room.scale);
        (self.room.fixed, self.room.scale) = (Some(fixed), size.scale);
        size
    }

    /// Better than nothing.
    async fn mask_what_can_be(&mut self, masking: Option<Masking>) {
        if let Some(masking) = masking {
            self.mask(&masking).await;
        }
    }

    async fn mask(&mut self, masking: &Masking) {
        self.record_body(EntryBody::Masked { messages: masking.messages.clone() }).await;
        tracing::debug!(results = masking.messages.len(), frees = masking.frees, "old results are masked");
    }

    /// Puts a summary in the place of all but the newest; a request may have `room` tokens.
    async fn summarise(&mut self, wish: Option<&str>, form: Form, room: u64) -> Attempt {
        let size = self.size();
        let kept = plan::kept(&self.context.history, &size, room);
        if kept >= self.context.history.len() {
            return Attempt::Nothing;
        }
        self.emit(AgentEvent::Waiting(Waiting::Summary)).await;
        let mut form = form;
        loop {
            let request = self.request(form, kept, wish, room);
            let trouble = match self.written(&request).await {
                Ok(written) => {
                    let text = summary::text(&written, &self.facts(kept, room));
                    let after = self.after(&text, kept, &size);
                    if after < size.tokens {
                        self.record_body(EntryBody::Compaction { summary: text, kept }).await;
                        // what was told of directories below went with what was said
                        self.context.bench.guides().forget();
                        let tokens_before = size.tokens;
                        self.emit(AgentEvent::Compaction { tokens_before, tokens_after: after }).await;
                        return Attempt::Done;
                    }
                    Trouble::Useless("the summary would not be shorter than the conversation".to_owned())
                }
                Err(trouble) => trouble,
            };
            match (form.after(&trouble), trouble) {
                (Some(other), _) => form = other,
                (None, Trouble::Aborted) => return Attempt::Aborted,
                (None, Trouble::TooLong(why) | Trouble::Useless(why) | Trouble::Endpoint(why)) => {
                    return Attempt::Failed(why);
                }
            }
        }
    }

    fn request(&self, form: Form, kept: usize, wish: Option<&str>, room: u64) -> ChatRequest {
        let history = &self.context.history;
        let mut request = context::assemble(history, &self.agent.prompt(self.model()));
        match form {
            Form::Behind => {
                request.messages.push(RequestMessage::Text(summary::ask(history, wish).into()));
            }
            Form::Apart { part } => {
                let bytes = usize::try_from(self.room.scale.weight(room) / part).unwrap_or(usize::MAX);
                let text = summary::ask_apart(history, kept, wish, bytes);
                request.system = summary::APART.into();
                request.messages = vec![RequestMessage::Text(text.into())];
                request.tools = Arc::from([]);
            }
        }
        request
    }

    /// The summary as the model writes it, raced with the token. It is paid for, but no turn.
    async fn written(&mut self, request: &ChatRequest) -> Result<String, Trouble> {
        let quiet = Quiet { run: self };
        let answer = tokio::select! {
            biased;
            () = self.options.token.cancelled() => return Err(Trouble::Aborted),
            answer = self.agent.parts.chat.chat(request, &quiet) => answer,
        };
        let Completion { mut message, cut, form: _ } = match answer {
            Ok(completion) => completion,
            Err(error) if error.remedy == Remedy::Compact => return Err(Trouble::TooLong(error.message)),
            Err(error) => return Err(Trouble::Endpoint(error.message)),
        };
        self.count_spent(&message).await;
        if cut {
            return Err(Trouble::Useless("the summary was cut at the output limit".to_owned()));
        }
        if is_blank(&message.text) {
            return Err(Trouble::Useless("the model wrote no summary".to_owned()));
        }
        self.context.bench.redactor().redact_in(&mut message.text, Hide::Keys);
        Ok(message.text)
    }

    /// What is copied, not retold.
    fn facts(&self, kept: usize, room: u64) -> Facts {
        let (history, bench) = (&self.context.history, &self.context.bench);
        let bytes = usize::try_from(self.room.scale.weight(room / WORDS_PART)).unwrap_or(usize::MAX);
        let files = touched(history, bench.path_base());
        Facts {
            todos: bench.todos().list(),
            changed: files.changed,
            read: files.read,
            ..summary::said(history, kept, bytes)
        }
    }

    /// Tokens of a request with this summary before the newest messages.
    fn after(&self, text: &str, kept: usize, size: &Size) -> u64 {
        let kept = self.context.history.view().rev().take(kept);
        let kept: u64 = kept.map(|(slot, masked)| size::of_slot(slot, masked)).sum();
        size.scale.tokens(size.parts.system + size.parts.tools + size::text(text) + kept)
    }
}

/// The refusal, which says what is left to do, and what was tried.
fn with_reason(error: ChatError, why: Option<String>) -> ChatError {
    match why {
        Some(why) => ChatError { message: format!("{}; {why}", error.message), ..error },
        None => error,
    }
}

/// Watches a summary arrive: its text is for nobody's eyes, what goes wrong is.
struct Quiet<'a, 'b> {
    run: &'a Run<'b>,
}

impl ChatObserver for Quiet<'_, '_> {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        let event = match event {
            ChatEvent::Connecting
            | ChatEvent::Sent
            | ChatEvent::Answering
            | ChatEvent::Thinking(_)
            | ChatEvent::Text(_)
            | ChatEvent::Calling => AgentEvent::Waiting(Waiting::Summary),
            ChatEvent::Retry { attempt, of, delay, error, discard: _ } => {
                AgentEvent::Waiting(Waiting::Retry { attempt, of, delay, error })
            }
            ChatEvent::Notice { kind, text } => AgentEvent::Notice { kind, text },
        };
        self.run.options.sink.emit(event)
    }
}
