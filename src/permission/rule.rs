//! Rules: `Tool`, `Bash(git push:*)`, `Edit(src/**)`, `Outside(docker:*)`; read, printed, matched.
//!
//! A rule does not know whether it allows or forbids; the same text can stand in either list. It is told by
//! [`Use`], and reads the world accordingly: an allow rule matches too little where it is in doubt, one that
//! holds back matches too much.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::protocol::{BUILT_IN_TOOLS, BuiltInTool, ExecAccess, ToolName};
use crate::text::glob::GitGlob;
use crate::text::nearest::nearest;

use super::data;
use super::harm;
use super::heads;
use super::host::{Hosts, NoHosts};
use super::pattern::PathPattern;
use super::rule_error::RuleError;
use super::scope::Scope;
use super::script;
use super::shell::{self, Simple};
use super::touch::Touch;
use super::words::{self, End};

/// No tool, but a rule for commands all the same: these run outside the sandbox once they may.
const OUTSIDE: &str = "Outside";

/// One rule. Two rules are equal if they are written alike.
#[derive(Debug, Clone)]
pub struct Rule {
    text: String,
    target: Target,
    from: RuleFrom,
}

/// Where a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum RuleFrom {
    /// The command line.
    Flag,
    /// The user's configuration.
    #[default]
    Configuration,
    /// This file of the project, which can only hold back.
    Project(&'static str),
    /// "Don't ask again", in this project.
    Grant,
}

/// What a rule is for.
#[derive(Debug, Clone)]
enum Target {
    /// Every call of a tool, or of all tools of an MCP server.
    Tool(String),
    /// Commands of exactly these words, or beginning with them. `text` is the command as it was written.
    Command { words: Vec<String>, end: End, text: String },
    /// Reading these paths.
    Read(PathPattern),
    /// Changing these paths.
    Edit(PathPattern),
    /// Fetching from these hosts.
    Host(Hosts),
    /// Commands that run outside the sandbox. It lets none run that may not.
    Outside { words: Vec<String>, end: End },
}

/// What a rule is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// To let a call through.
    Allow,
    /// To refuse it or to have it asked for.
    HoldBack,
}

impl Rule {
    /// Reads rules parted by commas; commas in parentheses part nothing.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, RuleError> {
        let mut depth = 0_usize;
        let parts = text.split(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        parts.map(str::trim).filter(|part| !part.is_empty()).map(str::parse).collect()
    }

    /// The tool that the rule is for as a whole; `None` where it has a specifier.
    pub fn whole_tool(&self) -> Option<&str> {
        match &self.target {
            Target::Tool(tool) => Some(tool),
            Target::Command { .. }
            | Target::Read(_)
            | Target::Edit(_)
            | Target::Host(_)
            | Target::Outside { .. } => None,
        }
    }

    /// Where it stands.
    pub fn from(&self) -> RuleFrom {
        self.from
    }

    /// The same, said to stand there.
    #[must_use]
    pub fn standing(self, from: RuleFrom) -> Self {
        Self { from, ..self }
    }

    /// Whether it can only loosen: then it has no place among those that hold back.
    pub fn only_loosens(&self) -> bool {
        matches!(self.target, Target::Outside { .. })
    }

    /// Whether it is for commands of exactly its words.
    pub(super) fn is_exact(&self) -> bool {
        match &self.target {
            Target::Command { end, .. } | Target::Outside { end, .. } => *end == End::Closed,
            Target::Tool(_) | Target::Read(_) | Target::Edit(_) | Target::Host(_) => false,
        }
    }

    /// Whether it takes this one of a line's commands out of the sandbox.
    pub(super) fn frees(&self, command: &Simple) -> bool {
        match &self.target {
            Target::Outside { words, end } => covers_simple(words, *end, command),
            Target::Tool(_)
            | Target::Command { .. }
            | Target::Read(_)
            | Target::Edit(_)
            | Target::Host(_) => false,
        }
    }

    /// Whether it is for some paths that are read, which may lie in any directory. Secrets are none: searches pass over them.
    pub(super) fn is_of_paths_read(&self) -> bool {
        matches!(&self.target, Target::Read(pattern) if !pattern.is_of_a_secret())
    }

