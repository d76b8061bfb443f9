//! What a user or a machine can get wrong: each is one line, has its exit code, loses nothing and never panics.

use std::path::Path;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, call, calls, status, text};
use crate::harness::{Clawd, Output};
use crate::headless::{calling, expect_one_line, streaming, streaming_again, the};

/// Exit code 2, one line on standard error with these parts, nothing printed, nothing sent.
pub(crate) fn check_usage(args: &[&str], parts: &[&str]) {
    let endpoint = Endpoint::script([]);
    let output = Clawd::new(&endpoint).args(args.iter().copied()).run().expect_code(2);
    assert_eq!(output.stdout, "", "{args:?}");
    expect_one_line(&output, &[&["Error: "], parts].concat());
    assert_eq!(endpoint.other_requests(), [""; 0]);
    endpoint.finish();
}

#[test]
fn a_usage_error_is_one_line_and_nothing_is_sent() {
    check_usage(&["-p", "--no-such", "x"], &["--no-such"]);
    check_usage(&["-p", "--max-turn", "2", "x"], &["--max-turns"]);
    check_usage(&["-p", "--max-turns", "-5", "x"], &["-5"]);
    check_usage(&["-p", "--max-turns", "abc", "x"], &["abc"]);
    check_usage(&["-p", "--max-turns", "1.5", "x"], &["1.5"]);
    check_usage(&["-p", "--max-turns", "x"], &["--max-turns"]);
    check_usage(&["-p", "--output-format", "xml", "x"], &["xml", "stream-json"]);
    check_usage(&["--output-format", "json", "x"], &["--output-format", "-p"]);
    check_usage(&["-p", "--yolo", "--permission-mode", "plan", "x"], &["--yolo", "plan"]);
    check_usage(&["-p", "--permission-mode", "wild", "x"], &["wild", "accept-edits"]);
    check_usage(&["-p", "-c", "-r", "abc", "x"], &["--continue", "--resume"]);
    check_usage(&["-p", "x", "-r"], &["--resume"]);
    check_usage(&["-p", "--fork-session", "x"], &["--fork-session"]);
    check_usage(&["-p", "--allowed-tools", "Read", "--disallowed-tools", "Read", "x"], &["Read"]);
    check_usage(&["-p", "--allowed-tools", "Bash(", "x"], &["Bash("]);
    check_usage(&["-p", "--base-url", "not a url", "x"], &["not a url"]);
    check_usage(&["-p", "--base-url", "ftp://host/v1", "x"], &["ftp://host/v1", "http"]);
    check_usage(&["-p", "--model", "", "x"], &["--model"]);
    check_usage(&["-p", "--model", " ", "x"], &["--model"]);
    check_usage(&["-p", "--provider", "", "x"], &["--provider"]);
    check_usage(&["-p", "--provider", "a", "--base-url", "http://h/v1", "x"], &["--provider", "--base-url"]);
    check_usage(&["-p", "--api-key", "two words", "x"], &["--api-key", "a space"]);
}

#[test]
fn a_mistyped_command_is_no_prompt() {
    for (args, parts) in [
        (&["mcp", "list"][..], &["no command `mcp`", "clawd --help"][..]),
        (&["mcp", "--help"], &["no command `mcp`"]),
        (&["acp"], &["no command `acp`"]),
        (&["completions", "tcsh"], &["tcsh", "bash, elvish, fish, powershell or zsh"]),
        (&["config", "zzz"], &["`config zzz`", "show or path"]),
        (&["sessions", "zzz"], &["`sessions zzz`", "list, show, export or delete"]),
        (&["-p", "sessions", "zzz"], &["`sessions zzz`", "`--` before the text"]),
        (&["-p", "--foo", "hi"], &["unknown option `--foo`", "clawd --help"]),
    ] {
        check_usage(args, parts);
    }
}

