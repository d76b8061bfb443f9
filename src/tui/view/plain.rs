//! The screen in words, line by line: for a screen reader, and for a terminal that can do no more. Pure.
//!
//! Not another picture of the model but another use of the same parts: cells and questions are drawn as ever and taken
//! for their text. What is drawn again and again elsewhere is told here once: how things stand comes as a list of words, of which
//! whoever speaks says those that are new. So no word may hold what changes by itself; a time is told as it passes a mark.

use std::sync::Arc;
use std::time::Duration;

use ratatui::text::Line;

use super::brush::{Brush, INDENT, Look, Mode, SIGN, one_line};
use super::preview::Kept;
use super::wrap::fit;
use super::{cell, page, plain_lists, question, setup, status, trust};
use crate::protocol::ToolKind;
use crate::text::sanitize::sanitize;
use crate::text::units;
use crate::tui::model::answering::Answering;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::{Page, PageOf};
use crate::tui::model::question::{Asking, Compared};
use crate::tui::model::run::{RunView, Stopping};
use crate::tui::model::setup::{Choosing, Step};
use crate::tui::model::transcript::Cell;
use crate::tui::model::{Model, Stage};

/// What lasts a shorter time is not worth a word.
const NEWS: Duration = Duration::from_secs(1);
/// The marks at which it is told that a wait goes on.
const MARKS: [Duration; 4] =
    [Duration::from_secs(10), Duration::from_mins(1), Duration::from_mins(10), Duration::from_hours(1)];
/// Letters of a draft or a queued message: enough to know it again.
const SHORT: usize = 60;
/// More rows than any question has.
const ALL: usize = usize::MAX / 4;

/// How a run is ended. It is said before what the run has said by then: behind its last word it would be wrong.
pub const STOPS: &str = "esc to interrupt (Esc then Enter, or Ctrl+C)";

/// All that there is to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// What goes into the history, once.
    pub lines: Vec<String>,
    /// How things stand, each in a line of its own.
    pub states: Vec<String>,
    /// What is asked.
    pub asked: Option<Arc<Asked>>,
}

/// Something that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// It is told again when this is another.
    pub key: String,
    /// What it is about.
    pub about: Vec<String>,
    /// The answers, told again after each one that was none.
    pub rows: Vec<String>,
}

/// What is awaited of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Awaits {
    /// Nothing; what is typed is taken all the same.
    #[default]
    Nothing,
    /// A line.
    Line,
    /// A line that nobody may see.
    Secret,
}

/// A permission question in words, as long as it is asked: it is looked at whenever something wakes up, and may be long.
#[derive(Debug, Default)]
pub struct Heard {
    question: Option<(Arc<Compared>, Brush, Arc<Asked>)>,
    #[cfg(test)]
    wordings: usize,
}

/// Puts the model into words. `typed` is what the user typed last and can be read above, so it is not said again.
pub fn tell(model: &Model, look: Look, now: Moment, typed: Option<&str>, heard: &mut Heard) -> Told {
    let brush = look.brush(usize::from(model.size.columns));
    let asked = if let (None, Stage::Asking(asking)) = (&model.overlay, &model.stage) {
        Some(heard.question(asking, brush))
    } else {
        heard.question = None;
        asked(model, brush).map(Arc::new)
    };
    Told { lines: lines(model, typed, brush), states: states(model, now), asked }
}

impl Heard {
    fn question(&mut self, asking: &Asking, brush: Brush) -> Arc<Asked> {
        let key = format!("permission {:?} {}", asking.id, asking.words.is_some());
        if let Some((of, so, asked)) = &self.question
            && Arc::ptr_eq(of, &asking.compared)
            && (*so, &asked.key) == (brush, &key)
        {
            return Arc::clone(asked);
        }
        #[cfg(test)]
        {
            self.wordings += 1;
        }
        let hint = match asking.words {
            Some(_) => "type what to do instead; Enter alone interrupts the run",
            None => "type the number of an answer; after 3 you can type what to do instead",
        };
        let lines = question::permission(asking, ALL, &mut Kept::default(), brush).lines;
        let asked = Arc::new(from_pane(key, &lines, hint));
        self.question = Some((Arc::clone(&asking.compared), brush, Arc::clone(&asked)));
        asked
    }
}

