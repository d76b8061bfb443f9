//! What each entry does to a history.
//!
//! Positions are counted here and nowhere else. A rewind takes nothing out: what it takes away stays where it is and does not
//! count, so that a redo can give it back.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::{Boundary, History, Item, Slot, Undone, interrupted};
use crate::protocol::{ChangedBy, Entry, EntryBody, Message, SavedFile, ToolCall};

/// Which summaries stay where messages are taken away.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Summaries {
    /// Those that were made before the messages.
    Earlier,
    /// Those too that stand for none of them: what was paid for is not thrown away with a prompt that goes back into the input.
    StillTrue,
}

impl History {
    /// Takes one entry. Never fails: what makes no sense where it stands changes nothing.
    pub fn apply(&mut self, entry: &Entry) {
        self.take(entry.clone());
    }

    /// The same for an entry that nobody else needs: it is not copied.
    pub fn take(&mut self, entry: Entry) {
        match entry.body {
            EntryBody::Session(head) if self.head.is_none() => {
                self.model.get_or_insert_with(|| head.model.clone());
                self.head = Some((entry.timestamp, head));
            }
            EntryBody::Session(_) => {}
            EntryBody::Message(message) => self.apply_message(entry.timestamp, message),
            EntryBody::Compaction { summary, kept } => self.compact(&summary, kept),
            EntryBody::Masked { messages } => self.mask(&messages),
            EntryBody::Rewind { to } => {
                let undone = self.take_away(to, Summaries::Earlier);
                self.undone.push(undone);
            }
            EntryBody::Unsaid { to } => {
                let taken = self.take_away(to, Summaries::StillTrue);
                // a redo would bring back one half of a call and its answer
                if taken.items.iter().any(|&index| self.is_of_a_call(index)) {
                    self.undone.clear();
                }
            }
            EntryBody::Redo => self.redo(),
            EntryBody::Checkpoint { message, by, files } => self.checkpoint(message, by, files.into()),
            EntryBody::Settings { model, permission_mode, directories } => {
                self.model = model.or_else(|| self.model.take());
                self.permission_mode = permission_mode.or_else(|| self.permission_mode.take());
                if let Some(directories) = directories {
                    self.directories = directories;
                }
            }
            EntryBody::Spent { model, usage } => self.spent.push((model, usage)),
            EntryBody::Title(text) => self.title = Some(text),
        }
    }

    /// What a rewind has replaced belongs to it; where its own entry is lost, it still is one.
    fn checkpoint(&mut self, message: usize, by: ChangedBy, files: Arc<[SavedFile]>) {
        self.saves.push(message, Arc::clone(&files));
        match (by, self.undone.last_mut()) {
            (ChangedBy::Tool | ChangedBy::Command | ChangedBy::Redo, _) => {}
            (ChangedBy::Rewind, Some(undone)) if undone.files.is_empty() => undone.files = files,
            (ChangedBy::Rewind, _) => self.undone.push(Undone { files, ..Undone::default() }),
        }
    }

    fn apply_message(&mut self, timestamp: u64, message: Message) {
        let position = self.positions;
        self.positions += 1;
        self.undone.clear();
        match &message {
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
        self.push(position, timestamp, message);
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

    /// Whether it is an answer to a call, or has calls.
    fn is_of_a_call(&self, index: usize) -> bool {
        self.items.get(index).is_some_and(|item| match &item.slot.message {
            Message::Tool(_) => true,
            Message::Assistant(said) => !said.tool_calls.is_empty(),
            Message::User(_) => false,
        })
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

    fn take_away(&mut self, to: usize, summaries: Summaries) -> Undone {
        let mut undone = Undone::default();
        let stands_for_one = |boundary: &Boundary| {
            let mut told = self.items.iter().enumerate().filter(|(index, item)| {
                item.active && item.slot.position < boundary.position && !boundary.kept.contains(index)
            });
            summaries == Summaries::Earlier || told.any(|(_, item)| item.slot.position >= to)
        };
        let falls: Vec<bool> = self
            .boundaries
            .iter()
            .map(|boundary| boundary.active && boundary.position > to && stands_for_one(boundary))
            .collect();
        for (index, item) in self.items.iter_mut().enumerate() {
            if item.active && item.slot.position >= to {
                item.active = false;
                undone.items.push(index);
            }
        }
        for (index, (boundary, falls)) in self.boundaries.iter_mut().zip(falls).enumerate() {
            if falls {
                boundary.active = false;
                undone.boundaries.push(index);
            }
        }
        self.rebuild();
        undone
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

    fn rebuild(&mut self) {
        let (mut view, from) = match self.boundary() {
            Some(boundary) => (boundary.kept.clone(), boundary.position),
            None => (Vec::new(), 0),
        };
        let later = self.items.iter().enumerate();
        view.retain(|&index| self.items.get(index).is_some_and(|item| item.active));
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
