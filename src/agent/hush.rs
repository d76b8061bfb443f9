//! Nothing that a run says holds a secret: a decorator around the way up and around whoever answers questions, and the same
//! for messages and results before they are kept.
//!
//! Keys of the program are taken out of everything, whoever said it: the user, the model, a tool, the endpoint. The values
//! of secret variables are taken out of what tools found; what the user or the model says is theirs. The surprise: an
//! answer of the model is cleaned before its calls run, so that what runs is what is kept and shown, and a key that the
//! endpoint repeats reaches no command.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::seams::{Approver, Sink};
use crate::protocol::{
    AgentEvent, Answer, Asked, AssistantMessage, Content, Display, FileChange, Message, Part, Preview,
    Question, RunEnd, Waiting,
};
use crate::text::redact::{Hide, Redactor, Stream};
use crate::text::sanitize::sanitize_line;
use crate::tools::ToolResult;

/// The way up without secrets.
pub(super) struct HushedSink {
    redactor: Arc<Redactor>,
    streams: Mutex<Streams>,
    next: Arc<dyn Sink>,
}

/// What has come of an answer so far, each as it came.
#[derive(Default)]
struct Streams {
    text: Stream,
    thoughts: Stream,
}

/// Whoever answers, without secrets in the question.
pub(super) struct HushedApprover {
    redactor: Arc<Redactor>,
    next: Arc<dyn Approver>,
}

impl HushedSink {
    pub(super) fn around(next: Arc<dyn Sink>, redactor: &Arc<Redactor>) -> Arc<dyn Sink> {
        if redactor.is_empty() {
            return next;
        }
        Arc::new(Self { redactor: Arc::clone(redactor), streams: Mutex::default(), next })
    }

    fn hush(&self, event: &mut AgentEvent) {
        let redactor = &self.redactor;
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            AgentEvent::TurnStart { .. } => *streams = Streams::default(),
            AgentEvent::TextDelta(text) => *text = streams.text.next(redactor, std::mem::take(text)),
            AgentEvent::ThinkingDelta(text) => *text = streams.thoughts.next(redactor, std::mem::take(text)),
            AgentEvent::ToolProgress { tail, .. } => {
                tail.lines.iter_mut().for_each(|line| printed(redactor, line));
            }
            AgentEvent::ToolResult { content: kept, display: shown, .. } => {
                content(redactor, Hide::Keys, kept);
                display(redactor, Hide::Keys, shown);
            }
            AgentEvent::ToolStart { input, .. } => value(redactor, input),
            AgentEvent::Retry { error: text, .. }
            | AgentEvent::Waiting(Waiting::Retry { error: text, .. })
            | AgentEvent::PermissionDenied { reason: text, .. }
            | AgentEvent::Notice { text, .. } => redactor.redact_in(text, Hide::Keys),
            // a message was cleaned before it was recorded: what is kept is what is sent
            AgentEvent::Recorded(_)
            | AgentEvent::Waiting(_)
            | AgentEvent::Measured { .. }
            | AgentEvent::Compaction { .. } => {}
        }
    }
}

impl Sink for HushedSink {
    fn emit(&self, mut event: AgentEvent) -> BoxFuture<'_, ()> {
        self.hush(&mut event);
        self.next.emit(event)
    }
}

impl HushedApprover {
    pub(super) fn around(next: Arc<dyn Approver>, redactor: &Arc<Redactor>) -> Arc<dyn Approver> {
        if redactor.is_empty() {
            return next;
        }
        Arc::new(Self { redactor: Arc::clone(redactor), next })
    }
}

impl Approver for HushedApprover {
    fn approve(&self, mut question: Question) -> BoxFuture<'_, Answer> {
        match &mut question.asked {
            Asked::Approval(approval) => preview(&self.redactor, &mut approval.preview),
            Asked::Choice(choice) => {
                self.redactor.redact_in(&mut choice.question, Hide::Keys);
                choice.options.iter_mut().for_each(|option| self.redactor.redact_in(option, Hide::Keys));
            }
        }
        self.next.approve(question)
    }
}

