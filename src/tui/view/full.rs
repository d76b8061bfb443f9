//! The whole screen where the program scrolls itself (`--fullscreen`): the transcript above, the live region pinned below it.
//!
//! The same cells, folded in the same way, and the same region as on the inline screen; only what arrives stands with the cells, for
//! there it scrolls. The row between both is always there: empty while the end is followed, and else it says so, so that
//! nothing moves as it begins to speak.

use std::cell::OnceCell;
use std::ops::Range;

use ratatui::text::Line;

use super::brush::{Brush, Fact, INDENT, Look};
use super::preview::Kept;
use super::reel::Reel;
use super::sheet::broken;
use super::theme::Role;
use super::{arriving, bound, region};
use crate::tui::model::Model;
use crate::tui::model::moment::Moment;
use crate::tui::model::scroll::{Extent, News, Scroll, Top};
use crate::tui::screen::Spot;

/// A whole screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Full {
    /// As many rows as the screen has.
    pub rows: Vec<Line<'static>>,
    /// Where the cursor stands, if something is typed.
    pub cursor: Option<Spot>,
}

/// Draws the model on a reel that keeps what was made; settles where one reads.
pub fn draw(
    (reel, kept): (&mut Reel, &mut Kept),
    scroll: &mut Scroll,
    model: &Model,
    (look, now): (Look, Moment),
) -> Full {
    let brush = look.brush(usize::from(model.size.columns));
    let height = usize::from(model.size.rows);
    let (mut pinned, cursor) = region(model, (now, bound(model)), (Vec::new(), None), kept, brush);
    let hidden = pinned.len().saturating_sub(height);
    pinned.drain(..hidden);
    let between = usize::from(height > pinned.len() + 1);
    let body = height - pinned.len() - between;
    let mut rows = transcript(reel, scroll, (model, now), body, brush);
    rows.resize(body, Line::default());
    if between > 0 {
        rows.push(place(scroll, model, brush));
    }
    let above = rows.len();
    rows.extend(pinned);
    let cursor = cursor.and_then(|spot| {
        let row = (usize::from(spot.row) + above).checked_sub(hidden)?;
        Some(Spot { row: u16::try_from(row).ok()?, ..spot })
    });
    Full { rows, cursor }
}

/// The rows of the transcript that are seen, at most `body`.
fn transcript(
    reel: &mut Reel,
    scroll: &mut Scroll,
    (model, now): (&Model, Moment),
    body: usize,
    brush: Brush,
) -> Vec<Line<'static>> {
    let cells = model.transcript.cells();
    reel.load(brush);
    // of what arrives only the end is needed where that is followed; else its rows are counted from its beginning
    let most = if scroll.leaves_the_end() { usize::MAX } else { body };
    let end = OnceCell::new();
    let end = || end.get_or_init(|| going_on(model, now, most, brush));
    let mut height =
        |index: usize| if index < cells.len() { reel.rows(cells, index).len() } else { end().len() };
    let extent = Extent { cells: cells.len() + 1, body, size: model.size };
    let Top { cell, row, .. } = scroll.settle(extent, &mut height);
    let mut rows: Vec<Line<'static>> = Vec::with_capacity(body);
    let mut seen: Range<usize> = cell..cell;
    let mut skipped = row;
    while rows.len() < body && seen.end < cells.len() {
        let of_cell = reel.rows(cells, seen.end).iter().skip(skipped);
        rows.extend(of_cell.take(body - rows.len()).cloned());
        (skipped, seen.end) = (0, seen.end + 1);
    }
    if rows.len() < body {
        let missing = body - rows.len();
        rows.extend(end().iter().skip(skipped).take(missing).cloned());
    }
    reel.keep_near(&seen);
    rows
}

/// What is no cell yet.
fn going_on(model: &Model, now: Moment, most: usize, brush: Brush) -> Vec<Line<'static>> {
    let lines = arriving(model, now, most, brush).into_iter().flat_map(|part| part.lines);
    broken(&lines.collect::<Vec<_>>(), brush)
}

