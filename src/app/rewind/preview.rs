//! What a rewind would change, before anything is changed: a row for each file, and what it does not reach.
//!
//! It says what would happen and not what has: a file that was made since is told as one that goes. The surprise: a file whose
//! last change was not the session's is told so, as far as that is known, and is put back all the same if the user wants it.

use std::path::PathBuf;

use super::{Going, Place};
use crate::os::file::read_regular;
use crate::protocol::{SavedKind, Was};
use crate::text::diff::diff;
use crate::workbench::Blobs;
use crate::workbench::restore::{self, Difference, Hand, Plan, Present};

/// A larger file is told of and not compared.
const MOST: u64 = 4 * 1024 * 1024;
/// Files of which lines are counted; nobody reads more rows.
const COUNTED: usize = 100;

/// What a rewind to a message would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The position of the message.
    pub to: usize,
    /// What was said there.
    pub words: String,
    /// How many messages would be taken away, that one among them.
    pub messages: usize,
    /// The files that would change, by path; those that somebody else has changed first.
    pub files: Vec<FileRow>,
    /// What it does not reach, a line each.
    pub beyond: Vec<String>,
}

/// A file that would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// As a person names it.
    pub path: String,
    /// What would become of it.
    pub what: String,
    /// Whether somebody else has changed it since.
    pub is_foreign: bool,
}

impl Going {
    /// What would change. Reads files, and waits for a look at the workspace that goes on.
    #[must_use]
    pub fn preview(&self, to: usize) -> Preview {
        let Plan { mut differences, lost, .. } = restore::plan(&self.past, self.since);
        let files: Vec<PathBuf> =
            differences.iter().filter(|one| !is_folder(one)).map(|one| one.path.clone()).collect();
        // a directory that comes and goes with what is in it needs no row
        differences
            .retain(|one| !goes_with_files(one) || !files.iter().any(|file| file.starts_with(&one.path)));
        // what is not as the session left it is seen first
        differences.sort_by_key(|difference| difference.hand == Hand::Session);
        let row = |(number, difference)| row(number, difference, self.bench.blobs(), &self.place);
        let lost = lost.into_iter();
        let lost_row = |(path, why): (PathBuf, String)| FileRow {
            path: self.place.name(&path),
            what: why,
            is_foreign: false,
        };
        let uncovered = self.bench.snapshots().uncovered().join(", ");
        let beyond = (!uncovered.is_empty()).then(|| format!("not tracked for commands: {uncovered}"));
        Preview {
            to,
            words: self.words.clone(),
            messages: self.messages,
            files: differences.iter().enumerate().map(row).chain(lost.map(lost_row)).collect(),
            beyond: beyond.into_iter().collect(),
        }
    }
}

fn row(number: usize, difference: &Difference, blobs: Blobs<'_>, place: &Place) -> FileRow {
    let counted = number < COUNTED;
    FileRow {
        path: place.name(&difference.path),
        what: what(difference, blobs, counted),
        is_foreign: difference.hand == Hand::Other,
    }
}

fn is_folder(difference: &Difference) -> bool {
    difference.wanted.kind() == SavedKind::Directory
}

/// Whether a directory was made or removed, and nothing else is where it was.
fn goes_with_files(difference: &Difference) -> bool {
    let is_plain = match difference.wanted.was() {
        Was::Nothing => true,
        Was::Bytes(_) => difference.present == Present::Nothing,
        Was::Moved(_) | Was::Unsaved(_) => false,
    };
    is_folder(difference) && is_plain
}

/// What would become of it.
fn what(difference: &Difference, blobs: Blobs<'_>, counted: bool) -> String {
    let wanted = &difference.wanted;
    if difference.stays {
        let is_made = wanted.was() == Was::Nothing;
        let aside = "will be restored; the current one may be older and is moved aside";
        return if is_made { restore::STAYS.to_owned() } else { aside.to_owned() };
    }
    if let Present::Untold(why) = &difference.present {
        return format!("cannot be restored: {why}");
    }
    let hash = match (wanted.was(), wanted.kind()) {
        (Was::Bytes(hash), SavedKind::File | SavedKind::Link) => hash,
        (Was::Nothing, SavedKind::Directory) => {
            return "created since, will be removed if empty".to_owned();
        }
        (Was::Nothing, _) if matches!(difference.present, Present::Directory(_)) => {
            return "cannot be restored: it is a directory now".to_owned();
        }
        (Was::Nothing, _) => return "created since, will be deleted".to_owned(),
        (Was::Moved(_) | Was::Unsaved(_), _) => return "moved since, will be moved back".to_owned(),
        (Was::Bytes(_), kind @ (SavedKind::Directory | SavedKind::Pipe)) => {
            return what_else(difference, kind);
        }
    };
    if blobs.find(hash).is_none() {
        return "cannot be restored: its backup is missing".to_owned();
    }
    match &difference.present {
        Present::Untold(why) => format!("cannot be restored: {why}"),
        Present::Directory(_) => "now a directory, will be a file again".to_owned(),
        Present::Pipe(_) => "now a pipe, will be a file again".to_owned(),
        Present::Nothing => "deleted since, will be restored".to_owned(),
        Present::Link(_) => "now a link, will be a file again".to_owned(),
        Present::File { .. } if wanted.kind() == SavedKind::Link => "will be a link again".to_owned(),
        Present::File { hash: now, mode, .. } if now == hash => {
            format!("mode {mode:o} → {:o}", wanted.bits().unwrap_or(*mode))
        }
        Present::File { .. } if !counted => "changes".to_owned(),
        Present::File { .. } => {
            lines(difference, blobs, hash).unwrap_or_else(|| "changes (binary file)".to_owned())
        }
    }
}

/// The same of a directory or a pipe.
fn what_else(difference: &Difference, kind: SavedKind) -> String {
    let bits = difference.wanted.bits().unwrap_or(0);
    match &difference.present {
        Present::Nothing => "deleted since, will be restored".to_owned(),
        Present::Directory(mode) | Present::Pipe(mode) => format!("mode {mode:o} → {bits:o}"),
        Present::Untold(_) | Present::File { .. } | Present::Link(_) => match kind {
            SavedKind::Directory => "will be a directory again".to_owned(),
            SavedKind::Pipe | SavedKind::File | SavedKind::Link => "will be a pipe again".to_owned(),
        },
    }
}

/// How many lines come and go; none where it is no text, or much of it.
fn lines(difference: &Difference, blobs: Blobs<'_>, hash: &str) -> Option<String> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let now = text(read_regular(&difference.now, MOST).ok()?)?;
    let then = text(read_regular(&blobs.find(hash)?, MOST).ok()?)?;
    let diff = diff(&now, &then);
    Some(format!("+{} -{}", diff.added, diff.removed))
}
