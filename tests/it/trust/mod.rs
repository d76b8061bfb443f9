//! Nothing of a project loads, counts or is sent before the user has said yes to it, and afterwards only what the yes was to.
//!
//! Without a screen there is nobody to ask: an earlier yes or `--trust` counts, and one line says what was left out. On the
//! screen the question lists what the directory would bring. What a project may never do is tried with a yes.

mod pipes;
mod screen;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request, text};
use crate::harness::{Clawd, Output};
use crate::headless::{calling, streaming_again, the};
use crate::screen::{answer, leave, open};

/// The user's own configuration; the model stands in no variable, so that a project could name another.
fn user(endpoint: &Endpoint) -> Clawd {
    let config = format!("base_url = \"{}\"\nmodel = \"users\"\n", endpoint.base_url());
    Clawd::alone().repository().home_file("config.toml", &config)
}

const SETTINGS: &str = ".clawd/config.toml";
const LOCAL: &str = ".clawd/config.local.toml";

/// A project with something of everything; what it would run makes a file.
fn full(endpoint: &Endpoint) -> Clawd {
    let settings = "model = \"projects\"\n[permissions]\ndeny = [\"Read(./evil-deny)\"]\n\
                    [mcp_servers.evilsrv]\ncommand = \"touch\"\nargs = [\"evil-ran\"]\n\
                    [[hooks.SessionStart]]\ncommand = \"touch evil-ran\"\n";
    user(endpoint)
        .file("AGENTS.md", "evil-words\n")
        .file(SETTINGS, settings)
        .file(".clawd/commands/evilcmd.md", "evil-words\n")
        .file(".clawd/skills/evilskill/SKILL.md", "---\nname: evilskill\ndescription: evil-words\n---\n")
        .file(".clawd/agents/evilagent.md", "evil-words\n")
        .file(".mcp.json", r#"{"mcpServers": {"evilmcp": {"command": "touch", "args": ["evil-ran"]}}}"#)
        .file(".git/config", "[core]\n\tfsmonitor = ./evil-fsmonitor.sh\n")
}

fn run(clawd: &Clawd, args: &[&str]) -> Output {
    streaming_again(clawd).args(args.iter().copied()).arg("go").run().expect_code(0)
}

/// Lines on standard error, each of which is a notice too.
fn said(output: &Output) -> Vec<String> {
    let notices: Vec<String> =
        output.events_of("notice").iter().map(|notice| notice["text"].as_str().unwrap().to_owned()).collect();
    let lines: Vec<String> = output.stderr.lines().map(str::to_owned).collect();
    assert_eq!(notices, lines);
    lines
}

fn system(request: &Request) -> String {
    request.messages()[0]["content"].as_str().unwrap().to_owned()
}

/// The model and the system prompt of the only request of a run, and what was said.
fn told(endpoint: &Endpoint, clawd: &Clawd, args: &[&str]) -> (String, String, Vec<String>) {
    let before = endpoint.requests().len();
    endpoint.push(text("ok"));
    let output = run(clawd, args);
    let request = endpoint.wait_for_request(before + 1);
    (request.body["model"].as_str().unwrap().to_owned(), system(&request), said(&output))
}

/// Says yes to a directory on the screen.
fn say_yes(clawd: &Clawd) {
    let pty = open(&clawd.again());
    answer(&pty, "trust", "1");
    pty.wait_for("default");
    leave(&pty);
}

#[test]
fn before_a_yes_nothing_of_a_project_is_sent_or_run() {
    let endpoint = Endpoint::script([]);
    let clawd = full(&endpoint);
    for args in [&[][..], &["--permission-mode", "plan"]] {
        let (model, _, said) = told(&endpoint, &clawd, args);
        assert_eq!(model, "users");
        let line = "ignored: AGENTS.md, .clawd/config.toml, .clawd/commands/evilcmd.md, \
                    .clawd/skills/evilskill/SKILL.md, .clawd/agents/evilagent.md, .mcp.json \
                    (the directory is not trusted: try --trust)";
        assert_eq!(said, [line]);
        let request = endpoint.requests().pop().unwrap();
        assert!(!request.body.to_string().contains("evil"), "{}", request.body);
    }
    assert!(!clawd.project().join("evil-ran").exists());
    assert!(!clawd.clawd_home().join("trust.toml").exists(), "nobody said yes");
    endpoint.finish();
}

#[test]
fn with_a_yes_the_project_is_heeded_and_what_this_version_does_not_run_is_not_run() {
    let endpoint = Endpoint::script([]);
    let clawd = full(&endpoint);
    let (model, system, said) = told(&endpoint, &clawd, &["--trust"]);
    assert_eq!((model.as_str(), said), ("projects", Vec::new()));
    assert!(system.contains("evil-words"));
    assert!(!clawd.project().join("evil-ran").exists());
    let (model, _, _) = told(&endpoint, &clawd, &[]);
    assert_eq!(model, "users", "the yes was for one run");
    endpoint.finish();
}

#[test]
fn a_project_stands_between_the_user_and_this_run() {
    let endpoint = Endpoint::script([]);
    let clawd = user(&endpoint).file(SETTINGS, "model = \"shared\"");
    let model = |clawd: &Clawd, args: &[&str]| told(&endpoint, clawd, args).0;
    assert_eq!(model(&clawd, &["--trust"]), "shared");
    let clawd = clawd.file(LOCAL, "model = \"local\"");
    assert_eq!(model(&clawd, &["--trust"]), "local");
    assert_eq!(model(&clawd.clone().env("OPENAI_MODEL", "variable"), &["--trust"]), "variable");
    assert_eq!(model(&clawd, &["--trust", "--model", "typed"]), "typed");
    endpoint.finish();
}

/// Whether a call goes through with these options.
fn goes_through(clawd: &Clawd, endpoint: &Endpoint, call: (&str, Value), args: &[&str]) -> bool {
    endpoint.push(calling(call.0, call.1));
    endpoint.push(text("ok"));
    let output = run(clawd, args);
    the(&output, "tool_result")["success"] == true
}

#[test]
fn rules_of_a_project_hold_back_once_it_is_trusted_and_never_let_through() {
    let endpoint = Endpoint::script([]);
    let rules = "[permissions]\nask = [\"Edit(*.lock)\"]\ndeny = [\"Bash(touch:*)\"]\nallow = [\"Bash(make)\", \"Edit\"]";
    let clawd = user(&endpoint).file(SETTINGS, rules);
    let touch = || ("Bash", json!({"command": "touch a"}));
    let lock = || ("Write", json!({"file_path": "a.lock", "content": "x"}));
    let other = || ("Write", json!({"file_path": "a.txt", "content": "x"}));
    let check = |call: (&str, Value), args: &[&str], expected: bool| {
        let found = goes_through(&clawd, &endpoint, call.clone(), args);
        assert_eq!(found, expected, "{call:?} {args:?}");
    };
    check(touch(), &["--yolo"], true);
    check(touch(), &["--yolo", "--trust"], false);
    let edits = ["--permission-mode", "accept-edits"];
    check(lock(), &edits, true);
    check(lock(), &[&edits[..], &["--trust"]].concat(), false);
    check(other(), &[&edits[..], &["--trust"]].concat(), true);
    check(other(), &["--trust"], false);
    check(("Bash", json!({"command": "make"})), &["--trust"], false);
    endpoint.finish();
}

#[test]
fn what_would_loosen_has_no_effect_and_a_line_each() {
    let endpoint = Endpoint::script([]);
    let keys = "base_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"HOME\"\nprovider = \"p\"\nmax_turns = 0\n\
                permission_mode = \"bypass\"\nheaders = { X-Evil = \"1\" }\nca_file = \"evil.pem\"\nmax_retries = 100\n\
                [permissions]\nallow = [\"Write\", \"Bash\"]\n[sandbox]\nmode = \"off\"\n[tui]\ntheme = \"dark\"\n\
                [providers.p]\nbase_url = \"http://127.0.0.1:9/v1\"\nheaders = { X-Evil = \"1\" }\n";
    let clawd = user(&endpoint).file(SETTINGS, keys).file("AGENTS.md", "x");
    endpoint.push(calling("Write", json!({"file_path": "a.txt", "content": "x"})));
    endpoint.push(text("ok"));
    let output = run(&clawd, &["--trust"]);
    assert_eq!(the(&output, "session_start")["permission_mode"], "default");
    assert_eq!(the(&output, "tool_result")["success"], false);
    let request = endpoint.requests().pop().unwrap();
    assert_eq!((request.header("authorization"), request.header("x-evil")), (None, None));
    let said = said(&output);
    let named = [
        "base_url",
        "api_key_env",
        "provider",
        "max_turns",
        "permission_mode",
        "headers",
        "ca_file",
        "max_retries",
        "permissions.allow",
        "sandbox",
        "tui",
        "providers",
    ];
    for key in named {
        let lines = said.iter().filter(|line| {
            line.starts_with(".clawd/config.toml: line ") && line.contains(&format!("`{key}`"))
        });
        assert_eq!(lines.count(), 1, "{key}: {said:#?}");
    }
    endpoint.finish();
}

#[test]
fn a_thing_that_has_changed_is_off_until_it_is_approved_and_text_is_not() {
    let endpoint = Endpoint::script([]);
    let clawd = full(&endpoint);
    say_yes(&clawd);
    let (model, system, said) = told(&endpoint, &clawd, &[]);
    assert_eq!((model.as_str(), system.contains("evil-words"), said), ("projects", true, Vec::new()));
    let before = clawd.read(SETTINGS);
    let clawd =
        clawd.file(SETTINGS, &before.replace("\"projects\"", "\"changed\"")).file("AGENTS.md", "other-words");
    let (model, system, said) = told(&endpoint, &clawd, &[]);
    assert_eq!((model.as_str(), system.contains("other-words")), ("users", true));
    let line = "ignored: .clawd/config.toml (new or changed since the directory was trusted: try --trust)";
    assert_eq!(said, [line]);
    assert_eq!(told(&endpoint, &clawd, &["--yolo"]).0, "users", "bypass is no trust");
    let clawd = clawd.file(SETTINGS, &before).file(LOCAL, "model = \"new\"");
    let (model, _, said) = told(&endpoint, &clawd, &[]);
    assert_eq!(model, "projects", "the new file alone is off");
    assert!(said.concat().starts_with("ignored: .clawd/config.local.toml (new"), "{said:?}");
    endpoint.finish();
}

#[test]
fn bypass_sends_plain_text_and_nothing_else() {
    let endpoint = Endpoint::script([]);
    let (model, system, said) = told(&endpoint, &full(&endpoint), &["--yolo"]);
    assert_eq!((model.as_str(), system.contains("evil-words")), ("users", true));
    assert!(said.len() == 1 && said[0].starts_with("ignored: .clawd/config.toml, "), "{said:?}");
    assert!(!said[0].contains("AGENTS.md"), "{said:?}");
    endpoint.finish();
}

#[test]
fn a_record_that_cannot_be_believed_is_said_in_a_line_and_trusts_nothing() {
    let endpoint = Endpoint::script([]);
    let clawd = user(&endpoint).file("AGENTS.md", "evil-words").file(SETTINGS, "model = \"projects\"");
    say_yes(&clawd);
    let record = clawd.clawd_home().join("trust.toml");
    assert_eq!(fs::metadata(&record).unwrap().permissions().mode() & 0o777, 0o600);
    let good = fs::read(&record).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let check = |why: &str| {
        let (model, system, said) = told(&endpoint, &clawd, &[]);
        assert_eq!((model.as_str(), system.contains("evil")), ("users", false), "{why}");
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("saved trust is ignored: ") && said[0].contains(why), "{why}: {said:?}");
        assert!(said[1].starts_with("ignored: AGENTS.md, .clawd/config.toml ("), "{said:?}");
    };
    mode(&record, 0o666);
    check("others can write it (try removing it)");
    mode(&record, 0o600);
    if rustix::process::geteuid().is_root() {
        chown(&record, Some(65534), None).unwrap();
        check("it belongs to another user (try removing it)");
        chown(&record, Some(0), None).unwrap();
    } else {
        mode(&record, 0o000);
        check("ermission denied");
        mode(&record, 0o600);
    }
    fs::write(&record, [&good[..], b"\n= oops"].concat()).unwrap();
    check("it is not valid TOML");
    fs::write(&record, b"\xff").unwrap();
    check("not UTF-8 text");
    fs::remove_file(&record).unwrap();
    fs::create_dir(&record).unwrap();
    check("it is a directory");
    fs::remove_dir(&record).unwrap();
    fs::write(&record, good).unwrap();
    assert_eq!(told(&endpoint, &clawd, &[]).0, "projects", "and it counts again");
    endpoint.finish();
}

