//! When there is no more room: what gives way, what stays, and that whatever goes wrong leaves the conversation as it was.
//!
//! The model here counts what it is sent (four bytes a token), refuses what is too long for it, and writes summaries as a test
//! wants them: well, badly, or never.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::stage::Reply;
use super::wire_valid;
use crate::agent::{
    Agent, AgentParts, Attendance, ChatContext, Inbox, LoopOptions, NoHooks, Nudging, Sink, Spending, Start,
    StopCause, TurnBudget,
};
use crate::chat::{
    ChatError, ChatObserver, ChatRequest, ChatService, Completion, Evidence, Remedy, RequestMessage,
};
use crate::context::window::Window;
use crate::os::clock::SystemClock;
use crate::os::paths::PathBase;
use crate::permission::{Policy, PolicyCell};
use crate::protocol::{
    Access, AgentEvent, Answer, AssistantMessage, CallForm, Display, Entry, EntryBody, History, LoopResult,
    Message, Origin, Preview, RunEnd, StopReason, Todo, TodoStatus, ToolCall, ToolSpec, Usage, UserMessage,
};
use crate::tools::{Prepared, Scene, Tool, ToolRegistry, ToolResult};
use crate::workbench::{Setup, Workbench};

/// What the model does.
#[derive(Debug, Clone)]
enum Turn {
    Say(&'static str),
    /// Calls a tool that gives so many bytes.
    Long(usize),
    /// Says so many bytes and calls a tool that gives a few.
    Talk(usize),
}

/// How it writes a summary.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Writes {
    Well,
    Nothing,
    TooMuch,
    /// It calls a tool instead.
    Calls,
    Fails,
    Refuses,
    Never,
}

struct Model {
    turns: Mutex<VecDeque<Turn>>,
    writes: Mutex<VecDeque<Writes>>,
    /// Tokens that it takes.
    takes: u64,
    /// As whom it refuses what is longer, and how that is known.
    refuses: (&'static str, Evidence),
    requests: Mutex<Vec<ChatRequest>>,
    calls: Mutex<usize>,
}

fn is_summary(request: &ChatRequest) -> bool {
    matches!(request.messages.last(), Some(RequestMessage::Text(text)) if text.contains("Write a summary that replaces it"))
}

impl Model {
    fn answer(&self, request: &ChatRequest) -> Result<Completion, Option<ChatError>> {
        let tokens = wire_valid::text(request).len() as u64 / 4;
        self.requests.lock().unwrap().push(request.clone());
        let too_long = || {
            let error = ChatError::new(Remedy::Compact, "the conversation is too long for m");
            Some(error.too_long_for(self.refuses.0, self.refuses.1))
        };
        if tokens > self.takes {
            return Err(too_long());
        }
        if !is_summary(request) {
            let turn = self.turns.lock().unwrap().pop_front().unwrap_or(Turn::Say("Done."));
            return Ok(match turn {
                Turn::Say(text) => self.said(text.to_owned(), None, tokens),
                Turn::Talk(bytes) => self.said("as it is ".repeat(bytes / 9), Some(100), tokens),
                Turn::Long(bytes) => self.said(String::new(), Some(bytes), tokens),
            });
        }
        let number = self.requests.lock().unwrap().iter().filter(|request| is_summary(request)).count();
        let writes = self.writes.lock().unwrap().pop_front().unwrap_or(Writes::Well);
        match writes {
            Writes::Well => Ok(self.said(format!("summary {number}"), None, tokens)),
            Writes::Nothing => Ok(self.said(" \n".to_owned(), None, tokens)),
            Writes::TooMuch => Ok(self.said("words ".repeat(100_000), None, tokens)),
            Writes::Calls => Ok(self.said(String::new(), Some(10), tokens)),
            Writes::Fails => Err(Some(ChatError::new(Remedy::GiveUp, "the endpoint is down"))),
            Writes::Refuses => Err(too_long()),
            Writes::Never => Err(None),
        }
    }

