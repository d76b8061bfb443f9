//! What an answer asks for, made fit for the history.
//!
//! Ids become unique, names speakable, arguments valid JSON, whatever the model wrote, so that the history can always be sent
//! again. Nothing is run here and nothing judged: a call that cannot be carried out leaves with the error that the model is told.
//! The surprising decision: arguments that were cut off are never repaired, for half a file is worse than none.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::chat::Completion;
use crate::protocol::{AssistantMessage, CallForm, CallId, History, ToolCall};

/// Calls of one answer that are carried out; the rest get an error (the outside contract).
const MAX_CALLS: usize = 64;
/// Bytes of a tool's name that every endpoint takes back (`OpenAI`'s limit).
const LONGEST_NAME: usize = 64;
/// Bytes of a call's id that is kept as it came: some gateways pack a whole signature into it and want it back. Where less is
/// taken, the wire shortens it.
const LONGEST_ID: usize = 16 * 1024;
/// An id that gets a number behind it.
const LONGEST_BASE: usize = 40;
/// Characters of broken arguments that the model is shown again.
const QUOTED_ARGUMENTS: usize = 200;

/// An answer whose calls can stand in a history, and what each call asks for.
pub(super) struct Tidied {
    pub(super) message: AssistantMessage,
    pub(super) asked: Vec<AskedCall>,
}

/// A call with its arguments read, or with why it is not carried out.
pub(super) struct AskedCall {
    pub(super) call: ToolCall,
    pub(super) form: CallForm,
    pub(super) arguments: Result<Map<String, Value>, Unusable>,
}

/// Why a call is not carried out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unusable {
    /// What the model is told.
    pub(super) text: String,
    /// What stood there, where it was all there and yet no JSON object: the history keeps nothing of it.
    pub(super) written: Option<String>,
}

impl From<String> for Unusable {
    fn from(text: String) -> Self {
        Self { text, written: None }
    }
}

/// Makes an answer fit for the history: call ids unique over all of it, arguments valid JSON whatever the model wrote.
pub(super) fn tidy(completion: Completion, history: &History) -> Tidied {
    let Completion { mut message, cut, form } = completion;
    let mut taken = HashSet::new();
    let last = message.tool_calls.len().saturating_sub(1);
    let mut asked = Vec::with_capacity(message.tool_calls.len());
    for (index, call) in message.tool_calls.iter_mut().enumerate() {
        call.id = unique_id(&call.id, history, &taken);
        taken.insert(call.id.clone());
        let named = speakable_name(call);
        let mut arguments = read_arguments(call, cut && index == last).and_then(|map| named.map(|()| map));
        if index >= MAX_CALLS {
            let text = format!("Error: not run: at most {MAX_CALLS} calls of one answer are carried out");
            arguments = Err(text.into());
        }
        asked.push(AskedCall { call: call.clone(), form, arguments });
    }
    Tidied { message, asked }
}

/// A name that endpoints take back, whatever the model wrote: one that they refuse would make every later request fail.
fn speakable_name(call: &mut ToolCall) -> Result<(), Unusable> {
    let written = call.name.as_str();
    let speakable = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=LONGEST_NAME).contains(&written.len()) && written.chars().all(speakable) {
        return Ok(());
    }
    let quoted: String = written.chars().take(LONGEST_NAME).collect();
    let cleaned: String = quoted.chars().map(|c| if speakable(c) { c } else { '_' }).collect();
    call.name = if cleaned.is_empty() { "unnamed".into() } else { cleaned.into() };
    Err(format!("Error: unknown tool {quoted:?}").into())
}

