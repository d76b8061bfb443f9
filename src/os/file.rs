//! Files of the user: read without ever waiting, replaced without ever losing the old content.
//!
//! Bytes only; encodings, line ends and BOMs are the affair of the tools above. Opened without blocking
//! and looked at before the first read, so that a FIFO or a device is an error at once.
//!
//! Not every write is "temporary file, then rename". A file with other hard links, with attributes of its own
//! or with an owner that cannot be set would become a different file, and a mount point cannot be renamed;
//! those are written in place, the growth first, so that a full disk is noticed before an old byte is gone.
//! Changes of several files that must all come or none are made ready in [`stage`](super::stage).

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};
use tempfile::TempPath;

use super::attributes::{drop_access_list, has_attributes, is_mount_point};
use super::kernel::is_proc;
use super::paths::{hex, resolve};
use super::pinned::{is_a_link, linked};

/// As much of a file as is compared at once, in bytes: enough that calls cost nothing, and it stays in the processor's cache.
const PIECE: usize = 256 * 1024;

/// What a file can be instead of regular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Directory,
    Fifo,
    Socket,
    Device,
    /// A regular file to the eye, but made by the kernel: `/proc/self/environ` holds the program's keys.
    Proc,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::Directory => "a directory",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Proc => "a kernel file (/proc or /sys), not a regular file",
        }
    }
}

/// Why a file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot open {}: it is {}", .path.display(), .kind.words())]
    NotRegular { path: PathBuf, kind: Kind },
    #[error("cannot read {}: it has {size} bytes, the limit is {max}", .path.display())]
    TooLarge { path: PathBuf, size: u64, max: u64 },
    /// Also when a link leads to a name where nothing is: it is not written through.
    #[error("cannot write {}: it is a symlink to {}, which does not exist", .path.display(), .target.display())]
    Dangling { path: PathBuf, target: PathBuf },
    /// Of the user's settings: somebody else may have written it.
    #[error("cannot trust {}: {why}", .path.display())]
    Untrusted { path: PathBuf, why: &'static str },
    /// The path led elsewhere when it was judged.
    #[error("cannot use {}: it or a parent directory has just been replaced with a symlink", .path.display())]
    Relinked { path: PathBuf },
    #[error("cannot use {}: it or a parent directory is a symlink to itself", .path.display())]
    Circle { path: PathBuf },
    #[error("cannot {verb} {}: {source}", .path.display())]
    Io { verb: &'static str, path: PathBuf, source: io::Error },
}

impl FileError {
    /// The system's word for it, where it was the system that refused.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            Self::NotRegular { .. }
            | Self::TooLarge { .. }
            | Self::Dangling { .. }
            | Self::Untrusted { .. }
            | Self::Relinked { .. }
            | Self::Circle { .. } => None,
        }
    }

    /// The same about a file by another name.
    #[must_use]
    pub(super) fn of(mut self, name: &Path) -> Self {
        match &mut self {
            Self::NotRegular { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Dangling { path, .. }
            | Self::Untrusted { path, .. }
            | Self::Relinked { path }
            | Self::Circle { path }
            | Self::Io { path, .. } => name.clone_into(path),
        }
        self
    }
}

pub(super) fn failed<'a>(verb: &'static str, path: &'a Path) -> impl Fn(io::Error) -> FileError + 'a {
    move |source| FileError::Io { verb, path: path.to_owned(), source }
}

/// Opens a regular file for reading and says what it is; anything else is refused before a byte is read.
pub fn open_regular(path: &Path) -> Result<(File, Metadata), FileError> {
    open_with(path, OFlags::empty())
}

/// The same; a link in its place is refused.
pub(super) fn open_unlinked(path: &Path) -> Result<(File, Metadata), FileError> {
    open_with(path, OFlags::NOFOLLOW)
}

fn open_with(path: &Path, more: OFlags) -> Result<(File, Metadata), FileError> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY | more).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    if more.contains(OFlags::NOFOLLOW) && opened.as_ref().is_err_and(is_a_link) {
        return Err(linked(path));
    }
    // a socket cannot even be opened
    let file = opened.map_err(|source| match fs::metadata(path).ok().and_then(|meta| kind_of(&meta)) {
        Some(kind) => FileError::NotRegular { path: path.to_owned(), kind },
        None => failed("read", path)(source),
    })?;
    let meta = file.metadata().map_err(failed("read", path))?;
    let kind = kind_of(&meta).or_else(|| is_proc(&file).then_some(Kind::Proc));
    match kind {
        Some(kind) => Err(FileError::NotRegular { path: path.to_owned(), kind }),
        None => Ok((file, meta)),
    }
}

