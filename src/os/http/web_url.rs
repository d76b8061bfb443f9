//! The address of a page: `http` or `https`, a host, and nobody's name or password.
//!
//! Not a judgement of where it leads: that is the [guard](super::guard)'s. The surprise: the host is the one that will be
//! asked, not the one that was written. Foreign letters are in their ASCII form, `0x7f.1` and `2130706433` are the
//! `127.0.0.1` that they mean, so that whoever judges the text judges the place.

use std::fmt;

use reqwest::Url;

/// Servers take 8,000 bytes (RFC 9110, 4.1); what is longer carries something else than an address.
const LONGEST: usize = 8_000;
/// What an error shows of an address.
const SHOWN: usize = 200;

/// The address of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebUrl(Url);

/// Why a text is no address of a page. The text is shown without its end where it is long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebUrlError {
    /// It cannot be read.
    #[error("`{text}` is not a valid URL: {why} (try `https://example.com/page`)")]
    Unreadable {
        /// As given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// `file:`, `ftp:`, `data:`.
    #[error("cannot fetch `{scheme}:` URLs: only http and https are supported (use Read for files)")]
    Scheme {
        /// Its scheme.
        scheme: String,
    },
    /// `https://name:password@host`.
    #[error("cannot fetch a URL that contains a user name or a password (remove it: no login is sent)")]
    Login,
    /// Longer than any page's.
    #[error("cannot fetch a URL of {0} bytes: the limit is {LONGEST}")]
    TooLong(usize),
}

impl WebUrl {
    /// Reads an address; without a scheme it is taken for `https`.
    pub fn parse(text: &str) -> Result<Self, WebUrlError> {
        let text = text.trim();
        match Url::parse(text) {
            // `example.com/page` is what people write
            Err(_) if !text.is_empty() && !text.contains(':') => {
                Self::checked(Url::parse(&format!("https://{text}")), text)
            }
            parsed => Self::checked(parsed, text),
        }
    }

    /// The address that `reference`, of a redirect, names from here.
    pub fn join(&self, reference: &str) -> Result<Self, WebUrlError> {
        Self::checked(self.0.join(reference.trim()), reference)
    }

    /// Where a link in the page at this address leads, written out; none where no page and no letter box can be
    /// there, or where it is a place in the page itself.
    pub fn link(&self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        if reference.is_empty() || reference.starts_with('#') {
            return None;
        }
        let url = self.0.join(reference).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then(|| url.into())
    }

    fn checked<E: fmt::Display>(parsed: Result<Url, E>, text: &str) -> Result<Self, WebUrlError> {
        if text.len() > LONGEST {
            return Err(WebUrlError::TooLong(text.len()));
        }
        let unreadable = |why: &str| {
            let text: String = text.chars().take(SHOWN).collect();
            WebUrlError::Unreadable { text, why: why.to_owned() }
        };
        let url = parsed.map_err(|error| unreadable(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(WebUrlError::Scheme { scheme: url.scheme().to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(WebUrlError::Login);
        }
        if url.host_str().is_none_or(|host| host.trim_matches('.').is_empty()) {
            return Err(unreadable("it has no host"));
        }
        Ok(Self(url))
    }

    /// The address, in ASCII.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The host in lower case, without a dot at its end; IPv6 in brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_end_matches('.')
    }

    pub(super) fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        WebUrl::parse(text).map_or_else(|error| error.to_string(), |url| url.to_string())
    }

    #[test]
    fn an_address_is_read_as_people_and_models_write_it() {
        let check = |text: &str, expected: &str| assert_eq!(read(text), expected, "{text}");
        check(" https://Example.COM/a b?c#d ", "https://example.com/a%20b?c#d");
        check("example.com/page", "https://example.com/page");
        check("HTTP://example.com:8080", "http://example.com:8080/");
        check("https:example.com", "https://example.com/");
        check("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/");
        check("http://\u{ff11}27.0.0.1/", "http://127.0.0.1/");
        for odd in ["2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.1."] {
            check(&format!("http://{odd}/"), "http://127.0.0.1/");
        }
        check("http://[::FFFF:7f00:1]/", "http://[::ffff:7f00:1]/");
        check("http://good\\@evil.example/", "http://good/@evil.example/");
    }

    #[test]
    fn what_is_no_page_is_refused_with_how_to_mend_it() {
        let check = |text: &str, expected: &str| {
            assert!(read(text).contains(expected), "{text}: {}", read(text));
        };
        for scheme in
            ["file:///etc/passwd", "ftp://x.y", "gopher://x.y", "data:text/html,x", "javascript:alert(1)"]
        {
            let name = scheme.split(':').next().unwrap();
            check(scheme, &format!("cannot fetch `{name}:` URLs: only http and https"));
        }
        check("FILE:/etc/passwd", "cannot fetch `file:` URLs");
        check("example.com:80/x", "cannot fetch `example.com:` URLs");
        check("http://good@evil.example/", "user name or a password");
        check("http://:secret@evil.example/", "user name or a password");
        check("", "is not a valid URL");
        check("http://", "empty host");
        check("http://./", "it has no host");
        check("http://[fe80::1%25eth0]/", "invalid IPv6 address");
        check("http://1.2.3.4.5/", "invalid IPv4 address");
        check("http://exa mple.com/", "invalid international domain name");
        check(&format!("http://x.y/{}", "a".repeat(8_000)), "the limit is 8000");
        assert!(!read("http://me:hidden@x.y").contains("hidden"));
    }

    #[test]
    fn a_redirect_leads_from_where_it_stands() {
        let from = WebUrl::parse("https://a.example/x/y?z").unwrap();
        let check = |reference: &str, expected: &str| {
            let joined = from.join(reference);
            let found = joined.map_or_else(|error| error.to_string(), |url| url.to_string());
            assert!(found.contains(expected), "{reference}: {found}");
        };
        check("/z", "https://a.example/z");
        check("z", "https://a.example/x/z");
        check("//b.example/z", "https://b.example/z");
        check("file:///etc/passwd", "cannot fetch `file:` URLs");
        check("https://u@b.example", "user name or a password");
    }

    #[test]
    fn links_are_written_out_where_they_lead_somewhere() {
        let page = WebUrl::parse("https://a.example/x/y?z").unwrap();
        let check = |reference: &str, expected: Option<&str>| {
            assert_eq!(page.link(reference).as_deref(), expected, "{reference}");
        };
        check("../z#part", Some("https://a.example/z#part"));
        check("?q", Some("https://a.example/x/y?q"));
        check("mailto:a@b.example", Some("mailto:a@b.example"));
        check("#part", None);
        check("javascript:void(0)", None);
        check("data:text/plain,x", None);
        check("http://[", None);
    }
}
