//! Markdown as lines for the terminal, over `pulldown-cmark`.
//!
//! Not a page: no colours but by role, no frames, no padding. Two kinds of lines come out. Prose, lists and tables
//! are broken to the width here; code stands flush left in lines as they were written, which the terminal breaks
//! itself, so that a copy is exact. The surprise: a whole text is first cut into the blocks of
//! [`Live`], as if it were arriving, so that both look the same by construction.

mod autolink;
mod blocks;
mod inline;
mod table;

use ratatui::text::Line;

use crate::text::highlight::Highlighter;
use crate::text::sanitize::sanitize;
use crate::tui::model::live::{Block, Gap, Kind, Live};

use self::blocks::Blocks;
use super::highlight;
use super::theme::Theme;

/// A line ready to be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Its text, without spaces at the end.
    pub line: Line<'static>,
    /// Who breaks it.
    pub wrap: Wrap,
}

/// Who breaks a line that is wider than the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// It is not wider: it has been broken to the width.
    Fitted,
    /// The terminal does: it is a logical line, and a copy must have it whole.
    Terminal,
}

impl Printed {
    fn fitted(line: Line<'static>) -> Self {
        Self { line, wrap: Wrap::Fitted }
    }
}

/// All of a Markdown text, prose broken to `columns`.
pub fn render(source: &str, columns: usize, theme: Theme) -> Vec<Printed> {
    let mut live = Live::default();
    let mut blocks = live.push(source);
    blocks.extend(live.finish());
    blocks.iter().flat_map(|block| render_block(block, columns, theme)).collect()
}

/// One block of a text, with the gap above it.
pub fn render_block(block: &Block, columns: usize, theme: Theme) -> Vec<Printed> {
    match block.kind {
        Kind::Code { reading, .. } => {
            let gap = (block.gap == Gap::Line).then(|| Printed::fitted(Line::default()));
            gap.into_iter().chain(code(&block.source, reading, theme)).collect()
        }
        Kind::Item { number } => Blocks::new(columns, theme).render(&block.source, block.gap, number),
        Kind::Text => Blocks::new(columns, theme).render(&block.source, block.gap, None),
    }
}

/// Code in lines as they were written.
fn code(source: &str, reading: Option<Highlighter>, theme: Theme) -> Vec<Printed> {
    let lines = highlight::code(&sanitize(source), reading, theme);
    lines.into_iter().map(|line| Printed { line, wrap: Wrap::Terminal }).collect()
}

#[cfg(test)]
mod tests;
