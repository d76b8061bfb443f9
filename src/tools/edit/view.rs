//! A file's bytes as the model knows them: UTF-8 lines that end in a line feed, without a byte order mark.
//!
//! The view is for finding. It leaves out the mark, shows every line end as a line feed and UTF-16 as UTF-8, and knows
//! for each of its places where that lies in the file; so what is found here is cut out there, and no byte outside is
//! ever written anew. The surprise: a carriage return alone is a line end only in a file that has no other; elsewhere it
//! is a byte like any other.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The view of one file.
#[derive(Debug)]
pub struct View<'a> {
    /// The bytes as seen. UTF-8 unless the file is in some other encoding than UTF-8 and UTF-16.
    pub text: Cow<'a, [u8]>,
    /// How its lines end.
    ends: Ends,
    /// How its characters are written.
    units: Units,
    /// Length of the byte order mark before the text.
    mark: usize,
}

/// Why a file cannot be edited as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText(pub &'static str);

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eol {
    /// Line feed.
    Lf,
    /// Carriage return and line feed.
    CrLf,
    /// Carriage return alone.
    Cr,
}

/// What is written where, in places of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What goes.
    pub range: Range<usize>,
    /// What comes: UTF-8 with the line ends that the file is to have.
    pub bytes: Vec<u8>,
}

/// The line ends of a file.
#[derive(Debug)]
enum Ends {
    /// Line feeds, but where (in the text, ascending) one stands for carriage return and line feed.
    Feeds { pairs: Vec<usize> },
    /// Carriage returns alone, all of them.
    Returns,
}

/// How a file writes characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Units {
    /// In bytes, as the view does.
    Bytes,
    Utf16(Order),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// The text of a file for a person, without a copy of plain UTF-8: no byte order mark, and line feeds for carriage returns
