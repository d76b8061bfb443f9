//! Tools as every module knows them: the specification that a tool gives of itself, and the table of the built-in ones.
//!
//! The table is here because modules that know no tool use it: permission rules name tools, and the screen labels the calls of
//! any session, also those of tools that are not offered now.

use serde_json::Value;

use super::ToolName;

/// Specification of a tool. Name, description and parameters are sent to the model, in this order.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its parameters: `{"type":"object","properties":…}`.
    pub parameters: Value,
    /// Whether calls may run in parallel with other calls of this kind, because they only read.
    pub parallel: bool,
}

impl ToolSpec {
    /// A tool whose calls run one at a time.
    #[must_use]
    pub fn new(name: impl Into<ToolName>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters, parallel: false }
    }
}

/// How calls of a tool are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// It reads or searches: successful calls share one line.
    Read,
    /// It may change something, or contacts another machine.
    Act,
    /// It asks the user or shows them something: its effect is on the screen already.
    Interact,
}

/// The part of a call's arguments that its label shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelObject {
    /// None.
    Nothing,
    /// An argument as it is.
    Argument(&'static str),
    /// An argument in quotes.
    Quoted(&'static str),
    /// A path, relative to the session's directory if it is below it.
    Path(&'static str),
    /// The files that a patch names.
    PatchFiles(&'static str),
    /// A Markdown text without the sign of its heading.
    Markdown(&'static str),
}

/// What the program knows of a built-in tool besides its specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInTool {
    /// Its name.
    pub name: &'static str,
    /// How its calls are shown.
    pub kind: ToolKind,
    /// First word of a call's label.
    pub verb: &'static str,
    /// The rest of the label.
    pub object: LabelObject,
}

/// The built-in tools: the names that rules can use, and the labels of calls.
pub const BUILT_IN_TOOLS: [BuiltInTool; 15] = {
    use LabelObject::{Argument, Markdown, Nothing, PatchFiles, Path, Quoted};
    use ToolKind::{Act, Interact, Read};
    [
        tool("Read", Read, "read", Path("file_path")),
        tool("Write", Act, "write", Path("file_path")),
        tool("Edit", Act, "edit", Path("file_path")),
        tool("ApplyPatch", Act, "patch", PatchFiles("patch")),
        tool("Bash", Act, "run", Argument("command")),
        tool("BashOutput", Act, "output", Argument("id")),
        tool("KillShell", Act, "stop", Argument("id")),
        tool("Glob", Read, "glob", Argument("pattern")),
        tool("Grep", Read, "grep", Quoted("pattern")),
        tool("WebFetch", Act, "fetch", Argument("url")),
        tool("TodoWrite", Interact, "todo", Nothing),
        tool("Task", Act, "Task", Nothing),
        tool("Skill", Act, "Skill", Nothing),
        tool("AskUser", Interact, "ask", Argument("question")),
        tool("ExitPlanMode", Interact, "plan", Markdown("plan")),
    ]
};

const fn tool(name: &'static str, kind: ToolKind, verb: &'static str, object: LabelObject) -> BuiltInTool {
    BuiltInTool { name, kind, verb, object }
}

impl BuiltInTool {
    /// The built-in tool with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        BUILT_IN_TOOLS.iter().find(|tool| tool.name == name)
    }
}
