//! `-p`: what goes in, what comes out, which code it ends with. The other options are in `options`, a run at its edges
//! in `run_edges`.

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, call, calls, empty, status, text, thinking};
use crate::harness::{Clawd, Output};

/// A run that prints its events.
pub(crate) fn streaming(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).args(STREAM)
}

/// The same once more, in the world of `clawd`.
pub(crate) fn streaming_again(clawd: &Clawd) -> Clawd {
    clawd.again().args(STREAM)
}

const STREAM: [&str; 3] = ["-p", "--output-format", "stream-json"];

/// The types of all events, one word each.
pub(crate) fn types(output: &Output) -> String {
    let types: Vec<String> =
        output.events().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    types.join(" ")
}

/// One event of a type; more or none is a failure.
pub(crate) fn the(output: &Output, kind: &str) -> Value {
    let events = output.events_of(kind);
    assert_eq!(events.len(), 1, "one `{kind}`; {output:#?}");
    events[0].clone()
}

/// An answer with one call.
pub(crate) fn calling(name: &str, arguments: Value) -> crate::endpoint::Answer {
    calls([call(name, arguments)])
}

/// Only lines, each of them meant for a person; an error is one of them.
pub(crate) fn expect_one_line(output: &Output, parts: &[&str]) {
    assert_eq!(output.stderr.lines().count(), 1, "one line; {output:#?}");
    for part in parts {
        assert!(output.stderr.contains(part), "{part:?} is said; {output:#?}");
    }
}

#[test]
fn text_output_is_the_final_message_alone() {
    let endpoint = Endpoint::script([
        thinking("hm").text("First I look.").calls([call("Glob", json!({"pattern": "*"}))]),
        { thinking("so").text("It is a ").text("loop.\n\n") },
    ]);
    let output = Clawd::new(&endpoint).args(["-p", "what", "is this?"]).run().expect_code(0);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("It is a loop.\n", ""));
    assert_eq!(endpoint.wait_for_request(1).last_text(), "what is this?");
    endpoint.finish();
}

#[test]
fn a_failed_run_prints_nothing_as_text_and_says_why_in_a_line() {
    let endpoint = Endpoint::script([text("Half of ").cut(), status(400)]);
    let output = Clawd::new(&endpoint).args(["-p", "go"]).run().expect_code(1);
    assert_eq!(output.stdout, "");
    expect_one_line(&output, &["Error: ", "400", "scripted 400"]);
    endpoint.finish();
}

