//! Endpoints that refuse, are busy, or break off in the middle of an answer.

use serde_json::{Value, json};

use super::{AFTER_TOOL, check, check_all, check_next, done, failed};
use crate::endpoint::{Answer, Endpoint, call, calls, cut, reset, status, text};
use crate::headless::{calling, streaming};

/// One may ask again at once.
fn at_once(code: u16) -> Answer {
    status(code).header("retry-after-ms", "1")
}

fn said(code: u16, json: &Value) -> Answer {
    status(code).body("application/json", &json.to_string())
}

fn refused(code: u16, message: &str) -> Answer {
    said(code, &json!({"error": {"message": message}}))
}

/// A call that runs, and the answer behind it.
fn looking() -> [Answer; 2] {
    [calling("Glob", json!({"pattern": "*"})), text("Done.")]
}

#[test]
fn a_refusal_is_said_and_the_session_goes_on() {
    check_all([
        failed(
            "L02",
            "a bad request",
            [refused(400, "temperature: at most 2")],
            &["(400): temperature: at most 2"],
        ),
        failed(
            "L02",
            "an image",
            [refused(400, "messages.1.content.0: image exceeds 5 MB maximum: 6 > 5")],
            &["a smaller one"],
        ),
        failed(
            "L02",
            "no memory",
            [said(500, &json!({"error": "model requires more system memory (5 GiB)"}))],
            &["not enough memory", "smaller model"],
        ),
        failed(
            "L03",
            "a bad key",
            [refused(401, "Incorrect API key: test-key")],
            &["rejected the API key (401)", "[redacted key]", "check the key in CLAWD_API_KEY"],
        ),
        failed(
            "L03",
            "a firewall",
            [status(403).body("text/html", "<title>Just a moment...</title>")],
            &["(403): Just a moment..."],
        ),
        failed(
            "L04",
            "no such model",
            [said(404, &json!({"error": "model 'mock-1' not found"}))],
            &["unknown model mock-1", "--model"],
        ),
        failed(
            "L06",
            "quota exhausted",
            [said(429, &json!({"error": {"message": "none", "code": "insufficient_quota"}}))],
            &["quota exhausted", "CLAWD_API_KEY"],
        ),
    ]);
}

#[test]
fn a_refusal_in_a_shape_of_its_own_is_said_too() {
    let raw = json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {
        "provider_name": "Acme", "raw": "{\"error\":{\"message\":\"no such knob\"}}"}}});
    let places = json!({"detail": [{"loc": ["body", "messages"], "msg": "field required"}]});
    check_all([
        failed(
            "L23",
            "a filter's error",
            [said(400, &json!({"error": {"message": "m", "code": "content_filter"}}))],
            &["the content filter"],
        ),
        failed("L08", "what the provider said", [said(400, &raw)], &["Acme: no such knob"]),
        failed("L08", "with places", [said(422, &places)], &["body.messages: field required"]),
        failed(
            "L09",
            "sent elsewhere",
            [status(301).header("location", "https://x.example/v1")],
            &["https://x.example/v1", "base_url"],
        ),
        failed(
            "L22",
            "an overflow",
            [refused(400, "prompt is too long: 9 > 8")],
            &["the conversation is too long for mock-1"],
        ),
    ]);
}

#[test]
fn what_may_pass_is_asked_again() {
    let date = |value: &str| {
        status(429).header("date", "Sun, 06 Nov 1994 08:49:37 GMT").header("retry-after", value)
    };
    check_all([
        done("L05", "a 500 and a 529", [at_once(500), at_once(529), text("Done.")]).retries(2),
        done(
            "L05",
            "a model on its way",
            [refused(503, "Loading model").header("retry-after", "0"), text("Done.")],
        )
        .retries(1),
        failed("L05", "it does not pass", (0..3).map(|_| at_once(503)), &["is unavailable (503)"])
            .config("max_retries = 2\n")
            .retries(2),
        done(
            "L06",
            "tokens in a minute",
            [refused(429, "on tokens per min: context length. Try again in 1ms"), text("Done.")],
        )
        .retries(1),
        done("L07", "a date that is past", [date("Sun, 06 Nov 1994 08:00:00 GMT"), text("Done.")]).retries(1),
        failed(
            "L07",
            "a date far away",
            [date("Sun, 06 Nov 1994 10:54:37 GMT")],
            &["(429)", "again in 2 h 5 m"],
        ),
        failed(
            "L07",
            "long, in words",
            [refused(429, "Please try again in 9m38.016s.")],
            &["again in 9 m 38 s"],
        ),
        done(
            "L08",
            "a gateway's page",
            [at_once(502).body("text/html", "<h1>Bad Gateway</h1>"), text("Done.")],
        )
        .retries(1),
        done("L10", "no answer, then a reset one", [cut(), text("Done.")]).retries(1),
    ]);
}

#[test]
fn another_model_takes_over_and_stays_for_the_run() {
    let endpoint = Endpoint::script([
        at_once(429),
        status(404),
        calling("Glob", json!({"pattern": "*"})),
        text("Done."),
    ]);
    let config = "max_retries = 0\nfallback_models = [\"mock-2\", \"mock-3\"]\n";
    let clawd = streaming(&endpoint).home_file("config.toml", config).args(["--yolo", "go"]);
    let output = clawd.run().expect_code(0);
    let notices = output.events_of("notice");
    let texts: Vec<&str> = notices.iter().map(|notice| notice["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "mock-1 is rate-limited (429); switching to mock-2",
            "mock-2 is not available (404); switching to mock-3",
        ]
    );
    assert!(notices.iter().all(|notice| notice["kind"] == "fallback"));
    let models: Vec<Value> =
        endpoint.requests().iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, ["mock-1", "mock-2", "mock-3", "mock-3"]);
    check_next("L05 another model", &clawd, &endpoint, AFTER_TOOL);
    endpoint.finish();
}

#[test]
fn of_a_call_that_broke_nothing_is_left() {
    let half_call =
        calls([call("Write", json!({"file_path": "half.rs", "content": "fn main() {"}))]).cut_after(400);
    check(done("L10", "reset, and cut in a call", [reset(), half_call, text("Done.")]).retries(2));
}

#[test]
fn of_an_answer_that_fell_silent_nothing_is_left() {
    let silent = done("L11", "silence in the text", [text("Half").stall(), text("Done.")]);
    check(silent.config("request_timeout_secs = 1\n").retries(1));
}

#[test]
fn of_an_answer_without_an_end_nothing_is_left() {
    let [look, last] = looking();
    let broken =
        done("L15", "no reason for the end, after tools", [look, text("Half").no_finish().no_done(), last]);
    check(broken.retries(1).next(AFTER_TOOL));
}
