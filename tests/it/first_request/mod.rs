//! The first request of a session: the whole system prompt and the tools, as files next to this one, and how large they are.
//!
//! `CLAWD_GALLERY=write cargo test --test it first_request` writes the files.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::endpoint::{Endpoint, Request, text};
use crate::harness::Clawd;
use crate::screen::{chat_with, leave, say, wait_for_rest};

/// Bytes of ten tokens, a little fewer than o200k has of such texts (43.6 of the prompt and of the tools' JSON).
const TEN_TOKENS: usize = 42;

/// What every session of that kind may cost before its first word.
const FULL: usize = 2_000;
const BRIEF: usize = 1_100;

fn headless(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).args(["-p", "go"])
}

fn first(clawd: &Clawd, endpoint: &Endpoint) -> Request {
    clawd.run().expect_code(0);
    endpoint.wait_for_request(1)
}

fn system(request: &Request) -> String {
    request.messages()[0]["content"].as_str().unwrap().to_owned()
}

/// The system prompt without what differs from machine to machine.
fn constant_system(request: &Request, clawd: &Clawd) -> String {
    let project = clawd.project().display().to_string();
    let constant = |line: &str| match line.strip_prefix("Date: ") {
        Some(_) => "Date: 2026-01-31".to_owned(),
        None => line.replace(&project, "/project").replace(std::env::consts::OS, "linux"),
    };
    let lines: Vec<String> = system(request).lines().map(constant).collect();
    lines.join("\n")
}

fn tokens(system: &str, request: &Request) -> usize {
    let bytes = system.len() + request.body["tools"].to_string().len();
    bytes * 10 / TEN_TOKENS
}

fn page(system: &str, request: &Request) -> String {
    let mut page = format!("about {} tokens\n\n{system}\n", tokens(system, request));
    for tool in request.body["tools"].as_array().unwrap() {
        let function = &tool["function"];
        let (name, about) = (function["name"].as_str().unwrap(), function["description"].as_str().unwrap());
        write!(page, "\n## {name}\n{about}\n").unwrap();
        parameters(&mut page, &function["parameters"], "");
    }
    page
}

fn parameters(page: &mut String, schema: &Value, indent: &str) {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (name, parameter) in schema["properties"].as_object().into_iter().flatten() {
        let need = if required.iter().any(|required| required == name) { "required" } else { "optional" };
        let kind = parameter["type"].as_str().unwrap_or_default();
        write!(page, "{indent}- {name} ({kind}, {need})").unwrap();
        match parameter["description"].as_str() {
            Some(about) => writeln!(page, ": {about}").unwrap(),
            None => page.push('\n'),
        }
        parameters(page, &parameter["items"], "  ");
    }
}

#[expect(clippy::disallowed_methods, reason = "a switch of this test and of nothing that is shipped")]
fn is_to_be_written() -> bool {
    std::env::var_os("CLAWD_GALLERY").is_some_and(|wish| wish == "write")
}

/// Compares with the file of this name, or writes it.
#[track_caller]
fn check(name: &str, request: &Request, clawd: &Clawd, most: usize) {
    let system = constant_system(request, clawd);
    assert!(tokens(&system, request) <= most, "{name}: {} tokens", tokens(&system, request));
    let page = page(&system, request);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/first_request").join(name);
    if is_to_be_written() {
        return std::fs::write(path, page).unwrap();
    }
    let before = std::fs::read_to_string(path).unwrap_or_default();
    assert!(before == page, "{name} differs (CLAWD_GALLERY=write writes it)\n{page}");
}

#[test]
fn of_a_conversation_on_the_screen() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = Clawd::new(&endpoint).repository().file("AGENTS.md", "Use tabs.\n").arg("--trust");
    let pty = chat_with(&clawd);
    say(&pty, "go");
    wait_for_rest(&pty);
    check("interactive.txt", &endpoint.wait_for_request(1), &clawd, FULL);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn of_a_headless_run() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = headless(&endpoint);
    check("headless.txt", &first(&clawd, &endpoint), &clawd, FULL);
    endpoint.finish();
}

#[test]
fn of_a_model_that_edits_by_patches() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = headless(&endpoint).env("CLAWD_MODEL", "gpt-5-mini");
    let request = first(&clawd, &endpoint);
    let texts = request.body["tools"].to_string() + &system(&request);
    assert!(texts.contains("ApplyPatch") && !texts.contains("Edit"), "it has no such tool: {texts}");
    check("patch.txt", &request, &clawd, FULL);
    endpoint.finish();
}

#[test]
fn of_a_local_model_with_a_small_window() {
    for (name, model) in [("small.txt", "qwen3-coder:30b"), ("small_patch.txt", "gpt-oss:20b")] {
        let endpoint = Endpoint::script([text("ok")]);
        let clawd =
            headless(&endpoint).env("CLAWD_MODEL", model).home_file("config.toml", "context_window = 8192\n");
        check(name, &first(&clawd, &endpoint), &clawd, BRIEF);
        endpoint.finish();
    }
}

#[test]
fn begins_with_the_same_bytes_after_a_resume() {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = headless(&endpoint);
    clawd.run().expect_code(0);
    clawd.again().args(["-p", "-c", "more"]).run().expect_code(0);
    let requests = endpoint.requests();
    let open = requests[0].raw.strip_suffix(b"]}").expect("messages are last");
    assert!(requests[1].raw.starts_with(open));
    endpoint.finish();
}

#[test]
fn says_how_the_working_tree_was_and_how_commands_run() {
    let index = {
        // version 2, one entry: `a.txt` with 5 bytes
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        bytes.extend([0; 24]);
        bytes.extend(0o100_644_u32.to_be_bytes());
        bytes.extend([0; 8]);
        bytes.extend(5_u32.to_be_bytes());
        bytes.extend([7; 20]);
        bytes.extend(b"\0\x05a.txt\0\0\0\0\0");
        bytes.extend([0; 20]);
        bytes
    };
    let lines = |content: &str, options: &[&str]| {
        let endpoint = Endpoint::script([text("ok")]);
        let clawd = headless(&endpoint).repository().file("a.txt", content).args(options.iter().copied());
        std::fs::write(clawd.project().join(".git/index"), &index).unwrap();
        let system = system(&first(&clawd, &endpoint));
        endpoint.finish();
        let line = |begin: &str| system.lines().find(|line| line.starts_with(begin)).unwrap().to_owned();
        (line("Git"), line("Commands"))
    };
    let (git, commands) = lines("12345", &[]);
    assert_eq!(git, "Git at start: branch main");
    assert_eq!(
        commands,
        "Commands: bash, normally sandboxed: write only to the workspace and $TMPDIR, no network"
    );
    let (git, commands) = lines("changed", &["--sandbox", "off"]);
    assert_eq!(git, "Git at start: branch main, with uncommitted changes");
    assert_eq!(commands, "Commands: bash, not sandboxed");
}
