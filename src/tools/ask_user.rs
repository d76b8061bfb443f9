//! `AskUser`: a question to the user in the course of a run.
//!
//! It touches nothing, so nobody is asked whether it may ask, in no mode. Who asks is the run's [`Host`](super::Host); where
//! nobody is there, the model is told to decide by itself. Two ways lead out of a question: Esc leaves it unanswered, which the
//! model is told, and the run goes on; Ctrl+C ends the run as it does everywhere. So a wrong question costs the user one key, and
//! not the work done so far.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::schema::{self, Param};
use super::{Prepared, Scene, Tool, ToolResult};
use crate::os::paths::PathBase;
use crate::protocol::{Access, Answer, Choice, Content, Display, Preview, ToolSpec, ToolStatus, Topic};
use crate::workbench::Workbench;

/// Options of one question: with the row for other words they have the digits from 1 to 9.
const MOST: usize = 8;

const NOBODY: &str =
    "Error: no user can answer in this session. Decide yourself, and state your assumptions in the answer";
const UNANSWERED: &str = "The user closed the question without an answer. Continue with your best judgement, and state your assumptions.";

const QUESTION: Param = Param::text("question", "one question").or(&["prompt", "text", "message"]);
const OPTIONS: Param =
    Param::texts("options", "up to 8 suggested answers; the user may type another").or(&["choices"]);

/// The names under which models put an option's words where they make an object of it.
const LABELS: [&str; 6] = ["label", "text", "title", "name", "value", "option"];

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct AskUser;

impl Tool for AskUser {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "AskUser".into(),
            description: "Ask the user when you cannot continue without an answer that you cannot find."
                .into(),
            parameters: schema::object(&[QUESTION], &[OPTIONS]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let question = QUESTION.need_some(arguments)?.trim().to_owned();
        let entries = OPTIONS.entries(arguments)?.unwrap_or_default();
        let options = entries.iter().map(option).collect::<Result<Vec<_>, _>>()?;
        let options: Vec<String> = options.into_iter().filter(|option| !option.is_empty()).collect();
        if options.len() > MOST {
            return Err(format!(
                "Error: `options` has {} entries, {MOST} at most; the user can also type an answer",
                options.len()
            ));
        }
        Ok(Box::new(Call { question, options }))
    }
}

/// An option's words, also where they stand in an object.
fn option(entry: &Value) -> Result<String, String> {
    let words = match entry {
        Value::String(words) => Some(words.clone()),
        Value::Number(_) | Value::Bool(_) => Some(entry.to_string()),
        Value::Object(fields) => {
            LABELS.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned)
        }
        Value::Null | Value::Array(_) => None,
    };
    words.map(|words| words.trim().to_owned()).ok_or_else(|| "Error: `options` must be strings".to_owned())
}

#[derive(Debug, Clone)]
struct Call {
    question: String,
    options: Vec<String>,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Nothing
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async { Ok(Preview::Text(self.question.clone())) })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let Self { question, options } = *self;
            let choice = Choice { call: scene.call.clone(), question, options, topic: Topic::Question };
            tokio::select! {
                biased;
                () = scene.cancel.cancelled() => ToolResult::interrupted(),
                answer = scene.host.ask(choice) => told(answer),
            }
        })
    }
}

fn told(answer: Answer) -> ToolResult {
    let words = match answer {
        Answer::Chosen(words) | Answer::Deny { words: Some(words) } => words,
        // these answer another question
        Answer::Allow | Answer::AllowAlways | Answer::AllowWithNetwork => "yes".to_owned(),
        Answer::Deny { words: None } => {
            return ToolResult {
                status: ToolStatus::Success,
                content: Content::text(UNANSWERED),
                display: Display::Line("not answered".to_owned()),
            };
        }
        Answer::Overruled { reason } => return ToolResult::failed(format!("Error: {reason}")),
        Answer::Unattended => return ToolResult::failed(NOBODY),
    };
    ToolResult::success(words.clone(), Display::Line(words))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::super::testing::Session;
    use super::*;

    fn prepared(arguments: &Value) -> Result<Box<dyn Prepared>, String> {
        AskUser.prepare(arguments.as_object().unwrap(), Path::new("/").into())
    }

    #[tokio::test]
    async fn an_answer_is_told_as_it_was_given() {
        let check = async |answer: Answer, status: ToolStatus, expected: &str| {
            let session = Session::new();
            session.answer(answer);
            let result = session.run(&AskUser, &json!({"question": "which?", "options": ["a", "b"]})).await;
            let told = result.content.to_text();
            assert!(result.status == status && told.contains(expected), "{told}");
        };
        check(Answer::Chosen("b".to_owned()), ToolStatus::Success, "b").await;
        check(Answer::Deny { words: None }, ToolStatus::Success, "without an answer").await;
        check(Answer::Unattended, ToolStatus::Failed, "Error: no user can answer").await;
    }

    #[tokio::test]
    async fn an_abort_ends_the_wait() {
        let session = Session::new();
        session.cancel.cancel();
        let result = session.run(&AskUser, &json!({"question": "which?"})).await;
        assert_eq!(result.status, ToolStatus::Interrupted);
    }

    #[test]
    fn options_are_strings_however_they_are_written() {
        let check = |options: Value, expected: &[&str]| {
            let entries = OPTIONS.entries(json!({ "options": options }).as_object().unwrap()).unwrap();
            let read: Vec<String> = entries.unwrap().iter().map(|entry| option(entry).unwrap()).collect();
            assert_eq!(read, expected, "{options}");
        };
        check(json!(["a", " b "]), &["a", "b"]);
        check(json!([{"label": "a", "description": "why"}, {"value": "b"}, 3]), &["a", "b", "3"]);
        check(json!("[\"a\", \"b\"]"), &["a", "b"]);
        assert!(prepared(&json!({"question": "q", "options": ["a", ""]})).is_ok());
        assert!(prepared(&json!({"question": "q", "options": []})).is_ok());
    }

    #[test]
    fn what_cannot_be_asked_is_an_error() {
        let check = |arguments: Value, expected: &str| {
            assert_eq!(prepared(&arguments).err().unwrap(), expected);
        };
        check(json!({"question": " "}), "Error: `question` is empty");
        check(json!({"options": ["a"]}), "Error: `question` (a string) is missing");
        check(
            json!({"question": "q", "options": vec!["a"; 9]}),
            "Error: `options` has 9 entries, 8 at most; the user can also type an answer",
        );
        check(json!({"question": "q", "options": [["a"]]}), "Error: `options` must be strings");
    }
}
