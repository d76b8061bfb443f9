//! L05 to L07: it may work later. How often it is asked again, after which pauses, and when not.

use super::answer::{Answer, busy, hello, refused, status};
use super::{Case, Kind, case};
use crate::protocol::NoticeKind;

pub(super) fn cases() -> Vec<Case> {
    [passing(), quota(), rate(), waits()].concat()
}

const FIVE: [&str; 5] = ["1/5", "2/5", "3/5", "4/5", "5/5"];

/// L05.
fn passing() -> Vec<Case> {
    let passes = |code: u16| case("L05", format!("{code} passes"), [busy(code), hello()]).retries(&["1/5"]);
    let codes = [408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 599];
    let mut cases: Vec<Case> = codes.into_iter().map(passes).collect();
    cases.extend([
        case("L05", "it does not pass", vec![busy(500); 6])
            .fails(Kind::GiveUp, 500, &["is unavailable (500): busy"])
            .retries(&FIVE),
        case("L05", "fewer tries are wanted", vec![busy(500); 3])
            .max_retries(2)
            .fails(Kind::GiveUp, 500, &[])
            .retries(&["1/2", "2/2"]),
        case("L05", "none are wanted", [busy(503)]).max_retries(0).fails(Kind::GiveUp, 503, &[]).retries(&[]),
        case("L05", "one after another", [busy(500), busy(429), busy(502), hello()])
            .retries(&["1/5", "2/5", "3/5"]),
        case("L05", "a model that is being loaded", [refused(503, "Loading model"), hello()])
            .delays(&[10_000]),
        case(
            "L05",
            "a model that is being loaded, and says how long",
            [refused(503, "Loading model").header("retry-after", "3"), hello()],
        )
        .delays(&[3000]),
        case("L05", "another model helps against 503", [vec![busy(503); 2], vec![hello()]].concat())
            .max_retries(1)
            .models(&["b"])
            .notice(NoticeKind::Fallback, "a is overloaded (503); switching to b"),
        case("L05", "another model helps against 529", [busy(529), hello()])
            .max_retries(0)
            .models(&["b"])
            .notice(NoticeKind::Fallback, "a is overloaded (529); switching to b"),
        case("L05", "another model does not help against 500", [busy(500)])
            .max_retries(0)
            .models(&["b"])
            .fails(Kind::GiveUp, 500, &[]),
    ]);
    cases
}

