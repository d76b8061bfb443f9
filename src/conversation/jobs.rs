//! What a conversation tells of the commands that run beside it: each change, and each end once.
//!
//! The commands belong to the session and not to a run, so this goes on at rest. It looks and remembers what it told; a
//! command that the model has asked after already is told of all the same, for the user has not.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::JobNews;
use crate::protocol::{JobId, JobState};
use crate::workbench::Workbench;

/// Looks after the jobs of a workbench.
pub(super) struct Watch {
    bench: Arc<Workbench>,
    changed: watch::Receiver<u64>,
    /// Those whose end was told.
    told: HashSet<JobId>,
}

impl Watch {
    pub(super) fn of(bench: &Arc<Workbench>) -> Self {
        Self { bench: Arc::clone(bench), changed: bench.jobs().changed(), told: HashSet::new() }
    }

    /// Waits for the next change. Safe to drop: what was not returned is told the next time.
    pub(super) async fn next(&mut self) -> JobNews {
        if self.changed.changed().await.is_err() {
            // no workbench, no jobs
            return std::future::pending().await;
        }
        let all = self.bench.jobs().all();
        self.told.retain(|id| all.iter().any(|job| job.id == *id));
        let has_ended = |state: &JobState| match state {
            JobState::Running => false,
            JobState::Ended { .. } => true,
        };
        let ended = all.iter().filter(|job| has_ended(&job.state) && self.told.insert(job.id.clone()));
        let ended = ended.cloned().collect();
        JobNews { all, ended }
    }
}
