//! What is sent to the model about plan mode: a message before each of the user's, and one line once it is off.
//!
//! As messages of their own and not in the system prompt, which is the same bytes in every mode; and before the user's words, so
//! that these are the last that is read. What was told last is read from the conversation, so that a resume goes on with it.

use super::turns::Run;
use crate::protocol::{Message, Origin, UserMessage};

const PLANNING: &str = "Plan mode is on: do not edit files or run commands that change anything. Answer questions directly. For \
a task, investigate until you know exactly what to change, then";
const PARTS: &str = "a plan: summary, findings, steps with file paths, tests, risks.";
const OVER: &str = "<system-reminder>Plan mode is off: you may edit files again.</system-reminder>";
/// How earlier versions said it.
const FORMERLY_OVER: &str =
    "<system-reminder>Plan mode is over: changes are possible again.</system-reminder>";

/// Before the user's next words: how it stands with plan mode, where the model has to hear of it.
pub(super) async fn tell(run: &mut Run<'_>, next: Origin) {
    let is_said = match next {
        Origin::User | Origin::Queued | Origin::Command => true,
        Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook | Origin::Shell => false,
    };
    let text = if is_said { due(run) } else { None };
    if let Some(text) = text {
        run.record(Message::User(UserMessage::new(Origin::Reminder, text))).await;
    }
}

fn due(run: &Run<'_>) -> Option<String> {
    let words = |message: &Message| match message {
        Message::User(user) if user.origin == Origin::Reminder => Some(user.words()),
        Message::User(_) | Message::Assistant(_) | Message::Tool(_) => None,
    };
    let mut newest = run.context.history.messages().rev();
    if run.context.is_planning() {
        let text = planning(run);
        let stands = newest.next().and_then(words).is_some_and(|last| last == text);
        return (!stands).then_some(text);
    }
    newest.find_map(words).filter(|last| last != OVER && last != FORMERLY_OVER).map(|_| OVER.to_owned())
}

fn planning(run: &Run<'_>) -> String {
    // it may have been taken away from the model
    let end = match run.agent.parts.tools.get("ExitPlanMode") {
        Some(_) => "call ExitPlanMode with".to_owned(),
        None => "answer with".to_owned(),
    };
    format!("<system-reminder>\n{PLANNING} {end} {PARTS}\n</system-reminder>")
}
