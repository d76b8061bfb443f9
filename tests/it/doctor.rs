//! `clawd doctor`: the page, what is asked for it, and how it ends.

use serde_json::json;

use crate::endpoint::{Answer, Endpoint, Gate, call, calls, stall, status, text, thinking};
use crate::harness::{Clawd, Output, Signal};
use crate::pty::{Pty, Size};

fn note(word: &str) -> crate::endpoint::Call {
    call("note", json!({"word": word}))
}

fn two_calls() -> Answer {
    calls([note("one"), note("two")])
}

fn doctor(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).arg("doctor")
}

/// The page with each finding on one line.
fn findings(output: &Output) -> String {
    output.stdout.replace("\n               ", " ")
}

/// Fails unless the page has a line that begins so.
#[track_caller]
fn has(output: &Output, expected: &str) {
    let page = findings(output);
    let spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.lines().any(|line| spaced(line).starts_with(expected)), "{expected}\n{page}");
}

#[test]
fn all_is_well() {
    let endpoint = Endpoint::script([text("ready"), two_calls(), text("done")]);
    let clawd = doctor(&endpoint).repository().file("AGENTS.md", "Rhyme.");
    let output = clawd.run().expect_code(0);
    for line in [
        "configuration",
        "✓ file",
        "✓ base_url http://127.0.0.1:",
        "✓ model mock-1 (from CLAWD_MODEL)",
        "✓ key from CLAWD_API_KEY",
        "! screen standard input is not a terminal",
        "✓ home",
        "✓ log off (--debug writes a log to",
        "✓ commands workspace-write",
        "endpoint 127.0.0.1:",
        "✓ reachable 127.0.0.1:",
        "✓ key accepted (from CLAWD_API_KEY)",
        "✓ model mock-1 is listed (the only one)",
        "✓ streaming answers are shown",
        "✓ tools the model calls tools",
        "✓ parallel several tool calls",
        "✓ results the model accepts tool results",
        "✓ usage the endpoint reports token usage",
        "Chat works.",
    ] {
        has(&output, line);
    }
    assert_eq!(output.stderr, "", "no terminal waits for anything");
    assert!(!output.stdout.contains('\u{1b}') && !output.stdout.contains("test-key"), "{}", output.stdout);
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{}", output.stdout);
    let requests = endpoint.requests();
    assert_eq!(
        requests.iter().map(super::endpoint::Request::roles).collect::<Vec<_>>(),
        ["system user", "system user", "system user assistant tool tool"]
    );
    assert!(
        requests.iter().all(|request| !request.body.to_string().contains("Rhyme")),
        "nothing of the project"
    );
    assert_eq!(requests[1].tool_names(), ["note"]);
    assert!(requests[0].body["max_tokens"].is_u64() && requests[0].body.get("tools").is_none());
    assert!(!clawd.clawd_home().join("sessions").exists() && !clawd.clawd_home().join("trust.toml").exists());
    endpoint.finish();
}

#[test]
fn without_tools_it_can_only_talk() {
    let endpoint = Endpoint::script([text("ready"), text("one, two"), text("one")]);
    let output = doctor(&endpoint).run().expect_code(0);
    has(&output, "✗ tools not supported: the model makes no calls; the model can only chat");
    has(&output, "Chat works, but tool calls do not");
    assert_eq!(endpoint.requests()[2].body["tool_choice"], "required");
    endpoint.finish();
}

