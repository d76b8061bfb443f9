//! A model that reads from a script: the demo, and whatever must be tested without an endpoint.
//!
//! It is no mock of HTTP (that is `tests/it`'s own server): it stands in for everything below [`ChatService`]. Its
//! answers come in small deltas as a model's do, with pauses if wanted; paused test time passes them at once. The
//! surprising decision: it keeps the requests that it got, so that a test can ask what the model was told.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Map;

use super::{ChatError, ChatEvent, ChatObserver, ChatRequest, ChatService, Completion, Remedy};
use crate::protocol::{AssistantMessage, CallForm, CallId, ModelId, Reasoning, StopReason, ToolCall, Usage};

/// Plays answers in turn.
#[derive(Debug)]
pub struct Scripted {
    script: Mutex<Script>,
    pace: Duration,
}

#[derive(Debug)]
struct Script {
    answers: VecDeque<Answer>,
    requests: Vec<ChatRequest>,
    calls: usize,
}

/// One answer of a script.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    steps: Vec<Step>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
}

#[derive(Debug, Clone)]
enum Step {
    Think(String),
    Say(String),
    Call { id: Option<CallId>, name: String, arguments: String },
    Tell(ChatEvent),
    Pause(Duration),
    Fail(ChatError),
    Hang,
}

impl Scripted {
    /// Plays `answers`, one a request; a request beyond the last one fails.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = answers.into_iter().collect();
        Self { script: Mutex::new(Script { answers, requests: Vec::new(), calls: 0 }), pace: Duration::ZERO }
    }

    /// The same, with a pause after each delta.
    #[must_use]
    pub fn paced(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Adds an answer at the end.
    pub fn push(&self, answer: Answer) {
        self.script().answers.push_back(answer);
    }

    /// The requests so far, oldest first.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.script().requests.clone()
    }

    /// How many answers have not been asked for.
    pub fn left(&self) -> usize {
        self.script().answers.len()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, request: &ChatRequest) -> Option<Answer> {
        let mut script = self.script();
        script.requests.push(request.clone());
        script.answers.pop_front()
    }

    fn name_call(&self) -> CallId {
        let mut script = self.script();
        script.calls += 1;
        CallId::from(format!("call_{}", script.calls))
    }

    async fn play(
        &self,
        answer: Answer,
        model: &ModelId,
        observer: &dyn ChatObserver,
    ) -> Result<Completion, ChatError> {
        let mut message = blank(model, answer.usage);
        for event in [ChatEvent::Connecting, ChatEvent::Sent, ChatEvent::Answering] {
            observer.on(event).await;
        }
        for step in answer.steps {
            match step {
                Step::Think(text) => {
                    self.tell(&text, ChatEvent::Thinking, observer).await;
                    let field = "reasoning_content".to_owned();
                    let thoughts = message.reasoning.get_or_insert(Reasoning { field, text: String::new() });
                    thoughts.text.push_str(&text);
                }
                Step::Say(text) => {
                    self.tell(&text, ChatEvent::Text, observer).await;
                    message.text.push_str(&text);
                }
                Step::Call { id, name, arguments } => {
                    let id = id.unwrap_or_else(|| self.name_call());
                    message.tool_calls.push(ToolCall::new(id, name, arguments));
                }
                Step::Tell(event) => observer.on(event).await,
                Step::Pause(time) => tokio::time::sleep(time).await,
                Step::Fail(error) => return Err(error),
                Step::Hang => std::future::pending().await,
            }
        }
        message.stop_reason = answer.stop.unwrap_or_else(|| natural_stop(&message));
        let cut = message.stop_reason == StopReason::MaxTokens;
        Ok(Completion { message, cut, form: CallForm::Native })
    }

    async fn tell(&self, text: &str, event: fn(String) -> ChatEvent, observer: &dyn ChatObserver) {
        for delta in text.split_inclusive(' ') {
            observer.on(event(delta.to_owned())).await;
            if !self.pace.is_zero() {
                tokio::time::sleep(self.pace).await;
            }
        }
    }
}

