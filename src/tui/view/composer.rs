//! The input line, its popup and a picker as lines of text and a place for the cursor.
//!
//! It decides what is seen, never what is: rows come from the model's own layout, so the cursor that Up and Down move is
//! the cursor that is drawn. Where on the screen the lines go is up to the caller.
//!
//! Nothing is scrolled by hand: of an input with more rows than there is room for, those around the cursor are shown. The
//! first line always begins with `❯`, also when it is not the first row of the text.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::units;
use crate::tui::model::choice::{Choice, WINDOW};
use crate::tui::model::complete::Completion;
use crate::tui::model::composer::Composer;
use crate::tui::model::draft::Draft;
use crate::tui::model::history::Search;
use crate::tui::model::layout::{CellKind, INDENT, Layout, clip, columns, printable, text_width};
use crate::tui::model::picker::Picker;

/// Row and column of the cursor within the lines that came with it.
pub type Cursor = (usize, usize);

/// The styles that are used here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComposerStyles {
    /// The sign `❯`, the sign of a mode, what is chosen.
    pub accent: Style,
    /// What is secondary: placeholders, details, hints.
    pub dim: Style,
    /// What is written.
    pub plain: Style,
}

/// Before the chosen item, and before the input.
const SIGN: &str = "❯ ";
/// Before everything else.
const BLANK: &str = "  ";
/// Between a name and its detail.
const GAP: usize = 2;

/// The input in `width` columns and at most `max_rows` rows (at least one; while a search goes on, two).
#[must_use]
pub fn render(
    composer: &Composer,
    width: usize,
    max_rows: usize,
    styles: &ComposerStyles,
) -> (Vec<Line<'static>>, Cursor) {
    let draft = composer.draft();
    let layout = Layout::new(draft, text_width(width));
    let Some(search) = composer.searching() else {
        let (row, column) = layout.locate(draft, composer.cursor());
        let room = max_rows.max(1);
        let top = row.saturating_sub(room / 2).min(layout.rows().len().saturating_sub(room));
        return (rows(draft, &layout, (top, room), styles), (row - top, INDENT + column));
    };
    let mut lines = rows(draft, &layout, (0, max_rows.saturating_sub(1).max(1)), styles);
    let (line, column) = search_line(search, width, styles);
    lines.push(line);
    let row = lines.len() - 1;
    (lines, (row, column))
}

/// The popup over or under the input, in at most `max_rows` rows.
#[must_use]
pub fn render_completion(
    completion: &Completion,
    width: usize,
    max_rows: usize,
    styles: &ComposerStyles,
) -> Vec<Line<'static>> {
    let choice = completion.choice();
    let fits = choice.matching() <= max_rows.min(WINDOW);
    let room = if fits { choice.matching() } else { max_rows.saturating_sub(1).min(WINDOW) };
    let mut lines = items(choice, Some(completion.sign()), (width, room), styles);
    if !fits {
        lines.push(Line::styled(clip(&format!("{BLANK}{}", found(completion)), width), styles.dim));
    }
    lines
}

/// A picker: title, filter, items, what the keys do; in at most `max_rows` rows, of which three are not items.
#[must_use]
pub fn render_picker(
    picker: &Picker,
    width: usize,
    max_rows: usize,
    styles: &ComposerStyles,
) -> (Vec<Line<'static>>, Cursor) {
    let choice = picker.choice();
    let room = max_rows.saturating_sub(3).clamp(1, WINDOW);
    let (filter, column) = filter_line(picker, width, styles);
    let mut lines = vec![Line::styled(clip(&printable(picker.title()), width), styles.plain), filter];
    if let Some(awaited) = picker.awaited() {
        lines.push(Line::styled(clip(&format!("{BLANK}{}", printable(awaited)), width), styles.plain));
        lines.push(Line::styled(clip("  Esc to cancel", width), styles.dim));
        return (lines, (1, column));
    }
    if choice.total() == 0 {
        lines.push(Line::styled(clip("  no entries", width), styles.dim));
        lines.push(Line::styled(clip("  Esc to close", width), styles.dim));
        return (lines, (1, column));
    }
    if choice.matching() == 0 {
        lines.push(Line::styled(clip("  no matches", width), styles.dim));
    }
    lines.extend(items(choice, None, (width, room), styles));
    let hint = format!("{BLANK}Enter to select · Esc to cancel · {}", count(choice));
    lines.push(Line::styled(clip(&hint, width), styles.dim));
    (lines, (1, column))
}

/// `room` rows of the input from the row `top` on.
fn rows(
    draft: &Draft,
    layout: &Layout,
    (top, room): (usize, usize),
    styles: &ComposerStyles,
) -> Vec<Line<'static>> {
    let line = |row| {
        let lead = if row == top { Span::styled(SIGN, styles.accent) } else { Span::raw(BLANK) };
        let mut line = Line::from(lead);
        line.extend(spans(draft, layout, row, styles));
        line
    };
    (top..(top + room).min(layout.rows().len())).map(line).collect()
}

