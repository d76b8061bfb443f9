//! Bytes of the web as text: which character set, after the mark at the beginning, the head of the answer, the page itself.
//!
//! Text comes out whatever goes in; what cannot be read is `U+FFFD`. The surprise: without a word from anybody, UTF-8 is taken
//! where it is UTF-8 to the last byte, else `windows-1252`, as browsers do.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Where a page may say its character set (the standard of HTML).
const LOOKED_AT: usize = 1024;

/// The text of a body that came with this content type.
pub(super) fn decode(body: &[u8], content_type: Option<&str>) -> String {
    let labelled = || {
        let of_head = content_type.and_then(|said| label_after(said.as_bytes(), "charset"));
        of_head.and_then(|label| Encoding::for_label(&label))
    };
    let encoding = labelled().or_else(|| said_inside(body)).unwrap_or_else(|| guessed(body));
    // a mark at the beginning beats all that was said
    encoding.decode(body).0.into_owned()
}

/// What `<meta charset>` or an XML declaration says. A page that can be read as far as that is not in UTF-16.
fn said_inside(body: &[u8]) -> Option<&'static Encoding> {
    let beginning = body.get(..LOOKED_AT).unwrap_or(body).to_ascii_lowercase();
    let is_xml = beginning.starts_with(b"<?xml");
    let label =
        label_after(&beginning, "charset").or_else(|| label_after(&beginning, "encoding").filter(|_| is_xml));
    let encoding = Encoding::for_label(&label?)?;
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

fn guessed(body: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(body) {
        Ok(_) => UTF_8,
        // cut inside its last letter
        Err(error) if error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

/// The value in `name=value`, `name = "value"`; the first there is.
fn label_after(text: &[u8], name: &str) -> Option<Vec<u8>> {
    let found = |at: usize| {
        let rest = text.get(at..)?;
        let rest = rest
            .get(..name.len())
            .filter(|found| found.eq_ignore_ascii_case(name.as_bytes()))
            .and(rest.get(name.len()..))?;
        let value = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
        let ends = |byte: &u8| {
            matches!(byte, b'"' | b'\'' | b';' | b'>' | b'/' | b'?') || byte.is_ascii_whitespace()
        };
        let end = value.iter().position(ends).unwrap_or(value.len());
        value.get(..end).filter(|label| !label.is_empty()).map(<[u8]>::to_vec)
    };
    (0..text.len()).find_map(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_character_set_is_the_one_that_is_said() {
        let check = |body: &[u8], content_type: Option<&str>, expected: &str| {
            assert_eq!(decode(body, content_type), expected, "{content_type:?} {body:?}");
        };
        check("grün".as_bytes(), None, "grün");
        check(b"gr\xfcn", None, "grün");
        check(b"gr\xc3\xbcn", Some("text/html; charset=iso-8859-1"), "grÃ¼n");
        check(b"\xb0\xa1", Some("text/html; Charset = \"EUC-KR\""), "가");
        check(b"\x82\xa0", Some("text/plain;charset=shift_jis;x=y"), "あ");
        check(b"<meta charset=koi8-r>\xc1", Some("text/html"), "<meta charset=koi8-r>а");
        check(
            b"<META http-equiv=Content-Type content='text/html; charset=GBK'>\xc4\xe3",
            None,
            "<META http-equiv=Content-Type content='text/html; charset=GBK'>你",
        );
        check(
            b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1",
            None,
            "<?xml version='1.0' encoding='iso-8859-2'?>ą",
        );
        check(b"a encoding=koi8-r \xc3\xa9", None, "a encoding=koi8-r é");
        check(b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>é");
        check(b"\xef\xbb\xbfa\xc3\xa9", Some("text/plain; charset=latin1"), "aé");
        check(b"\xff\xfea\x00", Some("text/plain"), "a");
        check(b"caf\xc3\xa9 \xc3", Some("text/plain; charset=nonsense"), "café \u{fffd}");
        check(
            &[b"x".repeat(2000), b"<meta charset=koi8-r>\xc3\xa9".to_vec()].concat(),
            None,
            &format!("{}<meta charset=koi8-r>é", "x".repeat(2000)),
        );
    }
}
