//! The conversation as it counts now, and the one function that changes it.
//!
//! [`History::apply`] is the only way in, for the loop, the file's writer, the screen and the loader alike; so
//! "loading a prefix of the file gives a prefix of the history" holds because there is nothing else. The surprising
//! decision: the reducer repairs. An answer without its call is left out, a call that is still open when the
//! conversation goes on gets an answer that says it was interrupted; so whatever a torn or damaged file holds,
//! what comes out can be sent.
//!
//! It is not a log: entries that changed nothing leave no trace here (the file has them).

mod change;
mod files;
mod past;
mod rest;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use files::Saves;

use super::{
    CallId, Content, Message, ModelId, SavedFile, SessionHead, ToolCall, ToolMessage, ToolStatus, Usage,
};

pub use files::Redoable;
pub use past::{Back, Former, Past};

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
    /// With when it was begun, in milliseconds since 1970.
    head: Option<(u64, SessionHead)>,
    title: Option<String>,
    model: Option<ModelId>,
    permission_mode: Option<String>,
    saves: Saves,
    directories: Vec<String>,
    items: Vec<Item>,
    positions: usize,
    boundaries: Vec<Boundary>,
    undone: Vec<Undone>,
    view: Vec<usize>,
    open: Vec<ToolCall>,
    call_ids: HashSet<CallId>,
    /// Requests whose answers are no messages.
    spent: Vec<(ModelId, Usage)>,
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
#[derive(Debug, Clone, Default)]
struct Undone {
    items: Vec<usize>,
    boundaries: Vec<usize>,
    /// As they were before it.
    files: Arc<[SavedFile]>,
}

impl History {
    /// An empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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

    /// Every answer that was ever given, also rewound ones and those that are no message: by which model, and what it cost where
    /// the endpoint said so.
    pub fn answers(&self) -> impl Iterator<Item = (&ModelId, Option<Usage>)> {
        let messages = self.items.iter().filter_map(|item| match &item.slot.message {
            Message::Assistant(said) => Some((&said.model, said.usage)),
            Message::User(_) | Message::Tool(_) => None,
        });
        messages.chain(self.spent.iter().map(|(model, usage)| (model, Some(*usage))))
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

    /// The answer of each call that has one, rewound ones too.
    pub fn results(&self) -> impl Iterator<Item = (&CallId, &Arc<Slot>)> {
        self.items.iter().filter_map(|item| match &item.slot.message {
            Message::Tool(answer) => Some((&answer.call_id, &item.slot)),
            Message::User(_) | Message::Assistant(_) => None,
        })
    }

    fn boundary(&self) -> Option<&Boundary> {
        self.boundaries.iter().rev().find(|boundary| boundary.active)
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
mod tests;
