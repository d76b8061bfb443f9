//! A file held by the directory that it lies in, so that what was judged is what is opened.
//!
//! A path is judged first and opened later, and between the two somebody may put a link where a directory was. Here the
//! directory is opened once, in a way that follows no link at all (the path that was judged has none), and from then on
//! the file is named from there: `/proc/self/fd/N/name`. Its own name is never followed as a link either.
//!
//! Where the system lacks the means (no `openat2`, no `/proc`) the path is compared with where it leads just before it is
//! used, which leaves a moment. The surprise: errors name the file as it was given, never the way that was taken.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{self, FileError, failed};
use super::paths::resolve;

/// A file that may or may not be there, in a directory that is.
#[derive(Debug, Clone)]
pub struct Pinned {
    /// As it was judged: absolute, without links.
    path: PathBuf,
    /// How it is opened.
    way: PathBuf,
    /// What the way begins with; held as long as anybody takes it.
    _directory: Option<Arc<OwnedFd>>,
}

impl Pinned {
    /// Takes hold of the directory of `path`, which is absolute and without links.
    pub fn new(path: &Path) -> Result<Self, FileError> {
        let held = match path.parent() {
            Some(parent) => hold(parent).map_err(|error| refused("read", path, error))?,
            None => Held::ByPath,
        };
        Self::by(path, held)
    }

    /// The same; directories that are not there are made, and added to `made`, the outer ones first.
    pub fn making(path: &Path, made: &mut Vec<PathBuf>) -> Result<Self, FileError> {
        let mut missing: Vec<&Path> = Vec::new();
        let mut above = path.parent().unwrap_or(Path::new("/"));
        let mut held = loop {
            match hold(above) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    missing.push(above);
                    above = above.parent().unwrap_or(Path::new("/"));
                }
                held => break held.map_err(|error| refused("make the directory", above, error))?,
            }
        };
        for directory in missing.into_iter().rev() {
            held = make(&held, directory, made)
                .map_err(|error| refused("make the directory", directory, error))?;
        }
        Self::by(path, held)
    }

    fn by(path: &Path, held: Held) -> Result<Self, FileError> {
        let (way, directory) = match (held, path.file_name()) {
            (Held::Open(directory), Some(name)) => (way_of(&directory).join(name), Some(Arc::new(directory))),
            (Held::Open(_) | Held::ByPath, _) => (path.to_owned(), None),
        };
        if directory.is_none() && resolve(path).is_ok_and(|now| now != path) {
            return Err(FileError::Relinked { path: path.to_owned() });
        }
        Ok(Self { path: path.to_owned(), way, _directory: directory })
    }

    /// As it was judged.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it is opened; good as long as this value lives.
    pub(super) fn way(&self) -> &Path {
        &self.way
    }

    /// What is there: of a link the link.
    pub fn metadata(&self) -> io::Result<Metadata> {
        fs::symlink_metadata(&self.way)
    }

    /// Opens it for reading; only a regular file.
    pub fn open(&self) -> Result<(File, Metadata), FileError> {
        file::open_unlinked(&self.way).map_err(|error| error.of(&self.path))
    }

    /// All that it holds, if that is at most `max` bytes.
    pub fn read(&self, max: u64) -> Result<Vec<u8>, FileError> {
        self.open().and_then(|opened| file::read_opened(opened, &self.path, max))
    }

    /// Whether the file holds these bytes and no more.
    pub fn holds(&self, bytes: &[u8]) -> Result<bool, FileError> {
        file::holds(self.open()?.0, bytes).map_err(failed("read", &self.path))
    }
}

/// Removes directories that were made for nothing; one that holds something by now stays.
pub fn remove_empty(made: &[PathBuf]) {
    for directory in made.iter().rev() {
        if let Ok(place) = Pinned::new(directory) {
            // not empty: somebody else's by now
            fs::remove_dir(&place.way).ok();
        }
    }
}

