//! What a body says of its error, whatever shape it has.
//!
//! Pure reading; what follows from it is [`super`]'s. Shapes are not told apart by provider: every place where an error
//! has ever been found is looked into. The surprising decision: the innermost words win, for a gateway's own are mostly
//! "the provider returned an error", and what the provider said stands inside, often as JSON in a text in JSON.

use std::time::Duration;

use serde_json::{Map, Value};

use super::waits;

/// A body may be wrapped so often.
const MAX_DEPTH: u8 = 6;

/// Of a list of faults (a field each) so many are told.
const MAX_FAULTS: usize = 3;

/// Where an error stands in an object that is more than it.
const INNER: [&str; 4] = ["error", "errors", "detail", "base_resp"];

/// Where its words stand.
const WORDS: [&str; 10] = [
    "message",
    "detail",
    "msg",
    "error_description",
    "error_message",
    "errorMessage",
    "status_msg",
    "Message",
    "reason",
    "title",
];

/// Where its names stand.
const NAMES: [&str; 8] =
    ["code", "type", "status", "statusCode", "status_code", "reason", "error_type", "__type"];

/// What a body says of its error.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    /// In words; empty where it has none.
    pub(super) text: String,
    /// Its names for it, in lower case, a space behind each: `code`, `type` and their like.
    pub(super) names: String,
    /// A number among them that is a status.
    pub(super) status: Option<u16>,
    /// How long it wants to be left alone.
    pub(super) wait: Option<Duration>,
}

impl Said {
    /// What `body` says.
    pub(super) fn read(body: &str) -> Self {
        let body = body.trim_start_matches('\u{FEFF}').trim();
        let mut said = match serde_json::from_str::<Value>(event_data(body).unwrap_or(body)) {
            Ok(value) => Self::of(&value, MAX_DEPTH),
            Err(_) => Self { text: page_text(body), ..Self::default() },
        };
        said.wait = said.wait.or_else(|| waits::in_words(&said.text));
        said
    }

    /// Whether it says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.names.is_empty()
    }

    /// Whether one of `list` (lower case) stands in its words or its names.
    pub(super) fn says(&self, list: &[&str]) -> bool {
        let words = self.text.to_lowercase();
        list.iter().any(|word| words.contains(word) || self.names.contains(word))
    }

    fn of(value: &Value, depth: u8) -> Self {
        let Some(depth) = depth.checked_sub(1) else { return Self::default() };
        match value {
            Value::String(text) => {
                let said = Self::of_text(text, depth);
                // `Rate limit exceeded` is as good a name as `rate_limit_exceeded`.
                let name = text.to_lowercase().replace(' ', "_") + " ";
                if said.names.is_empty() { Self { names: name, ..said } } else { said }
            }
            Value::Array(list) => Self::of_list(list, depth),
            Value::Object(object) => Self::of_object(object, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::default(),
        }
    }

    /// Words, or JSON once more.
    fn of_text(text: &str, depth: u8) -> Self {
        let value = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text));
        let inner = value.and_then(Result::ok).map(|value| Self::of(&value, depth));
        inner
            .filter(|inner| !inner.is_empty())
            .unwrap_or_else(|| Self { text: page_text(text), ..Self::default() })
    }

    /// The first error of a list; of faults with a place (`loc` and `msg`) a few.
    fn of_list(list: &[Value], depth: u8) -> Self {
        let faults: Vec<String> = list.iter().filter_map(placed).take(MAX_FAULTS).collect();
        let first = list.first().map(|first| Self::of(first, depth)).unwrap_or_default();
        if faults.is_empty() { first } else { Self { text: faults.join("; "), ..first } }
    }

    fn of_object(object: &Map<String, Value>, depth: u8) -> Self {
        let mut words = WORDS.into_iter().filter_map(|key| object.get(key)).map(words_of);
        let own = words.find(|words| !words.is_empty()).unwrap_or_default();
        let mut said = Self::of_text(&own, depth);
        said.take_names(object);
        for (key, inner) in INNER.into_iter().filter_map(|key| Some((key, object.get(key)?))) {
            if key == "error" || !inner.is_string() {
                said.take_inner(&Self::of(inner, depth), inner.is_string());
            }
        }
        if let Some(Value::Object(metadata)) = object.get("metadata") {
            said.take_metadata(metadata, depth);
        }
        if let Some(code) = object.get("innererror").and_then(|inner| inner.get("code")) {
            said.name(code);
        }
        for detail in object.get("details").and_then(Value::as_array).into_iter().flatten() {
            said.take_detail(detail);
        }
        said
    }

    fn take_names(&mut self, object: &Map<String, Value>) {
        for name in NAMES.into_iter().filter_map(|key| object.get(key)) {
            self.name(name);
        }
    }

    fn name(&mut self, name: &Value) {
        let name = plain(name).to_lowercase();
        self.status = self.status.or_else(|| name.parse().ok().filter(|status| (400..600).contains(status)));
        self.names.push_str(&name);
        self.names.push(' ');
    }

    /// An inner error says more than the outer one, but for a mere name (`{"error": "name", "message": "words"}`).
    fn take_inner(&mut self, inner: &Self, is_text: bool) {
        let mere_name = is_text && !inner.text.contains(' ') && !self.text.is_empty();
        if !inner.text.is_empty() && !mere_name {
            self.text.clone_from(&inner.text);
        }
        self.names.push_str(&inner.names);
        self.status = inner.status.or(self.status);
        self.wait = self.wait.or(inner.wait);
    }

    /// `OpenRouter` puts there what the provider behind it said.
    fn take_metadata(&mut self, metadata: &Map<String, Value>, depth: u8) {
        self.take_names(metadata);
        let Some(raw) = metadata.get("raw") else { return };
        let mut raw = Self::of(raw, depth);
        if let Some(name) = metadata.get("provider_name").and_then(Value::as_str)
            && !raw.text.is_empty()
        {
            raw.text = format!("{name}: {}", raw.text);
        }
        // What stands in the gateway's own fields is the status for us; the provider's was for the gateway.
        raw.status = self.status.or(raw.status);
        self.take_inner(&raw, false);
    }

    /// Google says there how long to wait, and which quota it is.
    fn take_detail(&mut self, detail: &Value) {
        let wait = detail.get("retryDelay").and_then(Value::as_str).and_then(waits::span);
        self.wait = self.wait.or(wait);
        let violations = detail.get("violations").and_then(Value::as_array);
        let quotas = violations.into_iter().flatten().filter_map(|violation| violation.get("quotaId"));
        for name in quotas.chain(detail.get("reason")) {
            self.name(name);
        }
    }
}

