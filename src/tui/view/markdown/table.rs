//! Tables without frames: columns two spaces apart, a thin rule under the head.
//!
//! Where the columns do not fit they are narrowed, the widest first, and their cells broken into lines; where too
//! little of them would remain, each row becomes a record of `head: value` lines.

use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

use crate::tui::view::theme::{Role, Theme};
use crate::tui::view::wrap::{Prefix, spans_width, trim_end, wrap};

/// Columns of space between two columns of the table.
const BETWEEN: usize = 2;

/// A column is not narrowed below this: most words still fit.
const NARROWEST: usize = 8;

type Cell = Vec<Span<'static>>;

/// A table under construction.
pub(super) struct Table {
    theme: Theme,
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>, theme: Theme) -> Self {
        Self { theme, alignments, rows: Vec::new() }
    }

    pub(super) fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn cell(&mut self, cell: Cell) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// The lines of the table, each at most `columns` wide.
    pub(super) fn lines(&self, columns: usize) -> Vec<Line<'static>> {
        match self.widths(columns) {
            Some(widths) => self.grid(&widths),
            None => self.records(columns),
        }
    }

    /// How wide each column may be, or `None` if too little would remain.
    fn widths(&self, columns: usize) -> Option<Vec<usize>> {
        let natural: Vec<usize> = (0..self.alignments.len())
            .map(|at| self.rows.iter().filter_map(|row| row.get(at)).map(|cell| spans_width(cell)).max())
            .map(Option::unwrap_or_default)
            .collect();
        let room = columns.checked_sub(BETWEEN * natural.len().saturating_sub(1))?;
        if natural.iter().sum::<usize>() <= room {
            return Some(natural);
        }
        let capped = |cap: usize| natural.iter().map(|width| *width.min(&cap)).sum::<usize>();
        let cap = (NARROWEST..=room).rev().find(|cap| capped(*cap) <= room)?;
        let mut spare = room - capped(cap);
        let width = |natural: usize| {
            let more = spare.min(natural.saturating_sub(cap)).min(1);
            spare -= more;
            natural.min(cap + more)
        };
        Some(natural.into_iter().map(width).collect())
    }

    fn grid(&self, widths: &[usize]) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            lines.extend(self.row_lines(row, widths));
            if at == 0 {
                let rules: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::styled(rules.join("  "), self.theme.style(Role::Dim)));
            }
        }
        lines
    }

    fn row_lines(&self, row: &[Cell], widths: &[usize]) -> Vec<Line<'static>> {
        let cells: Vec<Vec<Line<'static>>> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| wrap(&Line::from(cell.clone()), *width, &Prefix::default()))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let line = |at: usize| {
            let mut spans = Vec::new();
            for ((cell, width), alignment) in cells.iter().zip(widths).zip(&self.alignments) {
                let cell = cell.get(at).map(|line| line.spans.clone()).unwrap_or_default();
                aligned(cell, *width, *alignment, &mut spans);
                spans.push(Span::raw(" ".repeat(BETWEEN)));
            }
            trim_end(&mut spans);
            Line::from(spans)
        };
        (0..height).map(line).collect()
    }

    fn records(&self, columns: usize) -> Vec<Line<'static>> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in rows {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            for (name, cell) in head.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                let mut spans = name.clone();
                if !spans.is_empty() {
                    spans.push(Span::raw(": "));
                }
                spans.extend(cell.iter().cloned());
                let prefix = Prefix { first: Vec::new(), rest: vec![Span::raw("  ")] };
                lines.extend(wrap(&Line::from(spans), columns, &prefix));
            }
        }
        lines
    }
}

/// Appends a cell, with spaces up to the width of its column.
fn aligned(cell: Cell, width: usize, alignment: Alignment, out: &mut Cell) {
    let spare = width.saturating_sub(spans_width(&cell));
    let left = match alignment {
        Alignment::None | Alignment::Left => 0,
        Alignment::Center => spare / 2,
        Alignment::Right => spare,
    };
    let spaces = |count: usize| (count > 0).then(|| Span::raw(" ".repeat(count)));
    out.extend(spaces(left));
    out.extend(cell);
    out.extend(spaces(spare - left));
}
