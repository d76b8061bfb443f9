//! Ways around the rules and the guards, each tried on the program as it is started: headless, so what would be asked is denied.
//!
//! Each test is an attack that once succeeded, with its neighbours; the tables of how commands can be written are in
//! `src/permission`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::endpoint::{Call, call};
use crate::harness::Clawd;
use crate::workshop::Workshop;

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

fn write(path: &str) -> Call {
    call("Write", json!({"file_path": path, "content": "x\n"}))
}

/// Which of the calls ran, all in one run.
fn ran(shop: &Workshop, calls: Vec<Call>) -> Vec<bool> {
    let count = calls.len();
    let run = shop.run([calls]);
    (0..count).map(|number| !run.was_denied(number)).collect()
}

/// The commands that ran.
#[track_caller]
fn expect_denied(shop: &Workshop, commands: &[&str]) {
    let ran = ran(shop, commands.iter().map(|command| bash(command)).collect());
    let through: Vec<_> =
        commands.iter().zip(ran).filter(|(_, ran)| *ran).map(|(command, _)| command).collect();
    assert!(through.is_empty(), "not denied: {through:#?}");
}

#[test]
fn a_rule_for_an_interpreter_is_no_rule_for_what_is_piped_into_it() {
    let rules = "Bash(bash),Bash(sh),Bash(python3),Bash(python3 -),Bash(node),Bash(perl),Bash(xargs rm),Bash(tar x),\
                 Bash(ssh host),Bash(psql),Bash(at now),Bash(bash -s),Bash(cat a.txt),Bash(echo x)";
    let shop =
        Workshop::in_mode("default").file("a.txt", "touch pwned\n").options(["--allowed-tools", rules]);
    let commands = [
        "echo 'touch pwned' | bash",
        "cat a.txt | sh",
        "cat a.txt | python3",
        "cat a.txt | python3 -",
        "cat a.txt | node",
        "cat a.txt | perl",
        "cat a.txt | xargs rm",
        "cat a.txt | tar x",
        "cat a.txt | ssh host",
        "cat a.txt | psql",
        "cat a.txt | at now",
        "cat a.txt | bash -s",
        "cat a.txt | cat | bash",
        "cat a.txt | echo x $(bash)",
        "bash < a.txt",
        "bash <<< 'touch pwned'",
        "bash <<EOF\ntouch pwned\nEOF",
        "cat a.txt && cat a.txt |\nbash",
    ];
    expect_denied(&shop, &commands);
    assert!(!shop.path("pwned").exists() && shop.path("a.txt").exists());
    assert_eq!(ran(&shop, vec![bash("bash"), bash("cat a.txt && echo x")]), [true, true], "alone they run");
    let whole = Workshop::in_mode("default")
        .file("a.txt", "touch made\n")
        .options(["--allowed-tools", "Bash(cat a.txt | bash)"]);
    assert_eq!(ran(&whole, vec![bash("cat a.txt | bash")]), [true], "a rule for the whole line is one");
}

#[test]
fn the_programs_own_directories_are_not_written_unasked_wherever_they_are() {
    for mode in ["default", "accept-edits"] {
        let shop = Workshop::in_mode(mode)
            .options(["--allowed-tools", "Edit,Bash(touch:*),Bash(cp:*),Bash(echo:*)"]);
        let own = shop.at("own");
        let shop = shop.with(|clawd| clawd.env("CLAWD_HOME", &own)).file("a.txt", "a\n");
        let calls = vec![
            write("own/config.toml"),
            write("own/sub/anything"),
            bash("touch own/grants.toml"),
            bash("cp a.txt own/trust.toml"),
            bash("cd own && touch config.toml"),
            bash("cp -r . own"),
            write("other.txt"),
        ];
        assert_eq!(ran(&shop, calls), [false, false, false, false, false, false, true], "{mode}");
        assert!(!shop.path("own/config.toml").exists());
    }
    let shop = Workshop::in_mode("bypass");
    let own = shop.at("own");
    let shop = shop.with(|clawd| clawd.env("CLAWD_HOME", &own));
    assert_eq!(ran(&shop, vec![write("own/x"), bash("touch own/y")]), [true, true]);
}

