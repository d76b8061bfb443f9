//! An endpoint that fails: what is asked again, how often, and what is said when it is not.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{check_error, run};
use crate::endpoint::{Answer, Endpoint, body, call, cut, raw_sse, reset, status, text, thinking};
use crate::harness::{Clawd, Output};
use crate::headless::{calling, expect_one_line, streaming, streaming_again, the};

/// A failure that says that one may ask again at once, so that a test need not wait.
fn at_once(code: u16) -> Answer {
    status(code).header("retry-after-ms", "1")
}

fn check_retried(failure: Answer, discard: bool) -> Output {
    let (output, endpoint) = run([failure, text("Done.")], 0);
    let retry = the(&output, "retry");
    assert_eq!((&retry["attempt"], &retry["discard"]), (&json!(1), &json!(discard)), "{output:#?}");
    assert!(retry["delay_ms"].is_u64() && !retry["error"].as_str().unwrap().is_empty(), "{retry}");
    assert_eq!(output.result()["final_message"], "Done.");
    assert_eq!(output.result()["metadata"]["turns_count"], 1, "a retry is no turn");
    assert!(endpoint.requests()[0].raw == endpoint.requests()[1].raw, "the same request");
    endpoint.finish();
    output
}

#[test]
fn a_passing_failure_is_asked_again() {
    for code in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        check_retried(at_once(code), false);
    }
    check_retried(cut(), false);
    check_retried(reset(), false);
}

#[test]
fn several_failures_in_a_row_are_survived() {
    let (output, endpoint) = run([at_once(500), at_once(500), at_once(503), text("Done.")], 0);
    let attempts: Vec<u64> =
        output.events_of("retry").iter().map(|retry| retry["attempt"].as_u64().unwrap()).collect();
    assert_eq!(attempts, [1, 2, 3]);
    endpoint.finish();
}

#[test]
fn the_number_of_tries_is_the_configured_one() {
    let endpoint = Endpoint::script((0..3).map(|_| at_once(500)));
    let clawd = streaming(&endpoint).home_file("config.toml", "max_retries = 2\n").arg("go");
    check_error(&clawd.run().expect_code(1), "llm_error");
    endpoint.finish();
}

