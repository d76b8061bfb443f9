//! The visible text of an answer: what of it may be shown, what must wait, and what is no text at all.
//!
//! Two things are found in it: calls that were written as text ([`super::text_calls`]), and a tag that closes thoughts which no tag
//! opened, because that one stood in the prompt; then all before it was a thought. Both count only where a model means them: at the
//! beginning of a line or the end of a sentence, and never in code. What could become one of them is held back, so that a
//! screen never shows half a call; what does not is handed on as it was. The surprising decision: nothing is ever taken out of
//! the text before the end, for a call may turn out to be a thought, and all of them to be text when the endpoint sends
//! calls of its own after all.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr2};

use super::accumulate::TextCalls;
use super::arguments::Written;
use super::code_places::{CodePlaces, Spot};
use super::cursor::{Growing, Rest, Seen};
use super::text_calls::{Block, FENCES, Mark, Step, TOOL_CALL_END};
use crate::protocol::{ToolCall, ToolSpec};

/// Open and close thoughts in the middle of a text.
const THINK: &str = "<think>";
const THINK_END: &str = "</think>";

/// So many bytes are held back at most; what is longer is shown.
const MAX_HELD_BYTES: usize = 1024 * 1024;

/// A text that grows.
#[derive(Debug, Default)]
pub(in crate::chat) struct Visible {
    text: String,
    /// Up to here it has been handed on or found to be something else.
    clear: usize,
    calls: TextCalls,
    tools: Arc<[ToolSpec]>,
    watch: Watch,
    code: CodePlaces,
    /// The block that may be a call; it begins where the clear text ends.
    block: Option<Block>,
    cuts: Vec<Cut>,
    behind: Behind,
    /// Blank space at the end of what has been handed on, kept back: it is nobody's where only a call follows.
    blank: Range<usize>,
    /// How much of it was a thought, and where the rest begins.
    thoughts: (usize, usize),
}

/// A part of the text that is calls.
#[derive(Debug)]
struct Cut {
    place: Range<usize>,
    calls: Vec<Written>,
}

/// Where a tag may close thoughts that no tag opened.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Watch {
    /// Only at the beginning of the text.
    #[default]
    AtBeginning,
    /// Anywhere: the model is known to reason.
    On,
    Off,
}

/// What stands right before the text that is not yet clear.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Behind {
    #[default]
    Text,
    /// A call: the blank space there belongs to nobody, nor does a tag that closes what was not opened.
    Call,
    /// The end of thoughts: the blank space there belongs to nobody.
    Thoughts,
}

/// What stands where a mark may stand.
enum Found {
    Nothing,
    /// It will be known when more has come.
    Perhaps,
    Call(Mark),
    EndOfThoughts,
    Thoughts,
}

/// What a text has come to.
#[derive(Debug, Default, PartialEq)]
pub(in crate::chat) struct Said {
    /// What is left for a reader.
    pub(in crate::chat) text: String,
    /// What stood before a tag that closes thoughts.
    pub(in crate::chat) thoughts: String,
    /// The calls in it.
    pub(in crate::chat) calls: Vec<ToolCall>,
}

impl Visible {
    /// A text in which `calls` of `tools` may stand.
    pub(in crate::chat) fn new(calls: TextCalls, tools: Arc<[ToolSpec]>) -> Self {
        Self { calls, tools, ..Self::default() }
    }

    /// How many bytes have come.
    pub(in crate::chat) fn len(&self) -> usize {
        self.text.len()
    }

    /// What stands there.
    pub(in crate::chat) fn part(&self, place: Range<usize>) -> &str {
        self.text.get(place).unwrap_or_default()
    }

    /// Takes more text, and hands on the places of what may be shown.
    pub(in crate::chat) fn push(&mut self, text: &str, mut on: impl FnMut(Range<usize>)) {
        self.text.push_str(text);
        self.advance(Rest::Open, &mut on);
    }

    /// The model is known to reason: a tag may close what was taken for text.
    pub(in crate::chat) fn expect_thoughts(&mut self) {
        self.watch = Watch::On;
    }

    /// Thoughts come by a way of their own: none stand here.
    pub(in crate::chat) fn expect_no_thoughts(&mut self) {
        self.watch = Watch::Off;
    }

