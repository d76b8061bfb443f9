//! The window of a file that is shown: its lines with their numbers, in memory that does not grow with the file.
//!
//! Lines before it are counted and passed over, a line longer than anyone reads is cut as it comes. The surprise: a line
//! can be so long that its end is not looked for, and then the window ends within it.

use std::io::{self, BufRead};

use memchr::memchr_iter;

use crate::text::clip;
use crate::text::units;
use crate::workbench::files::MOST_HASHED;

/// Bytes shown at once: the limit of a result less room for what is said besides.
const MOST_BYTES: usize = clip::RESULT.bytes - 1024;
/// Characters shown of a line; minified code is the usual case of more.
pub(super) const LONGEST_LINE: usize = 2000;
/// Bytes of a line after which its end is not looked for; files up to this size are read to their end anyway.
pub(super) const LONGEST_LOOK: u64 = MOST_HASHED;

/// What to do with what comes after the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Read it, to know how many lines there are.
    Count,
    /// Leave it.
    Leave,
}

/// The lines that are shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// As shown, each line with its end.
    text: String,
    /// How many lines the text has.
    pub(super) shown: u64,
    /// Lines of the file, where it was read to its end.
    pub(super) total: Option<u64>,
    pub(super) after: After,
    /// What a reader should know of the lines, each once.
    pub(super) oddities: Vec<Oddity>,
}

/// What comes after the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum After {
    #[default]
    Nothing,
    Lines,
    /// More of its last line, whose end was not looked for.
    RestOfLine,
}

/// What is shown otherwise than it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Oddity {
    /// A line was cut.
    Cut {
        /// The number of the first one.
        line: u64,
    },
    /// Bytes were no UTF-8.
    NotUtf8,
    /// There were NUL characters.
    Nul,
}

impl Window {
    /// At most `limit` lines from number `first` (from 1) on.
    pub(super) fn read(mut source: impl BufRead, first: u64, limit: u64, rest: Rest) -> io::Result<Self> {
        let mut window = Self::default();
        let before = first.saturating_sub(1);
        let mut number = skip(&mut source, before)?;
        if number < before {
            return Ok(Self { total: Some(number), ..window });
        }
        while window.shown < limit {
            let Some(line) = Line::read(&mut source, LONGEST_LINE * 4)? else { break };
            number += 1;
            let length = window.text.len();
            window.push(number, &line);
            if window.text.len() > MOST_BYTES && window.shown > 1 {
                window.text.truncate(length);
                window.shown -= 1;
                window.after = After::Lines;
                break;
            }
            if line.end == LineEnd::NotFound {
                return Ok(Self { after: After::RestOfLine, ..window });
            }
        }
        if !source.fill_buf()?.is_empty() {
            window.after = After::Lines;
        }
        if window.after == After::Lines && rest == Rest::Leave {
            return Ok(window);
        }
        number += skip(&mut source, u64::MAX)?;
        Ok(Self { total: Some(number), ..window })
    }

    /// The lines as they are shown.
    pub(super) fn body(&self) -> String {
        self.text.strip_suffix('\n').unwrap_or(&self.text).to_owned()
    }

    fn push(&mut self, number: u64, line: &Line) {
        let start = if number == 1 { b"\xef\xbb\xbf".as_slice() } else { b"" };
        let bytes = line.start.strip_prefix(start).unwrap_or(&line.start);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes);
        let is_whole = line.start.len() as u64 == line.length;
        // the end of a long line may lie within a character
        if std::str::from_utf8(bytes).is_err_and(|error| is_whole || error.error_len().is_some()) {
            self.note(Oddity::NotUtf8);
        }
        self.text.push_str(&number.to_string());
        self.text.push('\t');
        match text.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => self.push_cut(text.get(..end).unwrap_or_default(), number, line),
            None if !is_whole => self.push_cut(text.trim_end_matches('\u{fffd}'), number, line),
            None => self.push_text(&text),
        }
        self.text.push('\n');
        self.shown += 1;
    }

    fn push_cut(&mut self, start: &str, number: u64, line: &Line) {
        let size = units::bytes(line.length);
        let note = match line.end {
            LineEnd::Found => format!("… [line cut: {size} in all]"),
            LineEnd::NotFound => format!("… [line cut: over {size}]"),
        };
        self.push_text(start);
        self.text.push_str(&note);
        if !self.oddities.iter().any(|oddity| matches!(oddity, Oddity::Cut { .. })) {
            self.oddities.push(Oddity::Cut { line: number });
        }
    }

    /// NUL is shown by its picture: some endpoints refuse the character itself.
    fn push_text(&mut self, text: &str) {
        if text.contains('\0') {
            self.text.push_str(&text.replace('\0', "\u{2400}"));
            self.note(Oddity::Nul);
        } else {
            self.text.push_str(text);
        }
    }

    fn note(&mut self, oddity: Oddity) {
        if !self.oddities.contains(&oddity) {
            self.oddities.push(oddity);
        }
    }
}

