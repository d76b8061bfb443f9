//! The interactive front end: a pure middle between a terminal and a conversation.
//!
//! What happens comes in as [`msg::Msg`]; `update` changes the [`model::Model`] and says what is wanted as [`effect::Effect`]s; the
//! [`runner`] carries them out; `view` makes a picture of the model; the painter brings it to the terminal. Only this file sees all of
//! them, and it only passes on. At rest nothing here wakes up: no tick, no timer, no frame.

pub mod attention;
pub mod effect;
pub mod frames;
mod front;
pub mod key;
pub mod keymap;
pub mod model;
pub mod msg;
mod painter;
pub mod runner;
mod scene;
pub mod screen;
pub mod slash;
mod speaker;
pub mod terminal;
pub mod update;
pub mod view;
mod woken;

pub use scene::Scene;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::app::{App, InputKeys, Motion};
use crate::error::Error;
use crate::os::signals::{Continuations, Signal, Signals};
use attention::{Attention, Presence};
use effect::Effect;
use frames::{Cause, Frames};
use front::{Front, Handed, Wanted};
use model::Model;
use model::choice::Item;
use model::composer::Composer;
use model::moment::Moment;
use msg::{Msg, Reply};
use runner::{Run, Runner};
use terminal::{Brightness, Focus, Input, Meanwhile};
use view::letters::Letters;
use view::looks::{Background, Choice, Looks};
use woken::{Alarm, Woken, cause_of, stopped};

/// How often a waiting line shows its next picture. Slow enough to be calm, quick enough to be alive.
const TICK: Duration = Duration::from_millis(120);
/// How often the open list of background commands is looked at: its times are in whole seconds.
const SECOND: Duration = Duration::from_secs(1);
/// Between two frames of a long page that is not made to its beginning yet: keys come first.
const FURTHER: Duration = Duration::from_millis(16);
/// How long the hint that a second Ctrl+C leaves is shown, and true.
const LEAVE: Duration = Duration::from_secs(2);
/// How long a change of size has to last before it is drawn: a drag sends many, and a frame in between is wasted.
const SETTLE: Duration = Duration::from_millis(60);

/// So much of what has come is taken before a frame is drawn; the rest comes with the next, and keys come in between.
const AT_ONCE: usize = 64;

/// What is said where a copy cannot be handed to the terminal.
const NO_CLIPBOARD: &str = "plain mode cannot use the terminal's clipboard: passed to this machine's clipboard, if it has one (try /export)";

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
    let mut loop_ =
        Loop::new(app, (signals, continuations), &scene).map_err(|error| Error::terminal(&error))?;
    let left = loop_.turn_until_left().await;
    let farewell = loop_.leave().await;
    let unread = loop_.runner.take_unread();
    drop(loop_);
    if let Some(error) = unread {
        return Err(error);
    }
    match left {
        Ok(Left::User) => {
            say_goodbye(farewell);
            Ok(ExitCode::SUCCESS)
        }
        Ok(Left::Signal(signal)) => Ok(ExitCode::from(signal.exit_code())),
        Ok(Left::Panic) => Ok(ExitCode::FAILURE),
        Ok(Left::TerminalLost) => Ok(ExitCode::from(Signal::HangUp.exit_code())),
        // whoever closed the window has sent a signal too, and which of the two comes first is chance
        Err(error) if terminal::is_gone(&error) => Ok(ExitCode::from(Signal::HangUp.exit_code())),
        Err(error) => Err(Error::terminal(&error)),
    }
}

/// Everything that the loop turns around.
struct Loop {
    model: Model,
    runner: Runner,
    front: Front,
    frames: Frames,
    letters: Letters,
    looks: Looks,
    attention: Attention,
    signals: Signals,
    continuations: Continuations,
    alarm: Alarm,
    /// Whether another program has had the terminal since the loop last waited.
    lent: bool,
    began: Instant,
}

