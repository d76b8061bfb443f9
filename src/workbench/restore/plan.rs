//! What is not as it was, and what of it has to stay: nothing is changed here.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::each;
use super::present::{Mark, Present, is_below_link};
use super::steps::{after, directories_of};
use crate::os::pinned::Pinned;
use crate::os::put::{is_new, is_since};
use crate::protocol::history::{Back, Former, Past};
use crate::protocol::{SavedFile, SavedKind, Was};

/// Why a file that is in the way is moved aside.
const OLD: &str = "which may be older than that message";
/// Why a file that was not there is not removed.
pub const STAYS: &str = "not changed: it may be older than that message and may be the only copy";

/// What differs from what it should be.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The files.
    pub differences: Vec<Difference>,
    /// What has changed and cannot be put back: which, and why.
    pub lost: Vec<(PathBuf, String)>,
    pub(super) moves: Vec<Back>,
}

/// A file that is not as it should be.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Which: where it should be, or where it is now if it should not be there.
    pub path: PathBuf,
    /// Where it is now.
    pub now: PathBuf,
    /// What it should be.
    pub wanted: SavedFile,
    /// What it is.
    pub present: Present,
    /// Whether it is as the session's last change of it left it, as far as that is known.
    pub hand: Hand,
    /// Why it must stay as it is: it may be older than the changes, and has its bytes alone.
    pub stays: bool,
}

/// Who has changed a file last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// The session, as far as is known.
    Session,
    /// Somebody else.
    Other,
}

/// Finds what is not as it was at `since` (milliseconds since 1970). Reads all of the files.
pub fn plan(past: &Past, since: u64) -> Plan {
    let mut plan = Plan { moves: past.moves.clone(), ..Plan::default() };
    let taken = Taken::by(&past.files);
    for found in each(&past.files, |former| difference(former, &taken, since)) {
        match found {
            Found::Same => {}
            Found::Differs(difference) => plan.differences.push(*difference),
            Found::Lost(path, why) => plan.lost.push((path, why)),
        }
    }
    settle(&mut plan.differences);
    plan
}

/// Decides which files stay: those that may be old and have the only copy of their bytes. Bytes that are written again under some
/// name, or that the file has other names for, are no such.
fn settle(differences: &mut [Difference]) {
    let mut losing: HashMap<u64, u64> = HashMap::new();
    for mark in differences.iter().filter(|difference| difference.stays).filter_map(Difference::mark) {
        *losing.entry(mark.inode).or_default() += 1;
    }
    let come_back: HashSet<String> = differences.iter().filter_map(Difference::comes_back).collect();
    for difference in differences.iter_mut().filter(|difference| difference.stays) {
        let is_left = |mark: Mark| losing.get(&mark.inode).is_some_and(|losing| *losing < mark.links);
        let is_safe = difference.present.hash().is_some_and(|hash| come_back.contains(&hash));
        difference.stays = !is_safe && !difference.mark().is_some_and(is_left);
    }
}

/// Moves aside what stays in the place of something that comes back, before anything else is moved, so that both are there; says so.
pub(super) fn move_aside(plan: &mut Plan) -> Vec<String> {
    let goes = plan.differences.iter().filter(|difference| difference.goes() && !difference.stays);
    let leaving: HashSet<&str> = plan.moves.iter().map(|step| step.at.as_str()).collect();
    let going: HashSet<PathBuf> =
        goes.map(|one| one.now.clone()).chain(directories_of(&plan.differences)).collect();
    let (mut moves, mut shown) = (Vec::new(), Vec::new());
    for difference in &mut plan.differences {
        let Was::Bytes(_) = difference.wanted.was() else { continue };
        let is_folder = difference.goes() && matches!(difference.present, Present::Directory(_));
        let stays = difference.stays || (is_folder && !is_emptied(&difference.now, &going, &leaving));
        let Some(aside) = stays.then(|| free_name(&difference.now)).flatten() else { continue };
        let from = difference.now.display();
        let why = if is_folder {
            format!("moved aside from {from}: the directory is not empty")
        } else {
            format!("a command moved it to {from}, {OLD}")
        };
        shown.push((aside.clone(), why));
        let kind = if is_folder { SavedKind::Directory } else { SavedKind::File };
        moves.push(Back { at: difference.now.to_string_lossy().into_owned(), to: aside, kind });
        difference.stays = false;
        difference.now.clone_from(&difference.path);
        difference.present = Present::Nothing;
    }
    let line = |(aside, why): (String, String)| {
        format!("{}: {why}", after(Path::new(&aside), &plan.moves).display())
    };
    let lines = shown.into_iter().map(line).collect();
    plan.moves.splice(..0, moves);
    lines
}

