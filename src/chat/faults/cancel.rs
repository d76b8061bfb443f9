//! L30: dropped by the caller, wherever it stands. The line is closed, and the next request gets its answer.

use super::answer::{Answer, HEL, busy, events, half, hello, raw, stream};
use super::{Case, Kind, Point, case};

/// Places in an answer of so many deltas.
const DELTAS: usize = 40;

pub(super) fn cases() -> Vec<Case> {
    let thought = events([r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#]);
    let places = [
        ("while the head is awaited", raw("").stall(), 2),
        ("in the middle of the head", raw("HTTP/1.1 200 OK\r\n").stall(), 2),
        ("when the answer begins", half().stall(), 3),
        ("in the first text", half().stall(), 4),
        ("in the first thought", thought.stall(), 4),
        ("in the pause behind a refusal", busy(503), 3),
        ("in the pause behind a broken answer", half(), 5),
    ];
    let at_place = |(name, answer, events): (&str, Answer, usize)| {
        case("L30", name, [answer, hello()]).dropped(Point::Events(events))
    };
    let in_text = |deltas: usize| {
        // A write a delta, so that they come one by one where there is time for it.
        let answer = stream(format!("data: {HEL}\n\n").repeat(DELTAS)).split(HEL.len() + 8).stall();
        case("L30", format!("after {deltas} deltas"), [answer, hello()]).dropped(Point::Text(3 * deltas))
    };
    let mut cases: Vec<Case> = places.into_iter().map(at_place).collect();
    cases.push(case("L30", "before it is sent", [hello()]).dropped(Point::Events(1)));
    let nobody = case("L30", "nobody drops it, and it fails", [half(), half(), half()]);
    cases.push(nobody.fails(Kind::GiveUp, None, &["incomplete response"]));
    cases.extend((1..=DELTAS).map(in_text));
    cases
}

#[tokio::test]
async fn what_is_dropped_is_over_and_the_next_one_works() {
    super::check_all(cases()).await;
}
