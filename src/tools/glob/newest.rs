//! The newest of many paths.
//!
//! Only as many are held as will be told. Of the same age the first by name wins, so the answer does not depend on
//! which thread came first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::SystemTime;

use crate::text::clip;
use crate::text::units;

/// Paths told at most.
const MOST_PATHS: usize = 1000;
/// The limit of a result, less room for what is said besides.
const MOST_BYTES: usize = clip::RESULT.bytes - 1024;

/// The newest paths so far, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Newest {
    /// The oldest of them on top; of the same age the last by name.
    paths: BinaryHeap<(Reverse<SystemTime>, String)>,
    pub(super) count: u64,
}

impl Newest {
    /// Counts a path; it is made only if it might be told.
    pub(super) fn push(&mut self, written: SystemTime, path: impl FnOnce() -> String) {
        self.count += 1;
        let is_full = self.paths.len() >= MOST_PATHS;
        if is_full && self.paths.peek().is_some_and(|(Reverse(oldest), _)| written < *oldest) {
            return;
        }
        self.paths.push((Reverse(written), path()));
        if is_full {
            self.paths.pop();
        }
    }

    /// The paths, a line each, and what is cut.
    pub(super) fn print(self) -> String {
        let mut text = String::new();
        let mut shown = 0;
        for (_, path) in self.paths.into_sorted_vec() {
            if text.len() + path.len() > MOST_BYTES {
                break;
            }
            text.push_str(&path);
            text.push('\n');
            shown += 1;
        }
        if shown < self.count {
            let files = units::counted(self.count, "file", "files");
            let note = format!("[the newest {shown} of {files}: a narrower pattern finds the others]");
            text.push_str(&note);
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_the_newest_are_kept() {
        let mut newest = Newest::default();
        for second in 0..1500_u64 {
            newest.push(SystemTime::UNIX_EPOCH + Duration::from_secs(second), || format!("f{second}"));
            assert!(newest.paths.len() <= MOST_PATHS);
        }
        let text = newest.print();
        assert!(text.starts_with("f1499\nf1498\n"), "{text}");
        assert!(
            text.ends_with("f500\n[the newest 1000 of 1,500 files: a narrower pattern finds the others]")
        );
    }

    #[test]
    fn of_the_same_age_the_first_by_name_wins() {
        let mut newest = Newest::default();
        for number in (0..2000).rev() {
            newest.push(SystemTime::UNIX_EPOCH, || format!("{number:04}"));
        }
        let text = newest.print();
        assert!(text.starts_with("0000\n0001\n") && text.contains("\n0999\n[the newest"), "{text}");
    }

    #[test]
    fn long_paths_stay_within_the_limit_of_a_result() {
        let mut newest = Newest::default();
        for number in 0..500 {
            newest.push(SystemTime::UNIX_EPOCH, || format!("{number}{}", "x".repeat(4000)));
        }
        let text = newest.print();
        assert!(
            text.len() <= clip::RESULT.bytes && text.contains("[the newest 12 of 500 files"),
            "{}",
            text.len()
        );
    }
}
