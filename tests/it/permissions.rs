//! Who may: modes, rules, secrets, places. Headless, where what would be asked is denied and the model is told.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::endpoint::{Call, call};
use crate::workshop::Workshop;

const MODES: [&str; 4] = ["default", "accept-edits", "plan", "bypass"];

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

fn read(path: &str) -> Call {
    call("Read", json!({"file_path": path}))
}

fn write(path: &str) -> Call {
    call("Write", json!({"file_path": path, "content": "x\n"}))
}

/// A project with something of everything.
fn project(mode: &'static str) -> Workshop {
    Workshop::in_mode(mode)
        .file("a.txt", "a\n")
        .file(".env", "TOKEN=hunter2\n")
        .file(".env.example", "TOKEN=\n")
}

/// Whether each call was let through.
fn let_through(shop: &Workshop, calls: Vec<Call>) -> Vec<bool> {
    let count = calls.len();
    let run = shop.run([calls]);
    (0..count).map(|number| !run.was_denied(number)).collect()
}

/// One call in each mode: default, accept-edits, plan, bypass.
#[track_caller]
fn row(make: impl Fn(&Workshop) -> Call, expected: [bool; 4]) {
    let found = MODES.map(|mode| {
        let shop = project(mode);
        let call = make(&shop);
        let_through(&shop, vec![call])[0]
    });
    assert_eq!(found, expected, "{MODES:?}");
}

#[test]
fn reads_in_the_workspace_are_free_in_every_mode() {
    row(|_| read("a.txt"), [true; 4]);
    row(|_| call("Glob", json!({"pattern": "*"})), [true; 4]);
    row(|_| call("Grep", json!({"pattern": "a"})), [true; 4]);
}

#[test]
fn edits_in_the_workspace_are_asked_free_refused_free() {
    row(|_| write("new.txt"), [false, true, false, true]);
}

#[test]
fn commands_are_asked_asked_refused_free() {
    row(|_| bash("touch made"), [false, false, false, true]);
}

#[test]
fn a_command_that_only_looks_in_the_workspace_is_free_in_every_mode() {
    row(|_| bash("ls"), [true; 4]);
}

#[test]
fn outside_the_workspace_it_is_asked_asked_refused_free() {
    row(|_| read("/etc/hostname"), [false, false, false, true]);
    row(|shop| write(shop.clawd().home().join("x").to_str().unwrap()), [false, false, false, true]);
    row(|_| bash("cat /etc/hostname"), [false, false, false, true]);
    row(|_| call("Glob", json!({"pattern": "/etc/*"})), [false, false, false, true]);
}

#[test]
fn the_second_names_of_the_modes_are_taken() {
    assert_eq!(let_through(&project("autoEdit"), vec![write("n"), bash("touch m")]), [true, false]);
    assert_eq!(let_through(&project("yolo"), vec![write("n"), bash("touch m")]), [true, true]);
}

