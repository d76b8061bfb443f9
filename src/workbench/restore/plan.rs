//! What is not as it was, and what of it has to stay: nothing is changed here.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::each;
use super::present::{Mark, Present, is_below_link};
use super::steps::after;
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
    let mut doubtful: Vec<usize> = Vec::new();
    for (index, difference) in differences.iter_mut().enumerate().filter(|(_, difference)| difference.stays) {
        let names = difference.mark().map(|mark| (mark.links, losing.get(&mark.inode).copied().unwrap_or(0)));
        difference.stays = false;
        if names.is_none_or(|(all, losing)| losing >= all) {
            doubtful.push(index);
        }
    }
    // one that stays is not written, so others may have to stay as well
    loop {
        let come_back: HashSet<String> = differences.iter().filter_map(Difference::comes_back).collect();
        let is_lost = |index: &usize| {
            let hash = differences.get(*index).and_then(|difference| difference.present.hash());
            hash.is_some_and(|hash| !come_back.contains(&hash))
        };
        let lost: Vec<usize> = doubtful.extract_if(.., |index| is_lost(index)).collect();
        if lost.is_empty() {
            return;
        }
        for index in lost {
            if let Some(difference) = differences.get_mut(index) {
                difference.stays = true;
            }
        }
    }
}

/// Moves aside what stays in the place of something that comes back, before anything else is moved, so that both are there; says so.
pub(super) fn move_aside(plan: &mut Plan) -> Vec<String> {
    let mut moves = Vec::new();
    let mut shown = Vec::new();
    for difference in &mut plan.differences {
        let Was::Bytes(_) = difference.wanted.was() else { continue };
        let Some(aside) = difference.stays.then(|| free_name(&difference.now)).flatten() else { continue };
        shown.push((aside.clone(), difference.now.display().to_string()));
        moves.push(Back {
            at: difference.now.to_string_lossy().into_owned(),
            to: aside,
            kind: SavedKind::File,
        });
        difference.stays = false;
        difference.now.clone_from(&difference.path);
        difference.present = Present::Nothing;
    }
    let line = |(aside, from): (String, String)| {
        let aside = after(Path::new(&aside), &plan.moves);
        format!("{}: a command moved it to {from}, {OLD}", aside.display())
    };
    let lines = shown.into_iter().map(line).collect();
    plan.moves.splice(..0, moves);
    clear_targets(plan);
    lines
}

/// Moves aside what stays where something is moved back to, so that both are there.
fn clear_targets(plan: &mut Plan) {
    let staying: Vec<&Path> =
        plan.differences.iter().filter(|one| one.stays).map(|one| one.now.as_path()).collect();
    let mut moves: Vec<Back> = Vec::new();
    for mut step in std::mem::take(&mut plan.moves) {
        let is_taken = staying.iter().any(|path| after(path, &moves).starts_with(&step.to));
        if let Some(aside) = is_taken.then(|| free_name(Path::new(&step.to))).flatten() {
            let aside = Back { at: step.to.clone(), to: aside, kind: step.kind };
            step.at = after(Path::new(&step.at), std::slice::from_ref(&aside)).to_string_lossy().into_owned();
            moves.push(aside);
        }
        moves.push(step);
    }
    plan.moves = moves;
}

/// A name like this one that nothing has.
fn free_name(path: &Path) -> Option<String> {
    let path = path.to_str()?;
    let mut names = (1..100)
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
        match (self.wanted.was(), self.wanted.kind(), self.stays) {
            (Was::Bytes(hash), SavedKind::File | SavedKind::Link, false) => Some(hash.to_owned()),
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

/// The paths that the files have now.
struct Taken<'a> {
    all: HashSet<&'a str>,
    /// Those of directories that are moved back.
    moved: HashSet<&'a Path>,
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
        Self { all: files.iter().filter_map(now).collect(), moved }
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
            found(now.clone(), now, (file, last), present, since)
        }
        (Was::Moved(_), Some(_)) if !is_moved => Found::Same,
        (Was::Moved(_), Some(now)) if now.symlink_metadata().is_ok() => {
            found(then, now, (file, last), Present::Nothing, since)
        }
        (Was::Moved(_), _) => Found::Lost(then, "not restored: it was moved and no longer exists".to_owned()),
        (Was::Bytes(_), now) => {
            let is_gone = now.as_ref().is_none_or(|now| now.symlink_metadata().is_err());
            if is_gone && now.as_ref() != Some(&then) && taken.has(&file.path) {
                // what is there now goes or is moved away first
                return found(then.clone(), then, (file, last), Present::Nothing, since);
            }
            let now = now.filter(|now| now.symlink_metadata().is_ok()).unwrap_or_else(|| then.clone());
            let present = Present::at(&now);
            match present.is(file) {
                true if now == then => Found::Same,
                true => {
                    let moved = SavedFile::moved(&file.path, now.to_string_lossy(), file.mode);
                    found(then, now, (&moved, last), Present::Nothing, since)
                }
                false => found(then, now, (file, last), present, since),
            }
        }
    }
}

fn found(
    path: PathBuf,
    now: PathBuf,
    (wanted, last): (&SavedFile, &SavedFile),
    present: Present,
    since: u64,
) -> Found {
    let hand = present.hand(last);
    let stays = match &present {
        Present::File { hash, .. } if wanted.was() == Was::Bytes(hash) => false,
        Present::File { mark, .. } => match (wanted.was(), wanted.inode) {
            // the number of a file that has gone is given to the next one at once
            (_, Some(inode))
                if inode == mark.inode && mark.born.is_none_or(|born| !is_since(born, since)) =>
            {
                false
            }
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
