//! L23 to L27: answers that refuse, are cut, are empty, hold what is no text, or count wrongly.

use super::answer::{Answer, HEL, LO, STOP, events, good, stream};
use super::{Case, Counts, Kind, case};
use crate::protocol::{NoticeKind, StopReason};

pub(super) fn cases() -> Vec<Case> {
    [filtered(), cut(), empty(), no_text(), counts()].concat()
}

fn ends(reason: &str) -> String {
    STOP.replace("stop", reason)
}

/// L23: shown as such, and never asked again.
fn filtered() -> Vec<Case> {
    let refused = |name: &str, data: &[&str], text: &str| {
        case("L23", name, [events(data.iter().copied())]).says(text).stops(StopReason::Refusal).retries(&[])
    };
    vec![
        refused("a filter in the middle", &[HEL, &ends("content_filter")], "Hel"),
        refused("a filter before all", &[&ends("content_filter")], ""),
        refused(
            "a refusal",
            &[r#"{"choices":[{"delta":{"content":null,"refusal":"I cannot"}}]}"#, STOP],
            "I cannot",
        ),
        refused(
            "a refusal in pieces",
            &[
                r#"{"choices":[{"delta":{"refusal":"I "}}]}"#,
                r#"{"choices":[{"delta":{"refusal":"cannot"}}]}"#,
                STOP,
            ],
            "I cannot",
        ),
        refused("as Google says it", &[&ends("SAFETY")], ""),
        case(
            "L23",
            "in an answer that is no stream",
            [good(
                "application/json",
                r#"{"choices":[{"message":{"refusal":"I cannot"},"finish_reason":"stop"}]}"#,
            )],
        )
        .says("I cannot")
        .stops(StopReason::Refusal),
        case(
            "L23",
            "a filter's error in the stream",
            [events([r#"{"error":{"message":"m","code":"content_filter"}}"#])],
        )
        .fails(Kind::GiveUp, 400, &["the content filter"])
        .retries(&[]),
    ]
}

/// L24: kept, and marked as cut.
fn cut() -> Vec<Case> {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"Write","arguments":"{\"p\":"}}]}}]}"#;
    vec![
        case("L24", "at the output limit", [events([HEL, LO, &ends("length")])]).cut(),
        case("L24", "as Anthropic says it", [events([HEL, LO, &ends("max_tokens")])]).cut(),
        case("L24", "as Google says it", [events([HEL, LO, &ends("MAX_TOKENS")])]).cut(),
        case("L24", "before any text", [events([ends("length").as_str()])]).says("").cut(),
        case("L24", "in a call", [events([call, &ends("length")])]).calls([r#"a|Write|{"p":"#]),
        case(
            "L24",
            "in an answer that is no stream",
            [good(
                "application/json",
                r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"length"}]}"#,
            )],
        )
        .cut(),
    ]
}

