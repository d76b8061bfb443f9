//! Commands whose harm cannot be undone.
//!
//! Three strengths. [`is_careful`] only moves the focus of a question to No, so it may say yes too often. [`destroys`] keeps
//! a command from running unasked, and says in words what would be lost; in doubt it says yes. [`deletes_outside`] asks
//! even in `bypass`: a recursive delete, and a target that lies outside or of which nothing is known. Paths are judged where they lead: variables put in, links followed. Beside them [`changed()`] names what rules about
//! edits are held against.

mod archives;
mod args;
mod changed;
mod copied;
mod deed;
mod files;
mod git;
mod searched;
mod whole;
mod written;

use std::path::{Path, PathBuf};

use crate::protocol::ExecAccess;

pub(super) use self::changed::{Changed, changed};
use self::deed::{Deed, Kind, What, is_litter};
pub(super) use self::searched::{Searched, searched};
pub(super) use self::whole::copied_whole;
use super::scope::{Found, Scope, clean};
use super::script::{self, BELOW, Command, UNKNOWN};
use super::words::{name, segments};

/// Programs that make a question careful wherever they stand, behind `xargs` or in quotes too.
const PROGRAMS: [&str; 23] = [
    "rm", "unlink", "shred", "dd", "mkfs", "wipefs", "fdisk", "parted", "truncate", "sudo", "doas", "su",
    "kill", "pkill", "killall", "reboot", "shutdown", "poweroff", "halt", "chown", "dropdb", "mkswap",
    "crontab",
];

/// Verbs of programs, where a verb stands: `git push`, `docker system prune`; not in a commit's message.
const VERBS: [&str; 24] = [
    "delete-object",
    "flush",
    "fresh",
    "rb",
    "remove",
    "rmi",
    "terminate-instances",
    "unpublish",
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

/// Words of other languages, which take a table or a store away.
const PHRASES: [&str; 7] =
    ["drop table", "drop database", "drop schema", "delete from", "truncate table", "flushall", "flushdb"];

/// Short options that overwrite or throw away, after the words with which they do.
const OPTIONS_OF: [(&str, &[&str]); 9] = [
    ("curl", &["DELETE", "-XDELETE"]),
    ("gh", &["DELETE", "-XDELETE"]),
    ("tag", &["-d"]),
    ("down", &["-v", "--volumes"]),
    ("git", &["-f", "-D"]),
    ("checkout", &["--", ".", "-f"]),
    ("mv", &["-f"]),
    ("cp", &["-f"]),
    ("ln", &["-f", "-sf", "-fs"]),
];

/// Whether the command may do what cannot be undone: its words say so, or it names something outside that it would change.
pub(super) fn is_careful(exec: &ExecAccess, scope: &Scope) -> bool {
    sounds_careful(&exec.command) || changes_outside(exec, scope).is_some()
}

/// What the command would change outside of all that commands may change, as a sentence; none where nothing is known to be.
pub(super) fn changes_outside(exec: &ExecAccess, scope: &Scope) -> Option<String> {
    let all = changed(exec, scope);
    let far =
        all.iter().map(Changed::path).find(|path| is_outside(path, scope) && !scope.is_commands(path))?;
    // something below a directory has no name
    let named = far.parent().filter(|_| far.ends_with(UNKNOWN.encode_utf8(&mut [0; 4]))).unwrap_or(far);
    Some(format!("changes {}", shown(named, scope).replace(UNKNOWN, "…")))
}

fn sounds_careful(command: &str) -> bool {
    let lower = command.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase))
        || segments(command).iter().any(|words| {
            let has = |wanted: &str| words.iter().any(|word| word == wanted);
            words.iter().any(|word| PROGRAMS.contains(&name(word)) || name(word).starts_with("mkfs."))
                || verbs(words).any(|word| VERBS.contains(&word.rsplit(':').next().unwrap_or(word)))
                || OPTIONS.iter().any(|option| has(option))
                || OPTIONS_OF
                    .iter()
                    .any(|(head, options)| has(head) && options.iter().any(|option| has(option)))
        })
}

/// The three words after the first that are neither options nor what may be a short option's value.
fn verbs(words: &[String]) -> impl Iterator<Item = &str> {
    let is_value = |before: &String| before == "--" || (before.starts_with('-') && !before.starts_with("--"));
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .filter(move |(before, word)| !word.starts_with('-') && !is_value(before))
        .map(|(_, word)| word.as_str())
        .take(3)
}

/// The target of a recursive delete that asks in every mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// It is outside the workspace and the temporary directories, or the workspace itself.
    Outside(PathBuf),
    /// Only the shell knows it: it is read from a file, or handed to a function.
    Unknown,
}

