//! What stands between the loop and the user: a screen that is drawn, or one that is told line by line.
//!
//! The one place that knows that there are two. Model, messages, updates and effects are the same before both; here only what a
//! terminal can do differs, and what it cannot do is said to whoever asked for it.

use std::io;

use super::attention::title;
use super::model::moment::Moment;
use super::model::scroll::Scroll;
use super::model::transcript::Place;
use super::model::{Model, Size};
use super::painter::Painter;
use super::scene::Scene;
use super::screen::{Pace, Rewrap};
use super::speaker::{ROWS, Speaker};
use super::terminal::{Echo, Input, Lines, Meanwhile, Multiplexer, Terminal};
use super::view::brush::{Look, Manner, Signs};
use super::view::plain::Awaits;
use super::view::theme::Theme;
use crate::app::{Showing, Surface, TuiConfig};

/// A screen, in one of its two forms.
pub(super) enum Front {
    /// Drawn.
    Drawn(Box<Drawn>),
    /// Told.
    Told(Box<Told>),
}

/// A terminal that is drawn on.
pub(super) struct Drawn {
    pub(super) terminal: Terminal,
    pub(super) painter: Painter,
}

/// A terminal that is told lines.
pub(super) struct Told {
    pub(super) terminal: Lines,
    pub(super) speaker: Speaker,
    /// What the user was asked for last.
    pub(super) awaits: Awaits,
}

/// What became of a text for the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handed {
    /// The terminal has it.
    Over,
    /// This terminal has no clipboard that we can reach.
    Nowhere,
}

impl Front {
    /// The screen as the terminal and the user want it.
    pub(super) fn open(wanted: &TuiConfig, theme: Theme, scene: &Scene) -> io::Result<Self> {
        let manner = |signs| Manner { signs, ..Manner::from(wanted) };
        match (scene.showing, wanted.showing) {
            (Showing::Drawn, Showing::Drawn) => {
                let rewrap =
                    Rewrap::of(&scene.term, &scene.term_program, scene.multiplexer == Multiplexer::Tmux);
                let mut terminal = Terminal::enter(scene.multiplexer)?;
                terminal.tell_pastes(scene.pastes);
                let look = Look { theme, manner: manner(Signs::Signs) };
                Ok(Self::Drawn(Box::new(Drawn {
                    terminal,
                    painter: Painter::new(rewrap, look, scene.letters, wanted.mouse),
                })))
            }
            (Showing::Told, _) | (_, Showing::Told) => Ok(Self::Told(Box::new(Told {
                terminal: Lines::enter()?,
                speaker: Speaker::new(Look { theme, manner: manner(Signs::Words) }, scene.letters),
                awaits: Awaits::Nothing,
            }))),
        }
    }

    pub(super) fn size(&self) -> Size {
        match self {
            Self::Drawn(drawn) => {
                let size = drawn.terminal.size();
                Size { columns: size.width, rows: size.height }
            }
            Self::Told(told) => Size { columns: told.terminal.size().width, rows: ROWS },
        }
    }

    /// Where the transcript stands: whoever is told lines has them in the scrollback.
    pub(super) fn place(&self, surface: Surface) -> Place {
        match (self, surface) {
            (Self::Told(_), _) | (Self::Drawn(_), Surface::Scrollback) => Place::Scrollback,
            (Self::Drawn(_), Surface::Fullscreen) => Place::Fullscreen(Scroll::default()),
        }
    }

    /// The next thing the user does; none once there can be no more. Safe to drop at any time.
    pub(super) async fn next(&mut self) -> Option<io::Result<Input>> {
        match self {
            Self::Drawn(drawn) => drawn.terminal.next().await,
            Self::Told(told) => {
                let input = told.terminal.next().await;
                match &input {
                    Some(Ok(Input::Line(line))) => told.speaker.heard(line, told.awaits),
                    Some(Ok(Input::Key(_) | Input::Paste(_))) => told.speaker.heard("", told.awaits),
                    // of these only a size comes where lines are told
                    Some(
                        Ok(
                            Input::Burst(..)
                            | Input::Wheel(_)
                            | Input::Resize(_)
                            | Input::Focus(_)
                            | Input::Background(_),
                        )
                        | Err(_),
                    )
                    | None => {}
                }
                input
            }
        }
    }

    /// Shows the model as it is now.
    pub(super) fn draw(&mut self, model: &mut Model, now: Moment, pace: Pace) -> io::Result<()> {
        match self {
            Self::Drawn(drawn) => drawn.painter.draw(&drawn.terminal, model, now, pace),
            Self::Told(told) => {
                let (text, awaits) = told.speaker.speak(model, now, told.terminal.size().width);
                told.terminal.write(&text)?;
                told.set_awaits(awaits)
            }
        }
    }

