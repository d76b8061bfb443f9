//! What went wrong, sorted by what to do about it, and said in one line.
//!
//! Pure: a status, a header, a body go in, a [`ChatError`] comes out. Endpoints write their errors in a dozen shapes and
//! put them in odd places (a rate limit inside a 200, an overflow inside a 500), so the words count as much as the
//! number: [`said`] finds them, [`words`] lists those that tell something. The surprising decision: an error inside a
//! stream is given the status that it would have had outside, and from there on there is one table.

mod reach;
mod said;
mod waits;
mod words;

use std::time::Duration;

use super::{ChatError, Evidence, Remedy, Stage};
use crate::text::sanitize::sanitize_line;
use said::{Said, page_text};

pub(super) use reach::{is_hung_up, unsent};
pub(super) use waits::retry_after;

/// What is said beside our own hint may have this many bytes: together they stay under 2 kB.
const MAX_LINE_BYTES: usize = 1500;

/// An address or a name in it so many.
const MAX_NAME_BYTES: usize = 200;

/// Of words in the place of an answer so many characters are told.
const MAX_PLAIN_CHARS: usize = 200;

/// A model that is loaded is ready in seconds or minutes, never at once.
const WHILE_LOADING: Duration = Duration::from_secs(10);

/// What helps where the window is too small for what is said.
const SHORTER: &str = "try a shorter message, a new session, or a model with a larger context window";

/// Who was asked for what; for the wording.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Host and port.
    pub(super) host: &'a str,
    /// The address that paths are added to.
    pub(super) base: &'a str,
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

/// What an error turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// The key, or that there is none.
    Key,
    /// The account.
    NoQuota,
    /// A filter.
    Filtered,
    /// Too many requests.
    Busy,
    /// Longer than the window.
    TooLong,
    /// No such model.
    Model,
    /// Nothing at this address.
    Place,
    /// A model that does not fit into the machine.
    NoMemory,
    /// A model that is not ready yet.
    Loading,
    /// The proxy.
    Proxy,
    /// The network wants its user to sign in.
    SignIn,
    /// The endpoint itself.
    Down,
    /// The request as it is.
    Request,
}

/// The endpoint answered with an error status.
pub(super) fn refusal(asked: Asked<'_>, refusal: &Refusal) -> ChatError {
    let said = Said::read(&refusal.body);
    let error = judge(asked, refusal.status, refusal.retry_after, &said);
    match &refusal.location {
        Some(place) if (300..400).contains(&refusal.status) => {
            let why = format!("{} redirects the request ({})", asked.host, refusal.status);
            let hint = "set base_url to that address, or sign in to the network if it is a login page";
            ChatError {
                message: line(&format!("{why}: {}", clip(place, MAX_NAME_BYTES))) + &format!(" ({hint})"),
                ..error
            }
        }
        _ => error,
    }
}

/// The endpoint reported an error inside a good answer, given as it came.
pub(super) fn failure(asked: Asked<'_>, raw: &str, stage: Stage) -> ChatError {
    let said = Said::read(raw);
    let named = words::NAMED.iter().find(|(name, _)| said.names.contains(name)).map(|(_, status)| *status);
    let status = said.status.or(named).unwrap_or(500);
    judge(asked, status, None, &said).at(stage)
}

/// The answer stopped in the middle.
pub(super) fn broken(asked: Asked<'_>, why: &str) -> ChatError {
    let message = format!("incomplete response from {}: {why}", asked.host);
    ChatError::new(Remedy::Retry { after: None }, line(&message)).at(Stage::Stream)
}

/// Nothing came for `time`.
pub(super) fn silence(asked: Asked<'_>, time: Duration, setting: &str) -> ChatError {
    let message = format!("no data from {} for {} s (see {setting})", asked.host, time.as_secs());
    ChatError::new(Remedy::Retry { after: None }, message).at(Stage::Silence)
}

/// A whole JSON value that is no answer: an error in a shape of its own, or something else.
pub(super) fn odd(asked: Asked<'_>, json: &str) -> ChatError {
    if Said::read(json).text.is_empty() {
        return no_completion(asked, "JSON that is not a chat completion");
    }
    failure(asked, json, Stage::Request)
}

/// A web page.
pub(super) fn page(asked: Asked<'_>, page: &str) -> ChatError {
    no_completion(asked, &format!("a web page: {}", page_text(page)))
}

