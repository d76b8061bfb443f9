//! What must stay with the program: the variables that hold its keys, the keys themselves, wherever they were found, and
//! what the user lets commands have all the same.
//!
//! Every key counts, whichever endpoint is in force: a file or an answer may hold any of them. What only looks like one
//! (`lm-studio`, for a server that wants something to stand there) is left out, or half of a text about that server would
//! be hidden.

use super::Secret;
use super::file::FileEndpoint;
use super::provider::FileProvider;
use super::target::Seeker;
use crate::os::child_env::{OWN_KEYS, Passage};

/// Shorter keys are words.
const LEAST_KEY: usize = 8;
/// As long as it has no digit and no capital, a key shorter than this is some words.
const LEAST_WORDS: usize = 24;

/// What must stay with the program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// Variables that hold keys, beside `CLAWD_API_KEY` and `OPENAI_API_KEY`: no command gets to see them.
    pub variables: Vec<String>,
    /// Every key that is known; none of them may stand in a text.
    pub keys: Vec<Secret>,
    /// `[sandbox] environment`: variables that commands get besides the usual ones.
    pub passed: Vec<Passage>,
}

impl Secrets {
    /// Finds them in all layers.
    pub(super) fn find(seeker: Seeker<'_>, passed: Vec<Passage>) -> Self {
        let Seeker { flags, env, file, credentials } = seeker;
        let variables = key_variables(file);
        let identifying = file.providers.iter().flat_map(FileProvider::identifying_variables);
        let named =
            OWN_KEYS.into_iter().chain(file.api_key_env.iter().map(String::as_str)).chain(identifying);
        let mut keys: Vec<Secret> = named.filter_map(|name| Secret::new(env.text(name)?).ok()).collect();
        keys.extend(flags.api_key.clone());
        keys.extend(credentials.all().cloned());
        let written = file.providers.iter().flat_map(FileProvider::written_secrets);
        let addresses = file.providers.iter().map(|provider| &provider.base_url).chain(&file.base_url);
        let in_addresses = addresses.chain(&flags.base_url).flat_map(super::BaseUrl::secrets);
        keys.extend(written.chain(in_addresses).filter_map(|text| Secret::new(text).ok()));
        let mut secrets = Self { variables, keys: Vec::new(), passed };
        for key in keys {
            secrets.learn(key);
        }
        secrets
    }

    /// One more key, typed just now.
    pub fn learn(&mut self, key: Secret) {
        if is_a_key(key.expose()) && !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }
}

/// Every variable that the file takes for a key, whichever provider is in force.
fn key_variables(file: &FileEndpoint) -> Vec<String> {
    let of_providers = file.providers.iter().flat_map(FileProvider::key_variables);
    file.api_key_env.iter().map(String::as_str).chain(of_providers).map(str::to_owned).collect()
}

/// Whether a text that stands in the place of a key can be one.
fn is_a_key(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_lowercase() || matches!(b, b'-' | b'_' | b'.');
    text.len() >= LEAST_KEY && (text.len() >= LEAST_WORDS || !text.bytes().all(is_plain))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::credentials::Credentials;
    use super::super::file::parse;
    use super::super::layers::Flags;
    use super::*;
    use crate::os::env::Env;

    #[test]
    fn every_key_of_every_layer_is_known_and_no_word_is_taken_for_one() {
        let file = parse(
            Path::new("/c/config.toml"),
            r#"
            base_url = "https://a.example/v1?sig=in-root-1"
            api_key_env = "ROOT_KEY"
            [sandbox]
            environment = ["FOO"]
            [providers.far]
            base_url = "https://b.example/v1?key=in-table-1"
            api_key_env = ["FAR_KEY"]
            headers = { Authorization = "Bearer written-1 ${FAR_TOKEN}", X-Team = "platform1 ${TEAM}" }
            "#,
        )
        .unwrap();
        let credentials =
            Credentials::parse(Path::new("/c"), "[keys]\n\"x\" = \"saved-key-1\"\n\"y\" = \"lm-studio\"")
                .unwrap();
        let env = Env::from_pairs([
            ("CLAWD_API_KEY", "sk-clawd-1"),
            ("OPENAI_API_KEY", "sk-no-key-required"),
            ("ROOT_KEY", "sk-root-1"),
            ("FAR_KEY", "short1"),
            ("FAR_TOKEN", "sk-token-1"),
            ("TEAM", "platform-team-1"),
        ]);
        let flags = Flags {
            api_key: Some(Secret::new("sk-flag-1").unwrap()),
            base_url: Some("http://c.example/v1?code=in-flag-1".parse().unwrap()),
            ..Flags::default()
        };
        let seeker = Seeker { flags: &flags, env: &env, file: &file.endpoint, credentials: &credentials };
        let secrets = Secrets::find(seeker, file.environment);
        let mut keys: Vec<&str> = secrets.keys.iter().map(Secret::expose).collect();
        keys.sort_unstable();
        let expected = [
            "in-flag-1",
            "in-root-1",
            "in-table-1",
            "saved-key-1",
            "sk-clawd-1",
            "sk-flag-1",
            "sk-root-1",
            "sk-token-1",
            "written-1",
        ];
        assert_eq!(keys, expected);
        assert_eq!(secrets.variables, ["ROOT_KEY", "FAR_KEY", "FAR_TOKEN", "TEAM"]);
        assert_eq!(secrets.passed, ["FOO".parse().unwrap()]);
    }
}