fn unique_id(id: &CallId, history: &History, taken: &HashSet<CallId>) -> CallId {
    let is_free = |id: &CallId| {
        (1..=LONGEST_ID).contains(&id.as_str().len()) && !taken.contains(id) && !history.has_call(id)
    };
    if is_free(id) {
        return id.clone();
    }
    let base = if (1..=LONGEST_BASE).contains(&id.as_str().len()) { id.as_str() } else { "call" };
    let mut number = 2_u64;
    loop {
        let candidate = CallId::from(format!("{base}_{number}"));
        if is_free(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

/// Reads the arguments and leaves valid JSON of an object in the call.
fn read_arguments(call: &mut ToolCall, cut: bool) -> Result<Map<String, Value>, Unusable> {
    let text = call.arguments.trim();
    let is_nothing = text.is_empty() && !cut;
    let read = if is_nothing { Ok(Value::Object(Map::new())) } else { serde_json::from_str(text) };
    let problem = match read {
        Ok(Value::Object(map)) => {
            if is_nothing {
                "{}".clone_into(&mut call.arguments);
            }
            return Ok(map);
        }
        Ok(Value::Null) => {
            "{}".clone_into(&mut call.arguments);
            return Ok(Map::new());
        }
        // An object that was put into a string once too often.
        Ok(Value::String(inner)) if matches!(serde_json::from_str(&inner), Ok(Value::Object(_))) => {
            call.arguments = inner;
            return read_arguments(call, cut);
        }
        Ok(_) => "they must be a JSON object".to_owned(),
        Err(_) if cut => "they were cut off at the output limit; write less in one call".to_owned(),
        Err(error)
            if error.to_string().contains("surrogate") || error.to_string().contains("end of hex escape") =>
        {
            format!(
                "half of a surrogate pair is not a character ({error}); write that character itself or leave it out"
            )
        }
        Err(error) => format!("they are not valid JSON: {error}"),
    };
    let quoted: String = text.chars().take(QUOTED_ARGUMENTS).collect();
    let text =
        format!("Error: the arguments of {} cannot be used: {problem}. They began: {quoted}", call.name);
    let written = std::mem::replace(&mut call.arguments, "{}".to_owned());
    Err(Unusable { text, written: (!cut).then_some(written) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::StopReason;

    fn completion(calls: &[(&str, &str)], cut: bool) -> Completion {
        let tool_calls = calls.iter().map(|(id, arguments)| ToolCall::new(*id, "Read", *arguments)).collect();
        let message = AssistantMessage {
            text: String::new(),
            tool_calls,
            reasoning: None,
            extra: Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::ToolUse,
        };
        Completion { message, cut, form: CallForm::Native }
    }

    fn check(arguments: &str, stored: &str, expected: Result<&str, &str>) {
        let tidied = tidy(completion(&[("1", arguments)], false), &History::new());
        assert_eq!(tidied.message.tool_calls[0].arguments, stored, "{arguments}");
        match (&tidied.asked[0].arguments, expected) {
            (Ok(map), Ok(json)) => assert_eq!(Value::Object(map.clone()).to_string(), json),
            (Err(error), Err(part)) => {
                assert!(error.text.contains(part), "{}", error.text);
                assert_eq!(error.written.as_deref(), Some(arguments), "what stood there is told as it was");
            }
            (got, _) => panic!("{arguments}: {got:?}"),
        }
    }

    #[test]
    fn arguments_are_an_object_or_an_error_and_always_stored_as_json() {
        check(r#"{"a":1}"#, r#"{"a":1}"#, Ok(r#"{"a":1}"#));
        check("", "{}", Ok("{}"));
        check("null", "{}", Ok("{}"));
        check(r#""{\"a\":1}""#, r#"{"a":1}"#, Ok(r#"{"a":1}"#));
        check("[1]", "{}", Err("must be a JSON object"));
        check(r#"{"a":"#, "{}", Err("not valid JSON"));
        for half in [r"\ud83d", r"\ude00", r"\ud83dx", r"\ud83d\n", r"\ud83d\ud83d"] {
            check(&format!(r#"{{"a":"{half}"}}"#), "{}", Err("half of a surrogate pair is not a character"));
        }
        check(r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\ud83d\ude00"}"#, Ok("{\"a\":\"\u{1f600}\"}"));
    }

    proptest! {
        #[test]
        fn whatever_was_written_stored_arguments_are_an_object(written in ".{0,40}|[{}\\[\\]\":,a1\\\\ ]{0,20}", cut: bool) {
            let tidied = tidy(completion(&[("1", &written)], cut), &History::new());
            let stored = serde_json::from_str::<Value>(&tidied.message.tool_calls[0].arguments);
            prop_assert!(stored.is_ok_and(|value| value.is_object()), "{written:?}");
        }
    }

    #[test]
    fn arguments_cut_at_the_limit_are_never_repaired() {
        let tidied = tidy(completion(&[("1", "{}"), ("2", r#"{"content":"fn"#)], true), &History::new());
        assert!(tidied.asked[0].arguments.is_ok());
        let cut = tidied.asked[1].arguments.as_ref().unwrap_err();
        assert!(cut.text.contains("cut off at the output limit"), "{}", cut.text);
        assert_eq!(cut.written, None);
    }

    #[test]
    fn ids_are_made_unique() {
        let tidied = tidy(completion(&[("a", ""), ("a", ""), ("", ""), ("", "")], false), &History::new());
        let ids: Vec<&str> = tidied.message.tool_calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["a", "a_2", "call_2", "call_3"]);
    }

    #[test]
    fn an_id_that_carries_a_signature_is_kept_whole() {
        let signed = format!("call_1__thought__{}", "Q".repeat(2000));
        let tidied = tidy(completion(&[(&signed, "")], false), &History::new());
        assert_eq!(tidied.message.tool_calls[0].id.as_str(), signed);
    }

    #[test]
    fn names_that_no_endpoint_would_take_back_are_cleaned_and_refused() {
        let mut given = completion(&[("1", "{}"), ("2", "{}")], false);
        given.message.tool_calls[0].name = "read file".into();
        given.message.tool_calls[1].name = "".into();
        let tidied = tidy(given, &History::new());
        let names: Vec<&str> = tidied.message.tool_calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["read_file", "unnamed"]);
        assert!(tidied.asked.iter().all(|asked| asked.arguments.is_err()));
    }

    #[test]
    fn the_sixty_fifth_call_gets_an_error() {
        let calls: Vec<(String, &str)> = (0..65).map(|n| (n.to_string(), "{}")).collect();
        let calls: Vec<(&str, &str)> =
            calls.iter().map(|(id, arguments)| (id.as_str(), *arguments)).collect();
        let tidied = tidy(completion(&calls, false), &History::new());
        assert_eq!(tidied.asked.iter().filter(|asked| asked.arguments.is_err()).count(), 1);
        assert!(tidied.asked[64].arguments.is_err());
    }
}
