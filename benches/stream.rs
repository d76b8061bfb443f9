//! How fast an answer is read: from the bytes of its body to the text that is told, on one core.
//!
//! Not the network, and not the screen. The surprise to keep in mind: a body is mostly wrapping, some two hundred bytes for
//! each word, so the figure is bytes of body; the floor is 200 MB a second for each kind, many times what any
//! network brings. `max alloc` is the other figure: what is kept of an answer is its text, once, whatever it came in.

use std::sync::Arc;

use clawd::chat::answer::accumulate::{Accumulator, Opening, Reading, TextCalls};
use clawd::chat::answer::sse::SseReader;
use clawd::protocol::ToolSpec;
use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use serde_json::json;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Bytes of a body.
const BODY: usize = 8 * 1024 * 1024;

/// What a connection hands over at once.
const PIECE: usize = 16 * 1024;

/// Events are taken after so many bytes, as the service does.
const BATCH: usize = 256 * 1024;

fn main() {
    divan::main();
}

/// A word in each event, some of them with an escape or more than ASCII.
#[divan::bench]
fn words(bencher: Bencher<'_, '_>) {
    const WORDS: [&str; 10] = [
        "the ",
        "function ",
        "returns\n",
        " a value",
        "let x = ",
        "é ü",
        " of",
        " `code`",
        "\"quoted\"",
        " List<T> ",
    ];
    let body = body("\n", BODY, |number| content(turn(&WORDS, number)));
    read(bencher, &body, Reading::default);
}

/// The same with line ends of two characters.
#[divan::bench]
fn words_with_crlf(bencher: Bencher<'_, '_>) {
    let body = body("\r\n", BODY, |_| content("function "));
    read(bencher, &body, Reading::default);
}

/// A letter in each event.
#[divan::bench]
fn letters(bencher: Bencher<'_, '_>) {
    let body = body("\n", BODY, |number| content(turn(&["a", "b", " ", "\n"], number)));
    read(bencher, &body, Reading::default);
}

/// A million letters: 200 MB of body for 1 MB of text.
#[divan::bench(sample_count = 3)]
fn a_million_letters(bencher: Bencher<'_, '_>) {
    let body = body("\n", 1_000_000 * content("a").len(), |_| content("a"));
    read(bencher, &body, Reading::default);
}

/// Four kilobytes in each event.
#[divan::bench]
fn pages(bencher: Bencher<'_, '_>) {
    let page = "The quick brown fox jumps over the lazy dog. ".repeat(91);
    let body = body("\n", BODY, |_| content(&page));
    read(bencher, &body, Reading::default);
}

/// Four kilobytes of code in each event: escapes in every line.
#[divan::bench]
fn pages_of_code(bencher: Bencher<'_, '_>) {
    let page = "fn main() {\n    println!(\"Hello\");\n}\n".repeat(108);
    let body = body("\n", BODY, |_| content(&page));
    read(bencher, &body, Reading::default);
}

/// 50 MB of text in events of four kilobytes.
#[divan::bench(sample_count = 3)]
fn a_flood(bencher: Bencher<'_, '_>) {
    let page = "The quick brown fox jumps over the lazy dog. ".repeat(91);
    let body = body("\n", 50 * 1024 * 1024, |_| content(&page));
    read(bencher, &body, Reading::default);
}

/// Calls whose arguments come in pieces of a few letters.
#[divan::bench]
fn calls(bencher: Bencher<'_, '_>) {
    const PIECES: [&str; 4] = ["{\"pa", "th\":", "\"src/", "main.rs\"}"];
    let body = body("\n", BODY, |number| {
        let (call, piece) = ((number / 64) % 64, number % 64);
        let function = match piece {
            0 => json!({"index": call, "id": format!("call_{number}"), "type": "function",
                "function": {"name": "Read", "arguments": ""}}),
            piece => json!({"index": call, "function": {"arguments": turn(&PIECES, piece)}}),
        };
        chunk(&json!({"tool_calls": [function]}))
    });
    read(bencher, &body, Reading::default);
}

/// Thoughts between tags, where each `<` might be the end of them.
#[divan::bench]
fn thoughts(bencher: Bencher<'_, '_>) {
    let body = body("\n", BODY, |number| content(turn(&["so ", "a < b ", "hm", "\n"], number)));
    read(bencher, &body, || Reading { opening: Opening::Thoughts, ..Reading::default() });
}

/// Words that may hold calls: every line begins with what could be one.
#[divan::bench]
fn words_with_tags(bencher: Bencher<'_, '_>) {
    let tools: Arc<[ToolSpec]> = Arc::new([]);
    let body = body("\n", BODY, |number| content(turn(&["\n<t", "ool> ", "<b>", "`x` "], number)));
    read(bencher, &body, || Reading {
        text_calls: TextCalls::All,
        tools: Arc::clone(&tools),
        ..Reading::default()
    });
}

fn read(bencher: Bencher<'_, '_>, body: &[u8], reading: impl Fn() -> Reading + Sync) {
    bencher.counter(BytesCount::of_slice(body)).bench(|| {
        let (mut accumulator, mut reader) = (Accumulator::new(reading()), SseReader::default());
        let mut taken = 0;
        for piece in body.chunks(PIECE) {
            let is_read = reader.push(piece, |event| accumulator.push(&event.data)).is_ok();
            assert!(is_read);
            taken += piece.len();
            if taken % BATCH < PIECE {
                black_box(accumulator.take_events());
            }
        }
        let finished = accumulator.finish(&"m".into());
        assert!(finished.completion.is_ok());
        black_box(finished)
    });
}

/// About `bytes` of events, and the end of an answer.
fn body(line_end: &str, bytes: usize, event: impl Fn(usize) -> String) -> Vec<u8> {
    let mut body = String::new();
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    let mut add = |event: &str| {
        body += "data: ";
        body += event;
        body += line_end;
        body += line_end;
        body.len()
    };
    let mut number = 0;
    while add(&event(number)) < bytes {
        number += 1;
    }
    add(&end);
    body.into_bytes()
}

/// One text after the other, and again.
fn turn<'a>(texts: &[&'a str], number: usize) -> &'a str {
    texts.get(number % texts.len()).copied().unwrap_or_default()
}

fn content(text: &str) -> String {
    chunk(&json!({"content": text}))
}

/// An event as most endpoints write it.
fn chunk(delta: &serde_json::Value) -> String {
    json!({
        "id": "chatcmpl-9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        "object": "chat.completion.chunk",
        "created": 1_763_751_234,
        "model": "gpt-4o-mini-2024-07-18",
        "system_fingerprint": "fp_1a2b3c4d5e",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}],
    })
    .to_string()
}