#[test]
fn a_denial_goes_to_the_model_with_its_reason_and_the_run_goes_on() {
    let shop = project("default");
    let run = shop.run([[bash("touch made")]]);
    let denied = run.output.events_of("permission_denied").remove(0);
    assert_eq!((&denied["name"], &denied["id"]), (&json!("Bash"), &json!("call_1")));
    assert!(denied["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{denied}");
    assert!(run.told[0].starts_with("Error: ") && run.told[0].contains("approval"), "{}", run.told[0]);
    assert_eq!(run.output.result()["success"], true);
    assert!(!shop.path("made").exists());
}

#[test]
fn a_search_that_runs_unasked_passes_over_secrets_and_says_so() {
    let secret = "TOKEN=hunter2\n";
    let shop = project("default").file(".env.exam", secret).file("sub/.env.local", secret);
    let shop = shop.file("tls.key", secret).file("sub/.env.sample", "TOKEN=\n");
    let told = &shop.run([[bash("grep -rn TOKEN ."), bash("grep -n a a.txt")]]).told;
    let (found, _) = told[0].split_once("\n[skipped: links, and files that look like secrets: .env").unwrap();
    let mut found: Vec<&str> = found.lines().collect();
    found.sort_unstable();
    assert_eq!(found, ["./.env.example:1:TOKEN=", "./sub/.env.sample:1:TOKEN="]);
    assert_eq!(told[1], "1:a");
}

#[test]
fn secrets_are_asked_for_also_when_they_are_only_read() {
    row(|_| read(".env"), [false, false, false, true]);
    row(|_| bash("cat .env"), [false, false, false, true]);
    row(|_| bash("cat ./sub/../.env"), [false, false, false, true]);
    row(|_| read(".env.example"), [true; 4]);
    for name in ["id_rsa", "server.pem", "credentials.json", ".netrc", "sub/.env.local", "tls.key"] {
        let shop = project("accept-edits").file(name, "secret\n");
        let run = shop.run([[read(name)]]);
        assert!(run.was_denied(0) && !run.told[0].contains("secret\n"), "{name}: {}", run.told[0]);
    }
    for name in ["id_rsa.pub", ".env.sample", "src/env.rs"] {
        let shop = project("default").file(name, "public\n");
        assert_eq!(let_through(&shop, vec![read(name)]), [true], "{name}");
    }
}

#[test]
fn a_secret_behind_a_link_is_a_secret() {
    let shop = project("accept-edits");
    symlink(".env", shop.path("plain.txt")).unwrap();
    let run = shop.run([[read("plain.txt"), bash("cat plain.txt"), write("plain.txt")]]);
    assert!(run.was_denied(0) && run.was_denied(1), "{:?}", run.told);
    assert!(
        !run.told.join("").contains("hunter2") && shop.text(".env").contains("hunter2"),
        "{:?}",
        run.told
    );
}

#[test]
fn a_link_with_the_name_of_a_secret_is_one_wherever_it_leads() {
    let shop = project("accept-edits");
    symlink("a.txt", shop.path(".env.local")).unwrap();
    symlink(".", shop.path(".ssh")).unwrap();
    let by_links = vec![read(".env.local"), read(".ssh/a.txt"), write(".env.local")];
    let run = shop.run([vec![read("a.txt")], by_links]);
    assert!(!run.was_denied(0) && (1..4).all(|number| run.was_denied(number)), "{:?}", run.told);
}

#[test]
fn a_link_out_of_the_workspace_is_judged_by_its_target() {
    let shop = project("accept-edits");
    let outside = shop.clawd().home();
    std::fs::write(outside.join("note"), "outside\n").unwrap();
    symlink(outside.join("note"), shop.path("link")).unwrap();
    symlink(&outside, shop.path("dir")).unwrap();
    let run = shop.run([[
        read("link"),
        write("dir/new"),
        read("dir/note"),
        bash("cat link"),
        bash("ls dir"),
        write("link"),
    ]]);
    assert!((0..5).all(|number| run.was_denied(number)), "{:?}", run.told);
    assert_eq!(std::fs::read_to_string(outside.join("note")).unwrap(), "outside\n");
    assert!(!outside.join("new").exists());
}

#[test]
fn what_runs_later_is_not_written_unasked() {
    for path in
        [".clawd/config.toml", ".git/hooks/pre-commit", ".git/config", ".mcp.json", ".clawd/hooks.toml"]
    {
        row(|_| write(path), [false, false, false, true]);
    }
    row(|_| bash("cp a.txt .git/hooks/pre-commit"), [false, false, false, true]);
}

/// Ways to write `rm f`.
const HIDDEN: &[&str] = &[
    "rm f",
    "/bin/rm f",
    "env rm f",
    "A=b rm f",
    "bash -c 'rm f'",
    "sh -c \"rm f\"",
    "find . -exec rm {} +",
    "ls | xargs rm",
    "true;rm f",
    "x=$(rm f)",
    "r''m f",
    "nohup rm f &",
    "sudo rm f",
    "timeout 5 rm f",
    "(rm f)",
    "if true; then rm f; fi",
    "$'\\x72m' f",
    "r$@m f",
    "rm${IFS}f",
    "a=r; b=m; $a$b f",
    "sh <<< 'rm f'",
    "bash <<E\nrm f\nE",
    "eval 'r''m f'",
    "/bin/r? f",
];

#[test]
fn rules_let_through_and_hold_back() {
    let check = |allow: &str, deny: &str, command: &str, expected: bool| {
        let mut options = Vec::new();
        for (name, rules) in [("--allowed-tools", allow), ("--disallowed-tools", deny)] {
            if !rules.is_empty() {
                options.extend([name, rules]);
            }
        }
        let shop = Workshop::in_mode(if allow.is_empty() { "bypass" } else { "default" }).options(options);
        assert_eq!(
            let_through(&shop, vec![bash(command)]),
            [expected],
            "allow {allow}, deny {deny}: {command}"
        );
    };
    check("Bash(git:*)", "", "git --version", true);
    check("Bash(git:*)", "", "gitk", false);
    check("Bash(touch a)", "", "touch a", true);
    check("Bash(touch a)", "", "touch a b", false);
    check("Bash(touch:*)", "", "touch a && touch b", true);
    check("Bash(touch:*),Bash(cd:*)", "", "cd . && touch b | touch c", true);
    check("Bash(touch:*)", "", "touch a > b", false);
    check("Bash(echo:*)", "", "echo hi; touch f", false);
    check("Bash(echo:*)", "", "echo hi && touch f", false);
    check("Bash(echo:*)", "", "echo hi | tee f", false);
    check("Bash(echo:*)", "", "echo $(touch f)", false);
    check("Bash(echo:*)", "", "echo `touch f`", false);
    check("Bash(echo:*)", "", "echo hi > f", false);
    check("Bash(echo:*)", "", "echo hi\ntouch f", false);
    check("Bash(echo:*)", "", "echo hi & touch f", false);
    check("Bash(echo:*)", "", "echo <(touch f)", false);
    check("Bash", "Bash(rm:*)", "touch f", true);
    for &hidden in HIDDEN {
        check("", "Bash(rm:*)", hidden, false);
    }
    check("Bash(pytest:*)", "", "pytest x", true);
    check("Bash(pytest:*)", "", "pytest -p x", false);
    check("", "Bash(sudo:*)", "sudo ls /root", false);
    check("", "Bash(ls:*)", "ls", false);
    check("", "Bash(curl:*)", "curl https://127.0.0.1:1/x", false);
}

#[test]
fn rules_for_files_begin_at_the_project_and_see_every_name_of_a_file() {
    let check = |mode: &'static str, options: [&str; 2], call: &dyn Fn(&Workshop) -> Call, expected: bool| {
        let shop = project(mode).file("src/x", "x\n").options(options);
        let call = call(&shop);
        assert_eq!(let_through(&shop, vec![call]), [expected], "{options:?}");
    };
    let deny = ["--disallowed-tools", "Read(./.env)"];
    check("bypass", deny, &|_| read(".env"), false);
    check("bypass", deny, &|shop| read(&shop.at(".env")), false);
    check("bypass", deny, &|_| read("src/../.env"), false);
    check("bypass", deny, &|_| bash("cat .env"), false);
    check("bypass", deny, &|_| bash("cat $PWD/.env"), false);
    check("bypass", deny, &|_| read("src/x"), true);
    check("default", ["--allowed-tools", "Edit(src/**)"], &|_| write("src/new"), true);
    check("default", ["--allowed-tools", "Edit(src/**)"], &|_| write("new"), false);
    check("default", ["--allowed-tools", "Edit"], &|_| write("new"), true);
    check("default", ["--allowed-tools", "Read(//etc/**)"], &|_| read("/etc/hostname"), true);
    let deny = ["--disallowed-tools", "Edit(src/**)"];
    check("bypass", deny, &|_| write("src/new"), false);
    // no command does in its place what the edit tools may not do
    for command in [
        "sort -osrc/x b",
        "cp -tsrc b",
        "git restore src/x",
        "curl --output src/x https://127.0.0.1:1/x",
        "tar xf b.tar -C src",
        "mv src gone",
        "rm -rf s*",
        "for f in b src/x; do echo > $f; done",
    ] {
        check("bypass", deny, &|_| bash(command), false);
    }
    check("bypass", deny, &|_| bash("sort -o b src/x"), true);
}

