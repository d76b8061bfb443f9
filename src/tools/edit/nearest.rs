//! Where a text that was not found probably should have been.
//!
//! Not a matcher: nothing is ever edited by what this finds. It answers the model's next question, "what does it look
//! like there?", so that a second try needs no second read.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::fold::{has_no_width, is_odd_space};

/// More lines are not compared letter by letter.
const MOST_COMPARED: usize = 50_000;
/// Lines of a long `old` that say where it is.
const MOST_WANTED: usize = 200;
/// Lines shown at most.
const MOST_SHOWN: usize = 12;
/// Characters of a line that are compared and shown.
const LONGEST: usize = 160;
/// Bytes shown at most: with what is said besides, an error stays under a kilobyte and a half.
const MOST_BYTES: usize = 1000;

/// The lines of `text` (with line feeds) that are most like `old`, numbered, blanks at their ends made visible.
pub(in crate::tools) fn nearest_lines(text: &str, old: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().collect();
    let start = by_equal_lines(&lines, &wanted).or_else(|| by_likeness(&lines, &wanted))?;
    let longest = wanted.iter().max_by_key(|line| line.len()).copied().unwrap_or_default();
    Some(numbered(&lines, start, wanted.len(), longest))
}

/// So many lines from number `first` (from 1) on; of long ones what is like `old`.
pub(in crate::tools) fn lines_at(text: &str, first: usize, count: usize, old: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    numbered(&lines, first.saturating_sub(1), count, old)
}

/// `old` without the numbers that Read puts before each line, if all its lines have one.
pub(super) fn without_numbers(old: &str) -> Option<String> {
    let bare = |line| {
        let (number, rest) = str::split_once(line, ['\t', '→', '|', ':'])?;
        let number = number.trim();
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

/// How places are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// By the lines in which they are.
    Line,
    /// By the lines before them.
    Before,
    /// By the lines after them.
    After,
}

/// What tells the places apart that begin in lines `starts` (from 1) and are `height` lines high, and these lines.
pub(super) fn apart(text: &str, starts: &[usize], height: usize) -> Option<(Apart, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let ways = [(Apart::Line, 0, false), (Apart::Before, 1, true), (Apart::After, height, false)];
    ways.into_iter().find_map(|(apart, distance, is_before)| {
        let number = |start: &usize| {
            let number = if is_before { start.checked_sub(distance) } else { Some(start + distance) };
            number.filter(|number| *number > 0)
        };
        let numbers: Vec<usize> = starts.iter().filter_map(number).collect();
        let there: Vec<&&str> = numbers.iter().filter_map(|number| lines.get(number - 1)).collect();
        let all: HashSet<&str> = there.iter().map(|line| line.trim()).collect();
        let differ = all.len() == there.len() && all.len() + 1 >= starts.len() && !all.contains("");
        let shown = || numbers.iter().map(|number| numbered(&lines, number - 1, 1, "")).collect::<Vec<_>>();
        (differ && !all.is_empty()).then(|| (apart, shown().join("\n")))
    })
}

fn numbered(lines: &[&str], start: usize, count: usize, wanted: &str) -> String {
    let mut out = String::new();
    let shown = lines.iter().enumerate().skip(start).take(count.clamp(1, MOST_SHOWN));
    let mut is_cut = count > MOST_SHOWN;
    for (at, line) in shown {
        let line = visible(line, wanted);
        if out.len() + line.len() > MOST_BYTES && at > start {
            is_cut = true;
            break;
        }
        // writing to a string cannot fail
        writeln!(out, "{}\t{line}", at + 1).ok();
    }
    if is_cut {
        out.push_str("…\n");
    }
    out.trim_end_matches('\n').to_owned()
}

/// The line with its indentation and trailing blanks as `→` and `·`, and with what is not seen by its number.
fn visible(line: &str, wanted: &str) -> String {
    let body = line.trim_start_matches([' ', '\t']);
    let (indent, _) = line.split_at(line.len() - body.len());
    let text = body.trim_end_matches([' ', '\t', '\r']);
    let (_, trailing) = body.split_at(text.len());
    let marks = |blanks: &str| blanks.replace(' ', "·").replace('\t', "→").replace('\r', "␍");
    let shown = by_number(&window(text, wanted));
    let indent = indent.get(indent.len().saturating_sub(LONGEST)..).unwrap_or_default();
    let trailing = trailing.get(..trailing.len().min(LONGEST)).unwrap_or_default();
    format!("{}{shown}{}", marks(indent), marks(trailing))
}

/// Of a long line the part that is like what is wanted, else its beginning.
fn window(text: &str, wanted: &str) -> String {
    if text.chars().nth(LONGEST).is_none() {
        return text.to_owned();
    }
    let wanted: Vec<char> = wanted.lines().next().unwrap_or_default().trim().chars().collect();
    // the longest beginning or end of what is wanted, by halves, down to a word
    let sizes =
        std::iter::successors(Some(wanted.len()), |size| Some(size / 2)).take_while(|size| *size >= 6);
    let parts = sizes.flat_map(|size| [wanted.get(..size), wanted.get(wanted.len() - size..)]).flatten();
    let at = parts.map(|part| part.iter().collect::<String>()).find_map(|part| text.find(&part)).unwrap_or(0);
    let before = text.get(..at).unwrap_or_default().chars().count().saturating_sub(LONGEST / 4);
    let part: String = text.chars().skip(before).take(LONGEST).collect();
    let (front, back) = (before > 0, text.chars().nth(before + LONGEST).is_some());
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{part}{}", dots(front), dots(back))
}

fn by_number(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if has_no_width(letter) || is_odd_space(letter) {
            // writing to a string cannot fail
            write!(out, "<U+{:04X}>", u32::from(letter)).ok();
        } else {
            out.push(if letter == '\r' { '␍' } else { letter });
        }
    }
    out
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
