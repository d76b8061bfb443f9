//! Files that need not be copied, because git has them: those that are as git last stored them.
//!
//! Read, never written: the index is read as bytes, and git is started to read stored objects and for nothing else. It gets no
//! configuration of the user's or the system's, may not fetch, and is told where the repository is, so that it looks for
//! none; what the repository's own configuration would have run (filters, monitors, hooks, pagers) plays no part in reading
//! an object. The surprise: what git has is not always what the file held. Line ends, filters and large-file
//! pointers are another content under the same name; so a stored object counts only if it is as long as the file, and
//! where a repository names a filter of its own, nothing is taken from git.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::index::Index;
use crate::os::feed::feed;
use crate::os::file::read_regular;
use crate::os::identity::Identity;
use crate::os::tree::{Look, Root};
use crate::text::git_config::GitConfig;

pub(super) use index::Id;

mod index;

/// Half a million files have an index of 50 MB.
const MOST_INDEX: u64 = 64 * 1024 * 1024;
const MOST_CONFIG: u64 = 1024 * 1024;
/// For thousands of objects; one takes some milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// As much is fetched at once, in bytes.
const AT_ONCE: u64 = 16 * 1024 * 1024;

/// A stored object of a file, and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Wanted {
    pub(super) id: Id,
    pub(super) size: u64,
}

/// A repository, as the files of its work tree see it.
#[derive(Debug)]
pub(super) struct Repo {
    /// The top of the work tree.
    top: PathBuf,
    /// Where git keeps what is this work tree's own.
    git: PathBuf,
    /// The length of an object's name in bytes.
    name: usize,
    index: Mutex<Read>,
    has_filters: AtomicBool,
    /// Whether somebody has asked which filters are configured.
    is_asked: AtomicBool,
    /// What git keeps is not there any more, or something else is.
    is_gone: AtomicBool,
    identity: Option<Identity>,
}

/// The index as it was read last.
#[derive(Debug, Default, Clone)]
struct Read {
    index: Arc<Index>,
    look: Option<Look>,
}

impl Repo {
    /// The repository that `directory` lies in.
    pub(super) fn around(directory: &Path) -> Option<Arc<Self>> {
        directory.ancestors().find_map(Self::at)
    }

    /// The repository whose work tree begins here.
    pub(super) fn at(top: &Path) -> Option<Arc<Self>> {
        let git = git_directory(top)?;
        let common = match first_line(&git.join("commondir")) {
            Some(common) => git.join(common),
            None => git.clone(),
        };
        let config = read_regular(&common.join("config"), MOST_CONFIG).unwrap_or_default();
        let config = GitConfig::read(&String::from_utf8_lossy(&config));
        let is_long = config.value("extensions", "objectformat").is_some_and(|format| format == "sha256");
        let attributes = read_regular(&common.join("info/attributes"), MOST_CONFIG).unwrap_or_default();
        let identity = git.metadata().ok().map(|meta| Identity::of(&meta));
        let repo = Self {
            top: top.to_owned(),
            git,
            is_asked: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            identity,
            name: if is_long { 32 } else { 20 },
            index: Mutex::default(),
            has_filters: AtomicBool::new(names_filter(&attributes)),
        };
        repo.refresh();
        Some(Arc::new(repo))
    }

    /// Where its work tree begins.
    pub(super) fn top(&self) -> &Path {
        &self.top
    }

    /// Where git keeps what is this work tree's own.
    pub(super) fn directory(&self) -> &Path {
        &self.git
    }

    /// Whether a command that takes everything in the workspace `root` but the top's own `.git` leaves what git keeps.
    pub(super) fn is_apart_from(&self, root: &Path) -> bool {
        !self.git.starts_with(root) || self.git.starts_with(root.join(".git"))
    }

    /// Whether what git kept has just gone.
    pub(super) fn has_gone(&self) -> bool {
        let now = self.git.metadata().ok().map(|meta| Identity::of(&meta));
        now != self.identity && !self.is_gone.swap(true, Ordering::Relaxed)
    }

