//! What a run reports, put where it is seen.
//!
//! Deltas go into the live part; what is finished becomes a cell at once. Calls that only look are gathered and told in one
//! line as soon as something else happens.

use std::time::Duration;

use serde_json::Value;

use super::input::{give_back, remark};
use super::{reports, tasks};
use crate::conversation::{Again, Ended, Followed, Happening};
use crate::protocol::{
    AgentEvent, Approval, Asked, Attachment, CallId, Display, Entry, EntryBody, LoopResult, Message,
    NoticeKind, Origin, Question, RunEnd, ToolCall, ToolKind, ToolMessage, ToolName, ToolStatus, UserMessage,
    Waiting,
};
use crate::tui::effect::Effect;
use crate::tui::model::answering::Answering;
use crate::tui::model::call::{DoneCall, Label, RunningCall, kind_of};
use crate::tui::model::live::Live;
use crate::tui::model::moment::Moment;
use crate::tui::model::question::{Asking, Guard};
use crate::tui::model::run::RunView;
use crate::tui::model::transcript::Cell;
use crate::tui::model::{AtLimit, Limit, Model, Stage};

/// What to do after a failure (the outside contract).
const ASK_AGAIN: &str = "Your message was not lost: press Enter on an empty input to retry.";

/// Takes what happened in the conversation.
pub(super) fn happened(model: &mut Model, now: Moment, happening: Happening) -> Vec<Effect> {
    match happening {
        Happening::Event(event) => {
            let answers = is_answer(&event);
            event_came(model, now, event);
            if answers {
                return reports::refresh(model);
            }
        }
        Happening::Asked(question) => asked(model, now, question),
        Happening::Jobs(news) => tasks::news(model, now, news),
        Happening::Ended(ended) => end(model, now, *ended),
    }
    Vec::new()
}

/// Whether a call has been answered.
fn is_answer(event: &AgentEvent) -> bool {
    matches!(event, AgentEvent::Recorded(entry) if matches!(entry.body, EntryBody::Message(Message::Tool(_))))
}

/// A run begins, or goes on after a question.
pub(super) fn begin(model: &mut Model, now: Moment) {
    model.run = Some(RunView::begin(now));
    model.stage = Stage::Running;
}

/// A message that was said earlier, shown again.
pub(super) fn show_message(model: &mut Model, message: &Message) {
    match message {
        Message::User(user) if is_spoken(user.origin) => show_words(model, user),
        Message::Assistant(answer) => {
            let mut live = Live::default();
            let blocks = live.push(&answer.text).into_iter().chain(live.finish());
            blocks.for_each(|block| model.transcript.push(Cell::Answer(block)));
        }
        Message::User(_) | Message::Tool(_) => {}
    }
}

/// What the user said, and what `@` brought with it.
fn show_words(model: &mut Model, user: &UserMessage) {
    model.transcript.push(Cell::User(user.words()));
    if !user.attachments.is_empty() {
        let root = std::path::Path::new(&model.facts.root);
        let named = user.attachments.iter().map(|file| attached(file, root)).collect::<Vec<_>>();
        remark(model, format!("attached {}", named.join(", ")));
    }
}

/// As it would be written behind `@`.
fn attached(file: &Attachment, root: &std::path::Path) -> String {
    let path = std::path::Path::new(&file.path);
    let path = path.strip_prefix(root).ok().filter(|path| !path.as_os_str().is_empty()).unwrap_or(path);
    match file.lines {
        Some((first, last)) if first == last => format!("{}:{first}", path.display()),
        Some((first, last)) => format!("{}:{first}-{last}", path.display()),
        None => path.display().to_string(),
    }
}

/// A call of an earlier process with its answer, as far as the answer tells how it went.
pub(super) fn show_call(model: &mut Model, call: &ToolCall, answer: &ToolMessage) {
    let text = answer.content.to_text();
    let done = DoneCall {
        id: call.id.clone(),
        label: label_of(call, &model.facts.root),
        status: answer.status,
        display: match kind_of(call.name.as_str()) {
            ToolKind::Read => Display::Line(String::new()),
            ToolKind::Act => Display::Text(text),
            // an answer, or how many steps are done
            ToolKind::Interact => Display::Line(text.lines().next().unwrap_or_default().to_owned()),
        },
        duration: Duration::ZERO,
    };
    let only_looked = kind_of(call.name.as_str()) == ToolKind::Read && done.status == ToolStatus::Success;
    model.transcript.push(if only_looked { Cell::Explored(vec![done]) } else { Cell::Call(Box::new(done)) });
}

