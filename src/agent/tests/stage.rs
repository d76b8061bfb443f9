//! Where the loop plays in its tests: a script, tools without a world, and a sink that keeps all and can step in.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::wire_valid;
use crate::agent::{
    Agent, AgentHooks, AgentParts, Approver, Attendance, ChatContext, Inbox, LoopOptions, NoHooks, Nudging,
    Sink, Spending, Start, StopCause, TurnBudget,
};
use crate::chat::scripted::Answer as Said;
use crate::chat::{ChatRequest, RequestMessage, Scripted};
use crate::context;
use crate::context::window::Window;
use crate::os::clock::SystemClock;
use crate::os::paths::PathBase;
use crate::permission::{Policy, PolicyCell};
use crate::protocol::history::Masked;
use crate::protocol::{
    Access, AgentEvent, Answer, Carry, Display, Entry, ExecAccess, History, LoopError, LoopResult, Message,
    Origin, Preview, Question, ToolSpec, ToolStatus, UserMessage,
};
use crate::tools::{Prepared, Scene, Tool, ToolRegistry, ToolResult};
use crate::workbench::{Setup, Workbench};

/// One conversation with a scripted model; runs follow one another in it.
pub(super) struct Stage {
    pub(super) chat: Arc<Scripted>,
    pub(super) sink: Arc<Keeper>,
    pub(super) token: CancellationToken,
    pub(super) inbox: Inbox,
    hooks: Arc<dyn AgentHooks>,
    tools: Arc<ToolRegistry>,
    reply: Reply,
    budget: u32,
    attendance: Attendance,
    abort_after: Option<Duration>,
    bench: Arc<Workbench>,
    _directory: tempfile::TempDir,
}

/// What is answered to a question.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    Say(Answer),
    Never,
}

/// Keeps what a run reports, and aborts or types at a given event.
#[derive(Default)]
pub(super) struct Keeper {
    kept: Mutex<Kept>,
    chat: Mutex<Option<Arc<Scripted>>>,
}

#[derive(Default)]
struct Kept {
    history: History,
    events: Vec<AgentEvent>,
    abort_at: Option<(usize, CancellationToken)>,
    typed: Vec<(usize, String, Inbox)>,
    /// Requests and tools begun at the moment of the abort.
    at_abort: Option<(usize, usize)>,
}

impl Stage {
    pub(super) fn new(script: impl IntoIterator<Item = Said>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let setup = Setup { root: directory.path().to_owned(), ..Setup::default() };
        let chat = Arc::new(Scripted::new(script));
        Self {
            sink: Arc::new(Keeper { kept: Mutex::default(), chat: Mutex::new(Some(Arc::clone(&chat))) }),
            chat,
            token: CancellationToken::new(),
            inbox: Inbox::default(),
            hooks: Arc::new(NoHooks),
            tools: Arc::new(toys()),
            reply: Reply::Say(Answer::Allow),
            budget: 100,
            attendance: Attendance::Unattended,
            abort_after: None,
            bench: Arc::new(Workbench::new(setup).unwrap()),
            _directory: directory,
        }
    }

    /// Another conversation with the same model.
    pub(super) fn beside(&self) -> Self {
        let chat = Arc::clone(&self.chat);
        let sink = Keeper { kept: Mutex::default(), chat: Mutex::new(Some(Arc::clone(&chat))) };
        Self { chat, sink: Arc::new(sink), ..Self::new([]) }
    }

    pub(super) fn without_tools(self) -> Self {
        Self { tools: Arc::new(ToolRegistry::new()), ..self }
    }

    pub(super) fn budget(self, budget: u32) -> Self {
        Self { budget, ..self }
    }

    pub(super) fn attended(self) -> Self {
        Self { attendance: Attendance::Attended, ..self }
    }

    pub(super) fn reply(self, reply: Reply) -> Self {
        Self { reply, ..self }
    }

    pub(super) fn hooks(self, hooks: Arc<dyn AgentHooks>) -> Self {
        Self { hooks, ..self }
    }

    pub(super) fn abort_after(self, time: Duration) -> Self {
        Self { abort_after: Some(time), ..self }
    }

    /// Aborts as the loop reports its `number`th event.
    pub(super) fn abort_at(&self, number: usize) {
        self.sink.kept.lock().unwrap().abort_at = Some((number, self.token.clone()));
    }

    /// Types as the loop reports its `number`th event.
    pub(super) fn type_at(&self, number: usize, text: &str) {
        self.sink.kept.lock().unwrap().typed.push((number, text.to_owned(), self.inbox.clone()));
    }

