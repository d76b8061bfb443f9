//! A command of the user's own (`!command`): run for the user, and told to the model with the next message.
//!
//! No turn: nothing is asked of the model and nobody asks whether it may run, for who types a command has decided. It is not
//! held; but the program's keys are not in its environment, and what it prints is cut like any result. Being a run, it is shown,
//! ended and sent to the background like the command of a call.

use serde_json::{Map, Value, json};

use super::call::{RunScene, Runnable, execute_tool_call};
use super::turns::Run;
use crate::protocol::{AgentEvent, Content, Message, Origin, Part, RunEnd, ToolStatus, UserMessage};
use crate::tools::Tool;
use crate::tools::bash::Bash;

/// The longest that a command may run; the user sees it, and ends it sooner.
const LONGEST_MS: u64 = 600_000;

const PRINTED: &str = "The user ran this command. Its output:";

/// Runs it, and keeps what it printed.
pub(super) async fn run(run: &mut Run<'_>, command: &str) -> RunEnd {
    let mut arguments = Map::new();
    arguments.insert("command".to_owned(), json!(command));
    arguments.insert("timeout".to_owned(), json!(LONGEST_MS));
    let bash = Bash::default();
    let shell_cwd = run.context.bench.shell().cwd();
    let base = run.context.bench.path_base_in(&shell_cwd);
    let prepared = bash.prepare(&arguments, base);
    let (content, status) = match prepared {
        Ok(prepared) => {
            let id = format!("own-{}", run.context.history.positions());
            let runnable = Runnable::of_the_user(run, id.as_str(), prepared);
            let (id, name) = (runnable.call.id.clone(), runnable.call.name.clone());
            let input = Value::Object(arguments);
            run.emit(AgentEvent::ToolStart { id: id.clone(), name: name.clone(), input }).await;
            let finished = execute_tool_call(&RunScene::of(run), runnable).await;
            let (result, duration) = (finished.result, finished.duration);
            let (status, content) = (result.status, result.content.clone());
            let display = result.display;
            run.emit(AgentEvent::ToolResult { id, name, status, content, display, duration }).await;
            (result.content, status)
        }
        Err(error) => (Content::text(error), ToolStatus::Failed),
    };
    run.record(Message::User(told(command, content))).await;
    if status == ToolStatus::Interrupted || run.options.token.is_cancelled() {
        RunEnd::Aborted
    } else {
        RunEnd::Done
    }
}

/// What was typed, and what came of it.
fn told(command: &str, mut content: Content) -> UserMessage {
    let mut message = UserMessage::new(Origin::Shell, format!("!{command}"));
    if let Some(Part::Text(first)) = content.0.first_mut() {
        first.change(|text| text.insert_str(0, &format!("{PRINTED}\n")));
    }
    message.content.0.append(&mut content.0);
    message
}
