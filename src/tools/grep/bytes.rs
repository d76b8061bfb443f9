//! The bytes of a file as a search wants them: no marks at the beginning, lines that end in a line feed, UTF-16 as UTF-8.
//!
//! So `$` and `\n` mean the same in every file, and a line number is that of any editor. Carriage returns stay where the
//! expression asks for them.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};

use memchr::{memchr, memchr2};

use super::super::walk::Until;

/// A byte order mark.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
/// Looked at to tell a binary file: as many as ripgrep's first buffer holds.
const HEAD: usize = 64 * 1024;

/// What becomes of carriage returns before line feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returns {
    Taken,
    Kept,
}

/// How much of a file is in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filled {
    All,
    /// There is more.
    Begun,
}

/// Adds the next bytes of a file of `size` bytes to the buffer, until that holds more than `most`.
pub(super) fn fill(
    file: &mut File,
    buffer: &mut Vec<u8>,
    size: u64,
    most: usize,
    until: &Until,
) -> io::Result<Filled> {
    /// Between two looks at the clock.
    const PIECE: usize = 256 * 1024;
    loop {
        if until.is_over() {
            return Err(interrupted());
        }
        let room = (most + 1).saturating_sub(buffer.len()).min(PIECE);
        if room == 0 {
            return Ok(Filled::Begun);
        }
        let wanted = usize::try_from(size).unwrap_or(usize::MAX).saturating_sub(buffer.len()).max(1024);
        let (held, room) = (buffer.len(), room.min(wanted));
        buffer.resize(held + room, 0);
        let count = file.read(buffer.get_mut(held..).unwrap_or_default());
        buffer.truncate(held + *count.as_ref().unwrap_or(&0));
        // a file that is as long as it was said to be needs no further look
        if count? == 0 || (buffer.len() as u64 == size && size <= most as u64) {
            return Ok(Filled::All);
        }
    }
}

/// Whether what a file begins with is text in UTF-16.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

/// Whether what a file begins with is no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    memchr(0, bytes.get(..HEAD).unwrap_or(bytes)).is_some()
}

/// How much of a whole file is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    All,
    /// Only the part before the first NUL byte.
    UpToNul,
    Nothing,
}

/// Makes a whole file ready to be searched, without the part that is not text.
pub(super) fn ready(buffer: &mut Vec<u8>, returns: Returns) -> Text {
    if is_utf16(buffer) {
        *buffer = from_utf16(buffer);
    } else if buffer.starts_with(UTF8_MARK) {
        buffer.drain(..UTF8_MARK.len());
    }
    // one look for both: nearly every file has neither
    let Some(first) = memchr2(0, b'\r', buffer) else { return Text::All };
    let text = match memchr(0, buffer.get(first..).unwrap_or_default()) {
        None => Text::All,
        Some(at) if first + at < HEAD => return Text::Nothing,
        Some(at) => {
            buffer.truncate(first + at);
            Text::UpToNul
        }
    };
    if returns == Returns::Kept {
        return text;
    }
    if memchr(b'\n', buffer).is_none() {
        // lines that end in a carriage return alone
        buffer.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        return text;
    }
    let length = buffer.len();
    let kept = without_returns(buffer, first.min(length), length);
    buffer.truncate(kept);
    text
}

fn from_utf16(bytes: &[u8]) -> Vec<u8> {
    let is_big = bytes.starts_with(b"\xfe\xff");
    let pairs = bytes.get(2..).unwrap_or_default().chunks(2);
    let units = pairs.map(|pair| match *pair {
        [a, b] if is_big => u16::from_be_bytes([a, b]),
        [a, b] => u16::from_le_bytes([a, b]),
        // half a unit at the end
        _ => 0xfffd,
    });
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.into_bytes()
}

/// A file that is read on from what was read of it, whose reading ends when the search does.
#[derive(Debug)]
pub(super) struct Watched<'a> {
    begun: &'a [u8],
    file: File,
    until: &'a Until,
    returns: Returns,
    /// Whether a carriage return was read of which is not known yet what follows.
    is_held: bool,
    /// Whether a NUL byte ended the reading: the rest is not text.
    pub(super) ends_at_nul: bool,
}

impl<'a> Watched<'a> {
    /// What `begun` holds, then the rest of the file.
    pub(super) fn new(begun: &'a [u8], file: File, until: &'a Until, returns: Returns) -> Self {
        Self {
            begun: begun.strip_prefix(UTF8_MARK).unwrap_or(begun),
            file,
            until,
            returns,
            is_held: false,
            ends_at_nul: false,
        }
    }

