//! The prompt and the descriptions of the tools, for every selection of tools that the configuration can make.

use std::collections::HashSet;

use crate::context::prompt::{Layers, build_system_prompt};
use crate::os::http::Web;
use crate::text::model_text::Detail;
use crate::tools::{EditTool, Selection, ToolRegistry};

const NAMES: [&str; 13] = [
    "Read",
    "Write",
    "Edit",
    "ApplyPatch",
    "Bash",
    "BashOutput",
    "KillShell",
    "Glob",
    "Grep",
    "WebFetch",
    "TodoWrite",
    "AskUser",
    "ExitPlanMode",
];

/// The tools that are named in a text, and not offered.
fn missing(text: &str, offered: &[&str]) -> Vec<&'static str> {
    let is_named = |name: &&str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name);
    NAMES.into_iter().filter(|name| is_named(name) && !offered.contains(name)).collect()
}

/// The names of the tools of which `selected` has a bit, as a session with this tool to edit offers them.
fn names(editing: EditTool, selected: u32) -> Vec<&'static str> {
    let other = match editing {
        EditTool::Replacement => "ApplyPatch",
        EditTool::Patch => "Edit",
    };
    let of_session = NAMES.into_iter().filter(|name| *name != other).enumerate();
    of_session.filter(|(index, _)| selected >> index & 1 == 1).map(|(_, name)| name).collect()
}

const SELECTIONS: u32 = 1 << (NAMES.len() - 1);
const SESSIONS: [(EditTool, Detail); 4] = [
    (EditTool::Replacement, Detail::Full),
    (EditTool::Replacement, Detail::Brief),
    (EditTool::Patch, Detail::Full),
    (EditTool::Patch, Detail::Brief),
];

#[test]
fn the_prompt_names_no_tool_that_is_not_offered() {
    let mut seen = HashSet::new();
    for (editing, detail) in SESSIONS {
        for selected in 0..SELECTIONS {
            let offered = names(editing, selected);
            let prompt = build_system_prompt(&Layers { detail, tools: &offered, ..Layers::default() });
            let named: Vec<&str> = offered.iter().copied().filter(|name| prompt.contains(name)).collect();
            if seen.insert((prompt.clone(), named)) {
                assert_eq!(missing(&prompt, &offered), Vec::<&str>::new(), "{offered:?}\n{prompt}");
                assert!(!prompt.contains("{{") && !prompt.contains("}}"), "{prompt}");
                let has_commands = offered.contains(&"Bash");
                assert_eq!(prompt.contains("run_in_background"), detail == Detail::Full && has_commands);
            }
        }
    }
}

/// A description names at most two other tools, so the selections without two tools and with two alone show all that there is.
#[test]
fn no_description_names_a_tool_that_is_not_offered() {
    for (editing, detail) in SESSIONS {
        let least = |selected: &u32| !(3..=9).contains(&selected.count_ones());
        for selected in (0..SELECTIONS).filter(least) {
            let offered = names(editing, selected);
            let disallowed = NAMES.iter().filter(|name| !offered.contains(name));
            // a rule for `Edit` takes `ApplyPatch` away too
            let disallowed = disallowed.filter(|name| !(editing == EditTool::Patch && **name == "Edit"));
            let disallowed = disallowed.map(|name| (*name).to_owned()).collect();
            let selection = Selection { editing, detail, disallowed };
            let registry = ToolRegistry::built_in(&selection, Web::default()).unwrap();
            assert_eq!(registry.names().collect::<Vec<_>>(), offered);
            for tool in registry.definitions().iter() {
                let texts = format!("{} {}", tool.description, tool.parameters);
                assert_eq!(missing(&texts, &offered), Vec::<&str>::new(), "{offered:?}\n{texts}");
                assert!(!texts.contains("{{"), "{texts}");
            }
        }
    }
}
