//! The pictures in `docs/images`: screens of the real program, recorded in a terminal and drawn as SVG.
//!
//! What differs from run to run (temporary paths, ports, durations) is replaced by a fixed text before it is drawn. The pictures
//! show commands in a sandbox, so on a system without one they are not compared.

use std::cell::RefCell;

use clawd::sandbox::{Sandbox, Tier};
use serde_json::json;

use super::check;
use super::svg::{Grid, SHADES, moving, still};
use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::screen::{GUARD, leave, say, wait_for_rest};

/// Columns of a usual terminal, and enough rows for all that is shown.
fn size() -> Size {
    Size::new(80, 60)
}

/// Rows of a picture.
const ROWS: usize = 34;

/// Names what must not be skipped.
const REQUIRE: &str = "CLAWD_TEST_REQUIRE";

const ANSWER: &str = "`total` in **cart.sh** ignores the quantity:\n\n\
    | items | expected | actual |\n|---|--:|--:|\n| 1 apple | 40 | 40 |\n| 3 apples | 120 | 40 |\n| 3 apples, 1 loaf | 370 | 290 |\n\n\
    The fix multiplies each price by its count:\n\n\
    ```sh\nwhile read -r name price count; do\n    sum=$((sum + price * count))   # count was ignored\ndone\necho \"$sum\"\n```\n\n\
    Shall I apply it and add a test for several items?";

const PLAN: &str = "## Fix the total\n\n`total` in `cart.sh` ignores the quantity.\n\n\
    1. `cart.sh:7`: multiply `price` by `count`\n2. `check.sh`: add a test for three apples and a loaf\n\
    3. run `sh check.sh`\n\n**Risk:** none; `total` has one caller.";

/// Commands can be sandboxed as the pictures show it.
fn has_sandbox() -> bool {
    let helper = env!("CARGO_BIN_EXE_clawd");
    let found = Sandbox::with(Tier::Nothing).helped_by(helper).or_firmer().tier() == Tier::Namespaces;
    let required = std::env::var(REQUIRE).unwrap_or_default();
    assert!(found || !required.split(',').any(|name| name == "sandbox"), "a sandbox is required");
    found
}

/// In a terminal with sixteen colours, which both kinds of pictures are made of.
fn coloured(clawd: Clawd) -> Clawd {
    clawd.home_file("config.toml", "[tui]\ntheme = \"ansi\"\n")
}

fn check_still(name: &str, title: &str, grid: &Grid) {
    for shades in &SHADES {
        check(&format!("docs/images/{name}-{}.svg", shades.name), &still(grid, title, shades));
    }
}

/// The screen once it is as wanted.
fn screen(pty: &Pty, what: &str, wanted: impl Fn(&str) -> bool) -> Grid {
    let taken = RefCell::new(None);
    pty.wait_until(what, |screen| {
        let text = screen.contents();
        let is_wanted = is_whole(&text) && wanted(&text);
        if is_wanted {
            *taken.borrow_mut() = Some(Grid::of(screen, &fixed).last(ROWS));
        }
        is_wanted
    });
    taken.into_inner().unwrap()
}

/// A piece of a row without what differs from run to run.
fn fixed(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        if word.contains("/clawd-demo-") {
            "/tmp/clawd-demo-a1B2c3"
        } else if word.starts_with("127.0.0.1:") {
            "127.0.0.1:11434"
        } else {
            word
        }
    });
    let text = words.collect::<Vec<_>>().join(" ");
    if is_duration(text.trim()) {
        return String::new();
    }
    if text.starts_with("thought for ") {
        return "thought".to_owned();
    }
    let parts = text.split(" · ").map(|part| if is_duration(part.trim()) { "6 s" } else { part });
    parts.collect::<Vec<_>>().join(" · ")
}

fn is_duration(text: &str) -> bool {
    let units = ["ms", "s", "m", "min"];
    text.split_once(' ').is_some_and(|(number, unit)| number.parse::<f64>().is_ok() && units.contains(&unit))
}

/// Whether the last row is the status line with all its parts: rows are drawn from the top, so all of them are there.
fn is_whole(text: &str) -> bool {
    let last = text.lines().last().unwrap_or_default();
    last.contains(" · ") && last.contains("sandbox")
}

/// Presses a key in answer to the question on the screen, once it takes keys.
fn press(pty: &Pty, key: &str) {
    std::thread::sleep(GUARD);
    pty.key(key);
}