    /// Whether the deny or ask rule is about a file that the command reads while it searches directories.
    pub(super) fn is_about_search(&self, exec: &ExecAccess, scope: &Scope) -> bool {
        let Target::Read(pattern) = &self.target else { return false };
        harm::searched(exec, scope).iter().any(|searched| pattern.may_be_searched(searched, scope))
    }

    /// Whether the rule lets through this one of a line's commands.
    pub(super) fn allows(&self, command: &Simple) -> bool {
        match &self.target {
            Target::Tool(tool) => tool == "Bash",
            Target::Command { words, end, .. } => covers_simple(words, *end, command),
            Target::Read(_) | Target::Edit(_) | Target::Host(_) | Target::Outside { .. } => false,
        }
    }

    /// Whether the rule is about this touch of this tool.
    pub(super) fn covers(&self, tool: &ToolName, touch: Touch<'_>, scope: &Scope, usage: Use) -> bool {
        match (&self.target, touch) {
            (Target::Tool(name), _) => name == tool.as_str() || covers_class(name, touch),
            (Target::Command { words, end, text }, Touch::Exec(exec)) => {
                covers_command((words, *end), exec, scope, usage) || is_same_text(text, *end, exec, usage)
            }
            (Target::Read(pattern), Touch::Read(path)) | (Target::Edit(pattern), Touch::Write(path)) => {
                pattern.covers(path, scope, usage)
            }
            // an edit shows what stood there, and so does a command that names the file
            (Target::Read(pattern), Touch::Write(path)) => {
                usage == Use::HoldBack && pattern.covers(path, scope, usage)
            }
            (Target::Read(pattern), Touch::Exec(exec)) => {
                let covers = |path: &Path| pattern.covers_here(path, scope);
                usage == Use::HoldBack
                    && (named_paths(exec, scope)
                        .any(|path| covers(&path) || covers(&scope.links.follow(&path)))
                        || harm::copied_whole(exec, scope)
                            .iter()
                            .any(|path| pattern.may_cover_below(path, scope)))
            }
            // what the edit tools may not do no command does in their place
            (Target::Edit(pattern), Touch::Exec(exec)) => {
                usage == Use::HoldBack
                    && harm::changed(exec, scope).iter().any(|changed| match changed {
                        harm::Changed::One(path) => pattern.covers(path, scope, usage),
                        harm::Changed::All(path) => pattern.may_cover_below(path, scope),
                    })
            }
            (Target::Host(hosts), Touch::Fetch(url)) => hosts.cover(url, usage),
            (
                Target::Command { .. }
                | Target::Read(_)
                | Target::Edit(_)
                | Target::Host(_)
                | Target::Outside { .. },
                Touch::Nothing
                | Touch::Read(_)
                | Touch::Write(_)
                | Touch::Exec(_)
                | Touch::Fetch(_)
                | Touch::Mcp(..),
            ) => false,
        }
    }
}

/// The paths that a command's words name, as far as words can tell: as they stand, and as the shell would have them.
pub(super) fn named_paths(exec: &ExecAccess, scope: &Scope) -> impl Iterator<Item = PathBuf> {
    let mut paths = Vec::new();
    for words in words::segments(&exec.command) {
        paths.extend(taken_up(&words).flat_map(|word| places_of(word, &exec.cwd, scope)));
    }
    for command in script::read(exec, scope) {
        let cwd = command.cwd.as_deref().unwrap_or(&exec.cwd);
        let files = command.empties.iter().chain(&command.grows).chain(&command.opens).map(String::as_str);
        let words = taken_up(&command.words).chain(files);
        paths.extend(words.flat_map(|word| places_of(word, cwd, scope)));
    }
    paths.into_iter().flat_map(|path| scope.names.met(path))
}

/// The words but for those that say what is left out: `--exclude=x`, which may be two words where quotes part them.
fn taken_up(words: &[String]) -> impl Iterator<Item = &str> {
    let leaves_out = |word: &str| word.starts_with("--exclude=") || word.starts_with("--exclude-dir=");
    let befores = std::iter::once("").chain(words.iter().map(String::as_str));
    let pairs = words.iter().map(String::as_str).zip(befores);
    pairs
        .filter(move |(word, before)| !(leaves_out(word) || leaves_out(before) && before.ends_with('=')))
        .map(|(word, _)| word)
}