#[test]
fn a_sentence_that_begins_with_a_commands_word_is_sent() {
    let endpoint = Endpoint::script([text("ok"), text("ok")]);
    let clawd = Clawd::new(&endpoint);
    clawd.again().args(["-p", "config", "files", "look", "odd"]).run().expect_code(0);
    clawd.again().args(["-p", "mcp list"]).run().expect_code(0);
    let sent = [1, 2].map(|number| endpoint.wait_for_request(number).last_text());
    assert_eq!(sent, ["config files look odd", "mcp list"]);
    endpoint.finish();
}

/// The program with its standard output on a full disk.
fn with_full_output(clawd: &Clawd, args: &[&str]) -> Output {
    let full = "exec \"$0\" \"$@\" >/dev/full";
    let program = ["-c", full, env!("CARGO_BIN_EXE_clawd")];
    clawd.again().program("/bin/sh").args(program).args(args.iter().copied()).run()
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_nothing_is_said() {
    let said = ["Error: cannot write to standard output: No space left on device\n"];
    for args in [&["--help"][..], &["sessions"], &["config"], &["doctor"]] {
        let output = with_full_output(&Clawd::alone(), args).expect_code(1);
        assert_eq!([output.stderr.as_str()], said, "{args:?}");
    }
    for format in ["text", "json", "stream-json"] {
        let endpoint = Endpoint::script([]).then_forever(text("ok"));
        let clawd = Clawd::new(&endpoint);
        let output = with_full_output(&clawd, &["-p", "--output-format", format, "hi"]).expect_code(1);
        assert_eq!([output.stderr.as_str()], said, "{format}");
        // where the first line is lost already, the run is stopped in the middle of its request
        drop(endpoint.take_violations());
    }
}

/// Nothing can be sent: exit code 2, one line; an object says so where objects are asked for.
fn check_unable(clawd: &Clawd, parts: &[&str]) {
    let text = clawd.again().args(clawd.parts().1.iter().map(String::as_str)).args(["-p", "go"]).run();
    let text = text.expect_code(2);
    assert_eq!(text.stdout, "");
    expect_one_line(&text, &[&["Error: "], parts].concat());
    for format in ["json", "stream-json"] {
        let again = clawd.again().args(clawd.parts().1.iter().map(String::as_str));
        let output = again.args(["-p", "--output-format", format, "go"]).run().expect_code(2);
        assert_eq!(output.stdout.lines().count(), 1, "{output:#?}");
        let result = output.result();
        assert_eq!(result["error"]["type"], "initialization_failed");
        assert_eq!((&result["success"], &result["metadata"]["turns_count"]), (&json!(false), &json!(0)));
        expect_one_line(&output, &[result["error"]["message"].as_str().unwrap()]);
    }
}

fn unable(change: impl FnOnce(Clawd) -> Clawd, parts: &[&str]) {
    let endpoint = Endpoint::script([]);
    check_unable(&change(Clawd::new(&endpoint)), parts);
    assert_eq!(endpoint.other_requests(), [""; 0]);
    endpoint.finish();
}

#[test]
fn without_a_key_nothing_is_sent_to_another_machine() {
    let clawd = Clawd::alone().env("CLAWD_MODEL", "m");
    check_unable(&clawd, &["no endpoint is configured", "try"]);
    check_unable(
        &clawd.again().env("CLAWD_BASE_URL", "https://models.invalid/v1"),
        &["no API key", "models.invalid"],
    );
    let named =
        Clawd::alone().home_file("config.toml", "base_url = \"https://models.invalid/v1\"\nmodel = \"m\"\n");
    let misplaced = named.env("CLAWD_API_KEY", "sk-for-another-host");
    check_unable(&misplaced, &["no API key", "models.invalid", "api_key_env"]);
}

#[test]
fn a_loopback_endpoint_needs_no_key() {
    let endpoint = Endpoint::script([text("ok")]);
    Clawd::new(&endpoint).without_env("CLAWD_API_KEY").args(["-p", "go"]).run().expect_code(0);
    assert_eq!(endpoint.wait_for_request(1).header("authorization"), None);
    endpoint.finish();
}

#[test]
fn a_key_that_cannot_be_one_is_refused_and_not_repeated() {
    for key in ["sk-first\nsk-second", "sk-first\r\n second", "sk-\u{7}bell"] {
        let endpoint = Endpoint::script([]);
        let clawd = Clawd::new(&endpoint).env("CLAWD_API_KEY", key);
        check_unable(&clawd, &["CLAWD_API_KEY", "line break"]);
        let output = clawd.args(["-p", "go"]).run().expect_code(2);
        assert!(!output.stderr.contains("sk-"), "{output:#?}");
        endpoint.finish();
    }
}

#[test]
fn an_environment_that_makes_no_sense_is_named() {
    unable(|clawd| clawd.env("CLAWD_BASE_URL", "not a url"), &["CLAWD_BASE_URL", "not a url"]);
    unable(|clawd| clawd.env("CLAWD_BASE_URL", "http://"), &["CLAWD_BASE_URL"]);
}

#[test]
fn a_broken_configuration_is_named_with_file_and_line() {
    for (content, parts) in [
        ("model = \"m\"\nnudge = maybe\n", &["config.toml", "line 2"][..]),
        ("model = \"m\"\n\nmax_turns = \"many\"\n", &["config.toml", "line 3", "max_turns"]),
        ("model = \"m\"\nmax_turns = -5\n", &["config.toml", "line 2", "-5"]),
        ("[permissions]\nallow = [\n  \"Bash(\",\n]\n", &["config.toml", "line 3", "Bash("]),
        ("model = 7\n", &["config.toml", "line 1", "model"]),
        ("base_url = \"nowhere\"\n", &["config.toml", "line 1", "nowhere"]),
        ("permission_mode = \"wild\"\n", &["config.toml", "line 1", "wild"]),
        ("[[[", &["config.toml", "line 1"]),
        ("text_calls = \"maybe\"\n", &["config.toml", "line 1", "maybe", "tags"]),
        ("provider = \"far\"\n", &["config.toml", "line 1", "far", "[providers.NAME]"]),
        ("[providers.far]\nmodel = \"m\"\n", &["config.toml", "line 1", "providers.far", "base_url"]),
        ("[providers.far]\nbase_url = \"nowhere\"\n", &["config.toml", "line 2", "nowhere"]),
        ("[providers]\nbase_url = \"http://h/v1\"\n", &["config.toml", "line 2", "a table"]),
        (
            "[providers.far]\nbase_url = \"http://h/v1\"\nheaders = { Host = \"x\" }\n",
            &["config.toml", "line 3", "Host", "removing it"],
        ),
        (
            "[providers.far]\nbase_url = \"http://h/v1\"\nextra_body = { a = inf }\n",
            &["config.toml", "line 3", "extra_body", "JSON"],
        ),
    ] {
        unable(|clawd| clawd.home_file("config.toml", content), parts);
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_named() {
    unable(
        |clawd| {
            std::fs::create_dir(clawd.clawd_home().join("config.toml")).unwrap();
            clawd
        },
        &["config.toml"],
    );
    unable(
        |clawd| {
            std::fs::write(clawd.clawd_home().join("config.toml"), b"model = \"\xff\"\n").unwrap();
            clawd
        },
        &["config.toml", "UTF-8"],
    );
    if !rustix::process::geteuid().is_root() {
        use std::os::unix::fs::PermissionsExt as _;
        unable(
            |clawd| {
                let clawd = clawd.home_file("config.toml", "model = \"m\"\n");
                let file = clawd.clawd_home().join("config.toml");
                std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
                clawd
            },
            &["config.toml", "denied"],
        );
    }
}

#[test]
fn an_unknown_key_is_only_a_warning_that_names_the_nearest() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = streaming(&endpoint).home_file("config.toml", "modle = \"m\"\n").arg("go");
    let output = clawd.run().expect_code(0);
    expect_one_line(&output, &["config.toml", "modle", "`model`"]);
    assert_eq!(the(&output, "notice")["text"].as_str().unwrap().trim(), output.stderr.trim());
    endpoint.finish();
}

#[test]
fn a_directory_to_work_in_must_be_one() {
    unable(|clawd| clawd.args(["-C", "gone"]), &["gone", "-C DIR"]);
    unable(|clawd| clawd.file("a.txt", "").args(["-C", "a.txt"]), &["a.txt", "not a directory"]);
}

#[test]
fn a_working_directory_that_is_gone_is_said() {
    let endpoint = Endpoint::script([text("ok")]);
    let in_deleted = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \"$@\"";
    let program = env!("CARGO_BIN_EXE_clawd");
    let clawd = Clawd::new(&endpoint).program("/bin/sh").args(["-c", in_deleted, program, "-p", "go"]);
    let output = clawd.run().expect_code(2);
    expect_one_line(&output, &["Error: ", "working directory", "no longer exists", "-C"]);
    let elsewhere =
        clawd.again().args(["-c", in_deleted, program, "-p", "-C", clawd.home().to_str().unwrap(), "go"]);
    elsewhere.run().expect_code(0);
    endpoint.finish();
}

#[test]
fn an_unknown_session_is_said() {
    unable(|clawd| clawd.args(["-c"]), &["no session", "directory"]);
    unable(|clawd| clawd.args(["-r", "0badc0de"]), &["no session", "0badc0de"]);
    unable(|clawd| clawd.args(["-r", "../../etc/passwd"]), &["no session"]);
}

#[test]
fn without_a_home_the_systems_directories_are_used() {
    let endpoint = Endpoint::script([text("ok")]);
    let clawd = Clawd::new(&endpoint).without_env("HOME").without_env("CLAWD_HOME");
    let home = clawd.home();
    let place = |name: &str| home.join(name).to_str().unwrap().to_owned();
    let clawd = clawd.env("XDG_CONFIG_HOME", &place("config")).env("XDG_DATA_HOME", &place("data"));
    let output = clawd.again().args(["-p", "go"]).run().expect_code(0);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    assert!(home.join("data/clawd/sessions").is_dir());
    endpoint.finish();
}

fn check_not_saved(clawd: &Clawd) -> Output {
    let output = clawd.run().expect_code(0);
    assert_eq!(the(&output, "notice")["kind"], "not_saved");
    expect_one_line(&output, &["not saved"]);
    assert_eq!(output.result()["final_message"], "Done.");
    output
}

#[test]
fn a_home_that_cannot_be_written_costs_the_session_and_not_the_run() {
    let endpoint = Endpoint::script([calling("Glob", json!({"pattern": "*"})), text("Done.")]);
    check_not_saved(&streaming(&endpoint).home_file("sessions", "a file").arg("go"));
    endpoint.finish();
}

/// A limit on the size of files fails like a full disk: after a part of the line was written.
#[test]
fn a_full_disk_costs_the_rest_of_the_session_and_not_the_run() {
    let long = "word ".repeat(1000);
    let read = || calling("Read", json!({"file_path": "a.txt"}));
    let endpoint = Endpoint::script([read(), read(), text("Done."), text("And on.")]);
    let full = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let clawd = Clawd::new(&endpoint).file("a.txt", &long).program("/bin/sh").args([
        "-c",
        full,
        env!("CARGO_BIN_EXE_clawd"),
        "-p",
        "--output-format",
        "stream-json",
        "go",
    ]);
    check_not_saved(&clawd);
    for (_, content) in files_below(&clawd.clawd_home()) {
        let lines = content.lines().map(|line| serde_json::from_str::<Value>(line).expect("a whole line"));
        assert_eq!(lines.count(), 3, "the head, the prompt, the call: {content}");
        assert!(content.ends_with('\n'));
    }
    endpoint.allow_break();
    let again = streaming_again(&clawd.again().program(env!("CARGO_BIN_EXE_clawd"))).args(["-c", "on"]);
    again.run().expect_code(0);
    endpoint.finish();
}

#[test]
fn a_file_that_is_no_session_does_not_disturb_the_others() {
    let endpoint = Endpoint::script([text("ok"), text("ok")]);
    let clawd = streaming(&endpoint).arg("go");
    clawd.run().expect_code(0);
    let (path, _) = files_below(&clawd.clawd_home()).pop().unwrap();
    std::fs::write(path.with_file_name("zzz.jsonl"), "no session\n").unwrap();
    std::fs::create_dir(path.with_file_name("yyy.jsonl")).unwrap();
    std::fs::write(path.with_file_name("xxx.jsonl"), "").unwrap();
    streaming_again(&clawd).args(["-c", "on"]).run().expect_code(0);
    assert_eq!(endpoint.requests()[1].roles(), "system user assistant user");
    endpoint.finish();
}

#[test]
fn the_key_never_leaves_but_to_the_endpoint() {
    const KEY: &str = "sk-0123456789abcdef";
    let mut peek = "env; echo \"[$CLAWD_API_KEY$OPENAI_API_KEY$TEAM_KEY]\"; cat /proc/$$/environ".to_owned();
    if !rustix::process::geteuid().is_root() {
        // root may look into every process
        peek.push_str(" /proc/$PPID/environ");
    }
    let echoed = json!({"error": {"message": format!("Incorrect API key provided: {KEY}."), "code": "x"}});
    let endpoint = Endpoint::script([
        calls([
            call("Bash", json!({"command": peek})),
            call("Bash", json!({"command": "env", "timeout": 5000})),
        ]),
        status(400).body("application/json", &echoed.to_string()),
    ]);
    let clawd = streaming(&endpoint)
        .home_file(
            "config.toml",
            "[providers.other]\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"TEAM_KEY\"\n",
        )
        .env("CLAWD_API_KEY", KEY)
        .env("OPENAI_API_KEY", KEY)
        .env("TEAM_KEY", KEY)
        .args(["--yolo", "--debug", "go"]);
    let output = clawd.run().expect_code(1);
    let authorization = endpoint.requests()[0].header("authorization").map(str::to_owned);
    assert_eq!(authorization.as_deref(), Some("Bearer sk-0123456789abcdef"));
    assert!(output.stdout.contains("PATH="), "the environment was printed");
    assert!(!output.stdout.contains(KEY) && !output.stderr.contains(KEY), "{output:#?}");
    for (path, content) in files_below(&clawd.clawd_home()) {
        assert!(!content.contains(KEY), "{}", path.display());
    }
    endpoint.finish();
}

#[test]
fn a_key_typed_as_an_option_never_leaves_but_to_the_endpoint() {
    let endpoint = Endpoint::script([calling("Bash", json!({"command": "env"})), text("ok")]);
    let clawd = streaming(&endpoint).args(["--api-key", "sk-typed-key", "--yolo", "--debug", "go"]);
    let output = clawd.run().expect_code(0);
    assert_eq!(endpoint.requests()[0].header("authorization"), Some("Bearer sk-typed-key"));
    assert!(!output.stdout.contains("sk-typed-key") && !output.stderr.contains("sk-typed-key"));
    assert!(files_below(&clawd.clawd_home()).iter().all(|(_, content)| !content.contains("sk-typed-key")));
    endpoint.finish();
}

/// All files below a directory, with what they hold.
pub(crate) fn files_below(directory: &Path) -> Vec<(std::path::PathBuf, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&entry.path()));
        } else {
            files.push((
                entry.path(),
                String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned(),
            ));
        }
    }
    files
}
