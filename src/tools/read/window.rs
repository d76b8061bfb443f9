//! The window of a file that is shown: its lines with their numbers, in memory that does not grow with the file.

use std::io::{self, BufRead};

use crate::text::clip;
use crate::text::units;

/// Bytes shown at once: the limit of a result less room for what is said besides.
const MOST_BYTES: usize = clip::RESULT.bytes - 512;
/// Characters shown of a line; minified code is the usual case of more.
const LONGEST_LINE: usize = 2000;

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
    /// Whether lines follow.
    pub(super) more: bool,
    /// Whether bytes were no UTF-8.
    pub(super) lossy: bool,
}

impl Window {
    /// At most `limit` lines from number `first` (from 1) on.
    pub(super) fn read(mut source: impl BufRead, first: u64, limit: u64, rest: Rest) -> io::Result<Self> {
        let mut window = Self::default();
        let mut number = 0;
        while number + 1 < first {
            if Line::read(&mut source, 0)?.is_none() {
                return Ok(Self { total: Some(number), ..window });
            }
            number += 1;
        }
        while window.shown < limit {
            let Some(line) = Line::read(&mut source, LONGEST_LINE * 4)? else { break };
            number += 1;
            let before = window.text.len();
            window.push(number, &line);
            if window.text.len() > MOST_BYTES && window.shown > 1 {
                window.text.truncate(before);
                window.shown -= 1;
                window.more = true;
                break;
            }
        }
        window.more = window.more || !source.fill_buf()?.is_empty();
        if window.more && rest == Rest::Leave {
            return Ok(window);
        }
        while Line::read(&mut source, 0)?.is_some() {
            number += 1;
        }
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
        self.lossy |= std::str::from_utf8(bytes).is_err_and(|error| is_whole || error.error_len().is_some());
        self.text.push_str(&number.to_string());
        self.text.push('\t');
        match text.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => self.push_cut(text.get(..end).unwrap_or_default(), line),
            None if !is_whole => self.push_cut(text.trim_end_matches('\u{fffd}'), line),
            None => self.text.push_str(&text),
        }
        self.text.push('\n');
        self.shown += 1;
    }

    fn push_cut(&mut self, start: &str, line: &Line) {
        let note = format!("… [line cut: {} in all]", units::bytes(line.length));
        self.text.push_str(start);
        self.text.push_str(&note);
    }
}

/// One line without its end.
struct Line {
    /// Its first bytes.
    start: Vec<u8>,
    /// How many it has.
    length: u64,
}

impl Line {
    /// The next line, of which `most` bytes are kept; none at the end.
    fn read(source: &mut impl BufRead, most: usize) -> io::Result<Option<Self>> {
        let mut line = Self { start: Vec::new(), length: 0 };
        loop {
            let chunk = source.fill_buf()?;
            if chunk.is_empty() {
                return Ok((line.length > 0).then_some(line));
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
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

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, Read, repeat};

    use super::*;

    #[test]
    fn what_comes_after_the_window_is_left_or_counted() {
        let window = |rest| Window::read(&b"a\nb\nc\nd"[..], 2, 2, rest).unwrap();
        let (left, counted) = (window(Rest::Leave), window(Rest::Count));
        assert_eq!((left.body().as_str(), left.total, left.more), ("2\tb\n3\tc", None, true));
        assert_eq!((counted.body().as_str(), counted.total, counted.more), ("2\tb\n3\tc", Some(4), true));
    }

    #[test]
    fn an_endless_file_has_a_beginning() {
        let endless = Cursor::new(b"a\nb\n").chain(BufReader::new(repeat(b'x')));
        let window = Window::read(endless, 1, 2, Rest::Leave).unwrap();
        assert_eq!((window.body().as_str(), window.more), ("1\ta\n2\tb", true));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let line = "\u{65e5}".repeat(5000);
        let window = Window::read(line.as_bytes(), 1, 1, Rest::Count).unwrap();
        assert_eq!(window.body(), format!("1\t{}… [line cut: 14 KB in all]", "\u{65e5}".repeat(2000)));
        assert!(!window.lossy);
    }
}