/// The cells of a row, those of one style together.
fn spans(draft: &Draft, layout: &Layout, row: usize, styles: &ComposerStyles) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for cell in layout.cells(draft, row) {
        let style = match cell.kind {
            CellKind::Sign => styles.accent,
            CellKind::Fold => styles.dim,
            CellKind::Narrow | CellKind::Wide | CellKind::Space | CellKind::Newline => styles.plain,
        };
        match spans.last_mut() {
            Some(span) if span.style == style => span.content.to_mut().push_str(&cell.shown),
            Some(_) | None => spans.push(Span::styled(cell.shown.into_owned(), style)),
        }
    }
    spans
}

fn search_line(search: &Search, width: usize, styles: &ComposerStyles) -> (Line<'static>, usize) {
    let label = "search: ";
    let lead = INDENT + columns(label);
    let query = tail(&printable(search.query()), width.saturating_sub(lead + 1));
    let column = lead + columns(&query);
    let miss = "  no older match";
    let told = search.missed() && column + columns(miss) < width;
    let miss = if told { miss } else { "" };
    let label = Span::styled(format!("{BLANK}{label}"), styles.dim);
    (Line::from(vec![label, Span::styled(query, styles.plain), Span::styled(miss, styles.dim)]), column)
}

fn filter_line(picker: &Picker, width: usize, styles: &ComposerStyles) -> (Line<'static>, usize) {
    let room = width.saturating_sub(INDENT + 1);
    let (draft, cursor) = (picker.filter().draft(), picker.filter().cursor());
    if draft.is_empty() {
        return (Line::styled(clip("  type to filter", width), styles.dim), INDENT);
    }
    let before = tail(&printable(draft.slice(0..cursor)), room);
    let column = INDENT + columns(&before);
    let after = clip(&printable(draft.slice(cursor..draft.len())), width.saturating_sub(column));
    (Line::from(vec![Span::raw(BLANK), Span::styled(before + &after, styles.plain)]), column)
}

/// The window of a list: name in one column, detail in another, the chosen one with its sign.
fn items(
    choice: &Choice,
    sign: Option<char>,
    (width, room): (usize, usize),
    styles: &ComposerStyles,
) -> Vec<Line<'static>> {
    let name = |label: &str| sign.into_iter().collect::<String>() + &printable(label);
    let named: Vec<(String, String)> =
        choice.window(room).map(|item| (name(&item.label), printable(&item.detail))).collect();
    let widest = named.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    let column = widest.min(beside(&named, width)).min(width.saturating_sub(INDENT));
    let chosen = choice.chosen_row(room);
    let line = |(row, (name, detail)): (usize, (String, String))| {
        let (lead, style) = if row == chosen { (SIGN, styles.accent) } else { (BLANK, styles.plain) };
        let shown = if sign == Some('@') { clip_front(&name, column) } else { clip(&name, column) };
        let mut line = Line::from(Span::styled(format!("{lead}{shown}"), style));
        // a detail of a few columns says nothing
        let left = width.saturating_sub(INDENT + column + GAP);
        if left >= 8 && !detail.is_empty() {
            let pad = GAP + column.saturating_sub(columns(&shown));
            line.push_span(Span::styled(format!("{:pad$}{}", "", clip(&detail, left)), styles.dim));
        }
        line
    };
    named.into_iter().enumerate().map(line).collect()
}

/// The columns for names beside details that are all shown whole, as long as that leaves half of them.
fn beside(named: &[(String, String)], width: usize) -> usize {
    let Some(details) = named.iter().map(|(_, detail)| columns(detail)).max().filter(|most| *most > 0) else {
        return usize::MAX;
    };
    let left = width.saturating_sub(INDENT + GAP + details);
    if left >= width / 2 { left } else { usize::MAX }
}

/// How many there are to complete to: of paths, only the best are in the list.
fn found(completion: &Completion) -> String {
    if completion.total() > completion.choice().total() {
        return format!("{} match", units::count(completion.total() as u64));
    }
    count(completion.choice())
}

/// A path without its beginning where it is too long: its end says more.
fn clip_front(path: &str, width: usize) -> String {
    if columns(path) <= width {
        path.to_owned()
    } else {
        format!("…{}", tail(path, width.saturating_sub(1)))
    }
}

fn count(choice: &Choice) -> String {
    if choice.matching() == choice.total() {
        format!("{} in all", choice.total())
    } else {
        format!("{} of {}", choice.matching(), choice.total())
    }
}

