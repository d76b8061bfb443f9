//! May it? Rules, modes, and what is never done unasked.
//!
//! Pure: a judgement is made of a tool's name, of what a call says it will touch, and of the [`Policy`] of that
//! moment; no file is opened, no tool is known. Paths come in absolute and with their links followed. The surprising
//! decision: a command is read in two ways. To let it through, each of its parts must be understood and be allowed;
//! to hold it back, a rule looks for its words anywhere, understood or not.

mod cell;
mod harm;
mod host;
mod known;
mod mode;
mod rule;
mod scope;
mod secret;
mod shell;
mod touch;
mod words;

use std::path::Path;

use crate::protocol::{Access, CallForm, ToolName};

pub use cell::PolicyCell;
pub use known::{Known, Sight, Table, harmless};
pub use mode::{Deed, Leaning, Mode, UnknownMode};
pub use rule::{Rule, RuleError, Use};
pub use scope::{Links, Scope};
pub use secret::{is_protected, is_secret};

use shell::Simple;
use touch::{Touch, touches};

/// Why a call that a rule or the mode would let through is asked all the same.
const WRITTEN_AS_TEXT: &str = "the model wrote it as text";

/// Everything that a judgement depends on, beside the call itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// How much is done unasked.
    pub mode: Mode,
    /// The user's rules and grants.
    pub rules: Rules,
    /// Where the workspace ends.
    pub scope: Scope,
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
    /// It may run.
    Allow,
    /// A person decides.
    Ask {
        /// Why, where that is not plain from the call.
        reason: Option<String>,
        /// The rule that "don't ask again" would save; none where a rule would not help.
        remember: Option<String>,
        /// Whether harm could not be undone.
        careful: bool,
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
            (CallForm::Text, Verdict::Allow) if self.mode != Mode::Bypass => {
                Verdict::Ask { reason: Some(WRITTEN_AS_TEXT.to_owned()), remember: None, careful: false }
            }
            (CallForm::Text, Verdict::Ask { reason, careful, .. }) => {
                let reason = reason.or_else(|| Some(WRITTEN_AS_TEXT.to_owned()));
                Verdict::Ask { reason, remember: None, careful }
            }
            (CallForm::Native | CallForm::Text, verdict) => verdict,
        }
    }

    fn judge_access(&self, tool: &ToolName, access: &Access) -> Verdict {
        let touches = touches(access);
        let verdicts = touches.iter().map(|&touch| self.judge_touch(tool, touch));
        match verdicts.max().unwrap_or(Verdict::Allow) {
            // one rule cannot stand for many files
            Verdict::Ask { reason, careful, .. } if touches.len() > 1 => {
                Verdict::Ask { reason, remember: None, careful }
            }
            verdict => verdict,
        }
    }

    fn judge_touch(&self, tool: &ToolName, touch: Touch<'_>) -> Verdict {
        let find = |rules: &'_ [Rule], usage| {
            rules.iter().find(|rule| rule.covers(tool, touch, &self.scope, usage)).map(Rule::to_string)
        };
        if let Some(rule) = find(&self.rules.deny, Use::HoldBack) {
            return Verdict::Deny { reason: format!("denied by the rule `{rule}`") };
        }
        let deletes = self.deletes_outside(touch);
        if self.mode == Mode::Bypass {
            return deletes.map_or(Verdict::Allow, asked_for);
        }
        let allowed = find(&self.rules.allow, Use::Allow).is_some() || self.allows_each(touch);
        let leaning = self.leaning(touch, allowed);
        if leaning == Leaning::No {
            return Verdict::Deny { reason: refusal(touch) };
        }
        let ask_rule =
            || find(&self.rules.ask, Use::HoldBack).map(|rule| format!("the rule `{rule}` wants it asked"));
        match (deletes.or_else(|| self.guarded(touch)), ask_rule(), leaning) {
            (Some(reason), _, _) => asked_for(reason),
            (None, Some(reason), _) => {
                Verdict::Ask { reason: Some(reason), remember: None, careful: is_careful(touch) }
            }
            (None, None, Leaning::Yes) => Verdict::Allow,
            (None, None, Leaning::Ask | Leaning::No) => Verdict::Ask {
                reason: self.is_outside(touch).then(|| "outside the workspace".to_owned()),
                remember: self.remember(tool, touch),
                careful: is_careful(touch),
            },
        }
    }

    /// Whether a command line has a reading, and each command in it is allowed by a rule of its own.
    fn allows_each(&self, touch: Touch<'_>) -> bool {
        let Touch::Exec(exec) = touch else { return false };
        let is_allowed = |command: &Simple| self.rules.allow.iter().any(|rule| rule.allows(command));
        shell::parse(&exec.command)
            .is_some_and(|commands| !commands.is_empty() && commands.iter().all(is_allowed))
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
            Touch::Exec(_) => Deed::Command,
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
            Touch::Nothing | Touch::Exec(_) | Touch::Fetch(_) => false,
        }
    }

    fn deletes_outside(&self, touch: Touch<'_>) -> Option<String> {
        let Touch::Exec(exec) = touch else { return None };
        let target = harm::deletes_outside(exec, &self.scope)?;
        Some(format!("it deletes `{target}` and all below, outside the workspace"))
    }

    /// Why no mode but bypass, and no allow rule, lets this through unasked.
    fn guarded(&self, touch: Touch<'_>) -> Option<String> {
        let protected = |path: &Path| is_protected(self.scope.inside(path).unwrap_or(path));
        match touch {
            Touch::Read(path) | Touch::Write(path) if is_secret(path) => {
                Some("the file may hold secrets".to_owned())
            }
            Touch::Write(path) if protected(path) => Some("what is written there can run later".to_owned()),
            Touch::Exec(exec) => rule::named_paths(exec, &self.scope).find_map(|path| {
                let real = self.scope.links.follow(&path);
                let why = if is_secret(&path) || is_secret(&real) {
                    "may hold secrets"
                } else if protected(&path) || protected(&real) {
                    "can run later"
                } else {
                    return None;
                };
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                Some(format!("it names `{name}`, which {why}"))
            }),
            Touch::Nothing | Touch::Read(_) | Touch::Write(_) | Touch::Fetch(_) => None,
        }
    }

    /// The rule that would let exactly this through next time; it is tried before it is offered.
    fn remember(&self, tool: &ToolName, touch: Touch<'_>) -> Option<String> {
        let text = match touch {
            Touch::Nothing => tool.to_string(),
            Touch::Read(path) => format!("Read({})", self.scope.pattern_of(path)?),
            Touch::Write(path) => format!("Edit({})", self.scope.pattern_of(path)?),
            Touch::Exec(exec) => format!("Bash({})", shown_whole(&exec.command)?),
            Touch::Fetch(url) => format!("WebFetch(domain:{})", host::host_of(url)?),
        };
        let rule: Rule = text.parse().ok()?;
        rule.covers(tool, touch, &self.scope, Use::Allow).then_some(text)
    }
}

