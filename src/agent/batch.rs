//! The calls of one answer: what only reads goes side by side, the rest in order; answers always in call order.
//!
//! Calls are made ready one after another (so questions come in order); neighbours that only read then run together. After
//! an abort or a refusal the rest is answered without being run, so that each call has exactly one answer whatever happened.

use std::collections::VecDeque;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use serde_json::Value;

use super::asked::AskedCall;
use super::call::{self, AfterDenial, Finished, NotRun, Readied, RunScene};
use super::turns::Run;
use crate::protocol::{AgentEvent, CallSummary, Content, Message, ToolCall, ToolMessage, ToolStatus};

/// What became of the calls of one answer.
pub(super) struct Outcome {
    /// Each call with its answer, in order.
    pub(super) answers: Vec<Answered>,
    /// Whether the user said No without words.
    pub(super) refused: bool,
}

/// A call and what the model was told.
pub(super) struct Answered {
    pub(super) call: ToolCall,
    pub(super) content: Content,
    pub(super) status: ToolStatus,
    /// Whether it changed a file.
    pub(super) changed: bool,
}

/// Runs all calls of an answer and records their answers.
pub(super) async fn run(run: &mut Run<'_>, calls: Vec<AskedCall>) -> Outcome {
    let mut outcome = Outcome { answers: Vec::new(), refused: false };
    let mut waiting: VecDeque<AskedCall> = calls.into();
    while let Some(asked) = waiting.pop_front() {
        if let Some(why) = stopped(run, &outcome) {
            answer(run, &mut outcome, *Finished::not_run(asked.call, why)).await;
            continue;
        }
        let mut group = vec![call::ready(run, asked).await];
        while group.iter().all(may_have_neighbours)
            && let Some(next) = waiting.pop_front_if(|next| only_reads(run, next))
        {
            group.push(call::ready(run, next).await);
        }
        run_group(run, &mut outcome, group).await;
    }
    outcome
}

fn stopped(run: &Run<'_>, outcome: &Outcome) -> Option<NotRun> {
    if outcome.refused {
        return Some(NotRun::EarlierRefusal);
    }
    run.options.token.is_cancelled().then_some(NotRun::Interrupted)
}

fn may_have_neighbours(readied: &Readied) -> bool {
    match readied {
        Readied::Runnable(runnable) => runnable.parallel,
        Readied::Finished(_) => false,
    }
}

fn only_reads(run: &Run<'_>, next: &AskedCall) -> bool {
    let tool = run.agent.parts.tools.get(next.call.name.as_str());
    tool.is_some_and(|registered| registered.spec.parallel)
}

async fn run_group(run: &mut Run<'_>, outcome: &mut Outcome, group: Vec<Readied>) {
    for readied in &group {
        if let Some((call, input)) = start_of(readied)
            && !run.options.token.is_cancelled()
        {
            run.emit(AgentEvent::ToolStart { id: call.id.clone(), name: call.name.clone(), input }).await;
        }
    }
    let scene = RunScene::of(run);
    let mut running: FuturesOrdered<_> = group.into_iter().map(|readied| finish(&scene, readied)).collect();
    while let Some(finished) = running.next().await {
        answer(run, outcome, finished).await;
    }
}

/// The call and its arguments, where its start is told: of what runs, and of what was whole and yet unreadable.
fn start_of(readied: &Readied) -> Option<(&ToolCall, Value)> {
    match readied {
        Readied::Runnable(runnable) => Some((&runnable.call, runnable.input.clone())),
        Readied::Finished(finished) => {
            finished.written.clone().map(|written| (&finished.call, Value::String(written)))
        }
    }
}

async fn finish(scene: &RunScene, readied: Readied) -> Finished {
    match readied {
        Readied::Runnable(runnable) => call::execute_tool_call(scene, *runnable).await,
        Readied::Finished(finished) => *finished,
    }
}

/// Records one answer, and says it.
async fn answer(run: &mut Run<'_>, outcome: &mut Outcome, finished: Finished) {
    let Finished { call, mut result, duration, denial, changed, written: _ } = finished;
    run.options.stop_cause.name_in(&mut result);
    run.record(Message::Tool(ToolMessage {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: result.content.clone(),
        status: result.status,
    }))
    .await;
    if let Some(denial) = denial {
        outcome.refused |= denial.then == AfterDenial::EndTheRun;
        let (id, name) = (call.id.clone(), call.name.clone());
        run.emit(AgentEvent::PermissionDenied { id, name, reason: denial.reason }).await;
    }
    run.emit(AgentEvent::ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        status: result.status,
        content: result.content.clone(),
        display: result.display,
        duration,
    })
    .await;
    run.note_call(CallSummary { name: call.name.clone(), success: !result.status.is_error(), duration });
    outcome.answers.push(Answered { call, content: result.content, status: result.status, changed });
}