impl Loop {
    fn new(app: App, (signals, continuations): (Signals, Continuations), scene: &Scene) -> io::Result<Self> {
        let commands = slash::TABLE.iter().map(|row| {
            let also: Vec<String> = row.aliases.iter().map(|alias| (*alias).to_owned()).collect();
            Item::new(row.name, row.text).also(also)
        });
        let runner = Runner::new(app);
        let wanted = runner.screen();
        let mut composer = Composer::new(commands.collect());
        if wanted.keys == InputKeys::Vi {
            composer.toggle_vim();
        }
        let looks = Looks { depth: scene.depth, ..Looks::default() };
        let front = Front::open(wanted, looks.theme(), scene)?;
        let mut model = Model::new(front.size(), composer);
        model.first_prompt.clone_from(&scene.prompt);
        model.transcript.place = front.place(wanted.surface.value);
        Ok(Self {
            model,
            runner,
            front,
            letters: scene.letters,
            looks,
            attention: Attention::default(),
            frames: Frames::new(SETTLE),
            signals,
            continuations,
            alarm: Alarm::default(),
            lent: false,
            began: Instant::now(),
        })
    }

    async fn turn_until_left(&mut self) -> io::Result<Left> {
        self.frames.ask(Cause::Turn, Instant::now());
        for msg in self.runner.open() {
            if let Some(left) = self.take(msg, Cause::Turn)? {
                return Ok(left);
            }
        }
        let theme = self.runner.screen().theme.clone();
        if let Err(error) = self.show_theme(&theme) {
            self.take(Msg::Reply(Reply::Said(format!("{error}; using auto"))), Cause::Turn)?;
        }
        if self.letters == Letters::Ascii {
            self.take(Msg::Reply(Reply::Said(Letters::MISSING.to_owned())), Cause::Turn)?;
        }
        loop {
            let left = match self.wait().await {
                Woken::Signal(Signal::Interrupt) => {
                    self.front.interrupted();
                    self.take(Msg::Key(key::Key::ctrl('c')), Cause::Key)?
                }
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
                Woken::Frame => self.catch_up()?,
            };
            if let Some(left) = left {
                return Ok(left);
            }
            self.draw_if_due()?;
        }
    }

    async fn wait(&mut self) -> Woken {
        if std::mem::take(&mut self.lent) {
            self.signals.forget_keys().await;
        }
        let due = self.frames.due();
        let run = if self.frames.flow_may_wait(Instant::now()) { Run::Later } else { Run::Heard };
        tokio::select! {
            biased;
            woken = stopped(&mut self.signals, &mut self.continuations) => woken,
            input = self.front.next() => Woken::Input(input),
            () = self.alarm.until(due) => Woken::Frame,
            msg = self.runner.next(run) => Woken::Msg(msg),
        }
    }

    /// Takes what has come since the last frame, so that this one shows it.
    fn catch_up(&mut self) -> io::Result<Option<Left>> {
        for _ in 0..AT_ONCE {
            let Some(msg) = self.runner.happened() else { break };
            let cause = cause_of(&msg);
            if let Some(left) = self.take(msg, cause)? {
                return Ok(Some(left));
            }
        }
        let is_awaited = self.model.lists_tasks() || self.model.recent.unsure.is_some();
        if is_awaited { self.take(Msg::Tick, Cause::Turn) } else { Ok(None) }
    }

