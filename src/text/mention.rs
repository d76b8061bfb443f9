//! `@path` in a text: where it stands, and what it may mean.
//!
//! It opens nothing. A path in running text has no certain end (`see @src/a.rs:10-20, please`), so a mention has several
//! readings, and who can look takes the first that is there. What stands behind a letter or a digit is an address of mail, and
//! what stands in backquotes is code: neither is a mention.

use std::ops::Range;

/// Bytes of a path that are looked at: the longest that systems take.
const LONGEST: usize = 4096;
/// What a sentence may put behind a path.
const TRAILING: [char; 14] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '\'', '"', '*', '`'];
/// What ends a path in a text without spaces.
const WIDE_MARKS: [char; 11] = ['，', '。', '、', '；', '：', '！', '？', '）', '」', '』', '》'];

/// An `@path` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its bytes in the text, `@` included.
    pub range: Range<usize>,
    /// What stands behind the `@`, quotes taken off.
    word: String,
    /// What follows the closing quote: `:10-20`.
    behind: Option<String>,
}

/// One thing that a mention may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// As written.
    pub path: String,
    /// First and last line, from 1.
    pub lines: Option<(u32, u32)>,
}

/// The word that is being written at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open<'a> {
    /// The byte of its `@`.
    pub start: usize,
    /// What is written of the path.
    pub query: &'a str,
}

/// All mentions of a text, in order.
#[must_use]
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for (at, _) in text.match_indices('@') {
        let is_inside = found.last().is_some_and(|last| at < last.range.end);
        if !is_inside && begins(text, at) {
            found.extend(mention(text, at));
        }
    }
    found
}

/// The mention that is being written at the end of `text`, if one is.
#[must_use]
pub fn open(text: &str) -> Option<Open<'_>> {
    let line = text.rfind('\n').map_or(0, |newline| newline + 1);
    let places = text.get(line..)?.rmatch_indices('@').map(|(at, _)| line + at);
    let mut open = places.filter(|at| begins(text, *at)).filter_map(|start| {
        let rest = text.get(start + 1..)?;
        let (query, is_open) = match rest.strip_prefix('"') {
            Some(quoted) => (quoted, !quoted.contains('"')),
            None => (rest, !rest.contains(char::is_whitespace)),
        };
        is_open.then_some(Open { start, query })
    });
    open.next()
}

/// The end of the word that is written from `start` (its `@`) on.
#[must_use]
pub fn word_end(text: &str, start: usize) -> usize {
    let rest = text.get(start + 1..).unwrap_or_default();
    let quoted = rest.strip_prefix('"').and_then(|quoted| quoted.find(['"', '\n']).map(|at| (quoted, at)));
    let len = match quoted {
        Some((quoted, at)) => at + 1 + usize::from(quoted.get(at..).is_some_and(|end| end.starts_with('"'))),
        None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
    };
    start + 1 + len
}

/// A path as it is written behind `@`: in quotes where it would end too early.
#[must_use]
pub fn written(path: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && c != '"' && !WIDE_MARKS.contains(&c);
    let ends_well = !path.ends_with(TRAILING.as_slice());
    if path.chars().all(is_plain) && ends_well { format!("@{path}") } else { format!("@\"{path}\"") }
}

impl Mention {
    /// What it may mean, the likeliest first.
    #[must_use]
    pub fn readings(&self) -> Vec<Reading> {
        if let Some(behind) = &self.behind {
            return vec![Reading {
                path: self.word.clone(),
                lines: lines_of(behind).map(|(_, lines)| lines),
            }];
        }
        let mut words = vec![self.word.as_str()];
        words.extend(self.word.find(WIDE_MARKS).and_then(|at| self.word.get(..at)));
        let mut shorter = words.last().copied().unwrap_or_default();
        while let Some(rest) = shorter.strip_suffix(TRAILING.as_slice()) {
            words.push(rest);
            shorter = rest;
        }
        let readings = words.into_iter().filter(|word| !word.is_empty()).flat_map(|word| {
            let whole = Reading { path: word.to_owned(), lines: None };
            let part = lines_of(word).filter(|(path, _)| !path.is_empty());
            let part = part.map(|(path, lines)| Reading { path: path.to_owned(), lines: Some(lines) });
            std::iter::once(whole).chain(part)
        });
        readings.collect()
    }

    /// Whether it can hardly be anything but a path: worth a word where nothing is there.
    #[must_use]
    pub fn is_surely_path(&self) -> bool {
        let inner = self.word.trim_end_matches(TRAILING);
        self.behind.is_some() || inner.contains('/') || inner.trim_start_matches('.').contains('.')
    }

