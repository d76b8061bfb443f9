//! What a command has changed, of all that differs: each file as it was before, kept where a rewind looks for it.
//!
//! What was only touched is no change: where length and times leave it open, the bytes are compared. The surprise: what cannot be
//! had back is not named at all, for a file that "was not there" would be removed by a rewind. It is counted.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cover::{Apart, Copied, Next};
use super::git::{Git, Repo, Wanted};
use super::pack::Pack;
use super::scan::{Change, News};
use super::tree::{Cover, Known, Tree, Why};
use crate::os::tree::Look;
use crate::protocol::SavedFile;
use crate::workbench::blobs::Blobs;
use crate::workbench::files::{Hash, Image};

/// What is needed to tell the changes.
pub(super) struct Compare<'a> {
    pub(super) tree: &'a mut Tree,
    pub(super) pack: &'a mut Pack,
    pub(super) blobs: Blobs<'a>,
    pub(super) git: Option<&'a Git>,
    pub(super) apart: &'a Apart,
}

/// The changes that were found.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// By path.
    pub(super) saved: Vec<SavedFile>,
    /// Files that have changed, and cannot be had back.
    pub(super) lost: usize,
}

/// A file that has changed, or was only touched.
struct Doubtful {
    path: PathBuf,
    repo: Option<Arc<Repo>>,
    was: (Look, Cover),
    now: Now,
}

/// What a file that was there is now.
enum Now {
    /// Another file, a link, nothing: there is no doubt.
    Other,
    /// A file of the same length with this content, and this mode.
    Alike(Hash, u32),
}

