//! Two terminals that run in this process: one that rewraps its rows, one that does not.

use std::num::NonZeroU16;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{Config, Term, test::TermSize};
use alacritty_terminal::vte::ansi::Processor;
use ratatui::layout::Size;

/// What the gate needs of a terminal.
pub(crate) trait Emulator {
    fn resize(&mut self, size: Size);
    fn feed(&mut self, bytes: &[u8]);
    /// History and screen, from the oldest: logical lines where the terminal knows them, else rows.
    fn text(&mut self) -> Vec<String>;
}

/// Rewraps.
pub(crate) struct Alacritty {
    term: Term<VoidListener>,
    parser: Processor,
}

impl Alacritty {
    pub(crate) fn new(size: Size) -> Self {
        let config = Config { scrolling_history: 50_000, ..Config::default() };
        Self { term: Term::new(config, &term_size(size), VoidListener), parser: Processor::new() }
    }
}

impl Alacritty {
    /// Every cell of history and screen, from the oldest row, with what can be seen of its colours.
    pub(crate) fn cells(&self) -> Vec<String> {
        let grid = self.term.grid();
        let rows = (grid.topmost_line().0..=grid.bottommost_line().0).map(|row| {
            let row = &grid[Line(row)];
            let cells = (0..grid.columns()).map(|col| &row[Column(col)]);
            let seen = cells.map(|cell| {
                let ink = Flags::INVERSE | Flags::ALL_UNDERLINES | Flags::STRIKEOUT;
                let flags = if cell.c == ' ' { cell.flags & (ink | Flags::WRAPLINE) } else { cell.flags };
                let fg = (cell.c != ' ' || flags.contains(Flags::INVERSE)).then_some(cell.fg);
                let joined: String = cell.zerowidth().into_iter().flatten().collect();
                format!("{}{joined} {fg:?} {:?} {flags:?}|", cell.c, cell.bg)
            });
            seen.collect()
        });
        rows.collect()
    }
}

impl Emulator for Alacritty {
    fn resize(&mut self, size: Size) {
        self.term.resize(term_size(size));
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    fn text(&mut self) -> Vec<String> {
        let grid = self.term.grid();
        let mut lines = vec![String::new()];
        for row in grid.topmost_line().0..=grid.bottommost_line().0 {
            let row = &grid[Line(row)];
            let line = lines.last_mut().unwrap();
            for col in 0..grid.columns() {
                let cell = &row[Column(col)];
                if !cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
                    line.push(cell.c);
                }
            }
            if !row[Column(grid.columns() - 1)].flags.contains(Flags::WRAPLINE) {
                lines.push(String::new());
            }
        }
        lines
    }
}

fn term_size(size: Size) -> TermSize {
    TermSize::new(usize::from(size.width), usize::from(size.height))
}

/// Does not rewrap, and knows nothing of autowrap.
pub(crate) struct Vt100(vt100::Parser);

impl Vt100 {
    pub(crate) fn new(size: Size) -> Self {
        let (height, width) = cells(size);
        Self(vt100::Parser::new(height, width, 50_000))
    }
}

impl Emulator for Vt100 {
    fn resize(&mut self, size: Size) {
        let (height, width) = cells(size);
        self.0.screen_mut().set_size(height, width);
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.0.process(bytes);
    }

    fn text(&mut self) -> Vec<String> {
        let screen = self.0.screen_mut();
        let width = screen.size().1.get();
        screen.set_scrollback(usize::MAX);
        let history = screen.scrollback();
        let mut rows = Vec::new();
        for above in (1..=history).rev() {
            screen.set_scrollback(above);
            rows.extend(screen.rows(0, width).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width));
        rows
    }
}

fn cells(size: Size) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(size.height).unwrap(), NonZeroU16::new(size.width).unwrap())
}
