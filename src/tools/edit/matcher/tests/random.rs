//! Random files in six encodings, with random line ends, and random edits of them, against an oracle that works on decoded
//! text and knows nothing of views, folds and places.
//!
//! `PROPTEST_CASES` says how many of each.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Encoding {
    Utf8,
    Utf8WithMark,
    Latin1,
    Gbk,
    Utf16Little,
    Utf16Big,
}

/// Characters of GBK; the second byte of the last two is that of `@` and of `A`.
const GBK: [(char, [u8; 2]); 4] =
    [('中', [0xd6, 0xd0]), ('文', [0xce, 0xc4]), ('丂', [0x81, 0x40]), ('丄', [0x81, 0x41])];

impl Encoding {
    fn is_unicode(self) -> bool {
        !matches!(self, Self::Latin1 | Self::Gbk)
    }

    fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Latin1 | Self::Gbk => b"",
            Self::Utf8WithMark => b"\xef\xbb\xbf",
            Self::Utf16Little => b"\xff\xfe",
            Self::Utf16Big => b"\xfe\xff",
        }
    }

    /// The text without a mark.
    fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 | Self::Utf8WithMark => text.as_bytes().to_vec(),
            Self::Latin1 => text.chars().map(|letter| u8::try_from(letter).unwrap()).collect(),
            Self::Gbk => text.chars().flat_map(gbk).collect(),
            Self::Utf16Little => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Big => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }

    fn file(self, text: &str) -> Vec<u8> {
        [self.mark(), &self.encode(text)].concat()
    }

    fn letters(self) -> &'static [&'static str] {
        match self {
            Self::Latin1 => &["é", "ü", "ß"],
            Self::Gbk => &["中", "文", "丂", "丄"],
            Self::Utf8 | Self::Utf8WithMark | Self::Utf16Little | Self::Utf16Big => {
                &["é", "e\u{301}", "中", "😀", "“", "”", "\u{a0}", "–"]
            }
        }
    }
}

fn gbk(letter: char) -> Vec<u8> {
    match GBK.iter().find(|(known, _)| *known == letter) {
        Some((_, bytes)) => bytes.to_vec(),
        None => vec![u8::try_from(letter).unwrap()],
    }
}

fn encoding() -> impl Strategy<Value = Encoding> {
    use Encoding::*;
    prop_oneof![Just(Utf8), Just(Utf8WithMark), Just(Latin1), Just(Gbk), Just(Utf16Little), Just(Utf16Big)]
}

/// Pieces of a text: few, so that they come again.
fn pieces(encoding: Encoding) -> impl Strategy<Value = Vec<String>> {
    let plain = prop_oneof![
        Just("a"),
        Just("b"),
        Just("A"),
        Just("="),
        Just("\""),
        Just("-"),
        Just("foo"),
        Just(" "),
        Just("  "),
        Just("\t"),
    ];
    let ends = prop_oneof![4 => Just("\n"), 4 => Just("\r\n"), 1 => Just("\r")];
    let others = proptest::sample::select(encoding.letters());
    let piece = prop_oneof![5 => plain, 3 => ends, 2 => others];
    proptest::collection::vec(piece.prop_map(str::to_owned), 0..24)
}

/// A file, and a stretch of its pieces that is to be replaced.
fn edits() -> impl Strategy<Value = (Encoding, Vec<String>, usize, usize, String)> {
    encoding().prop_flat_map(|encoding| {
        let new = "[abA=\" \t-]{0,5}(\r?\n[ab \t]{0,3}){0,2}(é|中|\r)?";
        (Just(encoding), pieces(encoding), 0_usize..24, 1_usize..7, new)
    })
}

/// As the model sees it.
fn seen(text: &str) -> String {
    if text.contains('\n') { text.replace("\r\n", "\n") } else { text.replace('\r', "\n") }
}

/// How often one text is in another, overlapping ones counted.
fn count(text: &str, old: &str) -> usize {
    text.char_indices().filter(|(at, _)| text.split_at(*at).1.starts_with(old)).count()
}