/// L06: an account that is empty.
fn quota() -> Vec<Case> {
    let quota = || {
        status(429)
            .json(r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#)
    };
    let daily = r#"[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"20s"}]}}]"#;
    vec![
        case("L06", "quota exhausted", [quota()])
            .fails(Kind::NextKey, 429, &["quota exhausted", "quota exhausted", "KEY_1"])
            .retries(&[]),
        case("L06", "nothing left, and another key", [quota(), hello()])
            .keys(2)
            .notice(NoticeKind::KeyRotated, "the key in KEY_1 has no quota left (429); switching to KEY_2"),
        case("L06", "nothing left, and another model is no help", [quota()]).models(&["b"]).fails(
            Kind::NextKey,
            429,
            &[],
        ),
        case("L06", "nothing left for today", [status(429).json(daily)]).fails(
            Kind::NextKey,
            429,
            &["Quota exceeded"],
        ),
    ]
}

/// L06: a rate.
fn rate() -> Vec<Case> {
    vec![
        case("L06", "too many requests", [busy(429), hello()]).retries(&["1/5"]),
        case("L06", "it stays", vec![busy(429); 6])
            .fails(Kind::GiveUp, 429, &["rate limit exceeded (429)"])
            .retries(&FIVE),
        case(
            "L06",
            "tokens in a minute are no overflow",
            [
                refused(
                    429,
                    "Rate limit reached for gpt-x on tokens per min (TPM): Limit 10000, Requested 12000",
                ),
                hello(),
            ],
        )
        .retries(&["1/5"]),
        case(
            "L06",
            "a large request is no overflow either",
            [refused(429, "Request too large for gpt-x on tokens per min (TPM): context length"), hello()],
        )
        .retries(&["1/5"]),
        case("L06", "another model after the tries", [vec![busy(429); 2], vec![hello()]].concat())
            .max_retries(1)
            .models(&["b"])
            .retries(&["1/1"])
            .notice(NoticeKind::Fallback, "a is rate-limited (429); switching to b"),
        case("L06", "the other model is busy too", vec![busy(429); 4])
            .max_retries(1)
            .models(&["b"])
            .fails(Kind::GiveUp, 429, &[])
            .notice(NoticeKind::Fallback, "switching to b"),
        case(
            "L06",
            "another key where there is no other model",
            [vec![busy(429); 2], vec![hello()]].concat(),
        )
        .max_retries(1)
        .keys(2)
        .notice(NoticeKind::KeyRotated, "the key in KEY_1 is rate-limited (429); switching to KEY_2"),
        case("L06", "another key where the wait is long", [busy(429).header("retry-after", "7200"), hello()])
            .keys(2)
            .models(&["b"])
            .notice(NoticeKind::KeyRotated, "the key in KEY_1 is rate-limited for 2 h (429)"),
    ]
}

/// L07.
fn waits() -> Vec<Case> {
    let after = |value: &str| busy(429).header("retry-after", value);
    let obeyed =
        |name: &str, answer: Answer, delay: u64| case("L07", name, [answer, hello()]).delays(&[delay]);
    // The first pause of our own, of the seed that the stack has.
    let own = |name: &str, answer: Answer| case("L07", name, [answer, hello()]).delays(&[OWN_PAUSE]);
    let too_long = |name: &str, answer: Answer, when: &str| {
        case("L07", name, [answer])
            .fails(Kind::Retry, 429, &["rate limit exceeded (429)", "try again in", when])
            .retries(&[])
    };
    let date = |value: &str| after(value).header("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    let google = r#"[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"20s"}]}}]"#;
    vec![
        obeyed("seconds", after("2"), 2000),
        obeyed("a second and a half", after("1.5"), 1500),
        obeyed("none", after("0"), 0),
        obeyed("a whole minute", after("60"), 60_000),
        obeyed("with a 503", busy(503).header("retry-after", "7"), 7000),
        own("less than none", after("-1")),
        own("no number", after("abc")),
        own("an empty one", after("")),
        own("a number without end", after("1e400")),
        obeyed("a past date without a clock to it", after("Sun, 06 Nov 1994 08:50:07 GMT"), 0),
        own("a date that is none", date("Sun, 31 Foo 1994 08:50:07 GMT")),
        obeyed("a date to come", date("Sun, 06 Nov 1994 08:50:07 GMT"), 30_000),
        obeyed("a date that is past", date("Sun, 06 Nov 1994 08:00:00 GMT"), 0),
        obeyed("twice", after("3").header("retry-after", "9"), 3000),
        obeyed("twice in a line", after("3, 9"), 3000),
        obeyed("milliseconds", busy(429).header("retry-after-ms", "250"), 250),
        obeyed("milliseconds before seconds", after("9").header("retry-after-ms", "250"), 250),
        obeyed("milliseconds that are none", after("9").header("retry-after-ms", "soon"), 9000),
        obeyed("in words", refused(429, "Please try again in 20s. Visit our site"), 20_000),
        obeyed("rephrase it", refused(429, "Please retry after 3 seconds."), 3000),
        obeyed("in minutes and seconds", refused(429, "Please try again in 0m2.5s"), 2500),
        obeyed("in words and a header", refused(429, "try again in 20s").header("retry-after", "1"), 1000),
        obeyed("in Google's details", status(429).json(google), 20_000),
        too_long("a day", after("86400"), "in 24 h"),
        too_long("a minute and a second", after("61"), "in 1 m 1 s"),
        too_long("a date far away", date("Sun, 06 Nov 1994 10:54:37 GMT"), "in 2 h 5 m"),
        too_long(
            "long, in words",
            refused(429, "Limit 100000 tokens per day. Please try again in 9m38.016s."),
            "in 9 m 38 s",
        ),
        case("L07", "long, and another model", [after("3600"), hello()])
            .models(&["b"])
            .notice(NoticeKind::Fallback, "switching to b"),
    ]
}

/// 500 ms and the jitter of the seed 7.
const OWN_PAUSE: u64 = 574;

#[tokio::test]
async fn a_bad_moment_passes() {
    super::check_all([passing(), quota(), rate()].concat()).await;
}

#[tokio::test]
async fn a_wait_is_obeyed_in_every_form() {
    super::check_all(waits()).await;
}
