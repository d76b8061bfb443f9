//! What a conversation tells of the commands that run beside it: each change, and each end once.
//!
//! The commands belong to the session and not to a run, so this goes on at rest. It looks and remembers what it told; a
//! command that the model has asked after already is told of all the same, for the user has not.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::JobNews;
use crate::protocol::{JobId, JobState, JobView, Why};
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
        let is_news = |job: &&JobView| has_ended(&job.state) && job.why != Why::AtOnce;
        let ended = all.iter().filter(is_news).filter(|job| self.told.insert(job.id.clone()));
        let ended = ended.cloned().collect();
        JobNews { all, ended }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::capture::Mark;
    use crate::os::process::{Spawn, adopt_orphans};
    use crate::workbench::Setup;

    fn adopt(bench: &Workbench, script: &str) -> JobId {
        adopt_orphans().unwrap();
        let env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let spawn = Spawn { env, ..Spawn::new(["bash", "-c", script], bench.root()) };
        let running = bench.children().start(&spawn).unwrap();
        bench.jobs().adopt(script.to_owned(), running, Why::Asked, Mark::default())
    }

    /// The next command that has ended.
    async fn next_end(watch: &mut Watch) -> String {
        loop {
            if let [job] = watch.next().await.ended.as_slice() {
                return job.id.to_string();
            }
        }
    }

    #[tokio::test]
    async fn each_end_is_told_once_also_if_the_model_knew_it_first() {
        let dir = tempfile::tempdir().unwrap();
        let bench = Workbench::new(Setup { root: dir.path().into(), ..Setup::default() }).unwrap();
        let bench = Arc::new(bench);
        let mut watch = Watch::of(&bench);
        let first = adopt(&bench, "exit 3");
        bench.jobs().kill(&first).await.unwrap();
        bench.jobs().take_new(&first).unwrap();
        assert_eq!(next_end(&mut watch).await, "bash_1");
        adopt(&bench, "true");
        assert_eq!(next_end(&mut watch).await, "bash_2", "the first is not told again");
        let all = bench.jobs().all();
        assert_eq!(all.len(), 2, "{all:?}");
    }
}
