//! Folds the layers: defaults, the user's file, the project's, the environment, the command line.
//!
//! Pure: whoever calls has read the files. Lists of rules add up over the layers, everything else is replaced by the
//! higher one.

use std::path::PathBuf;
use std::time::Duration;

use crate::os::env::Env;
use crate::os::paths::led_home;
use crate::permission::{Mode, Rule, RuleFrom, Rules, SandboxMode};
use crate::protocol::ModelId;

use super::credentials::Credentials;
use super::file::{FileConfig, FileEndpoint, FileLimits, FileModel};
use super::project::Wishes;
use super::sandbox;
use super::target::{self, Chooser, Chosen, Seeker};
use super::{
    BaseUrl, Config, ConfigError, Endpoint, Limits, ModelConfig, Origin, Permissions, Secret, Secrets,
    Sourced, Surface, TurnLimit,
};

const MODEL_VARIABLES: [&str; 2] = ["CLAWD_MODEL", "OPENAI_MODEL"];

/// What was typed on the command line; `None` where nothing was.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flags {
    /// `--model`.
    pub model: Option<String>,
    /// `--base-url`.
    pub base_url: Option<BaseUrl>,
    /// `--provider`.
    pub provider: Option<String>,
    /// `--api-key`.
    pub api_key: Option<Secret>,
    /// `--max-turns`.
    pub max_turns: Option<TurnLimit>,
    /// `--max-cost`, in dollars.
    pub max_cost: Option<f64>,
    /// `--max-tokens`.
    pub max_tokens: Option<u64>,
    /// `--permission-mode`, `--yolo`.
    pub permission_mode: Option<Mode>,
    /// `--sandbox`.
    pub sandbox: Option<SandboxMode>,
    /// `--allowed-tools`.
    pub allow: Vec<Rule>,
    /// `--disallowed-tools`.
    pub deny: Vec<Rule>,
    /// `--fullscreen`.
    pub surface: Option<Surface>,
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
    /// What the project's files ask for, the weaker one first; none before they are trusted.
    pub project: Vec<Wishes>,
}

/// What the layers mean together.
pub fn fold(layers: Layers<'_>) -> Result<Config, ConfigError> {
    let Layers { flags, env, file, credentials, project } = layers;
    let seeker = Seeker { flags: &flags, env, file: &file.endpoint, credentials: &credentials };
    let chosen = target::chosen(seeker)?;
    let endpoint = target::endpoint(seeker, chosen)?;
    let typed =
        chosen.filter(|chosen| chosen.by == Chooser::Flag).map(|chosen| chosen.provider.model.clone());
    let model = model(flags.model.clone(), env, file.model, chosen);
    let ca_file = ca_file(env, &file.endpoint, chosen);
    let secrets = Secrets::find(seeker, file.environment);
    let tui = super::tui::fold(flags.surface, &file.tui);
    let mut warnings = file.warnings;
    if let Endpoint::At(target) = &endpoint {
        warnings.extend(shortened(&target.url.value).into_iter().chain(target.unencrypted_key()));
    }
    let mut config = Config {
        endpoint,
        model,
        limits: limits(flags.max_turns, &file.limits),
        budget: super::budget::fold((flags.max_cost, flags.max_tokens), file.budget),
        permissions: permissions(
            flags.permission_mode,
            file.permission_mode,
            file.rules,
            flags.allow,
            flags.deny,
        ),
        sandbox: sandbox::fold(flags.sandbox, &file.sandbox, env),
        nudge: pick(None, file.nudge, true),
        edit_tool: pick(None, file.edit_tool, super::EditTool::Auto),
        tui,
        ca_file,
        secrets,
        warnings,
    };
    for wishes in project {
        wishes.tighten(&mut config, typed.as_ref());
    }
    Ok(config)
}

/// The provider's certificates, else the root's, under the home directory where they say so.
fn ca_file(env: &Env, file: &FileEndpoint, chosen: Option<Chosen<'_>>) -> Option<PathBuf> {
    let written = chosen.and_then(|chosen| chosen.provider.ca_file.as_ref()).or(file.ca_file.as_ref())?;
    Some(led_home(written, env.path("HOME")))
}

fn shortened(url: &BaseUrl) -> Option<String> {
    url.was_shortened().then(|| format!("the base URL must not end in `/chat/completions`: using {url}"))
}

