//! The judgement's part that knows commands.
//!
//! A command is let through for one of three reasons: each of its parts is allowed by a rule, it is known to do no more
//! than look, or the sandbox holds it and the user wants such commands unasked. Which reason it was decides how it is
//! held: what was let through as a look runs where it can do nothing else, so a wrong judgement costs nothing.

use std::path::Path;

use super::secret::is_secret;
use super::shell::{self, Simple};
use super::touch::Touch;
use super::{Mode, Policy, harm, rule, words};
use crate::protocol::{ExecAccess, Hold, Terms};

/// Rules for longer commands would fill the question and never match again.
const LONGEST_RULE: usize = 200;

impl Policy {
    /// On which terms it runs once it may.
    pub(super) fn terms(&self, touch: Touch<'_>) -> Terms {
        let hold = match touch {
            Touch::Exec(_) => self.sandbox.hold(self.mode),
            Touch::Nothing | Touch::Read(_) | Touch::Write(_) | Touch::Fetch(_) => Hold::Free,
        };
        Terms { hold, command: None }
    }

    /// Whether a command line has a reading, and each command in it is allowed by a rule of its own.
    pub(super) fn allows_each(&self, touch: Touch<'_>) -> bool {
        let Touch::Exec(exec) = touch else { return false };
        let is_allowed = |command: &Simple| self.rules.allow.iter().any(|rule| rule.allows(command));
        shell::parse(&exec.command)
            .is_some_and(|commands| !commands.is_empty() && commands.iter().all(is_allowed))
    }

    /// The terms on which a command runs unasked, in every mode but `bypass`: it looks and does nothing else, or it is
    /// held and that is enough for the user.
    pub(super) fn harmless(&self, touch: Touch<'_>) -> Option<Terms> {
        let Touch::Exec(_) = touch else { return None };
        let terms = self.terms(touch);
        let is_held = terms.hold != Hold::Free;
        let is_enough = self.sandbox.auto_allow && is_held && self.mode != Mode::Plan;
        is_enough.then_some(terms)
    }

    /// Why a command asks even in `bypass`.
    pub(super) fn deletes_outside(&self, touch: Touch<'_>) -> Option<String> {
        let Touch::Exec(exec) = touch else { return None };
        let target = harm::deletes_outside(exec, &self.scope)?;
        Some(format!("it deletes `{target}` and all below, outside the workspace"))
    }

    /// Why a command asks whatever a rule allows: a file that it names.
    pub(super) fn names_guarded(&self, exec: &ExecAccess) -> Option<String> {
        rule::named_paths(exec, &self.scope).find_map(|path| {
            let real = self.scope.links.follow(&path);
            let why = if is_secret(&path) || is_secret(&real) {
                "may hold secrets"
            } else if self.is_protected(&path) || self.is_protected(&real) {
                "can run later"
            } else {
                return None;
            };
            Some(format!("it names `{}`, which {why}", file_name(&path)))
        })
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The command as a rule can name it: its words, or its text where that is one short line.
pub(super) fn shown_whole(command: &str) -> Option<String> {
    if let Some(words) = words::plain(command) {
        return Some(words.join(" "));
    }
    let text = command.trim();
    let is_one_line = !text.chars().any(char::is_control);
    (is_one_line && text.len() <= LONGEST_RULE).then(|| text.to_owned())
}
