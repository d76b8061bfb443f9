//! Paths and texts as models and other systems write them: what each file tool takes them for.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::endpoint::call;
use crate::tools_patch;
use crate::workshop::Workshop;

fn file(path: &str) -> Value {
    json!({"file_path": path})
}

/// One rule for all tools, and no file under the literal name.
#[test]
fn a_path_is_meant_as_a_shell_or_a_person_would_mean_it() {
    let shop = tools_patch::shop().file("f", "one\n");
    let home = shop.clawd().home();
    fs::write(home.join("at_home.txt"), "home\n").unwrap();
    let add = |path: &str| tools_patch::patch(&format!("*** Add File: {path}\n+x"));
    let write = |path: &str| call("Write", json!({"file_path": path, "content": "x\n"}));
    let told = shop.tell_all([
        write("~/one"),
        write("$HOME/two"),
        write("\"three\"\n"),
        add("~/four"),
        add(" 'five' "),
        call("Read", file("~/at_home.txt")),
        call("Read", file("`f`\n")),
        call("Write", json!({"file_path": "~/at_home.txt", "content": "new\n"})),
        call("Glob", json!({"pattern": "~/at_*.txt"})),
        call("Glob", json!({"pattern": "at_*", "path": "~"})),
        call("Grep", json!({"pattern": "new", "path": "${HOME}/at_home.txt"})),
        write("file:///tmp/x"),
        add("file:///tmp/x"),
        write("$PWD/x"),
        write("dir/ "),
        add("dir/"),
    ]);
    let at_home = home.join("at_home.txt").display().to_string();
    assert_eq!((told[5].as_str(), told[6].as_str()), ("1\thome", "1\tone"));
    assert_eq!(told[8..11], [at_home.as_str(), &at_home, &at_home]);
    for refused in &told[11..] {
        assert!(refused.starts_with("Error: "), "{refused}");
    }
    let held = |directory: &Path| {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(held(&shop.path("")), ["f", "five", "three"], "{told:#?}");
    for name in ["one", "two", "four"] {
        assert_eq!(fs::read_to_string(home.join(name)).unwrap(), "x\n", "{name}");
    }
    assert_eq!(fs::read_to_string(home.join("at_home.txt")).unwrap(), "new\n");
}

/// One of these is what spreadsheets on a Mac write.
#[test]
fn lines_that_end_in_a_carriage_return_are_lines_for_every_tool() {
    let shop = Workshop::new().file("f.csv", "\u{feff}a;1\rb;2\rc;3\r");
    let run = shop.run([
        [call("Read", file("f.csv"))],
        [call("Bash", json!({"command": "cat f.csv"}))],
        [call("Grep", json!({"pattern": "^b", "output_mode": "content"}))],
        [call("Edit", json!({"file_path": "f.csv", "old_string": "b;2", "new_string": "b;20"}))],
    ]);
    assert!(run.told[0].starts_with("1\ta;1\n2\tb;2\n3\tc;3\n"), "{}", run.told[0]);
    assert!(run.told[1].ends_with("a;1\nb;2\nc;3"), "{}", run.told[1]);
    assert_eq!(run.told[2], "f.csv:2:b;2");
    assert!(run.told[3].contains("\n a;1\n-b;2\n+b;20\n c;3"), "{}", run.told[3]);
    let display = run.output.events_of("tool_result")[3]["display"].to_string();
    assert!(!display.contains('\u{feff}') && !display.contains("\\r"), "{display}");
    assert_eq!(shop.text("f.csv"), "\u{feff}a;1\rb;20\rc;3\r");
}

#[test]
fn a_change_of_a_huge_file_is_seen_although_its_time_was_put_back() {
    let shop = Workshop::new();
    let line = [b'x'; 1023].as_slice();
    shop.write("huge", [line, b"\n"].concat().repeat(65 * 1024));
    let run = shop.run([
        [call("Read", json!({"file_path": "huge", "limit": 1}))],
        [call("Bash", json!({"command": "touch -r huge time; printf x | dd of=huge conv=notrunc status=none; touch -r time huge"}))],
        [call("Write", json!({"file_path": "huge", "content": "small"}))],
    ]);
    assert!(run.told[2].contains("it has changed since it was read"), "{:?}", run.told);
}

#[test]
fn half_a_character_is_refused_and_not_written_as_another() {
    let shop = Workshop::new();
    let half = call("Write", json!({})).raw_arguments(r#"{"file_path":"f","content":"a\ud83db"}"#);
    let pair = call("Write", json!({})).raw_arguments(r#"{"file_path":"g","content":"a\ud83d\ude00b"}"#);
    let told = shop.tell_all([half, pair]);
    assert!(told[0].starts_with("Error: ") && told[0].contains("half of a surrogate pair"), "{}", told[0]);
    assert!(!shop.path("f").exists());
    assert_eq!(shop.text("g"), "a\u{1f600}b");
}