    /// Reads the index, if it has changed since it was read.
    pub(super) fn refresh(&self) {
        let look = Root::open(&self.git).and_then(|git| git.file(Path::new("index")));
        let look = look.ok().map(|(_, look)| look);
        let mut read = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if look.is_some() && read.look == look {
            return;
        }
        let bytes = read_regular(&self.git.join("index"), MOST_INDEX).unwrap_or_default();
        *read = Read { index: Arc::new(Index::read(&bytes, self.name).unwrap_or_default()), look };
    }

    /// Whether git tracks the file at this absolute path, or one below it.
    pub(super) fn tracks(&self, path: &Path) -> bool {
        self.below(path).is_some_and(|below| self.read().index.tracks(below))
    }

    /// What git has stored of this file, if it is unchanged since git saw it; whether that is what the file holds is not said.
    pub(super) fn stored(&self, path: &Path, look: &Look) -> Option<Id> {
        if self.has_filters() || self.is_gone.load(Ordering::Relaxed) {
            return None;
        }
        let Read { index, look: own } = self.read();
        let entry = index.find(self.below(path)?)?;
        entry.is_clean(look, own?.modified).then_some(entry.id)
    }

    /// Whether some filter may apply to some file.
    pub(super) fn has_filters(&self) -> bool {
        self.has_filters.load(Ordering::Relaxed)
    }

    /// Takes note of an attributes file.
    pub(super) fn heeds(&self, attributes: &[u8]) {
        self.has_filters.fetch_or(names_filter(attributes), Ordering::Relaxed);
    }

    fn read(&self) -> Read {
        self.index.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn below<'a>(&self, path: &'a Path) -> Option<&'a [u8]> {
        Some(path.strip_prefix(&self.top).ok()?.as_os_str().as_bytes())
    }

    fn hex(&self, id: &Id) -> String {
        use std::fmt::Write;
        let mut out = String::with_capacity(2 * self.name);
        for byte in id.iter().take(self.name) {
            // a string takes everything
            write!(out, "{byte:02x}").ok();
        }
        out
    }
}

/// Files that are compared with the index when the program begins: a few milliseconds.
const COMPARED: usize = 1000;
/// An index of about 20,000 files.
const MOST_COMPARED_INDEX: u64 = 2 * 1024 * 1024;

/// Whether tracked files below `top` have surely been changed since they were staged: they have another length. False says
/// nothing, because a start does not wait for a comparison of contents or of a large repository. Git is not run, because it
/// obeys the repository's configuration.
pub fn has_changed_files(top: &Path) -> bool {
    let read = || {
        let git = git_directory(top)?;
        let bytes = read_regular(&git.join("index"), MOST_COMPARED_INDEX).ok()?;
        let root = Root::open(top).ok()?;
        let length = |path: &[u8]| Some(root.file(Path::new(OsStr::from_bytes(path))).ok()?.1.size);
        let index = [20, 32].into_iter().find_map(|name| Index::read(&bytes, name))?;
        Some(index.has_other_length(COMPARED, length))
    };
    read().unwrap_or(false)
}

/// The program that reads stored objects.
#[derive(Debug, Clone)]
pub(super) struct Git {
    program: PathBuf,
    /// Where the user's own configuration is.
    config: Vec<(&'static str, OsString)>,
}

/// The variables that tell where git is configured.
const CONFIG: [&str; 5] =
    ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

impl Git {
    /// The program, and the environment in which commands use it.
    pub(super) fn new(program: PathBuf, environment: &[(OsString, OsString)]) -> Self {
        let value = |wanted: &'static str| {
            let (_, value) = environment.iter().find(|(name, _)| name == wanted)?;
            Some((wanted, value.clone()))
        };
        Self { program, config: CONFIG.into_iter().filter_map(value).collect() }
    }

    /// Finds out once whether some configuration names a filter, by which git has something else than the file holds. The one of
    /// large files changes every length, and is seen by that.
    pub(super) fn ask_filters(&self, repo: &Repo) {
        if repo.is_asked.swap(true, Ordering::Relaxed) {
            return;
        }
        let words = ["config", "--includes", "--name-only", "--list"].map(OsStr::new);
        let mut env = self.config.clone();
        env.extend(["GIT_DIR", "GIT_WORK_TREE"].map(|name| (name, repo.git.clone().into())));
        let names = feed(&self.program, &words, &env, Vec::new(), PATIENCE);
        let is_filter = |name: &str| {
            name.strip_prefix("filter.")
                .and_then(|rest| rest.rsplit_once('.'))
                .is_some_and(|(filter, _)| filter != "lfs")
        };
        // what cannot be read may name one
        let has_filters = names.map_or(true, |names| String::from_utf8_lossy(&names).lines().any(is_filter));
        repo.has_filters.fetch_or(has_filters, Ordering::Relaxed);
    }