#[test]
fn json_output_is_the_result_alone() {
    let usage =
        |tokens: u64| json!({"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1});
    let endpoint = Endpoint::script([
        calling("Glob", json!({"pattern": "*"})).usage(usage(10)),
        text("Done.").usage(usage(20)),
    ]);
    let output = Clawd::new(&endpoint).args(["-p", "--output-format", "json", "go"]).run().expect_code(0);
    assert_eq!(output.stdout.lines().count(), 1);
    let result = output.result();
    let metadata = &result["metadata"];
    assert_eq!((&result["success"], &result["error"]), (&json!(true), &Value::Null));
    assert_eq!(result["final_message"], "Done.");
    assert_eq!((&metadata["turns_count"], &metadata["tool_calls_count"]), (&json!(2), &json!(1)));
    assert_eq!(metadata["usage"]["prompt_tokens"], 30, "the sum");
    assert_eq!(metadata["usage"]["total_tokens"], 32, "the sum");
    assert_eq!(metadata["context_tokens"], 21, "the last request and its answer");
    assert!(metadata["duration_ms"].is_u64() && metadata["session_id"].is_string(), "{metadata}");
    endpoint.finish();
}

#[test]
fn the_result_says_what_became_of_each_call() {
    let endpoint = Endpoint::script([
        calls([call("Bash", json!({"command": "sleep 0.05"})), call("Read", json!({"file_path": "absent"}))]),
        calls([call("Bash", json!({"command": "rm -r x"})), call("Nope", json!({}))]),
        text("Done."),
    ]);
    let clawd = Clawd::new(&endpoint).args(["-p", "--allowed-tools", "Bash(sleep:*)"]);
    let output = clawd.args(["--output-format", "json", "go"]).run().expect_code(0);
    let metadata = &output.result()["metadata"];
    let made: Vec<(&str, bool)> = metadata["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|made| (made["name"].as_str().unwrap(), made["success"].as_bool().unwrap()))
        .collect();
    assert_eq!(made, [("Bash", true), ("Read", false), ("Bash", false), ("Nope", false)]);
    assert_eq!(metadata["tool_calls_count"], 4);
    let slept = metadata["tool_calls"][0]["duration_ms"].as_u64().unwrap();
    assert!(slept >= 50, "{metadata}");
    assert_eq!(metadata["tool_calls"][2]["duration_ms"], 0, "it did not run");
    endpoint.finish();
}

#[test]
fn events_come_in_the_order_of_what_happens() {
    let endpoint = Endpoint::script([
        thinking("hm").text("I read it.").calls([call("Read", json!({"file_path": "a.txt"}))]),
        text("It says ").text("hello."),
    ]);
    let clawd = streaming(&endpoint).file("a.txt", "hello\n").arg("go");
    let output = clawd.run().expect_code(0);
    assert_eq!(
        types(&output),
        "session_start turn_start thinking_delta text_delta message tool_start tool_result \
         turn_start text_delta text_delta message result"
    );
    let start = the(&output, "session_start");
    assert_eq!((&start["model"], &start["permission_mode"]), (&json!("mock-1"), &json!("default")));
    assert_eq!(start["cwd"], clawd.project().to_str().unwrap());
    assert_eq!(start["session_id"], output.result()["metadata"]["session_id"]);
    let offered: Vec<Value> = endpoint.requests()[0].tool_names().into_iter().map(Value::from).collect();
    assert_eq!(start["tools"], Value::Array(offered));
    let turns = output.events_of("turn_start");
    assert_eq!(
        (&turns[0]["turn"], &turns[1]["turn"], &turns[0]["max_turns"]),
        (&json!(1), &json!(2), &json!(100))
    );
    let (ran, result) = (the(&output, "tool_start"), the(&output, "tool_result"));
    assert_eq!((&ran["id"], &ran["name"]), (&json!("call_1"), &json!("Read")));
    assert_eq!(ran["input"], json!({"file_path": "a.txt"}));
    assert_eq!(
        (&result["id"], &result["name"], &result["success"]),
        (&json!("call_1"), &json!("Read"), &json!(true))
    );
    assert_eq!(result["content"], endpoint.requests()[1].tool_result("call_1"), "what the model gets");
    assert!(result["content"].as_str().unwrap().contains("hello"));
    assert!(result["display"].is_string() && result["duration_ms"].is_u64(), "{result}");
    endpoint.finish();
}

#[test]
fn steps_are_told_as_a_list_and_a_question_is_an_error_without_a_denial() {
    let steps = json!({"todos": [{"content": "look", "status": "completed"}, {"content": "mend"}]});
    let question = json!({"question": "Which database?", "options": ["SQLite"]});
    let endpoint = Endpoint::script([
        calls([call("TodoWrite", steps), call("AskUser", question)]),
        text("I took SQLite."),
    ]);
    let output = streaming(&endpoint).args(["--permission-mode", "plan", "go"]).run().expect_code(0);
    let results = output.events_of("tool_result");
    let list = "1 of 2 done\n[x] look\n[ ] mend";
    assert_eq!((&results[0]["display"], &results[0]["content"]), (&json!(list), &json!(list)));
    assert_eq!(results[1]["success"], false);
    let told = endpoint.requests()[1].tool_result("call_2");
    assert!(told.starts_with("Error: no user can answer") && told.contains("assumptions"), "{told}");
    assert_eq!(output.events_of("permission_denied").len(), 0);
    endpoint.finish();
}

#[test]
fn a_message_event_is_the_message_as_it_is_sent_later() {
    let endpoint = Endpoint::script([
        text("Two at once.")
            .calls([call("Glob", json!({"pattern": "*"})), call("Grep", json!({"pattern": "x"}))]),
        text("Done."),
    ]);
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    let message = &output.events_of("message")[0]["message"];
    assert_eq!(message, &endpoint.requests()[1].messages()[2]);
    assert_eq!((&message["role"], &message["content"]), (&json!("assistant"), &json!("Two at once.")));
    assert_eq!(message["tool_calls"].as_array().unwrap().len(), 2);
    endpoint.finish();
}

#[test]
fn results_come_in_the_order_of_the_calls() {
    let endpoint = Endpoint::script([
        calls([
            call("Read", json!({"file_path": "a.txt"})),
            call("Bash", json!({"command": "echo two"})),
            call("Read", json!({"file_path": "b.txt"})),
            call("Read", json!({"file_path": "gone.txt"})),
        ]),
        text("Done."),
    ]);
    let clawd = streaming(&endpoint).file("a.txt", "one\n").file("b.txt", "three\n");
    let output = clawd.args(["--yolo", "go"]).run().expect_code(0);
    let results: Vec<(String, bool)> = output
        .events_of("tool_result")
        .iter()
        .map(|result| (result["id"].as_str().unwrap().to_owned(), result["success"] == true))
        .collect();
    let expected = [("call_1", true), ("call_2", true), ("call_3", true), ("call_4", false)];
    assert_eq!(results, expected.map(|(id, success)| (id.to_owned(), success)));
    assert_eq!(endpoint.requests()[1].roles(), "system user assistant tool tool tool tool");
    assert!(endpoint.requests()[1].tool_result("call_4").starts_with("Error:"));
    endpoint.finish();
}

#[test]
fn a_request_is_the_bytes_of_the_one_before_and_more() {
    let look = |pattern: &str| calling("Glob", json!({"pattern": pattern}));
    let endpoint = Endpoint::script([look("a"), look("b"), thinking("hm").text("ä\"\\"), text("Done.")]);
    let clawd = streaming(&endpoint).arg("one");
    clawd.run().expect_code(0);
    streaming_again(&clawd).args(["-c", "two"]).run().expect_code(0);
    let requests = endpoint.requests();
    for (before, after) in requests.iter().zip(&requests[1..]) {
        let open = before.raw.strip_suffix(b"]}").expect("messages stand last");
        assert!(after.raw.starts_with(open), "request {} begins as {}", after.number, before.number);
    }
    assert_eq!(requests.len(), 4);
    // two processes and four requests; on a busy machine the end of an answer may come too late to go on by its line
    assert!((2..4).contains(&endpoint.connections()), "connections are used again");
    endpoint.finish();
}

fn check_prompt(clawd: &Clawd, endpoint: Endpoint, expected: &str) {
    clawd.run().expect_code(0);
    assert_eq!(endpoint.wait_for_request(1).last_text(), expected);
    endpoint.finish();
}

#[test]
fn standard_input_follows_the_prompt_after_a_blank_line() {
    for (words, input, expected) in [
        (Some("why?"), "line 1\nline 2\n", "why?\n\nline 1\nline 2"),
        (None, "only the input\n", "only the input"),
        (Some("why?"), "", "why?"),
        (Some("why?"), " \n\n", "why?"),
        (Some("--help?"), "ü\u{fffd}", "--help?\n\nü\u{fffd}"),
    ] {
        let endpoint = Endpoint::script([text("ok")]);
        let clawd = Clawd::new(&endpoint).args(["-p"]).stdin(input);
        let clawd = words.into_iter().fold(clawd, |clawd, words| clawd.args(["--", words]));
        check_prompt(&clawd, endpoint, expected);
    }
}

#[test]
fn standard_input_that_has_begun_is_read_to_its_end() {
    let endpoint = Endpoint::script([text("ok")]);
    let mut running = Clawd::new(&endpoint).args(["-p", "why?"]).open_stdin().spawn();
    running.write_stdin("one ");
    running.write_stdin("two");
    running.close_stdin();
    running.wait().expect_code(0);
    assert_eq!(endpoint.wait_for_request(1).last_text(), "why?\n\none two");
    endpoint.finish();
}

#[test]
fn standard_input_that_does_not_end_is_said_to_be_waited_for() {
    let endpoint = Endpoint::script([text("ok")]);
    let mut running = Clawd::new(&endpoint).args(["-p", "why?"]).open_stdin().spawn();
    running.write_stdin("one ");
    running.wait_for_stderr("reading standard input");
    running.write_stdin("two");
    running.close_stdin();
    assert_eq!(running.wait().expect_code(0).stdout, "ok\n");
    assert_eq!(endpoint.wait_for_request(1).last_text(), "why?\n\none two");
    endpoint.finish();
}

#[test]
fn standard_input_that_stays_silent_is_left_and_said_so() {
    let endpoint = Endpoint::script([text("ok")]);
    let running = streaming(&endpoint).arg("why?").open_stdin().spawn();
    let notice = running.wait_for_event("notice");
    assert!(notice["text"].as_str().unwrap().contains("standard input"), "{notice}");
    let output = running.wait().expect_code(0);
    expect_one_line(&output, &["standard input", "2 s"]);
    assert_eq!(endpoint.wait_for_request(1).last_text(), "why?");
    endpoint.finish();
}

#[test]
fn without_words_and_without_input_there_is_nothing_to_send() {
    let endpoint = Endpoint::script([]);
    for (clawd, input) in [(["-p", ""], ""), (["-p", " "], "\n \n"), (["-p", "--no-session"], "")] {
        let output = Clawd::new(&endpoint).args(clawd).stdin(input).run().expect_code(2);
        assert_eq!(output.stdout, "");
        expect_one_line(&output, &["Error: ", "prompt"]);
    }
    endpoint.finish();
}

fn check_turns(limit: &str, requests: usize, code: i32) {
    let endpoint = Endpoint::script([]);
    for number in 0..requests {
        endpoint.push(calling("Glob", json!({"pattern": format!("{number}.txt")})));
    }
    let output = streaming(&endpoint).args(["--max-turns", limit, "go"]).run().expect_code(code);
    let (reached, result) = (the(&output, "turn_limit_reached"), output.result());
    assert_eq!(reached["turns"], requests);
    assert_eq!((&result["success"], &result["error"]["type"]), (&json!(false), &json!("max_turns_exceeded")));
    assert_eq!(result["metadata"]["turns_count"], requests);
    assert_eq!(result["metadata"]["tool_calls_count"], requests, "the tools of the last turn ran too");
    assert_eq!(output.events_of("tool_result").len(), requests);
    assert_eq!(output.events_of("turn_start")[0]["max_turns"], requests);
    endpoint.finish();
}

#[test]
fn the_turn_limit_ends_a_run_after_the_tools_of_its_last_turn() {
    check_turns("1", 1, 3);
    check_turns("2", 2, 3);
}

#[test]
fn no_limit_and_a_large_one_end_at_the_hard_limit() {
    check_turns("-1", 100, 3);
    check_turns("500", 100, 3);
}

#[test]
fn a_final_answer_in_the_last_turn_is_no_limit() {
    let endpoint = Endpoint::script([calling("Glob", json!({"pattern": "*"})), text("Done.")]);
    let output = streaming(&endpoint).args(["--max-turns", "2", "go"]).run().expect_code(0);
    assert_eq!(output.events_of("turn_limit_reached").len(), 0);
    assert_eq!(output.result()["success"], true);
    endpoint.finish();
}

#[test]
fn no_turns_mean_that_chat_is_disabled() {
    let endpoint = Endpoint::script([]);
    let output = streaming(&endpoint).args(["--max-turns", "0", "go"]).run().expect_code(1);
    assert_eq!(output.result()["error"]["type"], "chat_disabled");
    assert_eq!(output.result()["metadata"]["turns_count"], 0);
    assert_eq!(output.events_of("turn_start").len(), 0);
    expect_one_line(&output, &["Error: ", "max"]);
    endpoint.finish();
}

#[test]
fn a_reader_who_leaves_early_ends_the_run() {
    let endpoint = Endpoint::script([]).then_forever(calling("Bash", json!({"command": "echo again"})));
    let output = streaming(&endpoint).args(["--yolo", "go"]).only_lines(3).run();
    assert!(matches!(output.code, Some(0 | 141)), "{output:#?}");
    assert!(!output.stderr.contains("panicked"), "{output:#?}");
    assert!(endpoint.requests().len() < 100, "it does not work on for nobody");
}

#[test]
fn an_answer_of_nothing_but_thoughts_is_empty() {
    let endpoint = Endpoint::script([thinking("hm"), empty(), text("Done.")]);
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    assert_eq!(output.events_of("retry").len(), 2);
    assert_eq!(output.events_of("message").len(), 1);
    endpoint.finish();
}
