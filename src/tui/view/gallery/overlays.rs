//! Scenes of what lies over the screen: lists to pick from, and pages to read.

use std::sync::Arc;

use super::super::testing::numbered;
use super::Scene;
use super::calls::{edit, looked, ran};
use super::cells::{answered, said};
use super::questions;
use super::states::{goes_on, job, running};
use crate::app::{FileRow, InForce, Pick, Point, Preview, Removal, RuleRow};
use crate::protocol::JobState;
use crate::tui::model::buffer::Buffer;
use crate::tui::model::choice::{Go, Item};
use crate::tui::model::draft::Draft;
use crate::tui::model::overlay::{Found, Overlay, Page, PageOf, Report, Search};
use crate::tui::model::permissions::Permissions;
use crate::tui::model::picker::{Picker, Press};
use crate::tui::model::rewind::{Rewind, Step};
use crate::tui::model::sessions::Sessions;
use crate::tui::model::tasks::{Shown, Tasks};
use crate::tui::model::themes::Themes;
use crate::tui::model::transcript::Cell;
use crate::tui::model::{Model, Stage};

pub(super) fn scenes() -> Vec<Scene> {
    [models(), sessions(), ways_back(), themes(), tasks(), rules(), transcript(), pages()]
        .into_iter()
        .flatten()
        .collect()
}

