//! Which model answers: the list, the name, where the choice is kept, and what is found out of its window.

use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, Gate, status, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{chat, count_rows, leave, open, say, wait_for_rest};

/// Tool descriptions and a file have no room in it.
const SMALL: u64 = 4_096;

fn page(body: &Value) -> Answer {
    status(200).body("application/json", &body.to_string())
}

/// The program with the endpoint and the model in its configuration alone.
fn configured(endpoint: &Endpoint, model: &str) -> Clawd {
    let config = format!("# mine\nmodel = \"{model}\" # for now\nbase_url = \"{}\"\n", endpoint.base_url());
    Clawd::alone().home_file("config.toml", &config)
}

fn config_of(clawd: &Clawd) -> String {
    std::fs::read_to_string(clawd.clawd_home().join("config.toml")).unwrap_or_default()
}

/// Says something and waits for its answer.
fn talk(pty: &Pty, words: &str, answer: &str) {
    say(pty, words);
    pty.wait_for(answer);
    wait_for_rest(pty);
}

#[test]
fn the_list_tells_what_is_known_and_finds_by_words() {
    let list = json!({"data": [
        {"id": "mock-1", "max_model_len": 32768}, {"id": "org/large-coder-70b", "context_length": 131_072},
        {"id": "org/large-70b", "max_context_length": 65536}, {"id": "coder-small"},
    ]});
    let endpoint = Endpoint::script([text("By another.")]).serves("GET /v1/models", page(&list));
    let pty = chat(&endpoint);
    say(&pty, "/model");
    pty.wait_for("coder-small");
    let shown = pty.screen_text();
    for row in ["❯ mock-1 ", "in use · 32.7k", "131k", "up to 65.5k"] {
        assert!(shown.contains(row), "{row}\n{shown}");
    }
    pty.type_text("CODER 70");
    pty.wait_until("one is left", |screen| screen.contents().contains("1 of 4"));
    pty.key("enter");
    pty.wait_for("model: org/large-coder-70b · for this session");
    pty.wait_for("131k context");
    talk(&pty, "go", "By another.");
    assert_eq!(endpoint.requests()[0].body["model"], "org/large-coder-70b");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_wait_for_the_list_is_said_and_ended_by_esc() {
    let gate = Gate::new();
    let list = page(&json!({"data": [{"id": "late"}]})).hold_head(&gate);
    let endpoint = Endpoint::script([text("By the same.")]).serves("GET /v1/models", list);
    let pty = chat(&endpoint);
    say(&pty, "/model");
    pty.wait_for("loading the models of 127.0.0.1");
    pty.key("esc");
    pty.wait_until("the input is back", |screen| {
        !screen.contents().contains("loading the models of 127.0.0.1")
    });
    gate.open();
    talk(&pty, "go", "By the same.");
    assert_eq!(count_rows(&pty, "late"), 0);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_is_typed_while_the_list_is_awaited_filters_it() {
    let gate = Gate::new();
    let list = page(&json!({"data": [{"id": "first"}, {"id": "second"}]})).hold_head(&gate);
    let endpoint = Endpoint::script([]).serves("GET /v1/models", list);
    let pty = chat(&endpoint);
    say(&pty, "/model");
    pty.wait_for("loading the models of 127.0.0.1");
    pty.type_text("sec");
    pty.wait_for("  sec");
    gate.open();
    pty.wait_for("1 of 2");
    pty.key("enter");
    pty.wait_for("model: second");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_endpoint_without_a_list_says_how_to_name_a_model() {
    for answer in [status(404), page(&json!({"data": []}))] {
        let endpoint = Endpoint::script([]).serves("GET /v1/models", answer);
        let pty = chat(&endpoint);
        say(&pty, "/model");
        pty.wait_for("use /model NAME to choose a model by name");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn hundreds_of_models_with_names_that_no_screen_holds_are_one_list() {
    let long = "x".repeat(150);
    let models: Vec<Value> =
        (0..300).map(|n| json!({"id": format!("maker/{n}-{long}\u{1b}[2J\u{202e}")})).collect();
    let list = page(&json!({"data": models}));
    let endpoint = Endpoint::script([text("By that one.")]).serves("GET /v1/models", list);
    let pty = chat(&endpoint);
    say(&pty, "/model");
    pty.wait_for("300 in all");
    pty.key("pagedown");
    pty.wait_for("maker/10-");
    pty.key("up");
    pty.wait_for("❯ maker/9-");
    pty.type_text("/217-");
    pty.wait_for("1 of 300");
    pty.key("enter");
    pty.wait_for("for this session");
    talk(&pty, "go", "By that one.");
    assert_eq!(endpoint.requests()[0].body["model"], format!("maker/217-{long}\u{1b}[2J\u{202e}"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_choice_is_kept_in_the_session_and_for_the_next_one() {
    let endpoint = Endpoint::script([text("First."), text("Second."), text("Third.")]);
    let clawd = configured(&endpoint, "mock-1");
    let pty = open(&clawd);
    talk(&pty, "one", "First.");
    // only where the list is known can it be said what it lacks
    say(&pty, "/model");
    pty.wait_for("in use");
    pty.key("esc");
    pty.wait_until("the list has closed", |screen| !screen.contents().contains("in use"));
    say(&pty, "/model mock-2");
    pty.wait_for("model: mock-2 · saved in");
    pty.wait_for("listed by 127.0.0.1:");
    assert_eq!(
        config_of(&clawd),
        format!("# mine\nmodel = \"mock-2\" # for now\nbase_url = \"{}\"\n", endpoint.base_url())
    );
    talk(&pty, "two", "Second.");
    leave(&pty);
    let pty = open(&clawd);
    talk(&pty, "three", "Third.");
    let models: Vec<Value> =
        endpoint.requests().iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, ["mock-1", "mock-2", "mock-2"]);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_session_goes_on_with_its_own_model_unless_another_is_named() {
    let endpoint = Endpoint::script([text("First."), text("Second."), text("Third."), text("Fourth.")]);
    let clawd = configured(&endpoint, "mock-1");
    let pty = open(&clawd);
    say(&pty, "/model mock-2"); // before anything is said
    pty.wait_for("model: mock-2");
    talk(&pty, "one", "First.");
    leave(&pty);
    let changed = config_of(&clawd).replace("mock-2", "mock-3");
    let clawd = clawd.home_file("config.toml", &changed);
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("model: mock-2, from the resumed session (config.toml sets mock-3)");
    talk(&pty, "two", "Second.");
    leave(&pty);
    let pty = open(&clawd.again().args(["-c", "--fork-session"]));
    pty.wait_for("model: mock-2, from the resumed session");
    talk(&pty, "three", "Third.");
    leave(&pty);
    let pty = open(&clawd.again().args(["-c", "-m", "mock-4"]));
    talk(&pty, "four", "Fourth.");
    let models: Vec<Value> =
        endpoint.requests().iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, ["mock-2", "mock-2", "mock-2", "mock-4"]);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_a_flag_or_a_variable_names_is_not_written_down() {
    let endpoint = Endpoint::script([]);
    let check = |clawd: &Clawd, why: &str| {
        let before = config_of(clawd);
        let pty = open(clawd);
        say(&pty, "/model other");
        pty.wait_for(&format!("model: other · for this session only: {why}"));
        leave(&pty);
        assert_eq!(config_of(clawd), before, "{why}");
    };
    check(&configured(&endpoint, "mock-1").args(["-m", "flagged"]), "--model sets another model");
    check(&configured(&endpoint, "mock-1").env("CLAWD_MODEL", "m"), "CLAWD_MODEL sets another model");
    check(&Clawd::new(&endpoint).without_env("CLAWD_MODEL"), "CLAWD_BASE_URL sets the endpoint");
    endpoint.finish();
}

#[test]
fn behind_the_first_answer_a_window_that_is_too_small_is_said_once() {
    let props = page(&json!({"default_generation_settings": {"n_ctx": SMALL}}));
    let gate = Gate::new();
    let first = text("Half.\n\n").hold(&gate).text("First.");
    let endpoint = Endpoint::script([first, text("Second.")]).serves("GET /props", props);
    let pty = chat(&endpoint);
    say(&pty, "one");
    pty.wait_for("Half.");
    assert_eq!(endpoint.other_requests(), [""; 0], "nothing is asked before the first answer is there");
    gate.open();
    pty.wait_for("First.");
    wait_for_rest(&pty);
    pty.wait_for("tool use needs");
    pty.wait_for("llama-server with -c 32768");
    pty.wait_for("of 4k");
    talk(&pty, "two", "Second.");
    assert_eq!(count_rows(&pty, "tool use needs"), 1);
    say(&pty, "/status");
    pty.wait_for("4k tokens, reported by llama.cpp at /props");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_window_that_the_user_has_set_is_not_asked_for() {
    let endpoint = Endpoint::script([text("First.")]);
    let pty = open(&Clawd::new(&endpoint).home_file("config.toml", "context_window = 50000\n"));
    talk(&pty, "one", "First.");
    say(&pty, "/status");
    pty.wait_for("50k tokens, from the configuration");
    assert_eq!(endpoint.other_requests(), [""; 0]);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn without_a_screen_nobody_asks_for_the_window() {
    let endpoint = Endpoint::script([text("First.")]);
    Clawd::new(&endpoint).args(["-p", "one"]).run().expect_code(0);
    assert_eq!(endpoint.other_requests(), [""; 0]);
    endpoint.finish();
}
