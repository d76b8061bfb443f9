//! What went wrong, sorted by what to do about it, and said in one line.
//!
//! Pure: a status, a header, a body go in, a [`ChatError`] comes out. Endpoints write their errors in a dozen shapes and
//! put them in odd places (a rate limit inside a 200, an overflow inside a 500), so the words count as much as the
//! number. The surprising decision: an error inside a stream is given the status that it would have had outside, and
//! from there on there is one table.

use std::time::Duration;

use serde_json::Value;

use super::{ChatError, Remedy, Stage};
use crate::text::sanitize::sanitize_line;

/// An error text may have this many bytes.
const MAX_MESSAGE_BYTES: usize = 2000;

/// Who was asked for what; for the wording.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Host and port.
    pub(super) host: &'a str,
    /// Where the key came from (a variable's name); none where none was sent.
    pub(super) key: Option<&'a str>,
    /// The model.
    pub(super) model: &'a str,
}

/// An answer that is an error.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusal {
    /// The HTTP status.
    pub(super) status: u16,
    /// How long the endpoint wants to be left alone.
    pub(super) retry_after: Option<Duration>,
    /// Where it sends us.
    pub(super) location: Option<String>,
    /// What it said.
    pub(super) body: String,
}

/// What a body says of its error.
#[derive(Debug, Default, PartialEq)]
struct Said {
    /// In words; empty where it has none.
    text: String,
    /// Its names for it, in lower case: `code` and `type`.
    names: String,
    /// A number among them that is a status.
    status: Option<u16>,
}

/// Words by which endpoints say that the conversation is longer than the model's window. From their documentation and
/// error texts: `OpenAI`, Anthropic, Google, xAI, Groq, `OpenRouter`, llama.cpp, LM Studio, vLLM, Mistral, Moonshot, `MiniMax`.
const OVERFLOW: [&str; 18] = [
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "context_window",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input token count",
    "maximum prompt length",
    "reduce the length",
    "too many tokens",
    "token limit exceeded",
    "exceeded model token limit",
    "exceeds the maximum number of tokens",
    "request_too_large",
    "request too large for",
    "larger than the maximum",
];

/// Words by which endpoints say that an account is empty; waiting does not help.
const NO_QUOTA: [&str; 6] = [
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient credit",
    "billing_hard_limit",
    "credit balance is too low",
];

/// Names of errors that come without a number, and the status that they would have had.
const NAMED: [(&str, u16); 9] = [
    ("rate_limit", 429),
    ("overloaded", 529),
    ("authentication", 401),
    ("api_key", 401),
    ("permission", 403),
    ("model_not_found", 404),
    ("invalid_request", 400),
    ("timeout", 408),
    ("server_error", 500),
];

/// The endpoint answered with an error status.
pub(super) fn refusal(asked: Asked<'_>, refusal: &Refusal) -> ChatError {
    let said = Said::read(&refusal.body);
    let error = judge(asked, refusal.status, refusal.retry_after, &said);
    match &refusal.location {
        Some(place) if (300..400).contains(&refusal.status) => {
            let why = format!("{} sends the request elsewhere ({})", asked.host, refusal.status);
            ChatError { message: line(&format!("{why}: {place} (set base_url to where it points)")), ..error }
        }
        _ => error,
    }
}

/// The endpoint reported an error inside a good answer, given as it came.
pub(super) fn failure(asked: Asked<'_>, raw: &str, stage: Stage) -> ChatError {
    let said = Said::read(raw);
    let named = NAMED.iter().find(|(name, _)| said.names.contains(name)).map(|(_, status)| *status);
    let status = said.status.or(named).unwrap_or(500);
    judge(asked, status, None, &said).at(stage)
}

/// The answer stopped in the middle.
pub(super) fn broken(asked: Asked<'_>, why: &str) -> ChatError {
    let message = format!("the answer of {} broke off: {why}", asked.host);
    ChatError::new(Remedy::Retry { after: None }, line(&message)).at(Stage::Stream)
}

/// Nothing came for `time`.
pub(super) fn silence(asked: Asked<'_>, time: Duration, setting: &str) -> ChatError {
    let message = format!("{} has been silent for {} s (see {setting})", asked.host, time.as_secs());
    ChatError::new(Remedy::Retry { after: None }, message).at(Stage::Silence)
}

/// A whole JSON value that is no answer: an error in a shape of its own, or something else.
pub(super) fn odd(asked: Asked<'_>, json: &str) -> ChatError {
    if Said::read(json).text.is_empty() {
        return no_completion(asked, "JSON that is no chat completion");
    }
    failure(asked, json, Stage::Request)
}

/// A web page.
pub(super) fn page(asked: Asked<'_>, page: &str) -> ChatError {
    no_completion(asked, &format!("a web page: {}", page_text(page)))
}

