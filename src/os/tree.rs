//! Looking at a tree of files below a directory that is held open: names, kinds, and what the system says of each.
//!
//! Nothing is sorted, left out or judged. Links are seen and never followed, not even where one takes a directory's place
//! between two looks; where the kernel can be told so, that holds for the whole way from the held directory on. The
//! surprise: a file is told from itself after a change by the time that nobody can set (`changed`), not by the one that `touch`
//! sets.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

/// A directory that is held open, and below which everything is looked at.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    held: OwnedFd,
}

/// What something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// A named pipe.
    Pipe,
    /// A socket, a device.
    Other,
}

/// What the system says of a file; two equal ones of the same file mean that nobody has changed it in between, but within
/// the grain of the system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// What it is.
    pub kind: Kind,
    /// The permission bits, up to 0o7777.
    pub mode: u32,
    /// In bytes.
    pub size: u64,
    /// The file's number.
    pub inode: u64,
    /// Whether it is a file that has other names.
    pub is_linked: bool,
    /// When its bytes changed, in nanoseconds since 1970; can be set by anybody who may write it.
    pub modified: i64,
    /// When anything of it changed, in nanoseconds since 1970; set by the system alone.
    pub changed: i64,
    /// When it was made, in nanoseconds since 1970, which nobody can set; 0 where the system does not say.
    pub born: i64,
}

impl Look {
    /// Whether both are of one file, perhaps under another name, as far as that can be told.
    pub fn is_same_file(&self, other: &Self) -> bool {
        let is_same = (self.kind, self.inode, self.born) == (other.kind, other.inode, other.born);
        // a number is given again at once
        is_same && (self.born != 0 || (self.size, self.modified) == (other.size, other.modified))
    }

    /// The same of directories, whose size and time change with what is in them. Where the system does not say when one was made,
    /// the number alone decides.
    pub fn is_same_directory(&self, other: &Self) -> bool {
        (self.inode, self.born) == (other.inode, other.born)
    }
}

/// A directory that is looked into.
#[derive(Debug)]
pub struct Directory {
    held: OwnedFd,
}

impl Root {
    /// Holds a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { path: path.to_owned(), held: openat(CWD, path, flags, Mode::empty())? })
    }

    /// Where it was when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is still what stands at its path.
    pub fn is_there(&self) -> bool {
        let identity = |stat: &Stat| (stat.st_dev, stat.st_ino);
        match (fstat(&self.held), statat(CWD, &self.path, AtFlags::empty())) {
            (Ok(held), Ok(there)) => identity(&held) == identity(&there),
            (Ok(_) | Err(_), _) => false,
        }
    }

    /// The directory `below` (relative; empty for the root itself).
    pub fn directory(&self, below: &Path) -> io::Result<Directory> {
        Ok(Directory { held: self.open_below(below, OFlags::RDONLY | OFlags::DIRECTORY)? })
    }

    /// Opens a regular file `below`, and says what it is now. Never waits: what is no regular file is an error.
    pub fn file(&self, below: &Path) -> io::Result<(File, Look)> {
        let held = self.open_below(below, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        let look = look_at_open(&held)?;
        match look.kind {
            Kind::File => Ok((File::from(held), look)),
            Kind::Link | Kind::Directory | Kind::Pipe | Kind::Other => {
                Err(io::ErrorKind::InvalidInput.into())
            }
        }
    }

    fn open_below(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        open_beneath(&self.held, below, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC)
    }
}

impl Directory {
    /// What the system says of it. Its names are what they were as long as the time of its last change is the same.
    pub fn own(&self) -> Option<Look> {
        look_at_open(&self.held).ok()
    }

    /// A path that leads to it, whatever its name is by now; good as long as this value lives. None where there is no such path.
    #[cfg(target_os = "linux")]
    pub(super) fn way(&self) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        super::pinned::has_ways().then(|| PathBuf::from(format!("/proc/self/fd/{}", self.held.as_raw_fd())))
    }

    /// The names in it, each with its kind where the directory says it.
    pub fn names(&self) -> io::Result<Vec<(OsString, Option<Kind>)>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.held)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push((OsStr::from_bytes(name).to_owned(), kind_of(entry.file_type())));
            }
        }
        Ok(names)
    }

    /// What the system says of an entry; none where it is gone.
    pub fn look(&self, name: &OsStr) -> Option<Look> {
        look_below(&self.held, name, AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    /// The path that a link holds.
    pub fn target(&self, name: &OsStr) -> Option<OsString> {
        let target = readlinkat(&self.held, name, Vec::new()).ok()?;
        Some(OsString::from_vec(target.into_bytes()))
    }
}

/// What the system says of an open file.
pub fn look_at(file: &File) -> io::Result<Look> {
    look_at_open(file)
}

fn look_at_open(held: impl AsFd) -> io::Result<Look> {
    #[cfg(target_os = "linux")]
    return look_below(held, OsStr::new(""), AtFlags::EMPTY_PATH);
    #[cfg(not(target_os = "linux"))]
    return Ok(look_of(&fstat(held)?));
}

/// Looks at an entry of a directory.
#[cfg(target_os = "linux")]
fn look_below(held: impl AsFd, name: &OsStr, flags: AtFlags) -> io::Result<Look> {
    use rustix::fs::{StatxFlags, statx};

    let stat = statx(held, name, flags, StatxFlags::BASIC_STATS | StatxFlags::BTIME)?;
    let mode = u32::from(stat.stx_mode);
    let kind = kind_of(FileType::from_raw_mode(mode)).unwrap_or(Kind::Other);
    let is_born = stat.stx_mask & StatxFlags::BTIME.bits() != 0;
    let of = |at: rustix::fs::StatxTimestamp| time(at.tv_sec, i64::from(at.tv_nsec));
    Ok(Look {
        kind,
        mode: mode & 0o7777,
        size: stat.stx_size,
        inode: stat.stx_ino,
        is_linked: kind == Kind::File && stat.stx_nlink > 1,
        modified: of(stat.stx_mtime),
        changed: of(stat.stx_ctime),
        born: if is_born { of(stat.stx_btime) } else { 0 },
    })
}

/// Looks at an entry of a directory.
#[cfg(not(target_os = "linux"))]
fn look_below(held: impl AsFd, name: &OsStr, flags: AtFlags) -> io::Result<Look> {
    Ok(look_of(&statat(held, name, flags)?))
}

/// Gives back the room of a part of a file, whose bytes are zero from then on; where the file system can.
#[cfg(target_os = "linux")]
pub fn make_hole(file: &File, at: u64, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, at, bytes)?)
}

