//! What an old and a new text have in common: line answers to line, and within lines piece to piece.
//!
//! What is common is not written, so that it keeps the bytes that the file has for it: its line ends, its quotes, its
//! blanks. A line with no answer is replaced whole. The surprise is [`Prefer`]: where a repeated line or piece could be
//! kept in two ways, both are asked for, and an edit for which they differ is not made.

use std::ops::Range;

/// Larger tables are not filled: the lines between are replaced as a whole then.
const MOST_CELLS: usize = 1_000_000;

/// Which of several equals is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefer {
    /// The first that fits.
    First,
    /// The last that fits.
    Last,
}

/// What becomes of some of the old lines (or pieces).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The old one is the new one.
    Keep {
        /// Number of the old one.
        old: usize,
        /// Number of the new one.
        new: usize,
    },
    /// The old ones go, the new ones come; either may be none.
    Replace {
        /// Numbers of the old ones.
        old: Range<usize>,
        /// Numbers of the new ones.
        new: Range<usize>,
    },
}

/// The way from the old to the new, in order.
pub(super) fn steps<T: PartialEq>(old: &[T], new: &[T], prefer: Prefer) -> Vec<Step> {
    let kept = match prefer {
        Prefer::First => common(old, new),
        Prefer::Last => {
            let reversed = |items: &[T]| -> Vec<usize> { (0..items.len()).rev().collect() };
            let (back_old, back_new) = (reversed(old), reversed(new));
            let pairs = common_by(old.len(), new.len(), |a, b| {
                let numbers = back_old.get(a).zip(back_new.get(b));
                numbers.is_some_and(|(a, b)| old.get(*a) == new.get(*b))
            });
            pairs.into_iter().rev().map(|(a, b)| (old.len() - 1 - a, new.len() - 1 - b)).collect()
        }
    };
    let mut steps = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    let mut gap = |steps: &mut Vec<Step>, to_old: usize, to_new: usize| {
        if (from_old, from_new) != (to_old, to_new) {
            steps.push(Step::Replace { old: from_old..to_old, new: from_new..to_new });
        }
        (from_old, from_new) = (to_old + 1, to_new + 1);
    };
    for (at_old, at_new) in kept {
        gap(&mut steps, at_old, at_new);
        steps.push(Step::Keep { old: at_old, new: at_new });
    }
    gap(&mut steps, old.len(), new.len());
    steps
}

fn common<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    common_by(old.len(), new.len(), |a, b| old.get(a).zip(new.get(b)).is_some_and(|(a, b)| a == b))
}

/// The longest common order of two lists, given by which of their items are the same; of several the first.
fn common_by(old: usize, new: usize, same: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let lead = (0..old.min(new)).take_while(|at| same(*at, *at)).count();
    let shorter = old.min(new) - lead;
    let trail = (1..=shorter).take_while(|back| same(old - back, new - back)).count();
    let mut kept: Vec<(usize, usize)> = (0..lead).map(|at| (at, at)).collect();
    kept.extend(longest(lead..old - trail, lead..new - trail, &same));
    kept.extend((1..=trail).rev().map(|back| (old - back, new - back)));
    kept
}

fn longest(
    old: Range<usize>,
    new: Range<usize>,
    same: &impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let (rows, columns) = (old.len(), new.len());
    if rows.saturating_mul(columns) > MOST_CELLS || rows == 0 || columns == 0 {
        return Vec::new();
    }
    // how many are common to what begins at a row and a column
    let mut table = vec![0_u32; (rows + 1) * (columns + 1)];
    let cell = |row: usize, column: usize| row * (columns + 1) + column;
    let at = |table: &[u32], row, column| table.get(cell(row, column)).copied().unwrap_or(0);
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let best = if same(old.start + row, new.start + column) {
                1 + at(&table, row + 1, column + 1)
            } else {
                at(&table, row + 1, column).max(at(&table, row, column + 1))
            };
            if let Some(place) = table.get_mut(cell(row, column)) {
                *place = best;
            }
        }
    }
    let (mut kept, mut row, mut column) = (Vec::new(), 0, 0);
    while row < rows && column < columns {
        if same(old.start + row, new.start + column) {
            kept.push((old.start + row, new.start + column));
            (row, column) = (row + 1, column + 1);
        } else if at(&table, row, column + 1) >= at(&table, row + 1, column) {
            column += 1;
        } else {
            row += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kept letters stand as they are, what goes and comes as `[old|new]`.
    fn told(old: &str, new: &str, prefer: Prefer) -> String {
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let text = |letters: &[char]| letters.iter().collect::<String>();
        let step = |step: Step| match step {
            Step::Keep { old: at, new: to } => {
                assert_eq!(old[at], new[to]);
                old[at].to_string()
            }
            Step::Replace { old: from, new: to } => format!("[{}|{}]", text(&old[from]), text(&new[to])),
        };
        steps(&old, &new, prefer).into_iter().map(step).collect()
    }

    #[test]
    fn what_is_common_is_kept() {
        let check = |old, new, expected: &str| {
            assert_eq!(told(old, new, Prefer::First), expected);
            assert_eq!(told(old, new, Prefer::Last), expected);
        };
        check("abc", "abc", "abc");
        check("abc", "xbz", "[a|x]b[c|z]");
        check("abcd", "ad", "a[bc|]d");
        check("ad", "abcd", "a[|bc]d");
        check("", "ab", "[|ab]");
        check("ab", "", "[ab|]");
        check("1a2b3", "xayb", "[1|x]a[2|y]b[3|]");
    }

    #[test]
    fn of_equals_the_first_or_the_last_is_kept() {
        assert_eq!(told("aa", "a", Prefer::First), "a[a|]");
        assert_eq!(told("aa", "a", Prefer::Last), "[a|]a");
        assert_eq!(told("xaay", "1a2", Prefer::First), "[x|1]a[ay|2]");
        assert_eq!(told("xaay", "1a2", Prefer::Last), "[xa|1]a[y|2]");
    }

    #[test]
    fn too_much_is_replaced_whole() {
        let (old, new) = ("ab".repeat(1000), "ba".repeat(1000));
        let (old, new) = (format!("x{old}y"), format!("1{new}2"));
        assert!(told(&old, &new, Prefer::First).starts_with("[xab"));
    }
}