/// A good head before mere words: whoever stands between has lost the endpoint, and says so in its own way.
pub(super) fn plain(asked: Asked<'_>, text: &str) -> ChatError {
    let said = Said::read(text);
    let mut words: String = said.text.chars().take(MAX_PLAIN_CHARS).collect();
    if words.len() < said.text.len() {
        words.push('…');
    }
    let told = line(&format!("{} returned plain text instead of JSON: {words}", asked.host));
    let hint = "if this persists, check base_url; it usually ends in /v1";
    ChatError::new(Remedy::Retry { after: said.wait }, told + &format!(" ({hint})")).at(Stage::Stream)
}

/// The model's window was full before the answer was.
pub(super) fn window_full(asked: Asked<'_>) -> ChatError {
    let message =
        format!("the conversation is too long for {}: no space left for the answer ({SHORTER})", asked.model);
    ChatError::new(Remedy::Compact, message).at(Stage::Stream).too_long_for(asked.model, Evidence::Named)
}

/// What was read is no answer of a model.
fn no_completion(asked: Asked<'_>, what: &str) -> ChatError {
    let hint = "check base_url, which usually ends in /v1, or whether a proxy or a network login page \
                intercepts the request";
    ChatError::new(Remedy::GiveUp, line(&format!("{} returned {what}", asked.host)) + &format!(" ({hint})"))
}

fn judge(asked: Asked<'_>, status: u16, after: Option<Duration>, said: &Said) -> ChatError {
    let trouble = trouble(asked, status, said);
    let remedy = match trouble {
        Trouble::Key | Trouble::NoQuota => Remedy::NextKey,
        Trouble::Model | Trouble::Place => Remedy::NextModel,
        Trouble::TooLong => Remedy::Compact,
        Trouble::Loading => Remedy::Retry { after: after.or(said.wait).or(Some(WHILE_LOADING)) },
        Trouble::Busy | Trouble::Down | Trouble::SignIn => Remedy::Retry { after: after.or(said.wait) },
        Trouble::Filtered | Trouble::NoMemory | Trouble::Proxy | Trouble::Request => Remedy::GiveUp,
    };
    let evidence = if names_length(said) { Evidence::Named } else { Evidence::Guessed };
    let what = what(asked, trouble, status);
    let hint = hint(asked, trouble, said).map_or_else(String::new, |hint| format!(" ({hint})"));
    let said = if said.text.is_empty() { String::new() } else { format!(": {}", said.text) };
    // By its status a refused key is told from an empty account.
    let stands_for = if (status, trouble) == (400, Trouble::Key) { 401 } else { status };
    // The hint must not be what the limit cuts off.
    let error =
        ChatError::new(remedy, line(&format!("{what} ({status}){said}")) + &hint).with_status(stands_for);
    if trouble == Trouble::TooLong { error.too_long_for(asked.model, evidence) } else { error }
}

/// Whether it says that the request is longer than the window.
fn names_length(said: &Said) -> bool {
    said.says(&words::OVERFLOW) && !said.says(&words::NO_OVERFLOW)
}

fn trouble(asked: Asked<'_>, status: u16, said: &Said) -> Trouble {
    let overflow = || names_length(said);
    match status {
        402 => Trouble::NoQuota,
        407 => Trouble::Proxy,
        511 => Trouble::SignIn,
        _ if said.says(&words::NO_QUOTA) => Trouble::NoQuota,
        400 | 403 | 404 | 422 if said.says(&words::FILTERED) => Trouble::Filtered,
        401 | 403 => Trouble::Key,
        400 if said.says(&words::UNKNOWN_KEY) => Trouble::Key,
        429 => Trouble::Busy,
        413 => Trouble::TooLong,
        400 if said.is_empty() => Trouble::TooLong,
        _ if overflow() => Trouble::TooLong,
        404 if !has_version(asked.base) && !said.says(&["model"]) => Trouble::Place,
        404 => Trouble::Model,
        400 if said.says(&words::UNKNOWN_MODEL) => Trouble::Model,
        500.. if said.says(&words::NO_MEMORY) => Trouble::NoMemory,
        500.. if said.says(&words::LOADING) => Trouble::Loading,
        400 if said.says(&words::BAD_CALL) => Trouble::Down,
        408 | 409 | 425 | 500.. => Trouble::Down,
        _ => Trouble::Request,
    }
}

