//! What the model is told when nothing was edited: why, and what the next call needs to succeed.
//!
//! Every text is short enough to be read, and long enough that the file need not be read again. Guesses at what went
//! wrong are made here, where a wrong one costs nothing: no edit is ever made by them.

use super::find::Found;
use super::fit::Unclear;
use super::fold::looks;
use super::matcher::{Refused, Which};
use super::nearest::{self, Apart};
use super::view::View;

/// Line numbers told of several matches.
const MOST_NUMBERS: usize = 12;
/// Of so many places the lines that tell them apart are shown.
const MOST_APART: usize = 6;
/// Larger files are not searched for what only looks alike.
const MOST_LOOKED_AT: usize = 4 * 1024 * 1024;
/// How blanks are shown.
const LEGEND: &str = "(→ is a tab, · a space)";

/// An edit that was not made.
#[derive(Debug)]
pub(super) struct Refusal<'a> {
    /// The file, as the user would name it.
    pub(super) path: &'a str,
    /// The old text as given.
    pub(super) old: &'a str,
    /// The new text as given.
    pub(super) new: &'a str,
    /// Which places were meant.
    pub(super) which: Which,
}

impl Refusal<'_> {
    /// The error for the model.
    pub(super) fn words(&self, file: &[u8], refused: &Refused) -> String {
        let path = self.path;
        let why = match refused {
            Refused::Empty => "`old_string` is empty (to make or replace a whole file use Write)".to_owned(),
            Refused::Same => "`old_string` and `new_string` are the same".to_owned(),
            Refused::OnlyLineEnds => {
                "`old_string` and `new_string` differ only in line endings, and Edit preserves those of the file"
                    .to_owned()
            }
            Refused::NoChange => {
                format!("{path} would not change: the part that `new_string` changes is different in the file")
            }
            Refused::NotText(what) => format!("cannot edit {path}: it is {what}"),
            Refused::OtherEncoding => format!(
                "cannot edit {path}: it is not UTF-8, so new text in `new_string` must be ASCII; bytes shown as \
                 \u{fffd} are preserved if both strings contain them"
            ),
            Refused::Nowhere => self.nowhere(&view_text(file)),
            Refused::Several(lines, found) => self.several(&view_text(file), lines, *found),
            Refused::Unclear(line, why) => self.unclear(&view_text(file), *line, *why),
        };
        format!("Error: {why}")
    }

    fn nowhere(&self, text: &str) -> String {
        let (why, line) = match self.suspicion(text) {
            Some((why, line)) => (format!(": {why}"), line),
            None => (String::new(), None),
        };
        let told = format!("`old_string` is not in {}{why}", self.path);
        let bare = nearest::without_numbers(self.old);
        let nearest = match line {
            Some((line, count)) => Some(nearest::lines_at(text, line, count, self.old)),
            None => nearest::nearest_lines(text, bare.as_deref().unwrap_or(self.old)),
        };
        match nearest {
            Some(lines) => format!("{told}. Nearest {LEGEND}:\n{lines}"),
            None => format!("{told}, and no text is similar"),
        }
    }

    /// Why the old text may be missing, and where it may be meant.
    fn suspicion(&self, text: &str) -> Option<(String, Option<(usize, usize)>)> {
        if nearest::without_numbers(self.old).is_some() {
            let why = "it contains the line numbers of Read, which are not part of the file";
            return Some((why.to_owned(), None));
        }
        let old = self.old.replace("\r\n", "\n");
        let lines_of = |text: &str, wanted: &str| Some((line_of(text, wanted)?, height(wanted)));
        if let Some(lines) = other(&old, unescaped(&old)).and_then(|old| lines_of(text, &old)) {
            let why = "it has backslashes that the file does not have; give the text unescaped";
            return Some((why.to_owned(), Some(lines)));
        }
        if let Some(lines) = other(&old, escaped(&old)).and_then(|old| lines_of(text, &old)) {
            let why = "the file contains `\\n` or `\\t` as two characters; write them so";
            return Some((why.to_owned(), Some(lines)));
        }
        if let Some(line) = line_of(text, self.new).filter(|_| self.new.trim().len() > 1) {
            return Some((format!("the file already contains `new_string`, at line {line}"), None));
        }
        if let Some(lines) = rows_but_for_blank_ones(text, &old) {
            return Some(("its blank lines differ from the file".to_owned(), Some(lines)));
        }
        let text = Some(text).filter(|text| text.len() <= MOST_LOOKED_AT)?;
        let lines = lines_of(&looks(text), &looks(&old))?;
        let why = "it looks the same but has other characters (of another width, or invisible); copy them from the file";
        Some((why.to_owned(), Some(lines)))
    }

    fn several(&self, text: &str, lines: &[usize], found: Found) -> String {
        let mut told: Vec<String> = lines.iter().take(MOST_NUMBERS).map(ToString::to_string).collect();
        if lines.len() > MOST_NUMBERS {
            told.push("…".to_owned());
        }
        let (how, or_all) = match (found, self.which) {
            (Found::Exactly, _) => ("", ", or set `replace_all`"),
            (Found::ButForTrailing | Found::ButForBlanks, Which::One) => (" except for whitespace", ""),
            (Found::ButForTypography, Which::One) => (" except for quotes, dashes or similar characters", ""),
            (_, Which::All) => (", never exactly,", ": `replace_all` requires an exact match"),
        };
        let starts = lines.get(..lines.len().min(MOST_APART)).unwrap_or_default();
        let (what, which) = match nearest::apart(text, starts, height(self.old)) {
            Some((Apart::Line, lines)) => ("more of the line", Some(lines)),
            Some((Apart::Before, lines)) => ("the line before it as well", Some(lines)),
            Some((Apart::After, lines)) => ("the line after it as well", Some(lines)),
            None => ("more lines around it", None),
        };
        let which = which.map(|lines| format!(". These are {LEGEND}:\n{lines}")).unwrap_or_default();
        format!(
            "`old_string` is in {}{how} {} times, at lines {}: give {what}{or_all}{which}",
            self.path,
            lines.len(),
            told.join(", "),
        )
    }

    fn unclear(&self, text: &str, line: usize, why: Unclear) -> String {
        let (how, mend) = match why {
            Unclear::Indent => (
                "except for indentation, and the intended indentation of `new_string` is ambiguous",
                "Use the file's indentation in both",
            ),
            Unclear::Marks => (
                "except for other quotes or dashes, and `new_string` has more of them",
                "Use the characters of the file in both",
            ),
            Unclear::Kept => (
                "but not exactly, and it is ambiguous which characters to preserve",
                "Use the characters of the file in both",
            ),
            Unclear::Returns => (
                "next to a lone carriage return, and a line ending there would be ambiguous",
                "Omit the text next to the carriage return (␍) from both",
            ),
            Unclear::Letter => (
                "but may be only a part of a character (a mark or another byte belongs to it)",
                "Give the whole character, or more text around it",
            ),
            Unclear::ByteOrderMark => (
                "and `new_string` begins with a byte order mark, which Edit neither adds nor removes",
                "Leave it out",
            ),
        };
        let lines = nearest::lines_at(text, line, height(self.old), self.old);
        format!("`old_string` is in {} at line {line} {how}. {mend} {LEGEND}:\n{lines}", self.path)
    }
}

