//! Commands of the model, held: what they can do in the program as it is started, in every mode and by every wish.
//!
//! What the kernel holds is tried in `sandbox`; here stands that each command gets there, by which terms, and what the model
//! is told. Headless, so whatever would be asked is denied; rules let through what is to run.

use std::fs;
use std::net::TcpListener;

use clawd::sandbox::{Sandbox, Tier};
use serde_json::json;

use crate::endpoint::{Call, Gate, call, calls, text};
use crate::harness::Clawd;
use crate::workshop::{Run, Workshop};

/// What this system has.
fn tier() -> Tier {
    Sandbox::with(Tier::Nothing).helped_by(env!("CARGO_BIN_EXE_clawd")).or_firmer().tier()
}

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

/// A project in which every command is allowed by a rule.
fn allowed(mode: &'static str, more: &[&'static str]) -> Workshop {
    let options = ["--allowed-tools", "Bash"].into_iter().chain(more.iter().copied());
    Workshop::in_mode(mode).file("a.txt", "a\n").options(options)
}

fn told(shop: &Workshop, command: &str) -> String {
    shop.run([[bash(command)]]).told.remove(0)
}

#[test]
fn an_allowed_command_writes_the_workspace_and_nothing_else() {
    let shop = allowed("default", &[]);
    let outside = shop.clawd().home().join("outside");
    let said = told(&shop, &format!("echo in > made && cat made; echo out > {}; echo $?", outside.display()));
    assert!(said.starts_with("in\n") && said.ends_with("\n1"), "{said}");
    assert!(!outside.exists());
    assert_eq!(shop.text("made"), "in\n");
}

#[test]
fn what_the_sandbox_stops_is_told_and_without_anybody_to_ask_not_run_again() {
    let shop = allowed("default", &[]);
    let said = told(&shop, "echo x >> tries; touch /usr/made-by-a-held-command");
    assert!(said.starts_with("Error: exit code 1\n"), "{said}");
    let note = "[sandboxed: only the workspace and $TMPDIR are writable]";
    assert!(said.ends_with(note), "{said}");
    assert_eq!(shop.text("tries"), "x\n");
}

#[test]
fn the_sandbox_stays_as_the_user_says_in_every_mode() {
    let outside = |mode: &'static str, more: &[&'static str]| {
        let shop = allowed(mode, more);
        let path = shop.clawd().home().join("outside");
        told(&shop, &format!("echo x > {}", path.display()));
        path.exists()
    };
    let inside = |mode: &'static str, more: &[&'static str]| {
        let shop = allowed(mode, more);
        told(&shop, "echo x > made");
        shop.path("made").exists()
    };
    for mode in ["default", "accept-edits"] {
        assert!(!outside(mode, &[]) && inside(mode, &[]), "{mode}");
        assert!(outside(mode, &["--sandbox", "off"]), "{mode}");
        assert!(!inside(mode, &["--sandbox", "read-only"]), "{mode}");
    }
    let configured = |mode: &str| {
        let config = format!("[sandbox]\nmode = \"{mode}\"\n");
        let shop = allowed("bypass", &[]).with(|clawd| clawd.home_file("config.toml", &config));
        let path = shop.clawd().home().join("outside");
        told(&shop, &format!("echo x > made; echo x > {}", path.display()));
        (shop.path("made").exists(), path.exists())
    };
    assert_eq!(configured("workspace-write"), (true, false));
    assert_eq!(configured("read-only"), (false, false));
    assert_eq!(configured("off"), (true, true));
    assert!(outside("bypass", &[]));
    assert!(!outside("bypass", &["--sandbox", "workspace-write"]));
    assert!(!inside("bypass", &["--sandbox", "read-only"]));
}

#[test]
fn more_may_be_written_where_the_user_says_so() {
    let shop = allowed("default", &[]);
    let root = shop.clawd().home().join("more");
    fs::create_dir(&root).unwrap();
    let config = format!("[sandbox]\nwritable_roots = [{:?}]\n", root.display().to_string());
    let shop = shop.with(|clawd| clawd.home_file("config.toml", &config));
    told(&shop, &format!("echo x > {}/made", root.display()));
    assert!(root.join("made").exists());
}

#[test]
fn nobody_is_reached_without_a_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("(echo hello > /dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached || echo not");
    assert_eq!(told(&allowed("default", &[]), &connect), "not");
    assert!(listener.accept().is_err());
    let network = "[sandbox]\nnetwork = true\n";
    let shop = allowed("default", &[]).with(|clawd| clawd.home_file("config.toml", network));
    assert_eq!(told(&shop, &connect), "reached");
    assert!(listener.accept().is_ok());
}

#[test]
fn held_commands_run_unasked_where_the_user_wants_it() {
    let shop = |config: &str, mode: &'static str| {
        Workshop::in_mode(mode).with(|clawd| clawd.home_file("config.toml", config))
    };
    let denied = |shop: &Workshop, command: &str| shop.run([[bash(command)]]).was_denied(0);
    let unasked = "[sandbox]\nauto_allow = true\n";
    assert!(!denied(&shop(unasked, "default"), "touch made"));
    assert!(denied(&shop("", "default"), "touch made"));
    assert!(denied(&shop(unasked, "plan"), "touch made"));
    assert!(denied(&shop("[sandbox]\nauto_allow = true\nmode = \"off\"\n", "default"), "touch made"));
    let asked = "[sandbox]\nauto_allow = true\n[permissions]\nask = [\"Bash(touch:*)\"]\n";
    assert!(denied(&shop(asked, "default"), "touch made"));
    assert!(denied(&shop(unasked, "default"), "rm -rf ~"));
}