/// One line without its end.
struct Line {
    /// Its first bytes.
    start: Vec<u8>,
    /// How many it has, as far as was looked.
    length: u64,
    end: LineEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Found,
    /// It was not looked for any further.
    NotFound,
}

impl Line {
    /// The next line, of which `most` bytes are kept; none at the end.
    fn read(source: &mut impl BufRead, most: usize) -> io::Result<Option<Self>> {
        let mut line = Self { start: Vec::new(), length: 0, end: LineEnd::Found };
        loop {
            let chunk = source.fill_buf()?;
            if chunk.is_empty() {
                return Ok((line.length > 0).then_some(line));
            }
            if line.length > LONGEST_LOOK {
                return Ok(Some(Self { end: LineEnd::NotFound, ..line }));
            }
            let end = memchr::memchr(b'\n', chunk);
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            let room = most.saturating_sub(line.start.len()).min(part.len());
            line.start.extend_from_slice(part.get(..room).unwrap_or_default());
            line.length += part.len() as u64;
            let used = part.len() + usize::from(end.is_some());
            source.consume(used);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}

/// Passes over so many lines, fewer where the file ends before, and says how many. A last line needs no end.
fn skip(source: &mut impl BufRead, lines: u64) -> io::Result<u64> {
    let mut passed = 0;
    let mut is_within = false;
    while passed < lines {
        let chunk = source.fill_buf()?;
        if chunk.is_empty() {
            return Ok(passed + u64::from(is_within));
        }
        let wanted = lines - passed;
        let ends = memchr_iter(b'\n', chunk).count() as u64;
        let used = if ends < wanted {
            is_within = chunk.last() != Some(&b'\n');
            passed += ends;
            chunk.len()
        } else {
            passed += wanted;
            // the end that closes the last of them
            let nth = usize::try_from(wanted - 1).unwrap_or(usize::MAX);
            memchr_iter(b'\n', chunk).nth(nth).map_or(chunk.len(), |end| end + 1)
        };
        source.consume(used);
    }
    Ok(passed)
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, Read, repeat};

    use super::*;

    #[test]
    fn what_comes_after_the_window_is_left_or_counted() {
        let window = |rest| Window::read(&b"a\nb\nc\nd"[..], 2, 2, rest).unwrap();
        let (left, counted) = (window(Rest::Leave), window(Rest::Count));
        assert_eq!((left.body().as_str(), left.total, left.after), ("2\tb\n3\tc", None, After::Lines));
        assert_eq!(
            (counted.body().as_str(), counted.total, counted.after),
            ("2\tb\n3\tc", Some(4), After::Lines)
        );
    }

    #[test]
    fn lines_are_counted_as_people_count_them() {
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\n\nb\n", 3)] {
            for capacity in [1, 2, 64] {
                let source = || BufReader::with_capacity(capacity, text.as_bytes());
                assert_eq!(skip(&mut source(), u64::MAX).unwrap(), lines, "{text:?}");
                let beyond = Window::read(source(), lines + 2, 1, Rest::Count).unwrap();
                assert_eq!((beyond.shown, beyond.total), (0, Some(lines)), "{text:?}");
                let last = Window::read(source(), lines.max(1), 9, Rest::Count).unwrap();
                assert_eq!((last.shown, last.total), (lines.min(1), Some(lines)), "{text:?}");
            }
        }
    }

    #[test]
    fn an_endless_file_has_a_beginning() {
        let endless = Cursor::new(b"a\nb\n").chain(BufReader::new(repeat(b'x')));
        let window = Window::read(endless, 1, 2, Rest::Leave).unwrap();
        assert_eq!((window.body().as_str(), window.after), ("1\ta\n2\tb", After::Lines));
    }

    #[test]
    fn the_end_of_an_endless_line_is_not_waited_for() {
        let endless = Cursor::new(b"a\n").chain(BufReader::with_capacity(1 << 20, repeat(b'x')));
        let window = Window::read(endless, 1, 9, Rest::Leave).unwrap();
        assert_eq!((window.shown, window.after), (2, After::RestOfLine));
        assert_eq!(window.body(), format!("1\ta\n2\t{}… [line cut: over 65 MB]", "x".repeat(2000)));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let line = "\u{65e5}".repeat(5000);
        let window = Window::read(line.as_bytes(), 1, 1, Rest::Count).unwrap();
        assert_eq!(window.body(), format!("1\t{}… [line cut: 14 KB in all]", "\u{65e5}".repeat(2000)));
        assert_eq!(window.oddities, [Oddity::Cut { line: 1 }]);
    }

    #[test]
    fn what_is_shown_otherwise_is_noted_once() {
        let window = Window::read(&b"a\0b\n\xe9\n\0\xe9"[..], 1, 9, Rest::Count).unwrap();
        assert_eq!(window.body(), "1\ta\u{2400}b\n2\t\u{fffd}\n3\t\u{2400}\u{fffd}");
        assert_eq!(window.oddities, [Oddity::Nul, Oddity::NotUtf8]);
    }
}
