//! The page as a picture, and each judgement by a table.

use super::evidence::testing::{called, failed, said, seen};
use super::probes::Probe::{After, Calls, Forced, Word};
use super::*;
use crate::chat::Arrival;
use crate::chat::discover::{self, Bound, Look, Server, Window};
use crate::chat::request::models::Ability;
use crate::protocol::{CallForm, Reasoning};

const ONE: &str = "{\"word\":\"one\"}";
const TWO: &str = "{\"word\":\"two\"}";

/// Evidence of these answers.
fn of(heard: &[Heard]) -> Evidence {
    Evidence { heard: heard.to_vec(), ..seen() }
}

/// All is well.
fn healthy() -> Evidence {
    let mut evidence = of(&[said(Word, "ready"), called(Calls, &[ONE, TWO]), said(After, "done")]);
    let known = discover::Known {
        window: Window::in_use(32_768),
        images: Ability::Yes,
        ..discover::Known::default()
    };
    let look = Look { known, server: Some(Server::Ollama), route: Some("/api/ps"), list: None };
    evidence.known.take_look(&"qwen3".into(), look);
    evidence
}

/// The rows of a page, each on one line, with its sign.
fn rows(evidence: &Evidence) -> Vec<String> {
    let text = body(&judge::findings(evidence));
    let joined = text.replace("\n               ", " ");
    joined.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Fails unless one of the rows begins so.
#[track_caller]
fn check(evidence: &Evidence, expected: &str) {
    let rows = rows(evidence);
    assert!(rows.iter().any(|row| row.starts_with(expected)), "{expected}\n{rows:#?}");
}

/// Fails if there is a row of this name.
#[track_caller]
fn check_absent(evidence: &Evidence, name: &str) {
    let rows = rows(evidence);
    assert!(!rows.iter().any(|row| row.split(' ').nth(1) == Some(name)), "{name}\n{rows:#?}");
}

#[test]
fn a_healthy_endpoint_is_a_calm_page() {
    let diagnosis = diagnosis(&healthy());
    assert_eq!(
        title("127.0.0.1:1234") + &diagnosis.text,
        "endpoint 127.0.0.1:1234 (lists its models and sends up to 4 short requests)
  ✓ reachable  127.0.0.1:1234 responds after 12 ms
  ✓ key        none sent, none required
  ✓ model      qwen3 is listed (one of 2)
  ✓ answer     received after 1 s, first token after 340 ms
  ✓ streaming  answers are shown as they arrive
  ✓ tools      the model calls tools
  ✓ parallel   several tool calls per answer: read-only calls run in parallel
  ✓ results    the model accepts tool results
  ✓ usage      the endpoint reports token usage
  ✓ reasoning  none sent
  ✓ context    32.7k tokens (reported by Ollama at /api/ps)
  ✓ images     supported

Chat works.
"
    );
    assert_eq!(diagnosis.exit, Exit::Done);
}

#[test]
fn a_poor_endpoint_is_told_with_what_follows_from_it() {
    let mut evidence = of(&[said(Word, "ready"), said(Calls, "one, two"), failed(Forced, 400)]);
    for heard in &mut evidence.heard {
        if let Ok(answer) = &mut heard.answer {
            answer.message.usage = None;
        }
    }
    evidence.arrival = Some(Arrival::Whole);
    evidence.list = Err(ChatError::new(Remedy::NextModel, "no such page").with_status(404));
    evidence.noticed = vec!["3 lines could not be read".to_owned()];
    let known = discover::Known {
        window: Some(Window { tokens: 4_096, bound: Bound::Usual }),
        ..discover::Known::default()
    };
    let look = Look { known, server: Some(Server::Ollama), route: Some("/api/show"), list: None };
    evidence.known.take_look(&"qwen3".into(), look);
    let diagnosis = diagnosis(&evidence);
    assert_eq!(
        diagnosis.text,
        "  ✓ reachable  127.0.0.1:1234 responds after 12 ms
  ✓ key        none sent, none required
  ✓ model      qwen3 works; the endpoint does not list models
  ✓ answer     received after 1 s, first token after 340 ms
  ! streaming  no: each answer arrives in one piece and is shown when it is
               complete
  ✗ tools      not supported: the model makes no calls; the model can only chat
               (use a model with the `tools` tag in the Ollama library)
  ! usage      not reported: token usage is shown as unknown
  ✓ reasoning  none sent
  ! context    4k tokens by default (reported by Ollama at /api/show): too small
               for tools (OLLAMA_CONTEXT_LENGTH=32768 ollama serve, or num_ctx
               in a Modelfile)
  ! noticed    3 lines could not be read

Chat works, but tool calls do not: the model cannot read or change files.
"
    );
    assert_eq!(diagnosis.exit, Exit::Done);
}

#[test]
fn who_cannot_be_reached_is_told_once() {
    let refused =
        ChatError::new(Remedy::Retry { after: None }, "cannot reach h (check it)").at(Stage::Connect);
    let diagnosis = diagnosis(&Evidence { list: Err(refused), ..seen() });
    assert_eq!(
        diagnosis.text,
        "  ✗ reachable  cannot reach h (check it)

Chat does not work: see the lines marked ✗.
"
    );
    assert_eq!(diagnosis.exit, Exit::Failed);
}

#[test]
fn a_key_is_judged_by_the_answer_to_a_question() {
    let named = |heard: &[Heard]| Evidence { key: Some("THE_KEY".to_owned()), ..of(heard) };
    check(&named(&[said(Word, "ready")]), "✓ key accepted (from THE_KEY)");
    check(&of(&[said(Word, "ready")]), "✓ key none sent, none required");
    check(&named(&[failed(Word, 401)]), "✗ key refused (401)");
    check_absent(&named(&[failed(Word, 401)]), "answer");
    check_absent(&named(&[failed(Word, 500)]), "key");
    let list = Err(ChatError::new(Remedy::NextKey, "no").with_status(403));
    check(
        &Evidence { list, ..named(&[said(Word, "ready")]) },
        "! key accepted for chat, but not for listing models (from THE_KEY)",
    );
}

#[test]
fn a_model_is_judged_by_the_list_and_by_the_answer() {
    let asked = |name: &str, heard: Heard| Evidence { model: name.into(), ..of(&[heard]) };
    check(&asked("qwen3", said(Word, "ready")), "✓ model qwen3 is listed (one of 2)");
    check(&asked("qwen", said(Word, "ready")), "! model qwen works, but is not among the 2 listed models");
    check(&asked("qwen", failed(Word, 404)), "✗ model refused (404); available: qwen3, other");
    check_absent(&asked("qwen", failed(Word, 404)), "answer");
    check(&asked("qwen3", failed(Word, 500)), "✗ answer refused (500)");
    check(&asked("qwen3", said(Word, " ")), "✗ answer empty");
}

#[test]
fn tools_are_judged_by_calls_that_nobody_forced() {
    let asked = |heard: Heard| of(&[said(Word, "ready"), heard]);
    check(&asked(called(Calls, &[ONE, TWO])), "✓ parallel several tool calls");
    check(&asked(called(Calls, &[ONE])), "! parallel one tool call per answer");
    check(&asked(called(Calls, &["{\"word\":"])), "! tools works, but arguments are not valid JSON");
    check(
        &asked(failed(Calls, 400)),
        "✗ tools not supported: refused (400); the model can only chat (try another model",
    );
    check_absent(&asked(failed(Calls, 400)), "parallel");
    let forced = of(&[said(Word, "ready"), said(Calls, "one"), called(Forced, &[ONE])]);
    check(&forced, "! tools only with forced tool choice");
    assert_eq!(judge::verdict(&forced), Verdict::Works);
    let by_chance = of(&[said(Word, "ready"), failed(Calls, 500), called(Forced, &[ONE])]);
    check(&by_chance, "! tools only with forced tool choice; without it the request failed: refused (500)");
    let mut text = asked(called(Calls, &[ONE]));
    if let Ok(answer) = &mut text.heard[1].answer {
        answer.form = CallForm::Text;
    }
    check(&text, "! tools calls are written as text");
    let after = of(&[said(Word, "ready"), called(Calls, &[ONE]), failed(After, 500)]);
    check(&after, "✗ results rejected: refused (500); every run fails at its first tool call");
}

#[test]
fn thoughts_and_windows_are_told_as_they_come() {
    let mut thinking = of(&[said(Word, "")]);
    if let Ok(answer) = &mut thinking.heard[0].answer {
        answer.message.reasoning = Some(Reasoning { field: "reasoning".to_owned(), text: "hm".to_owned() });
    }
    check(&thinking, "✓ reasoning separate from the answer, in `reasoning`");
    assert!(thinking.speaks(), "reasoning up to the limit is an answer too");
    let asked = |name: &str| Evidence { model: name.into(), ..of(&[said(Word, "ready")]) };
    check(&asked("my-own"), "! context size unknown");
    check(&asked("gpt-5"), "✓ context 400k tokens (known for this model name)");
    check(
        &Evidence { window: Some(50_000), ..asked("my-own") },
        "✓ context 50k tokens (from the configuration)",
    );
    check(&asked("deepseek-chat"), "! images not supported");
    check_absent(&asked("my-own"), "images");
}

#[test]
fn a_model_that_nobody_has_named_is_a_matter_of_configuration() {
    assert_eq!(unnamed(None).exit, Exit::Usage);
    let refused = ChatError::new(Remedy::GiveUp, "cannot reach h").at(Stage::Connect);
    assert_eq!(unnamed(Some(refused)).exit, Exit::Failed);
    assert!(unnamed(None).text.contains("✗ model      not set, and the endpoint does not list exactly one"));
}
