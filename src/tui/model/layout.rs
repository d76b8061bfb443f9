//! The soft wrap of a draft: which bytes stand in which row, and where the cursor is.
//!
//! One layout for the view and for Up and Down, so that the eye and the keys agree about rows; one width function for
//! both, in columns of the terminal. It paints nothing and knows neither prompt nor styles.
//!
//! Rows break after spaces and around wide characters and atoms, and one space may hang over the right edge: a word that
//! just fits is not pushed to the next row by the space behind it. So a row is up to one column wider than asked for, and
//! the cursor may stand one further right; [`text_width`] sets both columns aside.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::draft::{AtomKind, Draft};

/// Columns before the text: the sign `❯` and a space, or two spaces.
pub const INDENT: usize = 2;
/// Columns behind it: the hanging space, and the cursor at the end of a full row.
const MARGIN: usize = 2;
/// A tab is shown as so many spaces: an input line has no tab stops worth keeping.
const TAB: &str = "    ";
/// Shown for what has no width or would act on the terminal.
const HIDDEN: char = '\u{fffd}';

/// The columns that text may fill on a screen of `columns`; at least one.
#[must_use]
pub const fn text_width(columns: usize) -> usize {
    let width = columns.saturating_sub(INDENT + MARGIN);
    if width == 0 { 1 } else { width }
}

/// The rows of a draft. There is always at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    rows: Vec<Range<usize>>,
    width: usize,
}

/// Something that takes up columns: a grapheme or an atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Its bytes in the draft.
    pub range: Range<usize>,
    /// What is shown for it, safe to print.
    pub shown: Cow<'a, str>,
    /// Columns, at least one.
    pub width: usize,
    /// What it is.
    pub kind: CellKind,
}

/// What a cell is, for breaking and for painting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// A narrow character.
    Narrow,
    /// A wide character: rows break on both sides of it.
    Wide,
    /// White space: rows break behind it.
    Space,
    /// A newline.
    Newline,
    /// The sign of a mode.
    Sign,
    /// A folded paste: rows break on both sides of it.
    Fold,
}

impl Layout {
    /// Wraps `draft` at `width` columns.
    #[must_use]
    pub fn new(draft: &Draft, width: usize) -> Self {
        let mut rows = Rows { done: Vec::new(), start: 0, column: 0, gap: None, width: width.max(1) };
        for cell in cells(draft, 0..draft.len()) {
            rows.take(&cell);
        }
        let width = rows.width;
        rows.close(draft.len());
        Self { rows: rows.done, width }
    }

    /// The bytes of each row, newlines left out.
    #[must_use]
    pub fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// The cells of one row.
    pub fn cells<'a>(&self, draft: &'a Draft, row: usize) -> impl Iterator<Item = Cell<'a>> {
        let width = self.width;
        cells(draft, self.rows.get(row).cloned().unwrap_or_default()).map(move |cell| cell.clipped(width))
    }

    /// Row and column of the byte `at`. The end of a wrapped row is the beginning of the next.
    #[must_use]
    pub fn locate(&self, draft: &Draft, at: usize) -> (usize, usize) {
        let row = self.rows.partition_point(|row| row.start <= at).saturating_sub(1);
        let before = self.cells(draft, row).take_while(|cell| cell.range.end <= at);
        (row, before.map(|cell| cell.width).sum())
    }

    /// The byte at or before `column` of `row`; in a row that is shorter, its last.
    #[must_use]
    pub fn position(&self, draft: &Draft, row: usize, column: usize) -> usize {
        let Some(range) = self.rows.get(row) else { return draft.len() };
        let wrapped = self.rows.get(row + 1).is_some_and(|next| next.start == range.end);
        let (mut at, mut used) = (range.start, 0);
        for cell in self.cells(draft, row) {
            used += cell.width;
            if used > column || (wrapped && cell.range.end == range.end) {
                break;
            }
            at = cell.range.end;
        }
        at
    }
}

