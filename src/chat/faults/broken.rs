//! L10, L11, L28, L29: connections that break, fall silent, or are framed oddly; and clocks that jump.

use super::answer::{Answer, DONE, HEL, LO, STOP, busy, events, half, hello, raw, status, stream};
use super::{Case, Kind, case};

pub(super) fn cases() -> Vec<Case> {
    [broken(), silent(), framed(), clocks()].concat()
}

/// A call whose arguments come in two deltas.
fn calling() -> Answer {
    events([
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"Write","arguments":"{\"p\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ])
}

/// L10: asked again; of what was shown it is said that it is void.
fn broken() -> Vec<Case> {
    let accented = || events([r#"{"choices":[{"delta":{"content":"né"}}]}"#, STOP]);
    let in_character = |answer: Answer| answer.cut(r#"data: {"choices":[{"delta":{"content":"n"#.len() + 1);
    let twice = ["1/2!", "2/2!"];
    vec![
        case("L10", "ended before the head", [raw(""), hello()]).retries(&["1/5"]),
        case("L10", "reset before the head", [raw("").reset(), hello()]).retries(&["1/5"]),
        case("L10", "ended in the head", [raw("HTTP/1.1 200 OK\r\ncontent-ty"), hello()]).retries(&["1/5"]),
        case("L10", "reset in the head", [raw("HTTP/1.1 200 OK\r\ncontent-ty").reset(), hello()])
            .retries(&["1/5"]),
        // asked again at once, in one piece
        case("L10", "ended behind the head", [hello().cut(0), hello()]).retries(&[]),
        case("L10", "ended behind the head, in chunks", [hello().chunked(99).cut(0), hello()]),
        case("L10", "reset behind the head", [hello().cut(0).reset(), hello()]),
        case("L10", "ended in the text", [half(), hello()]).retries(&["1/2!"]),
        case("L10", "ended in the text, in chunks", [half().chunked(7).cut(60), hello()]),
        case("L10", "ended in the text, short of its length", [hello().with_length().cut_at(LO), hello()])
            .retries(&["1/2!"]),
        case("L10", "reset in the text", [half().reset(), hello()]).retries(&["1/2!"]),
        case("L10", "ended in the middle of an event", [hello().cut_at("\"lo\""), hello()])
            .retries(&["1/2!"]),
        case("L10", "ended in the middle of a character", [in_character(accented()), accented()]).says("né"),
        case(
            "L10",
            "reset in the middle of a character",
            [in_character(accented().chunked(5)).reset(), accented()],
        )
        .says("né"),
        case("L10", "ended in a call's arguments", [calling().cut_at("1}"), calling()])
            .calls([r#"a|Write|{"p":1}"#])
            .retries(&["1/2"]),
        case("L10", "reset in a call's arguments", [calling().cut_at("1}").reset(), calling()])
            .calls([r#"a|Write|{"p":1}"#]),
        case(
            "L10",
            "ended in thoughts",
            [
                events([r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#]).cut_at("data: [DONE]"),
                hello(),
            ],
        )
        .retries(&["1/2!"]),
        case("L10", "ended again and again", [half(), half(), half()])
            .fails(Kind::GiveUp, None, &["incomplete response from 127.0.0.1:", "incomplete response"])
            .retries(&twice),
        case("L10", "ended, then refused, then whole", [half(), busy(503), hello()])
            .retries(&["1/2!", "1/5"]),
        case("L10", "ended, and no other try is wanted", [half()]).max_retries(0).fails(
            Kind::GiveUp,
            None,
            &["incomplete response"],
        ),
        case("L10", "another model is no help", [half(), half(), half()]).models(&["b"]).fails(
            Kind::GiveUp,
            None,
            &["incomplete response"],
        ),
        case("L10", "ended in the body of an error", [busy(500).with_length().cut(9), hello()])
            .retries(&["1/5"]),
        case("L10", "reset in the body of an error", [busy(500).with_length().cut(9).reset(), hello()])
            .retries(&["1/5"]),
    ]
}

/// L11: silence ends it, and any byte counts as life.
fn silent() -> Vec<Case> {
    let comments = || {
        let body = ": alive\n\n".repeat(8) + &format!("data: {HEL}\n\ndata: {LO}\n\ndata: {STOP}\n\n{DONE}");
        stream(body)
    };
    vec![
        case("L11", "no byte at all", [raw("").stall(), raw("").stall()])
            .patience(250, 10_000)
            .fails(Kind::GiveUp, None, &["no data from", "first_byte_timeout_secs"])
            .retries(&["1/1"]),
        case("L11", "no byte, then an answer", [raw("").stall(), hello()])
            .patience(250, 10_000)
            .retries(&["1/1"]),
        case("L11", "half a head", [raw("HTTP/1.1 200 OK\r\n").stall(), hello()])
            .patience(250, 10_000)
            .retries(&["1/1"]),
        case("L11", "a head alone", [hello().cut(0).stall(), hello()])
            .patience(250, 10_000)
            .retries(&["1/1"]),
        case("L11", "silence in the text", [half().stall(), hello()])
            .patience(10_000, 250)
            .retries(&["1/1!"]),
        case("L11", "silence in the text, twice", [half().stall(), half().stall()])
            .patience(10_000, 250)
            .fails(Kind::GiveUp, None, &["no data from", "request_timeout_secs"]),
        case("L11", "silence in a call", [calling().cut_at("1}").stall(), calling()])
            .patience(10_000, 250)
            .calls([r#"a|Write|{"p":1}"#]),
        case("L11", "comments are life", [comments().slow(9, 30)]).patience(10_000, 700),
        case("L11", "half lines are life", [hello().slow(20, 30)]).patience(10_000, 700),
        case("L11", "comments alone, then silence", [stream(": alive\n\n: alive\n\n").stall(), hello()])
            .patience(10_000, 250)
            .retries(&["1/1"]),
    ]
}

/// L28: how the bytes are wrapped.
fn framed() -> Vec<Case> {
    let body = format!("data: {HEL}\n\ndata: {LO}\n\ndata: {STOP}\n\n{DONE}");
    let chunk = |extension: &str| format!("{:x}{extension}\r\n{body}\r\n0\r\n", body.len());
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    let many =
        (0..90).map(|number| format!("x-{number}: {}\r\n", "y".repeat(60))).collect::<Vec<_>>().concat();
    vec![
        case("L28", "HTTP/1.0", [hello().version("HTTP/1.0").without("connection")]),
        case("L28", "with a length", [hello().with_length()]),
        case("L28", "a byte a chunk", [hello().chunked(1)]),
        case("L28", "trailers", [raw(format!("{chunked}{}x-checksum: 1\r\nx-more: 2\r\n\r\n", chunk("")))]),
        case("L28", "extensions of chunks", [raw(format!("{chunked}{}\r\n", chunk(";name=value")))]),
        case(
            "L28",
            "go on, then an answer",
            [raw(format!("HTTP/1.1 100 Continue\r\n\r\n{chunked}{}\r\n", chunk("")))],
        ),
        case(
            "L28",
            "hints, then an answer",
            [raw(format!("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n{chunked}{}\r\n", chunk("")))],
        ),
        case("L28", "no type at all", [hello().without("content-type")]),
        case(
            "L28",
            "a wrong type",
            [hello().without("content-type").header("content-type", "text/plain; charset=latin1")],
        ),
        case(
            "L28",
            "ninety headers",
            [raw(format!("HTTP/1.1 200 OK\r\n{many}connection: close\r\n\r\n{body}"))],
        ),
        case(
            "L28",
            "a length that is none",
            [raw(format!("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{body}")), hello()],
        )
        .retries(&["1/5"]),
        case("L28", "a chunk whose size is none", [raw(format!("{chunked}zz\r\n{body}")), hello()]),
        case(
            "L28",
            "compressed although nobody asked for it",
            [stream(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x04\x00".as_slice())
                .header("content-encoding", "gzip")],
        )
        .fails(Kind::GiveUp, None, &["compressed response (content-encoding: gzip)"])
        .retries(&[]),
        case("L28", "a large request", [hello()]).large(),
        case("L28", "a head a byte at a time", [hello().slow(1, 0)]),
        case(
            "L28",
            "a reason of another language",
            [raw(format!("HTTP/1.1 200 D'accord, \u{e9}\r\nconnection: close\r\n\r\n{body}"))],
        ),
    ]
}

/// L29: the time of day is looked at nowhere; a date counts from the answer's own.
fn clocks() -> Vec<Case> {
    let after = |date: &str, until: &str| busy(429).header("date", date).header("retry-after", until);
    vec![
        case(
            "L29",
            "the endpoint's clock is an hour behind the time",
            [after("Thu, 01 Jan 2026 11:00:00 GMT", "Thu, 01 Jan 2026 11:00:05 GMT"), hello()],
        )
        .delays(&[5000]),
        case(
            "L29",
            "the endpoint's clock is years ahead",
            [after("Fri, 01 Jan 2999 11:00:00 GMT", "Fri, 01 Jan 2999 11:00:05 GMT"), hello()],
        )
        .delays(&[5000]),
        case(
            "L29",
            "it jumps an hour between two answers",
            [
                after("Thu, 01 Jan 2026 11:00:00 GMT", "Thu, 01 Jan 2026 11:00:05 GMT"),
                after("Thu, 01 Jan 2026 10:00:00 GMT", "Thu, 01 Jan 2026 10:00:07 GMT"),
                hello(),
            ],
        )
        .delays(&[5000, 7000]),
        case(
            "L29",
            "a date before 1970",
            [
                status(503)
                    .header("date", "Thu, 01 Jan 1970 00:00:00 GMT")
                    .header("retry-after", "Wed, 31 Dec 1969 00:00:00 GMT"),
                hello(),
            ],
        )
        .retries(&["1/5"]),
    ]
}

#[tokio::test]
async fn a_connection_breaks() {
    super::check_all([broken(), framed(), clocks()].concat()).await;
}

#[tokio::test]
async fn a_connection_falls_silent() {
    super::check_all(silent()).await;
}
