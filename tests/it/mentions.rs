//! `@path` in a message: what the model is sent with the words, and that it counts as read. How it is typed is in
//! `screen::paths`.

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, Request, call, calls, text};
use crate::harness::Clawd;
use crate::headless::{expect_one_line, streaming, streaming_again};
use crate::sessions::session_file;
use crate::tools_read::png;

/// What the model is sent for a prompt.
fn sent(clawd: impl Fn(Clawd) -> Clawd, prompt: &str) -> (Request, Vec<Value>) {
    let endpoint = Endpoint::script([text("Seen.")]);
    let output = clawd(streaming(&endpoint)).arg(prompt).run().expect_code(0);
    let request = endpoint.wait_for_request(1);
    endpoint.finish();
    (request, output.events_of("notice"))
}

#[test]
fn a_mention_brings_the_file_behind_the_words() {
    let (request, notices) = sent(
        |clawd| clawd.file("src/a.rs", "one\ntwo\nthree\n").file("b c.txt", "B\n"),
        "explain @src/a.rs:2-3, and @\"b c.txt\". Not me@src/a.rs",
    );
    assert_eq!(
        request.last_text(),
        "explain @src/a.rs:2-3, and @\"b c.txt\". Not me@src/a.rs\n\nAttached by the user with @, current content:\n\n\
         <file path=\"src/a.rs\" lines=\"2-3\">\n2\ttwo\n3\tthree\n</file>\n\n<file path=\"b c.txt\">\n1\tB\n</file>"
    );
    assert_eq!(notices, Vec::<Value>::new());
}

#[test]
fn a_directory_comes_as_a_tree_and_an_image_as_one() {
    let (request, _) = sent(|clawd| clawd.file("src/deep/a.rs", "").file("src/b.rs", ""), "@src/ what is it");
    assert!(
        request
            .last_text()
            .ends_with("<directory path=\"src\">\nb.rs\ndeep/\n  a.rs\n[2 files]\n</directory>")
    );
    let endpoint = Endpoint::script([text("Seen.")]);
    let clawd = streaming(&endpoint).arg("see @shot.png");
    std::fs::write(clawd.project().join("shot.png"), png(100)).unwrap();
    clawd.run().expect_code(0);
    let request = endpoint.wait_for_request(1);
    let parts = request.messages().last().unwrap()["content"].as_array().unwrap().clone();
    let types: Vec<&str> = parts.iter().map(|part| part["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["text", "text", "image_url", "text"], "{parts:?}");
    endpoint.finish();
}

#[test]
fn what_is_not_there_is_said_unless_it_is_no_path() {
    let (request, notices) =
        sent(|clawd| clawd, "ask @team about @src/nowhere.rs, see https://h.example/@a/b.rs");
    assert_eq!(request.last_text(), "ask @team about @src/nowhere.rs, see https://h.example/@a/b.rs");
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0]["text"], "@src/nowhere.rs is not attached: it does not exist");
}

#[test]
fn a_secret_and_a_forbidden_file_stay_closed() {
    let deny = "[permissions]\ndeny = [\"Read(./plans/**)\"]\n";
    let (request, notices) = sent(
        |clawd| {
            clawd
                .file(".env", "TOKEN=hush-hush\n")
                .file("plans/a.md", "hush\n")
                .file("c.rs", "C\n")
                .home_file("config.toml", deny)
        },
        "@.env @plans/a.md @c.rs",
    );
    let body = request.body.to_string();
    assert!(!body.contains("hush") && body.contains("1\\tC"), "{body}");
    let told: Vec<&str> = notices.iter().map(|notice| notice["text"].as_str().unwrap()).collect();
    assert!(
        told.len() == 2 && told[0].starts_with("@.env is not attached: not run: requires approval"),
        "{told:?}"
    );
    assert!(told[1].starts_with("@plans/a.md is not attached: not run: "), "{told:?}");
    assert!(request.last_text().contains("[@.env is not attached: "), "the model is told as well");
}

#[test]
fn an_attached_file_counts_as_read_also_after_a_resume() {
    let edit = |old: &str, new: &str| {
        calls([call("Edit", json!({"file_path": "a.txt", "old_string": old, "new_string": new}))])
    };
    let endpoint = Endpoint::script([edit("one", "two"), text("Done.")]);
    let clawd = streaming(&endpoint)
        .args(["--permission-mode", "accept-edits"])
        .file("a.txt", "one\n")
        .arg("change @a.txt");
    clawd.run().expect_code(0);
    assert_eq!(clawd.read("a.txt"), "two\n");
    endpoint.finish();
    let entry: Value = {
        let lines = std::fs::read_to_string(session_file(&clawd)).unwrap();
        let mut entries = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        entries.find(|entry| entry["role"] == "user").unwrap()
    };
    let brought = &entry["attachments"][0];
    assert_eq!(brought["path"], clawd.project().join("a.txt").to_str().unwrap());
    assert_eq!(brought["hash"].as_str().unwrap().len(), 64, "{entry}");

    let endpoint = Endpoint::script([text("Read."), edit("one", "two"), text("Done.")]);
    let clawd = streaming(&endpoint).file("a.txt", "one\n").arg("see @a.txt");
    clawd.run().expect_code(0);
    streaming_again(&clawd)
        .args(["-c", "--permission-mode", "accept-edits", "change it"])
        .run()
        .expect_code(0);
    assert_eq!(clawd.read("a.txt"), "two\n");
    endpoint.finish();
}

#[test]
fn what_is_not_attached_is_a_line_on_standard_error_in_every_format() {
    for format in ["text", "json", "stream-json"] {
        let endpoint = Endpoint::script([text("Done.")]);
        let clawd = Clawd::new(&endpoint).file(".env", "TOKEN=hush-hush\n");
        let output = clawd.args(["-p", "--output-format", format, "see @.env"]).run().expect_code(0);
        expect_one_line(&output, &["@.env is not attached: not run: requires approval"]);
        endpoint.finish();
    }
}
