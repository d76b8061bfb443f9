//! Folds the layers: defaults, the user's file, the environment, the command line.
//!
//! Pure: whoever calls has read the files. Lists of rules add up over the layers, everything else is replaced by the
//! higher one.

use std::time::Duration;

use crate::os::env::Env;
use crate::permission::{Mode, Rule, Rules};
use crate::protocol::ModelId;

use super::credentials::Credentials;
use super::file::{FileConfig, FileEndpoint, FileLimits, FileModel};
use super::{
    BaseUrl, Config, ConfigError, Endpoint, Key, KeySource, Limits, ModelConfig, OPENAI, Origin, Permissions,
    Secret, Sourced, Target, TurnLimit,
};

const KEY_VARIABLES: [&str; 2] = ["CLAWD_API_KEY", "OPENAI_API_KEY"];
const URL_VARIABLES: [&str; 2] = ["CLAWD_BASE_URL", "OPENAI_BASE_URL"];
const MODEL_VARIABLES: [&str; 2] = ["CLAWD_MODEL", "OPENAI_MODEL"];

/// What was typed on the command line; `None` where nothing was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flags {
    /// `--model`.
    pub model: Option<String>,
    /// `--base-url`.
    pub base_url: Option<BaseUrl>,
    /// `--api-key`.
    pub api_key: Option<Secret>,
    /// `--max-turns`.
    pub max_turns: Option<TurnLimit>,
    /// `--permission-mode`, `--yolo`.
    pub permission_mode: Option<Mode>,
    /// `--allowed-tools`.
    pub allow: Vec<Rule>,
    /// `--disallowed-tools`.
    pub deny: Vec<Rule>,
}

/// All that is folded.
#[derive(Debug)]
pub struct Layers<'a> {
    /// The command line.
    pub flags: Flags,
    /// The environment.
    pub env: &'a Env,
    /// The user's `config.toml`.
    pub file: FileConfig,
    /// The keys typed into the first-run screen.
    pub credentials: Credentials,
}

/// What the layers mean together.
pub fn fold(layers: Layers<'_>) -> Result<Config, ConfigError> {
    let Layers { flags, env, file, credentials } = layers;
    let endpoint = endpoint(&flags, env, &file.endpoint, &credentials)?;
    let mut warnings = file.warnings;
    warnings.extend(url_warning(&endpoint));
    Ok(Config {
        endpoint,
        model: model(flags.model, env, file.model),
        limits: limits(flags.max_turns, &file.limits),
        permissions: permissions(
            flags.permission_mode,
            file.permission_mode,
            file.rules,
            flags.allow,
            flags.deny,
        ),
        nudge: pick(None, file.nudge, true),
        edit_tool: pick(None, file.edit_tool, super::EditTool::Auto),
        key_variables: file.endpoint.api_key_env,
        warnings,
    })
}

/// The address in force, and the one key that may go there.
fn endpoint(
    flags: &Flags,
    env: &Env,
    file: &FileEndpoint,
    credentials: &Credentials,
) -> Result<Endpoint, ConfigError> {
    let url = base_url(flags, env, file)?;
    let key = match flags.api_key.clone() {
        Some(secret) => Some(Key { secret, source: KeySource::Flag }),
        None => key_for(&url, env, file, credentials)?,
    };
    if url.origin == Origin::Default && key.is_none() {
        return Ok(Endpoint::None);
    }
    Ok(Endpoint::At(Target { url, key }))
}

fn base_url(flags: &Flags, env: &Env, file: &FileEndpoint) -> Result<Sourced<BaseUrl>, ConfigError> {
    if let Some(value) = flags.base_url.clone() {
        return Ok(Sourced { value, origin: Origin::Flag });
    }
    if let Some((name, text)) = first_set(env, URL_VARIABLES) {
        let value = text.parse().map_err(|error: super::BadUrl| variable(name, &error))?;
        return Ok(Sourced { value, origin: Origin::Env(name) });
    }
    if let Some(value) = file.base_url.clone() {
        return Ok(Sourced { value, origin: Origin::UserFile });
    }
    let value = OPENAI.parse().map_err(|error: super::BadUrl| variable("the built-in address", &error))?;
    Ok(Sourced { value, origin: Origin::Default })
}

