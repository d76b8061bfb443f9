//! `clawd doctor`: what is configured, where it runs, and what the endpoint can do, on one page.
//!
//! It looks and asks and changes nothing: no session, no trust, nothing of the project is read or sent. `setup` judges what
//! needs no question, `probes` is the table of questions, `evidence` what came of them, `judge` what it means, `page` how it is
//! printed; this file alone asks. The surprising decision: the endpoint is asked through the same service as in a
//! conversation, without its retries, so that the page tells what a conversation will meet and not what a probe of our own
//! would.

mod evidence;
mod judge;
mod page;
mod probes;
mod setup;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::{Instant, timeout};

use super::known::Known;
use super::models::{ModelGlance, ModelSearch, ask, look_at_model};
use super::{open, services, shown};
use crate::chat::discover::ModelList;
use crate::chat::openai::{ChatServiceConfig, create_chat_service};
use crate::chat::{ChatError, ChatEvent, ChatObserver, ChatService, Remedy, Stage};
use crate::cli::Cli;
use crate::config::{self, Config};
use crate::error::{Error, Exit};
use crate::os::clock::{Clock, SystemClock};
use crate::os::env::Env;
use crate::os::paths::Paths;
use crate::os::tty::Tty;
use crate::permission::SandboxMode;
use crate::protocol::ModelId;
use crate::sandbox;
use evidence::{Evidence, Heard};
use judge::Verdict;
use page::{Finding, Group, body, head};
use probes::{MOST, MOST_TOKENS, PROBES, Probe, extra, request};
use setup::{ConfigFile, Home, Log, Surroundings};

/// The longest that one question may take: a large model that is loaded from a slow disk answers within it.
const LIMIT: Duration = Duration::from_mins(2);

/// An examination, before anybody was asked.
pub struct Doctor {
    groups: Vec<Group>,
    subject: Subject,
}

/// Whether there is somebody to ask.
enum Subject {
    /// The configuration does not allow it.
    None,
    /// This endpoint.
    Endpoint(Box<Target>),
}

/// Whom to ask, and how.
struct Target {
    model: Option<ModelId>,
    window: Option<u64>,
    search: ModelSearch,
    service: ChatServiceConfig,
}

/// The end of an examination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The rest of the page.
    pub text: String,
    /// How the program ends.
    pub exit: Exit,
}

impl Doctor {
    /// Reads the configuration and looks at terminal and files. Asks nobody.
    ///
    /// # Errors
    /// Where a log was asked for and cannot be written.
    pub fn open(cli: &Cli, env: &Env) -> Result<Self, Error> {
        let paths = Paths::find(env).ok();
        let log = log(cli, env, paths.as_ref())?;
        let config = match &paths {
            Some(paths) => config::load(paths, env, cli.flags.clone(), Vec::new()),
            None => config::without_files(env, cli.flags.clone(), Vec::new()),
        };
        let (configuration, subject, mode) = match config {
            Ok(config) => {
                let file = config_file(env, paths.as_ref());
                let mode = config.sandbox.mode.value;
                (setup::configuration(&config, &file), subject(&config, env), mode)
            }
            Err(error) => {
                let mode = SandboxMode::default();
                (setup::broken(&error.to_string()), Subject::None, mode)
            }
        };
        let sandboxing = setup::sandbox(mode, sandbox::found().tier());
        let groups = vec![
            configuration,
            setup::terminal(Tty::look(), &surroundings(env)),
            setup::files(&home(env, paths.as_ref()), &log),
            sandboxing,
        ];
        Ok(Self { groups, subject })
    }

    /// The page up to what takes its time, and who is asked for the rest.
    #[must_use]
    pub fn before(&self) -> String {
        let groups: String = self.groups.iter().map(Group::to_text).collect();
        match &self.subject {
            Subject::None => groups,
            Subject::Endpoint(target) => groups + &title(target.service.endpoint.host()),
        }
    }

