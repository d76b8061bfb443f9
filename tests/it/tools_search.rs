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
fn globs_and_counts_are_those_of_ripgrep() {
    let shop = project();
    shop.write("calls", "foo(\n  a,\n)\nfoo(\n b)\nfoo(c)\n");
    shop.write("long", [b"line\n".repeat(20_000).as_slice(), b"near\n\0far\n"].concat());
    let found = |glob: &str| grep(&shop, json!({"pattern": "Two|two", "glob": glob}));
    assert_eq!(found("src/*"), "src/a.rs");
    assert_eq!(lines(&found("src/**")), ["src/a.rs", "src/deep/b.rs"]);
    assert_eq!(lines(&found("src")), ["src/a.rs", "src/deep/b.rs"]);
    assert!(found("s*").starts_with("No file in "), "{}", found("s*"));
    assert!(found("!src/* src/deep/*.rs").starts_with("No file in "));
    let arguments =
        json!({"pattern": r"foo\([^)]*\)", "output_mode": "count", "multiline": true, "glob": "calls"});
    assert_eq!(grep(&shop, arguments), "calls:3");
    let note = "[not searched: long: the part after a NUL byte]";
    assert_eq!(grep(&shop, json!({"pattern": "near", "output_mode": "count"})), format!("long:1\n{note}"));
    assert_eq!(grep(&shop, json!({"pattern": "far"})), format!("Nothing in . matches far\n{note}"));
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
    let next = json!({"pattern": "hit", "output_mode": "content", "head_limit": 3, "offset": 3});
    assert!(told.contains("a larger head_limit shows more") && !told.contains("offset"), "{told}");
    // who names it by himself goes on by it
    let told = grep(&shop, next);
    assert!(
        told.starts_with("f:4:hit 3\nf:5:hit 4\nf:6:hit 5\n") && told.contains("offset 6 goes on"),
        "{told}"
    );
}

