//! A named pipe where a file is read: nothing waits for somebody to write into it.

use std::fs;
use std::path::Path;

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;

use crate::endpoint::{Call, Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::headless::{streaming, streaming_again};

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::remove_file(path).ok();
    mkfifoat(CWD, path, Mode::RWXU).unwrap();
}

/// One call of everything that looks at a project's files.
fn every_look() -> Vec<Call> {
    vec![
        call("Read", json!({"file_path": "sub/a.txt"})),
        call("Glob", json!({"pattern": "**/*"})),
        call("Grep", json!({"pattern": "one", "path": "sub"})),
        call("LS", json!({"path": "."})),
        call("Edit", json!({"file_path": "sub/a.txt", "old_string": "one", "new_string": "two"})),
        call("Bash", json!({"command": "echo three >sub/b.txt; cat sub/a.txt"})),
    ]
}

/// Runs all of it with pipes at these places of the project.
fn check(places: &[&str]) {
    let endpoint = Endpoint::script([calls(every_look()), text("ok")]);
    let clawd = streaming(&endpoint).file(".git/HEAD", "ref: refs/heads/main\n").file("sub/a.txt", "one\n");
    for place in places {
        pipe(&clawd.project().join(place));
    }
    let output = clawd
        .args(["--trust", "--permission-mode", "accept-edits", "--allowed-tools", "Bash", "see @sub/a.txt"])
        .run()
        .expect_code(0);
    assert_eq!(output.result()["final_message"], "ok", "{places:?}: {output:#?}");
    let results = output.events_of("tool_result");
    let bash = results.last().unwrap()["content"].as_str().unwrap();
    assert!(bash.contains("two"), "{places:?}: {bash}");
    endpoint.finish();
}

#[test]
fn a_pipe_in_a_project_is_not_waited_for() {
    check(&["AGENTS.md", "CLAUDE.md", ".mcp.json", ".clawd/config.toml", ".clawd/config.local.toml"]);
    check(&[".gitignore", ".ignore", ".rgignore", ".git/info/exclude", ".gitattributes", ".gitmodules"]);
    check(&["sub/AGENTS.md", "sub/.gitignore", "sub/.git", ".clawd/commands/x.md", ".clawd/agents/x.md"]);
    check(&[".git/HEAD", ".git/config", ".git/index", ".git/commondir", ".git/config.worktree"]);
    check(&[".git/modules/m/config", ".git/modules/m/HEAD", ".git/worktrees/w/gitdir"]);
}

#[test]
fn a_pipe_as_the_git_file_of_a_project_is_not_waited_for() {
    let endpoint = Endpoint::script([calls(every_look()), text("ok")]);
    let clawd = streaming(&endpoint).file("sub/a.txt", "one\n");
    pipe(&clawd.project().join(".git"));
    clawd
        .args(["--trust", "--permission-mode", "accept-edits", "--allowed-tools", "Bash", "see @sub/a.txt"])
        .run()
        .expect_code(0);
    endpoint.finish();
}

/// The program with a real repository, whose git knows the user's own ignore file.
fn real(endpoint: &Endpoint) -> Clawd {
    let clawd = streaming(endpoint).file("sub/a.txt", "one\n");
    let git = |args: &[&str]| {
        let status = std::process::Command::new("git")
            .args(args)
            .current_dir(clawd.project())
            .env("HOME", clawd.home())
            .status()
            .unwrap();
        assert!(status.success());
    };
    git(&["init", "-q", "."]);
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]);
    clawd
}

#[test]
fn a_pipe_as_an_ignore_file_of_a_real_repository_is_not_waited_for() {
    for place in ["project/.gitignore", "project/.git/info/exclude", "home/.config/git/ignore"] {
        let endpoint = Endpoint::script([calls(every_look()), text("ok")]);
        let clawd = real(&endpoint);
        pipe(&clawd.project().parent().unwrap().join(place));
        clawd
            .args([
                "--trust",
                "--permission-mode",
                "accept-edits",
                "--allowed-tools",
                "Bash",
                "see @sub/a.txt",
            ])
            .run()
            .expect_code(0);
        endpoint.finish();
    }
}

#[test]
fn a_pipe_among_the_users_own_files_is_not_waited_for() {
    for (place, code) in [
        ("AGENTS.md", 0),
        ("config.toml", 2),
        ("credentials.toml", 2),
        ("trust.toml", 0),
        ("grants.toml", 2),
        ("history.jsonl", 0),
    ] {
        let endpoint = Endpoint::script([]).then_forever(text("ok"));
        let clawd = streaming(&endpoint).file("AGENTS.md", "Be brief.\n");
        pipe(&clawd.clawd_home().join(place));
        let output = streaming_again(&clawd).arg("go").run();
        assert_eq!(output.code, Some(code), "{place}: {output:#?}");
        clawd.again().arg("doctor").run();
        clawd.again().args(["config", "show"]).run();
        clawd.again().args(["sessions", "list"]).run().expect_code(0);
        drop(endpoint);
    }
}
