//! Scenes of what is said: the head, the user, thoughts, remarks, errors, and what closes a run.

use std::time::Duration;

use super::super::testing::{facts, numbered};
use super::Scene;
use super::calls::{edit, looked, ran};
use crate::protocol::{Todo, TodoStatus};
use crate::tui::model::facts::Facts;
use crate::tui::model::live::Live;
use crate::tui::model::todos::TodoChange;
use crate::tui::model::transcript::Cell;

/// Error messages as the program prints them, one of each kind: the connection, the endpoint, the key, the model, the window, silence, the disk.
const ERRORS: [&str; 13] = [
    "cannot reach 127.0.0.1:11434: connection refused (check base_url, and that the server is running)",
    "cannot reach api.example.com: no such host (check base_url and the network)",
    "api.example.com rejected the API key (401): Incorrect API key provided (check the key in OPENAI_API_KEY)",
    "api.example.com: quota exhausted (429): You exceeded your current quota (top up the account, or use another key than OPENAI_API_KEY)",
    "api.example.com: rate limit exceeded (429): slow down; retry possible in 2 h",
    "api.example.com: unknown model gpt-9 (404) (try another --model, or check base_url)",
    "the conversation is too long for qwen3-coder: its answer no longer fits (try /compact, /clear, or a model with a larger window)",
    "no data from 127.0.0.1:11434 for 120 s (see idle_timeout_secs)",
    "127.0.0.1:11434 returned a web page: Sign in (check base_url, which usually ends in /v1, or whether a proxy or a network login page intercepts the request)",
    "incomplete response from 127.0.0.1:11434: connection reset",
    "could not compact: the summary is no shorter than the conversation; nothing was changed",
    "cannot write the session: No space left on device",
    "no model is set (try --model NAME, or `model = \"NAME\"` in config.toml)",
];

pub(super) fn scenes() -> Vec<Scene> {
    [spoken(), noted(), told(), together()].into_iter().flatten().collect()
}

pub(super) fn said(text: &str) -> Cell {
    Cell::User(text.to_owned())
}

pub(super) fn remark(text: &str) -> Cell {
    Cell::Remark(text.to_owned())
}

/// An answer in its blocks, as it is put together from what arrives.
pub(super) fn answered(text: &str) -> Vec<Cell> {
    let mut live = Live::default();
    let blocks = live.push(text).into_iter().chain(live.finish());
    blocks.map(Cell::Answer).collect()
}

fn head(change: impl Fn(&mut Facts) + 'static) -> impl Fn() -> Vec<Cell> {
    move || {
        let mut facts = facts();
        change(&mut facts);
        vec![Cell::Head(Box::new(facts))]
    }
}

fn spoken() -> Vec<Scene> {
    vec![
        Scene::cells("the head", head(|_| {})),
        Scene::cells("the head before anything is known", || vec![Cell::Head(Box::default())]),
        Scene::cells("the head where nothing is sent", head(|facts| facts.host.clear())),
        Scene::cells(
            "the head with long names and several files",
            head(|facts| {
                "Qwen/Qwen3-Coder-480B-A35B-Instruct".clone_into(&mut facts.model);
                "inference.eu-central.example.com".clone_into(&mut facts.host);
                "~/src/日本語/客户端/payments".clone_into(&mut facts.cwd);
                facts.branch = Some("feature/totals-of-empty-carts".to_owned());
                facts.instructions = ["~/.config/clawd/AGENTS.md", "AGENTS.md", "payments/CLAUDE.md"]
                    .map(str::to_owned)
                    .to_vec();
            }),
        ),
        Scene::cells("the user speaks", || vec![said("the total is wrong when the cart is empty")]),
        Scene::cells("the user speaks at length", || {
            vec![said(
                "The total is wrong when the cart is empty, and so is the tax, which is computed from the same sum.\n\n\
                 - look at src/cart.rs first\n- do not touch the receipts\n\n    let total = items.sum();\n",
            )]
        }),
        Scene::cells("the user speaks Japanese, in emoji and in something odd", || {
            vec![
                said(
                    "カートが空のとき合計が間違っています。税金も同じ合計から計算されるので、こちらも間違っています。",
                ),
                said("👩‍👩‍👧‍👦 🇩🇪 👍🏽 é ｱｲｳ שלום\t\u{1b}[2Jx\u{202e}evil\u{200b}"),
                said(
                    "https://example.org/a/very/long/address/that/no/line/of/forty/columns/can/hold?and=more&still=more#end",
                ),
            ]
        }),
        Scene::cells("thoughts", || {
            let thought = |text: String, seconds| Cell::Thought { text, took: Duration::from_secs(seconds) };
            vec![
                thought("The fold has no start value.\n\nI shall look.".to_owned(), 0),
                thought(numbered(12), 12),
                thought("長い考え。".repeat(20), 135),
            ]
        }),
    ]
}

