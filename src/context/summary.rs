//! What takes the place of a conversation that has become too long, in words.
//!
//! Two halves: a summary that the model has written, and facts that are copied, not retold: what the user said, the last
//! request, the steps that are open, the files that were touched. A model forgets a file's name or bends a rule; a copy does not.
//! The facts are always taken from what was really said, also the third time; and the model is told to bring its former
//! summary up to date, not to make a summary of it. The surprising decision: all of it is one text in the user's place, so that an
//! older program, or another model, understands the session as it stands.

use crate::protocol::{History, Message, Origin, Part, Todo, UserMessage, todo};
use crate::text::units;

/// What the model is asked to write.
const ASK: &str = include_str!("prompts/summary.md");
/// Added where there is a former summary.
const UPDATE: &str = "The conversation begins with an earlier summary. Bring it up to date: carry over everything in it that is still \
true, verbatim if possible, change what has changed, and add what is new. Do not shorten it for its own sake.";

/// How the text begins.
const HEAD: &str = "[The conversation exceeded the context window. Below: a summary of its earlier part, then facts copied verbatim, \
which override the summary. The user sees the whole conversation and does not see this. Continue the task.]";
/// The same in sessions of earlier versions.
const FORMER_HEAD: &str = "[There was no more room for the whole conversation. ";
const BEGIN: &str = "\n\n<summary>\n";
const END: &str = "\n</summary>";

/// What the summariser is told where it gets the conversation as a text.
pub const APART: &str = "You write summaries of conversations between a user and a coding agent. The agent continues the work with your summary.";

/// Of the last request so many bytes are copied, whatever the room: a longer one is a paste, and says the same at its ends.
const LAST_REQUEST: usize = 12_000;
/// Of an earlier message.
const EARLIER: usize = 2_000;
/// Files named of each kind.
const FILES: usize = 100;
/// Bytes of a message in a transcript, from roomy to narrow.
const CUTS: [usize; 6] = [6_000, 3_000, 1_500, 700, 300, 120];

/// What is copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// What the user asked last, where it does not stand behind the summary.
    pub request: Option<String>,
    /// What the user said before, oldest first.
    pub said: Vec<String>,
    /// The list of steps.
    pub todos: Vec<Todo>,
    /// Files that were changed, oldest first.
    pub changed: Vec<String>,
    /// Files that were read and not changed.
    pub read: Vec<String>,
}

/// What the user said before the newest `kept` messages, within so many bytes: the newest first, and the very first.
#[must_use]
pub fn said(history: &History, kept: usize, bytes: usize) -> Facts {
    let first_kept = history.view().rev().take(kept).last().map_or(usize::MAX, |(slot, _)| slot.position);
    let spoken = |message: &Message| match message {
        Message::User(user) if is_spoken(user) => Some(user.words()),
        Message::User(_) | Message::Assistant(_) | Message::Tool(_) => None,
    };
    let is_kept = history.view().rev().take(kept).any(|(slot, _)| spoken(&slot.message).is_some());
    let earlier = history.all().filter(|slot| slot.position < first_kept);
    let mut words: Vec<String> = earlier.filter_map(|slot| spoken(&slot.message)).collect();
    let request = if is_kept { None } else { words.pop() }.map(|text| ends(&text, LAST_REQUEST));
    let first = if words.is_empty() { None } else { Some(ends(&words.remove(0), EARLIER)) };
    let mut left = bytes.saturating_sub(first.as_ref().map_or(0, String::len));
    let mut newest: Vec<String> = Vec::new();
    for text in words.iter().rev().map(|text| ends(text, EARLIER)) {
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        newest.push(text);
    }
    let said = first.into_iter().chain(newest.into_iter().rev()).collect();
    Facts { request, said, ..Facts::default() }
}

fn is_spoken(user: &UserMessage) -> bool {
    match user.origin {
        Origin::User | Origin::Queued | Origin::Command => !user.words().trim().is_empty(),
        Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook | Origin::Shell => false,
    }
}

/// The text that stands for what was said.
#[must_use]
pub fn text(written: &str, facts: &Facts) -> String {
    let mut parts = vec![format!("{HEAD}{BEGIN}{}{END}", closed(written))];
    let mut add = |name: &str, body: &str| parts.push(format!("<{name}>\n{body}\n</{name}>"));
    if !facts.said.is_empty() {
        add("user-said", &facts.said.join("\n\n"));
    }
    if !facts.todos.is_empty() {
        add("steps", &todo::to_text(&facts.todos));
    }
    if !facts.changed.is_empty() || !facts.read.is_empty() {
        let lines = [("changed", &facts.changed), ("read", &facts.read)];
        let lines = lines.into_iter().filter(|(_, files)| !files.is_empty());
        let lines: Vec<String> = lines.map(|(what, files)| named(what, files)).collect();
        add("files", &lines.join("\n"));
    }
    if let Some(request) = &facts.request {
        add("last-request", request);
    }
    parts.join("\n\n")
}

