//! The rows of a page, made as far as they were needed: from the end of the transcript upward.
//!
//! What was said stays as it was said, so a row is made once for a width and kept while the page is open; what goes on now stands
//! behind it and is made anew for each frame. The surprise: how long the whole is becomes known only later, for a screen is
//! drawn before the thousands of messages above it were looked at. Each frame goes a little further up.

use std::collections::VecDeque;

use ratatui::text::Line;

use super::brush::Brush;
use super::cell;
use super::find::Needle;
use super::preview::Kept;
use super::wrap::{Prefix, wrap};
use crate::protocol::Results;
use crate::tui::model::overlay::PageOf;
use crate::tui::model::transcript::Cell;

/// Rows that are made in one frame beside those that are seen: some 2 ms.
const STEP: usize = 1_000;

/// The rows of a page.
#[derive(Debug, Default)]
pub struct Sheet {
    /// What the rows are of, and what they were made for.
    made: Option<(PageOf, Brush)>,
    /// The first cell of which there are rows.
    from: usize,
    /// Rows of each cell from there on, the empty line before it included.
    heights: VecDeque<usize>,
    rows: VecDeque<Line<'static>>,
    /// What goes on now.
    tail: Vec<Line<'static>>,
    /// The row at the top of the screen: its cell, and how far down in it, of how many rows.
    top: Option<(usize, usize, usize)>,
    /// The rows that have this in them, as long as there are so many rows.
    hits: Option<(Needle, usize, Vec<usize>)>,
    /// What is asked about while the page is open.
    pub(super) kept: Kept,
}

/// What the rows are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    /// The cells.
    pub(super) cells: &'a [Cell],
    /// What their calls have given.
    pub(super) results: &'a Results,
}

/// What a new look at the model has brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    /// So many rows more at the end.
    Arrived(usize),
    /// The width is another: so many rows stand from the former top row on.
    Anew(Option<usize>),
}

impl Sheet {
    /// Takes what has been said since, and what goes on now.
    pub(super) fn take(
        &mut self,
        (of, brush): (PageOf, Brush),
        source: Source<'_>,
        tail: Vec<Line<'static>>,
    ) -> Since {
        if self.made == Some((of, brush)) {
            let before = self.len();
            self.tail = tail;
            self.append(source, brush);
            return Since::Arrived(self.len().saturating_sub(before));
        }
        let top = self.top.take().filter(|_| self.made.is_some_and(|(before, _)| before == of));
        *self = Self { made: Some((of, brush)), from: source.cells.len(), tail, ..Self::default() };
        Since::Anew(top.map(|(cell, down, of)| {
            while self.from > cell && self.prepend(source, brush) {}
            let height = self.heights.front().copied().unwrap_or_default();
            self.len().saturating_sub(down * height / of.max(1))
        }))
    }

    /// Makes rows until there are so many, or all.
    pub(super) fn reach(&mut self, rows: usize, source: Source<'_>) {
        let Some((_, brush)) = self.made else { return };
        while self.len() < rows && self.prepend(source, brush) {}
    }

    /// Goes a little further up than is needed now.
    pub(super) fn reach_on(&mut self, source: Source<'_>) {
        self.reach(self.len().saturating_add(STEP), source);
    }

    /// Whether all rows were made.
    pub fn is_whole(&self) -> bool {
        self.from == 0
    }

    /// The rows that were made.
    pub(super) fn len(&self) -> usize {
        self.rows.len() + self.tail.len()
    }

    /// The rows from `start` on, as many as there are up to `count`; the first of them is the top of the screen now.
    pub(super) fn window(&mut self, start: usize, count: usize) -> Vec<Line<'static>> {
        self.top = self.place(start);
        self.rows.iter().chain(&self.tail).skip(start).take(count).cloned().collect()
    }

    /// The rows that have `needle` in them, in order; only those that were made.
    pub(super) fn hits(&mut self, needle: &Needle) -> &[usize] {
        let len = self.len();
        let known = self.hits.as_ref().is_some_and(|(of, at, _)| of == needle && *at == len);
        if !known {
            let rows = self.rows.iter().chain(&self.tail).enumerate();
            let found = rows.filter(|(_, row)| needle.is_in(row)).map(|(index, _)| index).collect();
            self.hits = Some((needle.clone(), len, found));
        }
        self.hits.as_ref().map_or(&[], |(_, _, found)| found.as_slice())
    }

    fn place(&self, row: usize) -> Option<(usize, usize, usize)> {
        let mut start = 0;
        for (index, height) in self.heights.iter().enumerate() {
            if row < start + height {
                return Some((self.from + index, row - start, *height));
            }
            start += height;
        }
        None
    }

    fn append(&mut self, source: Source<'_>, brush: Brush) {
        for index in self.from + self.heights.len()..source.cells.len() {
            let rows = rows_of(source, index, brush);
            self.heights.push_back(rows.len());
            self.rows.extend(rows);
        }
    }

    /// One cell more at the beginning; says whether there was one.
    fn prepend(&mut self, source: Source<'_>, brush: Brush) -> bool {
        let Some(index) = self.from.checked_sub(1) else { return false };
        let rows = rows_of(source, index, brush);
        self.from = index;
        self.heights.push_front(rows.len());
        rows.into_iter().rev().for_each(|row| self.rows.push_front(row));
        true
    }
}

/// The rows of a cell, with the empty line that sets it apart.
fn rows_of(Source { cells, results }: Source<'_>, index: usize, brush: Brush) -> Vec<Line<'static>> {
    let Some(cell) = cells.get(index) else { return Vec::new() };
    let before = index.checked_sub(1).and_then(|before| cells.get(before));
    let gap = cell::apart(before, cell).then(Line::default);
    let lines: Vec<_> = gap.into_iter().chain(cell::whole(cell, results, brush)).collect();
    broken(&lines, brush)
}

/// Lines as rows: the alternate screen breaks none.
pub(super) fn broken(lines: &[Line<'_>], brush: Brush) -> Vec<Line<'static>> {
    lines.iter().flat_map(|line| wrap(line, brush.columns, &Prefix::default())).collect()
}
