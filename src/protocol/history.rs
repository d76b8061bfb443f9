//! The conversation as it counts now, and the one function that changes it.
//!
//! [`History::apply`] is the only way in, for the loop, the file's writer, the screen and the loader alike; so
//! "loading a prefix of the file gives a prefix of the history" holds because there is nothing else. The surprising
//! decision: the reducer repairs. An answer without its call is left out, a call that is still open when the
//! conversation goes on gets an answer that says it was interrupted; so whatever a torn or damaged file holds,
//! what comes out can be sent.
//!
//! It is not a log: entries that changed nothing leave no trace here (the file has them).

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::{
    CallId, Content, Entry, EntryBody, Message, ModelId, SavedFile, SessionHead, ToolCall, ToolMessage,
    ToolStatus, Usage,
};

/// The answer given for a call that was open when the program or the run ended.
pub const INTERRUPTED: &str = "Error: interrupted before it was done";

/// One message and where it stands.
#[derive(Debug)]
pub struct Slot {
    /// Position among the message entries of the file, from 0; a repaired answer has that of the message behind it.
    pub position: usize,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// The message.
    pub message: Message,
    /// Its wire form, kept by whoever made it last.
    pub wire: OnceLock<WireForm>,
    /// What it adds to a request, kept by whoever weighed it first.
    pub weight: OnceLock<u64>,
}

/// A message as it was last put on the wire. A message never changes, so neither does this.
#[derive(Debug)]
pub struct WireForm {
    /// Which dialect it was made for; another dialect must not use it.
    pub dialect: u64,
    /// The JSON text.
    pub json: Box<str>,
}

/// The conversation.
#[derive(Debug, Clone, Default)]
pub struct History {
    head: Option<(u64, SessionHead)>,
    title: Option<String>,
    model: Option<ModelId>,
    permission_mode: Option<String>,
    changed: Vec<SavedFile>,
    directories: Vec<String>,
    items: Vec<Item>,
    positions: usize,
    boundaries: Vec<Boundary>,
    undone: Vec<Undone>,
    view: Vec<usize>,
    open: Vec<ToolCall>,
    call_ids: HashSet<CallId>,
    /// The next position when results were masked last.
    masked_at: usize,
}

#[derive(Debug, Clone)]
struct Item {
    slot: Arc<Slot>,
    active: bool,
    masked: bool,
}

/// A compaction: what stood in the view is told by `summary` but for `kept`.
#[derive(Debug, Clone)]
struct Boundary {
    position: usize,
    summary: Arc<str>,
    kept: Vec<usize>,
    active: bool,
}

/// What one rewind took away.
#[derive(Debug, Clone)]
struct Undone {
    items: Vec<usize>,
    boundaries: Vec<usize>,
}

impl History {
    /// An empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one entry. Never fails: what makes no sense where it stands changes nothing.
    pub fn apply(&mut self, entry: &Entry) {
        match &entry.body {
            EntryBody::Session(head) if self.head.is_none() => {
                self.model.get_or_insert_with(|| head.model.clone());
                self.head = Some((entry.timestamp, head.clone()));
            }
            EntryBody::Session(_) => {}
            EntryBody::Message(message) => self.apply_message(entry.timestamp, message),
            EntryBody::Compaction { summary, kept } => self.compact(summary, *kept),
            EntryBody::Masked { messages } => self.mask(messages),
            EntryBody::Rewind { to } => self.rewind(*to),
            EntryBody::Redo => self.redo(),
            EntryBody::Checkpoint { files, .. } => self.note_changed(files),
            EntryBody::Settings { model, permission_mode, directories } => {
                self.model = model.clone().or_else(|| self.model.take());
                self.permission_mode = permission_mode.clone().or_else(|| self.permission_mode.take());
                if let Some(directories) = directories {
                    self.directories.clone_from(directories);
                }
            }
            EntryBody::Title(text) => self.title = Some(text.clone()),
        }
    }

    /// The messages that count, oldest first; behind [`History::summary`] where there is one.
    pub fn view(&self) -> impl DoubleEndedIterator<Item = (&Arc<Slot>, Masked)> {
        self.view.iter().filter_map(|&index| {
            let item = self.items.get(index)?;
            Some((&item.slot, if item.masked { Masked::Yes } else { Masked::No }))
        })
    }

