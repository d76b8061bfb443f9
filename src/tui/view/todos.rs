//! The model's list of steps: one row or all of them in the live region, what has changed in the transcript.
//!
//! Each step has a sign, so that colour is never all that tells what is done.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::brush::{Brush, DOT, INDENT, Keep, Mode, Signs, one_line, push_fitting};
use super::theme::Role;
use super::wrap::width;
use crate::protocol::todo::completed;
use crate::protocol::{Todo, TodoStatus};
use crate::text::units;
use crate::tui::model::todos::{Extent, TodoChange, Todos, counted, sign};

/// Rows of the unfolded list: what one takes in at a glance.
const MOST: usize = 10;
/// Rows of a change in the scrollback.
const CHANGED: usize = 8;

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Going {
    /// One does.
    On,
    /// None.
    Rest,
}

/// The list as it stands in the live region, in at most `room` rows.
pub(super) fn live(todos: &Todos, going: Going, room: usize, brush: Brush) -> Vec<Line<'static>> {
    match (todos.extent, going) {
        (_, _) if todos.list.is_empty() || room == 0 => Vec::new(),
        (Extent::Folded, Going::Rest) => Vec::new(),
        (Extent::Folded, Going::On) => {
            todos.current().map(|todo| current(todos, todo, brush)).into_iter().collect()
        }
        // where there is room for one row, the step that is being done says more than their number
        (Extent::Unfolded, _) if room < 3 => vec![match todos.current() {
            Some(todo) => current(todos, todo, brush),
            None => head(todos, brush),
        }],
        (Extent::Unfolded, _) => unfolded(todos, MOST.min(room - 1), brush),
    }
}

/// The step that is being done, and how far it all is.
fn current(todos: &Todos, todo: &Todo, brush: Brush) -> Line<'static> {
    let count = format!("{DOT}{}/{}", completed(&todos.list), todos.list.len());
    let mut line = row(todo, brush);
    let text = line.spans.pop().unwrap_or_default();
    push_fitting(&mut line, text, brush.columns.saturating_sub(width(&count)));
    line.push_span(brush.span(count, Role::Dim));
    line
}

fn head(todos: &Todos, brush: Brush) -> Line<'static> {
    brush.line(format!("{INDENT}{}{DOT}ctrl+t to hide", counted(&todos.list)), Role::Dim)
}

fn unfolded(todos: &Todos, most: usize, brush: Brush) -> Vec<Line<'static>> {
    let all = todos.list.len();
    // the row that says how many are missing takes the place of one
    let Range { start, end } = todos.window(if all > most { most - 1 } else { most });
    let mut lines = vec![head(todos, brush)];
    lines.extend(todos.list.get(start..end).unwrap_or_default().iter().map(|todo| row(todo, brush)));
    if end - start < all {
        let hidden = all - (end - start);
        lines.push(brush.line(format!("{INDENT}… {hidden} more"), Role::Dim));
    }
    lines
}

/// One step in one row.
fn row(todo: &Todo, brush: Brush) -> Line<'static> {
    let (mark, text) = match todo.status {
        TodoStatus::Pending => (Role::Dim, Role::Plain),
        TodoStatus::InProgress => (Role::Accent, Role::Strong),
        TodoStatus::Completed => (Role::Good, Role::Dim),
    };
    Line::from(vec![
        Span::raw(INDENT),
        brush.span(
            match brush.manner.signs {
                Signs::Signs => sign(todo.status),
                Signs::Words => word(todo.status),
            },
            mark,
        ),
        brush.span(one_line(&todo.content), text),
    ])
}

/// The same in a word.
fn word(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "to do: ",
        TodoStatus::InProgress => "now: ",
        TodoStatus::Completed => "done: ",
    }
}

/// The list in the transcript: what has changed, or all of it.
pub(super) fn change(change: &TodoChange, mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    let changed = change.changed();
    let mut told = vec![if change.after.is_empty() { "cleared".to_owned() } else { counted(&change.after) }];
    match u64::try_from(change.dropped()).unwrap_or(u64::MAX) {
        0 if changed.is_empty() && !change.after.is_empty() => told.push("unchanged".to_owned()),
        0 => {}
        dropped => told.push(format!("{} removed", units::count(dropped))),
    }
    let head = Line::from(vec![
        brush.span(if brush.manner.signs == Signs::Words { "" } else { "● " }, Role::Good),
        brush.span("todo", Role::Strong),
        brush.span(format!("{INDENT}{}", told.join(DOT)), Role::Dim),
    ]);
    let mut lines = brush.paragraph(&head, Span::raw(""), INDENT);
    match mode {
        Mode::Whole => lines.extend(rows(change.after.iter(), brush)),
        Mode::Folded => lines.extend(brush.fold_indented(rows(changed, brush), CHANGED + 1, Keep::Head)),
    }
    lines
}

