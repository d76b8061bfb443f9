//! `config.toml`: what was written, checked line by line.
//!
//! Keys that belong to parts of the program which read them themselves are known here, so that they are no
//! typing slip, and left alone.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::os::child_env::Passage;
use crate::permission::{Mode, Rule, Rules};

use super::budget::{self, FileBudget};
use super::provider::{FileProvider, base_url, ca_file, providers};
use super::reader::{Document, Section};
use super::sandbox::{self, FileSandbox};
use super::tui::{self, FileTui};
use super::{BaseUrl, ConfigError, EditTool, TextCalls, TurnLimit};

/// Keys of the root table.
pub(super) const KEYS: [&str; 29] = [
    "model",
    "base_url",
    "api_key_env",
    "provider",
    "providers",
    "ca_file",
    "max_turns",
    "permission_mode",
    "permissions",
    "context_window",
    "fallback_models",
    "connect_timeout_secs",
    "first_byte_timeout_secs",
    "request_timeout_secs",
    "max_retries",
    "max_output_tokens",
    "temperature",
    "reasoning_effort",
    "max_cost",
    "max_tokens",
    "prices",
    "text_calls",
    "stream",
    "nudge",
    "edit_tool",
    "sandbox",
    "mcp_servers",
    "hooks",
    "tui",
];

/// Keys that are no slip and yet do nothing: who relies on a hook must hear that none runs.
const UNUSED: [(&str, &str); 2] = [
    ("mcp_servers", "is ignored: this version does not support MCP servers"),
    ("hooks", "is ignored: this version does not support hooks"),
];

pub(super) const PERMISSION_KEYS: [&str; 3] = ["allow", "ask", "deny"];

/// What a `config.toml` says; `None` where it says nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileConfig {
    /// Where the model is.
    pub endpoint: FileEndpoint,
    /// Which model, and how it is asked.
    pub model: FileModel,
    /// Turns, times, tries.
    pub limits: FileLimits,
    /// `max_cost`, `max_tokens`, `[prices]`.
    pub budget: FileBudget,
    /// `permission_mode`.
    pub permission_mode: Option<Mode>,
    /// `[permissions]`.
    pub rules: Rules,
    /// `[sandbox]`.
    pub sandbox: FileSandbox,
    /// `[sandbox] environment`: variables that commands get besides the usual ones.
    pub environment: Vec<Passage>,
    /// `nudge`.
    pub nudge: Option<bool>,
    /// `edit_tool`.
    pub edit_tool: Option<EditTool>,
    /// `[tui]`.
    pub tui: FileTui,
    /// Keys that nobody knows, a line each.
    pub warnings: Vec<String>,
}

/// Where the model is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileEndpoint {
    /// `base_url`.
    pub base_url: Option<BaseUrl>,
    /// `api_key_env`.
    pub api_key_env: Vec<String>,
    /// `provider`: the name of one of the providers.
    pub provider: Option<String>,
    /// `[providers]`, in the order of the file.
    pub providers: Vec<FileProvider>,
    /// `ca_file`, from the file's directory; `~` is left as it is.
    pub ca_file: Option<PathBuf>,
}

/// Which model, and how it is asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileModel {
    /// `model`.
    pub name: Option<String>,
    /// `context_window`, in tokens.
    pub context_window: Option<u64>,
    /// `fallback_models`.
    pub fallbacks: Option<Vec<String>>,
    /// `max_output_tokens`; 0 is not sent.
    pub max_output_tokens: Option<u32>,
    /// `temperature`.
    pub temperature: Option<f64>,
    /// `reasoning_effort`.
    pub reasoning_effort: Option<String>,
    /// `text_calls`.
    pub text_calls: Option<TextCalls>,
    /// `stream`.
    pub stream: Option<bool>,
}

/// Turns, times in seconds, tries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileLimits {
    /// `max_turns`.
    pub max_turns: Option<TurnLimit>,
    /// `connect_timeout_secs`.
    pub connect_secs: Option<u64>,
    /// `first_byte_timeout_secs`.
    pub first_byte_secs: Option<u64>,
    /// `request_timeout_secs`.
    pub silence_secs: Option<u64>,
    /// `max_retries`.
    pub max_retries: Option<u32>,
}

impl FileModel {
    /// What a provider says, and where it says nothing, what the root says.
    pub(super) fn over(self, root: Self) -> Self {
        Self {
            name: self.name.or(root.name),
            context_window: self.context_window.or(root.context_window),
            fallbacks: self.fallbacks.or(root.fallbacks),
            max_output_tokens: self.max_output_tokens.or(root.max_output_tokens),
            temperature: self.temperature.or(root.temperature),
            reasoning_effort: self.reasoning_effort.or(root.reasoning_effort),
            text_calls: self.text_calls.or(root.text_calls),
            stream: self.stream.or(root.stream),
        }
    }
}

