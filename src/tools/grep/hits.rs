//! What a search found, as ripgrep prints it, and how much of it is told.
//!
//! Files come in any order, from several threads; what is told is the newest of them, and of equally old ones the first
//! by name. So however much there is, the answer is the same every time, and only what may be told is held in memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::SystemTime;

use crate::text::clip;
use crate::text::units;

/// Told at most: the limit of a result less room for what is said besides.
const MOST_BYTES: usize = clip::RESULT.bytes - 2048;
const MOST_LINES: usize = clip::RESULT.lines - 10;
/// Lines that may be passed over: all of them are held until it is known which come first.
pub(super) const MOST_OFFSET: usize = 10_000;

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

/// Which lines of the output are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    offset: usize,
    most: usize,
}

impl Window {
    /// From line `offset` (from 0) on, at most `limit` lines.
    pub(super) fn new(offset: usize, limit: Option<usize>) -> Self {
        Self { offset: offset.min(MOST_OFFSET), most: limit.unwrap_or(MOST_LINES).min(MOST_LINES) }
    }

    /// Whether so much is enough for the window, whatever else there may be.
    fn is_filled_by(&self, lines: usize, bytes: usize) -> bool {
        lines >= self.offset + self.most || (self.offset == 0 && bytes >= MOST_BYTES)
    }
}

/// A line of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// What follows the path.
    Text { rest: String, is_whole: bool },
    /// Lines that were not asked for lie here.
    Break,
}

/// What was found in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileHits {
    /// Lines that match.
    pub(super) matches: u64,
    /// Ready to be printed, as many as may be told; only of [`Mode::Content`].
    pub(super) lines: Vec<Line>,
    /// How many there would be.
    count: usize,
    /// Bytes of those that are held.
    bytes: usize,
    /// Whether a NUL byte ended the search, far from the start of the file.
    pub(super) ends_at_nul: bool,
}

impl FileHits {
    /// One more line to print; it is made only if it may be told.
    pub(super) fn push(&mut self, window: &Window, line: impl FnOnce() -> Line) {
        self.count += 1;
        if window.is_filled_by(self.lines.len(), self.bytes) {
            return;
        }
        let line = line();
        self.bytes += match &line {
            Line::Text { rest, .. } => rest.len() + 1,
            Line::Break => 3,
        };
        self.lines.push(line);
    }
}

/// Whose hits they are: the newest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    written: Reverse<SystemTime>,
    path: String,
}

/// What was found in all files.
#[derive(Debug)]
pub(super) struct Hits {
    mode: Mode,
    window: Window,
    separate: bool,
    files: BTreeMap<Name, FileHits>,
    /// Of the files that are held.
    held: Size,
    /// Of all.
    lines: usize,
    /// Files with matches.
    pub(super) file_count: u64,
    /// Lines that match.
    pub(super) matches: u64,
}

/// How much output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    lines: usize,
    bytes: usize,
}

impl Hits {
    /// Nothing yet; with `separate` a line parts the files, as ripgrep does where there is context.
    pub(super) fn new(mode: Mode, window: Window, separate: bool) -> Self {
        Self {
            mode,
            window,
            separate: separate && mode == Mode::Content,
            files: BTreeMap::new(),
            held: Size::default(),
            lines: 0,
            file_count: 0,
            matches: 0,
        }
    }

    /// Takes what was found in `path`, which was written at that time; of too much the oldest is forgotten.
    pub(super) fn push(&mut self, written: SystemTime, path: impl FnOnce() -> String, hits: FileHits) {
        if hits.matches == 0 {
            return;
        }
        let is_first = self.file_count == 0;
        self.file_count += 1;
        self.matches += hits.matches;
        self.lines += match self.mode {
            Mode::Files | Mode::Count => 1,
            Mode::Content => hits.count + usize::from(self.separate && !is_first),
        };
        let is_full = self.window.is_filled_by(self.held.lines, self.held.bytes);
        let written = Reverse(written);
        if is_full && self.files.last_key_value().is_some_and(|(last, _)| last.written < written) {
            return;
        }
        let name = Name { written, path: path() };
        let size = self.size(&name, &hits);
        self.held = Size { lines: self.held.lines + size.lines, bytes: self.held.bytes + size.bytes };
        self.files.insert(name, hits);
        self.forget();
    }

