//! `TodoWrite`: the model's list of steps, replaced as a whole by each call.
//!
//! It touches nothing and is never asked for; the list is for the model's memory and the user's eyes. The surprise: there is
//! no other store than the history. What the last call that went well has set is the list, so a resume or a rewind needs nothing
//! but to look there (`of_history`).

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::schema::{self, Param};
use super::{Prepared, Scene, Tool, ToolResult};
use crate::os::paths::PathBase;
use crate::protocol::{
    Access, Display, History, Message, Preview, Todo, TodoStatus, ToolCall, ToolSpec, ToolStatus, todo,
};
use crate::text::units;
use crate::workbench::Workbench;

/// Steps of one list.
const MOST: usize = 100;
/// Characters of one step.
const LONGEST: usize = 500;

const CONTENT: Param =
    Param::text("content", "the step").or(&["text", "task", "title", "description", "step", "activeForm"]);
const STATUS: Param = Param::one_of("status", "state of the step", &TodoStatus::NAMES).or(&["state"]);
const TODOS: Param =
    Param::objects("todos", "all steps, in order", &[CONTENT, STATUS]).or(&["items", "tasks", "list"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct TodoWrite;

impl Tool for TodoWrite {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "TodoWrite".into(),
            description: "Track the steps of a longer task. Send the full list each time; keep one step in_progress and mark steps completed at \
         once.".into(),
            parameters: schema::object(&[TODOS], &[]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        Ok(Box::new(Call::read(arguments)?))
    }
}

/// The list that `history` leaves: what the last call of this tool that went well has set.
pub(super) fn of_history(history: &History) -> Vec<Todo> {
    let mut went_well = Vec::new();
    for slot in history.all().rev() {
        match &slot.message {
            Message::Tool(told) if told.status == ToolStatus::Success => went_well.push(&told.call_id),
            Message::Assistant(answer) => {
                let set =
                    |call: &&ToolCall| call.name.as_str() == "TodoWrite" && went_well.contains(&&call.id);
                if let Some(todos) = answer.tool_calls.iter().rev().find(set).and_then(list_of) {
                    return todos;
                }
            }
            Message::Tool(_) | Message::User(_) => {}
        }
    }
    Vec::new()
}

fn list_of(call: &ToolCall) -> Option<Vec<Todo>> {
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    Call::read(arguments.as_object()?).ok().map(|call| call.todos)
}

#[derive(Debug, Clone)]
struct Call {
    todos: Vec<Todo>,
    /// What was not taken as it came, for the model.
    notes: Vec<String>,
}

/// An entry as it was read.
enum Entry {
    Step(Todo),
    /// Given up: no step of the list any more.
    Dropped,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Nothing
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async { Ok(Preview::Text(todo::to_text(&self.todos))) })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            scene.bench.todos().set(self.todos.clone());
            let text = std::iter::once(todo::to_text(&self.todos)).chain(self.notes);
            ToolResult::success(text.collect::<Vec<_>>().join("\n"), Display::Todos(self.todos))
        })
    }
}

impl Call {
    fn read(arguments: &Map<String, Value>) -> Result<Self, String> {
        let entries = TODOS.need_entries(arguments)?;
        if entries.len() > MOST {
            return Err(format!(
                "Error: `todos` has {} steps, {MOST} at most; join some of them",
                entries.len()
            ));
        }
        let (mut todos, mut cut, mut dropped) = (Vec::new(), 0, 0);
        for (number, entry) in (1..).zip(&entries) {
            match read_entry(entry).map_err(|why| in_step(number, &why))? {
                Entry::Step(step) => {
                    let (content, was_cut) = shortened(&step.content);
                    cut += u64::from(was_cut);
                    todos.push(Todo { content, ..step });
                }
                Entry::Dropped => dropped += 1,
            }
        }
        let mut notes = Vec::new();
        if cut > 0 {
            notes.push(format!("[{} cut to {LONGEST} characters]", units::counted(cut, "step", "steps")));
        }
        if dropped > 0 {
            notes.push(format!("[{} omitted]", units::counted(dropped, "cancelled step", "cancelled steps")));
        }
        Ok(Self { todos, notes })
    }
}

fn in_step(number: usize, why: &str) -> String {
    format!("Error: step {number} of `todos`: {}", why.strip_prefix("Error: ").unwrap_or(why))
}

/// A step as an object, or as its words alone.
fn read_entry(entry: &Value) -> Result<Entry, String> {
    let words = match entry {
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Number(_) => None,
        Value::String(content) => Some(Map::from_iter([("content".to_owned(), content.clone().into())])),
    };
    let Some(fields) = words.as_ref().or_else(|| entry.as_object()) else {
        return Err("it must be an object with `content` and `status`".to_owned());
    };
    let content = CONTENT.need_some(fields)?;
    let status = match STATUS.written(fields)? {
        Some(word) => status_of(&word)?,
        None => Some(TodoStatus::Pending),
    };
    Ok(status.map_or(Entry::Dropped, |status| Entry::Step(Todo { content, status })))
}

/// The status that a word means; none where the step was given up.
fn status_of(word: &str) -> Result<Option<TodoStatus>, String> {
    let plain = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    match plain.as_str() {
        "" | "pending" | "todo" | "to_do" | "open" | "not_started" | "new" => Ok(Some(TodoStatus::Pending)),
        "in_progress" | "inprogress" | "active" | "doing" | "started" | "current" | "working" => {
            Ok(Some(TodoStatus::InProgress))
        }
        "completed" | "complete" | "done" | "finished" => Ok(Some(TodoStatus::Completed)),
        "cancelled" | "canceled" | "skipped" | "dropped" => Ok(None),
        _ => Err(format!("`status` must be one of {}, not {word:?}", TodoStatus::NAMES.join(", "))),
    }
}

