//! Fields of a message that nobody here reads, kept because the provider wants them back: blocks of thoughts with their
//! signatures, without which it refuses the calls behind them.
//!
//! The surprising decision: blocks are kept as values and not as the text they came in, for one block comes in many pieces
//! and goes back whole.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::calls::OPAQUE_WEIGHT;

/// The texts of a block that come in pieces.
const TEXTS: [&str; 3] = ["text", "summary", "thinking"];

/// Opaque thoughts, block by block.
#[derive(Debug, Default)]
pub(in crate::chat) struct Opaque {
    /// `OpenRouter`'s, numbered.
    details: Vec<Value>,
    /// `LiteLLM`'s, each of which ends with its signature.
    blocks: Vec<Value>,
    bytes: usize,
    /// Whether the thoughts come in a field of their own as well.
    is_told: bool,
}

impl Opaque {
    /// The same thoughts have come in a field of their own.
    pub(in crate::chat) fn is_told(&mut self) {
        self.is_told = true;
    }

    /// Takes more `reasoning_details` and `thinking_blocks`, kept in order; the text of one block may come in pieces. Gives what of
    /// it can be read and is told nowhere else.
    pub(in crate::chat) fn push(&mut self, details: Option<&RawValue>, blocks: Option<&RawValue>) -> String {
        let mut told = String::new();
        for block in self.read(details) {
            if !self.is_told {
                told.extend(["text", "summary"].iter().filter_map(|name| block.get(name)?.as_str()));
            }
            let number = block.get("index").cloned();
            add(&mut self.details, block, |last| number.is_some() && last.get("index") == number.as_ref());
        }
        for block in self.read(blocks) {
            add(&mut self.blocks, block, |last| last.get("signature").is_none());
        }
        told
    }

    /// How many bytes they take, about.
    pub(in crate::chat) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The fields, by name.
    pub(in crate::chat) fn finish(self) -> Map<String, Value> {
        let fields = [("reasoning_details", self.details), ("thinking_blocks", self.blocks)];
        let fields = fields.into_iter().filter(|(_, blocks)| !blocks.is_empty());
        fields.map(|(name, blocks)| (name.to_owned(), Value::Array(blocks))).collect()
    }

    fn read(&mut self, raw: Option<&RawValue>) -> Vec<Value> {
        let Some(raw) = raw else { return Vec::new() };
        self.bytes += raw.get().len() * OPAQUE_WEIGHT;
        match serde_json::from_str(raw.get()) {
            Ok(Value::Array(blocks)) => blocks,
            Ok(Value::Object(block)) => vec![Value::Object(block)],
            Ok(_) | Err(_) => Vec::new(),
        }
    }
}

/// Adds `block` to the last of `blocks` where it goes on with that one, and else behind it.
fn add(blocks: &mut Vec<Value>, block: Value, goes_on: impl Fn(&Value) -> bool) {
    let same_type = |last: &Value| last.get("type").is_some() && last.get("type") == block.get("type");
    let last = blocks.last_mut().filter(|last| same_type(last) && goes_on(last));
    match (last, block) {
        (Some(Value::Object(last)), Value::Object(block)) => go_on(last, block),
        (_, block) => blocks.push(block),
    }
}

/// Adds what `block` says to `last`: texts go on, all else is replaced.
fn go_on(last: &mut Map<String, Value>, block: Map<String, Value>) {
    for (key, value) in block {
        match (last.get_mut(&key), value) {
            (Some(Value::String(text)), Value::String(more)) if TEXTS.contains(&key.as_str()) => {
                text.push_str(&more);
            }
            (_, Value::Null) => {}
            (_, value) => drop(last.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn opaque_thoughts_are_kept_block_by_block() {
        let mut opaque = Opaque::default();
        let mut push = |value: Value| {
            opaque.push(Some(&serde_json::value::to_raw_value(&value).unwrap()), None);
        };
        push(json!([{"type":"t","index":0,"text":"a"}]));
        push(json!([{"type":"t","index":0,"text":"b","format":null}, {"type":"t","index":1,"data":"x"}]));
        push(json!({"type":"u","id":"y"}));
        push(json!("odd"));
        push(json!(null));
        assert!(opaque.bytes() > 16 * 80);
        let expected = json!({"reasoning_details": [
            {"type":"t","index":0,"text":"ab"},
            {"type":"t","index":1,"data":"x"},
            {"type":"u","id":"y"},
        ]});
        assert_eq!(Value::Object(opaque.finish()), expected);
        assert_eq!(Opaque::default().finish(), Map::new());
    }

    #[test]
    fn a_block_ends_with_its_signature() {
        let mut opaque = Opaque::default();
        for block in [
            json!([{"type":"thinking","thinking":"a"}]),
            json!([{"type":"thinking","thinking":"b","signature":"s"}]),
            json!([{"type":"thinking","thinking":"c"}, {"type":"redacted_thinking","data":"d"}]),
        ] {
            opaque.push(None, Some(&serde_json::value::to_raw_value(&block).unwrap()));
        }
        let expected = json!({"thinking_blocks": [
            {"type":"thinking","thinking":"ab","signature":"s"},
            {"type":"thinking","thinking":"c"},
            {"type":"redacted_thinking","data":"d"},
        ]});
        assert_eq!(Value::Object(opaque.finish()), expected);
    }
}
