//! The view, made: mounts in a namespace of their own, which nobody outside sees.
//!
//! What is to be shown is taken hold of first, as loose trees, while everything is still in its place; then all is made
//! read-only; then the trees are put where they belong, from the top down. So it does not matter that a workspace lies
//! below a `/tmp` that has been replaced. The surprise: every path is walked without following links, both to take and to
//! put. A command that ran before could have put a link where a directory was, and have something else shown writable.

use std::ffi::{CStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, mount, move_mount, open_tree,
};

use super::super::steps::{Base, Kind, Step};
use super::kernel::{Change, Reach, change};
use super::scratch::Layers;
use super::{Failure, Named, Plan};

/// Where a tmpfs is until the new `/proc` covers it, with an empty directory, an empty file, and the layers of
/// what is to vanish with the command.
const WORKSHOP: &str = "/proc";
const NOTHING_DIRECTORY: &str = "/proc/directory";
const NOTHING_FILE: &str = "/proc/file";

/// The devices that every program may use, and where they are.
const DEVICES_AT: &str = "/dev";
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const LINKS: [(&str, &str); 5] = [
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
    ("pts/ptmx", "/dev/ptmx"),
];

/// The modes of new directories, as mounts want them, and how much memory they may take: of a temporary directory that ends
/// with its command, and of shared memory and caches.
const MINE: &CStr = c"mode=0755,size=1g";
const EVERYBODYS: &CStr = c"mode=1777,size=256m";

/// A step, and what was taken hold of for it.
enum Held<'a> {
    Devices(Vec<(&'static str, OwnedFd)>),
    Tree(&'a Path, OwnedFd),
    Hidden(&'a Path, Kind),
    Memory(&'a Path, &'static CStr),
}

/// Makes the view of this process.
pub(super) fn make(plan: &Plan<'_>) -> Result<(), Failure> {
    workshop().named("a tmpfs")?;
    let mut held = Vec::new();
    for step in &plan.view.steps {
        held.extend(take(step, plan).named(step.at().display())?);
    }
    base(plan.view.base).named("a read-only view")?;
    for held in &held {
        held.put()?;
    }
    for step in &plan.view.steps {
        if let Step::Thinned(at) = step {
            open(at).and_then(|root| change(root, Change::ReadOnly, Reach::This)).named(at.display())?;
        }
    }
    processes().named("/proc")
}

fn workshop() -> io::Result<()> {
    memory(Path::new(WORKSHOP), MINE)?;
    DirBuilder::new().mode(0o555).create(NOTHING_DIRECTORY)?;
    File::create(NOTHING_FILE).map(drop)
}

/// Everything as it is, but nothing can be written, and what others mount from now on does not appear.
fn base(base: Base) -> io::Result<()> {
    let change_to = match base {
        Base::ReadOnly => Change::ReadOnly,
        Base::Writable => Change::Private,
    };
    change(open(Path::new("/"))?, change_to, Reach::Below)
}

/// Takes hold of what a step shows; `None` if there is nothing to be shown.
fn take<'a>(step: &'a Step, plan: &Plan<'_>) -> io::Result<Option<Held<'a>>> {
    Ok(Some(match step {
        Step::Devices => Held::Devices(devices()),
        Step::Open(at) => Held::Tree(at, tree(at)?),
        Step::Closed(at) => {
            let tree = tree(at)?;
            change(&tree, Change::ReadOnly, Reach::Below)?;
            Held::Tree(at, tree)
        }
        Step::Hidden(at, kind) => Held::Hidden(at, *kind),
        Step::Thinned(at) => Held::Memory(at, MINE),
        Step::Temporary(at) => temporary(at, plan)?,
        Step::Cache(at) => return Ok(cache(at, plan)?.map(|tree| Held::Tree(at, tree))),
    }))
}

fn devices() -> Vec<(&'static str, OwnedFd)> {
    let there = DEVICES.map(|name| (name, tree(&Path::new(DEVICES_AT).join(name))));
    there.into_iter().filter_map(|(name, tree)| Some((name, tree.ok()?))).collect()
}

/// A command that may write nothing sees what others left there, and what it writes vanishes with it.
fn temporary<'a>(at: &'a Path, plan: &Plan<'_>) -> io::Result<Held<'a>> {
    let Some(scratch) = &plan.scratch else { return Ok(Held::Memory(at, EVERYBODYS)) };
    if !plan.order.profile.writable.is_empty() {
        return Ok(Held::Tree(at, tree(&scratch.tmp)?));
    }
    if fs::read_dir(&scratch.tmp)?.next().is_none() {
        return Ok(Held::Memory(at, EVERYBODYS));
    }
    Ok(Held::Tree(at, overlay(&scratch.tmp, &layers_of_memory(at)?)?))
}

/// An overlay of the cache. Where the disk of the layers can hold none, memory can; where there is no overlay at all the
/// cache stays as it is, and most tools can live with that.
fn cache(at: &Path, plan: &Plan<'_>) -> io::Result<Option<OwnedFd>> {
    let layers = match &plan.scratch {
        Some(scratch) => scratch.layers(at)?,
        None => None,
    };
    if let Some(Ok(tree)) = layers.map(|layers| overlay(at, &layers)) {
        return Ok(Some(tree));
    }
    Ok(overlay(at, &layers_of_memory(at)?).ok())
}

fn layers_of_memory(at: &Path) -> io::Result<Layers> {
    let name: OsString = at.as_os_str().to_string_lossy().replace('/', "-").into();
    let place = Path::new(WORKSHOP).join(name);
    let layers = Layers { upper: place.join("upper"), work: place.join("work") };
    for path in [&place, &layers.upper, &layers.work] {
        DirBuilder::new().mode(0o1777).create(path)?;
    }
    Ok(layers)
}

fn overlay(lower: &Path, layers: &Layers) -> io::Result<OwnedFd> {
    let new = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&new, "lowerdir", escaped(lower))?;
    fsconfig_set_string(&new, "upperdir", layers.upper.as_path())?;
    fsconfig_set_string(&new, "workdir", layers.work.as_path())?;
    // what it notes about a file, it notes where a user may
    fsconfig_set_flag(&new, "userxattr")?;
    fsconfig_create(&new)?;
    Ok(fsmount(&new, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_NOSUID)?)
}

/// A colon would begin another directory.
fn escaped(path: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = path.as_os_str().as_bytes().iter().flat_map(|byte| match byte {
        b':' | b'\\' => vec![b'\\', *byte],
        other => vec![*other],
    });
    OsString::from_vec(bytes.collect())
}

impl Held<'_> {
    fn put(&self) -> Result<(), Failure> {
        match self {
            Self::Devices(devices) => put_devices(devices).named(DEVICES_AT),
            Self::Tree(at, tree) => put(tree, at).named(at.display()),
            Self::Memory(at, mode) => {
                make_way(at, Kind::Directory).and_then(|()| memory(at, mode)).named(at.display())
            }
            Self::Hidden(at, kind) => hide(at, *kind).named(at.display()),
        }
    }
}

fn put_devices(devices: &[(&str, OwnedFd)]) -> io::Result<()> {
    memory(Path::new(DEVICES_AT), MINE)?;
    for (name, device) in devices {
        let at = Path::new(DEVICES_AT).join(name);
        File::create(&at)?;
        put(device, &at)?;
    }
    for (to, at) in LINKS {
        symlink(to, at)?;
    }
    DirBuilder::new().mode(0o1777).create("/dev/shm")?;
    DirBuilder::new().mode(0o755).create("/dev/pts")?;
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    Ok(mount("devpts", "/dev/pts", "devpts", flags, Some(c"newinstance,ptmxmode=0666,mode=0620"))?)
}

/// Puts a loose tree where it belongs.
fn put(tree: &OwnedFd, at: &Path) -> io::Result<()> {
    let target = match open(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_way(at, kind_of_tree(tree)?)?;
            open(at)?
        }
        opened => opened?,
    };
    let both = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(tree, c"", &target, c"", both)?)
}

