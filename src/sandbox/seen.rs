//! What rules were made from, so that it can be told later whether they still fit.
//!
//! Rules are made for files, not for names: where a file is replaced, or one comes to lie beside those that have rules, they are
//! of yesterday. So of each name that was looked up the file is noted, and of each directory that was listed when it was
//! changed last; anything else can only change where one of these does. The surprise: a directory that was changed just now
//! may change once more without showing it, for the clock of a file system ticks slowly. Until it has rested, nothing is kept.

use std::path::{Path, PathBuf};

use rustix::fs::{Stat, lstat, stat};

use crate::os::clock::{Clock, SystemClock};

/// A tick of the kernel's, at its slowest, with room to spare; in milliseconds.
const TICK: u64 = 20;
/// The tick of a file system that counts in whole seconds, or in twos.
const SLOW_TICK: u64 = 2_000;

/// What was looked at, in the order in which it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen(Vec<(PathBuf, Look, Option<State>)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Which file has this name, be it a link.
    Itself,
    /// Which file it leads to.
    Target,
    /// What lies in it.
    Entries,
}

/// What would be another if it had changed. No mode or size: rules ask for neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    device: u64,
    inode: u64,
    /// Of a listed directory: seconds since 1970, and nanoseconds. Not when it was modified: that anyone can set.
    changed: Option<(i64, u64)>,
}

impl Seen {
    /// Notes which file has this name.
    pub(super) fn itself(&mut self, path: &Path) {
        self.note(path, Look::Itself);
    }

    /// Notes which file it leads to.
    pub(super) fn target(&mut self, path: &Path) {
        self.note(path, Look::Target);
    }

    /// Notes what lies in a directory; before it is listed.
    pub(super) fn entries(&mut self, path: &Path) {
        self.note(path, Look::Entries);
    }

    fn note(&mut self, path: &Path, look: Look) {
        self.0.push((path.to_owned(), look, state(path, look)));
    }

    /// Whether all of it is as it was.
    pub(super) fn is_as_it_was(&self) -> bool {
        self.0.iter().all(|(path, look, then)| state(path, *look) == *then)
    }

    /// Whether a change since would show.
    pub(super) fn has_rested(&self) -> bool {
        let now = SystemClock.now_ms();
        self.0.iter().filter_map(|(_, _, state)| state.as_ref()?.changed).all(|(seconds, nanoseconds)| {
            let tick = if nanoseconds == 0 { SLOW_TICK } else { TICK };
            let changed = u64::try_from(seconds).unwrap_or(0) * 1000 + nanoseconds / 1_000_000;
            changed.saturating_add(tick) < now
        })
    }
}

/// None where nothing is to be seen.
fn state(path: &Path, look: Look) -> Option<State> {
    let found = match look {
        Look::Itself => lstat(path),
        Look::Target | Look::Entries => stat(path),
    };
    let found: Stat = found.ok()?;
    let changed = match look {
        Look::Entries => Some((found.st_ctime, found.st_ctime_nsec)),
        Look::Itself | Look::Target => None,
    };
    Some(State { device: found.st_dev, inode: found.st_ino, changed })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Whether a deed shows, in a directory with `a`, `b`, `d/x` and `link -> a` of which this was looked at.
    fn shows(look: impl Fn(&mut Seen, &Path), deed: impl FnOnce(&Path)) -> bool {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join("d")).unwrap();
        for name in ["a", "b", "d/x"] {
            fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        let seen = loop {
            let mut seen = Seen::default();
            look(&mut seen, root);
            if seen.has_rested() {
                break seen;
            }
        };
        assert!(seen.is_as_it_was());
        deed(root);
        !seen.is_as_it_was()
    }

    fn replace(root: &Path, name: &str) {
        fs::write(root.join("new"), "").unwrap();
        fs::rename(root.join("new"), root.join(name)).unwrap();
    }

    #[test]
    fn a_listed_directory_shows_what_comes_goes_and_is_replaced_in_it() {
        let listed = |deed: fn(&Path)| shows(Seen::entries, deed);
        assert!(listed(|root| fs::write(root.join("new"), "").unwrap()));
        assert!(listed(|root| fs::remove_file(root.join("b")).unwrap()));
        assert!(listed(|root| replace(root, "b")));
        assert!(listed(|root| fs::rename(root.join("d"), root.join("e")).unwrap()));
        assert!(listed(|root| {
            fs::write(root.join("new"), "").unwrap();
            let before = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
            fs::File::open(root).unwrap().set_times(before).unwrap();
        }));
        assert!(!listed(|root| fs::write(root.join("b"), "more").unwrap()));
        assert!(!listed(|root| fs::write(root.join("d/y"), "").unwrap()), "it lies below a rule");
    }

    #[test]
    fn a_name_shows_that_another_file_has_it() {
        let itself = |name: &'static str, deed: fn(&Path)| {
            shows(move |seen, root| seen.itself(&root.join(name)), deed)
        };
        assert!(itself("a", |root| replace(root, "a")));
        assert!(itself("a", |root| fs::remove_file(root.join("a")).unwrap()));
        assert!(itself("new", |root| fs::write(root.join("new"), "").unwrap()));
        assert!(itself("link", |root| replace(root, "link")));
        assert!(!itself("link", |root| replace(root, "a")));
        assert!(!itself("d", |root| replace(root, "d/x")));
        let target = |deed: fn(&Path)| shows(|seen, root| seen.target(&root.join("link")), deed);
        assert!(target(|root| replace(root, "a")) && target(|root| replace(root, "link")));
        assert!(target(|root| fs::remove_file(root.join("a")).unwrap()));
        assert!(!target(|root| replace(root, "b")));
    }

    #[test]
    fn what_was_changed_just_now_has_not_rested() {
        let dir = tempfile::tempdir().unwrap();
        let state = |changed| State { device: 1, inode: 1, changed };
        let rested =
            |changed| Seen(vec![(dir.path().to_owned(), Look::Entries, Some(state(changed)))]).has_rested();
        let now = SystemClock.now_ms();
        let at = |ms: u64, rest: u64| Some(((ms / 1000).cast_signed(), ms % 1000 * 1_000_000 + rest));
        assert!(!rested(at(now, 1)) && rested(at(now - 100, 1)));
        assert!(!rested(at((now - 1000) / 1000 * 1000, 0)) && rested(at((now - 4000) / 1000 * 1000, 0)));
        assert!(!rested(at(now + 60_000, 1)), "a clock that was set back");
        assert!(rested(None));
    }
}
