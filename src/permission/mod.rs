//! May it? Rules, modes, and what is never done unasked.
//!
//! Pure: a judgement is made of a tool's name, of what a call says it will touch, and of the [`Policy`] of that
//! moment; no file is opened, no tool is known. Paths come in absolute and with their links followed. The surprising
//! decision: a command is read in two ways. To let it through, each of its parts must be understood and be allowed;
//! to hold it back, a rule looks for its words anywhere, understood or not.

mod cell;
mod command;
mod data;
mod harm;
mod heads;
#[cfg(test)]
mod held_edits;
mod host;
mod known;
mod met;
mod mode;
mod outside;
mod pattern;
mod remember;
mod rule;
mod rule_error;
mod sandbox;
mod scope;
mod script;
mod secret;
mod shell;
mod touch;
mod words;
#[cfg(test)]
mod wrapped;

use std::path::Path;

use crate::protocol::{Access, CallForm, Terms, ToolName};

pub use cell::PolicyCell;
pub use known::Sight;
pub use met::Names;
pub use mode::{Deed, Leaning, Mode, UnknownMode};
pub use rule::{Rule, RuleFrom, Use};
pub use rule_error::RuleError;
pub use sandbox::{Enforced, SandboxBy, SandboxMode, Sandboxing, UnknownSandbox};
pub use scope::{Exists, Found, Links, Scope, Variables};
pub use secret::{home_secrets, is_protected, is_secret};

use touch::{Touch, by_links, touches};

/// Why a call that a rule or the mode would let through is asked all the same.
const WRITTEN_AS_TEXT: &str = "the model wrote this call as plain text";

/// Everything that a judgement depends on, beside the call itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// How much is done unasked.
    pub mode: Mode,
    /// The user's rules and grants.
    pub rules: Rules,
    /// Where the workspace ends.
    pub scope: Scope,
    /// How commands are held.
    pub sandbox: Sandboxing,
    /// How a judgement sees the machine.
    pub sight: Sight,
}

/// Rules by what they do. Deny beats ask, ask beats allow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// Let through unasked.
    pub allow: Vec<Rule>,
    /// Always asked for.
    pub ask: Vec<Rule>,
    /// Refused, in every mode.
    pub deny: Vec<Rule>,
}

/// What is to be done with a call. Ordered: of several verdicts the greatest counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It may run, on these terms.
    Allow(Terms),
    /// A person decides.
    Ask {
        /// Why, where that is not plain from the call.
        reason: Option<String>,
        /// The rules that "don't ask again" would save; none where rules would not help.
        remember: Vec<String>,
        /// Whether harm could not be undone.
        careful: bool,
        /// On which terms it runs after a plain yes.
        terms: Terms,
    },
    /// It may not.
    Deny {
        /// Why, for the model and the screen.
        reason: String,
    },
}

impl Policy {
    /// Whether a search must pass over this file although the directory around it may be read: a rule forbids it, or it
    /// holds a secret.
    pub fn hides(&self, path: &Path) -> bool {
        let touch = Touch::Read(path);
        let reading = ToolName::from("Read");
        let denied =
            self.rules.deny.iter().any(|rule| rule.covers(&reading, touch, &self.scope, Use::HoldBack));
        denied || (self.mode != Mode::Bypass && is_secret(path))
    }

    /// What is to be done with a call of `tool` that came in this `form` and touches `access`. A text that was taken for a
    /// call may have been meant as an example, so it is asked in every mode but `bypass`, whatever a rule allows.
    pub fn judge(&self, form: CallForm, tool: &ToolName, access: &Access) -> Verdict {
        let verdict = self.judge_access(tool, access);
        match (form, verdict) {
            (CallForm::Text, Verdict::Allow(terms)) if self.mode != Mode::Bypass => {
                let reason = Some(WRITTEN_AS_TEXT.to_owned());
                Verdict::Ask { reason, remember: Vec::new(), careful: false, terms }
            }
            (CallForm::Text, Verdict::Ask { reason, careful, terms, .. }) => {
                let reason = reason.or_else(|| Some(WRITTEN_AS_TEXT.to_owned()));
                Verdict::Ask { reason, remember: Vec::new(), careful, terms }
            }
            (CallForm::Native | CallForm::Text, verdict) => verdict,
        }
    }

