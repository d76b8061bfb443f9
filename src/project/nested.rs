//! Instruction files below the working directory: found when something beside them is read, and given out for a yes.
//!
//! The start does not look for them: a large tree has thousands of directories and a run reads in a few. So a yes to the
//! directory covers them unseen, as it covers text that changes under it; where nothing was asked because the start found
//! nothing to ask about, there is no yes, and such a file is named and left out. Directories that are ignored, for dependencies or
//! repositories of their own hold other people's files: a yes to the project does not cover theirs.

use std::ffi::{OsStr, OsString};
use std::iter::Empty;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::instructions::INSTRUCTIONS_MAX;
use super::open::Yes;
use super::scan::Scan;
use crate::protocol::Guide;
use crate::workbench::ignored::Rules;

/// Directories into which package managers write other people's code, ignored or not.
const DEPENDENCIES: [&str; 4] = ["node_modules", "bower_components", "site-packages", "Pods"];

/// Where such files may be.
#[derive(Debug)]
pub struct Nested {
    root: PathBuf,
    cwd: PathBuf,
    /// The user's own file, which is never the project's.
    own: Option<PathBuf>,
    /// Whether the user has said yes.
    counts: bool,
    /// Bytes that may still be told.
    room: Mutex<usize>,
}

impl Scan {
    /// What lies below, for a yes.
    pub fn nested(&self, yes: Option<&impl Yes>) -> Nested {
        Nested {
            root: self.root.clone(),
            cwd: self.cwd.clone(),
            own: self.own.as_ref().map(|own| own.path.clone()),
            counts: yes.is_some_and(|yes| yes.is_for(&self.root)),
            room: Mutex::new(INSTRUCTIONS_MAX),
        }
    }
}

impl Nested {
    /// The instructions of one directory. All together are cut like those of the start.
    pub fn of(&self, directory: &Path) -> Option<Guide> {
        let mut scan = Scan { root: self.root.clone(), ..Scan::default() };
        let Some(found) = scan.instructions_in(directory, self.own.as_deref()) else {
            return scan.notes.pop().map(|why| Guide::Unread { why });
        };
        if let Some(why) = self.foreign(directory) {
            return Some(Guide::Unread { why: format!("{} is ignored: {why}", found.name) });
        }
        if !self.counts {
            return Some(Guide::LeftOut { name: found.name });
        }
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = found.text.get(..found.text.floor_char_boundary(*room)).unwrap_or_default();
        *room -= kept.len();
        let cut = if kept.len() < found.text.len() { "\n\n[truncated: limit reached]" } else { "" };
        Some(Guide::Told { name: found.name, text: format!("{kept}{cut}") })
    }

    /// Why the files of a directory are not the project's own. A directory in which the user works is.
    fn foreign(&self, directory: &Path) -> Option<&'static str> {
        let below = directory.strip_prefix(&self.cwd).ok()?;
        let mut rules = Rules::above(&self.cwd, &self.root);
        let mut place = self.cwd.clone();
        for part in below {
            rules = Rules::inside(rules, &place, None::<Empty<OsString>>);
            place.push(part);
            if is_for_dependencies(part) {
                return Some("the directory contains dependencies");
            }
            if place.join(".git").symlink_metadata().is_ok() {
                return Some("it belongs to another repository");
            }
            if rules.as_ref().is_some_and(|rules| rules.against(&place, true).is_some()) {
                return Some("the directory is ignored");
            }
        }
        None
    }
}

fn is_for_dependencies(name: &OsStr) -> bool {
    DEPENDENCIES.iter().any(|known| name == *known)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Item, scan};
    use super::*;

    struct To(PathBuf);

    impl Yes for To {
        fn is_for(&self, root: &Path) -> bool {
            self.0 == root
        }
        fn covers(&self, _item: &Item) -> bool {
            false
        }
    }

    #[test]
    fn a_directory_below_is_told_for_a_yes_to_its_root_and_named_without() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/CLAUDE.md"), "use tabs").unwrap();
        fs::write(root.join("outside.md"), "").unwrap();
        let scanned = scan(&root, None);
        let told = Guide::Told { name: "a/CLAUDE.md".into(), text: "use tabs".into() };
        assert_eq!(scanned.nested(Some(&To(root.clone()))).of(&root.join("a")), Some(told));
        assert_eq!(scanned.nested(Some(&To(root.clone()))).of(&root.join("a/b")), None);
        let left_out = Some(Guide::LeftOut { name: "a/CLAUDE.md".into() });
        assert_eq!(scanned.nested(Some(&To(root.join("a")))).of(&root.join("a")), left_out);
        assert_eq!(scanned.nested(None::<&To>).of(&root.join("a")), left_out);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("repo");
        fs::create_dir_all(root.join("a/AGENTS.md")).unwrap();
        fs::create_dir(root.join("b")).unwrap();
        fs::write(dir.path().join("secret"), "key").unwrap();
        std::os::unix::fs::symlink("../../secret", root.join("b/AGENTS.md")).unwrap();
        for nested in
            [scan(&root, None).nested(Some(&To(root.clone()))), scan(&root, None).nested(None::<&To>)]
        {
            let why = |name: &str| match nested.of(&root.join(name)) {
                Some(Guide::Unread { why }) => why,
                other => panic!("{other:?}"),
            };
            assert!(why("a").starts_with("a/AGENTS.md is ignored: "), "{}", why("a"));
            assert_eq!(why("b"), "b/AGENTS.md is ignored: it is a symlink that leads out of the project");
        }
    }

    #[test]
    fn all_together_are_cut_and_say_so() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["a", "b"] {
            fs::create_dir(root.join(name)).unwrap();
            fs::write(root.join(name).join("AGENTS.md"), "é".repeat(INSTRUCTIONS_MAX / 3)).unwrap();
        }
        let nested = scan(&root, None).nested(Some(&To(root.clone())));
        let text = |name: &str| match nested.of(&root.join(name)) {
            Some(Guide::Told { text, .. }) => text,
            other => panic!("{other:?}"),
        };
        let (first, second) = (text("a"), text("b"));
        assert!(!first.contains("[cut") && second.ends_with("[truncated: limit reached]"));
        assert!(first.len() + second.len() < INSTRUCTIONS_MAX + 50);
    }
}