#[test]
fn a_yes_of_an_older_version_stands_for_text_alone() {
    let endpoint = Endpoint::script([]);
    let clawd = user(&endpoint).file("AGENTS.md", "evil-words").file(SETTINGS, "model = \"projects\"");
    let older = format!("trusted = [{:?}]\n", clawd.project().to_str().unwrap());
    let clawd = clawd.home_file("trust.toml", &older);
    let record = clawd.clawd_home().join("trust.toml");
    fs::set_permissions(record, fs::Permissions::from_mode(0o600)).unwrap();
    let (model, system, said) = told(&endpoint, &clawd, &[]);
    assert_eq!((model.as_str(), system.contains("evil-words"), said.len()), ("users", true, 1));
    say_yes(&clawd);
    assert_eq!(told(&endpoint, &clawd, &[]).0, "projects");
    endpoint.finish();
}

#[test]
fn what_leads_elsewhere_waits_forever_or_never_ends_is_left_out() {
    let endpoint = Endpoint::script([]);
    let check = |prepare: &dyn Fn(&Path, &Clawd), why: &str| {
        let clawd = user(&endpoint).file(".clawd/keep", "");
        prepare(&clawd.project().join(SETTINGS), &clawd);
        let (model, _, said) = told(&endpoint, &clawd, &["--trust"]);
        assert_eq!((model.as_str(), said.len()), ("users", 1), "{said:?}");
        assert!(said[0].starts_with(".clawd/config.toml is ignored: ") && said[0].contains(why), "{said:?}");
    };
    let linked = |path: &Path, clawd: &Clawd| {
        let target = clawd.home().join("evil.toml");
        fs::write(&target, "model = \"projects\"").unwrap();
        symlink(target, path).unwrap();
    };
    check(&linked, "it is a symlink that leads out of the project");
    let piped = |path: &Path, _: &Clawd| {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).unwrap();
    };
    check(&piped, "it is a named pipe");
    check(
        &|path, _| fs::write(path, "model = \"projects\"\n".to_owned() + &"#".repeat(10 << 20)).unwrap(),
        "larger",
    );
    check(&|path, _| fs::write(path, b"model = \"\xff\"").unwrap(), "not UTF-8 text");
    endpoint.finish();
}