/// The paths that a word may name: `x`, `--option=x`, `@x`, `HEAD:x`.
fn places_of(word: &str, cwd: &Path, scope: &Scope) -> Vec<PathBuf> {
    let path = word.rsplit('=').next().unwrap_or(word).trim_start_matches('@');
    // `HEAD:src/main.rs` is named from the root, `HEAD:./main.rs` from here
    let of_commit = path.split_once(':').map(|(_, path)| path).filter(|path| !path.is_empty());
    let places = of_commit.into_iter().flat_map(|path| [cwd, &scope.project].map(|place| (place, path)));
    let all = std::iter::once((cwd, path)).chain(places);
    all.filter_map(|(place, path)| scope.path_of(place, path)).collect()
}

/// Whether a rule for the tool `name` covers every call of this kind: `Edit` all that change files, `mcp__SERVER` all tools of
/// a server.
fn covers_class(name: &str, touch: Touch<'_>) -> bool {
    match touch {
        Touch::Write(_) => name == "Edit",
        Touch::Mcp(server, tool) => {
            let rest = name.strip_prefix("mcp__").and_then(|rest| rest.strip_prefix(server));
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix("__") == Some(tool))
        }
        Touch::Nothing | Touch::Read(_) | Touch::Exec(_) | Touch::Fetch(_) => false,
    }
}

fn covers_command((words, end): (&[String], End), exec: &ExecAccess, scope: &Scope, usage: Use) -> bool {
    match usage {
        Use::HoldBack => {
            let has_data = data::has_data(&exec.command);
            let stands_in = |command: &script::Command| {
                let stands = if has_data && data::is_data(&command.words) {
                    words::is_begun_by(&command.words, words, end)
                } else {
                    words::stand_in(&command.words, words, end)
                };
                stands || may_become(&command.words, words, end)
            };
            data::mentions(&exec.command, words, end) || script::read(exec, scope).iter().any(stands_in)
        }
        Use::Allow => shell::parse(&exec.command)
            .is_some_and(|commands| commands.iter().all(|command| covers_simple(words, end, command))),
    }
}

/// Whether a program that is named by a pattern (`/bin/r?`) may be the one that is meant.
fn may_become(words: &[String], meant: &[String], end: End) -> bool {
    let (Some((first, rest)), Some(wanted)) = (words.split_first(), meant.first()) else { return false };
    let name = words::name(first);
    let is_pattern = name.contains(['*', '?', '[']);
    let finds = || GitGlob::new(name).is_ok_and(|glob| glob.matches_itself(wanted, false));
    is_pattern && finds() && {
        let words: Vec<String> = std::iter::once(wanted).chain(rest).cloned().collect();
        words::stand_in(&words, meant, end)
    }
}

fn covers_simple(words: &[String], end: End, command: &Simple) -> bool {
    command.begins_with(words)
        && match end {
            End::Open => !heads::leads_elsewhere(words, command),
            // what comes through a pipe may be a program: `bash`, `python3 -`, `xargs rm`
            End::Closed => command.words.len() == words.len() && !command.is_fed,
        }
}

/// The same text is the same command, whatever the shell makes of it: an exact rule needs no reading of it.
fn is_same_text(text: &str, end: End, exec: &ExecAccess, usage: Use) -> bool {
    usage == Use::Allow && end == End::Closed && exec.command.trim() == text
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let rule = text.trim();
        let (tool, specifier) = match rule.split_once('(') {
            None if rule.ends_with(')') => return Err(RuleError::Unclosed(rule.to_owned())),
            None => (rule, None),
            Some((tool, rest)) => {
                let inner = rest.strip_suffix(')').ok_or_else(|| RuleError::Unclosed(rule.to_owned()))?;
                (tool.trim_end(), Some(inner.trim()))
            }
        };
        check_tool(rule, tool)?;
        let (text, target) = match specifier {
            None | Some("*" | ":*") if tool == OUTSIDE => return Err(RuleError::NoCommand(rule.to_owned())),
            None | Some("*" | ":*") => (tool.to_owned(), Target::Tool(tool.to_owned())),
            Some("") => return Err(RuleError::Empty(rule.to_owned())),
            Some(inner) => (format!("{tool}({inner})"), Target::new(rule, tool, inner)?),
        };
        Ok(Self { text, target, from: RuleFrom::default() })
    }
}

