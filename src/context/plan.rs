//! What gives way when there is no more room: which results become previews, and where a summary ends. Pure.
//!
//! Both break the prefix that endpoints cache, so both take much at once or nothing. A cut falls before a user or an answer,
//! never between a call and its result; what was asked last and not yet answered always stays.

use super::size::{PREVIEW, Size, of_slot};
use crate::protocol::history::Masked;
use crate::protocol::{History, Message};

/// Of the newest results so many tokens stay whole (gemini-cli's figure) ...
const PROTECTED: u64 = 50_000;
/// ... but not more than this part of what may be sent.
const PROTECTED_PART: u64 = 4;
/// A masking that frees fewer tokens is not worth a broken prefix (gemini-cli's figure) ...
const WORTH: u64 = 30_000;
/// ... or less than this part of what may be sent.
const WORTH_PART: u64 = 10;
/// A result that weighs less stays whole: its preview would be hardly shorter.
const SMALL: u64 = 3 * PREVIEW;
/// So many tokens of the newest stay behind a summary (pi's figure) ...
const KEPT: u64 = 20_000;
/// ... but not more than so many of a hundred of what may be sent ...
const KEPT_PERCENT: u64 = 30;
/// ... nor than this part of the conversation: else there is nothing to gain.
const KEPT_PART: u64 = 4;
/// The turn in progress stays whole up to this part of what may be sent.
const LAST_TURN_PART: u64 = 2;

/// Results that are to become previews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masking {
    /// Their positions.
    pub messages: Vec<usize>,
    /// Tokens that this frees.
    pub frees: u64,
}

/// How much is to be masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// What is old, so that the rest fits into so many tokens.
    Ahead {
        /// What a request may have.
        room: u64,
    },
    /// All but the turn in progress: the request was refused.
    Refused,
}

/// Which results to mask now; none where it is not worth it.
#[must_use]
pub fn masking(history: &History, size: &Size, urgency: Urgency) -> Option<Masking> {
    let (protected, worth) = match urgency {
        Urgency::Ahead { room } => (PROTECTED.min(room / PROTECTED_PART), WORTH.min(room / WORTH_PART)),
        Urgency::Refused => (0, size.tokens / PROTECTED_PART),
    };
    let protected = size.scale.weight(protected);
    let (mut stays, mut frees, mut messages) = (0_u64, 0_u64, Vec::new());
    let mut earlier = false;
    for (slot, masked) in history.view().rev() {
        match (&slot.message, masked) {
            (Message::Assistant(_), _) => earlier = true,
            (Message::User(_), _) | (Message::Tool(_), Masked::Yes) => {}
            (Message::Tool(_), Masked::No) => {
                let weight = of_slot(slot, Masked::No);
                stays = stays.saturating_add(weight);
                if earlier && stays > protected && weight > SMALL {
                    frees += weight - PREVIEW;
                    messages.push(slot.position);
                }
            }
        }
    }
    messages.reverse();
    let frees = size.scale.tokens(frees);
    (frees >= worth.max(1) && !messages.is_empty()).then_some(Masking { messages, frees })
}

/// How many of the newest messages stay behind a summary, where a request may have `room` tokens.
#[must_use]
pub fn kept(history: &History, size: &Size, room: u64) -> usize {
    let said = size.parts.messages + size.parts.results;
    let most = size.scale.weight(KEPT.min(room.saturating_mul(KEPT_PERCENT) / 100)).min(said / KEPT_PART);
    let last_turn = size.scale.weight(room / LAST_TURN_PART);
    let (mut weight, mut kept) = (0_u64, 0);
    let mut unanswered = true;
    for (number, (slot, masked)) in (1..).zip(history.view().rev()) {
        weight = weight.saturating_add(of_slot(slot, masked));
        let is_last_turn = kept == 0 && answers_follow(history);
        let fits = weight <= if is_last_turn { last_turn.max(most) } else { most };
        match &slot.message {
            Message::Tool(_) => unanswered = false,
            Message::User(_) if unanswered => kept = number,
            Message::Assistant(_) | Message::User(_) => {
                unanswered = false;
                if !fits {
                    break;
                }
                kept = number;
            }
        }
    }
    kept
}

