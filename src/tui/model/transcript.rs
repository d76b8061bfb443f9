//! What has been said and done, as cells that keep their source.
//!
//! A cell is rendered for the width of the moment: once when it goes into the terminal's scrollback, and again for the
//! whole-transcript page. What waits to be printed is the end of the list behind a mark; the mark moves when the frame that
//! prints it is out.

use std::ops::Range;
use std::time::Duration;

use super::call::DoneCall;
use super::facts::Facts;
use super::live::Block;
use super::scroll::Scroll;
use super::todos::TodoChange;

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// The head of the screen.
    Head(Box<Facts>),
    /// What the user said.
    User(String),
    /// A finished block of an answer.
    Answer(Block),
    /// Thoughts, folded.
    Thought {
        /// The text.
        text: String,
        /// How long it took.
        took: Duration,
    },
    /// Calls that only looked, in one line.
    Explored(Vec<DoneCall>),
    /// A call that did something.
    Call(Box<DoneCall>),
    /// The model's list of steps has changed.
    Todos(Box<TodoChange>),
    /// A remark.
    Remark(String),
    /// Something went wrong.
    Error(String),
    /// The user stopped the run.
    Interrupted {
        /// What was running, if anything.
        what: Option<String>,
        /// How many queued messages returned to the input.
        given_back: usize,
    },
    /// A line that says that what stands above it is void.
    Void(String),
    /// A summary stands for what was said before.
    Compacted {
        /// Tokens of a request before.
        before: u64,
        /// Tokens of a request from now on.
        after: u64,
    },
    /// The end of a run.
    Summary {
        /// Turns.
        turns: u32,
        /// Calls.
        calls: u32,
        /// Wall time.
        took: Duration,
        /// Tokens of the run; zero where unknown.
        tokens: u64,
    },
    /// Lines as they are (the answer to a slash command).
    Lines(Vec<String>),
}

/// All cells, how many of them are printed, and where they stand.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    cells: Vec<Cell>,
    printed: usize,
    /// Those that are shown before it is certain that they stand there.
    ahead: Option<Range<usize>>,
    /// Whether others have taken their place since this was asked last.
    replaced: bool,
    /// Where they stand.
    pub place: Place,
}

/// Where the cells stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// In the terminal's own scrollback.
    #[default]
    Scrollback,
    /// On a screen that the program scrolls itself.
    Fullscreen(Scroll),
}

impl Transcript {
    /// Adds a cell.
    pub fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
        self.arrived();
    }

    /// Adds cells.
    pub fn extend(&mut self, cells: impl IntoIterator<Item = Cell>) {
        cells.into_iter().for_each(|cell| self.push(cell));
    }

    /// The cells from this one on are shown ahead: they are not printed before it is certain that they stand there.
    pub fn mark_ahead(&mut self, from: usize) {
        self.ahead = Some(from..self.cells.len());
    }

    /// Whether cells are shown ahead.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        self.ahead.is_some()
    }

    /// Takes off what is shown ahead, so that what is certain can be added in its place; returns what stands behind it.
    pub fn take_ahead(&mut self) -> Vec<Cell> {
        let Some(ahead) = self.ahead.take() else { return Vec::new() };
        let behind = self.cells.split_off(ahead.end.min(self.cells.len()));
        self.cells.truncate(ahead.start);
        self.replaced = true;
        behind
    }

    /// Whether cells were replaced since this was asked last: rows that were made of them are of no use any more.
    pub fn take_replaced(&mut self) -> bool {
        std::mem::take(&mut self.replaced)
    }

    /// Something stands at the end that did not.
    pub fn arrived(&mut self) {
        if let Place::Fullscreen(scroll) = &mut self.place {
            scroll.arrived();
        }
    }

    /// Where one reads, if the program scrolls.
    pub fn scroll(&mut self) -> Option<&mut Scroll> {
        match &mut self.place {
            Place::Fullscreen(scroll) => Some(scroll),
            Place::Scrollback => None,
        }
    }

    /// All cells.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cells that are to be printed, each with the one before it.
    pub fn waiting(&self) -> impl Iterator<Item = (Option<&Cell>, &Cell)> {
        self.with_before(self.printed..self.certain())
    }

    /// The cells that cannot be printed yet: those that are shown ahead, and all behind them.
    pub fn uncertain(&self) -> impl Iterator<Item = (Option<&Cell>, &Cell)> {
        self.with_before(self.certain()..self.cells.len())
    }

    fn with_before(&self, cells: Range<usize>) -> impl Iterator<Item = (Option<&Cell>, &Cell)> {
        cells.filter_map(|index| {
            let before = index.checked_sub(1).and_then(|before| self.cells.get(before));
            Some((before, self.cells.get(index)?))
        })
    }

    fn certain(&self) -> usize {
        self.ahead.as_ref().map_or(self.cells.len(), |ahead| ahead.start)
    }

    /// Whether cells wait to be printed.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.printed < self.certain()
    }

    /// All cells that could be are printed now.
    pub fn mark_printed(&mut self) {
        self.printed = self.certain();
    }
}
