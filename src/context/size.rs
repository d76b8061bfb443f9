//! How many tokens a request has: the endpoint's own count as far as it goes, an estimate behind it.
//!
//! No tokenizer: that would cost 7 to 35 MB and be right for one family of models. Text is weighed in bytes; what the endpoint
//! counted for a request tells how many bytes a token has here, and only what came since is estimated by that. A message is
//! weighed once, its weight is kept beside it, so a turn adds up numbers and reads nothing again. The surprising decision: a
//! count that no text could have (ten tokens for fifty kilobytes) is not believed, for some servers count only what their
//! cache did not hold.

use super::Prompt;
use crate::protocol::history::Masked;
use crate::protocol::{Content, History, Message, Part, Slot, ToolSpec};

/// What frames a message: its role, a few marks. About four tokens.
const FRAME: u64 = 16;
/// What frames a call beside its name and arguments: its id and the fields around them.
const CALL_FRAME: u64 = 60;
/// An image: 1,500 tokens, about what large ones cost at the known makers.
const IMAGE: u64 = 5_250;
/// A result that is sent as a preview: twice 250 characters and a line between.
pub const PREVIEW: u64 = 640;
/// Bytes of which so many of a hundred are digits and marks have twice the tokens of prose (listings, numbers, hex).
const DENSE_PERCENT: u64 = 30;
/// Words longer than this on average are none: base64, minified code.
const LONG_WORD: u64 = 40;
/// Bytes of a token before anybody has counted, as a fraction: 3.5, a little below prose and code (4.2 and 4.3 measured).
const UNCOUNTED: Scale = Scale { weight: 7, tokens: 2 };
/// No text has fewer bytes of weight a token than this (base64 has 1.5, and its weight is doubled) ...
const LEAST_BYTES: u64 = 1;
/// ... and none has more (Russian has 10).
const MOST_BYTES: u64 = 12;

/// How many bytes of weight make how many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    weight: u64,
    tokens: u64,
}

/// What each part of a request weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// The system prompt.
    pub system: u64,
    /// The tools that are offered.
    pub tools: u64,
    /// What was said, a summary included.
    pub messages: u64,
    /// What tools answered.
    pub results: u64,
}

/// How large the next request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// What its parts weigh.
    pub parts: Parts,
    /// Its tokens.
    pub tokens: u64,
    /// By which its tokens were found.
    pub scale: Scale,
    /// Where the number comes from.
    pub source: Source,
}

/// Where a number of tokens comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From the endpoint, but for what came since.
    Counted,
    /// From the bytes alone.
    Estimated,
}

impl Default for Scale {
    fn default() -> Self {
        UNCOUNTED
    }
}

impl Scale {
    /// By a request of this weight that was counted as so many tokens; none where the count cannot be one of all of it.
    #[must_use]
    pub fn learnt(weight: u64, tokens: u64) -> Option<Self> {
        let plausible = tokens.saturating_mul(LEAST_BYTES)..=tokens.saturating_mul(MOST_BYTES);
        (tokens > 0 && plausible.contains(&weight)).then_some(Self { weight, tokens })
    }

    /// The tokens of so much weight.
    #[must_use]
    pub fn tokens(self, weight: u64) -> u64 {
        convert(weight, self.tokens, self.weight)
    }

    /// The weight of so many tokens.
    #[must_use]
    pub fn weight(self, tokens: u64) -> u64 {
        convert(tokens, self.weight, self.tokens)
    }
}

