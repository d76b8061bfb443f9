//! Places: what is open in the shallow page, and what may stand there.
//!
//! Whatever is opened here is closed here, in order, so that the result needs no repair.

use super::Writer;
use super::tags::{Cell, List, Words};

/// What is open in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    Quote,
    List(List),
    Item,
    Table,
    Caption,
    Row,
    /// With where its content begins.
    Cell(Cell, usize),
    Paragraph,
    Heading(u8),
    /// With where its tag begins, and where its content does.
    Words(Words, usize, usize),
    Link(usize, usize),
}

impl Writer {
    /// Makes room for words: a paragraph, an item or a cell where one is needed.
    pub(super) fn place(&mut self) {
        self.enter();
        if !std::mem::take(&mut self.apart) {
            return;
        }
        if self.cell().is_some() {
            self.out.push(' ');
        } else {
            self.push(Open::Paragraph, "<p>");
        }
    }

    /// A list holds nothing but items, a table nothing but cells.
    pub(super) fn enter(&mut self) {
        match self.open.last() {
            Some(Open::List(_)) => {
                self.apart = false;
                self.push(Open::Item, "<li>");
            }
            Some(Open::Table | Open::Row) => self.start_cell(Cell::Data),
            Some(_) | None => {}
        }
    }

    /// What was before stands apart from what comes.
    pub(super) fn block(&mut self) {
        if self.is_in_one_line() {
            self.space();
        } else {
            self.close_block();
            // before its first words nothing has to be set apart
            self.apart = !self.out.ends_with("<li>") && !self.out.is_empty();
        }
    }

    pub(super) fn space(&mut self) {
        let holds_no_words = matches!(self.open.last(), Some(Open::List(_) | Open::Table | Open::Row));
        if !holds_no_words && !self.apart && !self.out.is_empty() && !self.out.ends_with(' ') {
            self.out.push(' ');
        }
    }

    pub(super) fn push(&mut self, open: Open, tag: &str) {
        self.out.push_str(tag);
        self.open.push(open);
    }

    /// Whether this is a place for words alone: a heading, a link, a cell.
    pub(super) fn is_in_one_line(&self) -> bool {
        self.cell().is_some()
            || self.inner(|open| matches!(open, Open::Heading(_) | Open::Link(..))).is_some()
    }

    /// The cell or the caption that is open.
    pub(super) fn cell(&self) -> Option<usize> {
        self.open.iter().rposition(|open| matches!(open, Open::Cell(..) | Open::Caption))
    }

    /// The open link, and where its content begins.
    pub(super) fn link(&self) -> Option<(usize, usize)> {
        let at = self.inner(|open| matches!(open, Open::Link(..)))?;
        if let Some(Open::Link(_, content)) = self.open.get(at) { Some((at, *content)) } else { None }
    }

    /// The innermost of its kind that no container stands in.
    pub(super) fn inner(&self, is_meant: impl Fn(Open) -> bool) -> Option<usize> {
        let inner = self.open.iter().enumerate().rev().take_while(|(_, open)| !open.is_container());
        inner.filter(|(_, open)| is_meant(**open)).map(|(at, _)| at).next()
    }

    pub(super) fn end_innermost(&mut self, is_meant: impl Fn(Open) -> bool) {
        if let Some(at) = self.inner(is_meant) {
            self.apart |= matches!(self.open.get(at), Some(Open::Heading(_)));
            self.close_down_to(at);
        }
    }

    /// Ends a quotation or a list; one that stands around a table is not ended from inside a cell.
    pub(super) fn end_container(&mut self, is_meant: impl Fn(Open) -> bool) {
        let from = self.cell().map_or(0, |cell| cell + 1);
        match self.open.iter().rposition(|open| is_meant(*open)) {
            Some(at) if at >= from => {
                self.close_down_to(at);
                self.apart = true;
            }
            Some(_) | None => self.block(),
        }
    }

    fn close_words(&mut self) {
        while matches!(self.open.last(), Some(Open::Words(..) | Open::Link(..))) {
            self.close_last();
        }
    }

    /// Ends words, and the paragraph or heading that they stand in.
    pub(super) fn close_block(&mut self) {
        self.close_words();
        if matches!(self.open.last(), Some(Open::Paragraph | Open::Heading(_))) {
            self.close_last();
            self.apart = true;
        }
    }

    pub(super) fn close_down_to(&mut self, length: usize) {
        while self.open.len() > length {
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        let Some(last) = self.open.pop() else { return };
        match last {
            Open::Words(_, start, content) | Open::Link(start, content) if self.is_blank(content) => {
                self.out.truncate(start);
                self.space();
            }
            Open::Words(words, ..) => self.close_tag(words.tag()),
            Open::Link(..) => self.close_tag("a"),
            Open::Paragraph => self.close_tag("p"),
            Open::Heading(level) => {
                let tag = format!("</h{level}>");
                self.out.push_str(&tag);
            }
            Open::Quote => self.close_tag("blockquote"),
            Open::List(list) => self.close_tag(list.tag()),
            Open::Item => self.close_tag("li"),
            Open::Caption => self.close_tag("caption"),
            Open::Cell(cell, content) => {
                self.table.widen(self.out.len().saturating_sub(content));
                self.close_tag(cell.tag());
                self.apart = false;
            }
            Open::Row => {
                self.close_tag("tr");
                self.table.end_row(&mut self.out);
            }
            Open::Table => {
                self.close_tag("table");
                std::mem::take(&mut self.table).end(&mut self.out);
                self.apart = true;
            }
        }
    }

    fn is_blank(&self, from: usize) -> bool {
        self.out.get(from..).is_none_or(|content| content.trim_ascii().is_empty())
    }

    fn close_tag(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }
}

impl Open {
    fn is_container(self) -> bool {
        match self {
            Self::Quote
            | Self::List(_)
            | Self::Item
            | Self::Table
            | Self::Caption
            | Self::Row
            | Self::Cell(..) => true,
            Self::Paragraph | Self::Heading(_) | Self::Words(..) | Self::Link(..) => false,
        }
    }
}