fn label_of(call: &ToolCall, root: &str) -> Label {
    let input = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    Label::of(call.name.as_str(), &input, root)
}

fn is_spoken(origin: Origin) -> bool {
    match origin {
        Origin::User | Origin::Queued | Origin::Command | Origin::Shell => true,
        Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook => false,
    }
}

fn event_came(model: &mut Model, now: Moment, event: AgentEvent) {
    // A remark may come at rest; anything else belongs to a run.
    if model.run.is_none() && !matches!(event, AgentEvent::Notice { .. }) {
        begin(model, now);
    }
    match event {
        AgentEvent::TurnStart { .. } => with_run(model, |run| run.turns += 1),
        AgentEvent::Waiting(waiting) => with_run(model, |run| run.wait_for(waiting, now)),
        AgentEvent::ThinkingDelta(text) => think(model, now, &text),
        AgentEvent::TextDelta(text) => arrive(model, now, &text),
        AgentEvent::Recorded(entry) => recorded(model, now, entry),
        AgentEvent::ToolStart { id, name, input } => start(model, now, id, &name, &input),
        AgentEvent::ToolProgress { id, tail } => with_run(model, |run| {
            if let Some(call) = run.calls.iter_mut().find(|call| call.id == id) {
                call.tail = tail;
            }
        }),
        AgentEvent::ToolResult { id, name, status, display, duration, .. } => {
            let done = DoneCall {
                id: id.clone(),
                label: Label::of(name.as_str(), &Value::Null, ""),
                status,
                display,
                duration,
            };
            finish_call(model, &id, &name, done);
        }
        AgentEvent::PermissionDenied { .. } => {}
        AgentEvent::Measured { context } => model.meter.context = context,
        AgentEvent::Compaction { tokens_before, tokens_after } => {
            tell_explored(model);
            if model.meter.context > 0 {
                model.meter.context = tokens_after;
            }
            model.transcript.push(Cell::Compacted { before: tokens_before, after: tokens_after });
        }
        AgentEvent::Retry { error, discard, .. } => {
            if discard {
                void(model, now, &error);
            }
        }
        AgentEvent::Notice { kind, text } => notice(model, kind, text),
    }
}

fn with_run(model: &mut Model, change: impl FnOnce(&mut RunView)) {
    if let Some(run) = &mut model.run {
        change(run);
    }
}

fn think(model: &mut Model, now: Moment, text: &str) {
    tell_explored(model);
    with_run(model, |run| {
        run.wait_for(Waiting::Answer, now);
        if run.thoughts.is_empty() {
            run.thinking_since = now;
        }
        run.thoughts.push_str(text);
    });
}

fn arrive(model: &mut Model, now: Moment, text: &str) {
    tell_explored(model);
    fold_thoughts(model, now);
    let Some(run) = &mut model.run else { return };
    run.wait_for(Waiting::Answer, now);
    for block in run.answer.push(text) {
        model.transcript.push(Cell::Answer(block));
    }
}

/// What has arrived of the answer is all there is.
fn finish_answer(model: &mut Model, now: Moment) {
    fold_thoughts(model, now);
    let Some(run) = &mut model.run else { return };
    for block in std::mem::take(&mut run.answer).finish() {
        model.transcript.push(Cell::Answer(block));
    }
}

fn fold_thoughts(model: &mut Model, now: Moment) {
    let Some(run) = &mut model.run else { return };
    if run.thoughts.is_empty() {
        return;
    }
    let text = std::mem::take(&mut run.thoughts);
    let took = now.since(run.thinking_since);
    model.transcript.push(Cell::Thought { text, took });
}

