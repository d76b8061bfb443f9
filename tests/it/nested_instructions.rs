//! Instructions below the working directory: told once a file beside them was read, where the user has said yes.

use serde_json::{Value, json};

use crate::endpoint::{Answer, Call, Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::headless::{streaming, streaming_again};

fn read(path: &str) -> Call {
    call("Read", json!({"file_path": path}))
}

fn reading(paths: &[&str]) -> Answer {
    calls(paths.iter().map(|path| read(path)).collect::<Vec<_>>())
}

fn project(clawd: Clawd) -> Clawd {
    clawd
        .file("sub/AGENTS.md", "Never hum.\n")
        .file("sub/deep/CLAUDE.md", "Whisper.\n")
        .file("sub/deep/a.txt", "a\n")
        .file("sub/b.txt", "b\n")
        .file("c.txt", "c\n")
}

/// What the user was told, and every message of each request.
fn run(options: &[&str], replies: Vec<Answer>) -> (Vec<String>, Vec<Vec<String>>) {
    let endpoint = Endpoint::script(replies);
    let output = project(streaming(&endpoint)).args(options.iter().copied()).arg("go").run().expect_code(0);
    let notices = output.events_of("notice").iter().map(|notice| words(&notice["text"])).collect();
    let requests = endpoint.requests();
    endpoint.finish();
    (notices, requests.iter().map(|request| request.messages().iter().map(content).collect()).collect())
}

fn content(message: &Value) -> String {
    words(&message["content"])
}

fn words(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn they_are_told_before_the_next_request_the_outermost_first_and_once() {
    let replies = vec![
        reading(&["c.txt"]),
        reading(&["sub/deep/a.txt", "sub/b.txt"]),
        reading(&["sub/b.txt"]),
        text("ok"),
    ];
    let (notices, requests) = run(&["--trust"], replies);
    assert_eq!(notices, ["sent to the model: sub/AGENTS.md", "sent to the model: sub/deep/CLAUDE.md"]);
    let told = |request: usize| {
        requests[request].iter().filter(|text| text.contains("<project-instructions source")).count()
    };
    assert_eq!([told(0), told(1)], [0, 0], "{requests:#?}");
    let last = &requests[2].last().unwrap();
    let wrapped = |source: &str, text: &str| {
        format!(
            "<system-reminder>\n<project-instructions source=\"{source}\">\n{text}\n</project-instructions>\n</system-reminder>"
        )
    };
    let expected = format!(
        "{}\n\n{}",
        wrapped("sub/AGENTS.md", "Never hum."),
        wrapped("sub/deep/CLAUDE.md", "Whisper.")
    );
    assert_eq!(**last, expected, "behind the results");
    assert_eq!((told(2), told(3)), (1, 1), "as one message, which stays");
    assert_eq!(requests[3][..requests[2].len()], requests[2][..], "what was sent stays as it was");
}

#[test]
fn without_a_yes_they_are_named_and_not_sent() {
    let (notices, requests) = run(&[], vec![reading(&["sub/b.txt"]), reading(&["sub/b.txt"]), text("ok")]);
    assert_eq!(notices, ["ignored: sub/AGENTS.md (the directory is not trusted: start with --trust)"]);
    assert!(!format!("{requests:?}").contains("hum"), "{requests:#?}");
}

#[test]
fn a_session_that_goes_on_does_not_tell_them_again() {
    let again = || [reading(&["sub/b.txt"]), text("ok")];
    let endpoint = Endpoint::script(again().into_iter().chain(again()));
    let clawd = project(streaming(&endpoint)).args(["--trust", "go"]);
    assert_eq!(clawd.run().expect_code(0).events_of("notice").len(), 1);
    let second = streaming_again(&clawd).args(["--trust", "-c", "go on"]).run().expect_code(0);
    assert_eq!(second.events_of("notice").len(), 0);
    let last = endpoint.requests().last().unwrap().body.to_string();
    assert_eq!(last.matches("<project-instructions source").count(), 1, "{last}");
    endpoint.finish();
}

#[test]
fn one_that_cannot_be_read_is_named_with_why() {
    let endpoint = Endpoint::script([reading(&["odd/a.txt"]), text("ok")]);
    let clawd = streaming(&endpoint).file("odd/a.txt", "a\n").args(["--trust", "go"]);
    std::os::unix::fs::symlink("/etc/hostname", clawd.project().join("odd/AGENTS.md")).unwrap();
    let output = clawd.run().expect_code(0);
    let notices: Vec<String> =
        output.events_of("notice").iter().map(|notice| words(&notice["text"])).collect();
    assert_eq!(notices, ["odd/AGENTS.md is ignored: it is a symlink that leads out of the project"]);
    endpoint.finish();
}

/// What a project brings of other people's directories.
fn with_others(clawd: Clawd) -> Clawd {
    let mut clawd = clawd
        .repository()
        .file(".gitignore", "target/\n/*.local\n")
        .file(".ignore", "third/\n")
        .file("sub/.gitignore", "made\n")
        .file("lib/.git", "gitdir: ../.git/modules/lib\n")
        .file("clone/.git/HEAD", "ref: refs/heads/main\n");
    for directory in ["target/doc", "third", "sub/made", "lib/src", "clone", "node_modules/p", "sub"] {
        clawd = clawd.file(&format!("{directory}/AGENTS.md"), &format!("words-of {directory}\n"));
        clawd = clawd.file(&format!("{directory}/a.txt"), "a\n");
    }
    clawd
}

#[test]
fn those_of_ignored_directories_and_of_other_repositories_are_named_and_not_sent() {
    let places = ["target/doc", "third", "sub/made", "lib/src", "clone", "node_modules/p"];
    let paths = places.map(|place| format!("{place}/a.txt"));
    let endpoint = Endpoint::script([reading(&paths.each_ref().map(String::as_str)), text("ok")]);
    let output = with_others(streaming(&endpoint)).args(["--trust", "go"]).run().expect_code(0);
    let mut notices: Vec<String> =
        output.events_of("notice").iter().map(|notice| words(&notice["text"])).collect();
    // the reads run side by side
    notices.sort();
    let ignored = "the directory is ignored";
    let other = "it belongs to another repository";
    let expected = [
        format!("clone/AGENTS.md is ignored: {other}"),
        format!("lib/src/AGENTS.md is ignored: {other}"),
        "node_modules/p/AGENTS.md is ignored: the directory contains dependencies".to_owned(),
        "sent to the model: sub/AGENTS.md".to_owned(),
        format!("sub/made/AGENTS.md is ignored: {ignored}"),
        format!("target/doc/AGENTS.md is ignored: {ignored}"),
        format!("third/AGENTS.md is ignored: {ignored}"),
    ];
    assert_eq!(notices, expected);
    let sent = endpoint.requests().last().unwrap().body.to_string();
    assert_eq!(sent.matches("words-of").count(), 1, "{sent}");
    endpoint.finish();
}

#[test]
fn in_an_ignored_directory_where_the_user_works_they_count() {
    let endpoint = Endpoint::script([reading(&["x/a.txt"]), text("ok")]);
    let clawd = with_others(streaming(&endpoint))
        .file("target/doc/x/AGENTS.md", "words-of-x\n")
        .file("target/doc/x/a.txt", "a\n");
    let output = clawd.args(["--trust", "-C", "target/doc", "go"]).run().expect_code(0);
    let told = output.events_of("notice").iter().map(|notice| words(&notice["text"])).collect::<Vec<_>>();
    assert_eq!(told, ["sent to the model: target/doc/x/AGENTS.md"]);
    endpoint.finish();
}

#[test]
fn a_link_to_a_secret_or_into_git_is_not_sent() {
    for target in [".env", "../.env", "keys/server.pem", ".git/config", "../../outside.md"] {
        let endpoint = Endpoint::script([reading(&["sub/b.txt"]), text("ok")]);
        let clawd = streaming(&endpoint)
            .repository()
            .file(".git/config", "hush-hush\n")
            .file(".env", "hush-hush\n")
            .file("sub/.env", "hush-hush\n")
            .file("keys/server.pem", "hush-hush\n")
            .file("sub/keys/server.pem", "hush-hush\n")
            .file("sub/b.txt", "b\n");
        std::fs::write(clawd.project().join("../outside.md"), "hush-hush").unwrap();
        for directory in [".", "sub"] {
            let link = clawd.project().join(directory).join("AGENTS.md");
            std::os::unix::fs::symlink(target, link).unwrap();
        }
        let output = clawd.args(["--trust", "go"]).run().expect_code(0);
        let sent = endpoint.requests().last().unwrap().body.to_string();
        assert!(!sent.contains("hush-hush"), "{target}: {sent}");
        assert!(output.stdout.contains("AGENTS.md is ignored: it is a symlink "), "{target}: {output:#?}");
        endpoint.finish();
    }
}

#[test]
fn a_link_to_an_ordinary_file_of_the_project_is_sent() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = streaming(&endpoint).repository().file("docs/rules.md", "Be brief.\n");
    std::os::unix::fs::symlink("docs/rules.md", clawd.project().join("AGENTS.md")).unwrap();
    clawd.args(["--trust", "go"]).run().expect_code(0);
    assert!(endpoint.requests()[0].body.to_string().contains("Be brief."));
    endpoint.finish();
}
