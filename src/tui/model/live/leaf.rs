//! What the line above leaves to the next one: may it go on with a paragraph, is code open, is this HTML.
//!
//! Not exact to the last nesting: within lists in lists only the innermost line counts. Where that is wrong, an
//! answer is cut into other blocks than its author meant, the same ones each time it is drawn.

use super::line::{Fence, Line};

/// Marks of quotes and items that are looked behind in one line. Nobody nests deeper but to do harm.
const MOST_MARKS: usize = 32;

/// Paragraphs, quotes, tables, HTML: what ends with an empty line.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    /// What the last line left in a quote, if the next line may go on with it.
    quote: Option<Inside>,
    pub(super) html: Html,
}

/// How far a block may be HTML, in which nothing else begins.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Html {
    #[default]
    No,
    /// Perhaps: up to the next empty line.
    Perhaps,
    /// Comments, scripts: up to this text, over empty lines.
    Until(&'static str),
}

/// What the last line of an item was, as far as the next line depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Words: a line without indent goes on with them.
    Words,
    /// Fenced code that is open.
    Code(Fence),
    /// What ends with its line.
    Other,
}

impl Text {
    /// Whether the last line belongs to a quote.
    pub(super) fn is_quoted(&self) -> bool {
        self.quote.is_some()
    }

    /// Whether a line ends the paragraph, table or quote above it.
    pub(super) fn is_interrupted_by(&self, line: &Line<'_>) -> bool {
        let list = line.marker().filter(|_| !line.is_rule());
        let item = list.is_some_and(|marker| self.is_quoted() || marker.may_interrupt(line));
        let left_quote = self.quote.is_some_and(|inside| inside != Inside::Words) && !line.is_quote();
        line.fence().is_some() || line.is_heading() || item || left_quote || line.footnote().is_some()
    }

    /// Takes note of a line that has become part of the block.
    pub(super) fn follow(&mut self, line: &Line<'_>) {
        self.quote = match (self.quote, line.within()) {
            (before, Some(inner)) if line.is_quote() => Some(before.unwrap_or(Inside::Other).after(inner)),
            (before, _) => before,
        };
        self.html = match line.html_until() {
            Some(end) if self.html == Html::No => Html::Until(end),
            _ if line.is_html() => Html::Perhaps,
            _ => self.html,
        };
    }
}

impl Inside {
    /// What `line`, of which the indent of the item is taken off, leaves.
    pub(super) fn after(self, mut line: Line<'_>) -> Self {
        if let Self::Code(fence) = self {
            return if fence.is_closed_by(&line) { Self::Other } else { self };
        }
        for _ in 0..MOST_MARKS {
            let Some(inner) = line.within() else { break };
            line = inner;
        }
        match line.fence() {
            Some(fence) => Self::Code(fence),
            None if line.is_blank() || line.is_heading() || line.is_rule() => Self::Other,
            None if line.is_indented() => self,
            None => Self::Words,
        }
    }
}

/// Whether a line begins a block, so that it cannot go on a paragraph of the list item above.
pub(super) fn starts_anything(line: &Line<'_>) -> bool {
    !line.is_indented()
        && (line.fence().is_some()
            || line.is_heading()
            || line.is_rule()
            || line.is_quote()
            || line.marker().is_some()
            || line.footnote().is_some())
}