/// What stands on the screen of this answer is void: it is closed by a line, and asked for again.
fn void(model: &mut Model, now: Moment, error: &str) {
    let seen = model.run.as_ref().is_some_and(|run| run.answer.has_begun());
    finish_answer(model, now);
    let kept = matches!(model.transcript.cells().last(), Some(Cell::Answer(_)));
    if seen || kept {
        model.transcript.push(Cell::Void(format!("response interrupted ({error}); retrying")));
    }
}

fn recorded(model: &mut Model, now: Moment, entry: Entry) {
    match entry.body {
        EntryBody::Message(Message::User(user)) => {
            tell_explored(model);
            if user.origin == Origin::Queued {
                model.queue.drop_first_message();
            }
            // what a command of the user's own printed is shown as it comes
            if is_spoken(user.origin) && user.origin != Origin::Shell {
                show_words(model, &user);
            }
        }
        EntryBody::Message(Message::Assistant(answer)) => {
            finish_answer(model, now);
            let called = answer.tool_calls.iter();
            let called = called.map(|call| (call.id.clone(), label_of(call, &model.facts.root))).collect();
            with_run(model, |run| run.called = called);
            if let Some(usage) = answer.usage {
                model.meter.context = usage.prompt_tokens.saturating_add(usage.completion_tokens);
                model.meter.total = model.meter.total.saturating_add(usage.total_tokens);
            }
        }
        EntryBody::Spent { usage, .. } => {
            model.meter.total = model.meter.total.saturating_add(usage.total_tokens);
        }
        EntryBody::Message(Message::Tool(_))
        | EntryBody::Session(_)
        | EntryBody::Compaction { .. }
        | EntryBody::Masked { .. }
        | EntryBody::Rewind { .. }
        | EntryBody::Unsaid { .. }
        | EntryBody::Redo
        | EntryBody::Checkpoint { .. }
        | EntryBody::Settings { .. }
        | EntryBody::Title(_) => {}
    }
}

fn start(model: &mut Model, now: Moment, id: CallId, name: &ToolName, input: &Value) {
    let kind = kind_of(name.as_str());
    if kind == ToolKind::Act {
        tell_explored(model);
    }
    let label = Label::of(name.as_str(), input, &model.facts.root);
    let call = RunningCall { id, label, since: now, tail: crate::protocol::Tail::default(), kind };
    with_run(model, |run| {
        run.calls.push(call);
        run.wait_for(Waiting::Tools, now);
    });
}

fn finish_call(model: &mut Model, id: &CallId, name: &ToolName, done: DoneCall) {
    let Some(run) = &mut model.run else { return };
    let started = run.calls.iter().position(|call| call.id == *id).map(|at| run.calls.remove(at));
    let label = started.map(|call| call.label).or_else(|| run.label(id));
    let mut done = DoneCall { label: label.unwrap_or(done.label), ..done };
    if kind_of(name.as_str()) == ToolKind::Interact {
        done.duration = Duration::ZERO;
    }
    if kind_of(name.as_str()) == ToolKind::Read && done.status == ToolStatus::Success {
        run.explored.push(done);
    } else {
        tell_explored(model);
        let cell = match done.display {
            Display::Todos(list) => Cell::Todos(Box::new(model.aside.todos.replace(list))),
            Display::Line(_) | Display::Text(_) | Display::Output { .. } | Display::Changes(_) => {
                Cell::Call(Box::new(done))
            }
        };
        model.transcript.push(cell);
    }
}

fn tell_explored(model: &mut Model) {
    let Some(run) = &mut model.run else { return };
    if !run.explored.is_empty() {
        model.transcript.push(Cell::Explored(std::mem::take(&mut run.explored)));
    }
}

fn notice(model: &mut Model, kind: NoticeKind, text: String) {
    match kind {
        NoticeKind::NotSaved => model.meter.unsaved = true,
        NoticeKind::Saved => model.meter.unsaved = false,
        NoticeKind::Nudge
        | NoticeKind::LoopDetected
        | NoticeKind::Fallback
        | NoticeKind::KeyRotated
        | NoticeKind::CutOff
        | NoticeKind::TextCalls
        | NoticeKind::Hook
        | NoticeKind::Trust
        | NoticeKind::Endpoint
        | NoticeKind::NotAttached
        | NoticeKind::Info => {}
    }
    tell_explored(model);
    remark(model, text);
}

