//! Commands whose harm cannot be undone, recognised by their words.
//!
//! Two strengths. [`is_careful`] only moves the focus of a question to No, so it may say yes too often.
//! [`deletes_outside`] asks even in `bypass`, so it says yes only where the words leave no doubt: a recursive delete,
//! and a target that is known to lie outside.

use std::path::{Path, PathBuf};

use crate::protocol::ExecAccess;

use super::scope::Scope;
use super::words::{name, segments};

/// Programs that make a question careful wherever they stand, behind `xargs` or in quotes too.
const PROGRAMS: [&str; 23] = [
    "rm", "unlink", "shred", "dd", "mkfs", "wipefs", "fdisk", "parted", "truncate", "sudo", "doas", "su",
    "kill", "pkill", "killall", "reboot", "shutdown", "poweroff", "halt", "chown", "dropdb", "mkswap",
    "crontab",
];

/// Verbs of programs, where a verb stands: `git push`, `docker system prune`; not in a commit's message.
const VERBS: [&str; 16] = [
    "push",
    "reset",
    "clean",
    "restore",
    "rebase",
    "publish",
    "deploy",
    "destroy",
    "prune",
    "drop",
    "delete",
    "purge",
    "uninstall",
    "yank",
    "apply",
    "rm",
];

/// Options that say it themselves.
const OPTIONS: [&str; 5] = ["--force", "--hard", "--force-with-lease", "-delete", "--delete"];

/// Short options that overwrite or throw away, after the words with which they do.
const OPTIONS_OF: [(&str, &[&str]); 5] = [
    ("git", &["-f", "-D"]),
    ("checkout", &["--", ".", "-f"]),
    ("mv", &["-f"]),
    ("cp", &["-f"]),
    ("ln", &["-f", "-sf", "-fs"]),
];

/// Whether the command may do what cannot be undone.
pub(super) fn is_careful(command: &str) -> bool {
    segments(command).iter().any(|words| {
        let has = |wanted: &str| words.iter().any(|word| word == wanted);
        words.iter().any(|word| PROGRAMS.contains(&name(word)) || name(word).starts_with("mkfs."))
            || verbs(words).any(|word| VERBS.contains(&word))
            || OPTIONS.iter().any(|option| has(option))
            || OPTIONS_OF.iter().any(|(head, options)| has(head) && options.iter().any(|option| has(option)))
    })
}

/// The two words after the first that are neither options nor what may be a short option's value.
fn verbs(words: &[String]) -> impl Iterator<Item = &str> {
    let is_value = |before: &String| before == "--" || (before.starts_with('-') && !before.starts_with("--"));
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .filter(move |(before, word)| !word.starts_with('-') && !is_value(before))
        .map(|(_, word)| word.as_str())
        .take(2)
}

/// The first target of a recognised recursive delete that lies outside the workspace and the temporary directories.
pub(super) fn deletes_outside(exec: &ExecAccess, scope: &Scope) -> Option<String> {
    let segments = segments(&exec.command);
    let removes = segments.iter().flatten().any(|word| name(word) == "rm" || word == "-delete");
    let mut cwd = Some(exec.cwd.clone());
    segments.iter().find_map(|words| {
        if let Some(left) = change_of_directory(words) {
            cwd = cwd.as_deref().and_then(|cwd| scope.path_of(cwd, left));
            return None;
        }
        let cwd = cwd.as_deref()?;
        targets(words, removes).find(|word| is_outside(cwd, word, scope)).map(str::to_owned)
    })
}

/// Where `cd` goes.
fn change_of_directory(words: &[String]) -> Option<&str> {
    let (head, rest) = words.split_first()?;
    (head == "cd" || head == "pushd")
        .then(|| rest.iter().find(|word| !word.starts_with('-')).map_or("~", String::as_str))
}

/// What the words would delete with all that is below, if they do.
fn targets(words: &[String], removes: bool) -> impl Iterator<Item = &str> {
    words.iter().enumerate().flat_map(move |(index, word)| {
        let arguments = words.get(index + 1..).unwrap_or_default();
        match name(word) {
            "rm" if arguments.iter().any(|word| is_recursive(word)) => {
                operands(arguments, |word| word.starts_with('-'), arguments.len())
            }
            "find" if removes => {
                let begin = |word: &str| word.starts_with('-') || word == "!";
                let starts = arguments.iter().take_while(|word| !begin(word)).count();
                operands(arguments, |_| false, starts)
            }
            _ => Vec::new(),
        }
    })
}

