//! One call, from what the model wrote to the answer that it gets.
//!
//! Seven stages: discovery, permission, hook, confirmation, execution, post-hook, formatting. The first four make a call
//! ready ([`ready`]), one after another over the batch; the last three run it ([`execute_tool_call`]), side by side where that
//! is safe. A call that fails in any stage has its answer there and then; nothing here ends a run by itself, and no
//! stage can fail in a way that leaves a call without an answer.
//!
//! Judge before look: the preview that a person sees may open files, so it is made only for a call that no rule forbids.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::asked::{AskedCall, Unusable};
use super::format::format;
use super::host::RunHost;
use super::seams::{AgentHooks, HookVerdict, Sink};
use super::turns::Run;
use super::{hush, tags};
use crate::permission::Verdict;
use crate::protocol::{
    Access, AgentEvent, Answer, Approval, Asked, CallForm, CallId, Content, Display, Network, NoticeKind,
    Occasion, Preview, Question, Tail, Terms, ToolCall, ToolStatus,
};
use crate::text::redact::Hide;
use crate::tools::{Host, INTERRUPTED, Prepared, Scene, Tool, ToolResult};
use crate::workbench::Workbench;

/// How long a tool may take to end after an abort. Processes get 30 ms of it before they are handed on; this is
/// for a tool that forgot to listen.
const ABORT_GRACE: Duration = Duration::from_millis(400);

/// A call after the first four stages.
pub(super) enum Readied {
    Runnable(Box<Runnable>),
    Finished(Box<Finished>),
}

/// A call that may run.
pub(super) struct Runnable {
    pub(super) call: ToolCall,
    form: CallForm,
    pub(super) input: Value,
    /// Whether it may run beside others of its kind.
    pub(super) parallel: bool,
    prepared: Box<dyn Prepared>,
    permit: Permit,
    host: Arc<RunHost>,
}

/// What a call may.
struct Permit {
    terms: Terms,
    /// What of its result is hidden.
    hide: Hide,
}

/// A call with its answer.
pub(super) struct Finished {
    pub(super) call: ToolCall,
    pub(super) result: ToolResult,
    pub(super) duration: Duration,
    pub(super) denial: Option<Denial>,
    /// Whether it changed a file.
    pub(super) changed: bool,
    /// Its arguments as they came, where no object could be read from them: its start tells them, and nothing else does.
    pub(super) written: Option<String>,
}

/// Somebody or something said no.
pub(super) struct Denial {
    pub(super) reason: String,
    pub(super) then: AfterDenial,
}

/// What a denial means for the run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterDenial {
    GoOn,
    EndTheRun,
}

/// Why a call never ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NotRun {
    Interrupted,
    /// It was told to end and did not in time.
    Overdue,
    EarlierRefusal,
}

/// What the last stages need of a run; apart from it, so that calls can go side by side.
pub(super) struct RunScene {
    bench: Arc<Workbench>,
    token: CancellationToken,
    sink: Arc<dyn Sink>,
    hooks: Arc<dyn AgentHooks>,
}

/// Discovery, permission, hook, confirmation.
pub(super) async fn ready(run: &mut Run<'_>, asked: AskedCall) -> Readied {
    let AskedCall { call, form, arguments } = asked;
    let registered = run.agent.parts.tools.get(call.name.as_str());
    let Some((tool, parallel)) = registered.map(|found| (Arc::clone(&found.tool), found.spec.parallel))
    else {
        let text = unknown_tool(run, &call);
        return Readied::Finished(Finished::failed(call, text));
    };
    ready_with(run, (tool.as_ref(), parallel), AskedCall { call, form, arguments }).await
}

