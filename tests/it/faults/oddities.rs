//! Answers that come to an end, and hold what nobody expects: bytes, calls, nothing, or too much.

use serde_json::json;

use super::{AFTER_TOOL, check_all, done, failed};
use crate::endpoint::{Answer, Endpoint, body, call, calls, empty, raw_sse, text};
use crate::headless::{calling, streaming};

#[test]
fn odd_bytes_in_a_stream_do_no_harm() {
    let delta = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}).to_string();
    let lines =
        |data: &[&str]| data.iter().flat_map(|data| ["data: ", data, "\n\n"]).collect::<Vec<_>>().concat();
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
        .says("a\u{FFFD}\u{FFFD}x\u{FFFD}")
        .notices(&["endpoint"]),
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
        tried("L18", "half a character", write(r#"{"file_path":"a","content":"\ud83d"}"#)),
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
        done("L24", "cut in the text", [text("Done.").finish("length")]).notices(&["cut_off"]),
        done("L21", "a megabyte", [text(&much)]).says(&much),
    ]);
}