/// What a person is shown of a file is what a tool found there.
fn preview(redactor: &Redactor, preview: &mut Preview) {
    match preview {
        Preview::Changes(changes) => changes.iter_mut().for_each(|file| change(redactor, Hide::All, file)),
        Preview::Command(exec) => redactor.redact_in(&mut exec.command, Hide::Keys),
        Preview::Text(text) => redactor.redact_in(text, Hide::All),
    }
}

/// A message without keys, before it is kept.
pub(super) fn message(redactor: &Redactor, message: &mut Message) {
    match message {
        Message::User(user) => content(redactor, Hide::Keys, &mut user.content),
        Message::Assistant(answer) => self::answer(redactor, answer),
        Message::Tool(result) => content(redactor, Hide::Keys, &mut result.content),
    }
}

/// An answer without keys, before its calls run. What the provider wants back unchanged stays.
pub(super) fn answer(redactor: &Redactor, answer: &mut AssistantMessage) {
    redactor.redact_in(&mut answer.text, Hide::Keys);
    if let Some(reasoning) = &mut answer.reasoning {
        redactor.redact_in(&mut reasoning.text, Hide::Keys);
    }
    answer.tool_calls.iter_mut().for_each(|call| redactor.redact_in(&mut call.arguments, Hide::Keys));
}

/// What a tool found.
pub(super) fn result(redactor: &Redactor, hide: Hide, result: &mut ToolResult) {
    content(redactor, hide, &mut result.content);
    display(redactor, hide, &mut result.display);
}

/// How a run ended, without keys.
pub(super) fn end(redactor: &Redactor, mut end: RunEnd) -> RunEnd {
    match &mut end {
        RunEnd::Failed(error) => redactor.redact_in(&mut error.message, Hide::Keys),
        RunEnd::Done
        | RunEnd::TurnLimit { .. }
        | RunEnd::Looping { .. }
        | RunEnd::OverBudget { .. }
        | RunEnd::Aborted
        | RunEnd::Refused => {}
    }
    end
}

fn content(redactor: &Redactor, hide: Hide, content: &mut Content) {
    for part in &mut content.0 {
        match part {
            Part::Text(text) => text.change(|text| redactor.redact_in(text, hide)),
            Part::Image { .. } => {}
        }
    }
}

fn display(redactor: &Redactor, hide: Hide, display: &mut Display) {
    match display {
        Display::Line(text) | Display::Text(text) | Display::Output { text, .. } => {
            redactor.redact_in(text, hide);
        }
        Display::Changes(changes) => changes.iter_mut().for_each(|file| change(redactor, hide, file)),
        Display::Todos(todos) => {
            for todo in todos {
                redactor.redact_in(&mut todo.content, hide);
            }
        }
    }
}

fn change(redactor: &Redactor, hide: Hide, change: &mut FileChange) {
    for text in change.before.iter_mut().chain(&mut change.after) {
        redactor.redact_in(text, hide);
    }
}

