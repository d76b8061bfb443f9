//! Scenes of what tools did: each kind of result, each way of ending.

use std::time::Duration;

use super::super::testing::{call, numbered};
use super::Scene;
use super::cells::step;
use crate::protocol::{Display, FileChange, TodoStatus, ToolStatus};
use crate::tui::model::call::DoneCall;
use crate::tui::model::transcript::Cell;

const BEFORE: &str = "use crate::money::Money;\n\n/// What somebody wants to buy.\npub struct Cart {\n    items: Vec<Item>,\n}\n\nimpl Cart {\n    pub fn total(&self) -> Money {\n        self.items.iter().map(Item::price).reduce(Money::add).unwrap()\n    }\n\n    pub fn len(&self) -> usize {\n        self.items.len()\n    }\n}\n";

pub(super) fn scenes() -> Vec<Scene> {
    [looks(), commands(), changes(), others()].into_iter().flatten().collect()
}

pub(super) fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
    FileChange { path: path.to_owned(), before: before.map(str::to_owned), after: after.map(str::to_owned) }
}

/// A change of one line, with some words of it.
pub(super) fn mended() -> FileChange {
    let after = BEFORE.replace("reduce(Money::add).unwrap()", "fold(Money::ZERO, Money::add)");
    change("src/cart.rs", Some(BEFORE), Some(&after))
}

pub(super) fn edit() -> Cell {
    done(call("edit", "src/cart.rs", ToolStatus::Success, Display::Changes(vec![mended()])))
}

/// A command that printed so many lines.
pub(super) fn ran(command: &str, lines: usize, ended: Option<&str>) -> Cell {
    let status = if ended.is_some() { ToolStatus::Failed } else { ToolStatus::Success };
    done(call("run", command, status, output(&numbered(lines), ended)))
}

pub(super) fn looked(verb: &str, object: &str, told: &str) -> DoneCall {
    call(verb, object, ToolStatus::Success, Display::Line(told.to_owned()))
}

fn done(call: DoneCall) -> Cell {
    Cell::Call(Box::new(call))
}

fn output(text: &str, ended: Option<&str>) -> Display {
    Display::Output { text: text.to_owned(), ended: ended.map(str::to_owned) }
}

fn looks() -> Vec<Scene> {
    let failed = |verb: &str, object: &str, told: &str| {
        call(verb, object, ToolStatus::Failed, Display::Line(told.to_owned()))
    };
    vec![
        Scene::cells("one look", || vec![Cell::Explored(vec![looked("read", "src/cart.rs", "42 lines")])]),
        Scene::cells("several looks", || {
            vec![Cell::Explored(vec![
                looked("read", "src/cart.rs", "42 lines"),
                looked("read", "src/lib.rs", "7 lines"),
                looked("glob", "src/**/*.rs", "12 files"),
                looked("grep", "\"total\"", "1 matching line"),
                looked("grep", "\"日本語\"", "no match"),
            ])]
        }),
        Scene::cells("looks that failed", move || {
            let alone = failed("read", "src/mian.rs", "no such file; did you mean src/main.rs?");
            let denied = call("read", ".env", ToolStatus::Denied, Display::Line("denied".to_owned()));
            vec![
                done(alone.clone()),
                done(denied.clone()),
                Cell::Explored(vec![alone, denied, looked("read", "b.rs", "")]),
            ]
        }),
    ]
}

fn commands() -> Vec<Scene> {
    vec![
        Scene::cells("commands that went well", || {
            vec![
                ran("true", 0, None),
                ran("cargo test cart", 3, None),
                ran("seq 9", 9, None),
                ran("seq 20", 20, None),
            ]
        }),
        Scene::cells("commands that failed", || {
            vec![
                ran("false", 0, Some("exit 1")),
                ran("cargo test", 15, Some("exit 101")),
                ran("sleep 600", 1, Some("timed out after 2 m")),
                done(call("run", "cargo publish", ToolStatus::Denied, output("", None))),
                done(call(
                    "run",
                    "npm run dev",
                    ToolStatus::Interrupted,
                    output("listening on 3000\n", None),
                )),
            ]
        }),
        Scene::cells("a command of several lines and one that is long", || {
            let many =
                "cd crates/payments &&\ncargo test --workspace --all-features -- --nocapture &&\necho done";
            let long = "find . -name '*.rs' -not -path './target/*' -print0 | xargs -0 grep -n 'fn total' | sort -u | head -n 20";
            vec![ran(many, 2, None), ran(long, 1, Some("exit 123"))]
        }),
        Scene::cells("output in colour, with progress, wide, and without an end", || {
            let text = "\u{1b}[32mok\u{1b}[0m test 日本語 👍\nprogress 10%\rprogress 100%\n\tindented\n";
            let long = "x".repeat(700);
            vec![
                done(call("run", "make", ToolStatus::Success, output(text, None))),
                done(call("run", "cat bundle.min.js", ToolStatus::Success, output(&long, None))),
                done(call(
                    "run",
                    "cat src/cart.rs",
                    ToolStatus::Success,
                    output("pub fn total() {}\n", None),
                )),
            ]
        }),
    ]
}

fn changes() -> Vec<Scene> {
    let changed = |verb: &'static str, files: Vec<FileChange>| {
        done(call(verb, "some files", ToolStatus::Success, Display::Changes(files)))
    };
    vec![
        Scene::cells("an edit", || vec![edit()]),
        Scene::cells("a new file, one that is gone, and one that is as it was", move || {
            vec![
                changed(
                    "write",
                    vec![change("notes.md", None, Some("# Notes\n\n日本語の行\nan end without a line end"))],
                ),
                changed("patch", vec![change("old.txt", Some("one\ntwo\n"), None)]),
                changed("write", vec![change("same.txt", Some("one\n"), Some("one\n"))]),
            ]
        }),
        Scene::cells("several files at once", move || {
            let second = change("src/lib.rs", Some("mod cart;\n"), Some("mod cart;\nmod money;\n"));
            vec![changed(
                "patch",
                vec![mended(), second, change("src/money.rs", None, Some("pub struct Money;\n"))],
            )]
        }),
        Scene::cells("a long change, in places far apart, with long lines", move || {
            let before = numbered(1_200);
            let after = before
                .replace("line 7\n", "line seven, which is now long enough to need more columns than a narrow screen has, and more than a wide one has as well, if only just\n")
                .replace("line 1003\n", "line 1,003 \n")
                .replace("line 1100\n", &"another\n".repeat(24));
            vec![changed("edit", vec![change("numbers.txt", Some(&before), Some(&after))])]
        }),
    ]
}

fn others() -> Vec<Scene> {
    vec![Scene::cells("other tools", || {
        let text = |text: &str| Display::Text(text.to_owned());
        let line = |text: &str| Display::Line(text.to_owned());
        let list = vec![
            step("read the parser", TodoStatus::Completed),
            step("write the tests", TodoStatus::Pending),
        ];
        vec![
            done(call("fetch", "https://example.org/a/page", ToolStatus::Success, text(&numbered(12)))),
            done(call("ask", "Which database should the shop use?", ToolStatus::Success, line("SQLite"))),
            done(call("output", "bash_1", ToolStatus::Success, text("listening on 3000\n"))),
            done(call("end", "bash_1", ToolStatus::Success, line("ended"))),
            done(call("todo", "", ToolStatus::Success, Display::Todos(list))),
            done(call("mcp__tracker__search_issues", "", ToolStatus::Failed, line("the server has gone"))),
            done(DoneCall {
                duration: Duration::from_secs(3_725),
                ..call("run", "make world", ToolStatus::Success, output("", None))
            }),
        ]
    })]
}
