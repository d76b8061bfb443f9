//! The tools of a session, in the order in which the model is sent them.
//!
//! The order is part of every request's prefix, so it is that of registration and never changes in a session.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::Tool;
use super::{
    ask_user, background, bash, brief, edit, exit_plan, fetch, glob, grep, patch, read, todo, write,
};
use crate::os::http::Web;
use crate::protocol::{ToolName, ToolSpec};
use crate::text::model_text::{Detail, for_tools};
use crate::text::nearest::nearest;

/// The tools of a session.
#[derive(Default)]
pub struct ToolRegistry {
    tools: Vec<RegisteredTool>,
    detail: Detail,
    /// Made once: every request has them.
    definitions: OnceLock<Arc<[ToolSpec]>>,
}

/// The tool that changes a part of a file: there is one, in the form in which the model was trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EditTool {
    /// `Edit`: one text in the place of another.
    #[default]
    Replacement,
    /// `ApplyPatch`: a patch over several files.
    Patch,
}

impl EditTool {
    fn tool(self) -> Arc<dyn Tool> {
        match self {
            Self::Replacement => Arc::new(edit::Edit),
            Self::Patch => Arc::new(patch::ApplyPatch),
        }
    }
}

/// Which of the built-in tools are offered, and how.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The tool to edit with.
    pub editing: EditTool,
    /// How long the descriptions are.
    pub detail: Detail,
    /// The names of those that are not offered.
    pub disallowed: HashSet<String>,
}

/// A tool and its specification.
pub struct RegisteredTool {
    /// What it said of itself when it was registered.
    pub spec: ToolSpec,
    /// The tool.
    pub tool: Arc<dyn Tool>,
}

/// Why a tool was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// There is one of this name.
    #[error("cannot register tool `{0}`: it is already registered")]
    Duplicate(ToolName),
    /// Its definition cannot be sent any more.
    #[error("cannot register tool `{0}`: the tools of this session are already in use")]
    Frozen(ToolName),
}

impl ToolRegistry {
    /// No tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools that every session has, but for those whose names are `disallowed`; pages are asked for as `web` says.
    /// Where `Edit` is, there is no `ApplyPatch` either: a rule for the one holds for the other, so it could only be refused.
    pub fn built_in(
        Selection { editing, detail, disallowed }: &Selection,
        web: Web,
    ) -> Result<Self, RegisterError> {
        let tools: [Arc<dyn Tool>; 12] = [
            Arc::new(read::Read),
            Arc::new(write::Write),
            editing.tool(),
            Arc::new(bash::Bash::default()),
            Arc::new(background::BashOutput),
            Arc::new(background::KillShell),
            Arc::new(glob::Glob),
            Arc::new(grep::Grep),
            Arc::new(fetch::WebFetch::new(web)),
            Arc::new(todo::TodoWrite),
            Arc::new(ask_user::AskUser),
            Arc::new(exit_plan::ExitPlanMode),
        ];
        let mut registry = Self { detail: *detail, ..Self::default() };
        for tool in tools {
            registry.register(tool)?;
        }
        registry.tools.retain(|RegisteredTool { spec, .. }| {
            let name = spec.name.as_str();
            !(disallowed.contains(name) || name == "ApplyPatch" && disallowed.contains("Edit"))
        });
        Ok(registry)
    }

    /// Adds a tool at the end. Fails once the definitions were given out: each request begins with them, and endpoints cache
    /// that beginning.
    pub fn register(&mut self, tool: Arc<dyn Tool>) -> Result<(), RegisterError> {
        let spec = tool.spec();
        if self.get(spec.name.as_str()).is_some() {
            return Err(RegisterError::Duplicate(spec.name));
        }
        if self.definitions.get().is_some() {
            return Err(RegisterError::Frozen(spec.name));
        }
        self.tools.push(RegisteredTool { spec, tool });
        Ok(())
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&RegisteredTool> {
        self.tools.iter().find(|registered| registered.spec.name.as_str() == name)
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|registered| registered.spec.name.as_str())
    }

    /// The name that a slip could have turned into `name`.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names())
    }

    /// A text without the parts about tools that are not offered.
    fn with_offered(&self, text: &str) -> String {
        for_tools(text, |name| self.get(name).is_some())
    }

    /// What the model is sent about them, in order. A description names no tool that is not offered.
    pub fn definitions(&self) -> Arc<[ToolSpec]> {
        let define = |RegisteredTool { spec, .. }: &RegisteredTool| {
            let mut definition = match self.detail {
                Detail::Full => spec.clone(),
                Detail::Brief => brief::shorten(spec.clone()),
            };
            definition.description = self.with_offered(&definition.description);
            rewrite_texts(&mut definition.parameters, &|text| self.with_offered(text));
            definition
        };
        Arc::clone(self.definitions.get_or_init(|| self.tools.iter().map(define).collect()))
    }
}

