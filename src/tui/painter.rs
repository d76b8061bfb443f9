//! From the model to the terminal: the one place that draws.
//!
//! It knows which of the two screens is shown and takes the other off first; what a picture consists of is `view`'s, how it
//! becomes bytes is `screen`'s.

use std::io;

use ratatui::layout::Size;

use super::model::moment::Moment;
use super::model::overlay::Overlay;
use super::model::scroll::Scroll;
use super::model::transcript::Place;
use super::model::{Model, Stage};
use super::screen::{Canvas, Frame, Pace, Reach, Rewrap, Screen, StartAt};
use super::terminal::Terminal;
use super::view;
use super::view::brush::Look;
use super::view::full;
use super::view::letters::Letters;
use super::view::preview::Kept;
use super::view::reel::Reel;
use super::view::sheet::Sheet;
use super::view::theme::Theme;
use crate::app::Mouse;

/// Draws.
pub(super) struct Painter {
    screen: Screen,
    canvas: Canvas,
    look: Look,
    letters: Letters,
    mouse: Mouse,
    shown: Shown,
    bytes: Vec<u8>,
    /// What is asked about, as it was drawn last.
    kept: Kept,
    /// The rows of the transcript that are seen, where the program scrolls it.
    reel: Reel,
    /// The rows of the page that is shown, as far as they were made.
    sheet: Option<Sheet>,
}

/// Which screen is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Inline,
    Alternate,
}

impl Painter {
    /// A painter for a terminal on which nothing of ours stands; the cursor is where the shell left it.
    pub(super) fn new(rewrap: Rewrap, look: Look, letters: Letters, mouse: Mouse) -> Self {
        let mut screen = Screen::new(rewrap);
        let mut bytes = Vec::new();
        screen.start(StartAt::FirstColumn, &mut bytes);
        Self {
            screen,
            canvas: Canvas::default(),
            look,
            letters,
            mouse,
            shown: Shown::Inline,
            bytes,
            kept: Kept::default(),
            reel: Reel::default(),
            sheet: None,
        }
    }

    /// Draws the model as it is now. What waited in the transcript is printed by it, unless a page lies over it.
    pub(super) fn draw(
        &mut self,
        terminal: &Terminal,
        model: &mut Model,
        now: Moment,
        pace: Pace,
    ) -> io::Result<()> {
        if model.transcript.take_replaced() {
            (self.reel, self.sheet) = (Reel::default(), None);
        }
        let is_page = matches!(model.overlay, Some(Overlay::Page(_)));
        self.sheet.take_if(|_| !is_page);
        match model.transcript.place {
            _ if is_page => self.draw_page(terminal, model, now),
            Place::Scrollback => self.draw_inline(terminal, model, now, pace),
            Place::Fullscreen(scroll) => self.draw_full(terminal, model, scroll, now),
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
            self.canvas.distrust();
            return Ok(());
        }
        self.bytes.clear();
        self.screen.start(StartAt::Unknown, &mut self.bytes);
        terminal.write(&self.bytes, 0)
    }

    /// Which letters it draws.
    pub(super) fn letters(&self) -> Letters {
        self.letters
    }

    /// Draws with another theme from the next frame on; what stands in the scrollback stays as it is.
    pub(super) fn set_theme(&mut self, theme: Theme) {
        self.look.theme = theme;
    }

    /// Has the next frame draw everything below the history anew.
    pub(super) fn distrust(&mut self) {
        self.screen.distrust();
        self.canvas.distrust();
    }

    /// Whether the page that is shown goes further up than is known yet.
    pub(super) fn is_behind(&self) -> bool {
        self.sheet.as_ref().is_some_and(|sheet| !sheet.is_whole())
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
        }
        let picture = view::draw(&mut self.kept, model, self.look, now);
        note_shown(model, &self.kept);
        let frame = Frame {
            history: self.letters.lines(picture.history),
            live: self.letters.lines(picture.live),
            cursor: picture.cursor,
            pace,
            size: Size::new(model.size.columns, model.size.rows),
            reach: if model.transcript.is_ahead() { Reach::Whole } else { Reach::Half },
        };
        self.bytes.clear();
        self.screen.frame(&frame, &mut self.bytes);
        model.transcript.mark_printed();
        terminal.write(&self.bytes, self.screen.rows_above())
    }

    fn draw_page(&mut self, terminal: &Terminal, model: &mut Model, now: Moment) -> io::Result<()> {
        self.show_alternate(terminal, model.transcript.place)?;
        let Some(Overlay::Page(mut open)) = model.overlay.take() else { return Ok(()) };
        let sheet = self.sheet.get_or_insert_default();
        let rows = view::page::draw(sheet, &mut open, model, (self.look, now));
        model.overlay = Some(Overlay::Page(open));
        self.bytes.clear();
        let size = Size::new(model.size.columns, model.size.rows);
        self.canvas.draw(&self.letters.lines(rows), None, size, &mut self.bytes);
        terminal.write(&self.bytes, 0)
    }

    fn draw_full(
        &mut self,
        terminal: &Terminal,
        model: &mut Model,
        mut scroll: Scroll,
        now: Moment,
    ) -> io::Result<()> {
        self.show_alternate(terminal, model.transcript.place)?;
        let full = full::draw((&mut self.reel, &mut self.kept), &mut scroll, model, (self.look, now));
        model.transcript.place = Place::Fullscreen(scroll);
        note_shown(model, &self.kept);
        model.transcript.mark_printed();
        self.bytes.clear();
        let size = Size::new(model.size.columns, model.size.rows);
        self.canvas.draw(&self.letters.lines(full.rows), full.cursor, size, &mut self.bytes);
        terminal.write(&self.bytes, 0)
    }

    /// The live region is taken off first, so that the inline screen is as it was left.
    fn show_alternate(&mut self, terminal: &Terminal, place: Place) -> io::Result<()> {
        if self.shown == Shown::Alternate {
            return Ok(());
        }
        self.canvas = Canvas::default();
        match place {
            Place::Scrollback => {
                self.bytes.clear();
                self.screen.leave(&mut self.bytes);
                terminal.write(&self.bytes, 0)?;
                terminal.show_page()?;
            }
            Place::Fullscreen(_) => terminal.show_full(self.mouse)?,
        }
        self.shown = Shown::Alternate;
        Ok(())
    }

    fn rewrap(&self) -> Rewrap {
        self.screen.rewrap()
    }
}

/// A question must be seen whole before some of its answers count.
fn note_shown(model: &mut Model, kept: &Kept) {
    if let Stage::Asking(asking) = &mut model.stage {
        asking.shown = kept.shown();
    }
}