impl Target {
    fn new(rule: &str, tool: &str, inner: &str) -> Result<Self, RuleError> {
        let pattern =
            || PathPattern::new(inner).map_err(|source| RuleError::Glob { rule: rule.to_owned(), source });
        let no_specifier =
            |hint: String| Err(RuleError::NoSpecifier { rule: rule.to_owned(), tool: tool.to_owned(), hint });
        match tool {
            "Bash" => {
                let (words, end, text) = command(rule, tool, inner)?;
                Ok(Self::Command { words, end, text })
            }
            OUTSIDE => command(rule, tool, inner).map(|(words, end, _)| Self::Outside { words, end }),
            "Read" => pattern().map(Self::Read),
            "Edit" => pattern().map(Self::Edit),
            "WebFetch" => match inner.strip_prefix("domain:").map(Hosts::parse) {
                Some(Ok(hosts)) => Ok(Self::Host(hosts)),
                Some(Err(NoHosts::Letters)) => Err(RuleError::HostLetters(rule.to_owned())),
                Some(Err(NoHosts::Form)) | None => Err(RuleError::Host(rule.to_owned())),
            },
            "Write" | "ApplyPatch" => no_specifier(format!("Edit({inner})")),
            "Glob" | "Grep" => no_specifier(format!("Read({inner})")),
            other => no_specifier(other.to_owned()),
        }
    }
}

/// The words of a command's rule, where they end, and the command as it was written.
fn command(rule: &str, tool: &str, inner: &str) -> Result<(Vec<String>, End, String), RuleError> {
    let (text, end) = inner.strip_suffix(":*").map_or((inner, End::Closed), |prefix| (prefix, End::Open));
    if end == End::Closed
        && let Some(prefix) = text.strip_suffix(" *")
    {
        let (tool, prefix) = (tool.to_owned(), prefix.trim().to_owned());
        return Err(RuleError::Wildcard { rule: rule.to_owned(), tool, prefix });
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        return Err(RuleError::Empty(rule.to_owned()));
    }
    Ok((words, end, text.to_owned()))
}

