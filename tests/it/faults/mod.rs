//! The fault matrix on the real program: one run through each fault, then a second one that goes on from it.
//!
//! What comes of a fault at the endpoint's side is held by the matrix beside the code (`src/chat/faults/`), on bare sockets and
//! case by case. Here is shown that nothing gets lost on the way out: the exit code, the one line on standard error, the `result`,
//! and a history that the strict endpoint takes again. What fails is in `endings`, what is odd in `oddities`; stopping at every
//! place is in `stopped`, an unread output in `unread`.

mod endings;
mod oddities;
mod stopped;
mod unread;

use serde_json::{Value, json};

use crate::endpoint::{Answer, Endpoint, text};
use crate::harness::{Clawd, Output};
use crate::headless::{streaming, streaming_again};

/// One fault and what must come of it.
struct Fault {
    row: &'static str,
    what: &'static str,
    answers: Vec<Answer>,
    /// Lines for the configuration.
    config: &'static str,
    end: End,
    /// How often it is asked again.
    retries: usize,
    notices: &'static [&'static str],
    /// What the first request of the next run looks like.
    next: &'static str,
}

enum End {
    /// With this final message.
    Done(String),
    /// With these words on standard error.
    Failed(&'static [&'static str]),
}

fn done(row: &'static str, what: &'static str, answers: impl IntoIterator<Item = Answer>) -> Fault {
    let end = End::Done("Done.".to_owned());
    let answers = answers.into_iter().collect();
    Fault {
        row,
        what,
        answers,
        config: "",
        end,
        retries: 0,
        notices: &[],
        next: "system user assistant user",
    }
}

fn failed(
    row: &'static str,
    what: &'static str,
    answers: impl IntoIterator<Item = Answer>,
    words: &'static [&'static str],
) -> Fault {
    Fault { end: End::Failed(words), next: "system user", ..done(row, what, answers) }
}

impl Fault {
    fn says(self, message: &str) -> Self {
        Self { end: End::Done(message.to_owned()), ..self }
    }

    fn config(self, config: &'static str) -> Self {
        Self { config, ..self }
    }

    fn retries(self, retries: usize) -> Self {
        Self { retries, ..self }
    }

    fn notices(self, notices: &'static [&'static str]) -> Self {
        Self { notices, ..self }
    }

    fn next(self, next: &'static str) -> Self {
        Self { next, ..self }
    }
}

fn check_all(faults: impl IntoIterator<Item = Fault>) {
    faults.into_iter().for_each(check);
}

fn check(fault: Fault) {
    let name = format!("{} {}", fault.row, fault.what);
    let endpoint = Endpoint::script(fault.answers);
    let clawd = streaming(&endpoint).home_file("config.toml", fault.config).args(["--yolo", "go"]);
    let output = clawd.run();
    match &fault.end {
        End::Done(message) => check_done(&name, &output, message),
        End::Failed(words) => check_failed(&name, &output, words),
    }
    assert_eq!(output.events_of("retry").len(), fault.retries, "{name}: {output:#?}");
    let notices = output.events_of("notice");
    let notices: Vec<&str> = notices.iter().filter_map(|notice| notice["kind"].as_str()).collect();
    assert_eq!(notices, fault.notices, "{name}: {output:#?}");
    check_next(&name, &clawd, &endpoint, fault.next);
    endpoint.finish();
}

fn check_done(name: &str, output: &Output, message: &str) {
    assert_eq!(output.code, Some(0), "{name}: {output:#?}");
    let result = output.result();
    assert_eq!((&result["success"], &result["error"]), (&json!(true), &Value::Null), "{name}");
    assert!(result["final_message"] == message, "{name}: {}", result["final_message"]);
}

fn check_failed(name: &str, output: &Output, words: &[&str]) {
    assert_eq!(output.code, Some(1), "{name}: {output:#?}");
    let result = output.result();
    assert_eq!(
        (&result["success"], &result["error"]["type"]),
        (&json!(false), &json!("llm_error")),
        "{name}"
    );
    let message = result["error"]["message"].as_str().unwrap();
    assert_eq!(output.stderr.trim_end(), format!("Error: {message}"), "{name}: one line, and the same");
    assert!(
        !message.contains('\n') && message.len() <= 2048 && !message.contains("test-key"),
        "{name}: {message}"
    );
    let missing: Vec<&&str> = words.iter().filter(|word| !message.contains(**word)).collect();
    assert!(missing.is_empty(), "{name}: {missing:?} in {message}");
}

/// The session goes on, and the endpoint, which is strict, has nothing to say against its history.
fn check_next(name: &str, clawd: &Clawd, endpoint: &Endpoint, roles: &str) {
    endpoint.push(text("On it."));
    let output = streaming_again(clawd).args(["--yolo", "-c", "and on"]).run();
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{name}: {output:#?}");
    let requests = endpoint.requests();
    let last = requests.last().unwrap();
    assert_eq!(last.roles(), roles, "{name}");
    assert!(last.last_text().ends_with("and on"), "{name}");
}

/// The roles of the next run where a tool ran in this one.
const AFTER_TOOL: &str = "system user assistant tool assistant user";
