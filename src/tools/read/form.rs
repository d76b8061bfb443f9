//! What a file is, by its first bytes; its name does not count.
//!
//! Not a list of all formats: what is shown in a form of its own, and the binary ones that turn up in projects, so that a
//! refusal can say what would show them. The surprise: a NUL alone does not make a file binary. A stray one in a log is
//! shown, a file that is full of them is not.

use super::decode::{Encoding, Order};
use crate::text::image::ImageKind;

/// Bytes that are looked at, as git looks at them.
const LOOKED_AT: usize = 8000;

/// Fewer bytes are too few to tell UTF-16 without a mark from binary data.
const LEAST_UTF16: usize = 16;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// UTF-8, or what can be shown as if it were.
    Text,
    /// Text that must be decoded.
    Encoded(Encoding),
    /// An image that models take.
    Image(ImageKind),
    /// What cannot be shown.
    Binary(&'static Kind),
}

/// A kind of file that cannot be shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// With its article.
    pub(super) name: &'static str,
    /// What would show it, to be run with Bash.
    pub(super) shown_by: &'static str,
    /// What stands at which place of it.
    marks: &'static [(usize, &'static [u8])],
}

/// Binary data that nothing is known of.
const UNKNOWN: Kind = kind("binary data", "od -c FILE | head", &[]);

/// Those that are told by their first bytes alone; of several that fit the first counts.
const CERTAIN: [Kind; 22] = [
    kind("a PDF document", "pdftotext -layout FILE -", &[(0, b"%PDF-")]),
    kind("an ELF program or library", "file FILE; nm -D FILE", &[(0, b"\x7fELF")]),
    kind("a ZIP archive (so are .docx, .xlsx, .jar)", "unzip -l FILE", &[(0, b"PK\x03\x04")]),
    kind("an empty ZIP archive", "unzip -l FILE", &[(0, b"PK\x05\x06")]),
    kind("a gzip file", "zcat FILE | head -100", &[(0, b"\x1f\x8b")]),
    kind("an xz file", "xzcat FILE | head -100", &[(0, b"\xfd7zXZ\0")]),
    kind("a Zstandard file", "zstdcat FILE | head -100", &[(0, b"\x28\xb5\x2f\xfd")]),
    kind("a 7z archive", "7z l FILE", &[(0, b"7z\xbc\xaf\x27\x1c")]),
    kind("an SQLite database", "sqlite3 FILE .schema", &[(0, b"SQLite format 3\0")]),
    kind("a WebAssembly module", "wasm-objdump -h FILE", &[(0, b"\0asm")]),
    kind("a Mach-O program or library", "file FILE", &[(0, b"\xcf\xfa\xed\xfe")]),
    kind("a Java class or a Mach-O program", "javap FILE", &[(0, b"\xca\xfe\xba\xbe")]),
    kind("an old Office document", "file FILE", &[(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")]),
    kind("a TIFF image", "magick FILE out.png", &[(0, b"II*\0")]),
    kind("a TIFF image", "magick FILE out.png", &[(0, b"MM\0*")]),
    kind("an icon", "magick FILE out.png", &[(0, b"\0\0\x01\0")]),
    kind("a HEIC image", "magick FILE out.png", &[(4, b"ftyphei")]),
    kind("an AVIF image", "magick FILE out.png", &[(4, b"ftypavif")]),
    kind("a film or a sound (MP4)", "ffprobe FILE", &[(4, b"ftyp")]),
    kind("a sound (WAV)", "ffprobe FILE", &[(0, b"RIFF"), (8, b"WAVE")]),
    kind("an HDF5 file", "h5dump -n FILE", &[(0, b"\x89HDF\r\n\x1a\n")]),
    kind("a bzip2 file", "bzcat FILE | head -100", &[(0, b"BZh"), (4, b"1AY&SY")]),
];

/// Those whose first bytes could be text: what they are is asked only where a file is binary.
const LIKELY: [Kind; 11] = [
    kind("a Windows program or library", "file FILE", &[(0, b"MZ")]),
    kind("a static library", "ar t FILE", &[(0, b"!<arch>\n")]),
    kind("a tar archive", "tar tf FILE", &[(257, b"ustar")]),
    kind("a BMP image", "magick FILE out.png", &[(0, b"BM")]),
    kind("a sound (MP3)", "ffprobe FILE", &[(0, b"ID3")]),
    kind("a sound (FLAC)", "ffprobe FILE", &[(0, b"fLaC")]),
    kind("a film or a sound (Ogg)", "ffprobe FILE", &[(0, b"OggS")]),
    kind("a font", "fc-scan FILE", &[(0, b"wOF")]),
    kind("a font", "fc-scan FILE", &[(0, b"OTTO")]),
    kind("a Parquet file", "parquet schema FILE", &[(0, b"PAR1")]),
    kind("a pack of git", "git verify-pack -v FILE", &[(0, b"PACK")]),
];

const fn kind(name: &'static str, shown_by: &'static str, marks: &'static [(usize, &'static [u8])]) -> Kind {
    Kind { name, shown_by, marks }
}

impl Form {
    /// By the first bytes of a file; `last` is the last line that is asked for.
    pub(super) fn of(start: &[u8], last: u64) -> Self {
        if let Some(encoding) = Encoding::of(start) {
            return Self::Encoded(encoding);
        }
        if let Some(kind) = ImageKind::of(start) {
            return Self::Image(kind);
        }
        if let Some(kind) = CERTAIN.iter().find(|kind| kind.fits(start)) {
            return Self::Binary(kind);
        }
        let looked = start.get(..LOOKED_AT).unwrap_or(start);
        if let Some(order) = unmarked_utf16(looked) {
            return Self::Encoded(Encoding::Utf16(order));
        }
        if is_binary(looked, last) {
            return Self::Binary(LIKELY.iter().find(|kind| kind.fits(start)).unwrap_or(&UNKNOWN));
        }
        Self::Text
    }
}

impl Kind {
    fn fits(&self, start: &[u8]) -> bool {
        let stands =
            |(at, mark): &(usize, &[u8])| start.get(*at..).is_some_and(|rest| rest.starts_with(mark));
        self.marks.iter().all(stands)
    }
}

/// Whether the bytes make no text, unless all that is asked for stands before the first NUL.
fn is_binary(looked: &[u8], last: u64) -> bool {
    let text = looked.split(|byte| *byte == 0).next().unwrap_or_default();
    let odd = looked.iter().filter(|byte| is_odd(**byte)).count();
    if text.len() == looked.len() {
        // compressed data has one such byte in nine; separators in text of one byte a character may be as many
        return odd * 20 > looked.len() && !is_utf8(looked);
    }
    let lines = memchr::memchr_iter(b'\n', text).count() as u64;
    // a stray NUL in a log, or one in a hundred bytes
    lines < last && odd * 50 > looked.len()
}

/// Control characters that no text has; tab, line ends, page feed, backspace and escape do turn up.
fn is_odd(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x08 | 0x1b)
}

