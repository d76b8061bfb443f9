//! Scenes of how things stand: the input in its forms, what a run waits for, what stands beside it.

use std::time::Duration;

use super::super::testing::{facts, numbered};
use super::Scene;
use super::calls::looked;
use super::cells::{said, step};
use crate::protocol::ToolKind;
use crate::protocol::{CallId, JobState, JobView, Tail, TodoStatus, Waiting, Why};
use crate::text::fuzzy::Best;
use crate::tui::model::call::{Label, RunningCall};
use crate::tui::model::draft::Draft;
use crate::tui::model::facts::Meter;
use crate::tui::model::moment::Moment;
use crate::tui::model::queue::Queued;
use crate::tui::model::run::{RunView, Stopping};
use crate::tui::model::scroll::Scroll;
use crate::tui::model::todos::{Extent, Todos};
use crate::tui::model::transcript::{Cell, Place};
use crate::tui::model::{Model, Stage};

pub(super) const WORDS: &str = "The fold starts from the first item, so an empty cart has no start value; the tax is computed \
    from the same sum and is wrong as well.";

pub(super) fn scenes() -> Vec<Scene> {
    [inputs(), other_inputs(), bottom(), waits(), runs(), beside(), full()].into_iter().flatten().collect()
}

/// With `typed` in the input.
pub(super) fn typing(mut model: Model, typed: &str) -> Model {
    for c in typed.chars() {
        if c == '\n' { model.composer.new_line() } else { model.composer.type_in(c) }
    }
    model
}

/// In a run since moment 0.
pub(super) fn running(mut model: Model, change: impl FnOnce(&mut RunView)) -> Model {
    let mut run = RunView { turns: 2, ..RunView::begin(Moment(0)) };
    change(&mut run);
    model.run = Some(run);
    model.stage = Stage::Running;
    model.transcript.push(said("the total is wrong"));
    model.transcript.mark_printed();
    model
}

/// A call that has printed so many lines.
pub(super) fn goes_on(verb: &str, object: &str, lines: usize) -> RunningCall {
    let printed = numbered(lines);
    RunningCall {
        id: CallId::from(object),
        label: Label { verb: verb.to_owned(), object: object.to_owned() },
        since: Moment(0),
        tail: Tail {
            lines: printed.lines().map(str::to_owned).collect(),
            bytes: printed.len() as u64,
            count: lines as u64,
        },
        kind: ToolKind::Act,
    }
}

pub(super) fn job(number: u64, command: &str, state: JobState) -> JobView {
    JobView {
        id: format!("bash_{number}").into(),
        command: command.to_owned(),
        pid: 1,
        why: Why::Asked,
        state,
        since: Duration::from_secs(number * 61),
        bytes: number * 4_321,
    }
}

pub(super) fn with_steps(mut model: Model, count: usize, extent: Extent) -> Model {
    let status = |n| match n {
        0..3 => TodoStatus::Completed,
        3 => TodoStatus::InProgress,
        _ => TodoStatus::Pending,
    };
    let content = |n| match n {
        3 => "write the tests, those for empty carts and those for carts of one item alike".to_owned(),
        4 => "テストを実行する".to_owned(),
        n => format!("step {}", n + 1),
    };
    model.aside.todos = Todos { list: (0..count).map(|n| step(&content(n), status(n))).collect(), extent };
    model
}

fn inputs() -> Vec<Scene> {
    let written = |text: &'static str| move |model| typing(model, text);
    vec![
        Scene::screen("the input before anything is ready", |mut model| {
            model.stage = Stage::Opening;
            model.facts = crate::tui::model::facts::Facts::default();
            model
        }),
        Scene::screen("the input at rest", |model| model),
        Scene::screen(
            "several lines",
            written(
                "one\n\n  two, which is long enough to be broken at forty columns, and at eighty as well\n日本語の行はここで四十桁の画面では折り返されます。本当に",
            ),
        ),
        Scene::screen("more lines than there is room for", |model| typing(model, numbered(30).trim_end())),
        Scene::screen("a large paste and an image", |model| {
            let mut model = typing(model, "see ");
            model.composer.paste(&numbered(100));
            model.composer.type_in(' ');
            model.composer.insert_image("shot.png", None);
            model
        }),
        Scene::screen("a command of the user's own", written("!cargo test")),
        Scene::screen("commands to complete to", written("/")),
        Scene::screen("commands that match", written("/co")),
        Scene::screen("paths to complete to", |model| {
            let mut model = typing(model, "look at @c");
            let paths = [
                "src/cart.rs",
                "src/cart/mod.rs",
                "crates/payments/src/a/rather/long/path/to/the/cart.rs",
                "src/日本語/カート.rs",
            ];
            model.composer.offer_paths("c", Best { paths: paths.map(str::to_owned).to_vec(), total: 1_204 });
            model
        }),
    ]
}

