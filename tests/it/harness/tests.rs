//! The harness itself, with the shell in the place of the program.

use super::*;

fn shell(script: &str) -> Clawd {
    Clawd::alone().program("/bin/sh").args(["-c", script])
}

fn failure(run: impl FnOnce()) -> String {
    let panic =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it should have failed");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn a_run_gives_its_code_and_its_output() {
    let output = shell("echo out; echo err >&2; exit 3").run().expect_code(3);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.signal), ("out\n", "err\n", None));
}

#[test]
fn another_code_fails_with_what_was_said() {
    let message = failure(|| drop(shell("echo why >&2; exit 1").run().expect_code(0)));
    assert!(message.contains("why"), "{message}");
}

#[test]
fn the_environment_is_built_from_nothing() {
    let endpoint = Endpoint::script([]);
    let clawd = Clawd::new(&endpoint).env("EXTRA", "1").without_env("LANG").program("/usr/bin/env");
    let output = clawd.run().expect_code(0);
    let names: Vec<&str> = output.stdout.lines().filter_map(|line| line.split('=').next()).collect();
    let expected = [
        "CLAWD_API_KEY",
        "CLAWD_BASE_URL",
        "CLAWD_HOME",
        "CLAWD_MODEL",
        "EXTRA",
        "HOME",
        "PATH",
        "TERM",
        "TMPDIR",
    ];
    assert_eq!(names, expected);
    assert!(output.stdout.contains(&format!("CLAWD_BASE_URL={}\n", endpoint.base_url())));
    assert!(output.stdout.contains(&format!("HOME={}\n", clawd.home().display())));
    endpoint.finish();
}

#[test]
fn runs_of_one_world_see_the_same_files() {
    let clawd = shell("pwd; cat sub/a.txt; cat \"$CLAWD_HOME/config.toml\"; echo new > b.txt")
        .file("sub/a.txt", "one\n")
        .home_file("config.toml", "two\n")
        .repository();
    let output = clawd.run().expect_code(0);
    assert_eq!(output.stdout, format!("{}\none\ntwo\n", clawd.project().display()));
    assert_eq!(
        (clawd.read("b.txt").as_str(), clawd.read(".git/HEAD").as_str()),
        ("new\n", "ref: refs/heads/main\n")
    );
    assert!(clawd.clawd_home().join("config.toml").exists());
    let again = clawd.again().args(["-c", "cat b.txt"]).run().expect_code(0);
    assert_eq!(again.stdout, "new\n");
    let project = clawd.project();
    drop(clawd);
    assert!(!project.exists(), "nothing is left behind");
}

#[test]
fn input_is_empty_given_or_open() {
    assert_eq!(shell("cat").run().stdout, "");
    assert_eq!(shell("cat").stdin("hello").run().stdout, "hello");
    let unread = "x".repeat(1 << 20);
    shell("exit 0").stdin(&unread).run().expect_code(0);
    let mut running = shell("read -r line; echo \"$line\"; cat").open_stdin().spawn();
    running.write_stdin("one\n");
    assert_eq!(running.next_line().as_deref(), Some("one"));
    running.write_stdin("two\n");
    running.close_stdin();
    assert_eq!((running.next_line().as_deref(), running.next_line()), (Some("two"), None));
}

#[test]
fn events_are_read_as_they_come_and_at_the_end() {
    let lines = [r#"{"type":"a","n":1}"#, r#"{"type":"b","n":2}"#, r#"{"type":"a","n":3}"#];
    let script =
        format!("echo '{}'; read -r go; echo '{{\"type\":\"result\",\"success\":true}}'", lines.join("\n"));
    let mut running = shell(&script).open_stdin().spawn();
    assert_eq!(running.wait_for_event("b")["n"], 2);
    assert_eq!(running.wait_for_event("a")["n"], 3, "read on from there");
    running.write_stdin("go\n");
    let output = running.wait().expect_code(0);
    assert_eq!((output.events().len(), output.events_of("a").len()), (4, 2));
    assert_eq!(output.result()["success"], true);
}

#[test]
fn what_is_no_stream_of_events_fails() {
    assert!(failure(|| drop(shell("echo hello").run().events())).contains("hello"));
    assert!(failure(|| drop(shell("echo '{}'").run().result())).contains("one result"));
    let late = r#"echo '{"type":"result"}'; echo '{"type":"a"}'"#;
    assert!(failure(|| drop(shell(late).run().result())).contains("the last line"));
    let missing = failure(|| drop(shell("echo '{}'; echo why >&2").spawn().wait_for_event("a")));
    assert!(missing.contains("no `a` event came") && missing.contains("why"), "{missing}");
}

#[test]
fn signals_reach_the_program() {
    for (signal, expected) in [(Signal::INT, "130"), (Signal::TERM, "143")] {
        let mut running =
            shell("trap 'exit 130' INT; trap 'exit 143' TERM; echo ready >&2; while :; do read -r x; done")
                .open_stdin()
                .spawn();
        running.wait_for_stderr("ready");
        running.signal(signal);
        // a shell that was about to read hears of it after the line
        running.close_stdin();
        assert_eq!(running.wait().code.map(|code| code.to_string()).as_deref(), Some(expected));
    }
    let running = shell("echo ready >&2; exec cat").open_stdin().spawn();
    running.wait_for_stderr("ready");
    running.signal(Signal::KILL);
    let output = running.wait();
    assert_eq!((output.code, output.signal), (None, Some(9)));
}

#[test]
fn text_that_never_comes_on_standard_error_fails_at_its_end() {
    let message = failure(|| shell("echo other >&2").spawn().wait_for_stderr("ready"));
    assert!(message.contains("\"ready\" never stood") && message.contains("other"), "{message}");
}

#[test]
fn a_reader_may_leave_early() {
    let output = shell("exec yes").only_lines(1).run();
    assert_eq!((output.signal, output.stdout.lines().next()), (Some(Signal::PIPE.as_raw()), Some("y")));
}
