//! What a history lets go of: texts that no request sends and that stand in the session's file.
//!
//! Nothing changes by it that anybody could see: who looks at such a text finds it as it was, a little later. What somebody else
//! holds a part of (a page of the screen, a run) is left as it is; there is a next time.

use std::collections::HashSet;
use std::sync::Arc;

use super::{History, Slot};
use crate::protocol::{Message, Part, Text, ToolStatus};

impl History {
    /// Lets go of long results that are not in the view; `away` gives for a message, by its position, the text that reads its
    /// result back, where it can be read back.
    pub fn let_go(&mut self, away: impl Fn(usize) -> Option<Text>) {
        let sent: HashSet<usize> = self.view.iter().copied().collect();
        let others = self.items.iter_mut().enumerate().filter(|(index, _)| !sent.contains(index));
        for slot in others.filter_map(|(_, item)| Arc::get_mut(&mut item.slot)) {
            slot.let_go(&away);
        }
    }
}

impl Slot {
    fn let_go(&mut self, away: impl Fn(usize) -> Option<Text>) {
        self.wire.take();
        let Message::Tool(answer) = &mut self.message else { return };
        if answer.status != ToolStatus::Success {
            return;
        }
        if let [Part::Text(text)] = answer.content.0.as_mut_slice() {
            text.let_go();
            // it may be here because it was said here
            let written = if text.is_here() { away(self.position) } else { None };
            *text = written.unwrap_or_else(|| std::mem::take(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{AssistantMessage, Entry, EntryBody, Place, Shelf, StopReason, ToolCall};

    fn said(text: &str) -> Message {
        Message::tool(&ToolCall::new(text, "Read", "{}"), ToolStatus::Success, text)
    }

    fn asked(ids: &[&str]) -> Message {
        Message::Assistant(AssistantMessage {
            text: String::new(),
            tool_calls: ids.iter().map(|id| ToolCall::new(*id, "Read", "{}")).collect(),
            reasoning: None,
            extra: serde_json::Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::ToolUse,
        })
    }

    fn here(history: &History) -> Vec<bool> {
        let texts = history.results().map(|(_, slot)| match &slot.message {
            Message::Tool(answer) => match answer.content.0.as_slice() {
                [Part::Text(text)] => text.is_here(),
                _ => true,
            },
            Message::User(_) | Message::Assistant(_) => true,
        });
        texts.collect()
    }

    #[test]
    fn what_a_summary_stands_for_goes_and_what_is_sent_stays() {
        let mut history = History::new();
        let messages = [asked(&["a", "b"]), said("a"), said("b"), asked(&["c", "d"]), said("c"), said("d")];
        for message in messages {
            history.take(Entry::message(1, message));
        }
        history.take(Entry { timestamp: 1, body: EntryBody::Compaction { summary: "s".into(), kept: 3 } });
        let shelf = Shelf::new(|place| ["", "a", "b"][usize::try_from(place.at).unwrap()].to_owned());
        let place = |position: usize| Place { at: position as u64, bytes: 1, mark: 0 };
        let away = |position: usize| (position == 1).then(|| Text::away(&shelf, place(position)));
        let held = Arc::clone(history.results().nth(1).unwrap().1);
        history.let_go(away);
        assert_eq!(here(&history), [false, true, true, true], "only what can be read back");
        assert_eq!(held.message, said("b"));
        assert_eq!(history.all().nth(1).unwrap().message, said("a"), "it is read back");
        assert!(here(&history)[0]);
        history.let_go(|_| None);
        assert!(!here(&history)[0], "it is let go of again");
        history.take(Entry { timestamp: 1, body: EntryBody::Rewind { to: 3 } });
        let view: Vec<_> = history.messages().cloned().collect();
        assert_eq!(view, [asked(&["a", "b"]), said("a"), said("b")]);
        history.let_go(|_| None);
        assert!(here(&history)[0], "it is sent again");
    }
}
