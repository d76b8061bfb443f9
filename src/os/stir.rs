//! In which directories something has happened, as the kernel tells it to whoever watches them.
//!
//! It spares a look, and replaces none: of a change it says where, not what. Not told is what comes by another name of the same
//! file, or by memory that was mapped before; and on a disk that belongs to another machine, whatever that one does. Where the
//! kernel has no such thing, or we have had our share of watches, nothing is watched, and who asks hears that something may have
//! happened. The surprise: a watch holds on to a directory, not to its name. Another directory that takes its place is not watched.

use std::collections::HashSet;

use super::tree::Directory;

/// The kernel's ear. Ends with this value, and with it all watches.
#[derive(Debug)]
pub struct Stirs(kernel::Ear);

/// A directory that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    number: i32,
    inode: u64,
}

/// Where something has happened.
#[derive(Debug, Default)]
pub struct Stirred {
    directories: HashSet<i32>,
    /// Whose watches are over.
    ended: HashSet<i32>,
    /// It was more than the kernel keeps, or a directory has come, which may have taken the place of a watched one with all that
    /// was in it.
    is_anywhere: bool,
}

impl Stirs {
    /// None where the kernel has no such thing.
    pub fn new() -> Option<Self> {
        kernel::Ear::new().map(Self)
    }

    /// Watches a directory from now on; none where that cannot be. One that is watched already stays so.
    pub fn watch(&self, directory: &Directory) -> Option<Watched> {
        let inode = directory.own()?.inode;
        let number = self.0.watch(directory)?;
        Some(Watched { number, inode })
    }

    /// Where something has happened since this was asked last.
    pub fn take(&self) -> Stirred {
        self.0.take()
    }
}

impl Stirred {
    /// Something may have happened everywhere.
    pub fn anywhere() -> Self {
        Self { is_anywhere: true, ..Self::default() }
    }

    /// Whether something may have happened in a directory.
    pub fn is_in(&self, watched: Option<Watched>) -> bool {
        watched.is_none_or(|watched| self.is_anywhere || self.directories.contains(&watched.number))
    }

    /// Whether this watch says nothing of the directory with this inode any more.
    pub fn is_over(&self, watched: Option<Watched>, inode: u64) -> bool {
        watched.is_none_or(|watched| {
            self.is_anywhere || watched.inode != inode || self.ended.contains(&watched.number)
        })
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::collections::HashSet;
    use std::fs;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::sync::{Mutex, PoisonError};

    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};

    use super::Stirred;
    use crate::os::tree::Directory;

    /// Some hundred events at a time.
    const BUFFER: usize = 16 * 1024;
    /// The kernel keeps no more (`max_queued_events`), so there are more to come all the time.
    const MOST: usize = 65_536;

    /// A user's programs share one allowance of watches, and an editor needs it more than we do.
    const ALLOWANCE: &str = "/proc/sys/fs/inotify/max_user_watches";
    const SHARE: usize = 8;

    #[derive(Debug)]
    pub(super) struct Ear {
        inotify: OwnedFd,
        watching: Mutex<HashSet<i32>>,
        most: usize,
    }

    impl Ear {
        pub(super) fn new() -> Option<Self> {
            let allowance = fs::read_to_string(ALLOWANCE).ok()?.trim().parse::<usize>().ok()?;
            Self::of_at_most(allowance / SHARE)
        }

        /// One that watches so many directories at once.
        pub(super) fn of_at_most(most: usize) -> Option<Self> {
            let inotify = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            Some(Self { inotify, watching: Mutex::default(), most })
        }

        pub(super) fn watch(&self, directory: &Directory) -> Option<i32> {
            let what = WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE
                | WatchFlags::ONLYDIR;
            let number = add_watch(&self.inotify, directory.way()?, what).ok()?;
            let mut watching = self.watching.lock().unwrap_or_else(PoisonError::into_inner);
            if watching.len() >= self.most && !watching.contains(&number) {
                remove_watch(&self.inotify, number).ok();
                return None;
            }
            watching.insert(number);
            Some(number)
        }

        fn is_over(&self, number: i32) {
            self.watching.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        }

        pub(super) fn take(&self) -> Stirred {
            let (mut stirred, mut buffer) = (Stirred::default(), [MaybeUninit::uninit(); BUFFER]);
            let mut events = Reader::new(&self.inotify, &mut buffer);
            for _ in 0..MOST {
                // nothing more, or nothing that can be heard any more
                let event = match events.next() {
                    Ok(event) => event,
                    Err(rustix::io::Errno::AGAIN) => return stirred,
                    Err(_) => return Stirred::anywhere(),
                };
                let new_directory = event.events().contains(ReadFlags::ISDIR)
                    && event.events().intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
                if new_directory || event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                    stirred.is_anywhere = true;
                }
                if event.events().contains(ReadFlags::IGNORED) {
                    stirred.ended.insert(event.wd());
                    self.is_over(event.wd());
                }
                stirred.directories.insert(event.wd());
            }
            Stirred { is_anywhere: true, ..stirred }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use super::Stirred;
    use crate::os::tree::Directory;

