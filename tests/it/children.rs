//! What commands get of the program, and what becomes of them when it is gone: variables, directory, keys, limits, its end.

use std::fs;
use std::time::Instant;

use rustix::process::Signal;
use serde_json::json;

use crate::endpoint::{Call, call, calls};
use crate::tiers::{Lacks, without};
use crate::watched::DEADLINE;
use crate::workshop::Workshop;

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

fn allowed(mode: &'static str) -> Workshop {
    Workshop::in_mode(mode).options(["--allowed-tools", "Bash"])
}

fn told(shop: &Workshop, command: &str) -> String {
    shop.run([[bash(command)]]).told.remove(0)
}

/// Whether a process has this word among its arguments.
fn runs(word: &str) -> bool {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let arguments =
        |entry: fs::DirEntry| fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
    all.map(arguments).any(|line| line.split('\0').any(|argument| argument == word))
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < DEADLINE, "{what}");
        std::thread::yield_now();
    }
}

/// The program is killed while commands run, one of them in the background and away from its group.
fn kill_while_it_runs(mode: &'static str, number: u32) {
    let own = |what: u32| format!("{}.{}{number}{what}", 3000 + what, std::process::id());
    let shop = allowed(mode);
    let background = format!("setsid sleep {} & sleep {}", own(1), own(2));
    shop.endpoint().push(calls([
        call("Bash", json!({"command": background, "run_in_background": true})),
        bash(&format!("sleep {}", own(3))),
    ]));
    let running = shop.start();
    for what in 1..=3 {
        wait_until("it does not run", || runs(&own(what)));
    }
    running.signal(Signal::KILL);
    running.wait();
    for what in 1..=3 {
        wait_until("it runs on", || !runs(&own(what)));
    }
}

#[test]
fn what_runs_ends_with_the_program_also_where_that_is_killed() {
    kill_while_it_runs("default", 1);
    kill_while_it_runs("bypass", 2);
}

#[test]
fn what_runs_in_the_second_tier_ends_with_the_program_where_that_is_killed() {
    without(Lacks::Namespaces, || kill_while_it_runs("default", 3));
}

#[test]
fn a_limit_of_file_size_ends_no_run_without_a_result() {
    let shop = allowed("bypass");
    let program = shop.clawd().parts().0.display().to_string();
    shop.endpoint().push(calls([bash("seq 20000 > big; echo ended $?; seq 20000")]));
    shop.endpoint().push(crate::endpoint::text("done"));
    let script = format!("ulimit -f 16; exec {program} -p --yolo --output-format stream-json go");
    let output = shop.clawd().again().program("/bin/bash").args(["-c", &script]).run();
    let result = output.expect_code(0).result();
    assert_eq!((result["success"].as_bool(), result["final_message"].as_str()), (Some(true), Some("done")));
    // commands are ended by it as anywhere
    assert!(shop.told()[0].contains("ended 153"), "{:?}", shop.told());
}

#[test]
fn cd_goes_back_to_where_an_earlier_command_was() {
    for mode in ["default", "bypass"] {
        let shop = allowed(mode).file("a/x", "").file("b/x", "");
        let told = shop.run([[bash("cd a"), bash("cd ../b"), bash("cd -"), bash("cd - && pwd")]]).told;
        assert!(told[2].starts_with(&shop.at("a")), "{told:?}");
        assert!(told[3].starts_with(&shop.at("b")), "{told:?}");
    }
}