/// Opens what a directory lists as a regular file. One that has become a link or a pipe since is refused; whether the
/// kernel makes it is not asked again: that [`kernel_views`](super::kernel::kernel_views) tells of the tree.
pub fn open_listed(path: &Path) -> io::Result<(File, Metadata)> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    match kind_of(&meta) {
        Some(kind) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {}", kind.words()))),
        None => Ok((file, meta)),
    }
}

/// The whole of a regular file of at most `max` bytes.
pub fn read_regular(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    read_opened(open_regular(path)?, path, max)
}

/// The same of a file that is open; `path` is its name in errors.
pub(super) fn read_opened(
    (file, meta): (File, Metadata),
    path: &Path,
    max: u64,
) -> Result<Vec<u8>, FileError> {
    let too_large = |size| FileError::TooLarge { path: path.to_owned(), size, max };
    if meta.len() > max {
        return Err(too_large(meta.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    // one byte more than allowed: the file may grow while it is read
    file.take(max.saturating_add(1)).read_to_end(&mut bytes).map_err(failed("read", path))?;
    if bytes.len() as u64 > max {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Whether an open file holds these bytes and no more; compared piece by piece, so that a large one takes no memory.
pub(super) fn holds(file: File, mut bytes: &[u8]) -> io::Result<bool> {
    let mut reader = BufReader::with_capacity(PIECE, file);
    loop {
        let now = reader.fill_buf()?;
        let count = now.len();
        match bytes.split_at_checked(count) {
            _ if count == 0 => return Ok(bytes.is_empty()),
            Some((then, rest)) if now == then => bytes = rest,
            _ => return Ok(false),
        }
        reader.consume(count);
    }
}

pub(super) fn kind_of(meta: &Metadata) -> Option<Kind> {
    let file_type = meta.file_type();
    if file_type.is_file() {
        None
    } else if file_type.is_dir() {
        Some(Kind::Directory)
    } else if file_type.is_fifo() {
        Some(Kind::Fifo)
    } else if file_type.is_socket() {
        Some(Kind::Socket)
    } else {
        Some(Kind::Device)
    }
}

/// Puts the bytes in place of what the file held; makes the file where there is none.
///
/// The file holds either the old bytes or the new, even after a crash (but for those written in place, see
/// above). Links are followed; mode, owner, hard links and attributes are kept; a file that may not be
/// written is an error.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let target = target_of(path)?;
    let failed = failed("write", path);
    match fs::metadata(&target) {
        Ok(old) => replace_existing(&target, &old, bytes).map_err(|refused| refused.of(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (_lock, temp) = filled(&target, 0o666, bytes).map_err(&failed)?;
            temp.persist(&target).map_err(|error| failed(error.error))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Opens for writing what is no link.
pub(super) fn open_to_write(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    OpenOptions::new().write(true).custom_flags(flags).open(path)
}

/// The file that a write to `path` would change.
fn target_of(path: &Path) -> Result<PathBuf, FileError> {
    if !fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
        return Ok(path.to_owned());
    }
    fs::canonicalize(path).map_err(|source| match resolve(path) {
        Ok(target) if source.kind() == io::ErrorKind::NotFound => {
            FileError::Dangling { path: path.to_owned(), target }
        }
        _ => failed("write", path)(source),
    })
}

enum Refused {
    Kind(Kind),
    Io(io::Error),
}

impl Refused {
    fn of(self, path: &Path) -> FileError {
        match self {
            Self::Kind(kind) => FileError::NotRegular { path: path.to_owned(), kind },
            Self::Io(source) if is_a_link(&source) => linked(path),
            Self::Io(source) => failed("write", path)(source),
        }
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn replace_existing(target: &Path, old: &Metadata, bytes: &[u8]) -> Result<(), Refused> {
    if let Some(kind) = kind_of(old) {
        return Err(Refused::Kind(kind));
    }
    // a rename asks only the directory: without this a read-only file would be overwritten
    let mut file = open_to_write(target)?;
    match twin(target, (target, old), bytes)? {
        Some((_lock, temp)) => Ok(temp.persist(target).map_err(|error| error.error)?),
        None => Ok(write_in_place(&mut file, old.len(), bytes)?),
    }
}

/// A temporary file beside `place` with these bytes and all else as `like` has it; none where that cannot be: such a file
/// must be written in place.
pub(super) fn twin(
    place: &Path,
    (like, old): (&Path, &Metadata),
    bytes: &[u8],
) -> io::Result<Option<(File, TempPath)>> {
    if old.nlink() > 1 || has_attributes(like) || is_mount_point(like) {
        return Ok(None);
    }
    let (lock, temp) = match filled(place, 0o600, bytes) {
        // the directory is closed to us, the file is not
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        filled => filled?,
    };
    if !drop_access_list(&lock) || !same_owner(&lock, old)? {
        return Ok(None);
    }
    // after the owner: chown takes the set-user-id bit away
    lock.set_permissions(Permissions::from_mode(old.mode() & 0o7777))?;
    Ok(Some((lock, temp)))
}

/// Gives `temp` the old file's owner and group; false where that is not allowed.
pub(super) fn same_owner(temp: &File, old: &Metadata) -> io::Result<bool> {
    let new = temp.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(true);
    }
    Ok(std::os::unix::fs::fchown(temp, Some(old.uid()), Some(old.gid())).is_ok())
}

/// The growth first: if the disk is full, the old bytes are all still there.
pub(super) fn write_in_place(file: &mut File, old_size: u64, bytes: &[u8]) -> io::Result<()> {
    let kept = usize::try_from(old_size).unwrap_or(usize::MAX).min(bytes.len());
    let (over, growth) = bytes.split_at(kept);
    file.seek(SeekFrom::Start(old_size))?;
    if let Err(error) = file.write_all(growth).and_then(|()| file.sync_data()) {
        file.set_len(old_size).ok();
        return Err(error);
    }
    file.rewind()?;
    file.write_all(over)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// A temporary file beside `target` with these bytes, safe on disk; removed when the path is dropped.
///
/// As long as the file is open it is locked, and no other process takes it for the rest of a crash.
pub(super) fn filled(target: &Path, mode: u32, bytes: &[u8]) -> io::Result<(File, TempPath)> {
    let (mut file, temp) = temp_beside(target, mode)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok((file, temp))
}

/// The temporary file's name follows from the target's, so that the next write finds what a crash left.
fn temp_beside(target: &Path, mode: u32) -> io::Result<(File, TempPath)> {
    let path = name_beside(target);
    let create = || OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
    let file = match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove_stale(&path)?;
            create()?
        }
        file => file?,
    };
    file.lock()?;
    Ok((file, TempPath::try_from_path(std::path::absolute(path)?)?))
}

/// The name beside `target` under which it is made, or lies before it goes.
fn name_beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new(""));
    let hash = hex(&Sha256::digest(name.as_encoded_bytes()));
    target.with_file_name(format!(".clawd-{}.tmp", hash.get(..16).unwrap_or_default()))
}

/// A name beside `target` that is free; whatever lies there in the end goes with the returned path.
pub(super) fn free_beside(target: &Path) -> io::Result<TempPath> {
    let path = name_beside(target);
    if fs::symlink_metadata(&path).is_ok() {
        remove_stale(&path)?;
    }
    TempPath::try_from_path(std::path::absolute(path)?)
}

/// Takes away what a crash has left beside `target`, if anything.
pub(super) fn remove_rest(target: &Path) {
    let path = name_beside(target);
    if fs::symlink_metadata(&path).is_ok() {
        // it is no harm where it is
        remove_stale(&path).ok();
    }
}

/// A temporary file that nobody holds a lock on is the rest of a crash.
fn remove_stale(path: &Path) -> io::Result<()> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let held = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => false,
    };
    if held {
        return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process is writing it"));
    }
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn what_is_not_a_regular_file_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
        let socket = dir.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        let check = |path: &Path, expected: Kind| {
            let error = read_regular(path, 10).unwrap_err();
            assert!(matches!(error, FileError::NotRegular { kind, .. } if kind == expected), "{error}");
        };
        check(&fifo, Kind::Fifo);
        check(&socket, Kind::Socket);
        check(dir.path(), Kind::Directory);
        check(Path::new("/dev/zero"), Kind::Device);
        if cfg!(target_os = "linux") {
            check(Path::new("/proc/self/environ"), Kind::Proc);
        }
    }

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_regular(&path, 5).unwrap(), b"12345");
        let error = read_regular(&path, 4).unwrap_err();
        assert!(matches!(error, FileError::TooLarge { size: 5, max: 4, .. }), "{error}");
        let missing = read_regular(&dir.path().join("none"), 4).unwrap_err();
        assert_eq!(missing.io_kind(), Some(io::ErrorKind::NotFound));
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.sh");
        fs::write(&path, "old").unwrap();
        for bits in [0o755, 0o600, 0o4750] {
            fs::set_permissions(&path, Permissions::from_mode(bits)).unwrap();
            replace(&path, b"new").unwrap();
            assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"new".to_vec(), bits));
        }
        assert_eq!(names(dir.path()), ["run.sh"]);
    }

    /// A list that names user 65533, who may read.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_default_list_of_a_directory_opens_no_file_that_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (path, new) = (dir.path().join("f"), dir.path().join("new"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let entry = |tag: u16, rights: u16, id: u32| {
            [tag.to_le_bytes().as_slice(), &rights.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let any = u32::MAX;
        let entries = [(1, 6, any), (2, 4, 65533), (4, 4, any), (16, 4, any), (32, 0, any)];
        let list: Vec<u8> =
            entries.into_iter().flat_map(|(tag, rights, id)| entry(tag, rights, id)).collect();
        let list = [2_u32.to_le_bytes().as_slice(), &list].concat();
        let set = rustix::fs::setxattr(
            dir.path(),
            "system.posix_acl_default",
            &list,
            rustix::fs::XattrFlags::empty(),
        );
        if set == Err(rustix::io::Errno::OPNOTSUPP) {
            return;
        }
        set.unwrap();
        fs::write(&new, "").unwrap();
        assert!(has_attributes(&new), "a file that is made there inherits the list");
        replace(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"new".to_vec(), 0o640));
        assert!(!has_attributes(&path));
    }

    #[test]
    fn a_new_file_is_like_any_other_program_would_make_it() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("by_std"), "").unwrap();
        replace(&dir.path().join("by_replace"), b"x").unwrap();
        assert_eq!(mode(&dir.path().join("by_replace")), mode(&dir.path().join("by_std")));
        assert_eq!(names(dir.path()), ["by_replace", "by_std"]);
    }

    #[test]
    fn hard_links_stay_links_whether_the_file_grows_or_shrinks() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        fs::write(&one, "middle").unwrap();
        fs::hard_link(&one, &two).unwrap();
        for content in ["much longer than it was", "short", ""] {
            replace(&one, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&two).unwrap(), content);
        }
        assert_eq!(fs::metadata(&two).unwrap().nlink(), 2);
    }

    #[test]
    fn a_link_stays_a_link_and_a_dangling_one_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link, dangling) = (dir.path().join("f"), dir.path().join("l"), dir.path().join("d"));
        fs::write(&file, "old").unwrap();
        symlink("f", &link).unwrap();
        symlink("absent", &dangling).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let error = replace(&dangling, b"new").unwrap_err();
        assert!(matches!(error, FileError::Dangling { .. }), "{error}");
        assert_eq!(names(dir.path()), ["d", "f", "l"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_no_temporary_one() {
        let dir = tempfile::tempdir().unwrap();
        let sub = dir.path().join("sub");
        fs::create_dir(&sub).unwrap();
        let error = replace(&sub, b"x").unwrap_err();
        assert!(matches!(error, FileError::NotRegular { kind: Kind::Directory, .. }), "{error}");
        let error = replace(&dir.path().join("none/f"), b"x").unwrap_err();
        assert_eq!(error.io_kind(), Some(io::ErrorKind::NotFound));
        assert_eq!(names(dir.path()), ["sub"]);
    }

    #[test]
    fn a_read_only_file_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        let done = replace(&path, b"new");
        let expected: &[u8] = if rustix::process::geteuid().is_root() {
            done.unwrap();
            b"new"
        } else {
            assert_eq!(done.unwrap_err().io_kind(), Some(io::ErrorKind::PermissionDenied));
            b"old"
        };
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (expected.to_vec(), 0o444));
    }

    #[test]
    fn the_rest_of_a_crash_is_cleared_by_the_next_write() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let (held, temp) = temp_beside(&path, 0o600).unwrap();
        let error = replace(&path, b"new").unwrap_err();
        assert_eq!(error.io_kind(), Some(io::ErrorKind::WouldBlock));
        temp.keep().unwrap();
        drop(held);
        replace(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(dir.path())), (b"new".to_vec(), vec!["f".to_owned()]));
    }

    #[test]
    fn a_file_holds_what_it_holds_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            fs::write(&path, &bytes).unwrap();
            let is = |bytes: &[u8]| holds(File::open(&path).unwrap(), bytes).unwrap();
            assert!(is(&bytes) && !is(&[bytes.as_slice(), b"x"].concat()), "{size}");
            if let Some((last, rest)) = bytes.split_last() {
                assert!(!is(rest) && !is(&[rest, &[last ^ 1]].concat()), "{size}");
            }
        }
    }

    #[test]
    fn a_name_of_255_bytes_can_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("n".repeat(255));
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }
}
