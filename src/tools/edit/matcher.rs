//! Finds what an edit means and makes the new bytes of the file. Pure: bytes in, bytes out.
//!
//! Two steps and no more: the text exactly, else whole lines that differ in nothing but trailing blanks or
//! indentation, and that only if there is one such place. Every looser step that other programs take buys wrong writes.
//! The surprise: within a match, what the old and the new text have in common is not written either, so even mixed
//! line ends survive an edit around them.

use std::ops::Range;

use super::indent;
use super::view::{Eol, View, feeds};

/// Which of the matches are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The only one.
    One,
    /// Each.
    All,
}

/// A file after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// How many places were replaced.
    pub places: usize,
    /// How they were found.
    pub found: Found,
}

/// How a match was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Exactly as written.
    Exactly,
    /// But for blanks at the ends of lines, or for the indentation, to which the new text was fitted.
    ButForBlanks,
}

/// Why a file was not edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The old text is empty.
    Empty,
    /// Old and new are the same.
    Same,
    /// They differ in line ends only.
    OnlyLineEnds,
    /// The file is no text that can be edited by bytes; says what it is.
    NotText(&'static str),
    /// The file is not UTF-8 and the new text is not ASCII.
    OtherEncoding,
    /// The old text is nowhere.
    Nowhere,
    /// It is in several places: the lines (from 1) where they begin, and how they were found.
    Several(Vec<usize>, Found),
    /// It is found but for its indentation, which follows no rule; the line where it begins.
    UnclearIndent(usize),
}

/// Replaces `old` by `new`, both in any line ends, in the bytes of a file.
pub fn edit(file: &[u8], old: &str, new: &str, which: Which) -> Result<Edited, Refused> {
    let (old, new) = (line_feeds(old), line_feeds(new));
    check_texts(&old, &new)?;
    check_file(file, &new)?;
    let view = View::new(file);
    let exact = occurrences(&view, old.text.as_bytes(), which);
    if exact.is_empty() {
        return edit_lines(file, &view, &old.text, &new.text);
    }
    if which == Which::One && exact.len() > 1 {
        return Err(several(&view, exact.iter().map(|range| range.start), Found::Exactly));
    }
    let changes: Vec<Change> =
        exact.iter().map(|range| change(&view, range, old.text.as_bytes(), new.text.as_bytes())).collect();
    Ok(Edited { bytes: splice(file, &changes), places: changes.len(), found: Found::Exactly })
}

/// A text from the model with line feeds only, and whether it had other line ends.
struct Lines {
    text: String,
    had_returns: bool,
}

fn line_feeds(text: &str) -> Lines {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Lines { text: text.replace("\r\n", "\n"), had_returns: text.contains("\r\n") }
}

fn check_texts(old: &Lines, new: &Lines) -> Result<(), Refused> {
    if old.text.is_empty() {
        return Err(Refused::Empty);
    }
    if old.text != new.text {
        return Ok(());
    }
    Err(if old.had_returns == new.had_returns { Refused::Same } else { Refused::OnlyLineEnds })
}

/// Whether the file can be edited by its bytes at all.
fn check_file(file: &[u8], new: &Lines) -> Result<(), Refused> {
    if file.starts_with(b"\xff\xfe\0\0") || file.starts_with(b"\0\0\xfe\xff") {
        return Err(Refused::NotText("UTF-32"));
    }
    if file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff") {
        return Err(Refused::NotText("UTF-16"));
    }
    if file.contains(&0) {
        return Err(Refused::NotText("binary (it has NUL bytes)"));
    }
    if !new.text.is_ascii() && !is_mostly_utf8(file) {
        return Err(Refused::OtherEncoding);
    }
    Ok(())
}

/// Whether the file is UTF-8, perhaps with a few bytes gone wrong: more letters of several bytes than stray ones.
fn is_mostly_utf8(file: &[u8]) -> bool {
    let (mut good, mut stray) = (0_usize, 0_usize);
    for chunk in file.utf8_chunks() {
        good += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        stray += usize::from(!chunk.invalid().is_empty());
    }
    stray == 0 || good > stray
}

/// Where `old` stands in the view; overlapping ones too where only one may be.
fn occurrences(view: &View<'_>, old: &[u8], which: Which) -> Vec<Range<usize>> {
    let text: &[u8] = &view.text;
    let step = match which {
        Which::One => 1,
        Which::All => old.len(),
    };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = find(text, old, from) {
        if begins_a_character(text, at) {
            found.push(at..at + old.len());
            from = at + step;
        } else {
            from = at + 1;
        }
    }
    found
}

