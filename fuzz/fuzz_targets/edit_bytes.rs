//! Edits of random bytes: whatever comes, nothing panics, and an edit that was made is the one that a plain replacement in
//! decoded text would have been.
//!
//! The oracle knows nothing of how places are found: it decodes, counts and replaces with what the standard library has.
//! Run it with the flags that the source design names for stable compilers; see `fuzz/README.md`.

#![no_main]

use clawd::tools::edit::matcher::{Found, Refused, Which, edit};
use libfuzzer_sys::fuzz_target;

/// Pieces of which files are made, so that texts come again and look alike.
const PIECES: [&[u8]; 32] = [
    b"a",
    b"b",
    b"A",
    b"foo",
    b" ",
    b"  ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\r",
    b"=",
    b"\"",
    b"'",
    b"-",
    b"\\",
    b"0",
    b".",
    b"(",
    b"\xe2\x80\x9c",
    b"\xe2\x80\x9d",
    b"\xe2\x80\x93",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"\xc2\xa0",
    b"\xef\xbf\xbd",
    b"\xef\xbb\xbf",
    b"\xe9",
    b"\xd6\xd0",
    b"\x81A",
    b"\x83\\",
    b"\xf0\x9f\x98\x80",
    b"\0",
];

fuzz_target!(|data: &[u8]| {
    let [flags, from, length, new_length, rest @ ..] = data else { return };
    let (new, body) = rest.split_at((*new_length as usize % 16).min(rest.len()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(&pieces(bytes)).into_owned();
    let new = text(new);
    let content = if flags & 1 != 0 { pieces(body) } else { body.to_vec() };
    // a piece of the file, as it is or as it may be remembered
    let start = *from as usize % (content.len() + 1);
    let end = (start + *length as usize % 32).min(content.len());
    let old = remembered(&String::from_utf8_lossy(&content[start..end]), flags >> 4);
    let which = if flags & 2 != 0 { Which::All } else { Which::One };
    let file =
        if flags & 4 != 0 { wide(&String::from_utf8_lossy(&content), flags & 8 != 0) } else { content };
    check(&file, &old, &new, which);
});

fn pieces(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| PIECES[*byte as usize % PIECES.len()]).copied().collect()
}

fn wide(text: &str, big: bool) -> Vec<u8> {
    let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
}

fn remembered(text: &str, how: u8) -> String {
    let text = if how & 1 != 0 { text.replace('\t', "    ") } else { text.to_owned() };
    let text = if how & 2 != 0 { text.replace(['\u{201c}', '\u{201d}'], "\"") } else { text };
    let text = if how & 4 != 0 { text.replace(" \n", "\n").replace("\r\n", "\n") } else { text };
    if how & 8 != 0 { text.replace("  ", " ") } else { text }
}

/// The text of a file and what its mark was; none where it is not Unicode.
fn decoded(file: &[u8]) -> Option<(&'static str, String)> {
    let units = |big: bool| {
        let pairs = file[2..].chunks(2);
        let units = pairs.map(|pair| match pair {
            [a, b] if big => u16::from_be_bytes([*a, *b]),
            [a, b] => u16::from_le_bytes([*a, *b]),
            _ => 0xd800,
        });
        String::from_utf16(&units.collect::<Vec<_>>()).ok()
    };
    match file {
        [0xff, 0xfe, ..] => Some(("le", units(false)?)),
        [0xfe, 0xff, ..] => Some(("be", units(true)?)),
        [0xef, 0xbb, 0xbf, rest @ ..] => Some(("utf8", String::from_utf8(rest.to_vec()).ok()?)),
        bytes => Some(("", String::from_utf8(bytes.to_vec()).ok()?)),
    }
}

fn feeds(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn check(file: &[u8], old: &str, new: &str, which: Which) {
    let result = edit(file, old, new, which);
    let Some((mark, text)) = decoded(file) else {
        return bytes_outside_stay(file, old, new, result);
    };
    let has_returns = feeds(&text).contains('\r') || feeds(new).contains('\r') || feeds(old).contains('\r');
    let has_mark_in_texts = old.starts_with('\u{feff}') || new.starts_with('\u{feff}');
    if has_returns || has_mark_in_texts {
        return bytes_outside_stay(file, old, new, result);
    }
    let (seen, wanted) = (feeds(&text), feeds(old));
    let places =
        (0..seen.len()).filter(|at| seen.is_char_boundary(*at) && seen[*at..].starts_with(&wanted)).count();
    match &result {
        Ok(edited) => {
            let (mark_now, now) = decoded(&edited.bytes).expect("it is still text");
            // a mark that was a letter before has come to the beginning
            if mark_now != mark {
                assert!(seen.contains('\u{feff}'), "the mark stays");
                return;
            }
            if edited.found == Found::Exactly {
                let expected = match which {
                    Which::One => seen.replacen(&wanted, &feeds(new), 1),
                    Which::All => seen.replace(&wanted, &feeds(new)),
                };
                assert!(which == Which::All || places == 1, "one place is meant");
                assert_eq!(feeds(&now), expected);
                // lines that are as they were keep their ends
                if which == Which::One {
                    let at = seen.find(&wanted).expect("it is there");
                    let ends = |text: &str| {
                        text.split_inclusive('\n').map(|line| line.ends_with("\r\n")).collect::<Vec<_>>()
                    };
                    let (before, after) = (ends(&text), ends(&now));
                    let first = seen[..at].matches('\n').count();
                    let last = seen[at + wanted.len()..].matches('\n').count();
                    assert_eq!(before[..first], after[..first], "ends before");
                    let lines = |text: &str| text.matches('\n').count();
                    let tail = |ends: &[bool], text: &str| ends[lines(text) - last..lines(text)].to_vec();
                    assert_eq!(tail(&before, &text), tail(&after, &now), "ends after");
                }
            } else {
                assert_eq!(places, 0, "what stands there exactly is not sought otherwise");
            }
        }
        Err(Refused::Several(..)) => assert!(places != 1, "one place is not several"),
        Err(Refused::Nowhere) => assert_eq!(places, 0, "what is there is found"),
        Err(Refused::OtherEncoding) => panic!("this is Unicode"),
        Err(_) => {}
    }
    bytes_outside_stay(file, old, new, result);
}

/// What differs is no larger than what was meant, whatever the encoding.
fn bytes_outside_stay(
    file: &[u8],
    old: &str,
    new: &str,
    result: Result<clawd::tools::edit::matcher::Edited, Refused>,
) {
    let Ok(edited) = result else { return };
    if edited.places > 1 {
        return;
    }
    let bytes = &edited.bytes;
    let lead = file.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    let shorter = file.len().min(bytes.len()) - lead;
    let trail = file.iter().rev().zip(bytes.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    // new letters in UTF-16 and with two characters for a line end, and an indentation for each line
    let lines = new.matches('\n').count() + 1;
    let most = 4 * new.len() + lines * 64 + 4 * old.len() + 64;
    assert!(bytes.len() - lead - trail <= most, "no more is written than was meant");
    let removed = file.len() - lead - trail;
    if edited.found == Found::Exactly {
        assert!(removed <= 4 * old.len() + 4, "no more goes than was meant");
    }
}