/// Whether nothing is left in a directory once what goes and what is moved back is not in it any more.
fn is_emptied(directory: &Path, going: &HashSet<PathBuf>, leaving: &HashSet<&str>) -> bool {
    let Ok(mut entries) = fs::read_dir(directory) else { return false };
    entries.all(|entry| {
        let Ok(entry) = entry else { return false };
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_going = going.contains(&path) && (!is_folder || is_emptied(&path, going, leaving));
        is_going || path.to_str().is_some_and(|path| leaving.contains(path))
    })
}

/// A name like this one that nothing has.
fn free_name(path: &Path) -> Option<String> {
    let path = path.to_str()?;
    let mut names = (1_u64..)
        .map(|number| if number == 1 { format!("{path}.left") } else { format!("{path}.left{number}") });
    names.find(|name| Path::new(name).symlink_metadata().is_err())
}

impl Difference {
    /// Whether what is there has to be removed first.
    pub(super) fn goes(&self) -> bool {
        let is_folder = matches!(self.present, Present::Directory(_));
        match self.wanted.was() {
            Was::Nothing => self.wanted.kind() != SavedKind::Directory,
            Was::Bytes(_) => match self.wanted.kind() {
                SavedKind::Directory => !is_folder && self.present != Present::Nothing,
                SavedKind::File | SavedKind::Link | SavedKind::Pipe => is_folder,
            },
            Was::Moved(_) | Was::Unsaved(_) => false,
        }
    }

    pub(super) fn mark(&self) -> Option<Mark> {
        match &self.present {
            Present::File { mark, .. } => Some(*mark),
            Present::Nothing
            | Present::Link(_)
            | Present::Directory(_)
            | Present::Pipe(_)
            | Present::Untold(_) => None,
        }
    }

    /// Whether it had other names (hard links) and is written as a file of its own.
    pub(super) fn loses_links(&self) -> bool {
        let is_same = |mark: Mark| mark.links > 1 && Some(mark.inode) == self.wanted.inode;
        let is_file = self.wanted.kind() == SavedKind::File && matches!(self.wanted.was(), Was::Bytes(_));
        self.wanted.linked && is_file && !self.mark().is_some_and(is_same)
    }

    pub(super) fn is_made_folder(&self) -> bool {
        self.wanted.was() == Was::Nothing && self.wanted.kind() == SavedKind::Directory
    }

    /// The hash of the bytes that are written, if any are.
    fn comes_back(&self) -> Option<String> {
        match (self.wanted.was(), self.wanted.kind()) {
            // what stays there is moved aside
            (Was::Bytes(hash), SavedKind::File | SavedKind::Link) => Some(hash.to_owned()),
            _ => None,
        }
    }
}

/// What became of a file.
enum Found {
    Same,
    Differs(Box<Difference>),
    Lost(PathBuf, String),
}

/// The paths that the files have now, and their inodes.
struct Taken<'a> {
    all: HashSet<&'a str>,
    /// Those of directories that are moved back.
    moved: HashSet<&'a Path>,
    /// Those of files whose bytes were saved.
    inodes: HashSet<u64>,
}

impl<'a> Taken<'a> {
    fn by(files: &'a [Former]) -> Self {
        let now = |former: &'a Former| former.now.as_deref();
        let is_moved = |former: &&'a Former| {
            former.file.kind() == SavedKind::Directory
                && former.file.was() != Was::Nothing
                && former.now.as_deref() != Some(&former.file.path)
        };
        let moved = files.iter().filter(is_moved).filter_map(now).map(Path::new).collect();
        let is_saved = |former: &&Former| matches!(former.file.was(), Was::Bytes(_));
        let inodes = files.iter().filter(is_saved).filter_map(|former| former.file.inode).collect();
        Self { all: files.iter().filter_map(now).collect(), moved, inodes }
    }

    /// Whether what is at this path now goes or is moved away.
    fn has(&self, path: &str) -> bool {
        let is_moved = || Path::new(path).ancestors().any(|above| self.moved.contains(above));
        self.all.contains(path) || (!self.moved.is_empty() && is_moved())
    }
}

