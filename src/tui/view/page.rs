//! A page on the alternate screen: the whole transcript with nothing folded, or the help.
//!
//! It has no scroll position of its own: the model counts rows from the end, so that new output moves nothing that is being
//! read further up, and a page that is shorter than the screen begins at its top.

use ratatui::text::{Line, Span};

use super::brush::{Brush, Fact, INDENT, Mode};
use super::theme::{Role, Theme};
use super::wrap::{Prefix, fit, width, wrap};
use super::{answering, arriving_answer, cell, question, tool, trust};
use crate::tui::keymap::{HelpRow, help_rows};
use crate::tui::model::call::Kind;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::{Overlay, Page, PageOf};
use crate::tui::model::{Model, Stage};
use crate::tui::slash;

/// The columns for keys and commands on the help page: the longest but for a few.
const KEYS: usize = 26;

/// The page that lies over the screen (the transcript, if there is none), in as many lines as the screen has rows.
pub fn page(model: &Model, theme: Theme, now: Moment) -> Vec<Line<'static>> {
    let Page { of, up } = shown(model);
    let mut lines = all(model, of, theme, now);
    let (columns, body) = (usize::from(model.size.columns), body(model));
    let up = up.min(lines.len().saturating_sub(body));
    let end = lines.len() - up;
    let total = lines.len();
    lines.truncate(end);
    lines.drain(..end.saturating_sub(body));
    lines.resize(body, Line::default());
    if model.size.rows > 0 {
        lines.push(keys((end, total), Brush { theme, columns }));
    }
    lines
}

/// The largest number of rows from the end that shows something else than the one below it.
pub fn most_up(model: &Model, theme: Theme, now: Moment) -> usize {
    all(model, shown(model).of, theme, now).len().saturating_sub(body(model))
}

fn shown(model: &Model) -> Page {
    match &model.overlay {
        Some(Overlay::Page(page)) => *page,
        Some(Overlay::Models(_) | Overlay::Sessions(_) | Overlay::Tasks(_) | Overlay::Permissions(_))
        | None => Page { of: PageOf::Transcript, up: 0 },
    }
}

/// The rows above the line of keys.
fn body(model: &Model) -> usize {
    usize::from(model.size.rows.saturating_sub(1))
}

/// What the keys do, and where in the page one is.
fn keys((end, total): (usize, usize), brush: Brush) -> Line<'static> {
    let fact = |text: String| Fact::new(brush.span(text, Role::Dim));
    let line = brush.facts(vec![
        fact(format!("{INDENT}q closes")),
        fact("Up, Down, PgUp, PgDn, Home, End move".to_owned()).rank(2),
        fact(format!("{end} of {total}")).rank(1),
    ]);
    fit(&line, brush.columns)
}

fn all(model: &Model, of: PageOf, theme: Theme, now: Moment) -> Vec<Line<'static>> {
    let brush = Brush { theme, columns: usize::from(model.size.columns) };
    let lines = match of {
        PageOf::Transcript => transcript(model, now, brush),
        PageOf::Help => help(brush),
    };
    // the alternate screen breaks no lines
    lines.iter().flat_map(|line| wrap(line, brush.columns, &Prefix::default())).collect()
}

fn transcript(model: &Model, now: Moment, brush: Brush) -> Vec<Line<'static>> {
    let cells = model.transcript.cells();
    let before = std::iter::once(None).chain(cells.iter().map(Some));
    let mut lines = Vec::new();
    for (before, cell) in before.zip(cells) {
        lines.extend(cell::apart(before, cell).then(Line::default));
        lines.extend(cell::render(cell, Mode::Whole, brush));
    }
    if let Some(run) = &model.run {
        if let Some((cell, arrived)) = arriving_answer(run, usize::MAX, brush) {
            lines.extend(cell::apart(cells.last(), &cell).then(Line::default));
            lines.extend(arrived);
        }
        lines.extend(tool::explored(&run.explored, Mode::Whole, brush));
        for call in run.calls.iter().filter(|call| call.kind != Kind::Tells) {
            lines.push(tool::running(call, now, brush));
            lines.extend(tool::running_output(call, brush));
        }
    }
    lines.extend(match &model.stage {
        Stage::Asking(asking) => [vec![Line::default()], question::whole(asking, brush)].concat(),
        Stage::Answering(answering) => [vec![Line::default()], answering::whole(answering, brush)].concat(),
        Stage::Trusting(trusting) => [vec![Line::default()], trust::whole(trusting, brush)].concat(),
        Stage::Opening | Stage::Choosing(_) | Stage::Idle | Stage::Running | Stage::AtLimit(_) => Vec::new(),
    });
    lines
}

fn help(brush: Brush) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut section = "";
    for HelpRow { section: title, keys, text } in help_rows() {
        if title != section {
            lines.extend((!lines.is_empty()).then(Line::default));
            lines.push(brush.line(title, Role::Heading));
            section = title;
        }
        lines.extend(entry(&keys, text, brush));
    }
    lines.extend([Line::default(), brush.line("Commands", Role::Heading)]);
    for row in slash::TABLE {
        let name = format!("/{} {}", row.name, row.argument);
        lines.extend(entry(name.trim_end(), row.text, brush));
    }
    lines
}

