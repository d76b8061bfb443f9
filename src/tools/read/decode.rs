//! UTF-16 and UTF-32 as UTF-8, piece by piece: a large file needs no more memory than a small one.
//!
//! What cannot be decoded becomes U+FFFD. Encodings of one byte a character are none of this: nothing in them says which.

use std::io::{self, BufRead, Read};

/// Bytes that are decoded at once: whole units of both encodings.
const PIECE: u64 = 32 * 1024;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf16(Order),
    Utf32(Order),
}

/// Which byte of a unit comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Encoding {
    /// By the byte order mark.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        // the mark of UTF-32 begins as that of UTF-16 does
        let marks: [(&[u8], Self); 4] = [
            (b"\xff\xfe\0\0", Self::Utf32(Order::Little)),
            (b"\0\0\xfe\xff", Self::Utf32(Order::Big)),
            (b"\xff\xfe", Self::Utf16(Order::Little)),
            (b"\xfe\xff", Self::Utf16(Order::Big)),
        ];
        marks.into_iter().find(|(mark, _)| start.starts_with(mark)).map(|(_, encoding)| encoding)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf16(_) => "UTF-16",
            Self::Utf32(_) => "UTF-32",
        }
    }
}

/// Gives the text of `source` as UTF-8, the byte order mark with it.
#[derive(Debug)]
pub(super) struct Decoder<R> {
    source: R,
    encoding: Encoding,
    /// The first half of a pair, whose second half is yet to come.
    half: Option<u16>,
    text: Vec<u8>,
    given: usize,
}

impl<R: BufRead> Decoder<R> {
    pub(super) fn new(source: R, encoding: Encoding) -> Self {
        Self { source, encoding, half: None, text: Vec::new(), given: 0 }
    }

    /// The next piece; an empty one at the end.
    fn decode(&mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.source.by_ref().take(PIECE).read_to_end(&mut bytes)?;
        Ok(match self.encoding {
            Encoding::Utf16(order) => self.decode_utf16(&bytes, order),
            Encoding::Utf32(order) => bytes.chunks(4).map(|unit| utf32(unit, order)).collect(),
        })
    }

    fn decode_utf16(&mut self, bytes: &[u8], order: Order) -> String {
        let mut units: Vec<u16> = self.half.take().into_iter().collect();
        units.extend(bytes.chunks(2).map(|unit| utf16(unit, order)));
        if !bytes.is_empty() {
            self.half = units.pop_if(|unit| (0xd800..0xdc00).contains(unit));
        }
        String::from_utf16_lossy(&units)
    }
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // a piece may be nothing but the first half of a pair
        while self.given == self.text.len() {
            self.text = self.decode()?.into_bytes();
            self.given = 0;
            if self.text.is_empty() && self.half.is_none() {
                return Ok(0);
            }
        }
        let count = self.text.get(self.given..).unwrap_or_default().read(buffer)?;
        self.given += count;
        Ok(count)
    }
}

/// A lone byte at the end is no unit; a first half that nothing follows is decoded as U+FFFD.
fn utf16(unit: &[u8], order: Order) -> u16 {
    match (unit, order) {
        (&[first, second], Order::Little) => u16::from_le_bytes([first, second]),
        (&[first, second], Order::Big) => u16::from_be_bytes([first, second]),
        _ => 0xfffd,
    }
}

fn utf32(unit: &[u8], order: Order) -> char {
    let Ok(unit) = unit.try_into() else { return char::REPLACEMENT_CHARACTER };
    let number = match order {
        Order::Little => u32::from_le_bytes(unit),
        Order::Big => u32::from_be_bytes(unit),
    };
    char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], encoding: Encoding) -> String {
        let mut text = String::new();
        Decoder::new(bytes, encoding).read_to_string(&mut text).unwrap();
        text
    }

    fn encoded(text: &str, order: Order) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            Order::Little => unit.to_le_bytes(),
            Order::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn a_text_comes_out_as_it_went_in_wherever_it_is_cut() {
        for shift in 0..3 {
            let text = "x".repeat(shift) + &"\u{e4}\u{1f980}\n".repeat(9000);
            for order in [Order::Little, Order::Big] {
                assert!(decoded(&encoded(&text, order), Encoding::Utf16(order)) == text, "{shift} {order:?}");
            }
            let wide: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
            assert!(decoded(&wide, Encoding::Utf32(Order::Big)) == text, "{shift}");
        }
    }

    #[test]
    fn what_cannot_be_decoded_is_marked() {
        let check = |bytes: &[u8], encoding, expected: &str| {
            assert_eq!(decoded(bytes, encoding), expected, "{bytes:?}");
        };
        let utf16 = Encoding::Utf16(Order::Little);
        check(b"a\0\x3e\xd8", utf16, "a\u{fffd}");
        check(b"a\0\x80\xddb\0", utf16, "a\u{fffd}b");
        check(b"a\0b", utf16, "a\u{fffd}");
        check(b"a\0\0\0\xff\xff\xff\xff", Encoding::Utf32(Order::Little), "a\u{fffd}");
        check(b"", utf16, "");
        let halves = [0x3e, 0xd8].repeat(40_000);
        assert_eq!(decoded(&halves, utf16).chars().count(), 40_000);
    }
}
