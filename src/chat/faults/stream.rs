//! L12 to L16: event streams, well-formed and not.

use super::answer::{Answer, DONE, HEL, LO, STOP, events, hello, lines, stream};
use super::{Case, Kind, case};
use crate::protocol::NoticeKind;

pub(super) fn cases() -> Vec<Case> {
    [forms(), odd_lines(), errors(), ends(), behind_the_end()].concat()
}

/// The events of `hello` with lines that end and begin in another way.
fn written(line_end: &str, field: &str) -> String {
    [HEL, LO, STOP, "[DONE]"].into_iter().flat_map(|data| [field, data, line_end, line_end]).collect()
}

/// L12: the same whatever the form.
fn forms() -> Vec<Case> {
    let form = |name: &str, body: String| case("L12", name, [stream(body)]);
    let named = written("\n", "event: message\nid: 7\nretry: 10\ndata: ");
    // One JSON value in two lines.
    let in_lines = HEL.replacen(",\"delta\"", ",\ndata: \"delta\"", 1);
    let big = "x".repeat(64 * 1024);
    let wide = format!(r#"{{"choices":[{{"delta":{{"content":"{big}"}}}}]}}"#);
    let mut cases = vec![
        form("CRLF", written("\r\n", "data: ")),
        form("CR", written("\r", "data: ")),
        form("mixed ends", format!("data: {HEL}\r\n\ndata: {LO}\n\r\ndata: {STOP}\r\r")),
        form("no space behind the colon", written("\n", "data:")),
        form("a mark at the beginning", "\u{FEFF}".to_owned() + &written("\n", "data: ")),
        form("names, ids, waits", named),
        form("comments between", format!(": hi\n\n{}", written("\n", ": alive\ndata: "))),
        form("empty data between", format!("data:\n\ndata: \n\n{}", written("\n", "data: "))),
        form("blank lines between", format!("\n\n\n{}", written("\n\n", "data: "))),
        form("an event in two lines", format!("data: {in_lines}\n\ndata: {LO}\n\ndata: {STOP}\n\n")),
        form("unknown fields", written("\n", "time: 1\nfoo\ndata: ")),
        form("no blank line at the end", format!("data: {HEL}\n\ndata: {LO}\n\ndata: {STOP}")),
        case("L12", "a line of 64 kB", [events([wide.as_str(), STOP])]).says(&big),
        case("L12", "a line of 64 kB in pieces", [events([wide.as_str(), STOP]).chunked(1000)]).says(&big),
    ];
    let split =
        |(name, answer): (&str, Answer)| case("L12", format!("each byte apart: {name}"), [answer.split(1)]);
    cases.extend(
        [
            ("LF", hello()),
            ("CRLF", stream(written("\r\n", "data: "))),
            ("CR", stream(written("\r", "data: "))),
            ("a mark", stream("\u{FEFF}".to_owned() + &written("\n", "data: "))),
        ]
        .map(split),
    );
    cases
}

/// L13: a bad line costs itself.
fn odd_lines() -> Vec<Case> {
    let with = |line: &str| events([HEL, line, LO, STOP]);
    let passed = |name: &str, line: &str| {
        case("L13", name, [with(line)]).notice(NoticeKind::Endpoint, "1 line of the response skipped")
    };
    vec![
        passed("no JSON", "{oops"),
        passed("half an object", r#"{"choices":[{"delta":{"con"#),
        case("L13", "choices of another type", [with(r#"{"choices":3}"#)]),
        case("L13", "a text", [with(r#""hi""#)]).notice(NoticeKind::Endpoint, "1 line"),
        case("L13", "two bad lines", [events([HEL, "{oops", "[", LO, STOP])])
            .notice(NoticeKind::Endpoint, "2 lines"),
        case("L13", "JSON of something else", [with(r#"{"ping":1}"#)]),
        passed("null", "null"),
    ]
}

/// L13: an error among the deltas.
fn errors() -> Vec<Case> {
    let with = |line: &str| events([HEL, line, LO, STOP]);
    let failed = |name: &str, line: &str| case("L13", name, [with(line), hello()]);
    vec![
        failed("a passing error", r#"{"error":{"message":"overloaded","code":529}}"#).retries(&["1/2!"]),
        failed("an error that is a text", r#"{"error":"something broke"}"#).retries(&["1/2!"]),
        failed(
            "an error with a name for it",
            r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        )
        .retries(&["1/2!"]),
        case("L13", "an error that stays", [with(r#"{"error":{"message":"bad words","code":400}}"#)]).fails(
            Kind::GiveUp,
            400,
            &["rejected the request (400): bad words"],
        ),
        case(
            "L13",
            "an empty account",
            [with(r#"{"error":{"message":"none","code":"insufficient_quota"}}"#)],
        )
        .fails(Kind::NextKey, 429, &["quota exhausted"]),
        case(
            "L13",
            "an empty account, and another key",
            [with(r#"{"error":{"message":"none","code":402}}"#), hello()],
        )
        .keys(2)
        .retries(&["1/1!"])
        .notice(NoticeKind::KeyRotated, "switching to KEY_2"),
        case("L13", "an overflow", [with(r#"{"error":{"message":"prompt is too long: 9 > 8"}}"#)]).fails(
            Kind::Compact,
            500,
            &["the conversation is too long for a"],
        ),
        case(
            "L13",
            "an event named error",
            [
                stream(format!(
                    "data: {HEL}\n\nevent: error\ndata: {{\"message\":\"busy\",\"code\":503}}\n\n"
                )),
                hello(),
            ],
        )
        .retries(&["1/2!"]),
        case("L13", "an error before all", [events([r#"{"error":{"message":"busy","code":503}}"#]), hello()]),
        case(
            "L13",
            "no error, although it is called so",
            [events([r#"{"error":null,"choices":[{"delta":{"content":"Hello"}}]}"#, STOP])],
        ),
    ]
}

/// L14, L15: what proves the end.
fn ends() -> Vec<Case> {
    let body = |data: &[&str]| stream(lines(data.iter().copied()));
    let other = |reason: &str| events([HEL, LO, &STOP.replace("stop", reason)]);
    let cut_off = |name: &str, answer: fn() -> Answer| {
        case("L15", name, [answer(), answer(), answer()])
            .fails(Kind::GiveUp, None, &["incomplete response"])
            .retries(&["1/2!", "2/2!"])
    };
    vec![
        case("L14", "a reason without [DONE]", [body(&[HEL, LO, STOP])]),
        case(
            "L14",
            "a reason, counts, no [DONE]",
            [body(&[HEL, LO, STOP, r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#])],
        )
        .counts(super::Counts::Are(3, 2)),
        case("L14", "a reason without [DONE], and then reset", [body(&[HEL, LO, STOP]).reset()]),
        case("L14", "a reason without [DONE], and then silence", [body(&[HEL, LO, STOP]).stall()]),
        case(
            "L14",
            "a reason in the delta of the text",
            [body(&[HEL, r#"{"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}"#])],
        ),
        case("L14", "a reason that nobody knows", [other("eos_token_id")]),
        case("L14", "a reason of another dialect", [other("end_turn")]),
        cut_off("no reason and the end", || stream(format!("data: {HEL}\n\n"))),
        cut_off("an empty reason", || {
            stream(lines([HEL, r#"{"choices":[{"delta":{},"finish_reason":""}]}"#]))
        }),
        cut_off("counts in the place of a reason", || {
            stream(lines([HEL, r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#]))
        }),
        case("L15", "a complete one after two that are not", [body(&[HEL]), body(&[HEL, LO]), hello()])
            .retries(&["1/2!", "2/2!"]),
        case("L15", "no reason and [DONE]", [events([HEL, LO])]),
        case(
            "L15",
            "an empty reason and [DONE]",
            [events([HEL, LO, r#"{"choices":[{"delta":{},"finish_reason":""}]}"#])],
        ),
        case(
            "L15",
            "counts, no reason and [DONE]",
            [events([HEL, LO, r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#])],
        )
        .counts(super::Counts::Are(3, 2)),
    ]
}

/// L16: the answer is over, whatever follows or does not.
fn behind_the_end() -> Vec<Case> {
    let late = r#"{"choices":[{"delta":{"content":"late"}}]}"#;
    vec![
        case(
            "L16",
            "more behind [DONE]",
            [stream(format!("data: {HEL}\n\ndata: {LO}\n\ndata: {STOP}\n\n{DONE}data: {late}\n\n{DONE}"))],
        ),
        case(
            "L16",
            "an error behind [DONE]",
            [stream(format!(
                "data: {HEL}\n\ndata: {LO}\n\ndata: {STOP}\n\n{DONE}data: {{\"error\":\"late\"}}\n\n"
            ))],
        ),
        case("L16", "[DONE], and the line stays open", [hello().stall()]),
        case("L16", "[DONE], and the line stays open, in chunks", [hello().chunked(50).open_ended().stall()]),
        case("L16", "[DONE], and then reset", [hello().reset()]),
        case(
            "L16",
            "[DONE] without a blank line, and the line stays open",
            [stream(format!("data: {HEL}\n\ndata: {LO}\n\ndata: {STOP}\n\ndata: [DONE]\n")).stall()],
        ),
    ]
}

#[tokio::test]
async fn a_stream_is_read_in_every_form() {
    super::check_all(forms()).await;
}

#[tokio::test]
async fn bad_lines_and_ends_are_told_apart_from_good_ones() {
    super::check_all([odd_lines(), errors(), ends(), behind_the_end()].concat()).await;
}
