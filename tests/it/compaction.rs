//! When a conversation gets too long: old results become previews, then a summary takes its place. What was planted before is
//! in the next request, no call stands alone, the file keeps everything, and an endpoint that does not help costs nothing.
//!
//! The model writes summaries that say nothing, on purpose: what is found in the next request was copied there by the
//! program. The counts of the scripted endpoint (ten tokens for anything) are not believed, so the program goes by bytes.

use serde_json::{Value, json};

use crate::endpoint::{Answer, Call, Endpoint, Request, call, calls, status, text};
use crate::harness::{Clawd, Output};
use crate::headless::{streaming, streaming_again, the};

/// A file of some 8,600 tokens.
fn large() -> String {
    let line = |line: usize| format!("line {line} of a file that is read and then no longer needed\n");
    (0..500).map(line).collect::<Vec<_>>().concat()
}

fn read(path: &str) -> Call {
    call("Read", json!({"file_path": path}))
}

fn reading(path: &str) -> Answer {
    calls([read(path)])
}

/// A configuration with this window, and the keys that a test sets besides.
fn with_window(clawd: Clawd, tokens: u32, more: &str) -> Clawd {
    clawd.home_file("config.toml", &format!("context_window = {tokens}\nmax_retries = 0\n{more}"))
}

/// The one file of the sessions, line by line.
fn session_of(clawd: &Clawd) -> Vec<Value> {
    let projects = std::fs::read_dir(clawd.clawd_home().join("sessions")).unwrap();
    let files = projects.flat_map(|project| std::fs::read_dir(project.unwrap().path()).unwrap());
    let mut files =
        files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
    let (file, none) = (files.next().unwrap(), files.next());
    assert_eq!(none, None);
    let lines = std::fs::read_to_string(file).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn entries<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

fn notices(output: &Output) -> String {
    let texts = output.events_of("notice");
    texts.iter().map(|notice| notice["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

const FORGETFUL: &str = "There was some work. It goes on.";

#[test]
fn forty_planted_facts_are_in_the_request_behind_a_summary_that_forgets_them_all() {
    let planted =
        |kind: &str, count: usize| (1..=count).map(|n| format!("{kind}-fact-{n}")).collect::<Vec<_>>();
    let (rules, said, files) = (planted("rule", 10), planted("said", 10), planted("file", 10));
    let (steps, asked) = (planted("step", 5), planted("asked", 5));
    let todos: Vec<Value> =
        steps.iter().map(|step| json!({"content": format!("do {step}"), "status": "pending"})).collect();
    let first =
        [call("TodoWrite", json!({"todos": todos}))]
            .into_iter()
            .chain(files.iter().take(5).map(|file| read(&format!("{file}.txt"))))
            .chain(files.iter().skip(5).map(|file| {
                call("Write", json!({"file_path": format!("src/{file}.txt"), "content": "new"}))
            }));
    let endpoint = Endpoint::script([
        calls(first),
        text("Noted."),
        reading("large.txt"),
        text(FORGETFUL),
        text("Done."),
    ]);
    let clawd = with_window(streaming(&endpoint), 13_300, "")
        .file("AGENTS.md", &format!("Mind {}.", rules.join(", ")))
        .file("large.txt", &large())
        .args(["--trust", "--yolo"]);
    let clawd = files.iter().take(5).fold(clawd, |clawd, file| clawd.file(&format!("{file}.txt"), "x"));
    clawd.clone().arg(&format!("Remember: {}", said.join(", "))).run().expect_code(0);
    let again = streaming_again(&clawd).args(["--trust", "--yolo", "-c"]);
    let output = again.arg(&format!("Now look at {}", asked.join(" and "))).run().expect_code(0);
    let compaction = the(&output, "compaction");
    let tokens = |key: &str| compaction[key].as_u64().unwrap();
    assert!(tokens("tokens_after") < tokens("tokens_before") / 2, "{compaction}");
    let requests = endpoint.requests();
    let summary = requests[3].body.to_string();
    assert!(summary.contains("Write a summary that replaces it"), "{summary}");
    let next = requests[4].body.to_string();
    assert!(next.contains(FORGETFUL) && !next.contains("line 100 of a file"));
    let all: Vec<&String> = [&rules, &said, &files, &steps, &asked].into_iter().flatten().collect();
    assert_eq!(all.len(), 40);
    // a fact is found as a word: `file-fact-1` is no part of `file-fact-10`
    let words: Vec<&str> = next.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).collect();
    let missing: Vec<_> = all.iter().filter(|fact| !words.contains(&fact.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}\n{next}");
    assert_eq!(output.result()["metadata"]["turns_count"], 2, "a summary is no turn");
    assert_eq!(output.result()["metadata"]["usage"]["total_tokens"], 45, "but it is paid for");
    endpoint.finish();
}

#[test]
fn the_file_keeps_what_a_summary_stands_for_and_a_resume_sends_the_same_bytes() {
    let endpoint = Endpoint::script([
        reading("large.txt"),
        text(FORGETFUL),
        text("It is large."),
        text("Yes."),
        text("So."),
    ]);
    let clawd = with_window(streaming(&endpoint), 13_300, "").file("large.txt", &large()).arg("--yolo");
    let first = format!("What is this? {}", "It matters. ".repeat(500));
    clawd.clone().arg(&first).run().expect_code(0);
    streaming_again(&clawd).args(["--yolo", "-c", "And now?"]).run().expect_code(0);
    let lines = session_of(&clawd);
    assert_eq!(entries(&lines, "message").len(), 6, "every message is there, and the summary is none");
    let compaction = entries(&lines, "compaction")[0];
    assert!(compaction["summary"].as_str().unwrap().contains(FORGETFUL), "{compaction}");
    assert!(lines.iter().any(|line| line.to_string().contains("line 100 of a file")));
    let before = endpoint.requests()[3].body["messages"].clone();
    // the strict endpoint refuses a prefix that changed
    streaming_again(&clawd).args(["--yolo", "-c", "And then?"]).run().expect_code(0);
    let after = endpoint.requests()[4].body["messages"].clone();
    let before = before.as_array().unwrap();
    assert_eq!(&after.as_array().unwrap()[..before.len()], before.as_slice());
    endpoint.finish();
}

#[test]
fn old_results_become_previews_before_anything_is_summarised() {
    let names: Vec<String> = (0..7).map(|n| format!("large-{n}.txt")).collect();
    let endpoint =
        Endpoint::script(names.iter().map(|name| reading(name)).chain([text("Seen."), text("Still seen.")]));
    endpoint.allow_break();
    let clawd = names
        .iter()
        .fold(with_window(streaming(&endpoint), 64_000, ""), |clawd, name| clawd.file(name, &large()));
    let output = clawd.clone().arg("read them all").run().expect_code(0);
    assert_eq!(output.events_of("compaction").len(), 0);
    let lines = session_of(&clawd);
    let masked = entries(&lines, "masked");
    assert_eq!(masked.len(), 1, "at once, not one by one");
    assert!(masked[0]["messages"].as_array().unwrap().len() >= 3, "{masked:?}");
    let last = endpoint.requests().last().unwrap().clone();
    let result = |number: usize| last.tool_result(&format!("call_{number}"));
    assert!(result(1).contains("line 0 of a file") && result(1).contains("omitted"), "{}", result(1));
    assert!(result(1).len() < 1_000 && result(7).len() > 25_000);
    streaming_again(&clawd).args(["-c", "are you sure?"]).run().expect_code(0);
    assert_eq!(
        endpoint.requests().last().unwrap().tool_result("call_1"),
        result(1),
        "the same after a resume"
    );
    endpoint.finish();
}

#[test]
fn a_long_run_goes_through_three_summaries_and_every_request_is_in_order() {
    let names: Vec<String> = (0..9).map(|n| format!("large-{n}.txt")).collect();
    let endpoint = Endpoint::script([]).then_forever(text("There was some work. Then it was done."));
    // every read is followed by a summary: one file fills the window
    for name in &names {
        endpoint.push(reading(name));
        endpoint.push(text(FORGETFUL));
    }
    (0..9).for_each(|_| endpoint.allow_break());
    let clawd = names
        .iter()
        .fold(with_window(streaming(&endpoint), 10_000, ""), |clawd, name| clawd.file(name, &large()));
    let output = clawd.arg("read them all, and mind the gate").run().expect_code(0);
    assert!(output.events_of("compaction").len() >= 3, "{output:#?}");
    let own = endpoint.requests().into_iter().filter(|request| !request.tool_names().is_empty());
    for request in own {
        assert!(request.body.to_string().contains("mind the gate"), "{}", request.body);
    }
    let all = endpoint.requests();
    let apart = all.iter().filter(|request| request.tool_names().is_empty());
    let apart: Vec<String> = apart.map(Request::last_text).collect();
    assert!(!apart[0].contains("<earlier-summary>"));
    assert!(
        apart[1..].iter().all(|asked| asked.contains(&format!("<earlier-summary>\n{FORGETFUL}"))),
        "{apart:#?}"
    );
    endpoint.finish();
}

#[test]
fn a_run_outlives_a_summary_that_fails_is_empty_or_is_too_long() {
    let huge = "words ".repeat(20_000);
    for (summary, why) in [
        (status(500), "could not be summarised"),
        (text("\u{200b}"), "wrote no summary"),
        (text(&huge), "not be shorter"),
    ] {
        let read_both = calls([read("large.txt"), read("other.txt")]);
        let endpoint = Endpoint::script([read_both, summary, text("All the same.")]);
        let clawd = with_window(streaming(&endpoint), 16_000, "")
            .file("large.txt", &large())
            .file("other.txt", &large());
        let output = clawd.clone().arg("read them").run().expect_code(0);
        assert_eq!(output.result()["final_message"], "All the same.");
        assert!(notices(&output).contains(why), "{why}: {output:#?}");
        assert_eq!(output.events_of("compaction").len(), 0);
        assert_eq!(entries(&session_of(&clawd), "compaction").len(), 0);
        assert!(endpoint.requests().last().unwrap().body.to_string().contains("line 100 of a file"));
        endpoint.finish();
    }
}

/// What servers say to a request that is too long, and with which status.
const TOO_LONG: [(u16, &str); 14] = [
    (
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
    (400, "Input tokens exceed the configured limit of 272000 tokens."),
    (400, "the request exceeds the available context size, try increasing it"),
    (400, "prompt is too long: 210000 tokens > 200000 maximum"),
    (413, "request_too_large: Request exceeds the maximum size"),
    (400, "Input is too long for requested model."),
    (400, "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."),
    (400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    (400, "Please reduce the length of the messages or completion."),
    (
        400,
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
    ),
    (400, "prompt token count of 70000 exceeds the limit of 64000"),
    (400, "Invalid request: Your request exceeded model token limit: 8192"),
    (400, "Range of input length should be [1, 30720]"),
    (400, ""),
];

#[test]
fn a_request_that_is_refused_for_its_length_in_any_words_is_made_shorter_once() {
    for (code, words) in TOO_LONG {
        let body = json!({"error": {"message": words, "type": "invalid_request_error"}}).to_string();
        let refusal = || status(code).body("application/json", if words.is_empty() { "" } else { &body });
        let first = [reading("large.txt"), text("Large.")];
        // masked first, which is not enough here; then summarised
        let second = [refusal(), refusal(), text(FORGETFUL), text("Done.")];
        let endpoint = Endpoint::script(first.into_iter().chain(second));
        // nobody knows how large the window is
        let clawd =
            streaming(&endpoint).file("large.txt", &large()).home_file("config.toml", "max_retries = 0\n");
        clawd.clone().arg(&format!("read it {}", "and think. ".repeat(1_000))).run().expect_code(0);
        (0..2).for_each(|_| endpoint.allow_break());
        let output = streaming_again(&clawd).args(["-c", "and now?"]).run().expect_code(0);
        assert_eq!(output.result()["final_message"], "Done.", "{words}");
        assert_eq!(output.events_of("retry").len(), 2);
        assert!(endpoint.requests().last().unwrap().body.to_string().contains("and now?"));
    }
}

#[test]
fn what_no_summary_helps_ends_with_advice_and_can_go_on() {
    let refusal =
        || status(400).body("application/json", r#"{"error":{"message":"prompt is too long: 9 > 8"}}"#);
    let endpoint = Endpoint::script([
        text("One."),
        text("Two."),
        refusal(),
        text(FORGETFUL),
        refusal(),
        text("Better."),
    ]);
    let clawd = streaming(&endpoint).home_file("config.toml", "max_retries = 0\n");
    clawd.clone().arg(&format!("first {}", "and think. ".repeat(1_000))).run().expect_code(0);
    streaming_again(&clawd).args(["-c", "second"]).run().expect_code(0);
    endpoint.allow_break();
    let output = streaming_again(&clawd).args(["-c", "third"]).run().expect_code(1);
    let error = output.result()["error"].clone();
    assert_eq!(error["type"], "llm_error");
    let message = error["message"].as_str().unwrap();
    for part in
        ["too long for mock-1", "a larger context window", "the shortened conversation was refused as well"]
    {
        assert!(message.contains(part), "{message}");
    }
    streaming_again(&clawd).args(["-c", "fourth"]).run().expect_code(0);
    endpoint.finish();
}

const PRICES: &str = "[prices.mock-1]\ninput = 100.0\noutput = 200.0\n";

fn used(prompt: u64, completion: u64) -> Value {
    json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
}

#[test]
fn a_session_that_has_used_its_budget_ends_before_the_next_request() {
    for (limit, reached) in
        [("max_cost = 1.0\n", "$1.20 of $1.00"), ("max_tokens = 11000\n", "11k of 11k tokens")]
    {
        let endpoint = Endpoint::script([reading("a.txt").usage(used(10_000, 1_000))]);
        let clawd =
            streaming(&endpoint).file("a.txt", "x").home_file("config.toml", &format!("{limit}{PRICES}"));
        let output = clawd.clone().arg("go").run().expect_code(3);
        let error = output.result()["error"].clone();
        assert_eq!(error["type"], "max_turns_exceeded");
        assert!(
            error["message"].as_str().unwrap().contains(&format!("budget reached: {reached} used")),
            "{error}"
        );
        assert_eq!(output.events_of("turn_limit_reached").len(), 0);
        // a resume goes on where the session stood
        streaming_again(&clawd).args(["-c", "more"]).run().expect_code(3);
        endpoint.finish();
    }
}

#[test]
fn a_budget_of_money_without_a_price_stops_nobody_and_is_said() {
    let endpoint = Endpoint::script([text("Yes.").usage(used(10_000_000, 1_000))]);
    let output =
        streaming(&endpoint).home_file("config.toml", "max_cost = 0.01\n").arg("go").run().expect_code(0);
    assert!(notices(&output).contains("max_cost has no effect: no price is known for mock-1"), "{output:#?}");
    endpoint.finish();
}
