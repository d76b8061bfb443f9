//! No answer because of the way to the endpoint: names, ports, proxies, certificates.
//!
//! All that is known is a chain of causes in the words of the libraries; they are read like an endpoint's words. The
//! surprising decision: a server that speaks no HTTP is not asked again, for it is the wrong port and no bad moment.

use super::{Asked, line};
use crate::chat::{ChatError, Remedy, Stage};

/// No connection, or it ended before an answer came. `causes` from the outermost to the innermost.
pub(in crate::chat) fn unsent(asked: Asked<'_>, causes: &[String], connected: bool) -> ChatError {
    let all = causes.join(": ").to_lowercase();
    let innermost = causes.last().map_or("no reason given", String::as_str);
    if connected {
        return broken_early(asked, &all, innermost);
    }
    let kinds = PROXY.iter().chain(&CERTIFICATE).chain(&CONNECTION);
    let known = kinds.into_iter().find(|kind| kind.words.iter().any(|word| all.contains(word)));
    let Obstacle { why, hint, outlook, .. } = known.unwrap_or(&UNKNOWN);
    let why = if why.is_empty() { innermost } else { why };
    let message = line(&format!("cannot reach {}: {why}", asked.host)) + &format!(" ({hint})");
    let remedy = match outlook {
        Outlook::Passing => Remedy::Retry { after: None },
        Outlook::Lasting => Remedy::GiveUp,
    };
    ChatError::new(remedy, message).at(Stage::Connect)
}

/// Whether the other side closed the line instead of an answer. `causes` as for [`unsent`].
pub(in crate::chat) fn is_hung_up(causes: &[String]) -> bool {
    let words = ["closed before message completed", "connection reset", "forcibly closed", "broken pipe"];
    causes.iter().any(|cause| words.iter().any(|word| cause.to_lowercase().contains(word)))
}

/// It was sent, and what came back is no answer or nothing.
fn broken_early(asked: Asked<'_>, all: &str, innermost: &str) -> ChatError {
    let host = asked.host;
    if all.contains("invalid http version") {
        let hint = if asked.base.starts_with("http://") {
            "if it uses https, begin base_url with https://"
        } else {
            "check the port in base_url"
        };
        return ChatError::new(Remedy::GiveUp, format!("{host} does not speak HTTP on this port ({hint})"));
    }
    let message = format!("lost the connection to {host} before it responded: {innermost}");
    ChatError::new(Remedy::Retry { after: None }, line(&message))
}

/// What stands in the way.
struct Obstacle {
    /// Any of these in the causes, in lower case.
    words: &'static [&'static str],
    /// Empty: the innermost cause in its own words.
    why: &'static str,
    hint: &'static str,
    outlook: Outlook,
}

/// Whether it may be gone at the next try.
enum Outlook {
    Passing,
    Lasting,
}

const fn passing(words: &'static [&'static str], why: &'static str, hint: &'static str) -> Obstacle {
    Obstacle { words, why, hint, outlook: Outlook::Passing }
}

const UNKNOWN: Obstacle = passing(&[], "", "check base_url and the network");

const PROXY: [Obstacle; 3] = [
    Obstacle {
        words: &["proxy authorization required", "proxy auth", "407"],
        why: "the proxy requires a user name and a password",
        hint: "add them to the proxy's URL",
        outlook: Outlook::Lasting,
    },
    passing(
        &["failed to create underlying connection"],
        "the proxy cannot be reached",
        "check HTTPS_PROXY, or add the host to NO_PROXY",
    ),
    passing(
        &["tunnel error", "socks error"],
        "the proxy cannot connect to it",
        "check base_url and HTTPS_PROXY, or add the host to NO_PROXY",
    ),
];

/// Before those of the connection, whose words are more general.
const CERTIFICATE: [Obstacle; 8] = [
    passing(
        &["unknownissuer", "unknown issuer", "self-signed"],
        "its certificate is not signed by a trusted CA",
        "to trust your own CA, set SSL_CERT_FILE, or ca_file in config.toml, to its PEM file",
    ),
    passing(
        &["causedasendentity"],
        "it uses a CA certificate as its server certificate",
        "issue a server certificate, and set SSL_CERT_FILE, or ca_file in config.toml, to the CA's PEM file",
    ),
    passing(
        &["certificate expired", "certificateexpired", "certificate: expired"],
        "its certificate has expired",
        "check the date of this machine, or renew the certificate",
    ),
    passing(
        &["not valid yet", "notvalidyet"],
        "its certificate is not valid yet",
        "check the date of this machine",
    ),
    passing(
        &["not valid for name", "notvalidforname"],
        "its certificate is for another name",
        "check the host in base_url",
    ),
    passing(
        &["invalidcontenttype", "corrupt message"],
        "it does not use TLS on this port",
        "begin base_url with http://, or check the port",
    ),
    passing(&["revoked"], "its certificate has been revoked", "contact the operator of the host"),
    passing(
        &["certificate", "tls", "handshake", "fatal alert"],
        "",
        "check base_url; to trust your own CA, set SSL_CERT_FILE, or ca_file in config.toml, to its PEM file",
    ),
];

const CONNECTION: [Obstacle; 4] = [
    passing(&["dns error", "failed to lookup"], "no such host", "check base_url and the network"),
    passing(&["refused"], "connection refused", "check base_url, and that the server is running"),
    passing(&["timed out"], "connection timed out", "check the network, or raise connect_timeout_secs"),
    passing(&["unreachable", "no route"], "no route to host", "check the network"),
];

