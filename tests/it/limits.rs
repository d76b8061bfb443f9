//! `--timeout`, `--max-cost` and `--max-tokens`: a headless run ends at its limit with exit code 3, wherever it is, and says which
//! limit it was.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bad_input::check_usage;
use crate::endpoint::{Answer, Endpoint, call, calls, empty, stall, status, text};
use crate::harness::{Clawd, Output};
use crate::headless::{calling, expect_one_line, streaming, streaming_again, the};

/// Ends by `--timeout`, `seconds` after its start: the result comes last and says so.
fn check_timeout(clawd: &Clawd, seconds: &str) -> Output {
    let begun = Instant::now();
    let output = clawd.clone().args(["--timeout", seconds]).run().expect_code(3);
    let limit = Duration::from_secs_f64(seconds.parse().unwrap());
    assert!(begun.elapsed() >= limit, "after {:?}", begun.elapsed());
    let message = format!("time limit reached after {seconds} s (try a larger --timeout)");
    assert_eq!(output.result()["error"], json!({"type": "timeout", "message": message}), "{output:#?}");
    assert_eq!(output.events().last().unwrap()["type"], "result");
    assert_eq!(output.stderr.lines().last(), Some(format!("Error: {message}").as_str()));
    output
}

#[test]
fn a_time_limit_ends_a_run_that_waits_for_the_endpoint() {
    let waits: [&dyn Fn() -> Endpoint; 3] =
        [&|| Endpoint::script([stall()]), &|| Endpoint::script([text("Half of ").stall()]), &|| {
            Endpoint::script([]).then_forever(status(503).header("retry-after", "20"))
        }];
    for wait in waits {
        let endpoint = wait();
        check_timeout(&streaming(&endpoint).arg("go"), "1.5");
    }
}

#[test]
fn a_time_limit_counts_the_search_for_a_model_and_a_connection() {
    // it is listened to and not accepted
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let clawd = streaming_again(&Clawd::alone().env("CLAWD_BASE_URL", &url));
    check_timeout(&clawd.clone().arg("go"), "1");
    check_timeout(&clawd.args(["-m", "m", "go"]), "1");
}

#[test]
fn a_time_limit_counts_the_wait_for_standard_input() {
    let endpoint = Endpoint::script([]);
    let mut running = streaming(&endpoint).args(["--timeout", "1", "why?"]).open_stdin().spawn();
    running.write_stdin("one ");
    let output = running.wait().expect_code(3);
    assert_eq!(output.result()["error"]["type"], "timeout");
    assert_eq!(output.result()["metadata"]["tool_calls"], json!([]));
    let silent = Clawd::new(&endpoint).args(["-p", "--timeout", "1"]).open_stdin().spawn();
    expect_one_line(
        &silent.wait().expect_code(3),
        &["Error: time limit reached after 1 s (try a larger --timeout)"],
    );
    endpoint.finish();
}

#[test]
fn a_time_limit_ends_commands_and_every_call_is_answered() {
    let endpoint = Endpoint::script([calls([
        call("Bash", json!({"command": "sleep 600 & echo $! >pid; wait"})),
        call("Bash", json!({"command": "echo never"})),
        call("Read", json!({"file_path": "pid"})),
    ])]);
    let clawd = streaming(&endpoint).args(["--yolo", "go"]);
    // long enough for a busy machine to start the command
    let output = check_timeout(&clawd, "10");
    let results = output.events_of("tool_result");
    assert_eq!(results.len(), 3, "{output:#?}");
    assert_eq!(output.result()["metadata"]["tool_calls"].as_array().unwrap().len(), 3);
    assert!(
        output.result()["metadata"]["tool_calls"]
            .as_array()
            .unwrap()
            .iter()
            .all(|call| call["success"] == false)
    );
    let pid = clawd.read("pid");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z ")), "the command is gone");
    endpoint.push(text("On it."));
    streaming_again(&clawd).args(["-c", "go on"]).run().expect_code(0);
    assert_eq!(endpoint.requests().last().unwrap().roles(), "system user assistant tool tool tool user");
    endpoint.finish();
}

#[test]
fn a_run_within_its_limits_is_what_it_would_be_without() {
    let endpoint = Endpoint::script([text("ok").usage(used(40, 10))]);
    let limits = ["--timeout", "600", "--max-tokens", "50", "--max-cost", "100"];
    let output = streaming(&endpoint).args(limits).arg("go").run().expect_code(0);
    assert_eq!(output.result()["success"], true, "what would follow counts, and nothing did");
    endpoint.finish();
}

fn used(prompt: u64, completion: u64) -> Value {
    json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
}

/// An answer that calls a tool and uses 11,000 tokens.
fn reading() -> Answer {
    calling("Read", json!({"file_path": "a.txt"})).usage(used(10_000, 1_000))
}

