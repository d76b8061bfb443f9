//! Do the requests follow from one another? Pure: remembers the valid ones, says what a new one breaks.
//!
//! A conversation is found again by its first user message. One that begins anew (system and one user
//! message, as after `/clear` or in a sub-agent) owes nothing to those before; any other must carry on
//! the latest request, byte for byte, unless the model changed or the test declared the break. Members of
//! a message count in their order: a provider's cache sees bytes, not objects.

use serde_json::Value;

/// The chat requests that were let through.
#[derive(Default)]
pub(super) struct Ledger {
    turns: Vec<Turn>,
    breaks: usize,
}

struct Turn {
    request: Value,
    answer: AnswerState,
}

/// Whether the client owes it to the transcript.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AnswerState {
    Whole,
    Partial,
}

/// The number of an accepted request in this ledger.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnId(usize);

impl Ledger {
    /// One break more is lawful: the next that comes.
    pub(super) fn allow_break(&mut self) {
        self.breaks += 1;
    }

    /// Takes a wire-valid request as the next one, or says why it does not follow.
    pub(super) fn accept(&mut self, request: &Value) -> Result<TurnId, Vec<String>> {
        let faults = self.predecessor(request).map_or_else(Vec::new, |before| follows(before, request));
        if !faults.is_empty() && self.breaks == 0 {
            return Err(faults);
        }
        if !faults.is_empty() {
            self.breaks -= 1;
        }
        self.turns.push(Turn { request: request.clone(), answer: AnswerState::Partial });
        Ok(TurnId(self.turns.len() - 1))
    }

    pub(super) fn settle(&mut self, turn: TurnId, answer: AnswerState) {
        self.turns[turn.0].answer = answer;
    }

    /// The request that this one has to carry on; none if it begins a conversation.
    fn predecessor(&self, request: &Value) -> Option<&Turn> {
        let same = self.turns.iter().rev().find(|turn| is_continued_by(turn, request));
        match same {
            Some(turn)
                if begins(request) && !(begins(&turn.request) && turn.answer == AnswerState::Partial) =>
            {
                None
            }
            Some(turn) => Some(turn),
            None if begins(request) => None,
            None => self.turns.last(),
        }
    }
}

/// The same first words of the user, or those of an unanswered opening and more behind a blank line.
fn is_continued_by(turn: &Turn, request: &Value) -> bool {
    let (Some(before), Some(now)) = (first_user(&turn.request), first_user(request)) else { return false };
    if before == now {
        return true;
    }
    let grown = match (before.as_str(), now.as_str()) {
        (Some(before), Some(now)) => now.strip_prefix(before).is_some_and(|more| more.starts_with("\n\n")),
        _ => false,
    };
    grown && begins(&turn.request) && turn.answer == AnswerState::Partial
}

fn first_user(request: &Value) -> Option<&Value> {
    messages(request).iter().find(|message| message["role"] == "user").map(|message| &message["content"])
}

fn begins(request: &Value) -> bool {
    messages(request).len() == 2
}

fn messages(request: &Value) -> &[Value] {
    request["messages"].as_array().map_or(&[], Vec::as_slice)
}

fn follows(before: &Turn, request: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if before.request["model"] != request["model"] {
        return faults;
    }
    if text(before.request.get("tools")) != text(request.get("tools")) {
        faults.push("`tools` changed within a conversation of one model".to_owned());
    }
    let (old, new) = (messages(&before.request), messages(request));
    if text(old.first()) != text(new.first()) {
        faults.push("the system message changed within a conversation of one model".to_owned());
    }
    let owed = owed(before);
    let broken = (1..owed.len()).find(|&at| text(owed.get(at)) != text(new.get(at)));
    if let Some(at) = broken {
        faults.push(format!(
            "the prefix changed without a lawful break: messages[{at}] was\n    {}\n  and is\n    {}",
            text(owed.get(at)),
            text(new.get(at)),
        ));
    } else if before.answer == AnswerState::Whole
        && new.get(owed.len()).is_some_and(|next| next["role"] != "assistant")
    {
        faults.push(format!("messages[{}]: the answer to the request before is missing", owed.len()));
    }
    faults
}

/// What of a request must stand at the head of the next: all of it, but a last user message that got no
/// whole answer may grow, be replaced or go back into the input.
fn owed(before: &Turn) -> &[Value] {
    let all = messages(&before.request);
    match all.split_last() {
        Some((last, rest)) if before.answer == AnswerState::Partial && last["role"] == "user" => rest,
        _ => all,
    }
}