/// The first recursive delete that asks in every mode.
pub(super) fn deletes_outside(exec: &ExecAccess, scope: &Scope) -> Option<Target> {
    let commands = script::read(exec, scope);
    let made: Vec<_> = commands.iter().flat_map(|command| links_made(command, scope)).collect();
    let target = |command: &Command| {
        files::deeds(command).into_iter().find_map(|deed| {
            let Deed::Deletes(what) = deed else { return None };
            let (word, is_tree) = match &what {
                What::Tree(word) => (word, true),
                What::Below(word, _) => (word, false),
                What::File(_) | What::Within(_) => return None,
            };
            if is_unknown(&what, word, command) {
                return Some(Target::Unknown);
            }
            let path = place(word, command, scope)?;
            let is_entered = !is_tree || leads_on(word);
            let path = made.iter().find_map(|link| link.followed(&path, is_entered)).unwrap_or(path);
            let is_itself = is_tree && scope.workspace.contains(&path);
            (is_itself || is_outside(&path, scope)).then_some(Target::Outside(path))
        })
    };
    commands.iter().find_map(target)
}

/// Whether the target of a recursive delete is all unknown. Of `$X/build` the name says what it is.
fn is_unknown(what: &What, word: &str, command: &Command) -> bool {
    let is_any = |part: &str| part.chars().all(|c| matches!(c, '/' | '.' | '*' | UNKNOWN));
    let names_nothing = word.contains(UNKNOWN) || (command.cwd.is_none() && !word.starts_with('/'));
    let follows = || {
        let search = command.source.as_ref().unwrap_or(&command.words);
        search.iter().any(|word| matches!(word.as_str(), "-L" | "-follow" | "--follow"))
    };
    // names alone, wherever it looks
    let lists_names = |source: &Vec<String>| {
        script::program(source) == "ls" && !source.iter().any(|word| word == "-d")
            || matches!(source.as_slice(), [git, verb, ..] if git == "git" && verb == "ls-files")
    };
    if command.source.as_ref().is_some_and(lists_names) {
        return false;
    }
    match what {
        What::Below(_, Kind::Litter) => false,
        What::Below(_, Kind::Any) => (names_nothing && is_any(word)) || follows(),
        What::Tree(_) | What::File(_) | What::Within(_) => names_nothing && is_any(word),
    }
}

/// A symbolic link that the line itself makes.
struct Link {
    path: PathBuf,
    target: PathBuf,
}

impl Link {
    /// Where a path leads through it: to what is below it, or where it is entered to its target.
    fn followed(&self, path: &Path, is_entered: bool) -> Option<PathBuf> {
        let below = path.strip_prefix(&self.path).ok()?;
        let is_through = is_entered || !below.as_os_str().is_empty();
        is_through.then(|| clean(&self.target.join(below)))
    }
}

fn links_made(command: &Command, scope: &Scope) -> Vec<Link> {
    let rest = command.words.get(1..).unwrap_or_default();
    let made = if script::program(&command.words) == "ln" { copied::links(rest) } else { Vec::new() };
    let link = |(name, target): (String, String)| {
        let path = place(&name, command, scope)?;
        // a link is made in an existing directory, not in its place
        let is_new = scope.exists.at(&path) != Found::Directory;
        let target = scope.links.follow(&path.parent()?.join(target));
        is_new.then_some(Link { path, target })
    };
    made.into_iter().filter_map(link).collect()
}

/// What would be lost by the command, as a sentence; none where nothing is known to be.
pub(super) fn destroys(exec: &ExecAccess, scope: &Scope) -> Option<String> {
    let commands = script::read(exec, scope);
    let lost = |command: &Command| {
        let mut deeds = files::deeds(command).into_iter();
        deeds.find_map(|deed| loss(&deed, command, scope))
    };
    commands.iter().find_map(lost)
}

/// What would be lost by one deed.
fn loss(deed: &Deed, command: &Command, scope: &Scope) -> Option<String> {
    match deed {
        Deed::Other(what) => Some((*what).to_owned()),
        Deed::Deletes(what) => deleted(what, command, scope),
        Deed::Replaces(What::File(word)) => replaced(word, Found::File, command, scope),
        Deed::Replaces(What::Tree(word)) => {
            let found = scope.exists.at(&place(word, command, scope)?);
            replaced(word, found, command, scope)
        }
        Deed::Replaces(What::Below(..) | What::Within(_)) | Deed::Changes(_) => None,
    }
}