    #[derive(Debug)]
    pub(super) struct Ear(std::convert::Infallible);

    impl Ear {
        pub(super) fn new() -> Option<Self> {
            None
        }

        pub(super) fn watch(&self, _directory: &Directory) -> Option<i32> {
            None
        }

        pub(super) fn take(&self) -> Stirred {
            Stirred::anywhere()
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    use super::*;
    use crate::os::tree::Root;

    #[test]
    fn whatever_happens_in_a_directory_is_told_once_and_of_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("a")).unwrap();
        fs::create_dir(at("b")).unwrap();
        fs::write(at("a/f"), "x").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let stirs = Stirs::new().unwrap();
        let [a, b] = ["a", "b"].map(|name| stirs.watch(&root.directory(Path::new(name)).unwrap()));
        assert!(a.is_some() && b.is_some());
        let mut held = fs::OpenOptions::new().append(true).open(at("a/f")).unwrap();
        let check = |what: &str, happens: &mut dyn FnMut()| {
            stirs.take();
            assert!(!stirs.take().is_in(a), "{what}");
            happens();
            let stirred = stirs.take();
            assert_eq!((stirred.is_in(a), stirred.is_in(b)), (true, false), "{what}");
            assert!(stirred.is_in(None), "who is not watched may have been stirred");
        };
        check("made", &mut || drop(fs::write(at("a/g"), "x")));
        check("written", &mut || drop(fs::write(at("a/f"), "y")));
        check("written by who has it open", &mut || held.write_all(b"z").unwrap());
        check("cut", &mut || held.set_len(1).unwrap());
        check("mode", &mut || {
            fs::set_permissions(at("a/f"), fs::metadata(at("a")).unwrap().permissions()).unwrap();
        });
        check("renamed", &mut || fs::rename(at("a/g"), at("a/h")).unwrap());
        check("removed", &mut || fs::remove_file(at("a/h")).unwrap());
        fs::create_dir(at("a/in")).unwrap();
        assert!(stirs.take().is_in(b), "a directory that comes may bring anything");
    }

    #[test]
    fn a_directory_in_the_place_of_another_is_not_the_one_that_was_watched() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let stirs = Stirs::new().unwrap();
        for removes in [true, false] {
            fs::create_dir(dir.path().join("a")).unwrap();
            let watched = stirs.watch(&root.directory(Path::new("a")).unwrap());
            stirs.take();
            if removes {
                fs::remove_dir(dir.path().join("a")).unwrap();
            } else {
                fs::rename(dir.path().join("a"), dir.path().join("b")).unwrap();
            }
            fs::create_dir(dir.path().join("a")).unwrap();
            let inode = root.directory(Path::new("a")).unwrap().own().unwrap().inode;
            assert!(stirs.take().is_over(watched, inode), "{removes}");
            fs::remove_dir(dir.path().join("a")).unwrap();
        }
    }

    #[test]
    fn no_more_are_watched_than_our_share_and_those_stay_watched() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let stirs = Stirs(kernel::Ear::of_at_most(2).unwrap());
        let watch = |name: &str| stirs.watch(&root.directory(Path::new(name)).unwrap());
        for name in ["a", "b", "c"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        let (a, b) = (watch("a"), watch("b"));
        assert!(a.is_some() && b.is_some() && watch("c").is_none());
        assert_eq!((watch("a"), watch("b")), (a, b));
        stirs.take();
        fs::write(dir.path().join("c/f"), "").unwrap();
        fs::write(dir.path().join("b/f"), "").unwrap();
        let stirred = stirs.take();
        assert_eq!((stirred.is_in(a), stirred.is_in(b), stirred.is_in(None)), (false, true, true));
        // the place of one that goes is free once that was heard
        fs::remove_dir(dir.path().join("a")).unwrap();
        stirs.take();
        assert!(watch("c").is_some());
    }

    #[test]
    fn more_than_the_kernel_keeps_may_have_been_anywhere() {
        let dir = tempfile::tempdir().unwrap();
        let stirs = Stirs::new().unwrap();
        let watched = stirs.watch(&Root::open(dir.path()).unwrap().directory(Path::new("")).unwrap());
        let most: usize =
            fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
        // equal ones that follow one another are told as one
        for number in 0..=most.min(100_000) / 2 {
            fs::write(dir.path().join(number.to_string()), "").unwrap();
        }
        let stirred = stirs.take();
        assert!(stirred.is_anywhere && stirred.is_in(watched));
        assert!(stirred.is_over(watched, watched.unwrap().inode));
    }
}
