//! The way to an endpoint: proxies of the environment, certificates of the user's own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::headless::expect_one_line;

#[test]
fn this_machine_is_never_asked_through_a_proxy() {
    let endpoint = Endpoint::script([text("ok"), text("ok")]);
    for proxy in ["http://127.0.0.1:9", "ftp://nonsense"] {
        let clawd = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"]
            .into_iter()
            .fold(Clawd::new(&endpoint), |clawd, name| clawd.env(name, proxy));
        clawd.args(["-p", "go"]).run().expect_code(0);
    }
    endpoint.finish();
}

/// The program with an endpoint that only a proxy could reach.
fn far_away() -> Clawd {
    let clawd = Clawd::alone().env("CLAWD_BASE_URL", "https://models.invalid/v1").env("CLAWD_MODEL", "m");
    clawd.env("CLAWD_API_KEY", "sk-far").args(["-p", "go"])
}

#[test]
fn a_proxy_that_cannot_be_used_is_named_without_its_password() {
    for (variable, url) in [
        ("HTTPS_PROXY", "ftp://me:hunter2@proxy.invalid"),
        ("https_proxy", "http://me:hunter2@proxy.invalid:99999"),
        ("ALL_PROXY", "http://me:hunter2@"),
    ] {
        for model in ["m", ""] {
            let output = far_away().env(variable, url).env("CLAWD_MODEL", model).run().expect_code(2);
            let upper = variable.to_uppercase();
            expect_one_line(&output, &["Error: ", "cannot use the proxy in", &upper, "http://host:port"]);
            assert!(!output.stderr.contains("hunter2") && !output.stderr.contains("--model"), "{output:#?}");
        }
    }
}

#[test]
fn a_proxy_that_wants_a_password_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("http://me:hunter2@{}", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = vec![0; 4096];
        let length = stream.read(&mut asked).unwrap();
        stream.write_all(b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n").unwrap();
        String::from_utf8_lossy(&asked[..length]).into_owned()
    });
    let output = far_away().env("HTTPS_PROXY", &proxy).run().expect_code(1);
    expect_one_line(&output, &["Error: ", "models.invalid", "the proxy requires a user name and a password"]);
    assert!(!output.stderr.contains("hunter2"));
    let asked = serving.join().unwrap();
    assert!(asked.starts_with("CONNECT models.invalid:443 ") && !asked.contains("sk-far"), "{asked}");
}

/// TLS before an endpoint: what comes in is passed on.
struct Front {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Front {
    fn before(endpoint: &Endpoint, acceptor: TlsAcceptor) -> Self {
        let behind = endpoint.base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    // an error is the sender gone: an end too
                    _ = stopped => {}
                    () = pass_on(listener, acceptor, behind) => {}
                }
            });
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    fn base_url(&self) -> String {
        format!("https://127.0.0.1:{}/v1", self.address.port())
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

async fn pass_on(listener: TcpListener, acceptor: TlsAcceptor, behind: String) {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (acceptor, behind) = (acceptor.clone(), behind.clone());
        connections.spawn(async move {
            // who does not trust the certificate hangs up, now or later
            if let Ok(mut outer) = acceptor.accept(stream).await {
                let mut inner = TcpStream::connect(behind).await.unwrap();
                copy_bidirectional(&mut outer, &mut inner).await.ok();
            }
        });
    }
}

/// The certificate (PEM) of an authority, and what a server of this machine needs that it vouches for.
fn authority() -> (String, TlsAcceptor) {
    let mut ca = CertificateParams::new([]).unwrap();
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = CertifiedIssuer::self_signed(ca, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap().signed_by(&key, &ca).unwrap();
    let provider = aws_lc_rs::default_provider().into();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![leaf.der().clone()], key).unwrap();
    (ca.pem(), TlsAcceptor::from(Arc::new(config)))
}

#[test]
fn an_endpoint_with_a_certificate_of_the_users_own_is_reached_where_it_is_trusted() {
    let endpoint = Endpoint::script([text("ok"), text("ok"), text("ok"), text("ok"), text("ok")]);
    let (pem, acceptor) = authority();
    let front = Front::before(&endpoint, acceptor);
    let clawd = Clawd::new(&endpoint).home_file("certs/ca.pem", &pem);
    let path = |name: &str| clawd.clawd_home().join(name).to_str().unwrap().to_owned();
    std::fs::copy(path("certs/ca.pem"), clawd.home().join("ca.pem")).unwrap();
    let run = |clawd: Clawd, config: &str| {
        let config = config.replace("URL", &front.base_url());
        let clawd = clawd.without_env("CLAWD_BASE_URL").home_file("config.toml", &config);
        clawd.args(["-p", "go"]).run()
    };
    let plain = "base_url = \"URL\"\n";
    let output = run(clawd.again(), &format!("{plain}max_retries = 0\n")).expect_code(1);
    expect_one_line(&output, &["Error: ", "127.0.0.1:", "certificate", "SSL_CERT_FILE"]);
    run(clawd.again(), &format!("{plain}ca_file = \"certs/ca.pem\"\n")).expect_code(0);
    run(clawd.again(), &format!("{plain}ca_file = \"~/ca.pem\"\n")).expect_code(0);
    run(
        clawd.again(),
        "provider = \"p\"\nca_file = \"gone.pem\"\n[providers.p]\nbase_url = \"URL\"\nca_file = \"certs/ca.pem\"\n",
    )
    .expect_code(0);
    run(clawd.again().env("SSL_CERT_FILE", &path("certs/ca.pem")), plain).expect_code(0);
    run(clawd.again().env("SSL_CERT_DIR", &path("certs")), plain).expect_code(0);
    check_named(&run(clawd.again(), &format!("{plain}ca_file = \"gone.pem\"\n")), &["ca_file", "gone.pem"]);
    check_named(
        &run(clawd.again(), &format!("{plain}ca_file = \"config.toml\"\n")),
        &["ca_file", "config.toml", "PEM"],
    );
    let gone = Path::new("/gone.pem").to_str().unwrap();
    check_named(&run(clawd.again().env("SSL_CERT_FILE", gone), plain), &["SSL_CERT_FILE", gone]);
    endpoint.finish();
}

fn check_named(output: &crate::harness::Output, parts: &[&str]) {
    assert_eq!(output.code, Some(2), "{output:#?}");
    expect_one_line(output, &[&["Error: "], parts].concat());
}