/// The cells of a range of a draft.
pub fn cells(draft: &Draft, range: Range<usize>) -> impl Iterator<Item = Cell<'_>> {
    let mut at = range.start;
    iter::from_fn(move || {
        (at < range.end).then(|| {
            let unit = at..draft.next(at);
            at = unit.end.max(at + 1);
            Cell::of(draft, unit)
        })
    })
}

/// Columns of `text` on the terminal.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.width()
}

/// A line of foreign text as it may be printed: [`shown`], grapheme by grapheme.
#[must_use]
pub fn printable(text: &str) -> String {
    text.graphemes(true).map(shown).collect()
}

/// A grapheme as it may be printed: tabs as spaces, and what would act on the terminal, turn the writing direction or stay
/// unseen as a replacement character.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    if text == "\t" {
        return Cow::Borrowed(TAB);
    }
    // a flag such as Wales' is spelt with tags; anywhere else they only hide text from the eye
    let flag = text.starts_with('\u{1f3f4}');
    let hides = |c: char| c.is_control() || turns(c) || (!flag && ('\u{e0000}'..='\u{e007f}').contains(&c));
    if text.contains(hides) {
        return Cow::Owned(text.replace(hides, HIDDEN.encode_utf8(&mut [0; 4])));
    }
    if text.width() == 0 { Cow::Owned(HIDDEN.to_string()) } else { Cow::Borrowed(text) }
}

/// Whether `c` changes the writing direction, or ends a line that is none.
const fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl<'a> Cell<'a> {
    fn of(draft: &'a Draft, range: Range<usize>) -> Self {
        let text = draft.slice(range.clone());
        let (shown, kind) = match draft.atom_at(range.start).map(|atom| &atom.kind) {
            Some(AtomKind::Pasted { label } | AtomKind::Image { label }) => {
                (Cow::Borrowed(label.as_str()), CellKind::Fold)
            }
            Some(AtomKind::Sign) => (Cow::Borrowed(text), CellKind::Sign),
            None if text.ends_with('\n') => (Cow::Borrowed(""), CellKind::Newline),
            None if text.chars().all(char::is_whitespace) => (shown(text), CellKind::Space),
            None => (shown(text), CellKind::Narrow),
        };
        let width = columns(&shown).max(1);
        let kind = if kind == CellKind::Narrow && width > 1 { CellKind::Wide } else { kind };
        Self { range, shown, width, kind }
    }

    /// The same cell on a screen that is too narrow for it.
    fn clipped(mut self, width: usize) -> Self {
        if self.width > width {
            self.shown = Cow::Owned(clip(&self.shown, width));
            self.width = width;
        }
        self
    }
}

/// The beginning of a printable `text` in exactly `width` columns, `…` where something is missing.
#[must_use]
pub fn clip(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if columns(&kept) >= width {
            kept.pop();
            break;
        }
    }
    let missing = width.saturating_sub(columns(&kept));
    kept.extend(iter::repeat_n('…', missing.min(1)));
    kept.extend(iter::repeat_n(' ', missing.saturating_sub(1)));
    kept
}

/// Rows in the making.
struct Rows {
    done: Vec<Range<usize>>,
    start: usize,
    column: usize,
    /// The last place where this row may break: byte and column.
    gap: Option<(usize, usize)>,
    width: usize,
}

impl Rows {
    fn take(&mut self, cell: &Cell<'_>) {
        if cell.kind == CellKind::Newline {
            self.close(cell.range.start);
            self.start = cell.range.end;
            return;
        }
        let width = cell.width.min(self.width);
        let loose = matches!(cell.kind, CellKind::Wide | CellKind::Fold);
        if loose && self.column > 0 {
            self.gap = Some((cell.range.start, self.column));
        }
        let hangs = cell.kind == CellKind::Space && width == 1 && self.column == self.width;
        while !hangs && self.column > 0 && self.column + width > self.width {
            let (end, column) = self.gap.unwrap_or((cell.range.start, self.column));
            let rest = self.column - column;
            self.close(end);
            self.column = rest;
        }
        self.column += width;
        if loose || cell.kind == CellKind::Space {
            self.gap = Some((cell.range.end, self.column));
        }
    }