#[test]
fn a_yes_is_not_to_a_name() {
    let endpoint = Endpoint::script([]);
    let words = |name: &str| (format!("{name}/AGENTS.md"), format!("words-of-{name}"));
    let mut clawd = user(&endpoint);
    for name in ["repo", "repo-evil", "other"] {
        let (file, words) = words(name);
        clawd = clawd.file(&format!("{name}/.git/HEAD"), "ref: refs/heads/main\n").file(&file, &words);
    }
    let pty = open(&clawd.again().args(["-C", "repo"]));
    answer(&pty, "trust", "1");
    pty.wait_for("default");
    leave(&pty);
    let is_told = |name: &str| told(&endpoint, &clawd, &["-C", name]).1.contains("words-of-");
    assert!(is_told("repo"));
    assert!(!is_told("repo-evil") && !is_told("other") && !is_told("."));
    let path = |name: &str| clawd.project().join(name);
    fs::rename(path("repo"), path("renamed")).unwrap();
    assert!(!is_told("renamed"), "a name is a part of the yes");
    fs::rename(path("repo-evil"), path("repo")).unwrap();
    assert!(!is_told("repo"), "another directory has taken the place");
    fs::rename(path("repo"), path("gone")).unwrap();
    fs::rename(path("renamed"), path("repo")).unwrap();
    assert!(is_told("repo"), "the same one is back");
    endpoint.finish();
}

