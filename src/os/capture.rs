//! What a command said, in bounded memory.
//!
//! Bytes as they came: no decoding, no cleaning, no cutting at lines. The first bytes and the last are
//! kept; what lies between goes to a file, but only once it does not fit into memory: most commands say
//! little, and a file for each would cost more than they do.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::paths::{Open, private_dir, private_file};
use crate::text::redact::Redactor;

/// The live view shows a handful of lines; this many bytes hold them unless they are absurdly long.
const LIVE_BYTES: usize = 4 * 1024;

/// How much is kept, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Bytes of the beginning kept in memory.
    pub head: usize,
    /// Bytes of the end kept in memory.
    pub tail: usize,
    /// Where the whole goes once it exceeds `head + tail`; `None`: the middle is lost.
    pub file: Option<PathBuf>,
    /// The largest that file may become.
    pub file_max: u64,
    /// What of it stars stand for, as many as there were bytes.
    pub hidden: Arc<Redactor>,
}

impl Default for Keep {
    /// 32 KiB at each end, no file; a file's limit is 64 MiB.
    fn default() -> Self {
        Self {
            head: 32 * 1024,
            tail: 32 * 1024,
            file: None,
            file_max: 64 * 1024 * 1024,
            hidden: Arc::default(),
        }
    }
}

/// The last lines of a running command, for the screen; the newest replaces the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The last few lines, at most 4 KiB, as they came but for bytes that are not UTF-8.
    pub text: String,
    /// Line ends seen so far.
    pub lines: u64,
    /// Bytes seen so far.
    pub bytes: u64,
    /// Since the start.
    pub elapsed: Duration,
}

/// What is known of a command's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The beginning, or everything while it fits.
    pub head: Vec<u8>,
    /// The end; empty as long as the head holds everything.
    pub tail: Vec<u8>,
    /// All bytes, kept or not.
    pub bytes: u64,
    /// All line ends.
    pub lines: u64,
    /// The file with the whole, if there is one.
    pub file: Option<Spilled>,
}

/// The file that holds the output from its first byte on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spilled {
    pub path: PathBuf,
    /// How many bytes it holds: fewer than were written if it reached its limit or could not be written.
    pub bytes: u64,
    /// How many bytes of the output it does not hold.
    pub missing: u64,
    /// Why it could not be written, in the system's words.
    pub error: Option<String>,
}

impl Output {
    /// Bytes between head and tail that are not in memory.
    pub fn missing(&self) -> u64 {
        self.bytes - (self.head.len() + self.tail.len()) as u64
    }

    /// Where this output ends.
    pub fn end(&self) -> Mark {
        Mark { bytes: self.bytes, lines: self.lines }
    }

    /// Head and tail in one, where nothing is missing.
    pub fn whole(&self) -> Option<Vec<u8>> {
        (self.missing() == 0).then(|| [self.head.as_slice(), self.tail.as_slice()].concat())
    }
}

/// A stretch of output, for reading on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Chunk {
    bytes: Vec<u8>,
    /// Bytes before it that are no longer known.
    skipped: u64,
    /// Where the next chunk begins.
    next: u64,
}

/// A place in an output: how far it has been told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Bytes before it.
    pub bytes: u64,
    /// Line ends before it.
    pub lines: u64,
}

/// Collects output.
#[derive(Debug)]
pub(super) struct Capture {
    keep: Keep,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    lines: u64,
    spill: Option<Spill>,
}

#[derive(Debug)]
struct Spill {
    /// `None` after an error.
    file: Option<File>,
    state: Spilled,
    hidden: Arc<Redactor>,
    /// The last bytes as they came: a secret may have begun there.
    before: Vec<u8>,
}

impl Capture {
    pub(super) fn new(keep: Keep) -> Self {
        Self { keep, head: Vec::new(), tail: VecDeque::new(), bytes: 0, lines: 0, spill: None }
    }

