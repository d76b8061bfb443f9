//! Detects a model that repeats itself: the same call with the same result, again and again.
//!
//! Successful repeats count as well as failed ones, but only in a row: another call, another result (polling) or a call that
//! changed a file ends it. Several calls of one answer, repeated answer by answer, are a row too. First the model gets a hint,
//! once; if it goes on, a run that somebody watches stops at the turn-limit question. The rows are part of the [`Carry`], so a
//! continued run knows them. Not detected: cycles over several answers.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::batch::Answered;
use crate::protocol::{Carry, Content, Part, Row, ToolCall};

/// Equal calls with equal results in a row before the hint (the outside contract).
const HINT_AFTER: u32 = 5;
/// Length of the row that stops a watched run: ten more (the outside contract).
const STOP_AFTER: u32 = HINT_AFTER + 10;

/// What the model is told, once.
pub(super) const HINT: &str = "Note: the same call has given the same result five times in a row. Repeating it will not \
change the result. Do something different, or tell the user what is blocking you.";

/// What a row calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// Nothing.
    None,
    /// The hint.
    Hint,
    /// The question whether to go on, where somebody is there to answer it.
    Stop,
}

/// Counts the calls of one answer.
pub(super) fn note(carry: &mut Carry, calls: &[Answered]) -> Repetition {
    let mut longest = 0;
    let mut answer = DefaultHasher::new();
    for answered in calls {
        let call = fingerprint(&answered.call, &answered.content);
        call.hash(&mut answer);
        longest = longest.max(count(&mut carry.same_call, call, answered.changed));
    }
    let changed = calls.iter().any(|answered| answered.changed);
    longest = longest.max(count(&mut carry.same_answer, answer.finish(), changed));
    if longest >= STOP_AFTER && carry.loop_hinted {
        Repetition::Stop
    } else if longest >= HINT_AFTER && !carry.loop_hinted {
        carry.loop_hinted = true;
        Repetition::Hint
    } else {
        Repetition::None
    }
}

/// Shortens the rows to the hint: the user wants the run to go on.
pub(super) fn forgive(carry: &mut Carry) {
    for row in [&mut carry.same_call, &mut carry.same_answer] {
        row.length = row.length.min(HINT_AFTER);
    }
}

/// Adds one to the row, or begins another; gives its length.
fn count(row: &mut Row, last: u64, changed: bool) -> u32 {
    let length = if changed {
        0
    } else if row.last == last {
        row.length + 1
    } else {
        1
    };
    *row = Row { last, length };
    length
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
    use crate::protocol::ToolStatus;

    fn answered(arguments: &str, result: impl Into<String>) -> Answered {
        let (call, content) = (ToolCall::new("1", "Read", arguments), Content::text(result));
        Answered { call, content, status: ToolStatus::Success, changed: false }
    }

    fn changing(arguments: &str) -> Answered {
        Answered { changed: true, ..answered(arguments, "done") }
    }

    /// What each answer calls for.
    fn play(carry: &mut Carry, answers: impl IntoIterator<Item = Vec<Answered>>) -> Vec<Repetition> {
        answers.into_iter().map(|calls| note(carry, &calls)).collect()
    }

    fn same(times: usize) -> impl Iterator<Item = Vec<Answered>> {
        (0..times).map(|_| vec![answered("{}", "same")])
    }

    #[track_caller]
    fn check(answers: impl IntoIterator<Item = Vec<Answered>>, hint: Option<usize>, stop: Option<usize>) {
        let seen = play(&mut Carry::default(), answers);
        let at = |wanted| seen.iter().position(|repetition| *repetition == wanted);
        assert_eq!((at(Repetition::Hint), at(Repetition::Stop)), (hint, stop), "{seen:?}");
        assert!(seen.iter().filter(|repetition| **repetition == Repetition::Hint).count() <= 1, "{seen:?}");
    }

    #[test]
    fn the_fifth_in_a_row_gets_a_hint_and_ten_more_stop_the_run() {
        check(same(4), None, None);
        check(same(14), Some(4), None);
        check(same(20), Some(4), Some(14));
    }

    #[test]
    fn another_result_or_another_call_ends_the_row() {
        check((0..20).map(|number| vec![answered("{}", number.to_string())]), None, None);
        check(same(4).chain([vec![answered("[]", "other")]]).chain(same(4)), None, None);
        check((0..20).map(|number| vec![answered(&(number % 2).to_string(), "same")]), None, None);
    }

    #[test]
    fn a_call_that_changed_something_ends_the_row() {
        let edited =
            (0..8).flat_map(|number| [vec![changing(&number.to_string())], vec![answered("{}", "")]]);
        check(edited, None, None);
        let in_one = (0..8).map(|number| vec![changing(&number.to_string()), answered("{}", "")]);
        check(in_one, None, None);
        check((0..20).map(|_| vec![changing("echo x >> log")]), None, None);
        check(same(4).chain([vec![changing("1")]]).chain(same(5)), Some(9), None);
    }

    #[test]
    fn calls_of_one_answer_are_a_row_and_so_are_equal_answers() {
        check([same(5).flatten().collect()], Some(0), None);
        check([same(64).flatten().collect(), vec![answered("{}", "same")]], Some(0), Some(1));
        check((0..20).map(|_| vec![answered("a", "one"), answered("b", "two")]), Some(4), Some(14));
    }

    #[test]
    fn after_going_on_it_takes_ten_more_again() {
        let mut carry = Carry::default();
        play(&mut carry, same(15));
        forgive(&mut carry);
        let seen = play(&mut carry, same(10));
        assert_eq!(seen.iter().position(|repetition| *repetition == Repetition::Stop), Some(9));
    }
}
