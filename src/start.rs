//! The front door: from arguments to an exit code.
//!
//! Arguments are read before anything else is set up, so that `--version` costs nothing. Headless runs get a runtime of one
//! thread, the screen one of two more, so that a disk that stalls never stalls a key.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::app::{
    App, DEMO_PROMPT, Doctor, First, ReadSession, Showing, find_model, sessions, settings, settings_path,
};
use crate::cli::{self, Cli, OutputFormat, Parsed, Task};
use crate::conversation::Attendance;
use crate::error::{Error, Exit, Kind};
use crate::headless::input::{Piped, Words, join, read_piped};
use crate::headless::{self, Deadline, Format, Reader, Report, Scene};
use crate::os::clock::{Clock, SystemClock};
use crate::os::env::{self, Env};
use crate::os::guard;
use crate::os::log;
use crate::os::process::{adopt_orphans, end_orphans};
use crate::os::signals::{Signal, Signals};
use crate::os::tty::WaitingLine;
use crate::os::wipe;
use crate::protocol::{LoopError, LoopErrorType, NoticeKind};
use crate::sandbox;
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::tui;
use crate::tui::view::looks::Choice;

/// Threads beside the main one while there is a screen; never one a core.
const SCREEN_WORKERS: usize = 2;

/// Runs the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // in the place of a command that is to be held: nothing of the program is wanted then
    if let Some(code) = sandbox::dispatch(&arguments).or_else(|| guard::dispatch(&arguments)) {
        return code;
    }
    match cli::parse(arguments) {
        Ok(Parsed::Page(text)) => print_page(&text),
        Ok(Parsed::Run(cli)) => match start(*cli) {
            Ok(code) => code,
            Err(error) => complain(&error),
        },
        Err(error) => complain(&error),
    }
}

fn start(cli: Cli) -> Result<ExitCode, Error> {
    let env = Env::read();
    wipe::secrets();
    harden();
    log::report_panics();
    match cli.task {
        Task::Print(format) => print_one(cli, env, format),
        Task::Chat => chat(cli, env),
        Task::Doctor => doctor(&cli, &env),
        Task::Sessions(ref task) => {
            let now_ms = SystemClock.now_ms();
            sessions(task, &cli, &env, now_ms).map(|text| print_page(&text))
        }
        Task::ConfigShow => settings(&cli, &env).map(|text| print_page(&text)),
        Task::ConfigPath => settings_path(&env).map(|text| print_page(&text)),
        Task::Demo => {
            let prompt = cli.prompt.or_else(|| Some(DEMO_PROMPT.to_owned()));
            chat(Cli { prompt, ..cli }, env)
        }
    }
}

/// Keeps the key in our memory to ourselves, and takes in whatever commands leave behind.
fn harden() {
    let hardened = env::hide_memory().and_then(|()| adopt_orphans());
    #[cfg(target_os = "linux")]
    let hardened = hardened.and_then(|()| sandbox::caps::keep_from_children());
    if let Err(error) = hardened {
        tracing::warn!(%error, "cannot harden the process");
    }
}

/// The interactive program.
fn chat(cli: Cli, env: Env) -> Result<ExitCode, Error> {
    let scene = tui::Scene::of(&cli, &env);
    tui::terminal::fit().map_err(|unfit| Error::new(Kind::Usage, unfit.to_string()))?;
    let read_session = match scene.showing {
        Showing::Drawn => ReadSession::Beside,
        Showing::Told => ReadSession::First,
    };
    let app = App::open(cli, env, read_session)?;
    let runtime = runtime(Builder::new_multi_thread().worker_threads(SCREEN_WORKERS))?;
    let code = runtime.block_on(async {
        let code = tui::run(app, scene).await;
        end_orphans().await;
        code
    });
    runtime.shutdown_background();
    code
}

