//! The policy that holds now, for all who judge and all who change it.
//!
//! A judgement takes the snapshot of its moment; a change ("don't ask again", Shift+Tab) is swapped in whole, so that
//! nobody ever sees half of one.

use std::sync::{Arc, PoisonError, RwLock};

use super::Policy;

/// A policy that can be swapped. Clones share it.
#[derive(Debug, Clone)]
pub struct PolicyCell(Arc<RwLock<Arc<Policy>>>);

impl PolicyCell {
    /// A cell that holds `policy`.
    pub fn new(policy: Policy) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(policy))))
    }

    /// The policy of this moment.
    pub fn snapshot(&self) -> Arc<Policy> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another policy in its place.
    pub fn swap(&self, policy: Policy) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;

    #[test]
    fn a_change_reaches_every_clone_but_no_snapshot() {
        let cell = PolicyCell::new(Policy::default());
        let (clone, before) = (cell.clone(), cell.snapshot());
        cell.swap(Policy { mode: Mode::Plan, ..Policy::default() });
        assert_eq!((before.mode, clone.snapshot().mode), (Mode::Default, Mode::Plan));
        clone.swap(Policy::default());
        assert_eq!(cell.snapshot().mode, Mode::Default);
    }
}