    /// What is told, and `None` or what is cut.
    pub(super) fn print(&self) -> (String, Option<String>) {
        let (mut text, mut at, mut told) = (String::new(), 0, 0);
        let mut is_full = false;
        self.each_line(|path, line| {
            at += 1;
            is_full |= told == self.window.most || text.len() + path.len() + line.len() >= MOST_BYTES;
            if at <= self.window.offset || is_full {
                return;
            }
            told += 1;
            text.push_str(path);
            text.push_str(line);
            text.push('\n');
        });
        text.truncate(text.trim_end_matches('\n').len());
        let is_whole = told == self.lines;
        (text, (!is_whole).then(|| self.cut(told)))
    }

    /// How many lines were told in part.
    pub(super) fn shortened(&self) -> usize {
        let lines = self.files.values().flat_map(|hits| &hits.lines);
        lines.filter(|line| matches!(line, Line::Text { is_whole: false, .. })).count()
    }

    /// In words: `7 matching lines in 3 files`.
    pub(super) fn summary(&self) -> String {
        let files = units::counted(self.file_count, "file", "files");
        match self.mode {
            Mode::Files => files,
            Mode::Content | Mode::Count => {
                format!("{} in {files}", units::counted(self.matches, "matching line", "matching lines"))
            }
        }
    }

    /// What is not there of the output, of which so many lines are told, and how to get it.
    fn cut(&self, told: usize) -> String {
        let (first, all) = (self.window.offset, units::counted(self.lines as u64, "line", "lines"));
        if told == 0 {
            return format!("[cut: there are {all} of output, so none from offset {first} on]");
        }
        let next = first + told;
        // no parameter is named of which the model does not know: it has named this one itself
        let more = if first > 0 && next <= MOST_OFFSET {
            format!("offset {next} goes on; ")
        } else if first == 0 && told == self.window.most && told < MOST_LINES {
            "a larger head_limit shows more; ".to_owned()
        } else {
            String::new()
        };
        let go_on = if next < self.lines {
            format!(": {more}a narrower pattern, path, glob or type finds less")
        } else {
            String::new()
        };
        format!("[cut: lines {} to {next} of {all} of output, in all {}{go_on}]", first + 1, self.summary())
    }

    /// Forgets the oldest files as long as the others fill the window.
    fn forget(&mut self) {
        while let Some((name, hits)) = self.files.last_key_value() {
            let size = self.size(name, hits);
            let rest = Size { lines: self.held.lines - size.lines, bytes: self.held.bytes - size.bytes };
            if !self.window.is_filled_by(rest.lines, rest.bytes) {
                return;
            }
            self.held = rest;
            self.files.pop_last();
        }
    }

    fn size(&self, name: &Name, hits: &FileHits) -> Size {
        match self.mode {
            Mode::Files | Mode::Count => Size { lines: 1, bytes: name.path.len() + 1 },
            Mode::Content => {
                Size { lines: hits.lines.len(), bytes: hits.bytes + name.path.len() * hits.lines.len() }
            }
        }
    }