    fn said(&self, text: String, call: Option<usize>, prompt_tokens: u64) -> Completion {
        let mut calls = self.calls.lock().unwrap();
        *calls += 1;
        let call = call.map(|bytes| {
            ToolCall::new(format!("c{calls}"), "Long", json!({"bytes": bytes, "number": *calls}).to_string())
        });
        let usage = Usage {
            prompt_tokens,
            completion_tokens: 10,
            total_tokens: prompt_tokens + 10,
            cached_tokens: 0,
        };
        let message = AssistantMessage {
            text,
            tool_calls: call.into_iter().collect(),
            reasoning: None,
            extra: Map::new(),
            model: "m".into(),
            usage: Some(usage),
            stop_reason: StopReason::EndTurn,
        };
        Completion { message, cut: false, form: CallForm::Native }
    }
}

impl ChatService for Model {
    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
        _observer: &'a dyn ChatObserver,
    ) -> BoxFuture<'a, Result<Completion, ChatError>> {
        let answer = self.answer(request);
        Box::pin(async move {
            tokio::task::yield_now().await;
            match answer {
                Ok(completion) => Ok(completion),
                Err(Some(error)) => Err(error),
                Err(None) => std::future::pending().await,
            }
        })
    }
}

/// Gives as many bytes as it is asked for.
struct Long;

impl Tool for Long {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Long".into(),
            description: "gives much".into(),
            parameters: json!({"type": "object", "properties": {}}),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64).unwrap_or_default();
        Ok(Box::new(Gives(usize::try_from(number("bytes")).unwrap(), number("number"))))
    }
}

struct Gives(usize, u64);

impl Prepared for Gives {
    fn access(&self) -> Access {
        Access::Nothing
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(std::future::ready(Ok(Preview::Text(String::new()))))
    }

    fn run(self: Box<Self>, _scene: Scene) -> BoxFuture<'static, ToolResult> {
        let text = format!("number {} ", self.1) + &"so it is ".repeat(self.0 / 9);
        Box::pin(std::future::ready(ToolResult::success(text, Display::Line(String::new()))))
    }
}

/// Keeps what is reported, and aborts at a given event.
#[derive(Default)]
struct Log {
    history: Mutex<History>,
    events: Mutex<Vec<AgentEvent>>,
    abort_at_summary: Mutex<Option<CancellationToken>>,
}

impl Sink for Log {
    fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()> {
        if let AgentEvent::Recorded(entry) = &event {
            self.history.lock().unwrap().apply(entry);
        }
        let summarises = matches!(event, AgentEvent::Waiting(crate::protocol::Waiting::Summary));
        if let Some(token) = self.abort_at_summary.lock().unwrap().take_if(|_| summarises) {
            token.cancel();
        }
        self.events.lock().unwrap().push(event);
        Box::pin(std::future::ready(()))
    }
}

/// A conversation with that model.
struct World {
    model: Arc<Model>,
    log: Arc<Log>,
    window: Window,
    token: CancellationToken,
    bench: Arc<Workbench>,
    spending: Spending,
    _directory: tempfile::TempDir,
}

const NO_LIMIT: u64 = u64::MAX;

impl World {
    /// A model that takes so many tokens and does this.
    fn new(takes: u64, turns: impl IntoIterator<Item = Turn>, writes: &[Writes]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let setup = Setup { root: directory.path().to_owned(), ..Setup::default() };
        let model = Model {
            turns: Mutex::new(turns.into_iter().collect()),
            writes: Mutex::new(writes.iter().copied().collect()),
            takes,
            refuses: ("m", Evidence::Named),
            requests: Mutex::default(),
            calls: Mutex::default(),
        };
        Self {
            model: Arc::new(model),
            log: Arc::default(),
            window: Window::default(),
            token: CancellationToken::new(),
            bench: Arc::new(Workbench::new(setup).unwrap()),
            spending: Spending::unlimited(),
            _directory: directory,
        }
    }

