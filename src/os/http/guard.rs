//! Who may be asked for a page: hosts of the public internet, by the addresses that they have.
//!
//! An address in the URL is judged as it stands. A name is judged when it is resolved, and the addresses that were judged are
//! the ones that are connected to: the guard *is* the client's resolver, so a name that means something else a moment later
//! gains nothing by it. Names of inner networks are refused unasked, because a proxy would resolve them elsewhere.
//!
//! The surprise: the proxy's own name passes. It usually stands in the inner network, and the user put it there.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::not_public;
use super::web_url::WebUrl;

/// Ends of names that no public host has: RFC 6761, RFC 6762 (with its appendix G), RFC 8375, and ICANN's `internal`.
const INNER_ENDS: [&str; 9] =
    ["localhost", "local", "internal", "home.arpa", "lan", "home", "corp", "private", "intranet"];

/// Why a host is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// Its name is one of an inner network.
    #[error(
        "cannot fetch `{host}`: it is a name of this machine or its network, and only public hosts can be \
         fetched"
    )]
    InnerName {
        /// The host.
        host: String,
    },
    /// All its addresses are of inner networks, or reserved.
    #[error("cannot fetch `{host}`: {address} is {what}, and only public hosts can be fetched")]
    InnerAddress {
        /// The host.
        host: String,
        /// Its address.
        address: IpAddr,
        /// What that is.
        what: &'static str,
    },
    /// Nobody knows the name.
    #[error("cannot resolve `{host}`: {why} (check the address, or this machine's network)")]
    Unknown {
        /// The host.
        host: String,
        /// What was said.
        why: String,
    },
}

/// Judges hosts and their addresses.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    names: Names,
    judge: fn(IpAddr) -> Option<&'static str>,
}

/// Who knows names.
#[derive(Debug, Clone)]
enum Names {
    System,
    #[cfg(test)]
    Told(fn(&str) -> Vec<IpAddr>),
}

/// A guard as the resolver of a client.
#[derive(Debug)]
pub(super) struct Resolver {
    pub(super) guard: Guard,
    /// The proxy's host, which is not judged.
    pub(super) proxy: Option<String>,
}

impl Default for Guard {
    fn default() -> Self {
        Self { names: Names::System, judge: not_public }
    }
}