fn find(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let first = needle.first()?;
    let mut at = from;
    loop {
        at += text.get(at..)?.iter().position(|byte| byte == first)?;
        if text.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether a character begins at `at`. In GB 18030 or Shift JIS the second byte of one may look like an ASCII letter;
/// that is only possible after a byte that no UTF-8 character ends with.
fn begins_a_character(text: &[u8], at: usize) -> bool {
    let before = text.get(at.saturating_sub(4)..at).unwrap_or_default();
    if before.last().is_none_or(u8::is_ascii) {
        return true;
    }
    (1..=before.len()).any(|length| before.get(before.len() - length..).is_some_and(is_one_character))
}

fn is_one_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1)
}

/// What is written where, in places of the file.
struct Change {
    range: Range<usize>,
    bytes: Vec<u8>,
}

/// The change at one exact match, without what old and new have in common at both ends.
fn change(view: &View<'_>, range: &Range<usize>, old: &[u8], new: &[u8]) -> Change {
    let lead = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len()) - lead;
    let trail = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    let (common, rest) = new.split_at(lead);
    let inserted = rest.get(..rest.len() - trail).unwrap_or_default();
    let ends = Ends::of(view, range);
    Change {
        range: view.range_in_file(&(range.start + lead..range.end - trail)),
        bytes: ends.put_into(inserted, feeds(common)),
    }
}

/// The line ends of what is replaced, for what replaces it.
struct Ends {
    within: Vec<Eol>,
    around: Eol,
}

impl Ends {
    fn of(view: &View<'_>, range: &Range<usize>) -> Self {
        Self { within: view.ends_within(range), around: view.end_around(range) }
    }

    /// `text` with the line ends of what it replaces: its first is the end number `first` there.
    fn put_into(&self, text: &[u8], first: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut number = first;
        for &byte in text {
            if byte == b'\n' {
                out.extend_from_slice(self.number(number).bytes());
                number += 1;
            } else {
                out.push(byte);
            }
        }
        out
    }

    fn number(&self, number: usize) -> Eol {
        self.within.get(number).or(self.within.last()).copied().unwrap_or(self.around)
    }
}

/// The second step: whole lines that are the same but for blanks.
fn edit_lines(file: &[u8], view: &View<'_>, old: &str, new: &str) -> Result<Edited, Refused> {
    let old: Vec<&[u8]> = old.as_bytes().split_inclusive(|byte| *byte == b'\n').collect();
    let lines = lines_of(&view.text);
    let place = only_place(view, &lines, &old)?;
    let found = lines.get(place..place + old.len()).unwrap_or_default();
    let mut new: Vec<&[u8]> = new.as_bytes().split_inclusive(|byte| *byte == b'\n').collect();
    // the file's last line has no end, and keeps none
    if let (Some(last), Some(line)) = (found.last(), new.last_mut())
        && !view.text.get(last.clone()).unwrap_or_default().ends_with(b"\n")
    {
        *line = line.strip_suffix(b"\n").unwrap_or(line);
    }
    let change = change_lines(view, found, &old, &new).ok_or_else(|| {
        Refused::UnclearIndent(found.first().map_or(1, |line| view.line_number(line.start)))
    })?;
    Ok(Edited { bytes: splice(file, &[change]), places: 1, found: Found::ButForBlanks })
}

/// The lines of the view with their ends.
fn lines_of(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}

/// Leaves blanks out of a line.
type Trim = fn(&[u8]) -> &[u8];

/// The number (from 0) of the line where the only match begins: trailing blanks count less than indentation.
fn only_place(view: &View<'_>, lines: &[Range<usize>], old: &[&[u8]]) -> Result<usize, Refused> {
    if old.iter().all(|line| line.trim_ascii().is_empty()) {
        return Err(Refused::Nowhere);
    }
    let views: [Trim; 2] = [<[u8]>::trim_ascii_end, <[u8]>::trim_ascii];
    let seen = |range: &Range<usize>| view.text.get(range.clone()).unwrap_or_default();
    for trim in views {
        let same = |window: &[Range<usize>]| window.iter().zip(old).all(|(a, b)| trim(seen(a)) == trim(b));
        let windows = lines.windows(old.len()).enumerate();
        let places: Vec<usize> = windows.filter(|(_, window)| same(window)).map(|(at, _)| at).collect();
        match places.as_slice() {
            [] => {}
            [only] => return Ok(*only),
            many => {
                let starts = many.iter().filter_map(|at| lines.get(*at)).map(|line| line.start);
                return Err(several(view, starts, Found::ButForBlanks));
            }
        }
    }
    Err(Refused::Nowhere)
}