/// A name and what it does, side by side where there is room.
fn entry(name: &str, text: &'static str, brush: Brush) -> Vec<Line<'static>> {
    let column = KEYS.min(brush.columns / 2);
    let name_width = width(name);
    let lead = Span::raw(INDENT);
    if name_width + INDENT.len() > column {
        let name = brush.paragraph(&brush.line(name.to_owned(), Role::Accent), lead, INDENT);
        let text = brush.paragraph(&brush.line(text, Role::Plain), Span::raw("    "), "    ");
        return name.into_iter().chain(text).collect();
    }
    let pad = " ".repeat(column - name_width);
    let first = vec![lead, brush.span(name.to_owned(), Role::Accent), Span::raw(pad)];
    let rest = vec![Span::raw(" ".repeat(column + INDENT.len()))];
    wrap(&brush.line(text, Role::Plain), brush.columns, &Prefix { first, rest })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, call, model, numbered, text};
    use super::*;
    use crate::protocol::{Display, ToolStatus};
    use crate::tui::model::transcript::Cell;

    fn shown(model: &Model) -> String {
        text(&page(model, Theme::Colour, Moment(0)))
    }

    fn with(of: PageOf, up: usize, (columns, rows): (u16, u16)) -> Model {
        let mut model = model(columns, rows);
        model.overlay = Some(Overlay::Page(Page { of, up }));
        model.transcript.push(Cell::User("run it".to_owned()));
        let text = numbered(30);
        let display = Display::Output { text, ended: None };
        model.transcript.push(Cell::Call(Box::new(call("run", "seq 30", ToolStatus::Success, display))));
        model.transcript.mark_printed();
        model
    }

    #[test]
    fn the_transcript_is_whole_and_ends_at_the_bottom() {
        testing::check(
            &shown(&with(PageOf::Transcript, 0, (80, 6))),
            "line 26
line 27
line 28
line 29
line 30
  q closes · Up, Down, PgUp, PgDn, Home, End move · 33 of 33",
        );
        testing::check(
            &shown(&with(PageOf::Transcript, 29, (40, 6))),
            "❯ run it

● run  seq 30  2 s
line 1
line 2
  q closes · 5 of 33",
        );
        let far = with(PageOf::Transcript, usize::MAX, (80, 24));
        testing::check(shown(&far).lines().next().unwrap(), "❯ run it");
        assert_eq!(most_up(&far, Theme::Colour, Moment(0)), 33 - 23);
    }

    #[test]
    fn the_help_is_made_from_the_tables() {
        testing::check(
            &shown(&with(PageOf::Help, usize::MAX, (80, 12))),
            r"Input
  Enter                     send
  Shift+Enter, Alt+Enter, Ctrl+J
    new line; so does \ before Enter
  Tab                       complete a /command
  Up                        a row up, then back in the history
  Down                      a row down, then on in the history
  Ctrl+R                    search the history; again: an older match
  Esc                       close a list or a search
  Ctrl+C                    clear the input; twice on an empty one: leave
  Ctrl+D                    delete to the right; on an empty input: leave
  q closes · Up, Down, PgUp, PgDn, Home, End move · 11 of 99",
        );
        testing::check(
            &shown(&with(PageOf::Help, 0, (80, 10))),
            "Commands
  /help                     keys and commands
  /clear                    a new session; this one stays on disk
  /model [NAME]             another model: from a list, or by name
  /todos                    the model's list of steps
  /tasks                    commands in the background: look at them, end them
  /permissions              the rules in force; grants can be taken back
  /status                   session, model, endpoint, permissions
  /exit                     leave
  q closes · Up, Down, PgUp, PgDn, Home, End move · 99 of 99",
        );
        testing::check(
            &shown(&with(PageOf::Help, usize::MAX, (40, 12))),
            r"Input
  Enter               send
  Shift+Enter, Alt+Enter, Ctrl+J
    new line; so does \ before Enter
  Tab                 complete a
                      /command
  Up                  a row up, then
                      back in the
                      history
  Down                a row down, then
                      on in the history
  q closes · 11 of 153",
        );
    }

    #[test]
    fn a_page_has_as_many_lines_as_the_screen() {
        for of in [PageOf::Transcript, PageOf::Help] {
            for size in [(1, 1), (1, 2), (2, 1), (10, 3), (40, 12), (200, 60), (0, 0)] {
                for up in [0, 1, 20, usize::MAX] {
                    let page = page(&with(of, up, size), Theme::Mono, Moment(0));
                    assert_eq!(page.len(), usize::from(size.1), "{size:?}");
                    assert!(page.iter().all(|line| line.width() <= usize::from(size.0)), "{size:?}");
                }
            }
        }
    }
}