    /// As it was written, without the `@`, quotes and what a sentence puts behind it.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.behind.is_some() { &self.word } else { self.word.trim_end_matches(TRAILING) }
    }
}

fn begins(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().chars().next_back();
    before.is_none_or(|c| !c.is_ascii_alphanumeric() && !"._-+@/\\`".contains(c))
}

fn mention(text: &str, at: usize) -> Option<Mention> {
    let end = word_end(text, at);
    let rest = text.get(at + 1..end)?;
    if let Some(word) = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        let behind = text.get(end..)?.split(char::is_whitespace).next().unwrap_or_default();
        let behind = behind.trim_end_matches(TRAILING);
        let behind = if lines_of(behind).is_some_and(|(path, _)| path.is_empty()) { behind } else { "" };
        let (word, behind) = (word.to_owned(), behind.to_owned());
        let is_path = (1..=LONGEST).contains(&word.len());
        return is_path.then(|| Mention { range: at..end + behind.len(), word, behind: Some(behind) });
    }
    let word = rest.trim_start_matches('"').to_owned();
    let is_path = (1..=LONGEST).contains(&word.len()) && !word.trim_end_matches(TRAILING).is_empty();
    is_path.then_some(Mention { range: at..end, word, behind: None })
}

/// Splits `a.rs:10-20` (or `a.rs:10`).
fn lines_of(word: &str) -> Option<(&str, (u32, u32))> {
    let (path, lines) = word.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last).then_some((path, (first, last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `path`, or `path 10-20`.
    fn readings(text: &str) -> Vec<Vec<String>> {
        let shown = |reading: Reading| match reading.lines {
            Some((first, last)) => format!("{} {first}-{last}", reading.path),
            None => reading.path,
        };
        mentions(text).iter().map(|mention| mention.readings().into_iter().map(shown).collect()).collect()
    }

    #[test]
    fn a_mention_ends_where_the_path_may_end() {
        let check = |text: &str, expected: &[&[&str]]| assert_eq!(readings(text), expected, "{text}");
        check("explain @src/a.rs", &[&["src/a.rs"]]);
        check("@a, @b!", &[&["a,", "a"], &["b!", "b"]]);
        check(
            "(@src/a.rs:10-20).",
            &[&["src/a.rs:10-20).", "src/a.rs:10-20)", "src/a.rs:10-20", "src/a.rs 10-20"]],
        );
        check("@a:7", &[&["a:7", "a 7-7"]]);
        check("@a:7-3", &[&["a:7-3"]]);
        check("看@src/a.rs。谢谢", &[&["src/a.rs。谢谢", "src/a.rs"]]);
        check("@\"a b.rs\" and @\"c d\":2-3, x", &[&["a b.rs"], &["c d 2-3"]]);
        check("@\"open", &[&["open"]]);
    }

    #[test]
    fn mail_code_and_a_lone_sign_are_no_mentions() {
        for text in ["me@example.com", "`@Override`", "a @ b", "@", "@, @.", "x@@y", "git@host:a/b.git"] {
            assert_eq!(mentions(text), [], "{text}");
        }
    }

    #[test]
    fn only_what_looks_like_a_path_is_missed() {
        let check = |text: &str, expected: bool| {
            assert_eq!(mentions(text)[0].is_surely_path(), expected, "{text}");
        };
        check("@src/a", true);
        check("@a.rs,", true);
        check("@\"a b\"", true);
        check("@dataclass.", false);
        check("@team", false);
    }

    #[test]
    fn the_word_at_the_end_is_open_until_it_is_left() {
        let check = |text: &str, expected: Option<(usize, &str)>| {
            assert_eq!(open(text).map(|open| (open.start, open.query)), expected, "{text}");
        };
        check("see @", Some((4, "")));
        check("see @sr", Some((4, "sr")));
        check("see @sr ", None);
        check("me@sr", None);
        check("@\"a b", Some((0, "a b")));
        check("@\"a b\"", None);
        check("@a\nx", None);
        check("看@a", Some((3, "a")));
    }

    #[test]
    fn a_path_is_written_so_that_it_is_read_back() {
        for path in ["a.rs", "a b.rs", "dir/", "end.", "名。x", "src/日本.rs"] {
            let text = format!("see {} now", written(path));
            let mention = mentions(&text)[0].clone();
            assert_eq!(mention.readings()[0].path, path);
            assert_eq!(word_end(&text, mention.range.start), mention.range.end, "{text}");
        }
    }
}
