//! Sessions (the outside contract): what is kept and when, how a run goes on from it, what a file may have been through.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bad_input::files_below;
use crate::endpoint::{Endpoint, Gate, Request, call, calls, text, thinking};
use crate::harness::Clawd;
use crate::headless::{calling, expect_one_line, streaming, streaming_again};

/// The one session file of a world.
pub(crate) fn session_file(clawd: &Clawd) -> PathBuf {
    let mut files = files_below(&clawd.clawd_home().join("sessions"));
    files.retain(|(path, _)| path.extension().is_some_and(|extension| extension == "jsonl"));
    assert_eq!(files.len(), 1, "one file: {files:?}");
    files.into_iter().next().unwrap().0
}

fn entries(file: &Path) -> Vec<Value> {
    let content = std::fs::read_to_string(file).unwrap();
    assert!(content.ends_with('\n'), "whole lines: {content}");
    content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The entries in a word each: their type, or a message's role.
fn words(file: &Path) -> String {
    let word = |entry: &Value| entry.get("role").unwrap_or(&entry["type"]).as_str().unwrap().to_owned();
    entries(file).iter().map(word).collect::<Vec<_>>().join(" ")
}

fn id_of(file: &Path) -> String {
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn every_entry_has_its_fields() {
    let answer = thinking("hm").text("I read.").calls([call("Read", json!({"file_path": "a.txt"}))]);
    let endpoint = Endpoint::script([answer, text("Done.")]);
    let clawd = streaming(&endpoint).file("a.txt", "hello\n").arg("go");
    clawd.run().expect_code(0);
    let file = session_file(&clawd);
    assert_eq!(words(&file), "session user assistant tool assistant");
    let entries = entries(&file);
    assert!(
        entries.iter().all(|entry| entry["timestamp"].as_u64().unwrap() > 1_700_000_000_000),
        "milliseconds"
    );
    let (head, user, called, result, said) =
        (&entries[0], &entries[1], &entries[2], &entries[3], &entries[4]);
    assert_eq!(
        (&head["version"], &head["id"], &head["model"]),
        (&json!(1), &json!(id_of(&file)), &json!("mock-1"))
    );
    assert_eq!(head["cwd"], clawd.project().to_str().unwrap());
    assert!(head["clawd_version"].is_string() && head.get("parent").is_none(), "{head}");
    assert_eq!((&user["content"], &user["origin"]), (&json!("go"), &json!("user")));
    assert_eq!((&called["content"], &called["reasoning_content"]), (&json!("I read."), &json!("hm")));
    assert_eq!((&called["stop_reason"], &called["model"]), (&json!("tool_use"), &json!("mock-1")));
    assert_eq!(called["usage"]["total_tokens"], 15);
    let arguments = called["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(arguments).unwrap(), json!({"file_path": "a.txt"}));
    assert_eq!(
        (&result["tool_call_id"], &result["name"], &result["is_error"]),
        (&json!("call_1"), &json!("Read"), &json!(false))
    );
    assert_eq!(result["content"], endpoint.requests()[1].tool_result("call_1"));
    assert_eq!((&said["content"], &said["stop_reason"]), (&json!("Done."), &json!("end_turn")));
    endpoint.finish();
}

#[test]
fn an_entry_is_written_before_it_is_sent_and_before_it_is_shown() {
    let (first, second) = (Gate::new(), Gate::new());
    let read = calls([call("Glob", json!({"pattern": "*"}))]).hold_head(&first);
    let endpoint = Endpoint::script([read, text("Done.").hold_head(&second)]);
    let clawd = streaming(&endpoint).arg("go");
    let running = clawd.spawn();
    endpoint.wait_for_request(1);
    assert_eq!(words(&session_file(&clawd)), "session user");
    first.open();
    running.wait_for_event("message");
    assert!(words(&session_file(&clawd)).starts_with("session user assistant"));
    endpoint.wait_for_request(2);
    assert_eq!(words(&session_file(&clawd)), "session user assistant tool");
    second.open();
    running.wait_for_event("message");
    assert_eq!(words(&session_file(&clawd)), "session user assistant tool assistant");
    running.wait().expect_code(0);
    endpoint.finish();
}

#[test]
fn what_is_kept_is_for_the_user_alone() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = streaming(&endpoint).arg("go");
    clawd.run().expect_code(0);
    let file = session_file(&clawd);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    let project = file.parent().unwrap();
    assert_eq!((mode(project), mode(project.parent().unwrap())), (0o700, 0o700));
    let name = project.file_name().unwrap().to_str().unwrap();
    assert!(name.contains("project-"), "a readable slug and a hash: {name}");
    endpoint.finish();
}

#[test]
fn the_last_session_of_the_directory_goes_on() {
    let endpoint = Endpoint::script([
        calling("Glob", json!({"pattern": "*"})),
        text("One."),
        text("Two."),
        text("Three."),
    ]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    let file = session_file(&clawd);
    let output = streaming_again(&clawd).args(["-c", "second"]).run().expect_code(0);
    assert_eq!(output.result()["metadata"]["session_id"], id_of(&file));
    assert_eq!(output.result()["metadata"]["turns_count"], 1, "of this run");
    assert_eq!(endpoint.requests()[2].roles(), "system user assistant tool assistant user");
    streaming_again(&clawd).arg("another").run().expect_code(0);
    assert_eq!(endpoint.requests()[3].roles(), "system user");
    let last = streaming_again(&clawd).args(["--continue", "third"]);
    endpoint.push(text("Four."));
    last.run().expect_code(0);
    assert_eq!(endpoint.requests()[4].messages()[1]["content"], "another", "the one written last");
    endpoint.finish();
}

#[test]
fn a_session_goes_on_by_the_beginning_of_its_id() {
    let endpoint = Endpoint::script([text("One."), text("Two."), text("Three.")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    let id = id_of(&session_file(&clawd));
    streaming_again(&clawd).args(["-r", &id, "second"]).run().expect_code(0);
    streaming_again(&clawd).args(["--resume", id.get(..30).unwrap(), "third"]).run().expect_code(0);
    assert_eq!(endpoint.requests()[2].roles(), "system user assistant user assistant user");
    endpoint.finish();
}

#[test]
fn a_beginning_that_fits_several_sessions_is_refused() {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    streaming_again(&clawd).arg("second").run().expect_code(0);
    let output = clawd.again().args(["-p", "-r", "0", "x"]).run().expect_code(2);
    expect_one_line(&output, &["2 sessions"]);
    endpoint.finish();
}

#[test]
fn without_a_session_nothing_is_kept() {
    let endpoint = Endpoint::script([calling("Bash", json!({"command": "seq 100000"})), text("ok")]);
    let clawd = streaming(&endpoint).args(["--no-session", "--yolo", "go"]);
    clawd.run().expect_code(0);
    assert_eq!(files_below(&clawd.clawd_home()).len(), 0);
    let output = clawd.again().args(["-p", "-c", "go"]).run().expect_code(2);
    expect_one_line(&output, &["no session"]);
    endpoint.finish();
}

#[test]
fn what_is_not_kept_goes_on_from_what_was_and_leaves_it_alone() {
    let endpoint = Endpoint::script([text("One.")]).then_forever(text("Two."));
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    let id = id_of(&session_file(&clawd));
    let before = files_below(&clawd.clawd_home());
    for (number, args) in [&["-c"][..], &["-r", &id], &["-c", "--fork-session"]].into_iter().enumerate() {
        let again = streaming_again(&clawd).args(args.iter().copied()).args(["--no-session", "second"]);
        let output = again.run().expect_code(0);
        assert_eq!(endpoint.requests()[number + 1].roles(), "system user assistant user", "{args:?}");
        assert_eq!(files_below(&clawd.clawd_home()), before, "{args:?}");
        let named = output.result()["metadata"]["session_id"] == json!(id);
        assert_eq!(named, !args.contains(&"--fork-session"), "{args:?}");
    }
    endpoint.finish();
}

#[test]
fn a_program_that_is_only_asked_something_keeps_nothing() {
    let clawd = Clawd::alone();
    for args in [&["--version"][..], &["--help"], &["-p", "--no-such"], &["-p", "go"]] {
        clawd.again().args(args.iter().copied()).run();
    }
    assert_eq!(files_below(&clawd.clawd_home()).len(), 0);
}

#[test]
fn a_fork_goes_on_under_an_id_of_its_own() {
    let endpoint = Endpoint::script([text("One."), text("Two."), text("Three.")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    let parent = session_file(&clawd);
    let before = std::fs::read(&parent).unwrap();
    let output = streaming_again(&clawd).args(["-c", "--fork-session", "second"]).run().expect_code(0);
    assert_eq!(std::fs::read(&parent).unwrap(), before, "the parent stays as it was");
    let id = output.result()["metadata"]["session_id"].as_str().unwrap().to_owned();
    let fork = parent.with_file_name(format!("{id}.jsonl"));
    assert_eq!(
        (words(&fork).as_str(), &entries(&fork)[0]["parent"]),
        ("session user assistant user assistant", &json!(id_of(&parent)))
    );
    assert_eq!(entries(&fork)[0]["id"], id);
    assert_eq!(endpoint.requests()[1].roles(), "system user assistant user");
    streaming_again(&clawd).args(["-r", &id, "third"]).run().expect_code(0);
    endpoint.finish();
}

#[test]
fn two_processes_never_write_one_session() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("One."), text("Two.").hold_head(&gate).only_for("second")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    let running = streaming_again(&clawd).args(["-c", "second"]).spawn();
    endpoint.wait_for_request(2);
    let output = clawd.again().args(["-p", "-c", "third"]).run().expect_code(2);
    expect_one_line(&output, &["already open", "--fork-session"]);
    endpoint.push(text("Forked.").only_for("third"));
    streaming_again(&clawd).args(["-c", "--fork-session", "third"]).run().expect_code(0);
    assert_eq!(
        endpoint.requests()[2].last_text(),
        "second\n\nthird",
        "what was said so far is part of the fork"
    );
    gate.open();
    running.wait().expect_code(0);
    endpoint.finish();
}

#[test]
fn a_session_of_another_directory_is_named_with_the_command_to_copy() {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = streaming(&endpoint).file("sub/a.txt", "").arg("first");
    clawd.run().expect_code(0);
    let id = id_of(&session_file(&clawd));
    let output =
        clawd.again().args(["-p", "-C", "sub", "-r", id.get(..8).unwrap(), "second"]).run().expect_code(2);
    expect_one_line(&output, &[&format!("-C {} -r {id}", clawd.project().display())]);
    let output = clawd.again().args(["-p", "-C", "sub", "-c", "second"]).run().expect_code(2);
    expect_one_line(&output, &["no session"]);
    let there = clawd.project();
    streaming_again(&clawd).args(["-C", there.to_str().unwrap(), "-r", &id, "second"]).run().expect_code(0);
    endpoint.finish();
}

#[test]
fn an_unanswered_prompt_of_a_stopped_run_stays_in_the_file() {
    let endpoint = Endpoint::script([crate::endpoint::stall()]);
    let clawd = streaming(&endpoint).arg("first");
    let running = clawd.spawn();
    endpoint.wait_for_request(1);
    running.signal(crate::harness::Signal::INT);
    running.wait().expect_code(130);
    let file = session_file(&clawd);
    assert_eq!(words(&file), "session user");
    endpoint.finish();
}

const PLAIN: &[u8] = include_bytes!("../fixtures/sessions/plain.jsonl");
const RICH: &[u8] = include_bytes!("../fixtures/sessions/rich.jsonl");
const TORN: &[u8] = include_bytes!("../fixtures/sessions/torn.jsonl");

/// Puts a session file where one of this world's would be, goes on with it, and gives what was sent.
fn resumed(session: &[u8], id: &str) -> (Request, Clawd, String) {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = streaming(&endpoint).file("a.txt", "hello\n").arg("first");
    clawd.run().expect_code(0);
    let directory = session_file(&clawd).parent().unwrap().to_owned();
    std::fs::write(directory.join(format!("{id}.jsonl")), session).unwrap();
    std::fs::create_dir(directory.join(id)).unwrap();
    std::fs::write(directory.join(id).join("one.png"), b"no real image").unwrap();
    endpoint.allow_break();
    let output = streaming_again(&clawd).args(["-r", id, "now"]).run().expect_code(0);
    let request = endpoint.requests()[1].clone();
    endpoint.finish();
    (request, clawd, output.stderr)
}

#[test]
fn a_plain_session_loads() {
    let (request, clawd, stderr) = resumed(PLAIN, "01900000-0000-7000-8000-00000000aaaa");
    assert_eq!(
        request.roles(),
        "system user assistant tool tool assistant user assistant user assistant tool assistant user"
    );
    assert_eq!((request.last_text().as_str(), stderr.as_str()), ("now", ""));
    assert_eq!(request.tool_result("call_1"), "1\thello ä 🦀");
    assert_eq!(request.messages()[2]["content"], "I read it.");
    let file = files_below(&clawd.clawd_home())
        .into_iter()
        .find(|(path, _)| path.ends_with("01900000-0000-7000-8000-00000000aaaa.jsonl"));
    assert!(file.unwrap().1.as_bytes().starts_with(PLAIN), "nothing of the file is changed");
}

#[test]
fn a_session_with_images_compaction_and_rewind_loads() {
    let (request, _, stderr) = resumed(RICH, "01900000-0000-7000-8000-00000000bbbb");
    assert_eq!(stderr, "");
    assert_eq!(
        request.roles(),
        "system user assistant tool tool user assistant user assistant user assistant user",
        "the summary and the user's words, the call and its results, the image behind them, …"
    );
    let sent = String::from_utf8(request.raw.clone()).unwrap();
    let messages = request.messages();
    let summary = messages[1]["content"].as_str().unwrap();
    assert!(summary.contains("one was a dot") && summary.ends_with("Before the summary."), "{summary}");
    assert!(!sent.contains("What is this?"), "what stood before the summary");
    assert!(request.tool_result("call_2").contains("truncated"), "masked: {}", request.tool_result("call_2"));
    assert!(sent.contains("gone.png no longer exists"), "an image whose file is gone is said to be");
    assert!(!sent.contains("Taken back.") && !sent.contains("Never said."), "rewound");
    assert!(sent.contains("Said instead.") && sent.contains("Undone."), "and redone");
}

#[test]
fn an_image_goes_out_with_its_bytes() {
    let until_answer = RICH.split_inclusive(|&byte| byte == b'\n').take(4).collect::<Vec<_>>().concat();
    let (request, _, _) = resumed(&until_answer, "01900000-0000-7000-8000-00000000bbbb");
    let parts = &request.messages()[1]["content"];
    assert_eq!(parts[0], json!({"type": "text", "text": "What is this?"}));
    assert_eq!(parts[1]["image_url"]["url"], "data:image/png;base64,bm8gcmVhbCBpbWFnZQ==");
    assert!(request.messages()[2]["reasoning_details"].is_array(), "what a provider wants back");
}

#[test]
fn a_torn_and_damaged_session_loads_and_says_what_was_skipped() {
    let (request, clawd, stderr) = resumed(TORN, "01900000-0000-7000-8000-00000000cccc");
    assert_eq!(request.roles(), "system user assistant tool tool tool user assistant tool tool user");
    for id in ["call_2", "call_3", "call_4"] {
        let result = request.tool_result(id);
        assert!(result.starts_with("Error:") && result.contains("interrupted"), "{id}: {result}");
    }
    assert_eq!(
        (request.tool_result("call_1"), request.tool_result("call_5")),
        ("1\thello".into(), "out of order".into())
    );
    assert_eq!(request.messages()[6]["content"], "Go on.\n\nPlease.");
    assert!(stderr.contains("4 damaged lines"), "{stderr}");
    let file = files_below(&clawd.clawd_home())
        .into_iter()
        .find(|(path, _)| path.ends_with("01900000-0000-7000-8000-00000000cccc.jsonl"));
    let content = std::fs::read(file.unwrap().0).unwrap();
    let whole = TORN.iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    assert!(content.starts_with(&TORN[..whole]) && content[whole..].starts_with(b"{\"type\":\"message\""));
    assert!(!content.windows(6).any(|bytes| bytes == b"\"cont{"), "the torn end is cut off");
}

#[test]
fn a_session_cut_at_any_line_or_within_it_goes_on() {
    let fixtures = [(PLAIN, "aaaa"), (RICH, "bbbb"), (TORN, "cccc")];
    for (session, name) in fixtures {
        let id = format!("01900000-0000-7000-8000-00000000{name}");
        let ends: Vec<usize> = (0..session.len()).filter(|&at| session[at] == b'\n').collect();
        for (&begin, &end) in ends.iter().zip(&ends[1..]) {
            let cut = begin + 1 + (end - begin) / 2;
            // each is judged by the endpoint, which refuses a transcript that is not valid
            let whole = resumed(&session[..=begin], &id).0;
            let torn = resumed(&session[..cut], &id).0;
            assert_eq!(
                whole.messages()[1..],
                torn.messages()[1..],
                "a torn line counts for nothing ({name} at {cut})"
            );
        }
    }
}

#[test]
fn a_session_of_a_newer_version_is_only_read() {
    let newer = String::from_utf8(PLAIN.to_vec()).unwrap().replacen("\"version\":1", "\"version\":99", 1);
    let replayed = [PLAIN, b"{\"type\":\"branch\",\"replay\":true,\"timestamp\":1}\n"].concat();
    for session in [newer.into_bytes(), replayed] {
        let id = "01900000-0000-7000-8000-00000000aaaa";
        let (_, clawd, stderr) = resumed(&session, id);
        assert!(stderr.contains("newer"), "{stderr}");
        let files = files_below(&clawd.clawd_home());
        let file = files.iter().find(|(path, _)| path.ends_with(format!("{id}.jsonl"))).unwrap();
        assert_eq!(file.1.as_bytes(), session, "nothing is written to it");
    }
}