fn check_tool(rule: &str, tool: &str) -> Result<(), RuleError> {
    let server = tool.strip_prefix("mcp__").is_some_and(|rest| !rest.is_empty() && !rest.contains(' '));
    match tool {
        "" => Err(RuleError::Empty(rule.to_owned())),
        known if server || known == OUTSIDE || BuiltInTool::named(known).is_some() => Ok(()),
        other => {
            let nearest = nearest(other, BUILT_IN_TOOLS.iter().map(|tool| tool.name));
            Err(RuleError::UnknownTool { rule: rule.to_owned(), nearest })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Rule {
        text.parse().unwrap()
    }

    fn scope() -> Scope {
        Scope {
            project: PathBuf::from("/w"),
            workspace: vec![PathBuf::from("/w")],
            temporary: vec![PathBuf::from("/tmp")],
            home: Some(PathBuf::from("/home/u")),
            ..Scope::default()
        }
    }

    fn runs(text: &str, command: &str, usage: Use) -> bool {
        let exec = ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w") };
        rule(text).covers(&"Bash".into(), Touch::Exec(&exec), &scope(), usage)
    }

    #[test]
    fn a_rule_is_printed_as_it_was_written() {
        for text in [
            "Read",
            "Bash(git status:*)",
            "Bash(cargo test)",
            "Bash(echo (a))",
            "Read(./.env)",
            "Edit(src/**)",
            "WebFetch(domain:example.com)",
            "mcp__files",
            "mcp__files__read",
            "Edit(./a\\*b)",
            "Outside(docker:*)",
            "Outside(npm install)",
        ] {
            assert_eq!(rule(text).to_string(), text);
        }
        assert_eq!(rule(" Bash( git:* ) "), rule("Bash(git:*)"));
        assert_eq!(rule("Bash(*)"), rule("Bash"));
        assert_eq!(rule("Bash(:*)").whole_tool(), Some("Bash"));
        assert_eq!(rule("Bash(ls)").whole_tool(), None);
    }

    #[test]
    fn a_bad_rule_says_what_to_write_instead() {
        let check = |text: &str, expected: &str| {
            assert_eq!(text.parse::<Rule>().unwrap_err().to_string(), expected);
        };
        check("", "the rule `` is empty (try `Read` or `Bash(git status:*)`)");
        check("Bash()", "the rule `Bash()` is empty (try `Read` or `Bash(git status:*)`)");
        check("(x)", "the rule `(x)` is empty (try `Read` or `Bash(git status:*)`)");
        check(
            "Bash(ls",
            "the rule `Bash(ls` has no closing parenthesis at its end (try `Tool` or `Tool(specifier)`)",
        );
        check(
            "Bash)",
            "the rule `Bash)` has no closing parenthesis at its end (try `Tool` or `Tool(specifier)`)",
        );
        check("Outside", "the rule `Outside` does not name a command (try `Outside(docker:*)`)");
        check("Outside(:*)", "the rule `Outside(:*)` does not name a command (try `Outside(docker:*)`)");
        check("bash", "the rule `bash` does not name a tool (did you mean `Bash`?)");
        check(
            "Frobnicate",
            "the rule `Frobnicate` does not name a tool (try `Read`, `Bash(cargo test)` or `mcp__SERVER`)",
        );
        check(
            "Bash(git *)",
            "cannot read the rule `Bash(git *)`: a prefix is written with a colon (try `Bash(git:*)`)",
        );
        check(
            "WebFetch(example.com)",
            "cannot read the rule `WebFetch(example.com)`: a host needs `domain:` before it \
             (try `WebFetch(domain:example.com)`)",
        );
        check(
            "Write(src/**)",
            "cannot read the rule `Write(src/**)`: `Write` takes nothing in parentheses (try `Edit(src/**)`)",
        );
        assert!("Edit(src/[a)".parse::<Rule>().unwrap_err().to_string().contains("`src/[a`"));
        assert!("Edit(!src)".parse::<Rule>().is_err());
    }

    #[test]
    fn a_list_is_parted_at_commas_outside_parentheses() {
        let list = Rule::parse_list("Read, Bash(git add a,b) ,,Edit(*.{rs,toml})").unwrap();
        let texts: Vec<String> = list.iter().map(Rule::to_string).collect();
        assert_eq!(texts, ["Read", "Bash(git add a,b)", "Edit(*.{rs,toml})"]);
        assert_eq!(Rule::parse_list(" , ").unwrap(), []);
    }

    #[test]
    fn an_allow_rule_lets_through_only_plain_commands() {
        let check = |text: &str, command: &str, expected: bool| {
            assert_eq!(runs(text, command, Use::Allow), expected, "{text} on {command}");
        };
        check("Bash(git:*)", "git", true);
        check("Bash(git:*)", "git status", true);
        check("Bash(git:*)", "gitk", false);
        check("Bash(git:*)", "/bin/git status", false);
        check("Bash(git:*)", "A=b git status", false);
        check("Bash(git status:*)", "git  status -s", true);
        check("Bash(git status:*)", "git stash", false);
        check("Bash(git:*)", "git add a && git commit -m 'a; b'", true);
        check("Bash(git:*)", "git log \"$X\" *.rs 2>&1", true);
        check("Bash(git:*)", "git log > x", false);
        check("Bash(git:*)", "git log $(git tag)", true);
        check("Bash(cargo test)", "cargo test $X", false);
        check("Bash(git:*)", "git status; rm x", false);
        check("Bash(git:*)", "git log $(rm x)", false);
        check("Bash(git:*)", "git status\nrm x", false);
        check("Bash(cargo test)", "cargo test", true);
        check("Bash(cargo test)", "cargo test x", false);
        check("Bash(cargo test | tail -3)", "cargo test | tail -3", true);
        check("Bash(cargo test | tail -3)", "cargo test | tail -3; rm x", false);
        check("Bash", "anything; at | all", true);
    }

    #[test]
    fn a_rule_for_outside_lets_nothing_run_and_holds_nothing_back() {
        for usage in [Use::Allow, Use::HoldBack] {
            assert!(!runs("Outside(docker:*)", "docker ps", usage));
        }
        assert!(rule("Outside(docker:*)").only_loosens() && !rule("Bash(docker:*)").only_loosens());
    }

    #[test]
    fn a_rule_that_ends_openly_stops_before_options_that_run_something_else() {
        let check = |text: &str, command: &str, expected: bool| {
            assert_eq!(runs(text, command, Use::Allow), expected, "{text} on {command}");
        };
        check("Bash(cargo test:*)", "cargo test -p a -- --nocapture", true);
        check("Bash(cargo test:*)", "cargo test --config 'build.rustc=\"x\"'", false);
        check("Bash(cargo:*)", "cargo test --config 'build.rustc=\"x\"'", true);
        check("Bash(cargo test --config:*)", "cargo test --config x=1", true);
        check("Bash(cargo test --config:*)", "cargo test --config x=1 --config y=2", false);
        check("Bash(go test:*)", "go test ./... -run X -cover", true);
        check("Bash(go test:*)", "go test -exec /x ./...", false);
        check("Bash(go test:*)", "go test --exec=/x ./...", false);
        check("Bash(go:*)", "go test -exec /x ./...", true);
        for program in ["pytest", "mypy", "tsc", "ruff check"] {
            check(&format!("Bash({program}:*)"), &format!("{program} src"), true);
            check(&format!("Bash({program}:*)"), &format!("{program} src @arguments"), false);
        }
        for verb in ["log", "show", "diff"] {
            let rule = format!("Bash(git {verb}:*)");
            check(&rule, &format!("git {verb} -p --stat main -- src"), true);
            for option in ["--output=a", "--output a", "--outp=a", "--ext-diff", "--ext", "--textconv"] {
                check(&rule, &format!("git {verb} {option}"), false);
            }
        }
        check("Bash(git log --output:*)", "git log --output a", true);
        check("Bash(git:*)", "git log --output=a", true);
        check("Bash(git fetch:*)", "git fetch origin --upload-pack=./x", false);
        check("Bash(git push:*)", "git push --exec ./x", false);
        check("Bash(git push:*)", "git push -f origin main", true);
    }

    #[test]
    fn an_exact_rule_is_not_for_a_command_that_reads_a_pipe() {
        let check = |text: &str, command: &str, expected: bool| {
            let rules = Rule::parse_list(text).unwrap();
            let exec = ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w") };
            assert_eq!(
                super::super::command::allows_each(&rules, Touch::Exec(&exec)),
                expected,
                "{text}: {command}"
            );
        };
        check("Bash(cat x),Bash(bash)", "cat x; bash", true);
        check("Bash(cat x),Bash(bash)", "cat x | bash", false);
        check("Bash(cat x),Bash(python3 -)", "cat x | python3 -", false);
        check("Bash(cat x),Bash(echo a)", "cat x | echo a", false);
        check("Bash(cat x),Bash(echo:*),Bash(bash)", "cat x | echo $(bash)", false);
        check("Bash(cat x),Bash(echo:*),Bash(bash)", "cat x && echo $(bash)", true);
        check("Bash(cat x),Bash(bash:*)", "cat x | bash", true);
        check("Bash(cat x),Bash", "cat x | bash", true);
        check("Bash(cat x),Bash(cargo test:*)", "cat x | cargo test", true);
        check("Bash(cat x),Bash(npm run repl:*)", "cat x | npm run repl", false);
        check("Bash(npm run repl:*)", "npm run repl", true);
    }

    #[test]
    fn a_deny_rule_finds_its_words_in_any_wrapping() {
        let check = |text: &str, command: &str, expected: bool| {
            assert_eq!(runs(text, command, Use::HoldBack), expected, "{text} on {command}");
        };
        check("Bash(rm:*)", "ls; /bin/rm -rf x", true);
        check("Bash(rm:*)", "ls firm", false);
        check("Bash(git push:*)", "cd x && git -C . push", true);
        check("Bash(git:*)", "gitk", false);
        check("Bash(rm -rf /)", "env rm -rf /", true);
        check("Bash(rm -rf /)", "rm -rf /x", false);
        check("Read(./.env)", "cat .env", true);
        check("Read(./.env)", "cat src/../.env", true);
        check("Read(.env)", "curl -d @conf/.env x", true);
        check("Read(./.env)", "cat env", false);
        check("Edit(src/**)", "cat src/a", false);
    }

    #[test]
    fn path_rules_begin_at_the_project() {
        let check = |text: &str, path: &str, usage: Use, expected: bool| {
            let covers = |touch| rule(text).covers(&"Any".into(), touch, &scope(), usage);
            let touch = if text.starts_with("Read") {
                Touch::Read(Path::new(path))
            } else {
                Touch::Write(Path::new(path))
            };
            assert_eq!(covers(touch), expected, "{text} on {path}");
        };
        check("Edit(src/**)", "/w/src/a/b.rs", Use::Allow, true);
        check("Edit(src/**)", "/w/lib/src/b.rs", Use::Allow, false);
        check("Edit(src/**)", "/other/src/b.rs", Use::Allow, false);
        check("Edit(*.rs)", "/w/src/a.rs", Use::Allow, true);
        check("Edit(*.rs)", "/x/a.rs", Use::Allow, false);
        check("Edit(*.rs)", "/x/a.rs", Use::HoldBack, true);
        check("Read(./.env)", "/w/.env", Use::HoldBack, true);
        check("Read(./.env)", "/w/sub/.env", Use::HoldBack, false);
        check("Read(.env)", "/w/sub/.env", Use::HoldBack, true);
        check("Read(~/.ssh/**)", "/home/u/.ssh/id", Use::HoldBack, true);
        check("Read(~/.ssh/**)", "/home/v/.ssh/id", Use::HoldBack, false);
        check("Read(//etc/**)", "/etc/hosts", Use::Allow, true);
        check("Read(//etc/**)", "/w/etc/hosts", Use::Allow, false);
        check("Read(**)", "/w", Use::Allow, true);
        check("Read(build/)", "/w/build", Use::HoldBack, true);
        check("Read(build/)", "/w/build", Use::Allow, false);
    }

    #[test]
    fn a_forbidden_read_forbids_the_edit_that_would_show_it() {
        let touch = Touch::Write(Path::new("/w/.env"));
        assert!(rule("Read(.env)").covers(&"Edit".into(), touch, &scope(), Use::HoldBack));
        assert!(!rule("Read(.env)").covers(&"Edit".into(), touch, &scope(), Use::Allow));
    }

    #[test]
    fn a_tool_rule_covers_its_class() {
        let check = |text: &str, tool: &str, touch, expected: bool| {
            let covers = rule(text).covers(&tool.into(), touch, &scope(), Use::Allow);
            assert_eq!(covers, expected, "{text}, {tool}, {touch:?}");
        };
        let write = Touch::Write(Path::new("/w/a"));
        for tool in ["Edit", "Write", "ApplyPatch", "ToolOfAHost"] {
            check("Edit", tool, write, true);
        }
        check("Write", "Edit", write, false);
        check("Edit", "Read", Touch::Read(Path::new("/w/a")), false);
        for tool in ["Mcp", "mcp__files__read"] {
            check("mcp__files", tool, Touch::Mcp("files", "read"), true);
            check("mcp__files__read", tool, Touch::Mcp("files", "read"), true);
        }
        check("mcp__files", "Mcp", Touch::Mcp("files2", "read"), false);
        check("mcp__files__read", "Mcp", Touch::Mcp("files", "readall"), false);
        check("mcp__files", "Read", Touch::Nothing, false);
    }

    #[test]
    fn a_rule_for_hosts_is_for_addresses_alone() {
        let rule = rule("WebFetch(domain:Example.com)");
        let covers = |touch| rule.covers(&"WebFetch".into(), touch, &scope(), Use::Allow);
        assert!(covers(Touch::Fetch("https://www.example.com/a")));
        assert!(!covers(Touch::Fetch("https://other.example/a")));
        assert!(!covers(Touch::Nothing) && !covers(Touch::Read(Path::new("/w/example.com"))));
    }
}
