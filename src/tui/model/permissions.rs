//! The list of rules while it is open: where one is in it, and what was just done.
//!
//! The rules are those of the moment in which they were listed; taking one back lists them anew.

use super::question::Step;
use crate::app::{InForce, RuleRow};

/// The open list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permissions {
    /// What is in force; none before it was told.
    pub in_force: Option<InForce>,
    /// The row that has the focus.
    pub focus: usize,
    /// What came of the last key, where that is not plain.
    pub said: Option<String>,
}

impl Permissions {
    /// All rules.
    #[must_use]
    pub fn rules(&self) -> &[RuleRow] {
        self.in_force.as_ref().map_or(&[], |in_force| &in_force.rules)
    }

    /// The rule that has the focus.
    #[must_use]
    pub fn chosen(&self) -> Option<&RuleRow> {
        self.rules().get(self.focus)
    }

    /// The focus a row up or down; it stops at the ends.
    pub fn step(&mut self, step: Step) {
        let last = self.rules().len().saturating_sub(1);
        self.focus = match step {
            Step::Up => self.focus.saturating_sub(1),
            Step::Down => (self.focus + 1).min(last),
        };
    }

    /// These are in force now.
    pub fn fill(&mut self, in_force: InForce) {
        self.focus = self.focus.min(in_force.rules.len().saturating_sub(1));
        self.in_force = Some(in_force);
    }
}