#[test]
fn the_newest_files_are_told_first_in_every_mode() {
    let shop = Workshop::new().file("a", "hit\n").file("b", "hit\n").file("c", "hit\n");
    for (name, age) in [("a", 30), ("b", 10), ("c", 20)] {
        let file = File::options().write(true).open(shop.path(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    let told = shop.tell_all([
        call("Grep", json!({"pattern": "hit"})),
        call("Grep", json!({"pattern": "hit", "output_mode": "count"})),
        call("Grep", json!({"pattern": "hit", "output_mode": "content"})),
    ]);
    assert_eq!(told, ["b\nc\na", "b:1\nc:1\na:1", "b:1:hit\nc:1:hit\na:1:hit"]);
}

#[test]
fn parameters_are_taken_under_the_names_of_other_tools() {
    let shop = project();
    let check = |arguments: Value, expected: &[&str]| {
        assert_eq!(lines(&grep(&shop, arguments.clone())), expected, "{arguments}");
    };
    check(json!({"pattern": "NOTE", "include": "*.md"}), &["notes.md"]);
    check(json!({"pattern": "NOTE", "file_type": "rs"}), &["src/a.rs"]);
    check(json!({"pattern": "NOTE", "glob": "*.md,*.rs"}), &["notes.md", "src/a.rs"]);
    check(json!({"pattern": "note write", "-i": true}), &["notes.md"]);
    check(json!({"pattern": "one() {}", "fixed_strings": true}), &["src/a.rs"]);
    check(
        json!({"pattern": "first", "output_mode": "content", "-n": true, "-B": 1}),
        &["src/a.rs-1-fn one() {}", "src/a.rs:2:// NOTE first"],
    );
}

#[test]
fn an_empty_answer_says_what_was_perhaps_meant() {
    let shop = project();
    let told = shop.tell_all([
        call("Grep", json!({"pattern": "NOTE SECOND"})),
        call("Grep", json!({"pattern": "one() {}$"})),
        call("Grep", json!({"pattern": "NOTE built"})),
        call("Glob", json!({"pattern": "Notes.MD"})),
        call("Glob", json!({"pattern": "d*p"})),
    ]);
    assert!(told[0].contains("case_insensitive") && told[0].contains("src/a.rs"), "{}", told[0]);
    assert!(told[1].contains("Error: cannot read") && told[1].contains("\\{"), "{}", told[1]);
    assert!(told[2].contains("out/c.rs") && told[2].contains("`out/` in .gitignore"), "{}", told[2]);
    assert!(told[3].contains("notes.md"), "{}", told[3]);
    assert!(told[4].contains("`src/deep/**`"), "{}", told[4]);
}

#[test]
fn what_is_ignored_is_searched_where_it_is_named() {
    let shop = project();
    let told = shop.tell_all([
        call("Grep", json!({"pattern": "NOTE", "path": "out"})),
        call("Grep", json!({"pattern": "NOTE", "path": "x.log"})),
        call("Glob", json!({"pattern": "*.rs", "path": "out"})),
    ]);
    assert_eq!(told, ["out/c.rs", "x.log", "out/c.rs"]);
}

#[test]
fn files_are_found_in_every_encoding_and_with_every_line_end() {
    let utf16: Vec<u8> = "\u{feff}first\r\nwörd\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let shop = Workshop::new().file("a", utf16).file("b", "first\r\nwörd\r\n").file("c", b"first\nw\xf6rd\n");
    let told = grep(&shop, json!({"pattern": "w.{1,2}rd$", "output_mode": "content"}));
    assert_eq!(lines(&told), ["a:2:wörd", "b:2:wörd"]);
    let told = grep(&shop, json!({"pattern": "(?-u:w.rd)", "output_mode": "content", "path": "c"}));
    assert_eq!(told, "c:2:w\u{fffd}rd");
    let over = json!({"pattern": "first\nwörd", "multiline": true});
    assert_eq!(lines(&grep(&shop, over)), ["a", "b"]);
}

#[test]
fn names_that_no_line_can_hold_are_told_in_quotes() {
    use std::os::unix::ffi::OsStrExt;
    let shop = Workshop::new().file("two\nlines", "word\n").file(&"n".repeat(255), "word\n");
    std::fs::write(shop.path("").join(std::ffi::OsStr::from_bytes(b"caf\xe9")), "word\n").unwrap();
    let long = "n".repeat(255);
    let expected = ["\"caf\\xE9\"", "\"two\\nlines\"", long.as_str()];
    assert_eq!(lines(&grep(&shop, json!({"pattern": "word"}))), expected);
    assert_eq!(lines(&shop.tell("Glob", json!({"pattern": "*"}))), expected);
}

#[test]
fn an_ignore_file_that_is_a_pipe_is_not_waited_for() {
    let shop = Workshop::new().file("a/f", "word\n");
    for name in [".gitignore", "a/.ignore"] {
        rustix::fs::mkfifoat(rustix::fs::CWD, shop.path(name), rustix::fs::Mode::RWXU).unwrap();
    }
    assert_eq!(grep(&shop, json!({"pattern": "word"})), "a/f");
    assert_eq!(shop.tell("Glob", json!({"pattern": "f"})), "a/f");
}

#[test]
fn a_pattern_that_would_grow_without_bound_is_refused() {
    let shop = project();
    let deep = format!("{}x{}", "{".repeat(1000), "}".repeat(1000));
    let told = shop.tell_all([
        call("Grep", json!({"pattern": "((a{100}){100}){100}"})),
        call("Glob", json!({"pattern": deep})),
        call("Grep", json!({"pattern": "x", "glob": deep})),
        call("Grep", json!({"pattern": "NOTE", "type": "pyhton"})),
    ]);
    assert!(told[0].contains("size limit"), "{}", told[0]);
    assert!(told[1].contains("too deeply nested"), "{}", told[1]);
    assert!(told[2].contains("too deeply nested"), "{}", told[2]);
    assert!(told[3].contains("Did you mean `python`?"), "{}", told[3]);
}

#[test]
fn a_directory_of_many_files_is_listed_newest_first_and_counted() {
    let shop = Workshop::new();
    for number in 0..5000 {
        std::fs::write(shop.path(&format!("f{number}")), "word\n").unwrap();
    }
    let newest = File::options().write(true).open(shop.path("f77")).unwrap();
    newest.set_modified(SystemTime::now() + Duration::from_mins(1)).unwrap();
    let told = shop.tell_all([
        call("Glob", json!({"pattern": "f*"})),
        call("Grep", json!({"pattern": "word", "head_limit": 2})),
    ]);
    assert!(told[0].starts_with("f77\n") && told[0].contains("of 5,000 files"), "{}", told[0]);
    assert!(told[1].starts_with("f77\n") && told[1].contains("in all 5,000 files"), "{}", told[1]);
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