/// The change of whole lines; none where the indentation follows no rule. Lines that old and new share are kept.
fn change_lines(view: &View<'_>, found: &[Range<usize>], old: &[&[u8]], new: &[&[u8]]) -> Option<Change> {
    let lead = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len()) - lead;
    let trail = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    let texts = found.iter().map(|line| view.text.get(line.clone()).unwrap_or_default());
    let pairs: Vec<(&[u8], &[u8])> = texts
        .zip(old)
        .filter(|(_, written)| !written.trim_ascii().is_empty())
        .map(|(found, written)| (indent::split(written).0, indent::split(found).0))
        .collect();
    let rule = indent::learn(&pairs)?;
    let mut inserted = Vec::new();
    for line in new.get(lead..new.len() - trail)? {
        let (blanks, rest) = indent::split(line);
        if !rest.trim_ascii().is_empty() {
            inserted.extend(rule.apply(blanks)?);
        }
        inserted.extend_from_slice(rest);
    }
    let start = found
        .get(lead)
        .or(found.last())
        .map(|line| if lead < found.len() { line.start } else { line.end })?;
    let end = if trail == 0 {
        end_of(view, found.last()?, old.last()?)
    } else {
        found.get(found.len() - trail)?.start
    };
    let all = found.first()?.start..found.last()?.end;
    let bytes = Ends::of(view, &all).put_into(&inserted, lead);
    Some(Change { range: view.range_in_file(&(start.min(end)..end)), bytes })
}

/// Where the last found line ends: without its line end where the old text has none there either.
fn end_of(view: &View<'_>, line: &Range<usize>, old: &[u8]) -> usize {
    let text = view.text.get(line.clone()).unwrap_or_default();
    let has_end = text.ends_with(b"\n") && !old.ends_with(b"\n");
    line.end - usize::from(has_end)
}

fn several(view: &View<'_>, starts: impl Iterator<Item = usize>, found: Found) -> Refused {
    Refused::Several(starts.map(|at| view.line_number(at)).collect(), found)
}

