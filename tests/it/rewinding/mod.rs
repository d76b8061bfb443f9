//! Back to an earlier message and forward again: the files of a project after each, and what the session says of it.
//!
//! Sessions are made without a screen, and rewound on one. What commands change is noted here by hand, as the session's file has
//! it: a checkpoint `by` a command, with the images beside it. The tree that is compared is every name with its kind, its mode and its bytes.

mod commands;
mod killed;
mod trees;
mod troubles;
mod ways;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::endpoint::{Call, Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::screen::{say, wait_for_rest};
use crate::sessions::session_file;

/// Every name below the project with what it is.
type Tree = BTreeMap<PathBuf, String>;

fn tree(clawd: &Clawd) -> Tree {
    let mut tree = Tree::new();
    let mut left = vec![clawd.project()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory).unwrap().map(Result::unwrap) {
            let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
            let holds = if meta.is_symlink() {
                format!("link to {}", fs::read_link(&path).unwrap().display())
            } else if meta.is_dir() {
                left.push(path.clone());
                format!("{:o} directory", meta.mode() & 0o7777)
            } else if meta.file_type().is_fifo() {
                format!("{:o} pipe", meta.mode() & 0o7777)
            } else {
                let bytes = fs::read(&path).unwrap_or_else(|_closed| b"unreadable".to_vec());
                format!("{:o} {} {}", meta.mode() & 0o7777, bytes.len(), blake3::hash(&bytes).to_hex())
            };
            tree.insert(path.strip_prefix(clawd.project()).unwrap().to_owned(), holds);
        }
    }
    tree
}

/// One run without a screen, in the session that goes on.
fn tell(clawd: &Clawd, endpoint: &Endpoint, words: &str, turns: Vec<Vec<Call>>) {
    for turn in turns {
        endpoint.push(calls(turn));
    }
    endpoint.push(text(&format!("Done with {words}.")));
    let is_first = !clawd.clawd_home().join("sessions").exists();
    let go_on = if is_first { &[][..] } else { &["-c"] };
    let args = ["-p", "--yolo"].iter().chain(go_on).copied();
    clawd.again().args(args).arg(words).run().expect_code(0);
}

/// A world whose model is offered `ApplyPatch`, in which a first question was answered.
fn begun() -> (Endpoint, Clawd) {
    let endpoint = Endpoint::script([]);
    let clawd = Clawd::new(&endpoint).home_file("config.toml", "edit_tool = \"patch\"\n");
    (endpoint, clawd)
}

fn write(path: &Path, bytes: impl AsRef<[u8]>, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The session on a large screen.
fn resume(clawd: &Clawd) -> Pty {
    let pty = Pty::spawn(&clawd.again().args(["-c", "--yolo"]), Size::new(160, 50));
    pty.wait_for("❯");
    wait_for_rest(&pty);
    pty
}

/// Goes back to the message with these words; what it takes back is not said again. Waits for what is told of it.
fn rewind(pty: &Pty, words: &str, digit: &str, told: &str) {
    go_back(pty, words, digit);
    pty.wait_for(told);
    if digit != "3" {
        pty.key("ctrl-c");
    }
}

/// Opens the list, picks the message with these words and says how far.
fn go_back(pty: &Pty, words: &str, digit: &str) {
    preview(pty, words);
    pty.key(digit);
}

/// Opens the list and picks the message with these words: the preview is shown.
fn preview(pty: &Pty, words: &str) {
    say(pty, "/rewind");
    pty.wait_for("type to filter");
    pty.type_text(words);
    pty.wait_until("the one message", |screen| {
        let text = screen.contents();
        text.contains("1 of ") || text.contains("1 in all")
    });
    pty.key("enter");
    pty.wait_for("Press 1, 2 or 3");
}

fn redo(pty: &Pty) {
    say(pty, "/redo");
    pty.wait_for("Redone");
}

fn lines(clawd: &Clawd) -> Vec<Value> {
    let content = fs::read_to_string(session_file(clawd)).unwrap();
    content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Writes down that a command is about to change these files, as somebody who has seen them before.
fn checkpoint(clawd: &Clawd, names: &[&str]) {
    let session = session_file(clawd);
    let images = session.with_extension("").join("before");
    fs::create_dir_all(&images).unwrap();
    let messages = lines(clawd).iter().filter(|line| line["type"] == "message").count();
    let file = |name: &&str| {
        let path = clawd.project().join(name);
        let (bytes, mode) = match path.symlink_metadata() {
            Err(_) => return json!({"path": path, "before": null, "mode": 0}),
            Ok(meta) if meta.is_symlink() => {
                (fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(), 0o120_777)
            }
            Ok(meta) => (fs::read(&path).unwrap(), meta.mode() & 0o7777),
        };
        let hash = blake3::hash(&bytes).to_hex().to_string();
        fs::write(images.join(&hash), bytes).unwrap();
        json!({"path": path, "before": hash, "mode": mode})
    };
    let files: Vec<Value> = names.iter().map(file).collect();
    let line = json!({"type": "checkpoint", "message": messages - 1, "by": "command", "files": files, "timestamp": 1});
    let all = fs::read_to_string(&session).unwrap();
    fs::write(session, format!("{all}{line}\n")).unwrap();
}

/// A session of three prompts, of which the second and the third have written one file each.
fn three() -> (Endpoint, Clawd, [Tree; 3]) {
    let (endpoint, clawd) = begun();
    let written = |name: &str| vec![vec![call("Write", json!({"file_path": name, "content": "x\n"}))]];
    tell(&clawd, &endpoint, "first", vec![]);
    let first = tree(&clawd);
    tell(&clawd, &endpoint, "second", written("a"));
    let second = tree(&clawd);
    tell(&clawd, &endpoint, "third", written("b/c"));
    let third = tree(&clawd);
    (endpoint, clawd, [first, second, third])
}

/// The last lines of the session, in words.
fn written(clawd: &Clawd, count: usize) -> Vec<String> {
    let lines = lines(clawd);
    let word = |line: &Value| match line["type"].as_str().unwrap() {
        "rewind" => format!("rewind {}", line["to"]),
        "checkpoint" => {
            format!("checkpoint {} by {}", line["message"], line["by"].as_str().unwrap_or("tool"))
        }
        other => other.to_owned(),
    };
    lines[lines.len() - count..].iter().map(word).collect()
}