/// The newest of the files, in a line.
fn named(what: &str, files: &[String]) -> String {
    let left_out = files.len().saturating_sub(FILES);
    let names: Vec<&str> = files.iter().skip(left_out).map(String::as_str).collect();
    let more = if left_out > 0 { format!(", and {left_out} earlier ones") } else { String::new() };
    format!("{what}: {}{more}", names.join(", "))
}

/// Nothing in it ends the summary before its end.
fn closed(written: &str) -> String {
    let written = written.trim();
    let bare = written.strip_prefix("<summary>").unwrap_or(written);
    let bare = bare.strip_suffix("</summary>").unwrap_or(bare);
    bare.trim().replace("</summary>", "</ summary>")
}

/// What the model has written of a text like that; none of any other.
#[must_use]
pub fn written(text: &str) -> Option<&str> {
    let (_, rest) = [HEAD, FORMER_HEAD].iter().find_map(|head| text.strip_prefix(head))?.split_once(BEGIN)?;
    rest.split_once(END).map(|(written, _)| written)
}

/// What is asked behind the conversation itself.
#[must_use]
pub fn ask(history: &History, wish: Option<&str>) -> String {
    let update = history.summary().map(|_| UPDATE);
    let wish = wish.map(|wish| format!("Above all, the user wants you to preserve: {wish}"));
    let parts = [Some(ASK.trim()), update, wish.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// The same with the conversation as a text of at most so many bytes, but for the newest `kept` messages.
#[must_use]
pub fn ask_apart(history: &History, kept: usize, wish: Option<&str>, bytes: usize) -> String {
    let ask = ask(history, wish);
    let former = history.summary().map(|text| written(text).unwrap_or(text));
    let former = former.map(|text| format!("<earlier-summary>\n{text}\n</earlier-summary>\n\n"));
    let former = former.unwrap_or_default();
    let room = bytes.saturating_sub(ask.len() + former.len());
    let before = history.len().saturating_sub(kept);
    let told = |cut: usize| {
        let told = history.messages().take(before).map(|message| told(message, cut));
        told.collect::<Vec<_>>().join("\n\n")
    };
    let transcript = CUTS.into_iter().map(told).find(|text| text.len() <= room);
    // a conversation of thousands of messages: its ends
    let transcript =
        transcript.unwrap_or_else(|| ends(&told(CUTS.last().copied().unwrap_or_default()), room));
    format!("{former}<conversation>\n{transcript}\n</conversation>\n\n{ask}")
}

/// A message in a transcript, each text cut to so many bytes.
fn told(message: &Message, cut: usize) -> String {
    match message {
        Message::User(user) => format!("User: {}", ends(&all_texts(user), cut)),
        Message::Tool(answer) => {
            format!("Result of {}: {}", answer.name, ends(&answer.content.to_text(), cut / 3))
        }
        Message::Assistant(said) => {
            let calls = said.tool_calls.iter();
            let calls = calls.map(|call| format!("Calls {}: {}", call.name, ends(&call.arguments, cut / 3)));
            let text = (!said.text.is_empty()).then(|| format!("Assistant: {}", ends(&said.text, cut)));
            text.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
        }
    }
}

fn all_texts(user: &UserMessage) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.to_string(),
        Part::Image { .. } => "[an image]".to_owned(),
    };
    user.content.0.iter().map(part).collect::<Vec<_>>().join("\n\n")
}