fn asked(model: &mut Model, now: Moment, question: Question) {
    tell_explored(model);
    let guard = Guard::new(now, model.recent.printable);
    model.stage = match question.asked {
        Asked::Approval(approval) => Stage::Asking(Box::new(Asking::new(question.id, sane(approval), guard))),
        Asked::Choice(choice) => Stage::Answering(Box::new(Answering::new(question.id, choice, guard))),
    };
}

/// Rules that would be saved must be shown whole, so none is offered where one spans lines.
fn sane(mut approval: Approval) -> Approval {
    if approval.remember.iter().any(|rule| rule.contains('\n')) {
        approval.remember.clear();
    }
    approval
}

fn end(model: &mut Model, now: Moment, ended: Ended) {
    let what = |run: &RunView| {
        run.calls.iter().find(|call| call.kind != ToolKind::Interact).map(|call| call.label.object.clone())
    };
    let running = model.run.as_ref().and_then(what);
    model.aside.todos.settle();
    tell_explored(model);
    finish_answer(model, now);
    model.run = None;
    model.stage = Stage::Idle;
    let Ended { result, given_back, followed, again } = ended;
    match &result.end {
        RunEnd::Done => summarise(model, &result),
        RunEnd::Aborted | RunEnd::Refused => {
            model.transcript.push(Cell::Interrupted {
                what: running,
                given_back: model.queue.iter().filter(|queued| !queued.is_command()).count(),
            });
        }
        RunEnd::Failed(error) => {
            model.transcript.push(Cell::Error(error.message.clone()));
            match again {
                Again::Possible => remark(model, ASK_AGAIN),
                Again::Impossible => {}
            }
        }
        RunEnd::TurnLimit { .. } | RunEnd::Looping { .. } | RunEnd::OverBudget { .. } => {
            return stop_at(model, now, &result);
        }
    }
    model.queue.drop_messages();
    match (&result.end, followed) {
        (_, Followed::ByQueue) => {
            begin(model, now);
        }
        // the queued commands run now
        (RunEnd::Done, Followed::ByNothing) => {}
        (_, Followed::ByNothing) => give_back(model, given_back),
    }
}

fn stop_at(model: &mut Model, now: Moment, result: &LoopResult) {
    let Some(limit) = Limit::of(&result.end) else { return };
    let (calls, took) = (result.metadata.tool_calls_count, result.metadata.duration);
    let guard = Guard::new(now, model.recent.printable);
    model.stage = Stage::AtLimit(AtLimit { limit, calls, took, guard });
}