#[test]
fn the_pictures_of_the_demo_are_current() {
    if !has_sandbox() {
        return;
    }
    // a path of the usual length, on which line breaks depend
    let clawd = coloured(Clawd::alone()).env("TMPDIR", "/tmp").arg("demo");
    let pty = Pty::spawn(&clawd, size());
    let is_asked = |text: &str| text.contains("Allow") && text.contains("❯ 1. Yes") && text.contains("No, ");
    let is_edit = |text: &str| is_asked(text) && !text.contains("with network");
    let is_command = |text: &str| is_asked(text) && text.contains("with network");
    let question = screen(&pty, "the first question", is_edit);
    press(&pty, "1");
    let command = screen(&pty, "the second question", is_command);
    press(&pty, "1");
    let is_over = |text: &str| !text.contains("esc to interrupt") && !text.contains("Allow");
    let end = screen(&pty, "the end", |text| is_over(text) && text.contains(" calls · "));
    leave(&pty);
    check_still("question", "clawd asks before it edits a file and shows the change", &question);
    for shades in &SHADES {
        let title = "clawd finds why a check fails, asks before it edits a file and runs a command, and the check passes";
        let made = moving(&[question.clone(), command.clone(), end.clone()], title, shades);
        check(&format!("docs/images/demo-{}.svg", shades.name), &made);
    }
}

#[test]
fn the_pictures_of_an_answer_are_current() {
    if !has_sandbox() {
        return;
    }
    let endpoint = Endpoint::script([text(ANSWER)]);
    let pty = Pty::spawn(&shop(&endpoint), size());
    pty.wait_for("❯");
    say(&pty, "why is the total wrong for three apples?");
    pty.wait_for("several items?");
    wait_for_rest(&pty);
    let grid = screen(&pty, "the answer", |text| !text.contains("esc to interrupt"));
    leave(&pty);
    check_still("answer", "An answer with a table and code, as clawd shows it", &grid);
    endpoint.finish();
}

#[test]
fn the_pictures_of_plan_mode_are_current() {
    if !has_sandbox() {
        return;
    }
    let endpoint = Endpoint::script([calls([call("ExitPlanMode", json!({"plan": PLAN}))])]);
    let pty = Pty::spawn(&shop(&endpoint).args(["--permission-mode", "plan"]), size());
    pty.wait_for("❯");
    say(&pty, "the total is wrong for three apples");
    let grid = screen(&pty, "the plan", |text| text.contains("❯ 1. Yes") && text.contains("3. No"));
    press(&pty, "esc");
    pty.wait_until("the question to be gone", |screen| !screen.contents().contains("❯ 1. Yes"));
    wait_for_rest(&pty);
    // the message may be in the input again
    pty.key("ctrl-c");
    leave(&pty);
    check_still("plan", "A plan for approval, in plan mode", &grid);
    endpoint.finish();
}

#[test]
fn the_pictures_of_the_rewind_list_are_current() {
    if !has_sandbox() {
        return;
    }
    let write = |path: &str, content: &str| call("Write", json!({"file_path": path, "content": content}));
    let endpoint = Endpoint::script([
        text("`total` in cart.sh adds each price once and ignores the quantity."),
        calls([write("cart.sh", "total() {\n    echo 120\n}\n")]),
        text("Fixed in cart.sh:2."),
        calls([write("check.sh", "test 120 = 120\n"), write("README.md", "# Shop\n")]),
        text("Added check.sh and a README."),
    ]);
    let pty = Pty::spawn(&shop(&endpoint).args(["--permission-mode", "accept-edits"]), size());
    pty.wait_for("❯");
    for (said, answer) in [
        ("why is the total wrong?", "ignores the quantity"),
        ("fix it", "Fixed in"),
        ("add a test and a README", "Added check.sh"),
    ] {
        say(&pty, said);
        pty.wait_for(answer);
        wait_for_rest(&pty);
    }
    say(&pty, "/rewind");
    let grid = screen(&pty, "the list", |text| text.contains("why is the total wrong?  "));
    pty.key("esc");
    pty.wait_until("the list to be gone", |screen| !screen.contents().contains("why is the total wrong?  "));
    leave(&pty);
    check_still("rewind", "The list of messages to rewind to, with the number of files changed since", &grid);
    endpoint.finish();
}

/// The program in an empty project.
fn shop(endpoint: &Endpoint) -> Clawd {
    let clawd = coloured(Clawd::new(endpoint)).env("CLAWD_MODEL", "qwen3-coder");
    let project = clawd.home().join("src/shop");
    std::fs::create_dir_all(&project).unwrap();
    clawd.args(["-C", project.to_str().unwrap()])
}
