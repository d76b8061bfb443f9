//! Forty planted secrets, every door used: none is found in what is shown, kept, logged or sent, or in a child.
//!
//! Keys of the program come by option, variable, `api_key_env`, a provider's table, its headers, an address and
//! `credentials.toml`; secrets of the user by variables. All of them stand in a file that the model reads in every way it
//! can, in the project's instructions, in answers and in errors. Of a key not even twelve characters in a row may be found.
//!
//! Not looked into: the two files that hold keys by right, and copies of the user's files from before a change.

use std::collections::HashMap;
use std::path::Path;

use serde_json::json;

use crate::bad_input::files_below;
use crate::endpoint::{Endpoint, call, calls, status, text};
use crate::harness::Clawd;
use crate::screen::{answer, chat_with, leave, say, wait_for_rest};

/// So many characters of a key in a row are as good as the key.
const PIECE: usize = 12;

/// All that is planted.
struct Planted {
    /// Of the program: by name, and what is planted there.
    keys: Vec<(&'static str, String)>,
    /// Of the user: by variable.
    values: Vec<(&'static str, String)>,
}

/// Where keys of the program come from; those in capitals are variables.
const KEYS: [&str; 22] = [
    "--api-key",
    "CLAWD_API_KEY",
    "OPENAI_API_KEY",
    "ROOT_KEY",
    "ROOT_KEY_2",
    "FIRST_KEY",
    "FIRST_KEY_2",
    "SECOND_KEY",
    "SECOND_KEY_2",
    "THIRD_ACCESS",
    "HEADER_TOKEN",
    "HEADER_KEY",
    "address of the root",
    "address of a table",
    "header of the first",
    "header of the second",
    "saved for a",
    "saved for b",
    "saved for c",
    "saved for d",
    "saved for e",
    "saved for f",
];

/// Variables whose names say that they are secrets, and some whose values do.
const VALUES: [&str; 18] = [
    "GITHUB_TOKEN",
    "GITHUB_PAT",
    "AWS_SECRET_ACCESS_KEY",
    "NPM_TOKEN",
    "npm_config__authToken",
    "npm_config__auth",
    "CARGO_REGISTRY_TOKEN",
    "DB_PASSWORD",
    "PGPASSWORD",
    "MYSQL_PWD",
    "REDISCLI_AUTH",
    "SLACK_BOT_TOKEN",
    "STRIPE_SECRET_KEY",
    "SSH_PASSPHRASE",
    "TWINE_PASSWORD",
    "DEPLOY_CREDENTIALS",
    "DATABASE_URL",
    "PIP_INDEX_URL",
];

/// Letters and digits that stand nowhere else, made of a number.
fn made(number: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 1);
    let letter = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 33) % 36;
        char::from_digit(u32::try_from(at).unwrap(), 36).unwrap()
    };
    (0..26).map(letter).collect()
}

impl Planted {
    fn new() -> Self {
        let keys = KEYS.iter().enumerate().map(|(number, name)| (*name, format!("sk-{}", made(number))));
        let values = VALUES.iter().enumerate().map(|(number, name)| {
            let secret = made(100 + number);
            let is_address = name.ends_with("URL");
            (*name, if is_address { format!("https://me:{secret}@host.example/x") } else { secret })
        });
        Self { keys: keys.collect(), values: values.collect() }
    }

    fn key(&self, name: &str) -> &str {
        &self.keys.iter().find(|(known, _)| *known == name).unwrap().1
    }

    /// Everything, a line each.
    fn lines(&self) -> String {
        let all = self.keys.iter().chain(&self.values);
        all.map(|(_, secret)| format!("x {secret} y\n")).collect::<Vec<_>>().concat()
    }

    /// Only what may stand nowhere at all.
    fn keys_alone(&self) -> String {
        self.keys.iter().map(|(_, key)| format!("[{key}] ")).collect::<Vec<_>>().concat()
    }

