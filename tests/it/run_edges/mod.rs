//! A run at its edges (the outside contract): odd answers, odd calls, nudges, hints. The endpoint's failures are
//! in `failures`, below; what a plain run prints is in `headless`.

mod failures;
mod repeats;

use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, call, calls, empty, raw_sse, text, thinking};
use crate::harness::{Clawd, Output};
use crate::headless::{calling, expect_one_line, streaming, the};

/// A run over the whole script, in an empty project where everything is allowed.
fn run(answers: impl IntoIterator<Item = Answer>, code: i32) -> (Output, Endpoint) {
    run_in(answers, "go", code, |clawd| clawd)
}

fn run_in(
    answers: impl IntoIterator<Item = Answer>,
    prompt: &str,
    code: i32,
    change: impl FnOnce(Clawd) -> Clawd,
) -> (Output, Endpoint) {
    let endpoint = Endpoint::script(answers);
    let output = change(streaming(&endpoint).arg("--yolo")).args(["--", prompt]).run().expect_code(code);
    (output, endpoint)
}

fn kinds(output: &Output) -> Vec<String> {
    output.events_of("notice").iter().map(|notice| notice["kind"].as_str().unwrap().to_owned()).collect()
}

fn check_error(output: &Output, kind: &str) {
    let result = output.result();
    assert_eq!((&result["success"], &result["error"]["type"]), (&json!(false), &json!(kind)), "{output:#?}");
    expect_one_line(output, &["Error: ", result["error"]["message"].as_str().unwrap()]);
}

fn look(number: usize) -> Answer {
    calling("Glob", json!({"pattern": format!("{number}.txt")}))
}

#[test]
fn an_announcement_is_followed_by_a_nudge() {
    for (prompt, announcement, nudge) in [
        ("read it", "Let me check the file.", "Carry out"),
        ("read it", "I found it.\n\nNow I will fix the test.", "Carry out"),
        ("read it", "Here is what I will do:", "Carry out"),
        ("read it", "**I’ll look at it.** One moment…", "Carry out"),
        ("读一下", "让我先查看文件。", "请执行你提到的操作，不要只是描述。"),
        ("读一下", "我来修改：", "请执行你提到的操作，不要只是描述。"),
    ] {
        let (output, endpoint) = run_in([text(announcement), text("Done.")], prompt, 0, |clawd| clawd);
        let second = &endpoint.requests()[1];
        assert_eq!(second.roles(), "system user assistant user");
        assert_eq!(second.messages()[2]["content"], announcement);
        assert!(second.last_text().contains(nudge), "{announcement}: {}", second.last_text());
        assert_eq!(kinds(&output), ["nudge"]);
        assert_eq!(output.result()["metadata"]["turns_count"], 2, "it counts as a turn");
        assert_eq!(output.result()["final_message"], "Done.");
        endpoint.finish();
    }
}

#[test]
fn a_nudge_is_given_at_most_twice() {
    let (output, endpoint) = run([text("Let me check."), text("Let me look."), text("Let me read it.")], 0);
    assert_eq!(kinds(&output), ["nudge", "nudge"]);
    assert_eq!(output.result()["final_message"], "Let me read it.");
    endpoint.finish();
}

#[test]
fn what_announces_nothing_gets_no_nudge() {
    for answer in [
        "Let me know if you want more.",
        "Let me check with you: should I delete it?",
        "Which do you prefer:\n- one\n- two",
        "…and that's it...",
        "我写了一个说明，其中有让我先查看一段。已经完成。",
        "Run this:\n```\ncargo test\n```",
        "It is done. I let me check the file earlier, all is fine.",
        "I'll start once you confirm.",
        "I won't add a test for this.",
        "All tests pass. I'll leave it at that.",
    ] {
        let (output, endpoint) = run([text(answer)], 0);
        assert_eq!(kinds(&output), [""; 0], "{answer}");
        endpoint.finish();
    }
}

#[test]
fn nudging_can_be_turned_off() {
    let (output, endpoint) = run_in([text("Let me check the file.")], "go", 0, |clawd| {
        clawd.home_file("config.toml", "nudge = false\n")
    });
    assert_eq!(kinds(&output), [""; 0]);
    endpoint.finish();
}

