//! What a search found, as ripgrep prints it, and how much of it is told. Pure.
//!
//! Files come in any order, from several threads; what is told is the first of them by name. So however much there is,
//! the answer is the same every time, and only what will be told is held in memory.

use std::collections::BTreeMap;

use crate::text::clip;
use crate::text::units;

/// What is held, and told at most: the limit of a result less room for what is said besides.
const MOST_BYTES: usize = clip::RESULT.bytes - 512;
const MOST_LINES: usize = clip::RESULT.lines - 4;

/// What the model wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Which files.
    Files,
    /// Which lines.
    Content,
    /// How many lines in which files.
    Count,
}

/// What was found in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileHits {
    /// Lines that match.
    pub(super) matches: u64,
    /// Ready to be printed; only of [`Mode::Content`].
    pub(super) lines: Vec<String>,
    /// Whether the file is no text; what was found before that was seen does not count.
    pub(super) is_binary: bool,
    /// Bytes of the lines.
    bytes: usize,
}

impl FileHits {
    /// One more line to print, unless there is enough already.
    pub(super) fn push(&mut self, line: String) {
        if self.bytes <= MOST_BYTES {
            self.bytes += line.len() + 1;
            self.lines.push(line);
        }
    }
}

/// What was found in all files.
#[derive(Debug, Default)]
pub(super) struct Hits {
    files: BTreeMap<String, FileHits>,
    bytes: usize,
    /// Files with matches.
    pub(super) file_count: u64,
    /// Lines that match.
    pub(super) matches: u64,
}

impl Hits {
    /// Takes what was found in `path`; of too much the last by name is forgotten.
    pub(super) fn push(&mut self, path: String, hits: FileHits) {
        if hits.matches == 0 || hits.is_binary {
            return;
        }
        self.file_count += 1;
        self.matches += hits.matches;
        self.bytes += path.len() + hits.bytes;
        self.files.insert(path, hits);
        while self.bytes > 2 * MOST_BYTES && self.files.len() > 1 {
            let last = self.files.last_key_value().map_or(0, |(path, hits)| path.len() + hits.bytes);
            if self.bytes - last < MOST_BYTES {
                break;
            }
            self.files.pop_last();
            self.bytes -= last;
        }
    }

    /// At most `most` lines of it. The second value is false where not all is there.
    pub(super) fn print(&self, mode: Mode, separate: bool, most: Option<usize>) -> (String, bool) {
        let lines: Vec<String> = match mode {
            Mode::Files => self.files.keys().cloned().collect(),
            Mode::Count => self.files.iter().map(|(path, hits)| format!("{path}:{}", hits.matches)).collect(),
            Mode::Content => self.content(separate),
        };
        let most = most.unwrap_or(MOST_LINES).min(MOST_LINES);
        let mut text = String::new();
        let mut printed = 0;
        for line in lines.iter().take(most) {
            if text.len() + line.len() > MOST_BYTES {
                break;
            }
            text.push_str(line);
            text.push('\n');
            printed += 1;
        }
        let all_held = self.files.len() as u64 == self.file_count
            && self.files.values().all(|hits| hits.bytes <= MOST_BYTES);
        text.truncate(text.trim_end_matches('\n').len());
        (text, all_held && printed == lines.len())
    }

    /// In words: `7 matches in 3 files`.
    pub(super) fn summary(&self, mode: Mode) -> String {
        let files = units::counted(self.file_count, "file", "files");
        match mode {
            Mode::Files => files,
            Mode::Content | Mode::Count => {
                format!("{} in {files}", units::counted(self.matches, "matching line", "matching lines"))
            }
        }
    }

    fn content(&self, separate: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for hits in self.files.values() {
            if separate && !lines.is_empty() {
                lines.push("--".to_owned());
            }
            lines.extend(hits.lines.iter().cloned());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(matches: u64, lines: &[&str]) -> FileHits {
        let mut hits = FileHits { matches, ..FileHits::default() };
        for line in lines {
            hits.push((*line).to_owned());
        }
        hits
    }

    #[test]
    fn files_are_told_by_name_whenever_they_came() {
        let mut all = Hits::default();
        all.push("b".into(), hits(2, &["b:1:x", "b:2:x"]));
        all.push("a".into(), hits(1, &["a:7:x"]));
        let check = |mode, most, expected: &str, whole| {
            assert_eq!(all.print(mode, false, most), (expected.to_owned(), whole));
        };
        check(Mode::Files, None, "a\nb", true);
        check(Mode::Count, None, "a:1\nb:2", true);
        check(Mode::Content, None, "a:7:x\nb:1:x\nb:2:x", true);
        check(Mode::Content, Some(2), "a:7:x\nb:1:x", false);
        assert_eq!(all.print(Mode::Content, true, None).0, "a:7:x\n--\nb:1:x\nb:2:x");
        assert_eq!(all.summary(Mode::Content), "3 matching lines in 2 files");
    }

    #[test]
    fn of_too_much_the_first_is_told_and_little_is_held() {
        let mut all = Hits::default();
        for number in (0..500).rev() {
            let line = "x".repeat(1000);
            all.push(format!("{number:03}"), hits(1, &[&line]));
        }
        assert!(all.bytes <= 2 * MOST_BYTES + 2000);
        let (text, whole) = all.print(Mode::Files, false, None);
        assert!(text.starts_with("000\n001\n") && !whole);
        assert_eq!((all.file_count, all.matches), (500, 500));
        assert!(all.print(Mode::Content, false, None).0.len() > MOST_BYTES - 1100);
    }
}