fn deleted(what: &What, command: &Command, scope: &Scope) -> Option<String> {
    let at = |word: &String| place(word, command, scope);
    match what {
        What::Below(_, Kind::Litter) | What::Within(_) => None,
        What::Below(word, Kind::Any) => match at(word) {
            None => Some("deletes files whose names are known only at run time".to_owned()),
            Some(path) if is_dispensable(&path, scope) => None,
            Some(path) => Some(format!("deletes files in {}", shown(&path, scope))),
        },
        What::Tree(word) | What::File(word) => {
            let verb = if matches!(what, What::Tree(_)) { "recursively deletes" } else { "deletes" };
            match at(word) {
                None => Some("deletes files whose names are known only at run time".to_owned()),
                Some(path) if is_dispensable(&path, scope) || !is_there(word, &path, scope) => None,
                Some(path) => Some(format!("{verb} {}", shown(&path, scope))),
            }
        }
    }
}

/// What stands where something else is put, where it is of the kind that is lost.
fn replaced(word: &str, kind: Found, command: &Command, scope: &Scope) -> Option<String> {
    if let Some(start) = word.strip_suffix(BELOW) {
        let path = place(start, command, scope).filter(|path| !is_dispensable(path, scope))?;
        return Some(format!("overwrites files in {}", shown(&path, scope)));
    }
    let path = place(word, command, scope)?;
    let is_lost = kind != Found::Nothing && !is_dispensable(&path, scope) && scope.exists.at(&path) == kind;
    let verb = if kind == Found::Directory { "overwrites everything in" } else { "overwrites" };
    is_lost.then(|| format!("{verb} {}", shown(&path, scope)))
}

/// Whether something is there. What a pattern finds is known to the shell alone.
fn is_there(word: &str, path: &Path, scope: &Scope) -> bool {
    word.contains(['*', '?', '[']) || scope.exists.at(path) != Found::Nothing
}

/// Where a word of a command leads; `None` where only the shell knows. What is deleted by name is the link and not what it
/// leads to, so the last part is followed only where the word says that it is a directory.
fn place(word: &str, command: &Command, scope: &Scope) -> Option<PathBuf> {
    let known = word.split(UNKNOWN).next().unwrap_or(word);
    if known.len() < word.len() {
        return beyond_doubt(known, command, scope);
    }
    let path = match (&command.cwd, word.starts_with('/')) {
        (_, true) => PathBuf::from(word),
        (Some(cwd), false) => cwd.join(word),
        (None, false) => return None,
    };
    let follow = |path: &Path| scope.links.follow(path);
    Some(match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !leads_on(word) => follow(parent).join(name),
        _ => clean(&follow(&path)),
    })
}

/// Whether a word says that it is a directory.
fn leads_on(word: &str) -> bool {
    matches!(word.rsplit('/').next(), Some("" | "." | ".."))
}

/// The directory of a path whose end is not known, where nothing that might follow leads back into the workspace by itself.
fn beyond_doubt(known: &str, command: &Command, scope: &Scope) -> Option<PathBuf> {
    let (directory, _) = known.rsplit_once('/')?;
    let directory = if directory.is_empty() { return None } else { place(directory, command, scope)? };
    let holds = |root: &PathBuf| root.starts_with(&directory);
    let is_above = scope.workspace.iter().chain(&scope.temporary).any(holds);
    (!is_above && is_outside(&directory, scope)).then(|| clean(&directory))
}

fn is_outside(path: &Path, scope: &Scope) -> bool {
    scope.inside(path).is_none() && !scope.is_temporary(path)
}

/// Whether it is a device that keeps nothing of what is written to it.
fn swallows(path: &Path) -> bool {
    const SWALLOW: [&str; 5] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"];
    SWALLOW.iter().any(|device| path == Path::new(device)) || path.starts_with("/dev/fd")
}

/// Whether nobody misses it: what is temporary, what a build makes anew, and devices that swallow everything.
fn is_dispensable(path: &Path, scope: &Scope) -> bool {
    if swallows(path) {
        return true;
    }
    match scope.inside(path) {
        Some(below) => {
            below.iter().any(|name| is_litter(&name.to_string_lossy())) && !below.starts_with(".git")
        }
        None => scope.is_temporary(path),
    }
}

/// A path for a sentence: short inside, whole outside.
fn shown(path: &Path, scope: &Scope) -> String {
    match scope.inside(path) {
        Some(below) if below.as_os_str().is_empty() => "the workspace".to_owned(),
        Some(below) => format!("`{}`", below.display()),
        None => format!("`{}`, outside the workspace", path.display()),
    }
}

#[cfg(test)]
mod tests;
