//! The same call with the same result, again and again.
//!
//! Successful repeats count as well as failed ones; a call whose result changes (polling) does not. First the model gets a
//! hint, once; if it goes on, a run that somebody watches stops at the turn-limit question. What was seen lives in the
//! [`Carry`], so a continued run remembers it. Not here: cycles of several calls; each of them is counted by itself.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::protocol::{Carry, Content, Part, ToolCall};

/// Equal call-and-result pairs before the hint (the outside contract).
const HINT_AFTER: u32 = 5;
/// Further ones before a watched run stops (the outside contract).
const STOP_AFTER: u32 = HINT_AFTER + 10;

/// What the model is told, once.
pub(super) const HINT: &str = "Note: the same call has given the same result five times. Repeating it will not change \
the result. Do something different, or tell the user what stands in the way.";

/// What a repeated call calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// Nothing.
    None,
    /// The hint.
    Hint,
    /// The question whether to go on, where somebody is there to answer it.
    Stop,
}

/// Counts one call with its result.
pub(super) fn note(carry: &mut Carry, call: &ToolCall, content: &Content) -> Repetition {
    let count = carry.seen_calls.entry(fingerprint(call, content)).or_insert(0);
    *count += 1;
    if *count >= STOP_AFTER {
        Repetition::Stop
    } else if *count >= HINT_AFTER && !carry.loop_hinted {
        carry.loop_hinted = true;
        Repetition::Hint
    } else {
        Repetition::None
    }
}

/// Forgets the counts: somebody said that it should go on.
pub(super) fn forgive(carry: &mut Carry) {
    for count in carry.seen_calls.values_mut() {
        *count = (*count).min(HINT_AFTER);
    }
}

fn fingerprint(call: &ToolCall, content: &Content) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.name.hash(&mut hasher);
    call.arguments.hash(&mut hasher);
    for part in &content.0 {
        match part {
            Part::Text(text) => text.hash(&mut hasher),
            Part::Image { file, .. } => file.hash(&mut hasher),
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> ToolCall {
        ToolCall::new("1", "Read", arguments)
    }

    fn repeat(carry: &mut Carry, times: u32, result: impl Fn(u32) -> String) -> Vec<Repetition> {
        (0..times).map(|n| note(carry, &call("{}"), &Content::text(result(n)))).collect()
    }

    #[test]
    fn the_fifth_equal_result_gets_a_hint_and_only_that_one() {
        let seen = repeat(&mut Carry::default(), 7, |_| "same".to_owned());
        assert_eq!(seen.iter().filter(|r| **r == Repetition::Hint).count(), 1);
        assert_eq!(seen[4], Repetition::Hint);
    }

    #[test]
    fn ten_more_stop_a_run() {
        let seen = repeat(&mut Carry::default(), 15, |_| "same".to_owned());
        assert_eq!(seen[13], Repetition::None);
        assert_eq!(seen[14], Repetition::Stop);
    }

    #[test]
    fn a_result_that_changes_is_no_repetition() {
        let seen = repeat(&mut Carry::default(), 20, |n| n.to_string());
        assert!(seen.iter().all(|r| *r == Repetition::None));
    }

    #[test]
    fn after_going_on_it_takes_ten_more_again() {
        let mut carry = Carry::default();
        repeat(&mut carry, 15, |_| "same".to_owned());
        forgive(&mut carry);
        let seen = repeat(&mut carry, 10, |_| "same".to_owned());
        assert_eq!(seen.iter().position(|r| *r == Repetition::Stop), Some(9));
    }
}
