//! What the model is told where a patch does not fit: what is wrong, where in the patch, and what the file looks like
//! there, so that the next try needs no second read.

use super::form::Hunk;
use super::hunks::{Misfit, Why};
use super::place;

/// Line numbers told of several places.
const MOST_NUMBERS: usize = 12;
/// Hunks whose present lines are shown of a file that has changed.
const MOST_SHOWN: usize = 4;

/// A hunk that does not fit.
pub(super) fn misfit(shown: &str, file: &[u8], hunks: &[Hunk], misfit: &Misfit) -> String {
    let Some(hunk) = hunks.get(misfit.hunk) else { return String::new() };
    let old = hunk.old(hunk.blank_tail);
    let head = |what: &str| {
        format!("Error: the hunk at line {} of the patch {what}; nothing was changed", hunk.line)
    };
    let nearest = |wanted: &[&str]| match place::nearest_lines(file, wanted) {
        Some(lines) => format!(". Nearest (→ is a tab, · a space):\n{lines}"),
        None => String::new(),
    };
    match &misfit.why {
        Why::Nowhere => head(&format!("is not in {shown}")) + &nearest(&old),
        Why::NoAnchor(anchor) => {
            head(&format!("has an anchor that is not a line of {shown}: `{anchor}`")) + &nearest(&[anchor])
        }
        Why::Above(line) => head(&format!(
            "fits {shown} only at line {line}, above the end of the hunk before it: give the hunks in the file's order"
        )),
        Why::NotAtEnd(line) => {
            head(&format!("fits {shown} at line {line}, which is not at the end: omit `*** End of File`"))
        }
        Why::Several(lines) => head(&format!(
            "fits {shown} {} times, at lines {}: give more lines around it, or an anchor (`@@ line of the file above it`)",
            lines.len(),
            numbers(lines)
        )),
        Why::SeveralAnchors(lines) => head(&format!(
            "has an anchor that fits {shown} at lines {}: put an outer anchor before it (`@@ class A`, then `@@ def f`)",
            numbers(lines)
        )),
        Why::NotBelow(lines) => head(&format!(
            "fits {shown} at lines {}, which are not below its anchor: give the anchor that is, or none",
            numbers(lines)
        )),
        Why::UnclearIndent(line) => {
            let lines = place::lines_at(file, *line, old.len());
            let what = format!(
                "is in {shown} at line {line} except for indentation, and the intended indentation of new lines is ambiguous"
            );
            format!("{}. There (→ is a tab, · a space):\n{lines}", head(&what))
        }
    }
}

/// A file that has changed since it was read: how it is now where the hunks would go. Says too whether it shows that,
/// which counts as having read it.
pub(super) fn changed(shown: &str, file: &[u8], hunks: &[Hunk]) -> (String, bool) {
    let head = format!("Error: {shown} has changed since it was read, nothing was changed");
    let places: Vec<String> = hunks
        .iter()
        .take(MOST_SHOWN)
        .filter_map(|hunk| place::nearest_lines(file, &hunk.old(hunk.blank_tail)))
        .collect();
    if places.is_empty() || places.len() < hunks.len() {
        return (format!("{head}: Read it again"), false);
    }
    let places = places.join("\n⋮\n");
    (format!("{head}. Retry with the current lines (→ is a tab, · a space):\n{places}"), true)
}

fn numbers(lines: &[usize]) -> String {
    let numbers: Vec<String> = lines.iter().take(MOST_NUMBERS).map(ToString::to_string).collect();
    let more = if lines.len() > MOST_NUMBERS { ", …" } else { "" };
    numbers.join(", ") + more
}
