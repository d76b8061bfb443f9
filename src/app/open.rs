//! From the command line to an [`App`]: directory, paths, configuration, a look at the project.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::ahead::ReadSession;
use super::begin::Taken;
use super::bounds;
use super::demo::{self, Sample};
use super::known::Known;
use super::services::Learnt;
use super::told::Told;
use super::{App, Place};
use crate::cli::{Cli, Task};
use crate::config::{self, Config, Wishes};
use crate::error::{Error, Kind};
use crate::os::clock::{Clock, SystemClock};
use crate::os::env::{Env, has_password, is_secret_name};
use crate::os::log;
use crate::os::paths::{Paths, absolute};
use crate::protocol::{ModelId, NoticeKind};
use crate::text::redact::Redactor;

/// Opens. Sends nothing, writes nothing but the demonstration's own copy, and starts nothing but the trial of a sandbox that the
/// user asked for.
pub(super) fn open(cli: Cli, env: Env, read_session: ReadSession) -> Result<App, Error> {
    let cwd = working_directory(&cli, &env)?;
    let paths = Paths::find(&env).ok();
    let mut remarks = Vec::new();
    let clock = Arc::new(SystemClock);
    if cli.debug {
        let path = begin_log(paths.as_ref(), clock.now_ms())?;
        remarks.push((NoticeKind::Info, format!("logging to {}", path.display())));
    }
    if paths.is_none() {
        let text = "no home directory: nothing is saved (try setting CLAWD_HOME)".to_owned();
        remarks.push((NoticeKind::NotSaved, text));
    }
    let demo = cli.task == Task::Demo;
    let mut told = if demo { Told::nothing(&cwd) } else { Told::look(&cwd, paths.as_ref()) };
    if cli.trust {
        told.trust();
    }
    let mut place = Place { env, paths, cwd, added: Vec::new(), redactor: Arc::default() };
    for directory in &cli.add_dirs {
        place.add(directory)?;
    }
    let config = configuration(&place, &cli, told.wishes())?;
    bounds::require_sandbox(&config.sandbox, bounds::found_sandbox)?;
    place.redactor = redactor(&config, &place.env);
    told.broken()?;
    told.pass_over_text(config.permissions.mode.value);
    remarks.extend(config.warnings.iter().map(|text| (NoticeKind::Info, text.clone())));
    remarks.extend(told.take_complaint().map(|text| (NoticeKind::Trust, text)));
    let model = config.model.name.as_ref().map(|name| name.value.clone());
    let mut app = App {
        cli,
        config,
        place,
        told,
        clock,
        model,
        today: today(),
        git_changed: OnceLock::new(),
        session: None,
        taken: Taken::default(),
        read_session,
        remarks,
        known: Known::default(),
        sample: None,
        learnt: Learnt::default(),
    };
    if demo {
        enter_demo(&mut app)?;
    } else {
        app.take_session()?;
    }
    Ok(app)
}

/// The configuration as it stands, with what a trusted project asks for.
pub(super) fn configuration(place: &Place, cli: &Cli, project: Vec<Wishes>) -> Result<Config, Error> {
    let flags = cli.flags.clone();
    Ok(match &place.paths {
        Some(paths) => config::load(paths, &place.env, flags, project)?,
        None => config::without_files(&place.env, flags, project)?,
    })
}

/// The demonstration works in a copy of its own sample project, is told of nothing else, and keeps nothing.
pub(super) fn enter_demo(app: &mut App) -> Result<(), Error> {
    let sample = Sample::copy(&app.place.env)?;
    sample.root().clone_into(&mut app.place.cwd);
    app.place.paths = None;
    app.told = Told::nothing(&app.place.cwd);
    app.model = Some(ModelId::from(demo::MODEL));
    app.taken = Taken::Nothing;
    app.sample = Some(sample);
    Ok(())
}

/// What takes secrets out of texts: every key that is known, and the values of variables whose names say "secret". The log
/// hides them from now on.
pub(super) fn redactor(config: &Config, env: &Env) -> Arc<Redactor> {
    let keys = config.secrets.keys.iter().map(|key| key.expose().to_owned());
    let named = env.vars().filter_map(|(name, value)| name.to_str().zip(value.to_str()));
    let secret = named.filter(|(name, value)| is_secret_name(name) || has_password(value));
    let secret = secret.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let redactor = Arc::new(Redactor::new(keys, secret));
    log::hide(Arc::clone(&redactor));
    redactor
}

/// Begins the verbose log and gives its file.
pub(super) fn begin_log(paths: Option<&Paths>, now_ms: u64) -> Result<PathBuf, Error> {
    let refuse = |why: String| Error::new(Kind::Config, format!("cannot write a log: {why}"));
    let paths = paths.ok_or_else(|| refuse("no home directory".to_owned()).hint("try setting CLAWD_HOME"))?;
    log::begin(&paths.logs(), now_ms).map_err(|error| refuse(error.to_string()))
}

pub(super) fn working_directory(cli: &Cli, env: &Env) -> Result<PathBuf, Error> {
    let here = env.cwd().map(Path::to_owned);
    let wanted = match (&cli.cd, here) {
        (Some(cd), Some(here)) => absolute(&here, cd),
        (Some(cd), None) if cd.is_absolute() => cd.clone(),
        (None, Some(here)) => here,
        (Some(_) | None, None) => {
            return Err(
                Error::new(Kind::Config, "the working directory no longer exists").hint("try cd or -C DIR")
            );
        }
    };
    let refuse = |why: String| {
        Error::new(Kind::Config, format!("cannot use the directory {}: {why}", wanted.display()))
            .hint("try -C DIR")
    };
    let cwd = wanted.canonicalize().map_err(|error| refuse(error.to_string()))?;
    if cwd.is_dir() { Ok(cwd) } else { Err(refuse("not a directory".to_owned())) }
}

/// The day, where the user is.
fn today() -> String {
    jiff::Zoned::now().strftime("%Y-%m-%d").to_string()
}
