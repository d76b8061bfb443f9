//! `[providers.NAME]`: an endpoint by its name, and that what belongs to it goes there and nowhere else.

use serde_json::{Value, json};

use crate::bad_input::files_below;
use crate::endpoint::{Endpoint, Request, call, calls, status, text};
use crate::harness::{Clawd, Output};
use crate::headless::{expect_one_line, streaming, streaming_again, the};

/// The key that belongs to no host of a file.
const GENERAL: &str = "sk-general-0123456789";

/// The program with this `config.toml`, where `URL` stands for the endpoint's address; a general key is set.
fn configured(endpoint: &Endpoint, content: &str) -> Clawd {
    let content = content.replace("URL", &endpoint.base_url());
    let clawd = Clawd::alone().env("CLAWD_API_KEY", GENERAL).env("OPENAI_API_KEY", GENERAL);
    streaming_again(&clawd.home_file("config.toml", &content))
}

fn authorization(request: &Request) -> &str {
    request.header("authorization").unwrap_or("none")
}

const MINE: &str = r#"
    [providers.mine]
    base_url = "URL"
    api_key_env = "MY_KEY"
    model = "my-model"
    headers = { X-Team = "core", X-Code = "code ${MY_CODE}" }
    extra_body = { top_k = 3, nested = { yes = true } }
    "#;

/// The same with what it needs.
fn mine(endpoint: &Endpoint, before: &str) -> Clawd {
    let clawd = configured(endpoint, &format!("{before}{MINE}"));
    clawd.env("MY_KEY", "sk-mine-0123456789").env("MY_CODE", "open-sesame")
}

fn check_mine(request: &Request) {
    assert_eq!(authorization(request), "Bearer sk-mine-0123456789");
    assert_eq!(request.body["model"], "my-model");
    assert_eq!(
        (request.header("x-team"), request.header("x-code")),
        (Some("core"), Some("code open-sesame"))
    );
    assert_eq!((&request.body["top_k"], &request.body["nested"]), (&json!(3), &json!({"yes": true})));
}

#[test]
fn a_provider_is_chosen_by_option_or_by_file() {
    let other = Endpoint::script([]);
    let endpoint = Endpoint::script([text("ok"), text("ok")]);
    let by_file =
        mine(&endpoint, "provider = \"mine\"\nmodel = \"other\"\nbase_url = \"http://127.0.0.1:9/v1\"");
    let output = by_file.arg("go").run().expect_code(0);
    assert_eq!((output.stderr.as_str(), &the(&output, "session_start")["model"]), ("", &json!("my-model")));
    check_mine(&endpoint.requests()[0]);
    let elsewhere =
        mine(&endpoint, "").env("CLAWD_BASE_URL", &other.base_url()).env("CLAWD_MODEL", "env-model");
    elsewhere.args(["--provider", "mine", "go"]).run().expect_code(0);
    check_mine(&endpoint.requests()[1]);
    other.finish();
    endpoint.finish();
}

#[test]
fn an_address_of_the_environment_beats_the_provider_of_the_file_and_gets_nothing_of_it() {
    let endpoint = Endpoint::script([]);
    let other = Endpoint::script([text("ok"), text("ok")]);
    let clawd = mine(&endpoint, "provider = \"mine\"\n").env("CLAWD_MODEL", "env-model");
    clawd.clone().env("CLAWD_BASE_URL", &other.base_url()).arg("go").run().expect_code(0);
    clawd.args(["--base-url", &other.base_url(), "go"]).run().expect_code(0);
    for request in other.requests() {
        assert_eq!(authorization(&request), format!("Bearer {GENERAL}"));
        assert_eq!(request.body["model"], "env-model");
        assert_eq!((request.header("x-team"), request.header("x-code")), (None, None));
        assert_eq!((&request.body["top_k"], &request.body["nested"]), (&Value::Null, &Value::Null));
    }
    endpoint.finish();
    other.finish();
}

#[test]
fn a_general_key_never_goes_to_a_host_that_only_a_file_names() {
    let endpoint = Endpoint::script([text("ok"), text("ok"), text("ok")]);
    let run = |content: &str, args: &[&str]| {
        configured(&endpoint, content)
            .args(args.iter().copied())
            .args(["-m", "m", "go"])
            .run()
            .expect_code(0);
    };
    run("base_url = \"URL\"\n", &[]);
    run("provider = \"p\"\n[providers.p]\nbase_url = \"URL\"\n", &[]);
    run("[providers.p]\nbase_url = \"URL\"\n", &["--provider", "p"]);
    assert!(endpoint.requests().iter().all(|request| authorization(request) == "none"));
    endpoint.finish();
}

