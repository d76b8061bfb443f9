//! Whatever others write, the terminal obeys nobody but the program: a table of attacks, through every door by which text of
//! others comes to a screen.
//!
//! A terminal sees bytes, so bytes are judged: none of the 8-bit controls, no control of seven bits that the program does
//! not use, no character that is invisible or turns the reading order, and no escape sequence with the mark that all of
//! the table's sequences carry. What hides must be seen: it is shown by its number.

mod attacks;

use std::os::unix::ffi::OsStringExt;

use serde_json::{Value, json};

use attacks::{HIDDEN, NUMBER, WORD, line, lines, short};

use crate::endpoint::{Answer, Call, Endpoint, call, calls, deltas, status, text, thinking};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::screen::{answer, chat_with, leave, say, wait_for_rest};

/// No byte that has come is a command of somebody else's.
fn assert_clean(raw: &[u8], door: &str) {
    let Ok(text) = std::str::from_utf8(raw) else { panic!("{door}: bytes that are no UTF-8 have come") };
    let shown = |at: usize| {
        let start = text.floor_char_boundary(at.saturating_sub(60));
        text.get(start..).unwrap_or_default().chars().take(120).collect::<String>()
    };
    let foreign = |c: char| matches!(c, '\u{80}'..='\u{9f}') || HIDDEN.contains(c);
    if let Some(at) = text.find(foreign) {
        panic!("{door}: a foreign control or a hidden character has come: {:?}", shown(at));
    }
    for (at, _) in text.match_indices('\x1b') {
        let rest = text.get(at + 1..).unwrap_or_default();
        let (kind, body) = (rest.chars().next().unwrap_or(' '), rest.get(1..).unwrap_or_default());
        let sequence = match kind {
            '[' => body.split_inclusive(|c: char| ('@'..='~').contains(&c)).next().unwrap_or_default(),
            ']' | 'P' | '_' | '^' | 'X' => body.split(['\x07', '\x1b']).next().unwrap_or_default(),
            _ => "",
        };
        let is_foreign = sequence.contains(NUMBER) || sequence.contains(WORD) || "cE#(".contains(kind);
        assert!(!is_foreign, "{door}: a foreign sequence has come: {:?}", shown(at));
    }
}

/// What stood there came all the same, as text.
fn assert_came(raw: &[u8], number_of_a_character: &str, door: &str) {
    let text = String::from_utf8_lossy(raw);
    assert!(text.contains(number_of_a_character), "{door}: {number_of_a_character} is not shown");
}

fn open(clawd: &Clawd) -> Pty {
    chat_with(clawd)
}

/// Looks at the whole transcript, leaves, and judges all that has come.
fn judge(pty: &Pty, door: &str) {
    pty.key("ctrl-o");
    pty.wait_until("the page", vt100::Screen::alternate_screen);
    for _ in 0..6 {
        pty.key("pageup");
    }
    pty.key("q");
    pty.wait_until("the page closed", |screen| !screen.alternate_screen());
    leave(pty);
    assert_clean(&pty.raw_bytes(), door);
}

/// One run of these answers, the last of which says `End.`.
fn run(clawd: impl Fn(&Endpoint) -> Clawd, answers: Vec<Answer>, door: &str) {
    let endpoint = Endpoint::script(answers.into_iter().chain([text("End.")]));
    let pty = open(&clawd(&endpoint));
    say(&pty, "go");
    pty.wait_for("End.");
    wait_for_rest(&pty);
    judge(&pty, door);
    drop(endpoint.take_violations());
}

fn yolo(endpoint: &Endpoint) -> Clawd {
    Clawd::new(endpoint).arg("--yolo")
}

#[test]
fn the_models_words_are_only_words() {
    let (lines, line) = (lines(), line());
    let cell = line.replace('|', " ");
    for (door, source) in [
        ("plain text", lines.clone()),
        ("a block of code", format!("```rust\n{lines}\n```")),
        ("the name of a language", format!("```{}\nx\n```", short())),
        ("a heading, a list, a quote", format!("# {line}\n\n- {line}\n\n> {line}\n\n**{line}** `{line}`")),
        ("a table", format!("| a | b |\n|---|---|\n| {cell} | {cell} |\n")),
        (
            "a link and an image",
            format!("[{}]({}) ![{}]({}) <http://{}>", short(), short(), short(), short(), short()),
        ),
        ("HTML and a footnote", format!("<b title='{line}'>{line}</b>\n\n[^1]\n\n[^1]: {line}")),
    ] {
        let endpoint = Endpoint::script([text(&format!("{source}\n\nEnd."))]);
        let pty = open(&Clawd::new(&endpoint));
        say(&pty, "go");
        pty.wait_for("End.");
        wait_for_rest(&pty);
        judge(&pty, door);
        endpoint.finish();
    }
}

