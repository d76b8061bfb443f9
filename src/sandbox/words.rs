//! What the helper is told, as words of its command line: the profile, and the command that follows.
//!
//! Each word is a letter and, for most, a path; nothing of it is secret. Not in the environment, which the command
//! inherits, and not in a file, which somebody would have to remove. The surprise: the helper is of the same version as
//! whoever calls it, or does nothing; so an unknown word is an error.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::plan::{Network, Profile};

/// The first word, which no user types: the helper that makes the view and holds the command. An option, so that another
/// program that is started in our place, such as a test, refuses it and does nothing.
pub(super) const HELPER: &str = "--held-command";
/// The first word of the helper that restricts itself with Landlock and seccomp and becomes the command.
pub(super) const RESTRICTED: &str = "--restricted-command";
/// The first word of the helper that `bwrap` starts inside.
pub(super) const INSIDE: &str = "--held-command-inside";
/// How a trial ends that has succeeded: no other program ends like this by chance, whatever it makes of these words.
pub(super) const HELD: u8 = 93;
/// The version of both.
const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// What stands between the helper's words and the command.
const END: &str = "--";

/// Who makes the namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Maker {
    #[default]
    Ourselves,
    /// `bwrap`, and where it is.
    Bubblewrap(PathBuf),
}

/// Why the helper was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Purpose {
    #[default]
    Command,
    /// To see whether it can be done: everything but the command.
    Trial,
}

/// All that the helper is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) profile: Profile,
    pub(super) maker: Maker,
    pub(super) purpose: Purpose,
    /// What the command is to see as its own name.
    pub(super) name: OsString,
    /// The program's file and its arguments.
    pub(super) command: Vec<OsString>,
}

impl Order {
    /// The words before the command, [`END`] among them.
    pub(super) fn words(&self) -> Vec<OsString> {
        let Profile { writable, protected, own, masked, caches, scratch, shown, network } = &self.profile;
        let mut words = vec![word(b'r', Path::new(RELEASE))];
        let mut all = |letter, paths: &[PathBuf]| words.extend(paths.iter().map(|path| word(letter, path)));
        all(b'w', writable);
        all(b'p', protected);
        all(b'o', own);
        all(b'm', masked);
        all(b'c', caches);
        all(b's', scratch.as_slice());
        all(b'v', shown);
        match &self.maker {
            Maker::Ourselves => {}
            Maker::Bubblewrap(program) => words.push(word(b'b', program)),
        }
        match network {
            Network::Off => {}
            Network::On => words.push("n".into()),
        }
        match self.purpose {
            Purpose::Command => {}
            Purpose::Trial => words.push("t".into()),
        }
        words.push(word(b'a', Path::new(&self.name)));
        words.push(END.into());
        words
    }

    /// Of all words after the first; `None` if one is not understood.
    pub(super) fn of(words: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut order = Self::default();
        let mut words = words.into_iter();
        words.next().filter(|first| *first == word(b'r', Path::new(RELEASE)))?;
        loop {
            let word = words.next()?;
            if word == END {
                order.command = words.collect();
                return Some(order);
            }
            order.hear(&word)?;
        }
    }

    fn hear(&mut self, word: &OsStr) -> Option<()> {
        let (letter, rest) = word.as_bytes().split_first()?;
        let rest = OsStr::from_bytes(rest);
        let path = || PathBuf::from(rest);
        let profile = &mut self.profile;
        match letter {
            b'w' => profile.writable.push(path()),
            b'p' => profile.protected.push(path()),
            b'o' => profile.own.push(path()),
            b'm' => profile.masked.push(path()),
            b'c' => profile.caches.push(path()),
            b's' => profile.scratch = Some(path()),
            b'v' => profile.shown.push(path()),
            b'n' => profile.network = Network::On,
            b'b' => self.maker = Maker::Bubblewrap(path()),
            b't' => self.purpose = Purpose::Trial,
            b'a' => rest.clone_into(&mut self.name),
            _ => return None,
        }
        Some(())
    }
}

fn word(letter: u8, path: &Path) -> OsString {
    let mut bytes = vec![letter];
    bytes.extend_from_slice(path.as_os_str().as_bytes());
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard() {
        let odd = PathBuf::from(OsString::from_vec(b"/odd \xff\n--".to_vec()));
        let profile = Profile {
            own: vec!["/w/.git/config".into()],
            writable: vec!["/w".into(), odd],
            protected: vec!["/w/.git/hooks".into()],
            masked: vec!["/m".into()],
            caches: vec!["/c".into()],
            scratch: Some("/s".into()),
            shown: vec!["/v".into()],
            network: Network::On,
        };
        let order = Order {
            profile,
            maker: Maker::Bubblewrap("/usr/bin/bwrap".into()),
            purpose: Purpose::Trial,
            name: "--".into(),
            command: vec!["bash".into(), "--".into(), "wx".into()],
        };
        for order in [order, Order { command: vec!["x".into()], ..Order::default() }] {
            let words = order.words().into_iter().chain(order.command.clone());
            assert_eq!(Order::of(words), Some(order));
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let release = format!("r{RELEASE}");
        let good = ["w/x", "--", "true"];
        assert!(Order::of([release.as_str()].iter().chain(&good).map(OsString::from)).is_some());
        assert_eq!(Order::of(good.iter().map(OsString::from)), None, "of no version");
        assert_eq!(Order::of(["r0.0.0"].iter().chain(&good).map(OsString::from)), None, "of another one");
        for words in [&["w/x"][..], &[], &["", "--"], &["?", "--"]] {
            let words = [release.as_str()].into_iter().chain(words.iter().copied());
            let words: Vec<OsString> = words.map(OsString::from).collect();
            assert_eq!(Order::of(words.clone()), None, "{words:?}");
        }
    }
}