#[test]
fn a_list_of_models_is_asked_for_with_the_same_head() {
    let endpoint = Endpoint::script([text("ok")]).models(["only"]);
    let content = MINE.replace("model = \"my-model\"", "").replace("URL", "URL?api-version=2024-10-21");
    let clawd = configured(&endpoint, &content).env("MY_KEY", "sk-mine").env("MY_CODE", "open-sesame");
    clawd.args(["--provider", "mine", "go"]).run().expect_code(0);
    assert_eq!(endpoint.other_requests(), ["GET /v1/models?api-version=2024-10-21"]);
    assert_eq!(endpoint.other_headers("authorization"), ["Bearer sk-mine"]);
    assert_eq!(endpoint.other_headers("x-code"), ["code open-sesame"]);
    assert_eq!(endpoint.requests()[0].query, "api-version=2024-10-21");
    endpoint.finish();
}

#[test]
fn what_a_provider_sets_reaches_the_request() {
    let root = "model = \"m\"\ntemperature = 0.9\nreasoning_effort = \"low\"\nmax_output_tokens = 7\n";
    let own = "[providers.own]\nbase_url = \"URL\"\ntemperature = 0.1\nmax_output_tokens = 0\nstream = false\n\
               [providers.bare]\nbase_url = \"URL\"\n";
    let endpoint = Endpoint::script([text("ok"), text("ok")]);
    let clawd = configured(&endpoint, &format!("{root}{own}"));
    for name in ["own", "bare"] {
        let output = clawd.clone().args(["--provider", name, "go"]).run().expect_code(0);
        assert_eq!(output.result()["final_message"], "ok");
    }
    let streamed: Vec<Value> =
        endpoint.requests().iter().map(|request| request.body["stream"].clone()).collect();
    assert_eq!(streamed, [json!(false), json!(true)]);
    let sent = |request: &Request| {
        let body = &request.body;
        [body["temperature"].clone(), body["reasoning_effort"].clone(), body["max_tokens"].clone()]
    };
    assert_eq!(sent(&endpoint.requests()[0]), [json!(0.1), json!("low"), Value::Null]);
    assert_eq!(sent(&endpoint.requests()[1]), [json!(0.9), json!("low"), json!(7)]);
    endpoint.finish();
}

/// A key is in nothing that was printed or kept.
fn expect_nowhere(secret: &str, output: &Output, clawd: &Clawd) {
    assert!(!output.stdout.contains(secret) && !output.stderr.contains(secret), "{output:#?}");
    let kept = files_below(&clawd.clawd_home());
    assert!(kept.iter().any(|(path, _)| path.ends_with("config.toml")));
    for (path, content) in kept {
        assert!(!content.contains(secret), "{}", path.display());
    }
}

#[test]
fn the_next_key_of_a_provider_has_its_turn_when_one_is_refused() {
    let (first, second) = ("sk-first-0123456789", "sk-second-0123456789");
    let refused = json!({"error": {"message": format!("Incorrect API key provided: {first}.")}}).to_string();
    let endpoint = Endpoint::script([
        status(401).body("application/json", &refused),
        calls([call("Bash", json!({"command": "env; echo [$ONE$TWO]"}))]),
        text("ok"),
    ]);
    let content = "provider = \"p\"\n[providers.p]\nbase_url = \"URL\"\nmodel = \"m\"\n\
                   api_key_env = [\"ONE\", \"ABSENT\", \"SAME\", \"TWO\"]\n";
    let clawd = configured(&endpoint, content).env("ONE", first).env("SAME", first).env("TWO", second);
    let clawd = clawd.args(["--yolo", "--debug", "go"]);
    let output = clawd.run().expect_code(0);
    let sent: Vec<String> =
        endpoint.requests().iter().map(|request| authorization(request).to_owned()).collect();
    let expected = [first, second, second].map(|key| format!("Bearer {key}"));
    assert_eq!(sent, expected);
    let notices = output.events_of("notice");
    let rotated: Vec<&Value> = notices.iter().filter(|notice| notice["kind"] == "key_rotated").collect();
    assert!(
        matches!(rotated[..], [notice] if notice["text"].as_str().unwrap().contains("ONE")),
        "{output:#?}"
    );
    assert!(the(&output, "tool_result")["content"].as_str().unwrap().contains("PATH="), "{output:#?}");
    for secret in [first, second, GENERAL] {
        expect_nowhere(secret, &output, &clawd);
    }
    endpoint.finish();
}

