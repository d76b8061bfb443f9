//! Command lines of which every part only reads: they run without asking, in the forms that models write. Headless, so whatever
//! asked would be denied.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::endpoint::{Call, call};
use crate::workshop::Workshop;

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

#[test]
fn harmless_lines_run_unasked_in_the_forms_that_models_write() {
    let shop = Workshop::in_mode("default")
        .file(".env", "TOKEN=hunter2\n")
        .file("src/x.txt", "TOKEN=1\nb\n")
        .file("src/tls.key", "TOKEN=hunter2\n");
    symlink("tls.key", shop.path("src/link.md")).unwrap();
    symlink("x.txt", shop.path("src/a b.txt")).unwrap();
    let check = |line: &str, expected: &str| {
        let told = shop.run([[bash(line)]]).told.remove(0);
        let (told, _) = told.split_once("\n[").unwrap_or((&told, ""));
        assert_eq!(told.trim_end(), expected, "{line}");
    };
    check("cd src; wc -l < x.txt; cd ..; ls -d src", "2\nsrc");
    check("ls nothere 2>/dev/null; echo $?", "2");
    check("for f in src/*.txt; do echo \"= $f\"; done | sort", "= src/a b.txt\n= src/x.txt");
    check("ls nothere 2>/dev/null || (cd src && echo \"n: $(ls | wc -l)\")", "n: 4");
    check("find src -name '*.txt' -exec wc -l {} +", "2 src/x.txt");
    check("find src -exec grep -h TOKEN {} +", "TOKEN=1");
    check("grep -R -h TOKEN src", "TOKEN=1");
    check("wc -l < src/x.txt; wc -l $(find src -name 'x*')", "2\n2 src/x.txt");
    check("echo $HOME", shop.clawd().home().to_str().unwrap());
    for line in
        ["wc -c < .env", "for f in .env; do cat $f; done", "(cat .env)", "ls | xargs cat", "cat $(ls)"]
    {
        assert!(shop.run([[bash(line)]]).was_denied(0), "{line}");
    }
}

#[test]
fn files_whose_names_come_through_a_pipe_are_counted_unasked() {
    let shop =
        Workshop::in_mode("default").file("a.txt", "1\n").file("sub/b c.txt", "1\n2\n").file("-l.txt", "1\n");
    let run = shop.run([[
        bash("find . -name '*.txt' | sort | xargs wc -l | tail -1"),
        bash("ls -1 | grep txt | xargs wc -l"),
    ]]);
    assert_eq!(run.told[0].trim(), "4 total");
    assert_eq!(
        run.told[1].split_whitespace().collect::<Vec<_>>(),
        ["1", "-l.txt", "1", "a.txt", "2", "total"]
    );
}
