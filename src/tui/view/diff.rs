//! What changed in a file: number, sign, text in its colours, and in a line that took the place of another the words that
//! are new.
//!
//! Not for copying, unlike command output. What a person is to judge hides nothing: control characters are shown by number
//! and spaces at the end of a changed line as `·`, and lines are broken to the width and hang behind their sign; only in
//! the scrollback, where the change is made already, is a long line cut. A changed line has the ground tone of its sign, and
//! strings have it too: nothing in a removed line is green.

use std::ops::Range;
use std::str::Split;

use ratatui::text::{Line, Span};

use super::brush::{Brush, INDENT, Signs, reveal};
use super::highlight;
use super::theme::Role;
use super::wrap::{Prefix, fit, wrap};
use crate::protocol::FileChange;
use crate::text::diff::{DiffLine, FileDiff, LineKind};
use crate::text::highlight::{Highlighter, Token};
use crate::text::units;
use crate::text::words;
use crate::tui::model::question::compare;

/// Columns of a line number; longer ones take what they need.
const NUMBER: usize = 3;

/// Columns that a cut line keeps beside its number; where there are fewer it is broken instead.
const LEAST: usize = 12;

/// A change, drawn.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    /// In short: `new`, `deleted`, `+1 -1`.
    pub(super) counts: Vec<Span<'static>>,
    /// The hunks.
    pub(super) lines: Vec<Line<'static>>,
}

/// How much of a change is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The first so many lines, each cut to one row; the others are only there to be counted.
    Cut(usize),
    /// The first and the last so many lines, in as many rows as they take; the others are only there to be counted, and what follows
    /// the last change is left out if not all has space.
    Ends(usize),
    /// All of it, in as many rows as it takes.
    Whole,
}

/// Rows of a question other than the diff: its title, the file, its answers.
const BESIDE: usize = 5;

/// Draws what changes in one file.
pub(super) fn draw(change: &FileChange, extent: Extent, brush: Brush) -> Drawn {
    draw_compared(change, &compare(change), extent, brush)
}

/// The same where the file was compared already.
pub(super) fn draw_compared(change: &FileChange, diff: &FileDiff, extent: Extent, brush: Brush) -> Drawn {
    let fate = match (&change.before, &change.after) {
        (None, Some(_)) => Some("new"),
        (Some(_), None) => Some("deleted"),
        (Some(_), Some(_)) | (None, None) => None,
    };
    let counts = counts(diff, fate, brush);
    if diff.is_summary() {
        let told = brush.line("  too many changes to show line by line", Role::Dim);
        return Drawn { counts, lines: vec![told] };
    }
    Drawn { counts, lines: Hunks::new(diff, change, brush).lines(diff, extent) }
}

fn counts(diff: &FileDiff, fate: Option<&'static str>, brush: Brush) -> Vec<Span<'static>> {
    let number = |count: usize| units::count(u64::try_from(count).unwrap_or(u64::MAX));
    let mut spans = Vec::new();
    if let Some(fate) = fate {
        spans.push(brush.span(fate, Role::Dim));
    }
    if diff.added > 0 {
        spans.push(brush.span(signed(("+", " added"), &number(diff.added), brush), Role::Good));
    }
    if diff.removed > 0 {
        spans.push(brush.span(signed(("-", " removed"), &number(diff.removed), brush), Role::Bad));
    }
    if spans.is_empty() {
        spans.push(brush.span("no changes", Role::Dim));
    }
    (1..spans.len()).rev().for_each(|at| spans.insert(at, Span::raw(" ")));
    spans
}

/// A count behind its sign, or before its word.
fn signed((sign, word): (&str, &str), count: &str, brush: Brush) -> String {
    match brush.manner.signs {
        Signs::Signs => format!("{sign}{count}"),
        Signs::Words => format!("{count}{word}"),
    }
}

/// What stands between two hunks, under numbers of so many columns.
fn between(widest: usize, brush: Brush) -> Line<'static> {
    let told = match brush.manner.signs {
        Signs::Signs => format!("{INDENT}{:>widest$}", "⋮"),
        Signs::Words => format!("{INDENT}next hunk"),
    };
    brush.line(told, Role::Dim)
}

