//! What a command changes is kept as it was, and the session says so before it tells how the command ended.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::endpoint::call;
use crate::sessions::session_file;
use crate::workshop::Workshop;

/// The lines of the session, and where the checkpoints of commands are among them.
fn session(shop: &Workshop) -> (Vec<Value>, Vec<usize>) {
    let lines: Vec<Value> = fs::read_to_string(session_file(shop.clawd()))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let is_ours = |line: &Value| line["type"] == "checkpoint" && line["by"] == "command";
    let ours = (0..lines.len()).filter(|at| is_ours(&lines[*at])).collect();
    (lines, ours)
}

#[test]
fn what_a_command_changed_is_kept_and_named_before_its_result() {
    let shop = Workshop::new().file("f", "one\n").file("gone", "was here\n").file("same", "x\n");
    symlink("f", shop.path("link")).unwrap();
    let command = "echo two > f; rm gone; echo new > made; touch same; ln -sf gone link";
    shop.tell_all([call("Bash", json!({"command": command}))]);
    let (lines, ours) = session(&shop);
    let [at] = ours[..] else { panic!("{lines:#?}") };
    // the message that made the call stands before it, the call's answer behind it
    assert_eq!((&lines[at - 1]["role"], &lines[at + 1]["role"]), (&json!("assistant"), &json!("tool")));
    let before = lines[..at - 1].iter().filter(|line| line["type"] == "message").count();
    assert_eq!(lines[at]["message"], json!(before));
    let images = session_file(shop.clawd()).with_extension("").join("before");
    let told: Vec<(String, Option<String>, u64)> = lines[at]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            let held = file["before"].as_str().map(|hash| fs::read_to_string(images.join(hash)).unwrap());
            (file["path"].as_str().unwrap().to_owned(), held, file["mode"].as_u64().unwrap())
        })
        .collect();
    let mode = u64::from(shop.bits("same"));
    let held = |text: &str| Some(text.to_owned());
    assert_eq!(
        told,
        [
            (shop.at("f"), held("one\n"), mode),
            (shop.at("gone"), held("was here\n"), mode),
            (shop.at("link"), held("f"), 0o120_777),
            (shop.at("made"), None, 0),
        ]
    );
}

#[test]
fn a_command_that_changes_nothing_leaves_no_line_and_no_image() {
    let shop = Workshop::new().file("f", "one\n");
    shop.tell_all([call("Bash", json!({"command": "cat f; touch f"}))]);
    let (_, ours) = session(&shop);
    assert_eq!(ours, [0; 0]);
    assert!(!session_file(shop.clawd()).with_extension("").exists());
}

#[test]
fn secrets_are_named_and_not_saved_and_what_tools_changed_is_not_the_commands() {
    let shop = Workshop::new().file(".env", "KEY=1\n").file("f", "one\n");
    shop.tell_all([
        call("Write", json!({"file_path": "new", "content": "by a tool\n"})),
        call("Bash", json!({"command": "echo KEY=2 > .env; echo two > f"})),
    ]);
    let (lines, ours) = session(&shop);
    let [at] = ours[..] else { panic!("{lines:#?}") };
    let [secret, changed] = &lines[at]["files"].as_array().unwrap()[..] else { panic!("{lines:#?}") };
    assert_eq!(changed["path"], json!(shop.at("f")));
    // named, and not saved
    assert_eq!((&secret["path"], &secret["before"]), (&json!(shop.at(".env")), &json!("none")));
    assert_eq!(secret["unsaved"], json!("it may contain a secret, so it is not backed up"));
}

#[test]
fn what_a_background_command_changed_is_told_at_the_next_look() {
    let shop = Workshop::new().file("f", "one\n");
    let command = "while [ ! -e go ]; do :; done; echo two > f; mv go gone; while :; do sleep 1; done";
    shop.run([
        [call("Bash", json!({"command": command, "run_in_background": true}))],
        [call("Bash", json!({"command": "touch go; while [ ! -e gone ]; do :; done"}))],
    ]);
    let (lines, ours) = session(&shop);
    let files: Vec<&str> = ours
        .iter()
        .flat_map(|at| lines[*at]["files"].as_array().unwrap())
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(files, [shop.at("f"), shop.at("gone")]);
}