/// The end may lie within a character.
fn is_utf8(looked: &[u8]) -> bool {
    std::str::from_utf8(looked).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Windows leaves the mark away at times: then every other byte is NUL, and the others are text.
fn unmarked_utf16(looked: &[u8]) -> Option<Order> {
    let pairs = looked.len() / 2;
    if looked.len() < LEAST_UTF16 {
        return None;
    }
    let nine_in_ten = |fits: &dyn Fn(&[u8]) -> bool| {
        looked.chunks_exact(2).filter(|pair| fits(pair)).count() * 10 >= pairs * 9
    };
    let is_plain = |byte: u8| byte != 0 && byte < 0x7f && !is_odd(byte);
    if nine_in_ten(&|pair| matches!(pair, [low, 0] if is_plain(*low))) {
        Some(Order::Little)
    } else if nine_in_ten(&|pair| matches!(pair, [0, low] if is_plain(*low))) {
        Some(Order::Big)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(start: &[u8]) -> &'static str {
        match Form::of(start, u64::MAX) {
            Form::Text => "text",
            Form::Encoded(encoding) => encoding.name(),
            Form::Image(kind) => kind.name(),
            Form::Binary(kind) => kind.name,
        }
    }

    #[test]
    fn a_file_is_what_its_first_bytes_say() {
        let check = |start: &[u8], expected: &str| assert_eq!(told(start), expected, "{start:?}");
        check(b"", "text");
        check("caf\u{e9}\n".as_bytes(), "text");
        check(b"caf\xe9\n", "text");
        check(b"\xc4\xe3\xba\xc3\n", "text");
        check(b"\xef\xbb\xbfone", "text");
        check(b"GIF8 is how it begins", "text");
        check(b"BM and MZ are initials", "text");
        check(b"\xff\xfea\0", "UTF-16");
        check(b"\xfe\xff\0a", "UTF-16");
        check(b"\xff\xfe\0\0a\0\0\0", "UTF-32");
        check(b"\0\0\xfe\xff\0\0\0a", "UTF-32");
        check(b"o\0n\0e\0\r\0\n\0t\0w\0o\0\r\0\n\0", "UTF-16");
        check(b"\0o\0n\0e\0 \0t\0w\0o\0 \0x", "UTF-16");
        check(b"\x89PNG\r\n\x1a\n", "PNG");
        check(b"\xff\xd8\xff\xe0", "JPEG");
        check(b"GIF89a", "GIF");
        check(b"RIFF\x10\0\0\0WEBPVP8 ", "WebP");
        check(b"RIFF\x10\0\0\0WAVEfmt ", "a sound (WAV)");
        check(b"%PDF-1.7\n", "a PDF document");
        check(b"PK\x03\x04\x14\0", "a ZIP archive (so are .docx, .xlsx, .jar)");
        check(b"\x7fELF\x02\x01", "an ELF program or library");
        check(b"SQLite format 3\0", "an SQLite database");
        check(b"MZ\x90\0\x03\0\0\0", "a Windows program or library");
        check(b"a\0b", "binary data");
        let noise: Vec<u8> = (1..=255).cycle().step_by(7).take(3000).collect();
        check(&noise, "binary data");
    }

    #[test]
    fn a_stray_nul_is_no_reason_and_what_comes_behind_the_window_is_none() {
        let text = "a line of a log\n".repeat(20);
        let stray = [text.as_bytes(), b"\0", text.as_bytes()].concat();
        assert_eq!(Form::of(&stray, u64::MAX), Form::Text);
        let full = [text.as_bytes(), &[0; 400]].concat();
        assert_eq!(Form::of(&full, 20), Form::Text);
        assert_eq!(Form::of(&full, 21), Form::Binary(&UNKNOWN));
    }

    #[test]
    fn separators_that_are_control_characters_are_text() {
        assert_eq!(told(&b"8=FIX\x019=5\x0135=0\x01\n".repeat(50)), "text");
    }
}