/// How the lines of a diff end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// All with a carriage return, which is then no news.
    Dos,
    /// Not all alike: a carriage return is shown.
    Any,
}

/// What the lines of one file are drawn with.
struct Hunks<'a> {
    brush: Brush,
    /// Columns of the numbers.
    widest: usize,
    ends: Ends,
    old: Side<'a>,
    new: Side<'a>,
}

/// One of the two texts, read in its language up to some line.
struct Side<'a> {
    lines: Split<'a, char>,
    /// The number of the line that comes next.
    next: usize,
    reading: Option<Highlighter>,
}

impl<'a> Side<'a> {
    fn new(text: Option<&'a str>, path: &str) -> Self {
        let lines = text.unwrap_or_default().split('\n');
        Self { lines, next: 1, reading: Highlighter::of_path(path) }
    }

    /// The pieces of the line of this number, which is shown as `text`.
    fn pieces<'t>(&mut self, number: usize, text: &'t str) -> Vec<(Token, &'t str)> {
        let Some(reading) = &mut self.reading else { return vec![(Token::Plain, text)] };
        for line in self.lines.by_ref().take(number.saturating_sub(self.next)) {
            reading.pass(line);
        }
        self.lines.next();
        self.next = number + 1;
        reading.line(text)
    }
}

/// A line as it is shown, and what in it is new or gone.
struct Shown<'d> {
    line: &'d DiffLine,
    text: String,
    changed: Vec<Range<usize>>,
}

impl<'a> Hunks<'a> {
    fn new(diff: &FileDiff, change: &'a FileChange, brush: Brush) -> Self {
        let all = || diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        let widest = all().map(|line| line.number.to_string().len()).max().unwrap_or(0).max(NUMBER);
        let ends = if all().all(|line| line.text.ends_with('\r')) { Ends::Dos } else { Ends::Any };
        let old = Side::new(change.before.as_deref(), &change.path);
        let new = Side::new(change.after.as_deref(), &change.path);
        Self { brush, widest, ends, old, new }
    }

