//! Commands that run outside the sandbox.
//!
//! A rule such as `Outside(docker:*)` lets nothing run: it says how a command is held once it may. So it counts only where
//! all of the line can be read and every command in it is meant. The surprise: what the user has let out of the sandbox twice
//! is remembered while the program runs, and only then a rule is offered; a rule for a program that runs what it is told
//! (an interpreter, a builder) is never more than the very command.

use super::Policy;
use super::remember::{exact, words};
use super::rule::Rule;
use super::shell::{self, Simple, Word};
use crate::protocol::ExecAccess;

/// Programs that run what they are told to, or what the project says: outside, each of their commands is for itself.
const RUNNERS: &[&str] = &[
    "ant", "awk", "bash", "bazel", "bun", "bundle", "busybox", "cargo", "chroot", "cmake", "composer",
    "dash", "deno", "doas", "dotnet", "env", "eval", "exec", "expect", "find", "fish", "gem", "git", "go",
    "gradle", "ionice", "java", "just", "ksh", "lua", "make", "mvn", "nice", "ninja", "node", "nohup", "npm",
    "npx", "parallel", "perl", "php", "pip", "pip3", "pipx", "pnpm", "poetry", "ruby", "sbt", "script",
    "setsid", "sh", "ssh", "stdbuf", "su", "sudo", "task", "time", "timeout", "uv", "watch", "xargs", "zsh",
];

/// What an offer to run outside is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outside {
    /// What is counted: a program, or a command where the program says little.
    pub(super) about: String,
    /// The rule for it.
    pub(super) rule: String,
}

impl Policy {
    /// Whether a rule takes the command out of the sandbox.
    pub(super) fn is_freed(&self, exec: &ExecAccess) -> bool {
        is_freed(&self.rules.allow, exec)
    }
}

fn is_freed(allow: &[Rule], exec: &ExecAccess) -> bool {
    if !allow.iter().any(Rule::only_loosens) {
        return false;
    }
    let is_free = |command: &Simple| allow.iter().any(|rule| rule.frees(command));
    shell::parse(&exec.command).is_some_and(|commands| {
        commands.iter().any(is_free) && commands.iter().all(|command| is_cd(command) || is_free(command))
    })
}

/// What a rule would be about that takes this command out of the sandbox; none where no rule could.
pub(super) fn about(exec: &ExecAccess) -> Option<Outside> {
    let commands = shell::parse(&exec.command)?;
    let mut meant = commands.iter().filter(|command| !is_cd(command));
    let first = meant.next()?;
    let program = first_word(first)?;
    let is_name = program.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let outside = if is_name && !is_runner(program) && meant.all(|next| first_word(next) == Some(program)) {
        Outside { about: program.to_owned(), rule: format!("Outside({program}:*)") }
    } else {
        let mut meant = commands.iter().filter(|command| !is_cd(command));
        let text = meant.next().filter(|_| meant.next().is_none()).and_then(|only| words(&only.words))?;
        Outside { rule: exact("Outside", &text)?, about: text }
    };
    let rule: Rule = outside.rule.parse().ok()?;
    is_freed(&[rule], exec).then_some(outside)
}

fn is_runner(program: &str) -> bool {
    RUNNERS.contains(&program) || program.starts_with("python")
}

/// A change of directory is nobody's harm.
fn is_cd(command: &Simple) -> bool {
    first_word(command) == Some("cd")
}

fn first_word(command: &Simple) -> Option<&str> {
    match command.words.first()? {
        Word::Known(word) => Some(word),
        Word::Open => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn exec(command: &str) -> ExecAccess {
        ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w") }
    }

    #[test]
    fn every_command_of_the_line_must_be_meant() {
        let check = |rules: &str, command: &str, expected: bool| {
            let rules = Rule::parse_list(rules).unwrap();
            assert_eq!(is_freed(&rules, &exec(command)), expected, "{rules:?} on {command}");
        };
        check("Outside(docker:*)", "docker ps -a", true);
        check("Outside(docker:*)", "cd sub && docker build . 2>&1", true);
        check("Outside(docker:*)", "docker build . && docker run x", true);
        check("Outside(docker:*)", "docker ps | grep x", false);
        check("Outside(docker:*),Outside(jq:*)", "docker inspect x | jq .", true);
        check("Outside(docker:*)", "docker run $(cat x)", false);
        check("Outside(docker:*)", "docker run > log", false);
        check("Outside(docker:*)", "docker-compose up", false);
        check("Outside(docker:*)", "env docker ps", false);
        check("Outside(docker:*)", "A=b docker ps", false);
        check("Outside(docker:*)", "docker ps &", false);
        check("Outside(docker:*)", "docker ps; rm -rf /", false);
        check("Outside(docker:*)", "cd x", false);
        check("Outside(docker:*)", "if true; then docker ps; fi", false);
        check("Outside(npm install)", "npm install", true);
        check("Outside(npm install)", "npm install x", false);
        check("Bash(docker:*),Bash", "docker ps", false);
    }

    #[test]
    fn the_rule_is_for_a_program_that_does_its_own_work_and_else_for_the_command() {
        let check = |command: &str, expected: Option<&str>| {
            assert_eq!(about(&exec(command)).map(|outside| outside.rule).as_deref(), expected, "{command}");
        };
        check("docker compose up -d", Some("Outside(docker:*)"));
        check("cd x && docker build . && docker push y", Some("Outside(docker:*)"));
        check("gh pr create --title 'a b'", Some("Outside(gh:*)"));
        check("npm install", Some("Outside(npm install)"));
        check("npm install 'a b'", None);
        check("git push origin main", Some("Outside(git push origin main)"));
        check("python3.12 -m pip install x", Some("Outside(python3.12 -m pip install x)"));
        check("cargo fetch && cargo test", None);
        check("docker ps | grep x", None);
        check("sudo docker ps", Some("Outside(sudo docker ps)"));
        check("/usr/bin/docker ps", Some("Outside(/usr/bin/docker ps)"));
        check("docker ps > x", None);
        check("cd x", None);
        check("$X", None);
    }
}