/// A directory that is held.
enum Held {
    Open(OwnedFd),
    /// It cannot be held here: it is found by its path each time.
    ByPath,
}

fn refused(verb: &'static str, path: &Path, error: io::Error) -> FileError {
    if is_a_link(&error) { linked(path) } else { failed(verb, path)(error) }
}

/// Of a link where none may stand, or above it: `path` is how it is reached.
pub(super) fn linked(path: &Path) -> FileError {
    let path = path.to_owned();
    if fs::metadata(&path).is_err_and(|error| is_a_link(&error)) {
        FileError::Circle { path }
    } else {
        FileError::Relinked { path }
    }
}

/// Whether that is what the system says where a link stands and none may.
pub(super) fn is_a_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(target_os = "linux")]
fn way_of(directory: &OwnedFd) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()))
}

/// Opens a directory without following any link.
#[cfg(target_os = "linux")]
fn hold(directory: &Path) -> io::Result<Held> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, directory, flags, Mode::empty(), links) {
        Ok(directory) if has_ways() => Ok(Held::Open(directory)),
        // an older kernel, or a filter that does not know the call
        Ok(_) | Err(Errno::NOSYS | Errno::PERM) => by_path(directory),
        Err(error) => Err(error.into()),
    }
}

/// Whether an open directory can be named.
#[cfg(target_os = "linux")]
pub(super) fn has_ways() -> bool {
    static HAS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let is_proc =
        || rustix::fs::statfs("/proc/self/fd").is_ok_and(|fs| fs.f_type == rustix::fs::PROC_SUPER_MAGIC);
    *HAS.get_or_init(is_proc)
}

