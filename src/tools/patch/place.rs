//! The bridge from patches to the matcher of Edit: where lines of a patch stand in a file, and how new ones fit there.
//!
//! The one file of this folder that knows the other tool. The rules are the same for both: exactly, else but for blanks,
//! to whose indentation new lines are then fitted, else but for typography; and any file that Edit can write.

use super::super::edit::indent::{fit, split, unit_of};
use super::super::edit::matcher::{self, Refused};
use super::super::edit::nearest;
use super::super::edit::refusal::view_text;

pub(super) use super::super::edit::matcher::{Change as Splice, Found, View};
pub(super) use super::super::edit::view::Eol;

/// How much the lines of a patch may differ from the file's, the strict first.
pub(super) const LIKENESS: [Found; 4] =
    [Found::Exactly, Found::ButForTrailing, Found::ButForBlanks, Found::ButForTypography];

/// The lines (from 0, from `from` on) where all of `old` stand, one below the other, and differ no more than that.
pub(super) fn places(view: &View<'_>, old: &[&str], from: usize, likeness: Found) -> Vec<usize> {
    // blank lines alone say too little to be found in any but their own form
    if likeness > Found::Exactly && old.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    let found = matcher::find_lines(view, old, from).into_iter().filter(|at| at.found <= likeness);
    found.map(|at| at.line).collect()
}

/// New lines with the indentation of the file, learned from pairs of lines (as written, as found); none where that is
/// not beyond doubt.
pub(super) fn fitted(view: &View<'_>, pairs: &[(&str, &[u8])], new: &[&str]) -> Option<Vec<Vec<u8>>> {
    let pairs: Vec<(&[u8], &[u8])> = pairs
        .iter()
        .filter(|(written, _)| !written.trim().is_empty())
        .map(|(written, found)| (split(written.as_bytes()).0, split(found).0))
        .collect();
    let is_blank = |line: &&&str| line.trim().is_empty();
    let wanted: Vec<&[u8]> =
        new.iter().filter(|line| !is_blank(line)).map(|line| split(line.as_bytes()).0).collect();
    let unit = || unit_of(view.text.split(|byte| *byte == b'\n'));
    let mut fronts = fit(&pairs, &wanted, unit)?.into_iter();
    let put = |line: &&str| {
        let rest = split(line.as_bytes()).1;
        let front = if is_blank(&line) { Vec::new() } else { fronts.next().unwrap_or_default() };
        [&front, rest].concat()
    };
    Some(new.iter().map(put).collect())
}

/// Why Edit would not put these lines into such a file.
pub(super) fn unfit(file: &[u8], new: &str) -> Option<String> {
    let view = match View::new(file) {
        Ok(view) => view,
        Err(matcher::NotText(what)) => return Some(format!("it is {what}")),
    };
    let change = Splice { range: 0..0, bytes: new.as_bytes().to_vec() };
    match matcher::check_encoding(&view, &[change]) {
        Err(Refused::OtherEncoding) => Some("it is not UTF-8, so the new lines must be ASCII".to_owned()),
        Ok(()) | Err(_) => None,
    }
}

/// The lines of the file that are most like these, numbered.
pub(super) fn nearest_lines(file: &[u8], wanted: &[&str]) -> Option<String> {
    nearest::nearest_lines(&view_text(file), &wanted.join("\n"))
}

/// So many lines of the file from this one (from 1) on, numbered.
pub(super) fn lines_at(file: &[u8], first: usize, count: usize) -> String {
    nearest::lines_at(&view_text(file), first, count, "")
}