fn other_inputs() -> Vec<Scene> {
    let vi = |model| {
        let mut model = typing(model, "one word");
        model.composer.toggle_vim();
        model
    };
    vec![
        Scene::screen("a search in the history", |mut model| {
            model.composer.load_history(["cargo test", "the total is wrong"].map(Draft::plain));
            model.composer.search();
            typing(model, "total")
        }),
        Scene::screen("a search that finds nothing", |mut model| {
            model.composer.load_history([Draft::plain("cargo test")]);
            model.composer.search();
            typing(model, "nowhere")
        }),
        Scene::screen("vi's keys, inserting", vi),
        Scene::screen("vi's keys, normal", move |model| {
            let mut model = vi(model);
            model.composer.escape_vim();
            model
        }),
        Scene::screen("after the first Ctrl+C", |mut model| {
            model.recent.leave = Some(Moment(5_000));
            model
        }),
    ]
}

fn bottom() -> Vec<Scene> {
    let metered = |change: fn(&mut Model)| {
        move |mut model: Model| {
            model.meter = Meter { context: 15_360, total: 18_234, unsaved: false };
            change(&mut model);
            model
        }
    };
    vec![
        Scene::screen("the bottom line with all that is counted", metered(|_| {})),
        Scene::screen("the bottom line without a window", metered(|model| model.facts.window = None)),
        Scene::screen(
            "the bottom line, nothing saved and the window full",
            metered(|model| {
                model.meter = Meter { context: 127_900, total: 12_345_678, unsaved: true };
            }),
        ),
        Scene::screen(
            "the bottom line in plan mode with a sandbox",
            metered(|model| {
                "plan".clone_into(&mut model.facts.mode);
                model.facts.sandbox = Some("sandbox: namespaces".to_owned());
            }),
        ),
        Scene::screen(
            "the bottom line in bypass mode without one",
            metered(|model| {
                "bypass".clone_into(&mut model.facts.mode);
                model.facts.sandbox = Some("no sandbox".to_owned());
            }),
        ),
        Scene::screen(
            "the bottom line with a long name and everything else",
            metered(|model| {
                "Qwen/Qwen3-Coder-480B-A35B-Instruct".clone_into(&mut model.facts.model);
                "accept-edits".clone_into(&mut model.facts.mode);
                model.facts.sandbox = Some("sandbox: Landlock, network not held".to_owned());
                model.meter.unsaved = true;
                model.aside.jobs =
                    vec![job(1, "npm run dev", JobState::Running), job(2, "make watch", JobState::Running)];
                model.composer.toggle_vim();
            }),
        ),
    ]
}

fn waits() -> Vec<Scene> {
    let wait = |waiting: Waiting| move |model| running(model, |run| run.waiting = waiting.clone());
    let retry = |error: &str, delay| Waiting::Retry {
        attempt: 2,
        of: 5,
        delay: Duration::from_secs(delay),
        error: error.to_owned(),
    };
    vec![
        Scene::screen("connecting", wait(Waiting::Connecting)),
        Scene::screen("connecting for long", wait(Waiting::Connecting)).at(12_000),
        Scene::screen("waiting for a response", wait(Waiting::FirstByte)),
        Scene::screen("waiting for a response for long", wait(Waiting::FirstByte)).at(131_000),
        Scene::screen("thinking", |model| {
            running(model, |run| {
                run.waiting = Waiting::Answer;
                run.thoughts = format!("{WORDS}\n\n{WORDS}");
            })
        }),
        Scene::screen("answering", |model| {
            running(model, |run| {
                run.waiting = Waiting::Answer;
                drop(run.answer.push(WORDS));
            })
        }),
        Scene::screen("answering with code", |model| {
            running(model, |run| {
                run.waiting = Waiting::Answer;
                drop(run.answer.push("```rust\nfn total(&self) -> Money { self.items.iter().map(Item::price).fold(Money::ZERO, Money::add"));
            })
        }),
        Scene::screen("no data for long", |model| running(model, |run| run.waiting = Waiting::Answer))
            .at(31_000),
        Scene::screen("writing a tool call", wait(Waiting::Call)),
        Scene::screen("asking again", wait(retry("127.0.0.1:11434 cannot answer now (503)", 9))),
        Scene::screen(
            "asking again, for a long reason",
            wait(retry(
                "api.example.com gets too many requests (429): Rate limit reached for requests per minute, please slow down",
                90,
            )),
        ),
        Scene::screen("summarising", wait(Waiting::Summary)),
        Scene::screen("stopping", |model| running(model, |run| run.stopping = Stopping::Yes)),
    ]
}

