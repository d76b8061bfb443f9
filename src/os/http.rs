//! The one maker of HTTP clients, and the only file that names `reqwest::Client::builder`.
//!
//! Proxies come from the [`Env`] value, not from the environment behind our back; loopback addresses are
//! never asked for through a proxy. There is no total time limit: an answer may stream for an hour, only
//! silence ends it.
//!
//! The surprise: a client for plain `http` is built without TLS roots, in 0.1 ms instead of 2 to 3. And none follows a
//! redirect: the key would go along.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, NoProxy, Proxy};

use super::env::Env;
use super::file::{FileError, read_regular};

/// What a server sees of us.
const USER_AGENT: &str = concat!("clawd/", env!("CARGO_PKG_VERSION"));
/// A bundle of all public roots has a quarter of this.
const MAX_CA_FILE: u64 = 1024 * 1024;
/// Middle boxes forget a silent connection after a minute or more.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// What no proxy could reach anyway.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// Whether TLS is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// The scheme of a URL; anything but plain `http` needs TLS.
    pub fn of(url: &str) -> Self {
        let plain = url.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"));
        if plain { Self::Http } else { Self::Https }
    }
}

/// How a client is made.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub scheme: Scheme,
    pub connect_timeout: Duration,
    /// The longest silence while an answer is read, and before it begins; `None`: no limit.
    pub idle_timeout: Option<Duration>,
    /// Certificates (PEM) to be trusted besides those of the system.
    pub ca_file: Option<PathBuf>,
    pub proxies: Proxies,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("cannot use the proxy in {variable}: {source} (try {variable}=http://host:port)")]
    Proxy { variable: &'static str, source: reqwest::Error },
    #[error(transparent)]
    CaFile(#[from] FileError),
    #[error("cannot use the certificates in {}: {source} (they must be in PEM form)", .path.display())]
    Certificate { path: PathBuf, source: reqwest::Error },
    #[error("cannot prepare for HTTP: {0}")]
    Build(reqwest::Error),
}

/// Makes a client; keep it, its connections are reused.
pub fn client(options: &HttpOptions) -> Result<Client, HttpError> {
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(options.connect_timeout)
        .tcp_keepalive(KEEP_ALIVE)
        .referer(false)
        .no_proxy()
        .redirect(Policy::none());
    for proxy in options.proxies.build()? {
        builder = builder.proxy(proxy);
    }
    if let Some(idle) = options.idle_timeout {
        builder = builder.read_timeout(idle);
    }
    let extra = options.ca_file.as_deref().map(certificates).transpose()?.unwrap_or_default();
    let plain = options.scheme == Scheme::Http && !options.proxies.need_tls();
    builder = if plain { builder.tls_certs_only([]) } else { builder.tls_certs_merge(extra) };
    builder.build().map_err(HttpError::Build)
}

fn certificates(path: &Path) -> Result<Vec<Certificate>, HttpError> {
    let pem = read_regular(path, MAX_CA_FILE)?;
    Certificate::from_pem_bundle(&pem)
        .map_err(|source| HttpError::Certificate { path: path.to_owned(), source })
}

/// The proxies that the environment names; shown without their passwords.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// By the variable's upper-case name.
    found: Vec<(&'static str, String)>,
    except: String,
}

impl Proxies {
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, or the same in lower case, which comes first.
    pub fn from_env(env: &Env) -> Self {
        let value = |name: &str| env.text(&name.to_ascii_lowercase()).or_else(|| env.text(name));
        let found = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"]
            .into_iter()
            .filter_map(|name| Some((name, value(name)?.trim().to_owned())))
            .collect();
        let except = match value("NO_PROXY") {
            Some(hosts) => format!("{hosts},{LOOPBACK}"),
            None => LOOPBACK.to_owned(),
        };
        Self { found, except }
    }

    fn need_tls(&self) -> bool {
        let over_tls = |url: &str| url.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("https:"));
        self.found.iter().any(|(_, url)| over_tls(url))
    }

    fn build(&self) -> Result<Vec<Proxy>, HttpError> {
        let build = |(variable, url): &(&'static str, String)| {
            let proxy = match *variable {
                "HTTPS_PROXY" => Proxy::https(url),
                "HTTP_PROXY" => Proxy::http(url),
                _ => Proxy::all(url),
            };
            let proxy =
                proxy.map_err(|source| HttpError::Proxy { variable, source: source.without_url() })?;
            Ok(proxy.no_proxy(NoProxy::from_string(&self.except)))
        };
        self.found.iter().map(build).collect()
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.found.iter().map(|(variable, _)| *variable).collect();
        f.debug_struct("Proxies").field("found", &names).field("except", &self.except).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;

    /// What a server heard, the first line of each request, and its connections, which it leaves open.
    type Heard = JoinHandle<(Vec<String>, Vec<TcpStream>)>;

    /// A server that gives each request the next of the answers.
    async fn server(answers: Vec<String>) -> (String, Heard) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let serve = async move {
            let (mut heard, mut open) = (Vec::new(), Vec::new());
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).await.unwrap();
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                heard.push(request.lines().next().unwrap_or_default().to_owned());
                stream.write_all(answer.as_bytes()).await.unwrap();
                open.push(stream);
            }
            (heard, open)
        };
        (address, tokio::spawn(serve))
    }

    fn answer(status: &str, location: &str, body: &str) -> String {
        let length = body.len();
        let location = if location.is_empty() { String::new() } else { format!("location: {location}\r\n") };
        format!("HTTP/1.1 {status}\r\n{location}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
    }

    fn options(env: &[(&str, &str)]) -> HttpOptions {
        HttpOptions {
            scheme: Scheme::Http,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Some(Duration::from_secs(10)),
            ca_file: None,
            proxies: Proxies::from_env(&Env::from_pairs(env.iter().copied())),
        }
    }

    async fn get(options: &HttpOptions, url: String) -> (u16, String) {
        let answer = client(options).unwrap().get(url).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    #[tokio::test]
    async fn a_redirect_is_the_answer_and_is_not_followed() {
        let (address, heard) = server(vec![answer("302 Found", "/next", "not followed")]).await;
        assert_eq!(get(&options(&[]), format!("http://{address}/a")).await, (302, "not followed".into()));
        assert_eq!(heard.await.unwrap().0, ["GET /a HTTP/1.1"]);
    }

    #[tokio::test]
    async fn the_proxy_of_the_environment_is_used_but_never_for_loopback() {
        let (proxy, heard) =
            server(vec![answer("200 OK", "", "by proxy"), answer("200 OK", "", "again")]).await;
        let (direct, _) = server(vec![answer("200 OK", "", "direct")]).await;
        for variable in ["HTTP_PROXY", "all_proxy"] {
            let options = options(&[(variable, &format!("http://{proxy}")), ("NO_PROXY", "other.invalid")]);
            if variable == "all_proxy" {
                assert_eq!(get(&options, format!("http://{direct}/")).await.1, "direct");
            }
            assert_eq!(get(&options, "http://some.invalid/x".into()).await.0, 200);
        }
        assert_eq!(heard.await.unwrap().0, ["GET http://some.invalid/x HTTP/1.1"; 2]);
    }

    #[tokio::test]
    async fn what_no_proxy_names_goes_direct() {
        let (proxy, _never) = server(vec![]).await;
        let options = options(&[("HTTP_PROXY", &proxy), ("NO_PROXY", "some.invalid")]);
        assert!(client(&options).unwrap().get("http://some.invalid/").send().await.unwrap_err().is_connect());
    }

    #[tokio::test]
    async fn silence_ends_an_answer() {
        let half = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf";
        let (address, _open) = server(vec![half.to_owned()]).await;
        let options = HttpOptions { idle_timeout: Some(Duration::from_millis(50)), ..options(&[]) };
        let answer = client(&options).unwrap().get(format!("http://{address}/")).send().await.unwrap();
        let error = answer.bytes().await.unwrap_err();
        assert!(error.is_timeout(), "{error:?}");
    }

    #[test]
    fn a_proxy_or_a_certificate_that_cannot_be_used_is_named() {
        let error =
            client(&options(&[("HTTPS_PROXY", "http://user:secret@[nonsense")])).unwrap_err().to_string();
        assert!(error.contains("HTTPS_PROXY") && !error.contains("secret"), "{error}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ca.pem");
        let with_ca = HttpOptions { ca_file: Some(path.clone()), ..options(&[]) };
        assert!(client(&with_ca).unwrap_err().to_string().contains("ca.pem"));
        std::fs::write(&path, "-----BEGIN CERTIFICATE-----\nAAAA\n").unwrap();
        assert!(client(&with_ca).unwrap_err().to_string().contains("PEM"));
    }

    #[test]
    fn a_client_for_https_has_the_roots_of_the_system() {
        client(&HttpOptions { scheme: Scheme::Https, ..options(&[]) }).unwrap();
    }

    #[test]
    fn the_scheme_is_read_whatever_its_case() {
        for (url, expected) in [
            ("http://x/v1", Scheme::Http),
            ("HTTP://x", Scheme::Http),
            ("https://x", Scheme::Https),
            ("", Scheme::Https),
        ] {
            assert_eq!(Scheme::of(url), expected, "{url}");
        }
    }

    #[test]
    fn proxies_are_shown_without_passwords() {
        let shown = format!("{:?}", options(&[("ALL_PROXY", "http://user:secret@host:1")]));
        assert!(shown.contains("ALL_PROXY") && !shown.contains("secret"), "{shown}");
    }
}
