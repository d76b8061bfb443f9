//! The judgement's part that knows commands.
//!
//! A command is let through for one of four reasons: each of its parts is allowed by a rule, it is known to do no more
//! than look, some of its parts are the one and the rest the other, or the sandbox holds it and the user wants such
//! commands unasked. Which reason it was decides how it is held: what was let through as a look runs where it can do
//! nothing else, so a wrong judgement costs nothing; a line of both is held as its rules have it, and nothing may look in
//! it but what by no option listed for it can write.

use std::cell::{LazyCell, RefCell};
use std::path::Path;

use super::known::{self, Known, Place, Table};
use super::secret::is_secret;
use super::shell::{self, Simple};
use super::touch::Touch;
use super::{Mode, Policy, Rule, Use, harm, rule, words};
use crate::protocol::{ExecAccess, Hold, Terms, ToolName, Wording};

/// What the shell does itself and what may change how it goes on: where it is, what its words mean, what comes next.
const CHANGES_THE_SHELL: [&str; 54] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "history",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

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
            Touch::Nothing | Touch::Read(_) | Touch::Write(_) | Touch::Fetch(_) | Touch::Mcp(..) => {
                Hold::Free
            }
        };
        Terms { hold, ..Terms::default() }
    }

    /// The terms on which a command runs unasked, in every mode but `bypass`: it looks and does nothing else, or it is
    /// held and that is enough for the user.
    pub(super) fn harmless(&self, touch: Touch<'_>) -> Option<Terms> {
        let Touch::Exec(exec) = touch else { return None };
        let terms = self.terms(touch);
        if let Some(looks) = self.looks(exec) {
            return Some(looks);
        }
        if let Some(terms) = self.beside(&self.rules.allow, exec).filter(|_| self.mode != Mode::Plan) {
            return Some(terms);
        }
        let is_held = terms.hold != Hold::Free;
        let is_enough = is_held && self.mode != Mode::Plan && self.sandbox.allows();
        (is_enough && self.destroys(exec).is_none()).then_some(terms)
    }

    /// The rule about a file that a command reads while it searches directories. What is known to do no more than look runs with
    /// such files left out.
    pub(super) fn searching<'a>(&self, rules: &'a [Rule], exec: &ExecAccess) -> Option<&'a Rule> {
        let rule = rules.iter().find(|rule| rule.is_about_search(exec, &self.scope))?;
        (self.mode == Mode::Bypass || self.looks(exec).is_none()).then_some(rule)
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
        self.may_be_known(&known, exec).then_some(Terms {
            hold,
            wording: Wording::Known(known.text),
            passed_over: known.passed_over,
        })
    }

    /// The terms for a line in which each command is allowed by one of these rules or only looks. It runs as it was read, held
    /// as the rules have it.
    pub(super) fn beside(&self, allow: &[Rule], exec: &ExecAccess) -> Option<Terms> {
        let is_allowed = |command: &Simple| allow.iter().any(|rule| rule.allows(command));
        let hold = self.terms(Touch::Exec(exec)).hold;
        let vouched = |words: &[String], is_fed: bool| simple(words, is_fed).as_ref().is_some_and(is_allowed);
        let known = self.known_beside(exec, hold, &vouched)?;
        self.may_be_known(&known, exec).then_some(Terms {
            hold,
            wording: Wording::Read(known.text),
            passed_over: known.passed_over,
        })
    }

    /// The line's commands that do more than look; `None` where that cannot be told.
    pub(super) fn doers(&self, exec: &ExecAccess) -> Option<Vec<Simple>> {
        let doers = RefCell::new(Vec::new());
        let seen = |words: &[String], is_fed: bool| {
            let command = simple(words, is_fed);
            let is_one = command.is_some();
            doers.borrow_mut().extend(command);
            is_one
        };
        self.known_beside(exec, self.terms(Touch::Exec(exec)).hold, &seen)?;
        Some(doers.into_inner())
    }

    fn known_beside(&self, exec: &ExecAccess, hold: Hold, vouched: known::Vouched<'_>) -> Option<Known> {
        let table = if hold == Hold::Free { Table::Bare } else { Table::Beside };
        let here = Place { cwd: &exec.cwd, scope: &self.scope, sight: &self.sight, table };
        known::beside(&exec.command, here, vouched)
    }

    /// Whether what is known of a line is enough: it reads what may be read, and no rule holds back any of its commands.
    fn may_be_known(&self, known: &Known, exec: &ExecAccess) -> bool {
        let each = ExecAccess { command: known.meaning.clone(), cwd: exec.cwd.clone() };
        let bash = ToolName::from("Bash");
        let mut rules = self.rules.deny.iter().chain(&self.rules.ask);
        known.reads.iter().all(|path| self.may_be_read(path))
            && !rules.any(|rule| rule.covers(&bash, Touch::Exec(&each), &self.scope, Use::HoldBack))
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
        Some(match harm::deletes_outside(exec, &self.scope)? {
            harm::Target::Unknown => {
                "recursively deletes a target that is not known before it runs".to_owned()
            }
            harm::Target::Outside(path) => {
                let is_itself = self.scope.workspace.contains(&path);
                let what = if is_itself { "which is the workspace" } else { "outside the workspace" };
                format!("recursively deletes `{}`, {what}", path.display())
            }
        })
    }

    /// Why a command asks whatever a rule allows: a file that it names, or would change.
    pub(super) fn names_guarded(&self, exec: &ExecAccess) -> Option<String> {
        let only_looks = LazyCell::new(|| self.looks(exec).is_some());
        let real = |path: &Path| self.scope.links.follow(path);
        let shown = |path: &Path| self.scope.inside(path).unwrap_or(path).display().to_string();
        let named = rule::named_paths(exec, &self.scope).find_map(|path| {
            let real = real(&path);
            let why = if is_secret(&path) || is_secret(&real) {
                "may contain secrets"
            } else if (self.is_control_file(&path) || self.is_control_file(&real)) && !*only_looks {
                "can be executed later"
            } else {
                return None;
            };
            Some(format!("refers to `{}`, which {why}", shown(&path)))
        });
        let changes = || {
            let is_protected = |changed: &harm::Changed| match changed {
                harm::Changed::One(path) => self.is_protected(path) || self.scope.is_own(path),
                harm::Changed::All(path) => {
                    self.is_protected(path) || self.scope.own.iter().any(|own| own.starts_with(path))
                }
            };
            let changed = harm::changed(exec, &self.scope).into_iter().find(is_protected)?;
            Some(format!("changes `{}`, which can be executed later", shown(changed.path())))
        };
        named.or_else(changes)
    }
}

