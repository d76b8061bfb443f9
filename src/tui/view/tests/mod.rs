//! Pictures of the whole live region at three sizes, and the promise that it never leaves its bounds.

mod asked;
mod printed;
mod runs;

use std::time::Duration;

use proptest::prelude::*;

use super::testing::{call, check, facts, live, model, text};
use super::theme::Theme;
use super::*;
use crate::app::{GroupForm, TrustGroup, TrustQuestion};
use crate::protocol::ToolKind;
use crate::protocol::{
    Access, Approval, CallForm, CallId, Choice, Display, ExecAccess, Hold, JobState, JobView, Occasion,
    Preview, QuestionId, Tail, Todo, TodoStatus, ToolName, ToolStatus, Topic, Waiting, Why,
};
use crate::tui::model::answering::Answering;
use crate::tui::model::buffer::Buffer;
use crate::tui::model::call::{Label, RunningCall};
use crate::tui::model::choice::Item;
use crate::tui::model::draft::Draft;
use crate::tui::model::picker::Picker;
use crate::tui::model::question::{Asking, Guard, Row};
use crate::tui::model::run::RunView;
use crate::tui::model::setup::{Choosing, FirstRun, Step, Trusting};
use crate::tui::model::tasks::Tasks;
use crate::tui::model::todos::{Extent, TodoChange, Todos};
use crate::tui::model::{AtLimit, Limit};

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

const WORDS: &str = "The fold starts from the first item, so an empty cart has no start value; \
                         the tax is computed from the same sum and is wrong as well.";

fn guard() -> Guard {
    Guard::new(Moment(0), None)
}

fn command(n: usize, lines: usize) -> RunningCall {
    RunningCall {
        id: CallId::from(n.to_string()),
        label: Label { verb: "run".to_owned(), object: "cargo test cart".to_owned() },
        since: Moment(0),
        tail: Tail {
            lines: (1..=lines).map(|n| format!("test cart::number_{n} ... ok")).collect(),
            ..Tail::default()
        },
        kind: ToolKind::Act,
    }
}

fn running(mut model: Model, change: impl FnOnce(&mut RunView)) -> Model {
    let mut run = RunView { turns: 2, ..RunView::begin(Moment(0)) };
    change(&mut run);
    model.run = Some(run);
    model.stage = Stage::Running;
    model.transcript.push(Cell::User("the total is wrong".to_owned()));
    model.transcript.mark_printed();
    model
}

fn busy(model: Model) -> Model {
    running(model, |run| {
        run.waiting = Waiting::Tools;
        run.explored = vec![call("read", "src/cart.rs", ToolStatus::Success, Display::Line(String::new()))];
        run.calls = vec![command(1, 7)];
    })
}

fn answering(model: Model) -> Model {
    running(model, |run| {
        run.waiting = Waiting::Answer;
        drop(run.answer.push(WORDS));
    })
}

fn asking(mut model: Model) -> Model {
    model = busy(model);
    let exec = ExecAccess { command: "cargo publish".to_owned(), cwd: "/src/shop".into() };
    let approval = Approval {
        call: CallId::from("1"),
        tool: ToolName::from("Bash"),
        access: Access::Exec(exec.clone()),
        form: CallForm::Native,
        preview: Preview::Command(exec),
        reason: None,
        remember: vec!["Bash(cargo publish)".to_owned()],
        careful: false,
        hold: Hold::Free,
        occasion: Occasion::Before,
    };
    model.stage = Stage::Asking(Box::new(Asking::new(QuestionId(1), approval, guard())));
    model
}

/// In a run, with a question of the model.
fn consulting(mut model: Model) -> Model {
    model = running(model, |run| {
        run.waiting = Waiting::Tools;
        run.calls = vec![RunningCall { kind: ToolKind::Interact, ..command(1, 0) }];
    });
    let options = ["SQLite, one file and no server", "Postgres"].map(str::to_owned).to_vec();
    let question = "Which database should the 日本語 shop use?\nIt has one writer.".to_owned();
    let choice = Choice { call: CallId::from("1"), question, options, topic: Topic::Question };
    model.stage = Stage::Answering(Box::new(Answering::new(QuestionId(1), choice, guard())));
    model
}

fn with_steps(mut model: Model, extent: Extent) -> Model {
    let step = |(content, status): (&str, TodoStatus)| Todo { content: content.to_owned(), status };
    let steps = [
        ("read the parser", TodoStatus::Completed),
        ("write the tests", TodoStatus::InProgress),
        ("run them", TodoStatus::Pending),
    ];
    model.aside.todos = Todos { list: steps.map(step).to_vec(), extent };
    model
}

fn typing(mut model: Model, typed: &str) -> Model {
    for c in typed.chars() {
        if c == '\n' { model.composer.new_line() } else { model.composer.type_in(c) }
    }
    model
}

