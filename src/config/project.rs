//! A project's `config.toml`: what it may ask for, what stands beside that, and what is left out of it.
//!
//! Read as strictly as the user's own, and then most of it is dropped: a project may only tighten. It names no endpoint, no key,
//! no mode, no sandbox, and allows nothing. The surprise: a text can be surveyed before anybody has said yes to it, because
//! the wishes in a [`Survey`] are shut to all but the fold of the layers, and a person must see what they would say yes to.

use std::path::Path;

use serde_json::{Map, Value};

use crate::permission::{Rule, RuleFrom};
use crate::protocol::ModelId;

use super::file::{FileModel, KEYS, PERMISSION_KEYS, filled, unsigned};
use super::reader::{Document, Section};
use super::{Config, ConfigError, EditTool, Origin, Sourced};

/// Keys of the root table that a project may set, or that are listed apart.
const MAY: [&str; 7] =
    ["model", "context_window", "edit_tool", "nudge", "permissions", "mcp_servers", "hooks"];

/// The same of `[permissions]`.
const MAY_OF_PERMISSIONS: [&str; 2] = ["ask", "deny"];

/// Warnings of one file that are told; who writes more of them does not want to be understood.
const TOLD: usize = 20;

/// One of a project's two files, the stronger one last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProjectFile {
    /// `config.toml`, for everybody who works on the project.
    Shared,
    /// `config.local.toml`, for this checkout.
    Local,
}

impl ProjectFile {
    /// Both, the weaker one first.
    pub const ALL: [Self; 2] = [Self::Shared, Self::Local];

    /// Its name from the project's root.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => ".clawd/config.toml",
            Self::Local => ".clawd/config.local.toml",
        }
    }

    fn origin(self) -> Origin {
        Origin::Project(self)
    }
}

/// What a project's file may ask for, and asks for. Only the fold of the layers looks into it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wishes {
    file: ProjectFile,
    model: Option<String>,
    context_window: Option<u64>,
    edit_tool: Option<EditTool>,
    nudge: Option<bool>,
    ask: Vec<Rule>,
    deny: Vec<Rule>,
}

/// All that stands in a project's file.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// What counts once it is trusted.
    pub wishes: Wishes,
    /// The same for a person, a wish each; empty where nothing is wished for.
    pub says: Vec<String>,
    /// Keys and rules that a project may not set.
    pub left_out: Vec<String>,
    /// A warning for each of them and for each unknown key.
    pub warnings: Vec<String>,
    /// Hooks by event.
    pub hooks: Vec<Part>,
    /// MCP servers by name.
    pub servers: Vec<Part>,
}

/// Something named that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// What would run, for a person, a line each.
    pub shows: Vec<String>,
    /// All that it says, to be told from any other.
    pub content: String,
}

