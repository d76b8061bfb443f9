//! Pictures of the whole live region at three sizes, and the promise that it never leaves its bounds.

use std::time::Duration;

use proptest::prelude::*;

use super::testing::{call, check, facts, live, model, numbered, text};
use super::theme::Theme;
use super::*;
use crate::app::{GroupForm, TrustGroup, TrustQuestion};
use crate::protocol::{
    Access, Approval, CallForm, CallId, Choice, Display, ExecAccess, Hold, JobState, JobView, Occasion,
    Preview, QuestionId, Tail, Todo, TodoStatus, ToolName, ToolStatus, Topic, Waiting, Why,
};
use crate::tui::model::answering::Answering;
use crate::tui::model::buffer::Buffer;
use crate::tui::model::call::{Kind, Label, RunningCall};
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
        kind: Kind::Acts,
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
        run.calls = vec![RunningCall { kind: Kind::Tells, ..command(1, 0) }];
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

fn pictures(of: impl Fn(Model) -> Model, expected: [&str; 3]) {
    for ((columns, rows), expected) in SIZES.into_iter().zip(expected) {
        check(&live(&of(model(columns, rows)), 6_000), expected);
    }
}

#[test]
fn at_rest_there_is_the_input_and_the_bottom_line() {
    pictures(
        |model| model,
        [
            "❯ |
  qwen3-coder · default · window of 128k",
            "❯ |
  qwen3-coder · default · window of 128k",
            "❯ |
  qwen3-coder · default · window of 128k",
        ],
    );
    pictures(
        |model| typing(model, "one\ntwo"),
        [
            "❯ one
  two|
  qwen3-coder · default · window of 128k",
            "❯ one
  two|
  qwen3-coder · default · window of 128k",
            "❯ one
  two|
  qwen3-coder · default · window of 128k",
        ],
    );
}

#[test]
fn a_long_wait_has_advice_where_there_is_room_for_it() {
    let waiting = |model| running(model, |run| run.waiting = Waiting::FirstByte);
    let calm = live(&waiting(model(80, 24)), 9_999);
    check(
        &calm,
        "
⠸ waiting for the first byte 9 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · window of 128k",
    );
    let long = "
⠋ waiting for the first byte 12 s · 2 turns · esc to interrupt
  a local model may take minutes to read a long prompt; Esc stops it
❯ |
  qwen3-coder · default · window of 128k";
    check(&live(&waiting(model(80, 24)), 12_000), long);
    let narrow = "
⠋ waiting for the first byte 12 s
  esc to interrupt
❯ |
  qwen3-coder · default · window of 128k";
    check(&live(&waiting(model(40, 12)), 12_000), narrow);
    // the advice gives way before anything that is needed
    check(
        &live(&waiting(model(80, 7)), 12_000),
        "⠋ waiting for the first byte 12 s · 2 turns · esc to interrupt\n❯ |\n  qwen3-coder · default · window of 128k",
    );
}