    pub(super) fn agent_for(model: &str, chat: Arc<Scripted>) -> Result<Agent, LoopError> {
        Agent::create(AgentParts {
            chat,
            tools: Arc::new(toys()),
            hooks: Arc::new(NoHooks),
            clock: Arc::new(SystemClock),
            system: "be brief".into(),
            model: model.into(),
            window: Window::default(),
            nudging: Nudging::On,
        })
    }

    pub(super) async fn run(&self, prompt: &str) -> LoopResult {
        self.start(Start::Prompt(vec![UserMessage::new(Origin::User, prompt)])).await
    }

    pub(super) async fn go_on(&self, carry: Carry) -> LoopResult {
        self.start(Start::Continue(carry)).await
    }

    async fn start(&self, start: Start) -> LoopResult {
        let mut agent = Self::agent_for("m", Arc::clone(&self.chat)).unwrap();
        agent.parts.tools = Arc::clone(&self.tools);
        agent.parts.hooks = Arc::clone(&self.hooks);
        let history = self.sink.kept.lock().unwrap().history.clone();
        let policy = PolicyCell::new(Policy::default());
        let context =
            ChatContext { history, policy, bench: Arc::clone(&self.bench), inbox: self.inbox.clone() };
        let options = LoopOptions {
            budget: TurnBudget::AtMost(self.budget),
            spending: Spending::unlimited(),
            attendance: self.attendance,
            token: self.token.clone(),
            stop_cause: StopCause::default(),
            sink: Arc::clone(&self.sink) as Arc<dyn Sink>,
            approver: Arc::new(self.reply.clone()),
        };
        let run = agent.chat(start, context, options);
        let Some(time) = self.abort_after else { return run.await };
        let abort = async {
            tokio::time::sleep(time).await;
            self.sink.abort(&self.token);
            std::future::pending::<()>().await;
        };
        tokio::select! { result = run => result, () = abort => unreachable!() }
    }

    /// The messages that were recorded, as they count now.
    pub(super) fn recorded(&self) -> Vec<Message> {
        self.sink.kept.lock().unwrap().history.messages().cloned().collect()
    }

    /// How many events are of a kind.
    pub(super) fn events(&self, kind: impl Fn(&AgentEvent) -> bool) -> usize {
        self.sink.kept.lock().unwrap().events.iter().filter(|event| kind(event)).count()
    }

    /// Requests that were sent and tools that were begun after the abort.
    pub(super) fn after_abort(&self) -> (usize, usize) {
        let kept = self.sink.kept.lock().unwrap();
        let Some((requests, begun)) = kept.at_abort else { return (0, 0) };
        (self.chat.requests().len() - requests, begun_tools(&kept.events) - begun)
    }

    /// What was recorded can be sent, and so could every request; each carries on the one before, and the loop's own
    /// history was the recorded one.
    pub(super) fn check_history(&self) {
        let mut history = self.sink.kept.lock().unwrap().history.clone();
        assert!(history.open_calls().is_empty(), "a call without an answer: {:?}", history.open_calls());
        let recorded: Vec<Message> = history.messages().cloned().collect();
        history.apply(&Entry::message(0, Message::user("and now?")));
        let requests = self.chat.requests();
        check_sendable(&self.next_request(&history));
        for request in &requests {
            check_sendable(request);
            let sent = request.messages.iter().map(|message| match message {
                RequestMessage::Kept(slot, Masked::No) => &slot.message,
                RequestMessage::Kept(_, Masked::Yes) | RequestMessage::Text(_) => {
                    panic!("nothing masks here")
                }
            });
            assert!(
                sent.eq(recorded.iter().take(request.messages.len())),
                "the loop's history is the recorded one"
            );
        }
        for (before, after) in requests.iter().zip(requests.iter().skip(1)) {
            let (before, after) = (wire_valid::text(before), wire_valid::text(after));
            assert!(after.starts_with(wire_valid::owed(&before)), "the prefix changed\n{before}\n{after}");
        }
    }

    fn next_request(&self, history: &History) -> ChatRequest {
        let prompt =
            context::Prompt { model: "m".into(), system: "be brief".into(), tools: self.tools.definitions() };
        context::assemble(history, &prompt)
    }
}

fn check_sendable(request: &ChatRequest) {
    let body = wire_valid::body(request);
    assert_eq!(wire_valid::faults(&body), [""; 0], "{body}");
}