/// The superuser could look into every process; others never could.
#[test]
fn no_command_reads_the_programs_key_from_its_process() {
    let shop = allowed("bypass").with(|clawd| clawd.env("CLAWD_API_KEY", "sk-from-the-environment"));
    let shop = shop.options(["--api-key", "sk-from-the-line"]);
    let command = "p=$PPID; for f in environ cmdline; do tr '\\0' '\\n' < /proc/$p/$f; done; \
                   head -c 1 /proc/$p/mem; grep CapBnd /proc/self/status";
    let told = told(&shop, command);
    assert!(!told.contains("sk-from-the"), "{told}");
    let bounding = told.lines().find_map(|line| line.strip_prefix("CapBnd:")).unwrap().trim().to_owned();
    let bounding = u64::from_str_radix(&bounding, 16).unwrap();
    if rustix::process::geteuid().is_root() {
        assert_eq!(bounding & (1 << 19 | 1 << 38), 0, "{told}");
    }
    // what is shown to everybody, seen from outside
    let gate = crate::endpoint::Gate::new();
    shop.endpoint().push(crate::endpoint::text("done").hold_head(&gate));
    let running = shop.start();
    gate.wait_reached();
    let line = fs::read_to_string(format!("/proc/{}/cmdline", running.pid().as_raw_nonzero())).unwrap();
    assert!(line.contains("--api-key\0") && !line.contains("sk-from-the-line"), "{line:?}");
    gate.open();
    running.wait().expect_code(0);
}

#[test]
fn what_runs_with_the_users_rights_gets_all_variables_but_secrets() {
    let shop = |mode| {
        allowed(mode).with(|clawd| {
            let clawd =
                clawd.env("SOME_SETTING", "some").env("SOME_TOKEN", "hidden").env("AWS_REGION", "region");
            clawd.env("DATABASE_URL", "postgres://me:hidden@localhost/db")
        })
    };
    let show = "echo \"<$SOME_SETTING $SOME_TOKEN $AWS_REGION $DATABASE_URL>\"";
    assert_eq!(told(&shop("bypass"), show), "<some  region >");
    assert_eq!(told(&shop("default"), show), "<  region >");
    let said = told(&shop("default"), "test -n \"${SOME_SETTING}\" && test -n \"$SOME_TOKEN\"");
    let note = "[set for the user and not passed to commands: SOME_SETTING, SOME_TOKEN; ";
    assert!(said.contains(note), "{said}");
    let said = told(
        &shop("bypass"),
        "python3 -c 'import os; os.environ[\"SOME_TOKEN\"]' || echo 'no SOME_TOKEN'; false",
    );
    assert!(said.contains("not passed to commands: SOME_TOKEN; "), "{said}");
}

#[test]
fn the_sandboxes_own_tmp_is_named_where_a_tool_misses_a_file() {
    let shop = allowed("accept-edits");
    let name = format!("/tmp/clawd-it-of-a-command-{}", std::process::id());
    let other = tempfile::Builder::new().prefix("clawd-it-file-").tempfile_in("/tmp").unwrap();
    let other = other.path().to_str().unwrap();
    let shop = shop.options(["--allowed-tools", "Bash,Read(//tmp/**)"]);
    let told = shop
        .run([
            [bash(&format!("echo built > {name}"))],
            [call("Read", json!({"file_path": name}))],
            [bash(&format!("cat {other}"))],
            [bash(&format!("cat {name}"))],
        ])
        .told;
    assert!(told[1].contains("is in the /tmp of the sandbox"), "{told:?}");
    assert!(
        told[2].contains(&format!("[/tmp is private to commands and does not contain {other}; ")),
        "{told:?}"
    );
    assert_eq!(told[3], "built");
}

#[test]
fn a_job_in_the_sandbox_changes_no_files_that_run_later() {
    let make = "mkdir .vscode; echo {} > .vscode/tasks.json";
    let shop = allowed("default").with(|clawd| clawd.repository().file("make.sh", make));
    let told = shop.run([[bash("sleep 100 & echo started")], [bash("sh make.sh")]]).told;
    assert!(told[0].contains("started") && !told[0].contains("run later"), "{told:?}");
    assert!(told[1].contains("[changed files that are run later: .vscode/tasks.json]"), "{told:?}");
}

#[test]
fn a_command_that_only_looks_takes_little_memory_for_its_files() {
    let shop = allowed("default");
    let shop = shop.options(["--sandbox", "read-only", "--allowed-tools", "Bash"]);
    let said = told(&shop, "df --output=size -BM /tmp | tail -n 1");
    let megabytes: u64 = said.trim().trim_end_matches('M').parse().unwrap();
    assert!(megabytes <= 256, "{said}");
}