    /// How long these objects are; those that are not there are not named.
    pub(super) fn sizes(&self, repo: &Repo, ids: &[Id]) -> HashMap<Id, u64> {
        let check = "--batch-check=%(objecttype) %(objectsize)";
        let Ok(answer) = self.ask(repo, check, ids.iter()) else { return HashMap::new() };
        let lines = answer.split(|byte| *byte == b'\n');
        let size = |line: &[u8]| -> Option<u64> {
            std::str::from_utf8(line.strip_prefix(b"blob ")?).ok()?.parse().ok()
        };
        ids.iter().zip(lines).filter_map(|(id, line)| Some((*id, size(line)?))).collect()
    }

    /// Hands out the bytes of these objects one by one; one that is not there, or not of that length, is left out.
    pub(super) fn contents(&self, repo: &Repo, wanted: &[Wanted], mut each: impl FnMut(Wanted, Vec<u8>)) {
        let mut rest = wanted;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|next| {
                bytes += next.size;
                bytes <= AT_ONCE
            });
            let (now, later) = rest.split_at(fits.count().max(1));
            rest = later;
            let answer = self.ask(repo, "--batch", now.iter().map(|next| &next.id)).unwrap_or_default();
            let mut answer = answer.as_slice();
            for next in now {
                if let Some(found) = object(&mut answer).filter(|found| found.len() as u64 == next.size) {
                    each(*next, found.to_vec());
                }
            }
        }
    }

    fn ask<'a>(&self, repo: &Repo, how: &str, ids: impl Iterator<Item = &'a Id>) -> io::Result<Vec<u8>> {
        let input: String = ids.map(|id| repo.hex(id) + "\n").collect();
        let words = ["cat-file", how, "--buffer"].map(OsStr::new);
        feed(&self.program, &words, &environment(&repo.git), input.into_bytes(), PATIENCE)
    }
}

/// All that git is told. Named outright, the repository is neither looked for nor asked whose it is.
fn environment(git: &Path) -> [(&'static str, OsString); 10] {
    [
        ("GIT_DIR", git.into()),
        // that of a submodule may be gone, and git would go there
        ("GIT_WORK_TREE", git.into()),
        ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_OPTIONAL_LOCKS", "0".into()),
        ("GIT_NO_LAZY_FETCH", "1".into()),
        // an older git, which would fetch what is not there, finds no way that it may take
        ("GIT_ALLOW_PROTOCOL", "none".into()),
        ("GIT_NO_REPLACE_OBJECTS", "1".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("LC_ALL", "C".into()),
    ]
}

/// The next object of an answer: `NAME blob SIZE`, its bytes, a line end. None where it is not there.
fn object<'a>(answer: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = (answer.get(..end)?, answer.get(end + 1..)?);
    *answer = rest;
    let mut words = head.split(|byte| *byte == b' ').skip(1);
    let (kind, size) = (words.next()?, words.next()?);
    let bytes = rest.get(..std::str::from_utf8(size).ok()?.parse::<usize>().ok()?)?;
    *answer = rest.get(bytes.len() + 1..).unwrap_or_default();
    (kind == b"blob").then_some(bytes)
}

/// `.git`, or where that file leads.
fn git_directory(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    let meta = git.symlink_metadata().ok()?;
    if meta.is_dir() {
        return git.join("HEAD").symlink_metadata().is_ok().then_some(git);
    }
    let git = top.join(first_line(&git)?.strip_prefix("gitdir: ")?);
    // it may lead through the work tree, which may go
    Some(git.canonicalize().unwrap_or(git))
}

fn first_line(file: &Path) -> Option<String> {
    let text = String::from_utf8(read_regular(file, MOST_CONFIG).ok()?).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Whether an attributes file names a filter; that of large files changes every length.
fn names_filter(attributes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(attributes);
    let mut words = text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    words.any(|word| {
        word.starts_with("working-tree-encoding=")
            || word.strip_prefix("filter=").is_some_and(|filter| filter != "lfs")
    })
}
