//! Going through the tree once more, with several threads: what differs from what is known.
//!
//! Folders that are known are looked into side by side, for nothing has to be found out about them first; what is new in them
//! follows floor by floor. Only what differs is told. The surprise: rules are looked at first. Where an ignore file has changed, the
//! round is begun again under the new rules, lest a directory that a command makes and has ignored is told with all its files.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::change::{Change, FolderChange, News, Seen};
use super::git::Repo;
use super::sight::{Sight, note_guide, of_directory, sight};
use super::tree::{Cover, Folder, Guides, Known, Place, Tree, Why};
use crate::os::hands::{cores, side_by_side};
use crate::os::stir::{Stirred, Stirs, Watched};
use crate::os::tree::{Directory, Kind, Look};
use crate::workbench::ignored::{NAMES, Rules, is_version_control};

/// More threads only wait for one another's locks in the kernel.
const MOST_THREADS: usize = 4;
/// Folders that a thread takes at a time; fewer than that are looked into by one.
const PORTION: usize = 16;
/// A tree with more names is not looked after: going through it would hold up every command.
pub(super) const MOST_NAMES: usize = 200_000;

/// Two changes within the grain of a system's clock leave the same time, in nanoseconds: 10 ms at most on Linux.
const GRAIN: i64 = 20_000_000;
/// Where times have no parts of seconds.
const COARSE: i64 = 2_000_000_000;
const SECOND: i64 = 1_000_000_000;

/// Somebody may write ignore files all the time.
const MOST_ROUNDS: usize = 4;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Everything.
    Whole,
    /// The folders in which something may have happened since the last look, as far as the kernel tells it.
    Stirred,
}

/// The tree has more names than are looked after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany;

/// A folder that nobody has looked into.
struct Fresh {
    place: Place,
    news: News,
}

/// What was found in a folder.
struct Found {
    place: Arc<Place>,
    guides: Guides,
    sights: Vec<(OsString, Sight)>,
    gone: Vec<OsString>,
    own: Option<Look>,
    look: Option<Look>,
    watched: Option<Watched>,
    news: News,
    is_closed: bool,
}

/// From when on a time is too young to be believed: within the grain of the system's clock another change leaves the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Young {
    /// When the look began, in nanoseconds since 1970.
    pub(super) now: i64,
}

impl Young {
    /// Whether what looks like this may change once more without a trace.
    pub(super) fn is(self, look: &Look) -> bool {
        let grain = if look.changed % SECOND == 0 { COARSE } else { GRAIN };
        look.changed >= self.now - grain
    }

    fn old(self, look: Option<Look>) -> Option<Look> {
        look.filter(|look| !self.is(look))
    }
}

impl Found {
    fn nothing(place: &Arc<Place>, own: (Option<Look>, Option<Look>), news: News) -> Self {
        let ((own, look), place, watched) = (own, Arc::clone(place), None);
        let (sights, gone, guides) = (Vec::new(), Vec::new(), Guides::default());
        Self { place, guides, sights, gone, own, look, watched, news, is_closed: false }
    }

    fn see(&mut self, directory: &Directory, name: &OsStr, look: Look) {
        let sight = sight(&self.place, directory, name, look);
        self.sights.extend(sight.map(|sight| (name.to_owned(), sight)));
    }

    fn has_links(&self) -> bool {
        self.sights.iter().any(|(_, sight)| matches!(sight, Sight::File(look) if look.is_linked))
    }

    fn differs(&self, from: &Folder) -> bool {
        !self.sights.is_empty() || !self.gone.is_empty() || self.guides != from.guides || from.is_closed
    }
}