    /// The program with all of them planted, and a project that repeats them.
    fn plant(&self, endpoint: &Endpoint) -> Clawd {
        let key = |name: &str| self.key(name).to_owned();
        let config = format!(
            "api_key_env = [\"ROOT_KEY\", \"ROOT_KEY_2\"]\nbase_url = \"https://root.example/v1?key={}\"\n\
             [providers.first]\nbase_url = \"https://first.example/v1?sig={}\"\napi_key_env = [\"FIRST_KEY\", \"FIRST_KEY_2\"]\n\
             headers = {{ Authorization = \"Bearer {}\", X-Api-Key = \"${{HEADER_KEY}}\" }}\n\
             [providers.second]\nbase_url = \"https://second.example/v1\"\napi_key_env = [\"SECOND_KEY\", \"SECOND_KEY_2\"]\n\
             headers = {{ X-Token = \"{} ${{HEADER_TOKEN}}\" }}\n\
             [providers.third]\nbase_url = \"https://third.example/v1\"\napi_key_env = \"THIRD_ACCESS\"\n",
            key("address of the root"),
            key("address of a table"),
            key("header of the first"),
            key("header of the second"),
        );
        let saved = ["a", "b", "c", "d", "e", "f"];
        let saved =
            saved.map(|host| format!("\"{host}.example\" = \"{}\"\n", key(&format!("saved for {host}"))));
        let mut clawd = Clawd::new(endpoint)
            .home_file("config.toml", &config)
            .home_file("credentials.toml", &format!("[keys]\n{}", saved.concat()))
            .file("all.txt", &format!("begin\n{}end\n", self.lines()))
            .file("AGENTS.md", &format!("Be brief. {}\n", self.keys_alone()));
        for (name, secret) in self.keys.iter().chain(&self.values) {
            let is_variable = !name.contains([' ', '-']);
            clawd = if is_variable { clawd.env(name, secret) } else { clawd };
        }
        // in a variable that would pass, but for what it holds
        clawd.env("NODE_COPY", self.key("saved for a"))
    }

    /// Fails where anything of them stands.
    fn assert_absent(&self, text: &str, place: &str) {
        let pieces: HashMap<&[u8], &str> = self
            .keys
            .iter()
            .flat_map(|(name, key)| key.as_bytes().windows(PIECE).map(|piece| (piece, *name)))
            .collect();
        let found = text.as_bytes().windows(PIECE).find_map(|piece| pieces.get(piece));
        assert_eq!(found, None, "the key of this name stands in {place}: {text}");
        for (name, value) in &self.values {
            assert!(!text.contains(value.as_str()), "the value of {name} stands in {place}: {text}");
        }
    }

    /// Whatever the program keeps; and that it kept something.
    fn assert_not_kept(&self, clawd: &Clawd, least: usize) {
        let by_right = |path: &Path| path.ends_with("config.toml") || path.ends_with("credentials.toml");
        let is_copy = |path: &Path| path.components().any(|part| part.as_os_str() == "before");
        let all = files_below(&clawd.clawd_home()).into_iter();
        let kept: Vec<_> = all.filter(|(path, _)| !by_right(path) && !is_copy(path)).collect();
        assert!(kept.len() >= least, "{kept:?}");
        for (path, text) in kept {
            self.assert_absent(&text, &path.display().to_string());
        }
    }

    /// Whatever was sent, but for the one header that must have it.
    fn assert_not_sent(&self, endpoint: &Endpoint) {
        for request in endpoint.requests() {
            self.assert_absent(&String::from_utf8_lossy(&request.raw), "a request");
            for (name, value) in
                request.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("authorization"))
            {
                self.assert_absent(value, name);
            }
            self.assert_absent(&request.query, "an address");
        }
    }
}

