//! The lines of a session file, to and from entries (the outside contract).
//!
//! Reading is lenient: unknown fields are skipped, missing ones have their plain meaning, an unknown type is
//! [`Line::Unknown`], and only what is no entry at all is [`Line::Damaged`]. Writing is exact. Nothing here touches a file.

mod convert;
mod lines;

use serde_json::Value;

use crate::protocol::{CallId, Entry, EntryBody, ToolName};
use lines::{BodyLine, Stamped};

/// The version of the format that this program writes.
pub const VERSION: u32 = 1;

/// What one line turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// An entry.
    Entry(Box<Entry>),
    /// A type that this version does not know.
    Unknown {
        /// Whether it changes what the conversation is: then the file must not be continued.
        replay: bool,
    },
    /// No entry.
    Damaged,
}

/// The line of an entry, without its newline.
#[must_use]
pub fn to_line(entry: &Entry) -> String {
    let stamped = Stamped { body: BodyLine::from(&entry.body), timestamp: entry.timestamp };
    // Every field is a plain value, so this cannot fail; an empty line would be skipped by every reader.
    serde_json::to_string(&stamped).unwrap_or_default()
}

/// Reads one line.
#[must_use]
pub fn from_line(line: &[u8]) -> Line {
    match lines::message(line) {
        Some((message, timestamp)) => {
            Line::Entry(Box::new(Entry { timestamp, body: EntryBody::Message(message.into()) }))
        }
        None => any_line(line),
    }
}

/// Whether a line is a message, as the writer writes it.
pub(super) fn is_message(line: &str) -> bool {
    line.starts_with(r#"{"type":"message","#)
}

/// A tool's answer that went well, but for its text.
#[derive(Debug, PartialEq)]
pub(super) struct Outline {
    pub(super) timestamp: u64,
    pub(super) call: CallId,
    pub(super) name: ToolName,
}

/// What a line says but for a text of so many bytes or more, where it is such an answer and [`from_line`] could read it; none
/// for any other line.
pub(super) fn outline(line: &[u8], long: usize) -> Option<Outline> {
    if line.len() < long {
        return None;
    }
    let read = lines::tool_outline(line)?;
    let text = read.content.get();
    // half a character is found only by whoever puts the halves together
    let is_whole = || !text.contains("\\ud") && !text.contains("\\uD");
    let stays = text.len() >= long && text.starts_with('"') && !read.is_error && read.status.is_none();
    let (timestamp, call, name) = (read.timestamp, read.tool_call_id, read.name);
    (stays && is_whole()).then_some(Outline { timestamp, call, name })
}

/// Reads one line whose fields may stand in any order.
fn any_line(line: &[u8]) -> Line {
    if let Ok(stamped) = serde_json::from_slice::<Stamped>(line) {
        return Line::Entry(Box::new(Entry { timestamp: stamped.timestamp, body: stamped.body.into() }));
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(map)) => match map.get("type") {
            Some(Value::String(kind)) if !KNOWN_TYPES.contains(&kind.as_str()) => {
                Line::Unknown { replay: map.get("replay") == Some(&Value::Bool(true)) }
            }
            _ => Line::Damaged,
        },
        _ => Line::Damaged,
    }
}