fn noted() -> Vec<Scene> {
    let interrupted =
        |what: Option<&str>, given_back| Cell::Interrupted { what: what.map(str::to_owned), given_back };
    let summary = |turns, calls, milliseconds, tokens| Cell::Summary {
        turns,
        calls,
        took: Duration::from_millis(milliseconds),
        tokens,
    };
    vec![
        Scene::cells("remarks", || {
            vec![
                remark("model: qwen3-coder-30b"),
                remark("1 earlier message not shown"),
                remark("attached src/cart.rs:10-20, Cargo.toml"),
                remark("127.0.0.1:11434 counts no tokens for qwen3-coder: usage and context stay unknown"),
                remark("the key in KEY_1 asks too much (429), going on with the one in KEY_2"),
            ]
        }),
        Scene::cells("errors", || ERRORS.map(|error| Cell::Error(error.to_owned())).to_vec()),
        Scene::cells("an error of several lines, and what to do then", || {
            vec![
                Cell::Error("Error: cannot read config.toml: line 3: `max_turns` must be a number\n3 | max_turns = many\n  |             ^^^^".to_owned()),
                remark("Your message was not lost: press Enter on an empty input to retry."),
            ]
        }),
        Scene::cells("interruptions", move || {
            vec![
                interrupted(None, 0),
                interrupted(Some("cargo test --workspace --all-features -- --nocapture"), 0),
                interrupted(Some("cargo test\ncargo build"), 1),
                interrupted(Some("日本語のとても長いコマンドがここに立っていて終わりません"), 12),
            ]
        }),
        Scene::cells("what is void, and what was summarised", || {
            vec![
                Cell::Void("response interrupted (incomplete response from 127.0.0.1:11434: connection reset); retrying".to_owned()),
                Cell::Compacted { before: 98_234, after: 12_100 },
                Cell::Compacted { before: 1_204_000, after: 640 },
            ]
        }),
        Scene::cells("ends of runs", move || {
            vec![
                summary(1, 0, 300, 0),
                summary(1, 1, 1_000, 812),
                summary(3, 4, 41_900, 18_234),
                summary(100, 1_212, 3_845_000, 12_345_678),
            ]
        }),
        Scene::cells("lists of steps as they change", steps),
    ]
}

pub(super) fn step(content: &str, status: TodoStatus) -> Todo {
    Todo { content: content.to_owned(), status }
}

fn steps() -> Vec<Cell> {
    use TodoStatus::{Completed, InProgress, Pending};
    let change = |before: &[Todo], after: &[Todo]| {
        Cell::Todos(Box::new(TodoChange { before: before.to_vec(), after: after.to_vec() }))
    };
    let first = [
        step("read the parser", InProgress),
        step("write the tests, those for empty carts and those for carts of one item alike", Pending),
        step("テストを実行する", Pending),
    ];
    let second = [step("read the parser", Completed), step("write the tests", InProgress), first[2].clone()];
    let many: Vec<Todo> = (1..=14).map(|n| step(&format!("step {n}"), Pending)).collect();
    vec![
        change(&[], &first),
        change(&first, &second),
        change(&second, &second),
        change(&second, &[]),
        change(&[], &many),
    ]
}

fn told() -> Vec<Scene> {
    vec![Scene::cells("answers to commands", || {
        let lines = |text: &str| Cell::Lines(text.lines().map(str::to_owned).collect());
        vec![
            lines(
                "session   0197e1a2  the total is wrong when the cart is empty\nmodel     qwen3-coder at 127.0.0.1:11434\nmode      default",
            ),
            lines(
                "12.4k of 128k tokens\n\n  system         2.1k\n  instructions   1.3k  AGENTS.md\n  conversation   9.0k",
            ),
        ]
    })]
}

/// What an ordinary session leaves in the scrollback, to see how cells stand beside each other.
fn together() -> Vec<Scene> {
    vec![Scene::cells("an ordinary run from its first line to its last", || {
        let mut cells =
            vec![Cell::Head(Box::new(facts())), said("the total is wrong when the cart is empty")];
        cells
            .push(Cell::Thought { text: "A fold without a start.".to_owned(), took: Duration::from_secs(4) });
        cells.extend(answered("I look at the cart and at what calls it."));
        cells.push(Cell::Explored(vec![
            looked("read", "src/cart.rs", "42 lines"),
            looked("grep", "\"total\"", "7 matches"),
        ]));
        cells.extend(answered("The fold starts from the first item, so an empty cart has no start value:\n\n```rust\nlet start = Money::ZERO;\n```\n\nI mend it and run the tests."));
        cells.extend([
            edit(),
            ran("cargo test cart", 4, None),
            remark("the key in KEY_1 asks too much (429), going on with the one in KEY_2"),
        ]);
        cells.extend(answered("Done. An empty cart costs nothing now."));
        cells.push(Cell::Summary { turns: 3, calls: 4, took: Duration::from_secs(41), tokens: 18_234 });
        cells.push(said("thanks, commit it"));
        cells.push(Cell::Interrupted { what: Some("git commit".to_owned()), given_back: 1 });
        cells
    })]
}
