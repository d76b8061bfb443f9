//! Where the model is, and what goes along: keys, headers, more fields of the body.

use serde_json::{Map, Value};

use super::{BaseUrl, ConfigError, Header, Secret, Sourced};

/// The endpoint where none is given.
pub const OPENAI: &str = "https://api.openai.com/v1";

/// Where the model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// Nobody has said: no address in any layer, and no key.
    None,
    /// Here.
    At(Box<Target>),
}

/// An address and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The address.
    pub url: Sourced<BaseUrl>,
    /// Its keys in the order of their turn, no two the same; a loopback address needs none.
    pub keys: Vec<Key>,
    /// Where its keys were looked for, for whoever has none.
    pub place: KeyPlace,
    /// What stands in the head of every request.
    pub headers: Vec<Header>,
    /// More fields of every request's body.
    pub extra_body: Map<String, Value>,
    /// The name of the `[providers.NAME]` table that says all this; none where the root table or no file does.
    pub provider: Option<String>,
}

/// A key and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub secret: Secret,
    /// Where it comes from.
    pub source: KeySource,
}

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// `--api-key`.
    Flag,
    /// This variable.
    Env(String),
    /// `credentials.toml`.
    Saved,
}

/// Where the keys of an address are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// In the program's own variables: somebody gave the address by option or environment, or it is `OpenAI`'s.
    General,
    /// In the variables that the file names.
    Variables(Vec<String>),
    /// Nowhere: the file names the address and no variable. The table that could.
    Unnamed(Option<String>),
}

impl Endpoint {
    /// The target, if a request could be sent to it.
    pub fn target(&self) -> Result<&Target, ConfigError> {
        match self {
            Self::None => Err(ConfigError::NoEndpoint),
            Self::At(target) if target.lacks_key() => Err(ConfigError::NoKey {
                host: target.url.value.authority().to_owned(),
                place: target.place.clone(),
            }),
            Self::At(target) => Ok(target),
        }
    }
}

impl Target {
    /// An address and its keys, with nothing else that goes along.
    pub fn plain(url: Sourced<BaseUrl>, keys: Vec<Key>, place: KeyPlace) -> Self {
        Self { url, keys, place, headers: Vec::new(), extra_body: Map::new(), provider: None }
    }

    /// Whether a key is needed and there is none. A header that says who is asking will do.
    fn lacks_key(&self) -> bool {
        !self.identifies() && !self.url.value.is_loopback()
    }

    fn identifies(&self) -> bool {
        !self.keys.is_empty() || self.headers.iter().any(Header::says_who)
    }

    /// A warning if a key is sent where anybody on the network can read it.
    pub fn unencrypted_key(&self) -> Option<String> {
        let url = &self.url.value;
        let sends_key = self.identifies() || url.secrets().next().is_some();
        let warning = || {
            let host = url.authority();
            format!(
                "the API key is sent to {host} unencrypted: others on the network can read it (try https)"
            )
        };
        (sends_key && !url.is_private()).then(warning)
    }
}
