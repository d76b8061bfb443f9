//! Options that change what a headless run may do, what the model is told, and where.

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::headless::{calling, streaming, the, types};

/// The tool runs, or it is denied: then the model is told and the run goes on.
fn check_permission(args: &[&str], name: &str, arguments: &Value, runs: bool) {
    let endpoint = Endpoint::script([calling(name, arguments.clone()), text("Done.")]);
    let clawd = streaming(&endpoint).args(args.iter().copied()).arg("go");
    let output = clawd.run().expect_code(0);
    let case = format!("{args:?} {name} {arguments}; {output:#?}");
    let result = the(&output, "tool_result");
    assert_eq!(result["success"], runs, "{case}");
    assert_eq!(output.events_of("tool_start").len(), usize::from(runs), "{case}");
    assert_eq!(output.events_of("permission_denied").len(), usize::from(!runs), "{case}");
    assert_eq!(clawd.project().join("made.txt").exists(), runs && name != "Read", "{case}");
    if !runs {
        let denied = the(&output, "permission_denied");
        assert_eq!((&denied["id"], &denied["name"]), (&json!("call_1"), &json!(name)), "{case}");
        assert!(!denied["reason"].as_str().unwrap().is_empty(), "{case}");
        assert!(endpoint.requests()[1].tool_result("call_1").starts_with("Error:"), "{case}");
        assert!(types(&output).contains("permission_denied tool_result"), "{case}");
    }
    endpoint.finish();
}

#[test]
fn what_would_ask_is_denied_and_the_model_is_told() {
    let write = json!({"file_path": "made.txt", "content": "x"});
    let touch = json!({"command": "touch made.txt"});
    check_permission(&[], "Write", &write, false);
    check_permission(&[], "Bash", &touch, false);
    check_permission(&["--permission-mode", "default"], "Write", &write, false);
    check_permission(&["--permission-mode", "plan"], "Write", &write, false);
    check_permission(&["--permission-mode", "plan"], "Bash", &touch, false);
    check_permission(&["--permission-mode", "accept-edits"], "Bash", &touch, false);
    check_permission(&[], "Read", &json!({"file_path": "/etc/passwd"}), false);
}

#[test]
fn a_mode_or_a_rule_lets_calls_through() {
    let write = json!({"file_path": "made.txt", "content": "x"});
    let touch = json!({"command": "touch made.txt"});
    check_permission(&["--yolo"], "Bash", &touch, true);
    check_permission(&["--permission-mode", "bypass"], "Write", &write, true);
    check_permission(&["--permission-mode", "yolo"], "Write", &write, true);
    check_permission(&["--permission-mode", "accept-edits"], "Write", &write, true);
    check_permission(&["--permission-mode", "autoEdit"], "Write", &write, true);
    check_permission(&["--allowed-tools", "Bash(touch:*)"], "Bash", &touch, true);
    check_permission(&["--allowed-tools", "Read,Edit(*.txt)"], "Write", &write, true);
}

#[test]
fn a_rule_that_denies_holds_in_every_mode() {
    let touch = json!({"command": "touch made.txt"});
    check_permission(&["--yolo", "--disallowed-tools", "Bash(touch:*)"], "Bash", &touch, false);
    let write = json!({"file_path": "made.txt", "content": "x"});
    check_permission(&["--yolo", "--disallowed-tools", "Edit(made.txt)"], "Write", &write, false);
}

#[test]
fn a_disallowed_tool_is_not_offered_and_does_not_run() {
    let endpoint = Endpoint::script([calling("Bash", json!({"command": "touch made.txt"})), text("Done.")]);
    let clawd = streaming(&endpoint).args(["--yolo", "--disallowed-tools", "Bash,Grep", "go"]);
    let output = clawd.run().expect_code(0);
    let names = format!(" {} ", endpoint.requests()[0].tool_names().join(" "));
    assert!(!names.contains(" Bash ") && !names.contains(" Grep ") && names.contains(" Read "), "{names}");
    assert_eq!(the(&output, "tool_result")["success"], false);
    assert!(!clawd.project().join("made.txt").exists());
    endpoint.finish();
}

#[test]
fn tools_and_system_prompt_are_the_same_in_every_mode() {
    let body = |mode: &str| {
        let endpoint = Endpoint::script([text("ok")]);
        let clawd = Clawd::new(&endpoint).args(["-p", "--permission-mode", mode, "-C", "/", "go"]);
        clawd.run().expect_code(0);
        let request = endpoint.wait_for_request(1);
        (request.raw.clone(), request.body["tools"].to_string(), request.messages()[0].to_string())
    };
    let default = body("default");
    assert!(["accept-edits", "bypass"].iter().all(|mode| body(mode) == default));
    // plan mode speaks through a message of its own
    let plan = body("plan");
    assert_eq!((plan.1, plan.2), (default.1, default.2));
}

#[test]
fn the_working_directory_can_be_another() {
    let endpoint = Endpoint::script([calling("Read", json!({"file_path": "b.txt"})), text("Done.")]);
    let clawd = streaming(&endpoint).file("sub/b.txt", "below\n").args(["-C", "sub", "go"]);
    let output = clawd.run().expect_code(0);
    let sub = clawd.project().join("sub");
    assert_eq!(the(&output, "session_start")["cwd"], sub.to_str().unwrap());
    let system = endpoint.requests()[0].messages()[0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains(sub.to_str().unwrap()), "{system}");
    assert!(endpoint.requests()[1].tool_result("call_1").contains("below"));
    endpoint.finish();
}

