//! Why a text is no rule, and what to write instead.

use crate::text::glob::GlobError;

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Nothing was given, or nothing between commas or parentheses.
    #[error("the rule `{0}` is empty (try `Read` or `Bash(git status:*)`)")]
    Empty(String),
    /// `Bash(git`.
    #[error("the rule `{0}` has no closing parenthesis at its end (try `Tool` or `Tool(specifier)`)")]
    Unclosed(String),
    /// `Bsh`.
    #[error("the rule `{rule}` names no tool{}", nearest_hint(*.nearest))]
    UnknownTool {
        /// As given.
        rule: String,
        /// The tool that may be meant.
        nearest: Option<&'static str>,
    },
    /// `Bash(git *)`.
    #[error(
        "the rule `{rule}` cannot be read: a beginning is written with a colon (try `{tool}({prefix}:*)`)"
    )]
    Wildcard {
        /// As given.
        rule: String,
        /// The tool it names.
        tool: String,
        /// The words before the wildcard.
        prefix: String,
    },
    /// `WebFetch(example.com)`.
    #[error(
        "the rule `{0}` cannot be read: a host is written with its kind (try `WebFetch(domain:example.com)`)"
    )]
    Host(String),
    /// `WebFetch(domain:bücher.example)`.
    #[error(
        "the rule `{0}` cannot be read: a host is written in ASCII (try the form that the question shows, such as `xn--bcher-kva.example`)"
    )]
    HostLetters(String),
    /// `Outside`.
    #[error("the rule `{0}` names no command (try `Outside(docker:*)`)")]
    NoCommand(String),
    /// `Write(src/**)`, `Task(x)`.
    #[error("the rule `{rule}` cannot be read: `{tool}` takes nothing in parentheses (try `{hint}`)")]
    NoSpecifier {
        /// As given.
        rule: String,
        /// The tool it names.
        tool: String,
        /// What can be written instead.
        hint: String,
    },
    /// A pattern that cannot be used.
    #[error("the rule `{rule}` cannot be read: {source}")]
    Glob {
        /// As given.
        rule: String,
        /// What is wrong with it.
        source: GlobError,
    },
}

fn nearest_hint(nearest: Option<&str>) -> String {
    let usual = || " (try `Read`, `Bash(cargo test)` or `mcp__SERVER`)".to_owned();
    nearest.map_or_else(usual, |tool| format!(" (did you mean `{tool}`?)"))
}
