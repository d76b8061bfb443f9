//! Parameters of a tool: one table that tells the model what they are and reads what it sent.
//!
//! Not a JSON Schema library: the handful of forms that our tools need, in as few tokens as they can be said. The
//! surprise: reading is lenient on purpose. Models write `"5"` for 5, `filePath` for `file_path` and `null` for "not
//! set", and what they mean is never in doubt; only what cannot be meant is an error, and that names the parameter.

use serde_json::{Map, Value, json};

/// One parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    name: &'static str,
    about: &'static str,
    kind: Kind,
    aliases: &'static [&'static str],
}

/// What a parameter holds.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Integer,
    Flag,
    OneOf(&'static [&'static str]),
    Texts,
    Objects(&'static [Param]),
}

impl Param {
    /// A string; `about` describes it to the model.
    pub const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: Kind::Text, aliases: &[] }
    }

    /// A whole number from 0.
    pub const fn integer(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: Kind::Integer, aliases: &[] }
    }

    /// True or false; false where it is absent.
    pub const fn flag(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: Kind::Flag, aliases: &[] }
    }

    /// One of a few words.
    pub const fn one_of(name: &'static str, about: &'static str, words: &'static [&'static str]) -> Self {
        Self { name, about, kind: Kind::OneOf(words), aliases: &[] }
    }

    /// A list of strings.
    pub const fn texts(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: Kind::Texts, aliases: &[] }
    }

    /// A list of objects with these parameters, each of which is required.
    pub const fn objects(name: &'static str, about: &'static str, fields: &'static [Param]) -> Self {
        Self { name, about, kind: Kind::Objects(fields), aliases: &[] }
    }

    /// Other names that models use for it; the model is not told of them.
    #[must_use]
    pub const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// The parameter's text, which must be there; it may be empty.
    pub fn need(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        self.get(arguments)?.ok_or_else(|| self.missing(arguments))
    }

    /// The parameter's text, which must be there and say something.
    pub fn need_some(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        let text = self.need(arguments)?;
        if text.trim().is_empty() {
            return Err(format!("Error: `{}` is empty", self.name));
        }
        Ok(text)
    }

    /// The parameter's text, if it is there; what is no text but can be written as one is.
    pub fn get(&self, arguments: &Map<String, Value>) -> Result<Option<String>, String> {
        match self.find(arguments) {
            None => Ok(None),
            Some(Value::String(text)) => self.checked(text.clone()).map(Some),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => self.checked(value.to_string()).map(Some),
            Some(other) => Err(self.wrong(other)),
        }
    }

    /// The same, where an empty text means that it was not set.
    pub fn get_some(&self, arguments: &Map<String, Value>) -> Result<Option<String>, String> {
        match self.find(arguments) {
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            _ => self.get(arguments),
        }
    }

    /// The same as it was written, whether it is one of the words that are offered or not.
    pub fn written(&self, arguments: &Map<String, Value>) -> Result<Option<String>, String> {
        Self { kind: Kind::Text, ..*self }.get(arguments)
    }

    /// The parameter's number, if it is there.
    pub fn number(&self, arguments: &Map<String, Value>) -> Result<Option<u64>, String> {
        let Some(value) = self.find(arguments) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) if text.trim().is_empty() => return Ok(None),
            Value::String(text) => text.trim().parse().ok().or_else(|| whole(text.trim().parse().ok()?)),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        number.map(Some).ok_or_else(|| self.wrong(value))
    }

    /// Whether the flag is set.
    pub fn is_set(&self, arguments: &Map<String, Value>) -> Result<bool, String> {
        let Some(value) = self.find(arguments) else { return Ok(false) };
        let flag = match value {
            Value::Bool(flag) => Some(*flag),
            Value::Number(number) => number.as_u64().filter(|number| *number < 2).map(|number| number == 1),
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "1" => Some(true),
                "false" | "no" | "0" | "" => Some(false),
                _ => None,
            },
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        flag.ok_or_else(|| self.wrong(value))
    }

    /// The entries of a list, if it is there: an array, one that was written as a string, or a single entry.
    pub fn entries(&self, arguments: &Map<String, Value>) -> Result<Option<Vec<Value>>, String> {
        let Some(value) = self.find(arguments) else { return Ok(None) };
        match value {
            Value::Array(entries) => Ok(Some(entries.clone())),
            Value::Object(_) => Ok(Some(vec![value.clone()])),
            Value::String(text) if text.trim().is_empty() => Ok(None),
            Value::String(text) => match (serde_json::from_str(text), self.kind) {
                (Ok(Value::Array(entries)), _) => Ok(Some(entries)),
                (_, Kind::Texts) => Ok(Some(vec![value.clone()])),
                (_, Kind::Text | Kind::Integer | Kind::Flag | Kind::OneOf(_) | Kind::Objects(_)) => {
                    Err(self.wrong(value))
                }
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => Err(self.wrong(value)),
        }
    }

    /// The same, where it must be there.
    pub fn need_entries(&self, arguments: &Map<String, Value>) -> Result<Vec<Value>, String> {
        self.entries(arguments)?.ok_or_else(|| self.missing(arguments))
    }

    /// The value under its name, else under another of its names; `null` is no value.
    fn find<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let names = std::iter::once(&self.name).chain(self.aliases);
        names.filter_map(|name| arguments.get(*name)).find(|value| !value.is_null())
    }

    fn checked(&self, text: String) -> Result<String, String> {
        match self.kind {
            Kind::OneOf(words) if !words.contains(&text.as_str()) => Err(self.wrong(&Value::String(text))),
            Kind::OneOf(_) | Kind::Text | Kind::Integer | Kind::Flag | Kind::Texts | Kind::Objects(_) => {
                Ok(text)
            }
        }
    }

    fn missing(&self, arguments: &Map<String, Value>) -> String {
        let why = if arguments.is_empty() { ": the call has no arguments" } else { "" };
        format!("Error: `{}` ({}) is missing{why}", self.name, self.expected())
    }

    fn wrong(&self, value: &Value) -> String {
        format!("Error: `{}` must be {}, not {}", self.name, self.expected(), shortened(value))
    }

    fn expected(&self) -> String {
        match self.kind {
            Kind::Text => "a string".to_owned(),
            Kind::Integer => "a whole number from 0".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::OneOf(words) => format!("one of {}", words.join(", ")),
            Kind::Texts => "an array of strings".to_owned(),
            Kind::Objects(_) => "an array of objects".to_owned(),
        }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Integer => json!({"type": "integer"}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::OneOf(words) => json!({"type": "string", "enum": words}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Objects(fields) => json!({"type": "array", "items": object(fields, &[])}),
        };
        if let (Some(schema), false) = (schema.as_object_mut(), self.about.is_empty()) {
            schema.insert("description".to_owned(), self.about.into());
        }
        schema
    }
}

