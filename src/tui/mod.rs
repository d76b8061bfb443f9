//! The interactive front end: a pure middle between a terminal and a conversation.
//!
//! What happens comes in as [`msg::Msg`]; `update` changes the [`model::Model`] and says what is wanted as [`effect::Effect`]s; the
//! [`runner`] carries them out; `view` makes a picture of the model; the painter brings it to the terminal. Only this file sees all of
//! them, and it only passes on. At rest nothing here wakes up: no tick, no timer, no frame.

pub mod effect;
pub mod frames;
pub mod key;
pub mod keymap;
pub mod model;
pub mod msg;
mod painter;
pub mod runner;
pub mod screen;
pub mod slash;
pub mod terminal;
pub mod update;
pub mod view;

use std::collections::VecDeque;
use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::cli::Cli;
use crate::error::Error;
use crate::os::env::Env;
use crate::os::signals::{Continuations, Signal, Signals};
use effect::Effect;
use frames::{Cause, Frames};
use model::choice::Item;
use model::composer::Composer;
use model::moment::Moment;
use model::overlay::Overlay;
use model::{Model, Size, Stage};
use msg::Msg;
use painter::Painter;
use runner::Runner;
use screen::Rewrap;
use terminal::{Input, Meanwhile, Multiplexer, Terminal};
use view::theme::Theme;

/// How often a waiting line shows its next picture. Slow enough to be calm, quick enough to be alive.
const TICK: Duration = Duration::from_millis(120);
/// How often the open list of background commands is looked at: its times are in whole seconds.
const SECOND: Duration = Duration::from_secs(1);
/// How long the hint that a second Ctrl+C leaves is shown, and true.
const LEAVE: Duration = Duration::from_secs(2);
/// How long a change of size has to last before it is drawn: a drag sends many, and a frame in between is wasted.
const SETTLE: Duration = Duration::from_millis(60);

/// What the screen needs to know of the world before it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// `$TERM`.
    pub term: String,
    /// `$TERM_PROGRAM`.
    pub term_program: String,
    /// Whether `$TMUX` is set.
    pub multiplexer: Multiplexer,
    /// Whether there are colours.
    pub theme: Theme,
    /// A prompt from the command line.
    pub prompt: Option<String>,
}

impl Scene {
    /// The scene as the command line and the environment have it.
    #[must_use]
    pub fn of(cli: &Cli, env: &Env) -> Self {
        let text = |name| env.text(name).unwrap_or_default().to_owned();
        let mono = env.get("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            term: text("TERM"),
            term_program: text("TERM_PROGRAM"),
            multiplexer: if env.get("TMUX").is_some() { Multiplexer::Tmux } else { Multiplexer::Other },
            theme: if mono { Theme::Mono } else { Theme::Colour },
            prompt: cli.prompt.clone(),
        }
    }
}

/// Why the screen ended.
enum Left {
    User,
    Signal(Signal),
    TerminalLost,
    Panic,
}

/// Runs the screen until the user leaves.
///
/// # Errors
/// Where the terminal cannot be taken or is lost.
pub async fn run(app: App, scene: Scene) -> Result<ExitCode, Error> {
    let signals = Signals::listen().map_err(|error| Error::terminal(&error))?;
    let continuations = Continuations::listen().map_err(|error| Error::terminal(&error))?;
    let terminal = Terminal::enter(scene.multiplexer).map_err(|error| Error::terminal(&error))?;
    let mut loop_ = Loop::new(app, terminal, (signals, continuations), &scene);
    let left = loop_.turn_until_left().await;
    let farewell = loop_.leave().await;
    drop(loop_);
    match left {
        Ok(Left::User) => {
            say_goodbye(farewell);
            Ok(ExitCode::SUCCESS)
        }
        Ok(Left::Signal(signal)) => Ok(ExitCode::from(signal.exit_code())),
        Ok(Left::Panic) => Ok(ExitCode::FAILURE),
        Ok(Left::TerminalLost) => Ok(ExitCode::from(Signal::HangUp.exit_code())),
        Err(error) => Err(Error::terminal(&error)),
    }
}

