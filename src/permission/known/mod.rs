//! Commands that run unasked: lines of which it is known that they only look.
//!
//! The other half of the room holds back what may do harm; here nothing counts but what is listed. A line must have a
//! reading without doubt (`line`), each of its programs must be in a table, each option in the table's list, and every
//! file it names is handed out, for the caller to see whether that may be read. No shell is trusted to read the line as
//! it was read here: what runs is [`Known::text`], written anew, in which nothing is left to expand, to substitute or
//! to look up. The surprise: that text may say more than the line did. Secrets are taken out of what looks through
//! directories, and git is told what not to start.

mod files;
mod git;
mod git_config;
mod git_options;
mod glob;
mod line;
mod machine;
mod options;
mod revisions;
mod scripts;
mod search;
mod secrets;
mod shells_own;
mod sight;
mod table;
mod text;
mod versions;

#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};

use super::scope::Scope;
use crate::protocol::PassedOver;
use line::{Joint, Redirection, Word, Written};
use options::{Command, Home};

pub(super) use line::quoted;
pub use sight::Sight;

/// Commands in a line, more than anybody writes.
const MOST_COMMANDS: usize = 50;

/// Which commands are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// All: a sandbox holds them in which nothing can be written and nobody be reached.
    Full,
    /// Those that may stand in a line whose sandbox lets another command write.
    Beside,
    /// The few that need no sandbox.
    Bare,
}

/// A line that is known to be harmless, as long as what it reads may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    /// What runs, for `bash --noprofile --norc -c` or any other shell. Programs stand in it with their paths.
    pub text: String,
    /// Every path that it names or looks through, absolute: as named, and where its links lead.
    pub reads: Vec<PathBuf>,
    /// Where its `cd` goes, absolute and without links.
    pub moves: Option<PathBuf>,
    /// What it does not look at where it looks through directories.
    pub passed_over: PassedOver,
}

/// The line as it may run unasked; `None` where that is not known.
///
/// `cwd` is absolute and without links. The environment of what runs must hold nothing that programs obey (`GIT_*`,
/// `BASH_ENV`, `LD_*`, `*_OPTIONS`, exported functions); that is the affair of who starts it.
pub(super) fn harmless(line: &str, cwd: &Path, scope: &Scope, sight: &Sight, table: Table) -> Option<Known> {
    known(line, Place { cwd, scope, sight }, (table, &|_, _| false))
}

/// The line as it may run where others stand beside what only looks: those whose words are vouched for. They are written
/// anew as they were. The others decide how the line is held, so `table` is never the full one.
pub(super) fn beside(line: &str, here: Place<'_>, table: Table, vouched: Vouched<'_>) -> Option<Known> {
    known(line, here, (table, vouched))
}

/// Says whether a command of these words, which reads a pipe or does not, may be in a line without being known.
pub(super) type Vouched<'a> = &'a dyn Fn(&[String], bool) -> bool;

fn known(line: &str, here: Place<'_>, by: (Table, Vouched<'_>)) -> Option<Known> {
    let (moves, commands) = judged(line, here, by)?;
    let text = text_of(moves.as_deref(), &commands)?;
    let passes_over = commands.iter().any(|command| secrets::are_passed_over(&command.words));
    let passed_over = if passes_over { PassedOver::Secrets } else { PassedOver::Nothing };
    let mut reads: Vec<PathBuf> = moves.iter().cloned().collect();
    reads.extend(commands.into_iter().flat_map(|command| command.reads));
    reads.sort_unstable();
    reads.dedup();
    Some(Known { text, reads, moves, passed_over })
}

/// A command whose words are known to be harmless.
#[derive(Debug, Default)]
struct Judged {
    /// What it is given, with what was added.
    words: Vec<String>,
    /// What it looks at, absolute.
    reads: Vec<PathBuf>,
}

impl Judged {
    /// Words that run as they are and look at nothing.
    fn of(words: &[String]) -> Self {
        Self { words: words.to_vec(), reads: Vec::new() }
    }
}

/// A command that may run.
#[derive(Debug)]
struct Runs {
    joint: Joint,
    /// All its words, as bash would make them of the line.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests hold it against what bash makes of the line"))]
    meant: Vec<String>,
    /// All its words, as they run.
    words: Vec<String>,
    redirections: Vec<Redirection>,
    reads: Vec<PathBuf>,
}

/// Where a command would run.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub cwd: &'a Path,
    pub scope: &'a Scope,
    pub sight: &'a Sight,
}

impl Place<'_> {
    /// The paths that these words name, as named and where they lead; `-` and `/dev/null` are none.
    fn reads(&self, words: &[String]) -> Vec<PathBuf> {
        let named = words.iter().filter(|word| !matches!(word.as_str(), "-" | "/dev/null"));
        named.flat_map(|word| self.paths_of(word)).collect()
    }

    fn paths_of(&self, word: &str) -> Vec<PathBuf> {
        let path = self.cwd.join(word);
        let follow = self.sight.follow;
        let named = path.parent().zip(path.file_name()).map(|(parent, name)| follow(parent).join(name));
        let mut paths = vec![follow(&path)];
        paths.extend(named.filter(|named| Some(named) != paths.first()));
        paths
    }

    /// Where a program is; none where a command may have put it there.
    fn program(&self, name: &str) -> Option<String> {
        let path = (self.sight.program)(name, &self.sight.path)?;
        let real = (self.sight.follow)(&path);
        let text = path.to_str().filter(|path| path.starts_with('/') && path.chars().all(line::is_text));
        text.filter(|_| !self.scope.is_commands(&path) && !self.scope.is_commands(&real)).map(str::to_owned)
    }
}