fn value(redactor: &Redactor, value: &mut Value) {
    match value {
        Value::String(text) => redactor.redact_in(text, Hide::Keys),
        Value::Array(items) => items.iter_mut().for_each(|item| self::value(redactor, item)),
        Value::Object(fields) => fields.values_mut().for_each(|field| self::value(redactor, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A line that a command printed. Colours may stand in the middle of a secret (`grep` marks what it found): then they go.
fn printed(redactor: &Redactor, line: &mut String) {
    redactor.redact_in(line, Hide::All);
    let plain = sanitize_line(line);
    if let Cow::Owned(clean) = redactor.redact(&plain, Hide::All) {
        *line = clean;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{CallId, NoticeKind, Tail, ToolStatus};

    const KEY: &str = "sk-Abcdefghijklmnop0123456789";
    const VALUE: &str = "ghp_0123456789abcdef";

    fn redactor() -> Arc<Redactor> {
        Arc::new(Redactor::new([KEY.to_owned()], [("GH_TOKEN".to_owned(), VALUE.to_owned())]))
    }

    #[derive(Default)]
    struct Seen(Mutex<Vec<String>>);

    impl Sink for Seen {
        fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()> {
            self.0.lock().unwrap().push(format!("{event:?}"));
            Box::pin(std::future::ready(()))
        }
    }

    impl Approver for Seen {
        fn approve(&self, question: Question) -> BoxFuture<'_, Answer> {
            self.0.lock().unwrap().push(format!("{question:?}"));
            Box::pin(std::future::ready(Answer::Unattended))
        }
    }

    async fn emitted(events: Vec<AgentEvent>) -> Vec<String> {
        let seen = Arc::new(Seen::default());
        let sink = HushedSink::around(Arc::clone(&seen) as Arc<dyn Sink>, &redactor());
        for event in events {
            sink.emit(event).await;
        }
        let lines = seen.0.lock().unwrap();
        lines.clone()
    }

    #[tokio::test]
    async fn no_event_that_goes_up_holds_a_key() {
        let text = || format!("a {KEY} b");
        let id = || CallId::from("c");
        let lines = |line: String| Tail { lines: vec![line], ..Tail::default() };
        let events = vec![
            AgentEvent::TextDelta(text()),
            AgentEvent::ThinkingDelta(text()),
            AgentEvent::ToolStart { id: id(), name: "X".into(), input: serde_json::json!({"a": [text()]}) },
            AgentEvent::ToolProgress { id: id(), tail: lines(text()) },
            AgentEvent::ToolProgress {
                id: id(),
                tail: lines(text().replace("0123", "\u{1b}[31m0123\u{1b}[m")),
            },
            AgentEvent::ToolResult {
                id: id(),
                name: "X".into(),
                status: ToolStatus::Success,
                content: Content::text(text()),
                display: Display::Changes(vec![FileChange {
                    path: String::new(),
                    before: Some(text()),
                    after: Some(text()),
                }]),
                duration: std::time::Duration::ZERO,
            },
            AgentEvent::PermissionDenied { id: id(), name: "X".into(), reason: text() },
            AgentEvent::Retry { attempt: 1, delay: std::time::Duration::ZERO, error: text(), discard: true },
            AgentEvent::Notice { kind: NoticeKind::Endpoint, text: text() },
        ];
        let count = events.len();
        let seen = emitted(events).await;
        assert_eq!(seen.len(), count);
        for line in seen {
            assert!(line.contains("[redacted key]") && !line.contains("0123456789"), "{line}");
        }
    }

    #[tokio::test]
    async fn a_delta_is_cleaned_as_a_part_of_what_came_before() {
        let (one, two) = KEY.split_at(9);
        let delta = |text: &str| AgentEvent::TextDelta(text.to_owned());
        let turn = AgentEvent::TurnStart { turn: 2, max_turns: 9 };
        let seen = emitted(vec![delta(one), delta(two), turn, delta(two)]).await.concat();
        assert!(!seen.contains("0123456789"), "{seen}");
    }

    #[tokio::test]
    async fn a_question_shows_a_change_without_secrets() {
        let seen = Arc::new(Seen::default());
        let approver = HushedApprover::around(Arc::clone(&seen) as Arc<dyn Approver>, &redactor());
        let file =
            FileChange { path: "f".to_owned(), before: Some(KEY.to_owned()), after: Some(VALUE.to_owned()) };
        let approval = crate::protocol::Approval {
            call: CallId::from("c"),
            tool: "Edit".into(),
            access: crate::protocol::Access::Nothing,
            form: crate::protocol::CallForm::Native,
            preview: Preview::Changes(vec![file]),
            reason: None,
            remember: Vec::new(),
            occasion: crate::protocol::Occasion::default(),
            careful: false,
            hold: crate::protocol::Hold::Free,
        };
        let question = Question { id: crate::protocol::QuestionId(1), asked: Asked::Approval(approval) };
        approver.approve(question).await;
        let shown = seen.0.lock().unwrap().concat();
        assert!(shown.contains("[redacted key]") && shown.contains("[secret: GH_TOKEN]"), "{shown}");
        assert!(!shown.contains(KEY) && !shown.contains(VALUE), "{shown}");
    }
}
