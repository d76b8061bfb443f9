//! A question on the screen: its rows, which one has the focus, and when it takes keys at all.
//!
//! A question that pops up under the fingers of somebody who types must not be answered by what they were typing. So it takes
//! no key in its first 200 ms, and where they were typing as it came, none before 400 ms without a printable key; what comes
//! meanwhile goes on into the draft (the outside contract).

use std::sync::Arc;
use std::time::Duration;

use super::Size;
use super::buffer::Buffer;
use super::moment::Moment;
use super::overlay::PageOf;
use crate::protocol::{Approval, FileChange, Preview, QuestionId};
use crate::text::diff::{FileDiff, diff};

/// No key counts so soon after a question came.
const SETTLE: Duration = Duration::from_millis(200);
/// Columns that an answer's own text does not get.
const MARGIN: usize = 8;
/// Columns of a character that is shown by its number.
const WIDEST: usize = 10;
/// Columns of the words before the rules that would be saved.
const ALWAYS: usize = 48;
/// Somebody types as long as their printable keys are no further apart.
const TYPING: Duration = Duration::from_millis(400);

/// A permission question.
#[derive(Debug, Clone)]
pub struct Asking {
    /// Which.
    pub id: QuestionId,
    /// What is asked.
    pub approval: Approval,
    /// The files that would change, each compared with what it was.
    pub compared: Arc<Compared>,
    /// The row that has the focus.
    pub focus: Row,
    /// What to do instead, while it is being typed.
    pub words: Option<Buffer>,
    /// When it takes keys.
    pub guard: Guard,
    /// How much of it has been seen.
    pub seen: Seen,
    /// How much of it the last frame showed.
    pub shown: Shown,
}

/// Files that would change, compared once: as the question comes, and not as often as it is drawn. Each question has its own, by which a
/// drawing of it is known again.
#[derive(Debug, PartialEq, Eq)]
pub struct Compared(pub Vec<FileDiff>);

/// How much of a question has been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// What there is room for in the place of the input.
    InPlace,
    /// All, on a page of its own.
    Whole,
}

/// How much of a question is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// All of what is asked.
    #[default]
    All,
    /// A part of it.
    Part,
}

/// A row of a permission question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// Yes, this once.
    Yes,
    /// Yes, and the offered rule from now on.
    Always,
    /// No.
    No,
    /// Yes, this once, and with the network.
    Network,
}

/// When a question takes keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    shown: Moment,
    /// The last printable key of somebody who was typing as it came.
    typing: Option<Moment>,
}

impl Guard {
    /// A question that comes now; `last_printable` is when a printable key came last.
    #[must_use]
    pub fn new(now: Moment, last_printable: Option<Moment>) -> Self {
        Self { shown: now, typing: last_printable.filter(|last| now.since(*last) < TYPING) }
    }

    /// Whether a key that comes now is meant for the question.
    #[must_use]
    pub fn takes_keys(&self, now: Moment) -> bool {
        now.since(self.shown) >= SETTLE && self.typing.is_none_or(|last| now.since(last) >= TYPING)
    }

    /// A printable key came and went into the draft.
    pub fn typed(&mut self, now: Moment) {
        if let Some(last) = &mut self.typing {
            *last = now;
        }
    }
}

impl Asking {
    /// A question that comes now.
    #[must_use]
    pub fn new(id: QuestionId, approval: Approval, guard: Guard) -> Self {
        let focus = if approval.careful { Row::No } else { Row::Yes };
        let compared = match &approval.preview {
            Preview::Changes(files) => files.iter().map(compare).collect(),
            Preview::Command(_) | Preview::Text(_) => Vec::new(),
        };
        let compared = Arc::new(Compared(compared));
        Self { id, approval, compared, focus, words: None, guard, seen: Seen::InPlace, shown: Shown::All }
    }

