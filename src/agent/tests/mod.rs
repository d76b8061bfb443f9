//! The loop against a scripted model: what single runs do; what every run does is in `any_run`.

mod any_run;
mod room;
mod stage;
mod texts;
mod wire_valid;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{AgentHooks, HookVerdict};
use crate::chat::scripted::Answer as Said;
use crate::chat::{ChatError, ChatRequest, Completion, Remedy, RequestMessage, Scripted};
use crate::protocol::{
    AgentEvent, Answer, CallForm, Carry, LoopErrorType, LoopResult, Message, NoticeKind, Origin, RunEnd,
    ToolCall, ToolStatus,
};
use crate::tools::ToolResult;
use stage::{Reply, Stage};

fn answers(result: &LoopResult) -> &str {
    assert_eq!(result.end, RunEnd::Done);
    &result.final_message
}

fn failure(result: &LoopResult) -> (LoopErrorType, String) {
    let error = result.end.error().expect("it failed");
    (error.kind, error.message)
}

/// What the model was told of a call, by its place among the results of the run.
fn told(stage: &Stage, number: usize) -> String {
    let results = stage.recorded().into_iter().filter_map(|message| match message {
        Message::Tool(answer) => Some(answer.content.to_text()),
        Message::User(_) | Message::Assistant(_) => None,
    });
    results.collect::<Vec<_>>()[number].clone()
}

