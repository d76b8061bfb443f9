//! `clawd sessions`, `clawd config`, `clawd completions` and `clawd man`: what is kept and in force, told without a model.

use serde_json::Value;

use crate::endpoint::{Endpoint, text};
use crate::harness::{Clawd, Output};
use crate::headless::expect_one_line;
use crate::pty::{Pty, Size};

const RED: &str = "why \u{1b}[31mred";

/// The program with one session that was kept, and its ID. The model is gone.
fn with_a_session() -> (Clawd, String) {
    let endpoint = Endpoint::script([text("Because *of that*.")]);
    let clawd = Clawd::new(&endpoint).args(["-p", RED]);
    clawd.run().expect_code(0);
    let clawd = clawd.again().without_env("CLAWD_API_KEY");
    let all = objects(&run(&clawd, "sessions list --format json").expect_code(0));
    let id = all[0]["id"].as_str().unwrap().to_owned();
    (clawd, id)
}

fn run(clawd: &Clawd, line: &str) -> Output {
    clawd.again().args(line.split(' ')).run()
}

fn objects(output: &Output) -> Vec<Value> {
    serde_json::from_str(&output.stdout).unwrap()
}

#[test]
fn sessions_are_listed_for_people_and_for_programs() {
    let (clawd, id) = with_a_session();
    let said = run(&clawd, "sessions").expect_code(0).stdout;
    assert!(said.starts_with(&id) && said.contains("now") && said.contains("red"), "{said}");
    assert!(!said.contains('\u{1b}') && said.lines().count() == 1, "{said:?}");
    let all = objects(&run(&clawd, "sessions list --all --format json").expect_code(0));
    assert_eq!(
        (all.len(), all[0]["title"].as_str(), all[0]["model"].as_str()),
        (1, Some(RED), Some("mock-1"))
    );
    // of another directory there are none, and all are still all
    for line in ["-C / sessions", "-C / sessions --format markdown"] {
        let elsewhere = run(&clawd, line).expect_code(0).stdout;
        assert_eq!(elsewhere, "no sessions in this directory (try --all)\n");
    }
    let all = run(&clawd, "-C / sessions --all").expect_code(0).stdout;
    assert!(all.starts_with(&id), "{all}");
    let table = run(&clawd, "sessions list --format markdown").expect_code(0).stdout;
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!((rows.len(), rows[0], rows[1]), (3, "| ID | Written | Title |", "| --- | --- | --- |"));
    assert!(rows[2].starts_with(&format!("| `{id}` | now | why ")) && !table.contains('\u{1b}'), "{table:?}");
    let all = clawd.again().args(["-C", "/", "sessions", "list", "--all"]).run().expect_code(0).stdout;
    assert!(all.starts_with(&id) && all.contains(clawd.project().to_str().unwrap()), "{all}");
}

#[test]
fn a_session_is_shown_and_exported_by_the_beginning_of_its_id_or_as_the_last() {
    let (clawd, id) = with_a_session();
    for name in [&id, id.get(..30).unwrap(), ""] {
        let shown = run(&clawd, format!("sessions show {name}").trim()).expect_code(0).stdout;
        assert!(shown.starts_with(&format!("{id}\n")) && shown.contains("Because *of that*."), "{shown}");
        assert!(shown.contains("2 messages") && !shown.contains('\u{1b}'), "{shown:?}");
        let exported = run(&clawd, format!("sessions export {name}").trim()).expect_code(0).stdout;
        assert!(exported.contains("Because *of that*."), "{exported}");
    }
    let object = run(&clawd, "sessions export --format json").expect_code(0).stdout;
    let object: Value = serde_json::from_str(&object).unwrap();
    assert!(object.to_string().contains("Because *of that*."), "{object}");
    let kept = std::fs::read_to_string(crate::sessions::session_file(&clawd)).unwrap();
    let head: Value = serde_json::from_str(kept.lines().next().unwrap()).unwrap();
    assert_eq!(object["session"], head, "the head as it is kept, with its time");
    let elsewhere = clawd.again().args(["-C", "/", "sessions", "export", &id]).run();
    assert!(elsewhere.expect_code(2).stderr.contains("belongs to another directory"));
    clawd.again().args(["-C", "/", "sessions", "export", "--all", &id]).run().expect_code(0);
}

#[test]
fn a_session_is_deleted_with_all_that_it_kept() {
    let (clawd, id) = with_a_session();
    let project = crate::sessions::session_file(&clawd).parent().unwrap().to_owned();
    std::fs::create_dir_all(project.join(&id).join("before")).unwrap();
    for (line, said) in [
        ("sessions delete nope", "no session has the ID nope"),
        ("sessions delete", "`sessions delete` needs the ID of one session"),
        ("sessions delete --all", "`--all` only searches all directories for it"),
        ("sessions show nope", "no session has the ID nope"),
    ] {
        expect_one_line(&run(&clawd, line).expect_code(2), &[said]);
    }
    assert_eq!(
        run(&clawd, &format!("sessions delete {id}")).expect_code(0).stdout,
        format!("removed {id}\n")
    );
    assert_eq!(std::fs::read_dir(&project).unwrap().count(), 0);
    assert!(run(&clawd, "sessions show").expect_code(2).stderr.contains("no session in this directory"));
}