    /// Everybody knows that its window has so many tokens.
    fn window(self, tokens: u64) -> Self {
        self.window.tell(Some(tokens));
        self
    }

    /// It refuses what is too long as this model, which is known like this.
    fn refuses(mut self, model: &'static str, evidence: Evidence) -> Self {
        Arc::get_mut(&mut self.model).unwrap().refuses = (model, evidence);
        self
    }

    async fn start(&self, start: Start) -> LoopResult {
        let mut tools = ToolRegistry::new();
        tools.register(Arc::new(Long)).unwrap();
        let chat: Arc<dyn ChatService> = Arc::clone(&self.model) as Arc<dyn ChatService>;
        let agent = Agent::create(AgentParts {
            chat,
            tools: Arc::new(tools),
            hooks: Arc::new(NoHooks),
            clock: Arc::new(SystemClock),
            system: "Never use tabs.".into(),
            model: "m".into(),
            window: self.window.clone(),
            nudging: Nudging::Off,
        });
        let context = ChatContext {
            history: self.history(),
            policy: PolicyCell::new(Policy::default()),
            bench: Arc::clone(&self.bench),
            inbox: Inbox::default(),
        };
        let options = LoopOptions {
            budget: TurnBudget::AtMost(100),
            spending: self.spending.clone(),
            attendance: Attendance::Unattended,
            token: self.token.clone(),
            stop_cause: StopCause::default(),
            sink: Arc::clone(&self.log) as Arc<dyn Sink>,
            approver: Arc::new(Reply::Say(Answer::Unattended)),
        };
        agent.unwrap().chat(start, context, options).await
    }

    async fn say(&self, text: &str) -> LoopResult {
        self.start(Start::Prompt(vec![UserMessage::new(Origin::User, text)])).await
    }

    fn history(&self) -> History {
        self.log.history.lock().unwrap().clone()
    }

    fn requests(&self) -> Vec<ChatRequest> {
        self.model.requests.lock().unwrap().clone()
    }

    /// Entries of these kinds, in order: `m`asked, `c`ompaction.
    fn breaks(&self) -> String {
        let sign = |event: &AgentEvent| match event {
            AgentEvent::Recorded(Entry { body: EntryBody::Masked { .. }, .. }) => Some('m'),
            AgentEvent::Recorded(Entry { body: EntryBody::Compaction { .. }, .. }) => Some('c'),
            _ => None,
        };
        self.log.events.lock().unwrap().iter().filter_map(sign).collect()
    }