    /// Calls come by a way of their own: what was taken for one is text, and is handed on.
    pub(in crate::chat) fn expect_no_calls(&mut self, mut on: impl FnMut(Range<usize>)) {
        if self.calls == TextCalls::Off {
            return;
        }
        self.calls = TextCalls::Off;
        self.behind = Behind::Text;
        self.block = None;
        self.hand_on_blank(&mut on);
        self.cuts.drain(..).for_each(|cut| on(cut.place));
        self.advance(Rest::Open, &mut on);
    }

    /// The text has ended: hands on what may be shown of the rest.
    pub(in crate::chat) fn end(&mut self, mut on: impl FnMut(Range<usize>)) {
        self.advance(Rest::Ended, &mut on);
        if self.cuts.is_empty() {
            self.hand_on_blank(&mut on);
        }
    }

    /// Up to where it was thoughts.
    pub(in crate::chat) fn end_of_thoughts(&self) -> usize {
        self.thoughts.0
    }

    /// What it has come to, once it has ended.
    pub(in crate::chat) fn into_said(self) -> Said {
        let (end, begin) = self.thoughts;
        if self.cuts.is_empty() && begin == 0 {
            return Said { text: self.text, ..Said::default() };
        }
        let (mut text, mut from) = (String::new(), begin);
        for cut in &self.cuts {
            text.push_str(self.part(from..cut.place.start));
            from = cut.place.end;
        }
        text.push_str(self.part(from..self.text.len()));
        if !self.cuts.is_empty() {
            text.truncate(text.trim_end().len());
        }
        let thoughts = self.part(0..end).to_owned();
        let written = self.cuts.into_iter().flat_map(|cut| cut.calls);
        let calls = (1..).zip(written);
        let calls = calls
            .map(|(number, call)| ToolCall::new(format!("text_call_{number}"), call.name, call.arguments));
        Said { text, thoughts, calls: calls.collect() }
    }

    fn advance(&mut self, rest: Rest, on: &mut impl FnMut(Range<usize>)) {
        loop {
            let is_done = match self.block.take() {
                Some(block) => self.read(block, rest, on),
                None => self.seek(rest, on),
            };
            if is_done {
                return;
            }
        }
    }

    /// Reads the block on; whether that is all that can be done now.
    fn read(&mut self, mut block: Block, rest: Rest, on: &mut impl FnMut(Range<usize>)) -> bool {
        let all = self.text.get(self.clear..).unwrap_or_default();
        let held = all.get(..all.floor_char_boundary(MAX_HELD_BYTES)).unwrap_or_default();
        let is_all = held.len() == all.len();
        let text = Growing { text: held, rest: if is_all { rest } else { Rest::Open } };
        match block.read(text, &self.tools) {
            Step::More if is_all && rest == Rest::Open => {
                self.block = Some(block);
                return true;
            }
            Step::More => {
                let end = self.clear + held.len();
                self.hand_on(end, on);
            }
            Step::Text(length) => self.hand_on(self.clear + length, on),
            Step::Calls(length, calls) => {
                let place = self.clear..self.clear + length;
                self.clear = place.end;
                self.cuts.push(Cut { place, calls });
                self.behind = Behind::Call;
            }
        }
        false
    }

    /// Looks for a mark; whether that is all that can be done now.
    fn seek(&mut self, rest: Rest, on: &mut impl FnMut(Range<usize>)) -> bool {
        if self.skip(rest) {
            return true;
        }
        let mut from = self.clear;
        while let Some(at) = self.next_candidate(from) {
            match self.find(at, rest) {
                Found::Nothing => from = at + 1,
                Found::Thoughts => {
                    self.watch = Watch::Off;
                    from = at + 1;
                }
                Found::Perhaps => {
                    self.hand_on(at, on);
                    return true;
                }
                Found::Call(mark) => {
                    self.hand_on(at, on);
                    self.block = Some(Block::new(mark));
                    return false;
                }
                Found::EndOfThoughts => {
                    self.hand_on(at, on);
                    self.end_thoughts(at);
                    return false;
                }
            }
        }
        self.hand_on(self.text.len(), on);
        true
    }

