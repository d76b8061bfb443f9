//! The steps by which files are put back: removed, moved back, written.

use std::path::{Path, PathBuf};

use super::super::Blobs;
use super::image;
use super::plan::Difference;
use super::present::{Mark, Present, is_nowhere};
use crate::os::file::{FileError, Kind};
use crate::os::pinned::{Pinned, remove_empty};
use crate::os::put::{
    There, put_directory, put_file, put_link, put_mode, put_moved, put_nothing, put_pipe, there,
};
use crate::protocol::history::Back;
use crate::protocol::{SavedKind, Was};

/// The mode of a file of which none was kept.
const USUAL_MODE: u32 = 0o644;

/// Removes a file that was not there.
pub(super) fn take_away(difference: &Difference, moves: &[Back]) -> Result<(), String> {
    let named = |error| format!("{}: not removed: {error}", after(&difference.now, moves).display());
    let place = match Pinned::new(&difference.now) {
        Err(error) if is_nowhere(&error) => return Ok(()),
        place => place.map_err(named)?,
    };
    if matches!(difference.present, Present::Directory(_)) && difference.wanted.was() != Was::Nothing {
        // it goes after what is in it; if it is not empty it stays, and what should be there says so
        return Ok(());
    }
    is_still(difference, &place)?;
    put_nothing(&place).map_err(named)
}

/// The moves for which there is something to be moved.
pub(super) fn steps(moves: &[Back]) -> Vec<Back> {
    let mut steps: Vec<Back> = Vec::new();
    for step in moves {
        if before(Path::new(&step.at), &steps).symlink_metadata().is_ok() {
            steps.push(step.clone());
        }
    }
    steps
}

/// Moves one after the other, since each may need the name that the one before it frees; those that fail, and why. The directories
/// of `made` that are empty are removed from what is moved back, and from its path.
pub(super) fn move_back(moves: &[Back], made: &[PathBuf]) -> Vec<String> {
    let mut done: Vec<&Back> = Vec::new();
    // each with the number of moves that were done before
    let mut failed: Vec<(usize, &Back, String)> = Vec::new();
    for step in moves {
        let is_stuck = |(_, other, _): &(usize, &Back, String)| other.to == step.at;
        let moved = if failed.iter().any(is_stuck) {
            Err(format!("{}: it does not exist", step.at))
        } else {
            let is_of = |path: &&PathBuf| path.starts_with(&step.to) || path.starts_with(&step.at);
            let made: Vec<PathBuf> = made.iter().filter(is_of).cloned().collect();
            if !made.is_empty() {
                remove_empty(&not_moved(made, done.iter().copied()));
            }
            move_one(step)
        };
        match moved {
            Ok(()) => done.push(step),
            Err(error) => failed.push((done.len(), step, error)),
        }
    }
    let told = |(before, step, error): (usize, &Back, String)| {
        let later = done.iter().skip(before);
        let now = later.fold(PathBuf::from(&step.at), |path, later| moved(&path, &later.at, &later.to));
        let Back { to, .. } = step;
        [format!("{to}: not moved back: {error}"), format!("{}: not moved back to {to}", now.display())]
    };
    failed.into_iter().flat_map(told).collect()
}

fn move_one(step: &Back) -> Result<(), String> {
    let mut made = Vec::new();
    let done = Pinned::new(Path::new(&step.at))
        .and_then(|from| put_moved(&from, &Pinned::making(Path::new(&step.to), &mut made)?));
    if done.is_err() {
        remove_empty(&made);
    }
    done.map_err(|error| error.to_string())
}

/// Those of the directories that none of these moves has put there: one that was there before may be empty.
pub(super) fn not_moved<'a>(
    mut directories: Vec<PathBuf>,
    moves: impl IntoIterator<Item = &'a Back>,
) -> Vec<PathBuf> {
    for step in moves {
        directories.retain(|directory| !directory.starts_with(&step.to));
    }
    directories
}

/// Where the moves bring what is at a path.
pub(super) fn after(path: &Path, moves: &[Back]) -> PathBuf {
    moves.iter().fold(path.to_owned(), |path, step| moved(&path, &step.at, &step.to))
}

/// Where what the moves bring to a path is as long as none is done.
pub(super) fn before(path: &Path, moves: &[Back]) -> PathBuf {
    moves.iter().rev().fold(path.to_owned(), |path, step| moved(&path, &step.to, &step.at))
}

/// A path as it is after what was at `from` has been moved to `to`.
fn moved(path: &Path, from: &str, to: &str) -> PathBuf {
    match path.strip_prefix(from) {
        Ok(rest) if rest.as_os_str().is_empty() => to.into(),
        Ok(rest) => Path::new(to).join(rest),
        Err(_) => path.to_owned(),
    }
}

