//! Glob on small trees: what is found, in which order, and what is said where nothing is.

use std::time::Duration;

use serde_json::json;

use super::super::testing::{Session, make_fifo};
use super::*;

#[test]
fn a_pattern_that_leads_out_is_searched_where_it_leads() {
    let check = |pattern: &str, path: &str, rest: &str| {
        assert_eq!(leave("sub", pattern), (PathBuf::from(path), rest.to_owned()), "{pattern}");
    };
    check("src/*.rs", "sub", "src/*.rs");
    check("/w/src/*.rs", "/w/src", "/*.rs");
    check("/w/src/main.rs", "/w/src", "/main.rs");
    check("/*.rs", "/", "/*.rs");
    check("../../x/**/*.rs", "sub/../../x", "/**/*.rs");
    check("a/../b/*.rs", "sub/a/../b", "/*.rs");
}

fn session() -> Session {
    Session::with(&[
        (".gitignore", "*.log\nout/\n"),
        ("src/a.rs", ""),
        ("src/deep/b.rs", ""),
        (".hidden/c.rs", ""),
        ("out/d.rs", ""),
        (".git/e.rs", ""),
        ("x.log", ""),
        ("Readme.MD", ""),
    ])
}

fn date(session: &Session, files: &[(&str, u64)]) {
    for (name, seconds) in files {
        let file = std::fs::File::options().write(true).open(session.path(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(*seconds)).unwrap();
    }
}

#[tokio::test]
async fn files_are_listed_newest_first_without_ignored_ones() {
    let session = session();
    date(&session, &[("src/a.rs", 3), ("src/deep/b.rs", 9), (".hidden/c.rs", 6)]);
    let check = async |arguments: Value, expected: &str| {
        assert_eq!(session.told(&Glob, arguments.clone()).await, expected, "{arguments}");
    };
    check(json!({"pattern": "*.rs"}), "src/deep/b.rs\n.hidden/c.rs\nsrc/a.rs").await;
    check(json!({"pattern": "*.rs", "path": "src"}), "src/deep/b.rs\nsrc/a.rs").await;
    check(json!({"pattern": "*.rs", "dir_path": "src/"}), "src/deep/b.rs\nsrc/a.rs").await;
    check(json!({"pattern": "src/*.{rs,py}"}), "src/a.rs").await;
    check(json!({"pattern": "{src/deep,.hidden}/*"}), "src/deep/b.rs\n.hidden/c.rs").await;
    check(json!({"pattern": format!("{}/src/**/b.*", session.root.display())}), "src/deep/b.rs").await;
    check(json!({"pattern": "src/../.hidden/*.rs"}), ".hidden/c.rs").await;
    check(json!({"pattern": "out/*.rs", "path": "out"}), "out/d.rs").await;
    check(json!({"pattern": "*.rs", "path": "out"}), "out/d.rs").await;
}

#[tokio::test]
async fn files_of_the_same_age_are_listed_by_name() {
    let session = Session::with(&[("b", ""), ("a", ""), ("c", "")]);
    date(&session, &[("a", 5), ("b", 5), ("c", 5)]);
    assert_eq!(session.told(&Glob, json!({"pattern": "*"})).await, "a\nb\nc");
}

#[tokio::test]
async fn a_directory_means_what_is_in_it() {
    let session = session();
    date(&session, &[("src/a.rs", 3), ("src/deep/b.rs", 9)]);
    let root = session.root.display().to_string();
    for pattern in
        ["src", "src/", "./src", "src/**", "src/**/*", &format!("{root}/src"), &format!("{root}/src/")]
    {
        assert_eq!(
            session.told(&Glob, json!({"pattern": pattern})).await,
            "src/deep/b.rs\nsrc/a.rs",
            "{pattern}"
        );
    }
    assert_eq!(session.told(&Glob, json!({"pattern": ".", "path": "src/deep"})).await, "src/deep/b.rs");
}

#[tokio::test]
async fn a_pattern_may_leave_out() {
    let session = session();
    let told = session.told(&Glob, json!({"pattern": "!*.rs"})).await;
    let mut lines: Vec<&str> = told.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [".gitignore", "Readme.MD"]);
    assert_eq!(session.told(&Glob, json!({"pattern": "!deep", "path": "src"})).await, "src/a.rs");
}