/// The page on what works and what does not.
fn doctor(cli: &Cli, env: &Env) -> Result<ExitCode, Error> {
    let doctor = Doctor::open(cli, env)?;
    if let Err(error) = print(&doctor.before()) {
        return Ok(unprinted(&error));
    }
    let runtime = runtime(&mut Builder::new_current_thread())?;
    let asked = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
        let waiting = WaitingLine::default();
        let tell = |what: &str| waiting.turn_to(what);
        let mut asking = pin!(doctor.ask(&tell));
        loop {
            tokio::select! {
                biased;
                signal = signals.next() => return Ok(Err(signal)),
                diagnosis = &mut asking => return Ok::<_, Error>(Ok(diagnosis)),
                () = tokio::time::sleep(WaitingLine::STEP) => waiting.draw(),
            }
        }
    });
    Ok(match asked? {
        Ok(diagnosis) => match print(&diagnosis.text) {
            Ok(()) => ExitCode::from(diagnosis.exit.code()),
            Err(error) => unprinted(&error),
        },
        Err(signal) => ExitCode::from(signal.exit_code()),
    })
}

/// How long standard input is read before it is said that it has not ended: more than it is given to begin.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why a headless run did not begin.
enum Unbegun {
    /// Something does not allow it.
    Error(Error),
    /// Somebody stopped the program first.
    Stopped(Signal),
    /// `--timeout` was over first.
    TimedOut(LoopError),
    /// `max_turns` is 0.
    Disabled,
}