    fn judge_access(&self, tool: &ToolName, access: &Access) -> Verdict {
        let touches = touches(access);
        let verdicts = touches.iter().map(|&touch| self.judge_touch(tool, touch));
        let by_links = by_links(access).into_iter().map(|touch| self.judge_link(tool, touch));
        match verdicts.chain(by_links).max().unwrap_or(Verdict::Allow(Terms::default())) {
            Verdict::Allow(terms) if self.mode != Mode::Bypass && writes_shared(access) => {
                asked_for("the file has other hard links, which would change too".to_owned(), terms)
            }
            // one rule cannot stand for many files
            Verdict::Ask { reason, careful, terms, .. } if touches.len() > 1 => {
                Verdict::Ask { reason, remember: Vec::new(), careful, terms }
            }
            verdict => verdict,
        }
    }

    fn judge_touch(&self, tool: &ToolName, touch: Touch<'_>) -> Verdict {
        if let Some(denied) = self.denied(tool, touch) {
            return denied;
        }
        let terms = self.terms(touch);
        let deletes = self.deletes_outside(touch);
        if self.mode == Mode::Bypass {
            return deletes
                .map_or_else(|| Verdict::Allow(terms.clone()), |why| asked_for(why, terms.clone()));
        }
        let allowed = self.is_allowed(&self.rules.allow, tool, touch);
        let harmless = if allowed { None } else { self.harmless(touch) };
        let leaning = if harmless.is_some() { Leaning::Yes } else { self.leaning(touch, allowed) };
        if leaning == Leaning::No {
            return Verdict::Deny { reason: refusal(touch) };
        }
        let lost = match touch {
            Touch::Exec(exec) if leaning == Leaning::Ask => {
                self.destroys(exec).or_else(|| harm::changes_outside(exec, &self.scope))
            }
            Touch::Exec(_)
            | Touch::Nothing
            | Touch::Read(_)
            | Touch::Write(_)
            | Touch::Fetch(_)
            | Touch::Mcp(..) => None,
        };
        match (deletes.or_else(|| self.guarded(touch)), self.ask_rule(tool, touch), leaning) {
            (Some(reason), _, _) => asked_for(reason, terms),
            (None, Some(reason), _) => Verdict::Ask {
                reason: Some(reason),
                remember: Vec::new(),
                careful: self.is_careful(touch),
                terms,
            },
            (None, None, Leaning::Yes) => Verdict::Allow(harmless.unwrap_or(terms)),
            (None, None, Leaning::Ask | Leaning::No) => Verdict::Ask {
                careful: self.is_careful(touch) || lost.is_some(),
                reason: lost.or_else(|| self.is_outside(touch).then(|| "outside the workspace".to_owned())),
                remember: self.remember(tool, touch),
                terms,
            },
        }
    }

    /// What the name of a link says: it may hold back what it leads to, and lets nothing through.
    fn judge_link(&self, tool: &ToolName, touch: Touch<'_>) -> Verdict {
        if let Some(denied) = self.denied(tool, touch) {
            return denied;
        }
        let terms = Terms::default();
        if self.mode == Mode::Bypass {
            return Verdict::Allow(terms);
        }
        match self.guarded(touch).or_else(|| self.ask_rule(tool, touch)) {
            Some(reason) => asked_for(reason, terms),
            None => Verdict::Allow(terms),
        }
    }

    fn denied(&self, tool: &ToolName, touch: Touch<'_>) -> Option<Verdict> {
        let rule = self.holding_back(&self.rules.deny, tool, touch)?;
        Some(Verdict::Deny { reason: format!("denied by rule `{rule}`") })
    }

    fn ask_rule(&self, tool: &ToolName, touch: Touch<'_>) -> Option<String> {
        let rule = self.holding_back(&self.rules.ask, tool, touch)?;
        Some(format!("rule `{rule}` requires approval"))
    }

