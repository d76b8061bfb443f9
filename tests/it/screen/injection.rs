//! Text of others on the screen: it is shown, and does nothing.

use crate::endpoint::{Endpoint, call, calls, text};
use crate::harness::Clawd;
use crate::pty::Pty;
use serde_json::json;

use super::{answer, leave, open, say, wait_for_rest};

/// What a terminal would obey: a title, a colour, a clear, an 8-bit sequence, a bell, a reversal, hidden tags.
const EVIL: &str = "a\x1b]0;owned\x07b\x1b[31mc\x1b[2Jd\u{9b}31me\u{90}qf\x08g\u{202e}h\u{e0041}i\x1bPq\x1b\\j\rk\x1b_x\x1b\\l";

/// None of it has reached the terminal as it was.
fn assert_clean(pty: &Pty) {
    let raw = String::from_utf8_lossy(&pty.raw_bytes()).into_owned();
    let foreign = [
        "\x1b]0;",
        "owned\x07",
        "\x1b[31mc",
        "\x1b[2J",
        "\u{9b}",
        "\u{90}",
        "\x08",
        "\u{202e}",
        "\u{e0041}",
        "\x1bP",
        "\x1b_",
    ];
    for sequence in foreign {
        assert!(!raw.contains(sequence), "{sequence:?} reached the terminal");
    }
}

#[test]
fn text_of_the_model_does_nothing() {
    for source in [
        format!("{EVIL}\n\nEnd."),
        format!("```\n{EVIL}\n```\n\nEnd."),
        format!("# {EVIL}\n\n| {EVIL} | b |\n|---|---|\n| 1 | 2 |\n\n- [x]({EVIL})\n\nEnd."),
    ] {
        let endpoint = Endpoint::script([text(&source)]);
        let pty = open(&Clawd::new(&endpoint));
        say(&pty, "go");
        pty.wait_for("End.");
        wait_for_rest(&pty);
        pty.key("ctrl-o");
        pty.wait_until("the page", |screen| screen.alternate_screen() && screen.contents().contains("End."));
        pty.key("q");
        assert_clean(&pty);
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn what_a_command_prints_does_nothing() {
    let endpoint = Endpoint::script([
        calls([call("Bash", json!({"command": "cat evil.txt; echo 'end of it'"}))]),
        text("Printed."),
    ]);
    let pty = open(&Clawd::new(&endpoint).file("evil.txt", EVIL).arg("--yolo"));
    say(&pty, "go");
    pty.wait_for("Printed.");
    wait_for_rest(&pty);
    pty.key("ctrl-o");
    pty.wait_until("the page", |screen| screen.alternate_screen() && screen.contents().contains("Printed."));
    pty.key("q");
    assert_clean_but_for_colour(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_question_hides_nothing_and_does_nothing() {
    let command = format!("touch '{EVIL}'");
    let endpoint = Endpoint::script([
        calls([call("Bash", json!({"command": command}))]),
        calls([call("Write", json!({"file_path": format!("{EVIL}.txt"), "content": EVIL}))]),
    ]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    answer(&pty, "Allow this command?", "3");
    pty.type_text("no");
    pty.key("enter");
    answer(&pty, "Allow this edit?", "n");
    pty.wait_for("Interrupted");
    assert_clean(&pty);
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn names_of_files_and_models_do_nothing() {
    let endpoint = Endpoint::script([
        calls([
            call("Glob", json!({"pattern": "*"})),
            call("Read", json!({"file_path": "a\u{1b}[31mb\u{202e}.txt"})),
        ]),
        text("Listed."),
    ])
    .models(["mock-1", "evil\x1b[31mc\u{9b}31m"]);
    let pty = open(&Clawd::new(&endpoint).file("a\x1b[31mb\u{202e}.txt", "x"));
    say(&pty, "go");
    pty.wait_for("Listed.");
    wait_for_rest(&pty);
    say(&pty, "/model");
    pty.wait_for("evil");
    pty.key("esc");
    pty.wait_until("the list closed", |screen| !screen.contents().contains("evil"));
    assert_clean(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_error_of_the_endpoint_does_nothing() {
    let body = json!({"error": {"message": EVIL}}).to_string();
    let endpoint = Endpoint::script([crate::endpoint::status(400).body("application/json", &body)]);
    let pty = open(&Clawd::new(&endpoint));
    say(&pty, "go");
    pty.wait_for("Error:");
    wait_for_rest(&pty);
    assert_clean(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_directory_that_is_not_trusted_does_nothing() {
    let endpoint = Endpoint::script([]);
    let clawd = Clawd::new(&endpoint).file("dir\x1b[2J\u{9b}31m\u{202e}/AGENTS.md", EVIL);
    let pty = open(&clawd.args(["-C", "dir\x1b[2J\u{9b}31m\u{202e}"]));
    answer(&pty, "trust", "2");
    pty.wait_for("default");
    assert_clean(&pty);
    leave(&pty);
    endpoint.finish();
}

/// Colours of a command's output are taken over, in the program's own words; nothing else is.
fn assert_clean_but_for_colour(pty: &Pty) {
    let raw = String::from_utf8_lossy(&pty.raw_bytes()).into_owned();
    for sequence in [
        "\x1b]0;",
        "owned\x07",
        "\x1b[2J",
        "\u{9b}",
        "\u{90}",
        "\x08",
        "\u{202e}",
        "\u{e0041}",
        "\x1bP",
        "\x1b_",
    ] {
        assert!(!raw.contains(sequence), "{sequence:?} reached the terminal");
    }
}
