//! Bash: what a command said, how it ended, where it ran, and that nothing of it is left behind.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::endpoint::{Call, Gate, call, calls, text};
use crate::harness::Signal;
use crate::workshop::{Workshop, lines_of, named_file};

/// Every one of these commands would run for longer than the test may.
const SOON: Duration = Duration::from_secs(20);

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

fn tell(shop: &Workshop, command: &str) -> String {
    shop.tell("Bash", json!({"command": command}))
}

#[test]
fn both_outputs_come_in_the_order_in_which_they_were_written() {
    let shop = Workshop::new();
    let told = tell(&shop, "for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    assert_eq!(told, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3");
}

#[test]
fn how_a_command_ended_is_told() {
    let shop = Workshop::new();
    let run = shop.run([[
        bash("echo oh; exit 3"),
        bash("exit 255"),
        bash("no-such-program"),
        bash("kill -9 $$"),
        bash("true"),
    ]]);
    let check = |number: usize, parts: [&str; 2]| {
        let told = &run.told[number];
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
    };
    check(0, ["exit code 3", "oh"]);
    check(1, ["Error: ", "exit code 255"]);
    check(2, ["exit code 127", "not found"]);
    check(3, ["signal 9", "KILL"]);
    check(4, ["(no output)", ""]);
    let success: Vec<bool> =
        run.output.events_of("tool_result").iter().map(|result| result["success"] == true).collect();
    assert_eq!(success, [false, false, false, false, true]);
}

#[test]
fn a_time_limit_is_told_and_keeps_what_was_said() {
    let shop = Workshop::new();
    let pipe = shop.pipe("pipe");
    let began = Instant::now();
    let stubborn = "exec 9>pipe; trap '' TERM; echo half; sleep 1000 & sleep 1000; sleep 1000";
    let told = shop.tell("Bash", json!({"command": stubborn, "timeout": 300}));
    assert!(told.starts_with("Error: timed out after 300 ms") && told.contains("half"), "{told}");
    pipe.wait_for_end();
    assert!(began.elapsed() < SOON);
}

#[test]
fn a_stopped_command_ends_at_its_time_limit_too() {
    let shop = Workshop::new();
    let told = shop.tell("Bash", json!({"command": "echo half; kill -STOP $$", "timeout": 300}));
    assert!(told.contains("timed out") && told.contains("half"), "{told}");
}

#[test]
fn a_command_in_the_background_does_not_hold_the_call_and_ends_with_the_program() {
    let shop = Workshop::new();
    let pipe = shop.pipe("pipe");
    let began = Instant::now();
    let told = tell(&shop, "exec 9>pipe; sleep 1000 & (setsid sleep 1000 &) ; echo started");
    assert!(told.starts_with("started"), "{told}");
    assert!(told.contains("running"), "says that something was left: {told}");
    pipe.wait_for_end();
    assert!(began.elapsed() < SOON);
}

#[test]
fn a_command_in_the_background_goes_on_while_the_program_runs() {
    let shop = Workshop::new();
    let told = shop.tell_all([
        bash("(until [ -e go ]; do sleep 0.01; done; echo late > late.txt) >/dev/null 2>&1 &"),
        bash("touch go; until [ -e late.txt ]; do sleep 0.01; done; cat late.txt"),
    ]);
    assert!(told[1].starts_with("late"), "{told:?}");
}

#[test]
fn an_abort_ends_the_command_and_all_that_it_started() {
    let shop = Workshop::new();
    let pipe = shop.pipe("pipe");
    let command = "exec 9>pipe; setsid sleep 1000 & (trap '' TERM INT; sleep 1000; sleep 1000) & echo up >&9; sleep 1000";
    shop.endpoint().push(calls([bash(command)]));
    let running = shop.start();
    assert_eq!(pipe.next(), "up");
    running.signal(Signal::INT);
    let output = running.wait().expect_code(130);
    pipe.wait_for_end();
    assert_eq!(output.result()["error"]["type"], "aborted");
    assert_eq!(output.events_of("tool_result").len(), 1, "the call has its answer");
}

#[test]
fn standard_input_is_empty() {
    let shop = Workshop::new();
    assert_eq!(tell(&shop, "cat; read -r line; echo \"read: $?\""), "read: 1");
}

#[test]
fn the_directory_is_kept_from_call_to_call_and_told_where_it_differs() {
    let shop = Workshop::new().file("sub/file", "");
    let root = shop.at("");
    let root = root.trim_end_matches('/');
    // one answer: the second is made ready only when the first is over
    let told = shop.run([[bash("cd sub"), bash("pwd; ls"), bash("cd ..; pwd")]]).told;
    assert!(told[0].contains(&format!("{root}/sub")), "{}", told[0]);
    assert!(told[1].starts_with(&format!("{root}/sub\nfile")), "{}", told[1]);
    assert_eq!(told[2], root, "at home again there is nothing to say");
}