/// The JSON Schema of an object with these parameters.
pub fn object(required: &[Param], optional: &[Param]) -> Value {
    let properties: Map<String, Value> =
        required.iter().chain(optional).map(|param| (param.name.to_owned(), param.schema())).collect();
    let names: Vec<&str> = required.iter().map(|param| param.name).collect();
    json!({"type": "object", "properties": properties, "required": names})
}

/// A number without a fraction, such as the `5.0` that some models write.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
fn whole(number: f64) -> Option<u64> {
    // 2^53: beyond it a float no longer tells one whole number from the next
    (number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number)).then_some(number as u64)
}

/// The value as JSON, as much of it as an error needs.
fn shortened(value: &Value) -> String {
    const LONGEST: usize = 40;
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let text = value.to_string();
            match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
                Some(start) => format!("{start}…"),
                None => text,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Param = Param::text("file_path", "where").or(&["path", "filePath"]);
    const LIMIT: Param = Param::integer("limit", "");
    const ALL: Param = Param::flag("replace_all", "");
    const MODE: Param = Param::one_of("mode", "", &["content", "count"]);

    fn arguments(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn the_schema_says_only_what_is_needed() {
        assert_eq!(
            object(&[PATH], &[LIMIT, ALL, MODE]),
            json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "where"},
                    "limit": {"type": "integer"},
                    "replace_all": {"type": "boolean"},
                    "mode": {"type": "string", "enum": ["content", "count"]},
                },
                "required": ["file_path"],
            })
        );
    }

    #[test]
    fn text_is_taken_under_any_of_its_names() {
        let check = |value: Value, expected: Result<&str, &str>| {
            let found = PATH.need_some(&arguments(&value));
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{value}");
        };
        check(json!({"file_path": "a", "path": "b"}), Ok("a"));
        check(json!({"file_path": null, "filePath": "b", "unknown": 1}), Ok("b"));
        check(json!({"path": 7}), Ok("7"));
        check(json!({}), Err("Error: `file_path` (a string) is missing: the call has no arguments"));
        check(json!({"limit": 1}), Err("Error: `file_path` (a string) is missing"));
        check(json!({"path": " "}), Err("Error: `file_path` is empty"));
        check(json!({"path": ["a"]}), Err("Error: `file_path` must be a string, not an array"));
    }

    #[test]
    fn numbers_are_taken_in_every_way_they_are_written() {
        let check = |value: Value, expected: Result<Option<u64>, &str>| {
            let found = LIMIT.number(&arguments(&json!({"limit": value})));
            assert_eq!(found.as_ref().map(|found| *found).map_err(String::as_str), expected);
        };
        check(json!(5), Ok(Some(5)));
        check(json!(5.0), Ok(Some(5)));
        check(json!(" 5 "), Ok(Some(5)));
        check(json!("5.0"), Ok(Some(5)));
        check(json!(""), Ok(None));
        check(json!(null), Ok(None));
        check(json!(-1), Err("Error: `limit` must be a whole number from 0, not -1"));
        check(json!(1.5), Err("Error: `limit` must be a whole number from 0, not 1.5"));
        check(json!("many"), Err("Error: `limit` must be a whole number from 0, not \"many\""));
        check(json!(true), Err("Error: `limit` must be a whole number from 0, not true"));
    }

    #[test]
    fn flags_are_taken_in_every_way_they_are_written() {
        for (value, expected) in [
            (json!(true), Ok(true)),
            (json!("True"), Ok(true)),
            (json!(1), Ok(true)),
            (json!("no"), Ok(false)),
            (json!(null), Ok(false)),
            (json!(2), Err("Error: `replace_all` must be true or false, not 2".to_owned())),
        ] {
            assert_eq!(ALL.is_set(&arguments(&json!({"replace_all": value}))), expected);
        }
    }

    #[test]
    fn lists_are_taken_in_every_way_they_are_written() {
        const NAMES: Param = Param::texts("names", "");
        const STEPS: Param = Param::objects("steps", "", &[MODE]);
        let check = |param: Param, value: Value, expected: Result<Option<Value>, &str>| {
            let found = param.entries(&arguments(&json!({ "names": value, "steps": value })));
            let found = found.map(|found| found.map(Value::Array));
            assert_eq!(
                found.as_ref().map_err(String::as_str),
                expected.as_ref().map_err(|why| *why),
                "{value}"
            );
        };
        for param in [NAMES, STEPS] {
            check(param, json!(["a", {"b": 1}]), Ok(Some(json!(["a", {"b": 1}]))));
            check(param, json!("[{\"b\": 1}]"), Ok(Some(json!([{"b": 1}]))));
            check(param, json!({"b": 1}), Ok(Some(json!([{"b": 1}]))));
            check(param, json!([]), Ok(Some(json!([]))));
            check(param, json!(" "), Ok(None));
            check(param, json!(null), Ok(None));
        }
        check(NAMES, json!("one"), Ok(Some(json!(["one"]))));
        check(STEPS, json!("one"), Err("Error: `steps` must be an array of objects, not \"one\""));
        check(NAMES, json!(7), Err("Error: `names` must be an array of strings, not 7"));
        let missing = STEPS.need_entries(&arguments(&json!({"names": []}))).unwrap_err();
        assert_eq!(missing, "Error: `steps` (an array of objects) is missing");
        assert_eq!(
            object(&[STEPS], &[NAMES])["properties"],
            json!({
                "steps": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"mode": {"type": "string", "enum": ["content", "count"]}},
                    "required": ["mode"],
                }},
                "names": {"type": "array", "items": {"type": "string"}},
            })
        );
    }

    #[test]
    fn a_word_that_is_not_offered_is_refused_with_those_that_are() {
        let error = MODE.get(&arguments(&json!({"mode": "x".repeat(60)}))).unwrap_err();
        assert_eq!(error, format!("Error: `mode` must be one of content, count, not \"{}…", "x".repeat(39)));
    }
}
