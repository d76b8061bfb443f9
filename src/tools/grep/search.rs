//! One file searched: lines and context, cut where they are longer than anyone reads.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};
use regex::bytes::Regex;
use tokio_util::sync::CancellationToken;

use super::hits::{FileHits, Mode};
use crate::os::file::open_regular;

/// Characters told of a line, from a little before its match.
const LONGEST: usize = 500;
const BEFORE_MATCH: usize = 100;
/// A longer line, or for a search over lines a larger file, is passed over.
const MOST_LINE: usize = 8 * 1024 * 1024;
const MOST_FILE: usize = 64 * 1024 * 1024;

/// How to search.
#[derive(Debug, Clone)]
pub(super) struct Search {
    pub(super) matcher: RegexMatcher,
    /// The same expression: where in a long line it matches.
    pub(super) within: Regex,
    pub(super) mode: Mode,
    /// Lines of context.
    pub(super) before: usize,
    pub(super) after: usize,
    /// Whether a match may span lines.
    pub(super) over_lines: bool,
}

/// When a search is to end.
#[derive(Debug, Clone)]
pub(super) struct Until {
    pub(super) cancel: CancellationToken,
    pub(super) deadline: Instant,
}

impl Until {
    pub(super) fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }
}

impl Search {
    /// A searcher for one thread.
    pub(super) fn searcher(&self) -> Searcher {
        let limit = if self.over_lines { MOST_FILE } else { MOST_LINE };
        let (before, after) = if self.mode == Mode::Content { (self.before, self.after) } else { (0, 0) };
        SearcherBuilder::new()
            .line_number(self.mode == Mode::Content)
            .before_context(before)
            .after_context(after)
            .multi_line(self.over_lines)
            .binary_detection(BinaryDetection::quit(0))
            .memory_map(MmapChoice::never())
            .heap_limit(Some(limit))
            .build()
    }

    /// What `path` holds, printed under the name `shown`.
    pub(super) fn file(
        &self,
        searcher: &mut Searcher,
        path: &Path,
        shown: &str,
        until: &Until,
    ) -> io::Result<FileHits> {
        let (file, _) = open_regular(path).map_err(io::Error::other)?;
        let mut found = Found { search: self, shown, hits: FileHits::default() };
        searcher.search_reader(&self.matcher, Watched { file, until, held: false }, &mut found)?;
        Ok(found.hits)
    }
}

/// A file whose reading ends when the search does, and whose lines end in a line feed: so `$` and `\n` mean the same
/// in every file.
struct Watched<'a> {
    file: File,
    until: &'a Until,
    /// Whether a carriage return was read of which is not known yet what follows.
    held: bool,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.until.is_over() {
                return Err(io::Error::other("interrupted"));
            }
            let held = usize::from(self.held);
            if let (true, Some(first)) = (self.held, buffer.first_mut()) {
                *first = b'\r';
            }
            let count = self.file.read(buffer.get_mut(held..).unwrap_or_default())?;
            let read = held + count;
            let is_last = buffer.get(read.saturating_sub(1)) == Some(&b'\r');
            // a buffer of one byte could never be filled
            self.held = count > 0 && is_last && buffer.len() > 1;
            let length = without_returns(buffer, read - usize::from(self.held));
            if length > 0 || count == 0 {
                return Ok(length);
            }
        }
    }
}

/// Takes the carriage returns before line feeds out of the first `length` bytes; gives the new length.
fn without_returns(buffer: &mut [u8], length: usize) -> usize {
    let bytes = buffer.get_mut(..length).unwrap_or_default();
    if !bytes.contains(&b'\r') {
        return length;
    }
    let cells = Cell::from_mut(bytes).as_slice_of_cells();
    let mut kept = 0;
    for (at, cell) in cells.iter().enumerate() {
        let goes = cell.get() == b'\r' && cells.get(at + 1).map(Cell::get) == Some(b'\n');
        if let (false, Some(place)) = (goes, cells.get(kept)) {
            place.set(cell.get());
            kept += 1;
        }
    }
    kept
}

/// Collects what is found in one file.
struct Found<'a> {
    search: &'a Search,
    shown: &'a str,
    hits: FileHits,
}

impl Sink for Found<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.hits.matches += found.lines().count() as u64;
        match self.search.mode {
            Mode::Files => return Ok(false),
            Mode::Count => {}
            Mode::Content => {
                let first = found.line_number().unwrap_or_default();
                for (line, number) in found.lines().zip(first..) {
                    self.print(':', number, line);
                }
            }
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.print('-', context.line_number().unwrap_or_default(), context.bytes());
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        self.hits.push("--".to_owned());
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.hits.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

impl Found<'_> {
    fn print(&mut self, sign: char, number: u64, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let text = String::from_utf8_lossy(line);
        let at = if line.len() > LONGEST {
            self.search.within.find(line).map(|found| found.start())
        } else {
            None
        };
        let shown = shortened(&text, at.unwrap_or(0));
        self.hits.push(format!("{}{sign}{number}{sign}{shown}", self.shown));
    }
}

/// The line, or of a long one what lies around byte `at`.
fn shortened(line: &str, at: usize) -> String {
    if line.len() <= LONGEST || line.chars().nth(LONGEST).is_none() {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(at.min(line.len()).saturating_sub(BEFORE_MATCH));
    // the beginning, as long as the match is to be seen in it
    let start = if at < LONGEST - BEFORE_MATCH { 0 } else { start };
    let rest = line.get(start..).unwrap_or_default();
    let end = rest.char_indices().nth(LONGEST).map_or(rest.len(), |(end, _)| end);
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < rest.len() { "…" } else { "" });
    format!("{before}{}{after}", rest.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let line = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
        let shown = shortened(&line, 1000);
        assert!(shown.starts_with("…aaa") && shown.contains("aneedleb") && shown.ends_with("b…"));
        assert_eq!(shown.chars().count(), LONGEST + 2);
        assert_eq!(shortened(&line, 3), format!("{}…", "a".repeat(500)));
        assert_eq!(shortened("short", 2), "short");
        assert_eq!(shortened(&"日".repeat(501), 0).chars().count(), 501);
    }

    #[test]
    fn carriage_returns_go_only_before_line_feeds_whatever_the_buffer() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bytes = b"a\r\nb\rc\r\r\n\r\n\r";
        std::fs::write(&file, bytes).unwrap();
        let until = Until {
            cancel: CancellationToken::new(),
            deadline: Instant::now() + std::time::Duration::from_mins(1),
        };
        for size in 2..20 {
            let mut watched = Watched { file: File::open(&file).unwrap(), until: &until, held: false };
            let (mut all, mut buffer) = (Vec::new(), vec![0; size]);
            while let count @ 1.. = watched.read(&mut buffer).unwrap() {
                all.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(all, b"a\nb\rc\r\n\n\r", "{size}");
        }
    }
}
