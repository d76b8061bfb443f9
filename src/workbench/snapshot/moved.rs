//! Which of the changes are moves: a file or directory that has gone from one path and is at another.
//!
//! A rewind moves it back, so it needs no copy of it, and what is not copied (a large file, an ignored one in a directory, a
//! repository's own) comes back as well. The surprise: only simple moves are followed: nothing was at the new path before, nothing
//! is at the old one now, no directory above either is another one by now, and no two moves are at or in each other's paths.
//! All else is taken for changes of each file, which are restored from their images.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use super::change::{FolderChange, News, Seen};
use super::tree::{Cover, Known, Tree};
use crate::os::tree::Look;

/// One move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    pub(super) is_folder: bool,
}

/// Finds the simple moves. What has changed in a moved directory is named by its new path from then on.
pub(super) fn take_moves(seen: &mut Seen, tree: &Tree) -> Vec<Move> {
    let moves = simple(seen, tree);
    if moves.is_empty() {
        return moves;
    }
    let targets: HashMap<&Path, &Path> =
        moves.iter().map(|step| (step.from.as_path(), step.to.as_path())).collect();
    let now = |path: &Path| {
        let (from, to) = path.ancestors().find_map(|above| Some((above, *targets.get(above)?)))?;
        let rest = path.strip_prefix(from).ok()?;
        Some(if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) })
    };
    let mut moved = HashSet::new();
    for change in seen.changes.iter_mut().filter(|change| change.was.is_some()) {
        if let Some(path) = now(&change.path) {
            moved.insert(path.clone());
            change.path = path;
        }
    }
    seen.changes.retain(|change| change.was.is_some() || !moved.contains(&change.path));
    for change in &mut seen.folders {
        change.path = now(&change.path).unwrap_or_else(|| std::mem::take(&mut change.path));
    }
    moves
}

/// The moves that are simple; of two that overlap, the one of a directory, and of what is further up.
fn simple(seen: &Seen, tree: &Tree) -> Vec<Move> {
    let mut found = folders(seen, tree);
    let depth = |path: &Path| path.components().count();
    found.sort_by_cached_key(|step| (depth(&step.from), depth(&step.to), step.to.clone()));
    found.extend(files(seen, tree));
    if found.is_empty() {
        return found;
    }
    let new: HashSet<&Path> = seen
        .changes
        .iter()
        .filter(|change| change.was.is_none())
        .map(|change| change.path.as_path())
        .collect();
    let replaced = replaced(seen, tree);
    let is_below_replaced = |path: &Path| path.ancestors().skip(1).any(|above| replaced.contains(above));
    let mut ends = BTreeSet::new();
    found.retain(|Move { from, to, .. }| {
        let is_simple = new.contains(to.as_path())
            && tree.known(from).is_none()
            && ![from, to].into_iter().any(|path| is_below_replaced(path) || is_near(&ends, path));
        if is_simple {
            ends.extend([from.clone(), to.clone()]);
        }
        is_simple
    });
    found
}

/// The paths of directories that are another one now, or something else, and of what is a directory now and was none.
fn replaced<'a>(seen: &'a Seen, tree: &Tree) -> HashSet<&'a Path> {
    let is_other_kind = |path: &Path, was: &Known| {
        tree.known(path).is_some_and(|now| (*now == Known::Folder) != (*was == Known::Folder))
    };
    let kinds = seen.changes.iter().filter_map(|change| {
        change.was.as_ref().is_some_and(|was| is_other_kind(&change.path, was)).then_some(&change.path)
    });
    let is_other = |change: &&FolderChange| {
        let now = tree.folders.get(&change.path).and_then(|folder| folder.look);
        now.is_some_and(|now| !now.is_same_directory(&change.was))
    };
    let others = seen.folders.iter().filter(is_other).map(|change| &change.path);
    kinds.chain(others).map(PathBuf::as_path).collect()
}

/// Whether one of the paths is this one, above it or in it.
fn is_near(paths: &BTreeSet<PathBuf>, path: &Path) -> bool {
    let next = paths.range::<Path, _>((Bound::Included(path), Bound::Unbounded)).next();
    next.is_some_and(|next| next.starts_with(path)) || path.ancestors().any(|above| paths.contains(above))
}

/// Directories that are at another path. Where the system does not say when one was made, none is known again.
fn folders(seen: &Seen, tree: &Tree) -> Vec<Move> {
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
    let mut pairs: HashMap<&Path, Move> = HashMap::new();
    for path in paths {
        let Some(look) = now(path) else { continue };
        if let Some(from) = gone.get(&(look.inode, look.born)).filter(|from| *from != path) {
            pairs.insert(path, Move { from: from.to_path_buf(), to: path.clone(), is_folder: true });
        }
    }
    pairs.into_values().collect()
}

/// The same of files and links.
fn files(seen: &Seen, tree: &Tree) -> Vec<Move> {
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
            pairs.push(Move { from: from.to_owned(), to: change.path.clone(), is_folder: false });
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
