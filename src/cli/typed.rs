//! The options as clap knows them, with the words of the help page.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{StringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::config::{BaseUrl, Secret, TurnLimit};
use crate::permission::{Mode, Rule, SandboxMode};

const AFTER_HELP: &str = "\
Permission rules (comma-separated; deny > ask > allow):
  Read                    a whole tool
  Bash(cargo test)        exactly this command
  Bash(git status:*)      commands with this prefix
  Read(./.env)            paths to read (.gitignore syntax, from project root)
  Edit(src/**)            paths that may be edited, by any tool
  WebFetch(domain:HOST)   pages of HOST and its subdomains

Environment:
  CLAWD_API_KEY, else OPENAI_API_KEY     API key for the endpoint set by option
                                         or environment, or for OpenAI
  CLAWD_BASE_URL, else OPENAI_BASE_URL   base URL of the endpoint
  CLAWD_MODEL, else OPENAI_MODEL         model to use
  CLAWD_HOME                             directory for configuration and data
  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY     http, https, socks5 or socks5h proxies;
                                         NO_PROXY lists hosts to reach directly
  SSL_CERT_FILE, SSL_CERT_DIR            additional trusted certificates (PEM)

Exit codes:
  0 success, 1 run failed, 2 usage or configuration error, 3 turn, time or
  budget limit reached, 129 hangup, 130 interrupted, 143 terminated

Examples:
  clawd --base-url http://127.0.0.1:11434/v1   chat with a local model
  clawd why does the test fail                 start with a message
  git diff | clawd -p 'review this'            print one answer and exit
  clawd doctor                                 check the configuration
  clawd sessions list --all                    list all saved sessions
  clawd -- demo                                send the word 'demo' as a message";

/// What the first line of every page of help says.
const ABOUT: &str = "A terminal coding agent for any OpenAI-compatible endpoint";

/// A line without a command.
#[derive(Debug, Parser)]
#[command(name = "clawd", version, about = ABOUT, long_about = None, after_help = AFTER_HELP)]
#[command(disable_help_subcommand = true, args_override_self = true)]
#[command(
    override_usage = "clawd [OPTIONS] [PROMPT]\n       clawd -p [OPTIONS] [PROMPT]\n       clawd COMMAND"
)]
pub(super) struct Typed {
    /// First message; several words are joined with spaces
    #[arg(value_name = "PROMPT")]
    pub(super) prompt: Vec<String>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) permissions: PermissionArgs,
    #[command(flatten)]
    pub(super) session: SessionArgs,
    #[command(flatten)]
    pub(super) general: GeneralArgs,
}

/// The same with a command. Its own words take the place of those of `Typed`, so they are said again.
#[derive(Debug, Parser)]
#[command(about = ABOUT, long_about = None, flatten_help = false)]
pub(super) struct Commanded {
    #[command(flatten)]
    pub(super) typed: Typed,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(super) enum Command {
    /// List, show, export and delete sessions
    #[command(args_conflicts_with_subcommands = true)]
    Sessions {
        #[command(flatten)]
        list: ListArgs,
        #[command(subcommand)]
        what: Option<SessionsWord>,
    },
    /// Show every setting and where it comes from
    Config {
        #[command(subcommand)]
        what: Option<ConfigWord>,
    },
    /// Check configuration, terminal, endpoint and model
    Doctor,
    /// Try a scripted demo (no key, no network)
    Demo,
    /// Generate shell completions
    Completions {
        /// bash, elvish, fish, powershell or zsh
        #[arg(value_name = "SHELL", hide_possible_values = true)]
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(super) enum SessionsWord {
    /// List the sessions of this directory, newest first
    List(ListArgs),
    /// Print a session
    Show(OneSession),
    /// Export a session to standard output
    Export(OneSession),
    /// Delete a session and its stored files
    Delete {
        /// Session ID or a unique prefix
        #[arg(value_name = "ID", value_parser = id())]
        id: String,
        /// Search all directories
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(super) struct ListArgs {
    /// Include the sessions of all directories
    #[arg(long)]
    pub(super) all: bool,
    /// text, markdown or json [default: text]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(super) format: Option<ListFormat>,
}

#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(super) struct OneSession {
    /// Session ID or a unique prefix [default: the most recent]
    #[arg(value_name = "ID", value_parser = id())]
    pub(super) id: Option<String>,
    /// Search all directories
    #[arg(long)]
    pub(super) all: bool,
    /// json or markdown [default: markdown]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(super) format: Option<DocumentFormat>,
}

/// How a list of sessions is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ListFormat {
    /// For reading.
    #[default]
    Text,
    /// A table.
    Markdown,
    /// An array of objects.
    Json,
}

/// How a session is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DocumentFormat {
    /// For reading, and for pasting elsewhere.
    #[default]
    Markdown,
    /// One object.
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub(super) enum ConfigWord {
    /// Show every setting and the file or variable that set it
    Show,
    /// Print the path of the configuration file
    Path,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub(super) struct ModelArgs {
    /// Model [default: the endpoint's only model]
    #[arg(short, long, value_name = "NAME", value_parser = name(), global = true)]
    pub(super) model: Option<String>,
    /// Base URL of the endpoint, ending in /v1
    #[arg(long, value_name = "URL", global = true)]
    pub(super) base_url: Option<BaseUrl>,
    /// Use [providers.NAME] from config.toml
    #[arg(long, value_name = "NAME", value_parser = name(), global = true)]
    pub(super) provider: Option<String>,
    /// API key (other users can see it in `ps`)
    #[arg(long, value_name = "KEY", value_parser = key, global = true)]
    pub(super) api_key: Option<Secret>,
    /// Replace the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(super) system_prompt: Option<String>,
    /// Append to the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(super) append_system_prompt: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Headless")]
pub(super) struct OutputArgs {
    /// Run once without UI; stdin is added to PROMPT
    #[arg(short, long)]
    pub(super) print: bool,
    /// text, json or stream-json [default: text]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(super) output_format: Option<OutputFormat>,
    /// Stop after N requests (1-100); -1: ask after 100
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) max_turns: Option<TurnLimit>,
    /// Stop after SECONDS of wall-clock time
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(super) timeout: Option<Duration>,
    /// Stop when the session has cost DOLLARS
    #[arg(long, value_name = "DOLLARS", value_parser = dollars, allow_negative_numbers = true)]
    pub(super) max_cost: Option<f64>,
    /// Stop when the session has used N tokens
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    pub(super) max_tokens: Option<u64>,
}

impl OutputArgs {
    /// The first option that is for headless runs alone, and what else can be done.
    pub(super) fn headless_only(&self) -> Option<(&'static str, &'static str)> {
        let add = "try adding `-p`";
        [
            (self.output_format.is_some(), "--output-format", add),
            (self.timeout.is_some(), "--timeout", add),
            (self.max_cost.is_some(), "--max-cost", "try adding `-p`, or `max_cost` in config.toml"),
            (self.max_tokens.is_some(), "--max-tokens", "try adding `-p`, or `max_tokens` in config.toml"),
        ]
        .into_iter()
        .find_map(|(given, option, hint)| given.then_some((option, hint)))
    }
}

/// How a headless run prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub enum OutputFormat {
    /// The final message alone.
    #[default]
    Text,
    /// The result as one object.
    Json,
    /// Every event as an object on a line of its own.
    StreamJson,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Permissions")]
pub(super) struct PermissionArgs {
    /// default, accept-edits, plan or bypass
    #[arg(long, value_name = "MODE")]
    pub(super) permission_mode: Option<Mode>,
    /// Same as --permission-mode bypass
    #[arg(long)]
    pub(super) yolo: bool,
    /// off, read-only or workspace-write
    #[arg(long, value_name = "MODE")]
    pub(super) sandbox: Option<SandboxMode>,
    /// Allow without asking (see Permission rules)
    #[arg(long, value_name = "RULES", value_parser = rules)]
    pub(super) allowed_tools: Vec<Rules>,
    /// Deny; a bare tool name also hides that tool
    #[arg(long, value_name = "RULES", value_parser = rules)]
    pub(super) disallowed_tools: Vec<Rules>,
    /// Trust this directory for this run
    #[arg(long)]
    pub(super) trust: bool,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "three flags as they are typed; `Session` says what they mean"
)]
#[derive(Debug, Args)]
#[command(next_help_heading = "Session")]
pub(super) struct SessionArgs {
    /// Continue the most recent session in this directory
    #[arg(short = 'c', long = "continue")]
    pub(super) resume_last: bool,
    /// Resume the session with this ID or prefix, or pick one
    #[arg(short, long, value_name = "ID", value_parser = id())]
    #[expect(clippy::option_option, reason = "how clap reads an option that may have no value")]
    pub(super) resume: Option<Option<String>>,
    /// Continue in a copy with a new ID (with -c or -r)
    #[arg(long)]
    pub(super) fork_session: bool,
    /// Do not save this session
    #[arg(long)]
    pub(super) no_session: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "General")]
pub(super) struct GeneralArgs {
    /// Change to DIR first
    #[arg(short = 'C', long, value_name = "DIR", global = true)]
    pub(super) cd: Option<PathBuf>,
    /// Also allow reading and editing DIR (repeatable)
    #[arg(long, value_name = "DIR", global = true)]
    pub(super) add_dir: Vec<PathBuf>,
    /// Use the alternate screen (full-screen UI)
    #[arg(long, global = true)]
    pub(super) fullscreen: bool,
    /// Write a verbose log file
    #[arg(long, global = true)]
    pub(super) debug: bool,
}

/// The rules of one option; a newtype would only be taken apart again.
pub(super) type Rules = Vec<Rule>;

fn rules(text: &str) -> Result<Rules, String> {
    Rule::parse_list(text).map_err(|error| error.to_string())
}

/// A name without whitespace around it.
fn name() -> impl TypedValueParser<Value = String> {
    trimmed("the name is empty (try a name, or omit the option)")
}

/// The ID of a session, or the beginning of it: an empty one would fit every session.
fn id() -> impl TypedValueParser<Value = String> {
    trimmed("the ID is empty (try `clawd sessions list`)")
}

/// A text without whitespace around it; `empty` is the error if nothing is left.
fn trimmed(empty: &'static str) -> impl TypedValueParser<Value = String> {
    StringValueParser::new().try_map(move |text: String| {
        Some(text.trim().to_owned()).filter(|text| !text.is_empty()).ok_or_else(|| empty.to_owned())
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let length = positive(text).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    length.filter(|length| !length.is_zero()).ok_or_else(|| not_above_zero(text, "number of seconds", "600"))
}

fn dollars(text: &str) -> Result<f64, String> {
    positive(text).ok_or_else(|| not_above_zero(text, "number of dollars", "0.50"))
}

fn tokens(text: &str) -> Result<u64, String> {
    let tokens = text.parse().ok().filter(|tokens| *tokens > 0);
    tokens.ok_or_else(|| not_above_zero(text, "whole number of tokens", "200000"))
}

fn positive(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

fn not_above_zero(text: &str, what: &str, example: &str) -> String {
    format!("`{text}` is not a {what} above 0 (try {example})")
}

fn key(text: &str) -> Result<Secret, String> {
    Secret::new(text).map_err(|error| error.to_string())
}
