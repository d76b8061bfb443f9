//! Why the configuration cannot be used. All of it ends the program before anything was sent.

use std::path::PathBuf;

use crate::os::file::FileError;

use super::KeyPlace;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file says something that cannot be meant.
    #[error("cannot read {}: line {line}: {what}", .path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it, and what would be right.
        what: String,
    },
    /// A file is no text.
    #[error("cannot read {}: not UTF-8 text", .0.display())]
    NotText(PathBuf),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of the program's own cannot be kept private.
    #[error("cannot make {} private: {source}", .path.display())]
    Private {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file would not say what it said before.
    #[error("cannot change {}: the result would not be valid (try editing the file yourself)", .0.display())]
    Damage(PathBuf),
    /// A variable cannot be used.
    #[error("cannot use {name}: {what}")]
    Variable {
        /// Which variable.
        name: String,
        /// What is wrong with it; never its value where it is a key.
        what: String,
    },
    /// Nobody has said where the model is.
    #[error(
        "no endpoint is configured (try --base-url http://127.0.0.1:11434/v1, or a key in CLAWD_API_KEY for OpenAI)"
    )]
    NoEndpoint,
    /// An address of another machine without a key.
    #[error("no API key for {host} ({})", key_hint(.place))]
    NoKey {
        /// Whose key is missing.
        host: String,
        /// Where it was looked for.
        place: KeyPlace,
    },
    /// `--provider` with a name that nobody has.
    #[error("no provider is called `{name}` ({names})")]
    NoProvider {
        /// The name.
        name: String,
        /// Those that there are, in words.
        names: String,
    },
}

impl ConfigError {
    /// A provider that is not there, beside those that are.
    pub(super) fn no_provider<'a>(name: &str, others: impl IntoIterator<Item = &'a str>) -> Self {
        Self::NoProvider { name: name.to_owned(), names: Self::provider_names(others) }
    }

    /// The providers that there are, in words.
    pub(super) fn provider_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
        let names: Vec<&str> = names.into_iter().collect();
        if names.is_empty() {
            return "try adding a `[providers.NAME]` table to config.toml".to_owned();
        }
        format!("try one of: {}", names.join(", "))
    }
}

fn key_hint(place: &KeyPlace) -> String {
    match place {
        KeyPlace::General => "try setting CLAWD_API_KEY".to_owned(),
        KeyPlace::Variables(names) => format!("try setting {}", names.join(" or ")),
        KeyPlace::Unnamed(Some(provider)) => {
            format!("try `api_key_env = \"NAME\"` in `[providers.{provider}]` with the key in that variable")
        }
        // a key for everything is not sent to an address that only a file names
        KeyPlace::Unnamed(None) => {
            "try `api_key_env = \"NAME\"` in config.toml with the key in that variable, \
                                    or CLAWD_BASE_URL with CLAWD_API_KEY"
                .to_owned()
        }
    }
}
