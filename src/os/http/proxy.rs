//! Which proxy stands before an address: the rules of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
//!
//! The variables come from the [`Env`] value, not from the environment behind our back. The surprise: the rules are not
//! left to `reqwest`, which sends a request directly where it cannot read a proxy's address, and knows no ports in
//! `NO_PROXY`. A proxy that somebody set for their traffic is used, or named as broken.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

use super::HttpError;
use crate::os::env::Env;

/// The schemes of proxies that are spoken.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// The proxies that the environment names; shown without their addresses, which may hold passwords.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// By the variable's upper-case name.
    found: Vec<(&'static str, String)>,
    except: Vec<Exception>,
}

/// An entry of `NO_PROXY`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exception {
    hosts: Hosts,
    /// Any where there is none.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    All,
    /// A domain and what is below it, in lower case, without dots around it.
    Domain(String),
    /// The addresses that begin with so many bits of this one.
    Network(IpAddr, u8),
}

impl Proxies {
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, or the same in lower case, which comes first.
    pub fn from_env(env: &Env) -> Self {
        let value = |name: &str| env.text(&name.to_ascii_lowercase()).or_else(|| env.text(name));
        let found = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"]
            .into_iter()
            .filter_map(|name| Some((name, value(name)?.trim().to_owned())))
            .filter(|(_, url)| !url.is_empty())
            .collect();
        let except = value("NO_PROXY").unwrap_or_default();
        let except = except.split(|c: char| c == ',' || c.is_whitespace()).filter_map(Exception::parse);
        Self { found, except: except.collect() }
    }

    /// The proxy for `target`; none where it is asked directly, as this machine always is.
    pub(super) fn route(&self, target: &Url) -> Result<Option<Url>, HttpError> {
        let own = if target.scheme() == "https" { "HTTPS_PROXY" } else { "HTTP_PROXY" };
        let named = |name: &str| self.found.iter().find(|(variable, _)| *variable == name);
        let Some((variable, url)) = named(own).or_else(|| named("ALL_PROXY")) else { return Ok(None) };
        let host = host_of(target);
        let port = target.port_or_known_default();
        if is_this_machine(&host) || self.except.iter().any(|exception| exception.covers(&host, port)) {
            return Ok(None);
        }
        address(url).map(Some).map_err(|why| HttpError::Proxy { variable, why })
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.found.iter().map(|(variable, _)| *variable).collect();
        f.debug_struct("Proxies").field("found", &names).field("except", &self.except).finish()
    }
}

/// A proxy's address; `http` where it says no scheme. The error does not repeat it.
fn address(text: &str) -> Result<Url, String> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let mut url = Url::parse(&whole).map_err(|error| error.to_string())?;
    if !SCHEMES.contains(&url.scheme()) {
        return Err("it must begin with http, https, socks5 or socks5h".to_owned());
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("it has no host".to_owned());
    }
    url.set_path("");
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

/// The host in lower case, without brackets and without a dot at its end.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// No proxy could reach it anyway.
fn is_this_machine(host: &str) -> bool {
    let is_own = |address: IpAddr| {
        let address = address.to_canonical();
        address.is_loopback() || address.is_unspecified()
    };
    host == "localhost" || host.ends_with(".localhost") || host.parse().is_ok_and(is_own)
}

impl Exception {
    fn parse(entry: &str) -> Option<Self> {
        let entry = entry.trim().to_ascii_lowercase();
        if entry.is_empty() {
            return None;
        }
        let (host, port) = with_port(&entry);
        let name = host.strip_prefix("*.").unwrap_or(host).trim_matches('.');
        let hosts = match network(host) {
            Some((address, bits)) => Hosts::Network(address, bits),
            None if host == "*" => Hosts::All,
            None => Hosts::Domain(name.to_owned()),
        };
        Some(Self { hosts, port })
    }

    fn covers(&self, host: &str, port: Option<u16>) -> bool {
        let hosts = match &self.hosts {
            Hosts::All => true,
            Hosts::Domain(domain) => {
                let above = host.strip_suffix(domain.as_str());
                !domain.is_empty() && above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            }
            Hosts::Network(network, bits) => {
                host.parse().is_ok_and(|address: IpAddr| begins_with(address, *network, *bits))
            }
        };
        hosts && (self.port.is_none() || self.port == port)
    }
}

/// An entry's host and port; an address of IPv6 has a port only behind brackets.
fn with_port(entry: &str) -> (&str, Option<u16>) {
    if let Some((host, port)) = entry.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (host, port.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match entry.split_once(':') {
        Some((host, port)) if !port.contains(':') => (host, port.parse().ok()),
        Some(_) | None => (entry, None),
    }
}

/// `10.0.0.0/8`, or one address.
fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.parse().ok()?;
    let all = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.map_or(Some(all), |bits| bits.parse().ok())?;
    (bits <= all).then_some((address, bits))
}

