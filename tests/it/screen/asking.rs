//! The model asks the user something: the answers, the keys that are not meant for the question, the ways out of it.

use serde_json::{Value, json};

use crate::endpoint::{Call, Endpoint, Gate, call, calls, text, thinking};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{GUARD, answer, chat, count_rows, leave, open, say, wait_for_rest};

const QUESTION: &str = "Which database?";

fn ask(options: &Value) -> Call {
    call("AskUser", json!({"question": QUESTION, "options": options}))
}

/// A model that asks for one of two databases, and then speaks.
fn asking() -> Endpoint {
    Endpoint::script([calls([ask(&json!(["SQLite", "Postgres"]))]), text("Noted.")])
}

/// Waits for the end of the run and checks what the model was told, and the one line that stays.
fn check_told(pty: &Pty, endpoint: &Endpoint, told: &str, shown: &str) {
    pty.wait_for("Noted.");
    wait_for_rest(pty);
    assert_eq!(endpoint.wait_for_request(2).tool_result("call_1"), told);
    assert_eq!(count_rows(pty, &format!("● ask  {QUESTION}  {shown}")), 1, "{}", pty.screen_text());
}

fn check_answer(keys: &[&str], told: &str) {
    let endpoint = asking();
    let pty = chat(&endpoint);
    say(&pty, "build the shop");
    pty.wait_for("2. Postgres");
    let shown = pty.screen_text();
    for words in [QUESTION, "1. SQLite", "3. Other (type your answer)", "waiting for your answer"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(!shown.contains("Allow"), "nobody is asked whether it may ask\n{shown}");
    std::thread::sleep(GUARD);
    for key in keys {
        pty.key(key);
    }
    check_told(&pty, &endpoint, told, told);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_number_takes_an_option() {
    check_answer(&["2"], "Postgres");
}

#[test]
fn enter_takes_the_option_with_the_focus() {
    check_answer(&["down", "down", "up", "enter"], "Postgres");
}

#[test]
fn another_answer_is_given_in_own_words() {
    let endpoint = asking();
    let pty = chat(&endpoint);
    say(&pty, "build the shop");
    answer(&pty, QUESTION, "3");
    pty.type_text("2 files, no server");
    pty.wait_for("❯ 3. 2 files, no server");
    pty.key("enter");
    check_told(&pty, &endpoint, "2 files, no server", "2 files, no server");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn without_options_one_types_at_once() {
    let endpoint = Endpoint::script([calls([ask(&json!([]))]), text("Noted.")]);
    let pty = chat(&endpoint);
    say(&pty, "build the shop");
    pty.wait_for("❯ type your answer");
    std::thread::sleep(GUARD);
    pty.type_text("1 of any");
    pty.wait_for("❯ 1 of any");
    pty.key("enter");
    check_told(&pty, &endpoint, "1 of any", "1 of any");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn esc_leaves_it_unanswered_and_the_run_goes_on() {
    let endpoint = asking();
    let pty = chat(&endpoint);
    say(&pty, "build the shop");
    answer(&pty, QUESTION, "esc");
    pty.wait_for("Noted.");
    wait_for_rest(&pty);
    let told = endpoint.wait_for_request(2).tool_result("call_1");
    assert!(told.contains("without an answer"), "{told}");
    assert_eq!(count_rows(&pty, "not answered"), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_c_ends_the_run() {
    let endpoint = Endpoint::script([calls([ask(&json!(["a", "b"]))]), text("Later.")]);
    let pty = chat(&endpoint);
    say(&pty, "build the shop");
    answer(&pty, QUESTION, "ctrl-c");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    assert_eq!(count_rows(&pty, " stopped"), 0, "nothing ran");
    say(&pty, "next");
    pty.wait_for("Later.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.roles(), "system user assistant tool user");
    assert!(request.tool_result("call_1").contains("interrupted"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn keys_pressed_as_a_question_comes_go_into_the_draft() {
    let gate = Gate::new();
    let options = json!(["SQLite", "Postgres"]);
    let endpoint = Endpoint::script([
        thinking("hm").hold(&gate).calls([ask(&options)]),
        text("Noted."),
        text("And that."),
    ]);
    let pty = chat(&endpoint);
    say(&pty, "build the shop");
    pty.wait_for("hm");
    pty.type_text("12");
    gate.open();
    pty.wait_for(QUESTION);
    // still within the time in which no key counts
    pty.type_text("21");
    std::thread::sleep(GUARD);
    assert_eq!(endpoint.requests().len(), 1, "what was typed is no answer\n{}", pty.screen_text());
    pty.key("2");
    check_told(&pty, &endpoint, "Postgres", "Postgres");
    pty.wait_for("❯ 1221");
    pty.key("enter");
    pty.wait_for("And that.");
    assert_eq!(endpoint.wait_for_request(3).last_text(), "1221");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn plan_mode_lets_it_ask_and_another_mode_answers_nothing() {
    let endpoint = asking();
    let pty = open(&Clawd::new(&endpoint).args(["--permission-mode", "plan"]));
    say(&pty, "build the shop");
    answer(&pty, QUESTION, "shift-tab");
    pty.wait_until("the next mode", |screen| !screen.contents().contains("plan"));
    assert!(pty.screen_text().contains("1. SQLite"), "{}", pty.screen_text());
    pty.key("1");
    check_told(&pty, &endpoint, "SQLite", "SQLite");
    leave(&pty);
    endpoint.finish();
}