/// Looks at the tree, brings what is known of it up to now, and tells the differences. Roots that are new are learnt.
pub(super) fn look(
    tree: &mut Tree,
    roots: &[PathBuf],
    young: Young,
    extent: Extent,
) -> Result<Seen, TooMany> {
    let mut seen = Seen::default();
    let mut fresh = Vec::new();
    for found in again(tree, young, extent) {
        merge(tree, found, &mut seen, &mut fresh);
    }
    for path in tree.unseen(roots) {
        if let Ok(place) = tree.add(&path) {
            fresh.push(Fresh { place, news: News::Learnt });
        }
    }
    let names = AtomicUsize::new(tree.count());
    while !fresh.is_empty() {
        let (views, stirs) = (tree.views.as_slice(), tree.stirs.as_ref());
        let found = each(&fresh, |fresh| {
            let is_view = views.contains(&fresh.place.path);
            let found = if is_view { None } else { first_look(fresh, &names, young, stirs) };
            Some(found.unwrap_or_else(|| closed(fresh)))
        });
        if names.load(Ordering::Relaxed) > MOST_NAMES {
            return Err(TooMany);
        }
        fresh = Vec::new();
        for found in found {
            settle(tree, found, &mut seen.changes, &mut fresh);
        }
    }
    Ok(seen)
}

/// Looks into the folders that are known, under the rules of now.
fn again(tree: &mut Tree, young: Young, mut extent: Extent) -> Vec<Found> {
    // asked first: what happens while somebody looks is told at the next look
    let stirred = tree.stirs.as_ref().map_or_else(Stirred::anywhere, Stirs::take);
    let mut rounds = 1;
    loop {
        if tree.has_links {
            extent = Extent::Whole;
        }
        let wanted = |folder: &&Folder| extent == Extent::Whole || stirred.is_in(folder.watched);
        let folders: Vec<&Folder> = tree.folders.values().filter(wanted).collect();
        let ears = (tree.stirs.as_ref(), &stirred);
        let found = each(&folders, |folder| look_again(folder, young, ears));
        if extent == Extent::Stirred && found.iter().any(Found::has_links) {
            tree.has_links = true;
            continue;
        }
        let of_rules = |found: &&Found| {
            tree.folders.get(&found.place.path).is_some_and(|folder| folder.guides != found.guides)
        };
        let ruled: Vec<(PathBuf, Guides)> =
            found.iter().filter(of_rules).map(|found| (found.place.path.clone(), found.guides)).collect();
        if ruled.is_empty() || rounds == MOST_ROUNDS {
            return found;
        }
        rounds += 1;
        extent = Extent::Whole;
        for (path, guides) in ruled {
            tree.read_rules(&path, guides);
        }
    }
}

/// What differs in a folder; none where nothing does.
fn look_again(folder: &Folder, young: Young, (stirs, stirred): (Option<&Stirs>, &Stirred)) -> Option<Found> {
    let place = &folder.place;
    // looked at by its name in itself, which needs the permission that looking at its files needs
    let opened = place.root.directory(place.relative()).ok();
    let opened = opened.and_then(|directory| Some((directory.look(OsStr::new("."))?, directory)));
    let Some((own, directory)) = opened else { return look_at_closed(folder) };
    let own = Some(own);
    let is_over = own.is_some_and(|own| stirred.is_over(folder.watched, own.inode));
    let watched = if is_over { stirs.and_then(|stirs| stirs.watch(&directory)) } else { folder.watched };
    if own.is_some() && own == folder.own && watched == folder.watched && !folder.is_closed {
        return look_at_known(folder, &directory);
    }
    let names = directory.names().ok()?;
    let mut found = Found { watched, ..Found::nothing(place, (young.old(own), own), News::Changed) };
    let mut matched = 0;
    for (name, kind) in &names {
        // the file that leads to a repository is like any other
        if is_version_control(name) && *kind != Some(Kind::File) {
            continue;
        }
        note_guide(&mut found.guides, &directory, name);
        match folder.names.get(name) {
            Some(Known::Folder) if *kind == Some(Kind::Directory) => matched += 1,
            Some(Known::LeftOut) => matched += 1,
            known => {
                let Some(look) = directory.look(name) else { continue };
                matched += usize::from(known.is_some());
                if known.is_none_or(|known| !known.is_still(&look)) {
                    found.see(&directory, name, look);
                }
            }
        }
    }
    if matched < folder.names.len() {
        found.gone = gone(folder, &names);
    }
    if folder.is_closed {
        found.news = News::Learnt;
    }
    let is_other = (found.own, found.look, found.watched) != (folder.own, folder.look, folder.watched);
    (found.differs(folder) || is_other).then_some(found)
}