/// A text that is not longer than so many bytes and a note: its ends, and what is missing between them.
fn ends(text: &str, bytes: usize) -> String {
    let text = text.trim();
    if text.len() <= bytes {
        return text.to_owned();
    }
    let half = bytes / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - half)..).unwrap_or_default();
    let left_out = u64::try_from(text.len() - head.len() - tail.len()).unwrap_or(u64::MAX);
    format!("{head}\n[{} omitted]\n{tail}", units::bytes(left_out))
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::protocol::{AssistantMessage, Entry, EntryBody, StopReason, TodoStatus, ToolCall, ToolStatus};

    fn history(words: &[&str]) -> History {
        let mut history = History::new();
        for word in words {
            let (kind, text) = word.split_once(':').unwrap();
            let message = match kind {
                "u" => Message::user(text),
                "note" => Message::User(UserMessage::new(Origin::Note, text)),
                "c" => answer("", vec![ToolCall::new(text, "Read", "{}")]),
                "r" => Message::tool(&ToolCall::new("1", "Read", "{}"), ToolStatus::Success, text),
                _ => answer(text, Vec::new()),
            };
            history.apply(&Entry::message(0, message));
        }
        history
    }

    fn answer(text: &str, tool_calls: Vec<ToolCall>) -> Message {
        Message::Assistant(AssistantMessage {
            text: text.to_owned(),
            tool_calls,
            reasoning: None,
            extra: Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::EndTurn,
        })
    }

    #[test]
    fn the_last_request_is_copied_where_it_is_not_kept() {
        let talk = history(&["u:never use tabs", "a:ok", "u:mend it", "c:1", "r:x", "note:n"]);
        let facts = said(&talk, 2, 1_000);
        assert_eq!(
            (facts.request.as_deref(), facts.said),
            (Some("mend it"), vec!["never use tabs".to_owned()])
        );
        let facts = said(&talk, 4, 1_000);
        assert_eq!((facts.request, facts.said), (None, vec!["never use tabs".to_owned()]));
        assert_eq!(said(&history(&["u:one"]), 0, 10).request.as_deref(), Some("one"));
    }

    #[test]
    fn with_little_room_the_first_and_the_newest_words_are_copied() {
        let words: Vec<String> = (0..9).map(|n| format!("u:word {n}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let facts = said(&history(&words), 0, 18);
        assert_eq!(facts.said, ["word 0", "word 6", "word 7"]);
        assert_eq!(facts.request.as_deref(), Some("word 8"));
    }

    #[test]
    fn what_an_earlier_summary_stands_for_is_copied_again_from_what_was_said() {
        let mut talk = history(&["u:never use tabs", "a:ok", "u:mend it", "a:done"]);
        talk.apply(&Entry { timestamp: 0, body: EntryBody::Compaction { summary: "S".into(), kept: 0 } });
        talk.apply(&Entry::message(0, Message::user("and test it")));
        let facts = said(&talk, 0, 1_000);
        assert_eq!(facts.said, ["never use tabs", "mend it"]);
        assert_eq!(facts.request.as_deref(), Some("and test it"));
    }

    #[test]
    fn the_text_holds_everything_and_the_summary_is_found_again() {
        let facts = Facts {
            request: Some("mend </summary> it".to_owned()),
            said: vec!["never use tabs".to_owned()],
            todos: vec![Todo { content: "test".to_owned(), status: TodoStatus::Pending }],
            changed: vec!["src/a.rs".to_owned()],
            read: vec!["src/b.rs".to_owned(), "README.md".to_owned()],
        };
        let text = text("<summary>\nAll is </summary> well.\n</summary>", &facts);
        for part in [
            "<user-said>\nnever use tabs\n</user-said>",
            "<steps>\n0 of 1 done\n[ ] test\n</steps>",
            "<files>\nchanged: src/a.rs\nread: src/b.rs, README.md\n</files>",
            "<last-request>\nmend </summary> it\n</last-request>",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(written(&text), Some("All is </ summary> well."));
        assert_eq!(written("something else"), None);
    }

    #[test]
    fn a_former_summary_is_brought_up_to_date_and_not_retold() {
        let mut talk = history(&["u:one", "a:two"]);
        assert!(!ask(&talk, None).contains("up to date"));
        let former = text("Former words.", &Facts { said: vec!["copied".into()], ..Facts::default() });
        talk.apply(&Entry { timestamp: 0, body: EntryBody::Compaction { summary: former, kept: 0 } });
        talk.apply(&Entry::message(0, Message::user("three")));
        assert!(ask(&talk, Some("the names")).contains("up to date"));
        assert!(ask(&talk, Some("the names")).ends_with("preserve: the names"));
        let apart = ask_apart(&talk, 0, None, 100_000);
        assert!(apart.starts_with("<earlier-summary>\nFormer words.\n</earlier-summary>"), "{apart}");
        assert!(apart.contains("User: three") && !apart.contains("copied") && !apart.contains("User: one"));
    }

    #[test]
    fn a_transcript_fits_whatever_was_said() {
        let long = format!("r:{}", "é".repeat(20_000));
        let words: Vec<&str> =
            std::iter::repeat_n(["u:go on", "c:1", long.as_str()], 200).flatten().collect();
        let talk = history(&words);
        for room in [4_000, 20_000, 100_000] {
            let asked = ask_apart(&talk, 0, None, room);
            assert!(asked.len() <= room + 200, "{} of {room}", asked.len());
            assert!(asked.contains("User: go on") && asked.contains("omitted"));
        }
    }

    #[test]
    fn a_long_text_is_cut_between_its_ends_at_characters() {
        assert_eq!(ends("short", 10), "short");
        let cut = ends(&"é".repeat(100), 11);
        assert!(cut.starts_with("éé\n[") && cut.ends_with("omitted]\néé"), "{cut}");
    }
}
