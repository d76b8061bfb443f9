//! The endpoint seen from outside, by a raw client.

use serde_json::{Value, json};

use super::client::{Client, End, Seen};
use super::*;

fn ask(words: &str) -> Value {
    json!({
        "model": "mock-1", "stream": true, "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": words}],
    })
}

fn followed_by(mut request: Value, messages: impl IntoIterator<Item = Value>) -> Value {
    request["messages"].as_array_mut().unwrap().extend(messages);
    request
}

/// What a client sees that asks once.
fn seen(answer: Answer) -> Seen {
    let endpoint = Endpoint::script([answer]);
    let seen = Client::connect(&endpoint).chat(&ask("go"));
    endpoint.finish();
    seen
}

fn failure(run: impl FnOnce()) -> String {
    let panic =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it should have failed");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn text_comes_as_the_deltas_that_were_written() {
    assert_eq!(seen(deltas(["a", "b"])).said("content"), "ab");
    let seen = seen(thinking("hm").text("Hel").text("lo"));
    assert_eq!(
        seen.deltas(),
        [json!({"reasoning_content": "hm"}), json!({"content": "Hel"}), json!({"content": "lo"})]
    );
    assert!(seen.head.contains("content-type: text/event-stream"));
    assert!(seen.body().ends_with("data: [DONE]\n\n"));
    let events = seen.events();
    assert_eq!(events[0]["model"], "mock-1");
    assert_eq!(events[4]["choices"][0]["finish_reason"], "stop");
    assert_eq!(events[5]["usage"]["total_tokens"], 15);
    assert_eq!(seen.end, End::Whole);
}

#[test]
fn calls_come_in_fragments_with_ids_that_count() {
    let arguments = json!({"file_path": "ein/längerer/pfad.rs"});
    let seen = seen(text("so").calls([call("Read", arguments.clone()), call("Bash", json!({})).whole()]));
    let deltas: Vec<Value> = seen.deltas().iter().map(|delta| delta["tool_calls"][0].clone()).collect();
    assert_eq!(
        deltas[1],
        json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": "Read", "arguments": ""}})
    );
    let pieces: Vec<&str> = deltas[2..]
        .iter()
        .filter(|delta| delta["index"] == 0)
        .map(|delta| delta["function"]["arguments"].as_str().unwrap())
        .collect();
    assert!(pieces.len() > 2, "{pieces:?}");
    assert_eq!(pieces.concat(), arguments.to_string());
    assert_eq!(
        deltas.last().unwrap(),
        &json!({"index": 1, "id": "call_2", "type": "function", "function": {"name": "Bash", "arguments": "{}"}})
    );
    assert_eq!(
        seen.events().iter().filter(|event| event["choices"][0]["finish_reason"] == "tool_calls").count(),
        1
    );
}

#[test]
fn calls_may_be_as_bad_as_those_of_real_servers() {
    let bad = [
        call("Read", json!({})).no_id().raw_arguments("{\"a\"").whole(),
        call("Read", json!({})).id("x").whole(),
    ];
    let seen = seen(calls(bad).delta(json!({"tool_calls": [{"function": {"arguments": "}"}}]})));
    let deltas = seen.deltas();
    assert_eq!(deltas[0]["tool_calls"][0]["id"], Value::Null);
    assert_eq!(deltas[0]["tool_calls"][0]["function"]["arguments"], "{\"a\"");
    assert_eq!(deltas[1]["tool_calls"][0]["id"], "x");
    assert_eq!(deltas[2]["tool_calls"][0]["function"]["arguments"], "}");
}

#[test]
fn the_end_of_a_stream_can_be_left_out_or_changed() {
    let bare = seen(text("x").no_finish().no_usage().no_done());
    assert_eq!(bare.events().len(), 2);
    assert!(!bare.body().contains("DONE"));
    let cut_off = seen(text("x").finish("length").usage(json!({"prompt_tokens": 1})));
    assert!(cut_off.body().contains("\"finish_reason\":\"length\""));
    assert!(cut_off.body().contains("\"usage\":{\"prompt_tokens\":1}"));
    assert_eq!(seen(empty()).deltas(), [Value::Null; 0]);
}