/// A page in lines, between words that say where it begins and ends.
pub fn page(page: &Page, model: &Model, look: Look, now: Moment) -> Vec<String> {
    let brush = look.brush(usize::from(model.size.columns));
    let name = match page.of {
        PageOf::Transcript => "transcript",
        PageOf::Help => "help",
        PageOf::Report => "report",
        PageOf::Question(_) => "command",
    };
    let lines = page::whole(page, model, now, brush);
    let mut told = vec![format!("{name}:")];
    told.extend(texts(&lines));
    told.push(format!("end of {name}"));
    told
}

pub(super) fn texts(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(|line| fit(line, usize::MAX).to_string()).collect()
}

/// The cells that were not told yet.
fn lines(model: &Model, typed: Option<&str>, brush: Brush) -> Vec<String> {
    let mut typed = typed;
    let cells = model.transcript.waiting().flat_map(|(before, cell)| {
        if let Cell::User(text) = cell
            && typed.is_some_and(|typed| typed.trim() == text.trim())
        {
            typed = None;
            return Vec::new();
        }
        let gap = cell::apart(before, cell).then(Line::default);
        gap.into_iter().chain(cell::render(cell, Mode::Folded, brush)).collect()
    });
    texts(&cells.collect::<Vec<_>>())
}

fn states(model: &Model, now: Moment) -> Vec<String> {
    let mut states = Vec::new();
    if model.stage.has_conversation() {
        states.push(format!("mode: {}", one_line(&model.facts.mode)));
    }
    states.extend(model.facts.sandbox.as_deref().map(one_line));
    states.extend(model.meter.unsaved.then(|| "not saved: cannot write the session file".to_owned()));
    let tasks = u64::try_from(model.aside.running()).unwrap_or(u64::MAX);
    if tasks > 0 {
        states.push(format!("{} in the background (/tasks)", units::counted(tasks, "task", "tasks")));
    }
    let queued = |text: &str| format!("queued: {}", short(text));
    states.extend(model.queue.iter().map(|one| queued(one.text())));
    states.extend(draft(model));
    states.extend(status::leaves(model, now).map(str::to_owned));
    if let Some(run) = model.run.as_ref().filter(|_| matches!(model.stage, Stage::Running)) {
        states.extend(going_on(run, model, now));
    }
    states
}

/// What waits in the input. While a line is being continued nothing is said: it was just typed.
fn draft(model: &Model) -> Option<String> {
    let text = model.composer.written().text();
    if text.trim().is_empty() || (text.ends_with('\n') && !text.trim_end().contains('\n')) {
        return None;
    }
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let lines = units::counted(count(text.lines().count()), "line", "lines");
    let letters = units::counted(count(text.chars().count()), "character", "characters");
    Some(format!("draft, {lines}, {letters}: {} (Enter to send, Ctrl+C to discard)", short(text)))
}

pub(super) fn short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// What a run does, and since when, told as it passes a mark.
fn going_on(run: &RunView, model: &Model, now: Moment) -> Vec<String> {
    if run.stopping == Stopping::Yes {
        return vec!["stopping".to_owned()];
    }
    let mut states = vec![STOPS.to_owned()];
    let calls = run.calls.iter().filter(|call| call.kind == ToolKind::Act);
    let calls = calls.filter_map(|call| {
        let object = short(call.label.object.lines().next().unwrap_or_default());
        since(format!("running: {} {object}", one_line(&call.label.verb)), now.since(call.since))
    });
    let calls: Vec<String> = calls.collect();
    if calls.is_empty() {
        states.extend(status::words(run, &model.facts, now).and_then(|(what, time)| since(what, time)));
    }
    states.extend(calls);
    states.extend(status::advice_words(model, now).map(str::to_owned));
    states
}

fn since(what: String, time: Duration) -> Option<String> {
    let mark = MARKS.iter().rev().find(|mark| time >= **mark);
    match mark {
        Some(mark) => Some(format!("{what}, {} so far", units::duration(*mark))),
        None => (time >= NEWS).then_some(what),
    }
}

