//! The policy that holds now, for all who judge and all who change it.
//!
//! A judgement takes the snapshot of its moment; a change ("don't ask again", Shift+Tab) is swapped in whole, so that
//! nobody ever sees half of one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Policy, outside};
use crate::protocol::ExecAccess;

/// After so many yeses a rule is offered.
const ENOUGH: u32 = 2;

/// A policy that can be swapped. Clones share it.
#[derive(Debug, Clone)]
pub struct PolicyCell {
    policy: Arc<RwLock<Arc<Policy>>>,
    /// How often the user has let a program out of the sandbox, since the program began.
    let_out: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl PolicyCell {
    /// A cell that holds `policy`.
    pub fn new(policy: Policy) -> Self {
        Self { policy: Arc::new(RwLock::new(Arc::new(policy))), let_out: Arc::default() }
    }

    /// The policy of this moment.
    pub fn snapshot(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another policy in its place.
    pub fn swap(&self, policy: Policy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// The rule by which such a command would run outside the sandbox from now on: once the user has let it out a few times,
    /// and where a rule could say it.
    pub fn outside_rule(&self, exec: &ExecAccess) -> Option<String> {
        let outside = outside::about(exec)?;
        let times = self.let_out.lock().unwrap_or_else(PoisonError::into_inner);
        (times.get(&outside.about).is_some_and(|times| *times >= ENOUGH)).then_some(outside.rule)
    }

    /// The user has let this command out of the sandbox.
    pub fn was_let_out(&self, exec: &ExecAccess) {
        if let Some(outside) = outside::about(exec) {
            let mut times = self.let_out.lock().unwrap_or_else(PoisonError::into_inner);
            let count = times.entry(outside.about).or_default();
            *count = count.saturating_add(1);
        }
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

    #[test]
    fn a_rule_for_outside_is_offered_once_the_user_has_said_yes_twice() {
        let exec = |command: &str| ExecAccess { command: command.to_owned(), cwd: "/w".into() };
        let cell = PolicyCell::new(Policy::default());
        let mut offered = Vec::new();
        for command in ["docker ps", "docker build .", "docker run x"] {
            offered.push(cell.outside_rule(&exec(command)));
            cell.clone().was_let_out(&exec(command));
            cell.was_let_out(&exec("make a | make b"));
        }
        assert_eq!(offered, [None, None, Some("Outside(docker:*)".to_owned())]);
        assert_eq!(cell.outside_rule(&exec("make a | make b")), None);
        assert_eq!(cell.outside_rule(&exec("gh pr list")), None);
    }
}