/// alone. Bytes in an unknown encoding show as `�`.
pub fn text_of(mut bytes: Vec<u8>) -> String {
    let is_wide = matches!(bytes.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let decoded = if is_wide { View::new(&bytes).ok().map(|view| view.text.into_owned()) } else { None };
    if let Some(text) = decoded {
        bytes = text;
    } else if bytes.starts_with(BOM) {
        bytes.drain(..BOM.len()).for_each(drop);
    }
    if memchr(b'\n', &bytes).is_none() {
        bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

impl Eol {
    /// Its bytes.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Cr => b"\r",
        }
    }
}

impl<'a> View<'a> {
    /// Looks at a file. UTF-16 is taken where it has a mark and every unit of it can be read.
    pub fn new(file: &'a [u8]) -> Result<Self, NotText> {
        if file.starts_with(b"\xff\xfe\0\0") || file.starts_with(b"\0\0\xfe\xff") {
            return Err(NotText("UTF-32"));
        }
        let order = match file {
            [0xff, 0xfe, ..] => Order::Little,
            [0xfe, 0xff, ..] => Order::Big,
            _ if memchr(0, file).is_some() => return Err(NotText("binary (it has NUL bytes)")),
            _ => {
                let text = file.strip_prefix(BOM).unwrap_or(file);
                return Ok(Self::of(Cow::Borrowed(text), Units::Bytes, file.len() - text.len()));
            }
        };
        let decoded = decode(file.get(2..).unwrap_or_default(), order)?;
        Ok(Self::of(Cow::Owned(decoded.into_bytes()), Units::Utf16(order), 2))
    }

    fn of(text: Cow<'a, [u8]>, units: Units, mark: usize) -> Self {
        let feeds = |pairs| Ends::Feeds { pairs };
        if memchr(b'\r', &text).is_none() {
            return Self { text, ends: feeds(Vec::new()), units, mark };
        }
        if memchr(b'\n', &text).is_none() {
            let seen = text.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }).collect();
            return Self { text: Cow::Owned(seen), ends: Ends::Returns, units, mark };
        }
        let (mut seen, mut pairs, mut from) = (Vec::with_capacity(text.len()), Vec::new(), 0);
        for at in memmem::find_iter(&text, b"\r\n") {
            seen.extend_from_slice(text.get(from..at).unwrap_or_default());
            pairs.push(seen.len());
            from = at + 1;
        }
        if pairs.is_empty() {
            return Self { text, ends: feeds(pairs), units, mark };
        }
        seen.extend_from_slice(text.get(from..).unwrap_or_default());
        Self { text: Cow::Owned(seen), ends: feeds(pairs), units, mark }
    }

    /// A stretch of what is seen; empty where there is none.
    pub fn part(&self, range: Range<usize>) -> &[u8] {
        self.text.get(range).unwrap_or_default()
    }

    /// Whether the file begins with a byte order mark.
    pub fn has_mark(&self) -> bool {
        self.mark > 0
    }

    /// Whether it is UTF-16: anything can be written into it.
    pub fn is_utf16(&self) -> bool {
        self.units != Units::Bytes
    }

    /// Whether a carriage return alone ends its lines.
    pub fn has_returns_only(&self) -> bool {
        matches!(self.ends, Ends::Returns)
    }

    /// The bytes of `file`, of which this is the view, with the changes made; they must be in order and apart.
    pub fn splice(&self, file: &[u8], changes: &[Change]) -> Vec<u8> {
        let growth: usize = changes.iter().map(|change| change.bytes.len()).sum();
        let mut out = Vec::with_capacity(file.len() + 2 * growth);
        let mut place = Place { seen: 0, pairs: 0, file: self.mark };
        let mut from = 0;
        for change in changes {
            self.go_to(&mut place, change.range.start);
            out.extend_from_slice(file.get(from..place.file).unwrap_or_default());
            self.encode(&change.bytes, &mut out);
            self.go_to(&mut place, change.range.end);
            from = place.file;
        }
        out.extend_from_slice(file.get(from..).unwrap_or_default());
        out
    }

    /// Moves on to a place of the view; before a line end means before all of it.
    fn go_to(&self, place: &mut Place, seen: usize) {
        let pairs = match &self.ends {
            Ends::Feeds { pairs } => pairs.partition_point(|pair| *pair < seen),
            Ends::Returns => 0,
        };
        let returns = pairs - place.pairs;
        place.file += match self.units {
            Units::Bytes => seen - place.seen + returns,
            Units::Utf16(_) => 2 * (utf16_units(self.part(place.seen..seen)) + returns),
        };
        (place.seen, place.pairs) = (seen, pairs);
    }

    fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let Units::Utf16(order) = self.units else { return out.extend_from_slice(bytes) };
        for unit in String::from_utf8_lossy(bytes).encode_utf16() {
            out.extend_from_slice(&match order {
                Order::Little => unit.to_le_bytes(),
                Order::Big => unit.to_be_bytes(),
            });
        }
    }

    /// How the lines within `range` end, in order.
    pub fn ends_within(&self, range: &Range<usize>) -> Vec<Eol> {
        memchr_iter(b'\n', self.part(range.clone())).map(|at| self.end_at(range.start + at)).collect()
    }

    /// How the line ends in which `range` ends; for the last line without an end, how the line before it does.
    pub fn end_around(&self, range: &Range<usize>) -> Option<Eol> {
        let next = memchr(b'\n', self.part(range.end..self.text.len())).map(|at| range.end + at);
        next.or_else(|| memrchr(b'\n', self.part(0..range.start))).map(|at| self.end_at(at))
    }

    /// How the line ends whose line feed is at `feed`.
    pub fn end_at(&self, feed: usize) -> Eol {
        match &self.ends {
            Ends::Feeds { pairs } if pairs.binary_search(&feed).is_ok() => Eol::CrLf,
            Ends::Feeds { .. } => Eol::Lf,
            Ends::Returns => Eol::Cr,
        }
    }

    /// The whole line (without its end) around `range`, which is within one.
    pub fn line_around(&self, range: &Range<usize>) -> &[u8] {
        let start = memrchr(b'\n', self.part(0..range.start)).map_or(0, |at| at + 1);
        let end = memchr(b'\n', self.part(range.end..self.text.len())).map(|at| range.end + at);
        self.part(start..end.unwrap_or(self.text.len()))
    }

    /// Number from 1 of the line in which `at` lies.
    pub fn line_number(&self, at: usize) -> usize {
        1 + memchr_iter(b'\n', self.part(0..at)).count()
    }

    /// The view's lines with their ends, as stretches of its text.
    pub fn lines(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let ends = memchr_iter(b'\n', &self.text).map(|at| at + 1);
        let mut lines: Vec<Range<usize>> = ends.map(|end| std::mem::replace(&mut start, end)..end).collect();
        if start < self.text.len() {
            lines.push(start..self.text.len());
        }
        lines
    }
}

/// The same place in the view and in the file, and how many pairs stand before it.
struct Place {
    seen: usize,
    pairs: usize,
    file: usize,
}