#[test]
fn what_only_looks_runs_unasked_and_can_do_no_more() {
    for mode in ["default", "accept-edits", "plan"] {
        let shop = Workshop::in_mode(mode).file("a.txt", "one\ntwo\n").file(".env", "TOKEN=hunter2\n");
        let run: Run = shop.run([[
            bash("cat a.txt | wc -l"),
            bash("ls *.txt 2>/dev/null"),
            bash("touch made"),
            bash("cat .env"),
            bash("cat /etc/hostname"),
        ]]);
        let denied: Vec<bool> = (0..5).map(|number| run.was_denied(number)).collect();
        assert_eq!(denied, [false, false, true, true, true], "{mode}");
        assert_eq!((run.told[0].trim(), run.told[1].as_str()), ("2", "a.txt"), "{mode}");
        // nothing that runs unasked tries to write; the shell says whether it could
        let may_write = "[ -w a.txt ] && echo writable || echo held";
        if tier() != Tier::Landlock {
            assert_eq!(told(&shop, may_write), "held", "{mode}");
        }
    }
    assert_eq!(
        told(&allowed("default", &[]).file("a.txt", ""), "[ -w $PWD/a.txt ] && echo writable"),
        "writable"
    );
}

/// The line as it was judged passes over secrets; as it was written it would read them.
#[test]
fn what_was_judged_is_what_runs() {
    let shop = Workshop::in_mode("default")
        .file("a.txt", "TOKEN=none\n")
        .file(".env", "TOKEN=hunter2\n")
        .file("sub/id_rsa", "TOKEN=hunter3\n")
        .options(["--allowed-tools", "Bash(touch:*)"]);
    let run = shop.run([[bash("grep -rh TOKEN . | sort"), bash("touch made && grep -rh TOKEN . | sort")]]);
    let told = "TOKEN=none\n[skipped: links, and files that look like secrets: .env, *.pem, .ssh/]";
    assert_eq!(run.told, [told, told]);
    assert!(shop.path("made").exists());
}

#[test]
fn a_shell_that_looks_is_where_it_went() {
    let shop = Workshop::in_mode("default").file("sub/a.txt", "a\n");
    let told = shop.run([[bash("cd sub && ls"), bash("pwd")]]).told;
    assert!(told[0].starts_with("a.txt\n[directory: "), "{told:?}");
    assert!(told[1].starts_with(&shop.at("sub")), "{told:?}");
}

#[test]
fn what_runs_later_cannot_be_written_in_the_sandbox() {
    let shop = allowed("default", &[]).with(Clawd::repository);
    let said = told(
        &shop,
        "echo evil > .git/hooks/pre-commit; echo x >> .git/config; mkdir -p .clawd; echo y > .mcp.json; true",
    );
    if tier() == Tier::Landlock {
        assert!(said.contains("[changed files that are run later: "), "{said}");
        return;
    }
    for name in [".git/hooks/pre-commit", ".clawd", ".mcp.json"] {
        assert!(!shop.path(name).exists(), "{name}: {said}");
    }
}

#[test]
fn a_server_left_behind_is_a_task_in_the_sandbox_too() {
    let shop = allowed("default", &[]);
    let told =
        shop.run([[bash("sleep 100 & echo started"), call("KillShell", json!({"id": "bash_1"}))]]).told;
    assert!(told[0].starts_with("started\n[still running: bash_1; "), "{told:?}");
    assert!(!told[1].starts_with("Error:"), "{told:?}");
}

#[test]
fn a_failed_command_ends_as_it_does_outside() {
    let shop = allowed("default", &[]);
    let told = shop
        .run([[
            bash("exit 3"),
            bash("kill -9 $$"),
            bash("kill -TERM $$"),
            bash("no-such-program"),
            bash("cat; echo end"),
        ]])
        .told;
    assert_eq!(told[0], "Error: exit code 3\n(no output)");
    assert!(told[1].starts_with("Error: terminated by signal 9 (KILL)"), "{told:?}");
    assert!(told[2].starts_with("Error: terminated by signal 15 (TERM)"), "{told:?}");
    assert!(told[3].starts_with("Error: exit code 127"), "{told:?}");
    assert_eq!(told[4], "end");
}

/// Whether a process with these words runs.
fn runs(words: &[&str]) -> bool {
    let words = words.concat();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let said = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
    all.map(said).any(|cmdline| cmdline.replace('\0', "") == words)
}

/// The superuser reads every process's mark, so there it is another rule that holds.
#[test]
fn what_a_command_has_left_outlives_the_end_of_another() {
    if tier() != Tier::Namespaces {
        return;
    }
    let (shop, gate) = (allowed("default", &[]), Gate::new());
    let own = format!("3001.{}", std::process::id());
    let waits = call("Bash", json!({"command": "sleep 3000", "run_in_background": true}));
    let leaves = bash(&format!("setsid sleep {own} < /dev/null > /dev/null 2>&1 & echo left"));
    shop.endpoint().push(calls([waits]));
    shop.endpoint().push(calls([bash("true")]));
    shop.endpoint().push(calls([leaves]));
    shop.endpoint().push(calls([call("KillShell", json!({"id": "bash_1"}))]));
    shop.endpoint().push(text("Done.").hold_head(&gate));
    let running = shop.start();
    gate.wait_reached();
    let killed = shop.endpoint().wait_for_request(5).tool_result("call_4");
    assert!(runs(&["sleep", &own]), "{killed}");
    gate.open();
    assert_eq!(running.wait().code, Some(0));
    assert!(!runs(&["sleep", &own]), "it ends with the program");
}