#[test]
fn the_directory_does_not_leave_the_workspace_nor_outlive_itself() {
    let shop = Workshop::new().file("sub/file", "");
    let root = shop.at("");
    let root = root.trim_end_matches('/');
    let told = shop.tell_all([
        bash("cd /; pwd"),
        bash("pwd"),
        bash("cd sub"),
        bash("rm -r ../sub"),
        bash("pwd"),
        bash("pwd"),
    ]);
    assert!(told[0].starts_with("/\n") && told[0].contains(root), "{}", told[0]);
    assert_eq!(told[1], root);
    assert!(told[4].starts_with("Error: ") && told[4].contains("sub"), "{}", told[4]);
    assert_eq!(told[5], root);
}

#[test]
fn relative_paths_of_the_file_tools_do_not_follow_the_shell() {
    let shop = Workshop::new().file("a", "root\n").file("sub/a", "sub\n");
    let told = shop.tell_all([bash("cd sub"), call("Read", json!({"file_path": "a"})), bash("cat a")]);
    assert_eq!(told[1], "1\troot");
    assert!(told[2].starts_with("sub"), "{}", told[2]);
}

#[test]
fn no_key_is_in_the_environment() {
    let shop = Workshop::new()
        .with(|clawd| {
            let clawd = clawd.env("OPENAI_API_KEY", "second-key").env("GITHUB_TOKEN", "third-key");
            let clawd = clawd.env("TEAM_ACCESS", "fourth-key").env("BASH_ENV", "/nowhere");
            clawd.env("GOFLAGS", "seen").env("UNHEARD_OF", "fifth").env("NODE_COPY", "a-fourth-key")
        })
        .with(|clawd| clawd.home_file("config.toml", "api_key_env = \"TEAM_ACCESS\"\n"));
    let told = tell(&shop, "env");
    assert!(told.contains("GOFLAGS=seen") && told.contains("PATH="), "{told}");
    // it runs with the user's own rights
    assert!(told.contains("UNHEARD_OF=fifth"), "{told}");
    for key in ["test-key", "second-key", "third-key", "fourth-key", "BASH_ENV"] {
        assert!(!told.contains(key), "{key}: {told}");
    }
}

#[test]
fn the_user_lets_variables_pass_but_no_key_of_the_program() {
    let config = "api_key_env = \"TEAM_ACCESS\"\n[sandbox]\n\
                  environment = [\"UNHEARD_*\", \"GITHUB_TOKEN\", \"TEAM_ACCESS\", \"CLAWD_API_KEY\", \"BASH_ENV\"]\n";
    let shop = Workshop::new()
        .with(|clawd| {
            clawd.env("UNHEARD_OF", "passed").env("UNHEARD_TOKEN", "held-1").env("GITHUB_TOKEN", "named")
        })
        .with(|clawd| clawd.env("TEAM_ACCESS", "held-2").env("BASH_ENV", "/nowhere"))
        .with(|clawd| clawd.home_file("config.toml", config));
    let told = tell(&shop, "env");
    assert!(told.contains("UNHEARD_OF=passed") && told.contains("GITHUB_TOKEN=named"), "{told}");
    for held in ["held-", "test-key", "BASH_ENV"] {
        assert!(!told.contains(held), "{held}: {told}");
    }
}

#[test]
fn progress_is_folded_and_control_sequences_are_left_out() {
    let shop = Workshop::new();
    let told = shop.tell_all([
        bash("printf '10%%\\r50%%\\r100%%\\ndone\\n'"),
        bash("printf '\\033[31mred\\033[0m \\033]0;title\\007a\\000b\\342\\200\\256c\\n'"),
        bash("printf 'a\\r\\nb\\r\\n'"),
        bash("printf 'bad \\377\\376 bytes\\n'"),
    ]);
    assert_eq!(told[0], "100%\ndone");
    assert!(
        told[1].starts_with("red ") && !told[1].contains(['\u{1b}', '\u{7}', '\0', '\u{202e}']),
        "{:?}",
        told[1]
    );
    assert!(!told[1].contains("title"), "{:?}", told[1]);
    assert_eq!(told[2], "a\nb");
    assert!(told[3].starts_with("bad \u{fffd}") && told[3].ends_with("bytes"), "{:?}", told[3]);
}

