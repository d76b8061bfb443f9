//! Where a piece of JSON stands: how deep, and whether inside a text.
//!
//! It follows brackets and quotes, a piece at a time and each byte once; that the rest is JSON at all, nobody has checked.
//! That is enough to tell where a value ends before the next one has come, and it cannot fail.

use memchr::memchr2;

/// The place behind what has been followed so far.
#[derive(Debug, Default)]
pub(in crate::chat) struct Nesting {
    depth: u32,
    place: Place,
    closed: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    Text,
    Escape,
}

impl Nesting {
    /// Follows all of `json`.
    pub(in crate::chat) fn follow(&mut self, mut json: &[u8]) {
        while let Some(end) = self.follow_to_close(json) {
            json = json.get(end..).unwrap_or_default();
        }
    }

    /// Follows `json` up to the bracket that closes the outermost value, and says where it ends; none where it stays open.
    pub(in crate::chat) fn follow_to_close(&mut self, json: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(byte) = json.get(at) {
            match (self.place, byte) {
                (Place::Text, b'"') => self.place = Place::Outside,
                (Place::Text, b'\\') => self.place = Place::Escape,
                (Place::Text, _) => {
                    let rest = json.get(at..).unwrap_or_default();
                    at += memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                    continue;
                }
                (Place::Escape, _) | (Place::Outside, b'"') => self.place = Place::Text,
                (Place::Outside, b'{' | b'[') => {
                    self.depth = self.depth.saturating_add(1);
                    self.closed = false;
                }
                (Place::Outside, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed = self.depth == 0;
                    if self.closed {
                        return Some(at + 1);
                    }
                }
                (Place::Outside, _) => {}
            }
            at += 1;
        }
        None
    }

    /// Whether the last bracket closed the outermost value.
    pub(in crate::chat) fn is_closed(&self) -> bool {
        self.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_at_its_last_bracket_however_it_is_cut() {
        #[track_caller]
        fn check(json: &str, expected: Option<usize>) {
            assert_eq!(Nesting::default().follow_to_close(json.as_bytes()), expected, "{json}");
            let mut nesting = Nesting::default();
            let mut ends = json.bytes().map(|byte| nesting.follow_to_close(&[byte]).is_some());
            assert_eq!(ends.position(|end| end).map(|at| at + 1), expected, "{json}, byte by byte");
        }
        check(r#"{"a":[1,{}]} {"#, Some(12));
        check(r#"{"}":"\"}\\"}x"#, Some(13));
        check("[{]}", Some(4));
        check(r#"{"a":"#, None);
        check("12", None);
    }

    #[test]
    fn what_opens_again_is_no_longer_closed() {
        let mut nesting = Nesting::default();
        nesting.follow(b"{} [");
        assert!(!nesting.is_closed());
        nesting.follow(b"\"]\"]");
        assert!(nesting.is_closed());
    }
}