#[track_caller]
fn pictures(of: impl Fn(Model) -> Model, expected: [&str; 3]) {
    for ((columns, rows), expected) in SIZES.into_iter().zip(expected) {
        check(&live(&of(model(columns, rows)), 6_000), expected);
    }
}

#[test]
fn on_a_tiny_screen_the_input_remains() {
    let tiny = |of: &dyn Fn(Model) -> Model, columns, rows| live(&of(model(columns, rows)), 6_000);
    check(
        &tiny(&busy, 19, 4),
        "⠋ running a comman…
  esc to interrupt
❯ |",
    );
    check(
        &tiny(&busy, 19, 2),
        "⠋ running a comman…
❯ |",
    );
    check(&tiny(&busy, 19, 1), "❯ |");
    check(
        &tiny(&asking, 19, 4),
        "❯ 1. Yes
  2. Yes, and don'…
  3. No, and say w…",
    );
    check(&tiny(&asking, 19, 1), "❯ 1. Yes");
}

/// Asked about a directory that brings something ugly.
fn distrusting(mut model: Model) -> Model {
    let items = vec!["hook \x1b[2J".repeat(9)];
    let group = TrustGroup { title: "hook", form: GroupForm::Lines, items };
    let question =
        TrustQuestion {
            directory: "~/日本語".to_owned(), groups: vec![group], ..TrustQuestion::default()
        };
    model.stage = Stage::Trusting(Trusting { question, focus: 2, guard: guard() });
    model
}

fn any_stage() -> impl Strategy<Value = fn(Model) -> Model> {
    let stages: [fn(Model) -> Model; 16] = [
        |model| model,
        busy,
        answering,
        asking,
        |model| typing(model, "/"),
        |model| typing(busy(model), "one\ntwo\nthree\nfour\nfive\nsix 日本語 and more words"),
        |mut model| {
            model.composer.search();
            model
        },
        |model| {
            let mut model = asking(model);
            if let Stage::Asking(asking) = &mut model.stage {
                let mut words = Buffer::default();
                words.type_in(Draft::plain("日本語 instead, and then\nmore of it"));
                (asking.focus, asking.words) = (Row::No, Some(words));
            }
            model
        },
        |mut model| {
            let took = Duration::from_mins(14);
            model.stage = Stage::AtLimit(AtLimit {
                limit: Limit::Turns { turns: 100 },
                calls: 212,
                took,
                guard: guard(),
            });
            model
        },
        distrusting,
        |mut model| {
            let step = Step::Url(Buffer::default());
            model.stage = Stage::Choosing(Choosing { step, ..Choosing::new(FirstRun::default()) });
            model
        },
        |mut model| {
            let items = (1..=20).map(|n| Item::new(format!("日本-{n}"), "128k")).collect();
            model.overlay = Some(Overlay::Models(Box::new(Picker::new("Which?", items))));
            model
        },
        consulting,
        |model| with_steps(busy(model), Extent::Folded),
        |model| with_steps(model, Extent::Unfolded),
        |mut model| {
            let job = |n: u64| JobView {
                id: format!("bash_{n}").into(),
                command: "日本語 \x1b[2J\n".repeat(9),
                pid: 1,
                why: Why::Asked,
                state: JobState::Running,
                since: Duration::from_secs(n),
                bytes: n,
            };
            model.aside.jobs = (1..20).map(job).collect();
            model.overlay = Some(Overlay::Tasks(Tasks { focus: 12, shown: None }));
            model
        },
    ];
    prop::sample::select(stages.to_vec())
}

proptest! {
    #[test]
    fn the_live_region_never_leaves_its_bounds(
        stage in any_stage(),
        (columns, rows) in (1u16..200, 1u16..60),
        queue in prop::collection::vec("[a-z日\n\u{1b}]{0,30}", 0..4),
        calls in prop::collection::vec(0usize..9, 0..4),
        thoughts in "[a-z 日\n👍]{0,300}",
    ) {
        let mut model = stage(model(columns, rows));
        model.queue = queue.into_iter().map(Queued::Message).collect();
        model.transcript.push(Cell::Remark(thoughts.clone()));
        if let Some(run) = &mut model.run {
            run.thoughts = thoughts;
            run.calls.extend(calls.into_iter().enumerate().map(|(n, lines)| command(n + 2, lines)));
        }
        let picture = picture(&model, Theme::Colour, Moment(6_000));
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        prop_assert!(!picture.live.is_empty() && picture.live.len() <= 3.max(rows / 2).min(rows));
        for line in &picture.live {
            prop_assert!(line.width() <= columns, "{line:?}");
            prop_assert!(!line.to_string().contains(char::is_control));
        }
        if let Some(Spot { row, col }) = picture.cursor {
            prop_assert!(usize::from(row) < picture.live.len() && usize::from(col) < columns);
        }
    }
}
