//! The page: groups of findings, each with a sign and in words. Pure.
//!
//! Plain text of at most 80 columns and nothing else: no colour and no escape, so that it reads the same in a terminal, in
//! a file and in a report to somebody else. The sign only leads the eye; each finding says in words what it means.

use crate::text::fill::fill;
use crate::text::sanitize::sanitize_line;

/// Every terminal has so many columns.
const COLUMNS: usize = 80;
/// The longest name of a finding, and a space.
const NAME: usize = 11;
/// Before the name: indent, sign, space.
const BEFORE: usize = 4;

/// How it is with something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sign {
    /// As it should be.
    Good,
    /// It works otherwise than one may think.
    Note,
    /// It does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    sign: Sign,
    name: &'static str,
    text: String,
}

/// Findings that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// What they are about.
    pub(super) title: String,
    /// In order.
    pub(super) findings: Vec<Finding>,
}

impl Finding {
    /// It is as it should be.
    pub(super) fn good(name: &'static str, text: impl Into<String>) -> Self {
        Self { sign: Sign::Good, name, text: text.into() }
    }

    /// It works otherwise than one may think.
    pub(super) fn note(name: &'static str, text: impl Into<String>) -> Self {
        Self { sign: Sign::Note, name, text: text.into() }
    }

    /// It does not work.
    pub(super) fn bad(name: &'static str, text: impl Into<String>) -> Self {
        Self { sign: Sign::Bad, name, text: text.into() }
    }

    fn lines(&self) -> String {
        let sign = match self.sign {
            Sign::Good => '✓',
            Sign::Note => '!',
            Sign::Bad => '✗',
        };
        let lines = fill(&sanitize_line(&self.text), COLUMNS - BEFORE - NAME);
        let first = format!("  {sign} {:NAME$}", self.name);
        let rest = " ".repeat(BEFORE + NAME);
        let leads = std::iter::once(first).chain(std::iter::repeat(rest));
        let mut text = String::new();
        for (line, lead) in lines.iter().zip(leads) {
            text.push_str(format!("{lead}{line}").trim_end());
            text.push('\n');
        }
        text
    }
}

impl Group {
    /// A group of these.
    pub(super) fn of(title: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { title: title.into(), findings }
    }

    /// The group as it is printed, with an empty line behind it.
    pub(super) fn to_text(&self) -> String {
        format!("{}{}", head(&self.title), body(&self.findings))
    }
}

/// The title of a group as it is printed, for findings that take their time.
pub(super) fn head(title: &str) -> String {
    fill(&sanitize_line(title), COLUMNS).join("\n") + "\n"
}

/// Findings as they are printed, with an empty line behind them.
pub(super) fn body(findings: &[Finding]) -> String {
    findings.iter().map(Finding::lines).collect::<String>() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_finding_hangs_below_its_beginning_and_draws_nothing() {
        let group = Group::of(
            "files",
            vec![
                Finding::good("log", "off"),
                Finding::bad(
                    "home",
                    "cannot be written: \u{1b}[2Jpermission denied, and so \u{202e}sessions are not kept anywhere at all",
                ),
            ],
        );
        assert_eq!(
            group.to_text(),
            "files
  ✓ log        off
  ✗ home       cannot be written: permission denied, and so ‹U+202E›sessions are
               not kept anywhere at all

"
        );
        assert!(group.to_text().lines().all(|line| line.chars().count() <= COLUMNS));
    }
}