#[test]
fn a_broken_file_is_an_error_for_whoever_says_yes_to_it_and_for_nobody_else() {
    let endpoint = Endpoint::script([]);
    let clawd = user(&endpoint).file("AGENTS.md", "evil-words").file(SETTINGS, "\nnudge = \"yes\"\n");
    let why = "cannot read .clawd/config.toml: line 2: `nudge` must be true or false, not a string";
    let (_, _, said) = told(&endpoint, &clawd, &[]);
    assert_eq!(said, ["ignored: AGENTS.md, .clawd/config.toml (the directory is not trusted: try --trust)"]);
    let output = streaming_again(&clawd).args(["--trust", "go"]).run().expect_code(2);
    assert!(output.stderr.contains(why), "{}", output.stderr);
    assert_eq!(output.result()["error"]["type"], "initialization_failed");
    let pty = open(&clawd.again());
    pty.wait_for("line 2");
    answer(&pty, "trust", "1");
    pty.wait_for("Error: cannot read .clawd/config.toml: line 2");
    pty.wait_for("default");
    leave(&pty);
    let (model, system, said) = told(&endpoint, &clawd, &[]);
    assert_eq!((model.as_str(), system.contains("evil-words"), said.len()), ("users", true, 1), "{said:?}");
    endpoint.finish();
}

