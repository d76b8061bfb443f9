//! Tool calls out of their pieces.
//!
//! Endpoints cut calls up in every way: ids only in the first piece or in each, indexes missing, always 0 or wrong,
//! names repeated or in halves, arguments whole or letter by letter. This file decides which call a piece belongs to and
//! gives every call an id of its own. It does not judge arguments: they leave as they came. The surprising decision: a
//! closed pair of braces is what tells a repeated name from a further call, so nesting is followed as pieces arrive.

use std::collections::HashSet;

use serde_json::Map;

use crate::protocol::{CallId, ToolCall, ToolName};

/// A call that came without a name still gets an answer.
const NO_NAME: &str = "unnamed";

/// More calls than this are not even read: nobody runs them, and each would need an answer.
const MAX_CALLS: usize = 1024;

/// The calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    list: Vec<Growing>,
    /// Which one grew last.
    current: usize,
}

/// One piece, as sent; empty texts where nothing was.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Piece<'a> {
    pub(super) id: &'a str,
    pub(super) index: Option<u64>,
    pub(super) name: &'a str,
    pub(super) arguments: &'a str,
}

#[derive(Debug, Default)]
struct Growing {
    id: String,
    index: Option<u64>,
    name: String,
    arguments: String,
    nesting: Nesting,
}

/// Where the arguments stand in their own JSON.
#[derive(Debug, Default)]
struct Nesting {
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

impl Calls {
    /// Takes the next piece.
    pub(super) fn push(&mut self, piece: Piece<'_>) {
        let found = self.find(piece);
        self.current = found.unwrap_or(self.list.len());
        if found.is_none() && self.list.len() < MAX_CALLS {
            self.list.push(Growing::default());
        }
        if let Some(call) = self.list.get_mut(self.current) {
            call.take(piece);
        }
    }

    /// Whether any call has come.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The calls, in the order in which they began, ids unique.
    pub(super) fn finish(self) -> Vec<ToolCall> {
        let mut taken = HashSet::new();
        let calls = self.list.into_iter().filter(|call| !(call.name.is_empty() && call.arguments.is_empty()));
        let named = calls.enumerate().map(|(at, call)| {
            let wanted = if call.id.is_empty() { format!("call_{}", at + 1) } else { call.id };
            let id = free_id(&wanted, &mut taken);
            let name = ToolName::from(if call.name.is_empty() { NO_NAME.to_owned() } else { call.name });
            ToolCall { id, name, arguments: call.arguments, extra: Map::new() }
        });
        named.collect()
    }

    /// The call that `piece` belongs to; none where it begins one.
    fn find(&self, piece: Piece<'_>) -> Option<usize> {
        let by_index = piece.index.and_then(|_| self.last(|call| call.index == piece.index));
        if !piece.id.is_empty() {
            return self.find_by_id(piece, by_index);
        }
        let nameless = piece.name.is_empty() && !self.list.is_empty();
        let at = match piece.index {
            Some(_) => by_index.or(nameless.then_some(self.current))?,
            None => self.current,
        };
        self.unless_another(at, piece)
    }

    fn find_by_id(&self, piece: Piece<'_>, by_index: Option<usize>) -> Option<usize> {
        if let Some(at) = self.last(|call| call.id == piece.id) {
            let call = self.list.get(at)?;
            if call.index == piece.index {
                return Some(at);
            }
            // Some servers give several calls one id: then a name at another index begins one.
            let begins = !piece.name.is_empty() && call.nesting.closed;
            return if begins { None } else { self.unless_another(at, piece) };
        }
        // An id that comes late belongs to the call that waits for one.
        let waiting = by_index.or(piece.index.is_none().then_some(self.current))?;
        let waits = self.list.get(waiting).is_some_and(|call| call.id.is_empty());
        if waits { self.unless_another(waiting, piece) } else { None }
    }

    fn unless_another(&self, at: usize, piece: Piece<'_>) -> Option<usize> {
        let call = self.list.get(at)?;
        (!call.is_other_than(piece)).then_some(at)
    }

    /// From the end: a piece mostly belongs to a late call, and there may be thousands.
    fn last(&self, matches: impl Fn(&Growing) -> bool) -> Option<usize> {
        self.list.iter().rposition(matches)
    }
}

impl Growing {
    /// Whether `piece` begins a call of its own: it names one although this one is complete or has another name.
    fn is_other_than(&self, piece: Piece<'_>) -> bool {
        let complete = self.nesting.closed && !piece.arguments.is_empty();
        let renamed = self.name != piece.name && !self.arguments.is_empty();
        !piece.name.is_empty() && !self.name.is_empty() && (complete || renamed)
    }

    fn take(&mut self, piece: Piece<'_>) {
        if self.id.is_empty() {
            piece.id.clone_into(&mut self.id);
        }
        self.index = self.index.or(piece.index);
        self.take_name(piece.name.trim());
        self.take_arguments(piece.arguments);
    }

    /// Whole, repeated, or in halves while no arguments have come.
    fn take_name(&mut self, name: &str) {
        if self.arguments.is_empty() && self.name != name {
            if name.starts_with(&self.name) {
                self.name.clear();
            }
            self.name.push_str(name);
        }
    }