#[cfg(test)]
mod tests {
    use crate::os::paths::PathBase;
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};

    use futures_util::future::BoxFuture;
    use serde_json::{Map, Value};
    use tokio::sync::Notify;

    use super::super::*;
    use crate::chat::scripted::{Answer as Line, Scripted};
    use crate::os::clock::SystemClock;
    use crate::permission::{Enforced, Policy, Rules, SandboxMode, Sandboxing};
    use crate::protocol::{
        Access, AgentEvent, Answer, Display, ExecAccess, Message, Preview, Question, ToolCall, ToolSpec,
    };
    use crate::tools::{Prepared, Scene, Tool, ToolResult};
    use crate::workbench::Setup;

    /// What happened, in order; seen by every seam.
    #[derive(Clone, Default)]
    struct Log {
        lines: Arc<Mutex<Vec<String>>>,
        told: Arc<Notify>,
        policy: Arc<Mutex<Option<PolicyCell>>>,
    }

    impl Log {
        fn add(&self, line: impl Into<String>) {
            self.lines.lock().unwrap().push(line.into());
        }

        fn of(&self, words: &[&str]) -> Vec<String> {
            let lines = self.lines.lock().unwrap();
            lines.iter().filter(|line| words.iter().any(|word| line.starts_with(word))).cloned().collect()
        }
    }

    /// A tool whose call `wait` ends when a call `tell` has, and that writes down what becomes of its calls.
    struct Noted {
        name: &'static str,
        parallel: bool,
        access: Access,
        log: Log,
    }

    impl Tool for Noted {
        fn spec(&self) -> ToolSpec {
            ToolSpec {
                name: self.name.into(),
                description: String::new(),
                parameters: Value::Object(Map::new()),
                parallel: self.parallel,
            }
        }

        fn prepare(
            &self,
            arguments: &Map<String, Value>,
            _base: PathBase<'_>,
        ) -> Result<Box<dyn Prepared>, String> {
            let what = arguments.get("what").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.log.add(format!("prepare {what}"));
            Ok(Box::new(NotedCall { what, access: self.access.clone(), log: self.log.clone() }))
        }
    }

    struct NotedCall {
        what: String,
        access: Access,
        log: Log,
    }

    impl Prepared for NotedCall {
        fn access(&self) -> Access {
            self.log.add("access");
            self.access.clone()
        }

        fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
            self.log.add("preview");
            Box::pin(async { Ok(Preview::Text(String::new())) })
        }

        fn run(self: Box<Self>, _scene: Scene) -> BoxFuture<'static, ToolResult> {
            Box::pin(async move {
                self.log.add(format!("run {}", self.what));
                match self.what.as_str() {
                    "wait" => self.log.told.notified().await,
                    "tell" => self.log.told.notify_one(),
                    _ => tokio::task::yield_now().await,
                }
                self.log.add(format!("end {}", self.what));
                ToolResult::success(self.what, Display::Line(String::new()))
            })
        }
    }

    impl Sink for Log {
        fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()> {
            match event {
                AgentEvent::ToolStart { id, .. } => self.add(format!("start {id}")),
                AgentEvent::ToolResult { id, .. } => self.add(format!("result {id}")),
                AgentEvent::Recorded(entry) => {
                    if let crate::protocol::EntryBody::Message(Message::Tool(told)) = entry.body {
                        self.add(format!("record {}", told.call_id));
                    }
                }
                _ => {}
            }
            Box::pin(async {})
        }
    }

    impl Approver for Log {
        fn approve(&self, _question: Question) -> BoxFuture<'_, Answer> {
            self.add("ask");
            // as a front end does it: in force first, then the answer
            if let Some(cell) = self.policy.lock().unwrap().as_ref() {
                let allow = vec!["Read(//elsewhere)".parse().unwrap()];
                cell.swap(Policy { rules: Rules { allow, ..Rules::default() }, ..Policy::default() });
            }
            Box::pin(async { Answer::AllowAlways })
        }
    }

    impl AgentHooks for Log {
        fn before_tool_execution(&self, _call: &ToolCall) -> HookVerdict {
            self.add("hook");
            HookVerdict::Go
        }

        fn after_tool_execution(&self, _call: &ToolCall, result: ToolResult) -> ToolResult {
            self.add("post-hook");
            result
        }
    }

    /// A run in which the model makes these calls (tool, what) in one answer.
    async fn run(calls: &[(&str, &str)]) -> Log {
        run_with(Log::default(), PolicyCell::new(Policy::default()), calls).await
    }

    async fn run_with(log: Log, policy: PolicyCell, calls: &[(&str, &str)]) -> Log {
        let dir = tempfile::tempdir().unwrap();
        let bench = Workbench::new(Setup { root: dir.path().into(), ..Setup::default() }).unwrap();
        let mut tools = ToolRegistry::new();
        let outside = Access::Read(vec!["/elsewhere".into()]);
        for (name, parallel, access) in [
            ("Look", true, Access::Nothing),
            ("Do", false, Access::Nothing),
            ("Ask", false, outside),
            ("Run", false, Access::Exec(ExecAccess { command: "make".into(), cwd: "/".into() })),
        ] {
            tools.register(Arc::new(Noted { name, parallel, access, log: log.clone() })).unwrap();
        }
        let answer = calls.iter().fold(Line::new(), |answer, (tool, what)| {
            answer.call(*tool, serde_json::json!({ "what": what }).to_string())
        });
        let agent = Agent::create(AgentParts {
            chat: Arc::new(Scripted::new([answer, Line::text("done")])),
            tools: Arc::new(tools),
            hooks: Arc::new(log.clone()),
            clock: Arc::new(SystemClock),
            system: "s".into(),
            model: "m".into(),
            window: Window::default(),
            nudging: Nudging::Off,
        });
        let context =
            ChatContext { history: History::new(), policy, bench: Arc::new(bench), inbox: Inbox::default() };
        let options = LoopOptions {
            budget: TurnBudget::AtMost(5),
            spending: Spending::unlimited(),
            attendance: Attendance::Attended,
            token: CancellationToken::new(),
            stop_cause: StopCause::default(),
            sink: Arc::new(log.clone()),
            approver: Arc::new(log.clone()),
        };
        let prompt = Start::Prompt(vec![UserMessage::default()]);
        agent.unwrap_or_else(|error| panic!("{error:?}")).chat(prompt, context, options).await;
        log
    }

    #[tokio::test]
    async fn a_call_goes_through_its_stages_in_order() {
        let log = run(&[("Ask", "x")]).await;
        let stages = ["prepare x", "access", "hook", "preview", "ask"];
        let then = ["start call_1", "run x", "end x", "post-hook", "record call_1", "result call_1"];
        assert_eq!(*log.lines.lock().unwrap(), [stages.as_slice(), then.as_slice()].concat());
    }

    #[tokio::test]
    async fn a_rule_that_came_with_an_answer_counts_for_the_next_call_of_the_same_batch() {
        let calls = [("Ask", "a"), ("Do", "b"), ("Ask", "c")];
        assert_eq!(run(&calls).await.of(&["ask", "run"]), ["ask", "run a", "run b", "ask", "run c"]);
        let cell = PolicyCell::new(Policy::default());
        let granting = Log::default();
        *granting.policy.lock().unwrap() = Some(cell.clone());
        let log = run_with(granting, cell, &calls).await;
        assert_eq!(log.of(&["ask", "run"]), ["ask", "run a", "run b", "run c"]);
    }

    /// The threads that asked whether there is a sandbox, in order.
    static ASKED: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

    #[tokio::test]
    async fn the_sandbox_is_looked_for_on_a_thread_that_nobody_waits_for() {
        let enforced = Enforced::new(|| {
            ASKED.lock().unwrap().push(thread::current().id());
            true
        });
        let sandbox = Sandboxing { enforced, ..Sandboxing::default() };
        let off = Sandboxing { mode: SandboxMode::Off, ..sandbox };
        let judging = |sandbox| PolicyCell::new(Policy { sandbox, ..Policy::default() });
        let log = run_with(Log::default(), judging(off), &[("Run", "x")]).await;
        assert_eq!(
            (log.of(&["run"]).len(), ASKED.lock().unwrap().len()),
            (1, 0),
            "who wants none pays for none"
        );
        let log = run_with(Log::default(), judging(sandbox), &[("Run", "x")]).await;
        let asked = ASKED.lock().unwrap();
        assert!(log.of(&["run"]).len() == 1 && asked[0] != thread::current().id(), "{asked:?}");
    }

    #[tokio::test]
    async fn calls_that_only_read_run_beside_each_other_and_answer_in_call_order() {
        // the first ends only if the third runs beside it
        let log = run(&[("Look", "wait"), ("Look", "x"), ("Look", "tell")]).await;
        assert_eq!(log.of(&["end wait", "end tell"]), ["end tell", "end wait"]);
        assert_eq!(log.of(&["record"]), ["record call_1", "record call_2", "record call_3"]);
    }

    #[tokio::test]
    async fn other_calls_are_made_ready_when_their_turn_comes() {
        let log = run(&[("Do", "a"), ("Do", "b"), ("Look", "c"), ("Look", "d"), ("Do", "e")]).await;
        let expected = "prepare a,run a,end a,prepare b,run b,end b,prepare c,prepare d,run c,run d";
        let seen = log.of(&["prepare", "run", "end"]).join(",");
        assert!(seen.starts_with(expected) && seen.ends_with("prepare e,run e,end e"), "{seen}");
    }
}