#[test]
fn a_sequence_in_pieces_is_none_either() {
    let source = lines();
    let letters: Vec<String> = source.chars().map(String::from).collect();
    let pieces = letters.iter().map(String::as_str).chain(["\n\nEnd."]);
    let endpoint = Endpoint::script([deltas(pieces), thinking(&source).text("End again.")]);
    let pty = open(&Clawd::new(&endpoint));
    say(&pty, "go");
    pty.wait_for("End.");
    wait_for_rest(&pty);
    say(&pty, "and think");
    pty.wait_for("End again.");
    wait_for_rest(&pty);
    judge(&pty, "letter by letter, and thoughts");
    endpoint.finish();
}

#[test]
fn what_tools_find_is_only_text() {
    let bytes =
        "printf '\\233N;31m\\235 0;W\\234\\220q\\377\\376\\000\\205'".replace('N', NUMBER).replace('W', WORD);
    let name = format!("n{}.txt", short());
    let answers = vec![
        calls([
            call("Read", json!({"file_path": "evil.txt"})),
            call("Grep", json!({"pattern": "a", "path": "evil.txt", "output_mode": "content"})),
            call("Glob", json!({"pattern": "*"})),
            call("Read", json!({"file_path": name})),
            call("Grep", json!({"pattern": "x", "output_mode": "files_with_matches"})),
        ]),
        calls([
            call("Bash", json!({"command": "cat evil.txt; sleep 0.3; cat evil.txt >&2; ls"})),
            call("Bash", json!({"command": bytes})),
            call("Bash", json!({"command": format!("no-such-command '{}'", line())})),
            call("Edit", json!({"file_path": "evil.txt", "old_string": "not there", "new_string": line()})),
            call("Read", json!({"file_path": format!("none{}", line())})),
            call(&format!("Tool{}", short()), json!({})),
        ]),
    ];
    let clawd = |endpoint: &Endpoint| {
        yolo(endpoint).file("evil.txt", &lines()).file(&format!("n{}.txt", short()), "x")
    };
    run(clawd, answers, "what tools find");
}

#[test]
fn a_name_in_bytes_that_are_no_text_is_only_shown() {
    let clawd = |endpoint: &Endpoint| {
        let clawd = yolo(endpoint);
        let name = std::ffi::OsString::from_vec(b"n\x9b7377m\x90\xff\n\x1bc.txt".to_vec());
        std::fs::write(clawd.project().join(name), "x").unwrap();
        clawd
    };
    let answers = vec![calls([
        call("Glob", json!({"pattern": "*"})),
        call("Bash", json!({"command": "ls"})),
        call("Grep", json!({"pattern": "x"})),
    ])];
    run(clawd, answers, "names that are no text");
}

#[test]
fn a_question_hides_nothing() {
    let shown = "‹U+202E›";
    let ask = |call: Call, title: &str, door: &str| {
        let endpoint = Endpoint::script([calls([call])]);
        let pty = open(&Clawd::new(&endpoint).file("f.txt", &lines()));
        say(&pty, "go");
        pty.wait_for(title);
        // in the question itself, not only in the line above it
        pty.wait_until("the hidden character by its number", |screen| screen.contents().contains(shown));
        answer(&pty, title, "n");
        pty.wait_for("Interrupted");
        wait_for_rest(&pty);
        judge(&pty, door);
        assert_came(&pty.raw_bytes(), shown, door);
        drop(endpoint.take_violations());
    };
    let command = json!({"command": format!("echo '{}'", short())});
    ask(call("Bash", command), "Allow this command?", "a command");
    let write = json!({"file_path": format!("n{}.txt", short()), "content": short()});
    ask(call("Write", write), "Allow this edit?", "a new file");
}

#[test]
fn what_the_model_asks_and_plans_is_only_text() {
    let todos: Vec<Value> = ["in_progress", "pending", "completed"]
        .iter()
        .map(|status| json!({"content": line(), "status": status}))
        .collect();
    let endpoint = Endpoint::script([
        calls([call("TodoWrite", json!({ "todos": todos }))]),
        calls([call("AskUser", json!({"question": line(), "options": [short(), line(), "last"]}))]),
        text("End."),
    ]);
    let pty = Pty::spawn(&Clawd::new(&endpoint), Size::new(120, 60));
    pty.wait_for("❯");
    say(&pty, "go");
    answer(&pty, "waiting for your answer", "1");
    pty.wait_for("End.");
    wait_for_rest(&pty);
    pty.key("ctrl-t");
    pty.wait_for("ctrl+t to hide");
    say(&pty, "/todos");
    judge(&pty, "steps and questions");
    endpoint.finish();
}

#[test]
fn jobs_are_listed_as_text() {
    let command = format!("echo '{}'; exec sleep 600", short());
    let endpoint = Endpoint::script([
        calls([call("Bash", json!({"command": command, "run_in_background": true}))]),
        text("End."),
    ]);
    let pty = open(&yolo(&endpoint));
    say(&pty, "go");
    pty.wait_for("End.");
    wait_for_rest(&pty);
    say(&pty, "/tasks");
    pty.wait_for("bash_1");
    pty.key("enter");
    pty.wait_for("Esc: back to the list");
    pty.key("esc");
    pty.wait_for("Background commands");
    pty.key("esc");
    pty.wait_until("no list", |screen| !screen.contents().contains("Background commands"));
    judge(&pty, "jobs");
    endpoint.finish();
}