impl From<Error> for Unbegun {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// One run without the screen.
fn print_one(cli: Cli, env: Env, format: OutputFormat) -> Result<ExitCode, Error> {
    let format = Format::from(format);
    let runtime = runtime(&mut Builder::new_current_thread())?;
    let done = runtime.block_on(async {
        let done = print_run(cli, env, format).await;
        end_orphans().await;
        done
    });
    // Somebody who never closes our input must not keep us.
    runtime.shutdown_background();
    done.or_else(|unbegun| tell(unbegun, format))
}

/// Says why nothing was begun, as the format has it.
fn tell(unbegun: Unbegun, format: Format) -> Result<ExitCode, Error> {
    let (kind, message) = match &unbegun {
        Unbegun::Error(error) if error.kind == Kind::Usage => (None, String::new()),
        Unbegun::Error(error) => (Some(LoopErrorType::InitializationFailed), error.to_string()),
        Unbegun::Stopped(_) => (Some(LoopErrorType::Aborted), "interrupted".to_owned()),
        Unbegun::TimedOut(error) => (Some(error.kind), error.message.clone()),
        Unbegun::Disabled => {
            (Some(LoopErrorType::ChatDisabled), "chat is disabled: max_turns is 0".to_owned())
        }
    };
    if let Some(kind) = kind {
        // The output may be closed; the line on standard error and the exit code follow in any case.
        drop(headless::not_begun(io::stdout(), format, &LoopError { kind, message: message.clone() }));
    }
    match unbegun {
        Unbegun::Error(error) => Err(error),
        Unbegun::Stopped(signal) => Ok(ExitCode::from(signal.exit_code())),
        Unbegun::TimedOut(error) => {
            Report::tell(&format!("Error: {}", error.message));
            Ok(ExitCode::from(Exit::Limit.code()))
        }
        Unbegun::Disabled => Err(Error::new(Kind::Run, message).hint("try --max-turns -1")),
    }
}

async fn print_run(cli: Cli, env: Env, format: Format) -> Result<ExitCode, Unbegun> {
    let deadline = Deadline::after(cli.timeout);
    let mut signals = Signals::listen().map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
    let (prompt, piped) = tokio::select! {
        biased;
        signal = signals.next() => return Err(Unbegun::Stopped(signal)),
        error = deadline.passed() => return Err(Unbegun::TimedOut(error)),
        prompt = prompt(&cli) => prompt?,
    };
    let mut app = App::open(cli, env, ReadSession::First)?;
    if app.is_disabled() {
        return Err(Unbegun::Disabled);
    }
    tokio::select! {
        biased;
        signal = signals.next() => return Err(Unbegun::Stopped(signal)),
        error = deadline.passed() => return Err(Unbegun::TimedOut(error)),
        answered = answer_firsts(&mut app) => answered?,
    }
    let begun = app.begin(Attendance::Unattended)?;
    let mut conversation = begun.conversation;
    let mut remarks = begun.remarks;
    remarks.extend(wrong_theme(&app).map(|text| (NoticeKind::Info, text)));
    let out = io::stdout();
    let reader = if out.is_terminal() { Reader::Person } else { Reader::Program };
    let scene = Scene::of(&begun.session, &begun.facts, &conversation, remarks, &piped);
    let mut report = Report::new(reader, format, scene);
    let code = headless::run(&mut conversation, prompt, &mut report, (out, &mut signals, deadline)).await;
    conversation.close().await;
    Ok(code)
}

/// What the screen would say of its theme, where that cannot be used: a mistake in a file is told wherever the file is read.
fn wrong_theme(app: &App) -> Option<String> {
    let theme = app.themes().current;
    let error = Choice::built_in(&theme).is_none().then(|| app.own_theme(&theme).err())??;
    Some(format!("{error}; using theme auto"))
}

/// The prompt, from the command line and from what is piped.
async fn prompt(cli: &Cli) -> Result<(String, Piped), Error> {
    let words = cli.prompt.clone().unwrap_or_default();
    let have = if words.trim().is_empty() { Words::None } else { Words::Some };
    let mut reading = tokio::task::spawn_blocking(move || read_piped(have));
    let read = if let Ok(read) = tokio::time::timeout(PATIENCE, &mut reading).await {
        read
    } else {
        let what = "reading standard input (press Ctrl+C to stop, or run with `< /dev/null`)";
        writeln!(io::stderr(), "{what}").ok();
        reading.await
    };
    let piped = read.map_err(io::Error::other).and_then(|read| read).map_err(|error| {
        Error::new(Kind::Config, format!("cannot read standard input: {error}")).hint("try `< /dev/null`")
    })?;
    let joined = join(&words, &piped).ok_or_else(|| {
        Error::usage("no prompt and no input").hint("try `clawd -p \"explain this project\"`")
    })?;
    Ok((joined, piped))
}

/// Nobody is there to ask: what no earlier answer covers is left out, an endpoint must be configured, the only model is taken.
async fn answer_firsts(app: &mut App) -> Result<(), Error> {
    loop {
        match app.first() {
            First::Trust(_) => app.leave_open()?,
            First::Session => {
                app.pick(None);
            }
            First::Reading => {
                let read = app.coming().map(|(reading, _)| reading.wait()).transpose()?;
                app.pick(read);
            }
            First::Endpoint => return Err(crate::config::ConfigError::NoEndpoint.into()),
            First::Model => {
                let model = find_model(&app.model_search()?).await?;
                app.name_model(model);
            }
            First::Nothing => return Ok(()),
        }
    }
}

fn runtime(builder: &mut Builder) -> Result<Runtime, Error> {
    builder
        .enable_all()
        .build()
        .map_err(|error| Error::new(Kind::Internal, format!("cannot start the runtime: {error}")))
}

/// The program's last word. Where standard error is gone there is nobody to tell.
fn complain(error: &Error) -> ExitCode {
    writeln!(io::stderr(), "Error: {}", sanitize_line(&error.to_string())).ok();
    ExitCode::from(error.exit().code())
}

/// Prints a page. A terminal gets no control sequence of somebody else's text; a pipe or a file gets every byte.
fn print_page(text: &str) -> ExitCode {
    let text = if io::stdout().is_terminal() { sanitize(text) } else { Cow::Borrowed(text) };
    match print(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => unprinted(&error),
    }
}

/// Who closes our output has read enough; whatever else is wrong with it is told.
fn unprinted(error: &io::Error) -> ExitCode {
    match error.kind() {
        io::ErrorKind::BrokenPipe => ExitCode::from(Exit::ClosedOutput.code()),
        _ => complain(&Error::output(error)),
    }
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}
