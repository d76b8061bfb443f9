//! Rules that the user grants: what is offered, that it holds, and that it can be taken back.

use serde_json::json;

use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};

use super::{GUARD, answer, bash, count_rows, leave, open, say, wait_for_rest};

fn grants(clawd: &Clawd) -> String {
    std::fs::read_to_string(clawd.clawd_home().join("grants.toml")).unwrap_or_default()
}

/// Says the words and grants the rule that is offered; the run ends with `end`.
fn grant(pty: &Pty, words: &str, end: &str) {
    say(pty, words);
    answer(pty, "Allow", "2");
    pty.wait_for(end);
    wait_for_rest(pty);
}

#[test]
fn a_granted_beginning_holds_for_the_next_call_of_the_same_answer_and_for_the_next_session() {
    let endpoint = Endpoint::script([
        calls([bash("git add one"), bash("git add two three")]),
        text("First."),
        calls([bash("git add four")]),
        text("Second."),
    ]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "add them");
    pty.wait_for("1. Yes");
    let row = "2. Yes, and don't ask again for Bash(git add:*) in this project";
    assert!(pty.screen_text().contains(row), "{}", pty.screen_text());
    assert_eq!(grants(&clawd), "", "not before the answer");
    answer(&pty, "Allow", "2");
    pty.wait_for("First.");
    wait_for_rest(&pty);
    assert!(grants(&clawd).contains("\"Bash(git add:*)\""), "{}", grants(&clawd));
    leave(&pty);
    let pty = open(&clawd);
    say(&pty, "and that");
    pty.wait_for("Second.");
    assert_eq!(count_rows(&pty, "Allow this command?"), 0);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn of_a_line_each_part_is_granted_and_each_part_counts() {
    let endpoint = Endpoint::script([
        calls([bash("touch a && git add a"), bash("git add b; touch a"), bash("touch b && git add a")]),
        text("Done with it."),
    ]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make and add it");
    pty.wait_for("2. Yes, and don't ask again for Bash(touch a), Bash(git add:*) in this project");
    answer(&pty, "touch a && git add a", "2");
    // the second is made of what was granted, the third is not
    pty.wait_for("don't ask again for Bash(touch b) in");
    answer(&pty, "touch b && git add a", "1");
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    assert!(!grants(&clawd).contains("touch b"), "{}", grants(&clawd));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_grant_is_taken_back_at_once_and_for_good() {
    let endpoint = Endpoint::script([
        calls([bash("git add one")]),
        text("First."),
        calls([bash("git add one")]),
        text("Second."),
    ]);
    let config = "[permissions]\ndeny = [\"WebFetch\"]\n";
    let clawd = Clawd::new(&endpoint).home_file("config.toml", config);
    let pty = open(&clawd);
    grant(&pty, "add it", "First.");
    say(&pty, "/permissions");
    pty.wait_for("Bash(git add:*)");
    let shown = pty.screen_text();
    assert!(
        shown.contains("Permissions · default") && shown.contains("don't ask again, in this project"),
        "{shown}"
    );
    // the first stands in a file of the user's, and stays there
    pty.key("d");
    pty.wait_for("this one is set in");
    pty.key("down");
    pty.key("d");
    pty.wait_for("revoked: Bash(git add:*)");
    pty.key("esc");
    pty.wait_until("the list is closed", |screen| !screen.contents().contains("revoke a saved rule"));
    assert!(!grants(&clawd).contains("git add"), "{}", grants(&clawd));
    say(&pty, "once more");
    answer(&pty, "Allow this command?", "1");
    pty.wait_for("Second.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_rule_too_long_for_the_screen_is_seen_on_a_page_before_it_is_saved() {
    let long = format!("touch {}end", "long-".repeat(30));
    let endpoint = Endpoint::script([calls([bash(&long)]), text("Done with it.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = Pty::spawn(&clawd, Size::new(40, 12));
    pty.wait_for("❯");
    say(&pty, "make it");
    answer(&pty, "don't ask again", "2");
    pty.wait_for("q: close");
    pty.key("end");
    pty.wait_for("end)");
    assert_eq!(grants(&clawd), "", "it was only shown");
    pty.key("q");
    pty.wait_for("3. No");
    pty.key("2");
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    assert!(grants(&clawd).contains("end)"), "{}", grants(&clawd));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_mode_counts_for_the_next_call_of_the_same_answer() {
    let write = |path: &str| call("Write", json!({"file_path": path, "content": "new\n"}));
    let endpoint = Endpoint::script([calls([write("a.txt"), write("b.txt")]), text("Written.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "write them");
    answer(&pty, "Allow this edit?", "shift-tab");
    pty.wait_for("Written.");
    wait_for_rest(&pty);
    assert_eq!((clawd.read("a.txt"), clawd.read("b.txt")), ("new\n".to_owned(), "new\n".to_owned()));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn plan_mode_refuses_the_command_that_is_being_asked_for() {
    let endpoint = Endpoint::script([calls([bash("touch made")]), text("I will only look.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    answer(&pty, "Allow this command?", "shift-tab");
    pty.wait_for("accept-edits");
    assert!(pty.screen_text().contains("Allow this command?"), "a command is still asked for");
    pty.key("shift-tab");
    pty.wait_for("I will only look.");
    wait_for_rest(&pty);
    let result = endpoint.wait_for_request(2).tool_result("call_1");
    assert!(result.contains("plan mode is read-only"), "{result}");
    assert!(!clawd.project().join("made").exists());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_paste_is_no_answer() {
    let endpoint = Endpoint::script([calls([bash("touch made")]), text("Done with it.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "make it");
    pty.wait_for("1. Yes");
    std::thread::sleep(GUARD);
    pty.paste("1\ny\n2");
    // the next key shows that the paste was taken
    pty.key("down");
    pty.wait_for("❯ 2. Yes");
    assert!(!clawd.project().join("made").exists() && grants(&clawd).is_empty());
    pty.key("1");
    pty.wait_for("Done with it.");
    wait_for_rest(&pty);
    assert!(clawd.project().join("made").exists());
    pty.key("ctrl-c");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_would_be_lost_is_said_and_enter_says_no() {
    let endpoint = Endpoint::script([calls([bash("rm -rf src")])]);
    let clawd = Clawd::new(&endpoint).file("src/a.rs", "fn a() {}\n");
    let pty = open(&clawd);
    say(&pty, "clean up");
    pty.wait_for("deletes `src`");
    pty.wait_for("❯ 3. No");
    std::thread::sleep(GUARD);
    pty.key("enter");
    pty.key("enter");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    assert!(clawd.project().join("src/a.rs").exists());
    leave(&pty);
    endpoint.finish();
}
