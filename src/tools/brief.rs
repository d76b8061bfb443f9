//! What a model with a small context window is sent about the tools: a short description, and only those descriptions of
//! parameters without which it would guess wrong. The parameters themselves are the same.

use serde_json::Value;

use crate::protocol::ToolSpec;

struct Brief {
    name: &'static str,
    description: &'static str,
    /// Descriptions of parameters.
    parameters: &'static [(&'static str, &'static str)],
}

const fn brief(
    name: &'static str,
    description: &'static str,
    parameters: &'static [(&'static str, &'static str)],
) -> Brief {
    Brief { name, description, parameters }
}

const TOOLS: [Brief; 13] = [
    brief("Read", "Read a file: each line with its number and a tab before it", &[("offset", "first line")]),
    brief("Write", "Create or replace a file", &[]),
    brief("Edit", "Replace exact, unique text in a file you have read", &[]),
    brief(
        "ApplyPatch",
        "Patch files you have read. Format:
*** Begin Patch
*** Update File: a.py
@@ class C
 context
-old
+new
*** Add File: b.py
+line
*** Delete File: c.py
*** End Patch",
        &[],
    ),
    brief("Bash", "Run a bash command", &[("timeout", "ms"), ("run_in_background", "for servers")]),
    brief("BashOutput", "New output of a background command", &[]),
    brief("KillShell", "Stop a background command", &[]),
    brief("Glob", "Find files by name", &[("pattern", "such as `src/**/*.rs`")]),
    brief(
        "Grep",
        "Search file contents. Lists the files by default",
        &[("pattern", "regex"), ("glob", "such as `*.rs`")],
    ),
    brief("WebFetch", "Fetch a public web page", &[]),
    brief("TodoWrite", "Set the list of steps of a long task", &[]),
    brief("AskUser", "Ask the user a question", &[]),
    brief("ExitPlanMode", "In plan mode: present the finished plan", &[]),
];

/// The definition with the brief texts; one of another tool stays as it is.
pub(super) fn shorten(mut definition: ToolSpec) -> ToolSpec {
    let Some(brief) = TOOLS.iter().find(|brief| brief.name == definition.name.as_str()) else {
        return definition;
    };
    brief.description.clone_into(&mut definition.description);
    if let Some(properties) = definition.parameters.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, schema) in properties {
            let about = brief.parameters.iter().find(|(parameter, _)| parameter == name);
            describe(schema, about.map(|(_, about)| *about));
        }
    }
    definition
}

/// Replaces the description of a parameter, and removes those of its fields.
fn describe(schema: &mut Value, about: Option<&str>) {
    remove_descriptions(schema);
    if let (Some(schema), Some(about)) = (schema.as_object_mut(), about) {
        schema.insert("description".to_owned(), about.into());
    }
}

fn remove_descriptions(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        object.remove("description");
        for (key, inner) in object {
            match key.as_str() {
                // the keys of `properties` are names of parameters
                "properties" => inner
                    .as_object_mut()
                    .into_iter()
                    .flat_map(serde_json::Map::values_mut)
                    .for_each(remove_descriptions),
                _ => remove_descriptions(inner),
            }
        }
    }
}
