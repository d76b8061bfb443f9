//! Back to an earlier message and forward again: the files of a project after each, and what the session says of it.
//!
//! Sessions are made without a screen, and rewound on one. What commands change is noted here by hand, as the session's file has
//! it: a checkpoint `by` a command, with the images beside it. The tree that is compared is every name with its kind, its mode and its bytes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::screen::{leave, say, wait_for_rest};
use crate::sessions::session_file;
use crate::tools_patch::{patch, read};

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
                "directory".to_owned()
            } else {
                let bytes = fs::read(&path).unwrap();
                format!("{:o} {} {}", meta.mode() & 0o7777, bytes.len(), blake3::hash(&bytes).to_hex())
            };
            tree.insert(path.strip_prefix(clawd.project()).unwrap().to_owned(), holds);
        }
    }
    tree
}

/// One run without a screen, in the session that goes on.
fn tell(clawd: &Clawd, endpoint: &Endpoint, words: &str, turns: Vec<Vec<crate::endpoint::Call>>) {
    turns.into_iter().for_each(|turn| endpoint.push(calls(turn)));
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

/// Opens the list, picks the message with these words and says how far.
fn rewind(pty: &Pty, words: &str, digit: &str) {
    say(pty, "/rewind");
    pty.wait_for("type to filter");
    pty.type_text(words);
    pty.wait_for("1 of ");
    pty.key("enter");
    pty.wait_for("1, 2 or 3 does it");
    pty.key(digit);
}

fn redo(pty: &Pty) {
    say(pty, "/redo");
    pty.wait_for("Brought back");
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
    let mut all = fs::read_to_string(&session).unwrap();
    all += &format!("{line}\n");
    fs::write(session, all).unwrap();
}

#[test]
fn whatever_tools_have_changed_is_back_after_a_rewind_and_again_after_a_redo() {
    let (endpoint, clawd) = begun();
    let at = |name: &str| clawd.project().join(name);
    for (name, mode) in [("edited", 0o644), ("script.sh", 0o755), ("gone", 0o600), ("old/name", 0o640)] {
        write(&at(name), format!("one\n{name}\n"), mode);
    }
    write(&at(".gitignore"), "ignored\n", 0o644);
    write(&at("ignored"), "one\nignored\n", 0o644);
    write(&at("real/linked"), "one\nlinked\n", 0o644);
    symlink("real/linked", at("link")).unwrap();
    write(&at("large"), "one\n".to_owned() + &"0123456789abcdef\n".repeat(310_000), 0o644);
    tell(&clawd, &endpoint, "hello", vec![]);
    let before = tree(&clawd);
    let change = |name: &str| format!("*** Update File: {name}\n@@\n-one\n+two\n");
    let names = ["edited", "script.sh", "gone", "old/name", "ignored", "link"];
    let body = [
        change("edited"),
        change("script.sh"),
        change("ignored"),
        change("link"),
        "*** Delete File: gone\n".to_owned(),
        "*** Update File: old/name\n*** Move to: new/deep/name\n@@\n-one\n+two\n".to_owned(),
        "*** Add File: made/deep/file\n+made\n".to_owned(),
    ];
    let reads = names.map(read).to_vec();
    let large = call("Read", json!({"file_path": "large", "limit": 1}));
    let written = call("Write", json!({"file_path": "large", "content": "short\n"}));
    tell(
        &clawd,
        &endpoint,
        "change all",
        vec![reads, vec![patch(body.concat().trim_end())], vec![large], vec![written]],
    );
    let after = tree(&clawd);
    assert_eq!(
        after.get(Path::new("made/deep/file")).map(|is| is.starts_with("644 5 ")),
        Some(true),
        "{after:#?}"
    );
    let pty = resume(&clawd);
    rewind(&pty, "change all", "1");
    pty.wait_for("Rewound to “change all”: 9 files, conversation");
    assert_eq!(tree(&clawd), before);
    redo(&pty);
    assert_eq!(tree(&clawd), after);
    // and once more, with a process between
    rewind(&pty, "change all", "3");
    pty.wait_for("Rewound to “change all”: 9 files. /redo");
    assert_eq!(tree(&clawd), before);
    leave(&pty);
    let pty = resume(&clawd);
    redo(&pty);
    assert_eq!(tree(&clawd), after);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_commands_have_changed_comes_back_with_mode_link_and_every_byte() {
    let (endpoint, clawd) = begun();
    let at = |name: &str| clawd.project().join(name);
    let binary: Vec<u8> =
        (0..5 * 1024 * 1024_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    write(&at("binary"), &binary, 0o644);
    write(&at("mode.sh"), "echo\n", 0o755);
    write(&at("dir/a"), "a\n", 0o644);
    write(&at("dir/b"), "b\n", 0o600);
    write(&at("becomes-link"), "file\n", 0o644);
    write(&at("becomes-dir"), "file\n", 0o644);
    symlink("mode.sh", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    tell(&clawd, &endpoint, "hello", vec![]);
    let before = tree(&clawd);
    tell(&clawd, &endpoint, "run it", vec![]);
    let names =
        ["binary", "mode.sh", "dir/a", "dir/b", "becomes-link", "becomes-dir", "link", "dangling", "new"];
    checkpoint(&clawd, &names);
    write(&at("binary"), [&binary[..1000], b"\0\xff"].concat(), 0o600);
    fs::set_permissions(at("mode.sh"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::remove_dir_all(at("dir")).unwrap();
    fs::remove_file(at("becomes-link")).unwrap();
    symlink("binary", at("becomes-link")).unwrap();
    fs::remove_file(at("link")).unwrap();
    write(&at("link"), "no link\n", 0o644);
    fs::remove_file(at("dangling")).unwrap();
    symlink("elsewhere", at("dangling")).unwrap();
    write(&at("new"), "new\n", 0o644);
    fs::remove_file(at("becomes-dir")).unwrap();
    fs::create_dir(at("becomes-dir")).unwrap();
    let after = tree(&clawd);
    let pty = resume(&clawd);
    // a directory is never replaced: the file is named, all others are put back
    rewind(&pty, "run it", "1");
    pty.wait_for("Rewound to “run it”: 8 files");
    pty.wait_for("1 file was not put back:");
    pty.wait_for("becomes-dir: it is a directory");
    fs::remove_dir(at("becomes-dir")).unwrap();
    leave(&pty);
    let pty = resume(&clawd);
    redo(&pty);
    fs::create_dir(at("becomes-dir")).unwrap();
    assert_eq!(tree(&clawd), after);
    fs::remove_dir(at("becomes-dir")).unwrap();
    rewind(&pty, "run it", "3");
    pty.wait_for("Rewound to “run it”: 9 files");
    assert_eq!(tree(&clawd), before);
    leave(&pty);
    endpoint.finish();
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

#[test]
fn each_way_takes_what_it_says_and_is_written_down_so() {
    let (endpoint, clawd, [first, second, third]) = three();
    let pty = resume(&clawd);
    rewind(&pty, "third", "2");
    pty.wait_for("Rewound to “third”: conversation (4 messages). /redo brings it back");
    pty.wait_for("what stands above no longer counts from “third” on");
    pty.wait_for("❯ third");
    assert_eq!((tree(&clawd), written(&clawd, 1)), (third.clone(), vec!["rewind 6".to_owned()]));
    pty.key("ctrl-c");
    rewind(&pty, "second", "3");
    pty.wait_for("Rewound to “second”: 2 files. /redo");
    assert_eq!(tree(&clawd), first);
    assert_eq!(written(&clawd, 2), ["rewind 10", "checkpoint 9 by rewind"]);
    redo(&pty);
    pty.wait_for("Brought back: 2 files");
    assert_eq!(tree(&clawd), third);
    assert_eq!(written(&clawd, 2), ["checkpoint 9 by redo", "redo"]);
    say(&pty, "/redo");
    pty.wait_for("Brought back: conversation (4 messages)");
    rewind(&pty, "third", "1");
    pty.wait_for("Rewound to “third”: 1 file, conversation (4 messages)");
    assert_eq!(tree(&clawd), second);
    // what is said now goes on from there, and nothing can be brought back behind it
    endpoint.push(text("Going on."));
    pty.key("enter");
    pty.wait_for("Going on.");
    wait_for_rest(&pty);
    let request = endpoint.requests().last().unwrap().clone();
    assert_eq!(request.roles(), "system user assistant user assistant tool assistant user");
    assert_eq!(request.last_text(), "third");
    say(&pty, "/redo");
    pty.wait_for("there is nothing to bring back");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_resume_after_a_rewind_shows_what_counts_and_a_redo_brings_back_the_rest() {
    let (endpoint, clawd, [_, second, third]) = three();
    let pty = resume(&clawd);
    rewind(&pty, "third", "1");
    pty.wait_for("Rewound to");
    leave(&pty);
    assert_eq!(tree(&clawd), second);
    let pty = resume(&clawd);
    pty.wait_for("Done with second.");
    assert!(!pty.screen_text().contains("Done with third."), "{}", pty.screen_text());
    redo(&pty);
    pty.wait_for("Brought back: 1 file, conversation (4 messages)");
    leave(&pty);
    assert_eq!(tree(&clawd), third);
    let pty = resume(&clawd);
    pty.wait_for("Done with third.");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_somebody_else_has_changed_since_is_named_and_can_be_had_back() {
    let (endpoint, clawd, [_, second, third]) = three();
    let theirs = clawd.project().join("b/c");
    write(&theirs, "theirs\n", 0o600);
    let pty = resume(&clawd);
    say(&pty, "/rewind");
    pty.wait_for("third");
    pty.key("enter");
    pty.wait_for("b/c  made since, will be deleted · changed since by someone else");
    pty.key("3");
    pty.wait_for("Rewound to “third”: 1 file.");
    assert_eq!(tree(&clawd), second);
    redo(&pty);
    assert_eq!(
        (fs::read(&theirs).unwrap(), theirs.metadata().unwrap().mode() & 0o777),
        (b"theirs\n".to_vec(), 0o600)
    );
    // a redo has shown nothing before, so it leaves alone what is not as the rewind left it
    rewind(&pty, "third", "3");
    pty.wait_until("the second rewind", |screen| {
        screen.contents().matches("Rewound to “third”: 1 file.").count() == 2
    });
    write(&theirs, "newer\n", 0o644);
    say(&pty, "/redo");
    pty.wait_for("Left as it is, since it was changed after the rewind: b/c");
    assert_eq!(fs::read(&theirs).unwrap(), b"newer\n");
    fs::remove_dir_all(theirs.parent().unwrap()).unwrap();
    write(&theirs, "x\n", 0o644);
    assert_eq!(tree(&clawd), third);
    leave(&pty);
    endpoint.finish();
}

/// A program that is killed while it puts files back leaves some of them as they are and some as they were.
#[test]
fn killed_while_files_were_put_back_the_session_goes_on_and_both_ways_mend_it() {
    for mends_by_redo in [true, false] {
        let (endpoint, clawd, [first, _, third]) = three();
        let pty = resume(&clawd);
        rewind(&pty, "second", "1");
        pty.wait_for("Rewound to");
        leave(&pty);
        assert_eq!(tree(&clawd), first);
        // as if one of the two had not come about any more
        write(&clawd.project().join("a"), "x\n", 0o644);
        let pty = resume(&clawd);
        if mends_by_redo {
            redo(&pty);
            assert_eq!(tree(&clawd), third);
        } else {
            rewind(&pty, "first", "3");
            pty.wait_for("Rewound to “first”: 1 file.");
            assert_eq!(tree(&clawd), first);
            redo(&pty);
            redo_again(&pty);
            assert_eq!(tree(&clawd), third);
        }
        leave(&pty);
        endpoint.finish();
    }
}

fn redo_again(pty: &Pty) {
    say(pty, "/redo");
    pty.wait_until("the second redo", |screen| screen.contents().matches("Brought back").count() == 2);
}

#[test]
fn a_link_that_has_come_since_above_a_file_is_not_followed() {
    let (endpoint, clawd, _) = three();
    let elsewhere = clawd.home().join("elsewhere");
    write(&elsewhere.join("c"), "mine\n", 0o644);
    fs::remove_dir_all(clawd.project().join("b")).unwrap();
    symlink(&elsewhere, clawd.project().join("b")).unwrap();
    let pty = resume(&clawd);
    rewind(&pty, "second", "1");
    pty.wait_for("1 file was not put back:");
    pty.wait_for("has just become a link");
    assert_eq!(fs::read(elsewhere.join("c")).unwrap(), b"mine\n");
    assert!(!clawd.project().join("a").exists(), "the others are put back");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_image_that_is_gone_is_named_and_stops_no_other() {
    let (endpoint, clawd) = begun();
    write(&clawd.project().join("a"), "one\n", 0o644);
    write(&clawd.project().join("b"), "one b\n", 0o644);
    tell(&clawd, &endpoint, "hello", vec![]);
    let change = |name: &str, line: &str| format!("*** Update File: {name}\n@@\n-{line}\n+two\n");
    let body = change("a", "one") + &change("b", "one b");
    tell(&clawd, &endpoint, "change", vec![vec![read("a"), read("b")], vec![patch(body.trim_end())]]);
    let hash = blake3::hash(b"one\n").to_hex().to_string();
    fs::remove_file(session_file(&clawd).with_extension("").join("before").join(hash)).unwrap();
    let pty = resume(&clawd);
    say(&pty, "/rewind");
    pty.wait_for("change");
    pty.key("enter");
    pty.wait_for("a  cannot be put back: what was kept of it is gone");
    pty.wait_for("b  +1 -1");
    pty.key("1");
    pty.wait_for("Rewound to “change”: 1 file, conversation");
    pty.wait_for("a: what was kept of it is gone");
    assert_eq!((clawd.read("a").as_str(), clawd.read("b").as_str()), ("two\n", "one b\n"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn after_a_rewind_a_file_must_be_read_again_before_it_is_changed() {
    let (endpoint, clawd) = begun();
    write(&clawd.project().join("a"), "one\n", 0o644);
    let change = || patch("*** Update File: a\n@@\n-one\n+two");
    tell(&clawd, &endpoint, "hello", vec![]);
    let pty = resume(&clawd);
    [calls([read("a")]), calls([change()]), text("Changed.")]
        .into_iter()
        .for_each(|turn| endpoint.push(turn));
    say(&pty, "change");
    pty.wait_for("Changed.");
    wait_for_rest(&pty);
    rewind(&pty, "change", "1");
    pty.wait_for("Rewound to");
    [calls([change()]), text("Refused.")].into_iter().for_each(|turn| endpoint.push(turn));
    pty.key("enter");
    pty.wait_for("Refused.");
    wait_for_rest(&pty);
    let request = endpoint.requests().last().unwrap().clone();
    let told = request.messages().last().unwrap()["content"].to_string();
    assert!(told.contains("it has not been read in this session"), "{told}");
    leave(&pty);
    endpoint.finish();
}
