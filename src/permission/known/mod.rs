//! Commands that run unasked: lines of which it is known that they only look.
//!
//! The other half of the room holds back what may do harm; here nothing counts but what is listed. A line must have a
//! reading without doubt (`line`), each of its programs must be in a table, each option in the table's list, and every
//! file it names is handed out, for the caller to see whether that may be read. No shell is trusted to read the line as
//! it was read here: what runs is [`Known::text`], written anew, in which nothing is left to expand, to substitute or
//! to look up. The surprise: that text may say more than the line did. Secrets are taken out of what looks through
//! directories, and git is told what not to start.

mod fed;
mod files;
mod git;
mod git_config;
mod git_options;
mod glob;
mod judge;
mod line;
mod machine;
mod options;
mod revisions;
mod runs;
mod scripts;
mod search;
mod secrets;
mod shells_own;
mod sight;
mod table;
mod text;
mod tree;
mod versions;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::scope::Scope;
use crate::protocol::PassedOver;
use runs::Runs;

pub(super) use line::quoted;
pub use sight::Sight;

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
    /// The same with the words that the line had, for rules to look at.
    pub meaning: String,
    /// Every path that it names or looks through, absolute: as named, and where its links lead.
    pub reads: Vec<PathBuf>,
    /// What it does not look at where it looks through directories.
    pub passed_over: PassedOver,
}

/// The line as it may run unasked; `None` where that is not known.
///
/// `cwd` is absolute and without links. The environment of what runs must hold nothing that programs obey (`GIT_*`,
/// `BASH_ENV`, `LD_*`, `*_OPTIONS`, exported functions); that is the affair of who starts it.
pub(super) fn harmless(line: &str, cwd: &Path, scope: &Scope, sight: &Sight, table: Table) -> Option<Known> {
    beside(line, Place { cwd, scope, sight, table }, &|_, _| false)
}

/// The line as it may run where others stand beside what only looks: those whose words are vouched for. They are written
/// again as they were. The others decide how the line is sandboxed, so the table is never the full one.
pub(super) fn beside(line: &str, here: Place<'_>, vouched: Vouched<'_>) -> Option<Known> {
    let runs = judge::judged(&line::read(line)?, here, vouched)?;
    let passes_over = runs.iter().flat_map(Runs::all_words).any(secrets::are_passed_over);
    let passed_over = if passes_over { PassedOver::Secrets } else { PassedOver::Nothing };
    let mut reads: Vec<PathBuf> = runs.iter().flat_map(Runs::all_reads).collect();
    reads.sort_unstable();
    reads.dedup();
    Some(Known { text: runs::text_of(&runs), meaning: runs::meaning_of(&runs), reads, passed_over })
}

/// Says whether a command of these words, which reads a pipe or does not, may be in a line without being known.
pub(super) type Vouched<'a> = &'a dyn Fn(&[String], bool) -> bool;

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

/// Where a command would run.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub cwd: &'a Path,
    pub scope: &'a Scope,
    pub sight: &'a Sight,
    pub table: Table,
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
        self.out_of_reach(&(self.sight.program)(name, &self.sight.path)?)
    }

    /// Where a version manager's shim for a program is; none where a file could make it start a program of the project, or a
    /// command could have put there what the shim itself starts.
    fn shim(&self, name: &str) -> Option<String> {
        let is_ours = |directory: &PathBuf| directory.is_absolute() && self.out_of_reach(directory).is_some();
        let is_free = self.sight.path.iter().all(is_ours) && !versions::is_pinned(self, &versions::SHIM_PINS);
        let path = (self.sight.shim)(name, &self.sight.path).filter(|_| is_free)?;
        self.out_of_reach(&path)
    }

    /// A path that no command can have made, as text.
    fn out_of_reach(&self, path: &Path) -> Option<String> {
        let real = (self.sight.follow)(path);
        let text = path.to_str().filter(|path| path.starts_with('/') && path.chars().all(line::is_text));
        text.filter(|_| !self.scope.is_commands(path) && !self.scope.is_commands(&real)).map(str::to_owned)
    }
}
