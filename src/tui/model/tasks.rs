//! The list of background commands while it is open: where one is in it, and whose output is shown.
//!
//! The commands themselves are not kept here: they are looked at anew while the list is open.

use super::aside::Aside;
use super::question::Step;
use crate::protocol::{JobId, JobView};

/// The open list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tasks {
    /// The row that has the focus.
    pub focus: usize,
    /// The command whose output is shown in place of the list.
    pub shown: Option<Shown>,
}

/// What a command printed last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Which.
    pub id: JobId,
    /// Its last lines; foreign text.
    pub text: String,
}

impl Tasks {
    /// The command that has the focus.
    #[must_use]
    pub fn chosen<'a>(&self, aside: &'a Aside) -> Option<&'a JobView> {
        aside.jobs.get(self.focus.min(aside.jobs.len().saturating_sub(1)))
    }

    /// The focus a row up or down; it stops at the ends.
    pub fn step(&mut self, step: Step, aside: &Aside) {
        let last = aside.jobs.len().saturating_sub(1);
        self.focus = match step {
            Step::Up => self.focus.min(last).saturating_sub(1),
            Step::Down => (self.focus + 1).min(last),
        };
    }
}