impl Compare<'_> {
    /// Tells the changes; those that were only learnt are none.
    pub(super) fn tell(mut self, changes: Vec<Change>) -> Told {
        let (mut told, mut doubtful) = (Told::default(), Vec::new());
        let made = self.directories_made(&changes);
        for change in changes {
            let path = change.path();
            let Change { place, was, news, name: _ } = change;
            if news == News::Learnt || (self.apart)(&path) {
                if let Some(Known::File(_, Cover::Copied(piece))) = was {
                    self.pack.forget(&piece);
                }
                continue;
            }
            match was {
                None | Some(Known::Folder | Known::Other) => {
                    if self.is_made(&path) {
                        let above =
                            path.ancestors().skip(1).take_while(|above| made.contains(*above)).count();
                        told.add_made(&path, above);
                    }
                }
                // whether it was there before is not known
                Some(Known::LeftOut | Known::Unseen) => {}
                Some(Known::Link(_, target)) => {
                    if !matches!(self.tree.known(&path), Some(Known::Link(_, now)) if *now == target) {
                        let image = Image::of(target.as_bytes().to_vec());
                        told.add(&path, SavedFile::LINK, self.blobs.keep(&image).map(Some));
                    }
                }
                Some(Known::File(look, cover)) => {
                    let (was, repo) = ((look, cover), place.repo.clone());
                    doubtful.extend(self.doubt(&path, was).map(|now| Doubtful { path, repo, was, now }));
                }
            }
        }
        self.settle(doubtful, &mut told);
        told.saved.sort_by(|a, b| a.path.cmp(&b.path));
        told
    }

    /// The directories that were not there before: a rewind takes them away with what was made in them.
    fn directories_made(&self, changes: &[Change]) -> HashSet<PathBuf> {
        let is_new = |change: &&Change| match &change.was {
            None | Some(Known::File(..) | Known::Link(..) | Known::Other) => change.news == News::Changed,
            Some(Known::Folder | Known::LeftOut | Known::Unseen) => false,
        };
        let new = changes.iter().filter(is_new).map(Change::path);
        new.filter(|path| matches!(self.tree.known(path), Some(Known::Folder))).collect()
    }

    /// Whether there is a file now.
    fn is_made(&self, path: &Path) -> bool {
        matches!(self.tree.known(path), Some(Known::File(..) | Known::Link(..)))
    }

    /// What became of a file; none where it is known to hold what it held.
    fn doubt(&mut self, path: &Path, (look, cover): (Look, Cover)) -> Option<Now> {
        let (place, now, known) = match self.tree.known_mut(path) {
            Some((place, Known::File(now, known))) if now.size == look.size => {
                (Arc::clone(place), *now, *known)
            }
            Some(_) | None => return Some(Now::Other),
        };
        if known == cover && now.mode == look.mode && matches!(cover, Cover::Stored(_)) {
            return None;
        }
        let next = Next { path: path.to_owned(), place, look: now };
        let copied = next.read();
        let hash = match &copied {
            Copied::Whole(image) => *image.hash(),
            Copied::Other | Copied::Unreadable => return Some(Now::Other),
        };
        next.keep(&copied, self.tree, self.pack);
        Some(Now::Alike(hash, now.mode))
    }

    /// Fetches what is needed, compares, and keeps.
    fn settle(&mut self, doubtful: Vec<Doubtful>, told: &mut Told) {
        let mut stored: Vec<Doubtful> = Vec::new();
        for file in doubtful {
            match file.was.1 {
                Cover::Copied(piece) => {
                    if !file.is_only_touched(&piece.hash) {
                        let kept = self.pack.read(&piece).and_then(|image| self.blobs.keep(&image));
                        told.add(&file.path, file.was.0.mode, kept.map(Some));
                    }
                    self.pack.forget(&piece);
                }
                Cover::Stored(_) => stored.push(file),
                Cover::None(Why::Apart) => {}
                Cover::None(Why::Waiting | Why::Large | Why::Unreadable | Why::Full) => told.lost += 1,
            }
        }
        while let Some(repo) = stored.first().and_then(|file| file.repo.clone()) {
            let is_of = |file: &Doubtful| file.repo.as_ref().is_some_and(|other| Arc::ptr_eq(other, &repo));
            let (of_this, others): (Vec<_>, Vec<_>) = stored.into_iter().partition(is_of);
            stored = others;
            self.fetch(&repo, &of_this, told);
        }
    }

    fn fetch(&mut self, repo: &Repo, files: &[Doubtful], told: &mut Told) {
        let mut by_object: HashMap<Wanted, Vec<&Doubtful>> = HashMap::new();
        for file in files {
            if let Cover::Stored(id) = file.was.1 {
                by_object.entry(Wanted { id, size: file.was.0.size }).or_default().push(file);
            }
        }
        let wanted: Vec<Wanted> = by_object.keys().copied().collect();
        if let Some(git) = self.git {
            git.contents(repo, &wanted, |wanted, bytes| {
                let image = Image::of(bytes);
                for file in by_object.remove(&wanted).unwrap_or_default() {
                    if !file.is_only_touched(image.hash()) {
                        told.add(&file.path, file.was.0.mode, self.blobs.keep(&image).map(Some));
                    }
                }
            });
        }
        told.lost += by_object.values().map(Vec::len).sum::<usize>();
    }
}

impl Doubtful {
    fn is_only_touched(&self, before: &Hash) -> bool {
        match &self.now {
            Now::Other => false,
            Now::Alike(hash, mode) => hash == before && *mode == self.was.0.mode,
        }
    }
}

impl Told {
    /// A file that was not there, nor so many of the directories right above it.
    fn add_made(&mut self, path: &Path, above: usize) {
        match path.to_str() {
            Some(path) => self.saved.push(SavedFile { above, ..SavedFile::new(path, None, 0) }),
            None => self.lost += 1,
        }
    }

    /// A file, with the hash of what it held if it was there. One whose name is no text cannot be named in a session.
    fn add(&mut self, path: &Path, mode: u32, kept: io::Result<Option<String>>) {
        match (path.to_str(), kept) {
            (Some(path), Ok(before)) => self.saved.push(SavedFile::new(path, before, mode)),
            (Some(_), Err(_)) | (None, _) => self.lost += 1,
        }
    }
}
