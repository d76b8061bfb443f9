//! What commands do to files that no copy can be made of, or not in time: after a rewind every byte is there, and what is not as
//! it was is named.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{Tree, begun, go_back, preview, redo, resume, tell, tree};
use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::screen::{leave, say, wait_for_rest};

/// Runs a script in the project, as the user.
fn by_hand(clawd: &Clawd, script: &str) {
    let mut shell = Command::new("bash");
    shell.args(["-ec", script]).current_dir(clawd.project()).env("HOME", clawd.home());
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        shell.env(name, "a@example.com");
    }
    let done = shell.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A project that the script has made, and one message in which the model ran the commands; with the tree before and after it.
fn ran(setup: &str, commands: &[&str]) -> (Endpoint, Clawd, Tree, Tree) {
    let (endpoint, clawd) = begun();
    by_hand(&clawd, setup);
    let before = tree(&clawd);
    let turns = commands.iter().map(|command| vec![call("Bash", json!({"command": command}))]);
    tell(&clawd, &endpoint, "run it", turns.collect());
    let after = tree(&clawd);
    assert_ne!(before, after, "{commands:?}");
    (endpoint, clawd, before, after)
}

/// What all files hold, but for what git keeps.
fn contents(tree: &Tree) -> BTreeSet<&str> {
    let files = tree.iter().filter(|(path, _)| !path.iter().any(|part| part == ".git"));
    files.filter_map(|(_, is)| is.rsplit_once(' ')).map(|(_, hash)| hash).collect()
}

fn back(pty: &Pty, told: &[&str]) {
    go_back(pty, "run it", "3");
    pty.wait_until("the rewind", |screen| {
        let text = screen.contents();
        text.contains("Rewound to “run it”")
            || text.contains("No files were restored, although some have changed since “run it”")
    });
    for line in told {
        pty.wait_for(line);
    }
}

/// The commands, a rewind and a redo: nothing is lost, what is told is told, and without that the trees are exact.
fn check(setup: &str, command: &str, told: &[&str]) {
    let (endpoint, clawd, before, after) = ran(setup, &[command]);
    let pty = resume(&clawd);
    back(&pty, told);
    let rewound = tree(&clawd);
    if told.is_empty() {
        assert_eq!(rewound, before, "{command}");
        assert!(!pty.screen_text().contains("not restored"), "{}", pty.screen_text());
    }
    let is_lost = told.iter().any(|line| line.contains("not restored: "));
    assert!(is_lost || contents(&before).is_subset(&contents(&rewound)), "{command}: {rewound:#?}");
    if rewound != after {
        redo(&pty);
    }
    assert_eq!(tree(&clawd), after, "{command}");
    leave(&pty);
    endpoint.finish();
}

const LARGE: &str = "head -c 40000000 /dev/zero > big.csv; mkdir -p data";

#[test]
fn a_file_too_large_to_be_copied_is_moved_back() {
    check(LARGE, "mv big.csv data/", &[]);
    check(LARGE, "echo x > other; mv -f big.csv other", &[]);
    check(LARGE, "rm big.csv", &["big.csv: not restored: it is over 32 MB"]);
}

#[test]
fn a_file_that_came_from_where_nothing_is_saved_stays_and_is_named() {
    let told = ["x: not changed: it may be older than that message and may be the only copy"];
    check(
        "git init -q .; echo build > .gitignore; mkdir build; echo x > build/x; touch -d 2020-01-01 build/x",
        "mv build/x x",
        &told,
    );
    check("echo x > ../x; touch -d 2020-01-01 ../x", "mv ../x x", &told);
    check(
        "echo x > ../x; touch -d 2020-01-01 ../x; echo old > x",
        "mv -f ../x x",
        &["x.left: a command moved it to"],
    );
}

#[test]
fn a_file_that_may_hold_a_secret_is_moved_back_and_not_copied() {
    check("echo KEY=hidden > .env", "mv .env settings.txt", &[]);
}

const CLONE: &str = "git init -q .; git init -q vendor; cd vendor; mkdir -m 700 empty; echo v > v; git add v; git commit -qm v; echo own > own";