/// A line's commands, and where its `cd` goes.
type Line = (Option<PathBuf>, Vec<Runs>);

fn judged(line: &str, here: Place<'_>, (table, vouched): (Table, Vouched<'_>)) -> Option<Line> {
    let mut written = line::read(line).filter(|commands| commands.len() <= MOST_COMMANDS)?;
    let moves = match take_cd(&mut written) {
        Some(cd) => Some(target(&cd, written.first(), &here)?),
        None => None,
    };
    let place = Place { cwd: moves.as_deref().unwrap_or(here.cwd), ..here };
    let runs = |command| runs(command, &place, table).or_else(|| stands(command, vouched));
    let commands: Option<Vec<Runs>> = written.iter().map(runs).collect();
    Some((moves, commands?))
}

/// Takes a leading `cd` away.
fn take_cd(written: &mut Vec<Written>) -> Option<Written> {
    let name = written.first()?.words.first().and_then(Word::literal);
    (name.as_deref() == Some("cd")).then(|| written.remove(0))
}

/// The directory that a `cd` goes to, which must be in the workspace.
fn target(cd: &Written, next: Option<&Written>, place: &Place<'_>) -> Option<PathBuf> {
    let [_, to] = cd.words.as_slice() else { return None };
    let to = to.literal().filter(|to| !to.is_empty() && !to.starts_with('-'))?;
    // further up than at its beginning a shell goes by the words of a path, the system by its links
    let mut parts = Path::new(&to).components().skip_while(|part| *part == Component::ParentDir);
    let is_plain = cd.redirections.is_empty() && parts.all(|part| part != Component::ParentDir);
    let goes_on = next.is_none_or(|next| next.joint == Joint::And);
    let target = (place.sight.follow)(&place.cwd.join(to));
    (is_plain && goes_on && place.scope.inside(&target).is_some()).then_some(target)
}

fn runs(written: &Written, place: &Place<'_>, table: Table) -> Option<Runs> {
    let (name, words) = written.words.split_first()?;
    let name = name.literal()?;
    let mut meant = Vec::new();
    let mut reads = Vec::new();
    for word in words {
        let spread = glob::spread(word, place.cwd, place.sight)?;
        // a program that opens none of them still says which there are
        if word.literal().is_none() {
            reads.extend(place.reads(&spread));
        }
        meant.extend(spread);
    }
    let command = table::find(&name, table)?;
    let judged = command.judge(&meant, place)?;
    reads.extend(judged.reads);
    let mut words = vec![program(command, place)?];
    words.extend(judged.words);
    meant.insert(0, name);
    Some(Runs { joint: written.joint, meant, words, redirections: written.redirections.clone(), reads })
}

/// A command that is vouched for, as it is written: nothing in it is a pattern.
fn stands(written: &Written, vouched: Vouched<'_>) -> Option<Runs> {
    let words: Vec<String> = written.words.iter().map(Word::literal).collect::<Option<_>>()?;
    vouched(&words, written.joint == Joint::Pipe).then(|| Runs {
        joint: written.joint,
        meant: words.clone(),
        words,
        redirections: written.redirections.clone(),
        reads: Vec::new(),
    })
}

/// The word that starts it: a path, or the name of what is a part of every shell.
fn program(command: &Command, place: &Place<'_>) -> Option<String> {
    match command.home {
        Home::Shell => Some(command.name.to_owned()),
        Home::Program => place.program(command.program),
    }
}

/// The line as it runs.
fn text_of(moves: Option<&Path>, commands: &[Runs]) -> Option<String> {
    let mut text = String::new();
    for (at, command) in commands.iter().enumerate() {
        if at > 0 {
            text.push_str(command.joint.text());
        }
        let words: Vec<String> = command.words.iter().map(|word| quoted(word)).collect();
        text.push_str(&words.join(" "));
        for redirection in &command.redirections {
            text.push(' ');
            text.push_str(redirection.text());
        }
    }
    let Some(to) = moves else { return Some(text) };
    let to = to.to_str().filter(|to| to.chars().all(line::is_text))?;
    // what does not hang on the `cd` by `&&` would run where nobody has looked if that failed
    let hangs = commands.iter().all(|command| matches!(command.joint, Joint::And | Joint::Pipe));
    Some(match (commands.is_empty(), hangs) {
        (true, _) => format!("cd {}", quoted(to)),
        (false, true) => format!("cd {} && {text}", quoted(to)),
        (false, false) => format!("cd {} && {{ {text}; }}", quoted(to)),
    })
}
