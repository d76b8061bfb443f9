//! A large session that goes on (`-c`, `-r ID`): its last words are on the screen while the file is still being read.
//!
//! How long the reading takes is made so by much in the file that says nothing; that it goes on is seen in the bottom line. Where
//! nothing may be shown ahead that is looked for in all that was written, since it could stand there for a moment only.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, text};
use crate::harness::{Clawd, Signal};
use crate::pty::{Pty, Size};
use crate::sessions::session_file;

use super::{count_rows, leave, usual, wait_for_rest};

/// In the bottom line as long as the file is read.
const READING: &str = "loading the session";

/// Before the first of the last messages, with their number as soon as it is known.
const EARLIER: &str = "earlier messages not shown";

/// So much is read in a moment, and is too much to be read at once.
const LARGE: usize = 1_500_000;

/// So much is read in seconds.
const SLOW: usize = 24_000_000;

/// What a session file says that was begun by the program itself.
struct Written {
    clawd: Clawd,
    path: PathBuf,
    head: String,
}

impl Written {
    /// One without a word.
    fn new(endpoint: &Endpoint) -> Self {
        Self::of(Clawd::new(endpoint))
    }

    fn of(clawd: Clawd) -> Self {
        let scratch = Endpoint::script([text("Begun.")]);
        let first = clawd.again().env("CLAWD_BASE_URL", &scratch.base_url()).args(["-p", "begin"]);
        first.run().expect_code(0);
        scratch.finish();
        let path = session_file(&clawd);
        let head = std::fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
        Self { clawd, path, head }
    }

    /// Writes the head, these entries, so many bytes that say nothing, the entries of the end, and what is torn.
    fn write(&self, begin: &[Value], filler: usize, end: &[Value], torn: &str) {
        let lines = |entries: &[Value]| {
            entries.iter().fold(String::new(), |lines, entry| lines + &entry.to_string() + "\n")
        };
        let nothing = format!("{}\n", json!({"type": "remark", "text": "x".repeat(50), "timestamp": 1}));
        let filler = nothing.repeat(filler / nothing.len());
        let all = [format!("{}\n", self.head), lines(begin), filler, lines(end), torn.to_owned()];
        std::fs::write(&self.path, all.concat()).unwrap();
    }

    /// The same with an ordinary beginning.
    fn write_end(&self, filler: usize, end: &[Value]) {
        self.write(&talk(0..2), filler, end, "");
    }

    fn go_on(&self, size: Size) -> Pty {
        Pty::spawn(&self.clawd.again().arg("-c"), size)
    }

    fn id(&self) -> String {
        self.path.file_stem().unwrap().to_str().unwrap().to_owned()
    }
}

fn user(text: &str) -> Value {
    json!({"type": "message", "role": "user", "content": text, "origin": "user", "timestamp": 1})
}

fn answer(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "content": text, "model": "mock-1", "stop_reason": "end_turn",
        "timestamp": 1})
}

/// Questions and answers of these numbers, with a call each.
fn talk(numbers: std::ops::Range<usize>) -> Vec<Value> {
    let turn = |number: usize| {
        let (id, path) =
            (format!("call_{number}"), json!({"file_path": format!("f{number}.txt")}).to_string());
        let call = json!({"id": id, "type": "function", "function": {"name": "Read", "arguments": path}});
        [
            user(&format!("question {number}")),
            json!({"type": "message", "role": "assistant", "content": "", "tool_calls": [call], "model": "mock-1",
                "stop_reason": "tool_use", "timestamp": 1}),
            json!({"type": "message", "role": "tool", "tool_call_id": id, "name": "Read", "content": "1\tx",
                "is_error": false, "timestamp": 1}),
            answer(&format!("Answer {number}. {}", "Some more words of it. ".repeat(12))),
        ]
    };
    numbers.flat_map(turn).collect()
}

/// Rows without their ends, but for the bottom line.
fn rows(pty: &Pty) -> Vec<String> {
    let text = pty.screen_text();
    let mut rows: Vec<String> = text.lines().map(|row| row.trim_end().to_owned()).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows.pop();
    rows
}

fn wait_until_read(pty: &Pty) {
    pty.wait_until("the session", |screen| !screen.contents().contains(READING));
}

/// Blocks until all these words are on the screen, while it is read.
fn wait_while_read(pty: &Pty, words: &[&str]) {
    pty.wait_until("these words while it is read", |screen| {
        let text = screen.contents();
        text.contains(READING) && words.iter().all(|words| text.contains(words))
    });
}

/// Whether anything was ever shown ahead.
fn was_ahead(pty: &Pty) -> bool {
    let bytes = String::from_utf8(pty.raw_bytes()).unwrap();
    let before = bytes.split(EARLIER).collect::<Vec<_>>();
    before.split_last().is_some_and(|(_, before)| before.iter().any(|before| !before.ends_with(' ')))
}