fn begun_tools(events: &[AgentEvent]) -> usize {
    events.iter().filter(|event| matches!(event, AgentEvent::ToolStart { .. })).count()
}

impl Keeper {
    pub(super) fn abort(&self, token: &CancellationToken) {
        let mut kept = self.kept.lock().unwrap();
        self.note_abort(&mut kept);
        token.cancel();
    }

    fn note_abort(&self, kept: &mut Kept) {
        let requests = self.chat.lock().unwrap().as_ref().map_or(0, |chat| chat.requests().len());
        kept.at_abort.get_or_insert((requests, begun_tools(&kept.events)));
    }
}

impl Sink for Keeper {
    fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()> {
        let mut kept = self.kept.lock().unwrap();
        if let AgentEvent::Recorded(entry) = &event {
            kept.history.apply(entry);
        }
        kept.events.push(event);
        let number = kept.events.len();
        for (_, text, inbox) in kept.typed.extract_if(.., |(at, _, _)| *at <= number) {
            inbox.push(UserMessage::new(Origin::Queued, text));
        }
        if let Some((_, token)) = kept.abort_at.take_if(|(at, _)| *at <= number) {
            self.note_abort(&mut kept);
            token.cancel();
        }
        // a front end takes its time, so that others come between
        Box::pin(tokio::task::yield_now())
    }
}

impl Approver for Reply {
    fn approve(&self, _question: Question) -> BoxFuture<'_, Answer> {
        match self {
            Self::Say(answer) => Box::pin(std::future::ready(answer.clone())),
            Self::Never => Box::pin(std::future::pending()),
        }
    }
}

/// Tools that need no world.
fn toys() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for toy in [Toy::Add, Toy::Fail, Toy::Look, Toy::Deaf, Toy::Ask, Toy::Silent] {
        registry.register(Arc::new(toy)).unwrap();
    }
    registry
}

#[derive(Debug, Clone, Copy)]
enum Toy {
    /// Adds.
    Add,
    /// Fails.
    Fail,
    /// Takes a time, beside others; listens to an abort.
    Look,
    /// Takes long and does not listen.
    Deaf,
    /// Runs only after a yes.
    Ask,
    /// Says nothing.
    Silent,
}

impl Tool for Toy {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: (match self {
                Self::Add => "Add",
                Self::Fail => "Fail",
                Self::Look => "Look",
                Self::Deaf => "Deaf",
                Self::Ask => "Ask",
                Self::Silent => "Silent",
            })
            .into(),
            description: "a toy".into(),
            parameters: json!({"type": "object", "properties": {}}),
            parallel: matches!(self, Self::Look | Self::Silent),
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
        let numbers = match self {
            Self::Add => (number("a").ok_or("`a` is missing")?, number("b").ok_or("`b` is missing")?),
            Self::Fail | Self::Look | Self::Deaf | Self::Ask | Self::Silent => {
                (number("ms").unwrap_or(10), 0)
            }
        };
        Ok(Box::new(Play { toy: *self, numbers }))
    }
}

struct Play {
    toy: Toy,
    numbers: (u64, u64),
}

impl Prepared for Play {
    fn access(&self) -> Access {
        match self.toy {
            Toy::Ask => Access::Exec(ExecAccess { command: "make it so".to_owned(), cwd: "/".into() }),
            Toy::Add | Toy::Fail | Toy::Look | Toy::Deaf | Toy::Silent => Access::Nothing,
        }
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(std::future::ready(Ok(Preview::Text("as asked".to_owned()))))
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        assert!(!scene.cancel.is_cancelled(), "nothing begins after an abort");
        Box::pin(async move {
            let done = |text: String| ToolResult::success(text.clone(), Display::Line(text));
            let (a, b) = self.numbers;
            match self.toy {
                Toy::Add => done((a + b).to_string()),
                Toy::Fail => ToolResult::failed("it always fails"),
                Toy::Silent => done(String::new()),
                Toy::Ask => done("asked and done".to_owned()),
                Toy::Deaf => {
                    tokio::time::sleep(Duration::from_mins(5)).await;
                    done("heard nothing".to_owned())
                }
                Toy::Look => tokio::select! {
                    () = scene.cancel.cancelled() => ToolResult { status: ToolStatus::Interrupted, ..ToolResult::failed("Error: interrupted") },
                    () = tokio::time::sleep(Duration::from_millis(a)) => done(format!("looked {a}")),
                },
            }
        })
    }
}
