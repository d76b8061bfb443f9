//! Which of the changes are moves: a file or directory that has gone from one path and is at another.
//!
//! A rewind moves it back, so it needs no copy of it, and what nobody could copy (a large file, an ignored one in a directory, a
//! repository's own) comes back as well. The surprise: a move changes what a path means. So the other changes are put in
//! order: what was at the path that something was moved to is saved before the moves, and everything else after them, under the
//! path that it then had. Moves in a circle are taken for changes of each file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use super::change::{Change, FolderChange, News, Seen};
use super::tree::{Cover, Known, Tree};
use crate::os::tree::Look;

/// More rounds are only taken by a long chain of moves, each to the path that the next one left.
const MOST_ROUNDS: usize = 50;

/// One move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    /// The path when the moves before it were done.
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    pub(super) is_folder: bool,
}

/// All changes in the order in which they can have happened.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// What something was moved over.
    pub(super) before: Seen,
    pub(super) moves: Vec<Move>,
    pub(super) after: Seen,
}

/// Finds the moves, and sorts the other changes by them.
pub(super) fn sort(seen: Seen, tree: &Tree) -> Sorted {
    let mut way = Way::default();
    way.take_folders(folders(&seen, tree));
    way.take_files(files(&seen, tree));
    if way.moves.is_empty() {
        return Sorted { after: seen, ..Sorted::default() };
    }
    let is_target = |path: &Path| way.targets.contains_key(path);
    let mut sorted = Sorted::default();
    let mut after: BTreeMap<PathBuf, Change> = BTreeMap::new();
    for change in seen.changes {
        if change.news == News::Learnt {
            sorted.after.changes.push(change);
        } else if change.was.is_none() {
            // what was moved there is not made, and has its change under the path that it left
            if !is_target(&change.path) {
                after.entry(change.path.clone()).or_insert(change);
            }
        } else if way.is_moved_over(&change.path) {
            sorted.before.changes.push(change);
        } else {
            let path = way.now(&change.path);
            let Change { path: old, repo, was, news } = change;
            if path != old && tree.known(&old).is_some() && !is_target(&old) {
                after.entry(old.clone()).or_insert(Change { path: old, repo: repo.clone(), was: None, news });
            }
            after.insert(path.clone(), Change { path, repo, was, news });
        }
    }
    for change in seen.folders {
        if way.is_moved_over(&change.path) {
            sorted.before.folders.push(change);
        } else {
            let path = way.now(&change.path);
            if path != change.path && tree.folders.contains_key(&change.path) && !is_target(&change.path) {
                // another directory was made in its place
                let (path, news) = (change.path.clone(), change.news);
                after.entry(path.clone()).or_insert(Change { path, repo: None, was: None, news });
            }
            if path != change.path && after.get(&path).is_some_and(|change| change.was.is_none()) {
                // it came with the directory above it
                after.remove(&path);
            }
            sorted.after.folders.push(FolderChange { path, ..change });
        }
    }
    sorted.after.changes.extend(after.into_values());
    sorted.moves = way.moves;
    sorted
}

/// Something that is at another path.
struct Pair {
    from: PathBuf,
    to: PathBuf,
}

/// The moves so far.
#[derive(Default)]
struct Way {
    moves: Vec<Move>,
    /// Of files alone: where each went from where the directories' moves had brought it.
    files: HashMap<PathBuf, PathBuf>,
    /// What the moves went to, and whether a directory did.
    targets: HashMap<PathBuf, bool>,
}

impl Way {
    fn take_folders(&mut self, mut pairs: Vec<Pair>) {
        pairs.sort_by_key(|pair| (pair.to.components().count(), pair.to.clone()));
        for _ in 0..MOST_ROUNDS {
            // one that came with a directory above it is there already
            pairs.retain(|pair| !is_nested(&self.now(&pair.from), &pair.to));
            let sources = pairs.iter().map(|pair| self.now(&pair.from)).collect();
            let (ready, waiting): (Vec<Pair>, Vec<Pair>) =
                pairs.into_iter().partition(|pair| !is_near(&sources, &pair.to));
            let is_stuck = ready.is_empty();
            for Pair { from, to } in ready {
                let from = self.now(&from);
                if !is_nested(&from, &to) {
                    self.targets.insert(to.clone(), true);
                    self.moves.push(Move { from, to, is_folder: true });
                }
            }
            pairs = waiting;
            if pairs.is_empty() || is_stuck {
                return;
            }
        }
    }

    fn take_files(&mut self, pairs: Vec<Pair>) {
        // directories are moved first: what left a place before a directory came there has changed, and is not moved
        let is_first = |from: &Path| self.is_replaced(from) || self.is_above_target(&self.now(from));
        let mapped = pairs.into_iter().filter(|pair| !is_first(&pair.from));
        let mapped = mapped.map(|Pair { from, to }| Pair { from: self.now(&from), to });
        let mut pairs: Vec<Pair> = mapped.filter(|pair| !is_nested(&pair.from, &pair.to)).collect();
        for _ in 0..MOST_ROUNDS {
            let sources = pairs.iter().map(|pair| pair.from.clone()).collect();
            let (ready, waiting): (Vec<Pair>, Vec<Pair>) =
                pairs.into_iter().partition(|pair| !is_near(&sources, &pair.to));
            let is_stuck = ready.is_empty();
            for Pair { from, to } in ready {
                self.files.insert(from.clone(), to.clone());
                self.targets.insert(to.clone(), false);
                self.moves.push(Move { from, to, is_folder: false });
            }
            pairs = waiting;
            if pairs.is_empty() || is_stuck {
                return;
            }
        }
    }