/// Whether the end is followed, in a row.
fn place(scroll: &Scroll, model: &Model, brush: Brush) -> Line<'static> {
    if !scroll.is_paused() {
        return Line::default();
    }
    let key = if model.scrolls_by_end() { "End: jump to bottom" } else { "PgDn: scroll down" };
    let (words, role) = match scroll.news() {
        News::Below => ("new output below", Role::Warn),
        News::None => ("scrolled up", Role::Dim),
    };
    let words = Fact::new(brush.span(format!("{INDENT}{words}"), role));
    super::wrap::fit(&brush.facts(vec![words, Fact::new(brush.span(key, Role::Dim)).rank(1)]), brush.columns)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, check, numbered, text_with_cursor};
    use super::super::theme::Theme;
    use super::*;
    use crate::protocol::ToolKind;
    use crate::protocol::{CallId, Display, Tail, ToolStatus};
    use crate::tui::model::Stage;
    use crate::tui::model::call::{Label, RunningCall};
    use crate::tui::model::run::RunView;
    use crate::tui::model::transcript::Cell;

    /// A session as the painter draws it, frame by frame.
    struct Screen {
        model: Model,
        reel: Reel,
        scroll: Scroll,
    }

    impl Screen {
        fn new((columns, rows): (u16, u16), messages: usize) -> Self {
            let mut model = testing::model(columns, rows);
            model.transcript.push(Cell::Head(Box::new(testing::facts())));
            for n in 1..=messages {
                model.transcript.push(Cell::User(format!("message {n}")));
            }
            Self { model, reel: Reel::default(), scroll: Scroll::default() }
        }

        fn draw(&mut self) -> Full {
            draw(
                (&mut self.reel, &mut Kept::default()),
                &mut self.scroll,
                &self.model,
                (Theme::Colour.into(), Moment(2_000)),
            )
        }

        fn text(&mut self) -> String {
            let full = self.draw();
            assert_eq!(full.rows.len(), usize::from(self.model.size.rows), "a row for every row");
            let cursor = full.cursor.map(|spot| (usize::from(spot.row), usize::from(spot.col)));
            text_with_cursor(&full.rows, cursor)
        }

        fn push(&mut self, text: &str) {
            self.model.transcript.push(Cell::User(text.to_owned()));
            self.scroll.arrived();
        }

        /// The rows above those that are pinned.
        fn body(&mut self) -> Vec<String> {
            self.text().lines().take(usize::from(self.model.size.rows) - 2).map(str::to_owned).collect()
        }

        fn run(&mut self, delta: &str) {
            let run = self.model.run.get_or_insert_with(|| RunView::begin(Moment(0)));
            for block in run.answer.push(delta) {
                self.model.transcript.push(Cell::Answer(block));
            }
            self.model.stage = Stage::Running;
            self.scroll.arrived();
        }
    }

    #[test]
    fn a_short_session_begins_at_the_top_and_the_input_stands_at_the_bottom() {
        let mut screen = Screen::new((80, 12), 2);
        check(
            &screen.text(),
            "clawd 0.1.0 · qwen3-coder at 127.0.0.1:11434 · ~/src/shop (main)
AGENTS.md · ? for keys, / for commands

❯ message 1

❯ message 2




❯ |
  qwen3-coder · default · 128k context",
        );
    }

    #[test]
    fn the_end_is_shown_and_followed_at_every_size() {
        for (size, expected) in [
            (
                (120, 40),
                "❯ message 82

❯ message 99

❯ message 100

❯ |
  qwen3-coder · default · 128k context",
            ),
            (
                (80, 24),
                "❯ message 90

❯ message 99

❯ message 100

❯ |
  qwen3-coder · default · 128k context",
            ),
            (
                (40, 12),
                "❯ message 96

❯ message 99

❯ message 100

❯ |
  qwen3-coder · default · 128k context",
            ),
        ] {
            let shown = Screen::new(size, 100).text();
            let rows: Vec<&str> = shown.lines().collect();
            let first = rows.iter().find(|row| !row.is_empty()).unwrap();
            let last = rows.get(rows.len() - 6..).unwrap();
            check(&format!("{first}\n\n{}", last.join("\n")), expected);
        }
    }

    #[test]
    fn whoever_reads_further_up_is_told_what_comes_and_is_not_moved() {
        for (size, quiet, told) in [
            ((120, 40), "  scrolled up · End: jump to bottom", "  new output below · End: jump to bottom"),
            ((80, 24), "  scrolled up · End: jump to bottom", "  new output below · End: jump to bottom"),
            ((40, 12), "  scrolled up · End: jump to bottom", "  new output below · End: jump to bottom"),
            ((20, 12), "  scrolled up", "  new output below"),
        ] {
            let mut screen = Screen::new(size, 100);
            screen.draw();
            screen.scroll.pages(-1);
            let before = screen.body();
            assert_eq!(before.last().unwrap(), quiet, "{before:#?}");
            screen.push("one more");
            let after = screen.body();
            assert_eq!(after.last().unwrap(), told, "{after:#?}");
            let body = before.len() - 1;
            assert_eq!(before.get(..body), after.get(..body));
            // two rows less: what is waited for stands there
            screen.run(&"Some words of an answer. ".repeat(30));
            screen.run("\n\nAnd another");
            let rows = screen.text();
            assert_eq!(rows.lines().take(body - 4).collect::<Vec<_>>(), before.get(..body - 4).unwrap());
            screen.scroll.follow();
            assert!(screen.text().contains("And another") && !screen.text().contains(told.trim()));
        }
    }

    #[test]
    fn with_words_in_the_input_the_way_to_the_end_is_another_key() {
        let mut screen = Screen::new((80, 24), 100);
        screen.draw();
        screen.scroll.pages(-1);
        screen.model.composer.type_in('x');
        assert!(screen.text().contains("scrolled up · PgDn: scroll down"));
    }

    #[test]
    fn a_run_stands_above_the_input_with_what_it_waits_for_below_the_transcript() {
        let mut screen = Screen::new((80, 24), 0);
        screen.push("test it");
        screen.run("I run the tests.\n\nThey");
        let run = screen.model.run.as_mut().unwrap();
        run.turns = 1;
        run.calls.push(RunningCall {
            id: CallId::from("1"),
            label: Label { verb: "run".to_owned(), object: "cargo test".to_owned() },
            since: Moment(0),
            tail: Tail { lines: vec!["test one ... ok".to_owned()], ..Tail::default() },
            kind: ToolKind::Act,
        });
        check(
            &screen.text(),
            "clawd 0.1.0 · qwen3-coder at 127.0.0.1:11434 · ~/src/shop (main)
AGENTS.md · ? for keys, / for commands

❯ test it

I run the tests.

They

○ run  cargo test  2 s
test one ... ok










⠦ connecting to 127.0.0.1:11434 2 s · 1 turn · esc to interrupt
❯ |
  qwen3-coder · default · 128k context",
        );
    }

    #[test]
    fn what_arrives_stays_where_it_is_read_as_it_becomes_final() {
        let mut screen = Screen::new((40, 12), 1);
        for n in 0..10 {
            screen.run(&format!("A line {n} of one long paragraph.\n"));
        }
        screen.draw();
        screen.scroll.rows(-3);
        let before = screen.body();
        assert!(before.first().unwrap().starts_with("A line"), "{before:#?}");
        screen.run("\nThe next one.");
        assert_eq!(screen.model.transcript.cells().len(), 3, "the paragraph is a cell now");
        let after = screen.body();
        let body = before.iter().position(|row| row.starts_with("  scrolled up")).unwrap();
        assert_eq!(before.get(..body), after.get(..body));
    }

    #[test]
    fn only_what_is_near_is_kept_and_made_of_ten_thousand_messages() {
        let mut screen = Screen::new((80, 24), 10_000);
        screen.draw();
        assert!(screen.reel.kept() < 100, "{}", screen.reel.kept());
        screen.scroll.to_beginning();
        assert!(screen.text().starts_with("clawd"));
        assert!(screen.reel.kept() < 200, "{}", screen.reel.kept());
        for _ in 0..1_000 {
            screen.scroll.pages(1);
            screen.draw();
        }
        assert!(screen.text().contains("message 9000") || !screen.scroll.is_paused());
        assert!(screen.reel.kept() <= super::super::reel::KEPT, "{}", screen.reel.kept());
    }

    #[test]
    fn every_size_is_filled_and_no_row_is_too_wide() {
        let output = Display::Output { text: numbered(30), ended: None };
        let call = testing::call("run", "seq 30", ToolStatus::Success, output);
        for size in [(1, 1), (1, 2), (2, 1), (3, 3), (10, 4), (20, 5), (40, 12), (500, 200), (0, 0)] {
            for up in [0, -1, -20, isize::MIN] {
                let mut screen = Screen::new(size, 30);
                screen.model.transcript.push(Cell::Call(Box::new(call.clone())));
                screen.run("日本語の文章 and more words than fit");
                screen.draw();
                screen.scroll.rows(up);
                let full = screen.draw();
                assert_eq!(full.rows.len(), usize::from(size.1), "{size:?}");
                let widest = full.rows.iter().map(Line::width).max().unwrap_or_default();
                assert!(widest <= usize::from(size.0).max(2), "{size:?}: {widest}");
                assert!(full.cursor.is_none_or(|spot| spot.row < size.1), "{size:?}");
            }
        }
    }
}