#[test]
fn retry_after_is_obeyed() {
    let begun = Instant::now();
    let output = check_retried(status(429).header("retry-after", "1"), false);
    assert_eq!(the(&output, "retry")["delay_ms"], 1000);
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_wait_of_more_than_a_minute_ends_the_run_and_is_said() {
    let (output, endpoint) = run([status(429).header("retry-after", "3600")], 1);
    check_error(&output, "llm_error");
    let message = output.result()["error"]["message"].as_str().unwrap().to_owned();
    assert!(["1 h", "60 m", "3600", "hour"].iter().any(|when| message.contains(when)), "{message}");
    endpoint.finish();
}

#[test]
fn what_will_not_pass_is_said_at_once_with_how_to_mend_it() {
    let host = "127.0.0.1:";
    let checks = [
        (400, host),
        (401, "(check the key in CLAWD_API_KEY)"),
        (403, "(check the key"),
        (404, "--model"),
        (422, host),
    ];
    for (code, remedy) in checks {
        let (output, endpoint) = run([status(code)], 1);
        check_error(&output, "llm_error");
        expect_one_line(&output, &[&code.to_string(), remedy, &format!("scripted {code}")]);
        assert_eq!(output.events_of("retry").len(), 0);
        endpoint.finish();
    }
}

#[test]
fn what_the_endpoint_says_is_passed_on() {
    let refused =
        status(400).body("application/json", &json!({"error": {"message": "no\nsuch knob"}}).to_string());
    let (output, endpoint) = run([refused], 1);
    expect_one_line(&output, &["no", "such knob"]);
    endpoint.finish();
}

#[test]
fn a_broken_stream_is_asked_again_and_only_the_whole_answer_is_kept() {
    for broken in [
        text("Half of ").text("it").cut(),
        text("Half of ").text("it").reset(),
        text("Half of ").text("it").no_finish().no_done(),
        thinking("hm").text("Half of ").cut_after(400),
    ] {
        let endpoint = Endpoint::script([broken, text("The whole."), text("And on.")]);
        let clawd = streaming(&endpoint).arg("go");
        let output = clawd.run().expect_code(0);
        assert_eq!(the(&output, "retry")["discard"], true);
        assert_eq!(the(&output, "message")["message"]["content"], "The whole.");
        assert_eq!(output.result()["final_message"], "The whole.");
        streaming_again(&clawd).args(["-c", "on"]).run().expect_code(0);
        assert!(!String::from_utf8_lossy(&endpoint.requests()[2].raw).contains("Half"));
        endpoint.finish();
    }
}

#[test]
fn a_stream_that_keeps_breaking_is_asked_for_three_times() {
    let broken = || text("Half").cut();
    let (output, endpoint) = run([broken(), broken(), broken()], 1);
    assert_eq!(output.events_of("retry").len(), 2);
    check_error(&output, "llm_error");
    assert_eq!(output.events_of("message").len(), 0, "nothing of it is kept");
    endpoint.finish();
}

#[test]
fn no_call_of_a_broken_stream_runs() {
    let touch = |name: &str| calling("Bash", json!({"command": format!("touch {name}")}));
    let endpoint = Endpoint::script([touch("broken").cut(), touch("whole"), text("Done.")]);
    let clawd = streaming(&endpoint).args(["--yolo", "go"]);
    let output = clawd.run().expect_code(0);
    assert!(!clawd.project().join("broken").exists() && clawd.project().join("whole").exists());
    assert_eq!(the(&output, "retry")["discard"], false, "nothing of it was shown");
    endpoint.finish();
}

#[test]
fn an_error_object_in_the_middle_of_a_stream_is_a_failure() {
    let error = |code: u16, message: &str| {
        format!("data: {}\n\n", json!({"error": {"message": message, "code": code}}))
    };
    check_retried(text("Half").raw(&error(503, "overloaded")), true);
    let (output, endpoint) = run([raw_sse(error(400, "bad words"))], 1);
    check_error(&output, "llm_error");
    expect_one_line(&output, &["bad words"]);
    endpoint.finish();
}

#[test]
fn a_web_page_is_no_answer_and_the_address_is_doubted() {
    let page = body("text/html", "<!doctype html><html><title>Welcome</title><p>hi</html>");
    let (output, endpoint) = run([page], 1);
    check_error(&output, "llm_error");
    expect_one_line(&output, &["a web page", "/v1"]);
    assert!(!output.stderr.contains("<p>"), "{output:#?}");
    endpoint.finish();
    check_retried(at_once(502).body("text/html", "<h1>Bad Gateway</h1>"), false);
}

#[test]
fn an_answer_that_is_no_answer_fails_in_one_line() {
    for odd in ["{}", "[]", "", "null", "{\"choices\":[]}", "not json"] {
        let (output, endpoint) = run([body("application/json", odd)].into_iter().cycle().take(6), 1);
        check_error(&output, "llm_error");
        drop(endpoint); // some of these may be asked again
    }
}

#[test]
fn a_refused_connection_is_said_within_a_second_and_asked_again_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let begun = Instant::now();
    let clawd = Clawd::alone()
        .env("CLAWD_BASE_URL", &format!("http://{address}/v1"))
        .env("CLAWD_MODEL", "m")
        .args(["-p", "--output-format", "stream-json", "go"])
        .spawn();
    let retry = clawd.wait_for_event("retry");
    // generous for a loaded machine; with a backoff of many tries it would be half a minute
    assert!(begun.elapsed() < Duration::from_secs(5), "said at once");
    assert!(retry["error"].as_str().unwrap().contains("refused"), "{retry}");
    let output = clawd.wait().expect_code(1);
    assert_eq!(output.events_of("retry").len(), 1);
    check_error(&output, "llm_error");
    expect_one_line(&output, &["refused", &address.to_string()]);
}

#[test]
fn an_unknown_model_is_said_with_how_to_name_another() {
    let error = json!({"error": {"message": "The model `mock-1` does not exist", "code": "model_not_found"}});
    let (output, endpoint) = run([status(404).body("application/json", &error.to_string())], 1);
    expect_one_line(&output, &["mock-1", "--model"]);
    endpoint.finish();
}

#[test]
fn a_failure_after_tools_keeps_what_they_gave() {
    let looked = crate::endpoint::calls([call("Bash", json!({"command": "echo found"}))]);
    let endpoint = Endpoint::script([looked, status(400), text("Done.")]);
    let clawd = streaming(&endpoint).args(["--yolo", "go"]);
    clawd.run().expect_code(1);
    streaming_again(&clawd).args(["-c", "and now?"]).run().expect_code(0);
    let third = &endpoint.requests()[2];
    assert_eq!(third.roles(), "system user assistant tool user");
    assert!(third.tool_result("call_1").contains("found"));
    endpoint.finish();
}

#[test]
fn a_prompt_that_failed_stays_and_is_joined_with_the_next() {
    let endpoint = Endpoint::script([status(400), text("Done.")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(1);
    streaming_again(&clawd).args(["-c", "second"]).run().expect_code(0);
    assert_eq!(endpoint.requests()[1].roles(), "system user");
    assert_eq!(endpoint.requests()[1].last_text(), "first\n\nsecond");
    endpoint.finish();
}

#[test]
fn a_refusal_by_the_model_fails_the_run_at_once() {
    let (output, endpoint) = run([text("I cannot").finish("content_filter")], 1);
    check_error(&output, "llm_error");
    assert!(output.stderr.contains("refused"), "{output:#?}");
    endpoint.finish();
}
