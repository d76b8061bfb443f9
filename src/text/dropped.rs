//! A path to an image, as terminals write it when a file is dropped on them or its path is pasted.
//!
//! Quoted, with backslashes, or as a `file://` address: each terminal has its own way. Whether anything is there is not looked
//! at; a text that merely ends like an image is none unless it begins like a path.

use super::image::ImageKind;

/// The longest path that systems take, in bytes.
const LONGEST: usize = 4096;

/// The path that a pasted text is, where it is nothing but one of an image.
#[must_use]
pub fn image_path(pasted: &str) -> Option<String> {
    let text = pasted.trim();
    if text.len() > LONGEST || text.contains(['\n', '\r', '\t', '\0']) {
        return None;
    }
    let path = match (quoted(text), text.strip_prefix("file://")) {
        (Some(inner), _) => inner.to_owned(),
        (None, Some(address)) => decoded(address.strip_prefix("localhost").unwrap_or(address))?,
        (None, None) => unescaped(text)?,
    };
    let is_path = ["/", "~/", "./", "../"].iter().any(|beginning| path.starts_with(beginning));
    let (_, extension) = path.rsplit_once('.')?;
    (is_path && ImageKind::of_ending(extension).is_some()).then_some(path)
}

fn quoted(text: &str) -> Option<&str> {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['\'', '"'].into_iter().find_map(inner)
}

/// Backslashes taken off. A space without one parts two words, and two words are no path.
fn unescaped(text: &str) -> Option<String> {
    let mut path = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => path.push(letters.next()?),
            ' ' => return None,
            letter => path.push(letter),
        }
    }
    Some(path)
}

/// `%20` and the like.
fn decoded(address: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = address.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_known_however_it_is_written() {
        for (pasted, expected) in [
            ("/tmp/a.png", Some("/tmp/a.png")),
            (" /tmp/a.PNG \n", Some("/tmp/a.PNG")),
            ("'/tmp/my shot.png'", Some("/tmp/my shot.png")),
            ("\"~/b.jpeg\"", Some("~/b.jpeg")),
            (r"/tmp/my\ shot\(1\).webp", Some("/tmp/my shot(1).webp")),
            ("file:///tmp/my%20shot%C3%A9.gif", Some("/tmp/my shoté.gif")),
            ("file://localhost/tmp/a.jpg", Some("/tmp/a.jpg")),
            ("../a.png", Some("../a.png")),
            ("a.png", None),
            ("/tmp/a.png and more", None),
            ("look at /tmp/a.png", None),
            ("/tmp/a.png\n/tmp/b.png", None),
            ("/tmp/a.txt", None),
            ("https://example.com/a.png", None),
            ("file:///tmp/%zz.png", None),
            ("", None),
        ] {
            assert_eq!(image_path(pasted).as_deref(), expected, "{pasted:?}");
        }
    }
}