impl Guard {
    /// Judges the host by its words alone; an address is judged in full.
    pub(super) fn check(&self, url: &WebUrl) -> Result<(), GuardError> {
        let host = url.host();
        if let Some(address) = literal(host) {
            return self.judge_all(host, &[address.into()]).map(drop);
        }
        let ends =
            |end: &&str| host.strip_suffix(*end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        // a name without a dot is completed by the inner network
        if !host.contains('.') || INNER_ENDS.iter().any(ends) {
            return Err(GuardError::InnerName { host: host.to_owned() });
        }
        Ok(())
    }

    /// The public addresses of a host.
    pub(super) async fn addresses(&self, host: &str) -> Result<Vec<SocketAddr>, GuardError> {
        let found = self.look_up(host).await?;
        self.judge_all(host, &found)
    }

    fn judge_all(&self, host: &str, found: &[SocketAddr]) -> Result<Vec<SocketAddr>, GuardError> {
        let (mut public, mut inner) = (Vec::new(), None);
        for address in found {
            match (self.judge)(address.ip()) {
                None => public.push(*address),
                Some(what) => inner = inner.or(Some((address.ip(), what))),
            }
        }
        match inner {
            Some((address, what)) if public.is_empty() => {
                Err(GuardError::InnerAddress { host: host.to_owned(), address, what })
            }
            Some(_) | None => Ok(public),
        }
    }

    /// All addresses of a name, with port 0. The system's own resolver may take its time; nobody waits for it who is dropped.
    async fn look_up(&self, host: &str) -> Result<Vec<SocketAddr>, GuardError> {
        let unknown = |why: String| GuardError::Unknown { host: host.to_owned(), why };
        let found: Vec<SocketAddr> = match self.names {
            Names::System => {
                let name = host.to_owned();
                let asked = tokio::task::spawn_blocking(move || (name.as_str(), 0).to_socket_addrs());
                let found = asked.await.map_err(|error| unknown(error.to_string()))?;
                found.map_err(|error| unknown(error.to_string()))?.collect()
            }
            #[cfg(test)]
            Names::Told(tell) => tell(host).into_iter().map(|address| (address, 0).into()).collect(),
        };
        if found.is_empty() { Err(unknown("it has no address".to_owned())) } else { Ok(found) }
    }

    /// A guard that has names told.
    #[cfg(test)]
    pub(super) fn with_names(names: fn(&str) -> Vec<IpAddr>) -> Self {
        Self { names: Names::Told(names), judge: not_public }
    }

    /// The same, which takes `127.0.0.1` for public.
    #[cfg(test)]
    pub(super) fn for_tests(names: fn(&str) -> Vec<IpAddr>) -> Self {
        let judge = |address: IpAddr| not_public(address).filter(|_| address != IpAddr::from([127, 0, 0, 1]));
        Self { judge, ..Self::with_names(names) }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.guard.clone();
        let is_proxy = self.proxy.as_deref() == Some(name.as_str());
        Box::pin(async move {
            let found = if is_proxy {
                guard.look_up(name.as_str()).await
            } else {
                guard.addresses(name.as_str()).await
            };
            Ok(Box::new(found?.into_iter()) as Addrs)
        })
    }
}

/// The address that stands in the place of a host, if one does.
fn literal(host: &str) -> Option<(IpAddr, u16)> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Some((host.parse().ok()?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str) -> String {
        let url = WebUrl::parse(url).unwrap();
        Guard::default().check(&url).map_or_else(|error| error.to_string(), |()| "passes".to_owned())
    }

    #[test]
    fn an_address_in_the_url_is_judged_in_every_form() {
        let forms =
            "127.0.0.1 2130706433 0x7f000001 0x7f.1 127.1 0177.0.0.1 127.0.0.1. [::1] [::ffff:127.0.0.1] 0";
        for host in forms.split(' ') {
            assert!(
                check(&format!("http://{host}:8080/x")).contains("is an address of this machine"),
                "{host}"
            );
        }
        assert_eq!(
            check("http://169.254.169.254/latest/meta-data"),
            "cannot fetch `169.254.169.254`: 169.254.169.254 is a link-local address, and only public hosts \
             can be fetched"
        );
        assert!(check("http://[64:ff9b::a00:1]/").contains("is a private address"));
        assert_eq!(check("http://93.184.216.34/"), "passes");
        assert_eq!(check("https://[2606:4700::1]/"), "passes");
    }

    #[test]
    fn names_of_inner_networks_are_refused_unasked() {
        let inner = "localhost LOCALHOST localhost. api.localhost printer.local metadata.google.internal wiki a.corp x.lan \
                     router.home.arpa";
        for host in inner.split_whitespace() {
            assert!(check(&format!("http://{host}/")).contains("this machine or its network"), "{host}");
        }
        for host in [
            "example.com",
            "localhost.example",
            "notlocal.example",
            "thelocal.se",
            "internal.example.com",
            "home.pl",
        ] {
            assert_eq!(check(&format!("http://{host}/")), "passes", "{host}");
        }
    }

    #[tokio::test]
    async fn of_the_addresses_of_a_name_only_the_public_ones_are_used() {
        let told: fn(&str) -> Vec<IpAddr> = |host| {
            let all = match host {
                "public.example" => "93.184.216.34 2606:4700::1",
                "mixed.example" => "10.0.0.1 93.184.216.34 ::1",
                "inner.example" => "10.0.0.1 ::1",
                _ => "",
            };
            all.split_whitespace().map(|address| address.parse().unwrap()).collect()
        };
        let guard = Guard::with_names(told);
        let found = async |host: &str| match guard.addresses(host).await {
            Ok(found) => found.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(found("public.example").await, "93.184.216.34 2606:4700::1");
        assert_eq!(found("mixed.example").await, "93.184.216.34");
        assert!(
            found("inner.example").await.starts_with("cannot fetch `inner.example`: 10.0.0.1 is a private")
        );
        assert!(found("none.example").await.starts_with("cannot resolve `none.example`: it has no address"));
    }

    #[tokio::test]
    async fn the_systems_names_are_judged_too() {
        // the only name that every system knows
        let error = Guard::default().addresses("localhost").await.unwrap_err().to_string();
        assert!(error.contains("is an address of this machine"), "{error}");
        let unknown = Guard::default().addresses("nowhere.invalid").await.unwrap_err();
        assert!(matches!(unknown, GuardError::Unknown { .. }), "{unknown}");
    }
}
