//! An address that was checked once: where requests go, and which saved keys belong to it.
//!
//! It may end in a query, as Azure's do. The surprising decision: an address has two forms, for a query can hold a key:
//! [`BaseUrl::as_str`] is what is asked and kept, `Display` and `Debug` are what may be shown.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::OPENAI;
use crate::os::env::is_secret_parameter;

/// Path that the program adds itself, and that some people copy along.
const CHAT_PATH: &str = "/chat/completions";

/// An address up to and including `/v1`: http or https, a host, no trailing slash, perhaps a query.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    authority: String,
    /// Whether a path that does not belong to it was taken off.
    shortened: bool,
}

/// A text that is no base URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{url}` is not a valid base URL: {why} (try {hint})")]
pub struct BadUrl {
    url: String,
    why: &'static str,
    hint: String,
}

impl BaseUrl {
    /// The address, without a trailing slash and with its query: for the wire and for the file, not for a screen.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Host, with the port where it is given and not the scheme's own: what a screen names.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Scheme and authority (RFC 6454): a key for one origin is not sent to another.
    pub fn origin(&self) -> &str {
        let end = self.scheme().len() + "://".len() + self.authority.len();
        self.text.get(..end).unwrap_or(&self.text)
    }

    fn scheme(&self) -> &str {
        self.text.split_once("://").map_or("", |(scheme, _)| scheme)
    }

    /// Whether nobody between here and the host can read what is sent.
    pub fn is_private(&self) -> bool {
        self.scheme() == "https" || self.is_loopback()
    }

    /// What its query hides.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        let query = self.text.split_once('?').map_or("", |(_, query)| query);
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| is_secret_parameter(name)).map(|(_, value)| value)
    }

    /// Whether a path that the program adds itself was taken off.
    pub fn was_shortened(&self) -> bool {
        self.shortened
    }

    /// Whether it is this machine.
    pub fn is_loopback(&self) -> bool {
        let host = host_part(&self.authority);
        if let Some(address) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            let address = address.parse::<Ipv6Addr>().map(|address| address.to_canonical());
            return address.is_ok_and(|address| address.is_loopback());
        }
        let by_name = host == "localhost" || host.ends_with(".localhost");
        by_name || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
    }

    /// Whether it is `OpenAI`'s own, over https.
    pub fn is_openai(&self) -> bool {
        self.origin() == "https://api.openai.com"
    }
}

impl FromStr for BaseUrl {
    type Err = BadUrl;

    fn from_str(given: &str) -> Result<Self, BadUrl> {
        let url = given.trim();
        let bad = |why, hint: String| BadUrl { url: shown(url), why, hint };
        let example = || OPENAI.to_owned();
        if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(bad("it contains a space or a line break", example()));
        }
        let Some((scheme, rest)) = url.split_once("://") else {
            return Err(bad("it does not begin with http:// or https://", with_scheme(url)));
        };
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(bad("only http and https are supported", example()));
        }
        if rest.contains('#') {
            return Err(bad("it contains `#`", example()));
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.contains('@') {
            return Err(bad(
                "it contains a user name or a key",
                "the URL without it, and the key in CLAWD_API_KEY".to_owned(),
            ));
        }
        let authority = checked_authority(&scheme, authority).map_err(|why| bad(why, example()))?;
        let path = path.trim_matches('/');
        let full = if path.is_empty() { String::new() } else { format!("/{path}") };
        let short = full.strip_suffix(CHAT_PATH);
        let kept = short.unwrap_or(&full).trim_end_matches('/');
        let address = format!("{scheme}://{authority}{kept}");
        let text = if query.is_empty() { address } else { format!("{address}?{query}") };
        Ok(Self { text, authority, shortened: short.is_some() })
    }
}

/// Without what a query may hide.
impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.text))
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BaseUrl({self})")
    }
}

/// A rejected address as it may be shown: without what stands before `@` either.
fn shown(url: &str) -> String {
    let after = url.rsplit_once('@').map(|(_, host)| without_secrets(host));
    after.map_or_else(|| without_secrets(url), |host| format!("…@{host}"))
}

/// An address without the secrets of its query.
fn without_secrets(url: &str) -> String {
    let Some((address, query)) = url.split_once('?') else { return url.to_owned() };
    let pairs: Vec<String> = query.split('&').map(shown_pair).collect();
    format!("{address}?{}", pairs.join("&"))
}

fn shown_pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) if !value.is_empty() && is_secret_parameter(name) => format!("{name}=***"),
        Some(_) | None => pair.to_owned(),
    }
}

/// What may have been meant by an address without a scheme.
fn with_scheme(url: &str) -> String {
    let url = url.rsplit_once('@').map_or(url, |(_, host)| host).trim_start_matches('/');
    let is_local = ["localhost", "127.", "[::1]"].iter().any(|local| url.starts_with(local));
    let scheme = if is_local { "http" } else { "https" };
    if url.is_empty() { OPENAI.to_owned() } else { without_secrets(&format!("{scheme}://{url}")) }
}

fn host_part(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        Some(_) | None => authority,
    }
}