    /// Takes what came next.
    #[expect(clippy::naive_bytecount, reason = "64 KiB at a time, far cheaper than the read before it")]
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.spill(chunk);
        self.bytes += chunk.len() as u64;
        self.lines += chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
        let (head, rest) = chunk.split_at(chunk.len().min(self.keep.head - self.head.len()));
        self.head.extend_from_slice(head);
        let rest = last(rest, self.keep.tail);
        let too_many = (self.tail.len() + rest.len()).saturating_sub(self.keep.tail);
        self.tail.drain(..too_many);
        self.tail.extend(rest);
    }

    /// Writes to the file what memory alone would lose.
    fn spill(&mut self, chunk: &[u8]) {
        let fits = self.bytes + chunk.len() as u64 <= (self.keep.head + self.keep.tail) as u64;
        if self.spill.is_none() && !fits {
            let hidden = &self.keep.hidden;
            self.spill = self.keep.file.clone().map(|path| Spill::begin(path, Arc::clone(hidden)));
            let (tail_front, tail_back) = self.tail.as_slices();
            for kept in [self.head.as_slice(), tail_front, tail_back] {
                if let Some(spill) = &mut self.spill {
                    spill.write(kept, self.keep.file_max);
                }
            }
        }
        if let Some(spill) = &mut self.spill {
            spill.write(chunk, self.keep.file_max);
        }
    }

    /// Everything known so far.
    pub(super) fn output(&self) -> Output {
        Output {
            head: self.head.clone(),
            tail: self.tail.iter().copied().collect(),
            bytes: self.bytes,
            lines: self.lines,
            file: self.file(),
        }
    }

    fn file(&self) -> Option<Spilled> {
        let state = &self.spill.as_ref()?.state;
        Some(Spilled { missing: self.bytes - state.bytes, ..state.clone() })
    }

    /// How much came so far.
    pub(super) fn end(&self) -> Mark {
        Mark { bytes: self.bytes, lines: self.lines }
    }

    /// What came after `mark`, as an output of its own: its beginning, where that is still known, and its end.
    pub(super) fn output_since(&self, mark: Mark) -> Output {
        if mark.bytes == 0 {
            return self.output();
        }
        let bytes = self.bytes.saturating_sub(mark.bytes);
        let room = (self.keep.head + self.keep.tail) as u64;
        let first = self.since(mark.bytes, if bytes <= room { index(room) } else { self.keep.head });
        let head = if first.skipped == 0 { first.bytes } else { Vec::new() };
        let told = mark.bytes + head.len() as u64;
        let (_, tail) = self.remembered(told.max(self.tail_start()), self.keep.tail);
        Output {
            tail: if told < self.bytes { tail } else { Vec::new() },
            head,
            bytes,
            lines: self.lines.saturating_sub(mark.lines),
            file: self.file(),
        }
    }

    /// The live view: at most `lines` lines.
    pub(super) fn tail(&self, lines: usize, elapsed: Duration) -> Tail {
        let from = self.bytes.saturating_sub(LIVE_BYTES as u64);
        let from = if self.is_whole() { from } else { from.max(self.tail_start()) };
        let (_, recent) = self.remembered(from, LIVE_BYTES);
        let body = recent.strip_suffix(b"\n").unwrap_or(&recent);
        let line_ends = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
        let start = line_ends.map(|(at, _)| at + 1).nth(lines.saturating_sub(1)).unwrap_or(0);
        let text = String::from_utf8_lossy(body.get(start..).unwrap_or_default()).into_owned();
        Tail { text, lines: self.lines, bytes: self.bytes, elapsed }
    }

    /// At most `max` bytes from `offset` on: from memory where they are there, else from the file.
    fn since(&self, offset: u64, max: usize) -> Chunk {
        let offset = offset.min(self.bytes);
        let in_file = self.spill.as_ref().and_then(|spill| spill.read(offset, max));
        let (start, bytes) = match in_file {
            Some(bytes) => (offset, bytes),
            None => self.remembered(offset, max),
        };
        let next = start + bytes.len() as u64;
        Chunk { bytes, skipped: start - offset, next }
    }

    /// The first bytes at or after `offset` that memory holds, and where they begin.
    fn remembered(&self, offset: u64, max: usize) -> (u64, Vec<u8>) {
        if offset < self.head.len() as u64 {
            let head = self.head.iter().skip(index(offset));
            let joined = if self.is_whole() { self.tail.len() } else { 0 };
            return (offset, head.chain(self.tail.iter().take(joined)).take(max).copied().collect());
        }
        let start = offset.max(self.tail_start());
        (start, self.tail.iter().skip(index(start - self.tail_start())).take(max).copied().collect())
    }

    fn tail_start(&self) -> u64 {
        self.bytes - self.tail.len() as u64
    }

    /// Whether head and tail join.
    fn is_whole(&self) -> bool {
        self.tail_start() == self.head.len() as u64
    }
}