    /// Calls `tell` for every line that is held, in order: the path that stands before it, and the line.
    fn each_line(&self, mut tell: impl FnMut(&str, &str)) {
        for (at, (Name { path, .. }, hits)) in self.files.iter().enumerate() {
            match self.mode {
                Mode::Files => tell(path, ""),
                Mode::Count => tell(path, &format!(":{}", hits.matches)),
                Mode::Content => {
                    if self.separate && at > 0 {
                        tell("", "--");
                    }
                    for line in &hits.lines {
                        match line {
                            Line::Text { rest, .. } => tell(path, rest),
                            Line::Break => tell("", "--"),
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn hits(window: &Window, matches: u64, lines: &[&str]) -> FileHits {
        let mut hits = FileHits { matches, ..FileHits::default() };
        for line in lines {
            hits.push(window, || Line::Text { rest: (*line).to_owned(), is_whole: true });
        }
        hits
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn print(mode: Mode, window: Window, separate: bool) -> (String, Option<String>) {
        let mut all = Hits::new(mode, window, separate);
        all.push(at(5), || "b".into(), hits(&window, 2, &[":1:x", ":2:x"]));
        all.push(at(5), || "a".into(), hits(&window, 1, &[":7:x"]));
        all.push(at(9), || "c".into(), hits(&window, 1, &[":3:x"]));
        all.push(at(20), || "none".into(), FileHits::default());
        all.print()
    }

    #[test]
    fn files_are_told_by_age_and_name_whenever_they_came() {
        let check = |mode, separate, expected: &str| {
            assert_eq!(print(mode, Window::new(0, None), separate), (expected.to_owned(), None));
        };
        check(Mode::Files, true, "c\na\nb");
        check(Mode::Count, true, "c:1\na:1\nb:2");
        check(Mode::Content, false, "c:3:x\na:7:x\nb:1:x\nb:2:x");
        check(Mode::Content, true, "c:3:x\n--\na:7:x\n--\nb:1:x\nb:2:x");
    }

    #[test]
    fn what_is_cut_is_told_with_the_way_to_it() {
        let check = |offset, limit, expected: &str, cut: &str| {
            let (text, said) = print(Mode::Content, Window::new(offset, Some(limit)), false);
            assert_eq!((text.as_str(), said.unwrap().as_str()), (expected, cut));
        };
        let go_on = "a narrower pattern, path, glob or type finds less]";
        let all = "of 4 lines of output, in all 4 matching lines in 3 files";
        check(
            0,
            2,
            "c:3:x\na:7:x",
            &format!("[cut: lines 1 to 2 {all}: a larger head_limit shows more; {go_on}"),
        );
        check(2, 1, "b:1:x", &format!("[cut: lines 3 to 3 {all}: offset 3 goes on; {go_on}"));
        check(2, 9, "b:1:x\nb:2:x", &format!("[cut: lines 3 to 4 {all}]"));
        check(9, 9, "", "[cut: there are 4 lines of output, so none from offset 9 on]");
        let (text, cut) = print(Mode::Files, Window::new(1, Some(1)), false);
        assert_eq!(text, "a");
        assert_eq!(
            cut.unwrap(),
            format!("[cut: lines 2 to 2 of 3 lines of output, in all 3 files: offset 2 goes on; {go_on}")
        );
    }

    #[test]
    fn of_too_much_the_newest_is_told_and_little_is_held() {
        for (offset, most) in [(0, 50), (100, 2500)] {
            let window = Window::new(offset, None);
            let mut all = Hits::new(Mode::Content, window, false);
            for number in 0..5000 {
                let line = "x".repeat(1000);
                let hits = hits(&window, 1, &[&line]);
                all.push(at(number), || format!("{number:04}"), hits);
                assert!(all.files.len() <= most, "{}", all.files.len());
            }
            let (text, cut) = all.print();
            assert!(text.starts_with(&format!("{}xxx", 4999 - offset)) && text.len() > MOST_BYTES - 1100);
            assert!(text.len() <= MOST_BYTES && cut.unwrap().contains("of 5,000 lines of output"));
            assert_eq!((all.file_count, all.matches), (5000, 5000));
        }
    }

    #[test]
    fn of_one_file_no_more_is_held_than_may_be_told() {
        let window = Window::new(0, Some(7));
        let one = hits(&window, 100, &["x"; 100]);
        assert_eq!((one.lines.len(), one.count), (7, 100));
        let mut many = Hits::new(Mode::Files, window, false);
        for number in (0..1000).rev() {
            many.push(at(1), || format!("{number:03}"), hits(&window, 1, &[]));
            assert!(many.files.len() <= 8);
        }
        assert!(many.print().0.starts_with("000\n001\n"));
    }
}