/// The key for an address: by variable where the user of this environment chose the address, else by what the
/// file names; a saved one where neither has any.
fn key_for(
    url: &Sourced<BaseUrl>,
    env: &Env,
    file: &FileEndpoint,
    credentials: &Credentials,
) -> Result<Option<Key>, ConfigError> {
    let of_file = file.base_url.as_ref().is_none_or(|named| named.authority() == url.value.authority());
    let own: &[String] = if of_file { &file.api_key_env } else { &[] };
    let own = own.iter().map(String::as_str);
    let names: Vec<&str> = match url.origin {
        Origin::Default | Origin::Env(_) | Origin::Flag => KEY_VARIABLES.into_iter().chain(own).collect(),
        Origin::UserFile if url.value.is_openai() => own.chain(KEY_VARIABLES).collect(),
        Origin::UserFile => own.collect(),
    };
    for name in names {
        if let Some(text) = env.text(name).filter(|text| !text.trim().is_empty()) {
            let secret = Secret::new(text).map_err(|error| variable(name, &error))?;
            return Ok(Some(Key { secret, source: KeySource::Env(name.to_owned()) }));
        }
    }
    let saved = credentials.get(url.value.authority());
    Ok(saved.map(|secret| Key { secret: secret.clone(), source: KeySource::Saved }))
}

fn url_warning(endpoint: &Endpoint) -> Option<String> {
    let Endpoint::At(target) = endpoint else { return None };
    let url = &target.url.value;
    url.was_shortened().then(|| format!("the base URL ends before `/chat/completions`: {url} is used"))
}

fn model(flag: Option<String>, env: &Env, file: FileModel) -> ModelConfig {
    let name = flag.map(|name| (name, Origin::Flag));
    let name = name.or_else(|| {
        first_set(env, MODEL_VARIABLES).map(|(variable, name)| (name.to_owned(), Origin::Env(variable)))
    });
    let name = name.or_else(|| file.name.map(|name| (name, Origin::UserFile)));
    ModelConfig {
        name: name.map(|(name, origin)| Sourced { value: ModelId::from(name), origin }),
        context_window: file.context_window,
        fallbacks: file.fallbacks.into_iter().map(ModelId::from).collect(),
        max_output_tokens: file.max_output_tokens.filter(|tokens| *tokens > 0),
        temperature: file.temperature,
        reasoning_effort: file.reasoning_effort,
    }
}

/// The defaults are the contract's.
fn limits(max_turns: Option<TurnLimit>, file: &FileLimits) -> Limits {
    let seconds =
        |file: Option<u64>, default| pick(None, file.map(Duration::from_secs), Duration::from_secs(default));
    Limits {
        max_turns: pick(max_turns, file.max_turns, TurnLimit::Pause),
        connect: seconds(file.connect_secs, 10),
        first_byte: seconds(file.first_byte_secs, 600),
        silence: seconds(file.silence_secs, 120),
        max_retries: pick(None, file.max_retries, 5),
    }
}

fn permissions(
    flag: Option<Mode>,
    file: Option<Mode>,
    mut rules: Rules,
    allow: Vec<Rule>,
    deny: Vec<Rule>,
) -> Permissions {
    let withheld = deny.iter().filter_map(Rule::whole_tool).map(str::to_owned).collect();
    rules.allow.extend(allow);
    rules.deny.extend(deny);
    Permissions { mode: pick(flag, file, Mode::Default), rules, withheld }
}

fn pick<T>(flag: Option<T>, file: Option<T>, default: T) -> Sourced<T> {
    match (flag, file) {
        (Some(value), _) => Sourced { value, origin: Origin::Flag },
        (None, Some(value)) => Sourced { value, origin: Origin::UserFile },
        (None, None) => Sourced { value: default, origin: Origin::Default },
    }
}

/// The first variable that says something.
fn first_set<'a>(env: &'a Env, names: [&'static str; 2]) -> Option<(&'static str, &'a str)> {
    names.into_iter().find_map(|name| {
        env.text(name).map(str::trim).filter(|text| !text.is_empty()).map(|text| (name, text))
    })
}

