//! Where vi's motions lead, in a draft: positions alone, nothing is moved.
//!
//! A unit is what the cursor steps over: a grapheme, or an atom, which is a word of its own.

use super::super::draft::{Class, Draft};

/// A character to be looked for in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) way: Way,
    pub(super) stop: Stop,
    pub(super) wanted: char,
}

/// Left or right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Left,
    Right,
}

/// On the character, or just before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    On,
    Before,
}

/// The beginning of the next word.
pub(super) fn word_right(draft: &Draft, at: usize) -> usize {
    let here = class(draft, at);
    let end = if here == Some(Class::Space) { at } else { right_while(draft, at, here) };
    right_while(draft, end, Some(Class::Space))
}

/// The beginning of this word, or of the one before.
pub(super) fn word_left(draft: &Draft, at: usize) -> usize {
    let end = left_while(draft, at, Some(Class::Space));
    let before = draft.prev(end);
    if before == end { end } else { left_while(draft, end, class(draft, before)) }
}

/// The last unit of this word, or of the next.
pub(super) fn word_end(draft: &Draft, at: usize) -> usize {
    let start = right_while(draft, draft.next(at), Some(Class::Space));
    let end = right_while(draft, start, class(draft, start));
    if end == start { at } else { draft.prev(end) }
}

/// The first unit of the line that is no white space.
pub(super) fn first_word(draft: &Draft, at: usize) -> usize {
    let (start, end) = (draft.line_start(at), draft.line_end(at));
    right_while(draft, start, Some(Class::Space)).min(end)
}

/// The beginning of line `number`, from 1; of the last where there are fewer.
pub(super) fn line(draft: &Draft, number: usize) -> usize {
    let mut start = 0;
    for _ in 1..number {
        let end = draft.line_end(start);
        if end == draft.len() {
            break;
        }
        start = draft.next(end);
    }
    start
}

/// So many units right of `at`, and no further than `most`.
pub(super) fn right(draft: &Draft, mut at: usize, count: usize, most: usize) -> usize {
    for _ in 0..count {
        if at >= most {
            break;
        }
        at = draft.next(at);
    }
    at
}

/// So many units left of `at`, and no further than `least`.
pub(super) fn left(draft: &Draft, mut at: usize, count: usize, least: usize) -> usize {
    for _ in 0..count {
        if at <= least {
            break;
        }
        at = draft.prev(at);
    }
    at
}

/// The unit that is looked for, in this line; none where there are fewer.
pub(super) fn found(draft: &Draft, from: usize, find: Find, count: usize) -> Option<usize> {
    let (start, end) = (draft.line_start(from), draft.line_end(from));
    let mut at = from;
    for _ in 0..count {
        loop {
            let next = match find.way {
                Way::Right => draft.next(at),
                Way::Left => draft.prev(at),
            };
            if next == at || next < start || next >= end {
                return None;
            }
            at = next;
            if draft.slice(at..draft.next(at)).starts_with(find.wanted) {
                break;
            }
        }
    }
    Some(match (find.stop, find.way) {
        (Stop::On, _) => at,
        (Stop::Before, Way::Right) => draft.prev(at),
        (Stop::Before, Way::Left) => draft.next(at),
    })
}

fn class(draft: &Draft, at: usize) -> Option<Class> {
    let end = draft.next(at);
    (at < end).then(|| draft.class(at..end))
}

/// Over units of this class; over one alone where it is a folded paste.
fn right_while(draft: &Draft, mut at: usize, wanted: Option<Class>) -> usize {
    while wanted.is_some() && class(draft, at) == wanted {
        at = draft.next(at);
        if wanted == Some(Class::Fold) {
            break;
        }
    }
    at
}

fn left_while(draft: &Draft, mut at: usize, wanted: Option<Class>) -> usize {
    loop {
        let before = draft.prev(at);
        if before == at || wanted.is_none() || class(draft, before) != wanted {
            return at;
        }
        at = before;
        if wanted == Some(Class::Fold) {
            return at;
        }
    }
}