#[test]
fn errors_and_names_of_the_endpoint_are_only_text() {
    let evil = line();
    let body = json!({"error": {"message": evil, "type": evil, "code": evil}}).to_string();
    let page = format!("<html><title>{evil}</title>{evil}</html>");
    for failure in [
        status(400).body("application/json", &body),
        status(403).body("text/html", &page),
        status(404).body("text/plain", &evil),
    ] {
        let endpoint = Endpoint::script([failure]);
        let pty = open(&Clawd::new(&endpoint));
        say(&pty, "go");
        pty.wait_for("Your message was not lost");
        judge(&pty, "an error");
        endpoint.finish();
    }
    let models = [format!("m{}", short())];
    let endpoint =
        Endpoint::script([text("End.").finish(&short())]).models(models.iter().map(String::as_str));
    let pty = open(&Clawd::new(&endpoint));
    say(&pty, "go");
    pty.wait_for("End.");
    wait_for_rest(&pty);
    say(&pty, "/model");
    pty.wait_for("mock-1");
    pty.wait_until("the list", |screen| screen.contents().contains("1 in all"));
    pty.key("esc");
    pty.wait_until("no list", |screen| !screen.contents().contains("1 in all"));
    judge(&pty, "names of models");
    drop(endpoint.take_violations());
}

#[test]
fn what_a_project_and_a_configuration_are_called_is_only_text() {
    let toml = |text: &str| {
        serde_json::to_string(text).unwrap().replace("\\b", "\\u0008").replace('\u{7f}', "\\u007F")
    };
    let config = format!(
        "model = {}\n{} = 1\n[providers.{}]\nbase_url = \"http://127.0.0.1:9/v1\"\n{} = 2\n",
        toml(&format!("m{}", short())),
        toml(&format!("k{}", short())),
        toml(&format!("p{}", short())),
        toml(&short())
    );
    let endpoint = Endpoint::script([text("End.")]);
    let directory = format!("d{}", short());
    let clawd = Clawd::new(&endpoint)
        .without_env("CLAWD_MODEL")
        .home_file("config.toml", &config)
        .file(&format!("{directory}/.git/HEAD"), &format!("ref: refs/heads/b{}\n", short()))
        .file(&format!("{directory}/AGENTS.md"), &lines());
    let pty = Pty::spawn(&clawd.args(["-C", &directory]), Size::new(200, 40));
    answer(&pty, "trust", "1");
    pty.wait_for("❯");
    say(&pty, "go");
    pty.wait_for("End.");
    wait_for_rest(&pty);
    say(&pty, "/status");
    judge(&pty, "names of a project and of a configuration");
    drop(endpoint.take_violations());
}

#[test]
fn titles_of_sessions_and_what_was_typed_are_only_text() {
    let endpoint = Endpoint::script([text(&lines()), text("End.")]);
    let clawd = Clawd::new(&endpoint);
    clawd.again().arg("-p").stdin(&format!("t{}", line())).run().expect_code(0);
    // the prompt says whether a user can answer, which has changed
    endpoint.allow_break();
    let pty = Pty::spawn(&clawd.again().arg("-r"), Size::new(120, 30));
    pty.wait_for("Resume");
    pty.wait_for(NUMBER);
    pty.key("enter");
    pty.wait_until("the session", |screen| !screen.contents().contains("Resume"));
    pty.wait_for("❯");
    pty.paste(&lines());
    pty.paste(&short());
    pty.key("enter");
    pty.wait_for("End.");
    wait_for_rest(&pty);
    pty.key("up");
    pty.key("ctrl-c");
    judge(&pty, "titles of sessions, and pastes");
    drop(endpoint.take_violations());
}

#[test]
fn without_a_screen_a_terminal_gets_only_text_too() {
    let evil = line();
    let body = json!({"error": {"message": evil}}).to_string();
    let endpoint = Endpoint::script([
        text("Looking.").calls([call("Read", json!({"file_path": format!("none{}", short())}))]),
        text(&lines()),
        status(400).body("application/json", &body),
    ]);
    let clawd = Clawd::new(&endpoint)
        .home_file("config.toml", "\"k\\u001b]0;zqzq\\u0007\" = 1\n")
        .file("AGENTS.md", &evil);
    for code in [0, 1] {
        let pty = Pty::spawn(&clawd.again().args(["-p", "go"]), Size::new(80, 24));
        assert_eq!(pty.wait_exit().code, code);
        assert_clean(&pty.raw_bytes(), "a run without a screen");
    }
    for args in
        [vec!["--model", &evil, "--no-such-option"], vec!["-C", &evil], vec!["-r", &evil], vec!["doctor"]]
    {
        let pty = Pty::spawn(&clawd.again().args(args), Size::new(80, 24));
        pty.wait_exit();
        assert_clean(&pty.raw_bytes(), "errors and pages");
    }
    drop(endpoint.take_violations());
}