fn kind_of_tree(tree: &OwnedFd) -> io::Result<Kind> {
    let stat = rustix::fs::fstat(tree)?;
    let is_directory = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir();
    Ok(if is_directory { Kind::Directory } else { Kind::File })
}

/// In a directory that has been replaced by an empty one the place has to be made first.
fn make_way(at: &Path, kind: Kind) -> io::Result<()> {
    let directory = match kind {
        Kind::Directory => Some(at),
        Kind::File | Kind::Link | Kind::Absent => at.parent(),
    };
    let Some(directory) = directory else { return Ok(()) };
    if !directory.exists() {
        DirBuilder::new().recursive(true).mode(0o755).create(directory)?;
    }
    if directory != at && !at.exists() {
        File::create_new(at)?;
    }
    Ok(())
}

fn hide(at: &Path, kind: Kind) -> io::Result<()> {
    let nothing = match kind {
        Kind::Directory => NOTHING_DIRECTORY,
        Kind::File | Kind::Link | Kind::Absent => NOTHING_FILE,
    };
    let target = match open(at) {
        // it is not to be seen as it is; what even we may not reach is another user's, who alone could change that
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
            return Ok(());
        }
        opened => opened?,
    };
    let nothing = tree(Path::new(nothing))?;
    let both = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(&nothing, c"", &target, c"", both)?)
}

/// Only those of this namespace. The superuser's number alone may change the system through some of its files.
fn processes() -> io::Result<()> {
    let usual = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let flags = if rustix::process::geteuid().is_root() { usual | MountFlags::RDONLY } else { usual };
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}

fn memory(at: &Path, mode: &CStr) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", at, "tmpfs", flags, Some(mode))?)
}

/// What is at a path, as a tree of its own that is nowhere yet.
fn tree(at: &Path) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(open(at)?, c"", flags)?)
}

/// A path, no part of which may be a link.
fn open(at: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    loop {
        match openat2(CWD, at, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            opened => return Ok(opened?),
        }
    }
}
