//! The agent of a session: endpoint, retries, fallbacks, tools, system prompt.
//!
//! The layers stand around each other like this: `Fallback(Retry(endpoint))`, keys and models in turn around each one's own
//! retries. The services of all keys share their connections, and what their endpoint has shown: [`Learnt`] outlives them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::App;
use super::demo;
use super::models::ModelSearch;
use crate::agent::{Agent, AgentParts, NoHooks, Nudging};
use crate::chat::answer::accumulate::TextCalls;
use crate::chat::endpoint::{ApiKey, Connections, Endpoint};
use crate::chat::fallback::{Fallback, Keyed};
use crate::chat::openai::{ChatServiceConfig, Patience, create_chat_service};
use crate::chat::request::models::{self as known, Edits};
use crate::chat::request::wire::{Delivery, ImageSource, WireOptions};
use crate::chat::retry::{FirstAnswer, Retry};
use crate::chat::{ChatError, ChatService, EndpointMemory};
use crate::cli::Task;
use crate::config::{self, Config, Header, Key, KeySource, Target};
use crate::context::prompt::{Commands, Environment, Git, Layers, Session, build_system_prompt};
use crate::context::window::Window;
use crate::error::{Error, Kind};
use crate::os::env::Env;
use crate::os::file::read_regular;
use crate::os::http::{Proxies, Roots, Web};
use crate::os::paths::absolute;
use crate::permission::{SandboxBy, SandboxMode};
use crate::protocol::{Hold, ModelId, Writes};
use crate::text::model_text::Detail;
use crate::text::redact::Hide;
use crate::tools::{EditTool, Selection, ToolRegistry};

/// Larger images are not sent (endpoints refuse them at 5 to 20 MB).
const MAX_IMAGE_BYTES: u64 = 5 * 1024 * 1024;

/// What endpoints have shown in this process, by their address: another model and a new session are no reason to forget it.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    memories: Mutex<BTreeMap<String, Arc<EndpointMemory>>>,
    /// By model: what was too long for it stays so.
    windows: Mutex<BTreeMap<ModelId, Window>>,
    first_answer: FirstAnswer,
}

impl Learnt {
    /// The window of `model`, as all its agents share it.
    pub(super) fn window(&self, model: &ModelId) -> Window {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.entry(model.clone()).or_default().clone()
    }

    fn of(&self, endpoint: &Endpoint) -> Arc<EndpointMemory> {
        let mut known = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || Arc::new(EndpointMemory::of_host(endpoint.host()));
        Arc::clone(known.entry(endpoint.base().to_owned()).or_insert_with(fresh))
    }
}

/// The agent for `model`.
pub(super) fn agent(app: &App, model: &ModelId) -> Result<Agent, Error> {
    let Connections { proxies, roots, .. } = connections(&app.config, &app.place.env);
    let web = Web::new(proxies, roots);
    let window = app.learnt.window(model);
    window.tell(app.window_of(model));
    let detail = Detail::for_window(window.tokens());
    let selection = Selection {
        editing: edit_tool(app, model),
        detail,
        disallowed: app.config.permissions.withheld.iter().cloned().collect(),
    };
    let tools = ToolRegistry::built_in(&selection, web)
        .map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
    let system = system_prompt(app, &tools, detail);
    Agent::create(AgentParts {
        chat: chat(app, model)?,
        tools: Arc::new(tools),
        hooks: Arc::new(NoHooks),
        clock: Arc::clone(&app.clock),
        system: system.into(),
        model: model.clone(),
        window,
        nudging: if app.config.nudge.value { Nudging::On } else { Nudging::Off },
    })
    .map_err(|error| Error::new(Kind::Config, error.message))
}

/// The tool with which `model` edits. The demonstration's script knows one of them.
fn edit_tool(app: &App, model: &ModelId) -> EditTool {
    if app.is_demo() {
        return EditTool::Replacement;
    }
    match app.config.edit_tool.value {
        config::EditTool::Edit => EditTool::Replacement,
        config::EditTool::Patch => EditTool::Patch,
        config::EditTool::Auto => match known::family(model.as_str()).map(|family| family.edits) {
            Some(Edits::Patch) => EditTool::Patch,
            Some(Edits::Replacement) | None => EditTool::Replacement,
        },
    }
}

fn system_prompt(app: &App, tools: &ToolRegistry, detail: Detail) -> String {
    let cwd = app.place.cwd.display().to_string();
    let tools: Vec<&str> = tools.names().collect();
    let prompt = build_system_prompt(&Layers {
        environment: Environment {
            cwd: &cwd,
            platform: std::env::consts::OS,
            git: app.told.branch().map(|branch| Git { branch, is_changed: app.is_git_changed() }),
            date: &app.today,
            commands: commands(app),
            session: match app.cli.task {
                Task::Print(_) => Session::Headless,
                _ => Session::Interactive,
            },
        },
        base: app.cli.system_prompt.replace.as_deref(),
        detail,
        tools: &tools,
        instructions: app.told.instructions(),
        appended: app.cli.system_prompt.append.as_deref(),
    });
    // a project's instructions may hold a key
    app.place.redactor.redact(&prompt, Hide::Keys).into_owned()
}

