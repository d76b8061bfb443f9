//! Which address is in force, and what may go there: the one place that decides which key goes to which host.
//!
//! Pure. A host is a scheme and an authority: `http` and `https` of one name are two. `--provider` chooses an address of the file, so the program's own variables are not
//! sent there; only `--api-key`, typed beside it, is.

use super::credentials::Credentials;
use super::endpoint::KeyPlace;
use super::file::FileEndpoint;
use super::layers::{Flags, first_set, variable};
use super::provider::FileProvider;
use super::{
    BaseUrl, ConfigError, Endpoint, Header, Key, KeySource, OPENAI, Origin, Secret, Sourced, Target,
};
use crate::os::child_env::OWN_KEYS;
use crate::os::env::Env;

const URL_VARIABLES: [&str; 2] = ["CLAWD_BASE_URL", "OPENAI_BASE_URL"];

/// Who looks for an address and for keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeker<'a> {
    pub(super) flags: &'a Flags,
    pub(super) env: &'a Env,
    pub(super) file: &'a FileEndpoint,
    pub(super) credentials: &'a Credentials,
}

/// A provider in force, and who chose it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub(super) provider: &'a FileProvider,
    pub(super) by: Chooser,
}

/// Who chose a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chooser {
    /// `--provider`.
    Flag,
    /// `provider` in the file.
    File,
}

