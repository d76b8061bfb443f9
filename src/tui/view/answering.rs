//! A question of the model in the place of the input.
//!
//! The words are foreign: nothing in them acts on the terminal, and a question that asks for more room than there is says how
//! much of it is missing. The answers are the last to go.

use ratatui::text::{Line, Span};

use super::brush::{Brush, Echo, INDENT, Keep, Pane, SIGN, one_line, typed};
use super::markdown::{self, Printed};
use super::question::Sheet;
use super::theme::Role;
use super::wrap::width;
use crate::text::sanitize::sanitize;
use crate::tui::model::answering::Answering;

/// Rows of a question that stands as a title; a longer one has a title of its own.
const TITLE: usize = 3;
const HINT: &str = "Enter to answer · Esc to skip";
const HINT_PLAN: &str = "Enter to answer · Esc to interrupt the run";
const TITLE_PLAN: &str = "Start with this plan?";
const PLACEHOLDER: &str = "Other (type your answer)";
const PLACEHOLDER_PLAN: &str = "No, and say what to change";
const PLACEHOLDER_ALONE: &str = "type your answer";

/// A question of the model in at most `room` rows.
pub(super) fn pane(answering: &Answering, room: usize, brush: Brush) -> Pane {
    let (title, body) = question(answering, brush);
    let (words, column) = words(answering, brush);
    let mut rows = options(answering, brush);
    rows.push(words);
    // the keys are told where nothing of the question goes for it: a title, and a blank line each
    let hint = if answering.is_plan() { HINT_PLAN } else { HINT };
    let note = brush.prose(hint, Role::Dim);
    let taken = body.len() + rows.len() + note.len() + 3;
    let note = if taken <= room { note } else { Vec::new() };
    let sheet = Sheet {
        title,
        body,
        least: 1,
        keep: Keep::Head,
        hint: " (Ctrl+O to expand)",
        note,
        rows,
        focus: answering.focus,
    };
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
    if answering.is_plan() {
        return (brush.line(TITLE_PLAN, Role::Warn), plan(&answering.choice.question, brush));
    }
    let text = sanitize(answering.choice.question.trim());
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let title = brush.line(first.to_owned(), Role::Warn);
    if brush.paragraph(&title, Span::raw(""), "").len() <= TITLE {
        return (title, brush.prose(rest.trim_start_matches('\n'), Role::Plain));
    }
    (brush.line("The model asks:", Role::Warn), brush.prose(&text, Role::Plain))
}

/// A plan as an answer of the model is drawn, but indented.
fn plan(source: &str, brush: Brush) -> Vec<Line<'static>> {
    let columns = brush.columns.saturating_sub(width(INDENT)).max(1);
    let printed = markdown::render(source.trim(), columns, brush.theme);
    let indented = |Printed { line, .. }: Printed| {
        let lead = if line.spans.is_empty() { "" } else { INDENT };
        brush.paragraph(&line, Span::raw(lead), INDENT)
    };
    printed.into_iter().flat_map(indented).collect()
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
        let placeholder = match options {
            _ if answering.is_plan() => PLACEHOLDER_PLAN,
            0 => PLACEHOLDER_ALONE,
            _ => PLACEHOLDER,
        };
        line.push_span(brush.span(placeholder, Role::Dim));
    }
    (line, taken + column)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, BRUSH, text, text_with_cursor};
    use super::*;
    use crate::protocol::{BEGINS, CallId, Choice, QuestionId, Topic};
    use crate::tui::model::draft::Draft;
    use crate::tui::model::moment::Moment;
    use crate::tui::model::question::Guard;

    fn proposes(plan: &str) -> Answering {
        let options = BEGINS.map(|begin| begin.option.to_owned()).to_vec();
        let choice =
            Choice { call: CallId::from("1"), question: plan.to_owned(), options, topic: Topic::Plan };
        Answering::new(QuestionId(1), choice, Guard::new(Moment(0), None))
    }

    #[test]
    fn a_plan_is_drawn_as_markdown_above_its_answers() {
        let mut asked = proposes("# Mend\x1b[2J it\n\n1. `a.rs`: the **sum**\n2. tests\n");
        check(
            &asked,
            (80, 20),
            "Start with this plan?

  Mend it

  1. a.rs: the sum
  2. tests

  Enter to answer · Esc to interrupt the run
❯ 1. Yes
  2. Yes, and accept edits
  3. No, and say what to change",
        );
        asked.go_to_words();
        asked.words.type_in(Draft::plain("tests first"));
        check(
            &asked,
            (80, 6),
            "Start with this plan?
  Mend it
  … 3 more lines (Ctrl+O to expand)
  1. Yes
  2. Yes, and accept edits
❯ 3. tests first|",
        );
        let page = text(&whole(&asked, BRUSH));
        assert!(page.contains("  2. tests\n\n  1. Yes\n  2. Yes, and accept edits"), "{page}");
    }

    fn asks(question: &str, options: &[&str]) -> Answering {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let choice = Choice {
            call: CallId::from("1"),
            question: question.to_owned(),
            options,
            topic: Topic::Question,
        };
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

  Enter to answer · Esc to skip
❯ 1. SQLite
  2. Postgres, which needs a server of its own
  3. Other (type your answer)",
        );
        asked.go_to_words();
        check(
            &asked,
            (30, 11),
            "Which database?

  Enter to answer · Esc to
  skip
  1. SQLite
  2. Postgres, which needs a
     server of its own
❯ 3. |Other (type your answer)",
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

  Enter to answer · Esc to skip
❯ |type your answer",
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
  … 5 more lines (Ctrl+O to expand)
❯ 1. yes
  2. Other (type your answer)",
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

  Enter to answer · Esc to skip
❯ 1. a‹U+202E›b⏎c
  2. Other (type your answer)",
        );
        assert_eq!(text(&whole(&asked, BRUSH)), "Which?\n  A line\n  and one\n\n  1. a‹U+202E›b⏎c");
    }
}