#[test]
fn tools_that_are_refused_are_told_with_the_reason() {
    let refused =
        status(400).body("application/json", r#"{"error":{"message":"mock-1 does not support tools"}}"#);
    let endpoint = Endpoint::script([text("ready"), refused, text("I cannot."), text("no")]);
    endpoint.allow_break();
    let output = doctor(&endpoint).run().expect_code(0);
    has(&output, "✗ tools not supported: the model makes no calls; the model can only chat");
    assert!(findings(&output).contains("does not support tools"), "{}", output.stdout);
    endpoint.finish();
}

#[test]
fn one_call_at_a_time_is_fine_and_only_slower() {
    let endpoint = Endpoint::script([thinking("hm").text("ready"), calls([note("one")]), text("done")]);
    let output = doctor(&endpoint).run().expect_code(0);
    has(&output, "! parallel one tool call per answer: works, but is slower");
    has(&output, "✓ reasoning separate from the answer, in `reasoning_content`");
    endpoint.finish();
}

#[test]
fn an_answer_in_one_piece_and_without_counts_is_told() {
    let poor = |answer: Answer| answer.in_json().no_usage();
    let endpoint = Endpoint::script([poor(text("ready")), poor(two_calls()), poor(text("done"))]);
    let output = doctor(&endpoint).run().expect_code(0);
    has(&output, "! streaming no: each answer arrives in one piece");
    has(&output, "! usage not reported: token usage is shown as unknown");
    has(&output, "Chat works.");
    endpoint.finish();
}

#[test]
fn a_window_is_told_with_who_says_so() {
    let props = status(200).body("application/json", r#"{"default_generation_settings":{"n_ctx":4096}}"#);
    let endpoint = Endpoint::script([text("ready"), two_calls(), text("done")]).serves("GET /props", props);
    let output = doctor(&endpoint).run().expect_code(0);
    has(
        &output,
        "! context 4k tokens (reported by llama.cpp at /props): too small for tools (start llama-server \
         with -c 32768)",
    );
    endpoint.finish();
}

#[test]
fn a_key_that_is_refused_is_named_and_not_shown() {
    let endpoint = Endpoint::script([status(401)]);
    let output = doctor(&endpoint).run().expect_code(1);
    has(&output, "✗ key 127.0.0.1:");
    assert!(findings(&output).contains("check the key in CLAWD_API_KEY"), "{}", output.stdout);
    has(&output, "Chat does not work");
    assert!(!output.stdout.contains("test-key"));
    endpoint.finish();
}

#[test]
fn a_model_that_nobody_knows_is_told_with_those_that_are_listed() {
    let endpoint = Endpoint::script([status(404)]).models(["mock-2", "tiny"]);
    let output = doctor(&endpoint).run().expect_code(1);
    has(&output, "✗ model 127.0.0.1:");
    assert!(findings(&output).contains("available: mock-2, tiny"), "{}", output.stdout);
    endpoint.finish();
}

#[test]
fn nobody_there_is_one_line() {
    // a port on which nobody listens
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let clawd = Clawd::alone().args(["-m", "m", "doctor", "--base-url", &format!("http://{address}/v1")]);
    let output = clawd.run().expect_code(1);
    has(&output, "✗ reachable cannot reach 127.0.0.1:");
    has(&output, "✓ base_url http://127.0.0.1:");
    assert!(!output.stdout.contains("✗ key"), "{}", output.stdout);
}

#[test]
fn what_cannot_be_asked_is_a_matter_of_configuration() {
    let check = |clawd: Clawd, expected: &str| {
        let output = clawd.arg("doctor").run().expect_code(2);
        has(&output, expected);
    };
    check(Clawd::alone(), "✗ key no endpoint is configured");
    check(Clawd::alone().env("CLAWD_BASE_URL", "https://h.invalid/v1"), "✗ key no API key for h.invalid");
    check(Clawd::alone().home_file("config.toml", "model = 7\n"), "✗ file cannot read");
    let endpoint = Endpoint::script([]).models(["a", "b"]);
    check(Clawd::new(&endpoint).without_env("CLAWD_MODEL"), "✗ model not set");
    endpoint.finish();
}

#[test]
fn the_only_model_is_taken_where_none_is_named() {
    let endpoint = Endpoint::script([text("ready"), two_calls(), text("done")]);
    let output = doctor(&endpoint).without_env("CLAWD_MODEL").run().expect_code(0);
    has(&output, "! model not set: clawd uses the endpoint's model");
    assert_eq!(endpoint.requests()[0].body["model"], "mock-1");
    endpoint.finish();
}

#[test]
fn a_slow_endpoint_is_waited_for_until_ctrl_c() {
    let endpoint = Endpoint::script([stall()]);
    let running = doctor(&endpoint).spawn();
    endpoint.wait_for_request(1);
    running.signal(Signal::INT);
    let output = running.wait().expect_code(130);
    has(&output, "endpoint 127.0.0.1:");
    endpoint.finish();
}

#[test]
fn in_a_terminal_it_is_said_what_is_waited_for() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("ready"), two_calls().hold_head(&gate), text("done")]);
    let pty = Pty::spawn(&doctor(&endpoint), Size::new(80, 50));
    pty.wait_for("  waiting for two tool calls");
    gate.open();
    assert_eq!(pty.wait_exit().code, 0);
    let shown = pty.screen_text();
    assert!(shown.contains("✓ screen     xterm-256color, 80×50"), "{shown}");
    assert!(shown.contains("Chat works.") && !shown.contains("waiting for"), "{shown}");
    assert!(!String::from_utf8_lossy(&pty.raw_bytes()).contains('\u{1b}'), "no sequence is ever written");
    endpoint.finish();
}

#[test]
fn a_limit_of_the_user_ends_the_wait_for_an_answer() {
    let endpoint = Endpoint::script([stall()]);
    let clawd = doctor(&endpoint).home_file("config.toml", "first_byte_timeout_secs = 1\n");
    let output = clawd.run().expect_code(1);
    has(&output, "✗ answer no data from 127.0.0.1:");
    has(&output, "✓ file");
    endpoint.finish();
}

#[test]
fn files_that_cannot_be_written_and_a_log_are_told() {
    let output = Clawd::alone().env("CLAWD_HOME", "/dev/null/clawd").arg("doctor").run().expect_code(2);
    has(&output, "✗ home cannot write /dev/null/clawd");
    let endpoint = Endpoint::script([text("ready"), two_calls(), text("done")]);
    let output = doctor(&endpoint).arg("--debug").run().expect_code(0);
    has(&output, "✓ log writing to");
    endpoint.finish();
}