impl ChatService for Scripted {
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        observer: &'a dyn ChatObserver,
    ) -> BoxFuture<'a, Result<Completion, ChatError>> {
        Box::pin(async move {
            let Some(answer) = self.next(request) else {
                return Err(ChatError::new(Remedy::GiveUp, "the script has no further answer"));
            };
            self.play(answer, &request.model, observer).await
        })
    }
}

impl Answer {
    /// An answer that says nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An answer of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().say(text)
    }

    /// A request that fails at once.
    #[must_use]
    pub fn failure(error: ChatError) -> Self {
        Self::new().fail(error)
    }

    /// Then thinks.
    #[must_use]
    pub fn think(self, text: impl Into<String>) -> Self {
        self.step(Step::Think(text.into()))
    }

    /// Then says, a word a delta.
    #[must_use]
    pub fn say(self, text: impl Into<String>) -> Self {
        self.step(Step::Say(text.into()))
    }

    /// Then calls a tool, under an id made up here; `arguments` go out as they are.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.step(Step::Call { id: None, name: name.into(), arguments: arguments.into() })
    }

    /// Then calls a tool under this id.
    #[must_use]
    pub fn call_as(self, id: &str, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.step(Step::Call { id: Some(id.into()), name: name.into(), arguments: arguments.into() })
    }

    /// Then reports an event of its own (a retry, a notice).
    #[must_use]
    pub fn tell(self, event: ChatEvent) -> Self {
        self.step(Step::Tell(event))
    }

    /// Then waits.
    #[must_use]
    pub fn pause(self, time: Duration) -> Self {
        self.step(Step::Pause(time))
    }

    /// Then breaks.
    #[must_use]
    pub fn fail(self, error: ChatError) -> Self {
        self.step(Step::Fail(error))
    }

    /// Then says nothing for ever: until it is dropped.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// With these counts.
    #[must_use]
    pub fn usage(self, usage: Usage) -> Self {
        Self { usage: Some(usage), ..self }
    }

    /// Ending so, instead of by what it says.
    #[must_use]
    pub fn stop(self, stop: StopReason) -> Self {
        Self { stop: Some(stop), ..self }
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

fn blank(model: &ModelId, usage: Option<Usage>) -> AssistantMessage {
    AssistantMessage {
        text: String::new(),
        tool_calls: Vec::new(),
        reasoning: None,
        extra: Map::new(),
        model: model.clone(),
        usage,
        stop_reason: StopReason::EndTurn,
    }
}

fn natural_stop(message: &AssistantMessage) -> StopReason {
    if message.tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Heard, request};
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_answer_comes_in_words_and_is_given_whole() {
        let answer = Answer::new().think("hm").say("one two").call("Read", "{}").call("Read", "{}");
        let service = Scripted::new([answer]).paced(Duration::from_secs(1));
        let heard = Heard::default();
        let completion = service.chat(&request(), &heard).await.unwrap();
        let ids: Vec<&str> = completion.message.tool_calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["call_1", "call_2"]);
        assert_eq!(completion.message.text, "one two");
        assert_eq!(completion.message.stop_reason, StopReason::ToolUse);
        let heard = heard.events();
        assert_eq!(
            heard.get(3..),
            Some(
                &[
                    ChatEvent::Thinking("hm".into()),
                    ChatEvent::Text("one ".into()),
                    ChatEvent::Text("two".into()),
                ][..]
            )
        );
    }

    #[tokio::test]
    async fn a_request_beyond_the_script_fails_and_is_recorded() {
        let service = Scripted::new([Answer::text("hi")]);
        let heard = Heard::default();
        assert!(service.chat(&request(), &heard).await.is_ok());
        let error = service.chat(&request(), &heard).await.unwrap_err();
        assert_eq!(error.remedy, Remedy::GiveUp);
        assert_eq!(service.requests().len(), 2);
    }
}
