//! `clawd config` and `/config`: every value in force, written as in `config.toml`, and behind it which file, variable or option set it.
//!
//! Keys are named by their place alone. The surprise: the page can be read back as a configuration.

use std::fmt::Display;

use super::App;
use super::open::working_directory;
use super::told::Told;
use crate::cli::Cli;
use crate::config::{
    self, Config, EditTool, Endpoint, InputKeys, KeySource, Motion, Mouse, Notifications, OPENAI, Showing,
    Sourced, Surface, Target, TextCalls, TuiConfig, TurnLimit,
};
use crate::conversation::Conversation;
use crate::error::{Error, Kind};
use crate::os::env::Env;
use crate::os::paths::Paths;
use crate::permission::{Rule, RuleFrom};
use crate::protocol::Network;

/// The page. A project counts as far as it is trusted; nobody is asked.
///
/// # Errors
/// Where the configuration cannot be used.
pub fn settings(cli: &Cli, env: &Env) -> Result<String, Error> {
    let cwd = working_directory(cli, env)?;
    let paths = Paths::find(env).ok();
    let mut told = Told::look(&cwd, paths.as_ref());
    if cli.trust {
        told.trust();
    }
    let config = match &paths {
        Some(paths) => config::load(paths, env, cli.flags.clone(), told.wishes())?,
        None => config::without_files(env, cli.flags.clone(), told.wishes())?,
    };
    Ok(page(&config))
}

/// Where `config.toml` is, or would be.
///
/// # Errors
/// Where there is no home directory.
pub fn settings_path(env: &Env) -> Result<String, Error> {
    let paths = Paths::find(env).map_err(|error| Error::new(Kind::Config, error.to_string()))?;
    Ok(format!("{}\n", paths.config_file().display()))
}

impl App {
    /// The same for the session that goes on, a line each, with what was changed in it.
    #[must_use]
    pub fn settings(&self, conversation: &Conversation) -> Vec<String> {
        let mut lines: Vec<String> = page(&self.config).lines().map(str::to_owned).collect();
        let (model, mode) = (conversation.agent().model(), conversation.mode());
        if self.config.model.name.as_ref().is_none_or(|name| name.value != *model) {
            lines.push(format!("# in this session: model = {}", quoted(model.as_str())));
        }
        if self.config.permissions.mode.value != mode {
            lines.push(format!("# in this session: permission_mode = {}", quoted(mode.name())));
        }
        if let Some(paths) = &self.place.paths {
            lines.push(format!("# your file: {}", self.place.shown(&paths.config_file())));
        }
        lines
    }
}

fn page(config: &Config) -> String {
    let mut page = Page(String::new());
    for warning in &config.warnings {
        page.remark(&format!("warning: {warning}"));
    }
    page.model(config);
    page.endpoint(&config.endpoint);
    page.limits(config);
    page.rules(config);
    page.sandbox(config);
    page.screen(&config.tui);
    page.0
}

/// Lines of TOML.
struct Page(String);

impl Page {
    fn remark(&mut self, text: &str) {
        self.0.extend(["# ", text, "\n"]);
    }

    fn table(&mut self, name: &str) {
        self.0.extend(["\n[", name, "]\n"]);
    }

    fn line(&mut self, key: &str, value: impl Display, from: &str) {
        self.noted(&format!("{key} = {value}"), from);
    }

    fn noted(&mut self, set: &str, from: &str) {
        let line = format!("{set:<40} # {from}\n");
        self.0.push_str(&line);
    }

    fn set<T>(&mut self, key: &str, value: &Sourced<T>, option: &str, shown: impl Fn(&T) -> String) {
        self.line(key, shown(&value.value), value.origin.named(option, DEFAULT));
    }

    fn model(&mut self, config: &Config) {
        let model = &config.model;
        match &model.name {
            Some(name) => self.set("model", name, "--model", |name| quoted(name.as_str())),
            None => {
                self.remark("model: not set; clawd uses the endpoint's model if it lists exactly one");
            }
        }
        if let Some(window) = &model.context_window {
            self.set("context_window", window, "", ToString::to_string);
        }
        if !model.fallbacks.is_empty() {
            let names = model.fallbacks.iter().map(|name| quoted(name.as_str()));
            self.line("fallback_models", list(names), FILE);
        }
        self.line(
            "max_output_tokens",
            model.max_output_tokens.unwrap_or(0),
            by_file(model.max_output_tokens.is_some()),
        );
        if let Some(temperature) = model.temperature {
            self.line("temperature", temperature, FILE);
        }
        if let Some(effort) = &model.reasoning_effort {
            self.line("reasoning_effort", quoted(effort), FILE);
        }
        self.line("stream", model.stream, by_file(!model.stream));
        let calls = match model.text_calls {
            TextCalls::Off => "off",
            TextCalls::Tags => "tags",
            TextCalls::All => "all",
        };
        self.line("text_calls", quoted(calls), by_file(model.text_calls != TextCalls::default()));
    }