    fn lines(mut self, diff: &FileDiff, extent: Extent) -> Vec<Line<'static>> {
        let most = match extent {
            Extent::Cut(most) | Extent::Ends(most) => most,
            Extent::Whole => usize::MAX,
        };
        let mut all = diff.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum::<usize>().saturating_sub(1);
        let mut last = all;
        if let Extent::Ends(most) = extent
            && all + BESIDE > most
        {
            all -= context_at_end(diff);
            last = all.saturating_sub(most);
        }
        let (mut lines, mut at) = (Vec::new(), 0);
        for (index, hunk) in diff.hunks.iter().enumerate() {
            if index > 0 {
                lines.push(between(self.widest, self.brush));
                at += 1;
            }
            let (hunk, _) = divide(&hunk.lines, all.saturating_sub(at));
            let (first, rest) = divide(hunk, most.saturating_sub(lines.len()));
            let (counted, end) = divide(rest, last.saturating_sub(at + first.len()));
            for shown in self.shown(first) {
                lines.extend(self.row(&shown, extent));
            }
            lines.extend(counted.iter().map(|_| Line::default()));
            if !counted.is_empty() {
                // highlighting the lines in between would take as long as drawing them
                (self.old.reading, self.new.reading) = (None, None);
            }
            for shown in self.shown(end) {
                lines.extend(self.row(&shown, extent));
            }
            at += hunk.len();
        }
        lines
    }

    /// The lines with the words that changed, where lines have taken the place of others.
    fn shown<'d>(&self, lines: &'d [DiffLine]) -> Vec<Shown<'d>> {
        let one = |line| Shown { line, text: self.text(line), changed: Vec::new() };
        let mut all: Vec<Shown<'d>> = lines.iter().map(one).collect();
        for run in all.chunk_by_mut(|a, b| stand_together(a.line.kind, b.line.kind)) {
            let came = run.iter().position(|shown| shown.line.kind == LineKind::Added).unwrap_or(run.len());
            let (went, came) = run.split_at_mut(came);
            if let Some((gone, fresh)) = words::changed(&texts(went), &texts(came)) {
                let places = gone.into_iter().chain(fresh);
                went.iter_mut().chain(came).zip(places).for_each(|(shown, places)| shown.changed = places);
            }
        }
        all
    }

    fn text(&self, line: &DiffLine) -> String {
        let text = match self.ends {
            Ends::Dos => line.text.trim_end_matches('\r'),
            Ends::Any => &line.text,
        };
        match line.kind {
            LineKind::Context => reveal(text),
            LineKind::Added | LineKind::Removed => with_visible_end(&reveal(text)),
        }
    }

    /// One line of the diff in as many rows as it takes, or as it may.
    fn row(&mut self, shown: &Shown<'_>, extent: Extent) -> Vec<Line<'static>> {
        let (brush, line) = (self.brush, shown.line);
        let (sign, ground, changed, side) = match line.kind {
            LineKind::Context => (" ", Role::Plain, Role::Plain, &mut self.new),
            LineKind::Added => ("+", Role::Good, Role::Came, &mut self.new),
            LineKind::Removed => ("-", Role::Bad, Role::Went, &mut self.old),
        };
        let sign = match (brush.manner.signs, line.kind) {
            (Signs::Signs, _) | (Signs::Words, LineKind::Context) => sign,
            (Signs::Words, LineKind::Added) => "added",
            (Signs::Words, LineKind::Removed) => "removed",
        };
        let mut text = Line::default();
        let mut at = 0;
        for (token, piece) in side.pieces(line.number, &shown.text) {
            for (part, is_changed) in cut(piece, at, &shown.changed) {
                let role = if is_changed { changed } else { over(ground, token) };
                text.push_span(brush.span(part.to_owned(), role));
            }
            at += piece.len();
        }
        if line.unterminated && line.kind != LineKind::Context {
            text.push_span(brush.span(" (no newline at end)", Role::Dim));
        }
        let number = brush.span(format!("{INDENT}{:>1$} ", line.number, self.widest), Role::Dim);
        let lead = vec![number, brush.span(format!("{sign} "), ground)];
        let before = INDENT.len() + self.widest + 2 + sign.len();
        match extent {
            // whoever is told lines has a terminal that breaks them, and a word that is whole can be read out
            Extent::Ends(_) | Extent::Whole if brush.manner.signs == Signs::Words => {
                vec![Line::from([lead, text.spans].concat())]
            }
            Extent::Cut(_) if brush.columns >= before + LEAST => {
                let text = fit(&text, brush.columns - before);
                vec![Line::from([lead, text.spans].concat())]
            }
            Extent::Cut(_) | Extent::Ends(_) | Extent::Whole => {
                let rest = vec![Span::raw(" ".repeat(before))];
                wrap(&text, brush.columns, &Prefix { first: lead, rest })
            }
        }
    }
}

/// How many lines after the last change are shown for orientation alone.
fn context_at_end(diff: &FileDiff) -> usize {
    let lines = diff.hunks.last().map_or(&[][..], |hunk| &hunk.lines);
    lines.iter().rev().take_while(|line| line.kind == LineKind::Context).count()
}

/// The first so many lines, and the others.
fn divide(lines: &[DiffLine], at: usize) -> (&[DiffLine], &[DiffLine]) {
    lines.split_at_checked(at).unwrap_or((lines, &[]))
}

