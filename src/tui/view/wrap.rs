//! Widths and line breaks: the one place that knows how many columns a text takes and where a line may end.
//!
//! Not the Unicode line-breaking algorithm: breaks are at spaces and between East Asian characters (with their
//! punctuation kept from the beginning or the end of a line), nowhere else, so that flags, paths and `kebab-case`
//! names stay whole. A word wider than a line is split between graphemes. Nothing is padded, and no line ends with
//! a space.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns between tab stops, as terminals have them.
const TAB: usize = 8;

/// Columns that must remain for text beside a prefix; where there are fewer, the prefix is left away.
const LEAST: usize = 4;

/// May not stand at the beginning of a line: closing marks, small kana, what belongs to the character before it.
const NOT_FIRST: &str = "、。，．・：；？！゛゜ヽヾゝゞ々〻ー’”）〕］｝〉》」』】〙〗〟’”｠»ぁぃぅぇぉっゃゅょゎゕゖ\
                         ァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ〜～…‥—％‰℃,.:;!?)]}%";

/// May not stand at the end of a line: opening marks and currency signs.
const NOT_LAST: &str = "‘“（〔［｛〈《「『【〘〖〝｟«([{$£¥￥＄＃#";

/// What stands before the lines of a wrapped text: list markers, indents, the bar of a quote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefix {
    /// Before the first line.
    pub first: Vec<Span<'static>>,
    /// Before the others.
    pub rest: Vec<Span<'static>>,
}

/// The columns that `text` takes on a terminal, summed over its graphemes.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The columns that a styled text takes.
pub fn spans_width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// Breaks a logical line into lines of at most `columns`, each with its prefix. At least one line comes back. Only a
/// single grapheme that is wider than `columns` can stick out.
pub fn wrap(line: &Line<'_>, columns: usize, prefix: &Prefix) -> Vec<Line<'static>> {
    let cells = cells(line);
    let mut wrapper = Wrapper::new(columns, prefix);
    let mut rest = cells.as_slice();
    while !rest.is_empty() {
        let (gap, after) = split(rest, rest.iter().position(|cell| !cell.is_space()));
        let pairs = after.iter().zip(after.iter().skip(1)).enumerate();
        let end = pairs.filter(|(_, (before, cell))| may_break(before, cell)).map(|(at, _)| at + 1);
        let (word, after) = split(after, end.into_iter().find(|at| !is_before_dot(after, *at)));
        wrapper.word(gap, word);
        rest = after;
    }
    wrapper.done()
}

/// The line within `columns`: as it is, or cut, with `…` as its last column. Tabs become spaces.
pub fn fit(line: &Line<'_>, columns: usize) -> Line<'static> {
    let cells = cells(line);
    if total(&cells) <= columns {
        return join(&[], &cells);
    }
    let mut used = 0;
    let room = columns.saturating_sub(1);
    let kept = cells.iter().take_while(|cell| {
        used += cell.width;
        used <= room
    });
    let mut kept: Vec<_> = kept.copied().collect();
    if columns > 0 {
        let style = kept.last().map_or(line.style, |cell| cell.style);
        kept.push(Cell { text: "…", style, width: 1 });
    }
    join(&[], &kept)
}

/// One grapheme.
#[derive(Debug, Clone, Copy)]
struct Cell<'a> {
    text: &'a str,
    style: Style,
    width: usize,
}

impl Cell<'_> {
    fn is_space(&self) -> bool {
        self.text.starts_with([' ', '\u{3000}'])
    }

    fn is_one_of(&self, set: &str) -> bool {
        self.text.chars().next().is_some_and(|c| set.contains(c))
    }
}

/// The graphemes of a line, tabs as spaces up to the next stop.
fn cells<'a>(line: &'a Line<'_>) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    let mut column = 0;
    for span in &line.spans {
        let style = line.style.patch(span.style);
        for text in span.content.graphemes(true) {
            let (text, width) = match text {
                "\t" => ("        ".get(column % TAB..).unwrap_or(" "), TAB - column % TAB),
                _ => (text, text.width()),
            };
            column += width;
            cells.push(Cell { text, style, width });
        }
    }
    cells
}