    fn next_candidate(&self, from: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..)?;
        let place = match (self.calls, self.watch) {
            (TextCalls::Off, Watch::Off) => None,
            (TextCalls::All, _) => memchr2(b'<', b'`', rest),
            (TextCalls::Tags | TextCalls::Off, _) => memchr(b'<', rest),
        };
        Some(from + place?)
    }

    /// What stands at `at`.
    fn find(&mut self, at: usize, rest: Rest) -> Found {
        let text = Growing { text: &self.text, rest };
        let mut found = Found::Nothing;
        for mark in marks(self.calls) {
            let seen = text.see(at, mark.text());
            if seen != Seen::No && self.code.spot(&self.text, at) == Spot::LineStart {
                match seen {
                    Seen::Whole => return Found::Call(mark),
                    Seen::Half | Seen::No => found = Found::Perhaps,
                }
            }
        }
        let may_close = match self.watch {
            Watch::AtBeginning => self.part(0..at).trim_start().is_empty(),
            Watch::On => true,
            Watch::Off => false,
        };
        if may_close {
            for word in [THINK, THINK_END] {
                let seen = text.see(at, word);
                if seen != Seen::No && self.code.spot(&self.text, at) != Spot::Code {
                    match seen {
                        Seen::Whole if word == THINK => return Found::Thoughts,
                        Seen::Whole => return self.find_end(at, rest),
                        Seen::Half | Seen::No => found = Found::Perhaps,
                    }
                }
            }
        }
        found
    }

    /// Whether the tag at `at` closes thoughts, or is only spoken of: then it stands in the middle of a sentence.
    fn find_end(&mut self, at: usize, rest: Rest) -> Found {
        let next = self.part(at + THINK_END.len()..self.text.len()).chars().next();
        if next.is_none() && rest == Rest::Open {
            return Found::Perhaps;
        }
        let before = self.part(0..at).chars().next_back();
        let ends_line = matches!(next, None | Some('\n' | '\r'));
        let is_end = match self.code.spot(&self.text, at) {
            Spot::LineStart => !matches!(next, Some(' ' | '\t')),
            Spot::InLine => before.is_some_and(|c| ends_sentence(c) || (c.is_alphanumeric() && ends_line)),
            Spot::Code => false,
        };
        if is_end { Found::EndOfThoughts } else { Found::Nothing }
    }

    /// All before the tag at `at` was a thought, and no call.
    fn end_thoughts(&mut self, at: usize) {
        let end = at + THINK_END.len();
        let is_blank = self.part(0..at).trim().is_empty();
        self.thoughts = (if is_blank { 0 } else { at }, end);
        self.clear = end;
        self.cuts.clear();
        self.blank = 0..0;
        self.watch = Watch::Off;
        self.behind = Behind::Thoughts;
    }

    /// Passes over what belongs to nobody; whether nothing else has come.
    fn skip(&mut self, rest: Rest) -> bool {
        while self.behind != Behind::Text {
            let text = Growing { text: &self.text, rest };
            let behind = text.behind_blank(self.clear);
            let seen = match self.behind {
                Behind::Call if behind < self.text.len() => text.see(behind, TOOL_CALL_END),
                Behind::Call | Behind::Text | Behind::Thoughts => Seen::No,
            };
            self.cut_to(behind);
            match seen {
                Seen::Whole => self.cut_to(behind + TOOL_CALL_END.len()),
                Seen::Half => return true,
                Seen::No if behind == self.text.len() => return true,
                Seen::No => {
                    self.behind = Behind::Text;
                    self.code.skip_to(self.clear);
                }
            }
        }
        false
    }

    /// What stands before `at` and is not clear belongs to what was cut out before it.
    fn cut_to(&mut self, at: usize) {
        self.clear = at;
        match (self.behind, self.cuts.last_mut()) {
            (Behind::Call, Some(cut)) => cut.place.end = at,
            (Behind::Thoughts, _) => self.thoughts.1 = at,
            (Behind::Call, None) | (Behind::Text, _) => {}
        }
    }

    /// What stands before `to` is text.
    fn hand_on(&mut self, to: usize, on: &mut impl FnMut(Range<usize>)) {
        let place = self.clear..to;
        self.clear = to;
        let length = match self.calls {
            TextCalls::Off => place.len(),
            TextCalls::Tags | TextCalls::All => self.part(place.clone()).trim_end().len(),
        };
        let end = place.start + length;
        if length > 0 {
            self.hand_on_blank(on);
            on(place.start..end);
        }
        if end < to && self.blank.end == end {
            self.blank.end = to;
        } else if end < to {
            self.hand_on_blank(on);
            self.blank = end..to;
        }
    }

    fn hand_on_blank(&mut self, on: &mut impl FnMut(Range<usize>)) {
        let blank = std::mem::take(&mut self.blank);
        if !blank.is_empty() {
            on(blank);
        }
    }
}

