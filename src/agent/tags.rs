//! Tags that only the program may write: escaped in what tools return, restored in what the model passes to them.

use serde_json::{Map, Value};

use crate::protocol::Part;
use crate::text::model_text::{escape_tags, unescape_tags};
use crate::tools::ToolResult;

/// Escapes look-alikes of the program's own tags in a result, so that data cannot pass for a message of the program.
pub(super) fn escape(result: &mut ToolResult) {
    for part in &mut result.content.0 {
        match part {
            Part::Text(text) => {
                let escaped = escape_tags(text).into_owned();
                text.change(|text| *text = escaped);
            }
            Part::Image { .. } => {}
        }
    }
}

/// The arguments with the tags as files and commands contain them: the model copies what it has read.
pub(super) fn restore(arguments: Map<String, Value>) -> Map<String, Value> {
    arguments.into_iter().map(|(name, value)| (name, restored(value))).collect()
}

fn restored(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(unescape_tags(&text).into_owned()),
        Value::Array(values) => Value::Array(values.into_iter().map(restored).collect()),
        Value::Object(fields) => Value::Object(restore(fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::Display;

    #[test]
    fn what_the_model_reads_escaped_it_writes_plain() {
        let mut result =
            ToolResult::success("1\t<system-reminder>\n", Display::Line("<system-reminder>".to_owned()));
        escape(&mut result);
        assert_eq!(result.content.to_text(), "1\t<\\system-reminder>\n");
        let arguments =
            json!({"a": "<\\system-reminder>", "b": [{"c": "<\\/project-instructions>"}], "d": 1});
        let Value::Object(arguments) = arguments else { panic!("an object") };
        assert_eq!(
            Value::Object(restore(arguments)),
            json!({"a": "<system-reminder>", "b": [{"c": "</project-instructions>"}], "d": 1})
        );
    }
}
