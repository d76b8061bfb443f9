//! What a command has changed, of all that differs: each file as it was before, saved where a rewind looks for it.
//!
//! What was only touched is no change: where length and times leave it open, the bytes are compared. What was not saved is
//! named with the reason. The surprise: a rewind goes to a message, so of each file only the first change since the last message
//! is recorded; without that the images of a log would grow with the square of its length.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::change::{Change, FolderChange, News, Seen};
use super::cover::{Copied, Next};
use super::git::{Git, Repo, Wanted};
use super::moved::Move;
use super::pack::Pack;
use super::tree::{Cover, Known, Tree, Why};
use crate::os::tree::Look;
use crate::protocol::{SavedFile, Was};
use crate::workbench::blobs::Blobs;
use crate::workbench::files::{Hash, Image};

/// What is needed to tell the changes.
pub(super) struct Compare<'a> {
    pub(super) tree: &'a mut Tree,
    pub(super) pack: &'a mut Pack,
    pub(super) blobs: Blobs<'a>,
    pub(super) git: Option<&'a Git>,
    /// The files whose first change since the last message is recorded.
    pub(super) recorded: &'a mut HashSet<PathBuf>,
    /// Set if one of them has changed again.
    pub(super) changed_again: &'a mut bool,
}

/// The changes that were found.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// In the order in which they can have happened; those of one moment by path.
    pub(super) saved: Vec<SavedFile>,
    /// Files that have changed, and cannot be named in a session.
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
    /// Tells the moves and then the changes; those that were only learnt are none.
    pub(super) fn tell(mut self, moves: &[Move], seen: Seen) -> Told {
        let (mut told, mut doubtful) = (Told::default(), Vec::new());
        if !moves.is_empty() {
            // a path means something else from here on
            self.recorded.clear();
        }
        let made = self.directories_made(&seen.changes);
        let folders: HashSet<&PathBuf> = seen.folders.iter().map(|change| &change.path).collect();
        for change in seen.changes {
            let Change { path, repo, was, news } = change;
            let is_own = matches!(self.tree.known(&path), Some(Known::File(_, Cover::None(Why::Own))));
            if news == News::Learnt || is_own || self.recorded.contains(&path) {
                *self.changed_again |= news == News::Changed && !is_own;
                if let Some(Known::File(_, Cover::Copied(piece))) = was {
                    self.pack.forget(&piece);
                }
                continue;
            }
            match was {
                // its directory is told as such
                Some(Known::Folder) if folders.contains(&path) => {}
                None | Some(Known::Folder) => {
                    if self.is_made(&path) {
                        let above =
                            path.ancestors().skip(1).take_while(|above| made.contains(*above)).count();
                        told.add_made(&path, above, 0);
                    }
                }
                // whether it was there before is not known
                Some(Known::LeftOut | Known::Unseen) => {}
                Some(Known::Pipe(mode)) => {
                    if self.tree.known(&path) != Some(&Known::Pipe(mode)) {
                        told.add_empty(&path, SavedFile::PIPE | mode);
                    }
                }
                Some(Known::Other) => told.add_lost(&path, "sockets and devices are not saved"),
                Some(Known::Link(_, target)) => {
                    let is_still =
                        matches!(self.tree.known(&path), Some(Known::Link(_, now)) if *now == target);
                    if !is_still {
                        let image = Image::of(target.as_bytes().to_vec());
                        told.add(&path, None, SavedFile::LINK, self.blobs.keep(&image).map(Some));
                    }
                }
                Some(Known::File(look, cover)) => {
                    let was = (look, cover);
                    let now = self.doubt(&path, was);
                    doubtful.extend(now.map(|now| Doubtful { path, repo, was, now }));
                }
            }
        }
        self.settle(doubtful, &mut told);
        for change in &seen.folders {
            self.folder(change, &mut told);
        }
        told.add_made_folders(&made);
        told.saved.sort_by(|a, b| a.path.cmp(&b.path));
        self.recorded.extend(told.saved.iter().map(|file| PathBuf::from(&file.path)));
        told.add_moves(moves);
        told
    }

    /// A directory that has gone, or has another mode.
    fn folder(&self, change: &FolderChange, told: &mut Told) {
        let now = self.tree.folders.get(&change.path).and_then(|folder| folder.look);
        let is_same = now.is_some_and(|now| now.mode == change.was.mode);
        if change.news == News::Changed && !is_same && !self.recorded.contains(&change.path) {
            told.add_empty(&change.path, SavedFile::DIRECTORY | change.was.mode);
        }
    }

    /// The directories that were not there before: a rewind removes them with what was made in them.
    fn directories_made(&self, changes: &[Change]) -> HashSet<PathBuf> {
        let is_new = |change: &&Change| match &change.was {
            None | Some(Known::File(..) | Known::Link(..) | Known::Pipe(_) | Known::Other) => {
                change.news == News::Changed
            }
            Some(Known::Folder | Known::LeftOut | Known::Unseen) => false,
        };
        let new = changes.iter().filter(is_new).map(|change| change.path.clone());
        new.filter(|path| matches!(self.tree.known(path), Some(Known::Folder))).collect()
    }

    /// Whether there is a file now.
    fn is_made(&self, path: &Path) -> bool {
        matches!(self.tree.known(path), Some(Known::File(..) | Known::Link(..) | Known::Pipe(_)))
    }

    /// What became of a file; none where it is known to hold what it held.
    fn doubt(&mut self, path: &Path, (look, cover): (Look, Cover)) -> Option<Now> {
        let (place, now, known) = match self.tree.known_mut(path) {
            Some((place, Known::File(now, known))) if now.size == look.size => {
                (Arc::clone(place), *now, known)
            }
            Some(_) | None => return Some(Now::Other),
        };
        let is_alike = now.is_same_file(&look) && (now.modified, now.mode) == (look.modified, look.mode);
        match cover {
            // it was moved with its directory
            Cover::Copied(_) if now == look => {
                *known = cover;
                return None;
            }
            // there is nothing to compare it with, and all that is known of it is the same
            Cover::None(_) if is_alike => return None,
            Cover::Copied(_) | Cover::Stored(_) | Cover::None(_) => {}
        }
        let known = *known;
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

    /// Fetches what is needed, compares, and saves.
    fn settle(&mut self, doubtful: Vec<Doubtful>, told: &mut Told) {
        let mut stored: Vec<Doubtful> = Vec::new();
        for file in doubtful {
            match file.was.1 {
                Cover::Copied(piece) => {
                    if !file.is_only_touched(&piece.hash) {
                        let kept = self.pack.read(&piece).and_then(|image| self.blobs.keep(&image));
                        told.add_file(&file, kept.map(Some));
                    }
                    self.pack.forget(&piece);
                }
                Cover::Stored(_) => stored.push(file),
                Cover::None(Why::Own) => {}
                Cover::None(why) => told.add_lost(&file.path, why.words()),
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
                        told.add_file(file, self.blobs.keep(&image).map(Some));
                    }
                }
            });
        }
        for file in by_object.into_values().flatten() {
            told.add_lost(&file.path, "git no longer has it");
        }
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
    /// A file or directory (by its type bits) that was not there, nor so many of the directories right above it.
    fn add_made(&mut self, path: &Path, above: usize, mode: u32) {
        match path.to_str() {
            Some(path) => self.saved.push(SavedFile { above, ..SavedFile::new(path, None, mode) }),
            None => self.lost += 1,
        }
    }

    /// Directories that were made and in which nothing was; the others go with what was made in them.
    fn add_made_folders(&mut self, made: &HashSet<PathBuf>) {
        let mut full: HashSet<PathBuf> =
            made.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
        for file in &self.saved {
            let path = Path::new(&file.path);
            full.insert(path.to_owned());
            // what was moved into a directory does not take it along
            let parent = path.parent().filter(|_| file.was() == Was::Nothing);
            full.extend(parent.map(Path::to_owned));
        }
        for path in made.iter().filter(|path| !full.contains(*path)) {
            let above = path.ancestors().skip(1).take_while(|above| made.contains(*above)).count();
            self.add_made(path, above, SavedFile::DIRECTORY);
        }
    }

    /// Moves come before all other changes.
    fn add_moves(&mut self, moves: &[Move]) {
        let mut saved = Vec::new();
        for Move { from, to, is_folder } in moves {
            let bits = if *is_folder { SavedFile::DIRECTORY } else { 0 };
            match (to.to_str(), from.to_str()) {
                (Some(to), Some(from)) => saved.push(SavedFile::moved(to, from, bits)),
                (None, _) | (_, None) => self.lost += 1,
            }
        }
        self.saved.splice(..0, saved);
    }

    /// A directory or a pipe, by its type bits and mode.
    fn add_empty(&mut self, path: &Path, mode: u32) {
        self.add(path, None, mode, Ok(Some(SavedFile::NO_HASH.to_owned())));
    }

    fn add_file(&mut self, file: &Doubtful, kept: io::Result<Option<String>>) {
        let look = file.was.0;
        self.add(&file.path, Some(&look), SavedFile::file_mode(look.mode), kept);
    }

    fn add_lost(&mut self, path: &Path, why: &str) {
        match path.to_str() {
            Some(path) => self.saved.push(SavedFile::unsaved(path, why)),
            None => self.lost += 1,
        }
    }

    /// A file, with the hash of what it held if it was there. One whose name is no text cannot be named in a session.
    fn add(&mut self, path: &Path, look: Option<&Look>, mode: u32, kept: io::Result<Option<String>>) {
        match (path.to_str(), kept) {
            (Some(path), Ok(before)) => {
                let (inode, linked) = (look.map(|look| look.inode), look.is_some_and(|look| look.is_linked));
                self.saved.push(SavedFile { inode, linked, ..SavedFile::new(path, before, mode) });
            }
            (Some(path), Err(error)) => {
                self.saved.push(SavedFile::unsaved(path, format!("cannot back it up: {error}")));
            }
            (None, _) => self.lost += 1,
        }
    }
}
