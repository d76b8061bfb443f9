//! The history by small scripts: a word for each entry, a picture of what counts then.

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::protocol::{AssistantMessage, Entry, EntryBody, StopReason};

/// `u` a user, `a` a text, `c12` an assistant with calls 1 and 2, `r1` the answer to call 1; `!3` rewind to 3, `~3` the same
/// by the program, `+` redo, `=2` compaction that keeps 2.
fn history(script: &str) -> History {
    let mut history = History::new();
    for word in script.split_whitespace() {
        history.apply(&Entry { timestamp: 1, body: body(word) });
    }
    history
}

fn body(word: &str) -> EntryBody {
    let (kind, rest) = word.split_at(1);
    match kind {
        "u" => EntryBody::Message(Message::user(rest)),
        "a" => EntryBody::Message(Message::Assistant(assistant(rest, &[]))),
        "c" => {
            let ids: Vec<String> = rest.chars().map(|c| c.to_string()).collect();
            EntryBody::Message(Message::Assistant(assistant("", &ids)))
        }
        "r" => EntryBody::Message(Message::tool(&call(rest), ToolStatus::Success, "ok")),
        "!" => EntryBody::Rewind { to: rest.parse().unwrap() },
        "~" => EntryBody::Unsaid { to: rest.parse().unwrap() },
        "+" => EntryBody::Redo,
        "=" => EntryBody::Compaction { summary: "S".to_owned(), kept: rest.parse().unwrap() },
        other => panic!("unknown word {other}"),
    }
}

fn call(id: &str) -> ToolCall {
    ToolCall::new(id, "Read", "{}")
}

fn assistant(text: &str, ids: &[String]) -> AssistantMessage {
    AssistantMessage {
        text: text.to_owned(),
        tool_calls: ids.iter().map(|id| call(id)).collect(),
        reasoning: None,
        extra: Map::new(),
        model: "m".into(),
        usage: None,
        stop_reason: StopReason::EndTurn,
    }
}

