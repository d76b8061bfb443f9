//! Seeing to it that the bytes of a file could be had back: git has them, or they are copied.
//!
//! Copying is done in portions, the youngest files first: some before a command, the rest while nothing runs. The surprise: a
//! copy counts only if the file was the same before and after it was read, and the same that was looked at.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git::{Git, Id, Repo};
use super::pack::Pack;
use super::scan::Young;
use super::tree::{Cover, Known, Place, Tree, Why};
use crate::os::tree::{Look, look_at};
use crate::workbench::files::Image;

/// A larger file is not copied.
pub(super) const MOST_FILE: u64 = 32 * 1024 * 1024;

/// Why nothing of a file is copied, if so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It may hold a secret.
    Secret,
    /// It is the program's own.
    Own,
}

/// Files that are kept apart: nothing of them is copied.
pub type Apart = dyn Fn(&Path) -> Option<Reason> + Send + Sync;

/// The files that wait to be copied, the youngest last.
#[derive(Debug, Default)]
pub(super) struct Queue(Vec<(i64, PathBuf)>);

/// How much is copied at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) files: usize,
    pub(super) bytes: u64,
}

/// A file that is next to be copied.
#[derive(Debug)]
pub(super) struct Next {
    pub(super) path: PathBuf,
    pub(super) place: Arc<Place>,
    pub(super) look: Look,
}

/// What came of a copy.
pub(super) enum Copied {
    Whole(Image),
    /// It is another one by now: the next look will tell.
    Other,
    Unreadable,
}

impl Queue {
    pub(super) fn add(&mut self, files: Vec<(i64, PathBuf)>) {
        if !files.is_empty() {
            self.0.extend(files);
            self.0.sort_unstable();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next that still waits.
    pub(super) fn next(&mut self, tree: &mut Tree) -> Option<Next> {
        while let Some((_, path)) = self.0.pop() {
            if let Some((place, Known::File(look, Cover::None(Why::Waiting)))) = tree.known_mut(&path) {
                let (place, look) = (Arc::clone(place), *look);
                return Some(Next { path, place, look });
            }
        }
        None
    }
}

impl Next {
    /// Reads the file, if it is the one that was looked at.
    pub(super) fn read(&self) -> Copied {
        let Some(name) = self.path.file_name() else { return Copied::Unreadable };
        let Ok((mut file, look)) = self.place.root.file(&self.place.relative().join(name)) else {
            return Copied::Unreadable;
        };
        if look != self.look {
            return Copied::Other;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(look.size).unwrap_or(0));
        match (&mut file).take(MOST_FILE + 1).read_to_end(&mut bytes) {
            Err(_) => Copied::Unreadable,
            Ok(_) if look_at(&file).is_ok_and(|now| now == look) && bytes.len() as u64 == look.size => {
                Copied::Whole(Image::of(bytes))
            }
            Ok(_) => Copied::Other,
        }
    }

    /// Keeps what was read, if the file is still known as the one that was looked at.
    pub(super) fn keep(&self, copied: &Copied, tree: &mut Tree, pack: &mut Pack) {
        let Some((_, Known::File(look, cover @ Cover::None(Why::Waiting)))) = tree.known_mut(&self.path)
        else {
            return;
        };
        if *look != self.look {
            return;
        }
        *cover = match copied {
            Copied::Whole(image) => match pack.keep(image) {
                Ok(Some(piece)) => Cover::Copied(piece),
                Ok(None) | Err(_) => Cover::None(Why::Full),
            },
            Copied::Other => Cover::None(Why::Waiting),
            Copied::Unreadable => Cover::None(Why::Unreadable),
        };
    }
}

/// Copies the next files, as many as the budget has room for.
pub(super) fn copy(queue: &mut Queue, tree: &mut Tree, pack: &mut Pack, mut budget: Budget) {
    while budget.files > 0 && budget.bytes > 0 {
        let Some(next) = queue.next(tree) else { return };
        next.keep(&next.read(), tree, pack);
        budget.files -= 1;
        budget.bytes = budget.bytes.saturating_sub(next.look.size);
    }
}

/// Finds out of files that are new or have changed whether git has them, and gives those that have to be copied. A file that is
/// young may change once more without a trace: it is copied in any case.
pub(super) fn sort_out(
    tree: &mut Tree,
    files: &[PathBuf],
    git: Option<&Git>,
    apart: &Apart,
    young: Young,
) -> Vec<(i64, PathBuf)> {
    let mut stored = Vec::new();
    for path in files {
        let Some((place, Known::File(look, _))) = tree.known_mut(path) else { continue };
        if !young.is(look)
            && let Some(repo) = &place.repo
            && repo.is_apart_from(place.root.path())
            && let Some(id) = repo.stored(path, look)
        {
            stored.push((Arc::clone(repo), id, look.size, path));
        }
    }
    if let Some(git) = git {
        for (id, size, path) in of_their_size(git, stored) {
            if let Some((_, Known::File(look, cover))) = tree.known_mut(path)
                && look.size == size
            {
                *cover = Cover::Stored(id);
            }
        }
    }
    let mut waiting = Vec::new();
    for path in files {
        let Some((_, Known::File(look, cover @ Cover::None(_)))) = tree.known_mut(path) else { continue };
        *cover = Cover::None(match apart(path) {
            Some(Reason::Secret) => Why::Secret,
            Some(Reason::Own) => Why::Own,
            None if look.size > MOST_FILE => Why::Large,
            None => Why::Waiting,
        });
        if *cover == Cover::None(Why::Waiting) {
            waiting.push((look.changed, path.clone()));
        }
    }
    waiting
}

/// Those whose stored object is as long as the file: what was converted on its way is another content.
fn of_their_size<'a>(
    git: &Git,
    stored: Vec<(Arc<Repo>, Id, u64, &'a PathBuf)>,
) -> Vec<(Id, u64, &'a PathBuf)> {
    let mut right = Vec::new();
    let mut rest = stored;
    while let Some((repo, ..)) = rest.first() {
        let repo = Arc::clone(repo);
        let (of_this, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(other, ..)| Arc::ptr_eq(other, &repo));
        rest = others;
        git.ask_filters(&repo);
        if repo.has_filters() {
            continue;
        }
        let ids: Vec<Id> = of_this.iter().map(|(_, id, ..)| *id).collect();
        let sizes = git.sizes(&repo, &ids);
        right.extend(
            of_this
                .into_iter()
                .filter(|(_, id, size, _)| sizes.get(id) == Some(size))
                .map(|(_, id, size, path)| (id, size, path)),
        );
    }
    right
}