/// The provider in force: none where an address beats it.
pub(super) fn chosen(seeker: Seeker<'_>) -> Result<Option<Chosen<'_>>, ConfigError> {
    let Seeker { flags, env, file, .. } = seeker;
    let find = |name: &str| file.providers.iter().find(|provider| provider.name == name);
    if flags.base_url.is_some() {
        return Ok(None);
    }
    if let Some(name) = &flags.provider {
        let names = file.providers.iter().map(|provider| provider.name.as_str());
        let provider = find(name).ok_or_else(|| ConfigError::no_provider(name, names))?;
        return Ok(Some(Chosen { provider, by: Chooser::Flag }));
    }
    if first_set(env, URL_VARIABLES).is_some() {
        return Ok(None);
    }
    let provider = file.provider.as_deref().and_then(find);
    Ok(provider.map(|provider| Chosen { provider, by: Chooser::File }))
}

/// The address in force, and the keys that may go there.
pub(super) fn endpoint(seeker: Seeker<'_>, chosen: Option<Chosen<'_>>) -> Result<Endpoint, ConfigError> {
    match chosen {
        Some(chosen) => of_provider(seeker, chosen.provider),
        None => of_root(seeker),
    }
}

fn of_provider(seeker: Seeker<'_>, provider: &FileProvider) -> Result<Endpoint, ConfigError> {
    let url = Sourced { value: provider.base_url.clone(), origin: Origin::UserFile };
    let (keys, place) = keys(seeker, &url, &provider.api_key_env, Some(&provider.name))?;
    let headers: Result<Vec<Header>, ConfigError> =
        provider.headers.iter().map(|header| header.resolve(seeker.env)).collect();
    let (extra_body, provider) = (provider.extra_body.clone(), Some(provider.name.clone()));
    Ok(Endpoint::At(Box::new(Target { url, keys, place, headers: headers?, extra_body, provider })))
}

fn of_root(seeker: Seeker<'_>) -> Result<Endpoint, ConfigError> {
    let url = base_url(seeker)?;
    let file = seeker.file;
    // the file's variables belong to the origin that it names, or to OpenAI if it names none
    let is_files = match &file.base_url {
        Some(named) => named.origin() == url.value.origin(),
        None => url.value.is_openai(),
    };
    let own: &[String] = if is_files { &file.api_key_env } else { &[] };
    let (keys, place) = keys(seeker, &url, own, None)?;
    if url.origin == Origin::Default && keys.is_empty() {
        return Ok(Endpoint::None);
    }
    Ok(Endpoint::At(Box::new(Target::plain(url, keys, place))))
}

fn base_url(seeker: Seeker<'_>) -> Result<Sourced<BaseUrl>, ConfigError> {
    if let Some(value) = seeker.flags.base_url.clone() {
        return Ok(Sourced { value, origin: Origin::Flag });
    }
    if let Some((name, text)) = first_set(seeker.env, URL_VARIABLES) {
        let value = text.parse().map_err(|error: super::BadUrl| variable(name, &error))?;
        return Ok(Sourced { value, origin: Origin::Env(name) });
    }
    if let Some(value) = seeker.file.base_url.clone() {
        return Ok(Sourced { value, origin: Origin::UserFile });
    }
    let value = OPENAI.parse().map_err(|error: super::BadUrl| variable("the built-in base URL", &error))?;
    Ok(Sourced { value, origin: Origin::Default })
}

/// The keys for an address: the program's own where the user of this environment chose the address, and those that the
/// file names for it (`own`); a saved one where neither has any.
fn keys(
    seeker: Seeker<'_>,
    url: &Sourced<BaseUrl>,
    own: &[String],
    provider: Option<&str>,
) -> Result<(Vec<Key>, KeyPlace), ConfigError> {
    let Seeker { flags, env, credentials, .. } = seeker;
    if let Some(secret) = flags.api_key.clone() {
        return Ok((vec![Key { secret, source: KeySource::Flag }], KeyPlace::General));
    }
    let general = first_set(env, OWN_KEYS).map(|(name, _)| name);
    let own_set: Vec<&str> = own.iter().map(String::as_str).filter(|name| is_set(env, name)).collect();
    let (names, place) = match url.origin {
        Origin::Default | Origin::Env(_) | Origin::Flag => {
            (general.into_iter().chain(own_set).collect(), KeyPlace::General)
        }
        // a project names no address; if one came from there, it would get no more than a file's
        Origin::UserFile | Origin::Project(_) if url.value.is_openai() && own_set.is_empty() => {
            (general.into_iter().collect(), KeyPlace::General)
        }
        Origin::UserFile | Origin::Project(_) if own.is_empty() => {
            (own_set, KeyPlace::Unnamed(provider.map(str::to_owned)))
        }
        Origin::UserFile | Origin::Project(_) => (own_set, KeyPlace::Variables(own.to_vec())),
    };
    let mut keys = of_variables(env, &names)?;
    if keys.is_empty() {
        let saved = credentials.get(&url.value);
        keys.extend(saved.map(|secret| Key { secret: secret.clone(), source: KeySource::Saved }));
    }
    Ok((keys, place))
}

/// The keys in these variables, each once.
fn of_variables(env: &Env, names: &[&str]) -> Result<Vec<Key>, ConfigError> {
    let mut keys: Vec<Key> = Vec::new();
    for name in names {
        let secret =
            Secret::new(env.text(name).unwrap_or_default()).map_err(|error| variable(name, &error))?;
        if keys.iter().all(|key| key.secret != secret) {
            keys.push(Key { secret, source: KeySource::Env((*name).to_owned()) });
        }
    }
    Ok(keys)
}

fn is_set(env: &Env, name: &str) -> bool {
    env.text(name).is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Config, Layers, fold, parse};
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

    fn provider_flag(name: &str) -> Flags {
        Flags { provider: Some(name.to_owned()), ..Flags::default() }
    }

    /// `host key source, key source`, or the error.
    fn target(config: &Config) -> String {
        match config.endpoint.target() {
            Err(error) => error.to_string(),
            Ok(target) => {
                let keys = target.keys.iter().map(|key| format!("{} {:?}", key.secret.expose(), key.source));
                let keys: Vec<String> = keys.collect();
                let keys = if keys.is_empty() { "no key".to_owned() } else { keys.join(", ") };
                format!("{} {keys}", target.url.value.authority())
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
        for other in ["http://x.y/v1", "http://x.y:443/v1", "https://x.y:8443/v1", "https://a.x.y/v1"] {
            let other = config(url_flag(other), &env, file, "").unwrap();
            assert!(target(&other).starts_with("no API key for "), "{}", target(&other));
        }
    }

    #[test]
    fn the_key_of_a_file_that_names_no_host_goes_to_openai_alone() {
        let check = |flags: Flags, env: &[(&str, &str)], expected: &str| {
            let env = [&[("MY_KEY", "k-mine")], env].concat();
            assert_eq!(target(&config(flags, &env, "api_key_env = \"MY_KEY\"", "").unwrap()), expected);
        };
        let openai = r#"api.openai.com k-mine Env("MY_KEY")"#;
        let missing = |host: &str| format!("no API key for {host} (try setting CLAWD_API_KEY)");
        check(Flags::default(), &[], openai);
        check(url_flag("https://api.openai.com:443/v2"), &[], openai);
        check(url_flag("https://x.y/v1"), &[], &missing("x.y"));
        check(url_flag("http://api.openai.com/v1"), &[], &missing("api.openai.com"));
        check(url_flag("http://api.openai.com:443/v1"), &[], &missing("api.openai.com:443"));
        check(url_flag("http://127.0.0.1:1/v1"), &[], "127.0.0.1:1 no key");
        check(Flags::default(), &[("OPENAI_BASE_URL", "https://x.y/v1")], &missing("x.y"));
        check(url_flag("https://x.y/v1"), &KEYS, r#"x.y k-clawd Env("CLAWD_API_KEY")"#);
    }

    #[test]
    fn a_saved_key_belongs_to_a_scheme_too() {
        let check = |url: &str, saved: &str, expected: bool| {
            let saved = format!("[keys]\n\"{saved}\" = \"k-saved\"");
            let found = target(&config(url_flag(url), &[], "", &saved).unwrap());
            assert_eq!(found.contains("k-saved"), expected, "{url} {saved}: {found}");
        };
        check("https://x.y/v1", "https://x.y", true);
        check("http://x.y/v1", "http://x.y", true);
        check("http://x.y/v1", "https://x.y", false);
        check("https://x.y/v1", "http://x.y", false);
        // without a scheme: https, or this machine
        check("https://x.y/v1", "x.y", true);
        check("http://x.y/v1", "x.y", false);
        check("http://x.y:443/v1", "x.y:443", false);
        check("http://localhost:1/v1", "localhost:1", true);
    }

    #[test]
    fn a_key_that_others_can_read_on_its_way_is_warned_of() {
        let check = |flags: Flags, env: &[(&str, &str)], file: &str, expected: &[&str]| {
            assert_eq!(config(flags, env, file, "").unwrap().warnings, expected, "{file}");
        };
        let warning =
            ["the API key is sent to x.y:1 unencrypted: others on the network can read it (try https)"];
        check(url_flag("http://x.y:1/v1"), &KEYS, "", &warning);
        check(url_flag("http://x.y:1/v1?sig=abc"), &[], "", &warning);
        check(url_flag("http://x.y:1/v1"), &[], "", &[]);
        check(url_flag("https://x.y:1/v1"), &KEYS, "", &[]);
        for own in ["127.0.0.1:1", "localhost", "[::1]:1"] {
            check(url_flag(&format!("http://{own}/v1")), &KEYS, "", &[]);
        }
        let table = "provider = \"p\"\n[providers.p]\nbase_url = \"http://x.y:1/v1\"\n";
        check(Flags::default(), &KEYS, table, &[]);
        check(Flags::default(), &[("K", "k")], &format!("{table}api_key_env = \"K\""), &warning);
        let header = format!("{table}headers = {{ Authorization = \"Basic abc\" }}");
        check(Flags::default(), &[], &header, &warning);
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
    fn every_key_of_the_list_that_is_set_has_its_turn() {
        let check = |env: &[(&str, &str)], file: &str, expected: &str| {
            assert_eq!(target(&config(Flags::default(), env, file, "").unwrap()), expected, "{file}");
        };
        let three = "api_key_env = [\"A\", \"B\", \"C\"]";
        let of_host = format!("base_url = \"https://x.y/v1\"\n{three}");
        let env = [("C", "k3"), ("A", "k1"), ("B", " "), KEYS[0]];
        check(&env, &of_host, r#"x.y k1 Env("A"), k3 Env("C")"#);
        check(&[("A", "k"), ("B", " k\n"), ("C", "k3")], &of_host, r#"x.y k Env("A"), k3 Env("C")"#);
        check(&[KEYS[0]], &of_host, "no API key for x.y (try setting A or B or C)");
        check(&env, three, r#"api.openai.com k-clawd Env("CLAWD_API_KEY"), k1 Env("A"), k3 Env("C")"#);
        let openai = "base_url = \"https://api.openai.com/v1\"\napi_key_env = [\"A\", \"OPENAI_API_KEY\"]";
        check(&KEYS, openai, r#"api.openai.com k-openai Env("OPENAI_API_KEY")"#);
        check(&[KEYS[0], ("A", "k1")], openai, r#"api.openai.com k1 Env("A")"#);
        check(&[KEYS[0]], openai, r#"api.openai.com k-clawd Env("CLAWD_API_KEY")"#);
        let broken = config(Flags::default(), &[("A", "k1"), ("C", "k\n3")], &of_host, "").unwrap_err();
        assert!(broken.starts_with("cannot use C: the key contains") && !broken.contains("k1"), "{broken}");
    }

    const FILE: &str = r#"
        base_url = "https://root.example/v1"
        api_key_env = "ROOT_KEY"
        provider = "far"
        [providers.far]
        base_url = "https://far.example/v1"
        api_key_env = "FAR_KEY"
        [providers.near]
        base_url = "http://127.0.0.1:1/v1"
        [providers.bare]
        base_url = "https://bare.example/v1"
        [providers.openai]
        base_url = "https://api.openai.com/v1"
        "#;

    const ALL: [(&str, &str); 4] = [KEYS[0], KEYS[1], ("ROOT_KEY", "k-root"), ("FAR_KEY", "k-far")];

    #[test]
    fn an_address_is_the_one_of_the_highest_that_names_one() {
        let check = |flags: Flags, env: &[(&str, &str)], expected: &str| {
            let env = [&ALL, env].concat();
            let config = config(flags, &env, FILE, "").unwrap();
            let Endpoint::At(target) = config.endpoint else { panic!("{expected}") };
            assert_eq!(target.url.value.authority(), expected);
        };
        let env = [("CLAWD_BASE_URL", "http://env.example/v1")];
        let both = Flags { provider: Some("near".to_owned()), ..url_flag("https://typed.example/v1") };
        check(both, &env, "typed.example");
        check(url_flag("https://typed.example/v1"), &env, "typed.example");
        check(provider_flag("near"), &env, "127.0.0.1:1");
        check(Flags::default(), &env, "env.example");
        check(Flags::default(), &[("OPENAI_BASE_URL", "http://env.example/v1")], "env.example");
        check(Flags::default(), &[], "far.example");
    }

    #[test]
    fn the_key_of_a_provider_goes_only_to_it_and_no_other_key_does() {
        let check = |flags: Flags, env: &[(&str, &str)], saved: &str, expected: &str| {
            assert_eq!(target(&config(flags, env, FILE, saved).unwrap()), expected);
        };
        let none = "no API key for bare.example (try `api_key_env = \"NAME\"` in `[providers.bare]` with the key in \
                    that variable)";
        check(Flags::default(), &ALL, "", r#"far.example k-far Env("FAR_KEY")"#);
        check(provider_flag("far"), &ALL, "", r#"far.example k-far Env("FAR_KEY")"#);
        check(provider_flag("far"), &ALL[..3], "", "no API key for far.example (try setting FAR_KEY)");
        check(provider_flag("near"), &ALL, "", "127.0.0.1:1 no key");
        check(provider_flag("bare"), &ALL, "", none);
        check(
            provider_flag("bare"),
            &ALL,
            "[keys]\n\"bare.example\" = \"k-saved\"",
            "bare.example k-saved Saved",
        );
        check(provider_flag("openai"), &ALL, "", r#"api.openai.com k-clawd Env("CLAWD_API_KEY")"#);
        check(url_flag("https://far.example/v1"), &ALL, "", r#"far.example k-clawd Env("CLAWD_API_KEY")"#);
        check(
            url_flag("https://typed.example/v1"),
            &ALL[2..],
            "",
            "no API key for typed.example (try setting CLAWD_API_KEY)",
        );
        let typed = Flags { api_key: Some(Secret::new("k-flag").unwrap()), ..provider_flag("bare") };
        check(typed, &ALL, "", "bare.example k-flag Flag");
    }

    #[test]
    fn what_else_belongs_to_a_provider_goes_along_with_it_alone() {
        let file = "provider = \"p\"\n[providers.p]\nbase_url = \"https://x.y/v1\"\n\
                    headers = { Authorization = \"Basic ${TOKEN}\" }\nextra_body = { top_k = 3 }";
        let with = config(Flags::default(), &[("TOKEN", "abc")], file, "").unwrap();
        let target = with.endpoint.target().unwrap(); // the header stands for a key
        assert_eq!(target.headers[0].value, "Basic abc");
        assert_eq!(serde_json::to_string(&target.extra_body).unwrap(), r#"{"top_k":3}"#);
        let unset = config(Flags::default(), &[], file, "").unwrap_err();
        assert_eq!(
            unset,
            "cannot use TOKEN: it is not set, but the header `Authorization` uses it (try setting it)"
        );
        let other = config(url_flag("http://localhost/v1"), &[], file, "").unwrap();
        let target = other.endpoint.target().unwrap();
        assert!(target.headers.is_empty() && target.extra_body.is_empty());
    }

    #[test]
    fn a_provider_that_is_not_there_is_told_beside_those_that_are() {
        let error = |file: &str| config(provider_flag("fra"), &[], file, "").unwrap_err();
        assert_eq!(error(FILE), "no provider is called `fra` (try one of: far, near, bare, openai)");
        assert_eq!(
            error(""),
            "no provider is called `fra` (try adding a `[providers.NAME]` table to config.toml)"
        );
    }
}
