//! A plan on the screen: what is shown of it, what each answer does to the mode and to the calls that come next.

use serde_json::json;

use crate::endpoint::{Answer, Call, Endpoint, Gate, call, calls, empty, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};

use super::{GUARD, answer, count_rows, leave, open, plain, say, wait_for_rest};

const TITLE: &str = "Start with this plan?";

fn proposes(plan: &str) -> Answer {
    calls([call("ExitPlanMode", json!({"plan": plan}))])
}

fn write() -> Call {
    call("Write", json!({"file_path": "a.txt", "content": "made\n"}))
}

fn planning(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).args(["--permission-mode", "plan"])
}

/// Blocks until the status line names this mode.
fn wait_for_mode(pty: &Pty, mode: &str) {
    pty.wait_until(mode, |screen| screen.contents().lines().last().unwrap_or_default().contains(mode));
}

#[test]
fn a_yes_leaves_plan_mode_in_the_same_run_and_the_next_change_is_asked_for() {
    let plan = "# Mend the sum\n\n1. `a.txt`: write it\n2. the **tests**\x1b[2J\n";
    let endpoint = Endpoint::script([proposes(plan), calls([write()]), text("Done."), text("More.")]);
    let clawd = planning(&endpoint);
    let pty = open(&clawd);
    wait_for_mode(&pty, "plan");
    say(&pty, "mend it");
    pty.wait_for("3. No, and say what to change");
    let shown = pty.screen_text();
    for words in [
        TITLE,
        "  Mend the sum",
        "1. a.txt: write it",
        "2. the tests",
        "❯ 1. Yes",
        "2. Yes, and accept edits",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    std::thread::sleep(GUARD);
    pty.key("1");
    wait_for_mode(&pty, "default");
    let told = endpoint.wait_for_request(2).tool_result("call_1");
    assert_eq!(told, "The plan is approved. Mode: default. Begin.");
    answer(&pty, "Allow", "1");
    pty.wait_for("Done.");
    wait_for_rest(&pty);
    assert_eq!(clawd.read("a.txt"), "made\n");
    assert_eq!(count_rows(&pty, "approved, mode default"), 1, "{}", pty.screen_text());
    say(&pty, "and more");
    pty.wait_for("More.");
    let last = endpoint.wait_for_request(4).last_text();
    assert!(last.contains("Plan mode is off") && last.ends_with("and more"), "{last}");
    assert_eq!(count_rows(&pty, "Plan mode is"), 0, "a reminder is for the model alone");
    wait_for_rest(&pty);
    leave(&pty);
    // the file has heard of it too
    let pty = open(&clawd.again().arg("-c"));
    wait_for_mode(&pty, "default");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn the_second_yes_accepts_edits() {
    let endpoint = Endpoint::script([proposes("Write a.txt."), calls([write()]), text("Done.")]);
    let clawd = planning(&endpoint);
    let pty = open(&clawd);
    say(&pty, "mend it");
    answer(&pty, TITLE, "2");
    pty.wait_for("Done.");
    wait_for_mode(&pty, "accept-edits");
    let told = endpoint.wait_for_request(2).tool_result("call_1");
    assert_eq!(told, "The plan is approved. Mode: accept-edits. Begin.");
    assert_eq!(clawd.read("a.txt"), "made\n");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn words_are_a_no_that_the_model_hears_and_the_mode_stays() {
    let endpoint = Endpoint::script([proposes("Write a.txt."), calls([write()]), text("I see.")]);
    let clawd = planning(&endpoint);
    let pty = open(&clawd);
    say(&pty, "mend it");
    answer(&pty, TITLE, "3");
    pty.type_text("Yes");
    pty.wait_for("❯ 3. Yes");
    pty.key("enter");
    pty.wait_for("I see.");
    wait_for_rest(&pty);
    wait_for_mode(&pty, "plan");
    let told = endpoint.wait_for_request(2).tool_result("call_1");
    assert!(told.starts_with("The user did not approve the plan: Yes\n"), "{told}");
    assert!(endpoint.wait_for_request(3).tool_result("call_2").contains("plan mode is read-only"));
    assert!(!clawd.project().join("a.txt").exists());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn esc_ends_the_run_and_the_mode_stays() {
    let endpoint = Endpoint::script([proposes("Write a.txt."), text("Later.")]);
    let pty = open(&planning(&endpoint));
    say(&pty, "mend it");
    answer(&pty, TITLE, "esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    wait_for_mode(&pty, "plan");
    say(&pty, "next");
    pty.wait_for("Later.");
    assert!(endpoint.wait_for_request(2).tool_result("call_1").contains("interrupted"));
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_long_plan_says_what_is_missing_and_is_read_whole_on_its_page() {
    let steps: Vec<String> = (1..=60).map(|step| format!("{step}. step number {step}")).collect();
    let endpoint = Endpoint::script([proposes(&steps.join("\n")), text("Done.")]);
    let pty = open(&planning(&endpoint));
    say(&pty, "mend it");
    pty.wait_for("more lines (Ctrl+O to expand)");
    assert!(!pty.screen_text().contains("step number 60"));
    answer(&pty, TITLE, "ctrl-o");
    pty.wait_for("60. step number 60");
    pty.key("q");
    answer(&pty, TITLE, "1");
    pty.wait_for("Done.");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn on_the_whole_screen_it_is_asked_as_well() {
    let endpoint = Endpoint::script([proposes("Write a.txt."), text("Done.")]);
    let pty = Pty::spawn(&planning(&endpoint).arg("--fullscreen"), Size::new(100, 30));
    pty.wait_for("❯");
    say(&pty, "mend it");
    answer(&pty, TITLE, "1");
    pty.wait_for("Done.");
    wait_for_mode(&pty, "default");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn in_lines_a_number_is_a_yes_and_words_are_a_no() {
    let endpoint = Endpoint::script([proposes("Write a.txt."), proposes("Write it."), text("Done.")]);
    let pty = plain::begin(&plain::dumb(&endpoint).args(["--permission-mode", "plan"]));
    plain::say(&pty, "mend it");
    plain::answer(&pty, "type 1 or 2", "3 tests first");
    let told = endpoint.wait_for_request(2).tool_result("call_1");
    assert!(told.starts_with("The user did not approve the plan: tests first\n"), "{told}");
    plain::answer(&pty, "Write it.", "1");
    pty.wait_for("Done.");
    let told = endpoint.wait_for_request(3).tool_result("call_2");
    assert_eq!(told, "The plan is approved. Mode: default. Begin.");
    plain::leave(&pty);
    endpoint.finish();
}

#[test]
fn words_that_come_back_take_their_reminder_along() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([empty().hold(&gate), text("Now it is answered.")]);
    let pty = open(&planning(&endpoint));
    say(&pty, "a question");
    gate.wait_reached();
    pty.key("esc");
    pty.wait_for("Interrupted");
    wait_for_rest(&pty);
    pty.type_text("!");
    pty.wait_for("❯ a question!");
    pty.key("enter");
    pty.wait_for("Now it is answered.");
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.roles(), "system user");
    assert_eq!(request.last_text().matches("<system-reminder>").count(), 1, "{}", request.last_text());
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_session_is_taken_back_in_plan_mode_also_from_within() {
    let endpoint = Endpoint::script([text("It is 19 %."), text("Still.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    for mode in ["accept-edits", "plan"] {
        pty.key("shift-tab");
        wait_for_mode(&pty, mode);
    }
    say(&pty, "what is the tax?");
    pty.wait_for("It is 19 %.");
    wait_for_rest(&pty);
    leave(&pty);
    let pty = open(&clawd.again().arg("-c"));
    wait_for_mode(&pty, "plan");
    leave(&pty);
    let pty = open(&clawd.again());
    wait_for_mode(&pty, "default");
    say(&pty, "/resume");
    // the list may open before it is filled, and takes nothing then
    pty.wait_for("1 in all");
    pty.key("enter");
    pty.wait_for("❯ what is the tax?");
    wait_for_mode(&pty, "plan");
    say(&pty, "still?");
    pty.wait_for("Still.");
    let last = endpoint.wait_for_request(2).last_text();
    assert!(last.contains("Plan mode is on") && last.ends_with("still?"), "{last}");
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}