#[test]
fn rules_of_the_configuration_hold_and_deny_beats_ask_beats_allow() {
    let config = "[permissions]\nallow = [\"Bash(git:*)\", \"Edit\"]\nask = [\"Bash(git push:*)\"]\ndeny = [\"Bash(git push --force:*)\"]\n";
    let shop = project("default").with(|clawd| clawd.home_file("config.toml", config));
    let run = shop.run([[bash("git --version"), bash("git push"), bash("git push --force"), write("n")]]);
    let denied: Vec<bool> = (0..4).map(|number| run.was_denied(number)).collect();
    assert_eq!(denied, [false, true, true, false], "{:?}", run.told);
    assert!(run.told[2].contains("Bash(git push --force:*)"), "names the rule: {}", run.told[2]);
}

#[test]
fn deny_rules_hold_in_every_mode() {
    for mode in MODES {
        let shop = project(mode).options(["--disallowed-tools", "Bash(rm:*),Read(a.txt)"]);
        let run = shop.run([[bash("rm -f a.txt"), read("a.txt")]]);
        assert!(run.was_denied(0) && run.was_denied(1), "{mode}: {:?}", run.told);
        assert!(shop.path("a.txt").exists());
    }
}

#[test]
fn a_recursive_delete_outside_is_asked_for_even_in_bypass() {
    let shop = project("bypass").file("build/x", "");
    let home = shop.clawd().home();
    let kept = home.join("kept");
    std::fs::create_dir(&kept).unwrap();
    let commands = [
        format!("rm -rf {}", kept.display()),
        "rm -rf ~/kept".to_owned(),
        "rm -r \"$HOME\"/kept".to_owned(),
        "cd ../home && rm -rf kept".to_owned(),
        format!("find {} -delete", kept.display()),
        format!("bash -c 'rm -fr {}'", kept.display()),
        "rm -rf ../*/kept".replace('*', "home"),
    ];
    for command in &commands {
        let run = shop.run([[bash(command)]]);
        assert!(run.was_denied(0) && kept.exists(), "{command}: {}", run.told[0]);
    }
    let hidden = [
        "D=~/kept; rm -rf \"$D\"",
        "rm -rf \"${NOWHERE}$HOME/kept\"",
        "bash <<E\nrm -rf ~/kept\nE",
        "eval 'rm -rf ~/kept'",
        "for d in none ~/kept; do rm -rf $d; done",
        "find ~/kept | xargs rm -rf",
        "rm -rf link/kept",
    ];
    symlink(&home, shop.path("link")).unwrap();
    for command in hidden {
        let run = shop.run([[bash(command)]]);
        assert!(run.was_denied(0) && kept.exists(), "{command}: {}", run.told[0]);
    }
    let said = ["echo 'rm -rf ~/kept' > note", "grep -c 'rm -rf' ~/.profile /dev/null", "rm -rf link"];
    assert_eq!(let_through(&shop, said.map(bash).to_vec()), [true; 3]);
    assert!(kept.exists() && !shop.path("link").is_symlink(), "the link goes, and not what it leads to");
    let tmp = "mkdir $TMPDIR/x && rm -rf $TMPDIR/x";
    assert_eq!(let_through(&shop, vec![bash("rm -rf build"), bash(tmp)]), [true, true]);
    assert!(!shop.path("build").exists());
}