/// The file as the model knows it, for reading.
pub(in crate::tools) fn view_text(file: &[u8]) -> String {
    match View::new(file) {
        Ok(view) => String::from_utf8_lossy(&view.text).into_owned(),
        Err(_) => String::from_utf8_lossy(file).into_owned(),
    }
}

/// The number from 1 of the line where `wanted` begins.
pub(super) fn line_of(text: &str, wanted: &str) -> Option<usize> {
    let wanted = wanted.replace("\r\n", "\n");
    let at = text.find(&wanted).filter(|_| !wanted.is_empty())?;
    Some(1 + text.get(..at)?.matches('\n').count())
}

fn other(old: &str, text: String) -> Option<String> {
    Some(text).filter(|text| text != old)
}

/// How many lines a text has.
pub(super) fn height(text: &str) -> usize {
    text.lines().count().max(1)
}

/// The first line (from 1) and the count of lines that, but for blank ones, are those of `old`, of which there are several.
fn rows_but_for_blank_ones(text: &str, old: &str) -> Option<(usize, usize)> {
    let rows = |text| str::lines(text).enumerate().filter(|(_, line)| !line.trim().is_empty());
    let wanted: Vec<&str> = rows(old).map(|(_, line)| line.trim()).collect();
    let there: Vec<(usize, &str)> = rows(text).map(|(number, line)| (number, line.trim())).collect();
    let mut windows = there.windows(wanted.len().max(2));
    let same = |window: &&[(usize, &str)]| window.iter().map(|(_, line)| *line).eq(wanted.iter().copied());
    let found = windows.find(same)?;
    let ((first, _), (last, _)) = (found.first()?, found.last()?);
    Some((first + 1, last - first + 1))
}

