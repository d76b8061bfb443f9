//! What a person sees of the judgement: call by call, whether it runs unasked, is asked, or is refused.
//!
//! The judgement itself has thousands of cases of its own; here stand those that must come through the whole program, with
//! the question's headline, its reason and the answer that has the focus: Yes for ordinary work, No where harm could not
//! be undone. Many rows share one session, and each is a turn of it. What is asked is answered by a No with words, so that
//! the run goes on and nothing is done.

use serde_json::json;

use crate::endpoint::{Call, call};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};

use super::{Turns, bash, leave, say, wait_for_rest};

/// Said in the place of a yes.
const WORDS: &str = "not that one";

/// Behind `⇒`: `runs`, `refused` or `asks`; a question's headline, the answer that has the focus, and words of its reason.
const BY_DEFAULT: &str = "
$ ls -la ⇒ runs
$ cat a.txt | wc -l ⇒ runs
$ grep -rn x src | head -5 ⇒ runs
$ git status --short ⇒ runs
$ sed -n 1,80p a.txt && find . -name '*.rs' ⇒ runs
read a.txt ⇒ runs
$ touch made ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
$ cargo build 2>&1 | tail -5 ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes ¦ don't ask again for Bash(cargo build:*) in
$ cat a.txt | tee made ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
$ echo $(touch made) ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
$ A=b ls ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
$ ls; touch made ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
$ cat /etc/hostname ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
$ ls .. ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
$ git -c core.pager=./x log ⇒ asks ¦ Allow this command?
$ find . -name a -exec rm {} + ⇒ asks ¦ Allow this command?
edit b.txt ⇒ asks ¦ Allow this edit? ¦ ❯ 1. Yes
edit ~/x ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ outside the workspace
read /etc/hostname ⇒ asks ¦ Allow reading outside the workspace? ¦ ❯ 1. Yes
fetch http://example.com/ ⇒ asks ¦ Allow this request? ¦ ❯ 1. Yes";