fn texts<'s>(side: &'s [Shown<'_>]) -> Vec<&'s str> {
    side.iter().map(|shown| shown.text.as_str()).collect()
}

/// Lines that went, and those right below them that came.
fn stand_together(above: LineKind, below: LineKind) -> bool {
    match (above, below) {
        (LineKind::Removed, LineKind::Removed | LineKind::Added) | (LineKind::Added, LineKind::Added) => true,
        (LineKind::Context, _) | (_, LineKind::Context) | (LineKind::Added, LineKind::Removed) => false,
    }
}

/// The role of a piece of code in a line of this ground tone.
fn over(ground: Role, token: Token) -> Role {
    match (ground, token) {
        (Role::Plain, _) => highlight::role(token),
        (_, Token::Plain | Token::Text | Token::Added | Token::Removed) => ground,
        (_, Token::Keyword | Token::Comment | Token::Number | Token::Type | Token::Name) => {
            highlight::role(token)
        }
    }
}

/// A piece that begins at `at`, cut where a changed place begins or ends.
fn cut<'t>(piece: &'t str, at: usize, changed: &[Range<usize>]) -> Vec<(&'t str, bool)> {
    let mut parts = Vec::new();
    let (mut rest, mut at) = (piece, at);
    for place in changed {
        for (end, is_changed) in [(place.start, false), (place.end, true)] {
            let length = end.saturating_sub(at).min(rest.len());
            let Some((part, after)) = rest.split_at_checked(length) else { continue };
            parts.extend((!part.is_empty()).then_some((part, is_changed)));
            rest = after;
            at += length;
        }
    }
    parts.extend((!rest.is_empty()).then_some((rest, false)));
    parts
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
        check_as(Extent::Whole, columns, change, expected);
    }

    #[track_caller]
    fn check_as(extent: Extent, columns: usize, change: &FileChange, expected: &str) {
        let drawn = draw(change, extent, Brush { columns, ..BRUSH });
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
    2 - b (no newline at end)
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
        check(40, &change(Some("a\n"), Some("a\n")), "no changes\n");
        let many = |first: &str, last: &str| format!("{first}\n{}{last}\n", "x\n".repeat(9));
        let change = change(Some(&many("a", "b")), Some(&many("A", "B")));
        assert!(text(&draw(&change, Extent::Whole, BRUSH).lines).contains("\n    4   x\n    ⋮\n    8   x\n"));
    }

    #[test]
    fn in_the_scrollback_long_lines_are_cut_and_late_ones_only_counted() {
        let long = "fn total(&self) -> Money { self.items.iter().map(Item::price).sum() }\n";
        check_as(
            Extent::Cut(9),
            40,
            &change(None, Some(long)),
            "new +1\n    1 + fn total(&self) -> Money { self…",
        );
        check_as(Extent::Cut(9), 12, &change(None, Some("one two\n")), "new +1\n    1 + one\n        two");
        check_as(
            Extent::Ends(1),
            12,
            &change(None, Some("one two\nb\nc\nd\n")),
            "new +4\n    1 + one\n        two\n\n\n    4 + d",
        );
        check_as(Extent::Cut(1), 40, &change(None, Some("a\nb\nc\n")), "new +3\n    1 + a\n\n");
    }

    /// The spans of a row as `text` and role, without number.
    fn spans(row: &Line<'_>) -> Vec<(String, ratatui::style::Style)> {
        row.spans.iter().skip(1).map(|span| (span.content.to_string(), span.style)).collect()
    }

    #[test]
    fn words_that_changed_stand_out_from_the_tone_of_their_line() {
        let change = change(Some("/* a\n*/ let x = \"one\" + 1;\n"), Some("/* a\n*/ let x = \"one\" + 2;\n"));
        let drawn = draw(&change, Extent::Whole, BRUSH);
        let wanted = |roles: &[(&str, Role)]| -> Vec<_> {
            roles.iter().map(|(text, role)| ((*text).to_owned(), BRUSH.theme.style(*role))).collect()
        };
        assert_eq!(spans(&drawn.lines[0]), wanted(&[("  ", Role::Plain), ("/* a", Role::Comment)])[..]);
        let line = |sign, ground, changed, number| {
            wanted(&[
                (sign, ground),
                ("*/", Role::Comment),
                (" ", ground),
                ("let", Role::Keyword),
                (" x = \"one\" + ", ground),
                (number, changed),
                (";", ground),
            ])
        };
        assert_eq!(spans(&drawn.lines[1]), line("- ", Role::Bad, Role::Went, "1"));
        assert_eq!(spans(&drawn.lines[2]), line("+ ", Role::Good, Role::Came, "2"));
    }

    #[test]
    fn every_character_of_a_changed_line_is_drawn_once() {
        let places = [2..4, 6..7];
        for (piece, at) in [("abcdefgh", 0), ("cd", 2), ("de", 3), ("h", 7), ("ab", 0)] {
            let parts = cut(piece, at, &places);
            assert_eq!(parts.iter().map(|(text, _)| *text).collect::<String>(), piece);
            for (part, is_changed) in parts {
                let start = at + piece.find(part).unwrap();
                assert_eq!(places.iter().any(|place| place.contains(&start)), is_changed, "{part}");
            }
        }
    }
}