    /// The messages that count, without their places.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.view().map(|(slot, _)| &slot.message)
    }

    /// All that was said and is not rewound, what a summary stands for now included.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Arc<Slot>> {
        self.items.iter().filter(|item| item.active).map(|item| &item.slot)
    }

    /// What an answer before this position cost tells nothing of the conversation as it is sent now.
    #[must_use]
    pub fn counted_from(&self) -> usize {
        self.boundary().map_or(0, |boundary| boundary.position).max(self.masked_at)
    }

    /// Every answer that was ever given, rewound ones too: by which model, and what it cost where the endpoint said so.
    pub fn answers(&self) -> impl Iterator<Item = (&ModelId, Option<Usage>)> {
        self.items.iter().filter_map(|item| match &item.slot.message {
            Message::Assistant(said) => Some((&said.model, said.usage)),
            Message::User(_) | Message::Tool(_) => None,
        })
    }

    /// How many messages count.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// Whether nothing has been said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.view.is_empty() && self.summary().is_none()
    }

    /// What stands for the messages before the view, after a compaction.
    #[must_use]
    pub fn summary(&self) -> Option<&str> {
        self.boundary().map(|boundary| &*boundary.summary)
    }

    /// How many message entries the file has: the position of the next one.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// Calls of the last assistant message that have no answer yet, in order.
    #[must_use]
    pub fn open_calls(&self) -> &[ToolCall] {
        &self.open
    }

    /// Whether a call of this name was ever made: names are unique over the whole file.
    #[must_use]
    pub fn has_call(&self, id: &CallId) -> bool {
        self.call_ids.contains(id)
    }

    /// The head of the session's file, where one is kept.
    #[must_use]
    pub fn head(&self) -> Option<&SessionHead> {
        self.head.as_ref().map(|(_, head)| head)
    }

    /// When the session was begun, in milliseconds since 1970; 0 where it is not kept.
    #[must_use]
    pub fn began_ms(&self) -> u64 {
        self.head.as_ref().map_or(0, |(at, _)| *at)
    }

    /// The title, where one was given.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The model in use, as the file says.
    #[must_use]
    pub fn model(&self) -> Option<&ModelId> {
        self.model.as_ref()
    }

    /// The permission mode in use, as the file says.
    #[must_use]
    pub fn permission_mode(&self) -> Option<&str> {
        self.permission_mode.as_deref()
    }

    /// Directories that may be read and edited beside the working directory.
    #[must_use]
    pub fn directories(&self) -> &[String] {
        &self.directories
    }

    /// Each file that a tool has changed, as it was before the first change; a rewind forgets none.
    #[must_use]
    pub fn changed_files(&self) -> &[SavedFile] {
        &self.changed
    }

    /// The answer of each call that has one, rewound ones too.
    pub fn results(&self) -> impl Iterator<Item = (&CallId, &Arc<Slot>)> {
        self.items.iter().filter_map(|item| match &item.slot.message {
            Message::Tool(answer) => Some((&answer.call_id, &item.slot)),
            Message::User(_) | Message::Assistant(_) => None,
        })
    }

    fn note_changed(&mut self, files: &[SavedFile]) {
        for file in files {
            if !self.changed.iter().any(|known| known.path == file.path) {
                self.changed.push(file.clone());
            }
        }
    }

    fn apply_message(&mut self, timestamp: u64, message: &Message) {
        let position = self.positions;
        self.positions += 1;
        self.undone.clear();
        match message {
            Message::Tool(answer) => {
                let Some(at) = self.open.iter().position(|call| call.id == answer.call_id) else { return };
                self.open.remove(at);
            }
            Message::User(_) => self.close_open_calls(position, timestamp),
            Message::Assistant(answer) => {
                self.close_open_calls(position, timestamp);
                if answer.is_empty() {
                    return;
                }
                self.open.clone_from(&answer.tool_calls);
                self.call_ids.extend(answer.tool_calls.iter().map(|call| call.id.clone()));
            }
        }
        self.push(position, timestamp, message.clone());
    }

    fn close_open_calls(&mut self, position: usize, timestamp: u64) {
        for call in std::mem::take(&mut self.open) {
            self.push(position, timestamp, interrupted(&call));
        }
    }

    fn push(&mut self, position: usize, timestamp: u64, message: Message) {
        self.view.push(self.items.len());
        let slot =
            Arc::new(Slot { position, timestamp, message, wire: OnceLock::new(), weight: OnceLock::new() });
        self.items.push(Item { slot, active: true, masked: false });
    }

    fn compact(&mut self, summary: &str, kept: usize) {
        let from = self.view.len().saturating_sub(kept);
        let mut kept = self.view.split_off(from);
        // an answer whose call is told by the summary answers nothing
        let orphans = kept.iter().take_while(|&&index| self.is_answer(index)).count();
        kept.drain(..orphans);
        self.boundaries.push(Boundary {
            position: self.positions,
            summary: summary.into(),
            kept,
            active: true,
        });
        self.undone.clear();
        self.rebuild();
    }

    fn is_answer(&self, index: usize) -> bool {
        self.items.get(index).is_some_and(|item| matches!(item.slot.message, Message::Tool(_)))
    }

    fn mask(&mut self, positions: &[usize]) {
        let positions: HashSet<usize> = positions.iter().copied().collect();
        for item in &mut self.items {
            let is_answer = matches!(item.slot.message, Message::Tool(_));
            if is_answer && positions.contains(&item.slot.position) {
                item.masked = true;
            }
        }
        self.masked_at = self.positions;
    }

    fn rewind(&mut self, to: usize) {
        let mut undone = Undone { items: Vec::new(), boundaries: Vec::new() };
        for (index, item) in self.items.iter_mut().enumerate() {
            if item.active && item.slot.position >= to {
                item.active = false;
                undone.items.push(index);
            }
        }
        for (index, boundary) in self.boundaries.iter_mut().enumerate() {
            if boundary.active && boundary.position > to {
                boundary.active = false;
                undone.boundaries.push(index);
            }
        }
        self.undone.push(undone);
        self.rebuild();
    }

    fn redo(&mut self) {
        let Some(undone) = self.undone.pop() else { return };
        for index in undone.items {
            if let Some(item) = self.items.get_mut(index) {
                item.active = true;
            }
        }
        for index in undone.boundaries {
            if let Some(boundary) = self.boundaries.get_mut(index) {
                boundary.active = true;
            }
        }
        self.rebuild();
    }

    fn boundary(&self) -> Option<&Boundary> {
        self.boundaries.iter().rev().find(|boundary| boundary.active)
    }

    fn rebuild(&mut self) {
        let (mut view, from) = match self.boundary() {
            Some(boundary) => (boundary.kept.clone(), boundary.position),
            None => (Vec::new(), 0),
        };
        let later = self.items.iter().enumerate();
        view.extend(
            later.filter(|(_, item)| item.active && item.slot.position >= from).map(|(index, _)| index),
        );
        self.view = view;
        self.open = self.calls_without_answer();
    }

    fn calls_without_answer(&self) -> Vec<ToolCall> {
        let mut answered = HashSet::new();
        for message in self.messages().rev() {
            match message {
                Message::Tool(answer) => {
                    answered.insert(answer.call_id.clone());
                }
                Message::Assistant(answer) => {
                    let calls = answer.tool_calls.iter();
                    return calls.filter(|call| !answered.contains(&call.id)).cloned().collect();
                }
                Message::User(_) => return Vec::new(),
            }
        }
        Vec::new()
    }
}

/// Whether a tool's answer is sent as a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masked {
    /// Only a preview is sent.
    Yes,
    /// It is sent whole.
    No,
}

/// The answer for a call that never got one.
#[must_use]
pub fn interrupted(call: &ToolCall) -> Message {
    Message::Tool(ToolMessage {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: Content::text(INTERRUPTED),
        status: ToolStatus::Interrupted,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Map;

    use super::*;
    use crate::protocol::{AssistantMessage, StopReason};

    /// `u` a user, `a` a text, `c12` an assistant with calls 1 and 2, `r1` the answer to call 1; `!3` rewind to 3,
    /// `+` redo, `=2` compaction that keeps 2.
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
            words in prop::collection::vec(("u1|a1|c|r|r|![0-9]|\\+|=[0-9]", 0_u32..6), 0..40),
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
}