#[test]
fn a_workspace_that_is_the_home_directory_is_pointed_out() {
    let notices = |shop: &Workshop| {
        let run = shop.run([[bash("ls")]]);
        let events = run.output.events_of("notice");
        events.iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect::<String>()
    };
    let shop = Workshop::in_mode("default");
    assert!(!notices(&shop).contains("home directory"));
    let home = shop.at("");
    let shop = shop.with(|clawd| clawd.env("HOME", home.trim_end_matches('/')));
    assert!(notices(&shop).contains("the workspace is the home directory"), "{}", notices(&shop));
}

#[test]
fn what_git_and_other_programs_obey_is_not_written_unasked() {
    let names = [
        ".git/commondir",
        ".git/HEAD",
        ".git/worktrees/w/commondir",
        ".git/rebase-merge/git-rebase-todo",
        ".git/info/attributes",
        ".git/objects/info/alternates",
        "sub/.git/index",
        ".clawd/commands/x.md",
        ".claude/settings.json",
        ".mcp.json",
        ".vscode/tasks.json",
        ".husky/pre-commit",
        ".gitmodules",
        ".cursor/mcp.json",
        "AGENTS.md",
        "sub/AGENTS.md",
    ];
    let shop = Workshop::in_mode("accept-edits").options(["--allowed-tools", "Edit,Bash(cp:*),Bash(tee:*)"]);
    let shop = shop.with(Clawd::repository).file("a.txt", "a\n");
    let look = call("Read", json!({"file_path": ".git/HEAD"}));
    let calls: Vec<Call> = std::iter::once(look).chain(names.iter().map(|name| write(name))).collect();
    let through: Vec<_> =
        names.iter().zip(ran(&shop, calls).into_iter().skip(1)).filter(|(_, ran)| *ran).collect();
    assert!(through.is_empty(), "{through:#?}");
    let copies: Vec<String> = names.iter().map(|name| format!("cp a.txt {name}")).collect();
    expect_denied(&shop, &copies.iter().map(String::as_str).collect::<Vec<_>>());
    let ordinary = [".gitignore", ".github/workflows/a.yml", ".vscode/settings.json", "docs/agents.rst"];
    assert_eq!(ran(&shop, ordinary.iter().map(|name| write(name)).collect()), [true; 4]);
}

/// A project with a file that must not be read, and rules that let every command run.
fn forbidden(mode: &'static str, rule: &'static str) -> Workshop {
    let shop = Workshop::in_mode(mode).options(["--disallowed-tools", rule, "--allowed-tools", "Bash"]);
    let shop = shop.file("private.txt", "hunter2\n").file("sub/a.txt", "a\n");
    symlink("private.txt", shop.path("link")).unwrap();
    symlink(".", shop.path("here")).unwrap();
    shop
}

#[test]
fn a_file_that_must_not_be_read_is_not_read_under_another_name() {
    for mode in ["default", "bypass"] {
        let shop = forbidden(mode, "Read(./private.txt)");
        let commands = [
            "cat private.txt",
            "cat link",
            "cat here/private.txt",
            "cat /proc/self/cwd/private.txt",
            "cat /proc/$$/cwd/private.txt",
            "cat /proc/self/root/$PWD/private.txt",
            "cat ~+/private.txt",
            "cd sub && cat ~+/../private.txt",
            "cd sub && cat ../link",
            "cat < link",
            "cat lin*",
            "grep -r hunter .",
            "grep -rn hunter",
            "grep --recursive hunter $PWD",
            "rg hunter",
            "cd sub && rg hunter ..",
            "find . -type f -exec cat {} +",
            "find . -name '*.txt' | xargs cat",
        ];
        expect_denied(&shop, &commands);
        let others = ["grep -rn a sub", "cat sub/a.txt", "grep -r a . --include='*.rs'; true", "ls"];
        assert_eq!(ran(&shop, others.iter().map(|line| bash(line)).collect()), [true; 4], "{mode}");
    }
    let anywhere = forbidden("bypass", "Read(private.txt)");
    expect_denied(&anywhere, &["grep -r hunter .", "cp -r . /tmp/copy", "cat link"]);
}

