//! What an endpoint may lack, what the user is told of it in whose place, and what still works.
//!
//! A row of the table is a test, and the words are exact: they are what the manual promises. Which refusals are understood is
//! held in `dialects` and in the program's own tests; here each lack stands once, as a user meets it. The surprise: most
//! rows end with code 0, for an endpoint that can do less is no failure.

use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, Request, call, calls, status, text};
use crate::harness::Output;
use crate::headless::{calling, expect_one_line, streaming, the};
use crate::screen::{chat, count_rows, leave, say, wait_for_rest};

/// The window of a server that was started without a thought about it.
const SMALL: u64 = 4_096;

/// What is said of calls that were written as text.
const WRITTEN: &str = "the model wrote its calls as text; they are run as calls, and each requires approval unless everything is allowed \
     (text_calls = \"off\" ignores them)";

/// A refusal in the usual shape.
fn refused(code: u16, message: &str) -> Answer {
    let error = json!({"error": {"message": message, "type": "invalid_request_error"}});
    status(code).body("application/json", &error.to_string())
}

/// A list of this one model.
fn list(model: &Value) -> Answer {
    status(200).body("application/json", &json!({"data": [model]}).to_string())
}

/// An answer that says its call in words.
fn call_in_words(name: &str, arguments: &Value) -> Answer {
    text(&format!("<tool_call>\n{}\n</tool_call>", json!({"name": name, "arguments": arguments})))
}

fn reading() -> Answer {
    calling("Read", json!({"file_path": "a.txt"}))
}

/// A run to its good end with these options, in a project that has a file.
fn run(
    answers: impl IntoIterator<Item = Answer>,
    config: &str,
    args: &[&str],
) -> (Output, Vec<Request>, Vec<String>) {
    let endpoint = Endpoint::script(answers);
    let clawd = streaming(&endpoint).home_file("config.toml", config).file("a.txt", "hello\n");
    let output = clawd.args(args.iter().copied()).arg("go").run().expect_code(0);
    assert_eq!(output.result()["final_message"], "Done.", "{output:#?}");
    let (requests, said) = (endpoint.requests(), notices(&output, &endpoint));
    let lines: Vec<String> = output.stderr.lines().map(|line| nameless(line, &endpoint)).collect();
    assert_eq!(lines, said, "a person reads the same; {output:#?}");
    endpoint.finish();
    (output, requests, said)
}

/// What is told beside the answer, with `HOST` for the endpoint.
fn notices(output: &Output, endpoint: &Endpoint) -> Vec<String> {
    let notices = output.events_of("notice");
    notices.iter().map(|notice| nameless(notice["text"].as_str().unwrap(), endpoint)).collect()
}

fn nameless(words: &str, endpoint: &Endpoint) -> String {
    let base = endpoint.base_url();
    let host = base.trim_start_matches("http://").trim_end_matches("/v1");
    words.replace(host, "HOST")
}

/// Says something and waits for its answer.
fn talk(pty: &crate::pty::Pty, words: &str, answer: &str) {
    say(pty, words);
    pty.wait_for(answer);
    wait_for_rest(pty);
}