/// The same with the tool already found, and whether its calls may run in parallel.
pub(super) async fn ready_with(
    run: &mut Run<'_>,
    (tool, parallel): (&dyn Tool, bool),
    asked: AskedCall,
) -> Readied {
    let AskedCall { call, form, arguments } = asked;
    let shell_cwd = run.context.bench.shell().cwd();
    let base = run.context.bench.path_base_in(&shell_cwd);
    let prepared = arguments
        .map(tags::restore)
        .and_then(|map| Ok((tool.prepare(&map, base).map_err(as_error)?, Value::Object(map))));
    let (prepared, input) = match prepared {
        Ok(prepared) => prepared,
        Err(Unusable { text, written }) => {
            let mut finished = Finished::failed(call, text);
            finished.written = written;
            return Readied::Finished(finished);
        }
    };
    let host = Arc::new(RunHost::new(run, &call, form));
    let permit = Permit { terms: Terms::default(), hide: Hide::All };
    let runnable = Runnable { call, form, input, parallel, prepared, permit, host };
    match self::permit(run, &runnable).await {
        Ok(permit) => Readied::Runnable(Box::new(Runnable { permit, ..runnable })),
        Err(mut finished) => {
            // an error may quote the file
            hush::result(run.context.bench.redactor(), Hide::All, &mut finished.result);
            tags::escape(&mut finished.result);
            Readied::Finished(finished)
        }
    }
}

impl Runnable {
    /// A call that is the user's own: nobody is asked, nothing is held.
    pub(super) fn of_the_user(run: &Run<'_>, id: &str, prepared: Box<dyn Prepared>) -> Self {
        let (call, form) = (ToolCall::new(id, "Bash", "{}"), CallForm::Native);
        let host = Arc::new(RunHost::of_the_user(run, &call));
        let permit = Permit { terms: Terms::default(), hide: Hide::Keys };
        Self { call, form, input: Value::Null, parallel: false, prepared, permit, host }
    }
}

fn unknown_tool(run: &Run<'_>, call: &ToolCall) -> String {
    let tools = &run.agent.parts.tools;
    let names = tools.names().collect::<Vec<_>>().join(", ");
    match tools.nearest(call.name.as_str()) {
        Some(near) => {
            format!("Error: unknown tool {:?}. Did you mean {near}? Available: {names}", call.name.as_str())
        }
        None => format!("Error: unknown tool {:?}. Available: {names}", call.name.as_str()),
    }
}

fn as_error(text: String) -> String {
    if text.starts_with("Error:") { text } else { format!("Error: {text}") }
}

/// Whether it may run, on which terms, and what of its result is hidden then.
async fn permit(run: &mut Run<'_>, runnable: &Runnable) -> Result<Permit, Box<Finished>> {
    let access = runnable.prepared.access();
    if matches!(access, Access::Exec(_)) {
        find_sandbox(run, runnable).await?;
    }
    let verdict = run.context.policy.snapshot().judge(runnable.form, &runnable.call.name, &access);
    let (reason, remember, careful, terms) = match verdict {
        Verdict::Deny { reason } => return Err(Finished::denied(&runnable.call, reason, AfterDenial::GoOn)),
        Verdict::Allow(terms) => return block(run, runnable).map(|()| Permit { terms, hide: Hide::All }),
        Verdict::Ask { reason, remember, careful, terms } => (reason, remember, careful, terms),
    };
    block(run, runnable)?;
    let preview = tokio::select! {
        biased;
        () = run.options.token.cancelled() => {
            return Err(Finished::not_run(runnable.call.clone(), NotRun::Interrupted));
        }
        preview = runnable.prepared.preview(&run.context.bench) => preview,
    };
    let failed = |text: String| Finished::failed(runnable.call.clone(), as_error(text));
    let (preview, problem) = match preview {
        Ok(preview) => (preview, None),
        Err(text) if may_look(run, &access) => return Err(failed(text)),
        // it tells something of a file that the model may not see yet: only the user is told now
        Err(text) => (Preview::Text(text.trim_start_matches("Error: ").to_owned()), Some(text)),
    };
    // who has been asked, and lets a file be read, wants to have it read
    let hide = if matches!(access, Access::Read(_)) { Hide::Keys } else { Hide::All };
    let approval = Approval {
        call: runnable.call.id.clone(),
        tool: runnable.call.name.clone(),
        access: access.clone(),
        form: runnable.form,
        preview,
        reason,
        remember,
        careful,
        hold: terms.hold,
        occasion: Occasion::Before,
    };
    let network = confirm(run, runnable, approval).await?;
    let terms = terms_now(run, runnable, &access, network)?;
    problem.map_or(Ok(Permit { terms, hide }), |text| Err(failed(text)))
}