/// The model's window was full before the answer was.
pub(super) fn window_full(asked: Asked<'_>) -> ChatError {
    let message = format!("the conversation is too long for {}: its answer no longer fits", asked.model);
    ChatError::new(Remedy::Compact, message).at(Stage::Stream)
}

/// What was read is no answer of a model.
fn no_completion(asked: Asked<'_>, what: &str) -> ChatError {
    ChatError::new(
        Remedy::GiveUp,
        line(&format!("{} answered with {what} (check base_url; it mostly ends in /v1)", asked.host)),
    )
}

/// No connection, or it ended before an answer came. `causes` from the outermost to the innermost.
pub(super) fn unsent(asked: Asked<'_>, causes: &[String], connected: bool) -> ChatError {
    let all = causes.join(": ").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
    let innermost = causes.last().map_or("no reason given", String::as_str);
    if connected {
        let message = format!("the connection to {} broke before an answer came: {innermost}", asked.host);
        return ChatError::new(Remedy::Retry { after: None }, line(&message));
    }
    let (why, hint) = if has(&["proxy auth", "407"]) {
        ("the proxy wants a name and a password", "put them into the proxy's URL")
    } else if has(&["dns error", "failed to lookup"]) {
        ("no such host", "check base_url and the network")
    } else if has(&["certificate", "tls", "handshake", "ssl"]) {
        (innermost, "check base_url, or trust the certificate of the host")
    } else if has(&["refused"]) {
        ("connection refused", "check that the server runs, and base_url")
    } else if has(&["timed out"]) {
        ("no connection in time", "check the network, or raise connect_timeout_secs")
    } else {
        (innermost, "check base_url and the network")
    };
    let remedy = if has(&["proxy auth", "407"]) { Remedy::GiveUp } else { Remedy::Retry { after: None } };
    let message = line(&format!("cannot reach {}: {why} ({hint})", asked.host));
    ChatError::new(remedy, message).at(Stage::Connect)
}

/// What `retry-after-ms` or `retry-after` says; `header` gives a header by its name. A date counts from the answer's own
/// `date`, so that a wrong clock here does no harm.
pub(super) fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| *number >= 0.0);
    if let Some(milliseconds) = header("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let value = header("retry-after")?;
    if let Some(seconds) = number(value) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = http_date(value)?;
    let now = header("date").and_then(http_date)?;
    Some(Duration::from_secs(until.saturating_sub(now)))
}

fn judge(asked: Asked<'_>, status: u16, after: Option<Duration>, said: &Said) -> ChatError {
    let remedy = remedy(status, after, said);
    let Asked { host, model, .. } = asked;
    let key = asked.key.map_or_else(
        || "no key is set: try CLAWD_API_KEY".to_owned(),
        |name| format!("check the key in {name}"),
    );
    let (what, hint) = match (&remedy, status) {
        (Remedy::Compact, _) => (format!("the conversation is too long for {model}"), String::new()),
        (Remedy::NextKey, 401 | 403) => (format!("{host} refused the key"), key),
        (Remedy::NextKey, _) => (format!("the account at {host} has nothing left"), key),
        (Remedy::NextModel, _) => (
            format!("{host} does not know the model {model}"),
            "try another --model, or check base_url".to_owned(),
        ),
        (Remedy::Retry { .. }, 429) => (format!("{host} gets too many requests"), String::new()),
        (Remedy::Retry { .. }, _) => (format!("{host} cannot answer now"), String::new()),
        (Remedy::GiveUp, _) => (format!("{host} refused the request"), String::new()),
    };
    let said = if said.text.is_empty() { String::new() } else { format!(": {}", said.text) };
    let hint = if hint.is_empty() { hint } else { format!(" ({hint})") };
    // The hint must not be what the limit cuts off.
    let message = line(&format!("{what} ({status}){said}")) + &hint;
    ChatError::new(remedy, message).with_status(status)
}

fn remedy(status: u16, after: Option<Duration>, said: &Said) -> Remedy {
    let words = said.text.to_lowercase();
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word) || said.names.contains(word));
    match status {
        401..=403 => Remedy::NextKey,
        _ if says(&NO_QUOTA) => Remedy::NextKey,
        429 => Remedy::Retry { after },
        413 => Remedy::Compact,
        400 if said.text.is_empty() && said.names.is_empty() => Remedy::Compact,
        _ if says(&OVERFLOW) => Remedy::Compact,
        404 => Remedy::NextModel,
        400 if said.names.contains("model_not_found") => Remedy::NextModel,
        408 | 409 | 425 | 500.. => Remedy::Retry { after },
        _ => Remedy::GiveUp,
    }
}

