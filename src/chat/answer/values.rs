//! JSON values that stand one behind the other, out of bytes that may be cut anywhere.
//!
//! For bodies that are no event stream: one whole answer, or a chunk on each line. What stands between values (line ends,
//! commas, a stray `data:`) is passed over. The surprising decision: brackets tell where a value ends, not line ends,
//! so that an answer which was printed for people is read like one on a single line.

use super::nesting::Nesting;

/// Splits a body into values.
#[derive(Debug, Default)]
pub(in crate::chat) struct JsonValues {
    /// The value whose end has not come; empty between values.
    held: Vec<u8>,
    nesting: Nesting,
}

impl JsonValues {
    /// Takes the next bytes and hands each value that they complete to `on_value`.
    pub(in crate::chat) fn push(&mut self, mut bytes: &[u8], mut on_value: impl FnMut(&[u8])) {
        while !bytes.is_empty() {
            if self.held.is_empty() {
                let Some(start) = bytes.iter().position(|byte| matches!(byte, b'{' | b'[')) else { return };
                bytes = bytes.get(start..).unwrap_or_default();
            }
            let end = self.nesting.follow_to_close(bytes);
            let (value, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            bytes = rest;
            if end.is_none() {
                self.held.extend_from_slice(value);
            } else if self.held.is_empty() {
                on_value(value);
            } else {
                self.held.extend_from_slice(value);
                on_value(&self.held);
                self.held.clear();
            }
        }
    }

    /// How many bytes are held.
    pub(in crate::chat) fn held(&self) -> usize {
        self.held.len()
    }

    /// The body has ended: what its end cut off.
    pub(in crate::chat) fn finish(self) -> Vec<u8> {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: &[&str], rest: &str) {
        for size in 1..=body.len().max(1) {
            let mut values = JsonValues::default();
            let mut found = Vec::new();
            for part in body.as_bytes().chunks(size) {
                values.push(part, |value| found.push(String::from_utf8_lossy(value).into_owned()));
            }
            assert_eq!(found, expected, "{body} in pieces of {size}");
            assert_eq!(values.held(), rest.len());
            assert_eq!(values.finish(), rest.as_bytes(), "{body} in pieces of {size}");
        }
    }

    #[test]
    fn values_are_told_apart_by_their_brackets() {
        check("{\"a\":1}\n{\"b\":\"}\\\"\"}\n[DONE]\n", &["{\"a\":1}", "{\"b\":\"}\\\"\"}", "[DONE]"], "");
        check("{\n  \"a\": [\n    1\n  ]\n}\n", &["{\n  \"a\": [\n    1\n  ]\n}"], "");
        check("[{}, {}]", &["[{}, {}]"], "");
        check(" data: {} , x {", &["{}"], "{");
        check("", &[], "");
        check("oops", &[], "");
    }
}