const KNOWN_TYPES: [&str; 9] =
    ["session", "message", "compaction", "masked", "rewind", "redo", "checkpoint", "settings", "title"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str) {
        let Line::Entry(entry) = from_line(json.as_bytes()) else { panic!("no entry: {json}") };
        assert_eq!(to_line(&entry), json);
        assert_eq!(any_line(json.as_bytes()), Line::Entry(entry), "{json}");
    }

    #[test]
    fn each_kind_of_line_comes_back_as_it_was() {
        for json in [
            r#"{"type":"session","version":1,"id":"s","cwd":"/w","model":"m","clawd_version":"0.1.0","timestamp":1}"#,
            r#"{"type":"session","version":1,"id":"s","cwd":"/w","model":"m","clawd_version":"0.1.0","parent":"p","timestamp":1}"#,
            r#"{"type":"message","role":"user","content":"hi","origin":"user","timestamp":2}"#,
            r#"{"type":"message","role":"user","content":[{"type":"text","text":"see"},{"type":"image","file":"a.png","mime":"image/png","width":2,"height":3}],"origin":"queued","attachments":[{"path":"a.rs","lines":[10,20],"hash":"00"}],"timestamp":2}"#,
            r#"{"type":"message","role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"Read","arguments":"{}"}}],"reasoning_content":"hm","reasoning_field":"thinking","extra":{"x":[1]},"model":"m","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cached_tokens":0},"stop_reason":"tool_use","timestamp":3}"#,
            r#"{"type":"message","role":"tool","tool_call_id":"c","name":"Read","content":"x","is_error":true,"status":"denied","timestamp":4}"#,
            r#"{"type":"compaction","summary":"s","kept":3,"timestamp":5}"#,
            r#"{"type":"masked","messages":[4,9],"timestamp":5}"#,
            r#"{"type":"rewind","to":7,"timestamp":5}"#,
            r#"{"type":"rewind","to":7,"unsaid":true,"timestamp":5}"#,
            r#"{"type":"redo","timestamp":5}"#,
            r#"{"type":"checkpoint","message":7,"by":"rewind","files":[{"path":"a","before":null,"mode":0,"after":"00","above":2}],"timestamp":5}"#,
            r#"{"type":"checkpoint","message":7,"by":"redo","files":[{"path":"a","before":"00","mode":420,"after":null}],"timestamp":5}"#,
            r#"{"type":"checkpoint","message":7,"files":[{"path":"a","before":null,"mode":420}],"timestamp":5}"#,
            r#"{"type":"checkpoint","message":7,"by":"command","files":[{"path":"a","before":"00","mode":41471}],"timestamp":5}"#,
            r#"{"type":"settings","model":"n","permission_mode":"plan","timestamp":5}"#,
            r#"{"type":"settings","directories":["/a","/b"],"timestamp":5}"#,
            r#"{"type":"title","text":"t","timestamp":5}"#,
        ] {
            check(json);
        }
    }

    #[test]
    fn unknown_fields_and_missing_ones_do_no_harm() {
        for line in [
            r#"{"type":"message","role":"assistant","content":null,"new":1,"timestamp":1}"#,
            r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}],"stop_reason":"new"}"#,
            r#"{"type":"message","role":"user","content":"x","origin":"new"}"#,
            r#"{"type":"checkpoint","message":7,"by":"new","files":[]}"#,
            r#"{"type":"message","role":"tool","tool_call_id":"c","content":"x","status":"new"}"#,
        ] {
            assert!(matches!(from_line(line.as_bytes()), Line::Entry(_)), "{line}");
            assert_eq!(from_line(line.as_bytes()), any_line(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_message_means_the_same_whichever_way_it_is_read() {
        for rest in [
            r#""role":"tool","tool_call_id":"c","content":"x","status":null,"timestamp":9}"#,
            r#""role":"tool","tool_call_id":"c","content":[],"is_error":true}"#,
            r#""role":"tool","content":"x"}"#,
            r#""role":"tool","tool_call_id":"c","content":7}"#,
            r#""role":"tool","tool_call_id":"c","content":null}"#,
            r#""role":"user","content":"a\n\u00e4\ud83e\udd80","timestamp":"soon"}"#,
            r#""role":"user","content":[{"type":"new"},{"type":"text","text":"x"}],"new":{"a":[1]},"timestamp":3}"#,
            r#""role":"user","content":"x","content":"y"}"#,
            r#""role":"user","content":"x"} "#,
            r#""role":"user","content":"x"}}"#,
            r#""role":"assistant","timestamp":3}"#,
            r#""role":"assistant","content":"x","tool_calls":[{"id":"c","function":{"name":"N"},"more":1}]}"#,
            r#""role":"new","content":"x"}"#,
        ] {
            let line = format!(r#"{{"type":"message",{rest}"#);
            assert_eq!(from_line(line.as_bytes()), any_line(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn unknown_types_and_damage_are_told_apart() {
        assert_eq!(from_line(br#"{"type":"future","timestamp":1}"#), Line::Unknown { replay: false });
        assert_eq!(from_line(br#"{"type":"future","replay":true}"#), Line::Unknown { replay: true });
        for damaged in [r#"{"type":"rewind","to":"x"}"#, r#"{"type":"mess"#, "\0\0", "[]", "7"] {
            assert_eq!(from_line(damaged.as_bytes()), Line::Damaged, "{damaged:?}");
        }
    }
}
