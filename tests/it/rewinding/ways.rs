//! What each of the three ways takes, what is written down of it, and what a redo gives back.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::{begun, go_back, redo, resume, rewind, tell, three, tree, write, written};
use crate::endpoint::{calls, text};
use crate::screen::{leave, say, wait_for_rest};
use crate::tools_patch::{patch, read};

#[test]
fn each_way_takes_what_it_says_and_is_written_down_so() {
    let (endpoint, clawd, [first, second, third]) = three();
    let pty = resume(&clawd);
    go_back(&pty, "third", "2");
    pty.wait_for("Rewound to “third”: conversation (4 messages). /redo undoes this");
    pty.wait_for("Everything above from “third” on is no longer part of the conversation.");
    pty.wait_for("❯ third");
    assert_eq!((tree(&clawd), written(&clawd, 1)), (third.clone(), vec!["rewind 6".to_owned()]));
    pty.key("ctrl-c");
    rewind(&pty, "second", "3", "Rewound to “second”: 2 files. /redo");
    assert_eq!(tree(&clawd), first);
    assert_eq!(written(&clawd, 2), ["rewind 10", "checkpoint 9 by rewind"]);
    redo(&pty);
    pty.wait_for("Redone: 2 files");
    assert_eq!(tree(&clawd), third);
    assert_eq!(written(&clawd, 2), ["checkpoint 9 by redo", "redo"]);
    say(&pty, "/redo");
    pty.wait_for("Redone: conversation (4 messages)");
    go_back(&pty, "third", "1");
    pty.wait_for("Rewound to “third”: 1 file, conversation (4 messages)");
    assert_eq!(tree(&clawd), second);
    // what is said now goes on from there, and nothing can be brought back behind it
    endpoint.push(text("Going on."));
    endpoint.allow_break();
    pty.key("enter");
    pty.wait_for("Going on.");
    wait_for_rest(&pty);
    let request = endpoint.requests().last().unwrap().clone();
    assert_eq!(request.roles(), "system user assistant user assistant tool assistant user");
    assert_eq!(request.last_text(), "third");
    say(&pty, "/redo");
    pty.wait_for("nothing to redo");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_resume_after_a_rewind_shows_what_counts_and_a_redo_brings_back_the_rest() {
    let (endpoint, clawd, [_, second, third]) = three();
    let pty = resume(&clawd);
    rewind(&pty, "third", "1", "Rewound to");
    leave(&pty);
    assert_eq!(tree(&clawd), second);
    let pty = resume(&clawd);
    pty.wait_for("Done with second.");
    assert!(!pty.screen_text().contains("Done with third."), "{}", pty.screen_text());
    redo(&pty);
    pty.wait_for("Redone: 1 file, conversation (4 messages)");
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
    pty.wait_for("b/c  created since, will be deleted · changed outside clawd");
    pty.key("3");
    pty.wait_for("Rewound to “third”: 1 file.");
    assert_eq!(tree(&clawd), second);
    redo(&pty);
    assert_eq!(
        (fs::read(&theirs).unwrap(), theirs.metadata().unwrap().mode() & 0o777),
        (b"theirs\n".to_vec(), 0o600)
    );
    // a redo has shown nothing before, so it leaves alone what is not as the rewind left it
    go_back(&pty, "third", "3");
    pty.wait_until("the second rewind", |screen| {
        screen.contents().matches("Rewound to “third”: 1 file.").count() == 2
    });
    write(&theirs, "newer\n", 0o644);
    say(&pty, "/redo");
    pty.wait_for("Unchanged, because modified after the rewind: b/c");
    assert_eq!(fs::read(&theirs).unwrap(), b"newer\n");
    fs::remove_dir_all(theirs.parent().unwrap()).unwrap();
    write(&theirs, "x\n", 0o644);
    assert_eq!(tree(&clawd), third);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn after_a_rewind_a_file_must_be_read_again_before_it_is_changed() {
    let (endpoint, clawd) = begun();
    write(&clawd.project().join("a"), "one\n", 0o644);
    let change = || patch("*** Update File: a\n@@\n-one\n+two");
    tell(&clawd, &endpoint, "hello", vec![]);
    // the prompt says whether a user can answer, which has changed
    endpoint.allow_break();
    let pty = resume(&clawd);
    for turn in [calls([read("a")]), calls([change()]), text("Changed.")] {
        endpoint.push(turn);
    }
    say(&pty, "change");
    pty.wait_for("Changed.");
    wait_for_rest(&pty);
    go_back(&pty, "change", "1");
    pty.wait_for("Rewound to");
    endpoint.allow_break();
    for turn in [calls([change()]), text("Refused.")] {
        endpoint.push(turn);
    }
    pty.key("enter");
    pty.wait_for("Refused.");
    wait_for_rest(&pty);
    let request = endpoint.requests().last().unwrap().clone();
    let told = request.messages().last().unwrap()["content"].to_string();
    assert!(told.contains("it has not been read in this session"), "{told}");
    leave(&pty);
    endpoint.finish();
}