fn exact_edit(encoding: Encoding, text: &str, range: Range<usize>, new: &str) -> TestCaseResult {
    // a file of ASCII alone can be anything
    let encoding = if text.is_ascii() && !encoding.is_unicode() { Encoding::Utf8 } else { encoding };
    let file = encoding.file(text);
    let (before, rest) = text.split_at(range.start);
    let (old, after) = rest.split_at(range.len());
    let view = seen(text);
    let returns_only = !text.contains('\n') && text.contains('\r');
    let normal = |text: &str| {
        let text = text.replace("\r\n", "\n");
        if returns_only { text.replace('\r', "\n") } else { text }
    };
    let (wanted, replacement) = (normal(old), normal(new));
    let places = count(&view, &wanted);
    let edited = edit(&file, old, new, Which::One);
    // half of a pair of line ends is nowhere
    let cuts =
        before.ends_with('\r') && old.starts_with('\n') || old.ends_with('\r') && after.starts_with('\n');
    match edited {
        Ok(edited) if edited.found == Found::Exactly => {
            prop_assert_eq!(places, 1);
            if cuts {
                return Ok(());
            }
            stands_between(encoding, &edited.bytes, (before, after), &replacement, text)?;
        }
        // found but for blanks or typography: another test
        Ok(_) => prop_assert_eq!(places, 0),
        Err(Refused::Several(lines, Found::Exactly)) => {
            prop_assert!(places > 1 && lines.len() == places, "{} {:?}", places, lines);
        }
        Err(Refused::Several(..) | Refused::Nowhere) => {
            let is_shown_otherwise = !encoding.is_unicode() && !old.is_ascii();
            prop_assert!(
                places == 0 || is_shown_otherwise || cuts || begins_in_doubt(encoding, text, &wanted)
            );
        }
        Err(Refused::Same | Refused::OnlyLineEnds) => prop_assert_eq!(wanted, replacement),
        Err(Refused::NoChange) => prop_assert!(places == 0),
        Err(Refused::OtherEncoding) => prop_assert!(!encoding.is_unicode() && !new.is_ascii()),
        Err(Refused::Unclear(_, Unclear::Returns)) => prop_assert!(text.contains('\r') || new.contains('\r')),
        Err(Refused::Unclear(_, Unclear::Letter)) => {
            let has_marks = text.contains('\u{301}');
            prop_assert!(has_marks || begins_in_doubt(encoding, text, &wanted));
        }
        Err(Refused::Unclear(_, Unclear::Indent | Unclear::Marks | Unclear::Kept)) => {
            prop_assert!(places == 0);
        }
        Err(Refused::Empty) => prop_assert!(wanted.is_empty()),
        Err(Refused::NotText(what)) => prop_assert!(false, "{}", what),
        Err(Refused::Unclear(_, Unclear::ByteOrderMark)) => prop_assert!(false, "no mark is new"),
    }
    Ok(())
}

/// Nothing but the new text stands between what stood before and after, in line ends of the file.
fn stands_between(
    encoding: Encoding,
    bytes: &[u8],
    around: (&str, &str),
    new: &str,
    text: &str,
) -> TestCaseResult {
    let (before, after) = (encoding.file(around.0), encoding.encode(around.1));
    prop_assert!(bytes.starts_with(&before), "what stands before is untouched");
    prop_assert!(bytes.ends_with(&after), "what stands after is untouched");
    let middle = &bytes[before.len()..bytes.len() - after.len()];
    let lines: Vec<&str> = new.split('\n').collect();
    let (feeds, pairs) = (text.matches('\n').count(), text.matches("\r\n").count());
    let ends: &[&str] = match (feeds, pairs, text.contains('\r')) {
        (0, _, true) => &["\r"],
        (1.., _, _) if feeds == pairs => &["\r\n"],
        (1.., 0, _) => &["\n"],
        _ => &["\n", "\r\n"],
    };
    prop_assert!(is_joined(encoding, middle, &lines, ends), "{}", middle.escape_ascii());
    Ok(())
}

/// Whether some place of `old` touches a letter of which it cannot be known how many bytes it has.
fn begins_in_doubt(encoding: Encoding, text: &str, old: &str) -> bool {
    let view = seen(text);
    let touches =
        |at: usize| view.split_at(at).0.chars().next_back().is_some_and(|letter| !letter.is_ascii());
    !encoding.is_unicode()
        && view
            .char_indices()
            .any(|(at, _)| view.split_at(at).1.starts_with(old) && (touches(at) || touches(at + old.len())))
}

/// Whether bytes are these lines with one of these ends between each two.
fn is_joined(encoding: Encoding, bytes: &[u8], lines: &[&str], ends: &[&str]) -> bool {
    let Some((first, rest)) = lines.split_first() else { return bytes.is_empty() };
    let Some(bytes) = bytes.strip_prefix(encoding.encode(first).as_slice()) else { return false };
    if rest.is_empty() {
        return bytes.is_empty();
    }
    ends.iter().any(|end| {
        let bytes = bytes.strip_prefix(encoding.encode(end).as_slice());
        bytes.is_some_and(|bytes| is_joined(encoding, bytes, rest, ends))
    })
}

/// Without blanks, quotes straight, accents left out.
fn bare(text: &str) -> String {
    let plain = |letter: char| match letter {
        '“' | '”' => Some('"'),
        '–' => Some('-'),
        ' ' | '\t' | '\u{a0}' | '\u{301}' => None,
        'é' => Some('e'),
        other => Some(other),
    };
    text.chars().filter_map(plain).collect()
}

/// The same text as a model may write it from memory.
fn misremembered(text: &str, how: u8) -> String {
    let text = if how & 1 != 0 { text.replace('\t', "    ") } else { text.to_owned() };
    let text = if how & 2 != 0 { text.replace(['“', '”'], "\"").replace('–', "-") } else { text };
    let text = if how & 4 != 0 { text.replace(" \n", "\n").replace('\u{a0}', " ") } else { text };
    let text = if how & 8 != 0 { text.replace('é', "e\u{301}") } else { text };
    if how & 16 != 0 { text.replace('a', "a ").replace("  ", " ") } else { text }
}

