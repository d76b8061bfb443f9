//! Counts what a terminal made of a story.

use super::story::{LIVE_MARK, SHELL};

/// What is wrong with a terminal's history and screen, once the program has left; all zero is right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Lines of the story that are nowhere.
    pub(crate) lost: usize,
    /// Lines that stand there once more than they should.
    pub(crate) duplicated: usize,
    /// Lines with their number, but not as they were printed.
    pub(crate) damaged: usize,
    /// Rows that belong to no line: remains of the live region.
    pub(crate) stale: usize,
    /// Lines of the shell that are missing or changed.
    pub(crate) shell: usize,
}

impl Verdict {
    /// The verdict on a terminal in which remains of the live region cannot be helped.
    pub(crate) fn but_for_stale_rows(self) -> Self {
        Self { stale: 0, ..self }
    }
}

/// Judges logical lines, for terminals which know what they wrapped.
pub(crate) fn judge_lines(found: &[String], story: &[String]) -> Verdict {
    let found: Vec<&str> = found.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect();
    let mut verdict = Verdict::default();
    for line in story {
        match found.iter().filter(|have| **have == line).count() {
            0 if found.iter().any(|have| have.starts_with(label(line))) => verdict.damaged += 1,
            0 => verdict.lost += 1,
            n => verdict.duplicated += n - 1,
        }
    }
    verdict.shell = SHELL.iter().filter(|line| found.iter().filter(|have| have == line).count() != 1).count();
    let known = |have: &str| SHELL.contains(&have) || story.iter().any(|line| have.starts_with(label(line)));
    verdict.stale = found.iter().filter(|have| !known(have)).count();
    verdict
}

/// Judges bare rows, for terminals which cut history at the margin: only the labels and the live marks count.
pub(crate) fn judge_rows(rows: &[String], story: &[String]) -> Verdict {
    let count = |label: &str| rows.iter().filter(|row| row.starts_with(label)).count();
    let mut verdict = Verdict::default();
    for line in story {
        match count(label(line)) {
            0 => verdict.lost += 1,
            n => verdict.duplicated += n - 1,
        }
    }
    verdict.shell = SHELL.iter().filter(|line| count(line) != 1).count();
    verdict.stale = rows.iter().filter(|row| row.contains(LIVE_MARK)).count();
    verdict
}

fn label(line: &str) -> &str {
    line.split_inclusive(' ').next().unwrap_or(line)
}