/// Host and port in lower case, the scheme's own port left out.
fn checked_authority(scheme: &str, authority: &str) -> Result<String, &'static str> {
    let authority = authority.to_lowercase();
    let host = host_part(&authority);
    let is_v6 = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|host| host.parse::<Ipv6Addr>().is_ok());
    if host.is_empty() {
        return Err("it has no host");
    }
    if !is_v6 && !host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_')) {
        return Err("its host is not valid");
    }
    let Some(port) = authority.strip_prefix(host).and_then(|rest| rest.strip_prefix(':')) else {
        return Ok(authority);
    };
    match (scheme, port.parse::<u16>()) {
        (_, Err(_) | Ok(0)) => Err("its port is not valid"),
        ("http", Ok(80)) | ("https", Ok(443)) => Ok(host.to_owned()),
        (_, Ok(port)) => Ok(format!("{host}:{port}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_brought_into_one_form() {
        let check = |given: &str, text: &str, authority: &str| {
            let url: BaseUrl = given.parse().unwrap();
            assert_eq!((url.as_str(), url.authority()), (text, authority), "{given}");
        };
        check(OPENAI, OPENAI, "api.openai.com");
        check(" http://127.0.0.1:11434/v1/ \n", "http://127.0.0.1:11434/v1", "127.0.0.1:11434");
        check("HTTPS://Api.Example.com:443", "https://api.example.com", "api.example.com");
        check("http://[::1]:8080/v1", "http://[::1]:8080/v1", "[::1]:8080");
        check("http://[::1]", "http://[::1]", "[::1]");
        check("https://x.y/a/b//", "https://x.y/a/b", "x.y");
        check("https://x.y/v1/chat/completions/", "https://x.y/v1", "x.y");
        check("https://x.y/chat/completions", "https://x.y", "x.y");
        check("https://x.y/v1/?a=b&c", "https://x.y/v1?a=b&c", "x.y");
        check("https://x.y?a=b", "https://x.y?a=b", "x.y");
        check("https://x.y/v1?", "https://x.y/v1", "x.y");
        check(
            "https://R.openai.azure.com/openai/deployments/D/chat/completions?api-version=2024-10-21",
            "https://r.openai.azure.com/openai/deployments/D?api-version=2024-10-21",
            "r.openai.azure.com",
        );
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let check = |given: &str, expected: &str| {
            assert_eq!(given.parse::<BaseUrl>().unwrap().origin(), expected, "{given}");
        };
        check("https://X.y:443/v1?a=b", "https://x.y");
        check("http://x.y:443/v1", "http://x.y:443");
        check("http://[::1]:8080", "http://[::1]:8080");
        check("HTTP://x.y?a=http://z", "http://x.y");
    }

    #[test]
    fn a_copied_path_is_noticed() {
        let shortened = |url: &str| url.parse::<BaseUrl>().unwrap().was_shortened();
        assert!(shortened("https://x.y/v1/chat/completions"));
        assert!(shortened("https://x.y/v1/chat/completions?api-version=1"));
        assert!(!shortened("https://x.y/v1/"));
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_better_one() {
        let check = |given: &str, expected: &str| {
            assert_eq!(given.parse::<BaseUrl>().unwrap_err().to_string(), expected);
        };
        check(
            "localhost:11434/v1",
            "`localhost:11434/v1` is not a valid base URL: it does not begin with http:// or https:// (try \
             http://localhost:11434/v1)",
        );
        check(
            "",
            "`` is not a valid base URL: it does not begin with http:// or https:// (try \
             https://api.openai.com/v1)",
        );
        check(
            "ftp://x/v1",
            "`ftp://x/v1` is not a valid base URL: only http and https are supported (try \
             https://api.openai.com/v1)",
        );
        check(
            "http:///v1",
            "`http:///v1` is not a valid base URL: it has no host (try https://api.openai.com/v1)",
        );
        check(
            "https://u:secret@x.y/v1",
            "`…@x.y/v1` is not a valid base URL: it contains a user name or a key (try the URL without it, \
             and the key in CLAWD_API_KEY)",
        );
        for bad in [
            "http://x y/v1",
            "http://x:99999/v1",
            "http://x:0",
            "http://x/v1#a",
            "http://?a=b",
            "http://a:b:c/",
            "http://[::zz]/",
        ] {
            assert!(bad.parse::<BaseUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_secret_in_the_query_is_sent_but_never_shown() {
        let check = |given: &str, expected: &str| {
            let url: BaseUrl = given.parse().unwrap();
            assert_eq!((url.as_str(), url.to_string().as_str()), (given, expected));
            assert_eq!(format!("{url:?}"), format!("BaseUrl({expected})"));
        };
        check("https://x.y/v1?api-version=1", "https://x.y/v1?api-version=1");
        check("https://x.y/v1?api-version=1&key=hidden&z=2", "https://x.y/v1?api-version=1&key=***&z=2");
        check("https://x.y/v1?sig=hidden&code=hidden", "https://x.y/v1?sig=***&code=***");
        check("https://x.y/v1?Subscription-Key=hidden", "https://x.y/v1?Subscription-Key=***");
        check("https://x.y/v1?a=b@c&monkey=1&key=", "https://x.y/v1?a=b@c&monkey=1&key=");
        for bad in [
            "x.y/v1?key=hidden",
            "ftp://x.y/v1?sig=hidden",
            "https://u:hidden@x.y/v1?key=hidden",
            "u:hidden@x.y/v1",
            "https://x.y/v1?code=hidden#a",
        ] {
            let error = bad.parse::<BaseUrl>().unwrap_err();
            assert!(
                !error.to_string().contains("hidden") && !format!("{error:?}").contains("hidden"),
                "{error}"
            );
        }
    }

    #[test]
    fn this_machine_is_told_from_others() {
        let check = |url: &str, expected: bool| {
            assert_eq!(url.parse::<BaseUrl>().unwrap().is_loopback(), expected, "{url}");
        };
        check("http://localhost:1/v1", true);
        check("http://api.localhost/v1", true);
        check("http://127.8.8.8/v1", true);
        check("http://[::1]:1/v1", true);
        check("http://[::ffff:127.0.0.1]/v1", true);
        check("http://127.0.0.1.example.com/v1", false);
        check("http://localhost.example.com/v1", false);
        check("http://notlocalhost/v1", false);
        check("http://10.0.0.1/v1", false);
        check("http://[::2]/v1", false);
    }
}