/// Reads the text of the `config.toml` at `path`.
pub fn parse(path: &Path, text: &str) -> Result<FileConfig, ConfigError> {
    let document = Document { path, text };
    let parsed = document.parse()?;
    let root = document.root(parsed.get_ref());
    let (providers, of_providers) = providers(&root, path)?;
    let (budget, of_prices) = budget::read(&root)?;
    let config = FileConfig {
        endpoint: FileEndpoint {
            base_url: base_url(&root)?,
            api_key_env: root.string_or_strings("api_key_env", r#"api_key_env = "OPENAI_API_KEY""#)?,
            provider: provider(&root, &providers)?,
            providers,
            ca_file: ca_file(&root, path)?,
        },
        model: model(&root)?,
        limits: limits(&root)?,
        budget,
        permission_mode: root.parsed("permission_mode", r#"permission_mode = "default""#)?,
        rules: rules(&root)?,
        sandbox: sandbox::read(&root)?,
        environment: environment(&root)?,
        nudge: root.boolean("nudge", "nudge = true")?,
        edit_tool: root.parsed("edit_tool", r#"edit_tool = "auto""#)?,
        tui: tui::read(&root)?,
        warnings: [warnings(&root)?, of_providers, of_prices].concat(),
    };
    #[cfg(test)]
    super::schema::hold(text, &config);
    Ok(config)
}

/// `provider`, which must be there.
fn provider(root: &Section<'_>, providers: &[FileProvider]) -> Result<Option<String>, ConfigError> {
    let Some(name) = filled(root.string("provider", r#"provider = "deepseek""#)?) else { return Ok(None) };
    if providers.iter().any(|provider| provider.name == name) {
        return Ok(Some(name));
    }
    let names = ConfigError::provider_names(providers.iter().map(|provider| provider.name.as_str()));
    Err(root.refuse("provider", &format!("`[providers.{name}]` does not exist ({names})")))
}

/// The keys about a model, of the root table or of a provider's.
pub(super) fn model(root: &Section<'_>) -> Result<FileModel, ConfigError> {
    let temperature = root.number("temperature", "temperature = 0.2")?;
    if temperature.is_some_and(|value| value < 0.0) {
        return Err(root.refuse("temperature", "it must not be negative (try `temperature = 0.2`)"));
    }
    Ok(FileModel {
        name: filled(root.string("model", r#"model = "qwen3-coder""#)?),
        context_window: unsigned(root.whole("context_window", 1..=i64::MAX, "context_window = 128000")?),
        fallbacks: root
            .strings("fallback_models", r#"fallback_models = ["gpt-5-mini"]"#)?
            .map(|names| names.into_iter().filter_map(|name| filled(Some(name))).collect()),
        max_output_tokens: unsigned(root.whole(
            "max_output_tokens",
            0..=i64::from(u32::MAX),
            "max_output_tokens = 0",
        )?),
        temperature,
        reasoning_effort: filled(root.string("reasoning_effort", r#"reasoning_effort = "high""#)?),
        text_calls: root.parsed("text_calls", r#"text_calls = "tags""#)?,
        stream: root.boolean("stream", "stream = false")?,
    })
}

fn limits(root: &Section<'_>) -> Result<FileLimits, ConfigError> {
    let turns = root.whole("max_turns", i64::MIN..=i64::MAX, "max_turns = 50")?;
    let turns = turns.map(TurnLimit::new).transpose();
    let seconds = |key: &str, example: &str| root.whole(key, 1..=MAX_SECONDS, example).map(unsigned);
    Ok(FileLimits {
        max_turns: turns.map_err(|error| root.refuse("max_turns", &error.to_string()))?,
        connect_secs: seconds("connect_timeout_secs", "connect_timeout_secs = 10")?,
        first_byte_secs: seconds("first_byte_timeout_secs", "first_byte_timeout_secs = 600")?,
        silence_secs: seconds("request_timeout_secs", "request_timeout_secs = 120")?,
        max_retries: unsigned(root.whole("max_retries", 0..=100, "max_retries = 5")?),
    })
}

/// A day: who waits longer has mistyped, and a clock cannot overflow.
const MAX_SECONDS: i64 = 86_400;

fn rules(root: &Section<'_>) -> Result<Rules, ConfigError> {
    let Some(permissions) = root.section("permissions")? else { return Ok(Rules::default()) };
    let list = |key: &str, example: &str| permissions.parsed_list::<Rule>(key, example);
    let holding_back = |key: &str, example: &str| {
        let rules = list(key, example)?;
        match rules.iter().find(|rule| rule.only_loosens()) {
            Some(rule) => Err(permissions.refuse(key, &format!("`{rule}` is valid only in `allow`"))),
            None => Ok(rules),
        }
    };
    Ok(Rules {
        allow: list("allow", r#"allow = ["Bash(git status:*)"]"#)?,
        ask: holding_back("ask", r#"ask = ["Bash(git push:*)"]"#)?,
        deny: holding_back("deny", r#"deny = ["Read(./.env)"]"#)?,
    })
}

fn environment(root: &Section<'_>) -> Result<Vec<Passage>, ConfigError> {
    let Some(sandbox) = root.section("sandbox")? else { return Ok(Vec::new()) };
    sandbox.parsed_list("environment", r#"environment = ["FOO", "BAR_*"]"#)
}

fn warnings(root: &Section<'_>) -> Result<Vec<String>, ConfigError> {
    let mut warnings = root.unknown(&KEYS, &KEYS);
    let present = root.keys();
    let unused = UNUSED.iter().filter(|(key, _)| present.iter().any(|name| name == key));
    warnings.extend(unused.map(|(key, why)| root.remark(key, why)));
    let tables: [(&str, &[&str]); 3] =
        [("permissions", &PERMISSION_KEYS), ("sandbox", &sandbox::KEYS), ("tui", &tui::KEYS)];
    for (key, known) in tables {
        if let Some(section) = root.section(key)? {
            warnings.extend(section.unknown(known, &KEYS));
        }
    }
    Ok(warnings)
}

/// A number that was checked to be in the type's bounds.
pub(super) fn unsigned<T: TryFrom<i64>>(number: Option<i64>) -> Option<T> {
    number.and_then(|number| T::try_from(number).ok())
}

/// A text of nothing but space says nothing.
pub(super) fn filled(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A word that is none of the edit tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an edit tool (try \"auto\", \"edit\" or \"patch\")")]
pub struct UnknownEditTool(String);

impl EditTool {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Edit => "edit",
            Self::Patch => "patch",
        }
    }
}

impl FromStr for EditTool {
    type Err = UnknownEditTool;

    fn from_str(text: &str) -> Result<Self, UnknownEditTool> {
        match text {
            "auto" => Ok(Self::Auto),
            "edit" => Ok(Self::Edit),
            "patch" => Ok(Self::Patch),
            other => Err(UnknownEditTool(other.to_owned())),
        }
    }
}

/// A word that says nothing about calls written as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid value (try \"off\", \"tags\" or \"all\")")]
pub struct UnknownTextCalls(String);

impl FromStr for TextCalls {
    type Err = UnknownTextCalls;

    fn from_str(text: &str) -> Result<Self, UnknownTextCalls> {
        match text {
            "off" => Ok(Self::Off),
            "tags" => Ok(Self::Tags),
            "all" => Ok(Self::All),
            other => Err(UnknownTextCalls(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<FileConfig, String> {
        parse(Path::new("/c/config.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_is_read() {
        let config = read(
            r#"
            model = "qwen3-coder"
            base_url = "http://127.0.0.1:11434/v1/"
            api_key_env = ["A", "B"]
            max_turns = 500
            permission_mode = "autoEdit"
            context_window = 128_000
            fallback_models = ["x", "y"]
            connect_timeout_secs = 1
            first_byte_timeout_secs = 2
            request_timeout_secs = 3
            max_retries = 0
            max_output_tokens = 0x10
            temperature = 1
            reasoning_effort = "high"
            nudge = false
            edit_tool = "patch"
            text_calls = "all"
            stream = false
            [permissions]
            allow = ["Bash(git status:*)", "Edit(src/**)"]
            deny = ["WebFetch"]
            "#,
        )
        .unwrap();
        assert_eq!(config.endpoint.base_url.as_ref().map(BaseUrl::as_str), Some("http://127.0.0.1:11434/v1"));
        assert_eq!(config.endpoint.api_key_env, ["A", "B"]);
        assert_eq!(config.model.name.as_deref(), Some("qwen3-coder"));
        assert_eq!((config.model.context_window, config.model.max_output_tokens), (Some(128_000), Some(16)));
        assert_eq!(config.model.temperature, Some(1.0));
        assert_eq!(config.model.fallbacks, Some(vec!["x".to_owned(), "y".to_owned()]));
        assert_eq!((config.model.text_calls, config.model.stream), (Some(TextCalls::All), Some(false)));
        assert_eq!(config.limits.max_turns, Some(TurnLimit::AtMost(100)));
        assert_eq!((config.limits.connect_secs, config.limits.first_byte_secs), (Some(1), Some(2)));
        assert_eq!((config.limits.silence_secs, config.limits.max_retries), (Some(3), Some(0)));
        assert_eq!((config.permission_mode, config.nudge), (Some(Mode::AcceptEdits), Some(false)));
        assert_eq!((config.rules.allow.len(), config.rules.deny.len()), (2, 1));
        assert_eq!(config.edit_tool, Some(EditTool::Patch));
        assert_eq!(config.warnings, [""; 0]);
        assert_eq!(read("").unwrap(), FileConfig::default());
    }

    #[test]
    fn a_wrong_type_is_an_error_with_file_and_line() {
        let check = |text: &str, expected: &str| {
            assert_eq!(read(text).unwrap_err(), format!("cannot read /c/config.toml: {expected}"));
        };
        check(
            "model = \"x\"\nmax_turns = \"many\"",
            "line 2: `max_turns` must be an integer, not a string (try `max_turns = 50`)",
        );
        check(
            "\n\nmodel = 3",
            "line 3: `model` must be a string in quotes, not an integer (try `model = \"qwen3-coder\"`)",
        );
        check("nudge = \"yes\"", "line 1: `nudge` must be true or false, not a string (try `nudge = true`)");
        check(
            "fallback_models = [1]",
            "line 1: `fallback_models` must be a list of strings, not a list with other values (try \
             `fallback_models = [\"gpt-5-mini\"]`)",
        );
        check(
            "permissions = 1",
            "line 1: `permissions` must be a table, not an integer (try `[permissions]`)",
        );
        check(
            "max_turns = -5",
            "line 1: `max_turns`: `-5` is not a valid number of turns (try 50, or -1 to ask after 100)",
        );
        check(
            "permission_mode = \"wild\"",
            "line 1: `permission_mode`: `wild` is not a permission mode (try default, accept-edits, plan or bypass)",
        );
        check(
            "[permissions]\nallow = [\n  \"Read\",\n  \"Bsh(x)\",\n]",
            "line 4: `permissions.allow`: the rule `Bsh(x)` does not name a tool (did you mean `Bash`?)",
        );
        check(
            "max_retries = -1",
            "line 1: `max_retries`: -1 is out of range: from 0 to 100 (try `max_retries = 5`)",
        );
        check(
            "temperature = -1.0",
            "line 1: `temperature`: it must not be negative (try `temperature = 0.2`)",
        );
        check(
            "[sandbox]\nenvironment = \"FOO\"",
            "line 2: `sandbox.environment` must be a list of strings, not a string (try `environment = \
             [\"FOO\", \"BAR_*\"]`)",
        );
        check(
            "[sandbox]\nenvironment = [\"FOO\",\n\"FOO=1\"]",
            "line 3: `sandbox.environment`: `FOO=1` is not a variable name (try \"NAME\", or \"NAME_*\" for \
             a prefix)",
        );
        assert!(
            read("base_url = \"x\"").unwrap_err().contains("line 1: `base_url`: `x` is not a valid base URL")
        );
        assert!(read("a = 1\nb = = 2").unwrap_err().contains("line 2: "));
        assert!(read("model = \"a\"\nmodel = \"b\"").unwrap_err().contains("line 2: `model`: duplicate key"));
    }

    #[test]
    fn an_unknown_key_is_a_warning_that_names_the_nearest() {
        let warnings = read("modle = \"x\"\ncolour = 1\n[tui]\nthem = 1\nmodel = 2\n").unwrap().warnings;
        let expected = [
            "/c/config.toml: line 1: unknown key `modle` (did you mean `model`?)",
            "/c/config.toml: line 2: unknown key `colour`",
            "/c/config.toml: line 4: unknown key `tui.them` (did you mean `tui.theme`?)",
            "/c/config.toml: line 5: unknown key `tui.model` (`model` is a top-level key: put it before the \
             first table)",
        ];
        assert_eq!(warnings, expected);
    }

    #[test]
    fn what_this_version_does_not_do_is_told_and_no_slip() {
        let text = "max_cost = 0.0\nmax_tokens = 0\n[sandbox]\nmode = \"off\"\n[mcp_servers.files]\ncommand = \"x\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\
                    [tui]\nvim = true\n";
        let expected = [
            "/c/config.toml: line 5: `mcp_servers` is ignored: this version does not support MCP servers",
            "/c/config.toml: line 7: `hooks` is ignored: this version does not support hooks",
        ];
        assert_eq!(read(text).unwrap().warnings, expected);
    }
}