/// What happened.
fn what(asked: Asked<'_>, trouble: Trouble, status: u16) -> String {
    let Asked { host, key, model, .. } = asked;
    let model = clip(model, MAX_NAME_BYTES);
    match trouble {
        Trouble::Key if key.is_none() => format!("{host} requires an API key"),
        Trouble::Key if status == 403 => format!("{host} denied access"),
        Trouble::Key => format!("{host} rejected the API key"),
        Trouble::NoQuota => format!("{host}: quota exhausted"),
        Trouble::Filtered => format!("the content filter of {host} rejected the request"),
        Trouble::Busy => format!("{host}: rate limit exceeded"),
        Trouble::TooLong => format!("the conversation is too long for {model}"),
        Trouble::Model => format!("{host}: unknown model {model}"),
        Trouble::Place => format!("{host}: not found"),
        Trouble::NoMemory => format!("{host} has not enough memory for {model}"),
        Trouble::Loading => format!("{host} is loading the model"),
        Trouble::Proxy => format!("the proxy for {host} requires a user name and a password"),
        Trouble::SignIn => format!("the network requires a login before it allows access to {host}"),
        Trouble::Down => format!("{host} is unavailable"),
        Trouble::Request => format!("{host} rejected the request"),
    }
}

/// How to mend it.
fn hint(asked: Asked<'_>, trouble: Trouble, said: &Said) -> Option<String> {
    let plain = match trouble {
        Trouble::Key => return Some(advice(said).map_or_else(|| key_hint(asked.key), str::to_owned)),
        Trouble::NoQuota => return Some(quota_hint(asked.key)),
        Trouble::Model if has_version(asked.base) => "try another --model, or check base_url",
        Trouble::Model => "try another --model, or check base_url; it usually ends in /v1",
        Trouble::Place => "check base_url; it usually ends in /v1",
        Trouble::Filtered => "rephrase it, or remove the last message with /rewind",
        Trouble::NoMemory => "use a smaller model, or close other programs",
        Trouble::Proxy => "add them to the proxy's URL",
        Trouble::SignIn => "open any web page to sign in",
        Trouble::Request => return advice(said).map(str::to_owned).or_else(|| no_key_hint(asked, said)),
        Trouble::TooLong => SHORTER,
        Trouble::Down => return no_key_hint(asked, said),
        Trouble::Busy | Trouble::Loading => return None,
    };
    Some(plain.to_owned())
}

fn key_hint(key: Option<&str>) -> String {
    match key {
        None => "no key is set: try CLAWD_API_KEY, or api_key_env for an endpoint in config.toml".to_owned(),
        Some(name) if name.starts_with("the ") => format!("check {name}"),
        Some(name) => format!("check the key in {name}"),
    }
}

/// Some endpoints meet a request without a key with a fault of their own. Where the words do not speak of it, it is said of
/// that bare fault alone, and not of this machine, where servers mostly want no key.
fn no_key_hint(asked: Asked<'_>, said: &Said) -> Option<String> {
    let bare = said.text.eq_ignore_ascii_case("internal server error") && !is_loopback(asked.host);
    let is_meant = asked.key.is_none() && (bare || said.says(&words::OF_KEY));
    is_meant.then(|| format!("it may require an API key: {}", key_hint(None)))
}

/// Whether `host`, with or without a port, is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    };
    let name = name.unwrap_or_default();
    matches!(name, "localhost" | "::1") || name.starts_with("127.")
}

fn quota_hint(key: Option<&str>) -> String {
    key.map_or_else(
        || "top up the account".to_owned(),
        |name| format!("top up the account, or use another key than {name}"),
    )
}

fn advice(said: &Said) -> Option<&'static str> {
    words::ADVICE.iter().find(|(words, _)| said.says(words)).map(|(_, advice)| *advice)
}

/// Whether a part of the path is a version: `/v1`, `/v1beta`, `/v4`.
fn has_version(base: &str) -> bool {
    let path = base.split_once("://").map_or(base, |(_, rest)| rest);
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    path.split('/').skip(1).any(is_version)
}

/// One line for a person: no control characters, and not longer than the limit.
fn line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&sanitize_line(&joined), MAX_LINE_BYTES)
}