/// What is awaited of the user now.
pub fn awaits(model: &Model) -> Awaits {
    match (&model.overlay, &model.stage) {
        (Some(_), _)
        | (
            None,
            Stage::Idle | Stage::Asking(_) | Stage::Answering(_) | Stage::AtLimit(_) | Stage::Trusting(_),
        ) => Awaits::Line,
        (None, Stage::Choosing(choosing)) => match choosing.step {
            Step::Rows | Step::Url(_) => Awaits::Line,
            Step::Key { .. } => Awaits::Secret,
            Step::Opening => Awaits::Nothing,
        },
        (None, Stage::Opening | Stage::Running) => Awaits::Nothing,
    }
}

fn asked(model: &Model, brush: Brush) -> Option<Asked> {
    if let Some(overlay) = &model.overlay {
        return plain_lists::told(overlay, model, brush);
    }
    match &model.stage {
        Stage::Answering(answering) => Some(consulted(answering)),
        Stage::AtLimit(limit) => {
            let lines = texts(&question::limit(limit, brush).lines);
            Some(Asked { key: format!("limit {:?}", limit.guard), about: Vec::new(), rows: lines })
        }
        Stage::Trusting(trusting) => {
            let lines = trust::pane(trusting, ALL, brush).lines;
            Some(from_pane("trust".to_owned(), &lines, "type 1, 2 or 3"))
        }
        Stage::Choosing(choosing) => set_up(choosing, brush),
        // a permission question is told by whoever remembers it
        Stage::Asking(_) | Stage::Opening | Stage::Idle | Stage::Running => None,
    }
}

/// The first-run screen.
fn set_up(choosing: &Choosing, brush: Brush) -> Option<Asked> {
    let mut lines = texts(&setup::choose(choosing, ALL, brush).lines);
    let (key, hint) = match &choosing.step {
        Step::Rows => return Some(split(format!("rows {lines:?}"), unfocused(lines), "type a number")),
        Step::Url(_) => ("address", "type the URL; Esc then Enter to go back"),
        Step::Key { .. } => ("key", "type the key (it is not shown)"),
        Step::Opening => return None,
    };
    // what is typed is not told again, and a key never
    lines.retain(|line| !line.starts_with(SIGN));
    Some(Asked { key: key.to_owned(), about: lines, rows: vec![hint.to_owned()] })
}