#[test]
fn a_long_output_is_cut_in_the_middle_and_kept_whole_in_a_private_file() {
    let shop = Workshop::new();
    for last in [3_000_u32, 200_000] {
        let told = tell(&shop, &format!("seq 1 {last}"));
        assert!(told.len() <= 50 * 1024 && told.lines().count() <= 2000, "{}", told.len());
        assert!(told.starts_with("1\n2\n") && told.contains(&format!("\n{last}\n")), "both ends are there");
        assert!(told.contains("cut") || told.contains("left out"), "says that it was cut");
        let file = named_file(&told);
        let whole = lines_of(1..=last, |number| format!("{number}"));
        assert_eq!(std::fs::read_to_string(file).unwrap(), whole, "{}", file.display());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn the_file_with_the_whole_may_be_read_unasked() {
    let shop = Workshop::in_mode("default").options(["--allowed-tools", "Bash(seq:*)"]);
    let cut = tell(&shop, "seq 1 3000");
    let file = named_file(&cut).to_str().unwrap().to_owned();
    let shop = shop.options(["-c"]);
    let read = shop.run([[call("Read", json!({"file_path": file, "offset": 1500, "limit": 1}))]]);
    assert!(read.told.last().unwrap().starts_with("1500\t1500"), "{:?}", read.told.last());
}

#[test]
fn a_hundred_megabytes_are_held_in_little_memory() {
    let shop = Workshop::new();
    let (before, after) = (Gate::new(), Gate::new());
    shop.endpoint()
        .push(text("so").hold(&before).calls([bash("yes 0123456789 | head -c 100000000; echo; echo end")]));
    shop.endpoint().push(text("do").hold(&after).text("ne"));
    let running = shop.start();
    let peak = || {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", running.pid().as_raw_nonzero())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    before.wait_reached();
    let at_first = peak();
    before.open();
    after.wait_reached();
    let grown = peak() - at_first;
    after.open();
    running.wait().expect_code(0);
    let told = shop.told().remove(0);
    assert!(told.len() <= 50 * 1024 && told.contains("\nend\n"), "{}", told.len());
    assert!(grown < 24 * 1024, "{grown} KiB more");
    assert!(named_file(&told).metadata().unwrap().len() >= 64 << 20, "as much as is kept of it");
}

#[test]
fn what_is_asked_of_the_limits_is_bounded_and_read_leniently() {
    let shop = Workshop::new();
    let run = |arguments: Value| shop.tell("Bash", arguments);
    assert_eq!(run(json!({"command": "echo x", "timeout": 99_999_999})), "x");
    assert_eq!(run(json!({"command": "echo x", "timeout": 0, "description": "says x"})), "x");
    assert!(run(json!({"command": "  "})).starts_with("Error: `command` is empty"));
    assert!(run(json!({"command": ["ls", "-l"]})).starts_with("Error: `command` must be a string"));
}

#[test]
fn a_command_of_several_lines_with_a_here_document_runs_as_it_stands() {
    let shop = Workshop::new();
    tell(&shop, "cat > made.txt <<'END'\n$HOME `x`\nEND\nprintf 'more\\n' >> made.txt");
    assert_eq!(shop.text("made.txt"), "$HOME `x`\nmore\n");
}

#[test]
fn a_command_runs_and_ends_as_it_would_in_a_shell() {
    let shop = Workshop::new().file("plain", "no program");
    let cases = [
        ("echo a # and so on", "a"),
        ("cat <<E\nx\nE", "x"),
        ("echo a; exit 4; echo b", "Error: exit code 4\na"),
        ("set -e; false; echo no", "Error: exit code 1\n(no output)"),
        ("false | true", "(no output)"),
        ("exec bash", "(no output)"),
        ("f() { echo f; }; f", "f"),
        ("f", "Error: exit code 127 (a command was not found)\n"),
        ("./plain", "Error: exit code 126 (a file could not be run)\n"),
        ("bash -c 'kill -SEGV $$'; exit", "Error: exit code 139 (a command was ended by signal SEGV)"),
        ("exit 255", "Error: exit code 255\n(no output)"),
        ("printf 'a\\0b'", "a␀b"),
        ("printf '|\\b/\\b-\\bdone'", "done"),
        ("echo >/dev/tty", "Error: exit code 1\n"),
    ];
    let told = shop.tell_all(cases.map(|(command, _)| bash(command)));
    for ((command, expected), told) in cases.iter().zip(told) {
        assert!(told.starts_with(expected), "{command}: {told}");
    }
}

#[test]
fn a_system_without_bash_is_served_by_the_plain_shell() {
    let shop = Workshop::new().with(|clawd| clawd.env("PATH", "/nowhere"));
    assert_eq!(tell(&shop, "echo hello"), "hello");
}
