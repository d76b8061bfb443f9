//! What a refusal complains of, made easy to search.
//!
//! Endpoints say it in words, in lists of faults, in JSON inside a text inside JSON, and each quotes names in its own way.
//! Here all of that becomes one line of lower-case words without quotes, and a list of places that were named apart. Pure.
//! The surprising decision: it reads only fields that are known to hold words, for some endpoints send the offending part
//! of the request back, and then a conversation about refused fields would look like a refusal.

use serde_json::Value;

/// More is not read: what is wrong is said first.
const MAX_BYTES: usize = 4_000;

/// A body may be wrapped so often.
const MAX_DEPTH: u8 = 8;

/// Around the name of a field, so many bytes belong to what is said of it.
const NEAR: usize = 80;

/// Fields that hold what is said, or what holds it.
const WORDS: [&str; 17] = [
    "error",
    "errors",
    "detail",
    "details",
    "message",
    "msg",
    "description",
    "error_description",
    "error_message",
    "reason",
    "title",
    "raw",
    "metadata",
    "base_resp",
    "status_msg",
    "fieldViolations",
    "data",
];

/// Fields that hold a name for it.
const CODES: [&str; 4] = ["code", "type", "status", "kind"];

/// Fields that hold the place that is meant.
const PLACES: [&str; 5] = ["param", "loc", "field", "path", "parameter"];

/// Words by which a field is refused. From the error texts of `OpenAI`, Azure, Google, Mistral, Groq, Cerebras, Fireworks, xAI,
/// Cohere, vLLM, `LiteLLM`, llama.cpp, LM Studio and Ollama.
const REFUSED: [&str; 24] = [
    "not supported",
    "unsupported",
    "does not support",
    "doesnt support",
    "do not support",
    "not permitted",
    "not allowed",
    "not accepted",
    "not enabled",
    "not implemented",
    "not recognized",
    "not available",
    "extra_forbidden",
    "extra inputs",
    "extra fields",
    "unknown name",
    "unknown field",
    "unknown parameter",
    "unknown argument",
    "unknown_parameter",
    "unrecognized",
    "unexpected",
    "cannot find field",
    "additional properties",
];

/// Of those, the ones that count in a status that mostly means something else.
const UNMISTAKABLE: [&str; 7] = [
    "does not support parameters",
    "unsupportedparamserror",
    "unrecognized request argument",
    "unknown name",
    "extra inputs are not permitted",
    "extra_forbidden",
    "unsupported parameter",
];

/// Before the name of something that a model cannot do.
const LACKS: [&str; 6] = [
    "not support",
    "doesnt support",
    "cannot support",
    "not support the",
    "no endpoints found that support",
    "not capable of",
];

/// What a refusal says.
#[derive(Debug, Default)]
pub(in crate::chat) struct Complaint {
    /// In lower case, without quotes, a space between words.
    words: String,
    /// What it says first, as it stands.
    said: String,
    /// Its names for it, alike.
    codes: String,
    /// The places it names apart from that, outermost part first, without numbers.
    places: Vec<Vec<String>>,
    how_sure: HowSure,
}

/// How clear its words must be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum HowSure {
    /// The status says that the request is at fault.
    #[default]
    Plain,
    /// It says that the server is.
    Unmistakable,
}

impl Complaint {
    /// What `body` says, which came with `status`.
    pub(in crate::chat) fn read(status: u16, body: &str) -> Self {
        let how_sure = if status >= 500 { HowSure::Unmistakable } else { HowSure::Plain };
        let mut complaint = Self { how_sure, ..Self::default() };
        complaint.hear(body, MAX_DEPTH);
        complaint
    }

    /// What it says first, as it stands.
    pub(in crate::chat) fn said(&self) -> &str {
        &self.said
    }