fn operands(words: &[String], skip: impl Fn(&str) -> bool, count: usize) -> Vec<&str> {
    words.iter().take(count).map(String::as_str).filter(|word| !skip(word)).collect()
}

fn is_recursive(word: &str) -> bool {
    let long = word.len() > 3 && "--recursive".starts_with(word);
    let short =
        word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(['r', 'R']));
    long || short
}

fn is_outside(cwd: &Path, word: &str, scope: &Scope) -> bool {
    let known: Option<PathBuf> = scope.path_of(cwd, word);
    known.map_or_else(
        || word == "~" || word.starts_with("~/") || word == "$HOME" || word.starts_with("$HOME/"),
        |path| scope.inside(&path).is_none() && !scope.is_temporary(&path),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        Scope {
            project: PathBuf::from("/w"),
            workspace: vec![PathBuf::from("/w")],
            temporary: vec![PathBuf::from("/tmp")],
            home: Some(PathBuf::from("/home/u")),
            ..Scope::default()
        }
    }

    #[test]
    fn a_recursive_delete_outside_is_recognised_in_many_forms() {
        let check = |command: &str, expected: Option<&str>| {
            let exec = ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w/src") };
            assert_eq!(deletes_outside(&exec, &scope()).as_deref(), expected, "{command}");
        };
        check("rm -rf /", Some("/"));
        check("rm -rf ~", Some("~"));
        check("rm -r ~/x", Some("~/x"));
        check("rm -rf \"$HOME\"/x", Some("$HOME/x"));
        check("rm -fR ${HOME}", Some("$HOME"));
        check("rm --recursive --force /etc", Some("/etc"));
        check("sudo rm -rf build /usr/lib", Some("/usr/lib"));
        check("/bin/rm -rf ../../other", Some("../../other"));
        check("rm ../../other -rf", Some("../../other"));
        check("bash -c 'rm -rf /opt/*'", Some("/opt/*"));
        check("cd / && rm -rf *", Some("*"));
        check("cd; rm -rf x", Some("x"));
        check("find / -name x -delete", Some("/"));
        check("find /etc /w -type f -exec rm {} +", Some("/etc"));
        check("find ~ -name '*.o' | xargs rm", Some("~"));
        check("true; r''m -rf /", Some("/"));
    }

    #[test]
    fn a_delete_inside_or_a_plain_one_is_not() {
        let scope = scope();
        for command in [
            "rm -rf build",
            "rm -rf ../target",
            "rm -rf /tmp/x",
            "rm -rf $TMPDIR/x",
            "rm /etc/x",
            "rm -f ~/x",
            "find . -delete",
            "find /etc -name rm.conf",
            "cd /w/lib && rm -rf x",
            "ls -r /",
            "rm -rf \"$BUILD\"",
            "cd $X && rm -rf y",
            "echo -r /etc",
            "rmdir /x -r",
        ] {
            let exec = ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w/src") };
            assert_eq!(deletes_outside(&exec, &scope), None, "{command}");
        }
    }

    #[test]
    fn harm_that_cannot_be_undone_is_told_from_ordinary_work() {
        let careful = [
            "rm x",
            "git push",
            "git -C dir push",
            "git reset --hard",
            "cargo publish --dry-run",
            "sudo ls",
            "dd if=a of=b",
            "mkfs.ext4 x",
            "git branch -D x",
            "npm i --force",
            "make && git clean -fdx",
            "find . -delete",
            "mv -f a b",
            "git stash drop",
            "docker system prune",
            "ls | xargs rm",
            "bash -c 'rm x'",
            "/usr/bin/sudo ls",
            "git checkout -- x",
        ];
        for command in careful {
            assert!(is_careful(command), "{command}");
        }
        let ordinary = [
            "cargo test",
            "git commit -m 'clean up and delete the reset button'",
            "tail -f log",
            "grep -rf x",
            "npm install",
            "git checkout -b x",
            "git log --oneline",
            "cargo test -- delete",
            "ls clean.rs",
        ];
        for command in ordinary {
            assert!(!is_careful(command), "{command}");
        }
    }
}