fn runs() -> Vec<Scene> {
    let tools = |calls: fn() -> Vec<RunningCall>| {
        move |model| {
            running(model, |run| {
                run.waiting = Waiting::Tools;
                run.calls = calls();
            })
        }
    };
    vec![
        Scene::screen("a command runs", tools(|| vec![goes_on("run", "cargo test cart", 3)])),
        Scene::screen(
            "a command prints much",
            tools(|| vec![goes_on("run", "cargo test --workspace --all-features -- --nocapture", 2_000)]),
        )
        .at(75_000),
        Scene::screen("several calls after some looks", |model| {
            let mut model = running(model, |run| {
                run.waiting = Waiting::Tools;
                run.explored =
                    vec![looked("read", "src/cart.rs", "42 lines"), looked("grep", "\"total\"", "7 matches")];
                run.calls = vec![
                    goes_on("run", "cargo test cart", 7),
                    goes_on("fetch", "https://example.org/", 0),
                    goes_on("edit", "src/cart.rs", 0),
                ];
            });
            model.transcript.push(Cell::Remark("model: qwen3-coder".to_owned()));
            model.transcript.mark_printed();
            model
        }),
        Scene::screen("a run with a queue", |model| {
            let mut model = running(model, |run| run.waiting = Waiting::Tools);
            let message = |text: &str| Queued::Message(text.to_owned());
            model.queue = [
                message("then bump the version"),
                message("and\ntag it, with a message that says what has changed since the last tag, and why"),
                Queued::Command("/compact".to_owned()),
                Queued::Later("and then the changelog".to_owned()),
            ]
            .into_iter()
            .collect();
            typing(model, "and")
        }),
    ]
}

fn beside() -> Vec<Scene> {
    let run = |count, extent| {
        move |model| with_steps(running(model, |run| run.waiting = Waiting::FirstByte), count, extent)
    };
    vec![
        Scene::screen("steps, folded", run(6, Extent::Folded)),
        Scene::screen("steps, unfolded", run(6, Extent::Unfolded)),
        Scene::screen("many steps, unfolded", run(30, Extent::Unfolded)),
        Scene::screen("steps at rest", |model| with_steps(model, 6, Extent::Unfolded)),
        Scene::screen("commands in the background", |mut model| {
            let ended = JobState::Ended { how: "exit code 0".to_owned() };
            model.aside.jobs = vec![job(1, "npm run dev", JobState::Running), job(2, "make", ended)];
            model
        }),
    ]
}

/// The same parts where the program scrolls itself.
fn full() -> Vec<Scene> {
    let session = |mut model: Model, scroll: Scroll| {
        model.transcript.push(Cell::Head(Box::new(facts())));
        (1..=20).for_each(|n| model.transcript.push(said(&format!("message {n}"))));
        model.transcript.place = Place::Fullscreen(scroll);
        model
    };
    vec![
        Scene::screen("fullscreen, a session that has begun", |mut model| {
            model.transcript.push(Cell::Head(Box::new(facts())));
            model.transcript.place = Place::Fullscreen(Scroll::default());
            model
        }),
        Scene::screen("fullscreen, further up", move |model| {
            let mut scroll = Scroll::default();
            scroll.to_beginning();
            session(model, scroll)
        }),
        Scene::screen("fullscreen, while a command runs", move |model| {
            let mut model = session(model, Scroll::default());
            let run = RunView {
                turns: 2,
                waiting: Waiting::Tools,
                calls: vec![goes_on("run", "cargo test", 7)],
                ..RunView::begin(Moment(0))
            };
            model.run = Some(run);
            model.stage = Stage::Running;
            model
        }),
    ]
}