/// Everything that the loop turns around.
struct Loop {
    model: Model,
    runner: Runner,
    terminal: Terminal,
    painter: Painter,
    frames: Frames,
    signals: Signals,
    continuations: Continuations,
    began: Instant,
}

/// What woke the loop.
enum Woken {
    Panic,
    Signal(Signal),
    Continued,
    Input(Option<io::Result<Input>>),
    Msg(Msg),
    Frame,
}

impl Loop {
    fn new(
        app: App,
        terminal: Terminal,
        (signals, continuations): (Signals, Continuations),
        scene: &Scene,
    ) -> Self {
        let size = terminal.size();
        let commands = slash::TABLE.iter().map(|row| {
            let also: Vec<String> = row.aliases.iter().map(|alias| (*alias).to_owned()).collect();
            Item::new(row.name, row.text).also(also)
        });
        let composer = Composer::new(commands.collect());
        let mut model = Model::new(Size { columns: size.width, rows: size.height }, composer);
        model.first_prompt.clone_from(&scene.prompt);
        let in_tmux = scene.multiplexer == Multiplexer::Tmux;
        Self {
            model,
            runner: Runner::new(app),
            terminal,
            painter: Painter::new(Rewrap::of(&scene.term, &scene.term_program, in_tmux), scene.theme),
            frames: Frames::new(SETTLE),
            signals,
            continuations,
            began: Instant::now(),
        }
    }

    async fn turn_until_left(&mut self) -> io::Result<Left> {
        self.frames.ask(Cause::Turn, Instant::now());
        for msg in self.runner.open() {
            if let Some(left) = self.take(msg, Cause::Turn)? {
                return Ok(left);
            }
        }
        loop {
            let left = match self.wait().await {
                Woken::Signal(Signal::Interrupt) => self.take(Msg::Key(key::Key::ctrl('c')), Cause::Key)?,
                Woken::Signal(signal) => Some(Left::Signal(signal)),
                Woken::Panic => Some(Left::Panic),
                Woken::Continued => {
                    self.go_on()?;
                    None
                }
                Woken::Input(None) => Some(Left::TerminalLost),
                Woken::Input(Some(input)) => self.input(input?)?,
                Woken::Msg(msg) => {
                    let cause = cause_of(&msg);
                    self.take(msg, cause)?
                }
                Woken::Frame if is_open(&self.model) => self.take(Msg::Tick, Cause::Turn)?,
                Woken::Frame => None,
            };
            if let Some(left) = left {
                return Ok(left);
            }
            self.draw_if_due()?;
        }
    }

    async fn wait(&mut self) -> Woken {
        let due = self.frames.due();
        tokio::select! {
            biased;
            woken = stopped(&mut self.signals, &mut self.continuations) => woken,
            input = self.terminal.next() => Woken::Input(input),
            () = until(due) => Woken::Frame,
            msg = self.runner.next() => Woken::Msg(msg),
        }
    }

    fn input(&mut self, input: Input) -> io::Result<Option<Left>> {
        match input {
            Input::Key(key) => self.take(Msg::Key(key), Cause::Key),
            Input::Paste(text) => self.take(Msg::Paste(text), Cause::Key),
            Input::Resize(size) => {
                self.take(Msg::Resize { columns: size.width, rows: size.height }, Cause::Resize)
            }
            Input::Focus(_) => Ok(None),
        }
    }

    /// Takes a message and carries out what it asks for, and what comes of that at once.
    fn take(&mut self, msg: Msg, cause: Cause) -> io::Result<Option<Left>> {
        self.frames.ask(cause, Instant::now());
        let mut waiting = VecDeque::from([msg]);
        while let Some(msg) = waiting.pop_front() {
            let now = self.now();
            for effect in update::update(&mut self.model, now, msg) {
                match effect {
                    Effect::Quit => return Ok(Some(Left::User)),
                    Effect::Suspend => self.suspend()?,
                    Effect::Redraw => self.painter.distrust(),
                    other => waiting.extend(self.runner.carry_out(other)),
                }
            }
        }
        Ok(None)
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.painter.leave(&self.terminal)?;
        self.terminal.suspend()?;
        self.look_again();
        Ok(())
    }