fn text(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::AnswerState::{Partial, Whole};
    use super::*;

    /// A request in shorthand: `u:go a:done c:1 t:1` after the system message.
    fn request(transcript: &str) -> Value {
        let mut messages = vec![json!({"role": "system", "content": "be brief"})];
        messages.extend(transcript.split_whitespace().map(|word| match word.split_once(':').unwrap() {
            ("u", text) => json!({"role": "user", "content": text.replace('+', "\n\n")}),
            ("a", text) => json!({"role": "assistant", "content": text}),
            ("c", id) => json!({"role": "assistant", "tool_calls": [{"id": id}]}),
            ("t", id) => json!({"role": "tool", "tool_call_id": id, "content": "ok"}),
            _ => panic!("no message: {word}"),
        }));
        json!({"model": "mock-1", "messages": messages, "tools": [{"function": {"name": "Read"}}]})
    }

    /// `expected` is a part of the one fault of the last request, or empty.
    fn check(before: &[(Value, AnswerState)], last: &Value, expected: &str) {
        let mut ledger = Ledger::default();
        for (request, answer) in before {
            let turn = ledger.accept(request).unwrap();
            ledger.settle(turn, *answer);
        }
        let faults = ledger.accept(last).err().unwrap_or_default();
        if expected.is_empty() {
            assert_eq!(faults, [""; 0], "for {last}");
        } else {
            assert_eq!(faults.len(), 1, "one fault for {last}: {faults:?}");
            assert!(faults[0].contains(expected), "{faults:?} should say {expected:?}");
        }
    }

    #[test]
    fn a_request_carries_on_the_one_before() {
        check(&[(request("u:go"), Whole)], &request("u:go c:1 t:1"), "");
        check(&[(request("u:go"), Whole)], &request("u:go a:done u:more"), "");
        check(&[(request("u:go c:1 t:1"), Whole)], &request("u:go c:1 t:1 a:done u:more"), "");
        check(&[(request("u:go c:1 t:1"), Partial)], &request("u:go c:1 t:1 u:queued"), "");
    }

    #[test]
    fn history_that_was_lost_or_changed_breaks_the_prefix() {
        let before = [(request("u:go c:1 t:1"), Whole)];
        check(&before, &request("u:go a:done u:more"), "prefix changed");
        check(&before, &request("u:go c:2 t:2 a:done u:more"), "prefix changed");
        check(&before, &request("u:more c:1 t:1 a:done u:x"), "prefix changed");
        check(&[(request("u:go"), Whole)], &request("u:go+more a:done u:x"), "prefix changed");
    }

    #[test]
    fn a_whole_answer_must_stand_in_the_next_request() {
        check(&[(request("u:go c:1 t:1"), Whole)], &request("u:go c:1 t:1 u:more"), "answer to the request");
        check(&[(request("u:go c:1 t:1"), Whole)], &request("u:go c:1 t:1"), "");
    }

    #[test]
    fn an_unanswered_user_message_may_grow_or_be_replaced() {
        let before = [(request("u:go a:done u:more"), Partial)];
        check(&before, &request("u:go a:done u:more"), "");
        check(&before, &request("u:go a:done u:more+again"), "");
        check(&before, &request("u:go a:done u:else"), "");
        check(&before, &request("u:go a:done u:more a:half u:again"), "");
        check(&before, &request("u:go a:other u:more"), "prefix changed");
        check(
            &[(request("u:go a:done u:more"), Whole)],
            &request("u:go a:done u:more+again"),
            "prefix changed",
        );
    }

    #[test]
    fn an_unanswered_opening_that_grew_is_the_same_conversation() {
        let mut changed = request("u:go+more");
        changed["tools"] = json!([{"function": {"name": "Bash"}}]);
        check(&[(request("u:go"), Partial)], &request("u:go+more"), "");
        check(&[(request("u:go"), Partial)], &changed, "`tools` changed");
        check(
            &[(request("u:go"), Partial), (request("u:go+more"), Whole)],
            &request("u:go+more a:x u:y"),
            "",
        );
    }

    #[test]
    fn tools_and_system_stay() {
        let mut tools = request("u:go a:done u:more");
        tools["tools"] = json!([{"function": {"name": "Bash"}}]);
        check(&[(request("u:go"), Whole)], &tools, "`tools` changed");
        let mut gone = request("u:go a:done u:more");
        gone.as_object_mut().unwrap().remove("tools");
        check(&[(request("u:go"), Whole)], &gone, "`tools` changed");
        let mut system = request("u:go a:done u:more");
        system["messages"][0]["content"] = json!("be long");
        check(&[(request("u:go"), Whole)], &system, "system message changed");
    }

    #[test]
    fn members_in_another_order_are_other_bytes() {
        let mut turned = request("u:go a:done u:more");
        turned["messages"][1] = json!({"content": "go", "role": "user"});
        check(&[(request("u:go"), Whole)], &turned, "prefix changed");
    }

    #[test]
    fn another_model_may_break_the_prefix_once() {
        let mut other = request("u:go a:short u:more");
        other["model"] = json!("mock-2");
        let first = (request("u:go c:1 t:1"), Whole);
        check(&[first], &other, "");
        let mut back = request("u:go a:changed u:more a:done u:x");
        back["model"] = json!("mock-2");
        check(&[(other, Whole)], &back, "prefix changed");
    }

    #[test]
    fn a_new_conversation_owes_nothing() {
        let mut sub_agent = request("u:look");
        sub_agent["messages"][0]["content"] = json!("you look");
        let first = request("u:go c:1 t:1");
        check(&[(first.clone(), Whole)], &sub_agent, "");
        check(&[(first.clone(), Whole), (sub_agent, Whole)], &request("u:go c:1 t:1 a:x u:y"), "");
        check(&[(first, Whole)], &request("u:go"), "");
        check(&[], &request("u:go a:resumed u:more"), "");
    }

    #[test]
    fn a_declared_break_is_used_up_by_one_break() {
        let mut ledger = Ledger::default();
        let turn = ledger.accept(&request("u:go c:1 t:1")).unwrap();
        ledger.settle(turn, Whole);
        ledger.allow_break();
        ledger.accept(&request("u:summary a:kept u:more")).unwrap();
        assert!(ledger.accept(&request("u:summary a:other u:more")).is_err());
    }
}