/// Whether the newest message is a result: the model has not yet seen it.
fn answers_follow(history: &History) -> bool {
    matches!(history.messages().next_back(), Some(Message::Tool(_)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Map;

    use super::super::size::{Parts, Scale, measure};
    use super::*;
    use crate::protocol::{AssistantMessage, Entry, EntryBody, StopReason, ToolCall, ToolStatus};

    /// `u100` a user's hundred bytes, `a100` an answer's, `c12` an answer with calls 1 and 2, `r1:100` what call 1 gave.
    fn history(script: &str) -> History {
        let mut history = History::new();
        for word in script.split_whitespace() {
            history.apply(&Entry::message(0, message(word)));
        }
        history
    }

    fn message(word: &str) -> Message {
        let (kind, rest) = word.split_at(1);
        let text = |bytes: &str| "ab ".repeat(bytes.parse::<usize>().unwrap() / 3 + 1);
        match kind {
            "u" => Message::user(text(rest)),
            "a" => said(text(rest), Vec::new()),
            "c" => said(
                String::new(),
                rest.chars().map(|id| ToolCall::new(id.to_string(), "Read", "{}")).collect(),
            ),
            "r" => {
                let (id, bytes) = rest.split_once(':').unwrap();
                Message::tool(&ToolCall::new(id, "Read", "{}"), ToolStatus::Success, text(bytes))
            }
            other => panic!("{other}"),
        }
    }

    fn said(text: String, tool_calls: Vec<ToolCall>) -> Message {
        Message::Assistant(AssistantMessage {
            text,
            tool_calls,
            reasoning: None,
            extra: Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::EndTurn,
        })
    }

    fn size(history: &History) -> Size {
        measure(history, Parts::default(), Scale::default())
    }

    fn masked(script: &str, urgency: Urgency) -> Option<Vec<usize>> {
        let history = history(script);
        masking(&history, &size(&history), urgency).map(|masking| masking.messages)
    }

    const OLD: &str = "u10 c1 r1:20000 c2 r2:20000 c3 r3:20000 c4 r4:20000 a10 u10 c5 r5:20000";

    #[test]
    fn old_results_are_masked_and_the_newest_stay() {
        // a quarter of 50,000 tokens is 43,750 bytes: the last one and the one before
        assert_eq!(masked(OLD, Urgency::Ahead { room: 50_000 }), Some(vec![2, 4, 6]));
        assert_eq!(masked(OLD, Urgency::Ahead { room: 120_000 }), None, "all are protected");
    }

    #[test]
    fn a_masking_that_frees_little_is_not_worth_it() {
        let little = "u10 c1 r1:3000 c2 r2:3000 a10 u10 c3 r3:30000";
        assert_eq!(masked(little, Urgency::Ahead { room: 30_000 }), None);
        assert_eq!(masked("u10 c1 r1:900 a10 u10", Urgency::Refused), None, "a preview is hardly shorter");
    }

    #[test]
    fn after_a_refusal_all_but_the_turn_in_progress_gives_way() {
        assert_eq!(masked(OLD, Urgency::Refused), Some(vec![2, 4, 6, 8]));
        assert_eq!(masked("u10 c12 r1:90000 r2:90000", Urgency::Refused), None);
    }

    #[test]
    fn what_is_masked_is_not_masked_again() {
        let mut history = history(OLD);
        history.apply(&Entry { timestamp: 0, body: EntryBody::Masked { messages: vec![2, 4, 6, 8] } });
        assert_eq!(masking(&history, &size(&history), Urgency::Refused), None);
    }

    #[test]
    fn a_cut_keeps_the_newest_and_what_is_not_answered() {
        #[track_caller]
        fn check(script: &str, room: u64, expected: usize) {
            let history = history(script);
            assert_eq!(kept(&history, &size(&history), room), expected, "{script}");
        }
        check("u9000 a9000 u900 a900", 10_000, 2);
        check("u9000 a9000 u900 a900 u10", 10_000, 3);
        check("u10 a10 u90000", 10_000, 1);
        check("u90000 a90000", 10_000, 0);
        check("u10 c1 r1:9000 c2 r2:9000", 10_000, 2);
        check("u10 c1 r1:90000 c2 r2:90000", 10_000, 0);
        check("u9000 c12 r1:500 r2:500 a500", 10_000, 4);
    }

    proptest! {
        #[test]
        fn a_cut_never_parts_a_call_from_its_result(
            words in prop::collection::vec("u[1-9]000|a[1-9]00|c", 1..40),
            room in 1_000_u64..60_000,
        ) {
            let step = |(number, word): (usize, &String)| {
                let id = char::from_u32(0x4E00 + u32::try_from(number).unwrap()).unwrap();
                if word == "c" { format!("c{id} r{id}:{}", 100 * (number + 1)) } else { word.clone() }
            };
            let script = words.iter().enumerate().map(step).collect::<Vec<_>>().join(" ");
            let mut history = history(&script);
            let kept = kept(&history, &size(&history), room);
            let before: Vec<Message> = history.messages().cloned().collect();
            let tail = &before[before.len() - kept..];
            prop_assert!(!matches!(tail.first(), Some(Message::Tool(_))), "{script} {kept}");
            let asks = matches!(before.last(), Some(Message::User(_)));
            prop_assert!(!asks || kept > 0, "{script}");
            history.apply(&Entry { timestamp: 0, body: EntryBody::Compaction { summary: "S".into(), kept } });
            prop_assert!(history.messages().eq(tail.iter()));
        }
    }
}
