//! The program's own files: for the user alone, whatever the umask and whatever was there before.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::screen::{leave, say, wait_for_rest};
use serde_json::json;

/// Everything below, with its mode.
fn modes(directory: &Path) -> Vec<(PathBuf, u32, bool)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let meta = entry.path().symlink_metadata().unwrap();
        found.push((entry.path(), meta.mode() & 0o777, meta.is_dir()));
        if meta.is_dir() {
            found.extend(modes(&entry.path()));
        }
    }
    found
}

fn assert_private(clawd: &Clawd, least: usize) {
    let found = modes(&clawd.clawd_home());
    assert!(found.len() >= least, "{found:?}");
    for (path, mode, is_dir) in &found {
        let expected = if *is_dir { 0o700 } else { 0o600 };
        assert_eq!(*mode, expected, "{} has mode {mode:o}; of {found:?}", path.display());
    }
}

/// The program under a shell that lets every new file be open to all.
fn with_open_umask(clawd: &Clawd, args: &[&str]) -> Clawd {
    let (program, _, _) = clawd.parts();
    let program = program.to_str().unwrap().to_owned();
    let clawd = clawd.again().program("/bin/sh").args(["-c", "umask 000; exec \"$@\"", "sh", &program]);
    clawd.args(args.iter().copied())
}

#[test]
fn all_that_is_kept_is_for_the_user_alone() {
    let long = "for n in $(seq 20000); do echo line $n; done";
    let endpoint = Endpoint::script([
        calls([call("Read", json!({"file_path": "f"})), call("Bash", json!({"command": long}))]),
        calls([call("Edit", json!({"file_path": "f", "old_string": "old", "new_string": "new"}))]),
        text("Done."),
    ]);
    let clawd = Clawd::new(&endpoint).file("f", "old\n");
    let run = with_open_umask(&clawd, &["-p", "--yolo", "--debug", "go"]);
    run.run().expect_code(0);
    // session, its directory, output, image, log
    assert_private(&clawd, 7);
    endpoint.finish();
}

#[test]
fn what_was_open_to_others_is_closed() {
    let endpoint = Endpoint::script([text("One."), text("Two.")]);
    let clawd = Clawd::new(&endpoint);
    with_open_umask(&clawd, &["-p", "--debug", "go"]).run().expect_code(0);
    for (path, _, is_dir) in modes(&clawd.clawd_home()) {
        fs::set_permissions(&path, Permissions::from_mode(if is_dir { 0o777 } else { 0o666 })).unwrap();
    }
    with_open_umask(&clawd, &["-p", "-c", "--debug", "go on"]).run().expect_code(0);
    let loose: Vec<PathBuf> = modes(&clawd.clawd_home())
        .into_iter()
        .filter(|(path, mode, _)| mode & 0o077 != 0 && !path.to_str().unwrap().contains("logs/clawd-"))
        .map(|(path, ..)| path)
        .collect();
    // of the logs only the new one is the program's affair
    assert!(loose.is_empty(), "{loose:?}");
    endpoint.finish();
}

#[test]
fn settings_that_anyone_may_write_are_left_out_and_told() {
    let endpoint = Endpoint::script([text("Done.")]);
    let clawd = Clawd::new(&endpoint).home_file("config.toml", "permission_mode = \"bypass\"\n");
    let config = clawd.clawd_home().join("config.toml");
    fs::set_permissions(&config, Permissions::from_mode(0o666)).unwrap();
    let output = clawd.args(["-p", "--output-format", "stream-json", "go"]).run().expect_code(0);
    assert_eq!(output.events_of("session_start")[0]["permission_mode"], "default");
    assert!(
        output.stdout.contains("anyone can write it (try chmod o-w); the file is ignored"),
        "{output:#?}"
    );
    endpoint.finish();
}

#[test]
fn a_link_in_the_place_of_a_session_or_the_history_is_not_written_through() {
    let endpoint = Endpoint::script([text("Done.")]);
    let clawd = Clawd::new(&endpoint);
    let elsewhere = clawd.home().join("elsewhere");
    fs::write(&elsewhere, "mine\n").unwrap();
    symlink(&elsewhere, clawd.clawd_home().join("history.jsonl")).unwrap();
    let pty = crate::screen::chat_with(&clawd);
    say(&pty, "hello");
    pty.wait_for("Done.");
    wait_for_rest(&pty);
    leave(&pty);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine\n");
    endpoint.finish();
}
