//! What cannot be put back, and a program that is killed while it puts files back.

use std::fs;
use std::os::unix::fs::symlink;

use super::{begun, redo, resume, rewind, tell, three, tree, write};
use crate::pty::Pty;
use crate::screen::{leave, say};
use crate::sessions::session_file;
use crate::tools_patch::{patch, read};

/// A program that is killed while it puts files back leaves some of them as they are and some as they were.
#[test]
fn killed_while_files_were_put_back_the_session_goes_on_and_both_ways_mend_it() {
    for mends_by_redo in [true, false] {
        let (endpoint, clawd, [first, _, third]) = three();
        let pty = resume(&clawd);
        rewind(&pty, "second", "1", "Rewound to");
        leave(&pty);
        assert_eq!(tree(&clawd), first);
        // as if one of the two had not come about any more
        write(&clawd.project().join("a"), "x\n", 0o644);
        let pty = resume(&clawd);
        if mends_by_redo {
            redo(&pty);
            assert_eq!(tree(&clawd), third);
        } else {
            rewind(&pty, "first", "3", "Rewound to “first”: 1 file.");
            assert_eq!(tree(&clawd), first);
            redo(&pty);
            redo_again(&pty);
            assert_eq!(tree(&clawd), third);
        }
        leave(&pty);
        endpoint.finish();
    }
}

/// What is written of a redo ends it: without that it can be done again.
#[test]
fn killed_while_files_were_brought_forward_a_redo_mends_it() {
    let (endpoint, clawd, [_, _, third]) = three();
    let pty = resume(&clawd);
    rewind(&pty, "second", "1", "Rewound to");
    redo(&pty);
    leave(&pty);
    assert_eq!(tree(&clawd), third);
    let session = session_file(&clawd);
    let all = fs::read_to_string(&session).unwrap();
    let (rest, last) = all.trim_end().rsplit_once('\n').unwrap();
    assert!(last.contains(r#""type":"redo""#), "{last}");
    fs::write(&session, format!("{rest}\n")).unwrap();
    fs::remove_file(clawd.project().join("a")).unwrap();
    let pty = resume(&clawd);
    assert!(!pty.screen_text().contains("Done with third."), "{}", pty.screen_text());
    redo(&pty);
    assert_eq!(tree(&clawd), third);
    leave(&pty);
    let pty = resume(&clawd);
    pty.wait_for("Done with third.");
    leave(&pty);
    endpoint.finish();
}

fn redo_again(pty: &Pty) {
    say(pty, "/redo");
    pty.wait_until("the second redo", |screen| screen.contents().matches("Redone").count() == 2);
}

#[test]
fn a_link_that_has_come_since_above_a_file_is_not_followed() {
    let (endpoint, clawd, _) = three();
    let elsewhere = clawd.home().join("elsewhere");
    write(&elsewhere.join("c"), "mine\n", 0o644);
    fs::remove_dir_all(clawd.project().join("b")).unwrap();
    symlink(&elsewhere, clawd.project().join("b")).unwrap();
    let pty = resume(&clawd);
    rewind(&pty, "second", "1", "1 file was not restored:");
    pty.wait_for("replaced with a symlink");
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
    pty.wait_for("a  cannot be restored: its backup is missing");
    pty.wait_for("b  +1 -1");
    pty.key("1");
    pty.wait_for("Rewound to “change”: 1 file, conversation");
    pty.wait_for("a: its backup is missing");
    pty.key("ctrl-c");
    assert_eq!((clawd.read("a").as_str(), clawd.read("b").as_str()), ("two\n", "one b\n"));
    leave(&pty);
    endpoint.finish();
}
