//! Where a text that was not found probably should have been.
//!
//! Not a matcher: nothing is ever edited by what this finds. It answers the model's next question, "what does it look
//! like there?", so that a second try needs no second read.

use std::collections::HashMap;
use std::fmt::Write as _;

/// More lines are not compared letter by letter.
const MOST_COMPARED: usize = 50_000;
/// Lines of a long `old` that say where it is.
const MOST_WANTED: usize = 200;
/// Lines shown at most.
const MOST_SHOWN: usize = 12;
/// Characters of a line that are compared and shown.
const LONGEST: usize = 200;

/// The lines of `text` (with line feeds) that are most like `old`, numbered, blanks at their ends made visible.
pub(in crate::tools) fn nearest_lines(text: &str, old: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().collect();
    let start = by_equal_lines(&lines, &wanted).or_else(|| by_likeness(&lines, &wanted))?;
    Some(numbered(&lines, start, wanted.len()))
}

/// The lines from number `first` (from 1) on, as many as `old` has.
pub(in crate::tools) fn lines_at(text: &str, first: usize, old: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    numbered(&lines, first.saturating_sub(1), old.lines().count())
}

/// `old` without the numbers that Read puts before each line, if all its lines have one.
pub(in crate::tools) fn without_numbers(old: &str) -> Option<String> {
    let bare = |line| {
        let (number, rest) = str::split_once(line, '\t')?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
    };
    let lines: Option<Vec<&str>> = old.lines().map(bare).collect();
    lines.filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"))
}

/// Where most lines are the same but for blanks; longer lines say more.
fn by_equal_lines(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().take(MOST_WANTED).enumerate().filter(|(_, line)| line.trim().len() > 1) {
        places.entry(line.trim()).or_default().push(at);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (number, line) in lines.iter().enumerate() {
        for at in places.get(line.trim()).into_iter().flatten() {
            *votes.entry(number.saturating_sub(*at)).or_default() += line.trim().len();
        }
    }
    // of equals the first
    let best = votes.into_iter().max_by_key(|(start, votes)| (*votes, std::cmp::Reverse(*start)))?;
    Some(best.0)
}

/// Where a line is like the longest of those wanted: at least half of its pairs of letters are the same.
fn by_likeness(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (at, line) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let pairs = letter_pairs(line);
    let likeness = |line: &&str| {
        let others = letter_pairs(line);
        let both: usize =
            pairs.iter().map(|(pair, count)| (*count).min(others.get(pair).copied().unwrap_or(0))).sum();
        let all = pairs.values().sum::<usize>() + others.values().sum::<usize>();
        (2 * both * 100).checked_div(all).unwrap_or(0)
    };
    let scored = lines.iter().take(MOST_COMPARED).map(likeness).enumerate();
    let (number, score) = scored.max_by_key(|(number, score)| (*score, std::cmp::Reverse(*number)))?;
    (score >= 50).then(|| number.saturating_sub(at))
}

fn letter_pairs(line: &str) -> HashMap<(char, char), usize> {
    let letters: Vec<char> = line.chars().filter(|letter| !letter.is_whitespace()).take(LONGEST).collect();
    let mut pairs = HashMap::new();
    for pair in letters.windows(2) {
        if let [a, b] = *pair {
            *pairs.entry((a, b)).or_default() += 1;
        }
    }
    pairs
}

fn numbered(lines: &[&str], start: usize, count: usize) -> String {
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate().skip(start).take(count.clamp(1, MOST_SHOWN)) {
        // writing to a string cannot fail
        writeln!(out, "{}\t{}", number + 1, visible(line)).ok();
    }
    if count > MOST_SHOWN {
        out.push_str("…\n");
    }
    out.trim_end_matches('\n').to_owned()
}

/// The line with its indentation and trailing blanks as `→` and `·`.
fn visible(line: &str) -> String {
    let body = line.trim_start_matches([' ', '\t']);
    let (indent, _) = line.split_at(line.len() - body.len());
    let text = body.trim_end_matches([' ', '\t', '\r']);
    let (_, trailing) = body.split_at(text.len());
    let marks = |blanks: &str| blanks.replace(' ', "·").replace('\t', "→").replace('\r', "␍");
    let shown = match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start}…"),
        None => text.to_owned(),
    };
    format!("{}{shown}{}", marks(indent), marks(trailing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, old: &str, expected: Option<&str>) {
        assert_eq!(nearest_lines(text, old).as_deref(), expected, "{old:?}");
    }

    #[test]
    fn lines_that_are_the_same_say_where_it_is() {
        let text = "one\nlet a = 1;\n\tlet b = 2; \nend\nlet a = 1;\n";
        check(text, "let a = 1;\nlet b = 3;\n", Some("2\tlet a = 1;\n3\t→let b = 2;·"));
        check(text, "x\nlet b = 2;\nend", Some("2\tlet a = 1;\n3\t→let b = 2;·\n4\tend"));
    }

    #[test]
    fn a_line_that_is_alike_is_found_and_a_strange_one_is_not() {
        check("alpha\n  return total_count;\n", "return total_counts;", Some("2\t··return total_count;"));
        check("alpha\nbeta\n", "something else entirely", None);
        check("", "a", None);
    }

    #[test]
    fn the_numbers_of_a_listing_are_told_from_text() {
        assert_eq!(without_numbers("1\ta\n22\t\tb\n3\t"), Some("a\n\tb\n".to_owned()));
        for text in ["a\tb", "1\ta\nb", "1 a", "\ta", ""] {
            assert_eq!(without_numbers(text), None, "{text:?}");
        }
    }

    #[test]
    fn much_text_is_cut() {
        let text: Vec<String> = (0..40).map(|number| format!("line {number}")).collect();
        let text = text.join("\n");
        let shown = nearest_lines(&text, &text.replace("line 5", "other")).unwrap();
        assert_eq!((shown.lines().count(), shown.lines().last()), (13, Some("…")));
    }
}