#[test]
fn the_arriving_answer_shows_its_unfinished_end() {
    pictures(answering, ["
The fold starts from the first item, so an empty cart has no start value; the tax is computed from the same sum and is
wrong as well.

⠋ answering 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · window of 128k", "
The fold starts from the first item, so an empty cart has no start value; the
tax is computed from the same sum and is wrong as well.

⠋ answering 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · window of 128k", "
wrong as well.

⠋ answering 6 s · esc to interrupt
❯ |
  qwen3-coder · default · window of 128k"]);
    let thinking = |model| {
        running(model, |run| {
            run.waiting = Waiting::Answer;
            run.thoughts = format!("{WORDS}\n{WORDS}");
        })
    };
    pictures(thinking, ["
  wrong as well.
  The fold starts from the first item, so an empty cart has no start value; the tax is computed from the same sum and is
  wrong as well.

⠋ thinking 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · window of 128k", "
  tax is computed from the same sum and is wrong as well.
  The fold starts from the first item, so an empty cart has no start value; the
  tax is computed from the same sum and is wrong as well.

⠋ thinking 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · window of 128k", "
  and is wrong as well.

⠋ thinking 6 s · esc to interrupt
❯ |
  qwen3-coder · default · window of 128k"]);
}

#[test]
fn a_running_command_shows_its_output_and_the_queue() {
    let queued = |model| {
        let mut model = busy(model);
        let message = |text: &str| Queued::Message(text.to_owned());
        model.queue = ["then bump the version", "and\ntag it"].map(message).into_iter().collect();
        model
    };
    pictures(
        queued,
        [
            "
● explored  Read src/cart.rs
○ run  cargo test cart  6 s
test cart::number_3 ... ok
test cart::number_4 ... ok
test cart::number_5 ... ok
test cart::number_6 ... ok
test cart::number_7 ... ok

⠋ running a command 6 s · 2 turns · esc to interrupt · ctrl+b background
  queued: then bump the version
  queued: and⏎tag it
❯ |
  qwen3-coder · default · window of 128k",
            "
● explored  Read src/cart.rs
○ run  cargo test cart  6 s
test cart::number_5 ... ok
test cart::number_6 ... ok
test cart::number_7 ... ok

⠋ running a command 6 s · 2 turns · esc to interrupt · ctrl+b background
  queued: then bump the version
  queued: and⏎tag it
❯ |
  qwen3-coder · default · window of 128k",
            "● explored  Read src/cart.rs
○ run  cargo test cart  6 s
⠋ running a command 6 s · 2 turns
  esc to interrupt
❯ |
  qwen3-coder · default · window of 128k",
        ],
    );
}

#[test]
fn the_steps_stand_between_what_is_waited_for_and_the_input() {
    let run = |extent| move |model| with_steps(running(model, |run| run.waiting = Waiting::Answer), extent);
    let folded = "
⠋ answering 6 s · 2 turns · esc to interrupt
  ▸ write the tests · 1/3
❯ |
  qwen3-coder · default · window of 128k";
    pictures(run(Extent::Folded), [folded, folded, &folded.replace(" · 2 turns", "")]);
    let unfolded = "
⠋ answering 6 s · 2 turns · esc to interrupt
  1 of 3 done · ctrl+t hides
  ✓ read the parser
  ▸ write the tests
  ☐ run them
❯ |
  qwen3-coder · default · window of 128k";
    let narrow = "
⠋ answering 6 s · esc to interrupt
  ▸ write the tests · 1/3
❯ |
  qwen3-coder · default · window of 128k";
    pictures(run(Extent::Unfolded), [unfolded, unfolded, narrow]);
    check(
        &live(&with_steps(model(80, 24), Extent::Unfolded), 0),
        "  1 of 3 done · ctrl+t hides
  ✓ read the parser
  ▸ write the tests
  ☐ run them
❯ |
  qwen3-coder · default · window of 128k",
    );
}

#[test]
fn a_question_of_the_model_takes_the_place_of_the_input_and_shows_no_call() {
    pictures(
        consulting,
        [
            "
waiting for your answer

Which database should the 日本語 shop use?

  It has one writer.

  Enter takes it · Esc leaves it unanswered
❯ 1. SQLite, one file and no server
  2. Postgres
  3. another answer, in your own words
  qwen3-coder · default · window of 128k",
            "
waiting for your answer

Which database should the 日本語 shop use?

  It has one writer.

  Enter takes it · Esc leaves it unanswered
❯ 1. SQLite, one file and no server
  2. Postgres
  3. another answer, in your own words
  qwen3-coder · default · window of 128k",
            "Which database should the 日本語 shop
use?
  It has one writer.
❯ 1. SQLite, one file and no server
  2. Postgres
  3. another answer, in your own words",
        ],
    );
}

#[test]
fn commands_in_the_background_are_counted_at_the_bottom() {
    let mut model = model(80, 24);
    let job = JobView {
        id: "bash_1".into(),
        command: "npm run dev".to_owned(),
        pid: 1,
        why: Why::Asked,
        state: JobState::Running,
        since: Duration::from_secs(1),
        bytes: 0,
    };
    let ended = JobView { state: JobState::Ended { how: "killed".to_owned() }, ..job.clone() };
    model.aside.jobs = vec![job.clone(), ended];
    check(&live(&model, 0), "❯ |\n  qwen3-coder · default · 1 task · window of 128k");
    model.aside.jobs.push(job);
    check(&live(&model, 0), "❯ |\n  qwen3-coder · default · 2 tasks · window of 128k");
}

#[test]
fn a_question_takes_the_place_of_the_input() {
    pictures(
        asking,
        [
            "
● explored  Read src/cart.rs
○ run  cargo test cart  6 s
test cart::number_3 ... ok
test cart::number_4 ... ok
test cart::number_5 ... ok
test cart::number_6 ... ok
test cart::number_7 ... ok

waiting for your answer

Allow this command?

  cargo publish

  in /src/shop · with your own rights
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cargo publish) in this project
  3. No, and say what to do instead
  qwen3-coder · default · window of 128k",
            "● explored  Read src/cart.rs
○ run  cargo test cart  6 s

Allow this command?

  cargo publish

  in /src/shop · with your own rights
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cargo publish) in this project
  3. No, and say what to do instead
  qwen3-coder · default · window of 128k",
            "Allow this command?
  cargo publish
❯ 1. Yes
  2. Yes, and don't ask again for
     Bash(cargo publish)
  3. No, and say what to do instead",
        ],
    );
    let limit = |mut model: Model| {
        let took = Duration::from_mins(14);
        model.stage =
            Stage::AtLimit(AtLimit { limit: Limit::Turns { turns: 100 }, calls: 212, took, guard: guard() });
        model
    };
    pictures(
        limit,
        [
            "Turn limit reached: 100 turns, 212 calls, 14 m. Go on? y yes · n stop
  qwen3-coder · default · window of 128k",
            "Turn limit reached: 100 turns, 212 calls, 14 m. Go on? y yes · n stop
  qwen3-coder · default · window of 128k",
            "Turn limit reached: 100 turns, 212
calls, 14 m. Go on? y yes · n stop
  qwen3-coder · default · window of 128k",
        ],
    );
}

#[test]
fn lists_open_at_the_input() {
    pictures(
        |model| typing(model, "/"),
        [
            "❯ /|
❯ /help         keys and commands
  /clear        a new session; this one stays on disk
  /model        another model: from a list, or by name
  /todos        the model's list of steps
  /tasks        commands in the background: look at them, end them
  /permissions  the rules in force; grants can be taken back
  /vim          vi's keys in the input, on or off
  /theme        other colours: from a list, or by name
  /status       session, model, endpoint, permissions
  /context      what fills the model's window
  28 in all
  qwen3-coder · default · window of 128k",
            "❯ /|
❯ /help         keys and commands
  /clear        a new session; this one stays on disk
  /model        another model: from a list, or by name
  /todos        the model's list of steps
  /tasks        commands in the background: look at them, end them
  /permissions  the rules in force; grants can be taken back
  /vim          vi's keys in the input, on or off
  /theme        other colours: from a list, or by name
  /status       session, model, endpoint, permissions
  28 in all
  qwen3-coder · default · window of 128k",
            "❯ /|
❯ /help   keys and commands
  /clear  a new session; this one stays…
  /model  another model: from a list, o…
  28 in all
  qwen3-coder · default · window of 128k",
        ],
    );
}

#[test]
fn a_picker_takes_the_place_of_the_input() {
    let models = |mut model: Model| {
        let items = (1..=20).map(|n| Item::new(format!("model-{n}"), "128k")).collect();
        model.overlay = Some(Overlay::Models(Box::new(Picker::new("Which model?", items))));
        model
    };
    pictures(
        models,
        [
            "Which model?
  |type to filter
❯ model-1   128k
  model-2   128k
  model-3   128k
  model-4   128k
  model-5   128k
  model-6   128k
  model-7   128k
  model-8   128k
  model-9   128k
  model-10  128k
  Enter takes · Esc closes · 20 in all
  qwen3-coder · default · window of 128k",
            "Which model?
  |type to filter
❯ model-1  128k
  model-2  128k
  model-3  128k
  model-4  128k
  model-5  128k
  model-6  128k
  model-7  128k
  model-8  128k
  Enter takes · Esc closes · 20 in all
  qwen3-coder · default · window of 128k",
            "Which model?
  |type to filter
❯ model-1  128k
  model-2  128k
  model-3  128k
  Enter takes · Esc closes · 20 in all",
        ],
    );
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

#[test]
fn what_waits_is_printed_once_and_set_apart_by_empty_lines() {
    let mut model = model(80, 24);
    model.transcript.push(Cell::Head(Box::new(facts())));
    model.transcript.push(Cell::User("fix it".to_owned()));
    let history = |model: &Model| picture(model, Theme::Colour, Moment(0)).history;
    check(
        &text(&history(&model)),
        "clawd 0.1.0 · qwen3-coder at 127.0.0.1:11434 · ~/src/shop (main)
AGENTS.md · ? keys, / commands

❯ fix it",
    );
    model.transcript.mark_printed();
    assert_eq!(history(&model), []);
    let line = |text: &str| Display::Line(text.to_owned());
    let look = call("read", "src/cart.rs", ToolStatus::Success, line("42 lines"));
    model.transcript.push(Cell::Explored(vec![look]));
    model.transcript.push(Cell::Call(Box::new(call("run", "true", ToolStatus::Success, line("")))));
    model.transcript.push(Cell::Interrupted { what: None, given_back: 0 });
    check(
        &text(&history(&model)),
        "
● explored  Read src/cart.rs
● run  true  2 s

⊘ Interrupted",
    );
}

#[test]
fn the_scrollback_has_no_tabs_and_no_control_characters() {
    let hostile = "a\tb\x1b[2J\x07\u{9b}c";
    let mut model = model(80, 24);
    let display = Display::Output { text: hostile.to_owned(), ended: Some(hostile.to_owned()) };
    let done = call(hostile, hostile, ToolStatus::Failed, display);
    model.transcript.push(Cell::Explored(vec![done.clone()]));
    model.transcript.push(Cell::Call(Box::new(done)));
    model.transcript.push(Cell::Interrupted { what: Some(hostile.to_owned()), given_back: 0 });
    model.transcript.push(Cell::Lines(vec![hostile.to_owned()]));
    let step = Todo { content: hostile.to_owned(), status: TodoStatus::Pending };
    let change = TodoChange { before: Vec::new(), after: vec![step] };
    model.transcript.push(Cell::Todos(Box::new(change)));
    for cell in [Cell::User, Cell::Remark, Cell::Error, Cell::Void] {
        model.transcript.push(cell(hostile.to_owned()));
    }
    for line in picture(&model, Theme::Colour, Moment(0)).history {
        assert!(!line.to_string().contains(char::is_control), "{line:?}");
    }
}

#[test]
fn frames_flow_only_while_a_run_goes_on_unasked() {
    let pace = |model: &Model| picture(model, Theme::Colour, Moment(0)).pace;
    assert_eq!(pace(&model(80, 24)), Pace::Rest);
    assert_eq!(pace(&busy(model(80, 24))), Pace::Busy);
    assert_eq!(pace(&asking(model(80, 24))), Pace::Rest);
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

#[test]
fn what_is_shown_ahead_stands_above_the_input_as_it_will_be_printed_and_is_not_printed_yet() {
    let mut model = model(80, 12);
    model.transcript.push(Cell::Remark("certain".to_owned()));
    let from = model.transcript.cells().len();
    model.transcript.push(Cell::User("one".to_owned()));
    model.transcript.push(Cell::Lines(numbered(4).lines().map(str::to_owned).collect()));
    let certain = picture(&model, Theme::Colour, Moment(0));
    model.transcript.mark_ahead(from);
    model.stage = Stage::Opening;
    let ahead = picture(&model, Theme::Colour, Moment(0));
    assert_eq!(text(&ahead.history), "certain");
    let both = [text(&ahead.history), text(&ahead.live)].join("\n");
    assert_eq!(both, [text(&certain.history), text(&certain.live)].join("\n"));
    let above = u16::try_from(ahead.live.len() - certain.live.len()).unwrap();
    assert_eq!(ahead.cursor.unwrap().row, certain.cursor.unwrap().row + above);
    model.transcript.push(Cell::Lines(numbered(30).lines().map(str::to_owned).collect()));
    let ahead = picture(&model, Theme::Colour, Moment(0));
    assert_eq!(ahead.live.len(), 12, "the end of it, as much as there is room for");
    assert!(text(&ahead.live).starts_with("line 2"), "{}", text(&ahead.live));
}