impl Said {
    fn read(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::of(&value),
            Err(_) => Self { text: page_text(body), ..Self::default() },
        }
    }

    /// The error in `value`: an `error` or the first of a list if there is one, else the value itself.
    fn of(value: &Value) -> Self {
        let inner = match value {
            Value::Array(list) => list.first(),
            Value::Object(object) => ["error", "errors"].into_iter().find_map(|name| object.get(name)),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
        };
        if let Some(inner) = inner.filter(|inner| !inner.is_null()) {
            let Self { text, names, status } = Self::of(inner);
            // Some write `{"error": "name", "message": "words"}`.
            let outer = value.get("message").and_then(Value::as_str).unwrap_or_default();
            let text = if outer.is_empty() { text } else { outer.to_owned() };
            return Self { text, names, status };
        }
        if let Value::String(text) = value {
            return Self { names: text.to_lowercase(), text: text.clone(), status: None };
        }
        let texts = ["message", "detail", "msg", "error_description"];
        let text = texts.into_iter().find_map(|name| value.get(name)).map_or_else(String::new, plain);
        let named = ["code", "type", "status"].into_iter().filter_map(|name| value.get(name));
        let mut said = Self { text, ..Self::default() };
        for name in named {
            let name = plain(name).to_lowercase();
            said.status =
                said.status.or_else(|| name.parse().ok().filter(|status| (400..600).contains(status)));
            said.names.push_str(&name);
            said.names.push(' ');
        }
        said
    }
}

/// A text as it is; anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// The words of a web page, or a plain text as it is.
fn page_text(body: &str) -> String {
    let body = body.trim();
    if !body.starts_with('<') {
        return body.to_owned();
    }
    let title = body.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    title.map_or_else(|| "a web page".to_owned(), |(title, _)| title.trim().to_owned())
}

/// One line for a person: no control characters, and not longer than the limit.
fn line(text: &str) -> String {
    let clean = sanitize_line(text.trim());
    match clean.char_indices().find(|(at, _)| *at > MAX_MESSAGE_BYTES) {
        Some((at, _)) => clean.get(..at).unwrap_or_default().to_owned() + "…",
        None => clean.into_owned(),
    }
}

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of a date that is still sent.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.trim().split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = (1..).zip(MONTHS).find(|(_, name)| *name == month)?.0;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|number| number.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    Some(days_since_1970(year, month, day)? * 86400 + hour * 3600 + minute * 60 + second)
}

