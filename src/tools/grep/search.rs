//! One file searched: lines and context, cut where they are longer than anyone reads.
//!
//! A file is read into a buffer that each thread keeps, and searched there; only a large one goes through in pieces.
//! Memory maps are not used: a file that shrinks while it is searched would end the program.

use std::fs::{File, Metadata};
use std::io;

use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use super::super::walk::Until;
use super::bytes::{Filled, Returns, Text, Watched, fill, is_binary, is_utf16, ready};
use super::expression::{Expression, Span};
use super::hits::{FileHits, Line, Mode, Window};

/// Characters told of a line, from a little before its match.
const LONGEST: usize = 500;
const BEFORE_MATCH: usize = 100;
/// A file of at most so many bytes is searched in one piece.
const WHOLE: usize = 256 * 1024;
/// A longer line, or for a search over lines a larger file, is passed over, which is said.
const MOST_LINE: usize = 8 * 1024 * 1024;
const MOST_FILE: usize = 32 * 1024 * 1024;

/// How to search.
#[derive(Debug, Clone)]
pub(super) struct Search {
    pub(super) expression: Expression,
    pub(super) mode: Mode,
    /// Lines of context.
    pub(super) before: usize,
    pub(super) after: usize,
    /// What will be told of the hits.
    pub(super) window: Window,
}

/// What one thread searches with.
#[derive(Debug)]
pub(super) struct Desk {
    searcher: Searcher,
    buffer: Vec<u8>,
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Searched {
    Text(FileHits),
    /// It is no text.
    Binary,
}

impl Search {
    /// A desk for one thread.
    pub(super) fn desk(&self) -> Desk {
        let (before, after) = if self.mode == Mode::Content { (self.before, self.after) } else { (0, 0) };
        let searcher = SearcherBuilder::new()
            .line_number(self.mode == Mode::Content)
            .before_context(before)
            .after_context(after)
            .multi_line(self.is_over_lines())
            .binary_detection(BinaryDetection::none())
            .bom_sniffing(false)
            .memory_map(MmapChoice::never())
            .heap_limit(Some(MOST_LINE))
            .build();
        Desk { searcher, buffer: Vec::new() }
    }

    /// What an open file holds. An error says why it could not be searched.
    pub(super) fn file(
        &self,
        desk: &mut Desk,
        file: (File, &Metadata),
        until: &Until,
    ) -> Result<Searched, String> {
        desk.buffer.clear();
        let searched = self.open_file(desk, file, until);
        // one large file must not be paid for to the end
        desk.buffer.shrink_to(4 * WHOLE);
        searched.map_err(|error| match error.to_string() {
            why if why.contains("allocation limit") => "a line is longer than 8 MB".to_owned(),
            why => why,
        })
    }

    fn open_file(
        &self,
        Desk { searcher, buffer }: &mut Desk,
        (mut file, meta): (File, &Metadata),
        until: &Until,
    ) -> io::Result<Searched> {
        let returns = if self.expression.names_returns() { Returns::Kept } else { Returns::Taken };
        let mut filled = fill(&mut file, buffer, meta.len(), WHOLE, until)?;
        if filled == Filled::Begun && (self.is_over_lines() || is_utf16(buffer)) {
            filled = fill(&mut file, buffer, meta.len(), MOST_FILE, until)?;
            if filled == Filled::Begun {
                return Err(io::Error::other("it is larger than 32 MB, too large to be searched as a whole"));
            }
        }
        let mut found = Found { search: self, hits: FileHits::default() };
        match filled {
            Filled::All => match ready(buffer, returns) {
                Text::Nothing => return Ok(Searched::Binary),
                text => {
                    found.hits.ends_at_nul = text == Text::UpToNul;
                    searcher.search_slice(&self.expression.matcher, buffer, &mut found)?;
                }
            },
            Filled::Begun if is_binary(buffer) => return Ok(Searched::Binary),
            Filled::Begun => {
                let mut watched = Watched::new(buffer, file, until, returns);
                searcher.search_reader(&self.expression.matcher, &mut watched, &mut found)?;
                found.hits.ends_at_nul = watched.ends_at_nul;
            }
        }
        Ok(Searched::Text(found.hits))
    }

    fn is_over_lines(&self) -> bool {
        match self.expression.span {
            Span::Line => false,
            Span::NamedFeeds | Span::Lines => true,
        }
    }
}

/// Collects what is found in one file.
struct Found<'a> {
    search: &'a Search,
    hits: FileHits,
}