fn variable(name: &str, why: &impl ToString) -> ConfigError {
    ConfigError::Variable { name: name.to_owned(), what: why.to_string() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::file::parse;
    use super::*;

    fn config(flags: Flags, env: &[(&str, &str)], file: &str, saved: &str) -> Result<Config, String> {
        let file = parse(Path::new("/c/config.toml"), file).unwrap();
        let credentials = Credentials::parse(Path::new("/c/credentials.toml"), saved).unwrap();
        let env = Env::from_pairs(env.iter().copied());
        fold(Layers { flags, env: &env, file, credentials }).map_err(|error| error.to_string())
    }

    fn url_flag(url: &str) -> Flags {
        Flags { base_url: Some(url.parse().unwrap()), ..Flags::default() }
    }

    /// `host key source`, `none`, or the error.
    fn target(config: &Config) -> String {
        match config.endpoint.target() {
            Err(error) => error.to_string(),
            Ok(target) => {
                let key = target.key.as_ref().map(|key| format!("{} {:?}", key.secret.expose(), key.source));
                format!("{} {}", target.url.value.authority(), key.unwrap_or_else(|| "no key".to_owned()))
            }
        }
    }

    const KEYS: [(&str, &str); 2] = [("CLAWD_API_KEY", "k-clawd"), ("OPENAI_API_KEY", "k-openai")];

    #[test]
    fn a_key_from_the_environment_goes_where_the_environment_or_a_flag_says() {
        let check = |flags: Flags, env: &[(&str, &str)], expected: &str| {
            assert_eq!(target(&config(flags, env, "", "").unwrap()), expected);
        };
        check(Flags::default(), &KEYS, r#"api.openai.com k-clawd Env("CLAWD_API_KEY")"#);
        check(Flags::default(), &KEYS[1..], r#"api.openai.com k-openai Env("OPENAI_API_KEY")"#);
        check(
            Flags::default(),
            &[KEYS[1], ("CLAWD_API_KEY", " ")],
            r#"api.openai.com k-openai Env("OPENAI_API_KEY")"#,
        );
        check(url_flag("https://x.y/v1"), &KEYS, r#"x.y k-clawd Env("CLAWD_API_KEY")"#);
        check(
            Flags::default(),
            &[KEYS[1], ("OPENAI_BASE_URL", "https://z/v1")],
            r#"z k-openai Env("OPENAI_API_KEY")"#,
        );
        check(url_flag("http://127.0.0.1:1/v1"), &[], "127.0.0.1:1 no key");
        let key = Some(Secret::new("k-flag").unwrap());
        check(Flags { api_key: key, ..url_flag("https://x.y/v1") }, &KEYS, "x.y k-flag Flag");
    }

    #[test]
    fn a_host_that_only_a_file_names_gets_no_key_from_the_environment() {
        let check = |env: &[(&str, &str)], file: &str, saved: &str, expected: &str| {
            assert_eq!(target(&config(Flags::default(), env, file, saved).unwrap()), expected, "{file}");
        };
        let own = [KEYS[0], KEYS[1], ("MY_KEY", "k-mine"), ("OTHER", "k-other")];
        let missing = "no API key for x.y (try `api_key_env = \"NAME\"` in config.toml with the key in that variable, \
                       or CLAWD_BASE_URL with CLAWD_API_KEY)";
        check(&KEYS, "base_url = \"https://x.y/v1\"", "", missing);
        check(&KEYS, "base_url = \"http://127.0.0.1:1/v1\"", "", "127.0.0.1:1 no key");
        check(
            &own,
            "base_url = \"https://x.y/v1\"\napi_key_env = \"MY_KEY\"",
            "",
            r#"x.y k-mine Env("MY_KEY")"#,
        );
        check(
            &own,
            "base_url = \"https://x.y/v1\"\napi_key_env = [\"ABSENT\", \"OTHER\"]",
            "",
            r#"x.y k-other Env("OTHER")"#,
        );
        check(&KEYS, "base_url = \"https://x.y/v1\"", "[keys]\n\"x.y\" = \"k-saved\"", "x.y k-saved Saved");
        check(
            &KEYS,
            "base_url = \"https://x.y:8443/v1\"",
            "[keys]\n\"x.y\" = \"k\"",
            &missing.replace("x.y", "x.y:8443"),
        );
        check(
            &KEYS,
            "base_url = \"https://api.openai.com/v1\"",
            "",
            r#"api.openai.com k-clawd Env("CLAWD_API_KEY")"#,
        );
        check(
            &KEYS,
            "base_url = \"http://api.openai.com/v1\"",
            "",
            &missing.replace("x.y", "api.openai.com"),
        );
    }

    #[test]
    fn the_key_of_a_files_host_goes_to_no_other_host() {
        let file = "base_url = \"https://x.y/v1\"\napi_key_env = \"MY_KEY\"";
        let env = [("MY_KEY", "k-mine")];
        let other = config(url_flag("https://z/v1"), &env, file, "").unwrap();
        assert_eq!(target(&other), "no API key for z (try setting CLAWD_API_KEY)");
        let same = config(url_flag("https://x.y/v2"), &env, file, "").unwrap();
        assert_eq!(target(&same), r#"x.y k-mine Env("MY_KEY")"#);
        let unnamed = config(Flags::default(), &env, "api_key_env = \"MY_KEY\"", "").unwrap();
        assert_eq!(target(&unnamed), r#"api.openai.com k-mine Env("MY_KEY")"#);
    }

    #[test]
    fn without_address_and_key_there_is_no_endpoint() {
        let nothing = config(Flags::default(), &[("OPENAI_API_KEY", "")], "model = \"x\"", "").unwrap();
        assert_eq!(nothing.endpoint, Endpoint::None);
        assert!(target(&nothing).starts_with("no endpoint is configured"));
        let saved = config(Flags::default(), &[], "", "[keys]\n\"api.openai.com\" = \"k\"").unwrap();
        assert_eq!(target(&saved), "api.openai.com k Saved");
    }

    #[test]
    fn a_bad_variable_is_named_but_a_key_is_never_shown() {
        let check = |env: &[(&str, &str)], expected: &str| {
            assert_eq!(config(Flags::default(), env, "", "").unwrap_err(), expected);
        };
        check(
            &[("CLAWD_BASE_URL", "nowhere")],
            "cannot use CLAWD_BASE_URL: `nowhere` is no base URL: it does not say http or https (try https://nowhere)",
        );
        check(
            &[("OPENAI_API_KEY", "sk-1\nsk-2")],
            "cannot use OPENAI_API_KEY: the key contains a line break or another sign that no key has (try setting it again)",
        );
        assert_eq!(
            target(&config(Flags::default(), &[("OPENAI_API_KEY", "k\n")], "", "").unwrap())
                .split(' ')
                .nth(1),
            Some("k")
        );
    }

    #[test]
    fn higher_layers_win_and_are_named() {
        let file = "model = \"f\"\nmax_turns = 7\npermission_mode = \"plan\"\nmax_retries = 2";
        let name =
            |config: &Config| config.model.name.clone().map(|name| (name.value.to_string(), name.origin));
        let low = config(Flags::default(), &[("OPENAI_MODEL", "o")], file, "").unwrap();
        assert_eq!(name(&low), Some(("o".to_owned(), Origin::Env("OPENAI_MODEL"))));
        assert_eq!(low.limits.max_turns, Sourced { value: TurnLimit::AtMost(7), origin: Origin::UserFile });
        assert_eq!(low.permissions.mode, Sourced { value: Mode::Plan, origin: Origin::UserFile });
        assert_eq!(low.limits.max_retries.value, 2);
        assert_eq!(
            low.limits.first_byte,
            Sourced { value: Duration::from_mins(10), origin: Origin::Default }
        );
        let flags = Flags {
            model: Some("m".to_owned()),
            max_turns: Some(TurnLimit::Disabled),
            permission_mode: Some(Mode::Bypass),
            ..Flags::default()
        };
        let high = config(flags, &[("CLAWD_MODEL", "c")], file, "").unwrap();
        assert_eq!(name(&high), Some(("m".to_owned(), Origin::Flag)));
        assert_eq!(
            (high.limits.max_turns.value, high.permissions.mode.value),
            (TurnLimit::Disabled, Mode::Bypass)
        );
        assert_eq!(name(&config(Flags::default(), &[], "", "").unwrap()), None);
    }

    #[test]
    fn rules_add_up_and_a_bare_one_takes_its_tool_away() {
        let flags = Flags {
            allow: Rule::parse_list("Bash(ls)").unwrap(),
            deny: Rule::parse_list("WebFetch,Bash(rm:*)").unwrap(),
            ..Flags::default()
        };
        let config = config(flags, &[], "[permissions]\nallow = [\"Read\"]\ndeny = [\"Task\"]", "").unwrap();
        assert_eq!((config.permissions.rules.allow.len(), config.permissions.rules.deny.len()), (2, 3));
        assert_eq!(config.permissions.withheld, ["WebFetch"]);
    }

    #[test]
    fn a_copied_path_leaves_a_warning() {
        let config = config(url_flag("http://localhost/v1/chat/completions"), &[], "", "").unwrap();
        assert_eq!(
            config.warnings,
            ["the base URL ends before `/chat/completions`: http://localhost/v1 is used"]
        );
    }
}