/// L25: nothing, in every shape; the loop asks for it again.
fn empty() -> Vec<Case> {
    let says =
        |name: &str, text: &str, data: &[&str]| case("L25", name, [events(data.iter().copied())]).says(text);
    let second = r#"{"choices":[{"index":1,"delta":{"content":"other"}}]}"#;
    let both =
        r#"{"choices":[{"index":0,"delta":{"content":"lo"}},{"index":1,"delta":{"content":"other"}}]}"#;
    vec![
        says("a reason alone", "", &[STOP]),
        says("space", " \n", &[r#"{"choices":[{"delta":{"content":" \n"}}]}"#, STOP]),
        says("thoughts alone", "", &[r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#, STOP]),
        says("a role first", "Hello", &[r#"{"choices":[{"delta":{"role":"assistant"}}]}"#, HEL, LO, STOP]),
        says(
            "content that is null",
            "Hello",
            &[r#"{"choices":[{"delta":{"content":null}}]}"#, HEL, LO, STOP],
        ),
        says(
            "no choices",
            "Hello",
            &[r#"{"choices":[]}"#, HEL, LO, STOP, r#"{"choices":[],"usage":{"prompt_tokens":1}}"#],
        ),
        says("choices that are null", "Hello", &[r#"{"choices":null}"#, HEL, LO, STOP]),
        says("a choice that is null", "Hello", &[r#"{"choices":[null]}"#, HEL, LO, STOP]),
        says(
            "a delta that is null",
            "Hello",
            &[r#"{"choices":[{"index":0,"delta":null,"finish_reason":null}]}"#, HEL, LO, STOP],
        ),
        says("two choices", "Hello", &[HEL, second, both, STOP]),
        says(
            "content in parts",
            "Hello",
            &[r#"{"choices":[{"delta":{"content":[{"type":"text","text":"Hello"}]}}]}"#, STOP],
        ),
        case(
            "L25",
            "an answer that is no stream, with nothing in it",
            [good("application/json", r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}"#)],
        )
        .says(""),
    ]
}

/// L26: replaced; one odd character costs only itself.
fn no_text() -> Vec<Case> {
    let bytes = |name: &str, text: &[u8], expected: &str| {
        let body = [
            br#"data: {"choices":[{"delta":{"content":""#,
            text,
            b"\"}}]}\n\ndata: ",
            STOP.as_bytes(),
            b"\n\n",
        ]
        .concat();
        case("L26", name, [stream(body)]).says(expected)
    };
    let replaced = |name: &str, text: &[u8], expected: &str, told: &'static str| {
        bytes(name, text, expected).notice(NoticeKind::Endpoint, told)
    };
    vec![
        replaced("half a pair", br"a\ud83db", "a\u{FFFD}b", "1 character"),
        replaced("the other half", br"a\ude00b", "a\u{FFFD}b", "1 character"),
        replaced("halves in the wrong order", br"\ude00\ud83d", "\u{FFFD}\u{FFFD}", "2 characters"),
        bytes("a whole pair", br"\ud83d\ude00", "\u{1F600}"),
        replaced("a byte that begins nothing", b"a\xFFb", "a\u{FFFD}b", "1 character"),
        replaced("half a character", b"a\xC3", "a\u{FFFD}", "1 character"),
        replaced("zero, escaped", br"a\u0000b", "a\u{FFFD}b", "1 character"),
        case(
            "L26",
            "zero, bare",
            [stream(
                [
                    b"data: {\"choices\":[{\"delta\":{\"content\":\"a\0b\"}}]}\n\ndata: ",
                    STOP.as_bytes(),
                    b"\n\n",
                ]
                .concat(),
            )],
        )
        .says("")
        .notice(NoticeKind::Endpoint, "1 line"),
        case(
            "L26",
            "in an answer that is no stream",
            [good(
                "application/json",
                r#"{"choices":[{"message":{"content":"a\ud83d"},"finish_reason":"stop"}]}"#,
            )],
        )
        .says("a\u{FFFD}")
        .notice(NoticeKind::Endpoint, "1 character"),
    ]
}

/// L27: unknown where they are no counts.
fn counts() -> Vec<Case> {
    let with = |usage: &str| -> Answer {
        let last = format!(r#"{{"choices":[],"usage":{usage}}}"#);
        events([HEL, LO, STOP, last.as_str()])
    };
    let unknown = |name: &str, usage: &str| case("L27", name, [with(usage)]).counts(Counts::Unknown);
    vec![
        case("L27", "none", [events([HEL, LO, STOP])]).counts(Counts::Unknown),
        unknown("null", "null"),
        unknown("zero", r#"{"prompt_tokens":0,"completion_tokens":0}"#),
        unknown("negative", r#"{"prompt_tokens":-3,"completion_tokens":-1}"#),
        unknown("huge", r#"{"prompt_tokens":18446744073709551615,"completion_tokens":1e300}"#),
        unknown("a text", r#""many""#),
        unknown("a list", "[3,2]"),
        unknown("of another kind", r#"{"seconds":3}"#),
        case("L27", "as texts", [with(r#"{"prompt_tokens":"3","completion_tokens":"2"}"#)]).counts(Counts::Are(3, 2)),
        case("L27", "under other names", [with(r#"{"input_tokens":3,"output_tokens":2}"#)]).counts(Counts::Are(3, 2)),
        case("L27", "in the choice", [events([HEL, LO, r#"{"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":2}}]}"#])])
            .counts(Counts::Are(3, 2)),
    ]
}

#[tokio::test]
async fn an_answer_that_is_odd_is_taken_for_what_it_is() {
    super::check_all([filtered(), cut(), empty()].concat()).await;
}

#[tokio::test]
async fn what_is_no_text_and_no_count_is_replaced() {
    super::check_all([no_text(), counts()].concat()).await;
}
