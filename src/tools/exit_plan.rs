//! `ExitPlanMode`: a plan is put before the user, and with a yes the work begins.
//!
//! It switches nothing itself: the mode is in force, by whoever took the answer, before the call hears of it. So the calls that
//! come next in the same run are judged by it. A plan that is not taken is no failure: the words come back, and plan mode stays.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::schema::{self, Param};
use super::{Prepared, Scene, Tool, ToolResult};
use crate::os::paths::PathBase;
use crate::protocol::{Access, Answer, BEGINS, Begin, Choice, Display, Preview, ToolSpec, Topic};
use crate::workbench::Workbench;

const OFF: &str = "Error: plan mode is off: continue with the task";
const NOBODY: &str =
    "Error: no user can approve the plan in this session. Plan mode stays on: give the plan as your answer";
const STAYS: &str = "Plan mode stays on: change the plan, then call ExitPlanMode again.";

const PLAN: Param = Param::text("plan", "the plan in Markdown");

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct ExitPlanMode;

impl Tool for ExitPlanMode {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "ExitPlanMode".into(),
            description: "Only in plan mode, when the plan is complete: present it to the user for approval. Not for questions.".into(),
            parameters: schema::object(&[PLAN], &[]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        Ok(Box::new(Call { plan: PLAN.need_some(arguments)?.trim().to_owned() }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    plan: String,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Nothing
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async { Ok(Preview::Text(self.plan.clone())) })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            if !scene.host.is_planning() {
                return ToolResult::failed(OFF);
            }
            let choice = Choice {
                call: scene.call.clone(),
                question: self.plan,
                options: BEGINS.map(|begin| begin.option.to_owned()).to_vec(),
                topic: Topic::Plan,
            };
            tokio::select! {
                biased;
                () = scene.cancel.cancelled() => ToolResult::interrupted(),
                answer = scene.host.ask(choice) => told(answer),
            }
        })
    }
}

fn told(answer: Answer) -> ToolResult {
    if let Some(Begin { mode, .. }) = Begin::of(&answer) {
        let told = format!("The plan is approved. Mode: {mode}. Begin.");
        return ToolResult::success(told, Display::Line(format!("approved, mode {mode}")));
    }
    let words = match answer {
        Answer::Unattended => return ToolResult::failed(NOBODY),
        Answer::Overruled { reason } => return ToolResult::failed(format!("Error: {reason}")),
        Answer::Chosen(words) | Answer::Deny { words: Some(words) } => format!(": {words}"),
        // a yes to another question is none to this one
        Answer::Deny { words: None } | Answer::Allow | Answer::AllowAlways | Answer::AllowWithNetwork => {
            ".".to_owned()
        }
    };
    let shown = Display::Line(format!("not approved{}", words.trim_end_matches('.')));
    ToolResult::success(format!("The user did not approve the plan{words}\n{STAYS}"), shown)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::super::testing::Session;
    use super::*;
    use crate::protocol::ToolStatus;

    async fn answered(answer: Answer) -> (ToolStatus, String, Display) {
        let session = Session::new();
        session.plan();
        session.answer(answer);
        let result = session.run(&ExitPlanMode, &json!({"plan": "# Mend it\n1. a.rs"})).await;
        (result.status, result.content.to_text(), result.display)
    }

    #[tokio::test]
    async fn a_yes_says_the_mode_in_which_the_work_begins() {
        for begin in BEGINS {
            let (status, told, shown) = answered(Answer::Chosen(begin.option.to_owned())).await;
            assert_eq!(status, ToolStatus::Success);
            assert_eq!(told, format!("The plan is approved. Mode: {}. Begin.", begin.mode));
            assert_eq!(shown.to_text(), format!("approved, mode {}", begin.mode));
        }
    }

    #[tokio::test]
    async fn nothing_but_a_row_with_a_yes_is_a_yes() {
        let words = |words: &str| Answer::Deny { words: Some(words.to_owned()) };
        let no = |said: &str| format!("The user did not approve the plan{said}\n{STAYS}");
        for (answer, said) in [
            (words("tests first"), ": tests first"),
            (words("Yes"), ": Yes"),
            (Answer::Chosen("yes".to_owned()), ": yes"),
            (Answer::Deny { words: None }, "."),
            (Answer::Allow, "."),
        ] {
            let (status, told, _) = answered(answer).await;
            assert_eq!((status, told), (ToolStatus::Success, no(said)));
        }
        let (status, told, _) = answered(Answer::Unattended).await;
        assert_eq!((status, told.as_str()), (ToolStatus::Failed, NOBODY));
    }

    #[tokio::test]
    async fn out_of_plan_mode_nobody_is_asked() {
        assert_eq!(Session::new().error(&ExitPlanMode, json!({"plan": "x"})).await, OFF);
    }

    #[tokio::test]
    async fn an_abort_ends_the_wait() {
        let session = Session::new();
        session.plan();
        session.cancel.cancel();
        let result = session.run(&ExitPlanMode, &json!({"plan": "x"})).await;
        assert_eq!(result.status, ToolStatus::Interrupted);
    }

    #[test]
    fn a_plan_says_something() {
        let error = |arguments: Value| {
            ExitPlanMode.prepare(arguments.as_object().unwrap(), Path::new("/").into()).err().unwrap()
        };
        assert_eq!(error(json!({"plan": " \n"})), "Error: `plan` is empty");
        assert_eq!(error(json!({"text": "x"})), "Error: `plan` (a string) is missing");
    }
}