    /// Asks. `tell` hears what is waited for, each time that it is something else. Drop the future to end it.
    pub async fn ask(self, tell: &impl Fn(&str)) -> Diagnosis {
        match self.subject {
            Subject::None => Diagnosis { text: "No endpoint was contacted.\n".to_owned(), exit: Exit::Usage },
            Subject::Endpoint(target) => target.examine(tell).await,
        }
    }
}

impl Target {
    async fn examine(self, tell: &impl Fn(&str)) -> Diagnosis {
        tell("the model list");
        let began = Instant::now();
        let list = ask(&self.search).await;
        let after = has_answered(&list).then(|| began.elapsed());
        let only = list.as_ref().ok().and_then(|list| match list.models.as_slice() {
            [model] => Some(model.id.clone()),
            _ => None,
        });
        let Some(model) = self.model.clone().or(only) else { return unnamed(list.err()) };
        let mut evidence = Evidence {
            host: self.service.endpoint.host().to_owned(),
            key: self.service.endpoint.key_name().map(str::to_owned),
            model,
            list,
            after,
            heard: Vec::new(),
            arrival: None,
            known: Known::default(),
            window: self.window,
            noticed: Vec::new(),
        };
        if !is_unreachable(&evidence) {
            self.question(&mut evidence, tell).await;
        }
        if let Ok(list) = &evidence.list {
            evidence.known.take_list(list.clone());
        }
        if evidence.speaks() {
            tell("the context window size");
            let glance = ModelGlance { search: self.search.clone(), model: evidence.model.clone() };
            evidence.known.take_look(&evidence.model, look_at_model(glance).await.look);
        }
        diagnosis(&evidence)
    }

    async fn question(&self, evidence: &mut Evidence, tell: &impl Fn(&str)) {
        for question in &PROBES {
            if (question.is_due)(evidence) {
                tell(question.waits_for);
                let heard = self.put(question.probe, evidence).await;
                evidence.heard.push(heard);
                evidence.arrival = self.service.memory.arrival();
            }
        }
        if evidence.noticed.is_empty() {
            // What was lost has been told; here stands what is only written otherwise.
            evidence.noticed = self.service.memory.learned();
        }
    }

    /// Asks one question.
    async fn put(&self, probe: Probe, evidence: &mut Evidence) -> Heard {
        let mut service = self.service.clone();
        service.wire.extra_body.extend(extra(probe));
        let tokens = service.wire.max_output_tokens.map_or(MOST_TOKENS, |tokens| tokens.min(MOST_TOKENS));
        service.wire.max_output_tokens = Some(tokens);
        let request = request(probe, evidence);
        let ear = Ear { began: Instant::now(), said: Mutex::default() };
        let answer = timeout(LIMIT, create_chat_service(service).chat(&request, &ear)).await;
        let took = ear.began.elapsed();
        let Said { first, notices } = ear.said.into_inner().unwrap_or_else(PoisonError::into_inner);
        evidence.noticed.extend(notices);
        let answer = answer.unwrap_or_else(|_elapsed| Err(too_slow(&evidence.host, first)));
        Heard { probe, took, first, answer }
    }
}

/// Hears when an answer begins, and what is odd about it.
struct Ear {
    began: Instant,
    said: Mutex<Said>,
}

#[derive(Debug, Default)]
struct Said {
    first: Option<Duration>,
    notices: Vec<String>,
}

impl ChatObserver for Ear {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            ChatEvent::Answering | ChatEvent::Thinking(_) | ChatEvent::Text(_) | ChatEvent::Calling => {
                said.first.get_or_insert_with(|| self.began.elapsed());
            }
            ChatEvent::Notice { text, .. } => said.notices.push(text),
            ChatEvent::Connecting | ChatEvent::Sent | ChatEvent::Retry { .. } => {}
        }
        Box::pin(std::future::ready(()))
    }
}