#[test]
fn the_value_of_a_header_is_kept_like_a_key() {
    let echoed = json!({"error": {"message": "who is open-sesame and sk-mine-0123456789?"}}).to_string();
    let endpoint = Endpoint::script([
        calls([call("Bash", json!({"command": "env; echo [$MY_CODE]"}))]),
        status(400).body("application/json", &echoed),
    ]);
    let clawd = mine(&endpoint, "provider = \"mine\"\n").args(["--yolo", "--debug", "go"]);
    let output = clawd.run().expect_code(1);
    assert!(output.stderr.contains("who is [redacted key] and [redacted key]?"), "{output:#?}");
    assert!(the(&output, "tool_result")["content"].as_str().unwrap().contains("PATH="), "{output:#?}");
    for secret in ["open-sesame", "sk-mine-0123456789"] {
        expect_nowhere(secret, &output, &clawd);
    }
    endpoint.finish();
}

#[test]
fn an_address_may_have_a_query_which_is_sent_and_whose_secrets_are_not_shown() {
    let endpoint = Endpoint::script([text("ok"), status(400)]);
    let query = "api-version=2024-10-21&sig=a-secret-signature";
    let url = format!("{}/chat/completions?{query}", endpoint.base_url());
    let clawd =
        streaming(&endpoint).without_env("CLAWD_BASE_URL").args(["--base-url", &url, "--debug", "go"]);
    let output = clawd.run().expect_code(0);
    assert_eq!(endpoint.requests()[0].query, query);
    let told: Vec<Value> = output.events_of("notice").iter().map(|notice| notice["text"].clone()).collect();
    assert!(
        told.iter().any(|text| text.as_str().unwrap().contains("?api-version=2024-10-21&sig=***")),
        "{told:?}"
    );
    let again = streaming_again(&clawd).args(["--base-url", &url, "--debug", "go"]).run().expect_code(1);
    let kept = files_below(&clawd.clawd_home());
    assert!(!kept.is_empty() && kept.iter().all(|(_, content)| !content.contains("a-secret-signature")));
    for output in [output, again] {
        assert!(!output.stdout.contains("a-secret-") && !output.stderr.contains("a-secret-"), "{output:#?}");
    }
    endpoint.finish();
}

/// Nothing is sent: exit code 2, one line with these parts.
fn check_unable(content: &str, args: &[&str], parts: &[&str]) {
    let endpoint = Endpoint::script([]);
    let output = configured(&endpoint, content).args(args.iter().copied()).arg("go").run().expect_code(2);
    expect_one_line(&output, &[&["Error: "], parts].concat());
    assert_eq!(output.result()["error"]["type"], "initialization_failed");
    assert_eq!(endpoint.other_requests(), [""; 0]);
    endpoint.finish();
}

#[test]
fn a_provider_that_cannot_be_used_is_told_before_anything_is_sent() {
    check_unable(MINE, &["--provider", "yours"], &["no provider is called `yours`", "try one of: mine"]);
    check_unable("", &["--provider", "yours"], &["no provider is called `yours`", "[providers.NAME]"]);
    check_unable(MINE, &["--provider", "mine"], &["MY_CODE", "X-Code", "not set"]);
    let far = "[providers.far]\nbase_url = \"https://models.invalid/v1\"\nmodel = \"m\"\n";
    check_unable(far, &["--provider", "far"], &["no API key", "models.invalid", "[providers.far]"]);
    let named = format!("{far}api_key_env = [\"FAR_ONE\", \"FAR_TWO\"]\n");
    check_unable(&named, &["--provider", "far"], &["no API key", "FAR_ONE or FAR_TWO"]);
}

#[test]
fn an_unknown_key_of_a_provider_is_only_a_warning() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = configured(&endpoint, "[providers.p]\nbase_url = \"URL\"\nmodle = \"m\"\n");
    let output = clawd.args(["--provider", "p", "-m", "m", "go"]).run().expect_code(0);
    expect_one_line(&output, &["config.toml", "line 3", "providers.p.modle", "`providers.p.model`"]);
    endpoint.finish();
}