/// How commands are sandboxed by the settings. Not by the mode: it may change while the prompt stays the same.
fn commands(app: &App) -> Commands {
    let settings = &app.config.sandbox;
    let sandbox = |writes| Hold::Held { writes, network: settings.network.value };
    Commands {
        sandbox: match settings.mode.value {
            SandboxMode::Off => Hold::Free,
            SandboxMode::ReadOnly => sandbox(Writes::Nothing),
            SandboxMode::WorkspaceWrite => sandbox(Writes::Workspace),
        },
        may_differ: settings.by() == SandboxBy::Default,
    }
}

/// The model behind its layers; in the demonstration the script.
fn chat(app: &App, model: &ModelId) -> Result<Arc<dyn ChatService>, Error> {
    if app.is_demo() {
        return demo::chat(model);
    }
    let config = &app.config;
    let (first, others) = endpoints(config.endpoint.target()?)?;
    let (seed, images, memory) = (app.clock.now_ms(), images(app), app.learnt.of(&first));
    let asked = examined(config, &app.place.env)?;
    let patient = |endpoint: Endpoint| {
        let key = endpoint.key_name().unwrap_or_default().to_owned();
        let (images, memory) = (Arc::clone(&images), Arc::clone(&memory));
        let service = create_chat_service(ChatServiceConfig { endpoint, memory, images, ..asked.clone() });
        let first_answer = app.learnt.first_answer.clone();
        Keyed::new(key, Retry::new(service, config.limits.max_retries.value, seed, first_answer))
    };
    let others = others.into_iter().map(patient).collect();
    Ok(Arc::new(Fallback::new(patient(first), others, config.model.fallbacks.clone())))
}

/// The endpoint as a conversation asks it with its first key, for whoever examines it: with nothing remembered, and without
/// images.
pub(super) fn examined(config: &Config, env: &Env) -> Result<ChatServiceConfig, Error> {
    let target = config.endpoint.target()?;
    let (endpoint, _) = endpoints(target)?;
    let http = endpoint.client(connections(config, env)).map_err(refused)?;
    let memory = Arc::new(EndpointMemory::of_host(endpoint.host()));
    Ok(ChatServiceConfig {
        endpoint,
        http,
        wire: wire(config, target),
        text_calls: text_calls(config.model.text_calls),
        memory,
        patience: Patience { first_byte: config.limits.first_byte.value, idle: config.limits.silence.value },
        images: Arc::new(|_| None),
    })
}

fn wire(config: &Config, target: &Target) -> WireOptions {
    WireOptions {
        temperature: config.model.temperature,
        reasoning_effort: config.model.reasoning_effort.clone(),
        max_output_tokens: config.model.max_output_tokens,
        delivery: if config.model.stream { Delivery::Streamed } else { Delivery::Whole },
        extra_body: target.extra_body.clone(),
    }
}

fn text_calls(wanted: config::TextCalls) -> TextCalls {
    match wanted {
        config::TextCalls::Off => TextCalls::Off,
        config::TextCalls::Tags => TextCalls::Tags,
        config::TextCalls::All => TextCalls::All,
    }
}

/// Where and how the endpoint is asked for its models.
pub(super) fn model_search(config: &Config, env: &Env) -> Result<ModelSearch, Error> {
    let (first, _) = endpoints(config.endpoint.target()?)?;
    Ok(ModelSearch::at(first, connections(config, env)))
}

/// The endpoint with its first key, or with none, and with each further one.
fn endpoints(target: &Target) -> Result<(Endpoint, Vec<Endpoint>), Error> {
    let mut keys = target.keys.iter();
    let first = endpoint(target, keys.next())?;
    let others: Result<Vec<Endpoint>, Error> = keys.map(|key| endpoint(target, Some(key))).collect();
    Ok((first, others?))
}

fn endpoint(target: &Target, key: Option<&Key>) -> Result<Endpoint, Error> {
    let key = key.map(|key| ApiKey {
        name: match &key.source {
            KeySource::Flag => "--api-key".to_owned(),
            KeySource::Env(name) => name.clone(),
            KeySource::Saved => "the saved key".to_owned(),
        },
        secret: key.secret.expose().to_owned(),
    });
    let header = |header: &Header| (header.name.clone(), header.value.clone());
    let headers: Vec<(String, String)> = target.headers.iter().map(header).collect();
    Endpoint::new(target.url.value.as_str(), key.as_ref(), &headers).map_err(refused)
}

fn connections(config: &Config, env: &Env) -> Connections {
    Connections {
        timeout: config.limits.connect.value,
        proxies: Proxies::from_env(env),
        roots: Roots::from_env(env).and_file(config.ca_file.clone()),
    }
}

/// Images lie beside the session, or where their path says.
fn images(app: &App) -> Arc<ImageSource> {
    let beside = app.shelf().project;
    Arc::new(move |file| read_regular(&absolute(&beside, Path::new(file)), MAX_IMAGE_BYTES).ok())
}

fn refused(error: ChatError) -> Error {
    Error::new(Kind::Config, error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_endpoint_has_shown_is_kept_for_it_and_for_no_other() {
        let learnt = Learnt::default();
        let memory = |url: &str| learnt.of(&Endpoint::new(url, None, &[]).unwrap());
        let first = memory("http://127.0.0.1:1/v1");
        assert!(Arc::ptr_eq(&first, &memory("http://127.0.0.1:1/v1/")));
        assert!(!Arc::ptr_eq(&first, &memory("http://127.0.0.1:2/v1")));
        assert!(!Arc::ptr_eq(&first, &memory("http://127.0.0.1:1/other/v1")));
    }
}