proptest! {
    #[test]
    fn an_exact_edit_is_a_replacement_in_the_decoded_text((encoding, pieces, from, length, new) in edits()) {
        let from = from.min(pieces.len());
        let to = (from + length).min(pieces.len());
        let (start, end) = (pieces[..from].concat().len(), pieces[..to].concat().len());
        let new = if encoding == Encoding::Latin1 { new.replace('中', "é") } else { new };
        exact_edit(encoding, &pieces.concat(), start..end, &new)?;
    }

    #[test]
    fn all_places_are_those_of_a_plain_replacement((encoding, pieces, from, length, _) in edits(), new in "[ab=]{0,4}") {
        let text = pieces.concat();
        let from = from.min(pieces.len());
        let old = seen(&pieces[from..(from + length).min(pieces.len())].concat());
        if old.contains('\r') || !encoding.is_unicode() && !text.is_ascii() || text.contains('\u{301}') {
            return Ok(());
        }
        match edit(&encoding.file(&text), &old, &new, Which::All) {
            Ok(edited) if edited.found == Found::Exactly => {
                let view = View::new(&edited.bytes).unwrap();
                let expected = seen(&text).replace(&old, &new);
                // what is left may have carriage returns alone, which are line ends then
                prop_assert_eq!(seen(str::from_utf8(&view.text).unwrap()), seen(&expected));
                prop_assert_eq!(edited.places, seen(&text).matches(&old).count());
            }
            Ok(_) | Err(Refused::Nowhere) => prop_assert!(!seen(&text).contains(&old)),
            Err(Refused::Empty) => prop_assert!(old.is_empty()),
            Err(Refused::Same | Refused::OnlyLineEnds) => prop_assert_eq!(&old, &new),
            Err(Refused::Unclear(_, Unclear::Returns)) => prop_assert!(text.contains('\r')),
            Err(other) => prop_assert!(!seen(&text).contains(&old), "{:?}", other),
        }
    }

    #[test]
    fn an_edit_from_memory_changes_its_lines_only_and_says_the_same(
        (encoding, pieces, from, length, new) in edits(), how: u8, keep: bool,
    ) {
        let text = pieces.concat();
        let from = from.min(pieces.len());
        let to = (from + length).min(pieces.len());
        let old = misremembered(&seen(&pieces[from..to].concat()), how);
        // half of the edits keep what was there
        let new = if keep { format!("{old}{new}") } else { new };
        let file = encoding.file(&text);
        let Ok(edited) = edit(&file, &old, &new, Which::One) else { return Ok(()) };
        if edited.found == Found::Exactly || !encoding.is_unicode() {
            return Ok(());
        }
        let (before, after) = (View::new(&file).unwrap(), View::new(&edited.bytes).unwrap());
        let (before, after) = (str::from_utf8(&before.text).unwrap(), str::from_utf8(&after.text).unwrap());
        // returns alone are line ends where there are no others, so that their meaning may change
        if [&text, &new].iter().any(|text| text.replace("\r\n", "").contains('\r')) {
            return Ok(());
        }
        let (old, new) = (seen(&old), new.replace("\r\n", "\n"));
        // of the places where it could be by its letters alone, one explains the result
        let (was, is, wanted) = (bare(before) + "\n", bare(after) + "\n", bare(&old));
        let explains = was.match_indices(&wanted).any(|(at, _)| {
            let (front, back) = (was.split_at(at).0, was.split_at(at + wanted.len()).1);
            let made = [front, &bare(&new), back].concat();
            made.trim_end_matches('\n') == is.trim_end_matches('\n')
        });
        prop_assert!(explains || count(&was, &wanted) > 1, "{before:?} {after:?} {old:?} {new:?}");
        let (lead, trail) = same_lines(&file, &edited.bytes);
        let lines = before.split_inclusive('\n').count();
        let changed = lines.saturating_sub(lead + trail);
        prop_assert!(changed <= old.split_inclusive('\n').count() + 1, "{changed} lines of {before:?} {after:?} {old:?} {new:?}");
    }

    #[test]
    fn nothing_at_all_is_a_panic(file in proptest::collection::vec(any::<u8>(), 0..40), old in "\\PC{0,6}|[ \t\r\n\u{feff}é“a]{0,6}", new in "[ \t\r\n\u{feff}é“a]{0,6}", all: bool) {
        let which = if all { Which::All } else { Which::One };
        if let Err(refused) = edit(&file, &old, &new, which) {
            let told = Refusal { path: "f", old: &old, new: &new, which }.words(&file, &refused);
            prop_assert!(told.starts_with("Error: ") && told.len() <= 1536, "{told}");
        }
    }
}

/// How many lines (by line feeds) are the same at the beginning and at the end.
fn same_lines(a: &[u8], b: &[u8]) -> (usize, usize) {
    let lines =
        |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (a, b) = (lines(a), lines(b));
    let lead = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = a.len().min(b.len()) - lead;
    let trail = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    (lead, trail)
}
