//! The bridge from patches to the matcher of Edit: when a line of a patch is a line of a file.
//!
//! The one file of this folder that knows the other tool. The rules are the same for both: exactly, else but for blanks
//! at the end, else but for the indentation, to which new lines are then fitted, else but for typography.

use super::super::edit::indent::{learn, split};
use super::super::edit::matcher::{self, Refused, Which};
use super::super::edit::nearest;

/// How much a line of a patch may differ from the file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// In nothing.
    Exact,
    /// In blanks at its end.
    End,
    /// In its indentation too.
    Indent,
    /// In quotes, dashes and kinds of blanks too.
    Typography,
}

impl Likeness {
    /// The strict first.
    pub(super) const ALL: [Self; 4] = [Self::Exact, Self::End, Self::Indent, Self::Typography];

    /// Whether the line that was written is the one that was found (without its end).
    pub(super) fn is_same(self, written: &str, found: &[u8]) -> bool {
        let written = written.as_bytes();
        match self {
            Self::Exact => written == found,
            Self::End => written.trim_ascii_end() == found.trim_ascii_end(),
            Self::Indent => written.trim_ascii() == found.trim_ascii(),
            Self::Typography if written.is_ascii() && found.is_ascii() => {
                written.trim_ascii() == found.trim_ascii()
            }
            Self::Typography => plain(written) == plain(found),
        }
    }
}

/// The line with the signs of a keyboard in place of those of a printer.
fn plain(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let letters = text.chars().map(|letter| match letter {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    });
    letters.collect::<String>().trim().to_owned()
}

/// New lines with the indentation of the file, learned from pairs of lines (as written, as found); none where it
/// follows no rule.
pub(super) fn fitted(pairs: &[(&str, &[u8])], new: &[&str]) -> Option<Vec<Vec<u8>>> {
    let pairs: Vec<(&[u8], &[u8])> = pairs
        .iter()
        .filter(|(written, _)| !written.trim().is_empty())
        .map(|(written, found)| (split(written.as_bytes()).0, split(found).0))
        .collect();
    let rule = learn(&pairs)?;
    let fit = |line: &&str| {
        let (blanks, rest) = split(line.as_bytes());
        let front = if rest.trim_ascii().is_empty() { Vec::new() } else { rule.apply(blanks)? };
        Some([&front, rest].concat())
    };
    new.iter().map(fit).collect()
}

/// Why Edit would not put this text into such a file.
pub(super) fn unfit(file: &[u8], new: &str) -> Option<String> {
    // a text that no file has: only the file itself and the new text are judged
    match matcher::edit(file, "\u{1}\u{2}\u{1}", new, Which::One) {
        Err(Refused::NotText(what)) => Some(format!("it is {what}")),
        Err(Refused::OtherEncoding) => {
            Some("it is not UTF-8, so the new lines may hold ASCII only".to_owned())
        }
        Ok(_) | Err(_) => None,
    }
}

/// The lines of the file that are most like these, numbered.
pub(super) fn nearest_lines(file: &[u8], wanted: &[&str]) -> Option<String> {
    nearest::nearest_lines(&text(file), &wanted.join("\n"))
}

/// So many lines of the file from this one (from 1) on, numbered.
pub(super) fn lines_at(file: &[u8], first: usize, count: usize) -> String {
    nearest::lines_at(&text(file), first, &"\n".repeat(count))
}

fn text(file: &[u8]) -> String {
    String::from_utf8_lossy(file).replace("\r\n", "\n")
}
