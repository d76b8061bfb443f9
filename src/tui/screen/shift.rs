//! Which of the rows that stand can stay: where rows are put in between them, and where rows are taken out.
//!
//! Pure arithmetic on rows, without a byte: the cheapest of a few ways is chosen by what each would have to write. The surprise
//! is the first row, which is never taken out: at the top of a screen some terminals (alacritty) keep in their history what is taken
//! out there.

use super::row::Row;

/// What it costs to go to a row and to choose a colour, in bytes; no more than a guess is needed.
const FIXED: isize = 12;

/// From some row on, rows are taken out, and others put in in their place. All of them are counted from the region's first row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    /// The first row taken out, before which the new ones are put in.
    pub(super) from: usize,
    /// Rows taken out; none of them is the first.
    pub(super) removed: usize,
    /// Rows put in, empty.
    pub(super) inserted: usize,
}

impl Shift {
    /// For rows that become others; none where the first would have to be taken out.
    pub(super) fn between(old: &[Row], new: &[Row]) -> Option<Self> {
        let (removed, inserted) = (old.len().saturating_sub(new.len()), new.len().saturating_sub(old.len()));
        let same = old.len().min(new.len());
        // what is above stands as it stood, what is below stands elsewhere
        let end = |index| change(new.get(index + inserted), old.get(index + removed));
        let mut cost: isize = (0..same).map(end).sum();
        let mut best: Option<(isize, usize)> = None;
        for from in 0..=same {
            // the first of the equally good, so that rows at the end stay with what they follow
            if (from > 0 || removed == 0) && best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, from));
            }
            // a row less below, a row more above; that others are put in elsewhere changes what it costs to write them
            cost += change(new.get(from), old.get(from)) - end(from);
            cost += written(new.get(from + inserted)) - written(new.get(from));
        }
        best.map(|(_, from)| Self { from, removed, inserted })
    }

    /// Which of the old rows stands where the row `index` is to stand; none where it is an empty one.
    pub(super) fn standing(&self, index: usize) -> Option<usize> {
        if index < self.from {
            Some(index)
        } else {
            Some(index.checked_sub(self.from + self.inserted)? + self.from + self.removed)
        }
    }

    /// Rows that must be made room for below.
    pub(super) fn growth(&self) -> usize {
        self.inserted.saturating_sub(self.removed)
    }
}

/// What it costs to make one row of another.
fn change(new: Option<&Row>, old: Option<&Row>) -> isize {
    match (new, old) {
        (Some(new), Some(old)) if new != old => FIXED + written(Some(new)) - signed(new.same_bytes(old)),
        (Some(_), Some(_)) | (None, _) | (_, None) => 0,
    }
}

/// What it costs to write a row where none stands.
fn written(new: Option<&Row>) -> isize {
    new.map_or(0, |new| signed(new.bytes()))
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests {
    use ratatui::text::Line;

    use super::super::link::Links;
    use super::*;

    fn rows(text: &str) -> Vec<Row> {
        text.split('|').map(|row| Row::fit(&Line::raw(row.to_owned()), 80, None, &Links::default())).collect()
    }

    fn check(old: &str, new: &str, expected: (usize, usize, usize)) {
        let shift = Shift::between(&rows(old), &rows(new)).unwrap();
        assert_eq!((shift.from, shift.removed, shift.inserted), expected, "{old} to {new}");
    }

    #[test]
    fn rows_go_in_where_least_is_to_be_written() {
        check("a|b|c", "a|b|c", (0, 0, 0));
        check("one tex||wait|draft", "one text|and mor||wait|draft", (1, 0, 1));
        check("|wait|draft", "one||wait|draft", (0, 0, 1));
        check("wait|draft", "wait|draft|more|more", (2, 0, 2));
    }

    #[test]
    fn rows_come_out_where_least_is_to_be_written_but_never_the_first() {
        check("one|two|three|wait|draft", "one|three|wait|draft", (1, 1, 0));
        check("one|two|wait|draft", "wait|draft", (1, 2, 0));
        check("wait|draft|more", "wait|draft", (2, 1, 0));
        assert_eq!(Shift::between(&rows("a|b"), &[]), None);
    }

    #[test]
    fn what_stands_is_told_for_each_row() {
        let shift = Shift { from: 1, removed: 2, inserted: 3 };
        let standing: Vec<Option<usize>> = (0..6).map(|index| shift.standing(index)).collect();
        assert_eq!(standing, [Some(0), None, None, None, Some(3), Some(4)]);
        assert_eq!(shift.growth(), 1);
    }
}