#[test]
fn usage_comes_only_where_it_was_asked_for() {
    let endpoint = Endpoint::script([text("x")]);
    let mut request = ask("go");
    request.as_object_mut().unwrap().remove("stream_options");
    assert!(!Client::connect(&endpoint).chat(&request).body().contains("usage"));
    endpoint.finish();
}

#[test]
fn json_comes_where_no_stream_was_asked_for_or_the_script_says_so() {
    let seen = seen(thinking("hm").text("a").text("b").calls([call("Read", json!({}))]).in_json());
    assert!(seen.head.contains("content-type: application/json"));
    let answer: Value = serde_json::from_str(&seen.body()).unwrap();
    let message = &answer["choices"][0]["message"];
    assert_eq!((&message["content"], &message["reasoning_content"]), (&json!("ab"), &json!("hm")));
    assert_eq!(message["tool_calls"][0]["id"], "call_1");
    let endpoint = Endpoint::script([text("x")]);
    let mut request = ask("go");
    request["stream"] = json!(false);
    assert!(Client::connect(&endpoint).chat(&request).body().starts_with('{'));
    endpoint.finish();
}

#[test]
fn errors_have_a_status_headers_and_a_body() {
    let limited = seen(status(429).header("Retry-After", "1").header("retry-after", "2"));
    assert_eq!(limited.status, 429);
    assert!(limited.head.contains("retry-after: 2") && !limited.head.contains("Retry-After: 1"));
    assert!(limited.body().contains("scripted 429"));
    let gateway = seen(status(502).body("text/html", "<h1>Bad Gateway</h1>"));
    assert_eq!((gateway.status, gateway.body().as_str()), (502, "<h1>Bad Gateway</h1>"));
    assert!(gateway.head.contains("content-type: text/html"));
}

#[test]
fn bodies_and_content_types_may_be_wrong() {
    assert_eq!(seen(raw_sse("data: {\n\n")).body(), "data: {\n\n");
    assert_eq!(seen(body("text/plain", "hello")).body(), "hello");
    let wrong = seen(text("x").header("Content-Type", "text/html"));
    assert_eq!(wrong.head.matches("ontent-").count(), 1, "{}", wrong.head);
    assert!(seen(text("a").raw(": ping\n\n").text("b")).body().contains("\n\n: ping\n\ndata"));
}

#[test]
fn connections_break_where_the_script_says() {
    for (answer, status, said, end) in [
        (cut(), 0, "", End::Closed),
        (reset(), 0, "", End::Reset),
        (empty().reset(), 200, "", End::Reset),
        (text("Hel").cut().text("lo"), 200, "Hel", End::Closed),
        (text("Hel").reset().text("lo"), 200, "Hel", End::Reset),
    ] {
        let label = format!("{answer:?}");
        let answer = seen(answer);
        assert_eq!(
            (answer.status, answer.said("content").as_str(), answer.end),
            (status, said, end),
            "{label}"
        );
    }
    let stream = seen(text("x").cut_after(3));
    assert_eq!((stream.body().as_str(), stream.end), ("dat", End::Closed));
    let object = seen(body("application/json", "{\"a\": 1}").cut_after(4));
    assert_eq!((object.body().as_str(), object.end), ("{\"a\"", End::Closed));
}

#[test]
fn a_body_is_split_where_the_script_says() {
    let sizes = |answer| seen(answer).chunks.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(raw_sse("data: hello\n\n").dribble_bytes(1)), [1; 13]);
    assert_eq!(sizes(raw_sse("data: hello\n\n").dribble_bytes(5)), [5, 5, 3]);
    assert_eq!(sizes(raw_sse("data: hello\n\n").split_at([7, 6, 99])), [6, 1, 6]);
    let dribbled = seen(text("größer").dribble_bytes(1));
    assert_eq!(dribbled.said("content"), "größer");
    assert!(dribbled.chunks.iter().all(|chunk| chunk.len() == 1));
}

