//! One request to the public web: nothing of the user's goes along, and nobody else is asked.
//!
//! No cookie, no key, no login, no referrer; redirects are the caller's to follow, a request each. Who may be asked is
//! said by the [guard](super::guard), which is the client's resolver. What the guard cannot say is whom a proxy asks: a name
//! that is known here is judged by the addresses that it has here, one that only the proxy knows goes to the proxy. The
//! surprise: answers are asked for uncompressed, so that their size on the way is their size here.

use std::error::Error;
use std::time::Duration;

use reqwest::Response;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, LOCATION, RETRY_AFTER,
};

use super::guard::{Guard, GuardError, Resolver};
use super::web_url::WebUrl;
use super::{HttpError, HttpOptions, Proxies, Roots};

/// Until a connection stands; the whole has a limit of its own.
const CONNECT: Duration = Duration::from_secs(10);
/// Many sites of documentation have their pages as Markdown for who asks.
const WANTED: &str = "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5";

/// How the web is asked; made without a look at anything.
#[derive(Debug, Clone, Default)]
pub struct Web {
    proxies: Proxies,
    roots: Roots,
    guard: Guard,
}

/// The head of an answer, and its body as it comes.
#[derive(Debug)]
pub struct WebAnswer {
    response: Response,
}

/// Why there is no answer, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The host is not asked.
    #[error(transparent)]
    Guarded(#[from] GuardError),
    /// There is no client.
    #[error(transparent)]
    Client(#[from] HttpError),
    /// No connection.
    #[error("cannot reach `{host}`: {why} (check the address; if it is right, continue without the page)")]
    Unreached {
        /// The host.
        host: String,
        /// What was said.
        why: String,
    },
    /// It ended before its end.
    #[error("incomplete response from `{host}`: {why} (try once more)")]
    Broken {
        /// The host.
        host: String,
        /// What was said.
        why: String,
    },
}

impl Web {
    /// The web, asked by way of these proxies and with these certificates besides the system's.
    pub fn new(proxies: Proxies, roots: Roots) -> Self {
        Self { proxies, roots, guard: Guard::default() }
    }

    /// Whether this host may be asked, as far as that can be told without asking anybody.
    pub fn check(&self, url: &WebUrl) -> Result<(), GuardError> {
        self.guard.check(url)
    }

    /// Asks for a page. Dropped at any moment, it is over.
    pub async fn get(&self, url: &WebUrl) -> Result<WebAnswer, WebError> {
        self.check(url)?;
        let options = HttpOptions {
            url: url.url().clone(),
            connect_timeout: CONNECT,
            idle_timeout: None,
            roots: self.roots.clone(),
            proxies: self.proxies.clone(),
        };
        let proxy = self.proxies.route(url.url())?;
        if proxy.is_some() {
            self.check_before_a_proxy(url).await?;
        }
        let proxy = proxy.and_then(|proxy| proxy.host_str().map(str::to_ascii_lowercase));
        let resolver = Resolver { guard: self.guard.clone(), proxy };
        // its connections are used once: the next page may have another route
        let builder = super::builder(&options)?.dns_resolver(resolver).pool_max_idle_per_host(0);
        let client = builder.build().map_err(HttpError::Build)?;
        let request =
            client.get(url.url().clone()).header(ACCEPT, WANTED).header(ACCEPT_ENCODING, "identity");
        let response = request.send().await.map_err(|error| unreached(url, &error))?;
        Ok(WebAnswer { response })
    }

    /// A name that is known here must be public here, whatever the proxy makes of it.
    async fn check_before_a_proxy(&self, url: &WebUrl) -> Result<(), GuardError> {
        match self.guard.addresses(url.host().trim_matches(['[', ']'])).await {
            Ok(_) | Err(GuardError::Unknown { .. }) => Ok(()),
            Err(error @ (GuardError::InnerName { .. } | GuardError::InnerAddress { .. })) => Err(error),
        }
    }

    /// A web in which `127.0.0.1` is public and names have these addresses.
    #[cfg(test)]
    pub(crate) fn for_tests(names: fn(&str) -> Vec<std::net::IpAddr>) -> Self {
        Self { guard: Guard::for_tests(names), ..Self::default() }
    }

    /// A web in which nothing is public but what is, and names have these addresses.
    #[cfg(test)]
    pub(crate) fn for_tests_strictly(names: fn(&str) -> Vec<std::net::IpAddr>) -> Self {
        Self { guard: Guard::with_names(names), ..Self::default() }
    }

    /// The same by way of the proxies of this environment.
    #[cfg(test)]
    pub(crate) fn through(self, proxies: Proxies) -> Self {
        Self { proxies, ..self }
    }
}

impl WebAnswer {
    /// The status code.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The status in words, where it is one of the known.
    pub fn reason(&self) -> &'static str {
        self.response.status().canonical_reason().unwrap_or_default()
    }

    /// What the body is said to be, with its character set.
    pub fn content_type(&self) -> Option<&str> {
        self.header(&CONTENT_TYPE)
    }

    /// How the body is packed, although it should not be.
    pub fn content_encoding(&self) -> Option<&str> {
        self.header(&CONTENT_ENCODING).filter(|packed| !packed.eq_ignore_ascii_case("identity"))
    }

    /// Where a redirect leads.
    pub fn location(&self) -> Option<&str> {
        self.header(&LOCATION)
    }

    /// When to ask again.
    pub fn retry_after(&self) -> Option<&str> {
        self.header(&RETRY_AFTER)
    }

    /// How many bytes the body is said to have.
    pub fn length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// Appends the next bytes of the body and says how many; `None` at its end.
    pub async fn read(&mut self, body: &mut Vec<u8>) -> Result<Option<usize>, WebError> {
        let chunk = self.response.chunk().await.map_err(|error| WebError::Broken {
            host: self.response.url().host_str().unwrap_or_default().to_owned(),
            why: deepest(&error),
        })?;
        Ok(chunk.map(|chunk| {
            body.extend_from_slice(&chunk);
            chunk.len()
        }))
    }

    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok().map(str::trim).filter(|value| !value.is_empty())
    }
}

/// What the guard said, if it was the guard; else what lies deepest.
fn unreached(url: &WebUrl, error: &reqwest::Error) -> WebError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(found) = cause {
        if let Some(said) = found.downcast_ref::<GuardError>() {
            return said.clone().into();
        }
        cause = found.source();
    }
    WebError::Unreached { host: url.host().to_owned(), why: deepest(error) }
}

fn deepest(error: &reqwest::Error) -> String {
    let mut deepest: &dyn Error = error;
    while let Some(cause) = deepest.source() {
        deepest = cause;
    }
    deepest.to_string()
}
