//! The kinds of images that models take: how their bytes begin, and how their files are called.
//!
//! The one list of them. Whether an image is whole is not looked at here. The surprise: a WebP begins like any other file of
//! its container, films among them, and is told by what stands behind that.

/// A kind of image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    WebP,
    /// GIF.
    Gif,
}

impl ImageKind {
    /// All, the likeliest in a clipboard first.
    pub const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::WebP, Self::Gif];

    /// By the first bytes: twelve are enough.
    #[must_use]
    pub fn of(start: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| match kind {
            Self::Png => start.starts_with(b"\x89PNG\r\n\x1a\n"),
            Self::Jpeg => start.starts_with(b"\xff\xd8\xff"),
            Self::WebP => start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP"),
            Self::Gif => start.starts_with(b"GIF87a") || start.starts_with(b"GIF89a"),
        })
    }

    /// By the ending of a file's name, without its dot.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        let usual = if ending.eq_ignore_ascii_case("jpeg") { "jpg" } else { ending };
        Self::ALL.into_iter().find(|kind| usual.eq_ignore_ascii_case(kind.ending()))
    }

    /// As a person calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::WebP => "WebP",
            Self::Gif => "GIF",
        }
    }

    /// As programs call it.
    #[must_use]
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
        }
    }

    /// The ending that its files usually have.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Gif => "gif",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_by_its_first_bytes() {
        for (start, expected) in [
            (b"\x89PNG\r\n\x1a\n\0\0\0\r".as_slice(), Some(ImageKind::Png)),
            (b"\xff\xd8\xff\xe0", Some(ImageKind::Jpeg)),
            (b"RIFF\x16\0\0\0WEBPVP8 ", Some(ImageKind::WebP)),
            (b"GIF89a", Some(ImageKind::Gif)),
            (b"GIF87a", Some(ImageKind::Gif)),
            (b"RIFF\x16\0\0\0AVI LIST", None),
            (b"RIFF\x16\0\0\0WAVEfmt ", None),
            (b"RIFF", None),
            (b"GIF8", None),
            (b"", None),
        ] {
            assert_eq!(ImageKind::of(start), expected, "{start:?}");
        }
    }

    #[test]
    fn a_kind_is_told_by_the_ending_of_a_name() {
        for kind in ImageKind::ALL {
            assert_eq!(ImageKind::of_ending(kind.ending()), Some(kind));
            assert!(kind.mime().starts_with("image/"));
        }
        assert_eq!(ImageKind::of_ending("JPEG"), Some(ImageKind::Jpeg));
        assert_eq!(ImageKind::of_ending("bmp"), None);
    }
}
