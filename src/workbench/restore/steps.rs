//! The steps by which files are put back: removed, moved back, written.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::Blobs;
use super::image;
use super::plan::Difference;
use super::present::{Mark, Present, is_nowhere};
use crate::os::file::Kind;
use crate::os::pinned::{Pinned, remove_empty};
use crate::os::put::{
    There, put_directory, put_file, put_link, put_mode, put_moved, put_nothing, put_pipe, there,
};
use crate::protocol::history::Back;
use crate::protocol::{SavedKind, Was};

/// The mode of a file of which none was kept.
const USUAL_MODE: u32 = 0o644;

/// Removes a file that was not there.
pub(super) fn take_away(difference: &Difference) -> Result<(), String> {
    let place = match Pinned::new(&difference.now) {
        Err(error) if is_nowhere(&error) => return Ok(()),
        place => place.map_err(|error| error.to_string())?,
    };
    if matches!(difference.present, Present::Directory(_)) && difference.wanted.was() != Was::Nothing {
        // it goes after what is in it; if it is not empty it stays, and what should be there says so
        return Ok(());
    }
    is_still(difference, &place)?;
    put_nothing(&place).map_err(|error| error.to_string())
}

/// The moves for which there is something to be moved.
pub(super) fn steps(moves: &[Back]) -> Vec<Back> {
    let mut steps: Vec<Back> = Vec::new();
    for step in moves {
        // where it is as long as none is done
        let mut now = PathBuf::from(&step.at);
        for done in steps.iter().rev() {
            if let Ok(rest) = now.strip_prefix(&done.to) {
                now = if rest.as_os_str().is_empty() {
                    done.at.clone().into()
                } else {
                    Path::new(&done.at).join(rest)
                };
            }
        }
        if now.symlink_metadata().is_ok() {
            steps.push(step.clone());
        }
    }
    steps
}

/// Moves one after the other, since each may need the name that the one before it frees; those that fail, and why.
pub(super) fn move_back(moves: &[Back]) -> Vec<String> {
    let mut failed = Vec::new();
    let mut stuck: HashSet<&str> = HashSet::new();
    for Back { at, to, kind: _ } in moves {
        if stuck.contains(at.as_str()) {
            stuck.insert(to);
            continue;
        }
        let mut made = Vec::new();
        let done = Pinned::new(Path::new(at))
            .and_then(|from| put_moved(&from, &Pinned::making(Path::new(to), &mut made)?));
        if let Err(error) = done {
            remove_empty(&made);
            stuck.insert(to);
            failed.push(format!("{to}: not moved back: {error}"));
        }
    }
    failed
}

/// Makes directories and gives them their modes, the inner ones first: an outer one may be closed.
pub(super) fn put_folders(folders: &[&Difference]) -> Vec<Result<(), String>> {
    let mut folders = folders.to_vec();
    folders.sort_by(|one, other| other.path.cmp(&one.path));
    let put = |difference: &&Difference| {
        let place = Pinned::making(&difference.path, &mut Vec::new()).map_err(|error| error.to_string())?;
        let mode = difference.wanted.bits().unwrap_or(0o755);
        put_directory(&place, mode).map_err(|error| error.to_string())
    };
    folders.iter().map(put).collect()
}

/// Removes a directory that was made since, if it is empty.
pub(super) fn remove_made(difference: &Difference) -> Result<(), String> {
    let path = PathBuf::from(&difference.wanted.path);
    remove_empty(std::slice::from_ref(&path));
    if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Err(format!("{}: left as it is: it is not empty", path.display()));
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
    let done = Pinned::making(path, &mut made).map_err(|error| error.to_string()).and_then(|place| {
        is_still(difference, &place)?;
        let put = match (present, wanted.kind(), wanted.bits()) {
            (_, SavedKind::Link, _) => put_link(&place, &bytes),
            (_, SavedKind::Pipe, bits) => put_pipe(&place, bits.unwrap_or(0o600)),
            (Present::File { hash: now, .. }, _, Some(mode)) if now == hash => {
                put_mode(&place, mode).or_else(|_| put_file(&place, &bytes, mode, linked))
            }
            (Present::File { mode, .. }, _, None) => put_file(&place, &bytes, *mode, linked),
            (_, _, mode) => put_file(&place, &bytes, mode.unwrap_or(USUAL_MODE), linked),
        };
        put.map_err(|error| error.to_string())
    });
    if done.is_err() {
        remove_empty(&made);
    }
    done
}

/// Whether what was saved is still there.
fn is_still(difference: &Difference, place: &Pinned) -> Result<(), String> {
    let found = there(place).map_err(|error| error.to_string())?;
    let is_moved = difference.path != difference.now;
    let is_same = match (&difference.present, found) {
        // a directory may have gone with what was made in it; if it has not, nothing takes its place
        (Present::Nothing | Present::Directory(_), There::Nothing)
        | (Present::Directory(_), There::Other(_))
        | (Present::Pipe(_), There::Other(Kind::Fifo)) => true,
        (Present::Link(kept), There::Link(now)) => *kept == now,
        (Present::File { mark, .. }, There::File(meta)) => {
            let now = Mark::of(&meta);
            // a move is a change by itself, and so is the removal of another name
            let changed = if is_moved || mark.links > 1 { mark.changed } else { now.changed };
            *mark == Mark { changed, links: mark.links, ..now }
        }
        _ => false,
    };
    let shown = difference.path.display();
    if is_same { Ok(()) } else { Err(format!("{shown}: it has just been changed by somebody else")) }
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
