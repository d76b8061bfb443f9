//! A question of the model in the place of the input.
//!
//! The words are foreign: nothing in them acts on the terminal, and a question that asks for more room than there is says how
//! much of it is missing. The answers are the last to go.

use ratatui::text::{Line, Span};

use super::brush::{Brush, Echo, INDENT, Pane, SIGN, one_line, typed};
use super::question::Sheet;
use super::theme::Role;
use super::wrap::width;
use crate::text::sanitize::sanitize;
use crate::tui::model::answering::Answering;

/// Rows of a question that stands as a title; a longer one has a title of its own.
const TITLE: usize = 3;
const HINT: &str = "Enter takes it · Esc leaves it unanswered";
const PLACEHOLDER: &str = "another answer, in your own words";
const PLACEHOLDER_ALONE: &str = "your answer";

/// A question of the model in at most `room` rows.
pub(super) fn pane(answering: &Answering, room: usize, brush: Brush) -> Pane {
    let (title, body) = question(answering, brush);
    let (words, column) = words(answering, brush);
    let mut rows = options(answering, brush);
    rows.push(words);
    // the keys are told where nothing of the question goes for it: a title, and a blank line each
    let note = brush.prose(HINT, Role::Dim);
    let taken = body.len() + rows.len() + note.len() + 3;
    let note = if taken <= room { note } else { Vec::new() };
    let sheet =
        Sheet { title, body, least: 1, hint: " (Ctrl+O shows all)", note, rows, focus: answering.focus };
    sheet.draw(room, answering.in_words().then_some(column), brush)
}

/// All of a question for the page that shows everything.
pub(super) fn whole(answering: &Answering, brush: Brush) -> Vec<Line<'static>> {
    let (title, body) = question(answering, brush);
    let title = brush.paragraph(&title, Span::raw(""), "");
    let options = options(answering, brush);
    let options = options.iter().flat_map(|row| brush.paragraph(row, Span::raw(INDENT), "     "));
    title.into_iter().chain(body).chain([Line::default()]).chain(options).collect()
}

/// The first line as the title and the rest below it; all of it below where the first is long.
fn question(answering: &Answering, brush: Brush) -> (Line<'static>, Vec<Line<'static>>) {
    let text = sanitize(answering.choice.question.trim());
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let title = brush.line(first.to_owned(), Role::Warn);
    if brush.paragraph(&title, Span::raw(""), "").len() <= TITLE {
        return (title, brush.prose(rest.trim_start_matches('\n'), Role::Plain));
    }
    (brush.line("The model asks:", Role::Warn), brush.prose(&text, Role::Plain))
}

fn options(answering: &Answering, brush: Brush) -> Vec<Line<'static>> {
    let row = |(number, option): (usize, &String)| {
        brush.line(format!("{number}. {}", one_line(option)), Role::Plain)
    };
    (1..).zip(&answering.choice.options).map(row).collect()
}

/// The row of the own words, and the column of the cursor in it.
fn words(answering: &Answering, brush: Brush) -> (Line<'static>, usize) {
    let options = answering.choice.options.len();
    let lead = if options == 0 { String::new() } else { format!("{}. ", options + 1) };
    let taken = width(SIGN) + width(&lead);
    let (text, column) = typed(&answering.words, brush.columns.saturating_sub(taken), Echo::Text);
    let mut line = Line::from(vec![brush.span(lead, Role::Plain), brush.span(text, Role::Plain)]);
    if answering.words.is_empty() {
        let placeholder = if options == 0 { PLACEHOLDER_ALONE } else { PLACEHOLDER };
        line.push_span(brush.span(placeholder, Role::Dim));
    }
    (line, taken + column)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, BRUSH, text, text_with_cursor};
    use super::*;
    use crate::protocol::{CallId, Choice, QuestionId};
    use crate::tui::model::draft::Draft;
    use crate::tui::model::moment::Moment;
    use crate::tui::model::question::Guard;

    fn asks(question: &str, options: &[&str]) -> Answering {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let choice = Choice { call: CallId::from("1"), question: question.to_owned(), options };
        Answering::new(QuestionId(1), choice, Guard::new(Moment(0), None))
    }

    #[track_caller]
    fn check(answering: &Answering, (columns, room): (usize, usize), expected: &str) {
        let pane = pane(answering, room, Brush { columns, ..BRUSH });
        assert!(pane.lines.len() <= room);
        testing::check(&text_with_cursor(&pane.lines, pane.cursor), expected);
    }

    #[test]
    fn options_have_numbers_and_the_last_row_is_for_other_words() {
        let mut asked = asks("Which database?", &["SQLite", "Postgres, which needs a server of its own"]);
        check(
            &asked,
            (80, 11),
            "Which database?

  Enter takes it · Esc leaves it unanswered
❯ 1. SQLite
  2. Postgres, which needs a server of its own
  3. another answer, in your own words",
        );
        asked.go_to_words();
        check(
            &asked,
            (30, 11),
            "Which database?

  Enter takes it · Esc leaves
  it unanswered
  1. SQLite
  2. Postgres, which needs a
     server of its own
❯ 3. |another answer, in your
     own words",
        );
        asked.words.type_in(Draft::plain("none\nat all"));
        check(
            &asked,
            (30, 4),
            "Which database?
  1. SQLite
  2. Postgres, which needs a …
❯ 3. none⏎at all|",
        );
    }

    #[test]
    fn without_options_the_words_are_all_there_is() {
        check(
            &asks("Which port?", &[]),
            (80, 11),
            "Which port?

  Enter takes it · Esc leaves it unanswered
❯ |your answer",
        );
    }

    #[test]
    fn a_long_question_is_wrapped_and_says_what_is_missing() {
        let long = "word ".repeat(60);
        check(
            &asks(&long, &["yes"]),
            (40, 8),
            "The model asks:
  word word word word word word word
  word word word word word word word
  word word word word word word word
  word word word word word word word
  … 5 more lines (Ctrl+O shows all)
❯ 1. yes
  2. another answer, in your own words",
        );
    }

    #[test]
    fn foreign_words_act_on_nothing() {
        let asked = asks("Which\x1b[2J?\n\nA line\x07\nand one", &["a\x1b]0;x\x07\u{202e}b\nc"]);
        check(
            &asked,
            (80, 20),
            "Which?

  A line
  and one

  Enter takes it · Esc leaves it unanswered
❯ 1. a‹U+202E›b⏎c
  2. another answer, in your own words",
        );
        assert_eq!(text(&whole(&asked, BRUSH)), "Which?\n  A line\n  and one\n\n  1. a‹U+202E›b⏎c");
    }
}
