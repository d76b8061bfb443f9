//! Where requests go, and what goes along in their head.
//!
//! Everything is checked when the endpoint is made, so that no later step can fail on a bad key or address; and it knows
//! what must never be read: [`Endpoint::redact`] takes keys out of whatever the other side says. It sends nothing.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::{ChatError, Remedy, Stage};
use crate::chat::request::compat::KeyHeader;
use crate::os::env::is_secret_parameter;
use crate::os::http::{self, HttpOptions, Proxies, Roots};
use crate::text::redact::{Hide, Redactor};

/// A key, and what to call it. Its debug form shows only the name.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Where it came from, for error texts: a variable, an option, a file.
    pub name: String,
    /// The key.
    pub secret: String,
}

/// An address with its head. Its debug form shows only the host.
#[derive(Clone)]
pub struct Endpoint {
    /// Without a slash at its end and without a query.
    base: String,
    host: String,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    key_name: Option<String>,
    redactor: Arc<Redactor>,
}

/// How connections are made.
#[derive(Debug, Clone)]
pub struct Connections {
    /// Longest wait for a connection.
    pub timeout: Duration,
    /// The environment's proxies.
    pub proxies: Proxies,
    /// Whom to trust besides the system's certificates.
    pub roots: Roots,
}

impl Endpoint {
    /// Checks all three. A base URL may end in a slash or in `/chat/completions`, and may have a query, which is sent with
    /// every request.
    pub fn new(
        base_url: &str,
        key: Option<&ApiKey>,
        headers: &[(String, String)],
    ) -> Result<Self, ChatError> {
        let url = parse_url(base_url)?;
        let mut secrets: Vec<String> = url.password().map(str::to_owned).into_iter().collect();
        secrets.extend(secrets_of_query(&url));
        let (mut map, host) = (HeaderMap::new(), host_of(&url));
        if let Some(key) = key {
            let (name, value) = key_header(key, KeyHeader::of_host(&host))?;
            map.insert(name, value);
            secrets.push(key.secret.trim().to_owned());
        }
        for (name, value) in headers {
            map.insert(header_name(name)?, header_value(value, &format!("the value of the header {name}"))?);
            secrets.extend(secrets_of_value(value));
        }
        let query = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let key_name = key.map(|key| key.name.clone());
        let redactor = Arc::new(Redactor::new(secrets, []));
        Ok(Self { base: base_of(&url), host, query, headers: map, key_name, redactor })
    }

    /// The full address of `path`, which begins with a slash; without the query.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The address that paths are added to.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Host, and port where it is not the usual one: what a person is told.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What goes behind the `?` of every address.
    #[must_use]
    pub fn query(&self) -> &[(String, String)] {
        &self.query
    }

    /// What goes into the head of every request, the key included.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// What to call the key; none where none is sent.
    #[must_use]
    pub fn key_name(&self) -> Option<&str> {
        self.key_name.as_deref()
    }

    /// What to call whatever says who asks: the key, or a header of the user's own; none where nothing does.
    #[must_use]
    pub fn credential(&self) -> Option<&str> {
        let own =
            ["authorization", "api-key", "x-api-key"].iter().any(|name| self.headers.contains_key(*name));
        self.key_name().or(own.then_some("the configured headers"))
    }

    /// A client for this endpoint. Building it costs milliseconds for `https`: keep it.
    pub fn client(&self, connections: Connections) -> Result<reqwest::Client, ChatError> {
        let options = HttpOptions {
            url: parse_url(&self.base)?,
            connect_timeout: connections.timeout,
            // Silence is measured where the answer is read: it may be long before the first byte only.
            idle_timeout: None,
            roots: connections.roots,
            proxies: connections.proxies,
        };
        let unable = |error: http::HttpError| ChatError::new(Remedy::GiveUp, error.to_string());
        http::client(&options).map_err(|error| unable(error).at(Stage::Connect))
    }