/// All rows as one line, so that a sentence is found wherever it was broken.
fn in_one_line(pty: &crate::pty::Pty) -> String {
    pty.history().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn without_tools_it_answers_and_says_that_it_can_do_nothing_else() {
    let endpoint = Endpoint::script([refused(400, "mock-1 does not support tools"), text("Done.")]);
    endpoint.allow_break();
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    assert_eq!(output.result()["final_message"], "Done.");
    assert_eq!(
        notices(&output, &endpoint),
        [
            "mock-1 on HOST does not support tool calls: it can chat but cannot read or edit files or run commands \
          (the server says: mock-1 does not support tools)"
        ]
    );
    assert_eq!(output.events_of("retry").len(), 0);
    endpoint.finish();
}

#[test]
fn without_tools_the_next_prompt_asks_without_them_at_once_and_is_told_nothing_again() {
    let endpoint = Endpoint::script([
        refused(400, "mock-1 does not support tools"),
        text("The first answer."),
        text("The second answer."),
    ]);
    endpoint.allow_break();
    let pty = chat(&endpoint);
    talk(&pty, "one", "The first answer.");
    talk(&pty, "two", "The second answer.");
    let offered: Vec<bool> =
        endpoint.requests().iter().map(|request| request.body.get("tools").is_some()).collect();
    assert_eq!(offered, [true, false, false]);
    let shown = in_one_line(&pty);
    assert!(shown.contains("it can chat but cannot read or edit files or run commands"), "{shown}");
    assert_eq!(count_rows(&pty, "does not support tool calls"), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn without_streaming_each_answer_comes_in_one_piece_and_tools_work() {
    let answers =
        [refused(400, "stream: true is not supported, set stream to false"), reading(), text("Done.")];
    let (output, requests, said) = run(answers, "", &[]);
    assert_eq!(said, ["HOST does not stream mock-1: each answer is shown when it is complete"]);
    let asked: Vec<&Value> = requests.iter().map(|request| &request.body["stream"]).collect();
    assert_eq!(asked, [&json!(true), &json!(false), &json!(false)]);
    assert_eq!(the(&output, "text_delta")["text"], "Done.");
    assert_eq!(the(&output, "tool_result")["success"], true);
}

#[test]
fn counts_that_are_refused_and_do_not_come_are_unknown_and_said_so_once() {
    let answers =
        [refused(400, "unknown field stream_options"), reading().no_usage(), text("Done.").no_usage()];
    let (output, requests, said) = run(answers, "", &[]);
    assert_eq!(said, ["HOST reports no token usage for mock-1: usage and context size are unknown"]);
    assert!(requests[1..].iter().all(|request| request.body.get("stream_options").is_none()));
    let metadata = &output.result()["metadata"];
    assert_eq!((&metadata["usage"]["total_tokens"], &metadata["context_tokens"]), (&json!(0), &json!(0)));
}

#[test]
fn counts_that_just_do_not_come_are_unknown() {
    let (output, _, said) = run([reading().no_usage(), text("Done.").no_usage()], "", &[]);
    assert_eq!(said, [""; 0]);
    let metadata = &output.result()["metadata"];
    assert_eq!((&metadata["usage"]["total_tokens"], &metadata["context_tokens"]), (&json!(0), &json!(0)));
}

#[test]
fn without_counts_the_screen_shows_none_in_the_place_of_wrong_ones() {
    let endpoint =
        Endpoint::script([text("The first answer.").no_usage(), text("The second answer.").no_usage()])
            .serves("GET /v1/models", list(&json!({"id": "mock-1", "max_model_len": 32_768})));
    let pty = chat(&endpoint);
    talk(&pty, "one", "The first answer.");
    talk(&pty, "two", "The second answer.");
    let shown = pty.screen_text();
    assert!(
        !shown.contains("tokens") && !shown.contains("in context") && !shown.contains(" % of"),
        "{shown}"
    );
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_small_window_is_said_behind_the_first_answer_with_how_to_make_it_larger() {
    let endpoint = Endpoint::script([text("The first answer."), text("The second answer.")])
        .serves("GET /v1/models", list(&json!({"id": "mock-1", "owned_by": "vllm", "max_model_len": SMALL})));
    let pty = chat(&endpoint);
    talk(&pty, "one", "The first answer.");
    pty.wait_for("tool use needs at least 8k");
    let told = "mock-1's context window is 4k tokens; tool use needs at least 8k (start vLLM with \
                --max-model-len 32768)";
    let shown = in_one_line(&pty);
    assert!(shown.contains(told), "{shown}");
    talk(&pty, "two", "The second answer.");
    assert_eq!(count_rows(&pty, "tool use needs at least 8k"), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_conversation_longer_than_the_window_ends_the_run_with_one_line() {
    let words = "This model's maximum context length is 4096 tokens. However, you requested 9021 tokens.";
    let endpoint = Endpoint::script([refused(400, words)]);
    let output = streaming(&endpoint).arg("go").run().expect_code(1);
    expect_one_line(&output, &[]);
    assert_eq!(
        output.stderr.trim_end(),
        format!(
            "Error: the conversation is too long for mock-1 (400): {words} (try a shorter message, a new \
             session, or a model with a larger context window)"
        )
    );
    assert_eq!(output.result()["error"]["type"], "llm_error");
    assert_eq!(endpoint.requests().len(), 1, "it is not asked again");
    endpoint.finish();
}

#[test]
fn one_call_an_answer_is_enough_and_nothing_is_said() {
    let (output, requests, said) = run([reading(), reading(), reading(), text("Done.")], "", &[]);
    assert_eq!(said, [""; 0]);
    assert_eq!(output.result()["metadata"]["tool_calls_count"], 3);
    assert!(output.events_of("tool_result").iter().all(|result| result["success"] == true));
    assert!(requests.iter().all(|request| request.body.get("parallel_tool_calls").is_none()));
}

#[test]
fn calls_in_words_stay_words_where_the_user_says_so() {
    let endpoint = Endpoint::script([call_in_words("Bash", &json!({"command": "touch made.txt"}))]);
    let clawd =
        streaming(&endpoint).home_file("config.toml", "text_calls = \"off\"\n").args(["--yolo", "go"]);
    let output = clawd.run().expect_code(0);
    assert!(!clawd.project().join("made.txt").exists());
    assert!(output.result()["final_message"].as_str().unwrap().starts_with("<tool_call>"), "{output:#?}");
    assert_eq!(notices(&output, &endpoint), [""; 0]);
    endpoint.finish();
}

#[test]
fn calls_in_words_are_denied_where_nobody_can_be_asked() {
    let read = call_in_words("Read", &json!({"file_path": "a.txt"}));
    let (output, requests, said) = run([read, text("Done.")], "", &[]);
    assert_eq!(said, [WRITTEN]);
    assert_eq!(the(&output, "tool_result")["success"], false);
    assert_eq!(
        requests[1].last_text(),
        "Error: not run: requires approval (the model wrote this call as plain text), and this session is not interactive"
    );
}

#[test]
fn calls_in_words_run_where_everything_is_allowed() {
    let read = || call_in_words("Read", &json!({"file_path": "a.txt"}));
    let (output, requests, said) = run([read(), read(), text("Done.")], "", &["--yolo"]);
    assert_eq!(said, [WRITTEN]);
    assert!(output.events_of("tool_result").iter().all(|result| result["success"] == true));
    assert!(requests[1].last_text().contains("hello"), "{}", requests[1].last_text());
}

#[test]
fn without_a_list_of_models_one_must_be_named() {
    let endpoint = Endpoint::script([]).serves("GET /v1/models", status(404));
    let output = streaming(&endpoint).without_env("CLAWD_MODEL").arg("go").run().expect_code(2);
    expect_one_line(&output, &[]);
    assert_eq!(
        nameless(output.stderr.trim_end(), &endpoint),
        "Error: no model is set, and HOST does not list its models (404) (try --model NAME, or check \
         base_url; it usually ends in /v1)"
    );
    endpoint.finish();
    let endpoint = Endpoint::script([text("Done.")]).serves("GET /v1/models", status(404));
    let named = streaming(&endpoint).without_env("CLAWD_MODEL").args(["-m", "any-name", "go"]);
    assert_eq!(named.run().expect_code(0).result()["final_message"], "Done.");
    assert_eq!(endpoint.requests()[0].body["model"], "any-name");
    endpoint.finish();
}

#[test]
fn without_effort_and_temperature_it_is_asked_without_them_and_each_is_said() {
    let answers = [
        refused(400, "Unsupported parameter: 'reasoning_effort' is not supported with this model."),
        refused(400, "Unsupported parameter: 'temperature' is not supported with this model."),
        reading(),
        text("Done."),
    ];
    let (_, requests, said) = run(answers, "reasoning_effort = \"high\"\ntemperature = 0.2\n", &[]);
    assert_eq!(
        said,
        [
            "mock-1 on HOST does not support reasoning_effort high: not sent",
            "mock-1 on HOST does not support temperature: not sent",
        ]
    );
    for request in &requests[2..] {
        assert_eq!(
            (request.body.get("reasoning_effort"), request.body.get("temperature")),
            (None, None),
            "both stay away"
        );
    }
}

#[test]
fn without_keep_alive_each_request_makes_its_own_connection() {
    let once = |answer: Answer| answer.header("connection", "close");
    let endpoint = Endpoint::script([once(reading()), once(reading()), once(text("Done."))]);
    let clawd = streaming(&endpoint).file("a.txt", "hello\n").arg("go");
    let output = clawd.run().expect_code(0);
    assert_eq!((output.events_of("retry").len(), notices(&output, &endpoint)), (0, Vec::new()));
    let connections: Vec<usize> = endpoint.requests().iter().map(|request| request.connection).collect();
    assert_eq!(connections, [1, 2, 3]);
    endpoint.finish();
}

#[test]
fn without_done_an_answer_ends_with_its_finish_reason() {
    let (output, _, said) = run([reading().no_done(), text("Done.").no_done()], "", &[]);
    assert_eq!((said, output.events_of("retry").len()), (Vec::new(), 0));
}

#[test]
fn without_a_finish_reason_and_done_an_answer_has_broken_off_and_is_asked_for_again() {
    let endpoint = Endpoint::script([text("Half").no_finish().no_done(), text("Done.")]);
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    let retry = the(&output, "retry");
    assert_eq!(
        nameless(retry["error"].as_str().unwrap(), &endpoint),
        "incomplete response from HOST: it ended without a finish reason"
    );
    assert_eq!((&retry["discard"], &output.result()["final_message"]), (&json!(true), &json!("Done.")));
    endpoint.finish();
}

#[test]
fn answers_in_one_object_are_taken_although_a_stream_was_asked_for() {
    let both = calls([call("Read", json!({"file_path": "a.txt"})), call("Glob", json!({"pattern": "*"}))]);
    let (output, requests, said) = run([both.in_json(), text("Done.").in_json()], "", &[]);
    assert_eq!(said, [""; 0]);
    assert!(requests.iter().all(|request| request.body["stream"] == true));
    assert_eq!(output.events_of("tool_result").len(), 2);
    assert_eq!(output.result()["metadata"]["usage"]["prompt_tokens"], 20);
}
