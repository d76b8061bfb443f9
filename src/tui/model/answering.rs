//! A question of the model on the screen: its options, and a row for an answer in own words.
//!
//! Not a permission: nothing waits to be allowed, and no answer is the wrong one. Where there are no options the words are all
//! there is. The surprise is a plan, which is answered in the same rows and yet like a permission: what is typed is a no, never
//! a yes, and Esc ends the run.

use super::buffer::Buffer;
use super::question::{Guard, Step};
use crate::protocol::{Choice, QuestionId, Topic};

/// A question of the model.
#[derive(Debug, Clone)]
pub struct Answering {
    /// Which.
    pub id: QuestionId,
    /// What is asked; foreign text.
    pub choice: Choice,
    /// The row that has the focus: an option, or behind them all the own words.
    pub focus: usize,
    /// The own words so far.
    pub words: Buffer,
    /// When it takes keys.
    pub guard: Guard,
}

impl Answering {
    /// A question that comes now.
    #[must_use]
    pub fn new(id: QuestionId, choice: Choice, guard: Guard) -> Self {
        Self { id, choice, focus: 0, words: Buffer::default(), guard }
    }

    /// Whether it is a plan that wants a yes.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        self.choice.topic == Topic::Plan
    }

    /// Whether what is typed goes into the own words.
    #[must_use]
    pub fn in_words(&self) -> bool {
        self.focus >= self.choice.options.len()
    }

    /// To the own words.
    pub fn go_to_words(&mut self) {
        self.focus = self.choice.options.len();
    }

    /// The focus a row up or down; it stops at the ends.
    pub fn step(&mut self, step: Step) {
        self.focus = match step {
            Step::Up => self.focus.saturating_sub(1),
            Step::Down => (self.focus + 1).min(self.choice.options.len()),
        };
    }
}
