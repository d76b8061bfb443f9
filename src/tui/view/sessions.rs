//! The list of sessions in the place of the input, with the last words of the chosen one below it.

use ratatui::text::Line;

use super::brush::{Brush, INDENT, Pane, one_line};
use super::composer::{self, ComposerStyles};
use super::theme::Role;
use super::wrap::fit;
use crate::tui::model::sessions::Sessions;

/// Rows of the last words.
const PREVIEW: usize = 6;
/// Rows of a list that is worth looking through: title, filter, three sessions, keys.
const LEAST: usize = 6;

/// The open list in at most `room` rows.
pub(super) fn pane(open: &Sessions, room: usize, styles: &ComposerStyles, brush: Brush) -> Pane {
    let beside = room.saturating_sub(LEAST).min(PREVIEW + 1);
    let (mut lines, cursor) =
        composer::render_picker(&open.picker, brush.columns, room.saturating_sub(beside), styles);
    if open.is_held() {
        let told = ["open in another clawd · Enter forks it", "in use · Enter forks it"];
        let told = told.map(|told| brush.line(format!("{INDENT}{told}"), Role::Warn));
        let [whole, short] = told;
        // in the place of what the keys do otherwise
        lines.pop();
        lines.push(if whole.width() <= brush.columns { whole } else { fit(&short, brush.columns) });
    }
    let words = open.preview();
    if beside > 1 && !words.is_empty() {
        lines.push(Line::default());
        let newest = words.iter().skip(words.len().saturating_sub(beside - 1));
        lines.extend(
            newest.map(|line| {
                fit(&brush.line(format!("{INDENT}{}", one_line(line)), Role::Dim), brush.columns)
            }),
        );
    }
    Pane { lines, cursor: Some(cursor) }
}

#[cfg(test)]
mod tests {
    use super::super::styles;
    use super::super::testing::{self, BRUSH, text_with_cursor};
    use super::*;
    use crate::app::Pick;

    fn listing() -> Sessions {
        let pick = |id: &str, title: &str, about: &str| Pick {
            id: id.to_owned(),
            title: title.to_owned(),
            about: about.to_owned(),
        };
        let mut open = Sessions::awaiting();
        open.fill(vec![
            pick("a", "what is the tax?", "3 h ago · 12 messages"),
            pick("b", "the cart", "2 days ago · 4 messages"),
        ]);
        let lines = ["❯ and in France?", "  It is 20 % there,", "  and 5.5 % on food\x1b[2J."];
        open.read("a".to_owned(), lines.map(str::to_owned).to_vec());
        open
    }

    #[track_caller]
    fn check(open: &Sessions, (columns, room): (usize, usize), expected: &str) {
        let brush = Brush { columns, ..BRUSH };
        let pane = pane(open, room, &styles(brush), brush);
        assert!(pane.lines.len() <= room, "{} rows", pane.lines.len());
        testing::check(&text_with_cursor(&pane.lines, pane.cursor), expected);
    }

    #[test]
    fn the_last_words_of_the_chosen_one_stand_below_the_list() {
        let wide = "Resume
  |type to filter
❯ what is the tax?  3 h ago · 12 messages
  the cart          2 days ago · 4 messages
  Enter to select · Esc to cancel · 2 in all

  ❯ and in France?
    It is 20 % there,
    and 5.5 % on food.";
        check(&listing(), (120, 39), wide);
        check(&listing(), (80, 23), wide);
        check(
            &listing(),
            (40, 8),
            "Resume
  |type to filter
❯ what is the tax?  3 h ago · 12 messag…
  the cart          2 days ago · 4 mess…
  Enter to select · Esc to cancel · 2 i…

    and 5.5 % on food.",
        );
    }

    #[test]
    fn on_a_small_screen_there_is_the_list_alone_and_what_is_held_says_so() {
        let mut open = listing();
        open.hold("a".to_owned());
        check(
            &open,
            (80, 6),
            "Resume
  |type to filter
❯ what is the tax?  3 h ago · 12 messages
  the cart          2 days ago · 4 messages
  open in another clawd · Enter forks it",
        );
        check(
            &Sessions::awaiting(),
            (80, 12),
            "Resume
  |type to filter
  loading the sessions of this directory
  Esc to cancel",
        );
    }
}
