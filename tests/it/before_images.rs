//! Before a tool changes a file, what the file held is kept beside the session, and the session says so.

use std::fs;

use serde_json::{Value, json};

use crate::endpoint::call;
use crate::sessions::session_file;
use crate::workshop::Workshop;

#[test]
fn what_a_file_held_is_kept_and_named_before_the_answer_of_the_call() {
    let shop = Workshop::new().file("f", "one\n");
    shop.tell_all([
        call("Read", json!({"file_path": "f"})),
        call("Edit", json!({"file_path": "f", "old_string": "one", "new_string": "two"})),
        call("Write", json!({"file_path": "g", "content": "new\n"})),
    ]);
    let session = session_file(shop.clawd());
    let lines: Vec<Value> = fs::read_to_string(&session)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let checkpoints: Vec<&Value> = lines.iter().filter(|line| line["type"] == "checkpoint").collect();
    assert_eq!(checkpoints.len(), 2, "{lines:#?}");
    for checkpoint in &checkpoints {
        let at = lines.iter().position(|line| line == *checkpoint).unwrap();
        // the message that made the call stands before it, the call's answer behind it
        assert_eq!((&lines[at - 1]["role"], &lines[at + 1]["role"]), (&json!("assistant"), &json!("tool")));
        let before = lines[..at - 1].iter().filter(|line| line["type"] == "message").count();
        assert_eq!(checkpoint["message"], json!(before));
    }
    let edited = &checkpoints[0]["files"][0];
    assert_eq!(edited["path"], json!(shop.at("f")));
    let images = session.with_extension("").join("before");
    let kept = fs::read(images.join(edited["before"].as_str().unwrap())).unwrap();
    assert_eq!(kept, b"one\n");
    assert_eq!(checkpoints[1]["files"][0]["before"], Value::Null);
}