/// The data of the first event where an error comes as a stream.
fn event_data(body: &str) -> Option<&str> {
    if !["data:", "event:", ":"].into_iter().any(|start| body.starts_with(start)) {
        return None;
    }
    body.lines().find_map(|line| line.strip_prefix("data:")).map(str::trim)
}

/// `body.messages: field required`, of `{"loc": ["body", "messages"], "msg": "field required"}`.
fn placed(fault: &Value) -> Option<String> {
    let message = fault.get("msg")?.as_str()?;
    let place: Vec<String> = fault.get("loc")?.as_array()?.iter().map(plain).collect();
    Some(format!("{}: {message}", place.join(".")))
}

/// What stands in a field for words. An object there is an error of its own, which is found elsewhere.
fn words_of(value: &Value) -> String {
    match value {
        Value::Array(list) if list.iter().all(Value::is_string) => {
            list.iter().map(plain).collect::<Vec<_>>().join("; ")
        }
        Value::Array(_) | Value::Object(_) | Value::Bool(_) | Value::Null => String::new(),
        Value::String(_) | Value::Number(_) => plain(value),
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

/// Its title or its first heading where `text` is a web page, else the text itself.
pub(super) fn page_text(text: &str) -> String {
    let text = text.trim();
    if !text.starts_with('<') {
        return text.to_owned();
    }
    ["title", "h1", "h2"].into_iter().find_map(|name| element(text, name)).unwrap_or("a web page").to_owned()
}

/// The text of the first element of this name; none where it is empty.
fn element<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    // Of the same length as the page, so places in it are places in the page.
    let lower = page.to_ascii_lowercase();
    let tag = lower.find(&format!("<{name}"))?;
    let from = tag + lower.get(tag..)?.find('>')? + 1;
    let to = from + lower.get(from..)?.find('<')?;
    page.get(from..to).map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_every_shape() {
        #[track_caller]
        fn check(body: &str, expected: &str) {
            assert_eq!(Said::read(body).text, expected, "{body}");
        }
        check(r#"{"error":{"message":"a"}}"#, "a");
        check(r#"{"error":"a b"}"#, "a b");
        check(r#"{"error":"a_name","message":"in words"}"#, "in words");
        check(r#"{"error":{"message":"inner"},"message":"outer"}"#, "inner");
        check(r#"{"error":true,"reason":"a"}"#, "a");
        check(r#"{"detail":"a"}"#, "a");
        check(r#"{"detail":{"error":{"message":"a"}}}"#, "a");
        check(
            r#"{"detail":[{"loc":["body","messages",0],"msg":"field required"},{"loc":["x"],"msg":"y"}]}"#,
            "body.messages.0: field required; x: y",
        );
        check(r#"{"title":"Unauthorized","status":401,"detail":"a"}"#, "a");
        check(r#"{"errors":[{"code":7003,"message":"a"}],"success":false}"#, "a");
        check(r#"{"errors":["a","b"]}"#, "a");
        check(r#"{"message":["a","b"]}"#, "a; b");
        check(r#"[{"error":{"message":"a"}}]"#, "a");
        check(
            r#"{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}"#,
            "insufficient balance",
        );
        check(r#"{"object":"error","message":"a","code":400}"#, "a");
        check(r#"{"__type":"ThrottlingException","Message":"a"}"#, "a");
        check(r#"{"msg":"{\"error\":{\"message\":\"a\"}}"}"#, "a");
        check(r#"{"error":{"message":"<html><body><h1> Bad\n</h1></html>"}}"#, "Bad");
        check("event: error\ndata: {\"error\":{\"message\":\"a\"}}\n\n", "a");
        check(": hi\n\ndata: a\n\n", ": hi\n\ndata: a");
        check("\u{FEFF} {\"error\":\"a\"}", "a");
        check("a\n", "a");
        for nothing in ["", "{}", "[]", "null", "7", r#"{"ok":true}"#, r#"{"error":null}"#, r#"{"error":{}}"#]
        {
            assert!(Said::read(nothing).text.is_empty(), "{nothing}");
        }
    }

    #[test]
    fn a_gateway_passes_on_what_the_provider_said() {
        #[track_caller]
        fn check(raw: &str, expected: &str) {
            let metadata = serde_json::json!({ "raw": raw, "provider_name": "Acme" });
            let error = serde_json::json!({ "message": "Provider returned error", "code": 429, "metadata": metadata });
            let said = Said::read(&serde_json::json!({ "error": error }).to_string());
            assert_eq!((said.text.as_str(), said.status), (expected, Some(429)), "{raw}");
        }
        check("slow down", "Acme: slow down");
        check(r#"{"error":{"message":"prompt is too long","code":400}}"#, "Acme: prompt is too long");
        check("", "Provider returned error");
    }

    #[test]
    fn names_waits_and_a_status_are_gathered_on_the_way() {
        let google = r#"[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[
            {"violations":[{"quotaId":"RequestsPerDay-Free"}]},{"@type":"RetryInfo","retryDelay":"20.5s"}]}}]"#;
        let said = Said::read(google);
        assert_eq!((said.status, said.wait), (Some(429), Some(Duration::from_millis(20_500))));
        assert!(said.says(&["resource_exhausted"]) && said.says(&["perday"]), "{}", said.names);
        let azure = r#"{"error":{"message":"m","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
        assert_eq!(Said::read(azure).names, "content_filter responsibleaipolicyviolation ");
        assert_eq!(Said::read(r#"{"error":"Rate limit exceeded"}"#).names, "rate_limit_exceeded ");
        assert_eq!(Said::read(r#"{"error":{"message":"Rate limit exceeded"}}"#).names, "");
        assert_eq!(Said::read("try again in 2s").wait, Some(Duration::from_secs(2)));
    }

    #[test]
    fn the_title_of_a_page_stands_for_it() {
        assert_eq!(page_text("<html><TITLE lang=en> A\u{e9} </TITLE>"), "A\u{e9}");
        assert_eq!(page_text("<html><title></title><h1>B</h1>"), "B");
        assert_eq!(page_text("<h1><b>B</b></h1>"), "a web page");
        assert_eq!(page_text("<title"), "a web page");
        assert_eq!(page_text(" text "), "text");
    }

    #[test]
    fn a_body_wrapped_without_end_is_given_up() {
        let deep = "[".repeat(100) + &"]".repeat(100);
        assert_eq!(Said::read(&deep), Said::default());
        let mut text = "words".to_owned();
        for _ in 0..8 {
            text = serde_json::json!({ "message": text }).to_string();
        }
        Said::read(&text);
    }
}