/// Rewrites every text in a schema.
fn rewrite_texts(schema: &mut Value, rewrite: &impl Fn(&str) -> String) {
    match schema {
        Value::String(text) => *text = rewrite(text),
        Value::Array(values) => values.iter_mut().for_each(|value| rewrite_texts(value, rewrite)),
        Value::Object(fields) => fields.values_mut().for_each(|value| rewrite_texts(value, rewrite)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(disallowed: &[&str]) -> ToolRegistry {
        registry_for(EditTool::Replacement, disallowed)
    }

    fn registry_for(editing: EditTool, disallowed: &[&str]) -> ToolRegistry {
        built_in(editing, Detail::Full, disallowed)
    }

    fn built_in(editing: EditTool, detail: Detail, disallowed: &[&str]) -> ToolRegistry {
        let disallowed = disallowed.iter().map(|&name| name.to_owned()).collect();
        ToolRegistry::built_in(&Selection { editing, detail, disallowed }, Web::default()).unwrap()
    }

    #[test]
    fn tools_keep_their_order_and_those_not_wanted_are_left_out() {
        let names = |registry: &ToolRegistry| registry.names().collect::<Vec<_>>().join(" ");
        let all =
            "Read Write Edit Bash BashOutput KillShell Glob Grep WebFetch TodoWrite AskUser ExitPlanMode";
        assert_eq!(names(&registry(&[])), all);
        assert_eq!(names(&registry(&["Bash", "Write"])), all.replace("Write Edit Bash ", "Edit "));
    }

    #[test]
    fn there_is_one_tool_to_edit_with() {
        let names = |disallowed: &[&str]| {
            registry_for(EditTool::Patch, disallowed).names().collect::<Vec<_>>().join(" ")
        };
        let all = "Read Write ApplyPatch Bash BashOutput KillShell Glob Grep WebFetch TodoWrite AskUser ExitPlanMode";
        assert_eq!(names(&[]), all);
        assert_eq!(names(&["ApplyPatch"]), all.replace("ApplyPatch ", ""));
        assert_eq!(names(&["Edit"]), all.replace("ApplyPatch ", ""));
        assert_eq!(registry(&["ApplyPatch"]).names().nth(2), Some("Edit"));
    }

    #[test]
    fn a_name_is_taken_once() {
        let mut registry = registry(&[]);
        assert_eq!(registry.register(Arc::new(read::Read)), Err(RegisterError::Duplicate("Read".into())));
        assert_eq!((registry.nearest("read"), registry.nearest("Frobnicate")), (Some("Read"), None));
    }

    /// Bytes of the definitions as they go over the wire; about four are a token.
    fn wire(registry: &ToolRegistry) -> usize {
        let definitions = registry.definitions();
        let tool = |tool: &ToolSpec| {
            let function = serde_json::json!({
                "name": tool.name.as_str(), "description": tool.description, "parameters": tool.parameters,
            });
            serde_json::json!({"type": "function", "function": function}).to_string().len()
        };
        definitions.iter().map(tool).sum()
    }

    #[test]
    fn the_definitions_are_short() {
        // 4.36 bytes a token, as o200k counts such JSON
        let bytes = |editing, detail| wire(&built_in(editing, detail, &[]));
        for (editing, detail, most) in [
            (EditTool::Replacement, Detail::Full, 5_700),
            (EditTool::Patch, Detail::Full, 5_800),
            (EditTool::Replacement, Detail::Brief, 3_500),
            (EditTool::Patch, Detail::Brief, 3_500),
        ] {
            let bytes = bytes(editing, detail);
            assert!(bytes <= most, "{editing:?} {detail:?}: {bytes} bytes");
        }
    }

    #[test]
    fn every_tool_and_every_parameter_is_described() {
        for editing in [EditTool::Replacement, EditTool::Patch] {
            for tool in built_in(editing, Detail::Full, &[]).definitions().iter() {
                assert!(tool.description.ends_with('.'), "{tool:?}");
                assert_described(&tool.parameters, tool.name.as_str());
            }
        }
    }

    fn assert_described(schema: &Value, of: &str) {
        for (name, parameter) in schema["properties"].as_object().into_iter().flatten() {
            let about = parameter["description"].as_str().unwrap_or_default();
            assert!(about.len() > 5, "`{name}` of {of}");
            assert_described(&parameter["items"], name);
        }
    }

    #[test]
    fn the_brief_definitions_have_the_same_tools_and_parameters() {
        fn without_texts(tool: &ToolSpec) -> String {
            let mut parameters = tool.parameters.clone();
            for (_, parameter) in parameters["properties"].as_object_mut().unwrap() {
                parameter.as_object_mut().unwrap().remove("description");
                for (_, field) in parameter["items"]["properties"].as_object_mut().into_iter().flatten() {
                    field.as_object_mut().unwrap().remove("description");
                }
            }
            format!("{} {parameters}", tool.name)
        }
        for editing in [EditTool::Replacement, EditTool::Patch] {
            let of = |detail| built_in(editing, detail, &[]).definitions();
            for (full, brief) in of(Detail::Full).iter().zip(of(Detail::Brief).iter()) {
                assert!(brief.description.len() < full.description.len(), "{brief:?}");
                assert_eq!(without_texts(brief), without_texts(full).replace(",\"items\":null", ""));
            }
        }
    }
}
