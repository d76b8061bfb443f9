//! Glob and Grep: what is found, in which order, and what is said where nothing is.

use std::fs::File;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::endpoint::call;
use crate::harness::Clawd;
use crate::workshop::{Workshop, lines_of};

fn project() -> Workshop {
    Workshop::new()
        .file("src/a.rs", "fn one() {}\n// NOTE first\n// note second\nfn two() {}\n// NOTE third\n")
        .file("src/deep/b.rs", "struct Two {\n    field: u8,\n}\n")
        .file("notes.md", "NOTE write\n")
        .file("x.log", "NOTE log\n")
        .file(".gitignore", "*.log\nout/\n")
        .file("out/c.rs", "// NOTE built\n")
        .file(".hidden/d.rs", "// hidden\n")
}

fn lines(told: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = told.lines().collect();
    lines.sort_unstable();
    lines
}

fn grep(shop: &Workshop, arguments: Value) -> String {
    shop.tell("Grep", arguments)
}

#[test]
fn files_are_found_by_name_newest_first() {
    let shop = project();
    for (name, age) in [("src/a.rs", 30), ("src/deep/b.rs", 10), (".hidden/d.rs", 20)] {
        let file = File::options().write(true).open(shop.path(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    assert_eq!(shop.tell("Glob", json!({"pattern": "**/*.rs"})), "src/deep/b.rs\n.hidden/d.rs\nsrc/a.rs");
    assert_eq!(shop.tell("Glob", json!({"pattern": "*.rs", "path": "src"})), "src/deep/b.rs\nsrc/a.rs");
    assert_eq!(shop.tell("Glob", json!({"pattern": "src/*.rs"})), "src/a.rs");
    let absolute = format!("{}/**/*.{{md,py}}", shop.at(""));
    assert_eq!(shop.tell("Glob", json!({"pattern": absolute})), "notes.md");
}

#[test]
fn ignore_files_are_obeyed_with_and_without_a_repository() {
    for shop in [project(), project().with(Clawd::repository)] {
        let found = shop.tell("Glob", json!({"pattern": "**/*"}));
        assert!(!found.contains("x.log") && !found.contains("out/") && !found.contains(".git/"), "{found}");
        let found = grep(&shop, json!({"pattern": "NOTE"}));
        assert_eq!(lines(&found), ["notes.md", "src/a.rs"]);
    }
}

#[test]
fn a_search_without_a_match_says_so_and_what_to_do() {
    let shop = project();
    let told = shop.tell_all([
        call("Glob", json!({"pattern": "*.py"})),
        call("Glob", json!({"pattern": "*.log"})),
        call("Grep", json!({"pattern": "nowhere"})),
        call("Grep", json!({"pattern": "NOTE", "glob": "*.py"})),
        call("Grep", json!({"pattern": "x", "path": "scr"})),
        call("Glob", json!({"pattern": "*", "path": "scr"})),
    ]);
    assert!(told[0].contains("*.py") && !told[0].starts_with("Error"), "{}", told[0]);
    assert!(told[1].contains("ignore"), "{}", told[1]);
    assert!(told[2].contains("nowhere") && !told[2].starts_with("Error"), "{}", told[2]);
    assert!(told[3].contains("glob"), "{}", told[3]);
    assert!(told[4].starts_with("Error: ") && told[4].contains("src"), "{}", told[4]);
    assert!(told[5].starts_with("Error: ") && told[5].contains("src"), "{}", told[5]);
}

#[test]
fn lines_are_found_in_each_of_the_output_modes() {
    let shop = project();
    assert_eq!(lines(&grep(&shop, json!({"pattern": "NOTE"}))), ["notes.md", "src/a.rs"]);
    let content = grep(&shop, json!({"pattern": "NOTE", "output_mode": "content"}));
    assert_eq!(
        lines(&content),
        ["notes.md:1:NOTE write", "src/a.rs:2:// NOTE first", "src/a.rs:5:// NOTE third"]
    );
    let count = grep(&shop, json!({"pattern": "NOTE", "output_mode": "count"}));
    assert_eq!(lines(&count), ["notes.md:1", "src/a.rs:2"]);
}

#[test]
fn every_line_that_matches_is_found() {
    let shop = Workshop::new().file("f", "note\nnote\nx\nnote\n");
    let told = grep(&shop, json!({"pattern": "note", "output_mode": "content"}));
    assert_eq!(told, "f:1:note\nf:2:note\nf:4:note");
}

#[test]
fn a_search_is_narrowed_by_path_glob_type_and_case() {
    let shop = project();
    let check = |arguments: Value, expected: &[&str]| {
        assert_eq!(lines(&grep(&shop, arguments.clone())), expected, "{arguments}");
    };
    check(json!({"pattern": "NOTE", "path": "src"}), &["src/a.rs"]);
    check(json!({"pattern": "NOTE", "path": "src/a.rs"}), &["src/a.rs"]);
    check(json!({"pattern": "NOTE", "path": shop.at("src")}), &["src/a.rs"]);
    check(json!({"pattern": "NOTE", "glob": "*.md"}), &["notes.md"]);
    check(json!({"pattern": "NOTE", "glob": "*.{md,rs}"}), &["notes.md", "src/a.rs"]);
    check(json!({"pattern": "NOTE", "type": "rust"}), &["src/a.rs"]);
    check(json!({"pattern": "NOTE", "type": "md"}), &["notes.md"]);
    let no_case = json!({"pattern": "note SECOND", "case_insensitive": true, "output_mode": "content"});
    check(no_case, &["src/a.rs:3:// note second"]);
    check(json!({"pattern": "^// NOTE .*d$", "output_mode": "count"}), &["src/a.rs:1"]);
}

#[test]
fn context_and_matches_over_lines_are_shown() {
    let shop = project();
    let arguments =
        json!({"pattern": "field", "output_mode": "content", "before": 1, "after": 1, "path": "src/deep"});
    let told = grep(&shop, arguments);
    assert_eq!(told, "src/deep/b.rs-1-struct Two {\nsrc/deep/b.rs:2:    field: u8,\nsrc/deep/b.rs-3-}");
    let over = grep(&shop, json!({"pattern": "Two \\{.*field", "multiline": true}));
    assert_eq!(over, "src/deep/b.rs");
    assert!(grep(&shop, json!({"pattern": "Two \\{.*field"})).starts_with("Nothing"));
}

#[test]
fn more_than_was_asked_for_is_cut_and_counted() {
    let body = lines_of(0..300, |number| format!("hit {number}"));
    let shop = Workshop::new().file("f", body);
    let told = grep(&shop, json!({"pattern": "hit", "output_mode": "content", "head_limit": 3}));
    assert!(told.starts_with("f:1:hit 0\nf:2:hit 1\nf:3:hit 2\n") && !told.contains("hit 3\n"), "{told}");
    assert!(told.contains("300"), "says how many there are: {told}");
}

#[test]
fn a_flood_of_matches_stays_within_the_limit() {
    let body = lines_of(0..20_000, |number| format!("hit {number} {}", "z".repeat(80)));
    let shop = Workshop::new().file("f", body).file("wide", format!("hit{}", "w".repeat(1_000_000)));
    let told = grep(&shop, json!({"pattern": "hit", "output_mode": "content"}));
    assert!(
        told.len() <= 50 * 1024 && told.lines().count() <= 2000 && told.contains("cut"),
        "{}",
        told.len()
    );
}

#[test]
fn a_pattern_that_cannot_be_read_is_explained() {
    let shop = project();
    let told = shop.tell_all([
        call("Grep", json!({"pattern": "fn main("})),
        call("Grep", json!({"pattern": "(?<=a)b"})),
        call("Grep", json!({"pattern": "x", "output_mode": "lines"})),
        call("Glob", json!({"pattern": "[a"})),
    ]);
    assert!(told[0].starts_with("Error: ") && told[0].contains("fn main("), "{}", told[0]);
    assert!(told[0].contains("unclosed") && told[0].contains('\\'), "{}", told[0]);
    assert!(told[1].contains("look-around"), "{}", told[1]);
    assert!(told[2].contains("files_with_matches"), "{}", told[2]);
    assert!(told[3].starts_with("Error: ") && told[3].contains("[a"), "{}", told[3]);
}

#[test]
fn a_search_through_a_directory_does_not_quote_secrets() {
    let shop = Workshop::in_mode("default")
        .file(".env", "TOKEN=hunter2\n")
        .file("sub/id_rsa", "TOKEN hunter2\n")
        .file(".env.example", "TOKEN=example\n");
    let told = grep(&shop, json!({"pattern": "TOKEN", "output_mode": "content"}));
    assert!(!told.contains("hunter2") && told.contains("example"), "{told}");
    assert!(told.contains("2 files left out"), "{told}");
    let run = shop.run([[call("Grep", json!({"pattern": "TOKEN", "path": ".env"}))]]);
    assert!(run.was_denied(0) && !run.told[0].contains("hunter2"), "{}", run.told[0]);
}

#[test]
fn a_search_does_not_quote_what_a_rule_denies() {
    let shop = Workshop::new().file("private/a", "word\n").file("b", "word\n");
    let shop = shop.options(["--disallowed-tools", "Read(private/**)"]);
    assert!(!grep(&shop, json!({"pattern": "word"})).contains("private/a"));
}

#[test]
fn special_files_and_binaries_do_not_stop_a_search() {
    let shop = Workshop::new().file("a", "word\n").file("bin", b"word\0word\n");
    rustix::fs::mkfifoat(rustix::fs::CWD, shop.path("fifo"), rustix::fs::Mode::RWXU).unwrap();
    std::os::unix::fs::symlink("/dev/zero", shop.path("zero")).unwrap();
    std::os::unix::fs::symlink("..", shop.path("up")).unwrap();
    assert_eq!(grep(&shop, json!({"pattern": "word"})), "a");
}

#[test]
fn a_regular_expression_that_explodes_elsewhere_ends_here() {
    let shop = Workshop::new().file("a", format!("{}!\n", "a".repeat(200_000)));
    let told = grep(&shop, json!({"pattern": "(a+)+$"}));
    assert!(told.contains("Nothing"), "{told}");
}

#[test]
fn a_slow_search_and_a_fast_read_answer_in_call_order() {
    let shop = project();
    let run = shop.run([[
        call("Grep", json!({"pattern": "NOTE", "path": "/usr/include"})),
        call("Read", json!({"file_path": "notes.md"})),
        call("Glob", json!({"pattern": "notes.md"})),
    ]]);
    assert_eq!(run.told[1], "1\tNOTE write");
    assert_eq!(run.told[2], "notes.md");
    let kinds: Vec<String> = run
        .output
        .events()
        .iter()
        .filter(|event| !event["id"].is_null())
        .map(|event| format!("{} {}", event["type"].as_str().unwrap(), event["name"].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            "tool_start Grep",
            "tool_start Read",
            "tool_start Glob",
            "tool_result Grep",
            "tool_result Read",
            "tool_result Glob"
        ],
        "all had started before the first had ended"
    );
}