impl Spill {
    fn begin(path: PathBuf, hidden: Arc<Redactor>) -> Self {
        // a directory that is there is somebody's: only a new one is made private
        let made = match path.parent().filter(|parent| !parent.exists()) {
            Some(parent) => private_dir(parent),
            None => Ok(()),
        };
        let opened = made.and_then(|()| private_file(&path, Open::Truncate));
        let error = opened.as_ref().err().map(ToString::to_string);
        let state = Spilled { path, bytes: 0, missing: 0, error };
        Self { file: opened.ok(), state, hidden, before: Vec::new() }
    }

    fn write(&mut self, bytes: &[u8], max: u64) {
        let room = usize::try_from(max - self.state.bytes).unwrap_or(usize::MAX);
        let bytes = bytes.get(..room).unwrap_or(bytes);
        let (back, clean) = self.clean(bytes);
        let Some(file) = &mut self.file else { return };
        let at = self.state.bytes.saturating_sub(back as u64);
        match file.write_all_at(&clean, at) {
            Ok(()) => self.state.bytes += bytes.len() as u64,
            // what is there is there; the command goes on
            Err(error) => {
                self.state.error = Some(error.to_string());
                self.file = None;
            }
        }
    }

    /// What goes into the file, and how many of the bytes before go there once more: a secret has ended that began among
    /// them.
    fn clean<'a>(&mut self, bytes: &'a [u8]) -> (usize, Cow<'a, [u8]>) {
        if self.hidden.is_empty() {
            return (0, Cow::Borrowed(bytes));
        }
        let old = self.before.len();
        self.before.extend_from_slice(bytes);
        let places = self.hidden.places(&self.before);
        let first = places.first().map_or(old, |place| place.start.min(old));
        let mut clean = self.before.clone();
        for secret in places {
            clean.get_mut(secret).unwrap_or_default().fill(b'*');
        }
        self.before.drain(..self.before.len().saturating_sub(self.hidden.reach()));
        (old - first, Cow::Owned(clean.split_off(first)))
    }

    /// Bytes from `offset` on, if the file has any there.
    fn read(&self, offset: u64, max: usize) -> Option<Vec<u8>> {
        let there = self.state.bytes.checked_sub(offset).filter(|there| *there > 0)?;
        let mut bytes = vec![0; max.min(usize::try_from(there).unwrap_or(usize::MAX))];
        let file = private_file(&self.state.path, Open::Read).ok()?;
        file.read_exact_at(&mut bytes, offset).ok()?;
        Some(bytes)
    }
}

fn index(distance: u64) -> usize {
    usize::try_from(distance).unwrap_or(usize::MAX)
}