    fn input(&mut self, input: Input) -> io::Result<Option<Left>> {
        match input {
            Input::Key(key) => self.take(Msg::Key(key), Cause::Key),
            Input::Burst(key, times) => self.take(Msg::Burst(key, times), Cause::Key),
            Input::Wheel(wheel) => self.take(Msg::Wheel(wheel), Cause::Flow),
            Input::Paste(text) => self.take(Msg::Paste(text), Cause::Key),
            Input::Line(text) => self.take(Msg::Line(text), Cause::Key),
            Input::Resize(size) => {
                self.take(Msg::Resize { columns: size.width, rows: size.height }, Cause::Resize)
            }
            Input::Focus(focus) => {
                self.attention.presence = match focus {
                    Focus::Gained => Presence::There,
                    Focus::Lost => Presence::Away,
                };
                Ok(None)
            }
            Input::Background(brightness) => {
                self.looks.background = Some(match brightness {
                    Brightness::Dark => Background::Dark,
                    Brightness::Light => Background::Light,
                });
                self.wear();
                Ok(None)
            }
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
                    Effect::Redraw => self.front.distrust(),
                    Effect::EditOutside(text) => waiting.push_back(self.edit_outside(&text)?),
                    Effect::Clipboard { text, said } => {
                        let said = match self.front.copy(&text)? {
                            Handed::Over => said,
                            Handed::Nowhere => NO_CLIPBOARD.to_owned(),
                        };
                        waiting.push_back(Msg::Reply(Reply::Said(said)));
                        self.runner.copy_here(text);
                    }
                    // a preview of one that cannot be read shows what was there
                    Effect::ShowTheme(name) => drop(self.show_theme(&name)),
                    Effect::KeepTheme(name) => match self.show_theme(&name) {
                        Ok(()) => waiting.extend(self.runner.carry_out(Effect::KeepTheme(name))),
                        Err(error) => waiting.push_back(Msg::Reply(Reply::Said(error.to_string()))),
                    },
                    other => waiting.extend(self.runner.carry_out(other)),
                }
            }
        }
        if self.model.composer.take_change() {
            self.runner.draft_changed();
        }
        Ok(None)
    }

    /// Lends the terminal to the user's own editor. The loop stands still meanwhile: there is nowhere to draw.
    fn edit_outside(&mut self, text: &str) -> io::Result<Msg> {
        self.front.lend()?;
        let edited = self.runner.edit_outside(text);
        self.front.take_back()?;
        self.lent = true;
        self.look_again();
        Ok(edited)
    }

    /// Another theme from the next frame on.
    fn show_theme(&mut self, name: &str) -> Result<(), Error> {
        self.looks.choice = match Choice::built_in(name) {
            Some(choice) => choice,
            None => Choice::own(self.runner.own_theme(name)?),
        };
        self.wear();
        Ok(())
    }

    fn wear(&mut self) {
        self.front.set_theme(self.looks.theme());
        self.frames.ask(Cause::Turn, Instant::now());
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.front.suspend()?;
        self.look_again();
        Ok(())
    }

    /// After a stop from outside, such as a `kill -STOP`.
    fn go_on(&mut self) -> io::Result<()> {
        if self.front.go_on()? == Meanwhile::Strange {
            self.look_again();
        }
        Ok(())
    }

    /// The window may have changed while the terminal was not ours.
    fn look_again(&mut self) {
        self.model.size = self.front.size();
        self.frames.ask(Cause::Turn, Instant::now());
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let Some(pace) = self.frames.take(now) else { return Ok(()) };
        let moment = self.now();
        self.front.draw(&mut self.model, moment, pace)?;
        let background = if self.looks.wants_background() { Wanted::Yes } else { Wanted::No };
        self.front.adorn(&self.model, background)?;
        if let Some(word) = self.attention.look(&self.model, moment, self.runner.screen().notifications) {
            self.front.notify(&word)?;
        }
        if self.model.is_waiting() {
            let tick = match (&self.front, self.runner.screen().motion) {
                (Front::Drawn(_), Motion::Full) => TICK,
                (Front::Told(_), _) | (Front::Drawn(_), Motion::Reduced) => SECOND,
            };
            self.frames.ask(Cause::Tick(now + tick), now);
        }
        if self.model.lists_tasks() {
            self.frames.ask(Cause::Tick(now + SECOND), now);
        }
        if let Some(at) = self.model.tells_of_reading_at().filter(|at| moment < *at) {
            self.frames.ask(Cause::Tick(now + at.since(moment)), now);
        }
        if let Some(wait) = self.model.recent.is_unsure_for(moment) {
            self.frames.ask(Cause::Tick(now + wait), now);
        }
        if self.front.is_behind() {
            self.frames.ask(Cause::Tick(now + FURTHER), now);
        }
        if let Some(hint_ends) =
            self.model.recent.armed().map(|pressed| LEAVE.saturating_sub(moment.since(pressed)))
            && !hint_ends.is_zero()
        {
            self.frames.ask(Cause::Tick(now + hint_ends), now);
        }
        Ok(())
    }

    /// Ends what runs, prints what was not printed yet, and takes the live region off. Returns the session to resume.
    async fn leave(&mut self) -> Option<String> {
        if self.model.composer.is_empty() {
            self.runner.forget_draft();
        }
        let session = self.runner.end().await;
        self.front.hear_out().await;
        self.model.overlay = None;
        let moment = self.now();
        let drawn = self.front.draw(&mut self.model, moment, screen::Pace::Rest);
        if let Err(error) = drawn.and_then(|()| self.front.leave()) {
            tracing::warn!(%error, "could not restore the terminal (run `reset`)");
        }
        session
    }

    fn now(&self) -> Moment {
        Moment(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

fn say_goodbye(session: Option<String>) {
    if let Some(id) = session {
        // a terminal that is gone hears no goodbye
        drop(writeln!(io::stdout(), "Resume with: clawd -r {id}"));
    }
}
