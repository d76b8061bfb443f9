//! What the user wants, and where each wish comes from.
//!
//! Two steps: what was written ([`FileConfig`], [`Flags`], the environment) is folded into what it means ([`Config`]),
//! and nobody checks a value again. The surprising decision: an API key belongs to an endpoint, not to the
//! program. A key from the environment is sent only to an endpoint that the same person gave by flag or
//! environment, or to `OpenAI`; an address in a file takes the key that the file names. So a provider's address is the
//! file's, even where a flag chose the provider.

mod base_url;
mod budget;
mod choice;
mod credentials;
mod endpoint;
mod error;
mod file;
mod header;
mod layers;
mod limit;
mod load;
mod project;
mod provider;
mod reader;
mod sandbox;
#[cfg(test)]
mod schema;
mod secret;
mod secrets;
mod store;
mod target;
mod theme;
mod tui;

use std::path::PathBuf;
use std::time::Duration;

use crate::permission::{Mode, Rules};
use crate::protocol::ModelId;

pub use base_url::{BadUrl, BaseUrl};
pub use budget::{Budget, FileBudget};
pub use choice::{ModelPlace, save_choice, save_model, save_theme};
pub use credentials::{Credentials, save_key};
pub use endpoint::{Endpoint, Key, KeyPlace, KeySource, OPENAI, Target};
pub use error::ConfigError;
pub use file::{FileConfig, parse};
pub use header::Header;
pub use layers::{Flags, Layers, fold};
pub use limit::{BadLimit, TURN_LIMIT, TurnLimit};
pub use load::{load, without_files};
pub use project::{Part, ProjectFile, Survey, Wishes, survey, survey_servers};
pub use sandbox::{FileSandbox, SandboxConfig};
pub use secret::{BadKey, Secret};
pub use secrets::Secrets;
pub use store::{parse_table, read_guarded_table, read_table, read_text, write_private};
pub use theme::{OwnTheme, THEME_ROLES, is_name, read_theme};
pub use tui::{FileTui, InputKeys, Motion, Mouse, Notifications, Showing, Surface, TuiConfig};

/// What the user wants, all layers folded.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Where the model is, and with which key.
    pub endpoint: Endpoint,
    /// Which model, and how it is asked.
    pub model: ModelConfig,
    /// Turns, times, tries.
    pub limits: Limits,
    /// What a session may use, and what models cost.
    pub budget: Budget,
    /// Mode and rules.
    pub permissions: Permissions,
    /// What commands may write and reach.
    pub sandbox: SandboxConfig,
    /// Whether a model that only announces an action is asked to do it.
    pub nudge: Sourced<bool>,
    /// Which tool edits files.
    pub edit_tool: Sourced<EditTool>,
    /// How the screen looks and behaves.
    pub tui: TuiConfig,
    /// Certificates to trust besides the system's (PEM).
    pub ca_file: Option<PathBuf>,
    /// What must stay with the program.
    pub secrets: Secrets,
    /// What was odd but harmless, a line each.
    pub warnings: Vec<String>,
}

/// Which model, and how it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelConfig {
    /// The model; without one the endpoint is asked whether it has just one.
    pub name: Option<Sourced<ModelId>>,
    /// Tokens of its window, where the user knows better than the tables.
    pub context_window: Option<Sourced<u64>>,
    /// Tried in order when the model is overloaded or gone.
    pub fallbacks: Vec<ModelId>,
    /// Tokens of an answer; not sent where unset.
    pub max_output_tokens: Option<u32>,
    /// Sent only where set.
    pub temperature: Option<f64>,
    /// Sent only where set.
    pub reasoning_effort: Option<String>,
    /// Which texts count as calls while the endpoint sends none as calls.
    pub text_calls: TextCalls,
    /// Whether answers are asked for as they are made, or in one piece.
    pub stream: bool,
}

impl ModelConfig {
    /// The window's tokens, whoever has set them.
    #[must_use]
    pub fn window(&self) -> Option<u64> {
        self.context_window.as_ref().map(|window| window.value)
    }
}

/// Turns, times, tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Turns of a run.
    pub max_turns: Sourced<TurnLimit>,
    /// Until a connection stands.
    pub connect: Sourced<Duration>,
    /// Until the first byte of an answer.
    pub first_byte: Sourced<Duration>,
    /// Silence in the middle of an answer.
    pub silence: Sourced<Duration>,
    /// Further tries of a failed request.
    pub max_retries: Sourced<u32>,
}

/// Mode and rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// The mode at the start.
    pub mode: Sourced<Mode>,
    /// Rules of all layers; grants are added by whoever knows the project.
    pub rules: Rules,
    /// Tools that the model is not even told of.
    pub withheld: Vec<String>,
}

/// A value and the layer that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Its layer.
    pub origin: Origin,
}

/// The layers, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Built in.
    Default,
    /// The user's `config.toml`.
    UserFile,
    /// A file of the project, which is trusted.
    Project(ProjectFile),
    /// An environment variable.
    Env(&'static str),
    /// The command line.
    Flag,
}

impl Origin {
    /// As a person names it, where `option` is the one that sets the value and `default` stands for what is built in.
    pub fn named<'a>(self, option: &'a str, default: &'a str) -> &'a str {
        match self {
            Self::Default => default,
            Self::UserFile => "config.toml",
            Self::Project(file) => file.name(),
            Self::Env(name) => name,
            Self::Flag => option,
        }
    }
}

/// Which tool edits files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EditTool {
    /// The one that the model prefers.
    #[default]
    Auto,
    /// `Edit`.
    Edit,
    /// `ApplyPatch`.
    Patch,
}

/// Which texts count as calls while the endpoint sends none as calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextCalls {
    /// None.
    Off,
    /// `<tool_call>` and `<function=`.
    #[default]
    Tags,
    /// Fenced JSON too.
    All,
}
