//! What an answer says aloud: its thoughts and its visible text, as they are told and as they are kept.
//!
//! Both are kept once, and told by their places in what is kept: an answer of many megabytes stands in memory once while it
//! comes, and a second time only in the event that tells it. What is no text at all (calls, usage) is [`super::accumulate`]'s.
//! The surprising decision: what was told as a thought or as text may turn out to be the other; the message is what counts,
//! and how the next answer should be read is said with it.

use std::borrow::Cow;
use std::ops::Range;

use super::accumulate::{Opening, Reading};
use super::think_tags::{Began, Kind, ThinkTags};
use super::visible::{Said, Visible};
use crate::chat::ChatEvent;
use crate::chat::request::models::Ability;
use crate::protocol::Reasoning;

/// The field under which thoughts are kept that came in the text.
pub(in crate::chat) const PLAIN_REASONING: &str = "reasoning_content";

/// Thoughts and text that grow.
#[derive(Debug, Default)]
pub(in crate::chat) struct Heard {
    opening: Opening,
    tags: ThinkTags,
    visible: Visible,
    thoughts: Option<Reasoning>,
    untold: Vec<Untold>,
    /// Characters that no text can have.
    replaced: u32,
}

/// What can be told.
#[derive(Debug)]
struct Untold {
    kind: Kind,
    /// Where it is kept: what stands in the text may be told as a thought.
    kept: Kind,
    place: Range<usize>,
}

/// Whether an answer has said all that it wanted to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum End {
    Reached,
    CutOff,
}

impl Heard {
    /// For an answer that is read in this way.
    pub(in crate::chat) fn new(reading: Reading) -> Self {
        let Reading { text_calls, tools, opening, thinks } = reading;
        let mut visible = Visible::new(text_calls, tools);
        match thinks {
            Ability::Yes => visible.expect_thoughts(),
            Ability::No | Ability::Unknown => {}
        }
        Self { opening, tags: ThinkTags::new(opening), visible, ..Self::default() }
    }

    /// Takes more of the content, in which thoughts may stand.
    pub(in crate::chat) fn content(&mut self, text: &str) {
        if self.tags.pass() {
            return self.text(text);
        }
        let mut tags = std::mem::take(&mut self.tags);
        tags.push(text, |kind, text| self.sorted(kind, text));
        self.tags = tags;
    }