/// Years are counted from March, so that a leap day is the last day of its year.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    // That of 1 January 1970 in the same count.
    days.checked_sub(719_469)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Asked<'_> = Asked { host: "api.example.com", key: Some("THE_KEY"), model: "gpt-x" };

    fn answer(status: u16, body: &str) -> ChatError {
        refusal(ASKED, &Refusal { status, body: body.to_owned(), ..Refusal::default() })
    }

    const RETRY: Remedy = Remedy::Retry { after: None };

    #[test]
    fn the_status_and_the_words_decide_what_to_do() {
        #[track_caller]
        fn check(status: u16, body: &str, expected: &Remedy) {
            let error = answer(status, body);
            assert_eq!(&error.remedy, expected, "{status} {body}");
            assert_eq!(error.status, Some(status));
        }
        for status in [408, 409, 425, 429, 500, 502, 503, 504, 520, 529] {
            check(status, "", &RETRY);
        }
        for status in [401, 402, 403] {
            check(status, "{}", &Remedy::NextKey);
        }
        check(404, "", &Remedy::NextModel);
        check(400, r#"{"error":{"message":"no","code":"model_not_found"}}"#, &Remedy::NextModel);
        check(400, r#"{"error":{"message":"bad temperature"}}"#, &Remedy::GiveUp);
        check(422, r#"{"detail":[{"msg":"field required"}]}"#, &Remedy::GiveUp);
        check(429, r#"{"error":{"message":"no","code":"insufficient_quota"}}"#, &Remedy::NextKey);
        check(429, r#"{"error":{"message":"maximum context length per minute"}}"#, &RETRY);
        check(
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#,
            &Remedy::Compact,
        );
        check(400, r#"{"error":"the request exceeds the available context size"}"#, &Remedy::Compact);
        check(400, r#"{"object":"error","message":"x","code":"context_length_exceeded"}"#, &Remedy::Compact);
        check(500, r#"[{"error":{"message":"The input token count exceeds the limit"}}]"#, &Remedy::Compact);
        check(400, "", &Remedy::Compact);
        check(413, "<html>too large</html>", &Remedy::Compact);
    }

    #[test]
    fn an_error_says_what_why_and_how_to_mend_it() {
        #[track_caller]
        fn check(status: u16, body: &str, expected: &str) {
            assert_eq!(answer(status, body).message, expected);
        }
        check(
            401,
            r#"{"error":{"message":"bad key"}}"#,
            "api.example.com refused the key (401): bad key (check the key in THE_KEY)",
        );
        check(
            404,
            "<html><head><title>Not\nfound</title></head></html>",
            "api.example.com does not know the model gpt-x (404): Not⏎found (try another --model, or check base_url)",
        );
        check(429, "slow down\u{1b}[31m", "api.example.com gets too many requests (429): slow down");
        check(503, "", "api.example.com cannot answer now (503)");
        check(400, r#"{"detail":"no"}"#, "api.example.com refused the request (400): no");
        let keyless = Asked { key: None, ..ASKED };
        let missing = refusal(keyless, &Refusal { status: 401, ..Refusal::default() });
        assert_eq!(
            missing.message,
            "api.example.com refused the key (401) (no key is set: try CLAWD_API_KEY)"
        );
    }

    #[test]
    fn a_long_error_is_cut_but_its_hint_stays() {
        let message = answer(401, &"é".repeat(5000)).message;
        assert!(message.len() < MAX_MESSAGE_BYTES + 100, "{}", message.len());
        assert!(message.ends_with("… (check the key in THE_KEY)"));
    }

    #[test]
    fn a_redirect_names_its_target() {
        let moved =
            Refusal { status: 301, location: Some("https://x.example/v1".into()), ..Refusal::default() };
        let error = refusal(ASKED, &moved);
        assert_eq!(error.remedy, Remedy::GiveUp);
        assert!(error.message.contains("https://x.example/v1"), "{}", error.message);
    }

    #[test]
    fn an_error_inside_an_answer_is_judged_as_outside() {
        #[track_caller]
        fn check(raw: &str, expected: &Remedy) {
            let error = failure(ASKED, raw, Stage::Stream);
            assert_eq!((&error.remedy, error.stage), (expected, Stage::Stream), "{raw}");
        }
        check(r#"{"message":"busy","code":502}"#, &RETRY);
        check(r#"{"message":"busy","type":"overloaded_error"}"#, &RETRY);
        check(r#"{"message":"who","code":"401"}"#, &Remedy::NextKey);
        check(r#"{"message":"bad","type":"invalid_request_error","code":null}"#, &Remedy::GiveUp);
        check(r#"{"message":"prompt is too long: 9 > 8"}"#, &Remedy::Compact);
        check(r#""something odd""#, &RETRY);
        check("", &RETRY);
        assert_eq!(odd(ASKED, r#"{"detail":"no","status":403}"#).remedy, Remedy::NextKey);
        assert_eq!(odd(ASKED, r#"{"ok":true}"#).remedy, Remedy::GiveUp);
    }

    #[test]
    fn a_host_that_cannot_be_reached_is_told_with_its_cause() {
        #[track_caller]
        fn check(causes: &[&str], remedy: &Remedy, expected: &str) {
            let causes: Vec<String> = causes.iter().map(|&cause| cause.to_owned()).collect();
            let error = unsent(ASKED, &causes, false);
            assert_eq!(
                (error.message.as_str(), &error.remedy, error.stage),
                (expected, remedy, Stage::Connect)
            );
        }
        check(
            &["error sending request", "tcp connect error", "Connection refused (os error 111)"],
            &RETRY,
            "cannot reach api.example.com: connection refused (check that the server runs, and base_url)",
        );
        check(
            &["dns error", "failed to lookup address information: Name or service not known"],
            &RETRY,
            "cannot reach api.example.com: no such host (check base_url and the network)",
        );
        check(
            &["tunnel error: proxy authorization required"],
            &Remedy::GiveUp,
            "cannot reach api.example.com: the proxy wants a name and a password (put them into the proxy's URL)",
        );
        let broken = unsent(ASKED, &["connection closed before message completed".to_owned()], true);
        assert_eq!((broken.remedy, broken.stage), (RETRY, Stage::Request));
    }

    #[test]
    fn a_wait_is_read_in_every_form() {
        #[track_caller]
        fn check(headers: &[(&str, &'static str)], expected: Option<u64>) {
            let header =
                |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            assert_eq!(retry_after(header), expected.map(Duration::from_millis), "{headers:?}");
        }
        check(&[], None);
        check(&[("retry-after", "2")], Some(2000));
        check(&[("retry-after", " 1.5 ")], Some(1500));
        check(&[("retry-after", "0")], Some(0));
        check(&[("retry-after", "86400")], Some(86_400_000));
        check(&[("retry-after", "-1")], None);
        check(&[("retry-after", "abc")], None);
        check(&[("retry-after", "1e400")], None);
        check(&[("retry-after", "9"), ("retry-after-ms", "250")], Some(250));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        check(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), date], Some(30_000));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), date], Some(0));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], None);
    }

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        assert_eq!(http_date("Sunday, 06-Nov-94 08:49:37 GMT"), None);
        assert_eq!(http_date("Wed, 31 Dec 1969 23:59:59 GMT"), None);
    }
}