fn picture(history: &History) -> String {
    let words = history.messages().map(|message| match message {
        Message::User(user) => format!("u{}", user.content.to_text()),
        Message::Assistant(answer) if answer.tool_calls.is_empty() => format!("a{}", answer.text),
        Message::Assistant(answer) => {
            format!("c{}", answer.tool_calls.iter().map(|call| call.id.as_str()).collect::<String>())
        }
        Message::Tool(answer) if answer.status == ToolStatus::Interrupted => {
            format!("x{}", answer.call_id)
        }
        Message::Tool(answer) => format!("r{}", answer.call_id),
    });
    let head = history.summary().map(str::to_owned);
    head.into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

fn check(script: &str, expected: &str) {
    assert_eq!(picture(&history(script)), expected, "{script}");
}

#[test]
fn messages_stand_in_the_order_they_came() {
    check("u1 c12 r1 r2 a3 u4", "u1 c12 r1 r2 a3 u4");
}

#[test]
fn a_call_without_answer_is_closed_when_the_conversation_goes_on() {
    check("u1 c12 r1 u2", "u1 c12 r1 x2 u2");
    check("u1 c1 a2", "u1 c1 x1 a2");
}

#[test]
fn an_answer_without_call_and_a_second_answer_are_left_out() {
    check("u1 r9 a2", "u1 a2");
    check("u1 c1 r1 r1 a2", "u1 c1 r1 a2");
}

#[test]
fn an_empty_assistant_message_never_counts() {
    check("u1 a u2", "u1 u2");
}

#[test]
fn a_rewind_takes_away_and_a_redo_gives_back() {
    check("u1 a2 u3 a4 !2", "u1 a2");
    check("u1 a2 u3 a4 !2 +", "u1 a2 u3 a4");
    check("u1 a2 u3 a4 !2 !0 + +", "u1 a2 u3 a4");
    check("u1 a2 u3 a4 !2 u5 +", "u1 a2 u5");
    check("u1 c2 u3 u4 !3 ~2 +", "u1 c2");
}

#[test]
fn positions_count_rewound_messages_too() {
    check("u1 a2 u3 a4 !2 u5 a6 !5", "u1 a2 u5");
    assert_eq!(history("u1 a2 !1 u3").positions(), 3);
}

#[test]
fn a_rewind_between_call_and_answer_leaves_the_call_to_be_closed() {
    check("u1 c12 r1 r2 !3 u4", "u1 c12 r1 x2 u4");
}

#[test]
fn a_compaction_puts_a_summary_before_what_it_keeps() {
    check("u1 a2 u3 a4 =2 u5", "S u3 a4 u5");
    check("u1 a2 =9 u5", "S u1 a2 u5");
    check("u1 a2 =0 u3 a4 =1 u5", "S a4 u5");
}

#[test]
fn a_compaction_that_keeps_answers_without_their_calls_leaves_them_out() {
    check("u1 c12 r1 r2 a3 =2 u4", "S a3 u4");
    check("u1 c12 r1 =1 r2 u4", "S u4");
    check("u1 c12 r1 =2 r2 u4", "S c12 r1 r2 u4");
}

#[test]
fn all_that_was_said_is_there_behind_a_summary_but_for_what_is_rewound() {
    let all = |script: &str| history(script).all().count();
    assert_eq!((all("u1 a2 =0 u3"), all("u1 a2 u3 a4 =1 !2"), all("u1 a2 u3 a4 =1 !2 +")), (3, 2, 4));
}

#[test]
fn a_count_stands_only_behind_the_last_cut() {
    let from = |script: &str| history(script).counted_from();
    assert_eq!((from("u1 a2"), from("u1 a2 =0 u3"), from("u1 a2 u3 a4 =0 !2")), (0, 2, 0));
    let mut masked = history("u1 c1 r1 a2");
    masked.apply(&Entry { timestamp: 1, body: EntryBody::Masked { messages: vec![2] } });
    assert_eq!(masked.counted_from(), 4);
}

/// What stands without its other half: answers before or without their calls, calls passed over.
fn halves(history: &History) -> Vec<String> {
    let mut open: Vec<CallId> = Vec::new();
    let mut halves = Vec::new();
    for message in history.messages() {
        match message {
            Message::Tool(answer) => match open.iter().position(|id| *id == answer.call_id) {
                Some(at) => drop(open.remove(at)),
                None => halves.push(format!("r{}", answer.call_id)),
            },
            Message::User(_) => halves.extend(open.drain(..).map(|id| format!("c{id}"))),
            Message::Assistant(said) => {
                halves.extend(open.drain(..).map(|id| format!("c{id}")));
                open.extend(said.tool_calls.iter().map(|call| call.id.clone()));
            }
        }
    }
    let known: Vec<CallId> = history.open_calls().iter().map(|call| call.id.clone()).collect();
    if known != open {
        halves.push(format!("open {open:?}, known {known:?}"));
    }
    halves
}

proptest! {
    #[test]
    fn whatever_is_cut_and_rewound_no_call_and_no_answer_stands_alone(
        words in prop::collection::vec(("u1|a1|c|r|r|[!~][0-9]|\\+|=[0-9]", 0_u32..6), 0..40),
    ) {
        let (mut script, mut next) = (Vec::new(), 0x4E00);
        for (word, which) in words {
            let id = |number: u32| char::from_u32(number).unwrap();
            script.push(match word.as_str() {
                "c" => {
                    next += 2;
                    format!("c{}{}", id(next - 2), id(next - 1))
                }
                "r" => format!("r{}", id(next.saturating_sub(which + 1).max(0x4E00))),
                other => other.to_owned(),
            });
        }
        let script = script.join(" ");
        prop_assert_eq!(halves(&history(&script)), [""; 0], "{}", script);
    }
}

#[test]
fn a_rewind_undoes_a_compaction_that_came_later() {
    check("u1 a2 u3 a4 =0 u5 !4", "S");
    check("u1 a2 u3 a4 =0 u5 !2", "u1 a2");
    check("u1 a2 u3 a4 =0 u5 !2 +", "S u5");
}

#[test]
fn a_summary_stays_where_only_later_messages_go_back_into_the_input() {
    check("u1 a2 u3 a4 u5 =1 ~4", "S");
    check("u1 a2 u3 a4 u5 =1 ~4 u6 a7", "S u6 a7");
    check("u1 a2 u3 a4 u5 =3 ~4 u6", "S u3 a4 u6");
    check("u1 a2 u3 a4 u5 =1 ~3", "u1 a2 u3");
    check("u1 a2 =0 u3 a4 u5 =1 ~4", "S");
    check("u1 a2 u3 a4 u5 =1 ~4 u6 !2", "u1 a2");
    check("u1 a2 u3 a4 u5 =1 ~4 u6 !2 +", "S u6");
}

#[test]
fn open_calls_are_known_in_order() {
    let open: Vec<String> =
        history("u1 c123 r2").open_calls().iter().map(|call| call.id.to_string()).collect();
    assert_eq!(open, ["1", "3"]);
}

#[test]
fn only_answers_are_masked() {
    let mut history = history("u1 c1 r1 a2");
    history.apply(&Entry { timestamp: 1, body: EntryBody::Masked { messages: vec![0, 2] } });
    let masked: Vec<Masked> = history.view().map(|(_, masked)| masked).collect();
    assert_eq!(masked, [Masked::No, Masked::No, Masked::Yes, Masked::No]);
}