#[test]
fn a_directory_is_moved_back_with_all_that_is_in_it() {
    check(CLONE, "mv vendor third_party", &[]);
    check("mkdir -p src; for i in $(seq 1500); do echo $i > src/f$i; done", "mv src lib", &[]);
    check("mkdir -p d; echo x > d/x", "mv d d2; ln -s d2 d", &[]);
    check(
        "mkdir -p d/s; echo x > d/x; echo y > d/s/y",
        "mv d e; mv e/s s; echo more >> e/x; mkdir d; echo z > d/z",
        &[],
    );
}

#[test]
fn a_clone_that_is_removed_comes_back_but_for_what_its_git_kept() {
    check(CLONE, "rm -rf vendor", &["vendor/.git: not restored: contents of .git are not backed up"]);
}

#[test]
fn a_submodule_is_moved_back_and_comes_back() {
    let setup = "git init -q ../other; (cd ../other; echo s > s; git add s; git commit -qm s); git init -q .; \
                 git -c protocol.file.allow=always submodule -q add ../other sub; git commit -qm sub; sleep 0.1; git -C sub status -s";
    for command in ["GIT_CONFIG_GLOBAL=/dev/null git mv sub libs", "rm -rf sub/s"] {
        let (endpoint, clawd, before, _) = ran(setup, &[command]);
        let pty = resume(&clawd);
        back(&pty, &[]);
        let of_files = |tree: &Tree| {
            let is_file = |path: &Path| !path.starts_with(".git");
            tree.clone().into_iter().filter(|(path, _)| is_file(path)).collect::<Tree>()
        };
        assert_eq!(of_files(&tree(&clawd)), of_files(&before), "{command}");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn no_other_name_of_a_file_is_written_through() {
    let (endpoint, clawd, before, after) =
        ran("echo one > a; echo two > b; echo out > ../o", &["ln -f a b; ln -f ../o a"]);
    let outside = clawd.project().parent().unwrap().join("o");
    let pty = resume(&clawd);
    back(&pty, &[]);
    assert_eq!(tree(&clawd), before);
    assert_eq!(fs::read(&outside).unwrap(), b"out\n");
    redo(&pty);
    assert_eq!(tree(&clawd), after);
    assert_eq!(fs::read(&outside).unwrap(), b"out\n");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_file_that_had_two_names_before_has_both_after_a_rewind() {
    let (endpoint, clawd, before, _) = ran("echo one > a; ln a b", &["echo more >> a"]);
    let pty = resume(&clawd);
    back(&pty, &[]);
    assert_eq!(tree(&clawd), before);
    let inode = |name: &str| clawd.project().join(name).metadata().unwrap().ino();
    assert_eq!(inode("a"), inode("b"));
    let shown = pty.screen_text();
    assert!(shown.contains("2 files") && !shown.contains("somebody else"), "{shown}");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_hard_link_that_is_not_restored_is_named() {
    check(
        "echo one > a; ln a b",
        "sed -i s/one/two/ a",
        &["a: restored as a separate file: its hard link is not"],
    );
}

#[test]
fn the_preview_names_a_directory_and_what_is_in_its_place() {
    for (command, rows) in [
        ("mv d d2; echo y > y", ["created since, will be deleted", "moved since, will be moved back"]),
        ("mv d d2; ln -s d2 d", ["created since, will be deleted", "will be a directory again"]),
        ("rm -r d; echo x > d", ["will be a directory again", "deleted since, will be restored"]),
    ] {
        let (endpoint, clawd, before, _) = ran("mkdir d; echo x > d/x", &[command]);
        let pty = resume(&clawd);
        preview(&pty, "run it");
        for row in rows {
            pty.wait_for(row);
        }
        pty.key("3");
        pty.wait_for("Rewound to “run it”");
        assert_eq!(tree(&clawd), before, "{command}");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn whatever_takes_the_place_of_something_gives_it_back() {
    check("mkdir d; echo x > d/x", "rm -r d; echo x > d", &[]);
    check("echo x > d", "rm d; mkdir -p d/e; echo x > d/e/x", &[]);
    check(
        "echo x > f; mkdir -p empty/deep closed; chmod 700 closed",
        "chmod 000 f; rm -r empty; chmod 755 closed; mkdir -p made/deep",
        &[],
    );
    check("echo x > f", "echo y > f; chmod 000 f", &[]);
    check("echo x > f; mkfifo -m 600 p", "rm f p; mkfifo f; echo y > p", &[]);
}

/// The most closed mode of a file that this user can still read.
fn closed() -> &'static str {
    if rustix::process::geteuid().is_root() { "000" } else { "400" }
}

#[test]
fn a_mode_that_closes_a_file_comes_back() {
    let begin = format!("echo x > f; chmod {} f", closed());
    let (endpoint, clawd, ..) = ran(&begin, &["chmod 644 f; echo y > f"]);
    let pty = resume(&clawd);
    go_back(&pty, "run it", "3");
    pty.wait_for("Rewound to “run it”");
    let mode = fs::metadata(clawd.project().join("f")).unwrap().permissions().mode() & 0o7777;
    assert_eq!(format!("{mode:03o}"), closed());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn without_a_session_nothing_is_lost_either_and_a_redo_works() {
    let (endpoint, clawd) = begun();
    by_hand(&clawd, &format!("{LARGE}; echo x > ../x; touch -d 2020-01-01 ../x; mkdir d; echo y > d/y"));
    let before = tree(&clawd);
    let command = "mv big.csv data/; mv ../x x; mv d e; echo z > d";
    for turn in [calls([call("Bash", json!({"command": command}))]), text("Done.")] {
        endpoint.push(turn);
    }
    let pty = Pty::spawn(&clawd.again().args(["--no-session", "--yolo"]), Size::new(160, 50));
    pty.wait_for("❯");
    wait_for_rest(&pty);
    say(&pty, "run it");
    pty.wait_for("Done.");
    wait_for_rest(&pty);
    let after = tree(&clawd);
    back(&pty, &["x: not changed"]);
    let mut rewound = tree(&clawd);
    assert!(rewound.remove(Path::new("x")).is_some());
    assert_eq!(rewound, before);
    redo(&pty);
    assert_eq!(tree(&clawd), after);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_a_job_has_changed_since_the_last_command_is_part_of_a_rewind() {
    let (endpoint, clawd) = begun();
    by_hand(&clawd, "echo x > f; mkfifo ../go");
    let before = tree(&clawd);
    let job = "read line < ../go; echo y > f; mkdir new; echo z > new/z; touch ../done; sleep 600";
    let turn = call("Bash", json!({"command": job, "run_in_background": true}));
    for turn in [calls([turn]), text("Started.")] {
        endpoint.push(turn);
    }
    let pty = Pty::spawn(&clawd.again().args(["--yolo"]), Size::new(160, 50));
    pty.wait_for("❯");
    wait_for_rest(&pty);
    say(&pty, "run it");
    pty.wait_for("Started.");
    wait_for_rest(&pty);
    fs::write(clawd.project().join("../go"), "go\n").unwrap();
    pty.wait_until("the job's change", |_| clawd.project().join("../done").exists());
    back(&pty, &[]);
    assert_eq!(tree(&clawd), before);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn of_a_file_that_every_command_appends_to_one_image_is_kept_for_each_message() {
    let (endpoint, clawd) = begun();
    by_hand(&clawd, "seq 1000 > log");
    let append = |count: usize| {
        (0..count).map(|_| vec![call("Bash", json!({"command": "echo line >> log"}))]).collect()
    };
    tell(&clawd, &endpoint, "first", append(20));
    let middle = fs::read(clawd.project().join("log")).unwrap();
    tell(&clawd, &endpoint, "second", append(20));
    let images = crate::sessions::session_file(&clawd).with_extension("").join("before");
    assert_eq!(fs::read_dir(images).unwrap().count(), 2);
    let pty = resume(&clawd);
    go_back(&pty, "second", "3");
    pty.wait_for("Rewound to “second”: 1 file");
    assert_eq!(fs::read(clawd.project().join("log")).unwrap(), middle);
    leave(&pty);
    endpoint.finish();
}