/// A provider that a flag chose brings its model along; one that the file chose ranks with the file.
fn model(flag: Option<String>, env: &Env, root: FileModel, chosen: Option<Chosen<'_>>) -> ModelConfig {
    let of_provider = chosen.map(|chosen| chosen.provider.model.clone()).unwrap_or_default();
    let by_flag = chosen.filter(|chosen| chosen.by == Chooser::Flag);
    let by_flag = by_flag.and_then(|chosen| chosen.provider.model.name.clone());
    let file = of_provider.over(root);
    let name = flag.map(|name| (name, Origin::Flag));
    let name = name.or_else(|| by_flag.map(|name| (name, Origin::UserFile)));
    let name = name.or_else(|| {
        first_set(env, MODEL_VARIABLES).map(|(variable, name)| (name.to_owned(), Origin::Env(variable)))
    });
    let name = name.or_else(|| file.name.map(|name| (name, Origin::UserFile)));
    ModelConfig {
        name: name.map(|(name, origin)| Sourced { value: ModelId::from(name), origin }),
        context_window: file.context_window.map(|value| Sourced { value, origin: Origin::UserFile }),
        fallbacks: file.fallbacks.into_iter().flatten().map(ModelId::from).collect(),
        max_output_tokens: file.max_output_tokens.filter(|tokens| *tokens > 0),
        temperature: file.temperature,
        reasoning_effort: file.reasoning_effort,
        text_calls: file.text_calls.unwrap_or_default(),
        stream: file.stream.unwrap_or(true),
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
    let of_flag = |rule: Rule| rule.standing(RuleFrom::Flag);
    rules.allow.extend(allow.into_iter().map(of_flag));
    rules.deny.extend(deny.into_iter().map(of_flag));
    Permissions { mode: pick(flag, file, Mode::Default), rules, withheld }
}

pub(super) fn pick<T>(flag: Option<T>, file: Option<T>, default: T) -> Sourced<T> {
    match (flag, file) {
        (Some(value), _) => Sourced { value, origin: Origin::Flag },
        (None, Some(value)) => Sourced { value, origin: Origin::UserFile },
        (None, None) => Sourced { value: default, origin: Origin::Default },
    }
}

/// The first variable that says something.
pub(super) fn first_set<'a>(env: &'a Env, names: [&'static str; 2]) -> Option<(&'static str, &'a str)> {
    names.into_iter().find_map(|name| {
        env.text(name).map(str::trim).filter(|text| !text.is_empty()).map(|text| (name, text))
    })
}

pub(super) fn variable(name: &str, why: &impl ToString) -> ConfigError {
    ConfigError::Variable { name: name.to_owned(), what: why.to_string() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::ProjectFile;
    use super::super::file::parse;
    use super::*;

    fn config(flags: Flags, env: &[(&str, &str)], file: &str, saved: &str) -> Result<Config, String> {
        let file = parse(Path::new("/c/config.toml"), file).unwrap();
        let credentials = Credentials::parse(Path::new("/c/credentials.toml"), saved).unwrap();
        let env = Env::from_pairs(env.iter().copied());
        fold(Layers { flags, env: &env, file, credentials, project: Vec::new() })
            .map_err(|error| error.to_string())
    }

    fn url_flag(url: &str) -> Flags {
        Flags { base_url: Some(url.parse().unwrap()), ..Flags::default() }
    }

    #[test]
    fn a_bad_variable_is_named_but_a_key_is_never_shown() {
        let check = |env: &[(&str, &str)], expected: &str| {
            assert_eq!(config(Flags::default(), env, "", "").unwrap_err(), expected);
        };
        check(
            &[("CLAWD_BASE_URL", "nowhere")],
            "cannot use CLAWD_BASE_URL: `nowhere` is not a valid base URL: it does not begin with http:// \
             or https:// (try https://nowhere)",
        );
        check(
            &[("OPENAI_API_KEY", "sk-1\nsk-2")],
            "cannot use OPENAI_API_KEY: the key contains a space, a line break or another invalid character \
             (try setting it again)",
        );
    }

    /// Every key that a project may not set, as somebody would set it who wants more than he may have.
    const LOOSENING: &str = r#"
        base_url = "http://127.0.0.1:6/v1"
        api_key_env = "HOME"
        provider = "theirs"
        ca_file = "theirs.pem"
        max_turns = 99
        permission_mode = "bypass"
        fallback_models = ["theirs"]
        connect_timeout_secs = 3000
        first_byte_timeout_secs = 3000
        request_timeout_secs = 3000
        max_retries = 99
        max_output_tokens = 99
        temperature = 2.0
        reasoning_effort = "high"
        max_cost = 0.0
        max_tokens = 0
        text_calls = "all"
        stream = false
        [prices.m]
        input = 0.0
        output = 0.0
        [permissions]
        allow = ["Bash", "Edit", "Read", "WebFetch"]
        [sandbox]
        mode = "off"
        network = true
        writable_roots = ["/"]
        auto_allow = true
        environment = ["SECRET"]
        [providers.theirs]
        base_url = "http://127.0.0.1:6/v1"
        [tui]
        notifications = false
        "#;

    #[test]
    fn nothing_but_what_a_project_may_set_comes_from_it() {
        let may = ["model", "context_window", "edit_tool", "nudge", "permissions", "mcp_servers", "hooks"];
        let users = "base_url = \"http://127.0.0.1:5/v1\"\nmodel = \"m\"\nmax_cost = 1.0\nmax_tokens = 5\n\
                     permission_mode = \"plan\"\n[permissions]\ndeny = [\"Bash\"]\nask = [\"Edit\"]\n\
                     [sandbox]\nmode = \"read-only\"\n";
        let without = config(Flags::default(), &[], users, "").unwrap();
        for file in ProjectFile::ALL {
            let found = super::super::survey(file, LOOSENING).unwrap();
            for key in super::super::file::KEYS {
                assert!(may.contains(&key) || found.left_out.iter().any(|left| left == key), "{key}");
            }
            let file = parse(Path::new("/c/config.toml"), users).unwrap();
            let credentials = Credentials::parse(Path::new("/c/credentials.toml"), "").unwrap();
            let env = Env::from_pairs(Vec::<(&str, &str)>::new());
            let project = vec![found.wishes];
            let with =
                fold(Layers { flags: Flags::default(), env: &env, file, credentials, project }).unwrap();
            assert_eq!(with, without);
        }
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

    const PROVIDERS: &str = r#"
        model = "root"
        provider = "far"
        context_window = 1000
        max_output_tokens = 50
        temperature = 0.5
        reasoning_effort = "low"
        text_calls = "off"
        stream = false
        fallback_models = ["spare"]
        ca_file = "~/root.pem"
        api_key_env = "ROOT_KEY"
        [providers.far]
        base_url = "https://far.example/v1"
        api_key_env = ["FAR_KEY", "FAR_KEY_2"]
        model = "far-model"
        headers = { X-Team = "${FAR_TEAM}" }
        context_window = 2000
        max_output_tokens = 0
        temperature = 0
        reasoning_effort = "high"
        text_calls = "all"
        stream = true
        fallback_models = []
        ca_file = "far.pem"
        [providers.bare]
        base_url = "http://localhost:1/v1"
        "#;

    fn provider_flag(name: &str) -> Flags {
        Flags { provider: Some(name.to_owned()), ..Flags::default() }
    }

    #[test]
    fn the_model_is_the_one_of_the_highest_that_names_one() {
        let check = |flags: Flags, env: &[(&str, &str)], expected: &str, origin: Origin| {
            let env = [env, &[("FAR_TEAM", "core")]].concat();
            let name = config(flags, &env, PROVIDERS, "").unwrap().model.name.unwrap();
            assert_eq!((name.value.as_str(), name.origin), (expected, origin));
        };
        let env = [("CLAWD_MODEL", "env")];
        let with_model = |flags: Flags| Flags { model: Some("flag".to_owned()), ..flags };
        check(with_model(provider_flag("far")), &env, "flag", Origin::Flag);
        check(provider_flag("far"), &env, "far-model", Origin::UserFile);
        check(provider_flag("bare"), &env, "env", Origin::Env("CLAWD_MODEL"));
        check(provider_flag("bare"), &[], "root", Origin::UserFile);
        check(Flags::default(), &env, "env", Origin::Env("CLAWD_MODEL"));
        check(Flags::default(), &[], "far-model", Origin::UserFile);
        check(url_flag("http://localhost/v1"), &[], "root", Origin::UserFile);
        check(Flags::default(), &[("CLAWD_BASE_URL", "http://localhost/v1")], "root", Origin::UserFile);
    }

    #[test]
    fn a_provider_in_force_overrides_the_root_where_it_says_something() {
        let env = [("FAR_TEAM", "core"), ("HOME", "/home/u")];
        let far = config(Flags::default(), &env, PROVIDERS, "").unwrap();
        let shown = |model: &ModelConfig| {
            let ModelConfig { max_output_tokens, temperature, reasoning_effort, .. } = model;
            let context_window = model.window();
            let fallbacks: Vec<&str> = model.fallbacks.iter().map(ModelId::as_str).collect();
            format!(
                "{context_window:?} {max_output_tokens:?} {temperature:?} {reasoning_effort:?} {:?} {} {fallbacks:?}",
                model.text_calls, model.stream
            )
        };
        assert_eq!(shown(&far.model), r#"Some(2000) None Some(0.0) Some("high") All true []"#);
        assert_eq!(far.ca_file, Some(PathBuf::from("/c/far.pem")));
        let bare = config(provider_flag("bare"), &env, PROVIDERS, "").unwrap();
        let root = r#"Some(1000) Some(50) Some(0.5) Some("low") Off false ["spare"]"#;
        assert_eq!(shown(&bare.model), root);
        assert_eq!(bare.ca_file, Some(PathBuf::from("/home/u/root.pem")));
        let typed = config(url_flag("http://localhost/v1"), &env, PROVIDERS, "").unwrap();
        assert_eq!(shown(&typed.model), root);
        assert_eq!(typed.ca_file, Some(PathBuf::from("/home/u/root.pem")));
    }

    #[test]
    fn every_variable_that_holds_a_key_is_known_whichever_provider_is_in_force() {
        let config = config(provider_flag("bare"), &[], PROVIDERS, "").unwrap();
        assert_eq!(config.secrets.variables, ["ROOT_KEY", "FAR_KEY", "FAR_KEY_2", "FAR_TEAM"]);
    }

    #[test]
    fn nothing_secret_is_in_a_debug_form() {
        let file = r#"
            base_url = "https://x.y/v1?key=hidden"
            api_key_env = "MY_KEY"
            provider = "far"
            [providers.far]
            base_url = "https://far.example/v1?sig=hidden"
            api_key_env = "FAR_KEY"
            headers = { Authorization = "hidden ${TOKEN}", X-A = "hidden" }
            "#;
        let env = [("FAR_KEY", "hidden-1"), ("TOKEN", "hidden-2"), ("CLAWD_API_KEY", "hidden-3")];
        let env = Env::from_pairs(env);
        let layers = Layers {
            flags: Flags { api_key: Some(Secret::new("hidden-4").unwrap()), ..Flags::default() },
            env: &env,
            file: parse(Path::new("/c/config.toml"), file).unwrap(),
            credentials: Credentials::parse(Path::new("/c"), "[keys]\n\"x.y\" = \"hidden-5\"").unwrap(),
            project: Vec::new(),
        };
        let before = format!("{layers:?}");
        let config = fold(layers).unwrap();
        assert_eq!(config.endpoint.target().unwrap().headers[0].value, "hidden hidden-2");
        let shown = format!("{before} {config:?}");
        assert!(shown.contains("far.example") && !shown.contains("hidden"), "{shown}");
    }

    /// What counts of a project's wishes, and which layer each is said to come from.
    #[test]
    fn a_project_stands_between_the_users_file_and_the_environment() {
        let project = || {
            let read = |file, text| super::super::survey(file, text).unwrap().wishes;
            let shared = "model = 's'\ncontext_window = 1\nnudge = false\nedit_tool = 'patch'\n\
                          [permissions]\nask = ['Read']\ndeny = ['WebFetch']\nallow = ['Bash(*)']";
            vec![
                read(ProjectFile::Shared, shared),
                read(ProjectFile::Local, "context_window = 2\n[permissions]\ndeny = ['Task']"),
            ]
        };
        let check = |flags: Flags, env: &[(&str, &str)], file: &str, expected: (&str, Origin, u64)| {
            let file = parse(Path::new("/c/config.toml"), file).unwrap();
            let credentials = Credentials::default();
            let env = Env::from_pairs(env.iter().copied());
            let config = fold(Layers { flags, env: &env, file, credentials, project: project() }).unwrap();
            let name = config.model.name.unwrap();
            assert_eq!(
                (name.value.as_str(), name.origin, config.model.context_window.unwrap().value),
                expected
            );
            assert_eq!(config.nudge, Sourced { value: false, origin: Origin::Project(ProjectFile::Shared) });
            assert_eq!(config.edit_tool.value, super::super::EditTool::Patch);
            let Rules { allow, ask, deny } = config.permissions.rules;
            assert_eq!((allow.len(), ask.len(), deny.len()), (0, 1, 2));
            assert_eq!(config.permissions.mode.origin, Origin::Default);
        };
        let (shared, user) =
            (Origin::Project(ProjectFile::Shared), "model = 'u'\ncontext_window = 9\nnudge = true");
        check(Flags::default(), &[], "", ("s", shared, 2));
        check(Flags::default(), &[], user, ("s", shared, 2));
        let env = [("OPENAI_MODEL", "e")];
        check(Flags::default(), &env, user, ("e", Origin::Env("OPENAI_MODEL"), 2));
        let typed = Flags { model: Some("f".to_owned()), ..Flags::default() };
        check(typed, &env, user, ("f", Origin::Flag, 2));
        let far = [("FAR_TEAM", "core")];
        check(provider_flag("far"), &far, PROVIDERS, ("far-model", Origin::UserFile, 2000));
        check(provider_flag("bare"), &far, PROVIDERS, ("s", shared, 2));
        let stronger = Origin::Project(ProjectFile::Local);
        assert!(Origin::UserFile < shared && shared < stronger && stronger < Origin::Env(""));
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
            ["the base URL must not end in `/chat/completions`: using http://localhost/v1"]
        );
    }
}