/// Compares a file.
fn difference(former: &Former, taken: &Taken<'_>, since: u64) -> Found {
    let Former { file, now, last } = former;
    let then = PathBuf::from(&file.path);
    let now = now.as_ref().map(PathBuf::from);
    let is_moved = now.as_ref().is_some_and(|now| *now != then);
    match (file.was(), now) {
        (Was::Unsaved(why), _) => Found::Lost(then, format!("not restored: {why}")),
        (Was::Nothing, None) => Found::Same,
        (Was::Nothing, Some(now)) => {
            let present = match Pinned::new(&now) {
                // the file may still be elsewhere: the user is told that it was not removed
                Err(error) if is_below_link(&error) => Present::Untold(error.to_string()),
                _ => Present::at(&now),
            };
            if present == Present::Nothing {
                return Found::Same;
            }
            if file.kind() == SavedKind::Directory && !matches!(present, Present::Directory(_)) {
                return Found::Same;
            }
            found(now.clone(), now, (file, last), present, (taken, since))
        }
        (Was::Moved(_), Some(_)) if !is_moved => Found::Same,
        (Was::Moved(_), Some(now)) if now.symlink_metadata().is_ok() => {
            found(then, now, (file, last), Present::Nothing, (taken, since))
        }
        (Was::Moved(_), _) => Found::Lost(then, "not restored: it was moved and no longer exists".to_owned()),
        (Was::Bytes(_), now) => {
            let is_gone = now.as_ref().is_none_or(|now| now.symlink_metadata().is_err());
            if is_gone && now.as_ref() != Some(&then) && taken.has(&file.path) {
                // what is there now goes or is moved away first
                return found(then.clone(), then, (file, last), Present::Nothing, (taken, since));
            }
            let now = now.filter(|now| now.symlink_metadata().is_ok()).unwrap_or_else(|| then.clone());
            let present = Present::at(&now);
            match present.is(file) {
                true if now == then => Found::Same,
                true => {
                    let moved = SavedFile::moved(&file.path, now.to_string_lossy(), file.mode);
                    found(then, now, (&moved, last), Present::Nothing, (taken, since))
                }
                false => found(then, now, (file, last), present, (taken, since)),
            }
        }
    }
}

fn found(
    path: PathBuf,
    now: PathBuf,
    (wanted, last): (&SavedFile, &SavedFile),
    present: Present,
    (taken, since): (&Taken<'_>, u64),
) -> Found {
    let hand = present.hand(last);
    // the number of a file that has gone is given to the next one at once
    let is_saved = |mark: Mark| match mark.born {
        Some(born) => taken.inodes.contains(&mark.inode) && !is_since(born, since),
        None => wanted.inode == Some(mark.inode),
    };
    let stays = match &present {
        Present::File { hash, .. } if wanted.was() == Was::Bytes(hash) => false,
        Present::File { mark, .. } if is_saved(*mark) => false,
        Present::File { mark, .. } => match (wanted.was(), wanted.inode) {
            // of a file whose inode was not saved, only the time of its bytes can be compared
            (Was::Bytes(_), None) if wanted.kind() == SavedKind::File => !is_since(mark.modified(), since),
            _ => !is_new_at(&now, since),
        },
        Present::Link(_) => wanted.kind() != SavedKind::Link && !is_new_at(&now, since),
        // nothing is in them, and a directory is removed only if it is empty
        Present::Nothing | Present::Directory(_) | Present::Pipe(_) | Present::Untold(_) => false,
    };
    Found::Differs(Box::new(Difference { path, now, wanted: wanted.clone(), present, hand, stays }))
}

fn is_new_at(path: &Path, since: u64) -> bool {
    Pinned::new(path).is_ok_and(|place| is_new(&place, since))
}
