//! Images that are pasted or dropped, and texts that go into the clipboard of the machine: by way of programs of its own.
//!
//! The programs are scripts in a directory of their own at the head of `PATH`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::watched::DEADLINE;

use super::{leave, open, say, wait_for_rest};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

fn png() -> Vec<u8> {
    STANDARD.decode(PNG).unwrap()
}

fn script(directory: &Path, name: &str, body: &str) {
    let path = directory.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The program on a machine with these programs for its clipboard.
fn machine(endpoint: &Endpoint, programs: &Path) -> Clawd {
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
    Clawd::new(endpoint).env("PATH", &path).env("WAYLAND_DISPLAY", "w").without_env("DISPLAY")
}

/// How many images the last message of a request has.
fn images(endpoint: &Endpoint, request: usize) -> usize {
    let request = endpoint.wait_for_request(request);
    let last = request.messages().last().unwrap()["content"].clone();
    last.as_array().map_or(0, |parts| parts.iter().filter(|part| part["type"] == "image_url").count())
}

#[test]
fn an_image_of_the_clipboard_is_one_thing_in_the_input_and_goes_to_the_model() {
    let programs = tempfile::tempdir().unwrap();
    std::fs::write(programs.path().join("image"), png()).unwrap();
    let give =
        format!("case \"$*\" in *image/png) cat {}/image;; *) exit 1;; esac", programs.path().display());
    script(programs.path(), "wl-paste", &give);
    let endpoint = Endpoint::script([text("A pixel.")]);
    let pty = open(&machine(&endpoint, programs.path()));
    pty.type_text("what is ");
    pty.key("ctrl-v");
    pty.wait_for("❯ what is [Image #1]");
    pty.key("backspace");
    pty.wait_until("the image to be gone", |screen| !screen.contents().contains("[Image"));
    pty.key("ctrl-v");
    pty.wait_for("❯ what is [Image #1]");
    pty.key("enter");
    pty.wait_for("A pixel.");
    wait_for_rest(&pty);
    assert_eq!(images(&endpoint, 1), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_dropped_path_of_an_image_becomes_one_and_any_other_stays_a_text() {
    let programs = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::script([text("A pixel.")]);
    let clawd = machine(&endpoint, programs.path());
    std::fs::write(clawd.project().join("my shot.png"), png()).unwrap();
    let pty = open(&clawd);
    pty.key("ctrl-v");
    pty.wait_for("no image in the clipboard");
    pty.paste("/nowhere/x.png");
    pty.wait_for("❯ /nowhere/x.png");
    pty.key("ctrl-u");
    pty.paste(&format!("'{}'", clawd.project().join("my shot.png").display()));
    pty.wait_for("❯ [Image #1]");
    pty.key("enter");
    pty.wait_for("A pixel.");
    wait_for_rest(&pty);
    assert_eq!(images(&endpoint, 1), 1);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_is_copied_goes_into_the_clipboard_of_the_machine_too() {
    let programs = tempfile::tempdir().unwrap();
    let taken = programs.path().join("taken");
    let place = taken.display();
    // as such programs do: what was taken is served by a process that stays
    script(
        programs.path(),
        "wl-copy",
        &format!("cat > {place}.part && mv {place}.part {place}; sleep 600 &"),
    );
    let endpoint = Endpoint::script([text("Say\n*this*.")]);
    let pty = open(&machine(&endpoint, programs.path()));
    say(&pty, "go");
    pty.wait_for("this");
    wait_for_rest(&pty);
    say(&pty, "/copy");
    pty.wait_for("copied the last answer");
    let began = std::time::Instant::now();
    // nothing is drawn when it is there
    while !taken.exists() {
        assert!(began.elapsed() < DEADLINE, "nothing was taken");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "Say\n*this*.");
    leave(&pty);
    endpoint.finish();
}