    fn notices(&self) -> String {
        let text = |event: &AgentEvent| match event {
            AgentEvent::Notice { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.log.events.lock().unwrap().iter().filter_map(text).collect::<Vec<_>>().join("\n")
    }

    /// Each request could be sent, and its bytes carry on those of the one before; at so many places they do not.
    fn check_requests(&self) -> usize {
        let texts: Vec<String> = self.requests().iter().map(wire_valid::text).collect();
        for (request, text) in self.requests().iter().zip(&texts) {
            assert_eq!(wire_valid::faults(&wire_valid::body(request)), [""; 0], "{text}");
        }
        let apart = |request: &ChatRequest| request.tools.is_empty();
        let own: Vec<&String> = texts
            .iter()
            .zip(&self.requests())
            .filter(|(_, request)| !apart(request))
            .map(|(text, _)| text)
            .collect();
        own.windows(2).filter(|pair| !pair[1].starts_with(wire_valid::owed(pair[0]))).count()
    }
}

/// Twenty answers of 2,000 tokens each, of which nothing can be masked: a window of 16,000 has room for 13,600.
fn long_talk() -> Vec<Turn> {
    vec![Turn::Talk(8_000); 20]
}

/// Twenty results of 2,000 tokens each.
fn long_run() -> Vec<Turn> {
    vec![Turn::Long(8_000); 20]
}

#[tokio::test]
async fn old_results_give_way_first_and_the_run_goes_on() {
    let world = World::new(NO_LIMIT, long_run(), &[]).window(40_000);
    let result = world.say("look at everything").await;
    assert_eq!((result.end, result.metadata.turns_count), (RunEnd::Done, 21));
    assert_eq!(world.breaks(), "m");
    assert_eq!(world.check_requests(), 1, "a masking breaks the prefix once");
    let last = wire_valid::text(world.requests().last().unwrap());
    assert!(
        last.contains("number 1 so") && last.contains("characters of this old result omitted"),
        "previews stay"
    );
    assert!(last.len() / 4 < 34_000);
}

#[tokio::test]
async fn a_summary_takes_the_place_of_the_past_and_the_last_request_stays_word_for_word() {
    let world = World::new(NO_LIMIT, long_talk(), &[]).window(12_000);
    world.bench.todos().set(vec![Todo { content: "mend the gate".to_owned(), status: TodoStatus::Pending }]);
    let result = world.say("look at everything, but not at KEEP-ME.txt").await;
    assert_eq!((result.end, result.metadata.turns_count), (RunEnd::Done, 21), "summaries are no turns");
    let breaks = world.breaks();
    assert!(breaks.matches('c').count() >= 2, "{breaks}");
    for request in world.requests().iter().filter(|request| !is_summary(request)) {
        let text = wire_valid::text(request);
        assert!(text.contains("not at KEEP-ME.txt"), "{text}");
        assert!(text.contains("Never use tabs.") && text.len() / 4 <= 12_000);
    }
    let last = wire_valid::text(world.requests().last().unwrap());
    assert!(last.contains("[ ] mend the gate"), "{last}");
    assert!(last.contains("<last-request>\\nlook at everything"), "{last}");
}

#[tokio::test]
async fn the_second_summary_brings_the_first_up_to_date() {
    let world = World::new(NO_LIMIT, long_talk(), &[]).window(12_000);
    world.say("go").await;
    let asked: Vec<String> =
        world.requests().iter().filter(|request| is_summary(request)).map(wire_valid::text).collect();
    assert!(asked.len() >= 2 && !asked[0].contains("Bring it up to date"));
    for (number, text) in asked.iter().enumerate().skip(1) {
        assert!(text.contains("Bring it up to date"), "{text}");
        assert!(text.contains(&format!("summary {number}")), "the former one is there");
        assert!(!text.contains("number 1 so"), "what it stands for is not told again");
    }
}

#[tokio::test]
async fn the_summary_is_asked_for_behind_the_same_bytes() {
    let world = World::new(NO_LIMIT, vec![Turn::Talk(8_000); 60], &[]).window(60_000);
    world.say("go").await;
    let (summaries, others): (Vec<_>, Vec<_>) = world.requests().iter().cloned().partition(is_summary);
    assert!(summaries.iter().all(|request| request.tools.len() == 1), "none is sent apart");
    assert_eq!(world.check_requests(), summaries.len(), "the prefix breaks once a summary, behind it");
    assert_eq!((summaries.len(), others.len()), (2, 61));
}

#[tokio::test]
async fn a_bad_summary_is_asked_for_once_more_as_a_text_and_then_left() {
    for (writes, why) in [
        (Writes::Nothing, "wrote no summary"),
        (Writes::Calls, "wrote no summary"),
        (Writes::TooMuch, "not be shorter"),
        (Writes::Refuses, "too long"),
    ] {
        let world = World::new(NO_LIMIT, [Turn::Say("One."), Turn::Say("Two.")], &[writes; 3]);
        world.say(&"so it is ".repeat(2_000)).await;
        world.say("more").await;
        let before = world.history();
        let result = world.start(Start::Compact(None)).await;
        let RunEnd::Failed(error) = result.end else { panic!("{writes:?}") };
        assert!(
            error.message.contains(why) && error.message.contains("nothing was changed"),
            "{}",
            error.message
        );
        assert!(world.history().messages().eq(before.messages()) && world.history().summary().is_none());
        let summaries: Vec<bool> =
            world.requests().iter().filter(|r| is_summary(r)).map(|r| r.tools.is_empty()).collect();
        let expected: &[bool] = if writes == Writes::Refuses { &[false, true, true] } else { &[false, true] };
        assert_eq!(summaries, expected, "{writes:?}: behind, then apart, and in less if that was too long");
        let world = World::new(NO_LIMIT, [Turn::Say("One."), Turn::Say("Two.")], &[writes]);
        world.say(&"so it is ".repeat(2_000)).await;
        world.say("more").await;
        assert_eq!(world.start(Start::Compact(None)).await.end, RunEnd::Done, "the second way helps");
    }
}

#[tokio::test]
async fn a_run_outlives_an_endpoint_that_writes_no_summary() {
    let world = World::new(NO_LIMIT, long_talk(), &[Writes::Fails; 40]).window(12_000);
    let result = world.say("go").await;
    assert_eq!((result.end, result.metadata.turns_count), (RunEnd::Done, 21));
    assert!(!world.breaks().contains('c'));
    assert!(world.notices().contains("could not be summarised: the endpoint is down (the run continues)"));
    let asked = world.requests().iter().filter(|request| is_summary(request)).count();
    assert!((2..20).contains(&asked), "not at every turn: {asked}");
}

#[tokio::test]
async fn an_abort_during_a_summary_loses_nothing() {
    for at_once in [true, false] {
        let world = World::new(NO_LIMIT, long_talk(), &[Writes::Never]).window(12_000);
        *world.log.abort_at_summary.lock().unwrap() = at_once.then(|| world.token.clone());
        let stop = async {
            loop {
                tokio::task::yield_now().await;
                if world.requests().iter().any(is_summary) {
                    world.token.cancel();
                    std::future::pending::<()>().await;
                }
            }
        };
        let result = tokio::select! { result = world.say("go") => result, () = stop => unreachable!() };
        assert_eq!(result.end, RunEnd::Aborted);
        let history = world.history();
        assert!(history.summary().is_none() && history.open_calls().is_empty());
        assert_eq!(history.len(), history.positions(), "all that was said is there");
    }
}

#[tokio::test]
async fn a_refused_request_is_masked_then_summarised_then_asked_again() {
    let world = World::new(14_000, long_run(), &[]);
    let result = world.say("go").await;
    assert_eq!((result.end, result.metadata.turns_count), (RunEnd::Done, 21), "{}", world.notices());
    assert!(world.breaks().starts_with('m'), "{}", world.breaks());
    assert!(world.window.tokens().is_some_and(|tokens| tokens < 20_000), "what was refused is remembered");
    let refused = |event: &AgentEvent| matches!(event, AgentEvent::Retry { discard: true, .. });
    let retries = world.log.events.lock().unwrap().iter().filter(|event| refused(event)).count();
    assert!((1..=3).contains(&retries), "{retries}: from then on room is made before");
}

#[tokio::test]
async fn a_refusal_that_says_nothing_of_the_own_window_leaves_it_as_it_was() {
    for (model, evidence, known, expected) in [
        ("m", Evidence::Named, 200_000, true),
        ("small", Evidence::Named, 200_000, false),
        ("m", Evidence::Guessed, 200_000, false),
        ("m", Evidence::Guessed, 18_000, true),
    ] {
        let world = World::new(14_000, long_run(), &[]).window(known).refuses(model, evidence);
        assert_eq!(world.say("go").await.end, RunEnd::Done, "{}", world.notices());
        let shrank = world.window.tokens().unwrap() < known;
        assert_eq!(shrank, expected, "{model} {evidence:?} {known}");
    }
}

#[tokio::test]
async fn requests_without_a_message_are_counted_in_the_session() {
    let world = World::new(NO_LIMIT, long_talk(), &[Writes::Nothing]).window(12_000);
    let result = world.say("go").await;
    let sum: u64 =
        world.history().answers().filter_map(|(_, usage)| usage).map(|usage| usage.total_tokens).sum();
    assert!(world.breaks().contains('c') && world.history().answers().count() > 21, "{}", world.breaks());
    assert_eq!(sum, result.metadata.usage.total_tokens);
}

#[tokio::test]
async fn where_nothing_can_be_masked_a_refusal_is_answered_by_a_summary_of_a_text_that_fits() {
    let talk = || (0..6).map(|_| Turn::Say("So it is."));
    let world = World::new(9_000, talk(), &[]);
    for number in 0..5 {
        let result = world.say(&format!("word {number} {}", "so it is ".repeat(1_000))).await;
        assert_eq!(result.end, RunEnd::Done, "{number}");
    }
    assert_eq!(world.breaks(), "c");
    let asked: Vec<ChatRequest> = world.requests().into_iter().filter(is_summary).collect();
    assert!(
        asked.iter().all(|request| request.tools.is_empty() && wire_valid::text(request).len() / 4 < 9_000)
    );
    assert!(wire_valid::text(world.requests().last().unwrap()).contains("word 4 so"));
}

#[tokio::test]
async fn what_cannot_be_made_shorter_ends_with_advice() {
    let world = World::new(1_000, [], &[]);
    let RunEnd::Failed(error) = world.say(&"so it is ".repeat(2_000)).await.end else { panic!("it fits") };
    assert_eq!(error.message, "the conversation is too long for m", "there is nothing to make shorter");
    assert_eq!(world.window.tokens(), None, "nobody knows that it was the length");
    let world = World::new(2_400, [], &[]);
    world.log.history.lock().unwrap().apply(&Entry::message(0, Message::user("so it is ".repeat(900))));
    world
        .log
        .history
        .lock()
        .unwrap()
        .apply(&Entry::message(0, Message::Assistant(world.model.said("Yes.".into(), None, 9).message)));
    let RunEnd::Failed(error) = world.say(&"so it is ".repeat(900)).await.end else { panic!("it fits") };
    assert!(error.message.ends_with("; the shortened conversation was refused as well"), "{}", error.message);
    assert_eq!(world.requests().iter().filter(|request| !is_summary(request)).count(), 2, "asked again once");
}

#[tokio::test]
async fn what_the_user_wants_to_keep_is_asked_for() {
    let world = World::new(NO_LIMIT, [Turn::Say("One."), Turn::Say("Two.")], &[]);
    world.say(&"so it is ".repeat(500)).await;
    assert_eq!(world.start(Start::Compact(None)).await.end, RunEnd::Done);
    assert!(world.notices().contains("nothing to compact yet"));
    world.say("more").await;
    assert_eq!(world.start(Start::Compact(Some("the names".into()))).await.end, RunEnd::Done);
    let asked = world.requests().iter().find(|request| is_summary(request)).map(wire_valid::text).unwrap();
    assert!(asked.contains("preserve: the names"));
    assert!(world.history().summary().unwrap().contains("summary 1"));
}

#[tokio::test]
async fn a_rewind_behind_a_summary_brings_back_what_it_stands_for() {
    let world = World::new(NO_LIMIT, [Turn::Say("One."), Turn::Say("Two.")], &[]);
    world.say(&"so it is ".repeat(500)).await;
    world.say("more").await;
    let before = world.history();
    world.start(Start::Compact(None)).await;
    let mut history = world.history();
    assert!(history.summary().is_some() && history.len() < before.len());
    history.apply(&Entry { timestamp: 0, body: EntryBody::Rewind { to: before.positions() - 1 } });
    assert!(history.summary().is_none());
    assert!(history.messages().eq(before.messages().take(before.len() - 1)));
    history.apply(&Entry { timestamp: 0, body: EntryBody::Redo });
    assert_eq!(history.summary(), world.history().summary());
}

#[tokio::test]
async fn a_budget_stops_before_the_next_request_and_another_is_granted() {
    let mut world = World::new(NO_LIMIT, long_run(), &[]);
    world.spending.max_tokens = Some(10_000);
    let result = world.say("go").await;
    let RunEnd::OverBudget { used } = &result.end else { panic!("{:?}", result.end) };
    assert!(used.ends_with(" of 10k tokens"), "{used}");
    assert!(result.end.error().unwrap().message.contains("budget reached"));
    assert!(world.history().open_calls().is_empty());
    let asked = world.requests().len();
    assert!(matches!(world.say("more").await.end, RunEnd::OverBudget { .. }));
    assert_eq!(world.requests().len(), asked, "nothing more is sent");
    world.spending.grant(&world.history());
    assert!(matches!(world.start(Start::Continue(result.carry)).await.end, RunEnd::OverBudget { .. }));
    assert!(world.requests().len() > asked);
}

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn up_to(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(most).unwrap()).unwrap()
    }
}