#[test]
fn an_answer_waits_at_a_gate_for_the_test() {
    // single letters that stand nowhere else, as a dribbled word has chunk sizes inside
    for dribble in [false, true] {
        let (head, middle) = (Gate::new(), Gate::new());
        let answer = text("Q").hold(&middle).text("Z").hold_head(&head);
        let endpoint = Endpoint::script([if dribble { answer.dribble_bytes(3) } else { answer }]);
        let mut client = Client::connect(&endpoint);
        client.send(&ask("go"));
        head.wait_reached();
        head.open();
        middle.wait_reached();
        client.read_until("Q");
        assert_eq!(format!("{middle:?}"), "Gate(open: false)");
        middle.open();
        client.read_until("Z");
        client.read_until("0\r\n\r\n");
        endpoint.finish();
    }
}

#[test]
fn a_client_that_hangs_up_is_noticed() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([stall(), text("Hel").stall(), text("Hel").hold(&gate)]);
    for number in 1..=3 {
        let mut client = Client::connect(&endpoint);
        client.send(&ask("go"));
        endpoint.wait_for_request(number);
        drop(client);
        assert_eq!(endpoint.wait_for_hangup(), number);
    }
    endpoint.finish();
}

#[test]
fn a_client_that_closes_after_the_answer_has_not_hung_up() {
    let endpoint = Endpoint::script([text("whole"), stall()]);
    Client::connect(&endpoint).chat(&ask("go"));
    let mut client = Client::connect(&endpoint);
    client.send(&followed_by(
        ask("go"),
        [json!({"role": "assistant", "content": "whole"}), json!({"role": "user", "content": "x"})],
    ));
    endpoint.wait_for_request(2);
    drop(client);
    assert_eq!(endpoint.wait_for_hangup(), 2, "the first hang-up is that of the second request");
    endpoint.finish();
}

#[test]
fn an_endpoint_can_be_dropped_while_it_waits() {
    let endpoint = Endpoint::script([text("Hel").stall()]);
    let mut client = Client::connect(&endpoint);
    client.send(&ask("go"));
    client.read_until("Hel");
    drop(endpoint);
    assert!(!client.rest().contains("lo"), "the answer ends where it stood");
}

