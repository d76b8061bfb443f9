//! A tool call as a person sees it: what it does, to what, and what became of it.

use serde_json::Value;

use super::moment::Moment;
use crate::protocol::{BuiltInTool, CallId, Display, LabelObject, Tail, ToolKind, ToolStatus};
use std::time::Duration;

/// What a call does, in a word, and to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// `run`, `edit`, `read`, …
    pub verb: String,
    /// The command, the path, the pattern; as it came, not yet sanitised.
    pub object: String,
}

/// A call that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCall {
    /// Which.
    pub id: CallId,
    /// What it does.
    pub label: Label,
    /// Since when.
    pub since: Moment,
    /// What it printed last.
    pub tail: Tail,
    /// How it is shown.
    pub kind: ToolKind,
}

/// A call that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneCall {
    /// Which.
    pub id: CallId,
    /// What it did.
    pub label: Label,
    /// What became of it.
    pub status: ToolStatus,
    /// What there is to see.
    pub display: Display,
    /// How long it took.
    pub duration: Duration,
}

impl Label {
    /// The label of a call of the tool `name`; paths below `cwd` are told from there.
    #[must_use]
    pub fn of(name: &str, input: &Value, cwd: &str) -> Self {
        let argument = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let path = |key: &str| {
            let whole = argument(key);
            let below = whole.strip_prefix(cwd).and_then(|rest| rest.strip_prefix('/'));
            below.map(str::to_owned).unwrap_or(whole)
        };
        let Some(tool) = BuiltInTool::named(name) else {
            return Self { verb: name.to_owned(), object: first_text(input) };
        };
        let object = match tool.object {
            LabelObject::Nothing => String::new(),
            LabelObject::Argument(key) => argument(key),
            LabelObject::Quoted(key) => format!("\"{}\"", argument(key)),
            LabelObject::Path(key) => path(key),
            LabelObject::PatchFiles(key) => files_of(&argument(key)),
            LabelObject::Markdown(key) => without_heading(&argument(key)),
        };
        Self { verb: tool.verb.to_owned(), object }
    }
}

/// The first argument that is a text, for a tool that is not built in.
fn first_text(input: &Value) -> String {
    let mut arguments = input.as_object().into_iter().flat_map(serde_json::Map::values);
    arguments.find_map(Value::as_str).unwrap_or_default().to_owned()
}

/// The files that a patch names, as it names them.
fn files_of(patch: &str) -> String {
    const HEADS: [&str; 3] = ["*** Add File:", "*** Update File:", "*** Delete File:"];
    let file = |line: &str| {
        HEADS.iter().find_map(|head| line.trim().strip_prefix(head)).map(|path| path.trim().to_owned())
    };
    patch.lines().filter_map(file).collect::<Vec<_>>().join(", ")
}

/// A plan as a label has it: its first line is a heading as a rule, and the sign of one says nothing beside the verb.
fn without_heading(plan: &str) -> String {
    plan.trim_start().trim_start_matches('#').trim_start().to_owned()
}

/// How calls of the tool `name` are shown.
#[must_use]
pub fn kind_of(name: &str) -> ToolKind {
    BuiltInTool::named(name).map_or(ToolKind::Act, |tool| tool.kind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_is_labelled_with_the_files_that_it_names() {
        let patch =
            "*** Begin Patch\n*** Update File: a b\n-*** Add File: x\n*** Delete File: c\n*** End Patch";
        let label = Label::of("ApplyPatch", &json!({"patch": patch}), "/w");
        assert_eq!((label.verb.as_str(), label.object.as_str()), ("patch", "a b, c"));
    }

    #[test]
    fn a_plan_is_labelled_without_the_sign_of_its_heading() {
        let check = |plan: &str, object: &str| {
            assert_eq!(Label::of("ExitPlanMode", &json!({"plan": plan}), "/w").object, object);
        };
        check("\n## Mend the cart\n\n# Then\n", "Mend the cart\n\n# Then\n");
        check("read, then write", "read, then write");
    }
}