/// Whether this is a command of the shell's own by which its words may come to mean something else.
pub(super) fn changes_the_shell(name: &str) -> bool {
    CHANGES_THE_SHELL.contains(&name)
}

/// The command of these words, where it leaves the shell as it was for those beside it.
fn simple(words: &[String], is_fed: bool) -> Option<Simple> {
    let text: Vec<String> = words.iter().map(|word| known::quoted(word)).collect();
    let mut commands = shell::parse(&text.join(" "))?;
    let command = commands.pop().filter(|_| commands.is_empty())?;
    let is_apart = words.first().is_some_and(|name| !changes_the_shell(name));
    is_apart.then_some(Simple { is_fed, ..command })
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
            assert!(matches!(terms.wording, Wording::Known(text) if text.starts_with("/usr/bin/grep ")));
            assert_eq!(hold(&held, "touch x"), None, "{mode}");
            let unheld = policy(mode, || false);
            let Verdict::Allow(terms) = judged(&unheld, "cat a.txt") else { panic!("{mode}") };
            assert!(terms.hold == Hold::Free && matches!(terms.wording, Wording::Known(_)), "{mode}");
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
        let weak = wants(Mode::Default, || true);
        let enforced = weak.sandbox.enforced.protecting(|| false);
        let weak = Policy { sandbox: Sandboxing { enforced, ..weak.sandbox }, ..weak };
        assert_eq!(hold(&weak, "make"), None, "a sandbox that cannot protect `.git/hooks` is not enough");
        assert_eq!(hold(&weak, "cat a.txt"), Some(Hold::LOOKING));
        let off = wants(Mode::Default, || true);
        let off = Policy { sandbox: Sandboxing { mode: SandboxMode::Off, ..off.sandbox }, ..off };
        assert_eq!(hold(&off, "make"), None);
        assert_eq!(hold(&wants(Mode::Default, || true), "rm -rf /opt"), None);
    }

    /// How it runs, if it does so unasked: held how, and which text.
    fn terms(policy: &Policy, command: &str) -> Option<(Hold, Wording)> {
        match judged(policy, command) {
            Verdict::Allow(terms) => Some((terms.hold, terms.wording)),
            Verdict::Ask { .. } | Verdict::Deny { .. } => None,
        }
    }

    fn ruled(mode: Mode, enforced: fn() -> bool, rules: &str) -> Policy {
        let mut ruled = policy(mode, enforced);
        ruled.rules.allow = Rule::parse_list(rules).unwrap();
        ruled
    }

    #[test]
    fn a_part_that_only_looks_needs_no_rule_beside_one_that_has_it() {
        let check = |command: &str, expected: &str| {
            let held = ruled(Mode::Default, || true, "Bash(cargo test:*),Bash(git commit:*)");
            assert_eq!(
                terms(&held, command),
                Some((WRITES, Wording::Read(expected.to_owned()))),
                "{command}"
            );
            let unheld = ruled(Mode::Default, || false, "Bash(cargo test:*),Bash(git commit:*)");
            assert_eq!(
                terms(&unheld, command),
                Some((Hold::Free, Wording::Read(expected.to_owned()))),
                "{command}"
            );
        };
        check("cargo test | tail -3", "cargo test | /usr/bin/tail -3");
        check(
            "cargo  test 2>&1 | grep -E 'FAILED|panicked' | head -n 1",
            "cargo test 2>&1 | /usr/bin/grep -E 'FAILED|panicked' | /usr/bin/head -n 1",
        );
        check("cd sub && cargo test 2>&1 | tail -20", "cd /w/sub && cargo test 2>&1 | /usr/bin/tail -20");
        check("cat a.txt && cargo test", "/usr/bin/cat a.txt && cargo test");
        check("cargo test --lib\\ x | wc -l", "cargo test '--lib x' | /usr/bin/wc -l");
        check(
            "cargo test; git commit -m 'it'\\''s; done' | wc -l",
            "cargo test; git commit -m 'it'\\''s; done' | /usr/bin/wc -l",
        );
        check("cd sub && cargo test; ls", "cd /w/sub && { cargo test; /usr/bin/ls; }");
        check("cargo test; echo \"exit $?\"", "cargo test; echo 'exit '\"$?\"");
        check("cargo test && cd sub && cat x.txt", "cargo test && cd /w/sub && /usr/bin/cat x.txt");
        check("cargo test | (cat; pwd)", "cargo test | ( /usr/bin/cat; pwd )");
    }

    #[test]
    fn git_looks_beside_a_rule_in_the_sandbox_alone_and_starts_nothing_there() {
        let line = "git commit -m 'x y' && git log --oneline -1 | sort";
        let held = ruled(Mode::Default, || true, "Bash(git commit:*)");
        let Some((WRITES, Wording::Read(text))) = terms(&held, line) else { panic!("it runs, held") };
        assert!(
            text.starts_with("git commit -m 'x y' && /usr/bin/git --no-pager --no-optional-locks -c "),
            "{text}"
        );
        assert!(text.contains(" -c core.fsmonitor=false ") && text.ends_with(" | /usr/bin/sort"), "{text}");
        assert_eq!(terms(&ruled(Mode::Default, || false, "Bash(git commit:*)"), line), None);
    }

    #[test]
    fn what_stands_beside_a_rule_must_look_as_it_would_alone() {
        let rules = "Bash(cargo test:*),Bash(eval:*),Bash(cd:*),Bash(export:*),Bash(time:*)";
        let held = ruled(Mode::Default, || true, rules);
        let alone = "cat .env¦cat /etc/hosts¦ls ..¦head id_rsa¦tee log¦xargs rm¦tail -f x¦tail $N¦tail -3 > log¦make¦\
                     A=b cat a.txt¦tail `x`¦tail $(x)¦./tail x¦/bin/tail x¦sort -o x¦\
                     git diff --output=x¦sed s/a/b/ a.txt¦find . -delete¦awk 1";
        for part in alone.split('¦') {
            for line in [format!("cargo test | {part}"), format!("{part} && cargo test")] {
                assert_eq!(terms(&held, &line), None, "{line}");
            }
        }
        let others = "cargo test & tail x¦cargo test --config a=b | tail¦cargo test > x | tail¦cargo test *.rs | tail¦\
                      cd .. && cargo test | tail¦cargo test && cd sub; cat x¦cd /etc && cat hosts¦cd sub && cd ../.. && ls¦(cargo test)¦\
                      for t in a; do cargo test $t; done¦cargo test < a.txt | tail¦echo \"$(cargo test)\"¦\
                      eval x && tail a.txt¦export A=b && tail a.txt¦time cargo test | tail¦A=b cargo test | tail";
        for line in others.split('¦') {
            assert_eq!(terms(&held, line), None, "{line}");
        }
        let planning = ruled(Mode::Plan, || true, rules);
        assert!(matches!(judged(&planning, "cargo test | tail"), Verdict::Deny { .. }));
    }

    #[test]
    fn rules_that_hold_back_and_the_guards_win_over_a_line_of_both() {
        let hold = |deny: &str, ask: &str, line: &str| {
            let mut policy = ruled(Mode::Default, || true, "Bash(cargo test:*),Bash(rm:*),Bash(touch:*)");
            policy.rules.deny = Rule::parse_list(deny).unwrap();
            policy.rules.ask = Rule::parse_list(ask).unwrap();
            match judged(&policy, line) {
                Verdict::Allow(_) => "allow",
                Verdict::Ask { .. } => "ask",
                Verdict::Deny { .. } => "deny",
            }
        };
        assert_eq!(hold("", "", "cargo test | tail"), "allow");
        assert_eq!(hold("Bash(tail:*)", "", "cargo test | tail"), "deny");
        assert_eq!(hold("", "Bash(tail:*)", "cargo test | tail"), "ask");
        assert_eq!(hold("Read(./private)", "", "cat private && cargo test"), "deny");
        assert_eq!(hold("", "Read(./private)", "cat private && cargo test"), "ask");
        assert_eq!(hold("Read(./private/**)", "", "grep -r x . && cargo test"), "deny");
        assert_eq!(hold("", "Read(./private/**)", "grep -r x . && cargo test"), "ask");
        assert_eq!(hold("Read(./.env)", "", "grep -r x ."), "allow", "it is passed over");
        assert_eq!(hold("Read(.env)", "", "ls"), "allow");
        assert_eq!(hold("", "", "rm -rf /opt | tail"), "ask");
        assert_eq!(hold("", "", "touch .git/hooks/pre-commit | tail"), "ask");
        assert_eq!(hold("", "", "touch .env; ls"), "ask");
    }

    #[test]
    fn rules_see_each_command_of_a_loop() {
        let many = "b.txt ".repeat(40);
        let hold = |deny: &str, line: &str| {
            let mut policy = policy(Mode::Default, || true);
            policy.rules.deny = Rule::parse_list(deny).unwrap();
            hold(&policy, line)
        };
        for (deny, list, body) in [
            ("Bash(cat a.txt)", "a.txt", "cat $f"),
            ("Bash(git log:*)", "log", "git $f"),
            ("Read(./a.txt)", "a.txt", "cat $f"),
            ("Bash(wc:*)", "x", "find . -name $f -exec wc -l {} +"),
            ("Bash(wc:*)", "x", "ls $f | xargs wc -l"),
        ] {
            let line = format!("for f in {many}{list}; do {body}; done");
            assert_eq!(hold(deny, &line), None, "{deny}: {line}");
        }
        let free = format!("for f in {many}; do cat $f; done");
        assert_eq!(hold("Bash(cat a.txt),Read(./a.txt)", &free), Some(Hold::LOOKING));
    }

    #[test]
    fn the_rules_that_are_offered_are_for_what_does_more_than_look() {
        let check = |rules: &str, line: &str, expected: &str| {
            let mut policy = ruled(Mode::Default, || true, rules);
            let Verdict::Ask { remember, .. } = judged(&policy, line) else { panic!("{line} is not asked") };
            assert_eq!(remember.join(" + "), expected, "{line}");
            policy.rules.allow.extend(remember.iter().map(|rule| rule.parse().unwrap()));
            assert!(remember.is_empty() || hold(&policy, line) == Some(WRITES), "{line}");
        };
        check("", "cd sub && cargo test 2>&1 | tail -20", "Bash(cargo test:*)");
        check("Bash(cargo test:*)", "cat a.txt && cargo test && make x | head", "Bash(make x)");
        check("", "cat /etc/hosts && make x", "Bash(cat /etc/hosts) + Bash(make x)");
        check("", "make x | tail -$N", "Bash(make x | tail -$N)");
        check("", "cat .env && make x", "");
    }

    #[test]
    fn a_rule_lets_a_command_run_as_it_is_and_held() {
        let mut ruled = policy(Mode::Default, || true);
        ruled.rules.allow = vec!["Bash(make:*)".parse().unwrap()];
        assert_eq!(judged(&ruled, "make all"), Verdict::Allow(Terms { hold: WRITES, ..Terms::default() }));
        ruled.rules.ask = vec!["Bash(cat:*)".parse().unwrap()];
        assert_eq!(hold(&ruled, "cat a.txt"), None, "an ask rule asks whatever is known");
        ruled.rules.deny = vec!["Bash(cat:*)".parse().unwrap()];
        assert!(matches!(judged(&ruled, "cat a.txt"), Verdict::Deny { .. }));
    }
}