fn splice(file: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut out = Vec::with_capacity(file.len());
    let mut from = 0;
    for change in changes {
        out.extend_from_slice(file.get(from..change.range.start).unwrap_or_default());
        out.extend_from_slice(&change.bytes);
        from = change.range.end;
    }
    out.extend_from_slice(file.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(file: &str, old: &str, new: &str, expected: &str) {
        let edited = edit(file.as_bytes(), old, new, Which::One);
        let text = edited.as_ref().map(|edited| String::from_utf8_lossy(&edited.bytes));
        assert_eq!(text.as_deref(), Ok(expected), "{file:?}: {old:?} -> {new:?}");
    }

    fn refused(file: &[u8], old: &str, new: &str) -> Refused {
        edit(file, old, new, Which::One).unwrap_err()
    }

    #[test]
    fn the_text_is_replaced_as_it_stands() {
        check("let a = 1;\n", "a = 1", "b = $&$$1\\n", "let b = $&$$1\\n;\n");
        check("a\nb\nc", "b", "", "a\n\nc");
        check("a\nb\nc\n", "b\n", "", "a\nc\n");
        check("a", "a", "a\nb\n", "a\nb\n");
        check("日本語\n", "本", "x", "日x語\n");
        check("a\u{2028}b\u{85}c\x0b\n", "b", "d", "a\u{2028}d\u{85}c\x0b\n");
    }

    #[test]
    fn line_ends_are_those_of_what_is_replaced() {
        check("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n");
        check("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\nb\n", "a\r\nx\r\nb\r\nc\r\n");
        check("a\r\nb\r\nc\r\n", "a\r\nb\r\n", "a\r\nx\r\n", "a\r\nx\r\nc\r\n");
        check("a\nb\n", "a", "a\r\nx", "a\nx\nb\n");
        check("a\r\nb\nc\r\n", "b\n", "b\nx\n", "a\r\nb\nx\nc\r\n");
        check("a\r\nb\nc\r\n", "a\nb\nc", "a\nb\nX", "a\r\nb\nX\r\n");
        check("a\r\nb", "b", "b\nc", "a\r\nb\r\nc");
        check("a\rb\rc", "b", "x", "a\rx\rc");
        check("\u{feff}a\r\nb\r\n", "a", "x\ny", "\u{feff}x\r\ny\r\nb\r\n");
        check("\u{feff}a\n", "\u{feff}a", "\u{feff}b", "\u{feff}b\n");
    }

    #[test]
    fn trailing_blanks_do_not_hide_a_match_and_unchanged_lines_keep_them() {
        check("a  \nb\t\nc\n", "a\nb\nc", "a\nx\nc", "a  \nx\nc\n");
        check("a\n\nb\n", "a\n   \nb", "a\nb", "a\nb\n");
        check("x\nlast", "x  \nlast\n", "x  \nend\n", "x\nend");
        check("a \r\nb\r\n", "a\nb\n", "c\nd\ne\n", "c\r\nd\r\ne\r\n");
    }

    #[test]
    fn indentation_does_not_hide_a_match_and_the_new_lines_are_fitted() {
        check(
            "\tif a {\n\t\tb();\n\t}\n",
            "    if a {\n        b();\n    }\n",
            "    if a {\n        c();\n    }\n",
            "\tif a {\n\t\tc();\n\t}\n",
        );
        check(
            "    def f():\n        return 1\n",
            "def f():\n    return 1\n",
            "def f():\n    x = 2\n    return x\n",
            "    def f():\n        x = 2\n        return x\n",
        );
        check("a\n  b\n", "    a\n      b", "    a\n      c\n\n      d", "a\n  c\n\n  d\n");
    }

    #[test]
    fn an_indentation_without_a_rule_is_refused() {
        assert_eq!(refused(b"a\n\tb\n  c\n", " a\n b\n c\n", "x\n"), Refused::UnclearIndent(1));
        assert_eq!(
            refused(b"\tif a:\n\t\tb\n", "    if a:\n        b", "    if a:\n      b"),
            Refused::UnclearIndent(1)
        );
    }

    #[test]
    fn what_stands_in_several_places_is_refused_with_their_lines() {
        assert_eq!(refused(b"a\nb\na\n", "a", "x"), Refused::Several(vec![1, 3], Found::Exactly));
        assert_eq!(refused(b"aaa", "aa", "x"), Refused::Several(vec![1, 1], Found::Exactly));
        assert_eq!(
            refused(b"\tb\n\n  b\n", "    b\n", "x"),
            Refused::Several(vec![1, 3], Found::ButForBlanks)
        );
        let all = edit(b"aaa a\r\na", "a", "bb", Which::All).unwrap();
        assert_eq!((all.bytes.as_slice(), all.places), (b"bbbbbb bb\r\nbb".as_slice(), 5));
        assert_eq!(edit(b"aaa", "aa", "x", Which::All).unwrap().bytes, b"xa");
    }

    #[test]
    fn what_changes_nothing_or_finds_nothing_is_refused() {
        assert_eq!(refused(b"a", "", "x"), Refused::Empty);
        assert_eq!(refused(b"", "", "x"), Refused::Empty);
        assert_eq!(refused(b"a", "a", "a"), Refused::Same);
        assert_eq!(refused(b"a\n", "a\n", "a\r\n"), Refused::OnlyLineEnds);
        assert_eq!(refused(b"abc", "d", "x"), Refused::Nowhere);
        assert_eq!(refused(b"a\n\n", " \n\n\n", "x"), Refused::Nowhere);
        assert_eq!(refused(b"", "a", "x"), Refused::Nowhere);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_or_left_alone() {
        assert_eq!(refused(b"\xff\xfea\0b\0", "a", "x"), Refused::NotText("UTF-16"));
        assert_eq!(refused(b"\xff\xfe\0\0a\0\0\0", "a", "x"), Refused::NotText("UTF-32"));
        assert!(matches!(refused(b"a\0b", "a", "x"), Refused::NotText(_)));
        let bytes = |file: &[u8], old, new| edit(file, old, new, Which::One).map(|edited| edited.bytes);
        assert_eq!(bytes(b"caf\xe9\nfoo\n", "foo", "bar"), Ok(b"caf\xe9\nbar\n".to_vec()));
        assert_eq!(bytes(b"caf\xe9\nfoo\n", "foo", "b\u{e4}r"), Err(Refused::OtherEncoding));
        assert_eq!(
            bytes(b"\xffoo \xc3\xa4\xc3\xb6 x\n", "x", "\u{fc}"),
            Ok(b"\xffoo \xc3\xa4\xc3\xb6 \xc3\xbc\n".to_vec())
        );
        // the second byte of a character of GB 18030 looks like an `A`
        assert_eq!(bytes(b"\x81A\nA\n", "A", "B"), Ok(b"\x81A\nB\n".to_vec()));
    }

    proptest! {
        #[test]
        fn an_exact_edit_changes_no_byte_outside_its_match(
            before in proptest::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), 1u8..=255], 0..60),
            after in proptest::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), 1u8..=255], 0..60),
            new in "[a-z\n$&]{0,12}",
        ) {
            let before = [b"x".as_slice(), &before, b" "].concat();
            let file = [before.as_slice(), b"<<needle>>", b" ", &after].concat();
            let edited = edit(&file, "<<needle>>", &new, Which::One).unwrap();
            let after = [b" ".as_slice(), &after].concat();
            prop_assert!(edited.bytes.starts_with(&before));
            prop_assert!(edited.bytes.ends_with(&after));
            let middle = &edited.bytes[before.len()..edited.bytes.len() - after.len()];
            prop_assert_eq!(String::from_utf8_lossy(middle).replace("\r\n", "\n"), new);
        }

        #[test]
        fn an_edit_of_lines_changes_no_other_line(
            before in "([ab]{0,3}[ \t]{0,2}\r?\n){0,6}",
            after in "([ab]{0,3}[ \t]{0,2}\r?\n){0,6}",
            indent in "[ \t]{0,3}", trailing in "[ \t]{1,3}", end in "\r?\n",
        ) {
            let file = format!("{before}{indent}needle();{trailing}{end}{after}");
            let edited = edit(file.as_bytes(), "needle();\n", "other();\n", Which::One).unwrap();
            let expected = format!("{before}{indent}other();{end}{after}");
            prop_assert_eq!(edited.found, Found::ButForBlanks);
            prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), expected);
        }

        #[test]
        fn an_exact_edit_is_a_replacement_of_what_the_model_sees(
            pieces in proptest::collection::vec(prop_oneof![Just("a"), Just("b "), Just("\t"), Just("\n"), Just("\r\n"), Just("é")], 1..30),
            from in 0usize..30, length in 1usize..6, new in "[ab\té\n]{0,6}", mark: bool,
        ) {
            let text = pieces.concat();
            let file = if mark { format!("\u{feff}{text}") } else { text };
            let old: String = pieces.iter().skip(from).take(length).copied().collect::<String>().replace("\r\n", "\n");
            let seen = |bytes: &[u8]| String::from_utf8(View::new(bytes).text.into_owned()).unwrap();
            match edit(file.as_bytes(), &old, &new, Which::All) {
                Ok(edited) => {
                    prop_assert_eq!(edited.found, Found::Exactly);
                    prop_assert_eq!(seen(&edited.bytes), seen(file.as_bytes()).replace(&old, &new));
                    // a file with one kind of line end keeps it
                    let text = String::from_utf8(edited.bytes).unwrap();
                    let pure = |text: &str| text.matches('\n').count() == text.matches("\r\n").count();
                    prop_assert!(!file.contains('\n') || !pure(&file) || pure(&text), "{:?}", text);
                    prop_assert!(file.contains('\r') || !text.contains('\r'));
                }
                Err(refused) => prop_assert!(matches!(refused, Refused::Empty | Refused::Same), "{:?}", refused),
            }
        }

        #[test]
        fn blanks_at_the_ends_of_lines_neither_hide_a_match_nor_get_lost_around_it(
            blanks in proptest::collection::vec(("[ \t]{0,2}", "[ \t]{0,2}", "\r?\n"), 5),
            indent in "[ \t]{0,2}",
        ) {
            let line = |name: &str, at: usize| format!("{indent}{name}{}{}", blanks[at].0, blanks[at].2);
            let old_line = |name: &str, at: usize| format!("{indent}{name}{}\n", blanks[at].1);
            let file = ["zero", "one", "two", "three", "four"].iter().enumerate().map(|(at, name)| line(name, at)).collect::<String>();
            let old = [old_line("one", 1), old_line("two", 2), old_line("three", 3)].concat();
            let new = [old_line("one", 1), format!("{indent}  new\n"), old_line("three", 3)].concat();
            let edited = edit(file.as_bytes(), &old, &new, Which::One).unwrap();
            let expected = [line("zero", 0), line("one", 1), format!("{indent}  new{}", blanks[2].2), line("three", 3), line("four", 4)];
            prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), expected.concat());
        }
    }
}
