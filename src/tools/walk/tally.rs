//! What a walk did not show: counted, with one example of each.

use std::path::{Path, PathBuf};

use super::Names;
use crate::text::units;

/// Characters of a name or a reason that a note has room for.
const LONGEST: usize = 120;

/// What the threads of a walk came across and passed over.
#[derive(Debug, Default)]
pub(in crate::tools) struct Tally {
    /// What could not be read.
    pub(in crate::tools) unread: Unread,
    /// What an ignore file names.
    pub(in crate::tools) ignored: LeftOut,
}

/// Files and directories that could not be read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(in crate::tools) struct Unread {
    count: u64,
    /// The first by name, whichever thread came first, and why.
    first: Option<(PathBuf, String)>,
}

/// Files and directories that an ignore file names; what is inside such a directory is not counted.
#[derive(Debug, Default)]
pub(in crate::tools) struct LeftOut {
    pub(in crate::tools) count: u64,
    first: Option<(PathBuf, Rule)>,
}

/// A line of an ignore file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) line: String,
    pub(super) file: Option<PathBuf>,
}

impl Tally {
    pub(super) fn add(&mut self, other: Self) {
        self.unread.add(other.unread);
        self.ignored.count += other.ignored.count;
        keep_first(&mut self.ignored.first, other.ignored.first);
    }
}

impl Unread {
    pub(in crate::tools) fn push(&mut self, path: &Path, why: &str) {
        self.add(Self { count: 1, first: Some((path.to_owned(), why.to_owned())) });
    }

    pub(in crate::tools) fn add(&mut self, other: Self) {
        self.count += other.count;
        keep_first(&mut self.first, other.first);
    }

    /// A line that tells of them, if there are any.
    pub(in crate::tools) fn note(&self, names: &Names) -> Option<String> {
        let (path, why) = self.first.as_ref()?;
        let (name, why) = (shortened(&names.shown(path)), shortened(why));
        Some(match self.count {
            1 => format!("[not searched: {name}: {why}]"),
            count => format!("[not searched: {} places, such as {name}: {why}]", units::count(count)),
        })
    }
}

impl LeftOut {
    pub(super) fn push(&mut self, path: &Path, rule: &ignore::gitignore::Glob) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|(first, _)| path < first.as_path()) {
            let rule = Rule { line: rule.original().to_owned(), file: rule.from().map(Path::to_owned) };
            self.first = Some((path.to_owned(), rule));
        }
    }

    /// The first of them by name, and the line that names it.
    pub(in crate::tools) fn example(&self, names: &Names) -> Option<String> {
        let (path, rule) = self.first.as_ref()?;
        let file = rule.file.as_ref().map(|file| format!(" in {}", names.shown(file))).unwrap_or_default();
        Some(format!("{} by `{}`{file}", shortened(&names.shown(path)), shortened(&rule.line)))
    }
}

fn keep_first<T>(first: &mut Option<(PathBuf, T)>, other: Option<(PathBuf, T)>) {
    if let Some(other) = other
        && first.as_ref().is_none_or(|(path, _)| other.0 < *path)
    {
        *first = Some(other);
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start}…"),
        None => text.to_owned(),
    }
}