fn decode(bytes: &[u8], order: Order) -> Result<String, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(NotText("UTF-16 with half a character at its end"));
    }
    let units = pairs.iter().map(|pair| match order {
        Order::Little => u16::from_le_bytes(*pair),
        Order::Big => u16::from_be_bytes(*pair),
    });
    let text: Result<String, _> = char::decode_utf16(units).collect();
    match text {
        Ok(text) if text.contains('\0') => Err(NotText("binary (it has NUL characters)")),
        Ok(text) => Ok(text),
        Err(_) => Err(NotText("UTF-16 with broken characters")),
    }
}

/// How many units of UTF-16 a text takes: one for each character, two for those of four bytes.
fn utf16_units(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
        + text.iter().filter(|byte| **byte >= 0xf0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(file: &[u8], range: Range<usize>, bytes: &[u8]) -> Vec<u8> {
        View::new(file).unwrap().splice(file, &[Change { range, bytes: bytes.to_vec() }])
    }

    #[test]
    fn a_view_has_no_mark_and_no_carriage_return_before_a_feed() {
        let file = b"\xef\xbb\xbfa\r\nb\nc\rd\r\n";
        let view = View::new(file).unwrap();
        assert_eq!(&*view.text, b"a\nb\nc\rd\n");
        assert_eq!(view.ends_within(&(0..8)), [Eol::CrLf, Eol::Lf, Eol::CrLf]);
        assert_eq!((view.line_number(4), view.lines().len()), (3, 3));
        assert_eq!(spliced(file, 0..1, b"x"), b"\xef\xbb\xbfx\r\nb\nc\rd\r\n");
        assert_eq!(spliced(file, 1..2, b""), b"\xef\xbb\xbfab\nc\rd\r\n");
        assert_eq!(spliced(file, 1..1, b"x"), b"\xef\xbb\xbfax\r\nb\nc\rd\r\n");
        assert_eq!(spliced(file, 7..8, b""), b"\xef\xbb\xbfa\r\nb\nc\rd");
        assert_eq!(spliced(file, 8..8, b"x"), b"\xef\xbb\xbfa\r\nb\nc\rd\r\nx");
    }

    #[test]
    fn utf16_is_spliced_in_its_own_units() {
        let little: Vec<u8> = "\u{feff}ä\r\n😀b\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let view = View::new(&little).unwrap();
        assert_eq!(&*view.text, "ä\n😀b\n".as_bytes());
        let expected: Vec<u8> = "\u{feff}ä\r\n😀ü😎\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(spliced(&little, 7..8, "ü😎".as_bytes()), expected);
        let big: Vec<u8> = "\u{feff}a\r\nb".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let expected: Vec<u8> = "\u{feff}axb".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(spliced(&big, 1..2, b"x"), expected);
    }

    #[test]
    fn what_is_no_text_has_no_view() {
        let check = |file: &[u8], expected: &str| {
            let NotText(what) = View::new(file).unwrap_err();
            assert!(what.contains(expected), "{what}");
        };
        check(b"a\0b", "NUL bytes");
        check(b"\xff\xfe\0\0a\0\0\0", "UTF-32");
        check(b"\0\0\xfe\xff", "UTF-32");
        check(b"\xff\xfea\0b", "half a character");
        check(b"\xff\xfe\0\xd8a\0", "broken");
        check(b"\xfe\xff\0a\0\0", "NUL characters");
    }

    #[test]
    fn carriage_returns_are_line_ends_where_there_are_no_others() {
        let view = View::new(b"a\rb\r").unwrap();
        assert_eq!((&*view.text, view.end_at(1)), (&b"a\nb\n"[..], Eol::Cr));
        assert_eq!(spliced(b"a\rb\r", 2..3, b"x"), b"a\rx\r");
        assert_eq!(&*View::new(b"a\rb\n").unwrap().text, b"a\rb\n");
    }

    #[test]
    fn a_line_without_an_end_takes_that_of_its_neighbour() {
        let around = |file: &[u8], range| View::new(file).unwrap().end_around(&range);
        assert_eq!(around(b"a\r\nb\nc", 0..1), Some(Eol::CrLf));
        assert_eq!(around(b"a\r\nb\nc", 2..3), Some(Eol::Lf));
        assert_eq!(around(b"a\r\nb\nc", 4..5), Some(Eol::Lf));
        assert_eq!(around(b"a\r\nb", 2..3), Some(Eol::CrLf));
        assert_eq!(around(b"a", 0..1), None);
    }
}