/// Whether the space at `at` stands before the dot between two facts, which ends a line and begins none.
fn is_before_dot(cells: &[Cell<'_>], at: usize) -> bool {
    let is_dot = |cell: &Cell<'_>| cell.text == "·";
    cells.get(at).is_some_and(Cell::is_space) && cells.get(at + 1).is_some_and(is_dot)
}

/// Whether a line may end after `before` and the next begin with `after`. A space never begins one.
fn may_break(before: &Cell<'_>, after: &Cell<'_>) -> bool {
    let asian = before.width == 2 || after.width == 2;
    after.is_space() || (asian && !before.is_one_of(NOT_LAST) && !after.is_one_of(NOT_FIRST))
}

fn split<'c, 'a>(cells: &'c [Cell<'a>], at: Option<usize>) -> (&'c [Cell<'a>], &'c [Cell<'a>]) {
    at.and_then(|at| cells.split_at_checked(at)).unwrap_or((cells, &[]))
}

fn total(cells: &[Cell<'_>]) -> usize {
    cells.iter().map(|cell| cell.width).sum()
}

/// Lines under construction.
struct Wrapper<'p, 'a> {
    prefix: Option<&'p Prefix>,
    columns: usize,
    done: Vec<Line<'static>>,
    open: Vec<Cell<'a>>,
    used: usize,
}

impl<'p, 'a> Wrapper<'p, 'a> {
    fn new(columns: usize, prefix: &'p Prefix) -> Self {
        let widest = spans_width(&prefix.first).max(spans_width(&prefix.rest));
        let prefix = (widest + LEAST <= columns).then_some(prefix);
        Self { prefix, columns, done: Vec::new(), open: Vec::new(), used: 0 }
    }

    /// Adds a word after its spaces; the spaces go where the line breaks.
    fn word(&mut self, gap: &[Cell<'a>], word: &[Cell<'a>]) {
        if self.used + total(gap) + total(word) <= self.room() {
            self.push(gap);
            self.push(word);
            return;
        }
        if !self.open.is_empty() {
            self.break_line();
        } else if self.done.is_empty() && total(gap) + LEAST <= self.room() {
            // how far a line is indented says something, also where its first word is long
            self.push(gap);
        }
        for cell in word {
            if !self.open.is_empty() && self.used + cell.width > self.room() {
                self.break_line();
            }
            self.push(std::slice::from_ref(cell));
        }
    }

    fn push(&mut self, cells: &[Cell<'a>]) {
        self.open.extend_from_slice(cells);
        self.used += total(cells);
    }

    fn lead(&self) -> &'p [Span<'static>] {
        match self.prefix {
            Some(prefix) if self.done.is_empty() => &prefix.first,
            Some(prefix) => &prefix.rest,
            None => &[],
        }
    }

    fn room(&self) -> usize {
        self.columns.saturating_sub(spans_width(self.lead()))
    }

    fn break_line(&mut self) {
        self.done.push(join(self.lead(), &self.open));
        self.open.clear();
        self.used = 0;
    }

    fn done(mut self) -> Vec<Line<'static>> {
        if !self.open.is_empty() || self.done.is_empty() {
            self.break_line();
        }
        self.done
    }
}

/// One line of a prefix and cells, neighbours of one style in one span, no spaces at its end.
fn join(lead: &[Span<'static>], cells: &[Cell<'_>]) -> Line<'static> {
    let mut spans = lead.to_vec();
    for cell in cells {
        match spans.last_mut() {
            Some(last) if last.style == cell.style => last.content.to_mut().push_str(cell.text),
            _ => spans.push(Span::styled(cell.text.to_owned(), cell.style)),
        }
    }
    trim_end(&mut spans);
    Line::from(spans)
}