    /// What follows a frame: the window's title, and a question to the terminal.
    pub(super) fn adorn(&mut self, model: &Model, background: Wanted) -> io::Result<()> {
        match self {
            Self::Drawn(drawn) => {
                if background == Wanted::Yes {
                    drawn.terminal.ask_background()?;
                }
                drawn.terminal.set_title(&drawn.painter.letters().text(&title(model)))
            }
            Self::Told(_) => Ok(()),
        }
    }

    /// A word to somebody who looks elsewhere.
    pub(super) fn notify(&self, word: &str) -> io::Result<()> {
        match self {
            Self::Drawn(drawn) => drawn.terminal.notify(word),
            Self::Told(_) => Ok(()),
        }
    }

    /// Hands a text to the terminal's clipboard.
    pub(super) fn copy(&self, text: &str) -> io::Result<Handed> {
        match self {
            Self::Drawn(drawn) => drawn.terminal.copy(text).map(|()| Handed::Over),
            Self::Told(_) => Ok(Handed::Nowhere),
        }
    }

    /// A signal has ended what was typed.
    pub(super) fn interrupted(&mut self) {
        if let Self::Told(told) = self {
            told.speaker.disturbed();
        }
    }

    pub(super) fn set_theme(&mut self, theme: Theme) {
        match self {
            Self::Drawn(drawn) => drawn.painter.set_theme(theme),
            Self::Told(_) => {}
        }
    }

    /// Has the next frame draw everything anew.
    pub(super) fn distrust(&mut self) {
        match self {
            Self::Drawn(drawn) => drawn.painter.distrust(),
            Self::Told(told) => told.speaker.disturbed(),
        }
    }

    /// Whether more of what is shown is to be made.
    pub(super) fn is_behind(&self) -> bool {
        match self {
            Self::Drawn(drawn) => drawn.painter.is_behind(),
            Self::Told(told) => told.speaker.is_behind(),
        }
    }

    /// Takes off what is not to stay.
    pub(super) fn leave(&mut self) -> io::Result<()> {
        match self {
            Self::Drawn(drawn) => drawn.painter.leave(&drawn.terminal),
            Self::Told(told) => told.terminal.write(told.speaker.leave()),
        }
    }

    /// Lends the terminal to another program.
    pub(super) fn lend(&mut self) -> io::Result<()> {
        self.leave()?;
        match self {
            Self::Drawn(drawn) => drawn.terminal.lend(),
            Self::Told(told) => told.terminal.lend(),
        }
        Ok(())
    }

    /// Takes it back.
    pub(super) fn take_back(&mut self) -> io::Result<()> {
        match self {
            Self::Drawn(drawn) => drawn.terminal.take_back(),
            Self::Told(told) => told.terminal.take_back(),
        }
    }

    /// Stops the program as Ctrl+Z does elsewhere. Where lines are told the terminal itself does it.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        self.leave()?;
        match self {
            Self::Drawn(drawn) => drawn.terminal.suspend(),
            Self::Told(_) => Ok(()),
        }
    }

    /// After a stop from outside. Says whether somebody else had the terminal.
    pub(super) fn go_on(&mut self) -> io::Result<Meanwhile> {
        match self {
            Self::Drawn(drawn) => {
                let meanwhile = drawn.terminal.take_again()?;
                if meanwhile == Meanwhile::Strange {
                    drawn.painter.begin_anew(&drawn.terminal)?;
                }
                Ok(meanwhile)
            }
            Self::Told(told) => {
                told.speaker.disturbed();
                Ok(Meanwhile::Strange)
            }
        }
    }

    /// Waits for an answer of the terminal that is on its way.
    pub(super) async fn hear_out(&mut self) {
        match self {
            Self::Drawn(drawn) => drawn.terminal.hear_out().await,
            Self::Told(_) => {}
        }
    }
}

/// Whether the terminal's background is worth a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Yes,
    No,
}

impl Told {
    /// What is typed is shown, unless it is a key.
    fn set_awaits(&mut self, awaits: Awaits) -> io::Result<()> {
        let was_secret = self.awaits == Awaits::Secret;
        self.awaits = awaits;
        match (was_secret, awaits) {
            (false, Awaits::Secret) => self.terminal.echo(Echo::Off),
            (true, Awaits::Nothing | Awaits::Line) => self.terminal.echo(Echo::On),
            (true, Awaits::Secret) | (false, Awaits::Nothing | Awaits::Line) => Ok(()),
        }
    }
}
