//! The question whether a directory is trusted: what a yes would mean, in words.
//!
//! Everything is foreign text as it came; whoever shows it makes it harmless. What this version does not run is listed too, and
//! said to be so: a yes is to the content, and a later version runs it.

use crate::project::{Item, ItemKind, Scan, odd_git_keys};
use crate::trust::{Before, Standing, Trusted};

/// Names that one line tells.
const NAMES: usize = 8;

/// The trust question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustQuestion {
    /// The directory.
    pub directory: String,
    /// Why it is asked.
    pub why: WhyAsked,
    /// What it would bring, a kind of thing each.
    pub groups: Vec<TrustGroup>,
}

/// Why it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhyAsked {
    /// Nothing was answered before.
    #[default]
    First,
    /// What was trusted at this path was another directory.
    Another,
    /// Something is new or has changed since the yes; the groups hold nothing else that the project brings.
    Changed,
}

/// Things of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustGroup {
    /// What they are.
    pub title: &'static str,
    /// How they are told.
    pub form: GroupForm,
    /// Each of them, as it came.
    pub items: Vec<String>,
}

/// How things are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupForm {
    /// In one paragraph: they are names.
    Names,
    /// Each for itself: they are commands.
    Lines,
}

/// The kinds in the order of the question.
const KINDS: [(ItemKind, &str, GroupForm); 7] = [
    (ItemKind::Settings, "settings", GroupForm::Lines),
    (ItemKind::Broken, "settings", GroupForm::Lines),
    (ItemKind::Command, "commands (not supported by this version)", GroupForm::Names),
    (ItemKind::Skill, "skills (not supported by this version)", GroupForm::Names),
    (ItemKind::Agent, "agents (not supported by this version)", GroupForm::Names),
    (ItemKind::Hook, "hook (not supported by this version)", GroupForm::Lines),
    (ItemKind::Server, "MCP server (not supported by this version)", GroupForm::Lines),
];

impl TrustQuestion {
    /// The question about what was found.
    pub(super) fn new(scan: &Scan, before: &Before) -> Self {
        let (why, earlier) = match before {
            Before::Nothing => (WhyAsked::First, None),
            Before::Another => (WhyAsked::Another, None),
            Before::Yes(trusted) => (WhyAsked::Changed, Some(trusted)),
        };
        let texts = if earlier.is_none() { scan.names() } else { Vec::new() };
        let text = TrustGroup { title: "instructions for the model", form: GroupForm::Names, items: texts };
        let items = KINDS.iter().map(|(kind, title, form)| TrustGroup {
            title,
            form: *form,
            items: scan
                .brings
                .items
                .iter()
                .filter(|item| item.kind == *kind)
                .flat_map(|item| told(item, earlier))
                .collect(),
        });
        let rest = [
            ("always ignored", GroupForm::Names, scan.brings.left_out.clone()),
            (
                "git settings of this repository that git will obey",
                GroupForm::Lines,
                odd_git_keys(&scan.root),
            ),
        ];
        let rest = rest.map(|(title, form, items)| TrustGroup { title, form, items });
        let groups = std::iter::once(text).chain(items).chain(rest);
        Self {
            directory: scan.root.display().to_string(),
            why,
            groups: groups.filter(|group| !group.items.is_empty()).collect(),
        }
    }
}

/// What a person should see of a thing, if it is not as it was.
fn told(item: &Item, earlier: Option<&Trusted>) -> Vec<String> {
    let mark = match earlier.map(|yes| yes.standing(item)) {
        None => "",
        Some(Standing::New) => "new: ",
        Some(Standing::Changed) => "changed: ",
        Some(Standing::Same) => return Vec::new(),
    };
    match item.kind {
        ItemKind::Settings => vec![format!("{mark}{} ({})", item.shows.join(", "), item.file)],
        ItemKind::Broken
        | ItemKind::Hook
        | ItemKind::Server
        | ItemKind::Command
        | ItemKind::Skill
        | ItemKind::Agent => item.shows.iter().map(|line| format!("{mark}{line}")).collect(),
    }
}

/// Names in one line, each once; a long list is cut and counted.
pub(super) fn listed(names: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    match all.len().saturating_sub(NAMES) {
        0 => all.join(", "),
        more => {
            all.truncate(NAMES);
            format!("{} and {more} more", all.join(", "))
        }
    }
}