/// The same of one that cannot be read: what is known of its files stays so, unless it is another directory by now.
fn look_at_closed(folder: &Folder) -> Option<Found> {
    let relative = folder.place.relative();
    let above = folder.place.root.directory(relative.parent()?).ok()?;
    let look = above.look(relative.file_name()?).filter(|look| look.kind == Kind::Directory)?;
    let was = folder.look.filter(|was| *was != look)?;
    let is_other = !was.is_same_directory(&look);
    let gone = if is_other { folder.names.keys().cloned().collect() } else { Vec::new() };
    let (guides, watched) = (folder.guides, folder.watched);
    let found = Found::nothing(&folder.place, (None, Some(look)), News::Changed);
    Some(Found { guides, gone, watched, ..found })
}

/// The same where no name has come or gone: what is left is to look at each.
fn look_at_known(folder: &Folder, directory: &Directory) -> Option<Found> {
    let own = (folder.own, folder.look);
    let mut found = Found { watched: folder.watched, ..Found::nothing(&folder.place, own, News::Changed) };
    for (name, known) in &folder.names {
        match known {
            Known::Folder | Known::LeftOut => {}
            Known::File(..) | Known::Link(..) | Known::Unseen | Known::Pipe(_) | Known::Other => {
                match directory.look(name) {
                    Some(look) if known.is_still(&look) => {}
                    Some(look) => found.see(directory, name, look),
                    // just now
                    None => found.gone.push(name.clone()),
                }
            }
        }
    }
    for ((guide, known), name) in found.guides.iter_mut().zip(&folder.guides).zip(NAMES) {
        *guide = known.and_then(|_| directory.look(OsStr::new(name)));
    }
    found.differs(folder).then_some(found)
}

fn gone(folder: &Folder, names: &[(OsString, Option<Kind>)]) -> Vec<OsString> {
    let there: HashSet<&OsString> = names.iter().map(|(name, _)| name).collect();
    folder.names.keys().filter(|name| !there.contains(name)).cloned().collect()
}

/// All of a folder that is new, and what it brings; none where it cannot be read.
fn first_look(fresh: &Fresh, count: &AtomicUsize, young: Young, stirs: Option<&Stirs>) -> Option<Found> {
    let directory = fresh.place.root.directory(fresh.place.relative()).ok()?;
    // before its names are read: what comes behind them is told
    let watched = stirs.and_then(|stirs| stirs.watch(&directory));
    let own = directory.own();
    let names = directory.names().ok()?;
    if count.fetch_add(names.len(), Ordering::Relaxed) > MOST_NAMES {
        return None;
    }
    let place = Arc::new(with_own(&fresh.place, &names));
    let mut found = Found { watched, ..Found::nothing(&place, (young.old(own), own), fresh.news) };
    for (name, kind) in &names {
        // the file that leads to a repository is like any other
        if is_version_control(name) && *kind != Some(Kind::File) {
            continue;
        }
        note_guide(&mut found.guides, &directory, name);
        match kind {
            Some(Kind::Directory) => found.sights.push((name.clone(), of_directory(&place, name))),
            Some(Kind::File | Kind::Link | Kind::Pipe | Kind::Other) | None => {
                if let Some(look) = directory.look(name) {
                    found.see(&directory, name, look);
                }
            }
        }
    }
    Some(found)
}

fn closed(fresh: &Fresh) -> Found {
    Found { is_closed: true, ..Found::nothing(&Arc::new(fresh.place.clone()), (None, None), fresh.news) }
}

