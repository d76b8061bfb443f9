//! Calls out of what was written as text, where they fit what a tool takes.
//!
//! A call that was sent as one never comes here: it goes to its tool as it is. Not a validator of JSON Schema: types,
//! required fields, enumerations, items and alternatives are looked at, what else a schema says is left to the tool.
//! The surprising decision: in doubt there is no call, for then the text is shown, and nothing has been done.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::protocol::{ToolName, ToolSpec};

/// A call as it was written.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::chat) struct Written {
    pub(in crate::chat) name: ToolName,
    /// A JSON object.
    pub(in crate::chat) arguments: String,
}

/// A call in JSON.
#[derive(Deserialize)]
struct WholeCall<'a> {
    name: String,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    parameters: Option<&'a RawValue>,
}

impl Written {
    /// The call that `json` is: an object with a `name`, and with `arguments` or `parameters`.
    pub(in crate::chat) fn in_json(json: &str, tools: &[ToolSpec]) -> Option<Self> {
        let call: WholeCall<'_> = serde_json::from_str(json).ok()?;
        let arguments = call.arguments.or(call.parameters)?.get();
        // Some write them as a text that holds the object.
        let unpacked = serde_json::from_str::<String>(arguments).ok();
        Self::with_json(&call.name, unpacked.as_deref().unwrap_or(arguments), tools)
    }

    /// The call of the tool `name` with the object `json`.
    pub(in crate::chat) fn with_json(name: &str, json: &str, tools: &[ToolSpec]) -> Option<Self> {
        let tool = tool(tools, name)?;
        let value: Value = serde_json::from_str(json).ok()?;
        let is_fit = value.is_object() && fits(&value, &tool.parameters);
        is_fit.then(|| Self { name: tool.name.clone(), arguments: json.trim().to_owned() })
    }

    /// The call of the tool `name` with these names and values. A value is text, set off from its tags by line ends.
    pub(in crate::chat) fn with_parameters<'a>(
        name: &str,
        parameters: impl Iterator<Item = (&'a str, &'a str)>,
        tools: &[ToolSpec],
    ) -> Option<Self> {
        let tool = tool(tools, name)?;
        let forms = tool.parameters.get("properties");
        let mut arguments = Map::new();
        for (name, text) in parameters {
            // A name that is unknown or comes twice may be a part of another parameter's value.
            let form = match forms {
                Some(forms) => Some(forms.get(name)?),
                None => None,
            };
            if arguments.insert(name.to_owned(), value_of(between_lines(text), form)?).is_some() {
                return None;
            }
        }
        let arguments = Value::Object(arguments);
        fits(&arguments, &tool.parameters)
            .then(|| Self { name: tool.name.clone(), arguments: arguments.to_string() })
    }
}

/// Whether a tool of this name is there.
pub(in crate::chat) fn knows(tools: &[ToolSpec], name: &str) -> bool {
    tool(tools, name).is_some()
}

fn tool<'a>(tools: &'a [ToolSpec], name: &str) -> Option<&'a ToolSpec> {
    tools.iter().find(|tool| tool.name.as_str() == name)
}

/// `value` without the line ends that set it off from its tags.
fn between_lines(value: &str) -> &str {
    let value = value.strip_prefix("\r\n").or_else(|| value.strip_prefix('\n')).unwrap_or(value);
    value.strip_suffix("\r\n").or_else(|| value.strip_suffix('\n')).unwrap_or(value)
}