fn convert(number: u64, times: u64, by: u64) -> u64 {
    let scaled = u128::from(number) * u128::from(times) / u128::from(by.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

impl Parts {
    /// What every request of this prompt begins with.
    #[must_use]
    pub fn of_prompt(prompt: &Prompt) -> Self {
        let tool = |tool: &ToolSpec| {
            CALL_FRAME
                + text(tool.name.as_str())
                + text(&tool.description)
                + text(&tool.parameters.to_string())
        };
        Self {
            system: text(&prompt.system) + FRAME,
            tools: prompt.tools.iter().map(tool).sum(),
            ..Self::default()
        }
    }

    /// All of it.
    #[must_use]
    pub fn whole(self) -> u64 {
        self.system + self.tools + self.messages + self.results
    }
}

/// The size of the next request: `fixed` begins it, `before` is the scale where this history has none of its own.
#[must_use]
pub fn measure(history: &History, fixed: Parts, before: Scale) -> Size {
    let mut parts = fixed;
    parts.messages += history.summary().map_or(0, |told| text(told) + FRAME);
    let mut counted = None;
    for (slot, masked) in history.view() {
        if let Some(tokens) = count(slot, history.counted_from()) {
            let whole = parts.whole();
            counted = Scale::learnt(whole, tokens).map(|scale| (scale, whole, tokens)).or(counted);
        }
        match slot.message {
            Message::Tool(_) => parts.results += of_slot(slot, masked),
            Message::User(_) | Message::Assistant(_) => parts.messages += of_slot(slot, masked),
        }
    }
    match counted {
        Some((scale, weight, tokens)) => Size {
            parts,
            tokens: tokens.saturating_add(scale.tokens(parts.whole().saturating_sub(weight))),
            scale,
            source: Source::Counted,
        },
        None => {
            Size { parts, tokens: before.tokens(parts.whole()), scale: before, source: Source::Estimated }
        }
    }
}

/// What the endpoint counted for the request that this answers, where that still stands as it was sent.
fn count(slot: &Slot, from: usize) -> Option<u64> {
    match &slot.message {
        Message::Assistant(said) if slot.position >= from => said.usage.map(|usage| usage.prompt_tokens),
        Message::Assistant(_) | Message::User(_) | Message::Tool(_) => None,
    }
}

/// What a message weighs as it is sent.
#[must_use]
pub fn of_slot(slot: &Slot, masked: Masked) -> u64 {
    let whole = *slot.weight.get_or_init(|| of_message(&slot.message));
    match masked {
        Masked::Yes => whole.min(PREVIEW),
        Masked::No => whole,
    }
}

fn of_message(message: &Message) -> u64 {
    FRAME
        + match message {
            Message::User(user) => content(&user.content),
            Message::Tool(answer) => content(&answer.content) + CALL_FRAME,
            Message::Assistant(said) => {
                let calls = said.tool_calls.iter();
                let calls = calls.map(|call| text(call.name.as_str()) + text(&call.arguments) + CALL_FRAME);
                text(&said.text) + calls.sum::<u64>()
            }
        }
}

fn content(content: &Content) -> u64 {
    let part = |part: &Part| match part {
        Part::Text(words) => text(words),
        Part::Image { .. } => IMAGE,
    };
    content.0.iter().map(part).sum()
}

/// What a text weighs: its bytes, twice where it is none to read.
#[must_use]
pub fn text(text: &str) -> u64 {
    let bytes = text.len() as u64;
    if is_dense(text) { bytes.saturating_mul(2) } else { bytes }
}

/// Whether tokens are short here: digits and marks, or words without end.
fn is_dense(text: &str) -> bool {
    let (mut marks, mut solid, mut words, mut before) = (0_u64, 0_u64, 0_u64, true);
    for byte in text.bytes() {
        let is_space = byte.is_ascii_whitespace();
        words += u64::from(before && !is_space);
        before = is_space;
        solid += u64::from(!is_space);
        marks += u64::from(byte.is_ascii_digit() || byte.is_ascii_punctuation());
    }
    marks * 100 > solid * DENSE_PERCENT || (text.is_ascii() && solid > words * LONG_WORD)
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::protocol::{AssistantMessage, Entry, EntryBody, StopReason, ToolCall, ToolStatus, Usage};

    /// `counted` prompt tokens; 0 where the endpoint says nothing.
    fn answer(text: &str, counted: u64) -> Message {
        let usage = Usage { prompt_tokens: counted, completion_tokens: 7, ..Usage::default() };
        Message::Assistant(AssistantMessage {
            text: text.to_owned(),
            tool_calls: vec![ToolCall::new(text, "Read", "{}")],
            reasoning: None,
            extra: Map::new(),
            model: "m".into(),
            usage: (counted > 0).then_some(usage),
            stop_reason: StopReason::EndTurn,
        })
    }

    fn result(id: &str, text: &str) -> Message {
        Message::tool(&ToolCall::new(id, "Read", "{}"), ToolStatus::Success, text)
    }

    fn history(messages: impl IntoIterator<Item = Message>) -> History {
        let mut history = History::new();
        messages.into_iter().for_each(|message| history.apply(&Entry::message(0, message)));
        history
    }

    const FIXED: Parts = Parts { system: 2_000, tools: 1_500, messages: 0, results: 0 };

    fn of(history: &History) -> Size {
        measure(history, FIXED, Scale::default())
    }

    #[test]
    fn before_anybody_has_counted_a_token_has_three_bytes_and_a_half() {
        let size = of(&history([Message::user("a ".repeat(1_734))]));
        assert_eq!((size.parts.whole(), size.tokens), (3_500 + 3_468 + 16, 1_995));
        assert_eq!(size.source, Source::Estimated);
    }

    #[test]
    fn a_count_stands_as_it_is_and_scales_what_came_behind_it() {
        let said = "ab ".repeat(1_000);
        let history = history([Message::user(&said), answer("c", 3_258), result("c", &said)]);
        // 6516 bytes were counted as 3258 tokens: two bytes each
        let size = of(&history);
        let behind = size.parts.whole() - 6_516;
        assert_eq!((size.tokens, size.source), (3_258 + behind / 2, Source::Counted));
        assert_eq!((size.scale.tokens(100), size.scale.weight(100)), (50, 200));
    }

    #[test]
    fn a_count_that_no_text_could_have_is_not_believed() {
        let size = |counted| of(&history([Message::user("ab ".repeat(1_000)), answer("c", counted)]));
        for counted in [10, 500, 7_000, u64::MAX] {
            assert_eq!(size(counted).source, Source::Estimated, "{counted}");
        }
        assert_eq!(size(600).source, Source::Counted);
    }

    #[test]
    fn what_was_counted_before_a_masking_or_a_summary_tells_nothing() {
        let long = "ab ".repeat(1_000);
        let base =
            history([Message::user(&long), answer("c", 3_000), result("c", &long), answer("d", 4_000)]);
        assert_eq!(of(&base).source, Source::Counted);
        for body in [
            EntryBody::Masked { messages: vec![2] },
            EntryBody::Compaction { summary: "S".to_owned(), kept: 2 },
        ] {
            let mut history = base.clone();
            history.apply(&Entry { timestamp: 0, body });
            let size = of(&history);
            assert_eq!(size.source, Source::Estimated);
            assert!(size.parts.whole() < of(&base).parts.whole());
            history.apply(&Entry::message(0, answer("e", 2_000)));
            assert_eq!(of(&history).source, Source::Counted);
        }
    }

    #[test]
    fn what_is_dense_weighs_twice() {
        #[track_caller]
        fn check(text_: &str, times: u64) {
            assert_eq!(text(text_), times * text_.len() as u64, "{text_}");
        }
        check("", 1);
        check("The total is wrong when the cart is empty, and nobody knows why.", 1);
        check("    pub fn total(&self) -> Money {\n        self.items.iter().map(Item::price)\n    }", 1);
        check("每个文件都以它是什么以及它不是什么开头，然后说明一个令人惊讶的决定。", 1);
        check(
            "-rw-r--r-- 1 u u  4096 2026-01-31 12:00 a.rs\n-rw-r--r-- 1 u u 81922 2026-01-31 12:00 b.rs",
            2,
        );
        check("3.14159 2.71828 1.41421", 2);
        check("a4abd4448c49562d828115d13a1fccea927f52b4d5459297", 2);
        check(&"TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24".repeat(3), 2);
        check(r#"{"a": 1, "b": [2, 3], "c": {"d": 4}}"#, 2);
    }

    #[test]
    fn a_message_is_weighed_once() {
        let history = history([Message::user("abc")]);
        let (slot, _) = history.view().next().unwrap();
        assert_eq!((of_slot(slot, Masked::No), slot.weight.get()), (19, Some(&19)));
        let copy = history.clone();
        assert_eq!(copy.view().next().unwrap().0.weight.get(), Some(&19), "a snapshot shares it");
    }
}
