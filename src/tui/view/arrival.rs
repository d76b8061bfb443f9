//! What arrives and what runs: the end of an unfinished answer or of the thoughts before it, and the calls with what they print.
//!
//! None of it is a cell yet; it stands as the cell will that it becomes, so that nothing moves as it is finished. Of a long answer
//! only as much is read as can be seen.

use std::time::Duration;

use ratatui::text::Line;

use super::brush::{Brush, Mode};
use super::theme::Role;
use super::wrap::{Prefix, wrap};
use super::{Class, Part, cell, tool};
use crate::protocol::ToolKind;
use crate::tui::model::Model;
use crate::tui::model::moment::Moment;
use crate::tui::model::run::RunView;
use crate::tui::model::transcript::Cell;

/// Rows of arriving thoughts.
const THOUGHTS: usize = 3;

/// What arrives and what runs, each set apart from what stands above it.
pub(super) fn arriving(model: &Model, now: Moment, bound: usize, brush: Brush) -> Vec<Part> {
    let Some(run) = &model.run else { return Vec::new() };
    let mut parts = Vec::new();
    let above = model.transcript.cells().last();
    if let Some((cell, lines)) = arriving_answer(run, bound, brush) {
        parts.extend(cell::apart(above, &cell).then(Part::gap));
        parts.push(Part::new(Class::Answer, lines));
    }
    let calls = || run.calls.iter().filter(|call| call.kind != ToolKind::Interact);
    if run.explored.is_empty() && calls().next().is_none() {
        return parts;
    }
    if !parts.is_empty() || cell::apart(above, &Cell::Explored(Vec::new())) {
        parts.push(Part::gap());
    }
    if !run.explored.is_empty() {
        parts.push(Part::new(Class::Call, tool::explored(&run.explored, Mode::Folded, brush)));
    }
    for call in calls() {
        parts.push(Part::new(Class::Call, vec![tool::running(call, now, brush)]));
        parts.push(Part::new(Class::Output, tool::running_output(call, brush)));
    }
    parts
}

/// The last rows of the unfinished block of an answer, or of the thoughts before it, and what cell they will be.
pub(super) fn arriving_answer(
    run: &RunView,
    bound: usize,
    brush: Brush,
) -> Option<(Cell, Vec<Line<'static>>)> {
    // a character has at most four bytes, and nearly all take a column
    let bytes = |rows: usize| rows.saturating_mul(brush.columns.max(1)).saturating_mul(4);
    let (cell, mut lines, most) = if let Some(block) = run.answer.draft(bytes(bound)) {
        let cell = Cell::Answer(block);
        let lines = cell::render(&cell, Mode::Folded, brush);
        (cell, lines.iter().flat_map(|line| wrap(line, brush.columns, &Prefix::default())).collect(), bound)
    } else if run.thoughts.trim().is_empty() {
        return None;
    } else {
        let from = run.thoughts.ceil_char_boundary(run.thoughts.len().saturating_sub(bytes(THOUGHTS)));
        let mut lines: Vec<_> = brush.prose(run.thoughts.get(from..).unwrap_or_default(), Role::Dim);
        lines.drain(..lines.len().saturating_sub(THOUGHTS));
        // an empty row at their beginning would look like a second gap
        let ink = lines.iter().position(|line| line.width() > 0).unwrap_or(0);
        (Cell::Thought { text: String::new(), took: Duration::ZERO }, lines.split_off(ink), THOUGHTS)
    };
    lines.drain(..lines.len().saturating_sub(most));
    Some((cell, lines))
}