#[test]
fn the_system_prompt_is_replaced_or_added_to() {
    let system = |args: &[&str]| {
        let endpoint = Endpoint::script([text("ok")]);
        Clawd::new(&endpoint).args(["-p", "go"]).args(args.iter().copied()).run().expect_code(0);
        endpoint.wait_for_request(1).messages()[0]["content"].as_str().unwrap().to_owned()
    };
    let plain = system(&[]);
    let replaced = system(&["--system-prompt", "You are a pirate."]);
    assert!(replaced.contains("You are a pirate.") && replaced.len() < plain.len(), "{replaced}");
    let both = system(&["--system-prompt", "You are a pirate.", "--append-system-prompt", "Be kind."]);
    assert!(both.find("You are a pirate.").unwrap() < both.find("Be kind.").unwrap(), "{both}");
    let added = system(&["--append-system-prompt", "Be kind."]);
    assert!(added.ends_with("Be kind."), "{added}");
    assert!(plain.contains("You are clawd") && added.contains("You are clawd"), "{added}");
    assert!(!replaced.contains("You are clawd"), "{replaced}");
}

#[test]
fn the_only_model_of_an_endpoint_is_taken() {
    let endpoint = Endpoint::script([text("ok")]).models(["only-one"]);
    let output = streaming(&endpoint).without_env("CLAWD_MODEL").arg("go").run().expect_code(0);
    assert_eq!(the(&output, "session_start")["model"], "only-one");
    assert_eq!(endpoint.wait_for_request(1).body["model"], "only-one");
    endpoint.finish();
}

#[test]
fn debug_keeps_a_verbose_log_without_the_key() {
    let endpoint = Endpoint::script([calling("Glob", json!({"pattern": "*"})), text("ok")]);
    let clawd =
        Clawd::new(&endpoint).env("CLAWD_API_KEY", "sk-secret-in-the-log").args(["-p", "--debug", "go"]);
    let output = clawd.run().expect_code(0);
    assert_eq!(output.stdout, "ok\n");
    let logs: Vec<String> = std::fs::read_dir(clawd.clawd_home().join("logs"))
        .expect("there are logs")
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    let log = logs.concat();
    assert!(log.lines().count() > 3 && log.contains("Glob"), "{log}");
    assert!(!log.contains("sk-secret-in-the-log"));
    endpoint.finish();
}

/// The system prompt of a run in a project with instructions, and what was said about them.
fn told(args: &[&str]) -> (String, String) {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = streaming(&endpoint)
        .repository()
        .file("AGENTS.md", "Always whistle.\n")
        .file("sub/AGENTS.md", "Never hum.\n");
    let output = clawd.args(["-C", "sub"]).args(args.iter().copied()).arg("go").run().expect_code(0);
    let notices = output.events_of("notice");
    assert!(notices.iter().all(|notice| notice["kind"] == "trust"), "{output:#?}");
    assert_eq!(notices.len(), output.stderr.lines().count(), "each is a line too; {output:#?}");
    (endpoint.wait_for_request(1).messages()[0]["content"].as_str().unwrap().to_owned(), output.stderr)
}

#[test]
fn instructions_of_a_project_are_sent_only_where_it_is_trusted() {
    let (system, said) = told(&[]);
    assert!(!system.contains("whistle") && said.contains("AGENTS.md") && said.contains("--trust"), "{said}");
    let (system, said) = told(&["--trust"]);
    assert!(system.find("Always whistle.").unwrap() < system.find("Never hum.").unwrap(), "{system}");
    assert_eq!(said, "");
    let (system, said) = told(&["--yolo"]);
    assert!(system.contains("Always whistle.") && said.is_empty(), "plain text needs no yes there; {said}");
}

#[test]
fn the_users_own_instructions_are_sent_everywhere() {
    let endpoint = Endpoint::script([text("ok")]);
    let output = streaming(&endpoint).home_file("AGENTS.md", "Speak up.\n").arg("go").run().expect_code(0);
    assert!(endpoint.requests()[0].messages()[0]["content"].as_str().unwrap().contains("Speak up."));
    assert_eq!(output.stderr, "");
    endpoint.finish();
}

/// From the root down, of each directory the first that is there; together they have 32 KiB, and what is cut is said.
#[test]
fn of_each_directory_one_file_is_sent_and_no_more_than_fits() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = streaming(&endpoint)
        .repository()
        .file("CLAUDE.md", "Root by its second name.\n")
        .file("CLAWDCODE.md", "Root by its third name.\n")
        .file("a/CLAWDCODE.md", "Below by its third name.\n")
        .file("a/b/AGENTS.md", &format!("{}The end of it.\n", "Mind the rows. ".repeat(3_000)));
    let output = clawd.args(["--trust", "-C", "a/b", "go"]).run().expect_code(0);
    let system = endpoint.wait_for_request(1).messages()[0]["content"].as_str().unwrap().to_owned();
    let at = |words: &str| system.find(words).unwrap_or_else(|| panic!("{words:?} is not sent"));
    assert!(at("second name") < at("Below by its third") && at("Below by its third") < at("Mind the rows."));
    assert!(!system.contains("Root by its third name") && !system.contains("The end of it."));
    assert!(system.len() < 32 * 1024 + 12 * 1024, "{}", system.len());
    assert!(
        output.stderr.contains("AGENTS.md is truncated to") && output.stderr.contains("32 KiB"),
        "{output:#?}"
    );
    endpoint.finish();
}