/// Reads the text of a project's file.
pub fn survey(file: ProjectFile, text: &str) -> Result<Survey, ConfigError> {
    let document = Document { path: Path::new(file.name()), text };
    let parsed = document.parse()?;
    let root = document.root(parsed.get_ref());
    let permissions = root.section("permissions")?;
    let (ask, deny) = (rules(permissions.as_ref(), "ask")?, rules(permissions.as_ref(), "deny")?);
    let wishes = Wishes {
        file,
        model: filled(root.string("model", r#"model = "qwen3-coder""#)?),
        context_window: unsigned(root.whole("context_window", 1..=i64::MAX, "context_window = 128000")?),
        edit_tool: root.parsed("edit_tool", r#"edit_tool = "auto""#)?,
        nudge: root.boolean("nudge", "nudge = true")?,
        ask,
        deny,
    };
    Ok(Survey {
        says: says(&wishes),
        left_out: left_out(&root, permissions.as_ref()),
        warnings: warnings(&root, permissions.as_ref()),
        hooks: parts(root.json("hooks")?, hooks),
        servers: parts(root.json("mcp_servers")?, |server| vec![shown_server(server)]),
        wishes,
    })
}

fn rules(permissions: Option<&Section<'_>>, key: &str) -> Result<Vec<Rule>, ConfigError> {
    let example = format!("{key} = [\"Bash(git push:*)\"]");
    permissions.map_or_else(|| Ok(Vec::new()), |section| section.parsed_list(key, &example))
}

fn says(wishes: &Wishes) -> Vec<String> {
    let Wishes { file: _, model, context_window, edit_tool, nudge, ask, deny } = wishes;
    let mut says = Vec::new();
    says.extend(model.as_ref().map(|model| format!("model = {model:?}")));
    says.extend(context_window.map(|tokens| format!("context_window = {tokens}")));
    says.extend(edit_tool.map(|tool| format!("edit_tool = \"{}\"", tool.name())));
    says.extend(nudge.map(|nudge| format!("nudge = {nudge}")));
    says.extend(ask.iter().map(|rule| format!("ask {rule}")));
    says.extend(deny.iter().map(|rule| format!("deny {rule}")));
    says
}

/// What a project may not set; of the rules that would allow something each by itself.
fn left_out(root: &Section<'_>, permissions: Option<&Section<'_>>) -> Vec<String> {
    let keys = root.keys().into_iter().filter(|key| is_left_out(key, &KEYS, &MAY));
    let allowed = permissions.map(|section| match section.strings("allow", "") {
        Ok(rules) => rules.unwrap_or_default(),
        Err(_of_a_wrong_type) => vec![String::new()],
    });
    let allowed = allowed.into_iter().flatten().map(|rule| format!("allow {rule}").trim_end().to_owned());
    keys.chain(allowed).collect()
}

fn warnings(root: &Section<'_>, permissions: Option<&Section<'_>>) -> Vec<String> {
    let mut warnings = of_section(root, &KEYS, &MAY);
    if let Some(section) = permissions {
        warnings.extend(of_section(section, &PERMISSION_KEYS, &MAY_OF_PERMISSIONS));
    }
    if warnings.len() > TOLD {
        let more = warnings.len() - TOLD;
        warnings.truncate(TOLD);
        warnings.extend(warnings.last().map(|_| format!("… and {more} more warnings about this file")));
    }
    warnings
}

fn of_section(section: &Section<'_>, known: &[&str], may: &[&str]) -> Vec<String> {
    let left_out = section.keys().into_iter().filter(|key| is_left_out(key, known, may));
    let left_out = left_out.map(|key| section.remark(&key, "is ignored: a project's file may not set it"));
    left_out.chain(section.unknown(known, &KEYS)).collect()
}

fn is_left_out(key: &str, known: &[&str], may: &[&str]) -> bool {
    known.contains(&key) && !may.contains(&key)
}

fn parts(table: Map<String, Value>, shows: impl Fn(&Value) -> Vec<String>) -> Vec<Part> {
    let part =
        |(name, value): (String, Value)| Part { name, shows: shows(&value), content: value.to_string() };
    table.into_iter().map(part).collect()
}

/// The commands of one event, each with the tools that it is for.
fn hooks(event: &Value) -> Vec<String> {
    let Some(hooks) = event.as_array().filter(|hooks| !hooks.is_empty()) else {
        return vec![event.to_string()];
    };
    let text = |hook: &Value, key: &str| hook.get(key).and_then(Value::as_str).map(str::to_owned);
    let shown = |hook: &Value| match (text(hook, "matcher"), text(hook, "command")) {
        (Some(matcher), Some(command)) => format!("{matcher}: {command}"),
        (None, Some(command)) => command,
        (_, None) => hook.to_string(),
    };
    hooks.iter().map(shown).collect()
}

/// The MCP servers of a `.mcp.json`.
pub fn survey_servers(text: &str) -> Result<Vec<Part>, serde_json::Error> {
    let value: Value = serde_json::from_str(text)?;
    let servers = value.get("mcpServers").and_then(Value::as_object).cloned().unwrap_or_default();
    Ok(parts(servers, |server| vec![shown_server(server)]))
}

/// What a server would be started with, or where it is.
fn shown_server(server: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let words = server.get("args").and_then(Value::as_array).into_iter().flatten();
    let env = server.get("env").and_then(Value::as_object).into_iter().flatten();
    let env: Vec<String> = env.map(|(name, value)| format!("{name}={}", text(value))).collect();
    match (server.get("command"), server.get("url")) {
        (Some(command), _) => {
            let line: Vec<String> = env.into_iter().chain([text(command)]).chain(words.map(text)).collect();
            line.join(" ")
        }
        (None, Some(url)) => text(url),
        (None, None) => server.to_string(),
    }
}

impl Wishes {
    /// Puts the wishes into a configuration, where nothing stronger has spoken: `typed` is what the provider says that the
    /// command line chose.
    pub(super) fn tighten(self, config: &mut Config, typed: Option<&FileModel>) {
        let origin = self.file.origin();
        if let Some(model) = self.model
            && typed.is_none_or(|typed| typed.name.is_none())
            && config.model.name.as_ref().is_none_or(|name| name.origin < origin)
        {
            config.model.name = Some(Sourced { value: ModelId::from(model), origin });
        }
        if let Some(value) = self.context_window
            && typed.is_none_or(|typed| typed.context_window.is_none())
        {
            config.model.context_window = Some(Sourced { value, origin });
        }
        if let Some(value) = self.edit_tool {
            config.edit_tool = Sourced { value, origin };
        }
        if let Some(value) = self.nudge {
            config.nudge = Sourced { value, origin };
        }
        let here = |rule: Rule| rule.standing(RuleFrom::Project(self.file.name()));
        config.permissions.rules.ask.extend(self.ask.into_iter().map(here));
        config.permissions.rules.deny.extend(self.deny.into_iter().map(here));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Survey, String> {
        survey(ProjectFile::Shared, text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_a_project_may_ask_for_is_read() {
        let text = r#"
            model = "m"
            context_window = 1000
            edit_tool = "patch"
            nudge = false
            [permissions]
            ask = ["Bash(git push:*)"]
            deny = ["Read(./.env)", "WebFetch"]
            "#;
        let found = read(text).unwrap();
        let says = [
            r#"model = "m""#,
            "context_window = 1000",
            r#"edit_tool = "patch""#,
            "nudge = false",
            "ask Bash(git push:*)",
            "deny Read(./.env)",
            "deny WebFetch",
        ];
        assert_eq!(found.says, says);
        assert_eq!((found.left_out, found.warnings), (Vec::<String>::new(), Vec::<String>::new()));
        assert_eq!(read("").unwrap().says, [""; 0]);
    }

    #[test]
    fn every_key_that_loosens_is_left_out_with_a_line_of_its_own() {
        let text = r#"base_url = "http://evil/v1"
api_key_env = "HOME"
permission_mode = 3
max_turns = -1
headers = { a = "b" }
sandbx = 1
[permissions]
allow = ["Bash(*)", "Edit"]
alow = 1
[sandbox]
mode = "off"
[providers.x]
base_url = "http://evil/v1"
"#;
        let found = read(text).unwrap();
        let left_out = [
            "base_url",
            "api_key_env",
            "permission_mode",
            "max_turns",
            "sandbox",
            "providers",
            "allow Bash(*)",
            "allow Edit",
        ];
        assert_eq!(found.left_out, left_out);
        let left = |line: usize, key: &str| {
            format!(".clawd/config.toml: line {line}: `{key}` is ignored: a project's file may not set it")
        };
        let expected = [
            left(1, "base_url"),
            left(2, "api_key_env"),
            left(3, "permission_mode"),
            left(4, "max_turns"),
            left(10, "sandbox"),
            left(12, "providers"),
            ".clawd/config.toml: line 5: unknown key `headers`".to_owned(),
            ".clawd/config.toml: line 6: unknown key `sandbx` (did you mean `sandbox`?)".to_owned(),
            left(8, "permissions.allow"),
            ".clawd/config.toml: line 9: unknown key `permissions.alow` (did you mean `permissions.allow`?)"
                .to_owned(),
        ];
        assert_eq!(found.warnings, expected);
        assert_eq!(found.says, [""; 0]);
    }

    #[test]
    fn a_wrong_type_is_an_error_with_file_and_line_where_the_key_may_be_set() {
        let check = |text: &str, expected: &str| {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(&format!("cannot read .clawd/config.toml: {expected}")), "{error}");
        };
        check("\nnudge = \"yes\"", "line 2: `nudge` must be true or false");
        check(
            "[permissions]\ndeny = [\"Bsh\"]",
            "line 2: `permissions.deny`: the rule `Bsh` does not name a tool",
        );
        check("model = = 1", "line 1: ");
        check("hooks = 1", "line 1: `hooks` must be a table");
        assert!(read("temperature = \"hot\"").is_ok(), "what is left out is not judged");
    }

    #[test]
    fn many_warnings_are_counted() {
        let text: Vec<String> = (0..50).map(|n| format!("odd{n} = 1")).collect();
        let warnings = read(&text.join("\n")).unwrap().warnings;
        assert_eq!(warnings.len(), TOLD + 1);
        assert_eq!(warnings.last().unwrap(), "… and 30 more warnings about this file");
    }

    #[test]
    fn hooks_and_servers_show_what_would_run() {
        let text = r#"
            [mcp_servers.files]
            command = "npx"
            args = ["-y", "srv"]
            env = { LD_PRELOAD = "./x.so" }
            [mcp_servers.far]
            url = "https://e.example/mcp"
            [[hooks.PreToolUse]]
            matcher = "Bash|Edit"
            command = "./check.sh"
            [[hooks.PreToolUse]]
            command = "curl e"
            "#;
        let found = read(text).unwrap();
        let shows = |parts: &[Part]| -> Vec<(String, Vec<String>)> {
            parts.iter().map(|part| (part.name.clone(), part.shows.clone())).collect()
        };
        let one = |name: &str, shows: &[&str]| {
            (name.to_owned(), shows.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(shows(&found.hooks), [one("PreToolUse", &["Bash|Edit: ./check.sh", "curl e"])]);
        let mut servers = shows(&found.servers);
        servers.sort();
        let expected =
            [one("far", &["https://e.example/mcp"]), one("files", &["LD_PRELOAD=./x.so npx -y srv"])];
        assert_eq!(servers, expected);
        let json = r#"{"mcpServers": {"a": {"command": "x", "args": ["1"]}, "b": 3}}"#;
        assert_eq!(shows(&survey_servers(json).unwrap()), [one("a", &["x 1"]), one("b", &["3"])]);
        assert!(survey_servers("{").is_err());
    }
}