#[test]
fn the_last_words_stand_there_while_it_is_read_as_they_stand_afterwards() {
    let endpoint = Endpoint::script([]);
    let session = Written::new(&endpoint);
    session.write_end(SLOW, &talk(2..12));
    for size in [usual(), Size::new(100, 60)] {
        let pty = session.go_on(size);
        pty.wait_for(READING);
        let ahead = rows(&pty);
        assert!(ahead.iter().any(|row| row.contains("Answer 11.")), "{ahead:#?}");
        wait_until_read(&pty);
        let counted = |row: String| if row.ends_with(EARLIER) { EARLIER.to_owned() } else { row };
        let read: Vec<String> = rows(&pty).into_iter().map(counted).collect();
        assert_eq!(ahead, read);
        for once in ["❯ question 10", "❯ question 11", "Answer 10.", "Answer 11.", EARLIER, "clawd 0."] {
            assert_eq!(count_rows(&pty, once), 1, "{once}: {:#?}", pty.history());
        }
        assert_eq!(count_rows(&pty, &format!("40 {EARLIER}")), 1, "{:#?}", pty.history());
        leave(&pty);
    }
    endpoint.finish();
}

#[test]
fn what_is_typed_while_it_is_read_is_said_in_it_in_order() {
    let endpoint = Endpoint::script([text("I see all of it.")]);
    let session = Written::new(&endpoint);
    session.write_end(SLOW, &talk(2..8));
    let pty = session.go_on(usual());
    pty.wait_for(READING);
    pty.type_text("hello");
    wait_while_read(&pty, &["❯ hello"]);
    pty.key("enter");
    pty.type_text("and more");
    wait_while_read(&pty, &["queued: hello", "❯ and more"]);
    assert_eq!(endpoint.requests().len(), 0);
    let request = endpoint.wait_for_request(1);
    pty.wait_for("I see all of it.");
    wait_for_rest(&pty);
    assert_eq!(request.roles(), format!("system{} user", " user assistant tool assistant".repeat(8)));
    assert_eq!(request.last_text(), "hello");
    pty.wait_for("❯ and more");
    assert_eq!((endpoint.requests().len(), count_rows(&pty, "❯ hello")), (1, 1));
    pty.key("ctrl-c");
    pty.wait_until("an empty input", |screen| !screen.contents().contains("❯ and more"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_prompt_of_the_command_line_waits_for_all_of_it() {
    let endpoint = Endpoint::script([text("I see all of it.")]);
    let session = Written::new(&endpoint);
    session.write_end(SLOW, &talk(2..8));
    let pty = Pty::spawn(&session.clawd.again().args(["-r", &session.id(), "now"]), usual());
    pty.wait_for(READING);
    assert_eq!(endpoint.requests().len(), 0);
    pty.wait_for("I see all of it.");
    let roles = endpoint.wait_for_request(1).roles();
    assert_eq!(roles, format!("system{} user", " user assistant tool assistant".repeat(8)));
    wait_for_rest(&pty);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn ctrl_c_leaves_while_it_is_read_and_nothing_of_it_stays() {
    let endpoint = Endpoint::script([]);
    let session = Written::new(&endpoint);
    session.write_end(SLOW, &talk(2..8));
    let before = std::fs::read(&session.path).unwrap();
    let pty = session.go_on(usual());
    pty.wait_for(READING);
    pty.key("ctrl-c");
    pty.wait_for("Press Ctrl+C again to exit");
    pty.key("ctrl-c");
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
    assert_eq!(count_rows(&pty, "Answer"), 0, "{:#?}", pty.history());
    assert!(before == std::fs::read(&session.path).unwrap(), "the file is as it was");
    endpoint.finish();
}

#[test]
fn what_was_typed_while_it_is_read_is_in_the_history_also_if_one_leaves_at_once() {
    let endpoint = Endpoint::script([]);
    let session = Written::new(&endpoint);
    session.write_end(SLOW, &talk(2..8));
    let pty = session.go_on(usual());
    pty.wait_for(READING);
    pty.type_text("half a thought");
    pty.wait_for("❯ half a thought");
    pty.key("ctrl-c");
    pty.wait_until("an empty input", |screen| !screen.contents().contains("half a thought"));
    assert!(pty.screen_text().contains(READING));
    pty.key("ctrl-c");
    pty.key("ctrl-c");
    assert_eq!(pty.wait_exit().code, 0);
    let pty = Pty::spawn(&session.clawd.again(), usual());
    pty.wait_for("❯");
    pty.key("up");
    pty.wait_for("❯ half a thought");
    pty.key("ctrl-u");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_the_end_did_not_say_is_put_right_when_it_is_read() {
    let endpoint = Endpoint::script([]);
    let session = Written::new(&endpoint);
    let settings = json!({"type": "settings", "permission_mode": "plan", "timestamp": 1});
    let damaged = json!({"type": "message", "role": "nobody"});
    let begin = [talk(0..2), vec![settings, damaged]].concat();
    session.write(&begin, SLOW, &talk(2..8), "");
    for fullscreen in [false, true] {
        let arguments = if fullscreen { vec!["-c", "--fullscreen"] } else { vec!["-c"] };
        let pty = Pty::spawn(&session.clawd.again().args(arguments), Size::new(100, 60));
        pty.wait_for(READING);
        let ahead = pty.screen_text();
        assert!(ahead.contains("mock-1 · default") && !ahead.contains("damaged"), "{ahead}");
        assert!(
            ahead.contains(&format!("\n{EARLIER}")) || ahead.contains(&format!("\n  {EARLIER}")),
            "{ahead}"
        );
        wait_until_read(&pty);
        let read = pty.screen_text();
        assert!(read.contains("mock-1 · plan"), "{read}");
        assert!(read.contains("skipped one damaged line of the session file"), "{read}");
        assert!(read.contains(&format!("24 {EARLIER}")), "{read}");
        assert_eq!(read.matches("Answer 7.").count(), 1, "{read}");
        leave(&pty);
    }
    endpoint.finish();
}

/// Goes on with a session that ends so: nothing is shown ahead, and these words are there when it is read.
#[track_caller]
fn check_read_first(name: &str, write: impl Fn(&Written), arguments: &[&str], expected: &str) {
    let endpoint = Endpoint::script([]);
    let session = Written::new(&endpoint);
    write(&session);
    let id = session.id();
    let arguments = arguments.iter().map(|word| if *word == "ID" { id.as_str() } else { word });
    let pty = Pty::spawn(&session.clawd.again().args(arguments), Size::new(100, 60));
    pty.wait_for(expected);
    assert!(!was_ahead(&pty), "{name}: {}", pty.screen_text());
    leave(&pty);
    endpoint.finish();
}

#[test]
fn where_the_end_does_not_tell_what_counts_all_is_read_first() {
    let end = || talk(2..8);
    let with = |more: Value| {
        move |session: &Written| session.write_end(LARGE, &[end(), vec![more.clone()]].concat())
    };
    let rewind = |to: usize| json!({"type": "rewind", "to": to, "timestamp": 1});
    check_read_first("a rewind", with(rewind(12)), &["-c"], "Answer 2.");
    let redone = |session: &Written| {
        let back = [rewind(12), json!({"type": "redo", "timestamp": 1})];
        session.write_end(LARGE, &[end(), back.to_vec()].concat());
    };
    check_read_first("a redo", redone, &["-c"], "Answer 7.");
    let summed_up = json!({"type": "compaction", "summary": "All of it.", "kept": 4, "timestamp": 1});
    check_read_first("a summary", with(summed_up), &["-c"], "Answer 7.");
    let damaged = json!({"type": "message", "role": "nobody"});
    check_read_first("a damaged line", with(damaged), &["-c"], "one damaged line");
    let newer = json!({"type": "new", "replay": true});
    check_read_first("a newer line", with(newer), &["-c"], "a newer clawd wrote this session");
    let open_call = talk(8..9)[1].clone();
    check_read_first("an open call", with(open_call), &["-c"], "Answer 7.");
    let torn = |session: &Written| session.write(&talk(0..2), LARGE, &end(), "{\"type\":\"mess");
    check_read_first("a torn line", torn, &["-c"], "Answer 7.");
    let long = |session: &Written| {
        let end = [end(), vec![user(&"long ".repeat(300_000)), answer("Too long.")]].concat();
        session.write_end(0, &end);
    };
    check_read_first("a long line", long, &["-c"], "Too long.");
    let headless = |session: &Written| {
        session.write_end(LARGE, &end());
        let all = std::fs::read_to_string(&session.path).unwrap();
        std::fs::write(&session.path, all.split_once('\n').unwrap().1).unwrap();
    };
    check_read_first("no head", headless, &["-r", "ID"], "Answer 7.");
}

#[test]
fn what_is_not_drawn_or_not_this_file_is_read_first() {
    let large = |session: &Written| session.write_end(LARGE, &talk(2..8));
    check_read_first("a small file", |session| session.write_end(0, &talk(2..8)), &["-c"], "Answer 7.");
    check_read_first("a fork", large, &["-c", "--fork-session"], "Answer 7.");
    check_read_first("nothing kept", large, &["-c", "--no-session"], "Answer 7.");
    let endpoint = Endpoint::script([]);
    let session = Written::new(&endpoint);
    large(&session);
    let pty = Pty::spawn(&session.clawd.again().env("TERM", "dumb").arg("-c"), usual());
    pty.wait_for("Answer 7.");
    assert!(!was_ahead(&pty), "plain mode: {}", pty.screen_text());
    endpoint.finish();
}

#[test]
fn a_session_that_is_being_read_is_in_use() {
    let endpoint = Endpoint::script([]);
    let session = Written::new(&endpoint);
    session.write_end(SLOW, &talk(2..8));
    let first = session.go_on(usual());
    first.wait_for(READING);
    let second = session.go_on(usual());
    assert_eq!(second.wait_exit().code, 2);
    let told = second.screen_text();
    assert!(told.starts_with("Error: ") && told.contains("is already open in another clawd"), "{told}");
    assert!(!String::from_utf8(second.raw_bytes()).unwrap().contains('\x1b'), "there was no screen");
    first.signal(Signal::KILL);
    first.wait_exit();
    let third = session.go_on(usual());
    third.wait_for("Answer 7.");
    wait_until_read(&third);
    leave(&third);
    endpoint.finish();
}
