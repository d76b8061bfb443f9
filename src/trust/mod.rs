//! Whether the project's word counts.
//!
//! A yes is given to a directory: the root of a repository, or the working directory where there is none; never to what
//! lies above or below it. The only maker of [`Trusted`], so whatever takes one cannot be reached without a yes. Plain
//! text alone may change under a yes; what runs will need a yes to its present content.

mod load;
mod store;

use std::path::PathBuf;

use crate::permission::Mode;
use crate::project::Scan;

pub use load::{load, load_own};
pub use store::{Record, add_grants, grants, read_record, remember, remove_grant};

/// A yes to one directory. Made here and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    root: PathBuf,
}

/// What is known about a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It counts: an earlier yes, or nothing that needs one.
    Trusted(Trusted),
    /// The user has to be asked.
    Unknown,
}

/// Whether what was found counts.
pub fn judge(scan: &Scan, record: &Record) -> Judgement {
    if scan.brings_nothing() || record.knows(&scan.root) {
        return Judgement::Trusted(Trusted { root: scan.root.clone() });
    }
    Judgement::Unknown
}

/// The user's yes, from a question or from `--trust`.
pub fn by_user(scan: &Scan) -> Trusted {
    Trusted { root: scan.root.clone() }
}

/// What needs no yes in this mode: plain text in `bypass`, and a scan finds nothing but plain text.
pub fn unasked(scan: &Scan, mode: Mode) -> Option<Trusted> {
    match mode {
        Mode::Bypass => Some(Trusted { root: scan.root.clone() }),
        Mode::Default | Mode::AcceptEdits | Mode::Plan => None,
    }
}

impl Trusted {
    /// Whether this yes was given to the directory that was scanned.
    pub fn covers(&self, scan: &Scan) -> bool {
        self.root == scan.root
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::project::scan;

    #[test]
    fn nothing_of_a_project_is_told_before_a_yes() {
        let (home, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let own = home.path().join("AGENTS.md");
        fs::write(&own, "mine").unwrap();
        fs::write(dir.path().join("AGENTS.md"), "theirs").unwrap();
        let file = home.path().join("trust.toml");
        let found = scan(dir.path(), Some(&own));
        assert_eq!(judge(&found, &read_record(&file).unwrap()), Judgement::Unknown);
        assert_eq!(load_own(&found).instructions.len(), 1);
        remember(&file, &by_user(&found)).unwrap();
        let Judgement::Trusted(yes) = judge(&found, &read_record(&file).unwrap()) else {
            panic!("not remembered")
        };
        let texts: Vec<String> = load(&yes, &found).instructions.into_iter().map(|file| file.text).collect();
        assert_eq!(texts, ["mine", "theirs"]);
        let other = scan(home.path(), None);
        assert_eq!(load(&yes, &other), load_own(&other));
    }

    #[test]
    fn the_question_comes_only_where_there_is_something_to_trust() {
        let dir = tempfile::tempdir().unwrap();
        let record = Record::default();
        assert!(matches!(judge(&scan(dir.path(), None), &record), Judgement::Trusted(_)));
        fs::write(dir.path().join("CLAUDE.md"), "x").unwrap();
        assert_eq!(judge(&scan(dir.path(), None), &record), Judgement::Unknown);
    }

    #[test]
    fn only_bypass_tells_plain_text_unasked() {
        let dir = tempfile::tempdir().unwrap();
        let found = scan(dir.path(), None);
        let told = Mode::ALL.map(|mode| unasked(&found, mode).is_some());
        assert_eq!(told, [false, false, false, true]);
    }
}