impl Sink for Found<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        match self.search.mode {
            Mode::Files => {
                self.hits.matches = 1;
                return Ok(false);
            }
            Mode::Count if self.search.is_over_lines() => {
                self.hits.matches += self.search.expression.count_in(found.bytes());
            }
            Mode::Count => self.hits.matches += 1,
            Mode::Content => {
                let first = found.line_number().unwrap_or_default();
                for (line, number) in found.lines().zip(first..) {
                    self.hits.matches += 1;
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
        self.hits.push(&self.search.window, || Line::Break);
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, _finish: &SinkFinish) -> io::Result<()> {
        Ok(())
    }
}

impl Found<'_> {
    fn print(&mut self, sign: char, number: u64, line: &[u8]) {
        let expression = &self.search.expression;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.hits.push(&self.search.window, || {
            let text = String::from_utf8_lossy(line);
            let at = if line.len() > LONGEST { expression.find_in(line) } else { None };
            let shown = shortened(&text, at.unwrap_or(0));
            Line::Text { rest: format!("{sign}{number}{sign}{shown}"), is_whole: shown.len() == text.len() }
        });
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
    use std::io::Write;
    use std::time::Duration;

    use super::super::expression::Case;
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

    /// What a search over lines or not finds in a file of these bytes.
    fn search(pattern: &str, span: Span, bytes: &[u8]) -> Result<Searched, String> {
        let expression = Expression::new(pattern, Case::Counts, span).unwrap();
        let window = Window::new(0, None);
        let search = Search { expression, mode: Mode::Content, before: 0, after: 0, window };
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let file = file.reopen().unwrap();
        let meta = file.metadata().unwrap();
        let until = Until::within(Duration::from_mins(1));
        search.file(&mut search.desk(), (file, &meta), &until)
    }

    fn lines(pattern: &str, bytes: &[u8]) -> Vec<String> {
        let Searched::Text(hits) = search(pattern, Span::Line, bytes).unwrap() else { panic!("binary") };
        let texts = hits.lines.into_iter().map(|line| match line {
            Line::Text { rest, .. } => rest,
            Line::Break => "--".to_owned(),
        });
        texts.collect()
    }

    #[test]
    fn text_is_found_in_every_encoding_that_names_itself() {
        let utf16 = |to: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}eins\r\nzw\u{f6}lf\r\n".encode_utf16().flat_map(to).collect()
        };
        assert_eq!(lines("zwölf$", &utf16(u16::to_le_bytes)), [":2:zwölf"]);
        assert_eq!(lines("zwölf$", &utf16(u16::to_be_bytes)), [":2:zwölf"]);
        assert_eq!(lines("^eins$", b"\xef\xbb\xbfeins\r\nzwei\r\n"), [":1:eins"]);
        assert_eq!(lines("lf", b"zw\xf6lf"), [":1:zw\u{fffd}lf"]);
        assert_eq!(lines(r"\r$", b"a\r\nb\n"), [":1:a"]);
        assert_eq!(lines("^zwei$", b"eins\rzwei\rdrei"), [":2:zwei"]);
    }

    #[test]
    fn a_large_file_is_searched_as_a_small_one_is() {
        let mut bytes = b"first\r\n".to_vec();
        bytes.extend(b"filler line\r\n".repeat(100_000));
        bytes.extend(b"last\r\n");
        assert_eq!(lines("^(first|last)$", &bytes), [":1:first", ":100002:last"]);
        let mut marked: Vec<u8> = b"\xff\xfe".to_vec();
        marked.extend(bytes.iter().flat_map(|byte| [*byte, 0]));
        assert_eq!(lines("^(first|last)$", &marked), [":1:first", ":100002:last"]);
        bytes[100] = 0;
        assert_eq!(search("first", Span::Line, &bytes), Ok(Searched::Binary));
    }

    /// The first 64 KB decide, whatever the size of the file.
    #[test]
    fn a_text_with_a_nul_byte_far_from_its_start_is_searched_up_to_it() {
        for size in [70_000, 200_000, 300_000] {
            let mut bytes = b"first\n".repeat(size / 6);
            bytes.extend(b"near\n\0\nlast\n");
            for (pattern, expected) in [("near", 1), ("last", 0)] {
                let Searched::Text(hits) = search(pattern, Span::Line, &bytes).unwrap() else {
                    panic!("binary")
                };
                assert_eq!((hits.matches, hits.ends_at_nul), (expected, true), "{size} {pattern}");
            }
        }
        let Searched::Text(hits) = search("a", Span::Line, b"a\n").unwrap() else { panic!("binary") };
        assert!(!hits.ends_at_nul);
    }

    #[test]
    fn matches_over_lines_are_counted_one_by_one() {
        let count = |pattern: &str, text: &[u8]| {
            let expression = Expression::new(pattern, Case::Counts, Span::Lines).unwrap();
            let search =
                Search { expression, mode: Mode::Count, before: 0, after: 0, window: Window::new(0, None) };
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(text).unwrap();
            let (file, until) = (file.reopen().unwrap(), Until::within(Duration::from_mins(1)));
            let meta = file.metadata().unwrap();
            let Ok(Searched::Text(hits)) = search.file(&mut search.desk(), (file, &meta), &until) else {
                panic!()
            };
            hits.matches
        };
        let text = b"foo(\n  a,\n)\nfoo(\n b)\nfoo(c) foo(d)\n";
        assert_eq!(count(r"foo\([^)]*\)", text), 4);
        assert_eq!(count(r"a.*b", text), 1);
        assert_eq!(count("foo", text), 4);
        assert_eq!(count("nowhere", text), 0);
    }

    #[test]
    fn what_is_too_large_is_not_searched_and_says_so() {
        let line = vec![b'x'; MOST_LINE + 2];
        assert_eq!(search("y", Span::Line, &line).unwrap_err(), "a line is longer than 8 MB");
        let many = b"x\n".repeat(MOST_FILE / 2 + 1);
        assert!(search("y", Span::Lines, &many).unwrap_err().contains("larger than 32 MB"));
        assert!(matches!(search("y", Span::Line, &many), Ok(Searched::Text(_))));
    }
}
