//! Which key is sent to which host: every source of a key with every source of an endpoint.
//!
//! The endpoint answers 401 to everything, so that rotation sends it every key that it may have.

use std::net::TcpListener;

use crate::endpoint::{Endpoint, Request, status};
use crate::harness::Clawd;

/// Where the endpoint comes from, in the order of the columns of [`the_key_table`].
const ENDPOINTS: [&str; 5] = ["--base-url", "CLAWD_BASE_URL", "base_url", "--provider", "provider ="];

/// A source of keys: content of `config.toml`, content of `credentials.toml`, variables, arguments.
#[derive(Clone, Copy)]
struct Source<'a> {
    root: &'a str,
    tables: &'a str,
    saved: &'a str,
    variables: &'a [&'a str],
    args: &'a [&'a str],
}

const NONE: Source<'static> = Source { root: "", tables: "", saved: "", variables: &[], args: &[] };

/// The keys that `endpoint` gets if it comes from `column` and keys come from `source`. `HOST` is its host, `OTHER` another.
fn sent(column: &str, source: &Source<'_>, address: &str) -> Vec<String> {
    let endpoint = Endpoint::on(address, []).then_forever(status(401));
    let other = if address == "127.0.0.2" { "127.0.0.1:9" } else { "127.0.0.2:9" };
    let url = endpoint.base_url();
    let host = url.trim_start_matches("http://").trim_end_matches("/v1");
    let fill = |text: &str| text.replace("OTHER", other).replace("HOST", host);
    let mut root = fill(source.root);
    let mut clawd = Clawd::alone().home_file("credentials.toml", &fill(source.saved));
    match column {
        "--base-url" => clawd = clawd.args(["--base-url", &url]),
        "CLAWD_BASE_URL" => clawd = clawd.env("CLAWD_BASE_URL", &url),
        "base_url" if root.contains("base_url") => {}
        "base_url" => root = format!("{root}base_url = \"{url}\"\n"),
        "--provider" => clawd = clawd.args(["--provider", "p"]),
        _ => root.push_str("provider = \"p\"\n"),
    }
    let p = if source.tables.contains("[providers.p]") {
        ""
    } else {
        "[providers.p]\nbase_url = \"http://HOST/v1\"\n"
    };
    let tables = fill(&format!("{p}{}", source.tables));
    clawd = clawd.home_file("config.toml", &format!("max_retries = 0\n{root}{tables}"));
    for name in source.variables {
        clawd = clawd.env(name, &format!("k-{name}"));
    }
    let output = clawd.args(source.args.iter().copied()).args(["-m", "m", "-p", "go"]).run();
    assert_eq!(output.code, Some(1), "{column}: {output:#?}");
    let key = |request: Request| request.header("authorization").unwrap_or("none").replace("Bearer k-", "");
    let keys = endpoint.requests().into_iter().map(key).collect();
    endpoint.finish();
    keys
}

/// Checks a row: the keys that an endpoint of each column gets, `-` where that column cannot be.
fn check_row(host: &str, source: &Source<'_>, expected: [&str; 5]) {
    for (column, expected) in ENDPOINTS.iter().zip(expected) {
        if expected != "-" {
            let found = sent(column, source, host).join(" ");
            let Source { root, tables, saved, variables, args } = source;
            assert_eq!(found, expected, "{host} by {column}: {root}{tables}{saved}{variables:?}{args:?}");
        }
    }
}

/// A source in the root table.
fn root(root: &str) -> Source<'_> {
    Source { root, variables: &["WORK_KEY"], ..NONE }
}

/// A source in the table of a provider.
fn table(tables: &str) -> Source<'_> {
    Source { tables, variables: &["FAR_KEY", "FAR_KEY_2"], ..NONE }
}

/// A saved key.
fn saved(saved: &str) -> Source<'_> {
    Source { saved, ..NONE }
}

/// The whole table for an endpoint on `host`.
fn the_key_table(host: &str) {
    let check = |source: Source<'_>, expected: [&str; 5]| check_row(host, &source, expected);
    let everywhere = |key| [key; 5];
    let none = "none";
    let (clawd, openai) = (&["CLAWD_API_KEY"][..], &["OPENAI_API_KEY"][..]);
    check(NONE, everywhere(none));
    check(Source { variables: clawd, ..NONE }, ["CLAWD_API_KEY", "CLAWD_API_KEY", none, none, none]);
    check(Source { variables: openai, ..NONE }, ["OPENAI_API_KEY", "OPENAI_API_KEY", none, none, none]);
    check(
        Source { variables: &["CLAWD_API_KEY", "OPENAI_API_KEY"], ..NONE },
        ["CLAWD_API_KEY", "CLAWD_API_KEY", none, none, none],
    );
    check(Source { args: &["--api-key", "k-typed"], ..NONE }, everywhere("typed"));

    let work = "WORK_KEY";
    check(root("api_key_env = \"WORK_KEY\"\n"), [none, none, work, none, none]);
    check(
        root("api_key_env = \"WORK_KEY\"\nbase_url = \"http://HOST/other\"\n"),
        [work, work, "-", none, none],
    );
    for elsewhere in ["https://HOST/v1", "http://OTHER/v1", "https://api.openai.com/v1"] {
        let text = format!("api_key_env = \"WORK_KEY\"\nbase_url = \"{elsewhere}\"\n");
        check(root(&text), [none, none, "-", none, none]);
    }
    // rotation does not go further than the first key does
    check(
        Source {
            variables: &["CLAWD_API_KEY", "WORK_KEY"],
            ..root("api_key_env = [\"WORK_KEY\", \"CLAWD_API_KEY\"]\nbase_url = \"http://OTHER/v1\"\n")
        },
        ["CLAWD_API_KEY", "CLAWD_API_KEY", "-", none, none],
    );

    let both = "FAR_KEY FAR_KEY_2";
    check(
        table("[providers.p]\nbase_url = \"http://HOST/v1\"\napi_key_env = [\"FAR_KEY\", \"FAR_KEY_2\"]\n"),
        [none, none, none, both, both],
    );
    for elsewhere in ["https://HOST/v1", "http://OTHER/v1", "http://HOST/v1"] {
        let text = format!("[providers.q]\nbase_url = \"{elsewhere}\"\napi_key_env = \"FAR_KEY\"\n");
        check(table(&text), everywhere(none));
    }

    check(saved("[keys]\n\"HOST\" = \"k-saved\"\n"), everywhere("saved"));
    check(saved("[keys]\n\"http://HOST\" = \"k-saved\"\n"), everywhere("saved"));
    check(saved("[keys]\n\"https://HOST\" = \"k-saved\"\n"), everywhere(none));
    check(saved("[keys]\n\"OTHER\" = \"k-saved\"\n\"http://OTHER\" = \"k-2\"\n"), everywhere(none));
    // a saved key is the last resort: another host's variable does not keep it away
    check(
        Source { saved: "[keys]\n\"HOST\" = \"k-saved\"\n", ..root("api_key_env = \"WORK_KEY\"\n") },
        ["saved", "saved", work, "saved", "saved"],
    );
}

#[test]
fn each_key_goes_to_its_own_host_alone() {
    the_key_table("127.0.0.1");
}

#[test]
fn another_loopback_address_is_another_host() {
    the_key_table("127.0.0.2");
}

#[test]
fn a_v6_address_is_another_host() {
    if TcpListener::bind("[::1]:0").is_ok() {
        the_key_table("::1");
    }
}