    /// Ends the row at `end`; the next begins there.
    fn close(&mut self, end: usize) {
        self.done.push(self.start..end);
        self.start = end;
        self.column = 0;
        self.gap = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, width: usize, expected: &[&str]) {
        let draft = Draft::plain(text);
        let layout = Layout::new(&draft, width);
        let rows: Vec<&str> = layout.rows().iter().map(|row| draft.slice(row.clone())).collect();
        assert_eq!(rows, expected, "{text:?} at {width}");
    }

    #[test]
    fn rows_break_behind_spaces_and_within_words_that_are_too_long() {
        check("", 10, &[""]);
        check("one two three", 10, &["one two ", "three"]);
        check("abcdefghijklm", 5, &["abcde", "fghij", "klm"]);
        check("ab cdefghijkl", 5, &["ab ", "cdefg", "hijkl"]);
        check("one\n\ntwo\n", 10, &["one", "", "two", ""]);
    }

    #[test]
    fn one_space_hangs_over_the_edge_and_a_second_begins_a_row() {
        check("abcde fg", 5, &["abcde ", "fg"]);
        check("abcde  fg", 5, &["abcde ", " fg"]);
        check("ab abcde fg", 8, &["ab abcde ", "fg"]);
        check("abcde \nfg", 5, &["abcde ", "fg"]);
    }

    #[test]
    fn wide_characters_are_two_columns_and_break_anywhere() {
        check("日本語の文", 6, &["日本語", "の文"]);
        check("日本語の文", 5, &["日本", "語の", "文"]);
        check("ab 日本語", 6, &["ab 日", "本語"]);
        check("日本 words", 8, &["日本 ", "words"]);
        check("👩‍👩‍👧👩‍👩‍👧", 3, &["👩‍👩‍👧", "👩‍👩‍👧"]);
    }

    #[test]
    fn what_is_wider_than_the_screen_stands_alone_and_is_cut() {
        check("日本", 1, &["日", "本"]);
        let mut draft = Draft::plain("ab");
        draft.push(Draft::pasted(&"x\n".repeat(20)));
        draft.push(Draft::plain("c"));
        let layout = Layout::new(&draft, 8);
        assert_eq!(layout.rows(), [0..2, 2..42, 42..43]);
        let shown: Vec<String> = layout.cells(&draft, 1).map(|cell| cell.shown.into_owned()).collect();
        assert_eq!(shown, ["[Pasted…"]);
    }

    #[test]
    fn a_place_is_found_by_row_and_column_and_back() {
        let draft = Draft::plain("one two 日本\n\nx");
        let layout = Layout::new(&draft, 8);
        let mut at = 0;
        loop {
            let (row, column) = layout.locate(&draft, at);
            assert_eq!(layout.position(&draft, row, column), at);
            if at == draft.len() {
                break;
            }
            at = draft.next(at);
        }
        assert_eq!(layout.locate(&draft, 8), (1, 0));
        assert_eq!(layout.locate(&draft, 11), (1, 2));
        assert_eq!(layout.position(&draft, 1, 1), 8);
        assert_eq!(layout.position(&draft, 9, 9), draft.len());
    }

    #[test]
    fn what_would_act_on_the_terminal_or_stay_unseen_is_shown_as_a_mark() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected, "{text:?}");
        check("é", "é");
        check("\t", "    ");
        check("\u{1b}", "\u{fffd}");
        check("\u{9b}", "\u{fffd}");
        check("\u{202e}", "\u{fffd}");
        check("\u{200b}", "\u{fffd}");
        check("a\u{e0041}\u{e0042}", "a\u{fffd}\u{fffd}");
        let wales = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
        check(wales, wales);
    }

    #[test]
    fn a_text_is_cut_to_columns_not_to_characters() {
        let check = |text: &str, width: usize, expected: &str| assert_eq!(clip(text, width), expected);
        check("abc", 3, "abc");
        check("abcd", 3, "ab…");
        check("日本語", 6, "日本語");
        check("日本語", 5, "日本…");
        check("日本語", 4, "日… ");
        check("日本", 1, "…");
        check("ab", 0, "");
    }
}