/// Makes `directory` in the one above it, which is held.
#[cfg(target_os = "linux")]
fn make(above: &Held, directory: &Path, made: &mut Vec<PathBuf>) -> io::Result<Held> {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    use rustix::io::Errno;

    let (Held::Open(above), Some(name)) = (above, directory.file_name()) else {
        return make_by_path(directory, made);
    };
    match mkdirat(above, name, Mode::from_raw_mode(0o777)) {
        Ok(()) => made.push(directory.to_owned()),
        Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(Held::Open(openat(above, name, flags, Mode::empty())?))
}

#[cfg(not(target_os = "linux"))]
fn way_of(_directory: &OwnedFd) -> PathBuf {
    PathBuf::new()
}

#[cfg(not(target_os = "linux"))]
fn hold(directory: &Path) -> io::Result<Held> {
    by_path(directory)
}

#[cfg(not(target_os = "linux"))]
fn make(_above: &Held, directory: &Path, made: &mut Vec<PathBuf>) -> io::Result<Held> {
    make_by_path(directory, made)
}

fn by_path(directory: &Path) -> io::Result<Held> {
    if fs::metadata(directory)?.is_dir() {
        Ok(Held::ByPath)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

fn make_by_path(directory: &Path, made: &mut Vec<PathBuf>) -> io::Result<Held> {
    match fs::create_dir(directory) {
        Ok(()) => made.push(directory.to_owned()),
        Err(_) if directory.is_dir() => {}
        Err(error) => return Err(error),
    }
    Ok(Held::ByPath)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::stage::Staged;
    use super::*;

    /// A directory without links above it, with `in/f` and `out/f`.
    fn world() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["in", "out"] {
            fs::create_dir(root.join(name)).unwrap();
            fs::write(root.join(name).join("f"), name).unwrap();
        }
        (dir, root)
    }

    /// Puts a link to `out` where `in` was.
    fn swap(root: &Path) {
        fs::rename(root.join("in"), root.join("away")).unwrap();
        symlink("out", root.join("in")).unwrap();
    }

    #[test]
    fn what_was_pinned_is_what_is_read_and_written() {
        let (_dir, root) = world();
        let (old, new) =
            (Pinned::new(&root.join("in/f")).unwrap(), Pinned::new(&root.join("in/new")).unwrap());
        swap(&root);
        assert_eq!(old.read(10).unwrap(), b"in");
        Staged::replace(&old, b"changed").unwrap().commit().unwrap();
        Staged::create(&new, b"made").unwrap().commit().unwrap();
        assert_eq!(fs::read(root.join("away/f")).unwrap(), b"changed");
        assert_eq!(fs::read(root.join("away/new")).unwrap(), b"made");
        assert_eq!(fs::read(root.join("out/f")).unwrap(), b"out");
        assert!(!root.join("out/new").exists());
    }

    #[test]
    fn no_link_is_followed_above_the_file_or_in_its_place() {
        let (_dir, root) = world();
        swap(&root);
        let named = |error: FileError| error.to_string();
        let expected = format!(
            "cannot use {}: it or a parent directory has just been replaced with a symlink",
            root.join("in/f").display()
        );
        assert_eq!(named(Pinned::new(&root.join("in/f")).unwrap_err()), expected);
        assert!(Pinned::making(&root.join("in/a/b"), &mut Vec::new()).is_err());
        assert!(!root.join("out/a").exists());
        symlink("../out/f", root.join("away/link")).unwrap();
        let link = Pinned::new(&root.join("away/link")).unwrap();
        assert!(named(link.read(10).unwrap_err()).contains("away/link: it or a parent directory"));
        assert!(named(Staged::replace(&link, b"x").unwrap_err()).contains("replaced with a symlink"));
        assert_eq!(fs::read(root.join("out/f")).unwrap(), b"out");
    }

    /// Nobody has just put it there.
    #[test]
    fn a_link_to_itself_is_told_as_one() {
        let (_dir, root) = world();
        symlink("circle", root.join("in/circle")).unwrap();
        let circle = Pinned::new(&root.join("in/circle")).unwrap();
        let expected = format!(
            "cannot use {}: it or a parent directory is a symlink to itself",
            root.join("in/circle").display()
        );
        assert_eq!(circle.read(10).unwrap_err().to_string(), expected);
        assert_eq!(Staged::replace(&circle, b"x").err().unwrap().to_string(), expected);
        let below = Pinned::new(&root.join("in/circle/f")).err().unwrap();
        assert!(
            below.to_string().contains("in/circle/f: it or a parent directory is a symlink to itself"),
            "{below}"
        );
    }

    #[test]
    fn directories_are_made_and_go_again_where_nothing_came() {
        let (_dir, root) = world();
        let mut made = Vec::new();
        let file = Pinned::making(&root.join("in/a/b/f"), &mut made).unwrap();
        assert_eq!(made, [root.join("in/a"), root.join("in/a/b")]);
        remove_empty(&made);
        assert!(!root.join("in/a").exists());
        drop(file);
        let file = Pinned::making(&root.join("in/a/f"), &mut made).unwrap();
        Staged::create(&file, b"x").unwrap().commit().unwrap();
        remove_empty(&made);
        assert_eq!(fs::read(root.join("in/a/f")).unwrap(), b"x");
    }

    #[test]
    fn errors_name_the_file_and_not_the_way_to_it() {
        let (_dir, root) = world();
        let file = |name: &str| Pinned::new(&root.join(name));
        let errors = [
            file("in/none").unwrap().read(10).unwrap_err(),
            file("in").unwrap().read(10).unwrap_err(),
            file("in/f").unwrap().read(1).unwrap_err(),
            Staged::create(&file("in/f").unwrap(), b"").unwrap().commit().unwrap_err(),
            Staged::replace(&file("in/none").unwrap(), b"").unwrap_err(),
            file("none/f").unwrap_err(),
            file("in/f/x").unwrap_err(),
        ];
        for error in errors {
            let error = error.to_string();
            assert!(error.contains(&root.display().to_string()) && !error.contains("/proc/"), "{error}");
        }
    }
}