/// The text with what a backslash stands for in its place.
fn unescaped(text: &str) -> String {
    let (mut out, mut letters) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(letter) = letters.next() {
        let meant = match (letter, letters.peek()) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some(&next @ ('"' | '\'' | '\\' | '`' | '$'))) => Some(next),
            _ => None,
        };
        if meant.is_some() {
            letters.next();
        }
        out.push(meant.unwrap_or(letter));
    }
    out
}

/// The text with line feeds and tabs as one writes them between quotes.
fn escaped(text: &str) -> String {
    let (body, end) = text.strip_suffix('\n').map_or((text, ""), |body| (body, "\n"));
    body.replace('\n', "\\n").replace('\t', "\\t") + end
}

#[cfg(test)]
mod tests {
    use super::super::matcher::edit;
    use super::*;

    fn told(file: &str, old: &str, new: &str) -> String {
        let refused = edit(file.as_bytes(), old, new, Which::One).unwrap_err();
        Refusal { path: "f", old, new, which: Which::One }.words(file.as_bytes(), &refused)
    }

    #[test]
    fn several_places_are_told_apart() {
        assert_eq!(
            told("fn a() {\n\treturn 0\n}\nfn b() {\n\treturn 0\n}\n", "return 0", "return 1"),
            "Error: `old_string` is in f 2 times, at lines 2, 5: give the line before it as well, or set \
             `replace_all`. These are (→ is a tab, · a space):\n1\tfn a() {\n4\tfn b() {"
        );
        assert!(told("a = 1;\nb = 1;\n", "= 1", "= 2").contains("more of the line, or set"));
        assert!(told("x\na\ny\n\nx\na\nz\n", "a\n", "b\n").contains("the line after it as well"));
        assert!(
            told("x\nx\nx\n", "x", "y")
                .ends_with("at lines 1, 2, 3: give more lines around it, or set `replace_all`")
        );
        assert!(
            told("a b \n\n  a b \n", "a b  \n", "c\n")
                .contains("in f except for whitespace 2 times, at lines 1, 3")
        );
    }

    #[test]
    fn what_went_wrong_is_guessed() {
        let check = |file, old, new, expected: &[&str]| {
            let told = told(file, old, new);
            assert!(expected.iter().all(|part| told.contains(part)), "{told}");
        };
        check("say(\"hi\");\n", "say(\\\"hi\\\");", "x", &["backslashes", "1\tsay(\"hi\");"]);
        check("a\nb\n", "a\\nb", "x", &["backslashes", "1\ta"]);
        check("s = \"a\\nb\"\n", "\"a\nb\"", "x", &["two characters", "1\ts = \"a\\nb\""]);
        check("a b\n\nc d\n", "a b\nc d\n", "x", &["blank lines", "1\ta b\n2\t\n3\tc d"]);
        check("x = \u{ff08}1\u{ff09}\n", "x = (1)", "y", &["looks the same", "1\tx = \u{ff08}1\u{ff09}"]);
        check("foo\u{200b}bar\n", "foobar", "y", &["looks the same", "foo<U+200B>bar"]);
        check("wait\u{2026}\n", "wait...", "y", &["looks the same", "wait\u{2026}"]);
        check("b = 2;\n", "a = 2;;", "b = 2;", &["already contains `new_string`, at line 1"]);
    }

    #[test]
    fn no_error_is_long() {
        let line = format!("{}\n", "let value = compute(other);".repeat(20));
        let file = line.repeat(50);
        for old in [line.replace("value", "vulae"), line.clone(), line.repeat(20).replace('5', "6") + "x"] {
            assert!(told(&file, &old, "y").len() <= 1536, "{}", told(&file, &old, "y"));
        }
    }
}
