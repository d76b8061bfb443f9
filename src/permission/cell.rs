//! The policy that holds now, for all who judge and all who change it.
//!
//! A judgement takes the snapshot of its moment; a change ("don't ask again", Shift+Tab) is swapped in whole, so that
//! nobody ever sees half of one.

use std::sync::Arc;

use tokio::sync::watch;

use super::Policy;

/// A policy that can be swapped. Clones share it.
#[derive(Debug, Clone)]
pub struct PolicyCell(watch::Sender<Arc<Policy>>);

impl PolicyCell {
    /// A cell that holds `policy`.
    pub fn new(policy: Policy) -> Self {
        Self(watch::Sender::new(Arc::new(policy)))
    }

    /// The policy of this moment.
    pub fn snapshot(&self) -> Arc<Policy> {
        Arc::clone(&self.0.borrow())
    }

    /// Puts another policy in its place.
    pub fn swap(&self, policy: Policy) {
        self.0.send_replace(Arc::new(policy));
    }

    /// Changes the policy; nobody sees it half done, and of two changes at once none is lost.
    pub fn change(&self, change: impl FnOnce(&mut Policy)) {
        self.0.send_modify(|policy| change(Arc::make_mut(policy)));
    }

    /// Wakes at every change from now on.
    pub fn changes(&self) -> watch::Receiver<Arc<Policy>> {
        self.0.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;

    #[test]
    fn a_change_reaches_every_clone_but_no_snapshot() {
        let cell = PolicyCell::new(Policy::default());
        let (clone, before, changes) = (cell.clone(), cell.snapshot(), cell.changes());
        cell.change(|policy| policy.mode = Mode::Plan);
        assert_eq!((before.mode, clone.snapshot().mode), (Mode::Default, Mode::Plan));
        assert!(changes.has_changed().unwrap());
        clone.swap(Policy::default());
        assert_eq!(cell.snapshot().mode, Mode::Default);
    }
}
