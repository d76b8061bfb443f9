//! The hosts of `WebFetch(domain:HOST)`: read, and compared with the host of an address.
//!
//! `example.com` is that host and all below it, as `*.example.com` is; below means behind a dot, so `notexample.com` is
//! another. The surprise: addresses are read here without a parser. What is judged is the address in the form in which it will
//! be asked (lower case, ASCII, no login), and what is not of that form is covered by no rule that allows.

use super::rule::Use;

/// The hosts that a rule names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hosts {
    /// `*`.
    All,
    /// A host and all below it, in lower case, without a dot at either end; an address of IPv6 in brackets.
    Domain(String),
}

/// Why a text names no hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoHosts {
    /// It is no host.
    Form,
    /// It has letters that addresses are not asked with.
    Letters,
}

impl Hosts {
    /// Reads what stands behind `domain:`.
    pub(super) fn parse(text: &str) -> Result<Self, NoHosts> {
        let name = text.trim();
        if name == "*" {
            return Ok(Self::All);
        }
        let name = name.strip_prefix("*.").unwrap_or(name).trim_matches('.').to_ascii_lowercase();
        if !name.is_ascii() {
            return Err(NoHosts::Letters);
        }
        let is_v6 = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(|inner| {
            !inner.is_empty() && inner.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'))
        });
        let is_name = || name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if is_v6 || (!name.is_empty() && is_name()) { Ok(Self::Domain(name)) } else { Err(NoHosts::Form) }
    }

    /// Whether an address is asked of one of these hosts. Where it has a login before its host (`https://good@evil`), it is
    /// covered by rules that hold back alone.
    pub(super) fn cover(&self, url: &str, usage: Use) -> bool {
        let Some(authority) = authority(url) else { return false };
        let Some(found) = host_of(url) else { return false };
        let is_plain = !authority.contains('@');
        let is_covered = match self {
            Self::All => true,
            Self::Domain(domain) => {
                let above = found.strip_suffix(domain.as_str());
                above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            }
        };
        is_covered && (is_plain || usage == Use::HoldBack)
    }
}

/// The host of an address, in lower case; `None` where the address is not of the common form.
pub(super) fn host_of(url: &str) -> Option<String> {
    let host = authority(url)?.rsplit('@').next()?;
    let host = match host.split_once(']') {
        Some((inner, _port)) => format!("{inner}]"),
        None => host.split_once(':').map_or(host, |(name, _port)| name).trim_end_matches('.').to_owned(),
    };
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

/// What stands between the scheme and the path.
fn authority(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let is_odd = url.contains(|c: char| c.is_whitespace() || c.is_control());
    if !matches!(scheme, "http" | "https") || is_odd {
        return None;
    }
    rest.split(['/', '?', '#', '\\']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_as_people_write_them() {
        let domain = |name: &str| Ok(Hosts::Domain(name.to_owned()));
        let check =
            |text: &str, expected: Result<Hosts, NoHosts>| assert_eq!(Hosts::parse(text), expected, "{text}");
        check(" Example.COM. ", domain("example.com"));
        check("*.example.com", domain("example.com"));
        check(".example.com", domain("example.com"));
        check("*", Ok(Hosts::All));
        check("93.184.216.34", domain("93.184.216.34"));
        check("[2606:4700::1]", domain("[2606:4700::1]"));
        check("xn--bcher-kva.example", domain("xn--bcher-kva.example"));
        check("b\u{fc}cher.example", Err(NoHosts::Letters));
        for text in
            ["", ".", "*.", "a b", "a/b", "a:80", "user@a", "ex*mple.com", "*.*.com", "[]", "[x]", "a,b"]
        {
            check(text, Err(NoHosts::Form));
        }
    }

    #[test]
    fn a_host_is_covered_with_all_that_is_below_it() {
        let check = |hosts: &str, url: &str, allowed: bool, held_back: bool| {
            let hosts = Hosts::parse(hosts).unwrap();
            let found = [Use::Allow, Use::HoldBack].map(|usage| hosts.cover(url, usage));
            assert_eq!(found, [allowed, held_back], "{hosts:?} {url}");
        };
        for hosts in ["example.com", "*.example.com", "EXAMPLE.com."] {
            check(hosts, "https://example.com/a", true, true);
            check(hosts, "http://example.com:8443?x", true, true);
            check(hosts, "https://EXAMPLE.com.", true, true);
            check(hosts, "https://www.example.com/a@b", true, true);
            check(hosts, "https://a.b.example.com", true, true);
            check(hosts, "https://notexample.com", false, false);
            check(hosts, "https://example.com.evil.org", false, false);
            check(hosts, "https://evil.org/example.com", false, false);
            check(hosts, "https://evil.org?.example.com", false, false);
            check(hosts, "https://evil.org#.example.com", false, false);
            check(hosts, "https://evil.org\\.example.com", false, false);
            check(hosts, "https://evil.org:80.example.com", false, false);
            check(hosts, "https://example.com@evil.org/", false, false);
            check(hosts, "https://evil.org@example.com/", false, true);
            check(hosts, "https://evil.org\\@example.com/", false, false);
            check(hosts, "file://example.com/", false, false);
            check(hosts, "https://example.com /", false, false);
            check(hosts, "example.com", false, false);
        }
        check("*", "https://anything.example", true, true);
        check("*", "file:///etc/passwd", false, false);
        check("com", "https://example.com", true, true);
        check("www.example.com", "https://example.com", false, false);
        check("[2606:4700::1]", "https://[2606:4700::1]:8443/x", true, true);
        check("[2606:4700::1]", "https://[2606:4700::11]/x", false, false);
        check("8.8.8.8", "https://8.8.8.8/", true, true);
    }
}
