//! L01: the endpoint cannot be reached, or somebody else answers on the way to it.

use super::answer::{hello, raw, status};
use super::{Case, Kind, Place, case};

/// The alert of a TLS server to a client that speaks something else.
const ALERT: &[u8] = b"\x15\x03\x01\x00\x02\x02\x0A";

pub(super) fn cases() -> Vec<Case> {
    [no_way(), wrong_speech(), proxies()].concat()
}

fn no_way() -> Vec<Case> {
    vec![
        case("L01", "refused, before any answer: once more", [])
            .at(Place::Gone)
            .fails(
                Kind::GiveUp,
                None,
                &["cannot reach 127.0.0.1:", "connection refused", "the server is running"],
            )
            .retries(&["1/1"]),
        case("L01", "refused, after an answer: with patience", [])
            .at(Place::Gone)
            .warm()
            .fails(Kind::GiveUp, None, &["connection refused"])
            .retries(&["1/5", "2/5", "3/5", "4/5", "5/5"]),
        case("L01", "refused, and nobody wants it again", [])
            .at(Place::Gone)
            .max_retries(0)
            .fails(Kind::GiveUp, None, &["connection refused"])
            .retries(&[]),
        case("L01", "no such name", [])
            .at(Place::Nowhere)
            .fails(Kind::GiveUp, None, &["cannot reach endpoint.invalid: no such host", "base_url"])
            .retries(&["1/1"]),
    ]
}

/// A port on which something else is spoken.
fn wrong_speech() -> Vec<Case> {
    vec![
        case("L01", "https where http is spoken", [status(400), status(400)])
            .at(Place::Secure)
            .fails(Kind::GiveUp, None, &["does not use TLS", "http://"])
            .retries(&["1/1"]),
        case("L01", "https, and the line is cut in the handshake", [raw(""), raw("")])
            .at(Place::Secure)
            .fails(Kind::GiveUp, None, &["cannot reach 127.0.0.1:"])
            .retries(&["1/1"]),
        case(
            "L01",
            "https, and the handshake is refused",
            [raw(b"\x15\x03\x03\x00\x02\x02\x28"), raw(b"\x15\x03\x03\x00\x02\x02\x28")],
        )
        .at(Place::Secure)
        .fails(Kind::GiveUp, None, &["HandshakeFailure", "ca_file"]),
        case("L01", "http where https is spoken", [raw(ALERT)])
            .fails(Kind::GiveUp, None, &["does not speak HTTP", "https://"])
            .retries(&[]),
        case(
            "L01",
            "http where https is spoken, said by the server",
            [status(400).json("Client sent an HTTP request to an HTTPS server.\n")],
        )
        .fails(Kind::GiveUp, 400, &["begin base_url with https://"])
        .retries(&[]),
        case(
            "L01",
            "http where https is spoken, said by a page",
            [status(400).html(
                "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
            )],
        )
        .fails(Kind::GiveUp, 400, &["begin base_url with https://"]),
        case("L01", "something that is no web server", [raw("SSH-2.0-OpenSSH_9.6\r\n")]).fails(
            Kind::GiveUp,
            None,
            &["does not speak HTTP"],
        ),
    ]
}

/// Somebody on the way.
fn proxies() -> Vec<Case> {
    let behind = |secure| Place::BehindProxy { secure };
    vec![
        case("L01", "a proxy passes it on", [hello()]).at(behind(false)),
        case("L01", "a proxy wants a password", [status(407).header("proxy-authenticate", "Basic")])
            .at(behind(false))
            .fails(Kind::GiveUp, 407, &["endpoint.invalid", "a user name and a password", "proxy's URL"])
            .retries(&[]),
        case(
            "L01",
            "a proxy wants a password for a tunnel",
            [status(407).header("proxy-authenticate", "Basic")],
        )
        .at(behind(true))
        .fails(Kind::GiveUp, None, &["endpoint.invalid", "a user name and a password", "proxy's URL"])
        .retries(&[]),
        case("L01", "a proxy makes no tunnel", [status(502), status(502)])
            .at(behind(true))
            .fails(Kind::GiveUp, None, &["the proxy cannot connect to it", "NO_PROXY"])
            .retries(&["1/1"]),
        case("L01", "a proxy that is not there", [])
            .at(Place::BehindGoneProxy)
            .fails(Kind::GiveUp, None, &["the proxy cannot be reached", "HTTPS_PROXY"])
            .retries(&["1/1"]),
        case("L01", "the network requires a login", [status(511).html("<title>Sign in</title>"), hello()])
            .retries(&["1/5"]),
    ]
}

#[tokio::test]
async fn the_endpoint_cannot_be_reached() {
    super::check_all(cases()).await;
}
