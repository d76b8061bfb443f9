//! Grep on small trees, and beside an oracle that knows nothing of its ways.

use std::os::unix::fs::symlink;
use std::time::Duration;

use serde_json::json;

use super::super::testing::{Session, make_fifo};
use super::*;

fn session() -> Session {
    let session = Session::with(&[
        (".gitignore", "out/\n*.log\n"),
        ("a.txt", "todo one\nnothing\nTodo two\ntodo three\n"),
        ("src/b.rs", "fn b() {\r\n    todo!()\r\n}\r\n"),
        ("out/c.txt", "todo\nonly here\n"),
        ("bin", "todo\0"),
        (".github/d.yml", "on: push\n"),
        (".git/config", "on: push\n"),
    ]);
    date(&session, &[("a.txt", 9), ("src/b.rs", 5)]);
    session
}

fn date(session: &Session, files: &[(&str, u64)]) {
    for (name, seconds) in files {
        let file = File::options().write(true).open(session.path(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(*seconds)).unwrap();
    }
}

#[tokio::test]
async fn lines_are_told_as_ripgrep_does() {
    let session = session();
    let check = async |arguments: Value, expected: &str| {
        assert_eq!(session.told(&Grep, arguments.clone()).await, expected, "{arguments}");
    };
    check(json!({"pattern": "todo"}), "a.txt\nsrc/b.rs").await;
    let content = "a.txt:1:todo one\na.txt:4:todo three\nsrc/b.rs:2:    todo!()";
    check(json!({"pattern": "todo", "output_mode": "content", "-n": true}), content).await;
    check(json!({"pattern": "todo", "output_mode": "count", "-i": true}), "a.txt:3\nsrc/b.rs:1").await;
    check(json!({"pattern": "\\)$", "output_mode": "content", "path": "src"}), "src/b.rs:2:    todo!()")
        .await;
    check(json!({"pattern": "todo", "path": "a.txt", "output_mode": "count"}), "a.txt:2").await;
    check(json!({"pattern": "todo", "glob": "*.rs"}), "src/b.rs").await;
    check(json!({"pattern": "todo", "include": "!*.rs"}), "a.txt").await;
    check(json!({"pattern": "todo", "file_type": "rust"}), "src/b.rs").await;
    check(json!({"pattern": "todo", "path": "out"}), "out/c.txt").await;
    check(json!({"pattern": "todo", "path": "out/c.txt"}), "out/c.txt").await;
    check(json!({"pattern": "push"}), ".github/d.yml").await;
    check(json!({"pattern": "todo!()", "fixed_strings": true}), "src/b.rs").await;
    check(json!({"pattern": "", "glob": "*.rs", "output_mode": "count"}), "src/b.rs:3").await;
}

#[tokio::test]
async fn the_newest_files_come_first_and_of_the_same_age_the_first_by_name() {
    let session = Session::with(&[("a", "x\n"), ("b", "x\n"), ("c", "x\n"), ("d", "x\n")]);
    date(&session, &[("a", 1), ("b", 7), ("c", 9), ("d", 7)]);
    for (mode, expected) in [
        ("files_with_matches", "c\nb\nd\na"),
        ("count", "c:1\nb:1\nd:1\na:1"),
        ("content", "c:1:x\nb:1:x\nd:1:x\na:1:x"),
    ] {
        assert_eq!(session.told(&Grep, json!({"pattern": "x", "output_mode": mode})).await, expected);
    }
}

#[tokio::test]
async fn context_and_matches_over_lines_are_told() {
    let session = session();
    session.write("long", "1\n2 hit\n3\n4\n5\n6\n7 hit\n8\n9 hit\n");
    let check = async |arguments: Value, expected: &str| {
        assert_eq!(session.told(&Grep, arguments.clone()).await, expected, "{arguments}");
    };
    let arguments = json!({"pattern": "Todo", "output_mode": "content", "before": 1, "after": 1});
    check(arguments, "a.txt-2-nothing\na.txt:3:Todo two\na.txt-4-todo three").await;
    let arguments = json!({"pattern": "todo", "output_mode": "content", "-C": 1, "glob": "a.*"});
    check(arguments, "a.txt:1:todo one\na.txt-2-nothing\na.txt-3-Todo two\na.txt:4:todo three").await;
    let groups = "long-1-1\nlong:2:2 hit\nlong-3-3\n--\nlong-6-6\nlong:7:7 hit\nlong-8-8\nlong:9:9 hit";
    check(json!({"pattern": "hit", "output_mode": "content", "context": "1"}), groups).await;
    let arguments = json!({"pattern": "one|todo!", "output_mode": "content", "-A": 1});
    check(arguments, "a.txt:1:todo one\na.txt-2-nothing\n--\nsrc/b.rs:2:    todo!()\nsrc/b.rs-3-}").await;
    let arguments = json!({"pattern": "fn b.*todo", "output_mode": "content", "multiline": true});
    check(arguments, "src/b.rs:1:fn b() {\nsrc/b.rs:2:    todo!()").await;
    let arguments =
        json!({"pattern": "2 hit.3", "output_mode": "content", "-U": true, "-B": 1, "-A": 1, "path": "long"});
    check(arguments, "long-1-1\nlong:2:2 hit\nlong:3:3\nlong-4-4").await;
}

#[tokio::test]
async fn a_pattern_that_names_a_line_feed_is_searched_over_lines() {
    let session = session();
    let told = session.told(&Grep, json!({"pattern": r"fn b.*\n\s+todo", "output_mode": "content"})).await;
    let lines = "src/b.rs:1:fn b() {\nsrc/b.rs:2:    todo!()";
    assert_eq!(told, format!("{lines}\n[multiline search, because the pattern contains a line feed]"));
    let told = session.told(&Grep, json!({"pattern": r"\{\r\n"})).await;
    assert!(told.starts_with("src/b.rs\n"), "{told}");
    assert_eq!(session.told(&Grep, json!({"pattern": r"\r$"})).await, "src/b.rs");
}

#[tokio::test]
async fn what_is_cut_is_told_with_the_way_to_it() {
    let session = session();
    let arguments = json!({"pattern": "todo", "output_mode": "content", "head_limit": "1"});
    assert_eq!(
        session.told(&Grep, arguments).await,
        "a.txt:1:todo one\n[cut: lines 1 to 1 of 3 lines of output, in all 3 matching lines in 2 files: \
            a larger head_limit shows more; a narrower pattern, path, glob or type finds less]"
    );
    let arguments = json!({"pattern": "todo", "output_mode": "content", "head_limit": 0, "offset": 1});
    assert_eq!(
        session.told(&Grep, arguments).await,
        "a.txt:4:todo three\nsrc/b.rs:2:    todo!()\n\
            [cut: lines 2 to 3 of 3 lines of output, in all 3 matching lines in 2 files]"
    );
    let told = session.told(&Grep, json!({"pattern": "todo", "offset": 7})).await;
    assert_eq!(told, "[cut: there are 2 lines of output, so none from offset 7 on]");
    session.write("wide", format!("{}needle{}\n", "a".repeat(3000), "b".repeat(3000)));
    let told = session.told(&Grep, json!({"pattern": "needle", "output_mode": "content"})).await;
    assert!(told.contains("aneedleb"), "{told}");
    assert!(told.ends_with("\n[1 long line is shown in part, with … where something is missing]"), "{told}");
}

#[tokio::test]
async fn what_was_perhaps_meant_is_said() {
    let session = session();
    session.write("e.txt", "call(x)[0]\n");
    let check = async |arguments: Value, expected: &str| {
        assert_eq!(session.told(&Grep, arguments.clone()).await, expected, "{arguments}");
    };
    check(json!({"pattern": "absent"}), "Nothing in . matches absent").await;
    check(
        json!({"pattern": "Todo Two"}),
        "Nothing in . matches Todo Two, but 1 file (a.txt) matches with case_insensitive",
    )
    .await;
    check(
        json!({"pattern": "call(x)[0]"}),
        "Nothing in . matches call(x)[0], but 1 file (e.txt) matches as literal text, \
            written `call\\(x\\)\\[0\\]`",
    )
    .await;
    check(json!({"pattern": "ONLY"}), "Nothing in . matches ONLY").await;
    check(
        json!({"pattern": "only here"}),
        "Nothing in . matches only here, but 1 ignored file (out/c.txt) matches \
            (ignored: out by `out/` in .gitignore): name an ignored directory or file as `path` to search it",
    )
    .await;
    check(json!({"pattern": "todo", "glob": "*.py"}), "No file in . matches glob `*.py`").await;
    check(
        json!({"pattern": "absent", "glob": "*.rs", "type": "rust", "path": "src"}),
        "Nothing in src (1 file matching glob `*.rs` and type `rust`) matches absent",
    )
    .await;
}

#[tokio::test]
async fn what_a_rule_veils_is_left_out_and_counted() {
    let session = session();
    session.bench.set_veils(Arc::new(|| Arc::new(|path: &Path| path.ends_with("a.txt"))));
    let told = session.told(&Grep, json!({"pattern": "todo"})).await;
    assert_eq!(told, "src/b.rs\n[1 file left out by the permission rules]");
    // neither does the second look tell what is in it
    let told = session.told(&Grep, json!({"pattern": "TWO"})).await;
    assert_eq!(told, "Nothing in . matches TWO\n[1 file left out by the permission rules]");
}

#[tokio::test]
async fn only_regular_files_are_opened() {
    let session = session();
    make_fifo(&session.path("pipe"));
    make_fifo(&session.path("src/.gitignore"));
    let link = |to: &str, name: &str| symlink(to, session.path(name)).unwrap();
    link("/dev/zero", "zero");
    link("..", "src/up");
    link("a.txt", "also-a.txt");
    link("src", "sources");
    assert_eq!(session.told(&Grep, json!({"pattern": "todo"})).await, "a.txt\nsrc/b.rs");
    assert_eq!(session.told(&Grep, json!({"pattern": "todo", "path": "sources"})).await, "sources/b.rs");
    assert_eq!(session.told(&Grep, json!({"pattern": "two", "path": "also-a.txt"})).await, "also-a.txt");
    for name in ["pipe", "zero"] {
        let error = session.error(&Grep, json!({"pattern": "x", "path": name})).await;
        assert!(error.starts_with("Error: cannot open "), "{error}");
    }
}

#[tokio::test]
async fn what_cannot_be_searched_is_told() {
    let session = Session::with(&[("a", "x\n")]);
    session.write("large", vec![b'y'; 9 * 1024 * 1024]);
    let told = session.told(&Grep, json!({"pattern": "x"})).await;
    assert_eq!(told, "a\n[not searched: large: a line is longer than 8 MB]");
    let error = session.error(&Grep, json!({"pattern": "x", "path": "large"})).await;
    assert_eq!(error, "Error: cannot search large: a line is longer than 8 MB");
    for name in ["shut", "closed"] {
        std::fs::create_dir(session.path(name)).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o000);
        std::fs::set_permissions(session.path(name), mode).unwrap();
    }
    // root reads everything
    let told = session.told(&Grep, json!({"pattern": "x"})).await;
    let is_root = std::fs::read_dir(session.path("shut")).is_ok();
    assert_eq!(told.contains("3 places, such as closed: Permission denied"), !is_root, "{told}");
    for name in ["shut", "closed"] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(session.path(name), mode).unwrap();
    }
}

#[tokio::test]
async fn a_place_that_is_not_there_is_an_error() {
    let session = session();
    let error = session.error(&Grep, json!({"pattern": "x", "path": "a.tx"})).await;
    assert_eq!(error, "Error: a.tx does not exist. Did you mean a.txt?");
    let error = session.error(&Grep, json!({"pattern": "todo", "path": "bin"})).await;
    assert_eq!(error, "Error: bin is not a text file");
    let call = session.prepare(&Grep, &json!({"pattern": "x"}));
    assert_eq!(call.access(), Access::Read(vec![session.root.clone().into()]));
    let error = |arguments: Value| {
        Grep.prepare(arguments.as_object().unwrap(), session.bench.path_base()).err().unwrap()
    };
    assert!(
        error(json!({"pattern": "x", "path": "~/src"})).contains("write the path in full"),
        "without a home"
    );
    assert!(error(json!({"pattern": "x", "offset": 20_000})).contains("at most 10000"));
}

#[tokio::test]
async fn a_search_that_is_stopped_tells_so() {
    let session = session();
    session.cancel.cancel();
    let result = session.run(&Grep, &json!({"pattern": "x"})).await;
    assert_eq!(result, ToolResult::interrupted());
}