/// Under this overlay.
fn over(overlay: impl Fn() -> Overlay + 'static) -> impl Fn(Model) -> Model + 'static {
    move |mut model| {
        model.overlay = Some(overlay());
        model
    }
}

fn pressed(mut picker: Picker, typed: &str, down: usize) -> Picker {
    for c in typed.chars() {
        picker.press(Press::Type(c));
    }
    for _ in 0..down {
        picker.press(Press::Go(Go::Down));
    }
    picker
}

fn models() -> Vec<Scene> {
    let list = |count: usize| {
        let named = [
            ("qwen3-coder", "128k"),
            ("Qwen/Qwen3-Coder-480B-A35B-Instruct-Turbo-FP8", "256k"),
            ("日本語-モデル", ""),
        ];
        let named = named.into_iter().map(|(name, about)| Item::new(name, about));
        named.chain((4..=count).map(|n| Item::new(format!("model-{n}"), "32k"))).take(count).collect()
    };
    let picker = move |count| Picker::new("Which model?", list(count));
    let models = |picker: Picker| Overlay::Models(Box::new(picker));
    vec![
        Scene::screen(
            "models are asked for",
            over(move || models(Picker::awaiting("Which model?", "asking 127.0.0.1:11434 for its models"))),
        ),
        Scene::screen("one model", over(move || models(picker(1)))),
        Scene::screen("many models, some way down", over(move || models(pressed(picker(40), "", 12)))),
        Scene::screen("models that match", over(move || models(pressed(picker(40), "model 1", 0)))),
        Scene::screen("no model matches", over(move || models(pressed(picker(40), "gpt", 0)))),
        Scene::screen("there is no model", over(move || models(picker(0)))),
    ]
}

fn sessions() -> Vec<Scene> {
    let open = |count: usize| {
        let mut sessions = Sessions::awaiting();
        let pick = |n: usize| Pick {
            id: n.to_string(),
            title: match n {
                1 => "the total is wrong when the cart is empty, and so is the tax".to_owned(),
                2 => "カートが空のとき合計が間違っています".to_owned(),
                n => format!("session {n}"),
            },
            about: format!("{n} days ago · {} messages", n * 12),
        };
        sessions.fill((1..=count).map(pick).collect());
        sessions
    };
    let boxed = |sessions: Sessions| Overlay::Sessions(Box::new(sessions));
    vec![
        Scene::screen("sessions are looked for", over(move || boxed(Sessions::awaiting()))),
        Scene::screen(
            "sessions",
            over(move || {
                let mut sessions = open(14);
                let words = [
                    "❯ thanks, commit it",
                    "Done: one commit, which mends the total of an empty cart and says so in the changelog as well.",
                    "日本語の最後の言葉",
                ];
                sessions.read("1".to_owned(), words.map(str::to_owned).to_vec());
                boxed(sessions)
            }),
        ),
        Scene::screen(
            "a session that is in use",
            over(move || {
                let mut sessions = open(2);
                sessions.hold("1".to_owned());
                boxed(sessions)
            }),
        ),
    ]
}

fn ways_back() -> Vec<Scene> {
    let point = |position: usize, words: &str, about: &str| Point {
        position,
        words: words.to_owned(),
        about: about.to_owned(),
    };
    let file = |path: &str, what: &str, is_foreign| FileRow {
        path: path.to_owned(),
        what: what.to_owned(),
        is_foreign,
    };
    let open = move || {
        let mut open = Rewind::awaiting();
        open.fill(vec![
            point(9, "thanks, commit it", "now"),
            point(5, "カートが空のとき合計が間違っています", "4 m ago · 1 file"),
            point(1, "the total is wrong when the cart is empty, and so is the tax", "3 h ago · 12 files"),
        ]);
        open
    };
    let preview = move |count: usize| Preview {
        to: 1,
        words: "the total is wrong when the cart is empty, and so is the tax".to_owned(),
        messages: 12,
        files: [
            file("src/cart.rs", "+3 -12", true),
            file("notes/税金.md", "created since, will be deleted", false),
        ]
        .into_iter()
        .chain((3..=count).map(|n| file(&format!("src/part{n}.rs"), "+1 -0", false)))
        .collect(),
        beyond: vec!["not kept when commands change them: 12 ignored files, 1 file over 32 MB".to_owned()],
    };
    let at = move |step: Step| {
        over(move || {
            let mut open = open();
            open.step = step.clone();
            Overlay::Rewind(Box::new(open))
        })
    };
    vec![
        Scene::screen("messages to go back to", over(move || Overlay::Rewind(Box::new(open())))),
        Scene::screen("what a rewind would change is looked at", at(Step::Looking(1))),
        Scene::screen("how far a rewind goes", at(Step::Choosing(Box::new(preview(2))))),
        Scene::screen("how far a rewind of many files goes", at(Step::Choosing(Box::new(preview(30))))),
        Scene::screen("a rewind is on its way", at(Step::Going)),
    ]
}

fn themes() -> Vec<Scene> {
    vec![Scene::screen(
        "themes",
        over(|| Overlay::Themes(Box::new(Themes::open(vec!["solarized".to_owned()], "ansi".to_owned())))),
    )]
}

fn tasks() -> Vec<Scene> {
    let listed = |count: u64, tasks: Tasks| {
        move |mut model: Model| {
            let state = |n| {
                if n % 3 == 0 { JobState::Ended { how: "exit code 1".to_owned() } } else { JobState::Running }
            };
            let commands = [
                "npm run dev",
                "while true; do make -s check || notify 'broken again'; sleep 5; done",
                "日本語のコマンド",
            ];
            let numbered = (1..=count).zip(commands.into_iter().cycle());
            model.aside.jobs = numbered.map(|(n, command)| job(n, command, state(n))).collect();
            model.overlay = Some(Overlay::Tasks(tasks.clone()));
            model
        }
    };
    let shown =
        |text: &str| Tasks { focus: 0, shown: Some(Shown { id: "bash_1".into(), text: text.to_owned() }) };
    vec![
        Scene::screen("three commands in the background", listed(3, Tasks { focus: 1, shown: None })),
        Scene::screen("many commands in the background", listed(24, Tasks { focus: 13, shown: None })),
        Scene::screen(
            "what a command in the background printed",
            listed(3, shown(&format!("{}\u{1b}[31mred\u{1b}[0m 日本語\n", numbered(30)))),
        ),
        Scene::screen("a command in the background that printed nothing", listed(3, shown(""))),
    ]
}

fn rules() -> Vec<Scene> {
    let rule = |kind, rule: &str, place: &str, removal| RuleRow {
        kind,
        rule: rule.to_owned(),
        place: place.to_owned(),
        removal,
    };
    let permissions = |rules: Vec<RuleRow>, focus, said: Option<&str>| Permissions {
        in_force: Some(InForce {
            mode: "default".to_owned(),
            hold: "sandboxed: can write to the workspace, no network".to_owned(),
            rules,
        }),
        focus,
        said: said.map(str::to_owned),
    };
    let all = move || {
        let mut rules = vec![
            rule("deny", "Read(./.env)", "~/.config/clawd/config.toml", Removal::Elsewhere),
            rule("ask", "Bash(git push:*)", "the project's configuration", Removal::Elsewhere),
            rule("allow", "Bash(cargo test:*)", "don't ask again, in this project", Removal::Possible),
            rule(
                "allow",
                "Bash(cargo run --release --package payments --bin settle:*)",
                "don't ask again, in this project",
                Removal::Possible,
            ),
            rule("allow", "Edit(./日本語/**)", "--allowed-tools", Removal::Elsewhere),
        ];
        rules.extend((1..=9).map(|n| {
            rule("allow", &format!("WebFetch(domain:{n}.example.org)"), "--allowed-tools", Removal::Elsewhere)
        }));
        rules
    };
    vec![
        Scene::screen("rules are looked for", over(|| Overlay::Permissions(Box::default()))),
        Scene::screen(
            "no rules",
            over(move || Overlay::Permissions(Box::new(permissions(Vec::new(), 0, None)))),
        ),
        Scene::screen("rules", over(move || Overlay::Permissions(Box::new(permissions(all(), 2, None))))),
        Scene::screen(
            "a rule that cannot be taken back here",
            over(move || {
                Overlay::Permissions(Box::new(permissions(
                    all(),
                    0,
                    Some("deny Read(./.env) stands in ~/.config/clawd/config.toml: take it out there"),
                )))
            }),
        ),
    ]
}

/// A session to read.
fn read(page: impl Fn() -> Page + 'static) -> impl Fn(Model) -> Model + 'static {
    move |mut model| {
        model.transcript.push(said("the total is wrong when the cart is empty"));
        let words = answered("I look at the cart, and at what calls it from *outside*.");
        let looks = vec![looked("read", "src/cart.rs", "42 lines"), looked("grep", "\"total\"", "7 matches")];
        for cell in words.into_iter().chain([Cell::Explored(looks), edit(), ran("seq 40", 40, None)]) {
            model.transcript.push(cell);
        }
        model.transcript.mark_printed();
        model.overlay = Some(Overlay::Page(page()));
        model
    }
}

/// With the question of that scene.
fn asked(model: Model, name: &str) -> Model {
    let scene = questions::scenes().into_iter().find(|scene| scene.name == name).unwrap();
    (scene.made)(model)
}

fn transcript() -> Vec<Scene> {
    let searching = |search: fn() -> Search, found: Option<Found>| {
        read(move || Page { search: search(), found, up: 20, ..Page::open(PageOf::Transcript) })
    };
    let typed = || {
        let mut words = Buffer::default();
        words.type_in(Draft::plain("total 日本"));
        Search::Typing(Box::new(words))
    };
    vec![
        Scene::screen("the whole transcript", read(|| Page::open(PageOf::Transcript))),
        Scene::screen(
            "the whole transcript from its beginning",
            read(|| Page { up: Page::TOP, ..Page::open(PageOf::Transcript) }),
        ),
        Scene::screen(
            "the whole transcript of nothing",
            over(|| Overlay::Page(Page::open(PageOf::Transcript))),
        ),
        Scene::screen("a search is typed", searching(typed, None)),
        Scene::screen(
            "a search that has found something",
            searching(|| Search::For("line 2".to_owned()), Some(Found { up: 24, number: 3, of: 12 })),
        ),
        Scene::screen(
            "a search that has found nothing",
            searching(|| Search::For("nowhere".to_owned()), None),
        ),
        Scene::screen("the whole transcript while a command runs", |model| {
            let mut model = running(model, |run| run.calls = vec![goes_on("run", "cargo test", 7)]);
            model.overlay = Some(Overlay::Page(Page::open(PageOf::Transcript)));
            model
        }),
        Scene::screen("all of a question", |model| {
            let mut model = asked(model, "may a file be changed");
            model.overlay = Some(Overlay::Page(Page::open(PageOf::Transcript)));
            model
        }),
        Scene::screen("all of a long command before a yes counts", |model| {
            let mut model = asked(model, "may a command of many lines run");
            let Stage::Asking(asking) = &model.stage else { panic!("a question") };
            model.overlay = Some(Overlay::Page(Page::open(PageOf::Question(asking.id))));
            model
        }),
    ]
}

fn pages() -> Vec<Scene> {
    let report = |awaited: Option<&'static str>| {
        over(move || {
            let lines = |text: &str| Cell::Lines(text.lines().map(str::to_owned).collect());
            let cells = vec![
                lines("2 files changed by tools since this session began."),
                edit(),
                lines("logo.png: no text"),
            ];
            Overlay::Page(Page {
                report: Arc::new(Report { cells, awaited: awaited.map(str::to_owned) }),
                ..Page::open(PageOf::Report)
            })
        })
    };
    vec![
        Scene::screen("help", over(|| Overlay::Page(Page::open(PageOf::Help)))),
        Scene::screen("the end of help", over(|| Overlay::Page(Page { up: 0, ..Page::open(PageOf::Help) }))),
        Scene::screen("a report", report(None)),
        Scene::screen(
            "a report that still grows",
            report(Some("testing the endpoint, one request at a time · q to stop")),
        ),
    ]
}