/// The program where no further namespace can be made, so that its sandbox is the second tier at most.
fn without_namespaces(directory: &Path) -> String {
    let script = directory.join("program");
    let real = env!("CARGO_BIN_EXE_clawd");
    let line = format!("echo 0 > /proc/sys/user/max_user_namespaces; exec {real} \"$@\"");
    fs::write(&script, format!("#!/bin/sh\nexec unshare -Ur sh -c '{line}' clawd \"$@\"\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script.display().to_string()
}

#[test]
fn sandboxed_commands_run_unasked_only_where_the_sandbox_protects_what_runs_later() {
    if !Command::new("unshare").args(["-Ur", "true"]).status().is_ok_and(|status| status.success()) {
        return; // where there are no namespaces at all, `sandboxed` covers the second tier
    }
    let config = "[sandbox]\nauto_allow = true\n";
    let shop = Workshop::in_mode("default").with(Clawd::repository);
    let program = without_namespaces(&shop.clawd().home());
    let shop = shop.with(|clawd| clawd.home_file("config.toml", config).program(&program));
    let commands = [
        "git config core.hooksPath x",
        "echo x > .git/hooks/pre-commit",
        "mkdir .clawd",
        "touch .mcp.json",
        "python3 -c \"open('.mcp.json', 'w')\"",
    ];
    expect_denied(&shop, &commands);
    assert!(!shop.path(".mcp.json").exists() && !shop.path(".clawd").exists());
}

/// Runs git in the project, and gives what it puts out.
fn git(shop: &Workshop, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(shop.path("")).env_clear().env("HOME", shop.clawd().home());
    git.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = git.args(["-c", "user.name=u", "-c", "user.email=u@x"]).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_secret_is_not_shown_by_the_name_of_its_object() {
    if Command::new("git").arg("--version").output().is_err() {
        return; // the table of `known::revisions` needs no git
    }
    let shop = Workshop::in_mode("default").file(".env", "TOKEN=hunter2\n").file("a.txt", "a\n");
    git(&shop, &["init", "-q", "-b", "main"]);
    git(&shop, &["add", "-f", ".env", "a.txt"]);
    git(&shop, &["commit", "-q", "-m", "one"]);
    let blob = git(&shop, &["rev-parse", "HEAD:.env"]);
    let other = git(&shop, &["rev-parse", "HEAD:a.txt"]);
    let tree = git(&shop, &["rev-parse", "HEAD^{tree}"]);
    git(&shop, &["tag", "innocent", &blob]);
    let commands = [
        format!("git show {blob}"),
        format!("git show {}", blob.chars().take(8).collect::<String>()),
        format!("git show --no-patch {blob}"),
        format!("git show {blob} --"),
        format!("git show HEAD {blob}"),
        "git show innocent".to_owned(),
        format!("git grep '' {blob}"),
        format!("git grep -h TOKEN {blob}"),
        format!("git grep -e TOKEN {blob}"),
        format!("git diff {other} {blob}"),
        format!("git diff {other}..{blob}"),
        format!("git diff {blob} a.txt"),
        format!("git log -p {blob}"),
        format!("git show x-0-g{blob}"),
        format!("git show {tree}:.env"),
        format!("git show {blob}^{{}}"),
        format!("git show {blob}^{{blob}}"),
        format!("git show {blob}^{{object}}"),
        format!("git show '{blob}^!'"),
        format!("git show {blob}^@"),
        format!("git show {blob}^-"),
        format!("git show {blob}^0"),
        format!("git show {blob}~0"),
        format!("git show {blob}~"),
        format!("git grep -h '' {blob} -- a.txt .env"),
        format!("git grep -h '' {blob} --"),
        format!("git diff --cached {blob}"),
        format!("git diff {blob}..HEAD"),
        format!("git log -p -1 HEAD {blob}"),
    ];
    for command in commands {
        let told = shop.run([[bash(&command)]]).told.remove(0);
        assert!(!told.contains("hunter2"), "{command}: {told}");
    }
    let shown =
        ["git show HEAD", "git show main", "git log -p main~0", "git grep a HEAD", "git diff HEAD main"];
    let run = shop.run([shown.map(bash)]);
    let failed =
        (0..shown.len()).find(|number| run.was_denied(*number) || run.told[*number].starts_with("Error"));
    assert_eq!(failed, None, "{:#?}", run.told);
    assert!(run.told[0].contains("+a"), "{}", run.told[0]);
}

#[test]
fn a_file_with_another_name_outside_is_not_edited_unasked() {
    let shop = Workshop::in_mode("accept-edits");
    let outside = shop.clawd().home().join("outside.txt");
    fs::write(&outside, "before\n").unwrap();
    fs::hard_link(&outside, shop.path("inside.txt")).unwrap();
    let calls = vec![call("Read", json!({"file_path": "inside.txt"})), write("inside.txt"), write("new.txt")];
    assert_eq!(ran(&shop, calls), [true, false, true]);
    assert_eq!(fs::read_to_string(outside).unwrap(), "before\n");
}

#[test]
fn a_forbidden_word_that_is_data_is_no_forbidden_command() {
    let shop = Workshop::in_mode("bypass")
        .file("a.txt", "rm b.txt\n")
        .file("b.txt", "b\n")
        .options(["--disallowed-tools", "Bash(rm:*),Bash(git push:*)"]);
    let data = ["echo 'rm b.txt'", "echo rm b.txt", "grep 'rm b' a.txt", "echo \"git push\" | cat"];
    assert_eq!(ran(&shop, data.iter().map(|line| bash(line)).collect()), [true; 4]);
    let commands = [
        "/bin/rm b.txt",
        "env rm b.txt",
        "env '-Srm b.txt'",
        "bash -c 'rm b.txt'",
        "find . -name b.txt -exec rm {} +",
        "echo b.txt | xargs rm",
        "sudo rm b.txt",
        "echo \"$(rm b.txt)\"",
        "eval 'rm b.txt'",
        "sh <<EOF\nrm b.txt\nEOF",
        "echo 'rm b.txt' | sh",
        "echo 'rm b.txt' | rev | rev | sh",
        "sh -c \"$(echo 'rm b.txt')\"",
        "echo 'rm b.txt' > x.sh; sh x.sh",
        "echo 'rm b.txt' | tee x.sh; sh x.sh",
        "git -c alias.x='!rm b.txt' x",
        "git -c alias.p=push p",
        "git-push",
        "$(printf git) push",
        "$(printf %s git) push",
    ];
    expect_denied(&shop, &commands);
    assert!(shop.path("b.txt").exists());
}

/// Calls of every file tool on files and directories outside the workspace.
fn outside(path: &str, directory: &str) -> Vec<Call> {
    vec![
        call("Read", json!({"file_path": path})),
        call("Write", json!({"file_path": path, "content": "x"})),
        call("Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"})),
        call("Glob", json!({"pattern": "*", "path": directory})),
        call("Grep", json!({"pattern": "a", "path": directory})),
        call("Grep", json!({"pattern": "a", "path": path})),
    ]
}

#[test]
fn a_file_outside_that_needs_approval_gets_the_same_answer_whether_it_exists_or_not() {
    for mode in ["default", "accept-edits", "plan"] {
        let shop = Workshop::in_mode(mode);
        let home = shop.clawd().home();
        let at = |name: &str| home.join(name).display().to_string();
        fs::create_dir(home.join("dir")).unwrap();
        fs::write(home.join("there"), "a\n").unwrap();
        let present = outside(&at("there"), &at("dir"));
        let missing = outside(&at("theft"), &at("dig"));
        let count = present.len();
        let run = shop.run([present, missing]);
        let (present, missing) = run.told.split_at(count);
        assert_eq!(present, missing, "{mode}");
        for (number, told) in run.told.iter().enumerate() {
            assert!(told.starts_with("Error: not run: ") && run.was_denied(number), "{mode}: {told}");
        }
    }
}