    fn endpoint(&mut self, endpoint: &Endpoint) {
        match endpoint {
            Endpoint::None => {
                self.remark(&format!("base_url: no endpoint is configured ({OPENAI} needs a key)"));
            }
            Endpoint::At(target) => self.target(target),
        }
    }

    fn target(&mut self, target: &Target) {
        if let Some(provider) = &target.provider {
            self.remark(&format!("endpoint from [providers.{provider}]"));
        }
        self.set("base_url", &target.url, "--base-url", |url| quoted(&url.to_string()));
        let keys = target.keys.iter().map(|key| match &key.source {
            KeySource::Flag => "--api-key",
            KeySource::Env(name) => name.as_str(),
            KeySource::Saved => "credentials.toml",
        });
        let keys: Vec<&str> = keys.collect();
        match keys.as_slice() {
            [] => self.remark("API key: none"),
            places => self.remark(&format!("API key: from {}", places.join(", then "))),
        }
    }

    fn limits(&mut self, config: &Config) {
        let limits = &config.limits;
        self.set("max_turns", &limits.max_turns, "--max-turns", |limit| match limit {
            TurnLimit::Pause => "-1".to_owned(),
            TurnLimit::Disabled => "0".to_owned(),
            TurnLimit::AtMost(turns) => turns.to_string(),
        });
        for (key, span) in [
            ("connect_timeout_secs", &limits.connect),
            ("first_byte_timeout_secs", &limits.first_byte),
            ("request_timeout_secs", &limits.silence),
        ] {
            self.set(key, span, "", |span| span.as_secs().to_string());
        }
        self.set("max_retries", &limits.max_retries, "", ToString::to_string);
        self.set("max_cost", &config.budget.max_cost, "--max-cost", ToString::to_string);
        self.set("max_tokens", &config.budget.max_tokens, "--max-tokens", ToString::to_string);
        self.set("nudge", &config.nudge, "", ToString::to_string);
        self.set("edit_tool", &config.edit_tool, "", |tool| {
            quoted(match tool {
                EditTool::Auto => "auto",
                EditTool::Edit => "edit",
                EditTool::Patch => "patch",
            })
        });
        self.set("permission_mode", &config.permissions.mode, "--permission-mode", |mode| {
            quoted(mode.name())
        });
    }

    fn rules(&mut self, config: &Config) {
        let rules = &config.permissions.rules;
        let lists = [("allow", &rules.allow), ("ask", &rules.ask), ("deny", &rules.deny)];
        if lists.iter().all(|(_, rules)| rules.is_empty()) {
            return;
        }
        self.table("permissions");
        for (key, rules) in lists.into_iter().filter(|(_, rules)| !rules.is_empty()) {
            self.list_of_rules(key, rules);
        }
    }

    /// On one line where all are from one place, else a line each.
    fn list_of_rules(&mut self, key: &str, rules: &[Rule]) {
        let option = if key == "deny" { "--disallowed-tools" } else { "--allowed-tools" };
        let place = |rule: &Rule| match rule.from() {
            RuleFrom::Flag => option,
            RuleFrom::Configuration => FILE,
            RuleFrom::Project(file) => file,
            RuleFrom::Grant => "don't ask again",
        };
        let each = rules.iter().map(|rule| (quoted(&rule.to_string()), place(rule)));
        let first = rules.first().map(place).unwrap_or_default();
        if rules.iter().all(|rule| place(rule) == first) {
            self.line(key, list(each.map(|(rule, _)| rule)), first);
            return;
        }
        self.0.extend([key, " = [\n"]);
        each.for_each(|(rule, place)| self.noted(&format!("    {rule},"), place));
        self.0.push_str("]\n");
    }

    fn sandbox(&mut self, config: &Config) {
        let sandbox = &config.sandbox;
        self.table("sandbox");
        self.set("mode", &sandbox.mode, "--sandbox", |mode| quoted(mode.name()));
        self.set("network", &sandbox.network, "", |network| (*network == Network::On).to_string());
        let roots = sandbox.writable_roots.iter().map(|root| quoted(&root.to_string_lossy()));
        self.line("writable_roots", list(roots), by_file(!sandbox.writable_roots.is_empty()));
        self.set("auto_allow", &sandbox.auto_allow, "", ToString::to_string);
    }
}

impl Page {
    fn screen(&mut self, tui: &TuiConfig) {
        let usual = TuiConfig::default();
        self.table("tui");
        self.line("theme", quoted(&tui.theme), by_file(tui.theme != usual.theme));
        let (told, moves) = (tui.notifications == Notifications::On, tui.motion == Motion::Full);
        self.line("notifications", told, by_file(tui.notifications != usual.notifications));
        self.line("reduced_motion", !moves, by_file(tui.motion != usual.motion));
        let vi = tui.keys == InputKeys::Vi;
        self.line("vim", vi, by_file(vi));
        let told = tui.showing == Showing::Told;
        self.line("plain", told, by_file(told));
        self.line("output_lines", tui.output_lines, by_file(tui.output_lines != usual.output_lines));
        self.line("diff_lines", tui.diff_lines, by_file(tui.diff_lines != usual.diff_lines));
        let is_other = tui.reasoning_lines != usual.reasoning_lines;
        self.line("reasoning_lines", tui.reasoning_lines, by_file(is_other));
        let is_full = |surface: &Surface| (*surface == Surface::Fullscreen).to_string();
        self.set("fullscreen", &tui.surface, "--fullscreen", is_full);
        let reported = tui.mouse == Mouse::Reported;
        self.line("mouse", reported, by_file(reported));
    }
}

