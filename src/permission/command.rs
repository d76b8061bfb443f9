//! The judgement's part that knows commands.
//!
//! A command is let through for one of three reasons: each of its parts is allowed by a rule, it is known to do no more
//! than look, or the sandbox holds it and the user wants such commands unasked. Which reason it was decides how it is
//! held: what was let through as a look runs where it can do nothing else, so a wrong judgement costs nothing.

use std::path::Path;

use super::secret::is_secret;
use super::shell::{self, Simple};
use super::touch::Touch;
use super::{Mode, Policy, Rule, harm, rule, words};
use crate::protocol::{ExecAccess, Hold, Terms};

/// Rules for longer commands would fill the question and never match again.
pub(super) const LONGEST_RULE: usize = 200;

impl Policy {
    /// How a command is held in the mode of this moment, where no rule says otherwise.
    pub fn hold(&self) -> Hold {
        self.sandbox.hold(self.mode)
    }

    /// On which terms it runs once it may.
    pub(super) fn terms(&self, touch: Touch<'_>) -> Terms {
        let hold = match touch {
            Touch::Exec(exec) if self.hold() != Hold::Free && self.is_freed(exec) => Hold::Free,
            Touch::Exec(_) => self.hold(),
            Touch::Nothing | Touch::Read(_) | Touch::Write(_) | Touch::Fetch(_) => Hold::Free,
        };
        Terms { hold, command: None }
    }

    /// The terms on which a command runs unasked, in every mode but `bypass`: it looks and does nothing else, or it is
    /// held and that is enough for the user.
    pub(super) fn harmless(&self, touch: Touch<'_>) -> Option<Terms> {
        let Touch::Exec(exec) = touch else { return None };
        let terms = self.terms(touch);
        let is_held = terms.hold != Hold::Free;
        let is_enough = self.sandbox.auto_allow && is_held && self.mode != Mode::Plan;
        (is_enough && self.destroys(exec).is_none()).then_some(terms)
    }

    /// What would be lost by a command, also in the sandbox: then it takes a rule or a yes.
    pub(super) fn destroys(&self, exec: &ExecAccess) -> Option<String> {
        harm::destroys(exec, &self.scope)
    }

    /// Why a command asks even in `bypass`.
    pub(super) fn deletes_outside(&self, touch: Touch<'_>) -> Option<String> {
        let Touch::Exec(exec) = touch else { return None };
        let target = harm::deletes_outside(exec, &self.scope)?;
        let is_itself = self.scope.workspace.iter().any(|root| root.as_os_str() == target.as_str());
        let what = if is_itself { "which is the workspace" } else { "outside the workspace" };
        Some(format!("it deletes `{target}` and all below, {what}"))
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

/// Whether a command line has a reading, and each command in it is allowed by a rule of its own.
pub(super) fn allows_each(allow: &[Rule], touch: Touch<'_>) -> bool {
    let Touch::Exec(exec) = touch else { return false };
    let is_allowed = |command: &Simple| allow.iter().any(|rule| rule.allows(command));
    shell::parse(&exec.command)
        .is_some_and(|commands| !commands.is_empty() && commands.iter().all(is_allowed))
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