#[test]
fn an_empty_id_is_no_session() {
    let (clawd, id) = with_a_session();
    for empty in ["", " "] {
        for args in [
            &["sessions", "delete", empty][..],
            &["sessions", "delete", "--all", empty],
            &["sessions", "show", empty],
            &["sessions", "export", empty],
            &["-p", "-r", empty, "go"],
            &["-p", "--resume", empty, "go"],
        ] {
            let output = clawd.again().args(args.iter().copied()).run().expect_code(2);
            expect_one_line(&output, &["the ID is empty (try `clawd sessions list`"]);
        }
    }
    assert!(run(&clawd, "sessions").expect_code(0).stdout.starts_with(&id), "it is still there");
}

#[test]
fn an_export_is_exact_in_a_pipe_and_harmless_on_a_terminal() {
    let copy = "\u{1b}]52;c;ZXZpbA==\u{7}";
    let endpoint = Endpoint::script([text(&format!("{copy}\u{1b}]0;evil\u{7}\u{9b}31mDone."))]);
    let clawd = Clawd::new(&endpoint).args(["-p", &format!("{copy}why")]);
    clawd.run().expect_code(0);
    for line in ["sessions export", "sessions export --format json", "sessions list --format json"] {
        let exact = run(&clawd, line).expect_code(0).stdout;
        let raw = if line.ends_with("json") { "\\u001b]52;c;" } else { copy };
        assert!(exact.contains(raw), "{line}: {exact:?}");
        let pty = Pty::spawn(&clawd.again().args(line.split(' ')), Size::new(200, 50));
        assert_eq!(pty.wait_exit().code, 0, "{line}");
        let shown = String::from_utf8_lossy(&pty.raw_bytes()).into_owned();
        assert!(shown.contains("why") && !shown.contains(['\u{1b}', '\u{9b}', '\u{7}']), "{line}: {shown:?}");
    }
    endpoint.finish();
}

#[test]
fn the_configuration_in_force_is_told_with_what_set_it_and_without_a_key() {
    let clawd = Clawd::alone()
        .home_file(
            "config.toml",
            "model = \"from-file\"\nmax_retries = 2\nmodle = \"x\"\n[tui]\nvim = true\n",
        )
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .env("OPENAI_API_KEY", "sk-secret");
    let page = clawd.again().args(["config", "show", "-m", "typed"]).run().expect_code(0).stdout;
    let line = |key: &str| page.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
    assert!(line("model").ends_with("# --model") && line("model").starts_with("model = \"typed\""), "{page}");
    assert!(line("base_url").ends_with("# OPENAI_BASE_URL"), "{page}");
    assert!(line("max_retries").ends_with("# config.toml"), "{page}");
    assert!(line("vim = true").ends_with("# config.toml") && line("theme").ends_with("# default"), "{page}");
    assert!(line("# warning").contains("`modle`") && line("# API key").contains("OPENAI_API_KEY"), "{page}");
    assert!(!page.contains("secret"), "{page}");
    let hooked = "[permissions]\ndeny = [\"WebFetch\"]\n[[hooks.PreToolUse]]\ncommand = \"./guard.sh\"\n\
                  [mcp_servers.a]\ncommand = \"x\"\n";
    let hooked = Clawd::alone().home_file("config.toml", hooked);
    let page = run(&hooked, "--disallowed-tools Glob config").expect_code(0).stdout;
    assert!(page.contains("line 3: `hooks` is ignored: this version does not support hooks"), "{page}");
    assert!(page.contains("line 5: `mcp_servers` is ignored"), "{page}");
    let place = |rule: &str| {
        let line = page.lines().find(|line| line.trim_start().starts_with(&format!("\"{rule}\",")));
        line.and_then(|line| line.split(" # ").nth(1)).unwrap_or_default().to_owned()
    };
    assert_eq!([place("WebFetch"), place("Glob")], ["config.toml", "--disallowed-tools"], "{page}");
    let doctor = run(&hooked, "doctor").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(doctor.contains("`hooks` is ignored: this version does not support hooks"), "{doctor}");
    let path = run(&clawd, "config path").expect_code(0).stdout;
    assert_eq!(path, format!("{}\n", clawd.clawd_home().join("config.toml").display()));
    let broken = clawd.home_file("config.toml", "max_retries = \"two\"\n");
    let said = run(&broken, "config").expect_code(2).stderr;
    assert!(said.starts_with("Error: ") && said.contains("config.toml: line 1: "), "{said}");
}

#[test]
fn what_a_shell_and_man_want_is_printed() {
    let clawd = Clawd::alone();
    let script = run(&clawd, "completions bash").expect_code(0).stdout;
    assert!(script.contains("complete -F _clawd") && script.contains("--permission-mode"));
    assert!(run(&clawd, "man").expect_code(0).stdout.contains(".TH clawd 1"));
}
