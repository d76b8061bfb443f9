//! Images that models take: how large one is, and whether it is whole.
//!
//! Nothing is decoded; the structure is followed from mark to mark. The surprise: that is done to the end. An image that
//! is cut off would be refused by the endpoint, and with it every later request of the conversation that holds it.

use crate::text::image::ImageKind;

/// In pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

/// How large the image in `bytes` is; none where it is broken or cut off.
pub(super) fn size(kind: ImageKind, bytes: &[u8]) -> Option<Size> {
    let (width, height) = match kind {
        ImageKind::Png => png(bytes),
        ImageKind::Jpeg => jpeg(bytes),
        ImageKind::Gif => gif(bytes),
        ImageKind::WebP => webp(bytes),
    }?;
    (width > 0 && height > 0).then_some(Size { width, height })
}

/// Chunks of a length, a name, the data and a check sum, from `IHDR` to `IEND`.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 8;
    let mut has_data = false;
    loop {
        let length = usize::try_from(u32::from_be_bytes(array(bytes, at)?)).ok()?;
        match &array::<4>(bytes, at + 4)? {
            b"IEND" => break,
            b"IDAT" => has_data = true,
            _ => {}
        }
        at = at.checked_add(length)?.checked_add(12)?;
    }
    let is_headed = array::<4>(bytes, 12)? == *b"IHDR";
    let size = (u32::from_be_bytes(array(bytes, 16)?), u32::from_be_bytes(array(bytes, 20)?));
    (is_headed && has_data).then_some(size)
}

/// Segments of a mark and a length up to the scan, which lasts to the mark of the end.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    let mut size = None;
    loop {
        let [0xff, mark] = array(bytes, at)? else { return None };
        match mark {
            0xff => at += 1,
            // these stand alone
            0x01 | 0xd0..=0xd7 => at += 2,
            0xda => break,
            0xd9 => return None,
            _ => {
                if matches!(mark, 0xc0..=0xcf) && !matches!(mark, 0xc4 | 0xc8 | 0xcc) {
                    let side = |at| array(bytes, at).map(|side| u32::from(u16::from_be_bytes(side)));
                    size = Some((side(at + 7)?, side(at + 5)?));
                }
                at += 2 + usize::from(u16::from_be_bytes(array(bytes, at + 2)?));
            }
        }
    }
    let is_whole = bytes.get(at..)?.windows(2).any(|pair| pair == [0xff, 0xd9]);
    size.filter(|_| is_whole)
}

/// Blocks up to the trailer; there is at least one picture among them.
fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    let side = |at| array(bytes, at).map(|side| u32::from(u16::from_le_bytes(side)));
    let mut at = 13 + colours(*bytes.get(10)?);
    let mut has_picture = false;
    loop {
        at = match *bytes.get(at)? {
            0x2c => {
                has_picture = true;
                after_blocks(bytes, at + 11 + colours(*bytes.get(at + 9)?))?
            }
            0x21 => after_blocks(bytes, at + 2)?,
            0x3b => break,
            _ => return None,
        };
    }
    Some((side(6)?, side(8)?)).filter(|_| has_picture)
}

/// Bytes of a table of colours, by the flags that tell of it.
fn colours(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Where a row of blocks ends, each led by its length.
fn after_blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            length => at += usize::from(length) + 1,
        }
    }
}

/// A length, then chunks; the first one tells the size in one of three ways.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let length = usize::try_from(u32::from_le_bytes(array(bytes, 4)?)).ok()?;
    if bytes.len() < length.checked_add(8)? {
        return None;
    }
    match &array::<4>(bytes, 12)? {
        b"VP8 " if array(bytes, 23)? == [0x9d, 0x01, 0x2a] => {
            let side = |at| array(bytes, at).map(|side| u32::from(u16::from_le_bytes(side) & 0x3fff));
            Some((side(26)?, side(28)?))
        }
        b"VP8L" if bytes.get(20) == Some(&0x2f) => {
            let bits = u32::from_le_bytes(array(bytes, 21)?);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => {
            let side = |at| array(bytes, at).map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]) + 1);
            Some((side(24)?, side(27)?))
        }
        _ => None,
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A picture of one grey point.
    pub(in super::super) const PNG: &[u8] =
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\
\0\0\0\nIDATx\x9cch\0\0\0\x82\0\x81w\xcdr\xb6\0\0\0\0IEND\xaeB`\x82";
    const GIF: &[u8] =
        b"GIF89a\x02\0\x03\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x02\0\x03\0\0\
\x02\x03D\x02\x05\0;";
    /// The marks of a picture, and nothing in it.
    const JPEG: &[u8] =
        b"\xff\xd8\xff\xe0\0\x04JF\xff\xff\xc4\0\x03x\xff\xc2\0\x0b\x08\x01\x02\x03\x04\x01\x01\x11\0\
\xff\xda\0\x03x\x12\x34\xff\0\x56\xff\xd9";
    const LOSSY: &[u8] = b"RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0\x30\x01\0\x9d\x01\x2a\x40\xc1\xf0\x40";
    const LOSSLESS: &[u8] = b"RIFF\x11\0\0\0WEBPVP8L\x05\0\0\0\x2f\x3f\xc1\x3b\0";
    const EXTENDED: &[u8] = b"RIFF\x18\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x3f\x01\0\xef\0\0AL";

    #[test]
    fn an_image_is_as_large_as_its_header_says() {
        let check = |bytes: &[u8], width, height| {
            let kind = ImageKind::of(bytes).unwrap();
            assert_eq!(size(kind, bytes), Some(Size { width, height }), "{kind:?}");
        };
        check(PNG, 1, 1);
        check(GIF, 2, 3);
        check(JPEG, 772, 258);
        check(LOSSY, 320, 240);
        check(LOSSLESS, 320, 240);
        check(EXTENDED, 320, 240);
    }

    #[test]
    fn an_image_that_is_cut_off_anywhere_is_broken() {
        for whole in [PNG, GIF, JPEG, LOSSY, LOSSLESS, EXTENDED] {
            // the check sum at the end of a PNG is not looked at
            let least = if whole == PNG { whole.len() - 4 } else { whole.len() };
            for length in 12..least {
                let cut = &whole[..length];
                let kind = ImageKind::of(cut).unwrap();
                assert_eq!(size(kind, cut), None, "{kind:?} of {length} bytes");
            }
        }
    }

    #[test]
    fn an_image_without_points_is_broken() {
        let mut empty = PNG.to_vec();
        empty[19] = 0;
        assert_eq!(size(ImageKind::Png, &empty), None);
        let (header, end) = (&PNG[..33], &PNG[PNG.len() - 12..]);
        assert_eq!(size(ImageKind::Png, &[header, end].concat()), None, "it has no data");
    }
}