#[test]
fn requests_are_recorded_with_their_connection() {
    let endpoint = Endpoint::script([calls([call("Read", json!({}))]), text("done")]);
    let mut client = Client::connect(&endpoint);
    let mut first = ask("go");
    first["tools"] = json!([{"function": {"name": "Read"}}]);
    client.chat(&first);
    let call = json!({"role": "assistant", "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "Read", "arguments": "{}"}},
    ]});
    let result =
        json!({"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "1: fn"}]});
    client.chat(&followed_by(first.clone(), [call, result]));
    assert_eq!(client.get("/v1/other").status, 404);
    let last = endpoint.wait_for_request(2);
    assert_eq!((last.number, last.connection, last.roles().as_str()), (2, 1, "system user assistant tool"));
    assert_eq!((last.last_text(), last.tool_result("call_1")), ("1: fn".to_owned(), "1: fn".to_owned()));
    assert_eq!(last.tool_names(), ["Read"]);
    assert_eq!(last.header("authorization"), Some("Bearer k"));
    let requests = endpoint.requests();
    assert_eq!((&requests[0].body, requests[0].raw.as_slice()), (&first, first.to_string().as_bytes()));
    assert!(requests[0].at <= last.at);
    assert_eq!((endpoint.connections(), endpoint.other_requests()), (1, vec!["GET /v1/other".to_owned()]));
    endpoint.finish();
}

#[test]
fn models_are_listed() {
    let endpoint = Endpoint::script([]).models(["a", "b"]);
    let list: Value = serde_json::from_str(&Client::connect(&endpoint).get("/v1/models").body()).unwrap();
    assert_eq!((&list["data"][0]["id"], &list["data"][1]["id"]), (&json!("a"), &json!("b")));
    endpoint.finish();
}

#[test]
fn an_answer_for_certain_words_waits_for_them() {
    let endpoint = Endpoint::script([text("for b").only_for("bee"), text("for any")]);
    endpoint.push(text("pushed"));
    let mut client = Client::connect(&endpoint);
    for (words, said) in [("ay", "for any"), ("a bee", "for b"), ("cee", "pushed")] {
        assert_eq!(client.chat(&ask(words)).said("content"), said);
    }
    endpoint.finish();
}

#[test]
fn an_endless_answer_follows_the_script() {
    let endpoint = Endpoint::script([text("once")]).then_forever(text("again"));
    let mut client = Client::connect(&endpoint);
    for said in ["once", "again", "again"] {
        assert_eq!(client.chat(&ask(said)).said("content"), said);
    }
    endpoint.finish();
}

#[test]
fn a_request_beyond_the_script_fails_the_test() {
    let endpoint = Endpoint::script([]);
    assert_eq!(Client::connect(&endpoint).chat(&ask("go")).status, 500);
    let message = failure(move || endpoint.finish());
    assert!(message.contains("request 1: unexpected") && message.contains("system user"), "{message}");
}

#[test]
fn an_answer_left_over_fails_the_test() {
    let endpoint = Endpoint::script([text("never asked for")]);
    assert!(failure(move || endpoint.finish()).contains("1 answers left"));
    drop(Endpoint::script([text("never asked for")]));
}

#[test]
fn a_bad_request_is_refused_takes_no_answer_and_fails_the_test() {
    let endpoint = Endpoint::script([text("fine")]);
    let mut client = Client::connect(&endpoint);
    let seen = client.chat(&followed_by(ask("go"), [json!({"role": "user", "content": "more"})]));
    assert_eq!(seen.status, 400);
    assert!(seen.body().contains("two adjacent user messages"));
    client.send_raw(b"{");
    assert_eq!(client.seen().status, 400);
    assert_eq!(client.chat(&ask("go")).said("content"), "fine");
    let message = failure(move || drop(endpoint));
    assert!(
        message.contains("request 1: messages[2]: two adjacent") && message.contains("request 2: no JSON")
    );
}

#[test]
fn whether_an_answer_was_whole_decides_what_may_follow() {
    let grown = || ask("go\n\nmore");
    let carried_on = || {
        followed_by(
            ask("go"),
            [json!({"role": "assistant", "content": "x"}), json!({"role": "user", "content": "more"})],
        )
    };
    for (first, partial) in [
        (text("x"), false),
        (text("x").finish("length"), false),
        (text("x").no_finish(), false),
        (calls([call("Read", json!({}))]), false),
        (text("x").no_finish().no_done(), true),
        (text("x").finish("content_filter"), true),
        (text(" "), true),
        (thinking("hm"), true),
        (text("x").cut(), true),
        (text("x").cut_after(9), true),
        (reset(), true),
        (status(500), true),
    ] {
        let label = format!("{first:?}");
        let endpoint = Endpoint::script([first, text("y")]);
        Client::connect(&endpoint).chat(&ask("go"));
        let mut after = carried_on();
        after["messages"][1] = grown()["messages"][1].clone();
        Client::connect(&endpoint).chat(&after);
        assert_eq!(endpoint.take_violations().is_empty(), partial, "{label}");
    }
}

#[test]
fn a_declared_break_is_lawful() {
    let endpoint = Endpoint::script([text("x"), text("y")]);
    let mut client = Client::connect(&endpoint);
    client.chat(&ask("go"));
    let other = [json!({"role": "assistant", "content": "z"}), json!({"role": "user", "content": "more"})];
    let broken = followed_by(ask("summary"), other);
    assert_eq!(client.chat(&broken).status, 400);
    assert_eq!(endpoint.take_violations().len(), 1);
    endpoint.allow_break();
    assert_eq!(client.chat(&broken).status, 200);
    endpoint.finish();
}
