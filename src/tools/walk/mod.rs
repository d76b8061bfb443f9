//! Going through a directory's files with several threads: `.gitignore` obeyed with and without a repository, hidden
//! files included, the version control's own left out.
//!
//! Not ripgrep's own walker, though the meaning of an ignore file is its crate's: that one holds a whole directory in
//! memory before it shows the first file, and opens whatever is called `.gitignore`. Here a directory is read in
//! portions, so that one of a million files needs no more room than one of a thousand, and only regular files are read.
//! Links are shown and never followed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, FileType, ReadDir};
use std::io;
use std::mem;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use self::pool::{Pool, Task};
use super::{ToolResult, looking};
use crate::os::kernel::kernel_views;
use crate::workbench::ignored::{Rules, is_version_control};

pub(super) use names::{Names, unsearchable};
pub(super) use tally::{Tally, Unread};

mod names;
mod pool;
mod tally;

/// After this a search tells what it has: nobody waits longer for one.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// How long a search without a match may look for what was perhaps meant.
pub(super) const SECOND_LOOK: Duration = Duration::from_millis(500);
/// A search that does not end at its time is in the middle of one file, and left alone after this.
const GRACE: Duration = Duration::from_secs(5);
/// As many threads as there are cores, but no more than ripgrep takes.
const MOST_THREADS: usize = 12;
/// Entries of a directory held at once: one call of the system brings about a thousand.
const PORTION: usize = 1024;

/// Whether ignore files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ignored {
    /// What they name is left out.
    LeftOut,
    /// They are not looked at.
    Included,
}

/// What a visitor is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Files and links.
    Files,
    /// Directories too.
    All,
}

/// When a search is to end. Asked for every file, so it takes no lock.
#[derive(Debug, Clone)]
pub(super) struct Until {
    stopped: Arc<AtomicBool>,
    deadline: Instant,
}

impl Until {
    /// At the latest after `patience`.
    pub(super) fn within(patience: Duration) -> Self {
        Self { stopped: Arc::default(), deadline: Instant::now() + patience }
    }

    /// The same, but at the latest after `patience` from now.
    pub(super) fn sooner(&self, patience: Duration) -> Self {
        let deadline = self.deadline.min(Instant::now() + patience);
        Self { stopped: Arc::clone(&self.stopped), deadline }
    }

    pub(super) fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.is_late()
    }

    /// Whether it was the time that ended it.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Ends it now.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// Ends a search when nobody waits for it any more.
struct Waiting(Until);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Runs a search on a thread of its own. Nobody waits for it once it is cancelled; its threads end by themselves, at the
/// next entry or the next piece of a file.
pub(super) async fn searching<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce(&Until) -> Result<T, String> + Send + 'static,
) -> Result<T, ToolResult> {
    let (until, limit) = (Until::within(PATIENCE), PATIENCE + GRACE);
    let _waiting = Waiting(until.clone());
    let searched = looking(cancel, move || work(&until));
    tokio::time::timeout(limit, searched).await.unwrap_or_else(|_| {
        let seconds = limit.as_secs();
        Err(ToolResult::failed(format!(
            "Error: the search took longer than {seconds} s at one file: search a smaller directory, or with a \
                simpler pattern"
        )))
    })
}

/// Where to go, and what to see there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk<'a> {
    /// Absolute, without links.
    pub(super) root: &'a Path,
    /// Where there is no repository, a `.gitignore` above this directory does not count.
    pub(super) workspace: &'a Path,
    pub(super) ignored: Ignored,
    pub(super) shown: Shown,
    /// So many directories deep: 1 is what the root itself holds.
    pub(super) depth: usize,
    pub(super) until: &'a Until,
}

/// One entry of a directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) path: &'a Path,
    /// The path from the root of the walk on.
    pub(super) relative: &'a Path,
    /// No link is followed to tell it.
    pub(super) kind: FileType,
    entry: &'a DirEntry,
}

impl Seen<'_> {
    /// What the system knows of the entry itself, not of what it leads to.
    pub(super) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.entry.metadata()
    }
}

impl Walk<'_> {
    /// Shows what lies below the root, in no order, to the visitors of several threads (`visitor` makes each), until one
    /// breaks off or it is over. Says what the visitors were not shown.
    pub(super) fn each<V>(&self, visitor: impl Fn() -> V + Sync) -> Tally
    where
        V: FnMut(Seen<'_>) -> ControlFlow<()>,
    {
        let rules = match self.ignored {
            Ignored::LeftOut => Rules::above(self.root, self.workspace),
            Ignored::Included => None,
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let start = Work::Open(Place { path: self.root.to_owned(), depth: 1, rules });
        let (pool, tally) = (Pool::new(start, threads), Mutex::new(Tally::default()));
        let views = kernel_views(self.root);
        let work = || {
            let (pool, views, visit) = (&pool, views.as_slice(), visitor());
            let mut worker = Worker { walk: self, pool, views, tally: Tally::default(), visit };
            worker.run();
            tally.lock().unwrap_or_else(PoisonError::into_inner).add(mem::take(&mut worker.tally));
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // without a further thread this one does it alone
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    pool.leave();
                }
            }
            work();
        });
        tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A directory and what holds in it.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    /// Of what it holds.
    depth: usize,
    rules: Option<Arc<Rules>>,
}

/// What is still to be done to a directory.
#[derive(Debug)]
enum Work {
    Open(Place),
    /// There may be more entries than were read so far.
    GoOn(Place, ReadDir),
}

