//! What changed in a file: number, sign, text.
//!
//! Not for copying, unlike command output: lines are broken to the width and hang behind their sign. What a person is to
//! judge hides nothing, so control characters are shown by number and spaces at the end of a changed line as `·`.

use ratatui::text::{Line, Span};

use super::brush::{Brush, INDENT, reveal};
use super::theme::Role;
use super::wrap::{Prefix, wrap};
use crate::protocol::FileChange;
use crate::text::diff::{DiffLine, FileDiff, LineKind, diff};
use crate::text::units;

/// Columns of a line number; longer ones take what they need.
const NUMBER: usize = 3;

/// A change, drawn.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    /// In short: `new`, `deleted`, `+1 -1`.
    pub(super) counts: Vec<Span<'static>>,
    /// The hunks.
    pub(super) lines: Vec<Line<'static>>,
}

/// Draws what changes in one file.
pub(super) fn draw(change: &FileChange, brush: Brush) -> Drawn {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let diff = diff(before.unwrap_or_default(), after.unwrap_or_default());
    let fate = match (before, after) {
        (None, Some(_)) => Some("new"),
        (Some(_), None) => Some("deleted"),
        (Some(_), Some(_)) | (None, None) => None,
    };
    Drawn { counts: counts(&diff, fate, brush), lines: hunks(&diff, brush) }
}

fn counts(diff: &FileDiff, fate: Option<&'static str>, brush: Brush) -> Vec<Span<'static>> {
    let number = |count: usize| units::count(u64::try_from(count).unwrap_or(u64::MAX));
    let mut spans = Vec::new();
    if let Some(fate) = fate {
        spans.push(brush.span(fate, Role::Dim));
    }
    if diff.added > 0 {
        spans.push(brush.span(format!("+{}", number(diff.added)), Role::Good));
    }
    if diff.removed > 0 {
        spans.push(brush.span(format!("-{}", number(diff.removed)), Role::Bad));
    }
    if spans.is_empty() {
        spans.push(brush.span("no change", Role::Dim));
    }
    (1..spans.len()).rev().for_each(|at| spans.insert(at, Span::raw(" ")));
    spans
}

fn hunks(diff: &FileDiff, brush: Brush) -> Vec<Line<'static>> {
    if diff.is_summary() {
        return vec![brush.line("  too much has changed to be shown line by line", Role::Dim)];
    }
    let all = || diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let widest = all().map(|line| line.number.to_string().len()).max().unwrap_or(0).max(NUMBER);
    let ends = if all().all(|line| line.text.ends_with('\r')) { Ends::Dos } else { Ends::Any };
    let mut lines = Vec::new();
    for (index, hunk) in diff.hunks.iter().enumerate() {
        if index > 0 {
            lines.push(brush.line(format!("{INDENT}{:>widest$}", "⋮"), Role::Dim));
        }
        lines.extend(hunk.lines.iter().flat_map(|line| row(line, (widest, ends), brush)));
    }
    lines
}

/// How the lines of a diff end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// All with a carriage return, which is then no news.
    Dos,
    /// Not all alike: a carriage return is shown.
    Any,
}

/// One line of the diff in as many rows as it takes.
fn row(line: &DiffLine, (widest, ends): (usize, Ends), brush: Brush) -> Vec<Line<'static>> {
    let (sign, role) = match line.kind {
        LineKind::Context => (" ", Role::Plain),
        LineKind::Added => ("+", Role::Good),
        LineKind::Removed => ("-", Role::Bad),
    };
    let number = brush.span(format!("{INDENT}{:>widest$} ", line.number), Role::Dim);
    let lead = vec![number, brush.span(format!("{sign} "), role)];
    let rest = vec![Span::raw(" ".repeat(INDENT.len() + widest + 3))];
    let text = match ends {
        Ends::Dos => line.text.trim_end_matches('\r'),
        Ends::Any => &line.text,
    };
    let mut text = reveal(text);
    if line.kind != LineKind::Context {
        text = with_visible_end(&text);
    }
    let mut text = brush.line(text, role);
    if line.unterminated && line.kind != LineKind::Context {
        text.push_span(brush.span(" (no line end)", Role::Dim));
    }
    wrap(&text, brush.columns, &Prefix { first: lead, rest })
}

/// White space at the end, which would be cut off and is a change nevertheless.
fn with_visible_end(text: &str) -> String {
    let ink = text.trim_end_matches([' ', '\t']);
    let end = text.strip_prefix(ink).unwrap_or_default();
    let marks = end.chars().map(|c| if c == '\t' { '→' } else { '·' });
    ink.chars().chain(marks).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BRUSH, text};
    use super::*;

    fn change(before: Option<&str>, after: Option<&str>) -> FileChange {
        FileChange {
            path: "a.rs".to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        }
    }

    #[track_caller]
    fn check(columns: usize, change: &FileChange, expected: &str) {
        let drawn = draw(change, Brush { columns, ..BRUSH });
        let counts: String = drawn.counts.iter().map(|span| span.content.as_ref()).collect();
        assert_eq!(format!("{counts}\n{}", text(&drawn.lines)), expected);
    }

    #[test]
    fn lines_have_number_and_sign() {
        let before = "use a;\n\nfn total() {\n    items.reduce(add).unwrap()\n}\n";
        let after = before.replace("reduce(add).unwrap()", "fold(ZERO, add)");
        check(
            80,
            &change(Some(before), Some(&after)),
            "+1 -1
    1   use a;
    2
    3   fn total() {
    4 -     items.reduce(add).unwrap()
    4 +     items.fold(ZERO, add)
    5   }",
        );
    }

    #[test]
    fn long_lines_hang_behind_their_sign() {
        check(
            24,
            &change(None, Some("one two three four five\n")),
            "new +1\n    1 + one two three\n        four five",
        );
        check(6, &change(None, Some("one two\n")), "new +1\none\ntwo");
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        check(
            40,
            &change(Some("a\nb"), Some("a \nb\n\x1b[2K\u{202e}\n")),
            "+3 -2
    1 - a
    2 - b (no line end)
    1 + a·
    2 + b
    3 + ‹U+001B›[2K‹U+202E›",
        );
        check(40, &change(Some("a\r\n"), Some("b\r\n")), "+1 -1\n    1 - a\n    1 + b");
        check(40, &change(Some("a\n"), Some("a\r\n")), "+1 -1\n    1 - a\n    1 + a‹U+000D›");
    }

    #[test]
    fn files_come_and_go_and_hunks_are_set_apart() {
        check(40, &change(Some("a\n"), None), "deleted -1\n    1 - a");
        check(40, &change(Some("a\n"), Some("a\n")), "no change\n");
        let many = |first: &str, last: &str| format!("{first}\n{}{last}\n", "x\n".repeat(9));
        let change = change(Some(&many("a", "b")), Some(&many("A", "B")));
        assert!(text(&draw(&change, BRUSH).lines).contains("\n    4   x\n    ⋮\n    8   x\n"));
    }
}