#[test]
fn of_forty_secrets_none_is_said_kept_logged_or_sent() {
    let planted = Planted::new();
    assert_eq!(planted.keys.len() + planted.values.len(), 40);
    let flood = "for n in $(seq 60); do cat all.txt; done";
    let endpoint = Endpoint::script([
        text("Reading. ").thinking(&planted.keys_alone()).calls([
            call("Read", json!({"file_path": "all.txt"})),
            call("Grep", json!({"pattern": "x", "path": "all.txt", "output_mode": "content"})),
            call("Glob", json!({"pattern": "*"})),
        ]),
        calls([
            call("Bash", json!({"command": "cat all.txt; cat all.txt >&2; exit 3"})),
            call("Bash", json!({"command": flood})),
            call(
                "Bash",
                json!({"command": "env; cat /proc/self/environ; tr '\\0' ' ' < /proc/self/cmdline"}),
            ),
            call(
                "Bash",
                json!({"command": "cat all.txt; sleep 0.5; cat all.txt", "run_in_background": true}),
            ),
            call("BashOutput", json!({"id": "bash_1"})),
            call("Edit", json!({"file_path": "all.txt", "old_string": "end", "new_string": "END"})),
            call("Edit", json!({"file_path": "all.txt", "old_string": "no such line", "new_string": "x"})),
        ]),
        status(400)
            .body("application/json", &json!({"error": {"message": planted.keys_alone()}}).to_string()),
    ]);
    let clawd = planted.plant(&endpoint).stdin(&format!("go {}", planted.keys_alone()));
    let key = planted.key("--api-key").to_owned();
    let run = clawd.args([
        "-p",
        "--output-format",
        "stream-json",
        "--yolo",
        "--trust",
        "--debug",
        "--api-key",
        &key,
    ]);
    let output = run.run().expect_code(1);
    planted.assert_absent(&output.stdout, "standard output");
    planted.assert_absent(&output.stderr, "standard error");
    // session, log, long outputs
    planted.assert_not_kept(&run, 3);
    planted.assert_not_sent(&endpoint);
    let results = output.events_of("tool_result");
    assert_eq!(results.len(), 10, "{results:?}");
    for name in ["Read", "Grep", "Bash"] {
        let result = results.iter().find(|result| result["name"] == name).unwrap();
        let content = result["content"].to_string();
        for hidden in ["[redacted key]", "[secret: GITHUB_TOKEN]", "[secret: DATABASE_URL]"] {
            assert!(content.contains(hidden), "{name}: {hidden}: {content}");
        }
    }
    let request = endpoint.requests()[0].clone();
    assert_eq!(request.header("authorization"), Some(format!("Bearer {key}").as_str()));
    let told = request.body.to_string();
    assert!(told.contains("Be brief. [[redacted key]]") && told.contains("go [[redacted key]]"), "{told}");
    endpoint.finish();
}

#[test]
fn no_child_gets_a_secret_by_its_environment_or_its_arguments() {
    let planted = Planted::new();
    let look =
        "cat /proc/self/environ > environment; tr '\\0' '\\n' < /proc/$$/cmdline > arguments; echo looked";
    let command = format!("{look}; : {}", planted.key("OPENAI_API_KEY"));
    let endpoint = Endpoint::script([calls([call("Bash", json!({"command": command}))]), text("Done.")]);
    let clawd = planted.plant(&endpoint).args(["-p", "--yolo", "go"]);
    clawd.run().expect_code(0);
    for place in ["environment", "arguments"] {
        let raw = String::from_utf8_lossy(&std::fs::read(clawd.project().join(place)).unwrap()).into_owned();
        assert!(raw.contains(if place == "environment" { "PATH=" } else { "echo looked" }), "{place}: {raw}");
        planted.assert_absent(&raw, place);
    }
    // the model has repeated a key: what ran is what is kept
    drop(endpoint.take_violations());
}