fn begins_with(address: IpAddr, network: IpAddr, bits: u8) -> bool {
    let differ = match (address.to_canonical(), network) {
        (IpAddr::V4(one), IpAddr::V4(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros(),
        (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros(),
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => return false,
    };
    differ >= u32::from(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(env: &[(&str, &str)], target: &str) -> String {
        let proxies = Proxies::from_env(&Env::from_pairs(env.iter().copied()));
        match proxies.route(&target.parse().unwrap()) {
            Ok(Some(url)) => url.to_string(),
            Ok(None) => "direct".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_variable_of_the_scheme_comes_before_the_one_for_all() {
        let both = [("HTTPS_PROXY", "http://s:1"), ("HTTP_PROXY", "http://h:2")];
        let all = ("ALL_PROXY", "socks5h://a:3");
        let check = |env: &[(&str, &str)], target: &str, expected: &str| {
            assert_eq!(route(env, target), expected, "{env:?} {target}");
        };
        check(&[], "https://x.y/v1", "direct");
        check(&both, "https://x.y/v1", "http://s:1/");
        check(&both, "http://x.y/v1", "http://h:2/");
        check(&both[..1], "http://x.y/v1", "direct");
        check(&[both[0], all], "https://x.y", "http://s:1/");
        check(&[both[0], all], "http://x.y", "socks5h://a:3");
        check(&[("https_proxy", "http://low:1"), both[0]], "https://x.y", "http://low:1/");
        check(&[("HTTPS_PROXY", " "), all], "https://x.y", "socks5h://a:3");
    }

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        let check =
            |url: &str, expected: &str| assert_eq!(route(&[("ALL_PROXY", url)], "http://x.y"), expected);
        check("proxy.example:3128", "http://proxy.example:3128/");
        check("HTTP://Proxy.example:3128/path?x#y", "http://proxy.example:3128/");
        check("https://me:pa:s@s@proxy.example", "https://me:pa%3As%40s@proxy.example/");
        check("socks5://[::1]:1080", "socks5://[::1]:1080");
        for scheme in SCHEMES {
            assert!(route(&[("ALL_PROXY", &format!("{scheme}://h:1"))], "http://x.y").starts_with(scheme));
        }
    }

    #[test]
    fn an_address_that_cannot_be_used_is_named_by_its_variable_and_not_shown() {
        let check = |url: &str, why: &str| {
            let expected =
                format!("cannot use the proxy in HTTPS_PROXY: {why} (try HTTPS_PROXY=http://host:port)");
            assert_eq!(route(&[("HTTPS_PROXY", url)], "https://x.y"), expected);
        };
        check("ftp://me:hidden@host:1", "it must begin with http, https, socks5 or socks5h");
        check("http://me:hidden@", "empty host");
        check("http://me:hidden@host:99999", "invalid port number");
        check("http://me:hidden@[nonsense", "invalid IPv6 address");
        check("socks5://", "it has no host");
        check("me:hidden@ho st:1", "invalid international domain name");
        assert_eq!(
            route(&[("HTTPS_PROXY", "ftp://x")], "https://localhost/v1"),
            "direct",
            "it is not needed"
        );
    }

    #[test]
    fn this_machine_is_always_asked_directly() {
        let env = [("ALL_PROXY", "http://p:1"), ("NO_PROXY", "other.example")];
        let hosts =
            "localhost api.localhost LOCALHOST 127.0.0.1 127.8.8.8 [::1] [::ffff:127.0.0.1] 0.0.0.0 [::]";
        for host in hosts.split(' ') {
            assert_eq!(route(&env, &format!("http://{host}:8080/v1")), "direct", "{host}");
        }
        for host in ["127.0.0.1.example", "localhost.example", "notlocalhost", "10.0.0.1", "[::2]"] {
            assert_eq!(route(&env, &format!("http://{host}:8080/v1")), "http://p:1/", "{host}");
        }
    }

    #[test]
    fn no_proxy_is_read_in_all_its_forms() {
        #[track_caller]
        fn check(entries: &str, direct: &str, by_proxy: &str) {
            let env = [("ALL_PROXY", "http://p:1"), ("NO_PROXY", entries)];
            for host in direct.split_whitespace() {
                assert_eq!(route(&env, &format!("https://{host}/v1")), "direct", "{entries}: {host}");
            }
            for host in by_proxy.split_whitespace() {
                assert_eq!(route(&env, &format!("https://{host}/v1")), "http://p:1/", "{entries}: {host}");
            }
        }
        check("x.y", "x.y a.x.y X.Y. x.y:8443", "xx.y y x.y.z");
        check(".x.y", "a.x.y x.y", "ax.y");
        check("*.x.y", "a.x.y x.y", "ax.y");
        check(" a.b , X.Y\tc.d", "a.b x.y c.d", "b.a");
        check("*", "x.y 10.0.0.1 [2001:db8::1]", "");
        check("x.y:8443", "x.y:8443 a.x.y:8443", "x.y x.y:443");
        check("x.y:443", "x.y x.y:443", "x.y:8443");
        check("10.1.2.3", "10.1.2.3 10.1.2.3:1", "10.1.2.4 110.1.2.3");
        check("10.0.0.0/8, 192.168.4.0/22", "10.9.9.9 192.168.7.255", "11.0.0.0 192.168.8.0 x.y");
        check("2001:db8::/32", "[2001:db8:1::5]", "[2001:db9::1] 10.0.0.1");
        check("[2001:db8::1]:8443", "[2001:db8::1]:8443", "[2001:db8::1]");
        check("0.0.0.0/0", "8.8.8.8", "[2001:db8::1] x.y");
        check("10.0.0.0/33, , .", "", "10.0.0.1 x.y");
    }

    #[test]
    fn proxies_are_shown_without_passwords() {
        let env = Env::from_pairs([("ALL_PROXY", "http://user:secret@host:1")]);
        let shown = format!("{:?}", Proxies::from_env(&env));
        assert!(shown.contains("ALL_PROXY") && !shown.contains("secret"), "{shown}");
    }
}
