//! As JSON: `session` and `title` where known, `summary` after a compaction, and `messages` as lines of the session's file.

use serde_json::{Map, Value};

use crate::protocol::{Entry, EntryBody, History};
use crate::session::entry;

pub(super) fn render(history: &History) -> String {
    let mut whole = Map::new();
    if let Some(head) = history.head() {
        whole.insert(
            "session".to_owned(),
            value(&Entry { timestamp: history.began_ms(), body: EntryBody::Session(head.clone()) }),
        );
    }
    let text = |text: &str| Value::String(text.to_owned());
    whole.extend(history.title().map(|title| ("title".to_owned(), text(title))));
    whole.extend(history.summary().map(|summary| ("summary".to_owned(), text(summary))));
    let messages =
        history.view().map(|(slot, _)| value(&Entry::message(slot.timestamp, slot.message.clone())));
    whole.insert("messages".to_owned(), messages.collect());
    // plain values: this cannot fail
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

fn value(entry: &Entry) -> Value {
    serde_json::from_str(&entry::to_line(entry)).unwrap_or_default()
}