fn tokens(count: usize) -> u64 {
    u64::try_from(count).unwrap()
}

async fn play(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let ways = [Writes::Well, Writes::Well, Writes::Nothing, Writes::TooMuch, Writes::Fails, Writes::Calls];
    let writes: Vec<Writes> = (0..30).map(|_| ways[dice.up_to(6)]).collect();
    let turns: Vec<Turn> = (0..dice.up_to(40))
        .map(|_| if dice.up_to(4) == 0 { Turn::Say("So.") } else { Turn::Long(dice.up_to(9_000)) })
        .collect();
    let takes = if dice.up_to(2) == 0 { NO_LIMIT } else { tokens(6_000 + dice.up_to(20_000)) };
    let mut world = World::new(takes, turns, &writes);
    if dice.up_to(3) > 0 {
        world = world.window(tokens(4_000 + dice.up_to(30_000)));
    }
    for number in 0..=dice.up_to(12) {
        world.say(&format!("word {number} {}", "so it is ".repeat(dice.up_to(500)))).await;
        if dice.up_to(5) == 0 {
            world.start(Start::Compact(None)).await;
        }
        if dice.up_to(6) == 0 {
            let to = dice.up_to(world.history().positions() + 1);
            let rewind = Entry { timestamp: 0, body: EntryBody::Rewind { to } };
            world.log.history.lock().unwrap().apply(&rewind);
            world.log.events.lock().unwrap().push(AgentEvent::Recorded(rewind));
        }
    }
    check_whole(&world);
    world.breaks()
}

/// Every request could be sent, and what the file would hold gives the same conversation.
fn check_whole(world: &World) {
    world.check_requests();
    let mut loaded = History::new();
    for event in world.log.events.lock().unwrap().iter() {
        if let AgentEvent::Recorded(entry) = event {
            loaded.apply(entry);
        }
    }
    let state = |history: &History| {
        let view: Vec<_> = history.view().map(|(slot, masked)| (slot.position, masked)).collect();
        (view, history.summary().map(str::to_owned), history.positions())
    };
    assert_eq!(state(&loaded), state(&world.history()));
}

#[test]
fn whatever_gives_way_every_request_can_be_sent_and_no_call_stands_alone() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (mut masked, mut compacted) = (0, 0);
    for seed in 1..=300 {
        let case = std::panic::AssertUnwindSafe(|| runtime.block_on(play(seed)));
        let breaks = std::panic::catch_unwind(case).unwrap_or_else(|_| panic!("the case of seed {seed}"));
        masked += breaks.matches('m').count();
        compacted += breaks.matches('c').count();
    }
    assert!(masked > 30 && compacted > 100, "{masked} {compacted}");
}
