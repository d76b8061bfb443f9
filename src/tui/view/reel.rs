//! The rows of the cells that are seen, and of those around them: made once for a width, kept as long as they are near.
//!
//! Not [`super::sheet`], which has every row of a transcript and unfolds it. What surprises: the length of the whole is never
//! known, so that a session of ten thousand messages costs what its last screen costs, in time and in memory.

use std::collections::BTreeMap;
use std::ops::Range;

use ratatui::text::Line;

use super::brush::{Brush, Mode};
use super::cell;
use super::sheet::broken;
use crate::tui::model::transcript::Cell;

/// Rows that are kept beside those that are seen: some ten screens, so that scrolling makes few anew.
pub(super) const KEPT: usize = 1_000;

/// Rows by cell.
#[derive(Debug, Default)]
pub struct Reel {
    /// What they were made for.
    made: Option<Brush>,
    rows: BTreeMap<usize, Vec<Line<'static>>>,
    /// How many they are.
    count: usize,
}

impl Reel {
    /// Drops what was made for another width or other colours.
    pub(super) fn load(&mut self, brush: Brush) {
        if self.made != Some(brush) {
            *self = Self { made: Some(brush), ..Self::default() };
        }
    }

    /// The rows of a cell, with the empty line that sets it apart.
    pub(super) fn rows(&mut self, cells: &[Cell], index: usize) -> &[Line<'static>] {
        let Some(brush) = self.made else { return &[] };
        self.rows.entry(index).or_insert_with(|| {
            let rows = rows_of(cells, index, brush);
            self.count += rows.len();
            rows
        })
    }

    /// Forgets the rows that are far from these cells, if there are many.
    pub(super) fn keep_near(&mut self, seen: &Range<usize>) {
        while self.count > KEPT {
            let (first, last) = (self.rows.keys().next(), self.rows.keys().next_back());
            let (Some(&first), Some(&last)) = (first, last) else { return };
            let farthest =
                if seen.start.saturating_sub(first) > last.saturating_sub(seen.end) { first } else { last };
            if seen.contains(&farthest) {
                return;
            }
            let rows = self.rows.remove(&farthest).unwrap_or_default();
            self.count -= rows.len();
        }
    }

    /// How many rows are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.count
    }
}

fn rows_of(cells: &[Cell], index: usize, brush: Brush) -> Vec<Line<'static>> {
    let Some(cell) = cells.get(index) else { return Vec::new() };
    let before = index.checked_sub(1).and_then(|before| cells.get(before));
    let gap = cell::apart(before, cell).then(Line::default);
    let lines: Vec<_> = gap.into_iter().chain(cell::render(cell, Mode::Folded, brush)).collect();
    broken(&lines, brush)
}