    /// Its rows, in order, each with its number: a row keeps its number where another is not offered.
    pub fn rows(&self) -> impl Iterator<Item = (u8, Row)> {
        let always = !self.approval.remember.is_empty();
        let network = self.approval.hold.lacks_network();
        [(1, Row::Yes), (2, Row::Always), (3, Row::No), (4, Row::Network)].into_iter().filter(
            move |(_, row)| match row {
                Row::Yes | Row::No => true,
                Row::Always => always,
                Row::Network => network,
            },
        )
    }

    /// The rules that "don't ask again" would save, in a line.
    #[must_use]
    pub fn rules(&self) -> String {
        self.approval.remember.join(", ")
    }

    /// Whether the rules that would be saved have been seen whole: they stand on a screen of this size, or on the page.
    #[must_use]
    pub fn shows_rules(&self, size: Size) -> bool {
        let columns = usize::from(size.columns).saturating_sub(MARGIN).max(1);
        let lines = |text: usize| text.div_ceil(columns) + 1;
        let others = self.rows().count() - 1;
        // the title, a line of what is asked, the other answers, and this one broken somewhere
        // what is not plain is shown by its number
        let widths = self.approval.remember.iter().flat_map(|rule| rule.chars().chain(", ".chars()));
        let width: usize = widths.map(|c| if c.is_ascii() && !c.is_control() { 1 } else { WIDEST }).sum();
        let needed = 2 + others + lines(ALWAYS + width);
        match self.seen {
            Seen::Whole => true,
            Seen::InPlace => needed <= usize::from(size.rows) / 2,
        }
    }

    /// Whether all of it must have been seen before a yes counts: a command can hide in its middle what it does, and is not undone. Of
    /// an edit both ends are shown, and a rewind takes it back.
    #[must_use]
    pub fn is_seen_before_yes(&self) -> bool {
        self.seen == Seen::InPlace
            && match self.approval.preview {
                Preview::Command(_) | Preview::Text(_) => true,
                Preview::Changes(_) => false,
            }
    }

    /// A page was read to its end. A key that repeats opens the page of a question, but does not scroll and close it as well.
    pub fn read_to_end(&mut self, page: PageOf) {
        if page == PageOf::Question(self.id) {
            self.seen = Seen::Whole;
        }
    }

    /// The focus a row up or down; it stops at the ends.
    pub fn step(&mut self, down: Step) {
        let rows: Vec<Row> = self.rows().map(|(_, row)| row).collect();
        let at = rows.iter().position(|row| *row == self.focus).unwrap_or(0);
        let to = match down {
            Step::Up => at.saturating_sub(1),
            Step::Down => at + 1,
        };
        if let Some(row) = rows.get(to) {
            self.focus = *row;
        }
    }
}

/// What changes in a file.
#[must_use]
pub fn compare(change: &FileChange) -> FileDiff {
    #[cfg(test)]
    COMPARISONS.set(COMPARISONS.get() + 1);
    diff(change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default())
}

#[cfg(test)]
std::thread_local! {
    /// How often files were compared in this thread.
    pub(in crate::tui) static COMPARISONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Up.
    Up,
    /// Down.
    Down,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(shown: u64, last: Option<u64>) -> Guard {
        Guard::new(Moment(shown), last.map(Moment))
    }

    #[test]
    fn a_question_settles_before_it_takes_keys() {
        let guard = guard(1_000, None);
        assert!(!guard.takes_keys(Moment(1_199)));
        assert!(guard.takes_keys(Moment(1_200)));
    }

    #[test]
    fn somebody_who_types_is_let_finish() {
        let mut guard = guard(1_000, Some(900));
        assert!(!guard.takes_keys(Moment(1_250)));
        guard.typed(Moment(1_250));
        assert!(!guard.takes_keys(Moment(1_600)));
        assert!(guard.takes_keys(Moment(1_650)));
    }

    #[test]
    fn an_earlier_key_is_no_typing() {
        assert!(guard(1_000, Some(500)).takes_keys(Moment(1_200)));
    }
}