#[test]
fn a_session_that_goes_on_keeps_its_model_whatever_the_project_names() {
    let endpoint = Endpoint::script([]);
    let clawd = user(&endpoint).file(SETTINGS, "model = \"projects\"");
    assert_eq!(told(&endpoint, &clawd, &[]).0, "users");
    let (model, _, said) = told(&endpoint, &clawd, &["-c", "--trust"]);
    assert_eq!(model, "users");
    assert_eq!(said, ["model: users, from the resumed session (.clawd/config.toml sets projects)"]);
    let pty = open(&clawd.again().arg("-c"));
    answer(&pty, "trust", "1");
    pty.wait_for("sets projects)");
    let shown = pty.history().concat().matches("from the resumed session").count();
    assert_eq!(shown, 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn git_alone_is_nothing_to_trust() {
    let endpoint = Endpoint::script([]);
    let clawd = user(&endpoint).file(".git/config", "[core]\n\tfsmonitor = ./evil.sh\n");
    let (_, _, said) = told(&endpoint, &clawd, &[]);
    assert_eq!(said, [""; 0]);
    endpoint.finish();
}

#[test]
fn grants_that_are_not_known_to_be_this_directorys_do_not_count_and_are_said_in_a_line() {
    let endpoint = Endpoint::script([]);
    let clawd = user(&endpoint);
    let kept = format!("{:?} = [\"Bash(touch granted)\"]\n", clawd.project().canonicalize().unwrap());
    let clawd = clawd.home_file("grants.toml", &kept);
    assert!(!goes_through(&clawd, &endpoint, ("Bash", json!({"command": "touch granted"})), &[]));
    let (_, _, said) = told(&endpoint, &clawd, &[]);
    assert!(said.len() == 1 && said[0].starts_with("ignored: Bash(touch granted) ("), "{said:?}");
    endpoint.finish();
}