#[test]
fn nothing_of_them_is_on_the_screen() {
    let planted = Planted::new();
    let endpoint = Endpoint::script([
        text(&format!("It is {}\n\n", planted.keys_alone())).calls([
            call("Bash", json!({"command": "cat all.txt; sleep 0.3; cat all.txt"})),
            call("Read", json!({"file_path": "all.txt"})),
        ]),
        calls([call("Edit", json!({"file_path": "all.txt", "old_string": "begin", "new_string": "BEGIN"}))]),
        status(400)
            .body("application/json", &json!({"error": {"message": planted.keys_alone()}}).to_string()),
    ]);
    let clawd = planted.plant(&endpoint);
    let pty = chat_with(&clawd.again().args(["--trust", "--debug", "--api-key", planted.key("--api-key")]));
    say(&pty, "go");
    answer(&pty, "Allow this command?", "1");
    answer(&pty, "Allow this edit?", "1");
    pty.wait_for("Error:");
    wait_for_rest(&pty);
    pty.key("ctrl-o");
    pty.wait_until("the page", vt100::Screen::alternate_screen);
    for _ in 0..8 {
        pty.key("pageup");
    }
    pty.key("q");
    pty.wait_until("the page closed", |screen| !screen.alternate_screen());
    leave(&pty);
    let raw = String::from_utf8_lossy(&pty.raw_bytes()).into_owned();
    assert!(raw.contains("[redacted key]") && raw.contains("[secret: "), "{raw}");
    planted.assert_absent(&raw, "the screen");
    planted.assert_not_kept(&clawd, 3);
    planted.assert_not_sent(&endpoint);
    // the model's text is sent back without the keys that it held
    drop(endpoint.take_violations());
}

#[test]
fn a_key_that_is_typed_is_neither_sent_nor_kept_in_the_history() {
    let planted = Planted::new();
    let endpoint = Endpoint::script([text("Do not tell me.")]);
    let clawd = planted.plant(&endpoint);
    let pty = chat_with(&clawd.again().args(["--trust", "--api-key", planted.key("--api-key")]));
    say(&pty, &format!("my key is {}", planted.key("saved for b")));
    pty.wait_for("Do not tell me.");
    wait_for_rest(&pty);
    leave(&pty);
    let history = std::fs::read_to_string(clawd.clawd_home().join("history.jsonl")).unwrap();
    assert!(history.contains("my key is [redacted key]"), "{history}");
    planted.assert_not_kept(&clawd, 2);
    planted.assert_not_sent(&endpoint);
    endpoint.finish();
}

#[test]
fn doctor_repeats_no_key_that_the_endpoint_says() {
    let planted = Planted::new();
    let said = json!({"error": {"message": format!("wrong: {}", planted.keys_alone())}}).to_string();
    let endpoint = Endpoint::script([]).then_forever(status(401).body("application/json", &said));
    let clawd = planted.plant(&endpoint);
    let output = clawd.args(["doctor", "--api-key", planted.key("--api-key")]).run();
    let page = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("[redacted key]"), "{output:#?}");
    let own = Planted {
        keys: planted.keys.into_iter().filter(|(name, _)| *name == "--api-key").collect(),
        values: Vec::new(),
    };
    own.assert_absent(&format!("{}{}", output.stdout, output.stderr), "the page");
    drop(endpoint.take_violations());
}

#[test]
fn a_file_that_the_user_lets_be_read_is_read_as_it_is_but_for_keys() {
    let planted = Planted::new();
    let (_, token) = planted.values[0].clone();
    let key = planted.key("OPENAI_API_KEY").to_owned();
    let endpoint = Endpoint::script([calls([call("Read", json!({"file_path": "link.txt"}))]), text("Read.")]);
    let clawd = planted.plant(&endpoint).file("sub/.ENV", &format!("A={token}\nB={key}\n"));
    std::os::unix::fs::symlink("sub/.ENV", clawd.project().join("link.txt")).unwrap();
    let pty = chat_with(&clawd.again().arg("--trust"));
    say(&pty, "go");
    answer(&pty, "Allow", "1");
    pty.wait_for("Read.");
    wait_for_rest(&pty);
    let told = endpoint.wait_for_request(2).tool_result("call_1");
    assert_eq!(told, format!("1\tA={token}\n2\tB=[redacted key]"));
    leave(&pty);
    endpoint.finish();
}