fn last(bytes: &[u8], count: usize) -> &[u8] {
    bytes.get(bytes.len().saturating_sub(count)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(head: usize, tail: usize) -> Keep {
        Keep { head, tail, file: None, file_max: 20, ..Keep::default() }
    }

    fn captured(keep: Keep, chunks: &[&str]) -> Capture {
        let mut capture = Capture::new(keep);
        for chunk in chunks {
            capture.push(chunk.as_bytes());
        }
        capture
    }

    #[test]
    fn the_ends_are_kept_and_the_middle_is_counted() {
        let check = |chunks: &[&str], head: &str, tail: &str, missing: u64| {
            let output = captured(keep(4, 3), chunks).output();
            assert_eq!(
                (output.head.as_slice(), output.tail.as_slice(), output.missing()),
                (head.as_bytes(), tail.as_bytes(), missing),
                "{chunks:?}"
            );
        };
        check(&[], "", "", 0);
        check(&["abc"], "abc", "", 0);
        check(&["abcdefg"], "abcd", "efg", 0);
        check(&["ab", "cd", "e", "fg"], "abcd", "efg", 0);
        check(&["abcdefgh"], "abcd", "fgh", 1);
        check(&["abcdef", "0123456789"], "abcd", "789", 9);
        check(&["a", "b", "c", "d", "e", "f", "g", "h", "i"], "abcd", "ghi", 2);
    }

    #[test]
    fn the_whole_is_there_only_while_nothing_is_missing() {
        assert_eq!(captured(keep(4, 3), &["abcdefg"]).output().whole().unwrap(), b"abcdefg");
        assert_eq!(captured(keep(4, 3), &["abcdefgh"]).output().whole(), None);
    }

    #[test]
    fn the_live_view_is_the_last_lines() {
        let check = |said: &str, expected: &str| {
            assert_eq!(captured(keep(8, 64), &[said]).tail(2, Duration::ZERO).text, expected, "{said:?}");
        };
        check("", "");
        check("one", "one");
        check("one\n", "one");
        check("one\ntwo\nthree", "two\nthree");
        check("one\ntwo\nthree\n", "two\nthree");
        check("\n\n\n", "\n");
    }

    #[test]
    fn the_file_holds_the_whole_from_the_first_byte_to_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("deep/out.log");
        let keep = Keep { file: Some(file.clone()), ..keep(4, 3) };
        let small = captured(keep.clone(), &["abc", "defg"]);
        assert!(small.output().file.is_none() && !file.exists(), "memory was enough");
        let large = captured(keep, &["abc", "defg", "hijklmnopq", "rstuvwxyz"]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "abcdefghijklmnopqrst");
        let spilled = large.output().file.unwrap();
        assert_eq!((spilled.bytes, spilled.error), (20, None));
    }

    #[test]
    fn the_file_holds_no_secret_however_it_comes() {
        let key = "sk-0123456789abcdef";
        let whole = format!("before {key} between {key} after");
        for size in 1..whole.len() {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("out.log");
            let hidden = Arc::new(Redactor::new([key.to_owned()], []));
            let keep = Keep { file: Some(file.clone()), file_max: 1000, hidden, ..keep(4, 3) };
            let pieces: Vec<&str> =
                whole.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
            let capture = captured(keep, &pieces);
            let stars = "*".repeat(key.len());
            assert_eq!(
                std::fs::read_to_string(&file).unwrap(),
                whole.replace(key, &stars),
                "in pieces of {size}"
            );
            assert_eq!(capture.output().file.unwrap().bytes, whole.len() as u64);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_said_and_nothing_else_changes() {
        let keep = Keep { file: Some("/dev/null/out.log".into()), ..keep(4, 3) };
        let output = captured(keep, &["abcdefgh", "ij"]).output();
        assert!(output.file.is_some_and(|file| file.bytes == 0 && file.error.is_some()));
        assert_eq!((output.head.as_slice(), output.tail.as_slice()), (&b"abcd"[..], &b"hij"[..]));
    }

    #[test]
    fn what_came_since_a_mark_has_its_own_beginning_and_end() {
        let dir = tempfile::tempdir().unwrap();
        let with_file = Keep { file: Some(dir.path().join("out.log")), ..keep(4, 3) };
        let check = |keep: &Keep, mark: u64, head: &str, tail: &str, missing: u64| {
            let capture = captured(keep.clone(), &["abcdefghijklmnopqrstuvwxyz"]);
            let since = capture.output_since(Mark { bytes: mark, lines: 0 });
            assert_eq!(
                (since.head.as_slice(), since.tail.as_slice(), since.bytes, since.missing()),
                (head.as_bytes(), tail.as_bytes(), 26 - mark, missing),
                "from {mark}"
            );
        };
        check(&keep(20, 20), 5, "fghijklmnopqrstuvwxyz", "", 0);
        check(&keep(20, 20), 22, "wxyz", "", 0);
        check(&keep(20, 20), 26, "", "", 0);
        check(&keep(4, 3), 2, "cd", "xyz", 19);
        check(&keep(4, 3), 10, "", "xyz", 13);
        check(&keep(4, 3), 24, "yz", "", 0);
        check(&with_file, 2, "cdef", "xyz", 17);
        // the file ends at 20
        check(&with_file, 19, "t", "xyz", 3);
        check(&with_file, 20, "", "xyz", 3);
    }

    #[test]
    fn reading_on_goes_through_memory_and_file_and_says_what_it_skips() {
        let dir = tempfile::tempdir().unwrap();
        let with_file = Keep { file: Some(dir.path().join("out.log")), ..keep(4, 3) };
        let check = |keep: &Keep, offset: u64, expected: &str, skipped: u64| {
            let capture = captured(keep.clone(), &["abcdefghijklmnopqrstuvwxyz"]);
            let chunk = capture.since(offset, 5);
            let next = offset.min(26) + skipped + expected.len() as u64;
            assert_eq!(chunk, Chunk { bytes: expected.into(), skipped, next }, "from {offset}");
        };
        check(&with_file, 0, "abcde", 0);
        check(&with_file, 18, "st", 0);
        check(&with_file, 20, "xyz", 3);
        check(&with_file, 25, "z", 0);
        check(&with_file, 99, "", 0);
        check(&keep(4, 3), 0, "abcd", 0);
        check(&keep(4, 3), 4, "xyz", 19);
        check(&keep(20, 20), 18, "stuvw", 0);
    }
}
