//! Clients at work: against plain servers, through proxies, and over TLS with certificates of our own making.

use std::fmt::Write as _;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::*;
use crate::os::env::Env;

/// What a server heard, the head of each request, and its connections, which it leaves open.
type Heard = JoinHandle<(Vec<String>, Vec<TcpStream>)>;

async fn listen() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    (listener.local_addr().unwrap().to_string(), listener)
}

/// A server that gives each request the next of the answers.
async fn server(answers: Vec<String>) -> (String, Heard) {
    let (address, listener) = listen().await;
    let serve = async move {
        let (mut heard, mut open) = (Vec::new(), Vec::new());
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            heard.push(head(&mut stream).await);
            stream.write_all(answer.as_bytes()).await.unwrap();
            open.push(stream);
        }
        (heard, open)
    };
    (address, tokio::spawn(serve))
}

/// Everything up to a blank line, byte by byte: what follows belongs to somebody else.
async fn head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

fn first_lines(heard: &[String]) -> Vec<&str> {
    heard.iter().filter_map(|head| head.lines().next()).collect()
}

fn answer(status: &str, location: &str, body: &str) -> String {
    let length = body.len();
    let location = if location.is_empty() { String::new() } else { format!("location: {location}\r\n") };
    format!("HTTP/1.1 {status}\r\n{location}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn options(url: &str, env: &[(&str, &str)]) -> HttpOptions {
    let env = Env::from_pairs(env.iter().copied());
    HttpOptions {
        url: url.parse().unwrap(),
        connect_timeout: Duration::from_secs(10),
        idle_timeout: Some(Duration::from_secs(10)),
        roots: Roots::from_env(&env),
        proxies: Proxies::from_env(&env),
    }
}

/// Status and body, or what lies behind the failure.
async fn get(options: &HttpOptions) -> Result<(u16, String), String> {
    let answer =
        client(options).unwrap().get(options.url.clone()).send().await.map_err(|error| causes(&error))?;
    let status = answer.status().as_u16();
    Ok((status, answer.text().await.map_err(|error| causes(&error))?))
}

fn causes(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        write!(text, "{error}; ").unwrap();
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn a_redirect_is_the_answer_and_is_not_followed() {
    let (address, heard) = server(vec![answer("302 Found", "/next", "not followed")]).await;
    let got = get(&options(&format!("http://{address}/a"), &[])).await.unwrap();
    assert_eq!(got, (302, "not followed".to_owned()));
    assert_eq!(first_lines(&heard.await.unwrap().0), ["GET /a HTTP/1.1"]);
}

#[tokio::test]
async fn silence_ends_an_answer() {
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf";
    let (address, _open) = server(vec![half.to_owned()]).await;
    let plain = options(&format!("http://{address}/"), &[]);
    let options = HttpOptions { idle_timeout: Some(Duration::from_millis(50)), ..plain };
    let answer = client(&options).unwrap().get(options.url.clone()).send().await.unwrap();
    let error = answer.bytes().await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn the_proxy_of_the_environment_is_used_but_never_for_loopback() {
    let (proxy, heard) = server(vec![answer("200 OK", "", "by proxy"), answer("200 OK", "", "again")]).await;
    let (direct, _) = server(vec![answer("200 OK", "", "direct")]).await;
    let env = [("all_proxy", format!("http://{proxy}"))];
    let env = env.each_ref().map(|(name, url)| (*name, url.as_str()));
    assert_eq!(get(&options(&format!("http://{direct}/"), &env)).await.unwrap().1, "direct");
    for variable in ["HTTP_PROXY", "all_proxy"] {
        let env = [(variable, proxy.as_str()), ("NO_PROXY", "other.invalid")];
        assert_eq!(get(&options("http://some.invalid/x", &env)).await.unwrap().0, 200);
    }
    assert_eq!(first_lines(&heard.await.unwrap().0), ["GET http://some.invalid/x HTTP/1.1"; 2]);
}

#[tokio::test]
async fn what_no_proxy_names_goes_direct() {
    let (proxy, _never) = server(vec![]).await;
    let env = [("HTTP_PROXY", proxy.as_str()), ("NO_PROXY", "some.invalid")];
    assert!(get(&options("http://some.invalid/", &env)).await.unwrap_err().contains("dns error"));
}

#[tokio::test]
async fn a_proxys_name_and_password_go_to_the_proxy() {
    let (proxy, heard) = server(vec![answer("200 OK", "", "ok")]).await;
    let env = [("HTTP_PROXY", format!("http://me:p%40s!'s@{proxy}"))];
    let env = env.each_ref().map(|(name, url)| (*name, url.as_str()));
    assert_eq!(get(&options("http://some.invalid/", &env)).await.unwrap().0, 200);
    // `me:p@s!'s`
    assert!(heard.await.unwrap().0[0].contains("proxy-authorization: Basic bWU6cEBzISdz\r\n"));
}

#[tokio::test]
async fn a_proxy_that_wants_a_password_says_so() {
    let asks = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
    let (proxy, heard) = server(vec![asks.to_owned()]).await;
    let error = get(&options("https://some.invalid/", &[("HTTPS_PROXY", &proxy)])).await.unwrap_err();
    assert!(error.contains("proxy authorization required"), "{error}");
    assert_eq!(first_lines(&heard.await.unwrap().0), ["CONNECT some.invalid:443 HTTP/1.1"]);
}

/// A SOCKS5 proxy for one connection: what it was told, and then it is the server.
async fn socks(answer: String, with_password: bool) -> (String, JoinHandle<Vec<u8>>) {
    let (address, listener) = listen().await;
    let serve = async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut told = vec![stream.read_u8().await.unwrap()];
        let methods = stream.read_u8().await.unwrap();
        read_more(&mut stream, &mut vec![], methods.into()).await;
        stream.write_all(&[5, if with_password { 2 } else { 0 }]).await.unwrap();
        if with_password {
            read_more(&mut stream, &mut vec![], 1).await;
            for _name_and_password in 0..2 {
                let length = stream.read_u8().await.unwrap();
                read_more(&mut stream, &mut told, length.into()).await;
            }
            stream.write_all(&[1, 0]).await.unwrap();
        }
        read_more(&mut stream, &mut vec![], 3).await;
        let kind = stream.read_u8().await.unwrap();
        let length = if kind == 3 { stream.read_u8().await.unwrap() } else { 4 };
        read_more(&mut stream, &mut told, usize::from(length) + 2).await;
        stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
        head(&mut stream).await;
        stream.write_all(answer.as_bytes()).await.unwrap();
        told
    };
    (address, tokio::spawn(serve))
}

async fn read_more(stream: &mut TcpStream, to: &mut Vec<u8>, length: usize) {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.unwrap();
    to.extend(bytes);
}

#[tokio::test]
async fn a_socks_proxy_is_told_the_host_and_who_is_asking() {
    let (proxy, told) = socks(answer("200 OK", "", "by socks"), false).await;
    let env = [("ALL_PROXY", format!("socks5h://{proxy}"))];
    let env = env.each_ref().map(|(name, url)| (*name, url.as_str()));
    assert_eq!(get(&options("http://some.invalid/", &env)).await.unwrap().1, "by socks");
    assert_eq!(told.await.unwrap(), b"\x05some.invalid\x00\x50");

    let (proxy, told) = socks(answer("200 OK", "", "by socks"), true).await;
    let env = [("HTTP_PROXY", format!("socks5h://me:p%40ss@{proxy}"))];
    let env = env.each_ref().map(|(name, url)| (*name, url.as_str()));
    assert_eq!(get(&options("http://some.invalid:81/", &env)).await.unwrap().1, "by socks");
    assert_eq!(told.await.unwrap(), b"\x05mep@sssome.invalid\x00\x51");
}

/// The certificate (PEM) of an authority, and what a server of `host` needs that it vouches for.
fn authority(host: &str) -> (String, TlsAcceptor) {
    let mut ca = CertificateParams::new([]).unwrap();
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = CertifiedIssuer::self_signed(ca, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new([host.to_owned()]).unwrap().signed_by(&key, &ca).unwrap();
    let provider = aws_lc_rs::default_provider().into();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![leaf.der().clone()], key).unwrap();
    (ca.pem(), TlsAcceptor::from(std::sync::Arc::new(config)))
}

/// Answers over TLS whoever connects, until the test is over. A client that does not trust it hangs up.
async fn tls_server(acceptor: TlsAcceptor) -> String {
    let (address, listener) = listen().await;
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(mut stream) = acceptor.accept(stream).await {
                head(&mut stream).await;
                write_all(&mut stream, &answer("200 OK", "", "over TLS")).await;
            }
        }
    });
    address
}

