//! The system prompt: four layers in a fixed order, made once a session.
//!
//! Environment, base, project instructions, appended text, with a rule between. The date is the day on which the session
//! began and there is no time of day, so the bytes never change; the permission mode is not named here at all. A base that
//! replaces ours leaves the other layers as they are.

/// What stands between two layers.
const RULE: &str = "\n\n---\n\n";

/// So the first line of a file of instructions begins; its name follows.
pub const INSTRUCTIONS_FROM: &str = "# Instructions from ";

/// Our own base prompt.
const BASE: &str = include_str!("prompts/base.md");

/// What the prompt is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layers<'a> {
    /// Facts about the machine.
    pub environment: Environment<'a>,
    /// Replaces our own base.
    pub base: Option<&'a str>,
    /// What the user and the project wrote for the model, in order, each with where it stands.
    pub instructions: &'a [Instructions],
    /// The user's own addition.
    pub appended: Option<&'a str>,
}

/// Facts about the machine and the day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment<'a> {
    /// The working directory.
    pub cwd: &'a str,
    /// `linux`, `macos`, …
    pub platform: &'a str,
    /// The branch, where the directory is in a git repository.
    pub branch: Option<&'a str>,
    /// The day, `2026-01-31`.
    pub date: &'a str,
}

/// One file of instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instructions {
    /// Where it stands, as it is named to the model.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// The whole system prompt.
#[must_use]
pub fn build_system_prompt(layers: &Layers<'_>) -> String {
    let project: Vec<String> = layers.instructions.iter().map(instructions).collect();
    let parts = [
        environment(&layers.environment),
        layers.base.unwrap_or(BASE).trim().to_owned(),
        project.join("\n\n"),
        layers.appended.unwrap_or_default().trim().to_owned(),
    ];
    let told: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    told.join(RULE)
}

fn environment(facts: &Environment<'_>) -> String {
    let branch = facts
        .branch
        .map(|branch| format!("\nGit branch when the session began: {branch}"))
        .unwrap_or_default();
    format!("Working directory: {}{branch}\nPlatform: {}\nDate: {}", facts.cwd, facts.platform, facts.date)
}

/// A file of instructions as the model gets it.
#[must_use]
pub fn instructions(file: &Instructions) -> String {
    format!("{INSTRUCTIONS_FROM}{}\n\n{}", file.path, file.text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers() -> Layers<'static> {
        let environment =
            Environment { cwd: "/w", platform: "linux", branch: Some("main"), date: "2026-01-31" };
        Layers { environment, ..Layers::default() }
    }

    #[test]
    fn the_layers_stand_in_a_fixed_order() {
        let file = [Instructions { path: "AGENTS.md".to_owned(), text: "use tabs\n".to_owned() }];
        let text = build_system_prompt(&Layers { instructions: &file, appended: Some(" more "), ..layers() });
        let places: Vec<usize> = ["Working directory: /w", "You are clawd", "use tabs", "---\n\nmore"]
            .iter()
            .map(|part| text.find(part).unwrap())
            .collect();
        assert!(places.is_sorted(), "{text}");
        assert!(text.ends_with("more"));
    }

    #[test]
    fn a_replaced_base_leaves_the_other_layers() {
        let file = [Instructions { path: "AGENTS.md".to_owned(), text: "use tabs".to_owned() }];
        let text = build_system_prompt(&Layers { base: Some("be brief"), instructions: &file, ..layers() });
        assert!(!text.contains("You are clawd"));
        assert!(text.contains("be brief") && text.contains("use tabs"));
    }

    #[test]
    fn blank_layers_leave_no_rule_behind() {
        let text = build_system_prompt(&Layers { appended: Some("  "), ..layers() });
        assert_eq!(text.matches("\n---\n").count(), 1);
    }
}
