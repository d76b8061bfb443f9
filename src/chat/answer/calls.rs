//! Tool calls out of their pieces.
//!
//! Endpoints cut calls up in every way: ids only in the first piece or in each, indexes missing, always 0 or wrong,
//! names repeated or in halves, arguments whole or letter by letter. This file decides which call a piece belongs to and
//! gives every call an id of its own. It does not judge arguments: but for halves of characters they leave as they
//! came. The surprising decision: a closed pair of braces is what tells a repeated name from a further call, so nesting
//! is followed as pieces arrive.

use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::nesting::Nesting;
use crate::protocol::{CallId, ToolCall, ToolName};

/// The names of the fields that a provider wants back with a call.
const EXTRA: [&str; 2] = ["extra_content", "provider_specific_fields"];

/// A field that nobody here reads takes about so many bytes of memory for each byte of its JSON.
pub(in crate::chat) const OPAQUE_WEIGHT: usize = 16;

/// A call that came without a name still gets an answer.
const NO_NAME: &str = "unnamed";

/// More calls than this are not even read: nobody runs them, and each would need an answer.
const MAX_CALLS: usize = 1024;

/// The calls of one answer.
#[derive(Debug, Default)]
pub(in crate::chat) struct Calls {
    list: Vec<Growing>,
    /// Which one grew last.
    current: usize,
    bytes: usize,
}

/// One piece, as sent; empty texts where nothing was.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::chat) struct Piece<'a> {
    pub(in crate::chat) id: &'a str,
    pub(in crate::chat) index: Option<u64>,
    pub(in crate::chat) name: &'a str,
    pub(in crate::chat) arguments: &'a str,
    /// What is kept for the provider: the fields of `EXTRA`.
    pub(in crate::chat) extra: [Option<&'a RawValue>; 2],
}

#[derive(Debug, Default)]
struct Growing {
    id: String,
    index: Option<u64>,
    name: String,
    arguments: String,
    /// Where the arguments stand in their own JSON.
    nesting: Nesting,
    extra: Map<String, Value>,
}

impl Calls {
    /// Takes the next piece.
    pub(in crate::chat) fn push(&mut self, piece: Piece<'_>) {
        let found = self.find(piece);
        self.current = found.unwrap_or(self.list.len());
        if found.is_none() && self.list.len() < MAX_CALLS {
            self.list.push(Growing::default());
        }
        if let Some(call) = self.list.get_mut(self.current) {
            self.bytes += piece.weight();
            call.take(piece);
        }
    }