    /// Takes more of the visible text.
    pub(in crate::chat) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = clean(text, &mut self.replaced);
        let untold = &mut self.untold;
        self.visible.push(&text, |place| tell(untold, Kind::Text, place));
        self.recall_thoughts();
    }

    /// Takes more thoughts that came in `field`, by a way of their own.
    pub(in crate::chat) fn thoughts(&mut self, field: &str, text: &str) {
        self.tags.expect_text();
        self.opening = Opening::Text;
        self.think(field, text);
    }

    /// Takes more of the content that is said to be a thought; it may have tags nevertheless.
    pub(in crate::chat) fn marked_thought(&mut self, text: &str) {
        if self.tags.may_take(text) { self.content(text) } else { self.thoughts(PLAIN_REASONING, text) }
    }

    /// Calls come by a way of their own: none stand in the text.
    pub(in crate::chat) fn expect_no_calls(&mut self) {
        let untold = &mut self.untold;
        self.visible.expect_no_calls(|place| tell(untold, Kind::Text, place));
    }

    /// What can be told since the last time: one event for each run of text or thoughts.
    pub(in crate::chat) fn take_events(&mut self) -> Vec<ChatEvent> {
        let mut events = Vec::new();
        for Untold { kind, kept, place } in self.untold.drain(..) {
            let thoughts = || self.thoughts.as_ref()?.text.get(place.clone());
            let text = match kept {
                Kind::Text => self.visible.part(place.clone()),
                Kind::Thought => thoughts().unwrap_or_default(),
            };
            match (kind, events.last_mut()) {
                (Kind::Text, Some(ChatEvent::Text(last)))
                | (Kind::Thought, Some(ChatEvent::Thinking(last))) => last.push_str(text),
                (Kind::Text, _) => events.push(ChatEvent::Text(text.to_owned())),
                (Kind::Thought, _) => events.push(ChatEvent::Thinking(text.to_owned())),
            }
        }
        events
    }

    /// Whether nothing has come.
    pub(in crate::chat) fn is_blank(&self) -> bool {
        self.bytes() == 0
    }

    /// How many bytes are kept.
    pub(in crate::chat) fn bytes(&self) -> usize {
        let thoughts = self.thoughts.as_ref().map_or(0, |thoughts| thoughts.text.len());
        self.visible.len() + self.tags.held() + thoughts
    }

    /// How many characters were replaced.
    pub(in crate::chat) fn replaced(&self) -> u32 {
        self.replaced
    }

    /// Nothing more comes. Gives what the next answer will begin with, by the looks of this one.
    pub(in crate::chat) fn end(&mut self, end: End) -> Opening {
        let mut tags = std::mem::take(&mut self.tags);
        tags.finish(|kind, text| self.sorted(kind, text));
        let opening = match (tags.began(), end) {
            (Began::InThoughts, _) => Opening::Thoughts,
            (Began::WithTag, _) | (Began::InOpenThoughts, End::Reached) => Opening::Text,
            (Began::AsText, _) | (Began::InOpenThoughts, End::CutOff) => self.opening,
        };
        if tags.began() == Began::InOpenThoughts && opening == Opening::Text {
            self.unthink();
        }
        let untold = &mut self.untold;
        self.visible.end(|place| tell(untold, Kind::Text, place));
        self.recall_thoughts();
        if self.visible.end_of_thoughts() > 0 { Opening::Thoughts } else { opening }
    }

    /// What it has come to, once it has ended.
    pub(in crate::chat) fn into_said(self) -> (Said, Option<Reasoning>) {
        let mut said = self.visible.into_said();
        let text = std::mem::take(&mut said.thoughts);
        let in_text = (!text.is_empty()).then(|| Reasoning { field: PLAIN_REASONING.to_owned(), text });
        (said, self.thoughts.or(in_text))
    }

    fn sorted(&mut self, kind: Kind, text: &str) {
        match kind {
            Kind::Thought => self.think(PLAIN_REASONING, text),
            Kind::Text => self.text(text),
        }
    }

    fn think(&mut self, field: &str, text: &str) {
        self.visible.expect_no_thoughts();
        if text.is_empty() {
            return;
        }
        let text = clean(text, &mut self.replaced);
        let new = || Reasoning { field: field.to_owned(), text: String::new() };
        let kept = &mut self.thoughts.get_or_insert_with(new).text;
        let from = kept.len();
        kept.push_str(&text);
        tell(&mut self.untold, Kind::Thought, from..kept.len());
    }

    /// A tag closed thoughts that had been taken for text: what has not been told yet is told as thoughts.
    fn recall_thoughts(&mut self) {
        let end = self.visible.end_of_thoughts();
        let is_recalled = |untold: &&mut Untold| untold.kept == Kind::Text && untold.place.end <= end;
        self.untold.iter_mut().filter(is_recalled).for_each(|untold| untold.kind = Kind::Thought);
    }

    /// No tag closed what had been taken for thoughts: it was text, and is told as that.
    fn unthink(&mut self) {
        self.untold.retain(|untold| untold.kept == Kind::Text);
        if let Some(thoughts) = self.thoughts.take() {
            self.text(&thoughts.text);
        }
    }
}

fn tell(untold: &mut Vec<Untold>, kind: Kind, place: Range<usize>) {
    match untold.last_mut() {
        Some(last) if last.kind == kind && last.kept == kind && last.place.end == place.start => {
            last.place.end = place.end;
        }
        _ => untold.push(Untold { kind, kept: kind, place }),
    }
}

/// `text` without the one character that is text for JSON and an end of it for much else. Counts them.
pub(in crate::chat) fn clean<'a>(text: &'a str, replaced: &mut u32) -> Cow<'a, str> {
    let count = if text.as_bytes().contains(&0) { text.matches('\0').count() } else { 0 };
    if count == 0 {
        return Cow::Borrowed(text);
    }
    *replaced = replaced.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    Cow::Owned(text.replace('\0', "\u{FFFD}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_kind_are_told_as_one() {
        let mut heard = Heard::default();
        for _ in 0..10_000 {
            heard.thoughts("reasoning", "a");
        }
        for _ in 0..10_000 {
            heard.content("b");
        }
        heard.thoughts("thinking", "c");
        assert_eq!(heard.untold.len(), 3);
        let kept =
            heard.thoughts.as_ref().map(|thoughts| (thoughts.field.as_str(), thoughts.text.capacity()));
        assert!(kept.is_some_and(|(field, room)| field == "reasoning" && room <= 2 * 10_001));
        let (a, b) = ("a".repeat(10_000), "b".repeat(10_000));
        let events = [ChatEvent::Thinking(a), ChatEvent::Text(b), ChatEvent::Thinking("c".into())];
        assert_eq!(heard.take_events(), events);
        assert!(heard.take_events().is_empty());
        assert_eq!(heard.bytes(), 20_001);
    }

    #[test]
    fn the_character_that_ends_texts_is_replaced_and_counted() {
        let mut replaced = 3;
        assert_eq!(clean("a\0b\0", &mut replaced), "a\u{FFFD}b\u{FFFD}");
        assert_eq!((clean("é", &mut replaced), replaced), ("é".into(), 5));
    }
}