    fn holding_back<'a>(&self, rules: &'a [Rule], tool: &ToolName, touch: Touch<'_>) -> Option<&'a Rule> {
        let covering = rules.iter().find(|rule| rule.covers(tool, touch, &self.scope, Use::HoldBack));
        covering.or_else(|| match touch {
            Touch::Exec(exec) => self.searching(rules, exec),
            Touch::Nothing | Touch::Read(_) | Touch::Write(_) | Touch::Fetch(_) | Touch::Mcp(..) => None,
        })
    }

    /// What the mode says, and what an allow rule makes of it: in plan mode none allows a change.
    fn leaning(&self, touch: Touch<'_>, allowed: bool) -> Leaning {
        let outside = self.is_outside(touch);
        let deed = match touch {
            Touch::Nothing => Deed::Read,
            Touch::Read(path) if !outside || self.scope.is_output(path) => Deed::Read,
            Touch::Read(_) | Touch::Fetch(_) => Deed::LookOutside,
            Touch::Write(_) if outside => Deed::EditOutside,
            Touch::Write(_) => Deed::Edit,
            Touch::Exec(_) | Touch::Mcp(..) => Deed::Command,
        };
        match (self.mode.leans(deed), deed) {
            (Leaning::No, Deed::Edit | Deed::EditOutside | Deed::Command) => Leaning::No,
            _ if allowed => Leaning::Yes,
            (leaning, _) => leaning,
        }
    }

    fn is_outside(&self, touch: Touch<'_>) -> bool {
        match touch {
            Touch::Read(path) | Touch::Write(path) => self.scope.inside(path).is_none(),
            Touch::Nothing | Touch::Exec(_) | Touch::Fetch(_) | Touch::Mcp(..) => false,
        }
    }

    /// Why no mode but bypass, and no allow rule, lets this through unasked.
    fn guarded(&self, touch: Touch<'_>) -> Option<String> {
        match touch {
            Touch::Read(path) | Touch::Write(path) if is_secret(path) => {
                Some("the file may contain secrets".to_owned())
            }
            Touch::Write(path) if self.scope.is_own(path) => {
                Some("the file is part of clawd's own configuration or data".to_owned())
            }
            Touch::Write(path) if self.is_protected(path) => {
                let is_text = path.extension().is_some_and(|extension| extension == "md");
                let why = if is_text && !self.is_control_file(path) {
                    "coding agents take instructions from this file"
                } else {
                    "the content of this file can be executed later"
                };
                Some(why.to_owned())
            }
            Touch::Exec(exec) => self.names_guarded(exec),
            Touch::Nothing | Touch::Read(_) | Touch::Write(_) | Touch::Fetch(_) | Touch::Mcp(..) => None,
        }
    }

    /// Whether it may do harm that cannot be undone: an edit outside is in nobody's repository.
    fn is_careful(&self, touch: Touch<'_>) -> bool {
        match touch {
            Touch::Exec(exec) => harm::is_careful(exec, &self.scope),
            Touch::Write(_) => self.is_outside(touch),
            Touch::Nothing | Touch::Read(_) | Touch::Fetch(_) | Touch::Mcp(..) => false,
        }
    }

    fn is_protected(&self, path: &Path) -> bool {
        is_protected(self.scope.inside(path).unwrap_or(path))
    }

    fn is_control_file(&self, path: &Path) -> bool {
        secret::is_control_file(self.scope.inside(path).unwrap_or(path)) || self.scope.is_own(path)
    }
}

/// Whether a file would be changed that may also lie somewhere else.
fn writes_shared(access: &Access) -> bool {
    matches!(access, Access::Write(files) if files.iter().any(|file| file.is_shared))
}

fn asked_for(reason: String, terms: Terms) -> Verdict {
    Verdict::Ask { reason: Some(reason), remember: Vec::new(), careful: true, terms }
}

