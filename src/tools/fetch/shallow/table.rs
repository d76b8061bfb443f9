//! Tables. One inside another is no table, and neither is one that serves to lay a page out: their cells are blocks of text.

use super::Writer;
use super::open::Open;
use super::tags::Cell;

/// How large the open table is.
#[derive(Debug, Default)]
pub(super) struct TableShape {
    start: usize,
    row_start: usize,
    rows: usize,
    column: usize,
    has_head: bool,
    widths: Vec<usize>,
}

impl Writer {
    pub(super) fn start_table(&mut self) {
        if self.open.contains(&Open::Table) {
            self.passed.tables += 1;
            return self.block();
        }
        if !self.stands_apart() {
            self.passed.tables += 1;
            return;
        }
        self.table = TableShape { start: self.out.len(), ..TableShape::default() };
        self.push(Open::Table, "<table>");
    }

    /// The open table, if what begins now belongs to it.
    fn own_table(&self) -> Option<usize> {
        let table = self.open.iter().rposition(|open| *open == Open::Table)?;
        (self.passed.tables == 0).then_some(table)
    }

    pub(super) fn start_caption(&mut self) {
        match self.own_table() {
            Some(table) if table + 1 == self.open.len() && self.table.rows == 0 => {
                self.push(Open::Caption, "<caption>");
            }
            Some(_) | None => self.block(),
        }
    }

    pub(super) fn start_row(&mut self) {
        let Some(table) = self.own_table() else { return self.block() };
        self.close_down_to(table + 1);
        self.table.row_start = self.out.len();
        self.push(Open::Row, "<tr>");
    }

    pub(super) fn start_cell(&mut self, cell: Cell) {
        let Some(table) = self.own_table() else { return self.block() };
        if self.open.get(table + 1) == Some(&Open::Row) {
            self.close_down_to(table + 2);
        } else {
            self.start_row();
        }
        self.apart = false;
        // only the first row can be the head of a table in Markdown
        let cell = if self.table.rows == 0 { cell } else { Cell::Data };
        self.table.has_head |= cell == Cell::Head;
        let tag = format!("<{}>", cell.tag());
        self.out.push_str(&tag);
        self.open.push(Open::Cell(cell, self.out.len()));
    }

    pub(super) fn end_table_part(&mut self, is_meant: impl Fn(Open) -> bool) {
        match self.open.iter().rposition(|open| is_meant(*open)) {
            Some(at) => self.close_down_to(at),
            None => self.block(),
        }
    }
}

impl TableShape {
    pub(super) fn widen(&mut self, width: usize) {
        match self.widths.get_mut(self.column) {
            Some(widest) => *widest = width.max(*widest),
            None => self.widths.push(width),
        }
        self.column += 1;
    }

    /// A head that is not a whole row becomes one: cells beside it would be lost.
    pub(super) fn end_row(&mut self, out: &mut String) {
        if self.rows == 0 && self.has_head {
            retag(out, self.row_start, "td", "th");
        }
        self.rows += 1;
        self.column = 0;
    }

    /// A table whose cells have to be filled up to many times their size, or that has one column, is none.
    pub(super) fn end(self, out: &mut String) {
        let line: usize = self.widths.iter().map(|width| width + 3).sum();
        let size = out.len().saturating_sub(self.start);
        let is_wide = self.rows.saturating_mul(line) > size.saturating_mul(4) + 16 * 1024;
        if is_wide || self.widths.len() < 2 || self.rows < 2 {
            retag(out, self.start, "th", "td");
        }
    }
}

/// Calls the cells from `start` on by another name. In the result, `<` stands before tags alone.
fn retag(out: &mut String, start: usize, from: &str, to: &str) {
    let Some(tail) = out.get(start..) else { return };
    let tail = tail
        .replace(&format!("<{from}>"), &format!("<{to}>"))
        .replace(&format!("</{from}>"), &format!("</{to}>"));
    out.truncate(start);
    out.push_str(&tail);
}
