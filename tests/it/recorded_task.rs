//! A day's work in sixty turns, as an experienced model does it: how often is a person asked?
//!
//! Not a test of the tools: what the calls are told is looked at just enough to know that they did something. The script is
//! plain text, a call a line, so that it can be read as what it is. The user behind it does what the program offers: a
//! command is granted for the rest of the project, and the first edit switches to the mode in which edits are free. `cargo`
//! is a stand-in of the project's own that reads the sources, for the machine's would want a home and a network.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::json;

use crate::endpoint::{Call, Endpoint, call};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::screen::{Turns, leave, say};

/// The task. `¦` parts arguments, `␤` is a line's end.
const TASK: &str = r#"
$ git status --short && git log --oneline -5
$ ls -la
glob **/*.rs
read Cargo.toml
read src/lib.rs
read src/cart.rs
read src/price.rs
grep fn total
$ sed -n 1,80p tests/checkout.rs
$ cargo test 2>&1 | tail -20
$ grep -rn "quantity" src tests | head -20
read tests/checkout.rs
edit src/cart.rs¦price * 1¦price * u64::from(line.quantity)
$ cargo test 2>&1 | tail -20
$ git diff --stat
$ git diff src/cart.rs | head -60
edit tests/checkout.rs¦// more to come¦#[test]␤fn two_of_a_kind_cost_twice() {}
$ cargo test --test checkout 2>&1 | grep -E "^test |result"
grep discount
$ wc -l src/*.rs
write src/discount.rs¦//! Codes that make a cart cheaper.␤␤pub fn of(code: &str) -> Option<u64> {␤    (code == "TEN").then_some(10)␤}␤
edit src/lib.rs¦pub mod cart;¦pub mod cart;␤pub mod discount;
$ cargo build 2>&1 | tail -5
read src/main.rs
edit src/main.rs¦println!("{}", 0);¦println!("{}", cart::total(&[]));
$ cargo build 2>&1 | grep -A5 -E "^(warning|error)" | head -40
edit src/cart.rs¦// discounts¦pub fn discounted(total: u64, percent: u64) -> u64 {␤    total - total * percent / 100␤}
edit src/discount.rs¦"TEN"¦"TEN" || code == "ZEHN"
$ cargo test discount 2>&1 | tail -30
$ cargo test 2>&1 | tail -5 && git diff --stat
$ cargo fmt && cargo clippy --all-targets -- -D warnings 2>&1 | tail -20
edit src/discount.rs¦pub fn of¦#[must_use]␤pub fn of
$ cargo fmt && cargo clippy --all-targets -- -D warnings 2>&1 | tail -20
$ git status --short
$ git diff | head -100
$ git add -A && git commit -m "cart: totals count quantities, codes make them cheaper" && git log --oneline -1
$ git show --stat HEAD | head -20
read README.md
edit README.md¦Nothing yet.¦`shop TEN` takes ten per cent off.
glob docs/**/*.md
write docs/discounts.md¦# Discounts␤␤`TEN` and `ZEHN` take ten per cent off.␤
$ cat docs/discounts.md README.md
$ ls docs src tests
$ cd tests && grep -n "fn " checkout.rs
$ cd .. && pwd
edit docs/discounts.md¦ten per cent¦a tenth
$ head -20 Makefile
$ make check 2>&1 | tail -15
grep must_use
read src/discount.rs
edit src/discount.rs¦(code == "TEN" || code == "ZEHN")¦["TEN", "ZEHN"].contains(&code)
$ cargo test 2>&1 | tail -20
$ make check 2>&1 | grep -c ok || true
$ cargo build --release 2>&1 | tail -3
$ git add src docs README.md && git status --short
$ git commit -m "docs: what a discount is" -m "With both of its names."
$ git log --oneline -3 && git status
$ git diff HEAD~2 --stat | tail -1
$ find . -name "*.rs" -not -path "./target/*" | wc -l
$ git branch --show-current
"#;

/// What `cargo` says, by what stands in the sources.
const CARGO: &str = r#"#!/bin/sh
case "$1" in
    test)
        if grep -q 'price \* u64::from(line.quantity)' src/cart.rs; then
            printf 'test two_lines_are_added ... ok\n\ntest result: ok. 3 passed; 0 failed\n'
        else
            printf 'test two_lines_are_added ... FAILED\n\ntest result: FAILED. 2 passed; 1 failed\n' >&2
            exit 101
        fi ;;
    fmt) ;;
    *) mkdir -p target && echo "$1" >> target/log && echo "    Finished \`$1\`" >&2 ;;
esac
"#;

const FILES: [(&str, &str); 9] = [
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("src/lib.rs", "pub mod cart;\npub mod price;\n"),
    ("src/main.rs", "use shop::cart;\n\nfn main() {\n    println!(\"{}\", 0);\n}\n"),
    (
        "src/cart.rs",
        "pub struct Line {\n    pub price: u64,\n    pub quantity: u32,\n}\n\npub fn total(lines: &[Line]) -> u64 {\n    \
         lines.iter().map(|line| line.price * 1).sum()\n}\n\n// discounts\n",
    ),
    (
        "src/price.rs",
        "pub fn shown(cents: u64) -> String {\n    format!(\"{}.{:02}\", cents / 100, cents % 100)\n}\n",
    ),
    (
        "tests/checkout.rs",
        "use shop::cart::{Line, total};\n\n#[test]\nfn two_lines_are_added() {}\n\n// more to come\n",
    ),
    ("Makefile", "check:\n\tcargo test\n\tcargo build\n\t@echo ok\n"),
    ("README.md", "# shop\n\nNothing yet.\n"),
    (".gitignore", "/target\n/.toolchain\n"),
];