    /// Whether a directory was moved to this path or below it.
    fn is_above_target(&self, path: &Path) -> bool {
        self.moves.iter().any(|step| step.to.starts_with(path))
    }

    /// Whether a directory was moved to where this was, or to a directory above it.
    fn is_replaced(&self, path: &Path) -> bool {
        let mut now = path.to_owned();
        for step in self.moves.iter().take_while(|step| step.is_folder) {
            if now.starts_with(&step.to) {
                return true;
            }
            now = step.apply(now);
        }
        false
    }

    /// Where the moves have brought what was at this path.
    fn now(&self, path: &Path) -> PathBuf {
        let now = self.with_directories(path);
        self.files.get(&now).cloned().unwrap_or(now)
    }

    fn with_directories(&self, path: &Path) -> PathBuf {
        let mut now = path.to_owned();
        for step in self.moves.iter().take_while(|step| step.is_folder) {
            now = step.apply(now);
        }
        now
    }

    /// Whether what was at this path lost it to something that was moved there.
    fn is_moved_over(&self, path: &Path) -> bool {
        let now = self.with_directories(path);
        self.is_replaced(path) || (!self.files.contains_key(&now) && self.targets.get(&now) == Some(&false))
    }
}

impl Move {
    /// Where it brings what is at this path.
    fn apply(&self, path: PathBuf) -> PathBuf {
        match path.strip_prefix(&self.from) {
            Ok(rest) if rest.as_os_str().is_empty() => self.to.clone(),
            Ok(rest) => self.to.join(rest),
            Err(_) => path,
        }
    }
}

/// Whether one path is the other, or in it.
fn is_nested(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Whether one of the paths is this one, above it or in it: what is there leaves first.
fn is_near(paths: &BTreeSet<PathBuf>, path: &Path) -> bool {
    let next = paths.range::<Path, _>((Bound::Included(path), Bound::Unbounded)).next();
    next.is_some_and(|next| next.starts_with(path)) || path.ancestors().any(|above| paths.contains(above))
}

/// Directories that are at another path. Where the system does not say when one was made, none is known again.
fn folders(seen: &Seen, tree: &Tree) -> Vec<Pair> {
    let now = |path: &Path| tree.folders.get(path).and_then(|folder| folder.look);
    let is_gone = |change: &&FolderChange| {
        let is_there = now(&change.path).is_some_and(|look| look.is_same_directory(&change.was));
        change.news == News::Changed && change.was.born != 0 && !is_there
    };
    let gone: HashMap<(u64, i64), &Path> = seen
        .folders
        .iter()
        .filter(is_gone)
        .map(|change| ((change.was.inode, change.was.born), change.path.as_path()))
        .collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let free = seen
        .changes
        .iter()
        .filter(|change| change.news == News::Changed)
        .filter(|change| matches!(change.was, None | Some(Known::Folder)));
    let paths = free.map(|change| &change.path).chain(seen.folders.iter().map(|change| &change.path));
    let mut pairs: HashMap<&Path, Pair> = HashMap::new();
    for path in paths {
        let Some(look) = now(path) else { continue };
        if let Some(from) = gone.get(&(look.inode, look.born)).filter(|from| *from != path) {
            pairs.insert(path, Pair { from: from.to_path_buf(), to: path.clone() });
        }
    }
    pairs.into_values().collect()
}

/// The same of files and links.
fn files(seen: &Seen, tree: &Tree) -> Vec<Pair> {
    let changed = || seen.changes.iter().filter(|change| change.news == News::Changed);
    let now = |path: &Path| tree.known(path).and_then(look_of);
    let mut gone: HashMap<u64, Vec<(&Look, &Path)>> = HashMap::new();
    // a move to another file system, or between two directories of a sandbox, is a copy: told by time and size
    let mut unsaved: HashMap<(i64, u64), &Path> = HashMap::new();
    for change in changed() {
        let Some(look) = change.was.as_ref().and_then(look_of) else { continue };
        if now(&change.path).is_none_or(|now| !now.is_same_file(look)) {
            gone.entry(look.inode).or_default().push((look, &change.path));
            if matches!(change.was, Some(Known::File(_, Cover::None(_)))) && look.size > 0 {
                unsaved.insert((look.modified, look.size), &change.path);
            }
        }
    }
    let mut pairs = Vec::new();
    for change in changed() {
        let Some(look) = now(&change.path) else { continue };
        if change.was.as_ref().and_then(look_of).is_some_and(|was| was.is_same_file(look)) {
            continue;
        }
        let known = gone.get_mut(&look.inode).and_then(|known| {
            let index = known.iter().position(|(was, _)| was.is_same_file(look))?;
            Some(known.swap_remove(index).1)
        });
        let from = known.or_else(|| unsaved.remove(&(look.modified, look.size)));
        if let Some(from) = from.filter(|from| *from != change.path) {
            pairs.push(Pair { from: from.to_owned(), to: change.path.clone() });
        }
    }
    pairs
}

fn look_of(known: &Known) -> Option<&Look> {
    match known {
        Known::File(look, _) | Known::Link(look, _) => Some(look),
        Known::Folder | Known::LeftOut | Known::Unseen | Known::Pipe(_) | Known::Other => None,
    }
}