const WITH_CARE: &str = "
read .env ⇒ asks ¦ Allow reading this? ¦ ❯ 3. No ¦ the file may contain secrets
edit sub/.env ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ the file may contain secrets
read id_rsa ⇒ asks ¦ Allow reading this? ¦ ❯ 3. No ¦ the file may contain secrets
$ cat .env ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ refers to `.env`, which may contain secrets
$ head -1 ./src/../id_rsa ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ may contain secrets
$ rm -rf src ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ recursively deletes `src`
$ rm -rf ~ ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ outside the workspace
$ bash -c 'rm -rf ~' ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ outside the workspace
$ echo x > a.txt ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ overwrites `a.txt`
$ git reset --hard ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ discards uncommitted changes
$ git push ⇒ asks ¦ Allow this command? ¦ ❯ 3. No
$ cp a.txt ~/x ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ changes ¦ outside the workspace
$ echo x >> ~/.profile ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ /.profile`, outside the workspace
$ cp a.txt .git/hooks/pre-commit ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ which can be executed later
edit .git/hooks/pre-commit ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ the content of this file can be executed later
edit .clawd/config.toml ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ the content of this file can be executed later
edit .mcp.json ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ the content of this file can be executed later";

const ACCEPTING_EDITS: &str = "
edit b.txt ⇒ runs
edit src/new.rs ⇒ runs
$ ls ⇒ runs
$ touch made ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes
edit sub/.env ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ the file may contain secrets
edit .git/config ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ the content of this file can be executed later
edit sub/.mcp.json ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ the content of this file can be executed later
edit ~/x ⇒ asks ¦ Allow this edit? ¦ ❯ 3. No ¦ outside the workspace
read .env ⇒ asks ¦ Allow reading this? ¦ ❯ 3. No ¦ the file may contain secrets
read /etc/hostname ⇒ asks ¦ Allow reading outside the workspace? ¦ ❯ 1. Yes";

const PLANNING: &str = "
read a.txt ⇒ runs
$ cat a.txt | wc -l ⇒ runs
$ touch made ⇒ refused ¦ plan mode is read-only: commands cannot run
$ cat .env ⇒ refused ¦ plan mode is read-only
$ rm -rf ~ ⇒ refused ¦ plan mode is read-only
$ cat /etc/hostname ⇒ refused ¦ plan mode is read-only
edit b.txt ⇒ refused ¦ plan mode is read-only: files cannot be changed
edit sub/.env ⇒ refused ¦ plan mode is read-only
read /etc/hostname ⇒ refused ¦ nothing outside the workspace can be read
fetch http://example.com/ ⇒ refused ¦ plan mode is read-only
read .env ⇒ asks ¦ Allow reading this? ¦ ❯ 3. No ¦ the file may contain secrets";

const BYPASSING: &str = "
$ touch made ⇒ runs
$ cat .env ⇒ runs
$ rm -rf build ⇒ runs
edit b.txt ⇒ runs
read .env ⇒ runs
read /etc/hostname ⇒ runs
$ rm -rf ~/kept ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ outside the workspace
$ find ~/kept -delete ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ outside the workspace
$ cd .. && rm -rf home ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ outside the workspace
$ curl http://127.0.0.1:1/ ⇒ refused ¦ denied by rule `Bash(curl:*)`
$ bash -c 'cu''rl x' ⇒ refused ¦ denied by rule `Bash(curl:*)`
read private ⇒ refused ¦ denied by rule `Read(./private)`
$ cat src/../private ⇒ refused ¦ denied by rule `Read(./private)`";

const RULED: &str = "
$ git --version ⇒ runs
$ touch b && touch c ⇒ runs
$ touch b 2>&1 | tail -3 && head -1 a.txt | wc -l ⇒ runs
edit src/b.rs ⇒ runs
read /etc/hostname ⇒ runs
$ touch b; make ⇒ asks ¦ Allow this command? ¦ don't ask again for Bash(make) in
$ touch b > c ⇒ asks ¦ Allow this command?
$ touch b | tee c | tail ⇒ asks ¦ Allow this command?
$ touch .env ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ may contain secrets
$ touch .git/hooks/pre-commit && ls ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ which can be executed later
$ touch b | cat .env ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ may contain secrets
edit b.rs ⇒ asks ¦ Allow this edit? ¦ ❯ 1. Yes
$ git push ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ rule `Bash(git push:*)` requires approval
$ git push --force ⇒ refused ¦ denied by rule `Bash(git push --force:*)`
$ touch $(env git push --force) ⇒ refused ¦ denied by rule `Bash(git push --force:*)`
$ sudo ls ⇒ refused ¦ denied by rule `Bash(sudo:*)`
read private ⇒ refused ¦ denied by rule `Read(./private)`
$ touch b && cat private ⇒ refused ¦ denied by rule `Read(./private)`";

const RULES: &str = "[permissions]
allow = [\"Bash(git:*)\", \"Bash(touch:*)\", \"Edit(src/**)\", \"Read(//etc/**)\"]
ask = [\"Bash(git push:*)\"]
deny = [\"Bash(git push --force:*)\", \"Bash(sudo:*)\", \"Read(./private)\"]
";

const HELD: &str = "
$ touch made ⇒ runs
$ echo x > made ⇒ runs
$ bash -c 'touch made' ⇒ runs
$ rm -rf build ⇒ runs
$ rm -rf src ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ recursively deletes `src`
$ git reset --hard ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ discards uncommitted changes
$ cat .env ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ may contain secrets
$ rm -rf ~ ⇒ asks ¦ Allow this command? ¦ ❯ 3. No ¦ outside the workspace
$ npm install ⇒ asks ¦ Allow this command? ¦ ❯ 1. Yes ¦ rule `Bash(npm:*)` requires approval
edit b.txt ⇒ asks ¦ Allow this edit? ¦ ❯ 1. Yes";

const UNASKED: &str = "[sandbox]\nauto_allow = true\n[permissions]\nask = [\"Bash(npm:*)\"]\n";

/// The rows of a table: a call, what becomes of it, and words that are seen or told.
fn rows(table: &'static str, home: &str) -> Vec<(&'static str, Call, &'static str)> {
    let row = |line: &'static str| {
        let (what, expected) = line.split_once(" ⇒ ").unwrap();
        let (verb, rest) = what.split_once(' ').unwrap();
        let path = rest.replace('~', home);
        let call = match verb {
            "$" => bash(rest),
            "read" => call("Read", json!({"file_path": path})),
            "edit" => call("Write", json!({"file_path": path, "content": "x\n"})),
            "fetch" => call("WebFetch", json!({"url": rest})),
            _ => panic!("no call: {line}"),
        };
        (what, call, expected)
    };
    table.lines().filter(|line| !line.is_empty()).map(row).collect()
}

/// What is wrong with a row.
fn fault(expected: &str, asked: Option<&str>, told: &str) -> Option<String> {
    let mut words = expected.split(" ¦ ");
    let is_refused = told.contains("denied by rule") || told.contains("plan mode is read-only");
    let (found, seen) = match asked {
        Some(shown) => ("asks", shown),
        None if is_refused => ("refused", told),
        None => ("runs", told),
    };
    // as it was before it was broken to the screen's width
    let whole = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_so = words.next() == Some(found) && words.all(|words| whole.contains(words));
    let is_done = asked.is_some() && !told.contains(WORDS);
    (!is_so || is_done).then(|| format!("it {found}\n{seen}"))
}

/// Goes through the table in one session.
fn check(table: &'static str, config: &str, options: &[&str]) {
    // the calls name a directory that comes into being with the program's world, so that world comes first
    let world = Clawd::alone();
    let rows = rows(table, world.home().to_str().unwrap());
    let turns = Turns::of(rows.iter().map(|(_, call, _)| call.clone()));
    let endpoint = turns.endpoint("That was the table.");
    let clawd = world
        .args(options.iter().copied())
        .env("CLAWD_BASE_URL", &endpoint.base_url())
        .env("CLAWD_MODEL", "mock-1")
        .home_file("config.toml", config)
        .repository();
    let files = ["a.txt", ".env", "id_rsa", "private", "src/a.rs", "build/x"];
    let clawd = files.iter().fold(clawd, |clawd, path| clawd.file(path, "a\n"));
    std::fs::create_dir(clawd.home().join("kept")).unwrap();
    let pty = Pty::spawn(&clawd, Size::new(110, 40));
    pty.wait_for("❯");
    say(&pty, "go");
    let mut asked = Vec::new();
    for turn in 0..rows.len() {
        let shown = turns.asked(turn, &endpoint, &pty);
        if shown.is_some() {
            Turns::answer(turn, &endpoint, &pty, ("3", Some(WORDS)));
        }
        asked.push(shown);
    }
    pty.wait_for("That was the table.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(rows.len() + 1);
    let mut faults = Vec::new();
    for (number, ((what, _, expected), shown)) in rows.iter().zip(&asked).enumerate() {
        let told = request.tool_result(&format!("call_{}", number + 1));
        let fault = fault(expected, shown.as_deref(), &told);
        faults.extend(fault.map(|fault| format!("{what}\n  expected: {expected}\n  but {fault}\n")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(clawd.home().join("kept").exists());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn by_default_what_looks_runs_and_all_else_is_asked() {
    check(BY_DEFAULT, "", &[]);
}

#[test]
fn where_harm_cannot_be_undone_the_focus_is_on_no() {
    check(WITH_CARE, "", &[]);
}

#[test]
fn edits_are_free_where_they_are_accepted_but_for_what_is_guarded() {
    check(ACCEPTING_EDITS, "permission_mode = \"accept-edits\"\n", &[]);
}

#[test]
fn plan_mode_looks_and_refuses_the_rest_in_its_own_words() {
    check(PLANNING, "", &["--permission-mode", "plan"]);
}

#[test]
fn bypass_asks_for_deletes_outside_and_obeys_what_is_denied() {
    check(BYPASSING, "", &["--yolo", "--disallowed-tools", "Bash(curl:*),Read(./private)"]);
}

#[test]
fn rules_let_through_ask_and_refuse_each_by_its_name() {
    check(RULED, RULES, &[]);
}

#[test]
fn held_commands_run_unasked_but_for_what_would_be_lost() {
    check(HELD, UNASKED, &[]);
}

#[test]
fn sixty_scenarios_are_shown() {
    let tables = [BY_DEFAULT, WITH_CARE, ACCEPTING_EDITS, PLANNING, BYPASSING, RULED, HELD];
    assert!(tables.iter().map(|table| rows(table, "/h").len()).sum::<usize>() >= 60);
}