#[test]
fn a_nudge_beyond_the_turn_limit_is_not_sent() {
    let (output, endpoint) =
        run_in([text("Let me check the file.")], "go", 3, |clawd| clawd.args(["--max-turns", "1"]));
    assert_eq!(the(&output, "turn_limit_reached")["turns"], 1);
    endpoint.finish();
}

#[test]
fn no_nudge_follows_a_call_that_was_denied() {
    let endpoint =
        Endpoint::script([calling("Bash", json!({"command": "touch x"})), text("Let me check the file.")]);
    let output = streaming(&endpoint).arg("go").run().expect_code(0);
    assert_eq!(kinds(&output), [""; 0]);
    endpoint.finish();
}

#[test]
fn an_empty_answer_is_asked_for_again_twice_and_then_the_run_fails() {
    let (output, endpoint) = run([empty(), text("  \n"), text("Here.")], 0);
    assert_eq!(output.events_of("retry").len(), 2);
    assert_eq!(output.result()["final_message"], "Here.");
    assert!(endpoint.requests().iter().all(|request| request.roles() == "system user"));
    endpoint.finish();
    let (output, endpoint) = run([empty(), empty(), thinking("hm")], 1);
    check_error(&output, "llm_error");
    assert!(output.stderr.contains("empty"), "{output:#?}");
    endpoint.finish();
}

#[test]
fn an_answer_of_which_nothing_is_seen_is_empty() {
    for unseen in [
        text("\u{feff}"),
        text("\u{200b}").text("\u{200d}\u{2060}\n"),
        text("<!-- nothing").text(" to say -->"),
        thinking("hm").text("\n\n"),
        text("<think>hm</think>\n"),
    ] {
        let (output, endpoint) = run([unseen, text("Here.")], 0);
        assert_eq!(output.events_of("retry").len(), 1, "{output:#?}");
        assert_eq!(output.result()["final_message"], "Here.");
        assert_eq!(endpoint.requests()[1].roles(), "system user", "nothing of it is kept");
        endpoint.finish();
    }
}

#[test]
fn an_answer_cut_at_the_output_limit_is_kept_and_said_so() {
    let (output, endpoint) = run([text("Half of the").finish("length")], 0);
    let notice = the(&output, "notice");
    assert_eq!(notice["kind"], "cut_off");
    assert_eq!(output.result()["final_message"], "Half of the");
    assert_eq!(output.result()["success"], true);
    endpoint.finish();
}

#[test]
fn a_call_whose_arguments_were_cut_never_runs() {
    for arguments in [r#"{"file_path":"half.rs","content":"fn main() {"#, r#"{"file_path":"half.rs"#, "{"] {
        let cut = call("Write", json!({})).raw_arguments(arguments);
        let whole = call("Bash", json!({"command": "echo whole"}));
        let endpoint = Endpoint::script([calls([whole, cut]).finish("length"), text("Smaller, then.")]);
        let clawd = streaming(&endpoint).args(["--yolo", "go"]);
        let output = clawd.run().expect_code(0);
        assert!(!clawd.project().join("half.rs").exists());
        let second = &endpoint.requests()[1];
        assert!(second.tool_result("call_1").contains("whole"), "the whole one runs");
        assert!(second.tool_result("call_2").contains("cut off"), "{}", second.tool_result("call_2"));
        assert_eq!(output.events_of("tool_start").len(), 1);
        endpoint.finish();
    }
}

#[test]
fn a_whole_call_runs_although_the_answer_was_cut_after_it() {
    let (_, endpoint) =
        run([calling("Bash", json!({"command": "echo whole"})).finish("length"), text("ok")], 0);
    assert!(endpoint.requests()[1].tool_result("call_1").contains("whole"));
    endpoint.finish();
}

/// `expected` is a part of the result, which is an error where it begins with `Error:`.
fn check_arguments(arguments: &str, expected: &str) {
    let odd = call("Glob", json!({})).raw_arguments(arguments);
    let good = call("Bash", json!({"command": "echo fine"}));
    let (output, endpoint) = run([calls([odd, good]), text("ok")], 0);
    let second = &endpoint.requests()[1];
    let result = second.tool_result("call_1");
    assert!(result.contains(expected), "{arguments:?}: {result:?} should contain {expected:?}");
    assert_eq!(result.starts_with("Error:"), expected.starts_with("Error:"), "{arguments:?}: {result}");
    assert_eq!(output.events_of("tool_result")[0]["success"], !expected.starts_with("Error:"));
    if expected == "Error: the arguments" {
        let start = &output.events_of("tool_start")[0];
        // as they came, except that a NUL is written as its escape
        let written = arguments.replace('\0', "\\u0000");
        assert_eq!((&start["name"], &start["input"]), (&json!("Glob"), &json!(written)));
    }
    assert!(second.tool_result("call_2").contains("fine"), "the other call runs");
    endpoint.finish();
}