#[cfg(test)]
mod tests {
    use super::super::tests::ASKED;
    use super::*;

    const RETRY: Remedy = Remedy::Retry { after: None };

    #[track_caller]
    fn check(causes: &[&str], remedy: &Remedy, expected: &str) {
        let causes: Vec<String> = causes.iter().map(|&cause| cause.to_owned()).collect();
        let error = unsent(ASKED, &causes, false);
        assert_eq!((error.message.as_str(), &error.remedy, error.stage), (expected, remedy, Stage::Connect));
    }

    #[test]
    fn a_host_that_cannot_be_reached_is_told_with_its_cause() {
        check(
            &["error sending request", "tcp connect error", "Connection refused (os error 111)"],
            &RETRY,
            "cannot reach api.example.com: connection refused (check base_url, and that the server is \
             running)",
        );
        check(
            &["dns error", "failed to lookup address information: Name or service not known"],
            &RETRY,
            "cannot reach api.example.com: no such host (check base_url and the network)",
        );
        check(
            &["tcp connect error", "deadline has elapsed", "operation timed out"],
            &RETRY,
            "cannot reach api.example.com: connection timed out (check the network, or raise \
             connect_timeout_secs)",
        );
        check(
            &["Network is unreachable (os error 101)"],
            &RETRY,
            "cannot reach api.example.com: no route to host (check the network)",
        );
        check(&["odd"], &RETRY, "cannot reach api.example.com: odd (check base_url and the network)");
        check(&[], &RETRY, "cannot reach api.example.com: no reason given (check base_url and the network)");
    }

    #[test]
    fn a_proxy_is_told_from_the_host_behind_it() {
        check(
            &["tunnel error: proxy authorization required"],
            &Remedy::GiveUp,
            "cannot reach api.example.com: the proxy requires a user name and a password (add them to the \
             proxy's URL)",
        );
        check(
            &["tunnel error: failed to create underlying connection", "Connection refused (os error 111)"],
            &RETRY,
            "cannot reach api.example.com: the proxy cannot be reached (check HTTPS_PROXY, or add the host \
             to NO_PROXY)",
        );
        check(
            &["tunnel error: unsuccessful"],
            &RETRY,
            "cannot reach api.example.com: the proxy cannot connect to it \
             (check base_url and HTTPS_PROXY, or add the host to NO_PROXY)",
        );
    }

    /// The causes are what `rustls` says.
    #[test]
    fn a_certificate_that_is_not_trusted_says_why_and_how_to_trust_it() {
        #[track_caller]
        fn says(cause: &str, words: &[&str]) {
            let error = unsent(ASKED, &[cause.to_owned()], false);
            assert!(words.iter().all(|word| error.message.contains(word)), "{}", error.message);
            assert_eq!(error.remedy, RETRY);
        }
        let trust = ["SSL_CERT_FILE", "ca_file"];
        says("invalid peer certificate: UnknownIssuer", &["not signed by a trusted CA", trust[0], trust[1]]);
        says(
            "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
            &["a CA certificate", trust[0], trust[1]],
        );
        says(
            "invalid peer certificate: certificate expired: verification time 1700000000 (UNIX), but certificate is not \
             valid after 1600000000 (100000000 seconds ago)",
            &["has expired", "date"],
        );
        says("invalid peer certificate: Expired", &["has expired", "date"]);
        says(
            "invalid peer certificate: certificate not valid yet: verification time 1 (UNIX)",
            &["not valid yet", "date"],
        );
        says(
            "invalid peer certificate: certificate not valid for name \"localhost\"; certificate is only valid for \
             DnsName(\"other.example\")",
            &["for another name", "base_url"],
        );
        says("received corrupt message of type InvalidContentType", &["does not use TLS", "http://"]);
        says("received fatal alert: HandshakeFailure", &["HandshakeFailure", trust[0]]);
        says("tls handshake eof", &["tls handshake eof"]);
    }

    #[test]
    fn a_line_that_was_closed_is_told_from_one_that_speaks_oddly() {
        let hung_up = |cause: &str| is_hung_up(&["error sending request".to_owned(), cause.to_owned()]);
        assert!(hung_up("connection closed before message completed"));
        assert!(hung_up("Connection reset by peer (os error 104)"));
        assert!(!hung_up("invalid HTTP version parsed") && !is_hung_up(&[]));
    }

    #[test]
    fn a_connection_that_broke_after_it_was_made_is_asked_again() {
        let unsent = |cause: &str, base: &str| unsent(Asked { base, ..ASKED }, &[cause.to_owned()], true);
        for cause in
            ["connection closed before message completed", "http2 error: connection error received: GOAWAY"]
        {
            let broken = unsent(cause, "https://x/v1");
            assert_eq!((broken.remedy, broken.stage), (RETRY, Stage::Request));
            assert!(broken.message.ends_with(cause), "{}", broken.message);
        }
        let deaf = unsent("invalid HTTP version parsed", "http://x/v1");
        assert!(deaf.remedy == Remedy::GiveUp && deaf.message.contains("https://"), "{}", deaf.message);
        assert!(unsent("invalid HTTP version parsed", "https://x").message.contains("port"));
    }
}
