//! L30: dropped by the caller, wherever it stands. The line is closed, and the next request gets its answer.

use super::answer::{Answer, HEL, busy, events, half, hello, raw, stream};
use super::{Case, Kind, case};

/// Places in an answer of so many deltas; each is an event.
const DELTAS: usize = 40;

pub(super) fn cases() -> Vec<Case> {
    let places: &[(&str, Answer, usize)] = &[
        ("before it is sent", hello(), 1),
        ("while the head is awaited", raw("").stall(), 2),
        ("in the middle of the head", raw("HTTP/1.1 200 OK\r\n").stall(), 2),
        ("when the answer begins", half().stall(), 3),
        ("in the first text", half().stall(), 4),
        (
            "in the first thought",
            events([r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#]).stall(),
            4,
        ),
        ("in the pause behind a refusal", busy(503), 3),
        ("in the pause behind a broken answer", half(), 5),
    ];
    let first = |answer: &Answer, after: usize| {
        // What is dropped before it is sent takes no answer from the server.
        if after == 1 { vec![hello()] } else { vec![answer.clone(), hello()] }
    };
    let mut cases: Vec<Case> = places
        .iter()
        .map(|(name, answer, after)| case("L30", *name, first(answer, *after)).dropped(*after))
        .collect();
    cases.push(case("L30", "nobody drops it, and it fails", [half(), half(), half()]).fails(
        Kind::GiveUp,
        None,
        &["broke off"],
    ));
    // A delta a write, so that each is an event of its own; the pause lets it be read before the next one.
    let slowly = || stream(format!("data: {HEL}\n\n").repeat(DELTAS)).chunked(HEL.len() + 8).stall();
    cases.extend((4..4 + DELTAS).map(|after| {
        let paced = slowly().slow(HEL.len() + 16, 1);
        case("L30", format!("after {after} events"), [paced, hello()]).dropped(after)
    }));
    cases
}

#[tokio::test]
async fn what_is_dropped_is_over_and_the_next_one_works() {
    super::check_all(cases()).await;
}