/// The beginning of `text`, of so many bytes at most.
fn clip(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default().to_owned() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const ASKED: Asked<'_> = Asked {
        host: "api.example.com",
        base: "https://api.example.com/v1",
        key: Some("THE_KEY"),
        model: "gpt-x",
    };

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
        check(400, "ThrottlingException: Too many tokens, please wait before trying again.", &Remedy::GiveUp);
        check(400, "Context window too small: minimum is 1000 tokens", &Remedy::GiveUp);
        check(403, r#"{"error":{"message":"Your input was flagged","code":403}}"#, &Remedy::GiveUp);
        check(400, r#"{"error":{"message":"m","code":"content_filter"}}"#, &Remedy::GiveUp);
        check(
            500,
            r#"{"error":"model requires more system memory (5 GiB) than is available"}"#,
            &Remedy::GiveUp,
        );
        check(400, r#"{"error":{"message":"Model Not Exist"}}"#, &Remedy::NextModel);
        let litellm = "/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view available models for your key.";
        for body in [
            serde_json::json!({ "error": { "message": litellm, "type": "None", "param": "None", "code": "400" } }),
            serde_json::json!({ "detail": { "error": litellm } }),
        ] {
            check(400, &body.to_string(), &Remedy::NextModel);
        }
        check(404, "404 page not found", &Remedy::NextModel);
        check(407, "", &Remedy::GiveUp);
        check(405, "", &Remedy::GiveUp);
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
            "api.example.com rejected the API key (401): bad key (check the key in THE_KEY)",
        );
        check(
            404,
            "<html><head><title>Not\nfound</title></head></html>",
            "api.example.com: unknown model gpt-x (404): Not found (try another --model, or check base_url)",
        );
        check(429, "slow down\u{1b}[31m", "api.example.com: rate limit exceeded (429): slow down");
        check(503, "", "api.example.com is unavailable (503)");
        check(400, r#"{"detail":"no"}"#, "api.example.com rejected the request (400): no");
        check(
            403,
            "<html><title>Just a moment...</title></html>",
            "api.example.com denied access (403): Just a moment... (check the key in THE_KEY)",
        );
        check(
            402,
            r#"{"error":{"message":"Insufficient Balance"}}"#,
            "api.example.com: quota exhausted (402): Insufficient Balance \
             (top up the account, or use another key than THE_KEY)",
        );
        check(
            511,
            "",
            "the network requires a login before it allows access to api.example.com (511) (open any web \
             page to sign in)",
        );
        let keyless = Asked { key: None, ..ASKED };
        let missing = refusal(keyless, &Refusal { status: 401, ..Refusal::default() });
        assert_eq!(
            missing.message,
            "api.example.com requires an API key (401) (no key is set: try CLAWD_API_KEY, or api_key_env \
             for an endpoint in config.toml)"
        );
    }

    #[test]
    fn a_long_error_is_cut_but_its_hint_stays() {
        let message = answer(401, &"é".repeat(5000)).message;
        assert!(message.len() < 2000, "{}", message.len());
        assert!(message.ends_with("… (check the key in THE_KEY)"));
    }

    #[test]
    fn the_usual_troubles_come_with_advice() {
        #[track_caller]
        fn check(text: &str, advice: &str) {
            let error = answer(400, &serde_json::json!({ "error": { "message": text } }).to_string());
            assert!(error.message.contains(advice), "{}", error.message);
            assert_eq!(error.remedy, Remedy::GiveUp, "{text}");
        }
        check("Conversation roles must alternate user/assistant/user/assistant/...", "chat template");
        check("Unexpected role 'user' after role 'tool'", "chat template");
        check("messages.3.content.0.image.source.base64: image exceeds 5 MB maximum", "/rewind");
        check("At least one of the image dimensions exceed max allowed size: 8000 pixels", "a smaller one");
        check("At most 1 image(s) may be provided in one request.", "too many images");
        check(
            "image input is not supported - hint: you may need to provide the mmproj",
            "does not support images",
        );
        check("unknown variant `image_url`, expected `text`", "does not support images");
        check("`tool_use` ids were found without `tool_result` blocks immediately after: a", "/clear");
        check(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to",
            "/clear",
        );
        check(
            "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
            "/clear",
        );
        check("Invalid schema for function 'x': None is not of type 'object'", "--disallowed-tools");
        check("tools.0.custom.input_schema: JSON schema is invalid", "--disallowed-tools");
        check("registry.example/gemma:2b does not support tools", "does not support tool calls");
        check(
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser",
            "option for tool calls",
        );
        check("max_tokens is too large: 64000. This model supports at most 16384", "max_output_tokens");
        check("The plain HTTP request was sent to HTTPS port", "https://");
        check("User location is not supported for the API use.", "not serve your country");
    }

    #[test]
    fn a_model_on_its_way_is_waited_for() {
        let error =
            answer(503, r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#);
        assert_eq!(error.message, "api.example.com is loading the model (503): Loading model");
        assert_eq!(error.remedy, Remedy::Retry { after: Some(WHILE_LOADING) });
    }

    #[test]
    fn a_wait_in_the_words_counts_where_no_header_names_one() {
        let seconds = |seconds| Remedy::Retry { after: Some(Duration::from_secs(seconds)) };
        let body = "Rate limit reached on tokens per min (TPM). Please try again in 20s.";
        assert_eq!(answer(429, body).remedy, seconds(20));
        let retry_after = Some(Duration::from_secs(3));
        let refused = Refusal { status: 429, retry_after, body: body.to_owned(), ..Refusal::default() };
        assert_eq!(refusal(ASKED, &refused).remedy, seconds(3));
    }

    #[test]
    fn an_address_without_a_version_is_doubted() {
        #[track_caller]
        fn check(base: &str, body: &str, words: &str) {
            let asked = Asked { base, ..ASKED };
            let refused = Refusal { status: 404, body: body.to_owned(), ..Refusal::default() };
            let message = refusal(asked, &refused).message;
            assert!(message.contains(words), "{message}");
        }
        check(
            "http://x:11434",
            "404 page not found",
            "not found (404): 404 page not found (check base_url; it usually ends in /v1)",
        );
        check(
            "http://x:11434",
            r#"{"error":"model 'a' not found"}"#,
            "unknown model gpt-x (404): model 'a' not found (try another --model, or check base_url; it \
             usually ends in /v1)",
        );
        check("http://x:11434/v1", "404 page not found", "unknown model gpt-x");
        check("https://x/v1beta/openai", "", "(try another --model, or check base_url)");
        check("https://v1.example/api", "", "not found");
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
    fn a_key_that_is_wrong_or_missing_is_told_whatever_the_status() {
        let said = |asked: Asked<'_>, status: u16, body: &str| {
            refusal(asked, &Refusal { status, body: body.to_owned(), ..Refusal::default() })
        };
        let no_db =
            r#"{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}"#;
        let wrong = said(ASKED, 400, no_db);
        assert_eq!((&wrong.remedy, wrong.status), (&Remedy::NextKey, Some(401)));
        assert_eq!(
            wrong.message,
            "api.example.com rejected the API key (400): No connected db. (check the key in THE_KEY)"
        );
        let keyless = Asked { key: None, ..ASKED };
        assert!(
            said(keyless, 400, no_db)
                .message
                .contains("requires an API key (400): No connected db. (no key is set")
        );
        let at = |host: &'static str| Asked { host, ..keyless };
        let hint = "it may require an API key: no key is set: try CLAWD_API_KEY";
        for (asked, status, body, expected) in [
            (keyless, 500, "Internal Server Error", true),
            (at("localhost.example:4000"), 500, "Internal Server Error", true),
            (at("127.0.0.1:4000"), 500, "Internal Server Error", false),
            (at("[::1]:4000"), 500, "Internal Server Error", false),
            (at("localhost"), 500, "Internal Server Error", false),
            (ASKED, 500, "Internal Server Error", false),
            (keyless, 500, "out of memory", false),
            (keyless, 503, "", false),
            (at("localhost:4000"), 500, "No api key passed in.", true),
            (at("localhost:4000"), 400, r#"{"error":{"message":"API key not valid"}}"#, true),
            (keyless, 400, "max_tokens is too large", false),
        ] {
            let message = said(asked, status, body).message;
            assert_eq!(message.contains(hint), expected, "{message}");
        }
    }

    #[test]
    fn words_in_the_place_of_an_answer_are_told_and_asked_for_again() {
        let lost = plain(ASKED, "upstream connect error\nor disconnect/reset before headers");
        assert_eq!((&lost.remedy, lost.stage, lost.status), (&RETRY, Stage::Stream, None));
        assert!(
            lost.message.starts_with(
                "api.example.com returned plain text instead of JSON: upstream connect error or d"
            ),
            "{lost}"
        );
        let long = plain(ASKED, &"é".repeat(5000)).message;
        assert!(long.contains(&("é".repeat(200) + "… (if")), "{long}");
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
        check(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, &RETRY);
        check(r#""Rate limit exceeded""#, &RETRY);
        check(r#"{"error":{"message":"m","type":"content_filter"}}"#, &Remedy::GiveUp);
        check(r#""something odd""#, &RETRY);
        check("", &RETRY);
        assert_eq!(odd(ASKED, r#"{"detail":"no","status":403}"#).remedy, Remedy::NextKey);
        assert_eq!(odd(ASKED, r#"{"ok":true}"#).remedy, Remedy::GiveUp);
    }
}