    fn read_on(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ends_at_nul {
            return Ok(0);
        }
        let count = if self.begun.is_empty() { self.file.read(buffer)? } else { self.begun.read(buffer)? };
        let nul = memchr(0, buffer.get(..count).unwrap_or_default());
        self.ends_at_nul = nul.is_some();
        Ok(nul.unwrap_or(count))
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.until.is_over() {
                return Err(interrupted());
            }
            if self.returns == Returns::Kept {
                return self.read_on(buffer);
            }
            let held = usize::from(self.is_held);
            if let (true, Some(first)) = (self.is_held, buffer.first_mut()) {
                *first = b'\r';
            }
            let count = self.read_on(buffer.get_mut(held..).unwrap_or_default())?;
            let read = held + count;
            let is_last = buffer.get(read.saturating_sub(1)) == Some(&b'\r');
            // a buffer of one byte could never be filled
            self.is_held = count > 0 && is_last && buffer.len() > 1;
            let length = read - usize::from(self.is_held);
            let first = memchr(b'\r', buffer.get(..length).unwrap_or_default()).unwrap_or(length);
            let length = without_returns(buffer, first, length);
            if length > 0 || count == 0 {
                return Ok(length);
            }
        }
    }
}

/// Takes the carriage returns before line feeds out of the first `length` bytes, of which the first stands at `first`;
/// gives the new length.
fn without_returns(buffer: &mut [u8], first: usize, length: usize) -> usize {
    let bytes = buffer.get_mut(first..length).unwrap_or_default();
    let cells = Cell::from_mut(bytes).as_slice_of_cells();
    let mut kept = 0;
    for (at, cell) in cells.iter().enumerate() {
        let goes = cell.get() == b'\r' && cells.get(at + 1).map(Cell::get) == Some(b'\n');
        if let (false, Some(place)) = (goes, cells.get(kept)) {
            place.set(cell.get());
            kept += 1;
        }
    }
    first + kept
}

fn interrupted() -> io::Error {
    io::Error::other("interrupted")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn until() -> Until {
        Until::within(Duration::from_mins(1))
    }

    fn file(bytes: &[u8]) -> File {
        let named = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&named, bytes).unwrap();
        named.reopen().unwrap()
    }

    #[test]
    fn a_file_is_made_ready() {
        let check = |bytes: &[u8], expected: Option<&str>| {
            let mut buffer = bytes.to_vec();
            let found = (ready(&mut buffer, Returns::Taken) == Text::All)
                .then(|| String::from_utf8_lossy(&buffer).into_owned());
            assert_eq!(found.as_deref(), expected, "{bytes:?}");
        };
        check(b"", Some(""));
        check(b"a\r\nb\rc\r\r\n\r", Some("a\nb\rc\r\n\r"));
        check(b"\xef\xbb\xbfa\n", Some("a\n"));
        check(b"a\0b", None);
        check(b"a\r\n\0b", None);
        check(b"\xff\xfea\0\r\0\n\0", Some("a\n"));
        check(b"\xfe\xff\0a\0\r\0\n\x0d\x0a", Some("a\n\u{d0a}"));
        check(b"\xff\xfea\0\x3d\xd8\0\xdeb", Some("a😀\u{fffd}"));
        check(b"\xff\xfea\0\0\0", None);
        let mut kept = b"a\r\n".to_vec();
        assert!(ready(&mut kept, Returns::Kept) == Text::All && kept == b"a\r\n");
    }

    #[test]
    fn a_buffer_is_filled_up_to_its_limit() {
        let check = |bytes: &[u8], size: u64, most: usize, expected: Filled, held: usize| {
            let mut buffer = Vec::new();
            let filled = fill(&mut file(bytes), &mut buffer, size, most, &until()).unwrap();
            assert_eq!((filled, buffer.len()), (expected, held), "{} {size} {most}", bytes.len());
            assert!(bytes.starts_with(&buffer));
        };
        check(&[7; 100], 100, 100, Filled::All, 100);
        check(&[7; 100], 100, 99, Filled::Begun, 100);
        check(b"", 0, 10, Filled::All, 0);
        // files that are longer or shorter than the system says
        check(&[7; 100], 0, 1000, Filled::All, 100);
        check(&[7; 100], 4096, 1000, Filled::All, 100);
        check(&[7; 5000], 10, 1000, Filled::Begun, 1001);
        check(&vec![7; 600_000], 600_000, 1_000_000, Filled::All, 600_000);
        let over = Until::within(Duration::ZERO);
        assert!(fill(&mut file(b"a"), &mut Vec::new(), 1, 10, &over).is_err());
    }

    #[test]
    fn carriage_returns_go_only_before_line_feeds_whatever_the_buffer() {
        let bytes = b"\xef\xbb\xbfa\r\nb\rc\r\r\n\r\n\r";
        let until = until();
        for (size, begun) in (2..20).flat_map(|size| (3..bytes.len()).map(move |begun| (size, begun))) {
            let rest = file(&bytes[begun..]);
            let mut watched = Watched::new(&bytes[..begun], rest, &until, Returns::Taken);
            let (mut all, mut buffer) = (Vec::new(), vec![0; size]);
            while let count @ 1.. = watched.read(&mut buffer).unwrap() {
                all.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(all, b"a\nb\rc\r\n\n\r", "{size} {begun}");
        }
    }
}