/// Rules for longer commands would fill the question and never match again.
const LONGEST_RULE: usize = 200;

/// The command as a rule can name it: its words, or its text where that is one short line.
fn shown_whole(command: &str) -> Option<String> {
    if let Some(words) = words::plain(command) {
        return Some(words.join(" "));
    }
    let text = command.trim();
    let is_one_line = !text.chars().any(char::is_control);
    (is_one_line && text.len() <= LONGEST_RULE).then(|| text.to_owned())
}

fn asked_for(reason: String) -> Verdict {
    Verdict::Ask { reason: Some(reason), remember: None, careful: true }
}

fn is_careful(touch: Touch<'_>) -> bool {
    matches!(touch, Touch::Exec(exec) if harm::is_careful(&exec.command))
}

/// Why plan mode refuses.
fn refusal(touch: Touch<'_>) -> String {
    let what = match touch {
        Touch::Exec(_) => "no command runs",
        Touch::Nothing | Touch::Write(_) => "no file is changed",
        Touch::Read(_) | Touch::Fetch(_) => "nothing outside the workspace is looked at",
    };
    format!("plan mode is read-only: {what} until the user leaves it")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::protocol::ExecAccess;

    fn policy(mode: Mode, allow: &str, ask: &str, deny: &str) -> Policy {
        let list = |text| Rule::parse_list(text).unwrap();
        let scope = Scope {
            project: PathBuf::from("/w"),
            workspace: vec![PathBuf::from("/w"), PathBuf::from("/added")],
            temporary: vec![PathBuf::from("/tmp")],
            home: Some(PathBuf::from("/home/u")),
            ..Scope::default()
        };
        Policy { mode, rules: Rules { allow: list(allow), ask: list(ask), deny: list(deny) }, scope }
    }

    /// `read /path`, `edit /path`, `run command`, `fetch url` or the name of a tool that touches nothing.
    fn judge(policy: &Policy, call: &str) -> Verdict {
        judge_as(CallForm::Native, policy, call)
    }

    fn judge_as(form: CallForm, policy: &Policy, call: &str) -> Verdict {
        let (verb, rest) = call.split_once(' ').unwrap_or((call, ""));
        let paths = || rest.split(' ').map(PathBuf::from).collect();
        let exec = || ExecAccess { command: rest.to_owned(), cwd: PathBuf::from("/w") };
        let (tool, access) = match verb {
            "read" => ("Read", Access::Read(paths())),
            "edit" => ("Edit", Access::Write(paths())),
            "run" => ("Bash", Access::Exec(exec())),
            "fetch" => ("WebFetch", Access::Fetch { url: rest.to_owned() }),
            other => (other, Access::Nothing),
        };
        policy.judge(form, &tool.into(), &access)
    }

    fn word(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Allow => "allow",
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
                assert!(reason.is_some() && remember.is_none(), "{call}: a rule would not help");
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
        check("read /w/.env.example", ["allow", "allow", "allow", "allow"]);
        check("edit /w/.git/hooks/pre-commit", ["ask", "ask", "deny", "allow"]);
        check("edit /w/.clawd/config.toml", ["ask", "ask", "deny", "allow"]);
        check("edit /w/sub/.mcp.json", ["ask", "ask", "deny", "allow"]);
        check("run rm -rf ~", ["ask", "ask", "deny", "ask"]);
        check("run rm -rf build", ["ask", "ask", "deny", "allow"]);
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
    fn in_plan_mode_a_rule_allows_looking_but_no_change() {
        let rules = policy(Mode::Plan, "Bash,Edit,Read(//etc/**),WebFetch", "", "");
        let check = |call: &str, expected: &str| assert_eq!(word(&judge(&rules, call)), expected, "{call}");
        check("read /etc/hosts", "allow");
        check("fetch https://example.com", "allow");
        check("edit /w/a", "deny");
        check("run ls", "deny");
        check("run touch x", "deny");
        let Verdict::Deny { reason } = judge(&rules, "run make") else { panic!("make ran in plan mode") };
        assert_eq!(reason, "plan mode is read-only: no command runs until the user leaves it");
    }

    #[test]
    fn what_is_offered_to_be_remembered_matches_next_time() {
        let check = |call: &str, expected: Option<&str>| {
            let mut policy = policy(Mode::Default, "", "", "");
            let Verdict::Ask { remember, .. } = judge(&policy, call) else { panic!("{call} is not asked") };
            assert_eq!(remember.as_deref(), expected, "{call}");
            if let Some(rule) = remember {
                policy.rules.allow.push(rule.parse().unwrap());
                assert_eq!(judge(&policy, call), Verdict::Allow, "{call}");
            }
        };
        check("run cargo  test", Some("Bash(cargo test)"));
        check("run cargo test | tail", Some("Bash(cargo test | tail)"));
        check("run touch 'a\nb'", None);
        check("run cat .env", None);
        check("edit /w/src/a.rs", Some("Edit(./src/a.rs)"));
        check("edit /w/a.rs", Some("Edit(./a.rs)"));
        check("edit /w/[id].tsx", Some("Edit(./\\[id\\].tsx)"));
        check("edit /w/a /w/b", None);
        check("edit /w/.env", None);
        check("read /etc/hosts", Some("Read(//etc/hosts)"));
        check("fetch https://Example.com:8443/x", Some("WebFetch(domain:example.com)"));
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
        check("edit /w/a", None, false);
        check("edit /x/a", Some("outside the workspace"), false);
        check("read /w/.env", Some("the file may hold secrets"), true);
        check("edit /w/.git/config", Some("what is written there can run later"), true);
        check("run cat .env", Some("it names `.env`, which may hold secrets"), true);
        check("run rm -rf ~", Some("it deletes `~` and all below, outside the workspace"), true);
    }
}