/// What may open a call.
fn marks(calls: TextCalls) -> impl Iterator<Item = Mark> {
    let (tags, fences): (&[Mark], &[&str]) = match calls {
        TextCalls::Off => (&[], &[]),
        TextCalls::Tags => (&[Mark::ToolCall, Mark::Function], &[]),
        TextCalls::All => (&[Mark::ToolCall, Mark::Function], &FENCES),
    };
    tags.iter().copied().chain(fences.iter().copied().map(Mark::Fence))
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools() -> Arc<[ToolSpec]> {
        let tool = |name: &str, parameters| ToolSpec::new(name, "", parameters);
        let path = json!({"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},
            "all":{"type":"boolean"},"list":{"type":"array"}},"required":["path"]});
        Arc::new([tool("Read", path), tool("Now", json!({"type":"object","properties":{}}))])
    }

    /// What is handed on of `pieces`, and what they come to.
    fn read<'a>(mode: TextCalls, pieces: impl IntoIterator<Item = &'a str>) -> (String, Said) {
        let mut visible = Visible::new(mode, tools());
        visible.expect_thoughts();
        let mut places = Vec::new();
        for piece in pieces {
            visible.push(piece, |place| places.push(place));
        }
        visible.end(|place| places.push(place));
        let shown = places.into_iter().map(|place| visible.part(place)).collect();
        (shown, visible.into_said())
    }

    /// `text` at once and letter by letter: what is shown, and the calls as `name arguments`.
    #[track_caller]
    fn check(mode: TextCalls, text: &str, shown: &str, calls: &[&str]) -> Said {
        let whole = read(mode, [text]);
        let letters: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(read(mode, letters.iter().map(String::as_str)), whole, "{text:?}");
        let (seen, said) = whole;
        let found: Vec<String> =
            said.calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
        assert_eq!(found, calls, "{text:?}");
        assert_eq!(seen, shown, "{text:?}");
        assert_eq!(said.text, shown, "{text:?}");
        let ids: Vec<String> = said.calls.iter().map(|call| call.id.to_string()).collect();
        assert_eq!(ids, (1..=calls.len()).map(|number| format!("text_call_{number}")).collect::<Vec<_>>());
        said
    }

    #[track_caller]
    fn is_text(mode: TextCalls, text: &str) {
        check(mode, text, text, &[]);
    }

    const A: &str = r#"{"name":"Read","arguments":{"path":"a"}}"#;
    const READ_A: &str = r#"Read {"path":"a"}"#;
    const TAGS: TextCalls = TextCalls::Tags;
    const ALL: TextCalls = TextCalls::All;

    #[test]
    fn json_between_tags_is_a_call() {
        check(TAGS, &format!("<tool_call>\n{A}\n</tool_call>"), "", &[READ_A]);
        check(TAGS, &format!("So:\n\n<tool_call>{A}</tool_call>\n\nDone.\n"), "So:\n\nDone.", &[READ_A]);
        check(TAGS, &format!("  <tool_call>{A}"), "", &[READ_A]);
        check(TAGS, &format!("<tool_call>{A}\n</tool_c"), &format!("<tool_call>{A}\n</tool_c"), &[]);
        let two = format!("<tool_call>{A}</tool_call><tool_call>\n{A}\n</tool_call>\n");
        check(TAGS, &two, "", &[READ_A, READ_A]);
        let inner = r#"<tool_call>{"name":"Read","arguments":{"path":"</tool_call>\n}"}}</tool_call>"#;
        check(TAGS, inner, "", &[r#"Read {"path":"</tool_call>\n}"}"#]);
        let parameters =
            r#"<tool_call>{"name": "Read", "parameters": {"path": "a", "limit": 3}}</tool_call>"#;
        check(TAGS, parameters, "", &[r#"Read {"path": "a", "limit": 3}"#]);
        let packed = r#"<tool_call>{"name":"Read","arguments":"{\"path\":\"a\"}"}</tool_call>"#;
        check(TAGS, packed, "", &[READ_A]);
        check(TAGS, r#"<tool_call>{"name":"Now","arguments":{}}</tool_call>"#, "", &["Now {}"]);
    }

    #[test]
    fn a_function_between_tags_is_a_call() {
        let function = "<function=Read>\n<parameter=path>\na\n</parameter>\n</function>";
        check(TAGS, &format!("<tool_call>\n{function}\n</tool_call>"), "", &[READ_A]);
        check(TAGS, &format!("<tool_call>\n{function}\n"), "", &[READ_A]);
        check(TAGS, &format!("So.\n\n{function}"), "So.", &[READ_A]);
        check(TAGS, &format!("{function}\n</tool_call>\nx"), "x", &[READ_A]);
        check(TAGS, &format!("{function}\n{function}"), "", &[READ_A, READ_A]);
        check(TAGS, &format!("<tool_call>{function}{function}</tool_call>"), "", &[READ_A, READ_A]);
        check(TAGS, "<function=Now>\n</function>", "", &["Now {}"]);
        check(TAGS, r#"<function=Read>{"path":"a"}</function>"#, "", &[READ_A]);
        check(TAGS, r#"<function=Read>{"path":"a"}"#, "", &[READ_A]);
    }

    #[test]
    fn values_between_tags_become_what_the_tool_takes() {
        let function = "<function=Read>\n<parameter=path>\n\n a\n  b\n\n</parameter>\n<parameter=limit>\n12\n\
            </parameter>\n<parameter=all>True</parameter><parameter=list>[1, 2]</parameter>\n</function>";
        check(TAGS, function, "", &[r#"Read {"path":"\n a\n  b\n","limit":12,"all":true,"list":[1,2]}"#]);
        let inner = "<function=Read><parameter=path>a</parameter> b</parameter></function>";
        check(TAGS, inner, "", &[r#"Read {"path":"a</parameter> b"}"#]);
        is_text(
            TAGS,
            "<function=Read><parameter=path>a</parameter><parameter=limit>many</parameter></function>",
        );
        is_text(TAGS, "<function=Read><parameter=limit>1</parameter></function>");
        is_text(TAGS, "<function=Read><parameter=path>a</parameter><parameter=path>b</parameter></function>");
        is_text(TAGS, "<function=Read><parameter=path>a</parameter><parameter=odd>b</parameter></function>");
    }

    #[test]
    fn a_value_that_ends_a_function_is_no_reason_to_call_it() {
        let inner = "<function=Read><parameter=path>a</parameter></function>";
        let outer = format!("<function=Read><parameter=path>see {inner}</parameter></function>");
        is_text(TAGS, &outer);
        is_text(TAGS, &format!("<tool_call>{outer}</tool_call>"));
    }

    #[test]
    fn whatever_is_odd_about_a_block_leaves_it_text() {
        for text in [
            r#"<tool_call>{"name":"Write","arguments":{"path":"a"}}</tool_call>"#,
            r#"<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>"#,
            r#"<tool_call>{"name":"Read","arguments":{}}</tool_call>"#,
            r#"<tool_call>{"name":"Read","arguments":{"path":1}}</tool_call>"#,
            r#"<tool_call>{"name":"Read","arguments":["a"]}</tool_call>"#,
            r#"<tool_call>{"name":"Read"}</tool_call>"#,
            r#"<tool_call>{"name":"Read","arguments":{"path":"a"}}, more</tool_call>"#,
            r#"<tool_call>{"name":"Read","arguments":{"path":"a"</tool_call>"#,
            r#"<tool_call>{"name":"Read","arguments":{"path":"a\ud83d"}}</tool_call>"#,
            "<tool_call>\nRead a\n</tool_call>",
            "<tool_call>",
            "<tool_call>\n{",
            "<tool_ca",
            "<function=Write><parameter=path>a</parameter></function>",
            "<function=Read><parameter=path>a",
            "<function=Read><parameter=path>a</parameter>",
            "<function=Read>a</function>",
            "<function=Read",
            "<function=>",
            "<function=Read>\n<parameter=pa\nth>a</parameter></function>",
            r#"<function=Read>{"path":"a"} more</function>"#,
            "</tool_call>",
        ] {
            is_text(TAGS, text);
            is_text(ALL, text);
            is_text(TAGS, &format!("é\n{text}\n\nmore"));
        }
    }

    #[test]
    fn a_block_counts_at_the_beginning_of_a_line_of_prose() {
        let block = format!("<tool_call>{A}</tool_call>");
        for text in [
            format!("Write {block}"),
            format!("`{block}`"),
            format!("    {block}"),
            format!("```\n{block}\n```"),
            format!("~~~xml\n{block}\n~~~\n"),
            format!("1. so\n   ```\n   {block}\n   ```"),
        ] {
            is_text(TAGS, &text);
        }
        check(TAGS, &format!("```\n<x>\n```\n{block}"), "```\n<x>\n```", &[READ_A]);
        is_text(TextCalls::Off, &block);
    }

    #[test]
    fn what_follows_a_failed_block_is_looked_at() {
        let block = format!("<tool_call>{A}</tool_call>");
        check(TAGS, &format!("<tool_call>\n{block}"), "<tool_call>", &[READ_A]);
        check(TAGS, &format!("<tool_call>{{}}</tool_call>\n{block}"), "<tool_call>{}</tool_call>", &[READ_A]);
        check(TAGS, &format!("<function=x>\n{block}x"), "<function=x>\nx", &[READ_A]);
        // Backticks in a call are no code of the answer.
        let ticks = r#"<tool_call>{"name":"Read","arguments":{"path":"`"}}</tool_call>"#;
        check(TAGS, &format!("{ticks}\n{block}"), "", &[r#"Read {"path":"`"}"#, READ_A]);
    }

    #[test]
    fn json_in_a_fence_is_a_call_at_the_end_of_an_answer() {
        let fence = format!("```json\n{A}\n```");
        check(ALL, &format!("So:\n{fence}"), "So:", &[READ_A]);
        check(ALL, &format!("{fence}\n\n```tool_call\n{A}\n```\n"), "", &[READ_A, READ_A]);
        check(ALL, &format!("```json\n{A}"), "", &[READ_A]);
        check(ALL, &format!("<tool_call>{A}</tool_call>\n"), "", &[READ_A]);
        is_text(ALL, &format!("{fence}\nThat is how."));
        is_text(ALL, &format!("{fence}\n\n```rust\nx\n```"));
        is_text(ALL, &format!("```\n{fence}\n```"));
        is_text(ALL, "```json\n{\"a\": 1}\n```");
        is_text(ALL, "```json\n{ \n \"name\": \"x\", \"version\": \"1\"}\n```");
        is_text(ALL, "```json\n[1]\n```");
        is_text(ALL, "```js");
        is_text(TAGS, &fence);
    }

    #[test]
    fn half_a_call_is_never_shown() {
        #[track_caller]
        fn check(text: &str, shown: &str) {
            let mut visible = Visible::new(ALL, tools());
            visible.expect_thoughts();
            let mut end = 0;
            for letter in text.chars() {
                visible.push(letter.encode_utf8(&mut [0; 4]), |place| end = place.end);
            }
            assert_eq!(text.get(..end), Some(shown));
        }
        check("a\n<tool_c", "a");
        check("a\n<tool_call>\n{\"name", "a");
        check("a\n<function=Re", "a");
        check("a\n<function=Ru>", "a\n<function=Ru>");
        check("a\n```json", "a");
        check("a\n```json\n{\"x", "a\n```json\n{\"x");
        check("a\n```rust", "a\n```rust");
        check("a <tool_call>", "a <tool_call>");
        check("a\n</thin", "a");
        check("a\n</thing", "a\n</thing");
    }

    #[test]
    fn no_more_is_held_back_than_the_limit() {
        let mut visible = Visible::new(TAGS, tools());
        let (mut shown, mut sent) = (0, 0);
        let block = "x".repeat(64 * 1024);
        visible.push("<tool_call>{\"", |_| panic!("it is shown at once"));
        while shown == 0 {
            assert!(sent <= MAX_HELD_BYTES, "nothing is shown");
            visible.push(&block, |place| shown += place.len());
            sent += block.len();
        }
        visible.push("é", |place| shown += place.len());
        assert_eq!(shown, visible.len());
        let long = format!("<tool_call>{{\"name\":\"{}\"}}</tool_call>", "é".repeat(MAX_HELD_BYTES));
        let pieces = (0..long.len()).step_by(4096).map(|at| {
            let end = long.ceil_char_boundary(at + 4096);
            long.get(long.ceil_char_boundary(at)..end).unwrap()
        });
        assert_eq!(read(TAGS, pieces), read(TAGS, [long.as_str()]));
    }

    #[test]
    fn a_tag_closes_thoughts_that_no_tag_opened() {
        #[track_caller]
        fn check(text: &str, thoughts: &str, rest: &str) {
            let said = read(ALL, [text]).1;
            assert_eq!((said.thoughts.as_str(), said.text.as_str()), (thoughts, rest), "{text:?}");
            let letters: Vec<String> = text.chars().map(String::from).collect();
            assert_eq!(read(ALL, letters.iter().map(String::as_str)).1, said, "{text:?}");
        }
        check("hm\n</think>\n\nyes", "hm\n", "yes");
        check("hm\n</think>yes", "hm\n", "yes");
        check("3. Be brief.</think>391", "3. Be brief.", "391");
        check("好。</think>\n是", "好。", "是");
        check("so 391</think>\nyes", "so 391", "yes");
        check("so 391</think>", "so 391", "");
        check("\n</think>\n\nyes</think>\n", "", "yes</think>\n");
        check("```\na\n```\nhm.\n</think>\nyes", "```\na\n```\nhm.\n", "yes");
        let call = format!("<tool_call>{A}</tool_call>");
        check(&format!("{call}\n</think>\nyes"), &format!("{call}\n"), "yes");
    }

    #[test]
    fn space_around_the_end_of_thoughts_is_not_shown_as_text() {
        assert_eq!(read(ALL, ["hm\n</think>\n\nyes\n"]).0, "hmyes\n");
        assert_eq!(read(TextCalls::Off, ["hm\n</think>\n\nyes\n"]).0, "hm\nyes\n");
    }

    #[test]
    fn a_tag_that_is_spoken_of_closes_nothing() {
        for text in [
            "Models end thoughts with </think> and go on.",
            "</think> is the closing tag.",
            "Write `</think>` here.",
            "Write `x.</think>` here.",
            "(</think>)",
            "x</think>y",
            "```\nhm\n</think>\n```",
            "    hm\n    </think>x",
            "It is <think>\nhm\n</think>\n there.",
            "A </thinker>.",
        ] {
            is_text(TextCalls::Off, text);
            is_text(ALL, text);
        }
    }

    #[test]
    fn only_at_the_beginning_a_tag_closes_thoughts_of_a_model_that_is_not_known_to_reason() {
        let said = |text: &str| {
            let mut visible = Visible::new(TAGS, tools());
            text.split_inclusive('\n').for_each(|line| visible.push(line, |_| {}));
            visible.end(|_| {});
            let said = visible.into_said();
            (said.thoughts, said.text)
        };
        let plain = "A template ends with\n</think>\nand then comes the answer.";
        assert_eq!(said(plain), (String::new(), plain.to_owned()));
        assert_eq!(said("\n</think>\n\nyes"), (String::new(), "yes".to_owned()));
    }

    #[test]
    fn thoughts_and_calls_may_come_by_other_ways() {
        let mut visible = Visible::new(TAGS, tools());
        let mut shown = Vec::new();
        visible.expect_no_thoughts();
        visible.push(&format!("a\n</think>\n<tool_call>{A}</tool_call>\n\n<tool"), |place| shown.push(place));
        visible.expect_no_calls(|place| shown.push(place));
        visible.expect_no_calls(|_| panic!("it is shown twice"));
        visible.end(|place| shown.push(place));
        assert_eq!(shown.iter().map(Range::len).sum::<usize>(), visible.len());
        let said = visible.into_said();
        assert_eq!((said.text.len(), said.calls.len()), (said.text.trim_end().len(), 0));
        assert!(said.text.starts_with("a\n</think>\n<tool_call>{") && said.text.ends_with("\n\n<tool"));
        let mut visible = Visible::new(TAGS, tools());
        visible.push(&format!("<tool_call>{A}</tool_call>\n"), |_| panic!("it is shown too early"));
        let mut shown = 0;
        visible.expect_no_calls(|place| shown += place.len());
        visible.push("\nx", |place| shown += place.len());
        assert_eq!(shown, visible.len());
    }

    #[test]
    fn a_million_letters_take_no_more_than_twice_their_room() {
        let mut visible = Visible::new(ALL, tools());
        let mut end = 0;
        for _ in 0..1_000_000 {
            visible.push("x", |place| {
                assert_eq!(place.start, end);
                end = place.end;
            });
        }
        assert!(visible.text.capacity() <= 2 * 1_000_000);
        assert_eq!(end, 1_000_000);
    }
}