/// Gives back the room of a part of a file: not here.
#[cfg(not(target_os = "linux"))]
pub fn make_hole(_file: &File, _at: u64, _bytes: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn open_beneath(root: &OwnedFd, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    use rustix::io::Errno;

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, below, flags, Mode::empty(), resolve) {
        // an old kernel, or a filter that does not know the call
        Err(Errno::NOSYS | Errno::PERM) => Ok(openat(root, below, flags, Mode::empty())?),
        opened => Ok(opened?),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(root: &OwnedFd, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(openat(root, below, flags, Mode::empty())?)
}

fn kind_of(file_type: FileType) -> Option<Kind> {
    match file_type {
        FileType::RegularFile => Some(Kind::File),
        FileType::Symlink => Some(Kind::Link),
        FileType::Directory => Some(Kind::Directory),
        FileType::Unknown => None,
        FileType::Fifo => Some(Kind::Pipe),
        FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice => Some(Kind::Other),
    }
}

#[cfg(not(target_os = "linux"))]
fn look_of(stat: &Stat) -> Look {
    let kind = kind_of(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Other);
    Look {
        kind,
        mode: u32::try_from(unsigned(stat.st_mode) & 0o7777).unwrap_or(0),
        size: unsigned(stat.st_size),
        inode: unsigned(stat.st_ino),
        is_linked: kind == Kind::File && unsigned(stat.st_nlink) > 1,
        modified: time(signed(stat.st_mtime), signed(stat.st_mtime_nsec)),
        changed: time(signed(stat.st_ctime), signed(stat.st_ctime_nsec)),
        born: 0,
    }
}

fn time(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(SECOND).saturating_add(nanoseconds)
}

/// Systems give these numbers in several widths.
#[cfg(not(target_os = "linux"))]
fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

#[cfg(not(target_os = "linux"))]
fn unsigned(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn tree() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        fs::write(dir.path().join("in/f"), "bytes").unwrap();
        symlink("in", dir.path().join("link")).unwrap();
        rustix::fs::mkfifoat(CWD, dir.path().join("pipe"), Mode::RWXU).unwrap();
        let root = Root::open(dir.path()).unwrap();
        (dir, root)
    }

    #[test]
    fn names_come_with_their_kinds_and_what_the_system_says() {
        let (dir, root) = tree();
        let directory = root.directory(Path::new("")).unwrap();
        let mut names = directory.names().unwrap();
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        let expected = [("in", Kind::Directory), ("link", Kind::Link), ("pipe", Kind::Pipe)];
        for ((name, kind), (wanted, of)) in names.iter().zip(expected) {
            assert_eq!((name.as_os_str(), kind.unwrap_or(of)), (OsStr::new(wanted), of));
            assert_eq!(directory.look(name).unwrap().kind, of);
        }
        assert_eq!((names.len(), directory.target(OsStr::new("link"))), (3, Some("in".into())));
        let inside = root.directory(Path::new("in")).unwrap();
        let look = inside.look(OsStr::new("f")).unwrap();
        let meta = dir.path().join("in/f").metadata().unwrap();
        assert_eq!((look.size, look.inode, look.kind), (5, meta.ino(), Kind::File));
        assert_eq!(look.mode, meta.permissions().mode() & 0o7777);
        assert_eq!(look.changed, meta.ctime() * SECOND + meta.ctime_nsec());
        assert_eq!(inside.look(OsStr::new("none")), None);
        assert_eq!(inside.own(), directory.look(OsStr::new("in")));
    }

    #[test]
    fn only_a_regular_file_is_opened_and_no_link_is_followed() {
        let (_dir, root) = tree();
        let (mut file, look) = root.file(Path::new("in/f")).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), look_at(&file).unwrap()), ("bytes", look));
        for other in ["in", "link", "pipe", "none", "../x"] {
            assert!(root.file(Path::new(other)).is_err(), "{other}");
        }
        assert!(root.directory(Path::new("link")).is_err());
    }

    #[test]
    fn a_root_whose_place_was_taken_is_not_there() {
        let (dir, root) = tree();
        let inside = Root::open(&dir.path().join("in")).unwrap();
        assert!(root.is_there() && inside.is_there());
        fs::rename(dir.path().join("in"), dir.path().join("away")).unwrap();
        assert!(!inside.is_there());
        fs::create_dir(dir.path().join("in")).unwrap();
        assert!(root.is_there() && !inside.is_there());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn no_link_is_followed_on_the_way_either() {
        let (_dir, root) = tree();
        assert!(root.file(Path::new("link/f")).is_err());
        assert!(root.directory(Path::new("link/.")).is_err());
    }
}