/// Entries of one directory, which the threads take one by one.
#[derive(Debug)]
struct Portion {
    place: PathBuf,
    entries: Vec<(DirEntry, OsString, FileType)>,
    next: AtomicUsize,
}

impl Portion {
    fn take(&self) -> Option<&(DirEntry, OsString, FileType)> {
        self.entries.get(self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn is_done(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.entries.len()
    }
}

/// The path of one entry after the other, in one buffer: taking paths apart costs more than the rest of a visit.
struct Spelled {
    bytes: Vec<u8>,
    /// Where the part from the root on, and where the name begins.
    root: usize,
    name: usize,
}

impl Spelled {
    fn new(place: &Path, root: &Path) -> Self {
        // the system's own root ends in the slash already
        let end = |path: &Path| path.as_os_str().len() + usize::from(path != Path::new("/"));
        let mut bytes = place.as_os_str().as_bytes().to_vec();
        bytes.resize(end(place), b'/');
        Self { bytes, root: end(root), name: end(place) }
    }

    fn end_in(&mut self, name: &OsStr) {
        self.bytes.truncate(self.name);
        self.bytes.extend_from_slice(name.as_bytes());
    }

    fn whole(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.bytes))
    }

    fn relative(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.bytes.get(self.root..).unwrap_or_default()))
    }
}

/// One thread of a walk.
struct Worker<'a, V> {
    walk: &'a Walk<'a>,
    pool: &'a Pool,
    /// Not entered.
    views: &'a [PathBuf],
    tally: Tally,
    visit: V,
}

impl<V> Drop for Worker<'_, V> {
    /// A visitor that panics must not leave the others waiting.
    fn drop(&mut self) {
        if thread::panicking() {
            self.pool.stop();
        }
    }
}

impl<V> Worker<'_, V>
where
    V: FnMut(Seen<'_>) -> ControlFlow<()>,
{
    fn run(&mut self) {
        while let Some(task) = self.pool.next() {
            let done = match task {
                Task::Directory(Work::Open(place)) => self.open(place),
                Task::Directory(Work::GoOn(place, listing)) => self.go_on(place, listing),
                Task::Help(portion) => self.show(&portion),
            };
            if done.is_break() {
                self.pool.stop();
            }
        }
    }

    fn open(&mut self, place: Place) -> ControlFlow<()> {
        if self.views.contains(&place.path) {
            return ControlFlow::Continue(());
        }
        match fs::read_dir(&place.path) {
            Ok(mut listing) => {
                let (entries, is_last) = self.read(&place, &mut listing);
                let rules = match self.walk.ignored {
                    Ignored::LeftOut => {
                        let names = entries.iter().map(DirEntry::file_name);
                        Rules::inside(place.rules, &place.path, is_last.then_some(names))
                    }
                    Ignored::Included => None,
                };
                self.portion(Place { rules, ..place }, entries, (!is_last).then_some(listing))
            }
            Err(error) => {
                self.tally.unread.push(&place.path, &error.to_string());
                ControlFlow::Continue(())
            }
        }
    }

    fn go_on(&mut self, place: Place, mut listing: ReadDir) -> ControlFlow<()> {
        let (entries, is_last) = self.read(&place, &mut listing);
        self.portion(place, entries, (!is_last).then_some(listing))
    }

    /// The next entries, and whether they are the last.
    fn read(&mut self, place: &Place, listing: &mut ReadDir) -> (Vec<DirEntry>, bool) {
        let mut entries = Vec::new();
        for entry in listing.by_ref() {
            match entry {
                Ok(entry) => entries.push(entry),
                Err(error) => self.tally.unread.push(&place.path, &error.to_string()),
            }
            if entries.len() == PORTION {
                return (entries, false);
            }
        }
        (entries, true)
    }

    /// Sorts out a portion: directories and the rest of the listing to the pool, the files to the visitor.
    fn portion(&mut self, place: Place, entries: Vec<DirEntry>, rest: Option<ReadDir>) -> ControlFlow<()> {
        let (mut directories, mut files) = (Vec::new(), Vec::new());
        let mut path = Spelled::new(&place.path, self.walk.root);
        for entry in entries {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            if is_version_control(&name) {
                continue;
            }
            path.end_in(&name);
            let path = path.whole();
            if let Some(rule) = place.rules.as_ref().and_then(|rules| rules.against(path, kind.is_dir())) {
                self.tally.ignored.push(path, rule);
                continue;
            }
            if kind.is_dir() && place.depth < self.walk.depth {
                let (path, rules) = (path.to_owned(), place.rules.clone());
                directories.push(Work::Open(Place { path, depth: place.depth + 1, rules }));
            }
            if !kind.is_dir() || self.walk.shown == Shown::All {
                files.push((entry, name, kind));
            }
        }
        let portion = Portion { place: place.path.clone(), entries: files, next: AtomicUsize::new(0) };
        let portion = Arc::new(portion);
        let rest = rest.map(|listing| Work::GoOn(place, listing));
        // the rest of the listing lies below the directories: they are done first, so few wait at any time
        self.pool.add(rest.into_iter().chain(directories), &portion);
        self.show(&portion)
    }

    fn show(&mut self, portion: &Portion) -> ControlFlow<()> {
        let mut path = Spelled::new(&portion.place, self.walk.root);
        while let Some((entry, name, kind)) = portion.take() {
            if self.walk.until.is_over() {
                return ControlFlow::Break(());
            }
            path.end_in(name);
            (self.visit)(Seen { path: path.whole(), relative: path.relative(), kind: *kind, entry })?;
        }
        if self.walk.until.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests;
