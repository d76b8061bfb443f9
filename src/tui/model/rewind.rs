//! The way back to an earlier message, while it is chosen: which message, and how far.
//!
//! Nothing is chosen beforehand but a row of the list; how far it goes has to be said.

use super::choice::Item;
use super::picker::Picker;
use crate::app::{Point, Preview};

/// The open list, and what comes after it.
#[derive(Debug, Clone)]
pub struct Rewind {
    /// The messages.
    pub picker: Picker,
    points: Vec<Point>,
    /// How far one is.
    pub step: Step,
}

/// How far one is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A message is picked.
    Picking,
    /// It is looked at what a rewind to this position would change.
    Looking(usize),
    /// It is chosen how far it goes.
    Choosing(Box<Preview>),
    /// It is on its way, and takes no key.
    Going,
}

impl Rewind {
    /// A list that is waited for.
    #[must_use]
    pub fn awaiting() -> Self {
        let picker = Picker::awaiting("Rewind", "loading earlier messages");
        Self { picker, points: Vec::new(), step: Step::Picking }
    }

    /// One that has been chosen elsewhere.
    #[must_use]
    pub fn going() -> Self {
        Self { step: Step::Going, ..Self::awaiting() }
    }

    /// The list is there.
    pub fn fill(&mut self, points: Vec<Point>) {
        let item = |point: &Point| Item::new(point.words.clone(), point.about.clone());
        self.picker.fill(points.iter().map(item).collect(), 0);
        self.points = points;
    }

    /// The position of the chosen message.
    #[must_use]
    pub fn chosen(&self) -> Option<usize> {
        let (index, _) = self.picker.choice().chosen()?;
        self.points.get(index).map(|point| point.position)
    }
}
