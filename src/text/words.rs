//! What changed within lines: the words that went and the words that came.
//!
//! Not a comparison of any two texts: lines that were rewritten have nothing in common that helps a reader, so for them
//! there is no answer, as there is none for very much text. Words here are names, runs of blanks, and every other
//! character for itself, which is how code is read; prose fares well with it too.

use std::ops::Range;

use similar::{DiffTag, TextDiff};

/// Bytes on each side that are compared; the work can grow with the square of their words.
const MOST_BYTES: usize = 4 * 1024;

/// Lines on each side that are compared.
const MOST_LINES: usize = 32;

/// The changed places of some lines, line by line.
pub type Places = Vec<Vec<Range<usize>>>;

/// The places that differ between lines that went and the lines that came in their stead; `None` where too little stayed.
#[must_use]
pub fn changed(went: &[&str], came: &[&str]) -> Option<(Places, Places)> {
    if went.is_empty() || came.is_empty() || went.len().max(came.len()) > MOST_LINES {
        return None;
    }
    let (went, came) = (went.join("\n"), came.join("\n"));
    if went.len().max(came.len()) > MOST_BYTES {
        return None;
    }
    let (old, new) = (words(&went), words(&came));
    let diff = TextDiff::configure().diff_slices(&old, &new);
    let (mut gone, mut fresh) = (vec![false; old.len()], vec![false; new.len()]);
    for op in diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
        mark(&mut gone, op.old_range());
        mark(&mut fresh, op.new_range());
    }
    let stayed = ink(old.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(word, _)| *word));
    let all = ink(old.iter().copied()).max(ink(new.iter().copied()));
    (stayed * 2 >= all).then(|| (places(&old, &gone), places(&new, &fresh)))
}

fn mark(changed: &mut [bool], range: Range<usize>) {
    changed.get_mut(range).into_iter().flatten().for_each(|word| *word = true);
}

/// Bytes that are no blanks.
fn ink<'a>(words: impl Iterator<Item = &'a str>) -> usize {
    words.filter(|word| !word.trim().is_empty()).map(str::len).sum()
}

/// Names, blanks, line ends, and other characters one by one.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let sort = sort(first);
        let end = match sort {
            Sort::Other => first.len_utf8(),
            Sort::Name | Sort::Blank => rest.find(|c| self::sort(c) != sort).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        words.push(word);
        rest = after;
    }
    words
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Name,
    Blank,
    Other,
}

fn sort(c: char) -> Sort {
    match c {
        '\n' => Sort::Other,
        _ if c.is_whitespace() => Sort::Blank,
        // every character of a script without spaces is a word
        _ if c == '_' || (c.is_alphanumeric() && c < '\u{2e80}') => Sort::Name,
        _ => Sort::Other,
    }
}

/// The changed words as places in their lines; blanks between two of them belong to both.
fn places(words: &[&str], changed: &[bool]) -> Places {
    let mut lines: Places = vec![Vec::new()];
    let (mut at, mut blank_from) = (0, None);
    for (word, changed) in words.iter().zip(changed) {
        if *word == "\n" {
            lines.push(Vec::new());
            (at, blank_from) = (0, None);
            continue;
        }
        let end = at + word.len();
        if let Some(line) = lines.last_mut().filter(|_| *changed) {
            match line.last_mut() {
                Some(last) if last.end == at || blank_from == Some(last.end) => last.end = end,
                _ => line.push(at..end),
            }
        }
        blank_from = if word.trim().is_empty() { blank_from.or(Some(at)) } else { None };
        at = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The lines of both sides with their changed places in brackets.
    fn marked(went: &str, came: &str) -> Option<(String, String)> {
        let (old, new): (Vec<_>, Vec<_>) = (went.split('\n').collect(), came.split('\n').collect());
        let (gone, fresh) = changed(&old, &new)?;
        let side = |lines: &[&str], places: &Places| {
            let line = |(line, places): (&&str, &Vec<Range<usize>>)| {
                let mut line = (*line).to_owned();
                for place in places.iter().rev() {
                    line.insert(place.end, ']');
                    line.insert(place.start, '[');
                }
                line
            };
            lines.iter().zip(places).map(line).collect::<Vec<_>>().join("\n")
        };
        Some((side(&old, &gone), side(&new, &fresh)))
    }

    #[track_caller]
    fn check(went: &str, came: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(went, came)| (went.to_owned(), came.to_owned()));
        assert_eq!(marked(went, came), expected);
    }

    #[test]
    fn names_and_marks_are_compared() {
        check(
            "    items.map(price).reduce(add).unwrap()",
            "    items.map(price).fold(ZERO, add)",
            Some((
                "    items.map(price).[reduce](add[).unwrap(])",
                "    items.map(price).[fold]([ZERO, ]add)",
            )),
        );
        check("let a = 1;", "let a = 2;", Some(("let a = [1];", "let a = [2];")));
        check("日本語の文", "日本語の本文", Some(("日本語の文", "日本語の[本]文")));
        check(
            "one two three four five",
            "one 2 3 four five",
            Some(("one [two three] four five", "one [2 3] four five")),
        );
    }

    #[test]
    fn lines_are_compared_together() {
        check(
            "fn f(a: u8) {\n    g(a)\n}",
            "fn f(a: u16) {\n    let b = a;\n    g(b)\n}",
            Some(("fn f(a: [u8]) {\n    g([a])\n}", "fn f(a: [u16]) {\n    [let b = a;]\n[    ]g([b])\n}")),
        );
    }

    #[test]
    fn what_has_little_in_common_or_is_very_long_has_no_words() {
        check("return total", "let x: Vec<u8> = Vec::new();", None);
        check("", "a", None);
        let long = "a ".repeat(MOST_BYTES / 2 + 1);
        check(&long, &long, None);
        let lines = "a\n".repeat(MOST_LINES);
        check(&lines, &lines, None);
        assert_eq!(changed(&[], &["a"]), None);
    }

    proptest! {
        #[test]
        fn what_is_not_marked_is_the_same_on_both_sides(went in "[ab .\n日]{1,30}", came in "[ab .\n日]{1,30}") {
            let (old, new): (Vec<_>, Vec<_>) = (went.split('\n').collect(), came.split('\n').collect());
            let Some((gone, fresh)) = changed(&old, &new) else { return Ok(()) };
            let stayed = |lines: &[&str], places: &Places| -> String {
                let mut kept = String::new();
                for (line, places) in lines.iter().zip(places) {
                    let mut at = 0;
                    for place in places {
                        kept.push_str(line.get(at..place.start).unwrap());
                        at = place.end;
                    }
                    kept.push_str(line.get(at..).unwrap());
                }
                kept.split_whitespace().collect()
            };
            prop_assert_eq!(stayed(&old, &gone), stayed(&new, &fresh));
        }
    }
}