#[test]
fn nothing_is_looked_at_before_it_is_permitted() {
    let shop = project("bypass")
        .file("private", "the hidden line\n")
        .options(["--disallowed-tools", "Read(private)"]);
    let edit = json!({"file_path": "private", "old_string": "the hiden line", "new_string": "x"});
    let run = shop.run([[call("Edit", edit), call("Grep", json!({"pattern": "hidden", "path": "private"}))]]);
    assert!(run.was_denied(0) && run.was_denied(1));
    assert!(!run.told.join("").contains("the hidden line"), "{:?}", run.told);
}

#[test]
fn a_rule_that_cannot_be_read_ends_the_start_with_what_to_write() {
    let shop = project("default");
    let output = shop.clawd().again().args(["-p", "--disallowed-tools", "Outside(docker:*)", "go"]).run();
    assert!(output.expect_code(2).stderr.contains("can only be allowed"));
    for (rule, expected) in [
        ("Bash(git *)", "Bash(git:*)"),
        ("Wrte", "Write"),
        ("Bash(ls", "parenthesis"),
        ("Outside", "Outside(docker:*)"),
    ] {
        let output = shop.clawd().again().args(["-p", "--allowed-tools", rule, "go"]).run().expect_code(2);
        assert!(output.stderr.contains(expected), "{rule}: {}", output.stderr);
    }
}
