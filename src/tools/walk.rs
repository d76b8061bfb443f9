//! Going through a directory's files side by side, as ripgrep does: `.gitignore` obeyed with and without a repository,
//! hidden files included, the version control's own left out.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;

use ignore::{DirEntry, WalkBuilder, WalkState};
use tokio_util::sync::CancellationToken;

use super::target::Target;

/// More threads only fight for the disk.
const MOST_THREADS: usize = 4;

/// Whether ignore files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ignored {
    /// What they name is left out.
    LeftOut,
    /// They are not looked at.
    Included,
}

/// Shows every file and link below `root`, in no order, to the visitors of several threads (`visitor` makes each), until
/// one breaks off or the call is to end. What cannot be read is passed over.
pub(super) fn each_file<V>(root: &Path, ignored: Ignored, cancel: &CancellationToken, visitor: impl Fn() -> V)
where
    V: FnMut(DirEntry) -> ControlFlow<()> + Send,
{
    let obeyed = ignored == Ignored::LeftOut;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let walk = WalkBuilder::new(root)
        .standard_filters(obeyed)
        .require_git(false)
        .hidden(false)
        .filter_entry(|entry| !is_version_control(entry))
        .threads(threads)
        .build_parallel();
    walk.run(|| {
        let mut visit = visitor();
        Box::new(move |entry| {
            if cancel.is_cancelled() {
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) if entry.depth() > 0 && entry.file_type().is_some_and(|kind| !kind.is_dir()) => {
                    if visit(entry).is_break() {
                        WalkState::Quit
                    } else {
                        WalkState::Continue
                    }
                }
                Ok(_) | Err(_) => WalkState::Continue,
            }
        })
    });
}

/// Everything below `root` that ignore files do not name, one after another, for whoever stops early: a directory is not read
/// any further than it is asked for.
pub(super) fn in_order(root: &Path) -> ignore::Walk {
    WalkBuilder::new(root)
        .require_git(false)
        .hidden(false)
        .filter_entry(|entry| !is_version_control(entry))
        .build()
}

/// How the user names files below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    root: PathBuf,
    prefix: PathBuf,
}

impl Names {
    pub(super) fn below(target: &Target) -> Self {
        let prefix = if target.shown == "." { PathBuf::new() } else { PathBuf::from(&target.shown) };
        Self { root: target.resolved.clone(), prefix }
    }

    /// The path from the directory on.
    pub(super) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// The path from the working directory on, where it lies below.
    pub(super) fn shown(&self, path: &Path) -> String {
        self.prefix.join(self.relative(path)).display().to_string()
    }
}

/// What stands in the way of a search in `target`, if anything.
pub(super) fn unsearchable(target: &Target) -> Option<String> {
    match target.resolved.metadata() {
        Ok(_) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(target.missing()),
        Err(error) => Some(format!("Error: cannot read {}: {error}", target.shown)),
    }
}

fn is_version_control(entry: &DirEntry) -> bool {
    entry.depth() > 0 && [".git", ".hg", ".jj", ".svn"].iter().any(|name| entry.file_name() == *name)
}
