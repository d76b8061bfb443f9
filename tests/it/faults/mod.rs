//! The fault matrix on the real program: one run through each fault, then a second one that goes on from it.
//!
//! What comes of a fault at the endpoint's side is held by the matrix beside the code (`src/chat/faults/`), on bare sockets and
//! case by case. Here is shown that nothing gets lost on the way out: the exit code, the one line on standard error, the `result`,
//! and a history that the strict endpoint takes again. Stopping at every place is in `stopped`, an unread output in `unread`.

mod stopped;
mod unread;

use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, body, call, calls, cut, empty, raw_sse, reset, status, text};
use crate::harness::{Clawd, Output};
use crate::headless::{calling, streaming, streaming_again};

/// One fault and what must come of it.
struct Fault {
    row: &'static str,
    what: &'static str,
    answers: Vec<Answer>,
    /// Lines for the configuration.
    config: &'static str,
    end: End,
    /// How often it is asked again.
    retries: usize,
    notices: &'static [&'static str],
    /// What the first request of the next run looks like.
    next: &'static str,
}

enum End {
    /// With this final message.
    Done(String),
    /// With these words on standard error.
    Failed(&'static [&'static str]),
}

fn done(row: &'static str, what: &'static str, answers: impl IntoIterator<Item = Answer>) -> Fault {
    let end = End::Done("Done.".to_owned());
    let answers = answers.into_iter().collect();
    Fault {
        row,
        what,
        answers,
        config: "",
        end,
        retries: 0,
        notices: &[],
        next: "system user assistant user",
    }
}

fn failed(
    row: &'static str,
    what: &'static str,
    answers: impl IntoIterator<Item = Answer>,
    words: &'static [&'static str],
) -> Fault {
    Fault { end: End::Failed(words), next: "system user", ..done(row, what, answers) }
}

impl Fault {
    fn says(self, message: &str) -> Self {
        Self { end: End::Done(message.to_owned()), ..self }
    }

    fn config(self, config: &'static str) -> Self {
        Self { config, ..self }
    }

    fn retries(self, retries: usize) -> Self {
        Self { retries, ..self }
    }

    fn notices(self, notices: &'static [&'static str]) -> Self {
        Self { notices, ..self }
    }

    fn next(self, next: &'static str) -> Self {
        Self { next, ..self }
    }
}

fn check_all(faults: impl IntoIterator<Item = Fault>) {
    faults.into_iter().for_each(check);
}

fn check(fault: Fault) {
    let name = format!("{} {}", fault.row, fault.what);
    let endpoint = Endpoint::script(fault.answers);
    let clawd = streaming(&endpoint).home_file("config.toml", fault.config).args(["--yolo", "go"]);
    let output = clawd.run();
    match &fault.end {
        End::Done(message) => check_done(&name, &output, message),
        End::Failed(words) => check_failed(&name, &output, words),
    }
    assert_eq!(output.events_of("retry").len(), fault.retries, "{name}: {output:#?}");
    let notices = output.events_of("notice");
    let notices: Vec<&str> = notices.iter().filter_map(|notice| notice["kind"].as_str()).collect();
    assert_eq!(notices, fault.notices, "{name}: {output:#?}");
    check_next(&name, &clawd, &endpoint, fault.next);
    endpoint.finish();
}

fn check_done(name: &str, output: &Output, message: &str) {
    assert_eq!(output.code, Some(0), "{name}: {output:#?}");
    let result = output.result();
    assert_eq!((&result["success"], &result["error"]), (&json!(true), &Value::Null), "{name}");
    assert!(result["final_message"] == message, "{name}: {}", result["final_message"]);
}