/// Steps in as many rows as they take.
pub(super) fn rows<'a>(todos: impl IntoIterator<Item = &'a Todo>, brush: Brush) -> Vec<Line<'static>> {
    todos.into_iter().flat_map(|todo| brush.paragraph(&row(todo, brush), Span::raw(""), "    ")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, BRUSH, text};
    use super::*;

    /// `x` done, `>` being done, anything else to be done; what follows is the content.
    fn list(steps: &[&str]) -> Vec<Todo> {
        let todo = |step: &&str| {
            let status = match step.chars().next() {
                Some('x') => TodoStatus::Completed,
                Some('>') => TodoStatus::InProgress,
                _ => TodoStatus::Pending,
            };
            Todo { content: step.get(1..).unwrap().to_owned(), status }
        };
        steps.iter().map(todo).collect()
    }

    fn shown(steps: &[&str], extent: Extent, (going, room, columns): (Going, usize, usize)) -> String {
        let todos = Todos { list: list(steps), extent };
        let lines = live(&todos, going, room, Brush { columns, ..BRUSH });
        assert!(lines.len() <= room);
        text(&lines)
    }

    const STEPS: &[&str] = &["xread the parser", ">write the tests", " run them"];

    #[test]
    fn folded_it_is_the_current_step_of_a_run() {
        let folded = |steps: &[&str], going, columns| shown(steps, Extent::Folded, (going, 5, columns));
        assert_eq!(folded(STEPS, Going::On, 80), "  ▸ write the tests · 1/3");
        assert_eq!(folded(STEPS, Going::On, 20), "  ▸ write the… · 1/3");
        assert_eq!(folded(&["xa", " b"], Going::On, 80), "  ☐ b · 1/2");
        assert_eq!(folded(&["xa", "xb"], Going::On, 80), "");
        assert_eq!(folded(STEPS, Going::Rest, 80), "");
        assert_eq!(folded(&[">a\n\x1b[2J\u{202e}"], Going::On, 80), "  ▸ a⏎‹U+202E› · 0/1");
    }

    #[test]
    fn unfolded_it_is_all_of_it_as_far_as_there_is_room() {
        let unfolded = |steps: &[&str], room| shown(steps, Extent::Unfolded, (Going::Rest, room, 80));
        testing::check(
            &unfolded(STEPS, 12),
            "  1 of 3 done · ctrl+t to hide
  ✓ read the parser
  ▸ write the tests
  ☐ run them",
        );
        let many: Vec<String> = (1..=13).map(|n| format!("{}{n}", if n < 9 { "x" } else { " " })).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let shown = unfolded(&many, 40);
        assert_eq!(shown.lines().count(), 1 + 10);
        assert!(shown.contains("☐ 9") && shown.ends_with("… 4 more"), "{shown}");
        testing::check(
            &unfolded(&many, 4),
            "  8 of 13 done · ctrl+t to hide
  ☐ 9
  ☐ 10
  … 11 more",
        );
        assert_eq!(unfolded(&many, 2), "  ☐ 9 · 8/13", "one row is for the step that comes");
        assert_eq!(unfolded(&many, 0), "");
        assert_eq!(unfolded(&[], 9), "");
    }

    #[test]
    fn in_the_transcript_it_is_what_has_changed() {
        let check = |before: &[&str], after: &[&str], mode, expected: &str| {
            let changed = TodoChange { before: list(before), after: list(after) };
            testing::check(&text(&change(&changed, mode, BRUSH)), expected);
        };
        check(
            &[],
            STEPS,
            Mode::Folded,
            "● todo  1 of 3 done
  ✓ read the parser
  ▸ write the tests
  ☐ run them",
        );
        let before = &[">read the parser", " write the tests", " run them", " and this"];
        check(
            before,
            STEPS,
            Mode::Folded,
            "● todo  1 of 3 done · 1 removed
  ✓ read the parser
  ▸ write the tests",
        );
        check(
            before,
            STEPS,
            Mode::Whole,
            "● todo  1 of 3 done · 1 removed
  ✓ read the parser
  ▸ write the tests
  ☐ run them",
        );
        check(STEPS, STEPS, Mode::Folded, "● todo  1 of 3 done · unchanged");
        check(STEPS, &[], Mode::Folded, "● todo  cleared · 3 removed");
    }

    #[test]
    fn a_long_first_list_is_folded() {
        let many: Vec<String> = (1..=12).map(|n| format!(" step {n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let changed = TodoChange { before: Vec::new(), after: list(&many) };
        let lines = change(&changed, Mode::Folded, BRUSH);
        assert_eq!((lines.len(), lines[9].to_string().as_str()), (10, "  … 4 more lines (Ctrl+O to expand)"));
        assert_eq!(change(&changed, Mode::Whole, BRUSH).len(), 13);
    }
}