const FILE: &str = "config.toml";
const DEFAULT: &str = "default";

fn by_file(is_set: bool) -> &'static str {
    if is_set { FILE } else { DEFAULT }
}

/// As TOML writes a text; what would move a terminal is written as a number.
fn quoted(text: &str) -> String {
    let sign = |sign: char| match sign {
        '"' | '\\' => format!("\\{sign}"),
        sign if sign.is_control() => format!("\\u{:04X}", u32::from(sign)),
        sign => sign.to_string(),
    };
    format!("\"{}\"", text.chars().map(sign).collect::<String>())
}

fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Credentials, Flags, Layers};

    fn shown(file: &str, flags: Flags, env: &[(&str, &str)]) -> String {
        let file = config::parse(std::path::Path::new("/c/config.toml"), file).unwrap();
        let env = Env::from_pairs(env.iter().copied());
        let layers =
            Layers { flags, env: &env, file, credentials: Credentials::default(), project: Vec::new() };
        page(&config::fold(layers).unwrap())
    }

    #[test]
    fn every_value_stands_with_what_set_it_and_can_be_read_back() {
        let file = "model = \"a\\\"b\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmax_retries = 2\n\
                    [permissions]\ndeny = [\"Read(./.env)\"]\n[sandbox]\nwritable_roots = [\"/x\"]";
        let flags = Flags { max_turns: Some(TurnLimit::AtMost(7)), ..Flags::default() };
        let page = shown(file, flags, &[("OPENAI_MODEL", "")]);
        let line = |key: &str| {
            let found = page.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap_or_default();
            found.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line("model"), r#"model = "a\"b" # config.toml"#);
        assert_eq!(line("max_turns"), "max_turns = 7 # --max-turns");
        assert_eq!(line("max_retries"), "max_retries = 2 # config.toml");
        assert_eq!(line("connect_timeout_secs"), "connect_timeout_secs = 10 # default");
        assert_eq!(line("deny"), "deny = [\"Read(./.env)\"] # config.toml");
        assert_eq!(line("writable_roots"), "writable_roots = [\"/x\"] # config.toml");
        let again = shown(&page, Flags::default(), &[]);
        let values = |page: &str| {
            let lines = page.lines().filter(|line| line.contains(" = "));
            lines
                .map(|line| line.split(" # ").next().unwrap_or_default().trim().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(values(&again), values(&page));
    }

    #[test]
    fn every_rule_stands_with_what_set_it() {
        let rules = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Rule>>();
        let path = std::path::Path::new("/c/config.toml");
        let file = "[permissions]\nallow = [\"Bash(ls)\"]\nask = [\"WebFetch\"]\ndeny = [\"Read(./.env)\"]";
        let project = "[permissions]\ndeny = [\"Edit(x/**)\"]";
        let flags = Flags { allow: rules(&["Grep"]), deny: rules(&["Glob"]), ..Flags::default() };
        let layers = Layers {
            flags,
            env: &Env::default(),
            file: config::parse(path, file).unwrap(),
            credentials: Credentials::default(),
            project: vec![config::survey(config::ProjectFile::Local, project).unwrap().wishes],
        };
        let page = page(&config::fold(layers).unwrap());
        let after = page.split_once("[permissions]\n").unwrap().1;
        let of_rules: Vec<String> = after
            .lines()
            .take_while(|line| !line.is_empty())
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let expected = [
            "allow = [",
            r#""Bash(ls)", # config.toml"#,
            r#""Grep", # --allowed-tools"#,
            "]",
            r#"ask = ["WebFetch"] # config.toml"#,
            "deny = [",
            r#""Read(./.env)", # config.toml"#,
            r#""Glob", # --disallowed-tools"#,
            r#""Edit(x/**)", # .clawd/config.local.toml"#,
            "]",
        ];
        assert_eq!(of_rules, expected);
        let again = config::parse(path, &page).unwrap().rules;
        assert_eq!((again.allow.len(), again.deny.len()), (2, 3), "it can be read back");
    }

    #[test]
    fn a_key_is_named_by_its_place() {
        let page = shown("", Flags::default(), &[("OPENAI_API_KEY", "sk-secret")]);
        assert!(page.contains("API key: from OPENAI_API_KEY") && !page.contains("secret"), "{page}");
        assert!(shown("", Flags::default(), &[]).contains("no endpoint is configured"));
    }
}
