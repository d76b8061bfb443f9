//! A tool call as a person sees it: what it does, to what, and what became of it.

use serde_json::Value;

use super::moment::Moment;
use crate::protocol::{CallId, Display, Tail, ToolStatus};
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
    /// Whether it only looks.
    pub kind: Kind,
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

/// Whether a call only looks: such calls are told in one line together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It reads or searches.
    Looks,
    /// It may change something, or asks somebody outside.
    Acts,
    /// It asks the user, or keeps a list for them: what it does is seen elsewhere, and how long it took says nothing.
    Tells,
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
        let (verb, object) = match name {
            "Read" => ("read", path("file_path")),
            "Write" => ("write", path("file_path")),
            "Edit" => ("edit", path("file_path")),
            "ApplyPatch" => ("patch", files_of(&argument("patch"))),
            "Bash" => ("run", argument("command")),
            "Glob" => ("glob", argument("pattern")),
            "Grep" => ("grep", format!("\"{}\"", argument("pattern"))),
            "BashOutput" => ("output", argument("id")),
            "KillShell" => ("stop", argument("id")),
            "WebFetch" => ("fetch", argument("url")),
            "TodoWrite" => ("todo", String::new()),
            "AskUser" => ("ask", argument("question")),
            "ExitPlanMode" => ("plan", without_heading(&argument("plan"))),
            other => (other, String::new()),
        };
        Self { verb: verb.to_owned(), object }
    }
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

impl Kind {
    /// What the tool `name` does.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            "Read" | "Glob" | "Grep" => Self::Looks,
            "TodoWrite" | "AskUser" | "ExitPlanMode" => Self::Tells,
            _ => Self::Acts,
        }
    }
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
