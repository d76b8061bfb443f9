//! The judgement's part that knows commands.
//!
//! A command is let through for one of three reasons: each of its parts is allowed by a rule, it is known to do no more
//! than look, or the sandbox holds it and the user wants such commands unasked. Which reason it was decides how it is
//! held: what was let through as a look runs where it can do nothing else, so a wrong judgement costs nothing.

use std::path::Path;

use super::known::{self, Table};
use super::secret::is_secret;
use super::shell::{self, Simple};
use super::touch::Touch;
use super::{Mode, Policy, Rule, Use, harm, rule, words};
use crate::protocol::{ExecAccess, Hold, Terms, ToolName};

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
        if let Some(looks) = self.looks(exec) {
            return Some(looks);
        }
        let is_held = terms.hold != Hold::Free;
        let is_enough = self.sandbox.auto_allow && is_held && self.mode != Mode::Plan;
        (is_enough && self.destroys(exec).is_none()).then_some(terms)
    }

    /// What would be lost by a command, also in the sandbox: then it takes a rule or a yes.
    pub(super) fn destroys(&self, exec: &ExecAccess) -> Option<String> {
        harm::destroys(exec, &self.scope)
    }

    /// The terms for a command of which is known that it only looks, at what may be looked at.
    fn looks(&self, exec: &ExecAccess) -> Option<Terms> {
        let is_held = self.sandbox.is_wanted(self.mode) && self.sandbox.is_enforced();
        let (hold, table) = if is_held { (Hold::LOOKING, Table::Full) } else { (Hold::Free, Table::Bare) };
        let known = known::harmless(&exec.command, &exec.cwd, &self.scope, &self.sight, table)?;
        let may_be_read = known.reads.iter().all(|path| self.may_be_read(path));
        may_be_read.then_some(Terms { hold, command: Some(known.text) })
    }

    /// Whether a command may look at this unasked: as `Read` may. Where rules hold back reads, a directory may hold what they
    /// mean.
    fn may_be_read(&self, path: &Path) -> bool {
        let read = ToolName::from("Read");
        let touch = Touch::Read(path);
        let rules = || self.rules.deny.iter().chain(&self.rules.ask);
        let is_inside = self.scope.inside(path).is_some() || self.scope.is_output(path);
        let is_held_back = rules().any(|rule| rule.covers(&read, touch, &self.scope, Use::HoldBack));
        let is_file = || (self.sight.names)(path).is_some_and(|names| names.is_empty());
        let is_whole = is_file() || !rules().any(Rule::is_of_paths_read);
        is_inside && !is_secret(path) && !is_held_back && is_whole
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::{Enforced, SandboxMode, Sandboxing, Scope, Sight, Verdict};
    use super::*;
    use crate::protocol::{Access, CallForm, Network, Writes};

    const WRITES: Hold = Hold::Held { writes: Writes::Workspace, network: Network::Off };

    fn policy(mode: Mode, enforced: fn() -> bool) -> Policy {
        let scope = Scope {
            project: PathBuf::from("/w"),
            workspace: vec![PathBuf::from("/w")],
            temporary: vec![PathBuf::from("/tmp")],
            ..Scope::default()
        };
        let sight = Sight {
            program: |name, _| Some(PathBuf::from("/usr/bin").join(name)),
            names: |path| Some(if path.extension().is_none() { vec!["f".into()] } else { Vec::new() }),
            git_config: |_| Some(String::new()),
            ..Sight::default()
        };
        let sandbox = Sandboxing { enforced: Enforced::new(enforced), ..Sandboxing::default() };
        Policy { mode, scope, sandbox, sight, ..Policy::default() }
    }

    fn judged(policy: &Policy, command: &str) -> Verdict {
        let exec = ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w") };
        policy.judge(CallForm::Native, &ToolName::from("Bash"), &Access::Exec(exec))
    }

    fn hold(policy: &Policy, command: &str) -> Option<Hold> {
        match judged(policy, command) {
            Verdict::Allow(terms) => Some(terms.hold),
            Verdict::Ask { .. } | Verdict::Deny { .. } => None,
        }
    }

    #[test]
    fn what_only_looks_runs_unasked_where_it_can_do_nothing_else() {
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::Plan] {
            let held = policy(mode, || true);
            let Verdict::Allow(terms) = judged(&held, "grep x a.txt | wc -l") else { panic!("{mode}") };
            assert_eq!(terms.hold, Hold::LOOKING);
            assert!(terms.command.is_some_and(|text| text.starts_with("/usr/bin/grep ")));
            assert_eq!(hold(&held, "touch x"), None, "{mode}");
            let unheld = policy(mode, || false);
            assert_eq!(hold(&unheld, "cat a.txt"), Some(Hold::Free), "{mode}");
            assert_eq!(hold(&unheld, "git status"), None, "{mode}: git reads a configuration");
        }
    }

    #[test]
    fn what_is_looked_at_is_judged_as_a_read() {
        let held = policy(Mode::Default, || true);
        for command in ["cat /etc/hostname", "ls ..", "cat .env", "cat sub/../../x", "head id_rsa"] {
            assert_eq!(hold(&held, command), None, "{command}");
        }
        let mut ruled = held.clone();
        ruled.rules.deny = vec!["Read(./private/**)".parse().unwrap()];
        assert_eq!(hold(&ruled, "cat a.txt"), Some(Hold::LOOKING));
        for command in ["cat private/a.txt", "grep -r x .", "ls private"] {
            assert_eq!(hold(&ruled, command), None, "{command}");
        }
        assert_eq!(hold(&held, "grep -r x ."), Some(Hold::LOOKING));
    }

    #[test]
    fn held_commands_run_unasked_if_the_user_wants_it_and_they_are_held() {
        let wants = |mode: Mode, enforced: fn() -> bool| {
            let policy = policy(mode, enforced);
            Policy { sandbox: Sandboxing { auto_allow: true, ..policy.sandbox }, ..policy }
        };
        assert_eq!(hold(&wants(Mode::Default, || true), "make"), Some(WRITES));
        assert_eq!(hold(&wants(Mode::AcceptEdits, || true), "make"), Some(WRITES));
        assert_eq!(hold(&wants(Mode::Plan, || true), "make"), None);
        assert_eq!(hold(&wants(Mode::Default, || false), "make"), None);
        let off = wants(Mode::Default, || true);
        let off = Policy { sandbox: Sandboxing { mode: SandboxMode::Off, ..off.sandbox }, ..off };
        assert_eq!(hold(&off, "make"), None);
        assert_eq!(hold(&wants(Mode::Default, || true), "rm -rf /opt"), None);
    }

    #[test]
    fn a_rule_lets_a_command_run_as_it_is_and_held() {
        let mut ruled = policy(Mode::Default, || true);
        ruled.rules.allow = vec!["Bash(make:*)".parse().unwrap()];
        assert_eq!(judged(&ruled, "make all"), Verdict::Allow(Terms { hold: WRITES, command: None }));
        ruled.rules.ask = vec!["Bash(cat:*)".parse().unwrap()];
        assert_eq!(hold(&ruled, "cat a.txt"), None, "an ask rule asks whatever is known");
        ruled.rules.deny = vec!["Bash(cat:*)".parse().unwrap()];
        assert!(matches!(judged(&ruled, "cat a.txt"), Verdict::Deny { .. }));
    }
}