/// The end of a printable `text` in at most `width` columns.
fn tail(text: &str, width: usize) -> String {
    let mut rest = text.chars();
    while columns(rest.as_str()) > width {
        rest.next();
    }
    rest.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;

    use super::*;
    use crate::text::fuzzy::Best;
    use crate::tui::model::buffer::{Edit, Motion};
    use crate::tui::model::choice::{Go, Item};
    use crate::tui::model::picker::Press;

    const STYLES: ComposerStyles = ComposerStyles {
        accent: Style::new().add_modifier(Modifier::BOLD),
        dim: Style::new().add_modifier(Modifier::DIM),
        plain: Style::new(),
    };

    /// The lines, with `|` at the cursor.
    fn picture(lines: &[Line<'static>], cursor: Option<Cursor>) -> String {
        let mut rows: Vec<String> = lines.iter().map(ToString::to_string).collect();
        if let Some((row, column)) = cursor {
            let text = &rows[row];
            let at = (0..=text.len())
                .find(|at| text.get(..*at).is_some_and(|text| columns(text) == column))
                .unwrap_or_else(|| panic!("no column {column} in {text:?}"));
            rows[row].insert(at, '|');
        }
        rows.join("\n")
    }

    #[track_caller]
    fn check(composer: &Composer, (width, rows): (usize, usize), expected: &str) {
        let (lines, cursor) = render(composer, width, rows, &STYLES);
        assert!(lines.iter().all(|line| line.width() < width), "a row as wide as the screen: {lines:?}");
        assert_eq!(picture(&lines, Some(cursor)), expected);
    }

    fn composer(text: &str) -> Composer {
        let commands = [
            ("help", "show keys and commands"),
            ("compact", "summarise the conversation so far and go on with that"),
            ("context", "what the model is told"),
        ];
        let mut composer = Composer::new(commands.map(|(name, detail)| Item::new(name, detail)).to_vec());
        for c in text.chars() {
            if c == '\n' { composer.new_line() } else { composer.type_in(c) }
        }
        composer
    }

    const SENTENCE: &str = "the total is wrong when the cart is empty, and the receipt says 日本円 twice, with and without a comma";

    #[test]
    fn an_empty_input_is_the_sign() {
        check(&composer(""), (80, 6), "❯ |");
        check(&composer(""), (40, 6), "❯ |");
    }

    #[test]
    fn a_long_line_is_wrapped_at_the_width_of_the_screen() {
        check(
            &composer(SENTENCE),
            (80, 6),
            "❯ the total is wrong when the cart is empty, and the receipt says 日本円 \n  twice, with and without a comma|",
        );
        check(
            &composer(SENTENCE),
            (40, 6),
            "❯ the total is wrong when the cart is \n  empty, and the receipt says 日本円 \n  twice, with and without a comma|",
        );
    }

    #[test]
    fn lines_are_indented_and_the_cursor_stands_by_columns() {
        let mut composer = composer("one\n日本語\n\tx\u{1b}");
        check(&composer, (80, 6), "❯ one\n  日本語\n      x\u{fffd}|");
        composer.up(80);
        composer.edit(Edit::Move(Motion::Left));
        check(&composer, (80, 6), "❯ one\n  日本|語\n      x\u{fffd}");
    }

    #[test]
    fn of_many_rows_those_around_the_cursor_are_shown() {
        let mut composer = composer("1\n2\n3\n4\n5\n6\n7\n8");
        check(&composer, (80, 4), "❯ 5\n  6\n  7\n  8|");
        for _ in 0..3 {
            composer.up(80);
        }
        check(&composer, (80, 4), "❯ 3\n  4\n  5|\n  6");
        for _ in 0..4 {
            composer.up(80);
        }
        check(&composer, (80, 4), "❯ 1|\n  2\n  3\n  4");
        check(&composer, (80, 0), "❯ 1|");
    }

    #[test]
    fn a_large_paste_is_one_dim_word_and_a_sign_has_the_accent() {
        let mut composer = composer("!see ");
        composer.paste(&"a line\n".repeat(100));
        composer.type_in('!');
        check(&composer, (80, 6), "❯ !see [Pasted 100 lines]!|");
        let (lines, _) = render(&composer, 80, 6, &STYLES);
        let spans: Vec<(&str, Style)> = lines[0].iter().map(|span| (&*span.content, span.style)).collect();
        let expected = [
            (SIGN, STYLES.accent),
            ("!", STYLES.accent),
            ("see ", STYLES.plain),
            ("[Pasted 100 lines]", STYLES.dim),
            ("!", STYLES.plain),
        ];
        assert_eq!(spans, expected);
        check(&composer, (20, 6), "❯ !see \n  [Pasted 100 lin…\n  !|");
    }

    #[test]
    fn the_cursor_stays_on_the_screen_at_every_width() {
        let mut composer = composer(SENTENCE);
        composer.paste(&"a line\n".repeat(100));
        for _ in 0..=SENTENCE.chars().count() {
            for width in 5..60 {
                let (lines, (row, column)) = render(&composer, width, 6, &STYLES);
                assert!(row < lines.len() && column < width && lines.len() <= 6, "{width}: {row}, {column}");
                assert!(lines.iter().all(|line| line.width() < width));
            }
            composer.edit(Edit::Move(Motion::Left));
        }
        for width in 0..5 {
            assert_eq!(render(&composer, width, 0, &STYLES).1.0, 0, "no room at all is no fault");
        }
    }

    #[test]
    fn a_search_stands_under_its_match() {
        let mut composer = composer("draft");
        composer.load_history(["cargo test", "git log"].map(Draft::plain));
        composer.search();
        check(&composer, (80, 6), "❯ draft\n  search: |");
        "cargo".chars().for_each(|c| composer.type_in(c));
        check(&composer, (80, 6), "❯ cargo test\n  search: cargo|");
        composer.search();
        check(&composer, (40, 6), "❯ cargo test\n  search: cargo|  no older match");
        check(&composer, (14, 6), "❯ cargo test\n  search: rgo|");
    }

    #[test]
    fn the_popup_names_what_can_be_completed() {
        let picture = |text: &str, width: usize, rows: usize| {
            picture(&render_completion(composer(text).completion().unwrap(), width, rows, &STYLES), None)
        };
        assert_eq!(
            picture("/", 80, 10),
            "❯ /help     show keys and commands\n  /compact  summarise the conversation so far and go on with that\n  /context  what the model is told"
        );
        assert_eq!(
            picture("/c", 40, 10),
            "❯ /compact  summarise the conversation …\n  /context  what the model is told"
        );
        assert_eq!(picture("/c", 16, 10), "❯ /compact\n  /context");
        assert_eq!(picture("/", 40, 2), "❯ /help  show keys and commands\n  3 in all");
    }

    #[test]
    fn a_path_that_is_too_long_keeps_its_end() {
        let mut composer = composer("see @in");
        let paths =
            ["src/update/input.rs", "docs/in the very beginning/read me.md"].map(str::to_owned).to_vec();
        composer.take_wish();
        composer.offer_paths("in", Best { paths, total: 1_234 });
        let shown = |width, rows| {
            picture(&render_completion(composer.completion().unwrap(), width, rows, &STYLES), None)
        };
        assert_eq!(shown(80, 10), "❯ @src/update/input.rs\n  @docs/in the very beginning/read me.md");
        assert_eq!(shown(20, 10), "❯ …c/update/input.rs\n  …inning/read me.md");
        assert_eq!(shown(40, 1), "  1,234 match");
    }

    #[test]
    fn a_picker_has_title_filter_ten_items_and_a_hint() {
        let items = (0..12).map(|n| Item::new(format!("model-{n}"), "128k")).collect();
        let mut picker = Picker::new("Which model?", items);
        let shown = |picker: &Picker, width: usize, rows: usize| {
            let (lines, cursor) = render_picker(picker, width, rows, &STYLES);
            picture(&lines, Some(cursor))
        };
        assert_eq!(shown(&picker, 80, 24).lines().count(), 13);
        picker.press(Press::Go(Go::Down));
        assert_eq!(
            shown(&picker, 80, 6),
            "Which model?\n  |type to filter\n  model-0  128k\n❯ model-1  128k\n  model-2  128k\n  Enter to select · Esc to cancel · 12 in all"
        );
        picker.press(Press::Type('1'));
        picker.press(Press::Type('1'));
        picker.press(Press::Edit(Edit::Move(Motion::Left)));
        assert_eq!(
            shown(&picker, 40, 12),
            "Which model?\n  1|1\n❯ model-11  128k\n  Enter to select · Esc to cancel · 1 o…"
        );
        picker.press(Press::Type('x'));
        assert_eq!(shown(&picker, 24, 12), "Which model?\n  1x|1\n  no matches\n  Enter to select · Esc…");
    }

    #[test]
    fn names_from_outside_cannot_act_on_the_terminal() {
        let awaiting = Picker::awaiting("Model", "asking 127.0.0.1:1234 for its models");
        let (lines, cursor) = render_picker(&awaiting, 40, 12, &STYLES);
        assert_eq!(
            picture(&lines, Some(cursor)),
            "Model\n  |type to filter\n  asking 127.0.0.1:1234 for its models\n  Esc to cancel"
        );
        let picker = Picker::new("\u{1b}]0;x\u{7}", vec![Item::new("a\u{1b}[2Jb", "\u{202e}c\nd")]);
        let (lines, _) = render_picker(&picker, 80, 12, &STYLES);
        assert!(lines.iter().all(|line| !line.to_string().contains(char::is_control)), "{lines:?}");
    }
}