/// Whether the files may be read without asking, so that the model may be told what is wrong with them.
fn may_look(run: &Run<'_>, access: &Access) -> bool {
    let (Access::Read(files) | Access::Write(files)) = access else { return true };
    let verdict =
        run.context.policy.snapshot().judge(CallForm::Native, &"Read".into(), &Access::Read(files.clone()));
    matches!(verdict, Verdict::Allow(_))
}

/// A judgement of a command asks whether the system can hold it. Finding that out takes a process, once, and no thread that
/// serves others waits for it. Who is stopped meanwhile leaves a search behind that ends by itself.
async fn find_sandbox(run: &Run<'_>, runnable: &Runnable) -> Result<(), Box<Finished>> {
    let policy = run.context.policy.snapshot();
    let (sandbox, mode) = (policy.sandbox, policy.mode);
    // whoever wants no sandbox pays for none; one that cannot be looked for is looked for by the judgement
    let is_missing = tokio::task::spawn_blocking(move || sandbox.is_wanted(mode) && !sandbox.is_enforced());
    tokio::select! {
        biased;
        () = run.options.token.cancelled() => {
            return Err(Finished::not_run(runnable.call.clone(), NotRun::Interrupted));
        }
        is_missing = is_missing => {
            if is_missing.unwrap_or(false) && run.context.bench.warn_of_no_sandbox() {
                run.notice(NoticeKind::Info, NO_SANDBOX).await;
            }
        }
    }
    Ok(())
}

/// What the user is told where no sandbox was asked for and none can be had.
const NO_SANDBOX: &str = "no sandbox on this system: more commands need approval (try `clawd doctor`)";

/// The terms after a yes: those of this moment, for the mode may have changed while the question was open.
fn terms_now(
    run: &Run<'_>,
    runnable: &Runnable,
    access: &Access,
    network: Network,
) -> Result<Terms, Box<Finished>> {
    let hold = match run.context.policy.snapshot().judge(runnable.form, &runnable.call.name, access) {
        Verdict::Deny { reason } => return Err(Finished::denied(&runnable.call, reason, AfterDenial::GoOn)),
        Verdict::Allow(terms) | Verdict::Ask { terms, .. } => terms.hold,
    };
    let hold = match network {
        Network::Off => hold,
        Network::On => hold.with_network(),
    };
    // what was shown is what runs
    Ok(Terms { hold, ..Terms::default() })
}

fn block(run: &Run<'_>, runnable: &Runnable) -> Result<(), Box<Finished>> {
    match run.agent.parts.hooks.before_tool_execution(&runnable.call) {
        HookVerdict::Go => Ok(()),
        HookVerdict::Block(reason) => Err(Finished::denied(&runnable.call, reason, AfterDenial::GoOn)),
    }
}

/// Asks. Returns whether the network was granted beyond what was asked for.
async fn confirm(run: &Run<'_>, runnable: &Runnable, approval: Approval) -> Result<Network, Box<Finished>> {
    let why = approval.reason.clone();
    let question = Question { id: run.questions.next(), asked: Asked::Approval(approval) };
    let answer = tokio::select! {
        biased;
        () = run.options.token.cancelled() => None,
        answer = run.options.approver.approve(question) => Some(answer),
    };
    let call = &runnable.call;
    match answer {
        None => Err(Finished::not_run(call.clone(), NotRun::Interrupted)),
        Some(Answer::Allow | Answer::AllowAlways) => Ok(Network::Off),
        Some(Answer::AllowWithNetwork) => Ok(Network::On),
        // words alone are no yes
        Some(Answer::Deny { words: Some(words) } | Answer::Chosen(words)) => {
            Err(Finished::denied(call, format!("denied by the user: {words}"), AfterDenial::GoOn))
        }
        Some(Answer::Deny { words: None }) => {
            Err(Finished::denied(call, "denied by the user".to_owned(), AfterDenial::EndTheRun))
        }
        Some(Answer::Overruled { reason }) => Err(Finished::denied(call, reason, AfterDenial::GoOn)),
        Some(Answer::Unattended) => {
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            let reason = format!("requires approval{why}, and this session is not interactive");
            Err(Finished::denied(call, reason, AfterDenial::GoOn))
        }
    }
}