fn subject(config: &Config, env: &Env) -> Subject {
    let target = || {
        Ok::<_, Error>(Target {
            model: config.model.name.as_ref().map(|name| name.value.clone()),
            window: config.model.window(),
            search: services::model_search(config, env)?,
            service: services::examined(config, env)?,
        })
    };
    target().map_or(Subject::None, |target| Subject::Endpoint(Box::new(target)))
}

fn title(host: &str) -> String {
    head(&format!("endpoint {host} (lists its models and sends up to {MOST} short requests)"))
}

fn diagnosis(evidence: &Evidence) -> Diagnosis {
    let verdict = judge::verdict(evidence);
    let exit = match verdict {
        Verdict::Works | Verdict::OnlyTalks => Exit::Done,
        Verdict::Fails => Exit::Failed,
    };
    Diagnosis { text: format!("{}{}\n", body(&judge::findings(evidence)), verdict.words()), exit }
}

/// No model is named, and the endpoint does not decide it.
fn unnamed(error: Option<ChatError>) -> Diagnosis {
    let (finding, exit) = match error {
        Some(error) if error.stage == Stage::Connect => {
            (Finding::bad("reachable", error.message), Exit::Failed)
        }
        Some(error) => {
            let text = format!(
                "not set, and the endpoint does not list models: {} (try --model NAME)",
                error.message
            );
            (Finding::bad("model", text), Exit::Usage)
        }
        None => {
            let text = "not set, and the endpoint does not list exactly one (try --model NAME)";
            (Finding::bad("model", text), Exit::Usage)
        }
    };
    Diagnosis { text: format!("{}The endpoint was not tested further.\n", body(&[finding])), exit }
}

/// Whether there was an answer at all, be it a refusal.
fn has_answered(list: &Result<ModelList, ChatError>) -> bool {
    list.as_ref().map_or_else(|error| error.status.is_some(), |_| true)
}

fn is_unreachable(evidence: &Evidence) -> bool {
    evidence.list.as_ref().is_err_and(|error| error.stage == Stage::Connect)
}

fn too_slow(host: &str, first: Option<Duration>) -> ChatError {
    let seconds = LIMIT.as_secs();
    let message = if first.is_some() {
        format!("{host} did not finish its answer within {seconds} s (try a faster model)")
    } else {
        format!("{host} did not answer within {seconds} s; the model may still be loading (try again)")
    };
    ChatError::new(Remedy::GiveUp, message).at(Stage::Silence)
}

fn log(cli: &Cli, env: &Env, paths: Option<&Paths>) -> Result<Log, Error> {
    if cli.debug {
        let path = open::begin_log(paths, SystemClock.now_ms())?;
        return Ok(Log::On(shown(env, &path)));
    }
    Ok(Log::Off(paths.map(|paths| shown(env, &paths.logs())).unwrap_or_default()))
}

fn config_file(env: &Env, paths: Option<&Paths>) -> ConfigFile {
    let Some(path) = paths.map(Paths::config_file) else { return ConfigFile::Nowhere };
    let name = shown(env, &path);
    if path.exists() { ConfigFile::Read(name) } else { ConfigFile::Absent(name) }
}

fn surroundings(env: &Env) -> Surroundings {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| env.text(name));
    Surroundings {
        term: env.text("TERM").unwrap_or_default().to_owned(),
        tmux: env.get("TMUX").is_some(),
        mono: env.text("NO_COLOR").is_some(),
        locale: locale.unwrap_or_default().to_owned(),
    }
}

/// Whether the directory of sessions can be written, found out with a file that has no name and is gone at once.
fn home(env: &Env, paths: Option<&Paths>) -> Home {
    let Some(directory) = paths.map(Paths::data) else { return Home::Nowhere };
    let name = shown(env, directory);
    let there = directory.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("/"));
    match tempfile::tempfile_in(there) {
        Ok(_) if there == directory => Home::Writable(name),
        Ok(_) => Home::ToBeMade(name),
        Err(error) => Home::Shut(name, error.to_string()),
    }
}