    /// `error` without any secret in its text.
    #[must_use]
    pub fn redact(&self, mut error: ChatError) -> ChatError {
        self.redactor.redact_in(&mut error.message, Hide::Keys);
        error
    }
}

/// What lies behind an error, the innermost last. Without addresses: they may hold a password.
pub(super) fn causes(error: reqwest::Error) -> Vec<String> {
    let error = error.without_url();
    let mut causes = vec![error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    causes
}

fn parse_url(base_url: &str) -> Result<Url, ChatError> {
    let wrong = |why: &str| {
        let message = format!("cannot use base_url: {why} (try http://127.0.0.1:11434/v1)");
        ChatError::new(Remedy::GiveUp, message)
    };
    let url = Url::parse(base_url.trim()).map_err(|error| wrong(&error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(wrong(&format!("{other} is not http or https"))),
    }
}

fn base_of(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let base = url.as_str().trim_end_matches('/');
    base.strip_suffix("/chat/completions").unwrap_or(base).to_owned()
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// What a query hides, as it was written and as it reads: an error may repeat either.
fn secrets_of_query(url: &Url) -> Vec<String> {
    let written = url.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let written = written.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let read = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned()));
    written.chain(read).filter(|(name, _)| is_secret_parameter(name)).map(|(_, value)| value).collect()
}

/// A header's value, and what in it looks like a key: the other side may repeat the key without the `Bearer` before it.
fn secrets_of_value(value: &str) -> Vec<String> {
    let looks_so = |word: &&str| !word.chars().all(char::is_alphabetic);
    let words = value.split_whitespace().filter(looks_so);
    words.chain([value.trim()]).map(str::to_owned).collect()
}

fn key_header(key: &ApiKey, header: KeyHeader) -> Result<(HeaderName, HeaderValue), ChatError> {
    let secret = key.secret.trim();
    if secret.is_empty() {
        let message = format!("the key in {} is empty (set it, or unset the variable)", key.name);
        return Err(ChatError::new(Remedy::NextKey, message));
    }
    let (name, value) = match header {
        KeyHeader::Bearer => (AUTHORIZATION, format!("Bearer {secret}")),
        KeyHeader::ApiKey => (HeaderName::from_static("api-key"), secret.to_owned()),
    };
    Ok((name, header_value(&value, &format!("the key in {}", key.name))?))
}

fn header_name(name: &str) -> Result<HeaderName, ChatError> {
    HeaderName::try_from(name).map_err(|_invalid| {
        ChatError::new(Remedy::GiveUp, format!("{name:?} is not a valid header name (see headers)"))
    })
}

/// `what` names it in the error: the value itself may be a secret.
fn header_value(value: &str, what: &str) -> Result<HeaderValue, ChatError> {
    let fits = |value: &&str| value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let checked = Some(value.trim()).filter(fits).and_then(|value| HeaderValue::from_str(value).ok());
    let mut value = checked.ok_or_else(|| {
        let why = "contains a character that headers do not allow, such as a line break or an accent";
        ChatError::new(Remedy::NextKey, format!("{what} {why} (set it again)"))
    })?;
    value.set_sensitive(true);
    Ok(value)
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("host", &self.host).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: &str) -> ApiKey {
        ApiKey { name: "THE_KEY".into(), secret: secret.into() }
    }

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        #[track_caller]
        fn check(base_url: &str, url: &str, host: &str) {
            let endpoint = Endpoint::new(base_url, None, &[]).unwrap();
            assert_eq!((endpoint.url("/models").as_str(), endpoint.host()), (url, host));
        }
        check("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/models", "127.0.0.1:8080");
        check(" https://a.example/v1/ ", "https://a.example/v1/models", "a.example");
        check("https://a.example/v1/chat/completions", "https://a.example/v1/models", "a.example");
        check("https://a.example", "https://a.example/models", "a.example");
        let azure = Endpoint::new("https://a.example/x?api-version=1", None, &[]).unwrap();
        assert_eq!(azure.url("/y"), "https://a.example/x/y");
        assert_eq!(azure.query(), [("api-version".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn what_cannot_be_sent_is_refused_without_showing_a_secret() {
        #[track_caller]
        fn check(base_url: &str, secret: &str, header: (&str, &str), words: &str) {
            let headers = [(header.0.to_owned(), header.1.to_owned())];
            let message = Endpoint::new(base_url, Some(&key(secret)), &headers).unwrap_err().message;
            assert!(message.contains(words), "{message}");
            assert!(!message.contains("hidden"), "{message}");
        }
        check("not a url", "k", ("a", "b"), "cannot use base_url");
        check("ftp://x.example", "k", ("a", "b"), "not http or https");
        check("http://x.example", "hidden\nhidden", ("a", "b"), "the key in THE_KEY contains a character");
        check("http://x.example", "hiddené", ("a", "b"), "the key in THE_KEY contains a character");
        check("http://x.example", " \n", ("a", "b"), "is empty");
        check("http://x.example", "k", ("a b", "c"), "is not a valid header name");
        check("http://x.example", "k", ("a", "hidden\0"), "the value of the header a");
    }

    #[test]
    fn a_key_with_space_around_it_is_sent_without() {
        let endpoint = Endpoint::new("http://x.example", Some(&key(" sk-1\n")), &[]).unwrap();
        assert_eq!(endpoint.headers().get(AUTHORIZATION).unwrap(), "Bearer sk-1");
    }

    #[test]
    fn azure_gets_its_key_in_a_header_of_its_own() {
        let base_url =
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21";
        let azure = Endpoint::new(base_url, Some(&key("sk-1")), &[]).unwrap();
        assert_eq!(
            azure.url("/chat/completions"),
            "https://r.openai.azure.com/openai/deployments/d/chat/completions"
        );
        assert_eq!(azure.query(), [("api-version".to_owned(), "2024-10-21".to_owned())]);
        assert_eq!(
            (azure.headers().len(), azure.headers().get("api-key").unwrap()),
            (1, &"sk-1".parse().unwrap())
        );
        let newer = Endpoint::new("https://r.openai.azure.com/openai/v1", Some(&key("sk-1")), &[]).unwrap();
        assert_eq!(newer.url("/models"), "https://r.openai.azure.com/openai/v1/models");
    }

    #[test]
    fn a_header_of_the_user_wins_over_the_keys_own() {
        let headers = [("Authorization".to_owned(), "Basic abc".to_owned())];
        let endpoint = Endpoint::new("http://x.example", Some(&key("sk-1")), &headers).unwrap();
        assert_eq!(endpoint.headers().get_all(AUTHORIZATION).iter().collect::<Vec<_>>(), ["Basic abc"]);
        assert_eq!(endpoint.credential(), Some("THE_KEY"));
        let keyless = |headers: &[(String, String)]| {
            Endpoint::new("http://x.example", None, headers).unwrap().credential().map(str::to_owned)
        };
        assert_eq!((keyless(&headers).as_deref(), keyless(&[])), (Some("the configured headers"), None));
    }

    #[test]
    fn no_secret_is_ever_said() {
        let headers =
            [("x-other", "other-secret"), ("x-team", "core"), ("x-token", "Bearing 0123-456 assistants")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let base_url = "http://me:password1@x.example/v1?sig=a%2Fsignature&api-version=2024-10-21";
        let endpoint = Endpoint::new(base_url, Some(&key("sk-12345678")), &headers).unwrap();
        let error = ChatError::new(
            Remedy::GiveUp,
            "core: 0123-456 assistants sk-12345678 other-secret password1 a/signature a%2Fsignature 2024-10-21",
        );
        let expected = "core: [redacted key] assistants [redacted key] [redacted key] [redacted key] [redacted key] [redacted key] 2024-10-21";
        assert_eq!(endpoint.redact(error).message, expected);
        let shown = format!("{:?} {:?}", endpoint, key("sk-12345678"));
        assert!(!shown.contains("sk-12345678"), "{shown}");
    }
}
