//! The agent of a session: endpoint, retries, fallbacks, tools, system prompt.
//!
//! The layers stand around each other like this: `Fallback(Retry(endpoint))`, keys and models in turn around each one's own
//! retries.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::App;
use super::demo;
use super::models::ModelSearch;
use crate::agent::{Agent, AgentParts, NoHooks, Nudging};
use crate::chat::accumulate::TextCalls;
use crate::chat::endpoint::{ApiKey, Connections, Endpoint};
use crate::chat::fallback::Fallback;
use crate::chat::openai::{ChatServiceConfig, Patience, create_chat_service};
use crate::chat::retry::Retry;
use crate::chat::wire::{ImageSource, WireOptions};
use crate::chat::{ChatError, ChatService, EndpointMemory};
use crate::config::{Config, KeySource};
use crate::context::prompt::{Environment, Layers, build_system_prompt};
use crate::error::{Error, Kind};
use crate::os::env::Env;
use crate::os::file::read_regular;
use crate::os::http::Proxies;
use crate::os::paths::absolute;
use crate::protocol::ModelId;
use crate::tools::ToolRegistry;
use crate::workbench::Workbench;

/// Larger images are not sent (endpoints refuse them at 5 to 20 MB).
const MAX_IMAGE_BYTES: u64 = 5 * 1024 * 1024;

/// The agent for `model` on `bench`.
pub(super) fn agent(app: &App, model: &ModelId, bench: &Workbench) -> Result<Agent, Error> {
    let withheld: HashSet<String> = app.config.permissions.withheld.iter().cloned().collect();
    let tools = ToolRegistry::built_in(bench, &withheld)
        .map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
    Agent::create(AgentParts {
        chat: chat(app, model)?,
        tools: Arc::new(tools),
        hooks: Arc::new(NoHooks),
        clock: Arc::clone(&app.clock),
        system: system_prompt(app).into(),
        model: model.clone(),
        nudging: if app.config.nudge.value { Nudging::On } else { Nudging::Off },
    })
    .map_err(|error| Error::new(Kind::Config, error.message))
}

fn system_prompt(app: &App) -> String {
    let cwd = app.place.cwd.display().to_string();
    build_system_prompt(&Layers {
        environment: Environment {
            cwd: &cwd,
            platform: std::env::consts::OS,
            branch: app.told.branch(),
            date: &app.today,
        },
        base: app.cli.system_prompt.replace.as_deref(),
        instructions: app.told.instructions(),
        appended: app.cli.system_prompt.append.as_deref(),
    })
}

/// The model behind its layers; in the demonstration the script.
fn chat(app: &App, model: &ModelId) -> Result<Arc<dyn ChatService>, Error> {
    if app.is_demo() {
        return demo::chat(model);
    }
    let config = &app.config;
    let seed = app.clock.now_ms();
    let asked = examined(config, &app.place.env)?;
    let service = create_chat_service(ChatServiceConfig { images: images(app), ..asked });
    let patient = Retry::new(service, config.limits.max_retries.value, seed);
    Ok(Arc::new(Fallback::new(patient, Vec::new(), config.model.fallbacks.clone())))
}

/// The endpoint as a conversation asks it, for whoever examines it: with nothing remembered, and without images.
pub(super) fn examined(config: &Config, env: &Env) -> Result<ChatServiceConfig, Error> {
    let endpoint = endpoint(config)?;
    let http = endpoint.client(connections(config, env)).map_err(refused)?;
    let memory = Arc::new(EndpointMemory::of_host(endpoint.host()));
    Ok(ChatServiceConfig {
        endpoint,
        http,
        wire: WireOptions {
            temperature: config.model.temperature,
            reasoning_effort: config.model.reasoning_effort.clone(),
            max_output_tokens: config.model.max_output_tokens,
            ..WireOptions::default()
        },
        text_calls: TextCalls::Off,
        memory,
        patience: Patience { first_byte: config.limits.first_byte.value, idle: config.limits.silence.value },
        images: Arc::new(|_| None),
    })
}

/// Where and how the endpoint is asked for its models.
pub(super) fn model_search(config: &Config, env: &Env) -> Result<ModelSearch, Error> {
    Ok(ModelSearch::at(endpoint(config)?, connections(config, env)))
}

fn endpoint(config: &Config) -> Result<Endpoint, Error> {
    let target = config.endpoint.target()?;
    let key = target.key.as_ref().map(|key| ApiKey {
        name: match &key.source {
            KeySource::Flag => "--api-key".to_owned(),
            KeySource::Env(name) => name.clone(),
            KeySource::Saved => "the saved key".to_owned(),
        },
        secret: key.secret.expose().to_owned(),
    });
    Endpoint::new(target.url.value.as_str(), key.as_ref(), &[]).map_err(refused)
}

fn connections(config: &Config, env: &Env) -> Connections {
    Connections { timeout: config.limits.connect.value, proxies: Proxies::from_env(env), ca_file: None }
}

/// Images lie beside the session, or where their path says.
fn images(app: &App) -> Arc<ImageSource> {
    let beside = app.sessions().project;
    Arc::new(move |file| read_regular(&absolute(&beside, Path::new(file)), MAX_IMAGE_BYTES).ok())
}

fn refused(error: ChatError) -> Error {
    Error::new(Kind::Config, error.message)
}