#[test]
fn arguments_that_can_be_meant_are_taken_and_others_are_an_error_for_the_model() {
    check_arguments(r#"{"pattern":"none*"}"#, "");
    check_arguments(r#""{\"pattern\":\"none*\"}""#, "");
    check_arguments("", "Error: `pattern`");
    check_arguments("null", "Error: `pattern`");
    check_arguments("{}", "Error: `pattern`");
    check_arguments("[1,2]", "Error: the arguments");
    check_arguments("\"*.rs\"", "Error: the arguments");
    check_arguments("{\"pattern\":", "Error: the arguments");
    check_arguments("{pattern: x}", "Error: the arguments");
    check_arguments("\u{0}", "Error: the arguments");
}

#[test]
fn an_unknown_tool_is_an_error_that_names_the_nearest() {
    for (name, nearest) in [("read", "Read"), ("Raed", "Read"), ("bash", "Bash"), ("Greps", "Grep")] {
        let (output, endpoint) = run([calling(name, json!({"command": "true"})), text("ok")], 0);
        let result = endpoint.requests()[1].tool_result("call_1");
        assert!(result.starts_with("Error:") && result.contains(nearest), "{name}: {result}");
        assert_eq!(output.events_of("tool_start").len(), 0);
        assert_eq!(the(&output, "tool_result")["success"], false);
        endpoint.finish();
    }
}

#[test]
fn calls_without_an_id_or_with_one_twice_each_get_their_result() {
    let echo = |word: &str| call("Bash", json!({"command": format!("echo {word}")}));
    for two in [
        [echo("one").no_id(), echo("two").no_id()],
        [echo("one").id(""), echo("two").id("")],
        [echo("one").no_id().whole(), echo("two").no_id().whole()],
        [echo("one").id("same").whole(), echo("two").id("same").whole()],
        [echo("one").id("same"), echo("two").id("same")],
    ] {
        let (output, endpoint) = run([calls(two), text("ok")], 0);
        let second = &endpoint.requests()[1];
        assert_eq!(second.roles(), "system user assistant tool tool");
        let results: Vec<&str> =
            second.messages()[3..].iter().map(|message| message["content"].as_str().unwrap()).collect();
        assert!(results[0].contains("one") && results[1].contains("two"), "{results:?}");
        assert_eq!(output.result()["metadata"]["tool_calls_count"], 2);
        endpoint.finish();
    }
}

#[test]
fn an_id_that_an_earlier_turn_had_is_made_another() {
    let again = |word: &str| calls([call("Bash", json!({"command": format!("echo {word}")})).id("call_0")]);
    let (_, endpoint) = run([again("one"), again("two"), again("three"), text("ok")], 0);
    assert_eq!(endpoint.requests()[3].roles(), "system user assistant tool assistant tool assistant tool");
    endpoint.finish();
}

#[test]
fn of_sixty_five_calls_sixty_four_run() {
    let many = (0..65).map(|number| call("Bash", json!({"command": format!("touch f{number}")})).whole());
    let endpoint = Endpoint::script([calls(many), text("ok")]);
    let clawd = streaming(&endpoint).args(["--yolo", "go"]);
    let output = clawd.run().expect_code(0);
    let results = output.events_of("tool_result");
    assert_eq!(results.iter().filter(|result| result["success"] == true).count(), 64);
    assert_eq!(results.len(), 65);
    assert!(clawd.project().join("f63").exists() && !clawd.project().join("f64").exists());
    assert!(endpoint.requests()[1].tool_result("call_65").contains("64"));
    endpoint.finish();
}

#[test]
fn calls_run_whatever_the_finish_reason() {
    for reason in ["stop", "end_turn", "function_call", "eos", "something new", "content_filter"] {
        let (_, endpoint) =
            run([calling("Bash", json!({"command": "echo ran"})).finish(reason), text("ok")], 0);
        assert!(endpoint.requests()[1].tool_result("call_1").contains("ran"), "{reason}");
        endpoint.finish();
    }
}

#[test]
fn an_odd_finish_reason_ends_a_run_like_any_other() {
    for reason in ["eos", "end", "end_turn", "tool_calls", "stop_sequence", "something new"] {
        let (output, endpoint) = run([text("Done.").finish(reason)], 0);
        assert_eq!(output.result()["final_message"], "Done.", "{reason}");
        endpoint.finish();
    }
}

#[test]
fn a_stream_has_ended_with_its_finish_reason_whether_done_follows_or_not() {
    let (output, endpoint) = run([text("Done.").no_done()], 0);
    assert_eq!(output.result()["final_message"], "Done.");
    endpoint.finish();
}

#[test]
fn done_ends_an_answer_without_a_finish_reason() {
    for reason_missing in [text("Done.").no_finish(), text("Done.").finish("")] {
        let look = calling("Bash", json!({"command": "echo ran"})).no_finish();
        let (output, endpoint) = run([look, reason_missing], 0);
        assert!(endpoint.requests()[1].tool_result("call_1").contains("ran"), "its calls run");
        assert_eq!(output.result()["final_message"], "Done.");
        assert_eq!(output.events_of("retry").len(), 0);
        endpoint.finish();
    }
}

#[test]
fn a_stream_with_neither_a_finish_reason_nor_done_is_broken() {
    for broken in [text("Half").no_finish().no_done(), text("Half").finish("").no_done()] {
        let (output, endpoint) = run([broken, text("All of it.")], 0);
        assert_eq!(output.result()["final_message"], "All of it.");
        assert_eq!(the(&output, "retry")["discard"], true);
        endpoint.finish();
    }
}

#[test]
fn an_answer_in_one_json_object_is_taken_like_a_stream() {
    let (output, endpoint) =
        run([calling("Bash", json!({"command": "echo ran"})).in_json(), text("Done.").in_json()], 0);
    assert!(endpoint.requests()[1].tool_result("call_1").contains("ran"));
    assert_eq!(output.result()["final_message"], "Done.");
    endpoint.finish();
}

#[test]
fn a_stream_is_the_same_however_it_is_cut_into_writes() {
    for bytes in [1, 3, 7] {
        let answer = thinking("hm").text("ä 🦀 \"x\"").calls([call("Glob", json!({"pattern": "ü*"}))]);
        let (output, endpoint) = run([answer.dribble_bytes(bytes), text("Grüße 🦀").dribble_bytes(bytes)], 0);
        assert_eq!(output.events_of("tool_start")[0]["input"], json!({"pattern": "ü*"}));
        assert_eq!(output.events_of("message")[0]["message"]["content"], "ä 🦀 \"x\"");
        assert_eq!(output.result()["final_message"], "Grüße 🦀");
        endpoint.finish();
    }
}

#[test]
fn comments_keep_alives_and_other_line_ends_do_not_disturb() {
    let delta = json!({"choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let stream =
        format!(": hello\r\n\r\nevent: ping\r\n\r\ndata:{delta}\r\n\r\n: keep\r\n\r\ndata: {end}\r\n\r\n");
    let (output, endpoint) = run([raw_sse(stream)], 0);
    assert_eq!(output.result()["final_message"], "Hello");
    endpoint.finish();
}

#[test]
fn a_tool_that_fails_never_ends_the_run() {
    let endpoint = Endpoint::script([
        calls([
            call("Read", json!({"file_path": "gone.txt"})),
            call("Edit", json!({"file_path": "gone.txt", "old_string": "a", "new_string": "b"})),
            call("Bash", json!({"command": "exit 3"})),
            call("Bash", json!({"command": "no-such-command-here"})),
            call("Grep", json!({"pattern": "("})),
        ]),
        text("All failed."),
    ]);
    let output = streaming(&endpoint).args(["--yolo", "go"]).run().expect_code(0);
    let failed = output.events_of("tool_result").iter().filter(|result| result["success"] == false).count();
    assert_eq!((failed, output.result()["success"] == Value::Bool(true)), (5, true), "{output:#?}");
    endpoint.finish();
}