/// The lines of the task.
fn lines() -> Vec<&'static str> {
    TASK.lines().filter(|line| !line.is_empty()).collect()
}

/// A line as the call that it stands for.
fn call_of(line: &str) -> Call {
    let (verb, rest) = line.split_once(' ').unwrap();
    let parts: Vec<String> = rest.split('¦').map(|part| part.replace('␤', "\n")).collect();
    let arguments = match verb {
        "$" => return call("Bash", json!({"command": rest})),
        "read" => return call("Read", json!({"file_path": rest})),
        "glob" => return call("Glob", json!({"pattern": rest})),
        "grep" => return call("Grep", json!({"pattern": rest, "path": "src"})),
        "write" => json!({"file_path": parts[0], "content": parts[1]}),
        "edit" => json!({"file_path": parts[0], "old_string": parts[1], "new_string": parts[2]}),
        _ => panic!("no call: {line}"),
    };
    call(if verb == "write" { "Write" } else { "Edit" }, arguments)
}

/// The shop as a repository with two commits, and its `cargo`.
fn shop(endpoint: &Endpoint) -> Clawd {
    let clawd = FILES.iter().fold(Clawd::new(endpoint), |clawd, (path, content)| clawd.file(path, content));
    let clawd = clawd.file(".toolchain/cargo", CARGO);
    let stand_in = clawd.project().join(".toolchain/cargo");
    std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", stand_in.parent().unwrap().display(), clawd.parts().2["PATH"]);
    let git = "git init -q -b main . && git config user.name shop && git config user.email shop@example.com && \
               git add -A && git commit -q -m 'a shop' && git commit -q --allow-empty -m 'nothing yet'";
    let made = Command::new("sh")
        .args(["-c", git])
        .current_dir(clawd.project())
        .env_clear()
        .envs(clawd.parts().2)
        .status()
        .unwrap();
    assert!(made.success());
    clawd.env("PATH", &path)
}

/// The calls that were asked for, each with the title of its question.
fn questions(turns: &Turns, endpoint: &Endpoint, pty: &Pty) -> Vec<String> {
    let mut asked = Vec::new();
    for (turn, line) in lines().into_iter().enumerate() {
        let Some(shown) = turns.asked(turn, endpoint, pty) else { continue };
        let title = shown.lines().find(|line| line.starts_with("Allow")).unwrap_or("none");
        let edits = title.contains("edit");
        assert!(edits || shown.contains("2. Yes, and don't ask again for Bash("), "{line}\n{shown}");
        asked.push(format!("{title} {line}"));
        Turns::answer(turn, endpoint, pty, (if edits { "shift-tab" } else { "2" }, None));
    }
    asked
}

/// Does the task and gives what was asked.
fn done(config: &str) -> Vec<String> {
    let turns = Turns::of(lines().into_iter().map(call_of));
    let endpoint = turns.endpoint("All of it is done.");
    let clawd = shop(&endpoint).home_file("config.toml", config);
    let pty = Pty::spawn(&clawd, Size::new(100, 40));
    pty.wait_for("❯");
    say(&pty, "make the cart right, and let it know discounts");
    let asked = questions(&turns, &endpoint, &pty);
    pty.wait_for("All of it is done.");
    let told = endpoint.wait_for_request(lines().len() + 1);
    let results: Vec<String> =
        (1..=lines().len()).map(|number| told.tool_result(&format!("call_{number}"))).collect();
    let failed = lines().into_iter().zip(&results).filter(|(_, result)| result.starts_with("Error:"));
    assert_eq!(failed.map(|(line, _)| line).collect::<Vec<_>>(), [""; 0], "{results:#?}");
    assert!(results[9].contains("FAILED") && results[13].contains("3 passed"), "{results:#?}");
    leave(&pty);
    endpoint.finish();
    asked
}

#[test]
fn the_task_is_one_that_people_have() {
    let lines = lines();
    let count = |verbs: &[&str]| {
        lines.iter().filter(|line| verbs.iter().any(|verb| line.split(' ').next() == Some(verb))).count()
    };
    assert_eq!(lines.len(), 60);
    assert!(count(&["$"]) >= 20 && count(&["edit", "write"]) >= 12, "{} edits", count(&["edit", "write"]));
    let looks = ["$ ls", "$ cat", "$ head", "$ grep", "$ sed -n", "$ wc", "$ find", "read", "grep", "glob"];
    let is_look = |line: &&&str| looks.iter().any(|look| line.starts_with(look));
    assert!(lines.iter().filter(is_look).count() >= 20);
}

#[test]
fn sixty_turns_ask_six_times_at_most() {
    let asked = done("");
    assert!(asked.len() <= 6, "{asked:#?}");
}

#[test]
fn sixty_turns_that_may_edit_and_are_held_ask_twice_at_most() {
    let asked = done("permission_mode = \"accept-edits\"\n[sandbox]\nauto_allow = true\n");
    assert!(asked.len() <= 2, "{asked:#?}");
}
