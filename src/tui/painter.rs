//! From the model to the terminal: the one place that draws.
//!
//! It knows which of the two screens is shown and takes the other off first; what a picture consists of is `view`'s, how it
//! becomes bytes is `screen`'s.

use std::io;

use ratatui::layout::Size;

use super::model::Model;
use super::model::moment::Moment;
use super::model::overlay::Overlay;
use super::screen::{Frame, Pace, Rewrap, Screen, StartAt, page};
use super::terminal::Terminal;
use super::view;
use super::view::theme::Theme;

/// Draws.
pub(super) struct Painter {
    screen: Screen,
    theme: Theme,
    shown: Shown,
    bytes: Vec<u8>,
    /// How far up the page that is shown went the last time.
    most_up: Option<usize>,
}

/// Which screen is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Inline,
    Alternate,
}

impl Painter {
    /// A painter for a terminal on which nothing of ours stands; the cursor is where the shell left it.
    pub(super) fn new(rewrap: Rewrap, theme: Theme) -> Self {
        let mut screen = Screen::new(rewrap);
        let mut bytes = Vec::new();
        screen.start(StartAt::FirstColumn, &mut bytes);
        Self { screen, theme, shown: Shown::Inline, bytes, most_up: None }
    }

    /// Draws the model as it is now. What waited in the transcript is printed by it, unless a page lies over it.
    pub(super) fn draw(
        &mut self,
        terminal: &Terminal,
        model: &mut Model,
        now: Moment,
        pace: Pace,
    ) -> io::Result<()> {
        match &model.overlay {
            Some(Overlay::Page(_)) => self.draw_page(terminal, model, now),
            Some(Overlay::Models(_) | Overlay::Sessions(_) | Overlay::Tasks(_) | Overlay::Permissions(_))
            | None => self.draw_inline(terminal, model, now, pace),
        }
    }

    /// Takes the live region off: for the end, for Ctrl+Z.
    pub(super) fn leave(&mut self, terminal: &Terminal) -> io::Result<()> {
        if self.shown == Shown::Alternate {
            terminal.show_inline()?;
            self.shown = Shown::Inline;
            self.screen = Screen::new(self.rewrap());
        }
        self.bytes.clear();
        self.screen.leave(&mut self.bytes);
        terminal.write(&self.bytes, 0)
    }

    /// Begins below whatever stands on the screen now.
    pub(super) fn begin_anew(&mut self, terminal: &Terminal) -> io::Result<()> {
        if self.shown == Shown::Alternate {
            return Ok(()); // a page is always drawn whole
        }
        self.bytes.clear();
        self.screen.start(StartAt::Unknown, &mut self.bytes);
        terminal.write(&self.bytes, 0)
    }

    /// Has the next frame draw everything below the history anew.
    pub(super) fn distrust(&mut self) {
        self.screen.distrust();
    }

    fn draw_inline(
        &mut self,
        terminal: &Terminal,
        model: &mut Model,
        now: Moment,
        pace: Pace,
    ) -> io::Result<()> {
        if self.shown == Shown::Alternate {
            terminal.show_inline()?;
            self.shown = Shown::Inline;
            self.most_up = None;
        }
        let picture = view::picture(model, self.theme, now);
        let frame = Frame {
            history: picture.history,
            live: picture.live,
            cursor: picture.cursor,
            pace,
            size: Size::new(model.size.columns, model.size.rows),
        };
        self.bytes.clear();
        self.screen.frame(&frame, &mut self.bytes);
        model.transcript.mark_printed();
        terminal.write(&self.bytes, self.screen.rows_above())
    }

    fn draw_page(&mut self, terminal: &Terminal, model: &mut Model, now: Moment) -> io::Result<()> {
        self.bytes.clear();
        if self.shown == Shown::Inline {
            self.screen.leave(&mut self.bytes);
            terminal.write(&self.bytes, 0)?;
            terminal.show_alternate()?;
            self.shown = Shown::Alternate;
            self.bytes.clear();
        }
        let most = view::page::most_up(model, self.theme, now);
        if let Some(Overlay::Page(page)) = &mut model.overlay {
            // what is read further up stays where it is while more arrives below it
            let arrived = self.most_up.map_or(0, |before| most.saturating_sub(before));
            let up = if page.up > 0 { page.up.saturating_add(arrived) } else { 0 };
            page.up = up.min(most);
        }
        self.most_up = Some(most);
        let rows = view::page::page(model, self.theme, now);
        page(&rows, Size::new(model.size.columns, model.size.rows), &mut self.bytes);
        terminal.write(&self.bytes, 0)
    }

    fn rewrap(&self) -> Rewrap {
        self.screen.rewrap()
    }
}