/// Takes the spaces off the end of a styled text.
pub fn trim_end(spans: &mut Vec<Span<'static>>) {
    while let Some(last) = spans.last_mut() {
        let kept = last.content.trim_end_matches([' ', '\u{3000}']).len();
        last.content.to_mut().truncate(kept);
        if kept > 0 {
            break;
        }
        spans.pop();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrapped(text: &str, columns: usize) -> Vec<String> {
        wrap(&Line::raw(text), columns, &Prefix::default()).iter().map(Line::to_string).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_drop_them_there() {
        let check = |text: &str, columns, expected: &[&str]| assert_eq!(wrapped(text, columns), expected);
        check("", 10, &[""]);
        check("   ", 10, &[""]);
        check("one two three", 13, &["one two three"]);
        check("one two three", 12, &["one two", "three"]);
        check("one   two", 6, &["one", "two"]);
        check("  indented text", 10, &["  indented", "text"]);
        check("ends with spaces   ", 20, &["ends with spaces"]);
        check("    averylongword", 12, &["    averylon", "gword"]);
        check("one · two", 6, &["one ·", "two"]);
        check("run cargo test --all-targets now", 20, &["run cargo test", "--all-targets now"]);
    }

    #[test]
    fn a_word_wider_than_the_line_is_split_between_graphemes() {
        assert_eq!(
            wrapped("see https://example.org/a/b ok", 10),
            ["see", "https://ex", "ample.org/", "a/b ok"]
        );
        assert_eq!(wrapped("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5), ["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]);
        assert_eq!(wrapped("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(wrapped("日本", 1), ["日", "本"]);
    }

    #[test]
    fn east_asian_text_breaks_anywhere_but_at_its_punctuation() {
        let check = |text: &str, columns, expected: &[&str]| assert_eq!(wrapped(text, columns), expected);
        check("日本語の文章", 6, &["日本語", "の文章"]);
        check("日本語。次の", 6, &["日本", "語。次", "の"]);
        check("他说「你好」了", 6, &["他说", "「你", "好」了"]);
        check("使用cargo构建", 8, &["使用", "cargo构", "建"]);
        check("漢字ー々", 4, &["漢", "字ー", "々"]);
    }

    #[test]
    fn prefixes_hang_and_give_way_where_there_is_no_room() {
        let prefix = Prefix { first: vec![Span::raw("- ")], rest: vec![Span::raw("  ")] };
        let lines = |columns| -> Vec<String> {
            wrap(&Line::raw("aa bb cc dd"), columns, &prefix).iter().map(Line::to_string).collect()
        };
        assert_eq!(lines(8), ["- aa bb", "  cc dd"]);
        assert_eq!(lines(5), ["aa bb", "cc dd"]);
    }

    #[test]
    fn styles_survive_the_break() {
        let bold = Style::new().bold();
        let line = Line::from(vec![Span::raw("a "), Span::styled("bold bit", bold), Span::raw(" z")]);
        let lines = wrap(&line, 6, &Prefix::default());
        assert_eq!(lines[0].spans, [Span::raw("a "), Span::styled("bold", bold)]);
        assert_eq!(lines[1].spans, [Span::styled("bit", bold), Span::raw(" z")]);
    }

    #[test]
    fn a_line_is_cut_to_fit_with_an_ellipsis() {
        let check = |text: &str, columns, expected: &str| {
            assert_eq!(fit(&Line::raw(text), columns).to_string(), expected);
        };
        check("short", 5, "short");
        check("longer", 5, "long…");
        check("日本語", 5, "日本…");
        check("日本語", 4, "日…");
        check("any", 0, "");
        check("any", 1, "…");
        check("a\tb", 20, "a       b");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_asked_and_no_ink_is_lost(text in "[a-z 日本語。「」👍é\t]{0,80}", columns in 2usize..30) {
            let lines = wrapped(&text, columns);
            for line in &lines {
                prop_assert!(width(line) <= columns);
                prop_assert!(!line.ends_with(' '));
            }
            let ink = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(ink(&lines.concat()), ink(&text));
            prop_assert!(width(&fit(&Line::raw(text.as_str()), columns).to_string()) <= columns);
        }
    }
}
