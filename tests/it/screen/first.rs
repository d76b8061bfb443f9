//! What is asked before there is anybody to talk to, and what happens when nobody answers.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::endpoint::{Endpoint, status, text};
use crate::harness::Clawd;

use super::{answer, count_rows, leave, open, say, wait_for_rest};

const INSTRUCTIONS: &str = "Always answer in rhymes.\n";

fn with_instructions(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).repository().file("AGENTS.md", INSTRUCTIONS)
}

fn system(endpoint: &Endpoint, request: usize) -> String {
    endpoint.wait_for_request(request).messages()[0]["content"].to_string()
}

#[test]
fn a_trusted_directorys_instructions_are_sent_now_and_later() {
    let endpoint = Endpoint::script([text("First."), text("Second.")]);
    let clawd = with_instructions(&endpoint);
    let pty = open(&clawd);
    pty.wait_for("trust");
    pty.wait_for("AGENTS.md");
    answer(&pty, "trust", "1");
    pty.wait_for("default");
    say(&pty, "one");
    pty.wait_for("First.");
    wait_for_rest(&pty);
    assert!(system(&endpoint, 1).contains("in rhymes"));
    leave(&pty);
    let pty = open(&clawd);
    say(&pty, "two");
    pty.wait_for("Second.");
    wait_for_rest(&pty);
    assert!(!pty.screen_text().contains("Do you trust"), "it is not asked again");
    assert!(system(&endpoint, 2).contains("in rhymes"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn look_only_leaves_the_instructions_out_and_asks_again_the_next_time() {
    let endpoint = Endpoint::script([text("First.")]);
    let clawd = with_instructions(&endpoint);
    let pty = open(&clawd);
    answer(&pty, "trust", "2");
    pty.wait_for("ignored: AGENTS.md");
    pty.wait_for("clawd asks again at the");
    say(&pty, "one");
    pty.wait_for("First.");
    wait_for_rest(&pty);
    assert!(!system(&endpoint, 1).contains("rhymes"));
    leave(&pty);
    let pty = open(&clawd);
    // the focus stands on the second row
    answer(&pty, "trust", "enter");
    pty.wait_for("ignored: AGENTS.md");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn three_and_esc_leave() {
    let endpoint = Endpoint::script([]);
    for key in ["3", "esc", "ctrl-c"] {
        let pty = open(&with_instructions(&endpoint));
        answer(&pty, "trust", key);
        assert_eq!(pty.wait_exit().code, 0);
        pty.assert_terminal_restored();
    }
    endpoint.finish();
}

#[test]
fn of_several_models_one_is_chosen() {
    let endpoint = Endpoint::script([text("By the second.")]).models(["model-a", "model-b"]);
    let clawd = Clawd::new(&endpoint).without_env("CLAWD_MODEL");
    let pty = open(&clawd);
    pty.wait_for("model-b");
    pty.key("down");
    pty.wait_for("❯ model-b");
    pty.key("enter");
    pty.wait_for("default");
    say(&pty, "go");
    pty.wait_for("By the second.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.requests()[0].body["model"], "model-b");
    leave(&pty);
    assert!(!clawd.clawd_home().join("config.toml").exists(), "what the environment says is not kept");
    endpoint.finish();
}

#[test]
fn of_several_models_none_is_chosen_by_leaving() {
    let endpoint = Endpoint::script([]).models(["model-a", "model-b"]);
    let pty = open(&Clawd::new(&endpoint).without_env("CLAWD_MODEL"));
    pty.wait_for("model-b");
    pty.key("esc");
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
    endpoint.finish();
}

#[test]
fn a_directory_with_nothing_to_trust_is_not_asked_about() {
    let endpoint = Endpoint::script([]);
    let pty = open(&Clawd::new(&endpoint).repository().file("src/main.rs", "fn main() {}\n"));
    pty.wait_for("default");
    assert!(!pty.screen_text().contains("Do you trust"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn without_an_endpoint_one_is_asked_for_and_kept() {
    let endpoint = Endpoint::script([text("First."), text("Second.")]);
    let clawd = Clawd::alone();
    let pty = open(&clawd);
    pty.wait_for("No endpoint");
    choose(&pty, "Enter a URL");
    pty.wait_for("Endpoint URL");
    say(&pty, &endpoint.base_url());
    pty.wait_for("API key for");
    pty.type_text("sk-typed-by-hand");
    pty.wait_until("the key is hidden", |screen| !screen.contents().contains("sk-typed"));
    pty.key("enter");
    pty.wait_for("mock-1");
    say(&pty, "one");
    pty.wait_for("First.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(1).header("authorization"), Some("Bearer sk-typed-by-hand"));
    assert!(!String::from_utf8_lossy(&pty.raw_bytes()).contains("sk-typed"));
    leave(&pty);

    let credentials = clawd.clawd_home().join("credentials.toml");
    assert!(std::fs::read_to_string(&credentials).unwrap().contains("sk-typed-by-hand"));
    assert_eq!(std::fs::metadata(&credentials).unwrap().permissions().mode() & 0o777, 0o600);
    let config = std::fs::read_to_string(clawd.clawd_home().join("config.toml")).unwrap();
    assert!(config.contains(&endpoint.base_url()) && !config.contains("sk-typed"), "{config}");

    let pty = open(&clawd);
    pty.wait_for("mock-1");
    say(&pty, "two");
    pty.wait_for("Second.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).header("authorization"), Some("Bearer sk-typed-by-hand"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_address_that_makes_no_sense_can_be_corrected() {
    let endpoint = Endpoint::script([]);
    let pty = open(&Clawd::alone());
    choose(&pty, "Enter a URL");
    pty.wait_for("Endpoint URL");
    say(&pty, "not an address");
    pty.wait_for("Error:");
    assert!(!pty.screen_text().contains("API key for"), "{}", pty.screen_text());
    pty.key("ctrl-u");
    say(&pty, &endpoint.base_url());
    pty.wait_for("API key for");
    pty.key("enter");
    pty.wait_for("mock-1");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_first_run_screen_is_left_by_esc_and_by_ctrl_d() {
    for key in ["esc", "ctrl-c", "ctrl-d"] {
        let pty = open(&Clawd::alone());
        pty.wait_for("Enter a URL");
        pty.key(key);
        assert_eq!(pty.wait_exit().code, 0, "{key}");
        pty.assert_terminal_restored();
    }
}

#[test]
fn an_endpoint_that_is_down_is_said_within_a_second() {
    // a port on which nobody listens
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let pty =
        open(&Clawd::alone().env("CLAWD_BASE_URL", &format!("http://{address}/v1")).env("CLAWD_MODEL", "m"));
    say(&pty, "is anybody there?");
    let asked = Instant::now();
    pty.wait_for("Error:");
    // generous on a loaded machine; the promise is one second
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert!(pty.screen_text().contains(&address.to_string()), "{}", pty.screen_text());
    leave(&pty);
}

#[test]
fn after_a_failure_enter_on_the_empty_input_asks_again() {
    let endpoint = Endpoint::script([status(400), text("The second time.")]);
    let pty = open(&Clawd::new(&endpoint));
    say(&pty, "try");
    pty.wait_for("Error:");
    wait_for_rest(&pty);
    pty.key("enter");
    pty.wait_for("The second time.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user");
    assert_eq!(endpoint.requests()[1].last_text(), "try");
    assert_eq!(count_rows(&pty, "❯ try"), 1);
    // with nothing to ask, nothing is asked
    pty.key("enter");
    say(&pty, "/status");
    pty.wait_for("permissions");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn after_a_failure_the_prompt_is_in_the_history() {
    let endpoint = Endpoint::script([status(400), text("Better.")]);
    let pty = open(&Clawd::new(&endpoint));
    say(&pty, "try");
    pty.wait_for("Error:");
    wait_for_rest(&pty);
    pty.key("up");
    pty.type_text(" harder");
    pty.wait_for("❯ try harder");
    pty.key("enter");
    pty.wait_for("Better.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).last_text(), "try\n\ntry harder");
    leave(&pty);
    endpoint.finish();
}

/// Takes the row of the first-run screen that has the focus.
fn choose(pty: &crate::pty::Pty, row: &str) {
    pty.wait_until("the focus there", |screen| {
        screen.contents().lines().any(|line| line.starts_with('❯') && line.trim_end().ends_with(row))
    });
    pty.key("enter");
}