/// Why plan mode refuses.
fn refusal(touch: Touch<'_>) -> String {
    let what = match touch {
        Touch::Exec(_) => "commands cannot run",
        Touch::Mcp(..) => "MCP tools cannot be called",
        Touch::Nothing | Touch::Write(_) => "files cannot be changed",
        Touch::Read(_) | Touch::Fetch(_) => "nothing outside the workspace can be read",
    };
    format!("plan mode is read-only: {what} until the user leaves plan mode")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::protocol::{ExecAccess, FileAccess, Hold};

    fn policy(mode: Mode, allow: &str, ask: &str, deny: &str) -> Policy {
        let list = |text| Rule::parse_list(text).unwrap();
        let scope = Scope {
            project: PathBuf::from("/w"),
            workspace: vec![PathBuf::from("/w"), PathBuf::from("/added")],
            temporary: vec![PathBuf::from("/tmp")],
            own: vec![PathBuf::from("/w/own")],
            home: Some(PathBuf::from("/home/u")),
            ..Scope::default()
        };
        let rules = Rules { allow: list(allow), ask: list(ask), deny: list(deny) };
        Policy { mode, rules, scope, ..Policy::default() }
    }

    #[test]
    fn mcp_tools_are_judged_as_commands_are() {
        let check = |mode, allow: &str, deny: &str, expected: &str| {
            let verdict = judge(&policy(mode, allow, "", deny), "mcp files read");
            assert!(format!("{verdict:?}").starts_with(expected), "{mode:?} {allow} {deny}: {verdict:?}");
        };
        check(Mode::Default, "", "", "Ask");
        check(Mode::AcceptEdits, "", "", "Ask");
        check(Mode::Plan, "mcp__files", "", "Deny");
        check(Mode::Bypass, "", "", "Allow");
        check(Mode::Bypass, "", "mcp__files__read", "Deny");
        check(Mode::Default, "mcp__files", "", "Allow");
        check(Mode::Default, "mcp__files__read", "mcp__files", "Deny");
    }

    /// `read /path`, `edit /path`, `run command`, `fetch url`, `mcp server tool` or the name of a tool that touches nothing.
    fn judge(policy: &Policy, call: &str) -> Verdict {
        judge_as(CallForm::Native, policy, call)
    }

    fn judge_as(form: CallForm, policy: &Policy, call: &str) -> Verdict {
        let (verb, rest) = call.split_once(' ').unwrap_or((call, ""));
        // `read /link>/path` names a link
        let file = |word: &str| match word.split_once('>') {
            Some((named, path)) => FileAccess { named: Some(named.into()), ..path.into() },
            None => word.into(),
        };
        let paths = || rest.split(' ').map(file).collect();
        let exec = || ExecAccess { command: rest.to_owned(), cwd: PathBuf::from("/w") };
        let (tool, access) = match verb {
            "read" => ("Read", Access::Read(paths())),
            "edit" => ("Edit", Access::Write(paths())),
            "run" => ("Bash", Access::Exec(exec())),
            "fetch" => ("WebFetch", Access::Fetch { url: rest.to_owned() }),
            "mcp" => {
                let (server, tool) = rest.split_once(' ').unwrap();
                ("Mcp", Access::Mcp { server: server.to_owned(), tool: tool.to_owned() })
            }
            other => (other, Access::Nothing),
        };
        policy.judge(form, &tool.into(), &access)
    }

    fn word(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Allow(_) => "allow",
            Verdict::Ask { .. } => "ask",
            Verdict::Deny { .. } => "deny",
        }
    }

    #[test]
    fn a_call_written_as_text_is_asked_in_every_mode_but_bypass() {
        let check = |mode, call, expected| {
            let policy = policy(mode, "Read,Bash(ls:*),Edit(./**)", "", "Read(./no)");
            let verdict = judge_as(CallForm::Text, &policy, call);
            assert_eq!(word(&verdict), expected, "{mode:?} {call}");
            if let Verdict::Ask { reason, remember, .. } = verdict {
                assert!(reason.is_some() && remember.is_empty(), "{call}: a rule would not help");
            }
        };
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::Plan] {
            check(mode, "read /w/a", "ask");
        }
        check(Mode::Default, "run ls", "ask");
        check(Mode::AcceptEdits, "edit /w/a", "ask");
        check(Mode::Default, "fetch https://x.y", "ask");
        check(Mode::Plan, "run make", "deny");
        check(Mode::Default, "read /w/no", "deny");
        check(Mode::Bypass, "run make", "allow");
        check(Mode::Bypass, "read /w/no", "deny");
    }

    #[test]
    fn each_mode_keeps_to_its_row() {
        let check = |call: &str, expected: [&str; 4]| {
            let verdicts = Mode::ALL.map(|mode| word(&judge(&policy(mode, "", "", ""), call)));
            assert_eq!(verdicts, expected, "{call}");
        };
        check("TodoWrite", ["allow", "allow", "allow", "allow"]);
        check("read /w/src/a.rs", ["allow", "allow", "allow", "allow"]);
        check("read /added/a.rs", ["allow", "allow", "allow", "allow"]);
        check("read /etc/hosts", ["ask", "ask", "deny", "allow"]);
        check("read /w/a /etc/hosts", ["ask", "ask", "deny", "allow"]);
        check("edit /w/src/a.rs", ["ask", "allow", "deny", "allow"]);
        check("edit /w/a /x/b", ["ask", "ask", "deny", "allow"]);
        check("edit /tmp/x", ["ask", "ask", "deny", "allow"]);
        check("run cargo test", ["ask", "ask", "deny", "allow"]);
        check("run ls -la src", ["ask", "ask", "deny", "allow"]);
        check("run cat a | wc -l", ["ask", "ask", "deny", "allow"]);
        check("run cat /etc/hosts", ["ask", "ask", "deny", "allow"]);
        check("run cat a > b", ["ask", "ask", "deny", "allow"]);
        check("run cat .env", ["ask", "ask", "deny", "allow"]);
        check("fetch https://example.com", ["ask", "ask", "deny", "allow"]);
        check("read /w/.env", ["ask", "ask", "ask", "allow"]);
        check("edit /w/.env", ["ask", "ask", "deny", "allow"]);
        check("read /w/.env>/w/plain", ["ask", "ask", "ask", "allow"]);
        check("read /w/plain>/w/.env", ["ask", "ask", "ask", "allow"]);
        check("read /w/.ssh/config>/w/plain/config", ["ask", "ask", "ask", "allow"]);
        check("read /w/a>/w/b", ["allow", "allow", "allow", "allow"]);
        check("read /elsewhere>/w/b", ["allow", "allow", "allow", "allow"]);
        check("read /w/a>/etc/hosts", ["ask", "ask", "deny", "allow"]);
        check("edit /w/.env>/w/plain", ["ask", "ask", "deny", "allow"]);
        check("edit /w/.git/config>/w/plain", ["ask", "ask", "deny", "allow"]);
        check("edit /w/a>/w/b", ["ask", "allow", "deny", "allow"]);
        check("read /w/.env.example", ["allow", "allow", "allow", "allow"]);
        check("edit /w/.git/hooks/pre-commit", ["ask", "ask", "deny", "allow"]);
        check("edit /w/.clawd/config.toml", ["ask", "ask", "deny", "allow"]);
        check("edit /w/sub/.mcp.json", ["ask", "ask", "deny", "allow"]);
        for path in [
            ".git/HEAD",
            ".claude/settings.json",
            ".vscode/tasks.json",
            ".husky/x",
            ".gitmodules",
            "AGENTS.md",
        ] {
            check(&format!("edit /w/{path}"), ["ask", "ask", "deny", "allow"]);
        }
        check("edit /w/own/config.toml", ["ask", "ask", "deny", "allow"]);
        check("edit /w/own/a/b", ["ask", "ask", "deny", "allow"]);
        check("read /w/own/config.toml", ["allow"; 4]);
        check("run rm -rf ~", ["ask", "ask", "deny", "ask"]);
        check("run rm -rf build", ["ask", "ask", "deny", "allow"]);
    }

    #[test]
    fn a_file_with_other_names_is_asked_for_before_it_is_changed() {
        let file = FileAccess { is_shared: true, ..FileAccess::from("/w/a") };
        let judged = |mode, access| {
            word(&policy(mode, "Edit", "", "").judge(CallForm::Native, &"Edit".into(), &access))
        };
        for (mode, expected) in [(Mode::Default, "ask"), (Mode::AcceptEdits, "ask"), (Mode::Bypass, "allow")]
        {
            assert_eq!(judged(mode, Access::Write(vec!["/w/b".into(), file.clone()])), expected, "{mode}");
        }
        assert_eq!(judged(Mode::Default, Access::Read(vec![file])), "allow");
    }

    #[test]
    fn deny_beats_ask_and_ask_beats_allow() {
        let check = |policy: &Policy, call: &str, expected: &str| {
            assert_eq!(word(&judge(policy, call)), expected, "{call}");
        };
        let rules = policy(
            Mode::Default,
            "Bash(git:*),Edit",
            "Bash(git push:*)",
            "Bash(git push --force:*),Edit(gen/**)",
        );
        check(&rules, "run git status", "allow");
        check(&rules, "run git push", "ask");
        check(&rules, "run git push --force", "deny");
        check(&rules, "run git status; ls", "ask");
        check(&rules, "run git status; touch x", "ask");
        check(&rules, "edit /w/src/a", "allow");
        check(&rules, "edit /w/gen/a", "deny");
        check(&rules, "edit /w/src/a /w/gen/a", "deny");
    }

    #[test]
    fn deny_rules_hold_in_every_mode() {
        for mode in Mode::ALL {
            let rules = policy(mode, "Bash,Read,Edit,TodoWrite", "", "Bash(rm:*),Read(./.env),TodoWrite");
            for call in ["run bash -c 'rm x'", "read /w/.env", "edit /w/.env", "run cat ./.env", "TodoWrite"]
            {
                assert_eq!(word(&judge(&rules, call)), "deny", "{mode}: {call}");
            }
        }
    }

    #[test]
    fn no_allow_rule_lets_through_what_is_guarded() {
        let rules = policy(Mode::AcceptEdits, "Bash,Read,Edit,Read(**),Edit(**)", "", "");
        let guarded = "read /w/.env|edit /w/.git/config|run cat .env|run cp x .git/hooks/pre-commit|run rm -rf /opt|edit /w/id_rsa";
        for call in guarded.split('|') {
            assert_eq!(word(&judge(&rules, call)), "ask", "{call}");
        }
    }

    #[test]
    fn what_would_be_lost_is_asked_in_the_sandbox_too_unless_a_rule_allows_it() {
        let check = |rules: &str, mode: Mode, call: &str, expected: &str| {
            let mut policy = policy(mode, rules, "", "");
            policy.sandbox =
                Sandboxing { auto_allow: true, enforced: Enforced::new(|| true), ..Sandboxing::default() };
            assert_eq!(word(&judge(&policy, call)), expected, "{rules} {mode}: {call}");
        };
        for mode in [Mode::Default, Mode::AcceptEdits] {
            check("", mode, "run cargo build", "allow");
            check("", mode, "run rm -rf target", "allow");
            check("", mode, "run echo x >> a", "allow");
            check("", mode, "run rm -rf src", "ask");
            check("", mode, "run git reset --hard", "ask");
            check("", mode, "run bash -c 'git clean -fd'", "ask");
            check("", mode, "run rm -rf $X", "ask");
            check("Bash(rm:*)", mode, "run rm -rf src", "allow");
            check("Bash(git reset --hard)", mode, "run git reset --hard", "allow");
            check("Bash(rm:*)", mode, "run rm -rf /etc", "ask");
        }
        check("", Mode::Bypass, "run rm -rf src", "allow");
        check("", Mode::Bypass, "run rm -rf $X", "ask");
        check("", Mode::Bypass, "run rm -rf $X/build", "allow");
        check("", Mode::Bypass, "run rm -rf /w", "ask");
        check("", Mode::Plan, "run cargo build", "deny");
    }

    #[test]
    fn in_plan_mode_a_rule_allows_looking_but_no_change() {
        let rules = policy(Mode::Plan, "Bash,Edit,Read(//etc/**),WebFetch", "", "");
        let check = |call: &str, expected: &str| assert_eq!(word(&judge(&rules, call)), expected, "{call}");
        check("read /etc/hosts", "allow");
        check("fetch https://example.com", "allow");
        check("edit /w/a", "deny");
        check("run ls", "deny");
        check("run touch x", "deny");
        let Verdict::Deny { reason } = judge(&rules, "run make") else { panic!("make ran in plan mode") };
        assert_eq!(reason, "plan mode is read-only: commands cannot run until the user leaves plan mode");
    }

    #[test]
    fn what_is_offered_to_be_remembered_matches_next_time() {
        let check = |call: &str, expected: &str| {
            let mut policy = policy(Mode::Default, "Bash(tail:*)", "", "");
            let Verdict::Ask { remember, .. } = judge(&policy, call) else { panic!("{call} is not asked") };
            assert_eq!(remember.join(" + "), expected, "{call}");
            if !remember.is_empty() {
                policy.rules.allow.extend(remember.iter().map(|rule| rule.parse().unwrap()));
                assert_eq!(word(&judge(&policy, call)), "allow", "{call}");
            }
        };
        check("run touch  a", "Bash(touch a)");
        check("run cargo  test", "Bash(cargo test:*)");
        check("run cargo test | tail -3", "Bash(cargo test:*)");
        check("run cargo test --config a=b", "Bash(cargo test --config a=b)");
        check("run cd x && cargo test 2>&1 | tail", "Bash(cargo test:*)");
        check("run cd ../x && cargo test 2>&1 | tail", "Bash(cd ../x) + Bash(cargo test:*)");
        check("run make a && make a && make b", "Bash(make a) + Bash(make b)");
        check("run git add . && git commit -m 'a b'", "Bash(git add:*) + Bash(git commit:*)");
        check("run a && b && c && d", "Bash(a && b && c && d)");
        check("run say 'a b' | x", "Bash(say 'a b' | x)");
        check("run cat x.sh | bash", "Bash(cat x.sh | bash)");
        check("run ls | xargs rm", "Bash(ls | xargs rm)");
        check("run cat x.sh | cargo test", "Bash(cat x.sh | cargo test)");
        check("run cargo test && cat x | sh", "Bash(cargo test && cat x | sh)");
        check("run python3 -", "Bash(python3 -)");
        check("run bash < x.sh", "Bash(bash < x.sh)");
        check("run bash <<< x", "Bash(bash <<< x)");
        check("run bash <<E\nx\nE", "");
        check("run echo $(touch a)", "Bash(echo $(touch a))");
        check("run echo hi > a", "Bash(echo hi > a)");
        check("run npm run build", "Bash(npm run build:*)");
        check("run npm run build -- -w", "Bash(npm run build -- -w)");
        check("run say 'a:*'", "Bash(say 'a:*')");
        check("run x a ':*'", "Bash(x a ':*')");
        check("run echo a:*", "");
        check("run touch 'a\nb'", "");
        check("run cat .env", "");
        check("edit /w/src/a.rs", "Edit(./src/a.rs)");
        check("edit /w/a.rs", "Edit(./a.rs)");
        check("edit /w/[id].tsx", "Edit(./\\[id\\].tsx)");
        check("edit /w/a /w/b", "");
        check("edit /w/.env", "");
        check("read /etc/hosts", "Read(//etc/hosts)");
        check("fetch https://Example.com:8443/x", "WebFetch(domain:example.com)");
        check("mcp files read", "mcp__files__read");
    }

    #[test]
    fn rules_hold_a_link_back_by_its_name_and_let_it_through_by_where_it_leads() {
        let check = |allow, ask, deny, call: &str, expected: &str| {
            assert_eq!(word(&judge(&policy(Mode::Default, allow, ask, deny), call)), expected, "{call}");
        };
        check("", "", "Read(./private/**)", "read /w/private/a>/w/a", "deny");
        check("", "", "Read(./private/**)", "read /w/a>/w/private/a", "deny");
        check("", "Read(./private/**)", "", "read /w/private/a>/w/a", "ask");
        check("Edit(./a)", "", "", "edit /w/link>/w/a", "allow");
        check("Edit(./link)", "", "", "edit /w/link>/w/a", "ask");
        let Verdict::Ask { remember, .. } =
            judge(&policy(Mode::Default, "", "", ""), "read /w/link>/etc/hosts")
        else {
            panic!("it is not asked")
        };
        assert_eq!(remember, ["Read(//etc/hosts)"]);
    }

    #[test]
    fn what_is_remembered_lets_nothing_else_through() {
        let check = |call: &str, other: &str| {
            let mut policy = policy(Mode::Default, "", "", "");
            let Verdict::Ask { remember, .. } = judge(&policy, call) else { panic!("{call} is not asked") };
            policy.rules.allow.extend(remember.iter().map(|rule| rule.parse().unwrap()));
            assert_eq!(word(&judge(&policy, other)), "ask", "{remember:?} on {other}");
        };
        check("run cargo test", "run cargo testify");
        check("run cargo test", "run cargo test > .bashrc");
        check("run cargo test", "run cargo test; touch a");
        check("run cargo test", "run cargo test -C x");
        check("run say 'a:*'", "run say a b");
        check("run make a && make b", "run make c");
        check("run npm run build", "run npm run deploy");
        check("run cat x.sh | bash", "run echo x | bash");
        check("run cat x.sh | bash", "run bash");
        check("run bash", "run echo x | bash");
        check("edit /w/[id].tsx", "edit /w/i.tsx");
        check("fetch https://a.example", "fetch https://b.example");
    }

    #[test]
    fn a_rule_for_outside_takes_a_command_out_of_the_sandbox_and_lets_none_run() {
        let hold = |rules: &str, call: &str| {
            let mut policy = policy(Mode::Default, rules, "", "");
            policy.sandbox.enforced = Enforced::new(|| true);
            match judge(&policy, call) {
                Verdict::Allow(terms) => ("allow", terms.hold == Hold::Free),
                Verdict::Ask { terms, .. } => ("ask", terms.hold == Hold::Free),
                Verdict::Deny { .. } => ("deny", false),
            }
        };
        assert_eq!(hold("", "run docker ps"), ("ask", false));
        assert_eq!(hold("Outside(docker:*)", "run docker ps"), ("ask", true));
        assert_eq!(hold("Outside(docker:*),Bash(docker ps)", "run docker ps"), ("allow", true));
        assert_eq!(hold("Outside(docker:*),Bash", "run docker ps | sh"), ("allow", false));
    }

    #[test]
    fn a_question_says_why_and_how_careful_to_be() {
        let check = |call: &str, expected: Option<&str>, careful: bool| {
            let Verdict::Ask { reason, careful: found, .. } = judge(&policy(Mode::Default, "", "", ""), call)
            else {
                panic!("{call} is not asked")
            };
            assert_eq!((reason.as_deref(), found), (expected, careful), "{call}");
        };
        check("run cargo test", None, false);
        check("run git push", None, true);
        check("run rm -rf src", Some("recursively deletes `src`"), true);
        check("run rm -rf target", None, true);
        check("run echo x > a", Some("overwrites `a`"), true);
        check("run git reset --hard", Some("discards uncommitted changes"), true);
        check("edit /w/a", None, false);
        check("edit /x/a", Some("outside the workspace"), true);
        check("read /w/.env", Some("the file may contain secrets"), true);
        check("edit /w/.git/config", Some("the content of this file can be executed later"), true);
        check("run cat .env", Some("refers to `.env`, which may contain secrets"), true);
        check("run rm -rf ~", Some("recursively deletes `/home/u`, outside the workspace"), true);
    }
}