    /// After a stop from outside, such as a `kill -STOP`.
    fn go_on(&mut self) -> io::Result<()> {
        match self.terminal.take_again()? {
            Meanwhile::Ours => Ok(()),
            Meanwhile::Strange => {
                self.painter.begin_anew(&self.terminal)?;
                self.look_again();
                Ok(())
            }
        }
    }

    /// The window may have changed while the terminal was not ours.
    fn look_again(&mut self) {
        let size = self.terminal.size();
        self.model.size = Size { columns: size.width, rows: size.height };
        self.frames.ask(Cause::Turn, Instant::now());
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let Some(pace) = self.frames.take(now) else { return Ok(()) };
        let moment = self.now();
        self.painter.draw(&self.terminal, &mut self.model, moment, pace)?;
        if is_waiting(&self.model) {
            self.frames.ask(Cause::Tick(now + TICK), now);
        }
        if is_open(&self.model) {
            self.frames.ask(Cause::Tick(now + SECOND), now);
        }
        if let Some(hint_ends) =
            self.model.recent.leave.map(|pressed| LEAVE.saturating_sub(moment.since(pressed)))
            && !hint_ends.is_zero()
        {
            self.frames.ask(Cause::Tick(now + hint_ends), now);
        }
        Ok(())
    }

    /// Ends what runs, prints what was not printed yet, and takes the live region off. Returns the session to resume.
    async fn leave(&mut self) -> Option<String> {
        let session = self.runner.end().await;
        self.model.overlay = None;
        let moment = self.now();
        let drawn = self.painter.draw(&self.terminal, &mut self.model, moment, screen::Pace::Rest);
        if let Err(error) = drawn.and_then(|()| self.painter.leave(&self.terminal)) {
            tracing::warn!(%error, "the screen could not be left in order");
        }
        session
    }

    fn now(&self) -> Moment {
        Moment(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

/// A signal, or a panic in some task: then the terminal is given back already, and nothing more may be drawn.
async fn stopped(signals: &mut Signals, continuations: &mut Continuations) -> Woken {
    tokio::select! {
        biased;
        () = terminal::panicked() => Woken::Panic,
        signal = signals.next() => Woken::Signal(signal),
        () = continuations.next() => Woken::Continued,
    }
}

/// Sleeps until a frame is due; for ever where none is.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

/// Deltas and progress wait for the next frame; everything else is drawn at once.
fn cause_of(msg: &Msg) -> Cause {
    use crate::conversation::Happening;
    match msg {
        Msg::Happened(happening) => match &**happening {
            Happening::Event(_) => Cause::Flow,
            Happening::Asked(_) | Happening::Ended(_) | Happening::Jobs(_) => Cause::Turn,
        },
        Msg::Key(_) | Msg::Paste(_) => Cause::Key,
        Msg::Resize { .. } => Cause::Resize,
        Msg::Reply(_) | Msg::Tick => Cause::Turn,
    }
}

/// Whether the list of background commands is open.
fn is_open(model: &Model) -> bool {
    matches!(model.overlay, Some(Overlay::Tasks(_)))
}

/// Whether something is shown that changes with time alone.
fn is_waiting(model: &Model) -> bool {
    let page = matches!(model.overlay, Some(Overlay::Page(_)));
    model.run.is_some() && !page && matches!(model.stage, Stage::Running)
}

#[expect(clippy::print_stdout, reason = "the screen is gone; this is the one line that stays")]
fn say_goodbye(session: Option<String>) {
    if let Some(id) = session {
        println!("To go on with this conversation: clawd -r {id}");
    }
}
