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
    #[error("the rule `{rule}` does not name a tool{}", nearest_hint(*.nearest))]
    UnknownTool {
        /// As given.
        rule: String,
        /// The tool that may be meant.
        nearest: Option<&'static str>,
    },
    /// `Bash(git *)`.
    #[error("cannot read the rule `{rule}`: a prefix is written with a colon (try `{tool}({prefix}:*)`)")]
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
        "cannot read the rule `{0}`: a host needs `domain:` before it (try `WebFetch(domain:example.com)`)"
    )]
    Host(String),
    /// `WebFetch(domain:bücher.example)`.
    #[error(
        "cannot read the rule `{0}`: a host is written in ASCII (try its punycode form, such as `xn--bcher-kva.example`)"
    )]
    HostLetters(String),
    /// `Outside`.
    #[error("the rule `{0}` does not name a command (try `Outside(docker:*)`)")]
    NoCommand(String),
    /// `Write(src/**)`, `Task(x)`.
    #[error("cannot read the rule `{rule}`: `{tool}` takes nothing in parentheses (try `{hint}`)")]
    NoSpecifier {
        /// As given.
        rule: String,
        /// The tool it names.
        tool: String,
        /// What can be written instead.
        hint: String,
    },
    /// A pattern that cannot be used.
    #[error("cannot read the rule `{rule}`: {source}")]
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