/// Whether `value` fits `schema`.
fn fits(value: &Value, schema: &Value) -> bool {
    let Value::Object(schema) = schema else { return *schema != Value::Bool(false) };
    let types = types_of(schema);
    let is_typed = types.is_empty() || types.iter().any(|name| is_a(value, name));
    let is_listed = match schema.get("enum") {
        Some(Value::Array(allowed)) => allowed.contains(value),
        _ => true,
    };
    let is_one = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).all(|forms| {
        // A reference leads out of what can be seen here.
        forms.iter().any(|form| form.get("$ref").is_some() || fits(value, form))
    });
    let fit_inside = match value {
        Value::Object(fields) => fields_fit(fields, schema),
        Value::Array(items) => {
            schema.get("items").is_none_or(|form| items.iter().all(|item| fits(item, form)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    };
    is_typed && is_listed && is_one && fit_inside
}

/// The value that `text` is, where `schema` says what it should be; a string where it says nothing.
fn value_of(text: &str, schema: Option<&Value>) -> Option<Value> {
    let types = schema.and_then(Value::as_object).map(all_types).unwrap_or_default();
    if types.is_empty() {
        return Some(Value::String(text.to_owned()));
    }
    types.into_iter().find_map(|name| value_as(text, name))
}

fn fields_fit(fields: &Map<String, Value>, schema: &Map<String, Value>) -> bool {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let field_fits = |(name, value): (&String, &Value)| {
        // Models write null for what they do not set.
        let is_unset = value.is_null() && !required.contains(&name.as_str());
        let form = properties.and_then(|forms| forms.get(name));
        is_unset || form.is_none_or(|form| fits(value, form))
    };
    required.iter().all(|name| fields.contains_key(*name)) && fields.iter().all(field_fits)
}

fn is_a(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("integer", Value::Number(number)) => is_whole(number),
        ("string", Value::String(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null) => true,
        _ => false,
    }
}

fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// The types that a schema names itself.
fn types_of(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Those, and the ones of its alternatives.
fn all_types(schema: &Map<String, Value>) -> Vec<&str> {
    let forms = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    let inner = forms.filter_map(Value::as_object).flat_map(types_of);
    types_of(schema).into_iter().chain(inner).collect()
}

fn value_as(text: &str, name: &str) -> Option<Value> {
    let word = text.trim();
    match name {
        "string" => Some(Value::String(text.to_owned())),
        "boolean" if word.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        "boolean" if word.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        "null" if matches!(word, "null" | "None") => Some(Value::Null),
        "integer" | "number" | "array" | "object" => {
            serde_json::from_str(word).ok().filter(|value| is_a(value, name))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_fit_by_type_and_by_what_must_be_there() {
        #[track_caller]
        fn check(value: &Value, expected: bool) {
            let schema = json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "line": { "type": "integer" },
                    "size": { "type": ["number", "null"] },
                    "deep": { "type": "boolean" },
                    "mode": { "type": "string", "enum": ["a", "b"] },
                    "list": { "type": "array", "items": { "type": "object", "required": ["x"] } },
                    "any": {},
                    "either": { "anyOf": [{ "type": "string" }, { "type": "object" }] },
                    "other": { "oneOf": [{ "$ref": "#/x" }] },
                },
                "required": ["path"],
            });
            assert_eq!(fits(value, &schema), expected, "{value}");
        }
        check(&json!({"path": "a"}), true);
        check(&json!({}), false);
        check(&json!({"path": null}), false);
        check(&json!({"path": 1}), false);
        check(&json!([]), false);
        check(&json!({"path": "a", "line": 3, "size": 0.5, "deep": true, "unknown": 1}), true);
        check(&json!({"path": "a", "line": 3.0}), true);
        check(&json!({"path": "a", "line": 3.5}), false);
        check(&json!({"path": "a", "line": "3"}), false);
        check(&json!({"path": "a", "line": null, "size": null}), true);
        check(&json!({"path": "a", "deep": "true"}), false);
        check(&json!({"path": "a", "mode": "b"}), true);
        check(&json!({"path": "a", "mode": "c"}), false);
        check(&json!({"path": "a", "list": [{"x": 1}]}), true);
        check(&json!({"path": "a", "list": [{"y": 1}]}), false);
        check(&json!({"path": "a", "any": [1], "either": {}, "other": 5}), true);
        check(&json!({"path": "a", "either": 5}), false);
    }

    #[test]
    fn a_schema_may_allow_all_or_nothing() {
        assert!(
            fits(&json!(1), &json!(true)) && fits(&json!(1), &Value::Null) && fits(&json!(1), &json!({}))
        );
        assert!(!fits(&json!(1), &json!(false)));
    }

    #[test]
    fn text_becomes_what_the_schema_asks_for() {
        #[track_caller]
        fn check(text: &str, schema: &Value, expected: &Value) {
            let value = value_of(text, Some(schema)).unwrap_or_else(|| json!("none"));
            assert_eq!(value, *expected, "{text} as {schema}");
        }
        check(" 5\n", &json!({"type": "string"}), &json!(" 5\n"));
        check(" 5\n", &json!({"type": "integer"}), &json!(5));
        check("5.5", &json!({"type": "integer"}), &json!("none"));
        check("5.5", &json!({"type": "number"}), &json!(5.5));
        check("five", &json!({"type": "number"}), &json!("none"));
        check("True", &json!({"type": "boolean"}), &json!(true));
        check("false", &json!({"type": "boolean"}), &json!(false));
        check("1", &json!({"type": "boolean"}), &json!("none"));
        check("[1]", &json!({"type": "array"}), &json!([1]));
        check("{}", &json!({"type": "array"}), &json!("none"));
        check("{\"a\":1}", &json!({"type": "object"}), &json!({"a": 1}));
        check("None", &json!({"type": ["integer", "null"]}), &Value::Null);
        check("x", &json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), &json!("x"));
        check("x", &json!({}), &json!("x"));
        check("x", &json!({"type": "date"}), &json!("none"));
        assert_eq!(value_of("x", None), Some(json!("x")));
    }
}
