//! What "don't ask again" would save.
//!
//! Nothing is offered that was not tried: with the rules in force the very same call must be let through, or they are
//! no help. A command line is taken part by part, so that the next line of known parts passes too, and what only looks is
//! left out if it can be; where its parts cannot be told or are many, it is the line, word for word.

use super::rule::Rule;
use super::shell::{self, Simple, Word};
use super::touch::Touch;
use super::{Policy, Use, command, heads, host};
use crate::protocol::{ExecAccess, ToolName};

/// More rules than this are more than one decision.
const MOST: usize = 3;

impl Policy {
    /// The rules that would let exactly this through next time; empty where none would.
    pub(super) fn remember(&self, tool: &ToolName, touch: Touch<'_>) -> Vec<String> {
        let one = |text: Option<String>| text.map(|text| vec![text]);
        let mut offers = match touch {
            Touch::Nothing => vec![one(Some(tool.to_string()))],
            Touch::Read(path) => vec![one(self.scope.pattern_of(path).map(|path| format!("Read({path})")))],
            Touch::Write(path) => vec![one(self.scope.pattern_of(path).map(|path| format!("Edit({path})")))],
            Touch::Exec(exec) => {
                let parts = [self.doers(exec), shell::parse(&exec.command)];
                let by_parts = parts.map(|parts| parts.and_then(|parts| self.by_parts(&parts)));
                by_parts.into_iter().chain([one(whole(exec))]).collect()
            }
            Touch::Fetch(url) => {
                vec![one(host::host_of(url).map(|host| format!("WebFetch(domain:{host})")))]
            }
            Touch::Mcp(server, tool) => vec![one(Some(format!("mcp__{server}__{tool}")))],
        };
        offers.retain(|offer| offer.as_ref().is_some_and(|texts| self.would_allow(texts, tool, touch)));
        offers.into_iter().flatten().next().unwrap_or_default()
    }

    fn would_allow(&self, texts: &[String], tool: &ToolName, touch: Touch<'_>) -> bool {
        let rules: Result<Vec<Rule>, _> = texts.iter().map(|text| text.parse()).collect();
        let Ok(rules) = rules else { return false };
        let rules = [self.rules.allow.as_slice(), &rules].concat();
        self.is_allowed(&rules, tool, touch)
            || matches!(touch, Touch::Exec(exec) if self.beside(&rules, exec).is_some())
    }

    /// Whether these rules let the call through, everything else aside.
    pub(super) fn is_allowed(&self, allow: &[Rule], tool: &ToolName, touch: Touch<'_>) -> bool {
        allow.iter().any(|rule| rule.covers(tool, touch, &self.scope, Use::Allow))
            || command::allows_each(allow, touch)
    }

    /// A rule for each of these commands that none lets through yet.
    fn by_parts(&self, parts: &[Simple]) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for part in parts {
            if !self.rules.allow.iter().any(|rule| rule.allows(part)) {
                let text = of_part(part)?;
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        (texts.len() <= MOST).then_some(texts).filter(|texts| !texts.is_empty())
    }
}

/// The line as it stands.
fn whole(exec: &ExecAccess) -> Option<String> {
    exact("Bash", &command::shown_whole(&exec.command)?)
}

/// A rule that ends openly, where the table has the command's beginning; else one for its words. What comes through a pipe
/// may be a program, so a part that reads one has no rule of its own.
fn of_part(part: &Simple) -> Option<String> {
    if part.is_fed {
        return None;
    }
    match heads::length(part) {
        Some(length) => Some(format!("Bash({}:*)", words(part.words.get(..length)?)?)),
        None => exact("Bash", &words(&part.words)?),
    }
}

/// A rule for a command of these words and no others. Some texts mean more in a rule than they do in a shell.
pub(super) fn exact(tool: &str, text: &str) -> Option<String> {
    let text = format!("{tool}({text})");
    let rule: Rule = text.parse().ok()?;
    (rule.is_exact() && rule.to_string() == text).then_some(text)
}

/// Words that a rule can name: known, and still the same words when they are read back.
pub(super) fn words(words: &[Word]) -> Option<String> {
    let is_plain =
        |word: &&str| !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control());
    let known = words.iter().map(|word| match word {
        Word::Known(word) => Some(word.as_str()).filter(is_plain),
        Word::Open => None,
    });
    let text = known.collect::<Option<Vec<&str>>>()?.join(" ");
    (text.len() <= command::LONGEST_RULE).then_some(text)
}
