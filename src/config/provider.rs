//! `[providers.NAME]`: an endpoint with all that belongs to it, to be chosen by name.
//!
//! All tables are read, whichever is in force: a slip in one is found before the day on which it is needed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::file::{FileModel, KEYS, model};
use super::header::FileHeader;
use super::reader::Section;
use super::{BaseUrl, ConfigError};

/// Keys of a provider's table.
pub(super) const PROVIDER_KEYS: [&str; 13] = [
    "base_url",
    "api_key_env",
    "model",
    "headers",
    "extra_body",
    "context_window",
    "fallback_models",
    "max_output_tokens",
    "temperature",
    "reasoning_effort",
    "text_calls",
    "stream",
    "ca_file",
];

/// Fields of a request that the program writes itself, whatever `extra_body` says.
const FIXED_FIELDS: [&str; 3] = ["messages", "tools", "stream"];

/// A `[providers.NAME]` table.
#[derive(Debug, Clone, PartialEq)]
pub struct FileProvider {
    /// `NAME`.
    pub name: String,
    /// `base_url`.
    pub base_url: BaseUrl,
    /// `api_key_env`.
    pub api_key_env: Vec<String>,
    /// `headers`.
    pub headers: Vec<FileHeader>,
    /// `extra_body`, as it will be sent.
    pub extra_body: Map<String, Value>,
    /// Its model and how that is asked; where it says nothing, the root's keys hold.
    pub model: FileModel,
    /// `ca_file`, from the file's directory; `~` is left as it is.
    pub ca_file: Option<PathBuf>,
}

impl FileProvider {
    /// The variables that hold its keys, and those in its headers.
    pub(super) fn key_variables(&self) -> impl Iterator<Item = &str> {
        let in_headers = self.headers.iter().flat_map(FileHeader::variables);
        self.api_key_env.iter().map(String::as_str).chain(in_headers)
    }

    /// Of these the ones whose values are secrets: `${TEAM}` in a header need not be one.
    pub(super) fn identifying_variables(&self) -> impl Iterator<Item = &str> {
        let in_headers =
            self.headers.iter().filter(|header| header.says_who()).flat_map(FileHeader::variables);
        self.api_key_env.iter().map(String::as_str).chain(in_headers)
    }

    /// Secrets that stand in the file itself, in its headers.
    pub(super) fn written_secrets(&self) -> impl Iterator<Item = &str> {
        let identifying = self.headers.iter().filter(|header| header.says_who());
        identifying.flat_map(FileHeader::texts).flat_map(str::split_whitespace)
    }
}

/// All providers of the file at `path`, in its order, and what is odd about them.
pub(super) fn providers(
    root: &Section<'_>,
    path: &Path,
) -> Result<(Vec<FileProvider>, Vec<String>), ConfigError> {
    let Some(tables) = root.section("providers")? else { return Ok((Vec::new(), Vec::new())) };
    let (mut providers, mut warnings) = (Vec::new(), Vec::new());
    for name in tables.keys() {
        if let Some(table) = tables.section(&name)? {
            let missing = "`base_url` is missing (try `base_url = \"http://127.0.0.1:11434/v1\"`)";
            let base_url = base_url(&table)?.ok_or_else(|| tables.refuse(&name, missing))?;
            warnings.extend(table.unknown(&PROVIDER_KEYS, &KEYS));
            warnings.extend(fixed_fields(&table)?);
            providers.push(provider(name, base_url, &table, path)?);
        }
    }
    Ok((providers, warnings))
}