/// A question from its drawing, without the sign that shows the focus.
fn from_pane(key: String, lines: &[Line<'_>], hint: &str) -> Asked {
    split(key, unfocused(texts(lines)), hint)
}

fn unfocused(lines: Vec<String>) -> Vec<String> {
    let plain = |line: String| match line.strip_prefix(SIGN) {
        Some(row) => format!("{INDENT}{row}"),
        None => line,
    };
    lines.into_iter().map(plain).collect()
}

/// The answers are what stands behind the last first one.
fn split(key: String, mut lines: Vec<String>, hint: &str) -> Asked {
    let first = lines.iter().rposition(|line| line.trim_start().starts_with("1. "));
    let mut rows = lines.split_off(first.unwrap_or(lines.len()));
    rows.push(hint.to_owned());
    Asked { key, about: lines, rows }
}

/// A question of the model; foreign words.
fn consulted(answering: &Answering) -> Asked {
    let mut about: Vec<String> =
        sanitize(answering.choice.question.trim()).lines().map(str::to_owned).collect();
    let options = (1..).zip(&answering.choice.options);
    let mut rows: Vec<String> =
        options.map(|(number, option)| format!("{INDENT}{number}. {}", one_line(option))).collect();
    if answering.is_plan() {
        about.insert(0, "Start with this plan?".to_owned());
        rows.push(format!("{INDENT}3. No, and say what to change"));
    }
    rows.push(if answering.is_plan() {
        "type 1 or 2, or what to change; Esc then Enter to interrupt the run".to_owned()
    } else if rows.is_empty() {
        "type your answer".to_owned()
    } else {
        "type a number or your own answer; Esc then Enter to skip".to_owned()
    });
    Asked { key: format!("model's {:?}", answering.id), about, rows }
}

#[cfg(test)]
mod tests {
    use super::super::brush::{Manner, Signs};
    use super::super::testing::{self, model};
    use super::super::theme::Theme;
    use super::*;
    use crate::protocol::{
        Access, Approval, CallForm, CallId, Display, ExecAccess, FileChange, Hold, Occasion, Preview,
        QuestionId, Tail, ToolName, ToolStatus, Waiting,
    };
    use crate::tui::model::call::{Label, RunningCall};
    use crate::tui::model::overlay::Overlay;
    use crate::tui::model::question::Guard;
    use crate::tui::model::queue::Queued;
    use crate::tui::model::rewind::{self, Rewind};

    const LOOK: Look = Look { theme: Theme::Colour, manner: Manner { signs: Signs::Words, ..Manner::USUAL } };

    fn told(model: &Model, now: u64) -> Told {
        tell(model, LOOK, Moment(now), None, &mut Heard::default())
    }

    fn running(waiting: Waiting) -> Model {
        let mut model = model(80, u16::MAX);
        model.stage = Stage::Running;
        model.run = Some(RunView { waiting, ..RunView::begin(Moment(0)) });
        model
    }

    #[test]
    fn outcomes_and_changes_have_words_for_signs() {
        let mut model = model(80, u16::MAX);
        let change = FileChange {
            path: "src/cart.rs".to_owned(),
            before: Some("a\nold\n".to_owned()),
            after: Some("a\nnew\n".to_owned()),
        };
        let edit = testing::call("edit", "src/cart.rs", ToolStatus::Success, Display::Changes(vec![change]));
        let failed = Display::Output { text: "no\n".to_owned(), ended: Some("exit 1".to_owned()) };
        let run = testing::call("run", "cargo test", ToolStatus::Failed, failed);
        model.transcript.push(Cell::User("go".to_owned()));
        model.transcript.push(Cell::Call(Box::new(edit)));
        model.transcript.push(Cell::Call(Box::new(run)));
        testing::check(
            &told(&model, 0).lines.join("\n"),
            "❯ go

done: edit  src/cart.rs  1 added 1 removed · 2 s
    1   a
    2 removed old
    2 added new
failed: run  cargo test  exit 1 · 2 s
no",
        );
    }

    #[test]
    fn what_was_typed_is_not_said_again() {
        let mut model = model(80, u16::MAX);
        model.transcript.push(Cell::User("go".to_owned()));
        model.transcript.push(Cell::User("go".to_owned()));
        assert_eq!(tell(&model, LOOK, Moment(0), Some("go "), &mut Heard::default()).lines, ["", "❯ go"]);
    }

    #[test]
    fn a_state_changes_its_words_at_marks_only() {
        let wait = running(Waiting::FirstByte);
        let states = |now: u64| told(&wait, now * 1_000).states.split_off(1);
        let stops = STOPS.to_owned();
        assert_eq!(states(0), std::slice::from_ref(&stops));
        assert_eq!(states(1), [stops.clone(), "waiting for a response".to_owned()]);
        assert_eq!(states(9), states(1));
        let long = "waiting for a response, 10 s so far".to_owned();
        assert_eq!(states(10)[..2], [stops, long.clone()]);
        assert_eq!(states(59)[1], long);
        assert_eq!(states(60)[1], "waiting for a response, 1 m so far");
        assert_eq!(states(10).len(), 3, "and what may help: {:?}", states(10));
    }

    #[test]
    fn calls_retries_and_what_waits_are_said_by_name() {
        let mut model = running(Waiting::Tools);
        let label = Label { verb: "run".to_owned(), object: "cargo test\n--all".to_owned() };
        let (id, since, tail) = (CallId::from("1"), Moment(0), Tail::default());
        if let Some(run) = &mut model.run {
            run.calls = vec![RunningCall { id, label, since, tail, kind: ToolKind::Act }];
        }
        model.queue.push(Queued::Message("then\nbump it".to_owned()));
        model.meter.unsaved = true;
        assert_eq!(
            told(&model, 2_000).states,
            [
                "mode: default",
                "not saved: cannot write the session file",
                "queued: then⏎bump it",
                STOPS,
                "running: run cargo test",
            ]
        );
        let error = "127.0.0.1:11434 is busy".to_owned();
        let retry = running(Waiting::Retry { attempt: 2, of: 5, delay: Duration::from_secs(4), error });
        assert_eq!(told(&retry, 0).states.last().unwrap(), "retry 2 of 5 in 4 s · is busy");
        assert_eq!(told(&retry, 0).states, told(&retry, 3_000).states, "it is not counted down");
    }

    #[test]
    fn a_question_is_told_whole_and_its_answers_apart() {
        let command: String = (1..=60).map(|n| format!("echo {n}\n")).collect::<Vec<_>>().concat();
        let exec = ExecAccess { command, cwd: "/home/me/shop".into() };
        let approval = Approval {
            call: CallId::from("1"),
            tool: ToolName::from("Bash"),
            access: Access::Exec(exec.clone()),
            form: CallForm::Native,
            preview: Preview::Command(exec),
            reason: None,
            remember: vec!["Bash(echo:*)".to_owned()],
            careful: false,
            hold: Hold::Free,
            occasion: Occasion::Before,
        };
        let mut model = running(Waiting::Tools);
        model.stage =
            Stage::Asking(Box::new(Asking::new(QuestionId(1), approval, Guard::new(Moment(0), None))));
        let asked = told(&model, 0).asked.unwrap();
        assert_eq!(asked.about.iter().filter(|line| line.contains("echo ")).count(), 60);
        assert_eq!(
            asked.rows,
            [
                "  1. Yes",
                "  2. Yes, and don't ask again for Bash(echo:*) in this project",
                "  3. No, and say what to do instead",
                "type the number of an answer; after 3 you can type what to do instead",
            ]
        );
        assert_eq!(awaits(&model), Awaits::Line);
        let mut heard = Heard::default();
        for now in 0..10 {
            tell(&model, LOOK, Moment(now), None, &mut heard);
        }
        assert_eq!(heard.wordings, 1, "it is put into words once, and not at each wake-up");
        if let Stage::Asking(asking) = &mut model.stage {
            asking.words = Some(crate::tui::model::buffer::Buffer::default());
        }
        tell(&model, LOOK, Moment(11), None, &mut heard);
        model.size.columns = 40;
        tell(&model, LOOK, Moment(12), None, &mut heard);
        assert_eq!(heard.wordings, 3, "other words are wanted, and another width");
    }

    #[test]
    fn a_rewind_is_told_whole_and_asked_for_by_number() {
        let mut model = model(80, u16::MAX);
        let mut open = Rewind::awaiting();
        let file = crate::app::FileRow {
            path: "src/cart.rs".to_owned(),
            what: "+3 -12".to_owned(),
            is_foreign: true,
        };
        open.step = rewind::Step::Choosing(Box::new(crate::app::Preview {
            to: 4,
            words: "fix the tax".to_owned(),
            messages: 2,
            files: vec![file],
            beyond: vec!["1 command ran since: what it changed stays".to_owned()],
        }));
        model.overlay = Some(Overlay::Rewind(Box::new(open)));
        let asked = told(&model, 0).asked.unwrap();
        assert_eq!(
            asked.about,
            [
                "Rewind to before “fix the tax”",
                "  src/cart.rs, +3 -12, changed outside clawd",
                "1 command ran since: what it changed stays",
            ]
        );
        assert_eq!(
            asked.rows,
            [
                "  1. both",
                "  2. conversation: remove 2 messages; this prompt returns to the input",
                "  3. files: restore 1 file",
                "type 1, 2 or 3; Enter alone to go back",
            ]
        );
        assert_eq!(awaits(&model), Awaits::Line);
    }

    #[test]
    fn a_page_is_read_out_between_its_name_and_its_end() {
        let mut model = model(80, u16::MAX);
        model.transcript.push(Cell::User("go".to_owned()));
        let lines = page(&Page::open(PageOf::Transcript), &model, LOOK, Moment(0));
        assert_eq!(lines, ["transcript:", "❯ go", "end of transcript"]);
    }
}