    /// Whether any call has come.
    pub(in crate::chat) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many bytes they take, about.
    pub(in crate::chat) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The calls, in the order in which they began, ids unique.
    pub(in crate::chat) fn finish(self) -> Vec<ToolCall> {
        let mut taken = HashSet::new();
        let calls = self.list.into_iter().filter(|call| !(call.name.is_empty() && call.arguments.is_empty()));
        let named = calls.enumerate().map(|(at, call)| {
            let wanted = if call.id.is_empty() { format!("call_{}", at + 1) } else { call.id };
            let id = free_id(&wanted, &mut taken);
            let name = ToolName::from(if call.name.is_empty() { NO_NAME.to_owned() } else { call.name });
            ToolCall { id, name, arguments: call.arguments, extra: call.extra }
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
            Some(_) if nameless && self.is_amiss(by_index, piece) => self.current,
            Some(_) => by_index.or(nameless.then_some(self.current))?,
            None => self.current,
        };
        self.unless_another(at, piece)
    }

    /// Whether the call at `at` is complete and cannot be meant, for another one waits for its arguments: some servers begin
    /// a call under the number of its tool, and go on with it under a number of its own.
    fn is_amiss(&self, at: Option<usize>, piece: Piece<'_>) -> bool {
        let is_complete = |at: usize| self.list.get(at).is_some_and(|call| call.nesting.is_closed());
        at.is_some_and(is_complete) && !is_complete(self.current) && !piece.arguments.trim().is_empty()
    }

    fn find_by_id(&self, piece: Piece<'_>, by_index: Option<usize>) -> Option<usize> {
        if let Some(at) = self.last(|call| call.id == piece.id) {
            let call = self.list.get(at)?;
            if call.index == piece.index {
                return Some(at);
            }
            // Some servers give several calls one id: then a name at another index begins one.
            let begins = !piece.name.is_empty() && call.nesting.is_closed();
            return if begins { None } else { self.unless_another(at, piece) };
        }
        // An id that changes within a call: nothing begins without a name.
        let goes_on = |at: &usize| self.list.get(*at).is_some_and(|call| !call.nesting.is_closed());
        if let Some(at) = by_index.filter(goes_on).filter(|_| piece.name.is_empty()) {
            return Some(at);
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

impl Piece<'_> {
    fn weight(&self) -> usize {
        let extra: usize = self.extra.iter().flatten().map(|raw| raw.get().len() * OPAQUE_WEIGHT).sum();
        self.id.len() + self.name.len() + self.arguments.len() + extra
    }
}

impl Growing {
    /// Whether `piece` begins a call of its own: it names one although this one is complete or has another name.
    fn is_other_than(&self, piece: Piece<'_>) -> bool {
        let complete = self.nesting.is_closed() && !piece.arguments.is_empty();
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
        for (name, raw) in EXTRA.into_iter().zip(piece.extra) {
            if let Some(value) = raw.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
                self.extra.insert(name.to_owned(), value);
            }
        }
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
        let repeated = self.nesting.is_closed() && self.arguments == arguments;
        if repeated {
            return;
        }
        if self.arguments == "{}" && arguments.starts_with('{') {
            // Some gateways open with empty arguments before they send the true ones.
            self.arguments.clear();
            self.nesting = Nesting::default();
        }
        self.arguments.push_str(arguments);
        self.nesting.follow(arguments.as_bytes());
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
        let index = next().parse().ok();
        Piece { index, id: next(), name: next(), arguments: next(), ..Piece::default() }
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
    fn ids_and_indexes_may_change_within_a_call() {
        check(&["0|a|Read|", "0|b||{\"p\"", "0|b||:1}"], &["a|Read|{\"p\":1}"]);
        check(&["0|a|Read|{}", "0|b||{}"], &["a|Read|{}", "b|unnamed|{}"]);
        check(
            &["1|a|Read|", "0|||{\"p\":1}", "0|b|Grep|", "1|||{\"q\"", "1|||:2}", "1||| "],
            &["a|Read|{\"p\":1} ", "b|Grep|{\"q\":2}"],
        );
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

    #[test]
    fn what_the_provider_wants_back_stays_with_the_call() {
        let raw = |json: &'static str| serde_json::from_str::<&RawValue>(json).unwrap();
        let mut calls = Calls::default();
        calls.push(Piece {
            extra: [Some(raw(r#"{"google":{"thought_signature":"s"}}"#)), None],
            ..piece("0|a|Read|{}")
        });
        calls.push(Piece { extra: [None, Some(raw("[1]"))], ..piece("1|b|Read|{}") });
        calls.push(Piece { extra: [None, Some(raw("[2]"))], ..piece("0|||") });
        assert!(calls.bytes() > 4 * OPAQUE_WEIGHT);
        let extras: Vec<String> =
            calls.finish().into_iter().map(|call| Value::Object(call.extra).to_string()).collect();
        assert_eq!(
            extras,
            [
                r#"{"extra_content":{"google":{"thought_signature":"s"}},"provider_specific_fields":[2]}"#,
                r#"{"provider_specific_fields":[1]}"#,
            ]
        );
    }

    #[test]
    fn half_a_character_in_arguments_stays_what_it_is() {
        let mut calls = Calls::default();
        calls.push(piece(r#"0|a|Read|{"p":"\ud8"#));
        calls.push(piece(r#"0|||3d"}"#));
        assert_eq!(calls.finish()[0].arguments, r#"{"p":"\ud83d"}"#);
    }
}
