//! Colours, the window's title and a word for whoever looks elsewhere, as a terminal is sent them.

use crate::endpoint::{Endpoint, Gate, call, text};
use crate::harness::Clawd;
use crate::pty::Pty;

use super::{chat_with, leave, say, wait_for_rest};

/// A program in a terminal of all colours, which answers that its background is black.
fn coloured(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).env("TERM", "xterm-256color").env("COLORTERM", "truecolor")
}

/// What was written so far, as text.
fn written(pty: &Pty) -> String {
    String::from_utf8_lossy(&pty.raw_bytes()).into_owned()
}

/// Everything that can be seen is on the screen once this is.
fn wait_for_word(pty: &Pty, word: &str) {
    pty.type_text(word);
    pty.wait_for(word);
}

#[test]
fn the_background_is_asked_behind_the_first_frame_and_its_answer_is_no_typing() {
    let endpoint = Endpoint::script([]);
    let pty = chat_with(&coloured(&endpoint));
    pty.wait_bytes("the colours of a dark background", |bytes| bytes.contains("38;2;"));
    let all = written(&pty);
    let (asked, drawn) = (all.find("\x1b]11;?").unwrap(), all.find('❯').unwrap());
    assert!(drawn < asked, "the first frame came first");
    assert!(!all.split_at(asked).0.contains("38;2;"), "and asked for nothing: {all:?}");
    assert_eq!(pty.queries(), ["]11;?"]);
    wait_for_word(&pty, "typed");
    let row = pty.screen_text().lines().find(|row| row.contains("typed")).unwrap().to_owned();
    assert_eq!(row.trim_end(), "❯ typed");
    pty.key("ctrl-c");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn an_answer_that_comes_late_and_in_pieces_is_no_typing() {
    let endpoint = Endpoint::script([]);
    let pty = Pty::spawn_on(crate::pty::Kind::Silent, &coloured(&endpoint), super::usual());
    pty.wait_for("❯");
    pty.wait_bytes("the question", |bytes| bytes.contains("\x1b]11;?"));
    pty.type_text("ab");
    pty.wait_for("❯ ab");
    for piece in ["\x1b]11;rg", "b:ffff/ff", "ff/ffff", "\x1b\\"] {
        pty.send(piece.as_bytes());
    }
    pty.type_text("cd");
    pty.wait_for("❯ abcd");
    pty.wait_bytes("the colours of a light background", |bytes| bytes.contains("38;2;"));
    pty.key("ctrl-c");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn nothing_is_asked_where_the_answer_would_change_nothing() {
    let plain = |clawd: Clawd| clawd.env("TERM", "xterm");
    let cases: [fn(Clawd) -> Clawd; 4] = [
        |clawd| clawd.env("TERM", "xterm"),
        |clawd| clawd.env("TERM", "xterm-256color").env("NO_COLOR", "1"),
        |clawd| clawd.env("TERM", "xterm-256color").env("TMUX", "/tmp/none,1,0"),
        |clawd| clawd.env("TERM", "xterm-256color").home_file("config.toml", "[tui]\ntheme = \"dark\"\n"),
    ];
    for case in cases {
        let endpoint = Endpoint::script([]);
        let pty = chat_with(&case(plain(Clawd::new(&endpoint))));
        wait_for_word(&pty, "typed");
        assert_eq!(pty.queries(), [""; 0]);
        pty.key("ctrl-c");
        leave(&pty);
        endpoint.finish();
    }
}

#[test]
fn a_theme_of_ones_own_with_a_mistake_is_told_with_its_line() {
    let endpoint = Endpoint::script([]);
    let clawd = Clawd::new(&endpoint)
        .home_file("config.toml", "[tui]\ntheme = \"mine\"\n")
        .home_file("themes/mine.toml", "accent = \"cyan\"\ngud = \"red\"\n");
    let pty = chat_with(&clawd);
    pty.wait_until("the line of the mistake", |screen| {
        let rows: String = screen.contents().split_whitespace().collect();
        rows.contains("mine.toml:line2")
    });
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_theme_is_seen_while_it_is_picked_and_kept_with_the_files_comments() {
    let endpoint = Endpoint::script([]);
    let clawd =
        coloured(&endpoint).home_file("config.toml", "# mine\n[tui] # the screen\ntheme = \"ansi\"\n");
    let pty = chat_with(&clawd);
    say(&pty, "/theme");
    pty.wait_for("colour-blind");
    assert!(!written(&pty).contains("38;2;"));
    pty.key("up");
    pty.wait_bytes("the preview", |bytes| bytes.contains("38;2;"));
    pty.key("enter");
    pty.wait_for("theme light, saved in config.toml");
    leave(&pty);
    let kept = std::fs::read_to_string(clawd.clawd_home().join("config.toml")).unwrap();
    assert_eq!(kept, "# mine\n[tui] # the screen\ntheme = \"light\"\n");
    endpoint.finish();
}

#[test]
fn the_title_says_how_things_stand_and_is_given_back() {
    let gate = Gate::new();
    let endpoint = Endpoint::script([text("So").hold(&gate).text(" it is.")]);
    let pty = chat_with(&Clawd::new(&endpoint));
    pty.wait_bytes("the title", |bytes| bytes.contains("\x1b]2;clawd · project\x1b\\"));
    say(&pty, "go");
    pty.wait_bytes("the title of a run", |bytes| bytes.contains("\x1b]2;working · clawd · project\x1b\\"));
    gate.open();
    wait_for_rest(&pty);
    leave(&pty);
    let all = written(&pty);
    assert_eq!(all.matches("\x1b[22;2t").count(), 1);
    assert_eq!(all.matches("\x1b]2;\x1b\\\x1b[23;2t").count(), 1);
    endpoint.finish();
}

#[test]
fn who_looks_elsewhere_is_told_of_a_question_and_nobody_else_is() {
    for (focus, settings, told) in [
        ("\x1b[O", "", true),
        ("\x1b[O", "[tui]\nnotifications = false\n", false),
        ("\x1b[O\x1b[I", "", false),
        ("", "", false),
    ] {
        let bash = call("Bash", serde_json::json!({"command": "touch made"}));
        let endpoint = Endpoint::script([text("So.").calls([bash])]);
        let clawd = Clawd::new(&endpoint).arg("--sandbox").arg("off").home_file("config.toml", settings);
        let pty = chat_with(&clawd);
        pty.send(focus.as_bytes());
        say(&pty, "go");
        pty.wait_for("Allow this command?");
        super::answer(&pty, "Allow this command?", "esc");
        wait_for_rest(&pty);
        leave(&pty);
        let all = written(&pty);
        assert_eq!(
            all.contains("\x1b]9;clawd is waiting for your answer: project\x07\x07"),
            told,
            "{focus:?} {settings:?}"
        );
        endpoint.finish();
    }
}