    /// Whether one of `phrases` is said, from the beginning of a word.
    pub(in crate::chat) fn says(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| says(&self.words, phrase))
    }

    /// Whether `field` is named, be it in passing.
    pub(in crate::chat) fn names(&self, field: &str) -> bool {
        self.is_about(field) || self.found(field).next().is_some()
    }

    /// Whether `field` is refused.
    pub(in crate::chat) fn refuses(&self, field: &str) -> bool {
        let said = |text: &str| self.refused().iter().any(|words| text.contains(words));
        let here = self.is_about(field) && (said(&self.codes) || said(&self.words));
        here || self.found(field).any(|at| said(near(&self.words, at, field.len())))
    }

    /// Whether one of `phrases` is said near `field`.
    pub(in crate::chat) fn says_of(&self, field: &str, phrases: &[&str]) -> bool {
        let said = |text: &str| phrases.iter().any(|words| text.contains(words));
        (self.is_about(field) && said(&self.words))
            || self.found(field).any(|at| said(near(&self.words, at, field.len())))
    }

    /// Whether the place that it names begins or ends with `field`.
    pub(in crate::chat) fn is_about(&self, field: &str) -> bool {
        let ends = |place: &Vec<String>| {
            [place.first(), place.last()].into_iter().flatten().any(|name| name == field)
        };
        self.places.iter().any(ends)
    }

    /// Whether it names `field` and nothing inside it.
    pub(in crate::chat) fn is_only(&self, field: &str) -> bool {
        self.places.iter().any(|place| place.as_slice() == [field])
    }

    /// Whether a field of that name in a message is meant (not one of a function that the message calls).
    pub(in crate::chat) fn is_about_messages(&self, field: &str) -> bool {
        let named = |place: &[String]| {
            let ends = (place.first().map(String::as_str), place.last().map(String::as_str));
            ends == (Some("messages"), Some(field)) && !place.iter().any(|name| name == "function")
        };
        self.places.iter().any(|place| named(place)) || paths(&self.words).any(|path| named(&path))
    }

    /// Whether it refuses something.
    pub(in crate::chat) fn refuses_any(&self) -> bool {
        self.refused().iter().any(|words| self.words.contains(words) || self.codes.contains(words))
    }

    /// Whether one of `things` is said to be beyond the model.
    pub(in crate::chat) fn lacks(&self, things: &[&str]) -> bool {
        LACKS.iter().any(|lacks| things.iter().any(|thing| says(&self.words, &format!("{lacks} {thing}"))))
    }

    /// Whether the status says that the server is at fault.
    pub(in crate::chat) fn blames_server(&self) -> bool {
        self.how_sure == HowSure::Unmistakable
    }

    /// What is said behind the first of `phrases`.
    pub(in crate::chat) fn behind(&self, phrases: &[&str]) -> Option<&str> {
        phrases.iter().find_map(|phrase| Some(self.words.split_once(phrase)?.1))
    }

    fn refused(&self) -> &'static [&'static str] {
        match self.how_sure {
            HowSure::Plain => &REFUSED,
            HowSure::Unmistakable => &UNMISTAKABLE,
        }
    }

    /// Where `field` stands as a word of its own.
    fn found(&self, field: &str) -> impl Iterator<Item = usize> {
        let whole =
            |at: usize| is_edge(self.words.get(at + field.len()..).and_then(|rest| rest.chars().next()));
        occurrences(&self.words, field).filter(move |at| whole(*at))
    }

    fn hear(&mut self, text: &str, depth: u8) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let text = text.trim();
        if text.starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            return self.look(&value, depth);
        }
        if self.said.is_empty() {
            text.clone_into(&mut self.said);
        }
        let room = MAX_BYTES.saturating_sub(self.words.len());
        let said = plain(&without_input(text));
        self.words.push_str(said.get(..said.floor_char_boundary(room)).unwrap_or_default());
        self.words.push(' ');
    }

    fn look(&mut self, value: &Value, depth: u8) {
        match value {
            Value::String(text) => self.hear(text, depth),
            Value::Array(list) => list.iter().for_each(|item| self.look(item, depth)),
            Value::Object(object) => {
                for (name, value) in object {
                    match name.as_str() {
                        known if WORDS.contains(&known) => self.look(value, depth),
                        known if CODES.contains(&known) => self.note_code(value),
                        known if PLACES.contains(&known) => self.note_place(value),
                        _ => {}
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn note_code(&mut self, value: &Value) {
        if let Value::String(code) = value {
            self.codes.push_str(&plain(code));
            self.codes.push(' ');
        }
    }

    fn note_place(&mut self, value: &Value) {
        let place = match value {
            Value::String(place) => segments(&plain(place)),
            Value::Array(list) => {
                list.iter().filter_map(Value::as_str).flat_map(|name| segments(&plain(name))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return,
        };
        self.places.push(place);
    }
}

/// Lower case, without quotes, one space between words.
fn plain(text: &str) -> String {
    let quoted = |c: &char| !matches!(c, '\'' | '"' | '`' | '\\' | '*' | '“' | '”' | '‘' | '’');
    let bare: String = text.chars().filter(quoted).flat_map(char::to_lowercase).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Python's way of writing a list of faults has the offending part of the request in it: that goes.
fn without_input(text: &str) -> String {
    let mut parts = text.split("'input':");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        kept + part.find("'type':").and_then(|at| part.get(at..)).unwrap_or_default()
    })
}

/// The names in a path such as `body.messages[2].tool_calls.0.id`: no numbers, no `body`.
fn segments(path: &str) -> Vec<String> {
    let names = path.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_name =
        |name: &&str| !name.is_empty() && *name != "body" && !name.chars().all(|c| c.is_ascii_digit());
    names.filter(is_name).map(str::to_owned).collect()
}

/// The paths into the messages that stand among `words`, as `messages.2.assistant.name` or `(body, messages, 2, name)`.
fn paths(words: &str) -> impl Iterator<Item = Vec<String>> {
    occurrences(words, "messages").map(|at| {
        let rest = words.get(at..).unwrap_or_default();
        // A comma and a space go on with the path in Python's tuples alone, and those end in a bracket.
        let in_tuple = words.get(..at).is_some_and(|before| before.ends_with(", "));
        let ends = |c: char| if in_tuple { c == ')' } else { !(c.is_alphanumeric() || "_.[]/-".contains(c)) };
        segments(rest.split(ends).next().unwrap_or_default())
    })
}

/// Whether `phrase` is said; not where its last word is the beginning of a field's name.
fn says(words: &str, phrase: &str) -> bool {
    let goes_on = |at: usize| words.get(at + phrase.len()..).is_some_and(|rest| rest.starts_with('_'));
    occurrences(words, phrase).any(|at| !goes_on(at))
}

/// Where `what` stands in `words` at the beginning of a word.
fn occurrences(words: &str, what: &str) -> impl Iterator<Item = usize> {
    let begins = |at: usize| is_edge(words.get(..at).and_then(|before| before.chars().next_back()));
    words.match_indices(what).map(|(at, _)| at).filter(move |at| begins(*at))
}

/// Whether a word may end beside `c`.
fn is_edge(c: Option<char>) -> bool {
    c.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '-'))
}

fn near(words: &str, at: usize, len: usize) -> &str {
    let from = words.floor_char_boundary(at.saturating_sub(NEAR));
    let to = words.ceil_char_boundary((at + len + NEAR).min(words.len()));
    words.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(body: &str) -> Complaint {
        Complaint::read(400, body)
    }

    #[test]
    fn a_field_is_named_by_itself_alone() {
        let said = complaint("The 'stream_options' of stream-7b are not_supported");
        for (field, expected) in
            [("stream_options", true), ("stream", false), ("options", false), ("supported", false)]
        {
            assert_eq!(said.names(field), expected, "{field}");
        }
        let lacks = |body: &str| complaint(body).lacks(&["stream"]);
        assert!(lacks("it does not support stream") && !lacks("it does not support stream_options"));
    }

    #[test]
    fn a_field_is_refused_by_what_stands_near_it() {
        let far = format!("temperature {} top_k is not supported", "and so on ".repeat(20));
        assert!(complaint(&far).refuses("top_k") && !complaint(&far).refuses("temperature"));
        let apart =
            complaint(r#"{"error":{"message":"No.","param":"temperature","code":"unsupported_parameter"}}"#);
        assert!(apart.refuses("temperature") && apart.is_only("temperature") && !apart.refuses("top_k"));
        assert!(!complaint(r#"{"error":{"message":"No.","param":"temperature"}}"#).refuses("temperature"));
    }

    #[test]
    fn a_place_in_the_messages_is_found_however_it_is_written() {
        for (body, expected) in [
            ("messages.3.tool.name: no", true),
            ("Invalid 'messages[3].name': no", true),
            ("{'loc': ('body', 'messages', 3, 'name'), 'msg': 'no'}", true),
            (r#"{"detail":[{"loc":["body","messages",3,"name"],"msg":"no"}]}"#, true),
            (r#"{"error":{"message":"no","param":"messages[3].name"}}"#, true),
            ("messages[3].tool_calls[0].function.name: no", false),
            ("messages.3, name them", false),
            ("tools[3].name: no", false),
        ] {
            assert_eq!(complaint(body).is_about_messages("name"), expected, "{body}");
        }
    }

    #[test]
    fn what_is_wrapped_is_found_and_what_is_long_is_cut() {
        let raw = r#"{"error":{"metadata":{"raw":"{\"detail\":\"[{\\\"msg\\\":\\\"Deep Down\\\"}]\"}"}}}"#;
        assert!(complaint(raw).says(&["deep down"]), "{:?}", complaint(raw));
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert!(!complaint(&deep).says(&["x"]));
        let long = "é".repeat(MAX_BYTES) + " the end";
        assert!(!complaint(&long).says(&["the end"]));
        assert_eq!(complaint("").words.trim(), "");
    }
}
