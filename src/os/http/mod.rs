//! The one maker of HTTP clients, and the only place that names `reqwest::Client::builder`: [`client`] for an endpoint that the
//! user has named, [`Web`] for pages that anyone may have named.
//!
//! A client is for one address: whether it needs TLS, and which proxy stands before it, is decided when it is made.
//! There is no total time limit: an answer may stream for an hour, only silence ends it.
//!
//! The surprise: a client for plain `http` is built without TLS roots, in 0.1 ms instead of 2 to 3. And none follows a
//! redirect: the key would go along.

mod address;
mod guard;
mod proxy;
mod roots;
#[cfg(test)]
mod tests;
mod web;
mod web_url;

use std::path::PathBuf;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Proxy, Url};

use super::file::FileError;

pub use guard::GuardError;
pub use proxy::Proxies;
pub use roots::Roots;
pub use web::{Web, WebAnswer, WebError};
pub use web_url::{WebUrl, WebUrlError};

/// What a server sees of us.
const USER_AGENT: &str = concat!("clawd/", env!("CARGO_PKG_VERSION"));
/// Middle boxes forget a silent connection after a minute or more.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// How a client is made.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// An address of the host that will be asked; `http` or `https`.
    pub url: Url,
    /// Until a connection stands.
    pub connect_timeout: Duration,
    /// The longest silence while an answer is read, and before it begins; `None`: no limit.
    pub idle_timeout: Option<Duration>,
    /// Whom to trust besides the system's certificates.
    pub roots: Roots,
    /// The environment's proxies.
    pub proxies: Proxies,
}

/// Why there is no client. No variant holds an address: a proxy's may carry a password.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// A proxy's address cannot be used.
    #[error("cannot use the proxy in {variable}: {why} (try {variable}=http://host:port)")]
    Proxy {
        /// The variable that names it.
        variable: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Certificates cannot be read.
    #[error("cannot use {name}: {source}")]
    Unread {
        /// The setting or the variable that names them.
        name: &'static str,
        /// Why.
        source: FileError,
    },
    /// A directory of certificates cannot be read.
    #[error("cannot use {name}: cannot read {}: {source}", .path.display())]
    Directory {
        /// The variable that names it.
        name: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file holds something else than certificates.
    #[error(
        "cannot use {name}: {} is not a PEM certificate (it should contain a line `-----BEGIN \
         CERTIFICATE-----`)",
        .path.display()
    )]
    NoCertificate {
        /// The setting or the variable that names it.
        name: &'static str,
        /// Which.
        path: PathBuf,
    },
    /// Anything else.
    #[error("cannot set up HTTP: {0}")]
    Build(reqwest::Error),
}

/// Makes a client; keep it, its connections are reused.
pub fn client(options: &HttpOptions) -> Result<Client, HttpError> {
    builder(options)?.build().map_err(HttpError::Build)
}

fn builder(options: &HttpOptions) -> Result<ClientBuilder, HttpError> {
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(options.connect_timeout)
        .tcp_keepalive(KEEP_ALIVE)
        .referer(false)
        .no_proxy()
        .redirect(Policy::none());
    let proxy = options.proxies.route(&options.url)?;
    let over_tls = |url: &Url| url.scheme() == "https";
    let needs_tls = over_tls(&options.url) || proxy.as_ref().is_some_and(over_tls);
    if let Some(url) = proxy {
        builder = builder.proxy(Proxy::all(url).map_err(HttpError::Build)?);
    }
    if let Some(idle) = options.idle_timeout {
        builder = builder.read_timeout(idle);
    }
    Ok(if needs_tls { builder.tls_certs_merge(options.roots.load()?) } else { builder.tls_certs_only([]) })
}