const PRICES: &str =
    "max_cost = 1000.0\nmax_tokens = 1000000000\n[prices.mock-1]\ninput = 100.0\noutput = 200.0\n";

#[test]
fn a_budget_of_the_command_line_is_above_the_files_and_ends_the_run() {
    for (limit, value, reached, requests) in [
        ("--max-cost", "1.25", "$2.40 of $1.25", 2),
        ("--max-cost", "0.001", "$1.20 of $0.0010", 1),
        ("--max-tokens", "30000", "33k of 30k tokens", 3),
    ] {
        let endpoint = Endpoint::script((0..requests).map(|_| reading()));
        let clawd = streaming(&endpoint).file("a.txt", "x").home_file("config.toml", PRICES);
        let output = clawd.args([limit, value, "go"]).run().expect_code(3);
        let error = output.result()["error"].clone();
        let message = format!(
            "budget reached: {reached} used (try a higher max_cost or max_tokens, by option or in config.toml)"
        );
        assert_eq!(error, json!({"type": "max_turns_exceeded", "message": message}));
        expect_one_line(&output, &[&message]);
        assert_eq!(output.result()["metadata"]["turns_count"], requests);
        endpoint.finish();
    }
}

#[test]
fn a_budget_of_money_that_cannot_be_enforced_is_an_error_if_the_option_asks_for_it() {
    let clawd = streaming_again(&Clawd::alone().env("CLAWD_API_KEY", "k"));
    let clawd = clawd.args(["--base-url", "https://x.invalid/v1", "-m", "odd", "--max-cost", "1", "go"]);
    let output = clawd.run().expect_code(2);
    expect_one_line(
        &output,
        &["Error: max_cost has no effect: no price is known for odd (try adding [prices.\"odd\"]"],
    );
    assert_eq!(output.result()["error"]["type"], "initialization_failed");
}

#[test]
fn a_limit_is_above_zero_and_for_headless_runs_alone() {
    for (option, bad) in [
        ("--timeout", &["0", "-1", "abc", "5s", "inf", "nan", "1e400", "", "1e30"][..]),
        ("--max-cost", &["0", "-0.5", "$5", "5,00", "NaN", "infinity", ""]),
        ("--max-tokens", &["0", "-1", "1.5", "2M", "99999999999999999999", ""]),
    ] {
        for value in bad {
            check_usage(&["-p", option, value, "x"], &[option, " above 0 (try "]);
        }
        check_usage(&["-p", "x", option], &[option, "needs a value"]);
        check_usage(&[option, "5", "x"], &[option, "requires `--print`", "try adding `-p`"]);
        check_usage(&[option, "5", "doctor"], &[option, "requires `--print`"]);
    }
}

#[test]
fn a_budget_counts_empty_answers_before_they_are_asked_for_again() {
    let endpoint = Endpoint::script([empty().usage(used(900, 200))]);
    let output = streaming(&endpoint).args(["--max-tokens", "1000", "go"]).run().expect_code(3);
    let error = output.result()["error"].clone();
    assert_eq!(error["type"], "max_turns_exceeded");
    assert!(
        error["message"].as_str().unwrap().starts_with("budget reached: 1.1k of 1k tokens used"),
        "{error}"
    );
    assert_eq!(output.events_of("retry").len(), 0);
    endpoint.finish();
}

#[test]
fn a_token_budget_without_usage_is_reported_once() {
    let look = || calling("Glob", json!({"pattern": "*"})).no_usage();
    let endpoint = Endpoint::script([look(), look(), text("Done.").no_usage()]);
    let output = streaming(&endpoint).args(["--max-tokens", "10", "go"]).run().expect_code(0);
    let notices = output.events_of("notice");
    assert_eq!(notices.len(), 1, "{notices:?}");
    let told = notices[0]["text"].as_str().unwrap();
    assert!(told.starts_with("cannot enforce max_tokens: the endpoint does not report the usage"), "{told}");
    expect_one_line(&output, &[told]);
    endpoint.finish();
    // nothing to enforce
    let endpoint = Endpoint::script([text("Done.").no_usage()]);
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    assert_eq!(output.events_of("notice").len(), 0);
    endpoint.finish();
}

#[test]
fn at_the_turn_limit_no_notice_says_that_the_model_was_asked_again() {
    for (turns, told) in [("1", "doing it"), ("2", "asked it to")] {
        let second = (turns == "2").then(|| text("Done."));
        let endpoint = Endpoint::script([text("Let me check the file.")].into_iter().chain(second));
        let code = if turns == "1" { 3 } else { 0 };
        let output = streaming(&endpoint).args(["--max-turns", turns, "go"]).run().expect_code(code);
        let text = the(&output, "notice")["text"].as_str().unwrap().to_owned();
        assert!(text.ends_with(told), "{text}");
        endpoint.finish();
    }
}