async fn write_all(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

fn port(address: &str) -> &str {
    address.rsplit_once(':').unwrap().1
}

#[tokio::test]
async fn a_certificate_of_the_users_own_is_trusted_whoever_names_it() {
    let (pem, acceptor) = authority("localhost");
    let url = format!("https://localhost:{}/", port(&tls_server(acceptor).await));
    let error = get(&options(&url, &[])).await.unwrap_err();
    assert!(error.contains("invalid peer certificate: UnknownIssuer"), "{error}");

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.pem");
    std::fs::write(directory.path().join("README"), "no certificate").unwrap();
    std::fs::write(&path, format!("a company's own\n{pem}")).unwrap();
    let whole = Ok((200, "over TLS".to_owned()));
    let roots = Roots::default().and_file(Some(path.clone()));
    assert_eq!(get(&HttpOptions { roots, ..options(&url, &[]) }).await, whole);
    assert_eq!(get(&options(&url, &[("SSL_CERT_FILE", path.to_str().unwrap())])).await, whole);
    let directories = format!(":{}", directory.path().display());
    assert_eq!(get(&options(&url, &[("SSL_CERT_DIR", &directories)])).await, whole);
}

#[tokio::test]
async fn https_goes_through_a_tunnel() {
    let (pem, acceptor) = authority("some.invalid");
    let inner = tls_server(acceptor).await;
    let (proxy, listener) = listen().await;
    let tunnel = tokio::spawn(async move {
        let (mut outer, _) = listener.accept().await.unwrap();
        let asked = head(&mut outer).await;
        outer.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
        let mut inner = TcpStream::connect(inner).await.unwrap();
        copy_bidirectional(&mut outer, &mut inner).await.unwrap();
        asked
    });
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.pem");
    std::fs::write(&path, pem).unwrap();
    let env = [("HTTPS_PROXY", format!("http://me:pass@{proxy}"))];
    let env = env.each_ref().map(|(name, url)| (*name, url.as_str()));
    let roots = Roots::default().and_file(Some(path));
    let options = HttpOptions { roots, ..options("https://some.invalid/", &env) };
    assert_eq!(get(&options).await, Ok((200, "over TLS".to_owned())));
    let asked = tunnel.await.unwrap();
    assert!(asked.starts_with("CONNECT some.invalid:443 HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("proxy-authorization: Basic bWU6cGFzcw==\r\n"), "{asked}");
}

#[test]
fn certificates_that_cannot_be_used_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.pem");
    let named = path.to_str().unwrap();
    let error = |options: &HttpOptions| client(options).unwrap_err().to_string();
    let over_tls = || options("https://x.y", &[]);
    let configured = || HttpOptions { roots: Roots::default().and_file(Some(path.clone())), ..over_tls() };
    let missing = format!("cannot use ca_file: cannot read {named}: No such file or directory (os error 2)");
    assert_eq!(error(&configured()), missing);
    assert_eq!(
        error(&options("https://x.y", &[("SSL_CERT_FILE", named)])),
        missing.replace("ca_file", "SSL_CERT_FILE")
    );
    assert_eq!(
        error(&options("https://x.y", &[("SSL_CERT_DIR", named)])),
        missing.replace("ca_file", "SSL_CERT_DIR")
    );
    for odd in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        std::fs::write(&path, odd).unwrap();
        let expected = format!(
            "cannot use ca_file: {named} is not a PEM certificate (it should contain a line `-----BEGIN \
             CERTIFICATE-----`)"
        );
        assert_eq!(error(&configured()), expected, "{odd}");
    }
}

#[test]
fn what_is_not_needed_is_not_read() {
    let nowhere =
        [("SSL_CERT_FILE", "/nowhere.pem"), ("SSL_CERT_DIR", "/nowhere"), ("HTTPS_PROXY", "ftp://x")];
    client(&options("http://x.y", &nowhere)).unwrap();
    client(&options("http://127.0.0.1", &nowhere)).unwrap();
    let by_tls = [nowhere[0], ("HTTP_PROXY", "https://proxy.example")];
    assert!(client(&options("http://x.y", &by_tls)).unwrap_err().to_string().contains("SSL_CERT_FILE"));
}

#[test]
fn a_client_for_https_has_the_roots_of_the_system() {
    client(&options("https://x.y", &[])).unwrap();
}