/// The place with the rules and the repository that the directory itself brings.
fn with_own(place: &Place, names: &[(OsString, Option<Kind>)]) -> Place {
    let is_hidden = |name: &&OsString| name.as_bytes().first() == Some(&b'.');
    let names = || names.iter().map(|(name, _)| name).filter(is_hidden);
    let is_top = names().any(|name| name == ".git");
    let repo = is_top.then(|| Repo::at(&place.path)).flatten().or_else(|| place.repo.clone());
    let rules = Rules::inside(place.above.clone(), &place.path, Some(names().cloned()));
    Place { rules, repo, ..place.clone() }
}

/// Brings a known folder up to now.
fn merge(tree: &mut Tree, found: Found, seen: &mut Seen, fresh: &mut Vec<Fresh>) {
    tree.has_links |= found.has_links();
    let Found { place, guides, sights, gone, own, look, watched, news, is_closed: _ } = found;
    // it went with the directory above, which was told before
    let Some(folder) = tree.folders.get_mut(&place.path) else { return };
    if let (Some(was), Some(look)) = (folder.look, look)
        && (!was.is_same_directory(&look) || was.mode != look.mode)
    {
        seen.folders.push(FolderChange { path: place.path.clone(), was, news });
    }
    (folder.guides, folder.own, folder.watched, folder.is_closed) = (guides, own, watched, false);
    folder.look = look;
    let mut removed = Vec::new();
    let gone = gone.into_iter().map(|name| (name, None));
    for (name, sight) in gone.chain(sights.into_iter().map(|(name, sight)| (name, Some(sight)))) {
        let was = folder.names.remove(&name);
        let path = place.path.join(&name);
        if was == Some(Known::Folder) {
            removed.push(path.clone());
        }
        let news = if was == Some(Known::Unseen) { News::Learnt } else { news };
        if let Some(sight) = sight {
            enter(folder, &name, sight, fresh, news);
        }
        seen.changes.push(Change { path, repo: place.repo.clone(), was, news });
    }
    for path in removed {
        for folder in tree.remove(&path) {
            let Folder { place, names, look, .. } = folder;
            let news = News::Changed;
            seen.folders.extend(look.map(|was| FolderChange { path: place.path.clone(), was, news }));
            seen.changes.extend(names.into_iter().map(|(name, known)| {
                let (path, repo) = (place.path.join(name), place.repo.clone());
                Change { path, repo, was: Some(known), news }
            }));
        }
    }
}

/// Takes a new folder in.
fn settle(tree: &mut Tree, found: Found, changes: &mut Vec<Change>, fresh: &mut Vec<Fresh>) {
    tree.has_links |= found.has_links();
    let Found { place, guides, sights, own, look, watched, news, is_closed, gone: _ } = found;
    if let Some(repo) = place.repo.as_ref().filter(|repo| repo.top() == place.path) {
        tree.repos.push(Arc::clone(repo));
    }
    let names = HashMap::with_capacity(sights.len());
    let mut folder = Folder { place, names, guides, own, look, watched, is_closed };
    for (name, sight) in sights {
        enter(&mut folder, &name, sight, fresh, news);
        let (path, repo) = (folder.place.path.join(name), folder.place.repo.clone());
        changes.push(Change { path, repo, was: None, news });
    }
    tree.folders.insert(folder.place.path.clone(), folder);
}

fn enter(folder: &mut Folder, name: &OsStr, sight: Sight, fresh: &mut Vec<Fresh>, news: News) {
    let known = match sight {
        Sight::File(look) => Known::File(look, Cover::None(Why::Waiting)),
        Sight::Link(look, target) => Known::Link(look, target),
        Sight::Folder { is_left_out } => {
            fresh.push(Fresh { place: folder.place.below(name, is_left_out), news });
            Known::Folder
        }
        Sight::LeftOut => Known::LeftOut,
        Sight::Pipe(mode) => Known::Pipe(mode),
        Sight::Other => Known::Other,
    };
    folder.names.insert(name.to_owned(), known);
}

/// What comes of each that anything comes of.
fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let threads = cores(MOST_THREADS).min(items.len().div_ceil(PORTION));
    side_by_side(items, threads, PORTION, work).into_iter().flatten().collect()
}
