//! Where readline's motions lead, in a draft: positions alone, nothing is moved.
//!
//! A word is letters and digits; a folded paste is a word of its own.

use super::buffer::Motion;
use super::draft::{Class, Draft};

/// Where `motion` leads from `at`.
pub(super) fn target(draft: &Draft, at: usize, motion: Motion) -> usize {
    match motion {
        Motion::Left => draft.prev(at),
        Motion::Right => draft.next(at),
        Motion::WordLeft => {
            let end = left_while(draft, at, |class| matches!(class, Class::Space | Class::Mark));
            word_before(draft, end, |class| class == Class::Word)
        }
        Motion::WordRight => {
            let start = right_while(draft, at, |class| matches!(class, Class::Space | Class::Mark));
            match class_after(draft, start) {
                Some(Class::Fold) => draft.next(start),
                Some(_) | None => right_while(draft, start, |class| class == Class::Word),
            }
        }
        Motion::SpaceLeft => {
            let end = left_while(draft, at, |class| class == Class::Space);
            word_before(draft, end, |class| matches!(class, Class::Word | Class::Mark))
        }
        Motion::LineStart => draft.line_start(at),
        Motion::LineEnd => draft.line_end(at),
        Motion::TextStart => 0,
        Motion::TextEnd => draft.len(),
    }
}

/// What kind of thing stands before `at`.
pub(super) fn class_before(draft: &Draft, at: usize) -> Option<Class> {
    let start = draft.prev(at);
    (start < at).then(|| draft.class(start..at))
}

fn class_after(draft: &Draft, at: usize) -> Option<Class> {
    let end = draft.next(at);
    (at < end).then(|| draft.class(at..end))
}

/// The beginning of the word that ends at `end`; a folded paste is one.
fn word_before(draft: &Draft, end: usize, inside: impl Fn(Class) -> bool) -> usize {
    match class_before(draft, end) {
        Some(Class::Fold) => draft.prev(end),
        Some(_) | None => left_while(draft, end, inside),
    }
}

fn left_while(draft: &Draft, mut at: usize, keep: impl Fn(Class) -> bool) -> usize {
    while class_before(draft, at).is_some_and(&keep) {
        at = draft.prev(at);
    }
    at
}

fn right_while(draft: &Draft, mut at: usize, keep: impl Fn(Class) -> bool) -> usize {
    while class_after(draft, at).is_some_and(&keep) {
        at = draft.next(at);
    }
    at
}