fn check_failed(name: &str, output: &Output, words: &[&str]) {
    assert_eq!(output.code, Some(1), "{name}: {output:#?}");
    let result = output.result();
    assert_eq!(
        (&result["success"], &result["error"]["type"]),
        (&json!(false), &json!("llm_error")),
        "{name}"
    );
    let message = result["error"]["message"].as_str().unwrap();
    assert_eq!(output.stderr.trim_end(), format!("Error: {message}"), "{name}: one line, and the same");
    assert!(
        !message.contains('\n') && message.len() <= 2048 && !message.contains("test-key"),
        "{name}: {message}"
    );
    let missing: Vec<&&str> = words.iter().filter(|word| !message.contains(**word)).collect();
    assert!(missing.is_empty(), "{name}: {missing:?} in {message}");
}

/// The session goes on, and the endpoint, which is strict, has nothing to say against its history.
fn check_next(name: &str, clawd: &Clawd, endpoint: &Endpoint, roles: &str) {
    endpoint.push(text("On it."));
    let output = streaming_again(clawd).args(["--yolo", "-c", "and on"]).run();
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{name}: {output:#?}");
    let requests = endpoint.requests();
    let last = requests.last().unwrap();
    assert_eq!(last.roles(), roles, "{name}");
    assert!(last.last_text().ends_with("and on"), "{name}");
}

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

const AFTER_TOOL: &str = "system user assistant tool assistant user";

#[test]
fn a_refusal_is_said_and_the_session_goes_on() {
    let raw = json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {
        "provider_name": "Acme", "raw": "{\"error\":{\"message\":\"no such knob\"}}"}}});
    let places = json!({"detail": [{"loc": ["body", "messages"], "msg": "field required"}]});
    check_all([
        failed(
            "L02",
            "a bad request",
            [refused(400, "temperature: at most 2")],
            &["(400): temperature: at most 2"],
        ),
        failed(
            "L02",
            "roles",
            [refused(400, "roles must alternate between user and assistant")],
            &["chat template"],
        ),
        failed(
            "L02",
            "no memory",
            [said(500, &json!({"error": "model requires more system memory (5 GiB)"}))],
            &["too little memory", "smaller model"],
        ),
        failed(
            "L03",
            "a bad key",
            [refused(401, "Incorrect API key: test-key")],
            &["refused the key (401)", "[secret]", "check the key in CLAWD_API_KEY"],
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
            &["does not know the model mock-1", "--model"],
        ),
        failed(
            "L06",
            "nothing left",
            [said(429, &json!({"error": {"message": "none", "code": "insufficient_quota"}}))],
            &["nothing left", "CLAWD_API_KEY"],
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
        failed("L05", "it does not pass", (0..3).map(|_| at_once(503)), &["cannot answer now (503)"])
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
            "mock-1 gets too many requests (429), going on with mock-2",
            "mock-2 is not known there (404), going on with mock-3",
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
    let broken = done("L15", "no reason for the end, after tools", [look, text("Half").no_finish(), last]);
    check(broken.retries(1).next(AFTER_TOOL));
}

#[test]
fn odd_bytes_in_a_stream_do_no_harm() {
    let delta = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}).to_string();
    let lines = |data: &[&str]| data.iter().map(|data| format!("data: {data}\n\n")).collect::<String>();
    let (text_delta, done_mark) = (delta("Done."), "[DONE]");
    let marked = "\u{FEFF}".to_owned() + &lines(&[&text_delta, &stop, done_mark]).replace('\n', "\r");
    check_all([
        done("L12", "CR and a mark, a byte at a time", [raw_sse(marked).dribble_bytes(1)]),
        done("L13", "a line that is no JSON", [raw_sse(lines(&["{oops", &text_delta, &stop, done_mark]))])
            .notices(&["endpoint"]),
        failed(
            "L13",
            "an error in the middle",
            [raw_sse(lines(&[&text_delta, r#"{"error":{"message":"bad words","code":400}}"#]))],
            &["(400): bad words"],
        ),
        done("L14", "no [DONE]", [raw_sse(lines(&[&text_delta, &stop]))]),
        done(
            "L16",
            "more behind [DONE]",
            [raw_sse(lines(&[&text_delta, &stop, done_mark, &delta("late"), &stop]))],
        ),
        done(
            "L26",
            "half a character, zero, a byte that is none",
            [raw_sse(
                [
                    lines(&[r#"{"choices":[{"delta":{"content":"a\ud83d\u0000"}}]}"#, &delta("x")])
                        .as_bytes(),
                    b"data: {\"choices\":[{\"delta\":{\"content\":\"\xFF\"}}]}\n\n",
                    lines(&[&stop]).as_bytes(),
                ]
                .concat(),
            )],
        )
        .says("a\u{FFFD}\u{0}x\u{FFFD}"),
        done(
            "L27",
            "counts that are none",
            [text("Done.")
                .usage(json!({"prompt_tokens": -1, "completion_tokens": "many", "total_tokens": 1e300}))],
        ),
        done("L28", "one object in the place of a stream", [text("Done.").in_json()]),
        failed(
            "L09",
            "a page that says it is a stream",
            [raw_sse("<html><title>Welcome</title>")],
            &["a web page: Welcome", "/v1"],
        ),
        failed(
            "L09",
            "an error in a good answer",
            [body("application/json", "{\"error\":{\"message\":\"who\",\"code\":401}}")],
            &["check the key in CLAWD_API_KEY"],
        ),
    ]);
}

#[test]
fn odd_calls_get_an_answer_each() {
    let write = |arguments: &str| calls([call("Write", json!({})).raw_arguments(arguments)]);
    let tried = |row: &'static str, what: &'static str, answer: Answer| {
        done(row, what, [answer, text("Done.")]).next(AFTER_TOOL)
    };
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    check_all([
        tried("L18", "no JSON", write("{oops")),
        tried("L18", "half an object", write(r#"{"file_path":"a.rs","content":"fn ma"#)),
        tried("L18", "not a number", write(r#"{"file_path":NaN}"#)),
        tried("L18", "a text in a text", write(r#""{\"file_path\":1}""#)),
        tried("L18", "half a character", write(r#"{"file_path":"\ud83d","content":""}"#)),
        tried("L18", "zero", write(r#"{"file_path":"a\u0000b","content":""}"#)),
        tried("L18", "ten thousand deep", write(&deep)),
        tried(
            "L18",
            "a key twice",
            calls([call("Glob", json!({})).raw_arguments(r#"{"pattern":"a","pattern":"b"}"#)]),
        ),
        tried("L17", "no id and no name", calls([call("", json!({})).no_id().whole()])),
        tried(
            "L19",
            "another case, and the reason is stop",
            calling("glob", json!({"pattern": "*"})).finish("stop"),
        ),
        tried("L24", "cut in a call", write(r#"{"file_path":"a.rs","content":"fn ma"#).finish("length")),
    ]);
}

#[test]
fn too_many_calls_are_all_answered() {
    let many = (0..1000).map(|number| call("Glob", json!({"pattern": format!("{number}.txt")})).whole());
    let endpoint = Endpoint::script([calls(many), text("Done.")]);
    let clawd = streaming(&endpoint).args(["--yolo", "go"]);
    let output = clawd.run().expect_code(0);
    let results = output.events_of("tool_result");
    let ran = results.iter().filter(|result| result["success"] == true).count();
    assert_eq!((results.len(), ran), (1000, 64));
    assert_eq!(endpoint.requests()[1].messages().len(), 1003);
    endpoint.finish();
}

#[test]
fn answers_that_say_nothing_or_too_much() {
    let much = "x".repeat(1 << 20);
    check_all([
        failed("L25", "nothing, thrice", [empty(), empty(), empty()], &["an empty answer three times"])
            .retries(2),
        failed("L23", "a filter", [text("I can").finish("content_filter")], &["the model refused"])
            .next("system user assistant user"),
        failed(
            "L23",
            "a filter's error",
            [said(400, &json!({"error": {"message": "m", "code": "content_filter"}}))],
            &["a content filter"],
        ),
        done("L24", "cut in the text", [text("Done.").finish("length")]).notices(&["cut_off"]),
        done("L21", "a megabyte", [text(&much)]).says(&much),
    ]);
}
