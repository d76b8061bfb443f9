//! What a call costs beside the tool's own work: from the answer that makes it to the result that the next request has.
//!
//! A scripted model makes 64 calls in one answer, of a tool that does nothing, of `Read` on a small file, and of `Edit`. The
//! figure of a round divided by 64 is the cost of a call. The surprise: the tool that does nothing still passes all seven
//! stages, so it is the floor under every other.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]

use std::sync::Arc;

use clawd::agent::{
    Agent, AgentParts, Approver, Attendance, ChatContext, Inbox, LoopOptions, NoHooks, Nudging, Sink,
    Spending, Start, StopCause, TurnBudget,
};
use clawd::chat::Scripted;
use clawd::chat::scripted::Answer as Said;
use clawd::context::window::Window;
use clawd::os::clock::SystemClock;
use clawd::os::http::Web;
use clawd::os::paths::PathBase;
use clawd::permission::{Mode, Policy, PolicyCell};
use clawd::protocol::{
    Access, AgentEvent, Answer, Display, History, Origin, Preview, Question, RunEnd, ToolSpec, UserMessage,
};
use clawd::tools::{Prepared, Scene, Selection, Tool, ToolRegistry, ToolResult};
use clawd::workbench::{Setup, Workbench};
use divan::Bencher;
use divan::counter::ItemsCount;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// As many as an answer may make.
const CALLS: usize = 64;

fn main() {
    divan::main();
}

/// A tool that does nothing: the floor.
#[divan::bench]
fn nothing(bencher: Bencher<'_, '_>) {
    let stage = Stage::new(|registry| registry.register(Arc::new(Idle)).unwrap());
    stage.round(bencher, |_| ("Idle", json!({})));
}

/// Ten lines of a small file.
#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    let stage = Stage::new(|_| {});
    stage.round(bencher, |_| ("Read", json!({"file_path": "f"})));
}

/// One line of a small file for another, there and back.
#[divan::bench]
fn edit(bencher: Bencher<'_, '_>) {
    let stage = Stage::new(|_| {});
    stage.once("Read", &json!({"file_path": "f"}));
    stage.round(bencher, |number| {
        let (old, new) = if number % 2 == 0 { ("line 5", "line five") } else { ("line five", "line 5") };
        ("Edit", json!({"file_path": "f", "old_string": old, "new_string": new}))
    });
}

/// A session, the loop and a runtime.
struct Stage {
    runtime: Runtime,
    tools: Arc<ToolRegistry>,
    bench: Arc<Workbench>,
    _directory: tempfile::TempDir,
}

impl Stage {
    fn new(more: impl FnOnce(&mut ToolRegistry)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let lines: Vec<String> = (0..10).map(|number| format!("line {number}\n")).collect();
        std::fs::write(directory.path().join("f"), lines.concat()).unwrap();
        let setup = Setup { root: directory.path().to_owned(), ..Setup::default() };
        let bench = Arc::new(Workbench::new(setup).unwrap());
        let mut tools = ToolRegistry::built_in(&Selection::default(), Web::default()).unwrap();
        more(&mut tools);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { runtime, tools: Arc::new(tools), bench, _directory: directory }
    }

    fn once(&self, tool: &str, arguments: &Value) {
        self.run(vec![Said::new().call(tool, arguments.to_string()), Said::text("done")]);
    }

    fn round(&self, bencher: Bencher<'_, '_>, call: impl Fn(usize) -> (&'static str, Value)) {
        let said = (0..CALLS).fold(Said::new(), |said, number| {
            let (tool, arguments) = call(number);
            said.call(tool, arguments.to_string())
        });
        bencher
            .counter(ItemsCount::new(CALLS))
            .with_inputs(|| vec![said.clone(), Said::text("done")])
            .bench_local_values(|script| self.run(script));
    }

    fn run(&self, script: Vec<Said>) {
        let agent = Agent::create(AgentParts {
            chat: Arc::new(Scripted::new(script)),
            tools: Arc::clone(&self.tools),
            hooks: Arc::new(NoHooks),
            clock: Arc::new(SystemClock),
            system: "".into(),
            model: "m".into(),
            window: Window::default(),
            nudging: Nudging::Off,
        })
        .unwrap();
        let context = ChatContext {
            history: History::new(),
            policy: PolicyCell::new(Policy { mode: Mode::Bypass, ..Policy::default() }),
            bench: Arc::clone(&self.bench),
            inbox: Inbox::default(),
        };
        let options = LoopOptions {
            budget: TurnBudget::AtMost(10),
            spending: Spending::unlimited(),
            attendance: Attendance::Unattended,
            token: CancellationToken::new(),
            stop_cause: StopCause::default(),
            sink: Arc::new(Deaf),
            approver: Arc::new(Absent),
        };
        let start = Start::Prompt(vec![UserMessage::new(Origin::User, "go".to_owned())]);
        let result = self.runtime.block_on(agent.chat(start, context, options));
        assert_eq!(result.end, RunEnd::Done);
    }
}

/// Takes everything and keeps nothing.
struct Deaf;

impl Sink for Deaf {
    fn emit(&self, _event: AgentEvent) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Is never asked.
struct Absent;

impl Approver for Absent {
    fn approve(&self, _question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(Answer::Unattended))
    }
}

/// A tool that does nothing, one at a time.
struct Idle;

impl Tool for Idle {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Idle".into(),
            description: String::new(),
            parameters: json!({"type": "object", "properties": {}}),
            parallel: false,
        }
    }

    fn prepare(&self, _: &Map<String, Value>, _: PathBase<'_>) -> Result<Box<dyn Prepared>, String> {
        Ok(Box::new(Self))
    }
}

impl Prepared for Idle {
    fn access(&self) -> Access {
        Access::Nothing
    }

    fn preview<'a>(&'a self, _: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(std::future::ready(Ok(Preview::Text(String::new()))))
    }

    fn run(self: Box<Self>, _: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(std::future::ready(ToolResult::success("", Display::Line(String::new()))))
    }
}
