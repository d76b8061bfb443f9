//! Endpoints that refuse a part of the request: what is left out or put otherwise, what the user is told, and what stays an
//! error. Which words mean what is held in the program's own tests; here is one of each kind, as a user meets it.

use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, Request, call, calls, status, text};
use crate::harness::{Clawd, Output};
use crate::headless::{calling, expect_one_line, streaming, streaming_again, the};

/// A refusal in the usual shape.
fn refused(code: u16, message: &str) -> Answer {
    let error = json!({"error": {"message": message, "type": "invalid_request_error"}});
    status(code).body("application/json", &error.to_string())
}

/// A run over the script with this configuration; it ends well, and nothing counts as tried again.
fn run(answers: impl IntoIterator<Item = Answer>, config: &str) -> (Output, Vec<Request>) {
    let endpoint = Endpoint::script(answers);
    let clawd = streaming(&endpoint).home_file("config.toml", config).file("a.txt", "hello\n");
    let output = clawd.args(["--yolo", "go"]).run().expect_code(0);
    assert_eq!(output.events_of("retry").len(), 0, "a lesson is no retry; {output:#?}");
    let requests = endpoint.requests();
    endpoint.finish();
    (output, requests)
}

fn notices(output: &Output) -> Vec<String> {
    output
        .events_of("notice")
        .iter()
        .map(|notice| {
            assert_eq!(notice["kind"], "endpoint", "{notice}");
            notice["text"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// Names of what differs between two bodies, `messages` left out.
fn changed(before: &Request, after: &Request) -> Vec<String> {
    let (before, after) = (before.body.as_object().unwrap(), after.body.as_object().unwrap());
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    names.filter(|name| *name != "messages" && before.get(*name) != after.get(*name)).cloned().collect()
}

const NO_COUNTS: &str = "Unrecognized request argument supplied: stream_options";

#[test]
fn counts_that_are_refused_are_not_asked_for_again() {
    let count = json!({"prompt_tokens": 9, "completion_tokens": 1});
    let (output, requests) = run(
        [
            refused(400, NO_COUNTS),
            calling("Read", json!({"file_path": "a.txt"})).usage(count.clone()),
            text("Done.").usage(count),
        ],
        "",
    );
    assert_eq!(output.result()["final_message"], "Done.");
    assert_eq!(changed(&requests[0], &requests[1]), ["stream_options"]);
    assert_eq!(changed(&requests[1], &requests[2]), [""; 0], "the lesson holds in the next turn");
    assert_eq!(notices(&output), [""; 0], "it counts all the same: nothing is lost");
    assert_eq!(output.result()["metadata"]["turns_count"], 2, "a refusal is no turn");
}

#[test]
fn counts_that_are_lost_are_told_of_once() {
    let answers = [refused(422, NO_COUNTS), calling("Read", json!({"file_path": "a.txt"})), text("Done.")];
    let (output, _) = run(answers, "");
    let told = notices(&output);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("reports no token usage for mock-1"), "{told:?}");
}

#[test]
fn the_output_limit_goes_by_the_name_that_is_taken() {
    let openai = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let (output, requests) = run([refused(400, openai), text("Done.")], "max_output_tokens = 99\n");
    assert_eq!(changed(&requests[0], &requests[1]), ["max_tokens", "max_completion_tokens"]);
    assert_eq!(
        (&requests[0].body["max_tokens"], &requests[1].body["max_completion_tokens"]),
        (&json!(99), &json!(99))
    );
    assert_eq!(notices(&output), [""; 0], "a new name is nobody's loss");
}

#[test]
fn an_effort_is_lowered_to_one_that_is_taken() {
    let message = "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.";
    let (output, requests) = run([refused(400, message), text("Done.")], "reasoning_effort = \"xhigh\"\n");
    assert_eq!(changed(&requests[0], &requests[1]), ["reasoning_effort"]);
    assert_eq!(requests[1].body["reasoning_effort"], "high");
    assert!(notices(&output)[0].contains("does not support reasoning_effort xhigh: sending high"));
}

#[test]
fn an_effort_that_nobody_takes_is_left_out() {
    let message = "\"mock-1\" does not support thinking";
    let (output, requests) = run([refused(400, message), text("Done.")], "reasoning_effort = \"low\"\n");
    assert!(requests[1].body.get("reasoning_effort").is_none());
    assert!(notices(&output)[0].ends_with(": not sent"));
}

#[test]
fn a_temperature_that_is_refused_is_left_out_and_said() {
    let message = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.";
    let (output, requests) = run([refused(400, message), text("Done.")], "temperature = 0.2\n");
    assert_eq!(changed(&requests[0], &requests[1]), ["temperature"]);
    assert!(notices(&output)[0].contains("does not support temperature"));
}

#[test]
fn a_model_without_tools_answers_and_the_user_knows() {
    for refusal in [
        refused(400, "registry.example/library/mock-1 does not support tools"),
        refused(
            404,
            "No endpoints found that support tool use. To learn more about provider routing, visit: …",
        ),
        refused(500, "tools param requires --jinja flag"),
    ] {
        let endpoint = Endpoint::script([refusal, text("Done.")]);
        endpoint.allow_break();
        let output = streaming(&endpoint).arg("go").run().expect_code(0);
        assert_eq!(output.result()["final_message"], "Done.");
        assert_eq!(changed(&endpoint.requests()[0], &endpoint.requests()[1]), ["tools"]);
        assert!(notices(&output)[0].contains("does not support tool calls"), "{output:#?}");
        endpoint.finish();
    }
}

#[test]
fn an_endpoint_that_does_not_stream_answers_in_one_piece() {
    let (output, requests) = run(
        [
            refused(400, "Streaming is not supported for this model"),
            calling("Read", json!({"file_path": "a.txt"})),
            text("Done."),
        ],
        "",
    );
    assert_eq!(changed(&requests[0], &requests[1]), ["stream", "stream_options"]);
    assert!(requests[1..].iter().all(|request| request.body["stream"] == false));
    assert_eq!(the(&output, "tool_result")["success"], true);
    assert_eq!(the(&output, "text_delta")["text"], "Done.");
    assert_eq!(
        output.result()["metadata"]["usage"]["prompt_tokens"],
        20,
        "an answer in one piece has its counts"
    );
    assert!(notices(&output)[0].contains("does not stream mock-1"));
}

#[test]
fn images_that_are_refused_are_told_of() {
    let look =
        include_str!("../fixtures/sessions/rich.jsonl").lines().take(3).collect::<Vec<_>>().join("\n") + "\n";
    let endpoint =
        Endpoint::script([text("One."), refused(400, "Model does not support images."), text("Two.")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(0);
    let id = "01900000-0000-7000-8000-00000000bbbb";
    let directory = crate::sessions::session_file(&clawd).parent().unwrap().to_owned();
    std::fs::write(directory.join(format!("{id}.jsonl")), look).unwrap();
    std::fs::create_dir(directory.join(id)).unwrap();
    std::fs::write(directory.join(id).join("one.png"), b"no real image").unwrap();
    endpoint.allow_break();
    endpoint.allow_break();
    let output = streaming_again(&clawd).args(["-r", id, "now"]).run().expect_code(0);
    let requests = endpoint.requests();
    assert!(String::from_utf8_lossy(&requests[1].raw).contains("data:image/png"));
    let second = String::from_utf8_lossy(&requests[2].raw);
    assert!(!second.contains("data:image/png") && second.contains("[image omitted: "), "{second}");
    assert_eq!(output.result()["final_message"], "Two.");
    assert!(notices(&output)[0].contains("does not support images"));
    endpoint.finish();
}

#[test]
fn a_system_prompt_that_is_refused_stands_before_the_first_words() {
    let endpoint = Endpoint::script([
        refused(400, "Developer instruction is not enabled for models/mock-1"),
        calling("Read", json!({"file_path": "a.txt"})),
        text("Done."),
    ]);
    endpoint.allow_break();
    endpoint.allow_no_system();
    let clawd = streaming(&endpoint).file("a.txt", "hello\n").args(["--system-prompt", "Be kind.", "go"]);
    let output = clawd.run().expect_code(0);
    let requests = endpoint.requests();
    assert_eq!(requests[0].roles(), "system user");
    assert_eq!((requests[1].roles().as_str(), requests[2].roles().as_str()), ("user", "user assistant tool"));
    let first = requests[2].messages()[0]["content"].as_str().unwrap();
    assert!(first.contains("Be kind.") && first.ends_with("\n\ngo"), "{first}");
    assert_eq!(notices(&output), [""; 0], "nothing is lost");
    endpoint.finish();
}

#[test]
fn a_user_who_may_not_follow_a_tool_is_let_in_by_a_word_of_the_model() {
    let endpoint = Endpoint::script([
        calls((0..5).map(|_| call("Glob", json!({"pattern": "*.none"})))),
        refused(400, "Unexpected role 'user' after role 'tool'"),
        text("Done."),
    ]);
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    let requests = endpoint.requests();
    assert!(requests[1].roles().ends_with("tool user"), "{}", requests[1].roles());
    assert!(requests[2].roles().ends_with("tool assistant user"), "{}", requests[2].roles());
    assert_eq!(output.result()["final_message"], "Done.");
    drop(endpoint);
}

#[test]
fn ids_are_made_as_the_endpoint_wants_them() {
    let long = format!("functions.Read:{:0>30}", 7);
    let endpoint = Endpoint::script([
        calls([call("Read", json!({"file_path": "a.txt"})).id(&long)]),
        refused(
            400,
            "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 45 instead.",
        ),
        text("Done."),
    ]);
    endpoint.allow_break();
    let clawd = streaming(&endpoint).file("a.txt", "hello\n").args(["--yolo", "go"]);
    clawd.run().expect_code(0);
    let requests = endpoint.requests();
    let id = requests[2].messages()[2]["tool_calls"][0]["id"].as_str().unwrap().to_owned();
    assert!(id.len() == 40 && requests[2].tool_result(&id).contains("hello"), "{id}");
    drop(endpoint);
}

#[test]
fn two_lessons_in_a_row_and_the_next_run_of_the_session_asks_as_well() {
    let endpoint = Endpoint::script([
        refused(400, NO_COUNTS),
        refused(400, "'temperature' is not supported with this model"),
        text("One."),
        refused(400, NO_COUNTS),
        refused(400, "'temperature' is not supported with this model"),
        text("Two."),
    ]);
    let clawd = streaming(&endpoint).home_file("config.toml", "temperature = 0.2\n").arg("first");
    clawd.run().expect_code(0);
    let output = streaming_again(&clawd).args(["-c", "second"]).run().expect_code(0);
    assert_eq!(output.result()["final_message"], "Two.", "what was learnt dies with the process");
    let requests = endpoint.requests();
    assert_eq!(changed(&requests[0], &requests[2]), ["stream_options", "temperature"]);
    endpoint.finish();
}

#[test]
fn the_same_refusal_again_is_final() {
    let endpoint = Endpoint::script([refused(400, NO_COUNTS), refused(400, NO_COUNTS)]);
    let output = streaming(&endpoint).arg("go").run().expect_code(1);
    expect_one_line(&output, &["400", NO_COUNTS]);
    assert_eq!(endpoint.requests().len(), 2);
    endpoint.finish();
}

#[test]
fn a_refusal_of_nothing_known_keeps_its_status_and_its_words() {
    for (code, message) in
        [(400, "I do not like it."), (422, "body.n: Input should be 1"), (415, "unsupported media type")]
    {
        let endpoint = Endpoint::script([refused(code, message)]);
        let output = streaming(&endpoint).arg("go").run().expect_code(1);
        expect_one_line(&output, &["Error: ", &code.to_string(), message]);
        assert_eq!(output.result()["error"]["type"], "llm_error");
        assert_eq!(notices(&output), [""; 0]);
        endpoint.finish();
    }
}

#[test]
fn after_a_final_refusal_the_next_prompt_works() {
    let endpoint = Endpoint::script([refused(400, "I do not like it."), text("Now I do.")]);
    let clawd = streaming(&endpoint).arg("first");
    clawd.run().expect_code(1);
    let output = streaming_again(&clawd).args(["-c", "second"]).run().expect_code(0);
    assert_eq!(output.result()["final_message"], "Now I do.");
    endpoint.finish();
}

#[test]
fn a_window_that_is_too_small_is_told_of() {
    let cut = |tokens: u64| json!({"prompt_tokens": tokens, "completion_tokens": 5});
    let big = "word ".repeat(20_000);
    let endpoint = Endpoint::script([text("Done.").usage(cut(4096))]);
    let output =
        Clawd::new(&endpoint).args(["-p", "--output-format", "stream-json"]).stdin(&big).run().expect_code(0);
    let told = notices(&output);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("received about 4,096 of at least ") && told[0].contains("OLLAMA_CONTEXT_LENGTH"),
        "{told:?}"
    );
    endpoint.finish();
    for honest in [json!({"prompt_tokens": 21_000}), json!({"prompt_tokens": 10}), Value::Null] {
        let endpoint = Endpoint::script([text("Done.").usage(honest)]);
        let output = Clawd::new(&endpoint)
            .args(["-p", "--output-format", "stream-json"])
            .stdin(&big)
            .run()
            .expect_code(0);
        assert_eq!(notices(&output), [""; 0]);
        endpoint.finish();
    }
}
