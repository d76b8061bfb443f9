//! What is known of a tree of files, a folder each: what every name stood for when it was looked at last, and how its bytes
//! could be had back.
//!
//! Values; the looking is [`scan`](super::scan)'s, and what a change means is said elsewhere. The surprise: a name
//! that an ignore file leaves out is remembered as well. When it is left out no longer, it has not been made: it was there, and
//! nothing is known of it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git::{Id, Repo};
use super::pack::Piece;
use crate::os::kernel::kernel_views;
use crate::os::stir::{Stirs, Watched};
use crate::os::tree::{Kind, Look, Root};
use crate::workbench::ignored::{NAMES, Rules};

/// What is known of all roots.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) folders: HashMap<PathBuf, Folder>,
    roots: Vec<Arc<Root>>,
    /// Whose work trees these are, or parts of them.
    pub(super) repos: Vec<Arc<Repo>>,
    /// Not entered.
    pub(super) views: Vec<PathBuf>,
    /// What tells where something happens.
    pub(super) stirs: Option<Stirs>,
    /// A file was seen that has other names: what happens to it may be told of another folder.
    pub(super) has_links: bool,
}

/// A directory, and what holds in it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) root: Arc<Root>,
    /// Absolute.
    pub(super) path: PathBuf,
    /// The rules of the directories above, and those with its own.
    pub(super) above: Option<Arc<Rules>>,
    pub(super) rules: Option<Arc<Rules>>,
    pub(super) repo: Option<Arc<Repo>>,
    /// A rule leaves it out, but for what git tracks there.
    pub(super) is_left_out: bool,
}

/// What is known of a directory.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) place: Arc<Place>,
    pub(super) names: HashMap<OsString, Known>,
    pub(super) guides: Guides,
    /// What the system said of the directory when its names were read; none where they may have changed since without a trace.
    pub(super) own: Option<Look>,
    /// The same, however young it was.
    pub(super) look: Option<Look>,
    /// Whether it is told that something happens in it.
    pub(super) watched: Option<Watched>,
    /// It could not be read, so nothing is known of what is in it.
    pub(super) is_closed: bool,
}

/// The ignore files of a directory.
pub(super) type Guides = [Option<Look>; NAMES.len()];

/// What a name stood for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    File(Look, Cover),
    Link(Look, OsString),
    /// See the folder of that path.
    Folder,
    /// An ignore file names it.
    LeftOut,
    /// It was there, and nothing else is known.
    Unseen,
    /// A pipe with these mode bits.
    Pipe(u32),
    /// A socket, a device.
    Other,
}

/// How the bytes of a file could be had back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    Copied(Piece),
    Stored(Id),
    None(Why),
}

/// Why they could not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Nobody has come to it yet.
    Waiting,
    Large,
    /// It may hold a secret.
    Secret,
    /// It is the program's own.
    Own,
    Unreadable,
    /// There is no more room for copies.
    Full,
}

impl Why {
    /// The reason in words, as it is named where a change cannot be undone.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Waiting => "it was changed before it was backed up",
            Self::Large => "it is over 32 MB, too large to back up",
            Self::Secret => "it may contain a secret, so it is not backed up",
            Self::Own => "it belongs to clawd",
            Self::Unreadable => "it cannot be read",
            Self::Full => "the backups had reached 1 GB",
        }
    }
}

impl Tree {
    /// Whether every root is still what it was.
    pub(super) fn is_there(&self) -> bool {
        self.roots.iter().all(|root| root.is_there())
    }

    /// The roots that it has not seen.
    pub(super) fn unseen(&self, roots: &[PathBuf]) -> Vec<PathBuf> {
        let is_known = |path: &PathBuf| self.roots.iter().any(|root| path.starts_with(root.path()));
        roots.iter().filter(|path| !is_known(path)).cloned().collect()
    }

    /// One more root, and its place.
    pub(super) fn add(&mut self, path: &Path) -> io::Result<Place> {
        let root = Arc::new(Root::open(path)?);
        self.views.extend(kernel_views(path));
        self.roots.push(Arc::clone(&root));
        let above = Rules::above(path, path);
        let repo = Repo::around(path);
        self.repos.extend(repo.iter().filter(|repo| repo.top() != path).cloned());
        Ok(Place {
            root,
            path: path.to_owned(),
            above: above.clone(),
            rules: above,
            repo,
            is_left_out: false,
        })
    }

