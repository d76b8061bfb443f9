//! The whole tree after a rewind and after a redo, whatever was done to it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;

use super::{begun, checkpoint, redo, resume, rewind, tell, tree, write};
use crate::endpoint::call;
use crate::screen::leave;
use crate::tools_patch::{patch, read};

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
    rewind(&pty, "change all", "1", "Rewound to “change all”: 9 files, conversation");
    assert_eq!(tree(&clawd), before);
    redo(&pty);
    assert_eq!(tree(&clawd), after);
    // and once more, with a process between
    rewind(&pty, "change all", "3", "Rewound to “change all”: 9 files. /redo");
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
    fs::set_permissions(at("mode.sh"), Permissions::from_mode(0o444)).unwrap();
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
    // a directory is removed only if it is empty: it is moved aside and named
    write(&at("becomes-dir/in-it"), "mine\n", 0o644);
    rewind(&pty, "run it", "1", "Rewound to “run it”: 9 files");
    pty.wait_for("1 file was not restored:");
    pty.wait_for("becomes-dir.left: moved aside from ");
    fs::remove_file(at("becomes-dir.left/in-it")).unwrap();
    leave(&pty);
    let pty = resume(&clawd);
    redo(&pty);
    assert_eq!(tree(&clawd), after);
    rewind(&pty, "run it", "3", "Rewound to “run it”: 9 files");
    assert_eq!(tree(&clawd), before);
    leave(&pty);
    endpoint.finish();
}
