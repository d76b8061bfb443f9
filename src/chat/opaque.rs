//! Fields of a message that nobody here reads, kept because the provider wants them back: `reasoning_details`.
//!
//! The surprising decision: blocks are kept as values and not as the text they came in, for one block comes in many pieces
//! and goes back whole.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::calls::OPAQUE_WEIGHT;

/// Opaque thoughts, block by block.
#[derive(Debug, Default)]
pub(super) struct Opaque {
    blocks: Vec<Value>,
    bytes: usize,
}

impl Opaque {
    /// Takes more blocks, kept in order; the text of one block may come in pieces.
    pub(super) fn push(&mut self, raw: &RawValue) {
        self.bytes += raw.get().len() * OPAQUE_WEIGHT;
        let blocks = match serde_json::from_str(raw.get()) {
            Ok(Value::Array(blocks)) => blocks,
            Ok(Value::Object(block)) => vec![Value::Object(block)],
            Ok(_) | Err(_) => return,
        };
        for block in blocks {
            let before = self.blocks.last_mut();
            if !before.is_some_and(|last| continue_block(last, &block)) {
                self.blocks.push(block);
            }
        }
    }

    /// How many bytes they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The fields, by name.
    pub(super) fn finish(self) -> Map<String, Value> {
        let mut fields = Map::new();
        if !self.blocks.is_empty() {
            fields.insert("reasoning_details".to_owned(), Value::Array(self.blocks));
        }
        fields
    }
}

/// Adds `block` to `last` where it goes on with it: the same type and index, a text or a summary more.
fn continue_block(last: &mut Value, block: &Value) -> bool {
    let (Value::Object(last), Value::Object(block)) = (last, block) else { return false };
    let same = |key: &str| last.get(key).is_some() && last.get(key) == block.get(key);
    if !same("index") || !same("type") {
        return false;
    }
    for (key, value) in block {
        match (key.as_str(), last.get_mut(key), value) {
            ("text" | "summary", Some(Value::String(text)), Value::String(more)) => text.push_str(more),
            (_, _, Value::Null) => {}
            _ => {
                last.insert(key.clone(), value.clone());
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn opaque_thoughts_are_kept_block_by_block() {
        let mut opaque = Opaque::default();
        let mut push = |value: Value| {
            opaque.push(&serde_json::value::to_raw_value(&value).unwrap());
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
}