fn provider(
    name: String,
    base_url: BaseUrl,
    table: &Section<'_>,
    path: &Path,
) -> Result<FileProvider, ConfigError> {
    Ok(FileProvider {
        name,
        base_url,
        api_key_env: table.string_or_strings("api_key_env", r#"api_key_env = "DEEPSEEK_API_KEY""#)?,
        headers: headers(table)?,
        extra_body: table.json("extra_body")?,
        model: model(table)?,
        ca_file: ca_file(table, path)?,
    })
}

/// `base_url` of a table.
pub(super) fn base_url(table: &Section<'_>) -> Result<Option<BaseUrl>, ConfigError> {
    table.parsed("base_url", r#"base_url = "http://127.0.0.1:11434/v1""#)
}

/// `ca_file` of a table, from the directory of the file at `path`; what begins with `~/` waits for the home directory.
pub(super) fn ca_file(table: &Section<'_>, path: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let written = table.string("ca_file", r#"ca_file = "~/company-ca.pem""#)?;
    let written = written.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    Ok(written.map(|text| {
        let below = path.parent().filter(|_| !text.starts_with("~/"));
        below.map_or_else(|| PathBuf::from(&text), |directory| directory.join(&text))
    }))
}

fn headers(table: &Section<'_>) -> Result<Vec<FileHeader>, ConfigError> {
    let Some(section) = table.section("headers")? else { return Ok(Vec::new()) };
    let mut names = BTreeSet::new();
    let mut headers = Vec::new();
    for name in section.keys() {
        let value = section.string(&name, &format!("\"{name}\" = \"text\""))?.unwrap_or_default();
        let header = FileHeader::parse(&name, &value).map_err(|why| section.refuse(&name, &why))?;
        if !names.insert(header.name().to_ascii_lowercase()) {
            return Err(section.refuse(&name, "the header is set twice (try removing one)"));
        }
        headers.push(header);
    }
    Ok(headers)
}

fn fixed_fields(table: &Section<'_>) -> Result<Vec<String>, ConfigError> {
    let Some(body) = table.section("extra_body")? else { return Ok(Vec::new()) };
    let fixed = body.keys().into_iter().filter(|key| FIXED_FIELDS.contains(&key.as_str()));
    Ok(fixed.map(|key| body.remark(&key, "is ignored: clawd sets this field itself")).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{FileConfig, TextCalls, parse};
    use super::*;

    fn read(text: &str) -> Result<FileConfig, String> {
        parse(Path::new("/c/config.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_of_a_provider_is_read() {
        let config = read(
            r#"
            provider = "b"
            ca_file = "/etc/ca.pem"
            [providers.b]
            base_url = "https://b.example/v1"
            api_key_env = ["B", "B2"]
            model = "m"
            headers = { X-Team = "core", "X-Token" = "${T}" }
            context_window = 1
            fallback_models = ["x", " "]
            max_output_tokens = 2
            temperature = 0.5
            reasoning_effort = "low"
            text_calls = "all"
            stream = false
            ca_file = "certs/b.pem"
            [providers.a]
            base_url = "http://localhost/v1"
            api_key_env = "A"
            ca_file = "~/a.pem"
            "#,
        )
        .unwrap();
        assert_eq!(config.warnings, [""; 0]);
        let endpoint = config.endpoint;
        assert_eq!(endpoint.provider.as_deref(), Some("b"));
        assert_eq!(endpoint.ca_file, Some(PathBuf::from("/etc/ca.pem")));
        let [b, a] = &endpoint.providers[..] else { panic!("{endpoint:?}") };
        assert_eq!((b.name.as_str(), a.name.as_str()), ("b", "a"));
        assert_eq!(
            (b.base_url.as_str(), a.base_url.as_str()),
            ("https://b.example/v1", "http://localhost/v1")
        );
        assert_eq!(b.key_variables().collect::<Vec<_>>(), ["B", "B2", "T"]);
        assert_eq!(a.key_variables().collect::<Vec<_>>(), ["A"]);
        assert_eq!(b.headers.iter().map(FileHeader::name).collect::<Vec<_>>(), ["X-Team", "X-Token"]);
        assert_eq!(b.ca_file, Some(PathBuf::from("/c/certs/b.pem")));
        assert_eq!(a.ca_file, Some(PathBuf::from("~/a.pem")));
        let model = FileModel {
            name: Some("m".to_owned()),
            context_window: Some(1),
            fallbacks: Some(vec!["x".to_owned()]),
            max_output_tokens: Some(2),
            temperature: Some(0.5),
            reasoning_effort: Some("low".to_owned()),
            text_calls: Some(TextCalls::All),
            stream: Some(false),
        };
        assert_eq!((&b.model, &a.model), (&model, &FileModel::default()));
    }

    #[test]
    fn extra_fields_are_sent_as_the_json_that_they_say() {
        let text = r#"
            [providers.a]
            base_url = "http://localhost/v1"
            [providers.a.extra_body]
            text = "x"
            whole = -1_000
            hex = 0x10
            part = 1_0.50
            yes = true
            day = 2024-10-21
            moment = 1979-05-27T07:32:00Z
            list = [1, "a", [false], { b = 2 }]
            [providers.a.extra_body.chat_template_kwargs]
            enable_thinking = false
            "#;
        let expected = json!({
            "text": "x", "whole": -1000, "hex": 16, "part": 10.5, "yes": true, "day": "2024-10-21",
            "moment": "1979-05-27T07:32:00Z", "list": [1, "a", [false], {"b": 2}],
            "chat_template_kwargs": {"enable_thinking": false},
        });
        let config = read(text).unwrap();
        assert_eq!(Value::Object(config.endpoint.providers[0].extra_body.clone()), expected);
        assert_eq!(config.warnings, [""; 0]);
    }

    /// The error of a provider's table, whose third line this is.
    #[track_caller]
    fn check(table: &str, expected: &str) {
        let text = format!("[providers.a]\nbase_url = \"http://localhost/v1\"\n{table}");
        assert_eq!(read(&text).unwrap_err(), format!("cannot read /c/config.toml: {expected}"), "{table}");
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_an_error_with_file_and_line() {
        check(
            "headers = 1",
            "line 3: `providers.a.headers` must be a table, not an integer (try `[providers.a.headers]`)",
        );
        check(
            "headers = { X-A = 1 }",
            "line 3: `providers.a.headers.X-A` must be a string in quotes, not an integer (try `\"X-A\" = \
             \"text\"`)",
        );
        check(
            "[providers.a.headers]\nX-A = \"1\"\nHost = \"x\"",
            "line 5: `providers.a.headers.Host`: clawd sets this header itself (try removing it)",
        );
        check(
            "headers = { X-A = \"1\", x-a = \"2\" }",
            "line 3: `providers.a.headers.x-a`: the header is set twice (try removing one)",
        );
        check(
            "headers = { X-A = \"${B\" }",
            "line 3: `providers.a.headers.X-A`: its value has a `${` without a `}` (try `${NAME}`)",
        );
    }

    #[test]
    fn what_a_provider_cannot_mean_is_an_error_with_file_and_line() {
        check(
            "model = 1",
            "line 3: `providers.a.model` must be a string in quotes, not an integer (try `model = \
             \"qwen3-coder\"`)",
        );
        check(
            "temperature = -1",
            "line 3: `providers.a.temperature`: it must not be negative (try `temperature = 0.2`)",
        );
        check(
            "api_key_env = 1",
            "line 3: `providers.a.api_key_env` must be a string or a list of strings, not an integer (try \
             `api_key_env = \"DEEPSEEK_API_KEY\"`)",
        );
        check(
            "stream = \"no\"",
            "line 3: `providers.a.stream` must be true or false, not a string (try `stream = false`)",
        );
        check(
            "extra_body = [1]",
            "line 3: `providers.a.extra_body` must be a table, not a list with other values (try \
             `[providers.a.extra_body]`)",
        );
        check(
            "[providers.a.extra_body]\nb = [\n nan]",
            "line 5: `providers.a.extra_body`: JSON does not support this number",
        );
        check(
            "text_calls = \"some\"",
            "line 3: `providers.a.text_calls`: `some` is not a valid value (try \"off\", \"tags\" or \
             \"all\")",
        );
        check(
            "[providers.b]\nmodel = \"x\"",
            "line 3: `providers.b`: `base_url` is missing (try `base_url = \"http://127.0.0.1:11434/v1\"`)",
        );
        check(
            "[providers]\nb = 1",
            "line 4: `providers.b` must be a table, not an integer (try `[providers.b]`)",
        );
        let unknown =
            read("provider = \"c\"\n[providers.a]\nbase_url = \"http://localhost/v1\"").unwrap_err();
        assert!(
            unknown.ends_with("line 1: `provider`: `[providers.c]` does not exist (try one of: a)"),
            "{unknown}"
        );
        let none = read("\nprovider = \"c\"").unwrap_err();
        assert!(
            none.contains("line 2: ") && none.contains("try adding a `[providers.NAME]` table"),
            "{none}"
        );
        let flat = read("[providers]\nbase_url = \"x\"").unwrap_err();
        assert!(flat.contains("line 2: `providers.base_url` must be a table, not a string"), "{flat}");
    }

    #[test]
    fn an_unknown_key_of_a_provider_is_a_warning() {
        let text = "[providers.a]\nbase_url = \"http://localhost/v1\"\nmodle = \"x\"\nmax_retries = 1\n\
                    extra_body = { stream = false, top_p = 1 }\n";
        let expected = [
            "/c/config.toml: line 3: unknown key `providers.a.modle` (did you mean `providers.a.model`?)",
            "/c/config.toml: line 4: unknown key `providers.a.max_retries` (`max_retries` is a top-level \
             key: put it before the first table)",
            "/c/config.toml: line 5: `providers.a.extra_body.stream` is ignored: clawd sets this field \
             itself",
        ];
        assert_eq!(read(text).unwrap().warnings, expected);
    }
}