/// One line of at most [`LONGEST`] characters, and whether there were more.
fn shortened(content: &str) -> (String, bool) {
    let line = content.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        None => (line, false),
        Some(_) => (line.chars().take(LONGEST - 1).chain(['…']).collect(), true),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::super::testing::Session;
    use super::*;
    use crate::protocol::{AssistantMessage, Content, Entry as Line, EntryBody, StopReason, ToolMessage};

    #[tokio::test]
    async fn the_list_is_kept_and_told() {
        let session = Session::new();
        let list = json!({"todos": [
            {"content": "look", "status": "completed"},
            {"content": "mend", "status": "in_progress", "id": "7", "priority": "high", "activeForm": "mending"},
            {"content": "test", "status": "pending"},
        ]});
        let result = session.run(&TodoWrite, &list).await;
        assert_eq!(result.content.to_text(), "1 of 3 done\n[x] look\n[>] mend\n[ ] test");
        assert_eq!(result.display, Display::Todos(session.bench.todos().list()));
        assert_eq!(session.bench.todos().list()[1].status, TodoStatus::InProgress);
        assert_eq!(session.told(&TodoWrite, json!({"todos": []})).await, "the list is empty");
        assert_eq!(session.bench.todos().list(), []);
        assert_eq!(session.prepare(&TodoWrite, &list).access(), Access::Nothing);
    }

    #[tokio::test]
    async fn what_models_write_is_understood() {
        let session = Session::new();
        let check = async |todos: Value, expected: &str| {
            let told = session.told(&TodoWrite, json!({ "todos": todos })).await;
            assert_eq!(told.lines().skip(1).collect::<Vec<_>>().join(" "), expected, "{todos}");
        };
        check(json!("[{\"content\": \"a\", \"status\": \"done\"}]"), "[x] a").await;
        check(json!([{"content": "a", "status": "in-progress"}, {"content": "b"}]), "[>] a [ ] b").await;
        check(json!(["a", "b"]), "[ ] a [ ] b").await;
        check(json!([{"task": "a\n  b", "state": "Doing"}]), "[>] a b").await;
        check(
            json!([{"content": "a", "status": "cancelled"}, {"content": "b", "status": null}]),
            "[ ] b [1 cancelled step omitted]",
        )
        .await;
        let long = "x".repeat(501);
        let cut = format!("[ ] {}… [1 step cut to 500 characters]", "x".repeat(499));
        check(json!([{ "content": long }]), &cut).await;
    }

    #[test]
    fn what_cannot_be_meant_is_an_error_that_names_the_step() {
        let check = |todos: Value, expected: &str| {
            let arguments = json!({ "todos": todos });
            let error =
                TodoWrite.prepare(arguments.as_object().unwrap(), Path::new("/").into()).err().unwrap();
            assert_eq!(error, expected);
        };
        check(
            json!([{"content": "a"}, {"status": "done"}]),
            "Error: step 2 of `todos`: `content` (a string) is missing",
        );
        check(
            json!([{"content": "a", "status": "maybe"}]),
            "Error: step 1 of `todos`: `status` must be one of pending, in_progress, completed, not \"maybe\"",
        );
        check(json!([7]), "Error: step 1 of `todos`: it must be an object with `content` and `status`");
        check(json!([{"content": " "}]), "Error: step 1 of `todos`: `content` is empty");
        check(json!(vec!["a"; 101]), "Error: `todos` has 101 steps, 100 at most; join some of them");
        check(json!(null), "Error: `todos` (an array of objects) is missing");
    }

    /// A history in which each list was set in turn, and what the model was told of it.
    fn history(lists: &[(Value, ToolStatus)]) -> History {
        let mut history = History::new();
        for (number, (todos, status)) in lists.iter().enumerate() {
            let id = number.to_string();
            let call = ToolCall::new(id.as_str(), "TodoWrite", json!({ "todos": todos }).to_string());
            let answer = AssistantMessage {
                text: String::new(),
                tool_calls: vec![call],
                reasoning: None,
                extra: Map::new(),
                model: "m".into(),
                usage: None,
                stop_reason: StopReason::ToolUse,
            };
            let told = ToolMessage {
                call_id: id.as_str().into(),
                name: "TodoWrite".into(),
                content: Content::text("x"),
                status: *status,
            };
            history.apply(&Line::message(0, Message::Assistant(answer)));
            history.apply(&Line::message(0, Message::Tool(told)));
        }
        history
    }

    #[test]
    fn the_list_of_a_history_is_the_last_that_went_well_and_follows_a_rewind() {
        let words = |history: &History| {
            of_history(history).into_iter().map(|todo| todo.content).collect::<Vec<_>>().join(" ")
        };
        let mut history = history(&[
            (json!(["a"]), ToolStatus::Success),
            (json!(["b", "c"]), ToolStatus::Success),
            (json!(["d"]), ToolStatus::Failed),
        ]);
        assert_eq!(words(&history), "b c");
        history.apply(&Line { timestamp: 0, body: EntryBody::Rewind { to: 2 } });
        assert_eq!(words(&history), "a");
        history.apply(&Line { timestamp: 0, body: EntryBody::Rewind { to: 0 } });
        assert_eq!(words(&history), "");
    }
}
