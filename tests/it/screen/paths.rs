//! `@path` as it is typed: the popup, what Tab and Enter take, and what is sent then.

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{leave, open, wait_for_rest};

/// Files of a project, some with names that are no words.
fn project(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint)
        .file("src/update/input.rs", "keys\n")
        .file("src/view.rs", "rows\n")
        .file("docs/read me.md", "words\n")
        .file("target/input.rs", "made\n")
        .file(".gitignore", "target\n")
        .repository()
}

/// Types, takes, sends; gives what the model was sent.
fn sent(keys: impl Fn(&Pty)) -> String {
    let endpoint = Endpoint::script([text("Received.")]);
    let pty = open(&project(&endpoint));
    keys(&pty);
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    let sent = endpoint.requests()[0].last_text();
    leave(&pty);
    endpoint.finish();
    sent
}

#[test]
fn a_few_letters_find_a_file_and_tab_takes_it() {
    let sent = sent(|pty| {
        pty.type_text("see @inp");
        pty.wait_for("❯ @src/update/input.rs");
        assert!(!pty.screen_text().contains("@target"), "what is ignored is not offered");
        pty.key("tab");
        pty.wait_for("❯ see @src/update/input.rs");
        pty.type_text("now");
        pty.wait_for("input.rs now");
    });
    assert!(sent.starts_with("see @src/update/input.rs now\n\n"), "{sent}");
    assert!(sent.ends_with("<file path=\"src/update/input.rs\">\n1\tkeys\n</file>"), "{sent}");
}

#[test]
fn enter_takes_and_a_directory_leads_on() {
    let sent = sent(|pty| {
        pty.type_text("@src");
        pty.wait_for("❯ @src/");
        pty.key("enter");
        pty.wait_for("  @src/view.rs");
        pty.type_text("vi");
        pty.wait_until("only that", |screen| !screen.contents().contains("input.rs"));
        pty.key("enter");
        pty.wait_until("it taken", |screen| !screen.contents().contains("  @"));
    });
    assert!(sent.contains("<file path=\"src/view.rs\">\n1\trows\n</file>"), "{sent}");
}

#[test]
fn a_name_with_a_space_is_quoted_and_esc_leaves_what_is_typed() {
    let quoted = sent(|pty| {
        pty.type_text("@readme");
        pty.wait_for("❯ @docs/read me.md");
        pty.key("tab");
        pty.wait_for("❯ @\"docs/read me.md\"");
    });
    assert!(quoted.contains("<file path=\"docs/read me.md\">\n1\twords\n</file>"), "{quoted}");
    let plain = sent(|pty| {
        pty.type_text("ask @vie");
        pty.wait_for("❯ @src/view.rs");
        pty.key("esc");
        pty.wait_until("no popup", |screen| !screen.contents().contains("view.rs"));
    });
    assert_eq!(plain, "ask @vie");
}

#[test]
fn what_is_attached_is_said_under_the_message() {
    let endpoint = Endpoint::script([text("Received.")]);
    let pty = open(&project(&endpoint));
    pty.type_text("see @src/view.rs:1 and @src/nowhere.rs");
    pty.key("enter");
    pty.wait_for("Received.");
    wait_for_rest(&pty);
    let screen = pty.screen_text();
    assert!(screen.contains("attached src/view.rs:1"), "{screen}");
    assert!(screen.contains("@src/nowhere.rs is not attached: it does not exist"), "{screen}");
    assert!(!screen.contains("1\trows"), "{screen}");
    leave(&pty);
    endpoint.finish();
}