fn summarise(model: &mut Model, result: &LoopResult) {
    let metadata = &result.metadata;
    if metadata.turns_count == 0 {
        // a command of the user's own, which says itself how it went
        return;
    }
    let (turns, calls, took) = (metadata.turns_count, metadata.tool_calls_count, metadata.duration);
    model.transcript.push(Cell::Summary { turns, calls, took, tokens: metadata.usage.total_tokens });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{
        draft, end, happen, idle, last, press, queued, reply, report, report_at, running,
    };
    use super::*;
    use crate::protocol::{
        AssistantMessage, Carry, Content, LoopError, LoopErrorType, LoopMetadata, ModelId, StopReason, Todo,
        TodoStatus,
    };
    use crate::tui::model::todos::{Extent, Todos};
    use crate::tui::msg::Reply;

    fn said(model: &mut Model, message: Message) {
        report(model, AgentEvent::Recorded(Entry { timestamp: 0, body: EntryBody::Message(message) }));
    }

    fn calls(calls: &[(&str, Value)]) -> Message {
        let call = |(name, input): &(&str, Value)| ToolCall::new(*name, *name, input.to_string());
        let tool_calls = calls.iter().map(call).collect();
        Message::Assistant(AssistantMessage {
            text: String::new(),
            tool_calls,
            reasoning: None,
            extra: serde_json::Map::new(),
            model: ModelId::from("m"),
            usage: None,
            stop_reason: StopReason::ToolUse,
        })
    }

    fn result(name: &str, status: ToolStatus) -> AgentEvent {
        AgentEvent::ToolResult {
            id: CallId::from(name),
            name: ToolName::from(name),
            status,
            content: Content::text(""),
            display: Display::Line(String::new()),
            duration: Duration::ZERO,
        }
    }

    fn begun(name: &str, input: Value) -> AgentEvent {
        AgentEvent::ToolStart { id: CallId::from(name), name: ToolName::from(name), input }
    }

    fn failed() -> RunEnd {
        RunEnd::Failed(LoopError { kind: LoopErrorType::LlmError, message: "gone".to_owned() })
    }

    #[test]
    fn calls_that_look_are_told_together_and_others_alone() {
        let mut model = running();
        for (name, input) in [("Read", json!({"file_path": "a"})), ("Grep", json!({"pattern": "x"}))] {
            report(&mut model, begun(name, input));
            report(&mut model, result(name, ToolStatus::Success));
        }
        assert_eq!(model.transcript.cells(), []);
        report(&mut model, begun("Bash", json!({"command": "ls"})));
        assert!(matches!(last(&model), Cell::Explored(calls) if calls.len() == 2));
        report(&mut model, result("Bash", ToolStatus::Success));
        assert!(matches!(last(&model), Cell::Call(call) if call.label.object == "ls"));
    }

    fn steps(model: &mut Model, steps: &[(&str, TodoStatus)]) {
        let step =
            |(content, status): &(&str, TodoStatus)| Todo { content: (*content).to_owned(), status: *status };
        let display = Display::Todos(steps.iter().map(step).collect());
        report(model, begun("TodoWrite", json!({})));
        report(
            model,
            AgentEvent::ToolResult {
                id: CallId::from("TodoWrite"),
                name: ToolName::from("TodoWrite"),
                status: ToolStatus::Success,
                content: Content::text(""),
                display,
                duration: Duration::ZERO,
            },
        );
    }

    #[test]
    fn the_steps_are_kept_beside_and_go_out_of_the_way_once_all_is_done() {
        let mut model = idle();
        press(&mut model, 0, "<c-t>");
        assert!(matches!(last(&model), Cell::Remark(text) if text.contains("no todo list")));
        steps(&mut model, &[("a", TodoStatus::InProgress)]);
        press(&mut model, 0, "<c-t>");
        end(&mut model, RunEnd::Done, &[], Followed::ByNothing);
        assert_eq!(model.aside.todos.extent, Extent::Unfolded, "there is something left to do");
        steps(&mut model, &[("a", TodoStatus::Completed)]);
        let Cell::Todos(change) = last(&model) else { panic!("a change") };
        assert_eq!((change.before.len(), change.after[0].status), (1, TodoStatus::Completed));
        end(&mut model, RunEnd::Done, &[], Followed::ByNothing);
        assert_eq!((model.aside.todos.extent, model.aside.todos.list.len()), (Extent::Folded, 1));
        press(&mut model, 0, "/todos<enter>");
        let expected = ["1 of 1 done", "✓ a"].map(str::to_owned).to_vec();
        assert_eq!(*last(&model), Cell::Lines(expected));
        press(&mut model, 0, "<c-t>");
        assert_eq!(model.aside.todos.extent, Extent::Unfolded);
        reply(&mut model, Reply::Cleared);
        assert_eq!(model.aside.todos, Todos::default());
    }

    #[test]
    fn an_answer_is_told_with_its_question_and_without_a_time() {
        let mut model = running();
        report(&mut model, begun("AskUser", json!({"question": "Which?"})));
        let display = Display::Line("the first".to_owned());
        let (id, name) = (CallId::from("AskUser"), ToolName::from("AskUser"));
        let (status, content, duration) = (ToolStatus::Success, Content::text(""), Duration::from_mins(1));
        report(&mut model, AgentEvent::ToolResult { id, name, status, content, display, duration });
        let Cell::Call(call) = last(&model) else { panic!("a call") };
        assert_eq!((call.label.verb.as_str(), call.label.object.as_str()), ("ask", "Which?"));
        assert_eq!((&call.display, call.duration), (&Display::Line("the first".to_owned()), Duration::ZERO));
    }

    #[test]
    fn a_question_that_is_left_by_an_abort_was_nothing_that_ran() {
        let mut model = running();
        report(&mut model, begun("AskUser", json!({"question": "Which?"})));
        end(&mut model, RunEnd::Aborted, &[], Followed::ByNothing);
        assert!(matches!(last(&model), Cell::Interrupted { what: None, .. }));
    }

    #[test]
    fn ctrl_b_wishes_for_the_background_and_says_if_nothing_can_go_there() {
        for mut model in [idle(), running()] {
            assert_eq!(press(&mut model, 0, "<c-b>"), [Effect::MoveForeground]);
            reply(&mut model, Reply::NothingMoved);
            assert!(matches!(last(&model), Cell::Remark(text) if text.contains("no running command")));
        }
    }

    #[test]
    fn a_call_that_never_ran_is_told_by_what_it_was_to_do() {
        let mut model = running();
        said(&mut model, calls(&[("Bash", json!({"command": "rm x"}))]));
        report(&mut model, result("Bash", ToolStatus::Denied));
        assert!(matches!(last(&model), Cell::Call(call) if call.label.object == "rm x"));
    }

    #[test]
    fn an_answer_that_broke_off_is_closed_by_a_line() {
        let retry = |discard| AgentEvent::Retry {
            attempt: 1,
            delay: Duration::ZERO,
            error: "cut".to_owned(),
            discard,
        };
        let mut model = running();
        report(&mut model, retry(true));
        assert_eq!(model.transcript.cells(), [], "nothing was shown, so nothing is void");
        report(&mut model, AgentEvent::TextDelta("Half".to_owned()));
        report(&mut model, retry(true));
        assert!(matches!(last(&model), Cell::Void(text) if text.contains("cut")));
    }

    #[test]
    fn every_piece_of_an_answer_ends_a_silence() {
        let mut model = running();
        let mut hear = |at: u64, event: AgentEvent, expected: (Waiting, u64)| {
            report_at(&mut model, at, event);
            let run = model.run.as_ref().unwrap();
            assert_eq!((&run.waiting, run.heard), (&expected.0, Moment(at)));
            assert_eq!(run.waiting_since, Moment(expected.1), "the same wait does not begin anew");
        };
        let call = || AgentEvent::Waiting(Waiting::Call);
        hear(1_000, AgentEvent::Waiting(Waiting::FirstByte), (Waiting::FirstByte, 1_000));
        hear(20_000, AgentEvent::Waiting(Waiting::Answer), (Waiting::Answer, 20_000));
        hear(31_000, AgentEvent::ThinkingDelta("hm".to_owned()), (Waiting::Answer, 20_000));
        hear(42_000, AgentEvent::TextDelta("So".to_owned()), (Waiting::Answer, 20_000));
        hear(53_000, call(), (Waiting::Call, 53_000));
        hear(64_000, call(), (Waiting::Call, 53_000));
        hear(75_000, AgentEvent::TextDelta(" it is".to_owned()), (Waiting::Answer, 75_000));
    }

    #[test]
    fn after_a_failure_it_is_said_that_enter_asks_again_if_it_does() {
        let mut model = running();
        end(&mut model, failed(), &[], Followed::ByNothing);
        let [.., error, advice] = model.transcript.cells() else { panic!("two cells") };
        assert_eq!((error, advice), (&Cell::Error("gone".to_owned()), &Cell::Remark(ASK_AGAIN.to_owned())));
        assert_eq!(press(&mut model, 0, "<enter>"), [Effect::Again]);
        let mut model = running();
        let ended = |again| Ended {
            result: LoopResult {
                end: failed(),
                final_message: String::new(),
                metadata: LoopMetadata::default(),
                carry: Carry::default(),
            },
            given_back: Vec::new(),
            followed: Followed::ByNothing,
            again,
        };
        happen(&mut model, Happening::Ended(Box::new(ended(Again::Impossible))));
        assert_eq!(*last(&model), Cell::Error("gone".to_owned()));
    }

    #[test]
    fn a_message_leaves_the_queue_as_it_is_said() {
        let mut model = running();
        press(&mut model, 0, "one<enter>two<enter>");
        said(&mut model, Message::User(UserMessage::new(Origin::Queued, "one")));
        assert_eq!(queued(&model), ["two"]);
        assert_eq!(*last(&model), Cell::User("one".to_owned()));
    }

    #[test]
    fn what_the_program_adds_is_not_shown_as_said() {
        let mut model = running();
        said(&mut model, Message::User(UserMessage::new(Origin::Nudge, "go on")));
        assert_eq!(model.transcript.cells(), []);
    }

    #[test]
    fn an_abort_and_a_failure_give_back_what_waits() {
        for end_of_run in [RunEnd::Aborted, RunEnd::Refused, failed()] {
            let mut model = running();
            press(&mut model, 0, "one<enter>/clear<enter>draft");
            assert_eq!(end(&mut model, end_of_run, &["one"], Followed::ByNothing), []);
            assert_eq!((draft(&model), queued(&model).len()), ("one\n/clear\ndraft", 0));
            assert!(matches!(model.stage, Stage::Idle));
        }
    }

    #[test]
    fn only_messages_of_the_queue_are_counted_as_such() {
        let mut model = running();
        press(&mut model, 0, "queued<enter>");
        end(&mut model, RunEnd::Aborted, &["the prompt", "queued"], Followed::ByNothing);
        assert!(matches!(last(&model), Cell::Interrupted { given_back: 1, .. }));
    }

    #[test]
    fn commands_run_once_nothing_goes_on() {
        let mut model = running();
        press(&mut model, 0, "one<enter>/clear<enter>/model x<enter>");
        assert_eq!(end(&mut model, RunEnd::Done, &[], Followed::ByQueue), []);
        assert_eq!(queued(&model), ["/clear", "/model x"]);
        assert!(matches!(model.stage, Stage::Running));
        let expected = [Effect::Clear, Effect::SwitchModel("x".to_owned())];
        assert_eq!(end(&mut model, RunEnd::Done, &[], Followed::ByNothing), expected);
        assert!(matches!(model.stage, Stage::Idle));
    }

    #[test]
    fn at_the_limit_what_waits_waits_on() {
        let mut model = running();
        press(&mut model, 0, "one<enter>");
        end(&mut model, RunEnd::TurnLimit { turns: 3 }, &[], Followed::ByNothing);
        assert!(matches!(&model.stage, Stage::AtLimit(at) if at.limit == Limit::Turns { turns: 3 }));
        assert_eq!(queued(&model), ["one"]);
    }

    #[test]
    fn at_the_end_of_a_budget_the_question_says_what_is_used() {
        let mut model = running();
        let used = "$5.02 of $5.00".to_owned();
        end(&mut model, RunEnd::OverBudget { used: used.clone() }, &[], Followed::ByNothing);
        assert!(matches!(&model.stage, Stage::AtLimit(at) if at.limit == Limit::Budget { used }));
    }

    #[test]
    fn the_meter_follows_what_is_measured_and_what_a_summary_leaves() {
        let mut model = running();
        let summary = AgentEvent::Compaction { tokens_before: 90_000, tokens_after: 9_000 };
        report(&mut model, summary.clone());
        assert_eq!(last(&model), &Cell::Compacted { before: 90_000, after: 9_000 });
        assert_eq!(model.meter.context, 0, "nobody counts here");
        report(&mut model, AgentEvent::Measured { context: 91_000 });
        assert_eq!(model.meter.context, 91_000);
        report(&mut model, summary);
        assert_eq!(model.meter.context, 9_000);
    }

    #[test]
    fn an_event_at_rest_begins_a_run() {
        let mut model = idle();
        happen(&mut model, Happening::Event(AgentEvent::TurnStart { turn: 1, max_turns: 9 }));
        assert!(matches!(model.stage, Stage::Running));
        assert_eq!(model.run.unwrap().turns, 1);
    }
}