#[tokio::test]
async fn a_pattern_that_repeats_its_path_is_understood() {
    let session = session();
    assert_eq!(session.told(&Glob, json!({"pattern": "src/*.rs", "path": "src"})).await, "src/a.rs");
}

#[tokio::test]
async fn what_was_perhaps_meant_is_said() {
    let session = session();
    let check = async |pattern: &str, expected: &str| {
        assert_eq!(session.told(&Glob, json!({"pattern": pattern})).await, expected);
    };
    check("*.c", "No file in . matches *.c").await;
    check("*.md", "No file in . matches *.md, but Readme.MD does in another case").await;
    check("s*c", "No file in . matches s*c, but the directory src does: `src/**` lists its files").await;
    check(
        "*.log",
        "No file in . matches *.log, but ignored ones do, such as x.log: \
            name an ignored directory as `path`, or list them with Bash",
    )
    .await;
}

#[tokio::test]
async fn links_are_listed_and_not_followed() {
    let session = session();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, session.path(name)).unwrap();
    link("src/a.rs", "file.rs");
    link("src", "directory.rs");
    link("nowhere", "dangling.rs");
    link("src", "linked");
    make_fifo(&session.path("pipe.rs"));
    let told = session.told(&Glob, json!({"pattern": "./*.rs"})).await;
    let mut lines: Vec<&str> = told.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["dangling.rs", "file.rs"]);
    let told = session.told(&Glob, json!({"pattern": "a.rs", "path": "linked"})).await;
    assert_eq!(told, "linked/a.rs");
}

#[tokio::test]
async fn odd_names_are_one_line_each() {
    use std::os::unix::ffi::OsStrExt;
    let session = Session::new();
    let long = "n".repeat(255);
    for name in [b"a\nb".as_slice(), b"caf\xe9", long.as_bytes(), "日本".as_bytes(), b" x "] {
        std::fs::write(session.root.join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    }
    let told = session.told(&Glob, json!({"pattern": "*"})).await;
    let mut lines: Vec<&str> = told.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [" x ", "\"a\\nb\"", "\"caf\\xE9\"", long.as_str(), "日本"]);
}

#[tokio::test]
async fn a_directory_that_is_not_there_is_an_error() {
    let session = session();
    let error = session.error(&Glob, json!({"pattern": "*", "path": "scr"})).await;
    assert_eq!(error, "Error: scr does not exist. Did you mean src?");
    let error = session.error(&Glob, json!({"pattern": "*", "path": "src/a.rs"})).await;
    assert_eq!(error, "Error: src/a.rs is a file, not a directory");
    let error = |pattern: &str| {
        Glob.prepare(json!({"pattern": pattern}).as_object().unwrap(), session.bench.path_base())
            .err()
            .unwrap()
    };
    assert!(error("[a").starts_with("Error: cannot read the pattern `[a`: "));
    assert!(error("~/x/*.rs").contains("write the path in full"), "without a home");
    assert!(error(&"x".repeat(5000)).contains("longer than 4096 bytes"));
    let deep = format!("{}x{}", "{".repeat(1000), "}".repeat(1000));
    assert!(error(&deep).ends_with("it is too large or too deeply nested"));
}

#[tokio::test]
async fn a_directory_of_many_portions_is_listed_whole() {
    let session = Session::new();
    for number in 0..3000 {
        std::fs::write(session.path(&format!("f{number}")), "").unwrap();
    }
    for number in 0..1500 {
        std::fs::create_dir(session.path(&format!("d{number}"))).unwrap();
    }
    session.write(".gitignore", "f1*\n");
    session.write("d7/x", "");
    // 1111 begin with f1, and .gitignore and d7/x are there too
    let told = session.told(&Glob, json!({"pattern": "**"})).await;
    assert!(told.ends_with("of 1,891 files: a narrower pattern finds the others]"), "{told}");
}