    /// Takes out all that is known below a directory, itself included.
    pub(super) fn remove(&mut self, path: &Path) -> Vec<Folder> {
        let Some(folder) = self.folders.remove(path) else { return Vec::new() };
        let below: Vec<PathBuf> = folder.folders().map(|name| path.join(name)).collect();
        let mut all = vec![folder];
        for path in below {
            all.append(&mut self.remove(&path));
        }
        all
    }

    /// The rules of a directory have changed: they are read again, there and below. What they left out and do not any more is
    /// there, and not known.
    pub(super) fn read_rules(&mut self, path: &Path, guides: Guides) {
        let Some(folder) = self.folders.get_mut(path) else { return };
        folder.guides = guides;
        let names = guides.iter().zip(NAMES).filter(|(look, _)| look.is_some()).map(|(_, name)| name);
        let names = names.chain(folder.place.has_repository().then_some(".git")).map(OsString::from);
        let rules = Rules::inside(folder.place.above.clone(), path, Some(names));
        let place = Arc::new(Place { rules: rules.clone(), ..Place::clone(&folder.place) });
        folder.place = Arc::clone(&place);
        for (name, known) in &mut folder.names {
            if *known == Known::LeftOut
                && !place.leaves_out(name, Kind::File)
                && !place.leaves_out(name, Kind::Directory)
            {
                *known = Known::Unseen;
            }
        }
        let below: Vec<PathBuf> = folder.folders().map(|name| path.join(name)).collect();
        for path in below {
            let Some(folder) = self.folders.get_mut(&path) else { continue };
            folder.place = Arc::new(Place { above: rules.clone(), ..Place::clone(&folder.place) });
            let guides = folder.guides;
            self.read_rules(&path, guides);
        }
    }

    /// What is known of a path.
    pub(super) fn known(&self, path: &Path) -> Option<&Known> {
        self.folders.get(path.parent()?)?.names.get(path.file_name()?)
    }

    /// The same, to be changed; with its place.
    pub(super) fn known_mut(&mut self, path: &Path) -> Option<(&Arc<Place>, &mut Known)> {
        let folder = self.folders.get_mut(path.parent()?)?;
        Some((&folder.place, folder.names.get_mut(path.file_name()?)?))
    }

    /// Everything that is known.
    pub(super) fn all(&self) -> impl Iterator<Item = &Known> {
        self.folders.values().flat_map(|folder| folder.names.values())
    }

    /// How many names are known.
    pub(super) fn count(&self) -> usize {
        self.folders.values().map(|folder| folder.names.len()).sum()
    }
}

impl Folder {
    fn folders(&self) -> impl Iterator<Item = &OsString> {
        self.names.iter().filter(|(_, known)| **known == Known::Folder).map(|(name, _)| name)
    }
}

impl Place {
    /// The place of a directory in this one, without its own rules.
    pub(super) fn below(&self, name: &OsStr, is_left_out: bool) -> Self {
        Self {
            root: Arc::clone(&self.root),
            path: self.path.join(name),
            above: self.rules.clone(),
            rules: self.rules.clone(),
            repo: self.repo.clone(),
            is_left_out,
        }
    }

    /// From the root on.
    pub(super) fn relative(&self) -> &Path {
        self.path.strip_prefix(self.root.path()).unwrap_or(&self.path)
    }

    /// Whether an ignore file names this entry, or the directory itself.
    pub(super) fn leaves_out(&self, name: &OsStr, kind: Kind) -> bool {
        let against =
            |rules: &Arc<Rules>| rules.against(&self.path.join(name), kind == Kind::Directory).is_some();
        self.is_left_out || self.rules.as_ref().is_some_and(against)
    }

    /// Whether git tracks it, or something in it, whatever an ignore file says.
    pub(super) fn tracks(&self, name: &OsStr) -> bool {
        self.repo.as_ref().is_some_and(|repo| repo.tracks(&self.path.join(name)))
    }

    /// Whether a work tree begins here.
    fn has_repository(&self) -> bool {
        self.repo.as_ref().is_some_and(|repo| repo.top() == self.path)
    }
}

impl Known {
    /// Whether the entry, as it looks now, is the one that was seen.
    pub(super) fn is_still(&self, now: &Look) -> bool {
        match self {
            Self::File(look, _) | Self::Link(look, _) => look == now,
            Self::Folder => now.kind == Kind::Directory,
            Self::Pipe(mode) => now.kind == Kind::Pipe && now.mode == *mode,
            Self::Other => now.kind == Kind::Other,
            Self::LeftOut => true,
            Self::Unseen => false,
        }
    }
}