/// Makes directories and gives them their modes, the inner ones first: an outer one may be closed.
pub(super) fn put_folders(folders: &[&Difference]) -> Vec<Result<(), String>> {
    let mut folders = folders.to_vec();
    folders.sort_by(|one, other| other.path.cmp(&one.path));
    let put = |difference: &&Difference| {
        let mode = difference.wanted.bits().unwrap_or(0o755);
        let put =
            Pinned::making(&difference.path, &mut Vec::new()).and_then(|place| put_directory(&place, mode));
        put.map_err(|error| not_put_back(&difference.path, &error))
    };
    folders.iter().map(put).collect()
}

/// Whether a directory that was made since is gone; another one may have been moved back to its path.
pub(super) fn is_removed(difference: &Difference, moves: &[Back]) -> Result<(), String> {
    let path = PathBuf::from(&difference.wanted.path);
    let is_moved = not_moved(vec![path.clone()], moves).is_empty();
    if !is_moved && path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Err(format!("{}: not removed: it is not empty", path.display()));
    }
    Ok(())
}

pub(super) fn bring_back(blobs: Blobs<'_>, difference: &Difference) -> Result<(), String> {
    let Difference { path, wanted, present, .. } = difference;
    let Some(hash) = &wanted.before else { return Ok(()) };
    let bytes = match wanted.kind() {
        SavedKind::Pipe | SavedKind::Directory => Vec::new(),
        SavedKind::File | SavedKind::Link => {
            image(blobs, hash).map_err(|why| format!("{}: {why}", path.display()))?
        }
    };
    let linked = wanted.inode.filter(|_| wanted.linked);
    let mut made = Vec::new();
    let named = |error| not_put_back(path, &error);
    let done = Pinned::making(path, &mut made).map_err(named).and_then(|place| {
        if let Err(why) = is_still(difference, &place) {
            // another name of the same file was put back before
            return if Present::at(path).is(wanted) { Ok(()) } else { Err(why) };
        }
        let put = match (present, wanted.kind(), wanted.bits()) {
            (_, SavedKind::Link, _) => put_link(&place, &bytes),
            (_, SavedKind::Pipe, bits) => put_pipe(&place, bits.unwrap_or(0o600)),
            (Present::File { hash: now, .. }, _, Some(mode)) if now == hash => {
                put_mode(&place, mode).or_else(|_| put_file(&place, &bytes, mode, linked))
            }
            (Present::File { mode, .. }, _, None) => put_file(&place, &bytes, *mode, linked),
            (_, _, mode) => put_file(&place, &bytes, mode.unwrap_or(USUAL_MODE), linked),
        };
        put.map_err(named)
    });
    if done.is_err() {
        remove_empty(&made);
    }
    done
}

fn not_put_back(path: &Path, error: &FileError) -> String {
    format!("{}: not restored: {error}", path.display())
}

/// Whether what was saved is still there.
fn is_still(difference: &Difference, place: &Pinned) -> Result<(), String> {
    let found = there(place).map_err(|error| not_put_back(&difference.path, &error))?;
    let is_moved = difference.path != difference.now;
    let is_same = match (&difference.present, found) {
        // a directory may have gone with what was made in it; if it has not, nothing takes its place
        (Present::Nothing | Present::Directory(_), There::Nothing)
        | (Present::Directory(_), There::Other(_))
        | (Present::Pipe(_), There::Other(Kind::Fifo)) => true,
        (Present::Link(kept), There::Link(now)) => *kept == now,
        (Present::File { mark, mode, .. }, There::File(meta)) => {
            let now = Mark::of(&meta);
            // a move is a change by itself, and so is the removal of another name; one that nobody may read was opened to save it
            let is_other = is_moved || mark.links > 1 || mode & 0o400 == 0;
            let changed = if is_other { mark.changed } else { now.changed };
            *mark == Mark { changed, links: mark.links, ..now }
        }
        _ => false,
    };
    let shown = difference.path.display();
    if is_same { Ok(()) } else { Err(format!("{shown}: another program has just changed it")) }
}

/// The directories that go if they are empty, the outer ones first: those that were made, for files or for themselves, and those in
/// the place of something else.
pub(super) fn directories_of(all: &[Difference]) -> Vec<PathBuf> {
    let made = all.iter().filter(|difference| difference.goes() || difference.is_made_folder());
    let made = made.flat_map(|difference| above(Path::new(&difference.wanted.path), difference.wanted.above));
    let own = all.iter().filter(|difference| {
        let is_folder = matches!(difference.present, Present::Directory(_));
        is_folder && (difference.goes() || difference.is_made_folder())
    });
    let mut all: Vec<PathBuf> = made.chain(own.map(|difference| difference.now.clone())).collect();
    all.sort();
    all.dedup();
    all
}

/// So many of the directories above a file, the innermost first.
pub(super) fn above(path: &Path, count: usize) -> impl Iterator<Item = PathBuf> {
    path.ancestors().skip(1).take(count).map(Path::to_owned)
}