/// Execution, post-hook, formatting. An abort is answered even by a tool that does not listen.
pub(super) async fn execute_tool_call(scene: &RunScene, runnable: Runnable) -> Finished {
    let Runnable { call, prepared, permit, host, .. } = runnable;
    // Whoever was told of its start may have taken that long.
    if scene.token.is_cancelled() {
        return *Finished::not_run(call, NotRun::Interrupted);
    }
    tracing::debug!(tool = call.name.as_str(), argument_bytes = call.arguments.len(), "call");
    let began = Instant::now();
    let (progress, newest) = watch::channel(Tail::default());
    let running = prepared.run(Scene {
        call: call.id.clone(),
        bench: Arc::clone(&scene.bench),
        cancel: scene.token.child_token(),
        progress: Arc::new(progress),
        terms: permit.terms,
        host: Arc::clone(&host) as Arc<dyn Host>,
    });
    let mut result = tokio::select! {
        biased;
        result = running => result,
        () = overdue(&scene.token) => Finished::not_run(call.clone(), NotRun::Overdue).result,
        never = pass_on_progress(scene, &call.id, newest) => match never {},
    };
    hush::result(scene.bench.redactor(), permit.hide, &mut result);
    let mut result = scene.hooks.after_tool_execution(&call, result);
    tags::escape(&mut result);
    let result = format(&scene.bench, &call.id, result).await;
    let changed = host.has_changed();
    Finished { call, result, duration: began.elapsed(), denial: None, changed, written: None }
}

async fn overdue(token: &CancellationToken) {
    token.cancelled().await;
    tokio::time::sleep(ABORT_GRACE).await;
}

async fn pass_on_progress(scene: &RunScene, id: &CallId, mut newest: watch::Receiver<Tail>) -> Infallible {
    while newest.changed().await.is_ok() {
        let tail = newest.borrow_and_update().clone();
        scene.sink.emit(AgentEvent::ToolProgress { id: id.clone(), tail }).await;
    }
    std::future::pending().await
}

impl RunScene {
    pub(super) fn of(run: &Run<'_>) -> Self {
        Self {
            bench: Arc::clone(&run.context.bench),
            token: run.options.token.clone(),
            sink: Arc::clone(&run.options.sink),
            hooks: Arc::clone(&run.agent.parts.hooks),
        }
    }
}

impl Finished {
    fn with(call: ToolCall, status: ToolStatus, text: String) -> Box<Self> {
        let display = Display::Line(text.strip_prefix("Error: ").unwrap_or(&text).to_owned());
        let result = ToolResult { status, content: Content::text(text), display };
        Box::new(Self { call, result, duration: Duration::ZERO, denial: None, changed: false, written: None })
    }

    fn failed(call: ToolCall, text: String) -> Box<Self> {
        Self::with(call, ToolStatus::Failed, text)
    }

    fn denied(call: &ToolCall, reason: String, then: AfterDenial) -> Box<Self> {
        let mut finished = Self::with(call.clone(), ToolStatus::Denied, format!("Error: not run: {reason}"));
        finished.denial = Some(Denial { reason, then });
        finished
    }

    /// The answer of a call that nobody got to.
    pub(super) fn not_run(call: ToolCall, why: NotRun) -> Box<Self> {
        match why {
            NotRun::Interrupted => Self::with(call, ToolStatus::Interrupted, format!("Error: {INTERRUPTED}")),
            NotRun::Overdue => Self::with(
                call,
                ToolStatus::Interrupted,
                format!("Error: {INTERRUPTED}; it may have partially completed"),
            ),
            NotRun::EarlierRefusal => Self::with(
                call,
                ToolStatus::Denied,
                "Error: not run: the user denied an earlier call".to_owned(),
            ),
        }
    }
}