    fn take_arguments(&mut self, arguments: &str) {
        let repeated = self.nesting.closed && self.arguments == arguments;
        if repeated {
            return;
        }
        if self.arguments == "{}" && arguments.starts_with('{') {
            // Some gateways open with empty arguments before they send the true ones.
            self.arguments.clear();
            self.nesting = Nesting::default();
        }
        self.arguments.push_str(arguments);
        self.nesting.follow(arguments);
    }
}

impl Nesting {
    fn follow(&mut self, json: &str) {
        for byte in json.bytes() {
            match (self.place, byte) {
                (Place::Outside, b'"') | (Place::Escape, _) => self.place = Place::Text,
                (Place::Text, b'"') => self.place = Place::Outside,
                (Place::Text, b'\\') => self.place = Place::Escape,
                (Place::Outside, b'{' | b'[') => {
                    self.depth = self.depth.saturating_add(1);
                    self.closed = false;
                }
                (Place::Outside, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed = self.depth == 0;
                }
                (Place::Outside | Place::Text, _) => {}
            }
        }
    }
}

fn free_id(wanted: &str, taken: &mut HashSet<String>) -> CallId {
    let mut id = wanted.to_owned();
    let mut number = 2;
    while !taken.insert(id.clone()) {
        id = format!("{wanted}_{number}");
        number += 1;
    }
    CallId::from(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A piece in short: `index|id|name|arguments`, `-` for no index.
    fn piece(text: &str) -> Piece<'_> {
        let mut parts = text.splitn(4, '|');
        let mut next = || parts.next().unwrap_or_default();
        Piece { index: next().parse().ok(), id: next(), name: next(), arguments: next() }
    }

    #[track_caller]
    fn check(pieces: &[&str], expected: &[&str]) {
        let mut calls = Calls::default();
        for text in pieces {
            calls.push(piece(text));
        }
        let calls: Vec<String> = calls
            .finish()
            .into_iter()
            .map(|call| format!("{}|{}|{}", call.id, call.name, call.arguments))
            .collect();
        assert_eq!(calls, expected, "{pieces:?}");
    }

    #[test]
    fn pieces_are_joined_by_index() {
        check(&["0|a|Read|", "0|||{\"p\"", "0|||:1}"], &["a|Read|{\"p\":1}"]);
        check(&["0|a|Read|{", "1|b|Grep|{", "0|||}", "1|||}"], &["a|Read|{}", "b|Grep|{}"]);
        check(&["1|a|Read|{}", "7|b|Read|{}"], &["a|Read|{}", "b|Read|{}"]);
    }

    #[test]
    fn an_id_tells_calls_apart_where_the_index_does_not() {
        check(&["0|a|Read|{}", "0|b|Read|{}"], &["a|Read|{}", "b|Read|{}"]);
        check(&["-|a|Read|{", "-|b|Grep|{", "-|a||}", "-|b||}"], &["a|Read|{}", "b|Grep|{}"]);
        check(&["0|a|Read|{", "1|a|Read|}"], &["a|Read|{}"]);
        check(&["0|a|Read|{", "0|a|Read|}"], &["a|Read|{}"]);
        check(&["0||Read|", "0|a||{}"], &["a|Read|{}"]);
    }

    #[test]
    fn a_piece_that_says_nothing_belongs_to_the_current_call() {
        check(&["-|a|Read|{", "-|||}"], &["a|Read|{}"]);
        check(&["-||Read|{", "-|||}"], &["call_1|Read|{}"]);
        check(&["0|a|Read|{", "1|||}"], &["a|Read|{}"]);
    }

    #[test]
    fn whole_calls_without_id_and_index_stay_apart() {
        check(
            &["-||Read|{\"a\":1}", "-||Read|{\"a\":2}"],
            &["call_1|Read|{\"a\":1}", "call_2|Read|{\"a\":2}"],
        );
        check(
            &["0||Read|{\"a\":1}", "0||Grep|{\"b\":2}"],
            &["call_1|Read|{\"a\":1}", "call_2|Grep|{\"b\":2}"],
        );
        check(&["0||Read|{}", "1||Read|{}"], &["call_1|Read|{}", "call_2|Read|{}"]);
    }

    #[test]
    fn names_are_set_once_or_grow_before_the_arguments() {
        check(&["0|a|Read|", "0|a|Read|{", "0|a|Read|}"], &["a|Read|{}"]);
        check(&["0|a|Re|", "0||ad|", "0|||{}"], &["a|Read|{}"]);
        check(&["0|a|Re|", "0||Read|{}"], &["a|Read|{}"]);
        check(&["0|a|Read|{\"x\":\"}\"", "0||Read|}"], &["a|Read|{\"x\":\"}\"}"]);
        check(&["0|a|Read|{}", "0||Read|"], &["a|Read|{}"]);
    }

    #[test]
    fn every_call_gets_an_id_of_its_own() {
        check(&["0|a|Read|{}", "1|a|Read|{}"], &["a|Read|{}", "a_2|Read|{}"]);
        check(&["0||Read|{}", "1|call_1|Read|{}"], &["call_1|Read|{}", "call_1_2|Read|{}"]);
    }

    #[test]
    fn arguments_that_are_sent_twice_count_once() {
        check(&["0|a|Read|{\"p\":1}", "0|a|Read|{\"p\":1}"], &["a|Read|{\"p\":1}"]);
        check(&["0|a|Read|{}", "0|||{\"p\"", "0|||:1}"], &["a|Read|{\"p\":1}"]);
    }

    #[test]
    fn a_flood_of_calls_has_an_end() {
        let mut calls = Calls::default();
        for index in 0..5000 {
            calls.push(Piece { index: Some(index), name: "Read", arguments: "{}", ..Piece::default() });
            calls.push(Piece { arguments: " ", ..Piece::default() });
        }
        let calls = calls.finish();
        assert_eq!((calls.len(), calls.last().unwrap().arguments.as_str()), (MAX_CALLS, "{} "));
    }

    #[test]
    fn a_call_of_nothing_is_none() {
        check(&["0|a||"], &[]);
        check(&["0|a||{}"], &["a|unnamed|{}"]);
    }
}