#[tokio::test(start_paused = true)]
async fn without_tools_it_completes() {
    let stage = Stage::new([Said::text("Hello.")]).without_tools();
    assert_eq!(answers(&stage.run("hi").await), "Hello.");
    assert!(stage.chat.requests()[0].tools.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_used_and_the_answer_contains_4() {
    let stage = Stage::new([Said::new().call("Add", r#"{"a":2,"b":2}"#), Said::text("It is 4.")]);
    let result = stage.run("what is 2 + 2?").await;
    assert!(answers(&result).contains('4'));
    assert_eq!(told(&stage, 0), "4");
    assert_eq!((result.metadata.turns_count, result.metadata.tool_calls_count), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_failing_tool_is_handled_and_the_answer_mentions_the_error() {
    let stage = Stage::new([Said::new().call("Fail", "{}"), Said::text("There was an error.")]);
    assert!(answers(&stage.run("try").await).contains("error"));
    assert_eq!(told(&stage, 0), "Error: it always fails");
}

#[tokio::test(start_paused = true)]
async fn with_two_turns_at_most_a_third_is_rejected() {
    let add = || Said::new().call("Add", r#"{"a":1,"b":1}"#);
    let stage = Stage::new([add(), add(), add()]).budget(2);
    let result = stage.run("go").await;
    assert_eq!(failure(&result).0, LoopErrorType::MaxTurnsExceeded);
    assert_eq!((result.metadata.turns_count, stage.chat.left()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn going_on_after_the_limit_has_a_fresh_budget_and_keeps_the_totals() {
    let add = |a: u32| Said::new().call("Add", format!(r#"{{"a":{a},"b":1}}"#));
    let stage = Stage::new([Said::text("Let me check."), add(1), add(2), Said::text("Done.")]).budget(2);
    let first = stage.run("go").await;
    assert_eq!((&first.end, first.carry.nudges), (&RunEnd::TurnLimit { turns: 2 }, 0));
    let second = stage.go_on(first.carry).await;
    assert_eq!(answers(&second), "Done.");
    assert_eq!(
        (second.metadata.turns_count, second.metadata.tool_calls_count, second.carry.nudges),
        (4, 2, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_keeps_nothing_of_a_run() {
    let stage = Stage::new([Said::text("One.").pause(Duration::from_secs(1)), Said::text("Two.")]);
    let other = stage.beside();
    let (one, two) = tokio::join!(stage.run("alpha"), other.run("beta"));
    assert_eq!((answers(&one), answers(&two)), ("One.", "Two."));
    let requests = stage.chat.requests();
    assert!(requests.iter().all(|request| request.messages.len() == 1), "no message of the other");
}

#[test]
fn an_agent_without_a_model_is_not_made() {
    let error = Stage::agent_for("", Arc::new(Scripted::new([]))).err().unwrap();
    assert_eq!(error.kind, LoopErrorType::InitializationFailed);
}

#[tokio::test(start_paused = true)]
async fn without_turns_nothing_is_asked_and_the_prompt_is_given_back() {
    let stage = Stage::new([]).budget(0);
    assert_eq!(failure(&stage.run("go").await).0, LoopErrorType::ChatDisabled);
    assert_eq!((stage.chat.requests().len(), stage.recorded().len()), (0, 0));
    assert_eq!(stage.inbox.take_back().unwrap().words(), "go");
}

#[tokio::test(start_paused = true)]
async fn calls_that_only_look_run_side_by_side_and_answer_in_order() {
    let calls = Said::new().call("Look", r#"{"ms":3000}"#).call("Look", r#"{"ms":1000}"#).call("Fail", "{}");
    let stage = Stage::new([calls, Said::text("Done.")]);
    let begun = Instant::now();
    stage.run("go").await;
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
    assert_eq!((told(&stage, 0), told(&stage, 1)), ("looked 3000".to_owned(), "looked 1000".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_meanwhile_goes_out_behind_all_results() {
    let calls = Said::new().call("Look", r#"{"ms":5}"#).call("Fail", "{}");
    let stage = Stage::new([calls, Said::text("Done.")]);
    stage.type_at(4, "and this");
    stage.run("go").await;
    let roles = wire_valid::roles(&wire_valid::body(&stage.chat.requests()[1]));
    assert_eq!(roles, "system user assistant tool tool user");
}

#[tokio::test(start_paused = true)]
async fn no_alone_ends_the_run_and_every_call_has_its_answer() {
    let calls = Said::new().call("Ask", "{}").call("Ask", "{}").call("Add", r#"{"a":1,"b":1}"#);
    let stage = Stage::new([calls]).reply(Reply::Say(Answer::Deny { words: None }));
    let result = stage.run("go").await;
    assert_eq!(result.end, RunEnd::Refused);
    let denied =
        stage.events(|event| matches!(event, AgentEvent::ToolResult { status: ToolStatus::Denied, .. }));
    assert_eq!(denied, 3);
    assert!(told(&stage, 2).contains("the user denied an earlier call"));
    stage.check_history();
}

#[tokio::test(start_paused = true)]
async fn no_with_words_goes_to_the_model_and_the_run_goes_on() {
    let calls = Said::new().call("Ask", "{}").call("Add", r#"{"a":1,"b":1}"#);
    let deny = Answer::Deny { words: Some("use the other".to_owned()) };
    let stage = Stage::new([calls, Said::text("Done.")]).reply(Reply::Say(deny));
    assert_eq!(answers(&stage.run("go").await), "Done.");
    assert!(told(&stage, 0).contains("use the other"));
    assert_eq!(told(&stage, 1), "2");
}

#[tokio::test(start_paused = true)]
async fn a_watched_run_that_repeats_itself_stops_and_asks() {
    let same = || Said::new().call("Add", r#"{"a":1,"b":1}"#);
    let stage = Stage::new((0..30).map(|_| same())).attended();
    let first = stage.run("go").await;
    assert_eq!(first.end, RunEnd::Looping { turns: 15 });
    let second = stage.go_on(first.carry).await;
    assert_eq!(second.end, RunEnd::Looping { turns: 25 }, "ten more");
    let hints =
        stage.events(|event| matches!(event, AgentEvent::Notice { kind: NoticeKind::LoopDetected, .. }));
    assert_eq!(hints, 1);
}

#[tokio::test(start_paused = true)]
async fn an_abort_in_the_middle_of_text_keeps_it() {
    let stage = Stage::new([Said::text("Half of the").hang()]).abort_after(Duration::from_secs(1));
    let result = stage.run("go").await;
    assert_eq!((&result.end, result.final_message.as_str()), (&RunEnd::Aborted, "Half of the"));
    stage.check_history();
}

#[tokio::test(start_paused = true)]
async fn an_abort_is_not_held_up_by_a_tool_that_does_not_listen() {
    let stage = Stage::new([Said::new().call("Deaf", "{}").call("Add", r#"{"a":1,"b":1}"#)]);
    let stage = stage.abort_after(Duration::from_secs(1));
    let begun = Instant::now();
    assert_eq!(stage.run("go").await.end, RunEnd::Aborted);
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    assert!(told(&stage, 0).contains("interrupted") && told(&stage, 1).contains("interrupted"));
}

#[tokio::test(start_paused = true)]
async fn an_abort_while_a_question_is_open_answers_its_call() {
    let stage = Stage::new([Said::new().call("Ask", "{}")]).reply(Reply::Never);
    let stage = stage.abort_after(Duration::from_secs(1));
    assert_eq!(stage.run("go").await.end, RunEnd::Aborted);
    assert!(told(&stage, 0).contains("interrupted"));
}

#[test]
fn an_abort_does_not_wait_for_the_search_for_attached_files() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(1).build();
    let runtime = runtime.unwrap();
    let (free, busy) = std::sync::mpsc::channel::<()>();
    // the only thread that could search is taken
    runtime.spawn_blocking(move || busy.recv().is_err());
    let stage = Stage::new([]);
    stage.token.cancel();
    let end = runtime.block_on(stage.run("look at @a.txt")).end;
    assert_eq!((end, stage.recorded().len()), (RunEnd::Aborted, 1));
    drop(free);
}

#[tokio::test(start_paused = true)]
async fn an_abort_keeps_the_text_of_an_answer_that_broke_off() {
    let retry = crate::chat::ChatEvent::Retry {
        attempt: 1,
        of: 2,
        delay: Duration::from_secs(9),
        error: "broke".to_owned(),
        discard: true,
    };
    let stage = Stage::new([Said::text("Half.").tell(retry).hang()]).abort_after(Duration::from_secs(1));
    assert_eq!(stage.run("go").await.final_message, "Half.");
    assert_eq!(stage.recorded().len(), 2, "the prompt and the text that was shown");
}

#[tokio::test(start_paused = true)]
async fn a_failure_keeps_the_prompt_and_can_be_asked_again() {
    let failing = Said::failure(ChatError::new(Remedy::GiveUp, "no such thing"));
    let stage = Stage::new([failing, Said::text("Done.")]);
    let first = stage.run("go").await;
    assert_eq!(failure(&first), (LoopErrorType::LlmError, "no such thing".to_owned()));
    assert_eq!(answers(&stage.go_on(Carry::default()).await), "Done.");
    let origins: Vec<Origin> = stage
        .recorded()
        .iter()
        .filter_map(|message| if let Message::User(user) = message { Some(user.origin) } else { None })
        .collect();
    assert_eq!(origins, [Origin::User], "nothing is said twice");
}

/// The source design's four hooks, each of which changes what it sees.
struct Meddler;

impl AgentHooks for Meddler {
    fn before_llm_call(&self, mut request: ChatRequest) -> ChatRequest {
        request.messages.insert(0, RequestMessage::Text("[looked over]".into()));
        request
    }

    fn after_llm_call(&self, mut completion: Completion) -> Completion {
        completion.message.text = completion.message.text.replace("Done", "Done and checked");
        completion
    }

    fn before_tool_execution(&self, call: &ToolCall) -> HookVerdict {
        let blocked = call.name.as_str() == "Fail";
        if blocked { HookVerdict::Block("not on a Sunday".to_owned()) } else { HookVerdict::Go }
    }

    fn after_tool_execution(&self, _call: &ToolCall, result: ToolResult) -> ToolResult {
        ToolResult::success(format!("{} (checked)", result.content.to_text()), result.display)
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_see_and_change_what_passes() {
    let calls = Said::new().call("Fail", "{}").call("Add", r#"{"a":1,"b":1}"#);
    let stage = Stage::new([calls, Said::text("Done.")]).hooks(Arc::new(Meddler));
    assert_eq!(answers(&stage.run("go").await), "Done and checked.");
    assert!(told(&stage, 0).contains("not on a Sunday"), "blocked, and the run went on");
    assert_eq!(told(&stage, 1), "2 (checked)");
    let sent = wire_valid::body(&stage.chat.requests()[0]);
    assert!(sent["messages"][1]["content"].as_str().unwrap().starts_with("[looked over]"), "{sent}");
    assert_eq!(
        stage.recorded().len(),
        5,
        "the history has what was said, not what a hook added to a request"
    );
}

/// Takes every answer's calls for ones that the model wrote as text.
struct AsText;

impl AgentHooks for AsText {
    fn after_llm_call(&self, completion: Completion) -> Completion {
        Completion { form: CallForm::Text, ..completion }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_written_as_text_is_asked_although_it_touches_nothing() {
    let calls = || Said::new().call("Add", r#"{"a":1,"b":1}"#);
    let deny = Reply::Say(Answer::Deny { words: Some("that was an example".to_owned()) });
    let stage = Stage::new([calls(), Said::text("Done.")]).hooks(Arc::new(AsText)).reply(deny.clone());
    stage.run("go").await;
    assert!(told(&stage, 0).contains("that was an example"), "{}", told(&stage, 0));
    assert_eq!(
        stage.events(|event| matches!(event, AgentEvent::Notice { kind: NoticeKind::TextCalls, .. })),
        1
    );
    let stage = Stage::new([calls(), Said::text("Done.")]).reply(deny);
    stage.run("go").await;
    assert_eq!(told(&stage, 0), "2", "a call that came as one is not asked");
}
